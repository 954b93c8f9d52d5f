# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions of the C library that a resolver chooses, called by a program that declares them; the version of a name that
today's programs mean (glibc has an old memcpy, too); functions within others. Arguments: the program and its source."""
import os
import sys
import tempfile

import pddt

PROGRAM, SOURCE = sys.argv[1:3]
FILE = os.path.basename(SOURCE)


def line(name):
    return pddt.mark(SOURCE, name)


def main():
    with tempfile.TemporaryDirectory() as folder:
        core = os.path.join(folder, "core")
        run = pddt.run(pddt.commands(
            f'break {FILE}:{line("measured")} if strcmp (text, "abc") == 0', f"break {FILE}:{line('around')}", "continue", "wait 60",
            "print strlen (text)", 'print strlen ("hello") + 1', "print (int) strcmp (text, \"abd\") < 0", "print *strchr (copy, 98)",
            "print memcpy == copying", f"generate-core-file {core}", "delete 1", "continue", "wait 60", "print surround (3)",
            "print inner (1)", "continue", "wait 60") + ["--", PROGRAM])
        for wanted in (f"breakpoint 1, measure at {FILE}:{line('measured')}", "strlen (text) = 3", 'strlen ("hello") + 1 = 6',
                       "(int) strcmp (text, \"abd\") < 0 = 1", "*strchr (copy, 98) = 98 'b'", "memcpy == copying = 1",
                       "surround (3) = 31", "exited 0"):
            run.expect_line("0: " + wanted)
        run.expect_line('error: cannot call "inner": it uses variables of the function around it (0)')
        # in a core file nothing can choose
        run = pddt.run(pddt.commands("print strlen", "print strlen (text)") + ["--core", core + ".0"])
        run.expect("0: strlen = {size_t (const char *)} 0x")
        run.expect("<strlen>")
        run.expect_line("0: strlen (text) = <functions cannot be called here>")


main()
