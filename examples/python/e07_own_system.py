"""A whole system of one's own: mass matrix, forces and a (doubled, so redundant) row from numpy."""

import mortise as mt
import numpy as np


class Circle(mt.System):
    """A point on the unit circle under gravity, its row written twice."""

    velocities, rows = 2, 2

    def evaluate(self, t, q, v):
        row, right_side, phi = 2 * q, -2 * v @ v, q @ q - 1
        return {"M": np.eye(2), "Q": [0, -9.81], "A": [row, row], "b": [right_side] * 2, "phi": [phi] * 2}


run = mt.Stepper(Circle(), q=[1, 0], v=[0, 0], tolerance=1e-11)
for second in (1, 2, 3):
    run.advance_to(second)
    print(f"t = {run.t} s: q = {run.q}, |q| - 1 = {np.linalg.norm(run.q) - 1:.1e}")
assert abs(0.5 * run.v @ run.v + 9.81 * run.q[1]) < 1e-6
