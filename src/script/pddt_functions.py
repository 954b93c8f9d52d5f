# SPDX-License-Identifier: GPL-3.0-or-later
"""$NAME(…) of scripts, for pddt.function and gdb.Function: the ranks say what the arguments are, and Python runs once for each
distinct list of them."""
import re

import gdb
import pddt
from pddt_format import Format
from pddt_objects import Current, Memory, Value
from pddt_port import SHOWING, SHOWN, port
from pddt_types import CODE_BOOL, CODE_CHAR, CODE_ENUM, CODE_FLT, CODE_INT, Question, ask, ask_all, error, type_of
from pddt_values import format_ranks, parse_ranks, read_moment

WHOLE = CODE_INT, CODE_BOOL, CODE_CHAR, CODE_ENUM


class Argument(pddt.Value):
    """What it reads is of one rank: the function is called again for the others."""

    def _read(self, expression):
        self._check()
        Current.is_asked, before = True, Question.ranks
        try:
            Question.ranks = str(min(self.ranks))
            _, words, data = ask(f"print {expression}")[0]
        finally:
            Question.ranks = before
        own = pddt.Ranks([min(self.ranks)])
        return Argument(own, expression, _parse(words, data), read_moment(own))

    def numpy(self):
        Current.is_asked = True
        return super().numpy()


def _parse(words, data):
    """As a group of --json has it, from what the main loop says of a value."""
    mark, (number, _, kind) = words[:1], words[1:].partition(" ")
    return {"text": data.decode("utf-8", "backslashreplace"), "type": kind or None,
            "number": float(number) if mark == "n" else None, "problem": mark == "p"}


def _split(call):
    """The name, and the expressions between the brackets."""
    name, _, inside = call.strip()[1:].partition("(")
    parts, depth, quote, part = [], 0, None, ""
    for found in re.finditer(r"\\.|.", inside[:-1]):
        c = found[0]
        if quote is not None:
            quote = None if c == quote else quote
        elif c in "\"'":
            quote = c
        elif c == "," and depth == 0:
            parts.append(part.strip())
            part = ""
            continue
        else:
            depth += (c in "([{") - (c in ")]}")
        part += c
    return name.strip(), parts + [part.strip()] if parts or part.strip() else []


def _ask_arguments(ranks, expressions, failed):
    """{rank: [(number of its group, group), …]} of those that can say them all."""
    known = {rank: [] for rank in ranks}
    for expression in filter(lambda _: known, expressions):
        Question.ranks = format_ranks(known)
        groups, failures = ask_all(f"print {expression}")
        for number, (who, words, data) in enumerate(groups):
            group = _parse(words, data)
            if group["problem"]:
                failures.append((who, "unsupported", f"{expression} is {group['text']}"))
                continue
            for rank in parse_ranks(who) & known.keys():
                known[rank].append((number, group))
        for who, code, reason in failures:
            failed.append((parse_ranks(who) & known.keys(), code, reason))
            for rank in parse_ranks(who):
                known.pop(rank, None)
    return known


def _as_gdb_value(expression, group):
    if re.fullmatch(r'"(?:\\.|[^"\\])*"', expression):
        import ast
        return Value(ast.literal_eval(expression))
    try:
        kind = type_of(expression)
    except error as problem:  # of a frame of Python: numbers and texts alone
        if group["number"] is not None and group["type"] in ("int", "bool", "float"):
            return Value({"bool": bool, "float": float}.get(group["type"], int)(group["number"]))
        if group["type"] == "str" and re.fullmatch(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"", group["text"]):
            import ast
            return Value(ast.literal_eval(group["text"]))
        if "values of C" not in str(problem):
            raise
        raise error(f"of values of Python, gdb.Function gets numbers and texts; pddt.function gets {expression}, too") from None
    if group["number"] is not None:
        plain, number = kind.strip_typedefs(), group["number"]
        if plain.code in WHOLE and abs(number) < 1 << 53:
            return Value._of_number(int(number), kind)
        if plain.code == CODE_FLT and plain.sizeof in (4, 8):
            return Value(number).cast(kind)
    return gdb.parse_and_eval(expression)


def _say(result, limits):
    """NUMBER, TYPE and text of what was returned."""
    if isinstance(result, pddt.Value):
        return "" if result.number is None else repr(float(result.number)), result.type or "", result.text
    if not isinstance(result, (Value, bool, int, float, str)) and hasattr(result, "item"):
        result = result.item()  # numpy's
    if result is None:
        raise TypeError("it returned None, which is no value")
    value = Value(result)
    plain = value.type.strip_typedefs()
    number = repr(float(int(value))) if plain.code in WHOLE else repr(float(value)) if plain.code == CODE_FLT else ""
    return number, str(value.type), Format(**limits).top(value)


def _run(function, expressions, groups, ranks, limits):
    """What it returned in the lowest of the ranks, and in whom it would return the same."""
    leader = min(ranks)
    Question.ranks, Current.memory = str(leader), Memory(leader)
    try:
        if isinstance(function, gdb.Function):
            arguments = list(map(_as_gdb_value, expressions, groups))
            Current.is_asked = False
            said = ("=", *_say(function.invoke(*arguments), limits))
        else:
            own = pddt.Ranks(ranks)
            moment = read_moment(own)
            Current.is_asked = False
            said = ("=", *_say(function(*(Argument(own, *both, moment) for both in zip(expressions, groups))), limits))
    except KeyboardInterrupt:
        raise
    except gdb.GdbError as problem:
        said = "!", "unsupported", "", str(problem)
    except BaseException as problem:
        said = "!", "unsupported", "", gdb._describe(problem)
    if Current.is_asked:
        return said, frozenset([leader])
    if Current.memory.reads and len(ranks) > 1:
        return said, gdb._equal_bytes(ranks, Current.memory) & ranks | {leader}
    return said, ranks


def _call(ranks, call, limits):
    """(kind, ranks, words…) for each result."""
    name, expressions = _split(call)
    failed = []
    known = _ask_arguments(ranks, expressions, failed)
    for who, code, reason in failed:
        yield "!", who, code, "", reason
    alike = {}
    for rank in sorted(known):
        alike.setdefault(tuple(number for number, _ in known[rank]), []).append(rank)
    for members in alike.values():
        left = frozenset(members)
        while left:
            said, equal = _run(pddt._functions[name], expressions, [group for _, group in known[min(left)]], left, limits)
            yield said[0], equal, *said[1:]
            left -= equal


def _serve_call(identity, options, call):
    """options: as _serve_show's head; call: RANKS, the call. The answer: lines of kind, RANKS, and three words more."""
    import _pddt
    ranks, _, call = call.partition("\t")
    mode, items, bytes_, _, repeats, letter = options.split("\t")
    limits = {"max_elements": int(items), "max_characters": int(bytes_), "repeat_threshold": int(repeats), "max_depth": 20,
              "raw": mode == "off", "format": letter}
    left, lines = parse_ranks(ranks), []
    before = Question.ranks, Current.memory
    _pddt.send(SHOWING, identity)
    try:
        for kind, who, *words in _call(left, call, limits):
            left -= who
            lines.append("\t".join((kind, format_ranks(who), *map(gdb._escape, words))))
    except KeyboardInterrupt as problem:
        place = gdb._describe(problem).rpartition("KeyboardInterrupt")[0]
        lines.append(f"!\t{format_ranks(left)}\ttimeout\t\t{gdb._escape(place)}the function takes longer than 10 s")
    except Exception as problem:
        lines.append(f"!\t{format_ranks(left)}\tunsupported\t\t{gdb._escape(gdb._describe(problem))}")
    finally:
        Question.ranks, Current.memory = before
        _pddt.send(SHOWN, identity, "\n".join(lines).encode("utf-8", "backslashreplace").decode())


port.serve_call = _serve_call
