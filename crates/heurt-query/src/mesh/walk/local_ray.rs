//! Conservative transform of a world ray to the local frame of a placed tree.

use heurt_bvh::{RayQuery, TreeFrame};
use heurt_geometry::{Pose, Vec3};

/// A ray against the boxes of a tree, and the map from its parameter to the world parameter.
pub(crate) struct LocalRay {
    /// The query; its parameter s represents t = start + s · scale of the world ray.
    pub query: RayQuery,
    /// The world parameter at the start of the local ray.
    pub start: f64,
    /// World parameter per unit of the local parameter.
    pub scale: f64,
    /// The start of the local ray, in local units.
    pub origin: Vec3,
    /// The direction of the local ray; the largest component is 1.
    pub direction: Vec3,
    /// Bound on the error of a point of the local ray, in local units.
    pub slack: f32,
}

/// An origin within this distance of a tree, in local units, is kept as the start of the ray; a larger distance would
/// cost precision in `f32`.
const NEAR: f64 = 4.0;

/// Transforms `origin + t · direction`, 0 ≤ t ≤ `end` (world frame, the direction's largest component from 1 to 2), to
/// the tree's frame. Boxes are grown by `margin` metres. A ray from afar starts where it enters the sphere around the
/// tree. Returns `None` if the ray provably misses the sphere.
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
    let reach = frame.max_coordinate() + pose.translation().abs().max_element() + origin.abs().max_element();
    let slack = reach * (1.0 / (1u64 << 42) as f64)
        + 4.0 * pose.defect() * frame.max_coordinate()
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

/// Finds the parameters at which the line enters and leaves the sphere of `radius` around the centre, slightly
/// enlarged; `None` if it provably misses.
fn clipped(to_centre: &Vec3, direction: &Vec3, radius: f64, slack: f64) -> Option<(f64, f64)> {
    // The unit keeps squares from underflow and overflow.
    let far = to_centre.abs().max_element().max(radius).clamp(f64::MIN_POSITIVE, f64::MAX);
    let unit = f64::from_bits((2046 - (far.to_bits() >> 52).clamp(1, 2045)) << 52);
    let (to_centre, radius, slack) = (*to_centre * unit, radius * unit, slack * unit);
    let per_length_sq = 1.0 / direction.length_squared();
    let along = to_centre.dot(*direction) * per_length_sq;
    let aside_sq = (to_centre - *direction * along).length_squared();
    // Rounding is far below 1e-12 of the distances involved; parameters are less than lengths.
    let doubt = 1e-6 * radius + slack;
    let radius = radius + doubt;
    if aside_sq > radius * radius {
        return None;
    }
    let half = ((radius * radius - aside_sq) * per_length_sq).sqrt() + doubt;
    Some(((along - half).max(0.0) / unit, (along + half) / unit))
}
