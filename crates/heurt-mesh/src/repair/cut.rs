//! Removal of faulty triangles, so that what is left can be filled.
//!
//! In: a mesh. Out: the mesh without the triangles of its faults, or without its open shells.
//! Method: the triangles that intersect others, repeat others, have no area, disagree with a neighbour, or meet in an
//! edge of more than two triangles whose half-edges do not cancel; if wanted, all triangles at the vertices of holes,
//! too, one ring.
//! Guarantees: triangles keep their order; no vertex moves. The connected piece of the largest area is never removed
//! whole. Cost: one [`check`](crate::check()).

use crate::check::{CheckOptions, Fault, check_over};
use crate::topology::DisjointSets;
use crate::{Topology, TriMesh};

/// Removes the triangles of the faults of a mesh, with a ring around each hole if wanted; `None` if there are none, or
/// if nothing would be left. If all triangles of the largest piece by area would go, that piece stays as it is.
///
/// ```
/// use heurt_mesh::{TriMesh, generate, repair::without_faulty_triangles};
/// let (vertices, triangles) = generate::icosphere(1.0, 2)?.into_parts();
/// let open = TriMesh::new(vertices, triangles[1..].to_vec())?;
/// assert!(without_faulty_triangles(&open, false).is_none(), "a hole has no triangles");
/// assert!(without_faulty_triangles(&open, true).is_some_and(|cut| cut.triangles().len() < 319));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn without_faulty_triangles(mesh: &TriMesh, with_rings: bool) -> Option<TriMesh> {
    let topology = Topology::new(mesh);
    let options = CheckOptions { max_faults: usize::MAX, ..CheckOptions::without_severity() };
    let report = check_over(&topology, &options);
    let count = mesh.triangles().len();
    let (mut is_faulty, mut is_at_hole) = (vec![false; count], vec![false; mesh.vertices().len()]);
    for fault in &report.faults {
        match fault {
            Fault::Hole { vertices, .. } if with_rings => {
                vertices.iter().for_each(|&vertex| is_at_hole[vertex as usize] = true);
            }
            Fault::SelfIntersection { .. }
            | Fault::DuplicateFace { .. }
            | Fault::DegenerateFace { .. }
            | Fault::InconsistentOrientation { .. } => {
                fault.triangles().iter().for_each(|&triangle| is_faulty[triangle as usize] = true);
            }
            Fault::NonManifoldEdge { vertices: [a, b], triangles }
                if topology.edge_between(*a, *b).is_some_and(|edge| edge.imbalance() != 0) =>
            {
                triangles.iter().for_each(|&triangle| is_faulty[triangle as usize] = true);
            }
            _ => {}
        }
    }
    for (triangle, is_faulty) in (0..).zip(&mut is_faulty) {
        *is_faulty |= topology.corners(triangle).iter().any(|&corner| is_at_hole[corner as usize]);
    }
    let pieces = ConnectedPieces::of(&topology);
    let in_largest = |triangle: &usize| Some(pieces.root_of[*triangle]) == pieces.largest;
    if (0..count).filter(in_largest).all(|triangle| is_faulty[triangle]) {
        (0..count).filter(in_largest).for_each(|triangle| is_faulty[triangle] = false);
    }
    without(mesh, &is_faulty)
}

/// Removes the connected pieces of a mesh that are not closed, except for the largest piece by area; `None` if that
/// changes nothing.
///
/// ```
/// use heurt_geometry::Vec3;
/// use heurt_mesh::{TriMesh, generate, repair::without_open_pieces};
/// let cube = generate::cuboid([1.0; 3])?;
/// let sheet = TriMesh::new(vec![Vec3::X * 5.0, Vec3::X * 6.0, Vec3::Y * 5.0], vec![[0, 1, 2]])?;
/// let both = TriMesh::merged([&cube, &sheet])?;
/// assert_eq!(without_open_pieces(&both).ok_or("the sheet goes")?.triangles().len(), 12);
/// assert!(without_open_pieces(&sheet).is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn without_open_pieces(mesh: &TriMesh) -> Option<TriMesh> {
    let topology = Topology::new(mesh);
    let pieces = ConnectedPieces::of(&topology);
    let root_of = |triangle: u32| pieces.root_of[triangle as usize] as usize;
    let mut is_open = vec![false; mesh.triangles().len()];
    topology.collapsed().iter().for_each(|&triangle| is_open[root_of(triangle)] = true);
    for edge in topology.edges().filter(|edge| edge.imbalance() != 0) {
        is_open[root_of(edge.first().0 / 3)] = true;
    }
    pieces.largest.into_iter().for_each(|largest| is_open[largest as usize] = false);
    let is_dropped: Vec<bool> = pieces.root_of.iter().map(|&root| is_open[root as usize]).collect();
    without(mesh, &is_dropped)
}

/// Returns the piece of a mesh that is connected by edges and has the largest area, with all vertices of the mesh;
/// `None` for a mesh without triangles.
///
/// ```
/// use heurt_mesh::{TriMesh, generate, repair::largest_piece};
/// let both = TriMesh::merged([&generate::cuboid([1.0; 3])?, &generate::icosphere(0.1, 2)?])?;
/// assert_eq!(largest_piece(&both).ok_or("there are two")?.triangles().len(), 12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn largest_piece(mesh: &TriMesh) -> Option<TriMesh> {
    let pieces = ConnectedPieces::of(&Topology::new(mesh));
    let largest = pieces.largest?;
    let kept = mesh.triangles().iter().zip(&pieces.root_of).filter(|(_, root)| **root == largest);
    Some(TriMesh::from_valid(mesh.vertices().to_vec(), kept.map(|(corners, _)| *corners).collect()))
}

/// The pieces of a mesh that are connected by edges.
struct ConnectedPieces {
    /// By triangle, one triangle of its piece.
    root_of: Vec<u32>,
    /// The root of the largest piece by area, the lowest one of equal ones.
    largest: Option<u32>,
}

impl ConnectedPieces {
    fn of(topology: &Topology) -> Self {
        let mesh = topology.mesh();
        let count = mesh.triangles().len();
        let mut sets = DisjointSets::new(count);
        for edge in topology.edges() {
            edge.triangles().for_each(|triangle| sets.unite(edge.first().0 / 3, triangle));
        }
        let root_of: Vec<u32> = (0..count as u32).map(|triangle| sets.find(triangle)).collect();
        let mut areas = vec![0.0; count];
        for (triangle, &root) in (0..).zip(&root_of) {
            let [a, b, c] = mesh.corners(triangle);
            areas[root as usize] += (b - a).cross(c - a).length();
        }
        let roots = root_of.iter().copied();
        let largest = roots.max_by(|&a, &b| areas[a as usize].total_cmp(&areas[b as usize]).then(b.cmp(&a)));
        Self { root_of, largest }
    }
}

/// Leaves triangles out; `None` if that changes nothing, or leaves nothing.
fn without(mesh: &TriMesh, is_dropped: &[bool]) -> Option<TriMesh> {
    let kept = mesh.triangles().iter().zip(is_dropped).filter(|(_, is_dropped)| !**is_dropped);
    let kept: Vec<[u32; 3]> = kept.map(|(corners, _)| *corners).collect();
    let is_other = !kept.is_empty() && kept.len() < mesh.triangles().len();
    is_other.then(|| TriMesh::from_valid(mesh.vertices().to_vec(), kept))
}
