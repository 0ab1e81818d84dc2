//! Triangles in the leaves of a mesh near a query volume.
//!
//! In: a query of boxes, its cutoff. Out: triangle indices, in the order of the walk. Method: one walk.
//! Guarantees: all triangles that the query bounds by no more than the cutoff, and others next to them in their leaves.

use crate::answer::budget::WorkMeter;
use heurt_bvh::simd::WideIsa;
use heurt_bvh::volume::Query;
use heurt_bvh::{Aabb32, Leaf, Visitor, Work, walk};
use heurt_shape::MeshShape;
use std::ops::ControlFlow;

/// Lists the triangles within a budget of work; the walk ends once there are more than `most`.
pub(crate) fn near_triangles(
    mesh: &MeshShape,
    query: &impl Query<Aabb32>,
    cutoff: f32,
    most: usize,
    meter: &WorkMeter<'_>,
) -> Vec<u32> {
    let mut gathered = Gathered { mesh, cutoff, most, meter, found: Vec::new() };
    meter.add(walk(mesh.tree(), query, &mut gathered));
    gathered.found
}

struct Gathered<'a> {
    mesh: &'a MeshShape,
    cutoff: f32,
    most: usize,
    meter: &'a WorkMeter<'a>,
    found: Vec<u32>,
}

impl Visitor for Gathered<'_> {
    fn cutoff(&self) -> f32 {
        self.cutoff
    }

    fn should_continue(&mut self, _bound: f32, done: &Work) -> bool {
        !self.meter.is_exhausted_after(done)
    }

    fn visit_leaf<I: WideIsa>(&mut self, _isa: I, leaf: Leaf) -> ControlFlow<()> {
        self.found.extend_from_slice(self.mesh.tree().primitives(leaf));
        if self.found.len() > self.most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
