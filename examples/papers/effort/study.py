#!/usr/bin/env python3
"""What formulations and pseudoinverses cost: operations counted, cost models, lines of code.   study.py [--check]"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import papers  # noqa: E402

CASES = ["50 full", "100 full", "50 diagonal", "100 diagonal"]
SHAPES = ["60x30 rank 30", "30x60 rank 30", "60x30 rank 20"]
# Students' opinion, as printed: linear algebra needed, algebra effort, coding effort.
REPORTED = {
    "coordinate-partition": ("CP", "average", "medium", "medium"),
    "singh-likins": ("SVD", "extra", "medium", "medium"),
    "kim-vanderploeg": ("QR", "extra", "medium", "medium"),
    "udwadia-kalaba": ("UK", "extra", "high", "low"),
}
GAUSS, INVERSES = "src/mortise/gauss", "src/mortise/linalg/pseudoinverses"
# Files of its own, and files that it shares with others of its kind.
FORMULATIONS = {
    "lagrange": (["lagrange"], ["whitened_rows"]),
    "udwadia-kalaba": (["udwadia_kalaba"], ["dense_factor", "whitened_rows", "reuse"]),
    "gigsp": (["gigsp"], ["dense_factor", "whitened_rows", "dependencies"]),
    "orthogonal-complement": (["orthogonal_complement", "local_rows"], ["dense_factor", "dependencies"]),
    "direct": (["direct"], ["dense_factor"]),
    "least-squares-1": (["least_squares_1"], ["dense_factor", "whitened_rows"]),
    "least-squares-2": (["least_squares_2"], ["dense_factor", "tangent_projector"]),
    "udwadia-phohomsiri": (["udwadia_phohomsiri"], ["dense_factor", "tangent_projector"]),
    "singh-likins": (["singh_likins"], ["dense_factor", "null_space_factor"]),
    "kim-vanderploeg": (["kim_vanderploeg"], ["dense_factor", "null_space_factor", "reuse"]),
    "coordinate-partition": (["coordinate_partition"], ["dense_factor", "null_space_factor"]),
    "gauss-gradient": (["gradient"], ["dense_factor", "penalty", "least_squares_cg", "row_axes"]),
    "gauss-genetic": (["genetic", "genetic_search", "genetic_settings", "population", "random_bits", "workers"],
                      ["search", "search_factor", "dense_factor", "penalty", "least_squares_cg", "row_axes"]),
}
PSEUDOINVERSES = {
    "svd": (["svd"], []),
    "cod": (["cod"], ["../householder_cod"]),
    "varga": (["varga"], ["reflections"]),
    "gram-schmidt": (["gram_schmidt"], ["../gram_schmidt", "reflections"]),
    "greville": (["greville"], []),
    "ls-householder": (["ls_householder"], ["augmented", "reflections"]),
    "ls-mgs": (["ls_mgs"], ["augmented"]),
}


def lines_of(folder, names):
    """Lines that are neither blank nor comment in the .h and .cpp of these names."""
    total = 0
    for name in names:
        files = [f for f in (papers.ROOT / folder / f"{name}{end}" for end in (".h", ".cpp")) if f.exists()]
        if not files:
            sys.exit(f"{folder}/{name}: no such file")
        for file in files:
            text = re.sub(r"/\*.*?\*/", "", file.read_text(encoding="utf-8"), flags=re.S)
            total += sum(1 for line in text.splitlines() if line.strip() and not line.strip().startswith("//"))
    return total


def measure(_work):
    rows = papers.numbers("paper_effort")
    for table, folder, items in (("formulation lines", GAUSS, FORMULATIONS), ("pseudoinverse lines", INVERSES, PSEUDOINVERSES)):
        for name, (own, shared) in items.items():
            rows.append({"table": table, "row": name, "column": "own", "value": lines_of(folder, own)})
            rows.append({"table": table, "row": name, "column": "shared", "value": lines_of(folder, shared)})
    return rows


def mega(text):
    return f"{float(text) / 1e6:.4g}"


def render(rows):
    t = papers.tabulate(rows)
    against, others = [], []
    for name, r in t["formulations"].items():
        if f"{CASES[0]} model" in r:
            against.append([name] + [cell for c in CASES for cell in (
                mega(r[f"{c} model"]), mega(r[c]), f"{float(r[c]) / float(r[f'{c} model']):.3f}")])
        else:
            others.append([name] + [mega(r[c]) for c in CASES])
    inverses = []
    for name, r in t["pseudoinverses"].items():
        inverses.append([name, papers.count(r["model"]) if "model" in r else ""] + [papers.count(r[s]) for s in SHAPES])
    lines = [[name, r["own"], r["shared"]] + list(REPORTED.get(name, ("", "", "", "")))
             for name, r in t["formulation lines"].items()]
    old = [[name] + [cell for m in ("50", "100") for cell in (mega(r[f"{m} fresh"]), mega(r[f"{m} old"]), mega(r[f"{m} model"]))]
           for name, r in t["old inverses"].items()]
    title = {c: f"m = {c.split()[0]}, M {c.split()[1]}" for c in CASES}
    return {
        "models": papers.table(["formulation"] + [cell for c in CASES for cell in (f"{title[c]}: model", "counted", "ratio")],
                               against),
        "others": papers.table(["formulation"] + [title[c] for c in CASES], others),
        "old inverses": papers.table(["formulation, compensation"] + [f"m = {m}: {what}" for m in (50, 100) for what in (
            "fresh", "old", "model of an old one")], old),
        "pseudoinverses": papers.table(["pseudoinverse", "leading terms"] + [s.replace("x", "×").replace(" rank", ", rank")
                                                                             for s in SHAPES], inverses),
        "formulation lines": papers.table(["formulation", "lines of its own", "lines it shares", "in the source",
                                           "linear algebra needed", "algebra effort", "coding effort"], lines),
        "pseudoinverse lines": papers.table(["pseudoinverse", "lines of its own", "lines it shares"],
                                            [[n, r["own"], r["shared"]] for n, r in t["pseudoinverse lines"].items()]),
    }


papers.main(__file__, measure, render)
