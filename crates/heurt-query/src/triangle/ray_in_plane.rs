//! Section of a line with a triangle in whose plane the line lies.
//!
//! Method: seen along the line, every corner lies to one side, exactly: d × (p − o) sums without loss. Corners on the
//! line and crossings of the edges between corners on both sides bound the section.
//! Guarantees: the decision whether there is a section is exact, degenerate triangles included.

use super::ray_side::near_one;
use crate::numeric::expansion::Sum;
use heurt_geometry::{Triangle, Vec3};

/// Computes the first and last parameter of the line `origin` + t · `direction` within the closed triangle `t`, in
/// whose plane it lies, and a bound on their errors; `None` if it misses.
#[cold]
#[inline(never)]
pub(crate) fn section_along(origin: Vec3, direction: Vec3, t: &Triangle) -> Option<([f64; 2], f64)> {
    let asides = t.map(|corner| aside(origin, direction, t, corner));
    // All three vectors are parallel: one component decides.
    let largest = |axis: usize| asides.iter().fold(0.0f64, |most, aside| most.max(aside[axis].abs()));
    let axis = (0..3).fold(0, |best, axis| if largest(axis) > largest(best) { axis } else { best });
    let aside = asides.map(|aside| aside[axis]);
    let away = t.map(|corner| corner - origin);
    let along = away.map(|corner| corner.dot(direction) / direction.length_squared());
    let (mut first, mut last) = (f64::INFINITY, f64::NEG_INFINITY);
    let mut reach = |parameter: f64| (first, last) = (first.min(parameter), last.max(parameter));
    for k in 0..3 {
        let next = (k + 1) % 3;
        if aside[k] == 0.0 {
            reach(along[k]);
        }
        if aside[k] < 0.0 && aside[next] > 0.0 || aside[k] > 0.0 && aside[next] < 0.0 {
            let (of_k, of_next) = (aside[next].abs(), aside[k].abs());
            reach((along[k] * of_k + along[next] * of_next) / (of_k + of_next));
        }
    }
    let size = away.iter().fold(0.0f64, |most, corner| most.max(corner.abs().max_element()));
    // The number of roundings equals the number for the shares of corners.
    (first <= last).then(|| ([first, last], 14.0 * f64::EPSILON * size / direction.length()))
}

/// Computes direction × (p − origin), each component rounded once, in a unit that is the same for all corners of `t`.
fn aside(origin: Vec3, direction: Vec3, t: &Triangle, p: Vec3) -> [f64; 3] {
    let scale = near_one(origin, t);
    let (o, p, d) = (origin * scale, p * scale, direction);
    [0, 1, 2].map(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let mut sum = Sum::<16>::new();
        for (one, other) in [(p, 1.0), (o, -1.0)] {
            sum.add_product(d[i], one[j], other);
            sum.add_product(-d[j], one[i], other);
        }
        sum.rounded()
    })
}
