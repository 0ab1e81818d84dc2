//! Most distant feature of a placed hull along a direction: a corner, an edge or a facet.
//!
//! In: a placed hull, a unit vector, the maximum height difference of corners that are equally far, and a point of the
//! hull that lies there. Out: its [`Feature`].
//! Method: among the facets whose corners are all equally far, the facet nearest to the point; if there is none, the
//! nearest such edge; else the nearest such corner.
//! Guarantees: no corner of the feature is lower than the highest by more than that difference. Cost: O(corners of all
//! facets).

use crate::answer::feature::Feature;
use crate::convex::support::PlacedHull;
use crate::triangle::closest_point::{closest_on_triangle, foot_on_segment};
use heurt_geometry::Vec3;

/// Finds the most distant feature, next to `at` if several are as far; `room` is in metres, as the hull is placed.
pub(crate) fn extremal_feature(placed: &PlacedHull<'_>, towards: Vec3, room: f64, at: Vec3) -> Feature {
    let hull = placed.hull;
    let corners: Vec<Vec3> = (0..hull.corners().len() as u32).map(|corner| placed.place(corner)).collect();
    let highest = corners.iter().map(|corner| corner.dot(towards)).fold(f64::NEG_INFINITY, f64::max);
    let is_level = |&corner: &u32| corners[corner as usize].dot(towards) >= highest - room;
    let distance_sq = |nearest: Vec3| (nearest - at).length_squared();
    let place = |corner: u32| corners[corner as usize];
    let facet = |number: u32, names: &[u32]| {
        let fan = names.windows(2).skip(1).map(|two| [place(names[0]), place(two[0]), place(two[1])]);
        let nearest = fan.map(|triangle| distance_sq(closest_on_triangle(at, &triangle))).fold(f64::INFINITY, f64::min);
        (nearest, Feature::Face(number))
    };
    let facets = (0..).zip(hull.facets()).filter(|(_, facet)| facet.corners.iter().all(is_level));
    let edges = hull.edges().iter().map(|edge| edge.ends).filter(|ends| ends.iter().all(is_level));
    let nearest = |x: &(f64, Feature), y: &(f64, Feature)| x.0.total_cmp(&y.0);
    facets
        .map(|(number, found)| facet(number, &found.corners))
        .min_by(nearest)
        .or_else(|| {
            let edge = |[from, to]: [u32; 2]| {
                (distance_sq(foot_on_segment(at, place(from), place(to))), Feature::Edge(from, to))
            };
            edges.map(edge).min_by(nearest)
        })
        .or_else(|| {
            let level = (0..corners.len() as u32).filter(is_level);
            level.map(|corner| (distance_sq(place(corner)), Feature::Corner(corner))).min_by(nearest)
        })
        .map_or(Feature::Corner(0), |(_, feature)| feature)
}
