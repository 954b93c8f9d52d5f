# SPDX-License-Identifier: GPL-3.0-or-later
"""Profiles and traces: archives, and what the session has sampled. What is asked for is read once; times are in seconds."""
import collections
import json
import os

import _pddt
from pddt_port import PROFILE, port
from pddt_values import ERRORS, Error, Place, parse_ranks

File = collections.namedtuple("File", "rank path opened closed reads writes syncs read written read_s write_s sync_s")
Lock = collections.namedtuple("Lock", "rank thread owner call place owner_place n seconds longest")
Allocation = collections.namedtuple("Allocation", "rank place code callers n allocated held_middle held_end")
CountedLine = collections.namedtuple("CountedLine", "rank function file line hits seconds")
Traffic = collections.namedtuple("Traffic", "source dest n bytes")
Message = collections.namedtuple("Message", "source dest tag bytes sent received")
Member = collections.namedtuple("Member", "rank begin end")
Collective = collections.namedtuple("Collective", "name members")
Wait = collections.namedtuple("Wait", "kind rank cause call place cause_place file line cause_file cause_line n seconds begin end")
Sample = collections.namedtuple("Sample", "rank thread begin end kind stack")


def _ask(what, words=(), number=0):
    text, ok, _ = port.ask(PROFILE, what, "\n".join(map(str, words)), number)
    if not ok:
        code, _, reason = text.partition("\t")
        raise ERRORS.get(code, Error)(reason)
    return text


def _word(what):
    """A line of its own in the question."""
    text = os.fspath(what)
    if "\n" in text:
        raise ERRORS["invalid"]("a name of a file has no line ends here")
    return text


class Spot(Place):
    """A place of a profile: with what was spent there. ranks: {rank: seconds}, without those that have none; of ranks of which
    only the sum is known, each has an equal share."""

    def __init__(self, profile, place, times):
        function, file, line, module, offset, language = place
        super().__init__({"function": function, "file": file, "line": line or None, "module": module, "language": language,
                          "offset": offset if module else None})
        self._profile, self._times = profile, times

    @property
    def ranks(self):
        found = {}
        for index, seconds in zip(self._times[::2], self._times[1::2]):
            members = self._profile.processes[index].ranks
            found.update((rank, seconds / len(members)) for rank in members)
        return found

    def __repr__(self):
        return f"<{type(self).__name__} {self}>"


class Function(Spot):
    """Whoever has called it. self_s is its own time in all ranks, total with what it has called; ranks: of its own time;
    imbalance: of that, the most over the mean, less 1; calls: 0 where they were not recorded."""

    def __init__(self, profile, place, self_s, total, calls, imbalance, times):
        super().__init__(profile, place, times)
        self.self_s, self.total, self.calls, self.imbalance = self_s, total, calls, imbalance


class Line(Spot):
    """A line of the user's, with what it has called in code that is not the user's."""

    def __init__(self, profile, place, self_s, times):
        super().__init__(profile, place, times)
        self.self_s = self_s


class Node(Spot):
    """A function inside its callers; children: those that it has called, the most expensive first. ranks: of total."""

    def __init__(self, profile, parent, place, self_s, total, is_recursive, times):
        super().__init__(profile, place, times)
        self.self_s, self.total, self.is_recursive = self_s, total, bool(is_recursive)
        self.parent, self.children = parent, []

    def walk(self):
        """It, and all inside it, outermost first."""
        left = [self]
        while left:
            node = left.pop()
            yield node
            left += reversed(node.children)

    @property
    def stack(self):
        """It and its callers, innermost first."""
        found, node = [], self
        while node is not None and node.parent is not None:
            found.append(node)
            node = node.parent
        return tuple(found)


class Process:
    """A rank, or ranks of which only sums are known; parent: the rank that has forked it."""

    def __init__(self, ranks, kinds, parent, pid, host, program, ending, seconds, idle, threads, times):
        self.ranks, self.parent, self.pid, self.host = ranks, parent - 1 if parent else None, pid or None, host
        self.program, self.ending, self.seconds, self.idle, self.threads = program, ending, seconds, idle, threads
        self.kinds = {kind: spent for kind, spent in zip(kinds, times) if spent > 0}

    def __repr__(self):
        return f"<Process {self.ranks}>"


class Profile:
    """What ranks have spent their time on, and of a trace what they have done. See the manual's chapter on scripts."""

    def __init__(self, make, text):
        self._make, (self._number, head) = make, json.loads(text)
        (self.command, self.begun, self.rate, self.run, self.end, is_traced, self.calls, self.samples_taken, self.samples_missed,
         self.problem, self.summary, self._kinds, processes) = head
        self.is_traced, self._rows = bool(is_traced), {}
        self.missing, self.failed = make(()), {}
        self.processes = [Process(make(parse_ranks(ranks)), self._kinds, *more) for ranks, *more in processes]

    def __del__(self):
        if "_number" in self.__dict__:
            _pddt.send(PROFILE, 0, "close", None, self._number)

    def _read(self, what, *words):
        if (what, words) not in self._rows:
            self._rows[what, words] = json.loads(_ask(what, words, self._number))
        return self._rows[what, words]

    # ---- the whole ----

    @property
    def ranks(self):
        return self._make(rank for process in self.processes if process.parent is None for rank in process.ranks)

    @property
    def total(self):
        """Seconds of all ranks together."""
        return sum(self.kinds.values())

    @property
    def kinds(self):
        """{"native": seconds, "Python": …, "MPI": …} of all ranks."""
        found = collections.Counter()
        for process in self.processes:
            found.update(process.kinds)
        return dict(found.most_common())

    # ---- where the time went ----

    @property
    def functions(self):
        return [Function(self, *row) for row in self._read("functions")]

    @property
    def lines(self):
        return [Line(self, *row) for row in self._read("lines")]

    @property
    def tree(self):
        """The root: its children are the outermost functions."""
        root = Node(self, None, (None, None, 0, None, 0, None), 0, 0, 0, [])
        path = [root]
        for depth, *row in self._read("tree"):
            del path[depth:]
            path.append(Node(self, path[-1], *row))
            path[-2].children.append(path[-1])
        root.total = sum(node.total for node in root.children)
        return root

    # ---- what a trace says ----

    @property
    def waits(self):
        """All that a rank has waited for another one at one place, the longest first."""
        return [Wait(*row) for row in self._read("waits")]

    @property
    def traffic(self):
        return [Traffic(*row) for row in self._read("traffic")]

    @property
    def files(self):
        return [File(*row) for row in self._read("files")]

    @property
    def locks(self):
        return [Lock(*row) for row in self._read("locks")]

    @property
    def allocations(self):
        return [Allocation(*row) for row in self._read("allocations")]

    @property
    def counted_lines(self):
        """Lines that were counted exactly."""
        return [CountedLine(*row) for row in self._read("counted")]

    # ---- what was when ----

    def _part(self, begin, end, ranks, more=""):
        return ("" if begin is None else float(begin), "" if end is None else float(end), self._text(ranks), more)

    def _text(self, ranks):
        return "" if ranks is None else str(ranks if isinstance(ranks, (str, self._make)) else
                                            self._make([ranks] if isinstance(ranks, int) else ranks))

    def part(self, begin=None, end=None, ranks=None, kind=None):
        """The profile of that time, of those ranks, and of that kind of time alone."""
        if kind is not None and kind not in self._kinds:
            raise ERRORS["invalid"](f'no kind of time is "{kind}": {", ".join(self._kinds)}')
        return Profile(self._make, _ask("part", self._part(begin, end, ranks, kind or ""), self._number))

    def messages(self, begin=None, end=None, ranks=None):
        """Those that were under way then, in the order of their beginnings."""
        return [Message(*row) for row in self._read("messages", *self._part(begin, end, ranks))]

    def collectives(self, begin=None, end=None):
        return [Collective(name, [Member(*members[i:i + 3]) for i in range(0, len(members), 3)])
                for name, members in self._read("collectives", *self._part(begin, end, None))]

    def samples(self, begin=None, end=None, ranks=None):
        """What each thread was doing, and for how long: of a trace, between its calls and returns. Of a part of an archive's time
        all of them; of the whole only so many are kept of each thread that they fit into memory."""
        contexts, rows = json.loads(_ask("samples", self._part(begin, end, ranks), self._number))
        stacks, spots = {0: ()}, {}

        def stack(number):
            way = []
            while number not in stacks:
                way.append(number)
                number = contexts[2 * number - 2]
            for number in reversed(way):
                parent, place = contexts[2 * number - 2:2 * number]
                if tuple(place) not in spots:
                    spots[tuple(place)] = Spot(self, place, [])
                stacks[number] = (spots[tuple(place)], *stacks[parent])
            return stacks[way[0] if way else number]
        for i in range(0, len(rows), 6):
            index, thread, start, stop, kind, context = rows[i:i + 6]
            yield Sample(min(self.processes[index].ranks), thread, start, stop, self._kinds[kind], stack(context))

    def activity(self, n, begin=None, end=None, ranks=None):
        """Of n equal parts of the time, {kind: share of the ranks}; what is missing to 1 was not there, or is not known."""
        shares = self._read("activity", *self._part(begin, end, ranks, int(n)))
        width = len(self._kinds)
        return [{kind: share for kind, share in zip(self._kinds, shares[i:i + width]) if share > 0}
                for i in range(0, len(shares), width)]

    # ---- files ----

    def report(self, path):
        """Writes the report; its suffix, .html, .txt, .csv or .json, is the form."""
        _ask("report", [_word(path)], self._number)

    def export(self, format, path):
        """Writes it in a format of another tool."""
        _ask("export", [_word(format), _word(path)], self._number)

    def __repr__(self):
        return f"<Profile of {self.ranks}, {self.total:.3g} s>"


def open_profile(make, path):
    return Profile(make, _ask("open", [_word(os.path.expanduser(os.fspath(path)))]))


def get_taken(make):
    return Profile(make, _ask("taken"))
