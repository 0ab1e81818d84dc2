//! Pairs of solids, as closed meshes, that are hard for set operations on purpose.
//!
//! In: random numbers. Out: a kind and two meshes. Kinds on a grid have integer coordinates, and every coincidence of
//! faces, edges and corners occurs. Other kinds differ by an ulp, by tiny rotations, or by many orders in scale.

use super::concave::lattice;
use crate::number::random::Random;
use heurt_geometry::{ConvexHull, Pose, Vec3};
use heurt_mesh::{TriMesh, generate};

/// The intended kind of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SolidPairKind {
    /// Hulls of points with coordinates from 0 to 3.
    GridHulls,
    /// Cells of a lattice, with cavities, tunnels and several components.
    Lattices,
    /// Shells in shells, on a grid.
    Nested,
    /// Two triangulations of one surface.
    Retriangulated,
    /// A solid and its copy, of which some coordinates are the next number.
    NextNumbers,
    /// A solid and its copy after a rotation by a tiny angle.
    TinyRotation,
    /// Hulls on a grid, both in one random pose: coincidences up to rounding.
    RotatedGrid,
    /// A corner on a corner, on an edge or on a face, up to rounding.
    Touching,
    /// A small and a large solid with ten to the power of −12 to 12 between them.
    Scales,
    /// Coordinates around the least normal number.
    Subnormal,
    /// Needles and flat plates.
    Slivers,
    /// Tori, stars and balls in random poses.
    Curved,
    /// Combs across each other, on a grid.
    Combs,
    /// Far from the origin, so that coordinates have few bits below the size of the solid.
    Far,
}

/// All kinds.
pub const SOLID_PAIR_KINDS: [SolidPairKind; 14] = [
    SolidPairKind::GridHulls,
    SolidPairKind::Lattices,
    SolidPairKind::Nested,
    SolidPairKind::Retriangulated,
    SolidPairKind::NextNumbers,
    SolidPairKind::TinyRotation,
    SolidPairKind::RotatedGrid,
    SolidPairKind::Touching,
    SolidPairKind::Scales,
    SolidPairKind::Subnormal,
    SolidPairKind::Slivers,
    SolidPairKind::Curved,
    SolidPairKind::Combs,
    SolidPairKind::Far,
];

/// Draws a pair of a kind.
pub fn solid_pair(random: &mut Random, kind: SolidPairKind) -> [TriMesh; 2] {
    match kind {
        SolidPairKind::GridHulls => [grid_hull(random, 3), grid_hull(random, 3)],
        SolidPairKind::Lattices => [cells(random, 4), cells(random, 3)],
        SolidPairKind::Nested => [nested(random), nested(random)],
        SolidPairKind::Retriangulated => retriangulated(random),
        SolidPairKind::NextNumbers => next_numbers(random),
        SolidPairKind::TinyRotation => {
            let a = posed(&any(random), &random.pose(2.0));
            let b = posed(&a, &small_pose(random));
            [a, b]
        }
        SolidPairKind::RotatedGrid => {
            let pose = random.pose(2.0);
            [grid_hull(random, 3), grid_hull(random, 3)].map(|mesh| posed(&mesh, &pose))
        }
        SolidPairKind::Touching => touching(random),
        SolidPairKind::Scales => {
            let factor = 10f64.powi(random.whole(-12, 12) as i32);
            let (a, b) = (any(random), any(random));
            let place = a.vertices()[random.whole(0, a.vertices().len() as i64 - 1) as usize];
            let b = scaled(&b, factor);
            let offset = if random.one_in(2) { place } else { place * 0.7 + random.vector(0.3) };
            [a, posed(&b, &Pose::from_translation(offset).expect("finite"))]
        }
        SolidPairKind::Subnormal => {
            let factor = 2f64.powi(-random.whole(1000, 1050) as i32 / 2);
            let small = |mesh: TriMesh| scaled(&scaled(&mesh, factor), factor);
            let pose = random.pose(0.5);
            [any(random), posed(&any(random), &pose)].map(small)
        }
        SolidPairKind::Slivers => {
            let poses = [random.pose(0.2), random.pose(0.2)];
            poses.map(|pose| posed(&sliver(random), &pose))
        }
        SolidPairKind::Curved => [curved(random), curved(random)].map(|mesh| posed(&mesh, &random.pose(0.7))),
        SolidPairKind::Combs => combs(random),
        SolidPairKind::Far => {
            let place = random.vector(1.0) * 10f64.powi(random.whole(4, 14) as i32);
            let far = Pose::from_translation(place).expect("finite");
            let pose = random.pose(0.5);
            [any(random), posed(&any(random), &pose)].map(|mesh| posed(&mesh, &far))
        }
    }
}

/// Makes the hull of random points with coordinates from 0 to `most`.
pub fn grid_hull(random: &mut Random, most: i64) -> TriMesh {
    loop {
        let count = random.whole(4, 9);
        let mut coordinate = || random.whole(0, most) as f64;
        let points: Vec<Vec3> = (0..count).map(|_| Vec3::new(coordinate(), coordinate(), coordinate())).collect();
        if let Some(mesh) = hull(&points) {
            return mesh;
        }
    }
}

fn hull(points: &[Vec3]) -> Option<TriMesh> {
    let hull = ConvexHull::new(points).ok()?;
    let mesh = TriMesh::new(points.to_vec(), hull.triangles().to_vec()).ok()?;
    (!hull.triangles().is_empty() && hull.vertices().len() >= 4).then_some(mesh)
}

fn posed(mesh: &TriMesh, pose: &Pose) -> TriMesh {
    mesh.transformed(pose).expect("finite vertices")
}

fn scaled(mesh: &TriMesh, factor: f64) -> TriMesh {
    mesh.scaled(factor).expect("finite vertices")
}

fn with_vertices(mesh: &TriMesh, place: impl FnMut(Vec3) -> Vec3) -> TriMesh {
    let vertices = mesh.vertices().iter().copied().map(place).collect();
    TriMesh::new(vertices, mesh.triangles().to_vec()).expect("finite vertices")
}

/// A small solid of any form, of size 1 to 3.
fn any(random: &mut Random) -> TriMesh {
    match random.whole(0, 5) {
        0 => generate::cuboid([1.0, 0.7, 0.9]).expect("positive"),
        1 => generate::icosphere(1.0, random.whole(0, 2) as u32).expect("positive"),
        2 => generate::torus(1.0, 0.4, 9, 6).expect("positive"),
        3 => generate::cylinder(0.7, 0.9, random.whole(3, 17) as u32).expect("positive"),
        4 => super::concave::star(random.whole(3, 7) as u32, 1.2, 0.4, 0.6),
        _ => grid_hull(random, 2),
    }
}

/// Cells of a lattice, most of them filled, without two that share only an edge or a corner.
fn cells(random: &mut Random, count: usize) -> TriMesh {
    let offset = random.whole(0, 1) as f64;
    let lines: Vec<f64> = (0..=count).map(|k| k as f64 + offset).collect();
    loop {
        let filled: Vec<bool> = (0..count.pow(3)).map(|_| !random.one_in(3)).collect();
        let holds = |[x, y, z]: [usize; 3]| filled[(x * count + y) * count + z];
        let is_filled =
            |cell: [i64; 3]| cell.iter().all(|c| (0..count as i64).contains(c)) && holds(cell.map(|c| c as usize));
        if filled.iter().any(|cell| *cell) && is_well_composed(count as i64, &is_filled) {
            return lattice([&lines, &lines, &lines], holds);
        }
    }
}

/// Tests whether the boundary of cells is a manifold: around each lattice vertex the filled cells, and the empty ones,
/// are connected through faces.
fn is_well_composed(count: i64, is_filled: &dyn Fn([i64; 3]) -> bool) -> bool {
    let corners =
        (0..(count + 1).pow(3)).map(|k| [k % (count + 1), k / (count + 1) % (count + 1), k / (count + 1).pow(2)]);
    corners.into_iter().all(|[x, y, z]| {
        let cell = |k: usize| is_filled([x - (k & 1) as i64, y - (k >> 1 & 1) as i64, z - (k >> 2) as i64]);
        [false, true].into_iter().all(|state| {
            let members: Vec<usize> = (0..8).filter(|k| cell(*k) == state).collect();
            let Some(&start) = members.first() else { return true };
            let mut reached = vec![start];
            let mut at = 0;
            while at < reached.len() {
                let neighbours = [1, 2, 4].map(|bit| reached[at] ^ bit);
                for neighbour in neighbours {
                    if members.contains(&neighbour) && !reached.contains(&neighbour) {
                        reached.push(neighbour);
                    }
                }
                at += 1;
            }
            reached.len() == members.len()
        })
    })
}

/// Boxes in boxes, alternately solid and empty, and a second component.
fn nested(random: &mut Random) -> TriMesh {
    let mut shells = Vec::new();
    let (mut low, mut high) = ([0, 0, 0], [random.whole(5, 9), random.whole(5, 9), random.whole(5, 9)]);
    let aside = high[0] + random.whole(1, 2);
    while (0..3).all(|k| high[k] - low[k] >= 1) && shells.len() < 4 {
        let shell = cuboid(low, high);
        shells.push(if shells.len() % 2 == 0 { shell } else { shell.reversed() });
        low = low.map(|x| x + random.whole(1, 2));
        high = high.map(|x| x - random.whole(1, 2));
    }
    shells.push(cuboid([aside, random.whole(0, 2), 0], [aside + 2, random.whole(3, 4), 3]));
    TriMesh::merged(&shells).expect("a few vertices")
}

/// A box with integer corners.
fn cuboid(low: [i64; 3], high: [i64; 3]) -> TriMesh {
    let [low, high] = [low, high].map(|corner| Vec3::from_array(corner.map(|x| x as f64)));
    let cube = generate::cuboid([0.5; 3]).expect("positive");
    with_vertices(&cube, |place| low + (place + 0.5) * (high - low))
}

fn retriangulated(random: &mut Random) -> [TriMesh; 2] {
    let a = if random.one_in(2) { grid_hull(random, 3) } else { cells(random, 3) };
    // The midpoint of a side of an integer triangle is a number.
    let b = generate::subdivided(&a, 1).expect("a few triangles");
    let shift = Vec3::from_array([0; 3].map(|_| random.whole(-1, 1) as f64));
    let moved = with_vertices(&b, |place| place + shift);
    [a, if random.one_in(2) { moved } else { b }]
}

fn next_numbers(random: &mut Random) -> [TriMesh; 2] {
    let a = match random.whole(0, 2) {
        0 => grid_hull(random, 3),
        1 => cells(random, 3),
        _ => posed(&any(random), &random.pose(2.0)),
    };
    let axis = random.whole(0, 2) as usize;
    let every = random.whole(1, 4) as u64;
    let b = with_vertices(&a, |mut place| {
        if every == 1 || random.one_in(every) {
            place[axis] = if random.one_in(2) { place[axis].next_up() } else { place[axis].next_down() };
        }
        place
    });
    [a, b]
}

fn small_pose(random: &mut Random) -> Pose {
    let small = 10f64.powi(-(random.whole(3, 17) as i32));
    let half: f64 = random.between(-small, small);
    let axis = random.vector(1.0);
    let axis = axis / axis.length().max(1e-3);
    let [x, y, z] = (axis * half).to_array();
    let shift = if random.one_in(2) { Vec3::ZERO } else { random.vector(small) };
    Pose::from_quaternion([x, y, z, (1.0 - half * half).sqrt()], shift).expect("a unit quaternion")
}

fn touching(random: &mut Random) -> [TriMesh; 2] {
    let a = posed(&any(random), &random.pose(1.0));
    let b = posed(&any(random), &random.pose(1.0));
    let corners = a.corners(random.whole(0, a.triangles().len() as i64 - 1) as u32);
    let target = match random.whole(0, 2) {
        0 => corners[0],
        1 => (corners[0] + corners[1]) / 2.0,
        _ => (corners[0] + corners[1] + corners[2]) / 3.0,
    };
    let touching = b.vertices()[random.whole(0, b.vertices().len() as i64 - 1) as usize];
    let moved = with_vertices(&b, |place| place - touching + target);
    [a, moved]
}

fn sliver(random: &mut Random) -> TriMesh {
    let thin = 10f64.powi(-(random.whole(3, 14) as i32));
    match random.whole(0, 2) {
        0 => generate::cuboid([1.0, 0.8, thin]).expect("positive"),
        1 => generate::cuboid([1.0, thin, thin]).expect("positive"),
        _ => {
            let points = [Vec3::ZERO, Vec3::X, Vec3::new(0.5, thin, 0.0), Vec3::new(0.4, thin / 3.0, thin)];
            hull(&points).unwrap_or_else(|| generate::cuboid([1.0, 1.0, thin]).expect("positive"))
        }
    }
}

fn curved(random: &mut Random) -> TriMesh {
    match random.whole(0, 3) {
        0 => generate::torus(1.0, 0.35, random.whole(8, 24) as u32, random.whole(5, 12) as u32).expect("positive"),
        1 => super::concave::star(random.whole(4, 12) as u32, 1.3, 0.5, 0.5),
        2 => generate::icosphere(1.0, 2).expect("positive"),
        _ => generate::uv_sphere(0.9, random.whole(4, 16) as u32).expect("positive"),
    }
}

/// A comb along x and a comb along y: their teeth meet in many edges and faces.
fn combs(random: &mut Random) -> [TriMesh; 2] {
    let teeth = random.whole(2, 6) as usize;
    let lines: Vec<f64> = (0..=2 * teeth + 1).map(|k| k as f64).collect();
    let comb = lattice([&lines, &[0.0, 1.0, 3.0], &[0.0, 1.0]], |[x, y, _]| y == 0 || x % 2 == 0);
    let shift = Vec3::new(random.whole(-1, 1) as f64, random.whole(-1, 2) as f64, random.whole(-1, 1) as f64 * 0.5);
    let turned = match random.whole(0, 2) {
        0 => with_vertices(&comb, |p| Vec3::new(-p.y, p.x, p.z) + shift),
        1 => with_vertices(&comb, |p| Vec3::new(p.x, -p.z, p.y) + shift),
        _ => with_vertices(&comb, |p| p + shift),
    };
    [comb, turned]
}
