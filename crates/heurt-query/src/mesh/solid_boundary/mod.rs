//! Boundary of a solid mesh: the pieces of its triangles that have the outside on at least one side.
//!
//! In: a closed mesh, its shells overlapping, nested, sharing walls or none of these. Out: [`SolidBoundary`], kept by
//! the shape. A solid is the set of points with a winding number other than 0, and its surface. A face with nonzero
//! winding numbers on both sides is inside the solid. All remaining faces form the boundary, including sheets with 0 on
//! both sides, since they belong to the shape.
//!
//! Method: 1. The pairs of triangles that meet beyond the features shared by neighbours (`self_pairs`). 2. Triangles
//! that meet no other are grouped across edges shared by two of them. Both winding numbers are constant on such a
//! group, so one triangle of it is classified. If no pair meets and each group has the outside on a side, the whole
//! mesh is the boundary: two components next to each other, a solid with cavities. Triangles without area lie on others
//! (`flat`), and are ignored. 3. Each other triangle is cut into convex cells along its sections (`sections`, `cells`),
//! and each cell is classified at a point in its middle (`line`). 4. Cells and triangles that are a part of the
//! boundary become a surface of their own, with a tree, for queries of nearest points. If all parts of all triangles
//! are on the boundary, with the solid on the same side, the result is the whole mesh.
//! Guarantees: winding numbers are exact at the point where they are computed. The distance between pieces and boundary
//! is at most the rounding of a piece, which is proportional to the coordinates of its triangle: the ends of sections
//! are correct within an ulp, cells are cut within [`TOLERANCE`]. Parts left out by bounds ([`MAX_PAIRS`],
//! [`MAX_CELLS`]) are listed as open. Deterministic for any number of threads.
//! Not guaranteed: that the boundary is found where the outside is thinner than the tolerance, as in a crack of some
//! ulp.
//! Cost: `self_pairs` and the topology, some 0.5 µs a triangle, if no triangles meet; else some 10 µs a cell.

mod bounded;
mod cells;
mod counted_once;
mod exact;
mod flat;
mod line;
mod measure;
mod sections;

pub use counted_once::{CountedOnce, measure_counted_once};
pub use measure::{SharedSpace, SolidMeasures, measure_shared_space, solid_measures};

use crate::mesh::self_pairs::self_pairs_up_to;
use crate::triangle::closest_point::closest_on_triangle;
use cells::Cells;
use heurt_geometry::{Triangle, Vec2, Vec3, is_degenerate, power_of_two_scale};
use heurt_mesh::{DisjointSets, Topology, TriMesh};
use heurt_shape::{BoundaryPieces, MeshShape, PieceSet, PieceSide, SolidBoundary};
use line::{Sides, seen_along, sides_at};
use rayon::prelude::*;
use sections::segments_on;

/// Limit of pairs of triangles that meet: each takes some bytes here, and some microseconds for a cut or two.
const MAX_PAIRS: usize = 1 << 20;
/// Limit of pieces of all triangles, at 100 bytes each. Once it is reached, further triangles with sections stay whole
/// and open. The last [`AT_A_TIME`] triangles may add as many again.
const MAX_CELLS: usize = 1 << 20;
/// Triangles between two checks of that limit: the same for any number of threads.
const AT_A_TIME: usize = 1 << 12;
/// Limit of cells of one triangle: its least and greatest value. Sections of a triangle that cross each other make as
/// many cells as the square of their number.
const CELLS_OF_ONE: [usize; 2] = [64, 1 << 14];
/// Length that counts as zero in the plane of a triangle, in ε of the largest coordinate: ends of sections are correct
/// within one, lines between them within two.
const TOLERANCE: f64 = 8.0;
/// Least distance of a cell's sample point from the edges of the cell, in the same unit: more than the error of a line
/// (two) and the rounding of the point. Cells without such a point are open; the distance of a cell's middle from its
/// edges is at least a third of its thickness.
const ASIDE: f64 = 3.0;
/// Error bound of pieces, in ε of the largest coordinate of a triangle: the tolerance, and four roundings of a corner
/// (the ends of a section, the crossing with an edge, a later crossing on that edge, the height).
const ROUNDING: f64 = TOLERANCE + 4.0;

/// Returns the boundary of a solid mesh, computed at the first call.
pub(crate) fn solid_boundary(shape: &MeshShape) -> &SolidBoundary {
    shape.solid_boundary(|shape| compute_up_to(shape, MAX_PAIRS))
}

/// Returns whether some face of a closed mesh lies inside the solid, or repeats another: its shells overlap, nest or
/// share walls. The search runs at the first call.
pub fn has_inner_faces(shape: &MeshShape) -> bool {
    shape.is_exact_solid() && matches!(solid_boundary(shape), SolidBoundary::Pieces(_))
}

/// Returns whether a point of a triangle, in the frame of the mesh, is within `room` metres of the boundary.
pub(crate) fn is_on_boundary(boundary: &SolidBoundary, triangle: u32, point: Vec3, room: f64) -> bool {
    let SolidBoundary::Pieces(pieces) = boundary else { return true };
    let is_near = |set: &PieceSet| {
        let mut own = set.of_triangle(triangle);
        own.any(|piece| {
            let corners = set.surface.mesh().corners(piece as u32);
            let unit = power_of_two_scale(corners[0].abs().max(point.abs()).max_element());
            let nearest = closest_on_triangle(point * unit, &corners.map(|corner| corner * unit));
            (nearest - point * unit).length() <= room * unit
        })
    };
    [&pieces.decided, &pieces.open].into_iter().flatten().any(is_near)
}

/// A piece of a triangle.
#[derive(Debug, Clone, Copy)]
struct Piece {
    /// In the frame of the mesh.
    corners: Triangle,
    triangle: u32,
    side: PieceSide,
    /// Bound on the distance between the piece and the boundary, in metres.
    rounding: f64,
    /// Whether it provably is a part of the boundary.
    is_decided: bool,
}

/// The part of a triangle on the boundary.
#[derive(Debug, Default)]
struct Share {
    pieces: Vec<Piece>,
    /// Whether `pieces` provably is all of that part.
    is_all: bool,
}

impl Share {
    /// Reports whether all of the triangle is on the boundary, with the solid on the given side only.
    fn is_one_side(&self, side: PieceSide) -> bool {
        self.is_all && self.pieces.iter().all(|piece| piece.side == side)
    }
}

/// Computes the boundary if at most `most_pairs` pairs of triangles meet.
fn compute_up_to(shape: &MeshShape, most_pairs: usize) -> SolidBoundary {
    let Some(pairs) = self_pairs_up_to(shape, most_pairs) else { return undecided(shape) };
    let search = BoundarySearch::new(shape, &pairs);
    let groups = search.groups();
    let is_whole = |(triangle, sides): (u32, &Option<Sides>)| match sides {
        Some(sides) => sides.is_lowest && side_of(*sides).is_some(),
        None => is_degenerate(&shape.mesh().corners(triangle)),
    };
    let whole = || (0u32..).zip(&groups).filter_map(|(triangle, sides)| Some((triangle, sides.as_ref()?)));
    if pairs.is_empty() && whole().all(is_whole) && flat::are_covered(shape) {
        return SolidBoundary::Whole;
    }
    let shares = search.shares(&groups);
    // Some triangles only touch, for example if an edge of one is split in two on its other side.
    let is_one_side = |side| shares.iter().all(|share| share.is_one_side(side));
    if (is_one_side(PieceSide::Behind) || is_one_side(PieceSide::InFront)) && flat::are_covered(shape) {
        return SolidBoundary::Whole;
    }
    let pieces = shares.into_iter().flat_map(|share| share.pieces);
    let (decided, open): (Vec<_>, Vec<_>) = pieces.partition(|piece| piece.is_decided);
    let rounding = decided.iter().chain(&open).map(|piece| piece.rounding).fold(0.0, f64::max);
    SolidBoundary::Pieces(Box::new(BoundaryPieces { decided: piece_set(&decided), open: piece_set(&open), rounding }))
}

/// Returns the result for a mesh with too many pairs that meet: all of it may be the boundary.
fn undecided(shape: &MeshShape) -> SolidBoundary {
    let pieces: Vec<Piece> =
        (0..shape.mesh().triangles().len() as u32).map(|triangle| open_piece(shape, triangle)).collect();
    SolidBoundary::Pieces(Box::new(BoundaryPieces { decided: None, open: piece_set(&pieces), rounding: 0.0 }))
}

/// Returns a whole triangle as a piece that may be a part of the boundary.
fn open_piece(shape: &MeshShape, triangle: u32) -> Piece {
    let corners = shape.mesh().corners(triangle);
    Piece { corners, triangle, side: PieceSide::Neither, rounding: 0.0, is_decided: false }
}

fn piece_set(pieces: &[Piece]) -> Option<PieceSet> {
    let vertices: Vec<Vec3> = pieces.iter().flat_map(|piece| piece.corners).collect();
    let corners = (0..pieces.len() as u32).map(|piece| [3 * piece, 3 * piece + 1, 3 * piece + 2]).collect();
    let surface = MeshShape::new(TriMesh::new(vertices, corners).ok()?).ok()?.with_solid(false).ok()?;
    Some(PieceSet {
        surface,
        triangles: pieces.iter().map(|piece| piece.triangle).collect(),
        sides: pieces.iter().map(|piece| piece.side).collect(),
        roundings: pieces.iter().map(|piece| piece.rounding).collect(),
    })
}

/// Returns the side of a piece on which the solid lies; `None` for a piece inside the solid.
fn side_of(sides: Sides) -> Option<PieceSide> {
    match (sides.front, sides.back) {
        (0, 0) => Some(PieceSide::Neither),
        (0, _) => Some(PieceSide::Behind),
        (_, 0) => Some(PieceSide::InFront),
        _ => None,
    }
}

/// A mesh and the lists of its triangles that meet.
struct BoundarySearch<'a> {
    shape: &'a MeshShape,
    /// For each triangle the start of its list in `others`, and a last entry for the end.
    starts: Vec<u32>,
    others: Vec<u32>,
}

impl<'a> BoundarySearch<'a> {
    fn new(shape: &'a MeshShape, pairs: &[[u32; 2]]) -> Self {
        let mut both: Vec<[u32; 2]> = pairs.iter().flat_map(|&[i, j]| [[i, j], [j, i]]).collect();
        both.sort_unstable();
        let count = shape.mesh().triangles().len();
        let starts = (0..=count as u32).map(|triangle| both.partition_point(|pair| pair[0] < triangle) as u32);
        let starts = if both.is_empty() { vec![0; count + 1] } else { starts.collect() };
        Self { shape, starts, others: both.iter().map(|pair| pair[1]).collect() }
    }

    /// Returns the triangles that meet the given triangle.
    fn others(&self, triangle: u32) -> &[u32] {
        let at = triangle as usize;
        &self.others[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    /// Computes the part on the boundary for each triangle, from the classified groups.
    fn shares(&self, groups: &[Option<Option<Sides>>]) -> Vec<Share> {
        let most = (MAX_CELLS / self.cut_count().max(1)).clamp(CELLS_OF_ONE[0], CELLS_OF_ONE[1]);
        let mut shares: Vec<Share> = Vec::with_capacity(groups.len());
        let mut count = 0;
        for (number, some) in groups.chunks(AT_A_TIME).enumerate() {
            let is_full = count >= MAX_CELLS;
            let share = |(k, sides): (usize, &Option<Option<Sides>>)| {
                let triangle = (number * AT_A_TIME + k) as u32;
                match sides {
                    Some(sides) => self.whole(triangle, *sides),
                    None if is_full => self.whole(triangle, None),
                    None => self.cut(triangle, most),
                }
            };
            let from = shares.len();
            shares.par_extend(some.par_iter().enumerate().map(share));
            let cut = some.iter().zip(&shares[from..]).filter(|(sides, _)| sides.is_none());
            count += cut.map(|(_, share)| share.pieces.len()).sum::<usize>();
        }
        shares
    }

    fn cut_count(&self) -> usize {
        self.starts.windows(2).filter(|ends| ends[0] != ends[1]).count()
    }

    /// Computes for each triangle that meets no other the winding numbers of its group. `None` for all remaining
    /// triangles; the inner `None` for groups that cannot be decided at one of their triangles.
    fn groups(&self) -> Vec<Option<Option<Sides>>> {
        let mesh = self.shape.mesh();
        let count = mesh.triangles().len();
        let topology = Topology::new(mesh);
        let mut sets = DisjointSets::new(count);
        for edge in topology.edges().filter(|edge| edge.degree() == 2 && edge.imbalance() == 0) {
            let mut sharing = edge.triangles();
            if let (Some(first), Some(second)) = (sharing.next(), sharing.next())
                && self.others(first).is_empty()
                && self.others(second).is_empty()
            {
                sets.unite(first, second);
            }
        }
        let roots: Vec<u32> = (0..count as u32).map(|triangle| sets.find(triangle)).collect();
        // The triangle of each group with the largest width relative to the rounding of its coordinates.
        let mut widest: Vec<(f64, u32)> = vec![(-1.0, 0); count];
        for (triangle, &root) in (0u32..).zip(&roots) {
            let width = if self.others(triangle).is_empty() { self.relative_width(triangle) } else { -1.0 };
            if width > widest[root as usize].0 {
                widest[root as usize] = (width, triangle);
            }
        }
        let classify = |&(width, triangle): &(f64, u32)| (width >= 0.0).then(|| self.sides_of(triangle));
        let of_roots: Vec<Option<Option<Sides>>> = widest.par_iter().map(classify).collect();
        let of = |(triangle, &root): (u32, &u32)| of_roots[root as usize].filter(|_| self.others(triangle).is_empty());
        (0u32..).zip(&roots).map(of).collect()
    }

    /// Returns a power of two that brings the coordinates of a triangle near 1.
    fn unit(&self, triangle: u32) -> f64 {
        power_of_two_scale(largest(&self.shape.mesh().corners(triangle)))
    }

    /// Returns a triangle in its unit.
    fn scaled(&self, triangle: u32) -> Triangle {
        let unit = self.unit(triangle);
        self.shape.mesh().corners(triangle).map(|corner| corner * unit)
    }

    /// Returns the axis along which the projection of a triangle is largest.
    fn axis(&self, triangle: u32) -> usize {
        let corners = self.scaled(triangle);
        let areas = [0, 1, 2].map(|axis| area_seen(&corners, axis));
        (0..3).max_by(|&i, &j| areas[i].total_cmp(&areas[j]).then(j.cmp(&i))).unwrap_or(2)
    }

    /// Computes the height of a triangle over its longest edge, in the projection, relative to its largest coordinate.
    fn relative_width(&self, triangle: u32) -> f64 {
        let corners = self.scaled(triangle);
        let longest = (0..3).map(|k| (corners[(k + 1) % 3] - corners[k]).length()).fold(0.0, f64::max);
        let width = area_seen(&corners, self.axis(triangle)) / (longest * largest(&corners));
        if width.is_finite() { width } else { 0.0 }
    }

    /// Returns a triangle as a single cell.
    fn cells(&self, triangle: u32) -> Cells {
        let scaled = self.scaled(triangle);
        Cells::new(&scaled, self.axis(triangle), TOLERANCE * f64::EPSILON * largest(&scaled))
    }

    /// Computes the winding numbers on both sides of a triangle that no other crosses; `None` if no point of it
    /// decides.
    fn sides_of(&self, triangle: u32) -> Option<Sides> {
        self.classified(triangle, &self.cells(triangle), 0)
    }

    /// Computes the winding numbers on both sides of a cell.
    fn classified(&self, triangle: u32, cells: &Cells, cell: usize) -> Option<Sides> {
        let unit = self.unit(triangle);
        let at = |at: Vec2| sides_at(self.shape, triangle, cells.axis, at / unit, unit);
        let room = cells.tolerance * (ASIDE / TOLERANCE);
        let mut points = std::iter::once(cells.middle(cell)).chain(cells.others(cell));
        points.find_map(|point| if cells.is_inside(cell, point, room) { at(point) } else { None })
    }

    /// Returns the share of a triangle that is not cut.
    fn whole(&self, triangle: u32, sides: Option<Sides>) -> Share {
        let open = open_piece(self.shape, triangle);
        match sides {
            Some(sides) => {
                let piece = named(sides).map(|side| Piece { side, is_decided: true, ..open });
                Share { is_all: piece.is_some(), pieces: piece.into_iter().collect() }
            }
            // The edges of a triangle without area belong to other triangles.
            None if is_degenerate(&open.corners) => Share { pieces: Vec::new(), is_all: true },
            None => Share { pieces: vec![open], is_all: false },
        }
    }

    /// Returns the cells of a triangle, which others meet, that are a part of the boundary; at most `most`.
    fn cut(&self, triangle: u32, most: usize) -> Share {
        let open = open_piece(self.shape, triangle);
        let mut cells = self.cells(triangle);
        let is_flat = is_degenerate(&open.corners);
        // The triangle is thinner than rounding: its neighbours represent it.
        if is_flat || cells.thickness(0) <= cells.tolerance {
            return Share { pieces: Vec::new(), is_all: is_flat };
        }
        let seen = |point: Vec3| {
            let point = seen_along(cells.axis, point);
            Vec2::new(point.x, point.y)
        };
        let unit = self.unit(triangle);
        let of_other = |&other: &u32| segments_on(&open.corners, &self.shape.mesh().corners(other), unit);
        let segments: Vec<_> = self.others(triangle).iter().flat_map(of_other).map(|ends| ends.map(seen)).collect();
        if !segments.iter().all(|segment| cells.cut(segment, most)) {
            return Share { pieces: vec![open], is_all: false };
        }
        let metre = 1.0 / unit;
        let rounding = cells.tolerance * (ROUNDING / TOLERANCE) * metre;
        let mut share = Share { pieces: Vec::new(), is_all: true };
        for cell in 0..cells.len() {
            let sides = self.classified(triangle, &cells, cell);
            let side = sides.map_or(Some(PieceSide::Neither), named);
            share.is_all &= sides.is_some() && side.is_some();
            if let Some(side) = side {
                let in_metres = cells.triangles(cell).map(|corners| corners.map(|corner| corner * metre));
                let whole = in_metres.filter(|corners| !is_degenerate(corners));
                let is_decided = sides.is_some();
                share.pieces.extend(whole.map(|corners| Piece { corners, triangle, side, rounding, is_decided }));
            }
        }
        share
    }
}

/// Returns the side of a piece on which the solid lies, or that the piece repeats another triangle; `None` inside the
/// solid.
fn named(sides: Sides) -> Option<PieceSide> {
    side_of(sides).map(|side| if sides.is_lowest { side } else { PieceSide::Repeated })
}

/// Returns the largest coordinate of a triangle in magnitude.
fn largest(corners: &Triangle) -> f64 {
    corners.iter().fold(0.0, |most: f64, corner| most.max(corner.abs().max_element()))
}

/// Computes twice the area of a triangle projected along an axis.
fn area_seen(corners: &Triangle, axis: usize) -> f64 {
    let [a, b, c] = corners.map(|corner| seen_along(axis, corner));
    ((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)).abs()
}
