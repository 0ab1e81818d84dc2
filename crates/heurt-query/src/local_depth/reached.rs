//! Triangles of a placed surface that may have points in a placed solid.
//!
//! In: both, and the pairs of their triangles that intersect. Out: [`ReachedSurface`].
//! Method: a triangle that meets no facet lies wholly inside or outside, and so do its neighbours that meet none: one
//! exact location decides for all of them. Triangles out of the box of the solid, or outside, are left out.
//! Guarantees: every triangle with a point in the solid is listed.

use crate::answer::placed::PlacedMeshShape;
use crate::mesh::winding::{Location, winding_number};
use heurt_geometry::{Aabb, Triangle, Vec3};
use heurt_mesh::DisjointSets;
use heurt_shape::ShapeRef;
use std::ops::Range;

/// A triangle of the surface that may have points in the solid.
#[derive(Debug, Clone)]
pub(super) struct ReachedTriangle {
    /// Its number in the surface.
    pub number: u32,
    /// Its placed corners.
    pub corners: Triangle,
    /// The facets of the solid that it meets, as a range of [`ReachedSurface::met`]; if there are none, it lies inside.
    pub met: Range<usize>,
}

/// The triangles of the surface that may have points in the solid, and the facets that they meet.
#[derive(Debug)]
pub(super) struct ReachedSurface {
    pub triangles: Vec<ReachedTriangle>,
    /// Facets of the solid, grouped by the triangle of the surface that they meet.
    pub met: Vec<u32>,
    /// The box of the solid, in the world frame.
    pub bounds: Aabb,
}

/// Lists the triangles that may have points in the solid; `meeting` are pairs of a triangle and a facet.
pub(super) fn reach(
    surface: PlacedMeshShape<'_>,
    solid: PlacedMeshShape<'_>,
    meeting: impl Iterator<Item = (u32, u32)>,
) -> ReachedSurface {
    let mut pairs: Vec<(u32, u32)> = meeting.collect();
    if !pairs.is_sorted() {
        pairs.sort_unstable();
    }
    let bounds = ShapeRef::Mesh(solid.shape).bounds_at(solid.pose);
    let mesh = surface.shape.mesh();
    let places: Vec<Vec3> = mesh.vertices().iter().map(|&vertex| surface.pose.place(vertex)).collect();
    let mut triangles = Vec::new();
    let mut groups = DisjointSets::new(places.len());
    let mut start = 0;
    for (number, vertices) in (0u32..).zip(mesh.triangles()) {
        let end = start + pairs[start..].iter().take_while(|pair| pair.0 == number).count();
        let met = start..end;
        start = end;
        let corners = vertices.map(|vertex| places[vertex as usize]);
        let is_near = !met.is_empty() || Aabb::from_points(corners).overlaps(&bounds);
        if is_near {
            if met.is_empty() {
                groups.unite(vertices[0], vertices[1]);
                groups.unite(vertices[0], vertices[2]);
            }
            triangles.push(ReachedTriangle { number, corners, met });
        }
    }
    let mut is_inside: Vec<Option<bool>> = vec![None; places.len()];
    triangles.retain(|triangle| {
        if !triangle.met.is_empty() {
            return true;
        }
        let group = groups.find(mesh.triangles()[triangle.number as usize][0]) as usize;
        *is_inside[group]
            .get_or_insert_with(|| winding_number(solid.shape, solid.pose, triangle.corners[0]) != Location::Winding(0))
    });
    ReachedSurface { triangles, met: pairs.into_iter().map(|(_, facet)| facet).collect(), bounds }
}
