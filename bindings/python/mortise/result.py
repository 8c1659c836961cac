"""Results of runs: named quantities over time as numpy arrays, without copies where they are stored."""

from __future__ import annotations

import html
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _mortise
from .errors import OutputError
from .names import Item, NameTree, unknown

if TYPE_CHECKING:
    from .model import Model

Array = npt.NDArray[np.float64]
PathLike = Union[str, "os.PathLike[str]"]


def path_text(path: PathLike) -> str:
    """The path as a text; refuses what cannot name a file."""
    text = os.fspath(path)
    if not isinstance(text, str) or not text or "\0" in text:
        raise ValueError(f"expected the path of a file, found {path!r}")
    return text


@dataclass(frozen=True)
class Event:
    """A line of the ledger: what happened, when, with which impulse and work."""

    t: float
    name: str
    what: str
    joints: str
    impulse: float
    work: float
    kinetic_before: float
    kinetic_after: float
    frame: int  #: number of the frame after it


class Quaternion:
    """Orientation of a body over time, rotation from body axes to world axes. The order is in the name."""

    def __init__(self, wxyz: Array) -> None:
        self.wxyz: Array = wxyz  #: (frames, 4), w first; a view of the result

    @property
    def xyzw(self) -> Array:
        """(frames, 4), w last; a copy."""
        return np.roll(self.wxyz, -1, axis=-1)

    def __repr__(self) -> str:
        return f"Quaternion(wxyz={self.wxyz!r})"


class Body(Item):
    """A body over time: ``x``, ``y``, …, ``vx``, …, named points, and the vectors below."""

    def __init__(self, name: str, result: "Result", index: int) -> None:
        super().__init__(name, lambda: result._tree, result._get)
        self._result, self._index = result, index

    def _of(self, path: str) -> Array:
        return self._result._array(path)[:, self._index]

    @property
    def position(self) -> Array:
        """(frames, 2 or 3): the origin of the body's frame, world axes."""
        return self._of("bodies/position")

    @property
    def velocity(self) -> Array:
        """(frames, 2 or 3): of the origin, world axes."""
        return self._of("bodies/velocity")

    @property
    def acceleration(self) -> Array:
        """(frames, 2 or 3): of the origin, world axes."""
        return self._of("bodies/acceleration")

    @property
    def angular_velocity(self) -> Array:
        """(frames,) in the plane, (frames, 3) in space, world axes."""
        return self._of("bodies/angular_velocity")

    @property
    def orientation(self) -> Quaternion:
        """In space; planar bodies have an ``angle``."""
        if self._result._recording.dimension == 2:
            raise AttributeError(f"'{self._name}' moves in the plane: its orientation is '.angle'")
        return Quaternion(self._of("bodies/quaternion_wxyz"))

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), "position", "velocity", "acceleration", "angular_velocity", "orientation"]


class Energy(Item):
    """Energies over time, and their drift over the whole run."""

    def __init__(self, result: "Result") -> None:
        super().__init__("energy", lambda: result._tree, result._get)
        self._result = result

    @property
    def drift(self) -> float:
        """Largest error of the energy balance, relative to the largest energy of the run."""
        return float(self._result.summary["energy_drift"])


class Animation:
    """A page of the viewer; notebooks draw it, ``Result.show("file.html")`` writes it."""

    def __init__(self, page: str, height: int) -> None:
        self.page, self.height = page, int(height)

    def _repr_html_(self) -> str:
        # A frame of its own, which may run the page's scripts and reach nothing of the notebook.
        source = html.escape(self.page, quote=True)
        return f'<iframe sandbox="allow-scripts" style="width: 100%; height: {self.height}px; border: 0" srcdoc="{source}"></iframe>'

    def __repr__(self) -> str:
        return f"<Animation of {len(self.page) / 1e6:.1f} MB: shown by notebooks; show('file.html') writes it>"


_AXES = {"x": 0, "y": 1, "z": 2}


class Result:
    """Frames of a run. ``r["coupler"].x``, ``r["A"].reaction.fx``, ``r["energy.total"]``, ``r.t``."""

    def __init__(
        self, recording: _mortise.Recording, model: Optional["Model"] = None, info: Optional[Dict[str, Any]] = None
    ) -> None:
        self._recording = recording
        self._model = model
        self._info = info or {}
        self._arrays: Dict[str, Array] = {}
        self._computed: Dict[str, Array] = {}
        self._names: Optional[NameTree] = None
        self._bodies = {name: k for k, name in enumerate(recording.bodies)}
        self._joints = {name: k for k, name in enumerate(recording.joints)}

    # ---- what is stored

    @property
    def t(self) -> Array:
        """Times of the frames [s]."""
        return self._array("time")

    @property
    def bodies(self) -> List[str]:
        return list(self._bodies)

    @property
    def joints(self) -> List[str]:
        """Joints, drivers and rows."""
        return list(self._joints)

    @property
    def names(self) -> List[str]:
        """Every quantity that ``r[name]`` knows."""
        return sorted(self._tree.names)

    @property
    def summary(self) -> Dict[str, Any]:
        """Status, steps, evaluations, times, energy drift, worst violations."""
        return self._recording.summary()

    @property
    def status(self) -> str:
        """"done", "interrupted", "unfinished" or "failed: …"."""
        return str(self._recording.summary()["status"])

    @property
    def events(self) -> List[Event]:
        """The ledger of events."""
        return [Event(**e) for e in self._recording.events()]

    @property
    def energy(self) -> Energy:
        return Energy(self)

    @property
    def constraint(self) -> Item:
        """Scaled norms of the violations: ``position``, ``velocity``, ``acceleration``."""
        return Item("constraint", lambda: self._tree, self._get)

    @property
    def q(self) -> Array:
        """(frames, coordinates): generalized coordinates."""
        return self._array("state/q")

    @property
    def v(self) -> Array:
        """(frames, velocities): generalized velocities."""
        return self._array("state/v")

    @property
    def multipliers(self) -> Array:
        """(frames, rows): of the rows ``rows``."""
        return self._array("state/lambda")

    @property
    def rows(self) -> List[str]:
        return self._recording.rows

    @property
    def remarks(self) -> List[str]:
        """What a reader of the numbers should know."""
        return list(self._info.get("remarks", []))

    @property
    def moved(self) -> List[Dict[str, Any]]:
        """Bodies that assembly had to move, farthest first."""
        return list(self._info.get("moved", []))

    @property
    def model(self) -> "Model":
        """The model that was run; of a file, the one stored in it."""
        if self._model is None:
            from .model import loads

            self._model = loads(self._recording.model_text, name=self._recording.model_name or "model")
        return self._model

    def __len__(self) -> int:
        return self._recording.frames

    def __repr__(self) -> str:
        end = f"t = {self.t[0]:g} … {self.t[-1]:g} s" if len(self) else "no frames"
        return f"<Result of '{self._recording.model_name}': {len(self)} frames, {end}, {self.status}>"

    # ---- by name

    def __getitem__(self, name: str) -> Any:
        if not isinstance(name, str):
            raise TypeError(f'results have names, not numbers: r["body"].x, r.t; found {name!r}')
        return self._get(name)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and (name in self._tree.names or self._tree.is_prefix(name))

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def _ipython_key_completions_(self) -> List[str]:
        return [*self._tree.below(""), *self.names]

    @property
    def _tree(self) -> NameTree:
        if self._names is None:
            # Quantities of what the file keeps; all of them where it keeps everything.
            kept = set(self._bodies) | set(self._joints)
            names = [n for n in self.model._native.names("quantities") if self._keeps(n, kept)]
            self._names = NameTree([*names, *self._recording.quantities])
        return self._names

    def _keeps(self, name: str, kept: set[str]) -> bool:
        counts = self.model._native.counts()
        if counts["bodies"] == len(self._bodies) and counts["joints"] + counts["drivers"] == len(self._joints):
            return True
        return "." not in name or name.split(".")[0] in kept | {"energy", "constraint"}

    def _get(self, name: str) -> Any:
        stored = self._stored(name)
        if stored is not None:
            return stored
        if name in self._computed:
            return self._computed[name]
        if name in self._bodies:
            return Body(name, self, self._bodies[name])
        if name == "energy":
            return self.energy
        if name in self._tree.names:
            array = self._recording.quantity(self.model._native, name)
            array.flags.writeable = False
            self._computed[name] = array
            return array
        if name and self._tree.is_prefix(name):
            return Item(name, lambda: self._tree, self._get)
        parent = name.rsplit(".", 1)[0]
        if "." in name and self._tree.is_prefix(parent):
            raise unknown(name, [f"{parent}.{n}" for n in self._tree.below(parent)], "quantity")
        raise unknown(name, self._tree.below("") if "." not in name else self._tree.names, "body, joint or quantity")

    def _array(self, path: str) -> Array:
        if path not in self._arrays:
            self._arrays[path] = self._recording.array(path)
        return self._arrays[path]

    def _stored(self, name: str) -> Optional[Array]:
        """A view of the numbers in memory, where the quantity is stored as it is."""
        if name == "t":
            return self.t
        if name in self._recording.quantities:
            return self._array("quantities/" + name)
        item, _, rest = name.partition(".")
        if not rest:
            return None
        if item in self._bodies:
            return self._stored_of_body(self._bodies[item], rest)
        if item in self._joints and rest.startswith("reaction.") and rest[9:] in ("fx", "fy", "fz", "tx", "ty", "tz"):
            return self._stored_reaction(self._joints[item], rest[9:])
        if item == "energy" and rest in ("kinetic", "potential", "dissipated", "applied", "constraint_work"):
            return self._array("energy/" + rest)
        if item == "constraint" and rest in ("position", "velocity", "acceleration"):
            return self._array("constraints/" + rest)
        return None

    def _stored_of_body(self, body: int, rest: str) -> Optional[Array]:
        planar = self._recording.dimension == 2
        axes = "xy" if planar else "xyz"
        if rest in axes:
            return self._array("bodies/position")[:, body, _AXES[rest]]
        if len(rest) == 2 and rest[0] in "va" and rest[1] in axes:
            path = "bodies/velocity" if rest[0] == "v" else "bodies/acceleration"
            return self._array(path)[:, body, _AXES[rest[1]]]
        if planar:
            path = {"angle": "bodies/angle", "wz": "bodies/angular_velocity", "alphaz": "bodies/angular_acceleration"}.get(rest, "")
            return self._array(path)[:, body] if path else None
        if rest in ("qw", "qx", "qy", "qz"):
            return self._array("bodies/quaternion_wxyz")[:, body, "wxyz".index(rest[1])]
        if rest in ("wx", "wy", "wz"):
            return self._array("bodies/angular_velocity")[:, body, _AXES[rest[1]]]
        if rest in ("alphax", "alphay", "alphaz"):
            return self._array("bodies/angular_acceleration")[:, body, _AXES[rest[5]]]
        return None

    def _stored_reaction(self, joint: int, column: str) -> Optional[Array]:
        planar = self._recording.dimension == 2
        if column[0] == "f":
            return None if planar and column == "fz" else self._array("joints/reaction_force")[:, joint, _AXES[column[1]]]
        if planar:
            return self._array("joints/reaction_torque")[:, joint, 0] if column == "tz" else None
        return self._array("joints/reaction_torque")[:, joint, _AXES[column[1]]]

    # ---- pictures

    def show(self, path: Optional[PathLike] = None, *, height: int = 520) -> Optional["Animation"]:
        """The motion in the viewer: in a notebook, or as one self-contained page that opens from disk."""
        if len(self) == 0:
            raise ValueError("show: the result has no frames")
        page = _mortise.html_page(self._recording, self.model._native, self._recording.model_name or "result")
        if path is None:
            return Animation(page, height)
        target = path_text(path)
        try:
            with open(target, "w", encoding="utf-8") as file:
                file.write(page)
        except OSError as error:
            raise OutputError(f"{target}: cannot be written: {error.strerror}") from error
        return None

    # ---- files

    def save(self, path: PathLike) -> None:
        """Writes a result file (.h5), as a run on the command line does."""
        self._recording.save(path_text(path))


def open_result(path: PathLike, *, model: Optional["Model"] = None) -> Result:
    """A result file (.h5), verified. ``model`` is needed where the stored one calls Python functions."""
    return Result(_mortise.Recording.read(path_text(path)), model)
