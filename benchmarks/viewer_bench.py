#!/usr/bin/env python3
"""The viewer in a real browser: pictures a second of many bodies, and how long a large result takes to its first picture.

    viewer_bench.py [MORTISE] [BODIES] [LARGE_BODIES LARGE_FRAMES]        defaults: 1000 bodies; 10000 bodies × 1000 frames

The page counts its pictures itself (mortise.rate) and the milliseconds of its own work for each (mortise.cost); all the
rest of a picture is the browser's drawing, in software where there is no graphics processor. The same without bodies tells
what the browser needs for an empty picture. On a machine that others use, too, pictures a second of processor time say more
than those by the clock.
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/view/browser"))
from webdriver import Browser, Missing  # noqa: E402

program = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "build/release/bin/mortise")
bodies = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
large, frames = (int(sys.argv[3]), int(sys.argv[4])) if len(sys.argv) > 4 else (10000, 1000)


def result(path, links, count):
    step = 1e-4
    subprocess.run([program, "run", ROOT / "examples/chain-spatial.yaml", "-o", path, "--set", f"N={links}",
                    "--set", "analysis.integrator=rk4", "--set", f"analysis.step={step}",
                    "--set", f"analysis.until={step * (count - 1)}", "--set", f"output.every={step}"],
                   check=True, stdout=subprocess.DEVNULL)


def speed(browser, work):
    result(work / "many.h5", bodies, 200)
    subprocess.run([program, "view", work / "many.h5", "--html", work / "many.html"], check=True, stdout=subprocess.DEVNULL)
    browser.open(f"file://{work}/many.html")
    browser.wait("window.mortise && mortise.frame >= 0 && mortise.settled()", what="the first picture")
    graphics = browser.run("""const gl = document.createElement("canvas").getContext("webgl2");
        const info = gl && gl.getExtension("WEBGL_debug_renderer_info");
        return info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : "unknown" """)
    def play(what):
        rates, costs = [], []
        time.sleep(1.2)  # what was loaded is behind
        before, begin = browser.processor_seconds(), time.monotonic()
        for _ in range(10):
            time.sleep(1)
            rates.append(browser.run("return mortise.rate"))
            costs.append(browser.run("return mortise.cost"))
        busy, took = browser.processor_seconds() - before, time.monotonic() - begin
        rate = sorted(rates)[5]
        print(f"| {what}, {graphics} | {rate:.0f} pictures a second, {rate * took / busy:.0f} a second of processor time "
              f"| {sorted(costs)[5]:.1f} ms of the page's own for each; {busy / took:.1f} processors busy |", flush=True)

    browser.run("document.getElementById('play').click()")
    play(f"{bodies} bodies")
    browser.run("mortise.hide(true)")
    play("the same page without its bodies")
    browser.run("mortise.hide(false)")


def first_picture(browser, work):
    result(work / "large.h5", large, frames)
    begin = time.monotonic()
    server = subprocess.Popen([program, "view", work / "large.h5", "--no-browser"], stdout=subprocess.PIPE, text=True)
    try:
        for line in server.stdout:
            if found := re.search(r"http://\S+", line):
                break
        ready, before = time.monotonic(), browser.processor_seconds()
        browser.open(found.group())
        browser.wait("window.mortise && mortise.frame >= 0 && mortise.settled()", seconds=120, what="the first picture")
        browser.picture(work / "large.png")  # not before it is on the screen
        shown, busy = time.monotonic(), browser.processor_seconds() - before
        received, whole = browser.run("""return [performance.getEntriesByType("resource")
            .reduce((sum, e) => sum + e.encodedBodySize, 0), mortise.bytes]""")
        at_once = browser.run("""return performance.getEntriesByType("resource").filter((e) => e.name.endsWith("frames.bin"))
            .map((e) => e.encodedBodySize)""")[:1]
    finally:
        server.terminate()
    size = (work / "large.h5").stat().st_size / 1e6
    print(f"| {large} bodies × {frames} frames, {size:.0f} MB | first picture {shown - ready:.2f} s after the address, drawn and all "
          f"({busy:.2f} s of processor time of the browser) | the program itself {ready - begin:.2f} s; received {received / 1e6:.1f} MB of "
          f"{whole / 1e6:.0f} MB, {sum(at_once) / 1e6:.2f} MB for the first frame |")


def main():
    try:
        with tempfile.TemporaryDirectory() as folder, Browser(840, 560) as browser:
            print("| what | measured | of it |\n| --- | --- | --- |")
            speed(browser, pathlib.Path(folder))
            first_picture(browser, pathlib.Path(folder))
    except Missing as why:
        sys.exit(f"no browser: {why}")


main()
