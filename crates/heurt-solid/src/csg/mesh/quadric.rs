//! Closed meshes of quadrics whose sections along an axis are ellipses: a profile that is swept around the axis.
//!
//! In: a quadric A u² + B v² + … ≤ 0 with A and B of one sign and without products of coordinates, half-spaces, a box.
//! Out: one closed mesh for each sheet of the quadric within the box.
//! Method: sections across the axis z are ellipses around one line, whose largest radius S obeys S² = αz² + βz + γ.
//! The profile S(z) is a conic. A chord of it is divided where the tangent is parallel to the chord, which is the point
//! of the greatest distance, until half of the tolerance is kept. The ellipses have the second half. If A and B are
//! negative, the mesh bounds the complement.
//! Guarantees: vertices lie on the quadric, up to rounding. Half-spaces across the axis end the profile exactly.
//! Not guaranteed: quadrics with products of coordinates, parabolic cylinders and saddles are refused.

use super::leaf::TessellationFault;
use super::round::circle_segments;
use crate::csg::scad::circle_direction;
use crate::half_space::{HalfSpace, Quadric};
use heurt_geometry::{Aabb, Vec3};
use heurt_mesh::TriMesh;

/// The greatest number of points of a profile.
const MAX_STATIONS: usize = 4096;
/// A discriminant below this share of its terms is 0: the profile is a pair of lines. Both terms carry 4 ulp at most.
const DOUBLE_ROOT: f64 = 16.0 * f64::EPSILON;

/// Why a quadric has no mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QuadricFault {
    /// No axis has ellipses as sections.
    NoAxis,
    /// It needs too many vertices.
    TooFine,
}

/// The meshes of a quadric.
pub(super) struct QuadricMesh {
    pub(super) pieces: Vec<TriMesh>,
    /// Whether the pieces are the complement.
    pub(super) is_outside: bool,
    /// The half-spaces that end the profile.
    pub(super) limits: Vec<usize>,
}

/// A quadric along an axis.
struct Sweep {
    /// The axis, and the two directions across, in the order of a right-handed frame.
    axes: [usize; 3],
    /// The line of the centres, across the axis.
    centre: [f64; 2],
    /// The radii of the ellipses, as shares of the largest one.
    shares: [f64; 2],
    /// α, β, γ of S² = αz² + βz + γ.
    profile: [f64; 3],
    is_outside: bool,
}

/// A point (z, S) of a profile.
type Station = [f64; 2];

/// Makes the meshes of a quadric within a box. Half-spaces across the axis end it.
pub(super) fn quadric_mesh(
    quadric: &Quadric,
    half_spaces: &[HalfSpace],
    clip: &Aabb,
    tolerance: f64,
) -> Result<QuadricMesh, QuadricFault> {
    let sweep = Sweep::new(quadric).ok_or(QuadricFault::NoAxis)?;
    let [axis, u, v] = sweep.axes;
    let (mut range, mut limits) = ([clip.min[axis], clip.max[axis]], Vec::new());
    let across =
        half_spaces.iter().enumerate().filter(|(_, plane)| plane.normal()[u] == 0.0 && plane.normal()[v] == 0.0);
    for (index, plane) in across.filter(|_| !sweep.is_outside) {
        let slope = plane.normal()[axis];
        let bound = -plane.offset() / slope;
        range = if slope > 0.0 { [range[0], range[1].min(bound)] } else { [range[0].max(bound), range[1]] };
        limits.push(index);
    }
    let fine = |_: TessellationFault| QuadricFault::TooFine;
    let mut pieces = Vec::new();
    for ends in sweep.intervals(range) {
        let stations = sweep.stations(ends, 0.5 * tolerance)?;
        let largest = stations.iter().fold(0.0, |largest: f64, station| largest.max(station[1]));
        let segments = circle_segments(largest, 0.5 * tolerance).map_err(fine)?;
        if stations.len() * segments as usize > 1 << 22 {
            return Err(QuadricFault::TooFine);
        }
        pieces.push(sweep.lofted(&stations, segments).ok_or(QuadricFault::TooFine)?);
    }
    Ok(QuadricMesh { pieces, is_outside: sweep.is_outside, limits })
}

impl Sweep {
    fn new(quadric: &Quadric) -> Option<Self> {
        let (matrix, linear) = (quadric.matrix(), quadric.linear());
        let entry = |row: usize, column: usize| matrix.col(column)[row];
        if entry(0, 1) != 0.0 || entry(0, 2) != 0.0 || entry(1, 2) != 0.0 {
            return None;
        }
        let axes = [[2, 0, 1], [0, 1, 2], [1, 2, 0]];
        let is_round = |[_, u, v]: &[usize; 3]| {
            let [a, b] = [entry(*u, *u), entry(*v, *v)];
            a != 0.0 && b != 0.0 && (a > 0.0) == (b > 0.0)
        };
        let [axis, u, v] = axes.into_iter().find(is_round)?;
        let sign = entry(u, u).signum();
        let [a, b] = [sign * entry(u, u), sign * entry(v, v)];
        let [linear_u, linear_v] = [sign * linear[u], sign * linear[v]];
        let constant = sign * quadric.constant() - linear_u * linear_u / (4.0 * a) - linear_v * linear_v / (4.0 * b);
        let least = a.min(b);
        let profile = [sign * entry(axis, axis), sign * linear[axis], constant].map(|term| -term / least);
        let centre = [-linear_u / (2.0 * a), -linear_v / (2.0 * b)];
        let is_finite = profile.iter().chain(&centre).all(|number| number.is_finite());
        let shares = [(least / a).sqrt(), (least / b).sqrt()];
        is_finite.then_some(Self { axes: [axis, u, v], centre, shares, profile, is_outside: sign < 0.0 })
    }

    fn radius(&self, z: f64) -> f64 {
        let [a, b, c] = self.profile;
        ((a * z + b) * z + c).max(0.0).sqrt()
    }

    /// Returns the ends of the profile within a range, one pair for each sheet.
    fn intervals(&self, [from, to]: [f64; 2]) -> Vec<[Station; 2]> {
        let roots = roots(self.profile);
        let mut bounds = vec![[from, self.radius(from)]];
        bounds.extend(roots.into_iter().filter(|root| from < *root && *root < to).map(|root| [root, 0.0]));
        bounds.push([to, self.radius(to)]);
        let pairs = bounds.windows(2).filter_map(|pair| <[Station; 2]>::try_from(pair).ok());
        let has_inside = |[a, b]: &[Station; 2]| {
            let middle = 0.5 * (a[0] + b[0]);
            a[0] < middle && middle < b[0] && self.radius(middle) > 0.0
        };
        pairs.filter(has_inside).collect()
    }

    /// Returns the points of the profile between two ends.
    fn stations(&self, [first, last]: [Station; 2], tolerance: f64) -> Result<Vec<Station>, QuadricFault> {
        let (mut stations, mut open) = (vec![first], vec![[first, last]]);
        while let Some([a, b]) = open.pop() {
            // Between two apexes there is a wider section.
            let tolerance = if a[1] == 0.0 && b[1] == 0.0 { 0.0 } else { tolerance };
            match self.widest_point(a, b, tolerance) {
                Some(middle) => open.extend([[middle, b], [a, middle]]),
                None => stations.push(b),
            }
            if stations.len() + open.len() > MAX_STATIONS {
                return Err(QuadricFault::TooFine);
            }
        }
        Ok(stations)
    }

    /// Returns the point of the profile with the greatest distance from a chord, if that exceeds the tolerance.
    fn widest_point(&self, a: Station, b: Station, tolerance: f64) -> Option<Station> {
        let [alpha, beta, gamma] = self.profile;
        let slope = (b[1] - a[1]) / (b[0] - a[0]);
        let square = slope * slope;
        // (2αz + β)² = 4 slope² S².
        let tangents =
            [4.0 * alpha * (alpha - square), 4.0 * beta * (alpha - square), beta * beta - 4.0 * square * gamma];
        let distance = |z: f64| (self.radius(z) - a[1] - slope * (z - a[0])).abs() / (1.0 + square).sqrt();
        let points = roots(tangents).into_iter().filter(|z| a[0] < *z && *z < b[0]);
        let widest = points.max_by(|y, z| distance(*y).total_cmp(&distance(*z)))?;
        (distance(widest) > tolerance).then(|| [widest, self.radius(widest)])
    }

    fn point(&self, z: f64, [u, v]: [f64; 2]) -> Vec3 {
        let mut point = Vec3::ZERO;
        point[self.axes[0]] = z;
        point[self.axes[1]] = u;
        point[self.axes[2]] = v;
        point
    }

    /// Connects the ellipses of the stations to a closed mesh; ends of a radius above 0 are closed by fans.
    fn lofted(&self, stations: &[Station], segments: u32) -> Option<TriMesh> {
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        let next = |k: u32| (k + 1) % segments;
        let mut below: Option<u32> = None;
        for (number, &[z, radius]) in stations.iter().enumerate() {
            let (is_first, is_last) = (number == 0, number + 1 == stations.len());
            let start = vertices.len() as u32;
            if radius > 0.0 {
                vertices.extend((0..segments).map(|k| {
                    let [cosine, sine] = circle_direction(k, segments);
                    let [u, v] = self.centre;
                    self.point(z, [u + self.shares[0] * radius * cosine, v + self.shares[1] * radius * sine])
                }));
            }
            let centre = vertices.len() as u32;
            if radius == 0.0 || is_first || is_last {
                vertices.push(self.point(z, self.centre));
            }
            for k in 0..segments {
                let [own, own_next] = [start + k, start + next(k)];
                match below {
                    None if radius > 0.0 => triangles.push([centre, own_next, own]),
                    None => {}
                    // The station below is an apex.
                    Some(apex) if number == 1 && stations[0][1] == 0.0 => triangles.push([apex, own_next, own]),
                    Some(low) if radius == 0.0 => triangles.push([low + k, low + next(k), centre]),
                    Some(low) => {
                        triangles.extend([[low + k, low + next(k), own_next], [low + k, own_next, own]]);
                    }
                }
                if is_last && radius > 0.0 {
                    triangles.push([centre, own, own_next]);
                }
            }
            below = Some(start);
        }
        TriMesh::new(vertices, triangles).ok()
    }
}

/// Returns the real roots of az² + bz + c in ascending order; a double root once.
fn roots([a, b, c]: [f64; 3]) -> Vec<f64> {
    if a == 0.0 {
        return if b == 0.0 { Vec::new() } else { vec![-c / b] };
    }
    let (square, product) = (b * b, 4.0 * a * c);
    let discriminant = square - product;
    if discriminant.abs() <= DOUBLE_ROOT * square.max(product.abs()) {
        return vec![-b / (2.0 * a)];
    }
    if discriminant < 0.0 {
        return Vec::new();
    }
    let sum = -0.5 * (b + discriminant.sqrt().copysign(b));
    let mut found = vec![sum / a, c / sum];
    found.sort_by(f64::total_cmp);
    found
}
