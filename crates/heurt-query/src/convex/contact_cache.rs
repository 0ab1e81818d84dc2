//! Contact cache of two cores that are queried repeatedly with small motions in between: cached features propose, the
//! current computation decides.
//!
//! In: two placed hulls and the cache of the pair ([`ContactCache`]). Out: [`CoreSeparation`], with the same bits for
//! any cache.
//! Method: the cached direction proves again that disjoint cores are disjoint. Cached nearest features are tested again
//! (`minkowski/facet`); a distance is then proved by itself, as convex sets have only one. A depth has other minima.
//! The search for the depth computed the distance of the origin from all facets of the polytope within A − B that face
//! other directions. No support changes by more than the support point of B moved since. A pair that the cache does not
//! prove is searched without it: hulls of few corners among all facets (`minkowski/small_hulls`), otherwise by a
//! search. The features at the result of a search give the reported result, so that all methods return the same bits.
//! Guarantees: answers do not depend on the cache, which may be of another pair. Cost: without a search, two support
//! points and the corners of a facet.

use super::gjk::SimplexCache;
use crate::convex::minkowski::facet;
use crate::convex::minkowski::facet::{FacetGap, MinkowskiFacet, SURE};
use crate::convex::minkowski::small_hulls::{NearestFacet, least_facet};
use crate::convex::pair::{ConvexPair, CoreSeparation, SearchInfo, SeparationQuery};
use crate::convex::separation::search;
use crate::convex::support::{PlacedHull, along_axes, rotation_between};
use heurt_bvh::simd::{Kernel, WideIsa, dispatch};
use heurt_geometry::{Mat3, Vec3, robust_normalize};

/// The result of the last contact query of two convex shapes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum ContactCache {
    #[default]
    Nothing,
    /// A direction from A to B, in the frame of A, along which the gap exceeded the maximum distance.
    Beyond([f32; 3]),
    /// The features that were nearest.
    Disjoint(MinkowskiFacet),
    /// The features of least depth, and the proof of the depth.
    Deep(MinkowskiFacet, DepthBasin),
}

/// A searched depth: around its direction no other depth is shorter than `depth`, and elsewhere none is shorter than
/// `aside`. All values are in the frame of A, rounded to `f32`, lengths downwards.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DepthBasin {
    /// Fingerprints of A and B.
    hulls: [u64; 2],
    /// B in the frame of A.
    rotation: [f32; 9],
    translation: [f32; 3],
    normal: [f32; 3],
    depth: f32,
    aside: f32,
}

/// Bound of the relative rounding error of `f32`, with a safety factor.
const SINGLE: f64 = 1e-6;
/// Cosine of the maximum angle that a direction may have turned since the search (0.1 rad). `SPREAD`: cosine and sine
/// of the sum of this angle, the angle of the facets around the direction (0.3 rad) and a margin.
const TURNED: f64 = 0.995_1;
const SPREAD: [f64; 2] = [0.913_088_9, 0.407_760_5];

impl DepthBasin {
    fn new(a: &PlacedHull<'_>, b: &PlacedHull<'_>, found: &FacetGap, aside: f64, sure: f64) -> Self {
        let (rotation, translation) = relative(a, b);
        let down = |length: f64| (length * (1.0 - SINGLE)) as f32;
        Self {
            hulls: [a, b].map(|placed| placed.hull.fingerprint()),
            rotation: rotation.to_cols_array().map(|x| x as f32),
            translation: translation.to_array().map(|x| x as f32),
            normal: along_axes(a.pose, found.gap.normal).to_array().map(|x| x as f32),
            depth: down((found.gap.at_least - sure).max(0.0)),
            aside: down(aside.min(f64::from(f32::MAX))),
        }
    }

    /// Proves that a depth, a minimum around its direction, is the least of all by at least `sure`.
    #[inline(always)]
    fn proves(&self, a: &PlacedHull<'_>, b: &PlacedHull<'_>, found: &FacetGap, sure: f64) -> bool {
        if self.hulls != [a, b].map(|placed| placed.hull.fingerprint()) {
            return false;
        }
        let (depth, aside) = (f64::from(self.depth), f64::from(self.aside));
        let now = found.gap.length;
        let normal = Vec3::from_array(self.normal.map(f64::from));
        if aside <= now + sure || depth >= aside || along_axes(a.pose, found.gap.normal).dot(normal) < TURNED {
            return false;
        }
        // The depth is a minimum within 2·atan(room / depth). From the intersection of both spheres on, the cached
        // search bounds all depths.
        let [now_sq, room_sq] = [now * now, found.room * found.room];
        let known = depth / aside;
        let from = known * SPREAD[0] - (1.0 - known * known).sqrt() * SPREAD[1];
        if now_sq - room_sq > from * (now_sq + room_sq) {
            return false;
        }
        let (rotation, translation) = relative(a, b);
        let turned = (rotation - Mat3::from_cols_array(&self.rotation.map(f64::from))).to_cols_array();
        let bounds = b.hull.bounds();
        let reach = bounds.min.abs().max(bounds.max.abs()).length();
        let shifted = (translation - Vec3::from_array(self.translation.map(f64::from))).length();
        // The Frobenius norm of the difference of two rotations is √2 times its spectral norm.
        let by_turn = turned.iter().map(|x| x * x).sum::<f64>().sqrt() * std::f64::consts::FRAC_1_SQRT_2;
        let moved = shifted + by_turn * reach + SINGLE * (translation.abs().max_element() + 2.0 * reach);
        aside - moved > now + sure
    }
}

/// Returns the rotation and translation of B in the frame of A.
#[inline(always)]
fn relative(a: &PlacedHull<'_>, b: &PlacedHull<'_>) -> (Mat3, Vec3) {
    (rotation_between(a.pose, b.pose), along_axes(a.pose, b.pose.translation() - a.pose.translation()))
}

/// Computes the separation of two bounded cores from the features that touch, if they decide it; otherwise as
/// [`crate::convex::separation::cores`] does.
#[inline(always)]
pub(crate) fn contact_cores(pair: ConvexPair<'_>, beyond: f64, memory: Option<&mut ContactCache>) -> CoreSeparation {
    dispatch(Remembering { pair, beyond, memory })
}

struct Remembering<'a> {
    pair: ConvexPair<'a>,
    beyond: f64,
    memory: Option<&'a mut ContactCache>,
}

impl Kernel for Remembering<'_> {
    type Output = CoreSeparation;

    #[inline(always)]
    fn run<I: WideIsa>(self, isa: I) -> CoreSeparation {
        let Self { pair, beyond, mut memory } = self;
        let question = SeparationQuery { beyond, depth: true };
        let largest = pair.largest();
        let hulls = pair.hulls(1.0).filter(|[a, b]| facet::has_stable_features(a, b, largest));
        let Some([a, b]) = hulls else {
            return search(pair, question, &mut SimplexCache::default(), &mut SearchInfo::default());
        };
        let sure = SURE * f64::EPSILON * largest;
        if let Some(memory) = memory.as_deref()
            && let Some(known) = recall(memory, &a, &b, beyond, largest, sure)
        {
            return known;
        }
        let wants_aside = memory.is_some();
        let least = least_facet(isa, &a, &b, sure, wants_aside);
        let looked_at = look_at(least, (&a, &b), beyond, (largest, sure), wants_aside);
        let (result, kept) = match looked_at {
            Some(known) => known,
            None => {
                let mut trail = SearchInfo { wants_aside, ..SearchInfo::default() };
                let mut carriers = SimplexCache::default();
                let found = search(pair, question, &mut carriers, &mut trail);
                contact_from(found, &a, &b, (largest, sure), &carriers, &trail)
            }
        };
        if let Some(memory) = &mut memory {
            **memory = kept;
        }
        result
    }
}

/// Returns the separation that all facets of A − B give, if they decide it, and its cache.
#[inline(always)]
fn look_at(
    least: NearestFacet,
    (a, b): (&PlacedHull<'_>, &PlacedHull<'_>),
    beyond: f64,
    (largest, sure): (f64, f64),
    remembers: bool,
) -> Option<(CoreSeparation, ContactCache)> {
    match least {
        NearestFacet::Disjoint { axis, at_least } if at_least > beyond + sure => {
            Some((CoreSeparation::BeyondMax, ContactCache::Beyond([axis.x as f32, axis.y as f32, axis.z as f32])))
        }
        NearestFacet::Facet { facet, others, aside } => {
            let found = facet::across(a, b, facet, largest).filter(|found| found.signed < 0.0)?;
            let is_least = found.gap.length + 2.0 * sure < others;
            if !is_least {
                return None;
            }
            let kept = if remembers {
                ContactCache::Deep(facet, DepthBasin::new(a, b, &found, aside, sure))
            } else {
                ContactCache::Nothing
            };
            Some((CoreSeparation::Penetrating(found.gap), kept))
        }
        NearestFacet::Disjoint { .. } | NearestFacet::Unknown => None,
    }
}

/// Returns the separation if the cache proves it.
#[inline(always)]
fn recall(
    memory: &ContactCache,
    a: &PlacedHull<'_>,
    b: &PlacedHull<'_>,
    beyond: f64,
    largest: f64,
    sure: f64,
) -> Option<CoreSeparation> {
    match memory {
        ContactCache::Nothing => None,
        ContactCache::Beyond(axis) => {
            let normal = *a.pose.rotation() * Vec3::from_array(axis.map(f64::from)).normalize();
            let gap = -b.height(-normal) - a.height(normal);
            (gap.is_finite() && gap > beyond + sure).then_some(CoreSeparation::BeyondMax)
        }
        ContactCache::Disjoint(facet) => {
            let found = facet::across(a, b, *facet, largest).filter(|found| found.signed > 0.0)?;
            // The search decides distances within rounding errors of the limit.
            match found.signed - beyond {
                over if over > 2.0 * sure => Some(CoreSeparation::BeyondMax),
                over if over < -2.0 * sure => Some(CoreSeparation::Disjoint(found.gap)),
                _ => None,
            }
        }
        ContactCache::Deep(facet, basin) => {
            let found = facet::across(a, b, *facet, largest).filter(|found| found.signed < 0.0)?;
            basin.proves(a, b, &found, 2.0 * sure).then_some(CoreSeparation::Penetrating(found.gap))
        }
    }
}

/// Returns the result of a search as the features at its normal give it, and its cache.
#[inline(always)]
fn contact_from(
    found: CoreSeparation,
    a: &PlacedHull<'_>,
    b: &PlacedHull<'_>,
    (largest, sure): (f64, f64),
    carriers: &SimplexCache,
    trail: &SearchInfo,
) -> (CoreSeparation, ContactCache) {
    match found {
        CoreSeparation::Disjoint(gap) => match facet::along(a, b, gap.normal, largest, carriers.three()) {
            Some((facet, result)) if result.signed > 0.0 => {
                (CoreSeparation::Disjoint(result.gap), ContactCache::Disjoint(facet))
            }
            _ => (found, ContactCache::Nothing),
        },
        CoreSeparation::Penetrating(gap) => match facet::along(a, b, gap.normal, largest, trail.corners) {
            // Without a cache, no caller needs the basin.
            Some((_, result)) if result.signed < 0.0 && !trail.wants_aside => {
                (CoreSeparation::Penetrating(result.gap), ContactCache::Nothing)
            }
            Some((facet, result)) if result.signed < 0.0 => (
                CoreSeparation::Penetrating(result.gap),
                ContactCache::Deep(facet, DepthBasin::new(a, b, &result, trail.aside, sure)),
            ),
            _ => (found, ContactCache::Nothing),
        },
        CoreSeparation::BeyondMax => {
            let axis = robust_normalize(trail.offset).map_or(Vec3::ZERO, |direction| along_axes(a.pose, -direction));
            let has_axis = axis != Vec3::ZERO;
            (
                found,
                if has_axis { ContactCache::Beyond(axis.to_array().map(|x| x as f32)) } else { ContactCache::Nothing },
            )
        }
        CoreSeparation::Touching(..) => (found, ContactCache::Nothing),
    }
}
