# SPDX-License-Identifier: GPL-3.0-or-later
"""The window here, the job behind a real sshd: a session from the command line and one from New Session, and the sources
and programs of that host, of which this one has none."""
import glob
import os
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile

import counted
import remote
import ui
from ui import Atspi

ASK, REQUEST = 16, 19  # src/session/backend/remote-link.h
window = os.path.abspath(sys.argv[1])
pddt = os.path.join(os.path.dirname(window), "pddt")
remote.skip_without()
if not remote.can_have_files():
    print("skipped: no mount namespaces here")
    sys.exit(77)

def check(app):
    shown = ui.window(app, "pddt")
    ui.wait_text(shown, "state-summary", "1 rank: 1 stopped")
    ui.wait_for("the host in the title", lambda: any((node.get_name() or "").startswith("somewhere · ")
                                                     for node in ui.walk(shown)))
    ui.act(shown, "group-window")
    group = ui.window(app, "Rank 0")

    ui.wait_for("the source", lambda: "//@ only there" in (ui.text(ui.find(group, id="source")) or ""))
    ui.screenshot("remote")
    ui.type_line(shown, "continue")
    ui.wait_text(shown, "state-summary", "1 rank: 1 exited")
    ui.type_line(shown, "quit")

def find_other(process):
    """The application that a window has started."""
    desktop = Atspi.get_desktop(0)
    apps = [desktop.get_child_at_index(index) for index in range(desktop.get_child_count())]
    return next((app for app in apps if app and app.get_process_id() != process.pid
                 and "pddt" in (app.get_name() or "")), None)


def check_offer(*words):
    """New Session names a job that waits, here or on the host of --remote; one button declines it, the other one takes it in
    another process."""
    os.environ["PDDT_CONNECT_FOLDER"] = os.path.join(folder, "offers")
    process, app = ui.start(window, *words, stdin=subprocess.DEVNULL)
    waiting = subprocess.Popen([pddt, "--connect", "--stop-at", "start", "/bin/sleep", "1000"], stdin=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    try:
        dialog = ui.window(app, "New Session")
        ui.wait_text(dialog, "offer", "wants to be debugged: /bin/sleep 1000")
        ui.screenshot("offer")
        ui.press(dialog, "Decline")
        assert waiting.wait(120) == 3, waiting.returncode
        waiting = subprocess.Popen([pddt, "--connect", "--stop-at", "start", "/bin/sleep", "2000"], stdin=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        ui.wait_text(dialog, "offer", "wants to be debugged: /bin/sleep 2000")
        ui.press(dialog, "Debug This Job")
        shown = ui.window(ui.wait_for("another window", lambda: find_other(process)), "pddt")
        ui.wait_text(shown, "state-summary", "1 rank: 1 stopped")
        ui.type_line(shown, "quit")
        assert waiting.wait(120) == 0, waiting.returncode
        ui.press(dialog, "Cancel")
        assert process.wait(120) == 0, process.returncode
    finally:
        for child in process, waiting:
            child.kill()
            child.wait()


def measure_there():
    """A job that a queue of the host has measured, whose archive this side does not see."""
    line = f"rm -rf {folder}/own/measured; PDDT_SUBMITTED=1 SLURM_JOB_ID=4712 {pddt} --profile --output {folder}/own/measured sleep 0.5"
    subprocess.run([*shlex.split(host.environment["PDDT_SSH"]), "somewhere", line], check=True, stdin=subprocess.DEVNULL)


def check_measured():
    """New Session names it; one button brings its archive here and shows it, the other one leaves it there."""
    offers = os.environ["PDDT_CONNECT_FOLDER"] = os.path.join(folder, "offers")
    for press in "Show Archive", "Dismiss":
        measure_there()
        process, app = ui.start(window, *host.arguments(pddt), stdin=subprocess.DEVNULL, cwd=folder)
        try:
            dialog = ui.window(app, "New Session")
            ui.wait_text(dialog, "offer", "has been measured: sleep 0.5")
            ui.screenshot("remote-measured")
            ui.press(dialog, press)
            if press == "Show Archive":
                shown = ui.window(ui.wait_for("another process", lambda one=process: find_other(one)), "measured")
                ui.screenshot("remote-archive")
                ui.close(shown)
                assert os.path.exists(os.path.join(folder, "measured", "traces.otf2"))
                assert not os.path.exists(os.path.join(folder, "own", "measured")), "this side sees the host's files"
            ui.wait_for("nothing is noted", lambda: not os.listdir(offers))
            ui.press(dialog, "Cancel")
            assert process.wait(120) == 0, process.returncode
        finally:
            process.kill()
            process.wait()


def check_connect():
    """Connect To… is pddt --remote; without pddt there, or a host, another window says so."""
    process, app = ui.start(window, stdin=subprocess.DEVNULL)
    try:
        dialog = ui.window(app, "New Session")
        ui.act(dialog, "connect")
        ui.wait_for("the host's entry", lambda: ui.find(dialog, id="host"))
        Atspi.EditableText.set_text_contents(ui.find(dialog, id="host"), "somewhere")
        ui.press(dialog, "Connect")
        other = ui.wait_for("another window", lambda: find_other(process))
        ui.wait_for("what is missing", lambda: any("there is no pddt on somewhere" in (node.get_name() or "")
                                                   for node in ui.walk(other)))
        ui.screenshot("connect")
        ui.press(ui.children(other)[0], "Close")
        ui.press(dialog, "Cancel")
        assert process.wait(120) == 0, process.returncode
    finally:
        process.kill()
        process.wait()


def check_connecting():
    """Nothing answers there: a dialog says where pddt connects to, and cancels that; nothing remains of ssh."""
    silent = os.path.join(folder, "silent")
    with open(silent, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\nexec sleep 1000\n")
    os.chmod(silent, 0o755)
    known = os.environ["PDDT_SSH"]
    os.environ["PDDT_SSH"] = silent
    process, app = ui.start(window, *host.arguments(pddt), program, stdin=subprocess.DEVNULL)
    try:
        os.environ["PDDT_SSH"] = known
        ui.wait_for("where it connects to", lambda: any((node.get_name() or "") == "Connecting to somewhere…"
                                                        for node in ui.walk(app)))
        ui.screenshot("connecting")
        ways = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True, check=True).stdout.split()
        ui.press(app, "Cancel")
        assert process.wait(120) == 0, process.returncode
        ui.wait_for("the end of ssh", lambda: not any(os.path.exists("/proc/" + way) for way in ways))
    finally:
        process.kill()
        process.wait()


def list_frames(path):
    """The kinds of what has gone to the other side."""
    with open(path, "rb") as file:
        stream, at = file.read(), 0
    while at + 16 <= len(stream):
        size, kind = struct.unpack("<IB", stream[at:at + 5])
        yield kind
        at += 16 + size


def start_once(number):
    """What was asked until the window showed all of the first stop. A group window that a session before had left open would
    ask, too."""
    shutil.rmtree(os.path.join(os.environ["XDG_DATA_HOME"], "pddt"), ignore_errors=True)
    counts = os.path.join(folder, f"counts-{number}")
    known = os.environ["PDDT_SSH"]
    os.environ["PDDT_SSH"] = f"/usr/bin/python3 {counted.__file__} {counts} {known}"
    process, app = ui.start(window, *host.arguments(pddt), program, stdin=subprocess.DEVNULL)
    try:
        os.environ["PDDT_SSH"] = known
        shown = ui.window(app, "pddt")
        ui.wait_text(shown, "state-summary", "1 rank: 1 stopped")
        ui.wait_for("the stack", lambda: "main at sum.c:" in ui.cells(shown, "stack"))
        ui.wait_for("the source", lambda: "printf" in (ui.text(ui.find(shown, id="source")) or ""))
        asked = [kind for kind in list_frames(counts + ".said") if kind in (ASK, REQUEST)]
        ui.type_line(shown, "quit")
        assert process.wait(120) == 0, process.returncode
        return asked
    finally:
        process.kill()
        process.wait()


def check_start():
    """The start, and what the panes show of the first stop, cross without a question; on a machine that is busy the answers
    may have become too old, and are asked for."""
    tries = []
    while len(tries) < 5 and [] not in tries:
        tries.append(start_once(len(tries)))
    assert [] in tries, tries


def read_kept():
    for path in glob.glob(os.path.join(os.environ["XDG_DATA_HOME"], "pddt", "sessions", "*.pddt")):
        with open(path, encoding="utf-8") as file:
            yield file.read()


def check_taken_over():
    """The window is killed: pddt --remote without a command offers what lives on there, with its sets and windows."""
    process, app = ui.start(window, *host.arguments(pddt), "--keep-for", "1", "--stop-at", "main", program, stdin=subprocess.DEVNULL)
    try:
        shown = ui.window(app, "pddt")
        ui.wait_text(shown, "state-summary", "1 rank: 1 stopped")
        ui.type_line(shown, "set mine = 0")
        ui.act(shown, "group-window")
        ui.window(app, "Rank 0")
        ui.type_line(shown, "break sum.c:6")
        ui.type_line(shown, "continue")
        ui.wait_text(shown, "state-summary", "1 rank: 1 at a breakpoint")
        # It tells the other side when it writes its own file, every two seconds.
        ui.wait_for("what is kept", lambda: any("[set mine]" in text and "[window 1]" in text for text in read_kept()))
    finally:
        process.kill()
        process.wait()
    process, app = ui.start(window, *host.arguments(pddt), stdin=subprocess.DEVNULL)
    try:
        dialog = ui.window(app, "A session lives there")
        ui.wait_text(dialog, "living-session", "/sum")
        ui.screenshot("living")
        ui.press(dialog, "Take It Over")
        shown = ui.window(app, "pddt")
        ui.wait_text(shown, "state-summary", "1 rank: 1 at a breakpoint")
        ui.window(app, "Rank 0")
        ui.type_line(shown, "show sets")
        ui.type_line(shown, "show breakpoints")
        ui.wait_text(shown, "transcript", "mine = 0")
        ui.wait_text(shown, "transcript", "breakpoint 1 set, add at sum.c:6")
        ui.type_line(shown, "quit")
        assert process.wait(120) == 0, process.returncode
    finally:
        process.kill()
        process.wait()


def find_question(process):
    """The dialogue of the ssh that the window has started."""
    other = find_other(process)
    return ui.window_now(other, "ssh asks") if other else None


def check_asked():
    """ssh asks in a window of pddt's: whether it is the right host, and a prompt of the host's own, again after a wrong answer
    and when the connection was broken."""
    if os.geteuid() != 0 or shutil.which("openssl") is None:
        return
    place = os.path.join(folder, "asks")
    os.makedirs(place)
    asking = remote.Host(place, asks=True)
    with open(os.path.join(place, "known"), "w", encoding="utf-8"):
        pass
    with open(os.path.join(place, "ssh_config"), encoding="utf-8") as file:
        text = file.read()
    with open(os.path.join(place, "ssh_config"), "w", encoding="utf-8") as file:
        file.write(text.replace("StrictHostKeyChecking yes", "StrictHostKeyChecking ask"))
    process = subprocess.Popen([window, *asking.arguments(pddt), "--stop-at", "start", "/bin/sleep", "1000"], stdin=subprocess.DEVNULL,
                               env=dict(os.environ, **asking.environment))
    try:
        question = ui.wait_for("the question", lambda: find_question(process))
        ui.wait_text(question, "question", "authenticity of host")
        ui.wait_for("what it is for", lambda: any((node.get_name() or "") == "Connecting to somewhere…"
                                                  for node in ui.walk(find_process(process.pid))))
        ui.wait_for("the question's focus", lambda: active_title() == "ssh asks")
        ui.screenshot("askpass-key")
        ui.press(question, "Yes")
        for answer in "wrong", remote.PASSWORD:
            question = ui.wait_for("the prompt", lambda: find_prompt(process))
            ui.screenshot("askpass")
            Atspi.EditableText.set_text_contents(ui.find(question, id="answer"), answer)
            ui.press(question, "Answer")
            ui.wait_for("its end", lambda: find_prompt(process) != question)
        shown = ui.window(ui.wait_for("the window", lambda: find_process(process.pid)), "pddt")
        ui.wait_text(shown, "state-summary", "1 rank: 1 stopped")
        # When the connection breaks it is asked once more, as the host lets nobody in without.
        subprocess.run(["pkill", "-P", str(process.pid), "-x", "ssh"], check=True)
        question = ui.wait_for("the prompt", lambda: find_prompt(process))
        Atspi.EditableText.set_text_contents(ui.find(question, id="answer"), remote.PASSWORD)
        ui.press(question, "Answer")
        ui.wait_text(shown, "transcript", "connected to somewhere again")
        ui.type_line(shown, "quit")
        assert process.wait(120) == 0, process.returncode
    finally:
        process.kill()
        process.wait()


def active_title():
    return subprocess.run(["xdotool", "getactivewindow", "getwindowname"], check=False, capture_output=True,
                          text=True).stdout.strip()


def find_prompt(process):
    question = find_question(process)
    return question if question and "Password" in ui.text(ui.find(question, id="question")) else None


def find_process(pid):
    desktop = Atspi.get_desktop(0)
    return next((app for app in ui.children(desktop) if app.get_process_id() == pid), None)


folder = tempfile.mkdtemp(prefix="pddt-test-remote-")
try:
    program = remote.make_program(folder, "own")
    host = remote.Host(folder, "own")
    os.environ.update(host.environment)
    for words in [program], []:
        process, app = ui.start(window, *host.arguments(pddt), *words, stdin=subprocess.DEVNULL)
        try:
            if not words:
                dialog = ui.window(app, "New Session")
                assert ui.find(dialog, id="folder").get_attributes().get("placeholder-text") == "Your home folder there"
                Atspi.EditableText.set_text_contents(ui.find(dialog, id="program"), "./no-such-program")
                ui.wait_text(dialog, "program-problem", "No such program")
                Atspi.EditableText.set_text_contents(ui.find(dialog, id="program"), program)
                ui.find(dialog, id="use-mpi").do_action(0)
                ui.press(dialog, "Debug")
            check(app)
            assert process.wait(120) == 0, process.returncode
        finally:
            process.kill()
            process.wait()
    check_start()
    check_connecting()
    check_taken_over()
    check_asked()
    check_connect()
    check_offer()
    check_offer(*host.arguments(pddt))
    check_measured()
finally:
    shutil.rmtree(folder)
