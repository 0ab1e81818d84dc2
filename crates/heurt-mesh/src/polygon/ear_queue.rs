//! Ear clipping of large polygons with a queue of corners and a k-d tree over the reflex ones.
//!
//! In: the projected corners of a polygon that runs counter-clockwise. Out: n − 2 triangles.
//! Method: repeated consecutive corners are cut first. All corners are queued; an ear that comes up is cut, and its
//! neighbours are queued again, because in a simple polygon only they can have become ears (Eberly, "Triangulation by
//! ear clipping" (2002)). If the queue is empty, all corners are tried once more, then corners of no area are cut, one
//! round of them at a time; if that changes nothing, what is left crosses itself and becomes a fan.
//! Guarantees: as those of the ear clipping of small polygons: a simple polygon is tiled, exactly. In a polygon that is
//! not simple, a corner that turns counter-clockwise may lie in an ear unseen, and a cut may make a corner reflex; its
//! triangles are n − 2 as well, but may overlap.
//! Cost: O(n log n) where ears are small, O(n √n) where they are long, up to a budget, beyond which the rest becomes a
//! fan.

use std::collections::VecDeque;

use heurt_geometry::{Sign, Vec2, orient2d};

use super::reflex_tree::ReflexTree;

/// Units of the budget for a node of the tree that is visited, and for a corner that is tested.
const NODE: u64 = 4;

/// The polygon while ears are cut.
struct EarRing<'a> {
    points: &'a [Vec2],
    corners: &'a [u32],
    next: Vec<u32>,
    previous: Vec<u32>,
    is_cut: Vec<bool>,
    left: u32,
    reflex: ReflexTree,
    queue: VecDeque<u32>,
    is_queued: Vec<bool>,
}

/// Triangulates a polygon of at least three corners; takes the work from the budget.
pub(super) fn cut_ears(points: &[Vec2], corners: &[u32], budget: &mut u64, triangles: &mut Vec<[u32; 3]>) {
    let count = corners.len() as u32;
    let mut ring = EarRing {
        points,
        corners,
        next: (1..count).chain([0]).collect(),
        previous: [count - 1].into_iter().chain(0..count - 1).collect(),
        is_cut: vec![false; corners.len()],
        left: count,
        reflex: ReflexTree::default(),
        queue: VecDeque::new(),
        is_queued: vec![false; corners.len()],
    };
    let start = ring.cut_repeats(triangles);
    ring.collect_reflex(start);
    let start = ring.cut_all(start, budget, triangles);
    let mut at = ring.next[start as usize];
    for _ in 2..ring.left {
        let after = ring.next[at as usize];
        triangles.push([start, at, after].map(|i| corners[i as usize]));
        at = after;
    }
}

impl EarRing<'_> {
    fn turn(&self, at: u32) -> Sign {
        let [a, b, c] = self.around(at).map(|i| self.points[i as usize]);
        orient2d(a, b, c)
    }

    /// A corner between its neighbours.
    fn around(&self, at: u32) -> [u32; 3] {
        [self.previous[at as usize], at, self.next[at as usize]]
    }

    /// Takes a corner out; returns the corner after it.
    fn cut(&mut self, at: u32, triangles: &mut Vec<[u32; 3]>) -> u32 {
        let [before, _, after] = self.around(at);
        triangles.push([before, at, after].map(|i| self.corners[i as usize]));
        self.next[before as usize] = after;
        self.previous[after as usize] = before;
        self.is_cut[at as usize] = true;
        self.left -= 1;
        after
    }

    /// Cuts each corner that coincides with its predecessor; returns a corner that is left.
    fn cut_repeats(&mut self, triangles: &mut Vec<[u32; 3]>) -> u32 {
        let mut at = 0;
        for _ in 0..self.corners.len() {
            let after = self.next[at as usize];
            if self.left > 3 && self.points[after as usize] == self.points[at as usize] {
                self.cut(after, triangles);
            } else {
                at = after;
            }
        }
        at
    }

    /// Puts the corners into the tree that do not turn counter-clockwise. In a simple polygon, only these can lie in an
    /// ear.
    fn collect_reflex(&mut self, start: u32) {
        let reflex = self.alive(start).filter(|&at| self.turn(at) != Sign::Positive).collect();
        self.reflex = ReflexTree::new(self.points, reflex);
    }

    /// The corners that are left, from `start` on.
    fn alive(&self, start: u32) -> impl Iterator<Item = u32> {
        let next = |&at: &u32| Some(self.next[at as usize]);
        std::iter::successors(Some(start), next).take(self.left as usize)
    }

    /// Queues all corners, every second one first: that keeps slivers away from one corner.
    fn queue_all(&mut self, start: u32) {
        let all: Vec<u32> = self.alive(start).collect();
        let halves = all.iter().skip(1).step_by(2).chain(all.iter().step_by(2));
        halves.for_each(|&at| self.enqueue(at));
    }

    fn enqueue(&mut self, at: u32) {
        if !std::mem::replace(&mut self.is_queued[at as usize], true) {
            self.queue.push_back(at);
        }
    }

    /// Cuts corners until three are left, no more can be cut, or the budget is used up; returns a corner that is left.
    fn cut_all(&mut self, start: u32, budget: &mut u64, triangles: &mut Vec<[u32; 3]>) -> u32 {
        let mut at = start;
        self.queue_all(at);
        // The number of corners that were left when all were queued last, and when corners of no area were cut last.
        let (mut queued_at, mut scanned_at) = (self.left, u32::MAX);
        // The corners that are still to be examined for no area.
        let mut scan = 0u32;
        while self.left > 3 && *budget > 0 {
            *budget -= 1;
            if let Some(corner) = self.queue.pop_front() {
                self.is_queued[corner as usize] = false;
                if !self.is_cut[corner as usize] && self.is_ear(corner, budget) {
                    at = self.cut_and_queue(corner, triangles);
                }
            } else if scan > 0 {
                scan -= 1;
                if self.turn(at) == Sign::Zero {
                    at = self.cut_and_queue(at, triangles);
                } else {
                    at = self.next[at as usize];
                }
            } else if queued_at != self.left {
                queued_at = self.left;
                self.queue_all(at);
            } else if scanned_at != self.left {
                (scanned_at, scan) = (self.left, self.left);
            } else {
                break;
            }
        }
        at
    }

    /// Cuts a corner and queues its neighbours; returns the next corner.
    fn cut_and_queue(&mut self, at: u32, triangles: &mut Vec<[u32; 3]>) -> u32 {
        let [before, _, after] = self.around(at);
        self.cut(at, triangles);
        self.reflex.remove(at);
        for neighbour in [before, after] {
            if self.reflex.contains(neighbour) && self.turn(neighbour) == Sign::Positive {
                self.reflex.remove(neighbour);
            }
            self.enqueue(neighbour);
        }
        after
    }

    /// Reports whether a corner turns counter-clockwise, and no reflex corner lies in its triangle.
    fn is_ear(&self, at: u32, budget: &mut u64) -> bool {
        if self.turn(at) != Sign::Positive {
            return false;
        }
        let mut work = 0;
        let triangle = self.around(at).map(|i| self.points[i as usize]);
        let is_free = !self.reflex.meets(self.points, triangle, &mut work);
        *budget = budget.saturating_sub(NODE * work);
        is_free
    }
}
