# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared by the tests of faults: sessions over virtual hosts, their processes, and the check that nothing
of them is left."""
import atexit
import base64
import collections
import contextlib
import ctypes
import fcntl
import glob
import mmap
import os
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import time

import hosts
import pddt

RING = os.path.join(pddt.BUILD, "tests", "mpi", "ring")
BEND = os.path.join(pddt.BUILD, "tests", "hosts", "libbend.so")


class Bend:
    """Environment variables for programs that load BEND: their clocks, which of them hangs, which folder
    counts as shared, whether memory can be written, and where pddt-start is to end; see bend.c."""
    FORMAT = "=qqqq16s16s16s128sq"

    def __init__(self, fast=""):
        handle, self.path = tempfile.mkstemp(prefix="bend-")
        os.truncate(handle, struct.calcsize(self.FORMAT))
        self.memory = mmap.mmap(handle, struct.calcsize(self.FORMAT))
        os.close(handle)
        atexit.register(os.unlink, self.path)
        self.real_s, self.rate, self.since, self.gone = 0, 1, 0, 0
        self.fast, self.end_at, self.hung, self.shared, self.refuses = fast.encode(), b"", b"", b"", 0
        self.write()

    def write(self):
        self.memory[:] = struct.pack(self.FORMAT, self.real_s, self.rate, self.since, self.gone, self.fast,
                                     self.end_at, self.hung, self.shared, self.refuses)

    def jump(self, seconds):
        self.real_s = seconds
        self.write()

    def hang(self, program):
        """Makes a program hang: its loop makes no further turn, it only sleeps."""
        self.hung = program.encode()
        self.write()

    def refuse_writes(self):
        """To the memory of processes, by way of /proc."""
        self.refuses = 1
        self.write()

    def share(self, folder):
        """Makes the folder look as if it were on a network file system."""
        self.shared = folder.encode()
        self.write()

    def speed(self, rate):
        """The monotonic clock of the program with the fast clock; it never goes back."""
        now = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
        self.gone += (now - self.since) * (self.rate - 1) if self.rate > 1 else 0
        self.rate, self.since = rate, now
        self.write()


QUEUE_S = 0.5


class SlowLink:
    """Delays what the host sends and receives by delay_s seconds and limits it to rate bytes a second. What would wait for
    longer than QUEUE_S is dropped, as a router does. This kernel has no such queue, so a process stands between the network
    and the switch; with this process's threads instead, on a busy machine the link stood still for seconds, and Open MPI
    gave its connections up."""

    def __init__(self, machines, host, delay_s, rate):
        self.delay_s, self.rate = delay_s, rate
        inner = self.open_tap(f"/proc/{machines.pid_of(host)}/ns/net", "slow")
        outer = self.open_tap(f"/run/netns/pddt-{os.path.basename(machines.state)}", "slow")
        machines.do("reroute", host, "slow")
        if os.fork() == 0:  # alone with its interpreter's lock, and ended with the test or the network
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
            os.nice(-10)
            with contextlib.suppress(OSError):
                self.carry({inner: outer, outer: inner})
            os._exit(0)
        os.close(inner)
        os.close(outer)

    @staticmethod
    def open_tap(space, name):
        """A network interface in that namespace, whose frames this process receives."""
        back, there = os.open("/proc/thread-self/ns/net", os.O_RDONLY), os.open(space, os.O_RDONLY)
        libc = ctypes.CDLL(None, use_errno=True)
        libc.setns(there, 0)
        tap = os.open("/dev/net/tun", os.O_RDWR)
        fcntl.ioctl(tap, 0x400454CA, struct.pack("16sH22x", name.encode(), 0x1002))  # TUNSETIFF, TAP | NO_PI
        libc.setns(back, 0)
        os.close(back)
        os.close(there)
        return tap

    def carry(self, sinks):
        """Frames of each interface to its sink, each when it is due."""
        frames, free = {source: collections.deque() for source in sinks}, dict.fromkeys(sinks, 0.0)
        pause_s = None
        while True:
            sources = select.select(list(sinks), [], [], pause_s)[0]
            now = time.monotonic()
            for source in sources:
                frame = os.read(source, 65536)
                if free[source] - now <= QUEUE_S:
                    free[source] = max(free[source], now) + len(frame) / self.rate
                    frames[source].append((free[source] + self.delay_s, frame))
            for source, waiting in frames.items():
                while waiting and waiting[0][0] <= now:
                    os.write(sinks[source], waiting.popleft()[1])
            dues = [waiting[0][0] for waiting in frames.values() if waiting]
            pause_s = max(0.0, min(dues) - now) if dues else None


class Session:
    """pddt in a dialogue with a job of four ranks on node1 and node2, all stopped in main."""

    def __init__(self, machines, program=(RING, "hang"), options=(), nodes=("node1", "node2"), n=4, **more):
        self.machines = machines
        self.talk = pddt.Dialogue([*options, *machines.mpirun(list(nodes), n), *program],
                                  prefix=machines.on("login"), **more)
        pddt.wait_for("all ranks", lambda: self.is_here(n), 120)
        self.id = self.find_id()

    def is_here(self, n):
        first = self.talk.ask("show state")[0][0]
        return first.get("ranks") == f"0-{n - 1}" and first.get("state") == "stopped"

    def find_id(self):
        for _, command in pddt.left_over(self.talk.marker):
            found = re.search(r"--session \S*/pddt/([0-9a-f]{16})", command)
            if found:
                return found.group(1)
        raise SystemExit("no session is named on any command line")

    def pids(self, name, host=None):
        """The session's processes of that program on that host; Open MPI 5 has other programs than 4."""
        name = {"mpirun": "prterun", "orted": "prted"}.get(name, name) if hosts.has_prrte() else name
        found = []
        for pid, command in pddt.left_over(self.talk.marker):
            if os.path.basename(command.split(" ", 1)[0]) == name and (not host or self.is_on(pid, host)):
                found.append(pid)
        return found

    def is_on(self, pid, host):
        with contextlib.suppress(OSError):
            return os.readlink(f"/proc/{pid}/ns/net") == os.readlink(f"/proc/{self.machines.pid_of(host)}/ns/net")
        return False

    def pid(self, name, host=None):
        return pddt.wait_for(f"{name} on {host}", lambda: self.pids(name, host))[0]

    def kill(self, name, host=None, what=signal.SIGKILL):
        pid = self.pid(name, host)
        os.kill(pid, what)
        return pid

    def ask(self, command):
        events, _ = self.talk.ask(command)
        return events

    def expect(self, command, ranks):
        """The command must work, and its answers must name exactly these ranks."""
        events = self.ask(command)
        answered = set()
        for event in events[:-1]:
            if event.get("request", 0) == events[-1]["request"]:
                answered |= parse(event.get("ranks", ""))
        assert events[-1]["ok"] and answered == parse(ranks), (command, ranks, events)
        return events

    def move(self, command, wait="wait 180"):
        """Moves ranks and waits until the motion has ended."""
        for line in (command, wait):
            events = self.ask(line)
            assert events[-1]["ok"], (line, events)

    def state_of(self, ranks):
        """The answer of show state, which must name exactly these ranks."""
        events = self.ask("show state")
        for event in events:
            if event.get("ranks") == ranks and "state" in event:
                return event
        raise SystemExit(f"no state of {ranks}: {events}")

    def states(self):
        return {event["state"] for event in self.ask("show state") if "state" in event}

    def await_word(self, words, timeout_s=120.0):
        if any(has_words(event, words) for event in self.talk.seen):
            return
        self.talk.await_event(words, lambda event: has_words(event, words), timeout_s)

    def end(self, status):
        """status None: any status will do."""
        got = self.talk.end()
        assert status in (None, got), (got, status, self.talk.seen[-5:])
        self.expect_no_trace()

    def expect_no_trace(self, crashed=()):
        """No process and no folder may be left; a crashed host is exempt, because it cannot tidy up."""
        pddt.expect_nothing_left(self.talk.marker)
        allowed = tuple(f"-{host}-{self.id}" for host in crashed)
        pddt.wait_for("folders to be removed", lambda: not [path for path in find_folders(self.id)
                                                              if not path.endswith(allowed or ("-",))])


def has_words(event, words):
    text = event.get("text", "")
    if isinstance(text, dict):  # bytes that are no text: PRRTE's notices may begin with a NUL
        text = base64.b64decode(text["base64"]).decode("latin-1")
    return words in text + event.get("message", "")


def find_folders(session):
    state = os.environ.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
    return glob.glob(os.path.join(state, "pddt", session)) + glob.glob(
        os.path.join(tempfile.gettempdir(), f"pddt-*-{session}"))


def parse(ranks):
    """The set of ranks that pddt has written as text."""
    found = set()
    for part in filter(None, ranks.split(",")):
        first, _, last = part.partition("-")
        found |= set(range(int(first), int(last or first) + 1))
    return found


def main(scenarios):
    """`test NAME` runs one scenario; `test` runs all of them side by side, because they spend most of
    their time waiting."""
    if len(sys.argv) > 1:
        scenarios[sys.argv[1]]()
        return
    started = time.monotonic()
    width = int(os.environ.get("PDDT_SIDE_BY_SIDE", "6"))
    waiting, running, failed = list(scenarios), {}, []
    while waiting or running:
        while waiting and len(running) < width:
            name = waiting.pop(0)
            output = tempfile.TemporaryFile("w+", errors="replace")
            running[name] = (subprocess.Popen([sys.executable, sys.argv[0], name], stdout=output, stderr=output,
                                              stdin=subprocess.DEVNULL), output)
        for name, (process, output) in list(running.items()):
            if process.poll() is None:
                continue
            del running[name]
            print(f"{'ok' if process.returncode == 0 else 'FAILED'} {name}, after "
                  f"{time.monotonic() - started:.1f} s")
            if process.returncode != 0:
                failed.append(process.returncode)
                output.seek(0)
                print(output.read())
        time.sleep(0.05)
    if failed:
        sys.exit(77 if set(failed) == {77} else 1)
