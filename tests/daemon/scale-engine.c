/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A double of the engine for measuring at scale: it answers for ranks that do not exist as the engine would for real ones,
 * through the same protocol, sets and merging, but without ptrace and debug information. PDDT_SCALE: "N FIRST SIZE SEED",
 * ranks [FIRST, FIRST + N) of SIZE; the seed determines their places. They are in a program that looks like a solver, a
 * few of them at another place. Stacks have 24 frames' nodes in all, values differ by rank, steps arrive at the next
 * line. A profile of them has a thousand contexts, with times that differ from rank to rank by chance, and takes as long
 * as was asked for. */
#include "base/error.h"
#include "engine/engine.h"
#include "job/costs.h"
#include "job/value-merge.h"
#include <stdio.h>

#define ELSEWHERE 97 /* one in so many ranks is elsewhere */
#define DEPTH 12
#define N_CONTEXTS 1000u /* of a profile */
#define FAN_OUT 3u
#define N_KINDS 3u
#define N_CHANCES 32u
#define HEAVY 8u
#define FOUR_BYTES_MEAN 510.0
#define FOUR_BYTES_SIGMA 147.8
#define PERIOD_MS 10u  /* of samples that would have been taken */
#define MAX_GROUPS 16u /* as src/engine/sampling has it */

/* A profile that is being taken. */
typedef struct {
    Engine *engine;
    JobRankSet *slots;
    guint64 request;
    JobCosts *costs;
    guint ms;
    guint source, making;
} Profile;

struct _Engine {
    guint32 n_ranks, first_rank, size, seed;
    EngineEmit emit;
    gpointer user;
    guint32 line;
    JobRankSet *elsewhere, *rest; /* slots */
    GPtrArray *profiles;          /* of Profile */
};

static gboolean
is_elsewhere (const Engine *engine, guint32 slot)
{
    return (engine->first_rank + slot + engine->seed) % ELSEWHERE == 0;
}

static void
free_profile (gpointer data)
{
    Profile *profile = data;

    g_clear_handle_id (&profile->source, g_source_remove);
    g_clear_handle_id (&profile->making, g_source_remove);
    job_rank_set_free (profile->slots);
    job_costs_free (profile->costs);
    g_free (profile);
}

Engine *
engine_new (const EngineOptions *options)
{
    const char *text = g_getenv ("PDDT_SCALE");
    Engine *engine = g_new0 (Engine, 1);

    if (text == NULL
        || sscanf (text, "%u %u %u %u", &engine->n_ranks, &engine->first_rank, &engine->size,
                   &engine->seed)
               != 4) {
        g_error ("PDDT_SCALE says of no ranks");
    }
    engine->emit = options->emit;
    engine->user = options->user;
    engine->line = 10;
    engine->profiles = g_ptr_array_new_with_free_func (free_profile);
    engine->elsewhere = job_rank_set_new ();
    engine->rest = job_rank_set_new ();
    for (guint32 slot = 0; slot < engine->n_ranks; slot++) {
        job_rank_set_add (is_elsewhere (engine, slot) ? engine->elsewhere : engine->rest, slot);
    }
    return engine;
}

void
engine_free (Engine *engine)
{
    g_ptr_array_unref (engine->profiles);
    job_rank_set_free (engine->elsewhere);
    job_rank_set_free (engine->rest);
    g_free (engine);
}

/* ---- there are no others ---- */

gboolean
engine_adopt (Engine *engine, const EngineRankInfo *info, guint32 *ret_slot, GError **error)
{
    base_error_set (error, BASE_ERROR_UNSUPPORTED, "this daemon has fake ranks only");
    return FALSE;
}

void
engine_attach (Engine *engine, const EngineRankInfo *infos, guint n_infos)
{
}

void
engine_open_cores (Engine *engine, const char *const *paths)
{
}

gboolean
engine_pump (Engine *engine)
{
    return FALSE;
}

int
engine_get_timeout_ms (Engine *engine)
{
    return -1;
}

int
engine_get_answers_fd (const Engine *engine)
{
    return -1;
}

guint
engine_get_n_ranks (const Engine *engine)
{
    return engine->n_ranks;
}

void
engine_abandon (Engine *engine)
{
}

/* ---- answers ---- */

static void
emit (Engine *engine, JobEvent *event)
{
    if (!job_rank_set_is_empty (event->ranks)) {
        engine->emit (event, engine->user);
    }
    job_event_free (event);
}

/* The requested slots that are with the rest, or elsewhere. */
static JobRankSet *
select_slots (const Engine *engine, const JobRankSet *asked, gboolean is_elsewhere)
{
    return job_rank_set_intersect (asked, is_elsewhere ? engine->elsewhere : engine->rest);
}

static void
emit_states (Engine *engine, const JobRankSet *asked, guint64 request, guint32 flags)
{
    for (int is_elsewhere = 0; is_elsewhere < 2; is_elsewhere++) {
        g_autoptr (JobRankSet) slots = select_slots (engine, asked, is_elsewhere);
        JobEvent *event = job_event_new (JOB_EVENT_STATE, request, slots);

        event->state = JOB_STATE_STOPPED;
        event->flags = flags;
        event->final = request != 0;
        event->place = job_location_new (is_elsewhere ? "exchange" : "relax", "/src/solver.c",
                                         engine->line + (is_elsewhere ? 40 : 0));
        emit (engine, event);
    }
}

static void
emit_ranks (Engine *engine)
{
    g_autoptr (JobRankSet) all = job_rank_set_new_range (0, engine->n_ranks);
    JobEvent *event = job_event_new (JOB_EVENT_RANKS, 0, all);

    event->processes = job_process_list_new ();
    for (guint32 slot = 0; slot < engine->n_ranks; slot++) {
        const JobProcess process = { .slot = slot,
                                     .rank = engine->first_rank + slot,
                                     .size = engine->size,
                                     .pid = (gint32) (slot + 2),
                                     .host = (char *) "fake",
                                     .program = (char *) "solver" };

        job_process_list_add (event->processes, &process);
    }
    emit (engine, event);
    emit_states (engine, all, 0, 0);
}

static void
add_stacks (Engine *engine, JobStackTree *tree, const JobRankSet *asked, gboolean is_elsewhere)
{
    g_autoptr (JobRankSet) slots = select_slots (engine, asked, is_elsewhere);
    g_autoptr (GPtrArray) frames
        = g_ptr_array_new_with_free_func ((GDestroyNotify) job_frame_free);

    if (job_rank_set_is_empty (slots)) {
        return;
    }
    for (guint32 i = 0; i < DEPTH; i++) { /* innermost first; the outer half is common to all */
        g_autofree char *name
            = g_strdup_printf ("%s%u", is_elsewhere && i < DEPTH / 2 ? "exchange" : "relax", i);
        JobFrame *frame = job_frame_new ();

        frame->location.function = g_steal_pointer (&name);
        frame->location.file = g_strdup ("/src/solver.c");
        frame->location.line = 100 + i;
        g_ptr_array_add (frames, frame);
    }
    job_stack_tree_add (tree, frames, slots);
}

static void
emit_stacks (Engine *engine, const JobRequest *request)
{
    JobEvent *event = job_event_new (JOB_EVENT_STACKS, request->id, request->ranks);

    event->final = TRUE;
    event->tree = job_stack_tree_new ();
    add_stacks (engine, event->tree, request->ranks, FALSE);
    add_stacks (engine, event->tree, request->ranks, TRUE);
    emit (engine, event);
}

/* Of the expression "rank" each rank has its own, of any other two are all that there are. */
static void
add_values (const Engine *engine, JobValueTable *table, const char *name,
            const JobRankSet *asked)
{
    JobRankIter iter = { 0 };
    guint32 slot;

    if (g_strcmp0 (name, "rank") == 0) {
        g_autoptr (GPtrArray) own
            = g_ptr_array_new_with_free_func ((GDestroyNotify) job_value_table_free);

        while (job_rank_set_next (asked, &iter, &slot)) {
            g_autoptr (JobRankSet) one = job_rank_set_new_range (slot, slot + 1);
            g_autofree char *text = g_strdup_printf ("%u", engine->first_rank + slot);
            g_autoptr (JobValue) value = job_value_new_number (NULL, "int", text,
                                                               engine->first_rank + slot);

            g_ptr_array_add (own, job_value_table_new ());
            job_value_table_add (g_ptr_array_index (own, own->len - 1), name, one, value);
        }
        job_value_table_merge_all (table, own);
        return;
    }
    for (int is_elsewhere = 0; is_elsewhere < 2; is_elsewhere++) {
        g_autoptr (JobRankSet) slots = select_slots (engine, asked, is_elsewhere);
        g_autoptr (JobValue) value
            = job_value_new_number (NULL, "int", is_elsewhere ? "1" : "0", is_elsewhere);

        if (!job_rank_set_is_empty (slots)) {
            job_value_table_add (table, name, slots, value);
        }
    }
}

/* Of LOCALS two variables of two values, and one that each rank has its own of. */
static void
emit_values (Engine *engine, const JobRequest *request)
{
    JobEvent *event = job_event_new (JOB_EVENT_VALUES, request->id, request->ranks);

    event->final = TRUE;
    event->table = job_value_table_new ();
    if (request->verb == JOB_VERB_LOCALS) {
        add_values (engine, event->table, "converged", request->ranks);
        add_values (engine, event->table, "phase", request->ranks);
        add_values (engine, event->table, "rank", request->ranks);
    } else {
        add_values (engine, event->table, request->text, request->ranks);
    }
    emit (engine, event);
}

/* A text of each rank's own: of printf, or with a register's value as its detail. */
static void
emit_texts (Engine *engine, const JobRequest *request)
{
    JobRankIter iter = { 0 };
    guint32 slot;

    while (job_rank_set_next (request->ranks, &iter, &slot)) {
        g_autoptr (JobRankSet) one = job_rank_set_new_range (slot, slot + 1);
        JobEvent *event = job_event_new (JOB_EVENT_TEXT, request->id, one);

        event->final = TRUE;
        event->text = g_strdup_printf ("rank %u", engine->first_rank + slot);
        if (request->verb == JOB_VERB_REGISTERS) {
            event->details = job_detail_list_new ();
            g_ptr_array_add (event->details,
                             job_detail_new (JOB_DETAIL_REGISTER, slot, "pc", event->text));
        }
        emit (engine, event);
    }
}

/* Each waits for a message of its left neighbour. */
static void
emit_queues (Engine *engine, const JobRequest *request)
{
    JobEvent *event = job_event_new (JOB_EVENT_QUEUES, request->id, request->ranks);
    JobRankIter iter = { 0 };
    guint32 slot;

    event->final = TRUE;
    event->queues = job_message_table_new ();
    while (job_rank_set_next (request->ranks, &iter, &slot)) {
        JobMessageQueue *queue = job_message_queue_new (slot);
        JobMessageCall *call = job_message_call_new (JOB_MESSAGE_RECV, "MPI_Recv");
        guint32 rank = engine->first_rank + slot;

        queue->source = JOB_MESSAGE_SOURCE_RECORDER;
        call->number = 1;
        call->communicator = JOB_MESSAGE_WORLD_ID;
        call->peer = call->local_peer = (gint32) (rank > 0 ? rank - 1 : engine->size - 1);
        call->tag = 7;
        g_ptr_array_add (queue->calls, call);
        job_message_table_add (event->queues, queue);
    }
    emit (engine, event);
}

static void
emit_motion (Engine *engine, const JobRequest *request)
{
    JobEvent *begun = job_event_new (JOB_EVENT_STATE, request->id, request->ranks);

    begun->state = request->verb == JOB_VERB_CONTINUE ? JOB_STATE_RUNNING : JOB_STATE_STEPPING;
    emit (engine, begun);
    engine->line++;
    emit_states (engine, request->ranks, request->id, 0);
}

/* ---- profiles ---- */

/* A tree of functions with lines, whose inner ones are the more expensive. */
static void
add_contexts (JobContextTree *tree)
{
    for (guint32 i = 1; i <= N_CONTEXTS; i++) {
        g_autofree char *name = g_strdup_printf ("step%u", i % 97);
        const JobLocation place = { .function = name,
                                    .file = (char *) "/src/solver.c",
                                    .line = 100 + i,
                                    .language = JOB_LANGUAGE_C };

        job_context_tree_add (tree, (i + FAN_OUT - 2) / FAN_OUT, &place, 0);
    }
}

/* As often as chance has it where `mean` is to be expected: the sum of four bytes is nearly normal. */
static guint32
count_samples (GRand *random, double mean, double deviation)
{
    guint32 bits = g_rand_int (random);
    double sum = (bits & 0xff) + (bits >> 8 & 0xff) + (bits >> 16 & 0xff) + (bits >> 24);

    return (guint32) MAX (mean + (sum - FOUR_BYTES_MEAN) / FOUR_BYTES_SIGMA * deviation + 0.5,
                          0);
}

static double
find_root (double square)
{
    double root = MAX (square, 1);

    for (guint i = 0; i < 20 && square > 0; i++) { /* Newton */
        root = (root + square / root) / 2;
    }
    return root;
}

/* Ranks elsewhere are in the exchange's contexts, and the heavy ones have more to do in the last ones. */
static void
fill_row (GRand *random, gboolean is_elsewhere, gboolean is_heavy, guint64 all_ms, GArray *row)
{
    double mean = (double) all_ms / PERIOD_MS / N_CONTEXTS;
    double part = 0, deviation = 0;

    g_array_set_size (row, 0);
    for (guint32 i = 1; i <= N_CONTEXTS; i++) {
        gboolean is_first = i <= N_CONTEXTS / 4, is_last = i > N_CONTEXTS - N_CONTEXTS / 4;
        double factor = is_elsewhere ? (is_first ? 3 : 0.33)
                        : is_heavy   ? (is_last ? 2 : 0.67)
                                     : 1;
        JobCost cost = { i, is_elsewhere && is_first ? JOB_CLASS_MPI : JOB_CLASS_NATIVE, 0 };

        if (part != mean * factor) {
            part = mean * factor;
            deviation = find_root (part);
        }
        cost.ms = PERIOD_MS * count_samples (random, part, deviation);
        if (cost.ms > 0) {
            g_array_append_val (row, cost);
        }
    }
}

/* Where the first rank of a set is, the others are, too. */
static void
add_alike (JobCosts *costs, JobRankSet *const *alike, guint n)
{
    for (guint i = 0; i < job_costs_get_n_groups (costs); i++) {
        const JobRankSet *firsts = job_costs_get_ranks (costs, i);
        JobRankSet *all = job_rank_set_new ();

        for (guint j = 0; j < n; j++) {
            if (job_rank_set_contains (firsts, job_rank_set_get_lowest (alike[j]))) {
                job_rank_set_merge (all, alike[j]);
            }
        }
        job_costs_set_ranks (costs, i, all);
    }
}

/* Each HEAVY-th rank has more to do. Of each kind every N_CHANCES-th rank was sampled alike. */
static JobCosts *
make_costs (const Engine *engine, const JobRankSet *slots, guint64 all_ms)
{
    JobCosts *costs = job_costs_new ();
    GRand *random = g_rand_new_with_seed (engine->seed + engine->first_rank);
    g_autoptr (GArray) row = g_array_new (FALSE, FALSE, sizeof (JobCost));
    JobRankSet *alike[N_KINDS * N_CHANCES];
    guint n_seen[N_KINDS] = { 0 };
    JobRankIter iter = { 0 };
    guint32 slot;

    add_contexts (job_costs_get_tree (costs));
    for (guint i = 0; i < G_N_ELEMENTS (alike); i++) {
        alike[i] = job_rank_set_new ();
    }
    while (job_rank_set_next (slots, &iter, &slot)) {
        guint kind = is_elsewhere (engine, slot) ? 0 : slot % HEAVY == 0 ? 1 : 2;

        job_rank_set_add (alike[kind * N_CHANCES + n_seen[kind]++ % N_CHANCES], slot);
        job_costs_note (costs, all_ms / PERIOD_MS, 0, all_ms);
    }
    for (guint i = 0; i < G_N_ELEMENTS (alike); i++) {
        guint32 lowest = job_rank_set_get_lowest (alike[i]);
        g_autoptr (JobRankSet) first
            = job_rank_set_new_range (lowest, lowest != G_MAXUINT32 ? lowest + 1 : lowest);

        fill_row (random, i / N_CHANCES == 0, i / N_CHANCES == 1, all_ms, row);
        job_costs_add (costs, first, row);
    }
    g_rand_free (random);
    job_costs_join_alike (costs, PERIOD_MS, MAX_GROUPS);
    add_alike (costs, alike, G_N_ELEMENTS (alike));
    for (guint i = 0; i < G_N_ELEMENTS (alike); i++) {
        job_rank_set_free (alike[i]);
    }
    return costs;
}

static gboolean
on_profile_made (gpointer user)
{
    Profile *profile = user;

    profile->making = 0;
    profile->costs = make_costs (profile->engine, profile->slots, profile->ms);
    return G_SOURCE_REMOVE;
}

static gboolean
on_profile_over (gpointer user)
{
    Profile *profile = user;
    JobEvent *event = job_event_new (JOB_EVENT_COSTS, profile->request, profile->slots);

    profile->source = 0;
    if (profile->making != 0) { /* too little time for that */
        g_clear_handle_id (&profile->making, g_source_remove);
        on_profile_made (profile);
    }
    event->final = TRUE;
    event->costs = g_steal_pointer (&profile->costs);
    emit (profile->engine, event);
    g_ptr_array_remove_fast (profile->engine->profiles, profile);
    return G_SOURCE_REMOVE;
}

/* What has been spent is made up before the time is over, and not by all daemons at once: the processors of a
 * thousand hosts are not here. */
static void
begin_profile (Engine *engine, const JobRequest *request)
{
    Profile *profile = g_new0 (Profile, 1);
    guint ms = (guint) CLAMP (request->ms, 1, G_MAXINT32);

    profile->engine = engine;
    profile->request = request->id;
    profile->slots = job_rank_set_dup (request->ranks);
    profile->ms = ms;
    profile->source = g_timeout_add (ms, on_profile_over, profile);
    profile->making = g_timeout_add (engine->first_rank % 1009 * (ms / 2) / 1009,
                                     on_profile_made, profile);
    g_ptr_array_add (engine->profiles, profile);
}

void
engine_handle (Engine *engine, const JobRequest *request)
{
    JobEvent *event;

    if (request->verb == JOB_VERB_START) {
        emit_ranks (engine);
    } else if (request->verb == JOB_VERB_STATE) {
        emit_states (engine, request->ranks, request->id, JOB_EVENT_FRESH);
    } else if (request->verb == JOB_VERB_WHERE) {
        emit_stacks (engine, request);
    } else if (request->verb == JOB_VERB_PRINT || request->verb == JOB_VERB_LOCALS) {
        emit_values (engine, request);
    } else if (request->verb == JOB_VERB_PRINTF || request->verb == JOB_VERB_REGISTERS) {
        emit_texts (engine, request);
    } else if (request->verb == JOB_VERB_QUEUE) {
        emit_queues (engine, request);
    } else if (request->verb == JOB_VERB_PROFILE && (request->flags & JOB_REQUEST_SUMMED)
               && request->rate > 0) {
        begin_profile (engine, request);
    } else if (job_verb_is_motion (request->verb)) {
        emit_motion (engine, request);
    } else {
        event = job_event_new (JOB_EVENT_ACCEPTED, request->id, request->ranks);
        event->final = TRUE;
        emit (engine, event);
    }
}
