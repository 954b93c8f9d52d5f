# SPDX-License-Identifier: GPL-3.0-or-later
"""Inspecting a rank that has ended: variables have their initial values, marked as such,
compared with those that the program printed, for every way of linking. Values that depend on
another file, a frame or a rebuilt file are not known. Arguments: its source."""
import os
import re
import subprocess
import sys
import tempfile

import pddt

SOURCE = sys.argv[1]
MARK = " (initial value)"
WAYS = {
    "position independent": ("-O0", "-pie", "-fPIE"),
    "at fixed addresses": ("-O0", "-no-pie", "-fno-pie"),
    "static": ("-O0", "-static"),
    "static, position independent": ("-O0", "-static-pie", "-fPIE"),
    "optimised": ("-O2",),
    "with packed relocations": ("-O0", "-pie", "-fPIE", "-Wl,-z,pack-relative-relocs"),
    "bound at start": ("-O0", "-pie", "-fPIE", "-Wl,-z,now"),
}
FIXED = ("fixed", "sizeof (struct point)", "GREEN + 0")  # what no program can change


def build(folder, options, name="ended"):
    program = os.path.join(folder, name)
    done = subprocess.run(["gcc", "-g", "-w", *options, "-o", program, SOURCE], capture_output=True, check=False)
    return program if done.returncode == 0 else None


def run(program, commands, *arguments):
    words = [pddt.PDDT, "--cli"]
    for command in ["continue", "wait 120", *commands]:
        words += ["-e", command]
    done = subprocess.run([*words, "--", program, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, env=pddt.ENVIRONMENT, timeout=60, check=False)
    return done.stdout


def check_values(program):
    """Each is what the program has printed at its start."""
    said = dict(line.split(" = ") for line in subprocess.run(
        [program], capture_output=True, text=True, check=True, timeout=120).stdout.splitlines())
    out = run(program, [f"print {name}" for name in said])
    for name, value in said.items():
        found = re.search(rf"^0: {re.escape(name)} = (\S+)(?: '.')?(.*)$", out, flags=re.M)
        if not found or float(found[1]) != float(value):
            return f"{name} is {value}: {out}"
        if (found[2] == MARK) != (name not in FIXED):
            return f"the mark of {name}: {found[0]}"
    return ""


def check_shapes(program):
    out = run(program, ["print text", "print point", "print colour", "print count::calls", "output data", "print/x hidden",
                        'printf "%d %s\\n", data, text', "print $_exitcode", "print $"], "3")
    wanted = [r'text = 0x[0-9a-f]+ "hello"', r'point = \{x = 1, y = 2, name = 0x[0-9a-f]+ "pt"\}', "colour = GREEN",
              "count::calls = 3", "7", "hidden = 0xfffffffffffffff8", "7 hello"]
    for text in wanted:
        if not re.search(rf"^0: {text}{re.escape(MARK)}$", out, flags=re.M):
            return f"{text}: {out}"
    return "" if re.search(r"^0: \$_exitcode = 3$", out, flags=re.M) else out


def check_refusals(program):
    """No value, rather than a wrong one."""
    out = run(program, ["continue", "wait 120", "print in_frame", "print local_to_thread", "print $rip", "show locals", "info frame", "set var data = 3",
                        "print data = 3", "print count (1)", "call count (1)", "print nothing", "print data"], "abort")
    wanted = ["0: failed SIGABRT", r"error: cannot print in_frame: it was on a stack or in a register, and the rank has ended",
              "0: local_to_thread = <thread-local storage unknown>", r"error: cannot print \$rip",
              "error: the rank has ended: it has no frame", r"error: the process has ended",
              "<cannot assign: nothing can be changed here>", "<functions cannot be called here>",
              'error: no symbol "nothing"', rf"0: data = 7{re.escape(MARK)}"]
    missing = [text for text in wanted if not re.search(text, out)]
    return f"{missing}: {out}" if missing else ""


def check_shared(program):
    out = run(program, ["print compare"])
    return "" if "<cannot read memory at" in out and "set by the loader" in out else out


def check_places(program):
    out = run(program, ["whatis point", "ptype enum colour", "info line count", "info symbol &data", "info scope count",
                        "show globals", "whatis in_frame", "list count"])
    wanted = ["type = struct point", r"type = enum colour \{RED, GREEN = 5\}", r'Line \d+ of "ended.c" starts at address 0x[0-9a-f]+ <count>',
              "data in ended", "Symbol by is a variable of type int", rf"0: zero = 0{re.escape(MARK)}", "type = int",
              r"\d+ +count \(int by\)"]
    missing = [text for text in wanted if not re.search(text, out)]
    return f"{missing}: {out}" if missing else ""


def check_rebuilt(folder):
    """The file is another one before it is asked about."""
    program = build(folder, ("-O0",), "anew")
    dialogue = pddt.Dialogue(["--", program])
    dialogue.ask("continue")
    dialogue.ask("wait 120")
    before = dialogue.ask("print data")[0]
    with open(SOURCE, encoding="utf-8") as file:
        changed = file.read().replace("int data = 7;", "int data = 8;")
    subprocess.run(["gcc", "-g", "-w", "-x", "c", "-o", program, "-"], input=changed, text=True, check=True)
    after = dialogue.ask("print hidden")[0] + dialogue.ask("print data")[0]
    dialogue.end()
    values = [event for event in before if event["event"] == "values"]
    if not values or not values[0].get("initial") or values[0]["values"][0]["groups"][0]["text"] != "7":
        return f"before: {before}"
    texts = [value["groups"][0]["text"] for event in after if event["event"] == "values" for value in event["values"]]
    return "" if all("<" in text or text == "7" for text in texts) and "8" not in texts else f"after: {after}"


def check_job(program):
    """Ranks that live beside one that has ended."""
    words = [pddt.PDDT, "--cli", "-e", "on 1 continue", "-e", "on 1 wait 120", "-e", "on all print data",
             "-e", "on where (data == 7) show state", "--", "mpirun", "--oversubscribe", "-np", "2", program]
    out = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=pddt.ENVIRONMENT, timeout=90,
                         check=False).stdout
    wanted = [r"^0: data = 7$", rf"^1: data = 7{re.escape(MARK)}$", r"^0: stopped, main"]
    missing = [text for text in wanted if not re.search(text, out, flags=re.M)]
    states = out[out.rindex(MARK):]
    return f"{missing}: {out}" if missing or "1: exited" in states else ""


def check_killed(program):
    """One that stands where the kernel tells of its end is not woken by SIGKILL: what it ends with is decided."""
    done = pddt.run(pddt.commands("catch exit", "continue", "wait 60", "kill", "wait 20", "show state") + ["--", program, "3"])
    return "" if done.status == 0 and done.out.count("\n0: failed 3\n0: failed 3\n") == 1 else done.out


def main():
    results = []
    with tempfile.TemporaryDirectory(prefix="pddt-ended-") as folder:
        for way, options in WAYS.items():
            program = build(folder, options)
            results.append((f"values, {way}", check_values(program) if program else "it cannot be linked so"))
        program = build(folder, WAYS["position independent"])
        for check in (check_shapes, check_refusals, check_shared, check_places, check_job,
                      check_killed):
            results.append((check.__name__[6:], check(program)))
        results.append(("rebuilt", check_rebuilt(folder)))
    print(f"1..{len(results)}")
    for number, (name, fault) in enumerate(results, 1):
        for line in fault.splitlines():
            print("# " + line)
        print(f"{'not ok' if fault else 'ok'} {number} - {name}")
    return 1 if any(fault for _, fault in results) else 0


if __name__ == "__main__":
    sys.exit(main())
