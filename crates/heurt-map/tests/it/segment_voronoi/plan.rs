//! Paths of a disc: exact gaps, clearance along the path, yes and no against grids.

use super::{clearance, floor, point, room, sites};
use heurt_geometry::Vec2;
use heurt_map::segment_voronoi::{DiscPath, PlaneSite, SegmentVoronoi, plan_disc, widest_path};
use heurt_testkit::number::random::Random;

/// Checks that a path leads from one place to another and keeps its clearance.
fn check_path(sites: &[PlaneSite], path: &DiscPath, [from, to]: [Vec2; 2], radius: f64) {
    let points = path.polyline(1e-4);
    assert!((points[0] - from).length() < 1e-9 && (points[points.len() - 1] - to).length() < 1e-9);
    let mut at = from;
    for piece in &path.pieces {
        let [first, last] = piece.range();
        assert!((piece.at(first) - at).length() < 1e-6, "pieces join");
        at = piece.at(last);
        for step in 0..=16 {
            let x = piece.at(first + (last - first) * f64::from(step) / 16.0);
            let clear = clearance(sites, x);
            assert!(clear >= path.least_clearance - 1e-12, "{clear} {}", path.least_clearance);
        }
    }
    assert!(path.least_clearance >= radius * (1.0 - 1e-9));
    for pair in points.windows(2) {
        assert!(clearance(sites, 0.5 * (pair[0] + pair[1])) >= radius - 1e-4 - 1e-12);
    }
}

#[test]
fn a_gap_admits_half_its_width_and_no_more() {
    // Integer turns of 3 : 4 : 5 keep all lengths exact.
    let places: [fn(f64, f64) -> Vec2; 3] = [
        |x, y| point(x, y),
        |x, y| point(3.0 * x - 4.0 * y, 4.0 * x + 3.0 * y) / 8.0,
        |x, y| point(1e6 + 3.0 * x + 4.0 * y, -2e6 - 4.0 * x + 3.0 * y),
    ];
    for (place, scale) in places.into_iter().zip([1.0, 5.0 / 8.0, 5.0]) {
        for gap in [0.25, 0.5, 0.875, 1.0, 1.5, 1.0 / 1024.0] {
            let diagram = SegmentVoronoi::new(&[], &floor([gap, 2.0], place)).unwrap();
            let ends = [place(1.5, 1.0), place(10.0, 2.0)];
            let half = 0.5 * gap * scale;
            let path = plan_disc(&diagram, ends[0], ends[1], half).unwrap();
            assert!((path.least_clearance - half).abs() <= 1e-9 * half);
            assert!(plan_disc(&diagram, ends[0], ends[1], half.next_up()).is_none());
            assert_eq!(widest_path(&diagram, ends[0], ends[1]).unwrap().0, half);
        }
    }
}

#[test]
fn a_corner_over_a_wall_and_a_corridor() {
    for gap in [0.5, 0.75, 0.1] {
        // A wedge whose tip is at the height of the gap over the ground; the upper side is closed by the outline.
        let outline = [[0.0, 0.0], [10.0, 0.0], [10.0, 5.0], [6.0, 5.0], [5.0, gap], [4.0, 5.0], [0.0, 5.0]];
        let corner = |k: usize| Vec2::from_array(outline[k % 7]);
        let walls: Vec<[Vec2; 2]> = (0..7).map(|k| [corner(k), corner(k + 1)]).collect();
        let ends = [point(1.0, 2.0), point(9.0, 2.0)];
        let diagram = SegmentVoronoi::new(&[], &walls).unwrap();
        assert_eq!(widest_path(&diagram, ends[0], ends[1]).unwrap().0, 0.5 * gap);
        // A corridor of parallel walls between two halls.
        let low = 1.0;
        let high = low + gap;
        let outline = [[0.0, 0.0], [3.0, 0.0], [3.0, low], [7.0, low], [7.0, 0.0], [10.0, 0.0], [10.0, 3.0]];
        let upper = [[7.0, 3.0], [7.0, high], [3.0, high], [3.0, 3.0], [0.0, 3.0]];
        let ring: Vec<Vec2> = outline.iter().chain(&upper).map(|&corner| Vec2::from_array(corner)).collect();
        let walls: Vec<[Vec2; 2]> = (0..12).map(|k| [ring[k], ring[(k + 1) % 12]]).collect();
        let diagram = SegmentVoronoi::new(&[], &walls).unwrap();
        let (radius, path) = widest_path(&diagram, point(1.0, 1.0), point(9.0, 2.0)).unwrap();
        assert_eq!(radius, 0.5 * (high - low));
        check_path(&sites(&diagram), &path, [point(1.0, 1.0), point(9.0, 2.0)], radius);
    }
}

#[test]
fn figures_of_the_documentation() {
    let corners = [[0.0, 0.0], [6.0, 0.0], [12.0, 0.0], [12.0, 8.0], [6.0, 8.0], [0.0, 8.0]].map(Vec2::from_array);
    let mut walls: Vec<[Vec2; 2]> = (0..6).map(|k| [corners[k], corners[(k + 1) % 6]]).collect();
    let middle = |low: f64, high: f64| [point(6.0, low), point(6.0, high)];
    walls.extend([middle(0.0, 2.0), middle(3.0, 5.0), middle(7.0, 8.0)]);
    let diagram = SegmentVoronoi::new(&[], &walls).unwrap();
    let (from, to) = (point(2.0, 2.0), point(10.0, 2.0));
    let length = |radius: f64| plan_disc(&diagram, from, to, radius).map(|path| format!("{:.3}", path.length));
    assert_eq!(length(0.5).as_deref(), Some("9.215"));
    assert_eq!(length(0.6).as_deref(), Some("13.531"));
    assert_eq!(length(1.0), length(0.6));
    assert_eq!(length(1.0f64.next_up()), None);
    assert_eq!(widest_path(&diagram, from, to).map(|(radius, _)| radius), Some(1.0));
}

#[test]
fn yes_and_no_agree_with_grids() {
    const SIDE: usize = 120;
    let (mut yes, mut no) = (0, 0);
    for seed in 0..25 {
        let mut random = Random::new(seed);
        let area = room(&mut random);
        let diagram = SegmentVoronoi::of_area(&area).unwrap();
        let all = sites(&diagram);
        let step = 2.2 / SIDE as f64;
        let at = |k: usize| point((k % SIDE) as f64, (k / SIDE) as f64) * step - point(1.1, 1.1);
        let clear: Vec<f64> =
            (0..SIDE * SIDE).map(|k| if area.contains(at(k)) { clearance(&all, at(k)) } else { 0.0 }).collect();
        for _ in 0..12 {
            let radius = random.between(0.02, 0.2);
            let pick = |random: &mut Random| random.whole(0, (SIDE * SIDE) as i64 - 1) as usize;
            let [from, to] = [0; 2].map(|_| (0..500).map(|_| pick(&mut random)).find(|&k| clear[k] >= radius));
            let (Some(from), Some(to)) = (from, to) else { continue };
            let path = plan_disc(&diagram, at(from), at(to), radius);
            // A step along an axis comes nearer to a site by half its length; a path is half a diagonal from a sample.
            if is_connected(&clear, SIDE, [from, to], radius + 0.5 * step, false) {
                assert!(path.is_some(), "seed {seed} radius {radius}");
            }
            if !is_connected(&clear, SIDE, [from, to], radius - 0.71 * step, true) {
                assert!(path.is_none(), "seed {seed} radius {radius}");
            }
            match path {
                Some(path) => check_path(&all, &path, [at(from), at(to)], radius),
                None => no += 1,
            }
            let (widest, path) = widest_path(&diagram, at(from), at(to)).unwrap();
            check_path(&all, &path, [at(from), at(to)], widest);
            yes += usize::from(widest >= radius);
            assert_eq!(plan_disc(&diagram, at(from), at(to), radius).is_some(), widest >= radius);
            assert!(plan_disc(&diagram, at(from), at(to), widest.next_up()).is_none());
        }
    }
    assert!(yes > 50 && no > 20, "{yes} {no}");
}

/// Reports whether samples of a clearance connect two of them, along axes or also along diagonals.
fn is_connected(clear: &[f64], side: usize, [from, to]: [usize; 2], least: f64, diagonals: bool) -> bool {
    let mut seen = vec![false; clear.len()];
    let mut open = vec![from];
    while let Some(k) = open.pop() {
        if clear[k] < least || std::mem::replace(&mut seen[k], true) {
            continue;
        }
        let (x, y) = ((k % side) as i64, (k / side) as i64);
        for (dx, dy) in (-1..=1).flat_map(|dx| [-1, 0, 1].map(|dy| (dx, dy))) {
            let inside = (0..side as i64).contains(&(x + dx)) && (0..side as i64).contains(&(y + dy));
            if inside && (diagonals || dx * dy == 0) {
                open.push(((y + dy) * side as i64 + x + dx) as usize);
            }
        }
    }
    seen[to]
}

#[test]
fn ends_that_do_not_fit_are_refused() {
    let diagram = SegmentVoronoi::new(&[], &floor([1.0, 1.0], point)).unwrap();
    let (from, to) = (point(1.0, 1.0), point(2.0, 1.0));
    assert!(plan_disc(&diagram, from, to, 1.0).is_some());
    assert!(plan_disc(&diagram, from, to, 1.0f64.next_up()).is_none());
    assert!(plan_disc(&diagram, from, to, 0.0).is_some());
    for radius in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(plan_disc(&diagram, from, to, radius).is_none());
    }
    for bad in [point(4.0, 1.0), point(f64::NAN, 1.0), point(1e9, 0.0), point(0.0, 0.0)] {
        assert!(plan_disc(&diagram, bad, to, 0.0).is_none());
        assert!(widest_path(&diagram, from, bad).is_none());
    }
    // Walls that share a corner let nothing pass, not even a point.
    assert!(plan_disc(&diagram, from, point(1.0, 7.0), 0.0).is_none());
    let same = plan_disc(&diagram, from, from, 0.5).unwrap();
    assert!(same.polyline(0.1).len() <= 4);
}

#[test]
fn a_disc_goes_around_what_is_open() {
    let diagram = SegmentVoronoi::new(&[point(0.0, 0.0)], &[]).unwrap();
    let (radius, path) = widest_path(&diagram, point(-0.5, 0.0), point(0.5, 0.25)).unwrap();
    assert_eq!(radius, 0.5);
    check_path(&sites(&diagram), &path, [point(-0.5, 0.0), point(0.5, 0.25)], 0.5);
}
