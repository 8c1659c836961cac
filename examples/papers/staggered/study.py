#!/usr/bin/env python3
"""The staggered explicit-implicit procedure: accuracy, rolling ball, energy over 1e5 steps.   study.py [--check]"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import papers  # noqa: E402


def measure(_work):
    return papers.numbers("paper_staggered")


def value(text):
    return "lost" if text == "inf" else papers.number(text)


def render(rows):
    t = papers.tabulate(rows)

    def split(name):
        form, h = name.split(" h = ")
        return [form, h]

    pendulum = [split(n) + [value(r[k]) for k in ("reported", "error", "gap", "energy")] for n, r in t["pendulum"].items()]
    ball = [split(n) + [value(r[k]) for k in ("x", "energy", "track")] for n, r in t["ball"].items()]
    energy = [[n, value(r["slope"]) if r["slope"] == "inf" else f"{float(r['slope']):+.1e} ± {float(r['within']):.1e}",
               value(r["largest"])] for n, r in t["energy"].items()]
    cells = lambda name, *columns: [[value(r[c]) for c in columns] for r in t[name].values()]  # noqa: E731
    steps = lambda name: [n.split("h = ")[1] for n in t[name]]  # noqa: E731
    headed = lambda name, *columns: [[h] + c for h, c in zip(steps(name), cells(name, *columns))]  # noqa: E731
    named = lambda name, *columns: [split(n) + c for n, c in zip(t[name], cells(name, *columns))]  # noqa: E731
    return {
        "offset": papers.table(["h", "place off by, 10 s", "prototype: energy, relative, 40 s", "energy, relative, 40 s"],
                               headed("offset", "place", "reported", "energy")),
        "conventional": papers.table(["run", "h", "prototype: energy left after 20 s", "energy left after 20 s"],
                                     named("conventional", "reported", "kept")),
        "bars": papers.table(["scheme", "h", "prototype: position error", "position error", "prototype: largest φ", "largest φ",
                              "prototype: change of energy", "change of energy"],
                             named("bars", "reported", "position", "reported phi", "phi", "reported energy", "energy")),
        "loop": papers.table(["h", "rates of the bars off by", "mirror images off by", "largest φ", "energy less work"],
                             headed("loop", "rates", "symmetry", "phi", "balance")),
        "locks": papers.table(["h", "tip off at 1.8 s", "largest φ, scaled", "largest λ once all is straight",
                               "solutions a step"], headed("locks", "tip", "gap", "lambda", "solutions")),
        "pendulum": papers.table(["multipliers", "h", "prototype: position error", "position error", "largest φ",
                                  "largest change of energy"], pendulum),
        "ball": papers.table(["multipliers", "h", "x at 10 s off by", "energy, relative, 500 s", "y − sin x, 500 s"], ball),
        "energy": papers.table(["run", "slope of the energy in W, 95 %", "largest change in J"], energy),
    }


papers.main(__file__, measure, render)
