#!/usr/bin/env python3
"""Table 1 of the McPherson struts: five formulations, three stabilisations, four tolerances, two variants, 10 s.

study.py [--check]"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import papers  # noqa: E402

FIVE = ["direct", "udwadia-kalaba", "least-squares-1", "least-squares-2", "udwadia-phohomsiri"]
TOLERANCES = ["1e-10", "1e-8", "1e-6", "1e-3"]
STABILIZE = ["none", "baumgarte", "partition"]
VARIANTS = {"simplified": "examples/mcpherson.yaml", "overconstrained": "examples/mcpherson-overconstrained.yaml"}

# Seconds as printed, in the order of FIVE.
REPORTED = {
    ("simplified", "none"): [[3.10, 3.55, 3.58, 3.78, 3.95], [1.33, 1.45, 1.41, 1.50, 1.59],
                             [0.59, 0.60, 0.61, 0.63, 0.67], [0.29, 0.27, 0.27, 0.27, 0.29]],
    ("simplified", "baumgarte"): [[10.39, 12.13, 12.19, 12.56, 13.46], [4.35, 5.00, 5.01, 5.17, 5.52],
                                  [1.96, 2.22, 2.22, 2.28, 2.46], [0.88, 0.94, 0.94, 0.97, 1.04]],
    ("simplified", "partition"): [[6.05, 6.18, 6.22, 6.38, 6.59], [2.45, 2.52, 2.51, 2.59, 2.65],
                                  [1.07, 1.05, 1.05, 1.07, 1.12], [0.48, 0.45, 0.47, 0.46, 0.47]],
    ("overconstrained", "none"): [[4.70, 3.62, 3.63, 3.77, 4.02], [1.92, 1.46, 1.48, 1.52, 1.64],
                                  [0.84, 0.61, 0.63, 0.64, 0.67], [0.40, 0.27, 0.27, 0.28, 0.30]],
    ("overconstrained", "baumgarte"): [[15.69, 12.27, 12.37, 12.80, 13.54], [6.51, 5.09, 5.14, 5.31, 5.67],
                                       [2.90, 2.55, 2.29, 2.32, 2.49], [1.27, 1.00, 0.95, 0.98, 1.33]],
    ("overconstrained", "partition"): [[7.49, 6.45, 6.47, 6.56, 6.86], [3.11, 2.66, 2.64, 2.69, 2.87],
                                       [1.35, 1.10, 1.10, 1.13, 1.17], [0.60, 0.46, 0.47, 0.48, 0.49]],
}


def measure(work):
    rows = []
    for variant, model in VARIANTS.items():
        for kick in ("0", "1"):
            rows += papers.compare(
                model, work, "--formulations", ",".join(FIVE), "--pseudoinverses", "svd", "--stabilize",
                ",".join(STABILIZE), "--integrators", "rk45", "--tolerances", ",".join(TOLERANCES),
                "--set", f"kick={kick}", "--set", "analysis.until=10", "--set", "output.every=0.1", "--limit", "120",
                keep={"variant": variant, "kick": kick})
    return rows


def one(rows, **what):
    found = [r for r in rows if all(r[k] == v for k, v in what.items() if k != "tolerance")
             and abs(float(r["tolerance"]) / float(what["tolerance"]) - 1) < 1e-6]
    return found[0]


def render(rows):
    tables = {}
    for variant in VARIANTS:
        lines = []
        for how in STABILIZE:
            for k, tolerance in enumerate(TOLERANCES):
                line = [how, tolerance]
                for name, seconds in zip(FIVE, REPORTED[variant, how][k]):
                    r = one(rows, variant=variant, kick="0", formulation=name, stabilize=how, tolerance=tolerance)
                    line.append(f"{seconds:.2f} / {1e3 * float(r['cpu_seconds']):.1f}")
                lines.append(line)
        tables[f"times {variant}"] = papers.table(["stabilise", "TOL"] + [f"{n}, s reported / ms ours" for n in FIVE], lines)
    lines = []
    for kick, case in (("0", "R"), ("1", "K")):
        for tolerance in reversed(TOLERANCES):
            line = [case, tolerance]
            for how in STABILIZE:
                r = one(rows, variant="simplified", kick=kick, formulation="udwadia-kalaba", stabilize=how, tolerance=tolerance)
                o = one(rows, variant="overconstrained", kick=kick, formulation="udwadia-kalaba", stabilize=how, tolerance=tolerance)
                line += [f"{r['evaluations']} / {o['evaluations']}", papers.number(r["error"]),
                         papers.number(float(r["sum_phi2"]) ** 0.5)]
            lines.append(line)
    head = ["case", "TOL"] + [f"{how}: {what}" for how in STABILIZE for what in ("calls (simplified / overconstrained)", "error", "‖φ‖ at the end")]
    tables["calls"] = papers.table(head, lines)
    lines = []
    for kick, case in (("0", "R"), ("1", "K")):
        for name in FIVE:
            line = [case, name]
            for variant in VARIANTS:
                r = one(rows, variant=variant, kick=kick, formulation=name, stabilize="partition", tolerance="1e-10")
                line += [papers.number(r["error"]), f"{float(r['flops_per_solve']) / 1e3:.0f}"]
            lines.append(line)
    tables["formulations"] = papers.table(["case", "formulation"] + [f"{v}: {w}" for v in VARIANTS for w in ("error", "kflop a solve")], lines)
    return tables


papers.main(__file__, measure, render)
