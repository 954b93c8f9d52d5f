# SPDX-License-Identifier: GPL-3.0-or-later
"""Sentences of doc/languages.md that no other test checks; tests/meta/manual-claims.txt has the rest."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

import pddt

CLASSES = """struct base { char kind; int weight; };
struct shape : base {
    typedef int number;
    number sides;
    double area (double scale) const { return scale * sides; }
    struct { char a; int b; } inside;
};
int main ()
{
    shape one = {};
    return (int) one.area (2.0);
}
"""
SIMPLE = """#include <signal.h>
#include <unistd.h>
static char large[100000];
static int n;

// nothing
// here
// at all
static int work (int a)
{
    n += a;

    // nor here
    return n;
}

// too
// far
// from
// the
// function
int main (int argc, char **argv)
{
    for (int i = 0; i < 10; i++) {
        work (i);
    }
    large[0] = 'x';
    if (argc > 1) {
        raise (SIGTERM);
    }
    if (argc > 2) {
        pause ();
    }
    return 0;
}
"""
PARENT = """#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int watched;
int main (int argc, char **argv)
{
    int wanted = atoi (argv[1]), status;
    for (int i = 0; i < wanted; i++) {
        pid_t pid = fork ();
        if (pid == 0) {
            watched = i + 1;
            if (argc > 2) {
                execv (argv[2], argv + 2);
            }
            _exit (0);
        }
        waitpid (pid, &status, 0);
    }
    watched = 7;
    puts ("done");
    return 0;
}
"""
FORTRAN = """module store
  implicit none
  integer :: first, second
  common /hidden/ first, second
  real(8) :: field(3)
  character(len=6) :: word
contains
  subroutine fill(value)
    real(8), intent(in) :: value
    field = value
    print *, word, field
  end subroutine
end module
program main
  use store
  first = 4
  word = 'before'
  call fill(1.5d0)
  call fill(2.5d0)
end program
"""


def build(folder, name, text, compiler="cc", *options):
    source = os.path.join(folder, name)
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    program = os.path.splitext(source)[0]
    subprocess.run([compiler, "-g", "-O0", "-w", *options, "-o", program, source], check=True, cwd=folder)
    return program


def line_of(text, part):
    return text[:text.index(part)].count("\n") + 1


def ask_gdb(program, *lines):
    words = ["gdb", "-nx", "-q", "-batch", "-ex", "set debuginfod enabled off", "-ex", "break main", "-ex", "run"]
    for i, line in enumerate(lines):
        words += ["-ex", f"echo @{i}@\\n", "-ex", line]
    out = subprocess.run(words + ["-ex", "echo @", program], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                         timeout=60, check=True).stdout
    return re.findall(r"^@\d+@\n(.*?)(?=^@|@\Z)", out, flags=re.M | re.S)


def check_layouts(folder):
    """ptype/ox and /oMT, as gdb writes them."""
    program = build(folder, "classes.cc", CLASSES, "c++")
    lines = ["ptype/ox struct shape", "ptype/oMT struct shape", "ptype/o struct shape"]
    run = pddt.run(pddt.commands(*lines) + [program])
    run.expect_status(0)
    ours = [line[3:].rstrip() for line in run.out.splitlines()[1:]]
    theirs = [line.rstrip() for text in ask_gdb(program, *lines) for line in text.splitlines()]
    # gdb 16 has an empty line for what a struct has anyway, and writes the class's own typedef also where there is none
    if not any(line.strip() == "public:" for line in theirs):
        ours = ["" if line.strip() == "public:" else line for line in ours]
    theirs = [re.sub(r"\bnumber b;", "int b;", line) for line in theirs]
    if ours != theirs or "area(double) const" not in run.out or "typedef int number" not in run.out:
        run.fail(f"not as gdb writes it: {theirs}")


def check_kept(folder):
    """$_thread and $_exitsignal; a value larger than 64 KiB is not kept."""
    program = build(folder, "simple.c", SIMPLE)
    run = pddt.run(pddt.commands("print 6 * 7", "print large", "print $ + 0", "print $_thread", "break work", "print $bpnum",
                                 "continue", "wait 120", "print 6 * 7", "finish", "wait 120", "print $", "delete", "continue", "wait 120", "continue", "wait 120", "print $_exitsignal")
                   + [program, "signal"])
    run.expect_line("0: $_thread = 1")
    run.expect_line("0: $bpnum = 1")
    run.expect_line("0: work returned 0")
    run.expect_line("0: $ = 0")
    run.expect_line("0: $_exitsignal = 15")
    run.expect("error: no value $2")


INLINED = """volatile int sink;
static inline __attribute__ ((always_inline)) int small (int a)
{
    sink = a;
    return sink + 1;
}
int main (void)
{
    sink = 2;
    int n = small (3);
    sink = n;
    return 0;
}
"""


def check_skipped_inlined(folder):
    """What is inlined is not skipped."""
    program = build(folder, "inlined.c", INLINED, "cc", "-O1")
    run = pddt.run(pddt.commands("skip small", f"until inlined.c:{line_of(INLINED, 'int n')}", "wait 120", "step", "wait 120")
                   + [program])
    run.expect("0: stopped, small at inlined.c:")


def check_lines(folder):
    """A line without code stands for the next one in the function, or for a function at most four lines below."""
    program = build(folder, "simple.c", SIMPLE)
    work, main = line_of(SIMPLE, "static int work"), line_of(SIMPLE, "int main")
    inside = line_of(SIMPLE, "// nor here")
    run = pddt.run(pddt.commands(f"break simple.c:{inside}", f"break simple.c:{work - 3}", f"break simple.c:{main - 4}",
                                 f"break simple.c:{main - 5}") + [program])
    run.expect(f"0: breakpoint 1 set, work at simple.c:{inside + 1}")
    run.expect("0: breakpoint 2 set, work at simple.c:")
    run.expect("0: breakpoint 3 set, main at simple.c:")
    run.expect("0: breakpoint 4 pending")


def check_assignments(folder):
    """Not in conditions, not in ranks that run, not in core files."""
    program = build(folder, "simple.c", SIMPLE)
    run = pddt.run(pddt.commands("break work if n = 5", "continue", "wait 120", "expect exited", "restart", "delete", "print n = 5",
                                 "print n") + [program])
    run.expect("cannot assign")
    run.expect_line("0: n = 5 = 5")
    run = pddt.run(pddt.commands("continue &", "print n = 5", "pause", "wait 120", "print n", "kill")
                   + [PROGRAM_OF_SLEEP(folder)])
    run.expect("nothing can be changed here")
    run.expect_line("0: n = 0")
    core = os.path.join(folder, "simple.core")
    subprocess.run(["gdb", "-nx", "-batch", "-ex", "break work", "-ex", "run", "-ex", f"gcore {core}", program],
                   stdin=subprocess.DEVNULL, capture_output=True, check=True, timeout=60)
    run = pddt.run(pddt.commands("print n = 5", "print n") + ["--core", core])
    run.expect("nothing can be changed here")
    run.expect_line("0: n = 0")


def PROGRAM_OF_SLEEP(folder):
    return build(folder, "sleeps.c", SIMPLE.replace("work (i);", "sleep (100);"))


def check_handle(folder):
    """What is done with a signal on some ranks only."""
    program = build(folder, "simple.c", SIMPLE)
    run = pddt.run(pddt.commands("on 1 handle SIGUSR1 nostop noprint", "on 0 show signals", "on 1 show signals", "kill")
                   + ["mpirun", "-np", "2", program])
    run.expect_status(0)
    if not re.search(r"^0: SIGUSR1 +yes +yes +yes", run.out, re.M) or not re.search(r"^1: SIGUSR1 +no +no +yes", run.out, re.M):
        run.fail("the signals of ranks 0 and 1")


def check_children(folder):
    """follow-fork both: the note, numbers, what is run by exec, watchpoints, waiting, and how many there may be."""
    program = build(folder, "parent.c", PARENT)
    other = build(folder, "simple.c", SIMPLE)
    talk = pddt.Dialogue([program, "1", other])
    for line in "set option follow-fork both", "watch watched", "break work", "continue":
        talk.ask(line)
    hit = talk.await_event("the child's stop", lambda event: event.get("state") == "breakpoint")
    assert (hit["ranks"], hit["breakpoint"], hit["function"]) == ("1", 2, "work"), hit
    parent = next(pid for pid, command in pddt.left_over(talk.marker) if command.startswith(program + " "))
    assert any(f"forked by process {parent}, is debugged as a rank of its own" in event.get("text", "")
               for event in talk.seen), talk.seen
    talk.ask("on 1 delete")
    talk.ask("on 1 continue")
    hit = talk.await_event("the parent's stop", lambda event: event.get("state") == "breakpoint")
    assert (hit["ranks"], hit["breakpoint"], hit["function"]) == ("0", 1, "main"), hit
    talk.end()
    # a script does not wait for a parent that waits for the end of a child at a breakpoint
    line = line_of(PARENT, "watched = i + 1;")
    run = pddt.run(pddt.commands("set option follow-fork both", f"break parent.c:{line}", "continue", "print wanted * 21", "delete",
                                 "on 1 continue", "wait 120") + [program, "1"], timeout_s=120)
    run.expect(f"1 is paused at parent.c:{line}")
    run.expect("wanted * 21 = 21")
    run.expect_line("0| done")
    if os.environ.get("PDDT_LONG"):  # ./check --long python
        check_most_children(program)


def check_most_children(program):
    run = pddt.run(pddt.commands("set option follow-fork both", "continue", "wait 1500", "on 0 show state") + [program, "4100"],
                   timeout_s=1600)
    run.expect("pddt follows no more children on this host: it has followed 4096")
    run.expect_line("0| done")


def check_fortran(folder):
    """Assignments of whole texts and arrays, places in any case, and what gfortran does not describe."""
    if shutil.which("gfortran") is None:
        return
    program = build(folder, "store.f90", FORTRAN, "gfortran")
    line = line_of(FORTRAN, "print *, word")
    run = pddt.run(pddt.commands("break STORE::Fill", f"break store.f90:{line}", "continue", "wait 120", "continue", "wait 120",
                                 "set var word = 'after'", "set var field = 7.25", "print field", "print first", "continue",
                                 "wait 120", "continue", "wait 120", "set var field = value", "print word", "delete", "continue",
                                 "wait 120") + [program])
    run.expect("0: breakpoint 1, store::fill at store.f90:")
    run.expect_line("0: field = (7.25, 7.25, 7.25)")
    run.expect('error: no symbol "first"')
    run.expect_line("0: word = 'after '")
    run.expect("0|  after    7.25")


HOSTED = """program hosted
  implicit none
  integer :: shared, kept, i
  character(len=8) :: word
  call get_command_argument(1, word)
  kept = len_trim(word) + 3
  shared = 5
  do i = 1, 2
    call inner(i)
  end do
  if (kept > 100) stop 3
contains
  subroutine inner(k)
    integer, intent(in) :: k
    shared = shared + k
    print *, shared
  end subroutine
end program
"""


def check_host_registers(folder):
    """A variable of the host that lives in a register is known only in the host's own frame."""
    if shutil.which("gfortran") is None:
        return
    program = build(folder, "hosted.f90", HOSTED, "gfortran", "-O2", "-fno-inline", "-fno-ipa-cp", "-fno-ipa-sra",
                    "-fno-optimize-sibling-calls")
    run = pddt.run(pddt.commands(f"break hosted.f90:{line_of(HOSTED, 'print *, shared')}", "continue", "wait 120", "print shared",
                                 "print kept", "up", "print kept") + [program])
    run.expect_line("0: shared = 6")
    run.expect_line("0: kept = <known only in the frame of hosted>")
    run.expect_line("0: kept = 3")


PYTHON = """import os
big = bytes(140 << 20)
def work(big, small):
    print("ready", flush=True)
    os.read(0, 1)
work(big, 1)
"""
WITHIN = """import sys
try:
    import _xxsubinterpreters as interpreters
except ImportError:
    import _interpreters as interpreters
def inside():
    return 1
inside()
text = "def inside():\\n    return 2\\n\\n\\ninside()\\nprint('inside', flush=True)\\n"
interpreters.run_string(interpreters.create(), "exec(compile(%r, 'within.py', 'exec'))" % text)
"""


def check_python(folder):
    """More than 128 MB of a frame, no watchpoints, and no breakpoints in subinterpreters."""
    path = os.path.join(folder, "large.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(PYTHON)
    with subprocess.Popen([pddt.PYTHON, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        program.stdout.readline()
        run = pddt.run(["--attach", str(program.pid)] + pddt.commands("show locals", "print big", "watch small"))
        program.stdin.close()
    if len(re.findall(r"^0: big = .*\(too large to compare whole\)$", run.out, re.M)) != 1:
        run.fail("only show locals has a limit of 128 MB")
    run.expect("error: cannot watch a Python variable: break on a line with a condition instead (0)")
    path = os.path.join(folder, "outer.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(WITHIN)
    run = pddt.run(pddt.commands("break inside", "continue", "wait 120", "jump outer.py:7", "continue", "wait 120", "expect exited")
                   + [pddt.PYTHON, "%python_debug%", path])
    run.expect_line("0: breakpoint 1, inside at outer.py:7")
    run.expect_line("error: cannot jump in Python: only native code can go on at another place (0)")
    run.expect_line("0| inside")
    run.expect_line("0: exited 0")


with tempfile.TemporaryDirectory() as top:
    for check in (check_layouts, check_kept, check_skipped_inlined, check_lines, check_assignments, check_handle, check_children, check_fortran,
                  check_host_registers,
                  check_python):
        if len(sys.argv) < 2 or check.__name__ in sys.argv[1:]:
            check(top)
            print("ok", check.__name__, flush=True)
