"""Misuse: every wrong type, shape or number gives an exception of Python that names what is wrong; never a crash."""

import gc
import itertools
import math
import threading

import mortise as mt
import numpy as np
import pytest
from conftest import pendulum_builder
from mortise import _mortise

NAN, INF = math.nan, math.inf
NOT_A_TEXT = [None, 1, 1.5, [], {}, object(), b"x", ("a",)]
NOT_A_NUMBER = [None, "x", [], {}, object(), [1], 1j]
NOT_FINITE = [NAN, INF, -INF]
REFUSALS = (TypeError, ValueError, KeyError, mt.Error, OSError)


@pytest.fixture(scope="module")
def model():
    return pendulum_builder().input("u", 0).force("m", "torque", body="rod", value="input.u").build()


@pytest.fixture(scope="module")
def result(model):
    return model.run(until=0.1, every=0.01)


# ---- models


@pytest.mark.parametrize("path", [None, 1, 1.5, [], {}, object(), "", "no/such/file.yaml", "/", ".", "\0", "a\0b"])
def test_paths_of_models(path):
    with pytest.raises(REFUSALS):
        mt.load(path)


@pytest.mark.parametrize("text", [*NOT_A_TEXT, "", "a", "{", "mortise: 2", "mortise: 1", "mortise: 1\ndimension: flat",
                                  "mortise: 1\ndimension: planar\nbodies: {b: {mass: -1, inertia: 1}}", "\0", "🔩: 1",
                                  "&a [*a]", "a: &x 1\nb: *x", "- 1", "[" * 200])  # fmt: skip
def test_texts_of_models(text):
    with pytest.raises(REFUSALS):
        mt.loads(text)


@pytest.mark.parametrize("given", [1, "L=2", ["L=2"], {"l": 2}, {1: 2}, {"L": None}, {"L": object()}, {"L": NAN},
                                   {"L": INF}, {"L": ""}, {"": 1}, {"L": {}}, {"L": []}, {"L.x": 1}, {"bodies.x.mass": 1},
                                   {"bodies.rod.mass": -1}, {"bodies.rod.mass": "x"}, {"L": "1/0"}, {"L": 1j},
                                   {"L": b"1"}, {"..": 1}, {"include": "x"}, {"L": "\n"}, {"L": {1: 2}}])  # fmt: skip
def test_settings_of_models(model, given):
    with pytest.raises(REFUSALS):
        model.changed(given)


@pytest.mark.parametrize("name, value", [
    *itertools.product(["until", "tolerance", "every"], [None, "x", [], {}, object(), NAN, INF, 0, -1]),
    *itertools.product(["type", "integrator", "formulation", "stabilize", "reactions", "branch", "precision"],
                       [None, "nothing", 1, [], object(), ""]),
    ("untl", 1), ("lambda", 1), ("step", -1), ("modes", -1), ("modes", 1.5), ("bodies", ["nobody"]), ("joints", [1]),
    ("quantities", ["rod.q"]), ("quantities", 1), ("sweep", {}), ("sweep", {"vary": 1}), ("assemble", "perhaps"),
    ("max_step", NAN), ("rank_tolerance", 2),
])  # fmt: skip
def test_settings_of_runs(model, name, value):
    with pytest.raises(REFUSALS):
        model.run(**{name: value})


def test_a_misspelt_setting_names_the_nearest():
    with pytest.raises(TypeError, match="did you mean 'until'"):
        pendulum_builder().run(untill=1)


@pytest.mark.parametrize("output", [1, 1.5, [], {}, object(), "no/such/folder/r.h5", "/", ""])
def test_outputs(model, output):
    with pytest.raises(REFUSALS):
        model.run(until=0.01, output=output)


@pytest.mark.parametrize("progress", [1, "x", [], object()])
def test_progress(model, progress):
    with pytest.raises(TypeError, match="progress"):
        model.run(until=0.01, progress=progress)


@pytest.mark.parametrize("functions", [1, "x", [], {"f": 1}, {"f": None}, {1: print}])
def test_functions(examples, functions):
    with pytest.raises((TypeError, ValueError)):
        mt.load(examples / "pendulum.yaml", functions=functions)


@pytest.mark.parametrize("name", NOT_A_TEXT)
def test_names_of_items(name):
    with pytest.raises(TypeError):
        mt.planar("x").body(name, mass=1)
    with pytest.raises(TypeError):
        mt.planar(name)


@pytest.mark.parametrize("value", [None, object(), NAN, INF, -INF, 1j, b"1", {1: 2}, [None], [[NAN]], {"x": object()},
                                   np.array([NAN]), set()])  # fmt: skip
def test_values_of_fields(value):
    with pytest.raises(REFUSALS):
        mt.planar("x").body("b", mass=value).build()


@pytest.mark.parametrize("mass", ["", "x", "1/0", -1, [], {}, True, "[1]", "m +", 1e400])
def test_masses(mass):
    with pytest.raises(REFUSALS):
        mt.planar("x").body("b", mass=mass, inertia=1).build()


def test_values_that_contain_themselves():
    endless: list = []
    endless.append(endless)
    with pytest.raises((ValueError, RecursionError)):
        mt.planar("x").body("b", mass=1, inertia=1, at=endless).build()
    with pytest.raises((ValueError, RecursionError)):
        pendulum_builder().build().changed({"L": endless})


@pytest.mark.parametrize("type", [None, 1, [], "revolut", "", "python-force"])
def test_types_of_joints(type):
    with pytest.raises(REFUSALS):
        mt.planar("x").body("b", mass=1, inertia=1).joint("A", type, between=["ground", "b"], at=[0, 0]).build()


def test_a_name_twice():
    with pytest.raises(ValueError, match="already"):
        pendulum_builder().body("rod", mass=1)


@pytest.mark.parametrize("of", [None, 1, [1], {}, "nobody.x", ["rod.q"], "t" + " t" * 70, object()])
def test_arguments_of_forces(of):
    with pytest.raises(REFUSALS):
        pendulum_builder().force("f", lambda *x: (0, 0), body="rod", of=of).build().run(until=0.01)


@pytest.mark.parametrize("fields", [{}, {"body": "nobody"}, {"body": "rod", "between": ["ground", "rod"]}, {"body": "ground"},
                                    {"body": 1}, {"body": "rod", "potential": 1}, {"body": "rod", "extra": 1},
                                    {"body": "rod", "in_": "space"}])  # fmt: skip
def test_fields_of_forces(fields):
    with pytest.raises(REFUSALS):
        pendulum_builder().force("f", lambda t: (0, 0), **fields).build()


@pytest.mark.parametrize("of", [None, 1, "nobody.x", "A.angel", "rod.vx", "ground.x", [], ["A.angle", "rod.x"], ""])
def test_what_drivers_drive(of):
    with pytest.raises(REFUSALS):
        pendulum_builder().driver("d", lambda t: t, of=of).build()


@pytest.mark.parametrize("answer", [None, "x", (1, 2), [], object(), 1j])
def test_answers_of_drivers(answer):
    with pytest.raises(TypeError):
        pendulum_builder().driver("d", lambda t: answer, of="A.angle").run(type="kinematics")


@pytest.mark.parametrize("answer", [None, 1, (1, 2), (1, 2, 3, 4), ("a", 1, 2)])
def test_explicit_answers_of_drivers(answer):
    with pytest.raises(TypeError, match="'d'"):
        pendulum_builder().driver("d", mt.explicit(lambda t: answer), of="A.angle").run(type="kinematics")


# ---- results


@pytest.mark.parametrize("name", [None, 1, 1.5, 0, [], (), object(), b"rod", slice(None), ...])
def test_results_have_names(result, name):
    with pytest.raises(TypeError, match="names, not numbers"):
        result[name]


@pytest.mark.parametrize("name", ["", ".", "rod.", ".x", "rud", "rod.q", "rod.x.y", "A.reaction.fz", "A.reaction",
                                  "A.reaction.", "energy.totl", "input.v", "rod.tip.z", "a" * 10000, "rod\0x", "🔩"])  # fmt: skip
def test_names_that_do_not_exist(result, name):
    if name == "A.reaction":
        assert "fx" in repr(result[name])
        return
    with pytest.raises(mt.UnknownName):
        result[name]


def test_unknown_names_are_key_and_attribute_errors(result):
    with pytest.raises(KeyError, match="did you mean 'rod'"):
        result["rood"]
    with pytest.raises(AttributeError, match="did you mean 'rod.tip'"):
        result["rod"].tipp
    assert not hasattr(result["rod"], "nothing") and hasattr(result["rod"], "x")
    assert str(mt.UnknownName("plain")) == "plain"


@pytest.mark.parametrize("path", [None, 1, [], object(), "", "no.h5", "/", __file__])
def test_result_files(path):
    with pytest.raises(REFUSALS):
        mt.open(path)


@pytest.mark.parametrize("cut", [0, 1, 7, 100, 2000, 10000])
def test_truncated_and_damaged_files(tmp_path, result, cut):
    result.save(tmp_path / "r.h5")
    data = (tmp_path / "r.h5").read_bytes()
    (tmp_path / "cut.h5").write_bytes(data[: len(data) - cut - 1])
    (tmp_path / "bad.h5").write_bytes(data[: len(data) // 2] + b"\xff" * (cut + 1) + data[len(data) // 2 + cut + 1 :])
    for name in ("cut.h5", "bad.h5"):
        try:
            again = mt.open(tmp_path / name)
        except (mt.ResultError, mt.ModelError):
            continue
        assert np.array_equal(again.q, result.q)  # the damage hit a hole


@pytest.mark.parametrize("path", [None, 1, [], "no/such/folder/x.h5", "/", ""])
def test_saving_to_nowhere(result, model, path):
    with pytest.raises(REFUSALS):
        result.save(path)
    with pytest.raises(REFUSALS):
        model.save(path)


@pytest.mark.parametrize("attribute", ["x", "vx", "angle", "position", "velocity"])
def test_views_survive_everything(model, attribute):
    views = [getattr(model.run(until=0.05, every=0.01)["rod"], attribute) for _ in range(20)]
    gc.collect()
    assert all(np.array_equal(v, views[0]) for v in views)
    with pytest.raises(ValueError):
        views[0].setflags(write=True)
    with pytest.raises(ValueError):
        views[0].resize(1000, refcheck=False)


@pytest.mark.parametrize("call", [lambda r: r.array("no/such"), lambda r: r.array(1), lambda r: r.array(None),
                                  lambda r: r.quantity(None, "x"), lambda r: r.save(None)])  # fmt: skip
def test_the_native_recording(result, call):
    with pytest.raises(REFUSALS):
        call(result._recording)


def test_an_empty_recording():
    empty = _mortise.Recording()
    assert empty.frames == 0 and empty.paths == [] and empty.summary()["status"] == "unfinished"
    with pytest.raises(KeyError):
        empty.array("time")


# ---- simulations, systems, batches


@pytest.mark.parametrize("thing", [None, 1, "x", [], object(), mt.Simulation])
def test_simulations_of_something_else(thing):
    with pytest.raises(TypeError):
        mt.Simulation(thing)
    with pytest.raises(TypeError):
        mt.Model(thing)
    with pytest.raises(TypeError):
        mt.Batch(thing)
    with pytest.raises(TypeError):
        mt.Stepper(thing, [0.0])
    with pytest.raises(TypeError):
        mt.initial_state(thing)


@pytest.mark.parametrize("dt", [*NOT_A_NUMBER, *NOT_FINITE, 0, -1])
def test_steps(model, dt):
    with pytest.raises((TypeError, ValueError)):
        mt.Simulation(model).step(dt)


@pytest.mark.parametrize("t", [*NOT_A_NUMBER, *NOT_FINITE, -1])
def test_times(model, t):
    with pytest.raises((TypeError, ValueError)):
        mt.Simulation(model).advance_to(t)


@pytest.mark.parametrize("name", [*NOT_A_TEXT, "", "rod.q", "nobody.x", "🔩"])
def test_quantities_of_simulations(model, name):
    with pytest.raises((TypeError, mt.ModelError)):
        mt.Simulation(model).get(name)


@pytest.mark.parametrize("name, value", [("v", 1), ("", 1), (None, 1), (1, 1), ("u", None), ("u", "x"), ("u", NAN),
                                         ("u", INF), ("u", []), ("u", 1j)])  # fmt: skip
def test_inputs(model, name, value):
    with pytest.raises((TypeError, ValueError, mt.ModelError)):
        mt.Simulation(model).set(name, value)


@pytest.mark.parametrize("period, function", [(0, print), (-1, print), (NAN, print), (None, print), ("x", print),
                                              (1, None), (1, 1), (1, "x"), (INF, print)])  # fmt: skip
def test_callbacks(model, period, function):
    with pytest.raises((TypeError, ValueError)):
        mt.Simulation(model).every(period, function)


@pytest.mark.parametrize("state", [None, 1, "x", [], object()])
def test_states(model, state):
    with pytest.raises(TypeError):
        mt.Simulation(model).restore(state)


class Point(mt.System):
    velocities = 2

    def __init__(self, answer):
        self.answer = answer

    def evaluate(self, t, q, v):
        return self.answer


GOOD = {"M": np.eye(2), "Q": [0, -1]}


@pytest.mark.parametrize("answer", [None, 1, [], "x", {}, {"M": 1}, {"M": np.eye(2)}, {"M": np.eye(3), "Q": [0, 0]},
                                    {"M": [1, 1], "Q": [0, 0]}, {"M": np.eye(2), "Q": [0]}, {"M": np.eye(2), "Q": [[0, 0]]},
                                    {"M": "x", "Q": [0, 0]}, {"M": None, "Q": [0, 0]}, {**GOOD, "q": 1}, {**GOOD, "A": [1]},
                                    {**GOOD, 1: 2}, {**GOOD, "kinetic": "x"}, {**GOOD, "M": np.full((2, 2), NAN)},
                                    {**GOOD, "Q": [INF, 0]}, {**GOOD, "M": np.zeros((2, 2))}, {**GOOD, "Q": [[0], [0, 1]]},
                                    {**GOOD, "Q": [1j, 0]}])  # fmt: skip
def test_answers_of_systems(answer):
    with pytest.raises(REFUSALS):
        mt.Stepper(Point(answer), [0, 0]).advance_to(1)


@pytest.mark.parametrize("q, v", [(None, None), ([], None), ([0], None), ([0, 0, 0], None), ("ab", None), ([0, NAN], None),
                                  ([0, 0], [0]), ([0, 0], [0, INF]), ([[0, 0]], None), (0, 0), ([None, 0], None)])  # fmt: skip
def test_starts_of_systems(q, v):
    with pytest.raises((TypeError, ValueError)):
        mt.Stepper(Point(GOOD), q, v)


@pytest.mark.parametrize("name, value", [("tolerance", -1), ("tolerance", "x"), ("integrator", "nothing"), ("untl", 1),
                                         ("formulation", 1), ("tolerance", None), ("stabilize", object())])  # fmt: skip
def test_settings_of_systems(name, value):
    with pytest.raises(REFUSALS):
        mt.Stepper(Point(GOOD), [0, 0], **{name: value})


@pytest.mark.parametrize("velocities", [0, -1, None, "2", 1.5])
def test_sizes_of_systems(velocities):
    system = Point(GOOD)
    system.velocities = velocities
    with pytest.raises((TypeError, ValueError)):
        mt.Stepper(system, [0, 0])


def test_a_system_that_uses_its_own_stepper():
    class Greedy(mt.System):
        velocities = 1
        stepper = None

        def evaluate(self, t, q, v):
            if self.stepper is not None:
                self.stepper.advance_to(5)
            return {"M": [[1]], "Q": [0]}

    system = Greedy()
    system.stepper = mt.Stepper(system, [0.0])
    with pytest.raises(RuntimeError, match="in use"):
        system.stepper.advance_to(1)


@pytest.mark.parametrize("starts", [[], [1], [None, 1], [([0], [0])], [([0, 0, 0], [0, 0])], ["ab"], [([NAN, 0, 0], [0, 0, 0])],
                                    [([[0, 0, 0]], [0, 0, 0])], [("abc", "abc")], [([0, 0, 0],)], 1])  # fmt: skip
def test_starts_of_batches(model, starts):
    with pytest.raises(REFUSALS):
        mt.Batch(model, starts, step=1e-3)


@pytest.mark.parametrize("step", [None, "x", -1, NAN, [], INF])
def test_steps_of_batches(model, step):
    with pytest.raises(REFUSALS):
        mt.Batch(model, step=step).advance(0.01)


@pytest.mark.parametrize("t", [*NOT_A_NUMBER, NAN, INF, -1])
def test_times_of_batches(model, t):
    with pytest.raises((TypeError, ValueError)):
        mt.Batch(model, step=1e-3).advance(t)


@pytest.mark.parametrize("name", [*NOT_A_TEXT, "rod.q", ""])
def test_quantities_of_batches(model, name):
    with pytest.raises((TypeError, mt.ModelError)):
        mt.Batch(model, step=1e-3)[name]


def test_batches_of_different_models(model, five_bar):
    batch = mt.Batch([model, five_bar], step=1e-3)
    batch.advance(0.01)
    with pytest.raises(RuntimeError, match="one size"):
        batch.q


# ---- threads


def test_many_threads_on_one_result(result):
    expected = result["rod.tip.x"].copy()
    wrong = []

    def work():
        for _ in range(50):
            fresh = mt.Result(result._recording, result.model)
            if not np.array_equal(fresh["rod"].tip.x, expected):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(6)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert not wrong


def test_threads_whose_forces_are_in_python():
    m = pendulum_builder().force("f", lambda t: (0.1, 0), body="rod").build()
    expected = m.run(until=0.2).q[-1]
    found = []
    threads = [threading.Thread(target=lambda: found.append(m.run(until=0.2).q[-1])) for _ in range(5)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert len(found) == 5 and all(np.array_equal(q, expected) for q in found)


def test_errors_of_models_have_code_and_place(tmp_path):
    (tmp_path / "m.yaml").write_text("mortise: 1\ndimension: planar\nbodies:\n  b: {mass: 1, inertia: 1}\njoints:\n"
                                     "  A: {type: revolut, between: [ground, b], at: [0, 0]}\n")  # fmt: skip
    with pytest.raises(mt.ModelError, match="did you mean 'revolute'") as error:
        mt.load(tmp_path / "m.yaml")
    e = error.value
    assert (e.code, e.line, e.column) == ("M203", 6, 13) and e.file == str(tmp_path / "m.yaml")
    assert len(e.diagnostics) == 1 and e.diagnostics[0].hint


def test_errors_of_settings_name_the_keyword(model):
    with pytest.raises(mt.ModelError, match="until=-1") as error:
        model.run(until=-1)
    assert "--set" not in str(error.value)
