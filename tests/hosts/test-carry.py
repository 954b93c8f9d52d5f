# SPDX-License-Identifier: GPL-3.0-or-later
"""--carry: hosts that have no pddt get it, by the launcher's agent (Open MPI's, Hydra's), in a job of Slurm, when a running
job is attached to, and behind --remote; what is there is checked before it is used, what is old goes, and where it cannot
be done one sentence says why."""
import os
import shutil
import subprocess
import tempfile

import faults
import hosts
import pddt
import remote
import slurm

CACHE = tempfile.mkdtemp(prefix="pddt-test-carry-", dir=os.path.expanduser("~"))
CARRIED = os.path.join(CACHE, "pddt", "carried")
PLACES = [os.path.join(pddt.BUILD, "src"), CACHE]
LOOPS = os.path.join(pddt.BUILD, "tests", "inferiors", "inferior-loops")


def strip(machines, names):
    """These hosts have no pddt, and a cache folder of their own."""
    for name in names:
        for place in PLACES:
            subprocess.run(machines.on(name) + ["mount", "-t", "tmpfs", "-o", "mode=700", "tmpfs", place], check=True)


def on(machines, name, script):
    return subprocess.run(machines.on(name) + ["bash", "-c", script], capture_output=True, text=True, check=False).stdout


def debug(machines, line, status=0, options=(), **environment):
    run = pddt.run(["--carry", "--timeout", "60", *options, "-e", "where", *line], prefix=machines.on("login"),
                   environment={"XDG_CACHE_HOME": CACHE, **environment})
    run.expect_status(status)
    return run


def forget(machines, names):
    """These hosts have nothing any more."""
    for name in names:
        on(machines, name, f"rm -rf {CARRIED}")


def attach(machines, names, launcher, **environment):
    """To a job that runs already."""
    forget(machines, names)
    flag = os.path.join(machines.state, "flag")
    open(flag, "x", encoding="ascii").close()
    job = subprocess.Popen(machines.on("login") + ["env", *(f"{name}={value}" for name, value in environment.items()), *launcher, LOOPS, flag],
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=pddt.ENVIRONMENT)
    ranks = lambda: sum(command.split()[:1] == [LOOPS] for _, _, command in pddt.processes().values())
    pddt.wait_for("its ranks", lambda: ranks() == 2, 120)
    debug(machines, [], options=["--attach-job", str(job.pid)], **environment).expect("0-1 2 main at loops.c:")
    for name in names:
        assert "pddtd" in on(machines, name, f"ls {CARRIED}/*"), name
    os.unlink(flag)
    job.wait(120)


def by_agent():
    with hosts.Hosts(2) as machines:
        names = ("node1", "node2")
        strip(machines, names)
        line = machines.mpirun(names, 4) + [faults.RING]
        debug(machines, line).expect_line("0-3 4 main at ring.c:35")
        for name in names:
            assert "pddtd" in on(machines, name, f"ls {CARRIED}/*"), name
            assert not on(machines, name, f"find {CARRIED} -perm /077 -not -type l"), name
        # as it is there, it is used again; changed, it is not; others go when they are old
        marks = {name: on(machines, name, f"stat -c %i {CARRIED}/*/pddtd") for name in names}
        on(machines, "node1", f"mkdir {CARRIED}/new {CARRIED}/old && touch -d '100 days ago' {CARRIED}/old {CARRIED}/*-*")
        on(machines, "node2", f"echo >> {CARRIED}/*/pddt-start")
        debug(machines, line).expect_line("0-3 4 main at ring.c:35")
        now = {name: on(machines, name, f"stat -c %i {CARRIED}/*/pddtd") for name in names}
        assert "new\n" in on(machines, "node1", f"ls {CARRIED}") and "old" not in on(machines, "node1", f"ls {CARRIED}")
        assert now["node1"] == marks["node1"] and now["node2"] != marks["node2"], (marks, now)
        forget(machines, names)
        agent = os.path.join(machines.state, "agent")
        hydra = ["mpiexec.mpich", "-launcher", "ssh", "-launcher-exec", agent, "-iface", "eth0", "-hosts", "node1,node2", "-n", "2"]
        debug(machines, hydra + [LOOPS]).expect("0-1 2 main at loops.c:")
        attach(machines, names, machines.mpirun(names, 2, machines.agent_that_stays() if hosts.has_prrte() else None))
        # where others can write it is refused
        on(machines, "node1", f"chmod 777 {CACHE}/pddt")
        run = debug(machines, line, status=3)
        if "pddt: cannot bring pddt to node1: others can write to" not in run.out + run.err:
            run.fail("no reason")


def by_slurm():
    with tempfile.TemporaryDirectory() as scratch, hosts.Hosts(2) as machines, slurm.Slurm(machines, scratch) as cluster:
        strip(machines, ("node1", "node2"))
        os.environ["SLURM_CONF"] = cluster.conf
        program = ["srun", "-N", "2", "-n", "2", "--mpi=none", LOOPS]
        run = debug(machines, program, status=3, SLURM_CONF=cluster.conf)
        run.expect("cannot bring pddt to nodes that srun has yet to choose: start pddt within salloc or sbatch", "err")
        inside = subprocess.run(machines.on("login") + [
            "env", f"SLURM_CONF={cluster.conf}", f"XDG_CACHE_HOME={CACHE}", "salloc", "-N", "2", "-n", "2", pddt.PDDT, "--carry",
            "-e", "where", *program], env=pddt.ENVIRONMENT, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        assert inside.returncode == 0 and "0-1 2 main at" in inside.stdout, inside
        for name in ("node1", "node2"):
            assert "pddtd" in on(machines, name, f"ls {CARRIED}/*"), name
            assert ".tar" not in on(machines, name, f"ls {CARRIED}"), name
        attach(machines, ("node1", "node2"), program[:-1], SLURM_CONF=cluster.conf)


def behind_remote():
    """The login host has pddt, its node does not."""
    if remote.why_not():
        print("not tried behind --remote:", remote.why_not())
        return
    with tempfile.TemporaryDirectory() as folder, hosts.Hosts(1) as machines:
        strip(machines, ("node1",))
        login = remote.Host(folder)
        line = machines.mpirun(("node1",), 2) + [faults.RING]
        debug(machines, line, options=login.arguments(pddt.PDDT), **login.environment).expect_line("0-1 2 main at ring.c:35")
        assert "pddtd" in on(machines, "node1", f"ls {CARRIED}/*")


def elsewhere():
    """A batch system that pddt has no way for."""
    with hosts.Hosts(1) as machines:
        run = debug(machines, machines.mpirun(("node1",), 2) + [faults.RING], status=3, PBS_JOBID="4711.server")
        run.expect("cannot bring pddt to the hosts of this batch system: install pddt at the same path", "err")


if __name__ == "__main__":
    try:
        faults.main({function.__name__: function for function in (by_agent, by_slurm, behind_remote, elsewhere)})
    finally:
        shutil.rmtree(CACHE)
