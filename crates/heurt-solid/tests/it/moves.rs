//! Moves and measures of random octrees against dense grids.

use crate::grid::Grid;
use heurt_solid::{Axis, MoveError, Node, Octree, OctreeRoot};
use heurt_testkit::number::random::Random;

fn grids(seed: u64) -> impl Iterator<Item = (Random, Grid)> {
    (0..200).map(move |round| {
        let mut random = Random::new(seed + round);
        let grid = Grid::random(&mut random, (round % 5) as u8, round % 3 == 0);
        (random, grid)
    })
}

const AXES: [Axis; 3] = [Axis::X, Axis::Y, Axis::Z];

#[test]
fn measures_agree_with_dense_grids() {
    for (_, grid) in grids(10) {
        let measures = grid.octree().measures();
        assert_eq!(measures.full_cells, grid.count(Node::Full));
        assert_eq!(measures.mixed_cells, grid.count(Node::MixedLeaf));
        assert_eq!(measures.surface_faces, grid.count_faces());
        assert_eq!(measures.alternating_edges, grid.count_alternating_edges());
        let edge = grid.root().cell_edge();
        assert_eq!(measures.surface, grid.count_faces() as f64 * edge * edge);
        assert_eq!(measures.nodes().total(), grid.octree().nodes().len() as u64);
        let branches = grid.octree().nodes().iter().filter(|&&node| node == Node::Branch).count();
        assert_eq!(measures.nodes().branch, branches as u64);
    }
}

#[test]
fn turns_and_mirrors_agree_with_rebuilt_octrees() {
    for (_, grid) in grids(20) {
        let (octree, last) = (grid.octree(), i64::from(grid.size()) - 1);
        for (k, axis) in AXES.into_iter().enumerate() {
            let [u, v] = [(k + 1) % 3, (k + 2) % 3];
            let mirrored = grid.moved(|mut at| {
                at[k] = last - at[k];
                at
            });
            assert_eq!(octree.mirrored(axis), mirrored.octree());
            // A quarter turn takes (u, v) to (−v, u).
            let turned = grid.moved(|mut at| {
                (at[u], at[v]) = (at[v], last - at[u]);
                at
            });
            assert_eq!(octree.turned(axis, 1), turned.octree());
            assert_eq!(octree.turned(axis, -3), turned.octree());
            assert_eq!(octree.turned(axis, 1).turned(axis, 1), octree.turned(axis, 2));
            assert_eq!(octree.turned(axis, 2), octree.mirrored(AXES[u]).mirrored(AXES[v]));
            assert_eq!(octree.turned(axis, i32::MIN), octree);
        }
    }
}

#[test]
fn translations_agree_with_rebuilt_octrees() {
    let (mut moved, mut refused) = (0, 0);
    for (mut random, grid) in grids(30) {
        let (octree, size) = (grid.octree(), i64::from(grid.size()));
        for _ in 0..10 {
            // Solids that fill the root cannot move, so a box is cut out first.
            let keep = random.whole(0, size);
            let part = Grid::new(grid.depth, |at| if at.iter().all(|&k| k < keep) { grid.at(at) } else { Node::Empty });
            let octree = part.octree();
            let reach = if random.one_in(2) { [-size, size] } else { [0, size - keep] };
            let shift = [0; 3].map(|_: i64| random.whole(reach[0], reach[1]));
            let is_within = |at: [i64; 3]| at.iter().all(|&k| (0..size).contains(&k));
            let leaves = Grid::new(grid.depth, |at| {
                let occupied = part.at(at) != Node::Empty && !is_within([0, 1, 2].map(|k| at[k] + shift[k]));
                if occupied { Node::Full } else { Node::Empty }
            });
            let result = octree.translated(shift.map(|by| by as i32));
            if leaves.count(Node::Full) > 0 {
                refused += 1;
                assert!(matches!(result, Err(MoveError::LeavesRoot { .. })));
            } else {
                moved += usize::from(octree != Octree::empty(octree.root()) && shift != [0; 3]);
                assert_eq!(result.unwrap(), part.moved(|at| [0, 1, 2].map(|k| at[k] - shift[k])).octree());
            }
        }
        assert_eq!(octree.translated([0; 3]).unwrap(), octree);
    }
    assert!(moved > 100 && refused > 100, "{moved} octrees moved, {refused} refused");
}

#[test]
fn extreme_shifts_are_refused() {
    let root = OctreeRoot::new([0.0; 3].into(), 1.0, 21).unwrap();
    let octree = Octree::from_depth_first_code(root, "(RVVVVVVV").unwrap();
    for by in [i32::MIN, i32::MAX, -1, (1 << 20) + 1] {
        assert!(octree.translated([0, by, 0]).is_err());
    }
    assert_eq!(octree.translated([1 << 20; 3]).unwrap().to_depth_first_code(), "(VVVVVVVR");
    assert_eq!(Octree::empty(root).translated([i32::MIN; 3]).unwrap(), Octree::empty(root));
}
