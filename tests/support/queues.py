# SPDX-License-Identifier: GPL-3.0-or-later
"""Batch systems that are imitated: commands of their names, which print what theirs print. A job waits until its state has
been asked for (or `hold` is taken away), and then its script runs."""
import os
import shutil

# command, what it prints of a job, the command of its state, that while it waits, and while it runs
SLURM = ("sbatch", "4711", "squeue", "PENDING Resources", "RUNNING None")


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, 0o755)


class Imitated:
    """Its commands are in folder/tools, which belongs into PATH; files there say what has happened: script, asked, runs, over,
    cancelled, log. While there is `hold` there, no job starts."""

    def __init__(self, folder):
        self.folder, self.tools = folder, os.path.join(folder, "tools")

    def path(self, name):
        return os.path.join(self.folder, name)

    def has(self, name):
        return os.path.exists(self.path(name))

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def begin(self, submit, said, state, waits, runs, runs_script=True):
        """A queue without a job."""
        folder = self.folder
        shutil.rmtree(self.tools, ignore_errors=True)
        os.makedirs(self.tools)
        go = (f'cp "$file" {folder}/script; pwd >{folder}/place; printf "%s\\n" "{said}"; '
              + (f'(while [ ! -e {folder}/asked ] || [ -e {folder}/hold ]; do sleep 0.05; [ -e {folder}/cancelled ] && touch {folder}/over && exit; done; '
                 f'touch {folder}/runs; bash {folder}/script </dev/null >{folder}/log 2>&1; rm -f {folder}/runs; '
                 f'touch {folder}/over) >/dev/null 2>&1 &' if runs_script else f'touch {folder}/over'))
        tell = (f'touch {folder}/asked; if [ -e {folder}/over ] || [ -e {folder}/cancelled ]; then echo "Invalid job id specified; Unknown Job Id; is not found" >&2; exit 1; '
                f'elif [ -e {folder}/runs ]; then echo "{runs}"; else echo "{waits}"; fi')
        get = f'for file; do :; done; [ -f "$file" ] || {{ cat >{folder}/input; file={folder}/input; }}; '
        if submit == state:
            write(os.path.join(self.tools, submit),
                  f'#!/bin/bash\ncase $1 in batch) {get}{go} ;; cancel) touch {folder}/cancelled ;; *) {tell} ;; esac\n')
        else:
            write(os.path.join(self.tools, submit), "#!/bin/bash\n" + get + go + "\n")
            write(os.path.join(self.tools, state),
                  f'#!/bin/bash\n[ "$3 $4" = "PENDING --sort=-p,i" ] && printf "4000\\n  4711\\n4712\\n" && exit\n{tell}\n')
        for name in "scancel", "qdel", "bkill":
            write(os.path.join(self.tools, name), f'#!/bin/bash\necho "$@" >{folder}/cancelled\n')
        for name in "asked", "runs", "over", "cancelled", "script", "log", "place":
            if self.has(name):
                os.unlink(self.path(name))
