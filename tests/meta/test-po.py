# SPDX-License-Identifier: GPL-3.0-or-later
"""po/POTFILES lists exactly the files that have something to translate, and every language of po/LINGUAS has its
catalogue, with words for everything. --update writes POTFILES; --template FILE writes the template of all texts
with the files they are in and the comments for translators, which is not kept in git: a translator's program
starts from it."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import source

CALLS = re.compile(r"(?<![\w])(?:N?_|N?C_|(?:g_)?d?c?n?p?gettext|NC_|ngettext|g_dngettext"
                   r"|base_error_set(?:_because)?|engine_python_refuse|symbol_parser_fail|engine_say|job_text_new(?:_plural)?|(?:base_text_new|session_say)_plural|base_text_print(?:_in|_plural)?) ?\([^;]*?\"")
UI = re.compile(r'translatable="(?:yes|true|1)"')
TOOLS = ["xgettext", "msgcat", "msgmerge", "msgattrib", "msgfmt"]
HEADER = "# SPDX-License-Identifier: GPL-3.0-or-later\n"


def find_files():
    for path in source.list_sources():
        if CALLS.search(source.strip_comments(path.read_text(errors="replace"))):
            yield source.name(path)
    for path in source.list_sources(source.ROOT / "ui", (".ui",)):
        if UI.search(path.read_text(errors="replace")):
            yield source.name(path)


def read_list(path):
    lines = path.read_text().splitlines() if path.exists() else []
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def find_problems(wanted):
    potfiles = source.ROOT / "po/POTFILES"
    if not potfiles.exists():
        yield "po/POTFILES: is missing"
    listed = read_list(potfiles)
    for path in sorted(set(wanted) - set(listed)):
        yield f"po/POTFILES: lacks {path}"
    for path in sorted(set(listed) - set(wanted)):
        yield f"po/POTFILES: lists {path}, which has nothing to translate"
    for path in sorted(p for p in set(listed) if listed.count(p) > 1):
        yield f"po/POTFILES: lists {path} twice"
    languages = [word for line in read_list(source.ROOT / "po/LINGUAS") for word in line.split()]
    if not languages:
        yield "po/LINGUAS: names no language"
    for language in languages:
        if not (source.ROOT / f"po/{language}.po").exists():
            yield f"po/LINGUAS: {language} has no po/{language}.po"


def run(*words):
    return subprocess.run(words, cwd=source.ROOT, capture_output=True, text=True, check=False)


def make_template(files):
    """The template's text. References are files without lines, which would change with every edit."""
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/pddt.pot"
        made = run("xgettext", "--from-code=UTF-8", "-k_", "-kN_", "-kngettext:1,2", "-kC_:1c,2", "-kNC_:1c,2",
                   "-kbase_text_new_plural:1,2", "-ksession_say_plural:3,4",
                   "-kbase_error_set:3", "-kbase_error_set_because:3", "-kengine_python_refuse:2",
                   "-ksymbol_parser_fail:3", "-kengine_say:2", "-kjob_text_new:1", "-kjob_text_new_plural:1,2", "-kbase_text_print:2", "-kbase_text_print_in:2c,3", "-kbase_text_print_plural:2,3",
                   "--add-comments=Translators:", "--add-location=file", "--package-name=pddt",
                   "-o", path, *files)
        if made.returncode != 0:
            sys.exit(made.stderr)
        with open(path, encoding="utf-8") as file:
            text = file.read()
    start = text.index('msgid ""')
    text = re.sub(r'^"POT-Creation-Date: .*\n', "", text[start:], count=1, flags=re.M)
    text = text.replace("charset=CHARSET", "charset=UTF-8")
    return HEADER + "# The texts of pddt; written by tests/meta/test-po.py --template.\n#, fuzzy\n" + text


def find_singulars(path, plurals):
    """Those of the texts that the language has for one thing alone: msgmerge says the same of many."""
    return plurals & set(re.findall(r'^msgid "(.+)"\nmsgstr "', run("msgcat", "--no-wrap", path).stdout, re.M))


def find_gaps(template):
    """What a language has no words for, or wrong ones."""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "pddt.pot").write_text(template, encoding="utf-8")
        plurals = {one for one, many in re.findall(r'^msgid "(.+)"\nmsgid_plural "(.+)"', run(
            "msgcat", "--no-wrap", folder + "/pddt.pot").stdout, re.M) if one != many}
        for language in [w for line in read_list(source.ROOT / "po/LINGUAS") for w in line.split()]:
            run("msgmerge", "-q", "--no-fuzzy-matching", "-o", folder + "/it.po",
                f"po/{language}.po", folder + "/pddt.pot")
            lacking = run("msgattrib", "--untranslated", "--no-wrap", folder + "/it.po").stdout
            lacking = re.sub(r'"\n"', "", lacking)  # one that has several lines stands on several
            for text in re.findall(r'^msgid "(.+)"$', lacking, re.M):
                yield f"po/{language}.po: lacks \"{text}\""
            for text in sorted(find_singulars(f"po/{language}.po", plurals)):
                yield f"po/{language}.po: has no plural of \"{text}\""
            wrong = run("msgfmt", "-c", "-o", "/dev/null", f"po/{language}.po")
            if wrong.returncode != 0:
                yield f"po/{language}.po: {wrong.stderr.strip()}"


# Layers whose errors and notices are formed where nobody knows the user's language: they go as a format and arguments,
# which are texts and numbers.
SENDS = ["base", "evaluate", "index", "symbol", "target", "python", "stack", "machine", "engine"]
SENT = re.compile(r"\b(?:base_error_set(?:_because)?|engine_say|job_text_new(?:_plural)?) \(")
# g_set_error that stays: what has come from elsewhere, and what no user reads.
PLAIN = {"src/base/error.c", "src/engine/python/query.c"}


def find_unsendable(path):
    text = source.strip_comments(path.read_text(errors="replace"))
    name = source.name(path)
    if name not in PLAIN:
        for match in re.finditer(r"\bg_set_error(?:_literal)? \(", text):
            yield f"{name}:{text.count(chr(10), 0, match.start()) + 1}: base_error_set forms what is sent"
    for match in SENT.finditer(text):
        call = text[match.start():text.index(";", match.start())]
        formats = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', call))
        for directive in re.findall(r"%(?:\d\$)?(.)", formats):
            if directive not in "sud%":
                yield (f"{name}:{text.count(chr(10), 0, match.start()) + 1}: a format with %{directive} cannot be"
                       " sent; base_text_format_address makes a text of an address")
        if "G_GINT64" in call or "G_GUINT64" in call or "G_GSIZE" in call:
            yield f"{name}:{text.count(chr(10), 0, match.start()) + 1}: a format with a macro is in no catalogue"


def find_all_unsendable():
    for path in source.list_sources():
        if path.relative_to(source.SRC).parts[0] in SENDS and path.suffix == ".c":
            yield from find_unsendable(path)
        # a reason in place of a value, N_ ("<not saved>"), or it is a name
    for path in sorted((source.SRC / "evaluate").glob("*.c")):
        text = source.strip_comments(path.read_text(errors="replace"))
        for match in re.finditer(r'(?<!N_ \()"<[a-z][^"%]* [^"%]*>"', text):
            yield (f"{source.name(path)}:{text.count(chr(10), 0, match.start()) + 1}: {match.group(0)} is a reason,"
                   " which needs N_")


lacking_tools = [tool for tool in TOOLS if not shutil.which(tool)]
if lacking_tools: # they are needed to build, too
    source.finish([f"{tool} is not installed: install gettext" for tool in lacking_tools])
files = sorted(find_files())
template = make_template(files)
if sys.argv[1:2] == ["--template"]:
    pathlib.Path(sys.argv[2]).write_text(template, encoding="utf-8")
    sys.exit()
if "--update" in sys.argv[1:]:
    (source.ROOT / "po/POTFILES").write_text(HEADER + "".join(f + "\n" for f in files))
source.finish([*find_all_unsendable(), *find_problems(files), *find_gaps(template)])
