#!/usr/bin/env python3
"""Set operations of Manifold, from its wheel, on the meshes that `heurt-bench booleans` wrote.

In: a folder of raw vertices (NAME-a.f64, NAME-b.f64) and triangles (.u32). Out: a line of standard output for each case
and operation: case, operation (0 union, 1 intersection, 2 difference, 3 symmetric difference), nanoseconds, volume.
A time is the least of some rounds, from two meshes to the mesh of the result. `heurt-bench booleans` runs this script.
"""

import argparse
from pathlib import Path
from time import perf_counter_ns

import manifold3d
import numpy as np

OPERATIONS = [
    lambda a, b: a + b,
    lambda a, b: a ^ b,
    lambda a, b: a - b,
    lambda a, b: (a + b) - (a ^ b),
]


def load(folder, name):
    """The vertices and triangles of a mesh."""
    vertices = np.fromfile(folder / f"{name}.f64", dtype="<f8").reshape(-1, 3)
    triangles = np.fromfile(folder / f"{name}.u32", dtype="<u4").reshape(-1, 3).astype(np.uint64)
    return vertices, triangles


def solid(mesh):
    """A new solid of a mesh."""
    return manifold3d.Manifold(manifold3d.Mesh64(vert_properties=mesh[0], tri_verts=mesh[1]))


def main():
    """Measures all cases of a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    for path in sorted(arguments.folder.glob("*-a.f64")):
        name = path.name.removesuffix("-a.f64")
        a, b = (load(arguments.folder, f"{name}-{side}") for side in "ab")
        rounds = 1 if name.startswith("random") else arguments.rounds
        for number, operation in enumerate(OPERATIONS):
            best = float("inf")
            for _ in range(rounds):
                begin = perf_counter_ns()
                result = operation(solid(a), solid(b))
                result.to_mesh64()
                best = min(best, perf_counter_ns() - begin)
            print(name, number, best, repr(float(result.volume())), sep="\t")


if __name__ == "__main__":
    main()
