# SPDX-License-Identifier: GPL-3.0-or-later
"""What write-exports has sampled, added up anew: the truth that every export is compared with."""
import collections
import os

UNREADABLE = ("", "(unreadable stack)")


class Samples:
    """Seconds and samples of ranks (None: of all) by function, which is (file, name)."""

    def __init__(self, folder):
        self.lines = []
        with open(os.path.join(folder, "samples"), encoding="utf-8") as file:
            for line in file:
                rank, kind, us, *frames = line.rstrip("\n").split("\t")
                split = [frame.split("|", 2) for frame in frames]
                stack = tuple((file, name) for file, _, name in split) or (UNREADABLE,)
                self.lines.append((int(rank), kind, int(us), stack, [int(line) for _, line, _ in split]))
        self.ranks = sorted({line[0] for line in self.lines})

    def of(self, rank):
        return [line for line in self.lines if rank is None or line[0] == rank]

    def total(self, rank=None):
        return sum(line[2] for line in self.of(rank)) / 1e6

    def functions(self, rank=None):
        """{function: [own seconds, total seconds, own samples, all samples]}"""
        costs = collections.defaultdict(lambda: [0.0, 0.0, 0, 0])
        for _, _, us, stack, _ in self.of(rank):
            for function in set(stack):
                cost = costs[function]
                cost[1] += us / 1e6
                cost[3] += 1
                if function == stack[-1]:
                    cost[0] += us / 1e6
                    cost[2] += 1
        return dict(costs)

    def calls(self, rank=None):
        """{(caller, callee): [own seconds of the callee, its total, samples]}"""
        costs = collections.defaultdict(lambda: [0.0, 0.0, 0])
        for _, _, us, stack, _ in self.of(rank):
            for call in set(zip(stack, stack[1:])):
                cost = costs[call]
                cost[1] += us / 1e6
                cost[2] += 1
                if call == stack[-2:]:
                    cost[0] += us / 1e6
        return dict(costs)

    def stacks(self, rank=None):
        """{stack: [seconds, samples]}"""
        costs = collections.defaultdict(lambda: [0.0, 0])
        for _, _, us, stack, _ in self.of(rank):
            costs[stack][0] += us / 1e6
            costs[stack][1] += 1
        return dict(costs)


def near(value, wanted, what, tolerance=1e-5):
    if abs(value - wanted) > tolerance * max(1, abs(wanted)):
        raise SystemExit(f"{what}: {value}, not {wanted}")


def equal(value, wanted, what):
    if value != wanted:
        raise SystemExit(f"{what}: {value!r}, not {wanted!r}")
