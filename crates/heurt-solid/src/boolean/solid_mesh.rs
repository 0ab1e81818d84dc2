//! Closed mesh that bounds a solid: checked once, then an operand of any number of set operations.
//!
//! In: a triangle mesh. Out: its faces that separate inside from outside, oriented outward, with edges and a tree.
//! Method: vertices at the same place are one. Inside is a winding number other than 0: shells inside others that
//! bound nothing are left out, and shells that face the material are turned.
//! Guarantees: every edge has as many half-edges of each direction, no triangle lacks area, and no two meet elsewhere
//! than in a common vertex or edge.
//! Cost: O(n log n), most of it the search for self-intersections.

use super::error::{MAX_SOLID_COORDINATE, SolidMeshError};
use super::exact_point::Lattice;
use super::feature::EdgeTable;
use super::meet::inverse_power;
use crate::exact_number::{cross, dot, sign_of};
use heurt_geometry::{Aabb, Pose, Sign, Triangle, Vec3};
use heurt_mesh::{CheckOptions, Class, Topology, TriMesh, check_over, is_boundary};
use heurt_query::{Location, self_intersects, winding_number};
use heurt_shape::MeshShape;

/// A closed mesh that bounds a solid.
#[derive(Debug)]
pub struct SolidMesh {
    shape: MeshShape,
    edges: EdgeTable,
    /// It touches itself in a vertex or along an edge.
    touches_itself: bool,
}

impl SolidMesh {
    /// Checks a mesh and prepares it for set operations.
    ///
    /// ```
    /// use heurt_mesh::{TriMesh, generate};
    /// use heurt_solid::{SolidMesh, SolidMeshError};
    /// let cube = generate::cuboid([1.0, 1.0, 1.0])?;
    /// assert_eq!(SolidMesh::new(&cube)?.mesh().triangles().len(), 12);
    /// let open = TriMesh::new(cube.vertices().to_vec(), cube.triangles()[1..].to_vec())?;
    /// assert!(matches!(SolidMesh::new(&open), Err(SolidMeshError::Open { .. })));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`SolidMeshError`] names the fault: open, not oriented, self-intersecting, or with triangles without area.
    pub fn new(mesh: &TriMesh) -> Result<Self, SolidMeshError> {
        require_size(mesh)?;
        let given = Topology::new(mesh);
        if is_merged(&given) {
            return Self::of_topology(&given);
        }
        let merged = merge_vertices(&given)?;
        Self::of_topology(&Topology::new(&merged))
    }

    /// Checks and prepares a mesh whose vertices are all at different places.
    fn of_topology(topology: &Topology) -> Result<Self, SolidMeshError> {
        let (is_boundary, prepared) = rayon::join(|| is_boundary(topology), || Self::prepare(topology));
        let prepared = match prepared {
            Ok(solid) if is_boundary && !self_intersects(&solid.shape) => solid,
            Ok(_) => return Err(name_fault(topology)),
            Err(error) => return Err(error),
        };
        match keep_boundary(topology)? {
            Some(kept) => Self::prepare(&Topology::new(&kept)),
            None => Ok(prepared),
        }
    }

    /// Prepares the boundary with its incidences.
    fn prepare(topology: &Topology) -> Result<Self, SolidMeshError> {
        let (shape, (edges, touches_itself)) =
            rayon::join(|| MeshShape::of_topology(topology), || (EdgeTable::new(topology), !topology.is_manifold()));
        Ok(Self { shape: shape?, edges, touches_itself })
    }

    /// Returns the boundary, oriented outward.
    pub fn mesh(&self) -> &TriMesh {
        self.shape.mesh()
    }

    /// Returns the smallest box around the solid, in metres.
    pub fn bounds(&self) -> Aabb {
        *self.shape.bounds()
    }

    pub(super) fn touches_itself(&self) -> bool {
        self.touches_itself
    }

    pub(super) fn shape(&self) -> &MeshShape {
        &self.shape
    }

    pub(super) fn edges(&self) -> &EdgeTable {
        &self.edges
    }

    pub(super) fn vertex(&self, number: u32) -> Vec3 {
        self.mesh().vertices()[number as usize]
    }

    pub(super) fn corners(&self, triangle: u32) -> [u32; 3] {
        self.mesh().triangles()[triangle as usize]
    }

    pub(super) fn triangle(&self, number: u32) -> Triangle {
        self.mesh().corners(number)
    }
}

/// Refuses a mesh with coordinates beyond [`MAX_SOLID_COORDINATE`].
pub(super) fn require_size(mesh: &TriMesh) -> Result<(), SolidMeshError> {
    let largest = mesh.vertices().iter().fold(0.0, |most: f64, vertex| most.max(vertex.abs().max_element()));
    if largest > MAX_SOLID_COORDINATE { Err(SolidMeshError::TooLarge { largest }) } else { Ok(()) }
}

/// Returns the fault of a mesh that bounds no solid.
fn name_fault(topology: &Topology) -> SolidMeshError {
    let options = CheckOptions { max_faults: 1, max_self_intersections: 1000, ..CheckOptions::default() };
    let report = check_over(topology, &options);
    match report.class {
        Class::Open => return SolidMeshError::Open { holes: report.count("hole") },
        Class::Inconsistent => {
            return SolidMeshError::Inconsistent { edges: report.count("inconsistent-orientation") };
        }
        Class::SelfIntersecting => {
            return SolidMeshError::SelfIntersecting { pairs: report.count("self-intersection") };
        }
        Class::Solid | Class::Convex => {}
    }
    let mut kinds = ["degenerate-face", "duplicate-face"].into_iter();
    match kinds.find(|kind| report.count(kind) > 0) {
        Some(kind) => SolidMeshError::Degenerate { kind, count: report.count(kind) },
        None => SolidMeshError::Unsearched,
    }
}

/// Reports whether [`merge_vertices`] would change nothing but the order of vertices.
fn is_merged(topology: &Topology) -> bool {
    let mesh = topology.mesh();
    let mut is_used = vec![false; mesh.vertices().len()];
    mesh.triangles().iter().flatten().for_each(|vertex| is_used[*vertex as usize] = true);
    // Both zeros are one place.
    let is_zero_positive = |place: &Vec3| place.to_array().iter().all(|x| *x != 0.0 || x.is_sign_positive());
    let are_distinct = |[a, b, c]: &[u32; 3]| a != b && b != c && c != a;
    is_used.iter().all(|used| *used)
        && (0..mesh.vertices().len() as u32).all(|vertex| topology.representative(vertex) == vertex)
        && mesh.vertices().iter().all(is_zero_positive)
        && mesh.triangles().iter().all(are_distinct)
}

/// Makes vertices at the same place one, and leaves out triangles with two corners at one place.
fn merge_vertices(topology: &Topology) -> Result<TriMesh, SolidMeshError> {
    let mesh = topology.mesh();
    let mut number = vec![u32::MAX; mesh.vertices().len()];
    let (mut vertices, mut triangles) = (Vec::new(), Vec::with_capacity(mesh.triangles().len()));
    for triangle in 0..mesh.triangles().len() as u32 {
        let corners = topology.corners(triangle);
        if corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0] {
            continue;
        }
        triangles.push(corners.map(|corner| {
            let known = &mut number[corner as usize];
            if *known == u32::MAX {
                *known = vertices.len() as u32;
                // Both zeros are one place.
                vertices.push(mesh.vertices()[corner as usize] + Vec3::ZERO);
            }
            *known
        }));
    }
    Ok(TriMesh::new(vertices, triangles)?)
}

/// Keeps the shells that separate winding number 0 from others, and turns shells that face the material; `None` if the
/// mesh stays as it is.
fn keep_boundary(topology: &Topology<'_>) -> Result<Option<TriMesh>, SolidMeshError> {
    let mesh = topology.mesh();
    let shell_of = topology.shells();
    let count = shell_of.iter().max().map_or(0, |last| *last as usize + 1);
    let mut shells: Vec<Vec<[u32; 3]>> = vec![Vec::new(); count];
    for (triangle, shell) in shell_of.iter().enumerate() {
        shells[*shell as usize].push(mesh.triangles()[triangle]);
    }
    shells.retain(|shell| !shell.is_empty());
    let alone = |triangles: &Vec<[u32; 3]>| TriMesh::new(mesh.vertices().to_vec(), triangles.clone());
    let bounds: Vec<Aabb> = shells.iter().map(|shell| bounds_of(mesh, shell)).collect();
    let outward: Vec<bool> =
        shells.iter().zip(&bounds).map(|(shell, bounds)| faces_outward(mesh, shell, bounds)).collect();
    let mut trees: Vec<Option<MeshShape>> = vec![None; shells.len()];
    let mut kept: Vec<[u32; 3]> = Vec::with_capacity(mesh.triangles().len());
    let mut is_changed = false;
    for (number, shell) in shells.iter().enumerate() {
        let mut outside = 0;
        for (other, of_other) in bounds.iter().enumerate() {
            if other == number || !contains_box(of_other, &bounds[number]) {
                continue;
            }
            if trees[other].is_none() {
                trees[other] = Some(MeshShape::new(alone(&shells[other])?)?);
            }
            let Some(tree) = &trees[other] else { continue };
            outside += winding_of_shell(mesh, shell, tree).ok_or(SolidMeshError::Touching)?;
        }
        let inside = outside + if outward[number] { 1 } else { -1 };
        if (outside == 0) == (inside == 0) {
            is_changed = true;
            continue;
        }
        let faces_out = outward[number] == (inside != 0);
        is_changed |= !faces_out;
        kept.extend(shell.iter().map(|&[a, b, c]| if faces_out { [a, b, c] } else { [a, c, b] }));
    }
    if !is_changed {
        return Ok(None);
    }
    if kept.is_empty() {
        return Err(SolidMeshError::NoVolume);
    }
    Ok(Some(merge_vertices(&Topology::new(&TriMesh::new(mesh.vertices().to_vec(), kept)?))?))
}

fn contains_box(outer: &Aabb, inner: &Aabb) -> bool {
    outer.contains(inner.min) && outer.contains(inner.max)
}

fn bounds_of(mesh: &TriMesh, triangles: &[[u32; 3]]) -> Aabb {
    Aabb::from_points(triangles.iter().flatten().map(|vertex| mesh.vertices()[*vertex as usize]))
}

/// Tests whether a shell has a positive volume: rounded in a frame in which the box has a size between 1 and 2, and
/// exactly if the rounding may hide the sign, as it does for thin plates.
fn faces_outward(mesh: &TriMesh, triangles: &[[u32; 3]], bounds: &Aabb) -> bool {
    let scale = inverse_power((bounds.max - bounds.min).max_element());
    let at = |vertex: u32| (mesh.vertices()[vertex as usize] - bounds.min) * scale;
    let (mut sum, mut size) = (0.0, 0.0);
    for &[a, b, c] in triangles {
        let [a, b, c] = [a, b, c].map(at);
        sum += a.cross(b).dot(c);
        // No coordinate is negative in this frame.
        size += a.dot(Vec3::new(b.y * c.z + b.z * c.y, b.z * c.x + b.x * c.z, b.x * c.y + b.y * c.x));
    }
    // Each term has ten roundings at most, each sum one.
    let count = triangles.len() as f64;
    if sum.abs() > (count + 16.0) * f64::EPSILON * size + count * f64::MIN_POSITIVE {
        return sum > 0.0;
    }
    let lattice = Lattice::of(triangles.iter().flatten().map(|vertex| mesh.vertices()[*vertex as usize]));
    let at = |vertex: u32| lattice.integers(mesh.vertices()[vertex as usize]);
    let terms = triangles.iter().map(|corners| {
        let [a, b, c] = corners.map(at);
        dot(&cross(a.each_ref(), b.each_ref()), &c)
    });
    sign_of(&terms.sum()) == Sign::Positive
}

/// The winding number of a shell around a second one, which does not cross it; `None` if all vertices touch it.
fn winding_of_shell(mesh: &TriMesh, shell: &[[u32; 3]], around: &MeshShape) -> Option<i32> {
    shell.iter().flatten().find_map(|vertex| {
        match winding_number(around, &Pose::IDENTITY, mesh.vertices()[*vertex as usize]) {
            Location::Winding(number) => Some(number),
            Location::Boundary { .. } => None,
        }
    })
}
