# SPDX-License-Identifier: GPL-3.0-or-later
"""A host becomes silent, a host is lost, the front end dies: the others continue, and no rank is left behind."""
import contextlib
import os
import signal

import faults
import hosts
import pddt

ring = os.path.join(pddt.BUILD, "tests", "mpi", "ring")


def begin(machines):
    talk = pddt.Dialogue(machines.mpirun(["node1", "node2"], 4) + [ring, "hang"],
                         prefix=machines.on("login"))
    talk.ask("show state")
    return talk


def message(words):
    return lambda event: faults.has_words(event, words)


def silent_and_back(machines):
    talk = begin(machines)
    machines.do("cut", "node2")
    talk.await_event("word of silence", message("node2 has not answered"))
    events, _ = talk.ask("on 0-1 show state")
    assert events[-1]["ok"], events
    machines.do("heal", "node2")
    talk.await_event("word of return", message("node2 answers again"))
    events, _ = talk.ask("on 2-3 where")
    assert events[-1]["ok"] and any(event.get("ranks") == "2-3" for event in events), events
    assert talk.end() == 0


def dead_host(machines):
    talk = begin(machines)
    machines.do("kill", "node2")
    talk.await_event("loss of the host", message("host node2 is lost"))
    events, _ = talk.ask("on 0-1 where")
    assert events[-1]["ok"], events
    events, _ = talk.ask("show state")
    lost = [event for event in events if event.get("state") == "lost"]
    assert lost and lost[0]["ranks"] == "2-3" and lost[0]["host"] == "node2", events
    assert talk.end() == 3


def dead_front_end(machines):
    talk = begin(machines)
    for pid, command in pddt.left_over(talk.marker):
        if command.split(" ")[0] == pddt.PDDT:
            with contextlib.suppress(ProcessLookupError):  # gone with the one before
                os.kill(pid, signal.SIGKILL)
    pddt.expect_nothing_left(talk.marker)
    talk.process.stdin.close()
    talk.process.wait(120)


with hosts.Hosts(2) as machines:
    silent_and_back(machines)
    dead_front_end(machines)
    dead_host(machines)
