/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory and instructions of one rank: that of the frame that a reference names ("frame 7", its pc), else the one that
 * was looked at last. */
#include "dap/private.h"
#include <string.h>

#define MAX_READ 65536         /* bytes of one answer */
#define MAX_INSTRUCTIONS 10000 /* of one answer */
#define MAX_BACK 65536         /* bytes from a function's begin to the address */
#define FRAME "frame "

typedef struct {
    guint64 address;
    gint64 count, back; /* back: instructions in front of the address that are wanted, too */
    guint32 rank;
    GPtrArray *kept; /* of JobDetail: those */
    void (*go_on) (DapRequest *request);
} Look;

static void
free_look (gpointer data)
{
    Look *look = data;

    g_clear_pointer (&look->kept, g_ptr_array_unref);
    g_free (look);
}

static gboolean
is_standing (DapRequest *request, guint32 rank)
{
    const SessionRank *found = session_get_rank (request->server->session, rank);

    if (found != NULL && job_state_get_info (found->state)->is_stopped) {
        return TRUE;
    }
    dap_fail_as (request, "notStopped", "%s: rank %u is not stopped", request->command, rank);
    return FALSE;
}

static void
examine (DapRequest *request, guint64 address, const char *format, DapAnswered on_answer)
{
    const Look *look = request->data;
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (look->rank, look->rank + 1);
    JobRequest *asked = job_request_new (JOB_VERB_EXAMINE, ranks);

    asked->where.kind = JOB_WHERE_ADDRESS;
    asked->where.address = address;
    asked->text = g_strdup (format);
    dap_ask (request, asked, on_answer);
}

/* NULL: the request has failed. */
static GPtrArray *
take_details (DapRequest *request, SessionAnswer *answer, JobDetailKind kind)
{
    const Look *look = request->data;
    GPtrArray *details = job_detail_list_new ();

    if (job_rank_set_contains (answer->old, look->rank)) {
        g_ptr_array_unref (details);
        dap_fail_as (request, "notStopped", "rank %u has moved in the meantime", look->rank);
        return NULL;
    }
    for (guint i = 0; i < answer->groups->len; i++) {
        const JobEvent *event = g_ptr_array_index (answer->groups, i);

        for (guint j = 0; event->details != NULL && j < event->details->len; j++) {
            const JobDetail *detail = g_ptr_array_index (event->details, j);

            if (detail->kind == kind) {
                g_ptr_array_add (details, job_detail_dup (detail));
            }
        }
    }
    return details;
}

static void
on_pc (DapRequest *request, SessionAnswer *answer)
{
    Look *look = request->data;
    const JobValueRow *row = dap_find_row (answer);
    const JobValue *value = row != NULL ? dap_find_value (row, look->rank) : NULL;
    const char *hex = value != NULL && value->text != NULL ? strstr (value->text, "0x") : NULL;

    if (hex == NULL) {
        dap_fail (request, "this frame has no address: it is not native code");
        return;
    }
    look->address += g_ascii_strtoull (hex, NULL, 16);
    look->go_on (request);
}

/* The rank and address of "memoryReference" and "offset"; go_on follows, unless the request has failed. */
static void
begin_look (DapRequest *request, Look *look)
{
    DapServer *server = request->server;
    const char *reference = dap_request_need_text (request, request->arguments,
                                                   "memoryReference");
    gint64 offset = dap_request_get_number (request, request->arguments, "offset", 0);
    char *end = NULL;

    request->data = look;
    request->free_data = free_look;
    look->rank = server->stopped_thread != 0 && server->stopped_thread < DAP_FIRST_GROUP
                     ? server->stopped_thread - 1
                     : 0;
    look->address = (guint64) offset;
    if (!dap_request_is_good (request)) {
        return;
    }
    if (g_str_has_prefix (reference, FRAME)) {
        DapHandle *frame
            = dap_handle_find (request,
                               (gint64) g_ascii_strtoull (reference + strlen (FRAME), NULL, 10),
                               "frame");
        JobRequest *asked;

        if (frame != NULL) {
            look->rank = frame->rank;
            asked = dap_handle_ask (frame, JOB_VERB_PRINT, TRUE);
            asked->text = g_strdup ("$pc");
            dap_ask (request, asked, on_pc);
        }
        return;
    }
    look->address += g_ascii_strtoull (reference, &end, 0);
    if (end == reference || *end != '\0') {
        dap_fail (request, "\"%s\" is no address", reference);
    } else if (is_standing (request, look->rank)) {
        look->go_on (request);
    }
}

/* ---- readMemory ---- */

static void
on_memory (DapRequest *request, SessionAnswer *answer)
{
    const Look *look = request->data;
    g_autoptr (GPtrArray) details = take_details (request, answer, JOB_DETAIL_MEMORY);
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    g_autofree char *encoded = NULL;
    GString *body;

    if (details == NULL) {
        return;
    }
    for (guint i = 0; i < details->len; i++) {
        const JobDetail *detail = g_ptr_array_index (details, i);
        const char *at = detail->text;

        if (detail->number != look->address + bytes->len) {
            break;
        }
        while (at != NULL && (at = strstr (at, "0x")) != NULL) {
            guint8 byte = (guint8) g_ascii_strtoull (at + 2, (char **) &at, 16);

            g_byte_array_append (bytes, &byte, 1);
        }
    }
    encoded = g_base64_encode (bytes->data, bytes->len);
    body = dap_body_new ();
    dap_write_address (body, "address", look->address);
    if ((gint64) bytes->len < look->count) {
        dap_write_number (body, "unreadableBytes", look->count - bytes->len);
    }
    dap_write_text (body, "data", bytes->len > 0 ? encoded : NULL);
    dap_answer (request, body);
}

static void
read_on (DapRequest *request)
{
    const Look *look = request->data;
    g_autofree char *format = g_strdup_printf ("%" G_GINT64_FORMAT "xb", look->count);

    examine (request, look->address, format, on_memory);
}

void
dap_run_read_memory (DapRequest *request)
{
    gint64 count = dap_request_need_number (request, request->arguments, "count");
    Look *look = g_new0 (Look, 1);

    if ((count < 0 || count > MAX_READ) && request->problem == NULL) {
        request->problem = g_strdup_printf ("\"count\" must be a number up to %d", MAX_READ);
    }
    look->count = MAX (count, 1);
    look->go_on = read_on;
    begin_look (request, look);
}

/* ---- disassemble ---- */

static void
write_instruction (DapServer *server, GString *body, const JobDetail *detail, guint64 address)
{
    g_autofree char *text = detail == NULL ? NULL
                            : detail->name != NULL
                                ? g_strdup_printf ("%s  %s", detail->name, detail->text)
                                : g_strdup (detail->text);

    dap_write_begin (body, NULL, '{');
    dap_write_address (body, "address", detail != NULL ? detail->number : address);
    dap_write_text (body, "instruction", detail != NULL ? text : "not known");
    if (detail == NULL) {
        dap_write_text (body, "presentationHint", "invalid");
    }
    dap_write_end (body, '}');
}

/* As many as were asked for: those in front of the function's begin, and behind what can be read, are not known. */
static void
answer_instructions (DapRequest *request, const GPtrArray *behind)
{
    const Look *look = request->data;
    gint64 n_before = look->kept != NULL ? look->kept->len : 0, written = 0;
    GString *body = dap_body_new ();

    dap_write_begin (body, "instructions", '[');
    for (gint64 i = -look->back; written < look->count; i++, written++) {
        const JobDetail *detail = NULL;

        if (i < 0 && i + n_before >= 0) {
            detail = g_ptr_array_index (look->kept, (guint) (i + n_before));
        } else if (i >= 0 && behind != NULL && i < behind->len) {
            detail = g_ptr_array_index (behind, (guint) i);
        }
        write_instruction (request->server, body, detail,
                           i < 0 ? look->address - (guint64) -i : look->address + (guint64) i);
    }
    dap_write_end (body, ']');
    dap_answer (request, body);
}

static void
on_behind (DapRequest *request, SessionAnswer *answer)
{
    g_autoptr (GPtrArray) behind = take_details (request, answer, JOB_DETAIL_INSTRUCTION);

    if (behind != NULL) {
        answer_instructions (request, behind);
    }
}

static void
ask_behind (DapRequest *request)
{
    const Look *look = request->data;
    gint64 first = MAX (-look->back, 0);
    g_autofree char *format = g_strdup_printf ("%" G_GINT64_FORMAT "i",
                                               MAX (look->count - look->back, first + 1));

    examine (request, look->address, format, on_behind);
}

/* From the function's begin on: instructions can only be told apart forwards. */
static void
on_front (DapRequest *request, SessionAnswer *answer)
{
    Look *look = request->data;
    g_autoptr (GPtrArray) front = take_details (request, answer, JOB_DETAIL_INSTRUCTION);

    if (front == NULL) {
        return;
    }
    for (guint i = 0; i < front->len; i++) {
        if (((JobDetail *) g_ptr_array_index (front, i))->number == look->address) {
            g_ptr_array_set_size (front, (int) i);
            look->kept = g_steal_pointer (&front);
            break;
        }
    }
    ask_behind (request);
}

/* "<work+15>" says where the function begins. */
static void
on_first (DapRequest *request, SessionAnswer *answer)
{
    const Look *look = request->data;
    g_autoptr (GPtrArray) first = take_details (request, answer, JOB_DETAIL_INSTRUCTION);
    const char *name, *plus;
    guint64 offset;

    if (first == NULL) {
        return;
    }
    name = first->len > 0 ? ((JobDetail *) g_ptr_array_index (first, 0))->name : NULL;
    plus = name != NULL ? strrchr (name, '+') : NULL;
    offset = plus != NULL ? g_ascii_strtoull (plus + 1, NULL, 10) : 0;
    if (offset > 0 && offset <= MAX_BACK) {
        g_autofree char *format = g_strdup_printf ("%" G_GUINT64_FORMAT "i", offset + 1);

        examine (request, look->address - offset, format, on_front);
    } else {
        ask_behind (request);
    }
}

static void
disassemble_on (DapRequest *request)
{
    const Look *look = request->data;

    if (look->back > 0) {
        examine (request, look->address, "1i", on_first);
    } else {
        ask_behind (request);
    }
}

void
dap_run_disassemble (DapRequest *request)
{
    gint64 count = dap_request_need_number (request, request->arguments, "instructionCount");
    gint64 offset = dap_request_get_number (request, request->arguments, "instructionOffset",
                                            0);
    Look *look = g_new0 (Look, 1);

    if ((count < 0 || count > MAX_INSTRUCTIONS || ABS (offset) > MAX_INSTRUCTIONS)
        && request->problem == NULL) {
        request->problem = g_strdup_printf ("at most %d instructions can be asked for",
                                            MAX_INSTRUCTIONS);
    }
    look->count = count;
    look->back = -offset;
    look->go_on = disassemble_on;
    begin_look (request, look);
}
