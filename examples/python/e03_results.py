"""Results are numpy arrays without copies; files are read and written."""

import pathlib
import tempfile

import mortise as mt
import numpy as np

r = mt.load(pathlib.Path(__file__).parents[1] / "bricard.yaml").run(until=2)
body = r[r.bodies[0]]
print("position", body.position.shape, "quaternion, w first", body.orientation.wxyz.shape)
assert np.shares_memory(body.x, body.position) and not body.x.flags.writeable

energy = r.energy.kinetic + r.energy.potential
print("energy", energy[0], "J, spread", np.ptp(energy), "J, worst |φ|", r.constraint.position.max())

with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "bricard.h5"
    r.save(path)
    again = mt.open(path)  # also what `mortise run -o bricard.h5` has written
    print(again)
    assert np.array_equal(again.q, r.q)
