"""What `make bench` measures: a method of Bench a section, each answers Markdown and notes its goals."""
import json
import math
import os
import pathlib
import platform
import re
import statistics
import subprocess
import time

from plot import write_figure

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Sizes: largest chain, largest N-four-bar, repetitions of short runs, wall limit of a peer's run [s].
SIZES = {
    'full': {'chain': 1000000, 'windows': 100000, 'repeat': 5, 'limit': 400},
    'quick': {'chain': 100000, 'windows': 10000, 'repeat': 3, 'limit': 8},
    'tiny': {'chain': 10, 'windows': 2, 'repeat': 1, 'limit': 1},
}
PUBLISHED_ANGLES = {  # Andrews' mechanism at 0.03 s: IVP test set, PSIDE at 1e-14
    'K1.angle': 15.81077119629904, 'F.angle': -15.75637105984298, 'K3.angle': 0.04082224013073101,
    'H.angle': -0.5347301163226948, 'K5.angle': 0.5244099658805304, 'G.angle': 0.5347301163226948,
    'K7.angle': 1.048080741042263}
ROUNDING = 1e-9  # a loop closed better than this is closed


def table(header, rows):
    """A Markdown table; a column whose name begins with '>' is set to the right."""
    lines = ['| ' + ' | '.join(name.lstrip('>') for name in header) + ' |',
             '| ' + ' | '.join('---:' if name.startswith('>') else '---' for name in header) + ' |']
    lines += ['| ' + ' | '.join(str(cell) for cell in row) + ' |' for row in rows]
    return '\n'.join(lines) + '\n'


def parse_table(text):
    """The rows of the Markdown tables in a text, as dictionaries by column."""
    rows, header = [], None
    for line in text.splitlines():
        if not line.startswith('|'):
            header = None
            continue
        cells = [cell.strip() for cell in line.strip().strip('|').split('|')]
        if header is None:
            header = cells
        elif not all(re.fullmatch(r':?-+:?', cell) for cell in cells):
            rows.append(dict(zip(header, cells)))
    return rows


def figure(text):
    """The number at the beginning of a cell: '12.3 ms' is 12.3."""
    return float(text.split()[0])


def digits(value, places=3):
    """A number as people write it: 0.0123, 4.56, 1.2e-07."""
    if value is None or not math.isfinite(value):
        return '–'
    if value != 0 and (abs(value) < 1e-3 or abs(value) >= 1e5):
        return f'{value:.1e}'
    return f'{value:.{places}g}'


def slope(points):
    """Of the straight line through the ends of (x, y) in double-logarithmic axes."""
    (x0, y0), (x1, y1) = points[0], points[-1]
    return math.log(y1 / y0) / math.log(x1 / x0)


def fastest_as_good(ours, peer):
    """Of our runs, the fastest whose energy error and violation are at most the peer's."""
    if peer['energy_error'] is None or peer['violation'] is None:  # not a number: any motion is as good
        good = ours
    else:
        good = [run for run in ours if run['energy_error'] is not None and run['energy_error'] <= peer['energy_error']
                and run['violation'] <= max(peer['violation'], ROUNDING)]
    return min(good, key=lambda run: run['wall'], default=None)


class Bench:
    def __init__(self, mode, programs, out):
        self.mode, self.bin, self.out = mode, programs, out
        self.size = SIZES[mode]
        self.goals = []   # (what, goal, measured, met or None)
        self.cache = {}

    # ---- running

    def has(self, program):
        return os.access(self.bin / program, os.X_OK)

    def missing(self, *programs):
        absent = [program for program in programs if not self.has(program)]
        return f'Not measured: {", ".join(absent)} is not built.\n' if absent else ''

    def run(self, program, *arguments, timeout=3600):
        """What a program prints, or None; seconds, peak memory and why not are left in self.last."""
        command = [str(self.bin / program)] + [str(a) for a in arguments]
        start = time.monotonic()
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            text, errors = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            self.last = {'wall': timeout, 'why': f'no answer within {timeout:g} s'}
            return None
        self.last = {'wall': time.monotonic() - start, 'why': errors.strip().splitlines()[-1] if errors.strip() else ''}
        if process.returncode != 0:
            self.last['why'] = self.last['why'] or f'exit code {process.returncode}'
            return None
        return text

    def ours(self, model, *words, repeat=None):
        key = (model,) + words
        if key not in self.cache:
            text = self.run('run_bench', f'examples/{model}.yaml', repeat or self.size['repeat'], *words)
            self.cache[key] = json.loads(text) if text else None
        return self.cache[key]

    def peer(self, name, case, n, until, *options):
        """A peer's run; short ones are repeated and the median of their times taken."""
        limit = self.size['limit']
        runs = []
        while len(runs) < self.size['repeat']:
            text = self.run(f'peer_{name}', case, n, until, limit, *options, timeout=3 * limit + 60)
            if text is None:
                break
            runs.append(json.loads(text.splitlines()[-1]))  # engines may print before it
            if runs[-1]['wall'] > 5:
                break
        if not runs:
            return None
        runs[0]['wall'] = statistics.median(run['wall'] for run in runs)
        runs[0]['runs'] = len(runs)
        return runs[0]

    def goal(self, what, goal, measured, met):
        """Notes a goal for the summary; returns the cell of a table."""
        self.goals.append((what, goal, measured, met))
        return 'not measured' if met is None else 'met' if met else 'not met'

    # ---- sections

    def machine(self):
        def first(path, pattern):
            try:
                found = re.search(pattern, pathlib.Path(path).read_text(), re.M)
                return found.group(1).strip() if found else '?'
            except OSError:
                return '?'

        def output(*command):
            try:
                return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
            except (OSError, subprocess.CalledProcessError):
                return '?'
        cache = self.bin.parent / 'CMakeCache.txt'
        compiler = first(cache, r'^CMAKE_CXX_COMPILER:\w+=(.*)$')
        lapack = pathlib.Path('/etc/alternatives/liblapack.so.3-x86_64-linux-gnu')
        rows = [
            ('processor', first('/proc/cpuinfo', r'^model name\s*:\s*(.*)$')),
            ('cores', os.cpu_count()),
            ('memory', first('/proc/meminfo', r'^MemTotal:\s*(.*)$')),
            ('system', f'{platform.system()} {platform.release()}'),
            ('compiler', output(compiler, '--version').splitlines()[0] if compiler != '?' else '?'),
            ('flags', first(cache, r'^CMAKE_BUILD_TYPE:\w+=(.*)$') + ', no -march: what every x86-64 runs'),
            ('LAPACK of the peers', lapack.resolve().parent.name if lapack.exists() else '?'),
            ('load when it began', ' '.join(f'{x:.2f}' for x in os.getloadavg())),
            ('sizes', self.mode),
        ]
        return table(['what', 'here'], rows)

    def right_hand_side(self):
        """Double four-bar: one right-hand side as a ratio to Eigen's LU of the 29 x 29 saddle matrix."""
        if absent := self.missing('mechanism_bench'):
            return absent
        rows = parse_table(self.run('mechanism_bench', timeout=600) or '')
        cells = []
        ours = [row for row in rows if row['goal']]  # all of them give multipliers
        best = {}
        for goal, what, of in (('0.20', 'with multipliers', ours),
                               ('0.40', 'with a rank decision', [r for r in ours if r['decides the rank'] == 'yes'])):
            if of:
                row = min(of, key=lambda r: figure(r['of LU']))
                met = self.goal(f'double four-bar right-hand side, {what} ({row["what"]})', f'≤ {goal} of LU',
                                row['of LU'], figure(row['of LU']) <= figure(goal))
                best.setdefault(row['what'], []).append((f'≤ {goal}', met))
        for row in rows:
            goals = best.get(row['what'], [])
            cells.append((row['what'], row['ns'], row['of LU'], row['decides the rank'], row['differs from LU'],
                          ', '.join(goal for goal, _ in goals), ', '.join(met for _, met in goals)))
        return ('From (t, q, v) to (a, λ) by each formulation, evaluation of the mechanism included; n = 15, m = 14; '
                'medians of 9. The goals are for the best of those that give multipliers, and of those that decide the '
                'rank.\n\n' +
                table(['what', '>ns', '>of LU', 'decides the rank', '>differs from LU', '>goal', 'met'], cells))

    def scaling(self):
        if absent := self.missing('scale_bench'):
            return absent
        text = ('One right-hand side with `sparse`, from (t, q, v) to (a, λ), redundancies included; medians of 9. '
                'Bytes are those that mechanism and workspace keep on the heap.\n\n')
        time_series, byte_series = [], []
        for example, largest in (('chain', self.size['chain']), ('chain-spatial', self.size['chain']),
                                 ('n-four-bar', self.size['windows']), ('n-four-bar-spatial', self.size['windows'])):
            answer = self.run('scale_bench', largest, example, timeout=3600)
            if answer is None:
                text += f'{example}: {self.last["why"]}\n\n'
                continue
            rows = [{'n': int(r['N']), 's': figure(r['a right-hand side']) * 1e-3, 'ns': figure(r['a link or window']),
                     'evaluation': figure(r['evaluation alone']), 'redundant': r['redundant'],
                     'bytes': figure(r['bytes']), 'goal': figure(r['goal'])} for r in parse_table(answer)]
            unit = 'link' if example.startswith('chain') else 'window'
            judged = 100000 if unit == 'link' else max((r['n'] for r in rows if r['n'] >= 1000), default=None)
            cells = []
            for r in rows:
                met, goal = '', ''
                if r['n'] == judged:
                    goal = f'≤ {r["goal"]:.0f}'
                    met = self.goal(f'{example}, N = {judged:,}: ns a {unit}', goal, f'{r["ns"]:.0f}',
                                    r['ns'] <= r['goal'])
                cells.append((f'{r["n"]:,}', digits(r['s'] * 1e3), f'{r["ns"]:.0f}', f'{r["evaluation"]:.0f}',
                              r['redundant'], f'{r["bytes"]:.0f}', goal, met))
            text += f'**{example}**\n\n' + table(['>N', '>ms', f'>ns a {unit}', '>of it evaluation', '>redundant rows',
                                                   f'>bytes a {unit}', '>goal', 'met'], cells) + '\n'
            points = [(r['n'], r['s']) for r in rows]
            by_size = dict(points)
            if len(points) > 1:
                tail = [p for p in points if p[0] >= 1000] or points
                text += f'Slope from N = {tail[0][0]:,} to {tail[-1][0]:,}: {slope(tail):.3f}' if len(tail) > 1 else ''
                text += '\n\n'
            if unit == 'link':
                whole = 10000 in by_size and 1000000 in by_size
                value = slope([(n, by_size[n]) for n in (10000, 1000000)]) if whole else None
                self.goal(f'{example}: slope from 1e4 to 1e6', '≤ 1.05', digits(value),
                          None if value is None else value <= 1.05)
                ratio = by_size[1000000] / by_size[1000] / 1000 if whole and 1000 in by_size else None
                self.goal(f'{example}: cost a link at 1e6 over that at 1e3', '≤ 2', digits(ratio),
                          None if ratio is None else ratio <= 2)
            time_series.append((example, points))
            byte_series.append((example, [(r['n'], r['bytes']) for r in rows]))
        if time_series:
            write_figure(self.out / 'scaling.svg', 'A right-hand side over the number of links or windows', 'N', 's',
                         time_series, guide=1)
            write_figure(self.out / 'bytes.svg', 'Bytes a link or window', 'N', 'bytes', byte_series)
            text += ('![a right-hand side over N; the dashed line has slope 1](scaling.svg)\n\n'
                     '![bytes a link or window over N](bytes.svg)\n')
        return text

    PEERS = ('simbody', 'dart', 'ode', 'bullet')
    FAST = ('accuracy=1e-6', 'project=1')

    @staticmethod
    def steps(name, *options):
        return [(name, (step,) + options, None) for step in ('step=1e-3', 'step=1e-4')]

    LAST_BODY = {'n-four-bar': 'bar{}', 'chain': 'link{}', 'bricard': 'rod5'}
    TOLERANCES = [f'{digit}e-{k}' for k in range(3, 12) for digit in (5, 2, 1)]

    def compare_with_peers(self, case, n, until, runs, setting):
        """Each peer's run beside our fastest one that is at least as good."""
        cells = []
        for name, options, goal in runs:
            if not self.has(f'peer_{name}'):
                continue
            peer = self.peer(name, case, n, until, *options)
            if peer is None:
                cells.append((name, ' '.join(options), self.last['why']) + ('',) * 10)
                continue
            reached = peer['reached']
            if reached == 0:
                why = f'fails: {peer["trouble"][:80]}' if peer['trouble'] else f'nothing within {self.size["limit"]} s'
                cells.append((peer['peer'], peer['setting'], peer['constraint']) + ('–',) * 9 + (why,))
                continue
            remark = 'whole' if reached >= until - 1e-9 else f'{reached:g} of {until:g} s'
            if peer['trouble']:
                remark += ', then ' + peer['trouble'][:80]
            elif reached < until - 1e-9:
                remark += f' (limit {self.size["limit"]} s)'
            words = setting + (f'analysis.until={reached:g}', 'output.every=0.01')
            mine = self.as_good_as(peer, case, words)
            row = [peer['peer'], peer['setting'], peer['constraint'], digits(peer['wall'] / reached),
                   digits(peer['energy_error']), digits(peer['violation']), digits(self.end_off(peer, case, n, words))]
            ratio = peer['wall'] / mine['wall'] if mine else None
            if mine:
                row += [digits(mine['wall'] / reached), mine['tolerance'], f'{ratio:.3g}',
                        f'{peer["cpu"] / mine["cpu"]:.3g}' if mine['cpu'] else '–']
            else:
                row += ['–', 'none', '–', '–']
            met = ''
            if goal and self.mode != 'tiny':
                met = self.goal(f'{case}, N = {n:,}, against {peer["peer"]} ({peer["setting"]}; {peer["constraint"]})',
                                f'≥ {goal} times faster', (digits(ratio) if ratio else 'not as accurate') +
                                ('' if reached >= until - 1e-9 else f' over {reached:g} of {until:g} s'),
                                bool(ratio and ratio >= goal))
            cells.append(tuple(row) + (f'≥ {goal}: {met}' if met else '', remark))
        if not cells:
            return 'Not measured: no peer is installed (scripts/install-deps peers).\n'
        return table(['engine', 'setting', 'what it does to the constraint', '>s a simulated s', '>energy error',
                      '>violation', '>end off, m', '>Mortise, as good: s a simulated s', '>its tolerance', '>ratio',
                      '>ratio of processor time', 'goal', 'remark'], cells)

    def as_good_as(self, peer, case, words):
        """Our fastest run that is as good: tolerances from coarse to fine, finer ones only cost more."""
        for tolerance in self.TOLERANCES:
            run = self.ours(case, *words, f'analysis.tolerance={tolerance}')
            if run and fastest_as_good([run], peer):
                return dict(run, tolerance=tolerance)
        return None

    def end_off(self, peer, case, n, words):
        """How far the last body's centre ends from where our run of fine tolerance has it."""
        body = self.LAST_BODY[case].format(n - 1)
        names = [f'{body}.{axis}' for axis in ('xyz' if case == 'bricard' else 'xy')]
        run = self.ours(case, *words, 'analysis.tolerance=1e-10', *names, repeat=1)
        if run is None or None in peer['end']:
            return None
        return math.dist([run['quantities'][name] for name in names], peer['end'][:len(names)])

    def peers(self):
        if absent := self.missing('run_bench'):
            return absent
        absent = [name for name in self.PEERS if not self.has(f'peer_{name}')]
        text = (
            'Wall seconds a simulated second. The energy error is the largest change of the total energy over the '
            'largest kinetic energy, the violation the largest gap of a hinge in metres (or its tilt), both sampled '
            'every 0.01 s and computed from poses and velocities in the same way for every peer. Beside each stands '
            'the run of Mortise, with all joint reactions, at the coarsest tolerance whose errors are at most those '
            f'(gaps below {ROUNDING:g} count as closed). "End off" is how far the last body ends from where a run of '
            'Mortise at 1e-10 has it: an engine that keeps its energy may still have left the motion, most of all '
            'at the flat poses of the N-four-bar, where other motions branch off.\n\n')
        if absent:
            text += f'Missing peers: {", ".join(absent)} (scripts/install-deps peers).\n\n'

        def four_bars(goal, best, also):
            return [('simbody', best, goal)] + [('simbody', o, None) for o in also]

        fast, steps, tiny = self.FAST, self.steps, self.mode == 'tiny'
        cases = [
            (2, 0.02 if tiny else 10, four_bars(5, fast, [('accuracy=1e-9', 'project=1'),
                                                           ('accuracy=1e-6', 'project=0')]) +
             steps('dart') + steps('ode') + steps('bullet')),
            (40, 1 if self.mode == 'quick' else 10, four_bars(40, fast, [('accuracy=1e-9', 'project=1'),
                                                                          ('accuracy=1e-6', 'project=0')]) +
             steps('dart') + steps('ode')[:1] + steps('ode', 'quick=1') + steps('bullet')),
            (400, 1, four_bars(400, ('accuracy=1e-6', 'project=0'), [fast]) +
             steps('dart') + steps('ode', 'quick=1') + steps('bullet')),
        ]
        for n, until, runs in cases[:1] if tiny else cases:
            text += f'### Planar N-four-bar, N = {n}, {until} s\n\n'
            text += self.compare_with_peers('n-four-bar', n, until, runs, (f'N={n}',)) + '\n'
        return text

    def peers_chain(self):
        if absent := self.missing('run_bench'):
            return absent
        links = 10 if self.mode == 'tiny' else 10000
        text = f'Planar chain of {links:,} links, 0.1 s. DART is left out: see docs/benchmarks.md.\n\n'
        return text + self.compare_with_peers('chain', links, 0.1, [
            ('simbody', self.FAST, 10), ('simbody', ('accuracy=1e-9', 'project=1'), None)] +
            self.steps('ode', 'quick=1')[:1] + self.steps('bullet')[:1], (f'N={links}',))

    def peers_bricard(self):
        if absent := self.missing('run_bench'):
            return absent
        until = 0.02 if self.mode == 'tiny' else 10
        text = f'{until} s. DART has no hinge that closes a loop.\n\n'
        return text + self.compare_with_peers('bricard', 1, until, [
            ('simbody', self.FAST, None), ('simbody', ('accuracy=1e-9', 'project=1'), None),
            ('simbody', ('accuracy=1e-6', 'project=0'), None)] + self.steps('ode') + self.steps('bullet'), ())

    def spatial(self):
        if absent := self.missing('run_bench'):
            return absent
        cells = []
        until = ('analysis.until=0.02',) if self.mode == 'tiny' else ()
        for example in ('bricard', 'mcpherson', 'mcpherson-overconstrained'):
            for tolerance in ('1e-6', '1e-8', '1e-10'):
                run = self.ours(example, f'analysis.tolerance={tolerance}', *until)
                if run is None:
                    cells.append((example, tolerance, self.last['why']) + ('',) * 6)
                    continue
                cells.append((example, tolerance, digits(run['wall'] / run['reached']),
                              digits(run['wall'] / run['evaluations'] * 1e6), run['steps'], run['evaluations'],
                              run['rank'], digits(run['energy_error']), digits(run['violation'])))
        return ('Default settings (`formulation: auto`, Adams, projection). The overconstrained one carries the arm by '
                'two hinges.\n\n' +
                table(['example', '>tolerance', '>s a simulated s', '>µs an evaluation, all included', '>steps',
                       '>evaluations', '>rank', '>energy error', '>violation'], cells))

    def andrews(self):
        if absent := self.missing('run_bench'):
            return absent
        integrators = ('adams', 'rk45', 'rkv56', 'rk78', 'bdf')
        formulations = ('auto', 'lagrange', 'sparse', 'udwadia-kalaba', 'gigsp', 'orthogonal-complement', 'direct',
                        'least-squares-1', 'least-squares-2', 'udwadia-phohomsiri', 'singh-likins', 'kim-vanderploeg',
                        'coordinate-partition')
        tolerances = tuple(f'1e-{k}' for k in range(4, 13))
        if self.mode == 'quick':
            formulations, tolerances = formulations[:5], tolerances[::2]
        if self.mode == 'tiny':
            integrators, formulations, tolerances = integrators[:1], formulations[:1], tolerances[:1]
        runs = []
        for formulation in formulations:
            for integrator in integrators:
                for tolerance in tolerances:
                    run = self.ours('andrews', f'analysis.formulation={formulation}',
                                    f'analysis.integrator={integrator}', f'analysis.tolerance={tolerance}',
                                    'output.every=0.03', *PUBLISHED_ANGLES, repeat=min(3, self.size['repeat']))
                    if run:
                        error = max(abs(run['quantities'][q] - angle) for q, angle in PUBLISHED_ANGLES.items())
                        runs.append((formulation, integrator, tolerance, run['cpu'], error, run['evaluations']))
        (self.out / 'andrews.csv').write_text(
            'formulation,integrator,tolerance,cpu_seconds,angle_error,evaluations\n' +
            ''.join(','.join(str(x) for x in run) + '\n' for run in runs))
        levels = (1e-3, 1e-5, 1e-7, 5e-9)
        cells = []
        for formulation in formulations:
            for integrator in integrators:
                mine = [run for run in runs if run[:2] == (formulation, integrator)]
                if mine:
                    best = [min((run[3] for run in mine if run[4] <= level), default=None) for level in levels]
                    cells.append((formulation, integrator) +
                                 tuple('–' if b is None else digits(b * 1e3) for b in best))

        def curves(column, names, other, at):
            return [(name, [(run[3], run[4]) for run in runs if run[column] == name and run[other] == at])
                    for name in names]
        for name, series, title in (
                ('andrews-integrators.svg', curves(1, integrators, 0, 'auto'), 'Andrews, formulation auto'),
                ('andrews-formulations.svg', curves(0, formulations, 1, 'adams'), 'Andrews, integrator adams')):
            write_figure(self.out / name, title, 'processor time [s]', 'error of the angles [rad]',
                         [s for s in series if s[1]])
        return ('Processor milliseconds of the least costly run over tolerances whose seven angles at 0.03 s are '
                'within an error of the published ones (which are themselves 1e-9 off). All runs: `andrews.csv`.\n\n' +
                table(['formulation', 'integrator'] + [f'>ms for {level:g} rad' for level in levels], cells) +
                '\n![error over processor time, integrators](andrews-integrators.svg)\n\n'
                '![error over processor time, formulations](andrews-formulations.svg)\n')

    def iftomm(self):
        if absent := self.missing('run_bench'):
            return absent
        allowed = 1e-5
        problems = [
            ('A01 simple pendulum', 'pendulum', (), 10, 0.637,
             {'bob.x': -0.27508746257611686, 'bob.y': -0.96141920509912506}),
            ('A02 N-four-bar, N = 2', 'n-four-bar', ('N=2',), 10, 0.455,
             {'vertical0.B0.x': 0.32845811154081538, 'vertical0.B0.y': 0.94451853817860096}),
            ('A02 N-four-bar, N = 40', 'n-four-bar', ('N=40',), 10, None,
             {'vertical0.B0.x': 0.18051222668672839, 'vertical0.B0.y': 0.98357274058231157}),
            ("A03 Andrews' mechanism", 'andrews', (), 0.05, 0.384, {}),
            ("A04 Bricard's mechanism", 'bricard', (), 10, 0.258, {}),
        ]
        integrators, tolerances = ('adams', 'rk45', 'rkv56', 'rk78'), ('1e-4', '1e-5', '1e-6', '1e-7', '1e-8', '1e-9')
        if self.mode == 'quick':
            del problems[2]
        if self.mode == 'tiny':
            problems, integrators, tolerances = problems[:1], integrators[:1], tolerances[:1]
        cells = []
        for title, model, words, until, published, end in problems:
            best = None
            for integrator in integrators:
                for tolerance in tolerances:
                    run = self.ours(model, *words, f'analysis.until={until}', f'output.every={until / 1000:g}',
                                    f'analysis.integrator={integrator}', f'analysis.tolerance={tolerance}', *end,
                                    repeat=min(3, self.size['repeat']))
                    if run and run['energy_error'] is not None and run['energy_error'] <= allowed:
                        if best is None or run['wall'] < best[2]['wall']:
                            best = (integrator, tolerance, run)
                        break
            if best is None:
                cells.append((title, until, 'none within the rule') + ('',) * 6)
                continue
            integrator, tolerance, run = best
            error = max((abs(run['quantities'][q] - value) for q, value in end.items()), default=None)
            cells.append((title, until, f'{integrator}, {tolerance}', digits(run['wall']), digits(run['energy_error']),
                          digits(error), digits(run['violation']), published or '–',
                          digits(published / run['wall']) if published else '–'))
        return (f'The rule: least wall time with an energy error of at most {allowed:g} of the largest kinetic energy '
                'over the whole run (our choice: the published times do not state theirs), 1,000 frames with all '
                f'reactions; over integrators {", ".join(integrators)} and tolerances. Published: OpenSim 3.2 on '
                'Simbody, an i5-4570, another machine: context, no race.\n\n' +
                table(['problem', '>simulated s', 'integrator, tolerance', '>wall s', '>energy error',
                       '>end point error, m', '>violation', '>published s', '>published / ours'], cells))

    def large(self):
        if absent := self.missing('run_bench'):
            return absent
        windows, links = {'full': (100000, 1000000), 'quick': (10000, 100000), 'tiny': (2, 10)}[self.mode]
        cells = []
        for title, model, words, promised in (
                (f'N-four-bar of {windows:,} windows, 1 s', 'n-four-bar',
                 (f'N={windows}', 'analysis.until=1', 'analysis.tolerance=1e-6', 'output.every=1'), None),
                (f'chain of {links:,} links: 10 steps', 'chain',
                 (f'N={links}', 'analysis.integrator=rk4', 'analysis.step=1e-5', 'analysis.until=1e-4',
                  'output.every=1e-4'), 12)):
            text = self.run('run_bench', f'examples/{model}.yaml', 1, *words, timeout=3600)
            run = json.loads(text) if text else None
            whole = self.mode == 'full'
            memory = run['peak_bytes'] / 2**30 if run else None
            if promised:
                goal, good = f'≤ {promised} GiB', run is not None and memory <= promised
            else:
                goal, good = 'completes', run is not None
            met = self.goal(title, goal, f'{memory:.2f} GiB' if run else self.last['why'], good if whole else None)
            if run is None:
                cells.append((title, self.last['why'], '', '', '', '', goal, met))
            else:
                cells.append((title, digits(run['load']), digits(run['wall']), run['steps'],
                              digits(run['energy_error']), f'{memory:.2f}', goal, met))
        return (('' if self.mode == 'full' else 'Shortened: the goals are for 100,000 windows, 1,000,000 links.\n\n') +
                table(['case', '>load and compile, s', '>run, s', '>steps', '>energy error', '>peak memory, GiB',
                       '>goal', 'met'], cells))

    def contact(self):
        if absent := self.missing('run_bench'):
            return absent
        cells = []
        for balls, until in {'full': ((60, 2.5), (200, 2)), 'quick': ((60, 1),), 'tiny': ((10, 0.1),)}[self.mode]:
            run = self.ours('pile', f'n={balls}', f'analysis.until={until}', 'energy.total', 'pile.penetration')
            if run is None:
                cells.append((balls, until, self.last['why']) + ('',) * 3)
                continue
            cells.append((balls, until, digits(run['wall'] / run['steps'] * 1e3), digits(run['wall'] / run['reached']),
                          digits(run['quantities']['pile.penetration']), digits(run['energy_error'])))
        return ('`examples/pile.yaml`: balls, three boxes and three rods that fall into a tray, friction 0.4, step 2 ms.\n\n' +
                table(['>balls', '>until, s', '>ms a step', '>s a simulated s', '>penetration at the end, m',
                       '>error of the energy balance'], cells))

    def batch(self):
        if absent := self.missing('batch_bench'):
            return absent
        answer = self.run('batch_bench', *(['--quick'] if self.mode != 'full' else []), timeout=1800)
        return answer if answer is not None else f'batch_bench failed: {self.last["why"]}\n'

    def others(self):
        shown = {'mechanism_bench', 'scale_bench', 'run_bench', 'batch_bench'}
        programs = sorted(path.name for path in self.bin.glob('*_bench') if path.name not in shown)
        if self.mode == 'tiny':
            return f'Left out at this size: {", ".join(["scale_bench crossover"] + programs)}.\n'
        text = ''
        if self.has('scale_bench'):
            answer = self.run('scale_bench', 'crossover', timeout=600)
            text += f'`scale_bench crossover`\n\n{answer or self.last["why"]}\n'
        for program in programs:
            answer = self.run(program, timeout=1800)
            text += f'`{program}`\n\n```\n{(answer or self.last["why"]).rstrip()}\n```\n\n'
        return text or 'None is built.\n'


SECTIONS = (
    ('machine', 'Machine', Bench.machine),
    ('right-hand-side', 'Double four-bar: one right-hand side', Bench.right_hand_side),
    ('scaling', 'Chains and N-four-bars over their size', Bench.scaling),
    ('peers', 'Beside other engines: N-four-bars', Bench.peers),
    ('peers-chain', 'Beside other engines: a long chain', Bench.peers_chain),
    ('peers-bricard', 'Beside other engines: Bricard', Bench.peers_bricard),
    ('spatial', 'Bricard and McPherson', Bench.spatial),
    ('andrews', "Andrews' mechanism: work and precision", Bench.andrews),
    ('iftomm', 'IFToMM A01 to A04', Bench.iftomm),
    ('large', 'Large models', Bench.large),
    ('contact', 'A pile in contact', Bench.contact),
    ('batch', 'Batch throughput', Bench.batch),
    ('others', 'Other programs', Bench.others),
)
