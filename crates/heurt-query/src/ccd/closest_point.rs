//! Nearest point of a triangle or parallelogram to a point, for the choice of an axis; rounded, and used in no proof.
//!
//! Method: the foot of the perpendicular if it is inside, else the nearest point of the edges.

use crate::ccd::precision::{Number, NumberVector};
use crate::ccd::relative_motion::{MotionPlace, Shadow, UNDERFLOW};

/// The nearest point λu + μv and the unit vector from there towards w, of length 1 within 6ε, or zero if w is in the
/// set.
#[derive(Debug, Clone, Copy)]
pub(super) struct NearestFeature<N> {
    pub axis: NumberVector<N>,
    pub distance: N,
    pub lambda: N,
    pub mu: N,
}

/// Finds the nearest point and the projections along its axis. An axis from a difference of almost equal points is so
/// noisy that corners on the edge, or in the plane, seem to be beyond w. In this case the best of other axes replaces
/// it: the axis made perpendicular to an edge again, or the normal.
#[inline]
pub(super) fn nearest_seen<N: Number, const EDGES: bool>(place: &MotionPlace<N>) -> (NearestFeature<N>, Shadow<N>) {
    let near = nearest::<N, EDGES>(place);
    let seen = place.along(near.axis);
    match seen.gap::<EDGES>() > near.distance.scaled(0.5) {
        true => (near, seen),
        false => sharpened::<N, EDGES>(place, near, seen),
    }
}

#[cold]
#[inline(never)]
fn sharpened<N: Number, const EDGES: bool>(
    place: &MotionPlace<N>,
    near: NearestFeature<N>,
    seen: Shadow<N>,
) -> (NearestFeature<N>, Shadow<N>) {
    let MotionPlace { u, v, w } = *place;
    let (axis, normal) = (nearest_on_edges::<N, EDGES>(place).axis, u.cross(v));
    let upright = |edge: NumberVector<N>| {
        let size = edge.squared();
        if size > N::ZERO { axis - edge.times(axis.dot(edge) / size) } else { NumberVector::zero() }
    };
    let mut best = (near, seen);
    for axis in [axis, upright(u), upright(v), upright(v - u), normal.times(side(normal.dot(w)))] {
        if let Some(axis) = unit(axis) {
            let seen = place.along(axis);
            if seen.gap::<EDGES>() > best.1.gap::<EDGES>() {
                best = (NearestFeature { axis, ..near }, seen);
            }
        }
    }
    best
}

/// Finds the nearest point.
#[inline]
pub(super) fn nearest<N: Number, const EDGES: bool>(place: &MotionPlace<N>) -> NearestFeature<N> {
    let MotionPlace { u, v, w } = *place;
    let normal = u.cross(v);
    let size = normal.squared();
    let (first, second) = (w.cross(v).dot(normal), u.cross(w).dot(normal));
    let is_within = match EDGES {
        false => first + second <= size,
        true => (first <= size) & (second <= size),
    };
    if (first >= N::ZERO) & (second >= N::ZERO) & is_within & (size > N::new(UNDERFLOW)) {
        if size < N::new(N::THIN) * (u.squared() * v.squared()) {
            return nearest_in_thin::<N, EDGES>(place, normal, first / size, second / size);
        }
        let height = normal.dot(w);
        let upwards = side(height) / size.root();
        let (axis, distance) = (normal.times(upwards), height * upwards);
        return NearestFeature { axis, distance, lambda: first / size, mu: second / size };
    }
    nearest_on_edges::<N, EDGES>(place)
}

/// Finds the nearest point if u and v are nearly parallel: the normal may be noise, and the foot anywhere. The foot
/// counts only if it is nearer than the edges.
#[cold]
#[inline(never)]
fn nearest_in_thin<N: Number, const EDGES: bool>(
    place: &MotionPlace<N>,
    normal: NumberVector<N>,
    lambda: N,
    mu: N,
) -> NearestFeature<N> {
    let on_edges = nearest_on_edges::<N, EDGES>(place);
    let distance = (place.w - place.u.times(lambda) - place.v.times(mu)).squared().root();
    if distance < on_edges.distance {
        let axis = normal.times(side(normal.dot(place.w)) / normal.squared().root());
        NearestFeature { axis, distance, lambda, mu }
    } else {
        on_edges
    }
}

/// The offset from a point of the edges to w.
#[derive(Clone, Copy)]
struct PointPath<N> {
    offset: NumberVector<N>,
    lambda: N,
    mu: N,
}

#[inline]
fn nearest_on_edges<N: Number, const EDGES: bool>(place: &MotionPlace<N>) -> NearestFeature<N> {
    let MotionPlace { u, v, w } = *place;
    let (zero, one) = (N::ZERO, N::new(1.0));
    let (along_u, along_v) = (share(w, u), share(w, v));
    let first = PointPath { offset: w - u.times(along_u), lambda: along_u, mu: zero };
    let best = lesser(first, PointPath { offset: w - v.times(along_v), lambda: zero, mu: along_v });
    let best = match EDGES {
        false => {
            let (from_u, edge) = (w - u, v - u);
            let across = share(from_u, edge);
            lesser(best, PointPath { offset: from_u - edge.times(across), lambda: one - across, mu: across })
        }
        true => {
            let (from_u, from_v) = (w - u, w - v);
            let (beside_u, beside_v) = (share(from_v, u), share(from_u, v));
            let third = PointPath { offset: from_v - u.times(beside_u), lambda: beside_u, mu: one };
            lesser(lesser(best, third), PointPath { offset: from_u - v.times(beside_v), lambda: one, mu: beside_v })
        }
    };
    let squared = best.offset.squared();
    let distance = squared.root();
    let axis = if squared > N::new(UNDERFLOW) { best.offset.over(distance) } else { NumberVector::zero() };
    NearestFeature { axis, distance, lambda: best.lambda, mu: best.mu }
}

/// Computes the position of the foot of `w` on `edge`, as a share of the edge.
#[inline]
fn share<N: Number>(w: NumberVector<N>, edge: NumberVector<N>) -> N {
    let (size, zero, one) = (edge.squared(), N::ZERO, N::new(1.0));
    if size > zero {
        let share = (w.dot(edge) / size).greater(zero);
        if share < one { share } else { one }
    } else {
        zero
    }
}

#[inline]
fn lesser<N: Number>(a: PointPath<N>, b: PointPath<N>) -> PointPath<N> {
    if b.offset.squared() < a.offset.squared() { b } else { a }
}

#[inline(always)]
fn side<N: Number>(height: N) -> N {
    N::new(if height < N::ZERO { -1.0 } else { 1.0 })
}

/// Normalises a vector; returns `None` if it is too short.
fn unit<N: Number>(x: NumberVector<N>) -> Option<NumberVector<N>> {
    let squared = x.squared();
    (squared > N::new(UNDERFLOW)).then(|| x.over(squared.root()))
}

/// Lists, for each edge, the axis in the plane that is perpendicular to the edge and has w beyond it.
pub(super) fn sideways<N: Number, const EDGES: bool>(place: &MotionPlace<N>) -> impl Iterator<Item = NumberVector<N>> {
    let MotionPlace { u, v, w } = *place;
    let normal = u.cross(v);
    let edges = if EDGES { [(u, w), (v, w), (u, w - v), (v, w - u)] } else { [(u, w), (v, w), (v - u, w - u), (u, w)] };
    edges.into_iter().filter_map(move |(edge, direction)| {
        let axis = unit(normal.cross(edge))?;
        Some(axis.times(side(axis.dot(direction))))
    })
}
