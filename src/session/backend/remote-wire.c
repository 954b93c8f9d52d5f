/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options, questions and answers of --remote as GVariants. */
#include "session/backend/remote-private.h"
#include "base/error.h"
#include "base/escape.h"
#include <string.h>

/* ---- options ---- */

static const struct {
    const char *name;
    gsize offset;
    gboolean is_list;
} texts[] = {
#define AT(field) G_STRUCT_OFFSET (SessionOptions, field)
    { "argv", AT (argv), TRUE },
    { "stop-at", AT (stop_at), FALSE },
    { "input-ranks", AT (input_ranks), FALSE },
    { "folder", AT (folder), FALSE },
    { "environment", AT (environment), TRUE },
    { "input-file", AT (input_file), FALSE },
    { "output-folder", AT (output_folder), FALSE },
    { "attach", AT (attach), FALSE },
    { "attach-job", AT (attach_job), FALSE },
    { "attach-ranks", AT (attach_ranks), FALSE },
    { "cores", AT (cores), TRUE },
#undef AT
};

GVariant *
session_remote_encode_options (const SessionOptions *options)
{
    GVariantDict dict;

    g_variant_dict_init (&dict, NULL);
    for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
        const void *field = (const char *) options + texts[i].offset;
        const char *text = *(const char *const *) field;

        if (text != NULL && texts[i].is_list) {
            g_variant_dict_insert (&dict, texts[i].name, "^aay",
                                   *(const char *const *const *) field);
        } else if (text != NULL) {
            g_variant_dict_insert (&dict, texts[i].name, "^ay", text);
        }
    }
    g_variant_dict_insert (&dict, "timeout", "u", options->timeout_s);
    g_variant_dict_insert (&dict, "keep", "b", options->keep);
    g_variant_dict_insert (&dict, "patient", "b", options->is_patient);
    g_variant_dict_insert (&dict, "carry", "b", options->carry);
    return g_variant_dict_end (&dict);
}

void
session_remote_decode_options (GVariant *packed, SessionOptions *ret_options, GPtrArray *owner)
{
    GVariantDict dict;

    memset (ret_options, 0, sizeof *ret_options);
    g_variant_dict_init (&dict, packed);
    for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
        const char *type = texts[i].is_list ? "aay" : "ay";
        GVariant *value = g_variant_dict_lookup_value (&dict, texts[i].name,
                                                       G_VARIANT_TYPE (type));
        void *field = (char *) ret_options + texts[i].offset;

        if (value != NULL && texts[i].is_list) {
            char **list = g_variant_dup_bytestring_array (value, NULL);

            *(char ***) field = list;
            for (guint j = 0; list[j] != NULL; j++) {
                g_ptr_array_add (owner, list[j]);
            }
            g_ptr_array_add (owner, list);
        } else if (value != NULL) {
            *(char **) field = g_variant_dup_bytestring (value, NULL);
            g_ptr_array_add (owner, *(gpointer *) field);
        }
        g_clear_pointer (&value, g_variant_unref);
    }
    g_variant_dict_lookup (&dict, "timeout", "u", &ret_options->timeout_s);
    g_variant_dict_lookup (&dict, "keep", "b", &ret_options->keep);
    g_variant_dict_lookup (&dict, "patient", "b", &ret_options->is_patient);
    g_variant_dict_lookup (&dict, "carry", "b", &ret_options->carry);
    g_variant_dict_clear (&dict);
}

/* ---- ranks ---- */

GVariant *
session_remote_encode_ranks (const JobRankSet *ranks)
{
    g_autoptr (GByteArray) bytes = g_byte_array_new ();

    if (ranks != NULL) {
        job_rank_set_encode (ranks, bytes);
    }
    return g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, bytes->data, bytes->len, 1);
}

JobRankSet *
session_remote_decode_ranks (GVariant *packed)
{
    gsize size;
    gconstpointer data = g_variant_get_fixed_array (packed, &size, 1);

    return size == 0 ? job_rank_set_new ()
                     : job_rank_set_decode (data, size, SESSION_REMOTE_MAX_RANKS, NULL);
}

/* ---- questions ---- */

static const char *
get_or_empty (const char *text)
{
    return text != NULL ? text : "";
}

GVariant *
session_remote_encode_wanted (guint32 id, SessionAsk ask, const SessionWanted *wanted)
{
    return g_variant_new ("(uy^ay^ay^ayt^aybu)", id, (guint8) ask, get_or_empty (wanted->path),
                          get_or_empty (wanted->folders), get_or_empty (wanted->pattern),
                          (guint64) wanted->limit, get_or_empty (wanted->folder),
                          wanted->is_script, wanted->pid);
}

/* Takes text. */
static char *
null_if_empty (char *text)
{
    if (*text != '\0') {
        return text;
    }
    g_free (text);
    return NULL;
}

SessionWanted *
session_remote_decode_wanted (GVariant *packed, guint32 *ret_id, SessionAsk *ret_ask)
{
    SessionWanted *wanted = g_new0 (SessionWanted, 1);
    guint8 ask;
    guint64 limit;

    g_variant_get (packed, "(uy^ay^ay^ayt^aybu)", ret_id, &ask, &wanted->path, &wanted->folders,
                   &wanted->pattern, &limit, &wanted->folder, &wanted->is_script, &wanted->pid);
    wanted->folders = null_if_empty (wanted->folders);
    wanted->folder = null_if_empty (wanted->folder);
    wanted->limit = (gsize) MIN (limit, 200u << 20);
    *ret_ask = (SessionAsk) ask;
    if (ask >= SESSION_N_ASKS) {
        session_wanted_free (wanted);
        return NULL;
    }
    return wanted;
}

/* ---- answers ---- */

static GVariant *
encode_source (GBytes *bytes)
{
    return g_variant_new_from_bytes (G_VARIANT_TYPE ("ay"), bytes, TRUE);
}

static GVariant *
encode_names (const GPtrArray *names)
{
    GVariantBuilder builder;

    g_variant_builder_init (&builder, G_VARIANT_TYPE ("aay"));
    for (guint i = 0; i < names->len; i++) {
        g_variant_builder_add (&builder, "^ay", names->pdata[i]);
    }
    return g_variant_builder_end (&builder);
}

static GVariant *
encode_running (const GPtrArray *list)
{
    GVariantBuilder builder;

    g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(uubxayayay)"));
    for (guint i = 0; i < list->len; i++) {
        const SessionRunning *running = list->pdata[i];

        g_variant_builder_add (&builder, "(uubx^ay^ay^ay)", running->pid, running->n_ranks,
                               running->is_launcher, running->since_us,
                               get_or_empty (running->user), get_or_empty (running->command),
                               get_or_empty (running->elsewhere));
    }
    return g_variant_builder_end (&builder);
}

static GVariant *
encode_cores (const GPtrArray *list)
{
    GVariantBuilder builder;

    g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(ayaytx)"));
    for (guint i = 0; i < list->len; i++) {
        const SessionCoreFile *core = list->pdata[i];

        g_variant_builder_add (&builder, "(^ay^aytx)", core->name, core->path, core->size,
                               core->when_us);
    }
    return g_variant_builder_end (&builder);
}

/* NULL with the task's error. */
static GVariant *
encode_result (SessionAsk ask, GTask *task, GError **error)
{
    g_autoptr (GPtrArray) list = NULL;
    g_autoptr (GBytes) bytes = NULL;
    g_autofree char *text = NULL;

    switch (ask) {
    case SESSION_ASK_TIME: return g_variant_new_int64 (g_task_propagate_int (task, NULL));
    case SESSION_ASK_SOURCE:
        bytes = g_task_propagate_pointer (task, error);
        return bytes != NULL ? encode_source (bytes) : NULL;
    case SESSION_ASK_PROGRAM:
    case SESSION_ASK_NAME:
    case SESSION_ASK_QUEUE:
        text = g_task_propagate_pointer (task, error);
        return text != NULL ? g_variant_new_bytestring (text) : NULL;
    default: break;
    }
    list = g_task_propagate_pointer (task, error);
    return list == NULL                ? NULL
           : ask == SESSION_ASK_FOLDER ? encode_names (list)
           : ask == SESSION_ASK_CORES  ? encode_cores (list)
                                       : encode_running (list);
}

GVariant *
session_remote_encode_answer (guint32 id, SessionAsk ask, GTask *task)
{
    g_autoptr (GError) error = NULL;
    GVariant *result = encode_result (ask, task, &error);

    if (result == NULL) {
        g_autofree char *text = g_utf8_make_valid (error->message, -1);

        result = g_variant_new ("(is)", error->domain == BASE_ERROR ? error->code : -1, text);
    }
    return g_variant_new ("(ubv)", id, error == NULL, result);
}

/* Of the last "ay": NUL-terminated, escaped. */
static char *
take_name (char *text)
{
    return base_escape_take (text, BASE_ESCAPE_NAME);
}

static GPtrArray *
decode_names (GVariant *answer, gsize limit)
{
    GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
    GVariantIter iter;
    char *name;

    g_variant_iter_init (&iter, answer);
    while (names->len < limit && g_variant_iter_next (&iter, "^ay", &name)) {
        g_ptr_array_add (names, name);
    }
    return names;
}

static GPtrArray *
decode_running (GVariant *answer)
{
    GPtrArray *list = g_ptr_array_new_with_free_func (session_running_free);
    GVariantIter iter;
    SessionRunning row;

    g_variant_iter_init (&iter, answer);
    while (g_variant_iter_next (&iter, "(uubx^ay^ay^ay)", &row.pid, &row.n_ranks,
                                &row.is_launcher, &row.since_us, &row.user, &row.command,
                                &row.elsewhere)) {
        row.user = take_name (row.user);
        row.command = take_name (row.command);
        row.elsewhere = null_if_empty (take_name (row.elsewhere));
        g_ptr_array_add (list, g_memdup2 (&row, sizeof row));
    }
    return list;
}

static GPtrArray *
decode_cores (GVariant *answer)
{
    GPtrArray *list = g_ptr_array_new_with_free_func (session_core_file_free);
    GVariantIter iter;
    SessionCoreFile row;

    g_variant_iter_init (&iter, answer);
    while (g_variant_iter_next (&iter, "(^ay^aytx)", &row.name, &row.path, &row.size,
                                &row.when_us)) {
        row.name = take_name (row.name);
        g_ptr_array_add (list, g_memdup2 (&row, sizeof row));
    }
    return list;
}

static gboolean
fail_answer (GTask *task)
{
    g_task_return_new_error (task, BASE_ERROR, BASE_ERROR_CORRUPT,
                             "the other side sent a damaged answer");
    return FALSE;
}

static gboolean
give_error (GTask *task, GVariant *answer)
{
    GError *error = NULL;
    const char *text;
    gint32 code;

    if (!g_variant_is_of_type (answer, G_VARIANT_TYPE ("(is)"))) {
        return fail_answer (task);
    }
    g_variant_get (answer, "(i&s)", &code, &text);
    g_set_error_literal (&error,
                         code >= 0 && code <= BASE_ERROR_TIMEOUT ? BASE_ERROR : G_IO_ERROR,
                         code >= 0 && code <= BASE_ERROR_TIMEOUT ? code : G_IO_ERROR_FAILED,
                         text);
    error->message = take_name (error->message);
    g_task_return_error (task, error);
    return TRUE;
}

gboolean
session_remote_give_answer (GTask *task, SessionAsk ask, gboolean ok, GVariant *answer)
{
    static const char *const types[SESSION_N_ASKS]
        = { "ay", "x", "aay", "a(uubxayayay)", "a(ayaytx)", "ay", "ay", "ay" };
    const SessionWanted *wanted = g_task_get_task_data (task);

    if (!ok) {
        return give_error (task, answer);
    }
    if (!g_variant_is_of_type (answer, G_VARIANT_TYPE (types[ask]))) {
        return fail_answer (task);
    }
    if (ask == SESSION_ASK_TIME) {
        g_task_return_int (task, (gssize) MAX (g_variant_get_int64 (answer), 0));
    } else if (ask == SESSION_ASK_SOURCE) {
        gsize size;
        const char *text = g_variant_get_fixed_array (answer, &size, 1);

        if (size == 0 || size > wanted->limit + 1 || text[size - 1] != '\0') {
            return fail_answer (task);
        }
        g_task_return_pointer (task, g_bytes_new (text, size), (GDestroyNotify) g_bytes_unref);
    } else if (ask == SESSION_ASK_PROGRAM || ask == SESSION_ASK_NAME) {
        g_task_return_pointer (task, take_name (g_variant_dup_bytestring (answer, NULL)),
                               g_free);
    } else if (ask == SESSION_ASK_QUEUE) { /* queues.c looks at its texts */
        g_task_return_pointer (task, g_variant_dup_bytestring (answer, NULL), g_free);
    } else {
        g_task_return_pointer (task,
                               ask == SESSION_ASK_FOLDER  ? decode_names (answer, wanted->limit)
                               : ask == SESSION_ASK_CORES ? decode_cores (answer)
                                                          : decode_running (answer),
                               (GDestroyNotify) g_ptr_array_unref);
    }
    return TRUE;
}
