#!/usr/bin/env python3
"""Coal and FCL from their wheels, on the meshes and poses that `heurt-bench prepare` wrote.

In: a folder (see src/store.rs for its layout). Out: FOLDER/peers.tsv, which `heurt-bench overlap | pairs | far | distance` reads.
Method: as src/timing.rs: an item's time is the least of interleaved rounds, then the median and mean over the poses.
What a call costs from Python is measured on two small spheres far apart, with the same request, and taken off (the
spheres' own test goes off with it, in the peer's favour). python-fcl makes Python objects of every contact; that is left
in its `pairs` (which are then no fair figure) and named so: peers.cpp calls the same libraries without it.

    python3 -m venv target/venv
    target/venv/bin/pip install -r peers.txt
    target/venv/bin/python peers.py target/data
"""

import argparse
import statistics
from pathlib import Path
from time import perf_counter_ns

import coal
import fcl
import numpy as np

EVERY = 1_000_000
REGIMES = ("far", "near", "overlap")


class Coal:
    """One geometry a mesh; transforms are arguments of the call."""

    def __init__(self, kind):
        self.name = f"Coal {kind} (wheel)"
        self.model = getattr(coal, "BVHModel" + kind)
        # Its oriented boxes alone tell no distances: it tries nearly all triangles, for a second a pose.
        self.measures = kind == "OBBRSS"

    def mesh(self, vertices, triangles):
        points, indices = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
        points.extend(list(vertices))
        for corners in triangles.tolist():
            indices.append(coal.Triangle(*corners))
        model = self.model()
        model.beginModel(len(triangles), len(vertices))
        model.addSubModel(points, indices)
        model.endModel()
        return model

    def sphere(self):
        return coal.Sphere(0.1)

    def call(self, a, b, most, poses):
        """A function of the pose that collides, counts, or measures (`most` is 0), over fresh results."""
        request = coal.CollisionRequest(coal.CollisionRequestFlag.NO_REQUEST, most)
        result = coal.CollisionResult()
        collide = coal.collide

        def place(numbers):
            return coal.Transform3s(matrix(numbers), numbers[4:7].copy())

        placed = [(place(pose[:7]), place(pose[7:])) for pose in poses]

        if most == 0:
            wanted, found = coal.DistanceRequest(True), coal.DistanceResult()

            def measured(index):
                pose_a, pose_b = placed[index]
                found.clear()
                start = perf_counter_ns()
                distance = coal.distance(a, pose_a, b, pose_b, wanted, found)
                end = perf_counter_ns()
                return end - start, distance

            return measured

        def timed(index):
            pose_a, pose_b = placed[index]
            result.clear()
            start = perf_counter_ns()
            collide(a, pose_a, b, pose_b, request, result)
            end = perf_counter_ns()
            return end - start, result.numContacts()

        return timed


class Fcl:
    """One object a placement, as its interface wants it; objects are made before the clock runs."""

    name = "FCL OBBRSS (wheel)"
    measures = True

    def mesh(self, vertices, triangles):
        model = fcl.BVHModel()
        model.beginModel(len(triangles), len(vertices))
        model.addSubModel(vertices, triangles.astype(np.int64))
        model.endModel()
        return model

    def sphere(self):
        return fcl.Sphere(0.1)

    def call(self, a, b, most, poses):
        request = fcl.CollisionRequest(num_max_contacts=most, enable_contact=False)
        collide = fcl.collide

        def place(geometry, numbers):
            return fcl.CollisionObject(geometry, fcl.Transform(matrix(numbers), numbers[4:7].copy()))

        placed = [(place(a, pose[:7]), place(b, pose[7:])) for pose in poses]

        if most == 0:
            wanted = fcl.DistanceRequest(enable_nearest_points=True)

            def measured(index):
                object_a, object_b = placed[index]
                found = fcl.DistanceResult()
                start = perf_counter_ns()
                distance = fcl.distance(object_a, object_b, wanted, found)
                end = perf_counter_ns()
                return end - start, distance

            return measured

        def timed(index):
            object_a, object_b = placed[index]
            result = fcl.CollisionResult()
            start = perf_counter_ns()
            count = collide(object_a, object_b, request, result)
            end = perf_counter_ns()
            return end - start, count

        return timed


def matrix(numbers):
    """The rotation of a quaternion x y z w."""
    x, y, z, w = numbers[:4]
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def load(folder, case):
    """The meshes, poses and exact counts of a case."""

    def mesh(side):
        vertices = np.fromfile(folder / f"{case}.{side}.v", dtype="<f8").reshape(-1, 3)
        return vertices, np.fromfile(folder / f"{case}.{side}.f", dtype="<u4").reshape(-1, 3)

    poses = {regime: np.fromfile(folder / f"{case}.{regime}.p", dtype="<f8").reshape(-1, 14) for regime in REGIMES}
    counts = {regime: np.fromfile(folder / f"{case}.{regime}.n", dtype="<u8") for regime in REGIMES}
    return mesh("a"), mesh("b"), poses, counts


def contest(calls, poses, rounds):
    """Least times and answers of each call on each pose, rounds interleaved."""
    times = [[float("inf")] * poses for _ in calls]
    answers = [[0] * poses for _ in calls]
    for turn in range(rounds):
        for offset in range(len(calls)):
            who = (offset + turn) % len(calls)
            for index in range(poses):
                ns, answer = calls[who](index)
                times[who][index] = min(times[who][index], ns)
                answers[who][index] = answer
    return times, answers


def overhead(peer, most):
    """Median nanoseconds of a call on two spheres far apart."""
    poses = np.tile([0.0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 9, 9, 9], (200, 1))
    a, b = peer.sphere(), peer.sphere()
    (times,), _ = contest([peer.call(a, b, most, poses)], len(poses), 20)
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--case", action="append", help="which cases (default: all in the folder)")
    arguments = parser.parse_args()
    folder = arguments.folder
    cases = arguments.case or sorted(path.name[: -len(".near.p")] for path in folder.glob("*.near.p"))
    peers = [Coal("OBBRSS"), Coal("OBB"), Fcl()]
    costs = {
        (peer.name, most): overhead(peer, most) for peer in peers for most in (0, 1, EVERY) if most or peer.measures
    }
    for (name, most), ns in costs.items():
        print(f"call overhead of {name}, {('distance', 'first hit', 'all contacts')[min(most, 2)]}: {ns:.0f} ns")
    kept = []
    out = folder / "peers.tsv"
    if out.exists():
        mine = [peer.name for peer in peers]
        for line in out.read_text().splitlines():
            fields = line.split("\t")
            if fields[0] not in cases or not any(fields[3].startswith(name) for name in mine):
                kept.append(line)
    for case in cases:
        (va, fa), (vb, fb), poses, counts = load(folder, case)
        meshes = [(peer.mesh(va, fa), peer.mesh(vb, fb)) for peer in peers]
        for regime in REGIMES:
            for verb, most in (("overlap", 1), ("pairs", EVERY), ("distance", 0)):
                if (verb, regime == "overlap") in (("pairs", False), ("distance", True)):
                    continue
                asked = [(peer, a, b) for peer, (a, b) in zip(peers, meshes) if most or peer.measures]
                calls = [peer.call(a, b, most, poses[regime]) for peer, a, b in asked]
                times, answers = contest(calls, len(poses[regime]), arguments.rounds)
                exact = counts[regime] if most == EVERY else np.minimum(counts[regime], 1)
                if verb == "distance":
                    # Off the middle of all answers by a billionth; they are apart in all of these poses.
                    middle = np.median(np.array(answers), axis=0)
                    answers = [np.abs(np.array(found) - middle) > 1e-9 * middle for found in answers]
                for (peer, _, _), ns, found in zip(asked, times, answers):
                    ns = [max(0.0, value - costs[peer.name, most]) for value in ns]
                    wrong = int(np.count_nonzero(np.array(found, dtype=np.uint64) != exact))
                    name = peer.name
                    if verb == "pairs" and isinstance(peer, Fcl):
                        name += ", contacts to Python included"
                    figures = f"{statistics.median(ns):.1f}\t{statistics.fmean(ns):.1f}\t{wrong}"
                    line = f"{case}\t{regime}\t{verb}\t{name}\t{figures}"
                    print(line, flush=True)
                    kept.append(line)
    out.write_text("\n".join(kept) + "\n")


if __name__ == "__main__":
    main()
