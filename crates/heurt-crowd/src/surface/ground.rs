//! Ground of agents on a curved surface: a mesh, its buildings, and the walls between.
//!
//! In: a mesh in metres, the faces of buildings. Out: an environment without agents, a surface for shortest paths,
//! walls. Method: faces of buildings stay in the map, and the edges between them and free faces are obstacles (S4
//! §8.3.2). The borders of the mesh are walls, too.
//! Guarantees: all faults of edges and faces are listed, with their places. Cost: O(n log n).

use super::ground_fault::SurfaceGroundFault;
use super::walk::NO_EDGE;
use super::walls::SurfaceWalls;
use heurt_geometry::Vec3;
use heurt_map::geodesic::GeodesicSurface;
use heurt_map::multires::ImplicitMap;
use heurt_map::registration::{Environment, Surface, SurfaceEnvironment};
use heurt_map::{Dart, Map2, Orient};
use heurt_mesh::{Topology, TriMesh};

/// Faces with a least height below this share of their longest edge are thin: unfolding them loses digits.
const LEAST_HEIGHT: f64 = 1e-9;

/// A curved surface with buildings.
///
/// ```
/// use heurt_crowd::surface::{SurfaceGround, faces_near};
/// use heurt_geometry::Vec3;
/// use heurt_mesh::generate;
/// let planet = generate::icosphere(10.0, 3)?;
/// let buildings = faces_near(&planet, Vec3::new(0.0, 0.0, 10.0), 2.0);
/// let ground = SurfaceGround::new(&planet, &buildings).map_err(|faults| faults[0].clone())?;
/// assert_eq!(ground.face_count(), 1280);
/// assert!(!ground.is_free(buildings[0]) && !ground.walls().is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct SurfaceGround {
    /// Corners and unit normals of faces.
    pub(super) corners: Vec<[Vec3; 3]>,
    pub(super) normals: Vec<Vec3>,
    /// By half-edge: the half-edge of the next free face, or none at walls.
    pub(super) twins: Vec<u32>,
    pub(super) environment: SurfaceEnvironment,
    pub(super) geodesic: GeodesicSurface,
    walls: Vec<[Vec3; 2]>,
    /// The face of each wall.
    pub(super) wall_faces: Vec<u32>,
    /// Free faces that share a vertex with each free face: ranges of `around`.
    around_begin: Vec<u32>,
    around: Vec<u32>,
    mesh: TriMesh,
    /// By radius.
    pub(super) wide: Vec<WideGround>,
}

/// The ground on which paths of agents of a radius are sought.
#[derive(Debug, Clone)]
pub(super) struct WideGround {
    pub radius: f64,
    pub surface: GeodesicSurface,
}

impl SurfaceGround {
    /// Takes a mesh that may have borders, and the faces of its buildings.
    ///
    /// # Errors
    /// All faults: faces without area, edges of more than two faces or of faces turned against each other, buildings
    /// that are no faces or leave none free, coordinates out of range.
    pub fn new(mesh: &TriMesh, buildings: &[u32]) -> Result<Self, Vec<SurfaceGroundFault>> {
        let count = mesh.triangles().len();
        let mut is_free = vec![true; count];
        let mut faults = Vec::new();
        for &face in buildings {
            match is_free.get_mut(face as usize) {
                Some(is_free) => *is_free = false,
                None => faults.push(SurfaceGroundFault::NoFace { face, faces: count }),
            }
        }
        let topology = Topology::new(mesh);
        faults.extend(faults_of_shape(mesh, &topology));
        if !is_free.contains(&true) {
            faults.push(SurfaceGroundFault::NothingFree { faces: count });
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        Self::build(mesh, &topology, &is_free).map_err(|fault| vec![fault])
    }

    /// Makes the ground of a sound mesh.
    fn build(mesh: &TriMesh, topology: &Topology<'_>, is_free: &[bool]) -> Result<Self, SurfaceGroundFault> {
        let built = Map2::from_tri_mesh(mesh, Orient::Keep)?;
        let points = built.vertex_of.iter().map(|&vertex| mesh.vertices()[vertex as usize]).collect();
        let mut environment = Environment::new(ImplicitMap::new(built.map), Surface::new(points)?)?;
        let buildings: Vec<u32> = (0..is_free.len() as u32).filter(|&face| !is_free[face as usize]).collect();
        let geodesic = GeodesicSurface::with_obstacles(mesh, &buildings)?;
        let corners: Vec<[Vec3; 3]> = (0..is_free.len() as u32).map(|face| mesh.corners(face)).collect();
        let normals = corners.iter().map(|[a, b, c]| (*b - *a).cross(*c - *a).normalize_or_zero()).collect();
        let (mut walls, mut wall_faces, mut obstacles) = (Vec::new(), Vec::new(), Vec::new());
        let mut twins = vec![NO_EDGE; 3 * is_free.len()];
        for edge in topology.edges() {
            let mut free = edge.half_edges().map(|(half_edge, _)| half_edge).filter(|h| is_free[*h as usize / 3]);
            let Some(half_edge) = free.next() else { continue };
            if let Some(twin) = free.next() {
                twins[half_edge as usize] = twin;
                twins[twin as usize] = half_edge;
                continue;
            }
            let (face, k) = (half_edge / 3, half_edge as usize % 3);
            walls.push([corners[face as usize][k], corners[face as usize][(k + 1) % 3]]);
            wall_faces.push(face);
            if !edge.is_boundary() {
                obstacles.push(Dart(half_edge));
            }
        }
        environment.set_obstacles(&obstacles)?;
        let (around_begin, around) = faces_around(topology, is_free);
        let (mesh, wide) = (mesh.clone(), Vec::new());
        Ok(Self { corners, normals, twins, environment, geodesic, walls, wall_faces, around_begin, around, mesh, wide })
    }

    /// Prepares paths for agents of radii in metres: they do not enter free faces of which the corners and the middle
    /// are nearer to walls, such as gaps that are too narrow. Without it paths do not know radii.
    ///
    /// # Errors
    /// A radius for which no paths can be sought.
    pub fn with_clearances(mut self, radii: impl IntoIterator<Item = f64>) -> Result<Self, SurfaceGroundFault> {
        for radius in radii {
            let is_known = self.wide.iter().any(|known| known.radius == radius);
            if is_known || !(radius > 0.0 && radius.is_finite()) {
                continue;
            }
            let walls = SurfaceWalls::new(&self, radius);
            let is_narrow = |face: &u32| {
                let [a, b, c] = self.corners_of(*face);
                [a, b, c, (a + b + c) / 3.0].iter().all(|&place| walls.distance(*face, place) < radius)
            };
            let narrow: Vec<u32> = self.free_faces().filter(is_narrow).collect();
            if !narrow.is_empty() {
                let buildings = (0..self.face_count() as u32).filter(|&face| !self.is_free(face));
                let closed: Vec<u32> = buildings.chain(narrow).collect();
                let surface = GeodesicSurface::with_obstacles(&self.mesh, &closed)?;
                self.wide.push(WideGround { radius, surface });
            }
        }
        Ok(self)
    }

    /// Returns the ground on which paths are sought: for agents of all radii, or of one radius.
    pub(super) fn paths(&self, wide: Option<u32>) -> &GeodesicSurface {
        wide.map_or(&self.geodesic, |number| &self.wide[number as usize].surface)
    }

    /// Finds the ground for paths of a radius on which a face is free.
    pub(super) fn wide_at(&self, radius: f64, face: u32) -> Option<u32> {
        let found = self.wide.iter().position(|wide| wide.radius == radius && wide.surface.is_free(face))?;
        Some(found as u32)
    }

    /// Returns the map of the surface, without agents.
    pub fn environment(&self) -> &SurfaceEnvironment {
        &self.environment
    }

    /// Returns the surface on which shortest paths are sought.
    pub fn geodesic(&self) -> &GeodesicSurface {
        &self.geodesic
    }

    /// Returns the number of faces, with the faces of buildings.
    pub fn face_count(&self) -> usize {
        self.corners.len()
    }

    /// Reports whether a face is of no building.
    pub fn is_free(&self, face: u32) -> bool {
        self.geodesic.is_free(face)
    }

    /// Returns the edges between free faces and buildings, and the borders, in metres.
    pub fn walls(&self) -> &[[Vec3; 2]] {
        &self.walls
    }

    /// Computes the area of the free faces, in square metres.
    pub fn free_area(&self) -> f64 {
        self.free_faces().map(|face| self.area_of(face)).sum()
    }

    pub(super) fn free_faces(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.corners.len() as u32).filter(|&face| self.is_free(face))
    }

    pub(super) fn area_of(&self, face: u32) -> f64 {
        let [a, b, c] = self.corners[face as usize];
        0.5 * (b - a).cross(c - a).length()
    }

    /// Returns the corners of a face, in metres.
    ///
    /// # Panics
    /// If there is no such face.
    pub fn corners_of(&self, face: u32) -> [Vec3; 3] {
        self.corners[face as usize]
    }

    pub(super) fn normal_of(&self, face: u32) -> Vec3 {
        self.normals[face as usize]
    }

    /// Returns the free faces that share a vertex with a free face, without it.
    pub(super) fn around(&self, face: u32) -> &[u32] {
        let [begin, end] = [face, face + 1].map(|face| self.around_begin[face as usize] as usize);
        &self.around[begin..end]
    }

    /// Returns the largest coordinate, in metres.
    pub(super) fn extent(&self) -> f64 {
        self.corners.iter().flatten().map(|corner| corner.abs().max_element()).fold(0.0, f64::max)
    }
}

/// Lists the faces with their middles within a distance of a place, in metres: the faces of a building.
pub fn faces_near(mesh: &TriMesh, place: Vec3, radius: f64) -> Vec<u32> {
    let middle = |face: u32| mesh.corners(face).iter().fold(Vec3::ZERO, |sum, corner| sum + *corner) / 3.0;
    (0..mesh.triangles().len() as u32).filter(|&face| middle(face).distance(place) <= radius).collect()
}

/// Lists thin faces and edges that are of no surface.
fn faults_of_shape(mesh: &TriMesh, topology: &Topology<'_>) -> Vec<SurfaceGroundFault> {
    let mut faults = Vec::new();
    for face in 0..mesh.triangles().len() as u32 {
        let [a, b, c] = mesh.corners(face);
        let longest = [b - a, c - b, a - c].map(Vec3::length).into_iter().fold(0.0, f64::max);
        let height = (b - a).cross(c - a).length() / (longest * longest);
        // NaN, of a face in one point, is thin, too.
        if height.is_nan() || height < LEAST_HEIGHT {
            let (place, height) = ((a + b + c) / 3.0, if height.is_nan() { 0.0 } else { height });
            faults.push(SurfaceGroundFault::ThinFace { face, place, height });
        }
    }
    for edge in topology.edges() {
        if edge.degree() > 2 || (edge.degree() == 2 && edge.imbalance() != 0) {
            let [a, b] = edge.vertices.map(|vertex| mesh.vertices()[vertex as usize]);
            faults.push(SurfaceGroundFault::BadEdge { place: 0.5 * (a + b), faces: edge.degree() });
        }
    }
    faults
}

/// Lists for each free face the free faces that share a vertex with it, ascending.
fn faces_around(topology: &Topology<'_>, is_free: &[bool]) -> (Vec<u32>, Vec<u32>) {
    let mut at_vertex: Vec<(u32, u32)> = Vec::new();
    for face in (0..is_free.len() as u32).filter(|&face| is_free[face as usize]) {
        at_vertex.extend(topology.corners(face).map(|vertex| (vertex, face)));
    }
    at_vertex.sort_unstable();
    let (mut begin, mut around, mut own) = (vec![0], Vec::new(), Vec::new());
    for face in 0..is_free.len() as u32 {
        own.clear();
        for vertex in topology.corners(face).into_iter().filter(|_| is_free[face as usize]) {
            let first = at_vertex.partition_point(|&(other, _)| other < vertex);
            own.extend(at_vertex[first..].iter().take_while(|(other, _)| *other == vertex).map(|&(_, face)| face));
        }
        own.sort_unstable();
        own.dedup();
        around.extend(own.iter().copied().filter(|&other| other != face));
        begin.push(around.len() as u32);
    }
    (begin, around)
}
