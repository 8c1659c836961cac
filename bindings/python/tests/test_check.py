"""Diagnosis as objects."""

import math

import mortise as mt
import pytest

CONFLICT = """
mortise: 1
name: Two lengths
dimension: planar
bodies: {p: {type: particle, mass: 1, at: [1, 0]}}
joints:
  short: {type: distance, between: [ground, p], length: 1}
  long: {type: distance, between: [ground, p], length: 1.1}
"""


def test_five_bar_as_in_the_sketch(five_bar):
    d = five_bar.check()
    assert (d.dof, d.rank, d.rows, d.gruebler) == (1, 11, 12, 0)
    assert len(d.redundant) == 1 and d.ok and d.conflicts == []
    assert set(d.redundant[0].joints) == set("ABCDEF")
    assert d.gap > 1e6
    assert repr(d).startswith("Diagnosis(dof=1, rank=11, rows=12, redundant=[")
    assert "Mobility" in str(d) and str(d) == d.text
    assert d.reactions and "fx" in "".join(sum((r.not_unique for r in d.reactions.values()), []))


def test_dependencies_have_their_coefficients(five_bar):
    r = five_bar.check().redundant[0]
    assert r.row in r.coefficients and all(math.isfinite(c) for c in r.coefficients.values())


def test_motions_are_in_words_and_numbers(five_bar):
    motion = five_bar.check().motions[0]
    assert motion.words and set(motion.velocities) == {"left", "middle", "right", "coupler"}


def test_a_conflict_is_named_with_its_repair():
    m = mt.loads(CONFLICT)
    d = m.check()
    assert not d.ok
    assert {"short", "long"} == set(d.conflicts[0].joints)
    assert abs(abs(d.conflicts[0].repairs[d.conflicts[0].smallest_repair]) - 0.1) < 1e-3
    with pytest.raises(mt.ConflictError) as error:
        m.run()
    assert isinstance(error.value, mt.SolveError) and error.value.code.startswith("S4")


def test_relaxations_of_a_redundant_loop():
    from conftest import EXAMPLES

    d = mt.load(EXAMPLES / "gallery" / "four-bar-in-space.yaml").check() if (
        EXAMPLES / "gallery" / "four-bar-in-space.yaml"
    ).exists() else mt.load(EXAMPLES / "n-four-bar-spatial.yaml").check()
    assert d.redundant and any(g.relax_one_of or g.relax_all_of for g in d.groups)
