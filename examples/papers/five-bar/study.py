#!/usr/bin/env python3
"""Tables 2-7 of the five-bar parallelogram: five pseudoinverses inside Udwadia-Kalaba, 20 s.   study.py [--check]"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import papers  # noqa: E402

FIVE = ["svd", "varga", "greville", "ls-householder", "ls-mgs"]
ALL = FIVE + ["gram-schmidt", "cod"]
TOLERANCES = ["1e-10", "1e-8", "1e-6"]

# As printed: result, Σψ² at the end, function calls. Cells that repeat another table's by mistake are left out.
REPORTED = {
    ("none", "1e-10"): [("fails at 9.1 s", "3.7e-7", ""), ("fails at 8.0 s", "9.9e-2", ""),
                        ("to 17.5 s", "4.5e-5", "2,961,955"), ("to 16.5 s", "2.3e-4", "6,131,159"),
                        ("to 17.0 s", "1.1e-4", "3,749,766")],
    ("none", "1e-8"): [("fails at 12.07 s", "3.4e-6", ""), ("fails at 8.06 s", "9.9e-2", ""),
                       ("to 17.5 s", "1.86e-4", "1,648,055"), ("to 18.0 s", "7.9e-4", "1,641,751"),
                       ("to 18.0 s", "5.2e-4", "1,644,341")],
    ("none", "1e-6"): [("to 17.5 s", "4.1e-4", "1,033,381"), ("fails at 7.3 s", "9.9e-2", ""),
                       ("to 19.0 s", "9.7e-4", ""), ("correct", "7.9e-4", ""), ("correct", "6.9e-4", "1,013,795")],
    ("baumgarte", "1e-10"): [("fails at 1.17 s", "", ""), ("correct", "4.5e-5", "78,491,398"),
                             ("correct", "2.1e-7", "74,043,990"), ("correct", "3.3e-7", "73,707,588"),
                             ("correct", "4.1e-7", "73,910,268")],
    ("baumgarte", "1e-8"): [("fails at 0.17 s", "", ""), ("fails at 14.97 s", "", ""),
                            ("correct", "4.90e-7", "80,109,155"), ("correct", "3.5e-7", "80,197,458"),
                            ("correct", "4.9e-7", "80,112,706")],
    ("baumgarte", "1e-6"): [("fails at 0.46 s", "", ""), ("fails at 9.7 s", "", ""),
                            ("correct", "1.9e-6", "80,483,163"), ("correct", "1.14e-6", "80,689,071"),
                            ("correct", "1.06e-6", "80,636,983")],
}
TITLE = {("none", "1e-10"): "2", ("none", "1e-8"): "3", ("none", "1e-6"): "4",
         ("baumgarte", "1e-10"): "5", ("baumgarte", "1e-8"): "6", ("baumgarte", "1e-6"): "7"}


def measure(work):
    common = ["--formulations", "udwadia-kalaba", "--pseudoinverses", ",".join(ALL),
              "--tolerances", ",".join(TOLERANCES), "--integrators", "adams", "--limit", "120",
              "--set", "analysis.until=20", "--set", "output.every=0.1"]
    stiff = ["--set", "analysis.stabilize={type: baumgarte, alpha: 1000, beta: 100}"]
    soft = ["--set", "analysis.stabilize={type: baumgarte, alpha: 10, beta: 10}"]
    paper = ["--set", "analysis.rank_rule=tolerance"]
    rows = []
    for case, model in (("S", "examples/five-bar.yaml"), ("X", "examples/five-bar-crossing.yaml")):
        rows += papers.compare(model, work, *common, *paper, "--stabilize", "none", keep={"case": case, "gains": "-", "rule": "tolerance"})
        rows += papers.compare(model, work, *common, *soft, keep={"case": case, "gains": "10/10", "rule": "ours"})
        for rank in ("1e-4", "1e-8", "1e-12"):
            rows += papers.compare(model, work, *common, "--stabilize", "projection", "--rank-tolerances", rank,
                                   keep={"case": case, "gains": "-", "rule": "ours"})
        if case == "S":
            rows += papers.compare(model, work, *common, *stiff, keep={"case": case, "gains": "1000/100", "rule": "ours"})
    return rows


def same(row, **what):
    return all(abs(float(row[k]) - float(v)) <= 1e-9 * float(v) if k in ("tolerance", "rank_tolerance") else row[k] == v
               for k, v in what.items())


def result(row):
    if row["correct"] == "1":
        return "correct"
    note = f" ({row['reason'].split(':')[0]})" if row["reason"] else ""
    return f"to {float(row['correct_until']):.4g} s{note}"


def render(rows):
    tables = {}
    for (how, tolerance), printed in REPORTED.items():
        lines = []
        for name, (said, phi2, calls) in zip(FIVE, printed):
            ours = [r for r in rows if same(r, case="S", stabilize=how, tolerance=tolerance, pseudoinverse=name)
                    and r["gains"] in ("-", "1000/100")]
            r = ours[0]
            lines.append([name, said, result(r), phi2, papers.number(r["sum_phi2"]), calls,
                          papers.count(r["evaluations"]), papers.count(r["steps"]), f"{1e3 * float(r['cpu_seconds']):.0f}"])
        tables[f"table {TITLE[how, tolerance]}"] = papers.table(
            ["pseudoinverse", "result, reported", "ours", "Σψ² reported", "ours", "calls reported", "ours", "steps", "ms"], lines)
    for case in "SX":
        lines = []
        for name in ALL:
            line = [name]
            for rank in ("1e-4", "1e-8", "1e-12"):
                for tolerance in TOLERANCES:
                    r = [r for r in rows if same(r, case=case, stabilize="projection", tolerance=tolerance,
                                                 pseudoinverse=name) and same(r, rank_tolerance=rank)][0]
                    line.append(f"{papers.number(r['error'])}" if r["correct"] == "1" else result(r))
            lines.append(line)
        head = ["pseudoinverse"] + [f"rank {rank}, TOL {tol}" for rank in ("1e-4", "1e-8", "1e-12") for tol in TOLERANCES]
        tables[f"projection {case}"] = papers.table(head, lines)
        lines = []
        for name in ALL:
            line = [name]
            for tolerance in TOLERANCES:
                r = [r for r in rows if same(r, case=case, stabilize="baumgarte", gains="10/10", tolerance=tolerance,
                                             pseudoinverse=name)][0]
                line += [result(r), papers.number(r["error"]), papers.number(r["sum_phi2"]), papers.count(r["evaluations"])]
            lines.append(line)
        head = ["pseudoinverse"] + [f"{what}, TOL {tol}" for tol in TOLERANCES for what in ("result", "error", "Σψ²", "calls")]
        tables[f"baumgarte {case}"] = papers.table(head, lines)
    lines = []
    for tolerance in reversed(TOLERANCES):
        r = [r for r in rows if same(r, case="S", stabilize="projection", tolerance=tolerance, pseudoinverse="svd",
                                     rank_tolerance="1e-8")][0]
        lines.append([tolerance, papers.count(r["evaluations"]), papers.count(r["steps"]), papers.number(r["error"])])
    tables["calls"] = papers.table(["TOL", "function calls", "steps", "largest pose error"], lines)
    return tables


papers.main(__file__, measure, render)
