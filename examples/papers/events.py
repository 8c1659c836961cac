"""What the studies of changing constraints share: a run, its ledger, frames before and after an event."""

import csv
import io
import json
import pathlib
import subprocess

import papers


class Run:
    """One run of a model: summary, ledger, and frames as dictionaries of text."""

    def __init__(self, model, work, *settings, columns=(), may_fail=False):
        self.file = pathlib.Path(work) / "run.h5"
        sets = [word for s in settings for word in ("--set", s)]
        command = [papers.program(), "run", model, "-o", str(self.file), "--json", *sets]
        if may_fail:  # what a method cannot finish is a result, too
            done = subprocess.run(command, cwd=papers.ROOT, capture_output=True, text=True)
            self.failed = done.returncode != 0
        else:
            self.summary = json.loads(papers.run(*command))
            self.failed = False
        self.ledger = self._table("--events")
        chosen = ["--columns", ",".join(columns)] if columns else []
        self.frames = self._table(*chosen)

    def _table(self, *arguments):
        text = papers.run(papers.program(), "export", self.file, *arguments)
        return list(csv.DictReader(io.StringIO(text)))

    def before(self, k):
        return self.frames[int(self.ledger[k]["frame"]) - 1]

    def after(self, k):
        return self.frames[int(self.ledger[k]["frame"])]


def deviation(run, reference, columns):
    """The largest difference of any of the columns, over the frames that both have."""
    other = {f["t"]: f for f in reference.frames}
    return max(abs(float(f[c]) - float(other[f["t"]][c])) for f in run.frames if f["t"] in other for c in columns)
