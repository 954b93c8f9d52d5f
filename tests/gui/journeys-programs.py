# SPDX-License-Identifier: GPL-3.0-or-later
"""Real programs without MPI in a real window: values, watchpoints, restart, Python, input, a core
file, attaching, an end by a signal."""
import os
import re
import shutil
import signal
import subprocess
import sys

import ui
from journey import Program, journey, left_by, run
from ui import Atspi

WINDOW = os.path.abspath(sys.argv[1])
STEPS = os.path.join(os.environ["PDDT_INFERIORS"], "inferior-steps")
WAITS = os.path.join(os.environ["PDDT_INFERIORS"], "inferior-waits")
SCRIPT = """import sys
def work (n):
    total = 0
    for i in range (n):
        total += i
    return total
print ("sum", work (4), flush=True)
for line in sys.stdin:
    print ("heard", line.strip (), flush=True)
"""


def says(window, text):
    ui.wait_text(window, "transcript", text)


def open_group(window):
    ui.wait_text(window.main, "state-summary", "1 rank: 1 stopped")
    ui.act(window.main, "group-window")
    return ui.window(window.app, "Rank 0")


@journey
def a_value_is_watched_edited_and_restarted():
    with Program(WINDOW, STEPS) as window:
        group = open_group(window)
        ui.type_line(group, "break count")
        says(group, "breakpoint 1 set, count at steps.c")
        ui.press(group, "Continue")
        says(group, "0: breakpoint 1, count at steps.c")
        ui.wait_for("the argument", lambda: "i 0" in ui.cells(group, "locals"))
        # The console had no ranks when it opened.
        ui.wait_for("the console's values", lambda: "Rank 0" in ui.cells(window.main, "locals")
                    and "i 0" in ui.cells(window.main, "locals"))
        ui.type_line(group, "print total + 40")
        says(group, "0: total + 40 = 40")
        ui.type_line(group, "delete 1")
        ui.type_line(group, "watch total")
        says(group, "breakpoint 2 set")
        ui.press(group, "Continue")
        ui.wait_for("the watchpoint's stop", lambda: "breakpoint 2" in ui.text(
            ui.find(group, id="transcript")).split("continue")[-1])
        ui.edit_cell(group, "locals", 1, "1", "50")
        says(group, "set var i = 50")
        ui.wait_for("the new value", lambda: "50" in ui.cells(group, "locals"))
        ui.type_line(group, "delete 2")
        ui.type_line(group, "restart")
        says(window.main, "0: stopped, main at steps.c")
        ui.wait_text(window.main, "state-summary", "1 rank: 1 stopped")
        ui.type_line(window.main, "tbreak half")
        ui.type_line(window.main, "continue")
        says(window.main, ", half at steps.c")


@journey
def a_breakpoint_is_edited():
    with Program(WINDOW, STEPS) as window:
        group = open_group(window)
        ui.show_page(group, "Breakpoints")
        entry = ui.find(group, id="new-breakpoint")
        Atspi.EditableText.set_text_contents(entry, "count if i == 3")
        Atspi.Action.do_action(entry, 0)
        ui.wait_for("the row", lambda: "i == 3" in ui.cells(group, "breakpoints"))
        ui.edit_cell(group, "breakpoints", 4, "i == 3", "i == 7")
        says(group, "condition 1 i == 7")
        ui.wait_for("the new condition", lambda: "i == 7" in ui.cells(group, "breakpoints"))
        ui.wait_for("the old one is gone", lambda: "i == 3" not in ui.cells(group, "breakpoints"))
        ui.press(group, "Continue")
        says(group, "0: breakpoint 1, count at steps.c")
        ui.type_line(group, "print i")
        says(group, "0: i = 7")
        ui.wait_for("who was stopped how often", lambda: "0: 1" in ui.cells(group, "breakpoints"))


PAIRS = """struct pair { int left, right; };
static void turn (struct pair *one, struct pair *other) {
    one->left = other->right + 100;
    other->left = one->right + 200;
    one->right = 0;
}
int main (void) {
    struct pair a = { 11, 12 }, b = { 21, 22 };
    turn (&a, &b);
    return 0;
}
"""


PRINTERS = """import gdb
class Pair:
    def __init__(self, value):
        self.value = value
    def to_string(self):
        return "pair of %d and %d" % (self.value["left"], self.value["right"])
gdb.pretty_printers.append(lambda value: Pair(value) if value.type.strip_typedefs().unqualified().tag == "pair" else None)
@pddt.function
def total(*numbers):
    return sum(map(int, numbers))
"""


@journey
def a_scripts_printers_and_functions_show_values():
    for name, text in ("printed.c", PAIRS), ("printers.py", PRINTERS):
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)
    subprocess.run(["cc", "-g", "-O0", "-o", "printed", "printed.c"], check=True)
    with Program(WINDOW, "./printed") as window:
        group = open_group(window)
        ui.type_line(group, "source printers.py")
        ui.type_line(group, "break printed.c:10")
        ui.press(group, "Continue")
        says(group, "breakpoint 1, main at printed.c:10")
        ui.wait_for("the local", lambda: "pair of 122 and 0" in ui.cells(group, "locals"))
        ui.wait_for("the console's", lambda: "pair of 212 and 22" in ui.cells(window.main, "locals"))
        ui.expand(group, "locals", "a")
        ui.wait_for("its parts", lambda: "left 122" in ui.cells(group, "locals"))
        ui.type_line(group, "print $total(a.left, b.left, 1)")
        says(group, "0: $total(a.left, b.left, 1) = 335")


@journey
def two_pointers_are_opened_and_both_kept_up_to_date():
    with open("pairs.c", "w", encoding="utf-8") as file:
        file.write(PAIRS)
    subprocess.run(["cc", "-g", "-O0", "-o", "pairs", "pairs.c"], check=True)
    with Program(WINDOW, "./pairs") as window:
        group = open_group(window)
        ui.type_line(group, "break pairs.c:4")
        ui.press(group, "Continue")
        says(group, "breakpoint 1, turn at pairs.c:4")
        ui.wait_for("the arguments", lambda: {"one", "other"} <= set(ui.cells(group, "locals").split()))
        ui.expand(group, "locals", "other")
        ui.wait_for("what it points to", lambda: {"21", "22"} <= set(ui.cells(group, "locals").split()))
        ui.expand(group, "locals", "one")
        ui.wait_for("what the first one points to", lambda: {"122", "12"} <= set(ui.cells(group, "locals").split()))
        ui.press(group, "Over")
        says(group, "stopped, turn at pairs.c:5")
        ui.wait_for("both are those of now", lambda: {"212", "22", "122", "12"} <= set(ui.cells(group, "locals").split()))


@journey
def python_steps_and_input():
    with open("journey_script.py", "w", encoding="utf-8") as file:
        file.write(SCRIPT)
    with Program(WINDOW, "--input", "all", "/usr/bin/python3", "%python_debug%",
                 "journey_script.py") as window:
        group = open_group(window)
        ui.type_line(group, "break work")
        says(group, "breakpoint 1 set, work at journey_script.py:3")
        ui.press(group, "Continue")
        says(group, "breakpoint 1, work at journey_script.py:3")
        ui.press(group, "Over")
        says(group, "stopped, work at journey_script.py:4")
        ui.wait_for("the local", lambda: "total 0 " in ui.cells(group, "locals"))
        ui.press(group, "Out")
        says(group, "work returned 6")
        ui.press(group, "Continue")
        ui.show_page(window.main, "Output")
        ui.wait_for("the output", lambda: "sum 6" in (ui.text(
            ui.find(window.main, id="output")) or ""))
        entry = ui.find(window.main, id="output-input")
        Atspi.EditableText.set_text_contents(entry, "good day")
        Atspi.Action.do_action(entry, 0)
        ui.wait_for("the echo", lambda: "heard good day" in (ui.text(
            ui.find(window.main, id="output")) or ""))
        ui.screenshot("python")


@journey
def an_edit_is_shown_after_restart():
    lines = SCRIPT.split("\n")
    with open("journey_edit.py", "w", encoding="utf-8") as file:
        file.write(SCRIPT)
    with Program(WINDOW, "/usr/bin/python3", "%python_debug%", "journey_edit.py") as window:
        main = window.main
        ui.wait_text(main, "state-summary", "1 rank: 1 stopped")
        ui.type_line(main, "break journey_edit.py:6")
        says(main, "breakpoint 1 set, work at journey_edit.py:6")
        ui.press(main, "Continue")
        says(main, "breakpoint 1, work at journey_edit.py:6")
        ui.wait_for("the sum", lambda: "total 6" in ui.cells(main, "locals"))
        with open("journey_edit.py", "w", encoding="utf-8") as file:
            file.write("\n".join(["# an edit", "# of two lines"] + [text.replace("total = 0", "total = 100")
                                                                 for text in lines]))
        ui.type_line(main, "py total = 7")                  # what is read again is the file, too
        ui.wait_for("the write", lambda: "total 7" in ui.cells(main, "locals"))
        ui.type_line(main, "restart")
        says(main, "breakpoint 1 moves with its line, from journey_edit.py:6 to journey_edit.py:8")
        ui.wait_text(main, "state-summary", "1 rank: 1 stopped")
        ui.wait_for("the new text", lambda: (ui.text(ui.find(main, id="source")) or "").startswith("# an edit"))
        ui.press(main, "Continue")
        says(main, "breakpoint 1, work at journey_edit.py:8")
        ui.wait_for("the sum", lambda: "total 106" in ui.cells(main, "locals"))
        assert "was" not in ui.cells(main, "locals")        # of the job before
        ui.screenshot("edited")
        with open("journey_edit.py", "w", encoding="utf-8") as file:
            file.write("\n".join(["# another", "# edit"] + lines))
        ui.press(main, "Over")
        ui.wait_text(main, "source-note", "journey_edit.py has changed since the job was started")
        ui.screenshot("newer")


@journey
def functions_and_files_are_opened_by_name():
    with open("journey_names.py", "w", encoding="utf-8") as file:
        file.write(SCRIPT + "class Heat:\n    def advance (self):\n        pass\n")
    with Program(WINDOW, STEPS) as window:
        group = open_group(window)

        def open_by(name):
            ui.press_until("the entry", "ctrl+p", lambda: ui.is_focused(ui.find(group, id="open")))
            ui.xdo("type", name)

        def line():
            source = ui.find(group, id="source")
            return ui.text(source).split("\n")[ui.text(source)[
                :Atspi.Text.get_caret_offset(source)].count("\n")]

        # Nobody has been in it: the program's symbols know it. Return right after the name.
        open_by("compare")
        ui.xdo("key", "Return")
        ui.wait_for("the function", lambda: "compare (const void" in line() or "{" in line())
        # What holds the text is offered, with its place; Down and Return take it.
        open_by("actori")
        ui.wait_for("the offer", lambda: any("factorial" in (n.get_name() or "")
                                             for n in ui.walk(window.app)))
        ui.screenshot("open-offers")
        ui.xdo("key", "Down", "Return")
        ui.wait_for("the function", lambda: "factorial (int n)" in line() or "{" in line())
        open_by("no_such_thing")
        ui.xdo("key", "Return")
        ui.wait_text(group, "open-problem", "No match")
        ui.xdo("key", "Escape")
        open_by("steps.c:3")
        ui.xdo("key", "Return")
        ui.wait_for("the line", lambda: "#include <math.h>" in line())
    with Program(WINDOW, "/usr/bin/python3", "%python_debug%", "journey_names.py") as window:
        group = open_group(window)
        ui.wait_for("the script", lambda: "import sys" in (ui.text(ui.find(group, id="source")) or ""))
        open_by("advance")
        ui.xdo("key", "Return")
        ui.wait_for("the method", lambda: "def advance" in line())


@journey
def an_end_by_a_signal():
    with Program(WINDOW, WAITS) as window:
        ui.wait_text(window.main, "state-summary", "1 stopped")
        ui.press(window.main, "Continue")
        ui.wait_text(window.main, "state-summary", "1 running")
        for process in left_by(WAITS):      # by somebody else: what the user does himself is no problem
            os.kill(int(process), signal.SIGKILL)
        ui.wait_text(window.main, "state-summary", "1 failed")
        ui.wait_text(window.main, "info", "0: failed SIGKILL")
        ui.screenshot("killed")


@journey
def what_a_crash_said_goes_with_its_job():
    with open("journey_raises.py", "w", encoding="utf-8") as file:
        file.write("import sys\nvalue = len (sys.argv)\nprint (1 // (value - 1))\n")
    with Program(WINDOW, "/usr/bin/python3", "%python_debug%", "journey_raises.py") as window:
        main = window.main
        ui.wait_text(main, "state-summary", "1 rank: 1 stopped")
        ui.press(main, "Continue")
        ui.wait_text(main, "info", "exception ZeroDivisionError")
        ui.type_line(main, "restart")
        ui.wait_text(main, "state-summary", "1 rank: 1 stopped")
        ui.wait_for("no word of it", lambda: ui.find(main, id="info") is None
                    or not ui.find(main, id="info").get_state_set().contains(Atspi.StateType.SHOWING))


@journey
def running_ranks_are_shown_as_sampled():
    with Program(WINDOW, WAITS) as window:
        main = window.main
        ui.wait_text(main, "state-summary", "1 rank: 1 stopped")
        ui.press(main, "Continue")
        ui.wait_text(main, "state-summary", "1 running")
        ui.press(main, "Update")
        ui.wait_text(main, "view-age", "sampled")
        ui.wait_for("its stack", lambda: "main" in ui.cells(main, "stack"))

        def age():
            found = re.search(r"sampled (\d+) s ago", ui.text(ui.find(main, id="view-age")) or "")
            return int(found.group(1)) if found else -1
        before = ui.wait_for("its age", lambda: age() >= 2 and age())
        ui.screenshot("sampled")
        ui.press(main, "Sample Stacks")
        ui.wait_for("another sample", lambda: 0 <= age() < before)


@journey
def a_core_file():
    sleeper = subprocess.Popen([WAITS], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        made = subprocess.run(["gdb", "-batch", "-ex", "generate-core-file journey.core", "-p",
                               str(sleeper.pid)], capture_output=True, text=True, check=False)
    finally:
        sleeper.kill()
        sleeper.wait()
    assert os.path.exists("journey.core"), made.stderr
    with Program(WINDOW, "--core", "journey.core") as window:
        group = open_group(window)
        ui.wait_for("the stack", lambda: "main at waits.c" in ui.cells(group, "stack"))
        for name in ("Continue", "Over", "In", "Out", "Pause", "Restart", "Stop"):     # nothing can move
            assert not ui.find(window.main, "push button", name).get_state_set().contains(
                Atspi.StateType.SENSITIVE), name
        ui.xdo("key", "ctrl+Up")                                    # but frames can be chosen
        ui.wait_text(group, "transcript", "on 0 up")
        ui.screenshot("core")
    os.unlink("journey.core")


def make_core(program, name):
    with subprocess.Popen([program], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as process:
        made = subprocess.run(["gdb", "-batch", "-ex", "generate-core-file " + name, "-p",
                               str(process.pid)], capture_output=True, text=True, check=False)
        process.kill()
    assert os.path.exists(name), made.stderr


@journey
def cores_of_a_folder_whose_program_has_moved():
    os.makedirs("cores", exist_ok=True)
    os.makedirs("elsewhere", exist_ok=True)
    shutil.copy(WAITS, "moved-program")
    for name in ("core.2", "core.10"):
        make_core(os.path.abspath("moved-program"), os.path.abspath("cores/" + name))
    with open("cores/core.txt", "w", encoding="utf-8") as file:
        file.write("called so, and no core\n")
    os.rename("moved-program", "elsewhere/moved-program")
    with Program(WINDOW, "--choose", "core", title="Core Files") as window:
        def fill(id, text):
            Atspi.EditableText.set_text_contents(ui.find(window.main, id=id), text)
        fill("core-folder", os.path.abspath("elsewhere"))
        ui.wait_text(window.main, "core-problem", "No matching core files")
        fill("core-folder", "/no/such/folder")
        ui.wait_text(window.main, "core-problem", "/no/such/folder")
        fill("core-folder", os.path.abspath("cores"))
        ui.wait_for("the files", lambda: "core.10" in ui.cells(window.main, "cores"))
        listed = ui.cells(window.main, "cores")
        assert "core.txt" not in listed and listed.index("core.2") < listed.index("core.10"), listed
        fill("core-pattern", "core.1*")
        ui.wait_for("only one", lambda: "core.2" not in ui.cells(window.main, "cores"))
        fill("core-pattern", "core*")
        fill("core-program", "/no/such/program")
        ui.wait_text(window.main, "core-problem", "No such program")
        fill("core-program", os.path.abspath("elsewhere/moved-program"))
        ui.screenshot("cores")
        ui.act(window.main, "open-cores")
        main = ui.window(window.app, "pddt")
        ui.wait_text(main, "state-summary", "2 ranks: 2 stopped")
        ui.type_line(main, "where")
        ui.wait_text(main, "transcript", "0-1 2 main at waits.c")


@journey
def attaching_by_the_desktop_action():
    victim = subprocess.Popen([WAITS], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        with Program(WINDOW, "--choose", "attach", title="Attach") as window:
            ui.find(window.main, "radio button", "Processes").do_action(0)
            Atspi.EditableText.set_text_contents(ui.find(window.main, id="process-filter"),
                                                 str(victim.pid))
            # (the list is filtered a moment after the last key: a row does not move any more)
            ui.wait_for("one row", lambda: 0 < sum(ui.role_of(n) == "table cell" for n in ui.walk(
                ui.find(window.main, id="processes"))) < 8)
            ui.click_cell(window.main, "processes", str(victim.pid))
            ui.screenshot("attach")
            ui.act(window.main, "attach")
            main = ui.window(window.app, "pddt")
            ui.wait_text(main, "state-summary", "1 rank: 1 stopped")
            ui.type_line(main, "where")
            says(main, "main at waits.c")
            ui.act(main, "stop")                    # which ends what pddt has started, and lets go what it has not

            def is_free():
                with open(f"/proc/{victim.pid}/status", encoding="ascii", errors="replace") as file:
                    text = file.read()
                return "TracerPid:\t0\n" in text and "State:\tT" not in text
            ui.wait_for("an untraced process", is_free)
            ui.close(main)
            assert window.process.wait(120) == 0
        assert victim.poll() is None, "an attached process is let go"
    finally:
        victim.kill()
        victim.wait()


@journey
def input_output_and_sources_from_the_run_dialog():
    os.makedirs("sources")
    files = {"read.py": SCRIPT, "in.txt": "apple\npear\n",
             "sources/read.py": SCRIPT.replace("import sys", "import sys  # the moved one")}
    for name, content in files.items():
        with open(name, "w", encoding="utf-8") as file:
            file.write(content)
    fields = {"program": os.path.abspath("read.py"), "input-file": "in.txt",
              "output-folder": "kept/here", "source-folders": os.path.abspath("sources")}
    with Program(WINDOW, title="New Session") as window:
        ui.find(window.main, id="use-mpi").do_action(0)
        for id_, content in fields.items():
            Atspi.EditableText.set_text_contents(ui.find(window.main, id=id_), content)
        ui.find(window.main, "toggle button", "Input, output, sources").do_action(0)
        ui.screenshot("run-more")
        ui.press(window.main, "Debug")
        main = ui.window(window.app, "pddt")
        ui.wait_text(main, "state-summary", "1 stopped")
        ui.type_line(main, "list")
        ui.wait_text(main, "transcript", "import sys  # the moved one")
        ui.act(main, "group-window")
        group = ui.window(window.app, "Rank 0")
        ui.wait_for("its source", lambda: any(
            "# the moved one" in ui.text(n) for n in ui.walk(group)
            if ui.role_of(n) == "text"))
        ui.press(main, "Continue")
        ui.wait_text(main, "state-summary", "1 exited")
        with open("kept/here/rank-0.out", encoding="utf-8") as file:
            assert file.read() == "sum 6\nheard apple\nheard pear\n"
    with Program(WINDOW, title="New Session") as window:
        ui.choose(window.main, "recent", 0)
        for id_, content in fields.items():
            ui.wait_text(window.main, id_, content)
        Atspi.EditableText.set_text_contents(ui.find(window.main, id="input-file"), "none.txt")
        ui.press(window.main, "Debug")
        ui.wait_text(window.main, "run-error", "cannot read the input file")


os.chdir(os.environ["HOME"])
run()
