# SPDX-License-Identifier: GPL-3.0-or-later
"""The network and the clocks misbehave: a host is cut off for a while and for good, a daemon is stopped, a link is
slow, wall clocks jump, a front end is silent. The others continue, nothing that came back is lost, and every
rank's state is right. Where minutes would have to pass, a program's clock runs faster."""
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

import faults
import hosts
import pddt

SPEED = 8


def begin(machines):
    """A session, and await_fast (words): while it waits for them, the front end lives SPEED times as fast. What is asked
    has its whole time, on a busy machine too."""
    bend = faults.Bend("pddt")
    session = faults.Session(machines, environment={"PDDT_BEND": bend.path, "LD_PRELOAD": faults.BEND})

    def await_fast(words):
        bend.speed(SPEED)
        session.await_word(words)
        bend.speed(1)

    return session, await_fast


def cut_for_good():
    """Grey, lost with its last state, and live when it is back, longer than anybody hoped."""
    with hosts.Hosts(2) as machines:
        session, await_fast = begin(machines)
        session.expect("on 2-3 tbreak pass", "2-3")
        machines.do("cut", "node2")
        await_fast("node2 has not answered")
        session.expect("on 0-1 where", "0-1")
        await_fast("host node2 is lost")
        lost = session.state_of("2-3")
        assert lost["state"] == "lost" and lost["host"] == "node2", lost
        assert session.state_of("0-1")["function"] == "main"
        session.expect("on 0-1 print argc", "0-1")
        machines.do("heal", "node2")
        session.await_word("node2 answers again")
        pddt.wait_for("the last state", lambda: session.states() == {"stopped"})
        session.expect("on 2-3 where", "2-3")
        session.expect("on 2-3 print argc", "2-3")
        session.end(3)


def stopped_daemon():
    with hosts.Hosts(2) as machines:
        session, await_fast = begin(machines)
        pid = session.kill("pddtd", "node2", signal.SIGSTOP)
        await_fast("node2 has not answered")
        session.expect("on 0-1 where", "0-1")
        os.kill(pid, signal.SIGCONT)
        session.await_word("node2 answers again")
        session.expect("where", "0-3")
        session.end(0)


COUNT = "for n in $(seq 400); do echo line $n; sleep 0.01; done; until [ -e {} ]; do sleep 0.05; done"


def cut_for_3_s():
    """Not a line of the program's output is lost, none comes twice, and no command has to be asked again."""
    with hosts.Hosts(2) as machines, tempfile.TemporaryDirectory() as folder:
        answered = os.path.join(folder, "answered")
        session = faults.Session(machines, program=("sh", "-c", COUNT.format(answered)), options=("--stop-at", "start"))
        session.ask("continue")
        session.talk.await_event("output", lambda event: event["event"] == "output")
        machines.do("cut", "node2")
        heal = threading.Timer(3, machines.do, ("heal", "node2"))
        heal.start()
        session.expect("on 2-3 show threads", "2-3")  # answered after the cut
        heal.join()
        open(answered, "w", encoding="utf-8").close()
        session.ask("wait 180")
        session.expect("expect exited", "")
        for rank in range(4):
            text = "".join(event["text"] + "\n" for event in session.talk.seen
                           if event["event"] == "output" and rank in faults.parse(event.get("ranks", "")))
            assert text == "".join(f"line {n}\n" for n in range(1, 401)), (rank, text)
        session.end(0)


def tell_connections(machines, session):
    """What Open MPI says of its connections, and which there are."""
    print(*[event["text"] for event in session.talk.seen if event["event"] == "output"], sep="\n")
    for host in "node1", "node2":
        shown = subprocess.run([*machines.on(host), "ss", "-tan"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True, check=False)
        print(host, shown.stdout, sep="\n")


def could_not_connect(session):
    """Open MPI said so: "Your Open MPI job may now hang or fail". Seen once in 30 to 80 runs, on a link that works."""
    return any(faults.has_words(event, "failed to TCP connect") for event in session.talk.seen)


def try_slow_link():
    """FALSE: Open MPI could not connect its ranks."""
    with hosts.Hosts(2) as machines:
        faults.SlowLink(machines, "node2", 0.1, 262144)
        session = faults.Session(machines, program=(faults.RING,), environment={"OMPI_MCA_btl_base_verbose": "30"})
        session.expect("on 3 tbreak pass", "3")
        try:
            session.move("continue", "on 3 wait 180")
            session.expect("on 3 print rank", "3")
            session.expect("where", "0-3")
            session.move("continue", "wait 180")
        except AssertionError:
            tell_connections(machines, session)
            if not could_not_connect(session):
                raise
            session.end(None)
            return False
        session.expect("expect exited", "")
        assert not [event for event in session.talk.seen if faults.has_words(event, "has not answered")]
        session.end(0)
        return True


def slow_link():
    """200 ms there and back, 256 KiB a second."""
    assert any(try_slow_link() for _ in range(3)), "Open MPI could not connect in three runs"


def clock_jumps():
    """Years ahead and back on all hosts, in the middle of everything: nobody takes it for silence."""
    with hosts.Hosts(2) as machines:
        bend = faults.Bend()
        for host in ("login", "node1", "node2"):
            machines.preload(host, faults.BEND)
        session = faults.Session(machines, program=(faults.RING,), environment={"PDDT_BEND": bend.path})
        session.expect("break pass", "0-3")
        for number, years in enumerate((1, -1, 30, -20)):
            bend.jump(years * 365 * 86400)
            session.expect("where", "0-3")
            if number == 1:
                session.move("continue")
                session.expect("expect breakpoint", "")
                session.expect("print rank", "0-3")
            session.ask("wait 1")  # would take years
        session.ask("continue")
        bend.jump(-86400)
        session.ask("wait 180")
        session.expect("expect exited", "")
        assert not [event for event in session.talk.seen if faults.has_words(event, "host ")], session.talk.seen
        session.end(0)


def silent_front_end():
    """Held for 10 minutes of a daemon's time, then the launched ranks are ended."""
    with hosts.Hosts(2) as machines:
        bend = faults.Bend("pddtd")
        for host in ("node1", "node2"):
            machines.preload(host, faults.BEND)
        session = faults.Session(machines, environment={"PDDT_BEND": bend.path})
        pid = session.pid("pddt")
        os.kill(pid, signal.SIGSTOP)
        bend.speed(60)
        time.sleep(5)  # 5 minutes, and if this process comes late still less than 10
        bend.speed(1)
        assert len(session.pids("ring")) == 4
        os.kill(pid, signal.SIGCONT)
        session.expect("where", "0-3")
        os.kill(pid, signal.SIGSTOP)
        bend.speed(120)
        pddt.wait_for("the ranks' end", lambda: not session.pids("ring"), 120)
        pddt.wait_for("the daemons' end", lambda: not session.pids("pddtd"), 120)
        os.kill(pid, signal.SIGCONT)
        session.end(None)


def clocks_apart():
    """The doctor measures by how much times of day differ, with what that may be wrong by."""
    with hosts.Hosts(2) as machines:
        bend = faults.Bend()
        bend.jump(-3600)
        machines.preload("node2", faults.BEND)
        run = subprocess.run([*machines.on("login"), "env", "PDDT_BEND=" + bend.path, pddt.PDDT, "--doctor", "--",
                              *machines.mpirun(["node1", "node2"], 2)],
                             env=pddt.ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)
        wrong = r"that of login \(± \d+(\.\d)? [mµ]?s\)"
        for line in (rf"node1: ok    time of day: \d+(\.\d)? [mµ]s (ahead of|behind) {wrong}",
                     rf"node2: note  time of day: (3599\.9|3600\.0)\d\d s behind {wrong}: .*NTP"):
            assert re.search(f"^{line}", run.stdout, re.M), (line, run)


if __name__ == "__main__":
    faults.main({function.__name__: function for function in (
        cut_for_good, silent_front_end, cut_for_3_s, slow_link, clock_jumps, stopped_daemon, clocks_apart)})
