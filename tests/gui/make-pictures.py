# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the README's pictures from real windows: BUILD OUTPUT-FOLDER. Run it as
SCREEN=1920x1080x24 WITH_WM=1 PYTHONPATH=tests/support tests/support/with-display \\
    /usr/bin/python3 tests/gui/make-pictures.py build data/pictures
With --all before them it needs no display of its own: every window, dialog, page and menu, light and
dark, in each language, and at twice the size, each in a folder of its own, to be looked at."""
import os
import pathlib
import subprocess
import sys

import ui

LANGUAGES = ("C", "de", "fr", "es", "zh_CN", "ja")


def take_all(build_folder, folder):
    """Pictures by every-window, which looks for what is wrong too; the exit status is the number
    of variants with a complaint."""
    here = pathlib.Path(__file__).resolve().parent
    bad = 0
    for language in LANGUAGES:
        for theme in ("Adwaita", "Adwaita:dark"):
            for scale in ("1", "2") if language == "C" else ("1",):
                name = f"{language}-{'dark' if ':' in theme else 'light'}-{scale}"
                (folder / name).mkdir(parents=True, exist_ok=True)
                done = subprocess.run(
                    [here.parent / "support/with-display", build_folder / "tests/gui/every-window",
                     here / "sample.c", folder / name], check=False,
                    env={**os.environ, "LANGUAGE": language, "GTK_THEME": theme,
                         "GDK_SCALE": scale, "WITH_WM": "1",
                         "SCREEN": "1280x900x24" if scale == "1" else "2560x1800x24",
                         "GSETTINGS_SCHEMA_DIR": str(build_folder / "data")})
                bad += done.returncode != 0
                print(f"{folder / name}: {len(list((folder / name).iterdir()))} pictures")
    return bad


if sys.argv[1] == "--all":
    sys.exit(take_all(*(pathlib.Path(word).resolve() for word in sys.argv[2:])))

build, output = (pathlib.Path(word).resolve() for word in sys.argv[1:])
os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                  OMPI_MCA_rmaps_base_oversubscribe="1", PATH="/usr/bin:/bin",
                  GSETTINGS_SCHEMA_DIR=str(build / "data"),
                  HEAT_LIBRARY=str(build / "data/examples/libheat_kernel.so"))


def take(part, name, colours=128):
    """A picture of the window whose title has `part`, when two looks at it are equal."""
    number = ui.wait_for(f"the window {part}", lambda: subprocess.run(
        ["xdotool", "search", "--onlyvisible", "--name", part], capture_output=True, text=True,
        check=False).stdout.split())[-1]
    file = output / f"{name}.png"
    last = None
    subprocess.run(["xdotool", "windowraise", number], check=True)

    def is_still():
        nonlocal last
        subprocess.run(["import", "-window", number, "+dither", "-colors", str(colours),
                        "-strip", "-define",
                        "png:compression-level=9", f"PNG8:{file}"], check=True)
        before, last = last, file.read_bytes()
        return before == last
    ui.wait_for("a still window", is_still)
    print(f"{file}: {file.stat().st_size} bytes")


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
    take("^pddt", "console")
    ui.press(main, "Group Window")
    group = ui.window(app, "Ranks 0-7")
    ui.wait_for("locals", lambda: "500" in ui.cells(group, "locals"))
    ui.type_line(group, "on 3 next")
    ui.wait_for("a sad face", lambda: ui.find(group, id="face").get_name() == "sad face")
    ui.wait_text(group, "transcript", "3: stopped, heat_step")
    ui.wait_for("both places", lambda: ui.cells(group, "stack").count("heat_step at ") == 2)
    take("^Ranks 0-7", "group")
    ui.screenshot("whole")
    ui.type_line(main, "quit")
    process.wait(30)
finally:
    process.terminate()
    process.wait()
