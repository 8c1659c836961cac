#!/usr/bin/env python3
"""What the page draws over the bodies, and how it is looked at, in a real browser: arrows as long as the reactions are
large, paths through the points that `mortise probe` names, colours of the diagnosis, the camera by mouse and by keys.

    overlay_test.py MORTISE EXAMPLES         exit code 77: no browser here
"""
import math
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from pages import WINDOW, examples, mortise, probe, run_all, settle, show  # noqa: E402
from webdriver import Browser, Missing  # noqa: E402

AMBER, SHIFT, LEFT, RIGHT, END = "#f0a202", "\ue008", "\ue012", "\ue014", "\ue010"


def arrow(browser, joint):
    """Length and direction of what is drawn of a joint's reaction: a shaft and a point."""
    parts = [p["matrix"] for p in browser.run("return mortise.drawn(arguments[0])", joint) if p["layer"] == "reactions"]
    assert len(parts) == 2, parts
    lengths = [math.hypot(*m[8:11]) for m in parts]  # z axes: both primitives lie along z and have length 1
    axis = max(zip(lengths, parts))[1][8:11]
    return sum(lengths), axis


def arrows_are_as_long_as_the_forces(browser, work):
    scales = []
    for t in (0.7, 1.6):
        show(browser, work / "five.html", f"#t={t}&reactions=on")
        for joint in "ABCDEF":
            told = probe(work / "five.h5", t, f"{joint}.reaction.fx", f"{joint}.reaction.fy")
            force = [told[f"{joint}.reaction.fx"], told[f"{joint}.reaction.fy"], 0]
            length, axis = arrow(browser, joint)
            scales.append(length / math.hypot(*force))
            along = sum(a * f for a, f in zip(axis, force)) / (math.hypot(*axis) * math.hypot(*force))
            assert along > 1 - 1e-6, (joint, t, axis, force)
    assert max(scales) < (1 + 1e-4) * min(scales), scales  # one scale, at all times
    browser.press("r")
    settle(browser)
    assert not [p for p in browser.run("return mortise.drawn('A')") if p["layer"] == "reactions"]


def paths_go_through_the_points(browser, work):
    t = 0.7
    show(browser, work / "five.html", f"#t={t}")
    browser.wait("mortise.path('left.top') && mortise.path('left.top').past !== null", what="the path of left.top")
    path = browser.run("return mortise.path('left.top')")
    assert len(path["points"]) == 3 * 201 and path["past"] == 71, (len(path["points"]), path["past"])
    for k in (0, 35, 70, 200):
        told = probe(work / "five.h5", 0.01 * k, "left.top.x", "left.top.y")
        x, y, _ = path["points"][3 * k:3 * k + 3]
        assert abs(x - told["left.top.x"]) < 1e-6 and abs(y - told["left.top.y"]) < 1e-6, (k, x, y, told)
    # A body without named points leaves the path of its centre of mass while it is selected.
    assert browser.run("return mortise.path('coupler')") is None
    browser.run("mortise.select('coupler')")
    browser.wait("mortise.path('coupler')", what="the path of the body that is selected")
    path = browser.run("return mortise.path('coupler').points")
    told = probe(work / "five.h5", 1.5, "coupler.x", "coupler.y")
    assert abs(path[450] - told["coupler.x"]) < 1e-6 and abs(path[451] - told["coupler.y"]) < 1e-6
    assert browser.run("return mortise.path('left.top') !== null")


def redundant_joints_are_amber(browser, work):
    show(browser, work / "five.html")
    for joint in "ABCDEF":
        assert AMBER in [p["colour"] for p in browser.run("return mortise.drawn(arguments[0])", joint)], joint
    assert AMBER not in [p["colour"] for p in browser.run("return mortise.drawn('left')")]
    browser.run("document.getElementById('show-highlight').click()")
    settle(browser)
    assert AMBER not in [p["colour"] for p in browser.run("return mortise.drawn('A')")]


def following_keeps_a_body_in_the_middle(browser, work):
    show(browser, work / "five.html", "#t=0.1&select=left")
    browser.press("f")
    places = []
    for t in (0.1, 0.6, 1.2):
        browser.run("mortise.seek(arguments[0])", t)
        settle(browser)
        places.append(browser.run("return mortise.onScreen('left')"))
    middle = browser.run("""const box = document.querySelector('.stage canvas').getBoundingClientRect();
        return [box.left + box.width / 2, box.top + box.height / 2]""")
    assert all(math.dist(place, middle) < 1 for place in places), (places, middle)
    browser.press("f")
    browser.run("mortise.seek(0.1)")
    settle(browser)
    assert math.dist(browser.run("return mortise.onScreen('left')"), middle) > 5


def mouse_and_keys_move_the_camera(browser, work):
    show(browser, work / "bricard.html")
    x, y, width, height = browser.run("""const box = document.querySelector('.stage canvas').getBoundingClientRect();
        return [box.left, box.top, box.width, box.height]""")
    middle = x + width / 2, y + height / 2
    where = lambda: browser.run("return mortise.onScreen('rod3')")  # noqa: E731

    def moves(do, least=3):
        before = where()
        do()
        settle(browser)
        assert math.dist(where(), before) > least, (before, where())

    home = where()
    moves(lambda: browser.drag(x + 12, y + 12, 90, 20))
    moves(lambda: browser.press("h"))
    assert math.dist(where(), home) < 1
    moves(lambda: browser.wheel(*middle, -400))
    moves(lambda: browser.press("h"))
    far = math.dist(home, middle)
    browser.press("+", "+", "+")
    settle(browser)
    near = math.dist(where(), middle)
    assert 1.3 < near / far < 2.2, (far, near)  # 1.15³ and some perspective
    moves(lambda: browser.press("-", "-", "-"))
    moves(lambda: browser.chord(SHIFT, LEFT))
    moves(lambda: browser.chord(SHIFT, RIGHT))


def speed_and_loop_are_obeyed(browser, work):
    show(browser, work / "five.html")
    speed = browser.run("return document.getElementById('speed').value")
    browser.press("\ue013")
    assert float(browser.run("return document.getElementById('speed').value")) > float(speed)
    browser.run("document.getElementById('loop').click()")
    browser.run("mortise.seek(1.9), mortise.play()")
    browser.wait("!mortise.playing", what="without loop it stops")
    assert browser.run("return mortise.time === mortise.span[1]")
    browser.run("document.getElementById('loop').click()")
    browser.run("mortise.seek(1.9), mortise.play()")
    browser.wait("mortise.time < 1.5", what="with loop it begins again")
    assert browser.run("return mortise.playing")


def the_plot_goes_to_the_time_that_is_clicked(browser, work):
    browser.resize(1100, 760)
    show(browser, work / "five.html", "#select=left")
    row = "tr[data-quantity='left.wz']"
    browser.wait(f"document.querySelector(\"{row}\")")
    browser.run(f"const b = document.querySelector(\"{row} button\"); b.scrollIntoView(); b.focus()")
    browser.press("\ue007")  # by keys: Enter on the name of a quantity
    browser.wait("document.querySelector('.plot canvas').getAttribute('aria-label')?.startsWith('left.wz')", what="the plot")
    browser.run("document.querySelector('.plot canvas').scrollIntoView()")
    settle(browser)
    left, top, width, height = browser.run("""const box = document.querySelector('.plot canvas').getBoundingClientRect();
        return [box.left, box.top, box.width, box.height]""")
    right = width - 14
    browser.click(left + 52 + 0.75 * (right - 52), top + height / 2)
    settle(browser)
    assert abs(browser.run("return mortise.time") - 1.5) < 0.02
    # The mouse leaves the keys to the page: a click on a line, then space, plays.
    x, y = browser.run(f"""const box = document.querySelector("{row} button").getBoundingClientRect();
        return [box.left + 3, box.top + box.height / 2]""")
    browser.click(x, y)
    browser.press("\ue00d")
    browser.wait("mortise.playing", what="space plays after a click in the table")
    browser.resize(*WINDOW)


def one_of_a_crowd_can_be_reached(browser, work):
    """Bodies of a large model are drawn together; a click still finds the one, near by or far away."""
    show(browser, work / "crowd.html", "#select=link250&follow=on")
    where = lambda name: browser.run("return mortise.onScreen(arguments[0])", name)  # noqa: E731
    seen = browser.run("return mortise.drawn('link250').length")
    assert seen >= 1, seen
    before = math.dist(where("link250"), where("link251"))
    apart = before
    for _ in range(60):
        browser.press("+")
        settle(browser)
        apart = math.dist(where("link250"), where("link251"))
        if apart > 70:
            break
    assert 70 < apart < 120 and before < 5, (before, apart)
    for name in ("link250", "link251"):
        browser.run("mortise.select(null)")
        browser.click(*where(name))
        browser.wait(f"document.querySelector('.card .name')?.textContent === '{name}'", what=f"{name} under the mouse")
    rod = [p for p in browser.run("return mortise.drawn('link251')") if p["layer"] == "bodies"][0]["matrix"]
    told = probe(work / "crowd.h5", 0, "link251.x", "link251.y", "link251.z")
    assert math.dist(rod[12:15], [told[f"link251.{c}"] for c in "xyz"]) < 1e-3, (rod, told)


def two_pictures_share_the_camera(browser, work):
    show(browser, work / "two.html")
    angle = lambda: browser.run("return mortise.cameras")  # noqa: E731
    before = angle()
    box = browser.run("""const box = document.querySelector('.stage canvas').getBoundingClientRect();
        return [box.left + 12, box.top + 12]""")
    browser.drag(*box, 60, 10)
    settle(browser)
    one, two = angle()
    assert math.dist(one, two) < 1e-9 and math.dist(one, before[0]) > 1e-3, (before, one, two)


def main():
    tests = [arrows_are_as_long_as_the_forces, paths_go_through_the_points, redundant_joints_are_amber,
             following_keeps_a_body_in_the_middle, mouse_and_keys_move_the_camera, speed_and_loop_are_obeyed,
             the_plot_goes_to_the_time_that_is_clicked, two_pictures_share_the_camera,
             one_of_a_crowd_can_be_reached]
    with tempfile.TemporaryDirectory(prefix="mortise-overlay-") as folder:
        work = pathlib.Path(folder)
        try:
            browser = Browser(*WINDOW)
        except Missing as missing:
            print(missing)
            return 77
        with browser:
            browser.resize(*WINDOW)
            for name in ("five-bar", "bricard"):
                mortise("run", examples / f"{name}.yaml", "--set", "analysis.until=2", "--set", "output.every=0.01", "-o",
                        work / f"{name.split('-')[0]}.h5")
            for name in ("five", "bricard"):
                mortise("view", work / f"{name}.h5", "--html", work / f"{name}.html")
            mortise("run", examples / "chain-spatial.yaml", "--set", "N=500", "--set", "analysis.integrator=rk4", "--set",
                    "analysis.step=1e-4", "--set", "analysis.until=1e-3", "--set", "output.every=1e-4", "-o", work / "crowd.h5")
            mortise("view", work / "crowd.h5", "--html", work / "crowd.html")
            mortise("view", work / "five.h5", work / "five.h5", "--html", work / "two.html")
            return 1 if run_all(tests, browser, work) else 0


if __name__ == "__main__":
    sys.exit(main())
