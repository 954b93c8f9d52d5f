# SPDX-License-Identifier: GPL-3.0-or-later
"""The statements of doc/security.md, on a job over two hosts: modes, secrets, sockets, and
unauthenticated peers: another user, a plain client, garbage, a slow client, a recording of a
real daemon."""
import ctypes
import os
import re
import shutil
import socket
import stat
import struct
import subprocess
import tempfile
import threading

import faults
import hosts
import other
import pddt

NOBODY = 65534


def state_folder():
    return os.environ.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")


def read_key(session):
    with open(os.path.join(state_folder(), "pddt", session.id, "key"), encoding="ascii") as file:
        return dict(line.strip().split("=", 1) for line in file if "=" in line)


def read_bytes(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def within(machines, host):
    """This thread is in the host's network from now on."""
    with open(f"/proc/{machines.pid_of(host)}/ns/net", encoding="ascii") as file:
        assert ctypes.CDLL(None).setns(file.fileno(), 0) == 0


def modes():
    with hosts.Hosts(2) as machines:
        session = faults.Session(machines)
        folders = faults.find_folders(session.id)
        assert len(folders) == 3, folders
        for folder in folders:
            status = os.lstat(folder)
            assert stat.S_IMODE(status.st_mode) == 0o700 and status.st_uid == os.geteuid(), folder
            for name in os.listdir(folder):
                status = os.lstat(os.path.join(folder, name))
                assert stat.S_ISSOCK(status.st_mode) or stat.S_IMODE(status.st_mode) & 0o077 == 0, (folder, name)
        refused = subprocess.run(["python3", "-c", "import socket,sys; socket.socket(socket.AF_UNIX, "
                                  "socket.SOCK_SEQPACKET).connect(sys.argv[1])",
                                  os.path.join(next(f for f in folders if "node1" in f), "socket")],
                                 user=NOBODY, group=NOBODY, extra_groups=[], capture_output=True, check=False)
        assert b"PermissionError" in refused.stderr, refused.stderr
        session.end(0)


def other_user():
    """Even where the folder has been opened to all: the daemon sees whose process it is, and serves on."""
    with hosts.Hosts(1) as machines:
        session = faults.Session(machines, nodes=("node1",), n=2)
        folder = next(f for f in faults.find_folders(session.id) if "node1" in f)
        os.chmod(folder, 0o755)
        os.chmod(os.path.join(folder, "socket"), 0o777)
        # on the host itself: the daemon sees no process of another one
        refused = subprocess.run(
            machines.on("node1") + other.become(NOBODY, NOBODY) + [
                pddt.PYTHON, "-c", "import socket,struct,sys; s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); "
                "s.connect(sys.argv[1]); s.send(struct.pack('6I', 2, 0, 2, 0, 0, 0)); print(s.recv(100))",
                os.path.join(folder, "socket")], capture_output=True, timeout=60, check=False)
        assert refused.stdout == b"b''\n" or b"reset by peer" in refused.stderr or b"Broken pipe" in refused.stderr, refused
        pddt.wait_for("the daemon's word", lambda: b"cannot accept a rank: it belongs to another user" in read_bytes(
            os.path.join(folder, "pddtd.log")))
        session.expect("where", "0-1")
        os.chmod(folder, 0o700)
        session.end(0)


def no_secret():
    """Neither in a command line, nor in the environment of a rank or daemon, nor in a log, nor on the wire."""
    with hosts.Hosts(2) as machines:
        session = faults.Session(machines)
        secret = read_key(session)["secret"].encode()
        assert len(secret) == 40
        parts = pddt.left_over(session.talk.marker)
        assert len(parts) >= 15, parts
        for pid, command in parts:
            assert secret not in command.encode(), command
            environment = read_bytes(f"/proc/{pid}/environ")
            assert secret not in environment
            if os.path.basename(command.split(" ", 1)[0]) in ("ring", "pddtd", "pddt-symbols", "pddt"):
                assert b"\0PDDT_KEY=" not in b"\0" + environment, command
        for folder in faults.find_folders(session.id):
            assert secret not in read_bytes(os.path.join(folder, "pddtd.log"))
        session.end(0)


def read_core_limit(pid):
    return re.search(r"Max core file size\s+(\S+)", read_bytes(f"/proc/{pid}/limits").decode()).group(1)


def unreadable():
    """Of an ordinary user: front end and daemon belong to nobody whom ptrace would serve, and leave no core;
    the program that is debugged may leave one, as before."""
    with tempfile.TemporaryDirectory() as home:
        os.chmod(home, 0o755)
        os.makedirs(os.path.join(home, "own"))
        os.chown(os.path.join(home, "own"), NOBODY, NOBODY)
        program = shutil.copy(os.path.join(pddt.BUILD, "tests", "mpi", "ring"), home)
        own = os.path.join(home, "own")
        talk = pddt.Dialogue(["mpirun", "-np", "2", program], environment={
            "HOME": own, "XDG_STATE_HOME": own, "XDG_CACHE_HOME": own},
            prefix=["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "prlimit", "--core=7000"])
        pddt.wait_for("all ranks", lambda: talk.ask("show state")[0][0].get("ranks") == "0-1", 60)
        seen = {}
        for pid, command in pddt.left_over(talk.marker):
            name = os.path.basename(command.split(" ", 1)[0])
            seen.setdefault(name, set()).add((os.stat(f"/proc/{pid}/environ").st_uid, read_core_limit(pid)))
        for name in ("pddt", "pddtd"):
            assert seen[name] == {(0, "0")}, seen
        # the launcher's guard has the launcher's environment; the host's guard holds no key
        assert seen["pddt-guard"] == {(0, "0"), (NOBODY, "7000")}, seen
        launcher = seen.get("mpirun", seen.get("prterun"))  # Open MPI 5 executes another program
        assert seen["ring"] == {(NOBODY, "7000")} and launcher == {(NOBODY, "7000")}, seen
        assert talk.ask("where")[0][-1]["ok"]
        assert talk.end() == 0
        pddt.expect_nothing_left(talk.marker)


def sockets():
    """Listening: on the addresses that face the other hosts; not on loopback, nowhere on all."""
    with hosts.Hosts(2) as machines:
        session = faults.Session(machines)
        ours = {name: session.pids(name) for name in ("pddt", "pddtd", "pddt-guard", "pddt-symbols")}
        listening = {}
        for name, pids in ours.items():
            assert pids, name
            for pid in pids:
                own = {os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")}
                for table in ("tcp", "tcp6", "udp", "udp6"):
                    for line in read_bytes(f"/proc/{pid}/net/{table}").decode().splitlines()[1:]:
                        fields = line.split()
                        if f"socket:[{fields[9]}]" in own and (fields[3] == "0A" or table.startswith("udp")):
                            listening.setdefault(name, set()).add(fields[1].split(":")[0])
        assert set(listening) == {"pddt"}, listening
        everything = {"00000000", "0" * 32}
        assert not listening["pddt"] & everything and len(listening["pddt"]) == 2, listening
        session.end(0)


class Recorder(threading.Thread):
    """What node1 sends to the front end's ports, connection by connection."""

    def __init__(self, machines):
        super().__init__(daemon=True)
        self.machines, self.streams, self.ready = machines, {}, threading.Event()
        self.start()
        self.ready.wait(120)

    def run(self):
        within(self.machines, "node1")
        tap = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        tap.bind(("eth0", 0))
        self.ready.set()
        while True:
            frame, address = tap.recvfrom(65536)
            if address[2] != socket.PACKET_OUTGOING or frame[12:14] != b"\x08\x00" or frame[23] != 6:
                continue
            header = 14 + (frame[14] & 15) * 4
            length = struct.unpack_from("!H", frame, 16)[0] + 14
            source, port, number = struct.unpack_from("!HHI", frame, header)
            data = frame[header + (frame[header + 12] >> 4) * 4:length]
            if data:
                self.streams.setdefault((source, port), {})[number] = data

    def get(self, port):
        """The longest stream to that port."""
        found = [b"".join(parts[number] for number in sorted(parts))
                 for (_, to), parts in list(self.streams.items()) if to == port]
        return max(found, key=len, default=b"")


def speak(machines, port, data, wait_s=120):
    """Sends it from node2; whether the front end closes the connection, with all that it answered."""
    result = {}

    def run():
        within(machines, "node2")
        with socket.create_connection(("10.77.0.254", port), timeout=wait_s) as link:
            answer = b""
            try:
                link.sendall(data)
                while part := link.recv(65536):
                    answer += part
                result.update(closed=True)
            except socket.timeout:
                result.update(closed=False)
            except OSError:
                result.update(closed=True)
            result.update(answer=answer)

    thread = threading.Thread(target=run)
    thread.start()
    thread.result = result
    return thread


def strangers():
    """All at once, while the session works: each is closed, none is heard, none becomes a host."""
    with hosts.Hosts(2) as machines:
        recorder = Recorder(machines)
        session = faults.Session(machines)
        key = read_key(session)
        port = int(re.search(r"tcp://\S*10\.77\.0\.254\]?:(\d+)", key["endpoint"]).group(1))
        recorded = pddt.wait_for("a recording", lambda: len(found := recorder.get(port)) > 500 and found)
        for word in (session.id, key["secret"], "ring.c", "node1"):
            assert word.encode() not in recorded, word
        greeting = recorded[:64]
        assert greeting[0] == 0xFF and greeting[12:17] == b"CURVE", greeting
        plain = greeting[:12] + b"NULL".ljust(20, b"\0") + greeting[32:]
        attempts = {
            "recording": recorded,
            "recording cut": recorded[:len(recorded) // 2],
            "plain client": plain + b"\x04\x29\x05READY" + bytes(60),
            "garbage": os.urandom(4096),
            "silence": b"",
            "a word and silence": greeting[:10],
            "greeting and silence": greeting,
            "huge frame": greeting + b"\x06" + struct.pack("!Q", 1 << 40) + bytes(100),
        }
        threads = {name: speak(machines, port, data) for name, data in attempts.items()}
        threads.update({f"silence {number}": speak(machines, port, b"") for number in range(30)})
        for _ in range(10):
            session.expect("where", "0-3")
        for name, thread in threads.items():
            thread.join()
            assert thread.result.get("closed"), (name, thread.result)
        session.expect("on 0-3 print argc", "0-3")
        assert session.states() == {"stopped"}
        assert not [event for event in session.talk.seen if faults.has_words(event, "host ")], session.talk.seen
        session.end(0)


if __name__ == "__main__":
    faults.main({function.__name__: function for function in (strangers, modes, other_user, no_secret, unreadable, sockets)})
