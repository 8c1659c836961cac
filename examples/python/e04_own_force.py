"""A force of one's own: a function of named quantities. A planet comes back after one period."""

import math

import mortise as mt


def attraction(x, y):
    r = math.hypot(x, y)
    return -3 * x / r**3, -3 * y / r**3


def stored(x, y):
    return -3 / math.hypot(x, y)


eccentricity = 0.5
m = (
    mt.planar("Planet")
    .body("planet", "particle", mass=3, at=[1 - eccentricity, 0],
          velocity=[0, math.sqrt((1 + eccentricity) / (1 - eccentricity))])
    .force("sun", attraction, body="planet", of=["planet.x", "planet.y"], potential=stored)
    .analysis(integrator="rk78", tolerance=1e-12, until=2 * math.pi)
    .build()
)  # fmt: skip
r = m.run()
off = math.hypot(r["planet"].x[-1] - 0.5, r["planet"].y[-1])
print("after one period the planet is", off, "m from its start; energy drift", r.energy.drift)
assert off < 1e-8
