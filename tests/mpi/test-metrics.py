# SPDX-License-Identifier: GPL-3.0-or-later
"""What ranks and hosts use, from the kernel and the accelerators' library to the archive and the report."""
import json
import os
import time

import pddt
from measured import Measured, read

PROGRAM = os.path.join(pddt.SOURCE, "tests", "mpi", "measured_program.py")
RANKS = ["mpirun", "-np", "2", "/usr/bin/python3", PROGRAM, "mpi"]


def measure(*options, **environment):
    """The run, its report as {title: value}, and its archive as OTF2's reader sees it."""
    with Measured(RANKS, "--report", "page.json", *options) as measured:
        measured.environment.update(environment)
        run = measured.run()
        run.expect_status(0)
        with open(os.path.join(measured.folder, "page.json"), encoding="utf-8") as file:
            sections = json.load(file)["sections"]
        found = {}
        for section in sections:
            for block in section["blocks"]:
                if len(block.get("rows", [])) == 1:
                    found.update({column["title"]: value for column, value in zip(block["columns"], block["rows"][0])})
        return run, found, read(run.archive)


def read_total():
    with open("/proc/meminfo", encoding="utf-8") as file:
        return int(file.readline().split()[1]) * 1024


def test_host():
    run, report, archive = measure(PDDT_NVML=os.environ["NVML_LIBRARY"])
    tellers = [rank for rank in archive.values() if "gpu_use" in rank]
    if len(tellers) != 1:
        run.fail(f"{len(tellers)} ranks tell what their host uses: {archive}")
    wanted = {"gpu_use": 61, "gpu_memory": 3 << 30, "gpu_power": 123456, "node_total": read_total()}
    if any(tellers[0][name] != value for name, value in wanted.items()) \
            or not 1e8 < tellers[0]["node_used"] <= wanted["node_total"]:
        run.fail(f"{tellers[0]}, not {wanted}")
    if (report["Accelerator utilisation"], report["Memory of accelerators, peak"],
            report["Power of accelerators, mean"]) != (61.0, 3 << 30, 123.5):
        run.fail(f"{report}")
    if report["Memory of the largest host"] != read_total() or not report["Used on a host, peak"] > 1e8:
        run.fail(f"{report}")
    if (report["Energy"] is None) != ("energy" not in tellers[0]):
        run.fail(f"{report['Energy']} J, and {tellers[0].get('energy')} µJ")


def test_hanging_driver():
    """It holds up neither the samples nor the end."""
    begun = time.monotonic()
    run, report, archive = measure(PDDT_NVML=os.environ["NVML_LIBRARY"], NVML_STAND_IN="hang")
    if report["Accelerator utilisation"] is not None or any("gpu_use" in rank for rank in archive.values()):
        run.fail(f"{report}")
    if not all(rank["samples"] > 20 for rank in archive.values()) or time.monotonic() - begun > 60:
        run.fail(f"{archive}")


def test_none():
    run, report, archive = measure(PDDT_NVML="/no/such/library.so")
    if report["Accelerator utilisation"] is not None or report["Power of accelerators, mean"] is not None \
            or any("gpu_use" in rank or "gpu_memory" in rank for rank in archive.values()):
        run.fail(f"{report}")


def test_list():
    run, report, archive = measure("--metrics", "cpu, node", PDDT_NVML=os.environ["NVML_LIBRARY"])
    names = {name for rank in archive.values() for name in rank}
    if not {"cpu", "node_used", "node_total"} <= names or {"rss", "read", "waits", "energy", "gpu_use"} & names:
        run.fail(f"{sorted(names)}")
    if report["Memory of a rank, peak"] is not None or report["Read from storage"] is not None \
            or not report["Used on a host, peak"] > 1e8:
        run.fail(f"{report}")


test_list()
test_host()
test_hanging_driver()
test_none()
print("ok")
