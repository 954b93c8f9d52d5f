# SPDX-License-Identifier: GPL-3.0-or-later
"""The README's session, as ./run plays it on a build server: eight ranks, one bug."""
import os
import subprocess

import pddt

example = os.path.join(pddt.SOURCE, "data", "examples")
plain = subprocess.run(["mpirun", "-np", "8", pddt.PYTHON, os.path.join(example, "heat.py")], stdin=subprocess.DEVNULL,
                       capture_output=True, text=True, timeout=60, env=pddt.ENVIRONMENT, check=False)
if plain.stdout != "heat before 4003.0, after 3990.6: heat is lost!\n":
    raise SystemExit(f"without pddt it says {plain.stdout!r}")
run = pddt.run(["-x", os.path.join(example, "heat.commands"), "--", "mpirun", "-np", "8",
                pddt.PYTHON, "%python_debug%", os.path.join(example, "heat.py")])
run.expect_status(0)
run.expect("0-7: stopped, <module> at heat.py:")
run.expect("0-7: breakpoint 1 ")
run.expect("0-7: breakpoint 1, time_step at heat.py:")
run.expect("0-7: breakpoint 2, heat_step at heat_kernel.c:")
run.expect_line("0-7: cells = 500")
run.expect("cells = [500..503] min 500 at 0 max 503 at 7 mean 500.375")
lines = run.out.splitlines()
names = ["main at heat.py:", "time_step at heat.py:", "heat_step at heat_kernel.c:"]
places = [next((i for i, line in enumerate(lines) if name in line and line.lstrip().startswith("0-7 8 ")), None)
          for name in names]
if None in places or places != sorted(places):
    run.fail(f"no stack that holds Python and C in order: {places}")
