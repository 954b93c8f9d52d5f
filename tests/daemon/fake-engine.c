/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A test double of the engine: real ranks under a real PTRACE_SEIZE, but no debug information: it
 * holds each rank at its exec, continues it when told, and says how it ended. */
#include "base/error.h"
#include "engine/engine.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
    EngineRankInfo info;
    gboolean ended, held;
} FakeRank;

struct _Engine {
    EngineOptions options;
    /* PDDT_TEST_STORM: while there are ranks, each turn of the loop has a stop and the next turn's
     * SIGCHLD; the first 100 for each rank have a log line too */
    gboolean is_storm;
    guint n_lines;
    GArray *ranks; /* of FakeRank, by slot */
    gboolean runs; /* START "none" */
};

Engine *
engine_new (const EngineOptions *options)
{
    Engine *engine = g_new0 (Engine, 1);
    engine->options = *options;
    engine->is_storm = g_getenv ("PDDT_TEST_STORM") != NULL;
    engine->ranks = g_array_new (FALSE, TRUE, sizeof (FakeRank));
    return engine;
}

static void
emit_state (Engine *engine, guint32 slot, JobState state, int number, const char *text,
            guint64 request)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (slot, slot + 1);
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_STATE, request, ranks);
    event->state = state;
    event->number = number;
    event->text = g_strdup (text);
    event->final = request != 0;
    engine->options.emit (event, engine->options.user);
}

static void
emit_rank (Engine *engine, guint32 slot, const EngineRankInfo *info)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (slot, slot + 1);
    g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_RANKS, 0, ranks);
    const JobProcess process = { .slot = slot,
                                 .rank = info->rank,
                                 .size = info->size,
                                 .pid = info->pid,
                                 .host = (char *) g_get_host_name (),
                                 .program = (char *) "program" };
    event->processes = job_process_list_new ();
    job_process_list_add (event->processes, &process);
    engine->options.emit (event, engine->options.user);
}

gboolean
engine_adopt (Engine *engine, const EngineRankInfo *info, guint32 *ret_slot, GError **error)
{
    long options = PTRACE_O_TRACEEXEC | (info->launched ? PTRACE_O_EXITKILL : 0);
    gboolean forbidden = g_getenv ("PDDT_TEST_FORBID") != NULL;
    if (forbidden || ptrace (PTRACE_SEIZE, info->pid, 0, options) < 0) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_DENIED,
                     "cannot attach to process %d: the double forbids it", (int) info->pid);
        return FALSE;
    }
    FakeRank rank = { .info = *info };
    g_array_append_val (engine->ranks, rank);
    if (ret_slot != NULL)
        *ret_slot = engine->ranks->len - 1;
    emit_rank (engine, *ret_slot, info);
    return TRUE;
}

static void
apply (Engine *engine, guint32 slot, int status)
{
    FakeRank *rank = &g_array_index (engine->ranks, FakeRank, slot);
    if (WIFEXITED (status) || WIFSIGNALED (status)) {
        gboolean good = WIFEXITED (status) && WEXITSTATUS (status) == 0;
        rank->ended = TRUE;
        emit_state (engine, slot, good ? JOB_STATE_EXITED : JOB_STATE_FAILED,
                    WIFEXITED (status) ? WEXITSTATUS (status) : 0,
                    WIFSIGNALED (status) ? strsignal (WTERMSIG (status)) : NULL, 0);
    } else if (status >> 16 == PTRACE_EVENT_EXEC && !engine->runs) {
        rank->held = TRUE;
        emit_state (engine, slot, JOB_STATE_STOPPED, 0, NULL, 0);
    } else {
        int number = status >> 16 ? 0 : WSTOPSIG (status);
        ptrace (PTRACE_CONT, rank->info.pid, 0, (long) number);
    }
}

/* As many sampled ranks do: the next one stops before this one is dealt with. */
static void
go_on_storming (Engine *engine)
{
    if (engine->n_lines < 100 * engine->ranks->len) {
        g_autoptr (JobRankSet) ranks = job_rank_set_new_range (0, 1);
        g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_LOG, 0, ranks);
        event->text = g_strdup_printf ("line %u", ++engine->n_lines);
        engine->options.emit (event, engine->options.user);
    }
    kill (getpid (), SIGCHLD);
}

gboolean
engine_pump (Engine *engine)
{
    int status;
    pid_t pid;
    while ((pid = waitpid (-1, &status, WNOHANG | __WALL)) > 0) {
        for (guint32 i = 0; i < engine->ranks->len; i++) {
            FakeRank *rank = &g_array_index (engine->ranks, FakeRank, i);
            if (rank->info.pid == pid && !rank->ended) {
                apply (engine, i, status);
                break;
            }
        }
    }
    if (engine->is_storm && engine_get_n_ranks (engine) > 0) {
        go_on_storming (engine);
    }
    return FALSE;
}

void
engine_attach (Engine *engine, const EngineRankInfo *infos, guint n_infos)
{
    for (guint i = 0; i < n_infos; i++) {
        engine_adopt (engine, &infos[i], NULL, NULL);
    }
}

void
engine_open_cores (Engine *engine, const char *const *paths)
{
}

/* All in one turn of the loop, of 1,000 bytes each. */
static void
emit_logs (Engine *engine, guint32 n)
{
    g_autoptr (JobRankSet) ranks = job_rank_set_new_range (0, 1);
    for (guint32 i = 0; i < n; i++) {
        g_autoptr (JobEvent) event = job_event_new (JOB_EVENT_LOG, 0, ranks);
        event->text = g_strdup_printf ("%01000u", i);
        engine->options.emit (event, engine->options.user);
    }
}

void
engine_handle (Engine *engine, const JobRequest *request)
{
    if (request->verb == JOB_VERB_PRINTF) {
        emit_logs (engine, request->number);
    }
    if (request->verb == JOB_VERB_START) {
        engine->runs = g_strcmp0 (request->text, "none") == 0;
    }
    for (guint32 i = 0; i < engine->ranks->len; i++) {
        FakeRank *rank = &g_array_index (engine->ranks, FakeRank, i);
        if (request->verb == JOB_VERB_START && engine->runs && rank->held) {
            rank->held = FALSE; /* it came before the request */
            ptrace (PTRACE_CONT, rank->info.pid, 0, 0);
        }
        if (!job_rank_set_contains (request->ranks, i) || rank->ended) {
            continue;
        }
        if (request->verb == JOB_VERB_CONTINUE && rank->held) {
            rank->held = FALSE;
            ptrace (PTRACE_CONT, rank->info.pid, 0, 0);
            emit_state (engine, i, JOB_STATE_RUNNING, 0, NULL, request->id);
        } else if (request->verb == JOB_VERB_INPUT && rank->info.input_fd >= 0) {
            gssize size = write (rank->info.input_fd, request->text, strlen (request->text));
            (void) size;
            close (rank->info.input_fd);
            rank->info.input_fd = -1;
        }
    }
}

int
engine_get_answers_fd (const Engine *engine)
{
    return -1;
}

int
engine_get_timeout_ms (Engine *engine)
{
    return -1;
}

guint
engine_get_n_ranks (const Engine *engine)
{
    guint n = 0;
    for (guint32 i = 0; i < engine->ranks->len; i++) {
        n += !g_array_index (engine->ranks, FakeRank, i).ended;
    }
    return n;
}

void
engine_abandon (Engine *engine)
{
    for (guint32 i = 0; i < engine->ranks->len; i++) {
        FakeRank *rank = &g_array_index (engine->ranks, FakeRank, i);
        if (!rank->ended) {
            kill (rank->info.pid, SIGKILL);
        }
    }
}

void
engine_free (Engine *engine)
{
    engine_abandon (engine);
    g_array_unref (engine->ranks);
    g_free (engine);
}
