"""Constraints of one's own, in Python."""

import math

import mortise as mt
import numpy as np
import pytest
from mortise.dual import Dual, row_function


def bead(row, **more):
    return (
        mt.planar("Bead", gravity=[0, -9.81])
        .body("bead", "particle", mass=0.3, at=[1, 1])
        .joint("wire", row, of=["bead.x", "bead.y"], **more)
        .analysis(tolerance=1e-11, until=3)
        .build()
    )


def test_a_bead_on_a_parabola():
    r = bead(lambda x, y: y - x**2).run()
    b = r["bead"]
    assert np.abs(b.y - b.x**2).max() < 1e-10
    assert np.abs(b.vx**2 + b.vy**2 - 2 * 9.81 * (1 - b.y)).max() < 1e-6
    assert "wire" in r.joints and r.energy.drift < 1e-8
    assert bead(lambda x, y: y - x**2).check().dof == 1


def test_it_moves_as_the_curve_joint_does():
    curve = (
        mt.planar("Bead", gravity=[0, -9.81])
        .body("bead", "particle", mass=0.3, at=[1, 1])
        .joint("wire", "point-on-curve", between=["ground", "bead"], curve=["s", "s^2"], from_=-2, to=2)
        .analysis(tolerance=1e-11, until=3)
    )
    expected = curve.run()
    assert np.abs(bead(lambda x, y: y - x**2).run()["bead"].x - expected["bead"].x).max() < 1e-6


def test_explicit_rows():
    explicit = mt.explicit(lambda x, y, vx, vy: (y - x**2, -2 * x, 1.0, -2 * vx**2))
    assert np.abs(bead(explicit).run().q - bead(lambda x, y: y - x**2).run().q).max() < 1e-9


def crank(row=None):
    b = (
        mt.planar("Two arms", gravity=[0, -9.81])
        .body("a", mass=1, inertia=0.1, at=[0.3, 0], points={"tip": [0.5, 0.1]})
        .body("b", mass=2, inertia=0.3, at=[1, 0.2], points={"eye": [-0.2, 0.1]})
        .joint("A", "revolute", between=["ground", "a"], at=[0, 0])
        .analysis(until=0.5, tolerance=1e-10)
    )
    length = math.hypot(1 - 0.2 - 0.8, 0.2 + 0.1 - 0.1)
    if row is None:
        return b.joint("rod", "distance", between=["a.tip", "b.eye"], length=length).build()
    return b.joint("rod", row, of="a.tip.x a.tip.y b.eye.x b.eye.y").build()


def test_a_row_between_two_bodies_is_a_rod():
    def rod(ax, ay, bx, by):
        return mt.sqrt((bx - ax) ** 2 + (by - ay) ** 2) - 0.2

    ours, theirs = crank(rod).run(), crank().run()
    assert np.abs(ours.q - theirs.q).max() < 1e-8
    assert np.abs(ours.multipliers[:, -1] - theirs.multipliers[:, -1]).max() < 1e-6


def test_a_row_in_space():
    def sphere(x, y, z):
        return mt.sqrt(x * x + y * y + z * z) - 1.5

    def build(b):
        return b.analysis(until=1, tolerance=1e-10).build()

    def body():
        return mt.spatial("Ball", gravity=[0, 0, -9.81]).body(
            "b", mass=1, inertia=[0.1, 0.2, 0.3], at=[1, 0, 0], angular_velocity=[1, 2, 3], points={"p": [0.5, 0, 0]}
        )

    ours = build(body().joint("rod", sphere, of="b.p.x b.p.y b.p.z")).run()
    theirs = build(body().joint("rod", "distance", between=["ground", "b.p"], length=1.5)).run()
    assert np.abs(ours.q - theirs.q).max() < 1e-8


def test_rows_of_angles():
    def gear(first, second):
        return second + 2 * first

    m = (
        mt.planar("Gears")
        .body("a", mass=1, inertia=1, at=[0, 0], angular_velocity=1)
        .body("b", mass=1, inertia=1, at=[1, 0], angular_velocity=-2)
        .joint("A", "revolute", between=["ground", "a"], at=[0, 0])
        .joint("B", "revolute", between=["ground", "b"], at=[1, 0])
        .joint("gear", gear, of=["A.angle", "B.angle"])
        .build()
    )
    r = m.run(until=2)
    assert np.abs(r["B"].angle + 2 * r["A"].angle).max() < 1e-10 and abs(r["a"].wz[-1] - 1) < 1e-9


@pytest.mark.parametrize("seed", range(10))
def test_derivatives_against_differences(seed):
    def f(x, y, z):
        return mt.sin(x * y) + mt.exp(-z) / (1 + y**2) - mt.sqrt(1 + x**2) * mt.cos(z) + mt.atan(y) * mt.tanh(x) + 2**z

    rng = np.random.default_rng(seed)
    x, v = rng.normal(size=3), rng.normal(size=3)
    value, *rest = row_function(f, 3)(*x, *v)
    gradient, second = np.array(rest[:3]), rest[3]
    h = 1e-5
    differences = [(f(*(x + h * e)) - f(*(x - h * e))) / (2 * h) for e in np.eye(3)]
    assert abs(value - f(*x)) < 1e-14 and np.abs(gradient - differences).max() < 1e-8
    h = 1e-3
    along = (f(*(x + h * v)) - 2 * f(*x) + f(*(x - h * v))) / h**2
    assert abs(second - along) < 1e-4 * max(1, abs(along))


def test_arithmetic_with_plain_numbers():
    x = Dual(2.0, [1.0], 1.0)
    for y, value, slope in [(3 - x, 1, -1), (x - 3, -1, 1), (6 / x, 3, -1.5), (x / 4, 0.5, 0.25), (2 * x, 4, 2), (-x, -2, -1),
                            (+x, 2, 1), (abs(-x), 2, 1), (x**3, 8, 12), (x**0, 1, 0), (x**1, 2, 1), (x**x, 4, 4 * (1 + math.log(2))),
                            (mt.log(x), math.log(2), 0.5), (mt.tan(x), math.tan(2), 1 + math.tan(2) ** 2)]:  # fmt: skip
        assert y.value == pytest.approx(value) and y.gradient[0] == pytest.approx(slope) and y.first == pytest.approx(slope)
    assert x > 1 and x >= 2 and x < 3 and x <= 2 and "Dual(2.0" in repr(x)


@pytest.mark.parametrize("of", [None, 1, "", [], "nobody.x", "bead.vx", ["bead.x"] * 20, "t"])
def test_what_rows_are_of(of):
    with pytest.raises((TypeError, mt.ModelError)):
        mt.planar("x").body("bead", "particle", mass=1).joint("wire", lambda *x: x[0], of=of).build()


def test_a_row_of_three_bodies_says_what_to_do():
    m = mt.planar("x")
    for name in "abc":
        m.body(name, "particle", mass=1)
    with pytest.raises(mt.ModelError, match="M193.*(?s:.*)coupling"):
        m.joint("row", lambda *x: sum(x), of="a.x b.x c.x").build()


@pytest.mark.parametrize("answer", [None, "x", (1, 2), object()])
def test_answers_of_rows(answer):
    with pytest.raises(TypeError, match="expected a number"):
        bead(lambda x, y: answer).run()


@pytest.mark.parametrize("answer", [1, (1, 2, 3), (1, 2, 3, 4, 5), None])
def test_answers_of_explicit_rows(answer):
    with pytest.raises(TypeError, match="wire"):
        bead(mt.explicit(lambda *x: answer)).run()


def test_exceptions_in_rows():
    def broken(x, y):
        raise LookupError("in a row")

    with pytest.raises(LookupError, match="in a row"):
        bead(broken).check()
    with pytest.raises(LookupError, match="in a row"):
        bead(broken).run()
