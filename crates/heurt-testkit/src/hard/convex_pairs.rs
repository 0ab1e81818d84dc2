//! Pairs of convex sets of points that are hard on purpose.
//!
//! Most are made of small whole numbers, so that faces, edges and corners meet to the last bit. Then they are turned by
//! matrices of whole numbers, moved by whole multiples and scaled by powers of two, which keeps this property. One in
//! six is turned at random instead, so that exact contacts become near contacts. One in twelve lies far from the
//! origin, for any kind. Every set has 1 to 32 points, with some repeated or inside the hull.

use crate::hard::triangles::{point, whole_point};
use crate::number::random::Random;
use heurt_geometry::{Mat3, Vec3};

/// The intended kind of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ConvexKind {
    /// General position, on spheres, in balls or on boxes, with a gap of 1e-12 to 1 times the size.
    Disjoint,
    /// General position, 1e-12 to 1e-2 times the size deep.
    Shallow,
    /// General position, deep.
    Deep,
    /// Boxes with faces, edges or corners in one plane, or 1 ulp to 1e-3 off.
    BoxFaces,
    /// Faces in one plane or nearly, with unlike outlines.
    ParallelFaces,
    /// Edges of the same direction, touching or nearly.
    ParallelEdges,
    /// Edges that cross, touching or nearly, some at a very small angle.
    CrossingEdges,
    /// A common corner.
    SharedVertex,
    /// A common edge.
    SharedEdge,
    /// A common face.
    SharedFace,
    /// One set inside its partner, some with faces in one plane.
    Nested,
    /// The same points, or nearly.
    Identical,
    /// Polygons in one plane.
    Coplanar,
    /// Polygons in parallel planes.
    ParallelPolygons,
    /// A segment against a segment, a polygon or a solid.
    Segments,
    /// A point against anything, often on its surface.
    Points,
    /// A million times as long as wide.
    Needles,
    /// A million times as wide as thick.
    Plates,
    /// One set a thousand to a million million times as large as its partner.
    UnequalSizes,
    /// A thousand to a million times as far from the origin as large.
    FarAway,
    /// On a grid of a few whole numbers: every coincidence at once.
    Grid,
}

/// Every kind.
pub const CONVEX_KINDS: [ConvexKind; 21] = [
    ConvexKind::Disjoint,
    ConvexKind::Shallow,
    ConvexKind::Deep,
    ConvexKind::BoxFaces,
    ConvexKind::ParallelFaces,
    ConvexKind::ParallelEdges,
    ConvexKind::CrossingEdges,
    ConvexKind::SharedVertex,
    ConvexKind::SharedEdge,
    ConvexKind::SharedFace,
    ConvexKind::Nested,
    ConvexKind::Identical,
    ConvexKind::Coplanar,
    ConvexKind::ParallelPolygons,
    ConvexKind::Segments,
    ConvexKind::Points,
    ConvexKind::Needles,
    ConvexKind::Plates,
    ConvexKind::UnequalSizes,
    ConvexKind::FarAway,
    ConvexKind::Grid,
];

/// The most points of a set.
const MOST: usize = 32;

type Points = Vec<Vec3>;

/// Draws a pair.
pub fn convex_pair(random: &mut Random) -> (ConvexKind, Vec<Vec3>, Vec<Vec3>) {
    let kind = CONVEX_KINDS[random.whole(0, CONVEX_KINDS.len() as i64 - 1) as usize];
    let (mut a, mut b) = draw(random, kind);
    if random.one_in(2) {
        std::mem::swap(&mut a, &mut b);
    }
    for points in [&mut a, &mut b] {
        pad(random, points);
    }
    place(random, kind, &mut a, &mut b);
    (kind, a, b)
}

fn draw(random: &mut Random, kind: ConvexKind) -> (Points, Points) {
    match kind {
        ConvexKind::Disjoint | ConvexKind::Shallow | ConvexKind::Deep => general(random, kind),
        ConvexKind::BoxFaces => box_faces(random),
        ConvexKind::ParallelFaces => parallel_faces(random),
        ConvexKind::ParallelEdges | ConvexKind::CrossingEdges => edges(random, kind),
        ConvexKind::SharedVertex => shared(random, 1),
        ConvexKind::SharedEdge => shared(random, 2),
        ConvexKind::SharedFace => {
            let corners = random.whole(3, 6);
            shared(random, corners)
        }
        ConvexKind::Nested => nested(random),
        ConvexKind::Identical => identical(random),
        ConvexKind::Coplanar | ConvexKind::ParallelPolygons => polygons(random, kind),
        ConvexKind::Segments => segments(random),
        ConvexKind::Points => points(random),
        ConvexKind::Needles => thin(random, Vec3::new(1.0, THIN, THIN)),
        ConvexKind::Plates => thin(random, Vec3::new(1.0, 1.0, THIN)),
        ConvexKind::UnequalSizes => unequal(random),
        ConvexKind::FarAway => {
            let near = CONVEX_KINDS[random.whole(0, 18) as usize];
            draw(random, near)
        }
        ConvexKind::Grid => (grid(random), grid(random)),
    }
}

/// approximately 1e-6.
const THIN: f64 = 1.0 / (1 << 20) as f64;

/// Computes 2 to the power of `exponent`.
fn power(exponent: i64) -> f64 {
    2f64.powi(exponent as i32)
}

/// Draws a unit vector.
fn direction(random: &mut Random) -> Vec3 {
    for _ in 0..100 {
        let candidate = point(random, 1.0);
        if (0.01..1.0).contains(&candidate.length_squared()) {
            return candidate.normalize();
        }
    }
    Vec3::X
}

/// Draws points on a sphere, in a ball, on the faces of a box or its corners, of a size near 1.
fn cloud(random: &mut Random) -> Points {
    let count = [4, 8, 12, 32][random.whole(0, 3) as usize];
    match random.whole(0, 3) {
        0 => (0..count).map(|_| direction(random)).collect(),
        1 => (0..count).map(|_| direction(random) * random.unit()).collect(),
        2 => {
            let size = Vec3::new(random.between(0.2, 1.0), random.between(0.2, 1.0), random.between(0.2, 1.0));
            let on_face = |random: &mut Random| {
                let mut p = point(random, 1.0);
                p[random.whole(0, 2) as usize] = if random.one_in(2) { 1.0 } else { -1.0 };
                p * size
            };
            (0..count).map(|_| on_face(random)).collect()
        }
        _ => {
            let turn = any_turn(random);
            let half = Vec3::new(random.between(0.2, 1.0), random.between(0.2, 1.0), random.between(0.2, 1.0));
            box_of(-half, half).into_iter().map(|p| turn * p).collect()
        }
    }
}

fn box_of(low: Vec3, high: Vec3) -> Points {
    let end = |k: u32, axis: usize| if k >> axis & 1 == 0 { low[axis] } else { high[axis] };
    (0..8).map(|k| Vec3::new(end(k, 0), end(k, 1), end(k, 2))).collect()
}

/// Draws an orthonormal matrix, rounded.
fn any_turn(random: &mut Random) -> Mat3 {
    let x = direction(random);
    let y = x.cross(direction(random)).try_normalize().unwrap_or_else(|| x.any_orthonormal_vector());
    Mat3::from_cols(x, y, x.cross(y))
}

/// Finds the support point along `along`.
fn farthest(points: &[Vec3], along: Vec3) -> Vec3 {
    points.iter().copied().fold(points[0], |best, p| if p.dot(along) > best.dot(along) { p } else { best })
}

/// Moves `b` so that its first point along `along` is `gap` beyond the last one of `a`: in one of four cases moved
/// along `along` only, else straight ahead of that point.
fn set_beside(random: &mut Random, a: &[Vec3], b: &mut [Vec3], along: Vec3, gap: f64) {
    let offset = farthest(a, along) - farthest(b, -along);
    let step = if random.one_in(4) { along * offset.dot(along) } else { offset } + along * gap;
    b.iter_mut().for_each(|p| *p += step);
}

/// Moves `b` so that its first point along `along` is on the segment from the last one of `a` to its middle: `depth`
/// from 0 to 1.
fn set_into(a: &[Vec3], b: &mut [Vec3], along: Vec3, depth: f64) {
    let (last, middle) = (farthest(a, along), a.iter().sum::<Vec3>() / a.len() as f64);
    let step = last + (middle - last) * depth - farthest(b, -along);
    b.iter_mut().for_each(|p| *p += step);
}

fn general(random: &mut Random, kind: ConvexKind) -> (Points, Points) {
    let (a, mut b, along) = (cloud(random), cloud(random), direction(random));
    match kind {
        ConvexKind::Disjoint => {
            let gap = power(random.whole(-40, 0));
            set_beside(random, &a, &mut b, along, gap);
        }
        ConvexKind::Shallow => set_into(&a, &mut b, along, power(random.whole(-40, -7))),
        _ => set_into(&a, &mut b, along, random.between(0.05, 1.0)),
    }
    (a, b)
}

/// Draws a gap: usually zero or almost zero, sometimes negative.
fn gap(random: &mut Random) -> f64 {
    let gap = [0.0, 0.0, 0.0, f64::EPSILON, 1e-15, 1e-14, 1e-13, 1e-12, 1e-6, 1e-3][random.whole(0, 9) as usize];
    if random.one_in(5) { -gap } else { gap }
}

/// Draws two numbers that are equal or differ by a gap, for coordinates of planes that face each other.
fn levels(random: &mut Random) -> (f64, f64) {
    let level = [0.0, 1.0, 8.0][random.whole(0, 2) as usize];
    (level, level + gap(random) * f64::max(level, 1.0))
}

fn box_faces(random: &mut Random) -> (Points, Points) {
    let (level, other) = levels(random);
    let mut one = |from: f64, to: f64| {
        let (low, size) = (whole_point(random, 3), whole_point(random, 4).abs() + 1.0);
        let (mut low, mut high) = (low, low + size);
        (low.x, high.x) = (from, to);
        box_of(low, high)
    };
    (one(level - 4.0, level), one(other, other + 3.0))
}

/// Draws one to `most` points beyond the plane z = 0 on the side of the sign of `up`.
fn beyond(random: &mut Random, most: i64, up: f64) -> Points {
    let count = random.whole(1, most);
    let one = |random: &mut Random| whole_point(random, 6).with_z(up * random.whole(1, 6) as f64);
    (0..count).map(|_| one(random)).collect()
}

fn flat_outline(random: &mut Random, corners: i64) -> Points {
    (0..corners).map(|_| whole_point(random, 6).with_z(0.0)).collect()
}

/// Makes sheared prisms and frustums.
fn parallel_faces(random: &mut Random) -> (Points, Points) {
    let (level, other) = levels(random);
    let mut one = |level: f64, up: f64| {
        let corners = random.whole(3, 8);
        let face = flat_outline(random, corners);
        let shear = whole_point(random, 6).with_z(up * random.whole(1, 6) as f64);
        let narrow = [1.0, 1.0, 0.5, 2.0, 0.0][random.whole(0, 4) as usize];
        let far = face.iter().map(|p| *p * narrow + shear);
        let both = face.iter().copied().chain(far);
        both.map(|p| p + Vec3::Z * level).collect()
    };
    (one(level, -1.0), one(other, 1.0))
}

/// Makes ridges facing each other.
fn edges(random: &mut Random, kind: ConvexKind) -> (Points, Points) {
    let (level, other) = levels(random);
    let crossing = match random.whole(0, 3) {
        0..=1 => whole_point(random, 4).with_z(0.0) + Vec3::Y * 5.0,
        // Nearly parallel.
        _ => Vec3::new(4.0, power(random.whole(-50, -3)), 0.0),
    };
    let other_direction =
        if kind == ConvexKind::CrossingEdges { crossing } else { Vec3::X * random.whole(1, 8) as f64 };
    let mut one = |along: Vec3, level: f64, up: f64| {
        let middle = if random.one_in(2) { Vec3::ZERO } else { Vec3::X * random.whole(-9, 9) as f64 };
        let far = beyond(random, 10, up);
        let both = [middle - along, middle + along].into_iter().chain(far);
        both.map(|p| p + Vec3::Z * level).collect()
    };
    (one(Vec3::X * 4.0, level, -1.0), one(other_direction, other, 1.0))
}

/// Makes sets with a common point, segment or polygon, with the rest on either side of a plane or anywhere.
fn shared(random: &mut Random, corners: i64) -> (Points, Points) {
    let common = flat_outline(random, corners);
    let is_split = !random.one_in(4);
    let mut one = |up: f64| {
        let rest = if is_split { beyond(random, 10, up) } else { grid(random) };
        common.iter().copied().chain(rest).take(MOST).collect()
    };
    (one(-1.0), one(1.0))
}

fn nested(random: &mut Random) -> (Points, Points) {
    if random.one_in(2) {
        let outer = cloud(random);
        let middle = outer.iter().sum::<Vec3>() / outer.len() as f64;
        let size = power(random.whole(-12, -1));
        let inner = cloud(random).into_iter().map(|p| middle + p * size).collect();
        return (outer, inner);
    }
    let half = whole_point(random, 6).abs() + 4.0;
    let mut inside = || (whole_point(random, 8) + 8.0) / 16.0 * (half * 2.0) - half;
    let (p, q) = (inside(), inside());
    (box_of(-half, half), box_of(p.min(q), p.max(q)))
}

fn identical(random: &mut Random) -> (Points, Points) {
    let a = match random.whole(0, 2) {
        0 => cloud(random),
        1 => grid(random),
        _ => box_of(-whole_point(random, 4).abs() - 1.0, whole_point(random, 4).abs() + 1.0),
    };
    let mut b = a.clone();
    b.reverse();
    let step = if random.one_in(2) { Vec3::ZERO } else { direction(random) * gap(random) };
    b.iter_mut().for_each(|p| *p += step);
    (a, b)
}

/// Makes points u·i + v·j with whole i, j in planes of whole vectors, so that they are coplanar exactly.
fn polygons(random: &mut Random, kind: ConvexKind) -> (Points, Points) {
    let (origin, u, v) = (whole_point(random, 50), whole_point(random, 20), whole_point(random, 20));
    let reach = if random.one_in(2) { 3 } else { 1000 };
    let between = match random.whole(0, 2) {
        _ if kind == ConvexKind::Coplanar => Vec3::ZERO,
        0 => whole_point(random, 9),
        1 => Vec3::X * power(random.whole(-40, 0)),
        _ => u.cross(v) * power(random.whole(-20, 0)),
    };
    let mut one = |origin: Vec3| {
        let count = random.whole(1, 10);
        let mut at = || origin + u * random.whole(-reach, reach) as f64 + v * random.whole(-reach, reach) as f64;
        (0..count).map(|_| at()).collect()
    };
    (one(origin), one(origin + between))
}

fn segments(random: &mut Random) -> (Points, Points) {
    let (middle, step) = (whole_point(random, 4), whole_point(random, 3));
    let mut along = || middle + step * random.whole(-3, 3) as f64;
    let (a, on_line) = (vec![along(), along()], vec![along(), along(), along()]);
    let b = match random.whole(0, 4) {
        0 => on_line,
        1 => on_line.into_iter().map(|p| p + Vec3::Y).collect(),
        2 => vec![whole_point(random, 4), whole_point(random, 4)],
        3 => vec![on_line[0], whole_point(random, 4)],
        _ => grid(random),
    };
    (a, b)
}

/// Makes a whole affine combination of three points, on their face, edge or corner, or just outside; sometimes the last
/// bit is off.
fn points(random: &mut Random) -> (Points, Points) {
    let b: Points = grid(random).into_iter().map(|p| p * 8.0).collect();
    let mut pick = || b[random.whole(0, b.len() as i64 - 1) as usize];
    let (p, q, r) = (pick(), pick(), pick());
    let (i, j) = [(8, 0), (4, 4), (2, 2), (1, 5), (0, 0), (9, 0), (-1, 4)][random.whole(0, 6) as usize];
    let mut on = (p * f64::from(i) + q * f64::from(j) + r * f64::from(8 - i - j)) / 8.0;
    if random.one_in(4) {
        on.x = if random.one_in(2) { on.x.next_up() } else { on.x.next_down() };
    }
    (vec![on], b)
}

/// Places two thin sets next to each other, crossed or side by side.
fn thin(random: &mut Random, size: Vec3) -> (Points, Points) {
    let (one, other) = (any_turn(random), any_turn(random));
    let other = if random.one_in(3) { one } else { other };
    let a: Points = cloud(random).into_iter().map(|p| one * (p * size)).collect();
    let second = if random.one_in(3) { Vec3::ONE } else { size };
    let mut b: Points = cloud(random).into_iter().map(|p| other * (p * second)).collect();
    let along = if random.one_in(2) { one.z_axis } else { direction(random) };
    let distance = match random.whole(0, 3) {
        0..=1 => gap(random),
        2 => random.between(-THIN, THIN),
        _ => random.between(0.0, 0.5),
    };
    if random.one_in(3) {
        set_into(&a, &mut b, along, distance.abs());
    } else {
        set_beside(random, &a, &mut b, along, distance);
    }
    (a, b)
}

fn unequal(random: &mut Random) -> (Points, Points) {
    let (large, size) = (cloud(random), power(random.whole(-40, -10)));
    let mut small: Points = cloud(random).into_iter().map(|p| p * size).collect();
    match random.whole(0, 2) {
        0 => {
            let (along, gap) = (direction(random), random.between(-1.0, 1.0) * size);
            set_beside(random, &large, &mut small, along, gap);
        }
        1 => small.iter_mut().for_each(|p| *p += large[0]),
        _ => {
            let within = (large[0] + large[1] + large[2]) / 3.0;
            small.iter_mut().for_each(|p| *p += within);
        }
    }
    (large, small)
}

fn grid(random: &mut Random) -> Points {
    let (reach, count) = (random.whole(1, 4), if random.one_in(8) { 26 } else { random.whole(1, 12) });
    (0..count).map(|_| whole_point(random, reach)).collect()
}

/// Repeats points, adds the middle of some, and reorders.
fn pad(random: &mut Random, points: &mut Points) {
    while points.len() < MOST && random.one_in(3) {
        let count = points.len() as i64;
        let mut pick = || points[random.whole(0, count - 1) as usize];
        let middle = (pick() + pick()) / 2.0;
        points.push(middle);
    }
    for k in (1..points.len()).rev() {
        points.swap(k, random.whole(0, k as i64) as usize);
    }
}

/// Turns, moves and scales both sets alike.
fn place(random: &mut Random, kind: ConvexKind, a: &mut Points, b: &mut Points) {
    let turn = match random.whole(0, 5) {
        0 => any_turn(random),
        1..=2 => Mat3::IDENTITY,
        _ => whole_turn(random),
    };
    let away = if kind == ConvexKind::FarAway || random.one_in(12) {
        let size = a.iter().map(|p| p.abs().max_element()).fold(1.0, f64::max).ceil();
        let reach = 1 << random.whole(10, 20);
        whole_point(random, reach) * size
    } else {
        Vec3::ZERO
    };
    let size = if random.one_in(2) { 1.0 } else { power(random.whole(-20, 20)) };
    for p in a.iter_mut().chain(b) {
        *p = (turn * *p + away) * size;
    }
}

/// Draws a matrix that exchanges and mirrors axes, or tilts and enlarges 3 or 9 times, without rounding whole numbers.
fn whole_turn(random: &mut Random) -> Mat3 {
    let mut axes = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| if random.one_in(2) { axis } else { -axis });
    axes.rotate_left(random.whole(0, 2) as usize);
    let tilt = Mat3::from_cols(Vec3::new(1.0, 2.0, 2.0), Vec3::new(2.0, 1.0, -2.0), Vec3::new(2.0, -2.0, 1.0));
    let exchanged = Mat3::from_cols(axes[0], axes[1], axes[2]);
    match random.whole(0, 2) {
        0 => exchanged,
        1 => tilt * exchanged,
        _ => tilt * exchanged * tilt,
    }
}
