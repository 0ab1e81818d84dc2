//! Box queries on a bounding volume hierarchy over boxes that are given one by one.
//!
//! In: boxes in world coordinates. Out: the numbers of the boxes that meet a query box, in ascending order.
//! Method: an eight-wide tree of `f32` boxes rounded outward proposes candidates; the `f64` boxes decide.
//! It holds boxes, not points, and is below heurt-broad: so it is no `PointIndex` of that crate.
//! Guarantees: exact on closed boxes; the same order in every run. Cost: O(n log n) to build, O(log n + hits) a query.

use std::ops::ControlFlow;

use heurt_bvh::simd::WideIsa;
use heurt_bvh::{Aabb32, Boxes, Bvh, Leaf, Visitor, walk};
use heurt_geometry::Aabb;

/// A tree over boxes.
pub(crate) struct BoxTree {
    boxes: Vec<Aabb>,
    /// `None` if there is no box, or if a coordinate is too large for a tree: then every query scans all boxes.
    tree: Option<Bvh<Aabb32, 8>>,
}

impl BoxTree {
    /// Builds the tree.
    pub(crate) fn new(boxes: Vec<Aabb>) -> Self {
        let tree = Bvh::new(&Boxes::new(boxes.iter().copied())).ok();
        Self { boxes, tree }
    }

    /// Appends to `found` the numbers of the boxes that meet `query`, in ascending order.
    pub(crate) fn meeting(&self, query: &Aabb, found: &mut Vec<u32>) {
        let start = found.len();
        self.any_meeting(query, |number| {
            found.push(number);
            false
        });
        found[start..].sort_unstable();
    }

    /// Reports whether a box that meets `query` passes a test; the search ends with the first one.
    pub(crate) fn any_meeting(&self, query: &Aabb, mut test: impl FnMut(u32) -> bool) -> bool {
        let mut passes = |number: u32| self.boxes[number as usize].overlaps(query) && test(number);
        match &self.tree {
            Some(tree) => {
                let mut first = FirstMeeting { tree, passes, is_found: false };
                walk(tree, &Aabb32::in_frame(tree.frame(), query), &mut first);
                first.is_found
            }
            None => (0..self.boxes.len() as u32).any(&mut passes),
        }
    }
}

/// Finds the first box that passes a test.
struct FirstMeeting<'a, F> {
    tree: &'a Bvh<Aabb32, 8>,
    passes: F,
    is_found: bool,
}

impl<F: FnMut(u32) -> bool> Visitor for FirstMeeting<'_, F> {
    fn cutoff(&self) -> f32 {
        0.0
    }

    fn visit_leaf<I: WideIsa>(&mut self, _isa: I, leaf: Leaf) -> ControlFlow<()> {
        self.is_found = self.tree.primitives(leaf).iter().any(|&number| (self.passes)(number));
        if self.is_found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
