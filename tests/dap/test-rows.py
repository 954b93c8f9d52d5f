# SPDX-License-Identifier: GPL-3.0-or-later
"""What the other tests of the protocol leave out: clients that count from 0 and have URIs, single instructions, C++'s throw,
MPI's errors, some ranks of a job, a start without debugging, C that Python has called, and what editors copy."""
import contextlib
import os
import subprocess
import sys
import tempfile

import dap
import pddt

RING, _, PROGRAM = sys.argv[1:4]
RING_C = os.path.join(pddt.SOURCE, "tests", "mpi", "ring.c")
POINTS_C = os.path.join(pddt.SOURCE, "tests", "dap", "points.c")


def expect(what, found, wanted):
    if found != wanted:
        raise SystemExit(f"{what}: {found!r}, expected {wanted!r}")


def compile_in(folder, name, text, *words):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    subprocess.run([*words, "-g", "-O0", "-o", f"{path}.out", path], check=True)
    return path, f"{path}.out"


def check_counting():
    """Lines and columns from 0 on, and URIs."""
    add = pddt.mark(POINTS_C, "add")
    client = dap.Client()
    client.ask("initialize", adapterID="x", linesStartAt1=False, columnsStartAt1=False, pathFormat="uri")
    launched = client.send("launch", program=PROGRAM, stopAt="none")
    point = client.ask("setBreakpoints", source={"path": f"file://{POINTS_C}"}, breakpoints=[{"line": add - 1}])["breakpoints"][0]
    client.ask("configurationDone")
    client.answer(launched)
    client.event("stopped")
    frame = client.top(1)
    expect("frame", (frame["line"], frame["column"], frame["source"]["path"]), (add - 1, 0, f"file://{POINTS_C}"))
    told = client.event("breakpoint", lambda body: body["breakpoint"]["verified"])["breakpoint"]
    expect("breakpoint", (told["id"], told["line"]), (point["id"], add - 1))
    targets = client.ask("completions", text="😀 conti", column=8)["targets"]
    expect("nothing to complete", targets, [])
    targets = client.ask("completions", text="conti", column=5)["targets"]
    expect("completed", [(one["label"], one["start"], one["length"]) for one in targets], [("continue", 0, 5)])
    expect("status", client.end(), 0)


def check_instructions():
    client = dap.Client()
    client.begin(program=PROGRAM, breakpoints={POINTS_C: [pddt.mark(POINTS_C, "add")]}, stopAt="none")
    client.event("stopped")

    def where():
        frame = client.top(1)
        return frame["line"], client.ask("evaluate", expression="$pc", frameId=frame["id"], context="watch")["result"]
    begin = where()
    expect("step", client.move("next", 1, granularity="instruction")["reason"], "step")
    after = where()
    expect("the same line", (after[0], after[1] != begin[1]), (begin[0], True))
    expect("a step into", client.move("stepIn", 1, granularity="instruction")["reason"], "step")
    expect("copied", client.ask("evaluate", expression="n", frameId=client.top(1)["id"], context="clipboard")["result"], "1")
    expect("status", client.end(), 0)


def check_throw():
    with tempfile.TemporaryDirectory() as folder:
        path, program = compile_in(folder, "throws.cpp", """#include <stdexcept>
int main ()
{
    try {
        throw std::runtime_error ("why");
    } catch (const std::exception &) {
    }
    return 0;
}
""", "g++")
        client = dap.Client()
        client.begin(program=program)
        client.event("stopped")
        client.ask("setExceptionBreakpoints", filters=["throw"])
        expect("stop", client.move("continue", 1)["reason"], "exception")
        info = client.ask("exceptionInfo", threadId=1)
        expect("which", info["exceptionId"], "std::runtime_error")
        lines = [frame["line"] for frame in client.ask("stackTrace", threadId=1)["stackFrames"]
                 if frame.get("source", {}).get("path") == path]
        expect("where", lines, [5])
        expect("status", client.end(), 0)


def check_mpi_error():
    with tempfile.TemporaryDirectory() as folder:
        _, program = compile_in(folder, "errs.c", """#include <mpi.h>
int main (int argc, char **argv)
{
    MPI_Init (&argc, &argv);
    MPI_Comm_set_errhandler (MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Send (&argc, 1, MPI_INT, 1000, 0, MPI_COMM_WORLD);
    MPI_Finalize ();
    return 0;
}
""", "mpicc")
        client = dap.Client()
        client.begin(command=["mpirun", "--oversubscribe", "-np", "2", program], moves="all")
        client.event("stopped", lambda body: body["allThreadsStopped"])
        client.ask("setExceptionBreakpoints", filters=["mpi-error"])
        expect("stop", client.move("continue", 1)["reason"], "exception")
        info = client.ask("exceptionInfo", threadId=1)
        expect("which", "MPI_ERR_RANK" in info["exceptionId"] + info["description"], True)
        expect("status", client.end(), 0)


def check_some_ranks():
    with subprocess.Popen(["mpirun", "--oversubscribe", "-np", "3", RING, "hang"], env=pddt.ENVIRONMENT,
                          stdout=subprocess.DEVNULL) as launcher, contextlib.ExitStack() as stack:
        stack.callback(launcher.terminate)
        pddt.wait_for("three ranks", lambda: sum(command.startswith(f"{RING} ") for _, _, command in pddt.processes().values()) >= 3)
        client = dap.Client()
        client.begin(request="attach", launcherPid=launcher.pid, ranks="1-2")
        client.event("stopped", lambda body: body["allThreadsStopped"])
        expect("ranks", len(client.ask("threads")["threads"]), 2)
        expect("status", client.end(), 0)


def check_bare():
    """ "Run Without Debugging": nothing stops it."""
    client = dap.Client()
    client.begin(command=["mpirun", "--oversubscribe", "-np", "2", RING], noDebug=True)
    expect("exited", client.event("exited")["exitCode"], 0)
    expect("stopped", [one for one in client.events if one["event"] == "stopped"], [])
    expect("status", client.end(), 0)


def check_mixed():
    """One stack of C and of the Python that has called it, each with its own source and values."""
    with tempfile.TemporaryDirectory() as folder:
        path, library = compile_in(folder, "called.c", "int called (int n)\n{\n    return n + 1;\n}\n", "gcc", "-shared", "-fPIC")
        script = os.path.join(folder, "calls.py")
        with open(script, "w", encoding="utf-8") as file:
            file.write(f"import ctypes\nlibrary = ctypes.CDLL('{library}')\ndef work(size):\n    return library.called(size)\nwork(41)\n")
        client = dap.Client()
        client.begin(program=script, python=pddt.PYTHON, stopAt="none", breakpoints={path: [3]})
        client.event("stopped")
        frames = {frame["name"]: frame for frame in client.ask("stackTrace", threadId=1)["stackFrames"]}
        expect("sources", [frames[name]["source"]["path"] for name in ("called", "work")], [path, script])
        expect("lines", [frames[name]["line"] for name in ("called", "work", "<module>")], [3, 4, 5])
        expect("of C", client.locals(frames["called"]["id"])["n"]["value"], "41")
        scopes = client.ask("scopes", frameId=frames["work"]["id"])["scopes"]
        expect("scopes of Python", [one["name"] for one in scopes], ["Locals", "Globals"])
        size = client.ask("setVariable", variablesReference=scopes[0]["variablesReference"], name="size", value="7")
        expect("written in Python", size["value"], "7")
        expect("status", client.end(), 0)


MADE_C = """#include <string.h>
#include <sys/mman.h>
int main (void)
{
    static const unsigned char code[] = { 0xb8, 1, 0, 0, 0, 0xc3 }; /* mov $1,%eax; ret */
    unsigned char *made = mmap (0, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy (made, code, sizeof code);
    return ((int (*) (void)) (void *) made) () - 1; //@ made
}
"""


def check_made():
    """Code that the program has made has no name, and no variables; who has called it has both."""
    with tempfile.TemporaryDirectory() as folder:
        path, program = compile_in(folder, "made.c", MADE_C, "gcc")
        client = dap.Client()
        client.begin(program=program, stopAt="none", breakpoints={path: [pddt.mark(path, "made")]})
        client.event("stopped")
        address = client.ask("evaluate", expression="(long) made", frameId=client.top(1)["id"], context="watch")["result"]
        client.ask("setInstructionBreakpoints", breakpoints=[{"instructionReference": hex(int(address))}])
        client.move("continue", 1)
        frames = client.ask("stackTrace", threadId=1)["stackFrames"]
        expect("names", [frame["name"] for frame in frames[:2]], ["?? [incomplete]", "main"])
        scopes = client.ask("scopes", frameId=frames[0]["id"])["scopes"]
        reference = next(one["variablesReference"] for one in scopes if one["name"] == "Locals")
        why = client.ask_in_vain("variables", variablesReference=reference)
        expect("its variables", "no debug information for this place" in str(why), True)
        expect("its caller's", client.locals(frames[1]["id"])["made"]["type"], "unsigned char *")
        expect("status", client.end(), 0)


for check in (check_made, check_counting, check_instructions, check_throw, check_mpi_error, check_some_ranks, check_bare, check_mixed):
    check()
    print("ok", check.__name__, flush=True)
