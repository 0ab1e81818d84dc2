#!/usr/bin/env python3
"""Time of a step of pyrvo (RVO2) for the rings of `cargo run --release -p heurt-crowd --example crowd_rings`.

    pip install pyrvo==0.4.3
    python3 bench/peers_crowd.py [AGENTS] [STEPS]

The same radius, speed, horizon, neighbours and step. Preferred velocities are set outside of the time that counts.
"""
import math
import sys
import time

import pyrvo

COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
STEPS = int(sys.argv[2]) if len(sys.argv) > 2 else 200
SPEED, STEP, RADIUS = 1.34, 0.1, 0.3


def deepest(simulation) -> float:
    """Returns the deepest overlap of two agents as a share of the diameter, by a grid of diameters."""
    side = 2 * RADIUS
    cells: dict = {}
    places = [(p.x, p.y) for p in (simulation.get_agent_position(k) for k in range(COUNT))]
    for k, (x, y) in enumerate(places):
        cells.setdefault((math.floor(x / side), math.floor(y / side)), []).append(k)
    worst = 0.0
    for (i, j), here in cells.items():
        near = [k for di in (-1, 0, 1) for dj in (-1, 0, 1) for k in cells.get((i + di, j + dj), ())]
        for k in here:
            for other in near:
                if other > k:
                    worst = max(worst, 1 - math.dist(places[k], places[other]) / side)
    return worst


def main() -> None:
    rings = max(1, COUNT // 1000)
    on_ring = COUNT // rings
    inner = 0.8 * on_ring / math.tau
    simulation = pyrvo.RVOSimulator(STEP, 5.0, 10, 2.0, 2.0, RADIUS, 1.3 * SPEED)
    goals = []
    for k in range(COUNT):
        ring, number = k % rings, k // rings
        angle = math.tau * number / on_ring + 0.1 * ring
        x, y = (inner + ring) * math.cos(angle), (inner + ring) * math.sin(angle)
        simulation.add_agent((x, y))
        goals.append((-x, -y))
    times, worst = [], 0.0
    for step in range(STEPS):
        for k, (x, y) in enumerate(goals):
            place = simulation.get_agent_position(k)
            dx, dy = x - place.x, y - place.y
            distance = math.hypot(dx, dy)
            share = min(SPEED, distance / STEP) / distance if distance > 0 else 0.0
            simulation.set_agent_pref_velocity(k, (dx * share, dy * share))
        started = time.perf_counter()
        simulation.do_step()
        times.append(1e3 * (time.perf_counter() - started))
        if step % 20 == 0:
            worst = max(worst, deepest(simulation))
    times.sort()
    print(f"pyrvo, {COUNT} agents: median {times[STEPS // 2]:.1f} ms a step, mean {sum(times) / STEPS:.1f} ms")
    print(f"worst overlap {max(worst, deepest(simulation)):.4f} of a diameter")


if __name__ == "__main__":
    main()
