# SPDX-License-Identifier: GPL-3.0-or-later
"""What native programs name by pddt.h and pddt.f90: nothing without pddt, regions and values in a trace."""
import os
import shutil
import subprocess
import tempfile

import pddt
import traced

HEADERS = os.path.join(os.environ["PDDT_SOURCE_ROOT"], "src/agent/include")
C = """
#include "pddt.h"
#include <stdio.h>
static void work (int n)
{
    PDDT_REGION ("work");
    if (n > 0) {
        work (n - 1);
    }
}
int main (void)
{
    PDDT_REGION_BEGIN ("outer");
    work (2);
    for (int i = 0; i < 3; i++) {
        PDDT_PARAMETER_INT ("step", i - 1);
        PDDT_METRIC ("residual", 1.0 / (1 << i), "m");
    }
    PDDT_PARAMETER_UINT ("large", 1ull << 63);
    PDDT_PARAMETER_STRING ("text", "some");
    PDDT_DISABLE ();
    PDDT_REGION_BEGIN ("unseen");
    PDDT_REGION_END ("unseen");
    PDDT_ENABLE ();
    PDDT_REGION_END ("never begun");
    PDDT_REGION_END ("outer");
    puts ("done");
    return 0;
}
"""
FORTRAN = """
program test
  use pddt
  integer :: i
  call pddt_region_begin("outer")
  do i = 1, 3
    call pddt_region_begin("work")
    call pddt_parameter_int("step", i - 2)
    call pddt_metric("residual", 1.0d0 / 2 ** (i - 1), "m")
    call pddt_region_end("work")
  end do
  call pddt_parameter_string("text", "some")
  call pddt_disable()
  call pddt_region_begin("unseen")
  call pddt_region_end("unseen")
  call pddt_enable()
  call pddt_region_end("outer")
  print "(a)", "done"
end program
"""


def check(program, has_large):
    plain = subprocess.run([program], stdout=subprocess.PIPE, timeout=120, check=True, universal_newlines=True)
    assert plain.stdout == "done\n", plain
    with traced.Traced([program]) as one:
        run = one.run()
        assert (run.status, run.out) == (0, "done\n"), run
        trace = traced.read(run.archive)
    # of Fortran and C, and of what ends them: calls of the C library; and where the process had to wait
    for output in "write", "puts", "fflush", "(not recorded)":
        trace["calls"]["rank 0"].pop(output, None)
    assert trace["calls"] == {"rank 0": {os.path.basename(program): 1, "(program start)": 1, "outer": 1, "work": 3}}, \
        trace["calls"]
    parameters = [["rank 0", "step", n] for n in (-1, 0, 1)]
    parameters += [["rank 0", "large", 2 ** 63]] if has_large else []
    assert trace["parameters"] == parameters + [["rank 0", "text", "some"]], trace["parameters"]
    assert [each[2] for each in trace["metrics"]] == [1.0, 0.5, 0.25], trace["metrics"]


with tempfile.TemporaryDirectory(prefix="pddt-regions-") as folder:
    source, program = os.path.join(folder, "test.c"), os.path.join(folder, "test")
    with open(source, "w") as file:
        file.write(C)
    for options in ([], ["-no-pie", "-fno-pie", "-O2", "-std=c99"], ["-x", "c++"]):
        if options[:1] == ["-x"] and shutil.which("g++") is None:
            continue
        compiler = "g++" if options[:1] == ["-x"] else "gcc"
        subprocess.run([compiler, "-Wall", "-Wextra", "-Werror", "-I" + HEADERS, *options, "-o", program, source],
                       check=True)
        check(program, True)
    subprocess.run(["gcc", "-Wall", "-Werror", "-DPDDT_OFF", "-I" + HEADERS, "-o", program, source], check=True)
    if shutil.which("gfortran"):
        with open(os.path.join(folder, "test.f90"), "w") as file:
            file.write(FORTRAN)
        subprocess.run(["gfortran", "-Wall", "-J", folder, "-o", program, os.path.join(HEADERS, "pddt.f90"),
                        os.path.join(folder, "test.f90")], check=True, stderr=subprocess.DEVNULL)
        check(program, False)
