"""Results: names, views, energies, files."""

import gc
import subprocess
import sys

import mortise as mt
import numpy as np
import pytest


def test_names_not_indices(five_bar_result):
    r = five_bar_result
    assert r["coupler"].x.shape == r.t.shape == (len(r),)
    assert r["coupler.x"] is not None and np.array_equal(r["coupler.x"], r["coupler"].x)
    assert r["A"].reaction.fx.shape == r.t.shape
    assert r.energy.drift < 1e-5 and r.energy.total.shape == r.t.shape
    assert r.status == "done" and r.summary["steps"] > 0
    assert r["coupler"].position.shape == (len(r), 2)
    assert np.array_equal(r["coupler"].position[:, 0], r["coupler"].x)
    assert "coupler" in r and "coupler.x" in r and "coupla" not in r


@pytest.mark.parametrize("name", ["coupler.x", "coupler.vx", "coupler.ax", "coupler.wz", "coupler.alphaz", "coupler.angle",
                                  "A.reaction.fx", "A.reaction.fy", "A.reaction.tz", "energy.kinetic",
                                  "energy.potential", "constraint.position"])  # fmt: skip
def test_stored_views_are_the_named_quantities(five_bar_result, name):
    """The view of what is stored agrees with what the engine computes under the name."""
    r = five_bar_result
    computed = r._recording.quantity(r.model._native, name)
    scale = max(1e-9, np.abs(computed).max())
    assert np.allclose(r[name], computed, rtol=0, atol=1e-12 * scale)


@pytest.mark.parametrize("column", ["x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz", "ax",
                                    "ay", "az", "alphax", "alphay", "alphaz"])  # fmt: skip
def test_stored_views_in_space(spatial_result, column):
    r = spatial_result
    name = f"{r.bodies[-1]}.{column}"
    computed = r._recording.quantity(r.model._native, name)
    assert np.allclose(r[name], computed, rtol=0, atol=1e-11 * max(1e-9, np.abs(computed).max()))


def test_arrays_are_views_without_copies(five_bar_result):
    r = five_bar_result
    x, y = r["coupler"].x, r["coupler"].y
    assert not x.flags.owndata and not y.flags.owndata
    assert np.shares_memory(x, r["coupler"].position) and np.shares_memory(x, r._array("bodies/position"))
    assert x.__array_interface__["data"][0] + 8 == y.__array_interface__["data"][0]


@pytest.mark.parametrize("name", ["t", "coupler.x", "A.reaction.fx", "energy.total", "energy.kinetic", "A.angle"])
def test_arrays_are_read_only(five_bar_result, name):
    with pytest.raises(ValueError):
        five_bar_result[name][0] = 1


def test_views_outlive_the_result(pendulum):
    r = pendulum.run()
    x, expected = r["rod"].x, r["rod"].x.copy()
    model_alive = r.model
    del r, model_alive
    gc.collect()
    junk = [np.full(100_000, np.nan) for _ in range(50)]  # what was freed would be overwritten
    assert np.array_equal(x, expected) and junk


def test_quaternions_say_their_order(spatial_result):
    q = spatial_result[spatial_result.bodies[0]].orientation
    assert q.wxyz.shape == q.xyzw.shape == (len(spatial_result), 4)
    assert np.array_equal(q.wxyz[:, 0], q.xyzw[:, 3]) and np.array_equal(q.wxyz[:, 1:], q.xyzw[:, :3])
    assert np.allclose((q.wxyz**2).sum(axis=1), 1)
    assert not q.wxyz.flags.owndata
    with pytest.raises(AttributeError):
        q.array


def test_planar_bodies_have_an_angle_instead(five_bar_result):
    with pytest.raises(AttributeError, match="angle"):
        five_bar_result["coupler"].orientation


def test_points_joints_and_their_own_coordinates(pendulum):
    r = pendulum.run()
    assert np.allclose(r["rod"].tip.x, 1.2 * np.cos(r["A"].angle), atol=1e-9)
    assert np.allclose(r["A"].rate, r["rod"].wz)
    assert set(dir(r["rod"])) >= {"x", "y", "angle", "tip", "position"}
    assert "reaction" in repr(r["A"])


def test_kinetic_energy_by_hand(pendulum):
    r = pendulum.run()
    inertia = 2 * 1.2**2 / 12
    kinetic = 0.5 * 2 * (r["rod"].vx ** 2 + r["rod"].vy ** 2) + 0.5 * inertia * r["rod"].wz ** 2
    assert np.allclose(r.energy.kinetic, kinetic, atol=1e-9)
    assert np.ptp(r.energy.total) < 1e-6


def test_output_quantities_are_stored(pendulum):
    r = pendulum.run(quantities=["rod.tip.y"])
    assert not r["rod.tip.y"].flags.owndata and "rod.tip.y" in r.names


def test_files_hold_the_same_numbers(tmp_path, pendulum):
    r = pendulum.run(output=tmp_path / "run.h5")
    r.save(tmp_path / "saved.h5")
    for name in ("run.h5", "saved.h5"):
        again = mt.open(tmp_path / name)
        assert again.status == "done" and len(again) == len(r)
        for path in r._recording.paths:
            assert np.array_equal(again._array(path), r._array(path), equal_nan=True)
        assert np.array_equal(again["rod"].tip.x, r["rod"].tip.x)
        assert again.summary["steps"] == r.summary["steps"]
        assert again.model.text == r.model.text


def test_the_program_gives_the_same_bits(tmp_path, examples, program):
    subprocess.run([program, "run", examples / "five-bar.yaml", "-o", tmp_path / "cli.h5", "-q", "--set",
                    "analysis.until=3"], check=True)  # fmt: skip
    cli, ours = mt.open(tmp_path / "cli.h5"), mt.load(examples / "five-bar.yaml").run(until=3)
    assert np.array_equal(cli.q, ours.q) and np.array_equal(cli.multipliers, ours.multipliers)


def test_the_program_reads_what_we_save(tmp_path, pendulum, program):
    pendulum.run().save(tmp_path / "r.h5")
    out = subprocess.run([program, "probe", tmp_path / "r.h5", "rod.tip.y", "--at", "1"], check=True, capture_output=True)
    assert b"rod.tip.y" in out.stdout


def test_restricted_files_say_what_they_keep(tmp_path, five_bar):
    r = five_bar.run(until=0.5, bodies=["coupler"], joints=["A"], output=tmp_path / "r.h5")
    again = mt.open(tmp_path / "r.h5")
    assert again.bodies == ["coupler"] and np.array_equal(again["coupler"].x, r["coupler"].x)
    with pytest.raises(mt.UnknownName):
        again["left"]


def test_events_are_in_the_ledger(tmp_path, examples):
    r = mt.load(examples / "slip-to-roll.yaml").run(output=tmp_path / "e.h5")
    assert r.events and r.events[0].what and r.events[0].t > 0
    r.save(tmp_path / "saved.h5")
    assert mt.open(tmp_path / "saved.h5").events == r.events == mt.open(tmp_path / "e.h5").events


def test_float32_results(five_bar):
    r = five_bar.run(until=0.2, precision="float32")
    assert np.array_equal(r["coupler"].x, r["coupler"].x.astype(np.float32))


def test_a_result_needs_no_model_of_its_own(tmp_path, pendulum):
    """In a fresh interpreter, from the file alone."""
    pendulum.run(output=tmp_path / "r.h5")
    code = f"import mortise as mt; r = mt.open({str(tmp_path / 'r.h5')!r}); print(r['A'].angle[-1])"
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert float(out.stdout) == pendulum.run()["A"].angle[-1]


def test_repr_tells_what_it_is(five_bar_result):
    assert "frames" in repr(five_bar_result) and "done" in repr(five_bar_result)
    assert "x" in repr(five_bar_result["coupler"])


def test_completion_of_keys(five_bar_result):
    assert {"coupler", "A", "energy"} <= set(five_bar_result._ipython_key_completions_())
    assert "coupler.x" in list(five_bar_result)
