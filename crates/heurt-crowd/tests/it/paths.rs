//! Shortest paths: closed forms, and brute force over corners.

use heurt_crowd::{Ground, Navigation};
use heurt_geometry::{FloorArea, PlanArea, SplitMix64, Vec2, Vec3};

fn v(x: f64, y: f64) -> Vec2 {
    Vec2::new(x, y)
}

/// An L: the plane around a right-angled corner of a wall at the origin.
fn corner() -> Ground {
    let outline = [[-5.0, -5.0], [0.0, -5.0], [0.0, 0.0], [5.0, 0.0], [5.0, 5.0], [-5.0, 5.0]];
    let area = PlanArea { outline: outline.map(Vec2::from_array).to_vec(), holes: vec![] };
    Ground::new([area]).expect("sound")
}

#[test]
fn point_goes_round_a_corner() {
    let ground = corner();
    let navigation = Navigation::new(&ground, 0.0).expect("points fit");
    let paths = navigation.paths_to_point(v(-1.0, -2.0).extend(0.0)).expect("inside");
    let heading = paths.heading(v(2.0, 1.0).extend(0.0)).expect("free");
    assert_eq!(heading.towards, Vec3::ZERO);
    assert!((heading.distance - 20.0_f64.sqrt()).abs() < 1e-12, "{}", heading.distance);
}

#[test]
fn disc_goes_round_a_corner() {
    let ground = corner();
    let navigation = Navigation::new(&ground, 0.25).expect("discs fit");
    let paths = navigation.paths_to_point(v(-1.0, -2.0).extend(0.0)).expect("inside");
    let heading = paths.heading(v(2.0, 1.0).extend(0.0)).expect("free");
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

/// Checks paths on ground that has the plan of an area, by brute force on the plan.
fn check_paths(area: &PlanArea, ground: &Ground, random: &mut SplitMix64, what: &str) {
    let navigation = Navigation::new(ground, 0.0).expect("points fit");
    let place = |random: &mut SplitMix64| loop {
        let point = v(random.between(0.0, 20.0), random.between(0.0, 20.0));
        if area.contains(point) {
            let floor = ground.floors().iter().find(|floor| floor.area.contains(point)).expect("a floor");
            return floor.over(point);
        }
    };
    let goal = place(random);
    let paths = navigation.paths_to_point(goal).expect("inside");
    for _ in 0..40 {
        let from = place(random);
        let found = paths.heading(from).expect("free").distance;
        let known = brute_force(area, from.truncate(), goal.truncate());
        assert!((found - known).abs() < 1e-9 * known, "{what}: {found} for {known}, from {from} to {goal}");
        // The path itself has that length.
        let mut length = 0.0;
        let mut at = from;
        for next in paths.path(from) {
            length += at.truncate().distance(next.truncate());
            assert!(ground.height_near(next).is_some_and(|z| (z - next.z).abs() < 1e-9), "{what}: {next}");
            at = next;
        }
        assert!((length - known).abs() < 1e-9 * known, "{what}: path of {length} for {known}");
    }
}

#[test]
fn paths_are_as_short_as_brute_force_finds_them() {
    let mut random = SplitMix64::new(5);
    for round in 0..12 {
        let area = rooms(&mut random, 4 + round);
        let ground = Ground::new([area.clone()]).expect("sound");
        check_paths(&area, &ground, &mut random, &format!("round {round}"));
    }
}

/// The part of an area with holes that are boxes between two lines across x; no box may end within 1 mm of a line.
fn slab(area: &PlanArea, low: f64, high: f64) -> Vec<PlanArea> {
    // Boxes that cross a line become notches of the outline: traced column by column.
    let mut xs = vec![low, high];
    for hole in &area.holes {
        xs.extend(hole.iter().map(|corner| corner.x).filter(|x| (low..high).contains(x)));
    }
    xs.sort_by(f64::total_cmp);
    xs.dedup();
    let mut parts = Vec::new();
    for column in xs.windows(2) {
        let middle = 0.5 * (column[0] + column[1]);
        let boxes = area.holes.iter().map(|hole| [hole[0], hole[2]]);
        let mut cut: Vec<[f64; 2]> =
            boxes.filter(|[l, h]| l.x < middle && h.x > middle).map(|[l, h]| [l.y, h.y]).collect();
        cut.sort_by(|a, b| a[0].total_cmp(&b[0]));
        let mut bottom = 0.0;
        for [from, to] in cut.into_iter().chain([[20.0, 20.0]]) {
            if from > bottom {
                parts.push(PlanArea::rectangle(v(column[0], bottom), v(column[1], from)));
            }
            bottom = to;
        }
    }
    parts
}

#[test]
fn paths_over_slopes_are_those_of_the_plan() {
    let mut random = SplitMix64::new(8);
    for round in 0..6 {
        let area = rooms(&mut random, 4 + 2 * round);
        // Level, up, level, up, down, in pieces of 4 m.
        let heights = [0.0, 0.0, 3.0, 3.0, 5.5, 1.0];
        let mut floors = Vec::new();
        for piece in 0..5 {
            let [low, high] = [4.0 * piece as f64, 4.0 * piece as f64 + 4.0];
            let slope = (heights[piece + 1] - heights[piece]) / 4.0;
            let at = v(low, 0.0).extend(heights[piece]);
            let slabs = slab(&area, low, high).into_iter();
            floors.extend(slabs.map(|area| FloorArea { area, at, slope: v(slope, 0.0) }));
        }
        let ground = Ground::new(floors).expect("sound");
        assert!((ground.area() - area.area()).abs() < 1e-9);
        check_paths(&area, &ground, &mut random, &format!("round {round}"));
    }
}
