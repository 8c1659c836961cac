"""Equilibrium, modes about it, and a sweep over a stiffness."""

import mortise as mt
import numpy as np

m = (
    mt.planar("Crank on a spring", gravity=[0, -9.81])
    .parameter("k", 20)
    .body("crank", mass=1, inertia="1/12", at=[0, 0], center=[0.5, 0])
    .joint("A", "revolute", between=["ground", "crank"], at=[0, 0])
    .force("spring", "torsional-spring-damper-actuator", joint="A", stiffness="k", damping=0.1)
    .build()
)
rest = m.run(type="statics")
angle = rest["crank"].angle[0]
print(rest, "at", angle, "rad")
assert abs(20 * angle + 0.5 * 9.81 * np.cos(angle)) < 1e-8

modes = m.run(type="modes")
print(modes, "damping", modes.damping)
assert abs(modes[0].omega - np.sqrt(3 * (20 - 0.5 * 9.81 * np.sin(angle)))) < 1e-7

table = m.run(type="sweep", sweep={"of": "modes", "vary": {"k": [10, 20, 40]}, "quantities": ["mode1.frequency"]})
print(table)
assert abs(table["mode1.frequency"][1] - modes[0].frequency) < 1e-9
