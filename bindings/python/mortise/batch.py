"""Many copies of one mechanism, side by side on all threads: sweeps and Monte Carlo."""

from __future__ import annotations

from typing import List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _mortise
from .model import Model
from .result import Array

Start = Tuple[Sequence[float], Sequence[float]]


class Batch:
    """Copies that differ in parameters (a list of models) or in their states (``starts``: pairs of q and v).

    The method is rk4 with a fixed step and projection. Python is free to do other things meanwhile: the interpreter lock
    is released. A copy has the same bits for any number of threads and in any company.
    """

    def __init__(
        self,
        models: Union[Model, Sequence[Model]],
        starts: Optional[Sequence[Optional[Start]]] = None,
        *,
        step: float = 0.0,
        threads: int = 0,
    ) -> None:
        copies = [models] * (1 if starts is None else len(starts)) if isinstance(models, Model) else list(models)
        if not copies or not all(isinstance(m, Model) for m in copies):
            raise TypeError("Batch: expected a model, or a list of them")
        given: Sequence[Optional[Start]] = [None] * len(copies) if starts is None else starts
        begins = [None if s is None else self._start(s) for s in given]
        if len(begins) != len(copies):
            raise ValueError(f"Batch: {len(copies)} models and {len(begins)} starts")
        self._native = _mortise.Batch([m._native for m in copies], begins, step, threads)

    @staticmethod
    def _start(start: Start) -> Tuple[List[float], List[float]]:
        if not isinstance(start, (tuple, list)) or len(start) != 2:
            raise TypeError(f"Batch: a start is a pair (q, v), found {start!r}")
        q, v = (np.asarray(x, dtype=float) for x in start)
        if q.ndim != 1 or v.ndim != 1:
            raise ValueError("Batch: q and v of a start are lists of numbers")
        return q.tolist(), v.tolist()

    def advance(self, t: float) -> None:
        """All copies to t. A copy that fails keeps its last good state; see ``failures``."""
        self._native.advance(t)

    @property
    def t(self) -> float:
        return self._native.t

    @property
    def step(self) -> float:
        return self._native.step

    @property
    def q(self) -> Array:
        """(copies, coordinates)."""
        return self._native.q

    @property
    def v(self) -> Array:
        """(copies, velocities)."""
        return self._native.v

    @property
    def energy(self) -> Array:
        """(copies,): kinetic and potential."""
        return self._native.energy

    @property
    def failures(self) -> List[Optional[str]]:
        """What went wrong in each copy; None: nothing."""
        return [f or None for f in self._native.failures]

    @property
    def alone(self) -> List[Optional[str]]:
        """Why a copy is not side by side with others; None: it is."""
        return [a or None for a in self._native.alone]

    def __getitem__(self, name: str) -> Array:
        """A named quantity of every copy."""
        if not isinstance(name, str):
            raise TypeError(f"batches have names, not numbers: batch['rod.angle']; found {name!r}")
        return self._native.quantity(name)

    def __len__(self) -> int:
        return len(self._native)

    def __repr__(self) -> str:
        return f"<Batch of {len(self)} copies at t = {self.t:g} s>"


def initial_state(model: Model) -> Tuple[Array, Array]:
    """q and v as modelled: where starts of a batch begin."""
    if not isinstance(model, Model):
        raise TypeError(f"initial_state: expected a Model, found {type(model).__name__}")
    q, v = model._native.initial_state()
    return np.array(q), np.array(v)
