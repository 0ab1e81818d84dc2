#!/usr/bin/env bash
# PedPy 1.5.1: a person whose last recorded step crosses a measurement line is not counted, and one who steps onto the
# line and turns back is.
# One would expect: N(t) counts whoever gets from one side of the line to the other, in any step, and nobody else.
# Seen: x = -0.5, 0.5 gives 0 persons, and 1 as soon as any place follows; -0.5, 0 (on the line), -0.5, -0.6 gives 1.
# For heurt's users: record a person for one more step after a line at an exit, or the flow there is too small. Agents
# that a simulation removes in the step in which they cross the line are not counted.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pedpy==1.5.1
"$folder/venv/bin/python" - <<'PY'
import importlib.metadata

import pandas as pd
import pedpy

print("pedpy", importlib.metadata.version("pedpy"))
LINE = pedpy.MeasurementLine([(0.0, -2.0), (0.0, 2.0)])


def count(places):
    """The number of persons over the line x = 0, of one who is at these places along x."""
    rows = [(1, frame, float(x), 0.1) for frame, x in enumerate(places)]
    data = pedpy.TrajectoryData(data=pd.DataFrame(rows, columns=["id", "frame", "x", "y"]), frame_rate=10.0)
    n_t, _ = pedpy.compute_n_t(traj_data=data, measurement_line=LINE)
    return int(n_t.cumulative_pedestrians.max())


for what, places, expected in (
    ("crosses in the last step", [-0.6, -0.5, 0.5], 0),
    ("crosses in the step before", [-0.6, -0.5, 0.5, 0.6], 1),
    ("stops on the line, and leaves in the last step", [-0.5, 0.0, 0.5], 0),
    ("steps onto the line and turns back", [-0.5, 0.0, -0.5, -0.6], 1),
):
    found = count(places)
    print(f"{what}: x = {places}: {found}")
    assert found == expected, (what, found)
PY
