#!/usr/bin/env python3
"""Types into a real bash and a real zsh, presses TAB and looks at what they make of it:   completion_test.py PROGRAM"""
import os
import pty
import re
import select
import shutil
import sys
import tempfile
import time
from pathlib import Path

program = str(Path(sys.argv[1]).resolve())


class Shell:
    def __init__(self, words, folder):
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            os.chdir(folder)
            path = os.path.dirname(program) + ':' + os.environ['PATH']
            os.execvpe(words[0], words, dict(os.environ, PATH=path, TERM='dumb', PS1='$ ', HOME=str(folder)))

    def type(self, text, until, seconds=60):
        """Types and returns what is shown from then on, at the latest when `until` (a pattern) is."""
        os.write(self.terminal, text.encode())
        shown, end = '', time.monotonic() + seconds
        while time.monotonic() < end and not re.search(until, shown):
            if select.select([self.terminal], [], [], 0.2)[0]:
                shown += os.read(self.terminal, 4096).decode(errors='replace')
        assert re.search(until, shown), f'no {until!r} after {text!r}: {shown!r}'
        return shown

    def end(self):
        os.close(self.terminal)
        os.kill(self.child, 9)
        os.waitpid(self.child, 0)


def check(shell, setup):
    shell.type(setup + '; echo rea""dy\n', r'\nready')
    for typed, completed in (('mortise repro', 'mortise reproduce '), ('mortise list joints revol', 'revolute '),
                             ('mortise check mod', r'model\.yaml'), ('mortise run model.yaml --bra', '--branch '),
                             ('mortise plot out.h5 rod.ang', r'rod\.angle'), ('mortise explain S40', '2.*S403|S40[23]')):
        shell.type(typed + '\t\t', completed)
        shell.type('\x15echo ne""xt\n', r'\nnext')  # throws the line away


tested = 0
with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    (folder / 'model.yaml').write_text(
        'mortise: 1\ndimension: planar\nbodies:\n  rod: {mass: 1, inertia: 0.1}\nanalysis: {until: 0.1}\n')
    assert os.spawnl(os.P_WAIT, program, program, 'run', '-q', f'{name}/model.yaml', '-o', f'{name}/out.h5') == 0
    for words, setup in ((['bash', '--norc', '--noprofile', '-i'], 'source <(mortise completion bash)'),
                         (['zsh', '-f', '-i'],
                          'autoload -Uz compinit; compinit -u -D; source <(mortise completion zsh)')):
        if not shutil.which(words[0]):
            print(f'no {words[0]}: not tried')
            continue
        shell = Shell(words, folder)
        try:
            check(shell, setup)
        finally:
            shell.end()
        print(f'{words[0]} completes')
        tested += 1
sys.exit(0 if tested else 77)
