# SPDX-License-Identifier: GPL-3.0-or-later
"""Archives: bytes a sample in three ways to say what its thread was doing, and how long `pddt FILE.otf2` takes to
open samples of 64 ranks and events of another tool. Beside it: otf2-print of the same. Prints; asserts nothing."""
import os
import subprocess
import sys
import tempfile
import time

import otf2
from otf2.enums import Type

import pddt

N = 10000
CLASSES = 8


def size(folder):
    return sum(os.path.getsize(os.path.join(place, name)) for place, _, names in os.walk(folder) for name in names)


def define(trace, depth, leaf=None):
    """A chain of calling contexts, and the innermost one for each class."""
    regions = [trace.definitions.region(f"function {i}", source_file="app.c") for i in range(depth)]
    inner = None
    for number, region in enumerate(regions):
        inner = trace.definitions.calling_context(region, trace.definitions.source_code_location("app.c", number), inner)
    if leaf is None:
        return [inner] * CLASSES
    return [trace.definitions.calling_context(leaf(i, regions), inner.source_code_location, inner)
            for i in range(CLASSES)]


def write(folder, way, n_ranks, n):
    with otf2.writer.open(folder, timer_resolution=1000000000) as trace:
        node = trace.definitions.system_tree_node("node", class_name="node")
        generator = trace.definitions.interrupt_generator("timer", period=10000000)
        attribute = trace.definitions.attribute("class", "", Type.UINT8) if way == "attribute" else None
        contexts = define(trace, 20, None if way == "attribute" else lambda i, regions: (
            trace.definitions.region(f"class {i}") if way == "leaf region" else regions[-1]))
        for rank in range(n_ranks):
            group = trace.definitions.location_group(f"rank {rank}", system_tree_parent=node)
            writer = trace.event_writer(f"thread {rank}", group=group)
            for i in range(n):
                more = {"attributes": {attribute: i % CLASSES}} if attribute else {}
                writer.calling_context_sample(10000000 * (i + 1) + i % 777, contexts[i % CLASSES], 2, generator, **more)
    return os.path.join(folder, "traces.otf2")


def write_events(folder, n_ranks, n):
    with otf2.writer.open(folder, timer_resolution=1000000000) as trace:
        node = trace.definitions.system_tree_node("node", class_name="node")
        regions = [trace.definitions.region(f"function {i}") for i in range(50)]
        for rank in range(n_ranks):
            group = trace.definitions.location_group(f"rank {rank}", system_tree_parent=node)
            writer = trace.event_writer(f"thread {rank}", group=group)
            for i in range(n // 2):
                writer.enter(20000 * i, regions[i % 50])
                writer.leave(20000 * i + 9000, regions[i % 50])
    return os.path.join(folder, "traces.otf2")


def measure(what, anchor):
    times = {}
    for name, command in ("pddt", [pddt.PDDT, anchor]), ("otf2-print", ["otf2-print", anchor]):
        best = 1e9
        for _ in range(3):
            begin = time.monotonic()
            subprocess.run(command, stdout=subprocess.DEVNULL, check=True, env=pddt.ENVIRONMENT)
            best = min(best, time.monotonic() - begin)
        times[name] = best
    print(f"{what}: " + ", ".join(f"{name} {seconds:.2f} s" for name, seconds in times.items()), flush=True)


with tempfile.TemporaryDirectory() as place:
    for way in "calling context", "leaf region", "attribute":
        folder = os.path.join(place, way)
        write(folder, way, 1, N)
        print(f"class as {way}: {size(folder) / N:.1f} bytes a sample", flush=True)
    measure("64 ranks with 10,000 samples", write(os.path.join(place, "many"), "calling context", 64, N))
    million = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    measure(f"{million} million events of 8 ranks", write_events(os.path.join(place, "events"), 8,
                                                                 million * 1000000 // 8))
