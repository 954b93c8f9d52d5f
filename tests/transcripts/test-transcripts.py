# SPDX-License-Identifier: GPL-3.0-or-later
"""Golden sessions: commands and answers, run against real ranks. The program's own lines may
come at any time; everything else must come in this order."""
import os
import re

import pddt

FOLDER = os.path.join(pddt.SOURCE, "tests", "transcripts")
BUILT = os.path.join(pddt.BUILD, "tests", "transcripts")


def read(name, source):
    """The command line, what is typed, and what is answered."""
    launch, typed, answered = None, [], []
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        for line in file.read().splitlines():
            if not line or line.startswith("#"):
                continue
            line = re.sub(r"\{(\w+)\}",
                          lambda match: str(pddt.mark(os.path.join(FOLDER, source), match[1])), line)
            if launch is None:
                launch = line.split()
            elif line.startswith("> "):
                typed.append(line[2:])
            else:
                answered.append(line)
    return launch, typed, answered


def split(lines):
    """Answers in their order, and the program's lines in any."""
    own = [line for line in lines if re.match(r"[-0-9,/]+\| ", line)]
    own.sort(key=lambda line: line.split("|")[0])  # of one node they keep their order
    return [line for line in lines if line not in own], own


def check(name, source, status):
    launch, typed, answered = read(name, source)
    launch[-1] = os.path.join(BUILT, launch[-1])
    run = pddt.run(pddt.commands(*typed) + launch)
    # Where in MPI's library a function stands is not ours to know.
    out = re.sub(r"\((libmpi)[^)]*\)", r"(\1)", run.out)
    if split(out.splitlines()) != split(answered):
        run.fail(f"{name}: not as written there")
    run.expect_status(status)


# A wait that fails counts: 1.
check("ndb.txt", "pass.c", 1)
check("finish.txt", "pass.c", 1)
check("input.txt", "listen.c", 0)
check("diverged.txt", "part.c", 0)
check("sets.txt", "grid.c", 1)
check("hang.txt", "exchange.c", 1)
check("crash.txt", "crash.c", 0)
check("values.txt", "values.c", 0)
check("mistakes.txt", "mistakes.c", 0)
