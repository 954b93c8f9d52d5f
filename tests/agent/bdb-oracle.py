# SPDX-License-Identifier: GPL-3.0-or-later
"""Where bdb, which pdb is made of, stops in a program: "line" with a breakpoint on each line, "LINE" on that one
alone, "step" always stepping, "next" always going on to the frame's next line, from the first line of each
function. Prints a stop a line: function, line. Arguments: what, program."""
import bdb
import sys


class Recorder(bdb.Bdb):
    def __init__(self, file, how):
        super().__init__()
        self.file, self.how, self.stops, self.left = self.canonic(file), how, [], True

    def is_own(self, frame):
        return self.canonic(frame.f_code.co_filename) == self.file

    def user_line(self, frame):
        if self.is_own(frame):
            self.stops.append((frame.f_code.co_name, frame.f_lineno))
        if self.how == "step":
            self.set_step()
        else:
            self.set_continue()


def main():
    how, file = sys.argv[1:3]
    with open(file) as stream:
        source = stream.read()
    recorder = Recorder(file, how)
    for line in range(1, source.count("\n") + 1) if how == "line" else [int(how)] if how.isdigit() else []:
        recorder.set_break(file, line)
    sys.argv[:] = [file]
    code = compile(source, file, "exec", 0, True)
    try:
        recorder.run(code, {"__name__": "__main__", "__file__": file, "__builtins__": __builtins__})
    except bdb.BdbQuit:
        pass
    if how.isdigit() and recorder.stops and recorder.stops[0][1] != int(how):
        del recorder.stops[0]       # where it began
    for name, line in recorder.stops:
        print(name, line)


main()
