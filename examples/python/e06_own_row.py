"""A constraint of one's own: a bead stays where a function of its coordinates is zero, on a parabola."""

import mortise as mt
import numpy as np


def wire(x, y):
    return y - x**2


m = (
    mt.planar("Bead on a parabola", gravity=[0, -9.81])
    .body("bead", "particle", mass=0.3, at=[1, 1])
    .joint("wire", wire, of=["bead.x", "bead.y"])
    .analysis(tolerance=1e-11, until=5)
    .build()
)
r = m.run()
bead = r["bead"]
# From rest at height 1 m: v² = 2 g (1 − y), wherever it is.
off = np.abs(bead.vx**2 + bead.vy**2 - 2 * 9.81 * (1 - bead.y)).max()
print("v² is off by", off, "m²/s², the bead from its wire by", np.abs(bead.y - bead.x**2).max(), "m")
assert off < 1e-6 and np.abs(bead.y - bead.x**2).max() < 1e-10
