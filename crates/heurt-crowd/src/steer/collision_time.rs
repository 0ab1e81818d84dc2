//! Time to collision: a disc that moves in a straight line against a disc and against segments.
//!
//! In: offsets, velocities, radii. Out: [`Collision`]: the time until contact and the normal there.
//! Method: the smaller root of |x + vt| = R for discs; for a segment the crossing of its line, moved by the radius, and
//! the discs round its ends, whichever comes first.
//! Guarantees: no result is NaN. Discs in overlap that approach each other have the time 0. Cost: one square root a
//! disc.

use super::{AgentView, NearWall};
use heurt_geometry::Vec2;

/// The contact that an agent is on course for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Collision {
    /// Seconds until contact.
    pub time: f64,
    /// Unit vector at the contact, from the obstacle to the agent.
    pub normal: Vec2,
    /// The speed along the normal with which they approach, in m/s; above 0.
    pub approach: f64,
}

/// Finds the collision of two discs. `offset` leads from the obstacle to the agent. `velocity` belongs to the agent,
/// relative to the obstacle. `radii` is the sum of both radii.
///
/// ```
/// use heurt_crowd::steer::collision_of_discs;
/// use heurt_geometry::Vec2;
/// let hit = collision_of_discs(Vec2::new(-4.0, 0.0), Vec2::new(2.0, 0.0), 1.0).ok_or("they meet")?;
/// assert_eq!((hit.time, hit.normal, hit.approach), (1.5, Vec2::NEG_X, 2.0));
/// # Ok::<(), &'static str>(())
/// ```
pub fn collision_of_discs(offset: Vec2, velocity: Vec2, radii: f64) -> Option<Collision> {
    let (towards, speed_sq) = (-offset.dot(velocity), velocity.length_squared());
    if towards <= 0.0 || speed_sq <= 0.0 {
        return None;
    }
    let gap_sq = offset.length_squared() - radii * radii;
    if gap_sq <= 0.0 {
        let normal = offset.normalize_or_zero();
        let approach = -normal.dot(velocity);
        return (approach > 0.0).then_some(Collision { time: 0.0, normal, approach });
    }
    let root = towards * towards - speed_sq * gap_sq;
    if root <= 0.0 {
        return None;
    }
    // The form of the smaller root that does not cancel.
    let time = gap_sq / (towards + root.sqrt());
    let normal = (offset + velocity * time) / radii;
    (radii > 0.0).then_some(Collision { time, normal, approach: root.sqrt() / radii })
}

/// Finds the collision of a disc at `place` with a segment.
pub fn collision_with_wall(place: Vec2, velocity: Vec2, radius: f64, wall: &NearWall) -> Option<Collision> {
    let from_nearest = place - wall.nearest;
    if from_nearest.length_squared() <= radius * radius {
        let normal = from_nearest.normalize_or_zero();
        let approach = -normal.dot(velocity);
        return (approach > 0.0).then_some(Collision { time: 0.0, normal, approach });
    }
    let [a, b] = wall.segment;
    let along = (b - a).normalize_or_zero();
    let side = along.perp().dot(place - a);
    let normal = if side < 0.0 { -along.perp() } else { along.perp() };
    let approach = -normal.dot(velocity);
    if approach > 0.0 && side.abs() >= radius {
        let time = (side.abs() - radius) / approach;
        let foot = along.dot(place + velocity * time - a);
        if foot >= 0.0 && foot <= a.distance(b) {
            return Some(Collision { time, normal, approach });
        }
    }
    let ends = [a, b].into_iter().filter_map(|end| collision_of_discs(place - end, velocity, radius));
    ends.min_by(|a, b| a.time.total_cmp(&b.time))
}

/// Finds the first collision with walls: the same for a wall in any number of pieces.
pub(super) fn first_wall(view: &AgentView<'_>, velocity: Vec2) -> Option<Collision> {
    let hits = view.walls.iter().filter_map(|wall| collision_with_wall(view.position, velocity, view.radius, wall));
    hits.min_by(|a, b| a.time.total_cmp(&b.time))
}
