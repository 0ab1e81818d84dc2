//! Separation of solids that touch in an edge or a vertex: vertices are doubled, and the copies move inward.
//!
//! In: the incidences of a mesh, and the distance by which copies move. Out: the mesh in which fans of triangles that
//! met in a vertex only are disjoint, or nothing if there are none.
//! Method: the triangles at an edge of four or more are sorted by angle. Each triangle is paired with the next one
//! across material, so that solids that touch along the edge are separated, and not the space between them. Corners
//! connected by edges of two triangles or by pairs form the fans of a vertex. The largest fan keeps the vertex; each
//! other fan without a border gets a copy, moved against the sum of its normals weighted by angle.
//! Guarantees: angles are compared exactly. An edge whose triangles do not alternate in direction, or coincide in
//! angle, is not split. Volume changes by at most the distance times the area of the fans that move. Borders stay where
//! they are.
//! Not guaranteed: that a moved fan does not intersect anything; the caller tests that. Cost: O(n log n).

use heurt_geometry::Vec3;

use super::edit::{Change, Edit};
use crate::radial::pair_across_material;
use crate::topology::{DisjointSets, next_in_triangle};
use crate::{Topology, TriMesh};

/// Splits non-manifold edges and vertices; copies move by `gap`.
pub(super) fn split_non_manifold(topology: &Topology, gap: f64) -> Option<Edit> {
    let mesh = topology.mesh();
    let mut sets = connect_fans(topology, Ties::Unite);
    let groups = groups(topology, &mut sets);
    let (mut vertices, mut triangles) = mesh.clone().into_parts();
    let mut change = Change::default();
    for fan in groups {
        let Some(direction) = inward(mesh, &fan) else { continue };
        let place = mesh.vertices()[vertex_at(mesh, fan[0]) as usize] + direction * gap;
        let copy = vertices.len() as u32;
        vertices.push(place);
        for &corner in &fan {
            triangles[corner as usize / 3][corner as usize % 3] = copy;
        }
        change.vertices_doubled += 1;
        change.volume_bound += gap * fan.iter().map(|&corner| swept_area(mesh, corner / 3, gap)).sum::<f64>();
        change.deviation = gap;
    }
    if change.vertices_doubled == 0 {
        return None;
    }
    let source = (0..triangles.len() as u32).collect();
    Some(Edit { mesh: TriMesh::from_valid(vertices, triangles), source, change })
}

/// The area of a triangle whose corners may have moved by `gap` each.
fn swept_area(mesh: &TriMesh, triangle: u32, gap: f64) -> f64 {
    let [a, b, c] = mesh.corners(triangle);
    let around = (b - a).length() + (c - b).length() + (a - c).length();
    0.5 * (b - a).cross(c - a).length() + gap * around + 4.0 * gap * gap
}

fn vertex_at(mesh: &TriMesh, corner: u32) -> u32 {
    mesh.triangles()[corner as usize / 3][corner as usize % 3]
}

/// The treatment of the pairs at an edge if triangles of different pairs coincide in angle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ties {
    /// All triangles at the edge stay together.
    Unite,
    /// Pairs are separated, as between solids that share a face.
    Separate,
}

/// Connects the corners that stay together: across edges of at most two triangles, across pairs, and across edges that
/// cannot be split.
pub(crate) fn connect_fans(topology: &Topology, ties: Ties) -> DisjointSets {
    let mut sets = DisjointSets::new(3 * topology.mesh().triangles().len());
    let mut unite = |(first, forward): (u32, bool), (second, other_forward): (u32, bool)| {
        let [lower, upper] = end_corners(first, forward);
        let [other_lower, other_upper] = end_corners(second, other_forward);
        sets.unite(lower, other_lower);
        sets.unite(upper, other_upper);
    };
    for edge in topology.edges() {
        let uses: Vec<(u32, bool)> = edge.half_edges().collect();
        let paired = if uses.len() > 2 { pair_across_material(topology, &edge) } else { None };
        match paired.filter(|paired| ties == Ties::Separate || !paired.has_ties).map(|paired| paired.pairs) {
            Some(pairs) => pairs.into_iter().for_each(|[a, b]| unite(a, b)),
            None => uses[1..].iter().for_each(|&other| unite(uses[0], other)),
        }
    }
    sets
}

/// The corners of a triangle at the lower and the upper end of its half-edge.
fn end_corners(half_edge: u32, forward: bool) -> [u32; 2] {
    let next = next_in_triangle(half_edge);
    if forward { [half_edge, next] } else { [next, half_edge] }
}

/// The fans that get a copy of their vertex, in order of vertices: all but the largest, the first of equals, and those
/// with a border.
fn groups(topology: &Topology, sets: &mut DisjointSets) -> Vec<Vec<u32>> {
    let count = topology.mesh().triangles().len() as u32;
    let collapsed = topology.collapsed();
    let is_proper = |&corner: &u32| collapsed.binary_search(&(corner / 3)).is_err();
    let corners = (0..3 * count).filter(is_proper);
    let mut sorted: Vec<(u32, u32, u32)> =
        corners.map(|corner| (topology.origin(corner), sets.find(corner), corner)).collect();
    sorted.sort_unstable();
    let mut at_border = vec![false; 3 * count as usize];
    for edge in topology.edges().filter(|edge| edge.degree() % 2 == 1) {
        for (half_edge, _) in edge.half_edges() {
            at_border[half_edge as usize] = true;
            at_border[next_in_triangle(half_edge) as usize] = true;
        }
    }
    let mut moving = Vec::new();
    for at_vertex in sorted.chunk_by(|a, b| a.0 == b.0) {
        let fans: Vec<&[(u32, u32, u32)]> = at_vertex.chunk_by(|a, b| a.1 == b.1).collect();
        let largest = fans.iter().map(|fan| fan.len()).max().unwrap_or(0);
        let stays = fans.iter().position(|fan| fan.len() == largest);
        let is_closed = |fan: &[(u32, u32, u32)]| !fan.iter().any(|&(.., corner)| at_border[corner as usize]);
        let others = fans.iter().enumerate().filter(|&(place, fan)| Some(place) != stays && is_closed(fan));
        moving.extend(others.map(|(_, fan)| fan.iter().map(|&(.., corner)| corner).collect()));
    }
    moving
}

/// The direction into the material at a fan; `None` if its normals cancel.
fn inward(mesh: &TriMesh, fan: &[u32]) -> Option<Vec3> {
    let weighted = |&corner: &u32| {
        let corners = mesh.corners(corner / 3);
        let [a, b, c] = [0, 1, 2].map(|k| corners[(corner as usize + k) % 3]);
        let (u, v) = ((b - a).normalize_or_zero(), (c - a).normalize_or_zero());
        u.cross(v).normalize_or_zero() * libm::acos(u.dot(v).clamp(-1.0, 1.0))
    };
    let sum = fan.iter().map(weighted).fold(Vec3::ZERO, |sum, normal| sum + normal);
    (-sum).try_normalize()
}
