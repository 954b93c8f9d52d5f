# SPDX-License-Identifier: GPL-3.0-or-later
"""What `meson install` puts into a folder works there: a session, the manual, and the manual pages. Arguments: meson,
a small program."""
import fnmatch
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
from html import unescape

import pddt

MESON, PROGRAM = sys.argv[1:3]
PAGES = {"pddt.1": ("pddt - parallel debugger", "--attach-job PID", "PDDT_NO_RECORDER", "EXIT STATUS"),
         "pddtd.8": ("pddt-symbols", "traces all ranks of that host with ptrace(2)")}


def find(folder, name):
    found = [os.path.join(place, name) for place, _, names in os.walk(folder) if name in names
             and not place.endswith("/completions")]
    if len(found) != 1:
        raise SystemExit(f"{name} is installed as {found}")
    return found[0]


def check_session(folder, prefix=()):
    program = find(os.path.join(folder), "pddt")
    run = subprocess.run([*prefix, program, *pddt.commands("break main", "where", "print 6 * 7", "continue", "wait 120"), PROGRAM],
                         stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, env=pddt.ENVIRONMENT,
                         check=False)
    answer = pddt.Run(run.returncode, run.stdout, run.stderr)
    answer.expect_status(0)
    answer.expect("0: stopped, main at inferior.c:")
    answer.expect_line("0: 6 * 7 = 42")
    answer.expect_line("0: exited 0")


def check_read_only(folder):
    """As on a file system from which programs only read."""
    prefix = ["unshare", "--mount", "sh", "-c", 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"', folder]
    if subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode == 0:
        check_session(folder, prefix)


WORDS = """
import sys
import ui
process, app = ui.start(sys.argv[1])
try:
    ui.wait_for("a German title", lambda: ui.window_now(app, "Neue Sitzung"))
finally:
    process.terminate()
    process.wait()
"""


def check_words(folder):
    """The window's translations are found where the installation is, which is not where it was configured to be."""
    support = os.path.join(pddt.SOURCE, "tests", "support")
    names = {name for _, _, names in os.walk(folder) for name in names}
    if not {"pddt-window", "pddt.mo"} <= names or shutil.which("Xvfb") is None:
        return
    done = subprocess.run([os.path.join(support, "with-display"), pddt.PYTHON, "-c", WORDS, find(folder, "pddt-window")],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False,
                          env={**pddt.ENVIRONMENT, "LANGUAGE": "de", "PYTHONPATH": support})
    if done.returncode != 0:
        raise SystemExit(f"no German: {done.stdout}{done.stderr}")


def check_example(folder):
    """The installed example is the user's program, not pddt's own: it stops at its first line, and finds its library."""
    program, example = find(folder, "pddt"), find(folder, "heat.py")
    run = subprocess.run([program, *pddt.commands("show state", "break heat_step", "continue", "wait 120", "show state"),
                          pddt.PYTHON, "%python_debug%", example], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                         timeout=90, env={name: value for name, value in pddt.ENVIRONMENT.items() if name != "HEAT_LIBRARY"},
                         check=False)
    answer = pddt.Run(run.returncode, run.stdout, run.stderr)
    answer.expect("0: stopped, <module> at heat.py:2")
    answer.expect("0: breakpoint 1, heat_step at heat_kernel.c:")


def check_links(html):
    """Each link, anchor and picture of the pages is there; the page Search leads to commands, options and words."""
    pages = {}
    for name in os.listdir(html):
        if name.endswith(".html"):
            with open(os.path.join(html, name), encoding="utf-8") as file:
                pages[name] = file.read()
    for name, text in pages.items():
        for target in re.findall(r'(?:href|src)="([^":]+)"', text):
            path, _, anchor = target.partition("#")
            path = path or name
            if not os.path.exists(os.path.join(html, path)) or (anchor and f'id="{unescape(anchor)}"' not in pages[path]):
                raise SystemExit(f"{name} leads to {target}, which is not there")
    for what in ("show queue", "--stop-at WHERE", "merged stack", "limit-items", "What pddt cannot do"):
        if not re.search(rf'<a href="[a-z.-]+html#[^"]+">[^<]*{what}', pages["search.html"]):
            raise SystemExit(f"Search does not find {what}")
    if '<nav><ul>\n<li><a href="#' not in pages["starting.html"]:
        raise SystemExit("a chapter has no table of contents")


def check_manual(folder):
    html = os.path.dirname(find(folder, "index.html"))
    for _, _, names in os.walk(os.path.join(pddt.SOURCE, "doc")):
        for name in names:
            base, kind = os.path.splitext(name)
            if kind == ".md" and name not in ("pddt.1.md", "pddtd.8.md") and not os.path.exists(f"{html}/{base}.html"):
                raise SystemExit(f"{name} is not installed as {base}.html")
    check_links(html)
    for name, texts in PAGES.items():
        shown = subprocess.run(["man", "-l", find(folder, name)], capture_output=True, text=True, check=True, timeout=60,
                               env=dict(os.environ, MANWIDTH="160", MANPAGER="cat", LC_ALL="C.UTF-8")).stdout
        for text in texts:
            if text not in shown.replace("‐", "-").replace("−", "-"):
                raise SystemExit(f"man {name} does not show {text!r}: {shown}")


def check_modules(folder):
    """What programs name their regions with: the module alone, the header and the Fortran module."""
    program = "import pddt, sys\nwith pddt.region('a'): print(pddt.is_measured(), len([m for m in sys.modules if 'pddt' in m]))\n"
    installed = os.path.dirname(find(folder, "pddt.py"))
    if not installed.endswith("/share/pddt/python") or not os.path.exists(os.path.join(installed, "scorep", "user.py")):
        raise SystemExit(f"the modules are in {installed}")
    with tempfile.TemporaryDirectory() as alone:
        shutil.copy(os.path.join(installed, "pddt.py"), alone)
        for path in installed, alone:
            out = subprocess.run([pddt.PYTHON, "-c", program], env=dict(os.environ, PYTHONPATH=path), capture_output=True,
                                 text=True, check=True).stdout
            if out != "False 1\n":
                raise SystemExit(f"with the module of {path}: {out}")
        include = os.path.dirname(find(folder, "pddt.h"))
        if not include.endswith("/include"):
            raise SystemExit(f"pddt.h is in {include}")
        with open(os.path.join(alone, "a.c"), "w", encoding="ascii") as file:
            file.write('#include <pddt.h>\nint main (void) { PDDT_REGION_BEGIN ("a"); PDDT_REGION_END ("a"); }\n')
        subprocess.run(["cc", "-I", include, "-o", "a", "a.c"], cwd=alone, check=True)
        subprocess.run([os.path.join(alone, "a")], check=True)
        if shutil.which("gfortran") is not None:
            subprocess.run(["gfortran", "-c", os.path.join(include, "pddt.f90")], cwd=alone, check=True)


def check_parts(folder):
    """A build without GTK and OTF2 lacks two programs: it debugs, and says what it cannot do."""
    for name in ("pddt-window", "pddt-archive"):
        os.remove(find(folder, name))
    program = find(folder, "pddt")
    for words, environment, status, said in (
            (["true"], {"DISPLAY": ":7"}, 2, "no window in this build of pddt, no terminal and no -e"),
            (["true"], {}, 2, "no display, no terminal and no -e"),
            (["--profile", "true"], {}, 3, "built without OTF2"),
            (["-e", "expect stopped", "true"], {}, 0, "")):
        run = subprocess.run([program, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
                             env=pddt.ENVIRONMENT | environment)
        if run.returncode != status or said not in run.stderr:
            raise SystemExit(f"{words}: status {run.returncode}: {run.stderr}")


FOLDERS = {"bindir": "bin", "includedir": "include", "prefix": "", "datadir": "share", "mandir": "share/man"}


def check_packages(folder):
    """Debian's packages and the RPM's have each file that is installed."""
    prefix = os.path.dirname(os.path.dirname(find(folder, "pddt")))
    files = [os.path.relpath(os.path.join(at, name), prefix) for at, _, names in os.walk(prefix) for name in names]
    taken = {"debian": [], "the RPM": []}
    for path in glob.glob(os.path.join(pddt.SOURCE, "debian", "*.install")):
        with open(path, encoding="utf-8") as file:
            taken["debian"] += [line.split()[0].removeprefix("usr/") for line in file if line.strip()]
    taken["debian"].append("share/man")  # by dh_installman
    with open(os.path.join(pddt.SOURCE, "packaging", "pddt.spec"), encoding="utf-8") as file:
        for macro, rest in re.findall(r"^%\{_(\w+)\}(/\S+)", file.read().partition("\n%files")[2], re.M):
            taken["the RPM"].append((FOLDERS[macro] + rest).lstrip("/"))
    for who, patterns in taken.items():
        left = [name for name in files if not any(
            fnmatch.fnmatch(name, pattern) or fnmatch.fnmatch(name, pattern + "/*") for pattern in patterns)]
        if left or len(files) < 50:
            raise SystemExit(f"{who} leaves out {left} of {len(files)}")


with tempfile.TemporaryDirectory() as top:
    done = subprocess.run([MESON, "install", "-C", pddt.BUILD, "--no-rebuild", "--quiet", "--destdir", top],
                          capture_output=True, text=True, timeout=100, check=False)
    if done.returncode != 0:
        raise SystemExit(f"meson install: {done.stdout}{done.stderr}")
    check_session(top)
    check_read_only(top)
    check_words(top)
    check_example(top)
    check_manual(top)
    check_modules(top)
    check_packages(top)
    check_parts(top)  # takes parts away
print("ok")
