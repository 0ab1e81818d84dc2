//! Velocity obstacles of walls: the truncated cone of a segment as a half-plane of velocities.
//!
//! In: an agent, a segment, a time horizon τ, a preferred velocity w. Out: a half-plane of velocities, all of which
//! keep the agent clear of the segment for τ seconds.
//! Method: K is the stadium of the radius r round the segment from a to b, seen from the centre. The velocities that
//! meet the segment within τ are ∪ sK/τ for s ≥ 1, a convex set whose directions lie between the two tangents of K
//! through the centre. Its signed distance at τw is the largest of min(n · (τw − a), n · (τw − b)) − r over the unit
//! vectors n that make no acute angle with either tangent. The largest is at a tangent's normal, at the normal of the
//! segment, or along τw − a or τw − b. RVO2 (van den Berg et al.) distinguishes cases instead and begins from the
//! velocity of the last step. A tangent at an end where another wall goes on, straight or as an inner corner, would
//! lead into that wall; the normal of the segment replaces it, if the agent sees the segment from the front.
//! Guarantees: the half-plane has no velocity of the cone; rest is in it. Not guaranteed: a full speed past acute
//! inner corners. Cost: O(walls near) for the joints of a wall.

use super::{AgentView, HalfPlane, NearWall};
use heurt_geometry::Vec2;

/// Walls whose ends differ by less than this, in metres, are joined: ends of one ring are equal to the bit.
const JOINT: f64 = 1e-9;

/// Computes the half-plane of velocities that keep clear of a wall for `horizon` seconds; `walls` are all walls near.
///
/// ```
/// use heurt_crowd::steer::{NearWall, wall_half_plane};
/// use heurt_geometry::Vec2;
/// let wall = NearWall::new([Vec2::new(1.0, -3.0), Vec2::new(1.0, 3.0)], Vec2::ZERO);
/// let plane = wall_half_plane(Vec2::ZERO, 0.2, &wall, &[wall], 2.0, Vec2::X).ok_or("no wall at the centre")?;
/// // At most the gap of 0.8 m in 2 s.
/// assert!((plane.normal + Vec2::X).length() < 1e-12 && (plane.least + 0.4).abs() < 1e-12);
/// # Ok::<(), &'static str>(())
/// ```
pub fn wall_half_plane(
    position: Vec2,
    radius: f64,
    wall: &NearWall,
    walls: &[NearWall],
    horizon: f64,
    preferred: Vec2,
) -> Option<HalfPlane> {
    let nearest = position - wall.nearest;
    let distance = nearest.length();
    let (tangents, ends) = match (tangents_of(position, radius, wall), wall.segment.map(|end| end - position)) {
        (Some(tangents), ends) if distance > radius => (tangents, ends),
        // The agent touches the wall and gets no closer.
        _ => {
            let normal = nearest.normalize_or_zero();
            return (normal != Vec2::ZERO).then_some(HalfPlane { normal, least: 0.0 });
        }
    };
    let [a, b] = ends;
    let [left, right] = tangents;
    let target = preferred * horizon;
    let across = (b - a).normalize_or_zero().perp();
    // Towards the centre.
    let front = if across.dot(a) > 0.0 { -across } else { across };
    let is_allowed = |normal: Vec2| normal != Vec2::ZERO && normal.dot(left) <= 1e-12 && normal.dot(right) <= 1e-12;
    let clearance = |normal: Vec2| normal.dot(target - a).min(normal.dot(target - b)) - radius;
    let round = [(target - a).normalize_or_zero(), (target - b).normalize_or_zero(), front];
    let (mut best, mut most) = (left.perp(), clearance(left.perp()));
    for normal in [-right.perp()].into_iter().chain(round.into_iter().filter(|&normal| is_allowed(normal))) {
        let value = clearance(normal);
        if value > most {
            (best, most) = (normal, value);
        }
    }
    // The end of the wall that the border belongs to.
    let is_first = best.dot(a) > best.dot(b);
    let end = wall.segment[usize::from(!is_first)];
    // The foot of the agent is not beyond the end that is free.
    let is_opposite = if is_first { b.dot(b - a) >= 0.0 } else { a.dot(b - a) <= 0.0 };
    if best != front
        && is_opposite
        && is_allowed(front)
        && goes_on(position, end, wall, walls)
        && !is_hidden(position, wall, walls)
    {
        best = front;
    }
    Some(HalfPlane { normal: best, least: (best.dot(a).max(best.dot(b)) + radius) / horizon })
}

/// Finds the unit vectors along the left and the right tangent through the centre of the agent.
fn tangents_of(position: Vec2, radius: f64, wall: &NearWall) -> Option<[Vec2; 2]> {
    let tangents = |end: Vec2| {
        let offset = end - position;
        let distance_sq = offset.length_squared();
        let leg_sq = distance_sq - radius * radius;
        (leg_sq > 0.0).then(|| {
            let turned = |by: f64| (offset * leg_sq.sqrt() + offset.perp() * by) / distance_sq;
            [turned(radius), turned(-radius)]
        })
    };
    let [a, b] = [tangents(wall.segment[0])?, tangents(wall.segment[1])?];
    let left = if a[0].perp_dot(b[0]) > 0.0 { b[0] } else { a[0] };
    let right = if a[1].perp_dot(b[1]) < 0.0 { b[1] } else { a[1] };
    Some([left, right])
}

/// Reports whether another wall goes on at the end of a wall, straight or as an inner corner with the agent in it. Both
/// walls then lie on the agent's side of the line of each. A wall that runs back along the first one, as along a ramp,
/// does not go on.
fn goes_on(position: Vec2, end: Vec2, wall: &NearWall, walls: &[NearWall]) -> bool {
    let is_joint = |place: Vec2| place.distance_squared(end) <= JOINT * JOINT;
    let on_side = |along: Vec2, offset: Vec2| {
        let side = along.perp_dot(position - end);
        side * along.perp_dot(offset) >= -1e-9 * side.abs() * along.length() * offset.length()
    };
    let runs_back = |back: Vec2, beyond: Vec2| {
        back.dot(beyond) > 0.0 && back.perp_dot(beyond).abs() <= 1e-9 * back.length() * beyond.length()
    };
    let [a, b] = wall.segment;
    let back = if is_joint(a) { b - a } else { a - b };
    walls.iter().filter(|other| other.segment != wall.segment).any(|other| {
        let [c, d] = other.segment;
        let beyond = if is_joint(c) { d - c } else { c - d };
        (is_joint(c) || is_joint(d)) && !runs_back(back, beyond) && on_side(back, beyond) && on_side(beyond, back)
    })
}

/// Reports whether another wall lies between the agent and a wall.
fn is_hidden(position: Vec2, wall: &NearWall, walls: &[NearWall]) -> bool {
    let sight = wall.nearest - position;
    walls.iter().filter(|other| other.segment != wall.segment).any(|other| {
        let [c, d] = other.segment;
        let along = d - c;
        let crosses_line = along.perp_dot(position - c) * along.perp_dot(wall.nearest - c) < 0.0;
        crosses_line && sight.perp_dot(c - position) * sight.perp_dot(d - position) < 0.0
    })
}

/// Computes the half-planes of all walls that an agent can meet within `horizon` seconds.
pub(super) fn wall_planes<'a>(view: &'a AgentView<'a>, horizon: f64) -> impl Iterator<Item = HalfPlane> + 'a {
    let reach = view.radius + view.limit * horizon;
    let is_near = move |wall: &&NearWall| wall.nearest.distance_squared(view.position) < reach * reach;
    let plane = move |wall| wall_half_plane(view.position, view.radius, wall, view.walls, horizon, view.preferred);
    view.walls.iter().filter(is_near).filter_map(plane)
}
