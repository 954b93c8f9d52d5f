# SPDX-License-Identifier: GPL-3.0-or-later
"""A whole session of an editor, with real jobs of C and of mpi4py."""
import os
import signal
import subprocess
import sys
import tempfile

import dap
import pddt

RING = sys.argv[1]
RING_C = os.path.join(pddt.SOURCE, "tests", "mpi", "ring.c")
RING_PY = os.path.join(pddt.SOURCE, "tests", "dap", "ring.py")


def expect(what, found, wanted):
    if found != wanted:
        raise SystemExit(f"{what}: {found!r}, expected {wanted!r}")


def go_on(client):
    """Continues four ranks one by one, which wait for each other; how the last one stops."""
    since = len(client.events)
    for thread in (1, 2, 3, 4):
        client.ask("continue", threadId=thread)
    return client.event("stopped", lambda body: body["allThreadsStopped"], since)


def check_c():
    add, end = pddt.mark(RING_C, "add"), pddt.mark(RING_C, "return")
    client = dap.Client()
    client.begin(command=f"mpirun --oversubscribe -np 4 {RING}", breakpoints={RING_C: [add]})
    stopped = client.event("stopped")
    expect("first stop", (stopped["reason"], stopped["allThreadsStopped"]), ("entry", True))
    point = client.event("breakpoint", lambda body: body["breakpoint"]["verified"])["breakpoint"]
    expect("breakpoint", (point["line"], point["source"]["path"]), (add, RING_C))
    names = [thread["name"] for thread in client.ask("threads")["threads"]]
    expect("threads", names, [f"rank {rank}: main at ring.c:{pddt.mark(RING_C, 'first')}" for rank in range(4)])

    stopped = go_on(client)
    expect("stop", (stopped["reason"], stopped.get("hitBreakpointIds")), ("breakpoint", [point["id"]]))
    frame = client.top(2)
    expect("frame", (frame["name"], frame["line"], frame["source"]["path"]), ("pass", add, RING_C))
    seen = client.locals(frame["id"])
    expect("rank", seen["rank"]["value"], "1 (0-3: [0..3])")
    token = client.variables(seen["token"]["variablesReference"])
    expect("token", (token["sum"]["value"], sorted(token)), ("0", ["parts", "sum"]))
    parts = client.variables(token["parts"]["variablesReference"])
    expect("parts", list(parts), ["[0]", "[1]", "[2]"])
    expect("evaluated", client.ask("evaluate", expression=parts["[1]"]["evaluateName"], frameId=frame["id"],
                                   context="watch")["result"], "0")
    expect("set", client.ask("setVariable", variablesReference=seen["token"]["variablesReference"], name="sum",
                             value="40")["value"].partition(" ")[0], "40")
    expect("other rank", client.ask("evaluate", expression="token->sum", frameId=client.top(1)["id"],
                                    context="hover")["result"], "0 (0-3: [0..40])")
    expect("hover", "may call or change" in client.ask_in_vain("evaluate", expression="f = 1", frameId=frame["id"],
                                                     context="hover"), True)

    # a step moves its thread alone, and its old frames and values are of an earlier moment
    stopped = client.move("next", 2)
    expect("step", (stopped["reason"], client.top(2)["line"]), ("step", add + 1))
    expect("stale frame", "earlier moment" in client.ask_in_vain("scopes", frameId=frame["id"]), True)
    expect("stale value", "earlier moment" in client.ask_in_vain(
        "variables", variablesReference=seen["token"]["variablesReference"]), True)
    expect("others", client.top(1)["line"], add)
    answer = client.ask("evaluate", expression="on 1 print token->sum", context="repl")
    expect("console", answer["result"], "1: token->sum = 41")
    expect("wrong command", "error" in client.ask_in_vain("evaluate", expression="print nothing", context="repl"), True)

    expect("breakpoints", [one["line"] for one in client.ask(
        "setBreakpoints", source={"path": RING_C}, breakpoints=[{"line": end}])["breakpoints"]], [end])
    go_on(client)
    expect("ring", client.ask("evaluate", expression="token->sum", frameId=client.top(1)["id"],
                              context="watch")["result"].partition(" ")[0], "6")
    for thread in (1, 2, 3, 4):
        client.ask("continue", threadId=thread)
    expect("exited", client.event("exited")["exitCode"], 0)
    client.event("terminated")
    expect("output", sum(line.endswith("rank 0 has 6") for line in client.output("stdout").splitlines()), 1)
    expect("status", client.end(), 0)


def check_python():
    square = pddt.mark(RING_PY, "square")
    client = dap.Client()
    client.begin(program=RING_PY, ranks=2, mpi="mpirun", launcherArgs=["--oversubscribe"], python=pddt.PYTHON,
                 stopAt="none", moves="all", breakpoints={RING_PY: [square]})
    stopped = client.event("stopped", lambda body: body["allThreadsStopped"])
    expect("first stop", stopped["reason"], "breakpoint")
    frame = client.top(2)
    expect("frame", (frame["name"], frame["line"], frame["source"]["path"]), ("work", square, RING_PY))
    expect("number", client.locals(frame["id"])["number"]["value"], "1 (0-1: [0..1])")
    client.move("next", 1)
    expect("both moved", [client.top(thread)["line"] for thread in (1, 2)], [square + 1] * 2)
    client.move("stepOut", 1)
    since = len(client.events)
    client.ask("continue", threadId=1)
    client.event("terminated", since=since)
    expect("output", [line.partition("| ")[2] for line in sorted(client.output("stdout").splitlines())
                      if "total" in line], ["rank 0 total 5", "rank 1 total 5"])
    expect("status", client.end(), 0)


def check_fields():
    """Where a job runs, with what, and where it stops first."""
    with tempfile.TemporaryDirectory() as folder:
        client = dap.Client()
        client.begin(program="/bin/sh", args=["-c", "read line; echo $NOTE $PWD $line; exit 3"], cwd=folder,
                     env={"NOTE": "from the editor"}, input="0", stopAt="start")
        expect("start", client.event("stopped")["reason"], "entry")
        client.ask("continue", threadId=1)
        client.ask("evaluate", expression="input typed", context="repl")
        expect("exited", client.event("exited")["exitCode"], 3)
        expect("output", client.output("stdout"), f"0| from the editor {os.path.realpath(folder)} typed\n")
        expect("status", client.end(), 0)
    client = dap.Client()
    client.begin(command=["mpirun", "--oversubscribe", "-np", "3", RING], moves="focus")
    client.event("stopped", lambda body: body["allThreadsStopped"])
    client.ask("evaluate", expression="pick 1,2", context="repl")
    line = client.top(1)["line"]
    client.move("next", 2)
    expect("who has moved", [client.top(thread)["line"] - line for thread in (1, 2, 3)], [0, 1, 1])
    expect("status", client.end(), 0)
    client = dap.Client()
    client.begin(command=[RING], stopAt="mpi-init")
    client.event("stopped")
    expect("MPI_Init", [thread["name"] for thread in client.ask("threads")["threads"]],
           [f"rank 0: MPI_Init at ring.c:{pddt.mark(RING_C, 'init')}"])
    expect("status", client.end(), 0)


def check_reading():
    """Debug information that takes long to read is told of: here its reader is held up."""
    with tempfile.TemporaryDirectory() as folder:
        plugin, program = os.path.join(folder, "plugin.so"), os.path.join(folder, "loads")
        for path, text, words in ((plugin, "int plugged (void) { return 7; }", ["-shared", "-fPIC"]),
                                  (program, f"""#include <dlfcn.h>
int main (void) {{ int (*plugged) (void) = (int (*) (void)) dlsym (dlopen ("{plugin}", RTLD_NOW), "plugged"); return plugged (); }}""",
                                   ["-ldl"])):
            with open(f"{path}.c", "w", encoding="utf-8") as file:
                file.write(text)
            subprocess.run(["gcc", "-g", "-O0", "-o", path, f"{path}.c", *words], check=True)
        client = dap.Client()
        client.begin(program=program)
        client.event("stopped")
        client.ask("setFunctionBreakpoints", breakpoints=[{"name": "plugged"}])
        readers = [pid for pid, command in pddt.left_over(client.marker) if "pddt-symbols" in command.split()[0]]
        for pid in readers:
            os.kill(pid, signal.SIGSTOP)
        client.ask("continue", threadId=1)
        begun = client.event("progressStart", lambda body: body["progressId"] == "reading")
        expect("begin", (begun["title"], begun["message"]),
               ("Reading debug information", "reading the debug information of plugin.so"))
        for pid in readers:
            os.kill(pid, signal.SIGCONT)
        client.event("progressEnd", lambda body: body["progressId"] == "reading")
        expect("stop", client.event("stopped", lambda body: body["reason"] != "entry")["reason"], "function breakpoint")
        expect("status", client.end(), 0)


def check_setup():
    """Options and lines of the console hold before anything has run."""
    client = dap.Client()
    client.begin(program=RING, stopAt="none", timeout=60, options={"limit-items": 7},
                 initCommands=["break pass", "set mine = 0"])
    expect("stop", client.event("stopped")["reason"], "function breakpoint")
    expect("option", "limit-items = 7\n" in client.ask("evaluate", expression="show options", context="repl")["result"], True)
    expect("sets", client.ask("pddt/sets")["sets"], [{"name": "mine", "ranks": "0"}])
    expect("status", client.end(), 0)
    for words, part in (({"options": {"no-such": 1}}, 'no option "no-such"'), ({"options": {"limit-items": "many"}}, "is a number"),
                        ({"options": {"limit-items": []}}, "options"), ({"initCommands": "x"}, "list"), ({"timeout": -1}, "timeout"),
                        ({"console": "none"}, "console")):
        client = dap.Client()
        client.ask("initialize", adapterID="pddt")
        expect(f"{words} fails", part in client.ask_in_vain("launch", program=RING, **words), True)
        client.end()


SHOWN = """#include <stdlib.h>
#define LIMIT 3
#define SQ(x) ((x) * (x))
struct point { int x, y; };
struct line { int length; struct point from, ends[2]; };
struct path { int n; struct point *points; };
static int sum;
static int twice (int n) { sum += 1000; return 2 * n; }
static void add (struct point point, int n)
{
  struct point *at = &point;
  struct line line = { n, point, { point, point } };
  struct path path = { 2, line.ends };
  sum += at->x * n + line.length - path.n; //@ add
}
int main (void)
{
  for (int i = 0; i < 8; i++)
    add ((struct point) { i, SQ (i) }, i);
  return sum == 0 || twice (0) == 1;
}
"""
SHOWING = """import gdb
class Point:
    def __init__(self, value):
        self.value = value
    def to_string(self):
        return "P(%d, %d)" % (self.value["x"], self.value["y"])
class Path:
    def __init__(self, value):
        self.value = value
    def to_string(self):
        return "path"
    def children(self):
        yield "n", int(self.value["n"])
        for i in range(int(self.value["n"])):
            yield "[%d]" % i, (self.value["points"] + i).dereference()
kinds = {"point": Point, "path": Path}
gdb.pretty_printers.append(lambda value: (kinds.get(value.type.strip_typedefs().unqualified().tag) or (lambda _: None))(value))
@pddt.function
def half(x):
    return int(x) // 2
"""


def check_shown():
    """Macros in conditions, messages and expressions; values as a script's printers show them, with their parts; its functions."""
    with tempfile.TemporaryDirectory() as folder:
        source, program, script = (os.path.join(folder, name) for name in ("shown.c", "shown", "shown.py"))
        for path, text in ((source, SHOWN), (script, SHOWING)):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        subprocess.run(["gcc", "-g3", "-O0", "-o", program, source], check=True)
        add, client = pddt.mark(source, "add"), dap.Client()
        client.begin(program=program, initCommands=[f"source {script}"])
        client.event("stopped")
        client.ask("setBreakpoints", source={"path": source}, breakpoints=[{"line": add, "condition": "n == LIMIT"}])
        client.move("continue", 1)
        frame = client.top(1)
        seen = client.locals(frame["id"])
        expect("stop", (frame["line"], seen["n"]["value"]), (add, "3"))
        expect("local", seen["point"]["value"], "P(3, 9)")
        expect("parts", {name: part["value"] for name, part in client.variables(seen["point"]["variablesReference"]).items()},
               {"x": "3", "y": "9"})
        parts = client.variables(seen["line"]["variablesReference"])
        expect("parts that printers show", {name: part["value"] for name, part in parts.items()},
               {"length": "3", "from": "P(3, 9)", "ends": "{P(3, 9), P(3, 9)}"})
        expect("elements", [part["value"] for part in client.variables(parts["ends"]["variablesReference"]).values()], 2 * ["P(3, 9)"])
        parts = client.variables(seen["path"]["variablesReference"])
        expect("a printer's parts", {name: part["value"] for name, part in parts.items()}, {"n": "2", "[0]": "P(3, 9)", "[1]": "P(3, 9)"})
        expect("their parts", {name: part["value"] for name, part in client.variables(parts["[1]"]["variablesReference"]).items()},
               {"x": "3", "y": "9"})
        for context, expression, wanted in (("watch", "SQ(n) + LIMIT", "12"), ("watch", "*at", "P(3, 9)"), ("watch", "$half(point.y)", "4"),
                                            ("hover", "LIMIT", "3"), ("hover", "*at", "P(3, 9)"), ("hover", "SQ(n)", "9"),
                                            ("hover", "$half(2)", "1"), ("hover", "n == (3)", "1"), ("watch", "twice(n)", "6"),
                                            ("hover", "sum >= 1000", "1")):
            expect(f"{context} {expression}", client.ask("evaluate", expression=expression, frameId=frame["id"],
                                                         context=context)["result"], wanted)
        for expression in "twice(n)", "n = 5", "SQ(n++)", "n <<= 1":
            expect(f"{expression} under the mouse", "call" in client.ask_in_vain("evaluate", expression=expression, frameId=frame["id"],
                                                                                 context="hover"), True)
        expect("nothing was called or changed", [client.ask("evaluate", expression=expression, frameId=frame["id"], context="watch")["result"]
                                                 for expression in ("n", "sum >= 2000")], ["3", "0"])
        expect("console", client.ask("evaluate", expression="print point", context="repl")["result"], "0: point = P(3, 9)")
        expect("part of an expression", "cannot call $half here" in client.ask_in_vain(
            "evaluate", expression="1 + $half(2)", frameId=frame["id"], context="watch"), True)
        client.ask("setBreakpoints", source={"path": source}, breakpoints=[
            {"line": add, "condition": "SQ(n) > 4 * LIMIT * LIMIT", "logMessage": "n {n}: {SQ(n) - LIMIT} of {LIMIT}"}])
        client.ask("continue", threadId=1)
        client.event("exited")
        expect("messages", [line.partition("| ")[2] or line for line in client.output("console").splitlines() if " of 3" in line],
               ["0: n 7: 46 of 3"])
        client.end()


ASKS = """#include <stdio.h>
int main (void) { char line[80]; printf ("name? "); fflush (stdout);
    while (fgets (line, sizeof line, stdin) != NULL) (printf ("hello %s", line), fflush (stdout));
    return 0; }"""


def begin_terminal(program):
    """A client that offers a terminal, its launch, and what pddt asks for."""
    client = dap.Client()
    client.ask("initialize", adapterID="pddt", supportsRunInTerminalRequest=True)
    client.event("initialized")
    client.ask("configurationDone")
    launched = client.send("launch", program=program, stopAt="none", console="integratedTerminal")
    return client, launched, client.wait("a terminal", lambda: client.asked)[0]


def check_terminal():
    """What is typed in the editor's terminal is the program's input, and what it prints appears there as it is printed."""
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "asks")
        subprocess.run(["gcc", "-g", "-O0", "-x", "c", "-o", program, "-"], input=ASKS.encode(), check=True)
        client, launched, asked = begin_terminal(program)
        expect("of the window", (asked["command"], asked["arguments"]["kind"]), ("runInTerminal", "integrated"))
        with subprocess.Popen(asked["arguments"]["args"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=pddt.ENVIRONMENT) as shown:
            client.respond(asked, processId=shown.pid)
            expect("launch", client.answer(launched)["success"], True)
            expect("a line without its end", shown.stdout.read(6), b"name? ")
            shown.stdin.write(b"you\nmore\n")
            shown.stdin.close()
            expect("exited", client.event("exited")["exitCode"], 0)
            client.ask("disconnect")
            expect("shown", shown.stdout.read(), b"hello you\nhello more\n")
            expect("its status", shown.wait(60), 0)
        expect("not in the console", client.output("stdout"), "")
        expect("status", client.await_end(), 0)

        client, launched, asked = begin_terminal(program)
        client.respond(asked, problem="no window")
        expect("launch without one", client.answer(launched)["success"], True)
        expect("why", "no window" in client.output("important"), True)
        client.ask("evaluate", expression="input you", context="repl")
        client.event("output", lambda body: "hello you" in body["output"])
        expect("status", client.end(), 0)


def check_array():
    """2,500 elements in pages, each with the text that print has; what is left out is said."""
    source = os.path.join(pddt.SOURCE, "tests", "dap", "array.c")
    client = dap.Client()
    client.begin(program=sys.argv[2], stopOnEntry=False, breakpoints={source: [pddt.mark(source, "print")]})
    client.event("stopped")
    numbers = client.locals(client.top(1)["id"])["all"]
    expect("count", numbers["indexedVariables"], 2500)
    expect("short", len(numbers["value"]) < 1100, True)
    found = []
    for start in range(0, 2500, 500):
        found += [(one["name"], one["value"]) for one in client.ask(
            "variables", variablesReference=numbers["variablesReference"], filter="indexed", start=start,
            count=500)["variables"]]
    expect("elements", found, [(f"[{i}]", f"{i / 2:g}") for i in range(2500)])
    frame = client.top(1)["id"]
    for name in ("thirds", "steps", "large", "colours"):
        array = client.locals(frame)[name]
        found = client.ask("variables", variablesReference=array["variablesReference"], filter="indexed", start=100,
                           count=200)["variables"]
        expect(name, [one["evaluateName"] for one in found], [f"{name}[{i}]" for i in range(100, 300)])
        for one in found[::33] + found[-1:]:
            printed = client.ask("evaluate", expression=one["evaluateName"], frameId=frame, context="watch")
            expect(one["evaluateName"], (one["value"], one["type"]), (printed["result"], printed["type"]))
    found = client.ask("variables", variablesReference=numbers["variablesReference"], filter="indexed", start=1,
                       count=2499)["variables"]
    expect("in one page", (len(found), found[-1]["value"]), (2499, "1249.5"))
    whole = client.ask("variables", variablesReference=numbers["variablesReference"])["variables"]
    expect("rest", (len(whole), whole[-1]["name"], "more are not shown" in whole[-1]["value"]), (1001, "…", True))
    expect("status", client.end(), 0)


def check_early():
    """A program without a main that pddt knows crashes before its first stop: that is no beginning to go on from."""
    client = dap.Client()
    client.begin(program="/bin/sh", args=["-c", "kill -SEGV $$"], stopAt="none")
    expect("crash", client.event("stopped")["reason"], "exception")
    expect("signal", client.ask("exceptionInfo", threadId=1)["exceptionId"], "SIGSEGV")
    expect("status", client.end(), 0)


def check_progress():
    """A start tells how far it is; one that never comes is given up."""
    client = dap.Client()
    client.begin(command=["mpirun", "--oversubscribe", "-np", "2", RING])
    client.event("stopped")
    kinds = [event["event"] for event in client.events if event["event"].startswith("progress")]
    expect("begin and end", (kinds[0], kinds[-1]), ("progressStart", "progressEnd"))
    expect("between them", set(kinds[1:-1]) <= {"progressUpdate"}, True)
    expect("status", client.end(), 0)
    with tempfile.TemporaryDirectory() as folder:
        launcher, held = os.path.join(folder, "mpirun"), os.path.join(folder, "held")
        os.mkfifo(held)
        with open(launcher, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\ncase "$1" in --version) echo "mpirun (Open MPI) 4.1.4";; *) exec cat {held};; esac\n')
        os.chmod(launcher, 0o755)
        client = dap.Client()
        client.ask("initialize", adapterID="pddt", supportsProgressReporting=True)
        launched = client.send("launch", command=[launcher, "-np", "2", RING])
        client.ask("configurationDone")
        begun = client.event("progressStart")
        expect("progress", (begun["title"], begun["cancellable"]), ("Starting the job", True))
        expect("update", client.event("progressUpdate")["message"], "0 of 2 ranks have reported")
        client.ask("cancel", progressId=begun["progressId"])
        client.event("progressEnd")
        client.event("terminated")
        expect("launch", client.answer(launched)["success"], False)
        client.end()


check_array()
print("ok array", flush=True)
check_c()
print("ok C", flush=True)
check_python()
print("ok mpi4py", flush=True)
check_fields()
print("ok fields", flush=True)
check_early()
print("ok early", flush=True)
check_progress()
print("ok progress", flush=True)
check_reading()
print("ok reading", flush=True)
check_setup()
print("ok setup", flush=True)
check_shown()
print("ok shown", flush=True)
check_terminal()
print("ok terminal", flush=True)
