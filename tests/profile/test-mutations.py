# SPDX-License-Identifier: GPL-3.0-or-later
"""Every file that pddt reads from a folder of somebody's, cut or with some bytes changed: spools of a sampled and of a
traced run, their archives, and saved sessions. No part of pddt crashes, nothing is started, and other numbers than
those of the whole file come with a sentence and a status that says so. PDDT_MUTATIONS: how many of each kind;
PDDT_READ_BY: the build whose pddt reads them, as one with sanitizers. Arguments: names of tests, all without any."""
import concurrent.futures
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile

import pddt

N = int(os.environ.get("PDDT_MUTATIONS", "16"))
PDDT, ARCHIVE = (os.path.join(os.environ.get("PDDT_READ_BY", pddt.BUILD), "src", "programs", name)
                 for name in ("pddt", "pddt-archive"))
EXIT = "97"  # of a process that a sanitizer has ended
for options in "ASAN_OPTIONS", "UBSAN_OPTIONS":
    pddt.ENVIRONMENT[options] = ":".join(filter(None, (os.environ.get(options), "halt_on_error=1", "exitcode=" + EXIT)))
# In the place of the limit for memory, which programs with sanitizers cannot have.
pddt.ENVIRONMENT["ASAN_OPTIONS"] += ":max_allocation_size_mb=2048:allocator_may_return_null=1"
PROGRAM = """
import os, sys
def work(n):
    return sum(range(n))
def deeper(n):
    return work(n) if n % 2 else deeper(n + 1)
child = os.fork()
for i in range(9000 if child else 500):
    deeper(i % 50)
if child:
    os.waitpid(child, 0)
    os.kill(os.getpid(), 9)
"""
SESSION = """[pddt session]
version=1
command=%s;MARK;
environment=LD_PRELOAD=/evil.so;
folder=%s
output-folder=elsewhere

[breakpoint 1]
kind=break
where=app.py:2
ranks=all
condition=__import__("os").system("touch MARK") == 0

[breakpoint 2]
kind=watch
where=__import__("os").system("touch MARK")
ranks=0-3
"""


def mutate(content, choice):
    """Cut, or some bytes of it different, or a page or a longer part of it zero, as a disk loses it."""
    how = choice.randrange(10)
    if how < 2:
        return content[:choice.randrange(len(content))]
    if how == 2:
        size = choice.choice((512, 4096, 65536))
        at = choice.randrange(len(content)) // size * size
        return content[:at] + bytes(min(size, len(content) - at)) + content[at + size:]
    content = bytearray(content)
    at = choice.randrange(len(content))
    for _ in range(choice.randrange(1, 6)):
        content[at] ^= choice.randrange(1, 256)
        at = choice.randrange(len(content)) if choice.randrange(2) else min(at + 1, len(content) - 1)
    return bytes(content)


def run(*words):
    done = subprocess.run([PDDT, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, errors="backslashreplace", timeout=300, check=False, env=pddt.ENVIRONMENT)
    return pddt.Run(done.returncode, done.stdout, done.stderr)


def expect_sane(done, statuses, what):
    """It has ended by itself, and said nothing but sentences of its own."""
    if done.status not in statuses or "Sanitizer" in done.err or "runtime error" in done.err:
        done.fail(f"{what}: status {done.status}")
    if done.status == 1 and not done.err.startswith("pddt: "):
        done.fail(f"{what}: a status without a sentence")


def expect_reader(anchor, what):
    """What has ended pddt-archive was OTF2's library."""
    for option in "--read", "--traced":
        done = subprocess.run([ARCHIVE, option, anchor], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, timeout=300, check=False, env=pddt.ENVIRONMENT)
        if done.returncode in (int(EXIT), -signal.SIGSEGV, -signal.SIGBUS):
            raise SystemExit(f"{what}: pddt-archive {option} has ended with {done.returncode}")


def list_files(folder):
    return sorted(os.path.join(path, name) for path, _, names in os.walk(folder) for name in names)


class Case:
    """A folder whose files are changed, one at a time, in copies of it."""

    def __init__(self, name, folder, scratch, files=None):
        self.name, self.folder, self.scratch = name, folder, scratch
        self.files = [os.path.relpath(path, folder) for path in files or list_files(folder)]

    def try_all(self, check):
        def try_one(path, seed):
            choice = random.Random(f"{self.name} {path} {seed}")
            place = tempfile.mkdtemp(dir=self.scratch)
            copy = shutil.copytree(self.folder, os.path.join(place, "copy"))
            with open(os.path.join(self.folder, path), "rb") as file:
                whole = file.read()
            changed = mutate(whole, choice) if whole else b""
            with open(os.path.join(copy, path), "wb") as file:
                file.write(changed)
            told = check(copy, f"{self.name}, {path}, {seed}", path, whole, changed)
            shutil.rmtree(place)
            return told

        said = {}
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            tasks = [pool.submit(try_one, self.files[seed % len(self.files)], seed) for seed in range(N)]
            for task in concurrent.futures.as_completed(tasks):
                if task.exception() is not None:
                    pool.shutdown(cancel_futures=True)
                told = task.result()
                said[told] = said.get(told, 0) + 1
        print("ok", self.name, said, flush=True)


def show(folder):
    done = run("--cli", folder)
    return done.out.replace(folder, "FOLDER")


# ---- spools ----

def list_ends(content):
    """Where the records of a spool of samples end: a file that is cut there is one of a run that was killed then."""
    def read_number(at):
        value = shift = 0
        while at < len(content):
            value |= (content[at] & 127) << shift
            at, shift = at + 1, shift + 7
            if content[at - 1] < 128:
                break
        return value, at

    at = content.index(b"\n") + 1
    yield at
    while at < len(content):
        size, at = read_number(read_number(at)[1])
        at += size + 8
        yield at


def finalize(folder, what):
    done = run("--finalize", folder)
    expect_sane(done, (0, 1), what)
    if done.status == 1 and not any(os.path.basename(path).startswith("spool") or path.endswith(".pddt-trace")
                                    for path in list_files(folder)):
        done.fail(f"{what}: what was recorded is gone")
    return done


def test_samples(folder):
    """Each byte of what the front end writes counts."""
    here = os.path.join(folder, "samples")
    process, marker = pddt.start(["--profile", "--output", here, pddt.PYTHON, "-c", PROGRAM.replace("9000", "10**9")])
    pddt.wait_for("samples", lambda: os.path.exists(here + "/spool") and os.path.getsize(here + "/spool") > 3000)
    process.kill()
    process.communicate()
    for pid, _ in pddt.left_over(marker):  # the program, which runs on
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    pddt.expect_nothing_left(marker)
    whole = shutil.copytree(here, os.path.join(folder, "whole"))
    finalize(whole, "whole").expect_status(0)
    wanted = show(whole).splitlines()[1:]
    assert "sum" in "\n".join(wanted) or "work" in "\n".join(wanted), wanted

    def check(copy, what, _path, content, changed):
        done = finalize(copy, what)
        if done.status == 0 and not (content.startswith(changed) and len(changed) in list_ends(content)):
            done.fail(f"{what}: no word of it, {show(copy)}, and whole {wanted}")
        return done.status

    Case("spool of samples", here, folder).try_all(check)
    return whole


def test_traced(folder):
    """A process writes its file itself, with sums: whatever is not as it was written is left out, and said; the other
    processes' events are all there."""
    program = os.path.join(folder, "program.py")
    with open(program, "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    environment = dict(pddt.ENVIRONMENT, PYTHONPATH=os.path.join(pddt.BUILD, "src", "agent", "python"))
    subprocess.run([pddt.PYTHON, "-m", "scorep", program], cwd=folder, env=environment, check=False, timeout=300)
    here = next(os.path.join(folder, name) for name in os.listdir(folder) if name.startswith("scorep-measurement-tmp-"))
    os.unlink(os.path.join(here, "scorep.cfg"))
    whole = shutil.copytree(here, os.path.join(folder, "whole-trace"))
    finalize(whole, "whole").expect_status(0)
    wanted = show(whole).splitlines()[1:]

    def check(copy, what, _path, _content, _changed):
        done = finalize(copy, what)
        if done.status == 0 and show(copy).splitlines()[1:] != wanted:
            done.fail(f"{what}: no word of it, {show(copy)}, and whole {wanted}")
        return done.status

    Case("spool of a trace", here, folder).try_all(check)
    return whole


# ---- archives ----

def try_archive(name, whole, folder):
    wanted = show(whole)
    assert wanted.count("\n") > 3, wanted

    def check(copy, what, _path, _content, _changed):
        anchor = os.path.join(copy, "traces.otf2")
        done = run("--cli", copy)
        expect_sane(done, (0, 1), what)
        if "could not read it to its end" in done.err:
            expect_reader(anchor, what)
        if done.status == 0 and done.out.replace(copy, "FOLDER") != wanted:
            done.fail(f"{what}: other numbers without a word, and whole {wanted}")
        if int(what.split()[-1]) % 8 == 0:
            again = run("--report", os.path.join(os.path.dirname(copy), "report.txt"), copy)
            expect_sane(again, (0, 1), what)
            if again.status != done.status:
                again.fail(f"{what}: --cli has {done.status}, --report {again.status}")
        return done.status

    Case(name, whole, folder, [path for path in list_files(whole) if "/traces" in path]).try_all(check)


# ---- sessions ----

def test_sessions(folder):
    here, mark = os.path.join(folder, "sessions"), os.path.join(folder, "started")
    os.mkdir(here)
    with open(os.path.join(here, "a.pddt"), "w", encoding="utf-8") as file:
        file.write((SESSION % ("/usr/bin/touch", folder)).replace("MARK", mark))

    def check(copy, what, path, _content, _changed):
        done = run("-e", "continue", os.path.join(copy, path))
        expect_sane(done, (2,), what)
        if os.path.exists(mark):
            done.fail(f"{what}: it has been started")
        return done.status

    Case("saved session", here, folder).try_all(check)


def main():
    with tempfile.TemporaryDirectory(prefix="pddt-mutations-") as folder:
        if len(sys.argv) < 2 or "sessions" in sys.argv:
            test_sessions(folder)
        if len(sys.argv) < 2 or "samples" in sys.argv:
            try_archive("archive of samples", test_samples(folder), folder)
        if len(sys.argv) < 2 or "trace" in sys.argv:
            try_archive("archive of a trace", test_traced(folder), folder)


main()
