# SPDX-License-Identifier: GPL-3.0-or-later
"""counted.py FILE COMMAND…: runs the command between the two ends of its own standard input and output; FILE has the
bytes that went each way, "up down", at each moment, and FILE.said what was written."""
import os
import select
import subprocess
import sys


def main(path, *command):
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process, \
            open(path, "w", encoding="ascii") as file, open(path + ".said", "wb", 0) as said:
        ways = {0: (process.stdin.fileno(), 0), process.stdout.fileno(): (1, 1)}
        n_bytes = [0, 0]
        while len(ways) == 2:
            for source in select.select(list(ways), [], [])[0]:
                data = os.read(source, 1 << 16)
                sink, way = ways[source]
                if not data:
                    del ways[source]
                    continue
                n_bytes[way] += len(data)
                said.write(data if way == 0 else b"")
                file.seek(0)
                file.write(f"{n_bytes[0]} {n_bytes[1]}\n")
                file.flush()
                while data:
                    data = data[os.write(sink, data):]
        process.stdin.close()


def read(path):
    """All bytes up to now."""
    with open(path, encoding="ascii") as file:
        return sum(map(int, file.read().split()))


if __name__ == "__main__":
    main(*sys.argv[1:])
