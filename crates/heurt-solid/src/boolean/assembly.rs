//! Assembly of the result of a set operation: the pieces that bound it, as a mesh.
//!
//! In: the pieces of both solids and what the result has of each. Out: a closed mesh; nothing if no piece is left.
//! Method: nodes that bound nothing are removed (`dissolve`). Nodes become vertices with their rounded coordinates.
//! Nodes that are rounded to one place become one; triangles that lose a corner by that, and pairs of opposite
//! triangles, are left out, which keeps the mesh closed. If the result touches itself along an edge or in a vertex,
//! `heurt_mesh::separate_fans` doubles vertices. It can do so only at cut faces, or where an operand does.

use super::Fate;
use super::dissolve::{Facet, dissolve};
use super::error::{SetOperationError, SolidMeshError};
use super::nodes::{FaceNodes, NodeId, Nodes};
use super::pieces::Pieces;
use super::verification::count_intersections;
use heurt_mesh::{TriMesh, check, separate_fans};
use std::collections::HashMap;

/// Assembles the result.
pub(super) fn assemble(
    nodes: &Nodes<'_>,
    pieces: [&Pieces; 2],
    fates: &[Vec<Fate>; 2],
) -> Result<Option<TriMesh>, SetOperationError> {
    let mut facets: Vec<Facet> = Vec::new();
    let mut candidates: Vec<NodeId> = Vec::new();
    for (side, (pieces, fates)) in pieces.into_iter().zip(fates).enumerate() {
        for (number, &[a, b, c]) in pieces.triangles.iter().enumerate() {
            let source = (side, pieces.face_of[number]);
            match fates[pieces.piece_of[number] as usize] {
                Fate::Dropped => continue,
                Fate::Kept => facets.push(Facet { nodes: [a, b, c], source, is_turned: false }),
                Fate::Turned => facets.push(Facet { nodes: [a, c, b], source, is_turned: true }),
            }
            if number >= pieces.first_cut {
                candidates.extend([a, b, c]);
            }
        }
    }
    candidates.sort_unstable();
    candidates.dedup();
    let mut touches = [nodes.a, nodes.b].iter().any(|solid| solid.touches_itself());
    touches |= dissolve(nodes, &mut facets, &candidates);
    touches |= merge_rounded(nodes, &mut facets);
    if facets.is_empty() {
        return Ok(None);
    }
    let pairs = count_intersections(nodes, &facets)?;
    if pairs > 0 {
        return Err(SetOperationError::Rounded { pairs });
    }
    let mut triangles: Vec<[NodeId; 3]> = facets.iter().map(|facet| facet.nodes).collect();
    let mut number_of = vec![u32::MAX; nodes.len()];
    let mut vertices = Vec::new();
    for corner in triangles.iter_mut().flatten() {
        let number = &mut number_of[*corner as usize];
        if *number == u32::MAX {
            *number = vertices.len() as u32;
            vertices.push(nodes.place(*corner));
        }
        *corner = *number;
    }
    let mesh = TriMesh::new(vertices, triangles).map_err(SolidMeshError::from)?;
    let separated = if touches { separate_fans(&mesh) } else { None };
    let Some(separated) = separated else { return Ok(Some(mesh)) };
    // A side at which surfaces touch may have a new vertex in its middle, which is rounded.
    if separated.triangles().len() > mesh.triangles().len() {
        let report = check(&separated);
        let pairs = report.count("self-intersection") + report.count("degenerate-face");
        if pairs > 0 {
            return Err(SetOperationError::Rounded { pairs });
        }
    }
    Ok(Some(separated))
}

/// Makes nodes one that are rounded to one place; reports whether there are any.
fn merge_rounded(nodes: &Nodes<'_>, facets: &mut Vec<Facet>) -> bool {
    let key = |node: NodeId| (nodes.place(node) + 0.0).to_array().map(f64::to_bits);
    let points = nodes.first_point() as u32..nodes.len() as u32;
    let mut first_at: HashMap<[u64; 3], NodeId> = HashMap::new();
    for node in points.clone() {
        first_at.entry(key(node)).or_insert(node);
    }
    if first_at.is_empty() {
        return false;
    }
    // Points at the place of a vertex become that vertex.
    let mut is_used = vec![false; points.start as usize];
    for node in facets.iter().flat_map(|facet| facet.nodes).filter(|node| *node < points.start) {
        is_used[node as usize] = true;
    }
    for node in (0..points.start).filter(|node| is_used[*node as usize]) {
        if let Some(first) = first_at.get_mut(&key(node)) {
            *first = (*first).min(node);
        }
    }
    // By point, the node that takes its place.
    let taken_by: Vec<NodeId> = points.clone().map(|node| first_at[&key(node)]).collect();
    if taken_by.iter().zip(points.clone()).all(|(first, node)| *first == node) {
        return false;
    }
    for corner in facets.iter_mut().flat_map(|facet| &mut facet.nodes).filter(|node| points.contains(node)) {
        *corner = taken_by[(*corner - points.start) as usize];
    }
    facets.retain(|Facet { nodes: [a, b, c], .. }| a != b && b != c && c != a);
    cancel_opposites(facets);
    true
}

/// Leaves out pairs of triangles with the same corners that face opposite sides.
fn cancel_opposites(facets: &mut Vec<Facet>) {
    let mut balance: HashMap<[NodeId; 3], i32> = HashMap::new();
    let normal_form = |triangle: &[NodeId; 3]| {
        let least = (0..3).min_by_key(|k| triangle[*k]).unwrap_or(0);
        let [a, b, c] = [0, 1, 2].map(|k| triangle[(least + k) % 3]);
        if b < c { ([a, b, c], 1) } else { ([a, c, b], -1) }
    };
    for facet in facets.iter() {
        let (sorted, sign) = normal_form(&facet.nodes);
        *balance.entry(sorted).or_default() += sign;
    }
    facets.retain(|facet| {
        let (sorted, sign) = normal_form(&facet.nodes);
        let left = balance.get_mut(&sorted);
        let is_kept = left.as_ref().is_some_and(|left| **left * sign > 0);
        if is_kept && let Some(left) = left {
            *left -= sign;
        }
        is_kept
    });
}
