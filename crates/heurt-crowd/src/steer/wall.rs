//! Push of walls: a force law of the distance, for walls in any number of pieces.
//!
//! In: segments of walls, a place, a law f of the distance. Out: for each piece the share of its force that counts.
//! Method: a piece with its nearest point at the distance d and the unit vector n away from it wants the push f(d). The
//! shares have the least S² + |F|² for which (S + F · n)/2 ≥ f(d) for every piece, where S is the sum of the pushes and
//! F their vector sum. So a push counts for near directions too, and not for the opposite one. This is a projection on
//! a convex set with three unknowns, by sweeps over the pieces (Hildreth 1957).
//! Guarantees: one wall has its force in full, and both sides of a corridor have both; F is continuous in the place,
//! also at corners. A straight wall has one force in any number of pieces where f(d / cos ψ) ≤ f(d)(1 + cos ψ)/2: for
//! e^(−d/B) from d = B/2 on, for (R − d)² from d = R/5 on. Two walls at a right angle have 0.94 of one force.
//! Not guaranteed: shares of single pieces are unique where more than three count. Cost: O(pieces²) a sweep.

use heurt_geometry::Vec2;
use smallvec::SmallVec;

/// How far walls are seen, in metres: further than the range of each force.
pub const WALL_SIGHT: f64 = 2.0;

/// The largest number of sweeps: at a right angle each leaves a quarter of the error, and 20 leave 1e-12.
const MOST_SWEEPS: usize = 40;

/// Sweeps end when no push changes by more than this share of the largest.
const SETTLED: f64 = 1e-13;

/// A wall near an agent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearWall {
    /// Its ends, in metres.
    pub segment: [Vec2; 2],
    /// Its point nearest to the centre of the agent.
    pub nearest: Vec2,
}

/// A wall that pushes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PushingWall {
    /// Unit vector from its nearest point to the agent.
    pub away: Vec2,
    /// Distance of the centre of the agent, in metres.
    pub distance: f64,
    /// Share of its force that counts, from 0 to 1.
    pub share: f64,
}

impl NearWall {
    /// Finds the point of a segment nearest to a place.
    pub fn new(segment: [Vec2; 2], place: Vec2) -> Self {
        Self { segment, nearest: crate::ground::nearest_on(segment, place) }
    }
}

/// Finds the walls that push, the strongest first, under a force law of the distance in metres.
///
/// ```
/// use heurt_crowd::steer::{NearWall, pushing_walls};
/// use heurt_geometry::Vec2;
/// let place = Vec2::new(0.2, 0.5);
/// let at = |k: u32| Vec2::new(f64::from(k) - 3.0, 0.0);
/// let pieces: Vec<NearWall> = (0..6).map(|k| NearWall::new([at(k), at(k + 1)], place)).collect();
/// let pushing = pushing_walls(&pieces, place, |distance| 1.0 / distance);
/// assert_eq!((pushing.len(), pushing[0].away, pushing[0].share), (1, Vec2::Y, 1.0));
/// ```
pub fn pushing_walls(walls: &[NearWall], place: Vec2, law: impl Fn(f64) -> f64) -> SmallVec<[PushingWall; 8]> {
    let mut pushes: SmallVec<[(PushingWall, f64); 8]> = SmallVec::new();
    for wall in walls {
        let offset = place - wall.nearest;
        let (away, distance) = (offset.normalize_or_zero(), offset.length());
        let wanted = law(distance);
        if away != Vec2::ZERO && wanted > 0.0 && wanted.is_finite() {
            pushes.push((PushingWall { away, distance, share: 0.0 }, wanted));
        }
    }
    pushes.sort_by(|a, b| b.1.total_cmp(&a.1));
    let most = pushes.first().map_or(0.0, |push| push.1);
    // The push of a piece is its share times what it wants.
    let (mut sum, mut vector) = (0.0, Vec2::ZERO);
    for _ in 0..MOST_SWEEPS {
        let mut change = 0.0_f64;
        for (push, wanted) in &mut pushes {
            let missing = *wanted - 0.5 * (sum + vector.dot(push.away));
            let share = (push.share + missing / *wanted).max(0.0);
            let moved = (share - push.share) * *wanted;
            // Rounding of what a nearer piece covers.
            if moved.abs() <= SETTLED * most {
                continue;
            }
            push.share = share;
            (sum, vector) = (sum + moved, vector + push.away * moved);
            change = change.max(moved.abs());
        }
        if change <= SETTLED * most {
            break;
        }
    }
    pushes.into_iter().map(|(push, _)| push).filter(|push| push.share > 0.0).collect()
}

/// Sums the pushes of walls under a force law of the distance.
pub(super) fn push_of_walls(walls: &[NearWall], place: Vec2, law: impl Fn(f64) -> f64) -> Vec2 {
    let push = |push: PushingWall| push.away * (push.share * law(push.distance));
    pushing_walls(walls, place, &law).into_iter().map(push).fold(Vec2::ZERO, |sum, push| sum + push)
}
