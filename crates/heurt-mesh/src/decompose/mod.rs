//! Approximate convex decomposition: a closed mesh as a few convex pieces that cover it.
//!
//! In: a closed mesh, a tolerance. Out: a [`Decomposition`]: a binary tree of convex meshes, as S0 §6.2 requires for
//! the exact tests between non-convex bodies. Its leaves, the *pieces*, together contain every point of the solid and
//! stay within the tolerance of it. Each node contains all pieces below it, so that any level of the tree is a coarser
//! decomposition.
//!
//! Method: recursive cuts along planes, chosen by the volume of the hulls of both sides, after Mamou and Ghorbel (HACD,
//! 2009) and Wei et al. (CoACD, 2022). Ours differs in three points: the mesh need not be a manifold, coverage is
//! proved, and distances are bounded, not sampled.
//!
//! **The solid** is the set around which the surface winds: points with a winding number other than 0, and their
//! limits. A cavity whose faces point into it is no part of it; an inverted mesh bounds the same solid as its opposite.
//!
//! **Why the pieces cover it.** The closed surface is a chain M of oriented triangles without border. A cut replaces
//! each chain by two without border whose sum it is (`cut`): edges get real points on them as new vertices, and a cap
//! is added to one side and subtracted from the opposite side. Winding numbers add up. So if M winds around x, off all
//! chains, one of the leaves does. Then x lies in the convex hull of that leaf's vertices, outside of which nothing
//! winds. The piece contains these real vertices, which is tested exactly on boxes that contain them (`cover`). Points
//! on chains are limits of points off all chains. The proof does not depend on the planes, on the side of a vertex or
//! on the shape of a cap: rounding cannot open a crack.
//!
//! **Why the distance is a bound**: `concavity`.
//!
//! Guarantees: pieces are closed, convex (exactly, by `check`), and cover the solid; the reported concavity is an upper
//! bound; the result for a convex mesh is its hull, vertex by vertex; the same bits for any number of threads.
//! Not guaranteed: the least number of pieces; disjoint pieces (they overlap by approximately 1e-12 of the size at
//! cuts); the tolerance if `max_pieces` is reached, if coordinates are too coarse for it, or if needles leave no cut
//! whose cap stays within its border: [`Decomposition::concavity`] reports it.
//! Cost: approximately a second for parts of some thousand triangles, ten for 100,000 on two cores; hulls of samples
//! take most of it.

mod cap;
mod clear;
mod concavity;
mod cover;
mod cut;
mod grow;
mod part;
mod planes;
mod solid;

use heurt_bvh::BvhError;
use heurt_geometry::Vec3;
use thiserror::Error;

use crate::check::is_exactly_convex;
use crate::{MeshError, Topology, TriMesh};
use cover::Cover;
use grow::{Draft, Workshop};
use part::{ConvexPart, MADE};
use solid::Solid;
pub(crate) use solid::{nearest_on, nearest_on_segment};

/// The least tolerance: distances are bounded to some 1e-6 of the size of a mesh.
pub const MIN_TOLERANCE: f64 = 1e-4;

/// Options of a decomposition.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DecomposeOptions {
    /// Largest distance of a point of a piece from the solid, as a share of the diagonal of the mesh's bounding box:
    /// from [`MIN_TOLERANCE`] to 1.
    pub tolerance: f64,
    /// Limit of pieces, even if some are then farther from the solid than the tolerance; at least 1.
    pub max_pieces: usize,
}

impl Default for DecomposeOptions {
    fn default() -> Self {
        Self { tolerance: 0.02, max_pieces: 1 << 16 }
    }
}

/// Errors of a decomposition.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum DecomposeError {
    /// The mesh does not bound a solid.
    #[error(
        "the mesh is open: {edges} edges lack a triangle on one side, the first from vertex {} to vertex {}: close the \
         holes, `check` lists them", first[0], first[1]
    )]
    Open {
        /// The number of edges not shared by equally many opposite half-edges.
        edges: usize,
        /// The first of them.
        first: [u32; 2],
    },
    /// The mesh winds around nothing.
    #[error("the mesh is flat: each of its {components} components lies in a plane: give it a thickness")]
    Flat {
        /// The number of connected components.
        components: usize,
    },
    /// A tolerance that is out of range.
    #[error("the tolerance is {value}: give a share of the size of the mesh from {MIN_TOLERANCE} to 1")]
    BadTolerance {
        /// The tolerance as given.
        value: f64,
    },
    /// No piece is allowed.
    #[error("the most pieces are 0: give at least 1")]
    NoPieces,
    /// Coordinates so different in size, or all so small, that they have no common unit.
    #[error(
        "vertex {vertex} has the coordinate {value:e}, but the largest of the mesh is {largest:e}: set it to 0, or scale \
         the mesh up"
    )]
    Unscalable {
        /// The vertex.
        vertex: usize,
        /// Its coordinate.
        value: f64,
        /// The largest magnitude of a coordinate.
        largest: f64,
    },
    /// A tree over the triangles cannot be built.
    #[error(transparent)]
    Tree(#[from] BvhError),
    /// A piece is beyond the range of `f64`.
    #[error("a piece leaves the range of f64: scale the mesh down")]
    Overflow(#[source] MeshError),
}

/// A convex mesh that contains all pieces below it.
#[derive(Debug, Clone, PartialEq)]
pub struct HullNode {
    /// The closed convex surface, facing outward.
    pub hull: TriMesh,
    /// No point of the hull is farther than this from the solid, in metres.
    pub concavity: f64,
    /// The parent node; `None` for the root.
    pub parent: Option<u32>,
    /// The nodes whose hulls it contains and that cover the same part of the solid; `None` for a piece.
    pub children: Option<[u32; 2]>,
}

/// A tree of convex meshes around a solid. Node 0 is the root; parents precede their children.
#[derive(Debug, Clone, PartialEq)]
pub struct Decomposition {
    nodes: Vec<HullNode>,
    tolerance: f64,
}

impl Decomposition {
    /// Returns all nodes, the root first.
    pub fn nodes(&self) -> &[HullNode] {
        &self.nodes
    }

    /// Returns the leaves, in the order of their numbers.
    pub fn pieces(&self) -> impl Iterator<Item = &HullNode> {
        self.nodes.iter().filter(|node| node.children.is_none())
    }

    /// Returns the greatest concavity of a piece, in metres.
    pub fn concavity(&self) -> f64 {
        self.pieces().map(|piece| piece.concavity).fold(0.0, f64::max)
    }

    /// Returns the tolerance in metres.
    pub fn tolerance(&self) -> f64 {
        self.tolerance
    }

    /// Returns at most `count` nodes, at least one, that cover the solid: the most concave node is repeatedly replaced
    /// by its children.
    pub fn front(&self, count: usize) -> Vec<u32> {
        let mut front = vec![0];
        let concavity = |n: u32| self.nodes[n as usize].concavity;
        while front.len() < count {
            let inner = (0..front.len()).filter(|&k| self.nodes[front[k] as usize].children.is_some());
            let worst = inner.max_by(|&i, &j| concavity(front[i]).total_cmp(&concavity(front[j])).then(j.cmp(&i)));
            let Some(children) = worst.and_then(|k| self.nodes[front.swap_remove(k) as usize].children) else { break };
            front.extend(children);
        }
        front.sort_unstable();
        front
    }
}

/// Covers a closed mesh by convex pieces.
///
/// ```
/// use heurt_mesh::{DecomposeOptions, decompose, generate};
/// let ring = generate::torus(1.0, 0.25, 32, 16)?;
/// let pieces = decompose(&ring, &DecomposeOptions { tolerance: 0.05, ..DecomposeOptions::default() })?;
/// assert!(pieces.pieces().count() > 3 && pieces.concavity() <= pieces.tolerance());
/// assert!(pieces.front(2).len() == 2, "two halves of the ring, not so tight");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`DecomposeError`] on options that are out of range, and on a mesh that is open, flat, or beyond the range of `f64`.
pub fn decompose(mesh: &TriMesh, options: &DecomposeOptions) -> Result<Decomposition, DecomposeError> {
    decompose_with_progress(mesh, options, &|_| {})
}

/// [`decompose`] with a callback that receives the finished share of the work, from 0 to 1, on any thread.
///
/// # Errors
/// As [`decompose`].
pub fn decompose_with_progress(
    mesh: &TriMesh,
    options: &DecomposeOptions,
    report: &(dyn Fn(f64) + Sync),
) -> Result<Decomposition, DecomposeError> {
    check_options(options)?;
    let topology = Topology::new(mesh);
    check_closed(&topology)?;
    let frame = UnitFrame::of(mesh)?;
    let places: Vec<Vec3> = mesh.vertices().iter().map(|&vertex| frame.inward(vertex)).collect();
    let scaled = TriMesh::from_valid(places, mesh.triangles().to_vec());
    let solid = Solid::new(&scaled)?;
    let whole = ConvexPart::whole(&topology, scaled.vertices());
    let outward = if whole.sextuple_volume() < 0.0 { -1.0 } else { 1.0 };
    let tolerance = options.tolerance * solid.diagonal();
    let workshop = Workshop { solid, tolerance, max_pieces: options.max_pieces, outward };
    let flat = || DecomposeError::Flat { components: topology.components().len() };
    let mut drafts = workshop.grow(whole, report).ok_or_else(flat)?;
    if drafts.len() == 1 && is_exactly_convex(&topology) {
        drafts[0].concavity.upper = 0.0;
    }
    nest(&mut drafts);
    let nodes = drafts.into_iter().map(|draft| frame.node(draft, mesh)).collect::<Result<_, _>>()?;
    Ok(Decomposition { nodes, tolerance: frame.outward(tolerance) })
}

fn check_options(options: &DecomposeOptions) -> Result<(), DecomposeError> {
    if !(MIN_TOLERANCE..=1.0).contains(&options.tolerance) {
        return Err(DecomposeError::BadTolerance { value: options.tolerance });
    }
    if options.max_pieces == 0 { Err(DecomposeError::NoPieces) } else { Ok(()) }
}

fn check_closed(topology: &Topology) -> Result<(), DecomposeError> {
    let mut open = topology.edges().filter(|edge| edge.imbalance() != 0);
    match open.next() {
        None => Ok(()),
        Some(edge) => Err(DecomposeError::Open { edges: 1 + open.count(), first: edge.vertices }),
    }
}

/// Extends every node to contain its children, from the leaves up: cuts move some corners slightly outward.
fn nest(drafts: &mut [Draft]) {
    for n in (0..drafts.len()).rev() {
        let Some(children) = drafts[n].children else { continue };
        let [one, other] = children.map(|child| &drafts[child as usize].cover);
        let points: Vec<Vec3> = one.places.iter().chain(&other.places).copied().collect();
        let origins: Vec<u32> = one.origins.iter().chain(&other.origins).copied().collect();
        let growth = one.growth.max(other.growth);
        if let Some(cover) = Cover::of_points(&points, &origins, growth) {
            drafts[n].cover = cover;
            drafts[n].concavity.upper += growth;
        }
    }
}

/// A unit of length, a power of two of metres, in which all coordinates are below 1.
struct UnitFrame {
    exponent: i32,
}

impl UnitFrame {
    /// Computes the frame of a mesh, in which each of its coordinates is exact.
    fn of(mesh: &TriMesh) -> Result<Self, DecomposeError> {
        let largest = mesh.vertices().iter().map(|vertex| vertex.abs().max_element()).fold(0.0, f64::max);
        let frame = Self { exponent: libm::frexp(largest).1 };
        let is_kept = |value: f64| frame.outward(frame.inward_one(value)) == value;
        for (vertex, place) in mesh.vertices().iter().enumerate() {
            if let Some(value) = place.to_array().into_iter().find(|&value| !is_kept(value)) {
                return Err(DecomposeError::Unscalable { vertex, value, largest });
            }
        }
        // Corners of pieces lie on multiples of 2⁻⁶⁰.
        if largest > 0.0 && frame.outward(1.0 / (1u64 << 60) as f64) == 0.0 {
            return Err(DecomposeError::Unscalable { vertex: 0, value: largest, largest });
        }
        Ok(frame)
    }

    fn inward_one(&self, x: f64) -> f64 {
        libm::ldexp(x, -self.exponent)
    }

    fn inward(&self, point: Vec3) -> Vec3 {
        point.map(|x| self.inward_one(x))
    }

    fn outward(&self, x: f64) -> f64 {
        libm::ldexp(x, self.exponent)
    }

    /// Returns a finished node; vertices of the mesh keep their bits.
    fn node(&self, draft: Draft, mesh: &TriMesh) -> Result<HullNode, DecomposeError> {
        let Cover { places, origins, triangles, .. } = draft.cover;
        let place = |(place, origin): (Vec3, u32)| match origin {
            MADE => place.map(|x| self.outward(x)),
            origin => mesh.vertices()[origin as usize],
        };
        let vertices = places.into_iter().zip(origins).map(place).collect();
        let hull = TriMesh::new(vertices, triangles).map_err(DecomposeError::Overflow)?;
        let concavity = self.outward(draft.concavity.upper);
        Ok(HullNode { hull, concavity, parent: draft.parent, children: draft.children })
    }
}
