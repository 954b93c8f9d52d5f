# SPDX-License-Identifier: GPL-3.0-or-later
"""A class of the front end is one .c, with its template where it has one, and takes what it works on as
properties: no two files know its fields, nobody tells it a session by a call, and what it has is not set
after it was constructed. What it looks like stands in its template, not in C."""
import re

import source

GUI = source.SRC / "gui"
UI = source.ROOT / "ui"
DEFINES = re.compile(r"\bG_DEFINE_(?:ABSTRACT_)?TYPE\w* \((\w+),\s*(\w+),")
DECLARES = re.compile(r"\bG_DECLARE_\w+_TYPE \((\w+),\s*(\w+),")
LAYOUT = re.compile(
    r"\bgtk_(?:box_pack_(?:start|end)|grid_attach|paned_(?:add|pack)[12]|stack_add_\w+|fixed_put|layout_put"
    r"|(?:\w*box|grid|paned|stack|notebook|scrolled_window|overlay|frame|expander|revealer|header_bar|info_bar"
    r"|label|\w*button|\w*entry|image|spinner|scrollbar|drawing_area|combo_box_text|dialog|flow_box_child"
    r"|tree_view|tree_view_column|cell_renderer_\w+)_new\w*)(?= \()|\bg_object_new \(GTK_TYPE_\w+")
LAYS_OUT = {  # which do so all the same, and why
    "arrays/array-window.c": "an array decides how many choices, numbers and columns there are",
    "dialogs/keys-window.c": "the table of keys decides which rows there are",
    "group/face-bar.c": "a menu has an item for each place",
    "kit/suggestion.c": "a verdict has a button for each fault",
    "profile/profile-call-path.c": "the path has a button for each call",
    "profile/profile-function-list.c": "eleven columns that only their numbers tell apart",
}
HELD = r"\b(?:Session|SessionSelection|GuiProfileSelection|GuiCommandPanel) \*"  # what a class follows


def read(path):
    return source.strip_comments(path.read_text(errors="replace"))


def find_struct(text, name):
    """What stands between its braces; None: it is not here."""
    found = re.search(rf"\bstruct _{name} ?\{{(.*?)\n\}}", text, re.S) or \
        re.search(rf"\bstruct (?:_\w+ )?\{{((?:(?!\n\}}).)*)\n\}} {name};", text, re.S)
    return found and found[1]


def find_shared_fields(files):
    """Fields of a class stand in its own .c alone, so that the compiler keeps the others from them."""
    classes = {name for text in files.values() for name, _ in DEFINES.findall(text)}
    for path, text in files.items():
        if "private" in path.name:
            yield f"{source.name(path)}: files share what is private"
        if path.suffix == ".h":
            for name in re.findall(r"\bstruct _(\w+)\s*\{", text):
                if not name.endswith(("Class", "Interface")):
                    yield f"{source.name(path)}: has the fields of {name}"
        for included in re.findall(r'^#include "([^"]+)"', text, re.M):
            if not included.endswith(".h"):
                yield f"{source.name(path)}: includes {included}"
        for name, prefix in DEFINES.findall(text):
            if path.suffix != ".c" or prefix != "gui_" + path.stem.replace("-", "_") and not name.endswith("Accessible"):
                yield f"{source.name(path)}: defines {name}, which belongs into a file of its name"
            if find_struct(text, name) is None and "G_ADD_PRIVATE" not in text and "_WITH_PRIVATE" not in text:
                yield f"{source.name(path)}: does not have the fields of {name}"
    if len(classes) < 50:
        yield f"only {len(classes)} classes are recognised: the rules are out of date"


def find_told_sessions(files):
    """A public function of a class that is given what the class has as a property."""
    for path, text in files.items():
        for name, _ in DECLARES.findall(text) if path.suffix == ".h" else []:
            for call in re.findall(rf"\b(gui_\w+) \((?:const )?{name} \*\w+,([^;]*?)\)\s*(?:G_GNUC[^;]*)?;", text):
                if re.search(HELD, call[1]):
                    yield f"{source.name(path)}: {call[0]} is told what is to be a property"


def find_fields_without_property(files):
    """What a class follows can be seen and bound as a property, unless it has made it itself."""
    for path, text in files.items():
        for name, _ in DEFINES.findall(text):
            fields = find_struct(text, name) or ""
            for kind, field in re.findall(r"^\s+(Session|SessionSelection|GuiProfileSelection|GuiCommandPanel)"
                                          r" \*(\w+);", fields, re.M):
                is_property = re.search(rf"\bGUI_PROPERTIES \(klass, {name},[^;]*\({field},"
                                        rf"|\bG_PRIVATE_OFFSET \({name}, {field}\)", text)
                is_child = re.search(rf"\bGUI_CHILDREN \(klass, {name},[^;]*\b{field}\b", text)
                is_own = re.search(rf"self->{field} = (?:gui|session)_\w+_new \(\);", text)
                if not is_property and not is_child and not is_own:
                    yield f"{source.name(path)}: {kind} {field} of {name} is no property"


def find_late_fields(functions, files):
    """After g_object_new an object is complete."""
    for name, path, first, end, _ in functions:
        lines = files[path].split("\n")[first - 1:end]
        _, made, rest = "\n".join(lines).partition("g_object_new (GUI_TYPE_")
        for field in re.findall(r"\bself->(\w+) = ", rest) if made else []:
            yield f"{source.name(path)}: {name} sets {field} after construction"


def find_layouts(files):
    """Labels, buttons, columns and what holds them stand in a template: what C adds to a container is an object
    of a class that has one, such as a row for what there is at run time."""
    for path, text in files.items():
        name = path.relative_to(GUI).as_posix()
        found = [(text.count("\n", 0, match.start()) + 1, match[0]) for match in LAYOUT.finditer(text)]
        for line, call in found if name not in LAYS_OUT else []:
            yield f"{source.name(path)}:{line}: {call} lays out in C: write it into the class's template"
        if name in LAYS_OUT and not found:
            yield f"{source.name(path)}: lays nothing out: remove it from LAYS_OUT"
    for name in LAYS_OUT:
        if GUI / name not in files:
            yield f"LAYS_OUT has {name}, which is not there"


def find_template_problems(files):
    """Each template is of the class of its name, which uses it."""
    resources = (UI / "pddt.gresource.xml").read_text()
    code = "\n".join(files.values())
    for path in sorted(UI.glob("*.ui")):
        found = re.search(r'<template class="Gui(\w+)"', path.read_text())
        words = re.sub(r"(?<!^)(?=[A-Z])", "-", found[1]).lower() if found else None
        if words != path.stem:
            yield f"{source.name(path)}: its template is of {found and found[1]}"
        elif f'GUI_TEMPLATE (klass, "{path.name}")' not in code or f">{path.name}<" not in resources:
            yield f"{source.name(path)}: nobody uses it"


def main():
    files = {path: read(path) for path in source.list_sources(GUI)}
    functions = source.list_functions([path for path in files if path.suffix == ".c"])
    source.finish([*find_shared_fields(files), *find_told_sessions(files), *find_fields_without_property(files),
                   *find_late_fields(functions, files), *find_layouts(files), *find_template_problems(files)])


main()
