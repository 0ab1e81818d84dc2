//! A world ray in the local frame of a placed tree, conservatively.

use heurt_bvh::RayQuery;
use heurt_geometry::{Pose, Vec3};
use heurt_shape::MeshShape;

/// A ray against the boxes of a tree, and how its parameter reads in the world.
pub(crate) struct LocalRay {
    /// The query; its parameter s stands for t = start + s · scale of the world ray.
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

/// Brings `origin + t · direction`, 0 ≤ t ≤ `end` (world frame, the direction's largest component from 1 to 2), into the
/// tree's frame, beginning where it enters the sphere about the tree; `None` when it misses that surely.
#[inline]
pub(crate) fn local_ray(a: &MeshShape, pose: &Pose, origin: Vec3, direction: Vec3, end: f64) -> Option<LocalRay> {
    let frame = a.tree().frame();
    let centre = pose.place(frame.centre());
    let reach = frame.reach() + pose.translation().abs().max_element() + origin.abs().max_element();
    let slack = reach * (1.0 / (1u64 << 42) as f64) + 4.0 * pose.defect() * frame.reach();
    let per_length_sq = 1.0 / direction.length_squared();
    let to_centre = centre - origin;
    let along = to_centre.dot(direction) * per_length_sq;
    let aside_sq = (to_centre - direction * along).length_squared();
    // Rounding is far below a millionth of a millionth of the distances involved; parameters are less than lengths.
    let doubt = 1e-12 * to_centre.abs().max_element() + 1e-6 * frame.radius() + slack;
    let radius = frame.radius() + doubt;
    if aside_sq > radius * radius {
        return None;
    }
    let half = ((radius * radius - aside_sq) * per_length_sq).sqrt() + doubt;
    let (enter, leave) = ((along - half).max(0.0), (along + half).min(end));
    if leave < enter {
        return None;
    }
    let back = pose.rotation().transpose();
    let begin = back * (direction * enter - to_centre) * frame.inverse_scale();
    let towards = back * direction * frame.inverse_scale();
    let largest = towards.abs().max_element();
    let (span, scale) = ((leave - enter) * largest, 1.0 / largest);
    let direction = towards * scale;
    let slack = (slack + 1e-12 * to_centre.abs().max_element()) * frame.inverse_scale();
    let query = RayQuery::new(begin.to_array(), direction.to_array(), slack, span * (1.0 + 1e-9) + slack);
    Some(LocalRay { query, start: enter, scale, origin: begin, direction, slack: (slack as f32).next_up() })
}
