# SPDX-License-Identifier: GPL-3.0-or-later
"""Python code that is in no file is shown, and breakpoints stand in it. Argument: the folder of the agent."""
import os
import tempfile
import zipfile

import driver
import pddt

MODULE = "def work(value):\n    other = value\n    return other\n"
BYTES = "def work(value):\n    '%s'\n    return value\n" % ("long é " * 5000)
DOCTEST = '"""\n>>> first = print\n>>> first()\n\n"""\nimport doctest\ndef show():\n    pass\n' \
          "print(doctest.testmod(extraglobs={'print': show}))\n"
CACHED = "import linecache\ntext = %r\nlinecache.cache['<made>'] = len(text), None, text.splitlines(True), '<made>'\n" \
         "exec(compile(text, '<made>', 'exec'))\nwork(3)\nexec(compile(text, '<lost>', 'exec'))\nwork(4)\n" % MODULE


def run(interpreter, words, *lines):
    return pddt.run(pddt.commands(*lines) + ["--", interpreter, "%python_debug%"] + words)


def expect_text(outcome, place, line, text=MODULE):
    """It is listed around the line as the text has it."""
    number, *rest = place, *text.splitlines()
    shown = "".join(f"\n{index:6} {'->' if index == line else '  '} {one}" for index, one in enumerate(rest, 1))
    outcome.expect(f"0: {number}:{line}{shown}\n")


def test_archive(interpreter):
    with tempfile.TemporaryDirectory(prefix="pddt-sources-") as folder:
        path = os.path.join(folder, "app.zip")
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("__main__.py", "import part, large\npart.work(1)\nlarge.work(2)\n")
            archive.writestr("part.py", MODULE)
            archive.writestr("large.py", BYTES)
        outcome = run(interpreter, [path], "list", "break part.py:3", "break large.py:3", "continue", "wait 60", "list",
                      "continue", "wait 60", "list")
    expect_text(outcome, "<module> at __main__.py", 1, "import part, large\npart.work(1)\nlarge.work(2)\n")
    expect_text(outcome, "work at part.py", 3)
    expect_text(outcome, "work at large.py", 3, BYTES)


def test_command(interpreter):
    outcome = run(interpreter, ["-c", MODULE + "work(1)\nexec('work(2)')"], "list", "break <string>:3", "continue", "wait 60",
                  "list", "continue", "wait 60", "up", "list")
    expect_text(outcome, "work at <string>", 3, MODULE + "work(1)\nexec('work(2)')")
    # what exec runs has the same name, and is another text
    outcome.expect("error: Python has no text of <string> (0)")


def test_cached(interpreter):
    with tempfile.TemporaryDirectory(prefix="pddt-sources-") as folder:
        path = os.path.join(folder, "cached.py")
        with open(path, "w", encoding="ascii") as file:
            file.write(CACHED)
        outcome = run(interpreter, [path], "break work", "continue", "wait 60", "list", "continue", "wait 60", "list")
        expect_text(outcome, "work at <made>", 2)
        outcome.expect("error: Python has no text of <lost> (0)")
        with open(path, "w", encoding="ascii") as file:
            file.write(DOCTEST)
        outcome = run(interpreter, [path], "break show", "continue", "wait 60", "up", "list")
        expect_text(outcome, "<module> at <doctest __main__[1]>", 1, "first()\n")


def test_frozen(interpreter):
    """The interpreter's own modules, of which the folder of the library has the files."""
    outcome = run(interpreter, ["-c", "import importlib.util\nimport colorsys"], "break <frozen importlib._bootstrap>:_find_and_load",
                  "break <frozen importlib._bootstrap>:1", "break <frozen importlib._bootstrap>:99999", "continue", "wait 60", "list")
    outcome.expect("0: breakpoint 2 set, <module> at <frozen importlib._bootstrap>:")
    outcome.expect_line("0: breakpoint 3 pending, no code at or after line 99999 of <frozen importlib._bootstrap>")
    outcome.expect(" set, _find_and_load at <frozen importlib._bootstrap>:")
    outcome.expect("0: breakpoint 1, _find_and_load at <frozen importlib._bootstrap>:")
    outcome.expect("    def _find_and_load(name, import_):\n")


def test_made(interpreter):
    """A method that is made at run time is known by the name of the class, which gets it when it is complete."""
    program = "import dataclasses\n@dataclasses.dataclass\nclass Point:\n    x: int\ndef make():\n    return Point(1)\nmake()\n"
    outcome = run(interpreter, ["-c", program], "break Point.__init__", "continue", "wait 60", "up")
    outcome.expect_line('0: breakpoint 1 pending, no function "Point.__init__" yet')
    outcome.expect("0: breakpoint 1, ")
    outcome.expect_line("0: #1 make at <string>:6")


def main():
    interpreters = driver.list_interpreters()
    driver.run_journeys([(test, interpreter) for test in (test_archive, test_command, test_cached, test_frozen, test_made)
                         for interpreter in dict.fromkeys(interpreters[:1] + interpreters[-1:])])


main()
