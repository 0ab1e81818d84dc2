//! Balls in the colours of their own speeds: agents that fly, and discs on curved ground.

use super::agent_view::SpeedScale;
use crate::{Surface, SurfaceOptions, surface_of};
use heurt_shape::{Convex, Shape};

/// Points are drawn as balls of this radius, in metres.
pub(super) const LEAST_RADIUS: f64 = 0.05;

/// Segments around a ball: hundreds of balls have some pixels each.
const SEGMENTS: u32 = 12;

/// The least and the largest own speed of the agents of a crowd, in m/s.
#[derive(Debug, Clone, Copy)]
pub(super) struct SpeedRange {
    least: f64,
    most: f64,
}

impl SpeedRange {
    pub const SCALE: SpeedScale = SpeedScale { label: "Own speed", names: ["the slowest", "between", "the fastest"] };

    pub fn of(speeds: impl Iterator<Item = f64>) -> Self {
        let [least, most] = speeds.fold([f64::INFINITY, 0.0], |[a, b], speed| [f64::min(a, speed), f64::max(b, speed)]);
        Self { least, most }
    }

    /// Returns the place of a speed in the range, from 0 to 1; 1 if all speeds are equal.
    pub fn share(&self, speed: f64) -> f64 {
        if self.most > self.least { (speed - self.least) / (self.most - self.least) } else { 1.0 }
    }
}

/// Makes the surface of a ball. Facets of so coarse a ball are no edges of it.
pub(super) fn ball_surface(radius: f64) -> Surface {
    let options = SurfaceOptions { segments: SEGMENTS, ..SurfaceOptions::default() };
    let mut surface =
        Convex::sphere(radius).map_or_else(|_| Surface::default(), |ball| surface_of(&Shape::from(ball), &options));
    surface.edges.clear();
    surface
}
