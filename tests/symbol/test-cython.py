# SPDX-License-Identifier: GPL-3.0-or-later
"""What Cython makes of a program: variables have the program's names, and steps pass over Cython's own functions."""
import os
import subprocess
import tempfile

import pddt

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cython.c")
with tempfile.TemporaryDirectory() as folder:
    program = os.path.join(folder, "cython")
    subprocess.run(["cc", "-g", "-O0", "-w", SOURCE, "-o", program], check=True)
    run = pddt.run(pddt.commands("break sub.pyx:104", "continue", "wait 60", "show locals", "print a + total",
                                 "print __pyx_v_a", "print __pyx_t_1", "step", "wait 60", "print total") + [program])
run.expect_status(0)
for line in ("a = 3", "b = 4", "total = 7", "a + total = 10", "__pyx_v_a = 3", "__pyx_t_1 = 8", "total = 10"):
    run.expect_line("0: " + line)
run.expect_line("0: stopped, __pyx_f_3sub_add at sub.pyx:105")
if run.out.count("__pyx_t_1") != 1 or run.out.count("__pyx_v_a") != 1:
    run.fail("Cython's own variables are listed")
