# SPDX-License-Identifier: GPL-3.0-or-later
"""Nothing vouches for a rank's memory: the recorder's tables are damaged again and again while they are
read. pddt and its daemon stay, and say what is right when the tables are whole again."""
import os
import random
import subprocess

import pddt

RING = os.path.join(pddt.BUILD, "tests", "mpi", "ring")
RECORDER = os.path.join(pddt.BUILD, "src", "agent", "libpddt-mpi.so")
TIMES = int(os.environ.get("PDDT_SCRIBBLES", "60"))
SEED = int(os.environ.get("PDDT_FUZZ_SEED", "20261121"))
HEAD = 16   # magic, version and size: without them nothing is read
COUNTS = 60  # how much of each table is in use


def find_tables():
    """Offset and size in the library."""
    for line in subprocess.run(["nm", "-D", "-S", RECORDER], capture_output=True, text=True, check=True).stdout.splitlines():
        if line.endswith(" pddt_mpi_queue"):
            return int(line.split()[0], 16), int(line.split()[1], 16)
    raise SystemExit("no tables")


def find_base(pid):
    with open(f"/proc/{pid}/maps", encoding="ascii", errors="replace") as file:
        return next(int(line.split("-")[0], 16) for line in file if "libpddt-mpi.so" in line)


def damage(chance, good):
    tables = bytearray(good)
    for _ in range(chance.randrange(1, 400)):
        end = chance.choice((4096, 200000, len(good)))
        at = chance.randrange(0, end - 8)
        tables[at:at + 4] = chance.choice((b"\0\0\0\0", b"\xff\xff\xff\xff", chance.randbytes(4), b"\1\0\0\0", b"\x40\0\0\0"))
    kept = COUNTS if chance.random() < 0.7 else HEAD
    tables[:kept] = good[:kept]
    return bytes(tables)


print("PDDT_FUZZ_SEED", SEED)
chance_ = random.Random(SEED)
offset, size = find_tables()
talk = pddt.Dialogue(["mpirun", "-np", "2", RING, "hang"])
talk.ask("show state")
talk.ask("continue")
pddt.wait_for("the circle", lambda: any("wait for each other" in event.get("text", "") for event in talk.ask("why")[0]))
memory = {}
for pid, command in pddt.left_over(talk.marker):
    if command.startswith(RING):
        file = os.open(f"/proc/{pid}/mem", os.O_RDWR)
        memory[file] = (find_base(pid) + offset, os.pread(file, size, find_base(pid) + offset))
assert len(memory) == 2
for _ in range(TIMES):
    for file, (address, good) in memory.items():
        os.pwrite(file, damage(chance_, good), address)
    for question in ("show queue", "why", "show state", "show diverged"):
        talk.ask(question)
for file, (address, good) in memory.items():
    os.pwrite(file, good, address)
events, _ = talk.ask("why")
assert any("0 and 1 wait for each other" in event.get("text", "") for event in events), events
events, _ = talk.ask("where")
assert events[-1]["ok"], events
assert talk.end() in (0, 1)
