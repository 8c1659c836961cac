#!/usr/bin/env python3
"""Staggered stabilisation against Baumgarte's technique.   study.py [--check]"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import papers  # noqa: E402


def measure(_work):
    return papers.numbers("paper_stabilization")


def value(text, digits=2):
    """A number, or the code of what ended the run."""
    return text if text.startswith("S") else papers.number(text, digits)


def plain(text, digits=2):
    return f"{float(text):.{digits}f}" if not text.startswith("S") else text


def end(row):
    return f"stopped at {float(row['reached']):.4g} s ({row['end']})" if row["end"] else f"{float(row['reached']):.4g} s"


def render(rows):
    t = papers.tabulate(rows)
    steps = ["h = 0.02", "h = 0.01", "h = 0.005"]
    both = lambda r, h: r[h] if r[h].startswith("S") else f"{value(r[h])} / {value(r[h + ' rms'])}"  # noqa: E731
    pendulum = [[name] + [both(r, h) for h in steps] for name, r in t["pendulum"].items()]
    methods = list(next(iter(t["correctors"].values())))
    correctors = [[name] + [plain(r[m]) for m in methods] for name, r in t["correctors"].items()]
    crank = [[name, value(r["one turn"]), value(r["8.2 s"])] for name, r in t["crank"].items()]
    links = [[name, plain(r["locks"]), plain(r["mean"], 1), r["most"], papers.number(r["left"]),
              papers.number(r["tip"]) if not r["end"] else "", papers.number(r["lambda"]),
              papers.number(r["condition"]), end(r)] for name, r in t["links"].items()]
    pinned = [[name, plain(r["mean"], 1), r["most"], papers.number(r["lambda"]), end(r)]
              for name, r in t["pinned"].items()]
    rank = [[name, end(r), papers.number(r["left"]) if not r["end"] else "",
             f"{float(r['x2']):.4f}" if "x2" in r and not r["end"] else "",
             papers.number(r["lambda"]) if "lambda" in r and not r["end"] else ""] for name, r in t["rank"].items()]
    blade = [[name] + [f"{value(r[h])}; {value(r[h + ' left'])}" for h in ("h = 0.1", "h = 0.05", "h = 0.025")]
             for name, r in t["blade"].items()]
    modes = [[name, r["roots"], f"{float(r['radius']):.4f}"] for name, r in t["modes"].items()]
    return {
        "pendulum": papers.table(["scheme, gain α = β = γ"] + steps, pendulum),
        "correctors": papers.table(["tolerance, step"] + methods, correctors),
        "crank": papers.table(["scheme", "one turn, 0.82 s", "8.2 s"], crank),
        "links": papers.table(["scheme, step, tolerance", "second lock, s", "mean after it", "most", "largest φ",
                               "tip off at 2 s", "largest λ",
                               "worst condition", "reached"], links),
        "pinned": papers.table(["scheme, tolerance", "mean", "most", "largest λ after the second lock", "reached"], pinned),
        "rank": papers.table(["case", "reached", "largest φ", "x₂ at 1 s", "largest λ"], rank),
        "blade": papers.table(["scheme", "h = 0.1", "h = 0.05", "h = 0.025"], blade),
        "modes": papers.table(["formula, rows, scheme", "roots z", "largest modulus"], modes),
    }


papers.main(__file__, measure, render)
