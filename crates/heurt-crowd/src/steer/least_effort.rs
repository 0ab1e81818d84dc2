//! Least effort: the velocity of least energy for a metre of headway (after PLEdestrians; Guy et al. 2010).
//!
//! In: an agent and what is near it. Out: its velocity. Method: walking costs e_s + e_w v² watts for a kilogram, so a
//! metre towards the goal costs (e_s + e_w v²)/(v · g), g the direction of the path. The velocity of least cost is
//! sought among those in the half-planes of ORCA. It is the preferred one or lies on a border. On a border c n + t a
//! the minimum is at t = (√(α² + β²(e_s/e_w + c²)) − α)/β, α = c n · g and β = a · g, moved into the part that is
//! admissible. The source adds the energy of a straight rest of the path; here the rest has the chosen pace.
//! An agent whose own speed is not √(e_s/e_w) has its velocities scaled to it.
//! Guarantees: the least cost over the half-planes, up to rounding. If none of their velocities leads ahead, ORCA
//! chooses. Cost: O(half-planes²).

use super::{AgentView, HalfPlane, Orca, SteeringPolicy, half_plane, nearest_velocity};
use heurt_geometry::Vec2;

/// Headway below this, in m/s, counts as none.
const LEAST_HEADWAY: f64 = 1e-3;

/// Parameters of the model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LeastEffort {
    /// Power e_s at rest, in W/kg.
    pub resting: f64,
    /// Power e_w for the square of the speed, in W s²/(kg m²).
    pub walking: f64,
    /// The half-planes.
    pub avoidance: Orca,
}

impl Default for LeastEffort {
    /// The values of the source for an average person: 2.23 W/kg and 1.26 W s²/(kg m²), so 1.33 m/s.
    fn default() -> Self {
        Self { resting: 2.23, walking: 1.26, avoidance: Orca::default() }
    }
}

impl LeastEffort {
    /// Computes the speed of least energy on a free path, in m/s.
    ///
    /// ```
    /// use heurt_crowd::steer::LeastEffort;
    /// assert!((LeastEffort::default().best_speed() - 1.330).abs() < 5e-4);
    /// ```
    pub fn best_speed(&self) -> f64 {
        (self.resting / self.walking).sqrt()
    }

    /// Computes the energy for a metre along a unit vector, in J/(kg m); infinity without headway.
    pub fn energy(&self, velocity: Vec2, direction: Vec2) -> f64 {
        let headway = velocity.dot(direction);
        if headway < LEAST_HEADWAY {
            return f64::INFINITY;
        }
        (self.resting + self.walking * velocity.length_squared()) / headway
    }

    /// Finds the admissible velocity of least energy, at most `limit` m/s; `None` if none leads ahead.
    pub fn least(&self, planes: &[HalfPlane], limit: f64, direction: Vec2) -> Option<Vec2> {
        let best = direction * self.best_speed().min(limit);
        if planes.iter().all(|plane| best.dot(plane.normal) >= plane.least) {
            return Some(best);
        }
        let mut found = (f64::INFINITY, None);
        for (number, plane) in planes.iter().enumerate() {
            let Some([low, high]) = half_plane::border_interval(planes, number, limit) else { continue };
            let (start, along) = (plane.normal * plane.least, plane.normal.perp());
            let (ahead, rate) = (start.dot(direction), along.dot(direction));
            let square = self.resting / self.walking + plane.least * plane.least;
            let place = if rate == 0.0 { 0.0 } else { ((ahead * ahead + rate * rate * square).sqrt() - ahead) / rate };
            let velocity = start + along * place.clamp(low, high);
            let energy = self.energy(velocity, direction);
            if energy < found.0 {
                found = (energy, Some(velocity));
            }
        }
        found.1
    }
}

impl SteeringPolicy for LeastEffort {
    fn reach(&self, radii: f64) -> f64 {
        self.avoidance.reach(radii)
    }

    fn most_neighbours(&self) -> usize {
        self.avoidance.most_neighbours
    }

    fn choose(&self, view: &AgentView<'_>) -> Vec2 {
        let (mut planes, hard) = self.avoidance.half_planes(view);
        let speed = view.preferred.length();
        let scale = self.best_speed() / speed;
        if speed > 0.0 && scale.is_finite() {
            planes.iter_mut().for_each(|plane| plane.least *= scale);
            if let Some(velocity) = self.least(&planes, view.limit * scale, view.preferred / speed) {
                return velocity / scale;
            }
            planes.iter_mut().for_each(|plane| plane.least /= scale);
        }
        nearest_velocity(&planes, hard, view.limit, view.preferred)
    }
}
