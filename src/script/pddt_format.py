# SPDX-License-Identifier: GPL-3.0-or-later
"""Values as gdb's print shows them, with printers of Python where there are some."""
import time

from pddt_objects import LazyString, Value, symbol_of
from pddt_types import (CODE_ARRAY, CODE_BOOL, CODE_CHAR, CODE_COMPLEX, CODE_ENUM, CODE_FLT, CODE_FUNC, CODE_INT, CODE_METHOD, CODE_PTR, CODE_REF,
                        CODE_RVALUE_REF, CODE_STRUCT, CODE_UNION, CODE_VOID, File, MemoryError, Type, error)

MAX_TEXT = 1 << 20
ESCAPES = {7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r", 27: "\\033"}
PREFIXES = {"wchar_t": "L", "char16_t": "u", "char32_t": "U"}
LETTERED = CODE_INT, CODE_BOOL, CODE_CHAR, CODE_ENUM, CODE_FLT, CODE_PTR


class Watch:
    """When a printer has had its processor time; find: the printer of a value, or None; letter: of print/F, for what it makes texts of."""
    end_s, find, letter = None, None, ""

    @classmethod
    def check(cls):
        if cls.end_s is not None and time.thread_time() > cls.end_s:
            raise error("it takes longer than 1 s")


def escape(number, quote, unit):
    if chr(number) == quote if number < 0x110000 else False:
        return "\\" + quote
    if number == 92:
        return "\\\\"
    if number in ESCAPES:
        return ESCAPES[number]
    if 32 <= number < 127:
        return chr(number)
    if unit > 1 and number >= 256 and number < 0x110000 and chr(number).isprintable():
        return chr(number)
    return "".join(f"\\{byte:03o}" for byte in (number & (1 << 8 * unit) - 1).to_bytes(unit, "little")[:1 if number < 256 else unit])


def format_float(number, size):
    if number != number:
        return "nan(0x8000000000000)" if size == 8 else "nan(0x400000)"
    if number in (float("inf"), float("-inf")):
        return "inf" if number > 0 else "-inf"
    return f"%.{9 if size == 4 else 17}g" % number


class Format:
    def __init__(self, max_elements=200, repeat_threshold=10, max_depth=20, raw=False, max_characters=None, format="", **_):
        self.max_elements = max_elements if max_elements else 1 << 30
        self.max_characters = self.max_elements if max_characters is None else max_characters or 1 << 30
        self.repeats, self.max_depth, self.raw, self.depth, self.length = repeat_threshold or 1 << 30, max_depth, raw, 0, 0
        self.letter, self.has_addresses = format, True
        self.n_printed = 0  # values that printers have shown
        self.parts = []     # of the whole: (name, text, Value or None), what its printer has
        self.texts = []     # (name, text): members and elements that printers show, where the whole has none

    # ---- texts ----

    def quoted(self, numbers, unit, prefix="", truncated=False):
        """A text with quotes: runs of equal characters once, abbreviated."""
        if not numbers:
            return prefix + '""' + ("..." if truncated else "")
        parts, open_part, shown, at = [], None, 0, 0
        while at < len(numbers) and shown < self.max_characters:
            run = 1
            while at + run < len(numbers) and numbers[at + run] == numbers[at]:
                run += 1
            if run > self.repeats:
                parts.append(f"{prefix}'{escape(numbers[at], chr(39), unit)}' <repeats {run} times>")
                open_part, shown, at = None, shown + self.repeats, at + run
                continue
            if open_part is None:
                open_part = []
                parts.append(open_part)
            open_part.append(escape(numbers[at], '"', unit))
            shown, at = shown + 1, at + 1
        whole = ", ".join(part if isinstance(part, str) else prefix + '"' + "".join(part) + '"' for part in parts)
        return whole + ("..." if at < len(numbers) or truncated else "")

    def numbers_of(self, data, unit):
        if unit == 1:
            try:  # as gdb on a terminal of UTF-8
                return [ord(c) for c in data.decode("ascii")]
            except UnicodeDecodeError:
                return list(data)
        return [int.from_bytes(data[i:i + unit], "little") for i in range(0, len(data) - unit + 1, unit)]

    def text_at(self, value, length=-1):
        """Of a pointer to characters, or an array."""
        kind = value._plain
        of = kind.target().strip_typedefs() if kind.code in (CODE_PTR, CODE_ARRAY) else kind
        if length < 0 and kind.code == CODE_PTR:
            data, unit, is_cut = self.read_to_zero(value, of.sizeof)
        else:
            want = length if length < 0 else min(length, self.max_characters)
            data, unit = value._text_bytes(want)
            is_cut = length > want
        return self.quoted(self.numbers_of(data, unit), unit, PREFIXES.get(of.name, ""), is_cut)

    def read_to_zero(self, value, unit):
        """What is shown of the text, and whether it goes on."""
        at, data, most = value._pointer(), b"", self.max_characters * unit
        while len(data) <= most:
            size = min(64, 4096 - (int(at) + len(data)) % 4096)
            data += value._memory.read(at.moved(len(data)), size)[0]
            for i in range(0, min(len(data), most + unit) - unit + 1, unit):
                if not any(data[i:i + unit]):
                    return data[:i], unit, False
        return data[:most], unit, True

    def lazy(self, text):
        value = text.value()
        if text.length == 0:
            return '""'
        return self.text_at(value, text.length)

    # ---- values ----

    def top(self, value):
        """As print shows it."""
        kind = value._plain
        if not self.raw and Watch.find(value) is not None:
            return self.value(value)
        if kind.code == CODE_PTR:
            target = kind.target()
            if target.unqualified().name == "char" and not value._type.name:
                return self.value(value)
            return f"({value._type}) {self.value(value)}"
        if kind.code in (CODE_REF, CODE_RVALUE_REF):
            return f"({value._type}) {self.value(value)}"
        return self.value(value)

    def value(self, value):
        Watch.check()
        printer = None if self.raw else Watch.find(value)
        try:
            text = self.printed(value, printer) if printer is not None else self.plain(value)
        except MemoryError as problem:
            if printer is not None and self.depth == 0:
                raise
            text = f"<error: {problem}>"
        self.length += len(text)
        if self.length > MAX_TEXT * 8 or len(text) > MAX_TEXT:
            raise error("its text is longer than 1 MB")
        return text

    def plain(self, value):
        kind = value._plain
        code = kind.code
        if self.letter and code in LETTERED:
            return self.by_letter(value, kind)
        if code in (CODE_STRUCT, CODE_UNION):
            return self.structure(value, kind)
        if code == CODE_ARRAY:
            return self.array(value, kind)
        if code == CODE_PTR:
            return self.pointer(value, kind)
        if code in (CODE_REF, CODE_RVALUE_REF):
            value._memory.show(value._pointer())
            return f"@{int(value._pointer()):#x}: {self.value(value._follow())}" if self.depth == 0 else \
                f"@{int(value._pointer()):#x}"
        if code == CODE_COMPLEX:
            half, data = kind.sizeof // 2, value._load()
            parts = [format_float(float(Value(part, Type(CODE_FLT, name="part", size=half))), half)
                     for part in (data[:half], data[half:])]
            return f"{parts[0]} + {parts[1]}i"
        if code == CODE_FLT:
            return format_float(float(value), kind.sizeof)
        if code == CODE_ENUM:
            return self.enumeration(value._integer(), kind)
        if code == CODE_BOOL:
            number = value._integer()
            return {0: "false", 1: "true"}.get(number, str(number))
        if code in (CODE_VOID, CODE_METHOD):
            return "void"
        if code == CODE_FUNC:
            at = int(value._address)
            return f"{{{value._type}}} {at:#x}{self.symbol(at, value)}"
        number = value._integer()
        if kind._is_character or kind.name == "wchar_t":
            return f"{number} {PREFIXES.get(kind.name, '')}'{escape(number & (1 << 8 * kind.sizeof) - 1, chr(39), kind.sizeof)}'"
        return str(number)

    def by_letter(self, value, kind):
        """As print/F shows a number."""
        letter, code = self.letter, kind.code
        if code == CODE_PTR:
            value._memory.show(value._pointer())
            number, signed = int(value._pointer()), False
        elif code == CODE_FLT:
            if letter in "fs":
                return format_float(float(value), kind.sizeof)
            number, signed = int(float(value)), True
        else:
            number, signed = value._integer(), code == CODE_INT and kind.is_signed
        size = value._bits[1] if value._bits is not None else 8 * kind.sizeof
        bits = number & (1 << size) - 1
        if letter == "d":
            return str(bits - (1 << size) if bits >> (size - 1) else bits)
        if letter in "uf":
            return str(bits if letter == "u" or not signed else number)
        if letter == "o":
            return f"0{bits:o}" if bits else "0"
        if letter == "t":
            return f"{bits:b}"
        if letter == "z":
            return f"0x{bits:0{(size + 7) // 8 * 2}x}"
        if letter == "c":
            byte = bits & 0xff
            return f"{byte - 256 if signed and byte > 127 else byte} '{escape(byte, chr(39), 1)}'"
        if letter == "a":
            at = number & (1 << 64) - 1
            return f"{at:#x}{self.symbol(at, value)}"
        return f"{bits:#x}"

    def symbol(self, at, value):
        name = symbol_of(at, value._memory.rank)
        return f" <{name}>" if name else ""

    def pointer(self, value, kind):
        if self.has_addresses:
            value._memory.show(value._pointer())
        at = int(value._pointer())
        target = kind.target()
        plain = target.strip_typedefs()
        if plain.code == CODE_FUNC:
            return f"{at:#x}{self.symbol(at, value)}"
        shown = f"{at:#x}" if self.has_addresses else ""
        if at and (plain.name in PREFIXES or plain._is_character):
            try:
                return f"{shown} {self.text_at(value)}".lstrip()
            except MemoryError as problem:
                return f"{shown} <error: {problem}>".lstrip()
        if at and any(0 <= at - file.bias < 1 << 26 for file in File.known.values()):
            shown += self.symbol(at, value)
        return shown

    def enumeration(self, number, kind):
        values = kind._entry.enumerators
        for known, name in values:
            if known == number:
                return name
        flags = [known for known, _ in values if known]
        is_flags = bool(flags) and all(known > 0 for known in flags) and all(
            not (a & b) for i, a in enumerate(flags) for b in flags[:i])
        if not is_flags:
            return str(number)
        if not number:
            return "0"
        names, left = [], number
        for known, name in values:
            if known and number & known == known:
                names.append(name)
                left &= ~known
        if left:
            if not names:
                return f"(unknown: {left:#x})"
            names.append(f"unknown: {left:#x}")
        return "(" + " | ".join(names) + ")"

    def structure(self, value, kind):
        fields = kind.fields()
        if not fields:
            return "{<No data fields>}" if kind._made is None and not kind._entry.flags & 1 else "<incomplete type>"
        if self.depth >= self.max_depth:
            return "{...}"
        self.depth += 1
        try:
            parts = []
            for field in fields:
                if len(parts) >= self.max_elements:
                    parts.append("...")
                    break
                before = self.n_printed
                parts.append(self.member(value, field))
                if self.depth == 1 and self.n_printed > before and field.name and not field.is_base_class:
                    self.texts.append((field.name, parts[-1].partition(" = ")[2]))
            if all(field.is_base_class for field in fields):
                parts.append("<No data fields>")
            return "{" + ", ".join(parts) + "}"
        finally:
            self.depth -= 1

    def member(self, value, field):
        part = value._member(field)
        if field.is_base_class:
            return f"<{field.type.name}> = {self.value(part)}"
        if field.name is None:
            return self.value(part)
        word = "static " if getattr(field, "_flags", 0) & 6 else ""
        if field.name.startswith("_vptr"):
            value._memory.show(part._pointer())
            at = int(part._pointer())
            return f"{field.name} = {at:#x}{self.symbol(at, value)}"
        return f"{word}{field.name} = {self.value(part)}"

    def array(self, value, kind):
        low, high = kind.range()
        count, element = max(0, high - low + 1), kind.target()
        plain = element.strip_typedefs()
        if plain.name in PREFIXES or plain._is_character:
            return self.characters(value, plain, count)
        if not count:
            return "{}"
        if self.depth >= self.max_depth:
            return "{...}"
        size, parts, shown, at = element.sizeof, [], 0, 0
        limit = self.max_elements if plain.code != CODE_ARRAY else 1 << 30
        self.depth += 1
        try:
            data = value._load() if count * size <= 1 << 20 else None
            while at < count and shown < limit:
                run = 1
                if data is not None and plain.code != CODE_ARRAY:
                    own = data[at * size:(at + 1) * size]
                    while at + run < count and data[(at + run) * size:(at + run + 1) * size] == own:
                        run += 1
                before = self.n_printed
                text = self.value(value[low + at])
                if self.depth == 1 and self.n_printed > before:
                    self.texts += ((f"[{at + i}]", text) for i in range(run))
                if run >= self.repeats:
                    parts.append(f"{text} <repeats {run} times>")
                    at, shown = at + run, shown + self.repeats
                else:
                    for _ in range(run):
                        if shown >= limit:
                            break
                        parts.append(text)
                        at, shown = at + 1, shown + 1
            return "{" + ", ".join(parts) + ("..." if at < count else "") + "}"
        finally:
            self.depth -= 1

    def characters(self, value, kind, count):
        data = value._load()
        numbers = self.numbers_of(data, kind.sizeof)
        if len(numbers) <= self.max_characters and numbers and numbers[-1] == 0:
            numbers = numbers[:-1]
        return self.quoted(numbers, kind.sizeof, PREFIXES.get(kind.name, ""))

    # ---- printers ----

    def shown(self, item):
        """A child, or what to_string gives."""
        if isinstance(item, LazyString):
            return self.lazy(item)
        if isinstance(item, str):
            return item
        if not isinstance(item, Value):
            item = Value(item)
        return self.value(item)

    def printed(self, value, printer):
        self.n_printed += 1
        hint = printer.display_hint() if hasattr(printer, "display_hint") else None
        if self.depth >= self.max_depth and hasattr(printer, "children"):
            return "{...}"
        text = printer.to_string() if hasattr(printer, "to_string") else None
        head = None
        if isinstance(text, LazyString):
            head = self.lazy(text)
        elif isinstance(text, str):
            data = text.encode("utf-8", "surrogateescape")
            head = self.quoted([ord(c) for c in text] if len(data) == len(text) else list(data), 1) if hint == "string" else text
        elif text is not None:
            before, self.has_addresses = self.has_addresses, False  # as gdb
            try:
                head = self.shown(text)
            finally:
                self.has_addresses = before
        parts = self.children(printer, hint) if hasattr(printer, "children") else None
        if parts is None:
            return head or ""
        return f"{head} = {parts}" if head is not None else parts

    def children(self, printer, hint):
        out, i, more, key = [], 0, False, None
        self.depth += 1
        try:
            for name, item in printer.children():
                Watch.check()
                if i >= self.max_elements:
                    more = True
                    break
                if i and (hint != "map" or i % 2 == 0):
                    out.append(", ")
                if hint == "map" and i % 2 == 0:
                    out.append("[")
                elif hint not in ("map", "array"):
                    out.append(f"{name} = ")
                out.append(self.shown(item))
                if self.depth == 1 and hint == "map" and i % 2 == 0:
                    key = out[-1]
                elif self.depth == 1:
                    label = f"[{key}]" if hint == "map" else f"[{i}]" if hint == "array" else str(name)
                    self.parts.append((label, out[-1], item if isinstance(item, Value) else None))
                if hint == "map" and i % 2 == 0:
                    out.append("] = ")
                i += 1
        finally:
            self.depth -= 1
        return "{" + "".join(out) + ("..." if more else "") + "}" if i else None
