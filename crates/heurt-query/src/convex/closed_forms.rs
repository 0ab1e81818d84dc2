//! Closed forms for the separation of convex pairs: a point or a segment (so spheres and capsules) against points,
//! segments, triangles and boxes, a point against cylinders and cones, two boxes. Half-spaces have theirs in
//! `half_space`.
//!
//! In: two placed cores. Out: [`FormSeparation`], `None` if there is no formula.
//! Method: disjoint polyhedra are nearest at a corner of one, or at an edge of each. The point of a box nearest to
//! another point is each coordinate clamped. The depth of overlapping polyhedra is the least overlap along the normal
//! of a face, or the product of two edges (`sat`). Cylinders and cones become profiles for a point. All lengths are in
//! a unit in which squares are numbers.
//! Guarantees: some ulp of the largest coordinate, except for edges that are nearly parallel. Cost: two disjoint boxes
//! take 160 tests of features; `gjk` is faster there, and these formulas are its reference. Queries use these formulas
//! for two segments.

use super::sat::least_overlap;
use crate::convex::pair::ConvexPair;
use crate::convex::support::PlacedHull;
use crate::triangle::closest_point::{closest_on_triangle, foot_on_segment};
use heurt_geometry::{Mat3, Pose, Vec3, power_of_two_scale};
use heurt_shape::{Convex, Core, Round};

/// The separation of two cores.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FormSeparation {
    /// The distance, or minus the depth.
    pub length: f64,
    /// Unit vector from A to B.
    pub normal: Vec3,
    /// The nearest points of disjoint cores.
    pub points: Option<[Vec3; 2]>,
}

/// A core that has formulas, in the world.
enum PlacedForm<'a> {
    /// A point, a segment, a triangle or a box.
    Flat(Polyhedron<'a>),
    /// A cylinder or a cone, its rotation and its position.
    Turned(Round, Mat3, Vec3),
}

/// Corners and edges of a point, a segment, a triangle or a box.
struct Polyhedron<'a> {
    placed: PlacedHull<'a>,
    corners: Vec<Vec3>,
    edges: Vec<[Vec3; 2]>,
    /// The middle of a box and half of its edges.
    of_box: Option<(Vec3, [Vec3; 3])>,
}

/// Computes the separation of two cores by a formula, if there is one.
pub(crate) fn separation(pair: ConvexPair<'_>) -> Option<FormSeparation> {
    let unit = power_of_two_scale(pair.largest());
    let found = match (placed(pair.a, pair.pose_a, unit)?, placed(pair.b, pair.pose_b, unit)?) {
        (PlacedForm::Flat(a), PlacedForm::Flat(b)) => of_polyhedra(&a, &b)?,
        (PlacedForm::Flat(a), PlacedForm::Turned(round, axes, at)) => of_turned(a.point()?, round, &axes, at)?,
        (PlacedForm::Turned(round, axes, at), PlacedForm::Flat(b)) => {
            let found = of_turned(b.point()?, round, &axes, at)?;
            FormSeparation { normal: -found.normal, points: found.points.map(|[p, q]| [q, p]), ..found }
        }
        (PlacedForm::Turned(..), PlacedForm::Turned(..)) => return None,
    };
    let points = found.points.map(|points| points.map(|point| point / unit));
    Some(FormSeparation { length: found.length / unit, normal: found.normal, points })
}

/// Places a core; a metre is `unit` units.
fn placed<'a>(shape: &'a Convex, pose: &'a Pose, unit: f64) -> Option<PlacedForm<'a>> {
    let hull = match shape.core() {
        Core::Hull(hull) => hull,
        Core::Round(round @ (Round::Cylinder { .. } | Round::Cone { .. })) => {
            return Some(PlacedForm::Turned(round.scaled(unit), *pose.rotation(), pose.translation() * unit));
        }
        Core::Round(_) | Core::HalfSpace { .. } => return None,
    };
    if !hull.loose().is_empty() {
        return None;
    }
    let corners: Vec<Vec3> = hull.corners().iter().map(|&corner| pose.place(corner) * unit).collect();
    let (low, high) = (hull.bounds().min, hull.bounds().max);
    let is_end = |corner: &Vec3| (0..3).all(|k| corner[k] == low[k] || corner[k] == high[k]);
    let edge = |ends: [u32; 2]| ends.map(|end| corners[end as usize]);
    let edges = hull.edges().iter().map(|found| edge(found.ends)).collect();
    let of_box = match corners.len() {
        1..=3 => None,
        8 if hull.corners().iter().all(is_end) => {
            let (half, axes) = (hull.bounds().half_extents() * unit, pose.rotation());
            let middle = pose.place(hull.bounds().centre()) * unit;
            Some((middle, [axes.x_axis * half.x, axes.y_axis * half.y, axes.z_axis * half.z]))
        }
        _ => return None,
    };
    Some(PlacedForm::Flat(Polyhedron { placed: PlacedHull { hull, pose, unit }, corners, edges, of_box }))
}

impl Polyhedron<'_> {
    fn point(&self) -> Option<Vec3> {
        (self.corners.len() == 1).then(|| self.corners[0])
    }

    /// Returns the point of the polyhedron that is nearest to a point.
    fn nearest_to(&self, point: Vec3) -> Vec3 {
        match (&self.of_box, self.corners[..].as_array::<3>()) {
            (Some((middle, half)), _) => half.iter().fold(*middle, |sum, half| {
                let whole = half.length_squared();
                let share = if whole > 0.0 { half.dot(point - *middle) / whole } else { 0.0 };
                sum + *half * share.clamp(-1.0, 1.0)
            }),
            (None, Some(triangle)) => closest_on_triangle(point, triangle),
            (None, None) => match self.corners[..] {
                [from, to] => foot_on_segment(point, from, to),
                _ => self.corners[0],
            },
        }
    }
}

fn of_polyhedra(a: &Polyhedron<'_>, b: &Polyhedron<'_>) -> Option<FormSeparation> {
    if a.corners.len() == 3 && b.corners.len() == 3 {
        return None;
    }
    let least = least_overlap(&a.placed, &b.placed)?;
    if least.depth >= 0.0 {
        return Some(FormSeparation { length: -least.depth, normal: least.normal, points: None });
    }
    let [on_a, on_b] = nearest_features(a, b);
    let offset = on_b - on_a;
    let normal = offset.try_normalize().unwrap_or(least.normal);
    Some(FormSeparation { length: offset.length(), normal, points: Some([on_a, on_b]) })
}

/// Finds the nearest points of two disjoint cores: at a corner of one, or at an edge of each.
fn nearest_features(a: &Polyhedron<'_>, b: &Polyhedron<'_>) -> [Vec3; 2] {
    let of_corners = a.corners.iter().map(|&corner| [corner, b.nearest_to(corner)]);
    let of_others = b.corners.iter().map(|&corner| [a.nearest_to(corner), corner]);
    let of_edges = a.edges.iter().flat_map(|&x| b.edges.iter().map(move |&y| nearest_on_segments(x, y)));
    let length = |points: &[Vec3; 2]| (points[1] - points[0]).length_squared();
    let nearest = of_corners.chain(of_others).chain(of_edges).min_by(|x, y| length(x).total_cmp(&length(y)));
    nearest.unwrap_or([Vec3::ZERO; 2])
}

/// Finds the nearest points of two segments: on the lines if these points lie within both segments, else at an end of
/// one (Ericson 2005, §5.1.9).
#[inline(always)]
pub(crate) fn nearest_on_segments(x: [Vec3; 2], y: [Vec3; 2]) -> [Vec3; 2] {
    let (along_x, along_y, between) = (x[1] - x[0], y[1] - y[0], x[0] - y[0]);
    let (xx, xy, yy) = (along_x.length_squared(), along_x.dot(along_y), along_y.length_squared());
    let (x_gap, y_gap) = (along_x.dot(between), along_y.dot(between));
    let across = xx * yy - xy * xy;
    // Parallel segments are as near at an end.
    let share = if across > 0.0 { ((xy * y_gap - x_gap * yy) / across).clamp(0.0, 1.0) } else { 0.0 };
    let on_y = foot_on_segment(x[0] + along_x * share, y[0], y[1]);
    let on_x = foot_on_segment(on_y, x[0], x[1]);
    [on_x, foot_on_segment(on_x, y[0], y[1])]
}

/// Computes the separation of a point and a cylinder or a cone, by the profile of the solid: points [ρ, z] with ρ ≥ 0.
fn of_turned(point: Vec3, round: Round, axes: &Mat3, at: Vec3) -> Option<FormSeparation> {
    let local = axes.transpose() * (point - at);
    let across = local.x.hypot(local.y);
    // The profile of the boundary: an outline from the axis to the axis, convex, counter-clockwise seen with ρ to the
    // right.
    let outline: &[[f64; 2]] = match round {
        Round::Cylinder { radius, half_height } => {
            &[[0.0, -half_height], [radius, -half_height], [radius, half_height], [0.0, half_height]]
        }
        Round::Cone { radius, half_height } => &[[0.0, -half_height], [radius, -half_height], [0.0, half_height]],
        Round::Ellipsoid { .. } | Round::Superellipsoid { .. } => return None,
    };
    let seen = Vec3::new(across, local.z, 0.0);
    let place = |[rho, z]: [f64; 2]| Vec3::new(rho, z, 0.0);
    let sides = outline.windows(2).map(|ends| [place(ends[0]), place(ends[1])]);
    // Heights over each side: for a point inside, the least deep side counts.
    let beyond = sides.clone().filter_map(|[from, to]| {
        let out = Vec3::new(to.y - from.y, from.x - to.x, 0.0).try_normalize()?;
        Some((out.dot(seen - from), out))
    });
    let (over, out) = beyond.max_by(|x, y| x.0.total_cmp(&y.0))?;
    // On the axis, any direction across it is as good.
    let outwards = if across > 0.0 { Vec3::new(local.x, local.y, 0.0) / across } else { Vec3::X };
    let turned = |flat: Vec3| *axes * (outwards * flat.x + Vec3::Z * flat.y);
    if over <= 0.0 {
        // The normal leads from the point to the solid: the solid moves away against its own normal.
        return Some(FormSeparation { length: over, normal: -turned(out), points: None });
    }
    let on_sides = sides.map(|[from, to]| foot_on_segment(seen, from, to));
    let nearest = on_sides.min_by(|x, y| (*x - seen).length_squared().total_cmp(&(*y - seen).length_squared()))?;
    let offset = nearest - seen;
    let normal = turned(offset.try_normalize().unwrap_or(-out));
    Some(FormSeparation { length: offset.length(), normal, points: Some([point, at + turned(nearest)]) })
}
