//! Boolean operations on polygons in the plane: union and difference of areas with holes.
//!
//! In: rings of polygons in metres, as layers. Out: areas with holes.
//! Method: corners are rounded to a grid of 2⁻²⁴ m (60 nm), coarser if coordinates exceed 10¹⁰ m, and `i_overlay`
//! computes on the integers with the non-zero rule. Corners of the result that an input corner rounds to get its
//! coordinates back, unless edges would cross by that.
//! Guarantees: areas are pairwise disjoint inside, rings are simple, outlines run counter-clockwise and holes
//! clockwise. Corners of the input keep their bits. Areas and rings may touch in single points. Not guaranteed: areas
//! thinner than 1 mm, which are left out and counted. Thin holes stay: they are walls.
//! Cost: O((n + k) log n) for n edges and k crossings.

use super::rings::have_crossing;
use heurt_geometry::{PlanArea, Vec2};
use i_overlay::core::fill_rule::FillRule;
use i_overlay::core::overlay::{IntOverlayOptions, Overlay, ShapeType};
use i_overlay::core::overlay_rule::OverlayRule;
use i_overlay::i_float::int::point::IntPoint;
use std::collections::HashMap;

/// Steps of the grid in a metre, as a power of two: 60 nm, far below the width of a person and above rounding errors.
const GRID_BITS: i32 = 24;
/// Coordinates of the grid stay below this power of two; `i_overlay` allows 2⁶⁰.
const MAX_BITS: i32 = 58;
/// The thinnest area that is kept, in metres: an area of double size per perimeter.
pub(super) const MIN_WIDTH: f64 = 1e-3;

/// A ring on the grid.
pub(super) type GridRing = Vec<IntPoint<i64>>;
/// Areas on the grid: of each, the outline and the holes.
pub(super) type GridAreas = Vec<Vec<GridRing>>;

/// The grid, and the corners of the input by their place on it.
pub(super) struct PlanGrid {
    scale: f64,
    corners: HashMap<(i64, i64), Vec2>,
}

impl PlanGrid {
    /// Creates the grid for coordinates of at most `reach` metres.
    pub(super) fn new(reach: f64) -> Self {
        let bits = if reach > 1.0 { libm::ilogb(reach) + 1 } else { 0 };
        Self { scale: libm::ldexp(1.0, GRID_BITS.min(MAX_BITS - bits)), corners: HashMap::new() }
    }

    /// Rounds a ring to the grid, and notes its corners.
    pub(super) fn add_ring(&mut self, ring: &[Vec2]) -> GridRing {
        let place = |corner: &Vec2| {
            let point = self.round(*corner);
            self.corners.entry((point.x, point.y)).or_insert(*corner);
            point
        };
        ring.iter().map(place).collect()
    }

    /// Rounds a computed ring to the grid; its corners are not noted.
    pub(super) fn round_ring(&self, ring: &[Vec2]) -> GridRing {
        ring.iter().map(|&corner| self.round(corner)).collect()
    }

    /// Rounds a place to the grid.
    pub(super) fn round(&self, corner: Vec2) -> IntPoint<i64> {
        let round = |x: f64| libm::rint(x * self.scale) as i64;
        IntPoint::new(round(corner.x), round(corner.y))
    }

    /// Returns a corner in metres.
    pub(super) fn metres_of(&self, corner: &IntPoint<i64>) -> Vec2 {
        Vec2::new(corner.x as f64 / self.scale, corner.y as f64 / self.scale)
    }

    /// Returns areas in metres, without areas thinner than 1 mm, and a corner of each thin one.
    pub(super) fn finish(&self, areas: &GridAreas) -> (Vec<PlanArea>, Vec<Vec2>) {
        let restored = self.in_metres(areas, true);
        let whole = if have_crossing(&restored) { self.in_metres(areas, false) } else { restored };
        let (kept, thin): (Vec<_>, Vec<_>) = whole.into_iter().partition(|area| mean_width(area) >= MIN_WIDTH);
        (kept, thin.iter().map(|area| area.outline[0]).collect())
    }

    fn in_metres(&self, areas: &GridAreas, is_restored: bool) -> Vec<PlanArea> {
        let corner = |point: &IntPoint<i64>| {
            let known = if is_restored { self.corners.get(&(point.x, point.y)) } else { None };
            known.copied().unwrap_or_else(|| self.metres_of(point))
        };
        // Each ring begins at its lowest corner, by x and then y.
        let ring = |ring: &GridRing| {
            let lowest = (0..ring.len()).min_by_key(|&number| (ring[number].x, ring[number].y)).unwrap_or(0);
            ring[lowest..].iter().chain(&ring[..lowest]).map(corner).collect::<Vec<_>>()
        };
        let area = |rings: &Vec<GridRing>| PlanArea {
            outline: rings.first().map(ring).unwrap_or_default(),
            holes: rings.iter().skip(1).map(ring).collect(),
        };
        areas.iter().map(area).filter(|area| area.outline.len() >= 3).collect()
    }
}

/// Computes the union of rings that run counter-clockwise around areas and clockwise around holes.
pub(super) fn unite(rings: &[GridRing]) -> GridAreas {
    combine(rings, &[], OverlayRule::Subject, FillRule::NonZero)
}

/// Computes the areas inside an odd number of rings of any direction.
pub(super) fn even_odd(rings: &[GridRing]) -> GridAreas {
    combine(rings, &[], OverlayRule::Subject, FillRule::EvenOdd)
}

/// Computes the union of the first rings less the second.
pub(super) fn subtract(from: &[GridRing], less: &[GridRing]) -> GridAreas {
    combine(from, less, OverlayRule::Difference, FillRule::NonZero)
}

/// Computes the area that the unions of both have in common.
pub(super) fn intersect(one: &[GridRing], two: &[GridRing]) -> GridAreas {
    combine(one, two, OverlayRule::Intersect, FillRule::NonZero)
}

fn combine(subject: &[GridRing], clip: &[GridRing], rule: OverlayRule, fill: FillRule) -> GridAreas {
    let count = subject.iter().chain(clip).map(Vec::len).sum();
    let mut overlay = Overlay::<i64>::new_custom(count, IntOverlayOptions::ogc(), Default::default());
    overlay.add_source(subject, ShapeType::Subject);
    overlay.add_source(clip, ShapeType::Clip);
    overlay.overlay(rule, fill)
}

/// Computes twice the area per perimeter: the width of a long rectangle.
pub(super) fn mean_width(area: &PlanArea) -> f64 {
    let length = |ring: &[Vec2]| -> f64 {
        let next = ring.iter().cycle().skip(1);
        ring.iter().zip(next).map(|(a, b)| a.distance(*b)).sum()
    };
    let perimeter: f64 = area.rings().map(length).sum();
    if perimeter > 0.0 { 2.0 * area.area() / perimeter } else { 0.0 }
}
