# SPDX-License-Identifier: GPL-3.0-or-later
"""Virtual hosts for a test: "login", "node1", … each with its own network, name and processes."""
import os
import shutil
import subprocess
import sys
import tempfile

import pddt

TOOL = os.path.join(pddt.SOURCE, "tests", "support", "virtual-hosts")


class Hosts:
    """login and n nodes, for a with statement. Skips the test if namespaces are forbidden."""

    def __init__(self, n, clocks=None):
        """clocks: {"node1": seconds by which its monotonic clock is ahead}"""
        self.state = tempfile.mkdtemp(prefix="hosts-")
        self.environment = dict(os.environ, VIRTUAL_HOSTS=self.state, VIRTUAL_CLOCKS=" ".join(
            f"{host}={seconds}" for host, seconds in (clocks or {}).items()))
        self.n = n
        probe = subprocess.run(["unshare", "--net", "--mount", "--pid", *(["--time"] if clocks else []), "--fork", "true"],
                               capture_output=True, check=False)
        if probe.returncode != 0:
            shutil.rmtree(self.state)
            print("virtual hosts need root and namespaces:", probe.stderr.decode().strip())
            sys.exit(77)

    def do(self, *words):
        subprocess.run([TOOL, *words], env=self.environment, check=True, timeout=120)

    def __enter__(self):
        self.do("up", str(self.n))
        return self

    def __exit__(self, *_):
        self.do("down")

    def on(self, host):
        """The words to put before a command so that it runs on the host."""
        return ["env", "VIRTUAL_HOSTS=" + self.state, TOOL, "exec", host]

    def pid_of(self, host):
        """The host's first process, by its number on this machine."""
        with open(os.path.join(self.state, host + ".pid"), encoding="ascii") as file:
            return int(file.read())

    def preload(self, host, library):
        """From now on every program that the host starts loads the library, whatever its environment."""
        layers = os.path.join(self.state, host + "-etc")
        script = (f"mkdir {layers} && mount -t tmpfs tmpfs {layers} && mkdir {layers}/upper {layers}/work && "
                  f"cp -a /etc/hosts {layers}/upper/hosts && echo {library} > {layers}/upper/ld.so.preload && "
                  f"mount -t overlay overlay -o lowerdir=/etc,upperdir={layers}/upper,workdir={layers}/work /etc")
        subprocess.run(self.on(host) + ["sh", "-c", script], check=True)

    def mpirun(self, hosts, n):
        """Open MPI over these hosts, with slots for n ranks in all."""
        slots = -(-n // len(hosts))
        return ["mpirun", "-mca", "plm_rsh_agent", os.path.join(self.state, "agent"),
                "-mca", "oob_tcp_if_include", "10.77.0.0/24",
                "-mca", "btl_tcp_if_include", "10.77.0.0/24", "-mca", "btl", "tcp,self,vader",
                "--host", ",".join(f"{host}:{slots}" for host in hosts), "-np", str(n)]
