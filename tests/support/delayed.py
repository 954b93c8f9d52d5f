# SPDX-License-Identifier: GPL-3.0-or-later
"""delayed.py FILE SECONDS COMMAND…: runs the command between the two ends of its own standard input and output, as on a link
that brings each byte so much later. FILE has how many questions (ASK of src/session/backend/remote-link.h) were on their way
at once at most."""
import collections
import os
import select
import struct
import subprocess
import sys
import time

HEAD, ASK, ANSWER = 16, 16, 64


class Frames:
    """Counts those of a kind in a stream, which begins with a line if has_line."""

    def __init__(self, kind, has_line):
        self.kind, self.has_line, self.rest, self.n = kind, has_line, b"", 0

    def take(self, data):
        self.rest += data
        if self.has_line and b"PDDT-SERVE " in self.rest:
            magic = self.rest.index(b"PDDT-SERVE ")
            if b"\n" in self.rest[magic:]:
                self.rest, self.has_line = self.rest[self.rest.index(b"\n", magic) + 1:], False
        while not self.has_line and len(self.rest) >= HEAD:
            size, kind = struct.unpack_from("<IB", self.rest)
            if len(self.rest) < HEAD + size:
                break
            self.n += kind == self.kind
            self.rest = self.rest[HEAD + size:]


def main(path, seconds, *command):
    most = 0
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        there = process.stdout.fileno()
        sinks = {0: process.stdin.fileno(), there: 1}
        asked, answered = Frames(ASK, False), Frames(ANSWER, True)
        waiting, open_ends = collections.deque(), set(sinks)
        while open_ends or waiting:
            pause_s = max(0, waiting[0][0] - time.monotonic()) if waiting else None
            for source in select.select(list(open_ends), [], [], pause_s)[0]:
                data = os.read(source, 1 << 16)
                if not data:
                    open_ends = set()
                waiting.append((time.monotonic() + float(seconds), source, data))
                (asked if source == 0 else answered).take(data)
                if asked.n - answered.n > most:
                    most = asked.n - answered.n
                    with open(path, "w", encoding="ascii") as file:
                        file.write(str(most))
            while waiting and waiting[0][0] <= time.monotonic():
                _, source, data = waiting.popleft()
                while data:
                    data = data[os.write(sinks[source], data):]
        process.stdin.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
