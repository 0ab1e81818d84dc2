//! The words of a broad phase: filters, pairs, moves, rays, what a step and a structure report.

use crate::broad_phase::BroadPhaseKind;
use heurt_geometry::{Aabb, Vec3};

/// Names an object of a broad phase: a small number that the caller gives, best dense from 0. Arrays are indexed by it.
pub type ProxyId = u32;

/// Ids are below this number.
pub const MAX_PROXIES: u32 = 1 << 26;

/// Whether an object may move by itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Mobility {
    /// It stays where it is, and never pairs with what is static too. Its box may be updated all the same.
    Static,
    /// It moves.
    #[default]
    Moving,
}

/// With whom an object pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Filter {
    /// The groups it is in, as bits.
    pub group: u32,
    /// The groups it meets, as bits.
    pub mask: u32,
    /// Static or moving.
    pub mobility: Mobility,
}

impl Default for Filter {
    fn default() -> Self {
        Self::MOVING
    }
}

impl Filter {
    /// Moving, in group 1, meets all.
    pub const MOVING: Self = Self { group: 1, mask: u32::MAX, mobility: Mobility::Moving };
    /// Static, in group 1, meets all.
    pub const STATIC: Self = Self { group: 1, mask: u32::MAX, mobility: Mobility::Static };

    /// Reports whether each one's group meets the other's mask, and not both are static.
    ///
    /// ```
    /// use heurt_broad::Filter;
    /// let (ghost, wall) = (Filter { mask: 0, ..Filter::MOVING }, Filter::MOVING);
    /// assert!(!ghost.meets(&wall) && wall.meets(&wall));
    /// ```
    pub fn meets(&self, other: &Self) -> bool {
        let moving = self.mobility == Mobility::Moving || other.mobility == Mobility::Moving;
        moving && self.group & other.mask != 0 && other.group & self.mask != 0
    }
}

/// Two objects whose boxes overlap and whose filters meet; `a < b`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pair {
    /// The lesser id.
    pub a: ProxyId,
    /// The greater id.
    pub b: ProxyId,
}

impl Pair {
    /// Puts two different ids in order.
    ///
    /// ```
    /// use heurt_broad::Pair;
    /// assert_eq!(Pair::new(7, 3), Pair { a: 3, b: 7 });
    /// ```
    #[inline(always)]
    pub fn new(one: ProxyId, other: ProxyId) -> Self {
        Self { a: one.min(other), b: one.max(other) }
    }
}

/// The new box of an object.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Move {
    /// Whose.
    pub id: ProxyId,
    /// Its box from now on.
    pub bounds: Aabb,
}

/// A ray `origin + t·direction`, 0 ≤ t ≤ `max_t`; the direction need not be of unit length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ray {
    /// Where it starts, in metres.
    pub origin: Vec3,
    /// Where it goes.
    pub direction: Vec3,
    /// The last parameter; may be infinite.
    pub max_t: f64,
}

impl Ray {
    /// Where the ray enters `bounds`, as a parameter not below 0; `None` if it does not meet it. Every kind of broad
    /// phase gives this answer, with the roundings made here.
    ///
    /// ```
    /// use heurt_broad::Ray;
    /// use heurt_geometry::{Aabb, Vec3};
    /// let crate_ = Aabb { min: Vec3::splat(1.0), max: Vec3::splat(2.0) };
    /// let along = |max_t| Ray { origin: Vec3::new(0.0, 1.5, 1.5), direction: Vec3::X * 0.5, max_t };
    /// assert_eq!(along(f64::INFINITY).entry(&crate_), Some(2.0));
    /// assert_eq!(along(1.5).entry(&crate_), None, "it ends before");
    /// ```
    pub fn entry(&self, bounds: &Aabb) -> Option<f64> {
        let (mut enter, mut leave) = (0.0f64, self.max_t);
        for k in 0..3 {
            let (from, along) = (self.origin[k], self.direction[k]);
            if along == 0.0 {
                if !(bounds.min[k] <= from && from <= bounds.max[k]) {
                    return None;
                }
                continue;
            }
            let (one, other) = ((bounds.min[k] - from) / along, (bounds.max[k] - from) / along);
            enter = enter.max(one.min(other));
            leave = leave.min(one.max(other));
        }
        // Each is off by an ulp or two of itself: a box that is just grazed is met.
        let room = if leave.is_finite() { 8.0 * f64::EPSILON * leave.abs() } else { 0.0 };
        (enter <= leave + room).then_some(enter)
    }
}

/// A box that a ray meets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RayHit {
    /// Whose.
    pub id: ProxyId,
    /// Where the ray enters it.
    pub t: f64,
}

/// What a step changed, sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairChanges<'a> {
    /// Pairs that are there now and were not after the step before.
    pub begun: &'a [Pair],
    /// Pairs that were there after the step before and are no more.
    pub ended: &'a [Pair],
}

/// Work of the last step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StepWork {
    /// Boxes that were given again.
    pub changed: u64,
    /// Neighbours exchanged in sorted lists.
    pub swaps: u64,
    /// Tests of a box against a box, or against eight at once.
    pub box_tests: u64,
    /// Nodes of trees, or cells, that were looked into.
    pub nodes: u64,
    /// Objects that were put elsewhere in their structure.
    pub reinserted: u64,
    /// Structures that were built again.
    pub rebuilds: u64,
}

/// What a broad phase holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BroadPhaseStats {
    /// Its kind; `None` over a partition.
    pub kind: Option<BroadPhaseKind>,
    /// Objects.
    pub proxies: usize,
    /// Of which static.
    pub statics: usize,
    /// Pairs after the last step.
    pub pairs: usize,
    /// Pairs that are watched because they are near; equals `pairs` where a method watches none.
    pub candidates: usize,
    /// Memory on the heap, in bytes, room to grow included.
    pub bytes: usize,
    /// Work of the last step.
    pub work: StepWork,
}

/// Something in a broad phase that is not as it should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Fault {
    /// A pair is listed, but its boxes are disjoint or its filters do not meet.
    FalsePair(Pair),
    /// A pair is not listed, but should be.
    MissingPair(Pair),
    /// An object is not in the structure where it should be.
    Misplaced {
        /// The object.
        id: ProxyId,
        /// What is wrong.
        what: &'static str,
    },
    /// The structure is damaged.
    Structure {
        /// Where: a node, a place in a list.
        at: u32,
        /// What is wrong.
        what: &'static str,
    },
}
