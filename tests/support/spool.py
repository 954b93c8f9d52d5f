# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the files of src/agent/trace-layout.h without pddt: what traced processes have recorded."""
import collections
import os
import struct

HEADER, CHUNK, HEAD = 65536, 65536, 64
INHERITED, FIRST, LATER = 48, 2560, 2640  # offsets in the header
EVENTS, DEFINITIONS = 1, 2
STRING, REGION, COMMUNICATOR, PARAMETER, METRIC, FILE, WINDOW, PROPERTY, PLACE = range(1, 10)
KINDS = {1: "ENTER", 2: "LEAVE", 3: "OFF", 4: "ON", 16: "SEND", 17: "RECV", 18: "ISEND", 19: "ISEND_COMPLETE",
         20: "IRECV_REQUEST", 21: "IRECV", 22: "REQUEST_TEST", 23: "REQUEST_CANCELLED", 24: "PROBE",
         32: "COLLECTIVE_BEGIN", 33: "COLLECTIVE_END", 34: "COLLECTIVE_REQUEST", 35: "COLLECTIVE_COMPLETE",
         80: "PARAMETER", 81: "METRIC", 82: "MARK"}
Event = collections.namedtuple("Event", "time kind id extra payload")


class File:
    """One file: rank, writer, definitions by (kind, id), and the events of each thread."""

    def __init__(self, path):
        data = open(path, "rb").read()
        self.writer, self.pid = struct.unpack_from("<I8xi", data, 12)
        rank, later = struct.unpack_from("<II", data, FIRST), struct.unpack_from("<IIQ", data, LATER)
        self.rank, self.size = later[:2] if later[2] else rank
        self.definitions, self.threads = {}, {}
        chunks = []
        for at in range(HEADER, len(data) - HEAD, CHUNK):
            kind, tid, used, number = struct.unpack_from("<IiI4xI", data, at)
            if kind in (EVENTS, DEFINITIONS):
                chunks.append((kind, tid, number, data[at + HEAD:at + HEAD + used * (16 if kind == EVENTS else 1)]))
        for kind, tid, number, body in sorted(chunks, key=lambda chunk: chunk[:3]):
            if kind == DEFINITIONS:
                self.add_definitions(body)
            else:
                self.threads.setdefault(tid, []).extend(self.read_events(body))

    def add_definitions(self, body):
        at = 0
        while at < len(body):
            size, kind, number = struct.unpack_from("<III", body, at)
            self.definitions[kind, number] = body[at + 16:at + size]
            at += (size + 15) // 16 * 16

    def read_events(self, body):
        at = 0
        while at < len(body):
            time, number, extra, kind, more = struct.unpack_from("<QIHBB", body, at)
            yield Event(time, KINDS.get(kind, kind), number, extra, body[at + 16:at + 16 + 16 * more])
            at += 16 + 16 * more

    def get_string(self, number):
        return self.definitions[STRING, number].decode() if number else None

    def get_region(self, number):
        return self.get_string(struct.unpack_from("<I", self.definitions[REGION, number])[0])

    def get_communicator(self, number):
        """(flags, sequence, members, remote members)"""
        body = self.definitions[COMMUNICATOR, number]
        flags, sequence, n, n_remote = struct.unpack_from("<IIII", body, 8)
        members = struct.unpack_from("<%dI" % (n + n_remote), body, 24)
        return flags, sequence, members[:n], members[n:]

    def get_place(self, extra):
        """(file, line, offset) or None."""
        body = self.definitions.get((PLACE, extra >> 4))
        file, line, offset = struct.unpack_from("<IIQ", body) if body else (0, 0, 0)
        return (self.get_string(file), line, offset) if body else None


def read_message(event):
    """(peer, tag, bytes)"""
    return struct.unpack_from("<iiQ", event.payload)


def read_request(event):
    return struct.unpack_from("<Q", event.payload, len(event.payload) - 16)[0]


def read_collective(event):
    """(root or None, sent, received, request)"""
    root, sent, received, request = struct.unpack_from("<I4xQQQ", event.payload)
    return None if root == 0xffffffff else root, sent, received, request


def read_folder(folder):
    return [File(os.path.join(folder, name)) for name in sorted(os.listdir(folder)) if name.endswith(".pddt-trace")]
