"""Every snippet of docs/python.md runs, one after the other, as a reader would type them."""

import re

import pytest
from conftest import EXAMPLES, REPOSITORY

SNIPPETS = re.findall(r"^```python\n(.*?)^```", (REPOSITORY / "docs" / "python.md").read_text(), re.M | re.S)


def test_snippets_of_the_documentation(tmp_path, monkeypatch, capsys):
    assert len(SNIPPETS) >= 8
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(EXAMPLES)
    world = {"__name__": "snippets"}
    for snippet in SNIPPETS:
        try:
            exec(compile(snippet, "docs/python.md", "exec"), world)
        except Exception as error:
            pytest.fail(f"{type(error).__name__}: {error}\n{snippet}")
