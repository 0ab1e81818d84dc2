//! Blossom of a B-spline curve: de Boor's algorithm with one argument per step.
//!
//! In: knots, a degree, a span and control points in homogeneous coordinates. Out: a point of the curve, or a control
//! point of one of its Bézier pieces.
//! Method: Ramshaw 1989. The blossom f(u₁ … u_p) of a span [a, b] is the point of the curve for equal arguments u, and
//! Bézier control point i of the span for p − i arguments a and i arguments b.
//! Guarantees: an argument equal to a knot selects without rounding (weights 0 and 1). Bézier points
//! of reversed control points with knots negated and reversed have the same bits.
//! Cost: O(p²).

use std::cmp::Ordering;

/// Homogeneous coordinates: x·w, y·w, z·w, w.
pub(super) type Homogeneous = [f64; 4];

/// Computes `s` · `a` + `t` · `b`.
pub(super) fn mix(s: f64, a: Homogeneous, t: f64, b: Homogeneous) -> Homogeneous {
    std::array::from_fn(|axis| s * a[axis] + t * b[axis])
}

/// Computes the blossom of the span `knots[span] .. knots[span + 1]`, which is not empty, at as many arguments as the
/// degree.
pub(super) fn blossom(knots: &[f64], points: &[Homogeneous], span: usize, arguments: &[f64]) -> Homogeneous {
    let degree = arguments.len();
    let mut work: Vec<Homogeneous> = points[span - degree..=span].to_vec();
    for (step, &argument) in arguments.iter().enumerate() {
        for index in (step + 1..=degree).rev() {
            let low = knots[span - degree + index];
            let high = knots[span + index - step];
            let length = high - low;
            // Both weights as quotients, so that reversal gives the same bits.
            work[index] = mix((high - argument) / length, work[index - 1], (argument - low) / length, work[index]);
        }
    }
    work[degree]
}

/// Lists the spans that are not empty.
pub(super) fn spans(knots: &[f64], degree: usize) -> impl Iterator<Item = usize> + '_ {
    (degree..knots.len() - degree - 1).filter(move |&span| knots[span] < knots[span + 1])
}

/// Computes the control points of the Bézier pieces of a curve; neighbours share the control point between them:
/// pieces · `degree` + 1 points.
pub(super) fn bezier_points(knots: &[f64], degree: usize, points: &[Homogeneous]) -> Vec<Homogeneous> {
    let mut all: Vec<Homogeneous> = Vec::new();
    for span in spans(knots, degree) {
        let ends = [knots[span], knots[span + 1]];
        for index in 0..=degree {
            // The end with more arguments comes first, so that reversal keeps the order of the steps.
            let ordered = |first: usize, count: usize| {
                let argument = |step: usize| if step < count { ends[first] } else { ends[1 - first] };
                blossom(knots, points, span, &(0..degree).map(argument).collect::<Vec<f64>>())
            };
            let point = match (2 * index).cmp(&degree) {
                Ordering::Less => ordered(0, degree - index),
                Ordering::Greater => ordered(1, index),
                Ordering::Equal => mix(0.5, ordered(0, index), 0.5, ordered(1, index)),
            };
            match all.last_mut() {
                // Two spans compute this point with different roundings: the mean is the same in both directions.
                Some(last) if index == 0 => *last = mix(0.5, *last, 0.5, point),
                _ => all.push(point),
            }
        }
    }
    all
}
