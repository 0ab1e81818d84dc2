//! What two triangles share: the features that ends lie on, exactly; where they lie, within rounding; the same either way
//! round, the same bits across a shared edge, the same in every size.

use heurt_geometry::{
    Section, SectionPoint, Triangle, TriangleFeature, TriangleRelation, Vec3, is_degenerate, orient3d,
    point_on_segment, section, triangle_relation, triangles_intersect,
};
use heurt_testkit::hard::triangles::{Kind, triangle_pair};
use heurt_testkit::number::random::Random;

const FLOOR: Triangle = [Vec3::ZERO, Vec3::new(4.0, 0.0, 0.0), Vec3::new(0.0, 4.0, 0.0)];

const fn v(x: f64, y: f64, z: f64) -> Vec3 {
    Vec3::new(x, y, z)
}

/// The ends of a segment by position, x first.
fn ends(found: Section) -> [SectionPoint; 2] {
    let Section::Segment(mut ends) = found else { panic!("no segment: {found:?}") };
    ends.sort_by(|p, q| p.position.to_array().partial_cmp(&q.position.to_array()).unwrap());
    ends
}

#[test]
fn a_blade_inside_the_floor() {
    // It enters the floor at z = 0 between x = 1 and x = 2, halfway up its two edges.
    let blade = [v(1.0, 1.0, 1.0), v(1.0, 1.0, -1.0), v(3.0, 1.0, -1.0)];
    let [left, right] = ends(section(&FLOOR, &blade));
    assert_eq!(
        left,
        SectionPoint { position: v(1.0, 1.0, 0.0), a: TriangleFeature::Face, b: TriangleFeature::Edge(0) }
    );
    assert_eq!(
        right,
        SectionPoint { position: v(2.0, 1.0, 0.0), a: TriangleFeature::Face, b: TriangleFeature::Edge(2) }
    );
}

#[test]
fn a_blade_across_two_edges_of_the_floor() {
    let blade = [v(-9.0, 1.0, -9.0), v(9.0, 1.0, -9.0), v(0.0, 1.0, 9.0)];
    let [left, right] = ends(section(&FLOOR, &blade));
    assert_eq!(
        left,
        SectionPoint { position: v(0.0, 1.0, 0.0), a: TriangleFeature::Edge(2), b: TriangleFeature::Face }
    );
    assert_eq!(
        right,
        SectionPoint { position: v(3.0, 1.0, 0.0), a: TriangleFeature::Edge(1), b: TriangleFeature::Face }
    );
}

#[test]
fn through_a_corner_and_along_an_edge() {
    // The plane x = y holds the corner at the origin and leaves through the middle of the long edge.
    let blade = [v(-9.0, -9.0, -9.0), v(9.0, 9.0, -9.0), v(0.0, 0.0, 9.0)];
    let [corner, far] = ends(section(&FLOOR, &blade));
    assert_eq!((corner.position, corner.a), (Vec3::ZERO, TriangleFeature::Vertex(0)));
    assert_eq!((far.position, far.a), (v(2.0, 2.0, 0.0), TriangleFeature::Edge(1)));
    // A wall that shares the whole first edge.
    let wall = [FLOOR[0], FLOOR[1], v(2.0, 0.0, 3.0)];
    let [p, q] = ends(section(&FLOOR, &wall));
    assert_eq!(p, SectionPoint { position: FLOOR[0], a: TriangleFeature::Vertex(0), b: TriangleFeature::Vertex(0) });
    assert_eq!(q, SectionPoint { position: FLOOR[1], a: TriangleFeature::Vertex(1), b: TriangleFeature::Vertex(1) });
}

#[test]
fn a_wall_through_the_floor_cuts_a_segment() {
    let wall = [v(1.0, 1.0, -1.0), v(1.0, 1.0, 3.0), v(1.0, -5.0, -1.0)];
    assert_eq!(triangle_relation(&FLOOR, &wall), TriangleRelation::Crossing);
    let Section::Segment(ends) = section(&FLOOR, &wall) else { panic!("no segment") };
    let mut ends = ends.to_vec();
    ends.sort_by(|p, q| p.position.y.total_cmp(&q.position.y));
    assert_eq!(
        ends[0],
        SectionPoint { position: v(1.0, 0.0, 0.0), a: TriangleFeature::Edge(0), b: TriangleFeature::Face }
    );
    assert_eq!(
        ends[1],
        SectionPoint { position: v(1.0, 1.0, 0.0), a: TriangleFeature::Face, b: TriangleFeature::Edge(0) }
    );
}

#[test]
fn a_corner_on_the_floor_is_a_point_and_touches() {
    let spike = [v(1.0, 1.0, 0.0), v(1.0, 1.0, 1.0), v(2.0, 1.0, 1.0)];
    let point = SectionPoint { position: v(1.0, 1.0, 0.0), a: TriangleFeature::Face, b: TriangleFeature::Vertex(0) };
    assert_eq!(section(&FLOOR, &spike), Section::Point(point));
    assert_eq!(triangle_relation(&FLOOR, &spike), TriangleRelation::Touching);
}

#[test]
fn a_shared_edge_is_a_segment_between_shared_corners() {
    let wall = [FLOOR[1], FLOOR[0], v(1.0, 0.0, 2.0)];
    let Section::Segment(ends) = section(&FLOOR, &wall) else { panic!("no segment") };
    let mut features = ends.map(|e| (e.a, e.b));
    features.sort_unstable();
    assert_eq!(
        features,
        [
            (TriangleFeature::Vertex(0), TriangleFeature::Vertex(1)),
            (TriangleFeature::Vertex(1), TriangleFeature::Vertex(0))
        ]
    );
    assert_eq!(triangle_relation(&FLOOR, &wall), TriangleRelation::Touching);
}

#[test]
fn coplanar_triangles_share_a_polygon() {
    let other = [v(1.0, 1.0, 0.0), v(5.0, 1.0, 0.0), v(1.0, 5.0, 0.0)];
    let Section::Coplanar(mut polygon) = section(&FLOOR, &other) else { panic!("no polygon") };
    polygon.sort_by(|p, q| p.to_array().partial_cmp(&q.to_array()).expect("finite"));
    assert_eq!(polygon, [v(1.0, 1.0, 0.0), v(1.0, 3.0, 0.0), v(3.0, 1.0, 0.0)]);
    assert_eq!(triangle_relation(&FLOOR, &other), TriangleRelation::Touching);
    let disjoint = [v(3.0, 3.0, 0.0), v(5.0, 1.0, 0.0), v(1.0, 5.0, 0.0)];
    assert_eq!(section(&FLOOR, &disjoint), Section::None);
}

#[test]
fn ends_on_an_edge_that_lies_in_the_others_plane_are_named_by_it() {
    // The wall's first edge lies on the floor: it begins inside and leaves through the long edge at (3, 1).
    let wall = [v(1.0, 1.0, 0.0), v(9.0, 1.0, 0.0), v(1.0, 1.0, 2.0)];
    let [inner, outer] = ends(section(&FLOOR, &wall));
    assert_eq!(
        inner,
        SectionPoint { position: v(1.0, 1.0, 0.0), a: TriangleFeature::Face, b: TriangleFeature::Vertex(0) }
    );
    assert_eq!(
        outer,
        SectionPoint { position: v(3.0, 1.0, 0.0), a: TriangleFeature::Edge(1), b: TriangleFeature::Edge(0) }
    );
    for (turn, edge) in [(1, 2), (2, 1)] {
        let turned = [wall[turn], wall[(turn + 1) % 3], wall[(turn + 2) % 3]];
        assert_eq!(ends(section(&FLOOR, &turned))[1].b, TriangleFeature::Edge(edge));
        assert_eq!(ends(section(&turned, &FLOOR))[1].a, TriangleFeature::Edge(edge));
    }
}

/// An exact check of what an end claims about one triangle: an inner point of it is on none of its edges.
fn assert_narrowest(end: SectionPoint, x: &Triangle, y: &Triangle) {
    if end.b == TriangleFeature::Face {
        let in_plane = y.iter().filter(|&&p| orient3d(x[0], x[1], x[2], p).is_zero()).count();
        assert!(in_plane < 2, "an edge lies in the plane, so no end is inside: {end:?} {x:?} {y:?}");
    }
    if let TriangleFeature::Vertex(k) = end.a {
        let corner = x[usize::from(k)];
        let on_edge = (0..3).find(|&e| point_on_segment(corner, y[e], y[(e + 1) % 3]));
        match end.b {
            TriangleFeature::Vertex(l) => assert_eq!(y[usize::from(l)], corner),
            TriangleFeature::Edge(e) => {
                assert!(!y.contains(&corner), "{end:?} {x:?} {y:?}");
                assert!(point_on_segment(corner, y[usize::from(e)], y[(usize::from(e) + 1) % 3]));
            }
            TriangleFeature::Face => assert_eq!(on_edge, None, "{end:?} {x:?} {y:?}"),
        }
    }
}

#[test]
fn a_power_of_two_scales_sections_without_changing_a_bit() {
    let mut random = Random::new(33);
    let mut seen = 0;
    for _ in 0..4000 {
        let mut corner = || Vec3::from_array([0.0; 3].map(|_: f64| random.between(-1.0, 1.0)));
        let x = [corner(), corner(), corner()];
        let mut y = [corner(), corner(), corner()];
        if seen % 4 == 0 {
            // In one plane, exactly.
            y = y.map(|p| v(p.x, p.y, 0.0));
        }
        let x = if seen % 4 == 0 { x.map(|p| v(p.x, p.y, 0.0)) } else { x };
        let plain = points(&section(&x, &y));
        seen += plain.len();
        for exponent in [-960, -500, -340, 340, 500, 1022, 1023] {
            let factor = f64::powi(2.0, exponent);
            let large = points(&section(&x.map(|p| p * factor), &y.map(|p| p * factor)));
            assert_eq!(large, plain.iter().map(|p| *p * factor).collect::<Vec<_>>(), "2^{exponent}: {x:?} {y:?}");
        }
    }
    assert!(seen > 1000, "{seen} points");
}

/// Every point of a section.
fn points(section: &Section) -> Vec<Vec3> {
    match section {
        Section::Coplanar(points) => points.clone(),
        other => listed(other).iter().map(|end| end.position).collect(),
    }
}

#[test]
fn a_hexagon_of_two_triangles_turned_against_each_other() {
    let star = [v(0.0, 2.0, 1.0), v(-3.0, -1.0, 1.0), v(3.0, -1.0, 1.0)];
    let upside = star.map(|p| v(p.x, -p.y, p.z));
    let Section::Coplanar(points) = section(&star, &upside) else { panic!("not coplanar") };
    assert_eq!(points.len(), 6);
    let area: Vec3 = (1..5).map(|k| (points[k] - points[0]).cross(points[k + 1] - points[0])).sum();
    // |y| ≤ 1 and |x| ≤ 2 − |y|: twice (1 + 2) half heights, a width of 4 in the middle, 2 at the ends.
    assert!((area.length() / 2.0 - 6.0).abs() < 1e-12, "in turn: {points:?}");
}

/// How far `p` is off the plane of `t` or outside one of its edges.
fn off(p: Vec3, t: &Triangle) -> f64 {
    let normal = (t[1] - t[0]).cross(t[2] - t[0]).normalize();
    let outside = |k: usize| -normal.cross((t[(k + 1) % 3] - t[k]).normalize()).dot(p - t[k]);
    [normal.dot(p - t[0]).abs(), outside(0), outside(1), outside(2)].into_iter().fold(0.0, f64::max)
}

fn distance_to_line(p: Vec3, a: Vec3, b: Vec3) -> f64 {
    (p - a).cross((b - a).normalize()).length()
}

/// The named feature holds the point: a corner to the last bit, an edge within rounding.
fn assert_feature(p: Vec3, feature: TriangleFeature, t: &Triangle, room: f64) {
    match feature {
        TriangleFeature::Vertex(k) => assert!(p.distance(t[usize::from(k)]) <= room, "{p} is not corner {k} of {t:?}"),
        TriangleFeature::Edge(k) => {
            let (a, b) = (t[usize::from(k)], t[(usize::from(k) + 1) % 3]);
            assert!(distance_to_line(p, a, b) <= room, "{p} is off edge {k} of {t:?}");
        }
        TriangleFeature::Face => {}
    }
}

fn listed(section: &Section) -> Vec<SectionPoint> {
    match section {
        Section::Point(end) => vec![*end],
        Section::Segment(ends) => ends.to_vec(),
        Section::None | Section::Coplanar(_) => Vec::new(),
    }
}

fn judge(x: &Triangle, y: &Triangle, room: f64) -> usize {
    let found = section(x, y);
    assert_eq!(found != Section::None, triangles_intersect(x, y), "{x:?} {y:?}");
    if let Section::Coplanar(points) = &found {
        for p in points {
            assert!(
                off(*p, x) <= room && off(*p, y) <= room,
                "{p} is off by {} {} of {x:?} {y:?}",
                off(*p, x),
                off(*p, y)
            );
        }
    }
    let ends = listed(&found);
    for end in &ends {
        let p = end.position;
        assert!(off(p, x) <= room && off(p, y) <= room, "{p} is off by {} {} of {x:?} {y:?}", off(p, x), off(p, y));
        assert_feature(p, end.a, x, room);
        assert_feature(p, end.b, y, room);
        assert!(end.a != TriangleFeature::Face || end.b != TriangleFeature::Face, "no end is inside both: {x:?} {y:?}");
        assert_narrowest(*end, x, y);
        assert_narrowest(SectionPoint { a: end.b, b: end.a, ..*end }, y, x);
    }
    // The other way round: the same ends on the same features.
    let mut swapped = listed(&section(y, x));
    assert_eq!(swapped.len(), ends.len(), "{x:?} {y:?}");
    swapped.iter_mut().for_each(|end| (end.a, end.b) = (end.b, end.a));
    for end in &ends {
        let same = swapped.iter().find(|s| s.a == end.a && s.b == end.b);
        let same = same.unwrap_or_else(|| panic!("{end:?} is missing from {swapped:?}: {x:?} {y:?}"));
        assert!(same.position.distance(end.position) <= room, "{x:?} {y:?}");
    }
    ends.len()
}

#[test]
fn ends_lie_on_both_triangles_whichever_comes_first() {
    let mut random = Random::new(31);
    let (mut points, mut segments) = (0, 0);
    for round in 0..60_000 {
        let mut corner = || match round % 3 {
            // Small whole numbers: every coincidence.
            0 => Vec3::from_array([0; 3].map(|_| random.whole(-2, 2) as f64)),
            1 => Vec3::from_array([0; 3].map(|_| random.whole(-9, 9) as f64)),
            _ => Vec3::from_array([0.0; 3].map(|_: f64| random.between(-1.0, 1.0))),
        };
        let (x, y) = ([corner(), corner(), corner()], [corner(), corner(), corner()]);
        if is_degenerate(&x) || is_degenerate(&y) {
            continue;
        }
        // Nearly parallel planes magnify rounding along their common line; these seeds have none below 1e-3.
        match judge(&x, &y, if round % 3 == 2 { 1e-9 } else { 1e-12 }) {
            1 => points += 1,
            2 => segments += 1,
            _ => {}
        }
    }
    assert!(points > 500 && segments > 5000, "{points} points, {segments} segments");
}

#[test]
fn the_same_edge_is_cut_at_the_same_bits_in_both_its_triangles() {
    let mut random = Random::new(32);
    let mut seen = 0;
    for _ in 0..3000 {
        let mut corner = || Vec3::from_array([0.0; 3].map(|_: f64| random.between(-1.0, 1.0)));
        let (a, b, c, d) = (corner(), corner(), corner(), corner());
        let plane = [corner() * 3.0, corner() * 3.0, corner() * 3.0];
        let cut = |t: &Triangle, edge: u8| {
            let ends = listed(&section(t, &plane));
            ends.iter().find(|e| e.a == TriangleFeature::Edge(edge)).map(|e| e.position)
        };
        let (one, other) = (cut(&[a, b, c], 0), cut(&[d, b, a], 1));
        assert_eq!(one.is_some(), other.is_some());
        assert_eq!(one, other);
        seen += usize::from(one.is_some());
    }
    assert!(seen > 100, "only {seen} cuts");
}

/// The distance from `p` to the feature of `t`, roughly: rounded projections.
fn distance(p: Vec3, t: &Triangle, feature: TriangleFeature) -> f64 {
    match feature {
        TriangleFeature::Vertex(k) => p.distance(t[usize::from(k)]),
        TriangleFeature::Edge(k) => {
            let (a, b) = (t[usize::from(k)], t[(usize::from(k) + 1) % 3]);
            let share = ((p - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
            p.distance(a + (b - a) * share)
        }
        TriangleFeature::Face => {
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
            assert_narrowest(*end, &x, &y);
            assert_narrowest(SectionPoint { a: end.b, b: end.a, ..*end }, &y, &x);
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
