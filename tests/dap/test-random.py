# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests that are all right, in a random order, to ranks that stop and go on meanwhile, of hosts that answer one before
the other: each is answered once, with what the protocol says or with a sentence, and at the end all ranks are there."""
import os
import random
import sys

import dap

ADAPTER, SOURCE = sys.argv[1:3]
N_RANKS, N_OPEN = 12, 24
ROUNDS = int(os.environ.get("PDDT_RANDOM_REQUESTS", "1000"))
SEED = int(os.environ.get("PDDT_RANDOM_SEED", "1"))
POISON = {"MALLOC_PERTURB_": "165", "G_SLICE": "always-malloc"}  # what was freed is not there by accident


def ranks_of(name):
    """Of what a thread is called: "rank 3: …", or "0-2,7-11/2: …"."""
    found = set()
    for part in name.partition(":")[0].removeprefix("rank ").split(","):
        first, _, last = part.partition("-")
        last, _, stride = last.partition("/")
        found |= set(range(int(first), int(last or first) + 1, int(stride or 1)))
    return found


class Player:
    """A client that asks for what it has seen, also for what is old by now."""

    def __init__(self, seed, ranks_as_threads):
        self.chance = random.Random(seed)
        self.client = dap.Client(command=(ADAPTER, str(N_RANKS), SOURCE, str(seed)), environment=POISON.items())
        self.client.is_checked = True
        self.client.begin(command="mpirun -np 12 ./app", moves=self.chance.choice(["thread", "all"]),
                          ranksAsThreads=ranks_as_threads)
        self.path = None
        self.threads, self.frames, self.references, self.addresses, self.data, self.targets = [1], [1], [1], ["0x10"], [], [1]
        self.open = {}
        self.good, self.late = {}, {}

    def some(self, known):
        """One of the last that were seen, mostly."""
        return self.chance.choice(known[-4:] if self.chance.random() < 0.85 else known)

    def ranks(self):
        first = self.chance.randrange(N_RANKS)
        return f"{first}-{self.chance.randrange(first, N_RANKS)}"

    def source(self):
        return {"path": self.path or SOURCE}

    def look(self, thread, frame, reference, expression):
        """What editors ask all the time."""
        return self.chance.choice([
            ("threads", {}), ("stackTrace", {"threadId": thread}),
            ("stackTrace", {"threadId": thread, "startFrame": self.chance.choice([0, 1]), "levels": 20}),
            ("scopes", {"frameId": frame}), ("variables", {"variablesReference": reference}),
            ("variables", {"variablesReference": reference}), ("stepInTargets", {"frameId": frame}),
            ("evaluate", {"expression": expression, "frameId": frame, "context": self.chance.choice(["watch", "hover"])})])

    def make(self):
        """A request and its arguments."""
        thread, frame, reference = self.some(self.threads), self.some(self.frames), self.some(self.references)
        expression, line = self.chance.choice(["rank", "step", "grid", "wrong?"]), self.chance.randrange(5, 24)
        if self.chance.random() < 0.4:
            return self.look(thread, frame, reference, expression)
        return self.chance.choice([
            lambda: ("evaluate", {"expression": f"on {self.ranks()} " + self.chance.choice(
                ["next", "step", "continue &", "pause", "pause", "print rank", "show locals", "where"]), "context": "repl"}),
            lambda: ("setVariable", {"variablesReference": reference, "name": "step", "value": "3"}),
            lambda: ("setExpression", {"frameId": frame, "expression": expression, "value": "3"}),
            lambda: ("dataBreakpointInfo", {"variablesReference": reference, "name": "step"}),
            lambda: ("setDataBreakpoints", {"breakpoints": [{"dataId": one} for one in self.data[-1:]]}),
            lambda: ("setBreakpoints", {"source": self.source(), "breakpoints": [{"line": line}, {"line": 15}]}),
            lambda: ("setBreakpoints", {"source": self.source(), "breakpoints": []}),
            lambda: ("setFunctionBreakpoints", {"breakpoints": [{"name": "work", "condition": f"on {self.ranks()}"}]}),
            lambda: ("setExceptionBreakpoints", {"filters": self.chance.choice([[], ["raised"], ["mpi-error", "throw"]])}),
            lambda: ("exceptionInfo", {"threadId": thread}), lambda: ("continue", {"threadId": thread}),
            lambda: ("next", {"threadId": thread}), lambda: ("stepIn", {"threadId": thread, "singleThread": True}),
            lambda: ("stepOut", {"threadId": thread}), lambda: ("pause", {"threadId": thread}),
            lambda: ("pause", {"threadId": thread}), lambda: ("pause", {"threadId": thread}), lambda: ("modules", {}), lambda: ("loadedSources", {}),
            lambda: ("readMemory", {"memoryReference": self.some(self.addresses), "count": 16}),
            lambda: ("disassemble", {"memoryReference": self.some(self.addresses), "instructionCount": 4,
                                     "instructionOffset": self.chance.choice([0, -2])}),
            lambda: ("gotoTargets", {"source": self.source(), "line": line}),
            lambda: ("goto", {"threadId": thread, "targetId": self.some(self.targets)}),
            lambda: ("completions", {"text": "on 0 cont", "column": 10, "frameId": frame}),
            lambda: ("pddt/state", {"update": self.chance.random() < 0.5}), lambda: ("pddt/groups", {}),
            lambda: ("pddt/why", {"ranks": self.ranks()}), lambda: ("pddt/queue", {"ranks": self.ranks()}),
            lambda: ("pddt/compare", {"expression": expression, "ranks": self.ranks()}),
            lambda: ("pddt/command", {"line": f"on {self.ranks()} print step"}), lambda: ("pddt/sets", {}),
            lambda: ("pddt/pin", {"ranks": self.chance.choice(["", self.ranks()])}),
            lambda: ("cancel", {"requestId": self.chance.choice(list(self.open or [1]))}),
        ])()

    def learn(self, request, response):
        if not response["success"]:
            self.late[request] = self.late.get(request, 0) + (response.get("message") == "notStopped")
            return
        body = response.get("body", {})
        self.good[request] = self.good.get(request, 0) + 1
        if request == "threads":
            self.threads = [one["id"] for one in body["threads"]] or self.threads
        for frame in body.get("stackFrames", ()):
            self.frames.append(frame["id"])
            self.path = frame.get("source", {}).get("path", self.path)
            if "instructionPointerReference" in frame:
                self.addresses.append(frame["instructionPointerReference"])
        self.references += [one["variablesReference"] for one in body.get("scopes", []) + body.get("variables", [])
                            if one["variablesReference"]]
        self.targets += [one["id"] for one in body.get("targets", ()) if "id" in one]
        if body.get("dataId"):
            self.data.append(body["dataId"])

    def take(self, most):
        """Reads answers until at most so many requests are open."""
        def come():
            return [seq for seq in self.open if seq in self.client.responses] or len(self.open) <= most
        while len(self.open) > most or (self.open and come() is not True and any(
                seq in self.client.responses for seq in self.open)):
            for seq in self.client.wait(f"answers to {self.open}", come):
                self.learn(self.open.pop(seq), self.client.responses[seq])

    def play(self, rounds):
        for _ in range(rounds):
            request, arguments = self.make()
            self.open[self.client.send(request, **arguments)] = request
            self.take(self.chance.randrange(N_OPEN))
        self.take(0)

    def rest(self):
        """All ranks are stopped, each is in one thread, and each thread has a stack."""
        self.client.ask("pddt/pin", ranks="")
        self.client.ask("evaluate", expression="on all pause", context="repl")

        def still():
            states = self.client.ask("pddt/state", update=True)["states"]
            return all(one["state"] in ("stopped", "breakpoint") for one in states)
        while not still():
            self.client.ask("evaluate", expression="on all wait 5", context="repl")
        seen = []
        for thread in self.client.ask("threads")["threads"]:
            seen += ranks_of(thread["name"])
            assert self.client.top(thread["id"])["name"]
        if sorted(seen) != list(range(N_RANKS)):
            raise SystemExit(f"the threads have the ranks {sorted(seen)}")
        status = self.client.end(terminateDebuggee=True)
        if status != 0:
            raise SystemExit(f"pddt ended with {status}")


def main():
    late, good = 0, set()
    for seed in range(SEED, SEED + max(ROUNDS // 200, 1)):
        player = Player(seed, 4 if seed % 2 else 32)
        try:
            player.play(200)
            player.rest()
        except SystemExit as error:
            raise SystemExit(f"seed {seed}: {error}") from None
        late += sum(player.late.get(one, 0) for one in ("variables", "evaluate", "scopes", "setVariable"))
        good |= set(player.good)
    missing = {"threads", "stackTrace", "scopes", "variables", "evaluate", "next", "setVariable", "stepInTargets"} - good
    if missing:
        raise SystemExit(f"not one of {sorted(missing)} was answered: {sorted(good)}")
    if late == 0:
        raise SystemExit("nothing was asked for too late")
    print(f"ok random: {ROUNDS} requests, {late} too late")


main()
