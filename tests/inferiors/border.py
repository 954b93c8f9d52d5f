# SPDX-License-Identifier: GPL-3.0-or-later
"""Python that calls C with lines, which calls back: through ctypes, then through an extension."""
import ctypes
import os
import sys

folder = os.environ["PDDT_INFERIORS"]
library = ctypes.CDLL(os.path.join(folder, "inferior-border.so"))
sys.path.insert(0, folder)
import border_module                    # noqa: E402

KIND = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)


def called(value):
    result = value + 10                 #@ called
    return result                       #@ called-return


def fails(value):
    raise ValueError(value)             #@ fails


def main():
    total = library.add(1, 2)           #@ main-add
    callback = KIND(called)             #@ main-kind
    got = library.apply(callback, total)            #@ main-apply
    print(got)                          #@ main-print
    total = border_module.add(3, 4)     #@ module-add
    got = border_module.apply(called, total)        #@ module-apply
    print(got)                          #@ module-print
    try:
        border_module.apply(fails, 1)   #@ main-fails
    except ValueError:                  #@ main-except
        print("failed")                 #@ main-handler
    print("end")                        #@ main-end


main()
