//! Random trees of sets, and the slow oracle of their members.

use heurt_geometry::{Mat3, Pose, Vec3};
use heurt_mesh::generate;
use heurt_shape::{Compound, Convex, MeshShape, Shape};
use heurt_solid::{Affine, Csg, HalfSpace, HalfSpaceIntersection, Quadric};
use heurt_testkit::number::random::Random;

fn integer_vector(random: &mut Random, size: i64) -> Vec3 {
    Vec3::from_array([0.0; 3].map(|_: f64| random.whole(-size, size) as f64))
}

/// A box with integer faces, so that faces of different boxes coincide often.
fn integer_box(random: &mut Random) -> Csg {
    let half = Vec3::from_array([0.0; 3].map(|_: f64| random.whole(1, 2) as f64));
    let at = Pose::from_translation(integer_vector(random, 2)).unwrap();
    Csg::shape(Convex::cuboid(half).unwrap()).transformed(at.into())
}

/// A leaf with planes; every fourth one is unbounded.
pub fn polyhedral_leaf(random: &mut Random) -> Csg {
    match random.whole(0, 7) {
        0 | 1 => {
            let normal = integer_vector(random, 1);
            let normal = if normal == Vec3::ZERO { Vec3::Z } else { normal };
            Csg::half_space(HalfSpace::new(normal, random.whole(-2, 2) as f64).unwrap())
        }
        2 => Csg::shape(Convex::hull(&[0; 6].map(|_| random.vector(3.0))).unwrap()),
        3 => Csg::shape(MeshShape::new(generate::icosphere(2.0, 0).unwrap()).unwrap()),
        4 => {
            let part = |x: f64| {
                (Shape::from(Convex::cuboid(Vec3::ONE).unwrap()), Pose::from_translation(Vec3::X * x).unwrap())
            };
            Csg::shape(Compound::new([part(-1.0), part(1.0), part(0.5)]).unwrap())
        }
        _ => integer_box(random),
    }
}

/// A leaf of any kind.
#[allow(dead_code, reason = "test programs with exact evaluation have no curved leaves")]
pub fn any_leaf(random: &mut Random) -> Csg {
    match random.whole(0, 9) {
        0 => Csg::quadric(Quadric::cylinder(1.0).unwrap()),
        1 => Csg::quadric(Quadric::ball(1.5).unwrap().complement()),
        2 => Csg::shape(Convex::cone(1.5, 1.5).unwrap()),
        3 => Csg::shape(Convex::capsule(0.5, 1.0).unwrap()),
        4 => Csg::shape(Convex::cylinder(1.0, 1.0).unwrap().with_margin(0.25).unwrap()),
        5 => Csg::shape(MeshShape::new(generate::torus(1.5, 0.5, 16, 8).unwrap()).unwrap()),
        _ => polyhedral_leaf(random),
    }
}

/// An invertible map of small integers or a random pose.
fn any_map(random: &mut Random) -> Affine {
    let matrix = Mat3::from_cols_array(&[0.0; 9].map(|_: f64| random.whole(-1, 1) as f64));
    Affine::new(matrix, integer_vector(random, 1)).unwrap_or_else(|_| random.pose(1.0).into())
}

/// A tree of at most `leaves` leaves.
pub fn tree(random: &mut Random, leaves: i64, leaf: &dyn Fn(&mut Random) -> Csg) -> Csg {
    if leaves <= 1 {
        return match random.whole(0, 19) {
            0 => Csg::empty(),
            1 => Csg::everything(),
            _ => leaf(random),
        };
    }
    let left = random.whole(1, leaves - 1);
    let (a, b) = (tree(random, left, leaf), tree(random, leaves - left, leaf));
    match random.whole(0, 9) {
        0..=2 => a.union(b),
        3..=5 => a.intersection(b),
        6 | 7 => a.difference(b),
        8 => a.difference(b.complement()),
        _ => a.union(b).transformed(any_map(random)),
    }
}

/// The cube [−8, 8]³.
#[allow(dead_code, reason = "not every test program needs bounded trees")]
pub fn frame() -> Csg {
    let planes = [Vec3::X, Vec3::Y, Vec3::Z]
        .into_iter()
        .flat_map(|axis| [axis, -axis].map(|normal| HalfSpace::new(normal, -8.0).unwrap()));
    Csg::half_spaces(&HalfSpaceIntersection::new(planes.collect()))
}
