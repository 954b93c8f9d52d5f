# SPDX-License-Identifier: GPL-3.0-or-later
"""render.py LOWDOWN html|man INPUT OUTPUT: a page of the manual by lowdown, a chapter with its table of contents.
render.py LOWDOWN search OUTPUT INPUT…: the page that finds a heading, a command, an option or a word of the glossary in
these chapters. All pages stand in one folder then: links to other chapters and to pictures point there."""
import html
import os
import re
import subprocess
import sys

STYLE = """<style>
body { max-width: 52em; margin: 2em auto; padding: 0 1em; font: 16px/1.5 sans-serif; color: #222; background: #fff }
h1, h2 { line-height: 1.2 } h2 { margin-top: 1.8em }
table { border-collapse: collapse } th, td { text-align: left; vertical-align: top; padding: .3em .8em .3em 0;
  border-bottom: 1px solid #ddd }
pre { background: #f4f4f4; padding: .8em; overflow-x: auto } code { font-size: 90% } td:first-child code { white-space: nowrap } img { max-width: 100% }
nav li, #found li { margin: 0 } #word { width: 20em; font: inherit }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #1e1e1e } pre { background: #2b2b2b }
  th, td { border-color: #444 } a { color: #8ab4f8 } }
</style>
"""
BACK = '<body>\n<p><a href="index.html">The pddt manual</a> · <a href="search.html">Search</a></p>'
MIN_HEADINGS = 3  # from that many on a page begins with its contents
# Without scripts the page is an index from A to Z, which the browser searches.
SEARCH = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Search - pddt</title>
%s</head><body>
<p><a href="index.html">The pddt manual</a></p>
<h1>Search</h1>
<p><label for="word">Find</label> <input id="word" type="search" autofocus> <span id="count"></span></p>
<ul id="found">
%s
</ul>
<script>
const word = document.getElementById ("word"), entries = [...document.querySelectorAll ("#found li")];
word.addEventListener ("input", () => {
  const parts = word.value.toLowerCase ().split (/\\s+/).filter (Boolean);
  let n = 0;
  for (const entry of entries) {
    const text = entry.textContent.toLowerCase () + " " + entry.dataset.text;
    entry.hidden = !parts.every (part => text.includes (part));
    n += !entry.hidden;
  }
  document.getElementById ("count").textContent = parts.length ? n + " found" : "";
});
</script>
</body></html>
"""


def run_lowdown(lowdown, kind, text):
    made = subprocess.run([lowdown, "-s", "--out-no-smarty", "-T" + kind], input=text, stdout=subprocess.PIPE, text=True, check=True,
                          encoding="utf-8").stdout
    # In a table's code a bar has a backslash before it, which lowdown keeps.
    return re.sub(r"<code>.*?</code>", lambda match: match[0].replace("\\|", "|"), made, flags=re.S)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def make_html(lowdown, text):
    text = re.sub(r"\]\((?:\.\./|maintainers/)*([a-z0-9-]+)\.md(#[^)]*)?\)", r"](\1.html\2)", text)
    return run_lowdown(lowdown, "html", re.sub(r"\]\((?:\.\./)+data/pictures/", "](", text))


def find_title(text):
    return re.search(r"^# (.*)$", text, re.M)[1]


def make_contents(made):
    headings = re.findall(r'<h2 id="([^"]*)">(.*?)</h2>', made, re.S)
    if len(headings) < MIN_HEADINGS:
        return made
    rows = "".join(f'<li><a href="#{name}">{text}</a></li>\n' for name, text in headings)
    return made.replace("</h1>", f"</h1>\n<nav><ul>\n{rows}</ul></nav>", 1)


def make_page(lowdown, source):
    text = read(source)
    made = make_html(lowdown, text)
    made = re.sub(r"<title>.*?</title>", lambda _: f"<title>{html.escape(find_title(text))} - pddt</title>", made, count=1, flags=re.S)
    made = made.replace("</head>", STYLE + "</head>", 1)
    if os.path.basename(source) == "index.md":
        return made
    return make_contents(made).replace("<body>", BACK, 1)


def strip_tags(text):
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", text)).split())


def list_entries(lowdown, source):
    """(what, where it stands, the address, the words of its section): a page's headings, and what its tables and the words
    in bold type explain."""
    text = read(source)
    made, title = make_html(lowdown, text), find_title(text)
    page = os.path.splitext(os.path.basename(source))[0] + ".html"
    for part in re.split(r"(?=<h[1-3] id=)", made)[1:]:
        name, heading = re.match(r'<h[1-3] id="([^"]*)">(.*?)</h', part, re.S).groups()
        address, heading = f"{page}#{name}", strip_tags(heading)
        yield heading, title, address, strip_tags(part).lower()
        explained = re.findall(r"<tr>\s*<td[^>]*>(.*?)</td>", part, re.S) + re.findall(r"<strong>(.*?)</strong>", part, re.S)
        for found in explained:
            if (what := strip_tags(found)) and len(what) < 100:
                yield what, title if heading == title else f"{title}, {heading}", address, ""


def make_search(lowdown, sources):
    entries = {entry[:3]: entry for source in sources for entry in list_entries(lowdown, source)}.values()
    rows = (f'<li data-text="{html.escape(words)}"><a href="{html.escape(address)}">{html.escape(what)}</a> '
            f"({html.escape(where)})</li>" for what, where, address, words in sorted(
                entries, key=lambda entry: (entry[0].lstrip("`-%").lower(), entry[1])))
    return SEARCH % (STYLE, "\n".join(rows))


def main(lowdown, kind, *paths):
    if kind == "search":
        target, made = paths[0], make_search(lowdown, paths[1:])
    else:
        target = paths[1]
        made = make_page(lowdown, paths[0]) if kind == "html" else run_lowdown(lowdown, "man", read(paths[0]))
    with open(target, "w", encoding="utf-8") as file:
        file.write(made)


main(*sys.argv[1:])
