#!/usr/bin/env python3
"""The constant speed driver (E4): end of slip, disturbances, damping, reused inverses.   study.py [--check]"""

import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import events  # noqa: E402
import papers  # noqa: E402

MODEL = "examples/speed-driver.yaml"
COLUMNS = ["motor", "machine", "wheel", "sleeve", "contact.reaction"]
SPEEDS = ["motor.wz", "machine.wz", "wheel.wz", "sleeve.vz"]
# What an independent prototype with five coordinates computed, digits as printed.
PROTOTYPE = {
    "slip ends [s]": "0.62793", "x": "0.1808884", "φ̇₁": "2.561973", "φ̇₃": "4.634312",
    "φ̈₁ before": "1.924726", "φ̈₁ after": "3.634294", "φ̈₃ before": "6.115115", "φ̈₃ after": "5.724838",
    "least force [N]": "13.67", "largest force [N]": "16.67",
    "φ₁ at 1.6 s": "5.099598", "φ₂": "8.157963", "x at 1.6 s": "0.1536541", "φ̇₁ at 1.6 s": "5.498989",
    "φ̇₂ at 1.6 s": "8.449424", "ẋ at 1.6 s": "-0.0191958",
}
CASES = [("as above", [], "0.62793"), ("without damping, C = 0", ["C=0"], "0.63824"),
         ("disturbance 10 M₀, latched", ["Md=40", "events.grip.latch=true"], "0.09167"),
         ("without disturbance", ["Md=0"], "")]
REUSE = [("none", "none", "baumgarte", ("1.3e-2", "0.12")), ("Baumgarte 10", "baumgarte", "baumgarte", ("2.2e-3", "0.021")),
         ("projection M", "none", "projection", ("1.7e-3", "0.015"))]


def turns(frames, name):
    """The angle about z of a body, followed over full turns."""
    total, last = 0.0, None
    for f in frames:
        angle = 2 * math.atan2(float(f[f"{name}.qz"]), float(f[f"{name}.qw"]))
        if last is not None:
            total += math.remainder(angle - last, 2 * math.pi)
        last = angle
    return total


# λ of the row x φ̇₁ − a φ̇₃ = 0: the torque on the wheel is a λ.
def force(frame):
    return float(frame["contact.reaction.tz"]) / 0.1


def measure(work):
    rows = []

    def add(table, row, **values):
        rows.extend({"table": table, "row": row, "column": k, "value": repr(v) if isinstance(v, float) else str(v)}
                    for k, v in values.items())

    for name, settings, _ in CASES:
        run = events.Run(MODEL, work, *settings, columns=COLUMNS)
        first = int(run.ledger[0]["frame"])
        forces = [force(f) for f in run.frames[first:]]
        slip = max(abs(float(f["sleeve.z"]) * float(f["motor.wz"]) - 0.1 * float(f["wheel.wz"])) for f in run.frames[first:])
        swing = [float(f["sleeve.z"]) for f in run.frames if float(f["t"]) >= 1.2]
        add("cases", name, time=float(run.ledger[0]["t"]), events=len(run.ledger), least=min(forces), largest=max(forces),
            slip=slip, swing=max(swing) - min(swing))
        if settings:
            continue
        before, after, last = run.before(0), run.after(0), run.frames[-1]
        ours = {
            "slip ends [s]": float(run.ledger[0]["t"]), "x": float(after["sleeve.z"]), "φ̇₁": float(after["motor.wz"]),
            "φ̇₃": float(after["wheel.wz"]), "φ̈₁ before": float(before["motor.alphaz"]),
            "φ̈₁ after": float(after["motor.alphaz"]), "φ̈₃ before": float(before["wheel.alphaz"]),
            "φ̈₃ after": float(after["wheel.alphaz"]), "least force [N]": min(forces), "largest force [N]": max(forces),
            "φ₁ at 1.6 s": turns(run.frames, "motor"), "φ₂": turns(run.frames, "machine"),
            "x at 1.6 s": float(last["sleeve.z"]), "φ̇₁ at 1.6 s": float(last["motor.wz"]),
            "φ̇₂ at 1.6 s": float(last["machine.wz"]), "ẋ at 1.6 s": float(last["sleeve.vz"]),
        }
        for row, value in ours.items():
            add("driver", row, ours=value)

    for h in ("1e-3", "1e-2"):
        how = ["analysis.integrator=rk4", f"analysis.step={h}", "output.every=0.05"]
        exact = events.Run(MODEL, work, *how, "analysis.stabilize=none", "analysis.formulation=udwadia-kalaba", columns=COLUMNS)
        for name, stabilize, compensate, _ in REUSE:
            reused = events.Run(MODEL, work, *how, f"analysis.stabilize={stabilize}",
                                f"analysis.formulation={{type: udwadia-kalaba, reuse: 5, compensate: {compensate}}}",
                                columns=COLUMNS, may_fail=True)
            add("reuse", f"{h} {name}", deviation=events.deviation(reused, exact, SPEEDS),
                reached=float(reused.frames[-1]["t"]), failed=int(reused.failed))
    return rows


def render(rows):
    t = papers.tabulate(rows)
    driver = []
    for name, reported in PROTOTYPE.items():
        ours = float(t["driver"][name]["ours"])
        driver.append([name, reported, f"{ours:.9f}", papers.number(abs(ours - float(reported)))])
    cases = []
    for name, _, reported in CASES:
        r = t["cases"][name]
        cases.append([name, reported, f"{float(r['time']):.6f}", r["events"],
                      f"{float(r['least']):.2f} … {float(r['largest']):.2f}", papers.number(r["slip"]), papers.number(r["swing"])])
    reuse = []
    for name, _, _, reported in REUSE:
        line = [name]
        for k, h in enumerate(("1e-3", "1e-2")):
            r = t["reuse"][f"{h} {name}"]
            ours = papers.number(r["deviation"])
            line += [reported[k], f"lost at {float(r['reached']):.2f} s" if r["failed"] == "1" else ours]
        reuse.append(line)
    return {
        "driver": papers.table(["", "prototype", "ours", "difference"], driver),
        "cases": papers.table(["case", "slip ends, prototype [s]", "ours [s]", "events", "force after it [N]",
                               "largest slip after it [m/s]", "swing of x after 1.2 s [m]"], cases),
        "reuse": papers.table(["compensation", "h = 1e-3, prototype", "ours", "h = 1e-2, prototype", "ours"], reuse),
    }


papers.main(__file__, measure, render)
