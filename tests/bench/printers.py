# SPDX-License-Identifier: GPL-3.0-or-later
"""`print` of a std::map with 200 elements by gdb's printer of libstdc++, beside gdb with one process. Argument: ranks, 64 without."""
import os
import statistics
import subprocess
import sys
import tempfile
import time

import pddt

PROGRAM = """#include <cstdlib>
#include <map>
#include <string>
int main ()
{
  const char *text = getenv ("OMPI_COMM_WORLD_RANK");
  std::string shift (text ? 40 * atoi (text) + 1 : 1, 'x');
  std::map<int, std::string> map;
  for (int i = 0; i < 200; i++)
    map[i] = std::string (i % 30, 'a' + i % 26);
  return map.size () + shift.size () == 1; // stop
}
"""
PRINTERS = """import sys
sys.path.insert(0, "/usr/share/gcc/python")
from libstdcxx.v6 import register_libstdcxx_printers
register_libstdcxx_printers(None)
"""
GDB = """import statistics, time
def measure():
    times = []
    for _ in range(%d):
        began = time.monotonic()
        text = gdb.execute("print map", to_string=True)
        times.append((time.monotonic() - began) * 1000)
    print("took", statistics.median(times), len(text))
"""
TIMES = 15


def ask_gdb(folder, path):
    script = os.path.join(folder, "measure.py")
    with open(script, "w", encoding="ascii") as file:
        file.write(GDB % TIMES)
    out = subprocess.run(["gdb", "-nx", "-batch", "-ex", "set debuginfod enabled off", "-ex", "set print elements 200", "-ex",
                          "break printers.cpp:11", "-ex", "run", "-ex", f"source {script}", "-ex", "python measure()", path],
                         capture_output=True, text=True, check=True, timeout=100).stdout
    return next(line.split()[1:] for line in out.splitlines() if line.startswith("took"))


def ask_pddt(folder, path, ranks):
    named = os.path.join(folder, "named.py")
    with open(named, "w", encoding="ascii") as file:
        file.write(PRINTERS)
    talk = pddt.Dialogue(["mpirun", "--oversubscribe", "-np", str(ranks), path])
    for line in ("set option limit-items 200", "set option limit-bytes 200", "break printers.cpp:11", "continue", "wait 100"):
        talk.ask(line)
    found = {}
    for who, line in (("own view", None), ("gdb's printer", f"source {named}")):
        if line is not None:
            talk.ask(line)
        times = []
        for _ in range(TIMES):
            began = time.monotonic()
            events, _ = talk.ask("print map")
            times.append((time.monotonic() - began) * 1000)
        group = next(event for event in events if event["event"] == "values")["values"][0]["groups"]
        assert len(group) == 1, group
        found[who] = statistics.median(times), len(group[0]["text"])
    talk.end()
    return found


def main():
    ranks = int(sys.argv[1]) if len(sys.argv) > 1 else 64
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "printers")
        with open(path + ".cpp", "w", encoding="ascii") as file:
            file.write(PROGRAM)
        subprocess.run(["g++", "-g", "-O0", "-o", path, path + ".cpp"], check=True)
        for who, (took, size) in ask_pddt(folder, path, ranks).items():
            print(f"print of a map of 200 elements, {ranks} ranks, {who}: {took:.1f} ms ({size} characters)", flush=True)
        took, size = ask_gdb(folder, path)
        print(f"print of a map of 200 elements, gdb with one process: {float(took):.1f} ms ({size} characters)")


main()
