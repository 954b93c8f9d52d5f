/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Watchpoints. A value is watched by all bytes that it is computed from (p and p->x), so it
 * follows a pointer that changes. Uses debug registers in all threads if four suffice;
 * otherwise, and for values in registers, single-steps all threads. A watchpoint on a local
 * variable ends with its frame. */
#include "engine/breakpoint/private.h"
#include "engine/control/control.h"
#include "engine/inspect/inspect.h"
#include <glib/gi18n.h>
#include <string.h>

struct _EngineWatch {
    EngineScope scope; /* what its program is run with */
    char *function;    /* of the frame it was set in */
    char *name;        /* as the user has written it, without ENGINE_WATCH_PLACE */
    gboolean is_place; /* what that means now is watched, by its address */
    char *located;     /* -l: what lies at the address that the name had; NULL */
    GArray *ranges;    /* of EvaluateRange */
    GBytes *bytes;     /* NULL: cannot be had now */
    JobValue *value;
    guint thread;           /* number of the thread whose frame it is of; 0: of none */
    guint64 return_address; /* the frame's, under a trap; 0 */
    gboolean in_register, is_software;
};

/* ---- reading ---- */

static const EvaluateProgram *
bind (EngineBreakpointSite *site, guint64 lookup, GError **error)
{
    const EngineScope *scope = &site->watch->scope;

    return index_client_bind (site->process->symbols, scope->path, lookup, scope->inline_depth,
                              site->watch->located != NULL ? site->watch->located
                                                           : site->watch->name,
                              error);
}

/* The bytes, and its text when ret_value is wanted. FALSE: not now (its frame is not innermost). */
static gboolean
read_value (EngineBreakpointSite *site, EngineThread *thread, GArray *ranges, guint *ret_used,
            GBytes **ret_bytes, JobValue **ret_value, GError **error)
{
    EngineWatch *watch = site->watch;
    EngineProcess *process = site->process;
    StackNativeFrame frame = watch->scope.frame;
    guint64 lookup = watch->scope.lookup;
    const EvaluateProgram *program;
    EvaluateContext context;

    if (watch->in_register) {
        g_autoptr (GArray) frames = NULL;

        if (thread->number != watch->thread || !engine_thread_load_registers (thread)) {
            return FALSE;
        }
        frames = stack_unwind (engine_process_get_modules (process),
                               engine_process_get_memory (process), &thread->registers, 1);
        if (frames->len == 0 || g_array_index (frames, StackNativeFrame, 0).cfa != frame.cfa) {
            return FALSE;
        }
        frame = g_array_index (frames, StackNativeFrame, 0);
        lookup = frame.pc - watch->scope.bias;
    }
    program = bind (site, lookup, error);
    if (program == NULL) {
        return FALSE;
    }
    engine_scope_fill_context (&watch->scope, process, &frame, &context);
    *ret_bytes = evaluate_program_trace (program, &context, ranges, ret_used, NULL);
    if (ret_value != NULL) {
        *ret_value = evaluate_program_run (program, &context, &process->engine->limits, error);
    }
    return ret_value == NULL || *ret_value != NULL;
}

/* ---- debug registers ---- */

static gboolean
take_slot (EngineWatchSet *set, guint64 address, guint size)
{
    if (BASE_ANY (i, 4,
                  set->sizes[i] != 0 && address >= set->addresses[i]
                      && address + size <= set->addresses[i] + set->sizes[i])) {
        return TRUE;
    }
    for (guint i = 0; i < 4; i++) {
        if (set->sizes[i] == 0) {
            set->addresses[i] = address;
            set->sizes[i] = (guint8) size;
            return TRUE;
        }
    }
    return FALSE;
}

/* Aligned pieces of 8, 4, 2 and 1 bytes. FALSE: not all found a register; set is as it was. */
static gboolean
take_slots (EngineWatchSet *set, const GArray *ranges)
{
    EngineWatchSet before = *set;

    for (guint i = 0; i < ranges->len; i++) {
        EvaluateRange range = g_array_index (ranges, EvaluateRange, i);

        while (range.size > 0) {
            guint size = 8;

            while (size > range.size || range.address % size != 0) {
                size /= 2;
            }
            if (!take_slot (set, range.address, size)) {
                *set = before;
                return FALSE;
            }
            range.address += size;
            range.size -= size;
        }
    }
    return TRUE;
}

static EngineBreakpointSite *
find_watch (EngineProcess *process, EngineBreakpoint *breakpoint)
{
    EngineBreakpointSite *site = breakpoint->kind == ENGINE_BREAKPOINT_WATCH
                                     ? engine_breakpoint_find_site (breakpoint, process)
                                     : NULL;

    return site != NULL && site->watch != NULL ? site : NULL;
}

/* Before a thread is given one; a launched process does not outlive us. */
static void
note_armed (EngineProcess *process)
{
    for (guint i = 0; i < 4 && !process->exit_kill; i++) {
        if (process->watch.sizes[i] != 0) {
            target_traps_note_armed (engine_process_get_traps (process));
        }
    }
}

/* Gives the registers out anew, first come first served. */
static void
arrange (EngineProcess *process)
{
    EngineWatchSet *set = &process->watch;
    gboolean is_running;

    if (process->ended || !engine_space_takes_traps (process)) {
        return;
    }
    is_running = !engine_process_is_stopped (process);
    if (is_running && !engine_process_halt (process)) {
        return;
    }
    memset (set->sizes, 0, sizeof set->sizes);
    set->n_software = 0;
    set->serial++;
    for (guint i = 0; i < process->engine->breakpoints->len; i++) {
        EngineBreakpointSite *site
            = find_watch (process, g_ptr_array_index (process->engine->breakpoints, i));

        if (site != NULL && site->enabled) {
            site->watch->is_software = set->refused || !process->engine->hardware_watch
                                       || site->watch->in_register
                                       || !take_slots (set, site->watch->ranges);
            set->n_software += site->watch->is_software;
        }
    }
    note_armed (process);
    if (is_running) {
        engine_process_release (process);
    }
}

void
engine_watch_rearrange (Engine *engine)
{
    for (guint i = 0; i < engine->processes->len; i++) {
        EngineProcess *process = g_ptr_array_index (engine->processes, i);

        if (process->watch.serial != 0) {
            arrange (process);
        }
    }
}

/* Whoever goes on from here goes by single steps. Who runs already has its registers. */
void
engine_watch_give_up_registers (EngineProcess *process)
{
    for (guint i = 0; i < process->engine->breakpoints->len; i++) {
        EngineBreakpointSite *site
            = find_watch (process, g_ptr_array_index (process->engine->breakpoints, i));

        if (site != NULL && site->enabled && !site->watch->is_software) {
            site->watch->is_software = TRUE;
            process->watch.n_software++;
        }
    }
    engine_say (
        process,
        "values are watched by single steps, which is slow: another program (perf?) uses a "
        "thread's debug registers");
}

/* Does the kernel give debug registers at all? Some virtual machines have none. */
static void
probe (EngineProcess *process, EngineThread *thread)
{
    if (process->watch.serial == 0) {
        process->watch.refused = !target_thread_set_watch (thread->tid, 0, 0, 1)
                                 || !target_thread_set_watch (thread->tid, 0, 0, 0);
    }
}

/* ---- the end of a watch ---- */

static EngineTrapAnswer on_return (EngineThread *thread, guint64 address, gpointer owner);

void
engine_watch_free (EngineBreakpointSite *site)
{
    EngineWatch *watch = site->watch;

    if (watch == NULL) {
        return;
    }
    site->watch = NULL;
    if (watch->return_address != 0) {
        engine_trap_remove (site->process, watch->return_address, on_return, site);
    }
    arrange (site->process);
    g_array_unref (watch->ranges);
    g_clear_pointer (&watch->bytes, g_bytes_unref);
    job_value_free (watch->value);
    engine_scope_clear (&watch->scope);
    g_free (watch->name);
    g_free (watch->function);
    g_free (watch->located);
    g_free (watch);
}

void
engine_watch_enable (EngineBreakpointSite *site)
{
    g_autoptr (JobValue) value = NULL;
    guint used;

    if (site->enabled && !site->watch->in_register) {
        g_array_set_size (site->watch->ranges, 0);
        g_clear_pointer (&site->watch->bytes, g_bytes_unref);
        if (read_value (site, NULL, site->watch->ranges, &used, &site->watch->bytes, &value,
                        NULL)) {
            job_value_free (site->watch->value);
            site->watch->value = g_steal_pointer (&value);
        }
    }
    arrange (site->process);
}

static gboolean
is_same (GBytes *a, GBytes *b)
{
    return a == NULL || b == NULL ? a == b : g_bytes_equal (a, b);
}

static gboolean
are_same_ranges (const GArray *a, const GArray *b)
{
    return a->len == b->len
           && (a->len == 0 || memcmp (a->data, b->data, a->len * sizeof (EvaluateRange)) == 0);
}

/* What the value is made of may have moved. */
static void
follow (EngineBreakpointSite *site, const GArray *ranges)
{
    EngineWatch *watch = site->watch;

    if (!watch->in_register && !are_same_ranges (ranges, watch->ranges)) {
        g_array_set_size (watch->ranges, 0);
        g_array_append_vals (watch->ranges, ranges->data, ranges->len);
        arrange (site->process);
    }
}

static void
read_again (EngineBreakpointSite *site)
{
    EngineThread *thread = site->watch->in_register
                               ? engine_process_find_thread (site->process, site->watch->thread)
                               : NULL;
    g_autoptr (GArray) ranges = g_array_new (FALSE, TRUE, sizeof (EvaluateRange));
    g_autoptr (GBytes) bytes = NULL;
    g_autoptr (JobValue) value = NULL;
    guint used;

    if (site->enabled && (thread != NULL || !site->watch->in_register)
        && read_value (site, thread, ranges, &used, &bytes, &value, NULL)
        && !is_same (bytes, site->watch->bytes)) {
        g_clear_pointer (&site->watch->bytes, g_bytes_unref);
        site->watch->bytes = g_steal_pointer (&bytes);
        job_value_free (site->watch->value);
        site->watch->value = g_steal_pointer (&value);
        follow (site, ranges);
    }
}

/* Of a thread that has changed a value, but has not been dealt with, nothing is lost. */
void
engine_watch_read_again (EngineProcess *process)
{
    g_autoptr (GPtrArray) breakpoints = NULL;

    if (BASE_HAS (process->threads, const EngineThread, thread, thread->watch_hit)) {
        return;
    }
    breakpoints = engine_breakpoint_dup_all (process->engine);
    for (guint i = 0; i < breakpoints->len && !process->ended; i++) {
        EngineBreakpointSite *site = find_watch (process, g_ptr_array_index (breakpoints, i));

        if (site != NULL) {
            read_again (site);
        }
    }
}

static void
say_gone (EngineBreakpointSite *site, const char *reason)
{
    EngineProcess *process = site->process;
    g_autoptr (JobRankSet) slot = engine_inspect_dup_slot (process);
    JobEvent *event = job_event_new (JOB_EVENT_BREAKPOINT, 0, slot);

    event->number = (gint32) site->breakpoint->number;
    event->flags = JOB_EVENT_GONE;
    event->text = g_strdup (reason);
    engine_emit (process->engine, event);
    engine_breakpoint_site_remove (site);
}

/* The frame returns: only if it is this one and no deeper call of the same function. */
static EngineTrapAnswer
on_return (EngineThread *thread, guint64 address, gpointer owner)
{
    EngineBreakpointSite *site = owner;
    EngineProcess *process = thread->process;

    if (thread->number != site->watch->thread || !engine_thread_load_registers (thread)
        || machine_registers_get_sp (&thread->registers) < site->watch->scope.frame.cfa) {
        return ENGINE_TRAP_RESUME;
    }
    engine_process_stop (process, thread, JOB_STATE_STOPPED, 0, NULL, NULL, NULL);
    say_gone (site, "its frame has returned");
    return ENGINE_TRAP_STOP;
}

void
engine_watch_forget (EngineProcess *process, gboolean is_exec)
{
    g_autoptr (GPtrArray) breakpoints = engine_breakpoint_dup_all (process->engine);

    for (guint i = breakpoints->len; i-- > 0;) {
        EngineBreakpointSite *site = find_watch (process, g_ptr_array_index (breakpoints, i));

        if (site != NULL && is_exec) {
            say_gone (site, "the rank now runs another program");
        } else if (site != NULL) {
            engine_watch_free (site);
        }
    }
    process->watch = (EngineWatchSet){ 0 };
}

void
engine_watch_on_leave (EngineProcess *process)
{
    engine_watch_forget (process, !process->detached);
}

/* A longjmp or an exception leaves a frame without returning. */
static gboolean
is_alive (EngineBreakpointSite *site, EngineThread *thread)
{
    EngineWatch *watch = site->watch;
    EngineProcess *process = site->process;
    g_autoptr (GArray) frames = NULL;

    if (watch->thread == 0 || thread->number != watch->thread
        || !engine_thread_load_registers (thread)) {
        return TRUE;
    }
    if (machine_registers_get_sp (&thread->registers) >= watch->scope.frame.cfa) {
        return FALSE;
    }
    frames = stack_unwind (engine_process_get_modules (process),
                           engine_process_get_memory (process), &thread->registers, 0);
    for (guint i = 0; i < frames->len; i++) {
        const StackNativeFrame *frame = &g_array_index (frames, StackNativeFrame, i);

        if (frame->is_incomplete) {
            return TRUE;
        }
        /* Another frame may stand in the same place, called from elsewhere. */
        if (frame->cfa == watch->scope.frame.cfa) {
            return i + 1 >= frames->len || watch->return_address == 0
                   || frame[1].pc == watch->return_address;
        }
    }
    return frames->len == 0;
}

/* ---- a change ---- */

static void
emit_change (EngineBreakpointSite *site, const JobValue *before, const JobValue *after)
{
    EngineProcess *process = site->process;
    g_autoptr (JobRankSet) slot = engine_inspect_dup_slot (process);
    g_autofree char *name = g_strdup_printf ("%s before", site->watch->name);
    JobEvent *event = job_event_new (JOB_EVENT_VALUES, 0, slot);

    event->table = job_value_table_new ();
    job_value_table_add (event->table, name, slot, before);
    job_value_table_add (event->table, site->watch->name, slot, after);
    engine_emit (process->engine, event);
}

/* TRUE: stopped. The site may be gone. */
static gboolean
check_site (EngineBreakpointSite *site, EngineThread *thread)
{
    EngineWatch *watch = site->watch;
    EngineProcess *process = site->process;
    g_autoptr (GArray) ranges = g_array_new (FALSE, TRUE, sizeof (EvaluateRange));
    g_autoptr (GBytes) bytes = NULL;
    g_autoptr (JobValue) before = NULL;
    guint used;

    if (!read_value (site, thread, ranges, &used, &bytes, NULL, NULL)
        || (watch->in_register && bytes == NULL)) {
        return FALSE;
    }
    if (is_same (bytes, watch->bytes)) {
        follow (site, ranges);
        return FALSE;
    }
    if (!is_alive (site, thread)) {
        say_gone (site, "its frame has returned");
        return FALSE;
    }
    before = g_steal_pointer (&watch->value);
    g_clear_pointer (&bytes, g_bytes_unref);
    g_clear_pointer (&watch->bytes, g_bytes_unref);
    g_array_set_size (ranges, 0);
    if (!read_value (site, thread, ranges, &used, &watch->bytes, &watch->value, NULL)) {
        watch->value = job_value_new (NULL, NULL, N_ ("<cannot be read>"));
        watch->value->is_problem = TRUE;
    }
    follow (site, ranges);
    if (!engine_breakpoint_site_judge (site, thread)) {
        return FALSE;
    }
    if (watch->is_software && !watch->in_register && process->threads->len > 1) {
        engine_say (process, "single steps do not show which thread changed the value");
    }
    engine_process_stop (process, thread, JOB_STATE_BREAKPOINT,
                         (gint32) site->breakpoint->number, NULL, NULL, NULL);
    emit_change (site, before, watch->value);
    return TRUE;
}

gboolean
engine_watch_check (EngineThread *thread)
{
    EngineProcess *process = thread->process;
    gboolean is_stop = FALSE, is_hit = thread->watch_hit;
    g_autoptr (GPtrArray) breakpoints = NULL;

    if (!thread->watch_hit && process->watch.n_software == 0) {
        return FALSE;
    }
    breakpoints = engine_breakpoint_dup_all (process->engine); /* a check may wait */
    thread->watch_hit = FALSE;
    engine_thread_suspend (thread, ENGINE_SUSPENDS_WATCH);
    for (guint i = breakpoints->len; i-- > 0;) {
        EngineBreakpointSite *site = find_watch (process, g_ptr_array_index (breakpoints, i));

        if (site != NULL && site->enabled && (is_hit || site->watch->is_software)) {
            is_stop |= check_site (site, thread);
        }
    }
    engine_thread_unsuspend (thread, ENGINE_SUSPENDS_WATCH);
    return is_stop || process->ended || engine_process_is_stopped (process);
}

/* ---- its condition ---- */

/* The shown frame of the thread's stack that the watch was set in, or a later call of the same function
 * in its place; -1: it has returned. */
static gint64
find_frame (EngineBreakpointSite *site, EngineThread *thread)
{
    g_autoptr (Stack) stack = engine_inspect_read_stack (thread, 0);
    g_autoptr (GPtrArray) shown = stack != NULL
                                      ? engine_inspect_dup_shown (site->process, stack)
                                      : NULL;

    for (guint i = 0; shown != NULL && i < shown->len; i++) {
        const JobFrame *frame = g_ptr_array_index (shown, i);

        if (!job_frame_is_python (frame) && frame->native_index < stack->n_native
            && stack->native[frame->native_index].cfa == site->watch->scope.frame.cfa
            && g_strcmp0 (frame->location.function, site->watch->function) == 0) {
            return i;
        }
    }
    return -1;
}

JobValue *
engine_watch_evaluate (EngineBreakpointSite *site, EngineThread *thread, const char *expression,
                       GError **error)
{
    EngineWatch *watch = site->watch;
    EngineProcess *process = site->process;
    gint64 number = find_frame (site, thread);
    g_autoptr (GArray) ranges = g_array_new (FALSE, TRUE, sizeof (EvaluateRange));
    const EvaluateProgram *program;
    EvaluateContext context;
    guint used = 0;

    if (number >= 0) {
        return engine_inspect_evaluate (thread, (guint32) number, expression, error);
    }
    program = index_client_bind (process->symbols, watch->scope.path, watch->scope.lookup,
                                 watch->scope.inline_depth, expression, error);
    if (program == NULL) {
        return NULL;
    }
    engine_scope_fill_context (&watch->scope, process, &watch->scope.frame, &context);
    g_bytes_unref (evaluate_program_trace (program, &context, ranges, &used, NULL));
    if (used != 0) {
        if (watch->function != NULL) {
            base_error_set (error, BASE_ERROR_GONE, "its function %s has returned",
                            watch->function);
        } else {
            base_error_set (error, BASE_ERROR_GONE, "its function has returned");
        }
        return NULL;
    }
    return evaluate_program_run (program, &context, &process->engine->limits, error);
}

/* ---- requests ---- */

/* A variable or a member of one, without a pointer on the way: its place is found once and stays, also
 * where it is found by a register (a reference, `this`). */
static gboolean
is_fixed_place (const EngineWatch *watch)
{
    const EvaluateRange *range = &g_array_index (watch->ranges, EvaluateRange, 0);

    for (const char *at = watch->name; *at != '\0'; at++) {
        if (!g_ascii_isalnum (*at) && strchr ("_.:", *at) == NULL) {
            return FALSE;
        }
    }
    return watch->ranges->len == 1 && range->size == g_bytes_get_size (watch->bytes);
}

/* What the name means now, by its address: "*(int *) 0x1000". */
static gboolean
locate (EngineBreakpointSite *site, GError **error)
{
    EngineWatch *watch = site->watch;
    EngineProcess *process = site->process;
    g_autofree char *address = g_strdup_printf ("&(%s)", watch->name);
    g_autofree char *type = index_client_describe_type (process->symbols, watch->scope.path,
                                                        watch->scope.lookup,
                                                        watch->scope.inline_depth, address,
                                                        FALSE, error);
    StackNativeFrame frame = watch->scope.frame;
    const EvaluateProgram *program;
    g_autoptr (GArray) ranges = g_array_new (FALSE, TRUE, sizeof (EvaluateRange));
    g_autoptr (GBytes) bytes = NULL;
    EvaluateContext context;
    guint64 place;
    guint used;

    program = type == NULL
                  ? NULL
                  : index_client_bind (process->symbols, watch->scope.path, watch->scope.lookup,
                                       watch->scope.inline_depth, address, error);
    if (program == NULL) {
        g_prefix_error (error, "cannot watch the place of %s: ", watch->name);
        return FALSE;
    }
    engine_scope_fill_context (&watch->scope, process, &frame, &context);
    bytes = evaluate_program_trace (program, &context, ranges, &used, error);
    if (bytes == NULL || g_bytes_get_size (bytes) != sizeof place) {
        return FALSE;
    }
    memcpy (&place, g_bytes_get_data (bytes, NULL), sizeof place);
    watch->located = g_strdup_printf ("*(%s) 0x%" G_GINT64_MODIFIER "x", type, place);
    return TRUE;
}

/* Bytes to be watched, and where they end with the frame. */
static gboolean
set_up (EngineBreakpointSite *site, guint64 return_address, GError **error)
{
    EngineWatch *watch = site->watch;
    EngineThread *thread = engine_process_get_selected (site->process);
    g_autoptr (GError) reason = NULL;
    guint used = 0;

    if (watch->is_place && !locate (site, error)) {
        return FALSE;
    }
    if (!read_value (site, thread, watch->ranges, &used, &watch->bytes, &watch->value, error)) {
        return FALSE;
    }
    if (watch->bytes == NULL) {
        base_error_set (error, BASE_ERROR_FAULT, "cannot watch %s: %s", watch->name,
                        watch->value->text);
        return FALSE;
    }
    watch->in_register = ((used & EVALUATE_USED_REGISTER) != 0 && !is_fixed_place (watch))
                         || (watch->ranges->len == 0 && (used & EVALUATE_USED_FRAME));
    if (watch->ranges->len == 0 && !watch->in_register) {
        base_error_set (error, BASE_ERROR_INVALID, "cannot watch %s: it never changes",
                        watch->name);
        return FALSE;
    }
    if (watch->in_register && watch->scope.is_outer) {
        base_error_set (
            error, BASE_ERROR_UNSUPPORTED,
            "cannot watch %s: it is in a register of a frame that is not innermost; finish first",
            watch->name);
        return FALSE;
    }
    watch->thread = used != 0 ? thread->number : 0;
    if (used != 0 && return_address != 0
        && engine_trap_add (site->process, return_address, on_return, site, NULL)) {
        watch->return_address = return_address;
    }
    return TRUE;
}

static gboolean
add_watch (EngineBreakpoint *breakpoint, EngineInspection *look, const JobRequest *request,
           GError **error)
{
    EngineProcess *process = look->process;
    EngineScope scope = { 0 };
    guint64 return_address = 0;
    const JobFrame *frame;
    EngineBreakpointSite *site;
    gboolean is_place = g_str_has_prefix (request->text, ENGINE_WATCH_PLACE);
    const char *name = request->text + (is_place ? strlen (ENGINE_WATCH_PLACE) : 0);

    if (!engine_inspect_find_scope (process, name, &scope, &return_address, error)) {
        return FALSE;
    }
    site = engine_breakpoint_site_new (breakpoint, process);
    site->watch = g_new0 (EngineWatch, 1);
    site->watch->scope = scope;
    site->watch->is_place = is_place;
    site->watch->name = g_strdup (name);
    frame = engine_inspect_find_value_frame (process, NULL, NULL);
    site->watch->function = frame != NULL ? g_strdup (frame->location.function) : NULL;
    site->watch->ranges = g_array_new (FALSE, TRUE, sizeof (EvaluateRange));
    probe (process, engine_process_get_selected (process));
    if (!set_up (site, return_address, error)) {
        return FALSE;
    }
    arrange (process);
    engine_breakpoint_site_emit_set (
        site, request->id,
        !site->watch->is_software ? "hardware"
        : site->watch->in_register
            ? "by single steps, as it is in a register: slow, some 20,000 instructions a second"
        : !process->engine->hardware_watch
            ? "by single steps, as hardware-watch is off: slow, some 20,000 instructions a second"
            : "by single steps, as there are not enough debug registers: slow, some 20,000 "
              "instructions a second");
    return TRUE;
}

void
engine_watch_add (EngineProcess *process, const JobRequest *request)
{
    g_autoptr (GError) error = NULL;
    EngineInspection look;
    EngineBreakpoint *breakpoint;
    EngineBreakpointSite *site;

    if (!engine_inspect_open (&look, process, &error)) {
        engine_emit_failure (process, request->id, error);
        return;
    }
    breakpoint = engine_breakpoint_add (process->engine, request, ENGINE_BREAKPOINT_WATCH);
    if (!add_watch (breakpoint, &look, request, &error)) {
        engine_emit_failure (process, request->id, error);
        site = engine_breakpoint_find_site (breakpoint, process);
        if (site != NULL) {
            engine_breakpoint_site_remove (site);
        } else if (breakpoint->sites->len == 0) {
            engine_breakpoint_drop (process->engine, breakpoint);
        }
    }
    engine_inspect_close (&look);
}
