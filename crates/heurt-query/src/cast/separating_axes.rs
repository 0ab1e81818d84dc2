//! First and last contact of two polyhedra in uniform translation, by separating axes (S1).
//!
//! In: two polyhedra on their motions. Out: [`Passing`], or that they never touch.
//! Method: [`passage_by_separating_axes`]. The rounding error of a time is the error of heights over the speed along
//! the direction of the longest separation. The features that touch are the most distant features of each polyhedron
//! along that direction (`convex/support/feature`).
//! Guarantees: the true times of the first contact are in the reported interval; a pass within rounding error may be
//! reported or not. Cost: all axes, O(facets · corners + edges²).

use super::{MovingShape, window};
use crate::answer::cast::{CastError, CastOptions, Impact};
use crate::answer::feature::Feature;
use crate::cast::convex_translation::{is_straight, sharp};
use crate::convex::sat::TURNED;
use crate::convex::sat::each_axis;
use crate::convex::support::PlacedHull;
use crate::convex::support::Support;
use crate::convex::support::feature::extremal_feature;
use heurt_geometry::{ContactInterval, Dimension};
use heurt_geometry::{Motion, Pose, Vec3};
use heurt_shape::Core;
use heurt_shape::{Convex, Hull};

/// A contact and its end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Passing {
    /// The first contact.
    pub impact: Impact,
    /// The time in seconds from which they are disjoint again, up to rounding; it may be after the end of the search.
    /// Infinite if they never are.
    pub last: f64,
    /// The features of A and of B that touch first: the corner, edge or facet that is most distant towards the second
    /// polyhedron along the normal of the impact, [`Feature::corners_of`] its hull. `None` if they touch at the start,
    /// and if they slide past each other so flatly that rounding hides the place.
    pub features: Option<[Feature; 2]>,
}

/// Rounding error of coordinates, products and sums, and of directions, in ε of the largest coordinates and speeds.
const ROUNDING: f64 = (16.0 + TURNED) * f64::EPSILON;

/// Finds the times of the first and last contact of two polyhedra by separating axes. The outer `None` means that the
/// algorithm cannot decide: for flat, curved or rounded shapes, and for rotations or accelerations. The inner `None`
/// means that they do not touch until `max_time`. The tolerance is ignored.
///
/// # Errors
/// As [`crate::cast()`].
pub fn cast_by_separating_axes(
    a: &Convex,
    pose_a: &Pose,
    motion_a: &Motion,
    b: &Convex,
    pose_b: &Pose,
    motion_b: &Motion,
    options: &CastOptions,
) -> Result<Option<Option<Passing>>, CastError> {
    let (of_a, of_b) = (MovingShape::new(a.into(), pose_a, motion_a), MovingShape::new(b.into(), pose_b, motion_b));
    let until = window(&of_a, &of_b, options)?.until;
    if !is_straight(&of_a.mover) || !is_straight(&of_b.mover) {
        return Ok(None);
    }
    let velocity = motion_b.velocity() - motion_a.velocity();
    let Some(passage) = passage_by_separating_axes(a, pose_a, b, pose_b, velocity) else { return Ok(None) };
    let Some(passage) = passage else { return Ok(Some(None)) };
    let off = passage.direction.map_or(0.0, |direction| {
        let size: f64 =
            [&of_a, &of_b].iter().map(|side| side.shape.max_coordinate() + side.mover.start.max_translation()).sum();
        let speeds = motion_a.velocity().length() + motion_b.velocity().length();
        ROUNDING * (size + speeds * passage.first) / velocity.dot(direction).abs()
    });
    // A contact at a time that is not a number may be at any time: it is reported at once.
    let time = (passage.first - off).max(0.0);
    if time > until {
        return Ok(Some(None));
    }
    let places = [&of_a, &of_b].map(|side| side.mover.at(time).pose);
    let near = crate::distance(a, &places[0], b, &places[1]);
    let features = passage.direction.and_then(|normal| {
        let (hull_a, hull_b) = (sharp(a)?, sharp(b)?);
        // If the hulls slide along farther than the rounding margin within the error of the time, the place is unknown.
        let rooms = [room(hull_a, &places[0]), room(hull_b, &places[1])];
        let is_somewhere = off * velocity.length() <= rooms[0].max(rooms[1]);
        let of_a = farthest(hull_a, &places[0], normal, rooms[0], near.point_a);
        is_somewhere.then(|| [of_a, farthest(hull_b, &places[1], -normal, rooms[1], near.point_b)])
    });
    let impact = Impact {
        time,
        time_upper: (passage.first + off).min(until),
        point: (near.point_a + near.point_b) * 0.5,
        normal: passage.direction,
        primitives: Some([0, 0]),
    };
    Ok(Some(Some(Passing { impact, last: passage.last, features })))
}

/// Finds the feature of a hull most distant along `towards`, at a point nearest to the second hull.
fn farthest(hull: &Hull, pose: &Pose, towards: Vec3, room: f64, at: Vec3) -> Feature {
    extremal_feature(&PlacedHull { hull, pose, unit: 1.0 }, towards, room, at)
}

/// Returns the tolerance of heights within which corners count as equally far along a direction.
fn room(hull: &Hull, pose: &Pose) -> f64 {
    // Heights are off by ε of coordinates. If all corners within `room` of the top are kept, a point ε below the top
    // has at most ε/room of its weight on other corners. It is no farther than that share of the size from the kept
    // corners. Both errors are small if the room is the geometric mean of both.
    let rounding = ROUNDING * (hull.max_coordinate() + pose.max_translation());
    (rounding.sqrt() * hull.radius().sqrt()).max(rounding)
}

/// Finds the first and last contact of a polyhedron B that moves with `velocity` relative to A, both without rotation,
/// and the direction along which they were disjoint until then (S1). The outer `None` means that the algorithm cannot
/// decide: for flat, curved or rounded shapes. The inner `None` means that they never touch.
///
/// ```
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_query::algorithm::passage_by_separating_axes;
/// use heurt_shape::Convex;
/// let cube = Convex::cuboid(Vec3::splat(0.5))?;
/// let above = Pose::from_translation(Vec3::new(0.0, 0.0, 1.5))?;
/// let velocity = Vec3::new(1.0, 0.0, -1.0);
/// let found = passage_by_separating_axes(&cube, &Pose::IDENTITY, &cube, &above, velocity).unwrap().unwrap();
/// assert_eq!((found.first, found.last, found.direction), (0.5, 1.0, Some(Vec3::Z)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn passage_by_separating_axes(
    a: &Convex,
    pose_a: &Pose,
    b: &Convex,
    pose_b: &Pose,
    velocity: Vec3,
) -> Option<Option<ContactInterval<Vec3>>> {
    let (Core::Hull(hull_a), Core::Hull(hull_b)) = (a.core(), b.core()) else { return None };
    let has_all_axes = |shape: &Convex, hull: &Hull| shape.margin() == 0.0 && hull.dimension() == Dimension::Solid;
    if !has_all_axes(a, hull_a) || !has_all_axes(b, hull_b) {
        return None;
    }
    let placed = |hull, pose| PlacedHull { hull, pose, unit: 1.0 };
    let (a, b) = (placed(hull_a, pose_a), placed(hull_b, pose_b));
    let (mut passage, mut touches) = (ContactInterval::default(), true);
    each_axis(&a, &b, |axis| {
        let interval = |hull: &PlacedHull<'_>| [-axis, axis].map(|direction| hull.support(direction).point.dot(axis));
        touches &= passage.clip_by_axis(axis, interval(&a), interval(&b), velocity.dot(axis));
    });
    Some(touches.then_some(passage))
}
