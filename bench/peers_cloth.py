#!/usr/bin/env python3
"""ipctk's broad phases from its wheel, on the folded cloth that `heurt-bench cloth` wrote.

In: a folder. Out: lines of FOLDER/peers.tsv, which `heurt-bench deform` reads. What is timed is one call in C++,
`Candidates.build`: boxes of vertices, edges and faces, and all pairs of edges, and of vertices and faces, whose boxes meet. One
thread. Method: as src/timing.rs: a state's time is the least of interleaved rounds, then the median over the states.

    target/venv/bin/pip install -r peers.txt
    target/venv/bin/python peers_cloth.py target/data
"""

import argparse
import statistics
from pathlib import Path
from time import perf_counter_ns

import ipctk
import numpy as np

BROAD_PHASES = ("LBVH", "HashGrid", "SpatialHash", "SweepAndPrune")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    folder = arguments.folder
    ipctk.set_num_threads(1)
    faces = np.fromfile(folder / "cloth.f", dtype="<u4").reshape(-1, 3).astype(np.int32)
    states = np.fromfile(folder / "cloth.v", dtype="<f8")
    states = states.reshape(int((folder / "cloth.n").read_text()), -1, 3)
    states = [np.asfortranarray(state) for state in states]
    mesh = ipctk.CollisionMesh(states[0], ipctk.edges(faces), faces)
    times = {name: [float("inf")] * len(states) for name in BROAD_PHASES}
    found = {}
    for turn in range(arguments.rounds):
        for offset in range(len(BROAD_PHASES)):
            name = BROAD_PHASES[(offset + turn) % len(BROAD_PHASES)]
            for index, state in enumerate(states):
                candidates, broad_phase = ipctk.Candidates(), getattr(ipctk, name)()
                start = perf_counter_ns()
                candidates.build(mesh, state, 0, broad_phase)
                end = perf_counter_ns()
                times[name][index] = min(times[name][index], end - start)
                found[name] = len(candidates)
    out = folder / "peers.tsv"
    kept = out.read_text().splitlines() if out.exists() else []
    kept = [line for line in kept if not line.startswith("cloth\t")]
    for name, ns in times.items():
        who = f"ipctk {name} (wheel), boxes of edges and faces only"
        kept.append(f"cloth\tfolded\tself\t{who}\t{statistics.median(ns):.1f}\t{statistics.fmean(ns):.1f}\t0")
        print(f"{kept[-1]}\t{found[name]} candidates in the last state", flush=True)
    out.write_text("\n".join(kept) + "\n")


if __name__ == "__main__":
    main()
