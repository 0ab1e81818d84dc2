//! `contact_kind`: boxes whose relation is known by construction, sheets, and parts that hang together.

use heurt_geometry::{Pose, Vec3};
use heurt_mesh::{TriMesh, generate};
use heurt_query::{ContactKind, Side, contact_kind, contact_kind_of, pairs};
use heurt_shape::MeshShape;

fn shape(mesh: TriMesh) -> MeshShape {
    MeshShape::new(mesh).unwrap()
}

/// A box from `min` to `max`.
fn block(min: [f64; 3], max: [f64; 3]) -> TriMesh {
    let (min, max) = (Vec3::from_array(min), Vec3::from_array(max));
    let (vertices, triangles) = generate::cuboid([0.5, 0.5, 0.5]).unwrap().into_parts();
    let place = |v: Vec3| Vec3::select(v.cmplt(Vec3::ZERO), min, max);
    TriMesh::new(vertices.into_iter().map(place).collect(), triangles).unwrap()
}

fn joined(one: &TriMesh, other: &TriMesh) -> TriMesh {
    let base = one.vertices().len() as u32;
    let vertices = [one.vertices(), other.vertices()].concat();
    let moved = other.triangles().iter().map(|corners| corners.map(|corner| corner + base));
    TriMesh::new(vertices, one.triangles().iter().copied().chain(moved).collect()).unwrap()
}

/// Asks both ways round, under no pose and under one that moves both exactly.
fn kind(a: &MeshShape, b: &MeshShape) -> ContactKind {
    let found = contact_kind(a, &Pose::IDENTITY, b, &Pose::IDENTITY);
    let turn = Pose::from_quaternion([0.0, 0.0, 1.0, 0.0], Vec3::ZERO).unwrap();
    assert_eq!(contact_kind(a, &turn, b, &turn), found, "turned");
    let swapped = match contact_kind(b, &Pose::IDENTITY, a, &Pose::IDENTITY) {
        ContactKind::Contained { inner: Side::A } => ContactKind::Contained { inner: Side::B },
        ContactKind::Contained { inner: Side::B } => ContactKind::Contained { inner: Side::A },
        other => other,
    };
    assert_eq!(swapped, found, "swapped");
    let meeting = pairs(a, &Pose::IDENTITY, b, &Pose::IDENTITY);
    assert_eq!(contact_kind_of(a, &Pose::IDENTITY, b, &Pose::IDENTITY, &meeting), found, "with the pairs at hand");
    found
}

#[test]
fn boxes_of_known_relation() {
    let unit = shape(block([0.0; 3], [1.0; 3]));
    let up = |x: f64| x.next_up();
    let cases = [
        ([up(1.0), 0.0, 0.0], [2.0, 1.0, 1.0], ContactKind::Disjoint),
        // A face, a part of a face, an edge, a corner; the whole side of a larger one.
        ([1.0, 0.0, 0.0], [2.0, 1.0, 1.0], ContactKind::Touching),
        ([1.0, 0.25, 0.25], [2.0, 0.75, 0.75], ContactKind::Touching),
        ([1.0, 1.0, 0.0], [2.0, 2.0, 1.0], ContactKind::Touching),
        ([1.0, 1.0, 1.0], [2.0, 2.0, 2.0], ContactKind::Touching),
        ([1.0, -1.0, -1.0], [2.0, 2.0, 2.0], ContactKind::Touching),
        // Flush from inside, the same box, one ulp too near, through and through.
        ([0.0, 0.25, 0.25], [0.5, 0.75, 0.75], ContactKind::Crossing),
        ([0.0, 0.0, 0.0], [1.0, 1.0, 1.0], ContactKind::Crossing),
        ([1.0_f64.next_down(), 0.0, 0.0], [2.0, 1.0, 1.0], ContactKind::Crossing),
        ([1.0_f64.next_down(), 0.25, 0.25], [2.0, 0.75, 0.75], ContactKind::Crossing),
        ([0.25, 0.25, -1.0], [0.75, 0.75, 2.0], ContactKind::Crossing),
        ([0.25, 0.25, 0.25], [0.75, 0.75, 0.75], ContactKind::Contained { inner: Side::B }),
        ([-1.0, -1.0, -1.0], [2.0, 2.0, 2.0], ContactKind::Contained { inner: Side::A }),
    ];
    for (min, max, expected) in cases {
        assert_eq!(kind(&unit, &shape(block(min, max))), expected, "{min:?} {max:?}");
    }
}

#[test]
fn solids_turned_inside_out_are_solids_all_the_same() {
    let inverted = |mesh: TriMesh| {
        let (vertices, triangles) = mesh.into_parts();
        shape(TriMesh::new(vertices, triangles.into_iter().map(|[a, b, c]| [a, c, b]).collect()).unwrap())
    };
    let unit = shape(block([0.0; 3], [1.0; 3]));
    let beside = block([1.0, 0.25, 0.25], [2.0, 0.75, 0.75]);
    let flush = block([0.0, 0.25, 0.25], [0.5, 0.75, 0.75]);
    assert_eq!(kind(&unit, &inverted(beside.clone())), ContactKind::Touching);
    assert_eq!(kind(&unit, &inverted(flush.clone())), ContactKind::Crossing);
    let unit = inverted(block([0.0; 3], [1.0; 3]));
    assert_eq!(kind(&unit, &inverted(beside)), ContactKind::Touching);
    assert_eq!(kind(&unit, &inverted(flush)), ContactKind::Crossing);
}

#[test]
fn a_corner_on_a_face_touches_from_outside_and_crosses_from_inside() {
    let unit = shape(block([0.0; 3], [1.0; 3]));
    let spike = |height: f64| {
        let base = [[0.25, 0.25], [0.75, 0.25], [0.5, 0.75]].map(|[x, y]| Vec3::new(x, y, 1.0 + height));
        let corners = vec![Vec3::new(0.5, 0.4, 1.0), base[0], base[1], base[2]];
        let triangles = if height > 0.0 {
            vec![[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]]
        } else {
            vec![[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]]
        };
        shape(TriMesh::new(corners, triangles).unwrap())
    };
    assert!(spike(0.5).is_solid() && spike(-0.5).is_solid());
    assert_eq!(kind(&unit, &spike(0.5)), ContactKind::Touching);
    assert_eq!(kind(&unit, &spike(-0.5)), ContactKind::Crossing);
}

#[test]
fn a_part_of_a_shape_that_lies_inside_makes_a_touching_shape_cross() {
    let unit = shape(block([0.0; 3], [1.0; 3]));
    let beside = block([1.0, 0.0, 0.0], [2.0, 1.0, 1.0]);
    let within = block([0.25; 3], [0.75; 3]);
    assert_eq!(kind(&unit, &shape(beside.clone())), ContactKind::Touching);
    assert_eq!(kind(&unit, &shape(joined(&beside, &within))), ContactKind::Crossing);
    let hollow = shape(block([0.0; 3], [1.0; 3])).with_solid(false).unwrap();
    assert_eq!(
        kind(&hollow, &shape(joined(&beside, &within))),
        ContactKind::Touching,
        "nothing lies in what is hollow"
    );
}

#[test]
fn sheets_touch_or_pass_through() {
    let sheet = |z: f64| {
        let corners = [[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]].map(|[x, y]| Vec3::new(x, y, z));
        shape(TriMesh::new(corners.to_vec(), vec![[0, 1, 2]]).unwrap())
    };
    let upright = TriMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Z], vec![[0, 1, 2]]).unwrap();
    let upright = shape(upright);
    assert_eq!(kind(&sheet(0.0), &upright), ContactKind::Touching, "stands on it");
    assert_eq!(kind(&sheet(0.5), &upright), ContactKind::Crossing);
    assert_eq!(kind(&sheet(2.0), &upright), ContactKind::Disjoint);
    assert_eq!(kind(&sheet(0.0), &sheet(0.0)), ContactKind::Touching, "sheets have no inside");
    let unit = shape(block([0.0; 3], [1.0; 3]));
    assert_eq!(kind(&sheet(1.0), &unit), ContactKind::Touching);
    assert_eq!(kind(&sheet(0.5), &unit), ContactKind::Crossing);
}
