"""Names with dots as attributes: ``r["A"].reaction.fx``."""

from __future__ import annotations

from typing import Any, Callable, Iterable, List, Set

from . import _mortise
from .errors import UnknownName


def unknown(name: str, known: Iterable[str], what: str) -> UnknownName:
    """The error for a name that does not exist, with the nearest that does."""
    known = list(known)
    near = _mortise.nearest_name(name, known)
    if near:
        return UnknownName(f"there is no {what} '{name}'; did you mean '{near}'?")
    shown = ", ".join(known[:12]) + (", …" if len(known) > 12 else "")
    return UnknownName(f"there is no {what} '{name}'" + (f"; there are: {shown}" if shown else ""))


class NameTree:
    """All names of a result, and which of them continue a prefix."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names: Set[str] = set(names)
        self._next: dict[str, list[str]] = {}
        for name in names:
            parts = name.split(".")
            for k in range(len(parts)):
                below = self._next.setdefault(".".join(parts[:k]), [])
                if parts[k] not in below:
                    below.append(parts[k])

    def below(self, prefix: str) -> List[str]:
        return self._next.get(prefix, [])

    def is_prefix(self, name: str) -> bool:
        return name in self._next


class Item:
    """A body, joint, force or group of quantities; its attributes are quantities, as arrays over the frames."""

    def __init__(self, name: str, tree: Callable[[], NameTree], get: Callable[[str], Any]) -> None:
        self._name, self._tree, self._get = name, tree, get  # the tree is made when it is needed: it takes the model

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        return self[attribute]

    def __getitem__(self, key: str) -> Any:
        if not isinstance(key, str):
            raise TypeError(f"'{self._name}' has names, not numbers: expected a text, found {key!r}")
        return self._get(f"{self._name}.{key}")

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *self._tree().below(self._name)]

    def __repr__(self) -> str:
        return f"<{self._name}: {', '.join(self._tree().below(self._name))}>"
