#!/usr/bin/env bash
# Coal 3.0.3: two boxes that overlap by 0.5 m have a signed distance of -0.5 as shapes, and of 0 as meshes, whose
# contacts are up to 1.87 m deep.
# Guess before the run: -0.5 for both, since signed distances are on by default and a mesh against a box has -0.5, too.
# Seen: distance() of two meshes that overlap is 0; the penetration depths of collide() are those of pairs of triangles
# as flat shapes, whose shortest way out may be along the face, longer than the way out of the solids: 1.7 m for an
# overlap of 0.1 m.
# For heurt's users: `query contact` bounds the depth of two solid meshes from both sides; do not compare it with these.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check coal==3.0.3 numpy==2.4.6
"$folder/venv/bin/python" - <<'PY'
import itertools

import coal
import numpy as np

print("coal", coal.__version__)
corners = list(itertools.product((-1.0, 1.0), repeat=3))
faces = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1),
         (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)]
points, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
for corner in corners:
    points.append(np.array(corner))
for face in faces:
    triangles.append(coal.Triangle(*face))
mesh = coal.BVHModelOBBRSS()
mesh.beginModel(len(faces), len(corners))
mesh.addSubModel(points, triangles)
mesh.endModel()
box = coal.Box(2, 2, 2)


def ask(a, b, shift):
    at = [coal.Transform3s(np.eye(3), np.array(place, float)) for place in ((0, 0, 0), shift)]
    distance = coal.distance(a, at[0], b, at[1], coal.DistanceRequest(), coal.DistanceResult())
    found = coal.CollisionResult()
    coal.collide(a, at[0], b, at[1], coal.CollisionRequest(coal.CONTACT, 1000), found)
    return distance, min(found.getContact(k).penetration_depth for k in range(found.numContacts()))


assert coal.DistanceRequest().enable_signed_distance
for shift, depth, deepest in (((1.5, 0.13, 0.21), 0.5, 1.87), ((1.9, 1.7, 0.3), 0.1, 1.7)):
    seen = [ask(*pair, shift) for pair in ((box, box), (mesh, box), (mesh, mesh))]
    for name, (distance, contact) in zip(("box, box", "mesh, box", "mesh, mesh"), seen):
        print(f"overlap of {depth} m, {name}: distance {distance:.3f}, deepest contact {contact:.3f}")
    assert all(abs(distance + depth) < 1e-6 and abs(contact + depth) < 1e-6 for distance, contact in seen[:2])
    assert seen[2][0] == 0.0 and abs(seen[2][1] + deepest) < 1e-6
print("Two meshes that overlap have distance 0, and contacts deeper than the overlap of the same boxes as shapes.")
PY
