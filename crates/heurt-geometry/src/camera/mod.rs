//! Virtual camera: frame of the camera, projection on the screen, and view volume for culling.
//!
//! In: eye, target and up vector in the world; angles in radians, lengths in metres; points, spheres and boxes.
//! Out: normalized device coordinates with the depth, rays through pixels, [`Visibility`] of objects.
//! Method: S0 §1.5, with perspective, orthographic and oblique projections (Carlbom and Paciorek 1978), and the
//! side of each plane decided by the most distant corner of a box (Assarsson and Möller 2000).
//! Camera axes: x points right, y points up, and the camera looks along −z: a right-handed frame, as in S0. The depth
//! of a point is −z, in metres. The screen spans −1 to 1 in x (right) and y (up).
//! Guarantees: an object is never reported outside if a point of it lies in the view volume. Invalid numbers are typed
//! errors. A vertical viewing direction has a defined frame. Not guaranteed: that an object near an edge of the volume
//! is dismissed; it may be reported as intersecting.
//! Cost: a point takes six inner products, a box as many.
//!
//! S0 §1.5 as printed has slips, which are corrected here:
//! - C_horiz is (cos α, 0, +sin α): with −sin α the camera is upside down along (1, 0, 0).
//! - Vectors have the homogeneous coordinate w = 0, not 1.
//! - Points in front have z_c < 0, but T_proj divides by +z_c / d, and the tests of near and far plane use +z_c.
//! - The test with squared cosines also accepts points behind the camera.
//! - The normals of π₁ to π₄ are not of unit length, so their values are no distances.
//! - The frame is undefined along a vertical direction.

mod projection;
mod view;
mod volume;

pub use projection::{Projection, ProjectionError, Shear};
pub use view::{View, ViewError};
pub use volume::{ViewPlane, ViewVolume, Visibility};

use crate::{Vec2, Vec3, robust_length, robust_normalize};

/// A camera: a frame in the world and a projection.
///
/// ```
/// use heurt_geometry::{Camera, Projection, Vec2, Vec3, View};
/// let view = View::look_at(Vec3::Z * 10.0, Vec3::ZERO, Vec3::Y)?;
/// let projection = Projection::perspective(std::f64::consts::FRAC_PI_2, 1.0, [1.0, 100.0])?;
/// let camera = Camera { view, projection };
/// let seen = camera.project(Vec3::new(5.0, 0.0, 0.0)).unwrap();
/// assert_eq!(seen.depth, 10.0);
/// assert!((seen.ndc.x - 0.5).abs() < 1e-15, "half of the half screen");
/// let ray = camera.ray_of_pixel(Vec2::new(320.0, 240.0), Vec2::new(640.0, 480.0)).unwrap();
/// assert_eq!(ray.direction, -Vec3::Z, "the centre of the screen");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// The frame of the camera.
    pub view: View,
    /// The projection from that frame to the screen.
    pub projection: Projection,
}

/// A point as the camera sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScreenPoint {
    /// Normalized device coordinates: x right and y up, −1 to 1 on the screen; z is 0 at the near plane, 1 at the far
    /// plane.
    pub ndc: Vec3,
    /// The distance from the eye along the viewing direction, in metres.
    pub depth: f64,
}

/// The ray on which all points project to one point of the screen, in the world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ViewRay {
    /// Its point in the near plane.
    pub origin: Vec3,
    /// Its unit direction, away from the eye.
    pub direction: Vec3,
    /// The distance from the origin to the far plane along the direction, in metres.
    pub length: f64,
}

impl Camera {
    /// Projects a point of the world; `None` if it lies at or behind the eye of a perspective, or beyond the range of
    /// `f64`. Points beyond the screen or its near and far planes are projected, too.
    pub fn project(&self, point: Vec3) -> Option<ScreenPoint> {
        self.projection.project(self.view.to_camera(point))
    }

    /// Returns the ray through a point of the screen, −1 to 1 in x (right) and y (up); `None` beyond the range of
    /// `f64`.
    pub fn ray(&self, screen: Vec2) -> Option<ViewRay> {
        let [near, far] = self.projection.depths();
        let path = self.projection.path(screen);
        let length = robust_length(path) * (far - near);
        let origin = self.view.to_world(self.projection.window_point(screen, near));
        let direction = robust_normalize(self.view.pose().rotation().mul_vec3(robust_normalize(path)?))?;
        (origin.is_finite() && length.is_finite()).then_some(ViewRay { origin, direction, length })
    }

    /// Returns the ray through a pixel of a screen of `size` pixels: x counts from its left, y from its upper edge, and
    /// a half is the centre of a pixel. `None` for an empty screen.
    pub fn ray_of_pixel(&self, pixel: Vec2, size: Vec2) -> Option<ViewRay> {
        let screen = Vec2::new(2.0 * pixel.x / size.x - 1.0, 1.0 - 2.0 * pixel.y / size.y);
        if screen.is_finite() { self.ray(screen) } else { None }
    }

    /// Returns the pixel and the depth in metres at which a point of the world appears on a screen of `size` pixels;
    /// `None` as [`Camera::project`].
    pub fn pixel(&self, point: Vec3, size: Vec2) -> Option<(Vec2, f64)> {
        let ScreenPoint { ndc, depth } = self.project(point)?;
        Some((Vec2::new((ndc.x + 1.0) * 0.5 * size.x, (1.0 - ndc.y) * 0.5 * size.y), depth))
    }

    /// Returns the view volume in the world.
    pub fn volume(&self) -> ViewVolume {
        ViewVolume::new(&self.view, &self.projection)
    }
}
