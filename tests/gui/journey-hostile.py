# SPDX-License-Identifier: GPL-3.0-or-later
"""A program whose names contain control characters, direction marks and markup, and a measurement of one with the names
of tests/support/hostile.py: no widget of any window has them in its name, description or text; it shows the names escaped."""
import os
import subprocess
import sys
import tempfile

import hostile
import ui
from gi.repository import Atspi

window, source = sys.argv[1:3]


def list_texts(app):
    """Of every widget and cell of all windows."""
    for i in range(app.get_child_count()):
        for node in ui.walk(app.get_child_at_index(i)):
            try:
                yield node.get_name() or ""
                yield node.get_description() or ""
                if "Text" in Atspi.Accessible.get_interfaces(node):
                    yield ui.text(node)
            except ui.GLib.Error:
                continue


def check(app, *expected):
    """All that is expected is shown, and nothing that is forbidden."""
    def shown():
        texts = list(list_texts(app))
        for text in texts:
            assert not hostile.FORBIDDEN.search(text), text
        return all(any(word + r"\x1b[2J" in text for text in texts) for word in expected)
    ui.wait_for(", ".join(expected), shown)


with tempfile.TemporaryDirectory() as scratch:
    process, app = ui.start(window, hostile.build(source, scratch))
    try:
        main = ui.window(app, "pddt")
        ui.wait_text(main, "state-summary", "1 rank: 1 stopped")
        for line in ("break evil_function", "continue"):
            ui.type_line(main, line)
        ui.wait_text(main, "state-summary", "1 rank: 1 at a breakpoint")
        for line in ("where", "show locals", "show threads", "show modules", "ptype spin", "next", "wait 120"):
            ui.type_line(main, line)
        check(app, "evil_function", "evil_file", "evil_local", "evil_argument", "t")
        ui.screenshot("hostile-names")
        ui.find(main, id="chart").grab_focus()
        ui.press_until("a selection", "ctrl+a", lambda: "1 rank" in ui.text(ui.find(main, id="selection")))
        ui.act(main, "selection-open")
        group = ui.wait_for("the group window", lambda: next(
            (w for i in range(app.get_child_count()) if (w := app.get_child_at_index(i)) and w != main), None))
        assert group is not None
        check(app, "evil_function", "evil_file", "evil_local")
        for line in ("next", "next", "next", "wait 120", "show breakpoints", "where full"):
            ui.type_line(main, line)
        check(app, "evil_member", "evil_one")
        ui.screenshot("hostile-group")
        ui.type_line(main, "quit")
        assert process.wait(120) == 0, process.returncode
    finally:
        process.terminate()
        process.wait()

with tempfile.TemporaryDirectory() as scratch:
    pddt = os.path.join(os.path.dirname(os.path.abspath(window)), "pddt")
    with open(os.path.join(scratch, "program.py"), "w", encoding="utf-8") as file:
        file.write(hostile.PROGRAM % (hostile.NAMES,))
    subprocess.run([pddt, "--trace", "--output", "evil", sys.executable, "program.py"], cwd=scratch, check=True,
                   stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
    process, app = ui.start(pddt, "evil", cwd=scratch)
    try:
        ui.show_page(ui.window(app, "Performance"), "Functions")

        def shows(name):
            texts = list(list_texts(app))
            for text in texts:
                assert not hostile.FORBIDDEN.search(text), text
            return any(name in text for text in texts)
        for expected in hostile.MARKUP, "=evil(1)", r"\x1b]0;evil\a", r"evil\u202egnp", "[evil](http://evil)":
            ui.wait_for(expected, lambda name=expected: shows(name))
        ui.screenshot("hostile-measured")
    finally:
        process.kill()
        process.wait()
