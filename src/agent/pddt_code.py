# SPDX-License-Identifier: GPL-3.0-or-later
"""Code objects: the tree of those of a file, their lines, and what their instructions do. Used by
pddt_support.py."""
import sys

VERSION = sys.version_info
CO_OPTIMIZED = 1
EXTENDED_ARG = 71 if VERSION >= (3, 13) else 144
STORE_FAST, DELETE_FAST = 125, 126      # before 3.12
RETURNS = (36, 103) if VERSION >= (3, 13) else (83, 121)  # opcodes of RETURN_VALUE, RETURN_CONST


class Node:
    """A code object of a file, with the code objects inside it."""

    def __init__(self, code, name):
        self.code = code
        self.name = name
        self.children = []
        self.lines = body_lines(code)
        self.all_lines = list_lines(code)
        self.first = code.co_firstlineno
        self.last = max(self.lines, default=self.first)
        for constant in code.co_consts:
            if isinstance(constant, type(code)):
                self.children.append(Node(constant, join_name(code, name, constant)))
        for child in self.children:
            self.last = max(self.last, child.last)

    def walk(self):
        yield self
        for child in self.children:
            yield from child.walk()

    def list_at(self, line):
        """All nodes that have code on the line, the outermost first."""
        return [node for node in self.walk() if line in node.all_lines]

    def find_innermost(self, line):
        for child in self.children:
            if child.first <= line <= child.last:
                return child.find_innermost(line) or child
        return self if self.first <= line <= self.last or is_module(self.code) else None


def join_name(outer, outer_name, code):
    if VERSION >= (3, 11):
        return code.co_qualname
    if is_module(outer):
        return code.co_name
    if outer.co_flags & CO_OPTIMIZED:
        return outer_name + ".<locals>." + code.co_name
    return outer_name + "." + code.co_name


def is_module(code):
    return code.co_name == "<module>"


def list_lines(code):
    if VERSION >= (3, 10):
        return {line for _, _, line in code.co_lines() if line}
    line, lines, table = code.co_firstlineno, set(), code.co_lnotab
    lines.add(line)
    for step in table[1::2]:
        line += step - 256 if step >= 128 else step
        lines.add(line)
    return lines


def body_lines(code):
    """Lines that raise events: all but the `def` line of a function of several lines."""
    lines = list_lines(code)
    if code.co_flags & CO_OPTIMIZED and len(lines) > 1 and not code.co_name.startswith("<"):
        lines.discard(code.co_firstlineno)
    return lines


def walk_code(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, type(code)):
            yield from walk_code(constant)


def is_returning(frame):
    """Before 3.12 a return and a yield raise the same event; the instruction tells them apart."""
    return frame.f_code.co_code[frame.f_lasti] in RETURNS


def peek_return(frame):
    """From 3.12 on, a line that only returns raises no event for the return unless return events were on
    before the line's own event. None: the frame continues; otherwise (the value,), or () if the value
    is not known."""
    code = frame.f_code
    number = code.co_code[frame.f_lasti]
    if number not in RETURNS or VERSION < (3, 12):
        return None
    if number == RETURNS[0]:
        return ()
    argument = code.co_code[frame.f_lasti + 1]
    return (code.co_consts[argument],) if code.co_code[frame.f_lasti - 2] != EXTENDED_ARG else ()


def list_set(code):
    """Indexes of the fast variables that the code assigns or deletes (before 3.12)."""
    found, argument = set(), 0
    for at in range(0, len(code.co_code), 2):
        argument = argument << 8 | code.co_code[at + 1]
        if code.co_code[at] in (STORE_FAST, DELETE_FAST):
            found.add(argument)
        if code.co_code[at] != EXTENDED_ARG:
            argument = 0
    return found
