"""Whole systems of one's own: mass matrix, forces and rows by a Python function."""

from __future__ import annotations

from typing import Any, Dict, Sequence, Union

import numpy as np

from . import _mortise
from .result import Array


class System:
    """Base of systems with coordinates q and velocities v = q̇. A subclass says how many there are and evaluates:

    >>> class Oscillator(mortise.System):
    ...     velocities = 1
    ...     def evaluate(self, t, q, v):
    ...         return {"M": [[1.0]], "Q": -4 * q}
    """

    velocities: int = 0
    #: Constraint rows: a number of them (all holonomic), or for each whether it is (False: a velocity row).
    rows: Union[int, Sequence[bool]] = 0

    def evaluate(self, t: float, q: Array, v: Array) -> Dict[str, Any]:
        """M (n×n) and Q (n) of M a + Aᵀλ = Q; with rows also A (m×n), b (m) of A a = b and phi (m), c_t (m) of the
        velocity form A v + c_t = 0 where it is not zero; ``kinetic`` and ``potential`` where energies are wanted."""
        raise NotImplementedError(f"{type(self).__name__} has no evaluate(t, q, v)")


class Stepper:
    """Moves a :class:`System`; settings are those of ``analysis:`` (formulation, stabilize, integrator, tolerance)."""

    def __init__(
        self, system: System, q: Sequence[float], v: Union[Sequence[float], None] = None, t: float = 0.0, **settings: Any
    ) -> None:
        if not isinstance(system, System):
            raise TypeError(f"Stepper: expected a System, found {type(system).__name__}")
        if not isinstance(system.velocities, int) or system.velocities < 1:
            raise ValueError(f"{type(system).__name__}.velocities is {system.velocities!r}; expected a number above 0")
        rows = [True] * system.rows if isinstance(system.rows, int) else [bool(r) for r in system.rows]
        positions = self._numbers(q, "q")
        speeds = np.zeros(len(positions)) if v is None else self._numbers(v, "v")
        self.system = system
        self._native = _mortise.Stepper(system.velocities, rows, system.evaluate, settings, float(t), positions, speeds)

    @staticmethod
    def _numbers(values: Sequence[float], what: str) -> Array:
        array = np.asarray(values, dtype=float)
        if array.ndim != 1 or not np.isfinite(array).all():
            raise ValueError(f"{what}: expected a list of finite numbers, found {values!r}")
        return array

    def restart(self, t: float, q: Sequence[float], v: Sequence[float]) -> None:
        """Begins anew."""
        self._native.start(float(t), self._numbers(q, "q"), self._numbers(v, "v"))

    def advance_to(self, t: float) -> None:
        """Moves to t, exactly."""
        self._native.advance_to(t)

    @property
    def t(self) -> float:
        return self._native.t

    @property
    def q(self) -> Array:
        return self._native.q

    @property
    def v(self) -> Array:
        return self._native.v

    @property
    def multipliers(self) -> Array:
        """λ of the rows; the rows push with −Aᵀλ."""
        return self._native.multipliers

    @property
    def evaluations(self) -> int:
        return self._native.evaluations

    def __repr__(self) -> str:
        return f"<Stepper of {type(self.system).__name__} at t = {self.t:g} s>"
