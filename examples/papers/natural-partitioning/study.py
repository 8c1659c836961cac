#!/usr/bin/env python3
"""Natural partitioning: steps of conjugate gradients, runs beside references, cost of a step.   study.py [--check]"""

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
WORKERS = ("1", "2", "4", "8")


def measure(_work):
    return papers.numbers("paper_natural") + papers.numbers("paper_natural_runs") + papers.numbers("paper_natural_steps")


def steps_of_gradients(t):
    rows = []
    for name, r in t["steps"].items():
        sheet = ["–" if x is None else x for x in SHEET[name]]
        rows.append([name] + [cell for k, how in enumerate(("none", "branches", "lagged")) for cell in (sheet[k], r[how])])
    return papers.table(["system", "none: sheet", "ours", "branches: sheet", "ours", "lagged: sheet", "ours"], rows)


def pendulum(t):
    rows = []
    for h, r in t["pendulum"].items():
        rows.append([h] + [papers.number(r[c]) for c in ("sheet", "error 0", "error 10", "rows 10", "sheet energy", "energy 0",
                                                         "energy 10")])
    return papers.table(["h", "position error: sheet", "ours, two chains", "merged every 10 steps", "largest violation of rows",
                         "change of energy: sheet", "two chains", "merged"], rows)


def vehicle(t):
    methods = ("sheet", "natural", "sparse", "N.P.S.", "P.C.S.T.")
    rows = []
    for name, r in t["vehicle"].items():
        digits = "{:.0f}" if name.startswith("largest") else "{:.5f}"
        rows.append([name] + [digits.format(float(r[m])) for m in methods])
    return papers.table(["m, N", "sheet", "natural, adams", "sparse Lagrange, adams", "N.P.S., two stages",
                         "P.C.S.T., two stages"], rows)


def manipulator(t):
    rows = [[joint, papers.number(r["sheet"], 4), f"{float(r['sheet at']):.1f}", papers.number(r["ours"], 4),
             f"{float(r['ours at']):.1f}"] for joint, r in t["manipulator"].items()]
    return papers.table(["joint", "largest rate: inverse kinematics, rad/s", "at, s", "ours", "at, s"], rows)


def seven(t):
    def cell(text, digits):
        return text if text == "–" else f"{float(text):.{digits}f}"

    rows = [[method, cell(r["first"], 6), cell(r["last"], 6), cell(r["angle"], 6), cell(r["torque"], 4), r["end"]]
            for method, r in t["seven"].items()]
    return papers.table(["method", "first lock, s", "sixth lock, s", "link0.angle at 3 s", "largest torque of the last lock, N m",
                         "reached"], rows)


def cost(t):
    rows = []
    for name, r in t["cost"].items():
        model, method = name.split(": ")
        wall = [float(r[f"wall {w}"]) for w in WORKERS]
        allowed = " / ".join(f"{float(r[f'allowed {w}']):.1f}" for w in WORKERS[1:]) if "allowed 2" in r else "–"
        rows.append([model, method, f"{float(r['processor 1']):.4g}", f"{wall[0]:.4g}"]
                    + [f"{wall[0] / x:.2f}" for x in wall[1:]] + [allowed])
    return papers.table(["model", "method", "processor, µs", "wall, µs", "speed-up on 2", "on 4", "on 8",
                         "the partition allows on 2 / 4 / 8"], rows)


def suspensions(t):
    one = float(t["suspensions"]["1"]["product"])
    rows = [[w, papers.number(r["product"]), f"{one / float(r['product']):.2f}", f"{float(r['allowed']):.2f}"]
            for w, r in t["suspensions"].items()]
    return papers.table(["workers", "µs", "speed-up", "the partition allows"], rows)


def threads(t):
    rows = []
    for name, r in t["threads"].items():
        one, two = float(r["recursion solve 1"]), float(r["recursion solve 2"])
        cg_one, cg_two = float(r["conjugate-gradients solve 1"]), float(r["conjugate-gradients solve 2"])
        rows.append([name, r["bodies"], f"{float(r['recursion evaluate 1']):.4g}", f"{one:.4g}", f"{one / two:.2f}",
                     f"{cg_one:.4g}", f"{cg_one / cg_two:.2f}", f"{float(r['absolute 1']):.4g}",
                     f"{float(r['absolute 1']) / float(r['absolute 2']):.2f}"])
    return papers.table(["model", "bodies", "evaluation, µs", "recursion, µs", "speed-up on 2", "gradients, µs",
                         "speed-up on 2", "absolute sparse, µs", "speed-up on 2"], rows)


def render(rows):
    t = papers.tabulate(rows)
    return {"steps": steps_of_gradients(t), "pendulum": pendulum(t), "vehicle": vehicle(t), "manipulator": manipulator(t),
            "seven": seven(t), "threads": threads(t), "cost": cost(t), "suspensions": suspensions(t)}


papers.main(__file__, measure, render)
