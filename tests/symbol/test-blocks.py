# SPDX-License-Identifier: GPL-3.0-or-later
"""Constructs of Fortran whose variables hide others: a name means what it means to the program where it stands. Each
call of `show` is asked for its argument, and its caller for the variable that was given. Without the source, which
tells constructs apart, another variable's value is never shown. Arguments: the source."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

import pddt

SOURCE = os.path.abspath(sys.argv[1])
CALLS = 19
if shutil.which("gfortran") is None:
    print("skipped: gfortran is not installed")
    sys.exit(77)


def ask(program):
    """(the argument, the caller, its variable g or x, those of that name in show locals) at each call."""
    lines = [line for at in range(CALLS) for line in
             ("continue", f"echo @@{at}\n", "print a", "up", "print g", "print x", "show locals")]
    run = pddt.run(pddt.commands("break show", *lines) + [program])
    for part in run.out.split("@@")[1:]:
        caller = re.search(r"^0: #1 host::(\w+) at", part, re.M)[1]
        name = "g" if caller == "each" else "x"
        values = re.findall(rf"^0: {name} = (.*)$", part, re.M)
        yield run, re.search(r"^0: a = (.*)$", part, re.M)[1], caller, values[0], values[1:]


with tempfile.TemporaryDirectory() as folder:
    program = os.path.join(folder, "blocks")
    with open(SOURCE) as file:
        text = file.read()
    fixed = re.sub(r"^", "      ", text.split("\n", 2)[2], flags=re.M).replace(" &  ! end block\n           ", "\n     &")
    for name, content in ("free.f90", text), ("fixed.f", fixed):
        source = os.path.join(folder, name)
        for options in ("-O0",), ("-O0", "-gdwarf-4"), ("-O2", "-fno-inline"):
            with open(source, "w") as file:
                file.write(content)
            subprocess.run(["gfortran", "-g", "-ffixed-line-length-none", *options, source, "-J", folder, "-o", program], check=True, timeout=120)
            calls = list(ask(program))
            for at, (run, given, caller, value, listed) in enumerate(calls):
                if value != given or listed not in ([given], []):
                    run.fail(f"{name} {options}, call {at} from {caller}: {given} is shown as {value}, {listed}")
            if len(calls) != CALLS:
                run.fail(f"{len(calls)} calls")
            os.remove(source)
            for at, (run, given, caller, value, listed) in enumerate(ask(program)):
                for one in [value] + listed:
                    if one != given and not one.startswith("<not known: the source file"):
                        run.fail(f"{name} {options}, no source, call {at} from {caller}: {given} is shown as {one}")
                if at == 0 and value != given:
                    run.fail("the module's is not known before any construct")
