# SPDX-License-Identifier: GPL-3.0-or-later
"""Real programs by the keyboard alone, from the Run dialog to the end: no journey here touches the
pointer or a widget, it only looks. And parts of values, of C and Python, on demand."""
import os
import sys

import ui
from journey import Program, journey, run
from ui import Atspi

WINDOW = os.path.abspath(sys.argv[1])
STEPS = os.path.join(os.environ["PDDT_INFERIORS"], "inferior-steps")
SCRIPT = """class Box:
    def __init__ (self, depth):
        self.depth = depth
        self.inside = Box (depth - 1) if depth else None
        self.names = {"left": [1, 2, 3], "right": ("a", "b")}
def look (box):
    return box.depth
print (look (Box (3)))
"""


def says(root, text):
    ui.wait_text(root, "transcript", text)


def is_active(window):
    return window.get_state_set().contains(Atspi.StateType.ACTIVE)


def type_(text):
    ui.xdo("type", "--delay", "2", text.rstrip("\n"))
    if text.endswith("\n"):
        ui.xdo("key", "Return")


@journey
def a_whole_session_by_keyboard():
    with Program(WINDOW, title="New Session") as window:
        dialog = window.main
        ui.press_until("the program's entry", "alt+p",
                       lambda: ui.is_focused(ui.find(dialog, id="program")))
        type_(STEPS)
        mpi = ui.find(dialog, id="use-mpi")
        ui.press_until("no MPI", "alt+m",
                       lambda: not mpi.get_state_set().contains(Atspi.StateType.CHECKED))
        ui.wait_for("the line", lambda: ui.text(ui.find(dialog, id="will-run")) == STEPS)
        ui.press_until("the session's window", "alt+d", lambda: next(
            (w for w in ui.children(window.app) if w.get_name() == "pddt"), None))
        main = ui.window(window.app, "pddt")
        ui.wait_text(main, "state-summary", "1 rank: 1 stopped")
        ui.wait_for("the command line", lambda: is_active(main)
                    and ui.is_focused(ui.find(main, id="command")))
        type_("break count if i == 2\n")
        says(main, "breakpoint 1 set, count at steps.c")
        ui.press_until("the group's window", "ctrl+shift+g", lambda: next(
            (w for w in ui.children(window.app) if "Rank 0" in (w.get_name() or "")), None))
        group = ui.window(window.app, "Rank 0")
        ui.wait_for("its focus", lambda: is_active(group))
        ui.wait_for("its values", lambda: "numbers" in ui.cells(group, "locals"))
        for n in range(2):          # into the array's initialisation and over it
            ui.press_until("a step", "F10", lambda: ui.text(
                ui.find(group, id="transcript")).count("stopped, main at steps.c") > n)
        # A value is edited, an array is looked at: from the keyboard.
        ui.press_until("the locals", "ctrl+shift+l", lambda: ui.is_focused(
            ui.find(group, id="locals")) or any(map(ui.is_focused, ui.walk(ui.find(group, id="locals")))))
        ui.xdo("key", "Home")
        ui.press_until("the menu", "Menu", lambda: ui.find(window.app, "menu item", "Show as Array"))
        ui.xdo("key", "Escape")
        # (The editor of a cell is in no tree of AT-SPI: its effect is looked for.)
        ui.xdo("key", "F2")
        ui.xdo("key", "ctrl+a")
        type_("0\n")
        says(group, "on 0 set var argc = 0")
        ui.wait_for("the new value", lambda: "argc 0" in ui.cells(group, "locals"))
        ui.press_until("the breakpoint", "F5", lambda: "breakpoint 1, count at steps.c" in ui.text(
            ui.find(group, id="transcript")))
        ui.press_until("the caller", "ctrl+Up", lambda: "on 0 up" in ui.text(
            ui.find(group, id="transcript")))
        ui.wait_for("its line", lambda: "viewing rank 0 · main at steps.c" in " ".join(
            n.get_name() or "" for n in ui.walk(group)))
        ui.press_until("the first window", "alt+1", lambda: is_active(main))
        ui.press_until("the command line", "ctrl+k",
                       lambda: ui.is_focused(ui.find(main, id="command")))
        type_("delete 1\n")
        ui.press_until("the end", "F5", lambda: "1 exited" in ui.text(
            ui.find(main, id="state-summary")))
        ui.screenshot("keyboard-session")
        ui.xdo("key", "ctrl+q")
        assert window.process.wait(120) == 0


@journey
def parts_of_python_objects():
    with open("journey_boxes.py", "w", encoding="utf-8") as file:
        file.write(SCRIPT)
    with Program(WINDOW, "/usr/bin/python3", "%python_debug%", "journey_boxes.py") as window:
        ui.wait_text(window.main, "state-summary", "1 rank: 1 stopped")
        ui.act(window.main, "group-window")
        group = ui.window(window.app, "Rank 0")
        ui.type_line(group, "break look")
        says(group, "breakpoint 1 set, look at journey_boxes.py")
        ui.type_line(group, "continue")
        says(group, "breakpoint 1, look at journey_boxes.py")
        ui.wait_for("the argument", lambda: "box" in ui.cells(group, "locals"))
        # Deeper than what comes at once: each level is asked for when it is opened.
        ui.expand(group, "locals", "box")
        ui.wait_for("its parts", lambda: "inside" in ui.cells(group, "locals"))
        for level in range(2, 0, -1):
            def last_inside():
                found = [n for n in ui.walk(ui.find(group, id="locals"))
                         if n.get_name() == ".inside" or n.get_name() == "inside"]
                return found[-1] if found else None
            cell = ui.wait_for("an inside", last_inside)
            names = [n for n in range(cell.get_n_actions())
                     if cell.get_action_name(n) == "expand or contract"]
            cell.do_action(names[0])
            ui.wait_for(f"depth {level}", lambda: f"depth {level} " in ui.cells(group, "locals"))
        ui.expand(group, "locals", ".names" if ".names" in ui.cells(group, "locals") else "names")
        ui.wait_for("the dictionary", lambda: "left" in ui.cells(group, "locals"))
        ui.screenshot("python-parts")


os.chdir(os.environ["HOME"])
@journey
def the_manual_opens_without_a_browser():
    from gi.repository import Gio
    if Gio.AppInfo.get_default_for_type("text/html", True) is not None:
        return                                              # this machine has one
    with Program(WINDOW, STEPS) as window:
        ui.wait_for("the command line", lambda: ui.is_focused(ui.find(window.main, id="command")))
        ui.press_until("the manual", "F1", lambda: ui.find(window.app, id="manual-text")
                       and "The pddt manual" in ui.text(ui.find(window.app, id="manual-text")))
        ui.screenshot("no-browser")


@journey
def the_manual_opens_by_f1():
    """In the browser that the desktop names: here one that only writes down what it is to show."""
    data, config = os.environ["XDG_DATA_HOME"], os.environ["XDG_CONFIG_HOME"]
    shown = os.path.join(os.environ["HOME"], "shown")
    for folder in (os.path.join(data, "applications"), config):
        os.makedirs(folder, exist_ok=True)
    browser = os.path.join(os.environ["HOME"], "browser")
    with open(browser, "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\necho "$1" > {shown}.new && mv {shown}.new {shown}\n')
    os.chmod(browser, 0o700)
    with open(os.path.join(data, "applications", "browser.desktop"), "w", encoding="utf-8") as file:
        file.write(f"[Desktop Entry]\nType=Application\nName=Browser\nExec={browser} %u\nMimeType=text/html;\n")
    with open(os.path.join(config, "mimeapps.list"), "w", encoding="utf-8") as file:
        file.write("[Default Applications]\ntext/html=browser.desktop\n")
    with Program(WINDOW, STEPS) as window:
        ui.wait_for("the command line", lambda: ui.is_focused(ui.find(window.main, id="command")))
        ui.press_until("the manual", "F1", lambda: os.path.exists(shown))
        with open(shown, encoding="utf-8") as file:
            address = file.read().strip().removeprefix("file://")
        assert os.path.basename(address) == "index.html", address
        with open(address, encoding="utf-8") as file:
            assert "The pddt manual" in file.read()


run()
