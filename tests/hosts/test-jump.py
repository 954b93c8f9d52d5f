# SPDX-License-Identifier: GPL-3.0-or-later
"""The window's machine, a gateway and a cluster as three hosts (namespaces) with real sshds, whose clocks are far apart: the
cluster lets nobody in but from the gateway (ProxyJump). The session is what it is there; a cable that is pulled is noticed,
and the session goes on when it is back; full disks on the cluster are a sentence."""
import json
import os
import shutil
import subprocess
import tempfile

import hosts
import pddt
import remote

RING = os.path.join(pddt.BUILD, "tests", "mpi", "ring")
LINE = pddt.mark(os.path.join(pddt.SOURCE, "tests", "mpi", "ring.c"), "init")
FOLDER = tempfile.mkdtemp(prefix="pddt-test-jump-")
FULL = os.path.join(FOLDER, "full")
CLOCKS = {"node1": 1000, "node2": 5000}  # seconds ahead of the window's
SERVER = """
ListenAddress {address}:2222
AllowUsers root@{only}
"""
CLIENT = """
Host gateway
HostName 10.77.0.1
Host cluster
HostName 10.77.0.2
ProxyJump gateway
Host *
User root
Port 2222
HostKeyAlias there
IdentityFile {folder}/user
IdentitiesOnly yes
UserKnownHostsFile {folder}/known
GlobalKnownHostsFile /dev/null
StrictHostKeyChecking yes
LogLevel ERROR
SendEnv PDDT_* OMPI_* HWLOC_* HOME XDG_*
"""


def write(name, text):
    path = os.path.join(FOLDER, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def serve(machines, host, only):
    """An sshd on the host, for those who come from that address."""
    number = host[-1]
    config = write("sshd-" + host, (remote.SERVER + remote.QUIET).format(folder=FOLDER)
                   + SERVER.format(address="10.77.0." + number, only=only))
    return subprocess.Popen(machines.on(host) + [remote.SSHD, "-D", "-f", config, "-E", os.path.join(FOLDER, "log-" + host)],
                            stdin=subprocess.DEVNULL)


def listens(machines, host):
    probe = f"import socket; socket.create_connection(('10.77.0.{host[-1]}', 2222), 1)"
    return subprocess.run(machines.on(host) + [pddt.PYTHON, "-c", probe], check=False, capture_output=True,
                          stdin=subprocess.DEVNULL).returncode == 0


def check_same(machines, environment):
    """What is shown is what pddt shows there, where the window's host cannot go by itself."""
    on = ["--remote", "cluster", "--remote-program", pddt.PDDT]
    commands = pddt.commands("where", f"break ring.c:{LINE}", "continue", "wait 60", "print mode", "continue", "wait 60")
    run = pddt.run(on + commands + ["mpirun", "-np", "2", RING], prefix=machines.on("login"), environment=environment)
    run.expect_status(0)
    run.expect("breakpoint 1, main at ring.c:")
    run.expect_line("0-1: exited 0")
    direct = dict(environment, PDDT_SSH=environment["PDDT_SSH"] + " -o ProxyJump=none")
    refused = pddt.run(on + ["-e", "where", "true"], prefix=machines.on("login"), environment=direct)
    refused.expect_status(3)
    refused.expect("cannot connect to cluster", "err")


def check_cable(machines, environment):
    dialogue = pddt.Dialogue(["--remote", "cluster", "--remote-program", pddt.PDDT, "mpirun", "-np", "2", RING],
                             prefix=machines.on("login"), environment=environment)
    dialogue.await_event("first stop", lambda event: event["event"] == "stopped")
    dialogue.ask(f"break ring.c:{LINE}")
    machines.do("cut", "node1")
    dialogue.await_event("word of the loss", lambda event: "the connection to cluster is lost" in json.dumps(event))
    machines.do("heal", "node1")
    dialogue.await_event("word of the return", lambda event: "connected to cluster again" in json.dumps(event))
    dialogue.ask("continue")
    dialogue.await_event("breakpoint", lambda event: event.get("state") == "breakpoint")
    dialogue.ask("wait 60")  # the other rank may come later
    dialogue.ask("continue")
    dialogue.await_event("end", lambda event: event["event"] == "exited")
    if dialogue.end() != 0:
        raise SystemExit(f"status {dialogue.process.returncode}")


def check_full(machines, environment):
    """The folder of servers, that of offers and the home are full there."""
    subprocess.run(machines.on("node2") + ["mount", "-t", "tmpfs", "-o", "mode=700,size=64k,nr_inodes=2", "tmpfs", FULL], check=True)
    subprocess.run(machines.on("node2") + ["sh", "-c", f"head -c 1000000 /dev/zero >{FULL}/file 2>/dev/null; true"], check=True)
    on = ["--remote", "cluster", "--remote-program", pddt.PDDT]
    run = pddt.run(on + ["-e", "where", RING], prefix=machines.on("login"), environment=dict(environment, PDDT_SERVE_FOLDER=FULL))
    run.expect_status(3)
    run.expect("cannot serve on node2: No space left on device", "err")
    run = pddt.run(["--connect", RING], prefix=machines.on("node2"), environment=dict(environment, PDDT_CONNECT_FOLDER=FULL))
    run.expect_status(3)
    run.expect(f"cannot write to the folder {FULL}: No space left on device", "err")
    tools = os.path.join(FOLDER, "tools")
    os.makedirs(tools)
    os.chmod(write("tools/sbatch", "#!/bin/sh\necho 1\n"), 0o755)
    run = pddt.run(["--submit", "slurm", "-e", "where", RING], prefix=machines.on("node2"),
                   environment=dict(environment, HOME=FULL, PATH=tools + ":" + os.environ["PATH"]))
    run.expect_status(3)
    run.expect("No space left on device", "err")
    if "is submitted" in run.err:
        run.fail("submitted without a script")


remote.skip_without()
try:
    os.chmod(FOLDER, 0o755)
    os.makedirs(FULL)
    os.makedirs("/run/sshd", exist_ok=True)
    for key in "host", "user":
        remote.make_key(os.path.join(FOLDER, key))
    write("login", "")
    write("ssh_config", CLIENT.format(folder=FOLDER))
    with open(os.path.join(FOLDER, "host.pub"), encoding="utf-8") as source:
        write("known", "there " + " ".join(source.read().split()[:2]) + "\n")
    ENVIRONMENT = {"PDDT_SSH": f"ssh -F {FOLDER}/ssh_config", "PDDT_SERVE_FOLDER": FOLDER}
    with hosts.Hosts(2, CLOCKS) as virtual:
        daemons = [serve(virtual, "node1", "10.77.0.254"), serve(virtual, "node2", "10.77.0.1")]
        try:
            for name in "node1", "node2":
                pddt.wait_for("sshd on " + name, lambda host=name: listens(virtual, host))
            check_same(virtual, ENVIRONMENT)
            check_cable(virtual, ENVIRONMENT)
            check_full(virtual, ENVIRONMENT)
        finally:
            for daemon in daemons:
                daemon.kill()
                daemon.wait()
finally:
    shutil.rmtree(FOLDER)
