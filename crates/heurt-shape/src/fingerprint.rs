//! Fingerprint: a hash of any shape, independent of its type and its address in memory.
//!
//! Guarantees: equal shapes have equal hashes. Different shapes have different hashes except for one case in 2⁶⁴ and
//! for deliberate collisions. There is none for meshes that have moved.
//! Cost: a few multiplications; for meshes and compounds linear at the first request.

use crate::convex::Round;
use crate::{Compound, Convex, Core, ShapeRef, Superquadric, SuperquadricShape};
use heurt_geometry::StateHash;

impl ShapeRef<'_> {
    /// Returns a hash of the shape in its own frame. Other shapes have another hash, except for one case in 2⁶⁴ and for
    /// deliberate collisions. `None` if a mesh has moved.
    pub fn fingerprint(&self) -> Option<u64> {
        let hash = StateHash::new();
        let complete = match *self {
            Self::Mesh(mesh) => hash.bits(0).bits(mesh.fingerprint()?).bits(mesh.solidity() as u64),
            Self::Convex(convex) => of_convex(hash.bits(1), convex),
            Self::Compound(compound) => hash.bits(2).bits(compound.fingerprint()?),
            Self::Rounded(rounded) => {
                let mesh = rounded.mesh();
                hash.bits(3).bits(mesh.fingerprint()?).bits(mesh.solidity() as u64).number(rounded.margin())
            }
            Self::Superquadric(shape) => of_superquadric(hash.bits(4), shape),
        };
        Some(complete.finish())
    }
}

/// Returns the hash of all parts and their poses; `None` if a mesh among them has moved.
pub(crate) fn of_compound(compound: &Compound) -> Option<u64> {
    let mut parts = compound.parts().iter();
    let all = parts.try_fold(StateHash::new(), |hash, part| {
        Some(hash.bits(ShapeRef::from(&part.shape).fingerprint()?).pose(&part.pose))
    });
    all.map(StateHash::finish)
}

fn of_convex(hash: StateHash, convex: &Convex) -> StateHash {
    let hash = hash.number(convex.margin());
    match convex.core() {
        Core::Hull(hull) => hash.bits(0).bits(hull.fingerprint()),
        Core::HalfSpace { normal, offset } => hash.bits(1).vector(*normal).number(*offset),
        Core::Round(round) => match round {
            Round::Cylinder { radius, half_height } => hash.bits(2).number(*radius).number(*half_height),
            Round::Cone { radius, half_height } => hash.bits(3).number(*radius).number(*half_height),
            Round::Ellipsoid { radii } => hash.bits(4).vector(*radii),
            Round::Superellipsoid { radii, n1, n2 } => hash.bits(5).vector(*radii).number(*n1).number(*n2),
        },
    }
}

fn of_superquadric(hash: StateHash, shape: &SuperquadricShape) -> StateHash {
    let hash = hash.number(shape.margin());
    let (hash, [n1, n2]) = match shape.surface() {
        Superquadric::Ellipsoid(shape) => (hash.bits(0).vector(shape.radii()), shape.exponents()),
        Superquadric::Toroid(shape) => {
            let [r0, r1] = shape.radii();
            (hash.bits(1).number(r0).number(r1), shape.exponents())
        }
    };
    hash.number(n1).number(n2)
}

#[cfg(test)]
mod tests {
    use crate::{Compound, Convex, MeshShape, RoundedMesh, Shape, ShapeRef, Superquadric, SuperquadricShape};
    use heurt_geometry::{Pose, Vec3};
    use heurt_mesh::generate::{self, Superellipsoid, Supertoroid};
    use std::collections::HashSet;
    use std::sync::Arc;

    /// Shapes that differ in one number, or in their kind alone.
    fn shapes() -> Vec<Shape> {
        let mesh = || MeshShape::new(generate::icosphere(1.0, 1).unwrap()).unwrap();
        let [solid, hollow] = [Arc::new(mesh()), Arc::new(mesh().with_solid(false).unwrap())];
        let radii = Vec3::new(1.0, 2.0, 3.0);
        let half_space = |offset| Convex::half_space(Vec3::Z, offset).unwrap();
        let convex = [
            Convex::point(),
            Convex::sphere(1.0).unwrap(),
            Convex::sphere(1.0 + f64::EPSILON).unwrap(),
            Convex::cuboid(radii).unwrap(),
            Convex::cuboid(radii).unwrap().with_margin(1.0).unwrap(),
            Convex::cylinder(1.0, 2.0).unwrap(),
            Convex::cylinder(2.0, 1.0).unwrap(),
            Convex::cone(1.0, 2.0).unwrap(),
            Convex::cone(1.0, 2.0).unwrap().with_margin(0.1).unwrap(),
            Convex::ellipsoid(radii).unwrap(),
            Convex::superellipsoid(radii, 0.5, 0.7).unwrap(),
            Convex::superellipsoid(radii, 0.7, 0.5).unwrap(),
            half_space(0.0),
            half_space(1.0),
        ];
        let parts = |shift: f64| {
            let at = Pose::from_translation(Vec3::X * shift).unwrap();
            Compound::new([
                (Shape::from(Convex::sphere(1.0).unwrap()), at),
                (Shape::Mesh(solid.clone()), Pose::IDENTITY),
            ])
        };
        let spiky = Superquadric::Ellipsoid(Superellipsoid::new(radii.to_array(), 0.5, 0.7).unwrap());
        let ring = |n1| SuperquadricShape::from(Superquadric::Toroid(Supertoroid::new(2.0, 0.5, n1, 1.0).unwrap()));
        let mut all: Vec<Shape> = convex.map(Shape::from).into();
        all.extend([
            Shape::Mesh(solid.clone()),
            Shape::Mesh(hollow.clone()),
            RoundedMesh::new(solid.clone(), 0.1).unwrap().into(),
            RoundedMesh::new(solid.clone(), 0.2).unwrap().into(),
            RoundedMesh::new(hollow, 0.1).unwrap().into(),
            parts(0.0).unwrap().into(),
            parts(1.0).unwrap().into(),
            SuperquadricShape::from(spiky).into(),
            ring(1.0).into(),
            ring(0.9).into(),
            ring(0.9).with_margin(0.1).unwrap().into(),
        ]);
        all
    }

    #[test]
    fn shapes_that_differ_have_other_numbers_and_equal_ones_the_same() {
        let number = |shape: &Shape| ShapeRef::from(shape).fingerprint().unwrap();
        let (all, again) = (shapes(), shapes());
        let numbers: HashSet<u64> = all.iter().map(number).collect();
        assert_eq!(numbers.len(), all.len());
        assert!(all.iter().zip(&again).all(|(one, other)| number(one) == number(other)));
    }
}
