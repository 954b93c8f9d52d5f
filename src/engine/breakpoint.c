/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Logical breakpoints: for each process a share with the places found there until now, planted,
 * counted and asked for their conditions at each hit. A library that is loaded later is searched
 * when the loader tells of it. Python's half of the same number is python.c's and the agent's. */
#include "engine/private.h"
#include <string.h>

typedef struct {
    guint32 number;
    JobRequest *request;
    GPtrArray *shares;        /* of Share */
} Breakpoint;

typedef struct {
    Breakpoint *breakpoint;
    EngineProcess *process;
    GPtrArray *places;        /* of EnginePlace, planted when enabled */
    GPtrArray *python_places; /* of JobLocation */
    GHashTable *searched;     /* modules by start and path */
    guint64 hits;
    gboolean enabled, answered, file_known;
} Share;

static EngineTrapAnswer on_hit (EngineThread *thread, guint64 address, gpointer owner);

/* ---- shares ---- */

static void
unplant (Share *share)
{
    for (guint i = 0; i < share->places->len; i++) {
        const EnginePlace *place = g_ptr_array_index (share->places, i);

        engine_trap_remove (share->process, place->address, on_hit, share);
    }
}

static void
share_free (Share *share)
{
    unplant (share);
    g_ptr_array_unref (share->places);
    g_ptr_array_unref (share->python_places);
    g_hash_table_unref (share->searched);
    g_free (share);
}

void
engine_breakpoint_free (gpointer data)
{
    Breakpoint *breakpoint = data;

    g_ptr_array_unref (breakpoint->shares);
    job_request_free (breakpoint->request);
    g_free (breakpoint);
}

static Share *
share_new (Breakpoint *breakpoint, EngineProcess *process)
{
    Share *share = g_new0 (Share, 1);

    share->breakpoint = breakpoint;
    share->process = process;
    share->enabled = TRUE;
    share->places = g_ptr_array_new_with_free_func ((GDestroyNotify) engine_place_free);
    share->python_places = g_ptr_array_new_with_free_func ((GDestroyNotify) job_location_free);
    share->searched = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    g_ptr_array_add (breakpoint->shares, share);
    return share;
}

static Breakpoint *
find_breakpoint (Engine *engine, guint32 number)
{
    for (guint i = 0; i < engine->breakpoints->len; i++) {
        Breakpoint *breakpoint = g_ptr_array_index (engine->breakpoints, i);

        if (breakpoint->number == number) {
            return breakpoint;
        }
    }
    return NULL;
}

static Share *
find_share (Breakpoint *breakpoint, const EngineProcess *process)
{
    for (guint i = 0; breakpoint != NULL && i < breakpoint->shares->len; i++) {
        Share *share = g_ptr_array_index (breakpoint->shares, i);

        if (share->process == process) {
            return share;
        }
    }
    return NULL;
}

/* ---- a hit ---- */

static gboolean
is_true (const JobValue *value)
{
    if (value->is_number) {
        return value->number != 0;
    }
    return value->text != NULL && g_ascii_strcasecmp (value->text, "true") == 0;
}

/* A condition that cannot be told is a reason to stop. */
static gboolean
check_condition (Share *share, EngineThread *thread)
{
    const char *condition = share->breakpoint->request->condition;
    g_autoptr (GError) error = NULL;
    g_autoptr (JobValue) value = NULL;
    g_autofree char *text = NULL;

    if (condition == NULL || condition[0] == '\0') {
        return TRUE;
    }
    value = engine_inspect_evaluate (thread, 0, condition, &error);
    if (value != NULL && !value->is_problem) {
        return is_true (value);
    }
    text = g_strdup_printf ("cannot tell the condition of breakpoint %u: %s", share->breakpoint->number,
                            value != NULL ? value->text : error->message);
    engine_emit_notice (share->process, text);
    return TRUE;
}

static void
append_value (GString *text, EngineThread *thread, const char *expression)
{
    g_autoptr (GError) error = NULL;
    g_autoptr (JobValue) value = engine_inspect_evaluate (thread, 0, expression, &error);

    if (value != NULL && value->text != NULL) {
        g_string_append (text, value->text);
    } else {
        g_string_append_printf (text, "<%s>", error != NULL ? error->message : "no value");
    }
}

static void
write_log (Share *share, EngineThread *thread)
{
    g_autoptr (JobRankSet) slot = job_rank_set_new_range (share->process->slot, share->process->slot + 1);
    g_autoptr (GString) text = g_string_new (NULL);
    JobEvent *event;

    for (const char *c = share->breakpoint->request->log; *c != '\0';) {
        const char *end = *c == '{' ? strchr (c, '}') : NULL;

        if (end == NULL) {
            g_string_append_c (text, *c++);
            continue;
        }
        g_autofree char *expression = g_strndup (c + 1, (gsize) (end - c - 1));
        append_value (text, thread, expression);
        c = end + 1;
    }
    event = job_event_new (JOB_EVENT_LOG, 0, slot);
    event->number = (gint32) share->breakpoint->number;
    event->text = g_string_free (g_steal_pointer (&text), FALSE);
    engine_emit (share->process->engine, event);
}

static EngineTrapAnswer
on_hit (EngineThread *thread, guint64 address, gpointer owner)
{
    Share *share = owner;
    const JobRequest *request = share->breakpoint->request;

    if (!share->enabled || (request->thread != 0 && request->thread != thread->number)
        || !check_condition (share, thread)) {
        return ENGINE_TRAP_RESUME;
    }
    share->hits++;
    if (request->every > 1 && share->hits % request->every != 0) {
        return ENGINE_TRAP_RESUME;
    }
    if (request->log != NULL) {
        write_log (share, thread);
        return ENGINE_TRAP_RESUME;
    }
    if (request->flags & JOB_REQUEST_TEMPORARY) {
        share->enabled = FALSE;
        unplant (share);
    }
    engine_process_stop (share->process, thread, JOB_STATE_BREAKPOINT, (gint32) share->breakpoint->number,
                         NULL, NULL, NULL);
    return ENGINE_TRAP_STOP;
}

/* ---- resolving ---- */

static gboolean
is_native (const Breakpoint *breakpoint)
{
    const JobWhere *where = &breakpoint->request->where;

    return where->kind == JOB_WHERE_ADDRESS || (where->kind == JOB_WHERE_FUNCTION && where->function != NULL)
           || (where->kind == JOB_WHERE_LINE && where->file != NULL && !g_str_has_suffix (where->file, ".py"));
}

static gboolean
has_address (const Share *share, guint64 address)
{
    for (guint i = 0; i < share->places->len; i++) {
        if (((const EnginePlace *) g_ptr_array_index (share->places, i))->address == address) {
            return TRUE;
        }
    }
    return FALSE;
}

/* Takes the place. */
static gboolean
plant (Share *share, EnginePlace *place)
{
    g_autoptr (GError) error = NULL;

    if (has_address (share, place->address)
        || (share->enabled && !engine_trap_add (share->process, place->address, on_hit, share, &error))) {
        if (error != NULL) {
            g_message ("breakpoint %u: %s", share->breakpoint->number, error->message);
        }
        engine_place_free (place);
        return FALSE;
    }
    g_ptr_array_add (share->places, place);
    return TRUE;
}

static void
drop_unmapped (Share *share)
{
    for (guint i = share->places->len; i-- > 0;) {
        const EnginePlace *place = g_ptr_array_index (share->places, i);

        if (stack_modules_find (share->process->modules, place->address) == NULL) {
            engine_trap_remove (share->process, place->address, on_hit, share);
            g_ptr_array_remove_index (share->places, i);
        }
    }
}

static gboolean
search_module (Share *share, StackModule *module)
{
    g_autoptr (GPtrArray) places = g_ptr_array_new ();
    gboolean is_new = FALSE;

    engine_modules_find_places (share->process, &share->breakpoint->request->where, module, places,
                                &share->file_known);
    for (guint i = 0; i < places->len; i++) {
        is_new |= plant (share, g_ptr_array_index (places, i));
    }
    return is_new;
}

/* TRUE when something new was found. */
static gboolean
resolve (Share *share)
{
    EngineProcess *process = share->process;
    g_autoptr (GHashTable) before = NULL;
    gboolean is_new = FALSE;

    if (process->ended || process->modules == NULL || !is_native (share->breakpoint)) {
        return FALSE;
    }
    drop_unmapped (share);
    /* Modules that went are forgotten, so that they are searched when they come back. */
    before = g_steal_pointer (&share->searched);
    share->searched = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = 0; i < stack_modules_get_count (process->modules); i++) {
        StackModule *module = stack_modules_get (process->modules, i);
        char *key = g_strdup_printf ("%" G_GINT64_MODIFIER "x %s", module->start, module->path);

        if (!g_hash_table_contains (before, key)) {
            is_new |= search_module (share, module);
        }
        g_hash_table_add (share->searched, key);
    }
    return is_new;
}

static void
add_location (GPtrArray *places, const JobLocation *location)
{
    for (guint i = 0; i < places->len; i++) {
        if (job_location_equal (g_ptr_array_index (places, i), location)) {
            return;
        }
    }
    g_ptr_array_add (places, job_location_dup (location));
}

static char *
format_pending (const Share *share)
{
    const JobWhere *where = &share->breakpoint->request->where;

    if (where->kind == JOB_WHERE_LINE) {
        return share->file_known ? g_strdup_printf ("no code at line %u of \"%s\"", where->line, where->file)
                                 : g_strdup_printf ("no file \"%s\" yet", where->file);
    }
    if (where->kind == JOB_WHERE_FUNCTION) {
        return g_strdup_printf ("no function \"%s\" yet", where->function);
    }
    return g_strdup_printf ("nothing at 0x%" G_GINT64_MODIFIER "x yet", where->address);
}

static void
report (Share *share, guint64 request)
{
    g_autoptr (JobRankSet) slot = job_rank_set_new_range (share->process->slot, share->process->slot + 1);
    JobEvent *event = job_event_new (JOB_EVENT_BREAKPOINT, request, slot);

    event->number = (gint32) share->breakpoint->number;
    event->final = request != 0;
    if (event->places == NULL) {
        event->places = g_ptr_array_new_with_free_func ((GDestroyNotify) job_location_free);
    }
    for (guint i = 0; i < share->places->len; i++) {
        add_location (event->places, ((const EnginePlace *) g_ptr_array_index (share->places, i))->location);
    }
    for (guint i = 0; i < share->python_places->len; i++) {
        add_location (event->places, g_ptr_array_index (share->python_places, i));
    }
    if (event->places->len == 0 && is_native (share->breakpoint)) {
        event->text = format_pending (share);
    } else if (event->places->len == 0 && share->breakpoint->request->where.kind == JOB_WHERE_LINE) {
        event->text = format_pending (share);
    }
    engine_emit (share->process->engine, event);
}

void
engine_breakpoint_resolve (EngineProcess *process)
{
    GPtrArray *breakpoints = process->engine->breakpoints;

    for (guint i = 0; i < breakpoints->len; i++) {
        Share *share = find_share (g_ptr_array_index (breakpoints, i), process);

        if (share != NULL && resolve (share) && share->answered) {
            report (share, 0);
        }
    }
}

void
engine_breakpoint_forget (EngineProcess *process)
{
    GPtrArray *breakpoints = process->engine->breakpoints;

    for (guint i = 0; i < breakpoints->len; i++) {
        Share *share = find_share (g_ptr_array_index (breakpoints, i), process);

        if (share != NULL) {
            unplant (share);
            g_ptr_array_set_size (share->places, 0);
            g_ptr_array_set_size (share->python_places, 0);
            g_hash_table_remove_all (share->searched);
            share->file_known = FALSE;
        }
    }
}

void
engine_breakpoint_free_all (Engine *engine)
{
    g_clear_pointer (&engine->breakpoints, g_ptr_array_unref);
}

GPtrArray *
engine_breakpoint_list (EngineProcess *process)
{
    GPtrArray *breakpoints = process->engine->breakpoints;

    if (process->breakpoint_list == NULL) {
        process->breakpoint_list = g_ptr_array_new ();
    }
    g_ptr_array_set_size (process->breakpoint_list, 0);
    for (guint i = 0; i < breakpoints->len; i++) {
        Breakpoint *breakpoint = g_ptr_array_index (breakpoints, i);

        if (find_share (breakpoint, process) != NULL) {
            g_ptr_array_add (process->breakpoint_list, breakpoint->request);
        }
    }
    return process->breakpoint_list;
}

void
engine_breakpoint_report_python (EngineProcess *process, guint32 number, GPtrArray *places)
{
    Share *share = find_share (find_breakpoint (process->engine, number), process);
    guint before;

    if (share == NULL) {
        return;
    }
    before = share->python_places->len;
    g_ptr_array_set_size (share->python_places, 0);
    for (guint i = 0; places != NULL && i < places->len; i++) {
        g_ptr_array_add (share->python_places, job_location_dup (g_ptr_array_index (places, i)));
    }
    if (share->answered && share->python_places->len != before) {
        report (share, 0);
    }
}

/* ---- requests ---- */

static void
add_share (Engine *engine, Breakpoint *breakpoint, EngineProcess *process, const JobRequest *request)
{
    Share *share = find_share (breakpoint, process);

    if (share != NULL) {
        g_ptr_array_remove (breakpoint->shares, share);
    }
    share = share_new (breakpoint, process);
    resolve (share);
    engine_python_handle_breakpoint (process, request);
    share->answered = TRUE;
    report (share, request->id);
}

/* catch throw and the like are breakpoints in a function; FALSE: not a native matter. */
static gboolean
translate_catch (JobRequest *request, GError **error)
{
    static const struct { const char *word, *function; } rows[] = {
        { "throw", "__cxa_throw" },
        { "catch", "__cxa_begin_catch" },
        { "mpi-error", "ompi_mpi_errors_are_fatal_comm_handler" },
        { "load", "_dl_debug_state" },
        { "fork", "fork" },
        { "exit", "_exit" },
        { "exec", "execve" },
    };
    const char *text = request->text != NULL ? request->text : "";

    for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
        if (g_str_has_prefix (text, rows[i].word)
            && (text[strlen (rows[i].word)] == '\0' || text[strlen (rows[i].word)] == ' ')) {
            request->where.kind = JOB_WHERE_FUNCTION;
            g_free (request->where.function);
            request->where.function = g_strdup (rows[i].function);
            return TRUE;
        }
    }
    if (g_str_has_prefix (text, "exception")) {
        return TRUE;
    }
    g_set_error (error, BASE_ERROR, BASE_ERROR_UNSUPPORTED, "cannot catch %s: not in this version", text);
    return FALSE;
}

/* "signal NAME" is the table's row; without a name all signals stop that are not ordinary. */
static gboolean
catch_signal (Engine *engine, const JobRequest *request)
{
    g_autoptr (JobRequest) handle = NULL;

    if (request->text == NULL || !g_str_has_prefix (request->text, "signal")) {
        return FALSE;
    }
    handle = job_request_dup (request);
    handle->verb = JOB_VERB_HANDLE;
    g_free (handle->text);
    handle->text = g_strstrip (g_strdup (request->text + strlen ("signal")));
    g_free (handle->text2);
    handle->text2 = g_strdup ("stop print");
    if (handle->text[0] == '\0') {
        g_free (handle->text);
        handle->text = g_strdup ("SIGALRM");
    }
    engine_signal_handle (engine, handle);
    return TRUE;
}

static void
handle_new (Engine *engine, const JobRequest *request)
{
    JobRankIter iter = { 0 };
    guint32 slot;
    Breakpoint *breakpoint;
    g_autoptr (JobRequest) copy = job_request_dup (request);
    g_autoptr (GError) error = NULL;

    if (request->verb == JOB_VERB_CATCH
        && (catch_signal (engine, request) || !translate_catch (copy, &error))) {
        if (error != NULL) {
            JobEvent *event = job_event_new_failure (request->id, request->ranks, error);

            event->final = TRUE;
            engine_emit (engine, event);
        }
        return;
    }
    breakpoint = find_breakpoint (engine, request->number);
    if (breakpoint == NULL) {
        breakpoint = g_new0 (Breakpoint, 1);
        breakpoint->number = request->number;
        breakpoint->shares = g_ptr_array_new_with_free_func ((GDestroyNotify) share_free);
        g_ptr_array_add (engine->breakpoints, breakpoint);
    }
    job_request_free (breakpoint->request);
    breakpoint->request = g_steal_pointer (&copy);
    while (job_rank_set_next (request->ranks, &iter, &slot)) {
        EngineProcess *process = engine_find_process (engine, slot);

        if (process != NULL && process->ended) {
            g_autoptr (GError) gone = g_error_new (BASE_ERROR, BASE_ERROR_GONE,
                                                   "cannot set a breakpoint: the rank has ended");
            engine_emit_failure (process, request->id, gone);
        } else if (process != NULL) {
            add_share (engine, breakpoint, process, breakpoint->request);
        }
    }
}

static void
enable_share (Share *share, gboolean enabled)
{
    if (share->enabled == enabled) {
        return;
    }
    share->enabled = enabled;
    if (!enabled) {
        unplant (share);
        return;
    }
    for (guint i = 0; i < share->places->len; i++) {
        const EnginePlace *place = g_ptr_array_index (share->places, i);

        engine_trap_add (share->process, place->address, on_hit, share, NULL);
    }
}

static void
handle_change (Engine *engine, const JobRequest *request)
{
    Breakpoint *breakpoint = find_breakpoint (engine, request->number);
    JobRankIter iter = { 0 };
    guint32 slot;

    while (job_rank_set_next (request->ranks, &iter, &slot)) {
        EngineProcess *process = engine_find_process (engine, slot);
        Share *share = process != NULL ? find_share (breakpoint, process) : NULL;

        if (process == NULL) {
            continue;
        }
        if (share != NULL) {
            if (!process->ended) {
                engine_python_handle_breakpoint (process, request);
            }
            if (request->verb == JOB_VERB_DELETE) {
                g_ptr_array_remove (breakpoint->shares, share);
            } else {
                enable_share (share, request->verb == JOB_VERB_ENABLE);
            }
        }
        engine_emit_accepted (process, request->id);
    }
    if (breakpoint != NULL && breakpoint->shares->len == 0) {
        g_ptr_array_remove (engine->breakpoints, breakpoint);
    }
}

void
engine_breakpoint_handle (Engine *engine, const JobRequest *request)
{
    if (engine->breakpoints == NULL) {
        return;
    }
    if (request->verb == JOB_VERB_BREAK || request->verb == JOB_VERB_CATCH) {
        handle_new (engine, request);
    } else {
        handle_change (engine, request);
    }
}
