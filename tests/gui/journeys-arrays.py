# SPDX-License-Identifier: GPL-3.0-or-later
"""Fortran arrays in a real window: bounds, order, strides, sections, slices, NaN, one rank's values and the same
values of all, and exported files that numpy reads."""
import os
import subprocess
import sys

import numpy
import launching
import ui
from journey import Program, journey, run
from ui import Atspi

WINDOW = os.path.abspath(sys.argv[1])
FIELDS = os.path.join(os.environ["PDDT_INFERIORS"], "inferior-fields")
SOURCE = os.path.join(os.environ["PDDT_INFERIOR_SOURCES"], "fields.f90")
os.environ.update(launching.ENVIRONMENT)
LINE = numpy.arange(1, 7) * 1.5


def mark(name):
    with open(SOURCE, encoding="utf-8") as file:
        return next(n for n, text in enumerate(file, 1) if f"!@ {name}" in text)


def stop_at(window, title, name):
    """Runs all ranks to the mark; gives their group's window."""
    ui.wait_text(window.main, "state-summary", "stopped")
    ui.act(window.main, "group-window")
    group = ui.window(window.app, title)
    ui.type_line(group, f"tbreak fields.f90:{mark(name)}")
    ui.type_line(group, "continue")
    ui.wait_text(group, "transcript", f"at fields.f90:{mark(name)}")
    return group


def show(array, expression, elements):
    entry = ui.find(array, id="array-expression")
    Atspi.EditableText.set_text_contents(entry, expression)
    Atspi.Action.do_action(entry, 0)
    ui.wait_text(array, "array-numbers", f"{elements} elements")


def save(app, array, button, file):
    ui.press(array, button)
    dialog = ui.window(app, "Save the Array")
    entry = ui.wait_for("the name's entry", lambda: next(
        (n for n in ui.walk(dialog) if ui.role_of(n) == "text" and ui.is_focused(n)), None))
    Atspi.EditableText.set_text_contents(entry, os.path.abspath(file))
    ui.press(dialog, "Save")
    ui.wait_for(file, lambda: os.path.exists(file))
    if file.endswith(".npy"):
        return ui.wait_for("the whole file", lambda: load(file))[0]
    with open(file, encoding="utf-8") as content:
        return content.read()


def open_array(window, group, name):
    """By the menu of a local variable."""
    ui.wait_for("the locals", lambda: name in ui.cells(group, "locals"))
    ui.find_cell(group, "locals", name).grab_focus()    # into view, where the pane is low
    for _ in range(5):          # a menu that is open while the values are filled in anew goes with them
        ui.click_cell(group, "locals", name, "click", "3")
        try:
            ui.wait_for("the menu", lambda: ui.find(window.app, "menu item", "Show as Array"),
                        10).do_action(0)
            return ui.window(window.app, name, 20)
        except SystemExit:
            ui.xdo("key", "Escape")
    return ui.window(window.app, name)


def load(file):
    try:
        return [numpy.load(file)]
    except (ValueError, EOFError):
        return None


def one_column(array):
    """The elements of a vector, without the titles of table, column and rows."""
    return " ".join(ui.cells(array, "array-table").split()[3::2])


def titles(array):
    """What stands above the columns."""
    table = ui.find(array, id="array-table")
    return [n.get_name() for n in ui.walk(table) if ui.role_of(n) == "table column header"]


@journey
def arrays_of_fortran():
    with Program(WINDOW, FIELDS) as window:
        group = stop_at(window, "Rank 0", "main")
        array = open_array(window, group, "fixed")
        # fixed(-1:1, 2): rows and columns are numbered as the program does.
        said = ui.wait_text(array, "array-numbers", "6 elements")
        assert "min 11 at (-1,1)" in said and "max 23 at (1,2)" in said, said
        ui.wait_for("the rows", lambda: "0 12 22 1 13 23" in ui.cells(array, "array-table"))
        assert titles(array)[1:3] == ["1", "2"], titles(array)
        fixed = save(window.app, array, "Save .npy", "fixed.npy")
        assert fixed.flags.f_contiguous and not fixed.flags.c_contiguous
        assert (fixed == [[11, 21], [12, 22], [13, 23]]).all(), fixed
        assert save(window.app, array, "Save .csv", "fixed.csv") == "11,21\n12,22\n13,23\n"
        # Allocatable, with a hole in it; from its second row on.
        show(array, "field", 12)
        said = ui.text(ui.find(array, id="array-numbers"))
        assert "NaN 1" in said and "max 34 at (3,4)" in said and "min 2 at (0,2)" in said, said
        assert titles(array)[1:4] == ["2", "3", "4"], titles(array)
        field = save(window.app, array, "Save .npy", "field.npy")
        expected = numpy.add.outer(10.0 * numpy.arange(4), numpy.arange(2, 5))
        expected[1, 1] = numpy.nan
        numpy.testing.assert_array_equal(field, expected)
        # Three dimensions: any two of them, the third by its index.
        show(array, "box", 24)
        said = ui.text(ui.find(array, id="array-numbers"))
        assert "max 234 at (2,3,4)" in said, said
        box = save(window.app, array, "Save .npy", "box.npy")
        assert box.shape == (2, 3, 4) and box[1, 2, 3] == 234 and box[0, 2, 1] == 132
        index = ui.wait_for("the index", lambda: ui.find(array, "spin button", "Index 3"))
        Atspi.Value.set_current_value(index, 3)
        ui.wait_for("its slice", lambda: "123" in ui.cells(array, "array-table"))
        assert "213" in ui.cells(array, "array-table"), ui.cells(array, "array-table")
        # Strides of pointers, forwards and backwards, sections, complex numbers.
        show(array, "column", 3)
        ui.wait_for("every second", lambda: "1.5 4.5 7.5" in one_column(array))
        show(array, "back", 6)
        assert (save(window.app, array, "Save .npy", "back.npy") == LINE[::-1]).all()
        show(array, "box(2,:,2:4:2)", 6)
        assert (save(window.app, array, "Save .npy", "section.npy")
                == [[212, 214], [222, 224], [232, 234]]).all()
        show(array, "waves", 2)
        ui.wait_for("complex numbers", lambda: "1-2j 3+4j" in one_column(array))
        entry = ui.find(array, id="array-expression")
        ui.show_page(array, "NaN Map")
        Atspi.EditableText.set_text_contents(entry, "never")
        Atspi.Action.do_action(entry, 0)
        ui.wait_text(array, "array-problem", "not allocated")
        # Nothing under this title is another array's.
        ui.wait_for("no numbers", lambda: not ui.text(ui.find(array, id="array-numbers")))
        ui.screenshot("array-fortran")
        show(array, "waves", 2)
        ui.screenshot("array-again")


@journey
def arguments_of_assumed_shape():
    with Program(WINDOW, FIELDS) as window:
        group = stop_at(window, "Rank 0", "look")
        array = open_array(window, group, "part")
        ui.wait_text(array, "array-numbers", "4 elements")
        part = save(window.app, array, "Save .npy", "part.npy")
        assert (part == [[2, 4], [22, 24]]).all(), part
        # rest(0:n, *): nobody knows how long it is, but a section can be had.
        entry = ui.find(array, id="array-expression")
        Atspi.EditableText.set_text_contents(entry, "rest")
        Atspi.Action.do_action(entry, 0)
        ui.wait_text(array, "array-problem", "of known length")
        show(array, "rest(:,1:2)", 6)
        assert (save(window.app, array, "Save .npy", "rest.npy") == [[0, 3], [1, 4], [2, 5]]).all()


@journey
def the_same_array_of_all_ranks():
    with Program(WINDOW, "mpirun", "-np", "3", FIELDS) as window:
        group = stop_at(window, "Ranks 0-2", "main")
        array = open_array(window, group, "back")
        show(array, "line", 6)
        ui.choose(array, "array-rank", 0)
        said = ui.wait_text(array, "array-numbers", "18 elements")
        assert "max 109 at 1: (6)" in said, said
        rows = " ".join(ui.cells(array, "array-table").split())
        assert "rank 1 101.5 103" in rows and "rank 2 1.5 3" in rows, rows
        whole = save(window.app, array, "Save .npy", "all.npy")
        assert whole.shape == (6, 3), whole.shape
        for rank in range(3):       # ranks 0 and 2 have the same, and stand on both sides of 1
            assert (whole[:, rank] == LINE + 100 * (rank % 2)).all(), whole
        # One rank has no such array any more: the others' are shown, and it is named.
        ui.type_line(group, "on 1 next")
        ui.wait_text(group, "transcript", "1: ")
        ui.type_line(group, "on 1 continue")
        ui.wait_text(window.main, "state-summary", "1 exited")
        ui.press(array, "Update")
        ui.wait_text(array, "array-problem", "1: ")
        ui.wait_text(array, "array-numbers", "12 elements")
        ui.screenshot("array-all")


def choose_value(app, root, id, name, item):
    """An item of the menu of a value."""
    ui.wait_for("the value", lambda: name in ui.cells(root, id))
    for _ in range(5):          # a menu that is open while the values are filled in anew goes with them
        ui.find_cell(root, id, name).grab_focus()
        ui.click_cell(root, id, name, "click", "3")
        try:
            ui.wait_for("the menu", lambda: ui.find(app, "menu item", item), 10).do_action(0)
            return
        except SystemExit:
            ui.xdo("key", "Escape")
    raise SystemExit(f"no menu with {item}")


@journey
def one_value_over_all_ranks():
    """Which value which ranks have, as a table, a picture and a histogram, and a window of those who have one."""
    with Program(WINDOW, "mpirun", "-np", "3", FIELDS) as window:
        group = stop_at(window, "Ranks 0-2", "main")
        choose_value(window.app, group, "locals", "rank", "Compare Ranks")
        compare = ui.window(window.app, "rank")
        said = ui.wait_text(compare, "compare-numbers", "3 values")
        assert said.startswith("3 ranks") and "from 0 at 0 to 2 at 2, mean 1" in said, said
        ui.wait_for("the table", lambda: "0 0 1 1 1 1 2 2 1" in ui.cells(compare, "compare-values"))
        entry = ui.find(compare, id="compare-expression")
        Atspi.EditableText.set_text_contents(entry, "line(1)")
        Atspi.Action.do_action(entry, 0)
        ui.wait_text(compare, "compare-numbers", "2 values")
        ui.wait_for("who has what", lambda: "1.5 0,2 2 101.5 1 1" in ui.cells(compare, "compare-values"))
        ui.screenshot("compare-values")
        for page in "By Rank", "Histogram":
            ui.show_page(compare, page)
            ui.screenshot("compare-" + page.split()[0].lower())
        ui.show_page(compare, "Values")
        ui.do_until("who has it", lambda: ui.click_cell(compare, "compare-values", "1.5", "click", "1"),
                    lambda: "2 ranks chosen: 0,2" in ui.text(ui.find(compare, id="compare-chosen")))
        ui.press(compare, "Group Window")
        ui.close(ui.window(window.app, "Ranks 0,2"))
        choose_value(window.app, group, "locals", "rank", "Stop When Changed")
        ui.wait_text(group, "transcript", "on 0-2 watch rank")
        # A rank in another function has no such variable, and is counted.
        ui.type_line(group, "on 1 continue")
        ui.wait_text(window.main, "state-summary", "1 exited")
        ui.wait_text(compare, "compare-age", "as of")
        ui.press(compare, "Update")
        ui.wait_text(compare, "compare-problem", "1 of 3 ranks was not compared")
        ui.wait_text(compare, "compare-numbers", "2 ranks")


CONTAINER = """#include <vector>
#include <cmath>
int main ()
{
    std::vector<double> heat = { 1.5, NAN, 4.5 };
    double lost[2] = { NAN, INFINITY };
    short plain[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
    return (int) heat.size () + plain[1][2] + (lost[0] > 0);
}
"""


@journey
def arrays_of_c_and_cxx():
    with open("container.cc", "w", encoding="utf-8") as file:
        file.write(CONTAINER)
    subprocess.run(["c++", "-g", "-O0", "-o", "container", "container.cc"], check=True)
    with Program(WINDOW, "./container") as window:
        ui.wait_text(window.main, "state-summary", "stopped")
        ui.act(window.main, "group-window")
        group = ui.window(window.app, "Rank 0")
        ui.type_line(group, "until container.cc:8")
        ui.wait_text(group, "transcript", "at container.cc:8")
        array = open_array(window, group, "heat")
        said = ui.wait_text(array, "array-numbers", "3 elements")
        assert "NaN 1" in said and "max 4.5 at" in said, said
        # Where no number is finite there is no least one, and none is made up.
        show(array, "lost", 2)
        said = ui.text(ui.find(array, id="array-numbers"))
        assert "NaN 1 \u00b7 infinite 1" in said and "min" not in said, said
        show(array, "plain", 6)
        assert (save(window.app, array, "Save .npy", "plain.npy") == [[1, 2, 3], [4, 5, 6]]).all()


os.chdir(os.environ["HOME"])
@journey
def what_python_computes():
    """At a Python line: whatever print can compute is shown as an array."""
    with open("computed.py", "w", encoding="ascii") as file:
        file.write("import numpy\nrank = 2\ntable = numpy.arange(6.0).reshape(2, 3) + 100 * rank\n"
                   "z = numpy.array([1 + 2j, 3 - 1j])\nprint(table.sum())\n")
    with Program(WINDOW, "/usr/bin/python3", "%python_debug%", "computed.py") as window:
        ui.wait_text(window.main, "state-summary", "stopped")
        ui.act(window.main, "group-window")
        group = ui.window(window.app, "Rank 0")
        ui.type_line(group, "until 5")
        ui.wait_text(group, "transcript", "at computed.py:5")
        array = open_array(window, group, "table")
        show(array, "table - 100*rank", 6)
        ui.wait_for("what was computed", lambda: "0 0 1 2 1 3 4 5" in ui.cells(array, "array-table"))
        show(array, "z.real", 2)
        ui.wait_for("the real parts", lambda: one_column(array) == "1 3")
        entry = ui.find(array, id="array-expression")
        Atspi.EditableText.set_text_contents(entry, "rank + 1")
        Atspi.Action.do_action(entry, 0)
        ui.wait_text(array, "array-problem", 'cannot show "rank + 1" as an array: not a numpy array')


run()
