"""Simulation: steps, inputs, states, controllers."""

import os
import signal
import threading

import mortise as mt
import pytest
from conftest import pendulum_builder


def driven():
    return pendulum_builder().input("torque", 0).force("motor", "torque", body="rod", value="input.torque").build()


def test_steps_land_exactly():
    sim = mt.Simulation(driven())
    for _ in range(10):
        sim.step(0.1)
    assert sim.t == 10 * 0.1 and sim["rod.x"] == sim.get("rod.x") and "at t = 1" in repr(sim)
    sim.advance_to(1.5)
    assert sim.t == 1.5 and sim.steps > 0


def test_inputs_act():
    sim = mt.Simulation(driven())
    sim["torque"] = 2 * 9.81 * 0.6  # holds the rod level
    sim.advance_to(1)
    assert abs(sim["rod.angle"]) < 1e-9 and sim["input.torque"] == 2 * 9.81 * 0.6
    sim["input.torque"] = 0
    assert sim["input.torque"] == 0


def test_states_branch_with_the_same_bits():
    sim = mt.Simulation(driven())
    sim.advance_to(0.3)
    kept = sim.state()
    sim.advance_to(0.7)
    first = sim["rod.angle"]
    sim.restore(kept)
    assert sim.t == 0.3
    sim.advance_to(0.7)
    assert sim["rod.angle"] == first
    other = mt.Simulation(driven())
    other.restore(kept)
    other.advance_to(0.7)
    assert other["rod.angle"] == first and kept.q.shape == (3,) and kept.same_bits(kept)


def test_a_sampled_controller():
    sim = mt.Simulation(driven(), integrator="rkv56", tolerance=1e-9)
    samples = []

    def control(s):
        samples.append(s.t)
        s.set("torque", 2 * 9.81 * 0.6 - 40 * s.get("rod.angle") - 8 * s["rod.wz"])

    sim.every(0.01, control)
    sim.advance_to(0.5)
    assert len(samples) == 51 and samples[3] == 3 * 0.01 and abs(sim["rod.angle"]) < 0.02


def test_an_exception_in_a_callback_comes_out_as_it_was():
    sim = mt.Simulation(driven())

    class Special(Exception):
        pass

    def control(s):
        raise Special("from within")

    sim.every(0.1, control)
    with pytest.raises(Special, match="from within") as error:
        sim.advance_to(1)
    names = [entry.name for entry in error.traceback]
    assert "control" in names


def test_a_callback_may_not_advance():
    sim = mt.Simulation(driven())
    sim.every(0.1, lambda s: s.step(0.1))
    with pytest.raises(RuntimeError, match="may not advance"):
        sim.advance_to(1)


def test_one_thread_at_a_time():
    sim = mt.Simulation(driven(), tolerance=1e-12)
    inside, leave = threading.Event(), threading.Event()

    def control(s):
        inside.set()
        leave.wait(20)

    sim.every(1.0, control)
    worker = threading.Thread(target=lambda: sim.advance_to(0.5))
    worker.start()
    assert inside.wait(20)
    for call in (lambda: sim.t, lambda: sim.get("rod.x"), lambda: sim.step(0.1), sim.state, lambda: sim.set("torque", 1)):
        with pytest.raises(RuntimeError, match="another thread"):
            call()
    leave.set()
    worker.join()
    assert sim.t == 0.5


def test_events_of_a_simulation(examples):
    sim = mt.Simulation(mt.load(examples / "slip-to-roll.yaml"))
    r = mt.load(examples / "slip-to-roll.yaml").run()
    sim.advance_to(r.t[-1])
    assert [e.what for e in sim.events] == [e.what for e in r.events]


def test_a_state_of_another_model_is_refused(five_bar):
    with pytest.raises(ValueError, match="another model|other inputs"):
        mt.Simulation(five_bar).restore(mt.Simulation(driven()).state())


def test_ctrl_c_leaves_a_simulation_that_goes_on():
    sim = mt.Simulation(driven(), tolerance=1e-11)
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        sim.advance_to(1e6)
    here = sim.t
    assert 0 < here < 1e6
    sim.step(0.01)
    assert sim.t == pytest.approx(here + 0.01)
