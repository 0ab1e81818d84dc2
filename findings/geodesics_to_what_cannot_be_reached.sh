#!/usr/bin/env bash
# libigl 2.6.3, pygeodesic 0.1.11, potpourri3d 1.4.0, gdist 2.1.0: distances on a mesh to vertices that no path reaches.
# One would expect infinity, or that it is refused, from each of them, and in each of its functions.
# Seen, from a vertex of one of two tetrahedra that do not touch to those of the second: `igl.exact_geodesic` gives 0, as
# at the source. `pygeodesic` gives infinity for distances to all vertices, and 0 with an empty path for a pair. The
# heat method of `potpourri3d` gives 1.84, less than to the neighbours of the source. `gdist` gives infinity, but 1e100
# for vertices beyond its `max_distance`, and with 1.2 still 1.41 for some beyond it. Nothing is raised.
# For heurt's users: `GeodesicField::distance_at` is `None` there. Count components before a comparison.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/new"
"$folder/new/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 libigl==2.6.3 pygeodesic==0.1.11 \
    potpourri3d==1.4.0
python3 -m venv "$folder/old"
"$folder/old/bin/pip" install --quiet --disable-pip-version-check "numpy==1.26.4" scipy gdist==2.1.0
cat >"$folder/meshes.py" <<'PY'
import numpy as np

corners = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]], dtype=float)
sides = np.array([[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]])
vertices = np.vstack([corners, corners + [10.0, 0.0, 0.0]])
faces = np.vstack([sides, sides + 4])
edge = 8.0**0.5
PY
cd "$folder"
new/bin/python - <<'PY'
from importlib.metadata import version

import igl
import numpy as np
import potpourri3d
from pygeodesic import geodesic

from meshes import edge, faces, vertices

print("libigl", version("libigl"), "pygeodesic", version("pygeodesic"), "potpourri3d", version("potpourri3d"))
none = np.array([], dtype=int)
exact = igl.exact_geodesic(vertices, faces, np.array([0]), none, np.arange(8), none)
print("igl.exact_geodesic:", exact.round(3))
assert np.allclose(exact, [0, edge, edge, edge, 0, 0, 0, 0])

algorithm = geodesic.PyGeodesicAlgorithmExact(vertices, faces)
all_of_them = algorithm.geodesicDistances(np.array([0]), None)[0]
pair = algorithm.geodesicDistance(0, 5)
print("pygeodesic, all vertices:", all_of_them.round(3), "one pair:", pair)
assert np.isinf(all_of_them[4:]).all() and pair[0] == 0.0 and len(pair[1]) == 0

heat = potpourri3d.MeshHeatMethodDistanceSolver(vertices, faces).compute_distance(0)
print("potpourri3d, heat:", heat.round(3))
assert np.isfinite(heat).all() and (heat[4:] > 1.0).all() and heat[4:].max() < heat[1:4].min()
PY
old/bin/python - <<'PY'
from importlib.metadata import version

import gdist
import numpy as np

from meshes import faces, vertices

print("gdist", version("gdist"))
source = np.array([0], dtype=np.int32)
apart = gdist.compute_gdist(vertices, faces.astype(np.int32), source_indices=source)
print("gdist, all vertices:", apart.round(3))
assert np.isinf(apart[4:]).all()
cube = np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)], dtype=float)
halves = np.array(
    [(0, 2, 1), (1, 2, 3), (4, 5, 6), (5, 7, 6), (0, 1, 4), (1, 5, 4)]
    + [(2, 6, 3), (3, 6, 7), (0, 4, 2), (2, 4, 6), (1, 3, 5), (3, 7, 5)],
    dtype=np.int32,
)
near = gdist.compute_gdist(cube, halves, source_indices=source, max_distance=1.2)
print("gdist, a unit cube, max_distance = 1.2:", near)
assert near[7] == 1e100 and (near[:7] > 1.2).any()
PY
