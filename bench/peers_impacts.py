#!/usr/bin/env python3
"""ipctk's continuous detection from its wheel, on the steps of folded cloth that `heurt-bench deform --case impacts` wrote.

In: a folder. Out: lines of FOLDER/peers.tsv, which `heurt-bench deform` reads. One thread, tolerance 1e-6, defaults otherwise.
A step is candidates (`Candidates.build`, LBVH: its fastest on this cloth), then Tight Inclusion on each of them. Those that miss
are timed in one call in C++ (`is_step_collision_free` asks one after the other until one collides); those that hit one call
at a time, less what a call costs beside the query. Two lines: without what hits take, and with it.
A step's time is the least of some rounds, then the median over the steps.

    target/venv/bin/pip install -r peers.txt
    target/venv/bin/python peers_impacts.py target/data
"""

import argparse
import statistics
from pathlib import Path
from time import perf_counter_ns

import ipctk
import numpy as np
from peers_ccd import calls, cost_of_a_call


def least(rounds, work):
    """Nanoseconds of the fastest of some calls."""
    times = []
    for _ in range(rounds):
        begin = perf_counter_ns()
        work()
        times.append(perf_counter_ns() - begin)
    return min(times)


def corners(mesh, candidates):
    """The kind and the four vertices of each candidate."""
    faces, edges = mesh.faces, mesh.edges
    for c in candidates.fv_candidates:
        yield "vertex-face", c, [c.vertex_id, *faces[c.face_id]]
    for c in candidates.ee_candidates:
        yield "edge-edge", c, [*edges[c.edge0_id], *edges[c.edge1_id]]


def measure(mesh, start, end, ccd, costs, rounds):
    candidates = ipctk.Candidates()
    broad = least(rounds, lambda: candidates.build(mesh, start, end, 0, ipctk.LBVH()))
    misses, hits = {"vertex-face": [], "edge-edge": []}, {"vertex-face": [], "edge-edge": []}
    for kind, candidate, vertices in corners(mesh, candidates):
        ask = ccd.point_triangle_ccd if kind == "vertex-face" else ccd.edge_edge_ccd
        points = [*start[vertices], *end[vertices]]
        hit, _ = ask(*points)
        (hits if hit else misses)[kind].append(np.array(points) if hit else candidate)
    alone = ipctk.Candidates()
    alone.fv_candidates, alone.ee_candidates = misses["vertex-face"], misses["edge-edge"]
    narrow = least(rounds, lambda: alone.is_step_collision_free(mesh, start, end, 0.0, ccd))
    of_hits = sum(
        np.maximum(calls(kind, np.array(found).reshape(-1, 2, 4, 3), ccd, 1)[1] - costs[kind], 0).sum()
        for kind, found in hits.items()
        if found
    )
    print(
        f"{len(candidates)} candidates, {sum(map(len, hits.values()))} hits: broad {broad / 1e6:.1f} ms, "
        f"misses {narrow / 1e6:.1f} ms, hits {of_hits / 1e6:.1f} ms",
        flush=True,
    )
    return broad + narrow, broad + narrow + of_hits


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    folder = arguments.folder
    ipctk.set_num_threads(1)
    ccd = ipctk.TightInclusionCCD()
    costs = {kind: cost_of_a_call(kind, ccd) for kind in ("vertex-face", "edge-edge")}
    faces = np.fromfile(folder / "impacts.f", dtype="<f8").astype(np.int32).reshape(-1, 3)
    steps = np.fromfile(folder / "impacts.v", dtype="<f8").reshape(-1, 2, faces.max() + 1, 3)
    mesh = ipctk.CollisionMesh(np.asfortranarray(steps[0, 0]), ipctk.edges(faces), faces)
    times = [
        measure(mesh, *(np.asfortranarray(state) for state in step), ccd, costs, arguments.rounds) for step in steps
    ]
    out = folder / "peers.tsv"
    kept = out.read_text().splitlines() if out.exists() else []
    kept = [line for line in kept if not line.startswith("impacts\t")]
    for what, ns in zip(("without its hits", "all contacts"), zip(*times)):
        who = f"ipctk LBVH + Tight Inclusion (wheel), {what}"
        kept.append(f"impacts\tfolded\tself\t{who}\t{statistics.median(ns):.1f}\t{statistics.fmean(ns):.1f}\t0")
        print(kept[-1], flush=True)
    out.write_text("\n".join(kept) + "\n")


if __name__ == "__main__":
    main()
