# SPDX-License-Identifier: GPL-3.0-or-later
"""Every attribute, range, location and line as pddt and as libdwarf read them, of the forms that
test-forms.py builds, of further versions, languages and compilers, and of programs that are built
already. Arguments: the program that compares, those of test-forms.py, and further programs."""
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
spec = importlib.util.spec_from_file_location("forms", os.path.join(HERE, "test-forms.py"))
BESIDE = os.path.abspath(sys.argv.pop(1))
FURTHER = [os.path.abspath(path) for path in sys.argv[7:] if not path.endswith((".c", ".cpp", ".f90"))]
forms = importlib.util.module_from_spec(spec)
spec.loader.exec_module(forms)
COUNTS = re.compile(r"^(\d+) units \(theirs \d+\), (\d+) entries, (\d+) values, (\d+) ranges, (\d+) places, "
                    r"(\d+) rows, \d+ differ", re.M)
total = [0] * 6
IS_LONG = "PDDT_LONG" in os.environ


def compare(name, source, plain, program):
    done = subprocess.run([BESIDE, program], capture_output=True, text=True, timeout=100)
    counts = [int(number) for match in COUNTS.findall(done.stdout) for number in match]
    for place, number in enumerate(counts[:6]):
        total[place] += number
    if done.returncode:
        print("".join(f"# {line.lstrip('# ')}\n" for line in (done.stdout + done.stderr).splitlines()[-40:]))
    has_entries = len(counts) == 6 and (counts[1] or name == "inferior-stripped")
    return name, done.returncode == 0 and has_entries, done.stdout.strip().split("\n")[-1].split(":")[0]


def versions(folder):
    """What compilers leave of one source, by version and level; Fortran's and C++'s too. C++ is long: one version of
    each compiler by default."""
    lines = [("gcc", forms.C_SOURCE, (2, 3, 4, 5)), ("clang", forms.C_SOURCE, (2, 3, 4, 5)),
             ("gfortran", os.path.join(HERE, "values.f90"), (2, 3, 4, 5)),
             ("g++", forms.CXX_SOURCE, (2, 4, 5) if IS_LONG else (4,)),
             ("clang++", forms.CXX_SOURCE, (4, 5) if IS_LONG else (5,))]
    for compiler, source, numbers in lines:
        more = ["-std=c++17"] if "++" in compiler else []
        for number in numbers if shutil.which(compiler) else ():
            for level in ("-O0", "-O2"):
                name = f"{compiler}-{number}{level}"
                forms.run(folder, compiler, "-w", "-g", f"-gdwarf-{number}", level, *more, source, "-o", name)
                yield compare(name, source, None, os.path.join(folder, name))


def split_together(folder):
    """Two units, each in a file of its own."""
    there = os.path.join(folder, "together")
    os.mkdir(there)
    for number, source in enumerate((forms.C_SOURCE, os.path.join(HERE, "bounds.c"))):
        forms.run(there, *forms.C_LINE, "-gsplit-dwarf", "-c", source, "-o", f"{number}.o")
    forms.run(there, "gcc", "-Wl,--allow-multiple-definition", "0.o", "1.o", "-o", "p")
    yield compare("two split units", None, None, os.path.join(there, "p"))


def split_by_clang(folder):
    """Indexed lists, in .dwo files and in a package."""
    if shutil.which("clang"):
        for version in (4, 5):
            yield from forms.split(folder, f"clang-split-{version}", forms.C_SOURCE, None,
                                   ["clang", "-w", "-g", "-O2", f"-gdwarf-{version}"])


def make_all(folder):
    yield from forms.make_all(folder)
    yield from versions(folder)
    yield from split_by_clang(folder)
    yield from split_together(folder)
    yield compare_numbers()
    for program in FURTHER[::1 if IS_LONG else 8]:
        yield compare(os.path.basename(program), None, None, program)


def compare_numbers():
    """DWARF's numbers as pddt has them, and as the library's header has those that it knows."""
    with open(os.path.join(HERE, "../../src/symbol/dwarf-numbers.h"), encoding="utf-8") as file:
        ours = {name: int(number, 16) for name, number in re.findall(r"\b(DW_\w+) = (0x\w+)", file.read())}
    theirs = subprocess.run(["gcc", "-E", "-P", "-include", "libdwarf/dwarf.h", "-"], check=True, capture_output=True, text=True,
                            input="\n".join(f'"{name}" {name}' for name in ours)).stdout
    known = {name: int(number, 16) for name, number in re.findall(r'^"(DW_\w+)" (0x\w+)$', theirs, re.M)}
    return "numbers", len(known) > 300 and known.items() <= ours.items(), f"{len(known)} of {len(ours)} known to both"


def main():
    failed = number = 0
    forms.compare, forms.missing = compare, lambda folder: ()
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, good, text) in enumerate(make_all(folder), 1):
            failed += not good
            print(f"{'ok' if good else 'not ok'} {number} - {name}, {text}", flush=True)
    # none of the readers that are compared was left out
    good = all(total)
    print(f"{'ok' if good else 'not ok'} {number + 1} - in all {total}")
    print(f"1..{number + 1}")
    return 1 if failed or not good else 0


if __name__ == "__main__":
    sys.exit(main())
