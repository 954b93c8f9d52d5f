# SPDX-License-Identifier: GPL-3.0-or-later
"""The forms in which compilers, linkers and packagers leave debug information: values and stacks are
those of the plain build of the same source, which test-values.py compares with gdb. Arguments: the C
source and its plain -O2 build, the C++ source, its plain -O0 build and its build with type units."""
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile

spec = importlib.util.spec_from_file_location(
    "values", os.path.join(os.path.dirname(os.path.abspath(__file__)), "test-values.py"))
values = importlib.util.module_from_spec(spec)
spec.loader.exec_module(values)

C_SOURCE, C_PLAIN, CXX_SOURCE, CXX_PLAIN, _, CXX_TYPES = map(os.path.abspath, sys.argv[1:7])
C_LINE = ["gcc", "-g", "-w", "-O2"]
CXX_LINE = ["g++", "-g", "-w", "-O0", "-std=c++17"]
# a cast to what the object is not: whatever lies there
LEFT_OUT = re.compile(r"shapes::Derived \*\) pointer")
known = {}


def run(folder, *command):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=100)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: {done.stderr}")


def ask(source, program):
    """What pddt says: {(mark, (frame, expression)): value}, {(mark, "where"): stack} in one."""
    marks, asked = values.read_questions(source)
    answers, output = values.ask_pddt(source, program, marks, asked, list(marks), ["where"])
    return {key: re.sub(r"0x[0-9a-f]+", "0x#", values.normalise(text))
            for key, text in answers.items() if not LEFT_OUT.search(key[1][1])}, output


def compare(name, source, plain, program):
    if plain not in known:
        known[plain] = ask(source, plain)
    wanted, _ = known[plain]
    got, output = ask(source, program)
    bad = 0
    for key, text in wanted.items():
        # who called main said it, and says nothing where the C library has no debug information
        if name == "static" and key[1:] == ((2, "argc"),) and got.get(key) == "<optimised out>":
            continue
        if got.get(key) != text:
            bad += 1
            print(f"# {name} {key}\n#   {got.get(key)}\n#   plain {text}")
    if not got:
        print(f"# {output[-1000:]}")
    seen = sum(key[1] == "where" for key in wanted)
    return name, bad == 0 and len(wanted) > 30 and seen > 1, f"{len(got)} values, {bad} differ"


def split(folder, name, source, plain, line):
    """Beside the program, moved with it, then packed; the packed form without the files."""
    os.mkdir(os.path.join(folder, name))
    built, moved = (os.path.join(folder, name, part) for part in ("built", "moved"))
    os.mkdir(built)
    run(built, *line, "-gsplit-dwarf", source, "-o", "p")
    yield compare(name, source, plain, os.path.join(built, "p"))
    if "-gdwarf-4" in line and shutil.which("dwp"):  # binutils had it until 2.41
        run(built, "dwp", "-e", "p", "-o", "p.dwp")
    else:
        run(built, "llvm-dwp", "-e", "p", "-o", "p.dwp")
    for left in os.listdir(built):
        if left.endswith(".dwo"):
            os.remove(os.path.join(built, left))
    os.rename(built, moved)
    yield compare(name + ", package", source, plain, os.path.join(moved, "p"))


def missing(folder):
    """Neither beside the program nor where it was built: it is said, and nothing is left behind."""
    there = os.path.join(folder, "missing")
    os.mkdir(there)
    run(there, *C_LINE, "-gsplit-dwarf", C_SOURCE, "-o", "p")
    for left in os.listdir(there):
        if left.endswith(".dwo"):
            os.remove(os.path.join(there, left))
    spare = os.path.join(there, "tmp")
    os.mkdir(spare)
    done = subprocess.run([values.PDDT, "-e", "break stop", "-e", "continue", "-e", "wait", "-e", "where",
                           "-e", "print number", "-e", "kill", os.path.join(there, "p")], text=True,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=60,
                          env=dict(values.ENVIRONMENT, DEBUGINFOD_URLS="", TMPDIR=spare))
    said = r"its debug information in (\S*\.dwo|\d+ files) was not found"
    good = (re.search(said, done.stdout + done.stderr) and "breakpoint 1, stop at " in done.stdout
            and 'error: no symbol "number"' in done.stdout)
    left = [name for name in os.listdir(spare) if name.startswith("pddt-index")]
    if not good or left:
        print(f"# {done.stdout}{done.stderr}{left}")
    yield "missing", bool(good) and not left, "said"


def common(folder, name, source, plain, other, *options):
    """Two programs whose common entries dwz moved to a third file."""
    there = os.path.join(folder, name)
    os.mkdir(there)
    shutil.copy(plain, os.path.join(there, "p"))
    shutil.copy(other, os.path.join(there, "q"))
    run(there, "dwz", *options, "-m", "common.debug", "p", "q")
    yield compare(name, source, plain, os.path.join(there, "p"))


def partial(folder):
    """Entries that two units of one program have in common."""
    there = os.path.join(folder, "partial")
    os.mkdir(there)
    run(there, *C_LINE, "-c", C_SOURCE, "-o", "a.o")
    run(there, *C_LINE, "-Dmain=other", "-c", C_SOURCE, "-o", "b.o")
    run(there, "objcopy", "--keep-global-symbol=other", "b.o")
    run(there, "gcc", "a.o", "b.o", "-o", "p")
    run(there, "dwz", "p")
    shown = subprocess.run(["readelf", "--debug-dump=info", "p"], cwd=there, capture_output=True,
                           text=True, timeout=60).stdout
    if "DW_TAG_partial_unit" not in shown:
        raise SystemExit("dwz made no partial unit")
    yield compare("partial", C_SOURCE, C_PLAIN, os.path.join(there, "p"))


def compressed(folder, kind):
    there = os.path.join(folder, kind)
    os.mkdir(there)
    run(there, "objcopy", "--compress-debug-sections=" + kind, C_PLAIN, "p")
    yield compare(kind, C_SOURCE, C_PLAIN, os.path.join(there, "p"))


def separate(folder, name, with_id):
    """Stripped, with the debug file in .debug, which has its common entries in a third file."""
    there = os.path.join(folder, name)
    hidden = os.path.join(there, ".debug")
    os.makedirs(hidden)
    link = ["-Wl,--build-id" if with_id else "-Wl,--build-id=none"]
    for number, file in enumerate(("p", "q")):
        run(there, *C_LINE, f"-O{2 - number}", *link, C_SOURCE, "-o", file)
        run(there, "objcopy", "--only-keep-debug", file, f".debug/{file}.debug")
    if with_id:
        run(hidden, "dwz", "-m", "common.debug", "-M", "common.debug", "p.debug", "q.debug")
    run(there, "strip", "p")
    run(there, "objcopy", "--add-gnu-debuglink=.debug/p.debug", "p")
    yield compare(name, C_SOURCE, C_PLAIN, os.path.join(there, "p"))


def built(folder, name, source, plain, *line):
    there = os.path.join(folder, name)
    os.mkdir(there)
    run(there, *line, source, "-o", "p")
    yield compare(name, source, plain, os.path.join(there, "p"))


def make_all(folder):
    yield from split(folder, "split-4", C_SOURCE, C_PLAIN, C_LINE + ["-gdwarf-4"])
    yield from split(folder, "split-5", C_SOURCE, C_PLAIN, C_LINE + ["-gdwarf-5"])
    yield from split(folder, "split-types", CXX_SOURCE, CXX_PLAIN,
                     CXX_LINE + ["-fdebug-types-section"])
    yield from missing(folder)
    other = os.path.join(folder, "other")
    run(folder, *C_LINE, "-O1", C_SOURCE, "-o", other)
    yield from common(folder, "common", CXX_SOURCE, CXX_PLAIN, CXX_TYPES)
    yield from common(folder, "common-5", C_SOURCE, C_PLAIN, other, "--dwarf-5")
    yield from partial(folder)
    if shutil.which("clang++"):
        # clang leaves classes that have type units without a name outside them
        plain = os.path.join(folder, "clang-plain")
        run(folder, "clang++", *CXX_LINE[1:], CXX_SOURCE, "-o", plain)
        yield from built(folder, "clang-types", CXX_SOURCE, plain, "clang++", *CXX_LINE[1:],
                         "-fdebug-types-section", "-gsplit-dwarf")
    yield from separate(folder, "debuglink", False)
    yield from separate(folder, "debuglink, common", True)
    for kind in ("zlib", "zlib-gnu", "zstd"):
        yield from compressed(folder, kind)
    yield from built(folder, "dwarf64", C_SOURCE, C_PLAIN, *C_LINE, "-gdwarf64")
    yield from built(folder, "static", C_SOURCE, C_PLAIN, *C_LINE, "-static")


def main():
    failed = number = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, good, text) in enumerate(make_all(folder), 1):
            failed += not good
            print(f"{'ok' if good else 'not ok'} {number} - {name}, {text}", flush=True)
    print(f"1..{number}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
