//! Contours: known curves by length and shape, and against the sections of all pairs.

use heurt_geometry::{Pose, Section, Vec3, point_on_segment, section};
use heurt_mesh::{TriMesh, generate};
use heurt_query::{Polyline, contours, pairs};
use heurt_shape::MeshShape;
use heurt_testkit::number::random::Random;
use std::f64::consts::{PI, TAU};

fn shape(mesh: TriMesh) -> MeshShape {
    MeshShape::new(mesh).unwrap()
}

fn cube(half: f64) -> MeshShape {
    shape(generate::cuboid([half; 3]).unwrap())
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(Vec3::new(x, y, z)).unwrap()
}

fn length(curve: &Polyline) -> f64 {
    let open: f64 = curve.points.windows(2).map(|w| w[0].distance(w[1])).sum();
    let last = if curve.closed { curve.points[0].distance(*curve.points.last().unwrap()) } else { 0.0 };
    open + last
}

fn total(curves: &[Polyline]) -> f64 {
    curves.iter().map(length).sum()
}

/// Every segment of the curves as an unordered pair of positions.
fn segments(curves: &[Polyline]) -> Vec<[[u64; 3]; 2]> {
    let bits = |p: &Vec3| p.to_array().map(|x| (x + 0.0).to_bits());
    let mut all = Vec::new();
    for curve in curves {
        let count = curve.points.len();
        assert_eq!(curve.segments().count(), if curve.closed { count } else { count - 1 });
        for k in 0..if curve.closed { count } else { count - 1 } {
            let (p, q) = (bits(&curve.points[k]), bits(&curve.points[(k + 1) % count]));
            all.push([p.min(q), p.max(q)]);
        }
    }
    all.sort_unstable();
    all
}

#[track_caller]
fn assert_each_once(curves: &[Polyline]) {
    let all = segments(curves);
    let mut distinct = all.clone();
    distinct.dedup();
    assert_eq!(all.len(), distinct.len(), "a segment comes twice");
}

#[test]
fn cubes_that_overlap_at_a_corner_meet_in_one_loop() {
    let unit = cube(0.5);
    // The common part is a cube of edge 1/2; the surfaces meet along six of its twelve edges.
    let curves = contours(&unit, &Pose::IDENTITY, &unit, &at(0.5, 0.5, 0.5));
    assert_eq!(curves.len(), 1);
    assert!(curves[0].closed);
    assert!((length(&curves[0]) - 3.0).abs() < 1e-12, "{}", length(&curves[0]));
    assert_each_once(&curves);
    // Off the grid, so that no diagonal is hit at a corner.
    let curves = contours(&unit, &Pose::IDENTITY, &unit, &at(0.3, 0.45, 0.6));
    assert_eq!(curves.len(), 1);
    assert!(curves[0].closed);
    assert!((length(&curves[0]) - 2.0 * (0.7 + 0.55 + 0.4)).abs() < 1e-12);
}

#[test]
fn a_plate_through_a_sphere_makes_two_circles() {
    let sphere = shape(generate::icosphere(1.0, 4).unwrap());
    let plate = shape(generate::cuboid([2.0, 2.0, 0.01]).unwrap());
    for height in [0.0, 0.3, 0.6003] {
        let mut curves = contours(&sphere, &Pose::IDENTITY, &plate, &at(0.0, 0.0, height));
        assert_eq!(curves.len(), 2, "height {height}");
        curves.sort_by(|p, q| p.points[0].z.partial_cmp(&q.points[0].z).unwrap());
        for (curve, z) in curves.iter().zip([height - 0.01, height + 0.01]) {
            assert!(curve.closed);
            let circle = TAU * (1.0 - z * z).sqrt();
            assert!(length(curve) < circle && length(curve) > 0.99 * circle, "{} for {circle}", length(curve));
            assert!(curve.points.iter().all(|p| (p.z - z).abs() < 1e-12), "in the plane of the face");
        }
        assert_each_once(&curves);
    }
}

#[test]
fn a_plane_through_the_vertices_of_a_sphere_is_followed_along_its_edges() {
    // Octahedron subdivisions have corners and whole edges exactly at z = 0; the face of the box is there too.
    let sphere = shape(generate::subdivided(&generate::octahedron(1.0).unwrap(), 3).unwrap());
    let below = shape(generate::cuboid([2.0, 2.0, 0.25]).unwrap());
    let curves = contours(&sphere, &Pose::IDENTITY, &below, &at(0.1, 0.05, -0.25));
    let equator: Vec<_> = curves.iter().filter(|c| c.points.iter().all(|p| p.z == 0.0)).collect();
    assert_eq!(equator.len(), 1, "one loop, not one per side");
    assert!(equator[0].closed);
    assert!((length(equator[0]) - 4.0 * 2f64.sqrt()).abs() < 1e-9, "{}", length(equator[0]));
    assert_each_once(&curves);
}

#[test]
fn an_edge_lying_in_a_face_is_one_curve() {
    // A tent whose ridge lies in the top of a box, crossing the diagonal of that face.
    let ridge =
        vec![Vec3::new(-0.5, 0.1, 0.0), Vec3::new(0.5, 0.2, 0.0), Vec3::new(0.0, -0.3, 1.0), Vec3::new(0.0, 0.4, 1.0)];
    let tent = shape(TriMesh::new(ridge, vec![[0, 1, 2], [1, 0, 3]]).unwrap());
    let block = cube(1.0);
    let curves = contours(&tent, &Pose::IDENTITY, &block, &at(0.0, 0.0, -1.0));
    assert_eq!(curves.len(), 1, "{curves:?}");
    assert!(!curves[0].closed);
    assert!((length(&curves[0]) - 1.01f64.sqrt()).abs() < 1e-12, "{}", length(&curves[0]));
}

#[test]
fn a_torus_in_a_plate_leaves_two_loops_on_each_face() {
    let torus = shape(generate::torus(2.0, 0.5, 96, 48).unwrap());
    let plate = shape(generate::cuboid([4.0, 4.0, 0.1]).unwrap());
    for axis_turn in [0.0, 0.3] {
        let (sin, cos) = (axis_turn / 2.0f64).sin_cos();
        let pose = Pose::from_quaternion([sin, 0.0, 0.0, cos], Vec3::ZERO).unwrap();
        let curves = contours(&torus, &pose, &plate, &Pose::IDENTITY);
        if axis_turn == 0.0 {
            assert_eq!(curves.len(), 4);
            let reach = (0.25f64 - 0.01).sqrt();
            let expected = 2.0 * TAU * ((2.0 + reach) + (2.0 - reach));
            assert!((total(&curves) / expected - 1.0).abs() < 0.01, "{} for {expected}", total(&curves));
        }
        assert!(!curves.is_empty() && curves.iter().all(|c| c.closed));
        assert_each_once(&curves);
    }
    // Stood upright: the plate cuts both legs, once per face.
    let half = PI / 4.0;
    let upright = Pose::from_quaternion([half.sin(), 0.0, 0.0, half.cos()], Vec3::new(0.0, 0.0, 0.013)).unwrap();
    let curves = contours(&torus, &upright, &plate, &Pose::IDENTITY);
    assert_eq!(curves.len(), 4);
    assert!(curves.iter().all(|c| c.closed));
}

#[test]
fn two_loops_of_a_torus_cut_by_one_face() {
    let torus = shape(generate::torus(2.0, 0.5, 64, 32).unwrap());
    let block = shape(generate::cuboid([4.0, 4.0, 2.0]).unwrap());
    let curves = contours(&torus, &Pose::IDENTITY, &block, &at(0.0, 0.0, 2.1));
    assert_eq!(curves.len(), 2, "inner and outer");
    assert!(curves.iter().all(|c| c.closed));
    let reach = (0.25f64 - 0.01).sqrt();
    let mut lengths: Vec<f64> = curves.iter().map(length).collect();
    lengths.sort_by(|p, q| p.partial_cmp(q).unwrap());
    for (found, radius) in lengths.iter().zip([2.0 - reach, 2.0 + reach]) {
        assert!((found / (TAU * radius) - 1.0).abs() < 0.01, "{found} for radius {radius}");
    }
}

#[test]
fn stacked_cubes_give_the_outlines_of_their_common_face() {
    let unit = cube(0.5);
    let curves = contours(&unit, &Pose::IDENTITY, &unit, &at(0.0, 0.0, 1.0));
    let outlines: Vec<_> = curves.iter().filter(|c| c.closed && c.points.iter().all(|p| p.z == 0.5)).collect();
    assert!(!outlines.is_empty());
    let area: f64 = outlines.iter().filter(|c| length(c) < 3.999).map(|c| area(c)).sum();
    assert!((area - 1.0).abs() < 1e-12, "the polygons of the pairs of triangles tile the face: {area}");
    assert!(curves.iter().all(|c| c.points.len() > 1), "nothing else touches at a point: {curves:?}");
}

/// The area of a plane polygon.
fn area(curve: &Polyline) -> f64 {
    let p = &curve.points;
    (1..p.len() - 1).map(|k| (p[k] - p[0]).cross(p[k + 1] - p[0])).sum::<Vec3>().length() / 2.0
}

#[test]
fn cubes_that_share_a_corner_give_one_point() {
    let unit = cube(0.5);
    let curves = contours(&unit, &Pose::IDENTITY, &unit, &at(1.0, 1.0, 1.0));
    assert_eq!(curves, [Polyline { points: vec![Vec3::splat(0.5)], closed: false }]);
    // Tip to tip, where no two faces share a plane.
    let tip = shape(generate::octahedron(1.0).unwrap());
    let curves = contours(&tip, &Pose::IDENTITY, &tip, &at(0.0, 0.0, 2.0));
    assert_eq!(curves, [Polyline { points: vec![Vec3::Z], closed: false }]);
}

#[test]
fn cubes_that_share_an_edge_give_that_edge() {
    let unit = cube(0.5);
    let curves = contours(&unit, &Pose::IDENTITY, &unit, &at(1.0, 1.0, 0.0));
    assert_eq!(curves.len(), 1, "{curves:?}");
    assert!((length(&curves[0]) - 1.0).abs() < 1e-15);
    let slid = contours(&unit, &Pose::IDENTITY, &unit, &at(1.0, 1.0, 0.25));
    assert_eq!(slid.len(), 1, "{slid:?}");
    assert!((length(&slid[0]) - 0.75).abs() < 1e-15);
}

#[test]
fn apart_and_contained_shapes_have_no_contour() {
    assert_eq!(contours(&cube(1.0), &Pose::IDENTITY, &cube(1.0), &at(2.0000001, 0.0, 0.0)), []);
    assert_eq!(contours(&cube(1.0), &Pose::IDENTITY, &cube(0.5), &Pose::IDENTITY), []);
}

/// Closed surfaces in general position cross in closed curves, as long as the sections of all pairs together.
#[test]
fn in_general_position_all_curves_close_and_nothing_is_lost() {
    let shapes = [
        shape(generate::icosphere(1.0, 2).unwrap()),
        shape(generate::gear(8, 0.2, 0.35, 0.0, 0.3, 0.4, 2).unwrap()),
        shape(generate::supertoroid(1.0, 0.4, 0.6, 1.4, 20).unwrap()),
        cube(0.6),
    ];
    let mut random = Random::new(4);
    let mut seen = 0;
    for round in 0..60 {
        let (a, b) = (&shapes[round % 4], &shapes[(round / 4) % 4]);
        let (pose_a, pose_b) = (random.pose(0.4), random.pose(0.4));
        let curves = contours(a, &pose_a, b, &pose_b);
        assert!(curves.iter().all(|c| c.closed && c.points.len() > 2), "round {round}");
        assert_each_once(&curves);
        let expected: f64 = pairs(a, &pose_a, b, &pose_b)
            .iter()
            .map(|[i, j]| {
                let (x, y) =
                    (a.mesh().corners(*i).map(|p| pose_a.place(p)), b.mesh().corners(*j).map(|p| pose_b.place(p)));
                match section(&x, &y) {
                    Section::Segment([p, q]) => p.position.distance(q.position),
                    other => panic!("round {round}: not in general position: {other:?}"),
                }
            })
            .sum();
        assert!((total(&curves) - expected).abs() <= 1e-9 * (1.0 + expected), "round {round}");
        let swapped = contours(b, &pose_b, a, &pose_a);
        assert_eq!(swapped.len(), curves.len(), "round {round}, swapped");
        assert!((total(&swapped) - total(&curves)).abs() <= 1e-9 * (1.0 + expected));
        assert_eq!(contours(a, &pose_a, b, &pose_b), curves, "the same bits again");
        seen += curves.len();
    }
    assert!(seen > 30, "only {seen} curves");
}

/// Small whole halves, quarter steps: every coincidence, and no rounding anywhere.
#[test]
fn coincidences_on_a_grid_are_the_same_either_way_round() {
    let shapes = [
        cube(0.5),
        cube(1.0),
        shape(generate::cuboid([0.5, 1.0, 0.25]).unwrap()),
        shape(generate::octahedron(1.0).unwrap()),
        shape(generate::octahedron(0.5).unwrap()),
    ];
    let mut random = Random::new(6);
    let (mut isolated, mut seen) = (0, 0);
    for round in 0..2000 {
        let mut pick = || &shapes[random.whole(0, 4) as usize];
        let (a, b) = (pick(), pick());
        let mut step = || random.whole(-8, 8) as f64 * 0.25;
        let (pose_a, pose_b) = (Pose::IDENTITY, at(step(), step(), step()));
        let (curves, swapped) = (contours(a, &pose_a, b, &pose_b), contours(b, &pose_b, a, &pose_a));
        assert_eq!(curves.is_empty(), pairs(a, &pose_a, b, &pose_b).is_empty(), "round {round}");
        let difference = (total(&curves) - total(&swapped)).abs();
        assert!(difference < 1e-9, "round {round}: {} and {}", total(&curves), total(&swapped));
        let points = curves.iter().filter(|c| c.points.len() == 1);
        for point in points {
            let on_other = segments(&curves).iter().any(|s| {
                let [p, q] = s.map(|end| Vec3::from_array(end.map(f64::from_bits)));
                p != q && point_on_segment(point.points[0], p, q)
            });
            assert!(!on_other, "round {round}: {} is no isolated point of {curves:?}", point.points[0]);
            isolated += 1;
        }
        seen += curves.len();
    }
    assert!(seen > 500 && isolated > 5, "{seen} curves, {isolated} points");
}

#[test]
fn unwelded_corners_count_as_one() {
    let welded = cube(0.5);
    let corners: Vec<Vec3> = (0..12).flat_map(|t| welded.mesh().corners(t)).collect();
    let soup = shape(TriMesh::new(corners, (0..12).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect()).unwrap());
    let pose = at(0.3, 0.45, 0.6);
    let expected = contours(&welded, &Pose::IDENTITY, &welded, &pose);
    assert_eq!(contours(&soup, &Pose::IDENTITY, &soup, &pose), expected);
}

#[test]
fn degenerate_triangles_and_far_offsets_do_no_harm() {
    let needles = TriMesh::new(
        vec![Vec3::new(0.0, 0.0, -1.0), Vec3::new(0.1, 0.1, 1.0), Vec3::new(0.2, 0.2, 3.0), Vec3::X],
        vec![[0, 1, 2], [3, 3, 3], [0, 2, 0]],
    );
    let curves = contours(&shape(needles.unwrap()), &Pose::IDENTITY, &cube(0.5), &Pose::IDENTITY);
    assert!(curves.iter().flat_map(|c| &c.points).all(|p| p.is_finite()));
    assert!(!curves.is_empty());
    let unit = cube(0.5);
    let offset = Vec3::new(1e6, -2e6, 3e6);
    let shift = Pose::from_translation(offset).unwrap();
    let curves = contours(&unit, &shift, &unit, &Pose::from_translation(offset + Vec3::splat(0.5)).unwrap());
    assert_eq!(curves.len(), 1);
    assert!((length(&curves[0]) - 3.0).abs() < 1e-8);
}
