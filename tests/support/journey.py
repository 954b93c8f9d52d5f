# SPDX-License-Identifier: GPL-3.0-or-later
"""Journeys through the windows, several in one test; each is a line of TAP. What a journey starts with
`begin` ends when it ends. A journey that fails leaves a screenshot (PDDT_SHOTS)."""
import os
import shutil
import subprocess
import sys
import traceback

import ui

journeys = []


def journey(function):
    journeys.append(function)
    return function


class Scripted:
    """A window on a scripted job: the test plays what the ranks do."""

    def __init__(self, program, ranks=8, **environment):
        before = dict(os.environ)
        os.environ.update(environment)
        try:
            self.process, self.app = ui.start(program, str(ranks), os.environ["PDDT_SAMPLE"],
                                              stdin=subprocess.PIPE, text=True)
        finally:
            os.environ.clear()
            os.environ.update(before)
        self.main = ui.window(self.app, "pddt")
        # A tooltip under the pointer takes a click that is meant for a row beside it.
        ui.xdo("mousemove", 2, 2)
        ui.wait_for("the focus in the command entry, or where that is not in front, in the chart",
                    lambda: any(ui.is_focused(ui.find(self.main, id=id)) for id in ("command", "chart")))

    def play(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def __enter__(self):
        return self

    def __exit__(self, *problem):
        if problem[0] is not None:
            ui.screenshot("failed-" + str(self.process.pid))
        self.process.kill()
        self.process.wait()


def tell_texts(app):
    """What the windows say: a failure beside other load is rarely seen twice."""
    for node in ui.walk(app):
        try:
            name, text = node.get_accessible_id(), ui.text(node) if node.get_text_iface() else ""
        except ui.GLib.Error:    # the window is closing
            continue
        for line in list(filter(str.strip, text.splitlines()))[-30:] if name else ():  # a terminal ends in empty ones
            print(f"# {name}: {line}", flush=True)


class Program:
    """The window program with a real command line; it ends with the journey."""

    def __init__(self, *command, title="pddt"):
        self.process, self.app = ui.start(*command, stdin=subprocess.DEVNULL)
        self.main = ui.window(self.app, title)

    def __enter__(self):
        return self

    def __exit__(self, *problem):
        if problem[0] is not None:
            ui.screenshot("failed-" + str(self.process.pid))
            tell_texts(self.app)
        if self.process.poll() is None:
            self.process.terminate()     # the guard ends the ranks
        try:
            self.process.wait(120)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def left_by(program):
    """Processes of this test that still run the program, recognised by the test's home folder."""
    home, found = ("HOME=" + os.environ["HOME"]).encode(), []
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{number}/environ", "rb") as file:
                if home in file.read().split(b"\0") and os.readlink(f"/proc/{number}/exe") == program:
                    found.append(number)
        except OSError:  # it has ended
            pass
    return found


def run(keeps_sessions=False):
    """Runs the journeys, or those named in PDDT_JOURNEYS. Unless they are a sequel, each begins without
    the sessions that an earlier one has saved."""
    wanted = os.environ.get("PDDT_JOURNEYS", "").split()
    chosen = [j for j in journeys if not wanted or j.__name__ in wanted]
    print(f"1..{len(chosen)}", flush=True)
    failed = False
    for number, function in enumerate(chosen, 1):
        name = function.__name__.replace("_", "-")
        if not keeps_sessions:
            shutil.rmtree(os.path.join(os.environ["XDG_DATA_HOME"], "pddt"), ignore_errors=True)
        try:
            function()
            print(f"ok {number} {name}", flush=True)
        except (Exception, SystemExit):  # a probe that timed out leaves by SystemExit
            failed = True
            ui.screenshot("failed-" + name)
            for line in traceback.format_exc().splitlines():
                print("# " + line)
            print(f"not ok {number} {name}", flush=True)
    sys.exit(1 if failed else 0)
