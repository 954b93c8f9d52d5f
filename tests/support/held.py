# SPDX-License-Identifier: GPL-3.0-or-later
"""held.py FILE COMMAND…: runs the command between the two ends of its own standard input and output. While there is FILE,
questions that pddt asks ahead of a motion's stop (AHEAD of src/session/backend/remote-link.h) stay here, with all that is
written behind them, as on a link that is slower than the ranks; what comes back is not held up."""
import os
import select
import struct
import subprocess
import sys

HEAD, AHEAD, TURN_S = 16, 27, 0.02


def find_end(data, holds):
    """How many bytes go on: frames, up to the first one that stays."""
    at = 0
    while at + HEAD <= len(data):
        size, kind = struct.unpack_from("<IB", data, at)
        if at + HEAD + size > len(data):
            break
        if kind == AHEAD and holds and struct.unpack_from("<Q", data, at + HEAD + 8)[0]:  # 0: of the start
            break
        at += HEAD + size
    return at


def main(path, *command):
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        waiting, ends = b"", [0, process.stdout.fileno()]
        while ends:
            for source in select.select(ends, [], [], TURN_S)[0]:
                data = os.read(source, 1 << 16)
                if not data:
                    ends = []
                elif source == 0:
                    waiting += data
                else:
                    while data:
                        data = data[os.write(1, data):]
            end = find_end(waiting, os.path.exists(path))
            while end:
                n = os.write(process.stdin.fileno(), waiting[:end])
                waiting, end = waiting[n:], end - n
        process.stdin.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
