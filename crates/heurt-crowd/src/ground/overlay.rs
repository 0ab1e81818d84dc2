//! Set operations on areas (crate `i_overlay`, on a lattice of 62 bits over the extent).

use super::SAME_FLOOR;
use heurt_geometry::{FloorArea, PlanArea, Vec2, ring_edges};
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

/// Returns the parts of a floor that an area covers, at most half of the headroom above or below it.
pub(crate) fn shared_at_height(floor: &FloorArea, area: &FloorArea) -> Vec<FloorArea> {
    let ([low, high], [bottom, top]) = (area.heights(), floor.heights());
    if low - top > SAME_FLOOR || bottom - high > SAME_FLOOR {
        return Vec::new();
    }
    let mut parts = intersect(std::slice::from_ref(&floor.area), std::slice::from_ref(&area.area));
    if let Some(strip) = strip_at_height(floor, area) {
        parts = intersect(&parts, &[strip]);
    }
    let is_level = |part: &PlanArea| {
        let middle = part.centroid();
        (area.height_at(middle) - floor.height_at(middle)).abs() <= SAME_FLOOR
    };
    parts.into_iter().filter(is_level).map(|part| floor.with_area(part)).collect()
}

/// Returns the strip of the plan in which two planes of different slope are near each other in height, as long as the
/// floor is wide.
fn strip_at_height(floor: &FloorArea, area: &FloorArea) -> Option<PlanArea> {
    let slope = floor.slope - area.slope;
    let [low, high] = floor.area.bounds();
    let (middle, size) = (low.midpoint(high), 2.0 * low.distance(high));
    if slope.length() * size < 1e-9 {
        return None;
    }
    let gap = floor.height_at(middle) - area.height_at(middle);
    let (along, across) = (slope / slope.length_squared(), slope.normalize().perp() * size);
    let corner = |height: f64, side: f64| middle + along * (height - gap) + across * side;
    let outline = [(-SAME_FLOOR, -1.0), (SAME_FLOOR, -1.0), (SAME_FLOOR, 1.0), (-SAME_FLOOR, 1.0)];
    Some(PlanArea { outline: outline.map(|(height, side)| corner(height, side)).to_vec(), holes: Vec::new() })
}

/// Returns the rings of an area: the outline counter-clockwise, holes clockwise.
pub(crate) fn rings_of(area: &PlanArea) -> Rings {
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
