"""A mechanism to play with: step it, ask it, set its inputs, branch it, control it."""

from __future__ import annotations

from typing import Any, Callable, List, Union

from . import _mortise
from .model import Model, ModelBuilder
from .result import Event

State = _mortise.State


class Simulation:
    """Moves a model at will. Settings (``tolerance=1e-10``, ``integrator="rk78"``) are those of ``analysis:``.

    >>> sim = mortise.Simulation(model)
    >>> sim.step(0.1); sim["rod.x"]
    """

    def __init__(self, model: Union[Model, ModelBuilder], **settings: Any) -> None:
        if isinstance(model, ModelBuilder):
            model = model.build()
        if not isinstance(model, Model):
            raise TypeError(f"Simulation: expected a Model, found {type(model).__name__}")
        self.model = model.changed(**settings)
        self._native = _mortise.Simulation(self.model._native)

    @property
    def t(self) -> float:
        return self._native.t

    def step(self, dt: float) -> None:
        """Moves by dt, exactly: n steps end at t₀ + n·dt."""
        self._native.step(dt)

    def advance_to(self, t: float) -> None:
        """Moves to t, exactly."""
        self._native.advance_to(t)

    def get(self, name: str) -> float:
        """Any named quantity, here and now."""
        return self._native.get(name)

    def set(self, input: str, value: float) -> None:
        """An input of the model, from now on."""
        self._native.set(input, value)

    def __getitem__(self, name: str) -> float:
        return self.get(name)

    def __setitem__(self, name: str, value: float) -> None:
        self.set(name[6:] if isinstance(name, str) and name.startswith("input.") else name, value)

    def every(self, period: float, function: Callable[["Simulation"], Any]) -> None:
        """Calls ``function(simulation)`` at exactly 0, period, 2 period, …: a sampled controller."""
        if not callable(function):
            raise TypeError(f"every: expected a function of the simulation, found {function!r}")
        self._native.every(period, lambda: function(self))

    def state(self) -> _mortise.State:
        """All that the future depends on; what callbacks remember themselves is theirs to keep."""
        return self._native.state()

    def restore(self, state: _mortise.State) -> None:
        """Goes back to a state of this model; both continuations have the same bits."""
        self._native.restore(state)

    @property
    def events(self) -> List[Event]:
        return [Event(**e) for e in self._native.events()]

    @property
    def steps(self) -> int:
        return int(self._native.counters()["steps"])

    def __repr__(self) -> str:
        return f"<Simulation of '{self.model.name}' at t = {self.t:g} s>"
