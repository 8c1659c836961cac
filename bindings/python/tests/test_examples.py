"""Every example runs, and checks its own claim."""

import subprocess
import sys

import pytest
from conftest import EXAMPLES

SCRIPTS = sorted((EXAMPLES / "python").glob("e*.py"))


def test_there_are_eleven():
    assert len(SCRIPTS) == 11


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda p: p.stem)
def test_example(script, tmp_path):
    done = subprocess.run([sys.executable, "-B", str(script)], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout
