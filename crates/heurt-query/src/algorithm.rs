//! Single algorithms by name, for callers that require a given one; the queries choose an algorithm on their own.
//!
//! In: convex shapes and poses. Out: the result of the algorithm, or nothing: none falls back to another.
//! Method: `convex::{gjk, epa, closest_features, sat, separating_plane, closed_forms, half_space}`, with margins added.
//! Guarantees: results are correct within the reported error.

pub use crate::cast::{Passing, cast_by_separating_axes, passage_by_separating_axes};
pub use crate::convex::closest_features::Features;
pub use crate::convex::separating_plane::WeightRule;

use crate::answer::contact::Contact;
use crate::answer::distance::Distance;
use crate::convex::closed_forms;
use crate::convex::closest_features::{ClosestPair, Outcome, closest_features};
use crate::convex::common_point::nearest_within;
use crate::convex::contact::contact_of_cores;
use crate::convex::distance::with_margins;
use crate::convex::epa;
use crate::convex::gjk;
use crate::convex::gjk::direction::{Nesterov, Secant, TowardOrigin};
use crate::convex::gjk::{SimplexCache, nearest_at};
use crate::convex::half_space;
use crate::convex::pair::{ConvexPair, Gap};
use crate::convex::separating_plane::{PlaneOutcome, separating_plane};
use crate::convex::separation::depth_by_all_axes;
use crate::convex::support::{Counted, PlacedCore, PlacedHull, Support};
use heurt_bvh::simd::{Kernel, WideIsa, dispatch};
use heurt_geometry::{Pose, Vec3, power_of_two_scale};
use heurt_shape::{Convex, Core, Hull};

/// The result of a closed form for two shapes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClosedForm {
    /// The distance, or minus the depth, in metres: within some ulp of the largest coordinate.
    pub separation: f64,
    /// Direction from A to B, of unit length.
    pub normal: Vec3,
    /// The nearest points, if the shapes without their margins are disjoint.
    pub points: Option<[Vec3; 2]>,
}

/// Computes separation or depth by a formula: for spheres and capsules against each other, triangles and boxes; spheres
/// against cylinders and cones; two boxes; half-spaces against all bounded shapes; each with margins. `None` for all
/// other pairs.
///
/// ```
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_query::algorithm::separation_in_closed_form;
/// use heurt_shape::Convex;
/// let (capsule, cube) = (Convex::capsule(0.5, 1.0)?, Convex::cuboid(Vec3::ONE)?);
/// let pose = Pose::from_translation(Vec3::X * 3.0)?;
/// let found = separation_in_closed_form(&capsule, &pose, &cube, &Pose::IDENTITY).unwrap();
/// assert_eq!((found.separation, found.normal), (1.5, -Vec3::X));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn separation_in_closed_form(a: &Convex, pose_a: &Pose, b: &Convex, pose_b: &Pose) -> Option<ClosedForm> {
    if let Some(gap) = half_space::separation(ConvexPair { a, pose_a, b, pose_b }) {
        let points = (gap.length > 0.0).then_some([gap.on_a, gap.on_b]);
        return Some(ClosedForm { separation: gap.length, normal: gap.normal, points });
    }
    let cores = closed_forms::separation(ConvexPair { a, pose_a, b, pose_b })?;
    let (separation, normal) = (cores.length - a.margin() - b.margin(), cores.normal);
    let points = cores.points.map(|[on_a, on_b]| [on_a + normal * a.margin(), on_b - normal * b.margin()]);
    Some(ClosedForm { separation, normal, points })
}

/// The rule by which GJK chooses directions of support points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GjkDirections {
    /// Toward the origin.
    Plain,
    /// With Nesterov's momentum until the duality gap is nearly closed (Montaut and others, Collision Detection
    /// Accelerated, 2022).
    Nesterov,
    /// The normal predicted by a secant through the last three support points: the queries use it for shapes that are
    /// smooth everywhere, with half the iterations.
    Secants,
}

/// The result of the algorithm of Gilbert, Johnson and Keerthi.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GjkDistance {
    /// Lower bound of the distance, in metres; 0 if no separating direction was found.
    pub at_least: f64,
    /// Upper bound: the distance of the points, up to rounding.
    pub at_most: f64,
    /// A nearest point of A, or a common point.
    pub point_a: Vec3,
    /// The corresponding point of B.
    pub point_b: Vec3,
    /// Unit vector from A to B across a gap of width `at_least`; `None` if that is 0.
    pub normal: Option<Vec3>,
    /// The number of support points computed, [`MAX_GJK_STEPS`] at most.
    pub steps: u32,
}

/// Limit of [`GjkDistance::steps`], including the initial support point.
pub const MAX_GJK_STEPS: u32 = gjk::MAX_STEPS + 1;

/// Rounding error of the bounds of GJK and EPA, in ε of the largest coordinate.
const ROUNDING: f64 = 8.0;

/// Two cores, in a unit in which they measure approximately 1, that count their support queries.
struct SearchedCores<'a> {
    cores: [Counted<PlacedCore<'a>>; 2],
    unit: f64,
    /// An ulp of the largest coordinate, in units.
    ulp: f64,
}

impl<'a> SearchedCores<'a> {
    /// Creates the cores; `None` for half-spaces.
    fn new(pair: ConvexPair<'a>) -> Option<Self> {
        let unit = power_of_two_scale(pair.largest());
        let placed = |shape, pose| PlacedCore::new(shape, pose, unit).map(Counted::new);
        let cores = [placed(pair.a, pair.pose_a)?, placed(pair.b, pair.pose_b)?];
        Some(Self { cores, unit, ulp: f64::EPSILON * pair.largest() * unit })
    }

    fn nearest(&self, directions: GjkDirections) -> gjk::GjkOutcome {
        let [a, b] = &self.cores;
        let until = gjk::StopCriteria { gap: 4.0 * self.ulp, beyond: f64::INFINITY, close: 4.0 * self.ulp };
        let (none, first) = (SimplexCache::default(), || a.middle() - b.middle());
        match directions {
            GjkDirections::Plain => nearest_at::<Vec3, TowardOrigin>(a, b, &none, first, until),
            GjkDirections::Nesterov => nearest_at::<Vec3, Nesterov>(a, b, &none, first, until),
            GjkDirections::Secants => nearest_at::<Vec3, Secant>(a, b, &none, first, until),
        }
    }

    /// Returns the rounding error of bounds, in metres.
    fn rounding(&self) -> f64 {
        ROUNDING * (self.ulp / self.unit + f64::from_bits(1))
    }
}

/// Computes the distance of two placed shapes by GJK alone, in `f64` alone. If rounding spoils the search, the bounds
/// are far from each other; [`distance`](crate::distance()) repairs this. `None` for half-spaces.
///
/// ```
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_query::algorithm::{GjkDirections, distance_by_gjk};
/// use heurt_shape::Convex;
/// let (ball, cone) = (Convex::sphere(1.0)?, Convex::cone(1.0, 1.0)?);
/// let pose = Pose::from_translation(Vec3::Z * 4.0)?;
/// let found = distance_by_gjk(&ball, &Pose::IDENTITY, &cone, &pose, GjkDirections::Plain).unwrap();
/// assert!(found.at_least <= 2.0 && 2.0 <= found.at_most && found.at_most - found.at_least < 1e-13);
/// assert!(found.steps < 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn distance_by_gjk(
    a: &Convex,
    pose_a: &Pose,
    b: &Convex,
    pose_b: &Pose,
    directions: GjkDirections,
) -> Option<GjkDistance> {
    let search = SearchedCores::new(ConvexPair { a, pose_a, b, pose_b })?;
    let found = search.nearest(directions);
    let steps = search.cores[0].evaluations();
    let (at_least, at_most, points, normal) = match &found {
        gjk::GjkOutcome::Disjoint(found) => {
            let (_, at_most, points) = found.proved();
            (found.at_least, at_most, points, -found.offset / found.offset.length())
        }
        gjk::GjkOutcome::Inside(simplex) | gjk::GjkOutcome::Close(simplex) => {
            // A tetrahedron may only seem to contain the origin: the distance of its points gives the error.
            let points = nearest_within(simplex);
            (0.0, (points[1] - points[0]).length(), points, Vec3::ZERO)
        }
    };
    let [margin_a, margin_b] = [a.margin(), b.margin()].map(|margin| margin * search.unit);
    let (margin, rounding) = (margin_a + margin_b, search.rounding());
    let [on_a, on_b] = points;
    let offset = on_b - on_a;
    let [point_a, point_b] = match offset.length() <= margin {
        // Margins of large shapes may be too long for the unit of small cores.
        true => [on_a + offset * if margin > 0.0 { a.margin() / (a.margin() + b.margin()) } else { 0.0 }; 2],
        false => [on_a + offset.normalize_or_zero() * margin_a, on_b - offset.normalize_or_zero() * margin_b],
    };
    let at_least = ((at_least - margin) / search.unit - rounding).max(0.0);
    let at_most = (at_most - margin).max(0.0) / search.unit + rounding;
    let [point_a, point_b] = [point_a, point_b].map(|point| point / search.unit);
    Some(GjkDistance { at_least, at_most, point_a, point_b, normal: (at_least > 0.0).then_some(normal), steps })
}

/// The result of an expanding polytope.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EpaDepth {
    /// Lower bound of the depth: no shorter translation separates the shapes, in metres.
    pub at_least: f64,
    /// Upper bound of the depth: B moved by it along `normal` is disjoint, or only touches.
    pub at_most: f64,
    /// Unit vector from A to B.
    pub normal: Vec3,
    /// The point of A deepest in B.
    pub point_a: Vec3,
    /// The corresponding point of B.
    pub point_b: Vec3,
    /// The number of support points computed: one for each corner of the polytope, [`MAX_EPA_CORNERS`] at most, and one
    /// for each facet that cannot be expanded.
    pub steps: u32,
}

/// Limit of corners of the polytope of [`depth_by_epa`].
pub const MAX_EPA_CORNERS: u32 = epa::MAX_CORNERS as u32;

/// Computes the penetration depth of two placed shapes by an expanding polytope alone, started from the last simplex of
/// GJK. `None` for half-spaces, for cores that GJK finds disjoint, and if the polytope fails. If rounding spoils the
/// search, the bounds are far from each other; [`contact`](crate::contact()) repairs this.
///
/// ```
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_query::algorithm::depth_by_epa;
/// use heurt_shape::Convex;
/// let cube = Convex::cuboid(Vec3::ONE)?;
/// let pose = Pose::from_translation(Vec3::new(1.5, 0.25, 0.0))?;
/// let found = depth_by_epa(&cube, &Pose::IDENTITY, &cube, &pose).unwrap();
/// assert!(found.at_least <= 0.5 && 0.5 <= found.at_most && found.at_most - found.at_least < 1e-13);
/// assert!(found.normal.abs_diff_eq(Vec3::X, 1e-12) && found.steps < 20);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn depth_by_epa(a: &Convex, pose_a: &Pose, b: &Convex, pose_b: &Pose) -> Option<EpaDepth> {
    let search = SearchedCores::new(ConvexPair { a, pose_a, b, pose_b })?;
    let (gjk::GjkOutcome::Inside(simplex) | gjk::GjkOutcome::Close(simplex)) = search.nearest(GjkDirections::Plain)
    else {
        return None;
    };
    let [core_a, core_b] = &search.cores;
    let begun = core_a.evaluations();
    let found = epa::depth(core_a, core_b, &simplex, 4.0 * search.ulp, search.ulp)?;
    let (margin, rounding) = (a.margin() + b.margin(), search.rounding());
    Some(EpaDepth {
        at_least: (found.at_least / search.unit + margin - rounding).max(0.0),
        at_most: found.at_most.max(0.0) / search.unit + margin + rounding,
        normal: found.normal,
        point_a: found.on_a / search.unit + found.normal * a.margin(),
        point_b: found.on_b / search.unit - found.normal * b.margin(),
        steps: core_a.evaluations() - begun,
    })
}

/// The result of a search over closest features.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tracked {
    /// The distance of the shapes.
    pub distance: Distance,
    /// The nearest features of the cores: the warm start of the next step.
    pub features: Features,
    /// The number of pairs of features tested.
    pub steps: u32,
}

/// Computes the distance of two placed shapes by their closest features. `None` if the algorithm cannot decide: for
/// curved cores and half-spaces, for cores that overlap, touch or nearly do, and if rounding spoils it.
pub fn distance_by_closest_features(a: &Convex, pose_a: &Pose, b: &Convex, pose_b: &Pose) -> Option<Distance> {
    track_closest_features(a, pose_a, b, pose_b, None).map(|found| found.distance)
}

/// [`distance_by_closest_features`], started from the features of the previous step: after a small motion they are the
/// closest features or neighbours of them. Features that the shapes do not have are ignored.
///
/// ```
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_query::algorithm::track_closest_features;
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
    let unit = power_of_two_scale(pair.largest());
    let Outcome::Disjoint(found) = dispatch(Track { hulls: [hull_a, hull_b], poses: [pose_a, pose_b], unit, start })
    else {
        return None;
    };
    let tracked = || {
        let distance = with_margins(pair, &in_metres(&found, unit));
        Tracked { distance, features: found.features, steps: found.steps }
    };
    (found.error <= found.most_error).then(tracked)
}

fn in_metres(found: &ClosestPair, unit: f64) -> Gap {
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

/// Computes the penetration depth of two overlapping hulls, with margins or without, by all separating axes, and their
/// contact points. `None` if the algorithm cannot decide: for curved cores and half-spaces, and for disjoint cores.
pub fn contact_by_separating_axes(a: &Convex, pose_a: &Pose, b: &Convex, pose_b: &Pose) -> Option<Contact> {
    let pair = ConvexPair { a, pose_a, b, pose_b };
    Some(contact_of_cores(pair, depth_by_all_axes(pair)?))
}

/// The result of a search for a separating plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SeparatingPlane {
    /// The shapes are disjoint.
    Separated {
        /// Unit vector from A to B.
        normal: Vec3,
        /// Lower bound above 0 of their separation along `normal`, in metres; not the distance.
        gap: f64,
        /// The number of normals tried.
        steps: u32,
    },
    /// They overlap, or no plane was found.
    Unproven,
}

/// Searches for a plane that separates two placed shapes of any kind. A failure proves nothing.
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
    dispatch(SeparationBetween { pair, rule })
}

struct SeparationBetween<'a> {
    pair: ConvexPair<'a>,
    rule: WeightRule,
}

impl Kernel for SeparationBetween<'_> {
    type Output = SeparatingPlane;

    #[inline(always)]
    fn run<I: WideIsa>(self, _isa: I) -> SeparatingPlane {
        let ConvexPair { a, pose_a, b, pose_b } = self.pair;
        let margin = a.margin() + b.margin();
        let largest = self.pair.largest();
        let unit = power_of_two_scale(largest.max(margin));
        let place = |shape, pose| PlacedCore::new(shape, pose, unit).expect("half-spaces are asked elsewhere");
        let (a, b) = (place(a, pose_a), place(b, pose_b));
        match separating_plane(&a, &b, margin * unit, largest * unit, self.rule, None) {
            PlaneOutcome::Separated(found) if found.gap / unit > 0.0 => {
                SeparatingPlane::Separated { normal: found.normal, gap: found.gap / unit, steps: found.steps }
            }
            PlaneOutcome::Separated(_) | PlaneOutcome::Unproven => SeparatingPlane::Unproven,
        }
    }
}
