# SPDX-License-Identifier: GPL-3.0-or-later
"""--profile: the job is what it is without pddt, and its archive says where the time went."""
import contextlib
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import time

import pddt
from measured import Measured, once_in_five, read, run_parts

PROGRAM = os.path.join(pddt.SOURCE, "tests", "mpi", "measured_program.py")
PLAIN = ["/usr/bin/python3", PROGRAM]
RANKS = ["mpirun", "-np", "3", "/usr/bin/python3", PROGRAM, "mpi"]
LINE = pddt.mark(PROGRAM, "work")


def expect_near(run, found, wanted, what, within=0.25):
    """found: of the rank. Where pddt had no processor it does not know what that did."""
    value, lost = found["work"], found.get("not sampled", 0)
    print(f"# {what}: {value:.2f}, wanted {wanted:.2f}; {lost:.2f} not sampled")
    if not wanted - lost <= value + within * wanted + 0.1 or value > wanted + within * wanted + 0.1:
        run.fail(f"{what} is {value}, not {wanted}")


def test_same():
    """What it prints, reads and returns, with and without pddt."""
    for words, given in (["read"], "a line\n"), (["warn", "fail"], ""), (["abort", "quick"], ""):
        plain = subprocess.run(PLAIN + words, input=given, text=True, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
        with Measured(["/usr/bin/python3", "-u", "%python_debug%", PROGRAM] + words, given=given) as measured:
            run = measured.run()
            wanted = plain.returncode if plain.returncode >= 0 else 128 - plain.returncode
            run.expect_status(wanted)
            if run.out != plain.stdout or not run.err.startswith(plain.stderr + "pddt: 1 rank, "):
                run.fail(f"not {plain.stdout!r} and {plain.stderr!r}")
            if os.path.basename(run.archive) != "pddt-measured_program-1":
                run.fail("another archive")


def test_ranks():
    with Measured(RANKS + ["fail"]) as measured:
        run = measured.run()
        run.expect_status(5)
        lines = sorted(line for line in run.out.splitlines() if line.startswith("rank"))
        if lines != [f"rank {rank} is done" for rank in range(3)]:
            run.fail("the ranks' output is another")
        run.expect(f"work at measured_program.py:{LINE} ", "err")
        run.expect("The worst imbalance: rank ", "err")
        lines = re.search(r"The most expensive lines: (.*?)\. The worst", run.err)
        if not lines or [bool(re.fullmatch(r".+ at \S+:\d+ [0-9.]+ %", line)) for line in lines[1].split("; ")] != [True] * 3:
            run.fail("not the three most expensive lines")
        ranks = read(run.archive)
        for rank in range(3):
            found = ranks[f"rank {rank}"]
            expect_near(run, found, 0.8 * (rank + 1), f"work of rank {rank}")
            if not 0.1e6 < found["cpu"] < 1e6 * (sum(found.get(kind, 0) for kind in ("Python", "MPI", "native")) + 1) or not 5e6 < found["rss"] < 500e6 or found["threads"] < 1 or found["waits"] < 1:
                run.fail(f"{found}")
        if ranks["rank 0"].get("barrier", 0) < ranks["rank 2"].get("barrier", 0) + 0.8:
            run.fail(f"rank 0 has not waited for rank 2: {ranks}")


def test_output():
    with Measured(PLAIN, "--output", "here", "--rate", "200") as measured:
        run = measured.run()
        run.expect_status(0)
        found = read(os.path.join(measured.folder, "here"))["rank 0"]
        before = os.listdir(os.path.join(measured.folder, "here"))
        expect_near(run, found, 0.8, "work at 200 Hz")
        again = measured.run()
        again.expect_status(3)
        again.expect("here is there already", "err")
        if again.out or os.listdir(os.path.join(measured.folder, "here")) != before:
            again.fail("an archive was overwritten")


def test_terminal():
    """Ctrl-C on a terminal reaches the program, which has the terminal for its own."""
    with Measured(PLAIN + ["read", "forever"]) as measured:
        master, slave = pty.openpty()
        process = subprocess.Popen(["setsid", "-c", "-w"] + measured.line, cwd=measured.folder,
                                   env=measured.environment, stdin=slave, stdout=slave, stderr=slave)
        os.close(slave)
        text = b""

        def read_until(word):
            nonlocal text
            end = time.monotonic() + 120
            while word not in text:
                if time.monotonic() > end:
                    raise SystemExit(f"no {word}: {text}")
                with contextlib.suppress(OSError):
                    text += os.read(master, 4096)

        os.write(master, b"typed\n")
        read_until(b"ready")
        os.write(master, b"\x03")
        read_until(b"archive")  # or that there is none: it has hardly run
        process.wait(60)
        os.close(master)
        run = measured.end(process.returncode, text.decode().replace("\r", ""), "")
        run.expect("read typed True True")
        run.expect("interrupted")
        run.expect_status(9)


def test_end():
    """SIGTERM ends the job, and the archive is there; after SIGKILL --finalize makes it."""
    for number in signal.SIGTERM, signal.SIGINT, signal.SIGKILL:
        command = PLAIN if number == signal.SIGINT else RANKS
        with Measured(command + ["forever"], "--output", "here") as measured:
            process = measured.start(stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            for _ in range(3 if command == RANKS else 1):
                process.stdout.readline()
            spool = os.path.join(measured.folder, "here", "spool")
            sizes = set()
            pddt.wait_for("samples", lambda: sizes.add(os.path.getsize(spool)) or len(sizes) > 2)
            process.send_signal(number)
            out, err = process.communicate(timeout=60)
            run = measured.end(process.returncode, out, err)
            if number == signal.SIGKILL:
                if not os.path.exists(spool):
                    run.fail("no spool")
                owner = 65534 if os.geteuid() == 0 else os.geteuid()
                os.chmod(measured.folder, 0o755)
                for path in spool, os.path.dirname(spool):
                    os.chown(path, owner, os.getegid())
                final = subprocess.run([pddt.PDDT, "--finalize", "here"], cwd=measured.folder, text=True,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                run = pddt.Run(final.returncode, final.stdout, final.stderr)
                run.expect_status(0)
                if os.stat(os.path.join(measured.folder, "here", "traces.otf2")).st_uid != owner:
                    run.fail("the archive is not of the folder's owner")
            elif number == signal.SIGINT:
                run.expect_status(9)
                run.expect("interrupted")
            run.expect("The archive is here.", "err")
            if os.path.exists(spool):
                run.fail("the spool is still there")
            ranks = read(os.path.join(measured.folder, "here"))
            if not all(rank.get("work", 0) > 0.2 for rank in ranks.values()):
                run.fail(f"{ranks}")


def test_attached():
    program = subprocess.Popen(PLAIN + ["forever"], stdout=subprocess.PIPE, text=True)
    try:
        program.stdout.readline()
        with Measured(["--attach", str(program.pid)], "--duration", "1.5") as measured:
            run = measured.run()
            run.expect_status(0)
            found = read(run.archive)["rank 0"]
            expect_near(run, found, 1.5, "work of an attached process", 0.6)
            if program.poll() is not None:
                run.fail("the program did not run on")
    finally:
        program.kill()
        program.wait()


def test_attached_job():
    """Until its end, and until Ctrl-C, after which it runs on."""
    for is_ended in False, True:
        job = subprocess.Popen(RANKS + ["forever"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                               env=pddt.ENVIRONMENT)
        try:
            for _ in range(3):
                job.stdout.readline()
            with Measured(["--attach-job", str(job.pid)], "--output", "here") as measured:
                process = measured.start(stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                spool, sizes = os.path.join(measured.folder, "here", "spool"), set()
                pddt.wait_for("samples", lambda: os.path.exists(spool) and (sizes.add(os.path.getsize(spool)) or len(sizes) > 3))
                (job if is_ended else process).send_signal(signal.SIGINT)
                run = measured.end(None, *process.communicate(timeout=60))
                run.expect("3 ranks", "err")
                found = read(os.path.join(measured.folder, "here"))
                if sorted(found) != [f"rank {rank}" for rank in range(3)] or not all(
                        rank["work"] + rank.get("not sampled", 0) > 0.2 for rank in found.values()):
                    run.fail(f"{found}")
                if not is_ended and job.poll() is not None:
                    run.fail("the job did not run on")
        finally:
            job.kill()
            job.communicate()


def test_duration():
    """A job that pddt has started is ended with the measurement."""
    with Measured(RANKS + ["forever"], "--duration", "2") as measured:
        run = measured.run()  # which looks for what is left
        if len(read(run.archive)) != 3:
            run.fail("another end")


def test_late():
    """The time of a measurement begins with the first rank: a launcher takes what it takes."""
    with Measured(RANKS + ["forever"], "--duration", "1") as measured:
        folder = os.path.join(measured.folder, "bin")
        os.mkdir(folder)
        with open(os.path.join(folder, "mpirun"), "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nsleep 2\nexec {shutil.which("mpirun")} "$@"\n')
        os.chmod(file.name, 0o755)
        measured.environment["PATH"] = folder + ":" + os.environ["PATH"]
        if len(read(measured.run().archive)) != 3:
            raise SystemExit("not every rank was measured")


def test_short():
    """A program that ends before its first sample has its own status, and nothing is left that nobody can use."""
    for _ in range(60):
        with Measured(["/bin/false"], "--rate", "1") as measured:
            run = measured.run()
            run.expect_status(1)
            if ", 1 sample: " not in run.err:
                run.expect(", 0 samples", "err")
                run.expect("It ended before a sample was taken, so there is no archive of samples.", "err")
                if os.listdir(measured.folder):
                    run.fail(f"{os.listdir(measured.folder)} are left")
                return
    raise SystemExit("each of 60 runs had a sample")


def test_children():
    with Measured(PLAIN + ["fork", "subprocess"], "--report", "report.txt") as measured:
        run = measured.run()
        run.expect_status(0)
        ranks = read(run.archive)
        expect_near(run, ranks["rank 0"], 0.8, "work of the parent")
        children = sorted((rank for name, rank in ranks.items() if name.startswith("child")), key=lambda each: each["work"])
        if len(children) != 2:
            run.fail(f"children: {ranks}")
        expect_near(run, children[0], 0.2, "work of the subprocess")
        expect_near(run, children[1], 0.7, "work of the forked child")
        run.expect("1 rank and 2 child processes", "err")
        with open(os.path.join(measured.folder, "report.txt"), encoding="utf-8") as file:
            text = file.read()
        names = re.findall(r"^process \d+ \(child of rank 0\) ", text, re.M)
        if len(names) != 2 or "of rank 1" in text or "of rank 2" in text:
            run.fail(f"children are {names}: {text}")


def test_mandelbrot():
    """The example of the manual: rows in blocks keep the ranks in the middle busy, every n-th row keeps all."""
    def measure(*words):
        program = os.path.join(pddt.SOURCE, "data", "examples", "mandelbrot.py")
        with Measured(["mpirun", "-np", "8", "/usr/bin/python3", program, "--rows", "128", "--pictures", "2", *words],
                      "--report", "report.json") as measured:
            run = measured.run()
            run.expect_status(0)
            run.expect("at mandelbrot.py:", "err")
            with open(os.path.join(measured.folder, "report.json"), encoding="utf-8") as file:
                blocks = next(section for section in json.load(file)["sections"] if section["title"] == "Ranks")["blocks"]
        titles = [column["title"] for column in blocks[0]["columns"]]
        kinds = {row[0]: dict(zip(titles, row)) for row in blocks[0]["rows"]}
        print(f"# {words}: {kinds}")
        return kinds["Work"], kinds["MPI"]["Mean"] / (kinds["Work"]["Mean"] + kinds["MPI"]["Mean"])
    (block, block_share), (cyclic, cyclic_share) = measure(), measure("--cyclic")
    if block["Rank with the most"] not in range(2, 6) or block["Rank with the least"] not in (0, 1, 6, 7):
        raise SystemExit(f"in blocks: {block}")
    if not block["Imbalance"] > 1.3 * cyclic["Imbalance"] or not block_share > cyclic_share:
        raise SystemExit(f"no gain: {block}, {cyclic}, MPI {block_share} and {cyclic_share}")


GIL = """import threading, time
def compute():
    end = time.monotonic() + 1
    while time.monotonic() < end:
        sum(range(100))
threads = [threading.Thread(target=compute) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(time.process_time())
"""


def test_lock():
    """Of four threads that all want the interpreter one has it: no more of them compute in it than that."""
    with Measured(["/usr/bin/python3", "-c", GIL]) as measured:
        run = measured.run()
        found = read(run.archive)["rank 0"]
        if found.get("Python lock", 0) < 0.1 or found["Python"] > 1.6:
            run.fail(f"{found}, and the program used a processor for {run.out} s")


def test_wrong():
    for words, sentence in (["--rate", "0"], "--rate needs"), (["--rate", "2000"], "--rate needs"), \
            (["--duration", "x"], "--duration needs"), (["--cli"], "do not go with it"), \
            (["--metrics", "rss,memory"], 'no metric is named "memory"; there are: rss, cpu, io, switches, threads, '
                                          'node, energy, gpu'), \
            (["-e", "where"], "do not go with it"):
        with Measured(PLAIN, *words) as measured:
            run = measured.run()
            run.expect_status(2)
            run.expect(sentence, "err")
            if os.listdir(measured.folder):
                run.fail("something was written")
    with Measured(["/no/such/program"]) as measured:
        run = measured.run()
        run.expect_status(3)
        run.expect("no such file", "err")
        if os.listdir(measured.folder):
            run.fail("something was written")


run_parts(tuple(map(once_in_five, (test_ranks, test_output, test_attached, test_children, test_mandelbrot, test_lock))),
          (*map(once_in_five, (test_end, test_attached_job)), test_same, test_terminal, test_duration, test_late, test_short, test_wrong))
