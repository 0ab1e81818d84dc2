//! Closing of T-junctions: open edges are split at border vertices that lie on them.
//!
//! In: the incidences of a mesh, and a tolerance. Out: the mesh in which open edges are split, or nothing if no border
//! vertex lies on an open edge.
//! Method: an edge is open if it has an odd number of triangles. A tree over the open edges finds those within the
//! tolerance of each border vertex. An edge is split at a vertex if the foot of the perpendicular lies strictly between
//! its ends, and the vertex is farther than the tolerance from both ends. The triangle becomes a fan around its
//! opposite corner.
//! Guarantees: no vertex moves; the surface moves by at most the tolerance. No piece is degenerate, by exact test.
//! Not guaranteed: that every split closes something; the caller compares the borders. Beyond a budget, where many open
//! edges lie on one line, the rest of the vertices split nothing.
//! Cost: O(n log n).

use heurt_geometry::{Aabb, Vec3, is_degenerate};

use super::edit::{Change, Edit};
use crate::tree_query::BoxTree;
use crate::{Topology, TriMesh};

/// A place at which an open edge is split.
#[derive(Debug, Clone, Copy)]
struct Split {
    /// The half-edge that is split.
    half_edge: u32,
    /// The parameter of the foot along the half-edge: 0 at its start, 1 at its end.
    along: f64,
    vertex: u32,
    distance: f64,
}

/// Splits open edges at border vertices within `tolerance`, except those of triangles that are crossed by another one.
pub(super) fn split_at_border_vertices(topology: &Topology, tolerance: f64, crossed: &[bool]) -> Option<Edit> {
    let mesh = topology.mesh();
    let open: Vec<u32> = topology
        .edges()
        .filter(|edge| edge.degree() % 2 == 1)
        .flat_map(|edge| edge.half_edges().map(|(half_edge, _)| half_edge).collect::<Vec<_>>())
        .collect();
    if open.is_empty() {
        return None;
    }
    let splits = splits(topology, &open, tolerance);
    let mut pieces: Vec<([u32; 3], u32)> = Vec::new();
    let mut is_split = vec![false; mesh.triangles().len()];
    let mut deviation: f64 = 0.0;
    // One edge of a triangle is split in a round; its other edges follow in the next one.
    for group in splits.chunk_by(|a, b| a.half_edge == b.half_edge) {
        let triangle = group[0].half_edge / 3;
        if is_split[triangle as usize] || crossed[triangle as usize] {
            continue;
        }
        let (fan, distance) = fan(mesh, group);
        if fan.len() > 1 {
            is_split[triangle as usize] = true;
            deviation = deviation.max(distance);
            pieces.extend(fan.into_iter().map(|piece| (piece, triangle)));
        }
    }
    if pieces.is_empty() {
        return None;
    }
    let change = Change {
        triangles_removed: is_split.iter().filter(|&&is_split| is_split).count(),
        triangles_added: pieces.len(),
        deviation,
        ..Change::default()
    };
    let all = (0..).zip(mesh.triangles());
    let kept = all.filter(|&(number, _)| !is_split[number as usize]).map(|(number, &corners)| (corners, number));
    Edit::new(mesh.vertices().to_vec(), kept.chain(pieces).collect(), change)
}

/// Boxes of open edges that border vertices may meet, and splits, for each open edge: two of an edge are usual, as is
/// one split.
const MEETINGS: usize = 64;
const SPLITS: usize = 2;
/// More of both, for small meshes.
const FLOOR: usize = 1 << 6;

/// All splits, by half-edge and then along it.
fn splits(topology: &Topology, open: &[u32], tolerance: f64) -> Vec<Split> {
    let mesh = topology.mesh();
    let ends = |half_edge: u32| ends_of(mesh, half_edge);
    let tree = BoxTree::new(open.iter().map(|&half_edge| Aabb::from_points(ends(half_edge).1)).collect());
    let mut border: Vec<u32> = open.iter().flat_map(|&half_edge| ends(half_edge).0).collect();
    border.sort_by_key(|&vertex| (topology.representative(vertex), vertex));
    border.dedup_by_key(|vertex| topology.representative(*vertex));
    let mut splits: Vec<Split> = Vec::new();
    let mut meetings = FLOOR + MEETINGS * open.len();
    let most = FLOOR + SPLITS * open.len();
    let mut near = Vec::new();
    for vertex in border {
        let point = mesh.vertices()[vertex as usize];
        let reach = Vec3::splat(tolerance);
        near.clear();
        tree.meeting(&Aabb { min: point - reach, max: point + reach }, &mut near);
        meetings = meetings.saturating_sub(near.len());
        if meetings == 0 || splits.len() >= most {
            break;
        }
        for &number in &near {
            let half_edge = open[number as usize];
            let corners = topology.corners(half_edge / 3);
            if corners.contains(&topology.representative(vertex)) {
                continue;
            }
            if let Some((along, distance)) = foot(point, ends(half_edge).1, tolerance) {
                splits.push(Split { half_edge, along, vertex, distance });
            }
        }
    }
    splits
        .sort_by(|a, b| a.half_edge.cmp(&b.half_edge).then(a.along.total_cmp(&b.along)).then(a.vertex.cmp(&b.vertex)));
    splits
}

/// The vertices and places of the ends of a half-edge.
fn ends_of(mesh: &TriMesh, half_edge: u32) -> ([u32; 2], [Vec3; 2]) {
    let corners = mesh.triangles()[half_edge as usize / 3];
    let first = half_edge as usize % 3;
    let vertices = [corners[first], corners[(first + 1) % 3]];
    (vertices, vertices.map(|vertex| mesh.vertices()[vertex as usize]))
}

/// The parameter of the foot of the perpendicular from `point` on a segment, and the distance, if both are in range.
fn foot(point: Vec3, [a, b]: [Vec3; 2], tolerance: f64) -> Option<(f64, f64)> {
    let along = b - a;
    let share = (point - a).dot(along) / along.length_squared();
    let distance = (a + along * share - point).length();
    let is_inside = share > 0.0 && share < 1.0 && distance <= tolerance;
    let is_clear = (point - a).length() > tolerance && (point - b).length() > tolerance;
    (is_inside && is_clear).then_some((share, distance))
}

/// The fan of pieces of a triangle whose edge is split, and the largest distance of a vertex from the edge.
fn fan(mesh: &TriMesh, group: &[Split]) -> (Vec<[u32; 3]>, f64) {
    let half_edge = group[0].half_edge;
    let corners = mesh.triangles()[half_edge as usize / 3];
    let [from, to] = ends_of(mesh, half_edge).0;
    let apex = corners[(half_edge as usize + 2) % 3];
    let places = |piece: [u32; 3]| piece.map(|vertex| mesh.vertices()[vertex as usize]);
    let (mut fan, mut distance, mut last) = (Vec::new(), 0.0f64, from);
    for split in group {
        let piece = [last, split.vertex, apex];
        let rest = [split.vertex, to, apex];
        if !is_degenerate(&places(piece)) && !is_degenerate(&places(rest)) {
            fan.push(piece);
            distance = distance.max(split.distance);
            last = split.vertex;
        }
    }
    fan.push([last, to, apex]);
    (fan, distance)
}
