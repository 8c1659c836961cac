#!/usr/bin/env python3
"""The examples of the orthogonal complement by local constraint frames.   study.py [--check]"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import papers  # noqa: E402


def measure(_work):
    return papers.numbers("paper_blajer")


def fixed(text, digits=9):
    return f"{float(text):.{digits}f}"


def greek(text):
    for k in "123":
        text = text.replace(f"theta{k}", "θ" + "₀₁₂₃"[int(k)])
    return text


def render(rows):
    t = papers.tabulate(rows)
    forms = [[f"({name[:3]}){name[3:]}", papers.number(r["off"]), papers.number(r["rows"]), r["poses"]]
             for name, r in t["closed forms"].items()]
    bar = []
    for name, r in t["four-bar"].items():
        cut, y = name.split()
        bar.append([cut, greek(y)] + [fixed(r[f"D{j}"], 6) for j in (1, 2, 3)] + [fixed(r["condition"], 3)]
                   + [fixed(r[f"a{j}"]) for j in (1, 2, 3)] + [fixed(r[f"force{j}"]) for j in (1, 2)]
                   + [papers.number(r["off gigsp"])])
    line = [[name] + [fixed(r[f"a{j}"]) for j in (1, 2, 3)] + [fixed(r["lambda0"]), fixed(r["force"]), r["upright"]]
            for name, r in t["line"].items()]
    runs = []
    for name, r in t["run"].items():
        y, how = name.split()
        end = f"stopped at {float(r['reached']):.4g} s ({r['stopped']})" if r["stopped"] else f"{float(r['reached']):.4g} s"
        runs.append([greek(y), how, end, papers.number(r["condition"]), r["changes"], papers.number(r["violation"]),
                     papers.number(r["energy"])] + [papers.number(r[f"off {k}"]) if f"off {k}" in r else "" for k in (1, 2, 5, 10)])
    return {
        "closed forms": papers.table(["form", "largest difference from N, relative", "largest entry of A D", "poses"], forms),
        "four-bar": papers.table(["cut", "y", "D₁", "D₂", "D₃", "cond J₂", "θ̈₁", "θ̈₂", "θ̈₃", "force x", "force y",
                                  "off GIGSP"], bar),
        "line": papers.table(["case", "θ̈₁", "θ̈₂", "θ̈₃", "λ₀", "size of the force", "line upright"], line),
        "run": papers.table(["y", "stabilisation", "reached", "worst cond J₂", "changes of y", "largest drift", "energy",
                             "state off at 1 s", "2 s", "5 s", "10 s"], runs),
    }


papers.main(__file__, measure, render)
