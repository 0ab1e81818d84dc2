//! Warm start of contact points: impulses of the step before, given to the points of this step.
//!
//! In: the solved points of a pair, the points of its contact now. Out: an impulse for each point.
//! Method: a point takes the impulses of the point with the same features. A remaining impulse goes to the nearest
//! point without impulse, the nearest pairs first, else to the nearest point. Their normals must be nearly the same.
//! Why: features flip between equivalent ones in a heap at rest, and a manifold of four points is a choice among up to
//! eight. An impulse that is lost or given twice moves the bodies of the pair in every step, so that a heap creeps.
//! Guarantees: each known impulse is given once or, if no normal is near, not at all; the same for any number of
//! threads.
//! Cost: a sort of all pairs of points whose features differ.

use crate::response::solved::{SolvedContact, SolvedPoint};
use heurt_geometry::Vec3;
use heurt_query::ContactPoint;
use smallvec::{SmallVec, smallvec};

/// Least cosine of the angle between normals of which one takes over the impulses of the second. 0.9: 26°, less than
/// half the angle between neighbouring faces of a box.
const SAME_NORMAL: f64 = 0.9;

/// Impulses that start the solver, in N·s.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct WarmImpulse {
    pub normal: f64,
    pub tangent: Vec3,
}

impl WarmImpulse {
    fn of(point: &SolvedPoint) -> Self {
        Self { normal: point.warm_normal, tangent: point.warm_tangent }
    }

    fn add(&mut self, point: &SolvedPoint) {
        self.normal += point.warm_normal;
        self.tangent += point.warm_tangent;
    }
}

/// Returns the impulse of each point of a contact. `known` are the points of the step before.
pub(crate) fn find_warm_impulses(known: &SolvedContact, points: &[&ContactPoint]) -> SmallVec<[WarmImpulse; 4]> {
    let mut impulses: SmallVec<[WarmImpulse; 4]> = smallvec![WarmImpulse::default(); points.len()];
    let mut is_taken: SmallVec<[bool; 8]> = smallvec![false; points.len()];
    let mut left: SmallVec<[&SolvedPoint; 4]> = SmallVec::new();
    for point in &known.points {
        let same = points.iter().zip(&is_taken).position(|(at, taken)| !taken && at.features == point.features);
        match same {
            Some(at) => (impulses[at], is_taken[at]) = (WarmImpulse::of(point), true),
            None if WarmImpulse::of(point) != WarmImpulse::default() => left.push(point),
            None => {}
        }
    }
    let mut pairs = near_pairs(&left, points);
    pairs.sort_by(|p, q| p.distance_sq.total_cmp(&q.distance_sq));
    let mut is_given: SmallVec<[bool; 4]> = smallvec![false; left.len()];
    for pair in &pairs {
        if !is_given[pair.known] && !is_taken[pair.point] {
            impulses[pair.point] = WarmImpulse::of(left[pair.known]);
            (is_given[pair.known], is_taken[pair.point]) = (true, true);
        }
    }
    for pair in &pairs {
        if !is_given[pair.known] {
            impulses[pair.point].add(left[pair.known]);
            is_given[pair.known] = true;
        }
    }
    impulses
}

/// A known point and a point now, with nearly the same normal.
struct NearPair {
    distance_sq: f64,
    known: usize,
    point: usize,
}

/// Lists all pairs of a known point and a point now with nearly the same normal.
fn near_pairs(left: &[&SolvedPoint], points: &[&ContactPoint]) -> SmallVec<[NearPair; 16]> {
    let mut pairs = SmallVec::new();
    for (known, before) in left.iter().enumerate() {
        for (point, at) in points.iter().enumerate() {
            if before.motion.normal.dot(at.normal) >= SAME_NORMAL {
                let distance_sq = (before.motion.point - at.point).length_squared();
                pairs.push(NearPair { distance_sq, known, point });
            }
        }
    }
    pairs
}
