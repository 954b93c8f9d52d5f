/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory and instructions of one rank. A reference names a frame ("frame 7", its pc) or a value ("value 8"), whose
 * address is asked for once and then kept; else it is an address, of the rank that was looked at last. */
#include "dap/private.h"
#include <string.h>

#define MAX_READ 65536         /* bytes of one answer */
#define MAX_WRITE 4096         /* bytes of one request */
#define CHUNK 4096             /* bytes that ranks are asked for at once */
#define MAX_KNOWN 100000       /* references whose addresses are kept */
#define MAX_INSTRUCTIONS 10000 /* of one answer */
#define MAX_BACK 65536         /* bytes from a function's begin to the address */
#define FRAME "frame "
#define VALUE "value "

typedef struct {
    guint64 address;
    guint32 rank;
} Known;

typedef struct {
    guint64 address;
    gint64 offset;
    gint64 count, back; /* back: instructions in front of the address that are wanted, too */
    guint32 rank;
    char *reference;   /* to be kept as known */
    GPtrArray *kept;   /* of JobDetail: those */
    GByteArray *bytes; /* read so far, or to be written */
    gsize written;     /* of them */
    gboolean is_whole; /* all was read that was wanted */
    void (*go_on) (DapRequest *request);
} Look;

BASE_FREE (free_look, Look, look, g_clear_pointer (&look->kept, g_ptr_array_unref);
           g_clear_pointer (&look->bytes, g_byte_array_unref); g_free (look->reference))

static gboolean
is_standing (DapRequest *request, guint32 rank)
{
    const SessionRank found = session_get_rank (request->server->session, rank);

    if (found.is_there && job_state_get_info (found.state)->is_stopped) {
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

/* NULL: the request has failed, and is no more. */
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
    BASE_EACH (answer->groups, const JobEvent, event) {
        for (guint j = 0;
             job_event_get_details (event) != NULL && j < job_event_get_details (event)->len;
             j++) {
            const JobDetail *detail = g_ptr_array_index (job_event_get_details (event), j);

            if (detail->kind == kind) {
                g_ptr_array_add (details, job_detail_dup (detail));
            }
        }
    }
    return details;
}

/* ---- references ---- */

static void
keep (DapServer *server, const char *reference, const Look *look)
{
    Known *known = g_new0 (Known, 1);

    *known = (Known){ .address = look->address, .rank = look->rank };
    if (g_hash_table_size (server->known_addresses) >= MAX_KNOWN) {
        g_hash_table_remove_all (server->known_addresses);
    }
    g_hash_table_replace (server->known_addresses, g_strdup (reference), known);
}

gboolean
dap_memory_find_known (DapServer *server, const char *reference, guint64 *ret_address)
{
    const Known *known = g_hash_table_lookup (server->known_addresses, reference);

    if (known != NULL) {
        *ret_address = known->address;
    }
    return known != NULL;
}

static void
go_on (DapRequest *request)
{
    Look *look = request->data;

    look->address += (guint64) look->offset;
    if (is_standing (request, look->rank)) {
        look->go_on (request);
    }
}

static void
on_address (DapRequest *request, SessionAnswer *answer)
{
    Look *look = request->data;
    const JobValueRow *row = dap_find_row (answer);
    const JobValue *value = row != NULL ? dap_find_value (row, look->rank) : NULL;
    const char *hex = value != NULL && value->text != NULL ? strstr (value->text, "0x") : NULL;

    if (hex == NULL) {
        dap_fail (request, "%s has no address: it is not native code or data", look->reference);
        return;
    }
    look->address = g_ascii_strtoull (hex, NULL, 16);
    keep (request->server, look->reference, look);
    go_on (request);
}

/* Of the frame its pc, of a pointer where it points to, of another value where it is. */
static void
ask_address (DapRequest *request, const DapHandle *handle)
{
    JobRequest *asked = dap_handle_ask (handle, JOB_VERB_PRINT, TRUE);

    ((Look *) request->data)->rank = handle->rank;
    asked->text = handle->kind == DAP_HANDLE_FRAME ? g_strdup ("$pc")
                  : dap_value_is_pointer (handle->type)
                      ? g_strdup (handle->path)
                      : g_strdup_printf ("&(%s)", handle->path);
    dap_ask (request, asked, on_address);
}

/* The rank and address of `reference`, to which the look's offset is added; its go_on follows, unless the request has
 * failed. */
static void
resolve (DapRequest *request, const char *reference)
{
    DapServer *server = request->server;
    gboolean is_frame = g_str_has_prefix (reference, FRAME);
    const Known *known = g_hash_table_lookup (server->known_addresses, reference);
    Look *look = request->data;
    char *end = NULL;

    if (known != NULL) {
        look->address = known->address;
        look->rank = known->rank;
        go_on (request);
    } else if (is_frame || g_str_has_prefix (reference, VALUE)) {
        const char *number = strchr (reference, ' ') + 1;
        DapHandle *handle = dap_handle_find (request,
                                             (gint64) g_ascii_strtoull (number, NULL, 10),
                                             is_frame ? "frame" : "value");

        if (handle != NULL && (handle->kind == DAP_HANDLE_FRAME) == is_frame
            && (is_frame || handle->path != NULL)) {
            look->reference = g_strdup (reference);
            ask_address (request, handle);
        } else if (handle != NULL) {
            dap_fail (request, "%s: there is no %s", request->command, reference);
        }
    } else {
        look->rank = server->stopped_thread != 0 && server->stopped_thread < DAP_FIRST_THREAD
                         ? server->stopped_thread - 1
                         : 0;
        look->address = g_ascii_strtoull (reference, &end, 0);
        if (end == reference || *end != '\0') {
            dap_fail (request, "\"%s\" is no address", reference);
        } else {
            go_on (request);
        }
    }
}

/* Takes the look. */
static void
begin_look (DapRequest *request, Look *look)
{
    const char *reference = dap_request_need_text (request, request->arguments,
                                                   "memoryReference");

    request->data = look;
    request->free_data = free_look;
    look->offset = dap_request_get_number (request, request->arguments, "offset", 0);
    if (dap_request_is_good (request)) {
        resolve (request, reference);
    }
}

/* ---- readMemory ---- */

static void read_on (DapRequest *request);

static void
answer_memory (DapRequest *request)
{
    const Look *look = request->data;
    g_autofree char *encoded = g_base64_encode (look->bytes->data, look->bytes->len);
    GString *body = dap_body_new ();

    dap_write_address (body, "address", look->address);
    if (!look->is_whole) {
        dap_write_number (body, "unreadableBytes", look->count - look->bytes->len);
    }
    dap_write_text (body, "data", look->bytes->len > 0 ? encoded : NULL);
    dap_answer (request, body);
}

static void
on_memory (DapRequest *request, SessionAnswer *answer)
{
    Look *look = request->data;
    g_autoptr (GPtrArray) details = take_details (request, answer, JOB_DETAIL_MEMORY);
    guint before;

    if (details == NULL) {
        return;
    }
    before = look->bytes->len;
    BASE_EACH (details, const JobDetail, detail) {
        const char *at = detail->text;

        if (detail->number != look->address + look->bytes->len) {
            break;
        }
        while (at != NULL && (at = strstr (at, "0x")) != NULL) {
            guint8 byte = (guint8) g_ascii_strtoull (at + 2, (char **) &at, 16);

            g_byte_array_append (look->bytes, &byte, 1);
        }
    }
    look->is_whole = (gint64) look->bytes->len >= look->count;
    if (look->is_whole || look->bytes->len - before < CHUNK) {
        answer_memory (request);
    } else {
        read_on (request);
    }
}

static void
read_on (DapRequest *request)
{
    const Look *look = request->data;
    g_autofree char *format = g_strdup_printf ("%" G_GINT64_FORMAT "xb",
                                               MIN (look->count - (gint64) look->bytes->len,
                                                    CHUNK));

    examine (request, look->address + look->bytes->len, format, on_memory);
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
    look->bytes = g_byte_array_new ();
    look->go_on = read_on;
    begin_look (request, look);
}

/* ---- writeMemory ---- */

static void write_on (DapRequest *request);

/* What is shown of the rank may be another value now. */
static void
answer_written (DapRequest *request)
{
    DapServer *server = request->server;
    const Look *look = request->data;
    g_autofree char *reference = g_strdup (dap_request_get_text (request, request->arguments,
                                                                 "memoryReference"));
    gint64 offset = look->offset, count = (gint64) look->written;
    GString *body = dap_body_new ();

    dap_write_number (body, "offset", 0);
    dap_write_number (body, "bytesWritten", count);
    dap_answer (request, body);
    if (server->has_memory_event) {
        body = dap_body_new ();
        dap_write_text (body, "memoryReference", reference);
        dap_write_number (body, "offset", offset);
        dap_write_number (body, "count", count);
        dap_send_event (server, "memory", body);
    }
    dap_send_invalidated (server, "variables");
}

static void
on_written (DapRequest *request, SessionAnswer *answer)
{
    Look *look = request->data;
    g_autofree char *why = dap_format_failures (answer);

    if (why != NULL) {
        dap_fail (request, "%zu of %u bytes are written: %s", look->written, look->bytes->len,
                  why);
        return;
    }
    look->written += look->bytes->len - look->written >= 8 ? 8 : 1;
    write_on (request);
}

/* Eight bytes at once while there are as many. */
static void
write_on (DapRequest *request)
{
    const Look *look = request->data;
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (look->rank, look->rank + 1);
    gsize size = look->bytes->len - look->written >= 8 ? 8 : 1;
    guint64 value = look->bytes->len > look->written ? look->bytes->data[look->written] : 0;
    JobRequest *asked;

    if (look->written == look->bytes->len) {
        answer_written (request);
        return;
    }
    if (size == 8) {
        memcpy (&value, look->bytes->data + look->written, 8);
    }
    asked = job_request_new (JOB_VERB_SET, ranks);
    asked->text = g_strdup_printf ("*(%s *) 0x%" G_GINT64_MODIFIER "x",
                                   size == 8 ? "unsigned long" : "unsigned char",
                                   look->address + look->written);
    asked->text2 = g_strdup_printf ("%s0x%" G_GINT64_MODIFIER "x",
                                    size == 8 ? "(unsigned long) " : "", value);
    dap_ask (request, asked, on_written);
}

/* Where some of it does not exist, nothing is written. */
static void
on_there (DapRequest *request, SessionAnswer *answer)
{
    const Look *look = request->data;
    g_autoptr (GPtrArray) details = take_details (request, answer, JOB_DETAIL_MEMORY);
    const JobDetail *last = details != NULL && details->len > 0
                                ? g_ptr_array_index (details, details->len - 1)
                                : NULL;

    if (details == NULL) {
        return;
    }
    if (last == NULL || strstr (last->text, "0x") == NULL) {
        dap_fail (request,
                  "nothing is written: not all of these %u bytes are memory of rank %u",
                  look->bytes->len, look->rank);
        return;
    }
    write_on (request);
}

static void
look_first (DapRequest *request)
{
    const Look *look = request->data;
    g_autofree char *format = g_strdup_printf ("%uxb", look->bytes->len);

    examine (request, look->address, format, on_there);
}

/* Base64 without what is none: g_base64_decode passes over it. */
static gboolean
is_base64 (const char *text)
{
    gsize n = strspn (text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");

    return strlen (text) % 4 == 0 && strspn (text + n, "=") == strlen (text + n)
           && strlen (text + n) <= 2;
}

void
dap_run_write_memory (DapRequest *request)
{
    const char *data = dap_request_need_text (request, request->arguments, "data");
    Look *look = g_new0 (Look, 1);
    gsize size = 0;
    guint8 *bytes = is_base64 (data) && *data != '\0' ? g_base64_decode (data, &size) : NULL;

    dap_request_get_flag (request, request->arguments, "allowPartial", FALSE);
    if ((bytes == NULL || size == 0 || size > MAX_WRITE) && request->problem == NULL) {
        request->problem = g_strdup_printf ("\"data\" must be 1 to %d bytes in base64",
                                            MAX_WRITE);
    }
    look->bytes = g_byte_array_new_take (bytes, size);
    look->go_on = look_first;
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
