//! Drive: the velocity and the turn by which a body follows a velocity that its model chose.
//!
//! In: a heading, a chosen velocity, limits. Out: a velocity along the heading, a turn. Method: the body turns towards
//! the velocity, its tips no faster than its limit, and drives forward as much of the velocity as points forward then.
//! A rigid body drives backward as well, at half its limit at most; a chain never does, since it would fold.
//! Guarantees: no result is NaN. Cost: O(1).

use heurt_geometry::Vec2;

/// The largest speed backward, as a share of the limit.
const BACKWARD: f64 = 0.5;

/// Velocities below this share of the limit give no direction to turn to.
const STILL: f64 = 0.02;

/// Computes the velocity in m/s and the turn in radians of a body in a step of `step` seconds; `reach` is the largest
/// distance of its corners from its place.
pub(crate) fn drive(heading: Vec2, chosen: Vec2, (limit, reach, is_chain): (f64, f64, bool), step: f64) -> (Vec2, f64) {
    if chosen.length() <= STILL * limit {
        return (Vec2::ZERO, 0.0);
    }
    let most = limit * step / reach;
    let turn = libm::atan2(heading.perp_dot(chosen), heading.dot(chosen)).clamp(-most, most);
    let heading = Vec2::new(libm::cos(turn), libm::sin(turn)).rotate(heading);
    let least = if is_chain { 0.0 } else { -BACKWARD * limit };
    (heading * heading.dot(chosen).clamp(least, limit), turn)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_turn_before_they_drive() {
        let (velocity, turn) = drive(Vec2::X, Vec2::X, (2.0, 2.0, false), 0.1);
        assert_eq!((velocity, turn), (Vec2::X, 0.0));
        // Tips at 2 m move 0.2 m in the step.
        let (velocity, turn) = drive(Vec2::X, Vec2::Y, (2.0, 2.0, false), 0.1);
        assert!((turn - 0.1).abs() < 1e-15 && (velocity.length() - libm::sin(0.1)).abs() < 1e-12);
        let (back, _) = drive(Vec2::X, -2.0 * Vec2::X, (2.0, 2.0, false), 1e-6);
        assert!((back.x + 1.0).abs() < 1e-5, "{back}");
        assert_eq!(drive(Vec2::X, -Vec2::X, (2.0, 2.0, true), 1e-6).0.length(), 0.0);
        assert_eq!(drive(Vec2::X, Vec2::ZERO, (0.0, 2.0, false), 0.1), (Vec2::ZERO, 0.0));
    }
}
