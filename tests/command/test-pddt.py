# SPDX-License-Identifier: GPL-3.0-or-later
"""pddt's own command line: statuses, sentences, what it links, and the reference in the tree.
Arguments: the program, doc/commands.md, a small program to debug."""
import glob
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile

PDDT, REFERENCE, INFERIOR = sys.argv[1:4]
ENVIRONMENT = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
FAILURES = []


def run(*arguments, stdin=subprocess.DEVNULL):
    return subprocess.run([PDDT, *arguments], stdin=stdin, capture_output=True, text=True,
                          timeout=60, env=ENVIRONMENT)


def check(condition, what, answer=None):
    if not condition:
        FAILURES.append(what)
        print("failed:", what, answer and (answer.returncode, answer.stdout, answer.stderr))


def check_status(status, words, *arguments):
    answer = run(*arguments)
    check(answer.returncode == status and words in answer.stdout + answer.stderr,
          f"{arguments} ends with {status} and says {words!r}", answer)
    return answer


def check_options():
    check_status(0, "COMMAND", "--help")
    check_status(0, "pddt ", "--version")
    check_status(2, "--bogus", "--bogus", "true")
    check_status(2, "-e", INFERIOR)
    check_status(2, "needs a value", "-e")
    check_status(2, "--stop-at needs", "--stop-at", "nowhere", INFERIOR)
    check_status(2, "--timeout needs", "--timeout=soon", INFERIOR)
    check_status(2, "cannot read", "-x", "/nonexistent", INFERIOR)
    check_status(2, "it is not a process number", "--attach", "one", "-e", "where")
    check_status(2, "exclude each other", "--attach", "1", "-e", "where", INFERIOR)
    check_status(2, "exclude each other", "--attach", "1", "--attach-job", "1", "-e", "where")
    check_status(3, "there is no such process", "--attach-job", "999999999", "-e", "where")
    check_status(3, "cannot open core file", "-e", "where", "--core", "/nonexistent")
    check_status(2, "nothing to debug", "--cli")
    check_status(3, "cannot start", "-e", "wait", "/nonexistent-program")


def check_links():
    answer = subprocess.run(["ldd", PDDT], capture_output=True, text=True)
    check("libglib" in answer.stdout, "ldd lists the libraries", answer)
    check("gtk" not in answer.stdout.lower(), "pddt links no GTK", answer)
    daemon = os.path.join(os.path.dirname(PDDT), "pddtd")
    answer = subprocess.run(["ldd", daemon], capture_output=True, text=True)
    check("libc.so" in answer.stdout and "zmq" not in answer.stdout, "pddtd links no libzmq", answer)
    # With the archives of Debian's -dev packages it needs neither library where it runs, but for sanitizers.
    archives = {} if "libasan" in answer.stdout else {name: glob.glob(f"/usr/lib/*/{name}.a") for name in ("libglib-2.0", "libsodium")}
    check(all(name not in answer.stdout for name, found in archives.items() if found),
          f"pddtd links {[name for name, found in archives.items() if found]} statically", answer)


def check_reference():
    with open(REFERENCE, encoding="utf-8") as file:
        check(run("--print-reference").stdout == file.read(),
              "doc/commands.md is what pddt --print-reference writes")


def check_job():
    answer = check_status(0, "0: exited 0", "-e", "show state", "-e", "continue", INFERIOR)
    check("0: stopped, main at " in answer.stdout, "the first stop is shown", answer)
    check_status(1, 'no command "nonsense"', "-e", "nonsense", "-e", "kill", INFERIOR)
    with tempfile.NamedTemporaryFile("w", suffix=".commands") as file:
        file.write("# a comment\n\nnonsense\nprint never\n")
        file.flush()
        answer = run("-x", file.name, "-e", "expect stopped", INFERIOR)
        check(answer.returncode == 1 and "never" not in answer.stdout,
              "a failed line of -x skips the rest of the file", answer)


def check_restart():
    answer = run("-e", "break main", "-e", "continue", "-e", "wait", "-e", "restart", "-e", "show state",
                 "-e", "continue", "-e", "wait", "-e", "expect exited", INFERIOR)
    check(answer.returncode == 0 and answer.stdout.count("0: breakpoint 1 set") == 2
          and answer.stdout.count("0: exited 0") == 2,
          "restart starts the same job with the same breakpoints", answer)
    check_status(1, "restart takes no argument", "-e", "restart now", "-e", "kill", INFERIOR)
    answer = run("-e", "handle SIGUSR1 nostop noprint pass", "-e", "handle SIGUSR2 stop", "-e",
                 "set option limit-items 3", "-e", "restart", "-e", "show signals", "-e", "kill", INFERIOR)
    check(answer.returncode == 0 and re.search(r"SIGUSR1 +no +no +yes", answer.stdout)
          and re.search(r"SIGUSR2 +yes", answer.stdout), "what is done with signals outlives a restart", answer)


def check_randomise():
    """ADDR_NO_RANDOMIZE is 0x40000 of personality(2)."""
    ask = ["-e", "call (int) personality (0xffffffff) & 0x40000"]
    answer = run(*ask, "-e", "set option randomise on", "-e", "restart", *ask, "-e", "kill", INFERIOR)
    check(re.findall(r"0x40000 = (\d+)$", answer.stdout, re.M) == [str(0x40000), "0"],
          "addresses are the same each time, unless the option says otherwise", answer)


def check_numbers():
    """What could not be set has no number."""
    answer = run("-e", "watch never_named", "-e", "break main", "-e", "break main", "-e", "kill", INFERIOR)
    check("breakpoint 1 set, main" in answer.stdout and "breakpoint 2 set, main" in answer.stdout,
          "a breakpoint that could not be set uses up no number", answer)


def check_json():
    answer = run("--json", "-e", "break main", "-e", "where", "-e", "print nosuch", "-e",
                 "continue", INFERIOR)
    events = [json.loads(line) for line in answer.stdout.splitlines()]
    check(sum(e["event"] == "done" for e in events) == 5, "five commands are done", answer)
    check(any(e["event"] == "exited" for e in events), "the end is an event", answer)


def feed(text, *arguments):
    return subprocess.run([PDDT, *arguments], input=text, capture_output=True, text=True, timeout=60,
                          env=ENVIRONMENT)


def check_pipe():
    """Commands on standard input, as gdb takes them; without --cli they would be the program's input."""
    answer = feed("show state\nnonsense\nbreak main\n# a comment\n\nprint 6 * 7", "--cli", INFERIOR)
    check(answer.returncode == 1 and "0: stopped, main at " in answer.stdout
          and 'no command "nonsense"' in answer.stdout and "0: breakpoint 1 set" in answer.stdout
          and "0: 6 * 7 = 42" in answer.stdout,
          "a failed line of a pipe does not stop the next; the last needs no newline", answer)
    answer = feed("continue\nwait\nexpect exited\n", "--cli", INFERIOR)
    check(answer.returncode == 0 and "0: exited 0" in answer.stdout, "a pipe can wait for the end", answer)
    check(feed("", "--cli", INFERIOR).returncode == 0, "the end of an empty input is quit")
    answer = feed("where\n", INFERIOR)
    check(answer.returncode == 2 and "-e" in answer.stderr and "--cli" in answer.stderr,
          "without --cli a pipe commands nothing", answer)
    answer = feed("hello\n", "-e", "print inp", "-e", "continue", "/bin/cat")
    check("0| hello" in answer.stdout, "a pipe is the program's input where no command is `input`", answer)
    answer = feed("x" * 5_000_000, "-e", "continue", "-e", "wait 60", "/usr/bin/wc", "-c")
    check("0| 5000000" in answer.stdout, "more than a pipe or pddt holds comes whole", answer)
    with open("/dev/zero", "rb") as endless:
        process = subprocess.Popen([PDDT, "-e", "continue", "-e", "wait 1.5", "/bin/sleep", "60"], stdin=endless,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENVIRONMENT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    check(process.returncode == 1 and usage.ru_maxrss < 100_000, "what the program does not read is not kept: "
          f"status {process.returncode}, {usage.ru_maxrss} KiB")
    endless = subprocess.Popen(["sh", "-c", "printf 'continue\\nwait 1.5\\nquit\\n'; exec yes 'print 1'"],
                               stdout=subprocess.PIPE)
    process = subprocess.Popen([PDDT, "--cli", "/bin/sleep", "60"], stdin=endless.stdout, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, env=ENVIRONMENT)
    endless.stdout.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    endless.wait(timeout=60)
    check(usage.ru_maxrss < 100_000, f"lines wait in the pipe for the one that runs: {usage.ru_maxrss} KiB")
    for text in ("x" * 5_000_000 + "\nprint 6 * 7\n", "print 6 * 7\n" + "x" * 5_000_000):
        answer = feed(text, "--cli", INFERIOR)
        check(answer.returncode == 1 and answer.stdout.count("too long") == 1 and "0: 6 * 7 = 42" in answer.stdout,
              "a line without an end is skipped, and nothing else", answer)
    with subprocess.Popen([INFERIOR, "wait"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        if process.stdout.read(1):
            answer = feed("where\nquit\nprint never\n", "--cli", "--attach", str(process.pid))
            check(answer.returncode == 0 and " main at " in answer.stdout and "never" not in answer.stdout,
                  "a pipe commands attached ranks, up to quit", answer)
            check(process.poll() is None, "attached ranks run on after the end of the pipe")
        process.stdin.close()
        check(process.wait(timeout=60) == 0, "an attached rank ends as it would")


def check_launcher_that_hangs():
    """It is asked for its version in a group of its own, which Ctrl-C at the terminal does not reach."""
    for number in (signal.SIGINT, signal.SIGKILL):
        with tempfile.TemporaryDirectory() as folder:
            launcher, said = os.path.join(folder, "mpirun"), os.path.join(folder, "said")
            os.mkfifo(said)
            with open(launcher, "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\nexec 9>{said}\necho asked >&9\nexec sleep 1000\n")
            os.chmod(launcher, 0o700)
            heard = os.open(said, os.O_RDONLY | os.O_NONBLOCK)
            process = subprocess.Popen([PDDT, "-e", "wait", launcher, "-n", "1", "true"], stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENVIRONMENT)
            asked = select.select([heard], [], [], 15)[0] and os.read(heard, 100) == b"asked\n"
            process.send_signal(number)
            process.wait(timeout=60)
            ended = select.select([heard], [], [], 15)[0] and os.read(heard, 100) == b""
            os.close(heard)
            check(asked and ended and process.returncode == -number,
                  f"a launcher that hangs ends with pddt: {asked}, {ended}, {process.returncode}")


def check_prompt():
    main, other = pty.openpty()
    process = subprocess.Popen([PDDT, "--cli", INFERIOR], stdin=other, stdout=other, stderr=other,
                               env=dict(ENVIRONMENT, TERM="dumb"), start_new_session=True)
    os.close(other)
    os.write(main, b"quit\n")
    text = b""
    while True:
        try:
            piece = os.read(main, 4096)
        except OSError:
            break
        if not piece:
            break
        text += piece
    check(process.wait(timeout=60) == 0 and b"> " in text, f"quit at the prompt ends pddt: {text}")
    os.close(main)


check_options()
check_links()
check_reference()
check_job()
check_restart()
check_numbers()
check_json()
check_randomise()
check_numbers()
check_pipe()
check_launcher_that_hangs()
check_prompt()
sys.exit(bool(FAILURES))
