# SPDX-License-Identifier: GPL-3.0-or-later
"""Every inferior in every variant: gdb stops it, says its frames, lines and values, and leaves a core
file; pddt opens the core files, one a rank, and says the same, or the difference is in ARGUED.
A sample of the variants by default; all with PDDT_LONG (./check --long), or those named as arguments
(PROGRAM/VARIANT). PDDT_GNU and PDDT_LLVM are behind the names of the compilers: PDDT_GNU=-16 for gcc-16."""
import functools
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import printers
from pddt import ENVIRONMENT, PDDT, SOURCE

HERE = os.path.join(SOURCE, "tests")
C, CXX, FORTRAN = "c", "c++", "fortran"
# program, language, arguments, where gdb stops (a function, or a mark and the line's file)
PROGRAMS = [
    ("symbol/optimised.c", C, [], ["stop", "leave", "@within", "@vla", "@mixed"]),
    ("symbol/oracle.c", C, [], ["reached", "handle"]),
    ("symbol/oracle.cpp", CXX, [], ["reached"]),
    ("symbol/oracle.f90", FORTRAN, [], ["reached", "@end"]),
    ("symbol/values.cpp", CXX, [], ["@method", "@derived", "@diamond", "@box", "@plain", "@containers"]),
    ("symbol/values.f90", FORTRAN, [], ["@assumed", "@main"]),
    ("inferiors/steps.c", C, [], ["add", "half", "factorial", "compare"]),
    ("inferiors/calls.cc", CXX, [], ["@end"]),
    ("inferiors/called.f90", FORTRAN, [], ["@end", "area", "total", "MAIN__"]),
    ("inferiors/fields.f90", FORTRAN, [], ["@look", "@main"]),
    ("inferiors/exceptions.cc", CXX, [], ["catcher", "__cxa_throw", "longjmp"]),
    ("inferiors/vectors.c", C, [], ["give_four", "give_whole", "give_either", "@end"]),
    ("inferiors/ways.c", C, [], ["add", "recurse", "compare"]),
    ("inferiors/signals.c", C, ["usr1"], ["on_signal"]),
    ("inferiors/faults.c", C, ["null"], ["main"]),
    ("inferiors/watched.c", C, [], ["set_global", "nested", "scribble"]),
    ("inferiors/large.c", C, ["12"], ["stand", "main"]),
    ("inferiors/forks.c", C, [], ["pass", "_exit"]),
    ("symbol/tails.c", C, [], ["stop"]),
    ("symbol/tails.cpp", CXX, [], ["stop"]),
    ("symbol/tails.f90", FORTRAN, [], ["@stop"]),
]
GNU = {language: name + os.environ.get("PDDT_GNU", "") for language, name in ((C, "gcc"), (CXX, "g++"), (FORTRAN, "gfortran"))}
LLVM = {language: name + os.environ.get("PDDT_LLVM", "") for language, name in ((C, "clang"), (CXX, "clang++"))}
VARIANTS = {
    "O0": (GNU, ["-O0"]), "Og": (GNU, ["-Og"]), "O2": (GNU, ["-O2"]),
    "O3-lto": (GNU, ["-O3", "-flto"]), "O2-dwarf4": (GNU, ["-O2", "-gdwarf-4"]),
    "O1-no-pie": (GNU, ["-O1", "-fno-pie", "-no-pie"]), "O0-static": (GNU, ["-O0", "-static"]),
    "O0-types": (GNU, ["-O0", "-gdwarf-4", "-fdebug-types-section"]),
    "clang-O0": (LLVM, ["-O0"]), "clang-O1": (LLVM, ["-O1"]), "clang-O2": (LLVM, ["-O2"]),
    "clang-dwarf4": (LLVM, ["-O2", "-gdwarf-4"]),
    "Og-dwarf4": (GNU, ["-Og", "-gdwarf-4"]), "O2-static": (GNU, ["-O2", "-static"]),
    "O3": (GNU, ["-O3", "-fPIE", "-pie"]), "O2-split": (GNU, ["-O2", "-gsplit-dwarf"]),
    "clang-no-pie": (LLVM, ["-O1", "-fno-pie", "-no-pie"]), "clang-O0-static": (LLVM, ["-O0", "-static"]),
    "clang-types": (LLVM, ["-O0", "-fdebug-types-section"]), "clang-O3": (LLVM, ["-O3", "-gdwarf-5"]),
    "clang-lto": (LLVM, ["-O2", "-flto", "-fuse-ld=lld"]), "clang-split": (LLVM, ["-O2", "-gsplit-dwarf"]),
    "O2-zstd": (GNU, ["-O2", "-gz=zstd"]), "clang-zstd": (LLVM, ["-O1", "-gz=zstd"]), "O1-mold": (GNU, ["-O1", "-fuse-ld=mold"]),
    "clang-mold": (LLVM, ["-O2", "-fuse-ld=mold", "-gz"]), "O0-lld": (GNU, ["-O0", "-fuse-ld=lld"]),
}
STANDARD = {C: ["-std=gnu11", "-D_GNU_SOURCE"], CXX: ["-std=c++17"], FORTRAN: []}
OPTIONS = {"tails.f90": ["-fno-inline", "-fno-ipa-cp"]}
# gdb finds functions that left by jumps by what the debug information says of the call, which
# unoptimised code lacks, and of the jump's end, where clang's DWARF 5 says its begin
NO_TAILS = ("O0", "O0-static", "O0-types", "clang-O0", "clang-O1", "clang-O2", "clang-no-pie",
            "clang-O0-static", "clang-types", "clang-O3", "clang-lto", "clang-split", "clang-zstd", "clang-mold", "O0-lld")
PRINTERS = glob.glob("/usr/share/gcc*/python")
MAX_FRAMES = 7
MORE_FRAMES = 3 # that pddt has and gdb has not
# (program, variant, function, variable or "frames", what pddt says, what gdb says), each a regular
# expression; the comment before each is the argument
ARGUED = [
    # clang keeps a variable in a register over a call that may change it: gdb shows what is in it now
    # (this = 0x4), pddt that it was not saved
    (".*", "clang.*", ".*", ".*", ".*<not saved>.*", ".*"),
    # nothing is left of it but its name, which pddt leaves out
    (".*", ".*", ".*", ".*", "nothing", "<optimised out>"),
    # containers that have not been made yet where the function stops, or are destroyed: gdb says whatever it reads there
    ("values.cpp", "O3-lto|clang-O3|clang-split", "containers", ".*", ".*<no valid std::.*>.*", ".*"),
    ("values.cpp", "clang-O3|clang-split", "containers", "hashed", ".*", ".*<error reading variable.*"),
    # a null pointer is written as an address
    ("values.cpp", ".*", "plain", "null", "0x0", "0"),
    # gdb shows a virtual base once, pddt in each class that has it
    ("values.cpp", ".*", "main", "diamond", ".*", ".*"),
    # where inlined code begins gdb takes the line of the call or of what is inlined, pddt the row's
    ("values.cpp", ".*(O[123]|Og).*", "plain|main", "frames", r"(plain|main) values\.cpp \d+ .*",
     r"(plain|main) values\.cpp \d+ .*"),
    ("values.cpp", ".*(O[123]|Og).*", "shapes::.*|containers", "frames",
     r"(shapes::.*|containers) values\.cpp \d+ .*", r"(shapes::.*|containers) values\.cpp \d+ .*"),
    # gdb's printer finds no text in a string that clang describes
    ("values.cpp", "clang.*", "containers", ".*", '.*".*".*', ".*"),
    # what gdb calls empty has parts that are known, or is nothing but a name
    ("values.cpp", "clang.*", "plain|containers", ".*", "nothing|<optimised out>|\\{.*\\}", r"\{<No data fields>\}|"),
    # a text of which the end is gone is none for pddt, nor is a container without its end
    ("values.cpp", "clang.*", "plain", "text", "<optimised out>", r'"p(\\000)*"|\{112 .*'),
    ("values.cpp", "clang.*", "containers", "view|none", r"\{.*<optimised out>.*\}", ".*"),
    # bounds that are not set yet: gdb's words
    (".*f90", ".*", ".*", ".*", r"<length unknown>|\(?<no memory at 0x[0-9a-f]+>\)?", "<value requires .* max-value-size>"),
    # a dummy that is not present, of which gdb shows what it would have at the address 0
    (".*f90", ".*", ".*", ".*", "<not present>", r"<no memory at 0x0>|<.*not set.*>|''|\(\)"),
    # an array without bounds: gdb's words
    (".*f90", ".*", ".*", ".*", "<(optimised out|length unknown)>", "<error reading variable: failed to get range bounds>"),
    # nothing is left of the array, of which clang 19 says the type alone
    ("optimised.c", "clang.*", "vla", "local", "<optimised out>", "0x0"),
    # the text that a pointer to a text points to, whose address gdb shows
    ("values.f90", ".*", "MAIN__", "deferred", "'deferred text'", "0x[0-9a-f]+"),
    # before it is allocated: no length, or the reason, and the null pointer
    ("values.f90", ".*", "MAIN__", "deferred", "<(length unknown|not allocated, or not associated)>", "0x0"),
    # the call has no line: the table has 0 there
    ("exceptions.cc", "clang.*", "thrower", "frames", "thrower None 0 .*", "thrower exceptions.cc 38 .*"),
    # an array that is not allocated yet: what lies there by chance
    ("called.f90", ".*", "called", "w", r"\(.*<no memory at .*\)", r"\(.*\)"),
    # gdb does not look for values on entry in static programs
    ("values.f90", "O2-static", "assumed", "a|n|maybe", ".*", "<.*>"),
    # nor finds what an entry in the .dwo file refers to
    ("values.cpp", "O2-split", "plain", ".*", "<optimised out>", "<Dwarf Error: Cannot find DIE .*"),
    # the bound is lost to gdb, which takes 1
    ("optimised.c", "clang-lto|clang-split", "vla", "local", r"\{0, 1, 4, 9, 16\}", r"\{0\}|0x0"),
    # gdb finds no lists of locations in a .dwo file of clang
    (".*", "clang-split", ".*", ".*", ".*", "<optimised out>"),
    # computed with 128 bits, by operations that take 64: pddt says so, and older versions of gdb do
    ("oracle.c", ".*", ".*", ".*", "<location not understood>", r"<That operation is not available on .*>|-?\d{30,}"),
    # gdb is silent where nothing is left
    (".*", ".*", ".*", ".*", "<optimised out>", ""),
    # constants of the inner block of what was inlined, which gdb looks for in the outer one
    ("values.cpp", ".*(O[123]|Og).*", "plain", ".*", "0x0|shapes::.*|-?[0-9.e-]+( [uUL]?'.*')?|true",
     "<optimised out>"),
    # pointers to what was optimised away, in words of each
    (".*f90", ".*", ".*", ".*", "<(cannot find the data|optimised out)>",
     "<(access outside bounds of object referenced via synthetic pointer|Location address is not set.)>"),
    # gdb's word for a part of which nothing is left
    ("optimised.c", ".*", "mixed", "pair", ".*", ".*<synthetic pointer>.*"),
    # clang 19 has 16 bytes read by an operation that takes 8: both refuse
    ("oracle.cpp", "clang.*", "shapes::Square::area", "inner", "<location not understood>", "<Value cannot be represented as .*>"),
    # gdb shows 0 for the half of a complex number that is gone
    ("oracle.c", "clang.*", "many", "z", "<optimised out>", ".*"),
    # an empty location expression
    ("optimised.c", "clang.*", "mixed", "huge", "<(location not understood|broken location)>", "<Asked.*"),
    # gdb finds its printers by a name that clang writes otherwise
    ("oracle.cpp", "clang.*", ".*", "words", "std::vector of length 2.*",
     r"\{<std::_Vector_base.*"),
    # gcc leaves the namespace out of the declaration beside a type unit; gdb reads the linkage name
    ("oracle.cpp", ".*-types", ".*", "frames", "Holder<.*", "shapes::Holder<.*"),
    # the text that a pointer to a character points to, which gdb shows in C only
    (".*f90", ".*", "main", "argv", '0x[0-9a-f]+ ".*"', "0x[0-9a-f]+"),
    # pddt's stack ends with main, also where that is MAIN__ inlined into it
    ("oracle.f90", ".*", "_start|__libc_start.*", "frames", "no frame", ".*"),
    # what the kernel made, and what has no debug information: gdb takes names from elsewhere
    (".*", ".*", "__restore_rt", "frames", ".*", ".*"),
    (".*", ".*-static", ".*", "frames", ".* None 0 .*", ".* None 0 .*"),
    # at the breakpoint gdb has not yet entered what is inlined there
    ("exceptions.cc", "clang-O3", "catcher|main", "frames", r"(thrower|through) exceptions.cc (38|49) .*", ".*"),
    # a lambda has no name; the compilers and gdb make one up, each its own
    ("oracle.cpp", ".*", ".*", "frames", "(operator|lambda|std::).*", "(operator|lambda|std::).*"),
]
DESCRIBE = r'''
import gdb, json, os
def text(value):
    try:
        if value.type.strip_typedefs().code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
            value = value.referenced_value()
        options = {"max_elements": 200, "repeat_threshold": 0, "max_depth": 20, "symbols": True, "pretty_structs": False}
        # a printer that fails, as of a container without its end, leaves nothing: then its members
        shown = value.format_string(**options) or value.format_string(raw=True, **options)
    except Exception as fault:
        return "<" + str(fault) + ">"
    return shown
def find_modules():
    """{path: where its first bytes are mapped}"""
    found = {}
    for line in gdb.execute("info proc mappings", to_string=True).splitlines():
        words = line.split()
        if words and words[-1][0] == "/":
            found.setdefault(words[-1], int(words[0], 16))
    return found
def describe_frame(frame, modules):
    module = gdb.solib_name(frame.pc()) or gdb.current_progspace().filename
    module = os.path.realpath(module)
    sal, seen, values = frame.find_sal(), set(), {}
    try:
        block = frame.block()
    except RuntimeError:
        block = None
    while block is not None and not block.is_global and not block.is_static:
        for symbol in block:
            if symbol.name in seen or not (symbol.is_variable or symbol.is_argument):
                continue
            seen.add(symbol.name)
            try:
                values[symbol.name] = text(symbol.value(frame))
            except Exception as fault:
                values[symbol.name] = "<" + str(fault) + ">"
        if block.function:
            break
        block = block.superblock
    return {"function": frame.name(), "line": sal.line if sal.symtab else 0, "pc": frame.pc(),
            "module": module, "base": modules.get(module, 0), "inlined": frame.type() == gdb.INLINE_FRAME, "tail": frame.type() == gdb.TAILCALL_FRAME,
            "file": os.path.basename(sal.symtab.filename) if sal.symtab else None, "values": values}
'''
GDB = r'''
def describe():
    frames, frame, modules = [], gdb.newest_frame(), find_modules()
    while frame is not None and len(frames) < %(max)d:
        frames.append(describe_frame(frame, modules))
        frame = None if frame.name() == "main" else frame.older()
    return frames
out, count = [], 0
for setting in %(settings)r:
    gdb.execute("set " + setting)
if %(printers)r: # which gdb loads with the shared library only
    import sys
    sys.path[:0] = %(printers)r
    from libstdcxx.v6.printers import register_libstdcxx_printers
    register_libstdcxx_printers(None)
breaks = [gdb.Breakpoint(where) for where in %(places)r]
gdb.execute("handle SIGUSR1 nostop noprint pass")
gdb.execute("run")
while gdb.selected_inferior().pid:
    for point in breaks:
        point.enabled = point.hit_count < %(hits)d
    core = %(folder)r + "/core.%%d" %% count
    gdb.execute("generate-core-file " + core)
    out.append({"core": core, "frames": describe()})
    count += 1
    open(%(answer)r + ".new", "w").write(json.dumps(out))
    os.rename(%(answer)r + ".new", %(answer)r)
    gdb.execute("continue")
if gdb.selected_inferior().pid:
    gdb.execute("kill")
'''
SETTINGS = ["confirm off", "pagination off", "debuginfod enabled off", "width 0",
            "print entry-values no", "backtrace past-main on", "print null-stop off", "breakpoint pending on"]


symbols = {}  # of a file: {name: addresses}


def find_line(source, name):
    with open(source, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if re.search(r"(//|!)@ " + name + r"\s*$", line):
                return number
    raise SystemExit(f"{source} has no mark {name}")


@functools.cache
def can_build(compiler, *options):
    """Older ones know no zstd, and linkers other than the usual one may be missing. Never to /dev/null, which some make
    a program of."""
    with tempfile.TemporaryDirectory() as folder:
        return shutil.which(compiler) is not None and subprocess.run(
            [compiler, "-g", *options, "-x", "c", "-", "-o", "program"], cwd=folder,
            input="int main (void) { return 0; }", text=True, capture_output=True, check=False).returncode == 0


def build(folder, source, language, variant):
    compilers, options = VARIANTS[variant]
    if language not in compilers or not can_build(compilers[language], *options):
        return None
    program = os.path.join(folder, "program")
    done = subprocess.run([compilers[language], "-g", "-w"] + STANDARD[language] + options +
                          OPTIONS.get(os.path.basename(source), []) +
                          [source, "-o", program, "-lm"], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"cannot build {source} as {variant}: {done.stderr[-600:]}")
    return program


def ask_gdb(folder, program, arguments, places, is_static):
    script, answer = os.path.join(folder, "ask.py"), os.path.join(folder, "answer.json")
    with open(script, "w", encoding="utf-8") as file:
        file.write(DESCRIBE + GDB % {
            "max": MAX_FRAMES, "settings": SETTINGS, "places": places, "answer": answer, "folder": folder,
            "hits": 14 if len(places) <= 2 else 2, "printers": PRINTERS if is_static else []})
    done = subprocess.run(["gdb", "-nx", "-q", "-batch", "-x", script, "--args", program] + arguments,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                          timeout=100, cwd=folder, env=dict(ENVIRONMENT, DEBUGINFOD_URLS=""))
    if done.returncode < 0:
        print(f"# gdb ended with signal {-done.returncode}: what it had said by then counts")
    if not os.path.exists(answer):
        print("# " + f"gdb did not finish: {done.stdout[-300:]}{done.stderr[-700:]}".replace("\n", "\n# "))
        return []
    with open(answer, encoding="utf-8") as file:
        return json.load(file)


def ask_pddt(cores, n_frames):
    """Of each core: (frames, [values of each frame])."""
    line, kinds = [PDDT, "--json"], {}

    def add(command, kind=None):
        line.extend(["-e", command])
        kinds[len(kinds) + 1] = kind
    add("set option printers off")  # theirs are compared elsewhere, and ask on their own
    add("set option limit-items 200")
    add("set option limit-depth 20")
    for rank, n in enumerate(n_frames):
        add(f"on {rank} where", (rank, "frames"))
        for number in range(n):
            add(f"on {rank} frame {number}")
            add(f"on {rank} show locals", (rank, number))
    done = subprocess.run(line + ["--core"] + cores, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, errors="replace", timeout=100,
                          env=dict(ENVIRONMENT, DEBUGINFOD_URLS=""))
    answers = {}
    for text in done.stdout.splitlines():
        event = json.loads(text)
        kind = kinds.get(event.get("request", 0))
        if kind and event["event"] == "stacks":
            answers[kind] = event["frames"]
        elif kind and event["event"] == "values":
            answers[kind] = {value["name"]: value["groups"][0]["text"] for value in event["values"]}
    return answers, done.stdout[-1500:] + done.stderr[-1500:]


def write_number(found):
    """The smallest have few digits, of which pddt writes those that tell them apart."""
    number = float(found[0])
    return f"{number:.8g}" if abs(number) > 1.2e-38 else f"{number:.4g}"


def unfold(text):
    """Without 'c' <repeats N times>, which gdb is asked not to write."""
    text = re.sub(r"'(\\[0-7]{3}|\\.|[^'\\])' <repeats (\d+) times>",
                  lambda found: "\1" + found[1] * int(found[2]) + "\2", text)
    return re.sub("[\1\2]", '"', re.sub('["\2], \1|\2, "', "", text))


def normalise(text):
    text = unfold(text)
    text = re.sub(r"^\([^()]*(?:\([^()]*\)[^()]*)*\) (?=0x|@0x|<synthetic)", "", text)
    text = re.sub(r"@0x[0-9a-f]+: ", "", text)
    text = re.sub(r"<((?:[^<>()]|\(anonymous namespace\))+)\([^<>]*\)(?: const)?(\+\d+)?>", r"<\1\2>", text)
    text = re.sub(r"\.(TRUE|FALSE)\.", lambda found: found[0].lower(), text)
    text = re.sub(r"<optimized out>|<value has been optimized out>", "<optimised out>", text)
    # a static member that is nowhere in the program
    text = re.sub(r", static \w+ = <error reading variable: Missing ELF symbol[^>]*>", "", text)
    text = re.sub(r"static \w+ = <error reading variable: Missing ELF symbol[^>]*>(, )?", "", text)
    # clang's own, which pddt leaves out
    text = re.sub(r"(, )?static _vtable\$ = <optimised out>", "", text)
    text = re.sub(r"^\(decltype\(nullptr\)\) |^\(PTR TO -> \( .*? \)\) ", "", text)
    text = re.sub(r"<cannot read memory at|<Cannot access memory at address", "<no memory at", text)
    text = text.replace(", <No data fields>}", "}").replace("= {<No data fields>}", "= {}")
    text = re.sub(r"nan\(0x\w+\)", "nan", text)
    text = re.sub(r"<(\w+)\.\d+>", r"<\1>", text)  # which of the static variables called so
    text = re.sub(r"-?\d+\.\d+(e[-+]\d+)?", write_number, text)
    # gdb says so of missing pieces in the middle of an array, too
    text = re.sub(r"(?<=[ {])<synthetic pointer>(?=[,}])", "<optimised out>", text)
    # a whole of which nothing is left
    rest = re.sub(r"static \w+ = [^{},]+|<[\w:]+(<[^{}=]*>[\w:]*)?> = |^[\w:]+<[^{}=]*> = |[\w.$]+(\(\))? = |<No data fields>"
                  r"|<optimised out>|<invalid address>|\.{3}|[{}, ()]", "", text)
    return "<optimised out>" if not rest and "<optimised out>" in text else text


def name_function(name):
    """Without a C++ function's parameters, and what gdb lacks."""
    if name is None:
        return "??"
    name = name.replace("long int", "long").replace("::operator()", "::operator").replace("> >", ">>")
    name = re.sub(r"^<lambda\([^<>]*\)>::", "", name)  # which gdb leaves out
    # Fortran's modules and hosts: gdb leaves the module out before a host
    name = re.sub(r"^((grid|relax|chain|procedures|sums)::)+", "", name)
    if "operator" in name or "lambda" in name:
        return "operator" if "operator" in name and "<" not in name.split("operator")[0] else "lambda"
    if "operator" not in name:
        name = re.sub(r"\((?!anonymous namespace\)|const |std::).*\)( const)?$", "", name)
    name = re.sub(r"^__GI_", "", name) # the C library's own names of what it exports
    return re.sub(r"\.(constprop|isra|part|cold|lto_priv)\.\d+", "", name)


def is_hidden(name, text):
    """What the compiler made, and texts that gdb's printers leave out below a container."""
    return name.startswith((".", "_")) or re.search(r"\{, |= , |, \}", text)


def is_argued(*difference):
    return any(all(re.fullmatch(pattern, text, re.DOTALL) for pattern, text in zip(rule, difference))
               for rule in ARGUED)


def find_debug(module):
    """The file with its debug information, and the address of its first segment."""
    said = subprocess.run(["readelf", "-nlW", module], capture_output=True, text=True, timeout=60).stdout
    found, segment = re.search(r"Build ID: (\w\w)(\w+)", said), re.search(r"LOAD +\S+ (0x\w+)", said)
    path = f"/usr/lib/debug/.build-id/{found[1]}/{found[2]}.debug" if found else ""
    return path if os.path.exists(path) else module, int(segment[1], 16) & ~0xfff if segment else 0


def find_lines(frame, is_innermost):
    """What binutils say. Of several rows of one address they and pddt take the last, which holds; gdb
    takes the last that begins a statement, be it of another file and long over."""
    path, first = find_debug(frame["module"])
    address = frame["pc"] - (not is_innermost) - frame["base"] + first
    said = subprocess.run(["addr2line", "-i", "-e", path, hex(address)], capture_output=True, text=True,
                          timeout=100).stdout
    lines = [(os.path.basename(name), int(line)) for name, line in re.findall(r"^(.*):(\d+)", said, re.M)]
    if not lines or lines[0][0] == "<artificial>":  # split, or the linker's own unit: the table itself
        said = subprocess.run(["readelf", "--debug-dump=decodedline", path], capture_output=True, text=True,
                              timeout=100).stdout
        rows = [(int(at, 16), name, int(line)) for name, line, at in
                re.findall(r"^(\S+) +(\d+) +(0x\w+)", said, re.M) if int(at, 16) <= address]
        lines = [max(enumerate(rows), key=lambda row: (row[1][0], row[0]))[1][1:]] if rows else []
    return lines


def is_alias(frame, *names):
    """Two of the names that the file has for one address."""
    debug = find_debug(frame["module"])[0]
    if debug not in symbols:
        said = subprocess.run(["readelf", "-sDW" if debug == frame["module"] else "-sW", debug],
                              capture_output=True, text=True, timeout=100).stdout
        symbols[debug] = {}
        for address, name in re.findall(r"^ +\d+: (\w+) .* ([^ @]+)(?:@\S*)?$", said, re.M):
            symbols[debug].setdefault(name, set()).add(address)
    return bool(symbols[debug].get(names[0], set()) & symbols[debug].get(names[1], set()))


def write(place):
    return " ".join(map(str, place))


def merge_tails(frames):
    """As gdb shows them: of a jump in inlined code the innermost frame only."""
    merged, inner = [], []
    for frame in frames:
        if frame.get("inlined"):
            inner.append(frame)
            continue
        if frame.get("tail_call"):
            merged.append(dict((inner + [frame])[0], inlined=False, tail_call=True))
        else:
            merged += inner + [frame]
        inner = []
    return merged + inner


def compare(program, variant, expected, answers):
    """(what was compared, lines about what differs)"""
    n, bad = 0, []
    for rank, stop in enumerate(expected):
        ours = list(reversed(answers.get((rank, "frames"), [])))
        for number, place in enumerate(ours):
            place["number"] = number
        ours = merge_tails(ours)
        for number, frame in enumerate(stop["frames"]):
            function = name_function(frame["function"])
            while number < len(ours) and ours[number].get("tail_call") and not frame["tail"] and \
                    variant in NO_TAILS:
                del ours[number]
            wanted = [function, frame["file"], frame["line"], frame["inlined"], frame["tail"]]
            got = ["no frame"]
            if number < len(ours):
                place = ours[number]
                got = [name_function(place.get("function")),
                       os.path.basename(place["file"]) if place.get("file") else None,
                       place.get("line", 0), place.get("inlined", False),
                       place.get("tail_call", False)]
            n += 1
            if got != wanted and not is_argued(program, variant, function, "frames", write(got),
                                               write(wanted)) and not (
                    got[3:] == wanted[3:] and
                    (got[0] == wanted[0] or is_alias(frame, frame["function"], place.get("function"))) and
                    (got[1:3] == wanted[1:3] or tuple(got[1:3]) in find_lines(frame, number == 0))):
                bad.append(f"stop {rank}, frame {number}: pddt {got}, gdb {wanted}")
            if got != wanted or frame["file"] != program:
                continue
            values = answers.get((rank, ours[number]["number"]), {})
            for name, text in frame["values"].items():
                if is_hidden(name, text):
                    continue
                n += 1
                shown = values.get(name, "nothing")
                spelled, text = [normalise(each) for each in printers.spell(shown)], normalise(text)
                shown = spelled[0]
                if text not in spelled and not is_argued(program, variant, function, name, shown, text):
                    bad.append(f"stop {rank}, {function}, {name}:\n#     pddt {shown}\n#     gdb  {text}")
    return n, bad


def run_one(source, language, arguments, places, variant):
    name = source.split("/")[-1]
    path = os.path.join(HERE, source)
    with tempfile.TemporaryDirectory() as folder:
        program = build(folder, path, language, variant)
        if program is None:
            return None
        where = [place if place[0] != "@" else f"{name}:{find_line(path, place[1:])}" for place in places]
        expected = ask_gdb(folder, program, arguments, where, "-static" in VARIANTS[variant][1])
        if not expected:
            return 0, ["gdb did not stop anywhere"]
        answers, output = ask_pddt([stop["core"] for stop in expected],
                                   [len(stop["frames"]) + MORE_FRAMES for stop in expected])
        n, bad = compare(name, variant, expected, answers)
        return n, bad + ([output] if not answers else [])


def choose():
    """All, those named, or a sample: every program, each with variants that no other had."""
    whole = [(program, variant) for program in PROGRAMS for variant in VARIANTS
             if program[1] in VARIANTS[variant][0]]
    if sys.argv[1:]:
        return [(p, v) for p, v in whole if f"{p[0].split('/')[-1]}/{v}" in sys.argv[1:]]
    if os.environ.get("PDDT_LONG"):
        return whole
    chosen, used = [], set()
    for number, program in enumerate(PROGRAMS):
        variants = [v for v in VARIANTS if program[1] in VARIANTS[v][0]]
        fresh = [v for v in variants if v not in used] or variants[number % len(variants):]
        used.add(fresh[0])
        chosen.append((program, fresh[0]))
    return chosen


def main():
    chosen = choose()
    print(f"1..{len(chosen)}")
    failed = 0
    for number, (program, variant) in enumerate(chosen, 1):
        title = f"{program[0].split('/')[-1]} {variant}"
        result = run_one(*program, variant)
        if result is None:
            print(f"ok {number} - {title} # SKIP no compiler")
            continue
        n, bad = result
        failed += bool(bad)
        for line in bad:
            print("# " + line.replace("\n", "\n# "))
        print(f"{'not ok' if bad else 'ok'} {number} - {title}: {n} compared, {len(bad)} differ", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
