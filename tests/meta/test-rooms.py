# SPDX-License-Identifier: GPL-3.0-or-later
"""The rooms of the engine use each other in one direction: each one those before it in ORDER. What a room tells those above
it goes through one table, engine/notices.h: each of its members is told somewhere and told to somebody. The rooms of the
windows include each other in the order of WINDOWS, and those of profiles use each other in the order of PROFILES, both
without exception; what other layers include of the latter stands above the rooms."""
import re

import source

ENGINE = source.SRC / "engine"
ORDER = ["base", "control", "modules", "inspect", "breakpoint", "python", "queue", "sampling", "step", "loop"]


WINDOWS = ["kit", "chart", "source", "values", "arrays", "compare", "waits", "lists", "profile", "dialogs", "group",
           "console"]


def check_windows():
    """Only application.c stands above the rooms."""
    for path in sorted((source.SRC / "gui").rglob("*.[ch]")):
        own = path.parent.name
        for room in re.findall(r'^#include "gui/(\w+)/', path.read_text(), re.M) if own != "gui" else ():
            if WINDOWS.index(own) < WINDOWS.index(room):
                yield f"{source.name(path)}: {own} uses {room}, which stands above it"


PROFILES = ["model", "view", "spool", "trace", "otf2", "export", "page", "archive", "report"]


def find_room(path):
    return "base" if path.parent == ENGINE else path.parent.name


def read(folder, prefix):
    """{function: its room}, and {(room, room): the functions of the second that the first uses}."""
    texts = {path: source.strip_comments(path.read_text()) for path in sorted(folder.rglob("*.c"))}
    rooms, uses = {}, {}
    for path, text in texts.items():
        for name in re.findall(rf"^({prefix}_\w+) \(", text, re.M):
            rooms[name] = find_room(path)
    for path, text in texts.items():
        own = find_room(path)
        for name in re.findall(rf"\b{prefix}_\w+\b", text):
            if rooms.get(name, own) != own:
                uses.setdefault((own, rooms[name]), set()).add(name)
    return rooms, uses


def check_order(folder, prefix, order, least):
    """Each room calls those before it alone."""
    rooms, uses = read(folder, prefix)
    if len(rooms) < least:
        yield f"only {len(rooms)} functions of {prefix} are recognised"
    for (room, other), names in sorted(uses.items()):
        if order.index(room) < order.index(other):
            for name in sorted(names):
                yield f"{room} uses {name} of {other}, which stands above it"


def check_profile_headers():
    for path in source.list_sources():
        own = find_room(path) if source.SRC / "profile" in path.parents else None
        for room in re.findall(r'^#include "profile/(\w+)/', path.read_text(), re.M):
            if own is None or own == "profile":
                yield f"{source.name(path)}: includes a header of {room}, which is for the rooms of profiles alone"
            elif PROFILES.index(own) < PROFILES.index(room):
                yield f"{source.name(path)}: {own} uses {room}, which stands above it"


def find_headers():
    for path in sorted([*ENGINE.rglob("*.c"), *ENGINE.rglob("*.h")]):
        own = find_room(path)
        for room in re.findall(r'^#include "engine/(\w+)/', path.read_text(), re.M):
            if ORDER.index(room) > ORDER.index(own):
                yield f"{source.name(path)}: includes a header of {room}, which stands above {own}"


def find_idle_notices():
    declared = source.strip_comments((ENGINE / "notices.h").read_text())
    table = source.strip_comments((ENGINE / "loop/notices.c").read_text())
    texts = [source.strip_comments(path.read_text()) for path in sorted(ENGINE.rglob("*.c"))]
    body = re.search(r"struct _EngineNotices \{(.*?)\n\};", declared, re.S).group(1)
    members = re.findall(r"(?:\(\*|\b)(\w+)(?:\[ENGINE_N_TOLD\]|\) \()", body)
    if len(members) < 40:
        yield f"only {len(members)} members of EngineNotices are recognised"
    for member in members:
        if not re.search(rf"\.{member}\s*=", table):
            yield f"loop/notices.c: nobody is told of {member}"
        if not any(re.search(rf"notices\s*->{member}\b", text) for text in texts):
            yield f"notices.h: nobody tells of {member}"


source.finish([*check_order(ENGINE, "engine", ORDER, 300), *find_headers(), *find_idle_notices(), *check_windows(),
               *check_order(source.SRC / "profile", "profile", PROFILES, 300), *check_profile_headers()])
