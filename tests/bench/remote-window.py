# SPDX-License-Identifier: GPL-3.0-or-later
"""The window on a laptop, eight MPI ranks of a C program of 2,100 lines on another host, behind a link of 10 Mbit/s with a
round trip of 30 and of 100 ms: by pddt --remote, and the same window by ssh -X. Both are one program (bench-step) and one
sshd; bytes are those of the cable, with ssh's and TCP's own. Then the link is cut. Prints; asserts nothing."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

ROOT, BUILD = os.environ["PDDT_SOURCE_ROOT"], os.environ["PDDT_BUILD_ROOT"]
if len(sys.argv) < 2:
    os.execve(os.path.join(ROOT, "tests/support/with-display"),
              ["with-display", "/usr/bin/python3", os.path.abspath(__file__), "inside"], {**os.environ, "WITH_WM": "1"})

import faults  # noqa: E402
import hosts  # noqa: E402
import pddt  # noqa: E402
import remote  # noqa: E402

N_STEPS, RATE = "6", 1250000
BENCH = os.path.join(BUILD, "tests", "bench", "bench-step")
SERVER = """
ListenAddress 10.77.0.1:2222
X11Forwarding yes
"""
CLIENT = """
Host *
HostName 10.77.0.1
HostKeyAlias there
User root
Port 2222
IdentityFile {folder}/user
IdentitiesOnly yes
UserKnownHostsFile {folder}/known
GlobalKnownHostsFile /dev/null
StrictHostKeyChecking yes
ForwardX11Trusted yes
LogLevel ERROR
SendEnv BENCH_* DBUS_* GTK_* GDK_* GSETTINGS_* GIO_* HOME HWLOC_* LC_ALL NO_AT_BRIDGE OMPI_* PDDT_* PATH XDG_*
"""


def write(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)
    return os.path.join(folder, name)


# Each of its lines changes a local variable, so that each step changes what the panes show.
MAIN = """#include <mpi.h>

int
main (int argc, char **argv)
{
    long turn = 0, sum = 7;
    int rank = -1, status = 7;

    status = MPI_Init (&argc, &argv);
    status = MPI_Comm_rank (MPI_COMM_WORLD, &rank) + 1;
    for (;;) {
        turn++;
        sum += turn;
        sum -= turn / 2;
        sum += rank + status;
    }
}
"""


def make_program(folder):
    more = "".join(f"\nstatic double\nwork_{n} (double x)\n{{\n    /* the {n}th of many */\n    return x * {n} + work_{n - 1} (x);\n}}\n"
                   for n in range(1, 300))
    source = write(folder, "steps.c", MAIN + "\nstatic double\nwork_0 (double x)\n{\n    return x;\n}\n" + more
                   + "\ndouble\nwork (double x)\n{\n    return work_299 (x);\n}\n")
    subprocess.run(["mpicc", "-g", "-O0", "-w", "-o", source[:-2], source], check=True, stdin=subprocess.DEVNULL)
    return source[:-2]


def count(machines):
    """All bytes that have crossed the laptop's cable."""
    lines = subprocess.run(machines.on("login") + ["cat", "/proc/self/net/dev"], capture_output=True, text=True,
                           check=True).stdout.splitlines()[2:]
    fields = [line.split(":")[1].split() for line in lines if not line.strip().startswith("lo:")]
    return sum(int(words[0]) + int(words[8]) for words in fields)


def measure(name, machines, environment, command):
    begin = dict(environment, BENCH_BYTES=str(count(machines)), BENCH_BEGIN=str(time.time_ns() // 1000))
    try:
        done = subprocess.run(machines.on("login") + command, env=begin, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", timeout=150, check=False).stdout
    except subprocess.TimeoutExpired as late:
        done = (late.stdout or b"").decode(errors="replace") + "\nnot ended\n"
    for line in done.splitlines():
        print(f"{name}: {line}", flush=True)


def await_ssh(machines, environment):
    line = machines.on("login") + environment["PDDT_SSH"].split() + ["cluster", "true"]
    pddt.wait_for("ssh", lambda: subprocess.run(line, check=False, capture_output=True, stdin=subprocess.DEVNULL).returncode == 0)


def say_loss(name, machines, environment, program):
    """The cable is pulled, and plugged in again when that was noticed."""
    dialogue = pddt.Dialogue(["--remote", "cluster", "--remote-program", pddt.PDDT, "mpirun", "--oversubscribe", "-np", "2", program],
                             prefix=machines.on("login"), environment=environment)
    dialogue.await_event("first stop", lambda event: event["event"] == "stopped")
    machines.do("cut", "login")
    begin = time.monotonic()
    dialogue.await_event("word of the loss", lambda event: "is lost: the job goes on there" in json.dumps(event))
    lost_s = time.monotonic() - begin
    machines.do("heal", "login")
    begin = time.monotonic()
    await_ssh(machines, environment)
    ssh_s = time.monotonic() - begin
    dialogue.await_event("word of the return", lambda event: "connected to cluster again" in json.dumps(event))
    print(f"{name}: loss noticed after {lost_s:.1f} s; whole again {time.monotonic() - begin:.1f} s after the link, a new ssh "
          f"{ssh_s:.1f} s", flush=True)
    dialogue.ask("kill")
    dialogue.end()


def measure_all(folder, program, rtt_ms):
    job = ["mpirun", "--oversubscribe", "-np", "8", program]
    environment = dict(pddt.ENVIRONMENT, DISPLAY=os.environ["DISPLAY"], PDDT_SSH=f"ssh -F {folder}/ssh_config", NO_AT_BRIDGE="1",
                       GSETTINGS_SCHEMA_DIR=os.path.join(BUILD, "data"), PDDT_SERVE_FOLDER=folder,
                       DBUS_SESSION_BUS_ADDRESS="disabled:")  # one that each window started would keep ssh
    with hosts.Hosts(1) as machines:
        faults.SlowLink(machines, "node1", rtt_ms / 2000, RATE)
        daemon = subprocess.Popen(machines.on("node1") + [remote.SSHD, "-D", "-f", f"{folder}/sshd_config", "-E", f"{folder}/log"],
                                  stdin=subprocess.DEVNULL)
        try:
            await_ssh(machines, environment)
            measure(f"--remote, {rtt_ms} ms", machines, environment,
                    [BENCH, N_STEPS, "over", "--remote", "cluster", pddt.PDDT, *job])
            measure(f"ssh -X, {rtt_ms} ms", machines, environment,
                    environment["PDDT_SSH"].split() + ["-X", "cluster", BENCH, N_STEPS, "over", *job])
            say_loss(f"--remote, {rtt_ms} ms", machines, environment, program)
        finally:
            daemon.kill()
            daemon.wait()


remote.skip_without()
place = tempfile.mkdtemp(prefix="pddt-bench-remote-")
try:
    os.chmod(place, 0o755)
    os.makedirs("/run/sshd", exist_ok=True)
    for key in "host", "user":
        remote.make_key(os.path.join(place, key))
    write(place, "login", "")
    write(place, "sshd_config", (remote.SERVER + remote.QUIET).format(folder=place) + SERVER)
    write(place, "ssh_config", CLIENT.format(folder=place))
    with open(os.path.join(place, "host.pub"), encoding="utf-8") as public:
        write(place, "known", "there " + " ".join(public.read().split()[:2]) + "\n")
    ring = make_program(place)
    for milliseconds in 30, 100:
        measure_all(place, ring, milliseconds)
finally:
    shutil.rmtree(place)
