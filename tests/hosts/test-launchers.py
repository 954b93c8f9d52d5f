# SPDX-License-Identifier: GPL-3.0-or-later
"""Launchers without a debugger interface, for real: MPICH's Hydra and Slurm, on one host and on two. The shim
starts before each program, output is labelled by rank, two programs on one line are two places."""
import os
import subprocess
import tempfile

import hosts
import pddt
import slurm as cluster_of_slurm

SOURCE = os.path.join(pddt.SOURCE, "tests", "mpi", "ring.c")
PLAIN = """
#include <stdio.h>
#include <stdlib.h>
int work (int n) { printf ("rank %d\\n", n); return n; }
int main (void)
{
    const char *rank = getenv ("PMI_RANK");
    rank = rank ? rank : getenv ("OMPI_COMM_WORLD_RANK");
    rank = rank ? rank : getenv ("PMIX_RANK");
    return work (atoi (rank ? rank : getenv ("SLURM_PROCID"))) < 0;
}
"""


def lines_of_ranks(run, n):
    for rank in range(n):
        if not any(line.startswith(f"{rank}| rank {rank} has") for line in run.out.splitlines()):
            run.fail(f"no output of rank {rank}")


def hydra(ring):
    run = pddt.run(pddt.commands("show state", "tbreak pass", "continue", "wait 60", "where", "continue",
                                 "wait 60", "expect exited")
                   + ["mpiexec.mpich", "-launcher", "fork", "-n", "4", ring])
    run.expect_status(0)
    run.expect("0-3: stopped, main at ring.c:")
    run.expect("\n  0-3 4 pass at ring.c:")
    lines_of_ranks(run, 4)


def two_programs(ring):
    run = pddt.run(pddt.commands("show state", "on 1 break pass", "continue", "on 1 wait 60", "on 1 where")
                   + ["mpiexec.mpich", "-n", "1", ring, ":", "-n", "1", ring, "hang"])
    run.expect_status(0)
    run.expect("1: breakpoint 1, pass at ring.c:")


def on_two_hosts(machines, launcher):
    """A program without MPI: MPICH itself takes virtual hosts for one, and hangs at its end."""
    run = pddt.run(pddt.commands("show state", "break work", "continue", "wait 60", "print n",
                                 "on host node2 show state", "continue", "wait 60", "expect exited")
                   + launcher, prefix=machines.on("login"))
    run.expect_status(0)
    run.expect("0-3: stopped, main at <stdin>:")
    run.expect_line("0-3: n = [0..3] min 0 at 0 max 3 at 3 mean 1.5")
    run.expect("2-3: breakpoint 1, work at <stdin>:4")
    for rank in range(4):
        run.expect_line(f"{rank}| rank {rank}")


def starts_both(*words):
    """The launcher starts both programs of a line or a file. Debian 13's prterun 5.0.7 crashes on them, and its MPICH 4.2.1
    takes all lines of a file for one."""
    run = subprocess.run(words, capture_output=True, text=True, env=pddt.ENVIRONMENT, stdin=subprocess.DEVNULL, timeout=60, check=False)
    good = run.returncode == 0 and {"one", "two"} <= set(run.stdout.split("\n"))
    if not good:
        print(f"not tried, since this does not start two programs: {' '.join(words)}")
    return good


def programs_in_a_file(folder, plain):
    path = os.path.join(folder, "lines")
    with open(path, "w", encoding="ascii") as file:
        file.write(f"-n 1 {plain}\n-n 1 {plain}\n")
    if not starts_both("mpiexec.mpich", "-configfile", write(folder, "both", BOTH)):
        return
    run = pddt.run(pddt.commands("break work", "continue", "wait 60", "print n")
                   + ["mpiexec.mpich", "-configfile", path])
    run.expect("0-1: breakpoint 1, work at <stdin>:4")
    run.expect_line("0-1: n = [0..1] min 0 at 0 max 1 at 1 mean 0.5")


BOTH = "-n 1 echo one\n-n 1 echo two\n"
SCRIPT = """import os, sys
rank = next(os.environ[name] for name in ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID") if name in os.environ)
print("rank", rank, "of python", os.environ.get("A"), sys.argv[1:])
"""


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    return path


def mixed(launcher, said, prefix=(), second=1):
    """C and Python on one line, each stopped where it begins; they say what they say without pddt."""
    run = pddt.run(pddt.commands("show state", "continue", "wait 60", "expect exited") + launcher, prefix=prefix)
    run.expect_status(0)
    run.expect("0: stopped, main at <stdin>:" if second == 1 else "0-1: stopped, main at <stdin>:")
    run.expect(f"\n{second}: stopped, <module> at script.py:1" if second == 1
               else f"\n{second}-3: stopped, <module> at script.py:1")
    run.expect_line("0| rank 0")
    run.expect_line(f"{second}| rank {second} of python {said}")


def several_programs(folder, plain):
    python = ["python3", "%python_debug%", write(folder, "script.py", SCRIPT), "-np", "x"]
    text = " ".join(python)
    said = "b ['-np', 'x']"
    mpirun = ["mpirun", "-np", "1", "--map-by", "slot", "-x", "A=b"]
    if starts_both("mpirun", "-np", "1", "echo", "one", ":", "-np", "1", "echo", "two"):
        mixed(mpirun + [plain, ":", "-np", "1", "-x", "A=b", "--"] + python, said)
    if starts_both("mpirun", "--app", write(folder, "both", BOTH.replace("-n", "-np"))):
        mixed(["mpirun", "--app", write(folder, "app", f"-np 1 {plain}\n# more\n-np 1 env A=b {text}\n")], said)
    mixed(["mpiexec.mpich", "-n=1", plain, ":", "-n", "1", "-env", "A", "b", "timeout", "-k", "1", "60"] + python,
          said)
    if not starts_both("mpiexec.mpich", "-configfile", write(folder, "both", BOTH)):
        return
    mixed(["mpiexec.mpich", "-configfile",
           write(folder, "config", f"-n 1 nice {plain}\n-n 1 -env A=b /usr/bin/time -o /dev/null {text}\n")], said)
    run = pddt.run(pddt.commands("show state", "continue", "wait 60") + [  # one of them is not on the host
        "mpiexec.mpich", "-configfile", write(folder, "config", f"-n 1 {plain}\n-n 1 /nowhere/time {plain}\n")])
    run.expect_status(0)
    run.expect("0: stopped, main at <stdin>:")
    run.expect_line("1: failed 127")
    run.expect("1| pddt: cannot start /nowhere/time: no such file", "err")
    run = pddt.run(pddt.commands("show state") + ["mpiexec.mpich", "--nonsense", "1", plain])
    if run.status == 0 or "--nonsense" not in run.err or "%pddt%" not in run.err:
        run.fail("an unknown option")


# What Open MPI 5 and PRRTE 3 do with a line, as their sources say: the words of odls_base_exec_agent, split
# at spaces, stand before each program; prterun's own personality tells a rank its number alone, Open MPI's
# all that version 4 tells. Not the launcher itself, which is not to be had here.
PRTERUN = """#!/usr/bin/python3
import os, subprocess, sys
words, ranks, count, name = sys.argv[1:], [], 2, os.path.basename(sys.argv[0])
if words == ["--version"]:
    print("mpirun (Open MPI) 5.0.3" if name == "mpirun" else name + " (PRRTE) 3.0.6")
    sys.exit()
agent = os.environ["PRTE_MCA_odls_base_exec_agent"].split(" ")
one = ["--map-by", "--rtos", "--runtime-options", "--output", "--bind-to", "--host", "-x"]
while words:
    given = {}
    while words and words[0].startswith("-"):
        word = words.pop(0)
        if word in ("-n", "-np", "--np"):
            count = int(words.pop(0))
        elif word == "--prtemca":
            del words[:2]
        elif word in one:
            value = words.pop(0)
            if word == "-x":
                given.update([value.split("=", 1)])
        elif word == "--":
            break
        elif "=" not in word:
            sys.exit(name + ": unknown option " + word)
    end = words.index(":") if ":" in words else len(words)
    ranks += [(given, words[:end])] * count
    words = words[end + 1:]
children = []
for rank, (given, program) in enumerate(ranks):
    told = dict(os.environ, PMIX_RANK=str(rank), PMIX_NAMESPACE=name + "-login-77@1", **given)
    if name == "mpirun":
        told.update(OMPI_COMM_WORLD_RANK=str(rank), OMPI_COMM_WORLD_SIZE=str(len(ranks)),
                    OMPI_COMM_WORLD_LOCAL_RANK=str(rank))
    children.append(subprocess.Popen(agent + program, env=told))
sys.exit(max(child.wait() for child in children))
"""


def prterun(folder, plain):
    python = ["python3", "%python_debug%", write(folder, "script.py", SCRIPT), "z"]
    path = write(folder, "prterun", PRTERUN)
    os.chmod(path, 0o755)
    for name in ("prterun", "prun", "mpirun"):
        line = os.path.join(folder, name)
        if line != path:
            os.link(path, line)
        run = pddt.run(pddt.commands("show state", "continue", "wait 60", "expect exited")
                       + [line, "--prtemca", "a", "b", "-np", "2", "--map-by", "slot:oversubscribe", "--output=tag",
                          plain, ":", "-n", "1", "-x", "A=b", "--rtos", "donotlaunch=0", "--"] + python)
        run.expect_status(0)
        run.expect("0-1: stopped, main at <stdin>:")
        run.expect("\n2: stopped, <module> at script.py:1")
        run.expect_line("job| rank 2 of python b ['z']")
    run = pddt.run(pddt.commands("show state") + [os.path.join(folder, "prterun"), plain])
    run.expect_status(3)
    if "does not say how many ranks there are; give the number with -np" not in run.out + run.err:
        run.fail("a line that says no number")


def hydra_on_two_hosts(machines, plain):
    on_two_hosts(machines, ["mpiexec.mpich", "-launcher", "ssh", "-launcher-exec",
                            os.path.join(machines.state, "agent"), "-iface", "eth0",
                            "-hosts", "node1:2,node2:2", "-n", "4", plain])


def slurm(machines, folder, plain):
    with cluster_of_slurm.Slurm(machines, folder) as cluster:
        pddt.ENVIRONMENT["SLURM_CONF"] = cluster.conf
        on_two_hosts(machines, ["srun", "-O", "-N", "2", "-n", "4", plain])
        path = os.path.join(folder, "many")
        with open(path, "w", encoding="ascii") as file:
            file.write(f"# all\n0-1 {plain} a\n2-3 {plain} %t\n")
        on_two_hosts(machines, ["srun", "-O", "-N", "2", "-n", "4", "--multi-prog", path])
        script = os.path.join(folder, "script.py")
        path = write(folder, "mixed", f"0-1 {plain}\n2-3 env A=%o /usr/bin/python3 %python_debug% {script} %t\n")
        mixed(["srun", "--multi-prog", path], "0 ['2']",
              machines.on("login") + ["salloc", "-Q", "-O", "-N", "2", "-n", "4"], 2)
        submitted(machines, folder, plain)


def submitted(machines, folder, plain):
    """pddt --submit with Slurm itself: the job is taken on the node where it starts; what it has measured is shown."""
    environment = {"PDDT_CONNECT_FOLDER": os.path.join(folder, "offers")}
    there = machines.on("login") + ["env", "-C", folder]  # where Slurm writes what the script writes
    job = ["srun", "-O", "-n", "2"]
    extra = ["--submit", "slurm", "--field", "extra=#SBATCH --overcommit"]
    run = pddt.run(extra + pddt.commands("where", "continue &", "wait 60") + job + [plain], prefix=there,
                   environment=environment)
    run.expect_status(0)
    run.expect("is submitted to Slurm", "err")
    run.expect_line("0-1: exited 0")
    archive = os.path.join(folder, "archive")
    run = pddt.run(extra + ["--profile", "--output", archive] + job + [pddt.PYTHON, "-c", "sum(range(20000000))"],
                   prefix=there, environment=environment)
    run.expect_status(0)
    run.expect("is over", "err")
    if not os.path.exists(os.path.join(archive, "traces.otf2")) or not run.out:
        run.fail("no archive, or it is not shown")


with tempfile.TemporaryDirectory() as scratch:
    ring_of_mpich = os.path.join(scratch, "ring")
    subprocess.run(["mpicc.mpich", "-g", "-O0", "-o", ring_of_mpich, SOURCE], check=True)
    hydra(ring_of_mpich)
    two_programs(ring_of_mpich)
    program = os.path.join(scratch, "plain")
    subprocess.run(["cc", "-g", "-o", program, "-xc", "-"], input=PLAIN.encode(), check=True)
    programs_in_a_file(scratch, program)
    several_programs(scratch, program)
    prterun(scratch, program)
    with hosts.Hosts(2) as virtual:
        hydra_on_two_hosts(virtual, program)
        slurm(virtual, scratch, program)
