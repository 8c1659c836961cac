"""A driver of one's own: a plain function of time, differentiated exactly. What torque does the motion take?"""

import mortise as mt
import numpy as np


def swing(t):
    return 0.5 * mt.sin(2 * t) * (1 - mt.exp(-t))


m = (
    mt.planar("Crank", gravity=[0, -9.81])
    .body("crank", mass=1, inertia="1/12", at=[0, 0], center=[0.5, 0])
    .joint("A", "revolute", between=["ground", "crank"], at=[0, 0])
    .driver("motor", swing, of="A.angle")
    .build()
)
r = m.run(type="inverse-dynamics", until=5)
# T = I θ̈ + m g/2 cos θ about the pin.
expected = r["crank"].alphaz / 3 + 0.5 * 9.81 * np.cos(r["A"].angle)
print("torque between", r["motor"].effort.min(), "and", r["motor"].effort.max(), "N m")
assert np.abs(r["motor"].effort - expected).max() < 1e-8
