"""A model written in Python: the names and formulas of a file."""

import mortise as mt
import numpy as np

m = (
    mt.planar("Pendulum", gravity=[0, -9.81])
    .parameter("L", 1.2)
    .body("rod", mass=2, inertia="2*L^2/12", at=["L/2", 0], points={"tip": ["L/2", 0]})
    .joint("A", "revolute", between=["ground", "rod"], at=[0, 0])
    .analysis(until=5, tolerance=1e-10)
    .build()
)
r = m.run()
# From rest on the horizontal: θ̇² = −3 g sin θ / L.
off = np.abs(r["rod"].wz ** 2 + 3 * 9.81 / 1.2 * np.sin(r["A"].angle)).max()
print("the tip swings down to", r["rod"].tip.y.min(), "m; θ̇² is off by", off)
assert off < 1e-5

for length in (0.6, 1.2, 2.4):  # the same model with another parameter
    print("L =", length, "m: tip speed up to", m.run(set={"L": length})["rod"].tip.vy.max(), "m/s")
