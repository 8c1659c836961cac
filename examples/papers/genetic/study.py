#!/usr/bin/env python3
"""Table 5.1, the double pendulum by genetic search on the Gauss function.   study.py [--check]"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import papers  # noqa: E402

# As printed: four accelerations and Z1.
REPORTED = {
    "0": ["0", "0", "0", "0", "1.9482e11"],
    "1": ["4.62724", "-9.89079", "17.8308", "-32.1452", "1.4475e5"],
    "2": ["-0.0374899", "-9.86974", "0.00884611", "-32.0766", "1.0732e3"],
    "3": ["-0.00367994", "-9.86965", "-0.0187661", "-32.0764", "1.0732e3"],
    "4": ["-7.0536e-5", "-9.86965", "1.88913e-4", "-32.0764", "1.0704e3"],
    "5": ["0", "-9.869651", "0", "-32.07636", "1.0700e3"],
}
SEARCHES = ["plain", "constant weight", "islands", "cellular"]


def measure(_work):
    return papers.numbers("paper_genetic")


def short(text, digits=6):
    return f"{float(text):.{digits}g}"


def render(rows):
    t = papers.tabulate(rows)
    runs = []
    for run, r in t["runs"].items():
        printed = REPORTED.get(run, [""] * 5)
        ours = [short(r[f"a{j}"]) for j in range(1, 5)] + [short(r["Z1"], 8)]
        runs.append([run] + [cell for pair in zip(printed, ours) for cell in pair]
                    + [short(r["range"], 3) if run != "0" else "", papers.number(r["weight"]) if run != "0" else ""])
    head = ["run"] + [cell for name in ("ẍ₁", "ÿ₁", "ẍ₂", "ÿ₂", "Z₁") for cell in (f"{name} reported", "ours")]
    exact = [[row.replace("pi", "π")] + [f"{float(r[f'a{j}']):.8f}".replace("-0.00000000", "0.00000000") for j in range(1, 5)] + [short(r["Z"], 9)]
             for row, r in t["exact"].items()]
    seeds = []
    for run, r in t["seeds"].items():
        line = [run]
        for name in SEARCHES:
            line += [papers.number(r[f"{name} median"]), papers.number(r[f"{name} worst"])] if f"{name} median" in r else ["", ""]
        seeds.append(line)
    last = {name: [r for r in t["seeds"].values() if f"{name} values" in r][-1] for name in SEARCHES}
    cost = [[f"genetic, {name}", papers.number(r[f"{name} median"]) + " (median)", papers.count(r[f"{name} values"])]
            for name, r in last.items()]
    cost += [[name, papers.number(r["error"]), short(r["values"], 3)] for name, r in t["rivals"].items()]
    return {
        "table 5.1": papers.table(head + ["half width", "weight"], runs),
        "exact": papers.table(["ẋ₂", "ẍ₁", "ÿ₁", "ẍ₂", "ÿ₂", "Z"], exact),
        "seeds": papers.table(["run"] + [f"{n}, {w}" for n in SEARCHES for w in ("median", "worst")], seeds),
        "penalty": papers.table(["weight", "error of the exact minimiser"],
                                [[w, papers.number(r["error"])] for w, r in t["penalty"].items()]),
        "cost": papers.table(["method", "error", "values of Z₁ that cost as much"], cost),
    }


papers.main(__file__, measure, render)
