# SPDX-License-Identifier: GPL-3.0-or-later
"""gdb's pretty-printers of libstdc++, unchanged: 200 values are as gdb shows them. One run serves ranks whose heaps differ; a
printer that fails, loops or never ends costs its answer alone, and is named; `set option printers` says who shows values."""
import glob
import os
import re
import subprocess
import sys
import tempfile

import pddt

HEADERS = """any array atomic bitset chrono complex cstdlib deque filesystem forward_list list map memory optional queue set stack string
string_view tuple unordered_map unordered_set variant vector""".split()
ELEMENTS = {"i": ("int", ["1", "-2", "30"]), "c": ("char", ["'a'", "'\\n'", "'z'"]), "d": ("double", ["0.1", "1e100", "-3"]),
            "b": ("bool", ["true", "false", "true"]), "s": ("std::string", ['"one"', '"t\\"w\\x01o"', 'std::string (250, \'x\')']),
            "l": ("unsigned long", ["18446744073709551615ul", "0ul", "7ul"]), "f": ("float", ["0.1f", "2.5f", "-0.0f"]),
            "n": ("Color", ["Color::red", "Color::green", "(Color) 9"]),
            "p": ("Point", ["Point { 1, 2 }", "Point { 3, 4 }", "Point { 5, 6 }"]),
            "u": ("unsigned short", ["1", "2", "65535"]),
            "v": ("std::vector<short>", ["{ 1, 2 }", "{ 3 }", "{ 4, 4, 4 }"]), "w": ("std::pair<int, char>", ["{ 1, 'x' }", "{ 2, 'y' }", "{ 3, 'z' }"])}
CONTAINERS = {"vector": "std::vector<T> N { A, B, C };", "list": "std::list<T> N { A, B, C };", "deque": "std::deque<T> N { A, B, C };",
              "forward": "std::forward_list<T> N { A, B, C };", "array": "std::array<T, 3> N { { A, B, C } };",
              "map": "std::map<int, T> N { { 1, A }, { 2, B }, { 3, C } };", "hashed": "std::unordered_map<int, T> N { { 1, A } };",
              "multi": "std::multimap<short, T> N { { 1, A }, { 1, B } };", "optional": "std::optional<T> N = (T) A;",
              "pair": "std::pair<T, int> N (A, 5);", "tuple": "std::tuple<T, T> N (A, B);", "variant": "std::variant<T, void *> N = (T) A;",
              "any": "std::any N = (T) A;", "plain": "struct { T first; T both[2]; } N = { A, { B, C } };",
              "unique": "std::unique_ptr<T> N;", "stack": "std::stack<T> N; N.push (A);", "atomicless": "std::queue<T> N; N.push (A);"}
MORE = """std::vector<int> e0; std::vector<bool> e1 (70, true); std::map<std::string, std::vector<int>> e2 { { "k", { 1, 2 } } };
std::set<double> e3 { 1.5, 0.1 }; std::unordered_set<std::string> e4 { "q" }; std::wstring e5 = L"wide"; std::string_view e6 = "view";
std::bitset<9> e7 (5); std::complex<double> e8 (1, 2); std::priority_queue<int> e9; std::filesystem::path e10 = "/a/b";
std::atomic<int> e11 (3); std::vector<double> e12 (300, 0.5); std::chrono::seconds e13 (5); std::any e14; std::variant<int> e15 = 3;
std::map<int, std::map<int, int>> e16 { { 1, { { 2, 3 } } } }; std::vector<int>::iterator e17 = e0.end (); char e18[20] = "abc";
int e19[3][2] = { { 1, 2 }, { 3, 4 } }; unsigned char e20 = 200; const char *e21 = "text"; Bits e22 = { 1, -1, 5 }; Flags e23 = (Flags) 3;
std::shared_ptr<int> e24; std::list<std::list<int>> e25 { { 1 }, { 2, 3 } }; Derived e26;"""
SOURCE = "".join(f"#include <{name}>\n" for name in HEADERS) + """
enum class Color { red, green };
enum Flags { one = 1, two = 2, four = 4 };
struct Point { int x, y; };
struct Bits { unsigned a : 3; int b : 4; long c; };
struct Base { int b = 3; };
struct Derived : Base { std::string name = "derived"; static int shared; };
int Derived::shared = 8;
int main ()
{
  const char *text = getenv ("OMPI_COMM_WORLD_RANK");
  int rank = text ? atoi (text) : 0;
  for (int i = 0; i < rank; i++)
    if (!malloc (40 + i * 8))
      return 1;
  std::map<int, std::string> own;
  for (int i = 0; i < 30; i++)
    own[i] = std::string (i, 'x');
  std::list<int> mine { 1, 2, 3 };
  if (rank == 2)
    mine.push_back (4);
  Point point = { 1, 2 };
  %s
  return own.size () == 0; // stop
}
"""
PRINTERS = """import sys
sys.path.insert(0, "/usr/share/gcc/python")
from libstdcxx.v6 import register_libstdcxx_printers
register_libstdcxx_printers(None)
"""
POINTS = """import __main__, gdb, time
class Printer:
    def __init__(self, value):
        self.value = value
    def to_string(self):
        return act[__main__.kind](self.value)
def loop(value):
    while True:
        pass
act = {"good": lambda v: f"P({v['x']}, {v['y']})", "raises": lambda v: 1 / 0, "loops": loop, "recurs": lambda v: str(v),
       "calls": lambda v: str(v["x"]()), "long": lambda v: "x" * (2 << 20), "exits": lambda v: sys.exit(3),
       "waits": lambda v: time.sleep(2) or "slowly", "control": lambda v: "a\\033[31m", "memory": lambda v: str(gdb.Value(64).cast(v["x"].type.pointer()).dereference())}
import sys
__main__.kind = "good"
gdb.pretty_printers.append(lambda value: Printer(value) if value.type.strip_typedefs().unqualified().tag == "Point" else None)
"""
# std::array has no printer, nor have plain structures and times; the one of std::any fails for a pair, in gdb too
WITHOUT = ["array_d", "array_f", "plain_d", "plain_f", "e13", "any_w"]
HELD = """struct Point { int x, y; };
struct Mixed { double d; Point *p; long n; };
__attribute__ ((noinline)) static int use (Point p, Mixed *m)
{
  return p.x * 2 + p.y + (int) m->d; // held
}
int main (int argc, char **argv)
{
  Point p = { argc, 27 };
  Mixed m = { 1.5, &p, 7 };
  asm volatile ("" : : "r" (&m) : "memory");
  return use (p, &m);
}
"""
HOLDERS = """import gdb
class Printer:
    def __init__(self, value):
        self.value = value
class Point(Printer):
    def to_string(self):
        return "P(%s, %s)" % (self.value["x"], self.value["y"])
class Mixed(Printer):
    def to_string(self):
        return "M"
    def children(self):
        yield "p", self.value["p"].dereference()
        yield "n", self.value["n"]
class Pointer(Printer):
    def to_string(self):
        return "to %s" % self.value["n"]
def look(value):
    kind = value.type.strip_typedefs().unqualified()
    if kind.code == gdb.TYPE_CODE_PTR and kind.target().tag == "Mixed":
        return Pointer(value)
    return {"Point": Point, "Mixed": Mixed}[kind.tag](value) if kind.tag in ("Point", "Mixed") else None
gdb.pretty_printers.append(look)
"""
LIST = """#include <glib.h>
struct plain { int a; };
int main (void) { struct plain plain = { 3 }; GList *list = g_list_append (NULL, (void *) 5);
  list = g_list_append (list, (void *) 6);
  return list == NULL || plain.a == 0; }
"""
LIMITS = ["set option limit-items 200", "set option limit-bytes 200", "set option limit-depth 0"]


def make_program(folder):
    names, lines = [], []
    for kind, line in CONTAINERS.items():
        for letter, (element, values) in ELEMENTS.items():
            if kind == "unique" and letter != "i":
                continue
            name = f"{kind}_{letter}"
            line_of = re.sub(r"\bT\b", element, line)
            for mark, value in zip("ABC", values):
                line_of = re.sub(rf"(?<!')\b{mark}\b(?!')", lambda _, value=value: value, line_of, count=0)
            lines.append(line_of.replace(" N", f" {name}").replace("N.push", f"{name}.push"))
            names.append(name)
    names += re.findall(r"\b(e\d+)\b(?= *[\[(={;])", MORE)
    source = os.path.join(folder, "printers.cpp")
    with open(source, "w") as out:
        out.write(SOURCE % ("\n  ".join(lines) + "\n  " + MORE))
    program = os.path.join(folder, "printers")
    subprocess.run(["g++", "-std=c++17", "-g", "-O0", "-w", source, "-o", program], check=True)
    with open(source) as text:
        stop = next(i for i, line in enumerate(text, 1) if "// stop" in line)
    return program, f"printers.cpp:{stop}", [name for name in dict.fromkeys(names) if name not in WITHOUT]


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as out:
        out.write(text)
    return path


def ask_gdb(program, stop, names):
    words = [word for name in names for word in ("-ex", "echo @@\\n", "-ex", "print " + name)]
    out = subprocess.run(["gdb", "-nx", "-batch", "-ex", "set debuginfod enabled off", "-ex", "break " + stop, "-ex", "run", *words, program],
                         capture_output=True, text=True, errors="replace", timeout=200).stdout
    return [re.sub(r"^\$\d+ = ", "", part.strip()) for part in out.split("@@\n")[1:]]


def check_oracle(program, stop, names, printers):
    """With the same printers every value is as gdb shows it; addresses are another process's."""
    run = pddt.run(pddt.commands(*LIMITS, "break " + stop, "continue", "wait 60", "set option printers " + printers,
                                 *("print " + name for name in names)) + [program])
    said = dict(line[3:].split(" = ", 1) for line in run.out.splitlines() if line.startswith("0: ") and " = " in line)
    hide = lambda text: re.sub(r"0x[0-9a-f]{6,}", "0x", text)
    wrong = [f"{name}:\n  gdb  {wanted}\n  pddt {said.get(name)}" for name, wanted in zip(names, ask_gdb(program, stop, names))
             if hide(said.get(name, "")) != hide(wanted)]
    if wrong or len(names) < 200:
        run.fail(f"{len(wrong)} of {len(names)} values are not gdb's:\n" + "\n".join(wrong))


def check_ranks(program, stop, printers):
    """Heaps differ by rank: equal content is one line, other content another."""
    run = pddt.run(pddt.commands(*LIMITS, "break " + stop, "continue", "wait 60", "set option printers " + printers, "print own", "print mine",
                                 "on 1-3 print mine") + ["mpirun", "--oversubscribe", "-np", "4", program])
    own = ", ".join(f'[{i}] = "{"x" * i}"' if i <= 10 else f"[{i}] = 'x' <repeats {i} times>" for i in range(30))
    run.expect_line("0-3: own = std::map with 30 elements = {" + own + "}")
    run.expect_line("0-1,3: mine = std::__cxx11::list = {[0] = 1, [1] = 2, [2] = 3}")
    run.expect_line("2: mine = std::__cxx11::list = {[0] = 1, [1] = 2, [2] = 3, [3] = 4}")
    run.expect_line("1,3: mine = std::__cxx11::list = {[0] = 1, [1] = 2, [2] = 3}")


def check_modes(program, stop, points):
    """own, all, off; locals and JSON as print; what the user named wins over pddt's views."""
    run = pddt.run(pddt.commands("break " + stop, "continue", "wait 60", "print e10", "print vector_p", "source " + points, "print point",
                                 "print vector_p", "print e10", "set option printers all", "print e10", "set option printers off",
                                 "print point", "print e10", "set option printers own", "show locals") + [program])
    lines = run.out.splitlines()
    for line in ("0: point = P(1, 2)", "0: vector_p = std::vector of length 3, capacity 3 = {P(1, 2), P(3, 4), P(5, 6)}",
                 '0: e10 = filesystem::path "/a/b"', "0: point = {x = 1, y = 2}",
                 "0: vector_p = std::vector of length 3, capacity 3 = {{x = 1, y = 2}, {x = 3, y = 4}, {x = 5, y = 6}}"):
        run.expect_line(line)
    run.expect_line('0: e10 = filesystem::path "/a/b" = {[root-directory] = "/", [1] = "a", [2] = "b"}')
    if lines.count('0: e10 = filesystem::path "/a/b"') != 4:
        run.fail("pddt's own view of a path is not shown but with all")
    if lines.count("0: point = P(1, 2)") != 2:
        run.fail("print and show locals do not both use the printer")
    run = pddt.run(["--json"] + pddt.commands("break " + stop, "continue", "wait 60", "source " + points, "print point") + [program])
    run.expect('"text":"P(1, 2)"')


def check_held(folder):
    """Values that registers hold, and numbers in the letters of print/F, are as gdb shows them."""
    source, program, printers = write(folder, "held.cpp", HELD), os.path.join(folder, "held"), write(folder, "held.py", HOLDERS)
    subprocess.run(["g++", "-g", "-O1", source, "-o", program], check=True)
    asked = ["print p", "print *m", "print m", "print/r p", "print/x p", "print/t p", "print/x *m", "print/c p", "print/z p"]
    words = [word for line in ["echo @@\\n", *asked] for word in ("-ex", line)]
    out = subprocess.run(["gdb", "-nx", "-batch", "-ex", "set debuginfod enabled off", "-ex", "break held.cpp:5", "-ex", "run", "-ex",
                          "source " + printers, *words, program], capture_output=True, text=True, timeout=100).stdout
    wanted = re.findall(r"^\$\d+ = (.*)$", out.partition("@@")[2], re.M)
    run = pddt.run(pddt.commands("break held.cpp:5", "continue", "wait 60", "source " + printers, *asked) + [program])
    said = re.findall(r"^0: \*?[pm] = (.*)$", run.out, re.M)
    if len(wanted) != len(asked) or said != wanted:
        run.fail(f"gdb says {wanted}, pddt {said}")


def check_offered(folder):
    """What pddt has no view for is shown by the printer that its library's package has brought, unasked."""
    if not glob.glob("/usr/share/gdb/auto-load/**/libglib-2.0.so*-gdb.py", recursive=True):
        return
    program, source = os.path.join(folder, "list"), write(folder, "list.c", LIST)
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "glib-2.0"], capture_output=True, text=True, check=True).stdout.split()
    subprocess.run(["gcc", "-g", "-O0", source, "-o", program, *flags], check=True)
    run = pddt.run(pddt.commands("break list.c:5", "continue", "wait 60", "print plain", "print list", "set option printers off", "print list")
                   + [program])
    run.expect_line("0: plain = {a = 3}")
    if not re.search(r"^0: list = 0x[0-9a-f]+ = \{0x5, 0x6\}\n0: list = \(GList \*\) 0x[0-9a-f]+$", run.out, re.M):
        run.fail("a list of GLib's is not shown by its printer, or is where printers are off")


def check_bad(program, stop, points):
    asked = [word for kind in ("raises", "recurs", "calls", "long", "exits", "loops", "waits", "control", "memory", "good")
             for word in (f"python kind = '{kind}'", "print point")]
    run = pddt.run(pddt.commands("break " + stop, "continue", "wait 60", "source " + points, *asked, "show state") + [program])
    place = re.escape(points)
    for part in (rf"the printer of Point has failed: {place}:\d+: ZeroDivisionError: division by zero", r"RecursionError: it calls itself without end",
                 rf"{place}:\d+: a printer does not call functions of the program", r"has failed: its text is longer than 1 MB",
                 rf"{place}:\d+: SystemExit: 3", rf"a printer has failed: {place}:\d+: it takes longer than 1 s"):
        if not re.search("note: .*" + part, run.out + run.err):
            run.fail(f"nothing says {part}")
    # of its second of a processor a printer that waits uses next to nothing, as one does on a busy machine
    for line in ("0: point = slowly", r"0: point = a\033[31m", "0: point = <error: Cannot access memory at address 0x40>", "0: point = P(1, 2)"):
        run.expect_line(line)
    if run.out.count("0: point = {x = 1, y = 2}") != 6:
        run.fail("not each printer that fails leaves the value as it is")
    run.expect("0: breakpoint 1, main at " + stop)


with tempfile.TemporaryDirectory() as scratch:
    built, place, values = make_program(scratch)
    named, own = write(scratch, "named.py", PRINTERS), write(scratch, "points.py", POINTS)
    check_oracle(built, place, values, named)
    check_ranks(built, place, named)
    check_modes(built, place, own)
    check_bad(built, place, own)
    check_offered(scratch)
    check_held(scratch)
