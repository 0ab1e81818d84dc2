//! View volume of a camera: six planes, and the sides on which points, spheres and boxes lie.
//!
//! In: a view and a projection; objects in the world, in metres. Out: [`ViewVolume`], [`Visibility`].
//! Method: the normal of each side follows from its inequality in the frame of the camera. A right side holds
//! `h · d − x ≥ 0` in a perspective and `h − x − s · (d − t) ≥ 0` otherwise, with depth d, half width h, slope s and
//! true depth t. Distances are measured from the eye, so that a camera far from the origin of the world loses no
//! digits. A box is tested by its most distant and its nearest corner along each normal (Assarsson and Möller 2000).
//! Guarantees: an object with a point in the volume is never reported outside, and one reported inside lies in it. The
//! volume is the exact set of the rounded axes and extents. `MARGIN` bounds all roundings: those of a normal are at
//! most 7u in each component, those of an offset from the eye u, those of a product with it 3u, so that the sum is
//! within 11u · |offset|₁; the distance of the plane adds 10u, the final sums 3u (u = 2⁻⁵³).
//! Not guaranteed: an object near an edge of the volume may be outside and yet cross no single plane; spheres and boxes
//! are then reported as intersecting. A point within the margin of a plane is reported as intersecting, too.

use super::{Projection, View};
use crate::{Aabb, Draw, DrawSink, Meaning, Pose, Vec2, Vec3, robust_length};

/// The bound of the roundings of a signed distance, relative to the sum of its terms: 32u, twice the number in the
/// header.
const MARGIN: f64 = 16.0 * f64::EPSILON;

/// The side of the view volume on which an object lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Visibility {
    /// The whole object lies in the volume.
    Inside,
    /// A part may lie in the volume.
    Intersecting,
    /// No part lies in the volume.
    Outside,
}

/// A plane of the view volume in the world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ViewPlane {
    eye: Vec3,
    normal: Vec3,
    /// The signed distance of the eye.
    distance: f64,
    /// The magnitude of the terms of that distance.
    span: f64,
}

/// The part of the world between the planes of a camera.
///
/// ```
/// use heurt_geometry::{Aabb, Camera, Projection, Vec3, View, Visibility};
/// let view = View::look_at(Vec3::ZERO, -Vec3::Z, Vec3::Y)?;
/// let volume = Camera { view, projection: Projection::orthographic(2.0, 1.0, [1.0, 9.0])? }.volume();
/// assert_eq!(volume.classify_point(-Vec3::Z * 5.0), Visibility::Inside);
/// assert_eq!(volume.classify_sphere(Vec3::ZERO, 2.0), Visibility::Intersecting, "it crosses the near plane");
/// let behind = Aabb::from_points([Vec3::ZERO, Vec3::ONE]);
/// assert_eq!(volume.classify_box(&behind), Visibility::Outside);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ViewVolume {
    planes: [ViewPlane; 6],
    corners: [Vec3; 8],
}

impl ViewPlane {
    /// Creates the plane `normal · (p − eye) + distance ≥ 0` from a normal of any length, with a bound of the terms.
    fn new(eye: Vec3, normal: Vec3, [distance, span]: [f64; 2]) -> Self {
        let length = robust_length(normal);
        Self { eye, normal: normal / length, distance: distance / length, span: span / length }
    }

    /// Returns the unit normal, which points into the volume.
    pub fn normal(&self) -> Vec3 {
        self.normal
    }

    /// Returns the signed distance of a point in metres, rounded: positive on the side of the volume.
    pub fn signed_distance(&self, point: Vec3) -> f64 {
        self.normal.dot(point - self.eye) + self.distance
    }

    /// Classifies an object by the range of its signed distances and the magnitude of the terms of that range.
    fn classify(&self, nearest: f64, farthest: f64, terms: f64) -> Visibility {
        let margin = MARGIN * (terms + self.span) + f64::MIN_POSITIVE;
        // NaN fails both comparisons.
        if farthest < -margin {
            Visibility::Outside
        } else if nearest > margin {
            Visibility::Inside
        } else {
            Visibility::Intersecting
        }
    }
}

impl ViewVolume {
    /// Computes the view volume of a projection in a frame.
    pub fn new(view: &View, projection: &Projection) -> Self {
        let (eye, forward) = (view.eye(), view.forward());
        let [near, far] = projection.depths();
        let side = |axis: Vec3, half: f64, slope: f64| {
            if projection.is_perspective() {
                return ViewPlane::new(eye, forward * half - axis, [0.0, 0.0]);
            }
            let shift = slope * projection.true_depth();
            ViewPlane::new(eye, -axis - forward * slope, [half + shift, half + shift.abs()])
        };
        let (half, slope) = (projection.half_extents(), projection.slope());
        let planes = [
            side(-view.right(), half.x, -slope.x),
            side(view.right(), half.x, slope.x),
            side(-view.up(), half.y, -slope.y),
            side(view.up(), half.y, slope.y),
            ViewPlane::new(eye, forward, [-near, near.abs()]),
            ViewPlane::new(eye, -forward, [far, far.abs()]),
        ];
        let corner = |k: usize| {
            let sign = |bit: usize| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
            view.to_world(projection.window_point(Vec2::new(sign(0), sign(1)), [near, far][k >> 2 & 1]))
        };
        Self { planes, corners: std::array::from_fn(corner) }
    }

    /// Returns the planes: left, right, lower, upper, near, far.
    pub fn planes(&self) -> &[ViewPlane; 6] {
        &self.planes
    }

    /// Returns the corners in the world, rounded: bit 0 of the number chooses right, bit 1 the upper, bit 2 the far
    /// side.
    pub fn corners(&self) -> &[Vec3; 8] {
        &self.corners
    }

    /// Classifies a point.
    pub fn classify_point(&self, point: Vec3) -> Visibility {
        self.classify_sphere(point, 0.0)
    }

    /// Classifies a ball by its centre and its radius in metres; a negative radius counts as 0.
    ///
    /// The result is conservative: a ball outside an edge of the volume may be reported as intersecting.
    pub fn classify_sphere(&self, centre: Vec3, radius: f64) -> Visibility {
        let radius = if radius < 0.0 { 0.0 } else { radius };
        self.classify_by(|plane| {
            let offset = centre - plane.eye;
            let distance = plane.normal.dot(offset) + plane.distance;
            plane.classify(distance - radius, distance + radius, sum_of(offset.abs()) + radius)
        })
    }

    /// Classifies a box; an empty box is outside.
    ///
    /// The result is conservative: a box outside an edge of the volume may be reported as intersecting.
    pub fn classify_box(&self, bounds: &Aabb) -> Visibility {
        if bounds.min.cmpgt(bounds.max).any() {
            return Visibility::Outside;
        }
        self.classify_by(|plane| {
            let (min, max) = (bounds.min - plane.eye, bounds.max - plane.eye);
            let is_positive = plane.normal.cmpge(Vec3::ZERO);
            let (farthest, nearest) = (Vec3::select(is_positive, max, min), Vec3::select(is_positive, min, max));
            let [nearest, farthest] = [nearest, farthest].map(|corner| plane.normal.dot(corner) + plane.distance);
            plane.classify(nearest, farthest, sum_of(min.abs().max(max.abs())))
        })
    }

    /// Classifies a box around the origin of `pose`, along its axes, with these half extents in metres.
    ///
    /// The result is conservative: a box outside an edge of the volume may be reported as intersecting.
    pub fn classify_oriented_box(&self, pose: &Pose, half: Vec3) -> Visibility {
        let (axes, half) = (pose.rotation(), half.abs());
        self.classify_by(|plane| {
            let offset = pose.translation() - plane.eye;
            let distance = plane.normal.dot(offset) + plane.distance;
            let along = |axis: Vec3, half: f64| plane.normal.dot(axis).abs() * half;
            let reach = along(axes.x_axis, half.x) + along(axes.y_axis, half.y) + along(axes.z_axis, half.z);
            // The components of an axis add up to less than 2.
            plane.classify(distance - reach, distance + reach, sum_of(offset.abs()) + 2.0 * sum_of(half))
        })
    }

    fn classify_by(&self, classify: impl Fn(&ViewPlane) -> Visibility) -> Visibility {
        let mut all = Visibility::Inside;
        for plane in &self.planes {
            match classify(plane) {
                Visibility::Outside => return Visibility::Outside,
                Visibility::Intersecting => all = Visibility::Intersecting,
                Visibility::Inside => {}
            }
        }
        all
    }
}

impl Draw for ViewVolume {
    /// Draws the edges of the volume in the world.
    fn draw(&self, sink: &mut dyn DrawSink) {
        for low in 0..8 {
            for bit in 0..3 {
                if low >> bit & 1 == 0 {
                    sink.draw_line([self.corners[low], self.corners[low | 1 << bit]], Meaning::Note);
                }
            }
        }
    }
}

fn sum_of(v: Vec3) -> f64 {
    v.x + v.y + v.z
}
