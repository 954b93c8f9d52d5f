# SPDX-License-Identifier: GPL-3.0-or-later
"""Random programs that are right run to their end, and nobody of them is accused. A few in ./check; a thousand in
./check --long (PDDT_LONG)."""
import concurrent.futures
import os
import shutil
import sys

import pddt

BUILT = os.path.join(pddt.BUILD, "tests", "zoo")
ACCUSED = (" wait for ", " waits for ", " wait in ", " waits in ", "stuck", ": blocked", "mismatch")


def check(seed):
    is_mpich = seed % 3 == 0 and os.path.exists(os.path.join(BUILT, "healthy-random-mpich")) and shutil.which("mpiexec.hydra")
    launcher = ["mpiexec.hydra", "-n"] if is_mpich else ["mpirun.openmpi", "--oversubscribe", "-np"]
    program = os.path.join(BUILT, "healthy-random" + "-mpich" * bool(is_mpich))
    # MPICH's child jobs need a process manager that this launcher may lack
    run = pddt.run(["--stop-at", "none", *pddt.commands("wait 120", "expect exited"), *launcher, str(2 + seed % 2), program,
                    str(seed)] + ["alone"] * bool(is_mpich), timeout_s=200)
    run.expect_status(0)
    accused = [line for line in run.out.splitlines() if any(word in line for word in ACCUSED)]
    if accused:
        run.fail(f"{' '.join(launcher)} {2 + seed % 2} {program} {seed}: " + " | ".join(accused))
    return f"seed {seed}"


def main():
    seeds = [int(word) for word in sys.argv[1:]] or (range(1000) if os.environ.get("PDDT_LONG") else range(1, 5))
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        pddt.report([pool.submit(check, seed) for seed in seeds])


main()
