/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/archive.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/place.h"
#include "profile/exact-lines.h"
#include "profile/part.h"
#include "profile/private.h"
#include "profile/spool.h"
#include "profile/trace-files.h"
#include <errno.h>
#include <glib/gi18n.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What --profile --trace leaves in a folder. */
#define TRACE "trace/traces.otf2"
#define SAMPLES "profile/traces.otf2"

/* A signal that something in the file can have caused, or that anyone has sent. */
static void
set_error (GError **error, int status, gboolean is_reading, const char *said)
{
    g_autofree char *line = g_strstrip (g_strdup (said != NULL ? said : ""));

    if (!WIFSIGNALED (status)) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_CORRUPT, "%s",
                     *line != '\0' ? line : "pddt-archive failed");
    } else if (is_reading && WTERMSIG (status) != SIGKILL && WTERMSIG (status) != SIGTERM) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_CORRUPT,
                     "pddt-archive ended by signal %d: the archive is damaged",
                     WTERMSIG (status));
    } else {
        g_set_error (error, BASE_ERROR, BASE_ERROR_UNSUPPORTED,
                     "pddt-archive ended by signal %d", WTERMSIG (status));
    }
}

gboolean
profile_archive_check_place (const char *folder, GError **error)
{
    g_auto (BasePlace) place = { .folder = -1 };
    gboolean is_found = base_place_find (folder, FALSE, &place);

    if (geteuid () == 0 && place.is_others) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_DENIED,
                     "root measures into no folder of another user's, and %s lies in one of "
                     "user %u: choose a place of root's",
                     folder, place.uid);
        return FALSE;
    }
    if (!is_found && errno == ELOOP) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_DENIED, "cannot make the folder %s: %s",
                     folder, BASE_PLACE_LINK);
        return FALSE;
    }
    return TRUE;
}

gboolean
profile_archive_write (const char *program, const char *folder, char **ret_problem,
                       GError **error)
{
    const char *const argv[] = { program, "--write", folder, NULL };
    g_autofree char *said = NULL;
    int status;

    if (!g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_STDOUT_TO_DEV_NULL,
                       base_limits_restore, NULL, NULL, &said, &status, error)) {
        return FALSE;
    }
    *ret_problem = NULL;
    if (status != 0) {
        set_error (error, status, FALSE, said);
    } else if (*g_strstrip (said) != '\0') {
        *ret_problem = g_strdup (said);
    }
    return status == 0;
}

/* Of char*, sorted: regular files in the folder that are called as anchors are, whatever tool has named them. */
static GPtrArray *
list_anchors (const char *path)
{
    GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
    GDir *folder = g_dir_open (path, 0, NULL);
    const char *name;

    while (folder != NULL && (name = g_dir_read_name (folder)) != NULL) {
        g_autofree char *file = g_build_filename (path, name, NULL);

        if (g_str_has_suffix (name, ".otf2") && g_file_test (file, G_FILE_TEST_IS_REGULAR)) {
            g_ptr_array_add (names, g_strdup (name));
        }
    }
    if (folder != NULL) {
        g_dir_close (folder);
    }
    g_ptr_array_sort (names, base_order_texts);
    return names;
}

/* The name of an archive of which the folder has all but the anchor: NAME.def and the folder NAME. NULL: there is none. Caller
 * owns. */
static char *
find_headless (const char *path)
{
    g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
    const char *name;

    while (folder != NULL && (name = g_dir_read_name (folder)) != NULL) {
        g_autofree char *stem = g_str_has_suffix (name, ".def")
                                    ? g_strndup (name, strlen (name) - strlen (".def"))
                                    : NULL;
        g_autofree char *events = stem != NULL ? g_build_filename (path, stem, NULL) : NULL;

        if (events != NULL && g_file_test (events, G_FILE_TEST_IS_DIR)) {
            return g_steal_pointer (&stem);
        }
    }
    return NULL;
}

/* Why a path is no archive. */
static void
set_missing (GError **error, const char *path)
{
    g_autoptr (GPtrArray) names = list_anchors (path);
    g_autofree char *list = NULL, *headless = names->len == 0 ? find_headless (path) : NULL;

    if (names->len > 1) {
        g_ptr_array_add (names, NULL);
        list = g_strjoinv (", ", (char **) names->pdata);
        base_error_set (error, BASE_ERROR_NOT_FOUND, "%s has several archives: name one of %s",
                        path, list);
    } else if (headless != NULL) {
        base_error_set (
            error, BASE_ERROR_NOT_FOUND,
            "cannot open %s: the archive %s has lost its anchor file %s.otf2, without which its "
            "other files cannot be read",
            path, headless, headless);
    } else if (g_file_test (path, G_FILE_TEST_IS_DIR)) {
        base_error_set (
            error, BASE_ERROR_NOT_FOUND,
            "cannot open %s: there is no archive in this folder (no file ends in .otf2)", path);
    } else {
        base_error_set (error, BASE_ERROR_NOT_FOUND, "cannot open %s: there is no archive",
                        path);
    }
}

/* The anchor of the samples of the run that the anchor is the trace of; NULL: there are none. */
static char *
find_samples (const char *path, const char *anchor)
{
    g_autofree char *trace = g_build_filename (path, TRACE, NULL);
    g_autofree char *samples = g_build_filename (path, SAMPLES, NULL);

    return strcmp (anchor, trace) == 0 && g_file_test (samples, G_FILE_TEST_IS_REGULAR)
               ? g_steal_pointer (&samples)
               : NULL;
}

/* The folder is that of an archive's events, into which a dialog for folders leads; NULL: it is another one. */
static char *
find_around (const char *path)
{
    g_autofree char *whole = g_canonicalize_filename (path, NULL);
    g_autofree char *name = g_path_get_basename (whole), *folder = g_path_get_dirname (whole);
    g_autofree char *anchor = g_build_filename (folder, "traces.otf2", NULL);

    return strcmp (name, "traces") == 0 && g_file_test (anchor, G_FILE_TEST_IS_REGULAR)
               ? g_steal_pointer (&anchor)
               : NULL;
}

char *
profile_archive_dup_name (const char *path)
{
    g_autofree char *whole = g_canonicalize_filename (path, NULL);
    g_autofree char *name = g_path_get_basename (whole), *folder = g_path_get_dirname (whole);
    g_autofree char *around = find_around (path);

    return around != NULL || strcmp (name, "traces.otf2") == 0 ? g_path_get_basename (folder)
                                                               : g_steal_pointer (&name);
}

/* The anchor file of the path; NULL: there is none, or one of several. */
static char *
find_anchor (const char *path)
{
    g_autoptr (GPtrArray) others = NULL;
    static const char *const names[] = { "traces.otf2", TRACE, SAMPLES };

    if (g_file_test (path, G_FILE_TEST_IS_REGULAR)) {
        return g_str_has_suffix (path, ".otf2") ? g_strdup (path) : NULL;
    }
    for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
        g_autofree char *anchor = g_build_filename (path, names[i], NULL);

        if (g_file_test (anchor, G_FILE_TEST_IS_REGULAR)) {
            return g_steal_pointer (&anchor);
        }
    }
    others = list_anchors (path);
    if (others->len == 0) {
        return find_around (path);
    }
    return others->len == 1 ? g_build_filename (path, g_ptr_array_index (others, 0), NULL)
                            : NULL;
}

/* Those of traced processes, without an archive yet. */
static gboolean
has_trace_spool (const char *path)
{
    g_autofree char *spool = g_build_filename (path, PROFILE_TRACE_FOLDER, NULL);

    return g_file_test (spool, G_FILE_TEST_IS_DIR);
}

static char *
find_spool (const char *path)
{
    char *spool = g_build_filename (path, PROFILE_SPOOL_NAME, NULL);

    if (!g_file_test (spool, G_FILE_TEST_IS_REGULAR)) {
        g_clear_pointer (&spool, g_free);
    }
    return spool;
}

gboolean
profile_archive_is (const char *path)
{
    g_autofree char *anchor = find_anchor (path), *spool = find_spool (path);

    return anchor != NULL || spool != NULL || has_trace_spool (path);
}

/* A pddt-archive that writes what it finds there. */
typedef struct {
    GPid pid;
    int from;
} Reader;

/* The status of the child, which has ended or will at once. */
static int
reap (GPid pid)
{
    int status = 0;

    while (waitpid (pid, &status, 0) < 0 && errno == EINTR) {
    }
    g_spawn_close_pid (pid);
    return status;
}

static gboolean
begin_reading (Reader *reader, const char *const *argv, GError **error)
{
    return g_spawn_async_with_pipes (NULL, (char **) argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD,
                                     base_limits_restore, NULL, &reader->pid, NULL,
                                     &reader->from, NULL, error);
}

/* model: what it has written went there; NULL: nobody wants it. */
static void
end_reading (Reader *reader, ProfileModel *model)
{
    int status;

    close (reader->from);
    if (model == NULL) {
        kill (reader->pid, SIGKILL);
    }
    status = reap (reader->pid);
    if (status != 0 && model != NULL && model->problem == NULL) {
        model->problem
            = base_text_new (N_ ("pddt-archive could not read it to its end: it is damaged"));
    }
}

static char *
format_unread (const char *anchor, const BaseText *why, BaseTextForm form)
{
    return base_text_print (form, "cannot read %s: %s", anchor, base_text_get (why, form));
}

/* samples: of the same run; NULL: there are none. begin: NULL: all of it, for which two processes read all events at the
 * same time. */
static ProfileModel *
read_anchor (const char *program, const char *anchor, const char *samples, const char *begin,
             const char *end, GError **error)
{
    const char *const whole[] = { program, "--read", anchor, samples, NULL };
    const char *const part[] = { program, "--part", anchor, begin, end, samples, NULL };
    const char *const *argv = begin != NULL ? part : whole;
    const char *const more[] = { program, "--traced", anchor, NULL };
    ProfileModel *model;
    Reader reader, other;
    gboolean has_other;

    if (!begin_reading (&reader, argv, error)) {
        return NULL;
    }
    has_other = begin == NULL && begin_reading (&other, more, error);
    if (begin == NULL && !has_other) {
        end_reading (&reader, NULL);
        return NULL;
    }
    model = profile_spool_read (reader.from, NULL);
    end_reading (&reader, model);
    if (has_other && model != NULL) {
        profile_spool_read_more (model, other.from, NULL);
    }
    if (has_other) {
        end_reading (&other, model);
    }
    if (model == NULL) {
        base_error_set (error, BASE_ERROR_CORRUPT, "cannot read %s: pddt-archive failed",
                        anchor);
    } else if (model->problem != NULL && profile_model_get_n_samples (model) == 0) {
        base_error_set_text (error, BASE_ERROR_CORRUPT,
                             base_text_new_take (format_unread (anchor, model->problem,
                                                                BASE_TEXT_ENGLISH),
                                                 format_unread (anchor, model->problem,
                                                                BASE_TEXT_SHOWN)));
        g_clear_pointer (&model, profile_model_free);
    }
    return model;
}

/* A run that was traced and sampled leaves each half in a folder of its own. What to say where the anchor is that of one, and
 * the other is not there; NULL: nothing. Caller owns. */
static BaseText *
find_lost_half (const char *path, const char *anchor)
{
    g_autofree char *trace = g_build_filename (path, TRACE, NULL);
    g_autofree char *samples = g_build_filename (path, SAMPLES, NULL);
    g_autofree char *folder = g_build_filename (path, "profile", NULL);
    g_autofree char *spool = find_spool (folder);

    if (strcmp (anchor, trace) == 0 && !g_file_test (samples, G_FILE_TEST_IS_REGULAR)) {
        return base_text_new (
            spool != NULL
                ? N_ (
                    "the run was sampled, too, and %s is not written yet (pddt --finalize): only "
                    "its calls are shown")
                : N_ ("the run was sampled, too, and %s is missing: only its calls are shown"),
            SAMPLES);
    }
    if (strcmp (anchor, samples) == 0 && !g_file_test (trace, G_FILE_TEST_IS_REGULAR)) {
        return base_text_new (
            has_trace_spool (path)
                ? N_ (
                    "the run was traced, too, and %s is not written yet (pddt --finalize): only "
                    "its samples are shown")
                : N_ ("the run was traced, too, and %s is missing: only its samples are shown"),
            TRACE);
    }
    return NULL;
}

static ProfileModel *
read_whole (const char *program, const char *anchor, const char *samples, GError **error)
{
    ProfileModel *model = read_anchor (program, anchor, samples, NULL, NULL, error);
    g_autofree char *folder = g_path_get_dirname (anchor);

    if (model != NULL) {
        model->exact_lines = profile_exact_lines_load (folder);
    }
    return model;
}

ProfileModel *
profile_archive_read (const char *program, const char *path, GError **error)
{
    g_autofree char *spool = find_spool (path), *anchor = find_anchor (path);
    g_autofree char *samples = anchor != NULL ? find_samples (path, anchor) : NULL;
    ProfileModel *model;

    if (spool != NULL) { /* what lies beside it is not complete */
        model = profile_spool_load (spool, error);
        if (model != NULL) {
            base_text_free (model->problem);
            model->problem = base_text_new (N_ (
                "the measurement was cut off or is still under way; pddt --finalize makes its "
                "archive once it has ended"));
        }
        return model;
    }
    if (anchor == NULL && has_trace_spool (path)) {
        base_error_set (
            error, BASE_ERROR_NOT_FOUND,
            "%s has no archive yet: the run was cut off or is still under way; pddt --finalize %s "
            "writes it",
            path, path);
        return NULL;
    }
    if (anchor == NULL) {
        set_missing (error, path);
        return NULL;
    }
    model = read_whole (program, anchor, samples, error);
    if (model != NULL && model->problem == NULL) {
        model->problem = find_lost_half (path, anchor);
    }
    return model;
}

ProfileModel *
profile_part_read (const char *program, const char *path, const ProfilePart *part,
                   GError **error)
{
    g_autofree char *anchor = find_anchor (path);
    g_autofree char *samples = anchor != NULL ? find_samples (path, anchor) : NULL;
    g_autofree char *begin = g_strdup_printf ("%" G_GINT64_FORMAT, part->begin_ns);
    g_autofree char *end = g_strdup_printf ("%" G_GINT64_FORMAT, part->end_ns);

    if (anchor == NULL) {
        set_missing (error, path);
        return NULL;
    }
    return read_anchor (program, anchor, samples, begin, end, error);
}

char *
profile_archive_score (const char *program, const char *path, GError **error)
{
    g_autofree char *anchor = find_anchor (path), *text = NULL, *said = NULL;
    const char *const argv[] = { program, "--score", anchor, NULL };
    int status;

    if (anchor == NULL && has_trace_spool (path)) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_NOT_FOUND,
                     "%s has no archive yet; pddt --finalize writes it", path);
        return NULL;
    }
    if (anchor == NULL) {
        set_missing (error, path);
        return NULL;
    }
    if (!g_spawn_sync (NULL, (char **) argv, NULL, 0, base_limits_restore, NULL, &text, &said,
                       &status, error)) {
        return NULL;
    }
    if (status != 0) {
        set_error (error, status, TRUE, said);
        return NULL;
    }
    if (g_str_has_prefix (text, "error: ")) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_CORRUPT, "cannot score %s: %s", path,
                     text + strlen ("error: "));
        return NULL;
    }
    return g_steal_pointer (&text);
}
