# SPDX-License-Identifier: GPL-3.0-or-later
"""Conditions as small programs for condition.c: reading names, constants, attributes and items, comparing,
computing and calling become a list of (operation, number, object). A condition with anything else is
evaluated as Python code. Names are bound to the fast variables of the code object by index."""
import _ast
import sys

VERSION = sys.version_info
CO_OPTIMIZED = 1
(CONSTANT, FAST, CELL, NAME, GLOBAL, ATTRIBUTE, ITEM, COMPARE, IS, IN, BINARY, UNARY, JUMP_FALSE,
 JUMP_TRUE, CALL) = range(15)
BINARIES = {name: number for number, name in enumerate((
    "Add", "Sub", "Mult", "Div", "FloorDiv", "Mod", "BitAnd", "BitOr", "BitXor", "LShift",
    "RShift"))}
COMPARES = {"Lt": 0, "LtE": 1, "Eq": 2, "NotEq": 3, "Gt": 4, "GtE": 5}
UNARIES = {"USub": 0, "Not": 1, "Invert": 2, "UAdd": 3}


class NotSimple(Exception):
    pass


def parse(text):
    return compile(text, "<condition>", "eval", 0x400, True).body


def index_names(code):
    """name -> (operation, index), for the names that the code keeps in its frame."""
    names, at = {}, 0
    for name in code.co_varnames:
        names[name] = FAST, at
        at += 1
    for name in code.co_cellvars:
        if VERSION >= (3, 11) and name in names:
            names[name] = CELL, names[name][1]
        else:
            names[name] = CELL, at
            at += 1
    for name in code.co_freevars:
        names[name] = CELL, at
        at += 1
    return names


class Writer:
    def __init__(self, code):
        self.steps = []
        self.names = index_names(code) if code.co_flags & CO_OPTIMIZED else None

    def put(self, operation, number=0, thing=None):
        self.steps.append((operation, number, thing))

    def write(self, node):
        writer = getattr(self, "write_" + type(node).__name__.lower(), None)
        if writer is None:
            raise NotSimple
        writer(node)

    def write_constant(self, node):
        self.put(CONSTANT, 0, node.value)

    def write_name(self, node):
        if self.names is None:
            self.put(NAME, 0, node.id)
        elif node.id in self.names:
            self.put(*self.names[node.id])
        else:
            self.put(GLOBAL, 0, node.id)

    def write_attribute(self, node):
        self.write(node.value)
        self.put(ATTRIBUTE, 0, node.attr)

    def write_subscript(self, node):
        index = node.slice.value if type(node.slice).__name__ == "Index" else node.slice
        self.write(node.value)
        self.write(index)
        self.put(ITEM)

    def write_compare(self, node):
        operands = [node.left] + node.comparators
        if any(not isinstance(middle, (_ast.Name, _ast.Constant)) for middle in operands[1:-1]):
            raise NotSimple
        jumps = []
        for left, operator, right in zip(operands, node.ops, operands[1:]):
            if left is not node.left:
                jumps.append(len(self.steps))
                self.put(JUMP_FALSE)
            self.write(left)
            self.write(right)
            self.write_operator(type(operator).__name__)
        self.patch(jumps)

    def write_operator(self, name):
        if name in COMPARES:
            self.put(COMPARE, COMPARES[name])
        elif name in ("Is", "IsNot"):
            self.put(IS, int(name == "IsNot"))
        else:
            self.put(IN, int(name == "NotIn"))

    def write_binop(self, node):
        name = type(node.op).__name__
        if name not in BINARIES:
            raise NotSimple
        self.write(node.left)
        self.write(node.right)
        self.put(BINARY, BINARIES[name])

    def write_unaryop(self, node):
        if (isinstance(node.op, _ast.USub) and isinstance(node.operand, _ast.Constant)
                and type(node.operand.value) in (int, float)):
            self.put(CONSTANT, 0, -node.operand.value)
            return
        self.write(node.operand)
        self.put(UNARY, UNARIES[type(node.op).__name__])

    def write_boolop(self, node):
        operation = JUMP_FALSE if isinstance(node.op, _ast.And) else JUMP_TRUE
        jumps = []
        for value in node.values[:-1]:
            self.write(value)
            jumps.append(len(self.steps))
            self.put(operation)
        self.write(node.values[-1])
        self.patch(jumps)

    def write_call(self, node):
        if node.keywords or len(node.args) > 4 or any(isinstance(word, _ast.Starred)
                                                      for word in node.args):
            raise NotSimple
        if isinstance(node.func, _ast.Name) and node.func.id in (
                "locals", "globals", "vars", "dir", "eval", "exec", "super"):
            raise NotSimple  # these look at the calling frame
        self.write(node.func)
        for word in node.args:
            self.write(word)
        self.put(CALL, len(node.args))

    def patch(self, jumps):
        for at in jumps:
            self.steps[at] = self.steps[at][0], len(self.steps), None


def write_program(tree, code):
    """The program of the parsed condition in this code object; None: the condition is not simple enough."""
    writer = Writer(code)
    try:
        writer.write(tree)
    except (NotSimple, RecursionError):
        return None
    return writer.steps
