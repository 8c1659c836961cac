"""A sampled controller holds a pendulum upright; the same moment is tried with two gains."""

import math

import mortise as mt

m = (
    mt.planar("Inverted pendulum", gravity=[0, -9.81])
    .input("torque", 0)
    .input("push", 0)
    .body("rod", mass=1, inertia="1/12", at=[0, 0.5], angle="90 deg", points={"tip": [0.5, 0]})
    .joint("A", "revolute", between=["ground", "rod"], at=[0, 0])
    .force("motor", "torque", body="rod", value="input.torque")
    .force("wind", "force", body="rod.tip", value=["input.push", 0])
    .build()
)
sim = mt.Simulation(m, integrator="rkv56", tolerance=1e-9)
gain = 60.0


def control(s):
    lean = s["rod.angle"] - math.pi / 2
    s["torque"] = -gain * lean - 5 * s["rod.wz"]


sim.every(0.01, control)  # at exactly 0, 0.01, 0.02, …
sim["push"] = 8
sim.advance_to(0.5)
sim["push"] = 0
moment = sim.state()

leans = []
for gain in (60.0, 20.0):
    sim.restore(moment)
    sim.advance_to(1)
    leans.append(abs(sim["rod.angle"] - math.pi / 2))
    print(f"gain {gain}: leans by {leans[-1]:.5f} rad at {sim.t} s")
assert leans[0] < leans[1] and leans[0] < 0.01
