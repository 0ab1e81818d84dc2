//! Convex cells of polyhedral leaves, as exact planes.
//!
//! In: a leaf. Out: the planes of each convex cell, in the frame of the leaf.
//! Method: half-spaces are planes. Hulls and convex meshes give the planes of their triangles. A compound gives the
//! cells of its parts, mapped by the exact numbers of their poses.
//! Guarantees: exact; flat hulls have no volume and give no cell. Curved leaves are refused by name.

use super::exact::{Cell, moved_cell};
use super::{Affine, CsgError, CsgLeaf};
use crate::half_space::HalfSpace;
use crate::polytope::{ExactPlane, planes_of_mesh};
use heurt_mesh::{HullMeshError, convex_hull};
use heurt_shape::{Convex, Core, Shape};
use std::sync::Arc;

/// Returns the convex cells of the leaf at position `index`.
pub(super) fn leaf_cells(leaf: &CsgLeaf, index: usize) -> Result<Vec<Cell>, CsgError> {
    match leaf {
        CsgLeaf::Region(region) if region.quadrics().is_empty() => {
            Ok(vec![region.half_spaces().iter().map(plane_of).collect()])
        }
        CsgLeaf::Region(_) => Err(CsgError::NotPolyhedral { leaf: index, kind: "an intersection with quadrics" }),
        CsgLeaf::Shape(shape) => shape_cells(shape, index),
    }
}

/// Bounds the number of planes of a leaf without making them: a hull of v corners has at most 2v − 4 facets.
pub(super) fn most_planes(leaf: &CsgLeaf) -> usize {
    match leaf {
        CsgLeaf::Region(region) => region.half_spaces().len() + region.quadrics().len(),
        CsgLeaf::Shape(shape) => most_planes_of(shape),
    }
}

fn most_planes_of(shape: &Shape) -> usize {
    match shape {
        Shape::Mesh(mesh) => mesh.mesh().triangles().len(),
        Shape::Convex(convex) => match convex.core() {
            Core::Hull(hull) => 2 * hull.corners().len(),
            Core::HalfSpace { .. } | Core::Round(_) => 1,
        },
        Shape::Compound(compound) => compound.parts().iter().map(|part| most_planes_of(&part.shape)).sum(),
        Shape::Rounded(_) | Shape::Superquadric(_) => 1,
    }
}

fn plane_of(half_space: &HalfSpace) -> Arc<ExactPlane> {
    let normal = half_space.normal();
    Arc::new(ExactPlane::from_coefficients([normal.x, normal.y, normal.z, half_space.offset()]))
}

fn shape_cells(shape: &Shape, index: usize) -> Result<Vec<Cell>, CsgError> {
    let refuse = |kind: &'static str| Err(CsgError::NotPolyhedral { leaf: index, kind });
    match shape {
        Shape::Mesh(mesh) if !mesh.is_solid() => refuse("a surface without an inside"),
        Shape::Mesh(mesh) => Ok(vec![planes_of_mesh(mesh.mesh())?]),
        Shape::Convex(convex) => convex_cells(convex, index),
        Shape::Rounded(_) => refuse("a rounded mesh"),
        Shape::Superquadric(_) => refuse("a superquadric"),
        Shape::Compound(compound) => {
            let mut cells = Vec::new();
            for component in compound.parts() {
                let rows = Affine::from(component.pose).rows();
                for cell in shape_cells(&component.shape, index)? {
                    cells.push(moved_cell(&cell, &rows)?);
                }
            }
            Ok(cells)
        }
    }
}

fn convex_cells(convex: &Convex, index: usize) -> Result<Vec<Cell>, CsgError> {
    let refuse = |kind: &'static str| Err(CsgError::NotPolyhedral { leaf: index, kind });
    if convex.margin() > 0.0 {
        return refuse("rounded by a margin");
    }
    match convex.core() {
        Core::Round(_) => refuse("curved"),
        Core::HalfSpace { normal, offset } => Ok(vec![vec![plane_of(&HalfSpace::new(*normal, -offset)?)]]),
        Core::Hull(hull) => match convex_hull(hull.corners()) {
            Ok(mesh) => Ok(vec![planes_of_mesh(&mesh)?]),
            Err(HullMeshError::Flat { .. }) => Ok(Vec::new()),
            Err(_) => refuse("a hull without a mesh"),
        },
    }
}
