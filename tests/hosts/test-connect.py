# SPDX-License-Identifier: GPL-3.0-or-later
"""pddt --connect: a job waits until a pddt of this user takes it. Nobody else has a hand in that, nothing is started before,
and a job that nobody takes ends with one sentence, or runs as without pddt. Another host is imitated by a host name and
an `ssh` that runs what it is told to here."""
import contextlib
import os
import shutil
import signal
import subprocess
import tempfile

import pddt

RING = os.path.join(pddt.BUILD, "tests", "mpi", "ring")
FOLDER = tempfile.mkdtemp(prefix="pddt-test-connect-")
OFFERS = os.path.join(FOLDER, "offers")
JOB = ["mpirun", "-np", "2", RING]
PLACE = {"PDDT_CONNECT_FOLDER": OFFERS}


def list_offers():
    with contextlib.suppress(FileNotFoundError):
        return [name for name in os.listdir(OFFERS) if not name.startswith(".")]
    return []


def wait_for_offer():
    return pddt.wait_for("an offer", list_offers)[0]


def read_offer(name):
    with open(os.path.join(OFFERS, name), encoding="utf-8") as file:
        return file.read()


class Waiting:
    """A job that waits; `end` is its Run."""

    def __init__(self, *options, job=(*JOB,), prefix=(), **environment):
        self.process, self.marker = pddt.start(["--connect", *options, *job], prefix=prefix,
                                               environment={"SLURM_JOB_ID": "4711", **PLACE, **environment})
        self.id = wait_for_offer()

    def end(self):
        out, err = self.process.communicate(timeout=60)
        pddt.expect_nothing_left(self.marker)
        run = pddt.Run(self.process.returncode, out, err)
        if list_offers():
            run.fail(f"offers are left: {list_offers()}")
        return run


def take(*words, **more):
    return pddt.run([*words], environment=PLACE, **more)


def check_taken():
    """It is debugged as on the spot; its folder and environment are the batch script's."""
    waiting = Waiting()
    run = take("-e", "where", "-e", "continue &", "-e", "wait")
    run.expect_status(0)
    run.expect(f"Job 4711 on {os.uname().nodename} wants to be debugged: mpirun -np 2 {RING}", "err")
    run.expect_line("0-1: exited 0")
    done = waiting.end()
    done.expect_status(0)
    done.expect("waiting for a pddt that takes this job", "err")


def check_two():
    """Of two that want it one gets it, and the other learns that."""
    waiting = Waiting()
    first = pddt.Dialogue(["--take", waiting.id], environment=PLACE)
    first.await_event("first stop", lambda event: event["event"] == "stopped")
    second = take("--cli", "--take", waiting.id)
    second.expect_status(3)
    second.expect("is in the hands of", "err")
    second.expect("another pddt has taken it already: ", "err")
    if first.end() != 0:
        raise SystemExit(f"status {first.process.returncode}")
    waiting.end().expect_status(0)


def check_left():
    """Whoever has taken it was killed: it is offered again, as it was left."""
    waiting = Waiting()
    first = pddt.Dialogue(["--take", waiting.id], environment=PLACE)
    first.await_event("first stop", lambda event: event["event"] == "stopped")
    first.ask("break pass")
    first.process.kill()
    pddt.wait_for("the offer of what is left", lambda: "Left=true" in read_offer(waiting.id))
    gone = take("--decline", waiting.id)
    gone.expect_status(3)
    gone.expect(f"the job {waiting.id} runs already", "err")
    run = take("-e", "show breakpoints", "-e", "delete", "-e", "continue", "-e", "wait 60")
    run.expect_status(0)
    run.expect(f"Job 4711 on {os.uname().nodename} lives on without a window", "err")
    run.expect("0-1: breakpoint 1 set, pass at ring.c:")
    run.expect_line("0-1: exited 0")
    waiting.end().expect_status(0)
    first.end()


def check_declined():
    waiting = Waiting()
    master, end = pddt.open_terminal()
    process = subprocess.Popen([pddt.PDDT, "--cli"], stdin=end, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                               env=dict(pddt.ENVIRONMENT, **PLACE), start_new_session=True)
    os.close(end)
    master.write("d\n")
    master.flush()
    err = process.communicate(timeout=60)[1]
    master.close()
    if process.returncode != 0 or "[Y/n, d to decline it]" not in err:
        raise SystemExit(f"declined with status {process.returncode}: {err}")
    run = waiting.end()
    run.expect_status(3)
    run.expect("the job was declined: nothing was started", "err")
    run.expect_not("rank 0")
    waiting = Waiting("--keep", job=["sh", "-c", "echo as without; exit 7"])
    take("--decline", waiting.id).expect_status(0)
    run = waiting.end()
    run.expect_status(7)
    run.expect_line("as without")
    gone = take("--decline", waiting.id)
    gone.expect_status(3)
    gone.expect(f"no job {waiting.id} waits to be debugged", "err")
    take("--decline", waiting.id, "true").expect_status(2)


def check_late():
    Waiting("--connect-timeout", "1").end().expect_status(3)
    python = [pddt.PYTHON, "%python_debug%", "-c", "print('as without'); raise SystemExit(7)"]
    run = Waiting("--connect-timeout", "1", "--keep", job=python).end()
    run.expect_status(7)
    run.expect_line("as without")
    waiting = Waiting()
    os.kill(waiting.process.pid, signal.SIGTERM)
    waiting.end().expect_status(3)


def check_stale():
    """A job that was killed: whoever looks removes its offer."""
    waiting = Waiting()
    os.kill(waiting.process.pid, signal.SIGKILL)
    waiting.process.communicate()
    run = take("--cli")
    run.expect_status(2)
    run.expect("no job waits", "err")
    if list_offers():
        run.fail("its offer is left")


def check_folder():
    """A folder that others can enter, or that is another user's, is not used by either side."""
    for change, sentence in ((lambda: os.chmod(OFFERS, 0o777), "others can enter it"),
                             (lambda: os.chown(OFFERS, 65534, 65534), "it is another user's")):
        if os.geteuid() != 0 and "another" in sentence:
            continue
        change()
        for run in take("--connect", *JOB), take("--cli"):
            if run.status not in (2, 3):
                run.fail("status")
            run.expect(sentence, "err")
        os.chmod(OFFERS, 0o700)
    shutil.rmtree(OFFERS)
    os.symlink("/tmp", OFFERS)
    take("--connect", *JOB).expect_status(3)
    os.unlink(OFFERS)


def check_hostile():
    """Files that pddt did not write."""
    os.makedirs(OFFERS, 0o700, exist_ok=True)
    texts = {"0" * 16: b"\xff" * 1000, "1" * 16: b"[Offer]\nHost=-oProxyCommand=touch\n", "2" * 16: b"", "3": b"[Offer]\n",
             "4" * 16: b"[Offer]\nHost=a;touch b\nCommand=x\n"}
    for name, text in texts.items():
        with open(os.path.join(OFFERS, name), "wb") as file:
            file.write(text)
    os.mkfifo(os.path.join(OFFERS, "5" * 16))
    run = take("--cli")
    run.expect_status(2)
    run.expect("no job waits", "err")
    with open(os.path.join(OFFERS, "6" * 16), "wb") as file:
        file.write(b"[Offer]\nHost=other\nCommand=a\\x1b[2Jb\nJob=\x07\n")
    run = take("--cli")
    if "\x1b" in run.err or "\x07" in run.err:
        run.fail("control characters")
    shutil.rmtree(OFFERS)


def check_elsewhere():
    """The job's host is another one: the way there is ssh (imitated)."""
    if subprocess.run(["unshare", "--uts", "true"], check=False, capture_output=True, stdin=subprocess.DEVNULL).returncode:
        return
    tools = os.path.join(FOLDER, "tools")
    os.makedirs(tools)
    with open(os.path.join(tools, "ssh"), "w", encoding="utf-8") as file:
        file.write('#!/bin/sh\necho "$@" >>"' + FOLDER + '/ways"\nwhile [ "$1" != -- ]; do shift; done\nshift\nname=$1\nshift\n'
                   'exec unshare --uts sh -c \'hostname "$0"; exec "$@"\' "$name" "$@"\n')
    os.chmod(os.path.join(tools, "ssh"), 0o755)
    waiting = Waiting(prefix=["unshare", "--uts", "sh", "-c", 'hostname elsewhere; exec "$@"', "-"], SLURM_JOB_ID="")
    run = pddt.run(["-e", "where", "-e", "continue &", "-e", "wait"],
                   environment=dict(PLACE, PATH=tools + ":" + os.environ["PATH"]))
    run.expect_status(0)
    run.expect("A job on elsewhere wants to be debugged", "err")
    run.expect_line("0-1: exited 0")
    waiting.end().expect_status(0)
    check_dead(tools)
    with open(os.path.join(FOLDER, "ways"), encoding="utf-8") as file:
        if f"-T -- elsewhere {pddt.PDDT} --serve={waiting.id}" not in file.read():
            raise SystemExit("not the way of ssh")


def check_dead(tools):
    """The job on another host was killed by its queue: its offer goes when Slurm says so, not when it does not answer."""
    place = dict(PLACE, PATH=tools + ":" + os.environ["PATH"])
    for name, text in (("srun", "echo 'srun: error: cannot reach' >&2; exit 1"), ("squeue", "echo 'slurm_load_jobs error: Unable to "
                       "contact slurm controller (connect failure)' >&2; exit 1")):
        with open(os.path.join(tools, name), "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + text + "\n")
        os.chmod(os.path.join(tools, name), 0o755)
    waiting = Waiting(prefix=["unshare", "--uts", "sh", "-c", 'hostname elsewhere; exec "$@"', "-"])
    os.kill(waiting.process.pid, signal.SIGKILL)
    waiting.process.communicate()
    run = pddt.run(["--cli", "--take", waiting.id], environment=place)
    run.expect_status(3)
    run.expect("srun: error: cannot reach", "err")
    if list_offers() != [waiting.id]:
        run.fail("the offer is gone")
    with open(os.path.join(tools, "squeue"), "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\necho 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1\n")
    run = pddt.run(["--cli", "--take", waiting.id], environment=place)
    run.expect_status(3)
    run.expect("job 4711 is over: its offer is removed", "err")
    if list_offers():
        run.fail("the offer is left")


try:
    check_taken()
    check_two()
    check_left()
    check_declined()
    check_late()
    check_stale()
    check_folder()
    check_hostile()
    check_elsewhere()
finally:
    shutil.rmtree(FOLDER)
