# SPDX-License-Identifier: GPL-3.0-or-later
"""--profile when things go wrong: ranks that are killed, threads and children that come and go, a full disk."""
import os
import resource
import signal
import socket
import subprocess
import sys

import otf2

import pddt
from measured import Measured, once_in_five, read

PROGRAM = os.path.join(pddt.SOURCE, "tests", "mpi", "crowd.py")
PLAIN = ["/usr/bin/python3", PROGRAM]


@once_in_five
def test_signal():
    """One of two ranks dies; the other is ended by mpirun. Each computes for 0.3 s of the clock, less what it waits for
    a processor."""
    plain = subprocess.run(["mpirun", "-np", "2"] + PLAIN + ["wait"], env=pddt.ENVIRONMENT, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
    with Measured(["mpirun", "-np", "2"] + PLAIN + ["wait"]) as measured:
        run = measured.run()
        run.expect_status(plain.returncode)
        run.expect("was killed by SIGSEGV", "err")
        ranks = read(run.archive)
        for rank in "rank 0", "rank 1":
            told = ranks[rank]
            if told.get("work", 0) + told.get("not sampled", 0) + told.get("queued", 0) / 1e6 < 0.2:
                run.fail(f"{ranks}")


@once_in_five
def test_threads():
    with Measured(PLAIN + ["threads"], "--rate", "500") as measured:
        run = measured.run()
        run.expect_status(0)
        found = read(run.archive)["rank 0"]
        if found["work"] + found.get("not sampled", 0) < 0.6 or found["threads"] < 10:
            run.fail(f"{found}")
        print(f"# {found['threads']} of 181 threads seen, {found['work']:.2f} s in work")


@once_in_five
def test_dying():
    """Many are killed in the middle of a sample."""
    with Measured(PLAIN + ["dying"], "--rate", "1000") as measured:
        run = measured.run()
        run.expect_status(0)
        run.expect("done")
        found = read(run.archive)["rank 0"]
        if found["work"] + found.get("not sampled", 0) < 0.3:
            run.fail("the parent's time is lost")


def test_many():
    """More than 16 ranks on a host: half as many samples."""
    with Measured(["mpirun", "-np", "18", "/bin/sleep", "1.5"]) as measured:
        run = measured.run()
        run.expect_status(0)
        run.expect("18 ranks", "err")
        if len(read(run.archive)) != 18:
            run.fail("not 18 ranks")
        with otf2.reader.open(os.path.join(run.archive, "traces.otf2")) as trace:
            if [each.period for each in trace.definitions.interrupt_generators] != [20000000]:
                run.fail("another period")


def test_full():
    """The job goes on, and one sentence says what is missing."""
    with Measured(PLAIN + ["threads", "wait"], "--output", "here") as measured:
        process = measured.start(stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        spool = os.path.join(measured.folder, "here", "spool")
        pddt.wait_for("samples", lambda: os.path.exists(spool) and os.path.getsize(spool) > 1000)
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (2000, 2000))
        out, err = process.communicate(timeout=60)
        run = measured.end(process.returncode, out, err)
        run.expect_status(3)
        run.expect("done")
        run.expect("The samples could not be kept in here: File too large.", "err")
        if run.err.count("\n") != 1:
            run.fail("more than a sentence")


def test_no_space():
    """The same on a file system that has no room for more than a part of it."""
    script = 'mount -t tmpfs -o size=8k tmpfs "$0" && cd "$0" && exec "$@"'
    measured = Measured(PLAIN + ["threads", "wait"], "--output", "here")
    with measured:
        measured.line = ["unshare", "--mount", "sh", "-c", script, measured.folder] + measured.line
        if subprocess.run(["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", measured.folder],
                          stderr=subprocess.DEVNULL).returncode != 0:
            print("# test_no_space needs root and mount namespaces")
            return
        run = measured.run()
        run.expect_status(3)
        run.expect("done")
        run.expect("The samples could not be kept in here: No space left on device.", "err")
        if run.err.count("\n") != 1:
            run.fail("more than a sentence")


CRASH_LOG = os.path.join(os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state"), "pddt",
                         f"crash-{socket.gethostname()}.log")


def kill_part(measured, part, number=signal.SIGKILL):
    """Kills it when samples have come; the run to its end."""
    process = measured.start(stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    spool, sizes = os.path.join(measured.folder, "here", "spool"), set()
    pddt.wait_for("samples", lambda: os.path.exists(spool) and (sizes.add(os.path.getsize(spool)) or len(sizes) > 2))
    victims = [pid for pid, command in pddt.left_over(os.path.basename(measured.folder))
               if os.path.basename(command.split()[0]) in (part, "prterun" if part == "mpirun" else part)]
    if not victims:
        raise SystemExit(f"no {part} runs")
    for pid in victims:
        os.kill(pid, number)
    out, err = process.communicate(timeout=60)
    return measured.end(process.returncode, out, err)


def test_parts():
    """Whatever part of pddt's is killed: what has been sampled is in the archive, and no process is left. Without
    the process that reads debug information nothing else changes. Without the daemon the program runs on, and where it
    crashed is known."""
    for part, status in ("pddtd", 3), ("pddt-symbols", 0), ("pddt-guard", 3), ("mpirun", 137):
        print(try_part(part, status), flush=True)


def try_part(part, status):
    with Measured(["mpirun", "-np", "2"] + PLAIN + ["threads", "stay"], "--output", "here") as measured:
        run = kill_part(measured, part, signal.SIGSEGV if part == "pddtd" else signal.SIGKILL)
        run.expect_status(status)
        if part == "pddt-guard":
            run.expect("pddt: pddt-guard was killed: mpirun is being ended\n", "err")
        if part == "pddtd":
            run.expect("is lost: its daemon has ended. Its ranks run on, and are not measured any more", "err")
            if run.out.count("done") != 2:
                run.fail("the program ended with the daemon")
            with open(CRASH_LOG, encoding="utf-8") as file:
                log = file.read()
            if "crashed with SIGSEGV" not in log or log.count("pddtd(+0x") < 5:
                run.fail(log)
            os.unlink(CRASH_LOG)
        if part == "pddt-symbols":
            run.expect("done")
        run.expect("The archive is here.", "err")
        ranks = read(run.archive)
        if sorted(ranks) != ["rank 0", "rank 1"] or not all(rank["samples"] > 0 for rank in ranks.values()):
            run.fail(f"{part}: {ranks}")
    return f"# without {part}: {[rank['samples'] for rank in ranks.values()]} samples"


def test_guard():
    """Without the launcher's guard a program that does not end when it is told to is waited for, and killed after 10 s,
    as the guard would have it. None is left behind."""
    for end, words in ("stay", ["told to end", "done"]), ("forever", ["told to end"]):
        with Measured(PLAIN + ["deaf", "threads", end], "--output", "here") as measured:
            run = kill_part(measured, "pddt-guard")
            run.expect_status(3)
            run.expect("pddt: pddt-guard was killed: python3 is being ended\n", "err")
            if run.out.split("\n")[:-1] != words:
                run.fail(f"{end}: not {words}")
            if read(run.archive)["rank 0"]["work"] < 0.3:
                run.fail("its time is lost")


def kill_writer(process):
    """Kills pddt-archive, which lives for milliseconds. FALSE: it was not seen."""
    while process.poll() is None:
        try:
            with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as file:
                children = file.read().split()
            for child in children:
                with open(f"/proc/{child}/comm", encoding="ascii", errors="replace") as file:
                    if file.read().strip() == "pddt-archive":
                        os.kill(int(child), signal.SIGKILL)
                        return True
        except OSError:
            pass
    return False


def test_writer():
    """The process that writes the archive is killed: the program has run as ever, what is lost is said, and --finalize
    makes the archive of what was recorded, and leaves nothing else."""
    for mode in "--profile", "--trace":
        for _ in range(20):
            with Measured(PLAIN + ["threads"], "--output", "here", mode=mode) as measured:
                process = measured.start(stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                is_killed = kill_writer(process)
                out, err = process.communicate(timeout=60)
                run = measured.end(process.returncode, out, err)
                if not is_killed or "could not be written" not in err:
                    continue  # it had written it
                run.expect_status(3)
                run.expect("done")
                run.expect("The archive could not be written: pddt-archive ended by signal 9. pddt --finalize here tries", "err")
                here = os.path.join(measured.folder, "here")
                pddt.run(["--finalize", here]).expect_status(0)
                assert all(name.startswith("traces") for name in os.listdir(here)), os.listdir(here)
                break
        else:
            raise SystemExit("pddt-archive was never seen")


PARTS_OF_SEVEN = range(7) if os.environ.get("PDDT_LONG") else (0, 4)


def test_cut():
    """The archive of a run, cut anywhere in any of its files: shown as far as it goes, or refused in a sentence."""
    with Measured(PLAIN, "--output", "here") as measured:
        measured.run().expect_status(0)
        here = os.path.join(measured.folder, "here")
        shown = 0
        for path in sorted(os.path.join(place, name) for place, _, names in os.walk(here) for name in names):
            with open(path, "rb") as file:
                whole = file.read()
            for cut in sorted({len(whole) * part // 7 for part in PARTS_OF_SEVEN} | {len(whole) - 1}):
                if cut < 0:
                    continue
                with open(path, "wb") as file:
                    file.write(whole[:cut])
                found = subprocess.run([pddt.PDDT, "--cli", here], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       timeout=60, env=pddt.ENVIRONMENT)
                run = pddt.Run(found.returncode, found.stdout.decode(), found.stderr.decode())
                if found.returncode not in (0, 1) or found.stderr.count(b"\n") > 1 or (
                        found.stderr and not found.stderr.startswith(b"pddt: ")):
                    run.fail(f"{path} cut at {cut} of {len(whole)}")
                shown += "work" in run.out
            with open(path, "wb") as file:
                file.write(whole)
        print(f"# {shown} of the cut ones showed something")


for test in (test_signal, test_threads, test_dying, test_many, test_full, test_no_space, test_parts, test_guard,
             test_writer, test_cut):
    if len(sys.argv) < 2 or test.__name__ in sys.argv:
        test()
        print("ok", test.__name__, flush=True)
