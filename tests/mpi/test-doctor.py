# SPDX-License-Identifier: GPL-3.0-or-later
"""pddt --doctor here, where ptrace is refused, in a container's poor environment, and on a launcher's hosts."""
import os
import re
import shutil
import socket
import subprocess
import tempfile

import pddt

WITHOUT = os.path.join(pddt.BUILD, "tests", "mpi", "without")
LINE = re.compile(r"(?:ok  |note|bad )  [^:]+: .+")


def doctor(*words, before=(), status=0, program=pddt.PDDT, **environment):
    run = subprocess.run([*before, program, "--doctor", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True, env=pddt.ENVIRONMENT | environment, timeout=120)
    # A service of the bus complains when its display goes.
    said = re.sub(r"X connection to \S+ broken .*\n|XIO: .*\n +after .*\n", "", run.stderr)
    if run.returncode != status or said:
        raise SystemExit(f"{words}: status {run.returncode}\n{run.stdout}{run.stderr}")
    return run.stdout.splitlines()


def expect(lines, start):
    if not any(line.startswith(start) for line in lines):
        raise SystemExit(f"no line {start!r}:\n" + "\n".join(lines))


here = doctor()
for line in here:
    if not LINE.fullmatch(line):
        raise SystemExit(f"not a line of the doctor's: {line}")
for start in ("ok    tracing: ", "ok    attaching: ", "ok    mpirun: /", "ok    cache of debug information: /"):
    expect(here, start)
expect(here, "note  window: neither DISPLAY nor WAYLAND_DISPLAY is set")

refused = doctor(before=[WITHOUT, "ptrace"], status=1)
expect(refused, "bad   tracing: ")
if "--cap-add=SYS_PTRACE" not in "\n".join(refused) or "attaching" in "\n".join(refused):
    raise SystemExit("not said what to do, or that nevertheless it can attach:\n" + "\n".join(refused))

refused = doctor(before=[WITHOUT, "perf_event_open"])
expect(refused, "note  hardware counters: perf_event_open is refused")

poor = doctor(PATH="/nowhere", XDG_CACHE_HOME="/etc/passwd/cache", DISPLAY=":7")
expect(poor, "note  launchers: none of mpirun")
expect(poor, "note  python3: not in PATH")
expect(poor, "note  cache of debug information: /etc/passwd/cache/pddt cannot be made")
expect(poor, "note  window: display :7 cannot be opened, so pddt uses the command language: ")
if shutil.which("Xvfb"):
    with_display = os.path.join(pddt.SOURCE, "tests", "support", "with-display")
    expect(doctor(before=[with_display]), "ok    window: display :")

with tempfile.TemporaryDirectory() as folder:  # a pddt that was built without recorders, and Slurm's command alone
    place = os.path.join(folder, "src", "programs")
    os.makedirs(place)
    shutil.copy(pddt.PDDT, place)
    with open(os.path.join(folder, "srun"), "w", encoding="ascii") as file:
        file.write("#!/bin/sh\necho 'srun: error: no configuration' >&2\nexit 1\n")
    os.chmod(file.name, 0o755)
    bare = doctor(program=os.path.join(place, "pddt"), PATH=folder + ":" + os.environ["PATH"])
if not re.search(r"^note  mpirun: .*: pddt was built without the recorder for this MPI, ", "\n".join(bare), re.M):
    raise SystemExit("the missing recorder is not named:\n" + "\n".join(bare))
expect(bare, f"note  srun: {folder}/srun: Slurm is not set up on this machine (srun: error: no configuration)")

if os.geteuid() == 0:  # other versions of the libraries: in a mount namespace of its own, these are no libraries
    hide = ["unshare", "-m", "sh", "-c", "for file in $(ldconfig -p | awk '/lib(unwind|capstone)[.]so[.]/ { print $NF }'); do "
            "mount --bind /dev/null $file; done; exec \"$@\"", "sh"]
    other = doctor(before=hide, status=1)
    expect(other, "bad   stacks: ")
    expect(other, "note  disassembler: cannot disassemble: this host has no libcapstone.so.")
for start in ("ok    stacks: ", "ok    disassembler: "):
    expect(here, start)

for words in (["true"], ["--", "true", "and", "more"]):
    said = subprocess.run([pddt.PDDT, "--doctor", "--", "mpirun", "-np", "2", *words], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, env=pddt.ENVIRONMENT, timeout=120, check=False)
    if said.returncode != 2 or said.stdout or "without a program: leave out true and what follows it" not in said.stderr:
        raise SystemExit(said)
on_hosts = doctor("--", "mpirun", "-np", "2")
expect(on_hosts, socket.gethostname() + ": ok    tracing: ")
if sum("  tracing: " in line for line in on_hosts) != 1:
    raise SystemExit("not once for each host:\n" + "\n".join(on_hosts))
print("ok what would keep pddt from working")
