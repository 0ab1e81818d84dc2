//! Solidification: welds the seams of a nearly closed mesh and orients its closed shells outward.
//!
//! In: a mesh as a file gives it, and a [`Weld`]. Out: a [`Solidified`]: the mesh with the same triangles in the same
//! order, the topology facts of it, and a report of every change.
//! Method, in this order:
//! 1. Vertices at equal coordinates count as one ([`Topology`]). A mesh that is closed and faces outward comes back bit
//!    for bit.
//! 2. *Welding*: an edge whose half-edges do not cancel is matched with the nearest such edge whose ends are within the
//!    tolerance, and the vertices of both are merged (`seam`). The tolerance of [`Weld::Auto`] is [`SEAM`] of the
//!    largest coordinate if every coordinate is an `f32`, else of the size of the mesh (`rounding`). Small meshes that
//!    stay open are tried with [`GRID`], an absolute length, and keep the result only if it leaves no open edge.
//! 3. *Orientation*: shells without a hole whose half-edges do not cancel are oriented consistently (`orient`).
//! 4. *Outward*: closed shells that are inside out relative to what they bound are turned (`outward`).
//!
//! Guarantees: triangles keep number and order. A vertex moves by at most the tolerance, to the position of a vertex
//! with a lower index; no two vertices of a cluster are farther from each other than the tolerance. Vertices move only
//! where two edges match. No merge makes two corners of a triangle one, except in degenerate triangles of an open
//! border with [`Weld::Within`]. The volume changes by at most the area of the mesh times the largest move, to first
//! order. The same bits for any number of threads.
//! Not guaranteed: vertices on the inside of an edge of another triangle are counted, not closed. Wider gaps stay open.
//! Cost: a closed mesh costs one [`Topology`], its components and its closed shells. Else O(n log n) per round, at most
//! 16 rounds for each tolerance; 2 are usual.

mod clusters;
mod grid;
mod indexed;
mod orient;
mod outward;
mod rounding;
mod seam;
mod t_vertices;

use std::ops::Range;

use heurt_geometry::{Vec3, robust_length};
use thiserror::Error;

use crate::shells::ClosedShells;
use crate::{Component, Topology, TriMesh};
use indexed::Indexed;
use outward::Outward;
pub(crate) use rounding::rounding_of;

/// Four ulp of an `f32`, as a share of the rounded number: two vertices that were rounded to `f32` twice, each time by
/// at most one ulp an axis, are at a distance of at most 2·√3 ulp.
pub const SEAM: f64 = 4.0 / (1u64 << 23) as f64;

/// The diagonal of a cell of 10⁻⁸ units: programs that round coordinates to 8 decimals merge what lies in one cell.
pub const GRID: f64 = 1.7320508075688773e-8;

/// Which vertices of an open mesh are merged.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Weld {
    /// Vertices as far from each other as rounding errors explain, as far as that closes something and collapses
    /// nothing.
    #[default]
    Auto,
    /// Only vertices at equal coordinates, which are not moved.
    None,
    /// Vertices within this length, in metres, as far as that closes something; 0 is [`Weld::None`].
    Within(f64),
}

/// A mesh after solidification, and what was changed.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Solidified {
    /// The mesh: the triangles of the input, in the same order.
    pub mesh: TriMesh,
    /// Every edge is shared by equally many opposite half-edges.
    pub is_closed: bool,
    /// The connected components, as [`Topology::components`] returns them.
    pub components: Vec<Component>,
    /// Some vertices lie at the position of another vertex.
    pub has_coincident_vertices: bool,
    /// The merged vertices; `None` if no vertex was moved.
    pub welding: Option<Welding>,
    /// The reversed triangles.
    pub turned: Turned,
    /// Edges with an odd number of triangles.
    pub open_edges: usize,
    /// Edges with an even number of triangles whose half-edges do not cancel: the surface there is not orientable, or
    /// its shell is open.
    pub inconsistent_edges: usize,
    /// Vertices that lie within the tolerance on the inside of an open edge and on an open chain along it.
    pub t_vertices: usize,
    /// First triangles of closed shells that face outward inside the material of another shell, ascending. They stay:
    /// what both bound is inside.
    pub nested: Vec<u32>,
    /// All shells were tested for `nested` and for turning by winding numbers; beyond a budget, boxes decide.
    pub is_nesting_exact: bool,
}

impl Solidified {
    /// Tests whether vertices were moved or triangles reversed.
    pub fn is_changed(&self) -> bool {
        self.welding.is_some() || self.turned.triangles > 0
    }
}

/// The vertices that were merged to close seams.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Welding {
    /// The largest tolerance used, in metres.
    pub tolerance: f64,
    /// Number of vertices that were moved to the position of another vertex.
    pub vertices: usize,
    /// The largest move, in metres.
    pub farthest: f64,
    /// Number of edges with an odd number of triangles before.
    pub open_edges_before: usize,
    /// Number of edges with an odd number of triangles after.
    pub open_edges_after: usize,
}

/// The triangles that were reversed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Turned {
    /// Number of closed shells with a reversed triangle.
    pub shells: usize,
    /// Number of reversed triangles.
    pub triangles: usize,
}

/// Why a mesh is not solidified.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SolidifyError {
    /// The tolerance is negative, NaN or infinite.
    #[error("the weld tolerance is {tolerance}: give a finite length of at least 0")]
    BadTolerance {
        /// The tolerance as given, in metres.
        tolerance: f64,
    },
    /// The tolerance would merge two corners of a triangle.
    #[error(
        "the weld tolerance {tolerance} merges vertices {} and {} of triangle {triangle} at [{}, {}, {}], which are \
         {feature} apart: give less than {feature}",
        vertices[0], vertices[1], place.x, place.y, place.z
    )]
    ToleranceTooLarge {
        /// The tolerance as given, in metres.
        tolerance: f64,
        /// Length of the shortest edge that would collapse, in metres.
        feature: f64,
        /// The first triangle on that edge.
        triangle: u32,
        /// The ends of that edge, the lower first.
        vertices: [u32; 2],
        /// The middle of that edge.
        place: Vec3,
    },
}

/// Closes the seams of a mesh and orients its closed shells outward.
///
/// ```
/// use heurt_geometry::{Vec3, robust_length};
/// use heurt_mesh::{TriMesh, Weld, generate, is_closed, solidify};
/// let cube = generate::cuboid([0.5; 3])?;
/// // As an STL file holds it, with a rounding error in one corner of one triangle.
/// let mut corners: Vec<Vec3> = (0..12).flat_map(|triangle| cube.corners(triangle)).collect();
/// corners[7].x += 1e-17 + 3e-8;
/// let seam = TriMesh::new(corners, (0..12).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect())?;
/// assert!(!is_closed(&seam));
/// let solid = solidify(seam, Weld::Auto)?;
/// assert!(solid.is_closed && solid.welding.is_some_and(|welding| welding.farthest < 4e-8));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`SolidifyError`] on a tolerance that is not a length, and on one that would collapse an edge of an open mesh.
pub fn solidify(mesh: TriMesh, weld: Weld) -> Result<Solidified, SolidifyError> {
    if let Weld::Within(tolerance) = weld
        && !(tolerance >= 0.0 && tolerance.is_finite())
    {
        return Err(SolidifyError::BadTolerance { tolerance });
    }
    let mut work = Work { mesh: Indexed::new(mesh), welding: None, reversed: Vec::new() };
    if !work.mesh.with_topology(|topology| topology.is_closed()) {
        if work.mesh.with_topology(Census::of).open == 0 {
            work.orient();
        }
        work.weld(weld)?;
        work.orient();
    }
    let facts = work.mesh.with_topology(|topology| Facts::of(topology, weld));
    Ok(work.finished(facts))
}

/// Returns the tolerance within which a vertex counts as lying on an edge.
fn report_tolerance(mesh: &TriMesh, weld: Weld) -> f64 {
    match weld {
        Weld::Within(tolerance) if tolerance > 0.0 => tolerance,
        _ => rounding_of(mesh),
    }
}

/// Numbers of edges whose half-edges do not cancel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Census {
    /// With an odd number of triangles.
    open: usize,
    /// With an even number of triangles.
    inconsistent: usize,
}

impl Census {
    fn of(topology: &Topology) -> Self {
        let mut census = Self { open: 0, inconsistent: 0 };
        for edge in topology.edges() {
            if edge.degree() % 2 == 1 {
                census.open += 1;
            } else if edge.imbalance() != 0 {
                census.inconsistent += 1;
            }
        }
        census
    }
}

/// The facts of the final topology.
struct Facts {
    is_closed: bool,
    components: Vec<Component>,
    has_coincident_vertices: bool,
    census: Census,
    t_vertices: usize,
    outward: Outward,
}

impl Facts {
    fn of(topology: &Topology, weld: Weld) -> Self {
        let vertices = topology.mesh().vertices().len() as u32;
        let is_closed = topology.is_closed();
        let (components, outward) = rayon::join(|| topology.components(), || Outward::of(ClosedShells::new(topology)));
        Self {
            is_closed,
            components,
            has_coincident_vertices: (0..vertices).any(|vertex| topology.representative(vertex) != vertex),
            census: if is_closed { Census { open: 0, inconsistent: 0 } } else { Census::of(topology) },
            t_vertices: if is_closed {
                0
            } else {
                t_vertices::count(topology, report_tolerance(topology.mesh(), weld))
            },
            outward,
        }
    }
}

/// The mesh while it is changed.
struct Work {
    mesh: Indexed,
    welding: Option<Welding>,
    /// By triangle, whether it is reversed; empty if none is.
    reversed: Vec<bool>,
}

impl Work {
    /// Reverses triangles.
    fn reverse(&mut self, triangles: &[u32]) {
        if triangles.is_empty() {
            return;
        }
        self.reversed.resize(self.mesh.mesh().triangles().len(), false);
        triangles.iter().for_each(|&triangle| self.reversed[triangle as usize] ^= true);
        self.mesh.reverse(triangles);
    }

    /// Orients the shells without holes consistently, where that is possible.
    fn orient(&mut self) {
        let reversed = self.mesh.with_topology(orient::triangles_to_reverse);
        self.reverse(&reversed);
    }

    /// Merges vertices on open edges.
    fn weld(&mut self, weld: Weld) -> Result<(), SolidifyError> {
        let (tolerance, is_strict) = match weld {
            Weld::None => return Ok(()),
            Weld::Within(tolerance) => (tolerance, true),
            Weld::Auto => (rounding_of(self.mesh.mesh()), false),
        };
        let original = self.mesh.mesh().vertices().to_vec();
        let before = self.mesh.with_topology(|topology| Census::of(topology).open);
        let mut used = None;
        if tolerance > 0.0
            && let Some(after) = seam::weld(&mut self.mesh, &original, tolerance, is_strict)?
        {
            used = Some((tolerance, after));
        }
        if weld == Weld::Auto
            && used.map_or(before, |(_, after)| after) > 0
            && let Some(mesh) = grid::welded(self.mesh.mesh(), &original)
        {
            (self.mesh, used) = (mesh, Some((GRID, 0)));
        }
        self.welding =
            used.map(|(tolerance, after)| report(tolerance, &original, self.mesh.mesh().vertices(), [before, after]));
        Ok(())
    }

    /// Turns the shells that are inside out and assembles the result.
    fn finished(mut self, facts: Facts) -> Solidified {
        let Outward { reverse, order, shells, nested, is_exact } = facts.outward;
        self.reverse(&reverse);
        let is_reversed = |&triangle: &u32| self.reversed[triangle as usize];
        let turned = if self.reversed.is_empty() {
            Turned::default()
        } else {
            let touched = |shell: &&Range<usize>| order[(*shell).clone()].iter().any(is_reversed);
            Turned {
                shells: shells.iter().filter(touched).count(),
                triangles: self.reversed.iter().filter(|&&reversed| reversed).count(),
            }
        };
        Solidified {
            mesh: self.mesh.into_mesh(),
            is_closed: facts.is_closed,
            components: facts.components,
            has_coincident_vertices: facts.has_coincident_vertices,
            welding: self.welding,
            turned,
            open_edges: facts.census.open,
            inconsistent_edges: facts.census.inconsistent,
            t_vertices: facts.t_vertices,
            nested,
            is_nesting_exact: is_exact,
        }
    }
}

/// Computes the distance of two points, without intermediate overflow.
fn distance(a: Vec3, b: Vec3) -> f64 {
    let offset = b - a;
    if offset.is_finite() { robust_length(offset) } else { robust_length(b * 0.5 - a * 0.5) * 2.0 }
}

/// Measures how vertices moved.
fn report(tolerance: f64, from: &[Vec3], to: &[Vec3], [before, after]: [usize; 2]) -> Welding {
    let moves = from.iter().zip(to).filter(|(from, to)| from != to);
    let length = |(from, to): (&Vec3, &Vec3)| distance(*from, *to);
    let (vertices, farthest) =
        moves.map(length).fold((0, 0.0), |(count, farthest), length| (count + 1, f64::max(farthest, length)));
    Welding { tolerance, vertices, farthest, open_edges_before: before, open_edges_after: after }
}
