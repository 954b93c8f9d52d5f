# SPDX-License-Identifier: GPL-3.0-or-later
"""A real sshd that nobody else can reach: ssh runs it as its proxy, with keys, configuration and known hosts in a
folder of the test's."""
import os
import shlex
import shutil
import subprocess
import sys

SSHD = shutil.which("sshd", path="/usr/sbin:/usr/local/sbin:" + os.environ.get("PATH", ""))

SERVER = """
HostKey {folder}/host
AuthorizedKeysFile {folder}/user.pub
StrictModes no
PermitRootLogin yes
PasswordAuthentication no
PidFile none
AcceptEnv *
SetEnv BASH_ENV={folder}/login
LogLevel ERROR
"""
# Keys alone.
QUIET = """
UsePAM no
KbdInteractiveAuthentication no
"""
# Instead of keys: what PAM asks, of a root whose password the test knows.
ASKING = """
UsePAM yes
KbdInteractiveAuthentication yes
PubkeyAuthentication no
AuthenticationMethods keyboard-interactive
"""
PASSWORD = "open sesame"
CLIENT = """
Host far
ProxyCommand ssh -F {folder}/ssh_config jump {sshd} -i -f {folder}/sshd_config -E {folder}/sshd.log
Host *
HostName there.invalid
HostKeyAlias there
ProxyCommand {prefix}{sshd} -i -f {folder}/sshd_config -E {folder}/sshd.log
IdentityFile {folder}/user
IdentitiesOnly yes
UserKnownHostsFile {folder}/known
GlobalKnownHostsFile /dev/null
StrictHostKeyChecking yes
LogLevel ERROR
SendEnv *
"""


def why_not():
    """Why there is no sshd to test with; None: there is."""
    if SSHD is None or shutil.which("ssh") is None:
        return "no sshd here (Debian: openssh-server)"
    return None


def skip_without():
    if why_not():
        print("skipped:", why_not())
        sys.exit(77)


def make_key(path):
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path], check=True, stdin=subprocess.DEVNULL)


class Host:
    """environment: for pddt, so that its ssh comes here. `own`: a folder below `folder` that is empty here, and has
    what stands in `own`-there on the host. asks: it wants PASSWORD by a keyboard-interactive prompt. The host "far" is
    behind the host "jump"."""

    def __init__(self, folder, own=None, asks=False):
        self.folder = folder
        mounts = [(f"{folder}/{own}-there", f"{folder}/{own}")] if own else []
        if asks:
            mounts += [(f"{folder}/shadow", "/etc/shadow"), (f"{folder}/pam", "/etc/pam.d")]
            self.make_account()
        mount = "".join(f"mount --bind {there} {here} && " for there, here in mounts) + "exec "
        for key in "host", "user":
            make_key(os.path.join(folder, key))
        os.makedirs("/run/sshd", exist_ok=True)  # sshd wants it when it is root's
        for name, text in (("sshd_config", SERVER), ("ssh_config", CLIENT)):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write((text + ((ASKING if asks else QUIET) if text is SERVER else "")).format(
                    folder=folder, sshd=SSHD, prefix=f"unshare --mount sh -c '{mount}\"$@\"' - " if mounts else ""))
        self.greet("")
        self.know("host")
        # Other tests' servers live here, too.
        self.environment = {"PDDT_SSH": f"ssh -F {folder}/ssh_config", "PDDT_SERVE_FOLDER": folder}

    def make_account(self):
        word = subprocess.run(["openssl", "passwd", "-6", PASSWORD], check=True, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL).stdout.strip()
        with open(os.path.join(self.folder, "shadow"), "w", encoding="utf-8") as file:
            file.write(f"root:{word}:19000:0:99999:7:::\n")
        os.makedirs(os.path.join(self.folder, "pam"))
        with open(os.path.join(self.folder, "pam", "sshd"), "w", encoding="utf-8") as file:
            file.write("auth required pam_unix.so\naccount required pam_permit.so\nsession required pam_permit.so\n")

    def greet(self, greeting):
        """What a login there prints first."""
        with open(os.path.join(self.folder, "login"), "w", encoding="utf-8") as file:
            file.write(f"printf %s {shlex.quote(greeting)}\n" if greeting else "")

    def put_in_path(self, folder):
        """A login there finds commands in that folder first."""
        with open(os.path.join(self.folder, "login"), "w", encoding="utf-8") as file:
            file.write(f"PATH={shlex.quote(folder)}:$PATH\n")

    def know(self, key):
        """The host has that key, as this side knows."""
        with open(os.path.join(self.folder, key + ".pub"), encoding="utf-8") as file:
            words = file.read().split()
        with open(os.path.join(self.folder, "known"), "w", encoding="utf-8") as file:
            file.write(f"there {words[0]} {words[1]}\n")

    def arguments(self, program, place=""):
        """program: pddt there."""
        return ["--remote", "somewhere" + (":" + place if place else ""), "--remote-program", program]


def can_have_files():
    """Whether a host can have files of its own."""
    return subprocess.run(["unshare", "--mount", "true"], check=False, capture_output=True,
                          stdin=subprocess.DEVNULL).returncode == 0


PROGRAM = """\
#include <stdio.h>

static int
add (int a, int b)
{
    return a + b; //@ only there
}

int
main (void)
{
    return printf ("%d\\n", add (20, 22)) < 0;
}
"""


def make_program(folder, own):
    """A program with its source that the host alone has. Its path."""
    there = os.path.join(folder, own + "-there")
    os.makedirs(there)
    os.makedirs(os.path.join(folder, own))
    with open(os.path.join(there, "sum.c"), "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    subprocess.run(["cc", "-g", "-O0", f"-fdebug-prefix-map={there}={folder}/{own}", "-o", "sum", "sum.c"], cwd=there,
                   check=True, stdin=subprocess.DEVNULL)
    return os.path.join(folder, own, "sum")
