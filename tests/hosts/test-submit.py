# SPDX-License-Identifier: GPL-3.0-or-later
"""pddt --submit with each template: the script has what the user said, the job is taken when it starts, and what goes wrong
is one sentence. The queues are imitated: commands of their names, which print what theirs print and run the script a
moment later."""
import os
import pty
import shutil
import signal
import stat
import subprocess
import tempfile

import pddt
import queues

RING = os.path.join(pddt.BUILD, "tests", "mpi", "ring")
FOLDER = tempfile.mkdtemp(prefix="pddt-test-submit-")
TOOLS = os.path.join(FOLDER, "tools")
PLACE = {"PDDT_CONNECT_FOLDER": os.path.join(FOLDER, "offers"), "PATH": TOOLS + ":" + os.environ["PATH"]}
JOB = ["mpirun", "-np", "2", RING]

# command, what it prints of a job, its state while it waits, runs, and is over ("": it fails)
QUEUES = {
    "slurm": (*queues.SLURM, "#SBATCH -n 2 -N 1 -t 00:07:00"),
    "pbs": ("qsub", "4711.server", "qstat", "    job_state = Q", "    job_state = R",
            "#PBS -l select=1:mpiprocs=2 -l walltime=00:07:00"),
    "lsf": ("bsub", "Job <4711> is submitted to queue <normal>.", "bjobs", "PEND", "RUN", "#BSUB -W 00:07:00"),
    "sge": ("qsub", "4711", "qstat", "   4711 0.5 pddt me   qw    11/28", "   4711 0.5 pddt me   r     11/28",
            "#$ -l h_rt=00:07:00"),
    "flux": ("flux", "f2PXTSG", "flux", "SCHED", "RUN", "#flux: -t 00:07:00"),
    "site.qtf": ("sbatch", "Submitted batch job 4711", "squeue", "PENDING", "RUNNING", "#SBATCH --time=00:07:00"),
}
QTF = """#!/bin/bash
# Name: Site's queue
# submit: sbatch
# display: squeue -j JOB_ID_TAG
# job regexp: Submitted batch job (\\d+)
# cancel: scancel JOB_ID_TAG
# WALL_TAG: {type=text,label="Time",default="00:30:00",mask="09:09:09"}
#SBATCH --time=WALL_TAG --ntasks=NUM_PROCS_TAG
"""


QUEUE = queues.Imitated(FOLDER)
imitate, read, write = QUEUE.begin, QUEUE.read, queues.write


def check_queue(name):
    *commands, directive = QUEUES[name]
    imitate(*commands)
    template = os.path.join(FOLDER, name) if name.endswith(".qtf") else name
    field = "WALL_TAG" if name.endswith(".qtf") else "time"
    run = pddt.run(["--submit", template, "--field", field + "=00:07:00", "-e", "where", "-e", "continue &", "-e", "wait"]
                   + JOB, environment=PLACE)
    run.expect_status(0)
    run.expect("is submitted to", "err")
    run.expect_line("0-1: exited 0")
    if directive not in read("script").splitlines() and not name.endswith(".qtf") or directive not in read("script"):
        run.fail(f"not the script:\n{read('script')}")
    pddt.wait_for("the end of the script", lambda: os.path.exists(os.path.join(FOLDER, "over")))


def check_measured():
    imitate(*QUEUES["slurm"][:5])
    archive = os.path.join(FOLDER, "archive")
    run = pddt.run(["--submit", "slurm", "--profile", "--output", archive] + JOB, environment=PLACE)
    run.expect_status(0)
    run.expect("is over", "err")
    if not os.path.exists(os.path.join(archive, "traces.otf2")):
        run.fail("no archive: " + read("log"))
    shown = pddt.run([archive])
    if not shown.out or shown.out not in run.out:
        run.fail(f"not what its archive shows: {shown.out}")
    job = pddt.run(["--submit", "slurm", "--profile"] + JOB, environment=PLACE, prefix=["env", "-C", FOLDER])
    job.expect_status(0)
    if not os.path.exists(os.path.join(FOLDER, "pddt-ring-1", "traces.otf2")) or not job.out:
        job.fail("the archive without --output is not where pddt looks")
    if os.listdir(PLACE["PDDT_CONNECT_FOLDER"]):
        job.fail("what was shown is still noted")


def check_left():
    """Who does not wait for a job that is measured is told what shows it later, and that does."""
    imitate(*QUEUES["slurm"][:5])
    write(os.path.join(FOLDER, "hold"), "")
    archive = os.path.join(FOLDER, "later")
    master, end = pty.openpty()
    process = subprocess.Popen([pddt.PDDT, "--submit", "slurm", "--profile", "--output", archive, *JOB], stdin=end,
                               stdout=subprocess.DEVNULL, stderr=end, env=dict(pddt.ENVIRONMENT, **PLACE), start_new_session=True)
    os.close(end)
    said = ""
    while "waits" not in said:
        said += os.read(master, 4096).decode()
    os.kill(process.pid, signal.SIGINT)
    os.write(master, b"n\n")
    while "stays in the queue" not in said or not said.endswith("\n"):
        said += os.read(master, 4096).decode()
    os.close(master)
    if process.wait(60) != 3 or f"when it has ended, pddt {archive} shows it" not in said:
        raise SystemExit(f"not said: {process.returncode} {said}")
    os.unlink(os.path.join(FOLDER, "hold"))
    pddt.wait_for("the end of the script", lambda: os.path.exists(os.path.join(FOLDER, "over")))
    sentence = f"has been measured: mpirun -np 2 {RING}; pddt {archive} shows it"
    for _ in range(2):
        later = pddt.run(["--cli"], environment=PLACE)
        later.expect_status(2)
        later.expect(sentence, "err")
    pddt.run(["--cli", "--take", os.listdir(PLACE["PDDT_CONNECT_FOLDER"])[0]], environment=PLACE).expect("no job ", "err")
    os.rename(archive, archive + "-away")
    expect_nothing_told(sentence)
    os.rename(archive + "-away", archive)
    shown = pddt.run([archive], environment=PLACE)
    shown.expect_status(0)
    shown.expect("ring")
    expect_nothing_told(sentence)
    if os.listdir(PLACE["PDDT_CONNECT_FOLDER"]):
        raise SystemExit("what was shown is still noted")


def expect_nothing_told(sentence):
    run = pddt.run(["--cli"], environment=PLACE)
    run.expect_status(2)
    if sentence in run.err:
        run.fail("told of what is not there")


OWN = """[Queue]
Name=Own
Submit=sbatch
Id=(\\d+)
State=squeue
Waiting=^PENDING
Running=^RUNNING
Cancel=scancel @ID@
[Field size]
Label=Size
Choices=small;large;
Default=small
[Field project]
Line=#SBATCH -A @VALUE@ -x @VALUE@
Pattern=\\w*
[Script]
#!/bin/bash
#SBATCH @size@
@project@
@JOB@
"""


def check_fields():
    """Fields with choices, and with a line that is there only when they are not empty; a template in the user's folder."""
    place = os.path.join(FOLDER, "config", "pddt", "queues")
    os.makedirs(place)
    write(os.path.join(place, "own.pddt-queue"), OWN)
    there = dict(PLACE, XDG_CONFIG_HOME=os.path.join(FOLDER, "config"))
    for words, lines in (([], "#SBATCH small\n\n"),
                         (["--field", "size=large", "--field", "project=p1"], "#SBATCH large\n#SBATCH -A p1 -x p1\n")):
        imitate(*queues.SLURM, runs_script=False)
        pddt.run(["--submit", "own", *words, "-e", "where"] + JOB, environment=there).expect_status(3)
        if not read("script").startswith("#!/bin/bash\n" + lines):
            raise SystemExit(f"not {lines}: {read('script')}")
    run = pddt.run(["--submit", "own", "--field", "size=medium", "-e", "where"] + JOB, environment=there)
    run.expect_status(2)
    run.expect('size cannot be "medium", only: small, large', "err")


def check_problems():
    imitate(*QUEUES["slurm"][:5], runs_script=False)
    run = pddt.run(["--submit", "slurm", "-e", "where"] + JOB, environment=PLACE)
    run.expect_status(3)
    run.expect("job 4711 is over, and has not waited for pddt", "err")
    write(os.path.join(TOOLS, "sbatch"), "#!/bin/bash\necho 'sbatch: error: no such partition' >&2\nexit 1\n")
    run = pddt.run(["--submit", "slurm", "-e", "where"] + JOB, environment=PLACE)
    run.expect_status(3)
    run.expect("Slurm has not taken the job: sbatch: error: no such partition", "err")
    for words, sentence in ((["--field", "tiem=1"], 'the template has no field "tiem"; it has:'),
                            (["--field", "time=1;reboot"], 'time cannot be "1;reboot"')):
        run = pddt.run(["--submit", "slurm", *words, "-e", "where"] + JOB, environment=PLACE)
        run.expect_status(2)
        run.expect(sentence, "err")
    pddt.run(["--submit", "nothing"] + JOB, environment=PLACE).expect_status(2)
    write(os.path.join(FOLDER, "open.qtf"), QTF)
    os.chmod(os.path.join(FOLDER, "open.qtf"), stat.S_IRUSR | stat.S_IWUSR | stat.S_IWOTH)
    run = pddt.run(["--submit", os.path.join(FOLDER, "open.qtf")] + JOB, environment=PLACE)
    run.expect_status(2)
    run.expect("others than you and root can write it", "err")
    write(os.path.join(FOLDER, "more.qtf"), QTF + "srun SITE_OWN_TAG\n")
    run = pddt.run(["--submit", os.path.join(FOLDER, "more.qtf")] + JOB, environment=PLACE)
    run.expect_status(2)
    run.expect("the template wants SITE_OWN_TAG, which pddt does not know", "err")


def check_unknown():
    """The queue does not answer for a while: that is said, and the job does not count as over."""
    imitate(*queues.SLURM)
    real = os.path.join(TOOLS, "squeue")
    os.rename(real, real + ".real")
    write(real, f"#!/bin/bash\n[ $(wc -l <{FOLDER}/times) -ge 3 ] && exec {real}.real \"$@\"\necho >>{FOLDER}/times\n"
          "echo 'slurm_load_jobs error: Unable to contact slurm controller' >&2\nexit 1\n")
    with open(os.path.join(FOLDER, "times"), "w", encoding="utf-8"):
        pass
    run = pddt.run(["--submit", "slurm", "-e", "where", "-e", "continue &", "-e", "wait"] + JOB, environment=PLACE)
    run.expect_status(0)
    run.expect("its state cannot be asked for: slurm_load_jobs error: Unable to contact", "err")
    run.expect_line("0-1: exited 0")
    pddt.wait_for("the end of the script", lambda: os.path.exists(os.path.join(FOLDER, "over")))


def check_cancelled():
    """Ctrl-C while the job waits takes it out of the queue."""
    imitate(*QUEUES["slurm"][:5])
    write(os.path.join(TOOLS, "squeue"), "#!/bin/bash\necho PENDING\n")
    process, marker = pddt.start(["--submit", "slurm", "-e", "where"] + JOB, environment=PLACE)
    for line in process.stderr:
        if "waits" in line:
            break
    os.kill(process.pid, signal.SIGINT)
    err = process.communicate(timeout=60)[1]
    if process.returncode != 3 or "job 4711 is cancelled" not in err or read("cancelled").strip() != "4711":
        raise SystemExit(f"not cancelled: {process.returncode} {err}")
    pddt.wait_for("the end of the script", lambda: os.path.exists(os.path.join(FOLDER, "over")))
    pddt.expect_nothing_left(marker)


try:
    write(os.path.join(FOLDER, "site.qtf"), QTF + "AUTO_LAUNCH_TAG\n")
    check_cancelled()
    for queue in QUEUES:
        check_queue(queue)
    write(os.path.join(FOLDER, "site.qtf"), QTF + "forge-mpirun -n NUM_PROCS_TAG AUTO_MPI_ARGUMENTS_TAG PROGRAM_TAG "
          "PROGRAM_ARGUMENTS_TAG\n")
    check_queue("site.qtf")
    check_measured()
    check_left()
    check_fields()
    check_unknown()
    check_problems()
finally:
    shutil.rmtree(FOLDER)
