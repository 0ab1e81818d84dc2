//! Bodies of a mesh: closed shells with the cavities in them, and pieces of open surface that share vertices.
//!
//! In: a mesh, for example an STL file that holds an assembly. Out: the triangles of each body, and a mesh for each.
//! Method: union-find. Triangles at an edge are united; where more than two meet, those with material between them
//! ([`pair_across_material`]). Sets whose half-edges cancel on every edge are closed shells. A shell that faces inward
//! is united with the smallest outward shell around it, by winding number at a few points that must agree. Triangles of
//! open shells are united where they share a vertex; a collapsed triangle joins the first triangle that shares a vertex
//! with it.
//! Guarantees: every triangle is in one body; bodies are in the order of their first triangles; two solids that share a
//! face, an edge or a corner stay two bodies; the same result for any number of threads.
//! Not guaranteed: an outward shell that lies in the material of another one is a body of its own. An inward shell that
//! crosses others is a body of its own only if its points (`shells`) show that. Beyond the budget, boxes decide.
//! Cost: O(n log n), and winding numbers of inward shells up to a budget of solid angles.

use crate::radial::pair_across_material;
use crate::shells::{ClosedShells, Containment, Shell};
use crate::topology::DisjointSets;
use crate::{Polygons, Topology, TriMesh};

/// Limit of solid angles summed to find the containers of cavities: approximately a second. Beyond it, boxes decide.
const CAVITY_BUDGET: usize = 1 << 25;

/// A missing number.
const NONE: u32 = u32::MAX;

/// Which triangles make one body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bodies {
    /// The triangles by body, ascending in each.
    triangles: Vec<Vec<u32>>,
}

impl Bodies {
    /// Finds the bodies of a mesh. Seams that are not closed exactly split a body: use [`solidify`](crate::solidify())
    /// first.
    ///
    /// ```
    /// use heurt_mesh::{Bodies, TriMesh, generate};
    /// use heurt_geometry::{Pose, Vec3};
    /// let cube = generate::cuboid([1.0; 3]).unwrap();
    /// let other = cube.transformed(&Pose::from_translation(Vec3::new(5.0, 0.0, 0.0)).unwrap()).unwrap();
    /// let both = TriMesh::merged([&cube, &other]).unwrap();
    /// assert_eq!(Bodies::of(&both).len(), 2);
    /// ```
    pub fn of(mesh: &TriMesh) -> Self {
        let topology = Topology::new(mesh);
        let mut sets = DisjointSets::new(mesh.triangles().len());
        let open = unite_shells(&topology, &mut sets);
        let closed = ClosedShells::of_sets(mesh, &[], &mut sets, &open);
        let mut is_closed = vec![false; mesh.triangles().len()];
        closed.order.iter().for_each(|&triangle| is_closed[triangle as usize] = true);
        unite_open(&topology, &is_closed, &mut sets);
        unite_cavities(&closed, &mut sets);
        Self::by_root((0..mesh.triangles().len() as u32).map(|triangle| sets.find(triangle)))
    }

    /// Groups triangles by their roots, in the order of first triangles.
    fn by_root(roots: impl ExactSizeIterator<Item = u32>) -> Self {
        let mut body_of = vec![NONE; roots.len()];
        let mut triangles: Vec<Vec<u32>> = Vec::new();
        for (triangle, root) in (0..).zip(roots) {
            let body = &mut body_of[root as usize];
            if *body == NONE {
                *body = triangles.len() as u32;
                triangles.push(Vec::new());
            }
            triangles[*body as usize].push(triangle);
        }
        Self { triangles }
    }

    /// Returns the number of bodies: at least one.
    #[expect(clippy::len_without_is_empty, reason = "a mesh has a triangle, so there is a body")]
    pub fn len(&self) -> usize {
        self.triangles.len()
    }

    /// Returns the triangles of each body, ascending.
    pub fn triangles(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        self.triangles.iter().map(Vec::as_slice)
    }

    /// Cuts a mesh of the same triangles, and its polygons, into the meshes of the bodies. Vertices keep their order;
    /// vertices that a body does not use are left out. A body has no polygons if one of them extends over two bodies.
    ///
    /// # Panics
    /// If the mesh has fewer triangles than the mesh of these bodies.
    pub fn cut(&self, mesh: &TriMesh, polygons: Option<&Polygons>) -> Vec<(TriMesh, Option<Polygons>)> {
        let mut number_of = vec![NONE; mesh.vertices().len()];
        self.triangles.iter().map(|triangles| cut_one(mesh, polygons, triangles, &mut number_of)).collect()
    }
}

/// Unites triangles at edges: if more than two meet, the ones with material between them. Returns the triangles at
/// edges that do not close.
fn unite_shells(topology: &Topology, sets: &mut DisjointSets) -> Vec<bool> {
    let mut open = vec![false; topology.mesh().triangles().len()];
    // A collapsed triangle has no edges: it would be a shell of its own.
    topology.collapsed().iter().for_each(|&triangle| open[triangle as usize] = true);
    for edge in topology.edges() {
        let paired = if edge.degree() > 2 { pair_across_material(topology, &edge) } else { None };
        if let Some(paired) = paired {
            paired.pairs.iter().for_each(|[a, b]| sets.unite(a.0 / 3, b.0 / 3));
            continue;
        }
        let first = edge.first().0 / 3;
        edge.triangles().for_each(|triangle| sets.unite(first, triangle));
        open[first as usize] |= edge.imbalance() != 0;
    }
    open
}

/// Unites triangles of open shells that share a vertex, and each collapsed triangle with a triangle at one of its
/// corners.
fn unite_open(topology: &Topology, is_closed: &[bool], sets: &mut DisjointSets) {
    let is_collapsed = |triangle: u32| topology.collapsed().binary_search(&triangle).is_ok();
    let count = is_closed.len() as u32;
    let places = topology.mesh().vertices().len();
    // By vertex, the first open triangle and the first triangle that has it.
    let (mut open_at, mut any_at) = (vec![NONE; places], vec![NONE; places]);
    for triangle in (0..count).filter(|&triangle| !is_collapsed(triangle)) {
        for vertex in topology.corners(triangle) {
            let any = &mut any_at[vertex as usize];
            *any = (*any).min(triangle);
            if is_closed[triangle as usize] {
                continue;
            }
            let open = &mut open_at[vertex as usize];
            *open = (*open).min(triangle);
            sets.unite(*open, triangle);
        }
    }
    for &triangle in topology.collapsed() {
        let corners = topology.corners(triangle);
        let found = corners.iter().map(|&vertex| any_at[vertex as usize]).find(|&found| found != NONE);
        match found {
            Some(found) => sets.unite(found, triangle),
            // Collapsed triangles that no other triangle touches stay together.
            None => corners.iter().for_each(|&vertex| any_at[vertex as usize] = triangle),
        }
    }
}

/// Unites each shell that faces inward with the smallest outward shell around it.
fn unite_cavities(closed: &ClosedShells, sets: &mut DisjointSets) {
    if !closed.shells.iter().any(Shell::is_inward) {
        return;
    }
    let mut containment = Containment::new(closed, CAVITY_BUDGET);
    let size = |shell: u32| closed.shells[shell as usize].bounds.half_extents().element_sum();
    for (index, shell) in (0..).zip(&closed.shells).filter(|(_, shell)| shell.is_inward()) {
        let around = containment.containers(index).into_iter();
        let holders = around.filter(|holder| holder.winding > 0.0).map(|holder| holder.shell);
        if let Some(holder) = holders.min_by(|&a, &b| size(a).total_cmp(&size(b)).then(a.cmp(&b))) {
            sets.unite(closed.triangles(&closed.shells[holder as usize])[0], closed.triangles(shell)[0]);
        }
    }
}

/// Makes the mesh and the polygons of some triangles. `number_of` is scratch: [`NONE`] for every vertex before and
/// after.
fn cut_one(
    mesh: &TriMesh,
    polygons: Option<&Polygons>,
    triangles: &[u32],
    number_of: &mut [u32],
) -> (TriMesh, Option<Polygons>) {
    let mut old: Vec<u32> = triangles.iter().flat_map(|&triangle| mesh.triangles()[triangle as usize]).collect();
    let kept = polygons.and_then(|polygons| whole_polygons(polygons, triangles));
    if let (Some(polygons), Some(kept)) = (polygons, &kept) {
        old.extend(kept.iter().flat_map(|&polygon| polygons.corners(polygon)));
    }
    old.sort_unstable();
    old.dedup();
    for (new, &vertex) in (0..).zip(&old) {
        number_of[vertex as usize] = new;
    }
    let new = |&vertex: &u32| number_of[vertex as usize];
    let rows = triangles.iter().map(|&triangle| mesh.triangles()[triangle as usize].map(|vertex| new(&vertex)));
    let rows: Vec<[u32; 3]> = rows.collect();
    let polygons = polygons.zip(kept).and_then(|(polygons, kept)| {
        let (mut corners, mut ends) = (Vec::new(), Vec::new());
        for &polygon in &kept {
            corners.extend(polygons.corners(polygon).iter().map(new));
            ends.push(corners.len());
        }
        let number =
            |&triangle: &u32| kept.partition_point(|&polygon| polygon < polygons.polygon_of(triangle) as usize);
        Polygons::new(corners, ends, triangles.iter().map(|triangle| number(triangle) as u32).collect())
    });
    let vertices = old.iter().map(|&vertex| mesh.vertices()[vertex as usize]).collect();
    old.iter().for_each(|&vertex| number_of[vertex as usize] = NONE);
    (TriMesh::from_valid(vertices, rows), polygons)
}

/// Returns the polygons of some triangles, ascending; `None` if one of them has triangles that are not among these.
fn whole_polygons(polygons: &Polygons, triangles: &[u32]) -> Option<Vec<usize>> {
    let runs = triangles.chunk_by(|&a, &b| polygons.polygon_of(a) == polygons.polygon_of(b));
    let whole = runs.map(|run| {
        let polygon = polygons.polygon_of(run[0]) as usize;
        (polygons.triangles(polygon).len() == run.len()).then_some(polygon)
    });
    whole.collect()
}
