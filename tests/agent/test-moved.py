# SPDX-License-Identifier: GPL-3.0-or-later
"""A script that was started by a relative name and then left its folder, in every interpreter (to 3.8 the name
stays relative): pddt finds its breakpoints, place and source, and mistakes no other file for
it."""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import driver
import pddt

FOLDER = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(FOLDER, "moved.py")
LINE, AWAY = pddt.mark(PROGRAM, "moved"), pddt.mark(PROGRAM, "away")
TEXT = f"{LINE:6} ->     n += 1                          # @ moved"


def expect_text(run, count):
    if run.out.count(TEXT) != count:
        run.fail(f"{run.out.count(TEXT)} times the line instead of {count}")


def test_launched(interpreter):
    with tempfile.TemporaryDirectory() as other:
        for name in "agent/moved.py", "./agent/../agent/moved.py":
            run = pddt.run(pddt.commands(f"break moved.py:{AWAY}", "continue", "wait 120", "next", "wait 120", "list work",
                                         f"break agent/moved.py:{LINE}", "break work", "continue", "wait 120", "list", "where")
                           + ["--", interpreter, "%python_debug%", name, other], cwd=os.path.dirname(FOLDER))
            run.expect_status(0)
            run.expect_line(f"0: breakpoint 2 set, work at moved.py:{LINE}")
            run.expect_line(f"0: breakpoint 3 set, work at moved.py:{LINE}")
            run.expect_line(f"0: breakpoint 2, work at moved.py:{LINE}")
            run.expect_line(f"#0   0 1 work at moved.py:{LINE} [py]")
            expect_text(run, 1)


def start(interpreter, other):
    program = subprocess.Popen([interpreter, "moved.py", other, "wait"], stdout=subprocess.PIPE, text=True, cwd=FOLDER,
                               env=dict(os.environ, PWD=FOLDER))
    assert program.stdout.readline() == "ready\n"
    return program


def test_attached(interpreter):
    """A file of the same name where the program is now: in 3.8 nobody can say which of them it is."""
    is_relative = "3.8." in subprocess.run([interpreter, "-V"], stdout=subprocess.PIPE, text=True).stdout
    with tempfile.TemporaryDirectory() as other:
        for is_ambiguous in False, True:
            if is_ambiguous:
                with open(os.path.join(other, "moved.py"), "w") as file:
                    file.write("wrong\n" * 40)
            program = start(interpreter, other)
            try:
                run = pddt.run(["--attach", str(program.pid)]
                               + pddt.commands(f"break moved.py:{LINE}", "continue", "wait 120", "list", "where"), cwd="/")
            finally:
                program.kill()
                program.wait()
                program.stdout.close()
            run.expect_line(f"0: breakpoint 1, work at moved.py:{LINE}")
            run.expect_line(f"#0   0 1 work at moved.py:{LINE} [py]")
            run.expect_not("wrong")
            expect_text(run, 0 if is_relative and is_ambiguous else 1)


driver.run_journeys([(test, interpreter) for interpreter in driver.list_interpreters(also=8)
                     for test in (test_launched, test_attached)])
