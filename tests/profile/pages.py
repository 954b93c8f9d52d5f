# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a report in each of its forms into the same shape, so that they can be compared: sections of
(title, list of blocks), where a block is a text, or a table as (titles with units, rows of cells)."""
import csv
import json
import re
import subprocess
from xml.etree import ElementTree

XHTML = "{http://www.w3.org/1999/xhtml}"
NONE = "not measured"
CARDS = set()  # titles of the tables that html shows as cards
NAMELESS = set()  # titles of the tables whose first column is a number and no name


def check_html(path):
    """It is well-formed, and loads nothing."""
    subprocess.run(["xmllint", "--noout", "--nonet", path], check=True)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    root = ElementTree.fromstring(text)
    for element in root.iter():
        name = element.tag.replace(XHTML, "")
        if name in ("script", "img", "link", "iframe", "object", "embed", "a", "video", "svg", "b:script"):
            raise SystemExit(f"{path} has an element {name}")
        for attribute, value in element.items():
            if attribute.startswith("on") or attribute in ("src", "href") or "url(" in value:
                raise SystemExit(f"{path} has {attribute}={value}")
    if re.search(r"@import|url\(|https?://(?!www\.w3\.org/1999/xhtml)", text):
        raise SystemExit(f"{path} names something outside")
    return root


def words(element):
    return "".join(element.itertext())


def read_html_table(table):
    def shown(row):
        return [cell for cell in row if cell.get("class") != "chart"]
    head = shown(table.find(f"{XHTML}thead/{XHTML}tr"))
    titles = [words(cell) for cell in head]
    if head[0].get("class") == "n":
        NAMELESS.add(tuple(titles))
    return (titles, [[words(cell) for cell in shown(row)] for row in table.findall(f"{XHTML}tbody/{XHTML}tr")])


def read_cards(element):
    titles, row = [], []
    for card in element:
        unit = card.get("data-unit")
        titles.append(words(card[0]) + (f" ({unit})" if unit else ""))
        if words(card) != words(card[0]) + words(card[1]) + (f" {unit}" if unit and words(card[1]) != NONE else ""):
            raise SystemExit(f"a card without its unit: {words(card)}")
        row.append(words(card[1]))
    CARDS.add(tuple(titles))
    return titles, [row]


def read_html(path):
    root = check_html(path)
    sections = []
    for section in root.iter(f"{XHTML}section"):
        title, blocks = "", []
        for element in section:
            kind = element.tag.replace(XHTML, "")
            if kind == "h2":
                title = words(element)
            elif kind == "p" and element.get("class") != "legend":
                blocks.append(words(element))
            elif kind == "pre":
                blocks.append(words(element).rstrip("\n"))
            elif element.get("class") == "cards":
                blocks.append(read_cards(element))
            elif element.get("class") == "wide":
                blocks.append(read_html_table(element[0]))
        sections.append((title, blocks))
    return words(root.find(f".//{XHTML}h1")), sections


def show(number, unit):
    """As people read it."""
    if unit != "bytes" or number == NONE:
        return number
    size, units = float(number), ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]
    power = next(i for i in range(6) if abs(size) < 1024 ** (i + 1) or i == 5)
    return f"{size / 1024 ** power:.1f} {units[power]}" if power else f"{number} B"


def read_json(path):
    with open(path, encoding="utf-8") as file:
        document = json.load(file, parse_float=str, parse_int=str)
    sections = []
    for section in document["sections"]:
        blocks = []
        for block in section["blocks"]:
            if "columns" in block:
                units = [column.get("unit") if column.get("unit") != "bytes" or column["title"] == "Size" else None
                         for column in block["columns"]]
                blocks.append(([column["title"] + (f" ({unit})" if unit else "")
                                for column, unit in zip(block["columns"], units)],
                               [[NONE if cell is None else show(cell, column.get("unit") if not unit else None)
                                 for cell, column, unit in zip(row, block["columns"], units)] for row in block["rows"]]))
            else:
                blocks.append(block["text"] if "text" in block else block["lines"].rstrip("\n"))
        sections.append((section["title"], blocks))
    return document["title"], sections


def drop_cards_units(value, title):
    unit = re.search(r" \(([^()]*)\)$", title)
    return value + (f" {unit[1]}" if unit and value != NONE else "")


def flatten_csv(path):
    with open(path, encoding="utf-8", newline="") as file:
        return [tuple(re.sub(r"^'(?=[=+@-])", "", cell) for cell in row.values())
                for row in csv.DictReader(file, strict=True)]


def compare(html, text, table, document):
    """html = json, and the csv and the text have the same words and numbers."""
    pages = read_html(html), read_json(document)
    if pages[0] != pages[1]:
        for left, right in zip(pages[0][1], pages[1][1]):
            if left != right:
                raise SystemExit(f"{html} and {document} differ:\n{left}\n{right}")
        raise SystemExit(f"{html} and {document} differ")
    title, sections = pages[0]
    wanted = [("", "0", "", "title", "", title)]
    with open(text, encoding="utf-8") as file:
        shown = file.read()
    at = 0
    for name, blocks in sections:
        for block in blocks:
            at = expect_text(shown, at, block)
            if isinstance(block, str):
                wanted.append((name, "0", "", "text", "", block))
            else:
                wanted += flatten(name, block)
    found = [row[:5] + (row[5].rstrip("\n"),) for row in flatten_csv(table)]
    strip = [(section, row, left, quantity.strip(), unit if unit != "bytes" else "", show(value, unit))
             for section, row, left, quantity, unit, value in found]
    if sorted(strip) != sorted(wanted):
        raise SystemExit(f"{table} differs: {sorted(set(strip) ^ set(wanted))[:6]}")
    return title, sections


def flatten(section, block):
    """The rows of the csv."""
    titles, rows = block
    split = [re.fullmatch(r"(.*?)(?: \(([^()]*)\))?", title).groups() for title in titles]
    is_nameless = section_is_cards(titles) or tuple(titles) in NAMELESS
    for number, row in enumerate(rows, 1):
        begin = 0 if is_nameless else 1
        for (title, unit), value in list(zip(split, row))[begin:]:
            yield (section, str(number), "" if is_nameless else row[0], title, unit or "", value)


def section_is_cards(titles):
    return tuple(titles) in CARDS


def expect_text(shown, at, block):
    """Where the block ends in the text."""
    if isinstance(block, str):
        found = shown.find(block, at)
        if found < 0:
            raise SystemExit(f"the text lacks {block!r}")
        return found + len(block)
    titles, rows = block
    if section_is_cards(titles):
        for title, value in zip(titles, rows[0]):
            plain = re.sub(r" \([^()]*\)$", "", title)
            at = expect_text(shown, at, f"{plain}: {drop_cards_units(value, title)}\n")
        return at
    for row in [titles] + rows:
        pattern = re.compile(r"^ *" + r" {2,}".join(re.escape(cell) for cell in row if cell) + r" *$", re.M)
        found = pattern.search(shown, at)
        if not found:
            raise SystemExit(f"the text lacks the row {row}")
        at = found.end()
    return at
