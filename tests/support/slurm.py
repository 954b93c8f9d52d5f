# SPDX-License-Identifier: GPL-3.0-or-later
"""Slurm on virtual hosts: a controller on login, a daemon on each of two nodes."""
import os
import subprocess

import pddt

SLURM = """
ClusterName=pddt
SlurmctldHost=login(10.77.0.254)
AuthType=auth/none
CredType=cred/none
SlurmUser=root
SlurmdUser=root
SlurmctldPidFile={state}/ctld.pid
SlurmdPidFile={state}/%n.pid
StateSaveLocation={state}
SlurmdSpoolDir={state}/spool-%n
SlurmctldLogFile={state}/ctld.log
SlurmdLogFile={state}/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/linear
SwitchType=switch/none
ReturnToService=2
KillWait=3
NodeName=node1 NodeAddr=10.77.0.1 CPUs=2
NodeName=node2 NodeAddr=10.77.0.2 CPUs=2
PartitionName=all Nodes=node1,node2 Default=YES OverSubscribe=FORCE:4
"""


class Slurm:
    """Starts a controller on login and a daemon on each node."""

    def __init__(self, machines, folder):
        self.machines, self.folder, self.running = machines, folder, []
        self.conf = os.path.join(folder, "slurm.conf")
        with open(self.conf, "w", encoding="ascii") as file:
            file.write(SLURM.format(state=folder))

    def start(self, host, *words):
        self.running.append(subprocess.Popen(self.machines.on(host) + list(words),
                                             stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                             stderr=subprocess.DEVNULL))

    def __enter__(self):
        self.start("login", "slurmctld", "-D", "-f", self.conf)
        for node in ("node1", "node2"):
            os.mkdir(os.path.join(self.folder, "spool-" + node))
            self.start(node, "slurmd", "-D", "-N", node, "-f", self.conf)
        try:
            pddt.wait_for("two idle nodes", self.is_ready, 120)
        except BaseException:
            for name in ("ctld.log", "node1.log"):
                with open(os.path.join(self.folder, name), encoding="utf-8", errors="replace") as file:
                    print(f"--- {name}", *file.read().splitlines()[-20:], sep="\n")
            raise
        return self

    def is_ready(self):
        answer = subprocess.run(self.machines.on("login") + ["sinfo", "-h", "-t", "idle", "-o", "%D"],
                                env=dict(os.environ, SLURM_CONF=self.conf), capture_output=True,
                                text=True, check=False)
        return answer.stdout.split() == ["2"]

    def __exit__(self, *_):
        for process in self.running:
            process.terminate()
            process.wait(120)
