//! Topology of any mesh, manifold or not: the incidence of triangles, edges and vertices.
//!
//! In: a mesh. Out: vertices that lie at the same place counted as one (without touching the mesh), the unique edges
//! with the half-edges that use them, components, fans.
//! Half-edge `3 t + k` runs from corner `k` of triangle `t` to its next corner. A vertex is named by its
//! representative: the lowest index of a vertex at the same place.
//! Method: half-edges are bucketed by their lower vertex and sorted within buckets; union-find for what is connected.
//! Guarantees: everything is in ascending order and the same in every run. Triangles with two corners at the same place
//! have no inside to border, so their half-edges are left out; they cancel pairwise and cannot open a closed mesh.
//! Cost: O(n log n) for any data, close to linear if vertices have bounded degree.

use heurt_geometry::Aabb;

use crate::TriMesh;
use crate::weld::first_at_same_place;

/// The incidences of a mesh: edges, the triangles around them, and derived properties.
#[derive(Debug, Clone)]
pub struct Topology<'m> {
    mesh: &'m TriMesh,
    representative: Vec<u32>,
    /// The start of the uses of edges by their lower vertex; one more entry for the end.
    buckets: Vec<u32>,
    /// Half-edges by edge: upper vertex in the high word, half-edge and direction in the low one.
    uses: Vec<EdgeUse>,
    /// The start of each edge in `uses`; one more entry for the end.
    edge_starts: Vec<u32>,
    collapsed: Vec<u32>,
}

/// The data of a [`Topology`] without the mesh.
#[derive(Debug, Clone)]
pub(crate) struct Incidence {
    representative: Vec<u32>,
    buckets: Vec<u32>,
    uses: Vec<EdgeUse>,
    edge_starts: Vec<u32>,
    collapsed: Vec<u32>,
}

impl Incidence {
    /// Returns the topology over the mesh from which these incidences were computed; the mesh must be unchanged.
    pub(crate) fn over(self, mesh: &TriMesh) -> Topology<'_> {
        let Self { representative, buckets, uses, edge_starts, collapsed } = self;
        Topology { mesh, representative, buckets, uses, edge_starts, collapsed }
    }
}

/// A half-edge that runs along an edge: sorts by upper vertex, then by half-edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct EdgeUse(u64);

impl EdgeUse {
    fn new(upper: u32, half_edge: u32, forward: bool) -> Self {
        Self((u64::from(upper) << 32) | (u64::from(half_edge) << 1) | u64::from(!forward))
    }

    fn upper(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// Returns the half-edge.
    pub(crate) fn half_edge(self) -> u32 {
        (self.0 as u32) >> 1
    }

    /// Tests whether it runs from the lower to the upper vertex.
    pub(crate) fn is_forward(self) -> bool {
        self.0 & 1 == 0
    }
}

/// One edge and all half-edges along it.
#[derive(Debug, Clone, Copy)]
pub struct Edge<'t> {
    /// The representatives of its ends, the lower first.
    pub vertices: [u32; 2],
    uses: &'t [EdgeUse],
}

impl Edge<'_> {
    /// Returns the half-edges along the edge, ascending, and whether each runs from the lower to the upper vertex.
    pub fn half_edges(&self) -> impl ExactSizeIterator<Item = (u32, bool)> + '_ {
        self.uses.iter().map(|edge_use| (edge_use.half_edge(), edge_use.is_forward()))
    }

    /// Returns the triangles around the edge, ascending.
    pub fn triangles(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.uses.iter().map(|edge_use| edge_use.half_edge() / 3)
    }

    /// Returns the number of triangles that meet here.
    pub fn degree(&self) -> usize {
        self.uses.len()
    }

    /// Returns the number of upward half-edges less the number of downward ones; 0 on every edge of a closed mesh.
    pub fn imbalance(&self) -> i64 {
        self.uses.iter().map(|edge_use| if edge_use.is_forward() { 1 } else { -1 }).sum()
    }

    /// Reports whether exactly one triangle has the edge.
    pub fn is_boundary(&self) -> bool {
        self.uses.len() == 1
    }

    /// Reports whether the triangles around the edge can be one oriented surface: they alternate, as far as their
    /// number permits.
    pub fn is_oriented(&self) -> bool {
        self.imbalance().abs() <= 1
    }

    pub(crate) fn first(&self) -> (u32, bool) {
        (self.uses[0].half_edge(), self.uses[0].is_forward())
    }
}

/// A set of triangles connected through shared vertices.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Component {
    /// A vertex of it: the lowest representative.
    pub vertex: u32,
    /// Its first triangle.
    pub triangle: u32,
    /// The number of its triangles.
    pub triangles: u32,
    /// The box of its vertices.
    pub bounds: Aabb,
}

/// Reports whether every edge is shared by equally many opposite half-edges, bit-equal vertices counted as one.
///
/// ```
/// use heurt_mesh::{TriMesh, generate, is_closed};
/// let cube = generate::cuboid([1.0, 1.0, 1.0])?;
/// let (vertices, mut triangles) = cube.clone().into_parts();
/// triangles.pop();
/// assert!(is_closed(&cube) && !is_closed(&TriMesh::new(vertices, triangles)?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn is_closed(mesh: &TriMesh) -> bool {
    Topology::new(mesh).is_closed()
}

/// Finds the connected components, through vertices at the same place, in the order of their first triangles.
///
/// ```
/// use heurt_mesh::{components, generate};
/// let ball = generate::icosphere(1.0, 1)?;
/// let [only] = components(&ball)[..] else { panic!("a ball is one piece") };
/// assert_eq!(only.triangles, 80);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn components(mesh: &TriMesh) -> Vec<Component> {
    components_over(mesh, &first_at_same_place(mesh.vertices()))
}

/// Finds the connected components through vertices of the same number, at any place, in the order of their first
/// triangles.
pub fn components_by_number(mesh: &TriMesh) -> Vec<Component> {
    components_over(mesh, &(0..mesh.vertices().len() as u32).collect::<Vec<_>>())
}

impl<'m> Topology<'m> {
    /// Finds vertices at the same place and the edges of `mesh`.
    ///
    /// ```
    /// use heurt_mesh::{Topology, generate};
    /// let ring = generate::torus(1.0, 0.25, 16, 8)?;
    /// let topology = Topology::new(&ring);
    /// assert!(topology.is_closed() && topology.is_oriented() && topology.is_manifold());
    /// assert_eq!((topology.edge_count(), topology.genus()), (3 * 16 * 8, Some(1)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(mesh: &'m TriMesh) -> Self {
        let representative = first_at_same_place(mesh.vertices());
        let mut collapsed = Vec::new();
        let mut buckets = vec![0u32; representative.len() + 1];
        let merged = |corners: &[u32; 3]| corners.map(|vertex| representative[vertex as usize]);
        for (triangle, corners) in mesh.triangles().iter().enumerate() {
            let [a, b, c] = merged(corners);
            if a == b || b == c || c == a {
                collapsed.push(triangle as u32);
                continue;
            }
            for lower in [a.min(b), b.min(c), c.min(a)] {
                buckets[lower as usize] += 1;
            }
        }
        let total = exclusive_prefix_sums(&mut buckets);
        let mut uses = vec![EdgeUse(0); total as usize];
        for (triangle, corners) in mesh.triangles().iter().enumerate() {
            let corners = merged(corners);
            if corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0] {
                continue;
            }
            for k in 0..3 {
                let (from, to) = (corners[k], corners[(k + 1) % 3]);
                let slot = &mut buckets[from.min(to) as usize];
                uses[*slot as usize] = EdgeUse::new(from.max(to), (3 * triangle + k) as u32, from < to);
                *slot += 1;
            }
        }
        // Filling moved every start to the next one: this moves them back.
        buckets.rotate_right(1);
        buckets[0] = 0;
        let edge_starts = sort_buckets(&buckets, &mut uses);
        Self { mesh, representative, buckets, uses, edge_starts, collapsed }
    }

    /// Returns the incidences without the mesh.
    pub(crate) fn into_incidence(self) -> Incidence {
        let Self { mesh: _, representative, buckets, uses, edge_starts, collapsed } = self;
        Incidence { representative, buckets, uses, edge_starts, collapsed }
    }

    /// Returns the mesh.
    pub fn mesh(&self) -> &'m TriMesh {
        self.mesh
    }

    /// Returns the lowest index of a vertex at the same place as `vertex`.
    #[inline]
    pub fn representative(&self, vertex: u32) -> u32 {
        self.representative[vertex as usize]
    }

    /// Returns the representatives of the corners of a triangle.
    #[inline]
    pub fn corners(&self, triangle: u32) -> [u32; 3] {
        self.mesh.triangles()[triangle as usize].map(|vertex| self.representative(vertex))
    }

    /// Returns the representative at which a half-edge starts.
    #[inline]
    pub fn origin(&self, half_edge: u32) -> u32 {
        self.representative(self.mesh.triangles()[half_edge as usize / 3][half_edge as usize % 3])
    }

    /// Returns the number of edges, each counted once; collapsed triangles add none.
    pub fn edge_count(&self) -> usize {
        self.edge_starts.len() - 1
    }

    /// Returns edge number `index`.
    ///
    /// # Panics
    /// When there is no such edge.
    pub fn edge(&self, index: usize) -> Edge<'_> {
        let uses = &self.uses[self.edge_starts[index] as usize..self.edge_starts[index + 1] as usize];
        let (half_edge, upper) = (uses[0].half_edge(), uses[0].upper());
        let lower = self.origin(if uses[0].is_forward() { half_edge } else { next_in_triangle(half_edge) });
        Edge { vertices: [lower, upper], uses }
    }

    /// Returns the half-edges of each edge, in the order of the edges: cheaper than [`Topology::edges`], which finds
    /// their ends.
    pub(crate) fn edge_uses(&self) -> impl ExactSizeIterator<Item = &[EdgeUse]> {
        self.edge_starts.windows(2).map(|ends| &self.uses[ends[0] as usize..ends[1] as usize])
    }

    /// Returns all edges, by lower and then by upper vertex.
    pub fn edges(&self) -> impl ExactSizeIterator<Item = Edge<'_>> + '_ {
        (0..self.edge_count()).map(|index| self.edge(index))
    }

    /// Returns the edge between two representatives with its half-edges; `None` if no triangle has it.
    ///
    /// ```
    /// use heurt_mesh::{Topology, generate};
    /// let cube = generate::cuboid([1.0, 1.0, 1.0])?;
    /// let topology = Topology::new(&cube);
    /// let [a, b, _] = cube.triangles()[0];
    /// let edge = topology.edge_between(a, b).expect("a side of the first triangle");
    /// assert_eq!((edge.degree(), edge.is_boundary()), (2, false));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn edge_between(&self, a: u32, b: u32) -> Option<Edge<'_>> {
        let (lower, upper) = (a.min(b), a.max(b));
        let range = *self.buckets.get(lower as usize)? as usize..*self.buckets.get(lower as usize + 1)? as usize;
        let bucket = &self.uses[range];
        let start = bucket.partition_point(|edge_use| edge_use.upper() < upper);
        let end = bucket.partition_point(|edge_use| edge_use.upper() <= upper);
        (start < end).then(|| Edge { vertices: [lower, upper], uses: &bucket[start..end] })
    }

    /// Returns the triangles with two corners at the same place, ascending.
    pub fn collapsed(&self) -> &[u32] {
        &self.collapsed
    }

    /// Reports whether every edge is shared by equally many opposite half-edges.
    pub fn is_closed(&self) -> bool {
        self.edge_starts.windows(2).all(|ends| {
            let uses = &self.uses[ends[0] as usize..ends[1] as usize];
            uses.len() == 2 * uses.iter().filter(|edge_use| edge_use.is_forward()).count()
        })
    }

    /// Reports whether neighbouring triangles agree on which side is out, on every edge.
    pub fn is_oriented(&self) -> bool {
        self.edges().all(|edge| edge.is_oriented())
    }

    /// Reports whether at most two triangles meet in each edge and the triangles around each vertex are one fan.
    pub fn is_manifold(&self) -> bool {
        self.edges().all(|edge| edge.degree() <= 2) && self.fans().iter().all(|&fans| fans <= 1)
    }

    /// Counts for each representative the fans of the triangles around it: sets connected by edges at it.
    pub fn fans(&self) -> Vec<u32> {
        let mut sets = DisjointSets::new(3 * self.mesh.triangles().len());
        for edge in self.edges() {
            let (first, forward) = edge.first();
            let [lower, upper] = end_corners(first, forward);
            for (half_edge, forward) in edge.half_edges().skip(1) {
                let [other_lower, other_upper] = end_corners(half_edge, forward);
                sets.unite(lower, other_lower);
                sets.unite(upper, other_upper);
            }
        }
        let mut fans = vec![0u32; self.representative.len()];
        let mut collapsed = self.collapsed.iter().copied().peekable();
        for triangle in 0..self.mesh.triangles().len() as u32 {
            if collapsed.next_if_eq(&triangle).is_some() {
                continue;
            }
            for corner in 3 * triangle..3 * triangle + 3 {
                if sets.find(corner) == corner {
                    fans[self.origin(corner) as usize] += 1;
                }
            }
        }
        fans
    }

    /// Finds the connected components through shared vertices, in the order of their first triangles.
    pub fn components(&self) -> Vec<Component> {
        components_over(self.mesh, &self.representative)
    }

    /// Returns for each triangle the first triangle connected to it through shared edges.
    pub fn shells(&self) -> Vec<u32> {
        let mut sets = DisjointSets::new(self.mesh.triangles().len());
        for edge in self.edges() {
            let first = edge.first().0 / 3;
            edge.triangles().skip(1).for_each(|triangle| sets.unite(first, triangle));
        }
        (0..self.mesh.triangles().len() as u32).map(|triangle| sets.find(triangle)).collect()
    }

    /// Computes V − E + F of the complex that the triangles span: used places, edges, and triangles that are not
    /// collapsed.
    ///
    /// ```
    /// use heurt_mesh::{Topology, generate};
    /// let [ball, ring] = [generate::icosphere(1.0, 1)?, generate::torus(1.0, 0.25, 8, 8)?];
    /// assert_eq!([&ball, &ring].map(|mesh| Topology::new(mesh).euler_characteristic()), [2, 0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn euler_characteristic(&self) -> i64 {
        let mut used = vec![false; self.representative.len()];
        for triangle in 0..self.mesh.triangles().len() as u32 {
            self.corners(triangle).iter().for_each(|&vertex| used[vertex as usize] = true);
        }
        let vertices = used.iter().filter(|&&used| used).count() as i64;
        let faces = (self.mesh.triangles().len() - self.collapsed.len()) as i64;
        // A collapsed triangle is a segment or a point: it may be an edge that no other triangle has.
        let mut bare: Vec<[u32; 2]> = Vec::new();
        for &triangle in &self.collapsed {
            let [a, b, c] = self.corners(triangle);
            let (lower, upper) = (a.min(b).min(c), a.max(b).max(c));
            if lower != upper && self.edge_between(lower, upper).is_none() {
                bare.push([lower, upper]);
            }
        }
        bare.sort_unstable();
        bare.dedup();
        vertices - (self.edge_count() + bare.len()) as i64 + faces
    }

    /// Computes the number of handles, summed over the components; `None` unless the mesh is closed, manifold and
    /// oriented.
    ///
    /// Collapsed triangles are no part of the surface and do not count.
    pub fn genus(&self) -> Option<u64> {
        let fans = self.fans();
        let manifold = fans.iter().all(|&fans| fans <= 1) && self.edges().all(|edge| edge.degree() == 2);
        if !(manifold && self.is_closed()) {
            return None;
        }
        let vertices: i64 = fans.iter().map(|&fans| i64::from(fans)).sum();
        let faces = (self.mesh.triangles().len() - self.collapsed.len()) as i64;
        let shells = self.shells();
        let roots = (0..).zip(&shells).filter(|&(triangle, &first)| triangle == first).count() - self.collapsed.len();
        // Each shell is a closed surface with V − E + F = 2 − 2·genus.
        Some((2 * roots as i64 - (vertices - self.edge_count() as i64 + faces)).unsigned_abs() / 2)
    }
}

/// Returns the half-edge after `half_edge` around its triangle.
#[inline]
pub(crate) fn next_in_triangle(half_edge: u32) -> u32 {
    if half_edge % 3 == 2 { half_edge - 2 } else { half_edge + 1 }
}

/// Returns the half-edge before `half_edge` around its triangle.
#[inline]
pub(crate) fn previous_in_triangle(half_edge: u32) -> u32 {
    if half_edge.is_multiple_of(3) { half_edge + 2 } else { half_edge - 1 }
}

/// Returns the corners of a triangle at the lower and the upper end of its half-edge.
fn end_corners(half_edge: u32, forward: bool) -> [u32; 2] {
    let next = next_in_triangle(half_edge);
    if forward { [half_edge, next] } else { [next, half_edge] }
}

/// Replaces counts by the sums before them; returns the sum of all.
fn exclusive_prefix_sums(counts: &mut [u32]) -> u32 {
    let mut sum = 0;
    for count in counts {
        (*count, sum) = (sum, sum + *count);
    }
    sum
}

/// Sorts each bucket and finds the starts of the edges.
fn sort_buckets(buckets: &[u32], uses: &mut [EdgeUse]) -> Vec<u32> {
    let mut edge_starts = Vec::with_capacity(uses.len() / 2 + 1);
    for ends in buckets.windows(2) {
        let bucket = &mut uses[ends[0] as usize..ends[1] as usize];
        bucket.sort_unstable();
        let mut previous = None;
        for (offset, edge_use) in bucket.iter().enumerate() {
            if previous.replace(edge_use.upper()) != Some(edge_use.upper()) {
                edge_starts.push(ends[0] + offset as u32);
            }
        }
    }
    edge_starts.push(uses.len() as u32);
    edge_starts
}

fn components_over(mesh: &TriMesh, representative: &[u32]) -> Vec<Component> {
    const NONE: u32 = u32::MAX;
    let mut sets = DisjointSets::new(representative.len());
    let merged = |corners: &[u32; 3]| corners.map(|vertex| representative[vertex as usize]);
    for corners in mesh.triangles() {
        let [a, b, c] = merged(corners);
        sets.unite(a, b);
        sets.unite(a, c);
    }
    let mut number_of_root = vec![NONE; representative.len()];
    let mut components: Vec<Component> = Vec::new();
    for (triangle, corners) in mesh.triangles().iter().enumerate() {
        // The root of a set is its lowest member.
        let root = sets.find(representative[corners[0] as usize]);
        let number = &mut number_of_root[root as usize];
        if *number == NONE {
            *number = components.len() as u32;
            components.push(Component { vertex: root, triangle: triangle as u32, triangles: 0, bounds: Aabb::EMPTY });
        }
        let component = &mut components[*number as usize];
        component.triangles += 1;
        for point in mesh.corners(triangle as u32) {
            component.bounds = component.bounds.grown_to(point);
        }
    }
    components
}

/// Union-find in which the root of a set is its lowest member, so that the answer does not depend on the order of
/// unions.
#[derive(Debug, Clone)]
pub struct DisjointSets {
    parent: Vec<u32>,
}

impl DisjointSets {
    /// Creates `count` sets of one member each.
    pub fn new(count: usize) -> Self {
        Self { parent: (0..count as u32).collect() }
    }

    /// Finds the lowest member of the set of `item`. It halves the path; parents only decrease, so it ends.
    pub fn find(&mut self, mut item: u32) -> u32 {
        while self.parent[item as usize] != item {
            let grandparent = self.parent[self.parent[item as usize] as usize];
            self.parent[item as usize] = grandparent;
            item = grandparent;
        }
        item
    }

    /// Returns the number of sets.
    pub fn count(&self) -> usize {
        (0..).zip(&self.parent).filter(|&(item, &parent)| item == parent).count()
    }

    /// Unites the sets of `a` and `b`.
    ///
    /// ```
    /// use heurt_mesh::DisjointSets;
    /// let mut wires = DisjointSets::new(4);
    /// wires.unite(0, 2);
    /// wires.unite(2, 3);
    /// assert_eq!(wires.find(0), wires.find(3));
    /// assert_eq!(wires.count(), 2);
    /// ```
    pub fn unite(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a.max(b) as usize] = a.min(b);
    }
}
