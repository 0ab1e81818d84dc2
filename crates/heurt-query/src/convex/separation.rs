//! Separation of the cores of two placed convex shapes: distance or penetration depth, bounded from both sides.
//!
//! In: placed convex shapes (no half-spaces). Out: [`CoreSeparation`], lengths in metres.
//! Method: the corners that carried the nearest points before, if any, then `gjk`, then `epa` if the cores overlap.
//! Depths of hulls of many corners begin with `epa`, from `initial_tetrahedron`. For hulls both algorithms prove their
//! answer: `gjk` by a support point along the direction, `epa` by the facets of a polytope. Rounding errors may leave
//! more than a few ulp between the bounds (needles, edges almost parallel, gaps of a few ulp). Then `gjk` runs again
//! with twice the digits, and all separating axes (`sat`) replace `epa`. Whether hulls overlap that are nearer than
//! rounding errors is decided exactly on the placed points. Points and segments have a formula (`closed_forms`); curved
//! cores are approached (`curved`). If that leaves a depth open, a formula may give it, or the common axis of
//! revolution (`coaxial`).
//! Guarantees: hulls within [`MAX_GAP`] and [`ROUNDING`] ulp of the largest coordinate; curved cores within the error
//! that is reported.

use super::closed_forms::{self, FormSeparation, nearest_on_segments};
use super::epa::{self, Depth, ExpansionOutcome};
use super::gjk::{
    DistanceBracket, GjkOutcome, GjkSeparation, SimplexCache, StopCriteria, nearest_of_polytopes, nearest_twofold,
    verify_cached_face,
};
use super::sat;
use crate::answer::placed::Placed;
use crate::convex::common_point::{shared_point, surely_inside};
use crate::convex::curved::axis_overlap::along;
use crate::convex::curved::coaxial;
use crate::convex::curved::of_curved;
use crate::convex::epa::initial_tetrahedron::{InitialSimplex, initial_simplex};
use crate::convex::exact::{provably_disjoint, provably_intersect};
use crate::convex::gjk::simplex::Simplex;
use crate::convex::pair::{
    ConvexPair, CoreSeparation, GAP, Gap, MAX_GAP, ROUNDING, Scaled, SearchInfo, SeparationQuery,
};
use crate::convex::support::{PlacedCore, PlacedHull, Support};
use crate::mesh::overlap::mesh_overlap;
use heurt_bvh::simd::{Kernel, WideIsa, dispatch};
use heurt_geometry::{Pose, Vec3, robust_length, robust_normalize};
use heurt_shape::{Convex, Hull};

/// Maximum difference of two searches in addition to their errors, in ε.
pub(crate) const DECIDED: f64 = 128.0;
/// Maximum error of a depth of curved cores that needs no other method, in ε.
const CLOSE: f64 = 64.0;
/// Depths below this share of the largest coordinate are searched only from a tetrahedron known to hold the origin.
/// Within a fifth of that, rounding errors leave open on which side of a thin facet the origin is.
const SHALLOW: f64 = 1e-8;

/// Computes the separation of two bounded cores.
///
/// # Panics
/// For half-spaces, which have closed forms of their own.
#[inline(always)]
pub(crate) fn cores(pair: ConvexPair<'_>, question: SeparationQuery) -> CoreSeparation {
    cores_warm(pair, question, &mut SimplexCache::default())
}

/// Computes [`cores`] from the cached simplex, and updates the cache.
#[inline(always)]
pub(crate) fn cores_warm(
    pair: ConvexPair<'_>,
    question: SeparationQuery,
    carriers: &mut SimplexCache,
) -> CoreSeparation {
    search(pair, question, carriers, &mut SearchInfo::default())
}

/// Computes [`cores_warm`] for shapes whose margins together are `margin`, if lengths near the margin or near the limit
/// decide yes or no. These lengths are computed without the cache, so that yes and no do not depend on it.
#[inline(always)]
pub(crate) fn cores_decided_warm(
    pair: ConvexPair<'_>,
    margin: f64,
    beyond: f64,
    carriers: &mut SimplexCache,
) -> CoreSeparation {
    let question = SeparationQuery { beyond, depth: false };
    // The overlap of hulls without a margin is exact.
    if carriers.is_empty() || margin == 0.0 && (beyond == 0.0 || beyond == f64::INFINITY) {
        return cores_warm(pair, question, carriers);
    }
    let room = DECIDED * f64::EPSILON * pair.largest();
    let found = cores_warm(pair, SeparationQuery { beyond: beyond + room, ..question }, carriers);
    match found {
        CoreSeparation::Disjoint(gap)
            if (gap.length - margin).abs().min((gap.length - beyond).abs()) <= room + 2.0 * gap.error =>
        {
            cores(pair, question)
        }
        found => found,
    }
}

/// Performs [`cores_warm`] with its other results. Not inlined, so that all callers share the search.
#[inline(never)]
pub(crate) fn search(
    pair: ConvexPair<'_>,
    question: SeparationQuery,
    carriers: &mut SimplexCache,
    trail: &mut SearchInfo,
) -> CoreSeparation {
    dispatch(SeparationKernel { pair, question, carriers, trail })
}

/// The search as a kernel.
struct SeparationKernel<'a> {
    pair: ConvexPair<'a>,
    question: SeparationQuery,
    /// The simplex before and after the search. Written in place, because copying it right after piecewise writes
    /// stalls.
    carriers: &'a mut SimplexCache,
    trail: &'a mut SearchInfo,
}

impl Kernel for SeparationKernel<'_> {
    type Output = CoreSeparation;

    #[inline(always)]
    fn run<I: WideIsa>(self, _isa: I) -> CoreSeparation {
        let Self { pair, question, carriers, trail } = self;
        let scaled = Scaled::new(&pair, question);
        if let Some([a, b]) = pair.hulls(scaled.unit) {
            return separate_hulls(&a, &b, &scaled, carriers, trail);
        }
        separate_curved(pair, question)
    }
}

/// Computes the separation of cores that are not both hulls. Not inlined: its borrowed values are on the stack, and the
/// values of hulls are to stay in registers.
#[inline(never)]
fn separate_curved(pair: ConvexPair<'_>, question: SeparationQuery) -> CoreSeparation {
    let (pair, scaled) = (&pair, &Scaled::new(&pair, question));
    let place = |shape, pose| PlacedCore::new(shape, pose, scaled.unit).expect("half-spaces are asked elsewhere");
    let size = |shape: &Convex| shape.bounds().half_extents().max_element();
    let size = (size(pair.a) + size(pair.b)) * scaled.unit;
    let (a, b) = (place(pair.a, pair.pose_a), place(pair.b, pair.pose_b));
    match of_curved(&a, &b, size, scaled) {
        CoreSeparation::Penetrating(gap) if gap.error * scaled.unit > scaled.ulps(CLOSE) => {
            CoreSeparation::Penetrating(deep_otherwise(pair, [&a, &b], size, scaled, gap))
        }
        result => result,
    }
}

/// Improves a depth that a polytope bounds poorly, by a formula or by a common axis, if they do better.
#[cold]
#[inline(never)]
fn deep_otherwise(pair: &ConvexPair<'_>, [a, b]: [&PlacedCore<'_>; 2], size: f64, scaled: &Scaled, found: Gap) -> Gap {
    let by_formula = || {
        let FormSeparation { length, normal, .. } =
            closed_forms::separation(*pair).filter(|result| result.length <= 0.0)?;
        let result = along(a, b, normal);
        let at_least = -length * scaled.unit - scaled.ulps(2.0 * ROUNDING);
        Some(Depth { at_least: at_least.clamp(0.0, result.at_most.max(0.0)), ..result })
    };
    let by_axis = || coaxial::depth((pair.a, pair.pose_a, a), (pair.b, pair.pose_b, b), size, scaled.ulps(1.0));
    let better = |best: Gap, other: Gap| if other.error < best.error { other } else { best };
    let others = [by_formula(), by_axis()].into_iter().flatten().filter(|result| result.at_least > 0.0);
    others.map(|result| scaled.depth(&result)).fold(found, better)
}

#[inline(always)]
fn separate_hulls(
    a: &PlacedHull<'_>,
    b: &PlacedHull<'_>,
    scaled: &Scaled,
    carriers: &mut SimplexCache,
    trail: &mut SearchInfo,
) -> CoreSeparation {
    if a.hull.corners().len() <= 2
        && b.hull.corners().len() <= 2
        && let Some(result) = separate_segments(a, b, scaled, trail)
    {
        return result;
    }
    if scaled.question.depth && carriers.is_empty() {
        match try_epa_first(a, b, scaled, trail) {
            Ok(deep) => return deep,
            Err(start) => *carriers = start,
        }
    }
    if let Some(known) = verify_cached_face(a, b, carriers, scaled.until(GAP)) {
        if scaled.is_beyond(known.at_least) {
            trail.offset = -known.normal;
            return CoreSeparation::BeyondMax;
        }
        let gap = scaled.bracketed(&known);
        if scaled.is_sure(&gap) {
            return CoreSeparation::Disjoint(gap);
        }
    }
    let corners = (a.hull.corners().len() + b.hull.corners().len()) as f64 * 0.5;
    match nearest_of_polytopes(a, b, corners, carriers, || a.middle() - b.middle(), scaled.until(GAP)) {
        GjkOutcome::Disjoint(found) => {
            carriers.take(&found.simplex);
            trail.offset = found.offset;
            if scaled.is_beyond(found.at_least) {
                return CoreSeparation::BeyondMax;
            }
            let gap = scaled.gap_of(&found);
            if scaled.is_sure(&gap) {
                CoreSeparation::Disjoint(gap)
            } else {
                resolve_uncertain(a, b, &found.simplex, scaled, trail)
            }
        }
        GjkOutcome::Inside(simplex) if scaled.question.depth => deep(a, b, &simplex, scaled, false, trail),
        GjkOutcome::Inside(simplex) if surely_inside(&simplex, scaled.ulps(ROUNDING)) => {
            CoreSeparation::Touching(shared_point(a, b, &simplex, scaled.ulps(MAX_GAP)) * scaled.metre, 0.0)
        }
        GjkOutcome::Inside(simplex) | GjkOutcome::Close(simplex) => resolve_uncertain(a, b, &simplex, scaled, trail),
    }
}

/// Separates points and segments (spheres and capsules) by their formula, if the gap along its normal proves it: not if
/// they touch, or are almost parallel.
#[inline(always)]
fn separate_segments(
    a: &PlacedHull<'_>,
    b: &PlacedHull<'_>,
    scaled: &Scaled,
    trail: &mut SearchInfo,
) -> Option<CoreSeparation> {
    let ends = |of: &PlacedHull<'_>| [of.place(0), of.place(of.hull.corners().len() as u32 - 1)];
    let (ends_a, ends_b) = (ends(a), ends(b));
    let [on_a, on_b] = nearest_on_segments(ends_a, ends_b);
    let offset = on_b - on_a;
    let length = offset.length();
    if length <= scaled.ulps(MAX_GAP) {
        return None;
    }
    let normal = offset / length;
    let along = |ends: [Vec3; 2]| ends.map(|end| normal.dot(end));
    let ([a, b], [c, d]) = (along(ends_a), along(ends_b));
    let at_least = c.min(d) - a.max(b);
    if scaled.is_beyond(at_least) {
        trail.offset = -offset;
        return Some(CoreSeparation::BeyondMax);
    }
    let gap = scaled.bracketed(&DistanceBracket { at_least, normal, at_most: length, length, points: [on_a, on_b] });
    scaled.is_sure(&gap).then_some(CoreSeparation::Disjoint(gap))
}

/// Decides by exact arithmetic and more digits whether hulls overlap, and how far they are disjoint, if rounding errors
/// leave that open.
#[cold]
#[inline(never)]
fn resolve_uncertain(
    a: &PlacedHull<'_>,
    b: &PlacedHull<'_>,
    simplex: &Simplex,
    scaled: &Scaled,
    trail: &mut SearchInfo,
) -> CoreSeparation {
    let mut meeting = || match scaled.question.depth {
        true => deep(a, b, simplex, scaled, true, trail),
        false => CoreSeparation::Touching(shared_point(a, b, simplex, scaled.ulps(MAX_GAP)) * scaled.metre, 0.0),
    };
    if provably_intersect(a, b, simplex) {
        return meeting();
    }
    let until = StopCriteria { close: 0.0, ..scaled.until(GAP) };
    let found = nearest_twofold(a, b, &SimplexCache::of(simplex), a.middle() - b.middle(), until);
    let is_disjoint = matches!(&found, GjkOutcome::Disjoint(found) if provably_disjoint(a, b, found.direction()));
    if !is_disjoint && hulls_overlap(a.hull, a.pose, b.hull, b.pose) {
        return meeting();
    }
    let simplex = match found {
        // The hulls are disjoint, perhaps by less than rounding errors.
        GjkOutcome::Disjoint(found) if found.at_least >= -scaled.ulps(MAX_GAP) => {
            let gap = scaled.gap_of(&GjkSeparation { at_least: found.at_least.max(0.0), ..found });
            return CoreSeparation::Disjoint(Gap { length: gap.length.max(f64::from_bits(1)), ..gap });
        }
        GjkOutcome::Disjoint(found) => found.simplex,
        GjkOutcome::Inside(simplex) | GjkOutcome::Close(simplex) => simplex,
    };
    // The gap is smaller than twice the digits resolve.
    let [on_a, on_b] = simplex.witnesses().map(|point| point * scaled.metre);
    let axis = sat::least_overlap(a, b).map(|least| (least.depth, least.normal));
    let between = on_b - on_a;
    let straight = robust_normalize(between).map(|normal| {
        let overlap = normal.dot(a.support(normal).point - b.support(-normal).point);
        (overlap, normal)
    });
    let least = [axis, straight].into_iter().flatten().min_by(|x, y| x.0.total_cmp(&y.0));
    let normal = least.map_or(Vec3::Z, |(_, normal)| normal);
    let error = scaled.ulps(ROUNDING) * scaled.metre + robust_length(between);
    CoreSeparation::Disjoint(Gap { length: f64::from_bits(1), at_least: 0.0, error, normal, on_a, on_b })
}

/// Tests exactly whether the hulls of the placed points share a point.
fn hulls_overlap(a: &Hull, pose_a: &Pose, b: &Hull, pose_b: &Pose) -> bool {
    let meet = |of: Points| match (rehulled(a, pose_a, of), rehulled(b, pose_b, of)) {
        (Some(a), Some(b)) => {
            mesh_overlap(Placed::new(a.surface(), &Pose::IDENTITY), Placed::new(b.surface(), &Pose::IDENTITY)).is_some()
        }
        // The placed points are beyond the range of numbers.
        _ => mesh_overlap(Placed::new(a.surface(), pose_a), Placed::new(b.surface(), pose_b)).is_some(),
    };
    let has_loose = !a.loose().is_empty() || !b.loose().is_empty();
    meet(Points::Corners) || has_loose && meet(Points::All)
}

/// The points of a hull that are placed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Points {
    /// The corners: few, and a point that their hulls share is shared.
    Corners,
    /// The corners and the loose points.
    All,
}

/// Builds the hull of placed points; returns `None` beyond the range of numbers.
pub(crate) fn rehulled(hull: &Hull, pose: &Pose, of: Points) -> Option<Hull> {
    let loose = match of {
        Points::Corners => &[],
        Points::All => hull.loose(),
    };
    let points = hull.corners().iter().chain(loose);
    Hull::new(&points.map(|&point| pose.place(point)).collect::<Vec<_>>()).ok()
}

/// Computes the depth of hulls as if they overlapped. If they do not, or rounding errors leave that open, returns the
/// corners from which to search their distance.
#[inline(always)]
fn try_epa_first(
    a: &PlacedHull<'_>,
    b: &PlacedHull<'_>,
    scaled: &Scaled,
    trail: &mut SearchInfo,
) -> Result<CoreSeparation, SimplexCache> {
    let tetrahedron = match initial_simplex(a, b) {
        InitialSimplex::Tetrahedron(corners) => corners,
        InitialSimplex::Disjoint(corner) => return Err(SimplexCache::named([corner.names])),
        InitialSimplex::Unknown => return Err(SimplexCache::default()),
    };
    match epa::expand(a, b, tetrahedron, scaled.depth_until(trail), true) {
        ExpansionOutcome::Depth(found)
            if scaled.is_found(&found.depth) && found.depth.at_least > SHALLOW * scaled.largest =>
        {
            Ok(scaled.separation_of(&found, trail))
        }
        ExpansionOutcome::Disjoint(names) => Err(SimplexCache::named(names)),
        ExpansionOutcome::Depth(_) => Err(SimplexCache::default()),
    }
}

/// Computes the depth of hulls that are known to overlap, or likely do.
#[inline(always)]
fn deep(
    a: &PlacedHull<'_>,
    b: &PlacedHull<'_>,
    simplex: &Simplex,
    scaled: &Scaled,
    is_known: bool,
    trail: &mut SearchInfo,
) -> CoreSeparation {
    let searched = epa::expand_from_simplex(a, b, simplex, scaled.depth_until(trail));
    let found = searched.map(|searched| searched.depth);
    let is_sure = is_known || found.is_some_and(|found| found.at_least > scaled.ulps(ROUNDING));
    match searched {
        _ if !is_sure => resolve_uncertain(a, b, simplex, scaled, trail),
        Some(searched) if scaled.is_found(&searched.depth) => scaled.separation_of(&searched, trail),
        _ => depth_by_sat(a, b, found, scaled),
    }
}

/// Computes the depth of two hulls by a test of all axes; returns `None` if they are disjoint, or for other cores.
pub(crate) fn depth_by_all_axes(pair: ConvexPair<'_>) -> Option<Gap> {
    let scaled = Scaled::new(&pair, SeparationQuery { beyond: f64::INFINITY, depth: true });
    let [a, b] = pair.hulls(scaled.unit)?;
    let least = sat::least_overlap(&a, &b).filter(|least| least.depth >= 0.0)?;
    Some(scaled.depth(&scaled.along_axis(&least)))
}

#[cold]
#[inline(never)]
fn depth_by_sat(a: &PlacedHull<'_>, b: &PlacedHull<'_>, found: Option<Depth>, scaled: &Scaled) -> CoreSeparation {
    let least = sat::least_overlap(a, b).map(|least| scaled.along_axis(&least));
    let flat = Depth { at_least: 0.0, at_most: 0.0, normal: Vec3::Z, on_a: a.middle(), on_b: b.middle() };
    // At equal depth, the depth with points that meet is better.
    let better = match (found, least) {
        (Some(found), Some(least)) if found.at_most <= least.at_most + scaled.ulps(GAP) => {
            Depth { at_least: least.at_least, ..found }
        }
        (_, Some(least)) => least,
        (Some(found), None) => found,
        (None, None) => flat,
    };
    scaled.deep(&better)
}
