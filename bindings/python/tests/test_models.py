"""Models: files, builders, settings, text."""

import mortise as mt
import numpy as np
import pytest
from conftest import pendulum_builder


def test_a_file_is_loaded_with_its_names(five_bar):
    assert five_bar.dimension == 2
    assert five_bar.bodies == ["left", "middle", "right", "coupler"]
    assert set("ABCDEF") <= set(five_bar.joints)
    assert "coupler.x" in five_bar.quantities and "energy.total" in five_bar.quantities
    assert "4 bodies" in repr(five_bar) and "planar" in repr(five_bar)


def test_a_path_may_be_a_text(examples):
    assert mt.load(str(examples / "pendulum.yaml")).bodies


@pytest.mark.parametrize("value", [2, 2.0, np.float64(2), np.int64(2), "1 + 1"])
def test_parameters_are_set_by_numbers_and_formulas(tmp_path, pendulum, value):
    pendulum.save(tmp_path / "p.yaml")
    assert mt.load(tmp_path / "p.yaml", set={"L": value}).parameters["L"] == 2.0


def test_the_builder_makes_what_the_text_says():
    built = pendulum_builder().build()
    read = mt.loads(built.text)
    assert read.text == built.text
    assert np.array_equal(read.run().q, built.run().q)


def test_a_saved_model_is_the_same_model(tmp_path, pendulum):
    pendulum.save(tmp_path / "p.yaml")
    assert np.array_equal(mt.load(tmp_path / "p.yaml").run().q, pendulum.run().q)


def test_changed_leaves_the_model_alone(pendulum):
    longer = pendulum.changed({"L": 2.4}, until=0.5)
    assert longer.parameters["L"] == 2.4 and pendulum.parameters["L"] == 1.2
    assert longer.run().t[-1] == 0.5 and pendulum.run().t[-1] == 1.0
    assert pendulum.changed() is pendulum


def test_words_of_python_are_written_with_an_underscore():
    m = pendulum_builder().force("push", "force", body="rod.tip", value=[1, 0], in_="body").build()
    assert "in: body" in m.text


def test_numpy_arrays_are_values():
    m = (
        mt.planar("p", gravity=np.array([0.0, -9.81]))
        .body("b", "particle", mass=np.float64(1), at=np.array([1.0, 2.0]))
        .build()
    )
    assert m.run(until=0.1)["b"].y[0] == 2.0


def test_builder_runs_and_checks_at_once():
    assert pendulum_builder().check().dof == 1
    assert len(pendulum_builder().run(until=0.1, every=0.01)) == 11
    assert "1 bodies" in repr(pendulum_builder())


def test_sections_by_key():
    m = pendulum_builder().section("analysis", {"until": 0.25}).build()
    assert m.run().t[-1] == 0.25


def test_notes_of_the_reader_are_kept():
    m = mt.loads("mortise: 1\ndimension: planar\nbodies: {b: {mass: 1, inertia: 1, angle: 720}}\n")
    assert any("M002" in n for n in m.notes)


def test_spatial_models():
    m = (
        mt.spatial("top", gravity=[0, 0, -9.81])
        .body("b", mass=1, inertia=[1, 1, 2], at=[0, 0, 1])
        .joint("A", "spherical", between=["ground", "b"], at=[0, 0, 0])
        .build()
    )
    assert m.dimension == 3 and m.check().dof == 3
