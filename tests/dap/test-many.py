# SPDX-License-Identifier: GPL-3.0-or-later
"""A thousand fake ranks through the protocol: what VS Code asks at a stop is short, whether they are one group or many."""
import json
import sys

import dap

ADAPTER, SOURCE = sys.argv[1:3]
N_RANKS, LIMIT = 1000, 100_000


def expect(what, found, wanted):
    if found != wanted:
        raise SystemExit(f"{what}: {found!r}, expected {wanted!r}")


def ask_short(client, request, **arguments):
    body = client.ask(request, **arguments)
    if len(json.dumps(body)) > LIMIT:
        raise SystemExit(f"the answer to {request} has {len(json.dumps(body))} bytes")
    return body


def look(client, thread):
    """As VS Code does; the innermost frame."""
    frame = ask_short(client, "stackTrace", threadId=thread, startFrame=0, levels=1)["stackFrames"][0]
    ask_short(client, "stackTrace", threadId=thread, startFrame=1, levels=19)
    for scope in ask_short(client, "scopes", frameId=frame["id"])["scopes"]:
        if not scope["expensive"]:
            ask_short(client, "variables", variablesReference=scope["variablesReference"])
    return frame


def list_names(client):
    return {one["name"].partition(":")[0]: one["id"] for one in ask_short(client, "threads")["threads"]}


def check_groups():
    """One group that parts and meets again; each stop is told of once for a group, never once a rank."""
    client = dap.Client(command=(ADAPTER, str(N_RANKS), SOURCE))
    client.is_checked = True
    client.begin(command="mpirun -np 1000 ./app", moves="thread")
    stopped = client.event("stopped")
    whole = list_names(client)
    expect("one group", list(whole), ["0-999"])
    expect("who has stopped", stopped["threadId"], whole["0-999"])
    look(client, stopped["threadId"])
    client.ask("evaluate", expression="on 0-499 next", context="repl")
    client.event("stopped", lambda body: body["threadId"] != whole["0-999"])
    parts = list_names(client)
    expect("two groups", sorted(parts), ["0-499", "500-999"])
    expect("new numbers", whole["0-999"] in parts.values(), False)
    first = look(client, parts["0-499"])["line"]
    client.move("next", parts["500-999"])
    expect("they meet", list_names(client), whole)
    expect("where", look(client, whole["0-999"])["line"], first)
    stops = [event for event in client.events if event["event"] == "stopped"]
    expect("a few stops", len(stops) < 20, True)
    client.ask("pddt/pin", ranks="7")
    expect("a rank of its own", sorted(list_names(client)), ["0-6,8-999", "rank 7"])
    return client


def check_apart(client):
    """Every second rank is elsewhere: two groups beside the pinned rank, and few stops."""
    since = len(client.events)
    client.ask("evaluate", expression="on even next", context="repl")
    client.event("stopped", since=since)
    expect("even, odd and pinned", len(list_names(client)), 3)
    stops = [event for event in client.events[since:] if event["event"] == "stopped"]
    expect("no stop for each rank", len(stops) < 20, True)
    expect("status", client.end(terminateDebuggee=True), 0)


CLIENT = check_groups()
print("ok groups", flush=True)
check_apart(CLIENT)
print("ok apart", flush=True)
