/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rules by which fake ranks answer: their places, values and what they wait for. Every pane
 * of every window has something to show. */
#include "script.h"
#include "session/sources.h"
#include <stdlib.h>
#include <string.h>

struct _Script {
    Session *session;
    char *file;
    guint32 n_ranks;
    guint64 *stops;
    guint32 *lines;
    char **functions;
    JobState *states;
    JobRankSet *held; /* they do not arrive when they step; NULL: all do */
    guint64 held_request;
    JobRankSet *mute;    /* they do not answer; NULL: all do */
    JobRankSet *without; /* they have no place for a breakpoint; NULL: all have */
    guint n_asked[JOB_N_VERBS];
    GRand *random;   /* hosts answer when it says so; NULL: at once */
    GQueue hosts[4]; /* of requests that are not answered yet, in their order */
};

static void
apply_state (Script *script, const JobRankSet *set, JobState state, guint64 request,
             gboolean final, guint32 flags, const char *text)
{
    JobRankIter iter = { 0 };
    guint32 rank;

    while (job_rank_set_next (set, &iter, &rank)) {
        g_autoptr (JobRankSet) one = job_rank_set_new_range (rank, rank + 1);
        g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_STATE, request, one);

        if (state != script->states[rank] || flags == 0) {
            script->stops[rank] += job_state_get_info (state)->is_stopped && flags == 0;
        }
        script->states[rank] = state;
        event->state = state;
        event->final = final;
        event->flags = flags;
        event->stop = script->stops[rank];
        event->number = state == JOB_STATE_BREAKPOINT ? 1 : 0;
        event->text = g_strdup (text);
        event->place = job_location_new (script->functions[rank], script->file,
                                         script->lines[rank]);
        event->place->language = JOB_LANGUAGE_C;
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
    session_apply (script->session, event);
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
        g_autofree char *number = g_strdup_printf ("%u", rank);
        g_autofree char *line = g_strdup_printf ("%u", script->lines[rank]);
        g_autoptr (JobValue) me = job_value_new_number ("rank", "int", number, rank);
        g_autoptr (JobValue) at = job_value_new_number ("step", "int", line,
                                                        script->lines[rank]);
        g_autoptr (JobValue) box = job_value_new ("grid", "struct grid", "{n = 64, ...}");

        box->children = g_ptr_array_new_with_free_func ((GDestroyNotify) job_value_free);
        g_ptr_array_add (box->children, job_value_new_number ("n", "int", "64", 64));
        g_ptr_array_add (box->children, job_value_new ("data", "double *", "0x5581a0"));
        box->expandable = TRUE;
        job_value_table_add (event->table, "rank", one, me);
        job_value_table_add (event->table, "step", one, at);
        job_value_table_add (event->table, "grid", one, box);
    }
    session_apply (script->session, event);
}

enum { EMPTY_LINE = 15 }; /* of sample.c, between its functions */

static void
refuse_break (Script *script, const JobRequest *request, const JobRankSet *ranks)
{
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_FAILURE, request->id, ranks);

    event->final = TRUE;
    event->text = g_strdup ("no such place");
    session_apply (script->session, event);
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
    session_apply (script->session, event);
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
        session_apply (script->session, event);
        return;
    }
    event->table = job_value_table_new ();
    while (job_rank_set_next (request->ranks, &iter, &rank)) {
        g_autoptr (JobRankSet) one = job_rank_set_new_range (rank, rank + 1);
        guint32 number = g_str_equal (request->text, "step") ? script->lines[rank] : rank;
        g_autofree char *text = g_strdup_printf ("%u", number);
        g_autoptr (JobValue) value = job_value_new_number (NULL, "int", text, number);

        job_value_table_add (event->table, request->text, one, value);
    }
    session_apply (script->session, event);
}

static void
answer_details (Script *script, const JobRequest *request, GPtrArray *details)
{
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_DETAILS, request->id, request->ranks);

    event->details = details;
    event->final = TRUE;
    session_apply (script->session, event);
}

static void
answer_threads (Script *script, const JobRequest *request)
{
    GPtrArray *details = job_detail_list_new ();
    JobDetail *first = job_detail_new (JOB_DETAIL_THREAD, 1, "app", NULL);
    JobDetail *second = job_detail_new (JOB_DETAIL_THREAD, 2, "worker", NULL);

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
        g_ptr_array_add (details,
                         job_detail_new (JOB_DETAIL_REGISTER, 0, rows[i][0], rows[i][1]));
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
        JobDetail *detail = job_detail_new (JOB_DETAIL_INSTRUCTION, rows[i].address, NULL,
                                            rows[i].text);

        detail->flags = i == 2 ? JOB_DETAIL_HERE : 0;
        g_ptr_array_add (details, detail);
    }
    answer_details (script, request, details);
}

/* A hill of 24 by 16 numbers, one of them none. */
static void
answer_array (Script *script, const JobRequest *request)
{
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_ARRAY, request->id, request->ranks);
    double values[24 * 16];

    for (int i = 0; i < 24 * 16; i++) {
        double y = i / 16 - 11.5, x = i % 16 - 7.5;

        values[i] = i == 40 ? __builtin_nan ("") : 100 / (1 + x * x / 9 + y * y / 25);
    }
    event->final = TRUE;
    event->text = g_strdup ("<f8 24 16");
    event->bytes = g_bytes_new (values, sizeof values);
    session_apply (script->session, event);
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
    operation->tag = call->tag = 4;
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
    session_apply (script->session, event);
}

/* What begins with p is a pointer. */
static void
answer_type (Script *script, const JobRequest *request)
{
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_TEXT, request->id, request->ranks);

    event->final = TRUE;
    event->text2 = g_strdup (request->text[0] == 'p' ? "double *" : "double [24][16]");
    event->text = g_strconcat ("type = ", event->text2, NULL);
    session_apply (script->session, event);
}

static void
accept_request (Script *script, const JobRequest *request)
{
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_ACCEPTED, request->id,
                                                request->ranks);

    event->final = TRUE;
    session_apply (script->session, event);
}

static void
move (Script *script, const JobRequest *request)
{
    gboolean goes_on = request->verb == JOB_VERB_CONTINUE;
    JobRankIter iter = { 0 };
    guint32 rank;

    apply_state (script, request->ranks, goes_on ? JOB_STATE_RUNNING : JOB_STATE_STEPPING,
                 request->id, TRUE, 0, NULL);
    if (!goes_on) {
        g_autoptr (JobRankSet) arriving = script->held != NULL
                                              ? job_rank_set_subtract (request->ranks,
                                                                       script->held)
                                              : job_rank_set_dup (request->ranks);

        while (job_rank_set_next (arriving, &iter, &rank)) {
            script->lines[rank]++;
        }
        script->held_request = request->id;
        apply_state (script, arriving, JOB_STATE_STOPPED, request->id, FALSE, 0, NULL);
    }
}

static gboolean
answer (gpointer user)
{
    gpointer *pair = user;
    Script *script = pair[0];
    g_autoptr (JobRequest) request = pair[1];
    JobRankIter iter = { 0 };
    guint32 rank;

    g_free (pair);
    if (script->mute != NULL) {
        JobRankSet *rest = job_rank_set_subtract (request->ranks, script->mute);

        job_rank_set_free (request->ranks);
        request->ranks = rest;
        if (job_rank_set_is_empty (rest)) {
            return G_SOURCE_REMOVE;
        }
    }
    switch (request->verb) {
    case JOB_VERB_WHERE: answer_where (script, request); break;
    case JOB_VERB_LOCALS: answer_locals (script, request); break;
    case JOB_VERB_BREAK: answer_break (script, request); break;
    case JOB_VERB_PRINT: answer_print (script, request); break;
    case JOB_VERB_ARRAY: answer_array (script, request); break;
    case JOB_VERB_QUEUE: answer_queue (script, request); break;
    case JOB_VERB_WHATIS: answer_type (script, request); break;
    case JOB_VERB_THREADS: answer_threads (script, request); break;
    case JOB_VERB_REGISTERS: answer_registers (script, request); break;
    case JOB_VERB_DISASSEMBLE: answer_code (script, request); break;
    case JOB_VERB_CONTINUE:
    case JOB_VERB_STEP:
    case JOB_VERB_NEXT:
    case JOB_VERB_FINISH: move (script, request); break;
    case JOB_VERB_PAUSE:
        accept_request (script, request);
        apply_state (script, request->ranks, JOB_STATE_STOPPED, request->id, FALSE, 0, NULL);
        break;
    case JOB_VERB_STATE:
        while (job_rank_set_next (request->ranks, &iter, &rank)) {
            g_autoptr (JobRankSet) one = job_rank_set_new_range (rank, rank + 1);

            apply_state (script, one, script->states[rank], request->id, TRUE, JOB_EVENT_FRESH,
                         NULL);
        }
        break;
    default: accept_request (script, request);
    }
    return G_SOURCE_REMOVE;
}

static gpointer *
new_pair (Script *script, const JobRequest *request)
{
    gpointer *pair = g_new (gpointer, 2);

    pair[0] = script;
    pair[1] = job_request_dup (request);
    return pair;
}

/* Each host has its share of the ranks, and gets its part of a request. */
static void
send_to_hosts (Script *script, const JobRequest *request)
{
    for (guint i = 0; i < G_N_ELEMENTS (script->hosts); i++) {
        guint32 share = script->n_ranks / G_N_ELEMENTS (script->hosts) + 1;
        g_autoptr (JobRankSet) its = job_rank_set_new_range (i * share, (i + 1) * share);
        g_autoptr (JobRequest) part = job_request_dup (request);

        job_rank_set_free (part->ranks);
        part->ranks = job_rank_set_intersect (request->ranks, its);
        if (!job_rank_set_is_empty (part->ranks)) {
            g_queue_push_tail (&script->hosts[i], new_pair (script, part));
        }
    }
}

static void
on_request (const JobRequest *request, gpointer user)
{
    Script *script = user;

    script->n_asked[request->verb]++;
    if (script->random != NULL) {
        send_to_hosts (script, request);
    } else {
        g_idle_add (answer, new_pair (script, request));
    }
}

/* A rank that runs, or has been told to, stops somewhere. */
static void
stop_one (Script *script)
{
    guint32 rank = (guint32) g_rand_int_range (script->random, 0, (gint32) script->n_ranks);
    g_autoptr (JobRankSet) one = job_rank_set_new_range (rank, rank + 1);

    if (script->states[rank] == JOB_STATE_RUNNING) {
        script->lines[rank] = (guint32) g_rand_int_range (script->random, 5, 8);
        apply_state (script, one, JOB_STATE_STOPPED, 0, FALSE, 0, NULL);
    }
}

static gboolean
on_tick (gpointer user)
{
    Script *script = user;

    for (gint32 n = g_rand_int_range (script->random, 0, 8); n > 0; n--) {
        gpointer pair = g_queue_pop_head (
            &script->hosts[g_rand_int_range (script->random, 0, G_N_ELEMENTS (script->hosts))]);

        if (pair != NULL) {
            answer (pair);
        }
        stop_one (script);
    }
    return G_SOURCE_CONTINUE;
}

void
script_scatter (Script *script, guint32 seed)
{
    script->random = g_rand_new_with_seed (seed);
    g_timeout_add (1, on_tick, script);
}

void
script_play (Script *script, const char *line)
{
    g_auto (GStrv) words = g_strsplit (line, " ", 6);
    guint n = g_strv_length (words);
    g_autoptr (JobRankSet) set = n > 1 ? job_rank_set_parse (words[1], script->n_ranks, NULL)
                                       : NULL;
    JobRankIter iter = { 0 };
    JobState state;
    guint32 rank;

    if (n >= 5 && g_str_equal (words[0], "state") && set != NULL
        && job_state_find (words[2], &state)) {
        while (job_rank_set_next (set, &iter, &rank)) {
            g_free (script->functions[rank]);
            script->functions[rank] = g_strdup (words[3]);
            script->lines[rank] = (guint32) atoi (words[4]);
        }
        apply_state (script, set, state, 0, FALSE, 0, n > 5 ? words[5] : NULL);
    } else if (n >= 3 && set != NULL
               && (g_str_equal (words[0], "output") || g_str_equal (words[0], "part")
                   || g_str_equal (words[0], "nul"))) {
        g_autofree char *text = g_strjoinv (" ", words + 2);
        g_autofree char *whole = g_strconcat (text, words[0][0] == 'p' ? "" : "\n", NULL);
        gsize size = strlen (whole);
        g_autoptr (GBytes) bytes = NULL;

        for (gsize i = 0; words[0][0] == 'n' && i < size; i++) {
            whole[i] = whole[i] == '|' ? '\0' : whole[i];
        }
        bytes = g_bytes_new (whole, size);

        g_signal_emit_by_name (script->session, "output", set, 1, bytes);
    } else if (n == 3 && g_str_equal (words[0], "flood") && set != NULL) {
        g_autoptr (GString) lines = g_string_new (NULL);
        g_autoptr (GBytes) bytes = NULL;

        for (int i = 0; i < atoi (words[2]); i++) {
            g_string_append_printf (lines, "line %d\n", i);
        }
        bytes = g_bytes_new (lines->str, lines->len);
        g_signal_emit_by_name (script->session, "output", set, 1, bytes);
    } else if (n == 2 && g_str_equal (words[0], "hold") && set != NULL) {
        script->held = g_steal_pointer (&set);
    } else if (n == 2 && g_str_equal (words[0], "mute") && set != NULL) {
        job_rank_set_free (script->mute);
        script->mute = g_steal_pointer (&set);
    } else if (n == 2 && g_str_equal (words[0], "without") && set != NULL) {
        job_rank_set_free (script->without);
        script->without = g_steal_pointer (&set);
    } else if (n == 3 && g_str_equal (words[0], "silent") && set != NULL) {
        session_set_silent (script->session, set, (guint) atoi (words[2]));
    } else if (n == 1 && g_str_equal (words[0], "speak")) {
        g_clear_pointer (&script->mute, job_rank_set_free);
    } else if (n == 1 && g_str_equal (words[0], "release") && script->held != NULL) {
        g_autoptr (JobRankSet) held = g_steal_pointer (&script->held);

        while (job_rank_set_next (held, &iter, &rank)) {
            script->lines[rank]++;
        }
        apply_state (script, held, JOB_STATE_STOPPED, script->held_request, FALSE, 0, NULL);
    } else if (n == 2 && g_str_equal (words[0], "source")) {
        g_autofree char *text = NULL;

        if (g_file_get_contents (words[1], &text, NULL, NULL)) {
            session_script_source (script->session, words[1], text);
        }
    } else if (n == 1 && g_str_equal (words[0], "asked")) {
        g_autoptr (JobRankSet) all = job_rank_set_new_range (0, script->n_ranks);
        g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_NOTICE, 0, all);

        event->text = g_strdup_printf ("asked for stacks %u, for locals %u",
                                       script->n_asked[JOB_VERB_WHERE],
                                       script->n_asked[JOB_VERB_LOCALS]);
        session_apply (script->session, event);
    } else if (n >= 3 && g_str_equal (words[0], "message")) {
        g_autofree char *text = g_strjoinv (" ", words + 2);

        g_signal_emit_by_name (script->session, "message", (guint) atoi (words[1]), text, text);
    } else {
        g_printerr ("cannot play: %s\n", line);
    }
}

Script *
script_new_in (Session *session, guint32 n_ranks, const char *file)
{
    Script *script = g_new0 (Script, 1);
    g_autoptr (JobRankSet) all = job_rank_set_new_range (0, n_ranks);
    g_autofree char *base = g_path_get_basename (file), *text = NULL;
    gboolean is_here = g_file_get_contents (file, &text, NULL, NULL);

    script->n_ranks = n_ranks;
    script->file = is_here ? g_build_filename ("/far/away", base, NULL) : g_strdup (file);
    script->session = g_object_ref (session);
    script->stops = g_new0 (guint64, n_ranks);
    script->lines = g_new0 (guint32, n_ranks);
    script->functions = g_new0 (char *, n_ranks);
    script->states = g_new0 (JobState, n_ranks);
    for (guint32 i = 0; i < n_ranks; i++) {
        script->functions[i] = g_strdup ("main");
        script->lines[i] = 5;
    }
    session_start_scripted (script->session, n_ranks, on_request, script);
    if (is_here) {
        session_script_source (script->session, script->file, text);
    }
    apply_state (script, all, JOB_STATE_STOPPED, 0, FALSE, 0, NULL);
    return script;
}

Script *
script_new (guint32 n_ranks, const char *file)
{
    g_autoptr (Session) session = session_new ();

    return script_new_in (session, n_ranks, file);
}

Session *
script_get_session (Script *script)
{
    return script->session;
}
