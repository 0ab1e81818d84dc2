//! Representative triangles: the assignment of vertices, edges and triangles to leaves of a tree, with their swept
//! boxes.
//!
//! In: triangles in leaf order; positions of vertices at both ends of a step. Out: groups of eight boxes, leaf by leaf.
//! Method: representative triangles (Curtis et al. 2008): the first triangle in leaf order represents its vertices and
//! edges, so that each pair of features is tested once however many triangles share them.
//! Guarantees: every vertex and edge of a triangle belongs to exactly one leaf, which contains a triangle with it;
//! boxes contain their feature at every moment of the step.

use heurt_bvh::volume::WideAabb;
use heurt_bvh::{Aabb32, BoundingVolume, Bvh, Leaf, TreeFrame};
use heurt_geometry::{Aabb, Vec3};

/// Boxes in a group.
pub(super) const GROUP: usize = 8;

/// Features of one kind, leaf by leaf.
#[derive(Debug, Clone)]
pub(super) struct Owned<T> {
    /// By leaf ordinal, the first group and the number of features.
    runs: Vec<(u32, u32)>,
    /// `GROUP` items per group; items beyond a leaf's count repeat its last.
    items: Vec<T>,
    boxes: Vec<WideAabb<GROUP>>,
}

impl<T: Copy> Owned<T> {
    /// Builds the groups from the features of each leaf.
    fn new(leaves: &[Vec<T>]) -> Self {
        let (mut runs, mut items) = (Vec::with_capacity(leaves.len()), Vec::new());
        for of_leaf in leaves {
            runs.push(((items.len() / GROUP) as u32, of_leaf.len() as u32));
            items.extend(of_leaf);
            if let Some(&last) = of_leaf.last() {
                items.resize(items.len().next_multiple_of(GROUP), last);
            }
        }
        let boxes = vec![Aabb32::empty_lanes(); items.len() / GROUP];
        Self { runs, items, boxes }
    }

    /// Returns the groups of a leaf: the mask of lanes in use, the boxes, and the features.
    #[inline(always)]
    pub(super) fn groups(&self, leaf: Leaf) -> impl Iterator<Item = (u32, &WideAabb<GROUP>, &[T])> {
        let (first, count) = self.runs[leaf.ordinal as usize];
        (0..count.div_ceil(GROUP as u32)).map(move |k| {
            let (group, left) = ((first + k) as usize, count - k * GROUP as u32);
            let lanes = if left >= GROUP as u32 { (1 << GROUP) - 1 } else { (1 << left) - 1 };
            (lanes, &self.boxes[group], &self.items[group * GROUP..][..GROUP])
        })
    }

    fn fit(&mut self, box_of: impl Fn(&T) -> Aabb32) {
        for (item, feature) in self.items.iter().enumerate() {
            box_of(feature).store(&mut self.boxes[item / GROUP], item % GROUP);
        }
    }
}

/// The features of a mesh and their boxes.
#[derive(Debug, Clone)]
pub(super) struct LeafFeatures {
    pub(super) vertices: Owned<u32>,
    pub(super) edges: Owned<[u32; 2]>,
    pub(super) faces: Owned<u32>,
    /// By leaf ordinal, the box of its triangles, which contains all features assigned to it.
    leaves: Vec<Aabb32>,
    /// The box of each vertex; kept for reuse.
    of_vertices: Vec<Aabb32>,
}

impl LeafFeatures {
    pub(super) fn new(triangles: &[[u32; 3]], vertex_count: usize, tree: &Bvh<Aabb32, 8>) -> Self {
        let mut leaves = vec![Vec::new(); tree.order().len() / tree.leaf_size() as usize];
        tree.for_each_leaf(|leaf| leaves[leaf.ordinal as usize] = tree.primitives(leaf).to_vec());
        Self {
            vertices: Owned::new(&first_come(&leaves, vertex_count, |face| triangles[face as usize])),
            edges: Owned::new(&first_edges(&leaves, triangles)),
            leaves: vec![Aabb32::EMPTY; leaves.len()],
            faces: Owned::new(&leaves),
            of_vertices: Vec::with_capacity(vertex_count),
        }
    }

    /// Returns the box of a leaf.
    #[inline(always)]
    pub(super) fn leaf(&self, leaf: Leaf) -> &Aabb32 {
        &self.leaves[leaf.ordinal as usize]
    }

    /// Refits the boxes to the positions of the vertices at both ends.
    pub(super) fn fit(&mut self, frame: &TreeFrame, [start, end]: [&[Vec3]; 2], triangles: &[[u32; 3]]) {
        let swept_box =
            |(&from, &to)| Aabb32::in_frame(frame, &Aabb { min: Vec3::min(from, to), max: Vec3::max(from, to) });
        self.of_vertices.clear();
        self.of_vertices.extend(start.iter().zip(end).map(swept_box));
        let at = |vertex: u32| &self.of_vertices[vertex as usize];
        let face = |face: &u32| {
            let [a, b, c] = triangles[*face as usize];
            at(a).merged(at(b)).merged(at(c))
        };
        self.vertices.fit(|&vertex| *at(vertex));
        self.edges.fit(|&[a, b]| at(a).merged(at(b)));
        self.faces.fit(face);
        for (box_, &(first, count)) in self.leaves.iter_mut().zip(&self.faces.runs) {
            let first = first as usize * GROUP;
            let of_leaf = &self.faces.items[first..first + count as usize];
            *box_ = of_leaf.iter().map(face).fold(Aabb32::EMPTY, |all, face| all.merged(&face));
        }
    }

    /// Returns the size in bytes.
    pub(super) fn bytes(&self) -> usize {
        fn of<T>(owned: &Owned<T>) -> usize {
            size_of_val(&*owned.runs) + size_of_val(&*owned.items) + size_of_val(&*owned.boxes)
        }
        let boxes = size_of::<Aabb32>() * (self.leaves.capacity() + self.of_vertices.capacity());
        of(&self.vertices) + of(&self.edges) + of(&self.faces) + boxes
    }
}

/// Lists the vertices of each leaf that no earlier leaf has.
fn first_come(leaves: &[Vec<u32>], count: usize, corners: impl Fn(u32) -> [u32; 3]) -> Vec<Vec<u32>> {
    let mut taken = vec![false; count];
    let of_leaf = |faces: &Vec<u32>| {
        let vertices = faces.iter().flat_map(|&face| corners(face));
        vertices.filter(|&vertex| !std::mem::replace(&mut taken[vertex as usize], true)).collect()
    };
    leaves.iter().map(of_leaf).collect()
}

/// Lists the edges of each leaf that no earlier leaf has, least vertex first. An edge from a vertex to itself is left
/// out: the vertex tests cover its triangle.
fn first_edges(leaves: &[Vec<u32>], triangles: &[[u32; 3]]) -> Vec<Vec<[u32; 2]>> {
    let mut sides = Vec::with_capacity(3 * triangles.len());
    for (leaf, faces) in leaves.iter().enumerate() {
        for &face in faces {
            let [a, b, c] = triangles[face as usize];
            sides.extend([[a, b], [b, c], [c, a]].map(|[a, b]| ([a.min(b), a.max(b)], leaf)));
        }
    }
    sides.retain(|([a, b], _)| a != b);
    sides.sort_unstable();
    sides.dedup_by_key(|(edge, _)| *edge);
    let mut owned = vec![Vec::new(); leaves.len()];
    sides.into_iter().for_each(|(edge, leaf)| owned[leaf].push(edge));
    owned
}
