"""What the tests of the viewer share: the program, pages in a browser, numbers that are compared with `mortise probe`."""
import json
import pathlib
import subprocess
import sys
import time

WINDOW = (840, 560)  # pictures are drawn in software: small ones are fast enough
program, examples = sys.argv[1], pathlib.Path(sys.argv[2])


def mortise(*arguments, code=0):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=120)
    assert done.returncode == code, f"mortise {arguments}: exit {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def probe(result, t, *quantities):
    return json.loads(mortise("probe", result, *quantities, "--at", repr(t), "--json"))[0]


def open_page(browser, url):
    browser.open("about:blank")
    browser.requests()
    browser.open(url)
    browser.wait("window.mortise && mortise.frame >= 0 && mortise.settled()", what="the first picture")


def show(browser, page, fragment=""):
    open_page(browser, f"file://{page}{fragment}")


def settle(browser):
    browser.wait("mortise.settled()")


def values(browser):
    return browser.run("""return Object.fromEntries([...document.querySelectorAll("tr[data-quantity]")].map(
        (line) => [line.dataset.quantity, Number(line.querySelector("td").dataset.value)]))""")


def same(shown, expected, what):
    assert shown.keys() >= expected.keys(), f"{what}: {sorted(shown)}"
    for name, value in expected.items():
        assert abs(shown[name] - value) <= 1e-6 * abs(value) + 1e-9, f"{what}: {name} is {value}, shown {shown[name]}"


def run_all(tests, browser, work, twice=()):
    """Runs tests one after the other, tells of each, returns the number of those that failed. Those of `twice` depend on
    how fast a run beside them is: a second time decides, and the first failure is told."""
    failed = 0
    for test in tests:
        for last in (test not in twice, True):
            begin = time.monotonic()
            try:
                test(browser, work)
                verdict = "ok"
            except (AssertionError, RuntimeError) as error:
                failed += last
                verdict = f"{'FAILED' if last else 'once more'}: {error}"
            print(f"{test.__name__:44} {time.monotonic() - begin:5.1f} s  {verdict}", flush=True)
            if verdict == "ok" or last:
                break
    return failed
