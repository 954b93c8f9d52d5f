# SPDX-License-Identifier: GPL-3.0-or-later
"""What is no proper client: each mistake is one clear answer, and the session goes on where it can."""
import contextlib
import json
import os
import random
import socket
import subprocess
import sys
import tempfile

import dap
import pddt

RING = sys.argv[1]


def expect(what, found, wanted):
    if found != wanted:
        raise SystemExit(f"{what}: {found!r}, expected {wanted!r}")


def expect_text(what, found, part):
    if part not in found:
        raise SystemExit(f"{what}: no {part!r} in {found!r}")


def raw(client, message):
    """Sends what a client of ours would refuse to send; its answer."""
    client.seq += 1
    body = json.dumps(dict(message, seq=client.seq, type="request")).encode()
    client.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    return client.answer(client.seq)


def sentence(response):
    expect("success", response["success"], False)
    return response["body"]["error"]["variables"]["sentence"]


def check_messages():
    client = dap.Client()
    expect_text("order", client.ask_in_vain("threads"), "comes before initialize")
    client.ask("initialize", adapterID="pddt")
    expect_text("twice", client.ask_in_vain("initialize", adapterID="pddt"), "comes once")
    expect_text("no job", client.ask_in_vain("stackTrace", threadId=1), "launch or attach comes first")
    expect_text("unknown", sentence(raw(client, {"command": "dance"})), "does not know the request")
    expect_text("arguments", sentence(raw(client, {"command": "threads", "arguments": 3})), "must be an object")
    for arguments, part in (({}, "nothing to debug"), ({"command": 3}, "must be a list"),
                            ({"command": "'open"}, '"command"'), ({"command": ["a", 1]}, "list of texts"),
                            ({"program": "a", "ranks": "many"}, "whole number"), ({"program": 1}, "must be a text"),
                            ({"command": "a", "program": "b"}, "not both"), ({"command": "a", "env": {"X": 1}}, "env"),
                            ({"command": "a", "stopAt": "there"}, "stopAt"), ({"command": "a", "moves": "none"}, "moves"),
                            ({"command": "no-such-program"}, "no-such-program")):
        expect_text(f"launch {arguments}", sentence(raw(client, {"command": "launch", "arguments": arguments})), part)
    for arguments in ({}, {"processes": [1.5]}, {"processes": "1", "cores": ["x"]}, {"cores": ["/no/such/core"]}):
        expect(f"attach {arguments}",
               bool(sentence(raw(client, {"command": "attach", "arguments": arguments}))), True)
    for arguments in ({}, {"source": 1}, {"source": {"path": "a"}, "breakpoints": [1]},
                      {"source": {"path": "a"}, "breakpoints": [{"line": "x"}]}, {"source": {"path": "a"}, "breakpoints": {}}):
        expect(f"breakpoints {arguments}",
               bool(sentence(raw(client, {"command": "setBreakpoints", "arguments": arguments}))), True)

    # what is no message at all is told of, and the next one is read
    for body, part in ((b"{", "not an object of JSON"), (b"[]", "it is another value"), (b'{"seq":1}', "no request"),
                       (b"[" * 100000, "not an object of JSON"), (b'{"a":1e999}', "not an object of JSON"),
                       (b'{"a":"\xff"}', "not an object of JSON"), (b"", "not an object of JSON")):
        since = len(client.events)
        client.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        expect_text(f"{body[:20]}", client.event("output", since=since)["output"], part)
    since = len(client.events)
    client.write(b"Content-Length: 40000000\r\n\r\n")
    for _ in range(40):
        client.write(b" " * 1000000)
    expect_text("too long", client.event("output", since=since)["output"], "too long, it is skipped")
    with open(f"/proc/{client.process.pid}/statm", encoding="ascii") as file:
        if int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE") > 300 << 20 and not pddt.is_sanitized():
            raise SystemExit("a message that is skipped takes memory")
    client.ask("threads")
    expect("status", client.end(), 0)


VALUES = [None, True, -1, 0, 1, 2**31, 2**63 - 1, 1.5, "", "x", "\x00", "1", "on 0: ", "%" * 50, [], [[]], [{}], {}, {"path": 1},
          {"path": "/a"}, {"sourceReference": 7}, [{"line": -5}], [{"line": 2**40}], [{"name": ""}], [{"dataId": "9 x"}],
          [{"instructionReference": "zz"}], ["raised"], [{"filterId": "signal", "condition": ";"}]]


def check_random():
    """Arguments of any kind in any request: each is answered once, and the job is still there."""
    client = dap.Client()
    client.begin(command=[RING])
    client.event("stopped")
    chance = random.Random(int(os.environ.get("PDDT_FUZZ_SEED", "1")))
    requests = {name[:-len("Request")]: definition for name, definition in dap.DEFINITIONS.items()
                if name.endswith("Request") and name != "Request"}
    left_out = {"Initialize", "Launch", "Attach", "Disconnect", "Terminate", "Restart"}
    names = sorted({name[:1].lower() + name[1:] for name in requests if name not in left_out} | {
        "pddt/state", "pddt/groups", "pddt/why", "pddt/sets", "pddt/pin",
        "pddt/queue", "pddt/compare"})
    words = sorted({word for definition in dap.DEFINITIONS.values() for word in definition.get("properties", {})} | {"ranks"})
    sent = {}
    for _ in range(600):
        arguments = {word: chance.choice(VALUES) for word in chance.sample(words, 12)}
        arguments.update({"threadId": chance.choice([1, 1, 1, 2, "1"])})
        arguments.update({"frameId": chance.choice([1, 2, 0, "x"]), "expression": chance.choice(["rank", "*", "", ")", 1])})
        client.seq += 1
        body = json.dumps({"seq": client.seq, "type": "request", "command": chance.choice(names), "arguments": arguments}).encode()
        client.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        sent[client.seq] = body
    with contextlib.suppress(SystemExit):
        client.answer(max(sent))
        client.wait("all answers", lambda: all(seq in client.responses for seq in sent), 120)
    expect("not answered", [body for seq, body in sent.items() if seq not in client.responses], [])
    client.ask("pddt/command", line="delete")
    client.ask("threads")
    expect("status", client.end(), 0)


def check_no_protocol():
    for text, part in ((b"GET / HTTP/1.1\r\nHost: here\r\n\r\n", "not the Debug Adapter Protocol"),
                       (b"Content-Length: -1\r\n\r\n", "N a number"), (b"x" * 10000, "no message begins")):
        done = subprocess.run([pddt.PDDT, "--dap"], input=text, capture_output=True, timeout=60, check=False,
                              env=pddt.ENVIRONMENT)
        expect("status", done.returncode, 1)
        expect_text("error", done.stderr.decode(), part)
    done = subprocess.run([pddt.PDDT, "--dap", RING], stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
    expect("status with a command", done.returncode, 2)


def check_death():
    """A client that dies leaves no rank, whether it was stopped or running."""
    for ends in (lambda client: client.given.close(), lambda client: client.process.terminate()):
        client = dap.Client()
        client.begin(command=f"mpirun --oversubscribe -np 2 {RING} hang")
        client.event("stopped")
        ends(client)
        expect("status", client.await_end(), 0)


def check_socket():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "socket")
        with subprocess.Popen([pddt.PDDT, f"--dap={path}"], stdin=subprocess.DEVNULL, env=pddt.ENVIRONMENT) as process:
            pddt.wait_for("the socket", lambda: os.path.exists(path))
            expect("for this user alone", os.stat(path).st_mode & 0o077, 0)
            with socket.socket(socket.AF_UNIX) as connection:
                connection.connect(path)
                client = dap.Client(socket=connection)
                client.begin(command=[RING])
                client.event("stopped")
                client.ask("disconnect")
            expect("status", process.wait(120), 0)
        expect("socket", os.path.exists(path), False)


for check in (check_messages, check_random, check_no_protocol, check_death, check_socket):
    check()
    print("ok", check.__name__, flush=True)
