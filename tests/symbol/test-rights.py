# SPDX-License-Identifier: GPL-3.0-or-later
"""Hostile or wrong debug information: an index that was poisoned, truncated or planted by
another user changes nothing in a program, and the process that reads the files of another
user's program has that user's rights and may only read."""
import contextlib
import os
import re
import shutil
import subprocess
import tempfile
import time

import other
import pddt

# The same debug information but for addresses: `pad` bytes of code before the function, the rest after it.
SOURCE = """
#include <stdio.h>
__asm__ (".text; .skip %d + 1, 0x90");
int factor = 6;
int work (int a)
{
    int b = a + 35;
    return factor + b;
}
__asm__ (".text; .skip %d, 0x90");
int main (int argc, char **argv)
{
    printf ("%%d\\n", work (argc));
    fflush (stdout);
    while (argc > 1 && getchar () != EOF) {
    }
    return 0;
}
"""
PAD = 64


def build(folder, name, pad):
    program, source = os.path.join(folder, name), os.path.join(folder, "work.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write(SOURCE % (pad, PAD - pad))
    subprocess.run(["gcc", "-g", "-O0", "-fcf-protection=none", "-Wl,--build-id=0x" + "17" * 20, "-o", program,
                    source], check=True, cwd=folder)
    return program


def expect_right(program, cache, *more):
    pddt.ENVIRONMENT["XDG_CACHE_HOME"] = cache
    run = pddt.run(pddt.commands("break work", "continue", "wait 120", "print a", "delete 1", "continue", "wait 120",
                                 "expect exited", *more) + [program])
    del pddt.ENVIRONMENT["XDG_CACHE_HOME"]
    run.expect("0: breakpoint 1, work at work.c:7")
    run.expect_line("0: a = 1")
    run.expect_line("0| 42")
    run.expect_status(0)
    return run


def entries(cache):
    folder = os.path.join(cache, "pddt")
    return [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".idx")]


def check_build_id(folder):
    """Another program's index for one with its build-id and size: the trap came into an instruction, and the
    program printed -11 instead of 42."""
    cache = os.path.join(folder, "cache")
    programs = [build(folder, f"program{pad}", pad) for pad in (0, 3)]
    assert os.path.getsize(programs[0]) == os.path.getsize(programs[1])
    for program in programs:
        expect_right(program, cache)
    # the same name, another content
    shutil.copy(programs[0], programs[1])
    expect_right(programs[1], cache)
    return programs[0], cache


def find_own(program, cache):
    """The entry of the program: the one that is read when nothing else has changed."""
    for path in entries(cache):
        with open(path, "rb") as file:
            if program.encode() + b"\0" in file.read():
                return path
    raise SystemExit("it has no entry")


def check_damage(program, cache):
    """An entry that is cut, empty, of other content, of somebody else's making or open for others is none."""
    def cut(path):
        os.truncate(path, os.path.getsize(path) // 2)

    def flip(path):
        with open(path, "r+b") as file:
            file.seek(200)
            file.write(bytes(100))
    for damage in (cut, flip, lambda path: os.truncate(path, 0), lambda path: os.chmod(path, 0o666),
                   lambda path: os.chown(path, other.UID, other.GID)):
        damage(find_own(program, cache))
        expect_right(program, cache)
    # one that only leads elsewhere
    own = find_own(program, cache)
    os.rename(own, own + ".moved")
    os.symlink(own + ".moved", own)
    expect_right(program, cache)
    assert not os.path.islink(own), "the entry is a link still"


def check_debug_file(folder):
    """The index of a program whose debug information is in a file of its own belongs to that file, too."""
    cache, program = os.path.join(folder, "separate-cache"), build(folder, "separate", 0)
    debug = program + ".debug"
    subprocess.run(["objcopy", "--only-keep-debug", program, debug], check=True)
    subprocess.run(["objcopy", "--strip-debug", f"--add-gnu-debuglink={debug}", program], check=True)
    expect_right(program, cache)
    expect_right(program, cache)
    os.rename(debug, debug + ".gone")
    pddt.ENVIRONMENT["XDG_CACHE_HOME"] = cache
    run = pddt.run(pddt.commands("break work", "continue", "wait 120") + [program])
    run.expect("0: breakpoint 1, work")
    run.expect_not("work.c")
    os.rename(debug + ".gone", debug)  # the same file, at another time
    del pddt.ENVIRONMENT["XDG_CACHE_HOME"]
    expect_right(program, cache)


def check_folder(folder, program):
    """A folder that others can write is not used."""
    cache = os.path.join(folder, "open")
    os.makedirs(os.path.join(cache, "pddt"))
    os.chmod(os.path.join(cache, "pddt"), 0o777)
    expect_right(program, cache)
    assert entries(cache) == [], entries(cache)


def check_pruning(folder, program):
    cache = os.path.join(folder, "full")
    os.makedirs(os.path.join(cache, "pddt"), mode=0o700)
    paths = [os.path.join(cache, "pddt", name + ".idx") for name in ("old", "older", "large")]
    for days, path in zip((100, 200, 1), paths):
        with open(path, "wb") as file:
            file.truncate(40 << 20 if path is paths[2] else 100)
        then = time.time() - days * 24 * 3600
        os.utime(path, (then, then))
    expect_right(program, cache)
    assert [os.path.exists(path) for path in paths] == [False, False, True], entries(cache)
    pddt.ENVIRONMENT["PDDT_CACHE_MB"] = "20"
    expect_right(build(folder, "program5", 5), cache)
    del pddt.ENVIRONMENT["PDDT_CACHE_MB"]
    assert not os.path.exists(paths[2]) and entries(cache), entries(cache)


def find_readers(program):
    """The workers of pddt-symbols that have the program's file open."""
    found = []
    for pid, (_, state, command) in pddt.processes().items():
        if state != "Z" and "pddt-symbols" in command:
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has just ended
                with open(f"/proc/{pid}/maps", encoding="utf-8", errors="replace") as file:
                    if program in file.read():
                        found.append(pid)
    return found


def expect_confined(pid, uid, gid):
    for field, wanted in (("Uid", [str(uid)] * 4), ("Gid", [str(gid)] * 4), ("Groups", []), ("NoNewPrivs", ["1"]),
                          ("Seccomp", ["2"])):
        assert other.read_status(pid, field) == wanted, (field, other.read_status(pid, field))
    with open(f"/proc/{pid}/environ", "rb") as file:  # not in its memory either
        assert not file.read().strip(b"\0"), "it has the environment of whoever started pddt"
    with open(f"/proc/{pid}/limits", encoding="ascii") as file:
        limits = file.read()
    limited = ["Max core file size", "Max cpu time", "Max file size"]
    if not pddt.is_sanitized():  # whose memory is its own
        limited.append("Max data size")
    for name in limited:
        assert re.search(rf"^{name} +\d+ ", limits, flags=re.M), limits
    # standard streams, the channel, and what it reads
    links = [os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")]
    assert sum(link.startswith("socket:") for link in links) == 1, links
    assert not any(link.startswith("pipe:") or "/pddt-" in link for link in links), links


def check_reader(program, uid, gid, cache):
    """What reads a program's debug information, while root looks at it."""
    process = other.start([program, "wait"], uid=uid, gid=gid)
    assert process.stdout.readline() == "43\n"
    pddt.ENVIRONMENT["XDG_CACHE_HOME"] = cache
    dialogue = pddt.Dialogue(["--attach", str(process.pid)])
    events, _ = dialogue.ask("where")
    assert "main" in str(events) and "work.c" in str(events), events
    events, _ = dialogue.ask("print factor")
    assert "'6'" in str(events) or "= 6" in str(events) or "6" in str(events), events
    readers = find_readers(program)
    assert readers, "nobody reads it"
    for reader in readers:
        expect_confined(reader, uid, gid)
    dialogue.ask("detach")
    dialogue.end()
    del pddt.ENVIRONMENT["XDG_CACHE_HOME"]
    process.stdin.close()
    process.wait(120)
    process.stdout.close()


with tempfile.TemporaryDirectory() as top:
    first, indexes = check_build_id(top)
    check_debug_file(top)
    check_folder(top, first)
    check_pruning(top, first)
    other.need_root()
    check_damage(first, indexes)
    check_reader(first, 0, 0, os.path.join(top, "roots"))
    with other.folder() as home:
        his = other.give(home, first)
        check_reader(his, other.UID, other.GID, os.path.join(top, "of-other"))
        for entry in entries(os.path.join(top, "of-other")):
            with open(entry, "rb") as content:
                assert his.encode() not in content.read(), "another user's index is in root's cache"
