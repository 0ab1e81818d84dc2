//! Closed mesh of a leaf in the world.
//!
//! In: a leaf and the map to the world. Out: a [`SolidMesh`], or nothing if the leaf has no volume.
//! Method: hulls and meshes keep their corners. Half-spaces are clipped by the box of the tree and become polytopes.
//! Curved shapes are tessellated in their own frame (`round`, `quadric`), with the tolerance divided by the norm of the
//! map. Parts of compounds are united.
//! Guarantees: a leaf without an inside, or whose mesh is not within the tolerance, is refused by name.

use super::quadric::{QuadricFault, QuadricMesh, quadric_mesh};
use super::round::{convex_points, solid_of_superquadric};
use super::{CsgMeshError, NodeSolid, combined, reduced};
use crate::SetOperation;
use crate::boolean::SolidMesh;
use crate::csg::{Affine, CsgLeaf};
use crate::half_space::{Boundedness, HalfSpace, Quadric, QuadricIntersection};
use crate::polytope::{Polytope, PolytopeError};
use heurt_geometry::{Aabb, Vec3};
use heurt_mesh::{HullMeshError, MeshError, TriMesh, convex_hull};
use heurt_shape::{Convex, Core, Round, Shape};

/// The number of a leaf, from 1, and its kind.
#[derive(Debug, Clone, Copy)]
pub(super) struct LeafName {
    pub(super) leaf: usize,
    pub(super) kind: &'static str,
}

/// Why a curved surface has no mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TessellationFault {
    /// It has no volume.
    Flat,
    /// It needs too many vertices.
    TooFine,
}

/// Makes the mesh of one leaf.
pub(super) struct LeafMesher<'a> {
    /// The tolerance in the world.
    pub(super) tolerance: f64,
    /// The box that clips unbounded leaves, in the world.
    pub(super) clip: &'a Aabb,
    /// Names the leaf in errors.
    pub(super) name: &'a dyn Fn() -> LeafName,
}

/// Names the kind of a leaf.
pub(super) fn kind_of(leaf: &CsgLeaf) -> &'static str {
    match leaf {
        CsgLeaf::Region(region) if region.quadrics().is_empty() => "an intersection of half-spaces",
        CsgLeaf::Region(region) if region.half_spaces().is_empty() => "a quadric",
        CsgLeaf::Region(_) => "an intersection with quadrics",
        CsgLeaf::Shape(Shape::Mesh(mesh)) if !mesh.is_solid() => "a surface without an inside",
        CsgLeaf::Shape(Shape::Mesh(_)) => "a mesh",
        CsgLeaf::Shape(Shape::Rounded(_)) => "a mesh with a margin",
        CsgLeaf::Shape(Shape::Superquadric(_)) => "a superquadric",
        CsgLeaf::Shape(Shape::Compound(_)) => "a compound",
        CsgLeaf::Shape(Shape::Convex(convex)) => match convex.core() {
            Core::HalfSpace { .. } => "a half-space",
            Core::Hull(_) if convex.margin() > 0.0 => "a hull with a margin",
            Core::Hull(_) => "a hull",
            Core::Round(Round::Cylinder { .. }) => "a cylinder",
            Core::Round(Round::Cone { .. }) => "a cone",
            Core::Round(Round::Ellipsoid { .. }) => "an ellipsoid",
            Core::Round(Round::Superellipsoid { .. }) => "a superellipsoid",
        },
    }
}

impl LeafMesher<'_> {
    /// Makes the solid of a leaf in the world.
    pub(super) fn solid(&self, leaf: &CsgLeaf, map: &Affine) -> Result<NodeSolid, CsgMeshError> {
        match leaf {
            CsgLeaf::Region(region) => self.region(region, map),
            CsgLeaf::Shape(shape) => self.shape(shape, map),
        }
    }

    /// Makes the clipping box.
    pub(super) fn everything(&self) -> Result<NodeSolid, CsgMeshError> {
        self.polytope(&box_planes(self.clip), &Affine::IDENTITY)
    }

    fn refused(&self, remedy: &'static str) -> CsgMeshError {
        let LeafName { leaf, kind } = (self.name)();
        CsgMeshError::Refused { leaf, kind, remedy }
    }

    fn too_fine(&self) -> CsgMeshError {
        let LeafName { leaf, kind } = (self.name)();
        CsgMeshError::TooFine { leaf, kind, tolerance: self.tolerance }
    }

    fn misplaced(&self, source: MeshError) -> CsgMeshError {
        let LeafName { leaf, kind } = (self.name)();
        CsgMeshError::Placement { leaf, kind, source }
    }

    /// Returns the tolerance in the frame before the map. The Frobenius norm bounds the factor of any length.
    fn local_tolerance(&self, map: &Affine) -> f64 {
        let matrix = map.matrix();
        let squares = [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(|column| column.length_squared());
        let norm =
            if map.matrix() == heurt_geometry::Mat3::IDENTITY { 1.0 } else { squares.iter().sum::<f64>().sqrt() };
        self.tolerance / norm
    }

    /// Places a closed mesh in the world, facing outward.
    fn placed(&self, mesh: &TriMesh, map: &Affine) -> Result<NodeSolid, CsgMeshError> {
        let refuse = |source| {
            let LeafName { leaf, kind } = (self.name)();
            CsgMeshError::Operand { leaf, kind, source }
        };
        if map.is_identity() {
            return SolidMesh::new(mesh).map(NodeSolid::from).map_err(refuse);
        }
        let vertices = mesh.vertices().iter().map(|&vertex| map.image(vertex)).collect();
        let placed = TriMesh::new(vertices, mesh.triangles().to_vec());
        let placed = placed.map_err(|source| self.misplaced(source))?;
        let placed = if map.matrix().determinant() < 0.0 { placed.reversed() } else { placed };
        SolidMesh::new(&placed).map(NodeSolid::from).map_err(refuse)
    }

    fn shape(&self, shape: &Shape, map: &Affine) -> Result<NodeSolid, CsgMeshError> {
        match shape {
            Shape::Mesh(mesh) if !mesh.is_solid() => {
                Err(self.refused("it bounds no solid: close it with `heurt repair`, or take a solid"))
            }
            Shape::Mesh(mesh) => self.placed(mesh.mesh(), map),
            Shape::Convex(convex) => self.convex(convex, map),
            Shape::Rounded(_) => Err(self.refused("it has no exact mesh: leave the margin out")),
            Shape::Superquadric(shape) if shape.margin() > 0.0 => {
                Err(self.refused("its margin has no mesh: leave the margin out"))
            }
            Shape::Superquadric(shape) => {
                self.tessellated(solid_of_superquadric(shape.surface(), self.local_tolerance(map)), map)
            }
            Shape::Compound(compound) => {
                let mut parts = Vec::with_capacity(compound.parts().len());
                for component in compound.parts() {
                    let Ok(map) = map.compose(&component.pose.into()) else { continue };
                    parts.push(self.shape(&component.shape, &map)?);
                }
                reduced(parts, SetOperation::Union)
            }
        }
    }

    fn tessellated(&self, mesh: Result<TriMesh, TessellationFault>, map: &Affine) -> Result<NodeSolid, CsgMeshError> {
        match mesh {
            Ok(mesh) => self.placed(&mesh, map),
            Err(TessellationFault::Flat) => Ok(NodeSolid::default()),
            Err(TessellationFault::TooFine) => Err(self.too_fine()),
        }
    }

    fn convex(&self, convex: &Convex, map: &Affine) -> Result<NodeSolid, CsgMeshError> {
        if let Core::HalfSpace { normal, offset } = convex.core() {
            let half_space = HalfSpace::new(*normal, -(offset + convex.margin() * normal.length()));
            let half_space = half_space.map_err(|_| self.refused("its numbers make no plane: give finite ones"))?;
            return self.region(&QuadricIntersection::new(vec![half_space], Vec::new()), map);
        }
        let points = convex_points(convex, self.local_tolerance(map));
        let mesh = points.and_then(|points| match convex_hull(&points) {
            Ok(mesh) => Ok(mesh),
            Err(HullMeshError::Flat { .. }) => Err(TessellationFault::Flat),
            Err(_) => Err(TessellationFault::TooFine),
        });
        self.tessellated(mesh, map)
    }

    /// Makes the solid of an intersection of half-spaces.
    fn region(&self, region: &QuadricIntersection, map: &Affine) -> Result<NodeSolid, CsgMeshError> {
        let Some(clip) = self.local_clip(region, map) else { return Ok(NodeSolid::default()) };
        let (mut planes, mut quadrics) = (region.half_spaces().to_vec(), Vec::new());
        for quadric in region.quadrics() {
            match linear_part(quadric) {
                Some(plane) => planes.push(plane),
                None => quadrics.push(quadric),
            }
        }
        let (mut inner, mut outer) = (Vec::new(), Vec::new());
        let mut used = vec![false; planes.len()];
        for quadric in quadrics {
            let mesh = quadric_mesh(quadric, &planes, &clip, self.local_tolerance(map));
            let QuadricMesh { pieces, is_outside, limits } = mesh.map_err(|fault| match fault {
                QuadricFault::TooFine => self.too_fine(),
                QuadricFault::NoAxis => self.refused(
                    "it has no mesh unless its sections along x, y or z are ellipses: place a simpler quadric by `at`",
                ),
            })?;
            limits.into_iter().for_each(|plane| used[plane] = true);
            let pieces = pieces.iter().map(|mesh| self.placed(mesh, map)).collect::<Result<Vec<_>, _>>()?;
            let solid = reduced(pieces, SetOperation::Union)?;
            if is_outside { &mut outer } else { &mut inner }.push(solid);
        }
        if inner.is_empty() || used.contains(&false) {
            let free = planes.iter().zip(&used).filter(|(_, used)| !**used);
            let mut faces: Vec<HalfSpace> = free.map(|(plane, _)| *plane).collect();
            if !(region.quadrics().is_empty() && matches!(region.boundedness(), Boundedness::Bounded(_))) {
                faces.extend(box_planes(&clip));
            }
            inner.push(self.polytope(&faces, map)?);
        }
        let inside = reduced(inner, SetOperation::Intersection)?;
        combined(inside, reduced(outer, SetOperation::Union)?, SetOperation::Difference)
    }

    fn polytope(&self, half_spaces: &[HalfSpace], map: &Affine) -> Result<NodeSolid, CsgMeshError> {
        match Polytope::from_half_spaces(half_spaces).and_then(|polytope| polytope.to_mesh()) {
            Ok(mesh) => self.placed(&mesh, map),
            Err(PolytopeError::Empty { .. } | PolytopeError::Flat { .. }) => Ok(NodeSolid::default()),
            Err(PolytopeError::Mesh(source)) => Err(self.misplaced(source)),
            Err(_) => Err(self.refused("it has too many planes: divide it")),
        }
    }

    /// Returns a box in the frame of the leaf that contains what the tree needs of it; `None` if that is empty.
    fn local_clip(&self, region: &QuadricIntersection, map: &Affine) -> Option<Aabb> {
        let clip = match map.inverted() {
            _ if map.is_identity() => *self.clip,
            Some(inverse) => inverse.image_of_box(self.clip),
            None => return None,
        };
        match region.boundedness() {
            Boundedness::Bounded(bounds) if bounds.is_empty() => None,
            Boundedness::Bounded(bounds) => Some(super::widened(&bounds)),
            Boundedness::Unbounded | Boundedness::Undecided => Some(clip),
        }
    }
}

/// Returns the half-space of a quadric without a quadratic part.
fn linear_part(quadric: &Quadric) -> Option<HalfSpace> {
    let is_linear = quadric.matrix() == heurt_geometry::Mat3::ZERO;
    if is_linear { HalfSpace::new(quadric.linear(), quadric.constant()).ok() } else { None }
}

/// Returns the half-spaces of a box.
pub(super) fn box_planes(bounds: &Aabb) -> Vec<HalfSpace> {
    let axis = |axis: Vec3| [HalfSpace::new(axis, -bounds.max.dot(axis)), HalfSpace::new(-axis, bounds.min.dot(axis))];
    [Vec3::X, Vec3::Y, Vec3::Z].into_iter().flat_map(axis).flatten().collect()
}
