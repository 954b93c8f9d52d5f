# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays of arrays whose inner lengths the optimiser has dropped: an element is the program's, or not known."""
import os
import subprocess
import tempfile

import pddt

SOURCE = """
#include <stdio.h>
static volatile signed char less = -7;
__attribute__ ((noinline)) static int fill (int n, signed char m)
{
    char other[m + 20];
    long rows[n][m + 12];
    other[0] = 1;
    rows[0][3] = 3;
    rows[1][2] = 12;
    __asm__ volatile ("" :: "r" (other), "r" (rows) : "memory");
    printf ("%zu %zu\\n", sizeof other, sizeof rows); //@ filled
    return (int) (other[0] + rows[0][3]);
}
int main (void)
{
    return fill (2, less) != 4;
}
"""
UNKNOWN = "<length unknown>", "<optimised out>"

with tempfile.TemporaryDirectory() as folder:
    source, program = os.path.join(folder, "dropped.c"), os.path.join(folder, "dropped")
    with open(source, "w") as file:
        file.write(SOURCE)
    for options in ("-O0",), ("-O2",), ("-O2", "-flto"):
        subprocess.run(["gcc", "-g", *options, source, "-o", program], check=True, timeout=60)
        run = pddt.run(pddt.commands(f"break dropped.c:{pddt.mark(source, 'filled')}", "continue", "print rows[1][2]",
                                     "print sizeof rows", "print sizeof rows[0]", "print rows[0][3]") + [program])
        for text, value in ("rows[1][2]", "12"), ("sizeof rows", "80"), ("sizeof rows[0]", "40"), ("rows[0][3]", "3"):
            if not any(f"0: {text} = {answer}\n" in run.out for answer in ((value,) if options == ("-O0",) else (value, *UNKNOWN))):
                run.fail(f"{options}: {text} is neither {value} nor not known")
