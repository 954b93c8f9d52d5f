# SPDX-License-Identifier: GPL-3.0-or-later
"""Real programs without MPI in a real window: saving and restoring sessions, broken files,
preferences, core files, and sudden ends."""
import os
import re
import sys

import ui
from journey import Program, journey, left_by, run
from ui import Atspi

WINDOW = os.path.abspath(sys.argv[1])
STEPS = os.path.join(os.environ["PDDT_INFERIORS"], "inferior-steps")


def wait_kept(part):
    """Until the program's own file has that in it; gives the file's name."""
    folder = os.path.join(os.environ["XDG_DATA_HOME"], "pddt", "sessions")

    def probe():
        for name in os.listdir(folder) if os.path.isdir(folder) else []:
            if not name.endswith(".pddt"):  # on its way to its name
                continue
            try:
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    if part in file.read():
                        return os.path.join(folder, name)
            except FileNotFoundError:  # a broken one has just been put aside
                pass
        return None
    return ui.wait_for(f"{part} to be kept", probe)


@journey
def a_session_comes_back():
    with Program(WINDOW, STEPS) as window:
        ui.wait_text(window.main, "state-summary", "1 rank: 1 stopped")
        ui.type_line(window.main, "break add if a == 1")
        ui.wait_text(window.main, "transcript", "breakpoint 1 set, add at steps.c")
        ui.type_line(window.main, "break half")
        ui.type_line(window.main, "disable 2")
        ui.type_line(window.main, "set mine = 0")
        ui.act(window.main, "group-window")
        group = ui.window(window.app, "Rank 0")
        ui.show_page(group, "Watches")
        ui.edit_cell(group, "watches", 0, "Add an expression…", "argc + 1")
        # Where one has come to in the window: size, pages, files.
        ui.show_page(group, "Places")
        ui.show_page(group, "Registers")
        ui.press_until("the entry", "ctrl+p", lambda: ui.is_focused(ui.find(group, id="open")))
        ui.xdo("type", "waits.c:5")
        ui.xdo("key", "Return")
        ui.wait_for("the other file", lambda: ui.find(group, "page tab", "waits.c"))
        ui.xdo("search", "--name", "^Rank 0$", "windowsize", 1100, 640)
        file = wait_kept("waits.c:5")

        def kept_size():
            with open(file, encoding="utf-8") as content:
                found = re.search(r"layout=(\d+);(\d+);", content.read())
            return found and (int(found[1]), int(found[2]))
        kept = ui.wait_for("its size to be kept", lambda: (
            1000 <= kept_size()[0] <= 1100 and 540 <= kept_size()[1] <= 640) and kept_size())
        ui.close(window.main)
        ui.press(ui.window(window.app, "Close the session"), "End It")
        assert window.process.wait(120) == 0
    with Program(WINDOW, STEPS) as window:
        ui.wait_text(window.main, "transcript", "load " + file)
        ui.wait_text(window.main, "transcript", "breakpoint 1 set, add at steps.c")
        group = ui.window(window.app, "Rank 0")
        for page in ("Places", "Registers"):
            ui.wait_for(page, lambda: ui.find(group, "page tab", page).get_state_set().contains(
                Atspi.StateType.SELECTED))
        ui.wait_for("the other file", lambda: ui.find(group, "page tab", "waits.c"))

        def size():
            box = group.get_extents(Atspi.CoordType.WINDOW)
            return box.width, box.height
        ui.wait_for("its size", lambda: abs(size()[0] - kept[0]) < 80
                    and abs(size()[1] - kept[1]) < 80)
        ui.show_page(group, "Breakpoints")
        ui.wait_for("the breakpoints", lambda: "a == 1" in ui.cells(group, "breakpoints"))
        ui.show_page(group, "Watches")
        ui.wait_for("the watch", lambda: "argc + 1" in ui.cells(group, "watches"))
        ui.type_line(window.main, "show breakpoints")
        ui.wait_text(window.main, "transcript", "half at steps.c")
        ui.wait_text(window.main, "transcript", "disabled")
        ui.show_page(window.main, "Groups")
        ui.wait_for("the set", lambda: "mine 1 0" in ui.cells(window.main, "groups"))
        # Opened by its file: the line is shown, Debug starts it.
        ui.type_line(window.main, "save copy.pddt")
        ui.wait_text(window.main, "transcript", "saved copy.pddt: 2 breakpoints, 1 set")
        # A signal that ends the window does not lose what was done last.
        ui.type_line(window.main, "delete 2")
        ui.wait_text(window.main, "transcript", "delete 2")
    with Program(WINDOW, title="New Session") as window:
        ui.choose(window.main, "recent", 0)
        ui.wait_text(window.main, "saved-session", "1 breakpoint,")
    with Program(WINDOW, "copy.pddt", title="New Session") as window:
        ui.wait_text(window.main, "saved-session", "copy.pddt: 2 breakpoints, 1 set, 0 windows")
        ui.wait_text(window.main, "will-run", STEPS)
        ui.screenshot("saved-session")
        ui.act(window.main, "debug")
        main = ui.window(window.app, "pddt")
        ui.wait_text(main, "transcript", "breakpoint 1 set, add at steps.c")


@journey
def a_broken_file_is_one_sentence():
    with open("broken.pddt", "w", encoding="utf-8") as file:
        file.write("[pddt session]\nversion=1\ncommand=true;\n\n[breakpoint 1]\nkind=break\n")
    with Program(WINDOW, "broken.pddt", title="New Session") as window:
        ui.wait_text(window.main, "run-error",
                     "cannot open broken.pddt: section [breakpoint 1] does not name a place")
        ui.screenshot("broken")
    with Program(WINDOW, "missing.pddt", title="New Session") as window:
        ui.wait_text(window.main, "run-error", "cannot open missing.pddt: there is no such file")
    # The program's own file is broken: it is told, kept aside, and the session works.
    file = wait_kept("a == 1")
    with open(file, "w", encoding="utf-8") as broken:
        broken.write("\x00\x01 garbage")
    with Program(WINDOW, STEPS) as window:
        ui.wait_text(window.main, "info", "it is not a saved pddt session")
        ui.type_line(window.main, "break half")
        assert wait_kept("half") == file
    with open(file + ".before", encoding="utf-8") as before:
        assert "garbage" in before.read()


@journey
def preferences_hold_at_once():
    os.environ.pop("GTK_THEME", None)       # it would win over the choice of dark or light
    os.environ["GSETTINGS_BACKEND"] = "keyfile"
    with Program(WINDOW, STEPS) as window:
        ui.wait_text(window.main, "state-summary", "1 stopped")
        ui.wait_for("a light window", lambda: sum(ui.sample(window.main, 0.5, 0.9)) > 500)
        preferences = ui.press_until("the preferences", "ctrl+comma", lambda: ui.window(window.app, "Preferences", 4))
        ui.choose(preferences, "theme", 2)
        ui.wait_for("a dark window", lambda: sum(ui.sample(window.main, 0.5, 0.9)) < 300)
        ui.screenshot("preferences-dark")
        ui.choose(preferences, "key-set", 3)
        ui.act(preferences, "just-my-code")
        ui.wait_text(window.main, "transcript", "set option just-my-code off")
        offered = {n.get_name() for n in ui.walk(ui.find(preferences, id="interval"))}
        assert {"Never", "Every 1 s", "Every 5 s", "Every 30 s"} <= offered, offered
        assert ui.find(preferences, id="font") and ui.find(preferences, id="font-default")
        ui.choose(preferences, "interval", 1)
        ui.wait_for("the interval", lambda: ui.find(window.main, id="auto-update").get_name()
                    and ui.find(window.main, name="Every 1 s"))
        ui.xdo("key", "Escape")
        ui.find(window.main, id="chart").grab_focus()
        ui.press_until("a step by a letter", "n",
                       lambda: "on 0 next" in ui.text(ui.find(window.main, id="transcript")))
        ui.press_until("the keys", "ctrl+question", lambda: ui.find(window.app, "label", "F10"))
        ui.screenshot("keys")
    with Program(WINDOW, STEPS) as window:
        ui.wait_text(window.main, "transcript", "set option just-my-code off")
        assert sum(ui.sample(window.main, 0.5, 0.9)) < 300
        ui.wait_text(window.main, "transcript", "load ")        # what an earlier journey has kept
        ui.xdo("key", "ctrl+comma")
        ui.act(ui.window(window.app, "Preferences"), "keep-sessions")
        ui.xdo("key", "Escape")
        ui.type_line(window.main, "quit")
        assert window.process.wait(120) == 0
    with Program(WINDOW, STEPS) as window:
        ui.wait_text(window.main, "transcript", "set option just-my-code off")
        ui.type_line(window.main, "show breakpoints")
        ui.type_line(window.main, "print 6 * 7")
        assert "breakpoint" not in ui.wait_text(window.main, "transcript", "6 * 7 = 42").replace("show breakpoints", "")
    os.environ["GSETTINGS_BACKEND"] = "memory"


@journey
def a_window_closed_in_the_middle():
    with Program(WINDOW, STEPS) as window:
        ui.wait_text(window.main, "state-summary", "1 stopped")
        ui.act(window.main, "group-window")
        group = ui.window(window.app, "Rank 0")
        for _ in range(5):
            ui.press(group, "Over")
        assert left_by(os.path.realpath(STEPS))
        ui.close(window.main)
        ui.press(ui.window(window.app, "Close the session"), "End It")
        assert window.process.wait(120) == 0
    ui.wait_for("no rank is left", lambda: not left_by(os.path.realpath(STEPS)), 120)


@journey
def closing_with_a_running_job_asks_once():
    with Program(WINDOW, STEPS) as window:
        ui.wait_text(window.main, "state-summary", "1 stopped")
        ui.close(window.main)
        question = ui.window(window.app, "Close the session")
        ui.screenshot("closing")
        ui.press(question, "Cancel")
        ui.type_line(window.main, "print 6 * 7")            # nothing has happened
        ui.wait_text(window.main, "transcript", "6 * 7 = 42")
        ui.close(window.main)
        ui.press(ui.window(window.app, "Close the session"), "Let It Run")
        assert window.process.wait(120) == 0
    ui.wait_for("its own end", lambda: not left_by(os.path.realpath(STEPS)), 120)


@journey
def restart_and_stop():
    with Program(WINDOW, STEPS) as window:
        ui.wait_text(window.main, "state-summary", "1 stopped")
        assert "(F5)" in ui.find(window.main, "push button", "Continue").get_description()
        assert "(F1)" in ui.find(window.main, id="help").get_description()
        ui.act(window.main, "stop")
        ui.wait_text(window.main, "transcript", "on all kill")
        ui.wait_text(window.main, "state-summary", "1 failed")
        ui.screenshot("stopped")
        ui.act(window.main, "restart")
        ui.wait_text(window.main, "state-summary", "1 stopped")
        ui.xdo("key", "alt+1")                              # an earlier group window has come back
        ui.press_until("a second restart", "ctrl+shift+F5", lambda: ui.text(ui.find(
            window.main, id="transcript")).count("restart") >= 2)
        ui.wait_text(window.main, "state-summary", "1 stopped")
        ui.type_line(window.main, "quit")                   # who types it is not asked
        assert window.process.wait(120) == 0


os.chdir(os.environ["HOME"])
run(keeps_sessions=True)
