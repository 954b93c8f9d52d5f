# SPDX-License-Identifier: GPL-3.0-or-later
"""Values as pddt and gdb show them, of the same program stopped at the same marks. Arguments:
source and program, repeated. The source says what is asked: `//? mark: expression`, or a command that
asks (ptype, whatis, print/F), and `=> text` where pddt's answer differs from gdb's on purpose (Fortran:
`!?` and `!@`)."""
import json
import os
import re
import subprocess
import sys

import pddt
import printers
from pddt import ENVIRONMENT, PDDT

MARK = re.compile(r"(?://|!)@ (\w+)\s*$")
ASK = re.compile(r"^(?://|!)\? (\w+)(?:\^(\d+))?: (.+?)(?: => (.*))?$")
GDB_SETTINGS = ["set confirm off", "set width 0", "set pagination off", "set print elements 200",
                "set print repeats unlimited", "set print null-stop off", "set print pretty off",
                "set print max-depth 20", "set backtrace past-main on", "set language auto", "set debuginfod enabled off"]


def name_command(question):
    return question if re.match(r"(ptype|whatis|print|printf|output)(/\w+)? ", question) else f"print {question}"


def read_questions(source):
    marks, asked = [], {}
    with open(source, encoding="utf-8") as file:
        for number, text in enumerate(file, 1):
            found = MARK.search(text)
            if found:
                marks.append((found[1], number))
            found = ASK.match(text.strip())
            if found:
                asked.setdefault(found[1], []).append(((int(found[2] or 0), found[3]), found[4]))
    return dict(marks), asked


def ask_gdb(source, program, marks, asked):
    """Stops in the order in which the program comes to the marks."""
    line = ["gdb", "-nx", "-q", "-batch"]
    for setting in GDB_SETTINGS:
        line += ["-ex", setting]
    base = os.path.basename(source)
    answers, order = {}, []
    for name, number in marks.items():
        line += ["-ex", f"tbreak {base}:{number}"]
    line += ["-ex", "run"]
    for stop in range(len(marks)):
        line += ["-ex", f"echo \\n@stop\\n", "-ex", "info line *$pc"]
        for name in marks:
            for expression, expected in asked.get(name, []):
                if expected is None:
                    line += ["-ex", f"frame {expression[0]}",
                             "-ex", f"echo \\n@ask {name} {stop}\\n", "-ex", name_command(expression[1])]
        line += ["-ex", "echo \\n@end\\n", "-ex", "continue"]
    done = subprocess.run(line + [program], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace", timeout=120,
                          env=dict(ENVIRONMENT, DEBUGINFOD_URLS=""))
    by_line = {number: name for name, number in marks.items()}
    text, at = done.stdout + "", None
    for stop, part in enumerate(text.split("@stop\n")[1:]):
        found = re.search(r"Line (\d+) of", part)
        at = by_line.get(int(found[1])) if found else None
        if at is None:
            continue
        order.append(at)
        expressions = [e for e, expected in asked.get(at, []) if expected is None]
        shown = [p.split("\n@end")[0].split("\n@ask")[0].split("\n#")[0].strip("\n")
                 for p in part.split(f"@ask {at} {stop}\n")[1:]]
        for expression, value in zip(expressions, shown):
            value = re.sub(r"^\$\d+ = ", "", value)
            answers[at, expression] = value
    return order, answers, done.stderr


def ask_pddt(source, program, marks, asked, order, also=()):
    """`also`: commands whose whole answers are wanted too, at each mark, by (mark, command)."""
    line, kinds = [PDDT, "--json"], []

    def add(command, kind=None):
        line.extend(["-e", command])
        kinds.append(kind)
    for option in ("limit-items 200", "limit-depth 20", "limit-repeats 0"):
        add("set option " + option)
    base = os.path.basename(source)
    for name in order:
        add(f"tbreak {base}:{marks[name]}")
    for name in order:
        add("continue")
        add("wait")
        for command in also:
            add(command, (name, command))
        at = 0
        for expression, _ in asked.get(name, []):
            if expression[0] != at:
                at = expression[0]
                add(f"frame {at}")
            add(name_command(expression[1]), (name, expression))
    add("kill")
    done = subprocess.run(line + [program], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace", timeout=120, env=dict(ENVIRONMENT, DEBUGINFOD_URLS=""))
    answers, events = {}, [json.loads(text) for text in done.stdout.splitlines()]
    # Each command ends with a `done` that carries its number, in their order.
    kind_of = dict(zip((event["request"] for event in events if event["event"] == "done"), kinds))
    for event in events:
        kind = kind_of.get(event.get("request", 0))
        if kind and event["event"] == "values":
            answers[kind] = event["values"][0]["groups"][0]["text"]
        elif kind and event["event"] in ("text", "answer") and "text" in event:
            answers[kind] = event["text"]
        elif kind and event["event"] == "failure":
            answers[kind] = event["text"]
        elif kind and event["event"] != "done":
            del event["request"]
            answers[kind] = answers.get(kind, "") + json.dumps(event, ensure_ascii=False, separators=(",", ":"))
    return answers, done.stdout + done.stderr


def normalise(text):
    text = re.sub(r"^\(([^()]*|[^()]*\([^()]*\)[^()]*) &&?\) @0x[0-9a-f]+: ", "", text)
    text = re.sub(r"@0x[0-9a-f]+: ", "", text)
    text = re.sub(r"0x[0-9a-f]{6,}", "0x#", text)
    # gdb writes the parameters of a C++ function into its symbol
    text = re.sub(r"<((?:[^<>()]|\(anonymous namespace\))+)\([^<>]*\)(?: const)?(\+\d+)?>", r"<\1\2>", text)
    text = re.sub(r"\.(TRUE|FALSE)\.", lambda found: found[0].lower(), text)
    text = text.replace("<optimized out>", "<optimised out>")
    return text


def compare(source, program):
    marks, asked = read_questions(source)
    order, expected, noise = ask_gdb(source, program, marks, asked)
    missing = [name for name in marks if name not in order]
    if missing:
        print(f"# gdb did not stop at {missing}: {noise[-500:]}")
    got, output = ask_pddt(source, program, marks, asked, order)
    bad = 0
    for name in order:
        for asked_in, ours in asked.get(name, []):
            key = name, asked_in
            expression = asked_in[1] + (f" in frame {asked_in[0]}" if asked_in[0] else "")
            wanted = ours if ours is not None else expected.get(key)
            answer = got.get(key, "no answer")
            # What gdb was to call or to change: only the next frame is there.
            if pddt.CANNOT_WRITE in noise and re.match(r"$|#\d+ ", wanted or ""):
                continue
            if wanted is None or wanted == "":
                print(f"# {os.path.basename(program)} {name}: {expression}: gdb has no answer")
                wanted = "(none)"
            if ours is not None and answer == ours:
                continue
            if normalise(wanted) in map(normalise, [answer] if ours is not None else printers.spell(answer)):
                continue
            bad += 1
            print(f"# {os.path.basename(program)} {name}: {expression}\n#   pddt {answer}\n#   gdb  {wanted}")
    if not got:
        print(output[-2000:])
    return bad + len(missing), len(got)


def main():
    pairs = list(zip(sys.argv[1::2], sys.argv[2::2]))
    print(f"1..{len(pairs)}")
    failed = 0
    for number, (source, program) in enumerate(pairs, 1):
        bad, n = compare(source, program)
        failed += bad > 0 or n == 0
        print(f"{'not ok' if bad or not n else 'ok'} {number} - {os.path.basename(program)}, "
              f"{n} values, {bad} differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
