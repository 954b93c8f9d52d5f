# SPDX-License-Identifier: GPL-3.0-or-later
import functools


def loud(function):
    @functools.wraps(function)
    def wrapper(*words):
        return function(*words)
    return wrapper


def solve(a):
    return a                            #@ solve


class Thing:
    def run(self):
        return 1                        #@ run

    @staticmethod
    def fixed():
        return 2                        #@ fixed

    @property
    def value(self):
        return 3                        #@ value


@loud
def decorated():
    return 4                            #@ decorated
