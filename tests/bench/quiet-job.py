# SPDX-License-Identifier: GPL-3.0-or-later
"""A job in which nothing moves any more: how long until pddt says so by itself. Prints; asserts nothing."""
import statistics

import quiet

RUNS = 5

for n in 2, 8:
    taken = [quiet.announce_s(n) for _ in range(RUNS)]
    print(f"a deadlock of {n} Python ranks is announced unasked after {statistics.median(taken):.1f} s "
          f"({min(taken):.1f} to {max(taken):.1f}; aim 5 s)", flush=True)
