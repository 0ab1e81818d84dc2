//! Solids that are not convex, and poses in which they overlap.
//!
//! Boxes on a lattice become one closed surface without inner walls; prisms over stars and solids of revolution are
//! made ring by ring. With them come pairs in random and in chosen poses: one in the notch of its partner, hooked,
//! linked, nested.

use crate::number::random::Random;
use heurt_geometry::{Mat3, Pose, Vec3};
use heurt_mesh::{TriMesh, generate};
use std::collections::BTreeMap;

/// Makes the closed surface of the boxes of a lattice for which `is_filled` holds; `lines` are the places of its planes
/// along the axes. Boxes must not share only an edge or a corner.
pub fn lattice(lines: [&[f64]; 3], is_filled: impl Fn([usize; 3]) -> bool) -> TriMesh {
    let counts = lines.map(|of_axis| of_axis.len() - 1);
    let holds = |cell: [i64; 3]| {
        (0..3).all(|k| cell[k] >= 0 && cell[k] < counts[k] as i64) && is_filled(cell.map(|c| c as usize))
    };
    let mut numbers: BTreeMap<[i64; 3], u32> = BTreeMap::new();
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    let mut vertex = |at: [i64; 3]| {
        *numbers.entry(at).or_insert_with(|| {
            vertices.push(Vec3::new(lines[0][at[0] as usize], lines[1][at[1] as usize], lines[2][at[2] as usize]));
            vertices.len() as u32 - 1
        })
    };
    for cell in cells(counts).filter(|&cell| holds(cell)) {
        for (axis, is_upper) in (0..6).map(|side| (side / 2, side % 2 == 1)) {
            let mut beside = cell;
            beside[axis] += if is_upper { 1 } else { -1 };
            if holds(beside) {
                continue;
            }
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            let corner = |du: i64, dv: i64| {
                let mut at = cell;
                at[axis] += i64::from(is_upper);
                at[u] += du;
                at[v] += dv;
                at
            };
            let mut quad = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)].map(&mut vertex);
            if !is_upper {
                quad.reverse();
            }
            triangles.extend([[quad[0], quad[1], quad[2]], [quad[0], quad[2], quad[3]]]);
        }
    }
    TriMesh::new(vertices, triangles).expect("finite vertices")
}

fn cells(counts: [usize; 3]) -> impl Iterator<Item = [i64; 3]> {
    let [x, y, z] = counts.map(|count| count as i64);
    (0..x * y * z).map(move |k| [k % x, k / x % y, k / (x * y)])
}

/// Makes the solid of a flat picture, row by row from the top, `#` filled: unit squares, `thickness` thick.
pub fn picture(rows: &[&str], thickness: f64) -> TriMesh {
    let places = |count: usize| (0..=count).map(|k| k as f64).collect::<Vec<f64>>();
    let (xs, ys) = (places(rows[0].len()), places(rows.len()));
    let is_filled = |[x, y, _]: [usize; 3]| rows[rows.len() - 1 - y].as_bytes()[x] == b'#';
    lattice([&xs, &ys, &[0.0, thickness]], is_filled)
}

/// Returns the cells of a [`picture`] as corners of boxes: adjacent cells of one row joined, and adjacent cells of one
/// column.
pub fn bars(rows: &[&str], thickness: f64) -> Vec<Vec<Vec3>> {
    let is_filled = |x: usize, y: usize| rows[rows.len() - 1 - y].as_bytes()[x] == b'#';
    let (width, height) = (rows[0].len(), rows.len());
    let mut found = Vec::new();
    let mut add = |x: [usize; 2], y: [usize; 2]| {
        let corner = |k: usize| Vec3::new(x[k & 1] as f64, y[k >> 1 & 1] as f64, [0.0, thickness][k >> 2]);
        found.push((0..8).map(corner).collect());
    };
    for y in 0..height {
        for x in 0..width {
            if is_filled(x, y) && (x == 0 || !is_filled(x - 1, y)) {
                let end = (x..width).find(|&x| !is_filled(x, y)).unwrap_or(width);
                if end - x > 1 {
                    add([x, end], [y, y + 1]);
                }
            }
            if is_filled(x, y) && (y == 0 || !is_filled(x, y - 1)) {
                let end = (y..height).find(|&y| !is_filled(x, y)).unwrap_or(height);
                if end - y > 1 {
                    add([x, x + 1], [y, end]);
                }
            }
        }
    }
    found
}

/// Makes a prism over a star of `rays` rays.
pub fn star(rays: u32, outer: f64, inner: f64, thickness: f64) -> TriMesh {
    let count = 2 * rays;
    let ring = |z: f64| {
        (0..count).map(move |k| {
            let (radius, angle) =
                (if k % 2 == 0 { outer } else { inner }, std::f64::consts::TAU * f64::from(k) / f64::from(count));
            Vec3::new(radius * angle.cos(), radius * angle.sin(), z)
        })
    };
    let mut vertices: Vec<Vec3> = ring(0.0).chain(ring(thickness)).collect();
    vertices.extend([Vec3::ZERO, Vec3::Z * thickness]);
    let mut triangles = Vec::new();
    for k in 0..count {
        let next = (k + 1) % count;
        triangles.extend([[k, next, count + next], [k, count + next, count + k]]);
        triangles.extend([[2 * count, next, k], [2 * count + 1, count + k, count + next]]);
    }
    TriMesh::new(vertices, triangles).expect("finite vertices")
}

/// Turns a profile of radii and heights around the z axis; the first and the last radius are 0.
pub fn revolved(profile: &[[f64; 2]], segments: u32) -> TriMesh {
    let rings = &profile[1..profile.len() - 1];
    let place = |radius: f64, z: f64, k: u32| {
        let angle = std::f64::consts::TAU * f64::from(k) / f64::from(segments);
        Vec3::new(radius * angle.cos(), radius * angle.sin(), z)
    };
    let mut vertices: Vec<Vec3> =
        rings.iter().flat_map(|&[radius, z]| (0..segments).map(move |k| place(radius, z, k))).collect();
    let last = rings.len() as u32 - 1;
    let [bottom, top] = [0, 1].map(|k| vertices.len() as u32 + k);
    vertices.extend([Vec3::Z * profile[0][1], Vec3::Z * profile[profile.len() - 1][1]]);
    let mut triangles = Vec::new();
    for k in 0..segments {
        let next = (k + 1) % segments;
        let at = |ring: u32, k: u32| ring * segments + k;
        triangles.push([bottom, at(0, next), at(0, k)]);
        triangles.push([top, at(last, k), at(last, next)]);
        for ring in 0..last {
            triangles.push([at(ring, k), at(ring, next), at(ring + 1, next)]);
            triangles.push([at(ring, k), at(ring + 1, next), at(ring + 1, k)]);
        }
    }
    TriMesh::new(vertices, triangles).expect("finite vertices")
}

/// Makes two balls on a bar.
pub fn dumbbell(segments: u32) -> TriMesh {
    let ball = |middle: f64| {
        (1..8).map(move |k| {
            let angle = std::f64::consts::PI * f64::from(k) / 8.0;
            [angle.sin(), middle - angle.cos()]
        })
    };
    let lower = ball(-1.5).filter(|[radius, z]| *radius > 0.4 || *z < -1.5);
    let upper = ball(1.5).filter(|[radius, z]| *radius > 0.4 || *z > 1.5);
    let bar = [[0.3, -0.8], [0.3, 0.8]];
    let profile: Vec<[f64; 2]> =
        [[0.0, -2.5]].into_iter().chain(lower).chain(bar).chain(upper).chain([[0.0, 2.5]]).collect();
    revolved(&profile, segments)
}

/// Pictures of solids made of bars, by name.
pub const PICTURES: [(&str, &[&str]); 6] = [
    ("L", &["#..", "#..", "###"]),
    ("T", &["###", ".#.", ".#."]),
    ("cross", &[".#.", "###", ".#."]),
    ("comb", &["#.#.#.#", "#.#.#.#", "#######"]),
    ("C", &["####", "#...", "#...", "####"]),
    ("U", &["#..#", "#..#", "#..#", "####"]),
];

/// Two solids that overlap.
#[derive(Debug, Clone)]
pub struct ConcavePair {
    /// The names of the solids and the pose.
    pub name: String,
    /// The solids, by number in [`ConcavePairs::meshes`].
    pub solids: [usize; 2],
    /// The poses of the solids.
    pub poses: [Pose; 2],
}

/// Solids, and poses of pairs of them in which bounding boxes overlap; most of the solids overlap too.
#[derive(Debug, Clone)]
pub struct ConcavePairs {
    /// The solids, by name.
    pub meshes: Vec<(String, TriMesh)>,
    /// All pairs.
    pub pairs: Vec<ConcavePair>,
}

/// Draws a pose turned at random that brings the middle of the box of the mesh to `place`.
fn about(random: &mut Random, mesh: &TriMesh, place: Vec3) -> Pose {
    let quaternion = [0.0; 4].map(|_: f64| random.between(-1.0, 1.0));
    let norm = quaternion.iter().map(|x| x * x).sum::<f64>().sqrt();
    let turned = Pose::from_quaternion(quaternion.map(|x| x / norm), Vec3::ZERO).expect("of unit length");
    let middle = turned.place(mesh.bounds().centre());
    Pose::from_translation(place - middle).expect("finite").compose(&turned)
}

/// Makes pairs of every solid with itself and the next one in `poses` random poses, and some hooked and linked by hand.
pub fn concave_pairs(poses: usize, seed: u64) -> ConcavePairs {
    let mut meshes: Vec<(String, TriMesh)> =
        PICTURES.iter().map(|(name, rows)| ((*name).to_owned(), picture(rows, 1.0))).collect();
    let torus = generate::torus(1.5, 0.5, 24, 12).expect("a torus");
    let gear = generate::gear(12, 0.4, 0.35, 0.0, 0.8, 1.5, 2).expect("a gear");
    meshes.push(("torus".to_owned(), torus));
    meshes.push(("gear".to_owned(), gear));
    meshes.push(("star".to_owned(), star(5, 2.0, 0.8, 1.0)));
    meshes.push(("dumbbell".to_owned(), dumbbell(12)));
    let mut random = Random::new(seed);
    let mut pairs = Vec::new();
    let count = meshes.len();
    for i in 0..count {
        for j in [i, (i + 1) % count] {
            for _ in 0..poses {
                let mut part = || random.between(-1.2, 1.2);
                let place = Vec3::new(part(), part(), part());
                let pose_a = about(&mut random, &meshes[i].1, Vec3::ZERO);
                let pose_b = about(&mut random, &meshes[j].1, place);
                let name = format!("{} {}", meshes[i].0, meshes[j].0);
                pairs.push(ConcavePair { name, solids: [i, j], poses: [pose_a, pose_b] });
            }
        }
    }
    let at = |x: f64, y: f64, z: f64| Pose::from_translation(Vec3::new(x, y, z)).expect("finite");
    let turned =
        |rotation: Mat3, x: f64, y: f64, z: f64| Pose::from_matrix(rotation, Vec3::new(x, y, z)).expect("a rotation");
    let upside_down = Mat3::from_diagonal(Vec3::new(-1.0, -1.0, 1.0));
    // Upside down and turned by a quarter around y: the bars of both pass the openings.
    let across = Mat3::from_cols(Vec3::Z, Vec3::NEG_Y, Vec3::X);
    let mut chosen = |name: &str, solids: [usize; 2], pose_b: Pose| {
        pairs.push(ConcavePair { name: name.to_owned(), solids, poses: [Pose::IDENTITY, pose_b] });
    };
    chosen("U in U, hooked", [5, 5], turned(across, 1.5, 1.9, -1.5));
    chosen("U in U, hooked deeper", [5, 5], turned(across, 1.5, 1.3, -1.5));
    chosen("U in U, upside down", [5, 5], turned(upside_down, 5.7, 3.5, 0.1));
    chosen("C in C", [4, 4], turned(upside_down, 5.1, 6.1, 0.2));
    // Teeth are as wide as gaps: without the slight turn, they would have to fit exactly.
    let askew = Mat3::from_cols(Vec3::new(-0.96, -0.28, 0.0), Vec3::new(0.28, -0.96, 0.0), Vec3::Z);
    chosen("comb in comb", [3, 3], turned(askew, 6.1, 4.2, 0.05));
    chosen("comb in comb, shifted", [3, 3], at(1.0, 0.3, 0.2));
    chosen("torus through torus", [6, 6], turned(Mat3::from_cols(Vec3::X, Vec3::Z, Vec3::NEG_Y), 0.9, 0.0, 0.0));
    chosen("torus through torus, off", [6, 6], turned(Mat3::from_cols(Vec3::X, Vec3::Z, Vec3::NEG_Y), 0.8, 0.1, 0.2));
    chosen("torus on torus", [6, 6], at(0.3, 0.2, 0.6));
    chosen("gear in gear", [7, 7], turned(Mat3::IDENTITY, 4.7, 0.15, 0.0));
    chosen("gear on gear", [7, 7], at(0.2, 0.1, 0.5));
    chosen("star in star", [8, 8], at(0.1, 0.2, 0.3));
    ConcavePairs { meshes, pairs }
}
