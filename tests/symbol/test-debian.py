# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs as Debian installs them: stripped, with and without debug files, threads, handwritten
assembly, interpreters. gdb stops each in the C library or in its own functions, says all frames of all
threads and the values of those with debug information, and leaves a core file of which pddt says the
same. Two of them by default, all with PDDT_LONG (./check --long), or those named as arguments."""
import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

spec = importlib.util.spec_from_file_location(
    "oracle", os.path.join(os.path.dirname(os.path.abspath(__file__)), "test-oracle.py"))
oracle = importlib.util.module_from_spec(spec)
spec.loader.exec_module(oracle)

MAX_FRAMES = 60
SHORT = ("bash", "sort")
JSON = "import json, re; print(json.dumps(sorted([{'a': n} for n in range(3)], key=lambda d: -d['a'])))"
SORTED = r'my @a = sort { $b <=> $a } map { $_ * 7 % 11 } 1..20; print "@a\n" if "@a" =~ /(\d+) (1+)/'
SHELL = 'f() { for i in 1 2; do echo $(($1 + i)); done; }; f 3; trap "echo t" USR1; kill -USR1 $$; echo $(f 1)'
# program, arguments, input, where gdb stops: (function, how often it is let by)
PROGRAMS = [
    ("bash", ["-c", SHELL], "", [("write", 0), ("malloc", 900), ("fork", 0), ("regcomp", 0)]),
    ("python3.11", ["-S", "-c", JSON], "", [("list_sort_impl", 0), ("PyNumber_Negative", 0), ("write", 0),
                                            ("PyUnicode_Join", 60), ("gc_collect_main", 0)]),
    ("python3.11", ["-S", "-c", "import ctypes; ctypes.pythonapi.PyErr_Occurred(); 'x'.encode('idna')"], "",
     [("dlopen", 1), ("PyErr_Occurred", 3000), ("PyUnicode_AsEncodedString", 0)]),
    ("perl", ["-e", SORTED], "", [("write", 0), ("Perl_pp_sort", 0), ("Perl_regexec_flags", 0), ("memcpy", 200)]),
    ("find", [".", "-name", "x*", "-o", "-type", "f", "-size", "+1000k"], "",
     [("fnmatch", 2), ("fts_read", 0), ("fstatat64", 0), ("readdir64", 1), ("qsort", 0)]),
    ("sort", ["--parallel=2", "-o", "/dev/null", "big"], "", [("memcmp", 300), ("pthread_join", 0), ("write", 1)]),
    ("xz", ["-T2", "-1", "-c", "big"], "", [("write", 0), ("pthread_cond_wait", 1), ("memmove", 3)]),
    ("sed", ["-E", "s/(a+)b|c/x/g"], "aab\nabc\n", [("re_search", 1), ("write", 0), ("realloc", 2)]),
    ("grep", ["-E", "(a|b)+c\\1"], "aab\naca\n", [("re_search", 0), ("memchr", 3), ("read", 2), ("calloc", 5)]),
    ("tar", ["cf", "-", "."], "", [("write", 0), ("fstatat64", 0), ("openat64", 0)]),
    ("gdb", ["-nx", "-batch", "-ex", "python print(1)", "-ex", "print 3"], "", [("write", 0), ("memchr", 400)]),
]
# (program, function, variable or "frames", what pddt says, what gdb says)
ARGUED = [
    # nothing is left of it but its name, which pddt leaves out
    (".*", ".*", ".*", "nothing", "<optimised out>"),
    # what Py_BytesMain hands down, of which gdb loses track where a function was reached by a jump
    ("python3.11", "pymain_(init|main)", "args", "0x7fff.*", "<optimised out>"),
    # handed down by callers, in whose frames gdb shows the same (builtin_print_impl's file is f; the name is "flush")
    ("gdb", "Py.*", "arg|f|flags|globals|name", "0x7fff.*|1", "<optimised out>"),
    # a constant that pthread_mutex_unlock hands down
    (".*", "(__GI_)?___?pthread_mutex_unlock_usercnt", "decr", "1", "<optimised out>"),
    # gdb's own print says 0, too
    (".*", "__pthread_cond_wait_common", "maxspin", "0", "<optimised out>"),
]
GDB = r'''
import gdb, json, os
for setting in %(settings)r:
    gdb.execute("set " + setting)
out = []
def stack(thread):
    thread.switch()
    frames, frame = [], gdb.newest_frame()
    while frame is not None and len(frames) < %(max)d:
        frames.append(describe_frame(frame, modules))
        try:
            frame = None if frame.name() == "main" else frame.older()
        except gdb.error:
            frame = None
    return frames
for number, (place, ignored) in enumerate(%(places)r):
    point = gdb.Breakpoint(place)
    point.ignore_count = ignored
    gdb.execute("run " + %(line)r)
    if gdb.selected_inferior().pid:
        core, modules = %(folder)r + "/core.%%d" %% number, find_modules()
        selected = gdb.selected_thread()
        gdb.execute("generate-core-file " + core)
        stacks = [stack(thread) for thread in [selected] + [
            other for other in gdb.selected_inferior().threads() if other.num != selected.num]]
        out.append({"core": core, "place": place, "threads": stacks})
        gdb.execute("kill")
    point.delete()
open(%(answer)r, "w").write(json.dumps(out))
'''


def find_program(name):
    """Debian's own, whatever else stands earlier in PATH."""
    return shutil.which(name, path="/usr/bin:/bin")


def ask_gdb(folder, program, arguments, text, places):
    script, answer, given = (os.path.join(folder, name) for name in ("ask.py", "answer.json", "given"))
    with open(given, "w", encoding="utf-8") as file:
        file.write(text)
    settings = oracle.SETTINGS + ["follow-fork-mode parent", "print thread-events off",
                                  "schedule-multiple off"]
    with open(script, "w", encoding="utf-8") as file:
        file.write(oracle.DESCRIBE + GDB % {"max": MAX_FRAMES, "settings": settings, "places": places,
                                            "answer": answer, "folder": folder,
                                            "line": f"{shlex.join(arguments)} <{given} >/dev/null 2>&1"})
    done = subprocess.run(["gdb", "-nx", "-q", "-batch", "-iex", "set auto-load off", "-x", script, find_program(program)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace", timeout=150, cwd=folder,
                          env=dict(oracle.ENVIRONMENT, DEBUGINFOD_URLS="", LC_ALL="C"))
    if not os.path.exists(answer):
        raise SystemExit(f"gdb did not finish with {program}: {done.stdout[-600:]}{done.stderr[-600:]}")
    with open(answer, encoding="utf-8") as file:
        return json.load(file)


class Asked:
    """pddt's answers about one core file."""

    def __init__(self, core, threads):
        line, self.kinds = [oracle.PDDT, "--json"], {}
        self.line = line
        for option in ("printers off", "limit-items 200", "limit-depth 20", "interpreter-frames on"):
            self.add("set option " + option)
        for number, frames in enumerate(threads, 1):
            self.add(f"thread {number}")
            self.add("where", (number, "frames"))
            for at in range(len(frames) + 30):
                self.add(f"frame {at}")
                self.add("show locals", (number, at))
        done = subprocess.run(line + ["--core", core], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, errors="replace", timeout=150,
                              env=dict(oracle.ENVIRONMENT, DEBUGINFOD_URLS=""))
        self.output, self.answers = done.stdout[-1500:] + done.stderr[-1500:], {}
        for text in done.stdout.splitlines():
            event = json.loads(text)
            kind = self.kinds.get(event.get("request", 0))
            if kind and event["event"] == "stacks":
                # of Python's own frames gdb knows nothing
                self.answers[kind] = [dict(place, number=number) for number, place in
                                      enumerate(event["frames"][::-1]) if place.get("language") != "python"]
            elif kind and event["event"] == "values":
                self.answers[kind] = {value["name"]: value["groups"][0]["text"] for value in event["values"]}

    def add(self, command, kind=None):
        self.line.extend(["-e", command])
        self.kinds[(len(self.line) - 2) // 2] = kind


def write_symbol(found):
    """As gdb has them: decoded as Ada's. It counts in a function's later pieces from the begin of the first,
    and knows names that the linker made of some addresses, entries of its tables among them."""
    name = re.sub(r"^__GI_|(\.\d+$)|(\.lto_priv|\.constprop|\.isra|\.part|\.cold)(\.\d+)*", "", found[1])
    if "@got" in name or name.startswith("__do_global_"):
        return ""
    return " <" + name.replace(".", "__") + ("" if "EvalFrameDefault" in name else found[2] or "") + ">"


def normalise(text):
    text = re.sub(r" <([\w.@\[\]]+)([-+]\d+)?>", write_symbol, oracle.normalise(text))
    text = re.sub(r"\(unknown: 0xffff(\w{4})\)", lambda found: str(int(found[1], 16) - 65536), text)
    return re.sub(r"<cannot read memory>|<error: Cannot access memory at address \w+>", "<no memory>", text)


def is_argued(*difference):
    return any(all(re.fullmatch(pattern, text, re.DOTALL) for pattern, text in zip(rule, difference))
               for rule in ARGUED)


def compare_place(frame, place, is_innermost):
    """Nothing, or what differs."""
    if not frame["line"]:
        wanted = [os.path.basename(frame["module"]),
                  frame["pc"] - frame["base"] + oracle.find_debug(frame["module"])[1]]
        got = [place.get("module"), place.get("offset")]
        names = [frame["function"] or "", place.get("function", "")]
        same = got == wanted and (names[0] == names[1] or not all(names) or oracle.is_alias(frame, *names))
        return None if same else f"pddt {got} {names[1]}, gdb {wanted} {names[0]}"
    wanted = [oracle.name_function(frame["function"]), frame["file"], frame["line"], frame["inlined"]]
    got = [oracle.name_function(place.get("function")), os.path.basename(place.get("file", "")),
           place.get("line"), place.get("inlined", False)]
    if got[0] != wanted[0] and oracle.is_alias(frame, frame["function"], place.get("function", "")):
        got[0] = wanted[0]
    if got == wanted or ([got[0], got[3]] == [wanted[0], wanted[3]] and
                         (got[1], got[2]) in oracle.find_lines(frame, is_innermost)):
        return None
    return f"pddt {got}, gdb {wanted}"


def has_pieces(frame):
    """gdb takes the lowest of a function's pieces for its begin, and then finds no call of it that would
    tell the values on entry."""
    oracle.is_alias(frame, "", "")
    return (frame["function"] or "") + ".cold" in oracle.symbols[oracle.find_debug(frame["module"])[0]]


def compare_stack(program, expected, asked, number):
    n, bad = 0, []
    ours = oracle.merge_tails(asked.answers.get((number, "frames"), []))
    while ours and expected and ours[0].get("inlined") and expected[0]["line"] and \
            compare_place(expected[0], ours[0], True):
        del ours[0]  # at a breakpoint gdb has not yet entered what is inlined there
    for at, frame in enumerate(expected):
        if at == len(ours) and at and ours[-1].get("incomplete") and frame["function"] is None:
            break  # the loader's own beginning: gdb goes on with whatever lies on the stack
        n += 1
        # gdb finds no jump in functions of several pieces
        while at < len(ours) and ours[at].get("tail_call") and not frame["tail"] and \
                compare_place(frame, ours[at], at == 0):
            del ours[at]
        difference = compare_place(frame, ours[at], at == 0) if at < len(ours) else "pddt has no frame"
        if difference and not is_argued(program, frame["function"] or "", "frames", difference, ""):
            bad.append(f"frame {at}: {difference}")
            break
        values = asked.answers.get((number, ours[at]["number"]), {}) if not difference else {}
        for name, text in frame["values"].items():
            if oracle.is_hidden(name, ""):
                continue
            n += 1
            shown, text = normalise(values.get(name, "nothing")), normalise(text)
            if shown != text and not is_argued(program, frame["function"], name, shown, text) and not (
                    text == "<optimised out>" and any(map(has_pieces, expected[at:at + 5]))):
                same = max(len(os.path.commonprefix([shown, text])) - 30, 0)
                bad.append(f"frame {at}, {frame['function']}, {name}:\n"
                           f"#     pddt {shown[same:same + 200]}\n#     gdb  {text[same:same + 200]}")
    return n, bad


def run_one(program, arguments, text, places):
    n, bad = 0, []
    with tempfile.TemporaryDirectory() as folder:
        if "big" in arguments:
            with open(os.path.join(folder, "big"), "w", encoding="ascii") as file:
                file.writelines(f"{number * 7919 % 100003}\n" for number in range(200000))
        stops = ask_gdb(folder, program, arguments, text, places)
        for stop in stops:
            asked = Asked(stop["core"], stop["threads"])
            for expected in stop["threads"]:
                # a core file has its threads in an order of its own
                compared, differ = min((compare_stack(program, expected, asked, number)
                                        for number in range(1, len(stop["threads"]) + 1)),
                                       key=lambda result: (-result[0], len(result[1])))
                n += compared
                bad += [f"{stop['place']}: {line}" for line in differ]
            if not asked.answers:
                bad.append(asked.output)
            os.remove(stop["core"])
    if len(stops) < min(len(places), 2):
        bad.append(f"gdb stopped {len(stops)} times only")
    return n, len(stops), bad


def main():
    chosen = [one for one in PROGRAMS if find_program(one[0]) and
              (one[0] in sys.argv[1:] or not sys.argv[1:] and (os.environ.get("PDDT_LONG") or one[0] in SHORT))]
    failed = 0
    print(f"1..{len(chosen)}")
    for number, one in enumerate(chosen, 1):
        n, stops, bad = run_one(*one)
        failed += bool(bad)
        for line in bad:
            print("# " + line)
        print(f"{'not ok' if bad else 'ok'} {number} - {one[0]}: {stops} stops, {n} compared, {len(bad)} differ",
              flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
