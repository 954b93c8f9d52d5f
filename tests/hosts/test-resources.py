# SPDX-License-Identifier: GPL-3.0-or-later
"""Disks are full, the key is missing, the launcher hangs, a hundred sessions run at the same time: each failure has
one clear error message, everything else continues, and nothing is left behind."""
import contextlib
import os
import subprocess
import tempfile

import faults
import late
import pddt


@contextlib.contextmanager
def full_disk(size="256k", room=0):
    """A folder on a file system of its own on which so many bytes are free."""
    folder = tempfile.mkdtemp(prefix="full-")
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], check=True)
    try:
        with contextlib.suppress(OSError), open(os.path.join(folder, "filler"), "wb", buffering=0) as file:
            while os.statvfs(folder).f_bavail * 4096 > room:
                file.write(b"x" * 4096)
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)
        os.rmdir(folder)


def run_with(folder, *names):
    environment = ["env", *(f"{name}={folder}" for name in names)]
    return pddt.run(pddt.commands("show state", "print argc", "continue", "wait 120", "expect exited")
                    + ["mpirun", "-np", "2", faults.RING], prefix=environment)


def full_disks():
    with full_disk() as folder:  # debug information cannot be kept, and is used all the same
        run = run_with(folder, "XDG_CACHE_HOME")
        run.expect_status(0)
        run.expect("0-1: stopped, main at ring.c:")
        run.expect("0-1: argc = 1")
    with full_disk() as folder:
        run = run_with(folder, "XDG_STATE_HOME")
        run.expect_status(0)
        run.expect("No space left on device): this session is in ", "err")
        run.expect("0-1: argc = 1")
        assert len(run.err.splitlines()) == 1, run.err
    with full_disk(room=65536) as folder:  # of the host's own folder; Open MPI's stays elsewhere
        plain = ["-e", "show state", "-e", "continue", "-e", "wait 120", "-e", "expect exited", "/bin/true"]
        run = pddt.run(plain, prefix=["env", "TMPDIR=" + folder])
        run.expect_status(0)
        run.expect("has no space for")
        run.expect("0: exited 0")


def full_in_the_middle():
    """Cache, state and temporary files run full while the job is stopped: it goes on."""
    with full_disk("32m", 28 << 20) as folder:
        names = ("XDG_CACHE_HOME", "XDG_STATE_HOME")
        talk = pddt.Dialogue(["mpirun", "-np", "2", faults.RING], environment={name: folder for name in names})
        talk.ask("show state")
        with contextlib.suppress(OSError), open(os.path.join(folder, "more"), "wb", buffering=0) as file:
            while file.write(b"x" * 4096):
                pass
        for command in ("break pass", "continue", "wait 120", "where", "print rank", "continue", "wait 120",
                        "expect exited"):
            events, _ = talk.ask(command)
            assert events[-1]["ok"], events
        assert talk.end() == 0


def key_removed_before():
    """By a launcher that does so before it starts a rank."""
    with tempfile.TemporaryDirectory() as folder:
        fake = os.path.join(folder, "mpirun")
        with open(fake, "w", encoding="ascii") as file:
            file.write("#!/bin/bash\ncase \"$*\" in *--version*) ;; *) session=${OMPI_MCA_orte_fork_agent:-$PRTE_MCA_odls_base_exec_agent}; session=${session#*--session }\n"
                       "rm ${session%% *}/key;; esac\nexec mpirun \"$@\"\n")
        os.chmod(fake, 0o755)
        run = pddt.run(["-e", "show state", fake, "-np", "2", "/bin/true"])
        run.expect_status(3)
        run.expect("/key: No such file or directory", "err")


def hung_launcher():
    """It neither starts a rank nor hears anybody: it is ended by force, and nothing waits for it."""
    with tempfile.TemporaryDirectory() as folder:
        fake = os.path.join(folder, "mpirun")
        with open(fake, "w", encoding="ascii") as file:
            file.write("#!/bin/bash\ncase \"$*\" in *--version*) echo 'mpirun (Open MPI) 4.1.4'; exit;; esac\n"
                       "trap '' TERM INT HUP\nwhile :; do sleep 1000; done\n")
        os.chmod(fake, 0o755)
        talk = pddt.Dialogue([fake, "-np", "2", "/bin/true"], terminal=True)
        pddt.wait_for("the launcher", lambda: [1 for _, command in pddt.left_over(talk.marker) if "sleep" in command])
        talk.end()  # the launcher itself would never end


def mute_launcher():
    """It does not even say what it is."""
    with tempfile.TemporaryDirectory() as folder:
        fake = os.path.join(folder, "mpirun")
        with open(fake, "w", encoding="ascii") as file:
            file.write("#!/bin/bash\nexec sleep 1000\n")
        os.chmod(fake, 0o755)
        run = pddt.run(["-e", "show state", fake, "-np", "2", "/bin/true"])
        assert run.status in (2, 3) and len(run.err.splitlines()) == 1, (run.status, run.err)
        run.expect("--version", "err")


def late_rank():
    """A minute after the first rank has reported, those that have not are named."""
    bend = faults.Bend("pddt")
    with tempfile.TemporaryDirectory() as folder:
        talk = pddt.Dialogue(late.command(folder, "/bin/sleep", "1000"), terminal=True,
                             environment={"PDDT_BEND": bend.path, "LD_PRELOAD": faults.BEND})
        pddt.wait_for("the first rank", lambda: [1 for _, command in pddt.left_over(talk.marker)
                                                 if command.startswith("/bin/sleep")])
        bend.speed(20)
        talk.await_event("the one that is late",
                         lambda event: faults.has_words(event, "cannot start every rank: 1 did not report within 60 s"))
        bend.speed(1)
        talk.end()


SIDE_BY_SIDE = 100


def side_by_side():
    """All are alive at once: each program goes on when it has seen all the others' files."""
    with tempfile.TemporaryDirectory() as folder:
        script = f"touch {folder}/$0; until [ $(ls {folder} | wc -l) = {SIDE_BY_SIDE} ]; do sleep 0.2; done; echo mine $0"
        runs = []
        for number in range(SIDE_BY_SIDE):
            runs.append(pddt.start(["--stop-at", "none", *pddt.commands("wait 120", "show state", "expect exited"),
                                    "sh", "-c", script, str(number)]))
        for number, (process, marker) in enumerate(runs):
            out, err = process.communicate(timeout=120)
            assert process.returncode == 0, (number, process.returncode, out, err)
            assert f"0| mine {number}\n" in out and "0: exited 0\n" in out and "lost" not in out, (number, out, err)
            pddt.expect_nothing_left(marker)


SCENARIOS = (full_disks, full_in_the_middle, key_removed_before, hung_launcher, mute_launcher, late_rank,
             side_by_side)
if __name__ == "__main__":
    faults.main({function.__name__: function for function in SCENARIOS})
