#!/usr/bin/env python3
"""ipctk's continuous detection of primitives from its wheel, on the queries that `heurt-bench ccd` wrote.

In: a folder. Out: lines of FOLDER/peers.tsv, which `heurt-bench ccd` reads. One thread, tolerance 1e-6, defaults otherwise.
Misses are timed in C++: `Candidates.is_step_collision_free` asks one candidate after the other until one collides, so that a
mesh of all the queries whose answer is a miss is a loop over them. Hits can only be asked one call at a time: what a call
costs is taken off, which is the time of a call for a query that is plainly apart, less what that one takes in the loop.
The least of some rounds of each. What heurt takes for a hit or a miss and the peer does not counts as different. Touches that are
hard on purpose can take Tight Inclusion seconds and more memory than there is: `--case simulated` leaves them out.

    target/venv/bin/pip install -r peers.txt
    target/venv/bin/python peers_ccd.py target/data

`--corpus` asks the files of the public benchmark family below FOLDER instead, as `heurt_testkit::ccd_corpus` reads them, and counts
what is told wrong.
"""

import argparse
import statistics
from fractions import Fraction
from pathlib import Path
from time import perf_counter_ns

import ipctk
import numpy as np

PEERS = {"Tight Inclusion": ipctk.TightInclusionCCD, "additive CCD": ipctk.AdditiveCCD}


def loop(kind, queries, ccd, rounds):
    """Nanoseconds a query of a loop in C++ over queries that all miss."""
    count = len(queries)
    start, end = (np.asfortranarray(queries[:, half].reshape(-1, 3)) for half in (0, 1))
    at = 4 * np.arange(count, dtype=np.int32)[:, None]
    candidates = ipctk.Candidates()
    if kind == "vertex-face":
        faces = at + np.array([1, 2, 3], dtype=np.int32)
        mesh = ipctk.CollisionMesh(start, ipctk.edges(faces), faces)
        candidates.fv_candidates = [ipctk.FaceVertexCandidate(i, 4 * i) for i in range(count)]
    else:
        edges = (at[:, :, None] + np.array([[0, 1], [2, 3]], dtype=np.int32)).reshape(-1, 2)
        mesh = ipctk.CollisionMesh(start, edges, np.zeros((0, 3), dtype=np.int32))
        candidates.ee_candidates = [ipctk.EdgeEdgeCandidate(2 * i, 2 * i + 1) for i in range(count)]
    best = float("inf")
    for _ in range(rounds):
        begin = perf_counter_ns()
        is_free = candidates.is_step_collision_free(mesh, start, end, 0.0, ccd)
        best = min(best, perf_counter_ns() - begin)
        assert is_free, "a miss that hits"
    return best / count


def calls(kind, queries, ccd, rounds, seconds=float("inf")):
    """Answers, and nanoseconds of each call by itself, of as many queries as the time is enough for."""
    ask = ccd.point_triangle_ccd if kind == "vertex-face" else ccd.edge_edge_ccd
    hits, times = [], []
    until = perf_counter_ns() + 1e9 * seconds
    for query in queries:
        if perf_counter_ns() > until:
            break
        points = list(query.reshape(8, 3).copy())
        best = float("inf")
        for _ in range(rounds):
            begin = perf_counter_ns()
            hit, _ = ask(*points)
            best = min(best, perf_counter_ns() - begin)
        hits.append(hit)
        times.append(best)
    return np.array(hits, dtype=bool), np.array(times)


def cost_of_a_call(kind, ccd):
    """What a call costs beside the query."""
    apart = np.zeros((2, 4, 3))
    apart[:, 1:] = [[100, 0, 0], [101, 0, 0], [100, 1, 0]]
    if kind == "edge-edge":
        apart[:, 1] = [0, 1, 0]
    queries = np.repeat(apart[None], 2000, axis=0)
    _, times = calls(kind, queries, ccd, 20)
    return statistics.median(times) - loop(kind, queries, ccd, 20)


def corpus(folder, ccd):
    """Prints how many queries below a folder touch, how many are told wrong either way, and the mean time of a call."""
    count, touching, false_hits, missed, spent = 0, 0, 0, 0, 0
    for file in sorted(folder.rglob("*.csv")):
        ask = ccd.edge_edge_ccd if "edge-edge" in file.parts else ccd.point_triangle_ccd
        rows = [line.split(",") for line in file.read_text().splitlines() if line]
        points = np.array([[float(Fraction(int(row[k]), int(row[k + 1]))) for k in (0, 2, 4)] for row in rows])
        for first in range(0, len(rows), 8):
            begin = perf_counter_ns()
            hit, _ = ask(*points[first : first + 8])
            spent += perf_counter_ns() - begin
            touches = rows[first][6].strip() == "1"
            count, touching = count + 1, touching + touches
            false_hits, missed = false_hits + (hit and not touches), missed + (touches and not hit)
    print(f"{count} queries: {touching} touch, {missed} of them missed; {false_hits} others told to touch; {spent / count / 1e3:.1f} us each")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--most", type=int, default=4000, help="queries of a list")
    parser.add_argument("--seconds", type=float, default=30.0, help="for a list, at most: a touch can take seconds")
    parser.add_argument("--case", choices=["simulated", "hard"], action="append", help="default: both")
    parser.add_argument("--corpus", action="store_true", help="FOLDER holds files of the public benchmark family")
    arguments = parser.parse_args()
    folder = arguments.folder
    ipctk.set_num_threads(1)
    if arguments.corpus:
        ipctk.set_logger_level(ipctk.LoggerLevel.error)
        corpus(folder, ipctk.TightInclusionCCD())
        return
    out = folder / "peers.tsv"
    kept = out.read_text().splitlines() if out.exists() else []
    kept = [line for line in kept if not line.startswith("ccd\t")]
    for name, make in PEERS.items():
        ccd = make()
        costs = {kind: cost_of_a_call(kind, ccd) for kind in ("vertex-face", "edge-edge")}
        print(f"{name}: taken off a call, in ns: {costs}", flush=True)
        for case in arguments.case or ("simulated", "hard"):
            for kind, cost in costs.items():
                for answer in ("hit", "miss"):
                    queries = np.fromfile(folder / f"ccd-{case}-{kind}-{answer}.f64", dtype="<f8")
                    queries = queries.reshape(-1, 2, 4, 3)[: arguments.most]
                    hits, times = calls(kind, queries, ccd, arguments.rounds, arguments.seconds)
                    queries = queries[: len(hits)]
                    wrong = int(np.count_nonzero(hits != (answer == "hit")))
                    times = np.maximum(times - cost, 0)
                    median, mean = statistics.median(times), times.mean()
                    if answer == "miss":
                        median = mean = loop(kind, queries[~hits], ccd, arguments.rounds)
                    kept.append(f"ccd\t{case}-{kind}\t{answer}\tipctk {name} (wheel)\t{median:.1f}\t{mean:.1f}\t{wrong}")
                    print(f"{kept[-1]}\t{len(hits)} queries", flush=True)
                    out.write_text("\n".join(kept) + "\n")


if __name__ == "__main__":
    main()
