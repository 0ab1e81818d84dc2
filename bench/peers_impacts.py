#!/usr/bin/env python3
"""ipctk's continuous detection from its wheel, on the steps of folded cloth that `heurt-bench deform --case impacts` wrote.

In: a folder. Out: lines of FOLDER/peers.tsv, which `heurt-bench deform` reads. One thread, tolerance 1e-6, defaults otherwise.
A step is candidates (`Candidates.build`, LBVH: its fastest on this cloth), then Tight Inclusion on each of them. Those that miss
by heurt's answers are timed two thousand at a time in C++ (`is_step_collision_free` asks one after the other until one collides);
blocks with one that ipctk takes for a contact count as the mean of the others. Those that hit can only be asked one call at a time, and some take a minute: a few of them, less what a
call costs beside the query; their mean stands for all. Two lines: without what hits take, and with it.
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


def blocks(candidates, size=2000):
    return [candidates[at : at + size] for at in range(0, len(candidates), size)]


def measure(mesh, start, end, met, ccd, costs, arguments):
    candidates = ipctk.Candidates()
    broad = least(arguments.rounds, lambda: candidates.build(mesh, start, end, 0, ipctk.LBVH()))
    faces, edges = [sorted(face) for face in mesh.faces.tolist()], [sorted(edge) for edge in mesh.edges.tolist()]
    hits = {(0, a, *sorted((b, c, d))) for kind, a, b, c, d in met if kind == 0}
    pairs_of_edges = [sorted((sorted(row[1:3]), sorted(row[3:]))) for row in met if row[0] == 1]
    hits |= {(1, *first, *second) for first, second in pairs_of_edges}
    alone, found = ipctk.Candidates(), 0

    def misses(all_of_kind, name):
        nonlocal found
        left = [candidate for candidate in all_of_kind if name(candidate) not in hits]
        found += len(all_of_kind) - len(left)
        return left

    alone.fv_candidates = misses(candidates.fv_candidates, lambda c: (0, c.vertex_id, *faces[c.face_id]))

    def of_edges(candidate):
        first, second = sorted((edges[candidate.edge0_id], edges[candidate.edge1_id]))
        return (1, *first, *second)

    alone.ee_candidates = misses(candidates.ee_candidates, of_edges)
    asked, timed, narrow = 0, 0, 0.0
    for name in ("fv_candidates", "ee_candidates"):
        for block in blocks(getattr(alone, name)):
            some = ipctk.Candidates()
            setattr(some, name, block)
            asked += len(block)
            if some.is_step_collision_free(mesh, start, end, 0.0, ccd):
                timed += len(block)
                narrow += least(arguments.rounds, lambda: some.is_step_collision_free(mesh, start, end, 0.0, ccd))
    narrow *= asked / max(timed, 1)
    print(
        f"{len(candidates)} candidates, {found} of {len(met)} contacts among them; {asked - timed} others in blocks with one "
        "that ipctk takes for a contact, too; "
        f"broad {broad / 1e6:.1f} ms, misses {narrow / 1e6:.1f} ms",
        flush=True,
    )
    of_hits = 0.0
    for number, kind in enumerate(("vertex-face", "edge-edge")):
        corners = np.array([row[1:] for row in met if row[0] == number])
        corners = corners[:: max(1, len(corners) // arguments.most)]
        queries = np.stack([start[corners], end[corners]], axis=1)
        _, times = calls(kind, queries, ccd, 1, arguments.seconds)
        mean = np.maximum(times - costs[kind], 0).mean()
        of_hits += mean * sum(row[0] == number for row in met)
        print(f"{kind}: {len(times)} hits asked, {mean / 1e6:.3f} ms each", flush=True)
    return broad + narrow, broad + narrow + of_hits


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--most", type=int, default=50, help="hits of a kind that are asked in a step")
    parser.add_argument("--seconds", type=float, default=10.0, help="for the hits of a kind in a step")
    arguments = parser.parse_args()
    folder = arguments.folder
    ipctk.set_num_threads(1)
    ccd = ipctk.TightInclusionCCD()
    costs = {kind: cost_of_a_call(kind, ccd) for kind in ("vertex-face", "edge-edge")}
    faces = np.fromfile(folder / "impacts.f", dtype="<f8").astype(np.int32).reshape(-1, 3)
    steps = np.fromfile(folder / "impacts.v", dtype="<f8").reshape(-1, 2, faces.max() + 1, 3)
    mesh = ipctk.CollisionMesh(np.asfortranarray(steps[0, 0]), ipctk.edges(faces), faces)
    met = np.fromfile(folder / "impacts.h", dtype="<f8").astype(int).reshape(-1, 6)
    times = []
    for number, step in enumerate(steps):
        rows = met[met[:, 0] == number, 1:].tolist()
        times.append(measure(mesh, *(np.asfortranarray(state) for state in step), rows, ccd, costs, arguments))
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
