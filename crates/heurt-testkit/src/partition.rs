//! Where points and segments are in partitions into convex cells, by definition and in integers.
//!
//! In: cells by the corners of their faces, or by planes. Out: the dimension of the feature that a point is on; whether a
//! segment passes the inside of a cell. No walk, no topology.

use crate::oracle::hull_holds;
use crate::whole::{cross, dot, integers, minus, sign};
use heurt_geometry::Vec3;
use num_bigint::BigInt;
use num_traits::{One, Zero};

/// The dimension of the smallest feature of a closed convex cell that holds `p`: 0 for a corner, 1 for an edge, 2 for a
/// face, 3 for the inside; `None` outside. A polygon is a cell of one face. Corners with flat angles are corners.
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

/// Tells whether some point strictly between `from` and `to` is strictly below all `planes`, each given by three points
/// that turn counter-clockwise seen from above.
pub fn passes_below(planes: &[[Vec3; 3]], from: Vec3, to: Vec3) -> bool {
    // The share of the way is in (low, high), both fractions with positive denominators.
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
