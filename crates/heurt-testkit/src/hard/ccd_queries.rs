//! Moving primitives, four vertices each, for tests: some as in simulations, some hard on purpose.
//!
//! Hard ones are made of small whole numbers, so that vertices, edges and planes meet to the last bit. Then they are
//! turned by matrices of whole numbers, moved by whole multiples and scaled by powers of two, which keeps this
//! property. Some are scaled by powers of ten or pushed by one unit in the last place, so that exact contacts become
//! near contacts.

use crate::number::random::Random;
use crate::oracle::ccd::MovingKind;
use heurt_geometry::{Mat3, Vec3};

/// The intended kind of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum QueryKind {
    /// Features of a cloth in a step: similar sizes and displacements, near each other.
    Cloth,
    /// Small steps of features close by, most of which miss.
    SmallStep,
    /// A step that goes far through.
    Fast,
    /// On a grid of a few whole numbers, start and end: every coincidence at once.
    Grid,
    /// All in one plane at all times.
    Coplanar,
    /// All on one line, or moving along it.
    Collinear,
    /// Edges that stay parallel; for triangles, a side that stays so.
    Parallel,
    /// They meet at the very end.
    EndTouching,
    /// They touch at the start.
    StartTouching,
    /// The path touches the surface and turns back: a double root.
    DoubleRoot,
    /// The path passes over an edge or a vertex exactly.
    Grazing,
    /// Triangles and edges without extent.
    Degenerate,
    /// Vertices at the same place.
    Coincident,
    /// Nothing moves.
    Still,
    /// The triangle turns over.
    Turning,
    /// A needle or a sliver.
    Thin,
    /// Far from the origin.
    FarAway,
    /// Scaled by a power of ten from −6 to 6.
    Scaled,
    /// Scaled to the edge of what doubles hold.
    Extreme,
    /// A query of any other kind, changed by one unit in the last place.
    Nudged,
}

/// Every kind.
pub const QUERY_KINDS: [QueryKind; 20] = [
    QueryKind::Cloth,
    QueryKind::SmallStep,
    QueryKind::Fast,
    QueryKind::Grid,
    QueryKind::Coplanar,
    QueryKind::Collinear,
    QueryKind::Parallel,
    QueryKind::EndTouching,
    QueryKind::StartTouching,
    QueryKind::DoubleRoot,
    QueryKind::Grazing,
    QueryKind::Degenerate,
    QueryKind::Coincident,
    QueryKind::Still,
    QueryKind::Turning,
    QueryKind::Thin,
    QueryKind::FarAway,
    QueryKind::Scaled,
    QueryKind::Extreme,
    QueryKind::Nudged,
];

impl QueryKind {
    /// Reports whether the kind is common in simulations.
    pub fn is_simulation_like(self) -> bool {
        matches!(self, Self::Cloth | Self::SmallStep | Self::Fast)
    }
}

/// One query.
#[derive(Debug, Clone)]
pub struct MovingQuery {
    /// The intended kind.
    pub kind: QueryKind,
    /// The kind of moving primitives.
    pub moving: MovingKind,
    /// The vertices at time 0.
    pub start: [Vec3; 4],
    /// The vertices at time 1.
    pub end: [Vec3; 4],
}

/// Draws a query: half of them as in simulations, half hard.
pub fn moving_query(random: &mut Random) -> MovingQuery {
    let first_hard = QUERY_KINDS.iter().position(|kind| !kind.is_simulation_like()).unwrap_or(0) as i64;
    let last = QUERY_KINDS.len() as i64 - 1;
    let (low, high) = if random.one_in(2) { (0, first_hard - 1) } else { (first_hard, last) };
    let kind = QUERY_KINDS[random.whole(low, high) as usize];
    query_of_kind(random, kind)
}

/// Draws a query of one kind.
pub fn query_of_kind(random: &mut Random, kind: QueryKind) -> MovingQuery {
    let moving = if random.one_in(2) { MovingKind::VertexFace } else { MovingKind::EdgeEdge };
    let mut query = draw(random, kind, moving);
    query.kind = kind;
    query
}

fn draw(random: &mut Random, kind: QueryKind, moving: MovingKind) -> MovingQuery {
    let made = |[start, end]: [[Vec3; 4]; 2]| MovingQuery { kind, moving, start, end };
    match kind {
        QueryKind::Cloth => made(simulated(random, moving, 0.3, 0.25)),
        QueryKind::SmallStep => made(simulated(random, moving, 0.1, 0.02)),
        QueryKind::Fast => made(simulated(random, moving, 1.0, 3.0)),
        QueryKind::FarAway | QueryKind::Scaled | QueryKind::Extreme | QueryKind::Nudged => {
            let of = QUERY_KINDS[random.whole(0, 15) as usize];
            let mut query = draw(random, of, moving);
            strain(random, kind, &mut query);
            query
        }
        _ => {
            let mut ends = [grid(random), grid(random)];
            shape(random, kind, moving, &mut ends);
            place(random, &mut ends);
            made(ends)
        }
    }
}

/// Makes primitives of size 1, near `gap` from each other; each vertex has its own displacement and a common one, both
/// near `way`.
fn simulated(random: &mut Random, moving: MovingKind, gap: f64, travel: f64) -> [[Vec3; 4]; 2] {
    let mut corner = |size: f64| Vec3::from([0; 3].map(|_| size * random.between(-1.0, 1.0)));
    let mut start = match moving {
        MovingKind::VertexFace => {
            let [b, c] = [Vec3::new(1.0, 0.1, 0.0), Vec3::new(0.3, 0.9, 0.0)].map(|p| p + corner(0.3));
            [Vec3::new(0.4, 0.35, 0.0) + corner(0.4), Vec3::ZERO, b, c]
        }
        MovingKind::EdgeEdge => {
            [Vec3::new(-0.5, 0.0, 0.0), Vec3::new(0.5, 0.0, 0.0), Vec3::new(0.0, -0.5, 0.0), Vec3::new(0.0, 0.5, 0.0)]
                .map(|p| p + corner(0.3))
        }
    };
    let (lift, common, own) = (corner(gap), corner(travel), corner(travel));
    let first = if moving == MovingKind::VertexFace { 1 } else { 2 };
    for p in &mut start[..first] {
        *p += lift;
    }
    let mut end = start.map(|p| p + common + corner(0.25 * travel));
    for p in &mut end[..first] {
        *p += own;
    }
    [start, end]
}

fn grid(random: &mut Random) -> [Vec3; 4] {
    [0; 4].map(|_| cell(random, 3))
}

fn cell(random: &mut Random, most: i64) -> Vec3 {
    Vec3::from([0; 3].map(|_| random.whole(-most, most) as f64))
}

/// Changes primitives on a grid so that they are of a kind.
fn shape(random: &mut Random, kind: QueryKind, moving: MovingKind, ends: &mut [[Vec3; 4]; 2]) {
    match kind {
        QueryKind::Coplanar => ends.iter_mut().flatten().for_each(|p| p.z = 0.0),
        QueryKind::Collinear => ends.iter_mut().flatten().for_each(|p| *p = Vec3::new(p.x, 0.0, 0.0)),
        QueryKind::Parallel => {
            let along = cell(random, 2);
            for end in ends.iter_mut() {
                let [i, j] = if moving == MovingKind::EdgeEdge { [0, 1] } else { [1, 2] };
                end[j] = end[i] + along * random.whole(0, 2) as f64;
                end[3] = end[2] + along * random.whole(-2, 2) as f64;
            }
        }
        QueryKind::StartTouching => touch(random, moving, &mut ends[0]),
        QueryKind::EndTouching => touch(random, moving, &mut ends[1]),
        QueryKind::DoubleRoot | QueryKind::Grazing => graze(random, kind, moving, ends),
        QueryKind::Degenerate => {
            for end in ends.iter_mut() {
                let stretch = random.whole(-1, 2) as f64;
                match moving {
                    MovingKind::VertexFace => end[3] = end[1] + (end[2] - end[1]) * stretch,
                    MovingKind::EdgeEdge => end[3] = end[2],
                }
            }
        }
        QueryKind::Coincident => {
            let [i, j] = [random.whole(0, 3), random.whole(0, 3)].map(|k| k as usize);
            let count = random.whole(1, 2) as usize;
            ends[..count].iter_mut().for_each(|end| end[i] = end[j]);
        }
        QueryKind::Still => ends[1] = ends[0],
        QueryKind::Turning => ends[1] = [ends[1][0], ends[0][1], ends[0][3], ends[0][2]],
        QueryKind::Thin => {
            let squeeze = Vec3::new(1.0, 1.0, 2f64.powi(-random.whole(10, 40) as i32));
            ends.iter_mut().flatten().for_each(|p| *p *= squeeze);
            if random.one_in(2) {
                let push = Vec3::new(0.0, 0.0, random.between(-1.0, 1.0));
                ends[1][0] += push;
            }
        }
        _ => {}
    }
}

/// Moves the first primitive so that it touches the second: at a corner, on a side or inside.
fn touch(random: &mut Random, moving: MovingKind, at: &mut [Vec3; 4]) {
    let mut share = || random.whole(0, 4) as f64;
    let (i, j) = (share(), share().min(4.0));
    match moving {
        MovingKind::VertexFace => {
            let j = j.min(4.0 - i);
            at[0] = (at[1] * 4.0 + (at[2] - at[1]) * i + (at[3] - at[1]) * j) / 4.0;
        }
        MovingKind::EdgeEdge => {
            let (here, there) = (at[0] + (at[1] - at[0]) * i / 4.0, at[2] + (at[3] - at[2]) * j / 4.0);
            at[0] += there - here;
            at[1] += there - here;
        }
    }
}

/// Makes a straight path that touches at half time, at a vertex or on a side; for a double root, in the plane or along
/// the edge.
fn graze(random: &mut Random, kind: QueryKind, moving: MovingKind, ends: &mut [[Vec3; 4]; 2]) {
    let mut middle = ends[0];
    touch(random, moving, &mut middle);
    let count = if moving == MovingKind::VertexFace { 1 } else { 2 };
    for k in 0..4 {
        let mut offset = if k == 0 || k >= count { cell(random, 2) } else { Vec3::ZERO };
        if kind == QueryKind::DoubleRoot {
            // The first primitive slides along its edge or in the plane, while the second leaves it and comes back.
            let (of, weight) = ([middle[2] - middle[1], middle[3] - middle[2]], random.whole(-2, 2) as f64);
            offset = if k < count { of[random.whole(0, 1) as usize] * weight } else { offset };
        } else if k > 0 && random.one_in(2) {
            offset = Vec3::ZERO;
        }
        (ends[0][k], ends[1][k]) = (middle[k] - offset, middle[k] + offset);
    }
}

/// Turns by a matrix of whole numbers, moves by whole numbers and scales by a power of two.
fn place(random: &mut Random, ends: &mut [[Vec3; 4]; 2]) {
    let matrix = match random.whole(0, 3) {
        0 => Mat3::IDENTITY,
        1 => Mat3::from_cols_array(&[1.0, 2.0, 2.0, 2.0, 1.0, -2.0, -2.0, 2.0, -1.0]),
        _ => Mat3::from_cols(cell(random, 3), cell(random, 3), cell(random, 3)),
    };
    let (matrix, offset) = if matrix.determinant() == 0.0 {
        (Mat3::IDENTITY, Vec3::ZERO)
    } else {
        (matrix, cell(random, 3) * random.whole(0, 1) as f64)
    };
    let scale = if random.one_in(4) { 2f64.powi(random.whole(-20, 20) as i32) } else { 1.0 };
    ends.iter_mut().flatten().for_each(|p| *p = (matrix * *p + offset) * scale);
}

fn strain(random: &mut Random, kind: QueryKind, query: &mut MovingQuery) {
    let scale = match kind {
        QueryKind::Scaled => 10f64.powi(random.whole(-6, 6) as i32),
        QueryKind::Extreme => match random.whole(0, 4) {
            0 => 1e150,
            1 => 1e-150,
            2 => 1e300,
            3 => 1e-300,
            _ => 1e-318,
        },
        _ => 1.0,
    };
    let offset = if kind == QueryKind::FarAway {
        cell(random, 1000) * 10f64.powi(random.whole(0, 4) as i32)
    } else {
        Vec3::ZERO
    };
    for p in query.start.iter_mut().chain(&mut query.end) {
        *p = *p * scale + offset;
    }
    if kind == QueryKind::Nudged {
        for _ in 0..random.whole(1, 3) {
            let end = if random.one_in(2) { &mut query.start } else { &mut query.end };
            let (vertex, axis) = (random.whole(0, 3) as usize, random.whole(0, 2) as usize);
            let x = &mut end[vertex][axis];
            *x = if random.one_in(2) { x.next_up() } else { x.next_down() };
        }
    }
}
