# SPDX-License-Identifier: GPL-3.0-or-later
"""Bash and zsh complete every option that --help shows, the values that an option may have, and every command."""
import os
import pty
import re
import select
import shutil
import subprocess
import tempfile
import time

import pddt

PATIENCE_S = 120
HELP = subprocess.run([pddt.PDDT, "--help"], capture_output=True, text=True, check=True).stdout
OPTIONS = set(re.findall(r"^  (-[-a-z]+)", HELP, re.M))
VALUES = {"--stop-at": "main mpi-init none start", "--choose": "attach core", "--when-full": "flush keep-first keep-last",
          "--export": "pstats speedscope perfetto chrome collapsed dot tau cubex csv lprof", "--memory=": "native",
          "--metrics": "rss cpu io switches threads node energy gpu counters"}


def list_commands():
    """The names and other words of the reference's table."""
    text = subprocess.run([pddt.PDDT, "--print-reference"], capture_output=True, text=True, check=True).stdout
    names = set()
    for row in re.findall(r"^\| `(.*?)` \|(.*?) \| .*\|$", text.split("## Words that gdb")[0].split("\n## ")[1], re.M):
        names.add(re.match(r"[a-z-]+( [a-z-]+(?= |$))?", row[0])[0] if " " in row[0] else row[0])
        names.update(re.findall(r"`(.*?)`", row[1]))
    return names


def complete_bash(script, *words):
    """What bash's function answers for these words, the last of which is being typed; "=" is a word of its own."""
    quoted = " ".join(f"'{word}'" for word in ("pddt", *words))
    out = subprocess.run(["bash", "--norc", "-c", f'. {script}; COMP_WORDS=({quoted}); COMP_CWORD={len(words)}; _pddt; '
                          'printf "%s\\n" "${COMPREPLY[@]}"'], capture_output=True, text=True, check=True)
    assert out.stderr == "", out.stderr
    return {line.replace("\\ ", " ") for line in out.stdout.splitlines()}


def check_bash(folder):
    script = os.path.join(folder, "pddt.bash")
    with open(script, "w", encoding="utf-8") as file:
        subprocess.run([pddt.PDDT, "--print-completion", "bash"], stdout=file, check=True)
    found = complete_bash(script, "-")
    assert found == OPTIONS, found ^ OPTIONS
    assert complete_bash(script, "--profile", "--tr") == {"--trace", "--trust"}
    for option, values in VALUES.items():
        for words in ([option.strip("=")] + ["="] * (option[-1] == "=") + [""], [option.strip("="), "=", ""]):
            assert complete_bash(script, *words) == set(values.split()), (words, complete_bash(script, *words))
    assert complete_bash(script, "--stop-at", "=", "m") == {"main", "mpi-init"}
    assert complete_bash(script, "--stop-at", "=") == set(VALUES["--stop-at"].split())
    commands = complete_bash(script, "-e", "")
    missing = {name for name in list_commands() if name not in commands and name.split(" ")[0] not in commands}
    assert not missing and len(commands) > 90, missing
    assert complete_bash(script, "-e", "show sta") == {"show state"}
    assert str(os.getpid()) in complete_bash(script, "--attach", str(os.getpid()))
    # the user's own program has begun: files alone
    here = os.getcwd()
    os.chdir(folder)
    try:
        assert complete_bash(script, "--rate", "10", "mpirun", "pd") == {"pddt.bash"}
        assert "pddt.bash" in complete_bash(script, "--", "pd")
        assert complete_bash(script, "-x", "pd") == {"pddt.bash"}
    finally:
        os.chdir(here)


def check_zsh(folder):
    """zsh itself, on a terminal: Tab shows what it knows."""
    with open(os.path.join(folder, "_pddt"), "w", encoding="utf-8") as file:
        subprocess.run([pddt.PDDT, "--print-completion", "zsh"], stdout=file, check=True)
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update(TERM="dumb", HOME=folder, PS1="ready> ", COLUMNS="200", LINES="500")
        os.execvp("zsh", ["zsh", "-f"])
    text = ""

    def read(pattern):
        nonlocal text
        end = time.monotonic() + PATIENCE_S
        while re.search(pattern, text) is None:
            assert select.select([fd], [], [], max(0, end - time.monotonic()))[0], f"no {pattern!r} in {text!r}"
            text += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r", "", os.read(fd, 65536).decode(errors="replace"))
        found, text = text, ""
        return found

    def complete(line, last):
        """Types the line, and Tab; the list holds `last`."""
        os.write(fd, line.encode() + b"\t")
        found = read(rf"(?s){re.escape(last)}\s.*ready> .*")
        os.write(b"\x15" and fd, b"\x15")
        return found

    os.write(fd, f"fpath=({folder} $fpath); autoload -U compinit; compinit -u -D; setopt no_auto_menu list_ambiguous; "
                 f"LISTMAX=10000; PS1='rea''dy> '; echo is''set\n".encode())
    read(r"isset\n(.|\n)*ready> ")
    shown = complete("pddt --", "--when-full")
    missing = {name for name in OPTIONS if name.startswith("--") and not re.search(re.escape(name) + r"\b", shown)}
    assert not missing, (missing, shown)
    shown = complete("pddt --stop-at=", "start")
    assert all(value in shown for value in VALUES["--stop-at"].split()), shown
    shown = complete("pddt -e ", "whatis")
    missing = {name for name in list_commands() if not re.search(rf"\b{re.escape(name.split(' ')[0])}\b", shown)}
    assert not missing, missing
    os.close(fd)
    os.waitpid(pid, 0)


with tempfile.TemporaryDirectory() as top:
    check_bash(top)
    if shutil.which("zsh") is not None:
        check_zsh(top)
wrong = subprocess.run([pddt.PDDT, "--print-completion", "fish"], capture_output=True, text=True, check=False)
assert wrong.returncode == 2 and wrong.stderr == "pddt: --print-completion knows bash and zsh\n", wrong
print("ok")
