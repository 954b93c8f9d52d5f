# SPDX-License-Identifier: GPL-3.0-or-later
"""How the window program starts when it cannot: statuses and sentences of the contract. And that pddt becomes it where
there is a display."""
import os
import subprocess
import sys
import tempfile

import ui

window = os.path.abspath(sys.argv[1])


def run(*words, **changes):
    environment = {**os.environ, **changes}
    for name in [name for name, value in environment.items() if value is None]:
        del environment[name]
    return subprocess.run([window, *words], env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=60, check=False)


result = run("./no-such-program")
assert result.returncode in (2, 3) and "no-such-program" in result.stderr, result
result = run("--stop-at", "nowhere", "true")
assert result.returncode == 2 and "nowhere" in result.stderr, result
result = run("--no-such-option", "true")
assert result.returncode == 2 and "--no-such-option" in result.stderr, result
result = run("true", DISPLAY=None)
assert result.returncode == 2 and "display" in result.stderr, result
result = run("--version")
assert result.returncode == 0 and result.stdout.startswith("pddt "), result

# An archive in the Performance window.
with tempfile.TemporaryDirectory() as folder:
    subprocess.run([os.path.join(os.path.dirname(window), "pddt"), "--profile", "--output", "block", sys.executable, "-c",
                    "print(sum(range(10 ** 7)))"], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=True, timeout=60)
    process, app = ui.start(os.path.join(os.path.dirname(window), "pddt"), "block", cwd=folder)
    try:
        shown = ui.window(app, "Performance")
        ui.wait_for("its rank", lambda: "rank 0" in (ui.find(shown, id="range").get_name() or ui.text(ui.find(shown, id="range"))))
        ui.screenshot("archive")
    finally:
        process.kill()
        process.wait()

# pddt itself: with a job its console window, without one the Run dialog.
for words, title in (["/bin/sleep", "1000"], "pddt"), ([], "New Session"):
    process, app = ui.start(os.path.join(os.path.dirname(window), "pddt"), *words)
    try:
        shown = ui.window(app, title)
        if words:
            ui.wait_text(shown, "state-summary", "1 rank: 1 stopped")
            ui.type_line(shown, "quit")
        else:
            ui.press(shown, "Cancel")
        assert process.wait(120) == 0, process.returncode
    finally:
        process.kill()
        process.wait()
