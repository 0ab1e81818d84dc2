//! Dense grid of deepest cells: the oracle of octrees.

use heurt_solid::{CellClass, Node, Octree, OctreeCell, OctreeRoot};
use heurt_testkit::number::random::Random;

/// Leaves of all deepest cells, x fastest.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    pub depth: u8,
    pub cells: Vec<Node>,
}

#[allow(dead_code)] // Each test program uses its share.
impl Grid {
    pub fn size(&self) -> u32 {
        1 << self.depth
    }

    pub fn at(&self, at: [i64; 3]) -> Node {
        let size = i64::from(self.size());
        if at.iter().any(|&k| k < 0 || k >= size) {
            return Node::Empty;
        }
        self.cells[(at[0] + size * (at[1] + size * at[2])) as usize]
    }

    pub fn new(depth: u8, mut leaf: impl FnMut([i64; 3]) -> Node) -> Self {
        let size = 1i64 << depth;
        let cells = (0..size * size * size).map(|k| leaf([k % size, k / size % size, k / size / size]));
        Self { depth, cells: cells.collect() }
    }

    /// Boxes of full, empty or mixed cells over each other, and some noise.
    pub fn random(random: &mut Random, depth: u8, is_mixed_allowed: bool) -> Self {
        let mut grid = Self::new(depth, |_| Node::Empty);
        let size = 1i64 << depth;
        let leaf = |random: &mut Random| match random.whole(0, if is_mixed_allowed { 6 } else { 5 }) {
            0..3 => Node::Full,
            3..6 => Node::Empty,
            _ => Node::MixedLeaf,
        };
        for _ in 0..random.whole(0, 8) {
            let leaf = leaf(random);
            let ends: [[i64; 2]; 3] = [[0; 2]; 3].map(|ends: [i64; 2]| ends.map(|_| random.whole(0, size)));
            let old = grid.clone();
            grid = Self::new(depth, |at| {
                let is_in = |k: usize| at[k] >= ends[k][0].min(ends[k][1]) && at[k] < ends[k][0].max(ends[k][1]);
                if (0..3).all(is_in) { leaf } else { old.at(at) }
            });
        }
        for _ in 0..random.whole(0, size) {
            let cell = random.whole(0, grid.cells.len() as i64 - 1) as usize;
            grid.cells[cell] = leaf(random);
        }
        grid
    }

    pub fn root(&self) -> OctreeRoot {
        OctreeRoot::new([-1.0, 0.5, 2.0].into(), 4.0, self.depth).unwrap()
    }

    pub fn octree(&self) -> Octree {
        Octree::from_cells(self.root(), |cell| self.classify(cell)).unwrap()
    }

    fn classify(&self, cell: &OctreeCell) -> CellClass {
        let size = i64::from(cell.size(self.depth));
        let min = cell.min.map(i64::from);
        let first = self.at(min);
        let cells = (0..size * size * size).map(|k| [k % size, k / size % size, k / size / size]);
        let is_one = cells.map(|at| self.at([0, 1, 2].map(|k| min[k] + at[k]))).all(|leaf| leaf == first);
        match first {
            Node::Full if is_one => CellClass::Full,
            Node::Empty if is_one => CellClass::Empty,
            _ => CellClass::Mixed,
        }
    }

    /// The grid of an octree.
    pub fn of(octree: &Octree) -> Self {
        let depth = octree.root().depth();
        let mut grid = Self::new(depth, |_| Node::Branch);
        let side = 1usize << depth;
        for (cell, leaf) in octree.leaves() {
            let (size, min) = (cell.size(depth) as usize, cell.min.map(|at| at as usize));
            for z in min[2]..min[2] + size {
                for y in min[1]..min[1] + size {
                    for x in min[0]..min[0] + size {
                        let place = &mut grid.cells[x + side * (y + side * z)];
                        assert_eq!(*place, Node::Branch, "leaves do not overlap");
                        *place = leaf;
                    }
                }
            }
        }
        assert!(grid.cells.iter().all(|&leaf| leaf != Node::Branch), "leaves tile the root");
        grid
    }

    pub fn count(&self, leaf: Node) -> u64 {
        self.cells.iter().filter(|&&cell| cell == leaf).count() as u64
    }

    /// Combines two grids by a function of sets, with bounds: a mixed cell may be full or empty.
    pub fn combine(&self, other: &Self, operation: impl Fn(bool, bool) -> bool) -> Self {
        let values = |leaf: Node| match leaf {
            Node::Full => [true, true],
            Node::Empty => [false, false],
            _ => [false, true],
        };
        let cells = self.cells.iter().zip(&other.cells).map(|(&a, &b)| {
            let all = values(a).into_iter().flat_map(|a| values(b).map(|b| operation(a, b)));
            let (mut can, mut cannot) = (false, false);
            all.for_each(|is_full| if is_full { can = true } else { cannot = true });
            match (can, cannot) {
                (true, false) => Node::Full,
                (false, true) => Node::Empty,
                _ => Node::MixedLeaf,
            }
        });
        Self { depth: self.depth, cells: cells.collect() }
    }

    fn places(&self) -> impl Iterator<Item = [i64; 3]> + use<> {
        let size = i64::from(self.size()) + 1;
        (0..size * size * size).map(move |k| [k % size, k / size % size, k / size / size])
    }

    fn is_full(&self, at: [i64; 3]) -> bool {
        self.at(at) == Node::Full
    }

    /// Faces between full cells and others.
    pub fn count_faces(&self) -> u64 {
        let faces = self.places().flat_map(|at| (0..3).map(move |axis| (at, axis)));
        let differs = |&(at, axis): &([i64; 3], usize)| {
            let mut below = at;
            below[axis] -= 1;
            self.is_full(at) != self.is_full(below)
        };
        faces.filter(differs).count() as u64
    }

    /// Edges around which full cells and others alternate.
    pub fn count_alternating_edges(&self) -> u64 {
        let edges = self.places().flat_map(|at| (0..3).map(move |axis| (at, axis)));
        let alternates = |&(at, axis): &([i64; 3], usize)| {
            let [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
            let cell = |low_u: i64, low_v: i64| {
                let mut cell = at;
                cell[u] -= low_u;
                cell[v] -= low_v;
                self.is_full(cell)
            };
            cell(0, 0) == cell(1, 1) && cell(0, 1) == cell(1, 0) && cell(0, 0) != cell(0, 1)
        };
        edges.filter(alternates).count() as u64
    }

    /// Takes every cell from another place.
    pub fn moved(&self, source: impl Fn([i64; 3]) -> [i64; 3]) -> Self {
        Self::new(self.depth, |at| self.at(source(at)))
    }
}
