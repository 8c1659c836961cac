#!/usr/bin/env python3
"""Kinematics of the four-bar and the parallel five-bar by the equations of dynamics.   study.py [--check]"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import papers  # noqa: E402

REPORTED = ["0", "26.0", "53.3"]  # as printed
STABILIZE = ["none", "none widened", "baumgarte", "projection"]


def measure(_work):
    return papers.numbers("paper_kinematics")


def fixed(text, digits):
    return f"{float(text):.{digits}f}".replace("-0." + "0" * digits, "0." + "0" * digits)


def render(rows):
    t = papers.tabulate(rows)
    data = [["reported", "", "", "", ""] + REPORTED]
    data += [[name] + [fixed(r[k], 6) for k in ("angle3", "angle4", "rate3", "rate4")]
             + [fixed(r[f"a{j}"], 6) for j in (2, 3, 4)] for name, r in t["four-bar data"].items()]
    all_of_them = [[name] + [fixed(r[f"a{j}"], 7) for j in (2, 3, 4)] + [fixed(r[f"printed{j}"], 3) for j in (2, 3, 4)]
                   + [papers.number(r["error"])] for name, r in t["four-bar"].items()]
    runs, lost = [], []
    for name, r in t["five-bar"].items():
        runs.append(name.split())
        lost.append(name.split())
        for how in STABILIZE:
            stopped = f" (stopped at {float(r[how + ' reached']):.4g} s, {r[how + ' stopped']})" if r[how + " stopped"] else ""
            runs[-1].append(papers.number(r[how]) + stopped)
        for how in STABILIZE[:2]:
            lost[-1] += [papers.number(r[how + " early"]), f"{float(r[how + ' lost']):.3f} s",
                         papers.number(r[how + " driver then"])]
    ranks = [[name.replace("pi", "π"), r["least"] if r["least"] == r["most"] else f"{r['least']} to {r['most']}", r["formulations"],
              r["independent"], r["redundant"], r["vanished"], r["conflicting"]] for name, r in t["ranks"].items()]
    conflict = [[row, r["from"], papers.number(r["coefficient"], 4), fixed(r["residual"], 12), r["verdict"]]
                for row, r in t["contradiction"].items()]
    return {
        "four-bar data": papers.table(["lengths", "θ₃ in degrees", "θ₄", "θ̇₃", "θ̇₄", "θ̈₂", "θ̈₃", "θ̈₄"], data),
        "four-bar": papers.table(["formulation", "θ̈₂", "θ̈₃", "θ̈₄", "printed lengths: θ̈₂", "θ̈₃", "θ̈₄", "largest error"],
                                 all_of_them),
        "five-bar": papers.table(["order of the rows", "rank tolerance", "none", "none, widened threshold", "Baumgarte",
                                  "projection"], runs),
        "lost": papers.table(["order of the rows", "rank tolerance"] + [
            how + what for how in ("", "widened: ") for what in ("error in 4 s", "above 1e-3 at", "θ₂ off by then")], lost),
        "ranks": papers.table(["θ", "rank", "formulations asked", "independent", "redundant", "vanished", "conflicting"], ranks),
        "contradiction": papers.table(["row", "follows from row", "coefficient", "ρ", "verdict"], conflict),
    }


papers.main(__file__, measure, render)
