# SPDX-License-Identifier: GPL-3.0-or-later
"""The network traffic of a job, including the launcher's own, never contains the session's key,
nor does the environment of any process. Tested with the key file visible on all hosts, and with
the launcher's agent carrying the key; with Open MPI's agent named on the line and in the
environment, and with Hydra. The same recording does contain the key if only the launcher's
environment is left to carry it."""
import base64
import ctypes
import os
import signal
import socket
import stat
import struct
import subprocess
import tempfile
import threading

import faults
import hosts
import pddt
import slurm

Z85 = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
STATE = os.path.join(os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state"), "pddt")
PLAIN = """
#include <stdlib.h>
int work (int n) { return n; }
int main (void) { return work (atoi (getenv ("PMI_RANK"))) < 0; }
"""


class Recorder:
    """Every TCP stream of these hosts, on all their interfaces, put together from its packets."""

    def __init__(self, machines, names):
        self.streams, self.taps = {}, []
        for name in names:
            ready = threading.Event()
            threading.Thread(target=self.run, args=(machines, name, ready), daemon=True).start()
            assert ready.wait(20), name

    def run(self, machines, name, ready):
        with open(f"/proc/{machines.pid_of(name)}/ns/net", encoding="ascii") as file:
            assert ctypes.CDLL(None).setns(file.fileno(), 0) == 0
        tap = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(3))
        tap.setsockopt(socket.SOL_SOCKET, 33, 1 << 26)  # SO_RCVBUFFORCE
        self.taps.append(tap)
        ready.set()
        while True:
            packet, address = tap.recvfrom(1 << 17)
            if address[1] == 0x0800 and packet[9] == 6:
                head = (packet[0] & 15) * 4
                ends, length = packet[12:20], struct.unpack_from("!H", packet, 2)[0]
            elif address[1] == 0x86DD and packet[6] == 6:
                head, ends = 40, packet[8:40]
                length = struct.unpack_from("!H", packet, 4)[0] + 40
            else:
                continue
            number = struct.unpack_from("!I", packet, head + 4)[0]
            data = packet[head + (packet[head + 12] >> 4) * 4:length or None]
            if data:
                parts = self.streams.setdefault(ends + packet[head:head + 4], {})
                if len(parts.get(number, b"")) < len(data):
                    parts[number] = data

    def get_all(self):
        for tap in self.taps:
            lost = struct.unpack("II", tap.getsockopt(263, 6, 8))[1]  # SOL_PACKET, PACKET_STATISTICS
            assert lost == 0, lost
        return [b"".join(parts[number] for number in sorted(parts)) for parts in list(self.streams.values())]


def read_secret(session_id):
    with open(os.path.join(STATE, session_id, "key"), encoding="ascii") as file:
        return dict(line.strip().split("=", 1) for line in file)["secret"].encode()


def list_forms(secret):
    """As it is written, as bytes, as hexadecimal digits, and within base64 at each of its offsets."""
    raw = b""
    for i in range(0, 40, 5):
        number = 0
        for digit in secret[i:i + 5]:
            number = number * 85 + Z85.index(digit)
        raw += struct.pack("!I", number)
    forms = [secret, raw, raw.hex().encode()]
    for text in (secret, raw):
        for shift in range(3):
            forms.append(base64.b64encode(bytes(shift) + text)[4 if shift else 0:-4])
    return forms


def is_in(forms, streams):
    return any(form in stream for form in forms for stream in streams)


def check_environments(marker, forms, sealed=b"\0none"):
    """Of all processes of the job, on every host. sealed: what PDDT_KEY begins with where it may be."""
    processes = pddt.left_over(marker)
    assert len(processes) >= 7, processes
    for pid, command in processes:
        with open(f"/proc/{pid}/environ", "rb") as file:
            environment = file.read()
        assert b"PDDT_KEY=" not in environment.replace(sealed, b""), command
        assert not is_in(forms, [environment, command.encode()]), command


def hide_state(machines, names):
    """These hosts have a home of their own."""
    os.makedirs(STATE, exist_ok=True)
    for name in names:
        subprocess.run(machines.on(name) + ["mount", "-t", "tmpfs", "tmpfs", STATE], check=True)


def check_brought(session, names):
    """The key lies where only its user can read it, and goes with the session."""
    for name in names:
        folder = next(path for path in faults.find_folders(session.id) if f"-{name}-" in path)
        assert stat.S_IMODE(os.lstat(os.path.join(folder, "key")).st_mode) == 0o600


def open_mpi(is_hidden, **more):
    with hosts.Hosts(2) as machines:
        names = ("node1", "node2")
        if is_hidden:
            hide_state(machines, names)
        if more.pop("by_environment", False):
            line, name = machines.mpirun, "PRTE_MCA_plm_ssh_agent" if hosts.has_prrte() else "OMPI_MCA_plm_rsh_agent"
            machines.mpirun = lambda names, n: line(names, n, "")
            more["environment"] = {**more.get("environment", {}), name: os.path.join(machines.state, "agent")}
        recorder = Recorder(machines, ("login", *names))
        session = faults.Session(machines, **more)
        forms = list_forms(read_secret(session.id))
        session.expect("where", "0-3")
        if is_hidden:
            check_brought(session, names)
        check_environments(session.talk.marker, forms)
        streams = recorder.get_all()
        assert is_in([faults.RING.encode()], streams), "the launcher's traffic was not recorded"
        assert not is_in(forms, streams), "the key was sent in clear"
        session.end(0)


def shared():
    open_mpi(False)


def hidden():
    open_mpi(True)


def hidden_by_environment():
    open_mpi(True, by_environment=True)


def hydra():
    with tempfile.TemporaryDirectory() as scratch, hosts.Hosts(2) as machines:
        program = os.path.join(scratch, "plain")
        subprocess.run(["cc", "-g", "-o", program, "-xc", "-"], input=PLAIN.encode(), check=True)
        hide_state(machines, ("node1", "node2"))
        recorder = Recorder(machines, ("login", "node1", "node2"))
        talk = pddt.Dialogue(["mpiexec.mpich", "-launcher", "ssh", "-launcher-exec", os.path.join(machines.state, "agent"),
                              "-iface", "eth0", "-hosts", "node1:2,node2:2", "-n", "4", program],
                             prefix=machines.on("login"))
        pddt.wait_for("all ranks", lambda: talk.ask("show state")[0][0].get("ranks") == "0-3", 60)
        session_id = next(name for name in os.listdir(STATE) if any(name in command for _, command in pddt.left_over(talk.marker)))
        forms = list_forms(read_secret(session_id))
        check_environments(talk.marker, forms)
        streams = recorder.get_all()
        assert is_in([program.encode()], streams), "the launcher's traffic was not recorded"
        assert not is_in(forms, streams), "the key was sent in clear"
        assert talk.end() == 0
        pddt.expect_nothing_left(talk.marker)


class Munge:
    """Its daemon on each of these hosts, all with one key, where programs look for it."""

    def __init__(self, machines, folder, names):
        self.machines, self.folder, self.names, self.running = machines, folder, names, []
        self.key = os.path.join(folder, "munge.key")
        with open(self.key, "wb") as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(os.urandom(128))

    def __enter__(self):
        script = ("mkdir -p /run/munge && mount -t tmpfs -o mode=755 tmpfs /run/munge && exec munged --foreground --force "
                  f"--key-file={self.key} --pid-file=/run/munge/pid --log-file=/run/munge/log --seed-file=/run/munge/seed")
        for name in self.names:
            self.running.append(subprocess.Popen(self.machines.on(name) + ["sh", "-c", script], stdin=subprocess.DEVNULL,
                                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        for name in self.names:
            pddt.wait_for(f"munged on {name}", lambda: subprocess.run(
                self.machines.on(name) + ["munge", "-n"], capture_output=True, check=False).returncode == 0)
        return self

    def __exit__(self, *_):
        for process in self.running:
            process.terminate()
            process.wait(120)


def build_plain(folder):
    program = os.path.join(folder, "plain")
    subprocess.run(["cc", "-g", "-o", program, "-xc", "-"], check=True, input=PLAIN.replace(
        'getenv ("PMI_RANK")', 'getenv ("SLURM_PROCID")').encode())
    return program


def check_job(talk, recorder, program, sealed, wanted=False):
    """A running job of four ranks on two hosts, and what all its traffic held."""
    pddt.wait_for("all ranks", lambda: talk.ask("show state")[0][0].get("ranks") == "0-3", 60)
    events, _ = talk.ask("where")
    assert events[-1]["ok"] and "0-3" in str(events), events
    session_id = next(name for name in os.listdir(STATE)
                      if any(name in command for _, command in pddt.left_over(talk.marker)))
    forms = list_forms(read_secret(session_id))
    if not wanted:
        check_environments(talk.marker, forms, sealed)
    streams = recorder.get_all()
    assert is_in([program.encode()], streams), "the launcher's traffic was not recorded"
    assert is_in(forms, streams) == wanted, "the key was sent in clear" if not wanted else "the recording sees no key"
    return session_id, streams


def by_slurm(scenario):
    with tempfile.TemporaryDirectory() as scratch, hosts.Hosts(2) as machines, slurm.Slurm(machines, scratch) as cluster:
        pddt.ENVIRONMENT["SLURM_CONF"] = cluster.conf
        hide_state(machines, ("node1", "node2"))
        recorder = Recorder(machines, ("login", "node1", "node2"))
        scenario(machines, recorder, scratch, build_plain(scratch))


def check_export(machines, program, words, variable):
    """Where the user says what the ranks' environment is, the key goes with it, and nothing else."""
    run = pddt.run(pddt.commands("show state", "print (char *) getenv (\"PDDT_KEY\")", "print (char *) getenv (\"PATH\")")
                   + ["srun", *words, "-O", "-N", "2", "-n", "4", program], prefix=machines.on("login") + [
                       "env", *([f"SLURM_EXPORT_ENV={variable}"] if variable else [])])
    run.expect_line("0-3: stopped, main at <stdin>:4")
    for name in ("PDDT_KEY", "PATH"):
        run.expect_line(f'0-3: (char *) getenv ("{name}") = 0x0')


def srun_by_munge():
    """What is sent is for this user's eyes only; a second job finds it as used as the first."""
    def scenario(machines, recorder, scratch, program):
        with Munge(machines, scratch, ("login", "node1", "node2")):
            talk = pddt.Dialogue(["srun", "-O", "-N", "2", "-n", "4", program], prefix=machines.on("login"))
            session_id, streams = check_job(talk, recorder, program, b"PDDT_KEY=MUNGE:")
            assert is_in([b"PDDT_KEY=MUNGE:"], streams), "it came by another way"
            for words, variable in ((["--export=NONE"], ""), (["--export", "HOME"], ""), ([], "NONE")):
                check_export(machines, program, words, variable)
            for name in ("node1", "node2"):
                folder = next(path for path in faults.find_folders(session_id) if f"-{name}-" in path)
                assert stat.S_IMODE(os.lstat(os.path.join(folder, "key")).st_mode) == 0o600
            assert talk.end() == 0
    by_slurm(scenario)


def sealed_by_another_user():
    """Whoever changes what travels may put a key of his own there, sealed for the one who debugs."""
    with tempfile.TemporaryDirectory() as scratch, hosts.Hosts(1) as machines, Munge(machines, scratch, ("node1",)):
        hide_state(machines, ("node1",))
        for uid, wanted in ((65534, b"cannot use the session's key: it was made by user 65534"),
                            (0, b"it does not contain a session's keys")):
            sealed = subprocess.run(machines.on("node1") + [
                "setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "munge", "--restrict-uid=0", "-s",
                base64.b64encode(b"id=1\nendpoint=tcp://10.77.0.1:1\n").decode()], capture_output=True, check=True).stdout.strip()
            done = subprocess.run(machines.on("node1") + [
                os.path.join(pddt.BUILD, "src", "programs", "pddt-start"), "--session", os.path.join(STATE, "0123456789abcdef"),
                "--", "true"], env=dict(pddt.ENVIRONMENT, PDDT_KEY=sealed.decode()), capture_output=True, timeout=60, check=False)
            assert wanted in done.stderr and done.returncode == 126, done
            pddt.wait_for("the folder to be removed", lambda: not faults.find_folders("0123456789abcdef"))


def attached_by_munge():
    """The key comes on the standard input of srun --overlap, which Slurm sends in clear."""
    def scenario(machines, recorder, scratch, program):
        with open(program + ".c", "w", encoding="ascii") as file:
            file.write("#include <unistd.h>\nint main (void) { write (1, \"ready\\n\", 6); pause (); return 0; }\n")
        subprocess.run(["cc", "-g", "-o", program, program + ".c"], check=True)
        with Munge(machines, scratch, ("login", "node1", "node2")):
            job = subprocess.Popen(machines.on("login") + ["srun", "-O", "-N", "2", "-n", "4", program],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, env=pddt.ENVIRONMENT)
            try:
                for _ in range(4):
                    assert job.stdout.readline() == "ready\n"
                talk = pddt.Dialogue(["--attach-job", str(job.pid)], prefix=machines.on("login"))
                _, streams = check_job(talk, recorder, program, b"PDDT_KEY=MUNGE:")
                assert is_in([b"MUNGE:"], streams), "it came by another way"
                assert talk.end() == 0
            finally:
                job.terminate()
                job.communicate()
    by_slurm(scenario)


def srun_by_file():
    """Without MUNGE: a private file in the job's folder, which all hosts see."""
    def scenario(machines, recorder, scratch, program):
        expect_file(machines, recorder, scratch, program, ["srun", "-O", "-N", "2", "-n", "4", program])
    by_slurm(scenario)


def expect_file(machines, recorder, folder, program, line, **environment):
    os.chdir(folder)
    machines.preload("login", faults.BEND)
    bend = faults.Bend()
    bend.share(folder)
    talk = pddt.Dialogue(line, prefix=machines.on("login"), environment={"PDDT_BEND": bend.path, **environment})
    session_id, _ = check_job(talk, recorder, program, b"PDDT_KEY=FILE:")
    copy = os.path.join(folder, ".pddt-" + session_id)
    assert stat.S_IMODE(os.lstat(copy).st_mode) == 0o700 and os.listdir(copy) == ["key"]
    assert stat.S_IMODE(os.lstat(os.path.join(copy, "key")).st_mode) == 0o600
    assert talk.end() == 0
    assert not os.path.exists(copy), "the file is left behind"
    # whoever ends the session removes it
    talk = pddt.Dialogue(line, prefix=machines.on("login"), environment={"PDDT_BEND": bend.path, **environment})
    talk.ask("show state")
    front_end = next(pid for pid, command in pddt.left_over(talk.marker) if command.split(" ")[0] == pddt.PDDT)
    os.kill(front_end, signal.SIGKILL)
    talk.process.wait()
    pddt.expect_nothing_left(talk.marker)
    pddt.wait_for("the file to be removed", lambda: not [name for name in os.listdir(folder) if name.startswith(".pddt-")])


def batch_by_file():
    """A batch system whose own agent starts the daemons, as far as pddt can tell, and a shared folder."""
    with tempfile.TemporaryDirectory() as scratch, hosts.Hosts(2) as machines:
        hide_state(machines, ("node1", "node2"))
        recorder = Recorder(machines, ("login", "node1", "node2"))
        expect_file(machines, recorder, scratch, faults.RING, machines.mpirun(["node1", "node2"], 4) + [faults.RING, "hang"],
                    PE_HOSTFILE="/dev/null")


def last_resort():
    """A batch system whose own agent starts the daemons, as far as pddt can tell."""
    with hosts.Hosts(2) as machines:
        hide_state(machines, ("node1", "node2"))
        recorder = Recorder(machines, ("login", "node1", "node2"))
        session = faults.Session(machines, environment={"PE_HOSTFILE": "/dev/null"})
        forms = list_forms(read_secret(session.id))
        session.expect("where", "0-3")
        assert is_in(forms, recorder.get_all()), "the recording cannot see a key"
        session.end(0)


if __name__ == "__main__":
    faults.main({function.__name__: function for function in (
        shared, hidden, hidden_by_environment, hydra, srun_by_munge, sealed_by_another_user, attached_by_munge, srun_by_file, batch_by_file,
        last_resort)})
