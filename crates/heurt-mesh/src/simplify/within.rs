//! Simplification with a proved bound on the deviation, and without new self-intersections.
//!
//! In: a mesh and [`SimplifyOptions`]. Out: the simplified mesh and a bound on the Hausdorff distance between the two
//! surfaces, in both directions.
//! Method: edges are collapsed as in [`simplify`](super::simplify), cheapest first. A collapse is refused in three
//! cases: `star` finds no bijection between the old and the new triangles around the lost vertex; the displacement
//! accumulated there would exceed the limit; or a new triangle would intersect another elsewhere than in a common
//! vertex or edge. The last is decided by exact predicates on candidates from a tree of the present triangles.
//! Guarantees: every point of each surface lies within [`Simplified::deviation_bound`] of the second (proof in `star`).
//! Triangles with two corners at one place are no part of the surface. A closed mesh stays closed, with the same genus.
//! A mesh without self-intersections stays without. Vertices keep their coordinates. The same bits in every run.
//! Not guaranteed: that `max_triangles` is reached. Vertices at a border, at a non-manifold edge or between several
//! fans stay. The bound adds up displacements and can be some times the true distance.
//! Cost: O(n log² n).

use std::collections::BinaryHeap;

use heurt_geometry::{Aabb, Vec3, power_of_two_scale, triangles_intersect};
use thiserror::Error;

use super::displacement::Displacements;
use super::star::Star;
use super::surface::{Collapse, SimplifiedSurface};
use crate::check::meet_beyond_shared;
use crate::live_boxes::{BoxEntry, LiveBoxes};
use crate::topology::Topology;
use crate::tri_mesh::TriMesh;

/// When simplification stops.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SimplifyOptions {
    /// Stops at this number of triangles.
    pub max_triangles: usize,
    /// No point of a surface may be farther than this from the second surface, in the unit of the mesh.
    pub max_deviation: f64,
    /// Refuses collapses by which a triangle would intersect another one.
    pub avoids_intersections: bool,
}

impl Default for SimplifyOptions {
    /// Returns options without a limit: as few triangles as the refusals allow.
    fn default() -> Self {
        Self { max_triangles: 0, max_deviation: f64::INFINITY, avoids_intersections: true }
    }
}

/// Why a mesh cannot be simplified.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SimplifyError {
    /// The deviation is negative or NaN.
    #[error("the deviation is {deviation}: give a length of at least 0")]
    BadDeviation {
        /// The deviation as given.
        deviation: f64,
    },
}

/// A simplified mesh and how far it is from the original.
#[derive(Debug, Clone, PartialEq)]
pub struct Simplified {
    /// The mesh.
    pub mesh: TriMesh,
    /// A proved bound on the Hausdorff distance between both surfaces, in the unit of the mesh.
    pub deviation_bound: f64,
    /// Number of collapses that were applied.
    pub collapses: usize,
    /// Number of refusals because the deviation would exceed the limit.
    pub refused_by_deviation: usize,
    /// Number of refusals because no bijection of the stars was found.
    pub refused_by_shape: usize,
    /// Number of refusals because triangles would intersect.
    pub refused_by_intersection: usize,
}

/// Simplifies a mesh within a deviation.
///
/// ```
/// use heurt_mesh::{generate, simplify_within, SimplifyOptions};
/// let ball = generate::icosphere(1.0, 3)?;
/// let options = SimplifyOptions { max_deviation: 0.05, ..SimplifyOptions::default() };
/// let simplified = simplify_within(&ball, &options)?;
/// assert!(simplified.deviation_bound <= 0.05);
/// assert!(simplified.mesh.triangles().len() < ball.triangles().len() / 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`SimplifyError::BadDeviation`] on a deviation that is negative or NaN.
pub fn simplify_within(mesh: &TriMesh, options: &SimplifyOptions) -> Result<Simplified, SimplifyError> {
    let deviation = options.max_deviation;
    if deviation.is_nan() || deviation < 0.0 {
        return Err(SimplifyError::BadDeviation { deviation });
    }
    let topology = Topology::new(mesh);
    let mut run = WithinRun::new(&topology, options);
    let edges = topology.edges();
    let mut waiting: BinaryHeap<Collapse> = edges.flat_map(|edge| run.surface.collapses(edge.vertices)).collect();
    while run.surface.left > options.max_triangles {
        let Some(next) = waiting.pop() else { break };
        let is_known = next.versions == next.ends().map(|vertex| run.surface.versions[vertex as usize]);
        if is_known && run.surface.may_collapse_any(next.from, next.to) && run.try_collapse(next.from, next.to) {
            let around = run.surface.neighbours(next.to);
            waiting.extend(around.into_iter().flat_map(|other| run.surface.collapses([next.to, other])));
        }
    }
    Ok(run.finish())
}

/// The neighbours of a vertex in counter-clockwise order, each with the triangle between it and the next one; then the
/// triangles that stay if the vertex moves to the first neighbour, in the same order.
type Ring = (Vec<(u32, u32)>, Vec<u32>);

/// The state of a simplification.
struct WithinRun<'m> {
    mesh: &'m TriMesh,
    options: SimplifyOptions,
    surface: SimplifiedSurface,
    /// The units of the surface in a unit of the mesh.
    unit: f64,
    /// By triangle, the displacements that lead to it, in units of the surface.
    boxes: Vec<Displacements>,
    /// By triangle, how often it has changed.
    versions: Vec<u32>,
    /// Vertices whose triangles are one closed fan over edges of two triangles.
    is_inner: Vec<bool>,
    /// Empty if intersections are not avoided.
    live: LiveBoxes,
    collapses: usize,
    refusals: [usize; 3],
}

impl<'m> WithinRun<'m> {
    fn new(topology: &Topology<'m>, options: &SimplifyOptions) -> Self {
        let mesh = topology.mesh();
        let surface = SimplifiedSurface::new(topology);
        let count = surface.triangles.len();
        let mut is_inner: Vec<bool> = topology.fans().iter().map(|&fans| fans == 1).collect();
        for edge in topology.edges().filter(|edge| edge.degree() != 2 || edge.imbalance() != 0) {
            edge.vertices.iter().for_each(|&vertex| is_inner[vertex as usize] = false);
        }
        let mut run = Self {
            mesh,
            options: *options,
            unit: power_of_two_scale(mesh.bounds().half_extents().max_element()),
            boxes: vec![Displacements::ZERO; count],
            versions: vec![0; count],
            is_inner,
            live: LiveBoxes::default(),
            collapses: 0,
            refusals: [0; 3],
            surface,
        };
        if options.avoids_intersections {
            let left = (0..count as u32).filter(|&triangle| run.surface.is_left[triangle as usize]);
            let entries = left.map(|triangle| (triangle, 0, run.bounds(run.surface.triangles[triangle as usize])));
            run.live = LiveBoxes::new(entries.collect());
        }
        run
    }

    fn places(&self, corners: [u32; 3]) -> [Vec3; 3] {
        corners.map(|vertex| self.mesh.vertices()[vertex as usize])
    }

    fn bounds(&self, corners: [u32; 3]) -> Aabb {
        Aabb::from_points(self.places(corners))
    }

    /// Applies a collapse unless it is refused; reports whether it was applied.
    fn try_collapse(&mut self, from: u32, to: u32) -> bool {
        let star = if self.is_inner[from as usize] { self.star(from, to) } else { None };
        let Some((link, changed)) = star else {
            self.refusals[1] += 1;
            return false;
        };
        let Some(boxes) = self.new_boxes(from, &link, to) else {
            self.refusals[1] += 1;
            return false;
        };
        if boxes.iter().any(|displacements| self.in_mesh_units(displacements) > self.options.max_deviation) {
            self.refusals[0] += 1;
            return false;
        }
        if self.options.avoids_intersections && self.intersects(from, to, &changed) {
            self.refusals[2] += 1;
            return false;
        }
        self.surface.apply(from, to);
        self.collapses += 1;
        for (&triangle, displacements) in changed.iter().zip(boxes) {
            self.boxes[triangle as usize] = displacements;
            self.versions[triangle as usize] += 1;
            if self.options.avoids_intersections {
                let entry = (
                    triangle,
                    self.versions[triangle as usize],
                    self.bounds(self.surface.triangles[triangle as usize]),
                );
                let (surface, versions) = (&self.surface, &self.versions);
                self.live.insert(entry, |entry| is_alive(surface, versions, entry));
            }
        }
        true
    }

    /// Returns the ring of a vertex, from `to` on; `None` if the triangles around the vertex are no closed fan.
    fn star(&self, from: u32, to: u32) -> Option<Ring> {
        let mut sides: Vec<(u32, u32, u32)> = self
            .surface
            .around(from)
            .map(|triangle| {
                let corners = self.surface.triangles[triangle as usize];
                let place = corners.iter().position(|&corner| corner == from).unwrap_or(0);
                (corners[(place + 1) % 3], corners[(place + 2) % 3], triangle)
            })
            .collect();
        sides.sort_unstable();
        let mut link = Vec::with_capacity(sides.len());
        let mut at = to;
        for _ in 0..sides.len() {
            let place = sides.binary_search_by_key(&at, |side| side.0).ok()?;
            link.push((at, sides[place].2));
            at = sides[place].1;
        }
        let is_cycle = at == to && link.iter().skip(1).all(|&(vertex, _)| vertex != to);
        let changed = link.get(1..link.len().checked_sub(1)?)?.iter().map(|&(_, triangle)| triangle).collect();
        is_cycle.then_some((link, changed))
    }

    /// Computes the boxes of the triangles that change; the link begins with the vertex that the collapse leads to.
    fn new_boxes(&self, from: u32, link: &[(u32, u32)], to: u32) -> Option<Vec<Displacements>> {
        debug_assert_eq!(link[0].0, to);
        let place = |vertex: u32| [self.mesh.vertices()[vertex as usize], self.surface.places[vertex as usize]];
        let points: Vec<[Vec3; 2]> = link.iter().map(|&(vertex, _)| place(vertex)).collect();
        let boxes: Vec<Displacements> = link.iter().map(|&(_, triangle)| self.boxes[triangle as usize]).collect();
        Star { vertex: place(from), link: &points, target: 0, boxes: &boxes }.collapsed()
    }

    /// Reports whether a triangle that changes would intersect one that stays, or another one that changes.
    fn intersects(&self, from: u32, to: u32, changed: &[u32]) -> bool {
        let renamed = |triangle: u32| {
            self.surface.triangles[triangle as usize].map(|corner| if corner == from { to } else { corner })
        };
        let mut near = Vec::new();
        changed.iter().enumerate().any(|(number, &triangle)| {
            let corners = renamed(triangle);
            near.clear();
            let alive = |entry: &BoxEntry| is_alive(&self.surface, &self.versions, entry);
            self.live.meeting(&self.bounds(corners), alive, &mut near);
            let stays = |other: &&u32| !self.surface.triangles[**other as usize].contains(&from);
            let old = near.iter().filter(stays).map(|&other| self.surface.triangles[other as usize]);
            let new = changed[..number].iter().map(|&other| renamed(other));
            old.chain(new).any(|other| self.meets(corners, other))
        })
    }

    fn meets(&self, a: [u32; 3], b: [u32; 3]) -> bool {
        let (at_a, at_b) = (self.places(a), self.places(b));
        match a.iter().filter(|corner| b.contains(corner)).count() {
            0 => triangles_intersect(&at_a, &at_b),
            3 => true,
            _ => meet_beyond_shared((&a, &at_a), (&b, &at_b)),
        }
    }

    /// Returns the longest displacement in a box, rounded up, in the unit of the mesh.
    fn in_mesh_units(&self, displacements: &Displacements) -> f64 {
        displacements.longest() * (1.0 + 1e-12) / self.unit
    }

    fn finish(self) -> Simplified {
        let left = self.boxes.iter().zip(&self.surface.is_left).filter(|(_, is_left)| **is_left);
        let deviation_bound = left.map(|(displacements, _)| self.in_mesh_units(displacements)).fold(0.0, f64::max);
        let [refused_by_deviation, refused_by_shape, refused_by_intersection] = self.refusals;
        let collapses = self.collapses;
        let mesh = if collapses == 0 { self.mesh.clone() } else { self.surface.into_mesh(self.mesh) };
        Simplified { mesh, deviation_bound, collapses, refused_by_deviation, refused_by_shape, refused_by_intersection }
    }
}

/// Reports whether an entry is the present version of a triangle.
fn is_alive(surface: &SimplifiedSurface, versions: &[u32], &(triangle, version, _): &BoxEntry) -> bool {
    surface.is_left[triangle as usize] && versions[triangle as usize] == version
}
