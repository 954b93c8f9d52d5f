# SPDX-License-Identifier: GPL-3.0-or-later
"""What the optimiser has dropped: of arrays of arrays whose inner lengths are gone an element is the program's, or not
known, and of bit-fields in one byte those that are there are shown."""
import os
import re
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
BITS = """
#include <stdio.h>
struct bits { unsigned low : 3, middle : 5, high : 8; int plain; };
volatile int in = 5, out;
__attribute__ ((noinline)) static int work (int k)
{
    struct bits bits = { 5, 17, 200, k };
    bits.plain += 3;
    out = bits.plain + bits.low;
    bits.middle = in;
    out = bits.middle;
    bits.plain = in;
    out = bits.plain * 2; //@ lost
    return bits.plain;
}
int main (void) { return work (in) != 5; }
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
    with open(source, "w") as file:
        file.write(BITS)
    subprocess.run(["gcc", "-g", "-O2", source, "-o", program], check=True, timeout=60)
    place, names = f"dropped.c:{pddt.mark(source, 'lost')}", ("low", "middle", "high", "plain")
    gdb = subprocess.run(["gdb", "-nx", "-batch", "-ex", f"break {place}", "-ex", "run",
                          *[word for name in names for word in ("-ex", f"print bits.{name}")], program],
                         stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=True)
    wanted = re.findall(r"^\$\d+ = (.*)$", gdb.stdout.replace("<optimized out>", "<optimised out>"), re.M)
    run = pddt.run(pddt.commands(f"break {place}", "continue", *[f"print bits.{name}" for name in names], "print bits") + [program])
    for name, value in zip(names, wanted, strict=True):
        run.expect_line(f"0: bits.{name} = {value}")
    run.expect_line("0: bits = {%s}" % ", ".join(f"{name} = {value}" for name, value in zip(names, wanted)))
