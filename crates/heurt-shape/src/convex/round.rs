//! Convex shapes with curved faces, by their support functions.
//!
//! In: a direction. Out: the support point along it, in closed form.
//! Method: an ellipsoid is the image of a ball; a superellipsoid (S0 §B.1.2) is the unit ball of nested p-norms, so
//! that its support point comes from the dual norms, whose exponents q have 1/p + 1/q = 1. Powers are those of `libm`,
//! the same on every machine.
//! Guarantees: a point of the surface, for any direction except zero. For a superellipsoid the point is within 8 ulp of
//! the largest radius, and its support value within 8 ulp of the maximum; for all others within 4.

use super::{ConvexError, Core, Hull, not_negative};
use heurt_geometry::{Aabb, Vec3};
use std::sync::Arc;

/// The least exponent of a superellipsoid: half a percent off the box.
const MIN_EXPONENT: f64 = 0.01;

/// A convex shape with curved faces, round the origin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Round {
    /// Round the axis z, from −`half_height` to `half_height`.
    Cylinder {
        /// Radius of the base.
        radius: f64,
        /// Half the length.
        half_height: f64,
    },
    /// Round the axis z: base at −`half_height`, apex at `half_height`.
    Cone {
        /// Radius of the base.
        radius: f64,
        /// Half the height.
        half_height: f64,
    },
    /// |x/rx|² + |y/ry|² + |z/rz|² ≤ 1.
    Ellipsoid {
        /// Half axes.
        radii: Vec3,
    },
    /// (|x/rx|^(2/n2) + |y/ry|^(2/n2))^(n2/n1) + |z/rz|^(2/n1) ≤ 1.
    Superellipsoid {
        /// Half axes.
        radii: Vec3,
        /// Exponent from pole to pole, from 0.01 to 2.
        n1: f64,
        /// Exponent round the axis z, from 0.01 to 2.
        n2: f64,
    },
}

impl Round {
    /// Checks the numbers; a shape without a curved face becomes the corresponding hull.
    pub(super) fn checked(self) -> Result<Core, ConvexError> {
        let segment = |half_height: f64| {
            let ends = [-half_height, half_height].map(|z| Vec3::new(0.0, 0.0, z));
            Ok(Core::Hull(Arc::new(Hull::new(&ends)?)))
        };
        match self {
            Self::Cylinder { radius, half_height } | Self::Cone { radius, half_height } => {
                not_negative("half_height", half_height)?;
                if not_negative("radius", radius)? == 0.0 {
                    return segment(half_height);
                }
            }
            Self::Ellipsoid { radii } => {
                for radius in radii.to_array() {
                    not_negative("radii", radius)?;
                }
            }
            Self::Superellipsoid { radii, n1, n2 } => {
                for radius in radii.to_array() {
                    not_negative("radii", radius)?;
                }
                for (field, value) in [("n1", n1), ("n2", n2)] {
                    if !(MIN_EXPONENT..=2.0).contains(&value) {
                        return Err(ConvexError::Exponent { field, value });
                    }
                }
            }
        }
        Ok(Core::Round(self))
    }

    /// Returns the shape scaled by `factor`, which is above 0.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        match self {
            Self::Cylinder { radius, half_height } => {
                Self::Cylinder { radius: radius * factor, half_height: half_height * factor }
            }
            Self::Cone { radius, half_height } => {
                Self::Cone { radius: radius * factor, half_height: half_height * factor }
            }
            Self::Ellipsoid { radii } => Self::Ellipsoid { radii: radii * factor },
            Self::Superellipsoid { radii, n1, n2 } => Self::Superellipsoid { radii: radii * factor, n1, n2 },
        }
    }

    /// Returns the support point along `direction`.
    pub fn support(&self, direction: Vec3) -> Vec3 {
        match *self {
            Self::Cylinder { radius, half_height } => {
                let [x, y] = on_circle(direction, radius);
                Vec3::new(x, y, half_height.copysign(direction.z))
            }
            Self::Cone { radius, half_height } => {
                let [x, y] = on_circle(direction, radius);
                let (apex, base) =
                    (direction.z * half_height, direction.x * x + direction.y * y - direction.z * half_height);
                if apex > base { Vec3::new(0.0, 0.0, half_height) } else { Vec3::new(x, y, -half_height) }
            }
            Self::Ellipsoid { radii } => {
                let stretched = direction * radii;
                let largest = stretched.abs().max_element();
                if largest == 0.0 { Vec3::ZERO } else { radii * (stretched / largest).normalize_or_zero() }
            }
            Self::Superellipsoid { radii, n1, n2 } => {
                let [x, y, z] = (direction * radii).to_array();
                let (round, [u, v]) = dual([x, y], 2.0 / n2);
                let (_, [around, up]) = dual([round, z], 2.0 / n1);
                radii * Vec3::new(around * u, around * v, up)
            }
        }
    }

    /// Returns its exact box.
    pub fn bounds(&self) -> Aabb {
        let half = match *self {
            Self::Cylinder { radius, half_height } | Self::Cone { radius, half_height } => {
                Vec3::new(radius, radius, half_height)
            }
            Self::Ellipsoid { radii } | Self::Superellipsoid { radii, .. } => radii,
        };
        Aabb { min: -half, max: half }
    }
}

/// Returns the support point along `direction` of a circle round the axis z.
fn on_circle(direction: Vec3, radius: f64) -> [f64; 2] {
    let largest = direction.x.abs().max(direction.y.abs());
    if largest == 0.0 {
        return [radius, 0.0];
    }
    let (x, y) = (direction.x / largest, direction.y / largest);
    let length = (x * x + y * y).sqrt();
    [radius * (x / length), radius * (y / length)]
}

/// Returns the largest product of `direction` with a vector whose `p`-norm is 1, and that vector.
pub(crate) fn dual(direction: [f64; 2], p: f64) -> (f64, [f64; 2]) {
    let largest = direction[0].abs().max(direction[1].abs());
    if largest == 0.0 {
        return (0.0, [1.0, 0.0]);
    }
    if p <= 1.0 {
        let first = direction[0].abs() >= direction[1].abs();
        let unit = if first { [1f64.copysign(direction[0]), 0.0] } else { [0.0, 1f64.copysign(direction[1])] };
        return (largest, unit);
    }
    let q = p / (p - 1.0);
    let shares = direction.map(|x| libm::pow(x.abs() / largest, q - 1.0));
    let sum: f64 = (0..2).map(|k| shares[k] * (direction[k].abs() / largest)).sum();
    let norm = libm::pow(sum, 1.0 / q);
    // The norm to the power q − 1, whose rounding would be multiplied by that.
    let below = libm::pow(sum, 1.0 / p);
    (largest * norm, [0, 1].map(|k| (shares[k] / below).copysign(direction[k])))
}
