# SPDX-License-Identifier: GPL-3.0-or-later
"""The merged stack of an attached rank, with names, beside gdb's py-bt on the same process."""
import os
import shutil
import subprocess
import sys
import time

import pddt

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "thirteen.py")
ROUNDS = 5


def start():
    process = subprocess.Popen([pddt.PYTHON, SCRIPT], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    process.stdout.readline()
    return process


def ask_pddt(process):
    """Seconds of `where` at the first stop, and of the best of those that follow."""
    dialogue = pddt.Dialogue(["--attach", str(process.pid)])
    dialogue.ask("expect stopped")
    times = [dialogue.ask("where")[1] for _ in range(ROUNDS)]
    dialogue.end()
    return times[0], min(times)


def ask_value(rank_is_python_stop):
    """Seconds of the best of many evaluations of a call that has to run, and of a question that runs
    nothing: at a Python line by the agent,
    or in a rank that sleeps, there and back; from the line typed to the end of the answer."""
    text = "def f():\n    import time\n    time.sleep(1000)\nf()\n"
    dialogue = pddt.Dialogue(["--stop-at", "main" if rank_is_python_stop else "none", "--", pddt.PYTHON,
                              "%python_debug%", "-c", text])
    if rank_is_python_stop:
        dialogue.ask("wait 20")
    else:
        dialogue.ask("wait 2")
        dialogue.ask("pause")
        dialogue.ask("wait 20")
        dialogue.ask("up")
    times = [dialogue.ask("py pow(2, 3)")[1] for _ in range(200)]
    without = [dialogue.ask("frame")[1] for _ in range(200)]
    dialogue.ask("kill")
    dialogue.end()
    return min(times) * 1e6, min(without) * 1e6


def ask_gdb(process):
    begin = time.monotonic()
    answer = subprocess.run(["gdb", "-q", "-batch", "-nx", "-iex", "set debuginfod enabled off",
                             "-iex", "set auto-load safe-path /", "-p", str(process.pid),
                             "-ex", "py-bt"], capture_output=True, text=True, check=False)
    if "line" not in answer.stdout:
        return None
    return time.monotonic() - begin


def main():
    walker = os.path.join(pddt.BUILD, "tests", "bench", "bench-walk")
    if os.path.exists(walker):
        sys.path.insert(0, os.path.join(HERE, "..", "agent"))
        import driver
        subprocess.run([walker, SCRIPT] + driver.list_interpreters(), check=True)
    process = start()
    first, best = ask_pddt(process)
    peer = ask_gdb(process) if shutil.which("gdb") else None
    process.kill()
    process.wait()
    print(f"merged stack of a Python rank: first {first * 1e3:.1f} ms, then {best * 1e3:.2f} ms")
    for what, is_stop in ("at a Python line", True), ("in a rank that sleeps", False):
        whole, without = ask_value(is_stop)
        print(f"evaluation {what}: {whole:.0f} us from the line typed to its answer, {whole - without:.0f} us "
              "more than a question that runs nothing")
    if peer is None:
        print("gdb py-bt: not here")
    else:
        print(f"gdb py-bt, cold: {peer * 1e3:.0f} ms, {peer / first:.0f} and {peer / best:.0f} "
              "times as long")


main()
