//! Random broken meshes: no repair adds a fault, as `heurt inspect` counts them.

use crate::damage::{damaged, jittered, solids};
use crate::shapes::{Random, cube, sphere, torus};
use heurt_geometry::Vec3;
use heurt_mesh::{CheckOptions, RepairOptions, Topology, TriMesh, Weld, check_over, repair, solidify};
use heurt_testkit::test_size;
use std::collections::BTreeSet;

/// Random corners that name another vertex, triangles that are missing, turned, or there twice.
fn scrambled(mesh: &TriMesh, random: &mut Random) -> TriMesh {
    let count = mesh.vertices().len() as u32;
    let mut triangles = Vec::new();
    for &[a, b, c] in mesh.triangles() {
        match random.below(14) {
            0 => {}
            1 => {
                let mut corners = [a, b, c];
                corners[random.below(3) as usize] = random.below(count);
                triangles.push(corners);
            }
            2 => triangles.push([a, c, b]),
            3 => triangles.extend([[a, b, c], [b, c, a]]),
            _ => triangles.push([a, b, c]),
        }
    }
    TriMesh::new(mesh.vertices().to_vec(), triangles).unwrap()
}

/// Corners of their own for some triangles, moved by at most `reach` along each axis.
fn torn(mesh: &TriMesh, reach: f64, random: &mut Random) -> TriMesh {
    let (mut vertices, mut triangles) = mesh.clone().into_parts();
    for corner in triangles.iter_mut().flatten() {
        if random.below(3) == 0 {
            let mut offset = || (2.0 * random.next() - 1.0) * reach;
            let moved = vertices[*corner as usize] + Vec3::new(offset(), offset(), offset());
            *corner = vertices.len() as u32;
            vertices.push(moved);
        }
    }
    TriMesh::new(vertices, triangles).unwrap()
}

/// Triangles over few points of a grid, each moved by at most `noise`.
fn soup(noise: f64, random: &mut Random) -> TriMesh {
    let side = 2 + random.below(3);
    let points: Vec<Vec3> = (0..6 + random.below(12))
        .map(|_| random.grid_point(side) + Vec3::new(random.next(), random.next(), random.next()) * noise)
        .collect();
    let count = points.len() as u32;
    let triangles = (0..4 + random.below(24)).map(|_| [0; 3].map(|_| random.below(count))).collect();
    TriMesh::new(points, triangles).unwrap()
}

/// Copies of a mesh next to each other or in each other, moved by multiples of its size or by less than rounding.
fn beside(mesh: &TriMesh, random: &mut Random) -> TriMesh {
    let size = mesh.bounds().max - mesh.bounds().min;
    let mut offset = || [0.0, 0.5, 1.0, 1.0 + 2e-7, 1e-7][random.below(5) as usize];
    let offset = size * Vec3::new(offset(), offset(), offset());
    let moved = mesh.vertices().iter().map(|&vertex| vertex + offset).collect();
    TriMesh::merged([mesh, &TriMesh::new(moved, mesh.triangles().to_vec()).unwrap()]).unwrap()
}

/// A broken mesh, and how it came about.
fn broken(seed: u64) -> (TriMesh, String) {
    let mut random = Random::new(seed);
    let reach = [0.0, 1e-9, 1e-7, 3e-7, 1e-6, 1e-3][random.below(6) as usize];
    if random.below(4) == 0 {
        return (soup(reach, &mut random), format!("soup within {reach}"));
    }
    let small = [("cube", cube()), ("torus", torus(6, 4)), ("sphere", sphere(4))];
    let solids = solids().into_iter().filter(|(_, solid)| solid.triangles().len() < 200);
    let solids: Vec<(&str, TriMesh)> = solids.chain(small).collect();
    let (name, solid) = &solids[random.below(solids.len() as u32) as usize];
    let (mut mesh, kinds) = damaged(solid, true, &mut random);
    let mut steps = format!("{name}: {kinds:?}");
    for (kind, odds) in [("scrambled", 2), ("beside", 4), ("torn", 3), ("jittered", 5)] {
        if random.below(odds) == 0 {
            steps = format!("{steps}, {kind}");
            mesh = match kind {
                "scrambled" => scrambled(&mesh, &mut random),
                "beside" => beside(&mesh, &mut random),
                "torn" => torn(&mesh, reach, &mut random),
                _ => jittered(&mesh, &mut random),
            };
        }
    }
    (mesh, steps)
}

/// What `heurt inspect` counts in a mesh.
struct Inspected {
    /// By kind.
    counts: Vec<(&'static str, usize)>,
    /// By kind, over distinct triangles: a repeated triangle hides the border that it lies at.
    distinct_counts: Vec<(&'static str, usize)>,
    /// The length of the open edges of the distinct triangles: a triangle that is there twice closes no border.
    open_length: f64,
}

impl Inspected {
    fn new(mesh: &TriMesh) -> Self {
        let welded = solidify(mesh.clone(), Weld::Auto).unwrap().mesh;
        let topology = Topology::new(&welded);
        let counts = counts(&topology);
        let mut seen = BTreeSet::new();
        let is_first = |number: &u32| {
            let mut corners = topology.corners(*number);
            corners.sort_unstable();
            seen.insert(corners)
        };
        let distinct: Vec<u32> = (0..welded.triangles().len() as u32).filter(is_first).collect();
        let triangles = distinct.iter().map(|&number| welded.triangles()[number as usize]).collect();
        let distinct = TriMesh::new(welded.vertices().to_vec(), triangles).unwrap();
        let topology = Topology::new(&distinct);
        let open = topology.edges().filter(|edge| edge.degree() % 2 == 1);
        let length = open.map(|edge| {
            let [a, b] = edge.vertices.map(|vertex| distinct.vertices()[vertex as usize]);
            (b - a).length()
        });
        Self { counts, open_length: length.sum(), distinct_counts: self::counts(&topology) }
    }

    /// The largest count of a kind that a repair may leave.
    fn bound(&self, kind: &str) -> usize {
        let of = |counts: &[(&str, usize)]| counts.iter().find(|count| count.0 == kind).map_or(0, |count| count.1);
        of(&self.counts).max(of(&self.distinct_counts))
    }
}

/// The number of faults by kind.
fn counts(topology: &Topology) -> Vec<(&'static str, usize)> {
    let counts = check_over(topology, &CheckOptions::default()).counts;
    assert!(counts.iter().all(|count| !count.has_more));
    counts.iter().map(|count| (count.kind, count.count)).collect()
}

/// Repairs a mesh and returns the kinds of faults that `heurt inspect` counts more of afterwards.
fn worse(mesh: &TriMesh) -> Vec<String> {
    let result = repair(mesh, &RepairOptions::default()).unwrap();
    let (before, after) = (Inspected::new(mesh), Inspected::new(&result.mesh));
    let mut worse = Vec::new();
    for (kind, count) in after.counts {
        // A border that was closed in places may have become several shorter ones.
        let may_be_more = kind == "hole" && after.open_length < before.open_length;
        if count > before.bound(kind) && !may_be_more {
            worse.push(format!("{kind} from {} to {count}", before.bound(kind)));
        }
    }
    if after.open_length > before.open_length * (1.0 + 1e-5) {
        worse.push(format!("open length from {} to {}", before.open_length, after.open_length));
    }
    worse
}

#[test]
fn no_repair_of_a_random_mesh_adds_a_fault_that_inspect_counts() {
    let count = test_size("HEURT_REPAIRS", 60);
    let mut found = Vec::new();
    for seed in 0..count {
        let (mesh, steps) = broken(seed);
        let worse = worse(&mesh);
        if !worse.is_empty() {
            found.push(format!("{seed}: {steps}: {worse:?}"));
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}
