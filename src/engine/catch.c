/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is caught: forks, execs and exits where the kernel tells of them, libraries where the loader
 * does, signals before they are delivered, C++ exceptions at the runtime's two functions (Itanium
 * C++ ABI, exception handling, 2.4 and 2.5). Each is a point like a breakpoint, with ranks,
 * condition, count and log. */
#include "engine/point-private.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

/* ---- requests ---- */

static const struct { const char *word; EnginePointKind kind; const char *function; gboolean has_name; } rows[] = {
    { "signal", ENGINE_POINT_SIGNAL, NULL, TRUE },
    { "throw", ENGINE_POINT_THROW, "__cxa_throw", TRUE },
    { "catch", ENGINE_POINT_CATCH, "__cxa_begin_catch", TRUE },
    { "fork", ENGINE_POINT_FORK, NULL, FALSE },
    { "vfork", ENGINE_POINT_VFORK, NULL, FALSE },
    { "exec", ENGINE_POINT_EXEC, NULL, FALSE },
    { "exit", ENGINE_POINT_EXIT, NULL, FALSE },
    { "load", ENGINE_POINT_LOAD, NULL, TRUE },
    { "mpi-error", ENGINE_POINT_CODE, "ompi_mpi_errors_are_fatal_comm_handler", FALSE },
    { "exception", ENGINE_POINT_CODE, NULL, TRUE },
};

static gint
find_row (const char *word)
{
    for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
        if (strcmp (word, rows[i].word) == 0) {
            return (gint) i;
        }
    }
    return -1;
}

static gboolean
check_name (gint row, const char *word, const char *name, GError **error)
{
    if (row < 0) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID, "cannot catch \"%s\": it is signal, throw, catch, "
                     "fork, vfork, exec, exit, load, mpi-error, exception or divergence", word);
    } else if (name != NULL && !rows[row].has_name) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID, "cannot catch %s %s: %s takes no name", word, name,
                     word);
    } else if (name != NULL && rows[row].kind == ENGINE_POINT_SIGNAL && engine_signal_find (name) == 0) {
        g_set_error (error, BASE_ERROR, BASE_ERROR_INVALID, "no signal \"%s\"", name);
    } else {
        return TRUE;
    }
    return FALSE;
}

static EnginePoint *
add_point (Engine *engine, const JobRequest *request, GError **error)
{
    const char *text = request->text != NULL ? request->text : "";
    gsize length = strcspn (text, " \t");
    g_autofree char *word = g_strndup (text, length);
    g_autofree char *name = g_strstrip (g_strdup (text + length));
    gint row = find_row (word);
    EnginePoint *point;

    if (!check_name (row, word, name[0] != '\0' ? name : NULL, error)) {
        return NULL;
    }
    point = engine_point_add (engine, request, rows[row].kind);
    if (rows[row].function != NULL) {
        point->request->where.kind = JOB_WHERE_FUNCTION;
        g_free (point->request->where.function);
        point->request->where.function = g_strdup (rows[row].function);
    }
    g_free (point->name);
    point->name = rows[row].kind != ENGINE_POINT_CODE && name[0] != '\0' ? g_steal_pointer (&name) : NULL;
    return point;
}

static gboolean
is_at_code (const EnginePoint *point)
{
    return point->kind == ENGINE_POINT_CODE || point->kind == ENGINE_POINT_THROW
           || point->kind == ENGINE_POINT_CATCH;
}

static void
add_share (EnginePoint *point, EngineProcess *process)
{
    if (process->ended) {
        g_autoptr (GError) gone = g_error_new (BASE_ERROR, BASE_ERROR_GONE,
                                               "cannot catch %s: the rank has ended", point->request->text);
        engine_emit_failure (process, point->request->id, gone);
    } else if (is_at_code (point)) {
        engine_breakpoint_add_share (point, process);
    } else {
        EngineShare *share = engine_point_find_share (point, process);

        share = share != NULL ? share : engine_share_new (point, process);
        engine_share_emit_set (share, point->request->id, NULL);
    }
}

void
engine_catch_handle (Engine *engine, const JobRequest *request)
{
    g_autoptr (GError) error = NULL;
    EnginePoint *point = add_point (engine, request, &error);
    JobRankIter iter = { 0 };
    guint32 slot;

    if (point == NULL) {
        JobEvent *event = job_event_new_failure (request->id, request->ranks, error);

        event->final = TRUE;
        engine_emit (engine, event);
        return;
    }
    while (job_rank_set_next (request->ranks, &iter, &slot)) {
        EngineProcess *process = engine_find_process (engine, slot);

        if (process != NULL) {
            add_share (point, process);
        }
    }
}

/* ---- events ---- */

typedef gboolean (*NameMatch) (const char *name, gconstpointer what);

/* Asks the points of a kind. TRUE: one of them stops here. */
static EngineShare *
find_stop (EngineThread *thread, EnginePointKind kind, NameMatch matches, gconstpointer what)
{
    GPtrArray *points = thread->process->engine->breakpoints;

    for (guint i = 0; i < points->len; i++) {
        EnginePoint *point = g_ptr_array_index (points, i);
        EngineShare *share = point->kind == kind ? engine_point_find_share (point, thread->process) : NULL;

        if (share != NULL && share->enabled && (point->name == NULL || matches (point->name, what))
            && engine_share_judge (share, thread)) {
            return share;
        }
    }
    return NULL;
}

static gboolean
stop_by_kind (EngineThread *thread, EnginePointKind kind)
{
    EngineShare *share = find_stop (thread, kind, NULL, NULL);

    if (share == NULL) {
        return FALSE;
    }
    engine_process_stop (thread->process, thread, JOB_STATE_BREAKPOINT, (gint32) share->point->number, NULL,
                         NULL, NULL);
    return TRUE;
}

gboolean
engine_catch_fork (EngineThread *thread, gboolean is_vfork)
{
    return stop_by_kind (thread, is_vfork ? ENGINE_POINT_VFORK : ENGINE_POINT_FORK);
}

gboolean
engine_catch_exec (EngineThread *thread)
{
    return stop_by_kind (thread, ENGINE_POINT_EXEC);
}

gboolean
engine_catch_exit (EngineThread *thread)
{
    EngineProcess *process = thread->process;
    gboolean is_all;

    /* One thread of several may leave; the system call tells. */
    if (!engine_thread_load_registers (thread)) {
        return FALSE;
    }
    is_all = thread->registers.orig_rax == SYS_exit_group
             || (thread->registers.orig_rax == SYS_exit && process->threads->len == 1);
    return is_all && stop_by_kind (thread, ENGINE_POINT_EXIT);
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
           && find_stop (thread, ENGINE_POINT_SIGNAL, matches_signal, GINT_TO_POINTER (signal)) != NULL;
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
    GPtrArray *points = process->engine->breakpoints;

    for (guint i = 0; i < points->len; i++) {
        EnginePoint *point = g_ptr_array_index (points, i);

        if (point->kind == ENGINE_POINT_LOAD && engine_point_find_share (point, process) != NULL) {
            return TRUE;
        }
    }
    return FALSE;
}

gboolean
engine_catch_load (EngineThread *thread, GPtrArray *paths)
{
    EngineShare *share = paths->len > 0 ? find_stop (thread, ENGINE_POINT_LOAD, matches_module, paths) : NULL;
    g_autoptr (GString) text = NULL;

    if (share == NULL) {
        return FALSE;
    }
    text = g_string_new ("loaded");
    for (guint i = 0; i < paths->len; i++) {
        g_string_append_printf (text, "%s %s", i > 0 ? "," : "", (char *) g_ptr_array_index (paths, i));
    }
    engine_emit_notice (thread->process, text->str);
    engine_process_stop (thread->process, thread, JOB_STATE_BREAKPOINT, (gint32) share->point->number, NULL,
                         NULL, NULL);
    return TRUE;
}

/* ---- C++ exceptions ---- */

/* The names that users give to exceptions: N … E of <length><name>, St for std. Others as they are. */
static char *
dup_type_name (const char *mangled)
{
    const char *at = mangled + (*mangled == 'N');
    g_autoptr (GString) name = g_string_new (NULL);

    while (*at != '\0' && *at != 'E') {
        char *end;
        gulong length;

        if (at[0] == 'S' && at[1] == 't') {
            g_string_append (name, "std");
            at += 2;
            continue;
        }
        length = strtoul (at, &end, 10);
        if (length == 0 || end == at || strnlen (end, length) < length) {
            return g_strdup (mangled);
        }
        g_string_append_printf (name, "%s%.*s", name->len > 0 ? "::" : "", (int) length, end);
        at = end + length;
    }
    if (name->len == 0 || (*mangled == 'N') != (*at == 'E') || strlen (at) > 1) {
        return g_strdup (mangled);
    }
    return g_string_free (g_steal_pointer (&name), FALSE);
}

/* struct __cxa_exception lies before the object of the unwinder, its type first, 80 bytes on 64-bit
 * machines; the class of the unwinder's object tells whose it is. */
static guint64
find_caught_type (EngineProcess *process, guint64 header)
{
    guint64 class, type;

    if (!base_memory_read_u64 (process->memory, header, &class, NULL) || class != 0x474e5543432b2b00ull
        || !base_memory_read_u64 (process->memory, header - 80, &type, NULL)) {
        return 0;
    }
    return type;
}

static char *
dup_exception_type (const EngineShare *share, EngineThread *thread)
{
    BaseMemoryReader *memory = share->process->memory;
    guint64 type, address;
    g_autofree char *mangled = NULL;
    const char *name;

    if (!engine_thread_load_registers (thread)) {
        return NULL;
    }
    type = share->point->kind == ENGINE_POINT_THROW
               ? thread->registers.rsi
               : find_caught_type (share->process, thread->registers.rdi);
    if (type == 0 || !base_memory_read_u64 (memory, type + 8, &address, NULL)) {
        return NULL;
    }
    mangled = base_memory_read_string (memory, address, 1000, NULL, NULL);
    name = mangled != NULL && *mangled == '*' ? mangled + 1 : mangled;
    return name != NULL && g_utf8_validate (name, -1, NULL) ? dup_type_name (name) : NULL;
}

static gboolean
is_exception (const EngineShare *share)
{
    return share->point->kind == ENGINE_POINT_THROW || share->point->kind == ENGINE_POINT_CATCH;
}

gboolean
engine_catch_matches (EngineShare *share, EngineThread *thread)
{
    g_autofree char *type = NULL;

    if (!is_exception (share) || share->point->name == NULL) {
        return TRUE;
    }
    type = dup_exception_type (share, thread);
    return type == NULL || job_where_match_function (share->point->name, type); /* unknown may be it */
}

void
engine_catch_say (EngineShare *share, EngineThread *thread)
{
    g_autofree char *type = is_exception (share) ? dup_exception_type (share, thread) : NULL;
    g_autofree char *text = NULL;

    if (type != NULL) {
        text = g_strdup_printf ("%s %s", share->point->kind == ENGINE_POINT_THROW ? "throws" : "catches", type);
        engine_emit_notice (share->process, text);
    }
}
