"""Forces, torques, drivers and systems of one's own, in Python."""

import gc
import math
import traceback

import mortise as mt
import numpy as np
import pytest
from conftest import pendulum_builder


def planet(force, potential=None):
    e = 0.5
    extra = {} if potential is None else {"potential": potential}
    return (
        mt.planar("Planet")
        .body("planet", "particle", mass=3, at=[1 - e, 0], velocity=[0, math.sqrt((1 + e) / (1 - e))])
        .force("sun", force, body="planet", of=["planet.x", "planet.y"], **extra)
        .analysis(integrator="rk78", tolerance=1e-12, until=2 * math.pi)
        .build()
    )


def attraction(x, y):
    r = math.hypot(x, y)
    return -3 * x / r**3, -3 * y / r**3


def test_a_force_keeps_a_planet_on_its_ellipse():
    r = planet(attraction, lambda x, y: -3 / math.hypot(x, y)).run()
    assert math.hypot(r["planet"].x[-1] - 0.5, r["planet"].y[-1]) < 1e-8
    assert r.energy.drift < 1e-10 and np.ptp(r.energy.total) < 1e-9
    assert np.allclose(r["sun"].fx, -3 * r["planet"].x / np.hypot(r["planet"].x, r["planet"].y) ** 3)


def test_without_a_potential_the_power_counts_as_applied():
    r = planet(attraction).run()
    assert np.ptp(r.energy.balance) < 1e-8 and np.abs(r.energy.applied).max() > 0.1


def test_a_force_equals_the_formula():
    def drag(vx, vy):
        return -0.3 * vx, -0.3 * vy

    python = pendulum_builder().force("drag", drag, body="rod.tip", of=["rod.tip.vx", "rod.tip.vy"]).build()
    formula = pendulum_builder().force("drag", "force", body="rod.tip", value=["-0.3*rod.tip.vx", "-0.3*rod.tip.vy"]).build()
    assert np.abs(python.run().q - formula.run().q).max() < 1e-12


def test_a_force_of_reactions_is_found_together_with_them():
    def load(fx):
        return 0.1 * fx, 0.0

    python = pendulum_builder().force("f", load, body="rod", of="A.reaction.fx").build()
    formula = pendulum_builder().force("f", "force", body="rod", value=["0.1*A.reaction.fx", 0]).build()
    assert np.abs(python.run().q - formula.run().q).max() < 1e-9


def test_a_force_between_two_bodies_keeps_momentum():
    m = (
        mt.planar("Pair")
        .body("a", "particle", mass=1, at=[0, 0])
        .body("b", "particle", mass=2, at=[1, 0], velocity=[0, 0.3])
        .force("s", lambda ax, ay, bx, by: (-4 * (bx - ax), -4 * (by - ay)), between=["a", "b"], of="a.x a.y b.x b.y")
        .build()
    )
    r = m.run(until=3)
    assert np.ptp(r["a"].vy + 2 * r["b"].vy) < 1e-9 and np.ptp(r["a"].vx + 2 * r["b"].vx) < 1e-9


def test_torques_in_the_plane():
    python = pendulum_builder().torque("brake", lambda w: -0.2 * w, body="rod", of="rod.wz").build()
    formula = pendulum_builder().force("brake", "torque", body="rod", value="-0.2*rod.wz").build()
    assert np.abs(python.run().q - formula.run().q).max() < 1e-12


@pytest.mark.parametrize("frame", ["world", "body"])
def test_forces_and_torques_in_space(frame):
    def body(b):
        return b.body("b", mass=1, inertia=[1, 2, 3], at=[0, 0, 0], angular_velocity=[0.1, 0.2, 2], points={"p": [0.5, 0, 0]})

    python = body(mt.spatial("Free")).force("f", lambda t: (1, t, 0), body="b.p", in_=frame)
    python.torque("brake", lambda w: [0, 0, -0.1 * w], body="b", of="b.wz", in_=frame)
    formula = body(mt.spatial("Free")).force("f", "force", body="b.p", value=[1, "t", 0], in_=frame)
    formula.force("brake", "torque", body="b", value=[0, 0, "-0.1*b.wz"], in_=frame)
    assert np.abs(python.run().q - formula.run().q).max() < 1e-11


def test_models_name_functions_and_files_are_loaded_with_them(tmp_path):
    m = planet(attraction)
    m.save(tmp_path / "planet.yaml")
    again = mt.load(tmp_path / "planet.yaml", functions={"sun": attraction})
    assert np.array_equal(again.run().q, m.run().q)
    with pytest.raises(mt.ModelError, match="(?s)M191.*functions=.*sun") as error:
        mt.load(tmp_path / "planet.yaml")
    assert error.value.code == "M191" and error.value.line
    with pytest.raises(mt.ModelError, match="did you mean 'sunn'"):
        mt.load(tmp_path / "planet.yaml", functions={"sunn": attraction})


def test_results_with_functions_are_opened_with_their_model(tmp_path):
    m = planet(attraction)
    r = m.run(output=tmp_path / "r.h5")
    assert np.array_equal(mt.open(tmp_path / "r.h5")["planet"].x, r["planet"].x)  # stored: needs no function
    again = mt.open(tmp_path / "r.h5", model=m)
    assert np.array_equal(again["sun"].fx, r["sun"].fx)


def test_exceptions_travel_out_unharmed():
    class Special(Exception):
        pass

    def inner(x):
        raise Special("deep down", x)

    def broken(x, y):
        return inner(x)

    with pytest.raises(Special, match="deep down") as error:
        planet(broken).run()
    text = "".join(traceback.format_exception(error.type, error.value, error.tb))
    assert "in inner" in text and "in broken" in text and 'raise Special("deep down", x)' in text


@pytest.mark.parametrize("integrator", ["adams", "rk45", "rkv56", "rk78", "rk4", "bdf"])
def test_exceptions_travel_through_every_integrator(integrator):
    calls = []

    def late(t):
        calls.append(t)
        if t > 0.05:
            raise ZeroDivisionError("late")
        return 0, 0

    m = pendulum_builder().force("f", late, body="rod").build()
    with pytest.raises(ZeroDivisionError, match="late") as error:
        m.run(integrator=integrator, step=1e-3)
    assert calls and len(error.value.result) >= 1


def test_exceptions_in_check_statics_and_simulation():
    def broken(t):
        raise LookupError("never")

    m = pendulum_builder().force("f", broken, body="rod").build()
    for work in (lambda: m.run(type="statics"), lambda: m.run(type="modes"), lambda: mt.Simulation(m).step(0.1)):
        with pytest.raises(LookupError, match="never"):
            work()


@pytest.mark.parametrize("answer", [None, 1.0, (1,), (1, 2, 3), "12", ("a", "b"), {}, object(), [1, None], {1, 2},
                                    np.zeros(3), np.zeros((2, 2)), b"12", (1, 1j)])  # fmt: skip
def test_wrong_answers_are_type_errors_by_name(answer):
    m = pendulum_builder().force("push", lambda t: answer, body="rod").build()
    with pytest.raises(TypeError, match="push"):
        m.run()


@pytest.mark.parametrize("answer", [(1, 2), [1, 2], np.array([1.0, 2.0]), (np.float32(1), np.int64(2)), (True, 0)])
def test_right_answers_in_any_form(answer):
    assert pendulum_builder().force("push", lambda t: answer, body="rod").run(until=0.01).status == "done"


@pytest.mark.parametrize("answer", [math.nan, math.inf])
def test_numbers_that_are_not_finite_blame_the_force(answer):
    m = pendulum_builder().force("push", lambda t: (answer, 0), body="rod").build()
    with pytest.raises(mt.SolveError, match="push"):
        m.run()


def test_the_wrong_number_of_arguments_is_pythons_own_error():
    with pytest.raises(TypeError, match="positional argument"):
        pendulum_builder().force("push", lambda a, b: (0, 0), body="rod").run()


def test_functions_live_as_long_as_the_model():
    class Callable:
        alive = 0

        def __init__(self):
            Callable.alive += 1

        def __del__(self):
            Callable.alive -= 1

        def __call__(self, t):
            return 0, 0

    m = pendulum_builder().force("push", Callable(), body="rod").build()
    sim = mt.Simulation(m)
    del m
    gc.collect()
    assert Callable.alive == 1
    sim.step(0.1)
    del sim
    gc.collect()
    assert Callable.alive == 0


def test_a_driver_follows_a_function_exactly():
    m = (
        pendulum_builder()
        .driver("motor", lambda t: 0.5 * mt.sin(2 * t) + t**2 / 10, of="A.angle")
        .build()
    )
    r = m.run(type="kinematics")
    assert np.abs(r["A"].angle - (0.5 * np.sin(2 * r.t) + r.t**2 / 10)).max() < 1e-10
    assert np.abs(r["A"].rate - (np.cos(2 * r.t) + r.t / 5)).max() < 1e-10
    assert np.abs(r["rod"].alphaz - (-2 * np.sin(2 * r.t) + 0.2)).max() < 1e-9


def test_a_driver_equals_the_formula():
    python = pendulum_builder().driver("d", lambda t: 0.3 * mt.sin(t), of="rod.y").build()
    formula = pendulum_builder().driver("d", "coordinate", body="rod", coordinate="y", function="0.3*sin(t)").build()
    assert np.abs(python.run(until=0.5).q - formula.run(until=0.5).q).max() < 1e-9


def test_explicit_derivatives():
    f = mt.explicit(lambda t: (0.1 * t * t, 0.2 * t, 0.2))
    r = pendulum_builder().driver("motor", f, of="A.angle").run(type="kinematics")
    assert np.abs(r["A"].angle - 0.1 * r.t**2).max() < 1e-10


def test_a_driven_angle_in_space():
    m = (
        mt.spatial("Fan")
        .body("b", mass=1, inertia=[1, 1, 1], at=[0, 0, 0])
        .joint("A", "revolute", between=["ground", "b"], at=[0, 0, 0], axis=[0, 0, 1])
        .driver("motor", lambda t: 3 * t, of="A.angle")
        .build()
    )
    r = m.run(type="kinematics", until=4)  # nearly two turns: angles in space are known up to full ones
    assert np.abs(r["b"].wz - 3).max() < 1e-9


def test_functions_of_math_say_what_to_use():
    with pytest.raises(TypeError, match="mortise.sin"):
        pendulum_builder().driver("motor", lambda t: math.sin(t), of="A.angle").run(type="kinematics")


class DoublePendulum(mt.System):
    velocities = 2

    def __init__(self, m1, m2, l1, l2, g):
        self.numbers = m1, m2, l1, l2, g

    def evaluate(self, t, q, v):
        m1, m2, l1, l2, g = self.numbers
        (a, b), (u, w) = q, v
        c, s = m2 * l1 * l2 * np.cos(a - b), m2 * l1 * l2 * np.sin(a - b)
        M = [[(m1 + m2) * l1**2, c], [c, m2 * l2**2]]
        Q = [-s * w * w - (m1 + m2) * g * l1 * np.sin(a), s * u * u - m2 * g * l2 * np.sin(b)]
        return {"M": M, "Q": Q}


def test_a_system_of_ones_own_moves_as_the_mechanism():
    run = mt.Stepper(DoublePendulum(1, 2, 0.8, 0.5, 9.81), [1.2, -0.3], tolerance=1e-12)
    run.advance_to(1)
    x, y = 0.8 * math.sin(1.2), -0.8 * math.cos(1.2)
    same = mt.Simulation(
        mt.planar("Double pendulum", gravity=[0, -9.81])
        .body("first", "particle", mass=1, at=[x, y])
        .body("second", "particle", mass=2, at=[x - 0.5 * math.sin(0.3), y - 0.5 * math.cos(0.3)])
        .joint("upper", "distance", between=["ground", "first"], length=0.8)
        .joint("lower", "distance", between=["first", "second"], length=0.5)
        .analysis(tolerance=1e-12)
        .build()
    )
    same.advance_to(1)
    assert abs(0.8 * math.sin(run.q[0]) + 0.5 * math.sin(run.q[1]) - same["second.x"]) < 1e-8
    assert run.t == 1 and run.evaluations > 0 and "DoublePendulum" in repr(run)


class Circle(mt.System):
    """A point on the unit circle, with gravity: x² + y² = 1, the row twice (redundant)."""

    velocities, rows = 2, 2

    def evaluate(self, t, q, v):
        row, bias, phi = 2 * q, -2 * v @ v, q @ q - 1
        return {"M": np.eye(2), "Q": [0, -9.81], "A": [row, row], "b": [bias, bias], "phi": [phi, phi]}


def test_a_system_with_redundant_rows():
    run = mt.Stepper(Circle(), [1, 0], [0, 0], tolerance=1e-11)
    run.advance_to(1)
    assert abs(run.q @ run.q - 1) < 1e-12 and abs(0.5 * run.v @ run.v + 9.81 * run.q[1]) < 1e-7
    assert run.multipliers.shape == (2,)


def test_exceptions_in_a_system():
    class Broken(mt.System):
        velocities = 1

        def evaluate(self, t, q, v):
            raise ArithmeticError("here")

    with pytest.raises(ArithmeticError, match="here"):
        mt.Stepper(Broken(), [0.0]).advance_to(1)


def test_a_force_acts_on_a_body_or_between_two():
    with pytest.raises(mt.ModelError, match="M192") as error:
        pendulum_builder().force("pull", lambda t: (1, 0)).build()
    assert error.value.code == "M192"
