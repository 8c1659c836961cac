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
    return {
        "pendulum": papers.table(["multipliers", "h", "prototype: position error", "position error", "largest φ",
                                  "largest change of energy"], pendulum),
        "ball": papers.table(["multipliers", "h", "x at 10 s off by", "energy, relative, 500 s", "y − sin x, 500 s"], ball),
        "energy": papers.table(["run", "slope of the energy in W, 95 %", "largest change in J"], energy),
    }


papers.main(__file__, measure, render)
