"""What Mortise says when it cannot go on, as exceptions.

The text of an exception is the message of the command line: place, what was expected, the nearest valid name, what to
do. The same is there as attributes, for programs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional


@dataclass(frozen=True)
class Diagnostic:
    """One mistake in a model, with its place."""

    code: str  #: "M203": stable, explained in docs/errors.md
    message: str
    file: Optional[str] = None  #: the file; of models made in Python the item and field
    line: Optional[int] = None
    column: Optional[int] = None
    hint: str = ""
    warning: bool = False


class Error(Exception):
    """Base of all errors of Mortise. ``result`` has what a run gave before it failed, where there is any."""

    code: str = ""
    file: Optional[str] = None
    line: Optional[int] = None
    column: Optional[int] = None
    result: Any = None


class ModelError(Error):
    """Mistakes in a model, all of them; code, file, line and column are those of the first."""

    diagnostics: List[Diagnostic]


class SolveError(Error):
    """A failure of the mathematics: when, what takes part, what to try."""

    time: float
    message: str
    details: List[str]
    advice: str


class ConflictError(SolveError):
    """Joints and drivers that cannot hold together."""


class OutputError(Error, OSError):
    """A file that cannot be written."""


class ResultError(Error):
    """A result file that cannot be used: not ours, truncated, damaged, of another model."""


class UnknownName(Error, KeyError, AttributeError):
    """A name that does not exist; the message has the nearest one."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


def make(kind: str, text: str, attributes: Dict[str, Any]) -> Error:
    """Called by the native module: the exception of this name, with its attributes."""
    error: Error = globals()[kind](text)
    if kind == "ModelError":
        diagnostics = [Diagnostic(**d) for d in attributes["diagnostics"]]
        first = diagnostics[0] if diagnostics else Diagnostic("", text)
        attributes = dict(diagnostics=diagnostics, code=first.code, file=first.file, line=first.line, column=first.column)
    for name, value in attributes.items():
        setattr(error, name, value)
    return error
