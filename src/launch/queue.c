/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Templates of batch systems. */
#include "launch/queue.h"
#include "base/array.h"
#include "base/error.h"
#include "base/file.h"
#include "launch/launch.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_SIZE (1u << 20)
#define SUFFIX ".pddt-queue"
#define QTF ".qtf"

enum { MAX_TEMPLATES = 100 };

struct _LaunchQueue {
    char *name, *submit, *id, *state, *waiting, *running, *cancel, *script, *reason, *order,
        *over;
    gboolean has_input, is_qtf;
    GPtrArray *fields; /* of LaunchQueueField, in the order of the template */
};

BASE_FREE (free_field, LaunchQueueField, field, g_free (field->name); g_free (field->label);
           g_free (field->value); g_free (field->pattern); g_free (field->line);
           g_strfreev (field->choices))

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
    g_free (queue->reason);
    g_free (queue->order);
    g_free (queue->over);
    g_ptr_array_unref (queue->fields);
    g_free (queue);
}

const char *
launch_queue_get_name (const LaunchQueue *queue)
{
    return queue->name;
}

const LaunchQueueField *
launch_queue_get_field (const LaunchQueue *queue, guint index)
{
    return index < queue->fields->len ? queue->fields->pdata[index] : NULL;
}

static LaunchQueueField *
find_field (const LaunchQueue *queue, const char *name)
{
    return BASE_FIND (queue->fields, LaunchQueueField, field, strcmp (field->name, name) == 0);
}

/* With empty texts; one of that name is begun anew. */
static LaunchQueueField *
add_field (LaunchQueue *queue, const char *name, const char *label)
{
    LaunchQueueField *field = g_new0 (LaunchQueueField, 1), *before = find_field (queue, name);

    if (before != NULL) {
        g_ptr_array_remove (queue->fields, before);
    }
    field->name = g_strdup (name);
    field->label = g_strdup (label != NULL && *label != '\0' ? label : name);
    field->value = g_strdup ("");
    g_ptr_array_add (queue->fields, field);
    return field;
}

static void
set_value (LaunchQueueField *field, char *value)
{
    g_free (field->value);
    field->value = value != NULL ? value : g_strdup ("");
}

/* ---- where it is ---- */

/* Where templates are searched, in this order; pddt's own come behind. Caller owns. */
static char **
list_places (void)
{
    char *places[] = { g_build_filename (g_get_user_config_dir (), "pddt", "queues", NULL),
                       g_strdup ("/etc/pddt/queues"), NULL };

    return g_memdup2 (places, sizeof places);
}

static char *
find_file (const char *name)
{
    g_autofree char *own = g_strconcat (name, SUFFIX, NULL);
    const char *file = g_str_has_suffix (name, QTF) || g_str_has_suffix (name, SUFFIX) ? name
                                                                                       : own;
    g_auto (GStrv) places = list_places ();

    if (strchr (name, '/') != NULL) {
        return g_strdup (name);
    }
    for (guint i = 0; places[i] != NULL; i++) {
        g_autofree char *path = g_build_filename (places[i], file, NULL);

        if (access (path, F_OK) == 0) {
            return g_steal_pointer (&path);
        }
    }
    return file != own ? g_strdup (name) : launch_find_queue (file);
}

/* The templates in a folder, by their names. */
static void
add_templates (GPtrArray *names, const char *folder)
{
    g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
    guint n_before = names->len;
    const char *file;

    while (dir != NULL && (file = g_dir_read_name (dir)) != NULL) {
        g_autofree char *name = g_str_has_suffix (file, SUFFIX)
                                    ? g_strndup (file, strlen (file) - strlen (SUFFIX))
                                : g_str_has_suffix (file, QTF) ? g_strdup (file)
                                                               : NULL;
        gboolean is_new = name != NULL && names->len < MAX_TEMPLATES;

        for (guint i = 0; is_new && i < names->len; i++) {
            is_new = strcmp (names->pdata[i], name) != 0;
        }
        if (is_new) {
            g_ptr_array_add (names, g_steal_pointer (&name));
        }
    }
    qsort (names->pdata + n_before, names->len - n_before, sizeof (gpointer), base_order_texts);
}

/* Its command is one of this host's. */
static gboolean
is_installed (const char *name)
{
    g_autoptr (LaunchQueue) queue = launch_queue_load (name, NULL);
    g_auto (GStrv) words = queue != NULL ? g_strsplit (queue->submit, " ", 2) : NULL;
    g_autofree char *program = words != NULL && words[0] != NULL
                                   ? g_find_program_in_path (words[0])
                                   : NULL;

    return program != NULL;
}

GPtrArray *
launch_queue_list (void)
{
    static const char *const ours[] = { "slurm", "pbs", "lsf", "sge", "flux" };
    GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
    g_auto (GStrv) places = list_places ();

    for (guint i = 0; places[i] != NULL; i++) {
        add_templates (names, places[i]);
    }
    for (guint i = 0; i < G_N_ELEMENTS (ours); i++) {
        gboolean is_new = TRUE;

        for (guint j = 0; j < names->len; j++) {
            is_new &= strcmp (names->pdata[j], ours[i]) != 0;
        }
        if (is_new && is_installed (ours[i])) {
            g_ptr_array_add (names, g_strdup (ours[i]));
        }
    }
    return names;
}

static gboolean
is_trusted (const char *path)
{
    struct stat info;

    return stat (path, &info) == 0 && (info.st_uid == 0 || info.st_uid == geteuid ())
           && (info.st_mode & 022) == 0;
}

/* ---- ours ---- */

static void
read_field (LaunchQueue *queue, GKeyFile *file, const char *group)
{
    g_autofree char *label = g_key_file_get_locale_string (file, group, "Label", NULL, NULL);
    LaunchQueueField *field = add_field (queue, group + strlen ("Field "), label);

    set_value (field, g_key_file_get_string (file, group, "Default", NULL));
    field->pattern = g_key_file_get_value (file, group, "Pattern", NULL);
    field->line = g_key_file_get_value (file, group, "Line", NULL);
    field->choices = g_key_file_get_string_list (file, group, "Choices", NULL, NULL);
    field->has_lines = g_key_file_get_boolean (file, group, "Lines", NULL);
}

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
    queue->reason = g_key_file_get_value (file, "Queue", "Reason", NULL);
    queue->over = g_key_file_get_value (file, "Queue", "Over", NULL);
    queue->order = g_key_file_get_string (file, "Queue", "Order", NULL);
    queue->has_input = g_key_file_get_boolean (file, "Queue", "Input", NULL);
    groups = g_key_file_get_groups (file, NULL);
    for (guint i = 0; groups[i] != NULL; i++) {
        if (g_str_has_prefix (groups[i], "Field ")) {
            read_field (queue, file, groups[i]);
        }
    }
    return TRUE;
}

/* ---- DDT's ---- */

/* What stands behind `key=` in "{type=text,label="…",default="…"}"; NULL: nothing. Caller owns. */
static char *
find_part (const char *braces, const char *key)
{
    g_autofree char *pattern = g_strdup_printf ("[{,]\\s*%s=(?:\"([^\"]*)\"|([^,}]*))", key);
    g_autoptr (GRegex) regex = g_regex_new (pattern, 0, 0, NULL);
    g_autoptr (GMatchInfo) match = NULL;
    g_autofree char *quoted = NULL;

    if (!g_regex_match (regex, braces, 0, &match)) {
        return NULL;
    }
    quoted = g_match_info_fetch (match, 1);
    return quoted != NULL && *quoted != '\0'          ? g_steal_pointer (&quoted)
           : g_match_info_get_match_count (match) > 2 ? g_match_info_fetch (match, 2)
                                                      : g_strdup ("");
}

/* A box that is checked has one of two values. */
static void
read_check (LaunchQueueField *field, const char *braces)
{
    g_autofree char *checked = find_part (braces, "checked"),
                    *unchecked = find_part (braces, "unchecked"),
                    *value = find_part (braces, "default");
    const char *yes = checked != NULL ? checked : "", *no = unchecked != NULL ? unchecked : "";
    char *both[] = { (char *) no, (char *) yes, NULL };

    field->choices = g_strdupv (both);
    set_value (field, g_strdup (g_strcmp0 (value, "checked") == 0 ? yes : no));
}

static void
read_tag (LaunchQueue *queue, const char *name, const char *braces)
{
    g_autofree char *label = find_part (braces, "label"), *type = find_part (braces, "type"),
                    *options = find_part (braces, "options");
    LaunchQueueField *field = add_field (queue, name, label);

    if (g_strcmp0 (type, "check") == 0) {
        read_check (field, braces);
        return;
    }
    set_value (field, find_part (braces, "default"));
    if (g_strcmp0 (type, "select") == 0 && options != NULL && *options != '\0') {
        field->choices = g_strsplit (options, "|", -1);
        if (*field->value == '\0') {
            set_value (field, g_strdup (field->choices[0]));
        }
    }
    if (g_strcmp0 (type, "number") == 0) {
        field->pattern = g_strdup ("[+-]?\\d*\\.?\\d*");
    }
}

/* What DDT itself has an entry for. */
static void
add_usual_tag (LaunchQueue *queue, const char *tag, const char *label)
{
    if (strstr (queue->script, tag) != NULL && find_field (queue, tag) == NULL) {
        LaunchQueueField *field = add_field (queue, tag, label);

        set_value (field, g_strdup ("1"));
        field->pattern = g_strdup ("\\d+");
    }
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

        read_tag (queue, name, strchr (colon, '{'));
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
    add_usual_tag (queue, "NUM_NODES_TAG", "Nodes");
    add_usual_tag (queue, "NUM_THREADS_TAG", "Threads");
    return TRUE;
}

LaunchQueue *
launch_queue_load (const char *name, GError **error)
{
    g_autofree char *path = find_file (name), *text = NULL;
    g_autoptr (LaunchQueue) queue = g_new0 (LaunchQueue, 1);

    queue->fields = g_ptr_array_new_with_free_func (free_field);
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
launch_queue_check (const char *name, const char *pattern, const char *example,
                    const char *value, GError **error)
{
    g_autofree char *whole = pattern != NULL ? g_strdup_printf ("^(?:%s)$", pattern) : NULL;

    if (whole != NULL && !g_regex_match_simple (whole, value, G_REGEX_DOLLAR_ENDONLY, 0)) {
        if (example != NULL && *example != '\0') {
            base_error_set (error, BASE_ERROR_INVALID, "%s cannot be \"%s\": write it like %s",
                            name, value, example);
        } else {
            base_error_set (error, BASE_ERROR_INVALID, "%s cannot be \"%s\"", name, value);
        }
        return FALSE;
    }
    return TRUE;
}

static gboolean
is_choice (const LaunchQueueField *field, const char *value)
{
    return field->choices == NULL || field->choices[0] == NULL
           || g_strv_contains ((const char *const *) field->choices, value);
}

gboolean
launch_queue_set (LaunchQueue *queue, const char *assignment, GError **error)
{
    const char *equal = strchr (assignment, '=');
    g_autofree char *name = equal != NULL ? g_strndup (assignment, (gsize) (equal - assignment))
                                          : g_strdup ("");
    LaunchQueueField *field = find_field (queue, name);

    if (field == NULL) {
        g_autoptr (GString) known = g_string_new (NULL);

        for (guint i = 0; i < queue->fields->len; i++) {
            g_string_append_printf (known, "%s%s", i > 0 ? ", " : "",
                                    ((LaunchQueueField *) queue->fields->pdata[i])->name);
        }
        base_error_set (error, BASE_ERROR_INVALID,
                        "the template has no field \"%s\"; it has: %s", name, known->str);
        return FALSE;
    }
    if (!is_choice (field, equal + 1)) {
        g_autofree char *all = g_strjoinv (", ", field->choices);

        base_error_set (error, BASE_ERROR_INVALID, "%s cannot be \"%s\", only: %s", name,
                        equal + 1, all);
        return FALSE;
    }
    if (!launch_queue_check (name, field->pattern, field->value, equal + 1, error)) {
        return FALSE;
    }
    set_value (field, g_strdup (equal + 1));
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

/* What stands in the script for it. */
static char *
make_text (const LaunchQueueField *field)
{
    g_auto (GStrv) parts = field->line != NULL && *field->value != '\0'
                               ? g_strsplit (field->line, "@VALUE@", -1)
                               : NULL;

    return parts != NULL         ? g_strjoinv (field->value, parts)
           : field->line != NULL ? g_strdup ("")
                                 : g_strdup (field->value);
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
    const LaunchQueueField *nodes = find_field (queue,
                                                queue->is_qtf ? "NUM_NODES_TAG" : "nodes");

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
        add_text (texts, "MPIRUN_TAG", g_strdup ("mpirun"));
        add_text (texts, "PROGRAM_TAG",
                  quote_all ((const char *const[]){ argv[program], NULL }));
        add_text (texts, "PROGRAM_ARGUMENTS_TAG", quote_all (argv + program + 1));
        for (guint i = 0; i < G_N_ELEMENTS (empty); i++) {
            add_text (texts, empty[i], g_strdup (""));
        }
    }
    for (guint i = 0; i < queue->fields->len; i++) {
        const LaunchQueueField *field = queue->fields->pdata[i];
        g_autofree char *tag = queue->is_qtf ? g_strdup (field->name)
                                             : g_strdup_printf ("@%s@", field->name);

        add_text (texts, tag, make_text (field));
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

static gboolean
is_blank (const char *text)
{
    return text[strspn (text, " \t\r\n")] == '\0';
}

LaunchQueueState
launch_queue_find_state (const LaunchQueue *queue, const char *id, const char *said,
                         const char *complaint, gboolean ok)
{
    if (queue->waiting == NULL && queue->running == NULL) {
        return ok ? LAUNCH_QUEUE_UNKNOWN : LAUNCH_QUEUE_OVER; /* DDT's say it to a user only */
    }
    if (ok && fits (queue, queue->waiting, id, said)) {
        return LAUNCH_QUEUE_WAITS;
    }
    if (ok && fits (queue, queue->running, id, said)) {
        return LAUNCH_QUEUE_RUNS;
    }
    if (queue->over == NULL) {
        return LAUNCH_QUEUE_OVER;
    }
    return (ok && is_blank (said)) || fits (queue, queue->over, id, said)
                   || fits (queue, queue->over, id, complaint)
               ? LAUNCH_QUEUE_OVER
               : LAUNCH_QUEUE_UNKNOWN;
}

char *
launch_queue_make_order (const LaunchQueue *queue)
{
    return g_strdup (queue->order);
}

char *
launch_queue_find_reason (const LaunchQueue *queue, const char *said)
{
    g_autoptr (GRegex) pattern = queue->reason != NULL
                                     ? g_regex_new (queue->reason, G_REGEX_MULTILINE, 0, NULL)
                                     : NULL;
    g_autoptr (GMatchInfo) match = NULL;
    g_autofree char *reason = NULL;

    if (pattern == NULL || !g_regex_match (pattern, said, 0, &match)) {
        return NULL;
    }
    reason = g_match_info_fetch (match, 1);
    return reason != NULL && *reason != '\0' ? g_steal_pointer (&reason) : NULL;
}

guint
launch_queue_find_place (const char *id, const char *said, guint *ret_n)
{
    g_auto (GStrv) lines = g_strsplit (said, "\n", -1);
    guint place = 0;

    *ret_n = 0;
    for (guint i = 0; lines[i] != NULL; i++) {
        const char *word = lines[i] + strspn (lines[i], " \t");
        gsize size = strcspn (word, " \t");

        *ret_n += size > 0;
        if (size == strlen (id) && strncmp (word, id, size) == 0) {
            place = *ret_n;
        }
    }
    return place;
}
