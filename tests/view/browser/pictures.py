#!/usr/bin/env python3
"""Makes the pictures of the viewer in docs/images from examples:  pictures.py MORTISE EXAMPLES OUTPUT [NAME…]"""
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from webdriver import Browser  # noqa: E402

PICTURES = {
    "five-bar": ([], "#t=0.55&reactions=on&select=C"),
    "car-suspension": ([], "#t=1.06&theme=dark&select=knuckle"),
    "stewart-platform": ([], "#t=0.5&labels=off&select=motor0"),
    "andrews": ([], "#t=0.018&select=K3"),
    "bricard": (["--set", "analysis.until=5"], "#t=1.1&theme=dark&reactions=on"),
}


def main():
    program, examples, output = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    with tempfile.TemporaryDirectory() as folder, Browser(1120, 700) as browser:
        browser.resize(1120, 700)
        for name in sys.argv[4:] or PICTURES:
            options, fragment = PICTURES[name]
            work = pathlib.Path(folder)
            subprocess.run([program, "run", examples / f"{name}.yaml", *options, "-o", work / f"{name}.h5"], check=True,
                           stdout=subprocess.DEVNULL)
            subprocess.run([program, "view", work / f"{name}.h5", "--html", work / f"{name}.html"], check=True)
            browser.open("about:blank")
            browser.open(f"file://{work}/{name}.html{fragment}")
            browser.wait("window.mortise && mortise.frame >= 0 && mortise.settled()")
            browser.wait("!document.querySelector('.plot figcaption').textContent.endsWith('…')", what="the plot")
            browser.wait("mortise.settled()")
            browser.run("return new Promise((done) => setTimeout(done, 700))")  # the paths of points
            browser.picture(output / f"view-{name}.png")


if __name__ == "__main__":
    main()
