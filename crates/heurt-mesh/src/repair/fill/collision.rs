//! Exact intersection test of a hole filling with the mesh, with earlier fillings, and with itself.
//!
//! In: the incidences of a mesh, and the triangles of a filling over its representatives. Out: the first pair of
//! triangles that intersect elsewhere than in a common vertex or edge, that are the same triangle, or that overuse an
//! edge.
//! Method: a tree over the boxes of the mesh triangles proposes pairs; `meet_beyond_shared` and `triangles_intersect`
//! decide.
//! Guarantees: exact. Cost: O(log n + candidates) for each triangle of the filling, within the
//! work of the repair.

use std::collections::BTreeSet;

use heurt_geometry::{Aabb, Triangle, triangles_intersect};

use crate::check::meet_beyond_shared;
use crate::live_boxes::LiveBoxes;
use crate::repair::budget::RepairWork;
use crate::tree_query::BoxTree;
use crate::{Topology, TriMesh};

/// The mesh and the accepted fillings.
pub(super) struct Scene<'a> {
    topology: &'a Topology<'a>,
    tree: BoxTree,
    /// The triangles of all accepted fillings, in the order of acceptance, and their boxes.
    accepted: Vec<[u32; 3]>,
    accepted_boxes: LiveBoxes,
    /// The inner edges of all accepted fillings, lower vertex first.
    inner_edges: BTreeSet<[u32; 2]>,
}

impl<'a> Scene<'a> {
    pub(super) fn new(topology: &'a Topology<'a>) -> Self {
        let mesh = topology.mesh();
        let boxes = (0..mesh.triangles().len() as u32).map(|number| Aabb::from_points(mesh.corners(number)));
        Self {
            topology,
            tree: BoxTree::new(boxes.collect()),
            accepted: Vec::new(),
            accepted_boxes: LiveBoxes::default(),
            inner_edges: BTreeSet::new(),
        }
    }

    fn mesh(&self) -> &TriMesh {
        self.topology.mesh()
    }

    fn places(&self, corners: &[u32; 3]) -> Triangle {
        corners.map(|vertex| self.mesh().vertices()[vertex as usize])
    }

    /// Reports whether a filling may be used: it meets the rest in its border only, and is no second layer of
    /// triangles. `None` if the work is used up before that is known.
    pub(super) fn is_free(&self, filling: &[[u32; 3]], work: &RepairWork) -> Option<bool> {
        let box_of = |corners: &[u32; 3]| Aabb::from_points(self.places(corners));
        let own_tree = BoxTree::new(filling.iter().map(box_of).collect());
        let (mut near, mut near_own, mut near_accepted) = (Vec::new(), Vec::new(), Vec::new());
        for (number, corners) in filling.iter().enumerate() {
            let places = self.places(corners);
            let bounds = Aabb::from_points(places);
            near.clear();
            near_own.clear();
            near_accepted.clear();
            self.tree.meeting(&bounds, &mut near);
            own_tree.meeting(&bounds, &mut near_own);
            self.accepted_boxes.meeting(&bounds, |_| true, &mut near_accepted);
            if !work.charge_tests((near.len() + near_own.len() / 2 + near_accepted.len()) as u64) {
                return None;
            }
            let in_mesh = near.iter().map(|&other| self.topology.corners(other));
            let in_fillings = near_accepted.iter().map(|&other| self.accepted[other as usize]);
            let in_itself = near_own.iter().map(|&other| other as usize).filter(|&other| other < number);
            let in_itself = in_itself.map(|other| filling[other]);
            if in_mesh.chain(in_fillings).chain(in_itself).any(|other| self.meets(corners, &places, &other)) {
                return Some(false);
            }
        }
        Some(inner_edges(filling).is_some_and(|edges| edges.iter().all(|edge| !self.inner_edges.contains(edge))))
    }

    fn meets(&self, corners: &[u32; 3], places: &Triangle, other: &[u32; 3]) -> bool {
        let shared = corners.iter().filter(|corner| other.contains(corner)).count();
        let other_places = self.places(other);
        match shared {
            0 => triangles_intersect(places, &other_places),
            3 => true,
            _ => meet_beyond_shared((corners, places), (other, &other_places)),
        }
    }

    /// Adds a filling that is free.
    pub(super) fn accept(&mut self, triangles: Vec<[u32; 3]>) {
        self.inner_edges.extend(inner_edges(&triangles).into_iter().flatten());
        for corners in triangles {
            let bounds = Aabb::from_points(self.places(&corners));
            self.accepted_boxes.insert((self.accepted.len() as u32, 0, bounds), |_| true);
            self.accepted.push(corners);
        }
    }

    /// All accepted triangles, in the order of acceptance.
    pub(super) fn into_triangles(self) -> Vec<[u32; 3]> {
        self.accepted
    }
}

/// The edges that two triangles of a filling share, ascending; `None` if three do.
fn inner_edges(filling: &[[u32; 3]]) -> Option<Vec<[u32; 2]>> {
    let sides = filling.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    let mut edges: Vec<[u32; 2]> = sides.map(|[a, b]| [a.min(b), a.max(b)]).collect();
    edges.sort_unstable();
    let mut inner = Vec::with_capacity(edges.len() / 2);
    for group in edges.chunk_by(|a, b| a == b) {
        match group.len() {
            1 => {}
            2 => inner.push(group[0]),
            _ => return None,
        }
    }
    Some(inner)
}
