#!/usr/bin/env python3
"""Natural partitioning: steps of conjugate gradients, cost on one thread and on two.   study.py [--check]"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import papers  # noqa: E402

# Steps of the sheet's prototype (other data): without a preconditioner, branches apart, lagged by 0.01 s.
SHEET = {
    "chain 8": (20, None, None), "chain 16": (48, None, None), "chain 32": (86, None, None), "chain 64": (151, None, None),
    "chain 128": (279, None, None), "tree 17": (46, 5, 8), "tree 33": (83, 5, 9), "tree 65": (142, 5, 12),
    "tree 129": (240, 5, 18),
}


def measure(_work):
    return papers.numbers("paper_natural")


def render(rows):
    t = papers.tabulate(rows)
    steps = []
    for name, r in t["steps"].items():
        sheet = ["–" if x is None else x for x in SHEET[name]]
        steps.append([name] + [cell for k, how in enumerate(("none", "branches", "lagged")) for cell in (sheet[k], r[how])])
    cost = []
    for name, r in t["threads"].items():
        one, two = float(r["recursion solve 1"]), float(r["recursion solve 2"])
        cg_one, cg_two = float(r["conjugate-gradients solve 1"]), float(r["conjugate-gradients solve 2"])
        cost.append([name, r["bodies"], f"{float(r['recursion evaluate 1']):.4g}", f"{one:.4g}", f"{one / two:.2f}",
                     f"{cg_one:.4g}", f"{cg_one / cg_two:.2f}", f"{float(r['absolute 1']):.4g}",
                     f"{float(r['absolute 1']) / float(r['absolute 2']):.2f}"])
    return {
        "steps": papers.table(["system", "none: sheet", "ours", "branches: sheet", "ours", "lagged: sheet", "ours"], steps),
        "threads": papers.table(["model", "bodies", "evaluation, µs", "recursion, µs", "speed-up on 2", "gradients, µs",
                                 "speed-up on 2", "absolute sparse, µs", "speed-up on 2"], cost),
    }


papers.main(__file__, measure, render)
