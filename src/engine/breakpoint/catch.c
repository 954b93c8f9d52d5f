/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Catchpoints: forks, execs and exits where the kernel reports them, libraries where the loader
 * does, signals before they are delivered, C++ exceptions at the runtime's two functions
 * (Itanium C++ ABI, exception handling, 2.4 and 2.5). Each is like a breakpoint, with
 * ranks, condition, count and log. */
#include "engine/breakpoint/private.h"
#include "engine/control/control.h"
#include "engine/notices.h"
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>

/* ---- requests ---- */

static const struct {
    const char *word;
    EngineBreakpointKind kind;
    const char *function;
    gboolean has_name;
} rows[] = {
    { "signal", ENGINE_BREAKPOINT_SIGNAL, NULL, TRUE },
    { "throw", ENGINE_BREAKPOINT_THROW, "__cxa_throw", TRUE },
    { "catch", ENGINE_BREAKPOINT_CATCH, "__cxa_begin_catch", TRUE },
    { "rethrow", ENGINE_BREAKPOINT_RETHROW, "__cxa_rethrow", TRUE },
    { "fork", ENGINE_BREAKPOINT_FORK, NULL, FALSE },
    { "vfork", ENGINE_BREAKPOINT_VFORK, NULL, FALSE },
    { "exec", ENGINE_BREAKPOINT_EXEC, NULL, FALSE },
    { "exit", ENGINE_BREAKPOINT_EXIT, NULL, FALSE },
    { "load", ENGINE_BREAKPOINT_LOAD, NULL, TRUE },
    { "mpi-error", ENGINE_BREAKPOINT_MPI_ERROR, NULL, FALSE },
    { "syscall", ENGINE_BREAKPOINT_SYSTEM_CALL, NULL, TRUE },
    { "exception", ENGINE_BREAKPOINT_CODE, NULL, TRUE },
};

static gint
find_row (const char *word)
{
    return BASE_CHOOSE (i, G_N_ELEMENTS (rows), strcmp (word, rows[i].word) == 0, (gint) i, -1);
}

static gboolean
is_exception (EngineBreakpointKind kind)
{
    return kind == ENGINE_BREAKPOINT_THROW || kind == ENGINE_BREAKPOINT_CATCH
           || kind == ENGINE_BREAKPOINT_RETHROW;
}

static gboolean
check_name (gint row, const char *word, const char *name, GError **error)
{
    if (row < 0) {
        base_error_set (
            error, BASE_ERROR_INVALID,
            "cannot catch \"%s\": it is signal, throw, catch, rethrow, "
            "fork, vfork, exec, exit, load, syscall, mpi-error, exception or divergence",
            word);
    } else if (name != NULL && !rows[row].has_name) {
        base_error_set (error, BASE_ERROR_INVALID, "cannot catch %s %s: %s takes no name", word,
                        name, word);
    } else if (name != NULL && rows[row].kind == ENGINE_BREAKPOINT_SIGNAL
               && engine_signal_find (name) == 0) {
        base_error_set (error, BASE_ERROR_INVALID, "no signal \"%s\"", name);
    } else if (name != NULL && rows[row].kind == ENGINE_BREAKPOINT_SYSTEM_CALL
               && target_system_call_find (name) < 0) {
        base_error_set (error, BASE_ERROR_INVALID, "no system call \"%s\"", name);
    } else if (name != NULL && is_exception (rows[row].kind)) {
        g_autoptr (GRegex) regex = g_regex_new (name, G_REGEX_RAW, 0, NULL);

        if (regex != NULL) {
            return TRUE;
        }
        base_error_set (error, BASE_ERROR_INVALID,
                        "cannot catch %s %s: the type is no regular expression", word, name);
    } else {
        return TRUE;
    }
    return FALSE;
}

static EngineBreakpoint *
add_point (Engine *engine, const JobRequest *request, GError **error)
{
    const char *text = request->text != NULL ? request->text : "";
    gsize length = strcspn (text, " \t");
    g_autofree char *word = g_strndup (text, length);
    g_autofree char *name = g_strstrip (g_strdup (text + length));
    gint row = find_row (word);
    EngineBreakpoint *breakpoint;

    if (!check_name (row, word, name[0] != '\0' ? name : NULL, error)) {
        return NULL;
    }
    breakpoint = engine_breakpoint_find (engine, request->number);
    if (breakpoint != NULL && breakpoint->request->id >= request->id) {
        return breakpoint; /* as another rank has it already */
    }
    breakpoint = engine_breakpoint_add (engine, request, rows[row].kind);
    if (rows[row].function != NULL) {
        breakpoint->request->where.kind = JOB_WHERE_FUNCTION;
        g_free (breakpoint->request->where.function);
        breakpoint->request->where.function = g_strdup (rows[row].function);
    }
    g_free (breakpoint->name);
    breakpoint->name = rows[row].kind != ENGINE_BREAKPOINT_CODE && name[0] != '\0'
                           ? g_steal_pointer (&name)
                           : NULL;
    return breakpoint;
}

static gboolean
is_at_code (const EngineBreakpoint *breakpoint)
{
    return breakpoint->kind == ENGINE_BREAKPOINT_CODE || is_exception (breakpoint->kind);
}

/* An EngineWork. */
static void
add_site (EngineProcess *process, const JobRequest *request)
{
    EngineBreakpoint *breakpoint = add_point (process->engine, request, NULL);

    if (process->ended) {
        g_autoptr (GError) gone = g_error_new (BASE_ERROR, BASE_ERROR_GONE,
                                               "cannot catch %s: the rank has ended",
                                               breakpoint->request->text);
        engine_emit_failure (process, request->id, gone);
    } else if (is_at_code (breakpoint)) {
        engine_breakpoint_add_site (breakpoint, process, request->id);
    } else {
        EngineBreakpointSite *site = engine_breakpoint_find_site (breakpoint, process);

        site = site != NULL ? site : engine_breakpoint_site_new (breakpoint, process);
        engine_catch_enable (site);
        if (breakpoint->kind == ENGINE_BREAKPOINT_MPI_ERROR) {
            engine_tell (process, process->engine->notices->errors_wanted);
        }
        engine_breakpoint_site_emit_set (site, request->id, NULL);
    }
}

void
engine_catch_handle (Engine *engine, const JobRequest *request)
{
    g_autoptr (GError) error = NULL;

    if (add_point (engine, request, &error) == NULL) {
        JobEvent *event = job_event_new_failure (request->id, request->ranks, error);

        event->final = TRUE;
        engine_emit (engine, event);
        return;
    }
    engine_work_do_all (engine, request, add_site);
}

/* ---- events ---- */

typedef gboolean (*NameMatch) (const char *name, gconstpointer what);

/* Asks the catchpoints of a kind. TRUE: one of them stops here. */
static EngineBreakpointSite *
find_stop (EngineThread *thread, EngineBreakpointKind kind, NameMatch matches,
           gconstpointer what)
{
    g_autoptr (GPtrArray) breakpoints = engine_breakpoint_dup_all (thread->process->engine);

    for (guint i = 0; i < breakpoints->len; i++) {
        EngineBreakpoint *breakpoint = g_ptr_array_index (breakpoints, i);
        EngineBreakpointSite *site = breakpoint->kind == kind
                                         ? engine_breakpoint_find_site (breakpoint,
                                                                        thread->process)
                                         : NULL;

        if (site != NULL && site->enabled
            && (breakpoint->name == NULL || matches (breakpoint->name, what))
            && engine_breakpoint_site_judge (site, thread)) {
            return site;
        }
    }
    return NULL;
}

static gboolean
has_point (EngineProcess *process, EngineBreakpointKind kind)
{
    GPtrArray *breakpoints = process->engine->breakpoints;

    return BASE_HAS (breakpoints, EngineBreakpoint, breakpoint,
                     breakpoint->kind == kind
                         && engine_breakpoint_find_site (breakpoint, process) != NULL);
}

static gboolean
stop_by_kind (EngineThread *thread, EngineBreakpointKind kind)
{
    EngineBreakpointSite *site = find_stop (thread, kind, NULL, NULL);

    if (site == NULL) {
        return FALSE;
    }
    engine_process_stop (thread->process, thread, JOB_STATE_BREAKPOINT,
                         (gint32) site->breakpoint->number, NULL, NULL, NULL);
    return TRUE;
}

gboolean
engine_catch_fork (EngineThread *thread, gboolean is_vfork)
{
    return stop_by_kind (thread, is_vfork ? ENGINE_BREAKPOINT_VFORK : ENGINE_BREAKPOINT_FORK);
}

gboolean
engine_catch_exec (EngineThread *thread)
{
    return stop_by_kind (thread, ENGINE_BREAKPOINT_EXEC);
}

/* One thread of several may leave; the system call tells. */
static gboolean
ends_process (EngineThread *thread)
{
    return engine_thread_load_registers (thread)
           && (machine_registers_get_system_call (&thread->registers) == SYS_exit_group
               || (machine_registers_get_system_call (&thread->registers) == SYS_exit
                   && thread->process->threads->len == 1));
}

gboolean
engine_catch_exit (EngineThread *thread)
{
    return ends_process (thread) && stop_by_kind (thread, ENGINE_BREAKPOINT_EXIT);
}

gboolean
engine_catch_wants_event (EngineThread *thread, TargetStopKind kind)
{
    switch (kind) {
    case TARGET_STOP_FORK: return has_point (thread->process, ENGINE_BREAKPOINT_FORK);
    case TARGET_STOP_VFORK: return has_point (thread->process, ENGINE_BREAKPOINT_VFORK);
    case TARGET_STOP_EXIT:
        return has_point (thread->process, ENGINE_BREAKPOINT_EXIT) && ends_process (thread);
    default: return FALSE;
    }
}

gboolean
engine_catch_mpi_error (EngineThread *thread)
{
    return find_stop (thread, ENGINE_BREAKPOINT_MPI_ERROR, NULL, NULL) != NULL;
}

gboolean
engine_catch_wants_mpi_errors (EngineProcess *process)
{
    return has_point (process, ENGINE_BREAKPOINT_MPI_ERROR);
}

static gboolean
matches_signal (const char *name, gconstpointer what)
{
    return engine_signal_find (name) == GPOINTER_TO_INT (what);
}

gboolean
engine_catch_signal (EngineThread *thread, int signal)
{
    return signal != SIGTRAP && signal != 32 && signal != 33 /* glibc's own */
           && find_stop (thread, ENGINE_BREAKPOINT_SIGNAL, matches_signal,
                         GINT_TO_POINTER (signal))
                  != NULL;
}

/* ---- system calls ---- */

gboolean
engine_catch_wants_calls (EngineProcess *process)
{
    GPtrArray *breakpoints = process->engine->breakpoints;

    for (guint i = 0; process->suspended.n == 0 && i < breakpoints->len; i++) {
        EngineBreakpoint *breakpoint = g_ptr_array_index (breakpoints, i);
        EngineBreakpointSite *site = breakpoint->kind == ENGINE_BREAKPOINT_SYSTEM_CALL
                                         ? engine_breakpoint_find_site (breakpoint, process)
                                         : NULL;

        if (site != NULL && site->enabled) {
            return TRUE;
        }
    }
    return FALSE;
}

/* Threads that run are let go on in the way that shows their calls, or the other. */
void
engine_catch_enable (EngineBreakpointSite *site)
{
    EngineProcess *process = site->process;

    if (site->breakpoint->kind == ENGINE_BREAKPOINT_SYSTEM_CALL && !process->ended
        && !engine_process_is_stopped (process) && engine_process_halt (process)) {
        engine_process_release (process);
    }
}

gboolean
engine_catch_wants_call (EngineThread *thread)
{
    GPtrArray *breakpoints = thread->process->engine->breakpoints;

    return !thread->ignores_call_stop
           && BASE_HAS (breakpoints, EngineBreakpoint, breakpoint,
                        breakpoint->kind == ENGINE_BREAKPOINT_SYSTEM_CALL
                            && engine_breakpoint_find_site (breakpoint, thread->process) != NULL
                            && (breakpoint->name == NULL
                                || target_system_call_find (breakpoint->name)
                                       == thread->call.number));
}

static gboolean
matches_call (const char *name, gconstpointer what)
{
    const TargetSystemCall *call = what;

    return target_system_call_find (name) == call->number;
}

static JobText *
describe_call (const TargetSystemCall *call)
{
    const char *known = target_system_call_get_name (call->number);
    JobText *name = known != NULL ? job_text_new_plain (known)
                                  : job_text_new ("system call %d", (int) call->number);
    JobText *text;

    if (call->is_entry) {
        /* Translators: the rank calls this function of the system. */
        text = job_text_new ("calls %s", "");
    } else if (call->result < 0 && call->result > -4096) {
        text = job_text_new ("%s failed: %s", "", g_strerror ((int) -call->result));
    } else {
        g_autofree char *result = g_strdup_printf ("%" G_GINT64_FORMAT, call->result);

        text = job_text_new ("%s returned %s", "", result);
    }
    job_text_nest (text, 0, name);
    return text;
}

gboolean
engine_catch_call (EngineThread *thread)
{
    EngineBreakpointSite *site = thread->ignores_call_stop
                                     ? NULL
                                     : find_stop (thread, ENGINE_BREAKPOINT_SYSTEM_CALL,
                                                  matches_call, &thread->call);

    if (site == NULL) {
        return FALSE;
    }
    engine_emit_text (thread->process, describe_call (&thread->call));
    engine_process_stop (thread->process, thread, JOB_STATE_BREAKPOINT,
                         (gint32) site->breakpoint->number, NULL, NULL, NULL);
    return TRUE;
}

static gboolean
matches_module (const char *name, gconstpointer what)
{
    const GPtrArray *paths = what;

    for (guint i = 0; i < paths->len; i++) {
        g_autofree char *base = g_path_get_basename (g_ptr_array_index (paths, i));

        if (strstr (base, name) != NULL) {
            return TRUE;
        }
    }
    return FALSE;
}

gboolean
engine_catch_wants_load (EngineProcess *process)
{
    return has_point (process, ENGINE_BREAKPOINT_LOAD);
}

gboolean
engine_catch_load (EngineThread *thread, GPtrArray *paths)
{
    EngineBreakpointSite *site = paths->len > 0 ? find_stop (thread, ENGINE_BREAKPOINT_LOAD,
                                                             matches_module, paths)
                                                : NULL;
    g_autoptr (GString) names = g_string_new (NULL);

    if (site == NULL) {
        return FALSE;
    }
    for (guint i = 0; i < paths->len; i++) {
        g_string_append_printf (names, "%s%s", i > 0 ? ", " : "",
                                (char *) g_ptr_array_index (paths, i));
    }
    /* Translators: the rank has loaded these libraries. */
    engine_say (thread->process, "loaded %s", names->str);
    engine_process_stop (thread->process, thread, JOB_STATE_BREAKPOINT,
                         (gint32) site->breakpoint->number, NULL, NULL, NULL);
    return TRUE;
}

/* ---- C++ exceptions ---- */

static gboolean
find_exception (const EngineBreakpoint *breakpoint, EngineThread *thread,
                EngineException *ret_exception)
{
    switch (breakpoint->kind) {
    case ENGINE_BREAKPOINT_THROW: return engine_exception_find_thrown (thread, ret_exception);
    case ENGINE_BREAKPOINT_CATCH: return engine_exception_find_caught (thread, ret_exception);
    case ENGINE_BREAKPOINT_RETHROW:
        return engine_exception_find_current (thread, ret_exception);
    default: return FALSE;
    }
}

gboolean
engine_catch_matches (EngineBreakpointSite *site, EngineThread *thread)
{
    EngineException exception;
    g_autofree char *type = NULL;

    if (site->breakpoint->name == NULL
        || !find_exception (site->breakpoint, thread, &exception)) {
        return TRUE;
    }
    type = engine_exception_dup_type (site->process, &exception);
    return type == NULL /* unknown may be it */
           || job_where_match_function (site->breakpoint->name, type)
           || (strpbrk (site->breakpoint->name, "^$.[]()+?{}|\\*")
                   != NULL /* "int" is no long int */
               && g_regex_match_simple (site->breakpoint->name, type, G_REGEX_RAW, 0));
}

void
engine_catch_say (EngineBreakpointSite *site, EngineThread *thread)
{
    EngineException exception;
    g_autofree char *what = find_exception (site->breakpoint, thread, &exception)
                                ? engine_exception_describe (site->process, &exception)
                                : NULL;

    if (what != NULL) {
        if (site->breakpoint->kind == ENGINE_BREAKPOINT_THROW) {
            /* Translators: the rank throws this C++ exception. */
            engine_say (site->process, "throws %s", what);
        } else if (site->breakpoint->kind == ENGINE_BREAKPOINT_RETHROW) {
            engine_say (site->process, "throws %s again", what);
        } else {
            engine_say (site->process, "catches %s", what);
        }
    }
}

char *
engine_catch_dup_exception (EngineThread *thread, guint64 *ret_object)
{
    EngineProcess *process = thread->process;
    const EngineBreakpoint *breakpoint
        = process->state == JOB_STATE_BREAKPOINT
                  && thread == engine_process_get_stopped (process)
              ? engine_breakpoint_find (process->engine, (guint32) process->state_number)
              : NULL;
    EngineException exception;

    if (breakpoint == NULL || !find_exception (breakpoint, thread, &exception)) {
        return NULL;
    }
    *ret_object = exception.object;
    return engine_exception_dup_type (process, &exception);
}
