# SPDX-License-Identifier: GPL-3.0-or-later
"""A rank's memory may be damaged: the recorder's tables and the Python agent's mailbox are overwritten again and
again while they are read. pddt and its daemon survive, report the other rank correctly, and, once the tables are
intact again, all of them."""
import os
import random
import subprocess
import tempfile
import threading

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


PROGRAM = """import time
def work (turns):
    total = 7
    while turns:
        turns -= 1
        time.sleep (0.001)  # @ turn
    return total
work (100000)
"""
AGENT = os.path.join(pddt.BUILD, "src", "agent", "pddt_agent.abi3.so")


def find_symbol(library, name):
    for line in subprocess.run(["nm", "-D", "-S", library], capture_output=True, text=True, check=True).stdout.splitlines():
        if line.endswith(" " + name):
            return int(line.split()[0], 16), int(line.split()[1], 16)
    raise SystemExit(f"no {name} in {library}")


class Scribbler(threading.Thread):
    """Writes what it likes into a rank's mailbox, whoever reads or writes it at the time."""

    def __init__(self, pid, at, room, chance):
        super().__init__(daemon=True)
        with open(f"/proc/{pid}/maps", encoding="ascii", errors="replace") as file:
            base = next(int(line.split("-")[0], 16) for line in file if "pddt_agent.abi3.so" in line)
        self.address, self.room, self.chance, self.over = base + at, room, chance, threading.Event()
        self.memory = os.open(f"/proc/{pid}/mem", os.O_RDWR)
        self.good = os.pread(self.memory, room, self.address)

    def run(self):
        while not self.over.wait(0.0002):
            at = self.chance.randrange(0, self.chance.choice((64, 256, 4096, self.room - 16)))
            words = self.chance.choice((b"\0\0\0\0", b"\xff\xff\xff\xff", self.chance.randbytes(8), b"\1\0\0\0", b"\x7f" * 16))
            try:
                os.pwrite(self.memory, words, self.address + at)
            except OSError:  # the rank has ended by it
                return


def scribble_mailbox(chance):
    """A rank that damages the agent's mailbox harms itself alone; pddt says what it cannot have."""
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, "turns.py")
        with open(script, "w", encoding="ascii") as file:
            file.write(PROGRAM)
        talk = pddt.Dialogue(["mpirun", "-np", "2", "python3", "%python_debug%", script])
        for line in (f"break turns.py:{pddt.mark(script, 'turn')}", "continue", "wait 120"):
            talk.ask(line)
        ranks = {}
        for pid, command in pddt.left_over(talk.marker):
            with open(f"/proc/{pid}/environ", "rb") as file:
                for word in file.read().split(b"\0"):
                    if word.startswith(b"OMPI_COMM_WORLD_RANK=") and script in command and "--session" not in command:
                        ranks[int(word.split(b"=")[1])] = pid
        hostile = Scribbler(ranks[0], *find_symbol(AGENT, "pddt_mailbox"), chance)
        hostile.start()
        for _ in range(max(3, TIMES // 50)):
            for question in ("on 0 print total", "on 0 where", "on 0 py total = 7", "show state", "on 0 show locals",
                             "on 0 step", "on 0 wait 5", "on 0 continue", "on 0 wait 5", "on 0 pause"):
                talk.ask(question)
            events, _ = talk.ask("on 1 print total + 1")
            assert "'text': '8'" in str(events), events
        hostile.over.set()
        hostile.join()
        events, _ = talk.ask("on 1 show state")
        assert events[-1]["ok"], events
        talk.ask("kill")
        talk.end()


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
scribble_mailbox(chance_)
