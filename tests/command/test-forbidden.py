# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the system forbids something: Yama and SELinux's deny_ptrace, by a library that refuses what they refuse, as the
kernel's manual says it; a /proc that hides other users' processes; user namespaces; a quota of processor time. pddt does
its work there or says why it cannot, and the program ends as without it. Arguments: the library, a program that calls
its function `work` a few times, or whose threads compute until they are ended."""
import contextlib
import os
import re
import shutil
import subprocess
import sys

import other
import pddt

LIBRARY, PROGRAM = map(os.path.abspath, sys.argv[1:])
STEPS = ("break work", "continue", "where", "delete 1", "continue")
SEEN = r"^0: breakpoint 1, work at (\S+:\d+)$"
REFUSED = {  # files beside the library: what the user reads
    ("scope", "1"): None,
    ("scope", "2"): r"kernel\.yama\.ptrace_scope is 2\): set it to 0 with sysctl, as root",
    ("scope", "3"): r"kernel\.yama\.ptrace_scope is 3\): only a restart of the machine",
    ("deny", "1"): r"SELinux forbids tracing \(deny_ptrace\): as root, setsebool deny_ptrace off",
}


def run(folder, words, before=(), variables=None):
    """pddt by the other user, with its own home and temporary files."""
    environment = dict(pddt.ENVIRONMENT, HOME=folder, TMPDIR=folder, **(variables or {}))
    for name in ("XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"):
        environment.pop(name, None)
    done = subprocess.run([*before, *other.become(), *words], env=environment, cwd=folder, stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=240, check=False)
    return done.returncode, done.stdout


def expect(pattern, said, what):
    if not re.search(pattern, said, re.M):
        raise SystemExit(f"{what}: no {pattern!r} in:\n{said}")


def expect_whole_session(folder, what, words, before=(), variables=None):
    code, said = run(folder, [*words, pddt.PDDT, *pddt.commands(*STEPS), PROGRAM], before, variables)
    expect(SEEN, said, what)
    expect(r"^0: exited 0$", said, what)
    if code != 0 or "note:" in said:
        raise SystemExit(f"{what}: status {code}:\n{said}")


@contextlib.contextmanager
def sleeper(words):
    process = subprocess.Popen([*words, "sleep", "600"], stdin=subprocess.DEVNULL)
    try:
        pddt.wait_for("the sleeper", lambda: os.path.basename(os.readlink(f"/proc/{process.pid}/exe")) == "sleep")
        yield process.pid
    finally:
        process.kill()
        process.wait()


def forbid(folder):
    """The words that run a command on a machine where every program loads the library."""
    layers = os.path.join(folder, "layers")
    script = (f"mount -t tmpfs tmpfs {layers} && mkdir {layers}/upper {layers}/work && "
              f"echo {folder}/library/{os.path.basename(LIBRARY)} > {layers}/upper/ld.so.preload && "
              f'mount -t overlay overlay -o lowerdir=/etc,upperdir={layers}/upper,workdir={layers}/work /etc && exec "$@"')
    os.mkdir(layers)
    return ["unshare", "--mount", "sh", "-c", script, "sh"]


def test_yama_and_selinux(folder):
    before, library = forbid(folder), os.path.join(folder, "library")
    os.mkdir(library)
    os.chmod(library, 0o1777)
    shutil.copy(LIBRARY, library)
    for (name, value), wanted in REFUSED.items():
        for file in set(os.listdir(library)) - {os.path.basename(LIBRARY)}:
            os.remove(os.path.join(library, file))
        with open(os.path.join(library, name), "w", encoding="ascii") as file:
            file.write(value)
        what, attach_wanted = f"{name} {value}", wanted or r"kernel\.yama\.ptrace_scope is 1\): set it to 0 with sysctl, as root"
        if wanted is None:
            expect_whole_session(folder, what, [], before)
            if shutil.which("mpirun"):
                _, said = run(folder, [pddt.PDDT, *pddt.commands(*STEPS), "mpirun", "-np", "2", PROGRAM], before)
                expect(r"^0-1: breakpoint 1, work at", said, what)
                expect(r"^0-1: exited 0$", said, what)
        else:
            code, said = run(folder, [pddt.PDDT, *pddt.commands(*STEPS), PROGRAM], before)
            expect(rf"^error: cannot debug rank 0: cannot attach to process \d+: .*{wanted}", said, what)
            if code != 3:
                raise SystemExit(f"{what}: status {code}:\n{said}")
        with sleeper(other.become()) as pid:
            code, said = run(folder, [pddt.PDDT, *pddt.commands("where"), "--attach", str(pid)], before)
            expect(rf"^error: cannot attach to process {pid}: .*{attach_wanted}", said, what)
        _, said = run(folder, [pddt.PDDT, "--doctor"], before)
        expect(r"^ok +tracing: " if wanted is None else rf"^bad +tracing: .*{wanted}", said, what)
        expect({"1": r"^note +attaching: .* is 1: pddt can debug what it starts", "2": "^bad +attaching: .*only root can debug",
                "3": "^bad +attaching: .*only a restart"}[value] if name == "scope" else "^bad +attaching: SELinux", said, what)


def test_odd_null(folder):
    """A link editor of root's that writes to /dev/null may leave it to root alone: no file is blamed for that."""
    null = os.path.join(folder, "null")
    before = ["unshare", "--mount", "sh", "-c", f'mknod -m 755 {null} c 1 3 && mount --bind {null} /dev/null && exec "$@"', "sh"]
    if subprocess.run([*before, "sh", "-c", ": > /dev/null"], capture_output=True, check=False).returncode != 0:
        print("# /dev/null: devices cannot be made here")
        return
    os.remove(null)
    code, said = run(folder, [pddt.PDDT, *pddt.commands("break work", "continue"), PROGRAM], before)
    expect(r"the process for it cannot be confined; is /dev/null there for all users\?", said, "/dev/null")
    expect(r"^0: exited 0$", said, "/dev/null")
    if "crash" in said:
        raise SystemExit(f"/dev/null: status {code}:\n{said}")


def test_hidden_processes(folder):
    """hidepid: nobody sees other users' processes, which are there all the same."""
    before = ["unshare", "--mount", "sh", "-c", 'mount -t proc -o hidepid=invisible proc /proc && exec "$@"', "sh"]
    if subprocess.run([*before, "true"], capture_output=True, check=False).returncode != 0:
        print("# hidepid: this kernel mounts no /proc of its own")
        return
    expect_whole_session(folder, "hidepid", [], before)
    with sleeper([]) as pid:
        _, said = run(folder, [pddt.PDDT, *pddt.commands("where"), "--attach", str(pid)], before)
        expect(rf"^error: cannot attach to process {pid}: it belongs to another user$", said, "hidepid")
    with sleeper(other.become()) as pid:
        _, said = run(folder, [pddt.PDDT, *pddt.commands("where", "detach"), "--attach", str(pid)], before)
        expect("nanosleep", said, "hidepid, an own process")


def test_user_namespaces(folder):
    """As in a container that an ordinary user has made: root there, and nobody outside."""
    if subprocess.run([*other.become(), "unshare", "--user", "--map-root-user", "true"], capture_output=True, check=False).returncode != 0:
        print("# user namespaces: users may not make them here")
        return
    expect_whole_session(folder, "within a user namespace", ["unshare", "--user", "--map-root-user"])
    code, said = run(folder, [pddt.PDDT, *pddt.commands(*STEPS), "unshare", "--user", "--map-root-user", PROGRAM])
    expect(SEEN, said, "a program that makes one")
    expect("^0: exited 0$", said, "a program that makes one")
    for mode in ("--profile", "--trace"):
        code, said = run(folder, ["unshare", "--user", "--map-root-user", pddt.PDDT, mode, "--output", "measured" + mode, PROGRAM])
        if code != 0:
            raise SystemExit(f"{mode} within a user namespace: status {code}:\n{said}")


def limit(path, one):
    """2 ms in a second; False: this machine lets nobody say so."""
    try:
        for name, value in ((("cpu.cfs_period_us", "1000000"), ("cpu.cfs_quota_us", "2000")) if path == one
                            else (("cpu.max", "2000 1000000"),)):
            with open(os.path.join(path, name), "w", encoding="ascii") as file:
                file.write(value)
    except OSError:
        return False
    return True


@contextlib.contextmanager
def quota():
    """A control group of 2 ms in a second, version 1 or 2; None: this machine lets nobody make one."""
    one, two = "/sys/fs/cgroup/cpu/pddt-test-quota", "/sys/fs/cgroup/pddt-test-quota"
    path = one if os.path.isdir(os.path.dirname(one)) else two
    try:
        os.mkdir(path)
    except OSError:
        yield None
        return
    try:
        yield path if limit(path, one) else None
    finally:
        with contextlib.suppress(OSError):
            os.rmdir(path)


def test_quota():
    """Threads that compute and get 2 ms in a second stop when they are told, or nobody says that they have."""
    with quota() as path:
        if path is None:
            print("# quota: no control group can be made here")
            return
        spinner = subprocess.Popen([PROGRAM, "spin"], stdin=subprocess.DEVNULL)
        try:
            with open(os.path.join(path, "cgroup.procs"), "w", encoding="ascii") as file:
                file.write(str(spinner.pid))
            done = pddt.run([*pddt.commands("pause", "where", "show threads", "detach"), "--attach", str(spinner.pid)])
            said = done.out
            tasks = len(os.listdir(f"/proc/{spinner.pid}/task"))
            if "cannot be stopped" not in said and len(re.findall(r"^0: [* ] \d+ ", said, re.M)) != tasks:
                raise SystemExit(f"quota: not all {tasks} threads are shown:\n{said}")
            with open(f"/proc/{spinner.pid}/status", encoding="ascii") as file:
                expect(r"^TracerPid:\t0$", file.read(), "quota")
        finally:
            spinner.kill()
            spinner.wait()


def main():
    other.need_root()
    test_quota()
    with other.folder() as folder:
        test_odd_null(folder)
        test_hidden_processes(folder)
        test_user_namespaces(folder)
        test_yama_and_selinux(folder)


main()
