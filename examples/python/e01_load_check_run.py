"""Load a model, ask what its constraints do, run it, look at the numbers by name."""

import pathlib

import mortise as mt

m = mt.load(pathlib.Path(__file__).parents[1] / "five-bar.yaml")
print(m)
print(m.check())  # the report; the object has every number of it

r = m.run(until=5)
print(r)
print("coupler moves in x by", r["coupler"].x.max() - r["coupler"].x.min(), "m")
print("largest reaction in A:", abs(r["A"].reaction.fy).max(), "N; energy drift", r.energy.drift)
assert m.check().dof == 1 and r.energy.drift < 1e-5
