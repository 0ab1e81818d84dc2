//! Rays against coincident faces: one leaf is seen, no sliver is left.

use heurt_geometry::{Mat3, Pose, Vec3};
use heurt_mesh::generate;
use heurt_query::Ray;
use heurt_shape::{Convex, MeshShape};
use heurt_solid::{Affine, Csg, CsgNode, CsgQuery, HalfSpace, HalfSpaceIntersection, Quadric, QuadricIntersection};
use heurt_testkit::number::random::Random;

/// Longer than every sliver of rounding, shorter than the chords of nearly all random rays.
const SLIVER: f64 = 1e-9;

fn shifted(tree: Csg, by: Vec3) -> Csg {
    tree.transformed(Pose::from_translation(by).unwrap().into())
}

fn scaled(tree: Csg, by: Vec3) -> Csg {
    tree.transformed(Affine::new(Mat3::from_diagonal(by), Vec3::ZERO).unwrap())
}

fn planes(half: f64) -> Vec<HalfSpace> {
    let axes = [Vec3::X, Vec3::Y, Vec3::Z];
    axes.into_iter().flat_map(|axis| [axis, -axis].map(|normal| HalfSpace::new(normal, -half).unwrap())).collect()
}

/// The cube [−0.3, 0.3]³ by leaves of several kinds and by chains of maps that round differently.
fn cubes() -> Vec<Csg> {
    let cuboid = |half: f64| Csg::shape(Convex::cuboid(Vec3::splat(half)).unwrap());
    let mesh = |half: f64| Csg::shape(MeshShape::new(generate::cuboid([half; 3]).unwrap()).unwrap());
    let corners: Vec<Vec3> =
        (0..8).map(|k| Vec3::from_array([0, 1, 2].map(|a| 0.3 - 0.6 * f64::from(k >> a & 1)))).collect();
    let tenth = Vec3::splat(0.1);
    vec![
        cuboid(0.3),
        scaled(cuboid(3.0), tenth),
        shifted(shifted(shifted(cuboid(0.3), tenth), tenth * 2.0), tenth * -3.0),
        mesh(0.3),
        scaled(mesh(0.1), Vec3::new(-3.0, 3.0, 3.0)),
        Csg::shape(Convex::hull(&corners).unwrap()),
        Csg::half_spaces(&HalfSpaceIntersection::new(planes(0.3))),
        shifted(Csg::half_spaces(&HalfSpaceIntersection::new(planes(0.3))), Vec3::ZERO),
    ]
}

/// The cylinder of radius 0.3 and half height 0.3 along z.
fn cylinders() -> Vec<Csg> {
    let cylinder = |size: f64| Csg::shape(Convex::cylinder(size, size).unwrap());
    let tube = QuadricIntersection::new(planes(0.3)[4..].to_vec(), vec![Quadric::cylinder(0.3).unwrap()]);
    vec![cylinder(0.3), scaled(cylinder(3.0), Vec3::splat(0.1)), Csg::region(tube)]
}

fn leaves(query: &CsgQuery) -> Vec<u32> {
    let nodes = query.tree().nodes().enumerate();
    nodes.filter(|(_, node)| matches!(node, CsgNode::Leaf(_))).map(|(index, _)| index as u32).collect()
}

/// Casts rays of two solids of the same points: unions show the first leaf, differences are empty.
fn check(solids: &[Csg], random: &mut Random) {
    let mut hits = 0;
    for (i, a) in solids.iter().enumerate() {
        for (j, b) in solids.iter().enumerate() {
            let pose: Affine = random.pose(2.0).into();
            let placed = |tree: Csg| CsgQuery::new(&tree.transformed(pose));
            let united = placed(a.clone().union(b.clone()));
            let rest = placed(a.clone().difference(b.clone()));
            for _ in 0..60 {
                let inside = pose.image(random.vector(0.3));
                let from = random.vector(1.0).normalize_or_zero() * 10.0;
                let ray = Ray::new(from, inside - from, f64::INFINITY).unwrap();
                let Some(hit) = united.first_hit(&ray) else { continue };
                assert_eq!(hit.leaf, Some(leaves(&united)[0]), "{i} {j} {ray:?}");
                let left: Vec<_> = rest.ray_intervals(&ray).intervals().collect();
                assert!(left.is_empty(), "{i} {j} {left:?} {ray:?}");
                hits += 1;
            }
        }
    }
    assert!(hits > 50 * solids.len() * solids.len(), "{hits}");
}

#[test]
fn the_first_leaf_is_seen_on_faces_in_common() {
    check(&cubes(), &mut Random::new(81));
    check(&cylinders(), &mut Random::new(82));
}

#[test]
fn flush_differences_leave_no_slivers() {
    let (mut random, mut short) = (Random::new(83), 0);
    for a in cubes() {
        for b in cubes() {
            // The tool is flush with four faces of the block, and ends within it.
            let tree = a.clone().difference(shifted(scaled(b, Vec3::new(1.0, 1.0, 0.5)), Vec3::Z * 0.15));
            let pose: Affine = random.pose(2.0).into();
            let query = CsgQuery::new(&tree.transformed(pose));
            for _ in 0..60 {
                // A point of a face that the tool removes.
                let [x, z] = [random.between(-0.3, 0.3), random.between(0.01, 0.29)];
                let at = pose.image(Vec3::new(x, -0.3, z));
                let from = pose.image(Vec3::new(random.between(-5.0, 5.0), -9.0, random.between(-5.0, 5.0)));
                let ray = Ray::new(from, at - from, f64::INFINITY).unwrap();
                let hit = query.first_hit(&ray);
                assert!(hit.is_none_or(|hit| hit.t > 1.0 + SLIVER), "{hit:?}");
                short += query.ray_intervals(&ray).intervals().filter(|[from, to]| to - from < SLIVER).count();
            }
        }
    }
    assert_eq!(short, 0);
}
