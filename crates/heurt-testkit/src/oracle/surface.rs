//! Oracle for boundaries of solids: closed, oriented, manifold by vertex numbers, without self-intersections; volume.
//!
//! In: a triangle mesh. Out: the first faults of each kind, with triangles or vertices; six times the volume, exactly.
//! Method: half-edges are counted by the numbers of their ends, and the triangles around each vertex number must form
//! one fan. Each pair of triangles with overlapping boxes is tested in integers: it may share the corners that both
//! have at one place, and the side between two such corners, and no other point. Triangles of two sheets may touch in
//! that manner. Two cones at a common corner share a ray if the origin lies in the hull of two generators and of two
//! negated ones. No predicate of the tested code appears here.
//! Cost: O(n²) boxes.

use super::triangle::{hull_holds_origin, triangles_intersect};
use crate::number::dyadic::Dyadic;
use crate::number::whole::{Big, cross, dot, integers, is_zero, minus};
use heurt_geometry::{Aabb, Triangle, Vec3};
use heurt_mesh::TriMesh;
use num_traits::Signed;
use std::collections::BTreeMap;

/// The faults of a boundary; all lists are empty if there are none.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SurfaceFaults {
    /// Half-edges, by the numbers of their ends, that occur more than once or have no opposite.
    pub unpaired: Vec<[u32; 2]>,
    /// Vertex numbers whose triangles form several fans.
    pub pinched: Vec<u32>,
    /// Triangles without area.
    pub flat: Vec<u32>,
    /// Pairs of triangles with area that share more than corners and sides.
    pub crossing: Vec<[u32; 2]>,
}

impl SurfaceFaults {
    /// Finds the faults of a mesh.
    pub fn of(mesh: &TriMesh) -> Self {
        let triangles: Vec<Triangle> = (0..mesh.triangles().len() as u32).map(|t| mesh.corners(t)).collect();
        let (flat, solid): (Vec<u32>, Vec<u32>) =
            (0..triangles.len() as u32).partition(|number| is_flat(&triangles[*number as usize]));
        let (unpaired, pinched) = combinatorial_faults(mesh.triangles());
        Self { unpaired, pinched, flat, crossing: crossing_pairs(&triangles, &solid) }
    }

    /// Reports whether there is none.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

fn combinatorial_faults(triangles: &[[u32; 3]]) -> (Vec<[u32; 2]>, Vec<u32>) {
    let mut count: BTreeMap<[u32; 2], usize> = BTreeMap::new();
    // The neighbour after each neighbour, in the fan around a vertex.
    let mut next: BTreeMap<u32, BTreeMap<u32, u32>> = BTreeMap::new();
    for [a, b, c] in triangles {
        for [p, q, r] in [[a, b, c], [b, c, a], [c, a, b]] {
            *count.entry([*p, *q]).or_default() += 1;
            next.entry(*p).or_default().insert(*q, *r);
        }
    }
    let is_paired = |[a, b]: &[u32; 2], times: usize| times == 1 && count.get(&[*b, *a]) == Some(&1);
    let unpaired = count.iter().filter(|(edge, times)| !is_paired(edge, **times)).map(|(edge, _)| *edge).collect();
    let is_one_fan = |fan: &BTreeMap<u32, u32>| {
        let Some((start, mut at)) = fan.first_key_value() else { return true };
        let mut length = 1;
        while at != start && length <= fan.len() {
            let Some(after) = fan.get(at) else { return false };
            (at, length) = (after, length + 1);
        }
        length == fan.len()
    };
    let pinched = next.iter().filter(|(_, fan)| !is_one_fan(fan)).map(|(vertex, _)| *vertex).collect();
    (unpaired, pinched)
}

fn is_flat(corners: &Triangle) -> bool {
    let p = integers(corners);
    is_zero(&cross(&minus(&p[1], &p[0]), &minus(&p[2], &p[0])))
}

/// Every pair of some triangles, all of which have area, that share more than corners and sides.
fn crossing_pairs(triangles: &[Triangle], numbers: &[u32]) -> Vec<[u32; 2]> {
    let boxes: Vec<Aabb> = triangles.iter().map(|corners| Aabb::from_points(*corners)).collect();
    let mut order: Vec<usize> = numbers.iter().map(|number| *number as usize).collect();
    order.sort_by(|a, b| boxes[*a].min.x.total_cmp(&boxes[*b].min.x));
    let mut found = Vec::new();
    for (place, &i) in order.iter().enumerate() {
        for &j in order[place + 1..].iter().take_while(|j| boxes[**j].min.x <= boxes[i].max.x) {
            if boxes[i].overlaps(&boxes[j]) && meet_beyond_corners(&triangles[i], &triangles[j]) {
                found.push([i.min(j) as u32, i.max(j) as u32]);
            }
        }
    }
    found.sort_unstable();
    found
}

/// Reports whether two triangles with area share a point
/// that is neither a corner of both nor on a side between such corners.
pub fn meet_beyond_corners(x: &Triangle, y: &Triangle) -> bool {
    let common: Vec<Vec3> = x.iter().copied().filter(|corner| y.contains(corner)).collect();
    if common.is_empty() {
        return !is_clearly_separated(x, y) && triangles_intersect(x, y);
    }
    let rest = |t: &Triangle| t.iter().copied().filter(|corner| !common.contains(corner)).collect::<Vec<Vec3>>();
    let (of_x, of_y) = (rest(x), rest(y));
    let points: Vec<Vec3> = common.iter().chain(&of_x).chain(&of_y).copied().collect();
    let p = integers(&points);
    let from = |k: usize| minus(&p[k], &p[0]);
    match common.len() {
        1 => hull_holds_origin(&[from(1), from(2), negated(from(3)), negated(from(4))]),
        // In one plane, on the same side of the common side.
        2 => {
            let side = from(1);
            let [first, second] = [cross(&side, &from(2)), cross(&side, &from(3))];
            is_zero(&cross(&first, &second)) && dot(&first, &second).is_positive()
        }
        _ => true,
    }
}

fn negated([x, y, z]: Big) -> Big {
    [-x, -y, -z]
}

/// Tests whether the plane of one of two triangles separates them by far more than the rounding.
fn is_clearly_separated(x: &Triangle, y: &Triangle) -> bool {
    [(x, y), (y, x)].iter().any(|(t, other)| {
        let sides = [t[1] - t[0], t[2] - t[0]];
        let normal = sides[0].cross(sides[1]);
        let square = sides[0].abs().max_element() * sides[1].abs().max_element();
        let heights = other.map(|corner| normal.dot(corner - t[0]));
        let size = other.iter().fold(0.0, |most: f64, corner| most.max((*corner - t[0]).abs().max_element()));
        let clear = 1e-9 * size * square + 1e-290;
        heights.iter().all(|height| *height > clear) || heights.iter().all(|height| *height < -clear)
    })
}

/// Returns six times the signed volume, without rounding.
pub fn six_volumes(mesh: &TriMesh) -> Dyadic {
    let zero = Dyadic::of(0.0);
    (0..mesh.triangles().len() as u32).fold(zero, |sum, number| {
        let [a, b, c] = mesh.corners(number).map(Dyadic::of_point);
        let minor = |i: usize, j: usize| &(&b[i] * &c[j]) - &(&b[j] * &c[i]);
        let terms = [&a[0] * &minor(1, 2), &a[1] * &minor(2, 0), &a[2] * &minor(0, 1)];
        &(&(&sum + &terms[0]) + &terms[1]) + &terms[2]
    })
}
