//! Single methods by name, each with its own virtues, for those who know which one they want; the verbs choose for themselves.
//!
//! In: convex shapes and poses. Out: what the method can tell, or nothing: none of these falls back to another.
//! Method: `algo::{closest_features, sat, separating_plane}`, the margins added.
//! Guarantees: what is told is right within the error told with it.

pub use crate::algo::closest_features::Features;
pub use crate::algo::separating_plane::WeightRule;
pub use crate::cast::{Passing, cast_by_separating_axes};

use crate::algo::closest_features::{Closest, Outcome, closest_features};
use crate::algo::convex_pair::{ConvexPair, Gap, depth_by_all_axes};
use crate::algo::half_space;
use crate::algo::placed_convex::{PlacedCore, PlacedHull, Support};
use crate::algo::sat::each_axis;
use crate::algo::separating_plane::{Found, separating_plane};
use crate::contact::convex_convex::contact_of_cores;
use crate::distance::convex_convex::with_margins;
use crate::{Contact, Distance};
use heurt_bvh::simd::{Kernel, WideIsa, dispatch};
use heurt_geometry::{Dimension, Passage, Pose, Vec3, units_in_a_metre};
use heurt_shape::{Convex, Core, Hull};

/// Finds when a polyhedron B that moves with `velocity` against A, both without turning, touches it first and last, and along which
/// direction they were apart until then (S1); the outer `None` where the method cannot tell: for what is flat, curved or rounded;
/// the inner one where they never touch.
///
/// ```
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_query::method::passage_by_separating_axes;
/// use heurt_shape::Convex;
/// let cube = Convex::cuboid(Vec3::splat(0.5))?;
/// let above = Pose::from_translation(Vec3::new(0.0, 0.0, 1.5))?;
/// let found = passage_by_separating_axes(&cube, &Pose::IDENTITY, &cube, &above, Vec3::new(1.0, 0.0, -1.0)).unwrap().unwrap();
/// assert_eq!((found.first, found.last, found.direction), (0.5, 1.0, Some(Vec3::Z)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn passage_by_separating_axes(
    a: &Convex,
    pose_a: &Pose,
    b: &Convex,
    pose_b: &Pose,
    velocity: Vec3,
) -> Option<Option<Passage<Vec3>>> {
    let (Core::Hull(hull_a), Core::Hull(hull_b)) = (a.core(), b.core()) else { return None };
    let is_told = |shape: &Convex, hull: &Hull| shape.margin() == 0.0 && hull.dimension() == Dimension::Solid;
    if !is_told(a, hull_a) || !is_told(b, hull_b) {
        return None;
    }
    let placed = |hull, pose| PlacedHull { hull, pose, unit: 1.0 };
    let (a, b) = (placed(hull_a, pose_a), placed(hull_b, pose_b));
    let (mut passage, mut touches) = (Passage::default(), true);
    each_axis(&a, &b, |axis| {
        let interval = |hull: &PlacedHull<'_>| [-axis, axis].map(|way| hull.support(way).point.dot(axis));
        touches &= passage.ask(axis, interval(&a), interval(&b), velocity.dot(axis));
    });
    Some(touches.then_some(passage))
}

/// What a search over closest features found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tracked {
    /// How far the shapes are apart.
    pub distance: Distance,
    /// The features of the cores that are nearest: what to begin with in the next step.
    pub features: Features,
    /// How many pairs of features were looked at.
    pub steps: u32,
}

/// Finds how far two placed shapes are apart by their closest features; `None` where the method cannot tell: for curved cores
/// and half-spaces, for cores that overlap, touch or nearly do, and where roundings spoil it.
pub fn distance_by_closest_features(a: &Convex, pose_a: &Pose, b: &Convex, pose_b: &Pose) -> Option<Distance> {
    track_closest_features(a, pose_a, b, pose_b, None).map(|found| found.distance)
}

/// [`distance_by_closest_features`], begun with the features of the step before: after a small motion they are right or next to
/// those that are. Features that the shapes do not have are passed over.
///
/// ```
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_query::method::track_closest_features;
/// use heurt_shape::Convex;
/// let cube = Convex::cuboid(Vec3::ONE)?;
/// let mut features = None;
/// for step in 0..10 {
///     let pose = Pose::from_translation(Vec3::new(3.0 + 0.1 * f64::from(step), 0.0, 0.0))?;
///     let found = track_closest_features(&cube, &Pose::IDENTITY, &cube, &pose, features).unwrap();
///     features = Some(found.features);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn track_closest_features(
    a: &Convex,
    pose_a: &Pose,
    b: &Convex,
    pose_b: &Pose,
    start: Option<Features>,
) -> Option<Tracked> {
    let (Core::Hull(hull_a), Core::Hull(hull_b)) = (a.core(), b.core()) else { return None };
    let pair = ConvexPair { a, pose_a, b, pose_b };
    let unit = units_in_a_metre(pair.largest());
    let Outcome::Apart(found) = dispatch(Track { hulls: [hull_a, hull_b], poses: [pose_a, pose_b], unit, start })
    else {
        return None;
    };
    let tracked = || {
        let distance = with_margins(pair, &in_metres(&found, unit));
        Tracked { distance, features: found.features, steps: found.steps }
    };
    (found.error <= found.most_error).then(tracked)
}

fn in_metres(found: &Closest, unit: f64) -> Gap {
    Gap {
        length: found.length / unit,
        at_least: found.at_least / unit,
        error: found.error / unit + 8.0 * f64::from_bits(1),
        normal: found.normal,
        on_a: found.on_a / unit,
        on_b: found.on_b / unit,
    }
}

struct Track<'a> {
    hulls: [&'a Hull; 2],
    poses: [&'a Pose; 2],
    unit: f64,
    start: Option<Features>,
}

impl Kernel for Track<'_> {
    type Output = Outcome;

    #[inline(always)]
    fn run<I: WideIsa>(self, _isa: I) -> Outcome {
        let place = |k: usize| PlacedHull { hull: self.hulls[k], pose: self.poses[k], unit: self.unit };
        closest_features(&place(0), &place(1), self.start)
    }
}

/// Finds how deep two overlapping hulls, with margins or without, are in each other by trying all separating axes, and where they
/// touch;
/// `None` where the method cannot tell: for curved cores and half-spaces, for points and segments, and for cores that are apart.
pub fn contact_by_separating_axes(a: &Convex, pose_a: &Pose, b: &Convex, pose_b: &Pose) -> Option<Contact> {
    let pair = ConvexPair { a, pose_a, b, pose_b };
    Some(contact_of_cores(pair, depth_by_all_axes(pair)?))
}

/// What a search for a separating plane found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SeparatingPlane {
    /// The shapes are apart.
    Separated {
        /// Unit vector from A to B.
        normal: Vec3,
        /// They are farther apart along it than this, in metres: a bound above 0, not the distance.
        gap: f64,
        /// How many normals were tried.
        steps: u32,
    },
    /// They overlap, or no plane was found.
    Unproven,
}

/// Searches a plane between two placed shapes of any kind. That it finds none proves nothing.
pub fn overlap_by_separating_plane(
    a: &Convex,
    pose_a: &Pose,
    b: &Convex,
    pose_b: &Pose,
    rule: WeightRule,
) -> SeparatingPlane {
    let pair = ConvexPair { a, pose_a, b, pose_b };
    if let Some(gap) = half_space::separation(pair) {
        return match gap.at_least > 0.0 {
            true => SeparatingPlane::Separated { normal: gap.normal, gap: gap.at_least, steps: 1 },
            false => SeparatingPlane::Unproven,
        };
    }
    dispatch(Between { pair, rule })
}

struct Between<'a> {
    pair: ConvexPair<'a>,
    rule: WeightRule,
}

impl Kernel for Between<'_> {
    type Output = SeparatingPlane;

    #[inline(always)]
    fn run<I: WideIsa>(self, _isa: I) -> SeparatingPlane {
        let ConvexPair { a, pose_a, b, pose_b } = self.pair;
        let margin = a.margin() + b.margin();
        let largest = self.pair.largest();
        let unit = units_in_a_metre(largest.max(margin));
        let place = |shape, pose| PlacedCore::new(shape, pose, unit).expect("half-spaces are asked elsewhere");
        let (a, b) = (place(a, pose_a), place(b, pose_b));
        match separating_plane(&a, &b, margin * unit, largest * unit, self.rule, None) {
            Found::Separated(found) if found.gap / unit > 0.0 => {
                SeparatingPlane::Separated { normal: found.normal, gap: found.gap / unit, steps: found.steps }
            }
            Found::Separated(_) | Found::Unproven => SeparatingPlane::Unproven,
        }
    }
}
