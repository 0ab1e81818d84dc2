//! Voxel grids of meshes against octrees and winding numbers; set operations and conversions against dense grids.

use crate::grid::Grid;
use heurt_geometry::{Aabb, Pose, Vec3};
use heurt_mesh::{TriMesh, generate, measures};
use heurt_query::{Location, winding_number};
use heurt_shape::MeshShape;
use heurt_solid::{BitGrid, Node, Octree, OctreeRoot, VoxelBounds, VoxelError, VoxelSpace, triangle_meets_box};
use heurt_testkit::number::random::Random;

fn solids() -> Vec<TriMesh> {
    let ball = generate::icosphere(1.0, 2).unwrap();
    let cube = generate::cuboid([0.5, 0.25, 0.7]).unwrap();
    let ring = generate::torus(1.0, 0.3, 24, 12).unwrap();
    let hollow = TriMesh::merged([&ball, &generate::icosphere(0.6, 2).unwrap().reversed()]).unwrap();
    let shifted = ball.transformed(&Pose::from_translation(Vec3::new(0.5, 0.25, 0.0)).unwrap()).unwrap();
    let overlapping = TriMesh::merged([&ball, &shifted, &cube]).unwrap();
    let mut random = Random::new(8);
    let turned = ring.transformed(&random.pose(3.0)).unwrap();
    vec![ball.reversed(), cube, ring, hollow, overlapping, turned]
}

fn spaces(mesh: &TriMesh) -> Vec<VoxelSpace> {
    let bounds = mesh.bounds();
    let part = VoxelSpace::new(bounds.centre(), 0.13, [3, 7, 9]).unwrap();
    let long = VoxelSpace::new(bounds.min - 0.1, 0.03, [130, 5, 4]).unwrap();
    vec![VoxelSpace::fit(&bounds, 1).unwrap(), VoxelSpace::fit(&bounds, 17).unwrap(), part, long]
}

/// Checks each cell against all triangles and against the winding number of its centre.
fn check_cells(mesh: &TriMesh, space: VoxelSpace) {
    let shape = MeshShape::new(mesh.clone()).unwrap();
    let centres = BitGrid::of_mesh_centres(mesh, space).unwrap();
    let bounds = VoxelBounds::of_mesh(mesh, space).unwrap();
    let surface = BitGrid::of_surface(mesh, space).unwrap();
    let [x, y, z] = space.counts();
    for cell in (0..x * y * z).map(|k| [k % x, k / x % y, k / x / y]) {
        let location = winding_number(&shape, &Pose::IDENTITY, space.centre(cell));
        let is_inside = centres.contains(cell);
        if !matches!(location, Location::Boundary { .. }) {
            assert_eq!(is_inside, location != Location::Winding(0), "{cell:?} of {space:?}");
        }
        let closed = space.cell_bounds(cell);
        let meets = (0..mesh.triangles().len() as u32).any(|k| triangle_meets_box(&mesh.corners(k), &closed));
        assert_eq!(surface.contains(cell), meets, "{cell:?} of {space:?}");
        assert_eq!(bounds.inner().contains(cell), !meets && is_inside);
        assert_eq!(bounds.outer().contains(cell), meets || is_inside);
    }
}

#[test]
fn cells_agree_with_all_triangles_and_winding_numbers() {
    for mesh in solids() {
        for space in spaces(&mesh) {
            check_cells(&mesh, space);
        }
    }
}

#[test]
fn cells_agree_at_extreme_coordinates() {
    for scale in [2.0f64.powi(-990), 2.0f64.powi(-100), 2.0f64.powi(400), 1e150] {
        for mesh in solids().iter().take(3) {
            let scaled = mesh.scaled(scale).unwrap();
            check_cells(&scaled, VoxelSpace::fit(&scaled.bounds(), 9).unwrap());
        }
    }
    // A space far away, a space within, a mesh that is a needle.
    let (vertices, triangles) = generate::cuboid([1.0; 3]).unwrap().into_parts();
    let stretched = vertices.into_iter().map(|vertex| vertex * Vec3::new(1e-300, 1.0, 1e100)).collect();
    let cube = TriMesh::new(stretched, triangles).unwrap();
    check_cells(&cube, VoxelSpace::new(Vec3::splat(-1.0), 0.5, [4; 3]).unwrap());
    check_cells(&cube, VoxelSpace::new(Vec3::splat(1e6), 0.5, [4; 3]).unwrap());
}

#[test]
fn exact_bounds_are_the_octree_over_the_same_cells() {
    for mesh in solids() {
        for depth in 0..=5 {
            let root = OctreeRoot::fit(&mesh.bounds(), depth).unwrap();
            let octree = Octree::of_mesh_within(&mesh, root).unwrap();
            let bounds = VoxelBounds::of_mesh(&mesh, VoxelSpace::of_root(root)).unwrap();
            assert_eq!(bounds.to_octree().unwrap(), octree, "depth {depth}");
            assert_eq!(VoxelBounds::of_octree(&octree).unwrap(), bounds);
            assert_eq!(bounds.volume(), octree.measures().volume);
            assert_eq!(bounds.outer().to_octree().unwrap(), octree.upper());
            assert_eq!(bounds.inner().to_octree().unwrap(), octree.lower());
        }
    }
}

#[test]
fn centres_on_a_common_face_belong_to_one_of_two_solids() {
    // All faces, edges and corners of these boxes run through centres, so the boxes tile the cube without gap or
    // overlap.
    let space = VoxelSpace::new(Vec3::splat(-0.5), 1.0, [9; 3]).unwrap();
    let cuboid = |min: Vec3, max: Vec3| {
        let half = generate::cuboid((0.5 * (max - min)).to_array()).unwrap();
        half.transformed(&Pose::from_translation(0.5 * (min + max)).unwrap()).unwrap()
    };
    let cuts = [0.0, 3.0, 8.0];
    let mut sum = BitGrid::empty(space).unwrap();
    let mut total = 0;
    for k in 0..8 {
        let at = [k & 1, k >> 1 & 1, k >> 2];
        let grid = BitGrid::of_mesh_centres(&cuboid(at.map(|k| cuts[k]).into(), at.map(|k| cuts[k + 1]).into()), space)
            .unwrap();
        total += grid.count();
        assert_eq!(sum.intersection(&grid).unwrap().count(), 0, "no cell has two owners");
        sum = sum.union(&grid).unwrap();
    }
    assert_eq!((sum.count(), total), (512, 512));
    assert_eq!(sum, BitGrid::of_mesh_centres(&cuboid(Vec3::ZERO, Vec3::splat(8.0)), space).unwrap());
}

#[test]
fn centres_on_slanted_faces_agree_with_moved_centres() {
    // Corners and centres are whole numbers up to 8, so determinants are whole numbers, with components of normals up
    // to 2⁷. A step of 2⁻¹² and its powers are as good as infinitesimal.
    let step = Vec3::new(2f64.powi(-36), 2f64.powi(-24), 2f64.powi(-12));
    let space = VoxelSpace::new(Vec3::splat(-0.5), 1.0, [9; 3]).unwrap();
    let mut random = Random::new(12);
    let (mut on_boundary, mut inside) = (0, 0);
    for _ in 0..600 {
        let solids: Vec<TriMesh> = (0..random.whole(1, 3))
            .map(|_| {
                let corners = [0; 4].map(|_| Vec3::from([0; 3].map(|_: i32| random.whole(0, 8) as f64)));
                TriMesh::new(corners.to_vec(), vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).unwrap()
            })
            .collect();
        let mesh = TriMesh::merged(&solids).unwrap();
        let (Ok(shape), grid) = (MeshShape::new(mesh.clone()), BitGrid::of_mesh_centres(&mesh, space)) else {
            continue;
        };
        let Ok(grid) = grid else { continue };
        for cell in (0..729).map(|k| [k % 9, k / 9 % 9, k / 81]) {
            let centre = space.centre(cell);
            let winding = winding_number(&shape, &Pose::IDENTITY, centre + step);
            assert_eq!(grid.contains(cell), winding != Location::Winding(0), "{cell:?} of {mesh:?}");
            let location = winding_number(&shape, &Pose::IDENTITY, centre);
            on_boundary += u32::from(matches!(location, Location::Boundary { .. }));
            inside += u32::from(grid.contains(cell));
        }
    }
    assert!(on_boundary > 1000 && inside > 1000, "{on_boundary} {inside}");
}

/// Bounds of a random dense grid, with the grid.
fn random_bounds(random: &mut Random, depth: u8) -> (Grid, VoxelBounds) {
    let dense = Grid::random(random, depth, true);
    let space = VoxelSpace::of_root(dense.root());
    let of =
        |leaves: &[Node]| BitGrid::from_cells(space, |cell| leaves.contains(&dense.at(cell.map(i64::from)))).unwrap();
    let bounds = VoxelBounds::new(of(&[Node::Full]), of(&[Node::Full, Node::MixedLeaf])).unwrap();
    (dense, bounds)
}

#[test]
fn set_operations_agree_with_dense_grids_and_octrees() {
    let mut random = Random::new(9);
    for round in 0..100 {
        let depth = (round % 5) as u8;
        let ((a, x), (b, y)) = (random_bounds(&mut random, depth), random_bounds(&mut random, depth));
        assert_eq!(x.to_octree().unwrap(), a.octree());
        assert_eq!(VoxelBounds::of_octree(&a.octree()).unwrap(), x);
        let octree = |bounds: VoxelBounds| bounds.to_octree().unwrap();
        assert_eq!(octree(x.union(&y).unwrap()), a.combine(&b, |a, b| a || b).octree());
        assert_eq!(octree(x.intersection(&y).unwrap()), a.combine(&b, |a, b| a && b).octree());
        assert_eq!(octree(x.difference(&y).unwrap()), a.combine(&b, |a, b| a && !b).octree());
        assert_eq!(octree(x.xor(&y).unwrap()), a.combine(&b, |a, b| a != b).octree());
        assert_eq!(octree(x.complement()), a.combine(&b, |a, _| !a).octree());
        let (p, q) = (x.outer(), y.outer());
        assert_eq!(p.xor(q).unwrap(), p.union(q).unwrap().difference(&p.intersection(q).unwrap()).unwrap());
        assert_eq!(p.complement().complement(), *p);
        assert_eq!(p.count() + p.complement().count(), x.space().cell_count());
        assert_eq!(x.mixed().count(), a.count(Node::MixedLeaf));
    }
}

#[test]
fn grids_of_any_counts_keep_their_cells() {
    let mut random = Random::new(10);
    for _ in 0..60 {
        let counts =
            [0; 3].map(|_: u32| random.whole(1, 150) as u32).map(|count| if count > 100 { count - 90 } else { count });
        let space = VoxelSpace::new(Vec3::new(0.1, -7.0, 3.0), 0.3, counts).unwrap();
        let fraction = random.whole(1, 40) as u64;
        let mut listed = Vec::new();
        let grid = BitGrid::from_cells(space, |cell| {
            let is_full = random.one_in(fraction);
            listed.extend(is_full.then_some(cell));
            is_full
        })
        .unwrap();
        assert_eq!(grid.cells().collect::<Vec<_>>(), listed);
        let bounds = listed.iter().fold(None, |found: Option<[[u32; 3]; 2]>, cell| {
            let [min, max] = found.unwrap_or([*cell, [0; 3]]);
            Some([[0, 1, 2].map(|k| min[k].min(cell[k])), [0, 1, 2].map(|k| max[k].max(cell[k] + 1))])
        });
        assert_eq!(grid.occupied_cells(), bounds);
        assert_eq!(grid.complement().count(), space.cell_count() - grid.count());
        let mut other = BitGrid::empty(space).unwrap();
        assert!(listed.iter().all(|&cell| other.set(cell, true)) && !other.set(counts, true));
        assert_eq!(other, grid);
        let octree = grid.to_octree().unwrap();
        assert_eq!(octree.measures().full_cells, grid.count());
        let back = VoxelBounds::of_octree(&octree).unwrap();
        assert_eq!(back.inner().cells().collect::<Vec<_>>(), listed);
        assert_eq!(octree.root().cell_edge(), 0.3);
    }
}

#[test]
fn volume_bounds_close_in_like_the_edge_of_a_cell() {
    let mesh = generate::icosphere(1.0, 4).unwrap();
    let (volume, area) = (measures(&mesh).volume.unwrap(), measures(&mesh).area);
    let mut gaps = Vec::new();
    for cells in [16, 32, 64, 128] {
        let space = VoxelSpace::fit(&mesh.bounds(), cells).unwrap();
        let [least, most] = VoxelBounds::of_mesh(&mesh, space).unwrap().volume();
        assert!(least <= volume && volume <= most);
        let centred = BitGrid::of_mesh_centres(&mesh, space).unwrap().count() as f64 * space.cell_edge().powi(3);
        assert!(least <= centred && centred <= most);
        // A plane meets 3/2 cells per cell face of area on average.
        assert!(most - least < 2.0 * area * space.cell_edge());
        gaps.push((most - least).log2());
    }
    for pair in gaps.windows(2) {
        assert!((pair[0] - pair[1] - 1.0).abs() < 0.1, "half the edge, half the gap: {gaps:?}");
    }
}

#[test]
fn bad_boxes_and_open_meshes_are_refused() {
    let new = |at: f64, cell, counts| VoxelSpace::new(Vec3::splat(at), cell, counts);
    assert!(matches!(new(0.0, 1.0, [1, 0, 1]), Err(VoxelError::Counts { .. })));
    assert!(matches!(new(0.0, 1.0, [1, (1 << 21) + 1, 1]), Err(VoxelError::Counts { .. })));
    for (at, cell) in [(f64::NAN, 1.0), (0.0, 0.0), (0.0, -1.0), (0.0, f64::INFINITY), (f64::MAX, f64::MAX)] {
        assert!(matches!(new(at, cell, [2; 3]), Err(VoxelError::Space { .. })), "{at} {cell}");
    }
    assert!(matches!(new(1e15, 0.5, [2; 3]), Err(VoxelError::Resolution { .. })));
    let large = new(0.0, 1.0, [2048, 1024, 1025]).unwrap();
    assert!(matches!(BitGrid::empty(large), Err(VoxelError::TooManyCells { .. })));
    assert!(BitGrid::empty(new(0.0, 1.0, [1, 1 << 21, 1 << 21]).unwrap()).is_err());
    let (vertices, mut triangles) = generate::cuboid([1.0; 3]).unwrap().into_parts();
    triangles.pop();
    let open = TriMesh::new(vertices, triangles).unwrap();
    let space = new(-2.0, 1.0, [4; 3]).unwrap();
    assert_eq!(BitGrid::of_mesh_centres(&open, space), Err(VoxelError::OpenMesh { triangles: 11 }));
    assert_eq!(VoxelBounds::of_mesh(&open, space), Err(VoxelError::OpenMesh { triangles: 11 }));
    let (a, b) = (BitGrid::empty(space).unwrap(), BitGrid::full(new(-2.0, 1.0, [4, 4, 5]).unwrap()).unwrap());
    assert!(matches!(a.union(&b), Err(VoxelError::SpacesDiffer { .. })));
    assert!(matches!(VoxelBounds::new(a.complement(), a), Err(VoxelError::BoundsCross { cells: 64 })));
}

#[test]
fn fitted_boxes_hold_their_points() {
    let mut random = Random::new(11);
    for _ in 0..2000 {
        let shift = Vec3::splat(random.between(-1.0, 1.0) * 10f64.powi(random.whole(-3, 6) as i32));
        let bounds = Aabb::from_points([shift + random.vector(1.0), shift + random.vector(1.0)]);
        let cells = random.whole(1, 300) as u32;
        let space = VoxelSpace::fit(&bounds, cells).unwrap();
        let held = space.bounds();
        assert!(held.contains(bounds.min) && held.contains(bounds.max), "{bounds:?} in {space:?}");
        assert_eq!(space.counts().into_iter().max(), Some(cells));
    }
    assert!(matches!(VoxelSpace::fit(&Aabb::from_points([Vec3::ZERO]), 0), Err(VoxelError::Counts { .. })));
}
