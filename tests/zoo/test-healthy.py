# SPDX-License-Identifier: GPL-3.0-or-later
"""Random programs that are right, in C and of mpi4py, run to their end, and nobody of them is accused. A few in
./check; a thousand of C and two hundred of Python in ./check --long (PDDT_LONG)."""
import concurrent.futures
import os
import shutil
import sys

import pddt

BUILT = os.path.join(pddt.BUILD, "tests", "zoo")
PYTHON = os.path.join(pddt.SOURCE, "tests", "zoo", "healthy-random.py")
ACCUSED = (" wait for ", " waits for ", " wait in ", " waits in ", "stuck", ": blocked", "mismatch")


def check_line(line, name):
    run = pddt.run(["--stop-at", "none", *pddt.commands("wait 120", "expect exited"), *line], timeout_s=200)
    run.expect_status(0)
    accused = [text for text in run.out.splitlines() if any(word in text for word in ACCUSED)]
    if accused:
        run.fail(" ".join(line) + ": " + " | ".join(accused))
    return name


def check(seed):
    is_mpich = seed % 3 == 0 and os.path.exists(os.path.join(BUILT, "healthy-random-mpich")) and shutil.which("mpiexec.hydra")
    launcher = ["mpiexec.hydra", "-n"] if is_mpich else ["mpirun.openmpi", "--oversubscribe", "-np"]
    program = os.path.join(BUILT, "healthy-random" + "-mpich" * bool(is_mpich))
    # MPICH's child jobs need a process manager that this launcher may lack
    return check_line([*launcher, str(2 + seed % 2), program, str(seed)] + ["alone"] * bool(is_mpich), f"seed {seed}")


def check_python(seed):
    return check_line(["mpirun.openmpi", "--oversubscribe", "-np", str(2 + seed % 2), "/usr/bin/python3", PYTHON, str(seed)],
                      f"Python, seed {seed}")


def main():
    is_long = bool(os.environ.get("PDDT_LONG"))
    words = [word for word in sys.argv[1:] if word != "python"]
    seeds = [int(word) for word in words] or (range(1000) if is_long else range(1, 5))
    snakes = [int(word) for word in words if "python" in sys.argv] or (range(200) if is_long else range(1, 3))
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        jobs = [pool.submit(check, seed) for seed in seeds if "python" not in sys.argv]
        jobs += [pool.submit(check_python, seed) for seed in snakes if not words or "python" in sys.argv]
        pddt.report(jobs)


main()
