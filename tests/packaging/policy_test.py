#!/usr/bin/env python3
"""HTML plots: the content policy has the hashes of the page's own script and style, the page names nothing outside of
itself, and in a browser (where Chromium is installed) the script runs under it and shows the numbers of the result.

    policy_test.py PROGRAM
"""
import base64
import hashlib
import html
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

program = sys.argv[1]
MODEL = """mortise: 1
name: "</script><script>alert(1)</script>"
dimension: planar
gravity: [0, -9.81]
bodies:
  rod: {mass: 1, inertia: 0.1, at: [0, 0], center: [0.5, 0]}
joints:
  A: {type: revolute, between: [ground, rod], at: [0, 0]}
analysis: {until: 1}
output: {every: 0.1}
"""
EVENTS = """<script>
const key = () => dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight'}));
for (let k = 0; k < 4; ++k) key();
</script>"""


def digest(text):
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def mortise(*arguments):
    return subprocess.run([program, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def dom(chromium, page, folder):
    done = subprocess.run(
        [chromium, '--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', f'--user-data-dir={folder}/profile',
         '--enable-logging=stderr', '--dump-dom', page.as_uri()], capture_output=True, text=True, timeout=200)
    return done.stdout, [line for line in done.stderr.splitlines() if 'CONSOLE' in line]


with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    (folder / 'model.yaml').write_text(MODEL)
    mortise('run', folder / 'model.yaml', '-o', folder / 'out.h5', '-q')
    mortise('plot', folder / 'out.h5', 'rod.angle', '-o', folder / 'page.html')
    page = (folder / 'page.html').read_text()

    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page).group(1)
    script, style = re.search(r'<script>(.*?)</script>', page, re.S), re.search(r'<style>(.*?)</style>', page, re.S)
    wanted = (f"default-src 'none'; base-uri 'none'; form-action 'none'; script-src 'sha256-{digest(script.group(1))}'; "
              f"style-src 'sha256-{digest(style.group(1))}'")
    assert policy == wanted, f'view/interactive.cpp: the policy has to be\n  {wanted}\nand is\n  {policy}'
    assert 'alert(1)</script>' not in page, 'the name of a model became a script'
    outside = re.findall(r'(?:src|href)=|https?://(?!www\.w3\.org/2000/svg)', page)
    assert not outside, outside

    chromium = shutil.which('chromium')
    if not chromium:
        print('no chromium: the page was not opened, all else is as it should be')
        sys.exit(77)
    text, console = dom(chromium, folder / 'page.html', folder)
    assert not console, console
    assert '<g id="crosshair"' in text, 'the script did not run under its policy'
    # Events cannot be sent from outside: a copy without the policy sends them to itself.
    copy = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', '', page).replace('</body>', EVENTS + '</body>')
    (folder / 'copy.html').write_text(copy)
    text, console = dom(chromium, folder / 'copy.html', folder)
    assert not console, console
    shown = html.unescape(re.search(r'<div id="values"[^>]*>(.*?)</div>', text, re.S).group(1))
    told = json.loads(mortise('probe', folder / 'out.h5', 'rod.angle', '--at', '0.3', '--json'))[0]
    lines = dict(re.findall(r'^(\S+) = (\S+)', shown, re.M))
    assert abs(float(lines['t']) - 0.3) < 1e-9, shown
    assert abs(float(lines['rod.angle']) - told['rod.angle']) < 1e-8 * abs(told['rod.angle']), (shown, told)
print('policy, script and values agree')
