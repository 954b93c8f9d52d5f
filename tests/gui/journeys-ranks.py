# SPDX-License-Identifier: GPL-3.0-or-later
"""Scripted jobs: by keyboard alone, in the dark, with a lost host, with a hundred thousand ranks,
and what a screen reader finds in every window."""
import os
import sys
import time

import ui
from journey import Scripted, journey, run
from ui import Atspi

PROGRAM = os.path.abspath(sys.argv[1])
FOCUSABLE = {"push button", "toggle button", "check box", "radio button", "text", "combo box",
             "spin button", "table", "tree table", "chart", "menu item", "password text", "entry"}


def nameless(root):
    """What can get the focus, and has no name to be read out."""
    for node in ui.walk(root):
        states = node.get_state_set()
        if (states.contains(Atspi.StateType.FOCUSABLE) and states.contains(Atspi.StateType.SHOWING)
                and ui.role_of(node) in FOCUSABLE and not (node.get_name() or "").strip()):
            label = [r for r in node.get_relation_set()
                     if r.get_relation_type() == Atspi.RelationType.LABELLED_BY]
            parent = node.get_parent()
            if not label and not (parent.get_name() or "").strip():
                yield (ui.role_of(node), node.get_accessible_id(), ui.role_of(parent),
                       parent.get_parent().get_role_name())


def assert_named(*roots):
    for root in roots:
        assert sum(1 for _ in ui.walk(root)) > 15, root.get_name()
        found = list(nameless(root))
        assert not found, (root.get_name(), found)


def focused(root):
    return next((n for n in ui.walk(root) if ui.is_focused(n)), None)


@journey
def everything_has_a_name():
    with Scripted(PROGRAM) as window:
        window.play("state 1,5 breakpoint work 19")
        ui.wait_text(window.main, "state-summary", "2 at a breakpoint")
        ui.type_line(window.main, "set left = 0-3")
        ui.act(window.main, "group-window")
        group = ui.window(window.app, "Ranks 0-7")
        for page in ("Output", "Groups", "Ranks", "Breakpoints", "Queue", "Log", "Commands"):
            ui.show_page(window.main, page)
            ui.wait_for(page, lambda: True)
            assert_named(window.main)
        for page in ("Places", "Ranks", "Threads", "Stack", "Watches", "Breakpoints", "Registers",
                     "Assembly", "Locals"):
            ui.show_page(group, page)
            assert_named(group)
        ui.find(window.main, id="chart").grab_focus()
        ui.press_until("a selection", "ctrl+a", lambda: "8 ranks" in ui.text(
            ui.find(window.main, id="selection")))
        ui.act(window.main, "selection-combine")
        ui.wait_for("the popover", lambda: ui.find(window.app, id="selection-other"))
        assert_named(window.app)
        ui.xdo("key", "Escape")
        ui.press_until("the preferences", "ctrl+comma", lambda: next(
            (w for w in ui.children(window.app) if w.get_name() == "Preferences"), None))
        assert_named(ui.window(window.app, "Preferences"))
        ui.xdo("key", "Escape")


@journey
def variables_of_one_function_are_compared():
    """A double click on the other ranks' values opens their comparison; ranks in another function are left out until
    the user wants them."""
    with Scripted(PROGRAM) as window:
        window.play("state 0-4 breakpoint work 19")
        window.play("state 5-7 breakpoint other 23")
        ui.wait_text(window.main, "state-summary", "8 at a breakpoint")
        ui.act(window.main, "group-window")
        group = ui.window(window.app, "Ranks 0-7")

        ui.wait_for("the locals", lambda: "[0..4]" in ui.cells(group, "locals"))
        shown = ui.do_until("the comparison", lambda: ui.click_cell(
            group, "locals", "[0..4]", "click", "--repeat", "2", "--delay", "60", "1"), lambda: ui.window_now(window.app, "rank"))
        said = ui.wait_text(shown, "compare-numbers", "5 ranks")
        assert "5 values" in said and "from 0 at 0 to 4 at 4, mean 2" in said, said
        ui.wait_text(shown, "compare-problem", "3 of 8 ranks were not compared")
        box = ui.find(shown, id="compare-only-here")
        assert box.get_name() == "Only ranks in work", box.get_name()
        box.do_action(0)
        said = ui.wait_text(shown, "compare-numbers", "8 ranks")
        assert "from 0 at 0 to 7 at 7, mean 3.5" in said, said
        ui.wait_for("no more to say", lambda: not ui.find(shown, id="compare-problem").get_state_set().contains(
            Atspi.StateType.SHOWING))
        assert_named(shown)
        ui.screenshot("compare-all")
        ui.show_page(shown, "By Rank")
        ui.screenshot("compare-plot")
        ui.show_page(shown, "Histogram")

        def choose():
            plot = ui.find(shown, id="compare-histogram").get_extents(Atspi.CoordType.SCREEN)
            ui.xdo("mousemove", plot.x + plot.width - 20, plot.y + plot.height // 2, "click", "1")
        ui.do_until("the last rank", choose, lambda: "1 rank chosen: 7" in ui.text(ui.find(shown, id="compare-chosen")))
        ui.screenshot("compare-histogram")
        ui.xdo("key", "Escape")


@journey
def keyboard_only():
    with Scripted(PROGRAM) as window:
        ui.xdo("type", "break sample.c:24")
        ui.xdo("key", "Return")
        ui.wait_text(window.main, "transcript", "breakpoint 1 set, work at sample.c:24")
        # Tab goes round the whole window and comes back; nothing keeps it.
        seen = []
        for _ in range(200):  # on a busy machine some places are not seen each time
            ui.xdo("key", "Tab")
            time.sleep(0.02)
            node = focused(window.main)
            seen.append(node.get_accessible_id() or node.get_name() if node else None)
            if seen.count("chart") > 1:
                break
        assert seen.count("chart") > 1, seen
        assert {"act-on-entry", "chart", "Update", "menu"} <= set(seen), seen
        ui.press_until("the chart's first rank", "Home", lambda: "1 rank selected: 0" in ui.text(
            ui.find(window.main, id="selection")))
        ui.xdo("key", "shift+Right", "shift+Right", "Return")
        group = ui.window(window.app, "Ranks 0-2")
        ui.wait_for("the focus in the group's window", lambda: focused(group))
        ui.press_until("a step", "F10", lambda: "on 0-2 next" in ui.text(
            ui.find(group, id="transcript")))
        ui.press_until("the source", "ctrl+g", lambda: ui.is_focused(ui.find(group, id="open")))
        ui.xdo("type", "24")
        ui.xdo("key", "Return")
        ui.press_until("a breakpoint gone", "F9", lambda: "on 0-2 delete 1" in ui.text(
            ui.find(group, id="transcript")))
        ui.press_until("the command line", "ctrl+k",
                       lambda: ui.is_focused(ui.find(group, id="command")))
        ui.screenshot("keyboard")


@journey
def dark_colours_are_the_palette():
    with Scripted(PROGRAM, GTK_THEME="Adwaita:dark") as window:
        window.play("state 3 signal work 23 SIGFPE")
        window.play("state 4 failed work 23")
        ui.wait_text(window.main, "state-summary", "1 crashed (SIGFPE)")

        def colour(rank):           # the chart moves down when the info bar opens
            chart = ui.find(window.main, id="chart").get_extents(Atspi.CoordType.SCREEN)
            return ui.pixel(chart.x + 8 + 72 * rank + 10, chart.y + 55)
        ui.wait_for("the dark palette", lambda: colour(0) == (0x8f, 0xd0, 0xf5))
        ui.wait_for("the signal's colour", lambda: colour(3) == (0xe8, 0x70, 0x2a))
        ui.wait_for("the failed one's", lambda: colour(4) == (0xd0, 0x70, 0xae))
        ui.act(window.main, "group-window")
        group = ui.window(window.app, "Ranks 0-7")
        ui.wait_for("the source", lambda: "//@ work" in (ui.text(ui.find(group, id="source")) or ""))
        assert sum(ui.sample(group, 0.55, 0.6)) < 300, "the source is dark too"
        ui.screenshot("dark")


@journey
def a_host_is_lost():
    with Scripted(PROGRAM) as window:
        window.play("state 0-7 breakpoint work 19")
        ui.wait_text(window.main, "state-summary", "8 at a breakpoint")
        window.play("state 4-7 lost work 19")
        ui.wait_text(window.main, "state-summary", "8 ranks: 4 lost, 4 at a breakpoint")
        ui.wait_text(window.main, "info", "4-7: lost")
        ui.act(window.main, "info-open")
        group = ui.window(window.app, "Ranks 4-7")
        assert not ui.find(group, "push button", "Over").get_state_set().contains(
            Atspi.StateType.SENSITIVE), "nobody can step what is lost"
        ui.press(window.main, "Over")
        ui.wait_text(window.main, "state-summary", "4 lost")
        ui.show_page(window.main, "Log")
        ui.wait_text(window.main, "log", "4-7: lost")
        ui.screenshot("lost-host")


@journey
def a_hundred_thousand_ranks():
    with Scripted(PROGRAM, ranks=100000) as window:
        ui.wait_text(window.main, "state-summary", "100000 ranks: 100000 stopped")
        ui.wait_for("values of one", lambda: "not read" in ui.cells(window.main, "locals"))
        window.play("state 0-99999 running work 20")
        ui.wait_text(window.main, "state-summary", "100000 running")
        window.play("state 77777 signal work 23 SIGSEGV")
        ui.wait_text(window.main, "state-summary", "1 crashed (SIGSEGV), 99999 running")
        # One rank of a hundred thousand is found without looking for a pixel.
        ui.wait_for("its button", lambda: ui.find(window.main, name="Signal 1")).do_action(0)
        ui.wait_text(window.main, "selection", "1 rank selected: 77777")
        ui.act(window.main, "selection-complement")
        ui.wait_text(window.main, "selection", "99999 ranks selected: 0-77776,77778-99999")
        ui.show_page(window.main, "Groups")
        ui.wait_for("the groups", lambda: "1 77777" in ui.cells(window.main, "groups"))
        ui.show_page(window.main, "Ranks")
        ui.act(window.main, "selection-complement")
        ui.act(window.main, "only-selected")
        ui.wait_for("one row", lambda: "work at sample.c:23" in ui.cells(window.main, "ranks"))
        ui.screenshot("hundred-thousand")
        with open(f"/proc/{window.process.pid}/status", encoding="utf-8") as file:
            resident = next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))
        assert resident < 300 * 1024, resident


@journey
def values_of_4096_ranks_are_read():
    for ranks, is_read in ((4096, True), (4097, False)):
        with Scripted(PROGRAM, ranks=ranks) as window:
            ui.wait_text(window.main, "state-summary", f"{ranks} stopped")
            ui.wait_for("values", lambda: (f"[0..{ranks - 1}]" if is_read else "not read")
                        in ui.cells(window.main, "locals"))


@journey
def every_window_fits_in_every_language():
    for language in ("de", "fr", "es", "zh_CN", "ja"):
        with Scripted(PROGRAM, LANGUAGE=language) as window:
            ui.find(window.main, id="chart").grab_focus()
            ui.press_until("a selection", "ctrl+a", lambda: "0-7" in ui.text(
                ui.find(window.main, id="selection")))
            for root in (window.main,):
                box = root.get_extents(Atspi.CoordType.SCREEN)
                assert box.width <= 1280, (language, box.width)
            clipped = [n.get_name() for n in ui.walk(window.main)
                       if ui.role_of(n) in ("push button", "toggle button", "page tab")
                       and n.get_state_set().contains(Atspi.StateType.SHOWING)
                       and "…" in (n.get_name() or "")[:-1]]
            assert not clipped, (language, clipped)
            ui.screenshot("selection-" + language)


run()
