//! Meshes that deform by all that a hostile user can think of, operation after operation: after each the tree holds
//! the mesh, and pairs, pairs of the mesh with itself, and candidates are those of brute force.

use heurt_bvh::VolumeKind;
use heurt_geometry::{Aabb, Mat3, Pose, Quat, Triangle, Vec3, is_degenerate, triangles_intersect};
use heurt_mesh::generate::{Cloth, cuboid, octasphere};
use heurt_mesh::{CheckOptions, Fault, Topology, TriMesh, check_with};
use heurt_query::{Neighbours, candidates, overlap, pairs, self_pairs};
use heurt_shape::{DeformingShape, Degree, MeshShape, ShapeError, SweptTriangles, TreeChoice, UpkeepPolicy};
use heurt_testkit::number::random::Random;
use heurt_testkit::oracle::triangle as oracle;

/// A shape, and what it ought to be.
struct Attacked {
    shape: MeshShape,
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    /// Vertices at the same place count as one.
    merges: bool,
}

/// Reports whether a deformation was taken; one that leaves no triangle an area, and no other, must be refused as
/// collapsed.
fn is_taken(result: Result<(), ShapeError>, vertices: &[Vec3], triangles: &[[u32; 3]]) -> bool {
    let is_flat = |corners: &[u32; 3]| is_degenerate(&corners.map(|vertex| vertices[vertex as usize]));
    let right = if triangles.iter().all(is_flat) { Err(ShapeError::Collapsed) } else { Ok(()) };
    assert_eq!(result, right);
    right.is_ok()
}

fn has_twins(mesh: &TriMesh) -> bool {
    let topology = Topology::new(mesh);
    (0..mesh.vertices().len() as u32).any(|vertex| topology.representative(vertex) != vertex)
}

fn vector(random: &mut Random, reach: f64) -> Vec3 {
    Vec3::from_array([0, 1, 2].map(|_| random.between(-reach, reach)))
}

fn pick<T: Copy>(random: &mut Random, from: &[T]) -> T {
    from[random.whole(0, from.len() as i64 - 1) as usize]
}

/// Triangles on a grid or anywhere, degenerate and double ones among them, with vertices that none has.
fn soup(random: &mut Random) -> TriMesh {
    let count = pick(random, &[1, 2, 9, 30, 120]);
    let on_grid = random.one_in(2);
    let vertices: Vec<Vec3> = (0..count + 2)
        .map(|_| {
            let free = vector(random, 3.0);
            if on_grid { free.round() } else { free }
        })
        .collect();
    let triangles =
        (0..count).map(|k| [0, 7, 13].map(|by| ((k + by * random.whole(0, 1)) % (count + 1)) as u32)).collect();
    TriMesh::new(vertices, triangles).unwrap()
}

/// The same triangles, each with vertices of its own.
fn unshared(mesh: &TriMesh) -> TriMesh {
    let count = mesh.triangles().len() as u32;
    let vertices = (0..count).flat_map(|t| mesh.corners(t)).collect();
    TriMesh::new(vertices, (0..count).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect()).unwrap()
}

fn start(random: &mut Random) -> TriMesh {
    let beside = |mesh: TriMesh| mesh.transformed(&Pose::from_translation(Vec3::X * 1.5).unwrap()).unwrap();
    match random.whole(0, 5) {
        0 => octasphere(1.0, 3).unwrap(),
        1 => unshared(&octasphere(1.0, 2).unwrap()),
        2 => TriMesh::merged(&[octasphere(1.0, 3).unwrap(), beside(cuboid([0.7; 3]).unwrap())]).unwrap(),
        3 => Cloth::new(8, 1).unwrap().sheet().clone(),
        _ => soup(random),
    }
}

fn choose(random: &mut Random, shape: MeshShape) -> MeshShape {
    let choice = TreeChoice {
        volume: pick(random, &VolumeKind::ALL),
        degree: pick(random, &Degree::ALL),
        leaf_size: random.whole(1, 8) as u32,
        ..TreeChoice::default()
    };
    shape.with_tree(&choice).unwrap()
}

/// The largest extent, at least the least that is no denormal number.
fn extent(shape: &MeshShape) -> f64 {
    (shape.bounds().max - shape.bounds().min).max_element().max(f64::MIN_POSITIVE)
}

impl Attacked {
    fn new(random: &mut Random) -> Self {
        let mesh = start(random);
        let mut shape = MeshShape::new(mesh.clone()).unwrap();
        if random.one_in(2) {
            shape = choose(random, shape);
        }
        Self {
            merges: has_twins(&mesh),
            shape,
            vertices: mesh.vertices().to_vec(),
            triangles: mesh.triangles().to_vec(),
        }
    }

    fn deform(&mut self, vertices: Vec<Vec3>) {
        if is_taken(self.shape.deform(&vertices), &vertices, &self.triangles) {
            self.vertices = vertices;
            self.has_moved();
        }
    }

    fn has_moved(&mut self) {
        self.merges = self.merges && has_twins(self.shape.mesh());
    }

    /// Does something, and tells what.
    fn attack(&mut self, random: &mut Random) -> String {
        let (size, count) = (extent(&self.shape), self.vertices.len());
        let centre = self.shape.bounds().centre();
        let what = random.whole(0, 13);
        match what {
            0 | 1 => {
                let share = pick(random, &[1e-9, 0.01, 0.3]) * size;
                self.deform(self.vertices.iter().map(|&v| v + vector(random, share)).collect());
            }
            2 => {
                let flat = pick(random, &[Vec3::ZERO, Vec3::X, Vec3::new(1.0, 0.0, 1.0), Vec3::new(1.0, 1e-9, -1.0)]);
                self.deform(self.vertices.iter().map(|&v| centre + (v - centre) * flat).collect());
            }
            3 => {
                let sizes = [1.0, 1e-200, 1e-310, 5e-324, 1e300, 5e305, 1e9, 1e-9];
                let (scale, shift) = (pick(random, &sizes), pick(random, &[0.0, 0.0, 1.0, 1e12, -1e300]));
                let to = |v: Vec3| (v - centre) / size * scale + Vec3::new(shift, 0.5 * shift, -shift);
                self.deform(self.vertices.iter().map(|&v| to(v)).collect());
            }
            4 => {
                // Somewhere in a box of ordinary size, from wherever it was.
                let on_grid = random.one_in(2);
                let place = |random: &mut Random| {
                    let free = vector(random, 4.0);
                    if on_grid { free.round() } else { free }
                };
                self.deform((0..count).map(|_| place(random)).collect());
            }
            5..=7 => {
                let moved: Vec<u32> =
                    (0..random.whole(0, 3)).map(|_| random.whole(0, count as i64 - 1) as u32).collect();
                let far = pick(random, &[0.01, 0.5, 0.5, 3.0, 1e4]) * size;
                let places: Vec<Vec3> = moved
                    .iter()
                    .map(|_| match random.whole(0, 3) {
                        0 => pick(random, &self.vertices),
                        1 => centre + vector(random, far).clamp(Vec3::splat(-1e306), Vec3::splat(1e306)),
                        _ => (pick(random, &self.vertices) + vector(random, far))
                            .clamp(Vec3::splat(-1e306), Vec3::splat(1e306)),
                    })
                    .collect();
                let mut vertices = self.vertices.clone();
                moved.iter().zip(&places).for_each(|(&vertex, &place)| vertices[vertex as usize] = place);
                let result = self.shape.deform_moved(&moved, &places);
                if moved.is_empty() {
                    result.unwrap();
                } else if is_taken(result, &vertices, &self.triangles) {
                    self.vertices = vertices;
                    self.has_moved();
                }
            }
            8 => {
                // Other triangles over as many or more vertices.
                let before = (self.vertices.clone(), self.triangles.clone());
                if random.one_in(2) {
                    self.vertices.push(pick(random, &self.vertices) + vector(random, 0.5 * size));
                }
                let last = self.vertices.len() as i64 - 1;
                let shift = random.whole(0, last);
                for corner in self.triangles.iter_mut().flatten() {
                    *corner = ((i64::from(*corner) + shift) % (last + 1)) as u32;
                }
                if random.one_in(2) {
                    self.triangles.reverse();
                }
                let mesh = TriMesh::new(self.vertices.clone(), self.triangles.clone()).unwrap();
                if is_taken(self.shape.refit(mesh.clone()), &self.vertices, &self.triangles) {
                    self.merges = has_twins(&mesh);
                } else {
                    (self.vertices, self.triangles) = before;
                }
            }
            9 => {
                (0..3).for_each(|_| _ = self.shape.rotate());
            }
            10 => self.take_bad_input(random),
            11 => {
                // A clone shares what it can; the first one goes on and is dropped.
                let clone = self.shape.clone();
                let smaller: Vec<Vec3> = self.vertices.iter().map(|&v| v * 0.5).collect();
                is_taken(self.shape.deform(&smaller), &smaller, &self.triangles);
                assert_eq!(self.shape.deform(&vec![Vec3::ONE; count]), Err(ShapeError::Collapsed));
                self.shape = clone;
                if random.one_in(2) {
                    self.shape.blocks();
                }
            }
            12 => {
                let policy = UpkeepPolicy {
                    rotate_at: pick(random, &[0.0, 1.001, f64::NAN, f64::INFINITY]),
                    rebuild_at: pick(random, &[-1.0, 1.01, f64::INFINITY]),
                    rebuild_steps: random.whole(0, 2) as u32,
                };
                let mut deforming = DeformingShape::new(self.shape.clone(), policy);
                for _ in 0..random.whole(1, 6) {
                    let share = 0.1 * size;
                    let vertices: Vec<Vec3> = self.vertices.iter().map(|&v| v + vector(random, share)).collect();
                    let result = deforming.step(&vertices).map(|_| ());
                    assert!(deforming.step(&vertices[1..]).is_err());
                    if !is_taken(result, &vertices, &self.triangles) {
                        continue;
                    }
                    self.vertices = vertices;
                    self.merges = self.merges && has_twins(deforming.shape().mesh());
                }
                self.shape = deforming.into_shape();
            }
            _ => self.shape = choose(random, self.shape.clone()),
        }
        format!("operation {what}, extent {size:e}")
    }

    fn take_bad_input(&mut self, random: &mut Random) {
        let before = (self.shape.tree().to_bytes(), format!("{:?}", self.shape));
        let count = self.vertices.len();
        let bad = pick(random, &[f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e308, -f64::MAX]);
        let at = random.whole(0, count as i64 - 1) as u32;
        let mut vertices: Vec<Vec3> = self.vertices.iter().map(|&v| v * 0.5).collect();
        vertices[at as usize][random.whole(0, 2) as usize] = bad;
        let shape = &mut self.shape;
        assert!(shape.deform(&vertices).is_err());
        assert!(shape.deform(&vertices[..count - 1]).is_err());
        assert!(shape.deform_moved(&[0, at], &[Vec3::ONE, Vec3::ONE * bad]).is_err());
        assert!(shape.deform_moved(&[at, at], &[Vec3::ONE * bad, Vec3::ONE]).is_err());
        assert!(shape.deform_moved(&[at, count as u32], &[Vec3::ONE; 2]).is_err());
        assert!(shape.deform_moved(&[at], &[Vec3::ONE; 2]).is_err());
        assert!(shape.deform_moved(&[u32::MAX], &[Vec3::ONE]).is_err());
        let mut more = self.triangles.clone();
        more.push([0; 3]);
        assert!(shape.refit(TriMesh::new(self.vertices.clone(), more).unwrap()).is_err());
        if let Ok(mesh) = TriMesh::new(vertices, self.triangles.clone()) {
            assert!(shape.refit(mesh).is_err());
        }
        assert_eq!(shape.tree().to_bytes(), before.0);
        // What is made on first use is all that may differ.
        let kept = |all: &str| all.split("faces:").next().unwrap().to_owned();
        assert_eq!(kept(&format!("{shape:?}")), kept(&before.1));
    }

    /// Compares with brute force.
    fn check(&self, random: &mut Random, story: &str) -> usize {
        let shape = &self.shape;
        let mesh = shape.mesh();
        assert_eq!((mesh.vertices(), mesh.triangles()), (&*self.vertices, &*self.triangles), "{story}");
        assert_eq!(shape.bounds(), &mesh.bounds(), "{story}");
        let moved = SweptTriangles::new(&self.vertices, &self.vertices, &self.triangles).unwrap();
        shape.tree().validate(&moved).unwrap_or_else(|fault| panic!("{story}: {fault}"));
        let mut found = self.check_self_pairs(story);
        let size = extent(shape);
        let anew = MeshShape::new(mesh.clone()).unwrap();
        let anew = if random.one_in(3) { choose(random, anew) } else { anew };
        let (poses, margin) = (self.poses(random), pick(random, &[0.0, 1e-3, 0.2, 10.0]) * size.min(1e305));
        for (other, [mine, others]) in [(&anew, poses), (shape, [poses[1], poses[0]])] {
            found += check_pairs((shape, &mine), (other, &others), margin, story);
            found += check_pairs((other, &others), (shape, &mine), margin, story);
        }
        found
    }

    fn check_self_pairs(&self, story: &str) -> usize {
        let mesh = self.shape.mesh();
        let topology = Topology::new(mesh);
        let corners = |t: u32| if self.merges { topology.corners(t) } else { self.triangles[t as usize] };
        let akin = |i: u32, j: u32| corners(i).iter().any(|vertex| corners(j).contains(vertex));
        let all = brute_force(&oracle::placed(mesh, &Pose::IDENTITY), &oracle::placed(mesh, &Pose::IDENTITY));
        let right: Vec<[u32; 2]> = all.into_iter().filter(|&[i, j]| i < j && !akin(i, j)).collect();
        assert_eq!(self_pairs(&self.shape, Neighbours::Skip), right, "{story}");
        let examined = self_pairs(&self.shape, Neighbours::Examine);
        if self.merges || !has_twins(mesh) {
            let pair = |fault: &Fault| match fault {
                Fault::SelfIntersection { triangles } => Some(*triangles),
                _ => None,
            };
            let every_fault = CheckOptions { max_faults: usize::MAX, ..CheckOptions::default() };
            let faults: Vec<[u32; 2]> = check_with(mesh, &every_fault).faults.iter().filter_map(pair).collect();
            assert_eq!(examined, faults, "{story}");
        }
        right.len()
    }

    /// Two poses under which the mesh meets itself, more or less.
    fn poses(&self, random: &mut Random) -> [Pose; 2] {
        let size = extent(&self.shape);
        let centre = self.shape.bounds().centre();
        let mut pose = || {
            let far = pick(random, &[0.0, 0.1, 0.8]) * size;
            let by = vector(random, far);
            if random.one_in(2) {
                return Pose::from_translation(by).unwrap();
            }
            let axis = vector(random, 1.0).normalize();
            // Rotations that stretch as far as they may are legal.
            let stretch = pick(random, &[1.0, 1.0 - 4e-7, 1.0 + 4e-7]);
            let turn = Mat3::from_axis_angle(axis, random.between(0.0, 3.0)) * stretch;
            Pose::from_matrix(turn, centre - turn * centre + by).unwrap()
        };
        [pose(), pose()]
    }
}

fn brute_force(a: &[Triangle], b: &[Triangle]) -> Vec<[u32; 2]> {
    // Whole numbers decide where they are few enough to wait for.
    if a.len() * b.len() <= 256 {
        return oracle::intersecting_pairs(a, b);
    }
    let all = (0..a.len() as u32).flat_map(|i| (0..b.len() as u32).map(move |j| [i, j]));
    let boxes = [a, b].map(|all| all.iter().map(|t| Aabb::from_points(*t)).collect::<Vec<_>>());
    let near = all.filter(|&[i, j]| boxes[0][i as usize].overlaps(&boxes[1][j as usize]));
    near.filter(|&[i, j]| triangles_intersect(&a[i as usize], &b[j as usize])).collect()
}

type OnPose<'a> = (&'a MeshShape, &'a Pose);

fn check_pairs((a, pose_a): OnPose<'_>, (b, pose_b): OnPose<'_>, margin: f64, story: &str) -> usize {
    let (placed_a, placed_b) = (oracle::placed(a.mesh(), pose_a), oracle::placed(b.mesh(), pose_b));
    let right = brute_force(&placed_a, &placed_b);
    assert_eq!(pairs(a, pose_a, b, pose_b), right, "{story}");
    assert!(right.is_empty() || overlap(a, pose_a, b, pose_b).is_some(), "{story}");
    for margin in [margin, -margin, 0.0] {
        let found = candidates(a, pose_a, b, pose_b, margin);
        assert!(found.is_sorted_by(|one, next| one < next), "{story}, margin {margin:e}");
        let has = |pair: &[u32; 2]| found.binary_search(pair).is_ok();
        assert!(right.iter().all(has), "{story}, margin {margin:e}");
        let margin = margin.max(0.0);
        for (i, x) in placed_a.iter().enumerate() {
            for (j, y) in placed_b.iter().enumerate() {
                let listed = has(&[i as u32, j as u32]);
                assert!(listed || !surely_within(x, y, margin), "{story}, margin {margin:e}: {i} {j}");
                assert!(!listed || boxes_within(x, y, margin), "{story}, margin {margin:e}: {i} {j} are far apart");
            }
        }
    }
    for all in [f64::NAN, f64::INFINITY, f64::MAX] {
        assert_eq!(candidates(a, pose_a, b, pose_b, all).len(), placed_a.len() * placed_b.len(), "{story}, {all:e}");
    }
    right.len()
}

/// Some points of the triangles are within the margin, whatever is rounded here.
fn surely_within(x: &Triangle, y: &Triangle, margin: f64) -> bool {
    let all = || x.iter().chain(y);
    let unit = all().fold(margin, |most, corner| most.max(corner.abs().max_element())).max(1e-290);
    let points = |t: &Triangle| {
        let [p, q, r] = t.map(|corner| corner / unit);
        [p, q, r, (p + q) * 0.5, (q + r) * 0.5, (r + p) * 0.5, (p + q + r) / 3.0]
    };
    let of_y = points(y);
    let reach = margin / unit - 1e-14;
    points(x).iter().any(|p| of_y.iter().any(|q| (*p - *q).length() < reach))
}

/// The boxes are within the margin along every axis, or nearly.
fn boxes_within(x: &Triangle, y: &Triangle, margin: f64) -> bool {
    let (x, y) = (Aabb::from_points(*x), Aabb::from_points(*y));
    let largest = [x.min, x.max, y.min, y.max].iter().fold(margin, |most, corner| most.max(corner.abs().max_element()));
    (y.min - x.max).max(x.min - y.max).max_element() <= margin + 1e-14 * largest
}

#[test]
fn mixed_operations_give_the_answers_of_brute_force() {
    let mut found = 0;
    for seed in 0..5 {
        let mut random = Random::new(seed);
        let mut attacked = Attacked::new(&mut random);
        let mut story = format!("seed {seed}");
        found += attacked.check(&mut random, &story);
        for step in 0..12 {
            let done = attacked.attack(&mut random);
            story = format!("seed {seed}, step {step}: {done}");
            found += attacked.check(&mut random, &story);
        }
    }
    assert!(found > 3_000, "{found} pairs");
}

#[test]
fn rotations_that_stretch_lose_no_candidate_at_a_wide_margin() {
    let cube = MeshShape::new(cuboid([0.5; 3]).unwrap()).unwrap();
    // A stretches along its diagonal as far as it may, and B has a face across that diagonal.
    let diagonal = Vec3::ONE.normalize();
    let dyad = Mat3::from_cols(Vec3::ONE, Vec3::ONE, Vec3::ONE);
    let turn = Mat3::from_quat(Quat::from_rotation_arc(Vec3::X, diagonal));
    for stretch in [-4.9e-7, 0.0, 4.9e-7] {
        let stretched = Pose::from_matrix(Mat3::IDENTITY + dyad * stretch, Vec3::ZERO).unwrap();
        for margin in [1.0, 1e3, 1e6] {
            // From the corner of A to the face of B, less than the margin by more than what is stretched of A itself.
            let away = stretched.place(Vec3::splat(0.5)) + diagonal * (0.5 + margin * (1.0 - 1e-9));
            let across = Pose::from_matrix(turn, away).unwrap();
            check_pairs((&cube, &stretched), (&cube, &across), margin, &format!("stretched by {stretch}"));
            check_pairs((&cube, &across), (&cube, &stretched), margin, &format!("stretched by {stretch}, swapped"));
        }
    }
}
