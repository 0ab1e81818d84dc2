//! Retraction of a point to the diagram.
//!
//! In: a point off all sites. Out: an arc and its parameter. Method: the point moves away from its nearest site, along
//! the ray from its foot, until a second site is as near. Guarantees: the clearance grows along the ray by the length
//! travelled. Not guaranteed: the place is rounded. Cost: O(n) for the nearest site, and the degree of its cell.

use super::SegmentVoronoi;
use super::site::Site;
use heurt_geometry::Vec2;

/// A place on an arc.
#[derive(Debug, Clone, Copy)]
pub(super) struct ArcPlace {
    pub(super) arc: u32,
    pub(super) parameter: f64,
    pub(super) at: Vec2,
}

/// The share of a distance by which a hit may lie off its arc.
const OFF_ARC: f64 = 1e-6;

impl SegmentVoronoi {
    /// Finds the place on the diagram for a local point and its nearest site.
    pub(super) fn retract(&self, point: Vec2, site: u32) -> Option<ArcPlace> {
        let foot = self.sites[site as usize].foot(point);
        let distance = (point - foot).length();
        let ray = (point - foot) / distance;
        let mut best: Option<(bool, f64, ArcPlace)> = None;
        for &number in self.arcs_of(site) {
            let arc = &self.arcs[number as usize];
            if arc.is_own {
                continue;
            }
            let other = if arc.sites[0] == site { arc.sites[1] } else { arc.sites[0] };
            let Some(travelled) = equal_distance(&self.sites[other as usize], foot, ray) else { continue };
            if !(travelled.is_finite() && travelled >= distance * (1.0 - OFF_ARC)) {
                continue;
            }
            let hit = foot + ray * travelled;
            let parameter = arc.curve.parameter_near(hit);
            let at = arc.curve.at(parameter);
            let off = (at - hit).length();
            let is_on = off <= OFF_ARC * travelled;
            // Hits on arcs before hits off their arcs; the first on the ray before later ones.
            let rank = if is_on { travelled } else { off };
            let is_better = best.is_none_or(|(known, value, _)| (is_on && !known) || (is_on == known && rank < value));
            if is_better {
                best = Some((is_on, rank, ArcPlace { arc: number, parameter, at }));
            }
        }
        best.map(|(_, _, place)| place)
    }
}

/// The length along a ray at which a site is as far as the start of the ray.
fn equal_distance(site: &Site, foot: Vec2, ray: Vec2) -> Option<f64> {
    match site {
        Site::Point(at) => {
            let offset = foot - *at;
            let closing = -offset.dot(ray);
            (closing > 0.0).then(|| offset.length_squared() / (2.0 * closing))
        }
        Site::Segment(wall) => {
            let side = wall.side(foot);
            let opening = wall.normal().dot(ray) * side.signum();
            let travelled = side.abs() / (1.0 - opening);
            let along = wall.along(foot + ray * travelled);
            let slack = OFF_ARC * wall.length;
            (travelled > 0.0 && along >= -slack && along <= wall.length + slack).then_some(travelled)
        }
    }
}
