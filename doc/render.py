# SPDX-License-Identifier: GPL-3.0-or-later
"""render.py LOWDOWN html|man INPUT OUTPUT: a page of the manual by lowdown. Links to other chapters and to
pictures point to what stands beside the page then."""
import re
import subprocess
import sys

STYLE = """<style>
body { max-width: 52em; margin: 2em auto; padding: 0 1em; font: 16px/1.5 sans-serif; color: #222; background: #fff }
h1, h2 { line-height: 1.2 } h2 { margin-top: 1.8em }
table { border-collapse: collapse } th, td { text-align: left; vertical-align: top; padding: .3em .8em .3em 0;
  border-bottom: 1px solid #ddd }
pre { background: #f4f4f4; padding: .8em; overflow-x: auto } code { font-size: 90% } td:first-child code { white-space: nowrap } img { max-width: 100% }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #1e1e1e } pre { background: #2b2b2b }
  th, td { border-color: #444 } a { color: #8ab4f8 } }
</style>
"""


def main(lowdown, kind, source, target):
    with open(source, encoding="utf-8") as file:
        text = file.read()
    if kind == "html":
        text = re.sub(r"\]\(([a-z0-9-]+)\.md(#[^)]*)?\)", r"](\1.html\2)", text)
        text = re.sub(r"\]\(\.\./data/pictures/", "](", text)
    made = subprocess.run([lowdown, "-s", "--out-no-smarty", "-T" + kind], input=text, stdout=subprocess.PIPE, text=True, check=True,
                          encoding="utf-8").stdout
    # In a table's code a bar has a backslash before it, which lowdown keeps.
    made = re.sub(r"<code>.*?</code>", lambda match: match[0].replace("\\|", "|"), made, flags=re.S)
    if kind == "html":
        title = re.search(r"^# (.*)$", text, re.M)[1]
        made = re.sub(r"<title>.*?</title>", f"<title>{title} - pddt</title>", made, count=1, flags=re.S)
        made = made.replace("</head>", STYLE + "</head>", 1)
        if not source.endswith("index.md"):
            made = made.replace("<body>", '<body>\n<p><a href="index.html">The pddt manual</a></p>', 1)
    with open(target, "w", encoding="utf-8") as file:
        file.write(made)


main(*sys.argv[1:])
