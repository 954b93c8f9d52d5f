# SPDX-License-Identifier: GPL-3.0-or-later
"""Loads pddt's agent into a running program. The engine makes the interpreter execute this file
between two bytecodes of the main thread; `folder` is the agent's folder."""
import sys


def load_agent():
    saved = sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    sys.path.insert(0, folder)
    try:
        # first, because it may fail while the program is importing a module that it needs
        import pddt_support
        import pddt_agent
    finally:
        sys.path.remove(folder)
        sys.dont_write_bytecode = saved
        for name in ("pddt_agent", "pddt_support"):
            sys.modules.pop(name, None)
    return pddt_agent, pddt_support


def watch_uncaught(support):
    """The runner catches exceptions around the program; without it, only the exception hook sees them."""
    hook = sys.excepthook

    def show(kind, error, trace):
        if error is not None and not isinstance(error, KeyboardInterrupt):
            support.uncaught(error)
        hook(kind, error, trace)

    sys.excepthook = show


def begin():
    agent, support = load_agent()
    support.begin(agent, folder, True)
    watch_uncaught(support)
    support.ready()


begin()
