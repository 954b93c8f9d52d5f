/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who is told of what, and in which order. */
#include "engine/breakpoint/breakpoint.h"
#include "engine/control/control.h"
#include "engine/inspect/inspect.h"
#include "engine/loop/private.h"
#include "engine/modules/modules.h"
#include "engine/python/python.h"
#include "engine/queue/queue.h"
#include "engine/sampling/sampling.h"
#include "engine/step/step.h"

static void
take_python_log (EngineProcess *process)
{
    engine_python_take_log (process);
}

static gboolean
wants_modules (EngineProcess *process)
{
    return engine_step_is_active (process) || engine_queue_is_wanted (process)
           || (engine_python_is_expected (process) && !engine_python_has_agent (process));
}

static gboolean
wants_exit (EngineThread *thread, TargetStopKind kind)
{
    return kind == TARGET_STOP_EXIT && engine_queue_wants_exit (thread);
}

const EngineNotices engine_notices = {
    .flushes = { engine_arrivals_tell },
    .flushed = { engine_arrivals_watch },
    .state_told = { engine_sources_check },
    .work_over = { engine_process_end_work },
    .work_waited = { engine_process_forget_cache },
    .request_begins = engine_inspect_use_selection,
    .take_stop = engine_stops_take,
    .take_request = engine_take_request,

    .made = { engine_map_make, engine_kept_make, engine_python_make },
    .inherits = engine_breakpoint_inherit,
    .is_other = { engine_python_reset },
    .space_begins = { engine_python_on_exec, engine_process_refresh_modules },
    .is_fork = { engine_python_on_follow },
    .executed = { engine_start_take_exec },
    .vfork_over = { engine_breakpoint_end_wait },
    .is_let_go = { engine_python_close, engine_watch_on_leave },
    .ends = { engine_sampling_end },
    .program_ends = { engine_step_cancel, engine_python_on_gone, engine_breakpoint_forget,
                      engine_start_forget },
    .ended = { engine_remains_keep },
    .space_ends = { engine_start_forget, engine_escapes_forget, engine_modules_forget,
                    engine_queue_forget },
    .freed = { engine_kept_free, engine_map_free, engine_python_free, engine_remains_free },

    .modules_change = { engine_start_on_modules, engine_breakpoint_resolve,
                        engine_python_on_modules, engine_queue_on_modules },
    .modules_come = { engine_breakpoint_resolve },
    .module_changes = engine_breakpoint_forget_module,
    .loaded = engine_catch_load,

    .thread_added = { engine_awaited_on_thread },
    .thread_made = engine_queue_note_thread,
    .exits = { engine_sampling_note_exit },

    .goes_on = { engine_blocked_begin },
    .about_to_run = { engine_breakpoint_search_again },
    .halted = { engine_modules_refresh_stale, engine_breakpoint_search_again },
    .stops = { engine_step_cancel, engine_python_on_stop },
    .stopped = { take_python_log },
    .motion_ends = { engine_step_cancel },
    .registers_refused = { engine_watch_give_up_registers },

    .values_change = { engine_watch_read_again },
    .errors_wanted = { engine_queue_catch_errors },
    .breakpoint_changes = engine_python_handle_breakpoint,
    .goes_on_natively = engine_step_go_on_natively,

    .wants_calls = { engine_catch_wants_calls },
    .wants_call = { engine_catch_wants_call },
    .wants_event = { engine_catch_wants_event, wants_exit },
    .wants_load = { engine_catch_wants_load },
    .wants_modules = { wants_modules },
    .has_agent = engine_python_is_expected,
    .tells_place = engine_python_tells_place,
    .ask_python = engine_python_answer_stop,
    .run_python = engine_python_run_here,
    .dup_call_place = engine_queue_dup_running_place,
    .is_stepped = engine_step_is_of,
    .dup_place = engine_inspect_dup_place,
    .dup_exception = engine_catch_dup_exception,
};
