# SPDX-License-Identifier: GPL-3.0-or-later
"""What Cython makes of a program: variables have the program's names, and steps pass over Cython's own functions."""
import os
import shutil
import subprocess
import sysconfig
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

KERNEL = """def smooth(values, int n):
    cdef double total = 0.0
    cdef int i
    for i in range(n):
        total += square(i)
    return total


cdef double square(int i):
    cdef double result = i * 1.5
    return result * result
"""


def check_module():
    """A real one, as the manual says to make it: its lines, names and steps."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("kernel.pyx", KERNEL), ("use.py", "import kernel\n\nprint(kernel.smooth([1, 2], 4))\n")):
            with open(os.path.join(folder, name), "w", encoding="ascii") as file:
                file.write(text)
        subprocess.run(["cython3", "-3", "--line-directives", "kernel.pyx"], cwd=folder, check=True)
        subprocess.run(["cc", "-g", "-O0", "-w", "-shared", "-fPIC", f"-I{sysconfig.get_path('include')}", "kernel.c", "-o",
                        "kernel" + sysconfig.get_config_var("EXT_SUFFIX")], cwd=folder, check=True)
        run = pddt.run(pddt.commands("break kernel.pyx:5", "continue", "wait 60", "delete", "tbreak kernel.pyx:6", "continue",
                                     "wait 60", "show locals", "print total + n", "where")
                       + [pddt.PYTHON, "%python_debug%", "use.py"], cwd=folder)
        step = pddt.run(pddt.commands("break kernel.pyx:10", "continue", "wait 60", "show locals", "step", "wait 60", "print result",
                                      "where") + [pddt.PYTHON, "%python_debug%", "use.py"], cwd=folder)
    run.expect_status(0)
    run.expect("breakpoint 1 pending")
    for line in ("n = 4", "total = 31.5", "total + n = 35.5"):
        run.expect_line("0: " + line)
    if "__pyx_t_" in run.out or "__pyx_v_" in run.out:
        run.fail("Cython's own variables are listed")
    run.expect("smooth at kernel.pyx:6")
    run.expect("<module> at use.py:3 [py]")
    step.expect("square at kernel.pyx:11")
    step.expect_line("0: result = 0")


RING = """cdef class Ring:
    cdef double radius
    def __init__(self, double radius):
        self.radius = radius
    def area(self):
        return scale(self.radius)

class Plain:
    def method(self, x):
        y = x + 1
        return y

cpdef double scale(double x):
    cdef double z = x * 3
    return z

def outer(n):
    def nested(m):
        return m + n
    return nested(2)
"""


def check_places():
    """Breakpoints are in the lines' own code alone, steps go to the program's next function, and no file is made up."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("ring.pyx", RING), ("use.py", "import ring\nr = ring.Ring(2)\n"
                                                          "print(r.area(), ring.Plain().method(4), ring.outer(3))\n")):
            with open(os.path.join(folder, name), "w", encoding="ascii") as file:
                file.write(text)
        subprocess.run(["cython3", "-3", "--line-directives", "ring.pyx"], cwd=folder, check=True)
        subprocess.run(["cc", "-g", "-O0", "-w", "-shared", "-fPIC", f"-I{sysconfig.get_path('include')}", "ring.c", "-o",
                        "ring" + sysconfig.get_config_var("EXT_SUFFIX")], cwd=folder, check=True)
        run = pddt.run(pddt.commands("break ring.pyx:6", "break ring.pyx:10", "break ring.pyx:19", "continue", "step", "where",
                                     "continue", "where", "continue", "where", "continue", "expect exited")
                       + [pddt.PYTHON, "%python_debug%", "use.py"], cwd=folder)
    run.expect_status(0)
    stops = [line for line in run.out.splitlines() if line.startswith(("0: breakpoint ", "0: stopped")) and " pending" not in line
             and " set, " not in line]
    wanted = ["use.py:1", "area at ring.pyx:6", "scale at ring.pyx:14", "method at ring.pyx:10", "nested at ring.pyx:19"]
    if len(stops) != len(wanted) or not all(stop.endswith(place) for stop, place in zip(stops, wanted)):
        run.fail(f"{stops}")
    for text in ("cython_utility:", "stringsource", "(tree fragment)", "__Pyx_InitCached"):
        run.expect_not(text)
    run.expect("__Pyx_CyFunction_Call")


if shutil.which("cython3") is None:
    print("skipped: Cython is not installed")
else:
    check_module()
    check_places()
