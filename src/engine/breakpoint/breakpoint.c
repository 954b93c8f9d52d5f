/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Logical breakpoints: each process has a part with the places found so far, planted. judge.c
 * decides whether a hit stops. Libraries that are loaded later are searched when the loader
 * reports them. python.c and the agent handle the Python places of the same number. */
#include "engine/breakpoint/private.h"
#include "engine/control/control.h"
#include "engine/modules/modules.h"
#include "engine/python/python.h"
#include "engine/step/step.h"
#include <string.h>

static EngineTrapAnswer on_hit (EngineThread *thread, guint64 address, gpointer owner);
static EngineTrapAnswer on_resolved (EngineThread *thread, guint64 address, gpointer owner);

typedef struct {
    guint64 address, sp; /* of the return */
    guint thread;        /* its number */
} Resolution;

/* ---- shares ---- */

static void
unplant (EngineShare *share)
{
    for (guint i = 0; i < share->places->len; i++) {
        const EnginePlace *place = g_ptr_array_index (share->places, i);

        engine_trap_remove (share->process, place->address, on_hit, share);
    }
    for (guint i = 0; i < share->resolutions->len; i++) {
        engine_trap_remove (share->process,
                            g_array_index (share->resolutions, Resolution, i).address,
                            on_resolved, share);
    }
    g_array_set_size (share->resolutions, 0);
}

static void
share_free (gpointer data)
{
    EngineShare *share = data;

    unplant (share);
    engine_watch_free (share);
    g_ptr_array_unref (share->places);
    g_ptr_array_unref (share->python_places);
    g_hash_table_unref (share->searched);
    g_array_unref (share->resolutions);
    g_free (share->refusal);
    g_free (share);
}

void
engine_breakpoint_free (gpointer data)
{
    EnginePoint *breakpoint = data;

    g_ptr_array_unref (breakpoint->shares);
    job_request_free (breakpoint->request);
    g_free (breakpoint->name);
    g_free (breakpoint);
}

EngineShare *
engine_share_new (EnginePoint *breakpoint, EngineProcess *process)
{
    EngineShare *share = g_new0 (EngineShare, 1);

    share->point = breakpoint;
    share->process = process;
    share->enabled = TRUE;
    share->places = g_ptr_array_new_with_free_func ((GDestroyNotify) engine_place_free);
    share->python_places = g_ptr_array_new_with_free_func ((GDestroyNotify) job_location_free);
    share->searched = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    share->resolutions = g_array_new (FALSE, FALSE, sizeof (Resolution));
    g_ptr_array_add (breakpoint->shares, share);
    process->last_point = breakpoint->number;
    return share;
}

EnginePoint *
engine_point_find (Engine *engine, guint32 number)
{
    for (guint i = 0; i < engine->breakpoints->len; i++) {
        EnginePoint *breakpoint = g_ptr_array_index (engine->breakpoints, i);

        if (breakpoint->number == number) {
            return breakpoint;
        }
    }
    return NULL;
}

EngineShare *
engine_point_find_share (EnginePoint *breakpoint, const EngineProcess *process)
{
    for (guint i = 0; breakpoint != NULL && i < breakpoint->shares->len; i++) {
        EngineShare *share = g_ptr_array_index (breakpoint->shares, i);

        if (share->process == process) {
            return share;
        }
    }
    return NULL;
}

void
engine_share_set_enabled (EngineShare *share, gboolean enabled)
{
    if (share->enabled == enabled) {
        return;
    }
    share->enabled = enabled;
    if (share->watch != NULL) {
        engine_watch_enable (share);
    } else if (share->point->kind == ENGINE_POINT_SYSTEM_CALL) {
        engine_catch_enable (share);
    } else if (!enabled) {
        unplant (share);
    }
    for (guint i = 0; enabled && i < share->places->len; i++) {
        const EnginePlace *place = g_ptr_array_index (share->places, i);

        engine_trap_add (share->process, place->address, on_hit, share, NULL);
    }
}

/* ---- a hit ---- */

/* The loader asks which function the name stands for: the answer is known at its return. */
static gboolean
note_resolution (EngineShare *share, EngineThread *thread, guint64 address)
{
    Resolution resolution = { .thread = thread->number };
    const EnginePlace *place = NULL;

    for (guint i = 0; i < share->places->len && place == NULL; i++) {
        const EnginePlace *candidate = g_ptr_array_index (share->places, i);

        place = candidate->is_resolver && candidate->address == address ? candidate : NULL;
    }
    if (place == NULL) {
        return FALSE;
    }
    if (engine_thread_load_registers (thread)
        && machine_call_read_return (&thread->registers, share->process->memory,
                                     &resolution.address, &resolution.sp)
        && engine_trap_add (share->process, resolution.address, on_resolved, share, NULL)) {
        g_array_append_val (share->resolutions, resolution);
    }
    return TRUE;
}

static EngineTrapAnswer
on_hit (EngineThread *thread, guint64 address, gpointer owner)
{
    EngineShare *share = owner;

    if (note_resolution (share, thread, address)) {
        return ENGINE_TRAP_RESUME;
    }
    engine_inlines_hide (thread, NULL);
    if (share->enabled && engine_catch_matches (share, thread)
        && engine_share_judge (share, thread)) {
        engine_catch_say (share, thread);
        engine_process_stop (share->process, thread, JOB_STATE_BREAKPOINT,
                             (gint32) share->point->number, NULL, NULL, NULL);
        return ENGINE_TRAP_STOP;
    }
    thread->n_hidden = 0;
    return ENGINE_TRAP_RESUME;
}

/* ---- resolving ---- */

static gboolean
is_native (const EnginePoint *breakpoint)
{
    const JobWhere *where = &breakpoint->request->where;

    return where->kind == JOB_WHERE_ADDRESS
           || (where->kind == JOB_WHERE_FUNCTION && where->function != NULL
               && (where->file == NULL || !g_str_has_suffix (where->file, ".py")))
           || (where->kind == JOB_WHERE_LINE && where->file != NULL
               && !g_str_has_suffix (where->file, ".py"));
}

static gboolean
has_address (const EngineShare *share, guint64 address)
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
plant (EngineShare *share, EnginePlace *place)
{
    g_autoptr (GError) error = NULL;

    if (has_address (share, place->address)
        || (share->enabled
            && !engine_trap_add (share->process, place->address, on_hit, share, &error))) {
        if (error != NULL) {
            g_message ("breakpoint %u: %s", share->point->number, error->message);
            g_free (share->refusal);
            share->refusal = g_strdup (error->message);
        }
        engine_place_free (place);
        return FALSE;
    }
    g_ptr_array_add (share->places, place);
    return TRUE;
}

static void
drop_unmapped (EngineShare *share)
{
    for (guint i = share->places->len; i-- > 0;) {
        const EnginePlace *place = g_ptr_array_index (share->places, i);

        if (stack_modules_find (share->process->modules, place->address) == NULL) {
            engine_trap_remove (share->process, place->address, on_hit, share);
            g_ptr_array_remove_index (share->places, i);
        }
    }
}

/* Where the function begins that a resolver has decided for. */
static gboolean
plant_target (EngineShare *share, guint64 target)
{
    EngineProcess *process = share->process;
    g_autoptr (GPtrArray) places = g_ptr_array_new ();
    IndexImage *image = NULL;
    StackModule *module = engine_modules_find_image (process, target, &image);
    JobWhere where = { .kind = JOB_WHERE_ADDRESS, .address = target };
    gboolean is_new = FALSE, known = FALSE;

    if (image != NULL) {
        where.address = index_image_find_body (image, target - module->bias) + module->bias;
    }
    engine_modules_find_places (process, &where, NULL, places, &known);
    for (guint i = 0; i < places->len; i++) {
        is_new |= plant (share, g_ptr_array_index (places, i));
    }
    return is_new;
}

/* What was found of the name in the module, code that decides what it is (STT_GNU_IFUNC) put apart. */
static gboolean
plant_resolved (EngineShare *share, StackModule *module, GPtrArray *places)
{
    const JobWhere *where = &share->point->request->where;
    IndexImage *image = where->kind == JOB_WHERE_FUNCTION
                            ? stack_module_open_image (share->process->modules, module)
                            : NULL;
    g_autoptr (GArray) resolvers = image != NULL
                                       ? index_image_find_resolvers (image, where->function)
                                       : NULL;
    g_autoptr (GArray) targets = g_array_new (FALSE, FALSE, sizeof (guint64));
    gboolean is_new = FALSE;

    for (guint i = 0; resolvers != NULL && i < resolvers->len; i++) {
        guint64 resolver = g_array_index (resolvers, guint64, i);
        IndexFrame frame = { 0 };

        index_image_find_frames (image, resolver, &frame, 1);
        for (guint j = 0; j < places->len; j++) {
            EnginePlace *place = g_ptr_array_index (places, j);

            if (place->address - module->bias >= resolver
                && place->address - module->bias < frame.high) {
                place->address = resolver + module->bias;
                place->is_resolver = TRUE;
            }
        }
        engine_modules_find_resolved (share->process, module, resolver + module->bias,
                                      where->function, targets);
    }
    for (guint i = 0; i < targets->len; i++) {
        is_new |= plant_target (share, g_array_index (targets, guint64, i));
    }
    return is_new;
}

static gboolean
search_module (EngineShare *share, StackModule *module)
{
    g_autoptr (GPtrArray) places = g_ptr_array_new ();
    gboolean is_new;

    engine_modules_find_places (share->process, &share->point->request->where, module, places,
                                &share->file_known);
    is_new = plant_resolved (share, module, places);
    for (guint i = 0; i < places->len; i++) {
        if (share->is_pythons && !module->is_user) {
            engine_place_free (g_ptr_array_index (places, i)); /* its namesake in a library */
            continue;
        }
        is_new |= plant (share, g_ptr_array_index (places, i));
    }
    return is_new;
}

static char *
make_key (const StackModule *module)
{
    return g_strdup_printf ("%" G_GINT64_MODIFIER "x %s", module->start, module->path);
}

/* TRUE when something new was found. */
static gboolean
resolve (EngineShare *share)
{
    EngineProcess *process = share->process;
    g_autoptr (GHashTable) before = NULL;
    gboolean is_new = FALSE;

    if (process->ended || process->modules == NULL || !is_native (share->point)) {
        return FALSE;
    }
    drop_unmapped (share);
    /* Modules that went are forgotten, so that they are searched when they come back. */
    before = g_steal_pointer (&share->searched);
    share->searched = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = 0; i < stack_modules_get_count (process->modules); i++) {
        StackModule *module = stack_modules_get (process->modules, i);
        char *key = make_key (module);

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
format_pending (const EngineShare *share)
{
    const JobWhere *where = &share->point->request->where;

    if (share->refusal != NULL) {
        return g_strdup (share->refusal);
    }
    if (where->kind == JOB_WHERE_LINE) {
        return share->file_known
                   ? g_strdup_printf ("no code at line %u of \"%s\"", where->line, where->file)
                   : g_strdup_printf ("no file \"%s\" yet", where->file);
    }
    if (where->function != NULL) {
        return g_strdup_printf ("no function \"%s\" yet", where->function);
    }
    return g_strdup_printf ("nothing at 0x%" G_GINT64_MODIFIER "x yet", where->address);
}

/* Nobody stops in a resolver: it is only shown as long as nothing else is known. */
static gboolean
is_shown (const EngineShare *share, const EnginePlace *place)
{
    gboolean has_other = FALSE;

    for (guint i = 0; i < share->places->len; i++) {
        has_other |= !((const EnginePlace *) g_ptr_array_index (share->places, i))->is_resolver;
    }
    return !place->is_resolver || !has_other;
}

static void
report (EngineShare *share, guint64 request)
{
    g_autoptr (JobRankSet) slot = job_rank_set_new_range (share->process->slot,
                                                          share->process->slot + 1);
    JobEvent *event = job_event_new (JOB_EVENT_BREAKPOINT, request, slot);

    event->number = (gint32) share->point->number;
    event->final = request != 0;
    if (event->places == NULL) {
        event->places = g_ptr_array_new_with_free_func ((GDestroyNotify) job_location_free);
    }
    for (guint i = 0; i < share->places->len; i++) {
        const EnginePlace *place = g_ptr_array_index (share->places, i);

        if (is_shown (share, place)) {
            add_location (event->places, place->location);
        }
    }
    for (guint i = 0; i < share->python_places->len; i++) {
        add_location (event->places, g_ptr_array_index (share->python_places, i));
    }
    if (event->places->len > 0) {
        event->text = engine_awaited_dup_remark (share->process, share->point->request, NULL);
    } else if (is_native (share->point)
               || share->point->request->where.kind == JOB_WHERE_LINE) {
        event->text = format_pending (share);
    }
    engine_emit (share->process->engine, event);
}

static EngineTrapAnswer
on_resolved (EngineThread *thread, guint64 address, gpointer owner)
{
    EngineShare *share = owner;
    guint n_others = 0;
    gboolean is_ours = FALSE;

    engine_thread_load_registers (thread);
    for (guint i = share->resolutions->len; i-- > 0;) {
        const Resolution *resolution = &g_array_index (share->resolutions, Resolution, i);

        if (resolution->address == address && resolution->thread == thread->number
            && resolution->sp <= machine_registers_get_sp (&thread->registers)) {
            is_ours |= resolution->sp == machine_registers_get_sp (&thread->registers);
            g_array_remove_index (share->resolutions, i);
        } else {
            n_others += resolution->address == address ? 1 : 0;
        }
    }
    if (n_others == 0) {
        engine_trap_remove (share->process, address, on_resolved, share);
    }
    if (is_ours && plant_target (share, machine_registers_get_result (&thread->registers, 0))
        && share->answered) {
        report (share, 0);
    }
    return ENGINE_TRAP_RESUME;
}

void
engine_breakpoint_resolve (EngineProcess *process)
{
    GPtrArray *breakpoints = process->engine->breakpoints;

    for (guint i = 0; i < breakpoints->len; i++) {
        EngineShare *share = engine_point_find_share (g_ptr_array_index (breakpoints, i),
                                                      process);

        if (share != NULL && resolve (share) && share->answered) {
            report (share, 0);
        }
    }
}

void
engine_breakpoint_forget (EngineProcess *process)
{
    GPtrArray *breakpoints = process->engine->breakpoints;

    engine_watch_forget (process, !process->ended);
    for (guint i = 0; i < breakpoints->len; i++) {
        EngineShare *share = engine_point_find_share (g_ptr_array_index (breakpoints, i),
                                                      process);

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
engine_breakpoint_forget_module (EngineProcess *process, const StackModule *module)
{
    g_autofree char *key = make_key (module);
    GPtrArray *breakpoints = process->engine->breakpoints;

    for (guint i = 0; i < breakpoints->len; i++) {
        EngineShare *share = engine_point_find_share (g_ptr_array_index (breakpoints, i),
                                                      process);

        for (guint j = share != NULL ? share->places->len : 0; j-- > 0;) {
            const EnginePlace *place = g_ptr_array_index (share->places, j);

            if (place->address >= module->start && place->address < module->end) {
                engine_trap_remove (process, place->address, on_hit, share);
                g_ptr_array_remove_index (share->places, j);
            }
        }
        if (share != NULL) {
            g_hash_table_remove (share->searched, key);
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
        EnginePoint *breakpoint = g_ptr_array_index (breakpoints, i);

        if (breakpoint->kind == ENGINE_POINT_CODE
            && engine_point_find_share (breakpoint, process) != NULL) {
            g_ptr_array_add (process->breakpoint_list, breakpoint->request);
        }
    }
    return process->breakpoint_list;
}

/* The rank runs Python, which has the function: one of that name in a library is not meant. */
static void
drop_namesakes (EngineShare *share)
{
    share->is_pythons = TRUE;
    for (guint i = share->places->len; i-- > 0;) {
        const EnginePlace *place = g_ptr_array_index (share->places, i);
        const StackModule *module = stack_modules_find (share->process->modules,
                                                        place->address);

        if (module == NULL || !module->is_user) {
            engine_trap_remove (share->process, place->address, on_hit, share);
            g_ptr_array_remove_index (share->places, i);
        }
    }
}

void
engine_breakpoint_report_python (EngineProcess *process, guint32 number, GPtrArray *places)
{
    EngineShare *share = engine_point_find_share (engine_point_find (process->engine, number),
                                                  process);
    gboolean is_same;

    if (share == NULL) {
        return;
    }
    is_same = places != NULL && share->python_places->len == places->len;
    for (guint i = 0; is_same && i < places->len; i++) {
        is_same = job_location_equal (g_ptr_array_index (share->python_places, i),
                                      g_ptr_array_index (places, i));
    }
    g_ptr_array_set_size (share->python_places, 0);
    for (guint i = 0; places != NULL && i < places->len; i++) {
        g_ptr_array_add (share->python_places,
                         job_location_dup (g_ptr_array_index (places, i)));
    }
    if (share->python_places->len > 0
        && share->point->request->where.kind == JOB_WHERE_FUNCTION) {
        drop_namesakes (share);
    }
    if (share->answered && !is_same) {
        report (share, 0);
    }
}

/* ---- requests ---- */

void
engine_breakpoint_add_share (EnginePoint *breakpoint, EngineProcess *process)
{
    EngineShare *share = engine_point_find_share (breakpoint, process);
    const JobRequest *request = breakpoint->request;

    if (share != NULL) {
        g_ptr_array_remove (breakpoint->shares, share);
    }
    share = engine_share_new (breakpoint, process);
    resolve (share);
    engine_python_handle_breakpoint (process, request);
    share->answered = TRUE;
    report (share, request->id);
}

void
engine_breakpoint_inherit (EngineProcess *child, const EngineProcess *parent)
{
    GPtrArray *breakpoints = parent->engine->breakpoints;

    for (guint i = 0; i < breakpoints->len; i++) {
        EnginePoint *point = g_ptr_array_index (breakpoints, i);
        const EngineShare *share = engine_point_find_share (point, parent);
        EngineShare *own;

        if (share == NULL || point->kind == ENGINE_POINT_WATCH) {
            continue;
        }
        own = engine_share_new (point, child);
        own->enabled = share->enabled;
        own->answered = TRUE;
        if (point->kind == ENGINE_POINT_SYSTEM_CALL) {
            engine_catch_enable (own);
        }
    }
}

EnginePoint *
engine_point_add (Engine *engine, const JobRequest *request, EnginePointKind kind)
{
    EnginePoint *point = engine_point_find (engine, request->number);

    if (point == NULL) {
        point = g_new0 (EnginePoint, 1);
        point->number = request->number;
        point->shares = g_ptr_array_new_with_free_func (share_free);
        g_ptr_array_add (engine->breakpoints, point);
    }
    point->kind = kind;
    job_request_free (point->request);
    point->request = job_request_dup (request);
    return point;
}

void
engine_share_remove (EngineShare *share)
{
    EnginePoint *point = share->point;
    Engine *engine = share->process->engine;

    g_ptr_array_remove (point->shares, share);
    if (point->shares->len == 0) {
        g_ptr_array_remove (engine->breakpoints, point);
    }
}

void
engine_share_emit_set (EngineShare *share, guint64 request, const char *text)
{
    g_autoptr (JobRankSet) slot = job_rank_set_new_range (share->process->slot,
                                                          share->process->slot + 1);
    JobEvent *event = job_event_new (JOB_EVENT_BREAKPOINT, request, slot);

    share->answered = TRUE;
    event->number = (gint32) share->point->number;
    event->final = request != 0;
    event->text = engine_awaited_dup_remark (share->process, share->point->request, text);
    engine_emit (share->process->engine, event);
}

static void
handle_new (Engine *engine, const JobRequest *request)
{
    EnginePoint *point = engine_point_add (engine, request, ENGINE_POINT_CODE);
    gint64 end = engine_task_get_turn_end ();
    JobRankIter iter = { 0 };
    guint32 slot;

    while (job_rank_set_next (request->ranks, &iter, &slot)) {
        EngineProcess *process = engine_find_process (engine, slot);

        if (process != NULL && process->ended) {
            g_autoptr (GError) gone
                = g_error_new (BASE_ERROR, BASE_ERROR_GONE,
                               "cannot set a breakpoint: the rank has ended");
            engine_emit_failure (process, request->id, gone);
        } else if (process != NULL && !engine_task_is_put_off (process, request, end)) {
            engine_breakpoint_add_share (point, process);
        }
    }
}

/* What a breakpoint does at its place is the same for all its ranks; agents that have it get it again. */
static void
change_modifiers (EnginePoint *breakpoint, const JobRequest *request)
{
    g_autoptr (JobRequest) old = job_request_dup (breakpoint->request);

    job_request_copy_modifiers (request, breakpoint->request);
    old->verb = JOB_VERB_DELETE;
    for (guint i = 0; breakpoint->kind == ENGINE_POINT_CODE && i < breakpoint->shares->len;
         i++) {
        EngineShare *share = g_ptr_array_index (breakpoint->shares, i);

        if (!share->process->ended && share->python_places->len > 0
            && job_rank_set_contains (request->ranks, share->process->slot)) {
            engine_python_handle_breakpoint (share->process, old);
            engine_python_handle_breakpoint (share->process, breakpoint->request);
        }
    }
}

static void
handle_change (Engine *engine, const JobRequest *request)
{
    EnginePoint *breakpoint = engine_point_find (engine, request->number);
    JobRankIter iter = { 0 };
    guint32 slot;

    if (request->verb == JOB_VERB_CONDITION && breakpoint != NULL) {
        change_modifiers (breakpoint, request);
    }
    while (job_rank_set_next (request->ranks, &iter, &slot)) {
        EngineProcess *process = engine_find_process (engine, slot);
        EngineShare *share = process != NULL ? engine_point_find_share (breakpoint, process)
                                             : NULL;

        if (process == NULL) {
            continue;
        }
        if (share != NULL && request->verb != JOB_VERB_CONDITION) {
            if (!process->ended) {
                engine_python_handle_breakpoint (process, request);
            }
            if (request->verb == JOB_VERB_DELETE) {
                engine_share_remove (share);
                breakpoint = engine_point_find (engine, request->number);
            } else {
                engine_share_set_enabled (share, request->verb == JOB_VERB_ENABLE);
            }
        }
        engine_emit_accepted (process, request->id);
    }
}

void
engine_breakpoint_handle (Engine *engine, const JobRequest *request)
{
    if (engine->breakpoints == NULL) {
        return;
    }
    if (request->verb == JOB_VERB_BREAK) {
        handle_new (engine, request);
    } else if (request->verb == JOB_VERB_CATCH) {
        engine_catch_handle (engine, request);
    } else if (request->verb == JOB_VERB_WATCH) {
        engine_watch_handle (engine, request);
    } else {
        handle_change (engine, request);
    }
}
