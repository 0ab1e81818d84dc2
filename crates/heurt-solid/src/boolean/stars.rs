//! Stars of nodes: the triangles around each of some nodes, by node.

use super::nodes::NodeId;
use smallvec::SmallVec;

/// The slot of a node without a star.
const NONE: u32 = u32::MAX;

/// Triangles around one node: six in a regular mesh.
type Star = SmallVec<[u32; 8]>;

/// The stars of some nodes.
pub(super) struct Stars {
    /// The place of each node in `lists`.
    slots: Vec<u32>,
    lists: Vec<Star>,
}

impl Stars {
    /// Makes empty stars for the nodes that are marked.
    pub(super) fn new(is_in: &[bool]) -> Self {
        let mut count = 0;
        let slot = |is_in: &bool| {
            let slot = if *is_in { count } else { NONE };
            count += u32::from(*is_in);
            slot
        };
        let slots = is_in.iter().map(slot).collect();
        Self { slots, lists: vec![Star::new(); count as usize] }
    }

    /// Returns the star of a node; `None` if it has none.
    pub(super) fn get(&self, node: NodeId) -> Option<&[u32]> {
        self.lists.get(self.slots[node as usize] as usize).map(|star| &star[..])
    }

    /// Adds a triangle to the star of a node that has one.
    pub(super) fn add(&mut self, node: NodeId, triangle: u32) {
        if let Some(star) = self.lists.get_mut(self.slots[node as usize] as usize) {
            star.push(triangle);
        }
    }

    /// Takes a triangle out of the star of a node.
    pub(super) fn leave(&mut self, node: NodeId, triangle: u32) {
        if let Some(star) = self.lists.get_mut(self.slots[node as usize] as usize) {
            star.retain(|known| *known != triangle);
        }
    }

    /// Removes the star of a node and returns it.
    pub(super) fn remove(&mut self, node: NodeId) -> Vec<u32> {
        let slot = std::mem::replace(&mut self.slots[node as usize], NONE);
        self.lists.get_mut(slot as usize).map(|star| std::mem::take(star).into_vec()).unwrap_or_default()
    }
}
