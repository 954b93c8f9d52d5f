# SPDX-License-Identifier: GPL-3.0-or-later
"""No file includes a layer that the table in src/meson.build does not allow, a foreign library's
headers are included by its one owner only, and a private header by its folder only."""
import re

import source

# What the table cannot say: headers of layers that are no libraries for these users.
EXTRA = {("engine", "agent"), ("profile", "agent/trace-layout.h"), ("daemon", "launch/hand-over.h")}
OWNERS = [
    (r"zmq\.h|zmq_utils\.h|sodium\.h", "net"),
    (r"libdwarf\.h|dwarf\.h|libdwarf/.*|libelf\.h|gelf\.h|elfutils/.*", "symbol"),
    (r"sys/ptrace\.h|linux/ptrace\.h", "target"),
    (r"libunwind.*", "stack"),
    (r"capstone/.*|capstone\.h", "machine"),
    (r"readline/.*", "command"),
    (r"jansson\.h", "dap"),
    (r"gtk/.*|gdk/.*|gtksourceview/.*|vte/.*", "gui"),
]
# The session's backend alone knows how ranks are started and reached; the others know what a command
# line, a file or this host's list of processes says.
BACKEND = {"session/backend/tree.c", "session/backend/attach.c", "session/backend/remote-backend.c"}
BEHIND_BACKEND = {"session/backend/tree-private.h", "launch/hand-over.h"}
READS_LINES = {"session/backend/launchers.c", "session/backend/life.c", "session/backend/queues.c", "session/backend/running.c",
               "session/saved/saved.c"}
AGENT_FOREIGN = r"glib.*|gio/.*|gobject/.*"
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def is_allowed(layer, included, path, layers):
    if included == layer or layer == "programs":
        return True
    if included in layers.get(layer, set()):
        return True
    return (layer, included) in EXTRA or (layer, path) in EXTRA


def is_private(path):
    return path.endswith("/private.h") or path.endswith("-private.h")


def check_include(layer, path, layers, file):
    """Why this include is wrong, or None."""
    if is_private(path) and (source.SRC / path).parent not in file.parents:
        return f"only files in {path.rpartition('/')[0]} may include"
    folder = path.split("/")[0] if "/" in path else None
    if (folder in layers or folder in ("agent", "programs")) \
            and (source.SRC / path).exists():
        return None if is_allowed(layer, folder, path, layers) \
            else f"layer {layer} may not use {folder}"
    for pattern, owner in OWNERS:
        if re.fullmatch(pattern, path) and layer not in (owner, "programs"):
            return f"only {owner} may include <{path}>"
    if layer == "agent" and re.fullmatch(AGENT_FOREIGN, path):
        return "the agent runs inside ranks and uses no GLib"
    return None


def check_backend(relative, path):
    """Why this include goes round the session's backend, or None."""
    if relative in BACKEND | BEHIND_BACKEND or not relative.startswith("session/"):
        return None
    if path in BEHIND_BACKEND or path.startswith("net/") \
            or (path.startswith("launch/") and relative not in READS_LINES):
        return "only the session's backend may include"
    return None


# What stands where the job is (sources, folders, processes, core files) is read by the backend: nothing above it
# opens it, looks for it or asks the system about it. What a front end has of its own: saved sessions, its program's
# place, what is written for the user here, and GTK's file chooser, which browses the user's own disk.
READS_FILES = {"session/backend/sources.c", "session/saved/saved.c", "session/backend/offers.c"}
READS_PROC = {"session/backend/running.c", "session/backend/offers.c"}  # the latter: which boot this is
# What opens files at all, and which: everything else has no business with them.
OPENS = re.compile(r"\b(?:g_file_test|g_file_get_contents|g_dir_open|g_stat|g_lstat|g_open|g_fopen|g_mapped_file_new"
                   r"|g_file_new_for_\w+|g_find_program_in_path|g_access|realpath|readlink|getpwuid"
                   r"|(?<![>.])(?:open|fopen|stat|lstat|access|opendir)) \(")
OPENS_OWN = {
    "session/backend/sources.c": "the backend's, of this host", "session/backend/running.c": "the backend's, of this host",
    "session/saved/saved.c": "saved sessions, which are the user's; and which word of a command line is its program",
    "session/backend/serve.c": "the server's own folder, with its socket",
    "gui/source/source-editor.c": "the user's editor and terminal, which are here, and whether the source is, too",
    "session/backend/offers.c": "the folder of jobs that wait, which is pddt's own",
    "session/saved/own-files.c": "saved sessions, which are the user's",
    "session/backend/measured.c": "archives, read where they are and written where the user is",
    "session/backend/files.c": "the input and the folder for output that the user names here: pddt itself reads and writes them",
    "command/terminal.c": "scripts of commands, which the user names here",
    "command/source.c": "files of commands and scripts, which the user names here",
    "command/words.c": "the user's own init",
    "command/logging.c": "the log, which the user names here",
    "command/measure.c": "archives, which pddt itself writes",
    "command/profile-save.c": "archives", "gui/profile/measure-lines.c": "archives",
    "gui/arrays/array-export.c": "what the user exports to here",
    "gui/kit/settings.c": "pddt's own translations and settings", "gui/kit/manual.c": "pddt's own manual",
    "gui/kit/manual-window.c": "pddt's own manual",
    "gui/kit/theme.c": "pddt's own colours",
    "gui/source/source-locate.c": "where GTK's file chooser, which browses the user's own disk, begins"}
READS_CALLS = re.compile(r"\bsession_(?:running|sources)_\w+_here\b")
ANSWERS = {"session/backend/tree.c", "session/backend/served.c", "session/backend/served-ahead.c", "session/backend/sources.c", "session/backend/running.c", "session/backend/backend.h"}


def check_job_files(relative, text):
    """What above the backend reads the job's files or processes by itself."""
    if relative.split("/")[0] not in ("session", "command", "gui"):
        return
    for number, line in enumerate(text.split("\n"), 1):
        if (re.search(r'include "base/(?:file|elf)\.h"', line) and relative not in READS_FILES) \
                or (re.search(r'"/proc/(?!self/exe)', line) and relative not in READS_PROC) \
                or (READS_CALLS.search(line) and relative not in ANSWERS) \
                or (OPENS.search(line) and relative not in OPENS_OWN):
            yield f"src/{relative}:{number}: only the session's backend reads what stands where the job is"


MODEL_CALL = re.compile(r"\b(?:session_model_note_\w+|g_list_model_items_changed) ?\(")
MODEL_OWNERS = {"session/model/model.c", "session/model/list.c", "session/model/rank-list.c", "session/model/breakpoints.c",
                "session/model/sets.c", "session/model/model.h"}


def check_model(relative, text):
    """The session's lists have one writer (model.c), called where their facts are kept."""
    if relative.startswith("session/") and relative not in MODEL_OWNERS:
        for match in MODEL_CALL.finditer(text):
            number = text.count("\n", 0, match.start()) + 1
            yield f"src/{relative}:{number}: only the owner of a fact may write it to the model"


def find_needless():
    """What the list allows and nobody does."""
    for relative in sorted(OPENS_OWN):
        path = source.SRC / relative
        if not path.exists() or not OPENS.search(source.strip_comments(path.read_text(errors="replace"))):
            yield f"tests/meta/test-layers.py: src/{relative} opens nothing: take it out of OPENS_OWN"


def find_problems():
    layers = source.read_layers()
    for path in source.list_sources():
        relative = path.relative_to(source.SRC)
        if len(relative.parts) < 2:
            yield f"{source.name(path)}: stands in no layer"
            continue
        text = source.strip_comments(path.read_text(errors="replace"))
        yield from check_model(relative.as_posix(), text)
        yield from check_job_files(relative.as_posix(), text)
        for number, line in enumerate(text.splitlines(), 1):
            match = INCLUDE.match(line)
            problem = match and (check_include(relative.parts[0], match.group(2), layers, path)
                                 or check_backend(relative.as_posix(), match.group(2)))
            if problem:
                yield f"{source.name(path)}:{number}: {problem}: {match.group(2)}"


def check_table():
    """Every layer uses only layers above it in the table, and the folders are those named."""
    layers = source.read_layers()
    seen = set()
    for layer, uses in layers.items():
        for used in uses - seen:
            yield f"src/meson.build: {layer} uses {used}, which does not stand before it"
        seen.add(layer)
    for folder in sorted(p.name for p in source.SRC.iterdir() if p.is_dir()):
        if folder not in layers and folder not in ("agent", "programs"):
            yield f"src/{folder}: is in no row of the layer table"


source.finish([*check_table(), *find_needless(), *find_problems()])
