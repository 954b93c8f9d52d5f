# SPDX-License-Identifier: GPL-3.0-or-later
"""Drives a window over AT-SPI, as a screen reader would."""
import os
import subprocess
import time

import gi
gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib


def wait_for(what, probe, timeout_s=float(os.environ.get("PDDT_PATIENCE", "120"))):
    left_s, last = timeout_s, time.monotonic()
    while True:
        try:
            found, why = probe(), ""
        # The object has vanished, or the bus is not ready; so nothing was found that could be asked.
        except (GLib.Error, AttributeError, TypeError) as error:
            found, why = None, f" ({type(error).__name__}: {error})"
        if found:
            return found
        if left_s < 0:
            raise SystemExit(f"timed out waiting for {what}{why}")
        time.sleep(0.03)
        now = time.monotonic()
        left_s, last = left_s - min(now - last, 1), now  # a machine that stands still takes nobody's time


NEW_ROLES = {"button": "push button"}  # names that at-spi2-core 2.56 has changed


def role_of(node):
    """The name of the node's role, as older releases of at-spi2-core have it."""
    name = node.get_role_name()
    return NEW_ROLES.get(name, name)


def children(node):
    """The children, except those that vanish meanwhile."""
    try:
        return [child for i in range(node.get_child_count())
                if (child := node.get_child_at_index(i))]
    except GLib.Error:
        return []


def is_large_table(node):
    try:
        return (role_of(node) in ("table", "tree table")
                and node.get_child_count() > 500)
    except GLib.Error:
        return True


def walk(node, depth=0):
    """The node and everything below it, except the cells of large tables, unless it begins with one."""
    if node and depth < 30:
        yield node
        for child in children(node) if depth == 0 or not is_large_table(node) else ():
            yield from walk(child, depth + 1)


def find(root, role=None, name=None, id=None):
    def fits(node):
        try:
            return ((role is None or role_of(node) == role)
                    and (name is None or node.get_name() == name)
                    and (id is None or node.get_accessible_id() == id))
        except GLib.Error:
            return False
    return next(filter(fits, walk(root)), None)


def text(node):
    return Atspi.Text.get_text(node, 0, -1)


def press(root, name):
    """Presses the button once it is there and sensitive."""
    def sensitive():
        button = find(root, "push button", name)
        return button if button and button.get_state_set().contains(
            Atspi.StateType.SENSITIVE) else None
    wait_for(f"button {name}", sensitive).do_action(0)


def act(root, id):
    """Presses, toggles or activates the widget once it is there and sensitive."""
    def sensitive():
        node = find(root, id=id)
        return node if node and node.get_state_set().contains(
            Atspi.StateType.SENSITIVE) else None
    wait_for(id, sensitive).do_action(0)


def wait_text(root, id, part):
    """Waits until the widget's text contains `part`; returns the whole text."""
    def probe():
        node = find(root, id=id)
        return node if node and part in text(node) else None
    return text(wait_for(f"{part!r} in {id}", probe))


def cells(root, id):
    """The texts of a tree or table, joined."""
    node = find(root, id=id)
    texts = []
    for child in walk(node):
        try:
            texts.append(child.get_name() or "")
        except GLib.Error:
            pass
    return " ".join(filter(None, texts))


def type_line(root, line):
    """Types a line of the command language into the window's entry."""
    entry = wait_for("the command entry", lambda: find(root, id="command"))
    entry.grab_focus()
    Atspi.EditableText.set_text_contents(entry, line)
    Atspi.Action.do_action(entry, 0)


def find_character(node, offset):
    """Where a character of a text is on the screen, once the text no longer moves."""
    last = None

    def probe():
        nonlocal last
        box = Atspi.Text.get_character_extents(node, offset, Atspi.CoordType.SCREEN)
        before, last = last, (box.x, box.y, box.width, box.height)
        time.sleep(0.1)
        return box if before == last else None
    return wait_for("a text at rest", probe)


def find_cell(root, id, part):
    """The first cell of the table or tree whose text begins with `part`."""
    def probe():
        node = find(root, id=id)
        return next((n for n in walk(node) if (n.get_name() or "").startswith(part)), None)
    return wait_for(f"{part} in {id}", probe)


def click_cell(root, id, part, *words):
    def probe():  # a row that was just filled in has no position yet
        box = find_cell(root, id, part).get_extents(Atspi.CoordType.SCREEN)
        return box if box.x >= 0 and box.y >= 0 and box.height > 0 else None
    box = wait_for(f"a place of {part}", probe)
    xdo("mousemove", box.x + 5, box.y + box.height // 2, *(words or ("click", 1)))


def edit_cell(root, id, column, part, text_):
    """Types a text into the cell that now begins with `part`, until the cell shows it. AT-SPI does not
    show the editor of a cell, so keys can arrive before it has the focus; lost ones are typed again."""
    def has(wanted):
        return any((node.get_name() or "").startswith(wanted) for node in walk(find(root, id=id)))

    def begin():
        find_cell(root, id, part).grab_focus()  # scrolls to it
        click_cell(root, id, part, "click", "1", "click", "1")

    for _ in range(5):
        try:
            if has(part):
                begin()
                xdo("key", "ctrl+a")
                xdo("type", text_)
                xdo("key", "Return")
        except GLib.Error:  # the rows were just made anew
            pass
        try:
            return wait_for(f"{text_} in {id}", lambda: has(text_), 20)
        except SystemExit:
            xdo("key", "Escape")
    raise SystemExit(f"timed out waiting for {text_} in {id}")


def expand(root, id, part):
    """Opens the row whose first cell begins with `part`."""
    cell = find_cell(root, id, part)
    names = [n for n in range(cell.get_n_actions())
             if cell.get_action_name(n) == "expand or contract"]
    cell.do_action(names[0])


def show_page(root, name):
    tab = wait_for(f"page {name}", lambda: find(root, "page tab", name))
    tab.get_parent().select_child(tab.get_index_in_parent())


def choose(root, id, index):
    """Chooses an entry of a combo box."""
    wait_for(id, lambda: find(root, id=id)).select_child(index)


def close(root):
    """Closes the window with its close button."""
    find(root, "push button", "Close").do_action(0)


def window_now(app, part):
    """The window whose title has the part; None: it is not there."""
    return next((w for w in (app.get_child_at_index(i) for i in range(app.get_child_count()))
                 if w and part in (w.get_name() or "")), None)


def window(app, part, *timeout_s):
    return wait_for(f"window {part}", lambda: window_now(app, part), *timeout_s)


def is_focused(node):
    return node is not None and node.get_state_set().contains(Atspi.StateType.FOCUSED)


def xdo(*words):
    """A search fails where a window closes meanwhile, a menu's or a tooltip's; what comes after it in the same
    line has not been done then."""
    command = ["xdotool", *map(str, words)]
    if words[0] == "search":
        wait_for(" ".join(command), lambda: subprocess.run(command, check=False).returncode == 0)
    else:
        subprocess.run(command, check=True)


def do_until(what, act, probe):
    """Does it, again where the window has moved meanwhile under the pointer, or a busy machine has lost it."""
    for _ in range(5):
        act()
        try:
            return wait_for(what, probe, 20)
        except SystemExit:
            pass
    screenshot("lost")
    raise SystemExit(f"timed out waiting for {what}")


def press_until(what, keys, probe):
    """Presses the keys, again if a busy machine has lost them."""
    for _ in range(5):
        xdo("key", keys)
        try:
            return wait_for(what, probe, 15)
        except SystemExit:
            pass
    screenshot("lost")
    raise SystemExit(f"timed out waiting for {what}")


def screenshot(name):
    """For a person to look at: once what was just opened has been painted, or after two seconds."""
    folder = os.environ.get("PDDT_SHOTS")
    if not folder:
        return
    path, last, end = os.path.join(folder, name + ".png"), None, time.monotonic() + 2
    while time.monotonic() < end:
        time.sleep(0.2)
        now = subprocess.run(["import", "-window", "root", "-depth", "8", "rgb:-"], capture_output=True, check=False).stdout
        if now == last:
            break
        last = now
    subprocess.run(["import", "-window", "root", path], check=False)


def pixel(x, y):
    """The colour (red, green, blue) of the screen at that point."""
    pixels = subprocess.run(["import", "-window", "root", "-crop", f"1x1+{x}+{y}", "-depth", "8",
                             "rgb:-"], capture_output=True, check=True).stdout
    return tuple(pixels[:3])


def pixels(x, y, width, height):
    """The colours of a part of the screen, row by row."""
    data = subprocess.run(["import", "-window", "root", "-crop", f"{width}x{height}+{x}+{y}",
                           "-depth", "8", "rgb:-"], capture_output=True, check=True).stdout
    return [[tuple(data[3 * (row * width + i):][:3]) for i in range(width)] for row in range(height)]


def sample(root, across, down):
    """The colour of the window at these fractions of its width and height."""
    box = root.get_extents(Atspi.CoordType.SCREEN)
    return pixel(int(box.x + box.width * across), int(box.y + box.height * down))


def start(*command, **options):
    process = subprocess.Popen(command, env={**os.environ, "G_DEBUG": "fatal-criticals"},
                               **options)
    Atspi.init()

    def on_bus():
        desktop = Atspi.get_desktop(0)
        apps = map(desktop.get_child_at_index, range(desktop.get_child_count()))
        return next((a for a in apps if a and a.get_process_id() == process.pid), None)
    return process, wait_for("the application on the bus", on_bus)
