# SPDX-License-Identifier: GPL-3.0-or-later
"""Bad input: one clear sentence, the status of the contract, and nothing left behind; and system calls that are refused."""
import os
import re

import pddt

ring = os.path.join(pddt.BUILD, "tests", "mpi", "ring")
WITHOUT = os.path.join(pddt.BUILD, "tests", "mpi", "without")


def refused(arguments, statuses, words):
    run = pddt.run(arguments, timeout_s=60)
    if run.status not in statuses:
        run.fail(f"{arguments}: status {run.status}, expected one of {statuses}")
    if not any(word in run.out + run.err for word in words):
        run.fail(f"{arguments}: none of {words}")
    if len((run.err + run.out).strip().splitlines()) > 12:
        run.fail(f"{arguments}: more than one sentence")


refused(["--nonsense", ring], (2,), ["--nonsense"])
refused([ring], (2,), ["-e"])
refused(["-e", "show state", "./no-such-program"], (2, 3), ["no-such-program"])
refused(["-e", "show state", "mpirun", "-np", "2", "./no-such-program"], (2, 3), ["no-such-program"])
refused(["-e", "show state", "mpirun", "--no-such-option", "-np", "2", ring], (2, 3), ["no-such-option"])
refused(["-e"], (2,), ["-e"])
refused(["-x", "/nonexistent/file", ring], (2,), ["/nonexistent/file"])
refused(["--stop-at", "nowhere", "-e", "show state", ring], (2,), ["nowhere"])

for job in ([ring], ["mpirun", "-np", "2", ring]):
    run = pddt.run(["-e", "show state"] + job, prefix=[WITHOUT, "ptrace"])
    run.expect_status(3)
    run.expect("error: cannot debug rank ")
    run.expect("the system forbids tracing")
    run.expect_not("cannot start the job")


def read_answers(run):
    """Without what every run has of its own: numbers of threads."""
    return sorted(re.sub(r"\b\d{3,}\b", "N", line) for line in run.out.splitlines())


# What containers and old kernels refuse is done in another way.
asked = pddt.commands("break pass", "continue", "wait 120", "where", "next", "wait 120", "print token->sum", "set var size = 9",
                      "print size", "watch token->parts[0]") + [ring]
answers = pddt.run(asked)
answers.expect_status(0)
for refused_calls in "process_vm_readv,process_vm_writev", "kcmp", "perf_event_open,pidfd_open,personality", "seccomp":
    run = pddt.run(asked, prefix=[WITHOUT, refused_calls])
    run.expect_status(0)
    if read_answers(run) != read_answers(answers):
        run.fail(f"without {refused_calls} it says other things than\n{answers.out}")

# What cannot be read is not said to be missing.
run = pddt.run(pddt.commands("break pass", "show locals") + [ring], prefix=[WITHOUT, "memfd_create"])
run.expect_status(1)
run.expect("note: no source lines and variables of ring: cannot build the index of ")
run.expect("0: breakpoint 1 pending, cannot build the index of ")
run.expect("error: cannot build the index of ")
run.expect_not("compile it with -g")

old = os.path.expanduser("~/.pyenv/versions/3.7.16/bin/python3.7")
if os.path.exists(old):  # a Python that cannot load the agent runs as it is
    run = pddt.run(pddt.commands("break work", "continue", "wait 120", "expect exited")
                   + [old, "%python_debug%", "-c", "print('it works')"])
    run.expect("0| it works")
    run.expect("this Python is not one of CPython 3.8 to 3.14")

run = pddt.run(pddt.commands("break nosuch.c:12", "break nosuchfunction", "frobnicate", "on 7 where",
                             "print nosuchvariable", "show state") + ["mpirun", "-np", "2", ring])
run.expect_status(1)
run.expect_line('0-1: breakpoint 1 pending, no file "nosuch.c" yet')
run.expect_line('0-1: breakpoint 2 pending, no function "nosuchfunction" yet')
run.expect_line('error: no symbol "nosuchvariable" in frame main (0-1)')
run.expect("frobnicate")
run.expect("0-1: stopped, main at ring.c:")
