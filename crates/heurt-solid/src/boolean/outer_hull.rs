//! Outer hull of a closed mesh that intersects itself: the boundary of the points with a winding number other than 0.
//!
//! In: a closed mesh, in one or many bodies, that may intersect itself. Out: an [`OuterHull`], a closed mesh without
//! self-intersections that encloses the same points.
//! Method: 1. repeated triangles become one with a weight, degenerate ones are left out. 2. `self_arrangement` divides
//! the faces where they meet. 3. Triangles that only two share a side with are one patch. 4. For each patch, the
//! winding numbers on both sides come from a ray at the exact centroid of one of its triangles, and from the faces that
//! lie on each other there. A patch is kept if exactly one of them is 0; it is turned if that one is behind. The lowest
//! of faces that lie on each other is kept. 5. New vertices are rounded; if that makes triangles meet, all is done
//! again with the result, as often as [`MAX_ROUNDS`].
//! (compare Zhou et al., "Mesh Arrangements for Solid Geometry", 2016, and Valque and Lazard on iterated rounding.)
//! Guarantees: the set of points is exact before the rounding; the result is closed, has no degenerate triangle and no
//! self-intersection, by exact tests, else an error is returned. The same in every run and for any number of threads.
//! Not guaranteed: that the rounding succeeds; surfaces nearer to each other than the rounding of coordinates may
//! stay entangled. Edges where bodies touch have four triangles.
//! Cost: O(n log n), plus O(n) for each patch.

use super::error::SolidMeshError;
use super::exact_point::{ExactPoint, Lattice, orient};
use super::location::crossing_along;
use super::meet::{Projection, inverse_power};
use super::nodes::{FaceNodes, NodeId};
use super::self_arrangement::{ArrangementError, SelfArrangement};
use super::solid_mesh::require_size;
use heurt_geometry::{Sign, Triangle, Vec3, is_degenerate};
use heurt_mesh::{DisjointSets, MeshError, Topology, TriMesh};
use heurt_query::self_pairs_up_to;
use heurt_shape::MeshShape;
use rayon::prelude::*;
use std::collections::HashMap;
use thiserror::Error;

/// Rounds of arrangement and rounding, at most; one or two are usual.
const MAX_ROUNDS: usize = 8;

/// Boxes of triangles that are compared with rays, at most: some seconds.
const MAX_BOX_TESTS: usize = 1 << 33;

/// Pairs of triangles that meet, at most: some gigabytes of points and nodes.
const MAX_PAIRS: usize = 1 << 20;

/// How new vertices are rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HullOptions {
    /// New vertices are rounded to 32-bit numbers, for formats that hold no others.
    pub is_short: bool,
}

/// The outer hull of a mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct OuterHull {
    /// The boundary of the points with a winding number other than 0.
    pub mesh: TriMesh,
    /// The number of pairs of triangles that intersected in the input, and of repeated ones.
    pub pairs: usize,
    /// The number of rounds.
    pub rounds: usize,
}

/// Why a mesh has no outer hull.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum OuterHullError {
    /// Half-edges do not cancel.
    #[error(
        "the mesh is not closed, so that it winds around nothing: fill its holes, and turn triangles that disagree"
    )]
    Open,
    /// No point has a winding number other than 0.
    #[error("the mesh bounds no volume: its shells cancel each other")]
    NoVolume,
    /// The rounding of new vertices makes triangles intersect again and again.
    #[error("rounded vertices make {pairs} pairs of triangles intersect: surfaces are nearer to each other than that")]
    Rounded {
        /// The number of pairs after the last round.
        pairs: usize,
    },
    /// Too many triangles meet.
    #[error("too many triangles intersect: simplify the mesh, or repair it in parts")]
    TooMany,
    /// The faces do not fit: an error of this library.
    #[error("the faces could not be cut consistently: please report it with the file")]
    Inconsistent,
    /// The mesh is too large for a search.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The mesh cannot be searched for self-intersections.
    #[error(transparent)]
    Solid(#[from] SolidMeshError),
}

impl From<ArrangementError> for OuterHullError {
    fn from(error: ArrangementError) -> Self {
        match error {
            ArrangementError::TooMany => Self::TooMany,
            ArrangementError::Inconsistent => Self::Inconsistent,
        }
    }
}

/// Computes the outer hull of a closed mesh.
///
/// ```
/// use heurt_geometry::Vec3;
/// use heurt_mesh::{TriMesh, check, generate, measures};
/// use heurt_solid::{HullOptions, outer_hull};
/// let cube = generate::cuboid([1.0; 3])?;
/// let moved: Vec<Vec3> = cube.vertices().iter().map(|v| *v + 1.0).collect();
/// // Two cubes in one mesh that share a cubic metre.
/// let both = TriMesh::merged([&cube, &TriMesh::new(moved, cube.triangles().to_vec())?])?;
/// let hull = outer_hull(&both, HullOptions::default())?;
/// assert!(check(&hull.mesh).faults.is_empty());
/// assert!((measures(&hull.mesh).volume.ok_or("it is closed")? - 15.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`OuterHullError`] for a mesh that is not closed, bounds no volume, has coordinates beyond
/// [`MAX_SOLID_COORDINATE`](crate::MAX_SOLID_COORDINATE), more than 2²⁰ pairs of triangles that meet, or surfaces
/// nearer to each other than the rounding of coordinates.
pub fn outer_hull(mesh: &TriMesh, options: HullOptions) -> Result<OuterHull, OuterHullError> {
    hull_within(mesh, options, MAX_PAIRS)
}

/// Computes [`outer_hull`] with a limit of pairs of triangles that meet.
fn hull_within(mesh: &TriMesh, options: HullOptions, most_pairs: usize) -> Result<OuterHull, OuterHullError> {
    require_size(mesh)?;
    let mut now = Weighted::of(mesh)?;
    let mut first = None;
    for round in 0..MAX_ROUNDS {
        let pairs = now.pairs(most_pairs)?;
        let faults = pairs.len() + now.repeats;
        first = first.or(Some(faults));
        if round > 0 && faults == 0 && now.flat == 0 {
            return Ok(OuterHull { mesh: now.mesh, pairs: first.unwrap_or(0), rounds: round });
        }
        let triangles = hull_of(&now, &pairs, options)?;
        now = Weighted::of(&triangles)?;
    }
    let pairs = now.pairs(most_pairs)?.len() + now.repeats + now.flat;
    match pairs {
        0 => Ok(OuterHull { mesh: now.mesh, pairs: first.unwrap_or(0), rounds: MAX_ROUNDS }),
        _ => Err(OuterHullError::Rounded { pairs }),
    }
}

/// A mesh in which each triangle is there once, with a weight.
struct Weighted {
    mesh: TriMesh,
    /// How often each triangle is there, less how often its back is: above 0.
    weights: Vec<i32>,
    /// Number of triangles left out because they repeat others.
    repeats: usize,
    /// Number of triangles left out because they have no area.
    flat: usize,
}

impl Weighted {
    /// Merges vertices at one place and repeated triangles.
    fn of(mesh: &TriMesh) -> Result<Self, OuterHullError> {
        let topology = Topology::new(mesh);
        if !topology.is_closed() || topology.edge_count() == 0 {
            return Err(OuterHullError::Open);
        }
        let mut number_of = vec![u32::MAX; mesh.vertices().len()];
        let mut vertices = Vec::new();
        let mut place_of: HashMap<[u32; 3], usize> = HashMap::new();
        let (mut triangles, mut weights): (Vec<[u32; 3]>, Vec<i32>) = (Vec::new(), Vec::new());
        let (mut repeats, mut flat) = (0, 0);
        for number in 0..mesh.triangles().len() as u32 {
            if is_degenerate(&mesh.corners(number)) {
                flat += 1;
                continue;
            }
            let corners = topology.corners(number).map(|vertex| {
                let known = &mut number_of[vertex as usize];
                if *known == u32::MAX {
                    *known = vertices.len() as u32;
                    vertices.push(mesh.vertices()[vertex as usize] + Vec3::ZERO);
                }
                *known
            });
            let mut sorted = corners;
            sorted.sort_unstable();
            let at = *place_of.entry(sorted).or_insert(triangles.len());
            if at == triangles.len() {
                triangles.push(corners);
                weights.push(1);
            } else {
                repeats += 1;
                weights[at] += if is_turn_of(triangles[at], corners) { 1 } else { -1 };
            }
        }
        // Pairs that cancel bound nothing.
        let mut kept = weights.iter().map(|weight| *weight != 0);
        triangles.retain(|_| kept.next() == Some(true));
        weights.retain(|weight| *weight != 0);
        if triangles.is_empty() {
            return Err(OuterHullError::NoVolume);
        }
        // With positive weights, the triangles of a patch face the same side.
        for (corners, weight) in triangles.iter_mut().zip(&mut weights).filter(|(_, weight)| **weight < 0) {
            corners.swap(1, 2);
            *weight = -*weight;
        }
        Ok(Self { mesh: TriMesh::new(vertices, triangles)?, weights, repeats, flat })
    }

    /// Lists the pairs of triangles that meet elsewhere than in common vertices and edges.
    fn pairs(&self, most: usize) -> Result<Vec<[u32; 2]>, OuterHullError> {
        let shape = MeshShape::new(self.mesh.clone()).map_err(SolidMeshError::from)?;
        self_pairs_up_to(&shape, most).ok_or(OuterHullError::TooMany)
    }
}

/// Tests whether two triangles on the same corners face the same side.
fn is_turn_of([a, b, c]: [u32; 3], other: [u32; 3]) -> bool {
    other == [a, b, c] || other == [b, c, a] || other == [c, a, b]
}

/// Computes the hull, with rounded vertices.
fn hull_of(given: &Weighted, pairs: &[[u32; 2]], options: HullOptions) -> Result<TriMesh, OuterHullError> {
    let all = SelfArrangement::new(&given.mesh, pairs)?;
    let patches = Patches::of(&all);
    if patches.witnesses.len().saturating_mul(given.mesh.triangles().len()) > MAX_BOX_TESTS {
        return Err(OuterHullError::TooMany);
    }
    let boxes: Vec<[Vec3; 2]> = (0..given.mesh.triangles().len() as u32)
        .map(|face| {
            let [a, b, c] = given.mesh.corners(face);
            [a.min(b).min(c), a.max(b).max(c)]
        })
        .collect();
    let fates: HashMap<u32, PatchFate> = patches
        .witnesses
        .par_iter()
        .map(|&(root, witness)| (root, PatchSides::at(&all, given, &boxes, witness).fate()))
        .collect::<Vec<_>>()
        .into_iter()
        .collect();
    let mut kept: Vec<[NodeId; 3]> = Vec::new();
    for (corners, root) in all.triangles.iter().zip(&patches.root_of) {
        let &[a, b, c] = corners;
        match fates.get(root) {
            Some(PatchFate::Kept) => kept.push([a, b, c]),
            Some(PatchFate::Turned) => kept.push([a, c, b]),
            _ => {}
        }
    }
    rounded(&all, kept, options)
}

/// The use of a patch in the hull.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PatchFate {
    Dropped,
    Kept,
    Turned,
}

/// Triangles that are connected by sides of two triangles.
struct Patches {
    /// By triangle, the lowest one of its patch.
    root_of: Vec<u32>,
    /// For each patch, its lowest triangle and its largest one.
    witnesses: Vec<(u32, u32)>,
}

impl Patches {
    fn of(all: &SelfArrangement<'_>) -> Self {
        let mut sides: Vec<([NodeId; 2], u32)> = (0..)
            .zip(&all.triangles)
            .flat_map(|(number, &[a, b, c])| [[a, b], [b, c], [c, a]].map(|[p, q]| ([p.min(q), p.max(q)], number)))
            .collect();
        sides.par_sort_unstable();
        let mut sets = DisjointSets::new(all.triangles.len());
        for at_side in sides.chunk_by(|a, b| a.0 == b.0) {
            if let [(_, first), (_, second)] = at_side {
                sets.unite(*first, *second);
            }
        }
        let root_of: Vec<u32> = (0..all.triangles.len() as u32).map(|number| sets.find(number)).collect();
        let mut largest: HashMap<u32, (f64, u32)> = HashMap::new();
        for (number, root) in (0..).zip(&root_of) {
            let area = rounded_area(all.triangles[number as usize].map(|node| all.nodes.place(node)));
            let known = largest.entry(*root).or_insert((area, number));
            if area > known.0 {
                *known = (area, number);
            }
        }
        let mut witnesses: Vec<(u32, u32)> = largest.into_iter().map(|(root, (_, number))| (root, number)).collect();
        witnesses.sort_unstable();
        Self { root_of, witnesses }
    }
}

/// The area of a triangle, up to a common power of two for all triangles of a size.
fn rounded_area([a, b, c]: Triangle) -> f64 {
    let (u, v) = (b - a, c - a);
    let size = u.abs().max(v.abs()).max_element();
    let scale = inverse_power(size);
    (u * scale).cross(v * scale).length() * size * size
}

/// The winding numbers at a triangle of the arrangement.
struct PatchSides {
    /// Ahead along the normal of the face, and behind it.
    front: i32,
    back: i32,
    /// No lower face covers the place.
    is_lowest: bool,
}

impl PatchSides {
    /// Computes the winding numbers on both sides of the centroid of a triangle.
    fn at(all: &SelfArrangement<'_>, given: &Weighted, boxes: &[[Vec3; 2]], witness: u32) -> Self {
        let face = all.face_of[witness as usize];
        let exact = all.triangles[witness as usize].map(|node| all.nodes.exact(node));
        let centroid = Lattice::centroid([&exact[0], &exact[1], &exact[2]]);
        let lattice = all.nodes.lattice;
        let near = lattice.round(&centroid);
        let corners = |face: u32| given.mesh.triangles()[face as usize];
        // The projection has the axis along which the normal of the face leads, and its sign.
        let Some((projection, turn)) = Projection::of(&given.mesh.corners(face)) else {
            return Self { front: 0, back: 0, is_lowest: false };
        };
        let [u, v] = projection.axes();
        let axis = 3 - u - v;
        let may_cross = |bounds: &[Vec3; 2]| {
            let [min, max] = bounds;
            !(max[axis] < near[axis] || max[u] < near[u] || max[v] < near[v] || min[u] > near[u] || min[v] > near[v])
        };
        let exact_corners =
            |face: u32| corners(face).map(|vertex| lattice.point(given.mesh.vertices()[vertex as usize]));
        let faces = (0..).zip(boxes).filter(|(_, bounds)| may_cross(bounds)).map(|(face, _)| face);
        let crossing = |other: u32| {
            crossing_along(axis, corners(other), &exact_corners(other), &centroid) * given.weights[other as usize]
        };
        let ahead: i32 = faces.map(crossing).sum();
        // Faces on this place, on the side of this face.
        let (mut covering, mut is_lowest) = (given.weights[face as usize], true);
        for &(other, same_side) in all.in_plane_of(face) {
            if covers(&exact_corners(other), &centroid, [u, v]) {
                let weight = given.weights[other as usize];
                covering += if same_side { weight } else { -weight };
                is_lowest &= face < other;
            }
        }
        let (front, back) = if turn == Sign::Positive { (ahead, ahead + covering) } else { (ahead - covering, ahead) };
        Self { front, back, is_lowest }
    }

    fn fate(&self) -> PatchFate {
        match (self.front == 0, self.back == 0) {
            _ if !self.is_lowest => PatchFate::Dropped,
            (true, false) => PatchFate::Kept,
            (false, true) => PatchFate::Turned,
            _ => PatchFate::Dropped,
        }
    }
}

/// Tests whether a triangle of a plane contains a point of it, which is on none of its edges.
fn covers(triangle: &[ExactPoint; 3], point: &ExactPoint, axes: [usize; 2]) -> bool {
    let side = |k: usize| orient([&triangle[k], &triangle[(k + 1) % 3], point], axes);
    let first = side(0);
    !first.is_zero() && side(1) == first && side(2) == first
}

/// Makes a mesh of triangles of nodes with rounded coordinates; nodes at one place become one vertex.
fn rounded(all: &SelfArrangement<'_>, kept: Vec<[NodeId; 3]>, options: HullOptions) -> Result<TriMesh, OuterHullError> {
    let place = |node: NodeId| {
        let place = all.nodes.place(node);
        // A vertex of the mesh stays.
        let is_short = options.is_short && !all.nodes.is_vertex(node);
        (if is_short { place.map(|x| f64::from(x as f32)) } else { place }) + Vec3::ZERO
    };
    let mut vertices: Vec<Vec3> = Vec::new();
    let mut number_at: HashMap<[u64; 3], u32> = HashMap::new();
    let mut triangles: Vec<[u32; 3]> = Vec::with_capacity(kept.len());
    for corners in kept {
        let [a, b, c] = corners.map(|node| {
            let place = place(node);
            *number_at.entry(place.to_array().map(f64::to_bits)).or_insert_with(|| {
                vertices.push(place);
                vertices.len() as u32 - 1
            })
        });
        if a != b && b != c && c != a {
            triangles.push([a, b, c]);
        }
    }
    if triangles.is_empty() {
        return Err(OuterHullError::NoVolume);
    }
    Ok(TriMesh::new(vertices, triangles)?)
}

#[cfg(test)]
mod tests {
    use super::{HullOptions, OuterHullError, hull_within};
    use heurt_geometry::Vec3;
    use heurt_mesh::{TriMesh, generate};

    #[test]
    fn more_pairs_than_the_limit_are_refused() {
        let cube = generate::cuboid([1.0; 3]).unwrap();
        let moved: Vec<Vec3> = cube.vertices().iter().map(|v| *v + 1.0).collect();
        let both = TriMesh::merged([&cube, &TriMesh::new(moved, cube.triangles().to_vec()).unwrap()]).unwrap();
        let hull = hull_within(&both, HullOptions::default(), 1 << 20).unwrap();
        assert!(hull.pairs > 1);
        assert!(hull_within(&both, HullOptions::default(), hull.pairs).is_ok());
        let refused = hull_within(&both, HullOptions::default(), hull.pairs - 1);
        assert_eq!(refused.unwrap_err(), OuterHullError::TooMany);
    }
}
