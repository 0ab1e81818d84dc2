#!/usr/bin/env bash
# ipctk 1.6.1, AdditiveCCD: a point that falls from 1 m and stops 0.1 m above a triangle is reported as a hit, at time 1.
# Guess before the run: no hit, as TightInclusionCCD of the same package answers; and a time of impact near the true one.
# Seen: every time of AdditiveCCD is 0.9 of the true one, since it ends at a tenth of the first distance (its
# conservative rescaling), and a motion that ends nearer than that tenth counts as a hit. TightInclusionCCD, whose own
# rescaling is 0.8, is within 1e-4 of the true time from 1 m, and 0.9 of it from 1 mm.
# For heurt's users: times of the two methods are not comparable; heurt's bracket [time, time_upper] holds the true one.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check ipctk==1.6.1 numpy==2.4.6
"$folder/venv/bin/python" - <<'PY'
import importlib.metadata
import ipctk
import numpy as np

print("ipctk", importlib.metadata.version("ipctk"))
triangle = [np.array(corner, float) for corner in ([0, 0, 0], [1, 0, 0], [0, 1, 0])]


def fall(method, start, end):
    begin, stop = np.array([0.2, 0.2, start]), np.array([0.2, 0.2, end])
    return method.point_triangle_ccd(begin, *triangle, stop, *triangle, 0.0, 1.0)


additive, inclusion = ipctk.AdditiveCCD(), ipctk.TightInclusionCCD()
for start, end in ((1.0, -1.0), (1.0, -0.01), (0.001, -1.0)):
    true = start / (start - end)
    times = [fall(method, start, end)[1] / true for method in (additive, inclusion)]
    print(f"from {start} to {end} m: true time {true:.6f}, share of it: additive {times[0]:.4f}, inclusion {times[1]:.4f}")
    assert abs(times[0] - 0.9) < 1e-6
for end in (0.05, 0.1, 0.11):
    hits = [bool(fall(method, 1.0, end)[0]) for method in (additive, inclusion)]
    print(f"from 1 to {end} m above the triangle: additive {hits[0]}, inclusion {hits[1]}")
    assert hits == [end <= 0.1, False]
print("AdditiveCCD reports times at 0.9 of the true one, and a hit for a motion that ends 0.1 m above the triangle.")
PY
