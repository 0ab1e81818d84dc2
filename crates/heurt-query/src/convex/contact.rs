//! Contact of two placed convex shapes: depth or distance of their cores less the margins, and the common part of the
//! features that face each other. The contact of a simulation step prefers the normal of a face (`face_contact`).

use crate::answer::contact::{Contact, ContactPoint, Separation};
use crate::answer::patch::keep_four;
use crate::convex::contact_cache::{ContactCache, contact_cores};
use crate::convex::face_contact::face_contact;
use crate::convex::half_space;
use crate::convex::manifold;
use crate::convex::manifold::{Facing, Naming};
use crate::convex::overlap::convex_overlap;
use crate::convex::pair::{ConvexPair, CoreSeparation, Gap};
use crate::convex::separation::DECIDED;
use heurt_geometry::Vec3;
use heurt_shape::{Convex, Core};
use smallvec::SmallVec;

/// Excess of a separating translation over the depth, in ε of the coordinates: the placed corners are rounded.
const CLEARANCE: f64 = 16.0;
/// Rounding error of the distance of two points, in ε of the coordinates.
const MEASURED: f64 = 8.0;

/// Rounding error of the separation of a contact point and of places in the plane of a face, in ε of the coordinates:
/// placed corners, normals and heights over faces round at most 16 times each.
const ROUNDING: f64 = 64.0;

/// Finds the distance or the depth of two convex shapes, if they are at most `max` from each other.
pub(crate) fn convex_separation(pair: ConvexPair<'_>, max: f64) -> Option<Separation> {
    let (signed, gap) = signed_gap(pair, max, None)?;
    let result = separation(pair, signed, &gap);
    let off = 4.0 * result.error;
    if signed > 0.0 || (gap.on_a - gap.on_b + gap.normal * signed).abs().max_element() <= off {
        return Some(result);
    }
    // An axis gives the depth, but not which of the deepest points along it are above each other.
    let [point_a, point_b] = deepest(pair, gap.normal, signed, off).unwrap_or([gap.on_a, gap.on_b]);
    Some(Separation { point_a, point_b, ..result })
}

/// Finds the contact of two convex shapes, if they are at most `margin` from each other.
pub(crate) fn convex_contact(pair: ConvexPair<'_>, margin: f64) -> Option<Contact> {
    let (signed, gap) = signed_gap(pair, margin, None)?;
    Some(contact_across(pair, signed, &gap, margin))
}

/// Finds the contact of two convex shapes for a simulation step, if they are at most `margin` from each other.
pub(crate) fn convex_manifold(pair: ConvexPair<'_>, margin: f64) -> Option<Contact> {
    let (signed, gap) = signed_gap(pair, margin, None)?;
    Some(manifold_across(pair, signed, &gap, margin))
}

/// Finds [`convex_manifold`] with all corners of the common part of both faces.
pub(crate) fn convex_manifold_whole(pair: ConvexPair<'_>, margin: f64) -> Option<Contact> {
    let (signed, gap) = signed_gap(pair, margin, None)?;
    Some(whole_manifold_across(pair, signed, &gap, margin).0)
}

/// Computes [`convex_manifold`] with the same bits, faster if the pair moved little since its previous query.
pub(crate) fn convex_manifold_warm(pair: ConvexPair<'_>, margin: f64, memory: &mut ContactCache) -> Option<Contact> {
    let (signed, gap) = signed_gap(pair, margin, Some(memory))?;
    Some(manifold_across(pair, signed, &gap, margin))
}

/// Returns the contact of shapes whose cores have the given depth.
pub(crate) fn contact_of_cores(pair: ConvexPair<'_>, deep: Gap) -> Contact {
    let (signed, gap) = below_surfaces(deep, pair);
    contact_across(pair, signed, &gap, 0.0)
}

/// Returns the contact across a gap.
fn contact_across(pair: ConvexPair<'_>, signed: f64, gap: &Gap, margin: f64) -> Contact {
    let Separation { separation, separation_bound, error, normal, .. } = separation(pair, signed, gap);
    let facing = facing_features(pair, gap.normal);
    let points = points(pair, signed, gap, &facing, (margin, Naming::ByFirstEnd));
    Contact { separation, separation_bound, error, normal, points }
}

/// Returns the contact of a simulation step across a gap: along the normal of a face if that is as good within the
/// tolerance of [`face_contact`], with at most four points for shapes without curved faces.
fn manifold_across(pair: ConvexPair<'_>, signed: f64, gap: &Gap, margin: f64) -> Contact {
    let (mut contact, has_curved_face) = whole_manifold_across(pair, signed, gap, margin);
    if !has_curved_face {
        keep_four(&mut contact.points);
    }
    contact
}

/// Returns the contact of a simulation step with all its points, and whether one of the shapes has curved faces.
#[inline(always)]
fn whole_manifold_across(pair: ConvexPair<'_>, signed: f64, gap: &Gap, margin: f64) -> (Contact, bool) {
    let facing = facing_features(pair, gap.normal);
    let rounding = ROUNDING * f64::EPSILON * pair.largest();
    let has_curved_face = [pair.a, pair.b].iter().any(|shape| matches!(shape.core(), Core::Round(_)));
    let (signed, gap, points) = match face_contact(pair, signed, gap, &facing, (margin, rounding)) {
        Some(face) => (face.signed, face.gap, face.points),
        None => {
            let naming = if has_curved_face { Naming::ByFirstEnd } else { Naming::ByEdges };
            let points = points(pair, signed, gap, &facing, (margin, naming));
            (signed, *gap, points)
        }
    };
    let Separation { separation, separation_bound, error, normal, .. } = separation(pair, signed, &gap);
    (Contact { separation, separation_bound, error, normal, points }, has_curved_face)
}

/// Returns the features that face each other along a normal from A to B.
fn facing_features(pair: ConvexPair<'_>, normal: Vec3) -> [Option<Facing<'_>>; 2] {
    [Facing::of(pair.a, pair.pose_a, normal), Facing::of(pair.b, pair.pose_b, -normal)]
}

/// Returns the signed distance, and the gap between the surfaces.
#[inline(always)]
fn signed_gap(pair: ConvexPair<'_>, max: f64, memory: Option<&mut ContactCache>) -> Option<(f64, Gap)> {
    let rounded = pair.a.margin() + pair.b.margin();
    let (signed, gap) = match half_space::separation(pair) {
        Some(gap) if gap.length > 0.0 => (gap.length, gap),
        Some(gap) => (gap.length, Gap { at_least: gap.length + gap.error, ..gap }),
        None => match contact_cores(pair, max + rounded, memory) {
            CoreSeparation::BeyondMax | CoreSeparation::Touching(..) => return None,
            CoreSeparation::Disjoint(gap) => {
                if gap.length > rounded {
                    (gap.length - rounded, surfaces(&gap, pair, rounded))
                } else {
                    // The reported translation is as long as may be needed: only the proved gap along the normal is
                    // subtracted. The bound of the depth is the least possible depth, at the greatest possible distance
                    // of the cores.
                    let error = gap.error + MEASURED * f64::EPSILON * pair.largest();
                    let bound = Gap { at_least: gap.at_least + error, error, ..gap };
                    (gap.at_least - rounded, surfaces(&bound, pair, rounded))
                }
            }
            CoreSeparation::Penetrating(gap) => below_surfaces(gap, pair),
        },
    };
    let (signed, gap) = if rounded > 0.0 { agree_with_overlap(pair, signed, gap) } else { (signed, gap) };
    (signed <= max).then_some((signed, gap))
}

/// Moves the signed distance of shapes with margins to the side of 0 that `overlap` reports, if rounding errors leave
/// it open.
fn agree_with_overlap(pair: ConvexPair<'_>, signed: f64, gap: Gap) -> (f64, Gap) {
    if signed.abs() > DECIDED * f64::EPSILON * pair.largest() + 2.0 * gap.error {
        return (signed, gap);
    }
    let result = if convex_overlap(pair) { signed.min(0.0) } else { signed.max(f64::from_bits(1)) };
    if result == signed {
        return (signed, gap);
    }
    // On that side of 0, nothing is proved except the sign.
    (result, Gap { at_least: 0.0, error: gap.error + (result - signed).abs(), ..gap })
}

/// Returns the signed distance, and the gap between the surfaces, of cores with the given depth.
fn below_surfaces(deep: Gap, pair: ConvexPair<'_>) -> (f64, Gap) {
    let rounded = pair.a.margin() + pair.b.margin();
    (-deep.length - rounded, surfaces(&Gap { at_least: -deep.at_least, ..deep }, pair, rounded))
}

/// Returns the reported separation for a gap between surfaces.
#[inline(always)]
fn separation(pair: ConvexPair<'_>, signed: f64, gap: &Gap) -> Separation {
    let Gap { at_least, error, normal, on_a, on_b, .. } = *gap;
    if signed > 0.0 {
        return Separation {
            separation: signed,
            separation_bound: at_least,
            error,
            normal,
            point_a: on_a,
            point_b: on_b,
        };
    }
    // The move may lead beyond all coordinates of the cores.
    let moved = if signed.is_finite() { -signed } else { 0.0 };
    let clearance = CLEARANCE * (f64::EPSILON * pair.largest().max(moved) + f64::from_bits(1));
    Separation {
        separation: signed - clearance,
        separation_bound: at_least.min(0.0),
        error: error + clearance,
        normal,
        point_a: on_a,
        point_b: on_b,
    }
}

/// Finds points of the common part of the facing features that are `signed` above each other, up to `off`.
#[cold]
fn deepest(pair: ConvexPair<'_>, normal: Vec3, signed: f64, off: f64) -> Option<[Vec3; 2]> {
    let a = Facing::of(pair.a, pair.pose_a, normal)?;
    let b = Facing::of(pair.b, pair.pose_b, -normal)?;
    let mut deepest: Option<[Vec3; 2]> = None;
    let rounding = ROUNDING * f64::EPSILON * pair.largest();
    manifold::common_part(&a, &b, normal, rounding, Naming::ByFirstEnd, |found| {
        if deepest.is_none() && (found.separation - signed).abs() <= off {
            deepest = Some([found.on_a, found.on_b]);
        }
    });
    deepest
}

/// Returns the gap between the surfaces for a gap between the cores; `at_least` is signed.
fn surfaces(gap: &Gap, pair: ConvexPair<'_>, rounded: f64) -> Gap {
    Gap {
        at_least: gap.at_least - rounded,
        error: gap.error + 4.0 * f64::EPSILON * rounded,
        on_a: gap.on_a + gap.normal * pair.a.margin(),
        on_b: gap.on_b - gap.normal * pair.b.margin(),
        ..*gap
    }
}

/// Returns the contact points: the common part of the facing features, and the point of least distance or greatest
/// depth unless one of them is as deep.
fn points(
    pair: ConvexPair<'_>,
    signed: f64,
    gap: &Gap,
    [facing_a, facing_b]: &[Option<Facing<'_>>; 2],
    (margin, naming): (f64, Naming),
) -> SmallVec<[ContactPoint; 4]> {
    let normal = gap.normal;
    let mut points = SmallVec::new();
    // Points this little beyond the limit count as at it: the set of points does not depend on the last bit.
    let (limit, rounding) = (margin.max(signed), ROUNDING * f64::EPSILON * pair.largest());
    let mut least = f64::INFINITY;
    if let (Some(a), Some(b)) = (facing_a, facing_b) {
        manifold::common_part(a, b, normal, rounding, naming, |found| {
            // A face that is not quite across the normal may seem deeper next to its contact.
            let separation = found.separation.max(signed);
            least = least.min(separation);
            if separation <= limit + rounding {
                points.push(ContactPoint {
                    point: (found.on_a + found.on_b) * 0.5,
                    normal,
                    separation: separation.min(limit),
                    features: found.features,
                    primitives: [0, 0],
                });
            }
        });
    }
    if points.is_empty() || least > signed + rounding + 2.0 * gap.error {
        let feature = |facing: &Option<Facing<'_>>, shape: &Convex, pose, towards: Vec3| {
            manifold::feature_towards(facing.as_ref(), shape, pose, towards)
        };
        points.push(ContactPoint {
            point: (gap.on_a + gap.on_b) * 0.5,
            normal,
            separation: signed,
            features: [feature(facing_a, pair.a, pair.pose_a, normal), feature(facing_b, pair.b, pair.pose_b, -normal)],
            primitives: [0, 0],
        });
    }
    points
}
