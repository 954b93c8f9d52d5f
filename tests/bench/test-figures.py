# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of figures is written whole from what benchmarks print, not on a busy machine, and the page at hand is one that
was written so. The benchmarks are commands that print what the real ones did; the load is injected."""
import os
import re
import subprocess
import sys
import tempfile

import figures

SOURCE = os.environ["PDDT_SOURCE_ROOT"]
SAID = """\
attach, stacks with lines and arguments, detach: 8 C ranks: pddt's engine median 4.5 ms, best 4.1 (aim 24); pddt from the \
shell 120 ms; one gdb for all 267 ms, ratio 59
plain 10.0 ms; cProfile 2.2 (75 ns); --trace 2.3 (80 ns)
plain 10.0 ms; cProfile 2.2 (143 ns); --trace 2.3 (149 ns)
"""
ROWS = [("attach", ["printf", "%s", SAID], 10, [
    ("attach", figures.ENGINE % "8 C ranks", "{1} ms", "one gdb: {2} ms"),
    ("calls", r"cProfile [\d.]+ \((\d+) ns\); --trace [\d.]+ \((\d+) ns\)", "{2} ns", "cProfile: {1} ns"),
    ("never said", r"^nothing like (\d+)", "{1}", "")]),
    ("endless", ["sleep", "60"], 0.2, [("late", r"(\d+) ms", "{1}", "")])]


def test_written():
    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, "page.md")
        assert figures.main([folder, "--page", page], ROWS, lambda **_: 0.02) == 1  # two rows are not measured
        with open(page, encoding="utf-8") as file:
            text = file.read()
    for row in ("| attach | 4.5 ms | one gdb: 267 ms |", "| calls | 80 to 149 ns | cProfile: 75 to 143 ns |",
                "| never said | not measured |  |", "| late | not measured |  |"):
        assert row in text, (row, text)
    assert re.search(r"^\| measured \| \d{4}-\d\d-\d\d \|$", text, re.M), text
    assert re.search(r"^\| commit \| \S+", text, re.M) and "| processors that other work had, at most | 2 % |" in text, text


def test_refused():
    """Before the first benchmark and between two; the page stays as it was."""
    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, "page.md")
        for loads in ([0.9], [0.0, 0.9]):
            reading = iter(loads)
            try:
                figures.main([folder, "--page", page], ROWS, lambda **_: next(reading))
            except SystemExit as end:
                assert "90 %" in str(end) and "Nothing was written" in str(end), end
            else:
                raise AssertionError("a busy machine was taken")
            assert not os.path.exists(page)
        assert figures.main([folder, "--anyway", "--page", page], ROWS, lambda **_: 0.9) == 1
        with open(page, encoding="utf-8") as file:
            assert "other work had, at most | 90 %" in file.read()


def test_busy():
    """Of 200 jiffies of two processors others used 150; waiting ends when it is quiet."""
    readings = iter([(1000, 5000), (1150, 5200)])
    assert figures.measure_busy(0, lambda: next(readings)) == 0.75
    loads = iter([0.9, 0.8, 0.05])
    assert figures.wait_until_idle(lambda: next(loads)) == 0.05
    assert figures.wait_until_idle(lambda: 0.9, limit_s=0) == 0.9
    busy, whole = figures.read_busy()
    assert 0 < busy < whole


def test_refusal_of_the_program():
    """A load of this test's own, which the program itself measures."""
    with tempfile.TemporaryDirectory() as folder:
        loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count())]
        try:
            code = "import figures, functools, sys; figures.main(sys.argv[1:], %r, functools.partial(%s, limit_s=1))" % (
                [("true", ["true"], 5, [])], "figures.wait_until_idle")
            page = os.path.join(folder, "page.md")
            done = subprocess.run([sys.executable, "-c", code, folder, "--page", page], capture_output=True, text=True,
                                  check=False, timeout=120, env=dict(os.environ, PYTHONPATH=os.path.dirname(figures.__file__)))
            assert done.returncode == 1 and "Nothing was written" in done.stderr, done
            assert not os.path.exists(page)
        finally:
            for loop in loops:
                loop.kill()
                loop.wait()


def test_page():
    """Each row of the page is one that a benchmark makes, in their order, and none is long."""
    with open(os.path.join(SOURCE, figures.PAGE), encoding="utf-8") as file:
        text = file.read()
    if not text.startswith(figures.HEAD):
        print("# skipped: the page is older than tests/bench/run, which has not written it yet")
        return
    names = [row[0] for _, _, _, rows in figures.BENCHMARKS for row in rows if row[2]]
    assert re.findall(r"^\| (.*?) \|", text.split("| what | pddt | peer |\n| --- | --- | --- |\n")[1], re.M) == names
    assert text.endswith(figures.TAIL), "tests/bench/run writes all of it"
    assert max(map(len, text.splitlines())) <= 200


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
        print("ok", name)
