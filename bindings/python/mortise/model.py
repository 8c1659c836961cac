"""Models: load them, build them, check them, run them."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Union

from . import _mortise, diagnosis
from .analyses import Equilibrium, Modes, StateSpace, Sweep
from .diagnosis import Diagnosis
from .dual import Explicit, driver_function, row_function
from .result import PathLike, Result, path_text
from .settings import keyword_settings, to_settings

Function = Callable[..., Any]
Functions = Mapping[str, Union[Function, Explicit]]
Names = Union[str, Sequence[str]]


def _words(names: Names, where: str) -> str:
    if isinstance(names, str):
        return names
    if not isinstance(names, (list, tuple)) or not all(isinstance(n, str) for n in names):
        raise TypeError(f"{where}: expected names, such as 'arm.x' or ['arm.x', 'arm.vx'], found {names!r}")
    return " ".join(names)


class Model:
    """A checked model. Made by :func:`load`, :func:`loads` or :meth:`ModelBuilder.build`; never changes."""

    def __init__(self, native: _mortise.Model) -> None:
        if not isinstance(native, _mortise.Model):
            raise TypeError("models are made by mortise.load(path), mortise.planar(name) or mortise.spatial(name)")
        self._native = native

    @property
    def name(self) -> str:
        return self._native.name

    @property
    def dimension(self) -> int:
        """2 in the plane, 3 in space."""
        return self._native.dimension

    @property
    def bodies(self) -> List[str]:
        return self._native.names("bodies")

    @property
    def joints(self) -> List[str]:
        """Joints and drivers."""
        return self._native.names("joints")

    @property
    def forces(self) -> List[str]:
        return self._native.names("forces")

    @property
    def inputs(self) -> List[str]:
        """Numbers that :class:`Simulation` may set."""
        return self._native.names("inputs")

    @property
    def quantities(self) -> List[str]:
        """Names of everything that can be asked for."""
        return self._native.names("quantities")

    @property
    def parameters(self) -> Dict[str, float]:
        return self._native.parameters

    @property
    def notes(self) -> List[str]:
        """Remarks of the reader."""
        return self._native.notes

    @property
    def text(self) -> str:
        """The model as YAML, includes and settings applied."""
        return self._native.text

    def save(self, path: PathLike) -> None:
        """Writes the model as YAML; :func:`load` reads the same model, bit by bit."""
        self._native.save(path_text(path))

    def changed(self, set: Optional[Mapping[str, Any]] = None, **settings: Any) -> "Model":
        """The same model with other parameters (``set={"L": 2}``) or settings (``until=5``)."""
        words = to_settings(set) + keyword_settings(settings)
        return Model(self._native.changed(words)) if words else self

    def check(self) -> Diagnosis:
        """Assembles and explains the constraints: freedoms, redundant rows, conflicts, reactions."""
        return diagnosis.from_native(_mortise.check(self._native))

    def linearize(self, *outputs: str, here: bool = False, **settings: Any) -> StateSpace:
        """A, B, C, D of the constrained mechanism about its equilibrium, or about the modelled pose (``here``).

        >>> s = model.linearize("carriage.x", "rod.angle")
        >>> s.A.shape, s.inputs, s.poles
        """
        return StateSpace(**_mortise.linearize(self.changed(**settings)._native, list(outputs), here))

    def run(
        self,
        *,
        set: Optional[Mapping[str, Any]] = None,
        output: Optional[PathLike] = None,
        progress: Optional[Callable[[float, float], Any]] = None,
        **settings: Any,
    ) -> Any:
        """Carries out the analysis of the model.

        Any setting of ``analysis:`` and ``output:`` may be given as a keyword: ``until=5``, ``tolerance=1e-10``,
        ``type="statics"``, ``every=0.01``. ``set`` changes parameters and any other path. ``output`` names a result
        file (.h5) that is written along; ``progress(t, until)`` is called up to ten times a second.

        Gives a :class:`Result`; of ``type="statics"`` an :class:`Equilibrium`, of ``"modes"`` :class:`Modes`, of
        ``"sweep"`` a :class:`Sweep`. A run that fails or is interrupted raises; the exception's ``result`` has the
        frames until then.
        """
        model = self.changed(set, **settings)
        path = None if output is None else path_text(output)
        if progress is not None and not callable(progress):
            raise TypeError(f"progress: expected a function of (t, until), found {progress!r}")
        kind = model._native.analysis
        if kind == "sweep":
            if path is not None:
                raise ValueError("output: a sweep gives a table, not a motion")
            return Sweep(_mortise.run_sweep(model._native))
        if kind == "modes":
            modes = Modes(_mortise.run_modes(model._native), model)
            if path is not None:
                swinging = next((k for k, m in enumerate(modes) if not m.rigid), 0)
                modes.animate(swinging).save(path)
            return modes
        if kind in ("statics", "assemble"):
            result: Result
            if kind == "statics":
                result = Equilibrium(_mortise.run_statics(model._native), model)
            else:
                native = _mortise.run_assembly(model._native)
                result = Result(native["recording"], model, native)
            if path is not None:
                result.save(path)
            return result
        recording = _mortise.Recording()
        try:
            info = _mortise.run_motion(model._native, recording, path, progress)
        except BaseException as error:
            if recording.frames > 0:
                error.result = Result(recording, model)  # type: ignore[attr-defined]
            raise
        return Result(recording, model, info)

    def __repr__(self) -> str:
        c = self._native.counts()
        kind = "planar" if self.dimension == 2 else "spatial"
        return (
            f"<Model '{self.name}': {kind}, {c['bodies']} bodies, {c['joints']} joints, {c['drivers']} drivers, "
            f"{c['forces']} forces, {c['coordinates']} coordinates, {c['rows']} rows>"
        )


def load(
    path: PathLike, set: Optional[Mapping[str, Any]] = None, functions: Optional[Functions] = None
) -> Model:
    """A model from a YAML file. ``set`` changes parameters (``{"L": 2}``) or any path (``{"bodies.arm.mass": 3}``);
    ``functions`` are those that parts of the types ``python-force`` and the like name."""
    return Model(_mortise.load(path_text(path), to_settings(set), _functions(functions)))


def loads(text: str, name: str = "model", functions: Optional[Functions] = None) -> Model:
    """A model from a YAML text; ``name`` stands for the file in messages."""
    if not isinstance(text, str):
        raise TypeError(f"loads: expected a YAML text, found {type(text).__name__}")
    return Model(_mortise.load_text(text, name, _functions(functions)))


def _functions(functions: Optional[Functions]) -> Dict[str, Function]:
    if functions is None:
        return {}
    if not isinstance(functions, Mapping):
        raise TypeError(f'functions: expected a dict such as {{"drag": drag}}, found {type(functions).__name__}')
    return {name: f.function if isinstance(f, Explicit) else f for name, f in functions.items()}


class ModelBuilder:
    """A model written in Python, with the names, formulas and checks of a file. Methods give the builder itself."""

    def __init__(self, name: str, planar: bool, gravity: Optional[Sequence[Any]] = None) -> None:
        if not isinstance(name, str):
            raise TypeError(f"the name of a model is a text, found {name!r}")
        self._name, self._planar = name, planar
        self._sections: Dict[str, Any] = {}
        self._functions: Dict[str, Function] = {}
        if gravity is not None:
            self.gravity(gravity)

    def gravity(self, vector: Sequence[Any]) -> "ModelBuilder":
        self._sections["gravity"] = vector
        return self

    def parameter(self, name: str, value: Any) -> "ModelBuilder":
        """A number with a name, for formulas."""
        return self._add("parameters", name, value)

    def input(self, name: str, value: Any = 0.0) -> "ModelBuilder":
        """A number that :meth:`Simulation.set` may change; ``input.NAME`` in formulas of forces."""
        return self._add("inputs", name, value)

    def body(self, name: str, type: Optional[str] = None, **fields: Any) -> "ModelBuilder":
        return self._item("bodies", name, type, fields)

    def joint(self, name: str, type: Union[str, Function, Explicit], **fields: Any) -> "ModelBuilder":
        """A joint of the library by its type; or a row of one's own: a function f(x, y, …) of the coordinates
        ``of=["bead.x", "bead.y"]`` (of one or two bodies) that stays zero. Its derivatives are exact (:mod:`mortise.dual`)."""
        if isinstance(type, str):
            return self._item("joints", name, type, fields)
        of = self._of(name, fields, "a row is a function of coordinates: of=['bead.x', 'bead.y']")
        f = row_function(type, len(of.replace(",", " ").split()))
        return self._callable("joints", name, "python-row", f, {**fields, "of": of})

    def driver(self, name: str, type: Union[str, Function, Explicit], **fields: Any) -> "ModelBuilder":
        """A driver of the library by its type; or a function of time that the coordinate ``of="A.angle"`` follows.
        Its derivatives are exact (:mod:`mortise.dual`)."""
        if isinstance(type, str):
            return self._item("drivers", name, type, fields)
        of = self._of(name, fields, "a driver moves a coordinate: of='A.angle'")
        return self._callable("drivers", name, "python-driver", driver_function(type), {**fields, "of": of})

    def force(self, name: str, type: Union[str, Function], **fields: Any) -> "ModelBuilder":
        """A force of the library by its type; or a Python function of the quantities ``of=["t", "puck.vx"]`` that
        gives the components of a force on ``body`` (or ``between`` two)."""
        return self._load(name, type, "python-force", fields)

    def torque(self, name: str, function: Function, **fields: Any) -> "ModelBuilder":
        """A torque by a Python function: a number in the plane, three components in space."""
        return self._load(name, function, "python-torque", fields)

    def event(self, name: str, type: str, **fields: Any) -> "ModelBuilder":
        return self._item("events", name, type, fields)

    def analysis(self, **settings: Any) -> "ModelBuilder":
        """Settings of ``analysis:``; those given before stay."""
        self._sections.setdefault("analysis", {}).update(settings)
        return self

    def output(self, **settings: Any) -> "ModelBuilder":
        self._sections.setdefault("output", {}).update(settings)
        return self

    def section(self, key: str, value: Any) -> "ModelBuilder":
        """Any section of a model file by its key, replacing what is there."""
        self._sections[key] = value
        return self

    def build(self) -> Model:
        """Checks everything and raises :class:`ModelError` with all mistakes."""
        return Model(_mortise.build(self._name, self._planar, self._sections, self._functions))

    def check(self) -> Diagnosis:
        return self.build().check()

    def run(self, **settings: Any) -> Any:
        return self.build().run(**settings)

    def _add(self, section: str, name: str, value: Any) -> "ModelBuilder":
        if not isinstance(name, str):
            raise TypeError(f"{section}: a name is a text, found {name!r}")
        items = self._sections.setdefault(section, {})
        if name in items:
            raise ValueError(f"{section}: '{name}' is there already")
        items[name] = value
        return self

    def _item(self, section: str, name: str, type: Optional[str], fields: Dict[str, Any]) -> "ModelBuilder":
        if type is not None and not isinstance(type, str):
            raise TypeError(f"{section}.{name}: a type is a text, found {type!r}")
        # `in` is a word of Python: in_="body".
        given = {key[:-1] if key.endswith("_") else key: value for key, value in fields.items()}
        return self._add(section, name, {**({} if type is None else {"type": type}), **given})

    def _callable(self, section: str, name: str, type: str, f: Function, fields: Dict[str, Any]) -> "ModelBuilder":
        if not callable(f):
            raise TypeError(f"{section}.{name}: expected a type or a function, found {f!r}")
        self._item(section, name, type, {**fields, "function": name})
        self._functions[name] = f
        return self

    def _load(self, name: str, type: Union[str, Function], kind: str, fields: Dict[str, Any]) -> "ModelBuilder":
        if isinstance(type, str):
            return self._item("forces", name, type, fields)
        fields = dict(fields)
        if "of" in fields:
            fields["of"] = _words(fields["of"], f"forces.{name}.of")
        potential = fields.get("potential")
        if potential is not None:
            if not callable(potential):
                raise TypeError(f"forces.{name}.potential: expected a function, found {potential!r}")
            fields["potential"] = f"{name}.potential"
        self._callable("forces", name, kind, type, fields)
        if potential is not None:
            self._functions[f"{name}.potential"] = potential
        return self

    @staticmethod
    def _of(name: str, fields: Dict[str, Any], advice: str) -> str:
        if "of" not in fields:
            raise TypeError(f"'{name}' has no 'of'; {advice}")
        return _words(fields["of"], f"{name}.of")

    def __repr__(self) -> str:
        counts = {key: len(value) for key, value in self._sections.items() if key in ("bodies", "joints", "drivers", "forces")}
        return f"<ModelBuilder '{self._name}': {', '.join(f'{n} {key}' for key, n in counts.items()) or 'empty'}>"


def planar(name: str = "", gravity: Optional[Sequence[Any]] = None) -> ModelBuilder:
    """Begins a model in the plane."""
    return ModelBuilder(name, True, gravity)


def spatial(name: str = "", gravity: Optional[Sequence[Any]] = None) -> ModelBuilder:
    """Begins a model in space."""
    return ModelBuilder(name, False, gravity)
