"""The viewer's page of a result."""

import html
import re

import mortise as mt
import pytest


def test_a_page_that_opens_from_disk(tmp_path, five_bar_result):
    assert five_bar_result.show(tmp_path / "r.html") is None
    page = (tmp_path / "r.html").read_text()
    assert "mortise-scene" in page and "coupler" in page and "<script" in page
    assert not re.search(r"(src|href)=[\"']https?:", page)


def test_an_animation_for_notebooks(five_bar_result):
    shown = five_bar_result.show(height=300)
    assert isinstance(shown, mt.Animation) and "show('file.html')" in repr(shown)
    frame = shown._repr_html_()
    assert frame.startswith('<iframe sandbox="allow-scripts"') and "height: 300px" in frame
    source = re.search(r'srcdoc="([^"]*)"', frame)[1]
    assert html.unescape(source) == shown.page


def test_results_in_space_modes_and_files(tmp_path, spatial_result, pendulum):
    assert "mortise-scene" in spatial_result.show().page
    pendulum.run(output=tmp_path / "r.h5")
    assert "rod" in mt.open(tmp_path / "r.h5").show().page


@pytest.mark.parametrize("path", [1, [], "", "no/such/folder/x.html", "/"])
def test_pages_that_cannot_be_written(five_bar_result, path):
    with pytest.raises((TypeError, ValueError, OSError)):
        five_bar_result.show(path)
