//! Separation of the fans of triangles that meet in a vertex or an edge only, by doubled vertices at the same place.
//!
//! In: a closed mesh. Out: the same surface, in which each vertex has one fan of triangles and each edge two triangles,
//! by the numbers of vertices.
//! Method: the triangles at an edge of four or more are paired across material (`radial`). Corners that edges and pairs
//! connect form a fan; the first fan of a vertex keeps it, each other one gets a copy. Pairs at one edge whose fans are
//! connected at both ends, as around a hole that touches itself, get a vertex each in the middle of the edge.
//! Guarantees: vertices stay where they are; the middle of an edge is rounded. An edge whose triangles do not alternate
//! in direction stays as it is. Cost: close to linear.

use crate::radial::pair_across_material;
use crate::repair::split::{Ties, connect_fans};
use crate::topology::next_in_triangle;
use crate::{Topology, TriMesh};
use heurt_geometry::Vec3;
use std::collections::BTreeMap;

/// Doubles the vertices in which a closed surface touches itself; `None` if there are none.
///
/// ```
/// use heurt_geometry::Vec3;
/// use heurt_mesh::{TriMesh, generate, separate_fans};
/// // Two cubes that touch along an edge, with common vertices.
/// let cube = generate::cuboid([1.0, 1.0, 1.0])?;
/// let moved: Vec<Vec3> = cube.vertices().iter().map(|v| *v + Vec3::new(2.0, 2.0, 0.0)).collect();
/// let both = TriMesh::merged([&cube, &TriMesh::new(moved, cube.triangles().to_vec())?])?;
/// let welded = heurt_mesh::weld(&both, 0.0)?.mesh;
/// assert_eq!(welded.vertices().len(), 14);
/// assert_eq!(separate_fans(&welded).map(|mesh| mesh.vertices().len()), Some(16));
/// assert!(separate_fans(&cube).is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn separate_fans(mesh: &TriMesh) -> Option<TriMesh> {
    let topology = Topology::new(mesh);
    let mut sets = connect_fans(&topology, Ties::Separate);
    const NONE: u32 = u32::MAX;
    let mut fan_at = vec![NONE; mesh.vertices().len()];
    let mut copies: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    let (mut vertices, mut triangles) = mesh.clone().into_parts();
    for triangle in 0..triangles.len() as u32 {
        let corners = topology.corners(triangle);
        if corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0] {
            continue;
        }
        for (k, vertex) in corners.into_iter().enumerate() {
            let fan = sets.find(3 * triangle + k as u32);
            let first = &mut fan_at[vertex as usize];
            if *first == NONE {
                *first = fan;
            }
            triangles[triangle as usize][k] = if *first == fan {
                vertex
            } else {
                *copies.entry((vertex, fan)).or_insert_with(|| {
                    vertices.push(mesh.vertices()[vertex as usize]);
                    vertices.len() as u32 - 1
                })
            };
        }
    }
    let splits = find_inseparable(&topology, &triangles);
    if copies.is_empty() && splits.is_empty() {
        return None;
    }
    split_sides(&splits, &mut vertices, &mut triangles);
    Some(TriMesh::from_valid(vertices, triangles))
}

/// A half-edge of a pair at an edge that gets a vertex of its own, and the number of the pair.
type SideSplit = (u32, u32);

/// Finds the pairs of edges that have the same ends by number, by half-edge.
fn find_inseparable(topology: &Topology, triangles: &[[u32; 3]]) -> Vec<SideSplit> {
    let mut splits = Vec::new();
    let mut number = 0;
    let ends = |half_edge: u32| {
        let corner = |half_edge: u32| triangles[half_edge as usize / 3][half_edge as usize % 3];
        let [a, b] = [corner(half_edge), corner(next_in_triangle(half_edge))];
        [a.min(b), a.max(b)]
    };
    for edge in topology.edges().filter(|edge| edge.degree() > 2) {
        let Some(paired) = pair_across_material(topology, &edge) else { continue };
        for [(first, _), (second, _)] in &paired.pairs {
            let is_alone = paired.pairs.iter().filter(|[(other, _), _]| ends(*other) == ends(*first)).count() == 1;
            if !is_alone {
                splits.extend([(*first, number), (*second, number)]);
                number += 1;
            }
        }
    }
    splits.sort_unstable();
    splits
}

/// Divides triangles at the middles of sides; each pair of triangles has its own vertex there.
fn split_sides(splits: &[SideSplit], vertices: &mut Vec<Vec3>, triangles: &mut Vec<[u32; 3]>) {
    let first = vertices.len() as u32;
    let count = splits.iter().map(|(_, pair)| pair + 1).max().unwrap_or(0);
    vertices.resize(vertices.len() + count as usize, Vec3::ZERO);
    for of_triangle in splits.chunk_by(|a, b| a.0 / 3 == b.0 / 3) {
        let number = of_triangle[0].0 / 3;
        let corners = triangles[number as usize];
        // The polygon of corners and middles, from a middle on.
        let mut polygon = Vec::with_capacity(6);
        for k in 0..3 {
            polygon.push(corners[k]);
            if let Some((_, pair)) = of_triangle.iter().find(|(half_edge, _)| *half_edge as usize % 3 == k) {
                let middle = first + pair;
                vertices[middle as usize] =
                    vertices[corners[k] as usize].midpoint(vertices[corners[(k + 1) % 3] as usize]);
                polygon.push(middle);
            }
        }
        triangles[number as usize] = divide_polygon(&mut polygon, first, triangles);
    }
}

/// Divides a triangle with vertices from `first` on in the middles of its sides; returns the last piece.
fn divide_polygon(polygon: &mut Vec<u32>, first: u32, pieces: &mut Vec<[u32; 3]>) -> [u32; 3] {
    while polygon.len() > 3 {
        let count = polygon.len();
        // A corner is cut off whose neighbours do not lie on one side of the triangle with it: next to a middle, or the
        // corner between two middles.
        let is_middle = |k: usize| polygon[k % count] >= first;
        let cut = (0..count).find(|k| !is_middle(*k) && is_middle(k + 1) && is_middle(k + count - 1));
        let cut = cut.or_else(|| (0..count).find(|k| !is_middle(*k) && is_middle(k + 1))).unwrap_or(0);
        pieces.push([polygon[(cut + count - 1) % count], polygon[cut], polygon[(cut + 1) % count]]);
        polygon.remove(cut);
    }
    [polygon[0], polygon[1], polygon[2]]
}
