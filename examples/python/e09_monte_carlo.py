"""Hundreds of double pendulums that begin almost alike, side by side on all threads."""

import mortise as mt
import numpy as np

m = (
    mt.planar("Double pendulum", gravity=[0, -9.81])
    .body("upper", mass=1, inertia="1/12", at=[0.5, 0])
    .body("lower", mass=1, inertia="1/12", at=[1.5, 0])
    .joint("A", "revolute", between=["ground", "upper"], at=[0, 0])
    .joint("B", "revolute", between=["upper", "lower"], at=[1, 0])
    .build()
)
q, v = mt.initial_state(m)
random = np.random.default_rng(1)
batch = mt.Batch(m, [(q, v + random.normal(0, 1e-3, v.size)) for _ in range(300)], step=1e-3)
energy = batch.energy
for second in (1, 2, 3):
    batch.advance(second)
    angle = batch["lower.angle"]
    print(f"after {second} s the lower arm stands at {angle.mean():.3f} rad, standard deviation {angle.std():.2e}")
lost = np.abs(batch.energy - energy).max()
print("energy lost in the worst copy:", lost, "J")
assert lost < 1e-5 and batch.failures == [None] * 300
