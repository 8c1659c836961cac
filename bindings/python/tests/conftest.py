"""What the tests share: the examples of the repository and small models."""

import os
import pathlib

import mortise as mt
import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
EXAMPLES = REPOSITORY / "examples"


@pytest.fixture
def examples():
    return EXAMPLES


@pytest.fixture
def program():
    """The command line program, to compare with."""
    path = os.environ.get("MORTISE_PROGRAM", "")
    if not os.path.exists(path):
        pytest.skip("the program is not built")
    return path


def pendulum_builder():
    return (
        mt.planar("Pendulum", gravity=[0, -9.81])
        .parameter("L", 1.2)
        .parameter("m", 2)
        .body("rod", mass="m", inertia="m*L^2/12", at=["L/2", 0], points={"tip": ["L/2", 0]})
        .joint("A", "revolute", between=["ground", "rod"], at=[0, 0])
        .analysis(until=1, tolerance=1e-10)
    )


@pytest.fixture
def pendulum():
    return pendulum_builder().build()


@pytest.fixture(scope="session")
def five_bar():
    return mt.load(EXAMPLES / "five-bar.yaml")


@pytest.fixture(scope="session")
def five_bar_result(five_bar):
    return five_bar.run(until=2)


@pytest.fixture(scope="session")
def spatial_result():
    return mt.load(EXAMPLES / "bricard.yaml").run(until=1)
