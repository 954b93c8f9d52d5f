# SPDX-License-Identifier: GPL-3.0-or-later
"""Kills each process of a job over several hosts with -9 while the others live: pddt reports
the remaining state correctly, the survivors can be inspected, and in the end nothing is left
behind."""
import contextlib
import os
import re
import signal

import faults
import hosts
import pddt


def front_end():
    with hosts.Hosts(2) as machines:
        session = faults.Session(machines)
        session.kill("pddt")
        session.expect_no_trace()


def job_ends(part, host):
    """What the launcher itself needs to live ends the whole job, and nothing more."""
    with hosts.Hosts(2) as machines:
        session = faults.Session(machines)
        session.kill(part, host)
        pddt.wait_for("the ranks' end", lambda: session.states() <= {"failed", "lost"})
        session.end(None)


def launcher():
    job_ends("mpirun", "login")


def launchers_agent():
    job_ends("orted", "node2")


def launchers_guard():
    job_ends("pddt-guard", "login")


def daemon():
    """Its ranks end with it; those of the other host stay where they are."""
    with hosts.Hosts(2) as machines:
        session = faults.Session(machines, terminal=True)
        session.kill("pddtd", "node2")
        session.await_word("host node2 is lost")
        session.expect("on 0-1 where", "0-1")
        session.expect("on 0-1 print argc", "0-1")
        lost = session.state_of("2-3")
        assert lost["state"] == "lost" and lost["host"] == "node2", lost
        session.end(3)


def hosts_guard():
    """The host's ranks live on, and are held as before; nothing is planted when all is over."""
    with hosts.Hosts(2) as machines:
        session = faults.Session(machines)
        guard = session.pids("pddt-guard", "node2")
        assert len(guard) == 1, guard
        os.kill(guard[0], signal.SIGKILL)
        session.expect("break pass", "0-3")
        session.expect("where", "0-3")
        session.end(0)


def symbols():
    """The reader of debug information is started again: what it knew is asked anew."""
    with hosts.Hosts(2) as machines:
        session = faults.Session(machines)
        first = session.kill("pddt-symbols", "node2")
        pddt.wait_for("pddt-symbols again", lambda: session.pids("pddt-symbols", "node2") not in ([], [first]))
        session.expect("on 2-3 print argc + 1", "2-3")
        session.end(0)


def rank():
    """The others stand where they were."""
    with hosts.Hosts(2) as machines:
        session = faults.Session(machines, terminal=True)
        os.kill(session.pids("ring", "node2")[0], signal.SIGKILL)
        dead = session.talk.await_event("the rank's end", lambda event: event.get("state") == "failed")
        left = ",".join(str(rank) for rank in sorted({0, 1, 2, 3} - faults.parse(dead["ranks"])))
        assert dead["ranks"] in ("2", "3") and dead["signal"] == "SIGKILL", dead
        session.expect(f"on {left} where", left)
        session.expect(f"on {left} print argc", left)
        session.end(0)


def shim():
    """At three steps of its way: before it did anything, in the middle of the hand-over, before the exec."""
    for step in ("start", "connect", "exec"):
        with hosts.Hosts(2) as machines:
            machines.preload("node2", faults.BEND)
            bend = faults.Bend()
            bend.end_at = step.encode()
            bend.write()
            run = pddt.run(["-e", "show state", *machines.mpirun(["node1", "node2"], 4), faults.RING],
                           prefix=machines.on("login") + ["env", "PDDT_BEND=" + bend.path])
            if step == "exec":
                # The launcher ends node1's ranks, which may be told of in the same line.
                if not re.search(r"^(?:[01],2|[012])-3: failed SIGKILL$", run.out, re.M):
                    run.fail("nobody says that node2's ranks were killed")
            else:
                run.expect_status(3)
                # Whether node1's ranks had reported by then is the race of the two hosts.
                said = re.search(r"cannot start every rank: mpirun ended before (0,|1,|)[012]-3 reported"
                                 r"|cannot start the job: mpirun ended with status 137 before any rank", run.out)
                if not said:
                    run.fail("nobody says that the launcher ended")


def everything():
    """Who could tidy up is gone too: the next session on these hosts removes what was left."""
    with hosts.Hosts(2) as machines:
        session = faults.Session(machines)
        for what in (signal.SIGSTOP, signal.SIGKILL):  # nobody acts on the end of another
            for pid, _ in pddt.left_over(session.talk.marker):
                with contextlib.suppress(ProcessLookupError):  # gone with the one before
                    os.kill(pid, what)
        pddt.expect_nothing_left(session.talk.marker)
        left = faults.find_folders(session.id)
        assert left  # a session of somebody else may have removed a part of it
        faults.Session(machines).end(0)
        assert faults.find_folders(session.id) == [], left


def key_file(session):
    return os.path.join(os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state"), "pddt", session, "key")


def key_removed():
    """The session's key: daemons that are there need it no more."""
    with hosts.Hosts(2) as machines:
        session = faults.Session(machines, program=(faults.RING,))
        os.unlink(key_file(session.id))
        session.expect("where", "0-3")
        session.move("continue")
        session.expect("expect exited", "")
        session.end(0)


if __name__ == "__main__":
    faults.main({function.__name__: function for function in (
        daemon, rank, shim, launcher, launchers_agent, launchers_guard, front_end, hosts_guard, symbols, key_removed,
        everything)})
