//! Moving mesh of one step: every vertex moves on a straight line from its start position to its end position.
//!
//! In: a mesh, then for each step the vertices at its start and end, or a rigid motion. Out: [`MovingMesh`], with a
//! tree over the swept volumes of the triangles.
//! Method: swept boxes, refitted in linear time (S2 §7). Points of a rotating rigid body move on arcs. The distance
//! from their chords is at most (|a| + ω²R)·T²/8 (the error of linear interpolation, R the most distant vertex from the
//! pivot); queries add it to `min_separation`.
//! Guarantees: a rejected step leaves the mesh unchanged.

use crate::ccd::representative_triangles::LeafFeatures;
use crate::motion::approach::Mover;
use heurt_bvh::{Aabb32, BuildOptions, Bvh, BvhError, check_point};
use heurt_geometry::{DisplayNumber, Motion, Pose, PoseError, Vec3};
use heurt_mesh::{Topology, TriMesh};
use heurt_shape::{ShapeError, SweptTriangles, TriBlock};

/// A mesh of which each vertex has a position at the start and a position at the end of a step.
///
/// ```
/// use heurt_geometry::Vec3;
/// use heurt_mesh::generate::cuboid;
/// use heurt_query::ccd::{CcdOptions, MovingMesh, first_impact};
/// let floor = MovingMesh::new(&cuboid([4.0, 4.0, 1.0])?)?;
/// let mut brick = MovingMesh::new(&cuboid([1.0; 3])?)?;
/// let at = |height: f64| brick.start().iter().map(|v| *v + Vec3::Z * height).collect::<Vec<_>>();
/// let (start, end) = (at(4.0), at(0.0));
/// brick.step(&start, &end)?;
/// // The gap of 2 m closes by 4 m in the step.
/// let first = first_impact(&brick, &floor, &CcdOptions::default())?.unwrap();
/// assert!(first.time <= 0.5 && 0.5 <= first.time_upper);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct MovingMesh {
    triangles: Vec<[u32; 3]>,
    /// Positions of the vertices at the start of the step, then at its end.
    points: Vec<Vec3>,
    /// The vertices of the mesh as given.
    rest: Vec<Vec3>,
    /// The first vertex at the same position in the mesh as given.
    same: Vec<u32>,
    pub(super) tree: Bvh<Aabb32, 8>,
    pub(super) features: LeafFeatures,
    /// Bound on the distance of points from their straight lines, in metres.
    pub(super) deviation: f64,
}

/// Errors of a step of a mesh.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MovingMeshError {
    /// A number of vertices other than the mesh's.
    #[error("{given} vertices for the {end} of the step, but the mesh has {count}: give one place for each")]
    VertexCount {
        /// `"start"` or `"end"`.
        end: &'static str,
        /// The number of vertices of the mesh.
        count: usize,
        /// The given number.
        given: usize,
    },
    /// A position that is not a number, infinite, or beyond 2^1019.
    #[error(
        "vertex {vertex} is at {} at the {end} of the step: give finite coordinates below 2^1019",
        DisplayNumber(*position)
    )]
    Place {
        /// `"start"` or `"end"`.
        end: &'static str,
        /// Index of the vertex.
        vertex: usize,
        /// The given position.
        position: Vec3,
    },
    /// A duration that is negative or not a number.
    #[error("a duration of {} s: give a finite one of at least 0", DisplayNumber(*_0))]
    Duration(f64),
    /// A rotation or an acceleration without a bound within the range of numbers.
    #[error(
        "points leave their straight lines by {} m on the way: take a shorter step or choose other units",
        DisplayNumber(*_0)
    )]
    Deviation(f64),
    /// A motion that leads beyond the range of numbers.
    #[error(transparent)]
    Pose(#[from] PoseError),
    /// More triangles than a tree can hold.
    #[error(transparent)]
    Tree(#[from] ShapeError),
}

impl From<BvhError> for MovingMeshError {
    fn from(error: BvhError) -> Self {
        Self::Tree(error.into())
    }
}

/// The ends of a step, as named in errors.
const ENDS: [&str; 2] = ["start", "end"];

impl MovingMesh {
    /// Creates a mesh at rest: both ends of the step are the vertices of `mesh`. Vertices at the same position there
    /// count as one as long as they stay together: features that share one never meet.
    ///
    /// # Errors
    /// [`MovingMeshError::Place`] for a vertex beyond 2^1019, [`MovingMeshError::Tree`] for more triangles than a tree
    /// can hold.
    pub fn new(mesh: &TriMesh) -> Result<Self, MovingMeshError> {
        let (rest, triangles) = (mesh.vertices().to_vec(), mesh.triangles().to_vec());
        check(0, &rest)?;
        let topology = Topology::new(mesh);
        let same = (0..rest.len() as u32).map(|vertex| topology.representative(vertex)).collect();
        let points = [&*rest, &*rest].concat();
        let options = BuildOptions { leaf_size: TriBlock::LANES as u32, ..Default::default() };
        let tree = Bvh::with_options(&SweptTriangles::of_both_ends(&points, &triangles)?, &options)?;
        let mut features = LeafFeatures::new(&triangles, rest.len(), &tree);
        features.fit(tree.frame(), [&rest, &rest], &triangles);
        Ok(Self { triangles, points, rest, same, tree, features, deviation: 0.0 })
    }

    /// Takes a step: vertex k moves straight from `start[k]` to `end[k]`, in metres, in the order of the mesh. Linear
    /// time.
    ///
    /// # Errors
    /// [`MovingMeshError::VertexCount`], and [`MovingMeshError::Place`] for a coordinate that is not finite; the mesh
    /// is then unchanged.
    pub fn step(&mut self, start: &[Vec3], end: &[Vec3]) -> Result<(), MovingMeshError> {
        let count = self.rest.len();
        for (name, given) in ENDS.into_iter().zip([start.len(), end.len()]) {
            if given != count {
                return Err(MovingMeshError::VertexCount { end: name, count, given });
            }
        }
        check(0, start)?;
        check(1, end)?;
        self.points[..count].copy_from_slice(start);
        self.points[count..].copy_from_slice(end);
        self.follow(0.0)
    }

    /// Takes the step that follows the last one: from its end to `end`.
    ///
    /// # Errors
    /// As [`MovingMesh::step`].
    pub fn step_to(&mut self, end: &[Vec3]) -> Result<(), MovingMeshError> {
        let count = self.rest.len();
        if end.len() != count {
            return Err(MovingMeshError::VertexCount { end: ENDS[1], count, given: end.len() });
        }
        check(1, end)?;
        self.points.copy_within(count.., 0);
        self.points[count..].copy_from_slice(end);
        self.follow(0.0)
    }

    /// Takes a step as a rigid body: the mesh as given, placed by `pose` at the start, moves for `duration` seconds.
    /// Contacts may be reported early by the distance of arcs from their chords.
    ///
    /// # Errors
    /// [`MovingMeshError::Duration`], [`MovingMeshError::Pose`] if the motion leads beyond the range of numbers,
    /// [`MovingMeshError::Place`] if a vertex does, [`MovingMeshError::Deviation`] if no bound of its arc exists; the
    /// mesh is then unchanged.
    pub fn step_rigid(&mut self, pose: &Pose, motion: &Motion, duration: f64) -> Result<(), MovingMeshError> {
        if !(duration >= 0.0 && duration.is_finite()) {
            return Err(MovingMeshError::Duration(duration));
        }
        let poses = [*pose, motion.pose_at(pose, duration)?];
        let placed: Vec<Vec3> = poses.iter().flat_map(|pose| self.rest.iter().map(|v| pose.place(*v))).collect();
        let (start, end) = placed.split_at(self.rest.len());
        check(0, start)?;
        check(1, end)?;
        let pivot = pose.place(motion.pivot());
        let radius = start.iter().map(|v| (*v - pivot).length()).fold(0.0, f64::max);
        let reach = self.rest.iter().map(|v| v.length()).fold(0.0, f64::max);
        let mover = Mover { start: pose, motion, part: None };
        // Positions are rounded, and so is this bound; a mesh at rest has no rounding error.
        let rounding = if *motion == Motion::STILL { 0.0 } else { 2.0 * mover.rounding(reach, duration) };
        let deviation = motion.bend(radius, duration) + rounding;
        if !deviation.is_finite() {
            return Err(MovingMeshError::Deviation(deviation));
        }
        self.points = placed;
        self.follow(deviation)
    }

    /// Returns the vertices at the start of the step.
    pub fn start(&self) -> &[Vec3] {
        &self.points[..self.rest.len()]
    }

    /// Returns the vertices at the end of the step.
    pub fn end(&self) -> &[Vec3] {
        &self.points[self.rest.len()..]
    }

    /// Returns the triangles, by vertex numbers.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Returns a bound on the distance of points from straight lines during the step, in metres: 0 except for rigid
    /// bodies that rotate or accelerate.
    pub fn deviation(&self) -> f64 {
        self.deviation
    }

    /// Returns the bytes stored in addition to the mesh.
    pub fn bytes(&self) -> usize {
        let vertices = size_of_val(&*self.points) + size_of_val(&*self.rest) + size_of_val(&*self.same);
        vertices + self.tree.stats().bytes + self.features.bytes()
    }

    /// Returns both ends of a vertex.
    #[inline(always)]
    pub(super) fn ends(&self, vertex: u32) -> [Vec3; 2] {
        [self.points[vertex as usize], self.points[vertex as usize + self.rest.len()]]
    }

    /// Reports whether two numbers represent one vertex.
    #[inline(always)]
    pub(super) fn are_one(&self, u: u32, v: u32) -> bool {
        u == v || self.same[u as usize] == self.same[v as usize] && self.ends(u) == self.ends(v)
    }

    /// Refits tree and boxes to the points.
    fn follow(&mut self, deviation: f64) -> Result<(), MovingMeshError> {
        self.tree.move_points(&SweptTriangles::of_both_ends(&self.points, &self.triangles)?)?;
        let (start, end) = self.points.split_at(self.rest.len());
        self.features.fit(self.tree.frame(), [start, end], &self.triangles);
        self.deviation = deviation;
        Ok(())
    }
}

/// Rejects positions that a tree cannot hold.
fn check(end: usize, places: &[Vec3]) -> Result<(), MovingMeshError> {
    let bad = places.iter().enumerate().find(|(vertex, place)| check_point(**place, *vertex).is_err());
    bad.map_or(Ok(()), |(vertex, &position)| Err(MovingMeshError::Place { end: ENDS[end], vertex, position }))
}
