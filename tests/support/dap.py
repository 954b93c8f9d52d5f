# SPDX-License-Identifier: GPL-3.0-or-later
"""A client of `pddt --dap`. Every message, in both directions, is checked against the protocol's schema."""
import contextlib
import json
import os
import subprocess
import threading
import time

import pddt

with open(os.path.join(pddt.SOURCE, "tests", "dap", "debugAdapterProtocol.json"), encoding="utf-8") as schema_file:
    DEFINITIONS = json.load(schema_file)["definitions"]
MOVING = {"continue", "next", "stepIn", "stepOut", "goto", "restart", "evaluate", "pddt/command"}
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def is_type(value, name):
    if name in ("integer", "number"):
        kinds = (int,) if name == "integer" else (int, float)
        return isinstance(value, kinds) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def check(value, schema, path="message"):
    """What of JSON Schema draft 4 the protocol uses. Raises a sentence."""
    if "$ref" in schema:
        return check(value, DEFINITIONS[schema["$ref"].rpartition("/")[2]], path)
    for part in schema.get("allOf", ()):
        check(value, part, path)
    if "oneOf" in schema:
        fits = 0
        for part in schema["oneOf"]:
            with contextlib.suppress(SystemExit):
                check(value, part, path)
                fits += 1
        if fits != 1:
            raise SystemExit(f"{path}: {fits} of oneOf fit {value!r}")
    kinds = schema.get("type", ())
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(is_type(value, kind) for kind in kinds):
        raise SystemExit(f"{path}: {value!r} is no {kinds}")
    if "enum" in schema and value not in schema["enum"]:
        raise SystemExit(f"{path}: {value!r} is none of {schema['enum']}")
    if "minimum" in schema and is_type(value, "number") and value < schema["minimum"]:
        raise SystemExit(f"{path}: {value} is below {schema['minimum']}")
    if schema.get("format") == "int32" and isinstance(value, int) and not -2**31 <= value < 2**31:
        raise SystemExit(f"{path}: {value} has more than 32 bits")
    if isinstance(value, dict):
        for name in schema.get("required", ()):
            if name not in value:
                raise SystemExit(f"{path} has no {name!r}: {json.dumps(value)[:300]}")
        properties = schema.get("properties", {})
        for name, member in value.items():
            if name in properties:
                check(member, properties[name], f"{path}.{name}")
            elif isinstance(schema.get("additionalProperties"), dict):
                check(member, schema["additionalProperties"], f"{path}.{name}")
    if isinstance(value, list) and "items" in schema:
        for number, member in enumerate(value):
            check(member, schema["items"], f"{path}[{number}]")
    return None


def check_message(message):
    """By the definition of its kind; those that are pddt's own by that of all such messages."""
    kind = message.get("type")
    name = message.get("command" if kind != "event" else "event", "")
    definition = name[:1].upper() + name[1:] + {"request": "Request", "response": "Response", "event": "Event"}[kind]
    if kind == "response" and not message.get("success"):
        definition = "ErrorResponse"
    if name.startswith("pddt/"):
        definition = kind[:1].upper() + kind[1:]
    if definition not in DEFINITIONS:
        raise SystemExit(f"the protocol has no {definition}")
    check(message, DEFINITIONS[definition], definition)


class Client:
    """A running `pddt --dap`, or another adapter."""

    def __init__(self, command=(pddt.PDDT, "--dap"), environment=(), socket=None):
        self.is_checked = command[0] == pddt.PDDT  # others break the schema in their first message
        self.marker = f"{os.getpid()}-dap-{id(self)}"
        self.process = None
        if socket is None:
            self.process = subprocess.Popen(
                list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                start_new_session=True, env=dict(pddt.ENVIRONMENT, PDDT_TEST_MARKER=self.marker, **dict(environment)))
            self.given, self.taken = self.process.stdin, self.process.stdout
        else:
            self.given, self.taken = socket.makefile("wb"), socket.makefile("rb")
        self.seq = 0
        self.last_seq = 0
        self.events = []     # all that came, in their order
        self.asked = []      # what it asks of the client
        self.unseen = set()  # threads that have stopped since the last list of threads
        self.responses = {}  # request_seq to response
        self.problem = None
        self.news = threading.Condition()
        threading.Thread(target=self.read_all, daemon=True).start()

    # ---- bytes ----

    def read_message(self):
        length = None
        while (line := self.taken.readline()) not in (b"\r\n", b""):
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        return json.loads(self.taken.read(length)) if length is not None else None

    def read_all(self):
        try:
            while (message := self.read_message()) is not None:
                if self.is_checked:
                    check_message(message)
                if message["seq"] <= self.last_seq and self.is_checked:
                    raise SystemExit(f"seq {message['seq']} after {self.last_seq}")
                if message.get("event") == "invalidated" and "threads" in message["body"]["areas"]:
                    raise SystemExit("VS Code forgets who is stopped")
                self.watch_stops(message)
                self.last_seq = message["seq"]
                with self.news:
                    if message["type"] == "response":
                        if message["request_seq"] in self.responses:
                            raise SystemExit(f"answered twice: {message}")
                        self.responses[message["request_seq"]] = message
                    elif message["type"] == "request":
                        self.asked.append(message)
                    else:
                        self.events.append(message)
                    self.news.notify_all()
        except (SystemExit, ValueError, OSError) as error:
            self.problem = str(error)
        with self.news:
            self.problem = self.problem or "the adapter has ended"
            self.news.notify_all()

    def watch_stops(self, message):
        """VS Code forgets a stop that it has not shown yet when it hears that its thread has started."""
        if message["type"] == "response" and message["command"] in MOVING | {"threads"} or message.get("event") == "continued":
            self.unseen.clear()  # also where its thread goes on
        elif message.get("event") == "stopped":
            self.unseen.add(message["body"]["threadId"])
        elif message.get("event") == "thread" and message["body"]["reason"] == "started" \
                and message["body"]["threadId"] in self.unseen:
            raise SystemExit(f"VS Code forgets the stop of thread {message['body']['threadId']}")

    def write(self, data):
        self.given.write(data)
        self.given.flush()

    # ---- messages ----

    def send(self, request, /, **arguments):
        """The number of the request."""
        self.seq += 1
        message = {"seq": self.seq, "type": "request", "command": request, "arguments": arguments}
        check_message(message)
        body = json.dumps(message).encode()
        self.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        return self.seq

    def respond(self, request, problem=None, **body):
        """Answers what the adapter has asked."""
        self.seq += 1
        message = {"seq": self.seq, "type": "response", "request_seq": request["seq"], "command": request["command"],
                   "success": problem is None, **({"message": problem, "body": {}} if problem else {"body": body})}
        check_message(message)
        body = json.dumps(message).encode()
        self.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def wait(self, what, probe, timeout_s=120.0):
        end = time.monotonic() + timeout_s
        with self.news:
            while not (found := probe()):
                if self.problem or not self.news.wait(max(0.0, end - time.monotonic())):
                    raise SystemExit(f"no {what}: {self.problem or 'it took too long'}; last events: "
                                     f"{json.dumps(self.events[-5:])[:2000]}")
        return found

    def answer(self, seq, timeout_s=120.0):
        return self.wait(f"answer to {seq}", lambda: self.responses.get(seq), timeout_s)

    def ask(self, request, /, **arguments):
        """The body of a response that must be a success."""
        response = self.answer(self.send(request, **arguments))
        if not response["success"]:
            raise SystemExit(f"{request} failed: {response.get('message')} {response.get('body')}")
        return response.get("body", {})

    def ask_in_vain(self, request, /, **arguments):
        """The sentence of a response that must be a failure."""
        response = self.answer(self.send(request, **arguments))
        if response["success"]:
            raise SystemExit(f"{request} {arguments} did not fail: {response}")
        return response["body"]["error"]["variables"]["sentence"]

    def event(self, name, is_it=lambda body: True, since=0, timeout_s=120.0):
        """The body of the first such event, from the event number `since` on."""
        def find():
            for number, event in enumerate(self.events[since:], since):
                if event["event"] == name and is_it(event.get("body", {})):
                    return number, event.get("body", {})
            return None
        return self.wait(f"event {name}", find, timeout_s)[1]

    def output(self, category=None):
        return "".join(event["body"]["output"] for event in self.events if event["event"] == "output"
                       and category in (None, event["body"].get("category")))

    # ---- what clients do all the time ----

    def begin(self, **arguments):
        """Up to the first stop. Breakpoints: {path: [line or SourceBreakpoint]}."""
        points = arguments.pop("breakpoints", {})
        request = arguments.pop("request", "launch")
        capabilities = self.ask("initialize", adapterID="pddt", linesStartAt1=True, columnsStartAt1=True,
                                pathFormat="path", supportsVariableType=True, supportsVariablePaging=True,
                                supportsInvalidatedEvent=True, supportsMemoryEvent=True,
                                supportsProgressReporting=True)
        self.event("initialized")
        launched = self.send(request, **arguments)
        for path, lines in points.items():
            self.ask("setBreakpoints", source={"path": path},
                     breakpoints=[line if isinstance(line, dict) else {"line": line} for line in lines])
        self.ask("configurationDone")
        response = self.answer(launched, 120)
        if not response["success"]:
            raise SystemExit(f"{request} failed: {response['body']}")
        return capabilities

    def move(self, command, thread, **arguments):
        """Moves a thread and awaits its next stop; its body."""
        since = len(self.events)
        self.ask(command, threadId=thread, **arguments)
        return self.event("stopped", lambda body: body.get("allThreadsStopped") or body["threadId"] == thread, since)

    def top(self, thread):
        frames = self.ask("stackTrace", threadId=thread, startFrame=0, levels=20)["stackFrames"]
        return frames[0]

    def variables(self, reference, **arguments):
        return {one["name"]: one for one in self.ask("variables", variablesReference=reference,
                                                     **arguments)["variables"]}

    def locals(self, frame):
        scopes = self.ask("scopes", frameId=frame)["scopes"]
        return self.variables(next(scope["variablesReference"] for scope in scopes if scope["name"] == "Locals"))

    def end(self, **arguments):
        """Says goodbye; the exit status, after checking that nothing is left behind."""
        self.ask("disconnect", **arguments)
        return self.await_end()

    def await_end(self):
        if self.process is None:
            return None
        status = self.process.wait(120)
        for end in (self.given, self.taken):
            with contextlib.suppress(OSError):
                end.close()
        pddt.expect_nothing_left(self.marker)
        if self.problem not in (None, "the adapter has ended"):
            raise SystemExit(self.problem)
        return status
