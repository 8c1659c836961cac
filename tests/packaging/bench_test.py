#!/usr/bin/env python3
"""The benchmark report has all its sections, names what is not built, and judges goals rightly; where the programs are
built, every table and plot is there on tiny sizes. No time is judged.

    bench_test.py [BIN]     BIN: folder of the benchmark programs
"""
import json
import math
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / 'benchmarks'))
sys.dont_write_bytecode = True
import plot  # noqa: E402
import report  # noqa: E402
import sections  # noqa: E402

PROGRAMS = pathlib.Path(sys.argv.pop(1)) if len(sys.argv) > 1 else ROOT / 'build/release/bin'
SVG = '{http://www.w3.org/2000/svg}'


class Pieces(unittest.TestCase):
    def test_tables_are_read_as_they_are_written(self):
        text = 'words\n\n' + sections.table(['name', '>ms'], [('chain', '1.5 ms'), ('a', '2 ms')]) + '\nmore'
        rows = sections.parse_table(text)
        self.assertEqual(rows, [{'name': 'chain', 'ms': '1.5 ms'}, {'name': 'a', 'ms': '2 ms'}])
        self.assertEqual(sections.figure(rows[0]['ms']), 1.5)

    def test_slope_of_a_power(self):
        self.assertAlmostEqual(sections.slope([(10, 3e-6), (100, 1), (1000, 3e-3)]), 1.5)

    def test_the_fastest_run_that_is_as_good(self):
        peer = {'energy_error': 1e-5, 'violation': 1e-15}
        coarse = {'energy_error': 2e-5, 'violation': 0, 'wall': 1}
        gaping = {'energy_error': 1e-6, 'violation': 1e-6, 'wall': 1}
        good = {'energy_error': 1e-6, 'violation': 1e-12, 'wall': 3}
        slow = dict(good, wall=4)
        self.assertIs(sections.fastest_as_good([coarse, gaping, slow, good], peer), good)
        self.assertIsNone(sections.fastest_as_good([coarse, gaping], peer))
        self.assertIs(sections.fastest_as_good([coarse], {'energy_error': None, 'violation': 1}), coarse)

    def test_goals_are_judged(self):
        bench = sections.Bench('tiny', PROGRAMS, pathlib.Path('.'))
        self.assertEqual([bench.goal('x', '≤ 1', '2', met) for met in (True, False, None)],
                         ['met', 'not met', 'not measured'])
        self.assertIn('**not met**', report.summary(bench.goals))

    def test_plots_have_a_line_a_series_where_values_are_above_zero(self):
        svg = plot.log_log('a < b', 'N', 's', [('one', [(10, 1e-3), (1000, 0.1)]), ('two', [(10, 0), (10, math.pi)])])
        root = xml.etree.ElementTree.fromstring(svg)
        self.assertEqual(len(root.findall(f'{SVG}circle')), 3)
        self.assertIn('one', ''.join(root.itertext()))


class Report(unittest.TestCase):
    def folder(self):
        path = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, path)
        return path

    def written(self, programs):
        """Sections of a report by title, and its folder."""
        folder = self.folder()
        subprocess.run([sys.executable, ROOT / 'benchmarks/report.py', '--tiny', '--bin', programs, '--out', folder],
                       check=True, stdout=subprocess.DEVNULL, timeout=280)
        parts = (folder / 'report.md').read_text().split('\n## ')[1:]
        return {part.split('\n')[0]: part for part in parts}, folder

    def test_without_programs_every_section_says_what_is_missing(self):
        written, _ = self.written(self.folder())
        self.assertEqual(list(written), ['Goals'] + [title for _, title, _ in sections.SECTIONS])
        for title, text in written.items():
            if title not in ('Goals', 'Machine', 'Other programs'):
                self.assertRegex(text, r'Not measured: \w+_bench is not built', title)

    def test_sections_that_are_not_measured_anew_are_kept(self):
        def section(text, met):
            return {'text': text, 'goals': [['x', '≤ 1', '2', met]], 'seconds': 60, 'mode': 'tiny', 'commit': 'abc',
                    'when': '2001-02-03 04:05', 'load': '0'}
        path = self.folder() / 'sections.json'
        path.write_text(json.dumps({'batch': section('old\n', True), 'machine': section('first\n', False)}))
        kept = report.read_kept(path, 'tiny')
        text = report.assemble(kept)
        self.assertLess(text.index('first'), text.index('old'))
        self.assertIn('in 2.0 minutes', text)
        self.assertIn('2001-02-03 04:05, commit abc', text)
        self.assertEqual(len(sections.parse_table(text)), 2)
        self.assertEqual(report.read_kept(path, 'full'), {})

    @unittest.skipUnless((PROGRAMS / 'run_bench').exists(), 'the benchmarks are not built')
    def test_with_programs_every_section_has_its_tables_and_plots(self):
        written, folder = self.written(PROGRAMS)
        for key, title, _ in sections.SECTIONS:
            if key not in ('batch', 'others'):
                self.assertTrue(sections.parse_table(written[title]), title)
            self.assertNotIn('is not built', written[title] if key != 'batch' else '', title)
        for name in ('scaling', 'bytes', 'andrews-integrators', 'andrews-formulations'):
            self.assertTrue(xml.etree.ElementTree.parse(folder / f'{name}.svg').findall(f'.//{SVG}circle'), name)
        rows = sections.parse_table(written['Double four-bar: one right-hand side'])
        for row in rows[2:]:
            self.assertLess(float(row['differs from LU']), 1e-11, row['what'])
        # Every engine that is there simulates the same mechanisms: after 0.02 s and 0.1 s they are where ours are.
        for what in ('N-four-bars', 'a long chain', 'Bricard'):
            for row in sections.parse_table(written[f'Beside other engines: {what}']):
                self.assertEqual(row['remark'], 'whole')
                self.assertLess(float(row['end off, m']), 1e-3, row['engine'])


if __name__ == '__main__':
    unittest.main()
