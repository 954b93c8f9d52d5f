# SPDX-License-Identifier: GPL-3.0-or-later
"""Virtual hosts for a test: "login", "node1", … each with its own network, name and processes."""
import os
import shutil
import subprocess
import sys
import tempfile

import pddt
from launching import has_prrte

TOOL = os.path.join(pddt.SOURCE, "tests", "support", "virtual-hosts")
NET = "10.77.0.0/24"


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

    def network(self):
        """mpirun's options for this network. Other virtual hosts have the same names and numbers of processes."""
        return ["--prtemca", "prte_if_include", NET, "--prtemca", "prte_tmpdir_base", self.state] if has_prrte() \
            else ["-mca", "oob_tcp_if_include", NET]

    def agent_that_stays(self, refusal=""):
        """One that has its host on its command line, as ssh has: PRRTE does not tell its daemons each other's hosts. refusal
        is shell before it goes there."""
        path = os.path.join(self.state, "ssh")
        with open(os.path.join(self.state, "agent"), encoding="ascii") as file:
            text = file.read().replace("exec nsenter", refusal + "nsenter")
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        os.chmod(path, 0o755)
        return path

    def mpirun(self, hosts, n, agent=None):
        """Open MPI over these hosts, with slots for n ranks in all. Open MPI 5 starts them by PRRTE, whose options have other
        names; there the test's own mapping, which is for one host, would put all ranks on the first. agent "": none on the
        line."""
        slots, agent = -(-n // len(hosts)), os.path.join(self.state, "agent") if agent is None else agent
        own = ["--prtemca", "plm_ssh_agent"] if has_prrte() else ["-mca", "plm_rsh_agent"]
        own = (own + [agent] if agent else []) + (["--map-by", "slot"] if has_prrte() else [])
        return ["mpirun", *own, *self.network(), "-mca", "btl_tcp_if_include", NET, "-mca", "btl", "tcp,self,sm" if has_prrte() else "tcp,self,vader",
                "--host", ",".join(f"{host}:{slots}" for host in hosts), "-np", str(n)]
