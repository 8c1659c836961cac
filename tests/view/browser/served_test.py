#!/usr/bin/env python3
"""The served page in a real browser: it asks its own server only, for frames by ranges of bytes, tells the numbers of
the file under a strict policy; and a run that goes on grows on the screen.

    served_test.py MORTISE EXAMPLES         exit code 77: no browser here
"""
import contextlib
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from pages import WINDOW, examples, mortise, open_page, probe, program, run_all, same, settle, values  # noqa: E402
from webdriver import Browser, Missing  # noqa: E402


@contextlib.contextmanager
def serving(*arguments):
    """The address that the program prints, and the program, which ends with the block."""
    process = subprocess.Popen([program, *map(str, arguments), "--no-browser"], stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True)
    try:
        said = ""
        for line in process.stdout:
            said += line
            if found := re.search(r"http://127\.0\.0\.1:\d+/[0-9a-f]{32}/", line):
                break
        else:
            raise AssertionError(f"no address: {said}")
        yield found.group(), process
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)


def asks_its_own_server_by_ranges(browser, work):
    browser.problems()
    with serving("view", work / "five.h5") as (address, _):
        open_page(browser, address + "#t=0.7&select=left")
        settle(browser)
        names = [f"left.{c}" for c in ("x", "y", "angle", "vx", "vy", "wz")]
        same(values(browser), {k: v for k, v in probe(work / "five.h5", 0.7, *names).items() if k != "t"}, "served body")
        browser.wait("document.querySelector('.plot canvas').getAttribute('aria-label')?.startsWith('left.x')")
        browser.run("mortise.play()")
        browser.wait("mortise.frame > 75", what="it plays")
        browser.run("mortise.pause()")
        problems = browser.problems()
        assert problems == [], problems
        asked = browser.requests()
        outside = [url for url, _ in asked if not url.startswith((address, "data:", "about:"))]
        assert outside == [], outside
        frames = [fields.get("Range", "all of it") for url, fields in asked if url.endswith("/frames.bin")]
        assert frames and all(re.fullmatch(r"bytes=\d+-\d+", r) for r in frames), frames
        policy = browser.run("""return new Promise((done) => {
            addEventListener("securitypolicyviolation", (e) => done(e.effectiveDirective), {once: true});
            const script = document.createElement("script"); script.textContent = "window.hurt = 1"; document.body.append(script);
            setTimeout(() => done("none"), 2000); })""")
        assert policy.startswith("script-src") and browser.run("return window.hurt === undefined"), policy
        beyond = browser.run("return fetch('http://127.0.0.1:9/').then(() => 'reached', (e) => e.name)")
        assert beyond == "TypeError", beyond
        browser.problems()  # those two were meant


def large_results_are_shown_by_a_part_of_them(browser, work):
    with serving("view", work / "large.h5") as (address, _):
        open_page(browser, address)
        settle(browser)
        received, whole = browser.run("""return [performance.getEntriesByType("resource")
            .filter((e) => e.name.endsWith("frames.bin")).reduce((sum, e) => sum + e.encodedBodySize, 0), mortise.bytes]""")
        assert 0 < received < 0.1 * whole, (received, whole)
        last = browser.run("return mortise.span[1]")
        browser.run("mortise.seek(arguments[0])", last)  # far away: it gets what it needs, not what lies between
        browser.wait("mortise.settled() && mortise.frame > 1000", what="the last frame")
        received = browser.run("""return performance.getEntriesByType("resource")
            .filter((e) => e.name.endsWith("frames.bin")).reduce((sum, e) => sum + e.encodedBodySize, 0)""")
        assert received < 0.2 * whole, (received, whole)
        assert browser.problems() == []


def a_run_that_goes_on_grows_on_the_screen(browser, work):
    model = examples / "n-four-bar.yaml"
    with serving("run", model, "-o", work / "live.h5", "--live", "--set", "N=100", "--set", "output.every=0.05", "--set",
                 "analysis.until=1e5") as (address, process):
        browser.problems()  # of a try before
        open_page(browser, address)
        first = browser.run("return mortise.span[1]")
        browser.wait(f"mortise.span[1] > {first}", what="more time")
        second, path = browser.run("return [mortise.span[1], mortise.path(mortise.paths[0])?.points.length ?? 0]")
        browser.wait(f"mortise.span[1] > {second}", what="still more time")
        browser.wait(f"mortise.path(mortise.paths[0]).points.length > {path}", what="the path grows")
        browser.wait(f"(mortise.plotted?.[1] ?? 0) > {second} - 0.01", what="the plot grows")
        assert browser.run("return mortise.time === mortise.span[1]")  # at the end it stays at the end
        problems = browser.problems()
        assert problems == [], problems
        process.send_signal(signal.SIGINT)
        process.wait(timeout=60)
        browser.wait("!document.getElementById('trouble').hidden", what="it says that nobody answers any more")
        said = browser.run("return document.getElementById('trouble').textContent")
        assert "no longer answers" in said, said
        browser.problems()


def main():
    tests = [asks_its_own_server_by_ranges, large_results_are_shown_by_a_part_of_them, a_run_that_goes_on_grows_on_the_screen]
    with tempfile.TemporaryDirectory(prefix="mortise-served-") as folder:
        work = pathlib.Path(folder)
        try:
            browser = Browser(*WINDOW)
        except Missing as missing:
            print(missing)
            return 77
        with browser:
            browser.resize(*WINDOW)
            mortise("run", examples / "five-bar.yaml", "--set", "analysis.until=2", "-o", work / "five.h5")
            mortise("run", examples / "chain.yaml", "--set", "N=1000", "--set", "analysis.integrator=rk4", "--set", "analysis.step=1e-4",
                    "--set", "analysis.until=0.2", "--set", "output.every=1e-4", "-o", work / "large.h5", "-q")
            return 1 if run_all(tests, browser, work, twice=tests[2:]) else 0


if __name__ == "__main__":
    sys.exit(main())
