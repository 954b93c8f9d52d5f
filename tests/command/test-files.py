# SPDX-License-Identifier: GPL-3.0-or-later
"""Files made by others: saved sessions that would start a foreign command, an output folder
that is a link, core files that are huge, truncated or no regular files, and a place inside an
instruction."""
import os
import re
import struct
import subprocess
import tempfile

import pddt

MAGIC = """
#include <stdio.h>
#include <unistd.h>
int magic = 42;
int work (int a)
{
    return a + magic;
}
int main (int argc, char **argv)
{
    if (argc > 1) {
        magic = 7;
        puts ("ready");
        fflush (stdout);
        pause ();
    }
    printf ("%d\\n", work (0));
    return 0;
}
"""


def build(folder, name, *options):
    source, program = os.path.join(folder, name + ".c"), os.path.join(folder, name)
    with open(source, "w", encoding="utf-8") as file:
        file.write(MAGIC)
    subprocess.run(["gcc", "-g", "-O0", "-no-pie", "-fno-pie", "-fcf-protection=none", *options, "-o", program,
                    source], check=True)
    return program


def find_symbol(program, name):
    out = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
    return int(re.search(rf"^(\w+) \w {name}$", out, flags=re.M)[1], 16)


# ---- saved sessions ----

def write_session(home, name, command, **more):
    path = os.path.join(home, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write("[pddt session]\nversion=1\ncommand=" + "".join(word + ";" for word in command) + "\n")
        for key, value in more.items():
            file.write(f"{key.replace('_', '-')}={value}\n")
    return path


def ask_on_terminal(path, answer):
    """pddt's status when somebody at a terminal gives that answer."""
    given, end = pddt.open_terminal()
    process = subprocess.Popen([pddt.PDDT, "-e", "continue", path], stdin=end, stderr=end,
                               stdout=subprocess.DEVNULL, env=pddt.ENVIRONMENT, start_new_session=True)
    os.close(end)
    given.write(answer + "\n")
    given.flush()
    status = process.wait(60)
    given.close()
    return status


def check_expressions(folder, program):
    """What a file evaluates in the program can do what the program can: it is shown, and `load` refuses it."""
    mark, script = os.path.join(folder, "evaluated"), os.path.join(folder, "app.py")
    with open(script, "w", encoding="ascii") as file:
        file.write("def work(n):\n    return n + 1\n\n\nwork(1)\n")
    condition = f'__import__("os").system("touch {mark}") == 0'
    parts = {"condition": ("break", "app.py:2", f"condition={condition}", f"break: app.py:2 if {condition}"),
             "log": ("break", "app.py:2", f"log=x {{{condition}}}", f'break: app.py:2 log "x {{{condition}}}"'),
             "watch": ("watch", condition, "", f"watch: {condition}")}
    command = [pddt.PYTHON, "%python_debug%", script]
    for name, (kind, where, more, fact) in parts.items():
        evil = write_session(folder, name + ".pddt", command)
        with open(evil, "a", encoding="utf-8") as file:
            file.write(f"[breakpoint 1]\nkind={kind}\nwhere={where}\nranks=all\n{more}\n")
        run = pddt.run(pddt.commands("continue") + [evil])
        run.expect_status(2)
        run.expect(fact, "err")
        run = pddt.run(pddt.commands(f"load {evil}", "continue", "wait 120", "expect exited") + command)
        run.expect(f"error: cannot load {evil}: pddt did not write it for you, and it evaluates expressions in your "
                   f"program ({fact}); start pddt with --trust")
        assert not os.path.exists(mark), f"{name}: a file that pddt did not write ran code"
    shown = write_session(folder, "display.pddt", command)
    with open(shown, "a", encoding="utf-8") as file:
        file.write(f"[display 1]\nexpression={condition}\n")
    run = pddt.run(pddt.commands(f"load {shown}", "show displays") + command)
    run.expect("evaluates expressions in your program (displayed expression: __import__")
    run.expect_line("no displays")
    assert not os.path.exists(mark), "a display that pddt did not write ran code"
    evil = os.path.join(folder, "condition.pddt")
    for arguments in (["--trust"] + pddt.commands("continue", "wait 120", "expect breakpoint") + [evil],
                      ["--trust"] + pddt.commands(f"load {evil}", "continue", "wait 120", "expect breakpoint") + command):
        pddt.run(arguments).expect_status(0)
        assert os.path.exists(mark), arguments
        os.unlink(mark)
    # a place does nothing by itself
    plain = write_session(folder, "places.pddt", [program])
    with open(plain, "a", encoding="utf-8") as file:
        file.write("[breakpoint 1]\nkind=break\nwhere=work\nranks=all\n")
    pddt.run(pddt.commands(f"load {plain}", "continue", "wait 120", "expect breakpoint") + [program]).expect_status(0)


def check_saved(folder, program):
    mark = os.path.join(folder, "ran")
    foreign = write_session(folder, "foreign.pddt", ["touch", mark], environment="LD_PRELOAD=/evil.so;",
                            folder=folder, output_folder="elsewhere")
    run = pddt.run(pddt.commands("continue") + [foreign])
    run.expect_status(2)
    for text in (f"command: touch {mark}", "environment: LD_PRELOAD=/evil.so", f"folder: {folder}",
                 "output folder: elsewhere", "--trust"):
        run.expect(text, "err")
    assert not os.path.exists(mark), "a file that pddt did not write ran its command"
    plain = write_session(folder, "plain.pddt", ["touch", mark], folder=folder)
    assert ask_on_terminal(plain, "n") == 2
    assert not os.path.exists(mark), "it ran although that was refused"
    assert ask_on_terminal(plain, "y") == 0
    assert os.path.exists(mark), "it did not run although that was wanted"
    os.unlink(mark)
    pddt.run(["--trust"] + pddt.commands("continue") + [plain]).expect_status(0)
    assert os.path.exists(mark), "--trust did not start it"
    check_expressions(folder, program)
    # pddt's own file needs no word, and is nobody else's to read; changed by one byte it is foreign
    own = os.path.join(folder, "own.pddt")
    pddt.run(pddt.commands("break work", "on 0 display/x 17", "save " + own) + [program]).expect_status(0)
    assert os.stat(own).st_mode & 0o777 == 0o600, oct(os.stat(own).st_mode)
    run = pddt.run(pddt.commands("continue", "wait 120", "expect breakpoint", "show displays") + [own])
    run.expect_status(0)
    run.expect_line("display 1: /x 17, on 0")
    with open(own, "a", encoding="utf-8") as file:
        file.write("\n")
    pddt.run(pddt.commands("continue") + [own]).expect_status(2)
    # no link leads pddt's file elsewhere
    victim, link = os.path.join(folder, "victim"), os.path.join(folder, "link.pddt")
    with open(victim, "w", encoding="ascii") as file:
        file.write("kept")
    os.symlink(victim, link)
    run = pddt.run(pddt.commands("save " + link) + [program])
    run.expect(f"cannot save {link}: it is a symbolic link")
    # nor what the ranks write
    os.mkdir(os.path.join(folder, "out"))
    os.symlink(victim, os.path.join(folder, "out", "rank-0.out"))
    os.symlink(os.path.join(folder, "out"), os.path.join(folder, "linked"))
    session = write_session(folder, "output.pddt", [program], folder=folder, output_folder="out")
    run = pddt.run(["--trust"] + pddt.commands("continue", "wait 120") + [session])
    run.expect("it is a symbolic link", "err" if "symbolic" in run.err else "out")
    session = write_session(folder, "linked.pddt", [program], folder=folder, output_folder="linked")
    run = pddt.run(["--trust"] + pddt.commands("continue") + [session])
    run.expect_status(3)
    run.expect("it is a symbolic link", "err")
    with open(victim, encoding="ascii") as file:
        assert file.read() == "kept", "a link led the output into another file"


# ---- core files ----

def make_flood(path, threads=100, times=125000):
    """Very many headers about the same notes, as a 7 MB file made the daemon take 732 MB."""
    status = bytes(336)
    note = struct.pack("<III8s", 5, len(status), 1, b"CORE\0\0\0\0") + status
    notes = note * threads
    head = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01" + bytes(9), 4, 62, 1, 0, 64, 0, 0, 64, 56,
                       0xffff, 64, 1, 0)
    table = 64 + 64
    section = struct.pack("<IIQQQQIIQQ", 0, 0, 0, 0, 0, 0, 0, times, 0, 0)
    head = head[:40] + struct.pack("<Q", 64) + head[48:]
    head = head[:32] + struct.pack("<Q", table) + head[40:]
    at = table + 56 * times
    with open(path, "wb") as file:
        file.write(head + section)
        file.write(struct.pack("<IIQQQQQQ", 4, 0, at, 0, 0, len(notes), 0, 4) * times)
        file.write(notes)


def check_flood(folder):
    path = os.path.join(folder, "flood.core")
    make_flood(path)
    assert os.path.getsize(path) > 7_000_000
    dialogue = pddt.Dialogue(["--core", path])
    dialogue.ask("show state")
    daemon = [pid for pid, command in pddt.left_over(dialogue.marker) if "pddtd" in command.split(" ", 1)[0]]
    with open(f"/proc/{daemon[0]}/status", encoding="ascii") as file:
        most = int(re.search(r"VmHWM:\s*(\d+)", file.read())[1])
    dialogue.process.kill()
    dialogue.process.wait()
    pddt.expect_nothing_left(dialogue.marker)
    assert most < 200 << 10 or pddt.is_sanitized(), f"{most} KiB for a file of {os.path.getsize(path) >> 10} KiB"


def check_no_files(folder):
    pipe = os.path.join(folder, "pipe")
    os.mkfifo(pipe)
    for path in (pipe, "/dev/zero", folder):
        run = pddt.run(pddt.commands("show state") + ["--core", path])
        run.expect(f"cannot open core file {path}: it is not a regular file",
                   "err" if "regular" in run.err else "out")


def gcore(folder, program):
    process = subprocess.Popen([program, "wait"], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    subprocess.run(["gcore", "-o", os.path.join(folder, "core"), str(process.pid)], check=True,
                   capture_output=True, timeout=60)
    process.kill()
    process.communicate()
    return os.path.join(folder, f"core.{process.pid}")


def move_to_end(core, address):
    """The segment that holds the address as if it were the last one, and the file cut off before it."""
    with open(core, "rb") as file:
        data = bytearray(file.read())
    table, = struct.unpack_from("<Q", data, 32)
    n, = struct.unpack_from("<H", data, 56)
    for i in range(n):
        kind, _, _, start, _, size, _, _ = struct.unpack_from("<IIQQQQQQ", data, table + 56 * i)
        if kind == 1 and start <= address < start + size:
            struct.pack_into("<Q", data, table + 56 * i + 8, len(data))
            with open(core, "wb") as file:
                file.write(data)
            return
    raise SystemExit(f"{core} has nothing of 0x{address:x}")


def check_cut(folder, program):
    core = gcore(folder, program)
    show = pddt.commands("print magic") + ["--core", core]
    pddt.run(show).expect_line("0: magic = 7")
    move_to_end(core, find_symbol(program, "magic"))
    run = pddt.run(show)
    run.expect("is cut off")
    run.expect_not("magic = 42")  # what the file begins with
    run.expect_not("magic = 7")
    run.expect("0: magic = <cannot read memory at 0x")
    run.expect(", not in the core file>")


def check_unknown(folder):
    """A program without a build-id: whether what stands there is what ran cannot be told."""
    program = build(folder, "nameless", "-Wl,--build-id=none")
    core = gcore(folder, program)
    run = pddt.run(pddt.commands("where") + ["--core", core])
    run.expect(f"{program}: the core file has no build-id, so pddt cannot tell whether this is still the "
               "file that ran")


# ---- sources ----

def check_sources(folder):
    """Debug information names as sources what is no file, or is larger than all memory: nobody waits for it."""
    pipe, large = os.path.join(folder, "pipe.c"), os.path.join(folder, "large.c")
    os.mkfifo(pipe)
    with open(large, "wb") as file:
        file.truncate(1 << 40)  # takes no room
    files = {"from_pipe": pipe, "large": large, "zero": "/dev/zero", "kernel": "/proc/kmsg", "memory": "/proc/self/mem",
             "ports": "/sys/kernel/uevent_seqnum", "folder": folder}
    source = "".join(f'#line 10 "{path}"\nint {name} (int a)\n{{\n    return a + 1;\n}}\n' for name, path in files.items())
    source += '#line 100 "real.c"\nint main (void) { return ' + " + ".join(f"{name} (0)" for name in files) + " == 0; }\n"
    program = os.path.join(folder, "sources")
    subprocess.run(["gcc", "-g", "-O0", "-w", "-o", program, "-xc", "-"], input=source.encode(), check=True)
    lines = [line for name, path in files.items()
             for line in (f"tbreak {name}", "continue", "wait 120", "list", f"list {path}:10,12", "disassemble", "where")]
    run = pddt.run(pddt.commands(*lines) + [program])
    for name, path in files.items():
        reason = "it is too large" if name == "large" else "it is not a regular file"
        found = len(re.findall(rf"cannot read {re.escape(path)}: {reason}", run.out))
        if found != 2:
            run.fail(f"list of {path}: {found}")
        run.expect(f"breakpoint {list(files).index(name) + 1}, {name} at ")


# ---- places ----

def check_boundary(program):
    inside = find_symbol(program, "work") + 2  # push %rbp is one byte long, mov %rsp,%rbp three
    run = pddt.run(pddt.commands(f"break *0x{inside:x}", "break work", "continue", "wait 120", "continue",
                                 "wait 120", "expect exited") + [program])
    run.expect(f"breakpoint 1 pending, cannot plant a trap at 0x{inside:x}: it is inside an instruction")
    run.expect("0: breakpoint 2, work at ")
    run.expect("0| 42\n")
    run.expect_status(0)


with tempfile.TemporaryDirectory() as top:
    pddt.ENVIRONMENT["XDG_STATE_HOME"] = os.path.join(top, "state")
    built = build(top, "magic")
    check_boundary(built)
    check_saved(top, built)
    check_flood(top)
    check_no_files(top)
    check_cut(top, built)
    check_unknown(top)
    check_sources(top)
