# SPDX-License-Identifier: GPL-3.0-or-later
"""Both windows in each language: translated, and no wider than a screen of 1280 pixels. What the session
says is translated in the log, and English where the command language answers."""
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

# Of a command that one rank does not answer: its progress, and what the log says of its end.
WAITING = {"de": "where: 7 von 8 Rängen haben geantwortet", "fr": "where : 7 rangs sur 8 ont répondu",
           "es": "where: han respondido 7 de 8 rangos", "zh_CN": "where：7 / 8 个进程已答复",
           "ja": "where: 7 / 8 ランクが応答しました"}
CANCELLED = {"de": "abgebrochen: where, 7 von 8 Rängen hatten geantwortet",
             "fr": "annulé : where, 7 rangs sur 8 avaient répondu",
             "es": "cancelado: where, habían respondido 7 de 8 rangos",
             "zh_CN": "已取消：where，7 / 8 个进程已答复",
             "ja": "キャンセルしました: where、7 / 8 ランクが応答済み"}


def check_fits(window, language):
    box = window.get_extents(Atspi.CoordType.SCREEN)
    assert box.width <= 1290, (language, window.get_name(), box.width)


def check_messages(main, group, language):
    """What is cancelled in another window than that of the command is said by the session."""
    ui.type_line(main, "where")
    ui.wait_text(group, "progress", WAITING[language])
    ui.act(group, "progress-cancel")
    ui.wait_text(main, "log", CANCELLED[language])
    transcript = ui.wait_text(main, "transcript", "note: cancelled: where, 7 of 8 ranks had answered")
    assert CANCELLED[language] not in transcript, transcript


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
        process.stdin.write("mute 3\n")
        process.stdin.flush()
        check_messages(main, group, language)
    finally:
        process.kill()
        process.wait()
