//! Erosion: the part of the floor where the centre of a disc can be.
//!
//! In: areas and a radius. Out: areas.
//! Method: a strip on each wall and a polygon around each corner are subtracted from the floor (crate `i_overlay`, on a
//! lattice of 62 bits over the extent). The polygon is drawn around the circle, so that the result is inside the exact
//! one. Corners of round walls are thinned out first, and the radius grows by the tolerance.
//! Guarantees: a disc whose centre is in the result touches no wall with its inside, up to the lattice (1e-12 of the
//! extent). Not guaranteed: next to corners up to 3 % of the radius is missing. Cost: O(n log n).

use crate::ground::{edges, nearest_on};
use heurt_geometry::{PlanArea, Vec2};
use i_overlay::core::fill_rule::FillRule;
use i_overlay::core::overlay_rule::OverlayRule;
use i_overlay::float::single::SingleFloatOverlay;
use std::f64::consts::PI;

/// Corners of the polygon around a corner's circle: 16 keep it within 2 % of the radius of the circle.
const CIRCLE_CORNERS: u32 = 16;

/// Corners are left out that are this near to the rest of the wall, as a share of the radius: round walls have many.
const THINNING: f64 = 0.005;

/// The most edges that one chord replaces: bounds the time.
const MAX_CHORD: usize = 256;

type Rings = Vec<Vec<[f64; 2]>>;

/// Returns the part of the areas whose points are at least `radius` from all walls.
pub(crate) fn erode(areas: &[PlanArea], radius: f64) -> Vec<PlanArea> {
    let floor: Vec<Rings> = areas.iter().map(rings_of).collect();
    if radius <= 0.0 {
        return areas.to_vec();
    }
    let walls: Vec<Vec<Vec2>> = areas.iter().flat_map(PlanArea::rings).map(|ring| thinned(ring, radius)).collect();
    let is_thinned =
        walls.iter().zip(areas.iter().flat_map(PlanArea::rings)).any(|(thin, ring)| thin.len() < ring.len());
    let radius = if is_thinned { radius * (1.0 + THINNING) } else { radius };
    let mut strips: Vec<Rings> = Vec::new();
    for [a, b] in walls.iter().flat_map(|ring| edges(ring)) {
        let side = (b - a).normalize_or_zero().perp() * radius;
        strips.push(vec![[a + side, a - side, b - side, b + side].map(|corner| corner.to_array()).to_vec()]);
        strips.push(vec![circle_around(a, radius)]);
    }
    to_areas(floor.overlay_as::<i64>(&strips, OverlayRule::Difference, FillRule::NonZero))
}

/// Leaves corners out that are within [`THINNING`] of chords no longer than a radius.
fn thinned(ring: &[Vec2], radius: f64) -> Vec<Vec2> {
    let mut kept: Vec<Vec2> = Vec::new();
    let mut start = 0;
    while start < ring.len() {
        kept.push(ring[start]);
        let is_chord = |end: usize| {
            let chord = [ring[start], ring[end % ring.len()]];
            let is_near = |corner: &Vec2| nearest_on(chord, *corner).distance(*corner) <= THINNING * radius;
            chord[0].distance(chord[1]) <= radius && ring[start + 1..end].iter().all(is_near)
        };
        let mut end = start + 1;
        while end < ring.len() && end - start < MAX_CHORD && is_chord(end + 1) {
            end += 1;
        }
        start = end;
    }
    if kept.len() < 3 { ring.to_vec() } else { kept }
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
