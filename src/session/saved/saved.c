/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Saved sessions as values and as key files, and the paths of those that pddt keeps
 * automatically. */
#include "session/saved.h"
#include "session/saved/own-files-private.h"
#include "base/array.h"
#include "base/error.h"
#include "base/file.h"
#include "launch/launcher.h"
#include "session/remote.h"
#include <glib/gstdio.h>
#include <string.h>

#define HEAD "pddt session"
#define VERSION 1
#define MAX_SIZE (16u << 20)

BASE_FREE (free_point, SessionSavedPoint, point, job_request_free (point->request);
           job_rank_set_free (point->disabled))

BASE_FREE (free_set, SessionSavedSet, set, g_free (set->name); g_free (set->live);
           job_rank_set_free (set->ranks))

BASE_FREE (free_window, SessionSavedWindow, window, g_free (window->name);
           job_rank_set_free (window->ranks); g_strfreev (window->watches);
           g_strfreev (window->tabs))

void
session_saved_display_free (gpointer data)
{
    SessionSavedDisplay *display = data;

    g_free (display->expression);
    job_rank_set_free (display->ranks);
    g_free (display);
}

SessionSavedDisplay *
session_saved_display_dup (const SessionSavedDisplay *display)
{
    SessionSavedDisplay *copy = g_memdup2 (display, sizeof *display);

    copy->expression = g_strdup (display->expression);
    copy->ranks = display->ranks != NULL ? job_rank_set_dup (display->ranks) : NULL;
    return copy;
}

SessionSaved *
session_saved_new (void)
{
    SessionSaved *saved = g_new0 (SessionSaved, 1);

    saved->points = g_ptr_array_new_with_free_func (free_point);
    saved->sets = g_ptr_array_new_with_free_func (free_set);
    saved->windows = g_ptr_array_new_with_free_func (free_window);
    saved->displays = g_ptr_array_new_with_free_func (session_saved_display_free);
    return saved;
}

void
session_saved_free (SessionSaved *saved)
{
    if (saved == NULL) {
        return;
    }
    g_strfreev (saved->argv);
    g_strfreev (saved->environment);
    g_free (saved->host);
    g_free (saved->host_program);
    g_free (saved->folder);
    g_free (saved->stop_at);
    g_free (saved->input_ranks);
    g_free (saved->input_file);
    g_free (saved->output_folder);
    g_free (saved->source_folders);
    g_free (saved->sum);
    g_ptr_array_unref (saved->points);
    g_ptr_array_unref (saved->sets);
    g_ptr_array_unref (saved->windows);
    g_ptr_array_unref (saved->displays);
    g_free (saved);
}

/* ---- as text ---- */

static void
put (GKeyFile *file, const char *group, const char *key, const char *text)
{
    if (text != NULL) {
        g_key_file_set_string (file, group, key, text);
    }
}

static void
put_list (GKeyFile *file, const char *group, const char *key, char **list)
{
    if (list != NULL && list[0] != NULL) {
        g_key_file_set_string_list (file, group, key, (const char *const *) list,
                                    g_strv_length (list));
    }
}

static const char *
get_kind (const JobRequest *request)
{
    return request->verb == JOB_VERB_BREAK   ? "break"
           : request->verb == JOB_VERB_CATCH ? "catch"
                                             : "watch";
}

static void
put_point (GKeyFile *file, guint number, const SessionSavedPoint *point)
{
    const JobRequest *request = point->request;
    g_autofree char *group = g_strdup_printf ("breakpoint %u", number);
    g_autofree char *ranks = point->is_for_all ? g_strdup ("all")
                                               : job_rank_set_format (request->ranks);
    g_autofree char *where = request->verb == JOB_VERB_BREAK
                                 ? job_where_format (&request->where)
                                 : g_strdup (request->text);

    put (file, group, "kind", get_kind (request));
    put (file, group, "where", where);
    put (file, group, "ranks", ranks);
    put (file, group, "condition", request->condition);
    put (file, group, "log", request->log);
    if (request->every > 1) {
        g_key_file_set_uint64 (file, group, "every", request->every);
    }
    if (request->thread > 0) {
        g_key_file_set_uint64 (file, group, "thread", request->thread);
    }
    if (request->flags & JOB_REQUEST_TEMPORARY) {
        g_key_file_set_boolean (file, group, "once", TRUE);
    }
    if (!point->is_enabled) {
        g_key_file_set_boolean (file, group, "enabled", FALSE);
    }
    if (point->disabled != NULL) {
        g_autofree char *disabled = job_rank_set_format (point->disabled);

        put (file, group, "disabled", disabled);
    }
}

static void
put_display (GKeyFile *file, const SessionSavedDisplay *display)
{
    g_autofree char *group = g_strdup_printf ("display %u", display->number);
    g_autofree char *ranks = display->ranks != NULL ? job_rank_set_format (display->ranks)
                                                    : NULL;
    const char format[] = { display->letter, '\0' };

    put (file, group, "expression", display->expression);
    put (file, group, "format", display->letter != '\0' ? format : NULL);
    put (file, group, "ranks", ranks);
}

char *
session_saved_format (const SessionSaved *saved)
{
    g_autoptr (GKeyFile) file = g_key_file_new ();

    g_key_file_set_integer (file, HEAD, "version", VERSION);
    put_list (file, HEAD, "command", saved->argv);
    put (file, HEAD, "host", saved->host);
    put (file, HEAD, "host-program", saved->host_program);
    put (file, HEAD, "folder", saved->folder);
    put_list (file, HEAD, "environment", saved->environment);
    put (file, HEAD, "stop-at", saved->stop_at);
    put (file, HEAD, "input", saved->input_ranks);
    put (file, HEAD, "input-file", saved->input_file);
    put (file, HEAD, "output-folder", saved->output_folder);
    put (file, HEAD, "source-folders", saved->source_folders);
    if (saved->keep) {
        g_key_file_set_boolean (file, HEAD, "keep", TRUE);
    }
    for (guint i = 0; i < saved->points->len; i++) {
        put_point (file, i + 1, g_ptr_array_index (saved->points, i));
    }
    BASE_EACH (saved->sets, const SessionSavedSet, set) {
        g_autofree char *group = g_strconcat ("set ", set->name, NULL);
        g_autofree char *ranks = job_rank_set_format (set->ranks);

        put (file, group, set->live != NULL ? "live" : "ranks",
             set->live != NULL ? set->live : ranks);
    }
    for (guint i = 0; i < saved->displays->len; i++) {
        put_display (file, g_ptr_array_index (saved->displays, i));
    }
    for (guint i = 0; i < saved->windows->len; i++) {
        const SessionSavedWindow *window = g_ptr_array_index (saved->windows, i);
        g_autofree char *group = g_strdup_printf ("window %u", i + 1);
        g_autofree char *ranks = job_rank_set_format (window->ranks);

        put (file, group, "name", window->name);
        put (file, group, "ranks", ranks);
        put_list (file, group, "watches", window->watches);
        put_list (file, group, "tabs", window->tabs);
        if (window->shown_by >= 0) {
            g_key_file_set_int64 (file, group, "shown-by", window->shown_by);
        }
        if (window->has_layout) {
            g_key_file_set_integer_list (file, group, "layout", (int *) window->layout,
                                         SESSION_SAVED_N_LAYOUT);
        }
    }
    return g_key_file_to_data (file, NULL, NULL);
}

static char *
take (GKeyFile *file, const char *group, const char *key)
{
    return g_key_file_get_string (file, group, key, NULL);
}

static JobRankSet *
take_ranks (GKeyFile *file, const char *group, const char *key, GError **error)
{
    g_autofree char *text = take (file, group, key);
    JobRankSet *set = text != NULL ? job_rank_set_parse (text, G_MAXUINT32, NULL) : NULL;

    if (set == NULL) {
        base_error_set (error, BASE_ERROR_CORRUPT, "section [%s] has no valid list of ranks",
                        group);
    }
    return set;
}

static gboolean
read_point (GKeyFile *file, const char *group, SessionSaved *saved, GError **error)
{
    static const struct {
        const char *kind;
        JobVerb verb;
    } kinds[] = { { "break", JOB_VERB_BREAK },
                  { "catch", JOB_VERB_CATCH },
                  { "watch", JOB_VERB_WATCH } };
    g_autofree char *kind = take (file, group, "kind"), *where = take (file, group, "where");
    g_autofree char *ranks = take (file, group, "ranks");
    SessionSavedPoint *point = g_new0 (SessionSavedPoint, 1);
    JobVerb verb = JOB_VERB_NONE;

    g_ptr_array_add (saved->points, point);
    for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
        verb = g_strcmp0 (kind, kinds[i].kind) == 0 ? kinds[i].verb : verb;
    }
    point->request = job_request_new (verb, NULL);
    if (verb == JOB_VERB_NONE || where == NULL
        || (verb == JOB_VERB_BREAK && !job_where_parse (where, &point->request->where, NULL))) {
        base_error_set (error, BASE_ERROR_CORRUPT, "section [%s] does not name a place", group);
        return FALSE;
    }
    if (verb != JOB_VERB_BREAK) {
        point->request->text = g_steal_pointer (&where);
    }
    point->is_for_all = g_strcmp0 (ranks, "all") == 0;
    g_clear_pointer (&point->request->ranks, job_rank_set_free);
    point->request->ranks = point->is_for_all ? job_rank_set_new ()
                                              : take_ranks (file, group, "ranks", error);
    point->request->condition = take (file, group, "condition");
    point->request->log = take (file, group, "log");
    point->request->every = g_key_file_get_uint64 (file, group, "every", NULL);
    if (g_key_file_get_boolean (file, group, "once", NULL)) {
        point->request->flags |= JOB_REQUEST_TEMPORARY;
    }
    point->request->thread = (guint32) MIN (g_key_file_get_uint64 (file, group, "thread", NULL),
                                            G_MAXINT32);
    point->is_enabled = !g_key_file_has_key (file, group, "enabled", NULL)
                        || g_key_file_get_boolean (file, group, "enabled", NULL);
    if (point->request->ranks == NULL || !g_key_file_has_key (file, group, "disabled", NULL)) {
        return point->request->ranks != NULL;
    }
    point->disabled = take_ranks (file, group, "disabled", error);
    return point->disabled != NULL;
}

static gboolean
read_set (GKeyFile *file, const char *group, SessionSaved *saved, GError **error)
{
    SessionSavedSet *set = g_new0 (SessionSavedSet, 1);

    g_ptr_array_add (saved->sets, set);
    set->name = g_strdup (group + strlen ("set "));
    set->live = take (file, group, "live");
    set->ranks = set->live != NULL ? job_rank_set_new ()
                                   : take_ranks (file, group, "ranks", error);
    return set->ranks != NULL;
}

/* Pixels and page numbers; without it the window is as a new one. */
static void
read_layout (GKeyFile *file, const char *group, SessionSavedWindow *window)
{
    gsize n = 0;
    g_autofree int *numbers = g_key_file_get_integer_list (file, group, "layout", &n, NULL);

    window->has_layout = n == SESSION_SAVED_N_LAYOUT;
    for (gsize i = 0; window->has_layout && i < n; i++) {
        window->layout[i] = numbers[i];
        window->has_layout = numbers[i] >= 0 && numbers[i] <= 1 << 15;
    }
}

static gboolean
read_window (GKeyFile *file, const char *group, SessionSaved *saved, GError **error)
{
    SessionSavedWindow *window = g_new0 (SessionSavedWindow, 1);

    g_ptr_array_add (saved->windows, window);
    window->name = take (file, group, "name");
    window->ranks = take_ranks (file, group, "ranks", error);
    window->watches = g_key_file_get_string_list (file, group, "watches", NULL, NULL);
    window->tabs = g_key_file_get_string_list (file, group, "tabs", NULL, NULL);
    window->shown_by = g_key_file_has_key (file, group, "shown-by", NULL)
                           ? g_key_file_get_int64 (file, group, "shown-by", NULL)
                           : -1;
    read_layout (file, group, window);
    return window->ranks != NULL;
}

static gboolean
read_display (GKeyFile *file, const char *group, SessionSaved *saved, GError **error)
{
    SessionSavedDisplay *display = g_new0 (SessionSavedDisplay, 1);
    g_autofree char *format = take (file, group, "format");
    guint64 number = 0;

    g_ptr_array_add (saved->displays, display);
    display->expression = take (file, group, "expression");
    display->letter = format != NULL && g_ascii_isalpha (format[0]) ? format[0] : '\0';
    if (g_key_file_has_key (file, group, "ranks", NULL)) {
        display->ranks = take_ranks (file, group, "ranks", error);
        if (display->ranks == NULL) {
            return FALSE;
        }
    }
    if (display->expression == NULL
        || !g_ascii_string_to_unsigned (group + strlen ("display "), 10, 1, G_MAXINT32, &number,
                                        NULL)) {
        base_error_set (error, BASE_ERROR_CORRUPT, "section [%s] has no expression", group);
        return FALSE;
    }
    display->number = (guint32) number;
    return TRUE;
}

static gboolean
read_groups (GKeyFile *file, SessionSaved *saved, GError **error)
{
    g_auto (GStrv) groups = g_key_file_get_groups (file, NULL);

    for (guint i = 0; groups[i] != NULL; i++) {
        gboolean ok = g_str_has_prefix (groups[i], "breakpoint ")
                          ? read_point (file, groups[i], saved, error)
                      : g_str_has_prefix (groups[i], "set ")
                          ? read_set (file, groups[i], saved, error)
                      : g_str_has_prefix (groups[i], "display ")
                          ? read_display (file, groups[i], saved, error)
                      : g_str_has_prefix (groups[i], "window ")
                          ? read_window (file, groups[i], saved, error)
                          : TRUE;

        if (!ok) {
            return FALSE;
        }
    }
    return TRUE;
}

static gboolean
read_file (GKeyFile *file, SessionSaved *saved, GError **error)
{
    saved->argv = g_key_file_get_string_list (file, HEAD, "command", NULL, NULL);
    if (g_key_file_get_integer (file, HEAD, "version", NULL) > VERSION) {
        base_error_set (error, BASE_ERROR_UNSUPPORTED, "it was saved by a newer pddt");
        return FALSE;
    }
    if (saved->argv == NULL || saved->argv[0] == NULL) {
        base_error_set (error, BASE_ERROR_CORRUPT, "it does not say what to run");
        return FALSE;
    }
    saved->host = take (file, HEAD, "host");
    saved->host_program = take (file, HEAD, "host-program");
    saved->folder = take (file, HEAD, "folder");
    saved->environment = g_key_file_get_string_list (file, HEAD, "environment", NULL, NULL);
    saved->stop_at = take (file, HEAD, "stop-at");
    saved->input_file = take (file, HEAD, "input-file");
    saved->output_folder = take (file, HEAD, "output-folder");
    saved->source_folders = take (file, HEAD, "source-folders");
    saved->input_ranks = take (file, HEAD, "input");
    saved->keep = g_key_file_get_boolean (file, HEAD, "keep", NULL);
    return read_groups (file, saved, error);
}

static GHashTable *accepted; /* sums of content; NULL: none yet */
static gboolean all_accepted;

static gboolean
is_accepted (const char *sum)
{
    return all_accepted || (accepted != NULL && g_hash_table_contains (accepted, sum));
}

void
session_saved_accept (const SessionSaved *saved)
{
    if (saved == NULL) {
        all_accepted = TRUE;
    } else if (saved->sum != NULL) {
        accepted = accepted != NULL
                       ? accepted
                       : g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
        g_hash_table_add (accepted, g_strdup (saved->sum));
    }
}

static char *
print_problem (BaseTextForm form, const char *path, const GError *problem)
{
    /* Translators: a file, and what is wrong with it. */
    return base_text_print (form, "cannot open %s: %s", path, base_error_get (problem, form));
}

SessionSaved *
session_saved_parse (const char *text, gsize size)
{
    g_autoptr (GKeyFile) file = g_key_file_new ();
    g_autoptr (SessionSaved) saved = session_saved_new ();

    return size <= MAX_SIZE && g_key_file_load_from_data (file, text, size, 0, NULL)
                   && g_key_file_has_group (file, HEAD) && read_file (file, saved, NULL)
               ? g_steal_pointer (&saved)
               : NULL;
}

SessionSaved *
session_saved_load (const char *path, GError **error)
{
    g_autoptr (GKeyFile) file = g_key_file_new ();
    g_autoptr (SessionSaved) saved = session_saved_new ();
    g_autoptr (GError) problem = NULL;
    g_autofree char *text = NULL;
    gsize size;

    text = base_file_read (path, MAX_SIZE, &size, &problem);
    if (text == NULL) {
        gboolean missing = g_error_matches (problem, BASE_ERROR, BASE_ERROR_NOT_FOUND);

        if (missing) {
            base_error_set (error, BASE_ERROR_NOT_FOUND,
                            "cannot open %s: there is no such file", path);
        } else {
            base_error_set (error, problem->code, "cannot open %s: it cannot be read", path);
        }
        return NULL;
    }
    if (memchr (text, '\0', size) != NULL || !g_utf8_validate (text, (gssize) size, NULL)
        || !g_key_file_load_from_data (file, text, size, G_KEY_FILE_NONE, NULL)
        || !g_key_file_has_group (file, HEAD)) {
        base_error_set (error, BASE_ERROR_CORRUPT,
                        "cannot open %s: it is not a saved pddt session", path);
        return NULL;
    }
    if (!read_file (file, saved, &problem)) {
        base_error_set_text (error, problem->code,
                             base_text_new_take (print_problem (BASE_TEXT_ENGLISH, path,
                                                                problem),
                                                 print_problem (BASE_TEXT_SHOWN, path,
                                                                problem)));
        return NULL;
    }
    saved->sum = g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guchar *) text, size);
    saved->is_own = session_own_files_has (text, size) || is_accepted (saved->sum);
    return g_steal_pointer (&saved);
}

/* ---- what it would start ---- */

static void
add_fact (GString *facts, const char *name, const char *value)
{
    if (value == NULL || *value == '\0') {
        return;
    }
    g_string_append_printf (facts, "%s%s: ", facts->len > 0 ? "\n" : "", name);
    for (const char *at = value; *at != '\0'; at = g_utf8_next_char (at)) {
        gunichar letter = g_utf8_get_char (at);

        if (g_unichar_isprint (letter) && g_unichar_type (letter) != G_UNICODE_FORMAT) {
            g_string_append_unichar (facts, letter);
        } else {
            g_string_append_printf (facts, "\\u%04x", letter);
        }
    }
}

static void
add_words (GString *facts, const char *name, char **words)
{
    g_autoptr (GString) line = g_string_new (NULL);

    for (guint i = 0; words != NULL && words[i] != NULL; i++) {
        gboolean is_plain = words[i][0] != '\0'
                            && strpbrk (words[i], " \t\n\"'\\$`;&|<>()*?[]#~!{}") == NULL;
        g_autofree char *quoted = is_plain ? g_strdup (words[i]) : g_shell_quote (words[i]);

        g_string_append_printf (line, "%s%s", i > 0 ? " " : "", quoted);
    }
    add_fact (facts, name, line->str);
}

static void
add_point (GString *facts, const JobRequest *request)
{
    g_autofree char *where = request->verb == JOB_VERB_BREAK
                                 ? job_where_format (&request->where)
                                 : g_strdup (request->text);
    g_autoptr (GString) text = g_string_new (where);

    if (request->condition == NULL && request->log == NULL && request->verb != JOB_VERB_WATCH) {
        return; /* a place, which runs nothing */
    }
    if (request->condition != NULL) {
        g_string_append_printf (text, " if %s", request->condition);
    }
    if (request->log != NULL) {
        g_string_append_printf (text, " log \"%s\"", request->log);
    }
    add_fact (facts, get_kind (request), text->str);
}

static void
add_expressions (GString *facts, const SessionSaved *saved)
{
    for (guint i = 0; i < saved->points->len; i++) {
        add_point (facts,
                   ((const SessionSavedPoint *) g_ptr_array_index (saved->points, i))->request);
    }
    BASE_EACH (saved->sets, const SessionSavedSet, set) {
        g_autofree char *text = set->live != NULL
                                    ? g_strdup_printf ("%s = %s", set->name, set->live)
                                    : NULL;

        add_fact (facts, "live set", text);
    }
    for (guint i = 0; i < saved->displays->len; i++) {
        add_fact (facts, "displayed expression",
                  ((const SessionSavedDisplay *) saved->displays->pdata[i])->expression);
    }
    BASE_EACH (saved->windows, const SessionSavedWindow, window) {
        for (guint j = 0; window->watches != NULL && window->watches[j] != NULL; j++) {
            add_fact (facts, "watched expression", window->watches[j]);
        }
    }
}

gboolean
session_saved_may_restore (const SessionSaved *saved, const char *file, GError **error)
{
    g_autoptr (GString) facts = g_string_new (NULL);

    add_expressions (facts, saved);
    if (saved->is_own || facts->len == 0) {
        return TRUE;
    }
    g_strdelimit (facts->str, "\n", ';');
    base_error_set (
        error, BASE_ERROR_DENIED,
        "cannot load %s: pddt did not write it for you, and it "
        "evaluates expressions in your program (%s); start pddt with --trust to allow that",
        file, facts->str);
    return FALSE;
}

char *
session_saved_describe (const SessionSaved *saved)
{
    GString *facts = g_string_new (NULL);

    add_words (facts, "command", saved->argv);
    add_fact (facts, "host", saved->host);
    add_fact (facts, "pddt on the host", saved->host_program);
    add_fact (facts, "folder", saved->folder);
    for (guint i = 0; saved->environment != NULL && saved->environment[i] != NULL; i++) {
        add_fact (facts, "environment", saved->environment[i]);
    }
    add_fact (facts, "input file", saved->input_file);
    add_fact (facts, "output folder", saved->output_folder);
    add_fact (facts, "source folders", saved->source_folders);
    add_expressions (facts, saved);
    return g_string_free (facts, FALSE);
}

/* ---- writing ---- */

/* Never overwrites a file that pddt cannot read. */
static void
keep_foreign (const char *path)
{
    g_autoptr (GError) error = NULL;
    g_autoptr (SessionSaved) there = session_saved_load (path, &error);
    g_autofree char *aside = g_strconcat (path, ".before", NULL);

    if (there == NULL && !g_error_matches (error, BASE_ERROR, BASE_ERROR_NOT_FOUND)) {
        g_rename (path, aside);
    }
}

static char *
get_folder (void)
{
    return g_build_filename (g_get_user_data_dir (), "pddt", "sessions", NULL);
}

gboolean
session_saved_store (const SessionSaved *saved, const char *path, GError **error)
{
    g_autofree char *text = session_saved_format (saved), *folder = g_path_get_dirname (path);
    g_autofree char *own = get_folder ();

    /* Creates only pddt's own folder: a mistyped name must not leave folders behind. */
    if (strcmp (folder, own) == 0) {
        g_mkdir_with_parents (folder, 0700);
    }
    if (!g_file_test (folder, G_FILE_TEST_IS_DIR)) {
        base_error_set (error, BASE_ERROR_NOT_FOUND, "cannot save %s: there is no folder %s",
                        path, folder);
        return FALSE;
    }
    if (!g_file_test (path, G_FILE_TEST_IS_SYMLINK)) { /* which is refused */
        keep_foreign (path);
    }
    if (!session_own_files_write (path, text, strlen (text), error)) {
        return FALSE;
    }
    session_own_files_remember (text, strlen (text));
    return TRUE;
}

/* ---- where they are kept ---- */

static gboolean
is_mark (const char *word)
{
    return strcmp (word, "%python_debug%") == 0 || strcmp (word, "%allinea_python_debug%") == 0;
}

static const char *
find_after (const char *const *words)
{
    while (*words != NULL && (**words == '-' || is_mark (*words))) {
        words++;
    }
    return *words;
}

const char *
session_saved_find_program (const char *const *argv)
{
    gboolean is_launcher = argv[0] != NULL && launch_launcher_has_name (argv[0], NULL);

    for (guint i = 0; argv[i] != NULL; i++) {
        if (is_mark (argv[i])) {
            const char *program = find_after (argv + i);

            return program != NULL ? program : argv[0];
        }
    }
    for (guint i = is_launcher ? 1 : 0; argv[i] != NULL; i++) {
        g_autofree char *found = *argv[i] != '-' ? g_find_program_in_path (argv[i]) : NULL;
        g_autofree char *name = found != NULL ? g_path_get_basename (found) : NULL;

        if (name != NULL || strchr (argv[i], '/') != NULL) {
            const char *script = name != NULL && g_str_has_prefix (name, "python")
                                     ? find_after (argv + i + 1)
                                     : NULL;

            return script != NULL ? script : argv[i];
        }
    }
    return argv[0];
}

char *
session_saved_get_file (const char *const *argv, const char *folder)
{
    const char *program = session_saved_find_program (argv);
    g_autofree char *current = g_get_current_dir (), *sessions = get_folder ();
    g_autofree char *path = g_canonicalize_filename (program != NULL ? program : "",
                                                     folder != NULL ? folder : current);
    g_autofree char *host = session_remote_dup_address ();
    g_autofree char *whole = g_strconcat (host != NULL ? host : "", path, NULL);
    g_autofree char *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, whole, -1);
    g_autofree char *base = g_path_get_basename (path);
    g_autofree char *name = g_strdup_printf ("%s-%.8s.pddt", base, sum);

    return g_build_filename (sessions, name, NULL);
}

typedef struct {
    char *path;
    gint64 when;
} Kept;

static void
free_kept (gpointer data)
{
    g_free (((Kept *) data)->path);
    g_free (data);
}

BASE_ORDER_POINTERS (compare_kept, Kept, BASE_BY_DOWN (when))

char **
session_saved_list (guint max)
{
    g_autofree char *folder = get_folder ();
    g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
    g_autoptr (GPtrArray) kept = g_ptr_array_new_with_free_func (free_kept);
    GPtrArray *paths = g_ptr_array_new ();
    const char *name;

    while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
        g_autofree char *path = g_build_filename (folder, name, NULL);
        GStatBuf info;

        if (g_str_has_suffix (name, ".pddt") && g_stat (path, &info) == 0) {
            Kept *one = g_new (Kept, 1);

            *one = (Kept){ g_steal_pointer (&path), info.st_mtime };
            g_ptr_array_add (kept, one);
        }
    }
    g_ptr_array_sort (kept, compare_kept);
    for (guint i = 0; i < kept->len && i < max; i++) {
        g_ptr_array_add (paths, g_strdup (((Kept *) kept->pdata[i])->path));
    }
    g_ptr_array_add (paths, NULL);
    return (char **) g_ptr_array_free (paths, FALSE);
}
