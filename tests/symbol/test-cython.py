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
run.expect_line("0: stopped, sub.add at sub.pyx:105")
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
    run.expect("kernel.smooth at kernel.pyx:6")
    run.expect_line("0: values = [1, 2]")
    run.expect("<module> at use.py:3 [py]")
    step.expect("kernel.square at kernel.pyx:11")
    step.expect_line("0: result = 0")


RING = """cdef class Ring:
    cdef double radius
    cdef public object label
    def __init__(self, double radius):
        self.radius = radius
        self.label = "ring"
    def area(self):
        return scale(self.radius)

class Plain:
    def method(self, x):
        y = x + 1
        return y

class a:
    def b(self):
        return 1

def a_b():
    return 2

cpdef double scale(double x):
    cdef double z = x * 3
    return z

def outer(n):
    n += 1
    def nested(m):
        return m + n
    return nested(2)

def gen(n):
    for i in range(n):
        k = i * 2
        yield k

ctypedef fused number:
    int
    double

def square(number x):
    return x * x
"""
USE = """import ring
r = ring.Ring(2)
print(r.area(), ring.Plain().method(4), ring.outer(3))
print(ring.a().b(), ring.a_b(), list(ring.gen(2)), ring.square(3), ring.square(2.5))
"""


ITEMS = """cdef class Box:
    cdef public list items
    def __init__(self, items):
        self.items = items
    cpdef str label(self, str prefix):
        cdef str text = prefix + "box"
        return text

def walk(names, dict table, tuple pair):
    cdef list out = []
    for name in names:
        out.append(table[name] + pair[1])
    return out
"""
USE_ITEMS = """import ring
print(ring.Box([1.5, [2, 3]]).label("my "), ring.walk(["a", "b"], {"a": 1, "b": 2}, (5, 6)))
"""


def build_ring(folder, *flags, source=RING, use=USE):
    for name, text in (("ring.pyx", source), ("use.py", use)):
        with open(os.path.join(folder, name), "w", encoding="ascii") as file:
            file.write(text)
    subprocess.run(["cython3", "-3", "--line-directives", "ring.pyx"], cwd=folder, check=True)
    subprocess.run(["cc", *flags, "-w", "-shared", "-fPIC", f"-I{sysconfig.get_path('include')}", "ring.c", "-o",
                    "ring" + sysconfig.get_config_var("EXT_SUFFIX")], cwd=folder, check=True)


def debug_ring(folder, *commands):
    run = pddt.run(pddt.commands(*commands) + [pddt.PYTHON, "%python_debug%", "use.py"], cwd=folder)
    run.expect_status(0)
    for text in ("cython_utility:", "stringsource", "(tree fragment)", "__Pyx_", "__pyx_p", "__pyx_f", "__pyx_gb"):
        run.expect_not(text)
    return run


def check_stops(run, *wanted):
    stops = [line for line in run.out.splitlines() if line.startswith(("0: breakpoint ", "0: stopped"))
             and " pending" not in line and " set, " not in line]
    if len(stops) != len(wanted) or not all(stop.endswith(", " + place) for stop, place in zip(stops, wanted)):
        run.fail(f"{stops}")


def check_places():
    """Breakpoints are in the lines' own code alone, steps go to the program's next function, no file is made up, and a
    call is one frame."""
    with tempfile.TemporaryDirectory() as folder:
        build_ring(folder, "-g", "-O0")
        run = debug_ring(folder, "break ring.pyx:8", "break ring.pyx:12", "break ring.pyx:29", "continue", "step", "where",
                         "finish", "continue", "where", "finish", "continue", "where", "continue", "expect exited")
    check_stops(run, "<module> at use.py:1", "ring.Ring.area at ring.pyx:8", "ring.scale at ring.pyx:23",
                "ring.Ring.area at ring.pyx:8", "ring.Plain.method at ring.pyx:12", "<module> at use.py:3",
                "ring.outer.nested at ring.pyx:29")
    for line in ("#2 0 1 <module> at use.py:3 [py]", "#1   0 1 ring.Ring.area at ring.pyx:8",
                 "#0     0 1 ring.scale at ring.pyx:23", "0: ring.scale returned 6",
                 "#0   0 1 ring.Plain.method at ring.pyx:12", "0: ring.Plain.method returned 5",
                 "#1   0 1 ring.outer at ring.pyx:30", "#0     0 1 ring.outer.nested at ring.pyx:29"):
        run.expect_line(line)


def check_names():
    """A class "a" with a method "b" and a function "a_b" read alike in C; the fused functions are two, what chooses
    between them is none."""
    with tempfile.TemporaryDirectory() as folder:
        build_ring(folder, "-g", "-O0")
        run = debug_ring(folder, "break ring.a_b", "break a.b", "break square", "break ring.gen", "break scale",
                         "tbreak use.py:4", *["continue"] * 8, "expect exited")
        optimised = os.path.join(folder, "optimised")
        os.mkdir(optimised)
        build_ring(optimised, "-g", "-O2")
        lines = debug_ring(optimised, "break ring.pyx:12", "break Ring.area", "continue", "where", "continue", "where",
                           "continue", "expect exited")
    check_stops(run, "<module> at use.py:1", "ring.scale at ring.pyx:23", "<module> at use.py:4", "ring.a.b at ring.pyx:16",
                "ring.a_b at ring.pyx:19", "ring.gen at ring.pyx:32", "ring.square at ring.pyx:41",
                "ring.square at ring.pyx:41")
    check_stops(lines, "<module> at use.py:1", "ring.Ring.area at ring.pyx:8", "ring.Plain.method at ring.pyx:12")
    if lines.out.count("ring.Plain.method at ") != 3 or lines.out.count("ring.Ring.area at ") != 3:
        lines.fail("a call is more than one frame")


def check_values():
    """Objects as Python shows them, what has no value yet is not listed, and variables that functions share, which a
    generator keeps, are those of now."""
    with tempfile.TemporaryDirectory() as folder:
        build_ring(folder, "-g", "-O0")
        run = debug_ring(folder, "break ring.pyx:12", "break ring.pyx:30", "break ring.pyx:29", "break ring.pyx:35",
                         "break Ring.area", "continue", "print self.label", "print self.radius", "print self",
                         "continue", "show locals", "next", "show locals",
                         "continue", "show locals", "continue", "show locals", "print m + n", "continue", "continue",
                         "show locals", "print k", "continue", "expect exited")
    answers = [line[3:] for line in run.out.splitlines() if line.startswith("0: ") and " = " in line]
    plain = answers[3].partition(" at ")[2]
    wanted = ["self.label = 'ring'", "self.radius = 2", answers[2], f"self = <Plain at {plain}", "x = 4", f"self = <Plain at {plain}",
              "x = 4", "y = 5", "n = 4", answers[9], "m = 2", "n = 4", answers[12], "i = 1", "k = 2", "n = 2", "k = 2"]
    if answers != wanted or not answers[2].startswith("self = <Ring at 0x") or not answers[9].startswith("nested = <cython_f"):
        run.fail(f"{answers}")


def check_items():
    """A subscript of an object is Python's, not that of an array in C; a breakpoint is not in the second line of a
    statement of the line before."""
    with tempfile.TemporaryDirectory() as folder:
        build_ring(folder, "-g", "-O0", source=ITEMS, use=USE_ITEMS)
        run = debug_ring(folder, "break ring.pyx:6", "break ring.pyx:12", "continue", "print self.items[0]",
                         "print self.items[1][-1]", "continue", "print names[1]", 'print table["b"]', "print pair[1] == 6",
                         "print/x pair[0]", "continue", "print name", "continue", "expect exited")
    check_stops(run, "<module> at use.py:1", "ring.Box.label at ring.pyx:6", "ring.walk at ring.pyx:12",
                "ring.walk at ring.pyx:12")
    for line in ("self.items[0] = 1.5", "self.items[1][-1] = 3", "names[1] = 'b'", 'table["b"] = 2', "pair[1] == 6 = True",
                 "pair[0] = 0x5", "name = 'b'"):
        run.expect_line("0: " + line)


MODULE = """cdef int SCALE = 2
LIMIT = [1, 2, 3]
def walk(names, dict table, int n, str key):
    cdef int i
    cdef long total = 0
    for i in range(n):
        total += table[names[i]] * SCALE
    return total
total = walk(["a", "b"], {"a": 1, "b": 2}, 2, "a")
"""


def check_module_names():
    """The module's own statements have the name of tracebacks, its variables their own; those of C are known in subscripts
    of objects."""
    with tempfile.TemporaryDirectory() as folder:
        build_ring(folder, "-g", "-O0", source=MODULE, use="import ring\n")
        run = debug_ring(folder, "break ring.pyx:7", "break ring.pyx:9", "continue", "print LIMIT[1]", "continue",
                         *["print " + text for text in ("names[i]", "table[names[i]]", "table[key]", "names[n - 1]", "SCALE * n",
                                                        "LIMIT", "LIMIT[i]")],
                         "delete", "continue", "expect exited")
    check_stops(run, "<module> at use.py:1", "init ring at ring.pyx:9", "ring.walk at ring.pyx:7")
    answers = [line[3:] for line in run.out.splitlines() if line.startswith("0: ") and " = " in line]
    if answers != ["LIMIT[1] = 2", "names[i] = 'a'", "table[names[i]] = 1", "table[key] = 1", "names[n - 1] = 'b'", "SCALE * n = 4",
                   "LIMIT = [1, 2, 3]", "LIMIT[i] = 1"]:
        run.fail(f"{answers}")


if shutil.which("cython3") is None:
    print("skipped: Cython is not installed")
else:
    check_module()
    check_places()
    check_names()
    check_values()
    check_items()
    check_module_names()
