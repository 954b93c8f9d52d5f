/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of signals, and the table of what is done about each: stop, print, pass. The defaults are
 * gdb's, but that SIGPIPE and SIGCONT, which launchers send, do not stop. */
#include "engine/private.h"
#include <signal.h>
#include <string.h>

#define N_SIGNALS 65

enum { DO_STOP = 1, DO_PRINT = 2, DO_PASS = 4 };

static const char *const names[32] = {
    NULL, "SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE",
    "SIGKILL", "SIGUSR1", "SIGSEGV", "SIGUSR2", "SIGPIPE", "SIGALRM", "SIGTERM", "SIGSTKFLT",
    "SIGCHLD", "SIGCONT", "SIGSTOP", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGURG", "SIGXCPU",
    "SIGXFSZ", "SIGVTALRM", "SIGPROF", "SIGWINCH", "SIGIO", "SIGPWR", "SIGSYS",
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

        if (g_ascii_strcasecmp (candidate, name) == 0 || g_ascii_strcasecmp (candidate + 3, name) == 0) {
            return i;
        }
    }
    return 0;
}

static guint
get_default (int signal)
{
    switch (signal) {
    case SIGALRM: case SIGURG: case SIGIO: case SIGVTALRM: case SIGPROF: case SIGCHLD:
    case SIGWINCH: case SIGPIPE: case SIGCONT: case 32: case 33:
        return DO_PASS;
    case SIGINT: case SIGTRAP:
        return DO_STOP | DO_PRINT;
    default:
        return DO_STOP | DO_PRINT | DO_PASS;
    }
}

static guint
get_actions (Engine *engine, int signal)
{
    gpointer value;

    if (engine->signals != NULL
        && g_hash_table_lookup_extended (engine->signals, GINT_TO_POINTER (signal), NULL, &value)) {
        return GPOINTER_TO_UINT (value);
    }
    return get_default (signal);
}

gboolean
engine_signal_is_stop (Engine *engine, int signal)
{
    return (get_actions (engine, signal) & DO_STOP) != 0;
}

gboolean
engine_signal_is_print (Engine *engine, int signal)
{
    return (get_actions (engine, signal) & DO_PRINT) != 0;
}

gboolean
engine_signal_is_pass (Engine *engine, int signal)
{
    return (get_actions (engine, signal) & DO_PASS) != 0;
}

/* stop implies print, noprint implies nostop, as in gdb. */
static gboolean
apply_word (const char *word, guint *actions)
{
    static const struct { const char *word; guint set, clear; } rows[] = {
        { "stop", DO_STOP | DO_PRINT, 0 }, { "nostop", 0, DO_STOP },
        { "print", DO_PRINT, 0 },          { "noprint", 0, DO_PRINT | DO_STOP },
        { "pass", DO_PASS, 0 },            { "nopass", 0, DO_PASS },
        { "ignore", 0, DO_PASS },          { "noignore", DO_PASS, 0 },
    };

    for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
        if (strcmp (word, rows[i].word) == 0) {
            *actions = (*actions | rows[i].set) & ~rows[i].clear;
            return TRUE;
        }
    }
    return FALSE;
}

static gboolean
change_table (Engine *engine, const JobRequest *request, GError **error)
{
    int signal = request->text != NULL ? engine_signal_find (request->text) : 0;
    g_auto (GStrv) words = g_strsplit_set (request->text2 != NULL ? request->text2 : "", " \t,", -1);
    guint actions;

    if (signal == 0) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID, "no signal \"%s\"",
                     request->text != NULL ? request->text : "");
        return FALSE;
    }
    actions = get_actions (engine, signal);
    for (guint i = 0; words[i] != NULL; i++) {
        if (words[i][0] != '\0' && !apply_word (words[i], &actions)) {
            g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID, "cannot handle %s: no word \"%s\"",
                         request->text, words[i]);
            return FALSE;
        }
    }
    if (engine->signals == NULL) {
        engine->signals = g_hash_table_new (NULL, NULL);
    }
    g_hash_table_insert (engine->signals, GINT_TO_POINTER (signal), GUINT_TO_POINTER (actions));
    return TRUE;
}

static char *
format_table (Engine *engine)
{
    GString *text = g_string_new ("signal     stop print pass");

    for (int i = 1; i < 32; i++) {
        guint actions = get_actions (engine, i);

        g_string_append_printf (text, "\n%-10s %-4s %-5s %s", names[i], actions & DO_STOP ? "yes" : "no",
                                actions & DO_PRINT ? "yes" : "no", actions & DO_PASS ? "yes" : "no");
    }
    return g_string_free (text, FALSE);
}

void
engine_signal_handle (Engine *engine, const JobRequest *request)
{
    g_autoptr (GError) error = NULL;
    gboolean is_query = request->verb == JOB_VERB_SIGNALS;
    JobEvent *event;

    if (!is_query && !change_table (engine, request, &error)) {
        event = job_event_new_failure (request->id, request->ranks, error);
    } else {
        event = job_event_new (is_query ? JOB_EVENT_TEXT : JOB_EVENT_ACCEPTED, request->id,
                               request->ranks);
        event->text = is_query ? format_table (engine) : NULL;
    }
    event->final = TRUE;
    engine_emit (engine, event);
}
