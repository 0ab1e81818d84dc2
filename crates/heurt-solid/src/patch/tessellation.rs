//! Meshes of surface patches on grids, to a proved bound of the distance.
//!
//! In: patches and a tolerance in metres. Out: a [`PatchMesh`].
//! Method: each Bézier piece has m by n squares. `segments` chooses m and n, powers of two, so that the bound of second
//! derivatives (`bezier`) and of rounding is at most the tolerance; borders with equal ends have equal numbers.
//! Parameters are multiples of a power of two, so that t and 1 − t are exact, and a border that two patches have in
//! opposite directions has the same bits. Vertices with equal coordinates are one. The corners of patches are their
//! control points, and a border whose control points are equal is one vertex: weights would round it to several.
//! Guarantees: the number of triangles is computed before memory is taken, with one square per piece even before
//! patches are divided. Triangles with two equal vertices are omitted. The same bits on every machine.
//! Cost: O(vertices · degree²).

use super::bezier::{BezierPiece, cartesian, casteljau};
use super::blossom::{Homogeneous, bezier_points, spans};
use super::segments::SegmentNumbers;
use super::{PatchError, PatchSet, SurfacePatch};
use heurt_geometry::Vec3;
use heurt_mesh::TriMesh;
use heurt_mesh::generate::MAX_TRIANGLES;
use std::collections::HashMap;

/// The rounding of a point, in multiples of ε · (p + q + 2) · largest coordinate · ratio of weights: each level of de
/// Casteljau and de Boor adds at most 3 ε, weights and their quotient the same again.
const ROUNDING_STEPS: f64 = 16.0;

/// A mesh of patches and its distance from them.
#[derive(Debug, Clone, PartialEq)]
pub struct PatchMesh {
    /// The mesh.
    pub mesh: TriMesh,
    /// A proved bound of the distance between the mesh and the surface, in both directions, in metres.
    pub deviation: f64,
    /// The least and the largest number of segments along a side of a Bézier piece, powers of two.
    pub segments: [u32; 2],
}

/// A patch as one grid of Bézier control points; neighbouring pieces share a row or a column.
pub(super) struct PieceGrid<'a> {
    patch: &'a SurfacePatch,
    /// The number of pieces along u and v.
    pub(super) pieces: [usize; 2],
    /// The control points; rows along v.
    columns: Vec<Vec<Homogeneous>>,
}

/// A vertex of a grid along one axis: the piece, and the parameter `step` / `segments` in it.
#[derive(Clone, Copy)]
pub(super) struct GridStep {
    piece: usize,
    step: usize,
    segments: usize,
}

impl GridStep {
    /// Lists the vertices along an axis whose pieces have the given numbers of segments.
    pub(super) fn list(segments: &[usize]) -> Vec<Self> {
        let inner = segments.iter().enumerate();
        let mut steps: Vec<Self> = inner
            .flat_map(|(piece, &segments)| (0..segments).map(move |step| Self { piece, step, segments }))
            .collect();
        steps.extend(steps.last().copied().map(|last| Self { step: last.segments, ..last }));
        steps
    }

    fn parameter(self) -> f64 {
        self.step as f64 / self.segments as f64
    }

    /// Returns which end of `pieces` pieces the vertex is: 0, 1, or none.
    fn end(self, pieces: usize) -> Option<usize> {
        match (self.piece, self.step) {
            (0, 0) => Some(0),
            (piece, step) if piece + 1 == pieces && step == self.segments => Some(1),
            _ => None,
        }
    }
}

impl<'a> PieceGrid<'a> {
    fn new(patch: &'a SurfacePatch) -> Self {
        let [p, q] = patch.degree;
        let rows: Vec<Vec<Homogeneous>> =
            patch.homogeneous().iter().map(|row| bezier_points(&patch.knots[1], q, row)).collect();
        let columns: Vec<Vec<Homogeneous>> = (0..rows[0].len())
            .map(|index| {
                let column: Vec<Homogeneous> = rows.iter().map(|row| row[index]).collect();
                bezier_points(&patch.knots[0], p, &column)
            })
            .collect();
        let pieces = [(columns[0].len() - 1) / p, (columns.len() - 1) / q];
        Self { patch, pieces, columns }
    }

    /// Returns a piece by its indices along u and v.
    pub(super) fn piece(&self, [i, j]: [usize; 2]) -> BezierPiece {
        let [p, q] = self.patch.degree;
        let row = |u: usize| (j * q..=j * q + q).map(|v| self.columns[v][u]).collect();
        BezierPiece { points: (i * p..=i * p + p).map(row).collect() }
    }

    /// Evaluates the vertices with one parameter along u.
    pub(super) fn row(&self, u: GridStep, along_v: &[GridStep]) -> Vec<Vec3> {
        let [p, q] = self.patch.degree;
        let at_u =
            |column: &Vec<Homogeneous>| casteljau(&mut column[u.piece * p..=u.piece * p + p].to_vec(), u.parameter());
        let curve: Vec<Homogeneous> = self.columns.iter().map(at_u).collect();
        let mut work: Vec<Homogeneous> = Vec::with_capacity(q + 1);
        let mut vertex = |v: &GridStep| match self.fixed([u, *v]) {
            Some(point) => point + Vec3::ZERO,
            None => {
                work.clear();
                work.extend_from_slice(&curve[v.piece * q..=v.piece * q + q]);
                cartesian(casteljau(&mut work, v.parameter()))
            }
        };
        along_v.iter().map(&mut vertex).collect()
    }

    /// Reports whether all control points of a border are equal: of the end `end` (0 or 1) of `axis`.
    pub(super) fn is_point(&self, axis: usize, end: usize) -> bool {
        let points = &self.patch.points;
        let [row, column] = [end * (points.len() - 1), end * (points[0].len() - 1)];
        match axis {
            0 => points[row].iter().all(|point| *point == points[row][0]),
            _ => points.iter().all(|line| line[column] == points[0][column]),
        }
    }

    /// Reports whether the patch is one cone with straight rulings along `axis` and its apex at one end.
    pub(super) fn is_cone(&self, axis: usize) -> bool {
        let is_straight = self.patch.degree[axis] == 1 && self.pieces[axis] == 1;
        is_straight && [0, 1].into_iter().any(|end| self.is_point(axis, end))
    }

    /// Returns the control point of a corner, or of a border that is one point.
    fn fixed(&self, [u, v]: [GridStep; 2]) -> Option<Vec3> {
        let points = &self.patch.points;
        let [rows, columns] = [points.len() - 1, points[0].len() - 1];
        match [u.end(self.pieces[0]), v.end(self.pieces[1])] {
            [Some(row), Some(column)] => Some(points[row * rows][column * columns]),
            [Some(row), None] if self.is_point(0, row) => Some(points[row * rows][0]),
            [None, Some(column)] if self.is_point(1, column) => Some(points[0][column * columns]),
            _ => None,
        }
    }
}

impl PatchSet {
    /// Makes a mesh whose distance from the patches is at most `tolerance` metres, in both directions.
    ///
    /// ```
    /// use heurt_solid::{PatchSet, SurfacePatch};
    /// // A quarter of a cylinder of radius 2 and height 3.
    /// let arc = |z: f64| [[2.0, 0.0, z], [2.0, 2.0, z], [0.0, 2.0, z]].map(Into::into).to_vec();
    /// let weights = vec![vec![1.0, 0.5_f64.sqrt(), 1.0]; 2];
    /// let knots = [vec![0.0, 0.0, 1.0, 1.0], vec![0.0, 0.0, 0.0, 1.0, 1.0, 1.0]];
    /// let quarter = SurfacePatch::new([1, 2], knots, vec![arc(0.0), arc(3.0)], weights)?;
    /// let set = PatchSet::new(vec![quarter])?;
    /// let surface = set.tessellate(1e-3)?;
    /// assert_eq!(surface.mesh.triangles().len() as u64, set.count_triangles(1e-3)?);
    /// let radius = |point: &heurt_geometry::Vec3| point.x.hypot(point.y);
    /// assert!(surface.mesh.vertices().iter().all(|point| (radius(point) - 2.0).abs() < 1e-14));
    /// # Ok::<(), heurt_solid::PatchError>(())
    /// ```
    ///
    /// # Errors
    /// [`PatchError::Tolerance`] for a tolerance that is not above the rounding of coordinates,
    /// [`PatchError::TooManyTriangles`] above 2²⁸ triangles, [`PatchError::Mesh`] if no triangle is left.
    pub fn tessellate(&self, tolerance: f64) -> Result<PatchMesh, PatchError> {
        let (grids, numbers, deviation) = self.divide(tolerance)?;
        let mut builder = Builder::default();
        grids.iter().enumerate().for_each(|(patch, grid)| builder.add(grid, numbers.of_patch(patch)));
        let mesh = TriMesh::new(builder.vertices, builder.triangles)?;
        Ok(PatchMesh { mesh, deviation, segments: numbers.range() })
    }

    /// Counts the triangles that [`PatchSet::tessellate`] would make, degenerate ones included, without making them.
    ///
    /// # Errors
    /// As [`PatchSet::tessellate`], except for [`PatchError::Mesh`].
    pub fn count_triangles(&self, tolerance: f64) -> Result<u64, PatchError> {
        self.divide(tolerance).map(|(_, numbers, _)| numbers.triangles())
    }

    /// Divides the patches into Bézier pieces and chooses the segments of each. Returns both, and the bound of the
    /// distance between the mesh and the surface, in metres.
    fn divide(&self, tolerance: f64) -> Result<(Vec<PieceGrid<'_>>, SegmentNumbers, f64), PatchError> {
        let check = |triangles: u64| match triangles > MAX_TRIANGLES {
            true => Err(PatchError::TooManyTriangles { tolerance, triangles, max: MAX_TRIANGLES }),
            false => Ok(()),
        };
        if !(tolerance.is_finite() && tolerance > 0.0) {
            return Err(PatchError::Tolerance { tolerance, least: self.rounding() });
        }
        check(least_triangles(self.patches().iter().map(|patch| (&patch.knots, patch.degree))))?;
        let rounding = self.rounding();
        if tolerance <= rounding {
            return Err(PatchError::Tolerance { tolerance, least: rounding });
        }
        let grids: Vec<PieceGrid> = self.patches().iter().map(PieceGrid::new).collect();
        let (numbers, deviation) = SegmentNumbers::choose(&grids, tolerance, rounding);
        check(numbers.triangles())?;
        Ok((grids, numbers, deviation))
    }

    /// Bounds the rounding of points of all patches.
    fn rounding(&self) -> f64 {
        self.patches().iter().map(SurfacePatch::rounding).fold(0.0, f64::max)
    }
}

impl SurfacePatch {
    /// Bounds the rounding of points.
    fn rounding(&self) -> f64 {
        let size = self.points.iter().flatten().map(|point| point.abs().max_element()).fold(0.0, f64::max);
        let weights = || self.weights.iter().flatten().copied();
        let ratio = weights().fold(0.0, f64::max) / weights().fold(f64::INFINITY, f64::min);
        let steps = (self.degree[0] + self.degree[1] + 2) as f64;
        ROUNDING_STEPS * f64::EPSILON * steps * size * ratio
    }
}

/// Counts the triangles of patches with one square per piece, from their knots and degrees; `u64::MAX` if there are
/// more.
fn least_triangles<'a>(patches: impl Iterator<Item = (&'a [Vec<f64>; 2], [usize; 2])>) -> u64 {
    let squares = |(knots, degree): (&[Vec<f64>; 2], [usize; 2])| -> u64 {
        let pieces = |axis: usize| spans(&knots[axis], degree[axis]).count() as u64;
        pieces(0).saturating_mul(pieces(1))
    };
    patches.map(squares).fold(0, u64::saturating_add).saturating_mul(2)
}

/// Vertices, each place once, and triangles.
#[derive(Default)]
struct Builder {
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    index_of: HashMap<[u64; 3], u32>,
}

impl Builder {
    fn vertex(&mut self, point: Vec3) -> u32 {
        let next = u32::try_from(self.vertices.len()).expect("the limit of triangles bounds vertices");
        let index = *self.index_of.entry(point.to_array().map(f64::to_bits)).or_insert(next);
        if index == next {
            self.vertices.push(point);
        }
        index
    }

    /// Adds a patch whose pieces have the given numbers of segments along u and v.
    fn add(&mut self, grid: &PieceGrid, segments: [Vec<usize>; 2]) {
        let [along_u, along_v] = segments.map(|numbers| GridStep::list(&numbers));
        let mut lower: Vec<u32> = Vec::new();
        for &u in &along_u {
            let upper: Vec<u32> = grid.row(u, &along_v).into_iter().map(|point| self.vertex(point)).collect();
            for (low, high) in lower.windows(2).zip(upper.windows(2)) {
                self.triangle([low[0], high[0], high[1]]);
                self.triangle([low[0], high[1], low[1]]);
            }
            lower = upper;
        }
    }

    fn triangle(&mut self, corners: [u32; 3]) {
        let [a, b, c] = corners;
        if a != b && b != c && c != a {
            self.triangles.push(corners);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_are_counted_before_patches_are_divided() {
        let count = 1 << 11;
        let ends = [0.0, f64::from(count - 1)];
        let knots: Vec<f64> = [ends[0]].into_iter().chain((0..count).map(f64::from)).chain([ends[1]]).collect();
        let knots = [knots.clone(), knots];
        let many = |patches: usize| least_triangles(std::iter::repeat_n((&knots, [1, 1]), patches));
        assert_eq!(many(1), 2 * 2047 * 2047);
        assert!(many(32) < MAX_TRIANGLES && many(33) > MAX_TRIANGLES);
    }
}
