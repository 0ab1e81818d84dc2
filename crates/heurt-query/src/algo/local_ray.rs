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

/// Brings `origin + t · direction`, 0 ≤ t ≤ `end` (world frame, direction not zero), into the tree's frame, beginning where
/// it enters the sphere about the tree; `None` when it misses that surely.
pub(crate) fn local_ray(a: &MeshShape, pose: &Pose, origin: Vec3, direction: Vec3, end: f64) -> Option<LocalRay> {
    let frame = a.tree().frame();
    let centre = pose.place(frame.centre());
    let reach = frame.reach() + pose.translation().abs().max_element() + origin.abs().max_element();
    let slack = reach * (1.0 / (1u64 << 42) as f64) + 4.0 * pose.defect() * frame.reach();
    let radius = frame.radius() * (1.0 + 1e-9) + slack;
    let length = direction.length();
    let unit = direction / length;
    let to_centre = centre - origin;
    let along = to_centre.dot(unit);
    let aside = (to_centre - unit * along).length();
    // Rounding of `along` and `aside` is far below a millionth of the distances involved.
    let doubt = 1e-12 * (to_centre.length() + radius);
    if aside > radius + doubt {
        return None;
    }
    let half = ((radius - aside).max(0.0) * (radius + aside)).sqrt().max(doubt) + doubt + slack;
    let (enter, leave) = ((along - half - radius * 1e-6).max(0.0), (along + half + radius * 1e-6).min(end * length));
    if leave < enter {
        return None;
    }
    let local = |v: Vec3| pose.rotation().transpose() * v * frame.inverse_scale();
    let begin = local((origin - centre) + unit * enter);
    let towards = local(unit);
    let largest = towards.abs().max_element();
    let span = (leave - enter) * largest;
    let slack = (slack + doubt) * frame.inverse_scale();
    let direction = towards / largest;
    let query = RayQuery::new(begin.to_array(), direction.to_array(), slack, span * (1.0 + 1e-9) + slack);
    Some(LocalRay {
        query,
        start: enter / length,
        scale: 1.0 / (largest * length),
        origin: begin,
        direction,
        slack: (slack as f32).next_up(),
    })
}
