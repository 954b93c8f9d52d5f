# SPDX-License-Identifier: GPL-3.0-or-later
"""A small tracer that uses the agent's mailbox as the engine does, to test the agent without
the engine. One rank, all its threads; x86-64."""
import ctypes
import os
import re
import signal
import struct
import subprocess
import sys
import time

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long

TRACEME, CONT, GETREGS, SETREGS, SYSCALL, SETOPTIONS = 0, 7, 12, 13, 24, 0x4200
TRACESYSGOOD, TRACECLONE, EXITKILL = 1, 8, 0x100000
RIP, ORIG_RAX = 16, 15
WALL = 0x40000000

EVENTS = ["none", "ready", "entry", "breakpoint", "step", "exception", "pause", "sync", "answer",
          "notice", "break-call", "log"]
COMMANDS = ["none", "continue", "step", "next", "finish", "eval", "exec", "locals", "set", "delete",
            "enable", "disable", "places", "catch", "stack", "globals", "cancel"]


def layout():
    """Offsets in struct pddt_mailbox, in the order of mailbox.h."""
    at, result = 0, {}
    for name, size in (("magic", 8), ("version", 4), ("size", 4), ("stop_at_entry", 4),
                       ("stop_on_uncaught", 4), ("just_my_code", 4), ("attached", 4),
                       ("request", 4), ("event", 4), ("number", 4), ("line", 4), ("tid", 4),
                       ("frame", 8), ("python_sp", 8), ("function", 512), ("file", 2048),
                       ("text", 4096), ("command", 4), ("command_number", 4),
                       ("command_frame", 4), ("command_count", 4), ("status", 4),
                       ("out_size", 4), ("in", 16384), ("out", 65536), ("started", 4),
                       ("own_frame", 4), ("by_traceback", 4), ("motion_off", 4),
                       ("returned_size", 4), ("request_tid", 4),
                       ("request_command", 4), ("here_command", 4), ("is_loaded", 4), ("returned", 4096),
                       ("is_log_taken", 4), ("log_written", 4), ("log_taken", 4), ("log", 65536), ("followed_pid", 4), ("limit_depth", 4),
                       ("limit_items", 4), ("limit_bytes", 4), ("awaited", 64 * 8)):
        if size == 8:
            at = (at + 7) & ~7
        result[name] = at, size
        at += size
    return result


LAYOUT = layout()


class Ended(Exception):
    pass


class Rank:
    def __init__(self, agent, command, stop_at_entry=0, stop_on_uncaught=1, timeout=300):
        self.deadline = time.monotonic() + timeout
        self.agent = os.path.realpath(agent)
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            preexec_fn=lambda: libc.ptrace(TRACEME, 0, None, None))
        self.pid = self.process.pid
        self.status = None
        self.tid = self.pid
        os.waitpid(self.pid, WALL)
        libc.ptrace(SETOPTIONS, self.pid, None, TRACESYSGOOD | TRACECLONE | EXITKILL)
        self.symbols = {}
        for line in subprocess.run(["nm", "-D", self.agent], stdout=subprocess.PIPE,
                                   check=True).stdout.decode().splitlines():
            words = line.split()
            if len(words) == 3 and words[2].startswith("pddt_"):
                self.symbols[words[2]] = int(words[0], 16)
        self.base = self.run_to_agent()
        self.mailbox = self.base + self.symbols["pddt_mailbox"]
        self.point = self.base + self.symbols["pddt_python_stop"]
        self.memory = open("/proc/%d/mem" % self.pid, "r+b", buffering=0)
        self.original = self.read(self.point, 1)
        self.write(self.point, b"\xcc")
        self.put("attached", 1)
        self.put("stop_at_entry", stop_at_entry)
        self.put("stop_on_uncaught", stop_on_uncaught)
        assert self.wait() == "ready", self.event

    def run_to_agent(self):
        while True:
            libc.ptrace(SYSCALL, self.pid, None, None)
            _, status = os.waitpid(self.pid, WALL)
            if os.WIFEXITED(status):
                raise Ended(status)
            registers = self.get_registers(self.pid)
            if registers[ORIG_RAX] != 3:
                continue
            with open("/proc/%d/maps" % self.pid) as maps:
                for line in maps:
                    words = line.split()
                    if words[-1] == self.agent and words[2] == "00000000":
                        return int(words[0].split("-")[0], 16)

    def get_registers(self, tid):
        registers = (ctypes.c_ulonglong * 27)()
        libc.ptrace(GETREGS, tid, None, ctypes.addressof(registers))
        return registers

    def read(self, address, size):
        self.memory.seek(address)
        return self.memory.read(size)

    def write(self, address, data):
        self.memory.seek(address)
        self.memory.write(data)

    def get(self, name):
        offset, size = LAYOUT[name]
        data = self.read(self.mailbox + offset, size)
        if size in (4, 8):
            return int.from_bytes(data, "little", signed=name == "status")
        return data.split(b"\0")[0].decode() if name in ("function", "file") else data

    def put(self, name, value):
        offset, size = LAYOUT[name]
        if isinstance(value, int):
            value = value.to_bytes(size, "little")
        self.write(self.mailbox + offset, value)

    def resume_until_stop(self):
        """Runs to the next stop of the agent; raises Ended at the end."""
        libc.ptrace(CONT, self.tid, None, None)
        while True:
            if time.monotonic() > self.deadline:
                os.kill(self.pid, signal.SIGKILL)
                raise TimeoutError
            tid, status = os.waitpid(-1, WALL | os.WNOHANG)
            if tid == 0:
                time.sleep(0.0005)
                continue
            if os.WIFEXITED(status) or os.WIFSIGNALED(status):
                if tid == self.pid:
                    self.status = os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)
                    self.process.returncode = self.status
                    raise Ended(self.status)
                continue
            number = os.WSTOPSIG(status)
            if number == signal.SIGTRAP and status >> 16 == 0:
                registers = self.get_registers(tid)
                if registers[RIP] == self.point + 1:
                    self.tid = tid
                    return
            deliver = number if number not in (signal.SIGTRAP, signal.SIGSTOP) else 0
            libc.ptrace(CONT, tid, None, deliver)

    def wait(self):
        self.resume_until_stop()
        self.event = EVENTS[self.get("event")]
        return self.event

    def go(self, command="continue", count=1, frame=0):
        """Carries out a motion; returns the name of the next event."""
        self.put("command", COMMANDS.index(command))
        self.put("command_count", count)
        self.put("command_frame", frame)
        return self.wait()

    def ask(self, command, text=b"", frame=0, number=0):
        """(status, list of words)."""
        self.put("command", COMMANDS.index(command))
        self.put("command_frame", frame)
        self.put("command_number", number)
        data = text.encode() + b"\0" if isinstance(text, str) else text
        self.put("in", data)
        assert self.wait() == "answer", self.event
        out = self.get("out")[:self.get("out_size")]
        words = out.decode().split("\0")[:-1]
        status = self.get("status")
        if command in ("set", "catch", "places") and status >= 0:
            self.reason = words.pop(0)
        # addresses of objects differ from run to run
        return status, [re.sub("^([+]?)@[0-9a-f]+$", r"\1", word) for word in words]

    def set_breakpoint(self, number, file="", line=0, function="", condition="", log="", every=0,
                       temporary=0, thread=0, command="set", first=None):
        head = struct.pack("<IIQIIQ", number, line, every, temporary, 1, thread)
        words = [file, function, condition, log] if first is None else [first, condition]
        return self.ask(command, head + b"".join(word.encode() + b"\0" for word in words))

    def where(self):
        return self.get("function"), os.path.basename(self.get("file")), self.get("line")

    def text(self):
        return self.get("text").rstrip(b"\0").decode().split("\0")

    def finish_run(self):
        """Continues to the end; returns (status, stdout, stderr)."""
        try:
            while True:
                self.go()
        except Ended:
            pass
        return self.status, self.process.stdout.read().decode(), self.process.stderr.read().decode()

    def kill(self):
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            try:
                while True:
                    tid, status = os.waitpid(-1, WALL)
                    if tid == self.pid and (os.WIFSIGNALED(status) or os.WIFEXITED(status)):
                        break
            except ChildProcessError:
                pass
            self.process.returncode = -9
        self.process.stdout.close()
        self.process.stderr.close()
        self.memory.close()


def marks(path):
    """Lines of a program by their marks: `#@ name`."""
    found = {}
    with open(path) as stream:
        for number, line in enumerate(stream, 1):
            if "#@ " in line:
                found[line.split("#@ ")[1].strip()] = number
    return found


def list_interpreters(also=None):
    """The system's interpreter and pyenv's from 3.8 on, as paths. Without PDDT_LONG (./check --long python has all of
    them) beside the system's one that has sys.monitoring, from 3.12 on, and in every third test one that is traced by
    sys.settrace as well: which of them depends on the test's name, so that all tests together have every version.
    also: a minor version that the test cannot do without."""
    import glob
    found = []
    for path in ["/usr/bin/python3"] + sorted(glob.glob(
            os.path.join(os.environ.get("PYENV_ROOT", os.path.expanduser("~/.pyenv")),
                         "versions/3.*/bin/python3"))):
        named = re.search(r"3\.(\d+)", os.path.realpath(path))  # of the folder or the file: starting it takes its time
        minor = named[1] if named else subprocess.run([path, "-c", "import sys; print(sys.version_info[1])"],
                                                      stdout=subprocess.PIPE, check=False).stdout.strip()
        if minor and 8 <= int(minor) <= 14:
            found.append((int(minor), path))
    if not os.environ.get("PDDT_LONG"):
        number = sum(os.path.basename(sys.argv[0]).encode())
        old = [each for each in found[1:] if each[0] < 12 and each[0] != found[0][0]] if number % 3 == 0 else []
        new = [each for each in found[1:] if each[0] >= 12]
        named = [each for each in found[1:] if each[0] == also]
        found = list(dict.fromkeys(found[:1] + named + [some[number // 3 % len(some)] for some in (old, new) if some]))
    return [path for _, path in found]


class Tap:
    """Counts the tests and prints TAP."""

    def __init__(self):
        self.count = self.failed = 0

    def check(self, name, condition, detail=""):
        self.count += 1
        self.failed += not condition
        print("%sok %d - %s" % ("" if condition else "not ", self.count, name), flush=True)
        if not condition:
            for line in str(detail).splitlines():
                print("# " + line, flush=True)

    def equal(self, name, got, wanted):
        self.check(name, got == wanted, "got    %r\nwanted %r" % (got, wanted))

    def end(self):
        print("1..%d" % self.count)
        sys.exit(self.failed > 0)


def run_tests(tap, names):
    """Runs each test_... function among the names with each interpreter and its minor version."""
    tests = [value for name, value in sorted(names.items()) if name.startswith("test_")]
    for python in list_interpreters():
        minor = int(os.popen("%s -c 'import sys; print(sys.version_info[1])'" % python).read())
        for test in tests:
            try:
                test(python, minor)
            except (Ended, AssertionError, TimeoutError) as error:
                tap.check("%s %s" % (python, test.__name__), False, repr(error))
    tap.end()


def run_journeys(tests):
    """Runs pairs of function and interpreter and prints a line of TAP for each; SystemExit is a failure."""
    print(f"1..{len(tests)}")
    for number, (test, interpreter) in enumerate(tests, 1):
        try:
            test(interpreter)
            print(f"ok {number} {test.__name__} {interpreter}", flush=True)
        except SystemExit as error:
            print(f"not ok {number} {test.__name__} {interpreter}: {error}", flush=True)
