/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signal names, and each rank's table of stop, print and pass. The defaults are gdb's, except
 * that SIGPIPE and SIGCONT, which launchers send, do not stop. */
#include "engine/control/private.h"
#include <signal.h>
#include <string.h>

#define N_SIGNALS 65

enum { DO_STOP = 1, DO_PRINT = 2, DO_PASS = 4 };

static const char *const names[32] = {
    NULL,        "SIGHUP",  "SIGINT",    "SIGQUIT", "SIGILL",   "SIGTRAP", "SIGABRT", "SIGBUS",
    "SIGFPE",    "SIGKILL", "SIGUSR1",   "SIGSEGV", "SIGUSR2",  "SIGPIPE", "SIGALRM", "SIGTERM",
    "SIGSTKFLT", "SIGCHLD", "SIGCONT",   "SIGSTOP", "SIGTSTP",  "SIGTTIN", "SIGTTOU", "SIGURG",
    "SIGXCPU",   "SIGXFSZ", "SIGVTALRM", "SIGPROF", "SIGWINCH", "SIGIO",   "SIGPWR",  "SIGSYS",
};

const char *
engine_signal_get_name (int signal)
{
    static char *others[N_SIGNALS];

    if (signal > 0 && signal < 32) {
        return names[signal];
    }
    if (signal < 32 || signal >= N_SIGNALS) {
        return "SIG?";
    }
    if (others[signal] == NULL) {
        others[signal] = g_strdup_printf ("SIG%d", signal);
    }
    return others[signal];
}

int
engine_signal_find (const char *name)
{
    for (int i = 1; i < N_SIGNALS; i++) {
        const char *candidate = engine_signal_get_name (i);

        if (g_ascii_strcasecmp (candidate, name) == 0
            || g_ascii_strcasecmp (candidate + 3, name) == 0) {
            return i;
        }
    }
    return 0;
}

static guint
get_default (int signal)
{
    switch (signal) {
    case SIGALRM:
    case SIGURG:
    case SIGIO:
    case SIGVTALRM:
    case SIGPROF:
    case SIGCHLD:
    case SIGWINCH:
    case SIGPIPE:
    case SIGCONT:
    case 32:
    case 33: return DO_PASS;
    case SIGINT:
    case SIGTRAP: return DO_STOP | DO_PRINT;
    default: return DO_STOP | DO_PRINT | DO_PASS;
    }
}

static guint
get_actions (const EngineProcess *process, int signal)
{
    if (process->engine->is_measured) {
        return DO_PASS;
    }
    if (process->signals != NULL && signal > 0 && signal < N_SIGNALS) {
        return process->signals[signal];
    }
    return get_default (signal);
}

gboolean
engine_signal_is_stop (const EngineProcess *process, int signal)
{
    return (get_actions (process, signal) & DO_STOP) != 0;
}

gboolean
engine_signal_is_print (const EngineProcess *process, int signal)
{
    return (get_actions (process, signal) & DO_PRINT) != 0;
}

gboolean
engine_signal_is_pass (const EngineProcess *process, int signal)
{
    return (get_actions (process, signal) & DO_PASS) != 0;
}

/* stop implies print, noprint implies nostop, as in gdb. */
static gboolean
apply_word (const char *word, guint *actions)
{
    static const struct {
        const char *word;
        guint set, clear;
    } rows[] = {
        { "stop", DO_STOP | DO_PRINT, 0 },
        { "nostop", 0, DO_STOP },
        { "print", DO_PRINT, 0 },
        { "noprint", 0, DO_PRINT | DO_STOP },
        { "pass", DO_PASS, 0 },
        { "nopass", 0, DO_PASS },
        { "ignore", 0, DO_PASS },
        { "noignore", DO_PASS, 0 },
    };

    for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
        if (strcmp (word, rows[i].word) == 0) {
            *actions = (*actions | rows[i].set) & ~rows[i].clear;
            return TRUE;
        }
    }
    return FALSE;
}

/* What the words make of the actions. */
static gboolean
apply_words (const JobRequest *request, guint *actions, GError **error)
{
    g_auto (GStrv) words = g_strsplit_set (request->text2 != NULL ? request->text2 : "", " \t,",
                                           -1);

    for (guint i = 0; words[i] != NULL; i++) {
        if (words[i][0] != '\0' && !apply_word (words[i], actions)) {
            base_error_set (error, BASE_ERROR_INVALID, "cannot handle %s: no word \"%s\"",
                            request->text, words[i]);
            return FALSE;
        }
    }
    return TRUE;
}

static gboolean
change_table (EngineProcess *process, const JobRequest *request, GError **error)
{
    int signal = request->text != NULL ? engine_signal_find (request->text) : 0;
    guint actions;

    if (signal == 0) {
        base_error_set (error, BASE_ERROR_INVALID, "no signal \"%s\"",
                        request->text != NULL ? request->text : "");
        return FALSE;
    }
    actions = get_actions (process, signal);
    if (!apply_words (request, &actions, error)) {
        return FALSE;
    }
    if (process->signals == NULL) {
        process->signals = g_new (guint8, N_SIGNALS);
        for (int i = 0; i < N_SIGNALS; i++) {
            process->signals[i] = (guint8) get_default (i);
        }
    }
    process->signals[signal] = (guint8) actions;
    return TRUE;
}

void
engine_signal_inherit (EngineProcess *child, const EngineProcess *parent)
{
    g_free (child->signals);
    child->signals = parent->signals != NULL ? g_memdup2 (parent->signals, N_SIGNALS) : NULL;
}

static GPtrArray *
list_signals (const EngineProcess *process)
{
    GPtrArray *details = job_detail_list_new ();

    for (int i = 1; i < N_SIGNALS; i++) {
        guint actions = get_actions (process, i);
        JobDetail *detail;

        /* Of the real-time ones those that somebody has said something about. */
        if (i >= 32 && actions == get_default (i)) {
            continue;
        }
        detail = job_detail_new (JOB_DETAIL_SIGNAL, (guint64) i, engine_signal_get_name (i),
                                 NULL);
        detail->flags = (actions & DO_STOP ? JOB_DETAIL_STOP : 0)
                        | (actions & DO_PRINT ? JOB_DETAIL_PRINT : 0)
                        | (actions & DO_PASS ? JOB_DETAIL_PASS : 0);
        g_ptr_array_add (details, detail);
    }
    return details;
}

/* Equal tables of many ranks become one answer. */
static void
answer (EngineProcess *process, const JobRequest *request)
{
    g_autoptr (JobRankSet) slot = job_rank_set_new_range (process->slot, process->slot + 1);
    JobEvent *event;

    event = job_event_new (JOB_EVENT_DETAILS, request->id, slot);
    event->details = list_signals (process);
    event->final = TRUE;
    engine_emit (process->engine, event);
}

void
engine_signal_handle (Engine *engine, const JobRequest *request)
{
    JOB_EACH_RANK (request->ranks, slot) {
        EngineProcess *process = engine_find_process (engine, slot);
        g_autoptr (GError) error = NULL;

        if (process == NULL) {
            continue;
        }
        if (request->verb == JOB_VERB_SIGNALS) {
            answer (process, request);
        } else if (change_table (process, request, &error)) {
            engine_emit_accepted (process, request->id);
        } else {
            engine_emit_failure (process, request->id, error);
        }
    }
}
