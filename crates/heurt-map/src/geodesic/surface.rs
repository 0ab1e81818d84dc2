//! The free part of a mesh, prepared for shortest paths: neighbours, plane frames of faces, nodes.
//!
//! In: a mesh, obstacles. Out: [`GeodesicSurface`]. Half-edge 3 f + k runs from corner k of face f to its next corner.
//! A node is a vertex as seen by one fan of free faces: faces that meet in a vertex alone have nodes of their own.
//! Cost: O(n log n).

use super::{GeodesicError, NONE};
use heurt_geometry::{Vec2, Vec3};
use heurt_mesh::{DisjointSets, Topology, TriMesh};
use std::f64::consts::{PI, TAU};

/// The least height of a face over its longest edge: below, unfolding loses its digits.
const LEAST_HEIGHT: f64 = 1e-9;

/// Angles that exceed the flat one by less are flat: rounding of a sum of angles.
const FLAT_ANGLE: f64 = 1e-10;

/// The largest coordinate, so that squares stay finite.
const MAX_COORDINATE: f64 = 1e100;

/// Windows allowed for each face, by default; spheres of 20,000 faces take fewer than 100.
const WINDOWS_A_FACE: usize = 2000;

/// A mesh in which shortest paths are sought, and the faces that they may not enter.
///
/// ```
/// use heurt_geometry::Vec3;
/// use heurt_map::geodesic::{GeodesicGoal, GeodesicSurface};
/// use heurt_mesh::generate;
/// // From a corner of a unit cube to the opposite corner on its surface: √5.
/// let cube = generate::cuboid([0.5; 3])?;
/// let surface = GeodesicSurface::new(&cube)?;
/// let at = |place: Vec3| {
///     let has_corner = |face: &u32| cube.corners(*face).contains(&place);
///     (0..12).find(has_corner).map(|face| (face, place)).ok_or("the cube has that corner")
/// };
/// let goal = GeodesicGoal { points: vec![at(Vec3::splat(-0.5))?], ..GeodesicGoal::default() };
/// let field = surface.field(&goal)?;
/// let (face, place) = at(Vec3::splat(0.5))?;
/// assert!((field.distance_at(face, place).ok_or("reached")? - 5f64.sqrt()).abs() < 1e-14);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct GeodesicSurface {
    /// Corners of faces.
    pub(super) corners: Vec<[Vec3; 3]>,
    /// Lengths of half-edges.
    pub(super) lengths: Vec<f64>,
    /// The corner across from each half-edge, in its frame.
    pub(super) apexes: Vec<Vec2>,
    /// The half-edge in the neighbouring free face, or `NONE`.
    pub(super) twins: Vec<u32>,
    /// The node at the start of each half-edge; `NONE` in obstacles.
    pub(super) nodes: Vec<u32>,
    /// Half-edges that start at each node: a range of `spokes`.
    pub(super) spoke_begin: Vec<u32>,
    pub(super) spokes: Vec<u32>,
    /// Nodes at which shortest paths may bend.
    pub(super) is_bend: Vec<bool>,
    pub(super) is_free: Vec<bool>,
    pub(super) most_windows: usize,
}

/// The goal of shortest paths: the nearest of all points and faces.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GeodesicGoal {
    /// Points with their faces, in metres. An offset from the plane of the face is ignored.
    pub points: Vec<(u32, Vec3)>,
    /// Faces of which every point is a goal.
    pub faces: Vec<u32>,
}

/// Returns the next half-edge around the face.
pub(super) fn next(half_edge: u32) -> u32 {
    if half_edge % 3 == 2 { half_edge - 2 } else { half_edge + 1 }
}

/// Returns the previous half-edge around the face.
pub(super) fn previous(half_edge: u32) -> u32 {
    if half_edge.is_multiple_of(3) { half_edge + 2 } else { half_edge - 1 }
}

impl GeodesicSurface {
    /// Takes a mesh without obstacles. Cost: O(n log n).
    ///
    /// # Errors
    /// [`GeodesicError`] for edges of more than two faces or of faces that disagree, and for faces without area.
    pub fn new(mesh: &TriMesh) -> Result<Self, GeodesicError> {
        Self::with_obstacles(mesh, &[])
    }

    /// Takes a mesh and the faces that paths may not enter; their edges are walls. Faults of obstacles do not count.
    ///
    /// # Errors
    /// As [`new`](Self::new), and for an obstacle that is no face.
    pub fn with_obstacles(mesh: &TriMesh, obstacles: &[u32]) -> Result<Self, GeodesicError> {
        let count = mesh.triangles().len();
        let mut is_free = vec![true; count];
        for &face in obstacles {
            *is_free.get_mut(face as usize).ok_or(GeodesicError::NoFace { face, faces: count })? = false;
        }
        check_coordinates(mesh)?;
        let corners: Vec<[Vec3; 3]> = (0..count as u32).map(|face| mesh.corners(face)).collect();
        let (lengths, apexes) = frames(&corners, &is_free)?;
        let twins = twins(mesh, &is_free)?;
        let mut surface = Self {
            corners,
            lengths,
            apexes,
            twins,
            nodes: vec![NONE; 3 * count],
            spoke_begin: Vec::new(),
            spokes: Vec::new(),
            is_bend: Vec::new(),
            is_free,
            most_windows: WINDOWS_A_FACE.saturating_mul(count),
        };
        surface.number_nodes();
        surface.find_bends();
        Ok(surface)
    }

    /// Takes the greatest number of windows of a field; the default is 2,000 for each face.
    #[must_use]
    pub fn with_most_windows(self, most_windows: usize) -> Self {
        Self { most_windows, ..self }
    }

    /// Returns the number of faces, obstacles included.
    pub fn face_count(&self) -> usize {
        self.corners.len()
    }

    /// Reports whether paths may enter a face.
    pub fn is_free(&self, face: u32) -> bool {
        self.is_free.get(face as usize).copied().unwrap_or(false)
    }

    /// Numbers the fans of free faces around vertices.
    fn number_nodes(&mut self) {
        let mut sets = DisjointSets::new(self.twins.len());
        for (half_edge, &twin) in (0u32..).zip(&self.twins) {
            if twin != NONE {
                // Both start at an end of the edge: a start is the end of the twin.
                sets.unite(half_edge, next(twin));
            }
        }
        let mut numbers = vec![NONE; self.twins.len()];
        let mut count = 0;
        let mut uses = Vec::new();
        for half_edge in 0..self.twins.len() as u32 {
            if !self.is_free[half_edge as usize / 3] {
                continue;
            }
            let number = &mut numbers[sets.find(half_edge) as usize];
            if *number == NONE {
                *number = count;
                count += 1;
            }
            self.nodes[half_edge as usize] = *number;
            uses.push((*number, half_edge));
        }
        uses.sort_unstable();
        self.spoke_begin = vec![0; count as usize + 1];
        for &(node, _) in &uses {
            self.spoke_begin[node as usize + 1] += 1;
        }
        for node in 0..count as usize {
            self.spoke_begin[node + 1] += self.spoke_begin[node];
        }
        self.spokes = uses.into_iter().map(|(_, half_edge)| half_edge).collect();
    }

    /// Finds the nodes with more angle than a flat one.
    fn find_bends(&mut self) {
        let count = self.spoke_begin.len() - 1;
        self.is_bend = (0..count as u32)
            .map(|node| {
                let spokes = self.spokes_of(node);
                let angle: f64 = spokes.iter().map(|&spoke| self.angle(spoke)).sum();
                let is_wall = |half_edge: u32| self.twins[half_edge as usize] == NONE;
                let is_border = spokes.iter().any(|&spoke| is_wall(spoke) || is_wall(previous(spoke)));
                angle > if is_border { PI } else { TAU } + FLAT_ANGLE
            })
            .collect();
    }

    /// Returns the half-edges that start at a node.
    pub(super) fn spokes_of(&self, node: u32) -> &[u32] {
        let [begin, end] = [node, node + 1].map(|node| self.spoke_begin[node as usize] as usize);
        &self.spokes[begin..end]
    }

    /// Computes the angle of a face at the start of a half-edge.
    fn angle(&self, half_edge: u32) -> f64 {
        let apex = self.apexes[half_edge as usize];
        libm::atan2(apex.y, apex.x)
    }

    /// Returns the node across from a half-edge.
    pub(super) fn apex_node(&self, half_edge: u32) -> u32 {
        self.nodes[previous(half_edge) as usize]
    }

    /// Returns the node at the end of a half-edge.
    pub(super) fn end_node(&self, half_edge: u32) -> u32 {
        self.nodes[next(half_edge) as usize]
    }

    /// Returns the place at a length along a half-edge.
    pub(super) fn place_on(&self, half_edge: u32, along: f64) -> Vec3 {
        let corners = &self.corners[half_edge as usize / 3];
        let k = half_edge as usize % 3;
        corners[k] + (corners[(k + 1) % 3] - corners[k]) * (along / self.lengths[half_edge as usize])
    }

    /// Projects a point of a face into the frame of one of its half-edges.
    pub(super) fn flattened(&self, half_edge: u32, point: Vec3) -> Vec2 {
        let corners = &self.corners[half_edge as usize / 3];
        let k = half_edge as usize % 3;
        let [start, end, apex] = [corners[k], corners[(k + 1) % 3], corners[(k + 2) % 3]];
        let along = (end - start) / self.lengths[half_edge as usize];
        let flat = self.apexes[half_edge as usize];
        let up = ((apex - start) - along * flat.x) / flat.y;
        let offset = point - start;
        Vec2::new(offset.dot(along), offset.dot(up))
    }
}

fn check_coordinates(mesh: &TriMesh) -> Result<(), GeodesicError> {
    for (vertex, place) in (0u32..).zip(mesh.vertices()) {
        if let Some(value) = place.to_array().into_iter().find(|value| value.abs() > MAX_COORDINATE) {
            return Err(GeodesicError::TooLarge { vertex, value });
        }
    }
    Ok(())
}

/// Computes lengths and apexes of all half-edges; refuses free faces without area.
fn frames(corners: &[[Vec3; 3]], is_free: &[bool]) -> Result<(Vec<f64>, Vec<Vec2>), GeodesicError> {
    let mut lengths = Vec::with_capacity(3 * corners.len());
    let mut apexes = Vec::with_capacity(3 * corners.len());
    for ((face, corners), &is_free) in (0u32..).zip(corners).zip(is_free) {
        let sides: [Vec3; 3] = std::array::from_fn(|k| corners[(k + 1) % 3] - corners[k]);
        let size = sides.map(Vec3::length);
        let longest = size.into_iter().fold(0.0, f64::max);
        let mut height = f64::INFINITY;
        for k in 0..3 {
            let back = -sides[(k + 2) % 3];
            let along = sides[k] / size[k];
            let apex = Vec2::new(back.dot(along), along.cross(back).length());
            height = height.min(apex.y / longest);
            lengths.push(size[k]);
            apexes.push(apex);
        }
        // NaN, of edges without length, is thin, too.
        if is_free && !(height >= LEAST_HEIGHT && longest > f64::MIN_POSITIVE.sqrt()) {
            return Err(GeodesicError::ThinFace { face, height: if height.is_nan() { 0.0 } else { height } });
        }
    }
    Ok((lengths, apexes))
}

/// Finds the half-edge on the free side of each edge.
fn twins(mesh: &TriMesh, is_free: &[bool]) -> Result<Vec<u32>, GeodesicError> {
    let topology = Topology::new(mesh);
    let mut twins = vec![NONE; 3 * is_free.len()];
    for edge in topology.edges() {
        let free: Vec<(u32, bool)> = edge.half_edges().filter(|(h, _)| is_free[*h as usize / 3]).collect();
        match free[..] {
            [] | [_] => {}
            [(a, is_forward), (b, is_also)] if is_forward != is_also => {
                twins[a as usize] = b;
                twins[b as usize] = a;
            }
            _ => return Err(GeodesicError::Edge { vertices: edge.vertices, faces: free.len() }),
        }
    }
    Ok(twins)
}
