/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Logical breakpoints: each process has a part with the places found so far, planted. judge.c
 * decides whether a hit stops. Libraries that are loaded later are searched when the loader
 * reports them. python.c and the agent handle the Python places of the same number. */
#include "engine/breakpoint/private.h"
#include "engine/control/control.h"
#include "engine/modules/modules.h"

#define RESOLVE_AGAIN_US (2 * G_USEC_PER_SEC) /* as pddt-symbols has not answered */

static EngineTrapAnswer on_hit (EngineThread *thread, guint64 address, gpointer owner);
static EngineTrapAnswer on_resolved (EngineThread *thread, guint64 address, gpointer owner);

typedef struct {
    guint64 address, sp; /* of the return */
    guint thread;        /* its number */
} Resolution;

/* ---- sites ---- */

static void
unplant (EngineBreakpointSite *site)
{
    for (guint i = 0; i < site->places->len; i++) {
        const EnginePlace *place = g_ptr_array_index (site->places, i);

        engine_trap_remove (site->process, place->address, on_hit, site);
    }
    for (guint i = 0; i < site->resolutions->len; i++) {
        engine_trap_remove (site->process,
                            g_array_index (site->resolutions, Resolution, i).address,
                            on_resolved, site);
    }
    g_array_set_size (site->resolutions, 0);
}

static void
site_free (gpointer data)
{
    EngineBreakpointSite *site = data;

    unplant (site);
    engine_watch_free (site);
    g_ptr_array_unref (site->places);
    g_ptr_array_unref (site->python_places);
    g_hash_table_unref (site->searched);
    g_array_unref (site->resolutions);
    g_free (site->refusal);
    g_free (site->python_reason);
    g_free (site);
}

void
engine_breakpoint_free (gpointer data)
{
    EngineBreakpoint *breakpoint = data;

    g_ptr_array_unref (breakpoint->sites);
    job_request_free (breakpoint->request);
    g_free (breakpoint->name);
    g_free (breakpoint);
}

EngineBreakpointSite *
engine_breakpoint_site_new (EngineBreakpoint *breakpoint, EngineProcess *process)
{
    EngineBreakpointSite *site = g_new0 (EngineBreakpointSite, 1);

    site->breakpoint = breakpoint;
    site->process = process;
    site->enabled = TRUE;
    site->places = g_ptr_array_new_with_free_func ((GDestroyNotify) engine_place_free);
    site->python_places = g_ptr_array_new_with_free_func ((GDestroyNotify) job_location_free);
    site->searched = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    site->resolutions = g_array_new (FALSE, FALSE, sizeof (Resolution));
    g_ptr_array_add (breakpoint->sites, site);
    process->last_point = breakpoint->number;
    return site;
}

EngineBreakpoint *
engine_breakpoint_find (Engine *engine, guint32 number)
{
    return BASE_FIND (engine->breakpoints, EngineBreakpoint, breakpoint,
                      breakpoint->number == number);
}

EngineBreakpointSite *
engine_breakpoint_find_site (EngineBreakpoint *breakpoint, const EngineProcess *process)
{
    return BASE_FIND (breakpoint != NULL ? breakpoint->sites : NULL, EngineBreakpointSite, site,
                      site->process == process);
}

void
engine_breakpoint_site_set_enabled (EngineBreakpointSite *site, gboolean enabled)
{
    if (site->enabled == enabled) {
        return;
    }
    site->enabled = enabled;
    if (site->watch != NULL) {
        engine_watch_enable (site);
    } else if (site->breakpoint->kind == ENGINE_BREAKPOINT_SYSTEM_CALL) {
        engine_catch_enable (site);
    } else if (!enabled) {
        unplant (site);
    }
    for (guint i = 0; enabled && i < site->places->len; i++) {
        const EnginePlace *place = g_ptr_array_index (site->places, i);

        engine_trap_add (site->process, place->address, on_hit, site, NULL);
    }
}

/* ---- a hit ---- */

/* The loader asks which function the name stands for: the answer is known at its return. */
static gboolean
note_resolution (EngineBreakpointSite *site, EngineThread *thread, guint64 address)
{
    Resolution resolution = { .thread = thread->number };
    const EnginePlace *place = NULL;

    for (guint i = 0; i < site->places->len && place == NULL; i++) {
        const EnginePlace *candidate = g_ptr_array_index (site->places, i);

        place = candidate->is_resolver && candidate->address == address ? candidate : NULL;
    }
    if (place == NULL) {
        return FALSE;
    }
    if (engine_thread_load_registers (thread)
        && machine_call_read_return (&thread->registers,
                                     engine_process_get_memory (site->process),
                                     &resolution.address, &resolution.sp)
        && engine_trap_add (site->process, resolution.address, on_resolved, site, NULL)) {
        g_array_append_val (site->resolutions, resolution);
    }
    return TRUE;
}

static EngineTrapAnswer
on_hit (EngineThread *thread, guint64 address, gpointer owner)
{
    EngineBreakpointSite *site = owner;

    if (note_resolution (site, thread, address)) {
        return ENGINE_TRAP_RESUME;
    }
    engine_inlines_hide (thread, NULL);
    if (site->enabled && engine_catch_matches (site, thread)
        && engine_breakpoint_site_judge (site, thread)) {
        engine_catch_say (site, thread);
        engine_process_stop (site->process, thread, JOB_STATE_BREAKPOINT,
                             (gint32) site->breakpoint->number, NULL, NULL, NULL);
        return ENGINE_TRAP_STOP;
    }
    thread->n_hidden = 0;
    return ENGINE_TRAP_RESUME;
}

/* ---- resolving ---- */

static gboolean
is_native (const EngineBreakpoint *breakpoint)
{
    const JobWhere *where = &breakpoint->request->where;

    return where->kind == JOB_WHERE_ADDRESS
           || (where->kind == JOB_WHERE_FUNCTION && where->function != NULL
               && (where->file == NULL || !g_str_has_suffix (where->file, ".py")))
           || (where->kind == JOB_WHERE_LINE && where->file != NULL
               && !g_str_has_suffix (where->file, ".py"));
}

static gboolean
has_address (const EngineBreakpointSite *site, guint64 address)
{
    return BASE_HAS (site->places, const EnginePlace, place, place->address == address);
}

/* Takes the place. */
static gboolean
plant (EngineBreakpointSite *site, EnginePlace *place)
{
    g_autoptr (GError) error = NULL;

    if (has_address (site, place->address)
        || (site->enabled
            && !engine_trap_add (site->process, place->address, on_hit, site, &error))) {
        if (error != NULL) {
            g_message ("breakpoint %u: %s", site->breakpoint->number, error->message);
            g_free (site->refusal);
            site->refusal = g_strdup (error->message);
        }
        engine_place_free (place);
        return FALSE;
    }
    g_ptr_array_add (site->places, place);
    return TRUE;
}

static void
drop_unmapped (EngineBreakpointSite *site)
{
    for (guint i = site->places->len; i-- > 0;) {
        const EnginePlace *place = g_ptr_array_index (site->places, i);

        if (stack_modules_find (engine_process_get_modules (site->process), place->address)
                == NULL
            && !engine_code_is_made (site->process, place->address)) {
            engine_trap_remove (site->process, place->address, on_hit, site);
            g_ptr_array_remove_index (site->places, i);
        }
    }
}

/* Where the function begins that a resolver has decided for. */
static gboolean
plant_target (EngineBreakpointSite *site, guint64 target)
{
    EngineProcess *process = site->process;
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
        is_new |= plant (site, g_ptr_array_index (places, i));
    }
    return is_new;
}

/* What was found of the name in the module, code that decides what it is (STT_GNU_IFUNC) put apart. */
static gboolean
plant_resolved (EngineBreakpointSite *site, StackModule *module, GPtrArray *places)
{
    const JobWhere *where = &site->breakpoint->request->where;
    IndexImage *image = where->kind == JOB_WHERE_FUNCTION
                            ? engine_process_open_image (site->process, module)
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
        engine_modules_find_resolved (site->process, module, resolver + module->bias,
                                      where->function, targets);
    }
    for (guint i = 0; i < targets->len; i++) {
        is_new |= plant_target (site, g_array_index (targets, guint64, i));
    }
    return is_new;
}

static gboolean
is_own (const EngineBreakpointSite *site, const EnginePlace *place)
{
    const StackModule *module = stack_modules_find (engine_process_get_modules (site->process),
                                                    place->address);

    return module != NULL && module->is_user;
}

static gboolean
has_own (const EngineBreakpointSite *site)
{
    return BASE_ANY (i, site->places->len, is_own (site, g_ptr_array_index (site->places, i)));
}

/* Libraries have counted until the program itself had something of the name. */
static void
drop_libraries (EngineBreakpointSite *site)
{
    for (guint i = site->places->len; i-- > 0;) {
        const EnginePlace *place = g_ptr_array_index (site->places, i);

        if (!is_own (site, place)) {
            engine_trap_remove (site->process, place->address, on_hit, site);
            g_ptr_array_remove_index (site->places, i);
        }
    }
}

static gboolean
search_module (EngineBreakpointSite *site, StackModule *module)
{
    g_autoptr (GPtrArray) places = g_ptr_array_new ();
    gboolean by_name = site->breakpoint->request->where.kind != JOB_WHERE_ADDRESS;
    const StackModules *modules = engine_process_get_modules (site->process);
    gboolean is_new;

    engine_process_open_image (site->process, module); /* which tells whose it is */
    if (engine_process_get_modules (site->process) != modules || site->process->ended) {
        return FALSE; /* meanwhile: whoever has found new ones searches them */
    }
    if (by_name && !module->is_user && has_own (site)) {
        return FALSE;
    }
    engine_modules_find_places (site->process, &site->breakpoint->request->where, module,
                                places, &site->file_known);
    is_new = plant_resolved (site, module, places);
    for (guint i = 0; i < places->len; i++) {
        if (site->is_pythons && !module->is_user) {
            engine_place_free (g_ptr_array_index (places, i)); /* its namesake in a library */
            continue;
        }
        is_new |= plant (site, g_ptr_array_index (places, i));
    }
    if (by_name && module->is_user && has_own (site)) {
        drop_libraries (site);
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
resolve (EngineBreakpointSite *site)
{
    EngineProcess *process = site->process;
    const JobWhere *where = &site->breakpoint->request->where;
    g_autoptr (GHashTable) before = NULL;
    const StackModules *modules;
    EnginePlace *made;
    gboolean is_new = FALSE;

    if (process->ended || engine_process_get_modules (process) == NULL
        || !is_native (site->breakpoint)) {
        return FALSE;
    }
    drop_unmapped (site);
    /* Modules that went are forgotten, so that they are searched when they come back. */
    before = g_steal_pointer (&site->searched);
    site->searched = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    modules = engine_process_get_modules (process);
    ENGINE_EACH_MODULE (process, module) {
        g_autofree char *key = make_key (module);

        if (!g_hash_table_contains (before, key)) {
            is_new |= search_module (site, module);
        }
        if (stack_module_is_late (module)) {
            process->resolve_due_us = g_get_monotonic_time () + RESOLVE_AGAIN_US;
        } else {
            g_hash_table_add (site->searched, g_steal_pointer (&key));
        }
    }
    made = site->places->len == 0 && engine_process_get_modules (process) == modules
               ? engine_code_dup_place (process, where)
               : NULL;
    return (made != NULL && plant (site, made)) || is_new;
}

static void
add_location (GPtrArray *places, const JobLocation *location)
{
    if (BASE_ANY (i, places->len,
                  job_location_equal (g_ptr_array_index (places, i), location))) {
        return;
    }
    g_ptr_array_add (places, job_location_dup (location));
}

/* Nobody stops in a resolver: it is only shown as long as nothing else is known. */
static gboolean
is_shown (const EngineBreakpointSite *site, const EnginePlace *place)
{
    gboolean has_other = FALSE;

    for (guint i = 0; i < site->places->len; i++) {
        has_other |= !((const EnginePlace *) g_ptr_array_index (site->places, i))->is_resolver;
    }
    return !place->is_resolver || !has_other;
}

/* What is to be said beside its places; NULL. */
static char *
dup_remark (EngineBreakpointSite *site)
{
    site->is_withheld = engine_fork_has_lifted (site->process);
    return engine_breakpoint_dup_remark (
        site->process, site->breakpoint->request,
        site->is_withheld ? "waits until the child of vfork has left the rank's memory" : NULL);
}

static void
report (EngineBreakpointSite *site, guint64 request)
{
    g_autoptr (JobRankSet) slot = job_rank_set_new_range (site->process->slot,
                                                          site->process->slot + 1);
    JobEvent *event = job_event_new (JOB_EVENT_BREAKPOINT, request, slot);

    event->number = (gint32) site->breakpoint->number;
    event->final = request != 0;
    if (event->places == NULL) {
        event->places = g_ptr_array_new_with_free_func ((GDestroyNotify) job_location_free);
    }
    for (guint i = 0; i < site->places->len; i++) {
        const EnginePlace *place = g_ptr_array_index (site->places, i);

        if (is_shown (site, place)) {
            add_location (event->places, place->location);
        }
    }
    for (guint i = 0; i < site->python_places->len; i++) {
        add_location (event->places, g_ptr_array_index (site->python_places, i));
    }
    if (event->places->len > 0) {
        event->text = dup_remark (site);
    } else if (is_native (site->breakpoint) || site->python_reason != NULL
               || site->breakpoint->request->where.kind == JOB_WHERE_LINE) {
        event->text = engine_breakpoint_dup_pending (site);
    }
    engine_emit (site->process->engine, event);
}

static EngineTrapAnswer
on_resolved (EngineThread *thread, guint64 address, gpointer owner)
{
    EngineBreakpointSite *site = owner;
    guint n_others = 0;
    gboolean is_ours = FALSE;

    engine_thread_load_registers (thread);
    for (guint i = site->resolutions->len; i-- > 0;) {
        const Resolution *resolution = &g_array_index (site->resolutions, Resolution, i);

        if (resolution->address == address && resolution->thread == thread->number
            && resolution->sp <= machine_registers_get_sp (&thread->registers)) {
            is_ours |= resolution->sp == machine_registers_get_sp (&thread->registers);
            g_array_remove_index (site->resolutions, i);
        } else {
            n_others += resolution->address == address ? 1 : 0;
        }
    }
    if (n_others == 0) {
        engine_trap_remove (site->process, address, on_resolved, site);
    }
    if (is_ours && plant_target (site, machine_registers_get_result (&thread->registers, 0))
        && site->answered) {
        report (site, 0);
    }
    return ENGINE_TRAP_RESUME;
}

GPtrArray *
engine_breakpoint_dup_all (Engine *engine)
{
    GPtrArray *all = g_ptr_array_new (); /* a copy would free them, too */

    if (engine->breakpoints != NULL) {
        g_ptr_array_extend (all, engine->breakpoints, NULL, NULL);
    }
    return all;
}

void
engine_breakpoint_resolve (EngineProcess *process)
{
    g_autoptr (GPtrArray) breakpoints = engine_breakpoint_dup_all (process->engine);

    process->resolve_due_us = 0;
    for (guint i = 0; i < breakpoints->len; i++) {
        EngineBreakpointSite *site
            = engine_breakpoint_find_site (g_ptr_array_index (breakpoints, i), process);

        if (site != NULL && resolve (site) && site->answered) {
            report (site, 0);
        }
    }
}

void
engine_breakpoint_end_wait (EngineProcess *process)
{
    GPtrArray *breakpoints = process->engine->breakpoints;

    for (guint i = 0; i < breakpoints->len; i++) {
        EngineBreakpointSite *site
            = engine_breakpoint_find_site (g_ptr_array_index (breakpoints, i), process);

        if (site != NULL && site->is_withheld) {
            report (site, 0);
        }
    }
}

void
engine_breakpoint_search_again (EngineProcess *process)
{
    if (process->resolve_due_us != 0 && g_get_monotonic_time () >= process->resolve_due_us) {
        engine_breakpoint_resolve (process);
    }
}

void
engine_breakpoint_forget (EngineProcess *process)
{
    GPtrArray *breakpoints = process->engine->breakpoints;

    engine_watch_forget (process, !process->ended);
    for (guint i = 0; i < breakpoints->len; i++) {
        EngineBreakpointSite *site
            = engine_breakpoint_find_site (g_ptr_array_index (breakpoints, i), process);

        if (site != NULL) {
            unplant (site);
            g_ptr_array_set_size (site->places, 0);
            g_ptr_array_set_size (site->python_places, 0);
            g_hash_table_remove_all (site->searched);
            site->file_known = FALSE;
        }
    }
}

void
engine_breakpoint_forget_module (EngineProcess *process, const StackModule *module)
{
    g_autofree char *key = make_key (module);
    GPtrArray *breakpoints = process->engine->breakpoints;

    for (guint i = 0; i < breakpoints->len; i++) {
        EngineBreakpointSite *site
            = engine_breakpoint_find_site (g_ptr_array_index (breakpoints, i), process);

        for (guint j = site != NULL ? site->places->len : 0; j-- > 0;) {
            const EnginePlace *place = g_ptr_array_index (site->places, j);

            if (place->address >= module->start && place->address < module->end) {
                engine_trap_remove (process, place->address, on_hit, site);
                g_ptr_array_remove_index (site->places, j);
            }
        }
        if (site != NULL) {
            g_hash_table_remove (site->searched, key);
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
        EngineBreakpoint *breakpoint = g_ptr_array_index (breakpoints, i);

        if (breakpoint->kind == ENGINE_BREAKPOINT_CODE
            && engine_breakpoint_find_site (breakpoint, process) != NULL) {
            g_ptr_array_add (process->breakpoint_list, breakpoint->request);
        }
    }
    return process->breakpoint_list;
}

/* The rank runs Python, which has the function: one of that name in a library is not meant. */
static void
drop_namesakes (EngineBreakpointSite *site)
{
    site->is_pythons = TRUE;
    drop_libraries (site);
}

void
engine_breakpoint_report_python (EngineProcess *process, guint32 number, GPtrArray *places,
                                 const char *reason)
{
    EngineBreakpointSite *site
        = engine_breakpoint_find_site (engine_breakpoint_find (process->engine, number),
                                       process);
    gboolean is_same;

    if (site == NULL) {
        return;
    }
    reason = *reason != '\0' ? reason : NULL;
    is_same = site->python_places->len == places->len
              && g_strcmp0 (site->python_reason, reason) == 0;
    for (guint i = 0; is_same && i < places->len; i++) {
        is_same = job_location_equal (g_ptr_array_index (site->python_places, i),
                                      g_ptr_array_index (places, i));
    }
    g_free (site->python_reason);
    site->python_reason = g_strdup (reason);
    g_ptr_array_set_size (site->python_places, 0);
    for (guint i = 0; i < places->len; i++) {
        g_ptr_array_add (site->python_places, job_location_dup (g_ptr_array_index (places, i)));
    }
    if (site->python_places->len > 0
        && site->breakpoint->request->where.kind == JOB_WHERE_FUNCTION) {
        drop_namesakes (site);
    }
    if (site->answered && !is_same) {
        report (site, 0);
    }
}

/* ---- requests ---- */

/* What is wanted cannot be done there: it is as if it had never been set. */
static void
refuse (EngineBreakpointSite *site, guint64 request, const GError *error)
{
    g_autoptr (JobRequest) dropped = job_request_new (JOB_VERB_DELETE, NULL);
    EngineProcess *process = site->process;

    dropped->number = site->breakpoint->number;
    engine_breakpoint_tell (process, dropped, NULL);
    engine_breakpoint_site_remove (site);
    engine_emit_failure (process, request, error);
}

void
engine_breakpoint_add_site (EngineBreakpoint *breakpoint, EngineProcess *process,
                            guint64 request)
{
    EngineBreakpointSite *site = engine_breakpoint_find_site (breakpoint, process);
    g_autoptr (GError) error = NULL;

    if (site != NULL) {
        g_ptr_array_remove (breakpoint->sites, site);
    }
    site = engine_breakpoint_site_new (breakpoint, process);
    resolve (site);
    if (!engine_breakpoint_tell (process, breakpoint->request, &error)
        || !engine_breakpoint_site_check (site, breakpoint->request, &error)) {
        refuse (site, request, error);
        return;
    }
    site->answered = TRUE;
    report (site, request);
}

void
engine_breakpoint_inherit (EngineProcess *child, const EngineProcess *parent)
{
    GPtrArray *breakpoints = parent->engine->breakpoints;

    for (guint i = 0; i < breakpoints->len; i++) {
        EngineBreakpoint *breakpoint = g_ptr_array_index (breakpoints, i);
        const EngineBreakpointSite *site = engine_breakpoint_find_site (breakpoint, parent);
        EngineBreakpointSite *own;

        if (site == NULL || breakpoint->kind == ENGINE_BREAKPOINT_WATCH) {
            continue;
        }
        own = engine_breakpoint_site_new (breakpoint, child);
        own->enabled = site->enabled;
        own->answered = TRUE;
        if (breakpoint->kind == ENGINE_BREAKPOINT_SYSTEM_CALL) {
            engine_catch_enable (own);
        }
    }
}

void
engine_breakpoint_replace_request (EngineBreakpoint *breakpoint, Engine *engine,
                                   JobRequest *request)
{
    if (breakpoint->request != NULL) {
        engine_free_later (engine, breakpoint->request, (GDestroyNotify) job_request_free);
    }
    breakpoint->request = request;
}

EngineBreakpoint *
engine_breakpoint_add (Engine *engine, const JobRequest *request, EngineBreakpointKind kind)
{
    EngineBreakpoint *breakpoint = engine_breakpoint_find (engine, request->number);

    if (breakpoint == NULL) {
        breakpoint = g_new0 (EngineBreakpoint, 1);
        breakpoint->number = request->number;
        breakpoint->sites = g_ptr_array_new_with_free_func (site_free);
        g_ptr_array_add (engine->breakpoints, breakpoint);
    }
    if (breakpoint->request == NULL || breakpoint->request->id < request->id) {
        breakpoint->kind = kind;
        engine_breakpoint_replace_request (breakpoint, engine, job_request_dup (request));
    }
    return breakpoint;
}

void
engine_breakpoint_drop (Engine *engine, EngineBreakpoint *breakpoint)
{
    guint i;

    if (g_ptr_array_find (engine->breakpoints, breakpoint, &i)) {
        engine_free_later (engine, g_ptr_array_steal_index (engine->breakpoints, i),
                           engine_breakpoint_free);
    }
}

void
engine_breakpoint_site_remove (EngineBreakpointSite *site)
{
    EngineBreakpoint *breakpoint = site->breakpoint;
    Engine *engine = site->process->engine;

    g_ptr_array_remove (breakpoint->sites, site);
    if (breakpoint->sites->len == 0) {
        engine_breakpoint_drop (engine, breakpoint);
    }
}

void
engine_breakpoint_site_emit_set (EngineBreakpointSite *site, guint64 request, const char *text)
{
    g_autoptr (JobRankSet) slot = job_rank_set_new_range (site->process->slot,
                                                          site->process->slot + 1);
    JobEvent *event = job_event_new (JOB_EVENT_BREAKPOINT, request, slot);

    site->answered = TRUE;
    event->number = (gint32) site->breakpoint->number;
    event->final = request != 0;
    event->text = engine_breakpoint_dup_remark (site->process, site->breakpoint->request, text);
    engine_emit (site->process->engine, event);
}
