#!/usr/bin/env python3
"""What Python costs: PYTHONPATH=build/release/python benchmarks/python_bench.py build/release/bin/mortise [REPEATS]

Runs of about 1e5 steps by the program and from Python, the best of several, processor time; and what a call of a force in
Python costs beside the same force as a formula."""

import pathlib
import resource
import subprocess
import sys
import tempfile

import mortise as mt

EXAMPLES = pathlib.Path(__file__).resolve().parents[1] / "examples"
SETTINGS = {"integrator": "rk4", "step": 1e-4, "until": 10, "every": 0.01}  # 1e5 steps
REPEATS = int(sys.argv[2]) if len(sys.argv) > 2 else 5


def processor_time():
    """Of this process and of the programs it has run: what others do on the machine counts less than by the clock."""
    own, programs = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + programs.ru_utime + programs.ru_stime


def best(work):
    times = []
    for _ in range(REPEATS):
        begin = processor_time()
        work()
        times.append(processor_time() - begin)
    return min(times)


def overhead(program, model):
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "run", str(EXAMPLES / model), "-q", "-o", f"{folder}/cli.h5"]
        for name, value in SETTINGS.items():
            command += ["--set", f"{'output' if name == 'every' else 'analysis'}.{name}={value}"]
        whole = [sys.executable, "-c", "import sys, mortise as mt; mt.load(sys.argv[1]).run(output=sys.argv[2], **eval(sys.argv[3]))",
                 str(EXAMPLES / model), f"{folder}/py.h5", repr(SETTINGS)]  # fmt: skip
        loaded = mt.load(EXAMPLES / model)
        steps = loaded.run(**SETTINGS).summary["steps"]
        cli = best(lambda: subprocess.run(command, check=True))
        process = best(lambda: subprocess.run(whole, check=True))
        call = best(lambda: loaded.run(output=f"{folder}/call.h5", **SETTINGS))
    print(f"{model}: {steps} steps; program {cli:.3f} s, run() {call:.3f} s (ratio {call / cli:.3f}), "
          f"a Python process from its start {process:.3f} s (ratio {process / cli:.3f})", flush=True)  # fmt: skip


def force_call():
    def body(b):
        return b.body("p", "particle", mass=1, at=[1, 0], velocity=[0, 1])

    calls = 0

    def spring(x, y):
        nonlocal calls
        calls += 1
        return -x, -y

    python = body(mt.planar("p")).force("f", lambda x, y: (-x, -y), body="p", of="p.x p.y").build()
    formula = body(mt.planar("p")).force("f", "force", body="p", value=["-p.x", "-p.y"]).build()
    body(mt.planar("p")).force("f", spring, body="p", of="p.x p.y").build().run(**SETTINGS)
    ours, theirs = best(lambda: python.run(**SETTINGS)), best(lambda: formula.run(**SETTINGS))
    print(f"a force in Python: {1e6 * (ours - theirs) / calls:.3f} µs a call more than the formula ({calls} calls)", flush=True)


if __name__ == "__main__":
    force_call()
    for name in ("five-bar.yaml", "bricard.yaml"):
        overhead(sys.argv[1], name)
