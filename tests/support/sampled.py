# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that burn time, and what their samples stand for, by OTF2's own reader for Python."""
import os
import subprocess

import otf2
from otf2.events import CallingContextSample, Metric

BURN = """#include <time.h>
static double now (void)
{
    struct timespec time;
    clock_gettime (CLOCK_MONOTONIC, &time);
    return (double) time.tv_sec + (double) time.tv_nsec * 1e-9;
}
void spend (double seconds)
{
    double end = now () + seconds;
    while (now () < end) {
        for (volatile int i = 0; i < 1000; i++) {
        }
    }
}
"""


def compile_to(path, text, *options):
    subprocess.run(["cc", "-g", "-O1", *options, "-o", path, "-xc", "-"], input=text.encode(), check=True)


def count_missed(archive):
    with otf2.reader.open(os.path.join(archive, "traces.otf2")) as trace:
        return sum(each.value for each in trace.definitions.location_group_properties if each.name == "pddt::missed")


def list_samples(archive):
    """(rank's name, thread's number, seconds, class, functions from the outermost on) of each sample."""
    before, found = {}, []
    with otf2.reader.open(os.path.join(archive, "traces.otf2")) as trace:
        classes = {each.calling_context: each.value for each in trace.definitions.calling_context_properties
                   if each.name == "pddt::class"}
        rate = trace.definitions.clock_properties.timer_resolution
        numbers, seen = {}, {}
        for location in trace.definitions.locations:
            seen[location.group] = numbers[location] = seen.get(location.group, 0) + 1
        for location, event in trace.events:
            if isinstance(event, CallingContextSample):
                names, at = [], event.calling_context
                while at is not None:
                    names.insert(0, at.region.name)
                    at = at.parent
                found.append((location.group.name, numbers[location], (event.time - before[location]) / rate,
                              classes[event.calling_context], names))
            if not isinstance(event, Metric):
                before[location] = event.time
    return found


def get_lost(samples):
    """In which nobody has looked, as pddt says itself: its daemon had no processor either."""
    return sum(sample[2] for sample in samples if sample[3] == "not sampled")


def expect_seconds(run, samples, wanted, what):
    """What the samples stand for. The time between two of them may belong to either, at the beginning and at the end:
    on a busy machine that is more than a period."""
    seconds = sum(sample[2] for sample in samples)
    gap = max([sample[2] for sample in samples], default=0)
    print(f"# {what}: {seconds:.2f} s, counted {wanted:.2f}, {len(samples)} samples, the longest of {gap:.3f} s")
    lost = get_lost(run.samples)
    if not wanted - lost <= seconds + 0.1 + 2 * max(gap - 0.02, 0) or seconds > wanted + 0.1 + 2 * max(gap - 0.02, 0):
        run.fail(f"{what}: {seconds} s, not {wanted}")


def measure(measured):
    run = measured.run()
    run.expect_status(0)
    run.samples = list_samples(run.archive)
    return run, run.samples
