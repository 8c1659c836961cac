"""What the studies of this folder share: running the program, keeping its numbers, writing them into a README.

A study writes `ours.csv` and the tables between the marks of its README; every number of ours in a README comes out of
`ours.csv`, and `ours.sha256` seals that file. `study.py --check` fails when a number was typed by hand.
"""

import argparse
import csv
import hashlib
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def program(name="mortise"):
    """The built program: MORTISE_BIN or the release build of this tree."""
    folder = pathlib.Path(os.environ.get("MORTISE_BIN", ROOT / "build/release/bin"))
    path = folder / name
    if not path.exists():
        sys.exit(f"{path} is missing: run `make build` first, or set MORTISE_BIN")
    return str(path)


def run(*arguments):
    """Runs a program and returns what it printed."""
    print("  ", " ".join(pathlib.Path(str(a)).name if i == 0 else str(a) for i, a in enumerate(arguments)), flush=True)
    done = subprocess.run([str(a) for a in arguments], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return done.stdout


def compare(model, work, *arguments, keep=None):
    """Cases of `mortise compare` as dictionaries of text."""
    target = pathlib.Path(work) / "compare.csv"
    run(program(), "compare", model, "--csv", target, *arguments)
    with open(target, newline="", encoding="utf-8") as file:
        return [{**(keep or {}), **row} for row in csv.DictReader(file)]


def numbers(name):
    """What a program of a study prints: lines of table, row, column, value. It fails when one of its claims does."""
    return list(csv.DictReader(run(program(name)).splitlines()))


def tabulate(rows):
    """Such lines as tables[table][row][column], in their order."""
    tables = {}
    for line in rows:
        tables.setdefault(line["table"], {}).setdefault(line["row"], {})[line["column"]] = line["value"]
    return tables


def save(folder, rows):
    keys = list(dict.fromkeys(key for row in rows for key in row))
    path = pathlib.Path(folder) / "ours.csv"
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, keys, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    (pathlib.Path(folder) / "ours.sha256").write_text(seal(path) + "\n", encoding="utf-8")


def seal(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def load(folder):
    path = pathlib.Path(folder) / "ours.csv"
    if seal(path) != (pathlib.Path(folder) / "ours.sha256").read_text(encoding="utf-8").strip():
        sys.exit(f"{path} is not what the study wrote: run the study again")
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def table(head, rows):
    """A table in Markdown."""
    lines = ["| " + " | ".join(head) + " |", "| " + " | ".join("---" for _ in head) + " |"]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def number(text, digits=2):
    x = float(text)
    if x == 0:
        return "0"
    return f"{x:.{digits - 1}e}" if abs(x) < 1e-2 or abs(x) >= 1e4 else f"{x:.{max(digits, 4)}g}"


def count(text):
    return f"{int(float(text)):,}"


def fill(folder, tables, check):
    """Puts each table between `<!-- NAME -->` and `<!-- end -->` of README.md; with `check`, only looks."""
    path = pathlib.Path(folder) / "README.md"
    old = path.read_text(encoding="utf-8")
    new = old
    for name, text in tables.items():
        pattern = re.compile(rf"(<!-- {re.escape(name)} -->\n).*?(<!-- end -->)", re.S)
        if not pattern.search(new):
            sys.exit(f"{path}: no place for the table '{name}'")
        new = pattern.sub(lambda match: match.group(1) + text + match.group(2), new)
    marks = set(re.findall(r"<!-- (?!end)(.+?) -->", new))
    if marks != set(tables):
        sys.exit(f"{path}: tables {sorted(marks ^ set(tables))} have no place or no source")
    if check and new != old:
        sys.exit(f"{path}: its tables differ from ours.csv: run the study again")
    if not check:
        path.write_text(new, encoding="utf-8")


def main(folder, measure, render):
    """`measure(work)` gives the rows of ours.csv, `render(rows)` the tables by name."""
    import tempfile

    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true", help="compare README.md with ours.csv; runs nothing")
    parser.add_argument("--tables", action="store_true", help="write README.md anew from ours.csv; runs nothing")
    options = parser.parse_args()
    folder = pathlib.Path(folder).resolve().parent
    if not (options.check or options.tables):
        with tempfile.TemporaryDirectory() as work:
            save(folder, measure(work))
    fill(folder, render(load(folder)), options.check)
