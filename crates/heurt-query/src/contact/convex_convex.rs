//! Two placed convex shapes: depth or distance of their cores less the margins, and the common part of what faces each other.

use super::{Contact, ContactPoint};
use crate::algo::convex_pair::{ConvexPair, Cores, Gap, Question, cores};
use crate::algo::half_space;
use crate::algo::manifold::{self, Facing};
use heurt_geometry::Vec3;
use heurt_shape::Convex;
use smallvec::{SmallVec, smallvec};

/// What a translation that separates is longer than the depth, in ε of the coordinates: the placed corners round.
const CLEARANCE: f64 = 16.0;

/// Finds how two convex shapes touch, if they are not farther apart than `margin`.
pub(crate) fn convex_contact(pair: ConvexPair<'_>, margin: f64) -> Option<Contact> {
    let rounded = pair.a.margin() + pair.b.margin();
    let (signed, gap) = match half_space::separation(pair) {
        Some(gap) if gap.length > 0.0 => (gap.length, gap),
        Some(gap) => (gap.length, Gap { at_least: gap.length + gap.error, ..gap }),
        None => match cores(pair, Question { beyond: margin + rounded, depth: true }) {
            Cores::Beyond | Cores::Common(_) => return None,
            Cores::Apart(gap) => {
                // Of a depth the least counts that it can be: then the cores are as far apart as they can be.
                let at_least = if gap.length > rounded { gap.at_least } else { gap.length + gap.error };
                (gap.length - rounded, surfaces(&Gap { at_least, ..gap }, pair, rounded))
            }
            Cores::Deep(gap) => {
                (-gap.length - rounded, surfaces(&Gap { at_least: -gap.at_least, ..gap }, pair, rounded))
            }
        },
    };
    (signed <= margin).then(|| told(pair, signed, &gap, margin))
}

/// The gap between the surfaces, where that between the cores is given; `at_least` is signed.
fn surfaces(gap: &Gap, pair: ConvexPair<'_>, rounded: f64) -> Gap {
    Gap {
        at_least: gap.at_least - rounded,
        error: gap.error + 4.0 * f64::EPSILON * rounded,
        on_a: gap.on_a + gap.normal * pair.a.margin(),
        on_b: gap.on_b - gap.normal * pair.b.margin(),
        ..*gap
    }
}

fn told(pair: ConvexPair<'_>, signed: f64, gap: &Gap, margin: f64) -> Contact {
    let clearance = CLEARANCE * (f64::EPSILON * pair.largest() + f64::from_bits(1));
    let overlaps = signed <= 0.0;
    let separation = if overlaps { signed - clearance } else { signed };
    let normal = gap.normal;
    let facing = |shape: &Convex, pose, towards| Facing::of(shape, pose, towards);
    let points = match (facing(pair.a, pair.pose_a, normal), facing(pair.b, pair.pose_b, -normal)) {
        (Some(a), Some(b)) => manifold::common_part(&a, &b, normal),
        _ => SmallVec::new(),
    };
    let mut points: SmallVec<[ContactPoint; 8]> = points
        .into_iter()
        .map(|found| ContactPoint {
            point: (found.on_a + found.on_b) * 0.5,
            normal,
            // A face that is not quite across the normal may seem deeper beside the place where it is met.
            separation: found.separation.max(signed),
            features: found.features,
            primitives: [0, 0],
        })
        .filter(|point| point.separation <= margin.max(signed))
        .collect();
    if points.is_empty() {
        points = smallvec![nearest_point(pair, gap, signed)];
    }
    Contact {
        separation,
        separation_bound: if overlaps { gap.at_least.min(0.0) } else { gap.at_least },
        error: gap.error + if overlaps { clearance } else { 0.0 },
        normal,
        points,
    }
}

/// The one point where the surfaces are nearest or deepest.
fn nearest_point(pair: ConvexPair<'_>, gap: &Gap, separation: f64) -> ContactPoint {
    let feature = |shape: &Convex, pose, towards: Vec3| manifold::feature_towards(shape, pose, towards);
    ContactPoint {
        point: (gap.on_a + gap.on_b) * 0.5,
        normal: gap.normal,
        separation,
        features: [feature(pair.a, pair.pose_a, gap.normal), feature(pair.b, pair.pose_b, -gap.normal)],
        primitives: [0, 0],
    }
}
