# SPDX-License-Identifier: GPL-3.0-or-later
"""Folders of measurements that somebody else has made: whoever finalizes, reports or exports one writes, replaces and
removes nothing outside of it, and what root makes there belongs to the folder's owner. Plays each attack as root against
another user's folder and as that user against a third one's."""
import os
import shutil
import struct
import subprocess
import sys
import tempfile

import other
import pddt

PROGRAM = """
import os
def work(n):
    return n + 1
child = os.fork()
for i in range(6000 if child else 300):
    work(i)
if child:
    os.waitpid(child, 0)
    os.kill(os.getpid(), 9)
"""
SETTINGS = "SCOREP_EXPERIMENT_DIRECTORY='%s'\nSCOREP_OVERWRITE_EXPERIMENT_DIRECTORY='true'\n" \
           "SCOREP_ENABLE_PROFILING='%s'\nSCOREP_ENABLE_TRACING='%s'\n"
USERS = [((), None)] + [(other.become(other.UID + 1, other.GID + 1), other.UID + 1)] * (os.geteuid() == 0)


def call(prefix, *words, home):
    environment = dict(pddt.ENVIRONMENT, HOME=home)
    done = subprocess.run([*prefix, *words], cwd="/", env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=100, check=False)
    return pddt.Run(done.returncode, done.stdout, done.stderr)


class Place:
    """A cut-off run in a folder of the other user's that all can write to, and a folder of the victim's."""

    def __init__(self, top, cut, uid):
        self.top = top
        os.chmod(top, 0o777)
        self.cut = os.path.join(top, "his", "scorep-measurement-tmp-1")
        shutil.copytree(cut, self.cut)
        self.mine = os.path.join(top, "mine")
        os.mkdir(self.mine, 0o700)
        self.precious = os.path.join(self.mine, "precious")
        os.mkdir(self.precious)
        for name in "key", "traces.otf2":
            with open(os.path.join(self.precious, name), "w", encoding="ascii") as file:
                file.write("precious\n")
        for path, folders, files in os.walk(os.path.join(top, "his")):
            for each in [path] + [os.path.join(path, name) for name in folders + files]:
                os.chmod(each, 0o777)
        if os.geteuid() == 0:
            subprocess.run(["chown", "-R", f"{other.UID}:{other.GID}", os.path.join(top, "his")], check=True)
            subprocess.run(["chown", "-R", f"{uid or 0}:{uid or 0}", self.mine], check=True)

    def put(self, path, text=None, link=None):
        path = os.path.join(self.cut, path)
        if os.path.isdir(path):
            shutil.rmtree(path)
        elif os.path.lexists(path):
            os.unlink(path)
        if link:
            os.symlink(link, path)
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        if os.geteuid() == 0:
            os.lchown(path, other.UID, other.GID)

    def expect_untouched(self, run):
        names = sorted(os.listdir(self.mine)), sorted(os.listdir(self.precious))
        texts = {open(os.path.join(self.precious, name), encoding="ascii").read() for name in names[1]}
        if names != (["precious"], ["key", "traces.otf2"]) or texts != {"precious\n"} or run.status not in (0, 1, 2):
            run.fail(f"{names} {texts}")


def finalize_by_settings(place):
    """The settings name a folder of the victim's as the place of the experiment."""
    place.put("scorep.cfg", SETTINGS % (place.precious, "true", "true"))
    return "--finalize", place.cut


def finalize_over_cube(place):
    place.put("scorep.cfg", SETTINGS % ("", "true", "true"))
    place.put("profile.cubex", link=os.path.join(place.precious, "key"))
    place.put("MANIFEST.md", link=os.path.join(place.precious, "key"))
    return "--finalize", place.cut


def finalize_without_trace(place):
    place.put("scorep.cfg", SETTINGS % ("", "false", "false"))
    place.put("traces", link=place.precious)
    return "--finalize", place.cut


def finalize_link(place):
    place.put("traces", link=place.precious)
    place.put("traces.def", link=os.path.join(place.precious, "key"))
    return "--finalize", place.cut


def finalize_spool(place):
    place.put("trace/spool", link=place.precious)
    return "--finalize", place.cut


def finalize_above(place):
    os.rename(os.path.join(place.cut, "trace"), os.path.join(place.cut, "kept"))
    place.put("trace", link=place.precious)
    return "--finalize", place.cut


def export_default(place):
    """The archive is whole, and exports into it."""
    subprocess.run([pddt.PDDT, "--finalize", place.cut], check=True, env=pddt.ENVIRONMENT, stderr=subprocess.DEVNULL)
    os.makedirs(os.path.join(place.cut, "export"), exist_ok=True)
    place.put("export/profile.collapsed", link=os.path.join(place.precious, "key"))
    place.put("export/profile.csv", link=os.path.join(place.precious, "new"))
    return "--export", "collapsed", "--export", "csv", place.cut


def report(place):
    """pddt tries early whether a report can be written."""
    export_default(place)
    return "--report", os.path.join(place.cut, "export", "profile.csv"), place.cut


def export_folder(place):
    subprocess.run([pddt.PDDT, "--finalize", place.cut], check=True, env=pddt.ENVIRONMENT, stderr=subprocess.DEVNULL)
    place.put("export", link=place.precious)
    return "--export", "collapsed", "--export", "tau", place.cut


def check_owner(place):
    """What root makes in another user's folder is that user's."""
    for path, folders, files in os.walk(os.path.join(place.top, "his")):
        for name in folders + files:
            facts = os.lstat(os.path.join(path, name))
            if facts.st_uid != other.UID:
                raise SystemExit(f"{os.path.join(path, name)} belongs to {facts.st_uid}")


def check_good(cut):
    """Without any attack root gets an archive, an experiment at its place, a report and exports, all of the owner's."""
    with tempfile.TemporaryDirectory(prefix="pddt-rights-") as top:
        place = Place(top, cut, None)
        wanted = os.path.join(top, "his", "done")
        place.put("scorep.cfg", SETTINGS % (wanted, "true", "true"))
        os.mkdir(wanted)
        if os.geteuid() == 0:
            os.chown(wanted, other.UID, other.GID)
        run = call((), pddt.PDDT, "--finalize", place.cut, home=place.top)
        run.expect_status(0)
        run.expect(f"The experiment is {wanted}.", "err")
        assert sorted(os.listdir(wanted)) == ["MANIFEST.md", "profile.cubex", "scorep.cfg", "traces", "traces.def",
                                              "traces.otf2", "traces.sums"], os.listdir(wanted)
        assert sorted(os.listdir(os.path.join(top, "his"))) == ["done", "done-before-1"]
        mine = os.path.join(place.mine, "report.txt")
        run = call((), pddt.PDDT, "--export", "collapsed", "--export", "tau=" + os.path.join(wanted, "tau"), "--report", mine,
                   wanted, home=place.top)
        run.expect_status(0)
        assert "work" in open(os.path.join(wanted, "export", "profile.collapsed"), encoding="utf-8").read()
        if os.geteuid() == 0:
            check_owner(place)
            assert os.stat(mine).st_uid == 0


def check_attacks(cut):
    for attack in (finalize_by_settings, finalize_over_cube, finalize_without_trace, finalize_link, finalize_spool,
                   finalize_above, export_default, export_folder, report):
        for prefix, uid in USERS:
            with tempfile.TemporaryDirectory(prefix="pddt-rights-") as top:
                place = Place(top, cut, uid)
                words = attack(place)
                run = call(prefix, pddt.PDDT, *words, home=place.top)
                place.expect_untouched(run)
                if attack in (export_default, export_folder, finalize_spool):
                    run.expect_status(1)
                print(f"ok {attack.__name__} as {uid or 'root'}: {run.err.strip()[-110:]}", flush=True)


def check_adopted(folder):
    """The name of an experiment while it is recorded can be guessed."""
    with tempfile.TemporaryDirectory(prefix="pddt-rights-") as top:
        os.chmod(top, 0o1777)
        guessed = os.path.join(top, "scorep-measurement-tmp-guessed")
        os.mkdir(guessed)
        os.chmod(guessed, 0o777)
        if os.geteuid() == 0:
            os.chown(guessed, other.UID, other.GID)
        environment = dict(pddt.ENVIRONMENT, PYTHONPATH=os.path.join(pddt.BUILD, "src", "agent", "python"),
                           PMIX_NAMESPACE="guessed", SCOREP_EXPERIMENT_DIRECTORY=os.path.join(top, "mine"))
        done = subprocess.run([pddt.PYTHON, "-m", "scorep", os.path.join(folder, "program.py")], env=environment, cwd=folder,
                              stderr=subprocess.PIPE, text=True, timeout=60, check=False)
        assert done.returncode == 1 and "is not a folder of yours" in done.stderr, done
        assert os.listdir(guessed) == [], os.listdir(guessed)


def find_files(cut):
    spool = os.path.join(cut, "trace", "spool")
    return sorted((os.path.join(spool, name) for name in os.listdir(spool) if name != "settings"), key=os.path.getsize)


def check_one_bad(folder, cut):
    """One file of several is damaged: the others' archive, a sentence, and a status that says so; the spool stays."""
    for name, offset, text in (("header", 0, b"\xff" * 64), ("begun", 48, struct.pack("<Q", 1 << 62)),
                               ("later", 2 * 65536 + 64 + 16 * 20, struct.pack("<Q", 1 << 60))):
        damaged = os.path.join(folder, name)
        shutil.copytree(cut, damaged)
        os.unlink(os.path.join(damaged, "scorep.cfg"))
        with open(find_files(damaged)[-1], "r+b") as file:
            file.seek(offset)
            file.write(text)
        run = call((), pddt.PDDT, "--finalize", damaged, home=folder)
        run.expect_status(1)
        run.expect("damaged" if name != "header" else "is not what a traced process has recorded", "err")
        run.expect("not kept: ", "err")
        run.expect("The archive is ", "err")
        if not os.path.isdir(os.path.join(damaged, "trace", "spool")) or float(run.err.split(" s, ")[0].split()[-1]) > 100:
            run.fail("the spool is gone, or a time that cannot be")
        print("ok one bad:", name, run.err.strip()[-150:], flush=True)


def check_cut(folder, cut):
    """A file that somebody has cut, and a spool of samples: what is missing is said."""
    shutil.copytree(cut, os.path.join(folder, "shorter"))
    os.unlink(os.path.join(folder, "shorter", "scorep.cfg"))
    path = find_files(os.path.join(folder, "shorter"))[-1]
    os.truncate(path, 4096 + (os.path.getsize(path) - 4096) // 3)
    run = call((), pddt.PDDT, "--finalize", os.path.join(folder, "shorter"), home=folder)
    run.expect_status(1)
    run.expect(" is cut or damaged: ", "err")
    samples = os.path.join(folder, "samples")
    program = subprocess.Popen([pddt.PDDT, "--profile", "--output", samples, pddt.PYTHON, "-c", "while True: pass"],
                               env=pddt.ENVIRONMENT, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    spool = os.path.join(samples, "spool")
    pddt.wait_for("samples", lambda: os.path.exists(spool) and os.path.getsize(spool) > 3000)
    kept = shutil.copytree(samples, os.path.join(folder, "kept"))
    program.terminate()
    program.wait()
    first = shutil.copytree(kept, os.path.join(folder, "first"))
    with open(os.path.join(first, "spool"), "r+b") as file:  # in the first record: nothing behind it counts
        file.seek(40)
        file.write(b"\xff\x00\xff")
    run = call((), pddt.PDDT, "--finalize", first, home=folder)
    run.expect_status(1)
    run.expect("it is damaged or cut: what follows there is missing; its spool stays", "err")
    assert os.listdir(first) == ["spool"], os.listdir(first)
    os.truncate(os.path.join(kept, "spool"), 2900)
    run = call((), pddt.PDDT, "--finalize", kept, home=folder)
    run.expect_status(1)
    run.expect("not kept: it is damaged or cut", "err")
    assert sorted(os.listdir(kept)) == ["spool.damaged", "traces", "traces.def", "traces.otf2", "traces.sums"], os.listdir(kept)
    call((), pddt.PDDT, "--cli", kept, home=folder).expect_status(0)


def check_words(cut):
    """What a file names reaches no terminal as it is."""
    with tempfile.TemporaryDirectory(prefix="pddt-rights-") as top:
        place = Place(top, cut, None)
        place.put("scorep.cfg", SETTINGS % (os.path.join(top, "his", "\x1b]0;owned\x07"), "true", "true"))
        run = call((), pddt.PDDT, "--finalize", place.cut, home=top)
        if "\x1b" in run.err or "\\x1b]0;owned" not in run.err:
            run.fail("a control sequence")


def check_changed(folder, cut):
    """An archive whose events somebody has changed: each way to its numbers says so, and so does its status."""
    changed = shutil.copytree(cut, os.path.join(folder, "changed"))
    os.unlink(os.path.join(changed, "scorep.cfg"))
    call((), pddt.PDDT, "--finalize", changed, home=folder).expect_status(0)
    events = max((os.path.join(changed, "traces", name) for name in os.listdir(os.path.join(changed, "traces"))
                  if name.endswith(".evt")), key=os.path.getsize)
    with open(events, "r+b") as file:
        file.seek(os.path.getsize(events) // 2)
        byte = file.read(1)[0]
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte ^ 0xff]))
    report, table = os.path.join(folder, "report.txt"), os.path.join(folder, "table.csv")
    for words in ["--cli"], ["--report", report], ["--export", "csv=" + table], ["--score"]:
        run = call((), pddt.PDDT, *words, changed, home=folder)
        run.expect_status(1)
        if "could not be read to" not in run.err and "damaged" not in run.err:
            run.fail("not said")
        print("ok changed:", words[0], run.err.strip()[-100:], flush=True)


def check_pipes(folder, cut):
    """A pipe or a device in the place of a file of an archive makes nobody wait."""
    whole = shutil.copytree(cut, os.path.join(folder, "whole"))
    os.unlink(os.path.join(whole, "scorep.cfg"))
    call((), pddt.PDDT, "--finalize", whole, home=folder).expect_status(0)
    for name in "traces.def", "traces.sums", "traces/0.evt":
        path = os.path.join(whole, name)
        kept = path + ".kept"
        os.rename(path, kept)
        for make in os.mkfifo, lambda place: os.symlink("/dev/zero", place):
            make(path)
            for words in ["--cli"], ["--report", os.path.join(folder, "report.txt")], ["--score"]:
                run = call((), pddt.PDDT, *words, whole, home=folder)
                run.expect_status(1)
                run.expect(f"{os.path.basename(name)} is a pipe, a device or a socket, and no file", "err")
            os.unlink(path)
        os.rename(kept, path)
    os.mkfifo(os.path.join(whole, "another"))  # of nobody's business
    call((), pddt.PDDT, "--cli", whole, home=folder).expect_status(0)
    print("ok pipes", flush=True)


def check_environment():
    """What root's process executes with the rights of a folder's owner has nothing of root's environment: that user can
    read it there. pddt-symbols, which names places of native code, is one that tells."""
    if os.geteuid() != 0:
        return
    with tempfile.TemporaryDirectory(prefix="pddt-rights-") as top:
        os.chmod(top, 0o777)
        program = os.path.join(top, "program.py")
        with open(program, "w", encoding="utf-8") as file:
            file.write("import time\nkept = [bytearray(300000) for _ in range(300)]\nprint('ready', flush=True)\ntime.sleep(60)\n")
        his = os.path.join(top, "his")
        process = subprocess.Popen([pddt.PDDT, "--memory=native", "--output", his, pddt.PYTHON, program], env=pddt.ENVIRONMENT,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert process.stdout.readline() == "ready\n"
        process.kill()
        process.communicate()
        programs = os.path.join(pddt.BUILD, "src", "programs")
        archive = shutil.copy(os.path.join(programs, "pddt-archive"), top)
        told, symbols = os.path.join(top, "told"), os.path.join(top, "pddt-symbols")
        with open(symbols, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\ntr '\\0' '\\n' < /proc/$$/environ > {told}\nid -u >> {told}\n"
                       f"exec {programs}/pddt-symbols \"$@\"\n")
        os.chmod(symbols, 0o755)
        subprocess.run(["chown", "-R", f"{other.UID}:{other.GID}", his], check=True)
        subprocess.run([archive, "--write", his], env=dict(pddt.ENVIRONMENT, SECRET="of root's"), check=True)
        with open(told, encoding="utf-8") as file:
            lines = file.read().splitlines()
        if lines[-1] != str(other.UID) or "SECRET=of root's" in lines:
            raise SystemExit(f"pddt-symbols ran as {lines[-1]}, with {len(lines) - 1} variables")
    print("ok no environment of root's", flush=True)


def check_made(folder):
    """Root makes none in another user's folder, where it would have to write for that user, and says so at once."""
    if os.geteuid() != 0:
        return
    his = os.path.join(folder, "place")
    os.mkdir(his)
    os.chown(his, other.UID, other.GID)
    for mode in "--profile", "--trace":
        for place in "place/new", "place/../place/new", "place":
            where = os.path.join(folder, place)
            words = ["--output", where] if place != "place" else []
            done = subprocess.run([pddt.PDDT, mode, *words, "/bin/echo", "ran"], cwd=where if not words else "/", text=True,
                                  env=pddt.ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  timeout=100, check=False)
            run = pddt.Run(done.returncode, done.stdout, done.stderr)
            run.expect_status(3)
            run.expect("root measures into no folder of another user's", "err")
            run.expect_not("ran")
            if os.listdir(his):
                run.fail(f"{os.listdir(his)}")
    os.rmdir(his)
    print("ok no folder of root's in another user's", flush=True)


def check_up(folder, cut):
    """The way to root's folder leads out of another user's, where root stands, or through it."""
    if os.geteuid() != 0:
        return
    his, own = os.path.join(folder, "beside"), os.path.join(folder, "own")
    os.mkdir(his)
    os.chown(his, other.UID, other.GID)
    shutil.copytree(cut, own)
    os.unlink(os.path.join(own, "scorep.cfg"))
    os.chmod(own, 0o700)
    done = subprocess.run([pddt.PDDT, "--finalize", ".././../" + os.path.basename(folder) + "/beside/../own"], cwd=his,
                          env=pddt.ENVIRONMENT, stderr=subprocess.PIPE, text=True, timeout=100, check=False)
    pddt.Run(done.returncode, "", done.stderr).expect("Permission denied", "err")
    done = subprocess.run([pddt.PDDT, "--finalize", "./../own"], cwd=his, env=pddt.ENVIRONMENT, stderr=subprocess.PIPE,
                          text=True, timeout=100, check=False)
    pddt.Run(done.returncode, "", done.stderr).expect_status(0)
    print("ok up and out of another user's folder", flush=True)


def check_nothing(folder):
    """A spool of samples without any is left as it is."""
    early = os.path.join(folder, "early")
    os.mkdir(early)
    with open(os.path.join(early, "spool"), "wb") as file:
        file.write(b"pddt spool 3\n")
    run = call((), pddt.PDDT, "--finalize", early, home=folder)
    run.expect_status(1)
    run.expect("no sample has been recorded in it", "err")
    assert os.listdir(early) == ["spool"], os.listdir(early)


def make_cut(folder):
    """What a run leaves that was killed: two processes have recorded."""
    with open(os.path.join(folder, "program.py"), "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    environment = dict(pddt.ENVIRONMENT, PYTHONPATH=os.path.join(pddt.BUILD, "src", "agent", "python"))
    subprocess.run([pddt.PYTHON, "-m", "scorep", "program.py"], cwd=folder, env=environment, check=False, timeout=60)
    return next(os.path.join(folder, name) for name in os.listdir(folder) if name.startswith("scorep-measurement-tmp-"))


def main():
    with tempfile.TemporaryDirectory(prefix="pddt-rights-") as folder:
        cut = make_cut(folder)
        check_good(cut)
        check_attacks(cut)
        check_adopted(folder)
        check_one_bad(folder, cut)
        check_made(folder)
        check_up(folder, cut)
        check_nothing(folder)
        check_cut(folder, cut)
        check_changed(folder, cut)
        check_environment()
        check_pipes(folder, cut)
        check_words(cut)


main()
