# SPDX-License-Identifier: GPL-3.0-or-later
"""pddt --remote: the prompt here, the job behind a real sshd. What it shows is what pddt shows there; a connection that
breaks leaves job and session as they were; whoever answers in the place of pddt gets one sentence."""
import contextlib
import glob
import json
import os
import re
import shlex
import shutil
import signal
import struct
import subprocess
import tempfile

import counted
import delayed
import faults
import held
import pddt
import queues
import remote

RING = os.path.join(pddt.BUILD, "tests", "mpi", "ring")
SOURCE = os.path.join(pddt.SOURCE, "tests", "mpi", "ring.c")
JOB = ["mpirun", "-np", "2"]
LINE = pddt.mark(SOURCE, "init")
FOLDER = tempfile.mkdtemp(prefix="pddt-test-remote-")


def check_same(host):
    """A plain pddt is the oracle."""
    known = pddt.mark(SOURCE, "barrier")  # where all variables have values
    shown = pddt.commands("where", "list", f"break ring.c:{known}", "continue", "wait 60", "print mode", "show locals",
                          "info frame", "show options", "continue", "wait 60")
    here = pddt.run(shown + JOB + [RING])
    host.greet("Welcome to the cluster!\nIts scratch disk is full.")
    there = pddt.run(host.arguments(pddt.PDDT, os.path.dirname(RING)) + shown + JOB + ["./ring"], environment=host.environment)
    host.greet("")
    for run in (here, there):
        run.expect_status(0)
    if clean(there.out) != clean(here.out):
        there.fail(f"not what pddt shows there:\n{clean(here.out)}")


def clean(text):
    """Without what differs from run to run: addresses, and the order of the ranks' own lines."""
    lines = re.sub(r"0x[0-9a-f]+", "0x", text).splitlines()
    return "\n".join(sorted(line for line in lines if re.match(r"\d\| ", line))
                     + [line for line in lines if not re.match(r"\d\| ", line)])


def check_saved(host):
    """A saved session knows its host: it is opened there, but not for who did not write it."""
    path = os.path.join(FOLDER, "kept.pddt")
    saving = pddt.run(host.arguments(pddt.PDDT, os.path.dirname(RING)) + pddt.commands("break pass", f"save {path}") + JOB + ["./ring"],
                      environment=host.environment)
    saving.expect_status(0)
    run = pddt.run([*pddt.commands("continue", "wait 60", "where"), path], environment=host.environment)
    run.expect_status(0)
    run.expect("breakpoint 1, pass at ring.c:")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(text + "# of somebody else\n")
    run = pddt.run(["-e", "where", path], environment=host.environment)
    run.expect_status(3)
    run.expect(f"pddt did not write {path} for you, and its job is on the host", "err")


def check_files():
    """Sources and programs are that host's: here there are none."""
    folder = os.path.join(FOLDER, "second")
    os.makedirs(folder)
    program = remote.make_program(folder, "own")
    host = remote.Host(folder, "own")
    run = pddt.run(host.arguments(pddt.PDDT, os.path.dirname(program))
                   + pddt.commands("break sum.c:6", "continue", "wait 60", "list", "where", "continue", "wait 60") + ["./sum"],
                   environment=host.environment)
    run.expect_status(0)
    run.expect("return a + b; //@ only there")
    run.expect("add at sum.c:6")
    run.expect_line("0| 42")


def find_ssh(marker):
    """The processes of the connection: ssh's, on this side."""
    return [pid for pid, command in pddt.left_over(marker) if command.startswith("ssh -F ")]


def check_broken(host):
    """The connection breaks while a rank stands at a breakpoint, and while the job runs."""
    dialogue = pddt.Dialogue(host.arguments(pddt.PDDT) + JOB + [RING], environment=host.environment)
    dialogue.await_event("first stop", lambda event: event["event"] == "stopped")
    dialogue.ask(f"break ring.c:{LINE}")
    for pid in find_ssh(dialogue.marker):
        os.kill(pid, signal.SIGKILL)
    dialogue.await_event("word of the loss", lambda event: "is lost: the job goes on there" in json.dumps(event))
    dialogue.await_event("word of the return", lambda event: "connected to somewhere again" in json.dumps(event))
    events, _ = dialogue.ask("where")
    if not any(event["event"] == "stacks" and event.get("ranks") == "0-1" for event in events):
        raise SystemExit(f"no stacks after the connection was back: {events}")
    dialogue.ask("continue")
    dialogue.await_event("breakpoint", lambda event: event.get("state") == "breakpoint")
    dialogue.ask("wait 60")  # the other rank may come later
    dialogue.ask("continue")
    dialogue.await_event("end", lambda event: event["event"] == "exited")
    if dialogue.end() != 0:
        raise SystemExit(f"status {dialogue.process.returncode}")


def check_jump(host):
    """The way is through another host."""
    run = pddt.run(["--remote", "far", "--remote-program", pddt.PDDT, "-e", "where"] + JOB + [RING],
                   environment=host.environment)
    run.expect_status(0)
    run.expect("main at ring.c:")


def configure(host, more):
    """The environment of a pddt whose user's ssh has these lines, too."""
    path = os.path.join(FOLDER, "own_config")
    with open(os.path.join(host.folder, "ssh_config"), encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace("Host *\n", "Host *\n" + more, 1))
    return dict(host.environment, PDDT_SSH=f"ssh -F {path}")


SHARED = os.path.join(FOLDER, "shared")
CONFIGURATIONS = ["RequestTTY force\nRemoteCommand echo no\n", "PermitLocalCommand yes\nLocalCommand echo a greeting from here\n",
                  "LogLevel DEBUG1\nVisualHostKey yes\n", "SessionType none\n", "SessionType subsystem\n", "StdinNull yes\n",
              "ForkAfterAuthentication yes\n", f"ControlMaster auto\nControlPath {SHARED}\nControlPersist 60\n"]


def check_configurations(host):
    """What a user's configuration says for terminals does no harm; a connection that others share is not made, as it would
    end with this one."""
    for more in CONFIGURATIONS:
        run = pddt.run(host.arguments(pddt.PDDT) + ["-e", "where"] + JOB + [RING], environment=configure(host, more))
        run.expect_status(0)
        run.expect("main at ring.c:")
    if os.path.exists(SHARED):
        raise SystemExit("pddt's connection is one that others share")


def check_old(host):
    """An ssh older than 8.7 does not know some of pddt's options, and gets on without."""
    ssh = os.path.join(FOLDER, "old-ssh")
    queues.write(ssh, '#!/bin/sh\ncase "$*" in *SessionType*) echo "command-line: line 0: Bad configuration option: sessiontype" >&2; '
                 f'exit 255; esac\nexec {host.environment["PDDT_SSH"]} "$@"\n')
    run = pddt.run(host.arguments(pddt.PDDT) + ["-e", "where"] + JOB + [RING], environment=dict(host.environment, PDDT_SSH=ssh))
    run.expect_status(0)
    run.expect("main at ring.c:")


def check_shared(host):
    """The user's own connection, which pddt shares, is dead and does not know it: pddt makes one of its own."""
    environment = configure(host, CONFIGURATIONS[-1])
    own = subprocess.Popen([*shlex.split(environment["PDDT_SSH"]), "-MN", "-oControlPersist=no", "somewhere"], stdin=subprocess.DEVNULL,
                           env=dict(pddt.ENVIRONMENT, **environment))
    try:
        pddt.wait_for("the shared connection", lambda: os.path.exists(SHARED))
        bend = faults.Bend("pddt")
        dialogue = pddt.Dialogue(host.arguments(pddt.PDDT) + JOB + [RING],
                                 environment=dict(environment, LD_PRELOAD=faults.BEND, PDDT_BEND=bend.path))
        dialogue.await_event("first stop", lambda event: event["event"] == "stopped")
        os.kill(own.pid, signal.SIGSTOP)
        bend.speed(3)  # more would look like a process that was stopped
        dialogue.await_event("word of the loss", lambda event: "is lost: the job goes on there" in json.dumps(event))
        dialogue.await_event("word of the return", lambda event: "connected to somewhere again" in json.dumps(event))
        bend.speed(1)
        dialogue.ask("continue")
        dialogue.await_event("end", lambda event: event["event"] == "exited")
        if dialogue.end() != 0:
            raise SystemExit(f"status {dialogue.process.returncode}")
    finally:
        own.kill()
        own.wait()


def check_stopped(host):
    """The window stands still for a minute, as on a laptop that sleeps: the server gives the connection up, and the
    session goes on as it was when the window is back."""
    bend = faults.Bend("pddt")
    dialogue = pddt.Dialogue(host.arguments(pddt.PDDT) + JOB + [RING],
                             environment=dict(host.environment, LD_PRELOAD=faults.BEND, PDDT_BEND=bend.path))
    dialogue.await_event("first stop", lambda event: event["event"] == "stopped")
    dialogue.ask(f"break ring.c:{LINE}")
    os.kill(dialogue.process.pid, signal.SIGSTOP)
    bend.speed(30)
    pddt.wait_for("the end of ssh", lambda: not find_ssh(dialogue.marker))
    bend.speed(1)
    os.kill(dialogue.process.pid, signal.SIGCONT)
    dialogue.await_event("word of the return", lambda event: "connected to somewhere again" in json.dumps(event))
    dialogue.ask("continue")
    dialogue.await_event("breakpoint", lambda event: event.get("state") == "breakpoint")
    dialogue.ask("wait 60")  # the other rank may come later
    dialogue.ask("continue")
    dialogue.await_event("end", lambda event: event["event"] == "exited")
    if dialogue.end() != 0:
        raise SystemExit(f"status {dialogue.process.returncode}")


def find_server(marker):
    """The process that a server is: its parent has gone on as the pipe to ssh."""
    lines = {pid: command for pid, command in pddt.left_over(marker) if command.startswith(pddt.PDDT + " --serve")}
    return next((pid for pid in lines if pddt.processes()[pid][0] in lines or pddt.processes()[pid][0] == 1), None)


def check_server(host):
    """The server's folder and socket are closed to other users. When it is killed, the guard ends the job, and pddt says
    so in a sentence."""
    dialogue = pddt.Dialogue(host.arguments(pddt.PDDT) + JOB + [RING], environment=host.environment)
    dialogue.await_event("first stop", lambda event: event["event"] == "stopped")
    place, = (entry.path for entry in os.scandir(host.folder) if entry.name.startswith("pddt-serve-"))
    if os.geteuid() == 0:
        knock = f"import socket; socket.socket(socket.AF_UNIX).connect({place + '/socket'!r})"
        knocking = subprocess.run(["setpriv", "--reuid=65534", "--clear-groups", pddt.PYTHON, "-c", knock], check=False,
                                  capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if "PermissionError" not in knocking.stderr:
            raise SystemExit(f"another user can connect: {knocking}")
    os.kill(find_server(dialogue.marker), signal.SIGKILL)
    dialogue.await_event("word of it", lambda event: "there is no session " in json.dumps(event)
                         and "pddt without a command names what waits or lives on there" in json.dumps(event))
    if dialogue.end() != 3:
        raise SystemExit(f"status {dialogue.process.returncode}")
    nowhere = pddt.run(host.arguments(pddt.PDDT) + ["-e", "where"] + JOB + [RING],
                       environment=dict(host.environment, PDDT_SERVE_FOLDER="/proc"))
    expect_sentence(nowhere, "cannot serve on")
    if os.path.exists(place):
        shutil.rmtree(place)  # the next server removes it when it is a minute old


def check_parts(host):
    """The launcher, its guard or the daemon is killed there: the ranks are told to be gone, and nothing is left."""
    folder = os.path.dirname(pddt.PDDT)
    launcher = "mpirun ", "prterun "  # as which Open MPI 5's goes on
    for part in launcher, os.path.join(folder, "pddt-guard --lifeline"), os.path.join(folder, "pddtd "):
        dialogue = pddt.Dialogue(host.arguments(pddt.PDDT) + JOB + [RING], environment=host.environment)
        pddt.wait_for("all ranks", lambda talk=dialogue: talk.ask("show state")[0][0].get("ranks") == "0-1")
        pid, = (pid for pid, command in pddt.left_over(dialogue.marker) if command.startswith(part))
        os.kill(pid, signal.SIGKILL)
        pddt.wait_for("word of their end", lambda talk=dialogue: {
            event.get("state") for event in talk.ask("show state")[0][:-1]} in ({"lost"}, {"failed"}, {"lost", "failed"}))
        dialogue.end()


def check_traffic(host):
    """How much crosses, before ssh compresses it; that does not depend on the machine's load."""
    path = os.path.join(FOLDER, "bytes")
    way = shlex.join([pddt.PYTHON, counted.__file__, path]) + " " + host.environment["PDDT_SSH"]
    dialogue = pddt.Dialogue(host.arguments(pddt.PDDT) + ["mpirun", "--oversubscribe", "-np", "8", RING],
                             environment=dict(host.environment, PDDT_SSH=way))
    pddt.wait_for("all ranks", lambda: dialogue.ask("show state")[0][0].get("ranks") == "0-7")
    dialogue.ask("where")
    begin = counted.read(path)
    for command in "next", "wait 60", "where", "show locals":
        dialogue.ask(command)
    step = counted.read(path) - begin
    dialogue.ask("continue")
    dialogue.await_event("end", lambda event: event["event"] == "exited")
    if dialogue.end() != 0 or begin > 100000 or step > 10000:
        raise SystemExit(f"status {dialogue.process.returncode}, {begin} bytes for the start, {step} for a step")


def check_late(host):
    """The ranks have come to a motion's stop before the questions that are asked ahead of it have come over the link: those
    are answered all the same."""
    hold = os.path.join(FOLDER, "hold")
    way = shlex.join([pddt.PYTHON, held.__file__, hold]) + " " + host.environment["PDDT_SSH"]
    dialogue = pddt.Dialogue(host.arguments(pddt.PDDT) + JOB + [RING], environment=dict(host.environment, PDDT_SSH=way))
    pddt.wait_for("all ranks", lambda: dialogue.ask("show state")[0][0].get("ranks") == "0-1")
    dialogue.ask("where")
    queues.write(hold, "")
    dialogue.ask("next")
    dialogue.ask("wait 60")
    os.unlink(hold)
    dialogue.given.write("where\n")
    dialogue.given.flush()
    dialogue.await_event("stacks", lambda event: event["event"] == "stacks" and event.get("ranks") == "0-1")
    dialogue.ask("kill")
    dialogue.end()


def check_submitted_measured(host, queue, place):
    """A job that a queue there measures: its archive is brought here when it is over; what goes wrong is a sentence."""
    there, here = os.path.join(FOLDER, "submitted-there"), os.path.join(FOLDER, "submitted-here")
    os.makedirs(there)
    os.makedirs(here)
    on = host.arguments(pddt.PDDT, there) + ["--submit", "slurm"]
    for words, name in (["--profile", "--rate", "50"], "pddt-ring-1"), (["--output", "mine", "--report", "mine.txt"], "mine"):
        queue.begin(*queues.SLURM)
        run = pddt.run(on + words + JOB + [RING], environment=place, prefix=["env", "-C", here])
        run.expect_status(0)
        run.expect(f"the archive is in {name}", "err")
        if not os.path.exists(os.path.join(here, name, "traces.otf2")):
            run.fail("no archive")
        if os.listdir(place["PDDT_CONNECT_FOLDER"]):
            run.fail("what was shown is still noted")
    if "mine" in queue.read("script") or not os.path.exists(os.path.join(here, "mine.txt")):
        raise SystemExit("the report is not here: " + queue.read("script"))
    run = pddt.run(on + ["--profile", "--output", "mine"] + JOB + [RING], environment=place, prefix=["env", "-C", here])
    run.expect_status(3)
    run.expect("mine exists already", "err")
    queue.begin(*queues.SLURM, runs_script=False)
    run = pddt.run(on + ["--profile"] + JOB + [RING], environment=place, prefix=["env", "-C", here])
    run.expect_status(3)
    run.expect("the job has left no archive: see what it has written", "err")
    queue.begin(*queues.SLURM)


def check_queue(host):
    """The queue is that host's (imitated): the job is submitted there, taken when it starts, or cancelled; and a job that
    waits there by itself is taken, or declined, from here."""
    queue = queues.Imitated(FOLDER)
    queue.begin(*queues.SLURM)
    host.put_in_path(queue.tools)
    place = dict(host.environment, PDDT_CONNECT_FOLDER=os.path.join(FOLDER, "offers"))
    on = host.arguments(pddt.PDDT, os.path.dirname(RING))
    debug = ["-e", "where", "-e", "continue &", "-e", "wait"]
    run = pddt.run(on + ["--submit", "slurm", "--field", "time=00:07:00"] + debug + JOB + ["./ring"], environment=place)
    run.expect_status(0)
    run.expect("job 4711 waits, place 2 of 3 (Resources)", "err")
    run.expect_line("0-1: exited 0")
    if queue.read("place").strip() != os.path.dirname(RING) or "#SBATCH -n 2 -N 1 -t 00:07:00\n" not in queue.read("script"):
        run.fail("not the script there: " + queue.read("script"))
    pddt.wait_for("the end of the script", lambda: queue.has("over"))
    check_submitted_measured(host, queue, place)
    run = pddt.run(on + ["--submit", "slurm", "--field", "tiem=1"] + debug + JOB + ["./ring"], environment=place)
    run.expect_status(2)
    run.expect('the template has no field "tiem"', "err")
    for words, status in ((debug, 0), (["--decline"], 3)):
        process, marker = pddt.start(["--connect", *JOB, RING], environment=place)
        offer, = pddt.wait_for("the offer", lambda: os.path.isdir(place["PDDT_CONNECT_FOLDER"]) and
                               [name for name in os.listdir(place["PDDT_CONNECT_FOLDER"]) if name[0] != "."])
        run = pddt.run(on + words + ([offer] if status else []), environment=place)
        run.expect_status(0)
        if not status:
            run.expect("wants to be debugged: mpirun -np 2", "err")
            run.expect_line("0-1: exited 0")
        _, err = process.communicate(timeout=60)
        if process.returncode != status:
            raise SystemExit(f"--connect: {process.returncode} {err}")
        pddt.expect_nothing_left(marker)


def check_not_declined(host):
    """A job that lives on there after whoever had taken it was killed cannot be declined from here, and goes on."""
    place = dict(host.environment, PDDT_CONNECT_FOLDER=os.path.join(FOLDER, "offers-left"))
    process, marker = pddt.start(["--connect", *JOB, RING], environment=place)
    note, = pddt.wait_for("the offer", lambda: os.path.isdir(place["PDDT_CONNECT_FOLDER"])
                          and [name for name in os.listdir(place["PDDT_CONNECT_FOLDER"]) if name[0] != "."])
    first = pddt.Dialogue(["--take", note], environment=place)
    first.await_event("first stop", lambda event: event["event"] == "stopped")
    first.process.kill()
    on = host.arguments(pddt.PDDT)
    run = pddt.wait_for("the end of the first one", lambda: (lambda done: "taken it" not in done.err and done)(
        pddt.run(on + ["--decline", note], environment=place)))
    expect_sentence(run, f"the job {note} runs already: pddt --take {note} debugs it")
    with contextlib.suppress(subprocess.TimeoutExpired):
        raise SystemExit(f"the job has ended: {process.wait(3)}")
    run = pddt.run(["--cli"] + on + ["-e", "where", "-e", "continue", "-e", "wait 60", "--take", note], environment=place)
    run.expect_status(0)
    run.expect_line("0-1: exited 0")
    _, err = process.communicate(timeout=60)
    if process.returncode != 0:
        raise SystemExit(f"--connect: {process.returncode} {err}")
    pddt.expect_nothing_left(marker)
    first.end()


def check_taken_away(host):
    """A job that waited there is with another pddt: --take says whose it is, and takes it away from there only if its user
    says so."""
    place = dict(host.environment, PDDT_CONNECT_FOLDER=os.path.join(FOLDER, "offers-held"))
    process, marker = pddt.start(["--connect", *JOB, RING], environment=place)
    note, = pddt.wait_for("the offer", lambda: os.path.isdir(place["PDDT_CONNECT_FOLDER"])
                          and [name for name in os.listdir(place["PDDT_CONNECT_FOLDER"]) if name[0] != "."])
    first = pddt.Dialogue(["--take", note], environment=place)
    first.await_event("first stop", lambda event: event["event"] == "stopped")
    on = host.arguments(pddt.PDDT) + ["--take", note]
    run = pddt.run(["--cli"] + on, environment=place)
    run.expect_status(3)
    run.expect(f"{RING} (somewhere) is in the hands of ", "err")
    run.expect("another pddt has taken it already: ", "err")
    second = answer_on_terminal(on, place, "n")
    if second.end() != 3:
        raise SystemExit(f"not left to the first one: {second.process.returncode}")
    second = answer_on_terminal(on, place, "y")
    first.await_event("who has it now", lambda event: "has taken it over" in json.dumps(event))
    first.end()
    second.await_event("word of it", lambda event: "the session is taken over" in json.dumps(event))
    events, _ = second.ask("continue")  # the first one has asked for nothing but the start
    if not events[-1]["ok"]:
        raise SystemExit(f"no answer after it was taken over: {events}")
    second.await_event("end", lambda event: event["event"] == "exited")
    if second.end() != 0:
        raise SystemExit(f"status {second.process.returncode}")
    _, err = process.communicate(timeout=60)
    if process.returncode != 0:
        raise SystemExit(f"--connect: {process.returncode} {err}")
    pddt.expect_nothing_left(marker)


def check_behind(host):
    """A job that waits on a host behind that one, where a shell finds no pddt by its name, is taken from here; one that was
    killed there is removed when Slurm says so."""
    if subprocess.run(["unshare", "--uts", "true"], check=False, capture_output=True, stdin=subprocess.DEVNULL).returncode:
        return
    offers, tools = os.path.join(FOLDER, "offers-behind"), os.path.join(FOLDER, "tools-behind")
    place = dict(host.environment, PDDT_CONNECT_FOLDER=offers)
    behind = ["unshare", "--uts", "sh", "-c", 'hostname behind; exec "$@"', "-"]
    os.makedirs(tools)
    queues.write(os.path.join(tools, "ssh"), '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift 2\n'
                 'PATH=/usr/bin:/bin exec unshare --uts sh -c \'hostname behind; exec "$@"\' - "$@"\n')
    os.symlink(pddt.PDDT, os.path.join(tools, "pddt"))
    host.put_in_path(tools)
    on = ["--remote", "somewhere", "--cli", "-e", "where"]
    process, marker = pddt.start(["--connect", *JOB, RING], environment=place, prefix=behind)
    pddt.wait_for("the offer", lambda: os.path.isdir(offers) and os.listdir(offers))
    run = pddt.run(on, environment=place)
    run.expect_status(0)
    run.expect("A job on behind wants to be debugged", "err")
    run.expect("main at ring.c:")
    process.communicate(timeout=60)
    pddt.expect_nothing_left(marker)
    queues.write(os.path.join(tools, "squeue"), "#!/bin/sh\necho 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1\n")
    process, marker = pddt.start(["--connect", *JOB, RING], environment=dict(place, SLURM_JOB_ID="4711"), prefix=behind)
    note, = pddt.wait_for("the offer", lambda: [name for name in os.listdir(offers) if name[0] != "."])
    process.kill()
    process.communicate()
    expect_sentence(pddt.run(on + ["--take", note], environment=place), "job 4711 is over: its offer is removed")
    if os.listdir(offers):
        raise SystemExit("the offer is left")


def check_left(host):
    """A front end that is killed: the job ends when its time without one is over, and nothing stays."""
    dialogue = pddt.Dialogue(host.arguments(pddt.PDDT) + ["--keep-for", "0"] + JOB + [RING], environment=host.environment)
    dialogue.await_event("first stop", lambda event: event["event"] == "stopped")
    os.kill(dialogue.process.pid, signal.SIGKILL)
    dialogue.end()


def show(dialogue):
    """What a front end knows beside the ranks."""
    found = []
    for command in "show breakpoints", "show sets", "show options", "show displays", "where":
        found += [{key: value for key, value in event.items() if key not in ("request", "time")}
                  for event in dialogue.ask(command)[0] if event["event"] != "done"]
    return found


def answer_on_terminal(arguments, environment, answer):
    dialogue = pddt.Dialogue(arguments, environment=environment, terminal=True)
    dialogue.given.write(answer + "\n")
    dialogue.given.flush()
    return dialogue


def check_taken_over(host):
    """The window was killed: a new one finds ranks, breakpoints and sets as they were left. A second one is told that the
    session has a window, and takes it away from there only when its user says so."""
    place = host.arguments(pddt.PDDT)
    first = pddt.Dialogue(place + JOB + [RING], environment=host.environment)
    first.await_event("first stop", lambda event: event["event"] == "stopped")
    for command in (f"break ring.c:{LINE}", "on 1 tbreak pass", "set left = 0", "set option limit-items 33", "skip puts",
                    "break pass if rank < 0", "disable 3", "display size", "display/x rank", "on 1 display rank", "undisplay 1",
                    "continue", "wait 60"):
        first.ask(command)
    left = show(first)
    first.ask('commands 2 "set from-there = 0"')
    first.process.kill()
    second = pddt.Dialogue(place, environment=host.environment)
    second.await_event("word of it", lambda event: "the session is taken over" in json.dumps(event))
    second.ask("display")  # as at each stop, they are shown unasked; now they are all there
    found = show(second)
    if found != left:
        raise SystemExit(f"not as it was left: {[event for event in found if event not in left]} in the place of "
                         f"{[event for event in left if event not in found]}")
    third = pddt.run(["--cli"] + place, environment=host.environment)
    third.expect_status(2)
    third.expect("is in the hands of", "err")
    third = answer_on_terminal(place, host.environment, "y")
    second.await_event("who has it now", lambda event: "has taken it over" in json.dumps(event))
    second.end()
    third.await_event("word of it", lambda event: "the session is taken over" in json.dumps(event))
    third.ask("continue")
    third.await_event("breakpoint 2", lambda event: event.get("breakpoint") == 2)
    third.ask("delete")
    if "from-there" in json.dumps(third.ask("show sets")[0]):
        raise SystemExit("commands of a breakpoint were taken over from there")
    third.ask("continue")
    third.await_event("end", lambda event: event["event"] == "exited")
    if third.end() != 0:
        raise SystemExit(f"status {third.process.returncode}")
    first.end()


def expect_sentence(run, text):
    run.expect_status(3)
    lines = run.err.strip().splitlines()
    if len(lines) != 1 or text not in lines[0] or not lines[0].startswith("pddt: "):
        run.fail(f'not the sentence "{text}"')


def check_not_there(host):
    for options in (["--score"], ["--finalize", "x"]):
        run = pddt.run(host.arguments(pddt.PDDT) + options + ["x"], environment=host.environment)
        run.expect_status(2)
        run.expect("--remote does not show archives that are there", "err")


def check_measured(host):
    """A measured run there: its output and status are the program's, its archive is brought here, and shown as one that was
    measured here."""
    there, here = os.path.join(FOLDER, "there"), os.path.join(FOLDER, "here")
    os.makedirs(there)
    host.greet("Welcome to the cluster!\nIts scratch disk is full.")
    run = pddt.run(host.arguments(pddt.PDDT, there) + ["--profile", "--output", here] + JOB + [RING],
                   environment=configure(host, "SessionType none\nRemoteCommand echo no\n"))
    host.greet("")
    run.expect_status(0)
    run.expect(f"the archive is in {here}", "err")
    shown = pddt.run([here])
    shown.expect_status(0)
    if not shown.out or shown.out not in run.out:
        run.fail(f"not what its archive shows: {shown.out}")
    if len(os.listdir(there)) != 1:
        run.fail(f"the archive is not there: {os.listdir(there)}")
    run = pddt.run(host.arguments(pddt.PDDT, there) + ["--profile", "--output", here] + JOB + [RING], environment=host.environment)
    run.expect_status(3)
    run.expect("exists already", "err")
    run = pddt.run(host.arguments(pddt.PDDT, there)
                   + ["--report", here + ".txt", pddt.PYTHON, "-c", "import sys; sum(range(20000000)); sys.exit(7)"],
                   environment=host.environment, prefix=["env", "-C", FOLDER])
    run.expect_status(7)
    if not os.path.exists(here + ".txt"):
        run.fail("the report is not here")
    run = pddt.run(host.arguments("/nowhere/pddt", there) + ["--profile", "true"], environment=host.environment)
    run.expect_status(127)
    run.expect("no archive has come from somewhere", "err")


def check_at_once(arguments, environment, archive):
    """On a slow link more pieces of an archive are asked for before those before them have come; it is the same in the end."""
    path, here = os.path.join(FOLDER, "at-once"), os.path.join(FOLDER, "brought")
    os.makedirs(here)
    way = shlex.join([pddt.PYTHON, delayed.__file__, path, "0.05"]) + " " + environment["PDDT_SSH"]
    pddt.run(arguments, environment=dict(environment, PDDT_SSH=way), prefix=["env", "-C", here])
    if subprocess.run(["diff", "-r", archive, os.path.join(here, os.path.basename(archive))], check=False,
                      stdin=subprocess.DEVNULL).returncode:
        raise SystemExit("not its archive")
    with open(path, encoding="ascii") as file:
        n = int(file.read())
    if not 4 <= n <= 65:  # beside another question
        raise SystemExit(f"{n} questions at once")


def check_queue_measured(host):
    """What a queue there has measured while nobody waited is named here, and its archive is brought here, once; or it is not
    wanted."""
    offers, there, here = (os.path.join(FOLDER, name) for name in ("measured-offers", "queue-there", "queue-here"))
    place = dict(host.environment, PDDT_CONNECT_FOLDER=offers)
    archive = os.path.join(there, "measured")
    os.makedirs(there)
    os.makedirs(here)

    def measure():
        shutil.rmtree(archive, ignore_errors=True)
        pddt.run(["--profile", "--output", archive] + JOB + [RING], environment=dict(place, PDDT_SUBMITTED="1", SLURM_JOB_ID="4712"),
                 ).expect_status(0)
        return os.listdir(offers)[0]

    on = ["--cli"] + host.arguments(pddt.PDDT)
    note = measure()
    named = pddt.run(on, environment=place)
    named.expect_status(2)
    named.expect(f"Job 4712 on {os.uname().nodename} has been measured: mpirun -np 2 {RING}; pddt --remote somewhere --take {note} "
                 "brings its archive here and shows it", "err")
    for name in "measured", "measured-2":
        run = pddt.run(on + ["--take", note], environment=place, prefix=["env", "-C", here])
        run.expect_status(0)
        run.expect(f"the archive is in {here}/{name}", "err")
        shown = pddt.run([archive])
        if not shown.out or shown.out not in run.out:
            run.fail(f"not what its archive shows: {shown.out}")
        if subprocess.run(["diff", "-r", archive, os.path.join(here, name)], check=False, stdin=subprocess.DEVNULL).returncode:
            run.fail("not its archive")
        if os.listdir(offers):
            run.fail("what was shown is still noted")
        expect_sentence(pddt.run(on + ["--take", note], environment=place), f"there is no session {note} on")
        note = measure()
    with open(os.path.join(archive, "more"), "wb") as file:
        file.write(os.urandom(4 << 20))
    check_at_once(on + ["--take", note], place, archive)
    note = measure()
    with open(os.path.join(archive, "more"), "wb") as file:
        file.truncate(200 << 20)
    process, marker = pddt.start(on + ["--keep-for", "60", "--take", note], environment=place, prefix=["env", "-C", here])
    pddt.wait_for("a part of it", lambda: glob.glob(os.path.join(here, "measured-3.*", "more")))
    os.kill(process.pid, signal.SIGSTOP)
    expect_sentence(pddt.run(on + ["--take", note], environment=place, prefix=["env", "-C", here]),
                    "another pddt is already copying the archive of job 4712: take it again if that one gives up")
    if not os.listdir(offers):
        raise SystemExit("what nobody has yet is not noted any more")
    process.kill()
    process.communicate()
    again, other = pddt.start(on + ["--keep-for", "0", "--take", note], environment=place, prefix=["env", "-C", here])
    pddt.wait_for("a part of it again", lambda: len(glob.glob(os.path.join(here, "measured-3.*", "more"))) == 2)
    again.kill()
    again.communicate()
    pddt.expect_nothing_left(other)
    os.kill(find_server(marker), signal.SIGTERM)
    pddt.expect_nothing_left(marker)
    if os.path.exists(os.path.join(here, "measured-3")):
        raise SystemExit("a part of the archive looks as if it were one")
    pddt.run(host.arguments(pddt.PDDT) + ["--decline", note], environment=place).expect_status(0)
    if os.listdir(offers) or not os.path.isdir(archive):
        raise SystemExit("what is not wanted is still noted, or its archive is gone")


def check_refusals(host):
    again = ["-e", "where"] + JOB + [RING]
    remote.make_key(os.path.join(FOLDER, "other"))
    host.know("other")
    expect_sentence(pddt.run(host.arguments(pddt.PDDT) + again, environment=host.environment), "Host key verification failed")
    host.know("host")
    expect_sentence(pddt.run(["--remote", "somewhere", "--remote-program", "/nowhere/pddt"] + again, environment=host.environment),
                    "there is no pddt on somewhere")
    expect_sentence(pddt.run(host.arguments(pddt.PDDT, "/nowhere") + again, environment=host.environment),
                    "cannot go to the folder /nowhere: No such file or directory")
    expect_sentence(pddt.run(host.arguments(pddt.PDDT) + ["-e", "where", "/nowhere/mpirun", "-np", "2", RING],
                             environment=host.environment), "/nowhere/mpirun")


def frame(kind, body, number=0, size=None):
    return struct.pack("<IB3xQ", len(body) if size is None else size, kind, number) + body


# What a server that somebody else has in hand sends instead, and what pddt says.
WELCOME = frame(2, bytes([4, 0, 0, 0]) + b"host\0" + b"0123456789abcdef\0" + bytes(6) + bytes(8) + bytes([1, 0, 0, 0])
                + bytes(4) + bytes([48, 26, 9]))
HOSTILE = [
    (b"PDDT-SERVE 99 9.9\n", "is release 9.9"),
    (b"PDDT-SERVE \x1b[2J\n", "is release"),
    (b"no shell for you\n", "no shell for you"),
    (b"x" * 100000, "cannot connect to there"),
    (b"PDDT-SERVE 4 1\n" + frame(2, b"", size=0xffffffff), "cannot connect to there"),
    (b"PDDT-SERVE 4 1\n" + frame(2, b"garbage"), "cannot connect to there"),
    (b"PDDT-SERVE 4 1\n" + frame(200, b""), "cannot connect to there"),
    (b"PDDT-SERVE 4 1\n" + frame(67, b"\0" * 16, number=1), "cannot connect to there"),
    (b"PDDT-SERVE 4 1\n" + frame(3, b"\x1b]0;title\x07 no\0"), "no"),
    (b"PDDT-SERVE 4 1\n" + WELCOME + frame(67, b"\0" * 24, number=1), "cannot "),
    (b"PDDT-SERVE 4 1\n" + WELCOME + frame(64, b"\0" * 24, number=1), "cannot "),
    (b"PDDT-SERVE 4 1\n" + WELCOME + frame(65, b"\0" * 24, number=2), "cannot "),
]


def check_hostile():
    ssh = os.path.join(FOLDER, "ssh")
    for number, (said, sentence) in enumerate(HOSTILE):
        answer = os.path.join(FOLDER, f"answer-{number}")
        with open(answer, "wb") as file:
            file.write(said)
        with open(ssh, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\ncat {shlex.quote(answer)}\nhead -c 40 >/dev/null\n")
        os.chmod(ssh, 0o755)
        run = pddt.run(["--remote", "there", "-e", "where"] + JOB + [RING], environment={"PDDT_SSH": ssh})
        expect_sentence(run, sentence)
        if "\x1b" in run.err or "\x07" in run.err:
            run.fail("control characters")


def check_last_words():
    """Of ssh, when it ends by itself."""
    ssh = os.path.join(FOLDER, "ssh")
    for script, sentence in (("printf 'a\\r\\nlast line\\r\\n' >&2; exit 255", "cannot connect to there: last line"),
                             ("exit 0", "cannot connect to there: ssh ended with status 0 before pddt there had answered"),
                             ("exit 3", "cannot connect to there: ssh ended with status 3 before pddt there had answered")):
        with open(ssh, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{script}\n")
        os.chmod(ssh, 0o755)
        run = pddt.run(["--remote", "there", "-e", "where"] + JOB + [RING], environment={"PDDT_SSH": ssh})
        expect_sentence(run, sentence)
        if not run.err.rstrip("\n").endswith(sentence):
            run.fail("more than its last line")


def check_silent():
    """Nothing answers there: that is said, and Ctrl-C ends it."""
    ssh = os.path.join(FOLDER, "ssh")
    with open(ssh, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\nexec sleep 1000\n")
    os.chmod(ssh, 0o755)
    bend = faults.Bend("pddt")
    process, marker = pddt.start(["--remote", "there", "-e", "where"] + JOB + [RING],
                                 environment={"PDDT_SSH": ssh, "LD_PRELOAD": faults.BEND, "PDDT_BEND": bend.path})
    bend.speed(10)
    said = process.stderr.readline()
    os.kill(process.pid, signal.SIGINT)
    process.communicate(timeout=60)
    if "pddt on there has not answered yet: still waiting, Ctrl-C ends that" not in said or process.returncode == 0:
        raise SystemExit(f"not said: {said} {process.returncode}")
    for pid, _ in pddt.left_over(marker):
        os.kill(pid, signal.SIGKILL)  # what stands for ssh: it does not read


def check_hostile_client():
    """A server survives what it does not understand, or ends without a trace."""
    for said in (b"", b"\0" * 64, os.urandom(4096), frame(1, b"", size=0xffffffff), frame(18, b"\0" * 40, number=1),
                 frame(1, b"garbage"), frame(4, bytes(8))):
        done = subprocess.run([pddt.PDDT, "--serve"], input=said, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=dict(pddt.ENVIRONMENT, PDDT_TEST_MARKER="hostile-client"), timeout=60, check=False)
        if not done.stdout.startswith(b"PDDT-SERVE ") or b"Sanitizer" in done.stderr:
            raise SystemExit(f"--serve: {done}")
    pddt.expect_nothing_left("hostile-client")


try:
    check_hostile()
    check_last_words()
    check_silent()
    check_hostile_client()
    remote.skip_without()
    os.chmod(FOLDER, 0o755)
    HOST = remote.Host(FOLDER)
    check_same(HOST)
    check_saved(HOST)
    if remote.can_have_files():
        check_files()
    check_refusals(HOST)
    check_not_there(HOST)
    check_measured(HOST)
    check_queue_measured(HOST)
    check_jump(HOST)
    check_broken(HOST)
    check_configurations(HOST)
    check_old(HOST)
    check_shared(HOST)
    check_stopped(HOST)
    check_server(HOST)
    check_parts(HOST)
    check_traffic(HOST)
    check_late(HOST)
    check_taken_over(HOST)
    check_queue(HOST)
    check_not_declined(HOST)
    check_taken_away(HOST)
    check_behind(HOST)
    check_left(HOST)
finally:
    shutil.rmtree(FOLDER)
