//! Erosion: the part of the floor where the centre of a disc can be.
//!
//! In: areas and a radius. Out: areas.
//! Method: a strip on each wall and a polygon around each corner are subtracted from the floor (crate `i_overlay`, on a
//! lattice of 62 bits over the extent). The polygon is drawn around the circle, so
//! that the result is inside the exact one.
//! Guarantees: a disc whose centre is in the result touches no wall with its inside, up to the lattice (1e-12 of the
//! extent). Not guaranteed: next to corners up to 2 % of the radius is missing. Cost: O(n log n).

use crate::ground::edges;
use heurt_geometry::{PlanArea, Vec2};
use i_overlay::core::fill_rule::FillRule;
use i_overlay::core::overlay_rule::OverlayRule;
use i_overlay::float::single::SingleFloatOverlay;
use std::f64::consts::PI;

/// Corners of the polygon around a corner's circle: 16 keep it within 2 % of the radius of the circle.
const CIRCLE_CORNERS: u32 = 16;

type Rings = Vec<Vec<[f64; 2]>>;

/// Returns the part of the areas whose points are at least `radius` from all walls.
pub(crate) fn erode(areas: &[PlanArea], radius: f64) -> Vec<PlanArea> {
    let floor: Vec<Rings> = areas.iter().map(rings_of).collect();
    if radius <= 0.0 {
        return areas.to_vec();
    }
    let mut strips: Vec<Rings> = Vec::new();
    for [a, b] in areas.iter().flat_map(PlanArea::rings).flat_map(edges) {
        let side = (b - a).normalize_or_zero().perp() * radius;
        strips.push(vec![[a + side, a - side, b - side, b + side].map(|corner| corner.to_array()).to_vec()]);
        strips.push(vec![circle_around(a, radius)]);
    }
    to_areas(floor.overlay_as::<i64>(&strips, OverlayRule::Difference, FillRule::NonZero))
}

/// Returns the parts that two sets of areas share.
pub(crate) fn intersect(a: &[PlanArea], b: &[PlanArea]) -> Vec<PlanArea> {
    let [a, b]: [Vec<Rings>; 2] = [a, b].map(|areas| areas.iter().map(rings_of).collect());
    to_areas(a.overlay_as::<i64>(&b, OverlayRule::Intersect, FillRule::NonZero))
}

/// Returns the rings of an area: the outline counter-clockwise, holes clockwise.
fn rings_of(area: &PlanArea) -> Rings {
    let turned = |(number, ring): (usize, &[Vec2])| {
        let area: f64 = edges(ring).map(|[a, b]| (a - ring[0]).perp_dot(b - ring[0])).sum();
        let mut ring: Vec<[f64; 2]> = ring.iter().map(|corner| corner.to_array()).collect();
        if (area > 0.0) != (number == 0) {
            ring.reverse();
        }
        ring
    };
    area.rings().enumerate().map(turned).collect()
}

fn to_areas(shapes: Vec<Rings>) -> Vec<PlanArea> {
    let ring = |ring: Vec<[f64; 2]>| ring.into_iter().map(Vec2::from_array).collect::<Vec<_>>();
    let area = |shape: Rings| {
        let mut rings = shape.into_iter().map(ring);
        Some(PlanArea { outline: rings.next()?, holes: rings.collect() })
    };
    shapes.into_iter().filter_map(area).collect()
}

/// Returns the regular polygon whose sides touch a circle.
fn circle_around(centre: Vec2, radius: f64) -> Vec<[f64; 2]> {
    let step = 2.0 * PI / f64::from(CIRCLE_CORNERS);
    let reach = radius / libm::cos(step / 2.0);
    let corner = |k: u32| {
        let angle = step * (f64::from(k) + 0.5);
        (centre + Vec2::new(libm::cos(angle), libm::sin(angle)) * reach).to_array()
    };
    (0..CIRCLE_CORNERS).map(corner).collect()
}
