# SPDX-License-Identifier: GPL-3.0-or-later
"""What a program's debug information leads to, with defects: .dwo files, packages and their indexes,
dwz's common file, links that lead back, pipes in place of files, sections that promise more than there
is. All must be refused or survived, in little memory and time. Arguments: fuzz-elf, the folder of
the subject's sources."""
import itertools
import os
import resource
import shutil
import struct
import subprocess
import sys
import tempfile

from defects import WRONG, read_sections, write

FUZZ, SOURCES = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
SPLIT = ["gcc", "-g", "-O2", "-w", "-gsplit-dwarf", "-fdebug-types-section"]
PLAIN = ["gcc", "-g", "-w"]
ROUNDS = "25"  # of random changes to each good file
SHF_COMPRESSED = 0x800


def run(folder, *command):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=100)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: {done.stderr}")


def is_sanitized():
    """Then it maps terabytes of shadow, and limits its own memory."""
    with open(FUZZ, "rb") as file:
        return b"__asan_init" in file.read()


SANITIZED = is_sanitized()


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))


def survive(name, files, rounds="0", main=None, companion=None):
    environment = dict(os.environ)
    if SANITIZED:
        environment["ASAN_OPTIONS"] = environment.get("ASAN_OPTIONS", "") + ":hard_rss_limit_mb=1024"
    if main:
        environment.update(PDDT_FUZZ_MAIN=main, PDDT_FUZZ_COMPANION=companion)
    done = subprocess.run([FUZZ, rounds, *files], preexec_fn=limit, timeout=100, env=environment)
    if done.returncode:
        print("not survived:", name)
    return done.returncode != 0


def build(folder, *command):
    os.mkdir(folder)
    run(folder, *command, "-I", SOURCES, os.path.join(SOURCES, "subject.c"),
        os.path.join(SOURCES, "subject-main.c"), "-o", "p")
    return os.path.join(folder, "p")


def make_defects(content):
    """The first words of the indexes and of every debug section, all headers of sections."""
    sections = read_sections(content)
    for name, header in sections.items():
        offset, size = struct.unpack_from("<QQ", content, header + 24)
        if not name.startswith((".debug", ".gnu_debug")) or offset + size > len(content):
            continue
        words = min(size, 120 if name.endswith("_index") else 12)
        for at in range(0, words - 3, 4):
            for value in WRONG[1::3]:
                yield write(content, offset + at, "<I", value)
        for at, form in ((24, "<Q"), (32, "<Q"), (8, "<Q")):
            for value in WRONG[::2]:
                yield write(content, header + at, form, value)


def check_companion(name, main, companion):
    with open(companion, "rb") as file:
        good = file.read()
    with tempfile.TemporaryDirectory() as folder:
        files = []
        # every third one; with PDDT_LONG all
        every = 1 if os.environ.get("PDDT_LONG") else 3
        for number, content in enumerate(itertools.islice(make_defects(good), 0, None, every)):
            files.append(os.path.join(folder, str(number)))
            with open(files[-1], "wb") as file:
                file.write(content)
        whole = os.path.join(folder, "whole")
        shutil.copy(companion, whole)
        bad = survive(name, files, "0", main, companion) + survive(
            name + " at random", [whole], ROUNDS, main, companion)
        print(name, len(files), "defects", flush=True)
    with open(companion, "wb") as file:
        file.write(good)
    return bad


def check_split(folder):
    bad = 0
    for version in ("4", "5"):
        there = os.path.join(folder, "split-" + version)
        main = build(there, *SPLIT, "-gdwarf-" + version)
        dwo = os.path.join(there, "p-subject.dwo")
        bad += check_companion("dwo-" + version, main, dwo)
        # binutils had dwp until 2.41
        run(there, "dwp" if version == "4" and shutil.which("dwp") else "llvm-dwp", "-e", "p", "-o", "p.dwp")
        bad += check_companion("dwp-" + version, main, main + ".dwp")
        os.remove(main + ".dwp")
        # nobody writes to the pipe
        os.remove(dwo)
        os.mkfifo(dwo)
        bad += survive("pipe", [main])
    return bad


def check_common(folder):
    main = build(os.path.join(folder, "common"), *PLAIN, "-O2")
    there = os.path.dirname(main)
    shutil.copy(build(os.path.join(folder, "other"), *PLAIN, "-O1"), os.path.join(there, "q"))
    run(there, "dwz", "-m", "common.debug", "p", "q")
    common = os.path.join(there, "common.debug")
    bad = check_companion("common", main, common)
    # links that lead back to the same file, and round in a circle
    notes = subprocess.run(["readelf", "-n", main], capture_output=True, text=True, timeout=60).stdout
    link = os.path.join(there, "link")
    with open(link, "wb") as file:
        file.write(b"p\0" + bytes.fromhex(notes.split("Build ID: ")[1].split()[0]))
    run(there, "objcopy", "--add-section", ".gnu_debugaltlink=link", "common.debug", "circle.debug")
    bad += survive("circle", [os.path.join(there, "circle.debug")], "0", main, common)
    run(there, "objcopy", "--update-section", ".gnu_debugaltlink=link", "p", "self")
    os.rename(os.path.join(there, "self"), main)
    return bad + survive("own common file", [common], "0", main, common)


def check_promises(folder):
    """A gigabyte in a few kilobytes, and headers that lie."""
    main = build(os.path.join(folder, "bomb"), *PLAIN, "-O2")
    there, bad = os.path.dirname(main), 0
    packed = subprocess.run("head -c 1073741824 /dev/zero | zstd -c -T1", shell=True,
                            capture_output=True, check=True, timeout=100).stdout
    with open(main, "rb") as file:
        good = file.read()
    names = []
    for kind, size in ((2, 1 << 30), (2, 1 << 24), (2, 1 << 62), (1, 1 << 40), (7, 1 << 20)):
        content = bytearray(good)
        for section, header in read_sections(good).items():
            if section in (".debug_info", ".debug_str", ".debug_line", ".debug_abbrev"):
                struct.pack_into("<Q", content, header + 8, SHF_COMPRESSED)
                blob = struct.pack("<IIQQ", kind, 0, size, 1) + packed
                struct.pack_into("<QQ", content, header + 24, len(content), len(blob))
                content += blob
        names.append(os.path.join(there, f"bomb-{kind}-{size}"))
        with open(names[-1], "wb") as file:
            file.write(content)
    bad += survive("promises", names)
    for kind in ("zstd", "zlib"):
        run(there, "objcopy", "--compress-debug-sections=" + kind, "p", kind)
        bad += survive(kind, [os.path.join(there, kind)], ROUNDS)
    return bad


def main():
    with tempfile.TemporaryDirectory() as folder:
        bad = check_split(folder) + check_common(folder) + check_promises(folder)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
