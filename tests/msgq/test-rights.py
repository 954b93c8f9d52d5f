# SPDX-License-Identifier: GPL-3.0-or-later
"""Root debugs a user's program, which names a message queue library of that user's: the library gets his
rights at most, and nothing of root's, whatever the program becomes meanwhile."""
import os
import shutil
import signal
import subprocess

import other
import pddt

BUILT = os.path.join(pddt.BUILD, "tests", "msgq")
MODES = {"good": 0, "hang": 2, "refuse": 7, "old calls": 8}
FOUND = (f"user {other.UID} group {other.GID} groups 0 variables 0 descriptors 5, write EPERM, socket EPERM, "
         "signal EPERM, fork EPERM, root EPERM, x32 EPERM, program EPERM")


def start(program, library, rank, mode, *words):
    process = other.start([program, "cycle", *words], TINY_LIBRARY=library, TINY_MODE=str(MODES[mode]),
                          OMPI_COMM_WORLD_RANK=str(rank), OMPI_COMM_WORLD_SIZE="2")
    assert process.stdout.readline() == "ready\n"
    return process


def expect_no_mark(folder):
    marks = [name for name in os.listdir(folder) if name.endswith((".ran", ".written"))]
    for name in marks:
        with open(os.path.join(folder, name), encoding="ascii") as file:
            print(name, file.read())
    assert not marks, marks


def check_confined(home, program, library):
    rank = start(program, library, 0, "refuse")
    run = pddt.run(["--attach", str(rank.pid)] + pddt.commands("show queue"))
    other.end(rank)
    run.expect_status(0)
    run.expect(f"the tiny MPI does not want to be looked at ({FOUND})")
    expect_no_mark(home)


def check_old_calls(home, program, library):
    """The numbers of 32-bit calls are others: who comes by their gate is ended."""
    rank = start(program, library, 0, "old calls")
    run = pddt.run(["--attach", str(rank.pid)] + pddt.commands("show queue"))
    other.end(rank)
    run.expect("MPI's queue library libhostile-queues.so crashed: Bad system call")
    expect_no_mark(home)


def check_own(home, program, library):
    """The same of root's own program: root's rights, and the same few of them."""
    with other.folder() as own:
        os.chown(own, 0, 0)
        copies = [shutil.copy(file, own) for file in (program, library)]
        for copy in copies:
            os.chown(copy, 0, 0)
        rank = subprocess.Popen([copies[0], "cycle"], stdout=subprocess.PIPE, text=True,
                                     env=dict(pddt.ENVIRONMENT, TINY_LIBRARY=copies[1], TINY_MODE="7"))
        assert rank.stdout.readline() == "ready\n"
        run = pddt.run(["--attach", str(rank.pid)] + pddt.commands("show queue"))
        rank.kill()
        rank.communicate()
        run.expect("user 0 group 0 groups 0 variables 0 descriptors 5, write EPERM, socket EPERM, signal EPERM, "
                   "fork EPERM, root EPERM, x32 EPERM, program EPERM")
        expect_no_mark(own)


def check_refused(home, program, library):
    """A library, or a folder above it, that somebody else can write."""
    for path, mode in ((library, 0o777), (home, 0o777)):
        before = os.stat(path).st_mode
        os.chmod(path, mode)
        rank = start(program, library, 0, "refuse")
        run = pddt.run(["--attach", str(rank.pid)] + pddt.commands("show queue"))
        other.end(rank)
        os.chmod(path, before)
        run.expect("pddt does not load MPI's queue library libhostile-queues.so: users other than the program's "
                   "owner can change it or a folder above it")
    expect_no_mark(home)


def check_set_user_id(home, program, library):
    """A program of root's that everybody may start as root, and that takes the library's name from its
    environment."""
    trusting = shutil.copy(program, os.path.join(home, "trusting"))
    os.chown(trusting, 0, 0)
    os.chmod(trusting, 0o4755)
    rank = start(trusting, library, 0, "refuse")
    assert other.read_status(rank.pid, "Uid")[:2] == [str(other.UID), "0"], "no set-user-ID programs here"
    run = pddt.run(["--attach", str(rank.pid)] + pddt.commands("show queue"))
    other.end(rank)
    run.expect("and MPI's queue library is not loaded, as the process has other rights than its user")
    expect_no_mark(home)
    return trusting


def check_exec_between(home, program, library, trusting):
    """While one rank's library keeps the helper busy the next rank becomes a program of root's."""
    slow = shutil.copy(library, os.path.join(home, "libslow-queues.so"))
    os.chown(slow, other.UID, other.GID)
    ranks = [start(program, slow, 0, "hang"), start(program, library, 1, "refuse", trusting, "cycle")]
    dialogue = pddt.Dialogue(["--attach", ",".join(str(rank.pid) for rank in ranks)])
    dialogue.ask("handle SIGUSR1 nostop noprint pass")
    dialogue.ask("continue")
    dialogue.given.write("show queue\n")
    dialogue.given.flush()
    pddt.wait_for("the library at work", lambda: find_worker(slow))
    os.kill(ranks[1].pid, signal.SIGUSR1)
    pddt.wait_for("the other program", lambda: other.read_status(ranks[1].pid, "Uid")[1] == "0")
    while dialogue.read()["event"] != "done":
        pass
    events, _ = dialogue.ask("show queue")
    text = str(events)
    dialogue.ask("kill")
    dialogue.end()
    for rank in ranks:
        other.end(rank)
    expect_no_mark(home)
    assert "user 0" not in text, text


def find_worker(library):
    """A process that has it mapped and is no rank."""
    for pid, (_, state, command) in pddt.processes().items():
        if state == "Z" or "pddt-queues" not in command:
            continue
        try:
            with open(f"/proc/{pid}/maps", encoding="utf-8", errors="replace") as file:
                if library in file.read():
                    assert other.read_status(pid, "Uid") == [str(other.UID)] * 4
                    assert other.read_status(pid, "Groups") == []
                    assert other.read_status(pid, "NoNewPrivs") == ["1"]
                    assert other.read_status(pid, "Seccomp") == ["2"]
                    return pid
        except OSError:
            continue
    return None


other.need_root()
with other.folder() as folder:
    stuck, queues = other.give(folder, os.path.join(BUILT, "stuck-static"),
                               os.path.join(BUILT, "libhostile-queues.so"))
    check_confined(folder, stuck, queues)
    check_old_calls(folder, stuck, queues)
    check_own(folder, stuck, queues)
    check_refused(folder, stuck, queues)
    setuid_program = check_set_user_id(folder, stuck, queues)
    check_exec_between(folder, stuck, queues, setuid_program)
