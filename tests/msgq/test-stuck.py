# SPDX-License-Identifier: GPL-3.0-or-later
"""Ranks without pddt's recorder: their queues come from MPI's own message queue library, whatever
that one does. The MPI is a tiny one of the tests' own, as a library and in the program itself."""
import os
import subprocess

import pddt

HERE = os.path.dirname(os.path.abspath(__file__))
BUILT = os.path.join(pddt.BUILD, "tests", "msgq")
MODES = ["good", "crash", "hang", "wrong rank", "endless", "exit", "scribble", "refuse"]
PLAIN = "the recorder is not in this process"
INSIDE = "MPI is part of the program, where the recorder sees nothing of it"


def line(name):
    return pddt.mark(os.path.join(HERE, "stuck.c"), name)


def start(program, what, rank, mode):
    process = subprocess.Popen([os.path.join(BUILT, program), what], stdout=subprocess.PIPE, text=True,
                               env=dict(pddt.ENVIRONMENT, OMPI_COMM_WORLD_RANK=str(rank),
                                        OMPI_COMM_WORLD_SIZE="2", TINY_MODE=str(MODES.index(mode))))
    assert process.stdout.readline() == "ready\n"

    def is_asleep():
        with open(f"/proc/{process.pid}/stat", encoding="ascii") as file:
            return file.read().rsplit(")", 1)[1].split()[0] == "S"

    pddt.wait_for("a stuck rank", is_asleep)
    return process


def look(program, what, mode, *commands):
    """What pddt says of the two when it is attached to them."""
    ranks = [start(program, what, rank, mode) for rank in (0, 1)]
    try:
        run = pddt.run(["--attach", ",".join(str(rank.pid) for rank in ranks)]
                       + pddt.commands(*commands))
        run.expect_status(0)
        for rank in ranks:  # as before
            assert rank.poll() is None, (program, mode, rank.poll())
    finally:
        for rank in ranks:
            rank.kill()
            rank.wait()
            rank.stdout.close()
    return run


for program in ("stuck", "stuck-static"):
    run = look(program, "cycle", "good", "show queue", "why", "continue", "show queue")
    reason = PLAIN if program == "stuck" else INSIDE
    run.expect_line(f"0-1: from the message queue library (libtiny-queues.so): {reason}")
    run.expect_line(f"0-1: from the message queue library (libtiny-queues.so): {reason}, sampled")
    run.expect("0: in MPI_Recv from 1, tag 7, MPI_COMM_WORLD, room for 64 bytes at stuck.c:%d"
               % line("cycle"))
    run.expect("0 and 1 appear to wait for each other: 0 in MPI_Recv from 1, tag 7")

run = look("stuck", "send", "good", "show queue", "why")
run.expect('1: in MPI_Send to 0, tag 12, swapped, 6 bytes "hello\\x00" at stuck.c:%d' % line("send"))
run.expect("0: open receive from any, tag any, MPI_COMM_WORLD, room for 8 bytes")
run.expect('0: message from 1, tag 3, MPI_COMM_WORLD, 5 bytes "lost\\x00", not asked for')
run.expect("0: open receive from 1, tag 21, swapped, room for 64 bytes")
run.expect("0: in MPI_Recv at stuck.c:%d" % line("receive"))

name = "MPI's queue library libtiny-queues.so"
ENDED = f"{name} ended the process that had loaded it"
for mode, sentence in (
        ("crash", ENDED if pddt.is_sanitized() else f"{name} crashed: Segmentation fault"),  # it reports, and ends
        ("hang", f"{name} did not answer within 2 s; pddt ended it"),
        ("wrong rank", f"{name} speaks of rank 77 in a communicator of 2: nothing of its answer is shown"),
        ("endless", f"{name} returns an endless list of communicators: pddt ignores its answer"),
        ("exit", ENDED),
        ("scribble", f"{name} speaks of a size 9187201950435737471"),
        ("refuse", f"{name} says: the tiny MPI does not want to be looked at")):
    run = look("stuck", "cycle", mode, "show queue", "show queue", "why")
    run.expect(f"0-1: from the stack: {PLAIN}, and {sentence}")
    run.expect("0-1: in MPI_Recv at stuck.c:%d" % line("cycle"))

run = look("stuck-bare", "cycle", "good", "show queue")
run.expect(f"0-1: from the stack: {INSIDE}, and {name} says: a type is missing (tiny_communicator_t)")
