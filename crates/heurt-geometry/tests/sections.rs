//! Points, segments and triangles: hand-computed cases, and what a section says about where it lies.

use heurt_geometry::{
    Feature, Meeting, Section, SectionPoint, Triangle, Vec3, is_degenerate, meeting, point_on_segment,
    point_on_triangle, section, segment_intersects_triangle, segments_intersect, triangles_intersect,
};
use heurt_testkit::generate::{Kind, triangle_pair};
use heurt_testkit::{oracle, random::Random};

const fn v(x: f64, y: f64, z: f64) -> Vec3 {
    Vec3::new(x, y, z)
}

const FLOOR: Triangle = [v(0.0, 0.0, 0.0), v(4.0, 0.0, 0.0), v(0.0, 4.0, 0.0)];

#[test]
fn points_segments_and_triangles_agree_with_exact_integers() {
    let mut random = Random::new(9);
    let (mut on, mut off) = (0, 0);
    for _ in 0..20_000 {
        let (kind, x, y) = triangle_pair(&mut random);
        let (p, q) = (y[0], y[1]);
        let on_triangle = oracle::triangles_intersect(&x, &[p; 3]);
        assert_eq!(point_on_triangle(p, &x), on_triangle, "{kind:?} {x:?} {p:?}");
        let crosses = oracle::triangles_intersect(&x, &[p, q, q]);
        assert_eq!(segment_intersects_triangle(p, q, &x), crosses, "{kind:?} {x:?} {p:?} {q:?}");
        let meets = oracle::triangles_intersect(&[x[0], x[1], x[1]], &[p, q, q]);
        assert_eq!(segments_intersect(x[0], x[1], p, q), meets, "{kind:?} {x:?} {p:?} {q:?}");
        let on_segment = oracle::triangles_intersect(&[x[0], x[1], x[1]], &[p; 3]);
        assert_eq!(point_on_segment(p, x[0], x[1]), on_segment, "{kind:?} {x:?} {p:?}");
        on += u32::from(on_triangle) + u32::from(meets);
        off += u32::from(!on_triangle && !meets);
    }
    assert!(on > 3000 && off > 3000, "{on} on, {off} off");
}

#[test]
fn degenerate_triangles_are_told_exactly() {
    assert!(is_degenerate(&[v(1.0, 1.0, 1.0); 3]));
    assert!(is_degenerate(&[v(0.0, 0.0, 0.0), v(1.0, 2.0, 3.0), v(3.0, 6.0, 9.0)]));
    let nearly = [v(0.0, 0.0, 0.0), v(1.0, 2.0, 3.0), v(3.0, 6.0, 9.0f64.next_up())];
    assert!(!is_degenerate(&nearly));
    let tiny = |k: u64| f64::from_bits(k);
    assert!(!is_degenerate(&[Vec3::ZERO, v(tiny(1), 0.0, 0.0), v(0.0, tiny(1), 0.0)]));
    assert!(is_degenerate(&[Vec3::ZERO, v(tiny(1), tiny(1), 0.0), v(tiny(3), tiny(3), 0.0)]));
}

#[test]
fn a_wall_through_the_floor_cuts_a_segment() {
    let wall = [v(1.0, 1.0, -1.0), v(1.0, 1.0, 3.0), v(1.0, -5.0, -1.0)];
    assert_eq!(meeting(&FLOOR, &wall), Meeting::Crossing);
    let Section::Segment(ends) = section(&FLOOR, &wall) else { panic!("no segment") };
    let mut ends = ends.to_vec();
    ends.sort_by(|p, q| p.position.y.total_cmp(&q.position.y));
    assert_eq!(ends[0], SectionPoint { position: v(1.0, 0.0, 0.0), a: Feature::Edge(0), b: Feature::Face });
    assert_eq!(ends[1], SectionPoint { position: v(1.0, 1.0, 0.0), a: Feature::Face, b: Feature::Edge(0) });
}

#[test]
fn a_corner_on_the_floor_is_a_point_and_touches() {
    let spike = [v(1.0, 1.0, 0.0), v(1.0, 1.0, 1.0), v(2.0, 1.0, 1.0)];
    let point = SectionPoint { position: v(1.0, 1.0, 0.0), a: Feature::Face, b: Feature::Vertex(0) };
    assert_eq!(section(&FLOOR, &spike), Section::Point(point));
    assert_eq!(meeting(&FLOOR, &spike), Meeting::Touching);
}

#[test]
fn a_shared_edge_is_a_segment_between_shared_corners() {
    let wall = [FLOOR[1], FLOOR[0], v(1.0, 0.0, 2.0)];
    let Section::Segment(ends) = section(&FLOOR, &wall) else { panic!("no segment") };
    let mut features = ends.map(|e| (e.a, e.b));
    features.sort_unstable();
    assert_eq!(features, [(Feature::Vertex(0), Feature::Vertex(1)), (Feature::Vertex(1), Feature::Vertex(0))]);
    assert_eq!(meeting(&FLOOR, &wall), Meeting::Touching);
}

#[test]
fn coplanar_triangles_share_a_polygon() {
    let other = [v(1.0, 1.0, 0.0), v(5.0, 1.0, 0.0), v(1.0, 5.0, 0.0)];
    let Section::Coplanar(mut polygon) = section(&FLOOR, &other) else { panic!("no polygon") };
    polygon.sort_by(|p, q| p.to_array().partial_cmp(&q.to_array()).expect("finite"));
    assert_eq!(polygon, [v(1.0, 1.0, 0.0), v(1.0, 3.0, 0.0), v(3.0, 1.0, 0.0)]);
    assert_eq!(meeting(&FLOOR, &other), Meeting::Touching);
    let apart = [v(3.0, 3.0, 0.0), v(5.0, 1.0, 0.0), v(1.0, 5.0, 0.0)];
    assert_eq!(section(&FLOOR, &apart), Section::None);
}

/// The distance from `p` to the feature of `t`, roughly: rounded projections.
fn distance(p: Vec3, t: &Triangle, feature: Feature) -> f64 {
    match feature {
        Feature::Vertex(k) => p.distance(t[usize::from(k)]),
        Feature::Edge(k) => {
            let (a, b) = (t[usize::from(k)], t[(usize::from(k) + 1) % 3]);
            let share = ((p - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
            p.distance(a + (b - a) * share)
        }
        Feature::Face => {
            let normal = (t[1] - t[0]).cross(t[2] - t[0]).normalize();
            normal.dot(p - t[0]).abs()
        }
    }
}

#[test]
fn ends_lie_on_the_features_they_name() {
    let mut random = Random::new(4);
    let (mut points, mut segments, mut flats) = (0, 0, 0);
    for _ in 0..20_000 {
        let (kind, x, y) = triangle_pair(&mut random);
        let size = x.iter().chain(&y).fold(0.0f64, |size, p| size.max(p.abs().max_element()));
        if kind == Kind::Sliver || !(1e-100..1e100).contains(&size) {
            continue;
        }
        let section = section(&x, &y);
        assert_eq!(section != Section::None, triangles_intersect(&x, &y));
        let ends: &[SectionPoint] = match &section {
            Section::None => &[],
            Section::Point(end) => std::slice::from_ref(end),
            Section::Segment(ends) => ends,
            Section::Coplanar(polygon) => {
                flats += 1;
                assert!((1..=6).contains(&polygon.len()), "{kind:?} {x:?} {y:?} {polygon:?}");
                &[]
            }
        };
        for end in ends {
            let off = distance(end.position, &x, end.a).max(distance(end.position, &y, end.b));
            assert!(off <= 1e-9 * size, "{kind:?} {x:?} {y:?} {end:?} is off by {off}");
        }
        points += u32::from(matches!(section, Section::Point(_)));
        segments += u32::from(matches!(section, Section::Segment(_)));
    }
    assert!(points > 500 && segments > 2000 && flats > 1000, "{points} {segments} {flats}");
}

#[test]
fn sections_of_swapped_triangles_have_the_same_ends() {
    let mut random = Random::new(6);
    for _ in 0..20_000 {
        let (kind, x, y) = triangle_pair(&mut random);
        let features = |section: Section| match section {
            Section::Point(end) => vec![(end.a, end.b)],
            Section::Segment(ends) => ends.map(|e| (e.a, e.b)).to_vec(),
            _ => Vec::new(),
        };
        let mut ours = features(section(&x, &y));
        let mut swapped: Vec<_> = features(section(&y, &x)).into_iter().map(|(a, b)| (b, a)).collect();
        ours.sort_unstable();
        swapped.sort_unstable();
        assert_eq!(ours, swapped, "{kind:?} {x:?} {y:?}");
    }
}
