//! Half-planes of velocities: the admissible velocity nearest to a preferred one.
//!
//! In: half-planes v · n ≥ c, a speed limit, a preferred velocity. Out: a velocity.
//! Method: linear programming in the plane, one half-plane after another (de Berg et al.; van den Berg et al. 2011). If
//! no velocity is admissible, the result has the least largest violation; the first half-planes may be hard.
//! Guarantees: the velocity violates a half-plane of a feasible set by rounding only. Cost: O(n²) at worst, O(n)
//! expected for half-planes in random order.

use heurt_geometry::Vec2;

/// Velocities v with v · normal ≥ least, in m/s.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HalfPlane {
    /// Unit vector into the half-plane.
    pub normal: Vec2,
    /// Least component along it.
    pub least: f64,
}

/// The objective on a disc of velocities.
#[derive(Clone, Copy)]
enum Aim {
    Nearest(Vec2),
    /// As far as possible along a unit vector.
    Along(Vec2),
}

/// Finds the velocity of at most `limit` m/s in all half-planes that is nearest to `preferred`, or, if there is none,
/// the velocity that violates those after the first `hard` least.
pub fn nearest_velocity(planes: &[HalfPlane], hard: usize, limit: f64, preferred: Vec2) -> Vec2 {
    match solve(planes, limit, Aim::Nearest(preferred)) {
        Ok(velocity) => velocity,
        Err((failed, velocity)) => least_violation(planes, hard, failed, limit, velocity),
    }
}

/// Finds the velocity nearest to `preferred` in all half-planes; `None` if there is none.
pub fn admissible_velocity(planes: &[HalfPlane], limit: f64, preferred: Vec2) -> Option<Vec2> {
    solve(planes, limit, Aim::Nearest(preferred)).ok()
}

/// Solves in order; on failure returns the half-plane that failed and the best velocity before it.
fn solve(planes: &[HalfPlane], limit: f64, aim: Aim) -> Result<Vec2, (usize, Vec2)> {
    let mut velocity = match aim {
        Aim::Nearest(preferred) => preferred.clamp_length_max(limit),
        Aim::Along(direction) => direction * limit,
    };
    for (number, plane) in planes.iter().enumerate() {
        if velocity.dot(plane.normal) < plane.least {
            velocity = on_border(planes, number, limit, aim).ok_or((number, velocity))?;
        }
    }
    Ok(velocity)
}

/// Solves on the border of a half-plane, with the half-planes before it.
fn on_border(planes: &[HalfPlane], number: usize, limit: f64, aim: Aim) -> Option<Vec2> {
    let HalfPlane { normal, least } = planes[number];
    let [low, high] = interval(&planes[number], planes[..number].iter(), limit)?;
    let (start, along) = (normal * least, normal.perp());
    let place = match aim {
        Aim::Nearest(preferred) => preferred.dot(along).clamp(low, high),
        Aim::Along(direction) => {
            if direction.dot(along) > 0.0 {
                high
            } else {
                low
            }
        }
    };
    Some(start + along * place)
}

/// Finds the part of the border of a half-plane that is in all further ones and the speed limit, as places along
/// `normal.perp()`.
pub(super) fn border_interval(planes: &[HalfPlane], number: usize, limit: f64) -> Option<[f64; 2]> {
    interval(&planes[number], planes[..number].iter().chain(&planes[number + 1..]), limit)
}

fn interval<'a>(plane: &HalfPlane, planes: impl Iterator<Item = &'a HalfPlane>, limit: f64) -> Option<[f64; 2]> {
    let HalfPlane { normal, least } = *plane;
    let half = limit * limit - least * least;
    if half < 0.0 {
        return None;
    }
    let (start, along) = (normal * least, normal.perp());
    let (mut low, mut high) = (-half.sqrt(), half.sqrt());
    for plane in planes {
        let (rate, missing) = (plane.normal.dot(along), plane.least - plane.normal.dot(start));
        if rate.abs() <= 1e-12 {
            // Parallel borders: nothing or all of this one is in it.
            if missing > 1e-12 * limit {
                return None;
            }
        } else if rate > 0.0 {
            low = low.max(missing / rate);
        } else {
            high = high.min(missing / rate);
        }
        if low > high {
            return None;
        }
    }
    Some([low, high])
}

/// Finds the velocity whose largest violation is least, from the half-plane that failed on.
fn least_violation(planes: &[HalfPlane], hard: usize, failed: usize, limit: f64, start: Vec2) -> Vec2 {
    let (mut velocity, mut worst) = (start, 0.0);
    let mut relative: Vec<HalfPlane> = Vec::with_capacity(planes.len());
    for number in failed.max(hard)..planes.len() {
        let plane = planes[number];
        if plane.least - plane.normal.dot(velocity) <= worst {
            continue;
        }
        // Velocities that violate this half-plane no less than each of the earlier ones.
        relative.clear();
        relative.extend_from_slice(&planes[..hard]);
        for earlier in &planes[hard..number] {
            let normal = earlier.normal - plane.normal;
            let length = normal.length();
            if length > 1e-12 {
                let least = (earlier.least - plane.least) / length;
                relative.push(HalfPlane { normal: normal / length, least });
            }
        }
        if let Ok(better) = solve(&relative, limit, Aim::Along(plane.normal)) {
            velocity = better;
        }
        worst = plane.least - plane.normal.dot(velocity);
    }
    velocity
}
