"""Mortise: constrained mechanical systems.

>>> import mortise as mt
>>> m = mt.load("five-bar.yaml")
>>> m.check()
>>> r = m.run(until=20)
>>> r["coupler"].x, r["A"].reaction.fx, r.energy.drift
"""

from . import dual
from ._mortise import Pid, Sensor, __version__
from .analyses import Equilibrium, Mode, Modes, StateSpace, Sweep
from .batch import Batch, initial_state
from .diagnosis import Conflict, Diagnosis, JointReaction, Motion, Redundancy, RedundantGroup, Relaxation
from .dual import Dual, atan, cos, exp, explicit, log, sin, sqrt, tan, tanh
from .errors import (
    ConflictError,
    Diagnostic,
    Error,
    ModelError,
    OutputError,
    ResultError,
    SolveError,
    UnknownName,
)
from .model import Model, ModelBuilder, load, loads, planar, spatial
from .result import Animation, Event, Quaternion, Result
from .result import open_result as open
from .simulation import Simulation, State
from .system import Stepper, System

__all__ = [
    "Animation", "Batch", "Conflict", "ConflictError", "Diagnosis", "Diagnostic", "Dual", "Equilibrium", "Error", "Event",
    "JointReaction", "Mode", "Model", "ModelBuilder", "ModelError", "Modes", "Motion", "OutputError", "Pid", "Quaternion",
    "Redundancy", "RedundantGroup", "Relaxation", "Result", "ResultError", "Sensor", "Simulation", "SolveError", "State", "StateSpace", "Stepper",
    "Sweep", "System", "UnknownName", "__version__", "atan", "cos", "dual", "exp", "explicit", "initial_state", "load",
    "loads", "log", "open", "planar", "sin", "spatial", "sqrt", "tan", "tanh",
]  # fmt: skip
