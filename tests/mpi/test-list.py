# SPDX-License-Identifier: GPL-3.0-or-later
"""Every function of each MPI's mpi.h is recorded, or left out for a documented reason; recorded functions exist in
C, for large counts and in Fortran's spellings."""
import fnmatch
import os
import re
import subprocess
import sys

BUILD, SOURCE = os.environ["PDDT_BUILD_ROOT"], os.environ["PDDT_SOURCE_ROOT"]
AGENT = os.path.join(SOURCE, "src", "agent")


def read_recorded():
    return [words[0] for line in open(os.path.join(AGENT, "mpi-calls.list"))
            if (words := line.split("#")[0].split())]


def read_local():
    """[(glob, reason)]"""
    rows = []
    for line in open(os.path.join(AGENT, "mpi-local.list")):
        if line.strip() and not line.startswith("#"):
            reason, names = line.split(":")
            rows += [(name, reason) for name in names.split()]
    return rows


def read_functions(package):
    """What the compiler, not the recorder's generator, finds declared: {name without MPI_}."""
    flags = subprocess.run(["pkg-config", "--cflags-only-I", package], capture_output=True,
                           text=True, check=True).stdout.split()
    text = subprocess.run(["cc", "-E", "-P", "-DOMPI_OMIT_MPI1_COMPAT_DECLS=0", *flags, "-include",
                           "mpi.h", "-x", "c", "/dev/null"], capture_output=True, text=True,
                          check=True).stdout
    return set(re.findall(r"\bMPI_([A-Z][A-Za-z0-9_]*)\s*\((?!\s*\*)", text)) - {
        "Aint", "Comm", "Datatype", "Errhandler", "Fint", "Group", "Info", "Message", "Op", "Request", "Session", "Win"}


def read_symbols(path, which="--defined-only"):
    text = subprocess.run(["nm", "-D", which, path], capture_output=True, text=True,
                          check=True).stdout
    return {line.split()[-1].split("@")[0] for line in text.splitlines()}


def find_library(package, names):
    folder = subprocess.run(["pkg-config", "--variable=libdir", package], capture_output=True,
                            text=True, check=True).stdout.strip()
    for name in names:
        for place in (folder, os.path.join(folder, ".."), os.path.join(folder, "..", "..")):
            if os.path.exists(os.path.join(place, name)):
                yield os.path.join(place, name)


recorded, local = read_recorded(), read_local()
bad, seen, count, absent = [], set(), 0, []
for package, library, fortran in (
        ("ompi-c", "libpddt-mpi.so", ["libmpi_mpifh.so", "libmpi_usempif08.so"]),
        ("mpich", "libpddt-mpi-mpich.so", ["libmpichfort.so"])):
    path = os.path.join(BUILD, "src", "agent", library)
    if subprocess.run(["pkg-config", "--exists", package], check=False).returncode != 0:
        absent.append(package)
        continue
    functions, symbols = read_functions(package), read_symbols(path)
    assert len(functions) > 350, (package, len(functions))
    seen |= functions
    bad += [f"{library} needs {name}: it is loaded before MPI, or without it"
            for name in read_symbols(path, "--undefined-only") if "mpi" in name.lower()]
    for name in sorted(functions):
        base = name[:-2] if name.endswith("_c") and name[:-2] in functions else name
        reasons = [glob for glob, _ in local if fnmatch.fnmatchcase(base, glob)]
        count += 1
        if base in recorded and "MPI_" + name not in symbols:
            bad.append(f"{package}: MPI_{name} is listed and not recorded")
        if (base in recorded) == bool(reasons):
            bad.append(f"{package}: MPI_{name} is in {'both lists' if reasons else 'no list'}")
    n_fortran = 0
    for place in find_library(package, fortran):
        for symbol in read_symbols(place):
            low = re.fullmatch(r"mpi_(\w+?)(_cptr)?(_f08(?:ts)?(?:_large)?)?_{0,2}", symbol.lower())
            if low and symbol.lower().startswith("mpi_") and any(
                    low.group(1) == name.lower() for name in recorded if name in functions):
                n_fortran += 1
                if symbol not in symbols:
                    bad.append(f"{package}: Fortran's {symbol} is not recorded")
    print(f"# {package}: {len(functions)} functions, {n_fortran} spellings of Fortran")
    if n_fortran < 300:
        bad.append(f"{package}: too few Fortran symbols were found: {n_fortran}")
if not seen:
    print("1..0 # SKIP no MPI's headers are here: install libopenmpi-dev or libmpich-dev")
    sys.exit(77)
for package in absent:
    print(f"# {package} is not installed: its functions are not compared"
          + (", nor names that no mpi.h has" if package == "mpich" else ""))
for name in recorded:
    if name not in seen and "mpich" not in absent:
        bad.append(f"MPI_{name} is in no mpi.h")
for glob, reason in local:
    if "mpich" not in absent and not fnmatch.filter(seen, glob) and not reason.startswith("new in "):
        bad.append(f"{glob} ({reason}) matches no function")
print(f"{'not ok' if bad else 'ok'} 1 - {count} functions are recorded or have a reason not to be")
print("1..1")
for line in bad:
    print(line, file=sys.stderr)
sys.exit(bool(bad))
