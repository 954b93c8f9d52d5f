# SPDX-License-Identifier: GPL-3.0-or-later
"""gdb's own tests, taken at run time from Debian's package gdb-source, put to gdb and to pddt: their
programs are built at -O0 and -O2, both debuggers go to the places where the test scripts go, and are
asked there what the scripts ask. Each pair of answers is one of
    equal, cosmetic (the same said in other words), both refuse, only pddt,
    differ, cannot (gdb answers, pddt refuses), and argued (a line of argued.txt says why it differs).
A walk by steps from main compares the stops. The test fails where anything differs that nobody argued,
and where more than MAX_CANNOT answers are missing.
A sample by default; all with PDDT_LONG (./check --long); or those named as arguments (gdb.cp/misc).
Without the package it is skipped. PDDT_ORACLE_REPORT=FILE keeps every pair of answers."""
import concurrent.futures
import glob
import importlib.util
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tarfile
import tempfile
import threading

from pddt import ENVIRONMENT, PDDT, Dialogue

HERE = os.path.dirname(os.path.abspath(__file__))
spec = importlib.util.spec_from_file_location(
    "values", os.path.join(HERE, "..", "symbol", "test-oracle.py"))
values = importlib.util.module_from_spec(spec)
spec.loader.exec_module(values)

FOLDERS = ("gdb.base", "gdb.cp", "gdb.fortran", "gdb.opt", "gdb.threads")
LEVELS = ("-O0", "-O2")
SAMPLE = ("gdb.base/exprs", "gdb.base/setvar", "gdb.cp/misc", "gdb.cp/ref-types", "gdb.cp/userdef", "gdb.fortran/allocated",
          "gdb.opt/fortran-string", "gdb.base/vla-datatypes")
MAX_CANNOT = 60
N_STEPS = 30
MAX_SESSIONS, MAX_ACTIONS = 8, 700
# what takes a terminal, never ends, kills its group or is about the debugger itself
LEFT_OUT = re.compile(r"gdb\.base/(signals|sigall|bigcore|watchpoint|fork|foll|multi|attach|gcore|checkpoint|"
                      r"interrupt|random-signal|annota|stdio|async|huge|range-stepping|exec|killed|step-over|"
                      r"term|tui|readline|completion|ui-|many-|a2-run|batch|gdb|help|setshow|default|wrong|"
                      r"vfork|catch-|non-?stop|info-|code-expr|ctf-)|gdb\.threads/(?!print-threads|tls|pthreads|thread-spec|"
                      r"bp_in|siginfo|staticthreads|thread_check|corethreads|call-threads|current-lwp)")
QUESTION = re.compile(r"^(print|p|inspect|ptype|pt|whatis|what|call)(/\w+)?\s+(?!-)(.*)$")
MOTION = re.compile(r"^(continue|cont|c|step|s|next|n|finish|up|down|stepi|si|nexti|ni|until|advance)"
                    r"(?:\s+(\S+))?$")
MOTION_WORDS = {"cont": "continue", "c": "continue", "s": "step", "n": "next", "si": "stepi", "ni": "nexti"}
WORDS = {"p": "print", "inspect": "print", "pt": "ptype", "what": "whatis"}
GROUPS = ("equal", "cosmetic", "both refuse", "only pddt", "argued", "differ", "cannot")


def unpack(folder):
    """The suite's folder, or None without the package."""
    found = sorted(glob.glob("/usr/src/gdb.tar.*"))
    if not found:
        return None
    with tarfile.open(found[0]) as archive:
        members = [member for member in archive if member.isreg() and
                   re.search(r"/testsuite/gdb\.(base|cp|fortran|opt|threads)/[^/]+$", member.name)]
        archive.extractall(folder, members)
    return glob.glob(os.path.join(folder, "*", "gdb", "testsuite"))[0]


def record(suite, name):
    """What a script does: a list of lists of words."""
    kind, test = name.split("/")
    script = os.path.join(suite, kind, test + ".exp")
    try:
        said = subprocess.run(["tclsh", os.path.join(HERE, "record.tcl"), os.path.join(suite, kind), script],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                              timeout=60).stdout
    except subprocess.TimeoutExpired as late:
        said = (late.stdout or b"").decode(errors="replace")
    escapes = {"\\t": "\t", "\\n": "\n", "\\r": "\r", "\\\\": "\\"}
    return [[re.sub(r"\\[tnr\\]", lambda found: escapes[found[0]], field) for field in line.split("\t")]
            for line in said.splitlines() if line]


def read_action(words):
    """(kind, text) of a command that both debuggers are given, or None."""
    command = re.sub(r"\s+", " ", words[1].strip())
    question = QUESTION.match(command)
    if question:
        verb, form, rest = question.groups()
        if re.search(r"\$(bpnum|_hit_bpnum)\b", rest) or \
                re.search(r"\$_?\d*\b(?!\w)|\$\$", rest) and "$_" not in rest and not re.search(r"\$[a-z]", rest):
            return None  # the numbers of breakpoints and of the history are each debugger's own
        return ("ask", f"{WORDS.get(verb, verb)}{form or ''} {rest}")
    motion = MOTION.match(command)
    if motion:
        word = MOTION_WORDS.get(motion[1], motion[1])
        return ("move", word + (" " + motion[2] if motion[2] else ""))
    if re.match(r"^handle SIG\w+( (no)?(stop|print|pass))+$", command):
        return ("set", command)
    if re.match(r"^set var(iable)? ", command):
        return ("set", re.sub(r"^set var(iable)? ", "set var ", command))
    found = re.match(r"^(break|tbreak|b|br|tb) (?!.*(-|thread ))(.+)$", command)
    if found:
        return ("tbreak" if found[1][0] == "t" else "break", found[3])
    return ("clear", "") if command in ("delete", "delete breakpoints") else None


def read_plan(records):
    """({program: (flags, sources)}, [(program, actions)])"""
    builds, sessions, program, actions = {}, [], None, []

    def begin():
        nonlocal actions
        if actions and program:
            sessions.append((program, actions))
        actions = []
    for words in records:
        if words[0] == "build":
            builds.setdefault(words[1], (words[2], words[3:]))
            program = program or words[1]
        elif words[0] == "load":
            begin()
            program = words[1] or program
        elif words[0] in ("main", "run", "runto"):
            moved = [action for action in actions if action[0] == "move"]
            if moved or words[0] != "run":
                places = [a for a in actions if a[0] in ("break", "tbreak", "ask")] if not moved else []
                begin()
                actions = places
                if words[0] != "run" and places:
                    sessions.pop() if sessions and sessions[-1][1] == places else None
            if words[0] == "runto":
                actions.append(("break", words[1]))
            if words[0] == "runto" and words[1] not in ("main", "MAIN__") or \
                    words[0] == "run" and any(a[0] == "break" for a in actions) and \
                    not any(a[1] in ("main", "MAIN__") for a in actions):
                actions.append(("move", "continue"))
        elif words[0] in ("break", "tbreak"):
            actions.append((words[0], words[1]))
        elif words[0] == "clear":
            actions.append(("clear", ""))
        elif words[0] == "do":
            action = read_action(words)
            if action:
                actions.append(action)
    begin()
    return builds, sessions


def thin(sessions):
    """Without the questions asked twice at one place, and without sessions that ask or move nothing."""
    kept = []
    for program, actions in sessions:
        asked, actions_kept = set(), []
        for action in actions:
            if action[0] == "ask":
                if action in asked:
                    continue
                asked.add(action)
            elif action[0] in ("move", "set"):
                asked = set()
            actions_kept.append(action)
        if any(kind == "ask" for kind, _ in actions_kept) and (program, actions_kept) not in kept:
            kept.append((program, actions_kept[:MAX_ACTIONS]))
    return kept[:MAX_SESSIONS]


def read_flags(flags):
    """(options for the compiler, for the linker)"""
    compile_options, link_options = [], []
    for found in re.finditer(r"\{([^{}]*)\}|(\S+)", flags.replace('"', "")):
        flag = found[1] if found[1] is not None else found[2]
        if flag == "debug":
            compile_options.append("-g")
        elif flag.startswith("additional_flags="):
            compile_options += flag.split("=", 1)[1].split()
        elif flag.startswith(("ldflags=", "libs=")):
            link_options += flag.split("=", 1)[1].split()
        elif flag == "pthreads":
            link_options.append("-pthread")
    return compile_options, link_options


def build(folder, name, flags, sources, level):
    """The program, or None where it does not build here."""
    compile_options, link_options = read_flags(flags)
    endings = {os.path.splitext(source)[1] for source in sources}
    linker = "gfortran" if endings & {".f90", ".F90", ".f", ".f77", ".f95"} else \
        "g++" if endings & {".cc", ".cpp", ".C"} or "c++" in flags.split() else "gcc"
    os.makedirs(folder, exist_ok=True)
    objects = []
    for number, source in enumerate(sources):
        compiler = "g++" if "c++" in flags.split() and source.endswith(".c") else "gcc"
        objects.append(f"{name}-{number}.o")
        done = subprocess.run([compiler, "-c", "-w", level] + compile_options +
                              ["-I", os.path.dirname(source), source, "-o", objects[-1]], cwd=folder,
                              capture_output=True, timeout=120, check=False)
        if done.returncode:
            return None
    done = subprocess.run([linker] + objects + ["-o", name] + link_options + ["-lm"], cwd=folder,
                          capture_output=True, timeout=120, check=False)
    return os.path.join(folder, name) if not done.returncode else None


def ask_gdb(folder, sessions):
    # the same length of stack as pddt's rank has, so that what nobody has set yet is the same too
    marker = "x" * len(f"{os.getpid()}-dialogue-{id(sessions)}")
    for session in sessions:
        session["environment"] = dict(ENVIRONMENT, DEBUGINFOD_URLS="", PDDT_TEST_MARKER=marker)
    plan, answer = os.path.join(folder, "plan.json"), os.path.join(folder, "answer.json")
    with open(plan, "w", encoding="utf-8") as file:
        json.dump(sessions, file)
    process = subprocess.Popen(
        ["gdb", "-nx", "-q", "-batch", "-iex", "set auto-load safe-path /usr", "-x",
         os.path.join(HERE, "ask-gdb.py")], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, cwd=folder, start_new_session=True,
        env=dict(ENVIRONMENT, DEBUGINFOD_URLS="", PDDT_ORACLE_PLAN=plan, PDDT_ORACLE_ANSWER=answer,
                 PYTHONDONTWRITEBYTECODE="1"))
    try:
        process.wait(30 + 20 * len(sessions))
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    try:
        with open(answer, encoding="utf-8") as file:
            return json.load(file)
    except OSError:
        return []


class Asked:
    """pddt at work on one program: the same actions as ask-gdb.py does."""

    def __init__(self, program, folder):
        self.pddt = Dialogue(["--stop-at", "main", "--", program], prefix=("env", "-C", folder),
                             environment={"DEBUGINFOD_URLS": ""})
        for option in ("limit-items 200", "limit-depth 20", "limit-repeats 0"):
            self.ask("set option " + option)

    def ask(self, command):
        watch = start_timer(self.pddt.process)
        try:
            return self.pddt.ask(command)[0]
        finally:
            watch.cancel()

    def find_place(self):
        for event in self.ask("where 1"):
            if event["event"] == "stacks" and event["frames"]:
                frame = event["frames"][-1]
                return {"function": frame.get("function"), "line": frame.get("line", 0),
                        "file": os.path.basename(frame["file"]) if frame.get("file") else None}
        return None

    def do(self, kind, text):
        if kind == "clear":
            return read_answer(self.ask("delete"))
        if kind != "move":
            return read_answer(self.ask(text if kind in ("ask", "set") else f"{kind} {text}"))
        events = self.ask(text)
        if text.split()[0] in ("up", "down"):
            for event in events:
                if event["event"] == "frame":
                    return {"place": {"function": event.get("function"), "line": event.get("line", 0),
                                      "file": os.path.basename(event.get("file") or "") or None}}
            return dict(read_answer(events), place=None)
        self.ask("wait 120")
        return dict(read_answer(events), place=self.find_place())


def start_timer(process):
    watch = threading.Timer(60, process.kill)
    watch.start()
    return watch


def read_answer(events):
    texts = []
    for event in events:
        if event["event"] == "failure":
            return {"error": event["text"]}
        if event["event"] == "values":
            texts += [value["groups"][0]["text"] for value in event["values"] if value["groups"]]
        elif event["event"] in ("text", "answer"):
            texts.append(event["text"])
    return {"text": "\n".join(texts)}


def ask_pddt(folder, session):
    answers = []
    try:
        asked = Asked(session["program"], folder)
    except SystemExit:
        return answers
    try:
        answers.append({"place": asked.find_place()})
        for kind, text in session["actions"]:
            answers.append(asked.do(kind, text))
            if kind == "move" and answers[-1].get("place") is None and text.split()[0] not in ("up", "down"):
                break
    except (SystemExit, OSError, ValueError) as fault:
        answers.append({"error": f"pddt ended: {fault}"})
    finally:
        try:
            asked.pddt.end()
        except SystemExit as fault:
            answers.append({"error": str(fault)})
    return answers


def squeeze(text):
    text = re.sub(r"^\$\d+ = |^type = ", "", text.strip())
    text = re.sub(r"0x7ff[0-9a-f]{9}\b", "0x7ff#", text)
    return re.sub(r"\s+", " ", text)


def soften(text):
    """Without what is only another way to say the same."""
    text = values.normalise(text)
    text = re.sub(r"\b(struct|class|union|enum) (?=\w)", "", text)
    text = re.sub(r"@0x7ff#: ", "", text)
    text = re.sub(r"@entry=\w+", "", text)
    text = re.sub(r"(, )?<No data fields>|(, )?static \w+ = <optimi[sz]ed out>", "", text)
    text = re.sub(r"\(void\)", "()", text)
    text = re.sub(r"^character \((\d+)\)$", r"character*\1", text)  # before gdb 16
    text = re.sub(r"\b(long|short)( long)?( unsigned)? int\b", lambda found: " ".join(
        (["unsigned"] if found[3] else []) + [found[1]] + (["long"] if found[2] else [])), text)
    return re.sub(r"\s*([*&(),{}<>=])\s*", r"\1", text)


REAL = re.compile(r"((?<![\w.])-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?(?![\w.]))")


def round_to_single(text):
    return struct.unpack("f", struct.pack("f", float(text)))[0] if abs(float(text)) < 3e38 else float(text)


def is_same_number(ours, theirs):
    """gdb writes as many digits as could matter, pddt as few as tell the number from others."""
    if ours == theirs:
        return True
    n_digits = len(re.sub(r"[eE].*|^-?0*\.?0*|\.", "", theirs))
    return not theirs.lstrip("-").isdigit() and (
        float(ours) == float(theirs) or n_digits <= 9 and round_to_single(ours) == round_to_single(theirs))


def has_same_numbers(ours, theirs):
    a, b = REAL.split(ours), REAL.split(theirs)
    return len(a) == len(b) and all(x == y if i % 2 == 0 else is_same_number(x, y)
                                    for i, (x, y) in enumerate(zip(a, b)))


def classify(gdb, pddt):
    ours, theirs = squeeze(pddt.get("text", "")), squeeze(gdb.get("text", ""))
    refuses = "error" in pddt or re.fullmatch(r"<[^<>]*>", ours)
    if "error" in gdb or re.fullmatch(r"<(optimized out|not saved)>", theirs):
        return "both refuse" if refuses else "only pddt"
    if "error" in pddt or refuses and soften(ours) != soften(theirs):
        return "cannot"
    if ours == theirs:
        return "equal"
    if "..." in theirs[100:] and ours.startswith(theirs[:theirs.index("...", 100)].rstrip(", ")):
        return "cosmetic"  # gdb counts the elements of all dimensions together
    if soften(ours) == soften(theirs) or has_same_numbers(soften(ours), soften(theirs)):
        return "cosmetic"
    return "differ"


def same_place(ours, theirs):
    if ours is None or theirs is None:
        return ours is theirs
    return ours["line"] == theirs["line"] and (
        values.name_function(ours["function"]) == values.name_function(theirs["function"]) or
        ours["line"] != 0 and ours["file"] == theirs["file"])


class Report:
    def __init__(self):
        self.rows = []  # [group, test, level, place, question, gdb's answer, pddt's answer]
        with open(os.path.join(HERE, "argued.txt"), encoding="utf-8") as file:
            self.argued = [line.rstrip("\n").split(" | ") for line in file
                           if line.strip() and not line.startswith("#")]
        self.used, self.seen = set(), set()
        path = os.environ.get("PDDT_ORACLE_REPORT")
        self.file = open(path, "w", encoding="utf-8") if path else None  # pylint: disable=consider-using-with

    def is_argued(self, *said):
        for number, rule in enumerate(self.argued):
            if all(re.fullmatch(pattern, text, re.DOTALL) for pattern, text in zip(rule, said)):
                self.used.add(number)
                return True
        return False

    def add(self, group, test, level, place, question, gdb, pddt):
        gdb, pddt = (squeeze(a.get("text", "error: " + a.get("error", ""))) for a in (gdb, pddt))
        if group in ("differ", "cannot") and self.is_argued(test + level, question, pddt, gdb):
            group = "argued"
        key = (test, level, question, gdb, pddt)
        if key in self.seen:
            return
        self.seen.add(key)
        self.rows.append([group, test, level, place, question, gdb, pddt])
        if self.file:
            self.file.write(json.dumps(self.rows[-1]) + "\n")
            self.file.flush()

    def count(self, group, kind=None):
        return sum(row[0] == group and (kind is None or (row[4][:5] == "stop ") == kind) for row in self.rows)


def name_place(place):
    return f"{place['function']} {place['file']}:{place['line']}" if place else "nowhere"


def is_outside(session, place):
    """In a library, or behind the end: just-my-code is on in pddt, and in gdb nothing like it."""
    return place is None or place["file"] not in session["files"]


def compare(report, test, level, session, gdb, pddt):
    place, in_step, walked = None, True, set()
    for number, (kind, text) in enumerate([("move", "start")] + session["actions"]):
        if number >= len(gdb):
            break
        theirs = gdb[number]
        ours = pddt[number] if number < len(pddt) else {"error": "no answer", "place": None}
        if kind == "move":
            place = theirs["place"]
            if is_outside(session, place):
                break
            in_step = same_place(ours.get("place"), place)
            key = (name_place(place), text)
            if key not in walked or not in_step:
                walked.add(key)
                said = {"text": name_place(place)}, {"text": name_place(ours.get("place"))}
                report.add("equal" if in_step else "differ", test, level, "", f"stop after {text}", *said)
            if not in_step and text.split()[0] in ("start", "step", "next", "continue", "finish"):
                break
        elif kind in ("ask", "set") and in_step:
            report.add(classify(theirs, ours), test, level, name_place(place), text, theirs, ours)


def is_fortran(sources):
    return any(source.lower().endswith((".f90", ".f", ".f95")) for source in sources)


def list_files(sources):
    """The names of the program's own files: its sources and what lies beside them."""
    return sorted({name for source in sources for name in os.listdir(os.path.dirname(source))
                   if not name.endswith(".exp")})


def run_test(suite, name, level, folder):
    """[(session, gdb's answers, pddt's answers)]"""
    builds, sessions = read_plan(record(suite, name))
    sessions = thin(sessions)
    programs, out = {}, []
    for program in {program for program, _ in sessions} & set(builds):
        flags, sources = builds[program]
        programs[program] = build(os.path.join(folder, "built"), program, flags, sources, level)
    for program, actions in sessions:
        if programs.get(program):
            out.append({"program": programs[program], "actions": actions,
                        "fortran": is_fortran(builds[program][1]), "files": list_files(builds[program][1])})
    for program, path in programs.items():
        if path:
            out.append({"program": path, "actions": [("move", "step")] * N_STEPS,
                        "fortran": is_fortran(builds[program][1]), "files": list_files(builds[program][1])})
    if not out:
        return []
    gdb = ask_gdb(folder, out)
    return [(session, answers, ask_pddt(folder, dict(session, actions=session["actions"][:len(answers) - 1])))
            for session, answers in zip(out, gdb) if answers and answers[0]["place"]]


def choose(suite):
    names = sorted(f"{kind}/{os.path.basename(path)[:-4]}" for kind in FOLDERS
                   for path in glob.glob(os.path.join(suite, kind, "*.exp")))
    if sys.argv[1:]:
        return [name for name in names if any(re.fullmatch(word, name) for word in sys.argv[1:])]
    if os.environ.get("PDDT_LONG"):
        return [name for name in names if not LEFT_OUT.match(name)]
    return list(SAMPLE)


def print_report(report):
    total = len(report.rows)
    for kind, title in ((False, "questions"), (True, "stops")):
        counts = {group: report.count(group, kind) for group in GROUPS}
        print(f"# {title}: " + ", ".join(f"{n} {group}" for group, n in counts.items() if n))
    for row in report.rows:
        if row[0] in ("differ", "cannot"):
            print(f"# {row[0]}: {row[1]} {row[2]}, {row[3]}: {row[4]}\n#     gdb  {row[5][:300]}\n"
                  f"#     pddt {row[6][:300]}")
    good = total - report.count("differ") - report.count("cannot")
    print(f"# {100 * good / max(total, 1):.1f} % of {total} are equal, better or argued")
    for number, rule in enumerate(report.argued):
        if number not in report.used and os.environ.get("PDDT_LONG"):
            print(f"# argued.txt: nothing differs so any more: {' | '.join(rule)}")


def main():
    missing = [program for program in ("gdb", "tclsh", "g++", "gfortran") if not shutil.which(program)]
    with tempfile.TemporaryDirectory(prefix="pddt-gdb-source-") as folder:
        suite = os.environ.get("PDDT_GDB_TESTSUITE") or unpack(folder)
        if missing or not suite:
            print(f"1..0 # SKIP {', '.join(missing) or 'the package gdb-source'} is not there")
            return 0
        report = Report()
        with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("PDDT_ORACLE_JOBS", "2"))) as pool:
            begun = {}
            for name in choose(suite):
                for level in LEVELS:
                    place = os.path.join(folder, name.replace("/", "-") + level)
                    os.makedirs(place)
                    begun[pool.submit(run_test, suite, name, level, place)] = (name, level, place)
            for future in concurrent.futures.as_completed(begun):
                name, level, place = begun[future]
                try:
                    for session, gdb, pddt in future.result():
                        compare(report, name, level, session, gdb, pddt)
                except (subprocess.TimeoutExpired, OSError) as fault:
                    print(f"# {name} {level}: {fault}")
                shutil.rmtree(place)
    report.rows.sort(key=lambda row: row[1:3])
    print("1..1")
    print_report(report)
    bad = report.count("differ") or report.count("cannot") > MAX_CANNOT or not report.rows
    print(f"{'not ok' if bad else 'ok'} 1 - {len(report.rows)} answers beside gdb's")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
