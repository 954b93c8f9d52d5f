/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions that a frame's line calls, of which a step may go into one. They are read from the instructions. */
#include "dap/private.h"
#include <string.h>

#define MAX_CALLS 10000 /* that are remembered */

typedef struct {
    gint64 id;
    guint32 frame; /* the handle */
    char *function;
} DapCall;

typedef struct {
    guint32 frame;
    GPtrArray *found; /* of char* */
    GPtrArray
        *labels; /* of those that have been looked at, and have lines: as people write them */
} Search;

void
dap_call_free (gpointer data)
{
    DapCall *call = data;

    g_free (call->function);
    g_free (call);
}

BASE_FREE (free_search, Search, search, g_ptr_array_unref (search->found);
           g_ptr_array_unref (search->labels))

static void
answer_calls (DapRequest *request)
{
    DapServer *server = request->server;
    const Search *search = request->data;
    GString *body = dap_body_new ();

    if (server->calls->len > MAX_CALLS) {
        g_ptr_array_set_size (server->calls, 0);
    }
    dap_write_begin (body, "targets", '[');
    for (guint i = 0; i < search->found->len; i++) {
        DapCall *call = g_new0 (DapCall, 1);

        call->id = ++server->last_call;
        call->frame = search->frame;
        call->function = g_strdup (g_ptr_array_index (search->found, i));
        g_ptr_array_add (server->calls, call);
        dap_write_begin (body, NULL, '{');
        dap_write_number (body, "id", call->id);
        dap_write_text (body, "label", g_ptr_array_index (search->labels, i));
        dap_write_end (body, '}');
    }
    dap_write_end (body, ']');
    dap_answer (request, body);
}

/* ---- which of them have lines ---- */

static void ask_next (DapRequest *request);

/* Of "Line 2 of "l.cpp" starts at address 0x1100 <ns::other(int)> and ends at …". Caller owns; NULL. */
static char *
dup_label (const char *text)
{
    const char *address = strstr (text, "starts at address ");
    const char *begin = address != NULL ? strchr (address, '<') : NULL;
    const char *end = begin != NULL ? strstr (begin, "> and ends ") : NULL;

    return end != NULL ? g_strndup (begin + 1, (gsize) (end - begin - 1)) : NULL;
}

/* "Line 7 of …". Nobody steps into a function without lines. */
static void
on_lines (DapRequest *request, SessionAnswer *answer)
{
    Search *search = request->data;
    const JobEvent *event = answer->groups->len > 0 ? g_ptr_array_index (answer->groups, 0)
                                                    : NULL;

    if (event != NULL && event->kind == JOB_EVENT_TEXT
        && g_str_has_prefix (event->text, "Line ")) {
        char *label = dup_label (event->text);

        g_ptr_array_add (search->labels,
                         label != NULL ? label
                                       : g_strdup (g_ptr_array_index (search->found,
                                                                      search->labels->len)));
    } else {
        g_ptr_array_remove_index (search->found, search->labels->len);
    }
    ask_next (request);
}

static void
ask_next (DapRequest *request)
{
    const Search *search = request->data;
    const DapHandle *frame;
    JobRequest *asked;

    if (search->labels->len == search->found->len) {
        answer_calls (request);
        return;
    }
    frame = dap_handle_find (request, search->frame, "frame");
    if (frame == NULL) {
        return;
    }
    asked = dap_handle_ask (frame, JOB_VERB_INFO, TRUE);
    asked->text = g_strdup ("line");
    asked->where.kind = JOB_WHERE_FUNCTION;
    asked->where.function = g_strdup (g_ptr_array_index (search->found, search->labels->len));
    dap_ask (request, asked, on_lines);
}

/* ---- calls ---- */

/* "call   0x401136 <work>", "call   0x401030 <work@plt>". Caller owns; NULL: no call, or one of which only the register is
 * known. */
static char *
dup_called (const char *text)
{
    const char *begin = g_str_has_prefix (text, "call") ? strchr (text, '<') : NULL;
    const char *end = begin != NULL ? strrchr (begin, '>') : NULL;
    g_autofree char *name = end != NULL ? g_strndup (begin + 1, (gsize) (end - begin - 1))
                                        : NULL;

    if (name != NULL && g_str_has_suffix (name, "@plt")) {
        name[strlen (name) - strlen ("@plt")] = '\0';
    }
    return g_steal_pointer (&name);
}

/* What compilers have put there. */
static gboolean
is_made_up (const char *name)
{
    return g_str_has_prefix (name, "_Unwind_") || g_str_has_prefix (name, "__cxa_")
           || g_str_has_prefix (name, "__stack_chk_");
}

static gboolean
contains (const GPtrArray *names, const char *name)
{
    return BASE_ANY (i, names->len, strcmp (g_ptr_array_index (names, i), name) == 0);
}

/* Adds those that are behind the next instruction, or before it, each once. */
static void
collect (GPtrArray *found, const GPtrArray *details, const JobLocation *place, gboolean behind)
{
    gboolean is_line = FALSE, is_behind = FALSE;

    BASE_EACH (details, const JobDetail, detail) {
        g_autofree char *name = NULL;

        if (detail->kind == JOB_DETAIL_SOURCE) {
            is_line = detail->place != NULL && detail->place->line == place->line
                      && g_strcmp0 (detail->place->file, place->file) == 0;
        } else if (detail->kind == JOB_DETAIL_INSTRUCTION) {
            is_behind |= (detail->flags & JOB_DETAIL_HERE) != 0;
            name = is_line && is_behind == behind && detail->text != NULL
                       ? dup_called (detail->text)
                       : NULL;
        }
        if (name != NULL && !is_made_up (name) && !contains (found, name)) {
            g_ptr_array_add (found, g_steal_pointer (&name));
        }
    }
}

static void
on_code (DapRequest *request, SessionAnswer *answer)
{
    Search *search = request->data;
    const DapHandle *frame = dap_handle_find (request, search->frame, "frame");
    const JobEvent *event = answer->groups->len > 0 ? g_ptr_array_index (answer->groups, 0)
                                                    : NULL;

    if (frame == NULL) {
        return;
    }
    if (event != NULL && job_event_get_details (event) != NULL) {
        collect (search->found, job_event_get_details (event), frame->place, TRUE);
        collect (search->found, job_event_get_details (event), frame->place,
                 FALSE); /* a loop comes back */
    }
    ask_next (request);
}

void
dap_run_step_targets (DapRequest *request)
{
    gint64 id = dap_request_need_number (request, request->arguments, "frameId");
    const DapHandle *frame;
    Search *search;

    if (!dap_request_is_good (request)) {
        return;
    }
    frame = dap_handle_find (request, id, "frame");
    if (frame == NULL) {
        return;
    }
    search = g_new0 (Search, 1);
    search->frame = frame->id;
    search->found = g_ptr_array_new_with_free_func (g_free);
    search->labels = g_ptr_array_new_with_free_func (g_free);
    request->data = search;
    request->free_data = free_search;
    if (frame->place == NULL || frame->place->line == 0
        || frame->place->language == JOB_LANGUAGE_PYTHON) {
        answer_calls (request); /* of Python it is not known what a line calls */
    } else {
        dap_ask (request, dap_handle_ask (frame, JOB_VERB_DISASSEMBLE, TRUE), on_code);
    }
}

const char *
dap_call_take (DapRequest *request)
{
    const DapServer *server = request->server;
    gint64 id = dap_request_get_number (request, request->arguments, "targetId", 0);

    if (id == 0 || request->problem != NULL) {
        return dap_request_is_good (request) ? "" : NULL;
    }
    BASE_EACH (server->calls, const DapCall, call) {
        if (call->id == id) {
            return dap_handle_find (request, call->frame, "frame") != NULL ? call->function
                                                                           : NULL;
        }
    }
    dap_fail (request, "there is no target %" G_GINT64_FORMAT ": ask for stepInTargets", id);
    return NULL;
}
