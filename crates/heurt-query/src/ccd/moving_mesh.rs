//! A mesh on its way through a step: every vertex goes straight from where it is to where it will be.
//!
//! In: a mesh, then for each step the vertices at its start and end, or a rigid motion. Out: [`MovingMesh`], with a
//! tree over what the triangles sweep.
//! Method: swept boxes, refitted in linear time (S2 §7). Points of a rigid body that turns go along arcs: their chords
//! are at most (|a| + ω²R)·T²/8 away (the error of linear interpolation, R the most distant vertex from the pivot),
//! which queries add to `min_separation`.
//! Guarantees: a step that is refused leaves the mesh as it was.

use crate::ccd::representative_triangles::LeafFeatures;
use crate::motion::approach::Mover;
use heurt_bvh::{Aabb32, BuildOptions, Bvh, BvhError, check_point};
use heurt_geometry::{DisplayNumber, Motion, Pose, PoseError, Vec3};
use heurt_mesh::{Topology, TriMesh};
use heurt_shape::{ShapeError, SweptTriangles, TriBlock};

/// A mesh of which each vertex has a place at the start and one at the end of a step.
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
    /// Where vertices are at the start of the step, then where they are at its end.
    points: Vec<Vec3>,
    /// As the mesh came.
    rest: Vec<Vec3>,
    /// The first vertex at the same place in the mesh as it came.
    same: Vec<u32>,
    pub(super) tree: Bvh<Aabb32, 8>,
    pub(super) features: LeafFeatures,
    /// How far points may be off their straight lines.
    pub(super) deviation: f64,
}

/// Why a mesh cannot take a step.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MovingMeshError {
    /// Another number of vertices than the mesh has.
    #[error("{given} vertices for the {end} of the step, but the mesh has {count}: give one place for each")]
    VertexCount {
        /// `"start"` or `"end"`.
        end: &'static str,
        /// What the mesh has.
        count: usize,
        /// What was given.
        given: usize,
    },
    /// A place that is no number, infinite, or beyond 2^1019.
    #[error(
        "vertex {vertex} is at {} at the {end} of the step: give finite coordinates below 2^1019",
        DisplayNumber(*position)
    )]
    Place {
        /// `"start"` or `"end"`.
        end: &'static str,
        /// Which vertex.
        vertex: usize,
        /// Where it is said to be.
        position: Vec3,
    },
    /// A duration that is negative or no number.
    #[error("a duration of {} s: give a finite one of at least 0", DisplayNumber(*_0))]
    Duration(f64),
    /// A turn or a fall of which no bound is within the range of numbers.
    #[error(
        "points leave their straight lines by {} m on the way: take a shorter step or choose other units",
        DisplayNumber(*_0)
    )]
    Deviation(f64),
    /// A motion that leads beyond the range of numbers.
    #[error(transparent)]
    Pose(#[from] PoseError),
    /// More than a tree can hold.
    #[error(transparent)]
    Tree(#[from] ShapeError),
}

impl From<BvhError> for MovingMeshError {
    fn from(error: BvhError) -> Self {
        Self::Tree(error.into())
    }
}

/// The ends of a step, as errors name them.
const ENDS: [&str; 2] = ["start", "end"];

impl MovingMesh {
    /// A mesh at rest: both ends of the step are the vertices of `mesh`. Vertices at the same place there count as one
    /// as long as they stay together: features that share one never meet.
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

    /// Takes a step: vertex k goes straight from `start[k]` to `end[k]`, in metres, in the order of the mesh. Linear
    /// time.
    ///
    /// # Errors
    /// [`MovingMeshError::VertexCount`], and [`MovingMeshError::Place`] for a coordinate that is not finite; all is
    /// then as before.
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

    /// Takes the step that follows on the last one: from where that one ended to `end`.
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

    /// Takes a step as a rigid body: the mesh as it came, placed by `pose` at the start, moves for `duration` seconds.
    /// Contacts may then be reported as many metres early as arcs leave their chords.
    ///
    /// # Errors
    /// [`MovingMeshError::Duration`], [`MovingMeshError::Pose`] when the motion leads beyond the range of numbers,
    /// [`MovingMeshError::Place`] when a vertex does, [`MovingMeshError::Deviation`] when nothing bounds its arc; all
    /// is then as before.
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
        // Places are rounded, and so is all of this; what does not move is where it is.
        let rounding = if *motion == Motion::STILL { 0.0 } else { 2.0 * mover.rounding(reach, duration) };
        let deviation = motion.bend(radius, duration) + rounding;
        if !deviation.is_finite() {
            return Err(MovingMeshError::Deviation(deviation));
        }
        self.points = placed;
        self.follow(deviation)
    }

    /// The vertices at the start of the step.
    pub fn start(&self) -> &[Vec3] {
        &self.points[..self.rest.len()]
    }

    /// The vertices at the end of the step.
    pub fn end(&self) -> &[Vec3] {
        &self.points[self.rest.len()..]
    }

    /// The triangles, by vertex numbers.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// How far points may be off straight lines during the step, in metres: 0 but for rigid bodies that turn or fall.
    pub fn deviation(&self) -> f64 {
        self.deviation
    }

    /// Bytes that are kept next to the mesh.
    pub fn bytes(&self) -> usize {
        let vertices = size_of_val(&*self.points) + size_of_val(&*self.rest) + size_of_val(&*self.same);
        vertices + self.tree.stats().bytes + self.features.bytes()
    }

    /// Both ends of a vertex.
    #[inline(always)]
    pub(super) fn way(&self, vertex: u32) -> [Vec3; 2] {
        [self.points[vertex as usize], self.points[vertex as usize + self.rest.len()]]
    }

    /// Reports whether two numbers represent one vertex.
    #[inline(always)]
    pub(super) fn are_one(&self, u: u32, v: u32) -> bool {
        u == v || self.same[u as usize] == self.same[v as usize] && self.way(u) == self.way(v)
    }

    /// Fits tree and boxes to the points.
    fn follow(&mut self, deviation: f64) -> Result<(), MovingMeshError> {
        self.tree.move_points(&SweptTriangles::of_both_ends(&self.points, &self.triangles)?)?;
        let (start, end) = self.points.split_at(self.rest.len());
        self.features.fit(self.tree.frame(), [start, end], &self.triangles);
        self.deviation = deviation;
        Ok(())
    }
}

/// Refuses places that a tree cannot hold.
fn check(end: usize, places: &[Vec3]) -> Result<(), MovingMeshError> {
    let bad = places.iter().enumerate().find(|(vertex, place)| check_point(**place, *vertex).is_err());
    bad.map_or(Ok(()), |(vertex, &position)| Err(MovingMeshError::Place { end: ENDS[end], vertex, position }))
}
