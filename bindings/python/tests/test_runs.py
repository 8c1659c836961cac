"""Every analysis, by its settings as keywords."""

import math
import os
import signal
import threading
import time

import mortise as mt
import numpy as np
import pytest
from conftest import pendulum_builder

SPRING = """
mortise: 1
name: Spring
dimension: planar
parameters: {k: 20}
bodies: {b: {mass: 2, inertia: 1, at: [1, 0]}}
joints: {g: {type: prismatic, between: [ground, b], at: [1, 0], axis: [1, 0]}}
forces:
  s: {type: spring-damper-actuator, between: [ground, b], stiffness: k, length: 0.8}
"""


def crank(kind, motor=True):
    b = (
        mt.planar("Crank", gravity=[0, -9.81])
        .body("crank", mass=1, inertia="1/12", at=[0, 0], center=[0.5, 0])
        .joint("A", "revolute", between=["ground", "crank"], at=[0, 0])
        .analysis(type=kind, until=1)
    )
    return (b.driver("motor", "rotation", joint="A", function="0.5*sin(2*t)") if motor else b).build()


def test_kinematics():
    r = crank("kinematics").run()
    assert abs(r["crank"].angle[-1] - 0.5 * math.sin(2)) < 1e-10


def test_inverse_dynamics():
    r = crank("inverse-dynamics").run()
    angle, second = 0.5 * math.sin(2), -2 * math.sin(2)
    assert abs(r["motor"].effort[-1] - (second / 3 + 0.5 * 9.81 * math.cos(angle))) < 1e-8


def test_assembly():
    r = crank("assemble").run()
    assert len(r) == 1 and r.status == "done"


def test_statics():
    e = mt.loads(SPRING).run(type="statics")
    assert isinstance(e, mt.Equilibrium) and e.stability == "stable" and e.dof == 1
    assert abs(e["b"].x[0] - 0.8) < 1e-9
    assert "stable" in repr(e)


def test_modes():
    m = mt.loads(SPRING).run(type="modes")
    assert len(m) == 1 and abs(m[0].omega - math.sqrt(20 / 2)) < 1e-8
    assert m.frequencies.shape == (1,) and m[0].shape.dtype == complex
    assert "Hz" in repr(m)
    r = m.animate(0)
    assert len(r) >= 60 and np.ptp(r["b"].x) > 0
    with pytest.raises(IndexError):
        m.animate(5)


def test_modes_as_a_file(tmp_path):
    mt.loads(SPRING).run(type="modes", output=tmp_path / "mode.h5")
    assert len(mt.open(tmp_path / "mode.h5")) >= 60


def test_sweep():
    s = mt.loads(SPRING).run(
        type="sweep", sweep={"of": "modes", "vary": {"k": [10, 20, 40]}, "quantities": ["mode1.frequency"]}
    )
    assert len(s) == 3 and np.array_equal(s["k"], [10, 20, 40])
    assert np.allclose(s["mode1.frequency"], np.sqrt(s["k"] / 2) / (2 * np.pi), atol=1e-8)
    assert s.failures == [None] * 3 and "k" in str(s) and "3 cases" in repr(s)
    with pytest.raises(mt.UnknownName, match="mode1.frequency"):
        s["mode1.frequenzy"]


@pytest.mark.parametrize("integrator", ["adams", "rk45", "rkv56", "rk78"])
def test_any_integrator_by_keyword(pendulum, integrator):
    r = pendulum.run(integrator=integrator, tolerance=1e-9)
    rate, angle = r["rod"].wz[-1], r["A"].angle[-1]
    assert abs(rate**2 + 3 * 9.81 / 1.2 * math.sin(angle)) < 1e-5


@pytest.mark.parametrize("formulation", ["udwadia-kalaba", "lagrange", "sparse"])
@pytest.mark.parametrize("stabilize", ["projection", "baumgarte", "none"])
def test_any_formulation_and_stabilisation(pendulum, formulation, stabilize):
    assert pendulum.run(formulation=formulation, stabilize=stabilize, until=0.2).status == "done"


def test_settings_may_be_dicts(pendulum):
    r = pendulum.run(stabilize={"type": "baumgarte", "alpha": 20, "beta": 20}, until=0.1)
    assert r.status == "done"


class StopHere(Exception):
    pass


def test_progress_is_told_and_may_end_the_run():
    told = []

    def progress(t, until):
        told.append((t, until))
        if len(told) >= 2:
            raise StopHere

    with pytest.raises(StopHere):
        endless().run(progress=progress)
    assert told[0][0] < told[1][0] < told[0][1] == 1e6


def endless():
    return pendulum_builder().build().changed(until=1e6, tolerance=1e-11, every=0.01)


def test_ctrl_c_ends_a_run_and_leaves_its_results(tmp_path):
    timer = threading.Timer(0.4, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt) as stopped:
        endless().run(output=tmp_path / "r.h5")
    assert time.monotonic() - begin < 30
    r = stopped.value.result
    assert r.status == "interrupted" and len(r) > 1 and np.isfinite(r["rod"].x).all()
    again = mt.open(tmp_path / "r.h5")
    assert again.status == "interrupted" and np.array_equal(again["rod"].x, r["rod"].x)


def test_ctrl_c_inside_a_python_force(tmp_path):
    model = pendulum_builder().force("slow", lambda t: (time.sleep(0.001), (0, 0))[1], body="rod").build()
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        model.run(until=1e6, output=tmp_path / "r.h5")
    assert mt.open(tmp_path / "r.h5").status in ("interrupted", "unfinished")


def test_ctrl_c_ends_a_sweep():
    model = mt.loads(pendulum_builder().build().text).changed(
        type="sweep", until=1e5, every=1e4,
        sweep={"of": "dynamics", "vary": {"L": [1, 2, 3]}, "quantities": ["rod.angle"]})  # fmt: skip
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        model.run()


def test_a_failed_run_keeps_what_it_had():
    m = mt.loads("""
mortise: 1
name: Pole
dimension: planar
bodies: {p: {type: particle, mass: 1, at: [0, 0]}}
forces: {f: {type: force, body: p, value: [1/(1 - t), 0]}}
analysis: {until: 2}
""")
    with pytest.raises(mt.SolveError) as error:
        m.run()
    e = error.value
    assert e.code.startswith("S4") and 0.9 < e.time <= 1.001 and e.result.status.startswith("failed")
    assert len(e.result) > 10 and e.result.t[-1] <= 1.0
    assert e.line == 6 and e.file == "model"


def test_threads_run_side_by_side(pendulum, five_bar):
    expected = [pendulum.run(until=1).q[-1], five_bar.run(until=1).q[-1]]
    found = {}

    def work(k, model):
        found[k] = model.run(until=1).q[-1]

    threads = [threading.Thread(target=work, args=(k, [pendulum, five_bar][k % 2])) for k in range(8)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert len(found) == 8 and all(np.array_equal(found[k], expected[k % 2]) for k in found)


def test_threads_may_write_files_at_the_same_time(tmp_path, pendulum):
    threads = [threading.Thread(target=lambda k=k: pendulum.run(output=tmp_path / f"{k}.h5")) for k in range(6)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    expected = pendulum.run().q
    assert all(np.array_equal(mt.open(tmp_path / f"{k}.h5").q, expected) for k in range(6))


def test_the_interpreter_is_free_during_a_run():
    counted = 0
    done = threading.Event()
    model = pendulum_builder().build()

    def work():
        model.run(until=200, tolerance=1e-11, every=1)
        done.set()

    threading.Thread(target=work).start()
    while not done.wait(0):
        counted += 1
    assert counted > 100
