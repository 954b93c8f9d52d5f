# SPDX-License-Identifier: GPL-3.0-or-later
"""python3 -m scorep [options] script.py [arguments]: becomes the script's own interpreter, with pddt's tracer in it. The
ranks of one job record into one folder; the last process that ends makes the experiment of it."""
# Built-in modules, and those that the interpreter itself has loaded: a file beside the script may have any other name.
import os
import sys
import time

HERE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
# of the build's folders, and of an installation
LIBRARIES = ("..", "../../../libexec/pddt")
PROGRAMS = ("../../programs/pddt", "../../../bin/pddt")
# Options of Score-P and its bindings that take part of a line; all that these say of compilers and linkers is nothing
# that pddt needs.
VALUED = ("--instrumenter-type", "--instrumenter-file")
TYPES = ("profile", "trace", "cProfile", "cTrace", "dummy")
KNOWN = ("mpp", "mpi", "nompi", "thread", "mutex", "io", "compiler", "nocompiler", "user", "nouser", "cuda", "nocuda",
         "opencl", "noopencl", "openacc", "noopenacc", "openmp", "noopenmp", "pomp", "nopomp", "pdt", "nopdt", "memory",
         "nomemory", "preprocess", "nopreprocess", "online-access", "noonline-access", "shmem", "hip", "nohip", "kokkos",
         "nokokkos", "keep-files", "verbose", "verbosity", "instrumenter", "noinstrumenter", "python", "nopython",
         "instrumenter-type", "instrumenter-file")
HELP = """usage: python3 -m scorep [options] [--] script.py [arguments]

  --noinstrumenter, --nopython   begin without recording Python's calls
  --instrumenter-type=TYPE       profile, trace, cProfile, cTrace (all record alike) or dummy (as --noinstrumenter)
  --instrumenter-file=FILE       run this Python file before the script, to change or decorate what it imports
  --mpp=mpi, --mpi               record MPI, too, where no launcher says that there is some
Further options of Score-P about compilers, threads and libraries are accepted, and not needed.
"""
CALLS_OFF = ("--nopython", "--noinstrumenter", "--instrumenter-type=dummy")
SETTINGS = "SCOREP_"
FLAGS = (("debug", "d"), ("inspect", "i"), ("optimize", "O"), ("dont_write_bytecode", "B"), ("no_user_site", "s"),
         ("no_site", "S"), ("ignore_environment", "E"), ("verbose", "v"), ("bytes_warning", "b"), ("quiet", "q"),
         ("isolated", "I"))


def fail(text):
    sys.stderr.write("scorep: %s\n" % text)
    sys.exit(1)


def find(folders, name, mode=os.R_OK):
    for folder in folders:
        path = os.path.normpath(os.path.join(HERE, folder, name))
        if os.access(path, mode) and not os.path.isdir(path):
            return path
    fail("cannot find pddt's %s: the installation is incomplete" % (name or "program"))


def check(word):
    """What is neither known nor harmless would be missing from the run without a word."""
    name, _, value = word.lstrip("-").partition("=")
    if name == "instrumenter-type" and value not in TYPES:
        fail("--instrumenter-type is one of %s, not %r" % (", ".join(TYPES), value))
    if word not in ("-v", "-q") and not (word.startswith("--") and name in KNOWN):
        fail("unknown option %s; see --help" % word)


def parse(words):
    """The options, and the script with its arguments."""
    options = []
    while words and words[0].startswith("-") and words[0] not in ("-", "-m", "-c"):
        word = words.pop(0)
        if word == "--":
            break
        if word in ("-h", "--help"):
            sys.stdout.write(HELP)
            sys.exit(0)
        if word in VALUED and words:
            word += "=" + words.pop(0)
        check(word)
        options.append(word)
    if not words:
        fail("Did not find a script to run")
    return options, words


def is_true(name, otherwise):
    value = os.environ.get(name, "").strip().lower()
    return otherwise if not value else value in ("true", "yes", "on", "1") or (value.isdigit() and int(value) != 0)


# ---- the folder ----

def find_job():
    """What the processes of one job have in common and no other job has."""
    for names in (("PMIX_NAMESPACE",), ("OMPI_MCA_ess_base_jobid",), ("SLURM_JOB_ID", "SLURM_STEP_ID"), ("PMI_JOBID",)):
        values = [os.environ.get(name, "") for name in names]
        if all(values):
            return "-".join(values)
    if "PMI_RANK" in os.environ:  # Hydra's proxy, one for each host
        return "%d-%s" % (os.getppid(), read_start(os.getppid()))
    return "%s-%d-%s" % (os.uname().nodename, os.getpid(), read_start(os.getpid()))


def read_start(pid):
    try:
        with open("/proc/%d/stat" % pid) as file:
            return file.read().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return "0"


def prepare_folder(options):
    """The folder of the job's experiment while it runs: every rank finds the same one."""
    wanted = os.environ.get("SCOREP_EXPERIMENT_DIRECTORY", "")
    parent = os.path.dirname(os.path.abspath(wanted)) if wanted else os.getcwd()
    job = "".join(letter if letter.isalnum() or letter in "-." else "_" for letter in find_job())
    folder = os.path.join(parent, "scorep-measurement-tmp-" + job)
    spool = os.path.join(folder, "trace", "spool")
    settings = os.path.join(spool, "settings")
    text = make_settings(options) if not os.path.exists(settings) else ""  # fails before anything is there
    try:
        own_folder(parent, folder)
        os.makedirs(spool, mode=0o755, exist_ok=True)
        write_once(os.path.join(folder, "scorep.cfg"), describe_settings(wanted))
        write_once(settings, text)
    except OSError as error:
        fail("cannot prepare the experiment directory %s: %s" % (folder, error.strerror))
    return spool


def own_folder(parent, folder):
    """Its name can be guessed: in a folder that is open to all, another user may have made it."""
    os.makedirs(parent, exist_ok=True)
    try:
        os.mkdir(folder, 0o755)
    except FileExistsError:
        pass
    facts = os.lstat(folder)
    if facts.st_mode & 0o170022 != 0o040000 or facts.st_uid != os.geteuid():
        fail("%s is there already, and is not a folder of yours that you alone can write to: give another place with "
             "SCOREP_EXPERIMENT_DIRECTORY" % folder)


def write_once(path, text):
    """Whoever comes first writes it; nobody sees a part of it."""
    if os.path.exists(path):
        return
    own = "%s.%s.%d" % (path, os.uname().nodename, os.getpid())
    with open(own, "w") as file:
        file.write(text)
    try:
        os.link(own, path)
    except FileExistsError:
        pass
    finally:
        os.unlink(own)


def describe_settings(wanted):
    values = {"SCOREP_ENABLE_PROFILING": "true", "SCOREP_ENABLE_TRACING": "true",
              "SCOREP_OVERWRITE_EXPERIMENT_DIRECTORY": "true"}
    values.update((name, value) for name, value in os.environ.items() if name.startswith(SETTINGS))
    values["SCOREP_EXPERIMENT_DIRECTORY"] = os.path.abspath(wanted) if wanted else \
        os.path.join(os.getcwd(), time.strftime("scorep-%Y%m%d_%H%M_") + str(time.time_ns() // 1000))
    return "".join("%s='%s'\n" % (name, value.replace("'", "'\\''")) for name, value in sorted(values.items()))


def make_settings(options):
    words = [find(PROGRAMS, "", os.X_OK), "--trace-settings", os.environ.get("SCOREP_FILTERING_FILE", "")]
    ends = os.pipe()
    actions = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0), (os.POSIX_SPAWN_DUP2, ends[1], 1),
               (os.POSIX_SPAWN_DUP2, ends[1], 2)]
    pid = os.posix_spawn(words[0], words, os.environ, file_actions=actions)
    os.close(ends[1])
    with open(ends[0], encoding="utf-8", errors="replace") as answer:
        text = answer.read()
    if os.waitpid(pid, 0)[1] != 0:
        fail(text.strip() or "pddt cannot read the filter file")
    return text + "names modules\n" + ("calls none\n" if any(option in CALLS_OFF for option in options) else "")


# ---- the interpreter ----

def choose_recorder(options):
    if "OMPI_COMM_WORLD_RANK" in os.environ or "OMPI_COMM_WORLD_SIZE" in os.environ:
        return "libpddt-mpi.so"
    if "PMI_RANK" in os.environ:
        return "libpddt-mpi-mpich.so"
    return "libpddt-mpi.so" if "PMIX_RANK" in os.environ or "--mpi" in options or "--mpp=mpi" in options else None


def set_environment(options, spool):
    libraries = [find(LIBRARIES, "libpddt-trace.so")]
    recorder = choose_recorder(options)
    for folder in LIBRARIES if recorder else ():
        path = os.path.normpath(os.path.join(HERE, folder, recorder))
        libraries += [path] if os.path.exists(path) else []
    if any(":" in path or " " in path for path in libraries):
        fail("pddt's libraries cannot be preloaded: their path has a space or a colon")
    before = os.environ.get("LD_PRELOAD", "")
    os.environ["LD_PRELOAD"] = ":".join(libraries + ([before] if before else []))
    os.environ["PDDT_TRACE"] = spool
    os.environ["PDDT_TRACE_PID"] = str(os.getpid())  # files and locks, in this process and in other interpreters
    os.environ["PDDT_TRACE_LAST"] = find(PROGRAMS, "", os.X_OK)
    for name, given in (("PDDT_TRACE_RANK", ("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK")),
                        ("PDDT_TRACE_SIZE", ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE"))):
        for other in given:
            if other in os.environ:
                os.environ[name] = os.environ[other]
                break


def find_interpreter_options():
    if hasattr(sys, "orig_argv"):  # 3.10
        words = sys.orig_argv[1:]
        for index, word in enumerate(words):
            if word == "-m" or (word.startswith("-m") and not word.startswith("--")):
                return words[:index]
            if word.endswith("m") and word[0] == "-" and words[index + 1:index + 2] == ["scorep"]:
                return words[:index] + ([word[:-1]] if len(word) > 2 else [])
    words = ["-" + letter * getattr(sys.flags, name) for name, letter in FLAGS if getattr(sys.flags, name) > 0]
    words += ["-W" + word for word in sys.warnoptions]
    return words + ["-X" + name if value is True else "-X%s=%s" % (name, value) for name, value in sys._xoptions.items()]


def add_instrumenter_file(options, script):
    """The interpreter then begins with what runs both."""
    files = [option.partition("=")[2] for option in options if option.startswith("--instrumenter-file")]
    if not files:
        return script
    if script[0].startswith("-") or os.path.isdir(script[0]):
        fail("--instrumenter-file needs a script that is a file")
    if not os.access(files[-1], os.R_OK) or os.path.isdir(files[-1]):
        fail("cannot read the instrumenter file %s" % files[-1])
    return [os.path.join(os.path.dirname(os.path.realpath(__file__)), "_start.py"), files[-1]] + script


def main():
    options, script = parse(sys.argv[1:])
    name = script[0]
    if not name.startswith("-") and not os.path.exists(name):
        fail("Cannot run file %r because: [Errno 2] No such file or directory: %r" % (name, name))
    script = add_instrumenter_file(options, script)
    if is_true("SCOREP_ENABLE_PROFILING", True) or is_true("SCOREP_ENABLE_TRACING", False):
        set_environment(options, prepare_folder(options))
    os.execv(sys.executable, [sys.executable] + find_interpreter_options() + script)


if __name__ == "__main__":
    main()
else:
    fail("scorep.__main__ is run by python3 -m scorep, and not imported")
