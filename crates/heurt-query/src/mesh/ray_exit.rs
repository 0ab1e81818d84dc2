//! Exit of a ray that starts inside a solid mesh: the first face beyond which the winding number is 0.
//!
//! In: an exact solid, its pose, a ray from a point of a known winding number other than 0. Out: the hit.
//! Method: triangles are met in ascending order, as many as needed. If the ray passes through one, or through the edge
//! of two, the winding number changes by the side of the origin. If it meets more triangles at one place, the winding
//! number is computed again at a point of the gap behind them.
//! Guarantees: sides and winding numbers are exact; places are distinguished within the errors of the hits.
//! Cost: computing the hits up to the exit, and one location for each place with more than two triangles.

use crate::answer::closest::Location;
use crate::answer::ray::past;
use crate::answer::ray::{Ray, RayHit};
use crate::mesh::closest::share_edge;
use crate::mesh::ray::HitsAhead;
use crate::mesh::walk::pair_walk::place;
use crate::mesh::winding::locate;
use heurt_bvh::Work;
use heurt_geometry::{Pose, Sign, orient3d};
use heurt_shape::MeshShape;

/// Finds the first hit at which a ray from a point of a winding number other than 0 reaches winding number 0.
pub(crate) fn first_exit(mesh: &MeshShape, pose: &Pose, ray: &Ray, winding: i32, work: &mut Work) -> Option<RayHit> {
    let far = past(mesh.into(), pose, ray);
    let mut ahead = HitsAhead::new(mesh, pose, ray, work);
    let mut waiting: Vec<RayHit> = Vec::new();
    // `None` on the boundary.
    let mut winding = Some(winding);
    loop {
        let seen_to = ahead.see_more(&mut waiting);
        let found = clusters(&waiting);
        let mut done = 0;
        for (number, cluster) in found.iter().enumerate() {
            let end = cluster.span[1];
            // Triangles not yet tested may belong to this cluster.
            if end.at + end.error >= seen_to {
                break;
            }
            let hits = &waiting[cluster.hits.clone()];
            let before = winding;
            winding = match (turn(mesh, pose, ray, hits), before) {
                (Some(turn), Some(before)) => Some(before + turn),
                _ => {
                    let next = found.get(number + 1).map_or(far, |next| next.span[0].at);
                    let middle = end.at.midpoint(next.min(seen_to).min(far));
                    match locate(mesh, pose, ray.origin + ray.direction * middle, work) {
                        Location::Winding(winding) => Some(winding),
                        Location::Boundary { .. } => None,
                    }
                }
            };
            if winding == Some(0) {
                return Some(exit_of(mesh, ray, hits));
            }
            done = cluster.hits.end;
        }
        if seen_to == f64::INFINITY {
            return None;
        }
        waiting.drain(..done);
    }
}

/// Computes the change of the winding number where the ray passes through one triangle, or meets the edge of two.
fn turn(mesh: &MeshShape, pose: &Pose, ray: &Ray, hits: &[RayHit]) -> Option<i32> {
    // From behind a face into the space in front of it, the winding number falls by one.
    let through = |hit: &RayHit| {
        let [p, q, r] = place(mesh, pose, hit.primitive);
        match orient3d(p, q, r, ray.origin) {
            Sign::Negative => Some(-1),
            Sign::Positive => Some(1),
            Sign::Zero => None,
        }
    };
    match hits {
        [only] => through(only),
        // If both are met from the same side, the ray passes through their edge. Else it passes through both, or
        // neither.
        [first, second] if share_edge(mesh, first.primitive, second.primitive) => {
            let [first, second] = [through(first)?, through(second)?];
            Some(if first == second { first } else { 0 })
        }
        _ => None,
    }
}

/// Returns the hit that represents the exit: the first whose face is oriented along the ray.
fn exit_of(mesh: &MeshShape, ray: &Ray, hits: &[RayHit]) -> RayHit {
    let inward = mesh.is_inverted();
    let faces = |hit: &&RayHit| (hit.normal.dot(ray.direction) < 0.0) == inward;
    *hits.iter().find(faces).unwrap_or(&hits[0])
}

/// An end of an interval.
#[derive(Debug, Clone, Copy)]
pub(crate) struct End {
    pub at: f64,
    pub error: f64,
}

pub(crate) type Span = [End; 2];

/// Hits whose distances agree within their errors.
pub(crate) struct Cluster {
    pub hits: std::ops::Range<usize>,
    /// The first and the last hit of the cluster.
    pub span: Span,
}

pub(crate) fn clusters(hits: &[RayHit]) -> Vec<Cluster> {
    let end = |hit: &RayHit| End { at: hit.t, error: hit.error };
    let mut clusters: Vec<Cluster> = Vec::new();
    for (number, hit) in hits.iter().enumerate() {
        match clusters.last_mut() {
            Some(last) if hit.t - hit.error <= last.span[1].at + last.span[1].error => {
                last.hits.end = number + 1;
                last.span[1] = end(hit);
            }
            _ => clusters.push(Cluster { hits: number..number + 1, span: [end(hit); 2] }),
        }
    }
    clusters
}
