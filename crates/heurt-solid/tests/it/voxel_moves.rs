//! Moves of voxel grids against rebuilt grids; bricks against dense grids; what grids draw.

use heurt_geometry::{Aabb, Draw, DrawSink, Meaning, Triangle, Vec3};
use heurt_mesh::generate;
use heurt_solid::{Axis, BitGrid, BrickSet, Node, Octree, OctreeRoot, VoxelBounds, VoxelError, VoxelSpace};
use heurt_testkit::number::random::Random;

const AXES: [Axis; 3] = [Axis::X, Axis::Y, Axis::Z];

fn random_space(random: &mut Random) -> VoxelSpace {
    let mut counts = [0; 3].map(|_: u32| random.whole(1, 20) as u32);
    counts[random.whole(0, 2) as usize] = random.whole(1, 200) as u32;
    VoxelSpace::new(Vec3::new(0.5, -1.0, 2.0), 0.25, counts).unwrap()
}

/// Boxes of cells and noise.
fn random_grid(random: &mut Random, space: VoxelSpace) -> BitGrid {
    let counts = space.counts();
    let mut pick = |k: usize| random.whole(0, i64::from(counts[k])) as u32;
    let ends: [[u32; 2]; 3] = [0, 1, 2].map(|k| [pick(k), pick(k)]);
    let noise = random.whole(1, 30) as u64;
    BitGrid::from_cells(space, |cell| {
        (0..3).all(|k| (ends[k][0].min(ends[k][1])..ends[k][0].max(ends[k][1])).contains(&cell[k]))
            != random.one_in(noise + 1)
    })
    .unwrap()
}

#[test]
fn translations_agree_with_rebuilt_grids() {
    let mut random = Random::new(30);
    let (mut moved, mut refused) = (0, 0);
    for _ in 0..400 {
        let space = random_space(&mut random);
        let counts = space.counts().map(i64::from);
        let keep: [i64; 3] = [0, 1, 2].map(|k| random.whole(0, counts[k]));
        let mut grid = random_grid(&mut random, space);
        grid = grid
            .intersection(&BitGrid::from_cells(space, |cell| (0..3).all(|k| i64::from(cell[k]) < keep[k])).unwrap())
            .unwrap();
        let reach = if random.one_in(2) { 3 } else { 1 };
        let shift: [i64; 3] = [0, 1, 2].map(|k| random.whole(-counts[k] * (reach - 1) / 2, counts[k] - keep[k]));
        let leaves =
            grid.cells().any(|cell| (0..3).any(|k| !(0..counts[k]).contains(&(i64::from(cell[k]) + shift[k]))));
        match grid.translated(shift.map(|by| by as i32)) {
            Err(error) => {
                assert!(leaves && matches!(error, VoxelError::LeavesSpace { .. }));
                refused += 1;
            }
            Ok(result) => {
                assert!(!leaves);
                let rebuilt = BitGrid::from_cells(space, |cell| {
                    let source = [0, 1, 2].map(|k| i64::from(cell[k]) - shift[k]);
                    source.iter().all(|&at| at >= 0) && grid.contains(source.map(|at| at as u32))
                });
                assert_eq!(result, rebuilt.unwrap());
                moved += 1;
            }
        }
    }
    assert!(moved > 100 && refused > 50, "{moved} {refused}");
    let space = VoxelSpace::new(Vec3::ZERO, 1.0, [65, 1, 1]).unwrap();
    let full = BitGrid::full(space).unwrap();
    assert!(full.translated([i32::MIN, 0, 0]).is_err() && full.translated([0, i32::MAX, 0]).is_err());
    assert_eq!(BitGrid::empty(space).unwrap().translated([i32::MIN; 3]), BitGrid::empty(space));
}

#[test]
fn turns_and_mirrors_agree_with_rebuilt_grids() {
    let mut random = Random::new(31);
    for _ in 0..100 {
        let space = random_space(&mut random);
        let grid = random_grid(&mut random, space);
        for axis in AXES {
            let (u, v) = ((axis as usize + 1) % 3, (axis as usize + 2) % 3);
            let turned = grid.turned(axis, 1).unwrap();
            let mut counts = space.counts();
            counts.swap(u, v);
            let turned_space = VoxelSpace::new(space.origin(), space.cell_edge(), counts).unwrap();
            let rebuilt = BitGrid::from_cells(turned_space, |cell| {
                let mut source = cell;
                (source[u], source[v]) = (cell[v], space.counts()[v] - 1 - cell[u]);
                grid.contains(source)
            });
            assert_eq!(turned, rebuilt.unwrap());
            assert_eq!(turned.turned(axis, 1).unwrap(), grid.turned(axis, -6).unwrap());
            assert_eq!(turned.turned(axis, 3).unwrap(), grid);
            let mirrored = BitGrid::from_cells(space, |mut cell| {
                cell[axis as usize] = space.counts()[axis as usize] - 1 - cell[axis as usize];
                grid.contains(cell)
            });
            assert_eq!(grid.mirrored(axis).unwrap(), mirrored.unwrap());
        }
    }
}

#[test]
fn turned_cubes_agree_with_turned_octrees() {
    let mut random = Random::new(32);
    let space = VoxelSpace::new(Vec3::ZERO, 1.0, [16; 3]).unwrap();
    for _ in 0..20 {
        let grid = random_grid(&mut random, space);
        let octree = grid.to_octree().unwrap();
        for axis in AXES {
            assert_eq!(grid.turned(axis, 1).unwrap().to_octree().unwrap(), octree.turned(axis, 1));
            assert_eq!(grid.mirrored(axis).unwrap().to_octree().unwrap(), octree.mirrored(axis));
        }
    }
}

#[test]
fn bricks_agree_with_dense_grids() {
    let mut random = Random::new(33);
    for _ in 0..200 {
        let space = random_space(&mut random);
        let (a, b) = (random_grid(&mut random, space), random_grid(&mut random, space));
        let (x, y) = (BrickSet::of_grid(&a), BrickSet::of_grid(&b));
        assert_eq!(BrickSet::from_cells(space, a.cells()), x);
        for (p, q, c, d) in [
            (&x, &y, &a, &b),
            (&x.complement(), &y, &a.complement(), &b),
            (&x, &y.complement(), &a, &b.complement()),
            (&x.complement(), &y.complement(), &a.complement(), &b.complement()),
        ] {
            assert_eq!((p.to_grid().unwrap(), p.count()), (c.clone(), c.count()));
            for (bricks, grid) in [
                (p.union(q), c.union(d)),
                (p.intersection(q), c.intersection(d)),
                (p.difference(q), c.difference(d)),
                (p.xor(q), c.xor(d)),
            ] {
                let (bricks, grid) = (bricks.unwrap(), grid.unwrap());
                assert_eq!((bricks.to_grid().unwrap(), bricks.count()), (grid.clone(), grid.count()));
                let cell = space.counts().map(|count| random.whole(0, i64::from(count)) as u32);
                assert_eq!(bricks.contains(cell), grid.contains(cell));
            }
        }
        assert_eq!(x.xor(&x).unwrap(), BrickSet::empty(space));
        assert_eq!(x.union(&y).unwrap().brick_count(), BrickSet::of_grid(&a.union(&b).unwrap()).brick_count());
    }
}

#[test]
fn bricks_take_memory_in_proportion_to_the_set() {
    let space = VoxelSpace::new(Vec3::ZERO, 1.0, [1 << 21; 3]).unwrap();
    let cells = [[0; 3], [7; 3], [8; 3], [(1 << 21) - 1; 3], [1 << 21, 0, 0]];
    let set = BrickSet::from_cells(space, cells);
    assert_eq!((set.count(), set.brick_count()), (4, 3));
    assert_eq!(set.complement().count(), (1 << 63) - 4);
    assert!(cells.iter().all(|&cell| set.contains(cell) == space.has(cell)));
    assert!(matches!(set.to_grid(), Err(VoxelError::TooManyCells { .. })));
    let other = BrickSet::empty(VoxelSpace::new(Vec3::ZERO, 2.0, [8; 3]).unwrap());
    assert!(matches!(set.union(&other), Err(VoxelError::SpacesDiffer { .. })));
}

#[derive(Default)]
struct Boxes(Vec<(Aabb, Meaning)>);

impl DrawSink for Boxes {
    fn draw_point(&mut self, _: Vec3, _: Meaning) {}
    fn draw_line(&mut self, _: [Vec3; 2], _: Meaning) {}
    fn draw_triangle(&mut self, _: Triangle, _: Meaning) {}
    fn draw_text(&mut self, _: Vec3, _: &str, _: Meaning) {}
    fn draw_box(&mut self, bounds: &Aabb, meaning: Meaning) {
        self.0.push((*bounds, meaning));
    }
}

#[test]
fn grids_draw_the_cells_at_their_boundary() {
    let space = VoxelSpace::new(Vec3::ZERO, 1.0, [4; 3]).unwrap();
    let mut boxes = Boxes::default();
    BitGrid::full(space).unwrap().draw(&mut boxes);
    assert_eq!(boxes.0.len(), 64 - 8, "the inner 2³ cells are hidden");
    assert_eq!(boxes.0[0], (space.cell_bounds([0; 3]), Meaning::Cell));
    let ball = generate::icosphere(1.0, 2).unwrap();
    let bounds = VoxelBounds::of_mesh(&ball, VoxelSpace::fit(&ball.bounds(), 9).unwrap()).unwrap();
    let mut boxes = Boxes::default();
    bounds.draw(&mut boxes);
    assert_eq!(boxes.0.len() as u64, bounds.mixed().count());
}

#[test]
fn bricks_and_layers_agree_with_dense_grids() {
    let mut random = Random::new(38);
    for _ in 0..60 {
        let space = random_space(&mut random);
        let grid = random_grid(&mut random, space);
        let bricks = BrickSet::of_grid(&grid);
        let octree = grid.to_octree().unwrap();
        assert_eq!(bricks.to_octree().unwrap(), octree);
        assert_eq!(bricks.complement().to_octree().unwrap(), grid.complement().to_octree().unwrap());
        let back = BrickSet::of_octree(&octree).unwrap();
        assert_eq!((back.count(), back.to_octree().unwrap()), (grid.count(), octree));
        for (axis, [u, v]) in [(Axis::X, [1, 2]), (Axis::Y, [2, 0]), (Axis::Z, [0, 1])] {
            let count = space.counts()[axis as usize];
            let layer = random.whole(0, i64::from(count) - 1) as u32;
            let slice = grid.slice(axis, layer).unwrap();
            let depth = slice.root().depth();
            let mut cells: Vec<[u32; 2]> = slice
                .leaves()
                .filter(|(_, leaf)| *leaf == Node::Full)
                .flat_map(|(cell, _)| {
                    let size = cell.size(depth);
                    (0..size * size).map(move |k| [cell.min[0] + k % size, cell.min[1] + k / size])
                })
                .collect();
            let due = grid.cells().filter(|cell| cell[axis as usize] == layer).map(|cell| [cell[u], cell[v]]);
            let mut due: Vec<[u32; 2]> = due.collect();
            cells.sort_unstable();
            due.sort_unstable();
            assert_eq!(cells, due);
            assert!(!slice.leaves().any(|(_, leaf)| leaf == Node::MixedLeaf));
            assert_eq!(grid.slice(axis, count), Err(VoxelError::Layer { layer: count, count }));
        }
    }
    // Many small leaves lie in few bricks.
    let space = VoxelSpace::new(Vec3::ZERO, 1.0, [64; 3]).unwrap();
    let chequered = BitGrid::from_cells(space, |cell| cell.iter().sum::<u32>() % 2 == 0).unwrap();
    let bricks = BrickSet::of_grid(&chequered);
    assert_eq!(BrickSet::of_octree(&bricks.to_octree().unwrap()), Ok(bricks));
    // A full root of depth 21 has more bricks than memory.
    let root = OctreeRoot::new(Vec3::ZERO, 1.0, 21).unwrap();
    assert!(matches!(BrickSet::of_octree(&Octree::full(root)), Err(VoxelError::TooManyCells { .. })));
}
