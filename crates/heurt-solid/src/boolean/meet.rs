//! Points in which two triangles meet, as pairs of features whose interiors share one point.
//!
//! In: two triangles with area. Out: the ends of their intersection, each as a feature of A and a feature of B; if the
//! triangles lie in one plane, the corners of the polygon that they share.
//! Method: signs of determinants of the corners alone (`orient3d`, and `orient2d` of a projection in a common plane).
//! A corner in the plane of the second triangle, or an edge through it, is located by its sides of the three edges.
//! Guarantees: exact. Triangles that do not lie in one plane give at most two points, others at most six.

use super::feature::LocalFeature;
use heurt_geometry::{Sign, Triangle, Vec2, Vec3, orient2d, orient3d};
use smallvec::SmallVec;

/// The intersection of two triangles.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Intersection {
    /// The points, each with the feature of A and of B.
    pub points: SmallVec<[[LocalFeature; 2]; 6]>,
    /// The triangles lie in one plane: whether they face the same side.
    pub coplanar: Option<bool>,
}

impl Intersection {
    /// Lists pairs of the first `count` points that lie on one side of a triangle; of triangles in one plane, these are
    /// the sides of their common area.
    pub(super) fn along_sides(&self, count: usize) -> impl Iterator<Item = [usize; 2]> + '_ {
        let sides = (0..2).flat_map(|side| (0..3).map(move |k| (side, k)));
        sides.filter_map(move |(side, k)| {
            let on_side = |at: &usize| self.points[*at][side].is_in_closed_edge(k);
            let ends: SmallVec<[usize; 2]> = (0..count).filter(on_side).collect();
            if let [first, second] = ends[..] { Some([first, second]) } else { None }
        })
    }

    fn insert(&mut self, point: [LocalFeature; 2]) {
        if !self.points.contains(&point) {
            self.points.push(point);
        }
    }
}

/// Returns a power of two that brings a size into the range from 1 to 2 (from 0 to 2 below 2⁻¹⁰²²), so that meshes of
/// different scales are treated alike.
pub(super) fn inverse_power(size: f64) -> f64 {
    const EXPONENT: u64 = 0x7ff << 52;
    // The exponents of a number and of its inverse power add up to twice the bias.
    f64::from_bits(((2046 << 52) - (size.to_bits() & EXPONENT)).max(1 << 52))
}

/// A projection of space along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Projection {
    axis: usize,
}

impl Projection {
    /// Returns a projection in which a triangle keeps an area, and the sign of its area there.
    pub(super) fn of(triangle: &Triangle) -> Option<(Self, Sign)> {
        let [u, v] = [1, 2].map(|k| triangle[k] - triangle[0]);
        let scale = inverse_power(u.abs().max(v.abs()).max_element());
        let normal = (u * scale).cross(v * scale).abs();
        let largest = if normal.x >= normal.y.max(normal.z) {
            0
        } else if normal.y >= normal.z {
            1
        } else {
            2
        };
        [largest, (largest + 1) % 3, (largest + 2) % 3].into_iter().find_map(|axis| {
            let projection = Self { axis };
            let [a, b, c] = triangle.map(|corner| projection.place(corner));
            let sign = orient2d(a, b, c);
            (!sign.is_zero()).then_some((projection, sign))
        })
    }

    /// The axes that remain.
    pub(super) fn axes(self) -> [usize; 2] {
        [(self.axis + 1) % 3, (self.axis + 2) % 3]
    }

    pub(super) fn place(self, point: Vec3) -> Vec2 {
        let [u, v] = self.axes();
        Vec2::new(point[u], point[v])
    }
}

/// Intersects two triangles with area; `None` if they are disjoint.
pub(super) fn intersect(a: &Triangle, b: &Triangle) -> Option<Intersection> {
    let of_a = a.map(|corner| orient3d(b[0], b[1], b[2], corner));
    let of_b = b.map(|corner| orient3d(a[0], a[1], a[2], corner));
    let mut found = Intersection { points: SmallVec::new(), coplanar: None };
    if of_a == [Sign::Zero; 3] {
        intersect_in_plane(a, b, &mut found)?;
    } else {
        add_crossings(a, of_a, b, &mut |on_a, on_b| found.insert([on_a, on_b]));
        add_crossings(b, of_b, a, &mut |on_b, on_a| found.insert([on_a, on_b]));
    }
    (!found.points.is_empty()).then_some(found)
}

/// Finds the corners and edges of a triangle that meet a second one, given the sides of the corners.
fn add_crossings(a: &Triangle, sides: [Sign; 3], b: &Triangle, add: &mut dyn FnMut(LocalFeature, LocalFeature)) {
    for k in 0..3 {
        let next = (k + 1) % 3;
        if sides[k].is_zero()
            && let Some(on_b) = locate_in_plane(a[k], b)
        {
            add(LocalFeature::corner(k), on_b);
        }
        if sides[k].times(sides[next]) == Sign::Negative {
            let line = [a[k], a[next]];
            // Seen from the positive side of B, the edges of B pass the line on its left, which is negative here.
            let side = |j: usize| orient3d(line[0], line[1], b[j], b[(j + 1) % 3]).times(sides[k]).flipped();
            if let Some(on_b) = feature_of_sides([side(0), side(1), side(2)]) {
                add(LocalFeature::edge(k), on_b);
            }
        }
    }
}

/// Locates a point in the plane of a triangle.
fn locate_in_plane(point: Vec3, triangle: &Triangle) -> Option<LocalFeature> {
    let (projection, sign) = Projection::of(triangle)?;
    let [a, b, c] = triangle.map(|corner| projection.place(corner));
    locate(projection.place(point), [a, b, c], sign)
}

/// Locates a point with respect to a triangle of the plane with this sign of the area.
fn locate(point: Vec2, [a, b, c]: [Vec2; 3], sign: Sign) -> Option<LocalFeature> {
    feature_of_sides([orient2d(a, b, point), orient2d(b, c, point), orient2d(c, a, point)].map(|side| side.times(sign)))
}

/// Returns the feature on which a point lies, given its sides of the edges; `None` outside.
fn feature_of_sides(sides: [Sign; 3]) -> Option<LocalFeature> {
    if sides.contains(&Sign::Negative) {
        return None;
    }
    Some(match sides.map(Sign::is_zero) {
        [false, false, false] => LocalFeature::FACE,
        [true, false, false] => LocalFeature::edge(0),
        [false, true, false] => LocalFeature::edge(1),
        [false, false, true] => LocalFeature::edge(2),
        [true, true, _] => LocalFeature::corner(1),
        [_, true, true] => LocalFeature::corner(2),
        [true, _, true] => LocalFeature::corner(0),
    })
}

fn intersect_in_plane(a: &Triangle, b: &Triangle, found: &mut Intersection) -> Option<()> {
    let (projection, sign_a) = Projection::of(a)?;
    let [a, b] = [a, b].map(|triangle| triangle.map(|corner| projection.place(corner)));
    let sign_b = orient2d(b[0], b[1], b[2]);
    found.coplanar = Some(sign_a == sign_b);
    for k in 0..3 {
        if let Some(on_b) = locate(a[k], b, sign_b) {
            found.insert([LocalFeature::corner(k), on_b]);
        }
        if let Some(on_a) = locate(b[k], a, sign_a) {
            found.insert([on_a, LocalFeature::corner(k)]);
        }
    }
    for k in 0..3 {
        for j in 0..3 {
            if cross([a[k], a[(k + 1) % 3]], [b[j], b[(j + 1) % 3]]) {
                found.insert([LocalFeature::edge(k), LocalFeature::edge(j)]);
            }
        }
    }
    Some(())
}

/// Reports whether two open segments of the plane cross in a point.
fn cross([p, q]: [Vec2; 2], [r, s]: [Vec2; 2]) -> bool {
    orient2d(p, q, r).times(orient2d(p, q, s)) == Sign::Negative
        && orient2d(r, s, p).times(orient2d(r, s, q)) == Sign::Negative
}
