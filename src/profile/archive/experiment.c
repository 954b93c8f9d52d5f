/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/experiment.h"
#include "base/confine.h"
#include "base/error.h"
#include "base/file.h"
#include "profile/export.h"
#include "profile/sums.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SETTINGS_NAME "scorep.cfg"
#define MAX_NAMES 100000u
#define MAX_SETTINGS (1u << 20)

gboolean
profile_experiment_is (const char *folder)
{
    g_autofree char *path = g_build_filename (folder, SETTINGS_NAME, NULL);

    return g_file_test (path, G_FILE_TEST_IS_REGULAR);
}

/* The value in "NAME='VALUE'" lines; NULL: none. Caller owns. */
static char *
find_value (const char *settings, const char *name)
{
    g_auto (GStrv) lines = g_strsplit (settings, "\n", -1);
    gsize length = strlen (name);

    for (guint i = 0; lines[i] != NULL; i++) {
        if (strncmp (lines[i], name, length) == 0 && lines[i][length] == '=') {
            return g_shell_unquote (lines[i] + length + 1, NULL);
        }
    }
    return NULL;
}

static gboolean
is_true (const char *settings, const char *name)
{
    static const char *const words[] = { "true", "yes", "on", NULL };
    g_autofree char *value = find_value (settings, name);
    g_autofree char *low = value != NULL ? g_ascii_strdown (value, -1) : g_strdup ("");

    return g_strv_contains (words, g_strstrip (low)) || g_ascii_strtoull (low, NULL, 10) != 0;
}

/* ---- by descriptors: whoever owns the folder may have put links into it ---- */

static void
remove_trace (int folder)
{
    static const char *const names[] = { "traces.otf2", "traces.def", "traces",
                                         PROFILE_SUMS_NAME };

    for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
        base_place_remove_all (folder, names[i]);
    }
}

static char *
format_manifest (const ProfileModel *model, const char *unmatched, gboolean has_profile,
                 gboolean has_trace)
{
    const ProfileProcess *first = profile_model_get_n_ranks (model) > 0
                                      ? profile_model_get_process (model, 0)
                                      : NULL;
    GString *text = g_string_new ("# Experiment\n\nRecorded by pddt");

    if (first != NULL && first->program != NULL) {
        g_string_append_printf (text, " of `%s`", first->program);
    }
    g_string_append_printf (text, ", %u processes.\n\n## Files\n\n",
                            profile_model_get_n_ranks (model));
    g_string_append (text, "* `scorep.cfg`: the settings of the measurement\n");
    if (has_profile) {
        g_string_append (text, "* `profile.cubex`: the profile, for Cube and Extra-P\n");
    }
    if (has_trace) {
        g_string_append (
            text,
            "* `traces.otf2`, `traces.def`, `traces/`: the trace, for pddt, Vampir and OTF2's "
            "own tools\n"
            "* `" PROFILE_SUMS_NAME "`: hashes of the trace's files\n");
    }
    if (unmatched != NULL) {
        g_string_append_printf (
            text, "\n## Filter\n\nRules of the filter that have matched nothing: %s\n",
            unmatched);
    }
    return g_string_free (text, FALSE);
}

static gboolean
write_new (int folder, const char *name, const char *text, GError **error)
{
    int fd;
    FILE *to;

    base_place_remove_all (folder, name);
    fd = openat (folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    to = fd >= 0 ? fdopen (fd, "w") : NULL;
    if (to != NULL && fputs (text, to) >= 0 && fclose (to) == 0) {
        return TRUE;
    }
    g_set_error (error, BASE_ERROR, BASE_ERROR_DENIED, "cannot write %s: %s", name,
                 g_strerror (errno));
    return FALSE;
}

/* ---- the place ---- */

/* The name beside the folder to which the settings move it; NULL: it was moved already, or by the user: a folder
 * goes nowhere else, whatever a file in it says. Caller owns. */
static char *
find_wanted (const char *settings, const char *folder, int parent)
{
    g_autofree char *base = g_path_get_basename (folder);
    g_autofree char *wanted = find_value (settings, "SCOREP_EXPERIMENT_DIRECTORY");
    g_autofree char *above = wanted != NULL ? g_path_get_dirname (wanted) : NULL;
    g_autofree char *name = wanted != NULL ? g_path_get_basename (wanted) : NULL;
    struct stat here, there;

    if (wanted == NULL || *wanted != '/' || !g_str_has_prefix (base, "scorep-measurement-tmp-")
        || strcmp (name, ".") == 0 || strcmp (name, "..") == 0 || strcmp (name, "/") == 0
        || fstat (parent, &here) != 0 || stat (above, &there) != 0
        || here.st_ino != there.st_ino || here.st_dev != there.st_dev) {
        return NULL;
    }
    return g_steal_pointer (&name);
}

/* Gives the experiment that is there already another name, if it is this one's owner's. Caller owns; NULL: it stays. */
static char *
put_aside (int parent, const char *name, uid_t owner)
{
    struct stat facts;

    if (fstatat (parent, name, &facts, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR (facts.st_mode)
        || facts.st_uid != owner) {
        return NULL;
    }
    for (guint i = 1; i < MAX_NAMES; i++) {
        g_autofree char *aside = g_strdup_printf ("%s-before-%u", name, i);

        if (base_place_rename (parent, name, parent, aside)) {
            return g_steal_pointer (&aside);
        }
        if (errno != EEXIST) {
            return NULL;
        }
    }
    return NULL;
}

static gboolean
move (int parent, const char *from, const char *to, gboolean may_replace, uid_t owner)
{
    g_autofree char *aside = NULL;
    int reason;

    if (base_place_rename (parent, from, parent, to)) {
        return TRUE;
    }
    if (errno != EEXIST || !may_replace || (aside = put_aside (parent, to, owner)) == NULL) {
        return FALSE;
    }
    if (base_place_rename (parent, from, parent, to)) {
        return TRUE;
    }
    reason = errno;
    base_place_rename (parent, aside, parent, to);
    errno = reason;
    return FALSE;
}

/* ---- with the rights of the folder's owner ---- */

typedef struct {
    const ProfileModel *model;
    const char *path;      /* of the folder */
    const char *unmatched; /* NULL: all rules have matched something */
    int folder, parent;
} Experiment;

static char *
complete (const Experiment *experiment, GError **error)
{
    const BasePlace file = { .folder = experiment->folder, .name = (char *) SETTINGS_NAME };
    g_autofree char *settings = base_file_read_place (&file, MAX_SETTINGS);
    g_autofree char *cube = g_build_filename (experiment->path, "profile.cubex", NULL);
    g_autofree char *manifest = NULL, *wanted = NULL;
    g_autofree char *above = g_path_get_dirname (experiment->path);
    g_autofree char *base = g_path_get_basename (experiment->path);
    gboolean has_profile, has_trace;
    struct stat facts;

    if (settings == NULL || fstat (experiment->folder, &facts) != 0) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_DENIED, "cannot read its " SETTINGS_NAME);
        return NULL;
    }
    has_profile = is_true (settings, "SCOREP_ENABLE_PROFILING");
    has_trace = is_true (settings, "SCOREP_ENABLE_TRACING");
    manifest = format_manifest (experiment->model, experiment->unmatched, has_profile,
                                has_trace);
    if ((has_profile && !profile_export (experiment->model, "cubex", cube, error))
        || !write_new (experiment->folder, "MANIFEST.md", manifest, error)) {
        return NULL;
    }
    if (!has_trace) {
        remove_trace (experiment->folder);
    }
    wanted = find_wanted (settings, experiment->path, experiment->parent);
    if (wanted == NULL) {
        return g_strdup (experiment->path);
    }
    if (!move (experiment->parent, base, wanted,
               is_true (settings, "SCOREP_OVERWRITE_EXPERIMENT_DIRECTORY"), facts.st_uid)) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_DENIED, "cannot move it to %s: %s", wanted,
                     g_strerror (errno));
        return NULL;
    }
    return g_build_filename (above, wanted, NULL);
}

/* A process of its own: rights that were given up do not come back. Its answer is "=PATH" or the reason. */
static char *
complete_as (guint32 uid, guint32 gid, const Experiment *experiment, GError **error)
{
    int ends[2];
    pid_t child = pipe2 (ends, O_CLOEXEC) == 0 ? fork () : -1;
    g_autoptr (GString) said = g_string_new (NULL);
    char part[1024];
    ssize_t size;

    if (child == 0) {
        g_autofree char *path = base_confine_become (uid, gid)
                                        && prctl (PR_SET_DUMPABLE, 0) == 0
                                        && prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
                                    ? complete (experiment, error)
                                    : NULL;

        if (path != NULL) {
            dprintf (ends[1], "=%s", path);
        } else {
            dprintf (ends[1], "%s",
                     *error != NULL ? (*error)->message : "it is another user's");
        }
        _exit (0);
    }
    if (child > 0) {
        close (ends[1]);
        while ((size = read (ends[0], part, sizeof part)) > 0 || (size < 0 && errno == EINTR)) {
            g_string_append_len (said, part, MAX (size, 0));
        }
        close (ends[0]);
        while (waitpid (child, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    if (said->str[0] == '=') {
        return g_strdup (said->str + 1);
    }
    g_set_error (error, BASE_ERROR, BASE_ERROR_DENIED, "%s", said->str);
    return NULL;
}

char *
profile_experiment_complete (const ProfileModel *model, const char *folder,
                             const char *unmatched, GError **error)
{
    g_autofree char *path = g_canonicalize_filename (folder, NULL), *place = NULL;
    g_autofree char *above = g_path_get_dirname (path);
    g_autoptr (GError) reason = NULL;
    Experiment experiment = { model, path, unmatched, -1, -1 };
    guint32 uid, gid;

    experiment.parent = open (above, O_PATH | O_DIRECTORY | O_CLOEXEC);
    experiment.folder = open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (experiment.parent >= 0 && experiment.folder >= 0) {
        place = base_place_is_others_folder (path, &uid, &gid)
                    ? complete_as (uid, gid, &experiment, &reason)
                    : complete (&experiment, &reason);
    } else {
        g_set_error (&reason, BASE_ERROR, BASE_ERROR_DENIED, "cannot read it: %s",
                     g_strerror (errno));
    }
    if (experiment.parent >= 0) {
        close (experiment.parent);
    }
    if (experiment.folder >= 0) {
        close (experiment.folder);
    }
    if (place == NULL) {
        g_propagate_error (error, g_steal_pointer (&reason));
    }
    return g_steal_pointer (&place);
}
