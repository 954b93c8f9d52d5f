# SPDX-License-Identifier: GPL-3.0-or-later
"""Root attaches to another user's job: the agent that the job's launcher names for its other
hosts runs as that user, in the launcher's environment, and a host name from the launcher cannot
be anything else."""
import os

import launching
import other
import pddt

# Starts one child as a launcher reaches another host, and says so.
LAUNCHER = """
import subprocess, sys
child = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE)
print("ready", flush=True)
sys.stdin.read()
child.stdin.close()
child.wait()
"""
AGENT = """#!/bin/sh
id -u > "$0.user"; id -G > "$0.groups"; printf '%s\\n' "$@" > "$0.words"; env > "$0.environment"
exit 3
"""


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, 0o755)
    os.chown(path, other.UID, other.GID)
    return path


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read().split("\n")[:-1]


def attach(folder, *words, agent, uid=other.UID, gid=other.GID):
    """What pddt says of a job whose launcher has that command line for a host."""
    mpirun = os.path.join(folder, "mpirun")
    launcher = other.start([mpirun, "-c", LAUNCHER, os.path.join(folder, "ssh"), *words], uid=uid, gid=gid,
                           OMPI_MCA_plm_rsh_agent=agent, OWN_WORD="his", HOME=folder)
    assert launcher.stdout.readline() == "ready\n"
    pddt.ENVIRONMENT["ROOTS_WORD"] = "secret"
    run = pddt.run(["--attach-job", str(launcher.pid)] + pddt.commands("show state"))
    del pddt.ENVIRONMENT["ROOTS_WORD"]
    launcher.stdin.close()
    launcher.wait(120)
    launcher.stdout.close()
    return run


def found(folder):
    return sorted(name for name in os.listdir(folder) if "." in name)


other.need_root()
with other.folder() as home:
    os.symlink("/usr/bin/python3", os.path.join(home, "mpirun"))
    write(os.path.join(home, "ssh"), "#!/bin/sh\nread line\n")
    hostile = write(os.path.join(home, "agent"), AGENT)
    daemon = ["orted", "-mca", "ess_base_jobid", "77"]

    # 1. as it was demonstrated: the agent ran as root
    attach(home, "node2", *daemon, agent=hostile).expect_status(3)
    assert read(hostile + ".user") == [str(other.UID)], read(hostile + ".user")
    assert read(hostile + ".groups") == [str(other.GID)], read(hostile + ".groups")
    assert read(hostile + ".words")[0] == "node2", read(hostile + ".words")
    environment = read(hostile + ".environment")
    assert "OWN_WORD=his" in environment and f"HOME={home}" in environment, environment
    assert "ROOTS_WORD=secret" not in environment, environment
    for name in found(home):
        os.unlink(os.path.join(home, name))

    # 2. a path from the launcher's own folder is not one from pddt's
    run = attach(home, "node2", *daemon, agent="./agent")
    run.expect("the launcher reaches it by ./agent, which is not installed here")

    # 3. a host that is an option, or more than a name, goes to no agent
    for host in ("-oProxyCommand", "-F", "a;id", "$(id)", "a'b", "a\nb"):
        regex = ["-mca", "orte_node_regex", f"login,{host}@0(2)"]
        run = attach(home, "node2;id" if host == "a;id" else host, *daemon, *(regex if host[0] == "-" else []),
                     agent=hostile)
        run.expect_status(3)
        assert found(home) == [], (host, found(home))

    # 4. a whole job of his: its ranks are found, stopped and read, and let go as they were
    flag = write(os.path.join(home, "flag"), "")
    loops = other.give(home, os.path.join(pddt.BUILD, "tests", "inferiors", "inferior-loops"))
    job = other.start(["mpirun", "--mca", "orte_abort_on_non_zero_status", "0", "-np", "2", loops, flag],
                      HOME=home, TMPDIR=home)
    pddt.wait_for("two ranks", lambda: sum(command.startswith(loops) and parent == job.pid for parent, _, command
                                           in pddt.processes().values()) == 2, 30)
    looked = pddt.run(["--attach-job", str(job.pid)] + pddt.commands(
        "expect stopped", "where", "break turn", "continue", "wait 120", "print *counter > 0", "show queue", "delete 1",
        "detach"), timeout_s=60)
    looked.expect_status(0)
    looked.expect("0-1 2 main at loops.c")
    looked.expect_line("0-1: *counter > 0 = 1")
    looked.expect_line("0-1: detached")
    os.rename(flag, flag + ".over")
    said, _ = job.communicate("", timeout=120)
    # PRRTE ends the other one when a rank returns something else than 0, whatever orte_… says
    assert said.count("worked\n") in ((1, 2) if launching.has_prrte() else (2,)), (job.returncode, said)
