#!/usr/bin/env python3
"""Runs the benchmarks and the peers and writes one Markdown report with a table a case and plots.

    benchmarks/report.py [--quick | --tiny] [--bin DIR] [--out DIR] [--only SECTION]... [--limit SECONDS]
    benchmarks/report.py --publish        copies the last report into docs/benchmarks.md

Every number is measured on this machine; times are medians of repeated runs where a run is short. The report is written
after every section, so that what was measured is kept when it is stopped; with `--only`, the other sections are those
of the report before, each with its own date. `--quick` takes minutes, `--tiny` seconds (sizes for a test).
docs/benchmarks.md says how to read it.
"""
import argparse
import datetime
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

sys.dont_write_bytecode = True  # the sources stay as they are
from sections import ROOT, SECTIONS, Bench, table  # noqa: E402


def summary(goals):
    cells = [(what, goal, measured, 'not measured' if met is None else 'met' if met else '**not met**')
             for what, goal, measured, met in goals]
    return table(['what', '>goal', '>measured', 'met'], cells) if cells else 'No goal was measured.\n'


def commit():
    try:
        return subprocess.run(['git', 'describe', '--always', '--dirty'], cwd=ROOT, capture_output=True, text=True,
                              check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return '?'


def read_kept(path, mode):
    """The sections of the report before, if they are of the same sizes."""
    kept = json.loads(path.read_text()) if path.exists() else {}
    return {key: section for key, section in kept.items() if section['mode'] == mode}


def assemble(kept):
    """The report of all sections in hand, in their order."""
    have = [(title, kept[key]) for key, title, _ in SECTIONS if key in kept]
    goals = [goal for _, section in have for goal in section['goals']]
    text = (f'# Benchmarks of {max(section["when"] for _, section in have)[:10]}\n\n'
            f'Written by `make bench` in {sum(section["seconds"] for _, section in have) / 60:.1f} minutes. Times are '
            'medians; a busy machine makes them longer, ratios less so.\n\n'
            f'## Goals\n\n{summary(goals)}\n')
    for title, section in have:
        text += (f'## {title}\n\n{section["text"]}\nMeasured on {section["when"]}, commit {section["commit"]}; load at '
                 f'the end {section["load"]}.\n\n')
    return text


def publish(out):
    """The report below the mark in docs/benchmarks.md, one level deeper, its plots among the images."""
    page = ROOT / 'docs/benchmarks.md'
    text = (out / 'report.md').read_text()
    for image in re.findall(r'\]\(([\w-]+\.svg)\)', text):
        shutil.copy(out / image, ROOT / 'docs/images' / f'bench-{image}')
    text = re.sub(r'\]\(([\w-]+\.svg)\)', r'](images/bench-\1)', text)
    text = re.sub(r'^(#+ )', r'#\1', text, flags=re.M)
    mark = '<!-- the report: benchmarks/report.py --publish -->\n'
    page.write_text(page.read_text().partition(mark)[0] + mark + '\n' + re.sub(r'\n{3,}', '\n\n', text).rstrip() + '\n')
    print(f'bench: {page}')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--quick', action='store_const', const='quick', dest='mode', help='a few minutes')
    parser.add_argument('--tiny', action='store_const', const='tiny', dest='mode', help='seconds: sizes for a test')
    parser.add_argument('--bin', type=pathlib.Path, default=ROOT / 'build/release/bin', help='where the programs are')
    parser.add_argument('--out', type=pathlib.Path, help='folder of the report (default: bench beside --bin)')
    parser.add_argument('--only', action='append', metavar='SECTION', choices=[key for key, _, _ in SECTIONS],
                        help='these sections: ' + ', '.join(key for key, _, _ in SECTIONS))
    parser.add_argument('--limit', type=float, metavar='SECONDS', help="wall limit of one run of another engine")
    parser.add_argument('--publish', action='store_true', help='copy the report in --out into docs/benchmarks.md')
    options = parser.parse_args()
    programs = options.bin.resolve()
    out = (options.out or programs.parent / 'bench').resolve()
    if options.publish:
        return publish(out)
    out.mkdir(parents=True, exist_ok=True)
    bench = Bench(options.mode or 'full', programs, out)
    if options.limit:
        bench.size = dict(bench.size, limit=options.limit)
    kept = read_kept(out / 'sections.json', bench.mode) if options.only else {}
    for key, title, section in SECTIONS:
        if options.only and key not in options.only:
            continue
        print(f'bench: {title} …', flush=True)
        start = time.monotonic()
        bench.goals = []
        text = section(bench)
        seconds = time.monotonic() - start
        print(f'bench: {title}: {seconds:.1f} s', flush=True)
        kept[key] = {'text': text, 'goals': bench.goals, 'seconds': seconds, 'mode': bench.mode, 'commit': commit(),
                     'when': f'{datetime.datetime.now():%Y-%m-%d %H:%M}',
                     'load': ' '.join(f'{x:.2f}' for x in os.getloadavg())}
        (out / 'sections.json').write_text(json.dumps(kept, indent=1))
        (out / 'report.md').write_text(assemble(kept))
    print(f'bench: {out / "report.md"}')


if __name__ == '__main__':
    sys.exit(main())
