//! Set operations on areas (crate `i_overlay`, on a lattice of 62 bits over the extent).

use heurt_geometry::{PlanArea, Vec2, ring_edges};
use i_overlay::core::fill_rule::FillRule;
use i_overlay::core::overlay_rule::OverlayRule;
use i_overlay::float::single::SingleFloatOverlay;

/// The rings of one shape.
pub(crate) type Rings = Vec<Vec<[f64; 2]>>;

/// Returns the parts that two sets of areas share.
pub(crate) fn intersect(a: &[PlanArea], b: &[PlanArea]) -> Vec<PlanArea> {
    let [a, b]: [Vec<Rings>; 2] = [a, b].map(|areas| areas.iter().map(rings_of).collect());
    to_areas(a.overlay_as::<i64>(&b, OverlayRule::Intersect, FillRule::NonZero))
}

/// Returns the parts of areas that no shape covers.
pub(crate) fn subtract(areas: &[PlanArea], shapes: &Vec<Rings>) -> Vec<PlanArea> {
    let areas: Vec<Rings> = areas.iter().map(rings_of).collect();
    to_areas(areas.overlay_as::<i64>(shapes, OverlayRule::Difference, FillRule::NonZero))
}

/// Returns the rings of an area: the outline counter-clockwise, holes clockwise.
fn rings_of(area: &PlanArea) -> Rings {
    let turned = |(number, ring): (usize, &[Vec2])| {
        let area: f64 = ring_edges(ring).map(|[a, b]| (a - ring[0]).perp_dot(b - ring[0])).sum();
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
