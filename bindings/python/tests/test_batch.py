"""Batches: copies side by side."""

import threading

import mortise as mt
import numpy as np
import pytest
from conftest import pendulum_builder


def starts(model, count, seed=1):
    q, v = mt.initial_state(model)
    rng = np.random.default_rng(seed)
    return [(q, v + rng.normal(0, 1e-3, v.shape)) for _ in range(count)]


def test_copies_differ_in_their_states(pendulum):
    batch = mt.Batch(pendulum, starts(pendulum, 9), step=1e-3)
    begin = batch.energy
    batch.advance(0.5)
    assert len(batch) == 9 and batch.q.shape == (9, 3) and batch.v.shape == (9, 3)
    assert np.abs(batch.energy - begin).max() < 1e-6 and batch.t == 0.5
    assert np.ptp(batch["rod.angle"]) > 0 and batch.failures == [None] * 9
    assert "9 copies" in repr(batch)


def test_a_copy_is_the_ordinary_run(pendulum):
    batch = mt.Batch(pendulum, step=1e-3)
    batch.advance(1)
    r = pendulum.run(integrator="rk4", step=1e-3)
    assert np.abs(batch.q[0] - r.q[-1]).max() < 1e-9
    assert abs(batch["A.reaction.fy"][0] - r["A"].reaction.fy[-1]) < 1e-6


def test_copies_differ_in_their_parameters(pendulum):
    lengths = [0.8, 1.0, 1.2, 1.4, 1.6]
    batch = mt.Batch([pendulum.changed({"L": L}) for L in lengths], step=1e-3)
    batch.advance(0.3)
    for k, L in enumerate(lengths):
        alone = mt.Batch(pendulum.changed({"L": L}), step=1e-3)
        alone.advance(0.3)
        assert np.array_equal(alone.q[0], batch.q[k])


@pytest.mark.parametrize("threads", [1, 2])
def test_the_same_bits_for_any_number_of_threads(pendulum, threads):
    a = mt.Batch(pendulum, starts(pendulum, 16), step=1e-3, threads=threads)
    a.advance(0.2)
    b = mt.Batch(pendulum, starts(pendulum, 16), step=1e-3)
    b.advance(0.2)
    assert np.array_equal(a.q, b.q)


def test_the_interpreter_is_free_meanwhile(pendulum):
    batch = mt.Batch(pendulum, starts(pendulum, 64), step=1e-4)
    done = threading.Event()
    refused = 0

    def work():
        batch.advance(0.5)
        done.set()

    threading.Thread(target=work).start()
    counted = 0
    while not done.wait(0):
        counted += 1
        try:
            batch.t
        except RuntimeError:
            refused += 1
    assert counted > 100 and refused > 0


def test_python_forces_in_a_batch():
    m = pendulum_builder().force("drag", lambda vx, vy: (-0.3 * vx, -0.3 * vy), body="rod", of="rod.vx rod.vy").build()
    formula = pendulum_builder().force("drag", "force", body="rod", value=["-0.3*rod.vx", "-0.3*rod.vy"]).build()
    ours, theirs = mt.Batch(m, starts(m, 6), step=1e-3), mt.Batch(formula, starts(m, 6), step=1e-3)
    ours.advance(0.05)
    theirs.advance(0.05)
    assert np.abs(ours.q - theirs.q).max() < 1e-12


def test_exceptions_leave_a_batch():
    def broken(t):
        if t > 0.005:
            raise LookupError("in a copy")
        return 0, 0

    m = pendulum_builder().force("f", broken, body="rod").build()
    with pytest.raises(LookupError, match="in a copy"):
        mt.Batch(m, starts(m, 5), step=1e-3).advance(0.05)
