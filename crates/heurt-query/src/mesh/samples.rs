//! Sampled intersection of two meshes: a limited number of pairs of triangles, with no proof that there are no others.
//!
//! In: two meshes on their poses, a number of pairs, a seed. Out: pairs of triangles that intersect.
//! Method: S4 §1.1 (stochastic sampling among the approximating methods). Either pairs are drawn again each time
//! ([`drawn_pairs`]), or they are kept and move from neighbour to neighbour toward a local minimum of the distance
//! ([`Walkers`]). All but one of the pairs that reach the same place are replaced by new pairs.
//! Guarantees: reported pairs intersect, exactly; the same seed gives the same pairs. Cost: O(pairs) for any mesh, once
//! neighbours are computed, which takes O(n log n).
//! Not guaranteed: unreported pairs may intersect. [`pairs`](crate::pairs()) lists all, and is the reference for this
//! method.

use crate::answer::placed::{Placed, PlacedMeshShape};
use crate::mesh::walk::pair_walk::place;
use crate::triangle::distance::nearest_points;
use heurt_geometry::{Aabb, Pose, SplitMix64, Triangle, triangles_intersect};
use heurt_mesh::{Topology, TriMesh};
use heurt_shape::MeshShape;

/// Draws `count` pairs of triangles at random, and reports which of them intersect: sorted, each once.
///
/// ```
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_mesh::generate::octasphere;
/// use heurt_query::{pairs, samples::drawn_pairs};
/// use heurt_shape::MeshShape;
/// let ball = MeshShape::new(octasphere(1.0, 3)?)?;
/// let near = Pose::from_translation(Vec3::X)?;
/// let found = drawn_pairs((&ball, &Pose::IDENTITY), (&ball, &near), 1000, 7);
/// let all = pairs(&ball, &Pose::IDENTITY, &ball, &near);
/// assert!(found.iter().all(|pair| all.contains(pair)) && found.len() < all.len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn drawn_pairs(a: (&MeshShape, &Pose), b: (&MeshShape, &Pose), count: usize, seed: u64) -> Vec<[u32; 2]> {
    let (a, b) = (Placed::new(a.0, a.1), Placed::new(b.0, b.1));
    let mut random = SplitMix64::new(seed);
    let mut found: Vec<[u32; 2]> = (0..count)
        .filter_map(|_| draw_pair(&mut random, a.shape, b.shape))
        .filter(|pair| intersect(&placed(a, b, *pair)))
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Pairs of triangles that descend, from step to step, to where two meshes come nearest.
#[derive(Debug, Clone)]
pub struct Walkers {
    pairs: Vec<[u32; 2]>,
    neighbours: [Neighbouring; 2],
    random: SplitMix64,
}

impl Walkers {
    /// Draws `count` pairs of triangles of two meshes.
    pub fn new(a: &MeshShape, b: &MeshShape, count: usize, seed: u64) -> Self {
        Self::draw(a, b, count, SplitMix64::new(seed))
    }

    fn draw(a: &MeshShape, b: &MeshShape, count: usize, mut random: SplitMix64) -> Self {
        let pairs = (0..count).filter_map(|_| draw_pair(&mut random, a, b)).collect();
        Self { pairs, neighbours: [a, b].map(|shape| Neighbouring::of(shape.mesh())), random }
    }

    /// Moves each pair up to `moves` times to a nearer pair on the same two meshes, and reports which pairs intersect:
    /// sorted, each once. All but one of the pairs that end at the same place are drawn again.
    ///
    /// If the number of triangles of a mesh has changed, the walkers start again. Other changes of the meshes are
    /// ignored: the neighbours of the first meshes are used.
    pub fn step(&mut self, a: (&MeshShape, &Pose), b: (&MeshShape, &Pose), moves: usize) -> Vec<[u32; 2]> {
        let (a, b) = (Placed::new(a.0, a.1), Placed::new(b.0, b.1));
        let counts = [a.shape, b.shape].map(|shape| shape.mesh().triangles().len());
        if self.neighbours.each_ref().map(Neighbouring::len) != counts {
            *self = Self::draw(a.shape, b.shape, self.pairs.len(), self.random.clone());
        }
        let mut found = Vec::new();
        for pair in &mut self.pairs {
            if descend(pair, a, b, &self.neighbours, moves) == 0.0 {
                found.push(*pair);
            }
        }
        self.pairs.sort_unstable();
        for place in 1..self.pairs.len() {
            if self.pairs[place] == self.pairs[place - 1] {
                // The previous pair is a duplicate of this one and is drawn again; the last of equal pairs is kept.
                let fresh = draw_pair(&mut self.random, a.shape, b.shape);
                self.pairs[place - 1] = fresh.unwrap_or(self.pairs[place - 1]);
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// Moves a pair to its nearest neighbour while the gap shrinks, and returns the final gap.
fn descend(
    pair: &mut [u32; 2],
    a: PlacedMeshShape<'_>,
    b: PlacedMeshShape<'_>,
    neighbours: &[Neighbouring; 2],
    moves: usize,
) -> f64 {
    let mut gap = gap_of(a, b, *pair);
    for _ in 0..moves {
        let [i, j] = *pair;
        let on_a = neighbours[0].of_triangle(i).iter().map(|&i| [i, j]);
        let on_b = neighbours[1].of_triangle(j).iter().map(|&j| [i, j]);
        let nearest = on_a.chain(on_b).map(|pair| (gap_of(a, b, pair), pair)).min_by(|x, y| x.0.total_cmp(&y.0));
        match nearest {
            Some((nearer, next)) if nearer < gap => (gap, *pair) = (nearer, next),
            _ => break,
        }
    }
    gap
}

fn placed(
    Placed { shape: a, pose: pose_a }: PlacedMeshShape<'_>,
    Placed { shape: b, pose: pose_b }: PlacedMeshShape<'_>,
    [i, j]: [u32; 2],
) -> [Triangle; 2] {
    [place(a, pose_a, i), place(b, pose_b, j)]
}

/// Tests exactly whether two triangles intersect.
fn intersect([x, y]: &[Triangle; 2]) -> bool {
    let [of_x, of_y] = [x, y].map(|t| Aabb::from_points(t.iter().copied()));
    of_x.overlaps(&of_y) && triangles_intersect(x, y)
}

/// Returns the distance of two triangles; zero exactly if they intersect.
fn gap_of(a: PlacedMeshShape<'_>, b: PlacedMeshShape<'_>, pair: [u32; 2]) -> f64 {
    let triangles = placed(a, b, pair);
    if intersect(&triangles) {
        return 0.0;
    }
    nearest_points(&triangles[0], &triangles[1]).distance.max(f64::MIN_POSITIVE)
}

/// The triangles adjacent to each triangle across its edges.
#[derive(Debug, Clone)]
struct Neighbouring {
    starts: Vec<u32>,
    triangles: Vec<u32>,
}

impl Neighbouring {
    fn of(mesh: &TriMesh) -> Self {
        let topology = Topology::new(mesh);
        let mut across: Vec<[u32; 2]> = Vec::new();
        for edge in topology.edges() {
            // If more than two triangles share an edge, each is linked to the next: the links stay linear in number,
            // and all are reached.
            let next = edge.triangles().skip(1);
            across.extend(edge.triangles().zip(next).flat_map(|(x, y)| [[x, y], [y, x]]));
        }
        across.sort_unstable();
        across.dedup();
        let count = mesh.triangles().len() as u32;
        let starts = (0..=count).map(|t| across.partition_point(|pair| pair[0] < t) as u32).collect();
        Self { starts, triangles: across.into_iter().map(|pair| pair[1]).collect() }
    }

    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    fn of_triangle(&self, triangle: u32) -> &[u32] {
        let ends = [0, 1].map(|k| self.starts[triangle as usize + k] as usize);
        &self.triangles[ends[0]..ends[1]]
    }
}

/// Draws a triangle of each mesh; `None` if one has none.
fn draw_pair(random: &mut SplitMix64, a: &MeshShape, b: &MeshShape) -> Option<[u32; 2]> {
    let counts = [a, b].map(|shape| shape.mesh().triangles().len() as u64);
    let (i, j) = (random.bits().checked_rem(counts[0])?, random.bits().checked_rem(counts[1])?);
    Some([i as u32, j as u32])
}
