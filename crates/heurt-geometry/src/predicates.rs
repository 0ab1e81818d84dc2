//! interim
use crate::{Triangle, Vec2, Vec3};
use robust::{Coord, Coord3D};
/// Sign of an exact value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sign { /// < 0
 Negative = -1, /// = 0
 Zero = 0, /// > 0
 Positive = 1 }
fn sign(x: f64) -> Sign { if x > 0.0 { Sign::Positive } else if x < 0.0 { Sign::Negative } else { Sign::Zero } }
/// ccw
pub fn orient2d(a: Vec2, b: Vec2, c: Vec2) -> Sign { let p = |v: Vec2| Coord { x: v.x, y: v.y }; sign(robust::orient2d(p(a), p(b), p(c))) }
/// see brief
pub fn orient3d(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> Sign { let p = |v: Vec3| Coord3D { x: v.x, y: v.y, z: v.z }; sign(-robust::orient3d(p(a), p(b), p(c), p(d))) }
/// degenerate
pub fn is_degenerate(t: &Triangle) -> bool { (0..3).all(|k| orient2d(drop(t[0], k), drop(t[1], k), drop(t[2], k)) == Sign::Zero) }
fn drop(v: Vec3, k: usize) -> Vec2 { match k { 0 => Vec2::new(v.y, v.z), 1 => Vec2::new(v.z, v.x), _ => Vec2::new(v.x, v.y) } }
/// on
pub fn point_on_triangle(p: Vec3, t: &Triangle) -> bool {
    if orient3d(t[0], t[1], t[2], p) != Sign::Zero { return false; }
    for k in 0..3 { let q = t.map(|v| drop(v, k)); let o = orient2d(q[0], q[1], q[2]); if o == Sign::Zero { continue; }
        let p = drop(p, k); return (0..3).all(|e| { let s = orient2d(q[e], q[(e + 1) % 3], p); s == o || s == Sign::Zero }); }
    (0..3).any(|e| { let (a, b) = (t[e], t[(e + 1) % 3]); p.cmpge(a.min(b)).all() && p.cmple(a.max(b)).all() && is_degenerate(&[a, b, p]) })
}
fn seg2(a: Vec2, b: Vec2, c: Vec2, d: Vec2) -> bool {
    let (o1, o2, o3, o4) = (orient2d(a, b, c), orient2d(a, b, d), orient2d(c, d, a), orient2d(c, d, b));
    let on = |a: Vec2, b: Vec2, p: Vec2| p.cmpge(a.min(b)).all() && p.cmple(a.max(b)).all();
    (o1 != o2 && o3 != o4 && (o1 as i8 * o2 as i8) <= 0 && (o3 as i8 * o4 as i8) <= 0 && !(o1 == Sign::Zero && o2 == Sign::Zero)) || (o1 == Sign::Zero && on(a, b, c)) || (o2 == Sign::Zero && on(a, b, d)) || (o3 == Sign::Zero && on(c, d, a)) || (o4 == Sign::Zero && on(c, d, b))
}
/// segment
pub fn segment_intersects_triangle(p: Vec3, q: Vec3, t: &Triangle) -> bool {
    if point_on_triangle(p, t) || point_on_triangle(q, t) { return true; }
    if is_degenerate(t) { return (0..3).any(|e| segs3(p, q, t[e], t[(e + 1) % 3])); }
    let (a, b) = (orient3d(t[0], t[1], t[2], p), orient3d(t[0], t[1], t[2], q));
    if a == Sign::Zero && b == Sign::Zero { return (0..3).any(|e| segs3(p, q, t[e], t[(e + 1) % 3])); }
    if a as i8 * b as i8 > 0 { return false; }
    let s: [i8; 3] = [0, 1, 2].map(|e| orient3d(p, q, t[e], t[(e + 1) % 3]) as i8);
    s.iter().all(|&x| x >= 0) || s.iter().all(|&x| x <= 0)
}
fn segs3(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> bool { orient3d(a, b, c, d) == Sign::Zero && (0..3).all(|k| seg2(drop(a, k), drop(b, k), drop(c, k), drop(d, k))) }
/// tri tri
pub fn triangles_intersect(x: &Triangle, y: &Triangle) -> bool {
    let f = |t: &Triangle, u: &Triangle| { let s: [i8; 3] = [0, 1, 2].map(|i| orient3d(t[0], t[1], t[2], u[i]) as i8); s.iter().all(|&v| v > 0) || s.iter().all(|&v| v < 0) };
    if f(x, y) || f(y, x) { return false; }
    (0..3).any(|e| segment_intersects_triangle(x[e], x[(e + 1) % 3], y) || segment_intersects_triangle(y[e], y[(e + 1) % 3], x))
}
