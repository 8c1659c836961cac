"""A rod balanced on a carriage with a redundant crank: gains from the linear model, sensors as real ones are."""

import math
import pathlib

import numpy as np

import mortise as mt

m = mt.load(pathlib.Path(__file__).parents[1] / "inverted-pendulum.yaml")
s = m.linearize("carriage.x", "rod.angle")
print(f"free, the rod falls with {s.poles.real.max():.3f} 1/s")

# In z = (x, angle, and their rates); then Ackermann's formula puts the poles where they are wanted.
T = np.vstack([s.C, np.hstack([np.zeros((2, 2)), s.C[:, :2]])])
A, B = T @ s.A @ np.linalg.inv(T), T @ s.B
reach = np.hstack([np.linalg.matrix_power(A, k) @ B for k in range(4)])
wanted = np.poly([-2 + 2j, -2 - 2j, -4, -5]).real
polynomial = sum(c * np.linalg.matrix_power(A, 4 - k) for k, c in enumerate(wanted))
kx, ka, kvx, kw = np.linalg.solve(reach.T, np.eye(4)[3]) @ polynomial
assert np.allclose(sorted(np.linalg.eigvals(A - B @ [[kx, ka, kvx, kw]]).real), [-5, -4, -2, -2])

period = 0.005
angle = mt.Sensor("rod.angle", resolution=1e-4, noise=1e-4, delay=1)
place = mt.Sensor("carriage.x", resolution=1e-4)
hold = mt.Pid(p=ka, d=kw, period=period, filter=0.01, least=-80, most=80)
centre = mt.Pid(p=kx, d=kvx, period=period, filter=0.01)
sim = mt.Simulation(m)
leans = []


def control(now):
    leans.append(now["rod.angle"] - math.pi / 2)
    push = -hold(angle.read(now) - math.pi / 2) - centre(place.read(now))
    now["push"] = push + (5 if now.t < 0.1 else 0)  # somebody bumps into it


sim.every(period, control)  # at exactly 0, 0.005, 0.01, …
sim.advance_to(8)
print(f"leant by {max(map(abs, leans)):.4f} rad at most, by {leans[-1]:.4f} rad after {sim.t} s; at {sim['carriage.x']:.4f} m")
assert 0.005 < max(map(abs, leans)) and abs(leans[-1]) < 0.01 and abs(sim["carriage.x"]) < 0.05
