# SPDX-License-Identifier: GPL-3.0-or-later
"""The manual and the program have the same options, commands, keys, buttons, menus and pages, in both directions."""
import re

import source

PAGES = source.list_pages()
WINDOWS, PERFORMANCE, PROFILING = (source.ROOT / "doc" / f"{name}.md" for name in ("windows", "performance", "profiling"))
# Options that the manual names and that are not pddt's; those of our own scripts are looked for in them.
FOREIGN = {"--includes": "python3-config", "--extension-suffix": "python3-config",
           
    "--oversubscribe": "Open MPI", "--allow-run-as-root": "Open MPI", "--app": "Open MPI", "--multi-prog": "srun",
    "--overlap": "srun", "--host": "src/programs/pddt-guard.c", "--prefix": "meson", "--cap-add": "Docker", "--no-checksum": "Spack", "--line-directives": "Cython", "--sourcepath": "EasyBuild", "--long": "check", "--update": "tests/meta/test-po.py",
    "--rows": "data/examples/mandelbrot.py", "--cyclic": "data/examples/mandelbrot.py",
    "--mpp": "src/agent/python/scorep/__main__.py", "--nopython": "src/agent/python/scorep/__main__.py",
    "--noinstrumenter": "src/agent/python/scorep/__main__.py", "--instrumenter-type": "src/agent/python/scorep/__main__.py",
    "--instrumenter-file": "src/agent/python/scorep/__main__.py",
}
# Keys of the default set: what the manual says that they do, and the action of src/gui/kit/keys.c.
KEYS = [("Ctrl+F finds text", "win.find"), ("Ctrl+G goes to a line", "win.go-to-line"),
        ("Ctrl+P opens any file or function", "win.open"), ("Ctrl+W closes a file", "win.close-file"),
        ("Alt+Left and Alt+Right go back and forward", "win.place-back"),
        ("Ctrl+? shows the keyboard shortcuts", "win.keys"), ("F1 opens this manual", "app.manual")]
# Keys that belong to a widget or a terminal rather than to that table.
LOCAL_KEYS = {"Ctrl+Shift": "with a click", "Ctrl-C": "at the prompt", "F2": "in a list", "Alt+Right": "see Alt+Left"}
MARKS = {"question": "?", "Control": "Ctrl"}


def read(path):
    return path.read_text().replace("\\", "")


def find_false_options():
    known = set(re.findall(r'^    \{ "(-[^"]+)"', read(source.ROOT / "src/programs/options.c"), re.M))
    used = set()
    for page in PAGES:
        for option in sorted(set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", read(page))) - known):
            used.add(option)
            place = FOREIGN.get(option, "")
            if not place or ((place == "check" or "/" in place) and option not in read(source.ROOT / place)):
                yield f"{source.name(page)}: names the option {option}, which there is not"
    for option in sorted(set(FOREIGN) - used):
        yield f"tests/meta/test-manual-names.py: {option} is not named in the manual any more"


def read_commands():
    """Of the table: the names, and other words."""
    rows = re.search(r"rows\[\] = \{\n(.*?)^\};", read(source.ROOT / "src/command/table.c"), re.S | re.M)[1]
    names = set()
    for name, words in re.findall(r'^    \{ "([a-z -]+)", "([^"]*)",', rows, re.M):
        names |= {name, *filter(None, words.split(","))}
    return names


def find_false_commands():
    """Commands of two words, those given with -e, and those of tables of commands."""
    names = read_commands()
    first = {name.split()[0] for name in names}
    two = {name for name in names if " " in name}
    events = set(re.findall(r"[a-z-]+", re.search(r'"catch", "",\s+"(.*?)\[if', re.sub(
        r'"\n\s+"', "", read(source.ROOT / "src/command/table.c")), re.S)[1].replace("[NAME]", "").replace("[TYPE]", "")))
    for page in PAGES:
        # what gdb has and pddt has not is a table of its own
        own = re.sub(r"\n## gdb's other commands\n.*?(?=\n## )", "", read(page), flags=re.S)
        text = " ".join(own.split())
        for command in set(re.findall(r"`((?:show|info|live|profile) [a-z]+)", text)):
            if command not in two and not any(name.startswith(command + " ") for name in two):
                yield f"{source.name(page)}: names the command {command}, which there is not"
        for event in set(re.findall(r"`t?catch ([a-z-]+)", text)) - events:
            yield f"{source.name(page)}: names catch {event}, which there is not"
        for line in set(re.findall(r"(?<= -e )(?:\"[^\"]+\"|'[^']+'|[a-z]+)", text)):
            word = re.sub(r"^on \S+ ", "", line.strip("\"'")).split()[0]
            if word not in first:
                yield f"{source.name(page)}: runs {line}, which is no command"
        for table in re.findall(r"^\| command \|[^\n]*\n\|[-| ]+\n((?:\|.*\n)+)", read(page), re.M):
            for line in re.findall(r"^\| `([^`]+)`", table, re.M):
                if not any(line == name or line.startswith(name + " ") for name in names) and not line.startswith("./"):
                    yield f"{source.name(page)}: lists the command {line}, which there is not"


def find_false_messages():
    """What doc/troubleshooting.md quotes of pddt's messages stands in the code; numbers and ranks may be others."""
    text = read(source.ROOT / "doc" / "troubleshooting.md")
    code = "".join(re.sub(r'"\n\s+"', "", path.read_text()) for path in source.list_sources())
    quoted = [quote for cell in re.findall(r"^\| (.*?) \|", text, re.M) for quote in re.findall(r"`([a-z][^`]* [^`]*)`", cell)]
    for quote in quoted:
        pattern = re.sub(r"[\d,-]*\d|mpirun", "@", quote)
        pattern = r"(?:%[a-z]|G_GUINT64_FORMAT|\W)+".join(map(re.escape, pattern.split("@")))
        if not re.search(pattern, code):
            yield f"doc/troubleshooting.md: quotes \"{quote}\", which pddt does not say"
    if len(quoted) < 3:
        yield "doc/troubleshooting.md: quotes no messages"


def find_false_pointers():
    """A message that ends in "(manual: CHAPTER)" or "(manual: CHAPTER, SECTION)" names what there is."""
    headings = {}
    for page in source.list_sources(source.ROOT / "doc", (".md",)):
        titles = re.findall(r"^#+ (.*)$", read(page), re.M)
        headings[titles[0]] = titles
    code = "".join(re.sub(r'"\n\s+"', "", path.read_text()) for path in source.list_sources())
    pointers = set(re.findall(r"\(manual: ([^)]*)\)", code))
    for pointer in sorted(pointers):
        chapter, _, section = pointer.partition(", ")
        if chapter not in headings or (section and section not in headings[chapter]):
            yield f"a message points to \"{pointer}\", which the manual does not have"
    if not pointers:
        yield "no message points to the manual"


def find_missing_topics():
    """The reference is printed by pddt, which a test compares; the options are named in it, and all it lists exist."""
    reference = read(source.ROOT / "doc" / "commands.md")
    known = re.findall(r'^    \{ "([a-z-]+)", "', read(source.ROOT / "src/session/model/options.c"), re.M)
    part = reference.split("## Options", 1)[-1].split("\n## ", 1)[0]
    if re.findall(r"^\| `([a-z-]+)` \|", part, re.M) != known or not known:
        yield f"doc/commands.md: the options are {known}"


def read_labels():
    """All texts that a window may show, also those of its reports and columns, without the marks of mnemonics."""
    texts = []
    for path in sorted(path for folder in ("gui", "profile") for path in (source.ROOT / "src" / folder).rglob("*.c")):
        texts += re.findall(r'\bN?_ \((".*?")\)', re.sub(r'"\n\s+"', "", path.read_text()))
    for path in sorted((source.ROOT / "ui").glob("*.ui")):
        texts += re.findall(r'translatable="yes"[^>]*(>[^<]+)<', path.read_text())
    return {text.strip('">').replace("_", "") for text in texts}


def find_false_labels():
    """What a chapter about windows has in bold, and pages by their names, are texts of windows."""
    labels = read_labels()
    defined = {"console window", "group window"}
    for page in (WINDOWS, PERFORMANCE, PROFILING):
        named = {" ".join(name.split()) for name in re.findall(r"\*\*(.+?)\*\*", read(page), re.S)} - defined
        named |= set(re.findall(r"\b([A-Z][a-z]+) page\b", read(page)))
        for name in sorted(named - labels):
            yield f"{source.name(page)}: names {name}, which is no text of a window"


def find_missing_labels():
    """Each button and entry of a menu of the console and group windows, and each page of all windows."""
    shown = {WINDOWS: set(), PERFORMANCE: set()}
    for name in ("console-window", "console-header", "problem-bar", "status-row", "group-window", "group-panes",
                 "array-window"):
        text = read(source.ROOT / "ui" / f"{name}.ui")
        shown[WINDOWS] |= set(re.findall(r'<child type="tab">.*?<property name="label" translatable="yes">([^<]+)</property>', text))
        shown[WINDOWS] |= set(re.findall(r'<attribute name="label" translatable="yes">([^<]+)</attribute>', text))
        shown[WINDOWS] |= set(re.findall(r'class="Gtk(?:Toggle)?Button".{0,300}?<property name="label" translatable="yes">'
                                         r"([^<]+)</property>", text))
    text = read(source.ROOT / "src/gui/group/group-panes.c")
    shown[WINDOWS] |= set(re.findall(r'insert_page \([^;]*?_ \("([^"]+)"\), \d\);', text))
    text = read(source.ROOT / "ui/profile-window.ui")
    shown[PERFORMANCE] |= set(re.findall(r'<attribute name="label" translatable="yes">([^<]+)</attribute>', text))
    for path in sorted((source.ROOT / "src/gui/profile").glob("*.c")):
        pages = re.findall(r'canvas->title = N_ \("(\w+)"\);|^get_title.*?\n\{\s+return _ \("(\w+)"\);', read(path), re.M)
        shown[PERFORMANCE] |= {first or second for first, second in pages}
    everywhere = {"Preferences", "Manual", "Quit", "Close Window", "gdb letters"}
    if len(shown[WINDOWS]) < 38 or len(shown[PERFORMANCE]) < 12:
        yield f"tests/meta/test-manual-names.py: found only {shown}"
    for page, labels in shown.items():
        text = " ".join(read(page).split())
        for label in sorted({label.replace("_", "") for label in labels} - (everywhere if page is PERFORMANCE else set())):
            if not re.search(rf"(?<!\w){re.escape(label)}(?!\w)", text):
                yield f"{source.name(page)}: does not name {label}"


def find_false_keys():
    table = dict(re.findall(r'\{ "((?:win|app)\.[a-z-]+)",\s+\{ "?([^",]+)"?,', read(source.ROOT / "src/gui/kit/keys.c")))
    text = " ".join(read(WINDOWS).split())
    known = set(LOCAL_KEYS)
    for words, action in KEYS:
        key = re.sub(r"<(\w+)>", lambda match: MARKS.get(match[1], match[1]) + "+", table.get(action, ""))
        key = re.sub(r"\w+$", lambda match: MARKS.get(match[0], match[0].capitalize()), key)
        known.add(key)
        if words not in text or not words.startswith(key + " "):
            yield f"doc/windows.md: {action} has the key {key}; is to say \"{words}\""
    for key in sorted(set(re.findall(r"\b(?:(?:Ctrl|Alt|Shift)[+-][\w?+]+|F\d+)", text)) - known):
        yield f"doc/windows.md: names {key}: add it to KEYS"


def find_false_key_sets():
    """The table of keys for who knows another tool is that of the program."""
    code = read(source.ROOT / "src/gui/kit/keys.c")
    titles = {title: action for action, title in re.findall(r'\{ "((?:win|app)\.[a-z-]+)", N_ \("(.*?)"\) \}', code)}
    sets = dict(re.findall(r'\{ "((?:win|app)\.[a-z-]+)",\s+\{ ([^}]*) \} \}', code))
    page = read(source.ROOT / "doc/coming-from.md").partition("## Keys of the windows")[2]
    rows = re.findall(r"^\| ([A-Z].*) \|$", page, re.M)
    for row in rows:
        title, *shown = (cell.strip() for cell in row.split("|"))
        keys = []
        for word in sets.get(titles.get(title, ""), "").split(","):
            *marks, last = re.findall(r"[\w?]+", word.replace("NULL", "")) or [""]
            last = MARKS.get(last, last.upper() if marks and len(last) == 1 else last)
            keys.append("+".join([*(MARKS.get(mark, mark) for mark in marks), last]))
        if keys != shown:
            yield f"doc/coming-from.md: {title}: the keys are {keys}"
    if len(rows) < 15:
        yield f"doc/coming-from.md: only {len(rows)} keys"


def find_false_batch_lines():
    """The lines for batch scripts in doc/recipes.md are those of the templates, with numbers in the place of fields."""
    rows = re.findall(r"^\| (\w+) \| (`#.*) \| `mpirun` \|$", read(source.ROOT / "doc/recipes.md"), re.M)
    for name, cell in rows:
        template = read(source.ROOT / f"data/queues/{name.lower()}.pddt-queue").splitlines()
        for line in re.findall(r"`(.*?)`", cell):
            if not any(re.fullmatch(re.sub(r"@\w+@", r"[\\w:]+", re.escape(each).replace("\\@", "@")), line) for each in template):
                yield f"doc/recipes.md: the template of {name} has no line {line}"
    if len(rows) < 4:
        yield f"doc/recipes.md: lines for {rows} only"


def find_missing_programs():
    pages = read(source.ROOT / "doc/pddtd.8.md")
    for path in sorted((source.ROOT / "src/programs").glob("pddt*.c")):
        if path.stem != "pddt" and f"\n**{path.stem}**\n: " not in pages:
            yield f"doc/pddtd.8.md: does not describe {path.stem}"


# Files that read variables whose names stand in tables of theirs: every text in them that looks like such a name is one.
VARIABLES_IN = {"src/launch/hosts.c", "src/launch/hosts-private.h", "src/launch/rank-info.c", "src/launch/launcher.c",
                "src/launch/carry.c", "src/launch/line.c", "src/launch/shim.c", "src/launch/reach.c", "src/launch/remote.c",
                "src/launch/targets.c", "src/job/launcher-rank.c", "src/session/backend/offers.c", "src/programs/doctor.c",
                "src/agent/trace-environment.c", "src/agent/trace-ring.c", "src/agent/trace-ring.h",
                "src/agent/trace-preload.c", "src/agent/python/scorep/__main__.py"}
NAME = r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]*)+"


def list_variables():
    """{name of an environment variable that pddt reads: file}; a file that is not known to read others is an error."""
    for path in source.list_sources(suffixes=(".c", ".h", ".py")):
        text, name = path.read_text(), source.name(path)
        text = source.strip_comments(text) if path.suffix != ".py" else text
        found = re.findall(r"\b(?:g_|secure_|g_environ_)?getenv \((?:\w+, )?([^)]*)\)", text)
        found += re.findall(r"\benviron(?:\.get\(|\[)([^],)]*)", text) + re.findall(r'("\w+") (?:not )?in os\.environ', text)
        for word in found:
            if re.fullmatch('"\\w+"', word):
                yield word.strip('"'), name
            elif name not in VARIABLES_IN and "char" not in word:
                yield f"({word})", name
        if name in VARIABLES_IN:
            yield from ((word, name) for word in re.findall(f'"({NAME})=?"', text))


def find_variables():
    """doc/security.md lists each environment variable that pddt reads, and no other."""
    page = read(source.ROOT / "doc/security.md").partition("\n## Environment variables\n")[2]
    listed = {word for row in re.findall(r"^\| (`[^|]*) \|", page, re.M) for word in re.findall(r"`(\w+…?)`", row)}
    beginnings = tuple(word[:-1] for word in listed if word.endswith("…"))
    read_ones = dict(list_variables())
    for name, place in sorted(read_ones.items()):
        if name not in listed and not name.startswith(beginnings):
            yield f"doc/security.md: does not list {name}, which {place} reads"
    sources = "".join(path.read_text() for path in source.list_sources(suffixes=(".c", ".h", ".py")))
    for name in sorted(listed):
        by_glib = {"HOME": "g_get_home_dir", "TMPDIR": "g_get_tmp_dir", "XDG_CACHE_HOME": "g_get_user_cache_dir",
                   "XDG_CONFIG_HOME": "g_get_user_config_dir", "XDG_DATA_HOME": "g_get_user_data_dir"}.get(name)
        if name not in read_ones and (by_glib or '"' + name.strip("…")) not in sources:
            yield f"doc/security.md: lists {name}, which nothing reads"


source.finish([*find_variables(), *find_false_options(), *find_false_commands(), *find_false_messages(), *find_false_pointers(), *find_missing_topics(), *find_false_labels(),
               *find_missing_labels(), *find_false_keys(), *find_false_key_sets(), *find_missing_programs(), *find_false_batch_lines()])
