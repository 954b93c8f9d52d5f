# SPDX-License-Identifier: GPL-3.0-or-later
"""What `why` says about Python threads that wait for each other, in every interpreter: which
thread waits for which lock, which holds it if that is known, and whether it is a deadlock."""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import driver
import pddt

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "locks.py")
MAIN, WORKER = 'thread 1 "MainThread"', 'thread 3 "worker"'


def cross(kind, own, other, mark, verb="holds", end="a deadlock", kind2=None, verb2=None):
    """Main and the thread, each with what the other wants."""
    line = pddt.mark(PROGRAM, mark)
    return (f"waits for the {kind} {own}, which {WORKER} {verb} (thread 3 waits for the {kind2 or kind} {other} "
            f"at locks.py:{line}, which {MAIN} {verb2 or verb}: {end}) at locks.py:{line}")


def simple(text, mark):
    return f"{text} at locks.py:{pddt.mark(PROGRAM, mark)}"


def apart():
    line = pddt.mark(PROGRAM, "cross")
    other = 'thread 4 "worker"'
    return re.compile(f"is in (?:nanosleep|select) \\({WORKER} waits for the RLock yours at locks.py:{line}, which {other} holds; "
                      f"thread 4 waits for the RLock yours at locks.py:{line}, which thread 3 holds: a deadlock\\) "
                      r"at locks.py:\d+")


def library(name, mark, until):
    return f"waits in {name} (locks.py:{pddt.mark(PROGRAM, mark)}) until some thread {until}"


WANTED = {
    "queue": library("queue.Queue.get", "queue", "puts something into the queue"),
    "future": library("concurrent.futures.Future.result", "future", "has done the task"),
    "event": library("threading.Event.wait", "event", "sets the event"),
    "rlocks": cross("RLock", "yours", "yours", "cross"),
    "locks": cross("Lock", "yours", "yours", "cross", "has taken", "apparently a deadlock"),
    "mixed": cross("RLock", "yours", "yours", "cross", "holds", "apparently a deadlock", "Lock", "has taken"),
    "boxes": cross("RLock", "yours.lock", "yours.lock", "boxes"),
    "apart": apart(),
    "acquired-rlocks": cross("RLock", "yours", "yours", "acquire"),
    "acquired-locks": simple("waits for the Lock yours, whose holder is not known", "acquire"),
    "after": simple("waits for the Lock yours, whose holder is not known", "after"),
    "timed": f"waits for another thread (locks.py:{pddt.mark(PROGRAM, 'timed')}), with a time limit",
    "alone": simple("waits for the Lock plain, which the same thread has taken: apparently a deadlock", "alone"),
    "join": simple(f"waits for the end of {WORKER} (thread 3 waits for the RLock lock at locks.py:"
                   f"{pddt.mark(PROGRAM, 'take')}, which {MAIN} holds: a deadlock)", "join"),
    "condition": simple("waits for the Lock other, whose holder is not known", "nobody"),
    "interpreter": f"waits for Python's GIL (locks.py:{pddt.mark(PROGRAM, 'interpreter')}), which thread 2 \"worker\" holds "
                   "(thread 2 is in nanosleep)",
}


def check_paused(run, rank, name, said):
    """A paused rank says the same, and that continuing helps unless it is a deadlock."""
    answer = re.search(rf"^{rank} is paused at .*$", run.out, re.MULTILINE)
    paused = answer.group(0) if answer else ""
    words = re.sub(r" at [\w.]+:\d+$", "", said)
    if name == "apart":
        words = words[words.index(" ("):]
    elif name == "interpreter":
        words = ", where it " + re.sub(r" \([\w.]+:\d+\)", "", words)
    elif name == "timed":        # the futex is no lock of threading
        words = " is paused at "
    else:
        words = ", where it " + words
    if words not in paused or ("a deadlock" in said) == (f"; step or continue {rank}" in paused):
        run.fail(f"{name}: {paused!r} does not say {words!r}")


def check(interpreter):
    programs = [subprocess.Popen([interpreter, PROGRAM, name], stdout=subprocess.PIPE, text=True)
                for name in WANTED]
    try:
        for program in programs:
            assert program.stdout.readline() == "ready\n", program.args
        questions = [f"on {rank} why" for rank in range(len(programs))]
        run = pddt.run(["--attach", ",".join(str(program.pid) for program in programs)]
                       + pddt.commands("continue", *questions, "pause", "wait 120", *questions))
        for rank, (name, wanted) in enumerate(WANTED.items()):
            answer = re.search(rf"^{rank} (waits|is in) .*$", run.out, re.MULTILINE)
            said = answer.group(0).split(" ", 1)[1] if answer else None
            is_right = said is not None and (wanted.fullmatch(said) if isinstance(wanted, re.Pattern)
                                             else said == wanted)
            if not is_right:
                run.fail(f"{name}: {said!r} instead of {wanted!r}")
            check_paused(run, rank, name, said)
            if programs[rank].poll() is not None:
                run.fail(f"{name}: the program has ended")
    finally:
        for program in programs:
            program.kill()
            program.wait()
            program.stdout.close()


interpreters = driver.list_interpreters()
print(f"1..{len(interpreters)}")
for number, interpreter in enumerate(interpreters, 1):
    check(interpreter)
    print(f"ok {number} {interpreter}", flush=True)
