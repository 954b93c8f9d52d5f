# SPDX-License-Identifier: GPL-3.0-or-later
"""Another user connects to the sockets of pddt-symbols and pddt-queues, with their folder open to all, and puts his
own socket in the place of pddt's: neither end talks to him, and the session continues as before. The same
programs get an answer when root, who debugs, runs them."""
import array
import fcntl
import os
import signal
import subprocess
import termios

import other
import pddt

STUCK = os.path.join(pddt.BUILD, "tests", "msgq", "stuck-static")
# Connects, and says what becomes of it.
CLIENT = """
import socket, sys
link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
link.settimeout(float(sys.argv[2]))
link.connect(sys.argv[1])
try:
    print("closed" if link.recv(1000) == b"" else "answered")
except ConnectionResetError:
    print("closed")
except socket.timeout:
    print("open")
"""
# Listens, and says what it is told.
SERVER = """
import os, socket, sys
server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
server.bind(sys.argv[1])
server.listen(50)
print("ready", flush=True)
while True:
    link, _ = server.accept()
    link.settimeout(20)
    try:
        print("something" if link.recv(1000) else "nothing", flush=True)
    except OSError:
        print("nothing", flush=True)
    link.close()
"""


class Debugged:
    def __init__(self):
        self.rank = subprocess.Popen([STUCK, "cycle"], stdout=subprocess.PIPE, text=True, env=dict(
            pddt.ENVIRONMENT, OMPI_COMM_WORLD_RANK="0", OMPI_COMM_WORLD_SIZE="2", TINY_MODE="0"))
        assert self.rank.stdout.readline() == "ready\n"
        self.talk = pddt.Dialogue(["--attach", str(self.rank.pid)])
        self.check()
        self.daemon, self.folder = next(
            (pid, command.split()[2]) for pid, command in pddt.left_over(self.talk.marker)
            if os.path.basename(command.split(" ", 1)[0]) == "pddtd")
        os.chmod(self.folder, 0o755)
        for name in ("symbols", "queues"):
            os.chmod(self.path(name), 0o777)

    def path(self, name):
        return os.path.join(self.folder, name)

    def ask(self, command):
        events, _ = self.talk.ask(command)
        return str(events)

    def check(self):
        """Both helpers answer."""
        assert "main" in self.ask("where"), self.talk.seen
        assert "libtiny-queues.so" in self.ask("show queue"), self.talk.seen

    def end(self):
        os.chmod(self.folder, 0o700)
        self.talk.end()
        self.rank.kill()
        self.rank.wait()
        self.rank.stdout.close()

    def kill_helper(self, name):
        """Its client notices when it asks next."""
        pids = [pid for pid, command in pddt.left_over(self.talk.marker) if "pddt-" + name in command.split(" ", 1)[0]]
        pids += [pid for pid, (_, _, command) in pddt.processes().items()
                 if "pddt-queues" in command and name == "queues" and self.is_own(pid)]
        assert pids, name
        for pid in set(pids):
            os.kill(pid, signal.SIGKILL)
        pddt.wait_for(f"the end of {name}", lambda: not [
            pid for pid in pids if pddt.processes().get(pid, (0, "Z"))[1] != "Z"])

    def ask_unnoticed(self, name, command):
        """The helper has ended, and the daemon finds that out together with the question."""
        os.kill(self.daemon, signal.SIGSTOP)
        try:
            self.kill_helper(name)
            self.talk.given.write(command + "\n")
            self.talk.given.flush()
            pddt.wait_for("the question on its way", self.has_sent)
        finally:
            os.kill(self.daemon, signal.SIGCONT)
        while self.talk.read()["event"] != "done":
            pass

    def has_sent(self):
        """pddt has read the line, and all its threads rest."""
        unread = array.array("i", [0])
        fcntl.ioctl(self.talk.given, termios.FIONREAD, unread)
        tasks = f"/proc/{self.talk.process.pid}/task"
        return not unread[0] and all(other.read_status(f"{self.talk.process.pid}/task/{task}", "State")[0] == "S"
                                     for task in os.listdir(tasks))

    def is_own(self, pid):
        """A child of this session's guard; its environment has no marker."""
        guards = [guard for guard, command in pddt.left_over(self.talk.marker) if "pddt-guard --host" in command]
        return pddt.processes().get(pid, (0,))[0] in guards


def connect(path, uid, gid, wait_s):
    done = subprocess.run(other.become(uid, gid) + [pddt.PYTHON, "-c", CLIENT, path, str(wait_s)], capture_output=True,
                          text=True, timeout=60, check=True)
    return done.stdout.strip()


def check_strangers_client(debugged):
    for name in ("symbols", "queues"):
        if name == "queues":
            debugged.kill_helper(name)  # it serves one client, and hears nobody else meanwhile
        for _ in range(8):  # more often than a helper is started again
            assert connect(debugged.path(name), other.UID, other.GID, 20) == "closed", name
        debugged.check()
    assert connect(debugged.path("symbols"), 0, 0, 1) == "open"


def stand_in(debugged, home, name, question, uid, gid):
    """What somebody hears who listens in the place of that helper."""
    path, place = os.path.join(home, name), debugged.path(name)
    server = other.start([pddt.PYTHON, "-c", SERVER, path], uid=uid, gid=gid)
    assert server.stdout.readline() == "ready\n"
    os.chmod(path, 0o777)
    os.rename(place, place + ".before")
    os.rename(path, place)
    debugged.ask_unnoticed(name, question)
    heard = server.stdout.readline()
    os.rename(place + ".before", place)
    other.end(server)
    return heard.strip()


def check_strangers_server(debugged, home):
    for name, question in (("symbols", "ptype {}"), ("queues", "show queue")):
        for number, (uid, gid, wanted) in enumerate(((other.UID, other.GID, "nothing"), (0, 0, "something"))):
            # what has been asked before needs no helper
            heard = stand_in(debugged, home, name, question.format(["argc", "argv"][number]), uid, gid)
            assert heard == wanted, (name, uid, heard)
            debugged.ask("show queue")
            debugged.check()


other.need_root()
with other.folder() as folder:
    session = Debugged()
    try:
        check_strangers_client(session)
        check_strangers_server(session, folder)
    finally:
        session.end()
