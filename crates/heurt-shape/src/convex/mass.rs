//! Area, volume, centroid and inertia of convex shapes.
//!
//! In: a convex shape in metres. Out: [`Measures`], as meshes have them, at unit density.
//! Method: a hull with a margin is decomposed (Steiner 1840) into the hull, a prism on each facet, a wedge on each
//! edge, and a sector of a ball at each corner. Volume and moments of each piece are known in closed form. The moments
//! of a ball sector are integrals over a spherical polygon: by the theorem of Stokes they are sums over its arcs (Arvo
//! 1995), and its area is 2π minus the angles of the facets (Descartes). Cylinders and cones, rounded or not, are
//! solids of revolution of segments and arcs. The volume and the moments of superellipsoids are Beta functions, the
//! area of ellipsoids is Carlson's R_G. All other measures are integrated over the surface (`quadrature`), or, if that
//! does not converge, by lines through a tessellation (`offset_mass`).
//! Guarantees: a few ulp for closed forms. The area of superellipsoids is within [`CONVERGED`] by the difference of two
//! quadratures, else an error. All measures of rounded ellipsoids and superellipsoids are within [`CONVERGED`] too, or
//! within [`SAMPLED`](crate::SAMPLED) by the difference of two sums over lines. A flat shape has the volume 0 and the
//! area of both its sides, as the limit of a thin shape.

use super::quadrature::{legendre, tanh_sinh};
use super::{Convex, Core, Hull, Round};
use crate::offset_mass::{SEGMENTS, grown};
use heurt_geometry::{Dimension, Mat3, Vec3, power_of_two_scale};
use heurt_mesh::generate::Superellipsoid;
use heurt_mesh::{Measures, measures};
use std::f64::consts::PI;
use thiserror::Error;

/// Maximum relative difference of two quadratures: the error of the finer one is far below their difference.
pub const CONVERGED: f64 = 1e-9;

/// Reason why a convex shape has no measures.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum MassError {
    /// A half-space is unbounded.
    #[error("a half-space has infinite volume: make its body static, or measure its common part with a bounded shape")]
    Unbounded,
    /// A margin that is negligible against the size, or a shape that hardly any line meets.
    #[error(
        "the margin is so thin against the size, or the shape so thin in its box, that lines through it tell nothing of it: give a thicker margin or none"
    )]
    TooThin,
    /// No closed form, and sums over its surface, or over lines through it, do not converge.
    #[error(
        "what two sums tell of the shape differs by {off:e} of it, more than {most:e}: give it another margin or none, or if it is curved a \
         mesh by `segments`"
    )]
    NotConverged {
        /// The relative difference.
        off: f64,
        /// The maximum relative difference: [`CONVERGED`], for meshes with a margin [`SAMPLED`](crate::SAMPLED).
        most: f64,
    },
}

impl Convex {
    /// Computes area, volume, centroid and inertia at unit density, in closed form or by quadrature.
    ///
    /// ```
    /// # use heurt_shape::Convex;
    /// let pill = Convex::capsule(0.5, 1.0)?.measures().unwrap();
    /// assert!((pill.volume.unwrap() - (4.0 / 3.0 * 0.125 + 0.5) * std::f64::consts::PI).abs() < 1e-15);
    /// # Ok::<(), heurt_shape::ConvexError>(())
    /// ```
    ///
    /// # Errors
    /// [`MassError::Unbounded`] for a half-space, [`MassError::NotConverged`] for the area of superellipsoids of
    /// exponents that are too small or too large, [`MassError::TooThin`] for rounded shapes that are too thin.
    pub fn measures(&self) -> Result<Measures, MassError> {
        let margin = self.margin();
        match self.core() {
            Core::HalfSpace { .. } => Err(MassError::Unbounded),
            Core::Hull(hull) if margin == 0.0 && hull.dimension() == Dimension::Solid => {
                Ok(measures(hull.surface().mesh()))
            }
            Core::Hull(hull) => Ok(rounded_hull(hull, margin)),
            Core::Round(round) => {
                let unit = power_of_two_scale(self.bounds().max.max_element());
                let (round, m) = (round.scaled(unit), margin * unit);
                let local =
                    of_round(round, m).or_else(|error| if m > 0.0 { by_lines(round, m, error) } else { Err(error) })?;
                Ok(local.in_metres(Vec3::ZERO, unit))
            }
        }
    }
}

/// Area, volume, and the integrals of the position and of its products, around the origin.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moments {
    area: f64,
    volume: f64,
    first: Vec3,
    second: Mat3,
}

impl Moments {
    pub(crate) const ZERO: Self = Self { area: 0.0, volume: 0.0, first: Vec3::ZERO, second: Mat3::ZERO };

    /// Returns the moments of a shape that is symmetric to all coordinate planes.
    pub(crate) fn symmetric(area: f64, volume: f64, squares: Vec3) -> Self {
        Self { area, volume, first: Vec3::ZERO, second: Mat3::from_diagonal(squares) }
    }

    pub(crate) fn area(&self) -> f64 {
        self.area
    }

    pub(crate) fn volume(&self) -> f64 {
        self.volume
    }

    pub(crate) fn plus(&self, other: &Self) -> Self {
        Self {
            area: self.area + other.area,
            volume: self.volume + other.volume,
            first: self.first + other.first,
            second: self.second + other.second,
        }
    }

    /// Returns the moments scaled by a count; the area keeps its sign.
    pub(crate) fn times(&self, count: f64) -> Self {
        Self {
            area: self.area * count.abs(),
            volume: self.volume * count,
            first: self.first * count,
            second: self.second * count,
        }
    }

    /// Returns the moments in the axes that `turn` leads to.
    pub(crate) fn turned(&self, turn: impl Fn(Vec3) -> Vec3) -> Self {
        let columns = self.second.transpose().to_cols_array_2d().map(|row| turn(Vec3::from_array(row)));
        let rows = Mat3::from_cols(columns[0], columns[1], columns[2]).transpose();
        let [x, y, z] = [rows.x_axis, rows.y_axis, rows.z_axis].map(&turn);
        Self { first: turn(self.first), second: Mat3::from_cols(x, y, z), ..*self }
    }

    /// Adds a rod along x of a cross-section, between two positions on a line; a reversed rod counts negative.
    pub(crate) fn add_stretch(&mut self, [low, high]: [f64; 2], [y, z]: [f64; 2], section: f64) {
        let length = (high - low) * section;
        let middle = Vec3::new(0.5 * (low + high), y, z);
        let mut second = outer(middle, middle);
        second.x_axis.x = (low * low + low * high + high * high) / 3.0;
        self.volume += length;
        self.first += middle * length;
        self.second += second * length;
    }

    pub(crate) fn add_area(&mut self, area: f64) {
        self.area += area;
    }

    /// Returns the moments that subtract these.
    pub(crate) fn negated(&self) -> Self {
        Self { area: -self.area, ..self.times(-1.0) }
    }

    /// Adds a triangle of the boundary: the cone from the origin to it.
    pub(crate) fn add_triangle(&mut self, [a, b, c]: [Vec3; 3]) {
        if let Some(normal) = (b - a).cross(c - a).try_normalize() {
            add_facet(self, &[a, b, c], normal, 0.0);
        }
    }

    /// Returns the relative difference of two moments: of volume and area, of the first moments relative to the size,
    /// of the second relative to the largest; infinite if there is no volume or area.
    pub(crate) fn differs(&self, other: &Self) -> f64 {
        let off = |x: f64, y: f64| if x + y > 0.0 { (x - y).abs() / (0.5 * (x + y)) } else { f64::INFINITY };
        let trace = |of: &Self| of.second.x_axis.x + of.second.y_axis.y + of.second.z_axis.z;
        let (volume, spread) = (0.5 * (self.volume + other.volume), 0.5 * (trace(self) + trace(other)));
        let first = (self.first - other.first).length() / (volume * spread).sqrt();
        let second =
            (self.second - other.second).to_cols_array().into_iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        off(self.volume, other.volume).max(off(self.area, other.area)).max(first).max(second / spread)
    }

    /// Converts the moments of the boundary of a convex shape to metres, moved by `centre`; a metre has `unit` units.
    pub(crate) fn in_metres(self, centre: Vec3, unit: f64) -> Measures {
        let down = |value: f64, power: u32| (0..power).fold(value, |value, _| value / unit);
        let centroid = self.first / self.volume;
        let about = self.second - outer(centroid, centroid) * self.volume;
        let trace = about.x_axis.x + about.y_axis.y + about.z_axis.z;
        let inertia = Mat3::from_diagonal(Vec3::splat(trace)) - about;
        let has_inside = self.volume > 0.0;
        let scaled = |column: Vec3| column.map(|entry| down(entry, 5));
        Measures {
            area: down(self.area, 2),
            volume: Some(down(self.volume, 3)),
            centroid: has_inside.then(|| centre + centroid / unit),
            inertia: has_inside
                .then(|| Mat3::from_cols(scaled(inertia.x_axis), scaled(inertia.y_axis), scaled(inertia.z_axis))),
            euler: 2,
            components: 1,
            genus: Some(0),
        }
    }
}

/// Returns a bᵀ.
fn outer(a: Vec3, b: Vec3) -> Mat3 {
    Mat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// Returns a bᵀ + b aᵀ.
fn symmetric_product(a: Vec3, b: Vec3) -> Mat3 {
    outer(a, b) + outer(b, a)
}

/// Computes the measures of the hull, and the contribution of the margin m at its facets, edges and corners.
fn rounded_hull(hull: &Hull, margin: f64) -> Measures {
    let centre = hull.bounds().centre();
    let unit = power_of_two_scale(hull.bounds().half_extents().max_element().max(margin));
    let m = margin * unit;
    // Halves cannot overflow.
    let corners: Vec<Vec3> = hull.corners().iter().map(|&c| (c * 0.5 - centre * 0.5) * unit * 2.0).collect();
    let mut sum = Moments::ZERO;
    let mut ball_parts = BallParts::new(hull.dimension(), corners.len());
    for facet in hull.facets() {
        let polygon: Vec<Vec3> = facet.corners.iter().map(|&c| corners[c as usize]).collect();
        add_facet(&mut sum, &polygon, facet.normal, m);
        for (k, &corner) in facet.corners.iter().enumerate() {
            let [to, back] = [k + 1, k + polygon.len() - 1].map(|other| polygon[other % polygon.len()] - polygon[k]);
            ball_parts.angles[corner as usize] -= to.cross(back).length().atan2(to.dot(back));
        }
    }
    for edge in hull.edges() {
        let ends = edge.ends.map(|c| corners[c as usize]);
        let normals = edge.facets.map(|sides| sides.map(|facet| hull.facets()[facet as usize].normal));
        let arc = ConvexArc::new((ends[1] - ends[0]).normalize_or_zero(), normals);
        add_edge(&mut sum, ends, &arc, m);
        ball_parts.add_arc(edge.ends, &arc);
    }
    for (k, &corner) in corners.iter().enumerate() {
        ball_parts.add_corner(&mut sum, k, corner, m);
    }
    sum.in_metres(centre, unit)
}

/// Adds the cone from the origin to a facet, and the prism of height m on it.
fn add_facet(sum: &mut Moments, polygon: &[Vec3], normal: Vec3, m: f64) {
    for pair in polygon[1..].windows(2) {
        let [a, b, c] = [polygon[0], pair[0], pair[1]];
        let area = 0.5 * normal.dot((b - a).cross(c - a));
        let all = a + b + c;
        let first = all * (area / 3.0);
        let second = (outer(all, all) + outer(a, a) + outer(b, b) + outer(c, c)) * (area / 12.0);
        // Heights sum up to the volume; the height of an edge-on cone is zero.
        let height = normal.dot(a);
        sum.area += area;
        sum.volume += area * (height / 3.0 + m);
        sum.first += first * (height / 4.0 + m) + normal * (area * m * m / 2.0);
        sum.second += second * (height / 5.0 + m)
            + symmetric_product(first, normal) * (m * m / 2.0)
            + outer(normal, normal) * (area * m * m * m / 3.0);
    }
}

/// The directions in which an edge grows: between the normals of its facets, all directions across a segment.
struct ConvexArc {
    /// Unit vector along the edge.
    along: Vec3,
    angle: f64,
    /// ∫ u over the arc.
    first: Vec3,
    /// ∫ u uᵀ over the arc.
    second: Mat3,
}

impl ConvexArc {
    fn new(along: Vec3, normals: Option<[Vec3; 2]>) -> Self {
        let Some([left, right]) = normals else {
            let second = (Mat3::IDENTITY - outer(along, along)) * PI;
            return Self { along, angle: 2.0 * PI, first: Vec3::ZERO, second };
        };
        let across = along.cross(left);
        // An edge that is slightly concave by rounding counts as flat.
        let sine = across.dot(right).max(0.0) + 0.0;
        let angle = sine.atan2(left.dot(right));
        let (s, c) = (libm::sin(angle), libm::cos(angle));
        let second = outer(left, left) * ((angle + s * c) / 2.0)
            + outer(across, across) * ((angle - s * c) / 2.0)
            + symmetric_product(left, across) * (s * s / 2.0);
        Self { along, angle, first: left * s + across * (1.0 - c), second }
    }
}

/// Adds the wedge of radius m around an edge.
fn add_edge(sum: &mut Moments, [from, to]: [Vec3; 2], arc: &ConvexArc, m: f64) {
    let length = (to - from).length();
    let whole = from + to;
    let first = whole * (length / 2.0);
    let second = (outer(whole, whole) + outer(from, from) + outer(to, to)) * (length / 6.0);
    let sector = arc.angle * m * m / 2.0;
    let cube = m * m * m / 3.0;
    sum.area += length * arc.angle * m;
    sum.volume += length * sector;
    sum.first += first * sector + arc.first * (length * cube);
    sum.second +=
        second * sector + symmetric_product(first, arc.first) * cube + arc.second * (length * cube * 0.75 * m);
}

/// The directions in which corners grow, as spherical polygons.
struct BallParts {
    /// Their areas, after all arcs.
    angles: Vec<f64>,
    /// ∫ u.
    first: Vec<Vec3>,
    /// Contribution of the arcs to 3 ∫ u uᵀ.
    second: Vec<Mat3>,
}

impl BallParts {
    fn new(dimension: Dimension, count: usize) -> Self {
        let whole = if dimension == Dimension::Point { 4.0 * PI } else { 2.0 * PI };
        Self { angles: vec![whole; count], first: vec![Vec3::ZERO; count], second: vec![Mat3::ZERO; count] }
    }

    /// Adds the arc of an edge, which bounds the polygons of both its ends.
    fn add_arc(&mut self, ends: [u32; 2], arc: &ConvexArc) {
        for (corner, inward) in [(ends[0] as usize, -arc.along), (ends[1] as usize, arc.along)] {
            self.first[corner] += inward * (arc.angle / 2.0);
            self.second[corner] += symmetric_product(arc.first, inward) * 0.5;
        }
    }

    /// Adds the sector of a ball of radius m at a corner.
    fn add_corner(&self, sum: &mut Moments, k: usize, corner: Vec3, m: f64) {
        // A corner without a facet lies within the rounding of a facet.
        let is_in_facet = self.angles[k] == 2.0 * PI && self.first[k] == Vec3::ZERO;
        let angle = if is_in_facet { 0.0 } else { self.angles[k] };
        let cube = m * m * m / 3.0;
        let second = (Mat3::from_diagonal(Vec3::splat(angle)) + self.second[k]) * (1.0 / 3.0);
        sum.area += angle * m * m;
        sum.volume += angle * cube;
        sum.first += corner * (angle * cube) + self.first[k] * (cube * 0.75 * m);
        sum.second += outer(corner, corner) * (angle * cube)
            + symmetric_product(corner, self.first[k]) * (cube * 0.75 * m)
            + second * (cube * 0.6 * m * m);
    }
}

/// Segments of a tessellation that is so thin or so small that most of it is within the margin of each triangle, which
/// takes correspondingly more time.
const FEW_SEGMENTS: u32 = 32;

/// Computes by lines the moments of an ellipsoid or superellipsoid within a margin for which quadrature over its
/// surface does not converge: flat ones, and ones with edges.
fn by_lines(round: Round, m: f64, error: MassError) -> Result<Moments, MassError> {
    let (radii, [n1, n2]) = match round {
        Round::Ellipsoid { radii } => (radii, [1.0; 2]),
        Round::Superellipsoid { radii, n1, n2 } => (radii, [n1, n2]),
        Round::Cylinder { .. } | Round::Cone { .. } => return Err(error),
    };
    let middle = radii.element_sum() - radii.max_element() - radii.min_element();
    let segments = if middle < m { FEW_SEGMENTS } else { SEGMENTS };
    let Some(unit) = Superellipsoid::new([1.0; 3], n1, n2).and_then(|shape| shape.mesh(segments)).ok() else {
        return Err(error);
    };
    let triangles: Vec<_> =
        unit.triangles().iter().map(|corners| corners.map(|v| unit.vertices()[v as usize] * radii)).collect();
    grown(&triangles, true, m, of_superellipsoid(radii, n1, n2).ok())
}

/// Computes the moments of a superellipsoid of any exponents, convex or not, in a unit in which it is approximately 1.
pub(crate) fn of_superellipsoid(radii: Vec3, n1: f64, n2: f64) -> Result<Moments, MassError> {
    of_round(Round::Superellipsoid { radii, n1, n2 }, 0.0)
}

/// Computes the moments of curved cores, in a unit in which they are approximately 1.
fn of_round(round: Round, m: f64) -> Result<Moments, MassError> {
    match round {
        Round::Cylinder { radius, half_height } => {
            let corners = [[0.0, -half_height], [radius, -half_height], [radius, half_height], [0.0, half_height]];
            Ok(turned(&corners, m))
        }
        Round::Cone { radius, half_height } => {
            Ok(turned(&[[0.0, -half_height], [radius, -half_height], [0.0, half_height]], m))
        }
        Round::Ellipsoid { radii } if m == 0.0 => {
            let volume = 4.0 / 3.0 * PI * radii.x * radii.y * radii.z;
            Ok(Moments::symmetric(ellipsoid_area(radii), volume, radii * radii * (volume / 5.0)))
        }
        Round::Ellipsoid { radii } => over_surface(radii, [2.0; 2], m),
        Round::Superellipsoid { radii, n1, n2 } if m == 0.0 => {
            let (volume, squares) = superellipsoid_moments(radii, n1, n2);
            let area = over_surface(radii, [2.0 / n1, 2.0 / n2], 0.0)?.area;
            Ok(Moments::symmetric(area, volume, squares))
        }
        Round::Superellipsoid { radii, n1, n2 } => over_surface(radii, [2.0 / n1, 2.0 / n2], m),
    }
}

/// Computes the moments of the convex profile of corners [ρ, z], from the axis below to the axis above, grown by m and
/// rotated around the axis.
fn turned(corners: &[[f64; 2]], m: f64) -> Moments {
    let mut sum = Moments::ZERO;
    let mut squares = Vec3::ZERO;
    // Each piece by its point and the derivative of that, over 0 to 1.
    let mut add = |piece: &dyn Fn(f64) -> ([f64; 2], [f64; 2])| {
        for (at, weight) in legendre() {
            let ([rho, z], [d_rho, d_z]) = piece(at);
            let slice = PI * rho * rho * d_z * weight;
            sum.area += 2.0 * PI * rho * (d_rho * d_rho + d_z * d_z).sqrt() * weight;
            sum.volume += slice;
            sum.first.z += slice * z;
            squares += Vec3::new(rho * rho / 4.0, rho * rho / 4.0, z * z) * slice;
        }
    };
    // The profile begins downwards and ends upwards.
    let mut before = -PI / 2.0;
    for (k, &[rho, z]) in corners.iter().enumerate() {
        let next = corners.get(k + 1);
        let after = next.map_or(PI / 2.0, |next| (rho - next[0]).atan2(next[1] - z));
        if m > 0.0 && after > before {
            let turn = after - before;
            add(&|t| {
                let (s, c) = (libm::sin(before + turn * t), libm::cos(before + turn * t));
                ([rho + m * c, z + m * s], [-m * turn * s, m * turn * c])
            });
        }
        if let Some(&[to_rho, to_z]) = next {
            let (s, c) = (libm::sin(after), libm::cos(after));
            let (d_rho, d_z) = (to_rho - rho, to_z - z);
            add(&|t| ([rho + d_rho * t + m * c, z + d_z * t + m * s], [d_rho, d_z]));
        }
        before = after;
    }
    sum.second = Mat3::from_diagonal(squares);
    sum
}

/// Returns the volume, and integrals of xx, yy, zz (Jaklič, Leonardis and Solina 2000).
fn superellipsoid_moments(radii: Vec3, n1: f64, n2: f64) -> (f64, Vec3) {
    let beta = |x: f64, y: f64| libm::tgamma(x) / libm::tgamma(x + y) * libm::tgamma(y);
    let product = radii.x * radii.y * radii.z * n1 * n2;
    let volume = 2.0 * product * beta(n1 / 2.0 + 1.0, n1) * beta(n2 / 2.0, n2 / 2.0);
    let across = product / 2.0 * beta(1.5 * n2, 0.5 * n2) * beta(0.5 * n1, 2.0 * n1 + 1.0);
    let up = product * 2.0 * beta(0.5 * n2, 0.5 * n2 + 1.0) * beta(1.5 * n1, n1 + 1.0);
    (volume, radii * radii * Vec3::new(across, across, up))
}

/// Returns 4π R_G(b²c², c²a², a²b²) (Carlson 1995).
fn ellipsoid_area(radii: Vec3) -> f64 {
    let [x, y, z] = [radii.y * radii.z, radii.z * radii.x, radii.x * radii.y].map(|side| side * side);
    4.0 * PI * symmetric_integral(x, y, z)
}

/// Returns R_G(x, y, z) of nonnegative numbers, by R_F and R_D.
fn symmetric_integral(x: f64, y: f64, z: f64) -> f64 {
    // With the middle number last no digits cancel.
    let mut sorted = [x, y, z];
    sorted.sort_by(f64::total_cmp);
    let [least, middle, most] = sorted;
    if middle <= most * f64::MIN_POSITIVE {
        return most.sqrt() / 2.0;
    }
    let [x, y, z] = [least, most, middle];
    let (f, d) = carlson(x, y, z);
    (z * f + (z - x) * (y - z) / 3.0 * d + (x / z * y).sqrt()) / 2.0
}

/// Returns R_F(x, y, z) and R_D(x, y, z) by duplication, until the numbers differ by so little that a few terms of a
/// series suffice.
fn carlson(mut x: f64, mut y: f64, mut z: f64) -> (f64, f64) {
    let (mut sum, mut power) = (0.0, 1.0);
    // Each step brings the numbers four times as near to each other; the first steps may be slow if one number is tiny.
    for _ in 0..64 {
        let [p, q, r] = [x, y, z].map(f64::sqrt);
        let lambda = p * q + q * r + r * p;
        sum += power / (r * (z + lambda));
        power /= 4.0;
        [x, y, z] = [x, y, z].map(|value| (value + lambda) / 4.0);
        let mean = (x + y + z) / 3.0;
        if [x, y, z].iter().all(|value| (value - mean).abs() < 1e-9 * mean) {
            break;
        }
    }
    let mean = (x + y + 3.0 * z) / 5.0;
    (1.0 / ((x + y + z) / 3.0).sqrt(), 3.0 * sum + power / (mean * mean.sqrt()))
}

/// Integrates over the surface of a superellipsoid of exponents p = 2 / n, grown by m: refines the quadrature until two
/// agree.
fn over_surface(radii: Vec3, exponents: [f64; 2], m: f64) -> Result<Moments, MassError> {
    let relative_difference = |x: f64, y: f64| if x == y { 0.0 } else { ((x - y) / y).abs() };
    let trace = |sum: &Moments| sum.second.x_axis.x + sum.second.y_axis.y + sum.second.z_axis.z;
    let (mut coarse, _) = surface_sum(radii, exponents, m, 8);
    let mut off = f64::INFINITY;
    for steps in [16, 32, 64] {
        let (fine, normals) = surface_sum(radii, exponents, m, steps);
        off = relative_difference(coarse.area, fine.area);
        if m > 0.0 {
            // If edges and corners are left out, the normals do not cover the sphere.
            let normals = relative_difference(normals, 4.0 * PI);
            off = off
                .max(normals)
                .max(relative_difference(coarse.volume, fine.volume))
                .max(relative_difference(trace(&coarse), trace(&fine)));
        }
        if off <= CONVERGED {
            return Ok(fine);
        }
        coarse = fine;
    }
    Err(MassError::NotConverged { off, most: CONVERGED })
}

/// A point on the curve xᵖ + yᵖ = 1 in the first quadrant, with two derivatives, and the weight of its interval.
pub(crate) struct OnCurve {
    pub weight: f64,
    pub at: [f64; 2],
    pub first: [f64; 2],
    second: [f64; 2],
}

/// Returns points on both halves of the quadrant by the ratio t of the lesser coordinate to the greater: x = (1 +
/// tᵖ)^(−1/p), y = t x.
pub(crate) fn curve(p: f64, steps: u32) -> Vec<OnCurve> {
    let mut points = Vec::new();
    for (t, weight) in tanh_sinh(steps, p) {
        let power = libm::pow(t, p);
        let x = libm::pow(1.0 + power, -1.0 / p);
        let g = x / (1.0 + power);
        let steep = power / t;
        let dg = -(1.0 + p) * steep * g / (1.0 + power);
        let (at, first) = ([x, t * x], [-steep * g, g]);
        let second = [-(p - 1.0) * steep / t * g - steep * dg, dg];
        let swapped = |pair: [f64; 2]| [pair[1], pair[0]];
        points.push(OnCurve { weight, at, first, second });
        // The second half runs back, so that x falls and y grows on both.
        let first_back = swapped(first).map(|value| -value);
        points.push(OnCurve { weight, at: swapped(at), first: first_back, second: swapped(second) });
    }
    points
}

/// Computes the integrals over the grown surface, by the theorem of Gauss, and the area of the unit sphere that its
/// normals cover; one octant, eight times.
fn surface_sum(radii: Vec3, [p1, p2]: [f64; 2], m: f64, steps: u32) -> (Moments, f64) {
    let (profile, ring) = (curve(p1, steps), curve(p2, steps));
    let (mut area, mut volume, mut squares, mut normals) = (0.0, 0.0, Vec3::ZERO, 0.0);
    let faces = Vec3::new(radii.y * radii.z, radii.z * radii.x, radii.x * radii.y);
    for up in &profile {
        let ([s, z], [ds, dz], [dds, ddz]) = (up.at, up.first, up.second);
        for round in &ring {
            let ([x, y], [dx, dy], [ddx, ddy]) = (round.at, round.first, round.second);
            let turn = x * dy - y * dx;
            // The normal up to a factor s, and its derivatives up and round.
            let normal = faces * Vec3::new(dz * dy, -dz * dx, -ds * turn);
            let length = normal.length();
            if length == 0.0 {
                continue;
            }
            let unit = normal / length;
            let of_unit = |change: Vec3| (change - unit * unit.dot(change)) / length;
            let weight = 8.0 * up.weight * round.weight;
            let mut by_up = radii * Vec3::new(ds * x, ds * y, dz);
            let mut by_round = radii * Vec3::new(s * dx, s * dy, 0.0);
            let mut point = radii * Vec3::new(s * x, s * y, z);
            if m > 0.0 {
                let turned_up = of_unit(faces * Vec3::new(ddz * dy, -ddz * dx, -dds * turn));
                let turned_round = of_unit(faces * Vec3::new(dz * ddy, -dz * ddx, -ds * (x * ddy - y * ddx)));
                let covered = unit.dot(turned_round.cross(turned_up)) * weight;
                normals += if covered.is_finite() { covered } else { 0.0 };
                (by_up, by_round, point) = (by_up + turned_up * m, by_round + turned_round * m, point + unit * m);
            }
            let across = by_round.cross(by_up);
            let cell = unit.dot(across) * weight;
            if !cell.is_finite() {
                continue;
            }
            area += cell;
            volume += point.dot(unit) * cell / 3.0;
            squares += point * point * point * unit * (cell / 3.0);
        }
    }
    (Moments::symmetric(area, volume, squares), normals)
}
