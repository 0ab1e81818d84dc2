//! Floor area: an area in plan at a height, level or sloped, as storeys, stairs and ramps have it.
//!
//! In: corners in metres, z up. Out: the plan of the area, and its height over each point of the plan.
//! Guarantees: corners of one height give a level area of exactly that height. Cost: O(corners).

use crate::{PlanArea, Vec2, Vec3};

/// The largest distance of a corner from the plane of its area, in metres: a threshold, less than a step.
pub const FLAT_WITHIN: f64 = 0.01;

/// The steepest floor, as rise a metre in plan: the steepest stairs in use rise by 1.1 (ISO 14122-3: 45°).
pub const STEEPEST_FLOOR: f64 = 1.2;

/// Floors whose edges differ by no more in height are joined, in metres: a doorstep.
pub const DOORSTEP: f64 = 0.05;

/// An area in plan, and the plane over it.
///
/// ```
/// use heurt_geometry::{FloorArea, Vec2, Vec3};
/// // A stair that rises 3 m on a length of 5 m.
/// let corners = [[0.0, 0.0, 0.0], [5.0, 0.0, 3.0], [5.0, 2.0, 3.0], [0.0, 2.0, 0.0]].map(Vec3::from_array);
/// let stair = FloorArea::from_corners(&corners, &[]).map_err(|corner| format!("{corner} is off the plane"))?;
/// assert!((stair.height_at(Vec2::new(2.5, 1.0)) - 1.5).abs() < 1e-12);
/// assert!((stair.slope - Vec2::new(0.6, 0.0)).length() < 1e-12);
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FloorArea {
    /// The area in plan.
    pub area: PlanArea,
    /// A point of its plane.
    pub at: Vec3,
    /// Rise a metre in plan along x and along y.
    pub slope: Vec2,
}

impl FloorArea {
    /// Makes a level area.
    pub fn level(area: PlanArea, height: f64) -> Self {
        let first = area.outline.first().copied().unwrap_or_default();
        Self { area, at: first.extend(height), slope: Vec2::ZERO }
    }

    /// Makes an area of its corners: the outline, and holes.
    ///
    /// # Errors
    /// The corner that is furthest from the plane, if that is more than [`FLAT_WITHIN`].
    pub fn from_corners(outline: &[Vec3], holes: &[Vec<Vec3>]) -> Result<Self, Vec3> {
        let plan = |ring: &[Vec3]| ring.iter().map(|corner| corner.truncate()).collect::<Vec<_>>();
        let area = PlanArea { outline: plan(outline), holes: holes.iter().map(|hole| plan(hole)).collect() };
        let Some(&at) = outline.first() else { return Ok(Self { area, ..Self::default() }) };
        let floor = Self { area, at, slope: slope_of(outline) };
        let off = |corner: &Vec3| (corner.z - floor.height_at(corner.truncate())).abs();
        let corners = outline.iter().chain(holes.iter().flatten());
        match corners.max_by(|a, b| off(a).total_cmp(&off(b))) {
            Some(&worst) if off(&worst) > FLAT_WITHIN => Err(worst),
            _ => Ok(floor),
        }
    }

    /// Computes the height of the plane over a point of the plan, in metres.
    pub fn height_at(&self, point: Vec2) -> f64 {
        self.at.z + self.slope.dot(point - self.at.truncate())
    }

    /// Returns the point of the plane over a point of the plan.
    pub fn over(&self, point: Vec2) -> Vec3 {
        point.extend(self.height_at(point))
    }

    /// Returns another area on the same plane.
    pub fn with_area(&self, area: PlanArea) -> Self {
        Self { area, ..*self }
    }

    /// Reports whether a point is over or under the area, at most `within` metres from its plane.
    pub fn contains(&self, point: Vec3, within: f64) -> bool {
        (point.z - self.height_at(point.truncate())).abs() <= within && self.area.contains(point.truncate())
    }

    /// Returns the lowest and the highest corner, in metres.
    pub fn heights(&self) -> [f64; 2] {
        let heights = self.area.outline.iter().map(|&corner| self.height_at(corner));
        heights.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], z| [low.min(z), high.max(z)])
    }
}

impl From<PlanArea> for FloorArea {
    /// Returns the level area at height 0.
    fn from(area: PlanArea) -> Self {
        Self::level(area, 0.0)
    }
}

/// Computes the slope of the plane through three corners that are far from each other in plan.
fn slope_of(outline: &[Vec3]) -> Vec2 {
    let at = outline[0];
    let offset = |corner: &Vec3| *corner - at;
    let longest = outline.iter().map(offset).max_by(|a, b| a.truncate().length().total_cmp(&b.truncate().length()));
    let Some(u) = longest else { return Vec2::ZERO };
    let wide = |v: &Vec3| u.truncate().perp_dot(v.truncate());
    let widest = outline.iter().map(offset).max_by(|a, b| wide(a).abs().total_cmp(&wide(b).abs()));
    let Some(v) = widest else { return Vec2::ZERO };
    let doubled = wide(&v);
    if doubled == 0.0 {
        return Vec2::ZERO;
    }
    // Solves slope · u = u.z and slope · v = v.z.
    Vec2::new(u.z * v.y - v.z * u.y, v.z * u.x - u.z * v.x) / doubled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_go_through_their_corners() {
        let plane = |x: f64, y: f64| Vec3::new(x, y, 2.0 + 0.25 * x - 0.5 * y);
        let outline = [plane(1.0, 1.0), plane(9.0, 1.0), plane(9.0, 7.0), plane(1.0, 7.0)];
        let floor = FloorArea::from_corners(&outline, &[vec![plane(2.0, 2.0), plane(3.0, 2.0), plane(3.0, 3.0)]]);
        let floor = floor.expect("flat");
        assert_eq!(floor.slope, Vec2::new(0.25, -0.5));
        assert_eq!(floor.height_at(Vec2::new(5.0, 5.0)), plane(5.0, 5.0).z);
        assert_eq!(floor.heights(), [plane(1.0, 7.0).z, plane(9.0, 1.0).z]);
        assert!(floor.contains(plane(5.0, 5.0), 1e-12) && !floor.contains(plane(5.0, 5.0) + Vec3::Z, 0.5));
    }

    #[test]
    fn corners_off_the_plane_are_found() {
        let mut outline = [[0.0, 0.0, 3.0], [4.0, 0.0, 3.0], [4.0, 4.0, 3.0], [0.0, 4.0, 3.0]].map(Vec3::from_array);
        assert_eq!(
            FloorArea::from_corners(&outline, &[]).map(|floor| (floor.slope, floor.at.z)),
            Ok((Vec2::ZERO, 3.0))
        );
        let bad = Vec3::new(2.0, 2.0, 3.5);
        assert_eq!(FloorArea::from_corners(&outline, &[vec![bad]]), Err(bad));
        outline[2].z = 3.1;
        assert!(FloorArea::from_corners(&outline, &[]).is_err());
    }

    #[test]
    fn areas_without_width_are_level() {
        let line = [[0.0, 0.0, 1.0], [1.0, 1.0, 1.0], [2.0, 2.0, 1.0]].map(Vec3::from_array);
        assert_eq!(FloorArea::from_corners(&line, &[]).map(|floor| floor.slope), Ok(Vec2::ZERO));
        assert_eq!(FloorArea::from_corners(&[], &[]), Ok(FloorArea::default()));
    }
}
