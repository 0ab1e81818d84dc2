//! The demonstration assembly and the clash field interfere exactly where they say, by brute force.

use crate::generate_support::audit;
use heurt_geometry::{Aabb, Vec3};
use heurt_mesh::TriMesh;
use heurt_mesh::generate::{self, Assembly, GenerateError, Relation};

/// A part's triangles in the world.
struct Placed {
    triangles: Vec<[Vec3; 3]>,
    low: Vec3,
    high: Vec3,
}

fn place(assembly: &Assembly) -> Vec<Placed> {
    let one = |part: &generate::Part| {
        let mesh = &assembly.meshes[part.mesh];
        let triangles: Vec<_> =
            (0..mesh.triangles().len()).map(|i| mesh.corners(i as u32).map(|p| part.pose.place(p))).collect();
        let (low, high) = bounds(triangles.iter().flatten().copied());
        Placed { triangles, low, high }
    };
    assembly.parts.iter().map(one).collect()
}

fn bounds(points: impl Iterator<Item = Vec3>) -> (Vec3, Vec3) {
    points.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)))
}

fn boxes_meet(a: (Vec3, Vec3), b: (Vec3, Vec3)) -> bool {
    a.0.cmple(b.1).all() && b.0.cmple(a.1).all()
}

/// Tells whether the segment pq goes through the triangle, properly (floating point: for clear cases only).
fn pierces(p: Vec3, q: Vec3, [a, b, c]: [Vec3; 3]) -> bool {
    let side = |a: Vec3, b: Vec3, c: Vec3, d: Vec3| (b - a).cross(c - a).dot(d - a);
    if side(a, b, c, p) * side(a, b, c, q) >= 0.0 {
        return false;
    }
    let turns = [side(p, q, a, b), side(p, q, b, c), side(p, q, c, a)];
    turns.iter().all(|&t| t > 0.0) || turns.iter().all(|&t| t < 0.0)
}

fn surfaces_cross(a: &Placed, b: &Placed) -> bool {
    let near = |from: &Placed, to: &Placed| -> Vec<[Vec3; 3]> {
        let close = |t: &&[Vec3; 3]| boxes_meet(bounds(t.iter().copied()), (to.low, to.high));
        from.triangles.iter().filter(close).copied().collect()
    };
    let (of_a, of_b) = (near(a, b), near(b, a));
    let boxes: Vec<_> = of_b.iter().map(|t| bounds(t.iter().copied())).collect();
    of_a.iter().any(|&s| {
        let reach = bounds(s.iter().copied());
        of_b.iter().zip(&boxes).any(|(&t, &other)| {
            let edges = |t: [Vec3; 3]| [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])];
            boxes_meet(reach, other)
                && (edges(s).iter().any(|&(p, q)| pierces(p, q, t)) || edges(t).iter().any(|&(p, q)| pierces(p, q, s)))
        })
    })
}

/// Tells whether a point is inside by the solid angle of all triangles, 4π inside and 0 outside.
fn is_inside(point: Vec3, solid: &Placed) -> bool {
    if !boxes_meet((point, point), (solid.low, solid.high)) {
        return false;
    }
    let angle = |t: &[Vec3; 3]| {
        let [a, b, c] = t.map(|v| v - point);
        let (la, lb, lc) = (a.length(), b.length(), c.length());
        2.0 * a.dot(b.cross(c)).atan2(la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb)
    };
    solid.triangles.iter().map(angle).sum::<f64>() > std::f64::consts::TAU
}

/// Compares every pair of parts with what the assembly says of it.
fn verify(assembly: &Assembly) {
    for mesh in &assembly.meshes {
        assert!(audit(mesh).is_ok());
    }
    let mut names: Vec<_> = assembly.parts.iter().map(|part| &part.name).collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), assembly.parts.len(), "names are unique");
    assert!(assembly.interferences.is_sorted() && assembly.interferences.iter().all(|i| i.a < i.b));
    let placed = place(assembly);
    for a in 0..placed.len() {
        for b in a + 1..placed.len() {
            let (one, other) = (&placed[a], &placed[b]);
            let said = assembly.interferences.iter().find(|i| (i.a, i.b) == (a, b)).map(|i| i.relation);
            if !boxes_meet((one.low, one.high), (other.low, other.high)) {
                assert_eq!(said, None);
                continue;
            }
            let contained = |x: usize, y: usize| is_inside(placed[x].triangles[0][0], &placed[y]);
            let found = if said == Some(Relation::Touching) {
                assert!(touch_in_a_plane(one, other));
                said
            } else if surfaces_cross(one, other) {
                Some(Relation::Crossing)
            } else if contained(a, b) {
                Some(Relation::Contained { inner: a })
            } else if contained(b, a) {
                Some(Relation::Contained { inner: b })
            } else {
                None
            };
            assert_eq!(said, found, "{} and {}", assembly.parts[a].name, assembly.parts[b].name);
        }
    }
}

/// The one lies on top of the other: highest and lowest z are the same bits.
fn touch_in_a_plane(one: &Placed, other: &Placed) -> bool {
    one.high.z == other.low.z || other.high.z == one.low.z
}

#[test]
fn demo_assembly_interferes_where_it_says() {
    let demo = generate::demo_assembly().unwrap();
    assert_eq!((demo.parts.len(), demo.meshes.len()), (26, 14));
    let names: Vec<_> = demo
        .interferences
        .iter()
        .map(|i| (demo.parts[i.a].name.as_str(), demo.parts[i.b].name.as_str(), i.relation))
        .collect();
    let inner = demo.parts.iter().position(|part| part.name == "dowel pin").unwrap();
    assert_eq!(
        names,
        [
            ("base plate", "bolt M10 rear right", Relation::Crossing),
            ("base plate", "washer M8 on plate", Relation::Touching),
            ("bracket rear right", "bolt M10 rear right", Relation::Crossing),
            ("wheel 30 teeth", "pinion 22 teeth", Relation::Crossing),
            ("block", "dowel pin", Relation::Contained { inner }),
        ]
    );
    verify(&demo);
}

#[test]
fn brute_force_sees_a_moved_part() {
    // The check above can fail: without backlash the second pair of gears would clash too.
    let mut demo = generate::demo_assembly().unwrap();
    let [free, wheel] = ["gear 26 teeth rear", "wheel 30 teeth"]
        .map(|name| demo.parts.iter().position(|part| part.name == name).unwrap());
    demo.parts[free].mesh = demo.parts[wheel].mesh;
    let placed = place(&demo);
    assert!(surfaces_cross(&placed[free], &placed[free - 1]));
}

#[test]
fn clash_field_interferes_where_it_says() {
    for (parts, triangles, seed) in [(1, 48, 0), (7, 1000, 1), (8, 384, 2), (41, 8000, 3), (100, 20_000, 4)] {
        let field = generate::clash_field(parts, triangles, seed).unwrap();
        assert_eq!(field.parts.len(), parts as usize);
        verify(&field);
        let largest = field.meshes.iter().map(|mesh| mesh.triangles().len()).max().unwrap();
        assert!(field.triangles().abs_diff(triangles as usize) <= largest);
    }
}

#[test]
fn clash_field_of_a_thousand_parts_has_its_counts() {
    let field = generate::clash_field(1000, 500_000, 7).unwrap();
    let crossing = field.interferences.iter().filter(|i| i.relation == Relation::Crossing).count();
    assert_eq!((field.parts.len(), crossing, field.interferences.len() - crossing), (1000, 750, 125));
    assert!(field.triangles().abs_diff(500_000) < 1000, "{}", field.triangles());
    assert_eq!(field, generate::clash_field(1000, 500_000, 7).unwrap(), "same seed, same field");
    assert_ne!(field, generate::clash_field(1000, 500_000, 8).unwrap(), "another seed, another field");
    // Cells do not reach into each other: boxes of parts in different clusters are apart.
    let boxes: Vec<Aabb> = field.parts.iter().map(|part| world_box(&field.meshes[part.mesh], part)).collect();
    for (a, one) in boxes.iter().enumerate() {
        for (b, other) in boxes.iter().enumerate().skip(8 * (a / 8 + 1)) {
            assert!(!boxes_meet((one.min, one.max), (other.min, other.max)), "{a} {b}");
        }
    }
}

fn world_box(mesh: &TriMesh, part: &generate::Part) -> Aabb {
    Aabb::from_points(mesh.vertices().iter().map(|&v| part.pose.place(v)))
}

#[test]
fn clash_field_refuses_what_it_cannot_make() {
    for (parts, triangles) in [(0, 1000), (10, 479), (1, 0), (u32::MAX, 1000)] {
        assert!(matches!(generate::clash_field(parts, triangles, 0), Err(GenerateError::Parameter { .. })));
    }
    assert!(matches!(generate::clash_field(1, 1 << 29, 0), Err(GenerateError::TooManyTriangles { .. })));
}
