//! Outlines of bubbles: circles and ellipses in a plane.

use heurt_geometry::{DrawSink, Meaning, Vec3};
use std::f64::consts::TAU;

/// Draws a circle in the plane of two unit vectors at right angles, in this number of lines.
pub(super) fn draw_circle(
    centre: Vec3,
    radius: f64,
    [x, y]: [Vec3; 2],
    lines: u32,
    place: impl Fn(Vec3) -> Vec3,
    sink: &mut dyn DrawSink,
) {
    draw_ring(lines, |cos, sin| place(centre + (x * cos + y * sin) * radius), sink);
}

/// Draws the places of a plane from which the distances to both ends of an edge add up to its length and twice `reach`;
/// `normal` is the unit normal of the plane.
pub(super) fn draw_ellipse(
    [a, b]: [Vec3; 2],
    reach: f64,
    normal: Vec3,
    lines: u32,
    place: impl Fn(Vec3) -> Vec3,
    sink: &mut dyn DrawSink,
) {
    let (middle, length) = (a.midpoint(b), a.distance(b));
    let along = (b - a).normalize_or_zero() * (0.5 * length + reach);
    let across = normal.cross(along).normalize_or_zero() * (reach * (length + reach)).sqrt();
    draw_ring(lines, |cos, sin| place(middle + along * cos + across * sin), sink);
}

fn draw_ring(lines: u32, point: impl Fn(f64, f64) -> Vec3, sink: &mut dyn DrawSink) {
    let corner = |k: u32| {
        let (sin, cos) = (TAU * f64::from(k % lines) / f64::from(lines)).sin_cos();
        point(cos, sin)
    };
    (0..lines).for_each(|k| sink.draw_line([corner(k), corner(k + 1)], Meaning::Reach));
}
