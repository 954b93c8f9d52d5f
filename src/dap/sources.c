/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Source files as clients name them: by path where they can open it, else by a number under which pddt reads it where
 * the job is. And what is loaded: files and modules. */
#include "dap/private.h"
#include "session/sources.h"
#include <string.h>
#include <unistd.h>

#define MAX_SOURCE (64u << 20) /* bytes */
#define MAX_SOURCES 10000

static gint64
get_reference (DapServer *server, const char *path)
{
    guint index;

    if (!g_ptr_array_find_with_equal_func (server->sources, path, g_str_equal, &index)) {
        index = server->sources->len;
        g_ptr_array_add (server->sources, g_strdup (path));
    }
    return (gint64) index + 1;
}

/* What the option source-folders says has moved is read by pddt. */
static gboolean
can_open (DapServer *server, const char *path)
{
    return *path == '/' && access (path, R_OK) == 0;
}

typedef struct {
    char *theirs, *ours; /* a folder as the program was built, and as the client has it */
} Mapped;

BASE_FREE (free_mapped, Mapped, mapped, g_free (mapped->theirs); g_free (mapped->ours))

void
dap_take_source_map (DapRequest *request)
{
    DapServer *server = request->server;
    const json_t *object = dap_request_get_object (request, request->arguments, "sourceMap");
    const char *name;
    json_t *value;

    g_clear_pointer (&server->source_map, g_ptr_array_unref);
    server->source_map = g_ptr_array_new_with_free_func (free_mapped);
    json_object_foreach ((json_t *) object, name, value)
    {
        Mapped *mapped = g_new0 (Mapped, 1);

        g_ptr_array_add (server->source_map, mapped);
        mapped->theirs = g_strdup (name);
        mapped->ours = g_strdup (json_string_value (value));
        if ((mapped->ours == NULL || *mapped->ours == '\0' || *name == '\0')
            && request->problem == NULL) {
            request->problem = g_strdup ("\"sourceMap\" must be an object of folders");
        }
    }
}

/* The path below another folder, where `is_ours` it is the client's. Caller owns. */
static char *
map_path (DapServer *server, const char *path, gboolean is_ours)
{
    BASE_EACH (server->source_map, const Mapped, mapped) {
        const char *from = is_ours ? mapped->ours : mapped->theirs;
        gsize length = strlen (from) - (g_str_has_suffix (from, "/") ? 1 : 0);

        if (strncmp (path, from, length) == 0
            && (path[length] == '/' || path[length] == '\0')) {
            const char *to = is_ours ? mapped->theirs : mapped->ours;

            return g_strdup_printf ("%.*s%s", (int) strlen (to) - g_str_has_suffix (to, "/"),
                                    to, path + length);
        }
    }
    return g_strdup (path);
}

void
dap_write_source (DapServer *server, GString *json, const char *name, const char *built)
{
    g_autofree char *path = map_path (server, built, FALSE);
    g_autofree char *base = g_path_get_basename (path);
    g_autofree char *uri = server->wants_uris && *path == '/'
                               ? g_filename_to_uri (path, NULL, NULL)
                               : NULL;

    dap_write_begin (json, name, '{');
    dap_write_text (json, "name", base);
    dap_write_text (json, "path", uri != NULL ? uri : path);
    if (!can_open (server, path)) {
        dap_write_number (json, "sourceReference", get_reference (server, built));
    }
    dap_write_end (json, '}');
}

char *
dap_take_source (DapRequest *request, const json_t *source)
{
    DapServer *server = request->server;
    gint64 reference = dap_request_get_number (request, source, "sourceReference", 0);
    const char *path = dap_request_get_text (request, source, "path");

    if (reference > 0 && reference <= server->sources->len) {
        return g_strdup (g_ptr_array_index (server->sources, (guint) reference - 1));
    }
    if (path != NULL) {
        g_autofree char *name = g_str_has_prefix (path, "file:")
                                    ? g_filename_from_uri (path, NULL, NULL)
                                    : NULL;

        return map_path (server, name != NULL ? name : path, TRUE);
    }
    return NULL;
}

/* ---- source ---- */

static void
on_source (GObject *object, GAsyncResult *result, gpointer user)
{
    DapRequest *request = user;
    g_autoptr (GError) error = NULL;
    gsize size;
    g_autofree char *text = session_read_source_finish (result, &size, &error);
    g_autofree char *valid = NULL;
    GString *body;

    if (text == NULL) {
        dap_fail (request, "%s", error->message);
        return;
    }
    valid = g_utf8_make_valid (text, (gssize) size);
    body = dap_body_new ();
    dap_write_text (body, "content", valid);
    dap_answer (request, body);
}

void
dap_run_source (DapRequest *request)
{
    const json_t *source = dap_request_get_object (request, request->arguments, "source");
    gint64 reference = dap_request_get_number (request, request->arguments, "sourceReference",
                                               0);
    DapServer *server = request->server;
    g_autofree char *path = source != NULL ? dap_take_source (request, source) : NULL;

    if (path == NULL && reference > 0 && reference <= server->sources->len) {
        path = g_strdup (g_ptr_array_index (server->sources, (guint) reference - 1));
    }
    if (!dap_request_is_good (request)) {
        return;
    }
    if (path == NULL) {
        dap_fail (request, "there is no source %" G_GINT64_FORMAT, reference);
        return;
    }
    request->reading = g_cancellable_new ();
    session_read_text_async (server->session, NULL, path, MAX_SOURCE, request->reading,
                             on_source, request);
}

/* ---- loadedSources ---- */

static void
on_names (Session *session, const GPtrArray *names, gpointer user)
{
    DapRequest *request = user;
    GString *body = dap_body_new ();

    dap_write_begin (body, "sources", '[');
    for (guint i = 0; i < names->len; i++) {
        dap_write_source (request->server, body, NULL,
                          ((JobName *) g_ptr_array_index (names, i))->name);
    }
    dap_write_end (body, ']');
    dap_answer (request, body);
}

void
dap_run_sources (DapRequest *request)
{
    DapServer *server = request->server;
    g_autoptr (JobRankSet) all = session_dup_all (server->session);

    request->is_searching = TRUE;
    session_find_names (server->session, all, ".", JOB_NAME_FILE, MAX_SOURCES, on_names,
                        request);
}

/* ---- modules ---- */

typedef struct {
    const JobDetail *detail;
    JobRankSet *ranks;
} Module;

BASE_FREE (free_module, Module, module, job_rank_set_free (module->ranks))

/* The same file in ranks that have it at different addresses is one module. */
static GPtrArray *
collect_modules (SessionAnswer *answer)
{
    GPtrArray *modules = g_ptr_array_new_with_free_func (free_module);
    g_autoptr (GHashTable) by_path = g_hash_table_new (g_str_hash, g_str_equal);

    BASE_EACH (answer->groups, const JobEvent, event) {
        for (guint j = 0;
             job_event_get_details (event) != NULL && j < job_event_get_details (event)->len;
             j++) {
            const JobDetail *detail = g_ptr_array_index (job_event_get_details (event), j);
            Module *module;

            if (detail->kind != JOB_DETAIL_MODULE || detail->name == NULL) {
                continue;
            }
            module = g_hash_table_lookup (by_path, detail->name);
            if (module == NULL) {
                module = g_new0 (Module, 1);
                module->detail = detail;
                module->ranks = job_rank_set_new ();
                g_hash_table_insert (by_path, detail->name, module);
                g_ptr_array_add (modules, module);
            }
            job_rank_set_merge (module->ranks, event->ranks);
        }
    }
    return modules;
}

static void
write_module (GString *body, const Module *module)
{
    g_autofree char *name = g_path_get_basename (module->detail->name);
    g_autofree char *ranks = job_rank_set_format_brief (module->ranks);
    g_autofree char *status
        = g_strdup_printf ("%s (%s)",
                           module->detail->text != NULL ? module->detail->text : "not known",
                           ranks);

    dap_write_begin (body, NULL, '{');
    dap_write_text (body, "id", name);
    dap_write_text (body, "name", name);
    dap_write_text (body, "path", module->detail->name);
    dap_write_text (body, "symbolStatus", status);
    dap_write_end (body, '}');
}

static void
on_modules (DapRequest *request, SessionAnswer *answer)
{
    g_autoptr (GPtrArray) modules = collect_modules (answer);
    gint64 first = dap_request_get_number (request, request->arguments, "startModule", 0);
    gint64 count = dap_request_get_number (request, request->arguments, "moduleCount", 0);
    g_autofree char *why = dap_format_failures (answer);
    GString *body;

    if (modules->len == 0 && why != NULL) {
        dap_fail (request, "%s", why);
        return;
    }
    body = dap_body_new ();
    dap_write_begin (body, "modules", '[');
    for (gint64 i = MAX (first, 0); i < modules->len && (count <= 0 || i < first + count);
         i++) {
        write_module (body, g_ptr_array_index (modules, (guint) i));
    }
    dap_write_end (body, ']');
    dap_write_number (body, "totalModules", modules->len);
    dap_answer (request, body);
}

void
dap_run_modules (DapRequest *request)
{
    g_autoptr (JobRankSet) all = session_dup_all (request->server->session);
    g_autoptr (JobRankSet) stopped = session_dup_stopped (request->server->session, all, NULL);

    if (job_rank_set_is_empty (stopped)) {
        dap_fail_as (request, "notStopped", "modules: no rank is stopped");
        return;
    }
    dap_ask (request, job_request_new (JOB_VERB_MODULES, stopped), on_modules);
}
