# SPDX-License-Identifier: GPL-3.0-or-later
"""Real core files, written by gdb's gcore: the blended stack, the place and values, by pddt --core, for
each interpreter that is here."""
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "agent"))
import driver
import pddt

SCRIPT = os.path.join(HERE, "core.py")


def take_core(interpreter, folder):
    program = subprocess.Popen([interpreter, SCRIPT], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    try:
        program.stdout.readline()
        subprocess.run(["gcore", "-o", os.path.join(folder, "core"), str(program.pid)],
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, timeout=60, check=True)
    finally:
        program.kill()
        program.wait()
    return os.path.join(folder, f"core.{program.pid}")


def check_order(run, names):
    """The shown frames of Python, innermost last as the tree shows them."""
    seen = [line.split() for line in run.out.splitlines() if line.endswith("[py]")]
    seen = [(words[3], words[5]) for words in seen]
    if seen != names:
        run.fail(f"frames {seen}, expected {names}")


def test(interpreter):
    lines = {name: pddt.mark(SCRIPT, name) for name in ("work", "compare", "outer")}
    with tempfile.TemporaryDirectory() as folder:
        core = take_core(interpreter, folder)
        run = pddt.run(["--core", core] + pddt.commands(
            "show state", "where", "print total", "print part.value[1]['deep'][1] + '!'",
            "print len(part.value) == 2 and numbers is None", "print kind",
            "frame apply all -s print turn"))
    run.expect_line(f"0: stopped, work at core.py:{lines['work']}")
    names = [("<module>", f"core.py:{outermost_line()}")]
    # from 3.12 on the comprehension is a part of the module's code
    has_frame = "<listcomp>" in run.out
    names += [("<listcomp>", names[0][1])] * has_frame
    names += [(name, f"core.py:{lines[name]}") for name in ("outer", "compare", "work")]
    check_order(run, names)
    run.expect("qsort")
    run.expect_line("0: total = 42")
    run.expect("= 'text!'")
    run.expect('no symbol "numbers" in frame work')
    run.expect('"kind" is not known here: the function\'s variable of that name has no value, and the module has one, too'
               if not has_frame else "0: kind = \"the module's\"")
    run.expect_line("0: turn = 5")
    if run.out.count("0: turn = \"the module's\"") != 3 + has_frame:
        run.fail("turn in the frames around the comprehension")


def outermost_line():
    with open(SCRIPT, encoding="utf-8") as file:
        return len(file.readlines())


def main():
    if shutil.which("gcore") is None:
        print("1..0 # SKIP no gcore here")
        return
    interpreters = driver.list_interpreters()
    print(f"1..{len(interpreters)}")
    for number, interpreter in enumerate(interpreters, 1):
        try:
            test(interpreter)
            print(f"ok {number} core {interpreter}", flush=True)
        except (SystemExit, subprocess.SubprocessError) as error:
            print(f"not ok {number} core {interpreter}: {error}", flush=True)


main()
