# SPDX-License-Identifier: GPL-3.0-or-later
"""A newcomer's first jobs, real ones: the README's session by mouse and by keyboard, a rank that dies in a callback,
and two deadlocks that have nothing to do with each other."""
import os
import sys
import tempfile

import launching
import ui
from journey import Program, journey, run
from ui import Atspi

WINDOW, EXAMPLE, LIBRARY = sys.argv[1:]
os.environ.update(launching.ENVIRONMENT, HEAT_LIBRARY=LIBRARY)
FOLDER = tempfile.TemporaryDirectory()
with open(EXAMPLE, encoding="utf-8") as text:
    HEAT = text.read().split("\n")


PROGRAMS = {"callback": """import ctypes
from mpi4py import MPI
comm = MPI.COMM_WORLD
sort = ctypes.CDLL(None).qsort
compare_type = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
@compare_type
def compare_cells(left, right):
    if comm.rank == 2:
        ctypes.string_at(0)
    return 0
sort((ctypes.c_int * 4)(3, 1, 2, 0), 4, 4, compare_cells)
comm.Barrier()
""", "pairs": """from mpi4py import MPI
comm = MPI.COMM_WORLD
box = bytearray(8)
comm.Recv(box, comm.rank ^ 1, 7)
"""}


def mpirun(n, *words):
    return Program(WINDOW, "mpirun", "-np", str(n), *words)


def python(n, name):
    """One of the programs below, from a file of its own."""
    file = os.path.join(FOLDER.name, name + ".py")
    with open(file, "w", encoding="utf-8") as script:
        script.write(PROGRAMS[name])
    return mpirun(n, "/usr/bin/python3", "%python_debug%", file)


def click(node):
    """The middle of the widget, by the pointer."""
    def place():
        box = node.get_extents(Atspi.CoordType.SCREEN)
        return box if box.x >= 0 and box.y >= 0 and box.width > 0 else None
    box = ui.wait_for("its place", place)
    ui.xdo("mousemove", box.x + box.width // 2, box.y + box.height // 2, "click", 1)


def button(window, id):
    return ui.wait_for(id, lambda: next(
        (n for n in ui.walk(window) if n.get_accessible_id() == id
         and n.get_state_set().contains(Atspi.StateType.SENSITIVE)), None))


def line_of(function):
    """Its first line below the head."""
    return next(n for n, text in enumerate(HEAT, 1) if text.startswith(f"def {function}(")) + 1


@journey
def the_readme_by_mouse():
    with mpirun(4, "/usr/bin/python3", "%python_debug%", EXAMPLE) as window:
        main = window.main
        ui.wait_text(main, "state-summary", "4 ranks: 4 stopped")
        source = ui.wait_for("the source", lambda: ui.find(main, id="source"))
        ui.wait_for("its text", lambda: "def time_step" in ui.text(source))
        # With the answer of all ranks the source has gone to their line: it does not move any more.
        ui.wait_for("the stack of all", lambda: "heat.py:2" in ui.cells(main, "stack") and "0-3" in ui.cells(main, "stack"))
        # A click beside the first line of time_step sets a breakpoint; what that says is in the transcript.
        line = line_of("time_step")
        offset = sum(len(text) + 1 for text in HEAT[:line - 1])

        said = lambda part: part in ui.text(ui.find(main, id="transcript"))

        def click_beside():
            if said(" set, "):  # the source has moved under the pointer: another line was hit
                ui.type_line(main, "delete")
            Atspi.Text.scroll_substring_to(source, offset, offset + 1, Atspi.ScrollType.ANYWHERE)
            view = source.get_extents(Atspi.CoordType.SCREEN)
            for _ in range(40):
                box = ui.find_character(source, offset)
                if view.y <= box.y and box.y + box.height <= view.y + view.height:
                    break
                ui.xdo("mousemove", view.x + 200, view.y + view.height // 2, "click", 4 if box.y < view.y else 5)
            ui.xdo("mousemove", view.x + 11, box.y + box.height // 2, "click", 1)
        ui.do_until("the breakpoint", click_beside, lambda: said(f" set, time_step at heat.py:{line}"))
        ui.do_until("the command", lambda: click(ui.find(main, "push button", "Continue")),
                    lambda: said("on 0-3 continue"))
        ui.wait_text(main, "state-summary", "4 ranks: 4 at a breakpoint")
        ui.wait_for("the merged stack", lambda: f"time_step at heat.py:{line}" in ui.cells(main, "stack"))
        ui.wait_for("cells of all ranks", lambda: "[1000..1003]" in ui.cells(main, "locals"))
        ui.screenshot("readme-mouse")
        # Drag over the chart, then the button that opens what is selected.
        def drag():
            chart = ui.find(main, id="chart").get_extents(Atspi.CoordType.SCREEN)
            y = chart.y + chart.height - 30
            ui.xdo("mousemove", chart.x + 30, y, "mousedown", 1, "mousemove", chart.x + 120, y, "mousemove",
                   chart.x + 270, y, "mouseup", 1)
        ui.do_until("a selection", drag, lambda: "4" in (ui.text(ui.find(main, id="selection")) or ""))
        ui.wait_for("what is selected at rest", lambda: ui.find_character(ui.find(main, id="selection"), 0))
        ui.do_until("their window", lambda: click(button(main, "selection-open")),
                    lambda: ui.window_now(window.app, "Ranks 0-3"))
        group = ui.window(window.app, "Ranks 0-3")
        ui.wait_text(group, "face-text", "Together: 4 ranks")
        ui.do_until("the step", lambda: click(ui.find(group, "push button", "Over")),
                    lambda: "on 0-3 next" in ui.text(ui.find(group, id="transcript")))
        ui.wait_text(group, "transcript", f": stopped, time_step at heat.py:{line + 1}")     # together or one by one
        ui.wait_text(group, "face-text", f"Together: 4 ranks at time_step, heat.py:{line + 1}")
        ui.screenshot("readme-mouse-group")


@journey
def the_readme_by_keyboard():
    with mpirun(4, "/usr/bin/python3", "%python_debug%", EXAMPLE) as window:
        main = window.main
        ui.wait_text(main, "state-summary", "4 ranks: 4 stopped")
        ui.wait_for("the focus in the command line", lambda: ui.is_focused(ui.find(main, id="command")))

        def type_(line, answer):
            ui.xdo("type", line)
            ui.xdo("key", "Return")
            ui.wait_text(main, "transcript", answer)
        type_("break time_step", "breakpoint 1 set, time_step at heat.py:")
        type_("continue", "breakpoint 1, time_step at heat.py:")
        ui.wait_text(main, "state-summary", "4 ranks: 4 at a breakpoint")
        type_("print cells", "cells = [1000..1003] min 1000 at 0 max 1003 at 3")
        type_("break heat_step", "breakpoint 2 set, heat_step at heat_kernel.c:")
        ui.press_until("they run on", "F5", lambda: "breakpoint 2, heat_step at heat_kernel.c:" in ui.text(
            ui.find(main, id="transcript")))
        ui.wait_for("the kernel's source",
                    lambda: ui.find(main, "page tab", "heat_kernel.c") is not None)
        ui.wait_for("all in the kernel", lambda: "heat_step" in ui.cells(main, "stack")
                    and "4 ranks: 4 at a breakpoint" in ui.text(ui.find(main, id="state-summary")))
        type_("print cells", "0-3: cells = 1000")
        ui.press_until("the caller", "ctrl+Up", lambda: "on 0-3 up" in ui.text(ui.find(main, id="transcript")))
        ui.wait_for("the caller's cells", lambda: "[1000..1003]" in ui.cells(main, "locals"))
        ui.screenshot("readme-keyboard")

        def type_quit():
            ui.xdo("key", "ctrl+k", "ctrl+a")
            ui.xdo("type", "quit")
        ui.do_until("the command line", type_quit, lambda: ui.text(ui.find(main, id="command")) == "quit")
        ui.xdo("key", "Return")
        assert window.process.wait(120) == 0, window.process.returncode


@journey
def a_rank_dies_in_a_callback():
    """Python called C, which calls back: one stack shows all of it, and the first thing seen is who and where."""
    with python(4, "callback") as window:
        main = window.main
        ui.wait_text(main, "state-summary", "4 ranks: 4 stopped")
        ui.press(main, "Continue")
        ui.wait_text(main, "info", "2: signal SIGSEGV")
        ui.wait_text(main, "state-summary", "1 crashed (SIGSEGV)")
        # The reason stands beside who crashed, not behind what the others do.
        ui.wait_text(main, "face-text", "callback.py:9: a null pointer (address 0x0) · 3 ")
        ui.screenshot("callback-dies")
        ui.do_until("its window", lambda: click(button(main, "info-open")), lambda: ui.window_now(window.app, "Rank 2"))
        group = ui.window(window.app, "Rank 2")

        def stack():
            cells = ui.cells(group, "stack")
            return "compare_cells" in cells and "qsort" in cells and "<module>" in cells
        ui.wait_for("Python, C and Python in one stack", stack)
        ui.screenshot("callback-stack")
        # The line of the log leads there, too.
        ui.close(group)
        ui.show_page(main, "Log")
        log = ui.wait_for("the log", lambda: ui.find(main, id="log"))
        at = ui.wait_for("its line", lambda: ui.text(log).find("2: signal SIGSEGV") + 1) - 1

        def double_click():
            box = ui.find_character(log, at)
            ui.xdo("mousemove", box.x + 5, box.y + box.height // 2, "click", "--repeat", 2, "--delay", 60, 1)
        ui.do_until("the rank's values", double_click, lambda: "rank 2" in ui.cells(main, "representative"))
        ui.wait_for("where it died", lambda: ui.find(main, "page tab", "callback.py"))


@journey
def two_independent_deadlocks():
    with python(4, "pairs") as window:
        main = window.main
        ui.wait_text(main, "state-summary", "4 ranks: 4 stopped")
        ui.press(main, "Continue")
        ui.wait_text(main, "state-summary", "4 blocked")
        # Nobody has asked, and no rank was stopped: the source shows where they wait.
        source = ui.find(main, id="source")
        ui.wait_for("the line that waits", lambda: ui.text(source)[:Atspi.Text.get_caret_offset(source)].count("\n") == 3)

        def says_both():
            ui.press(main, "Queue")
            said = ui.text(ui.find(main, id="why-text"))
            return "0 and 1 wait for each other" in said and "2 and 3 wait for each other" in said
        ui.wait_for("both faults", says_both)
        picture = ui.find(main, id="wait-picture")
        drawn = picture.get_description()
        for pair in ("0 waits for 1.", "1 waits for 0.", "2 waits for 3.", "3 waits for 2."):
            assert pair in drawn, drawn
        ui.wait_for("four operations", lambda: ui.cells(main, "operations").count("MPI_Recv") == 4)
        # The stack is not that of the last stop, at line 1.
        ui.wait_for("where they wait, in the stack", lambda: "pairs.py:4" in ui.cells(main, "stack")
                    and "pairs.py:1" not in ui.cells(main, "stack"))
        ui.screenshot("two-deadlocks")
        # A row leads to the line that waits.
        ui.do_until("its line", lambda: ui.click_cell(main, "operations", "MPI_Recv", "click", "--repeat", 2, "--delay", 60, 1),
                    lambda: "comm.Recv" in (ui.text(ui.find(main, id="source")) or ""))


run()
