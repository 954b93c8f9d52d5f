# SPDX-License-Identifier: GPL-3.0-or-later
"""Both windows in each language: translated, and no wider than a screen of 1280 pixels."""
import os
import subprocess
import sys

import ui
from ui import Atspi

WORDS = {"de": ("Aktualisieren", "8 Ränge: ", "Aufrufe"), "fr": ("Actualiser", "8 rangs : ", "Pile"),
         "es": ("Actualizar", "8 rangos: ", "Pila"), "zh_CN": ("更新", "8 个进程：", "调用栈"),
         "ja": ("更新", "8 ランク: ", "スタック")}
GROUP = {"de": "Ränge 0-7", "fr": "Rangs 0-7", "es": "Rangos 0-7", "zh_CN": "进程 0-7",
         "ja": "ランク 0-7"}


def check_fits(window, language):
    box = window.get_extents(Atspi.CoordType.SCREEN)
    assert box.width <= 1290, (language, window.get_name(), box.width)


for language, (update, ranks, stack) in WORDS.items():
    os.environ["LANGUAGE"] = language
    process, app = ui.start(sys.argv[1], "8", os.environ["PDDT_SAMPLE"], stdin=subprocess.PIPE,
                            text=True)
    try:
        main = ui.window(app, "pddt")
        ui.wait_text(main, "state-summary", ranks)
        assert ui.find(main, "push button", update), language
        check_fits(main, language)
        button = ui.wait_for("Group Window", lambda: next(
            n for n in ui.walk(main) if n.get_accessible_id() == "group-window"))
        button.do_action(0)
        group = ui.window(app, GROUP[language])
        assert ui.wait_for("the stack's page", lambda: ui.find(group, "page tab", stack)), language
        check_fits(group, language)
        ui.screenshot("language-" + language)
    finally:
        process.kill()
        process.wait()
