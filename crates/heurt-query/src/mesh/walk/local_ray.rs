//! A world ray in the local frame of a placed tree, conservatively.

use heurt_bvh::{RayQuery, TreeFrame};
use heurt_geometry::{Pose, Vec3};

/// A ray against the boxes of a tree, and how its parameter reads in the world.
pub(crate) struct LocalRay {
    /// The query; its parameter s represents t = start + s · scale of the world ray.
    pub query: RayQuery,
    /// The world parameter where the local ray begins.
    pub start: f64,
    /// World parameter for one unit of the local one.
    pub scale: f64,
    /// Where the local ray begins, in local units.
    pub origin: Vec3,
    /// Where it goes; the largest component is 1.
    pub direction: Vec3,
    /// How far a point of the local ray may be off, in local units.
    pub slack: f32,
}

/// An origin as near as this to a tree, in local units, is as good a beginning as any: a larger one would cost `f32`
/// its digits.
const NEAR: f64 = 4.0;

/// Brings `origin + t · direction`, 0 ≤ t ≤ `end` (world frame, the direction's largest component from 1 to 2), into
/// the tree's frame, where boxes are grown by `margin` metres; from afar, beginning where it enters the sphere around
/// the tree; `None` when it misses that provably.
#[inline]
pub(crate) fn local_ray(
    frame: &TreeFrame,
    pose: &Pose,
    origin: Vec3,
    direction: Vec3,
    end: f64,
    margin: f64,
) -> Option<LocalRay> {
    let to_centre = pose.place(frame.centre()) - origin;
    let reach = frame.reach() + pose.translation().abs().max_element() + origin.abs().max_element();
    let slack = reach * (1.0 / (1u64 << 42) as f64)
        + 4.0 * pose.defect() * frame.reach()
        + 1e-12 * to_centre.abs().max_element()
        + margin;
    let back = pose.rotation().transpose();
    let mut begin = back * -to_centre * frame.inverse_scale();
    let (mut enter, mut leave) = (0.0, end);
    if begin.abs().max_element() > NEAR {
        (enter, leave) = clipped(&to_centre, &direction, frame.radius(), slack)?;
        leave = leave.min(end);
        if leave < enter {
            return None;
        }
        begin = back * (direction * enter - to_centre) * frame.inverse_scale();
    }
    let towards = back * direction * frame.inverse_scale();
    let largest = towards.abs().max_element();
    let (span, scale) = ((leave - enter) * largest, 1.0 / largest);
    let direction = towards * scale;
    let slack = slack * frame.inverse_scale();
    let query = RayQuery::new(begin.to_array(), direction.to_array(), slack, span * (1.0 + 1e-9) + slack);
    Some(LocalRay { query, start: enter, scale, origin: begin, direction, slack: (slack as f32).next_up() })
}

/// Where the line enters and leaves the sphere of `radius` about the centre, a little outward; `None` when it provably
/// misses.
fn clipped(to_centre: &Vec3, direction: &Vec3, radius: f64, slack: f64) -> Option<(f64, f64)> {
    // In a unit in which squares neither under- nor overflow.
    let far = to_centre.abs().max_element().max(radius).clamp(f64::MIN_POSITIVE, f64::MAX);
    let unit = f64::from_bits((2046 - (far.to_bits() >> 52).clamp(1, 2045)) << 52);
    let (to_centre, radius, slack) = (*to_centre * unit, radius * unit, slack * unit);
    let per_length_sq = 1.0 / direction.length_squared();
    let along = to_centre.dot(*direction) * per_length_sq;
    let aside_sq = (to_centre - *direction * along).length_squared();
    // Rounding is far below a millionth of a millionth of the distances involved; parameters are less than lengths.
    let doubt = 1e-6 * radius + slack;
    let radius = radius + doubt;
    if aside_sq > radius * radius {
        return None;
    }
    let half = ((radius * radius - aside_sq) * per_length_sq).sqrt() + doubt;
    Some(((along - half).max(0.0) / unit, (along + half) / unit))
}
