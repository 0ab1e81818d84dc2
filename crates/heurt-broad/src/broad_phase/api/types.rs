//! Types of a broad phase: filters, pairs, moves, rays, step results and statistics.

use crate::broad_phase::BroadPhaseKind;
use heurt_geometry::{Aabb, Vec3};

/// Id of an object of a broad phase: a small number given by the caller, best dense from 0. Arrays are indexed by it.
pub type ProxyId = u32;

/// Ids are below this number.
pub const MAX_PROXIES: u32 = 1 << 26;

/// Mobility of an object.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Mobility {
    /// Static: never pairs with another static object. Its box may still be updated.
    Static,
    /// Moving.
    #[default]
    Moving,
}

/// Filter: determines which objects pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Filter {
    /// Its groups, as bits.
    pub group: u32,
    /// The groups that it pairs with, as bits.
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

    /// Reports whether the group of each filter meets the mask of the opposite filter, and not both are static.
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
    /// Creates a pair from two different ids, in order.
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
    /// Id of the object.
    pub id: ProxyId,
    /// Its new box.
    pub bounds: Aabb,
}

/// A ray `origin + t·direction`, 0 ≤ t ≤ `max_t`; the direction need not be of unit length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ray {
    /// Origin, in metres.
    pub origin: Vec3,
    /// Direction.
    pub direction: Vec3,
    /// Last parameter; may be infinite.
    pub max_t: f64,
}

impl Ray {
    /// Returns the parameter, at least 0, at which the ray enters `bounds`; `None` if it does not meet it. Every kind
    /// of broad phase returns this value, with the roundings made here.
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
        // Each parameter has a relative error of an ulp or two: a grazed box counts as met.
        let room = if leave.is_finite() { 8.0 * f64::EPSILON * leave.abs() } else { 0.0 };
        (enter <= leave + room).then_some(enter)
    }
}

/// A box that a ray meets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RayHit {
    /// Id of the object.
    pub id: ProxyId,
    /// Parameter at which the ray enters the box.
    pub t: f64,
}

/// Changes of a step, sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairChanges<'a> {
    /// Pairs that exist now and did not after the previous step.
    pub begun: &'a [Pair],
    /// Pairs that existed after the previous step and do not now.
    pub ended: &'a [Pair],
}

/// Work of the last step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StepWork {
    /// Updated boxes.
    pub changed: u64,
    /// Neighbours exchanged in sorted lists.
    pub swaps: u64,
    /// Tests of a box against a box, or against eight at once.
    pub box_tests: u64,
    /// Visited nodes of trees, or cells.
    pub nodes: u64,
    /// Objects that were moved within their structure.
    pub reinserted: u64,
    /// Rebuilt structures.
    pub rebuilds: u64,
}

/// Statistics of a broad phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BroadPhaseStats {
    /// Its kind; `None` over a partition.
    pub kind: Option<BroadPhaseKind>,
    /// Number of objects.
    pub proxies: usize,
    /// Number of static objects.
    pub statics: usize,
    /// Number of pairs after the last step.
    pub pairs: usize,
    /// Number of candidate pairs, which are near; equals `pairs` if a method keeps no candidates.
    pub candidates: usize,
    /// Memory on the heap, in bytes, including spare capacity.
    pub bytes: usize,
    /// Work of the last step.
    pub work: StepWork,
}

/// A fault in a broad phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Fault {
    /// A pair is listed, but its boxes are disjoint or its filters do not meet.
    FalsePair(Pair),
    /// A pair is not listed, but should be.
    MissingPair(Pair),
    /// An object is not in the structure where it should be.
    Misplaced {
        /// Id of the object.
        id: ProxyId,
        /// Description of the fault.
        what: &'static str,
    },
    /// The structure is damaged.
    Structure {
        /// Location: a node, an index in a list.
        at: u32,
        /// Description of the fault.
        what: &'static str,
    },
}
