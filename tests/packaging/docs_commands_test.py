#!/usr/bin/env python3
"""What the documentation shows is what happens: every command of every page is executed.

    docs_commands_test.py PROGRAM [PAGE...]        # README.md and docs/*.md unless pages are named

A page is read from top to bottom as a newcomer would work through it, in an empty folder with a copy of examples/ and with
PROGRAM as `mortise`. In its code blocks (indented, or fenced without a language)

    $ mortise …      is executed; the lines below it, up to the next command, are what it must print
    mortise …        is executed; it must end well
    # name.yaml      as the first line of a block: the block is written to this file (so for .yml, .json, .py)
    mortise: 1       as the first line of a block: a whole model; `mortise check` must accept it (exit code 0)

A command may end in `# exit code N`. `…` stands for anything within a line, alone on a line for any lines; blank lines and the
width of gaps do not count. Numbers are compared: whole ones below 100 exactly, others to 2 % or to the last digit shown; where
both are rounding (below 1e-9, or gaps above 1e9) they agree; seconds of a `done` line, file sizes and addresses of the viewer are not compared.
Blocks of Python (fenced as such, or beginning with `import`) are executed page by page, where their modules are installed;
docs/python.md has a test of its own. C++ of docs/cpp.md must be in a program of examples/cpp, which are compiled and run.
Pages written by the program (`scripts/part-pages`) are left to packaging.pages.

Comments that readers do not see direct the test:

    <!-- docs-test: run COMMAND -->      prepares the folder; $ROOT is the repository
    <!-- docs-test: skip REASON -->      the next block is not executed

All relative links must lead somewhere, their #anchors included, and docs/README.md must name every page of docs/.
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
NUMBER = re.compile(r'(?<![\w.])[-+−]?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w])')
LIMIT = 120  # seconds a command may take on a busy machine; it is not a measurement


# ---- reading a page


def blocks(text):
    """(line number, language or None, lines, directive or None) of each code block; directives alone have lines = None."""
    lines, k = text.split('\n'), 0
    directive, previous_blank = None, True
    while k < len(lines):
        line = lines[k]
        found = re.match(r'<!-- docs-test: (run|skip) (.*) -->$', line)
        if found and found[1] == 'run':
            yield k + 1, None, None, found[2]
        elif found:
            directive = found[2]
        elif line.startswith('```'):
            start = k + 1
            while not lines[k + 1].startswith('```'):
                k += 1
            yield start + 1, line[3:].strip() or None, lines[start:k + 1], directive
            directive, k = None, k + 1
        elif line.startswith('    ') and previous_blank:
            start = k
            while k + 1 < len(lines) and (lines[k + 1].startswith('    ') or not lines[k + 1].strip()):
                if not lines[k].strip() and lines[k + 1].startswith('    $ '):
                    break  # what is typed after a file has been shown
                k += 1
            yield start + 1, None, [text[4:] for text in lines[start:k + 1]], directive
            directive = None
        previous_blank = not lines[k].strip() or bool(found)
        k += 1


def commands(start, lines):
    """(line number, command, its output as shown or None) of a block."""
    found = []
    for number, line in enumerate(lines, start):
        if re.match(r'\$ \S', line):
            found.append((number, line[2:], []))
        elif re.match(r'mortise ', line):
            found.append((number, line, None))
        elif found and found[-1][2] is not None and line.strip():
            found[-1][2].append(line)
    return found


# ---- comparing outputs


def close(shown, real):
    if shown == real:
        return True
    a, b = (float(x.replace('−', '-')) for x in (shown, real))
    if re.fullmatch(r'[-+−]?\d{1,2}', shown):
        return a == b
    if max(abs(a), abs(b)) < 1e-9 or min(abs(a), abs(b)) > 1e9:
        return True
    mantissa, _, exponent = shown.partition('e')
    last = 10.0 ** (int(exponent or 0) - len(mantissa.partition('.')[2]))
    return abs(a - b) <= max(0.02 * abs(a), min(1.01 * last, 0.5 * abs(a)))


def same_line(shown, real):
    shown, real = (re.sub(r'http://127.0.0.1:\d+/\w+', 'http://HERE', line.strip()) for line in (shown, real))
    free = re.compile(r'( s\b| [kMG]?B\))' if shown.startswith('done') else r'( [kMG]?B\b)')
    pattern, values, end = '', [], 0
    for number in list(NUMBER.finditer(shown)) + [None]:
        text = shown[end:number.start() if number else None]
        pieces = [r'\s+'.join(map(re.escape, re.split(r'\s+', piece))) for piece in text.split('…')]
        pattern += '.*?'.join(pieces)
        if number:
            pattern += '(' + NUMBER.pattern.replace('(?<![\\w.])', '') + ')'
            values.append(None if free.match(shown, number.end()) else number[0])
            end = number.end()
    found = re.fullmatch(pattern, real)
    return bool(found) and all(v is None or close(v, r) for v, r in zip(values, found.groups()))


def difference(shown, real):
    """None where the lines shown match the real ones, else the first that does not."""
    real = [line for line in real.split('\n') if line.strip()]

    def match(i, k):
        if i == len(shown):
            return k == len(real)
        if shown[i].strip() == '…':
            return any(match(i + 1, j) for j in range(k, len(real) + 1))
        furthest[0] = max(furthest[0], i)
        return k < len(real) and same_line(shown[i], real[k]) and match(i + 1, k + 1)

    furthest = [0]
    if match(0, 0):
        return None
    return shown[furthest[0]] if shown else '(no output)'


# ---- executing a page


def execute(command, folder, environment):
    """Exit code and output. What serves until Ctrl-C gets one as soon as it has told its address."""
    process = subprocess.Popen(['bash', '-c', command], cwd=folder, env=environment, text=True, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        if re.match(r'mortise (view\b(?!.*--html)|run\b.*--live)', command):
            output = ''
            for line in process.stdout:
                output += line
                if 'http://127.0.0.1' in line:
                    os.killpg(process.pid, signal.SIGINT)
            return process.wait(LIMIT), output
        return (lambda output: (process.returncode, output))(process.communicate(timeout=LIMIT)[0])
    except subprocess.TimeoutExpired:
        return 'none after %d s' % LIMIT, ''
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)


class Page:
    def __init__(self, path, program):
        self.path, self.program = path, program
        self.problems, self.commands, self.skipped, self.python = [], 0, [], []

    def complain(self, number, text):
        self.problems.append(f'{self.path.name}:{number}: {text}')

    def run(self, number, command, shown):
        self.commands += 1
        wanted = re.search(r'#.*exit code (\d+)', command)
        wanted = int(wanted[1]) if wanted else 0
        code, output = execute(command, self.folder, self.environment)
        if code != wanted:
            self.complain(number, f'{command}\n  exit code {code}, not {wanted}:\n{output}')
        elif shown:
            line = difference(shown, output)
            if line is not None:
                self.complain(number, f'{command}\n  does not print\n{line}\n  but\n{output}')

    def block(self, number, language, lines, directive):
        if lines is None:
            self.run(number, directive, None)
            self.commands -= 1
            return
        name = re.fullmatch(r'# ([\w-]+\.(?:ya?ml|json|py))', lines[0])
        python = language == 'python' or (language is None and re.match(r'(import|from) \w+', lines[0]))
        if directive:
            self.skipped.append(f'{self.path.name}:{number}: not executed: {directive}')
        elif name:
            (self.folder / name[1]).write_text('\n'.join(lines) + '\n')
        elif python:
            self.python.append('\n' * (number - 1 - sum(p.count('\n') for p in self.python)) + '\n'.join(lines))
        elif lines[0].startswith('mortise: 1'):
            (self.folder / 'a-model.yaml').write_text('\n'.join(lines) + '\n')
            self.run(number, 'mortise check a-model.yaml', None)
        elif language is None:
            for one in commands(number, lines):
                self.run(*one)

    def snippets(self):
        code = '\n'.join(self.python)
        modules = ', '.join(sorted(set(re.findall(r'^\s*(?:import|from) (\w+)', code, re.M))))
        python = interpreter(modules, self.environment)
        if not python:
            self.skipped.append(f'{self.path.name}: Python not executed: it needs {modules}')
            return
        done = subprocess.run([python, '-c', code], cwd=self.folder, env=self.environment, text=True, timeout=LIMIT,
                              capture_output=True)
        self.commands += len(self.python)
        if done.returncode:
            self.complain('Python', done.stderr)

    def check(self):
        text = self.path.read_text()
        self.links(text)
        if 'scripts/part-pages' in text.split('\n')[0]:
            return self
        with tempfile.TemporaryDirectory() as name:
            self.folder = pathlib.Path(name)
            (self.folder / 'bin').mkdir()
            (self.folder / 'bin/mortise').symlink_to(self.program)
            shutil.copytree(ROOT / 'examples', self.folder / 'examples')
            package = self.program.parents[1] / 'python'
            self.environment = {**os.environ, 'ROOT': str(ROOT), 'PATH': f'{self.folder}/bin:{os.environ["PATH"]}',
                                'PYTHONPATH': f'{package}:{os.environ.get("PYTHONPATH", "")}', 'LC_ALL': 'C.UTF-8'}
            for block in blocks(text):
                if not (self.path.name == 'python.md' and block[1] == 'python'):
                    self.block(*block)
            if self.python:
                self.snippets()
        return self

    def links(self, text):
        text = re.sub(r'^(    .*|```.*?^```)$', '', text, flags=re.M | re.S) if '```' in text else text
        for target in re.findall(r'\]\(([^)\s]+)\)', text):
            if re.match(r'\w+:', target):
                continue
            path, _, anchor = target.partition('#')
            file = (self.path.parent / path).resolve() if path else self.path
            if not file.exists():
                self.complain('link', f'{target} does not exist')
            elif anchor and file.suffix == '.md' and anchor not in anchors(file.read_text()):
                self.complain('link', f'{target}: no such heading')


def interpreter(modules, environment):
    """A Python that has the modules: this one, or the system's, for which the package is built."""
    for python in (sys.executable, '/usr/bin/python3'):
        if shutil.which(python) and not subprocess.run([python, '-c', f'import {modules}'], env=environment, capture_output=True).returncode:
            return python
    return None


def anchors(text):
    """GitHub's: lower case, without punctuation, blanks as hyphens."""
    headings = re.findall(r'^#+ (.*)$', text, re.M)
    return {re.sub(r'[^\w\- ]', '', heading.lower()).replace(' ', '-') for heading in headings}


# ---- C++, the index, and the test of this test


def cpp_problems():
    """Statements of docs/cpp.md that no program of examples/cpp has: line by line, without their layout."""
    known = re.sub(r'\s+', '', ''.join(f.read_text() for f in sorted((ROOT / 'examples/cpp').glob('*.cpp'))))
    page, problems = ROOT / 'docs/cpp.md', []
    for number, language, lines, _ in blocks(page.read_text()):
        statement = ' '.join(lines or [])
        if statement.rstrip().endswith(';'):
            for piece in re.split(r';\s*', statement):
                if re.sub(r'\s+', '', piece) not in known:
                    problems.append(f'cpp.md:{number}: in no program of examples/cpp: {piece}')
    return problems


def index_problems(pages):
    index = (ROOT / 'docs/README.md').read_text()
    return [f'docs/README.md does not name {page.name}' for page in pages
            if page.parent.name == 'docs' and page.name != 'README.md' and f'({page.name}' not in index]


def self_test():
    """The comparison can fail, and does where it should."""
    real = 'done         934 steps, 1870 evaluations, 0.04 s   energy drift 8.8e-08   worst |φ| 4e-15   out.h5 (2.5 MB)\n\nnext: a'
    good = ['done  934 steps, 1875 evaluations, 9 s   energy drift 9e-08   worst |φ| 1e-15   out.h5 (2 MB)', '…']
    assert difference(good, real) is None, difference(good, real)
    assert difference(['…', 'next: a'], real) is None
    assert difference(['done …', 'next: …'], real) is None
    for bad in (['done 990 steps…', '…'], ['done …'], ['next: a'], ['…', 'next: b'],
                [good[0].replace('9e-08', '9e-07'), '…'], [good[0].replace('1e-15', '1e-5'), '…']):
        assert difference(bad, real) is not None, bad
    assert not close('11', '12') and close('0.39', '0.3851') and not close('0.39', '0.42')


def main():
    self_test()
    program = pathlib.Path(sys.argv[1]).resolve()
    everything = [ROOT / 'README.md', *sorted((ROOT / 'docs').glob('*.md'))]
    pages = [pathlib.Path(p).resolve() for p in sys.argv[2:]] or everything
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        done = list(pool.map(lambda path: Page(path, program).check(), pages))
    problems = [p for page in done for p in page.problems] + cpp_problems() + index_problems(everything)
    for page in done:
        if page.commands:
            print(f'{page.path.name}: {page.commands} commands and snippets')
    print('\n'.join(s for page in done for s in page.skipped))
    print('\n'.join(problems))
    print(f'{sum(page.commands for page in done)} commands of {len(done)} pages executed, {len(problems)} problems')
    return 1 if problems else 0


sys.exit(main())
