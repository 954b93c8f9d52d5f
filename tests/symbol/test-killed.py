# SPDX-License-Identifier: GPL-3.0-or-later
"""pddt-symbols dies during a request, and later at every start: the request is repeated and
answered, finally with an error that says why, and the program runs on. Arguments: a C source
and its build."""
import os
import signal
import subprocess
import sys
import threading
import time

from pddt import ENVIRONMENT, PDDT, mark, processes, wait_for

SOURCE, PROGRAM = map(os.path.abspath, sys.argv[1:3])


class Session:
    def __init__(self):
        self.process = subprocess.Popen([PDDT, "--cli", "-i", "-e", "show state", PROGRAM], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, env=ENVIRONMENT)
        self.lines, self.at = [], 0
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.append(line.rstrip())

    def say(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def expect(self, *texts):
        def find():
            while self.at < len(self.lines):
                self.at += 1
                if any(text in self.lines[self.at - 1] for text in texts):
                    return self.lines[self.at - 1]
            return None
        try:
            return wait_for(texts[0], find, 120)
        except SystemExit:
            print("\n".join(self.lines))
            self.process.kill()
            raise

    def find_helper(self, name):
        """A child of the host's guard, which has the session's folder on its line like pddt's own."""
        found = processes()
        folders = [command.split("--session ")[1].split()[0] for _, (parent, _, command) in found.items()
                   if parent == self.process.pid and "--session " in command]
        guards = [pid for pid, (_, _, command) in found.items()
                  if folders and f"--host {folders[0]} " in command]
        for pid, (parent, state, command) in found.items():
            if parent in guards and state != "Z" and os.path.basename(command.split(" ")[0]) == name:
                return pid
        return None


def has_question(helper):
    """Bytes wait in a socket of the helper's, which does not read them."""
    table = subprocess.run(["ss", "-xpnH"], capture_output=True, text=True, check=True).stdout
    return any(f"pid={helper}," in line and line.split()[2] != "0" for line in table.splitlines())


def main():
    session = Session()
    session.expect("stopped, main")
    session.say(f"break {os.path.basename(SOURCE)}:{mark(SOURCE, 'stop')}")
    session.say("continue")
    session.say("wait")
    session.expect("breakpoint 1, stop at")
    session.say("print number")
    session.expect("0: number = 1")
    # it holds the question when it dies
    helper = session.find_helper("pddt-symbols")
    os.kill(helper, signal.SIGSTOP)
    session.say("print number + 100")
    wait_for("the question", lambda: has_question(helper))
    os.kill(helper, signal.SIGKILL)
    session.expect("0: number + 100 = 101")
    # whenever it is started
    for attempt in range(40):
        helper = session.find_helper("pddt-symbols")
        if helper:
            os.kill(helper, signal.SIGKILL)
            wait_for("its end", lambda: processes().get(helper, (0, "Z", ""))[1] == "Z")
        session.say(f"print number + {attempt}")
        answer = session.expect(f"number + {attempt} =", "cannot ask pddt-symbols: it does not answer")
        if "cannot ask" in answer:
            break
        if answer != f"0: number + {attempt} = {attempt + 1}":
            raise SystemExit(answer)
    else:
        raise SystemExit("\n".join(session.lines))
    session.say("delete 1")
    session.say("continue")
    session.say("wait")
    session.expect("0: exited 0")
    session.say("quit")
    session.process.wait(timeout=120)
    return 0


if __name__ == "__main__":
    sys.exit(main())
