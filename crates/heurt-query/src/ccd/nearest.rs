//! The point of a triangle or parallelogram nearest to a point, to know along which axis to look: rounded, trusted by nobody.
//!
//! Method: over the inside when the foot of the perpendicular falls there, else the nearest of the edges.

use super::motion::{Place, Shadow, UNDERFLOW};
use heurt_geometry::Vec3;

/// Below this square of the sine between u and v the normal is not trusted.
const THIN: f64 = 1e-12;

/// The nearest point λu + μv and the unit vector from there towards w, of length 1 within 6ε, or zero where w is in the set.
#[derive(Debug, Clone, Copy)]
pub(super) struct Nearest {
    pub axis: Vec3,
    pub distance: f64,
    pub lambda: f64,
    pub mu: f64,
}

/// Finds the nearest point and what is seen along its axis. When the axis comes from a difference of almost equal points, it is
/// noise by so much that corners on the edge, or in the plane, seem to be beyond w: then the best of others takes its place, made
/// upright on an edge once more, or the normal.
#[inline]
pub(super) fn nearest_seen<const EDGES: bool>(place: &Place) -> (Nearest, Shadow) {
    let near = nearest::<EDGES>(place);
    let seen = place.along(near.axis);
    if seen.gap::<EDGES>() > 0.5 * near.distance { (near, seen) } else { sharpened::<EDGES>(place, near, seen) }
}

#[cold]
#[inline(never)]
fn sharpened<const EDGES: bool>(place: &Place, near: Nearest, seen: Shadow) -> (Nearest, Shadow) {
    let Place { u, v, w } = *place;
    let (axis, normal) = (nearest_on_edges::<EDGES>(place).axis, u.cross(v));
    let upright = |edge: Vec3| {
        let size = edge.length_squared();
        if size > 0.0 { axis - edge * (axis.dot(edge) / size) } else { Vec3::ZERO }
    };
    let mut best = (near, seen);
    for axis in [axis, upright(u), upright(v), upright(v - u), normal * normal.dot(w).signum()] {
        let squared = axis.length_squared();
        if squared > UNDERFLOW {
            let axis = axis / squared.sqrt();
            let seen = place.along(axis);
            if seen.gap::<EDGES>() > best.1.gap::<EDGES>() {
                best = (Nearest { axis, ..near }, seen);
            }
        }
    }
    best
}

/// Finds the nearest point.
#[inline]
pub(super) fn nearest<const EDGES: bool>(place: &Place) -> Nearest {
    let Place { u, v, w } = *place;
    let normal = u.cross(v);
    let size = normal.length_squared();
    let (first, second) = (w.cross(v).dot(normal), u.cross(w).dot(normal));
    let is_within = match EDGES {
        false => first + second <= size,
        true => (first <= size) & (second <= size),
    };
    if (first >= 0.0) & (second >= 0.0) & is_within & (size > UNDERFLOW) {
        if size < THIN * (u.length_squared() * v.length_squared()) {
            return nearest_in_thin::<EDGES>(place, normal, first / size, second / size);
        }
        let (length, height) = (size.sqrt(), normal.dot(w));
        let axis = normal * (1.0f64.copysign(height) / length);
        return Nearest { axis, distance: height.abs() / length, lambda: first / size, mu: second / size };
    }
    nearest_on_edges::<EDGES>(place)
}

/// Where u and v are nearly parallel the normal may be noise, and the foot anywhere: it counts only if it is nearer than the edges.
#[cold]
#[inline(never)]
fn nearest_in_thin<const EDGES: bool>(place: &Place, normal: Vec3, lambda: f64, mu: f64) -> Nearest {
    let on_edges = nearest_on_edges::<EDGES>(place);
    let distance = (place.w - place.u * lambda - place.v * mu).length();
    if distance < on_edges.distance {
        let axis = normal * (1.0f64.copysign(normal.dot(place.w)) / normal.length());
        Nearest { axis, distance, lambda, mu }
    } else {
        on_edges
    }
}

/// The way from a point of the edges to w.
#[derive(Clone, Copy)]
struct Way {
    way: Vec3,
    lambda: f64,
    mu: f64,
}

#[inline]
fn nearest_on_edges<const EDGES: bool>(place: &Place) -> Nearest {
    let Place { u, v, w } = *place;
    let (along_u, along_v) = (share(w, u), share(w, v));
    let first = Way { way: w - u * along_u, lambda: along_u, mu: 0.0 };
    let best = lesser(first, Way { way: w - v * along_v, lambda: 0.0, mu: along_v });
    let best = match EDGES {
        false => {
            let (from_u, edge) = (w - u, v - u);
            let across = share(from_u, edge);
            lesser(best, Way { way: from_u - edge * across, lambda: 1.0 - across, mu: across })
        }
        true => {
            let (from_u, from_v) = (w - u, w - v);
            let (beside_u, beside_v) = (share(from_v, u), share(from_u, v));
            let third = Way { way: from_v - u * beside_u, lambda: beside_u, mu: 1.0 };
            lesser(lesser(best, third), Way { way: from_u - v * beside_v, lambda: 1.0, mu: beside_v })
        }
    };
    let squared = best.way.length_squared();
    let distance = squared.sqrt();
    let axis = if squared > UNDERFLOW { best.way / distance } else { Vec3::ZERO };
    Nearest { axis, distance, lambda: best.lambda, mu: best.mu }
}

/// How much of `edge` the foot of `w` on it is.
#[inline]
fn share(w: Vec3, edge: Vec3) -> f64 {
    let size = edge.length_squared();
    if size > 0.0 { (w.dot(edge) / size).clamp(0.0, 1.0) } else { 0.0 }
}

#[inline]
fn lesser(a: Way, b: Way) -> Way {
    if b.way.length_squared() < a.way.length_squared() { b } else { a }
}
