//! Construction of polytopes from half-spaces and from convex meshes.
//!
//! In: half-spaces, planes, or a closed oriented mesh. Out: a solid polytope, or the reason why there is none.
//! Method: the clipping starts from the cube [−2ᵏ, 2ᵏ]³.
//! Why the cube decides emptiness and boundedness: 1. Scale each plane to integers. By Cramer's rule a vertex of the
//! arrangement has coordinates n/w with |w| ≥ 1 and |n| at most the product of the sums of magnitudes of three planes.
//! 2. k is the sum of the three largest numbers of binary digits of these sums, so that 2ᵏ exceeds every coordinate. 3.
//! A nonempty intersection has a minimal face, and each minimal face has a point of that form (Schrijver 1986, §10.2),
//! so the cube meets it: an empty result proves emptiness. 4. A bounded intersection is the hull of its vertices, which
//! lie strictly within the cube; an unbounded one contains a ray from a point within the cube, which leaves it through
//! a face. So the result is unbounded if and only if a face of the cube contains a vertex of it.
//! Guarantees: exact.

use super::{ExactPlane, Polytope, PolytopeCorner, PolytopeError, PolytopeVertex};
use crate::half_space::HalfSpace;
use heurt_geometry::{Sign, Vec3, orient3d};
use heurt_mesh::{Topology, TriMesh};
use num_bigint::BigInt;
use std::sync::Arc;

/// The greatest number of planes: each clip compares vertices on both sides, so the time grows with the square.
const MAX_PLANES: usize = 4096;

/// Returns k such that the cube [−2ᵏ, 2ᵏ]³ contains every common point of three planes in its interior.
pub(crate) fn cube_bits<'a>(planes: impl IntoIterator<Item = &'a ExactPlane>) -> u64 {
    let mut largest = [1; 3];
    for bits in planes.into_iter().map(ExactPlane::bits) {
        if bits > largest[0] {
            largest[0] = bits;
            largest.sort_unstable();
        }
    }
    largest.iter().sum::<u64>() + 1
}

impl Polytope {
    /// Creates the cube [−`half`, `half`]³, whose planes have the numbers 0 to 5.
    pub(crate) fn cube(half: BigInt) -> Self {
        let plane = |index: usize| {
            let mut coefficients = [const { BigInt::ZERO }; 4];
            coefficients[index / 2] = BigInt::from(if index % 2 == 1 { 1 } else { -1 });
            coefficients[3] = -half.clone();
            Arc::new(ExactPlane::from_integers(coefficients))
        };
        let planes: Vec<_> = (0..6).map(plane).collect();
        let corner = |index: usize| {
            let tight: [usize; 3] = std::array::from_fn(|axis| 2 * axis + (index >> axis & 1));
            let vertex = PolytopeVertex::of_planes(tight.map(|number| &*planes[number]));
            let vertex = Arc::new(vertex.expect("the planes of a cube meet at right angles"));
            PolytopeCorner { vertex, tight: tight.map(|number| number as u32).to_vec() }
        };
        Self { corners: (0..8).map(corner).collect(), planes }
    }

    /// Reports whether one of the given planes contains a vertex of the polytope.
    pub(crate) fn touches_planes_of(&self, cube: &Self) -> bool {
        self.planes.iter().any(|plane| cube.planes.iter().any(|face| Arc::ptr_eq(plane, face)))
    }

    /// Builds the bounded intersection of linear half-spaces.
    ///
    /// ```
    /// use heurt_geometry::Vec3;
    /// use heurt_solid::{HalfSpace, Polytope, PolytopeError};
    /// let octant = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| HalfSpace::new(-axis, 0.0).unwrap());
    /// let mut half_spaces = octant.to_vec();
    /// assert_eq!(Polytope::from_half_spaces(&half_spaces).unwrap_err(), PolytopeError::Unbounded { half_spaces: 3 });
    /// half_spaces.push(HalfSpace::new(Vec3::ONE, -1.0)?); // x + y + z ≤ 1
    /// let corner = Polytope::from_half_spaces(&half_spaces)?;
    /// assert_eq!((corner.vertex_count(), corner.volume().to_string()), (4, "1/6".to_owned()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The intersection is empty, flat or unbounded, in this order of precedence: a flat intersection may also be
    /// unbounded, which is reported.
    pub fn from_half_spaces(half_spaces: &[HalfSpace]) -> Result<Self, PolytopeError> {
        let plane = |half_space: &HalfSpace| {
            let normal = half_space.normal();
            Arc::new(ExactPlane::from_coefficients([normal.x, normal.y, normal.z, half_space.offset()]))
        };
        Self::from_planes(&half_spaces.iter().map(plane).collect::<Vec<_>>())
    }

    /// Builds the bounded intersection of the half-spaces of planes.
    ///
    /// # Errors
    /// As [`Polytope::from_half_spaces`].
    pub fn from_planes(planes: &[Arc<ExactPlane>]) -> Result<Self, PolytopeError> {
        let half_spaces = planes.len();
        if half_spaces > MAX_PLANES {
            return Err(PolytopeError::TooManyPlanes { count: half_spaces, max: MAX_PLANES });
        }
        let cube = Self::cube(BigInt::from(1) << cube_bits(planes.iter().map(|plane| &**plane)));
        let mut polytope = cube.clone();
        for plane in planes {
            polytope = polytope.clipped(plane).ok_or(PolytopeError::Empty { half_spaces })?;
        }
        if polytope.touches_planes_of(&cube) {
            return Err(PolytopeError::Unbounded { half_spaces });
        }
        if polytope.is_solid() { Ok(polytope) } else { Err(PolytopeError::Flat { half_spaces }) }
    }

    /// Builds the polytope of a closed mesh of a convex polyhedron with its normals outward.
    ///
    /// ```
    /// use heurt_mesh::generate;
    /// use heurt_solid::Polytope;
    /// let brick = Polytope::from_convex_mesh(&generate::cuboid([1.0, 2.0, 3.0])?)?;
    /// assert_eq!((brick.vertex_count(), brick.facets().len()), (8, 6));
    /// assert_eq!(brick.volume().to_string(), "48");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The mesh is open, not convex, inside out or flat.
    pub fn from_convex_mesh(mesh: &TriMesh) -> Result<Self, PolytopeError> {
        Self::from_planes(&planes_of_mesh(mesh)?)
    }
}

/// Returns the planes of a convex mesh, without repeated planes of neighbouring triangles.
pub(crate) fn planes_of_mesh(mesh: &TriMesh) -> Result<Vec<Arc<ExactPlane>>, PolytopeError> {
    let topology = Topology::new(mesh);
    if !topology.is_closed() || !topology.is_oriented() {
        return Err(PolytopeError::OpenMesh { triangles: mesh.triangles().len() });
    }
    let mut planes: Vec<Arc<ExactPlane>> = Vec::new();
    let mut seen: Vec<[Vec3; 3]> = Vec::new();
    for triangle in 0..mesh.triangles().len() {
        let [a, b, c] = mesh.corners(triangle as u32);
        let Some(plane) = ExactPlane::through([a, b, c]) else { continue };
        let is_outside = |point: &Vec3| orient3d(a, b, c, *point) == OUTSIDE;
        if let Some(vertex) = mesh.vertices().iter().position(is_outside) {
            return Err(PolytopeError::NotConvex { triangle, vertex });
        }
        let is_coplanar = |&[p, q, r]: &[Vec3; 3]| [a, b, c].iter().all(|&x| orient3d(p, q, r, x).is_zero());
        if !seen.iter().any(is_coplanar) {
            seen.push([a, b, c]);
            planes.push(Arc::new(plane));
        }
        if planes.len() > MAX_PLANES {
            return Err(PolytopeError::TooManyPlanes { count: mesh.triangles().len(), max: MAX_PLANES });
        }
    }
    Ok(planes)
}

/// The sign of `orient3d` of a triangle and a point on the side from which its corners turn counter-clockwise.
const OUTSIDE: Sign = Sign::Positive;
