//! Arcs and vertices: equal distances, nearest sites, closed forms.

use super::{clearance, point, room, sites, soup, worst_error};
use heurt_geometry::Vec2;
use heurt_map::segment_voronoi::{ArcCurve, PlaneSite, SegmentVoronoi};
use heurt_testkit::number::random::Random;

/// Share of the extent: some ulps of the frame.
const ROUNDED: f64 = 1e-14;

#[test]
fn a_point_and_a_line_have_a_parabola() {
    let diagram = SegmentVoronoi::new(&[point(0.0, 1.0)], &[[point(-4.0, 0.0), point(4.0, 0.0)]]).unwrap();
    let arc = diagram.arcs().find(|arc| matches!(arc.curve, ArcCurve::Parabola { .. })).unwrap();
    assert_eq!(arc.least_clearance, 0.5);
    let [first, last] = arc.curve.range();
    for step in 0..=100 {
        let at = arc.curve.at(first + (last - first) * f64::from(step) / 100.0);
        assert!((at.y - (at.x * at.x + 1.0) / 2.0).abs() < 1e-14);
    }
    // From x = -4 to x = 4, up to the perpendiculars at the ends of the segment.
    assert_eq!([first.abs(), last.abs()], [4.0, 4.0]);
    let primitive = |x: f64| 0.5 * (x * (1.0 + x * x).sqrt() + x.asinh());
    assert!((arc.curve.length() - 2.0 * primitive(4.0)).abs() < 1e-14);
    let mut chords = Vec::new();
    arc.curve.extend_polyline(1e-3, &mut chords);
    for pair in chords.windows(2) {
        let middle = 0.5 * (pair[0] + pair[1]);
        assert!((middle.y - (middle.x * middle.x + 1.0) / 2.0).abs() <= 1e-3);
    }
}

#[test]
fn soups_by_brute_force() {
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let longest = [0.05, 0.3, 1.0, 2.0][seed as usize % 4];
        let segments = soup(&mut random, 3 + 4 * seed as usize, longest);
        let points: Vec<Vec2> = (0..seed % 7).map(|_| point(random.unit(), random.unit())).collect();
        let diagram = SegmentVoronoi::new(&points, &segments).unwrap();
        assert!(worst_error(&diagram) < ROUNDED, "seed {seed}");
        assert_eq!(diagram.site_count(), points.len() + 3 * segments.len());
    }
}

#[test]
fn many_small_soups() {
    let mut random = Random::new(7);
    for _ in 0..3000 {
        let count = random.whole(1, 7) as usize;
        let segments = soup(&mut random, count, 0.8);
        let diagram = SegmentVoronoi::new(&[], &segments).unwrap();
        assert!(worst_error(&diagram) < ROUNDED, "{segments:?}");
    }
}

#[test]
fn rooms_with_holes() {
    for seed in 0..30 {
        let area = room(&mut Random::new(seed));
        let diagram = SegmentVoronoi::of_area(&area).unwrap();
        assert!(worst_error(&diagram) < ROUNDED, "seed {seed}");
    }
}

#[test]
fn the_graph_is_planar_and_every_site_has_a_cell() {
    for seed in 0..10 {
        let segments = soup(&mut Random::new(seed), 40, 0.4);
        let diagram = SegmentVoronoi::new(&[], &segments).unwrap();
        // A triangulation of n sites and 3 points of the frame has 2 (n + 3) - 4 triangles, one of them outside.
        assert_eq!(diagram.vertices().len(), 2 * (diagram.site_count() + 3) - 5);
        let mut has_arc = vec![false; diagram.site_count()];
        diagram.arcs().for_each(|arc| arc.sites.iter().for_each(|&site| has_arc[site as usize] = true));
        assert!(has_arc.into_iter().all(|has| has));
    }
}

#[test]
fn neighbours_of_a_grid_of_samples_share_an_arc() {
    // Brute force: two samples close together that have different nearest sites. Their cells share an arc, or a third
    // cell passes between them; the arc is then at most the distance of the samples away.
    let segments = soup(&mut Random::new(3), 12, 0.5);
    let diagram = SegmentVoronoi::new(&[], &segments).unwrap();
    let arcs: Vec<_> = diagram.arcs().filter(|arc| !arc.is_perpendicular).collect();
    let polylines: Vec<Vec<Vec2>> = arcs
        .iter()
        .map(|arc| {
            let mut points = vec![arc.curve.ends()[0]];
            arc.curve.extend_polyline(1e-6, &mut points);
            points
        })
        .collect();
    let near = |x: Vec2| -> f64 {
        let chords = polylines.iter().flat_map(|points| points.windows(2));
        chords.map(|pair| super::distance(&PlaneSite::Segment([pair[0], pair[1]]), x)).fold(f64::INFINITY, f64::min)
    };
    let all = sites(&diagram);
    let step = 1.0 / 40.0;
    let mut changes = 0;
    for k in 0..1600 {
        let x = point(f64::from(k % 40), f64::from(k / 40)) * step;
        let y = x + point(step, 0.0);
        let [(p, from), (q, _)] = [x, y].map(|x| diagram.nearest_site(x));
        assert!((from - clearance(&all, x)).abs() < 1e-15);
        let is_own = arcs.iter().all(|arc| arc.sites != [p, q] && arc.sites != [q, p]);
        if p != q && !is_own {
            changes += 1;
            assert!(near(x) <= step, "{x} {p} {q}");
        }
    }
    assert!(changes > 100);
}

#[test]
fn sites_have_the_numbers_of_the_input() {
    let ends = [point(1.0, 0.0), point(2.0, 0.0)];
    let copy = [ends[1], ends[0]];
    let zero = [point(5.0, 5.0); 2];
    let diagram = SegmentVoronoi::new(&[ends[0], point(0.0, 3.0), ends[0]], &[ends, copy, zero]).unwrap();
    assert_eq!((diagram.point_count(), diagram.site_count()), (4, 5));
    assert_eq!([0, 1, 2].map(|k| diagram.site_of_point(k)), [Some(0), Some(1), Some(0)]);
    assert_eq!([0, 1, 2].map(|k| diagram.site_of_segment(k)), [Some(4), Some(4), Some(3)]);
    assert_eq!(diagram.site(4), Some(PlaneSite::Segment(ends)));
    assert_eq!((diagram.site(5), diagram.site_of_point(3)), (None, None));
}
