//! Voronoi cells of persons on a floor.
//!
//! In: the floor, a frame, optionally a cut-off radius. Out: the cell of each person.
//! Method: Steffen and Seyfried, "Methods for measuring pedestrian density, flow, speed and direction with minimal
//! scatter", Physica A 389 (2010); the rules are PedPy's. A cell is the box of the floor, cut by the bisectors of the
//! person and its Delaunay neighbours, by the cut-off polygon, and by the floor. A cell that walls divide is reduced to
//! the piece with the person in it: floor behind walls belongs to no person.
//! Guarantees: cells of a frame share no area, up to rounding. On a convex floor, without cut-off, they cover it. Cells
//! at walls are on a lattice of 62 bits over their extent (crate `i_overlay`); densities agree with PedPy to 1e-12.
//! Not guaranteed: that cells of floors with walls cover the floor.
//! Differs from PedPy: persons outside of the floor have an empty cell instead of an error. Persons at the same place
//! share a cell.
//! Cost: O(n log n) for n persons, plus O(walls) for each cell, plus an overlay with the floor for cells at walls.

use super::trajectory::{Trajectories, TrajectoryFrame};
use crate::ground::{intersect, nearest_on};
use heurt_geometry::{PlanArea, Vec2, ring_edges};
use heurt_map::delaunay::{Delaunay2, DelaunayError};
use rayon::prelude::*;
use std::f64::consts::FRAC_PI_2;

/// Margin of the box that the floor around a cell is cut to, as a share of the cell: far more than rounding.
const BOX_MARGIN: f64 = 1e-3;

/// The largest cell: a regular polygon in the circle around a person.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CellCutoff {
    /// Radius of the circle, in metres.
    pub radius: f64,
    /// Edges of the polygon in a quarter of the circle; at least 1.
    pub quarter_edges: u32,
}

impl CellCutoff {
    /// Makes a cut-off of three edges in a quarter, as PedPy has it.
    pub fn new(radius: f64) -> Self {
        Self { radius, quarter_edges: 3 }
    }

    /// Returns the corners around the origin, counter-clockwise, the first on the x axis.
    fn corners(&self) -> Vec<Vec2> {
        let quarter = self.quarter_edges.max(1);
        let corner = |k: u32| {
            // Whole quarters are turned exactly.
            let angle = FRAC_PI_2 * f64::from(k % quarter) / f64::from(quarter);
            let first = Vec2::new(libm::cos(angle), libm::sin(angle)) * self.radius;
            (0..k / quarter).fold(first, |corner, _| corner.perp())
        };
        (0..4 * quarter).map(corner).collect()
    }
}

/// The cell of a person.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PersonCell {
    /// The person.
    pub id: u32,
    /// The person's position, in metres.
    pub position: Vec2,
    /// The cell; without corners if the person is outside of the floor.
    pub region: PlanArea,
    /// How many persons share the cell: all at this place.
    pub sharers: u32,
    /// Area of the region divided by the sharers, in square metres.
    pub area: f64,
}

impl PersonCell {
    /// Returns the individual density, in persons a square metre: 1 / area, and 0 for an empty cell.
    pub fn density(&self) -> f64 {
        if self.area > 0.0 { 1.0 / self.area } else { 0.0 }
    }

    /// Computes the part of the cell in an area, from 0 to 1: how much of the person counts there.
    pub fn share_in(&self, area: &PlanArea) -> f64 {
        let all = self.area * f64::from(self.sharers);
        if all > 0.0 { shared_area(&self.region, area) / all } else { 0.0 }
    }
}

/// Computes the cells of all persons of a frame, in their order.
///
/// ```
/// use heurt_crowd::measure::{CellCutoff, Trajectories, voronoi_cells};
/// use heurt_geometry::{PlanArea, Vec2};
/// let hall = [PlanArea::rectangle(Vec2::ZERO, Vec2::new(4.0, 2.0))];
/// let two = Trajectories::from_rows([(0, 0.0, Vec2::new(1.0, 1.0)), (1, 0.0, Vec2::new(2.0, 1.0))])?;
/// let cells = voronoi_cells(&hall, &two.frames()[0], None)?;
/// assert_eq!((cells[0].area, cells[1].area), (3.0, 5.0));
/// let square = CellCutoff { radius: 0.5, quarter_edges: 1 };
/// assert_eq!(voronoi_cells(&hall, &two.frames()[0], Some(square))?[1].area, 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`DelaunayError`] if a coordinate is out of the range of triangulations.
pub fn voronoi_cells(
    floor: &[PlanArea],
    frame: &TrajectoryFrame,
    cutoff: Option<CellCutoff>,
) -> Result<Vec<PersonCell>, DelaunayError> {
    CellCutter::new(floor, cutoff).cells(frame)
}

/// Computes the cells of all persons of all frames, frames in parallel.
///
/// # Errors
/// As [`voronoi_cells`].
pub fn voronoi_cells_of_all(
    floor: &[PlanArea],
    trajectories: &Trajectories,
    cutoff: Option<CellCutoff>,
) -> Result<Vec<Vec<PersonCell>>, DelaunayError> {
    let cutter = CellCutter::new(floor, cutoff);
    trajectories.frames().par_iter().map(|frame| cutter.cells(frame)).collect()
}

/// The floor and the cut-off, prepared for all frames.
struct CellCutter<'a> {
    floor: &'a [PlanArea],
    /// The polygon that cells are cut from: the floor if it is convex, else its box.
    uncut: Vec<Vec2>,
    /// True if the polygon is the floor.
    is_convex: bool,
    walls: Vec<[Vec2; 2]>,
    cutoff: Vec<Vec2>,
}

impl<'a> CellCutter<'a> {
    fn new(floor: &'a [PlanArea], cutoff: Option<CellCutoff>) -> Self {
        let convex = match floor {
            [area] if area.holes.is_empty() => convex_ring(&area.outline),
            _ => None,
        };
        let empty = [Vec2::INFINITY, Vec2::NEG_INFINITY];
        let [low, high] = floor.iter().map(PlanArea::bounds).fold(empty, |[a, b], [c, d]| [a.min(c), b.max(d)]);
        Self {
            floor,
            is_convex: convex.is_some(),
            uncut: convex.unwrap_or_else(|| PlanArea::rectangle(low, high).outline),
            walls: floor.iter().flat_map(PlanArea::rings).flat_map(ring_edges).collect(),
            cutoff: cutoff.map_or(Vec::new(), |cutoff| cutoff.corners()),
        }
    }

    fn cells(&self, frame: &TrajectoryFrame) -> Result<Vec<PersonCell>, DelaunayError> {
        let delaunay = Delaunay2::new(frame.agents.iter().map(|&(_, position)| position).collect())?;
        let count = frame.agents.len();
        let first: Vec<usize> = (0..count).map(|place| delaunay.representative(place as u32) as usize).collect();
        let mut sharers = vec![0; count];
        first.iter().for_each(|&place| sharers[place] += 1);
        let mut cells: Vec<PersonCell> = Vec::with_capacity(count);
        for (place, &(id, position)) in frame.agents.iter().enumerate() {
            let region = match first[place] < place {
                true => cells[first[place]].region.clone(),
                false => self.region(&delaunay, place as u32),
            };
            let sharers = sharers[first[place]];
            let area = region.area() / f64::from(sharers);
            cells.push(PersonCell { id, position, region, sharers, area });
        }
        Ok(cells)
    }

    /// Cuts the cell of a person; without corners if the person is outside of the floor.
    fn region(&self, delaunay: &Delaunay2, person: u32) -> PlanArea {
        let at = delaunay.points()[person as usize];
        if !self.floor.iter().any(|area| area.contains(at)) {
            return PlanArea::default();
        }
        // Relative to the person: bisectors of close persons keep their digits.
        let mut ring: Vec<Vec2> = self.uncut.iter().map(|&corner| corner - at).collect();
        for &neighbour in delaunay.neighbours().of(person) {
            let towards = delaunay.points()[neighbour as usize] - at;
            ring = cut_behind(&ring, 0.5 * towards, towards);
        }
        for [a, b] in ring_edges(&self.cutoff) {
            ring = cut_behind(&ring, a, -(b - a).perp());
        }
        let cell = PlanArea { outline: ring.into_iter().map(|corner| corner + at).collect(), holes: Vec::new() };
        if self.is_convex || !self.meets_walls(&cell) {
            return cell;
        }
        let near = self.floor_near(&cell);
        piece_around(at, intersect(&[cell], &near))
    }

    /// Returns the floor in a box somewhat larger than a cell: an overlay with it costs less than with the whole floor.
    /// Its parts may be linked along the border of the box, which is outside of the cell.
    fn floor_near(&self, cell: &PlanArea) -> Vec<PlanArea> {
        let [low, high] = cell.bounds();
        let margin = (high - low).max_element() * BOX_MARGIN;
        let sides =
            [(low - margin, -Vec2::X), (low - margin, -Vec2::Y), (high + margin, Vec2::X), (high + margin, Vec2::Y)];
        let cut =
            |ring: &Vec<Vec2>| sides.iter().fold(ring.clone(), |ring, &(from, normal)| cut_behind(&ring, from, normal));
        let near = |area: &PlanArea| {
            let holes = area.holes.iter().map(cut).filter(|hole| !hole.is_empty()).collect();
            PlanArea { outline: cut(&area.outline), holes }
        };
        self.floor.iter().map(near).filter(|area| !area.outline.is_empty()).collect()
    }

    /// Reports whether the box of a cell meets the box of a wall.
    fn meets_walls(&self, cell: &PlanArea) -> bool {
        let [low, high] = cell.bounds();
        let meets = |[a, b]: &[Vec2; 2]| (a.max(*b).cmpge(low) & a.min(*b).cmple(high)).all();
        self.walls.iter().any(meets)
    }
}

/// Returns the piece that contains a point of the cell. If rounding left the point outside of all, returns the nearest.
fn piece_around(point: Vec2, pieces: Vec<PlanArea>) -> PlanArea {
    let distance = |piece: &PlanArea| match piece.contains(point) {
        true => 0.0,
        false => {
            piece.rings().flat_map(ring_edges).map(|edge| nearest_on(edge, point).distance(point)).fold(1e300, f64::min)
        }
    };
    pieces.into_iter().map(|piece| (distance(&piece), piece)).min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or_default().1
}

/// Returns a ring counter-clockwise if it is convex.
fn convex_ring(ring: &[Vec2]) -> Option<Vec<Vec2>> {
    let edges: Vec<Vec2> = ring_edges(ring).map(|[a, b]| b - a).collect();
    let corners = || edges.iter().zip(edges.iter().cycle().skip(1));
    let turns = || corners().map(|(a, b)| a.perp_dot(*b));
    // A convex ring turns from rightward to leftward once, a ring that winds twice does so twice.
    let is_rightward = |edge: &Vec2| edge.x > 0.0 || edge.x == 0.0 && edge.y > 0.0;
    let changes = corners().filter(|(a, b)| is_rightward(a) != is_rightward(b)).count();
    if edges.len() < 3 || changes > 2 {
        return None;
    }
    let mut ring = ring.to_vec();
    match (turns().all(|turn| turn >= 0.0), turns().all(|turn| turn <= 0.0)) {
        (true, false) => Some(ring),
        (false, true) => {
            ring.reverse();
            Some(ring)
        }
        _ => None,
    }
}

/// Returns the part of a polygon behind a line through `from` with the normal `normal`. The polygon may be non-convex;
/// then its parts are linked by edges along the line, which enclose no area.
fn cut_behind(ring: &[Vec2], from: Vec2, normal: Vec2) -> Vec<Vec2> {
    let height = |corner: Vec2| (corner - from).dot(normal);
    let mut kept = Vec::with_capacity(ring.len() + 1);
    for [a, b] in ring_edges(ring) {
        let (ha, hb) = (height(a), height(b));
        if ha <= 0.0 {
            kept.push(a);
        }
        if ha < 0.0 && hb > 0.0 || ha > 0.0 && hb < 0.0 {
            kept.push(a + (b - a) * (ha / (ha - hb)));
        }
    }
    kept
}

/// Computes the area that two areas share, in square metres.
pub(super) fn shared_area(a: &PlanArea, b: &PlanArea) -> f64 {
    let ([low_a, high_a], [low_b, high_b]) = (a.bounds(), b.bounds());
    if !(low_a.cmple(high_b) & low_b.cmple(high_a)).all() {
        return 0.0;
    }
    let Some(convex) = convex_ring(&b.outline).filter(|_| b.holes.is_empty()) else {
        return intersect(std::slice::from_ref(a), std::slice::from_ref(b)).iter().map(PlanArea::area).sum();
    };
    // Relative to a corner: areas far from the origin keep their digits.
    let origin = convex[0];
    let cut = |ring: &[Vec2]| {
        let ring: Vec<Vec2> = ring.iter().map(|&corner| corner - origin).collect();
        let cut = ring_edges(&convex).fold(ring, |ring, [c, d]| cut_behind(&ring, c - origin, -(d - c).perp()));
        PlanArea { outline: cut, holes: Vec::new() }.area()
    };
    cut(&a.outline) - a.holes.iter().map(|hole| cut(hole)).sum::<f64>()
}
