# SPDX-License-Identifier: GPL-3.0-or-later
"""Ranks in a protocol that knows threads: groups that part and meet, pinned ranks, breakpoints of some ranks, faults,
attaching, beginning again."""
import base64
import contextlib
import os
import subprocess
import sys
import tempfile

import dap
import pddt

RING, ARRAY = sys.argv[1:3]
RING_C = os.path.join(pddt.SOURCE, "tests", "mpi", "ring.c")
RING_PY = os.path.join(pddt.SOURCE, "tests", "dap", "ring.py")
FIRST, ADD, RETURN = (pddt.mark(RING_C, name) for name in ("first", "add", "return"))


def expect(what, found, wanted):
    if found != wanted:
        raise SystemExit(f"{what}: {found!r}, expected {wanted!r}")


def threads(client):
    return {thread["id"]: thread["name"] for thread in client.ask("threads")["threads"]}


def check_groups():
    client = dap.Client()
    client.begin(command=f"mpirun --oversubscribe -np 6 {RING}", ranksAsThreads=2, moves="all")
    stopped = client.event("stopped")
    begin = threads(client)
    expect("one group", list(begin.values()), [f"0-5: stopped, main at ring.c:{FIRST}"])
    expect("its number", list(begin), [stopped["threadId"]])
    whole = stopped["threadId"]
    expect("breakpoint", client.ask("setBreakpoints", source={"path": RING_C}, breakpoints=[
        {"line": ADD, "condition": "on 0-3"}, {"line": RETURN}])["breakpoints"][0]["verified"], True)
    since = len(client.events)
    client.ask("continue", threadId=whole)
    client.event("stopped", lambda body: body["description"] == "breakpoint 1", since)
    client.event("pddt/changed", since=since)
    there = f"0-3: breakpoint 1, pass at ring.c:{ADD}"  # all four, however they come
    pddt.wait_for("the four", lambda: [name for name in threads(client).values() if "breakpoint" in name] == [there])
    parts = threads(client)
    expect("new numbers", whole in parts, False)
    four = next(number for number, name in parts.items() if name.startswith("0-3"))
    frame = client.top(four)
    expect("values", client.locals(frame["id"])["rank"]["value"], "0 (0-3: [0..3])")

    # a rank of its own, of which the client hears
    since = len(client.events)
    client.ask("pddt/pin", ranks="2")
    client.event("stopped", lambda body: body["threadId"] == 3, since)
    client.event("thread", lambda body: (body["reason"], body["threadId"]) == ("exited", four), since)
    expect("pinned", [name for name in threads(client).values() if name.startswith("rank")],
           [f"rank 2: pass at ring.c:{ADD}"])
    expect("its value", client.locals(client.top(3)["id"])["rank"]["value"], "2 (0-3: [0..3])")
    client.ask("pddt/pin", ranks="")
    groups = client.ask("pddt/groups")
    expect("groups", (groups["version"], groups["ranksAreThreads"], "0-3" in [one["ranks"] for one in groups["groups"]]),
           (1, False, True))
    state = client.ask("pddt/state", update=True)
    expect("state", (state["version"], state["size"], state["states"][0]["ranks"], state["states"][0]["state"]),
           (1, 6, "0-3", "breakpoint"))
    answer = client.ask("pddt/command", line="on 1 print rank")
    expect("command", (answer["ok"], answer["events"][0]["values"][0]["groups"][0]["text"]), (True, "1"))
    answer = client.ask("pddt/compare", expression="rank", ranks="0-3")
    expect("compared", ([(one["ranks"], one["value"]) for one in answer["groups"]], answer["min"], answer["max"], answer["mean"],
                        answer["maxRank"], answer["missing"]), ([(str(rank), str(rank)) for rank in range(4)], 0, 3, 1.5, 3, ""))
    expect("not compared", "nothing" in client.ask_in_vain("pddt/compare", expression="nothing"), True)
    client.ask("pddt/command", line="set mine = 1,2")
    expect("sets", client.ask("pddt/sets")["sets"], [{"name": "mine", "ranks": "1-2"}])
    expect("status", client.end(terminateDebuggee=True), 0)


def check_many():
    """64 real ranks: groups that part, move alone, and are one again, each told of once; what VS Code asks stays short."""
    array_c = os.path.join(pddt.SOURCE, "tests", "dap", "array.c")
    printed, end = pddt.mark(array_c, "print"), pddt.mark(array_c, "end")
    client = dap.Client()
    client.begin(command=f"mpirun --oversubscribe -np 64 {ARRAY}")
    whole = client.event("stopped", lambda body: body["allThreadsStopped"])["threadId"]
    expect("one group", [name.partition(",")[0] for name in threads(client).values()], ["0-63: stopped"])
    client.ask("setBreakpoints", source={"path": array_c}, breakpoints=[
        {"line": printed, "condition": "on 0-31"}, {"line": end, "condition": "on 32-63"}])
    since = len(client.events)
    client.ask("continue", threadId=whole)
    parts = [f"0-31: breakpoint 1, main at array.c:{printed}", f"32-63: breakpoint 2, main at array.c:{end}"]
    pddt.wait_for("two groups", lambda: sorted(threads(client).values()) == parts)
    low, high = (next(number for number, name in threads(client).items() if name == part) for part in parts)

    def both_told():
        """A group may be seen before its stop is told of."""
        client.ask("threads")
        return {low, high} <= {event["body"]["threadId"] for event in client.events[since:] if event["event"] == "stopped"}
    pddt.wait_for("the stops of both to be told", both_told)
    expect("a value", client.locals(client.top(high)["id"])["thirds"]["indexedVariables"], 300)
    client.move("next", low)
    expect("moved alone", sorted(threads(client).values()), [f"0-31: stopped, main at array.c:{end}", parts[1]])
    expect("the other group", client.top(high)["line"], end)
    client.ask("next", threadId=low)
    client.ask("next", threadId=high)
    there = [f"0-63: stopped, main at array.c:{end + 1}"]
    pddt.wait_for("one group", lambda: list(threads(client).values()) == there)
    expect("the number that it had", list(threads(client)), [whole])
    stopped = client.move("next", whole)
    expect("64 at once", (stopped["threadId"], stopped["allThreadsStopped"], client.top(whole)["line"]), (whole, True, end + 2))
    stops = [event for event in client.events if event["event"] == "stopped"]
    if len(stops) > 40:
        raise SystemExit(f"{len(stops)} stops were told of, as if each rank had its own")
    expect("status", client.end(terminateDebuggee=True), 0)


def check_faults():
    client = dap.Client()
    client.begin(command=["mpirun", "--oversubscribe", "-np", "2", RING, "hang"], stopOnEntry=False)
    sentences = pddt.wait_for("a reason", lambda: [one["text"] for one in client.ask("pddt/why")["sentences"]
                                                   if one["kind"] == "cycle"])
    expect("why", "MPI_Recv" in sentences[0], True)
    client.event("output", lambda body: "wait for each other" in body["output"])
    expect("verdict", client.event("pddt/verdict")["kind"], "cycle")  # nobody asked, and nobody is stopped
    expect("stopped", [event for event in client.events if event["event"] == "stopped"], [])
    since = next(number for number, event in enumerate(client.events) if event["event"] == "pddt/verdict")
    client.event("pddt/changed", since=since)  # without which an editor would show ranks that run
    expect("blocked", {one["state"] for one in client.ask("pddt/state")["states"]}, {"blocked"})
    expect("running", "notStopped", client.answer(client.send("stackTrace", threadId=1))["message"])
    queue = client.ask("pddt/queue", ranks="1")["events"]
    expect("queue", [(one["operation"], one["ranks"], one["peer"]) for one in queue if one.get("what") == "call"],
           [("MPI_Recv", "1", 0)])
    since = len(client.events)
    client.ask("pause", threadId=1)
    expect("pause", client.event("stopped", since=since)["reason"], "pause")
    expect("in MPI", [frame["name"] for frame in client.ask("stackTrace", threadId=1)["stackFrames"]][-1], "main")
    client.ask("terminate")
    client.event("terminated")
    expect("status", client.end(), 0)

    client = dap.Client()
    client.begin(command=["mpirun", "--oversubscribe", "-np", "2", pddt.PYTHON, "%python_debug%", "-c",
                          "def f(n):\n return 1 // n\nf(0)"], stopOnEntry=False)
    stopped = client.event("stopped", lambda body: body["allThreadsStopped"])
    expect("exception", stopped["reason"], "exception")
    info = client.ask("exceptionInfo", threadId=2)
    expect("info", (info["exceptionId"], "integer division" in info["description"]), ("ZeroDivisionError", True))
    expect("status", client.end(), 0)


def check_code(client, frame):
    """Instructions in both directions, and bytes, beside what the console says."""
    listed = [line.partition(": ")[2].replace("=>", "").split()[0] for line in client.ask(
        "evaluate", expression="disassemble", context="repl")["result"].splitlines() if " 0x" in line]
    here = client.ask("evaluate", expression="$pc", frameId=frame["id"], context="watch")["result"]
    here = next(word for word in here.split() if word.startswith("0x"))
    at = listed.index(here)
    seen = client.ask("disassemble", memoryReference=frame["instructionPointerReference"], instructionOffset=-5,
                      instructionCount=8)["instructions"]
    expect("instructions", [one["address"] for one in seen][:5 + len(listed[at:])], listed[at - 5:at + 3])
    seen = client.ask("disassemble", memoryReference=here, instructionOffset=-len(listed), instructionCount=len(listed))
    expect("before the function", [one.get("presentationHint") for one in seen["instructions"]].count("invalid"),
           len(listed) - at)
    told = client.ask("evaluate", expression="&token->sum", frameId=frame["id"], context="watch")["result"]
    address = next(word for word in told.split() if word.startswith("0x"))
    memory = client.ask("readMemory", memoryReference=address, count=4)
    expect("memory", base64.b64decode(memory["data"]), (0).to_bytes(4, "little"))
    memory = client.ask("readMemory", memoryReference="0x0", count=16)
    expect("unreadable", (memory["unreadableBytes"], "data" in memory), (16, False))


def check_breakpoints():
    client = dap.Client()
    client.begin(command=[RING])
    client.event("stopped")
    client.ask("setBreakpoints", source={"path": RING_C}, breakpoints=[{"line": ADD, "logMessage": "rank is {rank}"}])
    answer = client.ask("setFunctionBreakpoints", breakpoints=[{"name": "pass"}, {"name": "no_such_function"}])
    expect("functions", [one["verified"] for one in answer["breakpoints"]], [True, False])
    expect("count", client.ask("setFunctionBreakpoints", breakpoints=[
        {"name": "pass", "hitCondition": "often"}])["breakpoints"][0]["reason"], "failed")
    client.ask("setFunctionBreakpoints", breakpoints=[])
    expect("filters", [one["verified"] for one in client.ask(
        "setExceptionBreakpoints", filters=["mpi-error", "nonsense"])["breakpoints"]], [True, False])
    client.ask("setExceptionBreakpoints", filters=[])
    client.ask("evaluate", expression=f"tbreak ring.c:{RETURN}", context="repl")
    client.event("breakpoint", lambda body: body["reason"] == "new")
    stopped = client.move("continue", 1)
    expect("stop", (stopped["reason"], client.top(1)["line"]), ("breakpoint", RETURN))
    expect("log", "rank is 0" in client.output("console"), True)
    frame = client.top(1)
    info = client.ask("dataBreakpointInfo", name="token->sum", frameId=frame["id"])
    expect("data", client.ask("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"]}])["breakpoints"][0]["verified"],
           True)
    labels = [one["label"] for one in client.ask("completions", text="on 0 conti", column=11)["targets"]]
    expect("completions", labels, ["continue"])
    expect("loaded", any(one["path"] == RING_C for one in client.ask("loadedSources")["sources"]), True)
    expect("modules", any(one["name"] == "ring" for one in client.ask("modules")["modules"]), True)
    check_code(client, frame)
    frames = client.ask("stackTrace", threadId=1, startFrame=1, levels=1)["stackFrames"]
    expect("paging", [frame["name"] for frame in frames], ["main"])
    since = len(client.events)
    client.ask("restart")
    stopped = client.event("stopped", since=since)
    expect("again", client.top(1)["line"], FIRST)
    expect("status", client.end(), 0)


def check_attach():
    with subprocess.Popen([pddt.PYTHON, "-c", "import time\nwhile True: time.sleep(0.01)"], env=pddt.ENVIRONMENT) as program:
        client = dap.Client()
        client.begin(request="attach", processes=[program.pid])
        client.event("stopped")
        expect("frames", any(frame["name"] == "<module>" for frame in client.ask("stackTrace", threadId=1)["stackFrames"]),
               True)
        expect("status", client.end(), 0)
        expect("it runs on", program.poll(), None)
        program.kill()


def check_job():
    """All ranks of a running launcher, and core files of two of them."""
    words = ["mpirun", "--oversubscribe", "-np", "2", RING, "hang"]
    with subprocess.Popen(words, env=pddt.ENVIRONMENT, stdout=subprocess.DEVNULL) as launcher, \
            contextlib.ExitStack() as stack:
        stack.callback(launcher.terminate)
        client = dap.Client()

        def find():
            return [pid for pid, (_, _, command) in pddt.processes().items()
                    if command.startswith(RING) and str(launcher.pid) in ancestors(pid)]
        ranks = pddt.wait_for("two ranks", lambda: len(find()) == 2 and find())
        client.begin(request="attach", launcherPid=launcher.pid)
        client.event("stopped", lambda body: body["allThreadsStopped"])
        expect("threads", [name.partition(":")[0] for name in threads(client).values()], ["rank 0", "rank 1"])
        expect("status", client.end(), 0)
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["gcore", "-o", os.path.join(folder, "core"), *map(str, ranks)], check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            client = dap.Client()
            client.begin(request="attach", cores=[os.path.join(folder, f"core.{pid}") for pid in ranks])
            client.event("stopped")
            expect("ranks", len(threads(client)), 2)
            names = [frame["name"] for frame in client.ask("stackTrace", threadId=1)["stackFrames"]]
            expect("main", "main" in names, True)
            expect("cores do not move", "core file" in client.ask_in_vain("continue", threadId=1), True)
            expect("status", client.end(), 0)


def ancestors(pid):
    found = []
    table = pddt.processes()
    while pid in table:
        found.append(str(pid))
        pid = table[pid][0]
    return found


for check in (check_breakpoints, check_job, check_groups, check_many, check_faults, check_attach):
    check()
    print("ok", check.__name__, flush=True)
