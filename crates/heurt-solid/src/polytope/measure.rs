//! Exact volume of a polytope.
//!
//! In: a polytope. Out: its volume as a rational number.
//! Method: the sum of det(a, b, c)/6 over the triangles of the facets, in homogeneous integers: a determinant of
//! numerators over the product of the denominators.
//! Guarantees: exact, as all vertices are rational.

use super::{Polytope, PolytopeVertex};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};

fn determinant(a: &PolytopeVertex, b: &PolytopeVertex, c: &PolytopeVertex) -> BigRational {
    let [[ax, ay, az, aw], [bx, by, bz, bw], [cx, cy, cz, cw]] = [a, b, c].map(PolytopeVertex::homogeneous);
    let numerator: BigInt = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx);
    BigRational::new(numerator, aw * bw * cw)
}

impl Polytope {
    /// Computes the exact volume in the cubed unit of the coordinates; 0 if the polytope is flat.
    pub fn volume(&self) -> BigRational {
        let vertices: Vec<_> = self.vertices().collect();
        let mut sum = BigRational::zero();
        for facet in self.facets() {
            let corners = &facet.corners;
            for k in 1..corners.len() - 1 {
                let [a, b, c] = [corners[0], corners[k], corners[k + 1]].map(|index| vertices[index as usize]);
                sum += determinant(a, b, c);
            }
        }
        sum / BigRational::from_integer(6.into())
    }

    /// Returns the volume rounded to `f64`.
    pub fn rounded_volume(&self) -> f64 {
        self.volume().to_f64().unwrap_or(f64::NAN)
    }
}
