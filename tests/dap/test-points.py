# SPDX-License-Identifier: GPL-3.0-or-later
"""Breakpoints of every kind where they stop, memory, lines to go on at, and the threads of a rank."""
import base64
import os
import subprocess
import sys
import tempfile

import dap
import pddt

RING, _, PROGRAM = sys.argv[1:4]
RING_C = os.path.join(pddt.SOURCE, "tests", "mpi", "ring.c")
SOURCE = os.path.join(pddt.SOURCE, "tests", "dap", "points.c")
ADD, LOOP, SIGNAL, TEXT = (pddt.mark(SOURCE, name) for name in ("add", "loop", "signal", "text"))


def expect(what, found, wanted):
    if found != wanted:
        raise SystemExit(f"{what}: {found!r}, expected {wanted!r}")


def begin(**arguments):
    client = dap.Client()
    client.begin(program=PROGRAM, **arguments)
    client.event("stopped")
    return client


def set_lines(client, *breakpoints):
    return client.ask("setBreakpoints", source={"path": SOURCE}, breakpoints=list(breakpoints))["breakpoints"]


def check_lines():
    """Conditions, memory that changes, instructions, signals."""
    client = begin()
    point = set_lines(client, {"line": ADD, "condition": "n =="})[0]
    expect("no condition", (point["verified"], 'a value is missing after "n =="' in point["message"]), (False, True))
    set_lines(client, {"line": ADD, "condition": "n == 4"})
    answer = client.ask_in_vain("evaluate", expression="condition 1 n +", context="repl")
    if 'a value is missing after "n +"' not in answer:
        raise SystemExit(f"no condition later: {answer}")
    expect("reason", client.move("continue", 1)["reason"], "breakpoint")
    expect("condition", client.locals(client.top(1)["id"])["n"]["value"], "4")
    set_lines(client, {"line": ADD, "hitCondition": "2"})
    seen = []
    for _ in range(2):
        client.move("continue", 1)
        seen.append(client.locals(client.top(1)["id"])["n"]["value"])
    expect("count", seen, ["6", "8"])
    point = set_lines(client, {"line": ADD, "hitCondition": "==2"}, {"line": ADD, "hitCondition": "often"})
    expect("counts", [one["verified"] for one in point], [True, False])
    since = len(client.events)
    client.move("continue", 1)
    expect("the second time", client.locals(client.top(1)["id"])["n"]["value"], "10")
    client.event("breakpoint", lambda body: (body["reason"], body["breakpoint"]["verified"]) == ("changed", True), since)
    for count, wanted in ((">=2", ["12", "13"]), (">1", ["15", "16"])):
        set_lines(client, {"line": ADD, "hitCondition": count})
        shown = client.ask("evaluate", expression="show breakpoints", context="repl")["result"]
        expect(f"what the console says of {count}", "from hit 2" in shown and "every" not in shown, True)
        seen = []
        for _ in range(2):
            client.move("continue", 1)
            seen.append(client.locals(client.top(1)["id"])["n"]["value"])
        expect(f"the count {count}", seen, wanted)
    set_lines(client)
    info = client.ask("dataBreakpointInfo", name="total", frameId=client.top(1)["id"])
    client.ask("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"], "accessType": "write"}])
    expect("data", (client.move("continue", 1)["reason"], client.top(1)["line"]), ("data breakpoint", ADD + 1))
    client.ask("setDataBreakpoints", breakpoints=[])
    frame = client.top(1)
    expect("expression", client.ask("setExpression", expression="total", value="100", frameId=frame["id"])["value"], "100")
    expect("no expression", client.ask_in_vain("setExpression", expression="nothing", value="1", frameId=frame["id"]),
           'no symbol "nothing" in frame add (0)')

    # by address, and as VS Code does, by what the disassembly began with
    reference = frame["instructionPointerReference"]
    listed = [int(one["address"], 16) for one in client.ask(
        "disassemble", memoryReference=reference, instructionCount=3)["instructions"]]
    for point in ({"instructionReference": hex(listed[2])},
                  {"instructionReference": reference, "offset": listed[2] - listed[0]}):
        point = client.ask("setInstructionBreakpoints", breakpoints=[point])["breakpoints"][0]
        expect("instruction", (point["verified"], point["instructionReference"]), (True, hex(listed[2])))
    expect("reason", client.move("continue", 1)["reason"], "instruction breakpoint")
    here = client.ask("evaluate", expression="$pc", frameId=client.top(1)["id"], context="watch")["result"]
    expect("pc", hex(listed[2]) in here, True)
    expect("never listed", client.ask("setInstructionBreakpoints", breakpoints=[
        {"instructionReference": "frame 100000"}])["breakpoints"][0]["verified"], False)
    client.ask("setInstructionBreakpoints", breakpoints=[])

    points = client.ask("setExceptionBreakpoints", filters=[], filterOptions=[
        {"filterId": "signal", "condition": "SIGUSR1"}, {"filterId": "signal", "condition": "SIGNONE"}])["breakpoints"]
    expect("signals", [one["verified"] for one in points], [True, False])
    expect("signal", client.move("continue", 1)["reason"], "exception")
    info = client.ask("exceptionInfo", threadId=1)
    expect("its information", (info["exceptionId"], info["breakMode"]), ("SIGUSR1", "always"))
    expect("status", client.end(), 0)


def check_threads():
    """The thread of a rank that stands elsewhere has a stack and values of its own; a line to go on at."""
    client = begin(breakpoints={SOURCE: [ADD]})
    client.move("continue", 1)
    threads = {one["name"]: one["id"] for one in client.ask("threads")["threads"]}
    there = pddt.mark(SOURCE, "there") + 1
    expect("threads", list(threads), [f"rank 0: add at points.c:{ADD}", f"rank 0, thread 2: wait_there at points.c:{there}"])
    other = threads[f"rank 0, thread 2: wait_there at points.c:{there}"]
    client.event("stopped", lambda body: body["threadId"] == other)
    frame = next(one for one in client.ask("stackTrace", threadId=other)["stackFrames"] if one["name"] == "wait_there")
    expect("its value", client.locals(frame["id"])["here"]["value"], "41")
    client.ask("setExpression", expression="here", value="42", frameId=frame["id"])

    lines = client.ask("breakpointLocations", source={"path": SOURCE}, line=ADD, endLine=ADD + 4)["breakpoints"]
    expect("lines", [one["line"] for one in lines], [ADD, ADD + 1, ADD + 2])
    set_lines(client)
    client.move("stepOut", 1)
    targets = client.ask("gotoTargets", source={"path": SOURCE}, line=TEXT)["targets"]
    expect("targets", [(one["label"], one["line"]) for one in targets], [(f"points.c:{TEXT}", TEXT)])
    since = len(client.events)
    client.ask("goto", threadId=1, targetId=targets[0]["id"])
    expect("goto", (client.event("stopped", since=since)["reason"], client.top(1)["line"]), ("goto", TEXT))
    client.event("pddt/changed", since=since)
    expect("nobody else's breakpoint", [one for one in client.events if one["event"] == "breakpoint"
                                        and one["body"]["reason"] == "new"], [])
    expect("no target", "ask for gotoTargets" in client.ask_in_vain("goto", threadId=1, targetId=77), True)
    expect("no line", client.ask("gotoTargets", source={"path": SOURCE}, line=2)["targets"], [])

    # memory
    frame = client.top(1)
    text = client.ask("evaluate", expression="text", frameId=frame["id"], context="watch")["memoryReference"]
    expect("read", base64.b64decode(client.ask("readMemory", memoryReference=text, count=7)["data"]), b"before\0")
    written = b"long enough"
    since = len(client.events)
    expect("written", client.ask("writeMemory", memoryReference=text, offset=2, data=base64.b64encode(written).decode()
                                 )["bytesWritten"], len(written))
    client.event("memory", lambda body: (body["memoryReference"], body["offset"], body["count"]) == (text, 2, 11), since)
    expect("value", client.ask("evaluate", expression="text", frameId=frame["id"], context="watch")["result"],
           '"belong enough\\000\\000"')
    answer = client.ask("readMemory", memoryReference=text, count=10000)  # more than ranks are asked for at once
    found = base64.b64decode(answer["data"])
    expect("all of it", len(found) + answer.get("unreadableBytes", 0), 10000)
    expect("in pieces", base64.b64decode(client.ask("readMemory", memoryReference=text, offset=4090, count=20)["data"]),
           found[4090:4110])
    expect("nowhere", "nothing is written" in client.ask_in_vain("writeMemory", memoryReference="0x10", data="AAAA"), True)
    expect("no base64", "base64" in client.ask_in_vain("writeMemory", memoryReference=text, data="A!"), True)
    since = len(client.events)
    client.ask("continue", threadId=1)
    client.event("terminated")
    expect("output", client.output("stdout"), "0| 1 after found\n")
    expect("status", client.end(), 0)


def check_targets():
    """A step goes into the function that was chosen, over those that the line calls before it."""
    nested, twice = pddt.mark(SOURCE, "nested"), pddt.mark(SOURCE, "twice")
    client = dap.Client()
    client.begin(program=PROGRAM, stopAt="none", initCommands=["handle SIGUSR1 nostop"], breakpoints={SOURCE: [nested]})
    client.event("stopped")
    frame = client.top(1)["id"]
    targets = {one["label"]: one["id"] for one in client.ask("stepInTargets", frameId=frame)["targets"]}
    expect("functions with lines", list(targets), ["twice", "add"])
    client.move("stepIn", 1, targetId=targets["add"])
    expect("the chosen one", (client.top(1)["name"], client.top(1)["line"]), ("add", ADD))
    expect("of an earlier moment", "earlier moment" in client.ask_in_vain("stepIn", threadId=1, targetId=targets["twice"]), True)
    client.move("stepOut", 1)
    targets = {one["label"]: one["id"] for one in client.ask("stepInTargets", frameId=client.top(1)["id"])["targets"]}
    client.move("stepIn", 1, targetId=targets["twice"])
    expect("the next call", (client.top(1)["name"], client.top(1)["line"]), ("twice", twice))
    expect("none there", client.ask("stepInTargets", frameId=client.top(1)["id"])["targets"], [])
    expect("no target", "ask for stepInTargets" in client.ask_in_vain("stepIn", threadId=1, targetId=99), True)
    for request, words in (("restartFrame", {"frameId": client.top(1)["id"]}), ("stepBack", {"threadId": 1}),
                           ("reverseContinue", {"threadId": 1}), ("terminateThreads", {"threadIds": [1]}),
                           ("locations", {"locationReference": 1})):
        reason = client.ask_in_vain(request, **words)
        expect(f"why no {request}", reason.startswith(f"{request}: ") and len(reason) > 40, True)
    expect("status", client.end(), 0)


def check_sources():
    """Built elsewhere: the editor's path in, the editor's path out; without a map the text comes from pddt."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "moved.c")
        text = "int main (void)\n{\n    int a = 1;\n    return a - 1;\n}\n"
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        program = os.path.join(folder, "moved")
        subprocess.run(["gcc", "-g", "-O0", f"-ffile-prefix-map={folder}=/no/such", "-o", program, path], check=True)
        client = dap.Client()
        client.begin(program=program, stopAt="none", sourceMap={"/no/such": folder}, breakpoints={path: [4]})
        client.event("stopped")
        frame = client.top(1)
        expect("mapped", (frame["source"], frame["line"]), ({"name": "moved.c", "path": path}, 4))
        expect("status", client.end(), 0)
        client = dap.Client()
        client.begin(program=program, sourceFolders=f"/no/such={folder}")
        client.event("stopped")
        source = client.top(1)["source"]
        expect("not there", source["path"], "/no/such/moved.c")
        expect("text", client.ask("source", source=source, sourceReference=source["sourceReference"])["content"], text)
        expect("status", client.end(), 0)


def check_exceptions():
    """Of Python those of a type."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "raising.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write("for kind in (KeyError, ValueError, KeyError):\n    try:\n        raise kind('why')\n"
                       "    except Exception:\n        pass\n")
        client = dap.Client()
        client.begin(program=path, python=pddt.PYTHON)
        client.event("stopped")
        answer = client.answer(client.send("breakpointLocations", source={"path": path}, line=2))  # VS Code asks by itself
        expect("no box", (answer["success"], answer["body"]["error"]["showUser"]), (False, False))
        client.ask("setExceptionBreakpoints", filters=[], filterOptions=[{"filterId": "raised", "condition": "ValueError"}])
        expect("stop", client.move("continue", 1)["reason"], "exception")
        expect("which", client.ask("exceptionInfo", threadId=1)["exceptionId"], "ValueError")
        expect("of Python", client.ask("stepInTargets", frameId=client.top(1)["id"])["targets"], [])
        client.ask("continue", threadId=1)
        client.event("terminated")  # the others were handled
        expect("status", client.end(), 0)


def check_console():
    """Who is moved by the console's commands is told of; ranks that diverge stop."""
    client = dap.Client()
    client.begin(command=["mpirun", "--oversubscribe", "-np", "3", RING], stopOnEntry=False,
                 breakpoints={RING_C: [pddt.mark(RING_C, "add")]})
    client.event("stopped", lambda body: body["allThreadsStopped"])
    since = len(client.events)
    client.ask("evaluate", expression="on 1 next", context="repl")
    client.event("stopped", lambda body: body["threadId"] == 2, since)
    told = [(one["event"], one["body"]["threadId"]) for one in client.events[since:] if one["event"] in ("continued", "stopped")]
    expect("told", told, [("continued", 2), ("stopped", 2)])
    since = len(client.events)
    client.move("next", 3)
    expect("not twice", [one for one in client.events[since:] if one["event"] == "continued"], [])
    client.move("next", 1)
    client.ask("setExceptionBreakpoints", filters=["divergence"])
    since = len(client.events)
    client.ask("evaluate", expression="continue &", context="repl")
    stopped = client.event("stopped", lambda body: body["allThreadsStopped"], since)
    expect("divergence", (stopped["reason"], stopped["text"].partition(" ")[0]), ("exception", "divergence"))
    info = client.ask("exceptionInfo", threadId=stopped["threadId"])
    expect("its information", (info["exceptionId"], "last together" in info["description"]), ("divergence", True))
    expect("status", client.end(), 0)


def check_cancel():
    """A line of the console that waits ends at once; what is not open is no error."""
    client = dap.Client()
    client.begin(command=["mpirun", "--oversubscribe", "-np", "2", RING, "hang"], stopOnEntry=False)
    waiting = client.send("evaluate", expression="wait 1000", context="repl")
    client.ask("cancel", requestId=waiting)
    expect("success", client.answer(waiting)["success"], False)
    client.ask("cancel", requestId=waiting)
    expect("console", client.ask("evaluate", expression="show sets", context="repl")["variablesReference"], 0)
    expect("status", client.end(), 0)


for check in (check_lines, check_threads, check_targets, check_sources, check_exceptions, check_console, check_cancel):
    check()
    print("ok", check.__name__, flush=True)
