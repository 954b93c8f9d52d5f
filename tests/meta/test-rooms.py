# SPDX-License-Identifier: GPL-3.0-or-later
"""The rooms of the engine use each other in one direction: each one those before it in ORDER. What still runs back
stands in BACK, which only becomes shorter: control tells the others what happens to a rank by calling them. The rooms
of the windows include each other in the order of WINDOWS, without exception."""
import re

import source

ENGINE = source.SRC / "engine"
ORDER = ["base", "control", "modules", "inspect", "breakpoint", "python", "queue", "sampling", "step", "loop"]
FILES = {"emit.c": "base", "turn.c": "base", "work.c": "base", "engine.c": "loop"}
BACK = {
    ("base", "control"):
        "engine_process_end_work engine_process_take_stop",
    ("base", "modules"):
        "engine_sources_check",
    ("base", "inspect"):
        "engine_inspect_may_take_long engine_inspect_use_selection",
    ("base", "loop"):
        "engine_take_request",
    ("control", "modules"):
        "engine_map_free engine_map_new engine_modules_are_stale engine_modules_find_image "
        "engine_modules_find_places engine_modules_forget engine_modules_forget_tables "
        "engine_modules_get_hash engine_place_free engine_process_find_symbol engine_process_refresh_modules",
    ("control", "inspect"):
        "engine_inspect_answer_in_frame engine_inspect_answer_info_in engine_inspect_begin "
        "engine_inspect_dup_place engine_inspect_end engine_inspect_forget engine_kept_free engine_kept_new",
    ("control", "breakpoint"):
        "engine_breakpoint_end_wait engine_breakpoint_forget engine_breakpoint_inherit "
        "engine_breakpoint_resolve engine_catch_call engine_catch_exec engine_catch_exit engine_catch_fork "
        "engine_catch_note_call engine_catch_signal engine_catch_wants_call engine_catch_wants_calls "
        "engine_catch_wants_event engine_exception_describe engine_exception_find_uncaught engine_watch_check "
        "engine_watch_forget engine_watch_load engine_watch_note engine_watch_unload",
    ("control", "python"):
        "engine_awaited_on_thread engine_python_close engine_python_free engine_python_has_agent "
        "engine_python_is_expected engine_python_new engine_python_note_folder engine_python_on_exec "
        "engine_python_on_follow engine_python_on_gone engine_python_on_stop engine_python_reset "
        "engine_python_set_refused engine_python_take_log",
    ("control", "queue"):
        "engine_queue_check_exit engine_queue_find_blocked engine_queue_forget engine_queue_has_recorder "
        "engine_queue_note_thread engine_queue_on_exec engine_queue_wants_exit",
    ("control", "sampling"):
        "engine_sampling_awaits engine_sampling_end engine_sampling_note_exit engine_sampling_take_stop",
    ("control", "step"):
        "engine_escapes_free engine_inlines_hide engine_step_cancel engine_step_is_active engine_step_is_of "
        "engine_step_on_signal engine_step_on_stop",
    ("control", "loop"):
        "engine_flush",
    ("modules", "breakpoint"):
        "engine_breakpoint_forget_module engine_breakpoint_resolve engine_catch_load engine_catch_wants_load",
    ("modules", "python"):
        "engine_python_find_runtime engine_python_forget_runtime engine_python_has_agent "
        "engine_python_is_expected engine_python_on_modules engine_python_retry_runtime",
    ("modules", "queue"):
        "engine_queue_is_wanted engine_queue_on_modules",
    ("modules", "step"):
        "engine_step_is_active",
    ("modules", "loop"):
        "engine_flush",
    ("inspect", "breakpoint"):
        "engine_watch_read_again",
    ("inspect", "python"):
        "engine_python_find_runtime engine_python_handle_query engine_python_is_stop "
        "engine_python_join_errors engine_python_run_here engine_python_tells_place",
    ("inspect", "queue"):
        "engine_queue_answer engine_queue_dup_running_place engine_queue_find_call",
    ("inspect", "step"):
        "engine_inlines_count",
    ("inspect", "loop"):
        "engine_find_limits",
    ("breakpoint", "python"):
        "engine_awaited_dup_remark engine_python_handle_breakpoint",
    ("breakpoint", "queue"):
        "engine_queue_catch_errors",
    ("breakpoint", "step"):
        "engine_inlines_hide",
    ("breakpoint", "loop"):
        "engine_work_do_all",
    ("python", "step"):
        "engine_step_arrive_at engine_step_has_lines",
    ("python", "loop"):
        "engine_find_limits",
    ("queue", "loop"):
        "engine_flush",
}


WINDOWS = ["kit", "chart", "source", "values", "arrays", "compare", "waits", "lists", "profile", "dialogs", "group",
           "console"]


def check_windows():
    """Only application.c stands above the rooms."""
    for path in sorted((source.SRC / "gui").rglob("*.[ch]")):
        own = path.parent.name
        for room in re.findall(r'^#include "gui/(\w+)/', path.read_text(), re.M) if own != "gui" else ():
            if WINDOWS.index(own) < WINDOWS.index(room):
                yield f"{source.name(path)}: {own} uses {room}, which stands above it"


def find_room(path):
    return FILES[path.name] if path.parent == ENGINE else path.parent.name


def read():
    """{function: its room}, and {(room, room): the functions of the second that the first uses}."""
    texts = {path: source.strip_comments(path.read_text()) for path in sorted(ENGINE.rglob("*.c"))}
    rooms, uses = {}, {}
    for path, text in texts.items():
        for name in re.findall(r"^(engine_\w+) \(", text, re.M):
            rooms[name] = find_room(path)
    for path, text in texts.items():
        own = find_room(path)
        for name in re.findall(r"\bengine_\w+\b", text):
            if rooms.get(name, own) != own:
                uses.setdefault((own, rooms[name]), set()).add(name)
    return rooms, uses


def main():
    rooms, uses = read()
    problems = [] if len(rooms) > 300 else [f"only {len(rooms)} functions are recognised"]
    for (room, other), names in sorted(uses.items()):
        known = set(BACK.get((room, other), "").split())
        if ORDER.index(room) < ORDER.index(other):
            problems += [f"{room} uses {name} of {other}, which stands above it" for name in sorted(names - known)]
            problems += [f"{room} uses {name} of {other} no longer: take it out of BACK" for name in sorted(known - names)]
    problems += [f"{room} uses nothing of {other} any more: take it out of BACK"
                 for room, other in sorted(BACK) if (room, other) not in uses]
    source.finish([*problems, *check_windows()])


main()
