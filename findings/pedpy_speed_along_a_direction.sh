#!/usr/bin/env bash
# PedPy 1.5.1: the speed along a movement direction grows with the fourth power of the length of the direction.
# One would expect: a direction has no length; its page defines the speed by the projection onto it, which does not
# depend on the length. Failing that, a factor of the length.
# Seen: a person at 1 m/s along x has 1 m/s for (1, 0), 16 m/s for (2, 0), 10,000 m/s for (10, 0); one at 1.41 m/s along
# (1, 1) has 5.66 m/s for (1, 1). Nothing is raised.
# For heurt's users: give PedPy unit vectors. heurt's own tables of speeds shall normalise a direction.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pedpy==1.5.1
"$folder/venv/bin/python" - <<'PY'
import importlib.metadata

import numpy as np
import pandas as pd
import pedpy

print("pedpy", importlib.metadata.version("pedpy"))
SECOND = 10  # frames


def speed(step, direction):
    """The speed in m/s of a person who moves by `step` metres a second."""
    rows = [(1, frame, step[0] * frame / SECOND, step[1] * frame / SECOND) for frame in range(11)]
    data = pedpy.TrajectoryData(data=pd.DataFrame(rows, columns=["id", "frame", "x", "y"]), frame_rate=float(SECOND))
    found = pedpy.compute_individual_speed(
        traj_data=data, frame_step=2, movement_direction=np.array(direction, dtype=float)
    )
    return float(found.speed.iloc[0])


for length in (0.5, 1.0, 2.0, 10.0):
    along = speed((1.0, 0.0), (length, 0.0))
    print(f"1 m/s along x, direction ({length:g}, 0): {along:g} m/s")
    assert abs(along - length**4) < 1e-9 * length**4, along
diagonal = speed((1.0, 1.0), (1.0, 1.0))
print(f"1.41 m/s along (1, 1), direction (1, 1): {diagonal:.3f} m/s")
assert abs(diagonal - 4.0 * 2.0**0.5) < 1e-9, diagonal
PY
