# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a trace in Perfetto's format (protobuf), by its descriptions."""


def read_varint(data, at):
    value = shift = 0
    while True:
        byte, at = data[at], at + 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def read_message(data):
    """The fields of a message of protobuf: number to values, which are numbers or bytes."""
    fields, at = {}, 0
    while at < len(data):
        tag, at = read_varint(data, at)
        if tag & 7 == 0:
            value, at = read_varint(data, at)
        elif tag & 7 == 1:
            value, at = data[at:at + 8], at + 8
            assert len(value) == 8, "a fixed number that is cut"
        else:
            assert tag & 7 == 2, f"kind of field {tag}"
            size, at = read_varint(data, at)
            value, at = data[at:at + size], at + size
            assert len(value) == size, "a text that is cut"
        fields.setdefault(tag >> 3, []).append(value)
    return fields


class PerfettoTrace:
    """Field numbers are those of trace_packet, track_descriptor, track_event and interned_data.proto of Perfetto."""

    def __init__(self, path):
        self.tracks, self.events, self.names, self.places = {}, [], {}, {}
        with open(path, "rb") as file:
            trace = read_message(file.read())
        assert list(trace) == [1], list(trace)
        packets = [read_message(packet) for packet in trace[1]]
        assert [packet[13][0] & 1 for packet in packets] == [1] + [0] * (len(packets) - 1), "where names begin"
        for packet in packets:
            assert packet[10] == [1], packet
            for names in map(read_message, packet.get(12, [])):
                self.note_names(names)
            if 60 in packet:
                track = read_message(packet[60][0])
                assert track[1][0] not in self.tracks, f"told twice: {track}"
                self.tracks[track[1][0]] = track
            if 11 in packet:
                event = read_message(packet[11][0])
                event["ns"] = packet[8][0]
                assert event[11][0] in self.tracks, event
                self.events.append(event)

    def note_names(self, names):
        for known, table in ((2, self.names), (4, self.places)):
            for each in map(read_message, names.get(known, [])):
                assert each[1][0] not in table, f"told twice: {each}"
                table[each[1][0]] = each

    def find_tracks(self, parent):
        return {number: track[2][0].decode() for number, track in self.tracks.items()
                if number and track.get(5, [0])[0] == parent}

    def list_stacks(self, track):
        """(stack, µs) in the order of the file, which is that of time."""
        stack, got, before = [], [], None
        for event in self.events:
            if event[11] != [track] or event[9][0] > 2:
                continue
            if stack and event["ns"] > before:
                got.append((tuple(stack), (event["ns"] - before) / 1000))
            assert before is None or event["ns"] >= before, (before, event)
            before = event["ns"]
            if event[9] == [2]:
                stack.pop()
            else:
                place = self.places.get(event.get(34, [0])[0], {2: [b""]})
                stack.append((place[2][0].decode(), self.names[event[10][0]][2][0].decode()))
        assert not stack, f"no end: {stack}"
        return got

    def list_messages(self):
        """(from, to, sent, received in µs, tag, bytes), where ranks are as their tracks are named."""
        ends = {}
        for event in self.events:
            for field in (47, 48):
                for flow in event.get(field, []):
                    assert event[9] == [3] and field not in ends.setdefault(flow, {}), event
                    ends[flow][field] = event
        messages = []
        for flow, pair in ends.items():
            sent, received = pair[47], pair[48]
            facts = {each[10][0].decode(): each[3][0] for each in map(read_message, sent[4])}
            ranks = [self.tracks[self.tracks[end[11][0]][5][0]][2][0].decode() for end in (sent, received)]
            assert sent[23] == [f"message to {ranks[1]}".encode()], sent
            assert received[23] == [f"message from {ranks[0]}".encode()], received
            messages.append((*ranks, sent["ns"] // 1000, received["ns"] // 1000, facts["tag"], facts["bytes"]))
        return sorted(messages)
