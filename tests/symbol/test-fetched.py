# SPDX-License-Identifier: GPL-3.0-or-later
"""Debug information from a debuginfod server: asked for in the background, while commands are answered
from what there is; once it has come, pending breakpoints are set and variables are known; the next
run finds it at once. A server that says no, and one that never answers. Argument: a C source."""
import http.server
import os
import re
import subprocess
import sys
import tempfile
import threading
import time

from pddt import ENVIRONMENT, PDDT, mark

SOURCE = os.path.abspath(sys.argv[1])
DEADLINE_S = 60


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, file):
        super().__init__(("127.0.0.1", 0), Handler)
        self.file, self.gate, self.asked = file, threading.Event(), []
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append(self.path)
        self.server.gate.wait(DEADLINE_S)
        if self.server.file is None or not self.path.endswith(f"/{BUILD_ID}/debuginfo"):
            self.send_error(404)
            return
        with open(self.server.file, "rb") as file:
            content = file.read()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


class Session:
    """pddt, with what it prints as lines that can be waited for."""

    def __init__(self, program, cache, port):
        environment = dict(ENVIRONMENT, XDG_CACHE_HOME=cache, DEBUGINFOD_URLS=f"http://127.0.0.1:{port}",
                           DEBUGINFOD_TIMEOUT="2")
        environment.pop("DEBUGINFOD_CACHE_PATH", None)
        self.process = subprocess.Popen([PDDT, "--cli", "-i", "-e", "show state", program], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, env=environment)
        self.lines, self.more, self.at = [], threading.Condition(), 0
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            with self.more:
                self.lines.append(line.rstrip())
                self.more.notify()

    def say(self, command, expected):
        """The next line with that text must come in time."""
        if command:
            self.process.stdin.write(command + "\n")
            self.process.stdin.flush()
        if expected is None:
            return
        end = time.monotonic() + DEADLINE_S
        with self.more:
            while True:
                while self.at < len(self.lines):
                    self.at += 1
                    if re.search(expected, self.lines[self.at - 1]):
                        return
                if not self.more.wait(end - time.monotonic()):
                    self.process.kill()
                    raise SystemExit(f"{command}: no {expected!r} in\n" + "\n".join(self.lines))

    def end(self):
        self.process.stdin.write("quit\n")
        self.process.stdin.close()
        self.process.wait(timeout=DEADLINE_S)


def build(folder):
    global BUILD_ID
    whole, program = os.path.join(folder, "whole"), os.path.join(folder, "program")
    subprocess.run(["gcc", "-g", "-O0", "-w", "-Wl,--build-id", SOURCE, "-o", whole], check=True)
    subprocess.run(["strip", "-g", "-o", program, whole], check=True)
    subprocess.run(["objcopy", "--only-keep-debug", whole, whole + ".debug"], check=True)
    notes = subprocess.run(["readelf", "-n", program], capture_output=True, text=True, check=True).stdout
    BUILD_ID = re.search(r"Build ID: ([0-9a-f]+)", notes)[1]
    return program, whole + ".debug"


def check_arrival(program, debug, cache):
    server = Server(debug)
    place = f"{os.path.basename(SOURCE)}:{mark(SOURCE, 'stop')}"
    session = Session(program, cache, server.server_port)
    session.say(f"break {place}", "breakpoint 1 pending, no file")
    session.say("where", "main")          # the server has not answered anything yet
    server.gate.set()
    session.say(None, "debug information of program has come from a debuginfod server")
    session.say(None, "breakpoint 1 set, stop at ")
    session.say("continue", None)
    session.say("wait", "breakpoint 1, stop at ")
    session.say("print number", "number = ")
    session.say("where", "main at .*:[0-9]+")
    session.end()
    if not any(BUILD_ID in path for path in server.asked):
        raise SystemExit(f"the server was asked {server.asked}")
    # from the cache that libdebuginfod shares, without a server
    server.shutdown()
    server.server_close()
    again = Session(program, cache, server.server_port)
    again.say(f"break {place}", "breakpoint 1 set, stop at ")
    again.end()


def check_refusal(program, cache, answers):
    server = Server(None)
    if answers:
        server.gate.set()
    session = Session(program, cache, server.server_port)
    session.say("break stop", r"breakpoint 1 set, stop \(")
    session.say("continue", None)
    session.say("wait", r"breakpoint 1, stop")
    session.say("kill", "failed SIGKILL")
    session.end()
    server.gate.set()


def main():
    with tempfile.TemporaryDirectory() as folder:
        program, debug = build(folder)
        check_arrival(program, debug, os.path.join(folder, "cache"))
        check_refusal(program, os.path.join(folder, "cache-no"), True)
        check_refusal(program, os.path.join(folder, "cache-silent"), False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
