#!/usr/bin/env python3
"""The one-file page in a real browser: it loads without a complaint and without asking for anything, plays, tells the
same numbers as `mortise probe`, obeys keys, fits a phone, has a dark side, and names of scripts do no harm.

    view_test.py MORTISE EXAMPLES         exit code 77: no browser here
"""
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from pages import WINDOW, examples, mortise, probe, run_all, same, settle, show, values  # noqa: E402
from webdriver import Browser, Missing  # noqa: E402


def loads_without_a_complaint(browser, work):
    show(browser, work / "five.html")
    assert browser.problems() == [], browser.problems()
    outside = [url for url, _ in browser.requests() if not url.startswith(("file:", "data:", "about:", "chrome:"))]
    assert outside == [], outside
    assert browser.run("return document.title") == "Five-bar parallelogram · Mortise"
    policy = browser.run("""return new Promise((done) => {
        addEventListener("securitypolicyviolation", (e) => done(e.effectiveDirective), {once: true});
        const script = document.createElement("script"); script.textContent = "window.hurt = 1"; document.body.append(script);
        setTimeout(() => done("none"), 2000); })""")
    assert policy.startswith("script-src"), policy
    assert browser.run("return window.hurt === undefined")
    browser.problems()  # that one was meant


def playing_moves_things(browser, work):
    show(browser, work / "five.html", "#t=0.1")
    before = browser.run("return [mortise.frame, ...mortise.onScreen('left')]")
    browser.run("document.getElementById('play').click()")
    browser.wait(f"mortise.frame > {before[0]} + 5", what="the frame goes on")
    browser.run("mortise.pause()")
    settle(browser)
    after = browser.run("return [mortise.frame, ...mortise.onScreen('left')]")
    assert abs(after[1] - before[1]) + abs(after[2] - before[2]) > 2, (before, after)
    assert not browser.run("return mortise.playing")


def selecting_tells_the_right_numbers(browser, work):
    t = 0.7
    show(browser, work / "five.html", f"#t={t}&labels=off")
    x, y = browser.run("return mortise.onScreen('B')")
    browser.click(x, y)
    browser.wait("document.querySelector('.card .name')?.textContent === 'B'", what="the joint under the mouse")
    settle(browser)
    names = [f"B.reaction.{c}" for c in ("fx", "fy", "tz")]
    same(values(browser), {k: v for k, v in probe(work / "five.h5", t, *names).items() if k != "t"}, "joint")
    browser.run("""[...document.querySelectorAll('.list button')].find((b) => b.textContent.startsWith('right')).click()""")
    settle(browser)
    names = [f"right.{c}" for c in ("x", "y", "angle", "vx", "vy", "wz")]
    same(values(browser), {k: v for k, v in probe(work / "five.h5", t, *names).items() if k != "t"}, "planar body")

    show(browser, work / "bricard.html", "#t=1&select=rod3")
    settle(browser)
    names = [f"rod3.{c}" for c in ("x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz")]
    same(values(browser), {k: v for k, v in probe(work / "bricard.h5", 1, *names).items() if k != "t"}, "spatial body")


def keys_do_what_the_help_says(browser, work):
    show(browser, work / "five.html", "#t=0.5")
    frame = browser.run("return mortise.frame")
    browser.press(".")
    browser.wait(f"mortise.frame === {frame + 1}")
    browser.press(",", ",")
    browser.wait(f"mortise.frame === {frame - 1}")
    browser.press("\ue00d")
    browser.wait("mortise.playing", what="space plays")
    browser.press("\ue00d")
    browser.wait("!mortise.playing", what="space pauses")
    browser.press("?")
    browser.wait("document.getElementById('help').open")
    browser.press("\ue00c")
    browser.wait("!document.getElementById('help').open")
    unnamed = browser.run("""return [...document.querySelectorAll("button, input, select, canvas")].filter((e) =>
        !(e.getAttribute("aria-label") || e.closest("label") || e.textContent.trim())).map((e) => e.outerHTML)""")
    assert unnamed == [], unnamed


def free_motions_swing(browser, work):
    show(browser, work / "five.html", "#mode=0&phase=1.5")
    out = browser.run("return mortise.onScreen('coupler')")
    show(browser, work / "five.html", "#mode=0&phase=-1.5")
    back = browser.run("return mortise.onScreen('coupler')")
    assert abs(out[0] - back[0]) + abs(out[1] - back[1]) > 10, (out, back)


def fits_a_phone(browser, work):
    browser.resize(390, 780)
    show(browser, work / "five.html")
    for panel in (False, True):
        if panel:
            browser.run("document.getElementById('panel-button').click()")
            settle(browser)
        facts = browser.run("""const canvas = document.querySelector("canvas").getBoundingClientRect();
            const play = document.getElementById("play").getBoundingClientRect();
            return {wide: document.documentElement.scrollWidth, canvas: [canvas.width, canvas.height],
                    play: [play.right, play.bottom], panel: document.getElementById("panel").offsetHeight}""")
        assert facts["wide"] <= 390, facts
        assert facts["canvas"][0] <= 391 and facts["canvas"][1] >= 120, facts
        assert facts["play"][0] <= 390 and facts["play"][1] <= 780, facts
        assert (facts["panel"] > 100) == panel, facts
    browser.resize(*WINDOW)


def has_a_dark_side(browser, work):
    browser.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    show(browser, work / "five.html")
    assert browser.run("return document.documentElement.dataset.theme") == "dark"
    dark = browser.run("return getComputedStyle(document.body).backgroundColor")
    browser.run("document.getElementById('theme').click()")
    settle(browser)
    assert browser.run("return getComputedStyle(document.body).backgroundColor") != dark
    browser.devtools("Emulation.setEmulatedMedia", features=[])


def two_results_stand_side_by_side(browser, work):
    mortise("view", work / "five.h5", work / "other.h5", "--html", work / "two.html")
    show(browser, work / "two.html", "#t=1&select=left")
    boxes = browser.run("return [...document.querySelectorAll('.stage canvas')].map((c) => c.getBoundingClientRect().left)")
    assert len(boxes) == 2 and boxes[1] > boxes[0] + 100, boxes
    shown = browser.run("""return [...document.querySelector("tr[data-quantity='left.angle']").querySelectorAll("td")]
        .slice(0, 2).map((cell) => Number(cell.dataset.value))""")
    expected = [probe(work / name, 1, "left.angle")["left.angle"] for name in ("five.h5", "other.h5")]
    assert all(abs(a - b) < 1e-6 for a, b in zip(shown, expected)), (shown, expected)
    assert abs(shown[0] - shown[1]) > 1e-3, shown


def names_of_scripts_do_no_harm(browser, work):
    text = (examples / "five-bar.yaml").read_text()
    evil = text.replace("name: Five-bar parallelogram", "name: \"</script><script>window.hurt = 1</script><img src=x>\"")
    assert evil != text
    (work / "evil.yaml").write_text(evil)
    mortise("view", work / "evil.yaml", "--html", work / "evil.html")
    show(browser, work / "evil.html")
    assert browser.run("return window.hurt === undefined && document.querySelectorAll('img').length === 0")
    assert browser.run("return document.getElementById('name').textContent").startswith("</script><script>")
    assert browser.problems() == []
    (work / "evil.yaml").write_text(text.replace("  left: ", "  \"<script>\": "))
    mortise("view", work / "evil.yaml", "--html", work / "evil.html", code=3)


def contradictions_are_named(browser, work):
    mortise("view", examples / "gallery" / "five-bar-broken.yaml", "--html", work / "broken.html")
    show(browser, work / "broken.html")
    assert browser.run("return document.querySelectorAll('.label.conflict').length") >= 3
    assert "Conflict" in browser.run("return document.querySelector('pre').textContent")
    assert browser.problems() == []


def main():
    tests = [loads_without_a_complaint, playing_moves_things, selecting_tells_the_right_numbers,
             keys_do_what_the_help_says, free_motions_swing, fits_a_phone, has_a_dark_side,
             two_results_stand_side_by_side, names_of_scripts_do_no_harm, contradictions_are_named]
    with tempfile.TemporaryDirectory(prefix="mortise-view-") as folder:
        work = pathlib.Path(folder)
        try:
            browser = Browser(*WINDOW)
        except Missing as missing:
            print(missing)
            return 77
        with browser:
            browser.resize(*WINDOW)
            five = examples / "five-bar.yaml"
            mortise("run", five, "--set", "analysis.until=2", "-o", work / "five.h5")
            mortise("run", five, "--set", "analysis.until=2", "--set", "parameters.theta=-50 deg", "-o", work / "other.h5")
            mortise("run", examples / "bricard.yaml", "--set", "analysis.until=2", "-o", work / "bricard.h5")
            for name in ("five", "bricard"):
                mortise("view", work / f"{name}.h5", "--html", work / f"{name}.html")
            return 1 if run_all(tests, browser, work) else 0


if __name__ == "__main__":
    sys.exit(main())
