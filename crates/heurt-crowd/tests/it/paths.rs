//! Shortest paths: closed forms, and brute force over corners.

use heurt_crowd::{Ground, Navigation};
use heurt_geometry::{PlanArea, SplitMix64, Vec2};

fn v(x: f64, y: f64) -> Vec2 {
    Vec2::new(x, y)
}

/// An L: the plane around a right-angled corner of a wall at the origin.
fn corner() -> Ground {
    let outline = [[-5.0, -5.0], [0.0, -5.0], [0.0, 0.0], [5.0, 0.0], [5.0, 5.0], [-5.0, 5.0]];
    let area = PlanArea { outline: outline.map(Vec2::from_array).to_vec(), holes: vec![] };
    Ground::new(vec![area]).expect("sound")
}

#[test]
fn point_goes_round_a_corner() {
    let ground = corner();
    let navigation = Navigation::new(&ground, 0.0).expect("points fit");
    let paths = navigation.paths_to_point(v(-1.0, -2.0)).expect("inside");
    let heading = paths.heading(v(2.0, 1.0)).expect("free");
    assert_eq!(heading.towards, Vec2::ZERO);
    assert!((heading.distance - 20.0_f64.sqrt()).abs() < 1e-12, "{}", heading.distance);
}

#[test]
fn disc_goes_round_a_corner() {
    let ground = corner();
    let navigation = Navigation::new(&ground, 0.25).expect("discs fit");
    let paths = navigation.paths_to_point(v(-1.0, -2.0)).expect("inside");
    let heading = paths.heading(v(2.0, 1.0)).expect("free");
    // Two tangents and an arc: 4.660989; the polygon around the circle is longer by at most 2 % of the arc.
    assert!(heading.distance >= 4.660989 - 1e-6 && heading.distance < 4.667, "{}", heading.distance);
}

/// Rooms with boxes in them.
fn rooms(random: &mut SplitMix64, boxes: usize) -> PlanArea {
    let mut area = PlanArea::rectangle(Vec2::ZERO, v(20.0, 20.0));
    let mut taken: Vec<[Vec2; 2]> = Vec::new();
    while area.holes.len() < boxes {
        let low = v(random.between(0.5, 17.0), random.between(0.5, 17.0));
        let high = low + v(random.between(0.3, 2.4), random.between(0.3, 2.4));
        let is_free = taken.iter().all(|[l, h]| (low.cmpgt(*h) | high.cmplt(*l)).any());
        if is_free {
            taken.push([low, high]);
            area.holes.push(PlanArea::rectangle(low, high).outline);
        }
    }
    area
}

fn segments_cross(a: Vec2, b: Vec2, c: Vec2, d: Vec2) -> bool {
    let side = |p: Vec2, q: Vec2, r: Vec2| (q - p).perp_dot(r - p);
    side(a, b, c) * side(a, b, d) < 0.0 && side(c, d, a) * side(c, d, b) < 0.0
}

/// Dijkstra over all corners, with all pairs tried.
fn brute_force(area: &PlanArea, from: Vec2, to: Vec2) -> f64 {
    let mut nodes = vec![from, to];
    nodes.extend(area.rings().flatten().copied());
    let walls: Vec<[Vec2; 2]> =
        area.rings().flat_map(|ring| (0..ring.len()).map(|k| [ring[k], ring[(k + 1) % ring.len()]])).collect();
    let is_free = |a: Vec2, b: Vec2| {
        let is_crossed = walls.iter().any(|&[c, d]| segments_cross(a, b, c, d));
        // Points along the way are no proof, but corners are convex boxes here.
        !is_crossed && (1..8).all(|k| area.contains(a + (b - a) * (f64::from(k) / 8.0)))
    };
    let mut best = vec![f64::INFINITY; nodes.len()];
    let mut is_done = vec![false; nodes.len()];
    best[0] = 0.0;
    loop {
        let next = (0..nodes.len()).filter(|&k| !is_done[k]).min_by(|&a, &b| best[a].total_cmp(&best[b]));
        let Some(here) = next.filter(|&k| best[k] < f64::INFINITY) else { return best[1] };
        is_done[here] = true;
        for k in 0..nodes.len() {
            if !is_done[k] && is_free(nodes[here], nodes[k]) {
                best[k] = best[k].min(best[here] + nodes[here].distance(nodes[k]));
            }
        }
    }
}

#[test]
fn paths_are_as_short_as_brute_force_finds_them() {
    let mut random = SplitMix64::new(5);
    for round in 0..12 {
        let area = rooms(&mut random, 4 + round);
        let ground = Ground::new(vec![area.clone()]).expect("sound");
        let navigation = Navigation::new(&ground, 0.0).expect("points fit");
        let place = |random: &mut SplitMix64| loop {
            let point = v(random.between(0.0, 20.0), random.between(0.0, 20.0));
            if area.contains(point) {
                return point;
            }
        };
        let goal = place(&mut random);
        let paths = navigation.paths_to_point(goal).expect("inside");
        for _ in 0..40 {
            let from = place(&mut random);
            let found = paths.heading(from).expect("free").distance;
            let known = brute_force(&area, from, goal);
            assert!((found - known).abs() < 1e-9 * known, "round {round}: {found} for {known}, from {from} to {goal}");
            // The path itself has that length.
            let mut length = 0.0;
            let mut at = from;
            for next in paths.path(from) {
                length += at.distance(next);
                at = next;
            }
            assert!((length - known).abs() < 1e-9 * known, "round {round}: path of {length} for {known}");
        }
    }
}
