# SPDX-License-Identifier: GPL-3.0-or-later
"""Thirteen Python frames through calls, generators and C callbacks, then a wait."""
import functools
import os
import sys


def wait():
    sys.stdout.write("end\n")
    sys.stdout.flush(); os.read(0, 1)


def down(n):
    return wait() if n == 0 else down(n - 1)


def generate():
    yield down(5)


def delegate():
    yield from generate()


def key(item):
    return list(delegate())


def order():
    return sorted([1], key=key)


def run():
    return functools.partial(order)()


run()
