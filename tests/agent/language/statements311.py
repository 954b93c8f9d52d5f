# SPDX-License-Identifier: GPL-3.0-or-later
"""What 3.11 added to statements.py's."""


def groups(errors):
    x = 0
    try:
        raise ExceptionGroup("g", errors)
    except* ValueError as g:
        x = 1
    except* KeyError:
        x += 2
    else:
        x = 4
    finally:
        x += 8
    return x


groups([ValueError()])
groups([ValueError(), KeyError()])
