//! Pairs of triangles that are hard on purpose.
//!
//! Every kind is exact by construction: a touching pair touches to the last bit, because coordinates are small whole
//! numbers or shared corners, scaled by powers of two.

use crate::number::random::Random;
use heurt_geometry::{Triangle, Vec3};

/// The intended kind of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// General position.
    Random,
    /// On a grid of a few whole numbers: every coincidence at once.
    Grid,
    /// Both in a plane.
    Coplanar,
    /// A shared corner.
    SharedVertex,
    /// A shared edge.
    SharedEdge,
    /// A corner, edge or face of the first touched by a corner of the second.
    Touching,
    /// Needles.
    Sliver,
    /// One or both without an inside.
    Degenerate,
}

const KINDS: [Kind; 8] = [
    Kind::Random,
    Kind::Grid,
    Kind::Coplanar,
    Kind::SharedVertex,
    Kind::SharedEdge,
    Kind::Touching,
    Kind::Sliver,
    Kind::Degenerate,
];

/// Draws a pair.
pub fn triangle_pair(random: &mut Random) -> (Kind, Triangle, Triangle) {
    let kind = KINDS[random.whole(0, 7) as usize];
    let (mut x, mut y) = match kind {
        Kind::Random => (free(random, 1.0), free(random, 1.0)),
        Kind::Grid => (grid(random, 3), grid(random, 3)),
        Kind::Coplanar => coplanar(random),
        Kind::SharedVertex => {
            let (x, mut y) = (any(random), any(random));
            y[0] = x[random.whole(0, 2) as usize];
            (x, y)
        }
        Kind::SharedEdge => {
            let (x, mut y) = (any(random), any(random));
            let corner = random.whole(0, 2) as usize;
            (y[0], y[1]) = (x[corner], x[(corner + 1) % 3]);
            (x, y)
        }
        Kind::Touching => touching(random),
        Kind::Sliver => (sliver(random), if random.one_in(2) { sliver(random) } else { free(random, 1.0) }),
        Kind::Degenerate => (collapsed(random), if random.one_in(2) { collapsed(random) } else { any(random) }),
    };
    x.rotate_left(random.whole(0, 2) as usize);
    y.rotate_left(random.whole(0, 2) as usize);
    if random.one_in(2) {
        x.swap(0, 1);
    }
    let scale = scale(random);
    (kind, x.map(|p| p * scale), y.map(|p| p * scale))
}

/// Draws powers of two, which move a pair anywhere between 1e-12 and 1e12 without changing its relation. Sometimes
/// there is one for each axis, so that coordinates of every magnitude come together, or one beyond the range of fast
/// predicates.
fn scale(random: &mut Random) -> Vec3 {
    let power = |exponent: i64| 2f64.powi((exponent / 2) as i32) * 2f64.powi((exponent - exponent / 2) as i32);
    match random.whole(0, 9) {
        0..=2 => Vec3::ONE,
        3..=6 => Vec3::splat(power(random.whole(-40, 40))),
        7..=8 => Vec3::from_array([0, 1, 2].map(|_| power(random.whole(-40, 40)))),
        _ => Vec3::splat(power([-700, -340, 340, 500][random.whole(0, 3) as usize])),
    }
}

pub(crate) fn point(random: &mut Random, reach: f64) -> Vec3 {
    Vec3::new(random.between(-reach, reach), random.between(-reach, reach), random.between(-reach, reach))
}

fn free(random: &mut Random, reach: f64) -> Triangle {
    [point(random, reach), point(random, reach), point(random, reach)]
}

pub(crate) fn whole_point(random: &mut Random, reach: i64) -> Vec3 {
    let mut pick = || random.whole(-reach, reach) as f64;
    Vec3::new(pick(), pick(), pick())
}

fn grid(random: &mut Random, reach: i64) -> Triangle {
    [whole_point(random, reach), whole_point(random, reach), whole_point(random, reach)]
}

fn any(random: &mut Random) -> Triangle {
    if random.one_in(2) { grid(random, 4) } else { free(random, 1.0) }
}

/// Draws points u·i + v·j with whole i, j in a plane of whole vectors, so that they are coplanar exactly.
fn coplanar(random: &mut Random) -> (Triangle, Triangle) {
    let (origin, u, v) = (whole_point(random, 50), whole_point(random, 20), whole_point(random, 20));
    let reach = if random.one_in(2) { 3 } else { 1000 };
    let mut at = || origin + u * random.whole(-reach, reach) as f64 + v * random.whole(-reach, reach) as f64;
    ([at(), at(), at()], [at(), at(), at()])
}

/// Makes a pair in which a corner of the second is a whole affine combination of the corners of the first, thus on its
/// face, edge or corner, or just outside; sometimes the last bit is off.
fn touching(random: &mut Random) -> (Triangle, Triangle) {
    let x = grid(random, 64).map(|p| p * 8.0);
    let parts = [(8, 0), (4, 4), (2, 2), (1, 5), (0, 0), (9, 0), (-1, 4)][random.whole(0, 6) as usize];
    let on = (x[0] * f64::from(parts.0) + x[1] * f64::from(parts.1) + x[2] * f64::from(8 - parts.0 - parts.1)) / 8.0;
    let mut y = [on, on + whole_point(random, 9), on + whole_point(random, 9)];
    if random.one_in(4) {
        y[0].x = if random.one_in(2) { y[0].x.next_up() } else { y[0].x.next_down() };
    }
    (x, y)
}

fn sliver(random: &mut Random) -> Triangle {
    let (a, b) = (point(random, 1.0), point(random, 1.0));
    let thin = 10f64.powf(random.between(-16.0, -4.0));
    [a, b, a + (b - a) * random.unit() + point(random, thin)]
}

/// Makes a segment (with the third corner on its line exactly) or a point.
fn collapsed(random: &mut Random) -> Triangle {
    let (a, step) = (whole_point(random, 5), whole_point(random, 3));
    let mut along = || a + step * random.whole(-3, 3) as f64;
    [along(), along(), along()]
}
