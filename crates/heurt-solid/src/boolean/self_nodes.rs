//! Nodes of the arrangement of one mesh with itself: its vertices, and the points in which its faces cut each other.
//!
//! Method: points are ratios of integers; two of them are one node exactly if their reduced coordinates are equal. The
//! key is the pair of integers: the hash of a `BigRational` recurses by the digits of its continued fraction.
//! Vertices are at different places.

use super::exact_point::{ExactPoint, Lattice};
use super::nodes::{FaceNodes, NodeId};
use heurt_geometry::Vec3;
use heurt_mesh::TriMesh;
use num_bigint::BigInt;
use num_rational::BigRational;
use std::borrow::Cow;
use std::collections::HashMap;

/// The reduced coordinates of a point, each as numerator and denominator.
type PointKey = [(BigInt, BigInt); 3];

/// The nodes of one mesh.
pub(super) struct SelfNodes<'m> {
    mesh: &'m TriMesh,
    pub(super) lattice: Lattice,
    points: Vec<ExactPoint>,
    rounded: Vec<Vec3>,
    known: HashMap<PointKey, NodeId>,
}

impl<'m> SelfNodes<'m> {
    /// Makes the nodes of the vertices; the ones that are listed may be found by their place.
    pub(super) fn new(mesh: &'m TriMesh, lattice: Lattice, listed: &[u32]) -> Self {
        let key = |vertex: &u32| (key_of(&lattice.point(mesh.vertices()[*vertex as usize])), *vertex);
        Self { mesh, lattice, points: Vec::new(), rounded: Vec::new(), known: listed.iter().map(key).collect() }
    }

    /// Returns the node at a point, which is added if it is new.
    pub(super) fn add(&mut self, key: PointKey, point: ExactPoint) -> NodeId {
        let next = self.len() as NodeId;
        let node = *self.known.entry(key).or_insert(next);
        if node == next {
            self.rounded.push(self.lattice.round(&point));
            self.points.push(point);
        }
        node
    }

    /// The number of nodes.
    pub(super) fn len(&self) -> usize {
        self.mesh.vertices().len() + self.points.len()
    }
}

/// Reduces the coordinates of a point.
pub(super) fn key_of(point: &ExactPoint) -> PointKey {
    point.place.each_ref().map(|x| BigRational::new(x.clone(), point.w.clone()).into_raw())
}

impl FaceNodes for SelfNodes<'_> {
    fn place(&self, node: NodeId) -> Vec3 {
        match (node as usize).checked_sub(self.mesh.vertices().len()) {
            Some(at) => self.rounded[at],
            None => self.mesh.vertices()[node as usize],
        }
    }

    fn exact(&self, node: NodeId) -> Cow<'_, ExactPoint> {
        match (node as usize).checked_sub(self.mesh.vertices().len()) {
            Some(at) => Cow::Borrowed(&self.points[at]),
            None => Cow::Owned(self.lattice.point(self.place(node))),
        }
    }

    fn is_vertex(&self, node: NodeId) -> bool {
        (node as usize) < self.mesh.vertices().len()
    }
}
