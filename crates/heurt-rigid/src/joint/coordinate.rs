//! The coordinate of a joint: angle with turns, translation or distance.
//!
//! In: frames of both bodies. Out: the coordinate, its gradient as a row, and its rate.
//! Method: angle of B's first axis in the plane of A's first two axes, by `atan2`; the turn nearest to the last tracked
//! angle.
//! Cost: constant.

use super::rows::{Placed, RowShape};
use super::{Joint, JointFrame, JointKind};
use heurt_geometry::Vec3;
use std::f64::consts::TAU;

impl Joint {
    /// Computes the coordinate: the angle of a hinge in radians, the translation of a slider or the distance of the
    /// points of a distance joint in metres; 0 for other joints. The angle is the nearest to the last tracked
    /// angle, within (−π, π] if [`Joint::track`] never ran.
    pub fn coordinate(&self, frames: [&JointFrame; 2]) -> f64 {
        self.coordinate_of(&Placed::new(self, frames))
    }

    /// Computes the rate of the coordinate, in rad/s or m/s.
    pub fn coordinate_rate(&self, frames: [&JointFrame; 2]) -> f64 {
        self.coordinate_row(&Placed::new(self, frames)).map_or(0.0, |row| row.rate(frames))
    }

    /// Stores the coordinate, so that the angle of a hinge counts turns; of a ball joint the twist. Call it once each
    /// step; the angle may change by less than half a turn between calls. Frames that are not finite change nothing.
    pub fn track(&mut self, frames: [&JointFrame; 2]) {
        let at = Placed::new(self, frames);
        let coordinate = if self.kind == JointKind::Ball { self.twist_of(&at) } else { self.coordinate_of(&at) };
        if coordinate.is_finite() {
            self.tracked = coordinate;
        }
    }

    pub(super) fn coordinate_of(&self, at: &Placed) -> f64 {
        match self.kind {
            JointKind::Fixed | JointKind::Ball => 0.0,
            JointKind::Slider => at.offset.dot(at.axes[0].z_axis),
            JointKind::Distance => at.offset.length(),
            JointKind::Hinge => {
                let [along, across] = angle_components(at);
                let angle = libm::atan2(across, along);
                angle + TAU * libm::rint((self.tracked - angle) / TAU)
            }
        }
    }

    /// Returns the gradient of the coordinate; `None` for joints without one.
    pub(super) fn coordinate_row(&self, at: &Placed) -> Option<RowShape> {
        match self.kind {
            JointKind::Fixed | JointKind::Ball => None,
            JointKind::Slider => Some(at.carried_row(at.axes[0].z_axis)),
            JointKind::Distance => Some(at.anchor_row(at.offset.try_normalize().unwrap_or(Vec3::Z))),
            JointKind::Hinge => Some(RowShape::angular(angle_gradient(at))),
        }
    }
}

/// Returns the components of B's first axis along A's first and second axes.
fn angle_components(at: &Placed) -> [f64; 2] {
    let first = at.axes[1].x_axis;
    [first.dot(at.axes[0].x_axis), first.dot(at.axes[0].y_axis)]
}

/// Returns the gradient of the angle for the relative angular velocity: A's axis if the axes of A and B coincide.
fn angle_gradient(at: &Placed) -> Vec3 {
    // Below this the axis of B is more than 60° off, and the angle changes fast with errors of the joint.
    const ALIGNED: f64 = 0.25;
    let [along, across] = angle_components(at);
    let square = along * along + across * across;
    if square.is_nan() || square < ALIGNED {
        return at.axes[0].z_axis;
    }
    at.axes[1].x_axis.cross(at.axes[0].y_axis * along - at.axes[0].x_axis * across) / square
}
