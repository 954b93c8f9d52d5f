# SPDX-License-Identifier: GPL-3.0-or-later
"""FUNNELS lists every way on which a name from a program or a file leaves pddt. The same hostile names go through each
of them: none drives a terminal, forges a line, becomes a tag, a link or a formula, or breaks the format. The windows show
them in tests/gui/journey-hostile.py; the debugger's text and its JSON are in tests/command/test-hostile.py."""
import csv
import html.parser
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from xml.etree import ElementTree

import pddt
from hostile import FORBIDDEN, FORGED, FORMULAS, NAMES, PROGRAM
from perfetto import PerfettoTrace


def expect_clean(text, where, lines=True):
    found = FORBIDDEN.search(text)
    if found:
        near = text[max(found.start() - 60, 0):found.start() + 20]
        raise SystemExit(f"{where}: {found.group()!r} came through: {near!r}")
    if lines and any(line.startswith(FORGED) for line in text.splitlines()):
        raise SystemExit(f"{where}: a forged line")
    if text.count("evil") < 3:
        raise SystemExit(f"{where}: the names are not there: {text[:2000]}")


def is_formula(cell):
    """Also one for those whose cells are separated by semicolons, or whose keyboards have other signs."""
    return any(part.lstrip(" ")[:1] in tuple("=+-@\t\r\uff1d\uff0b\uff0d\uff20")
               and not re.fullmatch(r"[-+]?[0-9.]+(e[-+]?\d+)?", part.strip(" ")) for part in cell.split(";"))


class Tags(html.parser.HTMLParser):
    found, scripts = (), 0

    def handle_starttag(self, tag, attrs):
        self.found += ((tag, attrs),)


def check_text(path, where):
    with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
        expect_clean(file.read(), where)


def check_html(path, where):
    with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
        text = file.read()
    expect_clean(text, where)
    tags = Tags()
    tags.feed(text)
    for tag, attributes in tags.found:
        links = [value or "" for name, value in attributes if name == "href"]
        names = [tag] + [name for name, _ in attributes]
        if "evil" in str(names + links) or any(name.startswith("on") for name in names):
            raise SystemExit(f"{where}: <{tag} {attributes}>")


def check_csv(path, where):
    with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
        text = file.read()
    expect_clean(text.replace("\r\n", "\n"), where)  # as RFC 4180 has it
    for row in csv.reader(io.StringIO(text), strict=True):
        for cell in row:
            if is_formula(cell) or "\n" in cell or "\r" in cell:
                raise SystemExit(f"{where}: the cell {cell!r}")


def check_json(path, where):
    with open(path, encoding="utf-8", newline="") as file:
        text = file.read()
    expect_clean(text, where, lines=False)
    json.loads(text)


def check_collapsed(path, where):
    with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
        text = file.read()
    expect_clean(text, where)
    for line in text.rstrip("\n").split("\n"):
        if not re.fullmatch(r".+ \d+", line):
            raise SystemExit(f"{where}: {line!r}")


def check_dot(path, where):
    check_text(path, where)
    drawn = subprocess.run(["dot", "-Tsvg", path], stdout=subprocess.PIPE, check=True, timeout=120).stdout
    if any("evil" in element.tag for element in ElementTree.fromstring(drawn).iter()):
        raise SystemExit(f"{where}: a tag in its picture")


def check_pstats(path, where):
    folder = os.path.dirname(path)
    for name in os.listdir(folder):
        if name.endswith(".prof"):
            done = subprocess.run([pddt.PYTHON, "-c", "import pstats, sys; pstats.Stats(sys.argv[1]).print_stats()",
                                   os.path.join(folder, name)], stdout=subprocess.PIPE, check=True, timeout=60)
            expect_clean(done.stdout.decode(errors="surrogateescape"), where)


def check_tau(path, where):
    for name in os.listdir(path):
        with open(os.path.join(path, name), encoding="utf-8", errors="surrogateescape", newline="") as file:
            text = file.read()
        expect_clean(text, where)
        for line in text.split("\n"):
            if "evil" in line and not re.match(r'"[^"]*" \d', line):
                raise SystemExit(f"{where}: {line!r}")


def check_cubex(path, where):
    with tarfile.open(path) as archive:
        text = archive.extractfile("anchor.xml").read().decode()
    expect_clean(text, where)
    if any("evil" in element.tag for element in ElementTree.fromstring(text).iter()):
        raise SystemExit(f"{where}: a tag")


def check_perfetto(path, where):
    trace = PerfettoTrace(path)
    tables = (trace.tracks, (2, 14)), (trace.names, (2,)), (trace.places, (2, 3))
    expect_clean("\n".join(text.decode() for table, fields in tables for each in table.values()
                           for field in fields for text in each.get(field, [])), where)


# way: what checks it; the exports and reports are all that there are
FUNNELS = {
    "report html": check_html, "report txt": check_text, "report csv": check_csv, "report json": check_json,
    "export pstats": check_pstats, "export speedscope": check_json, "export chrome": check_json,
    "export perfetto": check_perfetto,
    "export collapsed": check_collapsed, "export dot": check_dot, "export tau": check_tau, "export cubex": check_cubex,
    "export csv": check_csv, "export lprof": None,  # only where lines were counted; it has the names of pstats
    "terminal": check_text, "comparison": check_text, "sentences": check_text, "score": check_text,
    "archive": check_text, "logging": check_text,
    "windows": None, "debugger text": None, "debugger json": None}  # see above


def run(*words, folder, status=0):
    done = subprocess.run([pddt.PDDT, *words], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=200, check=False, env=pddt.ENVIRONMENT)
    out, err = (text.decode(errors="surrogateescape") for text in (done.stdout, done.stderr))
    if status is not None and done.returncode != status:
        pddt.Run(done.returncode, out, err).fail(f"status {done.returncode} of {words}")
    for stream in out, err:
        found = FORBIDDEN.search(stream)
        if found and not stream.startswith("done"):
            raise SystemExit(f"{words}: {found.group()!r} came through: {stream[:3000]!r}")
    return out, err


def write(path, text):
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)
    return path


def go_through(way, measured, folder):
    kind, _, form = way.partition(" ")
    path = os.path.join(folder, "tau" if form == "tau" else f"{kind}.{form}")
    if kind in ("report", "export"):
        run(*(["--report", path] if kind == "report" else ["--export", f"{form}={path}"]), measured, folder=folder)
    elif way == "terminal":
        write(path, run("--cli", measured, folder=folder)[0])
    elif way == "comparison":
        program = write(os.path.join(folder, "longer.py"), PROGRAM.replace("0.03", "0.3") % (NAMES + FORMULAS,))
        run("--trace", "--output", "longer", pddt.PYTHON, program, folder=folder)
        write(path, run(measured, "longer", folder=folder)[0])
    elif way == "score":
        write(path, run("--score", measured, folder=folder)[0])
    elif way == "archive":
        done = subprocess.run(["otf2-print", "-G", os.path.join(measured, "traces.otf2")], check=True,
                              stdout=subprocess.PIPE)
        text = done.stdout.decode(errors="surrogateescape").replace(FORGED, "?")
        write(path, FORBIDDEN.sub("?", text))  # as they are: whoever reads archives escapes them
    elif way == "sentences":
        said = [run(option, os.path.join(folder, name.replace("/", "|")[:200]), folder=folder, status=None)[1]
                for name in NAMES for option in ("--finalize", "--score", "--cli")]
        write(path, "".join(said))
    elif way == "logging":
        names = [name for name in NAMES if "\n" not in name]
        words = [f"{command} {name}" for name in names for command in ("echo", "print")]
        run(*pddt.commands(f"set logging file {path}", "set logging on", *words), "--", "/bin/true", folder=folder,
            status=None)
    return path


def main():
    formats = run("--help", folder="/")[0]
    listed = re.search(r"pstats,[^;]*;", " ".join(formats.split()))[0]
    missing = [word for word in re.findall(r"\w+", listed) if word != "or" and f"export {word}" not in FUNNELS]
    assert not missing, missing
    with tempfile.TemporaryDirectory(prefix="pddt-funnels-") as folder:
        program = write(os.path.join(folder, "program.py"), PROGRAM % (NAMES + FORMULAS,))
        measured = os.path.join(folder, "measured")
        out, err = run("--trace", "--output", measured, pddt.PYTHON, program, folder=folder)
        assert "done" in out, err
        for way, check in FUNNELS.items():
            if check and (len(sys.argv) < 2 or way in sys.argv):
                check(go_through(way, measured, folder), way)
                print("ok", way, flush=True)
        assert not os.path.exists(os.path.join(folder, "evil")), "a name was run"


main()
