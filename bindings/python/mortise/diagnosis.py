"""What ``check`` found, as objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List


@dataclass(frozen=True)
class Motion:
    """A way in which the mechanism can move at this pose."""

    words: str
    local: bool  #: of one body alone, while all others stand still
    velocities: Dict[str, List[float]]  #: of the bodies that move, as in the state


@dataclass(frozen=True)
class Redundancy:
    """A row that follows from others."""

    row: str
    kind: str  #: "structural", "by dimensions", "pose" or "unknown": when it is lost
    joints: List[str]
    coefficients: Dict[str, float]  #: the sum of these times the rows is zero

    def __repr__(self) -> str:
        return f"<{self.row} {self.kind}: follows from {', '.join(self.joints)}>"


@dataclass(frozen=True)
class Relaxation:
    """A joint that could allow more without a new motion."""

    joint: str
    to: str
    rows: int  #: that it has less


@dataclass(frozen=True)
class RedundantGroup:
    """Redundancies of the same joints, and what would leave none."""

    joints: List[str]
    redundancies: List[int]  #: indices into ``Diagnosis.redundant``
    relax_one_of: List[Relaxation]
    relax_all_of: List[Relaxation]


@dataclass(frozen=True)
class Conflict:
    """Rows that cannot hold together."""

    level: str  #: "position", "velocity" or "acceleration"
    joints: List[str]
    repairs: Dict[str, float]  #: what each row would have to give in, alone
    smallest_repair: str

    def __repr__(self) -> str:
        return f"<{self.level}: {', '.join(self.joints)}; {self.smallest_repair} by {self.repairs[self.smallest_repair]:.6g}>"


@dataclass(frozen=True)
class JointReaction:
    """Which components of a joint's reaction rigid bodies decide, in the axes of its second frame."""

    unique: List[str]
    not_unique: List[str]


@dataclass(frozen=True, repr=False)
class Diagnosis:
    """Freedoms, redundant rows, conflicts and reactions of a model at its assembled pose. ``print`` shows the report."""

    dof: int
    rank: int
    rows: int
    coordinates: int
    gruebler: int
    local_mobilities: int
    gap: float  #: how clear the rank is
    smallest_kept: float
    largest_dropped: float
    assembled: bool  #: False: diagnosed at the best compromise
    position_error: float
    redundant: List[Redundancy]
    groups: List[RedundantGroup]
    conflicts: List[Conflict]
    motions: List[Motion]
    reactions: Dict[str, JointReaction]  #: of joints with a component that is not unique
    near_singular: List[str]
    warnings: List[str]
    text: str  #: the report of ``mortise check``

    def __repr__(self) -> str:
        return (
            f"Diagnosis(dof={self.dof}, rank={self.rank}, rows={self.rows}, "
            f"redundant={self.redundant}, conflicts={self.conflicts})"
        )

    def __str__(self) -> str:
        return self.text

    @property
    def ok(self) -> bool:
        """All joints and drivers can hold together."""
        return self.assembled and not self.conflicts


def from_native(d: Dict[str, Any]) -> Diagnosis:
    def relaxations(items: List[Dict[str, Any]]) -> List[Relaxation]:
        return [Relaxation(**r) for r in items]

    made = dict(
        redundant=[Redundancy(**r) for r in d["redundant"]],
        groups=[
            RedundantGroup(g["joints"], g["redundancies"], relaxations(g["relax_one_of"]), relaxations(g["relax_all_of"]))
            for g in d["groups"]
        ],
        conflicts=[Conflict(**c) for c in d["conflicts"]],
        motions=[Motion(**m) for m in d["motions"]],
        reactions={joint: JointReaction(**r) for joint, r in d["reactions"].items()},
    )
    return Diagnosis(**{**d, **made})
