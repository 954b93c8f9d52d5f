# SPDX-License-Identifier: GPL-3.0-or-later
"""What the manual has beginners type. The sessions of doc/tutorial.md and doc/mpi.md: their programs are written into an empty folder, their commands are run there as they are
written, and every line that is shown must come; "…" stands for any text in a line, alone for any lines. doc/coming-from.md names commands and options that exist; each command's
help has an example, and the examples work in a program that has such names."""
import os
import re
import shlex
import subprocess
import tempfile

import pddt

PATIENCE_S = 120


def matches(wanted, shown):
    """Both are lists of lines."""
    if not wanted:
        return not shown
    if wanted[0] == "…":
        return any(matches(wanted[1:], shown[i:]) for i in range(len(shown) + 1))
    pattern = ".*".join(re.escape(part) for part in wanted[0].split("…"))
    # one that waits for good is told as running until that has been seen
    pattern = re.sub(r"(?<=:\\ )running$", "(?:running|blocked, .*)", pattern)
    return bool(shown) and re.fullmatch(pattern, shown[0]) is not None and matches(wanted[1:], shown[1:])


def run(line, folder):
    """Both streams of one command. Who tests may have fewer cores than the tutorial's ranks, which the environment allows."""
    words = [pddt.PYTHON if word == "python3" else word for word in shlex.split(line)]
    environment = dict(pddt.ENVIRONMENT, PATH=f"{os.path.dirname(pddt.PDDT)}:{os.environ['PATH']}")
    done = subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=PATIENCE_S, env=environment, check=False)
    return [text for text in done.stdout.splitlines() if not re.match(r"\d+\| ", text)]


def list_commands():
    text = subprocess.run([pddt.PDDT, "--print-reference"], capture_output=True, text=True, check=True).stdout
    table = re.findall(r"^\| `(.*?)` \|(.*?)\| .*\|$", text.split("\n## gdb's other commands")[0], re.M)
    commands = {}
    for usage, words in table:
        name = re.match(r"(?:show|info|live|profile|set) [a-z-]+|[a-z-]+", usage)[0]
        commands[name] = re.findall(r"`(.*?)`", words)
    return commands


def check_tools(commands):
    """The right column of each table."""
    names = {*commands, *(word for words in commands.values() for word in words)}
    options = set(re.findall(r"^  (-[-a-z]+)", subprocess.run([pddt.PDDT, "--help"], capture_output=True, text=True,
                                                             check=True).stdout, re.M))
    with open(os.path.join(pddt.SOURCE, "doc", "coming-from.md"), encoding="utf-8") as file:
        rows = re.findall(r"^\| (.*) \| (.*) \|$", file.read(), re.M)
    problems = []
    for left, right in rows:
        for code in re.findall(r"`(.*?)`", right + (left if right.startswith("the same") else "")):
            words = code.split()
            if words[0] == "pddt":
                wrong = [word for word in words[1:] if word.startswith("--") and word not in options]
            elif words[0].startswith("-"):
                wrong = [] if words[0] in options else [words[0]]
            elif not words[0].startswith(("%", "/")):
                wrong = [] if {words[0], " ".join(words[:2])} & names or code.startswith("set NAME") else [code]
            else:
                wrong = []
            if wrong and not right.startswith("the same"):
                problems.append(f"coming-from.md: {left}: there is no {wrong}")
    if problems or len(rows) < 50:
        raise SystemExit("\n".join(problems))


PROGRAM = """#include <signal.h>
#include <stdlib.h>
struct grid { int rows, columns; double *cells; };
int cells[16], flags = 0x11, count;
int norm (int *x, int n) { int sum = 0; for (int k = 0; k < n; k++) sum += abs (x[k]); return sum; }
static int solve (struct grid *grid)
{
    int x[3] = { 1, -2, 3 }, total = 0;
    for (int i = 0; i < 200; i++) {
        cells[i % 16] = i;
        total += norm (x, 3);
        count++;
    }
    return total + grid->rows;
}
int main (void)
{
    struct grid grid = { 2, 3, NULL };
    signal (SIGUSR1, SIG_IGN);
    return solve (&grid) == 0;
}
"""
# They need another place or other ranks, or end the session.
ELSEWHERE = {"define", "document", "quit", "kill", "detach", "restart", "py", "input", "load", "source", "save", "return",
             "jump", "continue", "until",
             "profile", "profile stop", "profile save", "profile start", "forget", "expect", "pick", "disable", "enable",
             "delete", "condition", "commands", "signal", "wait", "where", "generate-core-file", "step", "next",
             "finish", "stepi", "nexti", "pause", "live set"}


def check_examples(commands):
    """`help` shows one for each command, and it is one of this command."""
    helps = pddt.run([*pddt.commands(*(f"help {name}" for name in commands)), "true"]).out
    examples = {}
    for line in re.findall(r"^    example: (.*)$", helps, re.M):
        bare = re.sub(r"^on \S+ ", "", line)
        name = max((name for name in commands if bare == name or bare.startswith(name + " ")), key=len)
        examples[name] = line
    if set(commands) - set(examples):
        raise SystemExit(f"no example: {sorted(set(commands) - set(examples))}")
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "solver")
        with open(program + ".c", "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        subprocess.run(["cc", "-g3", "-O0", "-o", program, program + ".c"], check=True)
        typed = [re.sub(r"^on \d+ ", "on 0 ", line).replace(":120", ":11").replace("0-3", "0").replace("on blocked", "on 0").replace("thread 2", "thread 1").replace("0, 7", "0")
                 for name, line in examples.items() if name not in ELSEWHERE]
        typed.sort(key=lambda line: line.startswith("clear "))  # the breakpoint that others name
        answer = pddt.run([*pddt.commands("break solver.c:11 if i == 100", "continue", "wait 120", *typed), program])
    wrong = [line for line in (answer.out + answer.err).splitlines() if line.startswith("error:")]
    if wrong or "norm(x, 3) = 6" not in answer.out:
        raise SystemExit(f"examples: {wrong}\n{answer.out}")


def check_chapter(name, n_sessions):
    with open(os.path.join(pddt.SOURCE, "doc", name), encoding="utf-8") as file:
        text = file.read()
    blocks = re.findall(r"<!-- (file (\S+)|run) -->\n```\n(.*?)```\n", text, re.S)
    assert sum(kind == "run" for kind, _, _ in blocks) >= n_sessions and text.count("\n$ ") == sum(b.count("$ ") for _, _, b in blocks)
    with tempfile.TemporaryDirectory() as folder:
        for _, file_name, block in blocks:
            if file_name:
                with open(os.path.join(folder, file_name), "w", encoding="utf-8") as file:
                    file.write(block)
                continue
            for command, wanted in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.M):
                shown = run(command, folder)
                # pddt may say earlier, unasked, what some of the ranks wait for
                shown = [text for text in shown if text in wanted.splitlines() or not re.match(r"[\d,-]+ waits? ", text)]
                if not matches(wanted.splitlines(), shown):
                    raise SystemExit(f"$ {command}\nwanted:\n{wanted}\nshown:\n" + "\n".join(shown))


def main():
    commands = list_commands()
    check_tools(commands)
    check_examples(commands)
    check_chapter("tutorial.md", 4)
    check_chapter("mpi.md", 2)


main()
print("ok")
