//! Closed chains of triangles, which are cut into smaller ones.
//!
//! In: the triangles of a closed mesh. Out: [`ConvexPart`]s: vertices and oriented triangles over them; every edge is
//! used equally often in both directions, as in chains of homology.
//!
//! A vertex is a real point: a vertex of the mesh, or a point on an edge between two vertices, at a parameter that an
//! `f64` holds. For a point on an edge only a rounded position is stored, with a bound on its error, the `doubt`. No
//! algorithm depends on the real point, only on its identity across parts: vertex numbers provide it.

use heurt_geometry::{Aabb, ConvexHull, Dimension, Vec3};

use crate::Topology;
use crate::topology::DisjointSets;

/// The number of a vertex that is not in the mesh.
pub(super) const MADE: u32 = u32::MAX;

/// A point of a part, in the frame of the decomposition.
#[derive(Debug, Clone, Copy)]
pub(super) struct Vertex {
    /// The rounded position.
    pub(super) place: Vec3,
    /// Bound on the distance of the real point from it along each axis; 0 for a vertex of the mesh.
    pub(super) doubt: f64,
    /// Its number in the mesh, or [`MADE`].
    pub(super) origin: u32,
}

/// An oriented triangle of a part.
#[derive(Debug, Clone, Copy)]
pub(super) struct Face {
    pub(super) corners: [u32; 3],
    /// Whether it is a part of a cap, not of the mesh's surface.
    pub(super) is_cap: bool,
}

/// A closed chain of triangles.
#[derive(Debug, Clone)]
pub(super) struct ConvexPart {
    pub(super) vertices: Vec<Vertex>,
    pub(super) faces: Vec<Face>,
}

impl ConvexPart {
    /// Creates a part of the whole mesh with the given positions; vertices at the same position are one.
    pub(super) fn whole(topology: &Topology, places: &[Vec3]) -> Self {
        let vertices: Vec<Vertex> =
            (0..).zip(places).map(|(origin, &place)| Vertex { place, doubt: 0.0, origin }).collect();
        let corners = (0..topology.mesh().triangles().len() as u32).map(|triangle| topology.corners(triangle));
        // Triangles with two corners at the same position cancel themselves.
        let faces = corners.filter(|[a, b, c]| a != b && b != c && c != a);
        Self::new(&vertices, faces.map(|corners| Face { corners, is_cap: false }).collect())
    }

    /// Creates a part of `faces` and the vertices that they use.
    pub(super) fn new(vertices: &[Vertex], mut faces: Vec<Face>) -> Self {
        let mut number = vec![MADE; vertices.len()];
        let mut used = Vec::new();
        for corner in faces.iter_mut().flat_map(|face| &mut face.corners) {
            let number = &mut number[*corner as usize];
            if *number == MADE {
                *number = used.len() as u32;
                used.push(vertices[*corner as usize]);
            }
            *corner = *number;
        }
        Self { vertices: used, faces }
    }

    /// Returns the rounded positions of its vertices.
    pub(super) fn places(&self) -> Vec<Vec3> {
        self.vertices.iter().map(|vertex| vertex.place).collect()
    }

    /// Returns the rounded positions of a face's corners.
    pub(super) fn corners(&self, face: &Face) -> [Vec3; 3] {
        face.corners.map(|corner| self.vertices[corner as usize].place)
    }

    /// Returns the box of the rounded positions.
    pub(super) fn bounds(&self) -> Aabb {
        Aabb::from_points(self.vertices.iter().map(|vertex| vertex.place))
    }

    /// Computes six times the rounded volume around which it winds.
    pub(super) fn sextuple_volume(&self) -> f64 {
        let centre = self.bounds().centre();
        let tetrahedron = |face| {
            let [a, b, c] = self.corners(face).map(|corner| corner - centre);
            a.dot(b.cross(c))
        };
        self.faces.iter().map(tetrahedron).sum()
    }

    /// Reports whether it lies exactly in a plane, and so winds around nothing.
    fn is_flat(&self) -> bool {
        let exact = self.vertices.iter().all(|vertex| vertex.doubt == 0.0);
        exact && ConvexHull::new(&self.places()).is_ok_and(|hull| hull.dimension() != Dimension::Solid)
    }

    /// Returns its connected parts without flat ones; an inward shell is joined with the shell around it.
    pub(super) fn bodies(&self, outward: f64) -> Vec<Self> {
        let mut shells = self.shells();
        if shells.len() < 2 {
            return shells.into_iter().filter(|shell| !shell.is_flat()).collect();
        }
        shells.retain(|shell| !shell.is_flat());
        let (cavities, mut bodies): (Vec<Self>, Vec<Self>) =
            shells.into_iter().partition(|shell| shell.sextuple_volume() * outward < 0.0);
        let boxes: Vec<Aabb> = bodies.iter().map(Self::bounds).collect();
        for cavity in cavities {
            let inner = cavity.bounds();
            let holds = |outer: &Aabb| outer.contains(inner.min) && outer.contains(inner.max);
            let size = |index: &usize| boxes[*index].half_extents().length();
            let hosts = (0..boxes.len()).filter(|&index| holds(&boxes[index]));
            match hosts.min_by(|i, j| size(i).total_cmp(&size(j))) {
                Some(host) => bodies[host].take_in(cavity),
                None => bodies.push(cavity),
            }
        }
        bodies
    }

    /// Returns its parts connected through vertices, in the order of their first faces.
    fn shells(&self) -> Vec<Self> {
        let mut sets = DisjointSets::new(self.vertices.len());
        for &Face { corners: [a, b, c], .. } in &self.faces {
            sets.unite(a, b);
            sets.unite(a, c);
        }
        let mut number = vec![MADE; self.vertices.len()];
        let mut groups: Vec<Vec<Face>> = Vec::new();
        for face in &self.faces {
            let number = &mut number[sets.find(face.corners[0]) as usize];
            if *number == MADE {
                *number = groups.len() as u32;
                groups.push(Vec::new());
            }
            groups[*number as usize].push(*face);
        }
        if groups.len() == 1 {
            return vec![self.clone()];
        }
        groups.into_iter().map(|faces| Self::over(&self.vertices, faces)).collect()
    }

    /// Works as [`ConvexPart::new`], at a cost proportional to the faces.
    fn over(vertices: &[Vertex], mut faces: Vec<Face>) -> Self {
        let mut used: Vec<u32> = faces.iter().flat_map(|face| face.corners).collect();
        used.sort_unstable();
        used.dedup();
        for corner in faces.iter_mut().flat_map(|face| &mut face.corners) {
            *corner = used.binary_search(corner).unwrap_or(0) as u32;
        }
        Self { vertices: used.into_iter().map(|vertex| vertices[vertex as usize]).collect(), faces }
    }

    /// Appends another part.
    pub(super) fn take_in(&mut self, other: Self) {
        let first = self.vertices.len() as u32;
        self.vertices.extend(other.vertices);
        let moved = |face: Face| Face { corners: face.corners.map(|corner| corner + first), ..face };
        self.faces.extend(other.faces.into_iter().map(moved));
    }
}

/// Distributes bodies, at least two, to two parts, by their positions along the axis of their largest extent.
pub(super) fn dealt(mut bodies: Vec<ConvexPart>) -> Option<[ConvexPart; 2]> {
    let centres = Aabb::from_points(bodies.iter().map(|body| body.bounds().centre()));
    let spread = centres.half_extents();
    let axis = (0..3).max_by(|&i, &j| spread[i].total_cmp(&spread[j])).unwrap_or(0);
    bodies.sort_by(|a, b| a.bounds().centre()[axis].total_cmp(&b.bounds().centre()[axis]));
    let upper = bodies.split_off(bodies.len() / 2);
    Some([joined(bodies)?, joined(upper)?])
}

/// Joins all bodies to one part.
pub(super) fn joined(bodies: Vec<ConvexPart>) -> Option<ConvexPart> {
    bodies.into_iter().reduce(|mut all, body| {
        all.take_in(body);
        all
    })
}
