# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the README's pictures from real windows: BUILD OUTPUT-FOLDER. Run it as
SCREEN=1920x1080x24 WITH_WM=1 PYTHONPATH=tests/support tests/support/with-display \\
    /usr/bin/python3 tests/gui/make-pictures.py build data/pictures
With --tutorial before them it makes those of the tutorial's own programs, on such a display too.
With --manual before them it makes those of the manual's dialogs and pages, and needs no display of its own.
With --all before them it needs no display of its own: every window, dialog, page and menu, light and
dark, in each language, at twice the size, on a small screen, in high contrast and with large text, each
in a folder of its own, to be looked at."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

import launching
import ui

ROOT = pathlib.Path(__file__).resolve().parents[2]
LANGUAGES = ("C", "de", "fr", "es", "zh_CN", "ja")
LIMIT_S = 240
DARK = "Adwaita:dark"
# folder, language, theme, scale, screen, size of text
VARIANTS = [(f"{language}-{'dark' if theme == DARK else 'light'}", language, theme, "1", "1280x900",
             "96") for language in LANGUAGES for theme in ("Adwaita", DARK)] + [
    ("C-twice", "C", "Adwaita", "2", "3840x2160", "96"),
    ("C-twice-small", "C", DARK, "2", "1920x1080", "96"),
    ("C-small", "C", "Adwaita", "1", "1024x768", "96"),
    ("C-contrast", "C", "HighContrast", "1", "1280x900", "96"),
    ("C-large-text", "C", "Adwaita", "1", "1920x1080", "144"),
]


def take(build_folder, folder, variant):
    """One variant's pictures, by every-window, which looks for what is wrong too: what it said."""
    name, language, theme, scale, screen, dpi = variant
    here = pathlib.Path(__file__).resolve().parent
    output = folder / name
    output.mkdir(parents=True, exist_ok=True)
    for old in output.glob("*.png"):
        old.unlink()
    process = subprocess.Popen(
        [here.parent / "support/with-display", build_folder / "tests/gui/every-window",
         here / "sample.c", output], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        start_new_session=True,
        env={**os.environ, "LANGUAGE": language, "GTK_THEME": theme, "GDK_SCALE": scale,
             "WITH_WM": "1", "SCREEN": screen + "x24", "TEXT_DPI": dpi,
             "GSETTINGS_SCHEMA_DIR": str(build_folder / "data")})
    try:
        said = process.communicate(timeout=LIMIT_S)[0]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        said = process.communicate()[0] + f"\nnot done after {LIMIT_S} s"
    print(f"{output}: {len(list(output.glob('*.png')))} pictures", flush=True)
    return [f"{name}: {line}" for line in said.splitlines()
            if not line.startswith(("ok ", "1..", "# ")) or ": " in line] \
        or ([f"{name}: status {process.returncode}"] if process.returncode else [])


def take_all(build_folder, folder):
    """Every variant, whatever happens to one; the exit status is whether one had a complaint."""
    complaints = [line for variant in VARIANTS for line in take(build_folder, folder, variant)]
    print("\n".join(complaints) or "no complaints")
    return bool(complaints)


# The manual's pictures of dialogs and pages: their names there, and every-window's.
MANUAL = {"new-session": "run", "attach": "attach", "core-files": "core-files", "preferences": "preferences", "keys": "keys",
          "array": "array", "array-picture": "array-page-0-1", "array-length": "array-length", "measure-lines": "measure-lines",
          "closing": "closing", "manual-window": "manual", "logpoints": "console-page-3-5", "queue": "console-page-3-6", "compare": "compare",
          "calls": "performance-page-0-3", "functions": "performance-page-0-4", "ranks": "performance-page-0-5", "report": "performance-page-0-7",
          "communication": "performance-page-0-2", "queue-window": "queue"}


def make_cores():
    """Two core files in the working directory, which the dialog Core Files shows at first."""
    with subprocess.Popen(["sleep", "100"]) as first, subprocess.Popen(["sleep", "100"]) as second:
        subprocess.run(["gcore", "-o", "core", str(first.pid), str(second.pid)], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        first.kill()
        second.kill()


def take_manual(build_folder, output_folder):
    place = pathlib.Path("/tmp/app")  # dialogs show the working directory
    place.mkdir()
    try:
        take_manual_in(place, build_folder, output_folder)
    finally:
        shutil.rmtree(place)


def take_manual_in(place, build_folder, output_folder):
    os.chdir(place)
    make_cores()
    shutil.copy("/usr/bin/sleep", "solver")
    with tempfile.TemporaryDirectory() as folder, subprocess.Popen(
            ["mpirun", "-np", "8", "./solver", "1000"], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as job:
        complaints = take(build_folder, pathlib.Path(folder), VARIANTS[0])
        job.terminate()
        if complaints:
            raise SystemExit("\n".join(complaints))
        for name, view in MANUAL.items():
            subprocess.run(["convert", f"{folder}/{VARIANTS[0][0]}/{view}.png", "+dither", "-colors", "128", "-strip", "-define",
                            "png:compression-level=9", f"PNG8:{output_folder / name}.png"], check=True)


if sys.argv[1] == "--manual":
    if os.getpid() != 1:  # Attach shows what runs, and nothing of what else runs here
        os.execvp("unshare", ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", sys.executable, *sys.argv])
    sys.exit(take_manual(*(pathlib.Path(word).resolve() for word in sys.argv[2:])))
if sys.argv[1] == "--all":
    sys.exit(take_all(*(pathlib.Path(word).resolve() for word in sys.argv[2:])))

build, output = (pathlib.Path(word).resolve() for word in sys.argv[-2:])
os.environ.update(launching.ENVIRONMENT, PATH="/usr/bin:/bin",
                  GSETTINGS_SCHEMA_DIR=str(build / "data"),
                  HEAT_LIBRARY=str(build / "data/examples/libheat_kernel.so"))


def take_window(part, name, colours=128):
    """A picture of the window whose title has `part`, when two looks at it are equal."""
    number = ui.wait_for(f"the window {part}", lambda: subprocess.run(
        ["xdotool", "search", "--onlyvisible", "--name", part], capture_output=True, text=True,
        check=False).stdout.split())[-1]
    file = output / f"{name}.png"
    last = None
    subprocess.run(["xdotool", "mousemove", "2", "2", "windowraise", number], check=True)  # no tooltip

    def is_still():
        nonlocal last
        subprocess.run(["import", "-window", number, "+dither", "-colors", str(colours),
                        "-strip", "-define",
                        "png:compression-level=9", f"PNG8:{file}"], check=True)
        before, last = last, file.read_bytes()
        return before == last
    ui.wait_for("a still window", is_still)
    print(f"{file}: {file.stat().st_size} bytes")


class Window:
    """pddt's window on these words, for a with statement."""

    def __init__(self, *words, cwd):
        self.process, self.app = ui.start(str(build / "src/programs/pddt-window"), *words, cwd=cwd)

    def __enter__(self):
        return self.app

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def take_tutorial(folder):
    """The tutorial's own programs, in their sessions."""
    for name, text in re.findall(r"<!-- file (\S+) -->\n```\n(.*?)```\n", (ROOT / "doc/tutorial.md").read_text(), re.S):
        (folder / name).write_text(text)
    for line in ("mpicc -g -O0 ring.c -o ring", "mpif90 -g -O0 average.f90 -o average"):
        subprocess.run(line.split(), cwd=folder, check=True)
    with Window("mpirun", "-np", "4", "./ring", cwd=folder) as app:
        main = ui.window(app, "pddt")
        ui.wait_text(main, "state-summary", "4 ranks: 4 stopped")
        ui.type_line(main, "continue")
        ui.wait_text(main, "state-summary", "4 blocked")
        ui.press(main, "Queue")
        ui.wait_for("the circle", lambda: "wait for each other in a circle" in (ui.text(ui.find(main, id="why-text")) or ""))
        take_window("^pddt", "tutorial-hang")
    with Window("mpirun", "-np", "4", "./average", cwd=folder) as app:
        main = ui.window(app, "pddt")
        ui.wait_text(main, "state-summary", "4 ranks: 4 stopped")
        ui.type_line(main, "continue")
        ui.wait_text(main, "state-summary", "1 crashed (SIGSEGV)")
        ui.type_line(main, "pick 2")
        ui.wait_for("its variables", lambda: "not allocated" in ui.cells(main, "locals"))
        take_window("^pddt", "tutorial-crash")
    subprocess.run([build / "src/programs/pddt", "--profile", "--output", "slow-1", "mpirun", "-np", "4", "python3", "slow.py"],
                   cwd=folder, check=True, stdin=subprocess.DEVNULL, timeout=120)
    with Window("slow-1", cwd=folder) as app:
        ui.wait_for("the activity", lambda: ui.find(app, id="activity"))
        ui.show_page(ui.window(app, "Performance"), "Ranks")
        take_window("Performance", "tutorial-slow")


if sys.argv[1] == "--tutorial":
    with tempfile.TemporaryDirectory() as place:
        take_tutorial(pathlib.Path(place))
    sys.exit()

process, app = ui.start(str(build / "src/programs/pddt-window"), "mpirun", "-np", "8",
                        "python3", "%python_debug%", "heat.py",
                        cwd=pathlib.Path(__file__).resolve().parents[2] / "data/examples")
try:
    main = ui.window(app, "pddt")
    ui.wait_text(main, "state-summary", "8 ranks: 8 stopped")
    ui.type_line(main, "break time_step")
    ui.wait_text(main, "transcript", "breakpoint 1 set")
    ui.press(main, "Continue")
    ui.wait_text(main, "transcript", "0-7: breakpoint 1, time_step")
    ui.type_line(main, "break heat_step")
    ui.wait_text(main, "transcript", "breakpoint 2 set, heat_step")
    ui.press(main, "Continue")
    ui.wait_text(main, "transcript", "0-7: breakpoint 2, heat_step")
    ui.type_line(main, "print cells")
    ui.wait_text(main, "transcript", "0-7: cells = 500")
    take_window("^pddt", "console")
    ui.act(main, "group-window")
    group = ui.window(app, "Ranks 0-7")
    ui.wait_for("locals", lambda: "500" in ui.cells(group, "locals"))
    ui.type_line(group, "on 3 next")
    ui.wait_for("a sad face", lambda: ui.find(group, id="face").get_name() == "sad face")
    ui.wait_text(group, "transcript", "3: stopped, heat_step")
    ui.wait_for("both places", lambda: ui.cells(group, "stack").count("heat_step at ") == 2)
    take_window("^Ranks 0-7", "group")
    ui.screenshot("whole")
    ui.type_line(main, "quit")
    process.wait(120)
finally:
    process.terminate()
    process.wait()

# The Performance window, on a run that is measured now: the Activity, the Timeline and the stacks of a moment.
with tempfile.TemporaryDirectory() as folder:
    shutil.copy(ROOT / "data/examples/mandelbrot.py", folder)  # so that the command has no path
    subprocess.run([build / "src/programs/pddt", "--profile", "--output", "block", "mpirun", "-np", "8",
                    "python3", "mandelbrot.py", "--rows", "512"],
                   cwd=folder, check=True, stdin=subprocess.DEVNULL, timeout=120)
    process, app = ui.start(str(build / "src/programs/pddt-window"), "block", cwd=folder)
    try:
        ui.wait_for("the activity", lambda: ui.find(app, id="activity"))
        take_window("Performance", "activity")
        ui.wait_for("a page", lambda: ui.Atspi.Selection.select_child(ui.find(app, "page tab list"), 1))
        area = ui.wait_for("the timeline", lambda: ui.find(app, id="timeline"))
        place = area.get_extents(ui.Atspi.CoordType.SCREEN)
        subprocess.run(["xdotool", "mousemove", str(place.x + place.width * 11 // 20),
                        str(place.y + 140), "click", "1", "sleep", "1", "mousemove", "2", "2"], check=True)
        ui.wait_for("the stacks", lambda: ui.find(app, id="moment-stacks"))
        take_window("Performance", "performance")
    finally:
        process.terminate()
        process.wait()
