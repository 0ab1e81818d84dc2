//! Overlaps on curved ground: sections of bodies with discs, walls and each other.
//!
//! In: sections, balls, walls. Out: whether they overlap, and how deep.
//! Method: two sections are projected along the mean of their normals, and overlap if their polygons in that plane do.
//! A ball overlaps a section if it reaches one of its edges, straight in space, or if its point is in the polygon. A
//! wall is projected along the normal of the section.
//! Guarantees: the same answer for both of a pair, if they come in the same order. Cost: O(corners²).

use super::BodySection;
use crate::crowd::outline::{depth_of_polygons, depth_of_wall};
use crate::form::{box_gap, do_meet, signed_distance};
use heurt_geometry::{Vec2, Vec3};

/// A disc or a section of a body.
#[derive(Debug, Clone, Copy)]
pub(in crate::surface) enum Side<'a> {
    Disc { place: Vec3, normal: Vec3, radius: f64 },
    Section(&'a BodySection),
}

impl Side<'_> {
    /// Returns the place, and the radius of the circle round it.
    fn circle(&self) -> (Vec3, f64) {
        match self {
            Self::Disc { place, radius, .. } => (*place, *radius),
            Self::Section(section) => (section.origin, section.circle),
        }
    }

    /// Computes the gap between the circles of two sides, straight in space, in metres.
    pub(in crate::surface) fn gap_of_circles(&self, other: &Self) -> f64 {
        let ((from, own), (to, theirs)) = (self.circle(), other.circle());
        from.distance(to) - own - theirs
    }

    fn normal(&self) -> Vec3 {
        match self {
            Self::Disc { normal, .. } => *normal,
            Self::Section(section) => section.normal,
        }
    }
}

/// A plane with an origin.
struct Flat {
    origin: Vec3,
    axes: [Vec3; 2],
}

impl Flat {
    /// The plane across a unit vector.
    fn across(normal: Vec3, origin: Vec3) -> Self {
        let (x, y) = normal.any_orthonormal_pair();
        // Seen along the normal from outside, counter-clockwise stays so.
        let axes = if x.cross(y).dot(normal) > 0.0 { [x, y] } else { [y, x] };
        Self { origin, axes }
    }

    fn project(&self, place: Vec3) -> Vec2 {
        let offset = place - self.origin;
        Vec2::new(self.axes[0].dot(offset), self.axes[1].dot(offset))
    }

    fn polygon(&self, section: &BodySection) -> Vec<Vec2> {
        section.corners.iter().map(|&corner| self.project(corner)).collect()
    }
}

/// Finds the plane in which two sides are compared; `None` if they are on different sheets, or too far from each other.
fn common_plane(a: &Side<'_>, b: &Side<'_>) -> Option<Flat> {
    let ((from, own), (to, other)) = (a.circle(), b.circle());
    let normals = [a.normal(), b.normal()];
    let is_near = from.distance(to) < own + other && normals[0].dot(normals[1]) > 0.0;
    is_near.then(|| Flat::across((normals[0] + normals[1]).normalize(), from))
}

fn edges_of(corners: &[Vec2]) -> impl Iterator<Item = [Vec2; 2]> + Clone + '_ {
    (0..corners.len()).map(|k| [corners[k], corners[(k + 1) % corners.len()]])
}

/// Reports whether polygons have a point in common.
fn do_polygons_meet(a: &[Vec2], b: &[Vec2]) -> bool {
    let do_edges = |edge: [Vec2; 2]| edges_of(b).any(|other| box_gap(edge, other) <= 0.0 && do_meet(edge, other));
    edges_of(a).any(do_edges) || signed_distance(a, b[0]) < 0.0 || signed_distance(b, a[0]) < 0.0
}

/// Reports whether two sides overlap.
pub(in crate::surface) fn do_overlap(a: &Side<'_>, b: &Side<'_>) -> bool {
    match (a, b) {
        (Side::Disc { place: from, radius: own, .. }, Side::Disc { place: to, radius: other, .. }) => {
            from.distance(*to) < own + other
        }
        (Side::Section(first), Side::Section(second)) => {
            common_plane(a, b).is_some_and(|flat| do_polygons_meet(&flat.polygon(first), &flat.polygon(second)))
        }
        (Side::Section(_), disc @ Side::Disc { .. }) => gap_of_disc(a, disc) < 0.0,
        (disc @ Side::Disc { .. }, Side::Section(_)) => gap_of_disc(b, disc) < 0.0,
    }
}

/// Computes the gap between a section and a ball, in metres, negative if they overlap; infinity beyond their circles.
fn gap_of_disc(section: &Side<'_>, disc: &Side<'_>) -> f64 {
    let (Side::Section(body), Side::Disc { place, radius, .. }) = (section, disc) else { return f64::INFINITY };
    if body.origin.distance(*place) >= body.circle + radius {
        return f64::INFINITY;
    }
    let edge = body.edges().map(|ends| nearest_in_space(ends, *place).distance(*place)).fold(f64::INFINITY, f64::min);
    let is_inside = common_plane(section, disc)
        .is_some_and(|flat| signed_distance(&flat.polygon(body), flat.project(*place)) < 0.0);
    if is_inside { -edge - radius } else { edge - radius }
}

/// Computes how deep two sides overlap, in metres; 0 if they do not.
pub(in crate::surface) fn depth_of_pair(a: &Side<'_>, b: &Side<'_>) -> f64 {
    let depth = match (a, b) {
        (Side::Disc { place: from, radius: own, .. }, Side::Disc { place: to, radius: other, .. }) => {
            own + other - from.distance(*to)
        }
        (Side::Section(first), Side::Section(second)) => match common_plane(a, b) {
            Some(flat) => {
                let [first, second] = [flat.polygon(first), flat.polygon(second)];
                if do_polygons_meet(&first, &second) { depth_of_polygons(&first, &second) } else { 0.0 }
            }
            None => 0.0,
        },
        (Side::Section(_), disc @ Side::Disc { .. }) => -gap_of_disc(a, disc),
        (disc @ Side::Disc { .. }, Side::Section(_)) => -gap_of_disc(b, disc),
    };
    depth.max(0.0)
}

/// Projects a section and a wall along the normal of the section; `None` if the wall is beyond its circle.
fn with_wall(section: &BodySection, wall: [Vec3; 2]) -> Option<(Vec<Vec2>, [Vec2; 2])> {
    let is_near = nearest_in_space(wall, section.origin).distance(section.origin) < section.circle;
    is_near.then(|| {
        let flat = Flat { origin: section.origin, axes: section.axes() };
        (flat.polygon(section), wall.map(|end| flat.project(end)))
    })
}

/// Reports whether a section reaches over a wall.
pub(in crate::surface) fn overlaps_wall(section: &BodySection, wall: [Vec3; 2]) -> bool {
    with_wall(section, wall).is_some_and(|(corners, wall)| {
        edges_of(&corners).any(|edge| box_gap(edge, wall) <= 0.0 && do_meet(edge, wall))
            || signed_distance(&corners, wall[0]) < 0.0
    })
}

/// Computes how deep a section reaches over a wall, in metres; the free ground is on the left of the wall.
pub(in crate::surface) fn depth_at_wall(section: &BodySection, wall: [Vec3; 2]) -> f64 {
    let depth = |(corners, wall): (Vec<Vec2>, [Vec2; 2])| depth_of_wall(&corners, wall).max(0.0);
    if overlaps_wall(section, wall) { with_wall(section, wall).map_or(0.0, depth) } else { 0.0 }
}

/// Finds the nearest point of a segment in space.
pub(super) fn nearest_in_space([a, b]: [Vec3; 2], place: Vec3) -> Vec3 {
    let along = b - a;
    let square = along.length_squared();
    let share = if square > 0.0 { ((place - a).dot(along) / square).clamp(0.0, 1.0) } else { 0.0 };
    a + along * share
}
