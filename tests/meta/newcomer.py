# SPDX-License-Identifier: GPL-3.0-or-later
"""What a newcomer does with the manual: every command line of README.md and of each chapter is typed as it stands there, in
a folder that has the programs and files of which it speaks. CHECKOUT [PAGE…]: whose manual; the folder at hand is filled.
A pddt is found on PATH. `-np 64` and the like become 2, PID, FOLDER and their kind what there is, and nothing else. What
needs something that is not here is listed with its need. PBS, LSF, Flux, Docker and Apptainer are imitated by commands of
their names (IMITATED), which want their own words, set their own variables, and run what they are given right here. HAVE in
the environment: "slurm" and "sge" (a cluster of one node), "login" (an sshd that takes this user as login, node1 and node2)."""
import os
import pty
import re
import select
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time

SOURCE = sys.argv[1]
PAGES = sys.argv[2:] or ["README.md", *(f"doc/{name}.md" for name in (
    "tutorial", "coming-from", "recipes", "troubleshooting", "starting", "windows", "languages", "mpi", "profiling", "tracing",
    "performance", "clusters", "editors", "scripts", "security", "glossary", "pddt.1", "pddtd.8"))]
HAVE = os.environ.get("HAVE", "").split()
LIMIT_S = 300
TOOLS = r"(?:pddt|pddtd|mpirun|mpicc|mpif90|python3|cython3|srun|salloc|sbatch|sbcast|tar|for|qsub|bsub|qrsh|flux|ssh|docker|apptainer|spack|eb" \
        r"|module|meson|dpkg-buildpackage|sysctl|setsebool|otf2-print|dot|ddt|map|scorep|gdb|gcc|echo)"

APP_C = """#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static double solve (int rank, int step)
{
    double x = rank;
    for (int i = 0; i < 200000; i++) {
        x = x * 0.5 + step;
    }
    return x;
}

int main (int argc, char **argv)
{
    int rank;
    double sum = 0;
    MPI_Init (&argc, &argv);
    MPI_Comm_rank (MPI_COMM_WORLD, &rank);
    for (int step = 0; step < 20 || (argc > 1 && strcmp (argv[1], "forever") == 0); step++) {
        double x = solve (rank, step);
        MPI_Allreduce (&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        usleep (argc > 1 ? 200000 : 0);
    }
    printf ("rank %d: %g\\n", rank, sum);
    return MPI_Finalize ();
}
"""
APP_PY = """from mpi4py import MPI


def solve(step):
    total = 0.0
    for i in range(20000):
        total += i ** 0.5
    return total + step


def main():
    comm = MPI.COMM_WORLD
    for step in range(40):
        comm.allreduce(solve(step))
    print("rank", comm.rank, "ends")


main()
"""
KERNEL_PYX = """def smooth(values, int n):
    cdef double total = 0.0
    cdef int i
    for i in range(n):
        total += i
    return total
"""
PROGRAM_C = """#include <stdio.h>
int main (void)
{
    int sum = 0;
    for (int i = 0; i < 10; i++) {
        sum += i;
    }
    return printf ("%d\\n", sum) < 0;
}
"""

# What stands for something else there; the first that matches.
NEEDS = [
    (r"^pddt ( |\[|COMMAND|--\w+ \[|--attach-job PID  |--core FILE|FILE|FOLDER \||BEFORE|--score FOLDER  |--finalize FOLDER  |--dap\[)",
     "is a synopsis"),
    (r"^(pddt|mpirun|mpicc|gcc|srun|salloc|ssh|scorep|otf2-print|python3|pddtd|spack|module|dot|map|eb|flux|qsub|qrsh|docker|apptainer|apptainer exec|sbatch|sbcast|tar|gdb)$|ended before|^echo where$|^srun --overlap$|^pddt --remote user@login$|^ssh login pddt --serve$"
     r"|^pddt --(carry|connect|submit|cli|trace|profile|remote|dap|doctor|finalize)$|what pddt prints|\bCOMMAND$", "is the name of something, no line to type"),
    (r"^(spack|eb) ", "needs Spack or EasyBuild"),
    (r"^(sysctl|setsebool|sudo)", "needs root, and changes the machine"),
    (r"^(ddt|map|scorep|gdb) ", "is another tool's line"),
    (r"^python3 -m (pdb|line_profiler)|^python3 -m scorep$", "is another tool's line"),
    (r"^(meson|dpkg-buildpackage|\./run|\./check)", "needs a checkout, and is done by ./check --long fresh and packages"),
    (r"module load", "needs a module file, and is done beside this"),
    (r"^ssh -X", "needs a display"),
    (r"^(for|tar|sbcast) ", "is done before this, all lines in a row"),
    (r"example\.py", "is done for each example below it"),
    (r"scorep\.cfg|^dot -Tsvg", "needs Graphviz"),
]
WITH = [("slurm", r"\b(srun|salloc|sbatch)\b|--submit slurm|#SBATCH"), ("sge", r"^qrsh|--submit sge"), ("login", r"login|node1"), ("cython3", r"^(cython3|gcc)"), ("scorep", r"-m scorep")]

# Batch systems that give a prompt, which then takes what INSIDE says.
PROMPTS = r"^(qsub -I|bsub|qrsh|flux alloc)"
INSIDE = "cd '{folder}'; pddt -e where mpirun -np 2 ./app; exit\n"
IMITATED = {
    "qsub": """[[ " $* " = *" -I "* && " $* " = *" -l select="* && $# = 3 ]] || { echo "usage: qsub [-I] [-l resource_list]" >&2; exit 2; }
export PBS_JOBID=4711.server PBS_ENVIRONMENT=PBS_INTERACTIVE PBS_NODEFILE=$PWD/nodes
printf '%s\\n' "$(uname -n)" "$(uname -n)" > nodes
echo "qsub: job 4711.server ready"
exec bash
""",
    "bsub": """[[ "$1" = -n && "$2" -gt 0 && "$3" = -Is && $# -gt 3 ]] || { echo "bsub: illegal option" >&2; exit 255; }
export LSB_JOBID=4711 LSB_HOSTS="$(uname -n) $(uname -n)" LSB_DJOB_NUMPROC=$2 LSB_INTERACTIVE=Y
echo "<<Starting on $(uname -n)>>"
shift 3
exec "$@"
""",
    "flux": """[[ "$1" = alloc && "$2" = -n && "$3" -gt 0 && $# = 3 ]] || { echo "flux: unknown option" >&2; exit 1; }
export FLUX_URI=local://$PWD/flux
exec bash
""",
    "docker": """[ "$1" = run ] || { echo "docker: '$1' is not a docker command." >&2; exit 1; }
shift
while [[ "$1" = -* ]]; do
    case $1 in -it|--rm) shift ;; --cap-add) [ "$2" = SYS_PTRACE ] && shift 2 ;; *) echo "unknown flag: $1" >&2; exit 125 ;; esac
done
[ "$1" = app ] || { echo "Unable to find image '$1' locally" >&2; exit 125; }
shift
exec "$@"
""",
    "apptainer": """[[ "$1" = exec && "$2" = app.sif && $# -gt 2 ]] || { echo "FATAL: could not open image $2" >&2; exit 255; }
shift 2
export APPTAINER_CONTAINER=$PWD/app.sif
exec "$@"
""",
}

# More than "it ends well" of some lines: what is shown, or a file that is there then.
SHOWS = [
    (r"-e 'break solve' -e continue -e where", r"solve at app\.c:\d+"),
    (r"--report (\S+)", "file"),
    (r"--core core", r"sleep"),
    (r"--attach-job", r"app\.c|Allreduce|pddt: \d+ ranks"),
    (r"--attach ", r"sleep"),
    (r"--json -e 'show state'", r'"state":"stopped"'),
    (r"--profile|--memory|--trace|--lines", r"The archive is |pddt: \d+ rank|."),
    (r"--score", r"solve|count_steps"),
    (r"--doctor", r"tracing: pddt can debug"),
    (r"^pddt (run-1|block|slow-1)$", r"solve|count_steps|app|mandelbrot"),
    (r"heat\.py$", r"heat is lost|stopped"),
    (r"-e continue -e wait.*why", r"."),
    (PROMPTS, r"0-1 2 main at app\.c"),
    (r"^docker|apptainer", r"0-1: stopped, main at app\.c"),
]


def read_commands(page):
    """[(line, command)] of a page: lines of code, and code within sentences that begins as a command line does."""
    with open(os.path.join(SOURCE, page), encoding="utf-8") as file:
        text = file.read()
    for name, block in re.findall(r"<!-- file (\S+) -->\n```\n(.*?)```\n", text, re.S):
        with open(name, "w", encoding="utf-8") as file:
            file.write(block)
    found, fence, script, lines = [], None, [], text.split("\n")
    for number, line in enumerate(lines, 1):
        if line.startswith("```"):
            fence, script = (None if fence is not None else line[3:]), []
            shows = lines[number:number + 1] and lines[number].startswith("$ ")  # what is typed, and what comes
        elif fence is not None:
            if line.startswith("#!"):
                script.append(line)
            elif script and not line.startswith("pddt"):
                script.append(line)
            elif script:
                found.append((number, "\n".join([*script, line])))
                script = []
            elif re.match(rf"\$ {TOOLS}\b" if shows else rf"(\./run|{TOOLS}) ", line):
                found.append((number, line))
        elif re.match(rf"    {TOOLS} ", line) and page != "doc/pddt.1.md" or re.match("    (pddt|echo) ", line):
            found.append((number, line.strip()))
        else:
            spans = re.findall(r"(?<!`)`([^`]+)`(?!`)", line.replace("\\|", "|"))
            found += [(number, span) for span in spans if re.match(rf"(\./run|\./check|{TOOLS})( |$)", span)]
    return found


class World:
    """The folder of a newcomer, with the programs and files of which the manual speaks."""

    def __init__(self):
        self.running = []
        for name, text in (("app.c", APP_C), ("app.py", APP_PY), ("program.c", PROGRAM_C), ("input.dat", "1\n"), ("kernel.pyx", KERNEL_PYX),
                           ("steps.txt", "# where everybody computes\nbreak solve\ncontinue\nwait\nwhere\n"),
                           ("scorep.filter", "SCOREP_REGION_NAMES_BEGIN\n  EXCLUDE main\nSCOREP_REGION_NAMES_END\n")):
            with open(name, "w", encoding="ascii") as file:
                file.write(text)
        shutil.copy("app.py", "foo.py")
        os.mkdir("imitated")
        for name, text in IMITATED.items():
            with open(os.path.join("imitated", name), "w", encoding="ascii") as file:
                file.write("#!/bin/bash\n" + text)
            os.chmod(file.name, 0o755)
        if os.path.isdir("/usr/share/pddt/python"):
            os.environ["PYTHONPATH"] = "/usr/share/pddt/python"  # as the chapter on tracing says
        self.prepare("mpicc -g -O0 app.c -o app")
        self.prepare("cc -g -O0 program.c -o program")
        for name in os.listdir("/usr/libexec/pddt/examples") if os.path.isdir("/usr/libexec/pddt/examples") else \
                os.listdir(os.path.join(SOURCE, "data", "examples")):
            for folder in ("/usr/libexec/pddt/examples", os.path.join(SOURCE, "data", "examples")):
                if os.path.isfile(os.path.join(folder, name)) and not os.path.exists(name):
                    shutil.copy(os.path.join(folder, name), name)
        self.prepare("pddt --profile --output run-1 mpirun -np 2 python3 app.py")
        self.prepare("pddt --trace --output run-2 mpirun -np 2 python3 app.py")
        self.prepare("pddt -e 'save session.pddt' ./program")
        self.sleeper = self.start("sleep", "1000")
        self.prepare(f"pddt -e 'generate-core-file core' --attach {self.sleeper}")
        self.job = self.start("mpirun", "-np", "2", "./app", "forever")

    @staticmethod
    def prepare(line):
        done = subprocess.run(["bash", "-c", line], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"{line}: {done.stdout}{done.stderr}")

    def start(self, *words):
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.running.append(process)
        return process.pid

    def end(self):
        for process in self.running:
            process.terminate()
            process.wait()

    def translate(self, line):
        """The line as this newcomer types it."""
        line = re.sub(r"(-np?) (8|64)\b", r"\1 2", line)
        line = line.replace("-N 2", "-N 1").replace("srun -n 4096", "srun -n 2")
        line = re.sub(r"\bsrun \./app", "srun -n 2 ./app", line)
        line = re.sub(r"(--attach-job) (PID|4711)", rf"\1 {self.job}", line)
        line = re.sub(r"(--attach) (PID|4711)", rf"\1 {self.sleeper}", line)
        line = line.replace("--attach-ranks 0-3", "--attach-ranks 0-1").replace("--duration 60", "--duration 2")
        line = re.sub(r"^(pddt (?:--score|--finalize)) (FOLDER|run-1)", r"\1 run-2", line)
        line = line.replace("FOLDER", "run-1").replace("FILE.pddt", "session.pddt").replace("FILE.otf2", "run-1/traces.otf2")
        line = line.replace("pddt-app-1", "run-1").replace("pddt-app-2", "run-2").replace("session.pddt", "./session.pddt")
        line = line.replace("user@login", "login").replace("me@login:/scratch/run", f"login:{os.getcwd()}")
        line = line.replace(" login ", f" login:{os.getcwd()} ").replace("login mpirun", f"login:{os.getcwd()} mpirun")
        line = line.replace("'module load pddt; pddt'", "'true; pddt'").replace("'wait 600'", "'wait 60'")
        line = line.replace("python3 data/examples/heat.py", "python3 heat.py").replace("--rows 512", "--rows 32")
        line = line.replace("profile 10", "profile 1").replace("file.cubex", "file.cubex")
        line = re.sub(r"--output (\S+)", lambda match: match[0] if not os.path.exists(match[1]) else
                      f"--output {match[1]}-{time.monotonic_ns()}", line)
        return line


def has(name):
    if name == "scorep":
        return os.path.isdir("/usr/share/pddt/python")
    return name in HAVE or shutil.which(name) is not None and name == "cython3"


def talk(line, inside=None):
    """Both streams of a line on a terminal, and its status. At the prompt the newcomer types two lines, or what is to be
    typed inside."""
    main, other = pty.openpty()
    path = os.environ["PATH"] if re.search(r"sge|qrsh", line) else os.path.abspath("imitated") + ":" + os.environ["PATH"]
    process = subprocess.Popen(["bash", "-c", line], stdin=other, stdout=other, stderr=other, start_new_session=True,
                               env=dict(os.environ, TERM="dumb", PATH=path))
    os.close(other)
    text, typed, end = "", False, time.monotonic() + LIMIT_S
    while time.monotonic() < end:
        if not select.select([main], [], [], 30)[0]:
            if typed:
                break
            typed = True
            os.write(main, b"quit\n")
            continue
        try:
            piece = os.read(main, 65536).decode(errors="replace")
        except OSError:  # its end is closed
            break
        if not piece:
            break
        text += piece
        if not typed and inside is not None:
            if re.search(r"[$#] $", text):
                typed = True
                os.write(main, inside.encode())
        elif not typed and re.search(r"\b[\d,-]+: (stopped|running|breakpoint|signal|exited)", text):
            typed = True
            os.write(main, b"show state\nquit\n")
    if process.poll() is None and time.monotonic() > end:
        os.killpg(process.pid, signal.SIGKILL)
    try:
        status = process.wait(60)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        status = f"no end within {LIMIT_S} s"
    os.close(main)
    return status, text.replace("\r", "")


def serve_editor(line):
    """pddt --dap=SOCKET, and an editor that says hello."""
    path = re.search(r"=(\S+)", line)[1].replace("SOCKET", os.path.join(os.getcwd(), "socket"))
    process = subprocess.Popen(["pddt", f"--dap={path}"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    end = time.monotonic() + 60
    while not os.path.exists(path) and time.monotonic() < end and process.poll() is None:
        time.sleep(0.05)
    with socket.socket(socket.AF_UNIX) as link:
        link.settimeout(60)
        link.connect(path)
        body = b'{"seq":1,"type":"request","command":"initialize","arguments":{"adapterID":"x"}}'
        link.sendall(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        text = link.recv(65536).decode()
    return process.wait(60), text


def offer(line):
    """A job that waits (--connect), and the pddt that takes or declines it. The line is one of either side's."""
    job = line if "--connect" in line else "pddt --connect mpirun -np 2 ./app"
    process = subprocess.Popen(["bash", "-c", job], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True)
    said = ""
    for said_line in process.stdout:
        said += said_line
        if "--take " in said:
            break
    number = re.search(r"--take (\w+)", said)
    if number is None:
        return process.wait(), f"the job names no number: {said}"
    other = re.sub(r"(--take|--decline) \w+", rf"\1 {number[1]}", line) if "--connect" not in line else f"pddt --take {number[1]}"
    status, text = talk(other)
    said += process.communicate(timeout=LIMIT_S)[0]
    wanted = 3 if "--decline" in line else 0
    if process.returncode != wanted:
        status = f"{status}; the job's {process.returncode}"
    return status, said + text


def submit_script(text):
    """A batch script for Slurm."""
    with open("job.sh", "w", encoding="utf-8") as file:
        file.write(text + "\n")
    done = subprocess.run(["sbatch", "--wait", "--output", "job.log", "job.sh"], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, check=False, timeout=2 * LIMIT_S)
    with open("job.log", encoding="utf-8", errors="replace") as file:
        return done.returncode, done.stdout + done.stderr + file.read()


def type_line(world, line):
    line = world.translate(line)
    if line.startswith("#!"):
        return line, *submit_script(line)
    if line.startswith("pddt --dap="):
        return line, *serve_editor(line)
    if re.match(r"pddt --(connect|take|decline)", line):
        return line, *offer(line)
    if line.startswith("salloc"):
        return line, *talk(f"{line} bash -c 'pddt -e where srun -n 2 ./app'")
    return line, *talk(line, INSIDE.format(folder=os.getcwd()) if re.match(PROMPTS, line) else None)


def run_scripts(page):
    """The examples in Python, as the chapter says that they are run: what each does not print."""
    with open(os.path.join(SOURCE, page), encoding="utf-8") as file:
        blocks = re.findall(r"```python\n(.*?)```\n\n```\n(.*?)```", file.read(), re.S)
    for number, (script, wanted) in enumerate(blocks, 1):
        with open("example.py", "w", encoding="utf-8") as file:
            file.write(script)
        status, text = talk("pddt -x example.py mpirun -np 4 ./relax")
        lacks = [line for line in wanted.splitlines() if line not in text.splitlines()]
        yield f"{page}: example {number}", f"status {status}, lacks {lacks}\n{text}" if status or lacks else None


def read_lines(page):
    """The lines of pddt's language within sentences, without those that have placeholders."""
    reference = subprocess.run(["pddt", "--print-reference"], capture_output=True, text=True, check=True).stdout
    table = re.findall(r"^\| `(.*?)` \|(.*?)\| .*\|$", reference.split("\n## gdb's other commands")[0], re.M)
    names = {re.match(r"(?:show|info|live|profile|set) [a-z-]+|[a-z-]+", usage)[0] for usage, _ in table}
    names |= {word for _, words in table for word in re.findall(r"`(.*?)`", words)}
    with open(os.path.join(SOURCE, page), encoding="utf-8") as file:
        text = re.sub(r"^```.*?^```", "", file.read(), flags=re.M | re.S)
    spans = dict.fromkeys(re.sub(r"\s+", " ", span) for span in re.findall(r"(?<!`)`([^`]+)`(?!`)", text))
    lines = []
    for span in spans:
        if span.startswith("on ") and not re.search(r"[A-Z]{2,}", span):
            lines.append(span if re.search(rf" ({'|'.join(names)})$", span) else span + " show state")
        elif any(span == name or span.startswith(name + " ") for name in names) and not re.search(r"\b[A-Z]+\b|…", span):
            lines.append(span)
    return lines


# They end the session, start the job again, ask for more lines or for minutes, or write where they are.
LEFT_OUT = r"(set option$|quit|kill|detach|restart|run|python|define|document|commands|input|load|save|source|profile|logging|set logging|wait|pick|py|exec)\b"
UNKNOWN = r"error: (no command|.* takes|.*usage|there is no (command|option)|.*help lists them).*"


def run_language(page):
    """What the chapter names of the language, in four ranks that stand in a function: pddt knows each line, and in the
    chapter on MPI does it."""
    lines = [line for line in read_lines(page) if not re.match(LEFT_OUT, line)]
    if lines:
        words = " ".join("-e " + shlex.quote(line) for line in lines if line not in ("continue", "step", "next"))
        status, text = talk(f"pddt -e 'break solve' -e continue -e wait {words} mpirun -np 6 ./app")
        wrong = re.findall(r"^error: (?!no rank is in this set).*" if page == "doc/mpi.md" else UNKNOWN, text, re.M)
        yield f"{page}: {len(lines)} lines of the language", f"{wrong}\n{lines}" if wrong or status not in (0, 1) else None


def try_security():
    """What the chapter says of files, seen from outside."""
    state, config = (os.path.expanduser(name) for name in ("~/.local/state/pddt", "~/.config/pddt"))
    before = set(os.listdir(state))
    process = subprocess.Popen(["pddt", "--cli", "mpirun", "-np", "2", "./app", "forever"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    for line in process.stdout:
        if "stopped" in line:
            break
    keys = [os.path.join(state, name, "key") for name in set(os.listdir(state)) - before
            if os.path.exists(os.path.join(state, name, "key"))]
    modes = {(os.stat(os.path.dirname(key)).st_mode & 0o777, os.stat(key).st_mode & 0o777) for key in keys}
    process.communicate("quit\n", timeout=LIMIT_S)
    yield "doc/security.md: the key", f"{keys}: {modes}" if modes != {(0o700, 0o600)} else None
    yield "doc/security.md: the key is gone", next((key for key in keys if os.path.exists(key)), None)
    with open("session.pddt", encoding="utf-8") as file, open("foreign.pddt", "w", encoding="utf-8") as other:
        other.write(file.read() + "\n# another's\n")
    for options, wanted in (("--cli", 2), ("--cli --trust", 0)):
        done = subprocess.run(["bash", "-c", f"pddt {options} ./foreign.pddt"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              check=False)
        bad = (done.returncode == 0) != (wanted == 0)
        yield f"doc/security.md: {options} foreign.pddt", f"{done.returncode}: {done.stdout}{done.stderr}" if bad else None
    os.makedirs(config, exist_ok=True)
    path = os.path.join(config, "init")
    if not os.path.exists(path):
        for mode in 0o600, 0o666:
            with open(path, "w", encoding="ascii") as file:
                file.write("print 6 * 7\n")
            os.chmod(path, mode)
            status, text = talk("pddt -e 'print 1' ./program")
            yield f"doc/security.md: init {mode:o}", text if status or ("= 42" in text) != (mode == 0o600) else None
        os.unlink(path)


def find_fault(typed, status, text, is_session):
    """is_session: the manual shows what comes, which is compared elsewhere, and whose last answer may be an error."""
    wanted = {"0"} | ({"1"} if is_session or "--finalize" in typed else set())
    if str(status) not in wanted:
        return f"status {status}"
    if re.search(r"^error: ", text, re.M) and not is_session:
        return "an error"
    for part, shown in SHOWS:
        if match := re.search(part, typed):
            if shown == "file":
                if not os.path.exists(match[1]):
                    return f"no file {match[1]}"
            elif not re.search(shown, text):
                return f"no {shown}"
    return None


def main():
    world = World()
    faults, elsewhere, done = [], {}, {}
    try:
        for page in PAGES:
            commands = read_commands(page)
            n_typed = 0
            for number, command in commands:
                is_session, command = command.startswith("$ "), command.removeprefix("$ ")
                need = next((need for part, need in NEEDS if re.search(part, command)), None)
                need = need or next((f"needs {name}" for name, part in WITH if re.search(part, command) and not has(name)), None)
                if need:
                    elsewhere.setdefault(need, {}).setdefault(command, f"{page}:{number}")
                    continue
                n_typed += 1
                if command in done:
                    continue
                began = time.monotonic()
                typed, status, text = type_line(world, command)
                done[command] = fault = find_fault(typed, status, text, is_session)
                print(f"{'ok  ' if fault is None else 'bad '} {time.monotonic() - began:4.0f} s  {page}:{number}: {typed}", flush=True)
                if fault:
                    faults.append(f"{page}:{number}: {typed}: {fault}")
                    print(text, flush=True)
            for example, fault in (*run_scripts(page), *run_language(page), *(try_security() if page == "doc/security.md" else ())):
                n_typed += 1
                done[example] = fault
                print("bad " if fault else "ok  ", example, fault or "", flush=True)
                faults += [f"{example}: {fault}"] if fault else []
            print(f"== {page}: {n_typed} of {len(commands)} lines typed", flush=True)
    finally:
        world.end()
    for need, lines in elsewhere.items():
        print(f"{need}:", *(f"{where}: {line}" for line, where in lines.items() if not need.startswith("is ")), sep="\n    ")
    print(f"{len(done)} lines typed, {len(faults)} bad", *faults, sep="\n")
    return bool(faults)


sys.exit(main())
