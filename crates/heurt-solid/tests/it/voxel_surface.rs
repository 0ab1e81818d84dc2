//! Boundary meshes and measures of voxel grids against brute force; the solid of slide 48.

use crate::grid::Grid;
use heurt_geometry::{Pose, Vec3};
use heurt_mesh::{MeshError, TriMesh, check, components_by_number, generate, measures};
use heurt_solid::{BitGrid, Node, Octree, OctreeRoot, VoxelBounds, VoxelError, VoxelSpace};
use heurt_testkit::number::random::Random;
use std::collections::{BTreeMap, BTreeSet};

/// Checks that by vertex numbers each edge has two opposite half-edges and each vertex one fan; returns V − E + F.
fn euler_of_manifold(mesh: &TriMesh) -> i64 {
    let mut next = BTreeMap::new(); // From (vertex, corner before) to corner after, around the vertex.
    let mut half_edges = BTreeSet::new();
    for &[a, b, c] in mesh.triangles() {
        for [a, b, c] in [[a, b, c], [b, c, a], [c, a, b]] {
            assert!(half_edges.insert([a, b]), "the half-edge {a} {b} is there twice");
            next.insert((a, b), c);
        }
    }
    assert!(half_edges.iter().all(|&[a, b]| half_edges.contains(&[b, a])), "the mesh is closed");
    let mut degree = vec![0usize; mesh.vertices().len()];
    half_edges.iter().for_each(|&[a, _]| degree[a as usize] += 1);
    let mut seen = vec![false; mesh.vertices().len()];
    for &[a, b] in &half_edges {
        if std::mem::replace(&mut seen[a as usize], true) {
            continue;
        }
        let (mut at, mut steps) = (b, 0);
        while steps == 0 || at != b {
            (at, steps) = (next[&(a, at)], steps + 1);
        }
        assert_eq!(steps, degree[a as usize], "vertex {a} has one fan");
    }
    assert!(seen.iter().all(|&seen| seen), "every vertex has a triangle");
    mesh.vertices().len() as i64 - half_edges.len() as i64 / 2 + mesh.triangles().len() as i64
}

fn of_dense(dense: &Grid) -> BitGrid {
    let space = VoxelSpace::of_root(dense.root());
    BitGrid::from_cells(space, |cell| dense.at(cell.map(i64::from)) == Node::Full).unwrap()
}

/// Components by flood fill.
fn flood(grid: &BitGrid) -> u64 {
    let mut left: BTreeSet<[u32; 3]> = grid.cells().collect();
    let mut components = 0;
    while let Some(cell) = left.pop_first() {
        components += 1;
        let mut open = vec![cell];
        while let Some(cell) = open.pop() {
            for k in 0..6 {
                let mut next = cell;
                next[k / 2] = if k % 2 == 0 { cell[k / 2].wrapping_sub(1) } else { cell[k / 2] + 1 };
                if left.remove(&next) {
                    open.push(next);
                }
            }
        }
    }
    components
}

fn random_grids(seed: u64, rounds: u64) -> impl Iterator<Item = BitGrid> {
    let mut random = Random::new(seed);
    (0..rounds).map(move |round| match round % 3 {
        0 => of_dense(&Grid::random(&mut random, (round % 5) as u8, false)),
        _ => {
            let counts = [0; 3].map(|_: u32| random.whole(1, 9) as u32);
            let space = VoxelSpace::new(Vec3::new(-1.0, 2.0, 0.0), 0.5, counts).unwrap();
            let (part, of) = (random.whole(1, 9), 10);
            BitGrid::from_cells(space, |_| random.whole(1, of) <= part).unwrap()
        }
    })
}

#[test]
fn boundary_meshes_are_closed_manifold_and_hold_the_volume() {
    let mut exchanged = 0;
    for grid in random_grids(20, 400) {
        let counted = grid.measures();
        if counted.cells == 0 {
            assert_eq!(grid.boundary_mesh(), Err(VoxelError::NoFaces));
            continue;
        }
        let mesh = grid.boundary_mesh().unwrap();
        assert_eq!(mesh.triangles().len() as u64, 2 * counted.surface_faces);
        let (measured, scale) = (measures(&mesh), counted.volume.max(1.0));
        assert!((measured.volume.unwrap() - counted.volume).abs() < 1e-9 * scale);
        assert!((measured.area - counted.surface).abs() < 1e-9 * counted.surface);
        // Each exchange at an edge adds a vertex at both of its ends.
        let excess = euler_of_manifold(&mesh) - 2 * counted.euler_number;
        assert!(excess >= 0 && excess % 2 == 0, "{excess}");
        exchanged += excess;
        // With vertices of one place as one, the alternating edges are those with four triangles.
        let report = check(&mesh);
        assert!(report.closed && report.oriented);
        assert!(counted.alternating_edges == 0 || !report.manifold);
        assert_eq!(report.count("non-manifold-edge") as u64, counted.alternating_edges, "{:?}", report.counts);
        // The cells whose centres lie within the mesh are the cells.
        assert_eq!(BitGrid::of_mesh_centres(&mesh, grid.space()).unwrap(), grid);
    }
    assert!(exchanged > 0, "some edges were exchanged");
}

#[test]
fn meshes_beyond_the_limit_are_refused() {
    let space = VoxelSpace::new(Vec3::ZERO, 1.0, [512, 512, 200]).unwrap();
    let chessboard = BitGrid::from_cells(space, |[x, y, z]| (x + y + z) % 2 == 0).unwrap();
    let error = chessboard.boundary_mesh().unwrap_err();
    assert_eq!(
        error,
        VoxelError::Mesh(MeshError::TooLarge { what: "triangles", count: 6 * 512 * 512 * 200, max: 1 << 28 })
    );
}

#[test]
fn two_tunnels_that_touch_have_no_double_edge() {
    let space = VoxelSpace::new(Vec3::ZERO, 1.0, [4, 4, 3]).unwrap();
    let grid = BitGrid::from_cells(space, |cell| cell != [1, 1, 1] && cell != [2, 2, 1]).unwrap();
    let mesh = grid.boundary_mesh().unwrap();
    assert_eq!(euler_of_manifold(&mesh), 6, "an outer and two inner spheres");
    assert_eq!(components_by_number(&mesh).len(), 3);
}

#[test]
fn measures_agree_with_dense_grids_octrees_and_floods() {
    let mut random = Random::new(21);
    for round in 0..60 {
        let dense = Grid::random(&mut random, (round % 5) as u8, false);
        let (grid, octree) = (of_dense(&dense), dense.octree().measures());
        let measured = grid.measures();
        assert_eq!((measured.cells, measured.volume), (octree.full_cells, octree.volume[0]));
        assert_eq!((measured.surface_faces, measured.surface), (octree.surface_faces, octree.surface));
        assert_eq!(measured.alternating_edges, octree.alternating_edges);
    }
    for grid in random_grids(22, 200) {
        assert_eq!(grid.measures().components, flood(&grid));
    }
}

#[test]
fn euler_numbers_count_components_tunnels_and_cavities() {
    let space = VoxelSpace::new(Vec3::ZERO, 1.0, [70, 7, 7]).unwrap();
    let euler = |is_full: &dyn Fn([u32; 3]) -> bool| {
        let measured = BitGrid::from_cells(space, is_full).unwrap().measures();
        (measured.euler_number, measured.closed_euler_number)
    };
    assert_eq!(euler(&|_| true), (1, 1));
    assert_eq!(euler(&|_| false), (0, 0));
    assert_eq!(euler(&|[x, y, z]| [x, y, z] != [64, 3, 3]), (2, 2), "a cavity");
    assert_eq!(euler(&|[x, y, _]| [x, y] != [63, 3]), (0, 0), "a tunnel");
    assert_eq!(euler(&|[x, y, _]| [x, y] != [63, 3] && [x, y] != [3, 3]), (-1, -1), "two tunnels");
    assert_eq!(euler(&|[x, y, z]| x == y && x == z), (7, 1), "a chain of corners: 7 cells by faces, one closed set");
    assert_eq!(euler(&|[x, _, _]| x % 3 == 0), (24, 24), "slabs");
}

#[test]
fn the_solid_of_slide_48_as_a_grid() {
    let root = OctreeRoot::new(Vec3::ZERO, 1.0, 2).unwrap();
    let octree = Octree::from_depth_first_code(root, "(R(RRRRRRVVV(RRVRRRRRRRRR").unwrap();
    let bounds = VoxelBounds::of_octree(&octree).unwrap();
    assert_eq!(bounds.inner(), bounds.outer());
    assert_eq!(bounds.to_octree().unwrap(), octree);
    let measured = bounds.inner().measures();
    assert_eq!((measured.cells, measured.volume), (53, 53.0 / 64.0));
    assert_eq!((measured.surface_faces, measured.surface), (104, 6.5));
    assert!(measured.has_non_manifold_edge());
    assert_eq!(measured.alternating_edges, octree.measures().alternating_edges);
    let mesh = bounds.inner().boundary_mesh().unwrap();
    let report = check(&mesh);
    assert_eq!((report.closed, report.manifold, measures(&mesh).volume), (true, false, Some(53.0 / 64.0)));
    // Two dents touch in the edge: a tunnel of the cells, divided by the mesh, which joins the faces of each dent
    // there.
    assert_eq!((measured.alternating_edges, measured.euler_number, euler_of_manifold(&mesh)), (1, 0, 2));
}

#[test]
fn genus_of_voxelised_shapes() {
    let ring = generate::torus(1.0, 0.4, 48, 24).unwrap();
    let ball = generate::icosphere(1.0, 3).unwrap();
    let inner = generate::icosphere(0.5, 3).unwrap().reversed();
    let hollow = TriMesh::merged([&ball, &inner]).unwrap();
    let second = ball.transformed(&Pose::from_translation(Vec3::X * 3.0).unwrap()).unwrap();
    let two = TriMesh::merged([&ball, &second]).unwrap();
    for (mesh, euler, components) in [(ball, 1, 1), (ring, 0, 1), (hollow, 2, 1), (two, 2, 2)] {
        let space = VoxelSpace::fit(&mesh.bounds(), 50).unwrap();
        let grid = BitGrid::of_mesh_centres(&mesh, space).unwrap();
        let measured = grid.measures();
        assert_eq!((measured.euler_number, measured.components), (euler, components));
        assert_eq!(euler_of_manifold(&grid.boundary_mesh().unwrap()), 2 * euler);
    }
}
