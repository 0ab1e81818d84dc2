//! Meshes of surface patches on uniform grids, to a proved bound of the distance.
//!
//! In: patches and a tolerance in metres. Out: a [`PatchMesh`].
//! Method: all Bézier pieces of all patches have 2ᵏ by 2ᵏ squares, with the smallest k for which the bound of second
//! derivatives (`bezier`) and of rounding is at most the tolerance. Parameters are multiples of 2⁻ᵏ, so that t and 1 −
//! t are exact, and a border that two patches have in opposite directions has the same bits. Vertices with equal
//! coordinates are one. The corners of patches are their control points, and a border whose control points are equal is
//! one vertex: weights would round it to several.
//! Guarantees: the number of triangles is computed before memory is taken. Triangles with two equal vertices are
//! omitted. The same bits on every machine.
//! Cost: O(vertices · degree³).

use super::bezier::{BezierPiece, cartesian};
use super::blossom::{Homogeneous, bezier_points};
use super::{PatchError, PatchSet, SurfacePatch};
use heurt_geometry::Vec3;
use heurt_mesh::TriMesh;
use heurt_mesh::generate::MAX_TRIANGLES;
use std::collections::HashMap;

/// The rounding of a point, in multiples of ε · (p + q + 2) · largest coordinate · ratio of weights: each level of de
/// Casteljau and de Boor adds at most 3 ε, weights and their quotient the same again.
const ROUNDING_STEPS: f64 = 16.0;

/// The largest level: 4³⁰ squares are beyond every limit of triangles.
const MAX_LEVEL: u32 = 30;

/// A mesh of patches and its distance from them.
#[derive(Debug, Clone, PartialEq)]
pub struct PatchMesh {
    /// The mesh.
    pub mesh: TriMesh,
    /// A proved bound of the distance between the mesh and the surface, in both directions, in metres.
    pub deviation: f64,
    /// The number of segments along each side of a Bézier piece.
    pub segments: u32,
}

/// A patch as one grid of Bézier control points; neighbouring pieces share a row or a column.
struct PieceGrid<'a> {
    patch: &'a SurfacePatch,
    /// The number of pieces along u and v.
    pieces: [usize; 2],
    /// The pieces, those along v consecutive.
    all: Vec<BezierPiece>,
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
        let piece = |i: usize, j: usize| {
            let row = |u: usize| (j * q..=j * q + q).map(|v| columns[v][u]).collect();
            BezierPiece { points: (i * p..=i * p + p).map(row).collect() }
        };
        let all = (0..pieces[0]).flat_map(|i| (0..pieces[1]).map(move |j| (i, j))).map(|(i, j)| piece(i, j)).collect();
        Self { patch, pieces, all }
    }

    /// Evaluates vertex `index` of the grid with `segments` per piece.
    fn vertex(&self, index: [usize; 2], segments: usize) -> Vec3 {
        if let Some(point) = self.fixed(index, self.pieces.map(|pieces| pieces * segments)) {
            return point + Vec3::ZERO;
        }
        let piece: [usize; 2] = std::array::from_fn(|axis| (index[axis] / segments).min(self.pieces[axis] - 1));
        let [u, v] = std::array::from_fn(|axis| (index[axis] - piece[axis] * segments) as f64 / segments as f64);
        cartesian(self.all[piece[0] * self.pieces[1] + piece[1]].at(u, v))
    }

    /// Returns the control point of a corner, or of a border that is one point.
    fn fixed(&self, index: [usize; 2], last: [usize; 2]) -> Option<Vec3> {
        let points = &self.patch.points;
        let ends = [points.len() - 1, points[0].len() - 1];
        let border: [Option<usize>; 2] = std::array::from_fn(|axis| match index[axis] {
            0 => Some(0),
            at if at == last[axis] => Some(ends[axis]),
            _ => None,
        });
        let same_row = |row: usize| points[row].iter().all(|point| *point == points[row][0]);
        let same_column = |column: usize| points.iter().all(|row| row[column] == points[0][column]);
        match border {
            [Some(row), Some(column)] => Some(points[row][column]),
            [Some(row), None] if same_row(row) => Some(points[row][0]),
            [None, Some(column)] if same_column(column) => Some(points[0][column]),
            _ => None,
        }
    }

    /// Bounds the rounding of points.
    fn rounding(&self) -> f64 {
        let size = self.patch.points.iter().flatten().map(|point| point.abs().max_element()).fold(0.0, f64::max);
        let weights = || self.patch.weights.iter().flatten().copied();
        let ratio = weights().fold(0.0, f64::max) / weights().fold(f64::INFINITY, f64::min);
        let steps = (self.patch.degree[0] + self.patch.degree[1] + 2) as f64;
        ROUNDING_STEPS * f64::EPSILON * steps * size * ratio
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
    /// let surface = PatchSet::new(vec![quarter])?.tessellate(1e-3)?;
    /// let radius = |point: &heurt_geometry::Vec3| point.x.hypot(point.y);
    /// assert!(surface.mesh.vertices().iter().all(|point| (radius(point) - 2.0).abs() < 1e-14));
    /// # Ok::<(), heurt_solid::PatchError>(())
    /// ```
    ///
    /// # Errors
    /// [`PatchError::Tolerance`] for a tolerance that is not above the rounding of coordinates,
    /// [`PatchError::TooManyTriangles`] above 2²⁸ triangles, [`PatchError::Mesh`] if no triangle is left.
    pub fn tessellate(&self, tolerance: f64) -> Result<PatchMesh, PatchError> {
        let grids: Vec<PieceGrid> = self.patches().iter().map(PieceGrid::new).collect();
        let rounding = grids.iter().map(PieceGrid::rounding).fold(0.0, f64::max);
        if !(tolerance.is_finite() && tolerance > rounding) {
            return Err(PatchError::Tolerance { tolerance, least: rounding });
        }
        let derivatives: Vec<_> =
            grids.iter().flat_map(|grid| &grid.all).map(BezierPiece::second_derivatives).collect();
        let bound = |level: u32| {
            let segments = (1_u64 << level) as f64;
            derivatives.iter().map(|piece| piece.deviation(segments)).fold(rounding, |most, x| most.max(x + rounding))
        };
        let triangles = |level: u32| (derivatives.len() as u64).saturating_mul(2 << (2 * level));
        let level = (0..MAX_LEVEL).find(|&level| bound(level) <= tolerance).unwrap_or(MAX_LEVEL);
        if triangles(level) > MAX_TRIANGLES {
            return Err(PatchError::TooManyTriangles { tolerance, triangles: triangles(level), max: MAX_TRIANGLES });
        }
        let mut builder = Builder::default();
        grids.iter().for_each(|grid| builder.add(grid, 1 << level));
        let mesh = TriMesh::new(builder.vertices, builder.triangles)?;
        Ok(PatchMesh { mesh, deviation: bound(level), segments: 1 << level })
    }
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

    fn add(&mut self, grid: &PieceGrid, segments: usize) {
        let [rows, columns] = grid.pieces.map(|pieces| pieces * segments);
        let row = |this: &mut Self, i: usize| -> Vec<u32> {
            (0..=columns).map(|j| this.vertex(grid.vertex([i, j], segments))).collect()
        };
        let mut lower = row(self, 0);
        for i in 1..=rows {
            let upper = row(self, i);
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
