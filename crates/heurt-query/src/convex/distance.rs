//! Distance of two placed convex shapes: 0 and a common point if they overlap, else the distance of their cores less
//! their margins.

use crate::answer::distance::Distance;
use crate::convex::gjk::SimplexCache;
use crate::convex::half_space;
use crate::convex::pair::{ConvexPair, CoreSeparation, Gap};
use crate::convex::separation::cores_decided_warm;
use heurt_geometry::{Vec3, robust_length, robust_normalize};

/// Finds the distance of two convex shapes if it is at most `max` metres.
pub(crate) fn convex_distance_within(pair: ConvexPair<'_>, max: f64) -> Option<Distance> {
    convex_distance_warm(pair, max, &mut SimplexCache::default())
}

/// Computes [`convex_distance_within`] from the cached simplex.
pub(crate) fn convex_distance_warm(pair: ConvexPair<'_>, max: f64, carriers: &mut SimplexCache) -> Option<Distance> {
    if let Some(gap) = half_space::separation(pair) {
        return if gap.length <= 0.0 {
            Some(overlapping(gap.length + gap.error, half_space::common(pair, &gap)))
        } else {
            Some(distance_of_gap(&gap, gap.length, [gap.on_a, gap.on_b])).filter(|found| found.distance <= max)
        };
    }
    let margin = pair.a.margin() + pair.b.margin();
    match cores_decided_warm(pair, margin, max + margin, carriers) {
        CoreSeparation::BeyondMax => None,
        CoreSeparation::Touching(point, open) => Some(overlapping(open - margin, point)),
        CoreSeparation::Penetrating(gap) => Some(overlapping(gap.error - gap.length - margin, gap.on_b)),
        CoreSeparation::Disjoint(gap) => Some(with_margins(pair, &gap)).filter(|found| found.distance <= max),
    }
}

/// Returns the distance of two shapes whose cores have the given gap.
pub(crate) fn with_margins(pair: ConvexPair<'_>, gap: &Gap) -> Distance {
    let (margin_a, margin_b) = (pair.a.margin(), pair.b.margin());
    let margin = margin_a + margin_b;
    if margin == 0.0 {
        return distance_of_gap(gap, gap.length, [gap.on_a, gap.on_b]);
    }
    if gap.length <= margin {
        let gap_at_most = gap.length - margin + gap.error + 4.0 * f64::EPSILON * margin;
        return overlapping(gap_at_most, gap.on_a + (gap.on_b - gap.on_a) * (margin_a / margin));
    }
    // The normal proves the distance. If the points are less exact, the direction between them is another.
    let direction =
        robust_normalize(gap.on_b - gap.on_a).filter(|direction| direction.dot(gap.normal) > 0.9).unwrap_or(gap.normal);
    let on_a = gap.on_a + direction * margin_a;
    let on_b = gap.on_b - direction * margin_b;
    let mut found = distance_of_gap(gap, gap.length - margin, [on_a, on_b]);
    let mismatch = (robust_length(on_b - on_a) - found.distance).abs();
    found.error = found.error.max(mismatch) + 4.0 * f64::EPSILON * margin;
    found
}

fn overlapping(gap_at_most: f64, point: Vec3) -> Distance {
    Distance::common_within(gap_at_most, point, Some([0, 0]))
}

fn distance_of_gap(gap: &Gap, distance: f64, [point_a, point_b]: [Vec3; 2]) -> Distance {
    Distance { distance, point_a, point_b, normal: Some(gap.normal), primitives: Some([0, 0]), error: gap.error }
}
