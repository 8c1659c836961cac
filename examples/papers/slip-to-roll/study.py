#!/usr/bin/env python3
"""A disc that slips until it rolls, with a slider-crank (E3): transition, detection band, reused inverses.

study.py [--check]"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import events  # noqa: E402
import papers  # noqa: E402

MODEL = "examples/slip-to-roll.yaml"
COLUMNS = ["crank", "rod", "disc", "rolling.reaction", "guide.reaction"]
SPEEDS = ["crank.wz", "rod.vx", "rod.vy", "rod.wz", "disc.vx", "disc.wz"]
# What an independent prototype with seven coordinates computed (θ₃, θ₄ clockwise), digits as printed.
PROTOTYPE = {
    "transition [s]": "0.10003717", "ẋ₄": "0.06618121", "θ̇₄": "0.66181209",
    "θ̈₂ before": "-4.88383942", "θ̈₂ after": "5.48343979", "ẍ₄ before": "0.71291720", "ẍ₄ after": "-0.73395349",
    "θ̈₄ before": "-58.86", "θ̈₄ after": "-7.33953487",
    "θ₂ at 0.2 s": "2.04930928", "x₃": "0.14161778", "y₃": "0.08876806", "θ₃": "0.36299135", "x₄": "0.37532750",
    "ẋ₄ at 0.2 s": "-0.00478585",
}
REUSE = [("none", "none", "baumgarte", "1.9e-3"), ("Baumgarte 10", "baumgarte", "baumgarte", "1.7e-3"),
         ("projection M", "none", "projection", "1.7e-3")]


def measure(work):
    rows = []

    def add(table, row, **values):
        rows.extend({"table": table, "row": row, "column": k, "value": repr(v) if isinstance(v, float) else str(v)}
                    for k, v in values.items())

    run = events.Run(MODEL, work, columns=COLUMNS)
    before, after, last = run.before(0), run.after(0), run.frames[-1]
    number = lambda frame, name, sign=1: sign * float(frame[name])  # noqa: E731
    ours = {
        "transition [s]": float(run.ledger[0]["t"]), "ẋ₄": number(after, "disc.vx"), "θ̇₄": number(after, "disc.wz", -1),
        "θ̈₂ before": number(before, "crank.alphaz"), "θ̈₂ after": number(after, "crank.alphaz"),
        "ẍ₄ before": number(before, "disc.ax"), "ẍ₄ after": number(after, "disc.ax"),
        "θ̈₄ before": number(before, "disc.alphaz", -1), "θ̈₄ after": number(after, "disc.alphaz", -1),
        "θ₂ at 0.2 s": number(last, "crank.angle"), "x₃": number(last, "rod.x"), "y₃": number(last, "rod.y"),
        "θ₃": number(last, "rod.angle", -1), "x₄": number(last, "disc.x"), "ẋ₄ at 0.2 s": number(last, "disc.vx"),
    }
    for name, value in ours.items():
        add("transition", name, ours=value)
    rolling = [abs(float(f["rolling.reaction.fx"])) for f in run.frames[int(run.ledger[0]["frame"]):]]
    add("force", "rolling", largest=max(rolling), limit=0.3 * 2 * 9.81)

    for band in ("1e-3", "1e-6", "0"):
        for stabilize in ("none", "projection"):
            loose = events.Run(MODEL, work, f"events.grip.band={band}", f"analysis.stabilize={stabilize}", columns=COLUMNS)
            end = loose.frames[-1]
            add("band", f"{band} {stabilize}", events=len(loose.ledger), time=float(loose.ledger[0]["t"]),
                slip=abs(float(end["disc.vx"]) + 0.1 * float(end["disc.wz"])))

    for h in ("1e-3", "5e-4"):
        # RK4 with a fresh inverse at every step: what the old inverses add is told from the error of the integrator.
        how = [f"analysis.integrator=rk4", f"analysis.step={h}", "output.every=0.01"]
        exact = events.Run(MODEL, work, *how, "analysis.stabilize=none", "analysis.formulation=udwadia-kalaba", columns=COLUMNS)
        for name, stabilize, compensate, _ in REUSE:
            reused = events.Run(MODEL, work, *how, f"analysis.stabilize={stabilize}",
                                f"analysis.formulation={{type: udwadia-kalaba, reuse: 5, compensate: {compensate}}}",
                                columns=COLUMNS)
            add("reuse", f"{h} {name}", deviation=events.deviation(reused, exact, SPEEDS))
    return rows


def render(rows):
    t = papers.tabulate(rows)
    transition = []
    for name, reported in PROTOTYPE.items():
        ours = float(t["transition"][name]["ours"])
        transition.append([name, reported, f"{ours:.10f}", papers.number(abs(ours - float(reported)))])
    band = []
    for name, r in t["band"].items():
        width, stabilize = name.split()
        band.append([width, stabilize, r["events"], f"{float(r['time']):.8f}", papers.number(r["slip"])])
    reuse = []
    for name, _, _, reported in REUSE:
        reuse.append([name, reported] + [papers.number(t["reuse"][f"{h} {name}"]["deviation"]) for h in ("1e-3", "5e-4")])
    force = t["force"]["rolling"]
    reuse_head = ["compensation", "prototype, h = 1e-3", "ours, h = 1e-3", "ours, h = 5e-4"]
    return {
        "transition": papers.table(["", "prototype", "ours", "difference"], transition),
        "force": papers.table(["largest rolling force [N]", "limit µ m₅ g [N]"],
                              [[f"{float(force['largest']):.4f}", f"{float(force['limit']):.4f}"]]),
        "band": papers.table(["band ε [m/s]", "stabilise", "events", "transition [s]", "slip at 0.2 s [m/s]"], band),
        "reuse": papers.table(reuse_head, reuse),
    }


papers.main(__file__, measure, render)
