//! Growth of the tree of cuts, from the whole mesh down.
//!
//! In: the whole as a part, the solid. Out: nodes: for each a convex cover of its part and the distance of the cover
//! from the solid; the parts of two children together are the part of their parent.
//! Method: in rounds. Leaves that are too concave are divided, the worst first: between bodies if the part consists of
//! several bodies, else along a plane.
//! Guarantees: the same tree for any number of threads; a round takes leaves by their numbers and the results in order.
//! It ends: every leaf is divided at most once, and the number of leaves is limited.

use heurt_geometry::Triangle;
use rayon::prelude::*;

use super::concavity::{Concavity, concavity};
use super::cover::Cover;
use super::cut::cut;
use super::part::{ConvexPart, dealt, joined};
use super::planes::planes;
use super::solid::Solid;

/// Share of the size of the mesh: vertices within it of a plane count as on the plane.
const SNAP: f64 = 1e-9;
/// Limit of planes tried before a leaf stays undivided.
const TRIES: usize = 8;

/// A node of the tree.
pub(super) struct Draft {
    pub(super) cover: Cover,
    pub(super) concavity: Concavity,
    pub(super) parent: Option<u32>,
    pub(super) children: Option<[u32; 2]>,
    /// The part to divide; `None` once it is divided, or if it cannot be.
    part: Option<ConvexPart>,
}

/// Data shared by all nodes.
pub(super) struct Workshop<'a> {
    pub(super) solid: Solid<'a>,
    /// In the frame of the decomposition.
    pub(super) tolerance: f64,
    pub(super) max_pieces: usize,
    /// 1, or −1 for a mesh whose faces point inward.
    pub(super) outward: f64,
}

impl Workshop<'_> {
    /// Grows the tree; `None` if there is no volume. `report` is called with the finished share of the volume.
    pub(super) fn grow(&self, whole: ConvexPart, report: &(dyn Fn(f64) + Sync)) -> Option<Vec<Draft>> {
        let whole = joined(whole.bodies(self.outward))?;
        let mut nodes = vec![self.draft(whole, None)?];
        let all = nodes[0].cover.sextuple_volume();
        let mut pieces = 1;
        // Each round divides at least one leaf, or finds that it cannot be divided.
        loop {
            let mut open = self.open(&nodes);
            open.truncate(self.max_pieces - pieces);
            if open.is_empty() {
                report(1.0);
                return Some(nodes);
            }
            let jobs: Vec<(u32, ConvexPart)> =
                open.iter().filter_map(|&n| Some((n, nodes[n as usize].part.take()?))).collect();
            let divide = |(n, part): (u32, ConvexPart)| self.divide(part, &nodes[n as usize], n);
            let divided: Vec<Option<[Draft; 2]>> = jobs.into_par_iter().map(divide).collect();
            for (node, children) in open.into_iter().zip(divided) {
                if let Some(children) = children {
                    let first = nodes.len() as u32;
                    nodes[node as usize].children = Some([first, first + 1]);
                    nodes.extend(children);
                    pieces += 1;
                }
            }
            let unsettled = nodes.iter().filter(|node| node.part.is_some());
            let left: f64 = unsettled.map(|node| node.cover.sextuple_volume()).sum();
            report((1.0 - left / all).clamp(0.0, 1.0));
        }
    }

    /// Returns the leaves to divide next: the worst, and leaves at least half as bad.
    fn open(&self, nodes: &[Draft]) -> Vec<u32> {
        let badness = |n: u32| nodes[n as usize].concavity.upper;
        let mut open: Vec<u32> = (0..nodes.len() as u32).filter(|&n| nodes[n as usize].part.is_some()).collect();
        open.retain(|&n| badness(n) > self.tolerance);
        open.sort_by(|&a, &b| badness(b).total_cmp(&badness(a)).then(a.cmp(&b)));
        let least = open.first().map_or(0.0, |&n| badness(n) / 2.0);
        open.retain(|&n| badness(n) >= least);
        open
    }

    /// Covers and measures a part.
    fn draft(&self, part: ConvexPart, parent: Option<u32>) -> Option<Draft> {
        let cover = Cover::of(&part)?;
        let concavity = self.measured(&cover.corners());
        // If coordinates are so coarse that covers grow by the tolerance, cuts only increase the concavity.
        let is_open = concavity.upper > self.tolerance && cover.growth < self.tolerance;
        let part = is_open.then_some(part);
        Some(Draft { cover, concavity, parent, children: None, part })
    }

    /// Bounds the distance of triangles from the solid.
    pub(super) fn measured(&self, triangles: &[Triangle]) -> Concavity {
        concavity(&self.solid, triangles, self.tolerance)
    }

    /// Divides the part of a node in two; `None` if no division succeeds.
    fn divide(&self, part: ConvexPart, node: &Draft, parent: u32) -> Option<[Draft; 2]> {
        let drafts = |[one, other]: [ConvexPart; 2]| {
            let (one, other) = rayon::join(|| self.draft(one, Some(parent)), || self.draft(other, Some(parent)));
            Some([one?, other?])
        };
        let bodies = part.bodies(self.outward);
        if bodies.len() > 1 {
            return drafts(dealt(bodies)?);
        }
        let part = joined(bodies)?;
        let snap = SNAP * self.solid.diagonal();
        let mut cuts = planes(&part, node.cover.sextuple_volume(), &node.concavity, snap).into_iter().take(TRIES);
        cuts.find_map(|plane| drafts(cut(&part, &plane, snap)?))
    }
}
