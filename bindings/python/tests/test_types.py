"""Annotations: mypy accepts the package and a caller, refuses a wrong caller, and the stubs are what the module has."""

import ast
import inspect
import os
import pathlib
import re
import shutil
import subprocess
import sys

import mortise
import pytest
from mortise import _mortise

PACKAGE = pathlib.Path(mortise.__file__).parent


def mypy(*arguments, cwd):
    if shutil.which("mypy", path="/usr/bin:" + os.environ["PATH"]) is None:
        pytest.skip("mypy is not installed")
    environment = {**os.environ, "MYPYPATH": str(PACKAGE.parent), "PYTHONPATH": str(PACKAGE.parent)}
    return subprocess.run([sys.executable, "-m", *arguments], cwd=cwd, env=environment, capture_output=True, text=True)


CALLER = """
import mortise as mt

m = mt.load("x.yaml", set={"L": 2})
dof: int = m.check().dof
e: mt.Batch = mt.Batch(m, step=1e-3)
sim = mt.Simulation(m)
sim.step(0.1)
x: float = sim.get("rod.x")
"""


def test_the_package_is_typed_and_callers_are_checked(tmp_path):
    """One run of mypy, which reads the package on the way: errors are those of the wrong caller, nothing else."""
    (tmp_path / "good.py").write_text(CALLER)
    (tmp_path / "bad.py").write_text(CALLER + "sim.step('soon')\ndof = m.check().text\n")
    done = mypy("mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "good.py", "bad.py", cwd=tmp_path)
    errors = [line for line in done.stdout.splitlines() if "error:" in line]
    assert len(errors) == 2 and all(line.startswith("bad.py:") for line in errors), done.stdout + done.stderr


def names(body):
    """Names of a stub file: functions, classes and what is in them."""
    out = {}
    for node in body:
        if isinstance(node, ast.ClassDef):
            out[node.name] = set(names(node.body))
        elif isinstance(node, ast.FunctionDef):
            out[node.name] = [a.arg for a in node.args.args if a.arg != "self"]
    return out


def test_stubs_are_what_the_module_has():
    stubs = names(ast.parse((PACKAGE / "_mortise.pyi").read_text()).body)
    there = {n: t for n, t in vars(_mortise).items() if not n.startswith("__")}
    assert set(stubs) == set(there)
    for name, thing in there.items():
        if inspect.isclass(thing):
            own = {n for n in vars(thing) if not n.startswith("__") or n in ("__len__", "__call__", "__copy__")}
            assert stubs[name] - {"__init__"} == own, name
        else:  # pybind11 tells the names of arguments in the docstring
            told = re.findall(r"(\w+): ", thing.__doc__.split(" -> ")[0])
            assert len(told) == len(stubs[name]) and (told == stubs[name] or told[0] == "arg0"), name


def test_everything_public_has_a_docstring():
    missing = []
    for name in mortise.__all__:
        thing = getattr(mortise, name)
        if (inspect.isclass(thing) or callable(thing)) and not inspect.getdoc(thing):
            missing.append(name)
    assert not missing
