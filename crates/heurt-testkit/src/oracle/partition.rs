//! Location of points and segments in partitions into convex cells, by definition and in integers, and a partition for
//! tests.
//!
//! In: cells by the corners of their faces, or by planes. Out: the dimension of the feature that a point is on; whether
//! a segment passes the inside of a cell. No walk, no topology.

use crate::number::random::Random;
use crate::number::whole::{cross, dot, integers, minus, sign};
use crate::oracle::triangle::hull_holds;
use heurt_geometry::Vec3;
use num_bigint::BigInt;
use num_traits::{One, Zero};

/// Makes a grid of n × n squares with whole corners at intervals of `step`, moved by up to `jitter`, and some cut into
/// triangles. Returns the corners, and the faces by them, counter-clockwise.
pub fn ragged_squares(n: u32, step: i64, jitter: i64, random: &mut Random) -> (Vec<[f64; 2]>, Vec<Vec<u32>>) {
    let side = n + 1;
    let mut points = Vec::new();
    for j in 0..i64::from(side) {
        for i in 0..i64::from(side) {
            points.push([i, j].map(|k| (k * step + random.whole(-jitter, jitter)) as f64));
        }
    }
    let mut faces: Vec<Vec<u32>> = Vec::new();
    for j in 0..n {
        for i in 0..n {
            let a = i + side * j;
            let [a, b, c, d] = [a, a + 1, a + side + 1, a + side];
            match random.whole(0, 3) {
                0 => faces.extend([vec![a, b, c], vec![a, c, d]]),
                1 => faces.extend([vec![a, b, d], vec![b, c, d]]),
                _ => faces.push(vec![a, b, c, d]),
            }
        }
    }
    (points, faces)
}

/// Computes the dimension of the smallest feature of a closed convex cell that holds `p`: 0 for a corner, 1 for an
/// edge, 2 for a face, 3 for the inside; `None` outside. A polygon is a cell of one face. Corners with flat angles are
/// corners.
pub fn dimension_in_cell(faces: &[Vec<Vec3>], p: Vec3) -> Option<u8> {
    let corners: Vec<Vec3> = faces.iter().flatten().copied().collect();
    if corners.contains(&p) {
        return Some(0);
    }
    let edges = faces.iter().flat_map(|face| (0..face.len()).map(|k| [face[k], face[(k + 1) % face.len()]]));
    if edges.into_iter().any(|edge| hull_holds(&edge, p)) {
        return Some(1);
    }
    if faces.iter().any(|face| hull_holds(face, p)) {
        return Some(2);
    }
    (faces.len() > 1 && hull_holds(&corners, p)).then_some(3)
}

/// Reports whether some point strictly between `from` and `to` is strictly below all `planes`, each given by three
/// points that turn counter-clockwise seen from above.
pub fn passes_below(planes: &[[Vec3; 3]], from: Vec3, to: Vec3) -> bool {
    // The share of the segment is in (low, high), both fractions with positive denominators.
    let (mut low, mut high) = ((BigInt::zero(), BigInt::one()), (BigInt::one(), BigInt::one()));
    for plane in planes {
        let points = integers(&[plane[0], plane[1], plane[2], from, to]);
        let normal = cross(&minus(&points[1], &points[0]), &minus(&points[2], &points[0]));
        let [start, end] = [3, 4].map(|k| dot(&normal, &minus(&points[k], &points[0])));
        // start + (end − start)·t < 0.
        let change = &end - &start;
        match sign(&change) {
            0 if sign(&start) >= 0 => return false,
            0 => {}
            1 => {
                let bound = (-start, change);
                if &bound.0 * &high.1 < &high.0 * &bound.1 {
                    high = bound;
                }
            }
            _ => {
                let bound = (start, -change);
                if &bound.0 * &low.1 > &low.0 * &bound.1 {
                    low = bound;
                }
            }
        }
    }
    &low.0 * &high.1 < &high.0 * &low.1
}
