//! Facets of a solid polytope in counter-clockwise order, and its closed mesh.
//!
//! In: a polytope. Out: facets with their loops of vertices; a triangle mesh.
//! Method: a plane with at least three vertices is a facet; of planes with the same vertices the first counts. Facets f
//! and g meet along an edge of direction n(f) × n(g) in the counter-clockwise order of f. A vertex a of the edge is its
//! beginning if and only if a plane h through a, and not through its end, has det(n(f), n(g), n(h)) < 0: the edge
//! leads away from h. Each edge of f so gives the successor of a vertex.
//! Guarantees: combinatorics are exact, and the mesh is closed and oriented. Vertices are rounded, so a mesh may be
//! flat where the polytope is smaller than an ulp of its coordinates.

use super::clip::shared_planes;
use super::{ExactPlane, Polytope, PolytopeError, PolytopeVertex};
use heurt_geometry::{Aabb, Sign};
use heurt_mesh::TriMesh;
use std::sync::Arc;

/// A facet of a polytope.
#[derive(Debug, Clone)]
pub struct PolytopeFacet<'a> {
    /// The plane.
    pub plane: &'a ExactPlane,
    /// Its vertices, counter-clockwise seen from outside, as indices into [`Polytope::vertices`].
    pub corners: Vec<u32>,
}

impl Polytope {
    /// Returns the facets; none if the polytope is flat.
    pub fn facets(&self) -> Vec<PolytopeFacet<'_>> {
        let members = self.facet_members();
        let facet_planes: Vec<u32> = members.iter().map(|&(plane, _)| plane as u32).collect();
        let facet = |(plane, vertices): &(usize, Vec<u32>)| PolytopeFacet {
            plane: &self.planes[*plane],
            corners: self.facet_loop(*plane as u32, vertices, &facet_planes),
        };
        members.iter().map(facet).collect()
    }

    /// Returns the planes of the facets.
    pub(crate) fn facet_planes(&self) -> Vec<Arc<ExactPlane>> {
        self.facet_members().iter().map(|&(plane, _)| Arc::clone(&self.planes[plane])).collect()
    }

    /// Returns the vertices of a flat polytope with an area, counter-clockwise around the normal of one of its planes;
    /// `None` for a plane of another polytope.
    pub(crate) fn loop_in(&self, plane: &Arc<ExactPlane>) -> Option<Vec<&PolytopeVertex>> {
        let own = self.planes.iter().position(|known| Arc::ptr_eq(known, plane))?;
        let sides: Vec<u32> =
            (0..self.planes.len()).filter(|&k| !plane.is_parallel(&self.planes[k])).map(|k| k as u32).collect();
        let vertices: Vec<u32> = (0..self.corners.len() as u32).collect();
        let corners = self.facet_loop(own as u32, &vertices, &sides);
        Some(corners.into_iter().map(|corner| &*self.corners[corner as usize].vertex).collect())
    }

    /// Returns the number of the plane of each facet, and its vertices in ascending order.
    fn facet_members(&self) -> Vec<(usize, Vec<u32>)> {
        if !self.is_solid() {
            return Vec::new();
        }
        let mut members: Vec<(usize, Vec<u32>)> = (0..self.planes.len()).map(|plane| (plane, Vec::new())).collect();
        for (vertex, corner) in self.corners.iter().enumerate() {
            for &plane in &corner.tight {
                members[plane as usize].1.push(vertex as u32);
            }
        }
        members.retain(|(_, vertices)| vertices.len() >= 3);
        members.sort_by(|a, b| a.1.cmp(&b.1).then(a.0.cmp(&b.0)));
        members.dedup_by(|later, earlier| later.1 == earlier.1);
        members.sort_unstable();
        members
    }

    /// Returns the vertices of a facet in counter-clockwise order.
    fn facet_loop(&self, plane: u32, vertices: &[u32], facet_planes: &[u32]) -> Vec<u32> {
        let mut successors = vec![None; vertices.len()];
        for (i, &a) in vertices.iter().enumerate() {
            for (j, &b) in vertices.iter().enumerate().skip(i + 1) {
                let Some(shared) = self.edge(a as usize, b as usize) else { continue };
                let Some(&other) = shared_planes(&shared, facet_planes).iter().find(|&&other| other != plane) else {
                    continue;
                };
                match self.is_beginning(a, &shared, [plane, other]) {
                    true => successors[i] = Some(j),
                    false => successors[j] = Some(i),
                }
            }
        }
        let (mut corners, mut at) = (vec![vertices[0]], successors[0]);
        while let Some(next) = at.filter(|&next| next != 0 && corners.len() < vertices.len()) {
            corners.push(vertices[next]);
            at = successors[next];
        }
        corners
    }

    /// Reports whether the edge on the shared planes begins at vertex `a` in the order of facet `f`.
    fn is_beginning(&self, a: u32, shared: &[u32], [f, g]: [u32; 2]) -> bool {
        let plane = |index: u32| &*self.planes[index as usize];
        let own = self.corners[a as usize].tight.iter().filter(|index| shared.binary_search(index).is_err());
        let mut signs = own.map(|&h| ExactPlane::orientation(plane(f), plane(g), plane(h)));
        signs.find(|sign| !sign.is_zero()) == Some(Sign::Negative)
    }

    /// Returns the boundary as a closed mesh of rounded vertices; each facet is a fan of triangles.
    ///
    /// # Errors
    /// The polytope is flat, or a coordinate is beyond the range of `f64`.
    pub fn to_mesh(&self) -> Result<TriMesh, PolytopeError> {
        let vertices = self.vertices().map(|vertex| vertex.rounded()).collect();
        let fan = |facet: &PolytopeFacet<'_>| {
            let corners = facet.corners.clone();
            (1..corners.len() - 1).map(move |k| [corners[0], corners[k], corners[k + 1]])
        };
        Ok(TriMesh::new(vertices, self.facets().iter().flat_map(fan).collect())?)
    }

    /// Returns a box that contains the polytope, rounded outward by 4 ulp.
    pub fn bounds(&self) -> Aabb {
        let hull = Aabb::from_points(self.vertices().map(|vertex| vertex.rounded()));
        let slack = |x: f64| x.abs() * 4.0 * f64::EPSILON + f64::MIN_POSITIVE;
        Aabb { min: hull.min - hull.min.map(slack), max: hull.max + hull.max.map(slack) }
    }
}
