# SPDX-License-Identifier: GPL-3.0-or-later
"""Many hosts simulated on one: real daemons with fake ranks, from 1k to 1M ranks and up to
4,096 daemons, each case with a hard limit of time. Prints each case, and draws the growth:
scale.py [FILE.svg]."""
import math
import os
import re
import signal
import subprocess
import sys

BUILD = os.environ["PDDT_BUILD_ROOT"]
BENCH = os.path.join(BUILD, "tests", "bench", "bench-scale")
DAEMON = os.path.join(BUILD, "tests", "daemon", "pddtd-scale")
GROWTH = [(64, each) for each in (16, 62, 250, 1000, 4000, 15625)]
LARGE = [(256, 3907), (1024, 1), (1024, 977), (4096, 245)]
LIMIT_S = 200  # a case; each wait of bench-scale has a limit of its own
KINDS = ("state", "where", "step")
WORDS = {"state": "state query", "where": "merged stacks", "step": "step, to the last event"}
COLOURS = {"state": ("#1b6ca8", "#6cb4ee"), "where": ("#b3541e", "#f0a068"), "step": ("#2e7d32", "#7fcf83")}
LEFT, TOP, WIDTH, HEIGHT = 64, 30, 520, 260
MILLISECONDS = (1, 1000)
RANKS = (1000, 1_000_000)


def run(daemons, each, *more):
    """{kind: milliseconds}, and "ranks"; None when the case did not come to its end, or has other kinds."""
    process = subprocess.Popen([BENCH, DAEMON, str(daemons), str(each), *more], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                               start_new_session=True)
    try:
        text = process.communicate(timeout=LIMIT_S)[0]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        text = process.communicate()[0] or f"scale {daemons:5} daemons {daemons * each:8} ranks: did not start"
        print(f"{text}; ended after {LIMIT_S} s", flush=True)
        return None
    print(text, end="", flush=True)
    if process.returncode != 0 or more:
        return None
    figures = {kind: float(re.search(kind + r" ([\d.]+) ms", text)[1]) for kind in KINDS}
    return dict(figures, ranks=daemons * each)


def place(ranks, milliseconds):
    x = math.log(ranks / RANKS[0]) / math.log(RANKS[1] / RANKS[0])
    low, high = MILLISECONDS
    y = math.log(min(max(milliseconds, low), high) / low) / math.log(high / low)
    return LEFT + x * WIDTH, TOP + (1 - y) * HEIGHT


def draw_axes():
    parts = []
    value = MILLISECONDS[0]
    while value <= MILLISECONDS[1] * 1.01:
        y = place(RANKS[0], value)[1]
        parts.append(f'<path class="grid" d="M{LEFT} {y:.1f}h{WIDTH}"/>'
                     f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>')
        value *= 10
    for ranks, word in ((1000, "1k"), (10_000, "10k"), (100_000, "100k"), (1_000_000, "1M")):
        x = place(ranks, 1)[0]
        parts.append(f'<path class="grid" d="M{x:.1f} {TOP}v{HEIGHT}"/>'
                     f'<text x="{x:.1f}" y="{TOP + HEIGHT + 18}" text-anchor="middle">{word}</text>')
    parts.append(f'<text x="{LEFT + WIDTH / 2}" y="{TOP + HEIGHT + 38}" text-anchor="middle">ranks, on 64 '
                 'daemons of one machine</text>'
                 f'<text transform="translate(16 {TOP + HEIGHT / 2}) rotate(-90)" text-anchor="middle">'
                 'milliseconds, median</text>')
    return parts


def draw_curves(figures):
    parts = []
    for row, kind in enumerate(KINDS):
        points = [place(case["ranks"], case[kind]) for case in figures]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline class="{kind}" points="{line}"/>')
        for case, (x, y) in zip(figures, points):
            parts.append(f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="3.5">'
                         f'<title>{case["ranks"]} ranks: {case[kind]:.1f} ms</title></circle>')
        y = TOP + 16 + 18 * row
        parts.append(f'<path class="{kind}" d="M{LEFT + 14} {y - 4}h24"/>'
                     f'<text x="{LEFT + 46}" y="{y}">{WORDS[kind]}: {figures[-1][kind]:.1f} ms at '
                     f'{figures[-1]["ranks"] / 1e6:.1f}M</text>')
    return parts


def make_style():
    light = "".join(f".{kind}{{stroke:{COLOURS[kind][0]}}}circle.{kind}{{fill:{COLOURS[kind][0]}}}"
                    for kind in KINDS)
    dark = "".join(f".{kind}{{stroke:{COLOURS[kind][1]}}}circle.{kind}{{fill:{COLOURS[kind][1]}}}"
                   for kind in KINDS)
    return ("text{font:13px sans-serif;fill:#222}.grid{stroke:#ccc;fill:none}.back{fill:#fff}"
            "polyline,path{fill:none;stroke-width:2}.grid{stroke-width:1}" + light +
            "@media(prefers-color-scheme:dark){text{fill:#ddd}.grid{stroke:#444}.back{fill:#0d1117}" + dark + "}")


def draw(figures, path):
    width, height = LEFT + WIDTH + 24, TOP + HEIGHT + 50
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
             f'height="{height}" role="img">',
             "<title>Time of a state query, merged stacks and a step over the number of ranks</title>",
             f"<style>{make_style()}</style>", f'<rect class="back" width="{width}" height="{height}"/>']
    parts += draw_axes() + draw_curves(figures) + ["</svg>", ""]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(parts))


growth = [run(*case) for case in GROWTH]
for large in LARGE:
    run(*large)
run(64, 4000, "differing")
if len(sys.argv) > 1 and all(growth):
    draw(growth, sys.argv[1])
