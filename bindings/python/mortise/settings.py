"""Keywords of Python as settings of a model: ``until=5`` is ``--set analysis.until=5``."""

from __future__ import annotations

import math
import re
from typing import Any, Dict, List, Mapping, Optional

from . import _mortise

#: Settings of frames and files; all other keywords belong to the analysis.
OUTPUT = ("every", "quantities", "bodies", "joints", "precision", "checkpoint")
ANALYSIS = (
    "type", "until", "formulation", "pseudoinverse", "coordinates", "stabilize", "integrator", "tolerance", "step",
    "max_step", "rank_tolerance", "rank_rule", "assemble", "allow_flip", "reactions", "branch", "weights", "modes",
    "sweep",
)  # fmt: skip

_plain = re.compile(r"[A-Za-z0-9_.(+-][A-Za-z0-9_.+\-*/()^ ]*\Z")


def yaml_text(value: Any, where: str) -> str:
    """A value of Python on one line of YAML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        if not value:
            raise ValueError(f"{where}: the text is empty")
        if _plain.match(value):
            return value
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{yaml_text(str(k), where)}: {yaml_text(v, f'{where}.{k}')}" for k, v in value.items()) + "}"
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(yaml_text(v, f"{where}[{k}]") for k, v in enumerate(value)) + "]"
    if isinstance(value, (int, float)) or hasattr(value, "__float__"):
        number = float(value)
        if not math.isfinite(number):
            raise ValueError(f"{where}: {number} is not finite")
        return repr(number)
    raise TypeError(f"{where}: expected a number, a text, a flag, a list or a dict, found {type(value).__name__}")


def to_settings(values: Optional[Mapping[str, Any]]) -> List[str]:
    """``{"L": 2, "bodies.arm.mass": 3}`` as the texts that ``--set`` takes."""
    if values is None:
        return []
    if not isinstance(values, Mapping):
        raise TypeError(f'set: expected a dict such as {{"L": 2}}, found {type(values).__name__}')
    out = []
    for path, value in values.items():
        if not isinstance(path, str):
            raise TypeError(f"set: names must be texts, found {path!r}")
        out.append(f"{path}={yaml_text(value, path)}")
    return out


def keyword_settings(keywords: Dict[str, Any]) -> List[str]:
    """Keywords of ``run`` as settings of the sections ``analysis`` and ``output``."""
    out = []
    for name, value in keywords.items():
        if name not in OUTPUT and name not in ANALYSIS:
            near = _mortise.nearest_name(name, [*ANALYSIS, *OUTPUT])
            raise TypeError(
                f"run() has no setting '{name}'"
                + (f"; did you mean '{near}'?" if near else f"; settings: {', '.join([*ANALYSIS, *OUTPUT])}")
            )
        section = "output" if name in OUTPUT else "analysis"
        out.append(f"{section}.{name}={yaml_text(value, name)}")
    return out
