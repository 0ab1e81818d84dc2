//! Edges ahead of bodies on curved ground: from a body to the tip of its velocity (S4 §8.2.2, "anticipation").
//!
//! In: the velocity that a body wants, a time. Out: a path along the ground, seen by discs near it.
//! Method: as on floors, with the wanted velocity, and one path from the middle of the body for the strip that it will
//! cover. The path is a straightest geodesic in pieces. It ends at walls, and where the ground bends as much as it may
//! under a body. A disc in the strip leaves it across as fast as it can; next to it, it keeps off the path.
//! Cost: O(faces below the path).

use super::super::SurfaceCrowd;
use super::super::route::{Bearing, turn};
use super::super::walk::Footing;
use super::lay::LEAST_COSINE;
use super::overlap::nearest_in_space;
use super::{BodySection, SurfaceBody};
use crate::space::sight::Seen;
use heurt_geometry::Vec3;

/// Pieces of a path are no longer, in metres: as edges of outlines.
const LONGEST_PIECE: f64 = super::LONGEST_EDGE;

/// A path has no more pieces.
const MOST_PIECES: f64 = 64.0;

/// The strip that a body will cover.
#[derive(Debug, Clone, Default)]
pub(in crate::surface) struct SurfaceAhead {
    /// Points of the path on the ground, from the middle of the body; empty for none.
    pub path: Vec<Vec3>,
    /// In metres.
    half_width: f64,
    /// No point of the strip is further from the middle of the body, in metres.
    pub reach: f64,
}

/// The direction out of the strip of the nearest body, and the distance from its middle.
pub(in crate::surface) type WayOut = Option<(Vec3, f64)>;

impl SurfaceCrowd<'_> {
    /// Finds the strip ahead of a body after its move.
    pub(in crate::surface) fn look_ahead(&mut self, id: u32, wanted: Vec3, bearing: &Bearing) {
        let Some(number) = self.agents[id as usize].body else { return };
        let body = &self.bodies[number as usize];
        let head = &body.sections[0];
        let offset = turn(wanted, bearing.normal, head.normal) * self.settings.anticipation;
        let path = if offset == Vec3::ZERO { Vec::new() } else { self.path_along(head, offset) };
        let half_width = 0.5 * front_width(body);
        let length = path.iter().map(|place| place.distance(head.origin)).fold(0.0, f64::max);
        let reach = if path.is_empty() { 0.0 } else { length + half_width };
        self.bodies[number as usize].ahead = SurfaceAhead { path, half_width, reach };
    }

    /// Walks along the ground by an offset in the plane of a section, in pieces.
    fn path_along(&self, head: &BodySection, offset: Vec3) -> Vec<Vec3> {
        let pieces = (offset.length() / LONGEST_PIECE).ceil().clamp(1.0, MOST_PIECES);
        let mut at = Footing { face: head.face, place: head.origin, carried: offset / pieces };
        let mut path = vec![head.origin];
        for _ in 0..pieces as usize {
            let Some(next) = self.ground.walk(at, at.carried) else { break };
            if head.normal.dot(self.ground.normal_of(next.face)) < LEAST_COSINE {
                break;
            }
            path.push(next.place);
            at = next;
        }
        if path.len() > 1 { path } else { Vec::new() }
    }

    /// Returns how a disc sees the strip ahead of a body, if it is near it; notes the direction out of the strip for a
    /// disc in it.
    pub(in crate::surface) fn see_ahead(
        &self,
        (own, normal): (&Seen, Vec3),
        (other, body): (u32, &SurfaceBody),
        reach: f64,
        way_out: &mut WayOut,
    ) -> Option<Seen> {
        let SurfaceAhead { path, half_width, .. } = &body.ahead;
        let pieces = path.windows(2).map(|ends| [ends[0], ends[1]]);
        let nearest = pieces.map(|ends| (nearest_in_space(ends, own.position), ends[1] - ends[0]));
        let distance = |(point, _): &(Vec3, Vec3)| point.distance_squared(own.position);
        let (point, along) = nearest.min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        let offset = own.position - point;
        let gap = offset.length();
        if gap > reach.max(half_width + own.radius) {
            return None;
        }
        if gap < half_width + own.radius && way_out.is_none_or(|(_, least)| gap < least) {
            let left = normal.cross(along).normalize_or_zero();
            *way_out = Some((if left.dot(offset) < 0.0 { -left } else { left }, gap));
        }
        let flat = offset - normal * normal.dot(offset);
        let away = flat.try_normalize()?;
        let seen = self.seen[other as usize];
        let velocity = turn(seen.velocity, body.sections[0].normal, normal);
        Some(Seen { position: own.position - away * gap, velocity, radius: 0.0, ..seen })
    }
}

/// Returns the width of the front of a body, in metres.
fn front_width(body: &SurfaceBody) -> f64 {
    let [left, right] = body.rig.rig.front.map(|corner| body.sections[0].shape[corner as usize]);
    left.distance(right)
}
