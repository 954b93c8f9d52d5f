# SPDX-License-Identifier: GPL-3.0-or-later
"""What pddt keeps on a machine, and what becomes of it: an end before the daemon's link is up leaves nothing for longer
than a moment; folders that kill -9 leaves go with the next session; a limit for the size of files, or a home that nobody
can write to, ends no session. Argument: a program that runs forever."""
import contextlib
import glob
import os
import shutil
import signal
import subprocess
import sys
import tempfile

import other
import pddt

LOOPS = sys.argv[1]


def start_program(*words):
    process = subprocess.Popen([LOOPS, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    pddt.wait_for("its threads", lambda: len(os.listdir(f"/proc/{process.pid}/task")) == 2)
    return process


def find_part(marker, word):
    return [pid for pid, command in pddt.left_over(marker) if word in command]


def read_state(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        return file.read().rpartition(")")[2].split()[0]


def check_early():
    """Ended as soon as its guard is there: often before the daemon has a link, which alone tells it of the end."""
    program = start_program("/")
    for number in range(6):
        process, marker = pddt.start(["--attach", str(program.pid), "-e", "wait 100"])
        pddt.wait_for("the host's guard", lambda: find_part(marker, "pddt-guard --host") or process.poll() is not None)
        process.send_signal(signal.SIGKILL if number % 2 else signal.SIGTERM)
        process.communicate()
        pddt.expect_nothing_left(marker)
        assert read_state(program.pid) in "RS", read_state(program.pid)
    program.kill()
    program.wait()


def kill_everything(state, temporary):
    """The folders that are left behind: none where a guard had the time to tidy up before its turn."""
    process, marker = pddt.start(["-e", "wait 0.1", "-e", "continue", "-e", "wait 100", "--", LOOPS, "/"])
    # not pddt's own line, which names it too
    pddt.wait_for("the rank", lambda: [pid for pid, command in pddt.left_over(marker) if command.startswith(LOOPS)])
    for pid in find_part(marker, ""):  # at once: nobody has the time to tidy up
        os.kill(pid, signal.SIGSTOP)
    for pid in find_part(marker, ""):
        with contextlib.suppress(ProcessLookupError):  # the launched rank ends with its tracer
            os.kill(pid, signal.SIGKILL)
    process.communicate()
    pddt.expect_nothing_left(marker)
    return set(glob.glob(temporary + "/pddt-*") + glob.glob(state + "/pddt/*"))


def check_left_folders():
    state, temporary = tempfile.mkdtemp(prefix="pddt-places-"), tempfile.mkdtemp(prefix="pddt-places-")
    pddt.ENVIRONMENT.update(XDG_STATE_HOME=state, TMPDIR=temporary)
    left = set()
    for _ in range(20):
        if len(left) == 2:
            break
        left = kill_everything(state, temporary)
    assert len(left) == 2, left
    for _ in range(20):  # while a killed process is still dying, its folder counts as in use
        pddt.run(["-e", "show state", "--", "/bin/true"]).expect_status(0)
        now = set(glob.glob(temporary + "/pddt-*") + glob.glob(state + "/pddt/*"))
        if not now & left:
            break
    assert not now & left, now
    del pddt.ENVIRONMENT["XDG_STATE_HOME"], pddt.ENVIRONMENT["TMPDIR"]
    shutil.rmtree(state)
    shutil.rmtree(temporary)


def check_limit():
    run = pddt.run(["-e", "break turn", "-e", "continue", "-e", "wait 60", "-e", "print turns[0] >= 0", "--", LOOPS, "/"],
                   prefix=["prlimit", "--fsize=1000000:1000000"] + (other.become() if os.geteuid() == 0 else []))
    run.expect_status(0)
    run.expect("breakpoint 1, turn at loops.c")
    run.expect("has no space for ")


def check_home():
    """Nobody's home."""
    with tempfile.TemporaryDirectory(prefix="pddt-places-") as home:
        os.chmod(home, 0o555)
        pddt.ENVIRONMENT["HOME"] = home
        run = pddt.run(["-e", "expect stopped", "--", LOOPS, "/"], prefix=other.become() if os.geteuid() == 0 else ())
        run.expect_status(0)
        run.expect("set XDG_STATE_HOME to a folder that you can write to", "err")
        if run.err.count("\n") != 1:
            run.fail("more than a sentence")
    if os.geteuid() == 0:
        os.rmdir(f"/tmp/pddt-state-{other.UID}")


def check_no_home():
    """No HOME, or one that is no path, of a user with an account and of one without: the program has it as it is, the
    working folder is nobody's home, and pddt's sentence is the only one."""
    given = pddt.ENVIRONMENT.pop("HOME")
    say = [pddt.PYTHON, "-c", "import os; print('home', repr(os.environ.get('HOME')))"]
    with tempfile.TemporaryDirectory(prefix="pddt-places-") as folder:
        os.chmod(folder, 0o777)
        for prefix in [other.become()] * (os.geteuid() == 0) + [[]]:
            for home in None, "", "odd":
                words = ["env", "-C", folder] + ([f"HOME={home}"] if home is not None else [])
                run = pddt.run(["-e", "continue", "-e", "wait 60", "--"] + say, prefix=prefix + words)
                run.expect_status(0)
                run.expect(f"home {home!r}")
                if run.err.count("\n") != bool(prefix) or prefix and "this session is in /tmp/pddt-state-" not in run.err:
                    run.fail("other sentences than pddt's")
                if os.listdir(folder):
                    run.fail(f"{os.listdir(folder)} in the working folder")
    pddt.ENVIRONMENT["HOME"] = given
    if os.geteuid() == 0:
        os.rmdir(f"/tmp/pddt-state-{other.UID}")


os.environ.pop("XDG_STATE_HOME", None)
pddt.ENVIRONMENT.pop("XDG_STATE_HOME", None)
for check in check_early, check_left_folders, check_limit, check_home, check_no_home:
    check()
    print("ok", check.__name__, flush=True)
