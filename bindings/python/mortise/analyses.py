"""Results of analyses that are more than a motion: equilibria, modes, sweeps."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional

import numpy as np
import numpy.typing as npt

from . import _mortise
from .names import unknown
from .result import Array, Result

if TYPE_CHECKING:
    from .model import Model


class Equilibrium(Result):
    """A pose at rest: a result of one frame, with what holds it."""

    def __init__(self, native: Dict[str, Any], model: "Model") -> None:
        super().__init__(native["recording"], model)
        self.stability: str = native["stability"]  #: "stable", "neutral" or "unstable"
        self.iterations: int = native["iterations"]
        self.unbalanced: float = native["unbalanced"]  #: the largest force left, as a share of the largest load
        self.dof: int = native["dof"]
        self.free: List[str] = native["free"]  #: motions without stiffness, in words
        self.unstable: List[str] = native["unstable"]  #: motions that run away, in words

    def __repr__(self) -> str:
        return f"<Equilibrium of '{self._recording.model_name}': {self.stability}, {self.iterations} steps>"


@dataclass(frozen=True)
class Mode:
    """One way to swing about an equilibrium."""

    frequency: float  #: [Hz]
    omega: float  #: [rad/s]
    damping: float  #: ratio; ±1: does not swing
    root: complex
    rigid: bool  #: no stiffness
    shape: npt.NDArray[np.complex128] = field(repr=False)  #: in the velocities of the state
    words: str = ""


class Modes:
    """Modes about the equilibrium; a sequence of :class:`Mode`, rigid-body modes first."""

    def __init__(self, native: _mortise.Modes, model: "Model") -> None:
        self._native, self._model = native, model
        self.modes: List[Mode] = [Mode(**m) for m in native.list()]
        self.equilibrium = Equilibrium(native.equilibrium, model)
        self.dof: int = native.dof

    @property
    def frequencies(self) -> Array:
        """[Hz], of all modes."""
        return np.array([m.frequency for m in self.modes])

    @property
    def damping(self) -> Array:
        return np.array([m.damping for m in self.modes])

    def __len__(self) -> int:
        return len(self.modes)

    def __getitem__(self, index: int) -> Mode:
        return self.modes[index]

    def __iter__(self) -> Iterator[Mode]:
        return iter(self.modes)

    def animate(self, mode: int, amplitude: float = 0.1, frames: int = 60) -> Result:
        """One period of a mode as a motion; ``amplitude`` is a share of the mechanism's size."""
        if mode < 0:
            mode += len(self)
        if not 0 <= mode < len(self):
            raise IndexError(f"there are {len(self)} modes, 0 … {len(self) - 1}")
        return Result(self._native.animate(mode, amplitude, frames), self._model)

    def __repr__(self) -> str:
        listed = ", ".join("rigid" if m.rigid else f"{m.frequency:.4g} Hz" for m in self.modes[:8])
        return f"<Modes of '{self._model.name}': {listed}{', …' if len(self) > 8 else ''}>"


@dataclass(frozen=True, eq=False)
class StateSpace:
    """ẋ = A x + B u, y = C x + D u about a pose at rest; x = (p, ṗ), u and y are changes of inputs and outputs."""

    A: Array = field(repr=False)
    B: Array = field(repr=False)
    C: Array = field(repr=False)
    D: Array = field(repr=False)
    inputs: List[str]
    outputs: List[str]
    units: List[str] = field(repr=False)
    motions: List[str] = field(repr=False)  #: what each p moves, in words
    u: Array = field(repr=False)  #: inputs where it was linearised
    y: Array = field(repr=False)  #: outputs there
    unbalanced: float = field(repr=False)  #: the largest force left, as a share of the largest load
    script: str = field(repr=False)  #: for Octave and MATLAB

    @property
    def poles(self) -> npt.NDArray[np.complex128]:
        return np.linalg.eigvals(self.A).astype(np.complex128)


class Sweep:
    """A table: what was varied and what came out, by name. Failed cases are NaN, with the reason in ``failures``."""

    def __init__(self, native: Dict[str, Any]) -> None:
        self.of: str = native["of"]  #: the analysis
        self.paths: List[str] = native["paths"]
        self.columns: List[str] = native["columns"]
        self.units: Dict[str, str] = dict(zip(native["columns"], native["units"]))
        self.failures: List[Optional[str]] = native["failures"]
        self._values, self._results, self._text = native["values"], native["results"], native["text"]

    def __getitem__(self, name: str) -> Array:
        array: Array
        if name in self.paths:
            array = self._values[:, self.paths.index(name)]
        elif name in self.columns:
            array = self._results[:, self.columns.index(name)]
        else:
            raise unknown(name, [*self.paths, *self.columns], "column")
        return array

    def __len__(self) -> int:
        return len(self.failures)

    def __str__(self) -> str:
        return str(self._text)

    def __repr__(self) -> str:
        failed = sum(f is not None for f in self.failures)
        return f"<Sweep of {self.of}: {len(self)} cases, {failed} failed; {', '.join([*self.paths, *self.columns])}>"
