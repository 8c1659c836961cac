"""Sensors, PID and linear models as Python sees them; their numbers are tested in C++."""

import copy
import math

import numpy as np
import pytest

import mortise as mt


def test_linear_models_are_arrays_with_names(examples):
    m = mt.load(examples / "inverted-pendulum.yaml")
    s = m.linearize("carriage.x", "rod.angle", "pivot.reaction.fy")
    assert s.A.shape == (4, 4) and s.B.shape == (4, 1) and s.C.shape == (3, 4) and s.D.shape == (3, 1)
    assert s.inputs == ["push"] and s.outputs[1] == "rod.angle" and s.y[1] == pytest.approx(math.pi / 2)
    assert abs(s.y[2]) == pytest.approx(0.5 * 9.81)
    roots = [mode.root for mode in m.run(type="modes")]
    for root in roots:
        assert np.abs(s.poles - root).min() < 1e-6
    assert s.script.startswith("%") and "outputs = {'carriage.x'" in s.script
    assert m.linearize().outputs == ["p1", "p2"]
    with pytest.raises(mt.ModelError, match="rod.angle"):
        m.linearize("rod.angel")


def test_pid_and_sensor():
    pid = mt.Pid(2, i=3, period=0.1, most=10)
    assert pid(1) == 2 and pid(2) == pytest.approx(4 + 3 * 0.15)
    kept = copy.copy(pid)
    assert pid(3) == kept(3) and pid.integral == kept.integral
    with pytest.raises(ValueError, match="period"):
        mt.Pid(1, period=0)
    late = mt.Sensor("rod.x", delay=1, resolution=0.5)
    assert [late.told(x) for x in (0.2, 0.9, 2)] == [0, 0, 1]
    with pytest.raises(ValueError, match="delay"):
        mt.Sensor("rod.x", delay=-1)
    with pytest.raises(TypeError):
        mt.Pid(1)


def test_a_sensor_reads_a_simulation(examples):
    sim = mt.Simulation(mt.load(examples / "pendulum.yaml"))
    body = "bob"
    sensor = mt.Sensor(f"{body}.x", noise=0.1, seed=3)
    assert sensor.read(sim) == mt.Sensor(f"{body}.x", noise=0.1, seed=3).told(sim[f"{body}.x"])
    with pytest.raises(mt.ModelError):
        mt.Sensor("nobody.x").read(sim)
