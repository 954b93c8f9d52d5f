# SPDX-License-Identifier: GPL-3.0-or-later
"""Macros (-g3) of gcc and clang, DWARF 4 and 5, .debug_macro and .debug_macinfo: what they expand to is what the preprocessor
makes of the same text at the same line, and values are gdb's."""
import os
import re
import shutil
import subprocess
import tempfile

import pddt

HERE = os.path.dirname(os.path.abspath(__file__))
EXPANSIONS = ["N", "SQ(5)", "SQ(SQ(2))", "STR(a  b)", "STR(\"q\\n\")", "XSTR(N)", "CAT(x,y)", "XCAT(N, N)", "TO_G(3)", "SELF", "PING",
              "PONG", "CALL(add)", "CALL(add, 1, 2)", "NAMED()", "NAMED(1, 2)", "OPT(add)", "OPT(add, 5)", "NOTHING", "EMPTY()", "EMPTY",
              "f(y+1) + f(f(2)) % t(t(g)(0) + t)(1)", "g(x+(3,4)-w) | h 5) & m\n(f)^m(m)", "p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) }",
              "s(hello) s(x) hash_hash", "XSTR(s(\"a\\\\b\"))", "TABLE_SIZE", "MASK", "LETTER", "GREETING", "LIMIT", "LARGER(N, LIMIT)",
              "OFFSET_OF_B", "-MANY_1", "+ +N", "N.N", "1.e+N", "L'x' N", "CALL(CALL, N)", "q(q)(3)", "offsetof(struct pair, b)"]
VALUES = ["N", "SQ(5)", "SQ(argc) + N", "table[N-1]", "TABLE_SIZE", "MASK", "LETTER", "GREETING", "LIMIT", "LARGER(N, LIMIT)", "FIRST",
          "SQ(pair.a)", "CAT(pa, ir)", "XSTR(N)", "sizeof (MEMBER(struct pair, b))", "&CAT(pai, r).b == &pair.b", "__LINE__",
          "BIT(N)", "-MANY_1", "(char) LETTER", "EMPTY() * 2"]
VARIANTS = {"gcc-5": ["gcc", "-g3", "-gdwarf-5"], "gcc-4": ["gcc", "-g3", "-gdwarf-4"],
            "gcc-strict": ["gcc", "-g3", "-gdwarf-4", "-gstrict-dwarf"], "clang-5": ["clang-14", "-g3", "-fdebug-macro"],
            "clang-4": ["clang-14", "-g3", "-gdwarf-4", "-fdebug-macro"]}


def tokens(text):
    """As compilers read it: spaces matter only within words and texts."""
    return re.findall(r'"(?:\\.|[^"])*"|\w+|\S', text)


def preprocess(text, line):
    """What the preprocessor makes of it there."""
    with open(os.path.join(HERE, "macros.c")) as source:
        lines = source.read().split("\n")
    marked = "\n".join(lines[:line] + ["@@begin", text, "@@end"])
    out = subprocess.run(["gcc", "-E", "-P", "-I", HERE, "-x", "c", "-std=gnu2x", "-"], input=marked, capture_output=True, text=True,
                         check=True).stdout
    return out[out.index("@@begin") + 7:out.index("@@end")].strip()


def find_line(mark, name="macros.c"):
    with open(os.path.join(HERE, name)) as source:
        return next(i for i, line in enumerate(source, 1) if "/* %s */" % mark in line)


def ask_gdb(program, line, values):
    out = subprocess.run(["gdb", "-nx", "-batch", "-ex", "set debuginfod enabled off", "-ex", "break macros.c:%d" % line, "-ex", "run"]
                         + [word for value in values for word in ("-ex", "echo @@\\n", "-ex", "print " + value)] + [program],
                         capture_output=True, text=True, timeout=100).stdout
    return [re.sub(r"^\$\d+ = ", "", part.strip()) for part in out.split("@@\n")[1:]]


def check(folder, name, command):
    program = os.path.join(folder, name)
    subprocess.run(command + ["-w", "-O0", os.path.join(HERE, "macros.c"), "-o", program], check=True)
    first, second = find_line("first"), find_line("second")
    asked = ["break macros.c:%d" % first, "continue", "wait 60"] + ["macro expand " + text.replace("\n", " ") for text in EXPANSIONS]
    asked += ["print " + text for text in VALUES]
    asked += ["print NOTHING", "print/x NOTHING", "info macro LIMIT", "info macro LARGER", "info macro INNER", "macro expand-once TO_G(3)", "info macros LARG", "print SQ(1,2)",
              "whatis SQ(2)", "break macros.h:%d" % find_line("inside", "macros.h"), "continue", "wait 60", "print INNER", "print LIMIT",
              "info macro INNER", "up", "print LIMIT", "print N", "break macros.c:%d if N == 13 && xy == SQ(4) + 4" % second, "continue",
              "wait 60", "print N", "printf \"%d\\n\", LIMIT", "watch table[N-12]",
              "break macros.c:%d if SQ(N) == 169 log \"{SQ(5)} of {N} {CAT(pa, ir).b}\"" % (second + 1), "delete 4", "continue", "wait 60"]
    run = pddt.run(pddt.commands(*asked) + [program])
    lines = [line[3:] for line in run.out.splitlines() if line.startswith("0: ")]
    lines = lines[next(i for i, line in enumerate(lines) if line.startswith("breakpoint 1, ")) + 1:]
    for text in EXPANSIONS:
        wanted = preprocess(text, first)
        said = lines.pop(0) if tokens(wanted) or lines[0] == "" else ""
        if tokens(said) != tokens(wanted):
            run.fail("%s: %s expands to %r, not %r" % (name, text, said, wanted))
    for text, wanted in zip(VALUES, ask_gdb(program, first, VALUES)):
        said = lines.pop(0)
        if said != "%s = %s" % (text, wanted):
            run.fail("%s: gdb: %s = %s, pddt: %s" % (name, text, wanted, said))
    path = os.path.join(HERE, "macros")
    for line in ("0: Defined at %s.c:%d" % (path, find_text("#define LIMIT 41")), "0: #define LIMIT 41",
                 "0: Defined at %s.h:2" % path, "0:   included at %s.c:2" % path, "0: #define LARGER(a,b) ((a) > (b) ? (a) : (b))",
                 "0: G(3)", "0: type = int", "0: INNER = 5", "0: LIMIT = 40", "0: LIMIT = 41", "0: N = 12", "0: N = 13", "0: 41",
                 "0: NOTHING = 6", "0: NOTHING = 0x6"):
        run.expect_line(line)
    for part in ("error: no macro \"INNER\" at %s.c:%d" % (path, first), "cannot expand SQ: it takes 1 argument, not 2",
                 "watch table[N-12] (hardware)", "breakpoint 3, main at macros.c:%d" % second, "25 of 13 4"):
        run.expect(part)


def find_text(text):
    with open(os.path.join(HERE, "macros.c")) as source:
        return source.read().split("\n").index(text) + 1


def check_split(folder):
    """Those in .dwo files are not read, and that is said."""
    program = os.path.join(folder, "split")
    subprocess.run(["gcc", "-g3", "-gsplit-dwarf", "-w", "macros.c", "-o", program, "-dumpdir", folder + "/"], check=True, cwd=HERE)
    run = pddt.run(pddt.commands("print argc", "macro expand N") + [program])
    run.expect_line("0: argc = 1")
    run.expect("error: no macros are known here: compile with -g3, and without -gsplit-dwarf")


def check_circle(folder):
    """Macros that import themselves, each time twice, keep nobody waiting."""
    program, text = os.path.join(folder, "circle"), os.path.join(folder, "circle.s")
    subprocess.run(["gcc", "-g3", "-gdwarf-5", "-S", "-x", "c", "-", "-o", text], input="#define N 7\nint main (void) { return 0; }\n",
                   text=True, check=True, cwd=folder)
    with open(text) as file:
        whole = file.read()
    importing = re.search(r"\t\.byte\t0x7\n\t\.long\t\.Ldebug_macro2\n", whole)[0]
    with open(text, "w") as file:
        file.write(whole.replace(importing, importing + 2 * importing.replace("_macro2", "_macro0"), 1))
    subprocess.run(["gcc", text, "-o", program], check=True)
    run = pddt.run(pddt.commands("print 1 + 1", "print N") + [program])
    run.expect_status(0)
    run.expect_line("0: N = 7")


with tempfile.TemporaryDirectory() as scratch:
    check_split(scratch)
    check_circle(scratch)
    for variant, words in VARIANTS.items():
        if shutil.which(words[0]):
            check(scratch, variant, words)
