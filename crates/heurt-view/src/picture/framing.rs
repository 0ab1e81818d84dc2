//! Cameras that show the whole of a box.
//!
//! Method: an orthographic camera along a direction, so that the scale bar holds at every depth. The window is the
//! extent of the eight corners on the screen, with a border.

use heurt_geometry::{Aabb, Camera, Projection, ProjectionError, Vec3, View};

/// Borders to the sides and above and below the box, as shares of its extent: room for title, axes and scale bar.
const BORDERS: [f64; 2] = [0.08, 0.24];

/// The side from which a picture is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Direction {
    /// From the corner where x is large, y is small and z is large.
    #[default]
    Isometric,
    /// From small y, along +y.
    Front,
    /// From large y, along −y.
    Back,
    /// From small x, along +x.
    Left,
    /// From large x, along −x.
    Right,
    /// From above, along −z.
    Top,
    /// From below, along +z.
    Bottom,
}

impl Direction {
    /// All directions.
    pub const ALL: [Self; 7] =
        [Self::Isometric, Self::Front, Self::Back, Self::Left, Self::Right, Self::Top, Self::Bottom];

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Isometric => "isometric",
            Self::Front => "front",
            Self::Back => "back",
            Self::Left => "left",
            Self::Right => "right",
            Self::Top => "top",
            Self::Bottom => "bottom",
        }
    }

    /// Returns the direction in which the camera looks if z is up.
    fn forward(self) -> Vec3 {
        match self {
            Self::Isometric => Vec3::new(-0.55, 0.7, -0.46),
            Self::Front => Vec3::Y,
            Self::Back => -Vec3::Y,
            Self::Left => Vec3::X,
            Self::Right => -Vec3::X,
            Self::Top => -Vec3::Z,
            Self::Bottom => Vec3::Z,
        }
    }
}

/// Makes an orthographic camera that shows a box, with `up` upwards, on a screen of this ratio of width to height.
///
/// An empty box is shown as a cube of 1 m around the origin, a point as one of 1 m around it. Directions are named for
/// z upwards and turn with `up`.
///
/// # Errors
/// [`ProjectionError`] for an aspect that is not positive, or a box beyond the range of numbers.
pub fn frame_bounds(bounds: &Aabb, direction: Direction, up: Vec3, aspect: f64) -> Result<Camera, ProjectionError> {
    let bounds = if bounds.is_empty() { Aabb { min: Vec3::splat(-0.5), max: Vec3::splat(0.5) } } else { *bounds };
    let centre = bounds.centre();
    let radius = bounds.half_extents().length();
    let radius = if radius > 0.0 { radius } else { 0.5 };
    let up = up.normalize_or(Vec3::Z);
    let turn = heurt_geometry::Quat::from_rotation_arc(Vec3::Z, up);
    let forward = (turn * direction.forward()).normalize();
    // Seen from above, y points up on the screen.
    let screen_up = if forward.cross(up).length() < 1e-6 { turn * Vec3::Y } else { up };
    let eye = centre - forward * (2.0 * radius);
    let view = View::look_at(eye, centre, screen_up)
        .map_err(|_| ProjectionError::NotFinite { field: "height", value: radius })?;
    let (mut half_width, mut half_height) = (0.0f64, 0.0f64);
    for corner in bounds.corners() {
        let offset = corner - centre;
        half_width = half_width.max(offset.dot(view.right()).abs());
        half_height = half_height.max(offset.dot(view.up()).abs());
    }
    let (half_width, half_height) = (half_width * (1.0 + BORDERS[0]), half_height * (1.0 + BORDERS[1]));
    let height = 2.0 * half_height.max(half_width / aspect).max(radius * 1e-3);
    let projection = Projection::orthographic(height, aspect, [0.5 * radius, 3.5 * radius])?;
    Ok(Camera { view, projection })
}

/// Makes a camera that shows a box as [`frame_bounds`] does, and also what is in front of it and behind it within
/// `all`.
///
/// # Errors
/// As [`frame_bounds`].
///
/// ```
/// use heurt_geometry::{Aabb, Vec3};
/// use heurt_view::picture::{Direction, frame_bounds, frame_within};
/// let cube = |half: f64| Aabb { min: Vec3::splat(-half), max: Vec3::splat(half) };
/// let near = frame_bounds(&cube(1.0), Direction::Front, Vec3::Z, 1.5)?;
/// let deep = frame_within(&cube(1.0), &cube(100.0), Direction::Front, Vec3::Z, 1.5)?;
/// assert_eq!(near.projection.half_extents(), deep.projection.half_extents());
/// let depth_of = |camera: &heurt_geometry::Camera| -camera.view.to_camera(Vec3::Y * -90.0).z;
/// assert!(depth_of(&near) < near.projection.depths()[0], "cut off");
/// assert!(depth_of(&deep) > deep.projection.depths()[0]);
/// # Ok::<(), heurt_geometry::ProjectionError>(())
/// ```
pub fn frame_within(
    bounds: &Aabb,
    all: &Aabb,
    direction: Direction,
    up: Vec3,
    aspect: f64,
) -> Result<Camera, ProjectionError> {
    let camera = frame_bounds(bounds, direction, up, aspect)?;
    let forward = camera.view.forward();
    let centre = if bounds.is_empty() { Vec3::ZERO } else { bounds.centre() };
    let whole = if all.is_empty() { *bounds } else { all.union(*bounds) };
    if whole.is_empty() {
        return Ok(camera);
    }
    let farthest = whole.corners().iter().map(|corner| (*corner - centre).length()).fold(0.0, f64::max);
    let radius = farthest.max(0.5 * camera.projection.half_extents().y);
    let view = View::look_at(centre - forward * (2.0 * radius), centre, camera.view.up())
        .map_err(|_| ProjectionError::NotFinite { field: "height", value: radius })?;
    let height = 2.0 * camera.projection.half_extents().y;
    Ok(Camera { view, projection: Projection::orthographic(height, aspect, [0.5 * radius, 3.5 * radius])? })
}
