# SPDX-License-Identifier: GPL-3.0-or-later
"""Machine code, registers, memory and modules, compared with gdb's output for the same process, which waits in a
system call. Arguments: the program that waits, one that returns vectors, one with values in the widest
registers."""
import json
import os
import re
import subprocess
import sys

import pddt

INFERIOR, VECTORS, WIDE = sys.argv[1:]
SOURCE = os.path.join(pddt.SOURCE, "tests", "inferiors", "vectors.c")


def gdb(pid, *commands):
    words = ["gdb", "-nx", "-q", "-batch", "-iex", "set debuginfod enabled off", "-iex",
             "set auto-load no", "-ex", "set width 0", "-ex", "set height 0", "-ex",
             "set print asm-demangle on", "-p", str(pid)]
    for command in commands:
        words += ["-ex", f"echo \\n@{command}\\n", "-ex", command]
    words += ["-ex", "echo \\n@end\\n"]
    out = subprocess.run(words, capture_output=True, text=True, timeout=60).stdout
    parts = re.split(r"^@(.*)$", out, flags=re.M)
    return {parts[i]: parts[i + 1].strip("\n") for i in range(1, len(parts), 2)}


def ours(pid, *commands):
    found = {}
    marked = [word for command in commands for word in (f"help quit", command)]
    run = pddt.run(["--attach", str(pid)] + pddt.commands(*marked))
    run.expect_status(0)
    helped = pddt.run(["--attach", str(pid)] + pddt.commands("help quit")).out
    mark = helped.split("\n", 1)[1]
    for command, part in zip(commands, run.out.split(mark)[1:]):
        found[command] = [re.sub(r"^0: ", "", line) for line in part.splitlines()]
    return found


def find_own(pid):
    """The number of the frame that waits, the program's own: how many of the C library are below it differs with its version."""
    frames = gdb(pid, "backtrace")["backtrace"]
    return int(re.search(r"^#(\d+) .* MPI_Recv \(\)", frames, re.M)[1])


def expect_equal(what, left, right):
    if left != right:
        raise SystemExit(f"{what}: pddt {left!r}, gdb {right!r}")


def memory_values(lines):
    """What stands behind the colons, without symbol names."""
    text = "\n".join(lines)
    text = re.sub(r"^0x[0-9a-f]+( <[^>]*>)?:", "", text, flags=re.M)
    text = re.sub(r" ?<[^>]*>", "", text)
    return re.findall(r"-?\d+ '(?:\\.+?|.)'|\"[^\"]*\"|[^\s]+", text)


def floats(texts):
    return ["nan" if "nan" in text else float(text) for text in texts]


def check_memory(pid, own):
    forms = ["4xb", "4xh", "6xw", "3xg", "4db", "4dw", "3dg", "4uh", "2ug", "3ow", "2og", "2tb", "2th",
             "3zw", "2zg", "4a", "8cb", "5fg", "3fw"]
    commands = [f"x/{form} {place}" for form in forms for place in ("$sp", "$pc")]
    # libc has a variable of that name, too
    commands += [f"frame {own + 1}", "x/s banner", "frame 0", "x/s  banner"]
    mine, theirs = ours(pid, *commands), gdb(pid, *commands)
    for command in commands:
        if not command.startswith("x/"):
            continue
        left = memory_values(mine[command])
        right = memory_values(theirs[command].splitlines())
        if "f" in command.split()[0]:
            left, right = map(floats, (left, right))
        expect_equal(command, left, right)
    # libc has several, of which a resolver chooses one
    called = ours(pid, "frame 0", "print (int) strlen (\"abc\")")["print (int) strlen (\"abc\")"]
    if not any(line.endswith(" = 3") for line in called):
        raise SystemExit(f"strlen: {called}")


def instructions(lines):
    """(mark, address, beginning of the mnemonic, target); __GI_ is glibc's second name of a function."""
    found = []
    for line in lines:
        match = re.match(r"(=>|  ) +(0x[0-9a-f]+) (?:<.*?\+?(\d*)>:?)?\s*(\S+)\s*(.*)", line)
        if match:
            target = re.search(r"<([^>]*)>", match[5])
            found.append((match[1], int(match[2], 16), match[4][:3],
                          target[1].replace("__GI_", "") if target and "#" not in match[5] else None))
    return found


def check_code(pid, own):
    """Of the innermost function, the program's own one, and main, which calls that."""
    mine = ours(pid, "disassemble", f"frame {own}", "disassemble ", f"frame {own + 1}", " disassemble")
    theirs = gdb(pid, "disassemble", f"frame {own}", "disassemble /s", f"frame {own + 1}", "disassemble /r")
    raw = [re.sub(r"(:\t)(?:[0-9a-f]{2} )+\t?", r"\1", line) for line in theirs["disassemble /r"].splitlines()]
    raw = [re.sub(r"(:\t)(?:[0-9a-f]{2} )*[0-9a-f]{2}\t", r"\1", line) for line in raw]
    pairs = [(mine["disassemble"], theirs["disassemble"].splitlines()),
             (mine["disassemble "], theirs["disassemble /s"].splitlines()), (mine[" disassemble"], raw)]
    for number, (left, right) in enumerate(pairs):
        left, right = instructions(left), instructions(right)
        if number > 0:  # gdb marks the selected frame's pc, we the thread's
            left = [("", *rest) for _, *rest in left]
            right = [("", *rest) for _, *rest in right]
        if not left:
            raise SystemExit(f"frame {number}: no instructions")
        expect_equal(f"code of frame {number}", left, right)
    if not any("pause ()" in line and "waits.c:" in line for line in mine["disassemble "]):
        raise SystemExit(f"no source line in {mine['disassemble ']}")


def list_bytes(lines):
    found = [re.match(r"(?:=>|  )? *(0x[0-9a-f]+) <[^>]*>:?\s+((?:[0-9a-f]{2} )*[0-9a-f]{2})\s", line) for line in lines]
    return [(int(match[1], 16), match[2].split()) for match in found if match]


def check_code_elsewhere(pid):
    """Of a named function and a range, with the bytes."""
    low = int(gdb(pid, "info address main")["info address main"].split()[-1].rstrip("."), 16)
    commands = ["disassemble /r main", f"disassemble /r {low:#x},{low + 20:#x}", f"disassemble /r {low:#x},+9",
                f"disassemble /r {low:#x}", "disassemble /r main,+9", "disassemble /r (char *) main + 1, +0xa",
                "disassemble /r $pc,+12"]
    mine, theirs = ours(pid, *commands), gdb(pid, *commands)
    for command in commands:
        code = list_bytes(mine[command])
        if len(code) < 2:
            raise SystemExit(f"{command}: {mine[command]}")
        expect_equal(command, code, list_bytes(theirs[command].splitlines()))
    if [line for line in mine["disassemble /r main"] if re.search(r"waits\.c:\d+ +\S", line)] == []:
        raise SystemExit(f"no source line in {mine}")
    run = pddt.run(["--attach", str(pid)] + pddt.commands("disassemble /x main", "disassemble $pc,$pc", "disassemble nothing"))
    run.expect_status(1)
    run.expect("does not support /x; use /r for the bytes")
    run.expect('takes numbers, and START,+LENGTH an expression and a number, not "$pc,$pc"')
    run.expect("no code at nothing")


def check_saved(pid, own):
    """What each frame has saved of its caller's registers."""
    numbers = range(own + 2)
    mine = ours(pid, *(word + " " * i for i in numbers for word in (f"frame {i}", "info frame")))
    for i in numbers:
        theirs = gdb(pid, f"frame {i}", "info frame")["info frame"]
        left = " ".join(mine["info frame" + " " * i]).partition("Saved registers:")[2].partition("source")[0].split()
        right = theirs.partition("Saved registers:")[2].split()
        expect_equal(f"saved in frame {i}", left, right)


def check_registers(pid):
    mine = {}
    for line in ours(pid, "show registers")["show registers"]:
        name, rest = line.split(maxsplit=1)
        mine[name] = rest
    theirs = gdb(pid, "info registers", "p/x $fctrl", "p/x $mxcsr", "p/x $ymm0.v2_int128",
                 "p/x $xmm1.uint128")
    for line in theirs["info registers"].splitlines():
        name, value = line.split()[:2]
        if name.startswith("k") or name not in mine:
            continue
        expect_equal(name, int(mine[name].split()[0], 16), int(value, 16))
    if len(mine) < 28:
        raise SystemExit(f"only {sorted(mine)}")
    flags = re.search(r"\[.*\]", theirs["info registers"].split("eflags")[1])[0]
    expect_equal("eflags", re.search(r"\[.*\]", mine["eflags"])[0], flags)
    for name, command in (("mxcsr", "p/x $mxcsr"), ("fctrl", "p/x $fctrl")):
        expect_equal(name, int(mine[name].split()[0], 16), int(theirs[command].split("= ")[1], 16))
    low = theirs["p/x $xmm1.uint128"].split("= ")[1].strip()
    vectors = {name[1:]: int(value.split()[0], 16) for name, value in mine.items()
               if re.match(r"[xyz]mm\d+$", name)}
    expect_equal("xmm1", vectors.get("mm1", 0) & (1 << 128) - 1, int(low, 16))
    check_register_values(pid)


def check_register_values(pid):
    """Registers as values: whole, their parts, and lanes of vectors."""
    numbers = ["$rsp", "$eax", "$ax", "$al", "$r10d", "$r11w", "$cs", "$fs_base", "$xmm0.v2_int64",
               "$xmm1.v4_int32[2]", "$xmm2.v16_int8[15]", "$ymm0.v4_int64[1]", "$ymm1.v4_double[3]",
               "$mxcsr", "$eflags", "$pc == $rip"]
    mine = ours(pid, *["print " + name for name in numbers])
    theirs = gdb(pid, *[f"print/d {name}" if name in ("$mxcsr", "$eflags") else f"print {name}"
                        for name in numbers])
    for name, (command, value) in zip(numbers, theirs.items()):
        expect_equal(name, mine["print " + name][0].split(" = ", 1)[1], value.split(" = ", 1)[1])


def check_lanes(pid):
    """What is written into vectors, x87's stack and control words stands there, and nothing beside it
    has changed: gdb reads it after pddt has gone."""
    before = gdb(pid, "print $xmm2.v2_int64[0]", "print $ymm4.v4_int64[0]")
    del before["end"]
    settings = {"$xmm2.v2_int64[1]": "81985529216486895", "$ymm4.v8_int32[7]": "-7", "$xmm5.v4_float[2]": "1.5",
                "$ymm6.v4_double[3]": "-2.5", "$xmm7.uint128": "12345", "$st0": "0.75", "$mxcsr": "8096",
                "$r12b": "9"}
    run = pddt.run(["--attach", str(pid)] + pddt.commands(*[f"set var {name} = {value}"
                                                            for name, value in settings.items()],
                                                          "set var $xmm8 = $xmm7"))
    run.expect_status(0)
    whole = {"$mxcsr": "print/d $mxcsr", "$r12b": "print $r12l"}
    commands = {name: whole.get(name, "print " + name) for name in settings}
    commands["$xmm8.uint128"] = "print $xmm8.uint128"
    settings["$xmm8.uint128"] = "12345"
    theirs = gdb(pid, *commands.values(), *before)
    for name, command in commands.items():
        expect_equal(name, theirs[command].split(" = ", 1)[1], settings[name])
    for command, value in before.items():
        expect_equal(command, theirs[command].split(" = ", 1)[1], value.split(" = ", 1)[1])
    run = pddt.run(["--attach", str(pid)] + pddt.commands("up", "set var $xmm2.v2_int64[1] = 1"))
    run.expect_status(1)
    run.expect("error: cannot assign: <not saved> (0)")


def check_vectors():
    """gdb 13 takes them apart wrongly: the program itself is the oracle."""
    functions = {"give_four": "{3, 4, 5, 6}", "give_two": "{3, 4}", "give_whole": "{3, 4, 5, 6}",
                 "give_holder": "{four = {3, 4, 5, 6}}", "give_either": "{four = {3, 4, 5, 6}, word = "}
    words = []
    for function in functions:
        words += [f"tbreak {function}", "continue", "wait", "finish", "wait"]
    run = pddt.run(pddt.commands(*words, "next", "wait", "print add (four, holder)",
                                 f"jump {pddt.mark(SOURCE, 'end')}", "wait", "expect exited 0") + [VECTORS])
    run.expect_status(0)
    for function, value in functions.items():
        run.expect(f"0: {function} returned {value}")
    run.expect_line("0: add (four, holder) = 14")


def check_widest():
    """The program itself is the oracle: each processor keeps these registers at places of its own."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        if " avx512f " not in file.read():
            return
    run = pddt.run(pddt.commands("continue", "wait", "expect signal", "show registers") + [WIDE])
    for name, first in (("zmm1", 11), ("zmm17", 21), ("zmm31", 31)):
        value = sum(first + lane << 64 * lane for lane in range(8))
        if f"{name:7} 0x{value:0128x}  " not in run.out:
            run.fail(f"{name} is wrong")
    run.expect(f"k3      0x{0x5a5a:016x}")


def check_modules(pid):
    mine = ours(pid, "show modules", "show threads")
    with open(f"/proc/{pid}/maps", encoding="utf-8") as file:
        maps = file.read().splitlines()
    for path in {line.split(maxsplit=5)[5] for line in maps if "r-xp" in line and "/" in line}:
        mapped = [line.split()[0].split("-") for line in maps if line.endswith(" " + path)]
        low, high = min(int(a, 16) for a, _ in mapped), max(int(b, 16) for _, b in mapped)
        rows = [line.split(maxsplit=2) for line in mine["show modules"] if line.endswith(path)]
        start, end = (int(part, 16) for part in rows[0][0].split("-"))
        expect_equal(path, (start, end >= high), (low, True))  # .bss lies behind the file's part
    if not any(line.endswith("lines       " + INFERIOR) for line in mine["show modules"]):
        raise SystemExit(f"no lines of {INFERIOR}: {mine['show modules']}")
    expect_equal("show threads", mine["show threads"][0].split()[:3],
                 ["*", "1", '"%s"' % INFERIOR.rsplit("/", 1)[1][:15]])


def check_maps(pid):
    mine = [line.split(maxsplit=3) for line in ours(pid, "show maps")["show maps"]]
    with open(f"/proc/{pid}/maps", encoding="utf-8") as file:
        theirs = [line.split(maxsplit=5) for line in file.read().splitlines()]
    expect_equal("show maps", [(*(int(part, 16) for part in row[0].split("-")), row[1], int(row[2], 16), row[3])
                               for row in mine],
                 [(*(int(part, 16) for part in row[0].split("-")), row[1][:3], int(row[2], 16),
                   row[5] if len(row) > 5 else "(no file)") for row in theirs])


def details(pid, command):
    """The entries of the answer in JSON, and its text."""
    run = pddt.run(["--json", "--attach", str(pid)] + pddt.commands(command))
    run.expect_status(0)
    answer = next(event for event in map(json.loads, run.out.splitlines()) if "details" in event)
    return answer["details"], answer["text"].splitlines()


def check_data(pid):
    """What scripts need not read out of the text."""
    maps, lines = details(pid, "show maps")
    expect_equal("maps in JSON", [f"0x{int(m['address'], 16):012x}-0x{int(m['end'], 16):012x} "
                                  + "".join(letter if m.get(name) else "-" for letter, name in
                                            (("r", "readable"), ("w", "writable"), ("x", "executable")))
                                  + f" 0x{int(m['offset'], 16):08x}  {m.get('name', '(no file)')}" for m in maps],
                 lines)
    signals, lines = details(pid, "show signals")
    expect_equal("signals in JSON", [f"{s['name']:10} " + " ".join(
        f"{'yes' if s.get(name) else 'no':{width}}" for name, width in (("stop", 4), ("print", 5), ("pass", 0)))
        for s in signals], lines[1:])
    expect_equal("the first signal", (signals[0]["kind"], signals[0]["number"], signals[0]["name"]),
                 ("signal", 1, "SIGHUP"))
    memory, lines = details(pid, "x/5xg $sp")
    expect_equal("memory in JSON", [f"{m['address']}{' ' + m['name'] if 'name' in m else ''}:  {m['text']}"
                                    for m in memory], lines)
    expect_equal("lines of memory", [int(m["address"], 16) - int(memory[0]["address"], 16) for m in memory],
                 [0, 16, 32])


def check_cut(pid):
    """What a range has beyond the first 64 KiB is said, be it few bytes."""
    with open(f"/proc/{pid}/maps", encoding="utf-8") as file:
        begin = next(line.split("-")[0] for line in file if " r-xp " in line and "/libc.so" in line)
    for more in 0, 4, 4096:
        lines = ours(pid, f"disassemble *0x{begin},+{65536 + more}").popitem()[1]
        expect_equal(f"{more} bytes more", lines[-1].startswith("   … up to 0x"), more > 0)


process = subprocess.Popen([INFERIOR], stdin=subprocess.DEVNULL)
try:
    pddt.wait_for("its system call", lambda: open(f"/proc/{process.pid}/wchan").read() != "0"
                  and pddt.processes()[process.pid][1] == "S")
    own = find_own(process.pid)
    check_memory(process.pid, own)
    check_code(process.pid, own)
    check_code_elsewhere(process.pid)
    check_cut(process.pid)
    check_saved(process.pid, own)
    check_registers(process.pid)
    check_modules(process.pid)
    check_maps(process.pid)
    check_data(process.pid)
    check_lanes(process.pid)
    check_vectors()
    check_widest()
finally:
    process.kill()
    process.wait()
