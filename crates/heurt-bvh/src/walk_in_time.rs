//! The walk of two trees that move: which leaves may meet, soonest first.
//!
//! In: two trees of boxes and a visitor that knows how they move. Out: leaves, in the order of the times before which they
//! surely do not meet.
//! Method: best-first as in `walk`, but the bound of a pair is a time, and boxes are asked where they are at that time: each pair
//! has its own clock. What a box is known not to meet before some time needs never be asked about earlier times again, so that
//! one walk does what conservative advancement of the whole shapes does in many.
//! Guarantees: a pair of leaves is dropped only when the bound of one of its ancestors is not below the cutoff. Ties go to the
//! pair that came first. Termination: each step replaces a pair by pairs strictly deeper.

use crate::bvh::{Bvh, Child, Leaf, NodeRef};
use crate::frame::TreeFrame;
use crate::volume::{Aabb32, BoundingVolume, WideAabb};
use crate::work::Work;
use heurt_geometry::Vec3;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

/// What a walk over two moving trees feeds. Times are in seconds.
pub trait TimedVisitor {
    /// Pairs that surely do not meet before are dropped.
    fn cutoff(&self) -> f64;
    /// From here on boxes are asked about `time` and what comes after.
    fn turn_to(&mut self, time: f64);
    /// For each of `boxes` the time before which it surely does not meet `asking`, a box of the other tree, if it did not before
    /// the time turned to.
    fn first_meetings<const W: usize>(&self, asking: &LocalBox, of: Asking, boxes: &LocalBoxes<W>) -> [f64; W];
    /// Hears that the walk ends at `time` after too many pairs: nothing is known of what comes after.
    fn give_up(&mut self, time: f64);
    /// Takes a leaf of each tree that surely do not meet before `time`, to which the visitor was turned.
    fn leaves(&mut self, a: Leaf, b: Leaf, time: f64) -> ControlFlow<()>;
}

/// Whose box is asked about boxes of the other tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asking {
    /// One of tree A.
    A,
    /// One of tree B.
    B,
}

/// A box of a tree in the frame of its primitives, in metres.
#[derive(Debug, Clone, Copy)]
pub struct LocalBox {
    /// The middle.
    pub centre: Vec3,
    /// Half the edges.
    pub half: Vec3,
}

/// `W` boxes of a tree in the frame of its primitives, in metres, by axis.
#[derive(Debug, Clone, Copy)]
pub struct LocalBoxes<const W: usize> {
    /// The middles.
    pub centre: [[f64; W]; 3],
    /// Half the edges.
    pub half: [[f64; W]; 3],
}

impl LocalBox {
    fn of(frame: &TreeFrame, volume: &Aabb32) -> Self {
        let half_scale = 0.5 * frame.scale();
        let sum = |k: usize| f64::from(volume.min[k]) + f64::from(volume.max[k]);
        let size = |k: usize| f64::from(volume.max[k]) - f64::from(volume.min[k]);
        Self {
            centre: frame.centre() + Vec3::new(sum(0), sum(1), sum(2)) * half_scale,
            half: Vec3::new(size(0), size(1), size(2)) * half_scale,
        }
    }

    /// The area that tells which of two boxes to open.
    fn area(&self) -> f64 {
        let Vec3 { x, y, z } = self.half;
        x * y + y * z + z * x
    }
}

impl LocalBoxes<1> {
    fn single(one: &LocalBox) -> Self {
        let rows = |v: Vec3| v.to_array().map(|x| [x]);
        Self { centre: rows(one.centre), half: rows(one.half) }
    }
}

impl<const W: usize> LocalBoxes<W> {
    #[inline(always)]
    fn of(frame: &TreeFrame, volumes: &WideAabb<W>) -> Self {
        let half_scale = 0.5 * frame.scale();
        let frame_centre = frame.centre().to_array();
        let mut boxes = Self { centre: [[0.0; W]; 3], half: [[0.0; W]; 3] };
        for (k, middle) in frame_centre.into_iter().enumerate() {
            for lane in 0..W {
                let (min, max) = (f64::from(volumes.min[k][lane]), f64::from(volumes.max[k][lane]));
                boxes.centre[k][lane] = middle + (min + max) * half_scale;
                boxes.half[k][lane] = (max - min) * half_scale;
            }
        }
        boxes
    }
}

/// A pair of lanes that surely do not meet before a time.
struct Waiting {
    time: f64,
    age: u64,
    a: NodeRef,
    b: NodeRef,
    /// How often it was asked again.
    asked: u8,
}

/// So many boxes are asked: what moves so wildly that more may meet at any time ends the walk.
const MOST_VOLUMES: u64 = 1 << 25;

/// Leaves are asked so often at their own times.
const MOST_ASKED: u8 = 3;

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}
impl Eq for Waiting {}
impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.time.total_cmp(&self.time).then(other.age.cmp(&self.age))
    }
}

/// Walks `a` and `b` from `start` on, what may meet soonest first.
pub fn walk_pair_in_time<const W: usize>(
    a: &Bvh<Aabb32, W>,
    b: &Bvh<Aabb32, W>,
    start: f64,
    visitor: &mut impl TimedVisitor,
) -> Work {
    let mut work = Work { updates: 1, ..Work::default() };
    let mut heap = BinaryHeap::with_capacity(64);
    let mut age = 0;
    heap.push(Waiting { time: start, age, a: NodeRef(0), b: NodeRef(0), asked: 0 });
    while let Some(Waiting { time, a: at_a, b: at_b, asked, .. }) = heap.pop() {
        if time >= visitor.cutoff() {
            break;
        }
        let (node_a, lane_a) = (&a.nodes[at_a.node::<W>()], at_a.lane::<W>());
        let (node_b, lane_b) = (&b.nodes[at_b.node::<W>()], at_b.lane::<W>());
        let (child_a, child_b) = (node_a.children[lane_a], node_b.children[lane_b]);
        visitor.turn_to(time);
        let box_a = LocalBox::of(&a.frame, &Aabb32::load(&node_a.volumes, lane_a));
        let box_b = LocalBox::of(&b.frame, &Aabb32::load(&node_b.volumes, lane_b));
        if child_a.is_leaf() && child_b.is_leaf() {
            // Asked again at their own time, leaves often have more time left than their parents knew.
            let later = visitor.first_meetings(&box_a, Asking::A, &LocalBoxes::single(&box_b))[0];
            if asked < MOST_ASKED && later > time {
                work.volumes += 1;
                age += 1;
                heap.push(Waiting { time: later, age, a: at_a, b: at_b, asked: asked + 1 });
                continue;
            }
            let (leaf_a, leaf_b) = (child_a.as_leaf(), child_b.as_leaf());
            work.primitives += u64::from(leaf_a.count) * u64::from(leaf_b.count);
            if visitor.leaves(leaf_a, leaf_b, time).is_break() {
                break;
            }
            continue;
        }
        work.volumes += W as u64;
        if work.volumes > MOST_VOLUMES {
            visitor.give_up(time);
            break;
        }
        let opens_b = child_a.is_leaf() || !child_b.is_leaf() && box_b.area() > box_a.area();
        let (opened, times) = if opens_b {
            let opened = &b.nodes[child_b.index()];
            (&opened.children, visitor.first_meetings(&box_a, Asking::A, &LocalBoxes::of(&b.frame, &opened.volumes)))
        } else {
            let opened = &a.nodes[child_a.index()];
            (&opened.children, visitor.first_meetings(&box_b, Asking::B, &LocalBoxes::of(&a.frame, &opened.volumes)))
        };
        for (lane, &meeting) in times.iter().enumerate() {
            // Written so that `NaN` keeps a pair.
            let is_late = meeting >= visitor.cutoff();
            if opened[lane] == Child::NONE || is_late {
                continue;
            }
            age += 1;
            let node = if opens_b { child_b } else { child_a };
            let opened = NodeRef::new::<W>(node.index() as u32, lane as u32);
            let (a, b) = if opens_b { (at_a, opened) } else { (opened, at_b) };
            heap.push(Waiting { time: if meeting > time { meeting } else { time }, age, a, b, asked: 0 });
        }
    }
    work
}
