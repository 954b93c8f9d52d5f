/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command/experiment.h"
#include "base/error.h"
#include "profile/export.h"
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

#define SETTINGS_NAME "scorep.cfg"
#define MAX_NAMES 100000u

gboolean
command_experiment_is (const char *folder)
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

static gboolean
remove_folder (const char *path)
{
    GDir *dir = g_dir_open (path, 0, NULL);
    const char *name;

    while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
        g_autofree char *file = g_build_filename (path, name, NULL);

        g_unlink (file);
    }
    if (dir != NULL) {
        g_dir_close (dir);
    }
    return g_rmdir (path) == 0;
}

static void
remove_trace (const char *folder)
{
    g_autofree char *anchor = g_build_filename (folder, "traces.otf2", NULL);
    g_autofree char *definitions = g_build_filename (folder, "traces.def", NULL);
    g_autofree char *events = g_build_filename (folder, "traces", NULL);

    g_unlink (anchor);
    g_unlink (definitions);
    remove_folder (events);
}

static gboolean
write_manifest (const ProfileModel *model, const char *folder, gboolean has_profile,
                gboolean has_trace, GError **error)
{
    const ProfileProcess *first = profile_model_get_n_ranks (model) > 0
                                      ? profile_model_get_process (model, 0)
                                      : NULL;
    g_autofree char *path = g_build_filename (folder, "MANIFEST.md", NULL);
    GString *text = g_string_new ("# Experiment\n\nRecorded by pddt");
    gboolean is_written;

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
            "own tools\n");
    }
    is_written = g_file_set_contents (path, text->str, -1, error);
    g_string_free (text, TRUE);
    return is_written;
}

/* An experiment that is there already goes out of the way. */
static gboolean
make_place (const char *wanted, gboolean may_replace, GError **error)
{
    if (!g_file_test (wanted, G_FILE_TEST_EXISTS)) {
        return TRUE;
    }
    for (guint i = 1; may_replace && i < MAX_NAMES; i++) {
        g_autofree char *path = g_strdup_printf ("%s-before-%u", wanted, i);

        if (!g_file_test (path, G_FILE_TEST_EXISTS) && g_rename (wanted, path) == 0) {
            return TRUE;
        }
    }
    g_set_error (error, BASE_ERROR, BASE_ERROR_DENIED, "%s is there already", wanted);
    return FALSE;
}

char *
command_experiment_complete (const ProfileModel *model, const char *folder, GError **error)
{
    g_autofree char *path = g_build_filename (folder, SETTINGS_NAME, NULL);
    g_autofree char *cube = g_build_filename (folder, "profile.cubex", NULL);
    g_autofree char *settings = NULL, *wanted = NULL, *base = NULL;
    gboolean has_profile, has_trace;

    if (!g_file_get_contents (path, &settings, NULL, error)) {
        return NULL;
    }
    has_profile = is_true (settings, "SCOREP_ENABLE_PROFILING");
    has_trace = is_true (settings, "SCOREP_ENABLE_TRACING");
    if (has_profile && !profile_export (model, "cubex", cube, error)) {
        return NULL;
    }
    if (!write_manifest (model, folder, has_profile, has_trace, error)) {
        return NULL;
    }
    if (!has_trace) {
        remove_trace (folder);
    }
    wanted = find_value (settings, "SCOREP_EXPERIMENT_DIRECTORY");
    base = g_path_get_basename (folder);
    if (wanted == NULL || *wanted != '/'
        || !g_str_has_prefix (base, "scorep-measurement-tmp-")) {
        return g_strdup (folder); /* it was moved already, or by the user */
    }
    if (!make_place (wanted, is_true (settings, "SCOREP_OVERWRITE_EXPERIMENT_DIRECTORY"),
                     error)) {
        return NULL;
    }
    if (g_rename (folder, wanted) != 0) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_DENIED, "cannot move %s to %s: %s", folder,
                     wanted, g_strerror (errno));
        return NULL;
    }
    return g_steal_pointer (&wanted);
}
