# SPDX-License-Identifier: GPL-3.0-or-later
"""`profile`: the shares that a Python program has counted itself, for every interpreter, and of ranks that
wait for another one."""
import json
import math
import os
import pstats
import sys
import tempfile

import pddt
from measured import once_in_five

sys.path.insert(0, os.path.join(pddt.SOURCE, "tests", "agent"))
import driver
sys.path.insert(0, os.path.join(pddt.SOURCE, "tests", "profile"))
import pages

PROGRAM = os.path.join(pddt.SOURCE, "tests", "mpi", "burn.py")
NAMES = ("heavy", "medium", "light", "asleep", "together")
SECONDS = 3


def measure(command):
    """The profile, and what each rank has counted."""
    prints = [word for name in NAMES for word in ("-e", f'print spent["{name}"]')]
    run = pddt.run(["--cli", "--json"] + pddt.commands("break turn", "continue", "wait 60", "delete", "continue",
                                                       f"profile {SECONDS}", "pause", "wait 120")
                   + prints + pddt.commands("kill", "wait 120") + ["--"] + command)
    events = [json.loads(line) for line in run.out.splitlines() if line.startswith("{")]
    profile = [event for event in events if event["event"] == "profile"]
    if len(profile) != 1:
        run.fail("no profile")
    spent = {}
    values = [event for event in events if event["event"] == "values"]
    for name, event in zip(NAMES, values):
        for group in event["values"][0]["groups"]:
            for rank in group["ranks"].split(","):
                first, _, last = rank.partition("-")
                for number in range(int(first), int(last or first) + 1):
                    spent.setdefault(number, {})[name] = float(group["text"])
    return run, profile[0], spent


def total(profile, function, rank):
    """Seconds of the rank in the function, wherever it was called from turn."""
    return sum(frame["ranks"][rank] for frame in profile["frames"] if frame.get("function") == function)


def check(run, profile, spent, what):
    if abs(profile["seconds"] - SECONDS) > 1:
        run.fail(f"{what}: {profile['seconds']} s")
    for rank, counted in spent.items():
        whole = total(profile, "turn", rank)
        n = profile["samples"] / len(spent)
        if whole < SECONDS / 2 or n < 30:
            run.fail(f"{what}: only {whole} s and {n} samples of rank {rank}")
        for name in NAMES:
            wanted = counted[name] / sum(counted.values())
            share = total(profile, name, rank) / whole
            # A turn of the loop is as good as one sample when the machine is busy with others.
            sigma = math.sqrt(wanted * (1 - wanted) / n)
            print(f"# {what} rank {rank} {name}: {100 * share:.1f} %, counted {100 * wanted:.1f}")
            if abs(share - wanted) > 4 * sigma + 0.04:
                run.fail(f"{what}: rank {rank} has {share} in {name}, not {wanted}")


@once_in_five
def test_alone(python):
    run, profile, spent = measure([python, "%python_debug%", PROGRAM])
    check(run, profile, spent, os.path.basename(os.path.dirname(os.path.dirname(python))))


@once_in_five
def test_mpi():
    run, profile, spent = measure(["mpirun", "-np", "2", "/usr/bin/python3", "%python_debug%", PROGRAM, "mpi"])
    check(run, profile, spent, "mpi")
    classes = profile["classes"]
    counted = sum(each["together"] for each in spent.values()) / sum(sum(each.values()) for each in spent.values())
    share = classes["MPI"] / sum(classes.values())
    print(f"# MPI: {100 * share:.1f} %, counted {100 * counted:.1f}")
    if abs(share - counted) > 0.1:
        run.fail(f"{share} of the time is MPI's, not {counted}")


@once_in_five
def test_saved():
    """start, stop and save: what the files have is what the answer has."""
    with tempfile.TemporaryDirectory(prefix="pddt-test-profile-") as folder:
        save(os.path.join(folder, "saved here"))


def save(place):
    run = pddt.run(["--cli", "--json"] + pddt.commands(
        "profile stop", f"profile save {place}", "break turn", "continue", "wait 60", "delete", "continue",
        "profile start", "profile start", "profile 1", f"profile save {place}", "wait 2", "profile stop",
        f"profile save '{place}'", f"profile save {place}", "kill", "wait 120")
        + ["mpirun", "-np", "2", "/usr/bin/python3", "%python_debug%", PROGRAM, "mpi"])
    events = [json.loads(line) for line in run.out.splitlines() if line.startswith("{")]
    errors = [event["text"] for event in events if event["event"] == "error"]
    if errors != ["no profile is being taken; profile start begins one",
                  "there is no profile yet; profile SECONDS takes one",
                  *["already profiling; use profile stop"] * 3,
                  "not finished after 2 s", f"cannot save into {place}: it is not empty"]:
        run.fail(f"other errors: {errors}")
    profile = [event for event in events if event["event"] == "profile"]
    if len(profile) != 1 or not 1 < profile[0]["seconds"] < 10:
        run.fail("not one profile of 2 s")
    for index in range(2):
        stats = pstats.Stats(f"{place}/cpu_{index}.prof", stream=open(os.devnull, "w")).stats
        for name in NAMES:
            wanted = total(profile[0], name, index)
            found = sum(cost[3] for (_, _, function), cost in stats.items() if function == name)
            if abs(found - wanted) > 0.001:
                run.fail(f"{name} has {wanted} s in the answer and {found} in the file of rank {index}")
    title, _ = pages.compare(*[f"{place}/report.{suffix}" for suffix in ("html", "txt", "csv", "json")])
    if title != f"Profile of mpirun -np 2 /usr/bin/python3 %python_debug% {PROGRAM} mpi":
        run.fail(f"the report's title is {title}")
    print("# saved:", *sorted(os.listdir(place)))


test_mpi()
test_saved()
for interpreter in driver.list_interpreters() if os.environ.get("PDDT_LONG") else driver.list_interpreters()[::2]:
    test_alone(interpreter)
print("ok")
