# SPDX-License-Identifier: GPL-3.0-or-later
"""Core files: gdb's own and the kernel's, several as ranks, cut off, and without their program.
Arguments: a program of two threads that ends with its input."""
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

import pddt

LOOPS = sys.argv[1]
HERE = os.path.dirname(os.path.abspath(__file__))
ATTACHED = os.path.join(os.path.dirname(HERE), "launch", "attached.py")


def allow_cores():
    resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def start(words, folder, **variables):
    process = subprocess.Popen(words, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               preexec_fn=allow_cores, env=dict(pddt.ENVIRONMENT, **variables))
    if words[0].endswith("loops"):
        pddt.wait_for("both threads", lambda: len(os.listdir(f"/proc/{process.pid}/task")) == 2)
    return process


def gcore(process, folder):
    name = os.path.join(folder, "dump")
    subprocess.run(["gcore", "-o", name, str(process.pid)], check=True, capture_output=True, timeout=60)
    return f"{name}.{process.pid}"


def end(process):
    process.kill()
    process.communicate()


def gdb_frames(program, core):
    """Lines, innermost first, of the thread that gdb chooses."""
    out = subprocess.run(["gdb", "-nx", "-q", "-batch", "-iex", "set debuginfod enabled off", "-ex", "bt",
                          program, core], capture_output=True, text=True, timeout=60).stdout
    out = out[out.rindex("\n#0 ") + 1:]  # gdb shows the innermost one by itself before
    return re.findall(r"^#\d+ +(?:0x[0-9a-f]+ in )?(.*)$", out, flags=re.M)


def gdb_functions(program, core):
    return [re.match(r"[\w.]+", frame)[0] for frame in gdb_frames(program, core)]


def gdb_place(program, core):
    """Where its user would say it is: the innermost frame in the program's own file."""
    for frame in gdb_frames(program, core):
        found = re.match(r"(\w+) .* at (?:.*/)?(loops\.c:\d+)$", frame)
        if found:
            return f"{found[1]} at {found[2]}"
    raise SystemExit(f"gdb knows no place in {core}")


def our_functions(run):
    found = re.findall(r"^#\d+ +[\d,-]+ \d+ ([\w.<>]+) at", run.out, flags=re.M)
    return found[::-1]


def same(left, right):
    """Functions of glibc have several names; which one is shown is a matter of taste."""
    strip = lambda name: name.replace("__GI_", "").lstrip("_")
    return [strip(name) for name in left] == [strip(name) for name in right]


def check_gdbs(folder):
    process = start([LOOPS], folder)
    core = gcore(process, folder)
    run = pddt.run(pddt.commands("expect stopped", "where", "show threads", "show registers", "x/2xg $sp",
                                 "disassemble", "show modules", "show globals")
                   + ["--core", core])
    run.expect_status(0)
    expected = gdb_functions(LOOPS, core)
    if not same(our_functions(run), expected):
        run.fail(f"gdb shows {expected}")
    run.expect("0:   2 ")
    run.expect_line("0: over = 0")
    run.expect("0: turns = {")
    for command, word in (("step", "it cannot run"), ("break main", "it cannot run"),
                          ("set var over = 1", "it cannot be changed"), ("kill", "it cannot run")):
        run = pddt.run(pddt.commands(command) + ["--core", core])
        run.expect_status(1)
        run.expect(f"error: cannot {command.split()[0]}: this is a core file; {word} (0)")
    end(process)


OWN = """#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static int table[1000];
static char *heap;
static volatile int begun;
static void *rest (void *data) { for (;;) { begun = 1; } return data; }
static void crash (int *p) { *p = 5; }
int main (void)
{
    pthread_t thread;
    for (int i = 0; i < 1000; i++) { table[i] = i * i; }
    heap = mmap (0, 300 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset (heap + (100 << 20), 7, 5000);
    pthread_create (&thread, 0, rest, 0);
    while (!begun) { }
    crash ((int *) 16);
}
"""


def ask_gdb(program, core, *expressions):
    line = ["gdb", "-nx", "-q", "-batch", "-iex", "set debuginfod enabled off", program, core]
    for expression in expressions:
        line += ["-ex", expression]
    return subprocess.run(line, capture_output=True, text=True, timeout=60).stdout


def check_own(folder):
    """What generate-core-file writes, gdb reads: signal, threads, registers, memory. Most of the memory is a hole."""
    program, core = os.path.join(folder, "own"), os.path.join(folder, "saved.0")
    subprocess.run(["cc", "-g", "-pthread", "-o", program, "-xc", "-"], input=OWN.encode(), check=True)
    run = pddt.run(pddt.commands("continue", f"generate-core-file {folder}/saved", "print/x $sp", "print/x $pc", "x/4xg $sp") + [program])
    run.expect_status(0)
    run.expect_line(f"0: saved core file {core}")
    found = dict(re.findall(r"0: (\$?\w+) = (0x[0-9a-f]+)", run.out))
    theirs = ask_gdb(program, core, "print/x $sp", "print/x $pc", "x/4xg $sp", "bt", "thread 2", "bt", "print table[30]",
                     "print/d heap[104857599]@3", "print heap[5]", "info sharedlibrary")
    for word in ("signal SIGSEGV", "#0  0x", "crash (p=0x10)", " rest (", "= 900", "= {0, 7, 7}", "libc.so.6",
                 f"$1 = {found['$sp']}", f"$2 = {found['$pc']}"):
        if word not in theirs:
            run.fail(f"gdb does not say {word!r}: {theirs}")
    words = [re.findall(r"0x[0-9a-f]{16}", text) for text in (run.out, theirs)]
    if len(words[0]) != 4 or "@".join(words[0]) not in "@".join(words[1]):
        run.fail(f"gdb reads {words[1]}")
    status = os.stat(core)
    if status.st_mode & 0o777 != 0o600 or status.st_size < 300 << 20 or status.st_blocks * 512 > 10 << 20:
        run.fail(f"the file is {status}")
    again = pddt.run(pddt.commands("expect signal SIGSEGV", "where", "print table[30]", "generate-core-file x") + ["--core", core])
    again.expect_status(1)
    again.expect("crash at <stdin>:9")
    again.expect_line("0: table[30] = 900")
    again.expect("error: cannot generate-core-file: this is a core file; copy it instead (0)")
    for name, why in ("saved", "File exists; give another name"), ("nothing/x", "No such file or directory"):
        run = pddt.run(pddt.commands(f"generate-core-file {folder}/{name}") + [program])
        run.expect_status(1)
        run.expect(f"error: cannot write {folder}/{name}.0: {why} (0)")


def check_own_running(folder):
    """Of ranks that run, all of which go on."""
    processes = [start([LOOPS], folder) for _ in range(2)]
    run = pddt.run(pddt.commands("continue &", f"generate-core-file {folder}/going", "show state")
                   + ["--attach", ",".join(str(process.pid) for process in processes)])
    run.expect_status(0)
    run.expect("0-1: running")
    for rank, process in enumerate(processes):
        if "turn" not in ask_gdb(LOOPS, f"{folder}/going.{rank}", "thread apply all bt"):
            run.fail(f"{rank}: no thread is in the loop")
        process.stdin.close()
        if process.wait(60) != 7:
            run.fail(f"{rank} has ended with {process.returncode}")
        process.stdout.close()


def check_ranks(folder):
    """Two moments of one program, which need not be at the same place."""
    cores, places = {}, {}
    for rank in ("4", "1"):
        process = start([LOOPS], folder, PMIX_RANK=rank)
        cores[rank] = gcore(process, folder)
        places[rank] = gdb_place(LOOPS, cores[rank])
        end(process)
    run = pddt.run(pddt.commands("show state", "where") + ["--core", cores["4"], cores["1"]])
    run.expect_status(0)
    if places["1"] == places["4"]:
        run.expect("1,4: stopped, " + places["1"] + "\n")
    else:
        run.expect("1: stopped, " + places["1"] + "\n")
        run.expect("4: stopped, " + places["4"] + "\n")
    run = pddt.run(pddt.commands("show state") + ["--core", cores["4"], cores["4"]])
    run.expect("0-1: stopped, " + places["4"] + "\n")


def kernel_core(folder):
    """None where the system sends cores somewhere else."""
    with open("/proc/sys/kernel/core_pattern", encoding="ascii") as file:
        pattern = file.read().strip()
    if not re.fullmatch(r"core(\.%p)?", pattern):
        print("not run: the kernel's own cores go to", pattern, "here; gdb's of the same crash are looked at")
        return None
    process = start([LOOPS], folder, OMPI_COMM_WORLD_RANK="2")
    process.send_signal(signal.SIGSEGV)
    process.communicate()
    return os.path.join(folder, [name for name in os.listdir(folder) if name.startswith("core")][0])


def status_of(pid, field):
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        return next(line.split()[1] for line in file if line.startswith(field + ":"))


def gdb_core(folder):
    """Of the same crash, on every system: the signal has come, the program has not yet died of it."""
    process = start([LOOPS], folder, OMPI_COMM_WORLD_RANK="2")
    core = os.path.join(folder, "crash")
    subprocess.run(["gdb", "-nx", "-q", "-batch", "-iex", "set debuginfod enabled off", "-p", str(process.pid),
                    "-ex", f"shell kill -SEGV {process.pid}", "-ex", "continue", "-ex", f"generate-core-file {core}",
                    "-ex", "kill"],
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60, check=False)
    process.communicate()
    return core


def crash_cores(folder):
    return [core for core in (kernel_core(folder), gdb_core(folder)) if core]


def check_crash(folder):
    for core in crash_cores(folder):
        run = pddt.run(pddt.commands("show state", "where", "show registers") + ["--core", core])
        run.expect_status(0)
        run.expect("2: signal SIGSEGV, ")
        expected = gdb_functions(LOOPS, core)
        if not same(our_functions(run), expected):
            run.fail(f"gdb shows {expected}")


def check_without_program(folder):
    moved = os.path.join(folder, "bin")
    os.mkdir(moved)
    program = shutil.copy(LOOPS, os.path.join(moved, "moved-loops"))
    process = start([program], folder)
    core = gcore(process, folder)
    end(process)
    os.rename(program, os.path.join(folder, "moved-loops"))
    run = pddt.run(pddt.commands("where") + ["--core", core])
    run.expect_status(0)
    run.expect("main at loops.c:")
    # Another program of its name is not taken for it.
    shutil.copy("/bin/true", program)
    os.unlink(os.path.join(folder, "moved-loops"))
    run = pddt.run(pddt.commands("where", "show modules") + ["--core", core])
    run.expect("no file for " + program)
    run.expect_not("main at loops.c")


def check_foreign(folder):
    """Of a machine with other instructions, of 32 bits, of the other byte order."""
    process = start([LOOPS], folder)
    with open(gcore(process, folder), "rb") as file:
        good = file.read(1 << 16)
    end(process)
    for at, byte in ((18, 183), (4, 1), (5, 2)):
        core = os.path.join(folder, "foreign")
        with open(core, "wb") as file:
            file.write(good[:at] + bytes([byte]) + good[at + 1:])
        run = pddt.run(pddt.commands("where") + ["--core", core])
        run.expect_status(3)
        run.expect("it comes from another kind of machine")


def check_cut(folder):
    for core in crash_cores(folder):
        size = os.path.getsize(core)
        for part in (0.9, 0.5, 0.2):
            os.truncate(core, int(size * part))
            run = pddt.run(pddt.commands("show threads", "where", "x/2xg $sp") + ["--core", core])
            if "it is truncated before its threads" not in run.out + run.err:
                run.expect("is cut off: ")
            if run.status not in (0, 1, 3):
                run.fail("status")
        os.truncate(core, 300)
        run = pddt.run(pddt.commands("where") + ["--core", core])
        run.expect_status(3)
        run.expect("it is truncated before its threads")
    check_foreign(folder)
    run = pddt.run(pddt.commands("where") + ["--core", LOOPS])
    run.expect_status(3)
    run.expect("it is not a core file")


def check_python(folder):
    process = start([pddt.PYTHON, ATTACHED], folder)
    process.stdout.readline()
    core = gcore(process, folder)
    end(process)
    run = pddt.run(pddt.commands("where", "print name", "print total", "show locals",
                                 "show globals") + ["--core", core])
    run.expect_status(0)
    run.expect(" work at attached.py:%d [py]" % pddt.mark(ATTACHED, "wait"))
    run.expect_line("0: name = 'seven'")
    run.expect_line("0: total = 0")
    run.expect_line("0: WORD = 'seven'")


for check in (check_gdbs, check_own, check_own_running, check_ranks, check_crash, check_without_program, check_cut, check_python):
    if len(sys.argv) < 3 or check.__name__ in sys.argv[2:]:
        with tempfile.TemporaryDirectory() as place:
            check(place)
        print("ok", check.__name__)
