/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What fake ranks say when they are asked: every pane of every window has something to show. */
#include "script-private.h"
#include <string.h>

/* ---- marks ---- */

/* Of what the rank says now, in that frame. */
static guint
make_mark (const Script *script, guint32 rank, guint frame)
{
    return SCRIPT_MARK_FIRST + script->moments[rank].values * 100 + rank * 10 + frame;
}

/* Of where ranks are, the same for all that have stopped together. */
static guint
make_place_mark (guint moment)
{
    return SCRIPT_MARK_FIRST + moment * 100 + SCRIPT_MARK_ANY * 10;
}

char *
script_format_place (const char *stem, guint moment)
{
    return g_strdup_printf ("%s_%u", stem, make_place_mark (moment));
}

static guint
get_frame (const JobRequest *request, guint32 rank)
{
    const JobSelection *selected = job_request_find_selection (request, rank);

    return selected != NULL && selected->has_frame ? selected->frame : 0;
}

/* An answer, now or when it is released. */
static void
tell (Script *script, const JobEvent *event)
{
    if (script->kept != NULL) {
        g_ptr_array_add (script->kept, job_event_dup (event));
    } else {
        session_apply (script->session, event);
    }
}

static void
add_frame (GPtrArray *frames, const char *function, const char *file, guint32 line,
           JobLanguage language)
{
    JobFrame *frame = job_frame_new ();

    frame->location.function = g_strdup (function);
    frame->location.file = g_strdup (file);
    frame->location.line = line;
    frame->location.language = language;
    g_ptr_array_add (frames, frame);
}

static void
add_library_frame (GPtrArray *frames, const char *function, const char *module)
{
    JobFrame *frame = job_frame_new ();

    frame->location.function = g_strdup (function);
    frame->location.module = g_strdup (module);
    frame->flags = JOB_FRAME_LIBRARY;
    g_ptr_array_add (frames, frame);
}

/* Where a rank is that runs has a moment of its own. */
static void
sample_running (Script *script, JobRequest *request)
{
    g_autoptr (JobRankSet) running = job_rank_set_new ();
    g_autofree char *function = script_format_place ("seen", script->moment + 1);
    g_autoptr (GPtrArray) frames
        = g_ptr_array_new_with_free_func ((GDestroyNotify) job_frame_free);
    g_autoptr (JobEvent) event = NULL;

    for (guint32 rank = 0; rank < script->n_ranks; rank++) {
        if (job_rank_set_contains (request->ranks, rank)
            && job_state_get_info (script->states[rank])->is_moving) {
            job_rank_set_add (running, rank);
            job_rank_set_remove (request->ranks, rank);
        }
    }
    if (!job_rank_set_is_empty (running)) {
        script->moment++;
        event = job_event_new (JOB_EVENT_STACKS, request->id, running);
        event->flags = JOB_EVENT_SAMPLED;
        event->final = TRUE;
        event->tree = job_stack_tree_new ();
        add_frame (frames, function, script->file, 20, JOB_LANGUAGE_C);
        job_stack_tree_add (event->tree, frames, running);
        tell (script, event);
    }
}

/* Who is in "exchange" waits inside MPI. */
static void
answer_where (Script *script, const JobRequest *request)
{
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_STACKS, request->id, request->ranks);
    JobRankIter iter = { 0 };
    guint32 rank;

    event->final = TRUE;
    event->tree = job_stack_tree_new ();
    while (job_rank_set_next (request->ranks, &iter, &rank)) {
        g_autoptr (GPtrArray) frames
            = g_ptr_array_new_with_free_func ((GDestroyNotify) job_frame_free);
        g_autoptr (JobRankSet) one = job_rank_set_new_range (rank, rank + 1);

        if (g_strcmp0 (script->functions[rank], "exchange") == 0) {
            add_library_frame (frames, "poll", "libc.so.6");
            add_library_frame (frames, "opal_progress", "libopen-pal.so.40");
            add_library_frame (frames, "PMPI_Recv", "libmpi.so.40");
        }
        add_frame (frames, script->functions[rank], script->file, script->lines[rank],
                   JOB_LANGUAGE_C);
        for (guint i = 0; g_strcmp0 (script->functions[rank], "descend") == 0 && i < 40; i++) {
            add_frame (frames, "descend", script->file, 19, JOB_LANGUAGE_C);
        }
        add_frame (frames, "main", script->file, 5, JOB_LANGUAGE_C);
        add_frame (frames, "<module>", "/home/user/app.py", 12, JOB_LANGUAGE_PYTHON);
        job_stack_tree_add (event->tree, frames, one);
    }
    tell (script, event);
}

/* Of a variable; where marks are wanted, it is the moment's. Caller owns. */
static JobValue *
make_number (const Script *script, const JobRequest *request, const char *name, guint32 rank,
             guint number)
{
    guint shown = script->is_marked ? make_mark (script, rank, get_frame (request, rank))
                                    : number;
    g_autofree char *text = g_strdup_printf ("%u", shown);

    return job_value_new_number (name, "int", text, shown);
}

static void
answer_locals (Script *script, const JobRequest *request)
{
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_VALUES, request->id, request->ranks);
    JobRankIter iter = { 0 };
    guint32 rank;

    event->final = TRUE;
    event->table = job_value_table_new ();
    while (job_rank_set_next (request->ranks, &iter, &rank)) {
        g_autoptr (JobRankSet) one = job_rank_set_new_range (rank, rank + 1);
        g_autoptr (JobValue) me = make_number (script, request, "rank", rank, rank);
        g_autoptr (JobValue) at = make_number (script, request, "step", rank,
                                               script->lines[rank]);
        g_autoptr (JobValue) box = job_value_new ("grid", "struct grid", "{n = 64, ...}");

        box->children = g_ptr_array_new_with_free_func ((GDestroyNotify) job_value_free);
        g_ptr_array_add (box->children, make_number (script, request, "n", rank, 64));
        g_ptr_array_add (box->children, job_value_new ("data", "double *", "0x5581a0"));
        box->expandable = TRUE;
        job_value_table_add (event->table, "rank", one, me);
        job_value_table_add (event->table, "step", one, at);
        job_value_table_add (event->table, "grid", one, box);
    }
    tell (script, event);
}

enum { EMPTY_LINE = 15 }; /* of sample.c, between its functions */

static void
refuse_break (Script *script, const JobRequest *request, const JobRankSet *ranks)
{
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_FAILURE, request->id, ranks);

    event->final = TRUE;
    event->text = g_strdup ("no such place");
    tell (script, event);
}

static void
answer_break (Script *script, const JobRequest *request)
{
    g_autoptr (JobRankSet) none = job_rank_set_new ();
    const JobRankSet *without = script->without != NULL ? script->without : none;
    g_autoptr (JobRankSet) with = job_rank_set_subtract (request->ranks, without);
    g_autoptr (JobRankSet) rest = job_rank_set_intersect (request->ranks, without);
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_BREAKPOINT, request->id, with);

    if (!job_rank_set_is_empty (rest)) {
        refuse_break (script, request, rest);
    }
    if (job_rank_set_is_empty (with)) {
        return;
    }
    event->final = TRUE;
    event->number = (gint32) request->number;
    event->places = g_ptr_array_new_with_free_func ((GDestroyNotify) job_location_free);
    if (request->where.line != EMPTY_LINE) { /* which has no code: pending */
        g_ptr_array_add (event->places,
                         job_location_new ("work", script->file, request->where.line));
    }
    tell (script, event);
}

/* "step" is its line; anything else the rank's own number. A name with a question mark is none. */
static void
answer_print (Script *script, const JobRequest *request)
{
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_VALUES, request->id, request->ranks);
    JobRankIter iter = { 0 };
    guint32 rank;

    event->final = TRUE;
    if (strchr (request->text, '?') != NULL) {
        event->kind = JOB_EVENT_FAILURE;
        event->text = g_strdup_printf ("no symbol \"%s\" in frame main", request->text);
        tell (script, event);
        return;
    }
    event->table = job_value_table_new ();
    while (job_rank_set_next (request->ranks, &iter, &rank)) {
        g_autoptr (JobRankSet) one = job_rank_set_new_range (rank, rank + 1);
        guint32 number = g_str_equal (request->text, "step") ? script->lines[rank] : rank;
        g_autoptr (JobValue) value = make_number (script, request, NULL, rank, number);

        job_value_table_add (event->table, request->text, one, value);
    }
    tell (script, event);
}

static void
answer_details (Script *script, const JobRequest *request, GPtrArray *details)
{
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_DETAILS, request->id, request->ranks);

    event->details = details;
    event->final = TRUE;
    tell (script, event);
}

/* The mark of the one rank that is asked, or what stands without marks. Caller owns. */
static char *
mark_text (const Script *script, const JobRequest *request, const char *text)
{
    guint32 rank = job_rank_set_get_lowest (request->ranks);

    return script->is_marked
               ? g_strdup_printf ("%s %u", text,
                                  make_mark (script, rank, get_frame (request, rank)))
               : g_strdup (text);
}

static void
answer_threads (Script *script, const JobRequest *request)
{
    GPtrArray *details = job_detail_list_new ();
    JobDetail *first = job_detail_new (JOB_DETAIL_THREAD, 1, "app", NULL);
    guint32 rank = job_rank_set_get_lowest (request->ranks);
    /* which frame is selected does not matter to threads, nor what is written to variables */
    g_autofree char *name = script->is_marked
                                ? script_format_place ("worker", script->moments[rank].place)
                                : g_strdup ("worker");
    JobDetail *second = job_detail_new (JOB_DETAIL_THREAD, 2, name, NULL);

    first->flags = JOB_DETAIL_HERE;
    first->place = job_location_new ("work", "sample.c", 22);
    second->place = job_location_new ("pthread_cond_wait", NULL, 0);
    g_ptr_array_add (details, first);
    g_ptr_array_add (details, second);
    answer_details (script, request, details);
}

static void
answer_registers (Script *script, const JobRequest *request)
{
    GPtrArray *details = job_detail_list_new ();
    static const char *const rows[][2] = { { "rax", "0x0000000000000007  7" },
                                           { "rbx", "0x00007ffe1c2a90b8  140729370644664" },
                                           { "rip", "0x0000555555555191  93824992235921" } };

    for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
        g_autofree char *text = mark_text (script, request, rows[i][1]);

        g_ptr_array_add (details, job_detail_new (JOB_DETAIL_REGISTER, 0, rows[i][0], text));
    }
    answer_details (script, request, details);
}

static void
answer_code (Script *script, const JobRequest *request)
{
    GPtrArray *details = job_detail_list_new ();
    static const struct {
        guint64 address;
        const char *text;
    } rows[] = { { 0x555555555189, "push   rbp" },
                 { 0x55555555518a, "mov    rbp, rsp" },
                 { 0x555555555191, "movsd  xmm0, qword ptr [rbp - 8]" },
                 { 0x555555555196, "ret    " } };

    for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
        g_autofree char *text = mark_text (script, request, rows[i].text);
        JobDetail *detail = job_detail_new (JOB_DETAIL_INSTRUCTION, rows[i].address, NULL,
                                            text);

        detail->flags = i == 2 ? JOB_DETAIL_HERE : 0;
        g_ptr_array_add (details, detail);
    }
    answer_details (script, request, details);
}

/* A hill of 24 by 16 numbers, one of them none; with a mark on it. */
static void
answer_array (Script *script, const JobRequest *request)
{
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_ARRAY, request->id, request->ranks);
    double values[24 * 16];

    for (int i = 0; i < 24 * 16; i++) {
        double y = i / 16 - 11.5, x = i % 16 - 7.5;

        values[i] = i == 40 ? __builtin_nan ("") : 100 / (1 + x * x / 9 + y * y / 25);
    }
    if (script->is_marked) {
        guint32 rank = job_rank_set_get_lowest (request->ranks);

        values[0] = make_mark (script, rank, get_frame (request, rank));
    }
    event->final = TRUE;
    event->text = g_strdup ("<f8 24 16");
    event->bytes = g_bytes_new (values, sizeof values);
    tell (script, event);
}

/* Each rank waits for a message of the next one, so none can continue. */
static JobMessageQueue *
make_queue (Script *script, guint32 rank)
{
    JobMessageQueue *queue = job_message_queue_new (rank);
    JobMessageOperation *operation = job_message_operation_new (JOB_MESSAGE_RECV, "MPI_Recv");
    JobMessageCall *call = job_message_call_new (JOB_MESSAGE_RECV, "MPI_Recv");
    guint32 first = 0;

    queue->source = JOB_MESSAGE_SOURCE_RECORDER;
    queue->flags = JOB_MESSAGE_QUEUE_INITIALIZED | JOB_MESSAGE_QUEUE_COUNTED;
    queue->world_rank = rank;
    queue->world_size = script->n_ranks;
    queue->completed = 7;
    operation->flags = JOB_MESSAGE_IN_CALL;
    operation->communicator = call->communicator = JOB_MESSAGE_WORLD_ID;
    operation->peer = operation->local_peer = (gint32) ((rank + 1) % script->n_ranks);
    call->peer = call->local_peer = operation->peer;
    operation->tag = call->tag = script->is_marked
                                     ? (gint32) make_place_mark (script->moments[rank].place)
                                     : 4;
    operation->count = call->count = 64;
    operation->bytes = call->bytes = 512;
    operation->place = job_location_new (script->functions[rank], script->file,
                                         script->lines[rank]);
    call->place = job_location_dup (operation->place);
    call->number = 8;
    g_array_append_val (call->waits, first);
    g_ptr_array_add (queue->operations, operation);
    g_ptr_array_add (queue->calls, call);
    g_ptr_array_add (queue->communicators,
                     job_message_communicator_new (JOB_MESSAGE_WORLD_ID, "MPI_COMM_WORLD"));
    return queue;
}

static void
answer_queue (Script *script, const JobRequest *request)
{
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_QUEUES, request->id, request->ranks);
    JobRankIter iter = { 0 };
    guint32 rank;

    event->final = TRUE;
    event->queues = job_message_table_new ();
    while (job_rank_set_next (request->ranks, &iter, &rank)) {
        JobMessageQueue *queue = make_queue (script, rank);

        job_message_table_add (event->queues, queue);
    }
    tell (script, event);
}

/* What begins with p is a pointer. */
static void
answer_type (Script *script, const JobRequest *request)
{
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_TEXT, request->id, request->ranks);

    event->final = TRUE;
    event->text2 = g_strdup (request->text[0] == 'p' ? "double *" : "double [24][16]");
    event->text = g_strconcat ("type = ", event->text2, NULL);
    tell (script, event);
}

static void
answer_frame (Script *script, const JobRequest *request)
{
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_FRAME, request->id, request->ranks);

    event->final = TRUE;
    event->number = (gint32) request->number;
    event->place = job_location_new (request->number == 0 ? "work" : "main", script->file, 5);
    tell (script, event);
}

gboolean
script_answer (Script *script, JobRequest *request)
{
    switch (request->verb) {
    case JOB_VERB_WHERE:
        if (script->is_marked) {
            sample_running (script, request);
        }
        if (!job_rank_set_is_empty (request->ranks)) {
            answer_where (script, request);
        }
        break;
    case JOB_VERB_LOCALS: answer_locals (script, request); break;
    case JOB_VERB_BREAK: answer_break (script, request); break;
    case JOB_VERB_PRINT: answer_print (script, request); break;
    case JOB_VERB_ARRAY: answer_array (script, request); break;
    case JOB_VERB_QUEUE: answer_queue (script, request); break;
    case JOB_VERB_WHATIS: answer_type (script, request); break;
    case JOB_VERB_THREADS: answer_threads (script, request); break;
    case JOB_VERB_REGISTERS: answer_registers (script, request); break;
    case JOB_VERB_DISASSEMBLE: answer_code (script, request); break;
    case JOB_VERB_FRAME: answer_frame (script, request); break;
    default: return FALSE;
    }
    return TRUE;
}
