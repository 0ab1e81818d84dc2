//! Contact manifold of two placed hulls along the normal of a face, in place of a direction that is nearly as good.
//!
//! In: two placed convex shapes, their signed distance with its direction, and the features that face each other along
//! it. Out: the contact along the normal of a face ([`FaceContact`]), if it is as good within a tolerance.
//! Method: the separating-axis test prefers a face to a pair of edges (Gregorius, GDC 2013 and 2015). The face nearest
//! to the direction, of A or of B, is the reference face; it cuts the opposite face (`manifold`).
//! Guarantees: existence is not changed. The separation of a point is its height along the normal of the contact. The
//! points include the pair of nearest or deepest features. Overlapping shapes are disjoint after a translation by the
//! reported overlap along the normal. The result does not depend on the order of A and B, except for equal angles.
//! Not guaranteed: that the overlap along the face is the depth; the loss is at most [`MAX_LOSS`].
//! Cost: two support points and one cut, only if the direction is near the normal of a face and not equal to it.

use crate::answer::contact::ContactPoint;
use crate::convex::manifold::{AS_ASKEW, Facing, Naming, cut};
use crate::convex::pair::{ConvexPair, Gap, LOOSE};
use crate::convex::support::{PlacedHull, Support};
use heurt_geometry::Vec3;
use heurt_shape::Convex;
use smallvec::SmallVec;

/// Maximum sine of the angle between the direction of a gap and the normal of a face that replaces it: 0.1 rad. Boxes
/// tipped by 0.08 rad have edge–edge directions up to 0.089 rad from the face, while centres are offset by at most half
/// the edge (480,000 random poses).
const MAX_TURN: f64 = 0.099_833_416_646_828_15;
/// Maximum loss of separation along the face, as a share of the smaller radius. Boxes tipped by 0.08 rad lose up to
/// 0.038 of their edge, which is 0.044 of their radius (560,000 random poses).
const MAX_LOSS: f64 = 0.05;
/// Maximum length of the difference of two unit vectors that are equal up to rounding.
const SAME_NORMAL: f64 = 1e-12;
/// The contact of two shapes along the normal of a face.
pub(crate) struct FaceContact {
    /// The distance of disjoint shapes, or the negative overlap along the normal.
    pub signed: f64,
    pub gap: Gap,
    pub points: SmallVec<[ContactPoint; 4]>,
}

/// A face that may replace the direction of a gap.
#[derive(Clone, Copy)]
struct ReferenceFace {
    is_of_b: bool,
    /// Unit vector from A to B.
    normal: Vec3,
    askew: f64,
}

/// Finds the contact along the normal of a face; `None` if the direction of the gap is the normal of a face already, or
/// if no face is as good within the tolerance. `margin` and `rounding` are in metres.
#[inline]
pub(crate) fn face_contact(
    pair: ConvexPair<'_>,
    signed: f64,
    gap: &Gap,
    facing: &[Option<Facing<'_>>; 2],
    limits: (f64, f64),
) -> Option<FaceContact> {
    let faces = [0, 1].map(|side| {
        let (outward, _, askew) = facing[side].as_ref()?.face()?;
        // Rescaled to length 1 to the last digit: a rotation that is orthonormal only up to a defect does not keep the
        // length.
        let unit = outward * (1.5 - 0.5 * outward.length_squared());
        let normal = if side == 1 { -unit } else { unit };
        Some(ReferenceFace { is_of_b: side == 1, normal, askew })
    });
    let is_same = |face: &ReferenceFace| (face.normal - gap.normal).length_squared() <= SAME_NORMAL * SAME_NORMAL;
    if faces.iter().flatten().any(is_same) {
        return None;
    }
    let hulls = pair.hulls(1.0)?;
    let [a, b] = faces;
    let is_first = match (a, b) {
        (Some(a), Some(b)) => a.askew <= b.askew + AS_ASKEW,
        _ => true,
    };
    let in_order = if is_first { [a, b] } else { [b, a] };
    let mut near = in_order.into_iter().flatten().filter(|face| face.askew <= MAX_TURN);
    near.find_map(|face| along_face(pair, &hulls, signed, gap, (facing, face), limits))
}

/// Returns the contact along the normal of a reference face.
#[inline(never)]
fn along_face(
    pair: ConvexPair<'_>,
    [a, b]: &[PlacedHull<'_>; 2],
    signed: f64,
    gap: &Gap,
    (facing, face): (&[Option<Facing<'_>>; 2], ReferenceFace),
    (margin, rounding): (f64, f64),
) -> Option<FaceContact> {
    let normal = face.normal;
    let along_normal = normal.dot(b.support(-normal).point) - normal.dot(a.support(normal).point);
    let has_loose = [a, b].iter().any(|placed| !placed.hull.loose().is_empty());
    let loose = if has_loose { LOOSE * f64::EPSILON * pair.largest() } else { 0.0 };
    let along = (along_normal - pair.a.margin() - pair.b.margin() - loose).min(signed);
    let radius = (a.radius() + pair.a.margin()).min(b.radius() + pair.b.margin());
    let loss = signed - along;
    if loss.is_nan() || loss > MAX_LOSS * radius {
        return None;
    }
    let (other, towards) = if face.is_of_b { (FaceSide(pair.a, 0), normal) } else { (FaceSide(pair.b, 1), -normal) };
    let pose = if face.is_of_b { pair.pose_a } else { pair.pose_b };
    let incident = Facing::of(other.0, pose, towards).filter(|facing| facing.face().is_some())?;
    let reference = facing[1 - other.1].as_ref()?;
    let least = if signed > 0.0 { signed } else { along };
    let points = points_over(reference, &incident, face, (least, margin.max(signed), rounding))?;
    // The points of shapes that overlap must be as deep as the deepest features: two edges that cross are as deep along
    // the normal as their gap divided by the cosine. If the shapes are disjoint, the nearest features may be aside.
    let deepest = points.iter().map(|point| point.separation).fold(f64::INFINITY, f64::min);
    let allowed = if signed > 0.0 { MAX_LOSS * radius } else { rounding };
    if points.len() < 2 || deepest * normal.dot(gap.normal) > signed + allowed {
        return None;
    }
    // A loss is rounded, too.
    let lost = if signed > 0.0 { 0.0 } else { loss + 4.0 * f64::EPSILON * along.abs() };
    let gap = Gap { normal, error: gap.error + lost, ..*gap };
    Some(FaceContact { signed: least, gap, points })
}

/// A shape and the index of its side.
struct FaceSide<'a>(&'a Convex, usize);

/// Returns the points of the opposite face over a reference face that are not higher than a limit; `None` if one is
/// lower than `least`: the shape with the reference face is thinner there than the overlap.
fn points_over(
    reference: &Facing<'_>,
    incident: &Facing<'_>,
    face: ReferenceFace,
    (least, limit, rounding): (f64, f64, f64),
) -> Option<SmallVec<[ContactPoint; 4]>> {
    let mut points = SmallVec::new();
    let mut is_sound = true;
    let away = if face.is_of_b { -face.normal } else { face.normal };
    cut((reference, incident), away, rounding, (face.is_of_b, Naming::ByEdges), |found| {
        is_sound &= found.separation >= least - rounding;
        if found.separation <= limit + rounding {
            points.push(ContactPoint {
                point: (found.on_a + found.on_b) * 0.5,
                normal: face.normal,
                separation: found.separation.max(least).min(limit),
                features: found.features,
                primitives: [0, 0],
            });
        }
    });
    is_sound.then_some(points)
}
