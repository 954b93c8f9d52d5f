/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Templates of batch systems. */
#include "launch/queue.h"
#include "base/error.h"
#include "base/file.h"
#include "launch/launch.h"
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_SIZE (1u << 20)
#define SUFFIX ".pddt-queue"

typedef struct {
    char *value;
    char *pattern; /* NULL: any */
} Field;

struct _LaunchQueue {
    char *name, *submit, *id, *state, *waiting, *running, *cancel, *script;
    gboolean has_input, is_qtf;
    GHashTable *fields; /* name to Field */
};

static void
free_field (gpointer data)
{
    Field *field = data;

    g_free (field->value);
    g_free (field->pattern);
    g_free (field);
}

void
launch_queue_free (LaunchQueue *queue)
{
    g_free (queue->name);
    g_free (queue->submit);
    g_free (queue->id);
    g_free (queue->state);
    g_free (queue->waiting);
    g_free (queue->running);
    g_free (queue->cancel);
    g_free (queue->script);
    g_hash_table_unref (queue->fields);
    g_free (queue);
}

const char *
launch_queue_get_name (const LaunchQueue *queue)
{
    return queue->name;
}

static void
add_field (LaunchQueue *queue, const char *name, const char *value, const char *pattern)
{
    Field *field = g_new (Field, 1);

    *field = (Field){ g_strdup (value != NULL ? value : ""), g_strdup (pattern) };
    g_hash_table_insert (queue->fields, g_strdup (name), field);
}

/* ---- where it is ---- */

static char *
find_file (const char *name)
{
    g_autofree char *file = g_strconcat (name, SUFFIX, NULL);
    char *const places[]
        = { g_build_filename (g_get_user_config_dir (), "pddt", "queues", file, NULL),
            g_build_filename ("/etc/pddt/queues", file, NULL), launch_find_queue (file) };
    char *found = NULL;

    if (strchr (name, '/') != NULL || g_str_has_suffix (name, ".qtf")
        || g_str_has_suffix (name, SUFFIX)) {
        found = g_strdup (name);
    }
    for (guint i = 0; i < G_N_ELEMENTS (places); i++) {
        if (found == NULL && places[i] != NULL && access (places[i], F_OK) == 0) {
            found = g_strdup (places[i]);
        }
        g_free (places[i]);
    }
    return found;
}

static gboolean
is_trusted (const char *path)
{
    struct stat info;

    return stat (path, &info) == 0 && (info.st_uid == 0 || info.st_uid == geteuid ())
           && (info.st_mode & 022) == 0;
}

/* ---- ours ---- */

static gboolean
read_own (LaunchQueue *queue, char *text, const char *path, GError **error)
{
    g_autoptr (GKeyFile) file = g_key_file_new ();
    g_auto (GStrv) groups = NULL;
    char *script = strstr (text, "\n[Script]\n");

    if (script == NULL) {
        base_error_set (error, BASE_ERROR_INVALID, "%s has no [Script]", path);
        return FALSE;
    }
    script[1] = '\0';
    queue->script = g_strdup (script + strlen ("\n[Script]\n"));
    if (!g_key_file_load_from_data (file, text, strlen (text), 0, error)) {
        g_prefix_error (error, "%s: ", path);
        return FALSE;
    }
    queue->name = g_key_file_get_string (file, "Queue", "Name", NULL);
    queue->submit = g_key_file_get_string (file, "Queue", "Submit", NULL);
    queue->id = g_key_file_get_value (file, "Queue", "Id", NULL);
    queue->state = g_key_file_get_string (file, "Queue", "State", NULL);
    queue->waiting = g_key_file_get_value (file, "Queue", "Waiting", NULL);
    queue->running = g_key_file_get_value (file, "Queue", "Running", NULL);
    queue->cancel = g_key_file_get_string (file, "Queue", "Cancel", NULL);
    queue->has_input = g_key_file_get_boolean (file, "Queue", "Input", NULL);
    groups = g_key_file_get_groups (file, NULL);
    for (guint i = 0; groups[i] != NULL; i++) {
        if (g_str_has_prefix (groups[i], "Field ")) {
            g_autofree char *value = g_key_file_get_string (file, groups[i], "Default", NULL);
            g_autofree char *pattern = g_key_file_get_value (file, groups[i], "Pattern", NULL);

            add_field (queue, groups[i] + strlen ("Field "), value, pattern);
        }
    }
    return TRUE;
}

/* ---- DDT's ---- */

/* default="…" of "{type=text,label="…",default="…"}". */
static char *
find_default (const char *braces)
{
    const char *from = strstr (braces, "default=");
    const char *end;

    if (from == NULL) {
        return g_strdup ("");
    }
    from += strlen ("default=");
    if (*from == '"') {
        end = strchr (++from, '"');
        return end != NULL ? g_strndup (from, (gsize) (end - from)) : g_strdup ("");
    }
    return g_strndup (from, strcspn (from, ",}"));
}

static void
read_comment (LaunchQueue *queue, const char *line)
{
    const struct {
        const char *word;
        char **text;
    } words[] = { { "name:", &queue->name },
                  { "submit:", &queue->submit },
                  { "display:", &queue->state },
                  { "job regexp:", &queue->id },
                  { "cancel:", &queue->cancel } };
    const char *colon = strchr (line, ':');

    for (guint i = 0; i < G_N_ELEMENTS (words); i++) {
        if (g_ascii_strncasecmp (line, words[i].word, strlen (words[i].word)) == 0) {
            g_free (*words[i].text);
            *words[i].text = g_strstrip (g_strdup (line + strlen (words[i].word)));
            return;
        }
    }
    if (colon != NULL && colon - line > 4 && strncmp (colon - 4, "_TAG", 4) == 0
        && strchr (colon, '{') != NULL) {
        g_autofree char *name = g_strndup (line, (gsize) (colon - line));
        g_autofree char *value = find_default (colon);

        add_field (queue, name, value, NULL);
    }
}

/* What DDT's own wrappers become. */
static char *
translate_line (const char *line)
{
    static const char *const wrappers[] = { "forge-mpirun", "ddt-mpirun", "allinea-mpirun" };
    static const char *const clients[] = { "ddt-client ", "forge-client ", "allinea-client " };
    const char *from = line + strspn (line, " \t");

    for (guint i = 0; i < G_N_ELEMENTS (wrappers); i++) {
        if (g_str_has_prefix (from, wrappers[i])) {
            return g_strconcat ("@WAIT@ mpirun", from + strlen (wrappers[i]), NULL);
        }
    }
    for (guint i = 0; i < G_N_ELEMENTS (clients); i++) {
        const char *found = strstr (from, clients[i]);

        if (found != NULL) {
            return g_strdup_printf ("%.*s%s", (int) (found - line), line,
                                    found + strlen (clients[i]));
        }
    }
    return g_strdup (line);
}

static gboolean
read_qtf (LaunchQueue *queue, const char *text)
{
    g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
    g_autoptr (GString) script = g_string_new (NULL);

    queue->is_qtf = TRUE;
    for (guint i = 0; lines[i] != NULL; i++) {
        g_autofree char *line = translate_line (lines[i]);

        if (lines[i][0] == '#' && lines[i][1] == ' ') {
            read_comment (queue, lines[i] + 2 + strspn (lines[i] + 2, " "));
        } else {
            g_string_append_printf (script, "%s\n", line);
        }
    }
    queue->script = g_string_free (g_steal_pointer (&script), FALSE);
    return TRUE;
}

LaunchQueue *
launch_queue_load (const char *name, GError **error)
{
    g_autofree char *path = find_file (name), *text = NULL;
    g_autoptr (LaunchQueue) queue = g_new0 (LaunchQueue, 1);

    queue->fields = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_field);
    if (path == NULL) {
        base_error_set (error, BASE_ERROR_NOT_FOUND,
                        "no template %s: give a file, or slurm, pbs, lsf, sge or flux", name);
        return NULL;
    }
    text = base_file_read (path, MAX_SIZE, NULL, error);
    if (text == NULL) {
        return NULL;
    }
    if (!is_trusted (path)) {
        base_error_set (
            error, BASE_ERROR_DENIED,
            "cannot use %s, which says what to run: others than you and root can write it",
            path);
        return NULL;
    }
    if (g_str_has_suffix (path, ".qtf") ? !read_qtf (queue, text)
                                        : !read_own (queue, text, path, error)) {
        return NULL;
    }
    if (queue->submit == NULL || queue->id == NULL) {
        base_error_set (error, BASE_ERROR_INVALID,
                        "%s does not say how to submit, or what a job's number is", path);
        return NULL;
    }
    queue->name = queue->name != NULL ? queue->name : g_path_get_basename (path);
    return g_steal_pointer (&queue);
}

gboolean
launch_queue_set (LaunchQueue *queue, const char *assignment, GError **error)
{
    const char *equal = strchr (assignment, '=');
    g_autofree char *name = equal != NULL ? g_strndup (assignment, (gsize) (equal - assignment))
                                          : g_strdup ("");
    Field *field = g_hash_table_lookup (queue->fields, name);
    g_autofree char *whole = field != NULL && field->pattern != NULL
                                 ? g_strdup_printf ("^(?:%s)$", field->pattern)
                                 : NULL;

    if (field == NULL) {
        g_autofree char **names = (char **) g_hash_table_get_keys_as_array (queue->fields,
                                                                            NULL);
        g_autofree char *known = g_strjoinv (", ", names);

        base_error_set (error, BASE_ERROR_INVALID,
                        "the template has no field \"%s\"; it has: %s", name, known);
        return FALSE;
    }
    if (whole != NULL && !g_regex_match_simple (whole, equal + 1, 0, 0)) {
        base_error_set (error, BASE_ERROR_INVALID, "%s cannot be \"%s\"", name, equal + 1);
        return FALSE;
    }
    g_free (field->value);
    field->value = g_strdup (equal + 1);
    return TRUE;
}

/* ---- the script ---- */

static char *
quote_all (const char *const *argv)
{
    g_autoptr (GString) line = g_string_new (NULL);

    for (guint i = 0; argv[i] != NULL; i++) {
        g_autofree char *word
            = *argv[i] != '\0'
                      && argv[i][strcspn (argv[i], " \t\n\"'\\$`*?;&|<>()#~[]{}!")] == '\0'
                  ? g_strdup (argv[i])
                  : g_shell_quote (argv[i]);

        g_string_append_printf (line, "%s%s", i > 0 ? " " : "", word);
    }
    return g_string_free (g_steal_pointer (&line), FALSE);
}

/* As the command line says; 1 where it does not. */
static guint64
find_ranks (const char *const *argv)
{
    static const char *const names[] = { "-n", "-np", "--np", "--ntasks", "-c", NULL };
    guint64 n = 1;

    for (guint i = 0; argv[i] != NULL && argv[i + 1] != NULL; i++) {
        if (g_strv_contains (names, argv[i])
            && g_ascii_string_to_unsigned (argv[i + 1], 10, 1, G_MAXINT32, &n, NULL)) {
            break;
        }
    }
    return n;
}

static guint
find_program (const char *const *argv)
{
    g_autofree char *name = launch_line_dup_program_name (argv);

    for (guint i = 0; argv[i] != NULL; i++) {
        g_autofree char *base = g_path_get_basename (argv[i]);

        if (name != NULL && strcmp (base, name) == 0) {
            return i;
        }
    }
    return g_strv_length ((char **) argv) - 1;
}

static void
add_text (GHashTable *texts, const char *name, char *text)
{
    g_hash_table_insert (texts, g_strdup (name), text);
}

static GHashTable *
collect_texts (const LaunchQueue *queue, const char *const *argv, const char *prefix)
{
    GHashTable *texts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
    static const char *const empty[] = { "AUTO_MPI_ARGUMENTS_TAG", "EXTRA_MPI_ARGUMENTS_TAG",
                                         "DDT_DEBUGGER_ARGUMENTS_TAG", "DDT_CLIENT_TAG",
                                         "DEBUG_STARTER_TAG" };
    g_autofree char *line = quote_all (argv);
    guint program = find_program (argv);
    guint64 n_ranks = find_ranks (argv), n_nodes = 1;
    const Field *nodes = g_hash_table_lookup (queue->fields,
                                              queue->is_qtf ? "NUM_NODES_TAG" : "nodes");
    GHashTableIter iter;
    gpointer name, field;

    if (nodes != NULL
        && g_ascii_string_to_unsigned (nodes->value, 10, 1, G_MAXINT32, &n_nodes, NULL)) {
        n_nodes = MAX (n_nodes, 1);
    }
    add_text (texts, queue->is_qtf ? "AUTO_LAUNCH_TAG" : "@JOB@",
              g_strdup_printf ("%s %s", prefix, line));
    add_text (texts, "@WAIT@", g_strdup (prefix));
    add_text (texts, queue->is_qtf ? "NUM_PROCS_TAG" : "@RANKS@",
              g_strdup_printf ("%" G_GUINT64_FORMAT, n_ranks));
    add_text (texts, queue->is_qtf ? "PROCS_PER_NODE_TAG" : "@RANKS_PER_NODE@",
              g_strdup_printf ("%" G_GUINT64_FORMAT, (n_ranks + n_nodes - 1) / n_nodes));
    if (queue->is_qtf) {
        add_text (texts, "NUM_NODES_TAG", g_strdup_printf ("%" G_GUINT64_FORMAT, n_nodes));
        add_text (texts, "NUM_THREADS_TAG", g_strdup ("1"));
        add_text (texts, "MPIRUN_TAG", g_strdup ("mpirun"));
        add_text (texts, "PROGRAM_TAG",
                  quote_all ((const char *const[]){ argv[program], NULL }));
        add_text (texts, "PROGRAM_ARGUMENTS_TAG", quote_all (argv + program + 1));
        for (guint i = 0; i < G_N_ELEMENTS (empty); i++) {
            add_text (texts, empty[i], g_strdup (""));
        }
    }
    g_hash_table_iter_init (&iter, queue->fields);
    while (g_hash_table_iter_next (&iter, &name, &field)) {
        g_autofree char *tag = queue->is_qtf ? g_strdup (name)
                                             : g_strdup_printf ("@%s@", (const char *) name);

        add_text (texts, tag, g_strdup (((const Field *) field)->value));
    }
    return texts;
}

/* Replaces tags; what is left of one is an error with its line. */
static gboolean
replace (const GMatchInfo *match, GString *result, gpointer user)
{
    g_autofree char *tag = g_match_info_fetch (match, 0);
    const char *text = g_hash_table_lookup (user, tag);

    g_string_append (result, text != NULL ? text : tag);
    if (text == NULL) {
        add_text (user, "?", g_strdup (tag));
    }
    return FALSE;
}

char *
launch_queue_compose (const LaunchQueue *queue, const char *const *argv, const char *prefix,
                      GError **error)
{
    g_autoptr (GHashTable) texts = collect_texts (queue, argv, prefix);
    g_autoptr (GRegex) tags
        = g_regex_new (queue->is_qtf ? "@WAIT@|\\b[A-Z][A-Z_]*_TAG\\b" : "@\\w+@", 0, 0, NULL);
    g_autofree char *script = g_regex_replace_eval (tags, queue->script, -1, 0, 0, replace,
                                                    texts, NULL);
    const char *unknown = g_hash_table_lookup (texts, "?");

    if (unknown != NULL) {
        base_error_set (error, BASE_ERROR_INVALID,
                        "the template wants %s, which pddt does not know", unknown);
        return NULL;
    }
    return g_steal_pointer (&script);
}

/* ---- the commands ---- */

static char *
fill_id (const LaunchQueue *queue, const char *command, const char *id)
{
    g_autofree char *quoted = id[strcspn (id, " \t\n\"'\\$`*?;&|<>()")] == '\0'
                                  ? g_strdup (id)
                                  : g_shell_quote (id);
    g_auto (GStrv) parts = command != NULL
                               ? g_strsplit (command, queue->is_qtf ? "JOB_ID_TAG" : "@ID@", -1)
                               : NULL;

    return parts != NULL ? g_strjoinv (quoted, parts) : NULL;
}

char *
launch_queue_make_submit (const LaunchQueue *queue, const char *script)
{
    g_autofree char *quoted = g_shell_quote (script);

    return g_strdup_printf ("%s%s %s", queue->submit, queue->has_input ? " <" : "", quoted);
}

char *
launch_queue_make_state (const LaunchQueue *queue, const char *id)
{
    return fill_id (queue, queue->state, id);
}

char *
launch_queue_make_cancel (const LaunchQueue *queue, const char *id)
{
    return fill_id (queue, queue->cancel, id);
}

char *
launch_queue_find_id (const LaunchQueue *queue, const char *said)
{
    g_autoptr (GRegex) pattern = g_regex_new (queue->id, G_REGEX_MULTILINE, 0, NULL);
    g_autoptr (GMatchInfo) match = NULL;
    g_autofree char *id = NULL;

    if (pattern == NULL || !g_regex_match (pattern, said, 0, &match)) {
        return NULL;
    }
    id = g_match_info_fetch (match, 1);
    return id != NULL && *id != '\0' ? g_steal_pointer (&id) : NULL;
}

static gboolean
fits (const LaunchQueue *queue, const char *pattern, const char *id, const char *said)
{
    g_autofree char *escaped = g_regex_escape_string (id, -1);
    g_auto (GStrv) parts = pattern != NULL ? g_strsplit (pattern, "@ID@", -1) : NULL;
    g_autofree char *whole = parts != NULL ? g_strjoinv (escaped, parts) : NULL;

    return whole != NULL && g_regex_match_simple (whole, said, G_REGEX_MULTILINE, 0);
}

LaunchQueueState
launch_queue_find_state (const LaunchQueue *queue, const char *id, const char *said,
                         gboolean ok)
{
    if (queue->waiting == NULL && queue->running == NULL) {
        return ok ? LAUNCH_QUEUE_UNKNOWN : LAUNCH_QUEUE_OVER; /* DDT's say it to a user only */
    }
    return !ok                                      ? LAUNCH_QUEUE_OVER
           : fits (queue, queue->waiting, id, said) ? LAUNCH_QUEUE_WAITS
           : fits (queue, queue->running, id, said) ? LAUNCH_QUEUE_RUNS
                                                    : LAUNCH_QUEUE_OVER;
}
