# SPDX-License-Identifier: GPL-3.0-or-later
"""pddt reports the mistakes of programs that end normally, with their lines, and nothing else;
for correct programs that look similar it reports nothing. All programs with Open MPI; a sample
with MPICH in ./check."""
import concurrent.futures
import os
import shutil
import subprocess
import sys
import tempfile

import pddt

BUILT = os.path.join(pddt.BUILD, "tests", "zoo")
SOURCES = os.path.join(pddt.SOURCE, "tests", "zoo")
C, F90 = os.path.join(SOURCES, "situations", "faults.c"), os.path.join(SOURCES, "typed.f90")
FAULTS = ("mismatch", "overlaps", "never freed", "never completed")


def at(name, path=C):
    return f"({os.path.basename(path)}:{pddt.mark(path, name)})"


def types(sent, received, tag, lines=("pass-send", "pass-receive"), path=C):
    places = [" " + at(line, path) if line else "" for line in lines]
    return f"type mismatch on MPI_COMM_WORLD: 0 sends {sent}{places[0]}, 1 receives it as {received}" \
           f"{places[1]}, tag {tag}"


def collective(name, text):
    return f"collective mismatch on {name}: {text}"


PAIR, REVERSED = "{MPI_INT, MPI_DOUBLE}", "{MPI_DOUBLE, MPI_INT}"
CASES = {
    "messages": (2, [
        types("MPI_DOUBLE", "MPI_INT", 1), types(PAIR, REVERSED, 2), types("MPI_DOUBLE", "MPI_FLOAT", 3),
        types("MPI_INT", PAIR, 4), types("MPI_INT", "MPI_FLOAT", 5, ("isend", "irecv")),
        types("MPI_FLOAT", "MPI_INT", 6, ("one-float", None)),
        types("MPI_UNSIGNED", "MPI_INT", 7, ("start", "recv-init")),
        "1 receives it as MPI_FLOAT (faults.c:%d), tag 8" % (pddt.mark(C, "sendrecv") - 1)]),
    "long": (2, [types("MPI_DOUBLE", "MPI_INT", 1)]),
    "collectives": (2, [
        collective("bcast", f"0 calls MPI_Bcast of MPI_INT {at('bcast-int')}, 1 of MPI_FLOAT "
                            + at("bcast-float")),
        collective("reduce", "0 calls MPI_Reduce of MPI_INT"), collective("ibcast", "0 calls MPI_Ibcast of"),
        collective("half", "0 calls MPI_Bcast of MPI_INT"),
        collective("gather", "0 calls MPI_Gather of MPI_INT and MPI_FLOAT"),
        collective("gatherv", "0 calls MPI_Gatherv of MPI_INT"),
        collective("scatter", "0 calls MPI_Scatter of MPI_INT"),
        collective("allgather", "0 calls MPI_Allgather of MPI_INT"),
        collective("alltoall", "0 calls MPI_Alltoall of MPI_INT"),
        collective("count", "0 calls MPI_Gather with 8 bytes and 16"),
        "enters MPI_Finalize with 5 communicators never freed: bcast (faults.c:"]),
    "right": (2, []),
    "bridge-right": (4, []),
    "bridge-wrong": (4, [collective("bridge", "3 calls MPI_Bcast with root 1"), "1 communicator never freed"]),
    "fence-free": (2, [collective("window of MPI_COMM_WORLD", f"0 calls MPI_Win_fence {at('fence')}, 1 "
                                                              f"MPI_Win_free {at('free')}")]),
    "leak": (2, ["with 1 communicator, 1 datatype, 1 persistent request never freed: kept (faults.c:"]),
    "open": (2, ["with 1 window, 1 file never freed: "]),  # files and windows
    "overlap": (2, [f"the buffer of MPI_Irecv from {peer}, tag 62 {at('overlap-receive')} overlaps that of "
                    f"MPI_Irecv from {peer}, tag 61" for peer in (0, 1)]
                + [f"{at('overlap-send')} overlaps that of MPI_Irecv from {peer}, tag 62" for peer in (0, 1)]
                + [f"MPI_Send {at('overlap-blocking')} overlaps that of MPI_Irecv from {peer}, tag 61"
                   for peer in (0, 1)]),
}
IN_CHECK = {"messages", "right"} # with MPICH
STUCK = {"fence-free", "bridge-wrong"}
ABORTED = {"open"}  # by MPICH's own transport (UCX) in MPI_Finalize, for the window; with or without pddt


def make_line(name, n, is_mpich):
    program = os.path.join(BUILT, "situation-faults" + ("-mpich" if is_mpich else ""))
    launcher = ["mpiexec.mpich", "-n"] if is_mpich else ["mpirun.openmpi", "--oversubscribe", "-np"]
    return launcher + [str(n), program, name]


def ask_notes(line, stuck):
    """What it is told of until it has ended, or told of where it does not end."""
    dialogue = pddt.Dialogue(line)

    def get_notes():  # those that come between two answers, too
        return [e["text"] for e in dialogue.seen if e["event"] == "notice"
                and any(word in e["text"] for word in FAULTS)]

    try:
        for _ in range(30):
            dialogue.ask("continue")
            dialogue.ask("wait 60")
            if dialogue.ask("expect exited")[0][-1]["ok"] or (stuck and get_notes()):
                break
        else:
            raise SystemExit("it does not end: " + " | ".join(get_notes()))
    finally:
        dialogue.end()
    return get_notes()


def check(title, line, expected, stuck=False):
    notes = ask_notes(line, stuck)
    for text in expected:
        if sum(text in note for note in notes) != 1:
            raise SystemExit(f"{title}: not once {text!r} in\n" + "\n".join(notes))
    if len(notes) != len(expected) and not stuck:
        raise SystemExit(f"{title}: {len(expected)} notes expected, not\n" + "\n".join(notes))
    return title


def check_case(name, is_mpich):
    n, expected = CASES[name]
    if name in STUCK:
        expected = expected[:1]
    return check(f"{name} {'MPICH' if is_mpich else 'Open MPI'}", make_line(name, n, is_mpich), expected,
                 name in STUCK or (is_mpich and name in ABORTED))


def check_fortran():
    return check("typed.f90", ["mpirun.openmpi", "-np", "2", os.path.join(BUILT, "typed")], [
        types("MPI_DOUBLE_PRECISION", "MPI_INTEGER", 1, ("send", "receive"), F90),
        types("MPI_REAL", "MPI_INTEGER", 3, ("modern-send", "modern-receive"), F90),
        f"enters MPI_Finalize with 1 datatype never freed: MPI_Type_vector {at('kept', F90)}"])


def check_fortran_right(is_mpich):
    line = make_line("right", 2, is_mpich)
    line[line.index("right") - 1] = os.path.join(BUILT, "situation-fortran" + "-mpich" * is_mpich)
    return check(f"fortran.f90 {'MPICH' if is_mpich else 'Open MPI'}", line, [])


def check_python():
    return check("typed.py", ["mpirun.openmpi", "-np", "2", "/usr/bin/python3",
                              os.path.join(SOURCES, "typed.py")],
                 [types("MPI_DOUBLE", "MPI_INT", 1, (None, None))])


def check_overlap():
    """Told without a stop; where errors are caught, it stops at the call."""
    run = pddt.run(pddt.commands("catch mpi-error", "continue", "wait 60", "show state")
                   + make_line("overlap", 2, False))
    run.expect_line("0-1: stopped, MPI_Irecv at " + at("overlap-receive")[1:-1])
    return "overlap caught"


def check_overlap_in_library():
    """Without lines, as in a library, the function and the library are told."""
    with tempfile.TemporaryDirectory(prefix="pddt-faults-") as folder:
        program = os.path.join(folder, "bare")
        shutil.copy(os.path.join(BUILT, "situation-faults"), program)
        subprocess.run(["strip", "--strip-debug", program], check=True)
        run = pddt.run(["--stop-at", "none", *pddt.commands("wait 60"), "mpirun.openmpi", "-np", "2", program, "overlap"])
    run.expect("the buffer of MPI_Irecv from 1, tag 62 (overlap_wrongly in bare) overlaps that of MPI_Irecv from 1, tag 61 "
               "(overlap_wrongly in bare)")
    return "overlap without lines"


def check_caught(is_mpich, is_recorded):
    """An error that MPI only returns is caught when it is asked for, and not when it is not."""
    title = f"error {'MPICH' if is_mpich else 'Open MPI'} {'with' if is_recorded else 'without'} recorder"
    for option, lines in (("off", ["catch mpi-error"]), ("off", []), ("on", [])):
        run = pddt.run(pddt.commands("set option mpi-errors " + option, *lines, "continue", "wait", "on 1 where",
                                     "show state") + make_line("error", 2, is_mpich),
                       prefix=[] if is_recorded else ["env", "PDDT_NO_RECORDER=1"])
        if not lines:
            run.expect("0-1: exited 0")
        is_caught = f"1: exception " in run.out and "MPI_Send at " + at("err")[1:-1] in run.out
        if is_caught != bool(lines):
            run.fail(f"{title}: {'not ' * (not is_caught)}caught")
    return title


def list_tasks():
    has_mpich = os.path.exists(os.path.join(BUILT, "situation-faults-mpich"))
    is_long = bool(os.environ.get("PDDT_LONG"))
    tasks = [(check_case, name, False) for name in CASES]
    tasks += [(check_fortran,), (check_fortran_right, False), (check_overlap,), (check_overlap_in_library,), (check_caught, False, True), (check_caught, False, False)]
    if subprocess.run(["/usr/bin/python3", "-c", "import mpi4py"], stderr=subprocess.DEVNULL,
                      check=False).returncode == 0:
        tasks += [(check_python,)]
    if has_mpich:
        tasks += [(check_case, name, True) for name in CASES if is_long or name in IN_CHECK]
        if os.path.exists(os.path.join(BUILT, "situation-fortran-mpich")):
            tasks += [(check_fortran_right, True)]
        tasks += [(check_caught, True, True)] + [(check_caught, True, False)] * is_long
    return tasks


def main():
    wanted = sys.argv[1:]
    tasks = [task for task in list_tasks() if not wanted or any(word in wanted for word in task[1:])]
    tasks *= int(os.environ.get("PDDT_ZOO_TIMES", "1")) if os.environ.get("PDDT_LONG") else 1
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        pddt.report([pool.submit(*task) for task in tasks])


main()
