//! Facets and edges of a hull, and a test of whether they are robust against roundings.
//!
//! In: corners, and the triangles of their hull. Out: polygons, each edge once with both facets.
//! Method: triangles whose corners lie in one plane within 16 ulp make one facet, the largest first.

use heurt_geometry::{Vec3, power_of_two_scale};
use std::collections::BTreeMap;

/// A facet of a [`Hull`](super::Hull): its corners, in turn.
#[derive(Debug, Clone, PartialEq)]
pub struct Facet {
    /// Outward normal, of unit length.
    pub normal: Vec3,
    /// Corners by number, counter-clockwise seen from outside.
    pub corners: Vec<u32>,
}

/// An edge of a [`Hull`](super::Hull): its ends, and the facets on its left and right by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// Numbers of its first and its second corner.
    pub ends: [u32; 2],
    /// The facet that traverses it forwards, and the facet that traverses it backwards; a segment has none.
    pub facets: Option<[u32; 2]>,
}

/// Returns the normal of a convex polygon, from the corners that span the most.
pub(super) fn polygon_normal(corners: &[Vec3], polygon: &[u32]) -> Vec3 {
    let unit = power_of_two_scale(polygon.iter().fold(0.0, |most, &c| {
        f64::max(most, (corners[c as usize] - corners[polygon[0] as usize]).abs().max_element())
    }));
    let at = |k: usize| (corners[polygon[k % polygon.len()] as usize] - corners[polygon[0] as usize]) * unit;
    let mut best = Vec3::ZERO;
    for k in 1..polygon.len() {
        for l in k + 1..polygon.len() {
            let across = at(k).cross(at(l));
            if across.length_squared() > best.length_squared() {
                best = across;
            }
        }
    }
    best.normalize_or_zero()
}

/// Joins triangles in one plane to polygons, the largest first.
pub(super) fn merged_facets(corners: &[Vec3], triangles: &[[u32; 3]], reach: f64) -> Vec<Facet> {
    let unit = power_of_two_scale(reach);
    let at = |corner: u32| corners[corner as usize] * unit;
    let across = |[a, b, c]: [u32; 3]| (at(b) - at(a)).cross(at(c) - at(a));
    let beside: BTreeMap<[u32; 2], u32> = (0u32..)
        .zip(triangles)
        .flat_map(|(number, &[a, b, c])| [[a, b], [b, c], [c, a]].map(|edge| (edge, number)))
        .collect();
    let mut order: Vec<u32> = (0..triangles.len() as u32).collect();
    let area = |number: u32| across(triangles[number as usize]).length_squared();
    order.sort_by(|&x, &y| area(y).total_cmp(&area(x)).then(x.cmp(&y)));
    let mut facet_of = vec![u32::MAX; triangles.len()];
    let mut facets = Vec::new();
    for seed in order {
        if facet_of[seed as usize] != u32::MAX {
            continue;
        }
        let first = triangles[seed as usize];
        let normal = across(first).normalize_or_zero();
        let is_in_plane = |corner: u32| normal.dot(at(corner) - at(first[0])).abs() <= 16.0 * f64::EPSILON;
        let number = facets.len() as u32;
        let mut found = vec![seed];
        facet_of[seed as usize] = number;
        let mut next = 0;
        while let Some(&triangle) = found.get(next) {
            next += 1;
            let [a, b, c] = triangles[triangle as usize];
            for edge in [[b, a], [c, b], [a, c]] {
                let other = beside[&edge];
                let lies_in_plane = normal != Vec3::ZERO && triangles[other as usize].into_iter().all(is_in_plane);
                let faces_alike = normal.dot(across(triangles[other as usize])) >= 0.0;
                if facet_of[other as usize] == u32::MAX && lies_in_plane && faces_alike {
                    facet_of[other as usize] = number;
                    found.push(other);
                }
            }
        }
        let corners = outline(&found, triangles).unwrap_or_else(|| {
            // Not a single polygon: all triangles except the first are left for later facets.
            found[1..].iter().for_each(|&other| facet_of[other as usize] = u32::MAX);
            first.to_vec()
        });
        facets.push(Facet { normal, corners });
    }
    facets
}

/// Returns the boundary edges of some triangles, in turn; `None` if they make no single loop.
fn outline(some: &[u32], triangles: &[[u32; 3]]) -> Option<Vec<u32>> {
    let edges = some.iter().flat_map(|&t| {
        let [a, b, c] = triangles[t as usize];
        [[a, b], [b, c], [c, a]]
    });
    let all: BTreeMap<[u32; 2], ()> = edges.map(|edge| (edge, ())).collect();
    let free: BTreeMap<u32, u32> =
        all.keys().filter(|[from, to]| !all.contains_key(&[*to, *from])).map(|&[from, to]| (from, to)).collect();
    let (&start, _) = free.first_key_value()?;
    let mut loop_ = vec![start];
    let mut at = *free.get(&start)?;
    while at != start && loop_.len() <= free.len() {
        loop_.push(at);
        at = *free.get(&at)?;
    }
    (loop_.len() == free.len()).then_some(loop_)
}

/// Reports whether every side of every facet is an edge, every edge is long enough and not nearly flat, and no edge
/// nearly continues straight in another edge.
pub(super) fn are_crisp(corners: &[Vec3], facets: &[Facet], edges: &[Edge], reach: f64) -> bool {
    const FLAT: f64 = 1e-6;
    const STRAIGHT: f64 = 1e-4;
    /// Minimum length, as a share of the longest edge. Narrower facets have normals of few digits, and adjacent edges
    /// that roundings can confuse.
    const SHORT: f64 = 1e-6;
    // In units in which squares stay in range.
    let unit = power_of_two_scale(reach);
    let length = |edge: &Edge| ((corners[edge.ends[1] as usize] - corners[edge.ends[0] as usize]) * unit).length();
    let longest = edges.iter().map(length).fold(0.0, f64::max);
    let sides: usize = facets.iter().map(|facet| facet.corners.len()).sum();
    let turns = |edge: &Edge| {
        edge.facets.is_some_and(|[left, right]| {
            let [left, right] = [left, right].map(|facet| facets[facet as usize].normal);
            (left - right).length_squared() > FLAT * FLAT
        })
    };
    let mut directions: Vec<Vec<Vec3>> = vec![Vec::new(); corners.len()];
    for [from, to] in edges.iter().map(|edge| edge.ends) {
        let direction = (corners[to as usize] - corners[from as usize]).normalize_or_zero();
        directions[from as usize].push(direction);
        directions[to as usize].push(-direction);
    }
    let should_continue = |directions: &Vec<Vec3>| {
        let few = &directions[..directions.len().min(MAX_DIRECTIONS)];
        few.len() < directions.len()
            || few.iter().any(|x| few.iter().any(|y| (*x + *y).length_squared() < STRAIGHT * STRAIGHT))
    };
    let is_long = |edge: &Edge| length(edge) > SHORT * longest;
    sides == 2 * edges.len()
        && edges.iter().all(is_long)
        && edges.iter().all(turns)
        && !directions.iter().any(should_continue)
}

/// Corners with more edges than this are not tested in detail.
const MAX_DIRECTIONS: usize = 64;

/// Returns the edges of facets, each once, with the adjacent facets.
pub(super) fn edges_of(facets: &[Facet]) -> Vec<Edge> {
    let mut sides: BTreeMap<[u32; 2], u32> = BTreeMap::new();
    for (number, facet) in (0u32..).zip(facets) {
        for (k, &from) in facet.corners.iter().enumerate() {
            sides.insert([from, facet.corners[(k + 1) % facet.corners.len()]], number);
        }
    }
    let forward = sides.iter().filter(|([from, to], _)| from < to);
    let both =
        forward.filter_map(|(&[from, to], &left)| sides.get(&[to, from]).map(|&right| ([from, to], [left, right])));
    both.map(|(ends, facets)| Edge { ends, facets: Some(facets) }).collect()
}
