//! A short translation that separates two overlapping meshes, proved: the shortest of a few directions.
//!
//! In: two placed meshes and directions to try first. Out: a translation of B after which the meshes share no point.
//! Method: along a unit vector u, B is moved until the projections of both on u are disjoint, at a length L. From there
//! it is cast back along −u until it touches A, after s, so that L − s separates. Directions are the given ones, the
//! direction between the centres, and the axes of the world, in both senses. They are tried in order of L, which is
//! known without a cast. Each result is tested by [`overlap`], and lengthened by a few rounding errors if that finds a
//! common point.
//! Guarantees: after the translation [`overlap`] is `None`. Deterministic. Not guaranteed: that it is the shortest;
//! [`contact`](crate::contact()) comes nearer, and costs a convex decomposition of both meshes.
//! Cost: one pass over the vertices, and at most [`MAX_CASTS`] casts.

use crate::answer::cast::CastOptions;
use crate::answer::placed::{Placed, PlacedMeshShape};
use crate::cast::cast;
use crate::overlap::overlap;
use heurt_geometry::{Motion, Pose, Vec3, robust_normalize};
use heurt_shape::MeshShape;

/// Casts for one pair: the three directions of least separating length for the boxes mostly include the shortest one.
const MAX_CASTS: usize = 3;
/// Share of the size of the meshes that is added if a translation leaves a common point, doubled at each try.
const CLEARANCE: f64 = 1e-12;
/// Tries with a larger clearance: up to 1e-6 of the size.
const MAX_TRIES: u32 = 20;

/// Finds a translation of B that separates two placed meshes; `None` if none is found within the range of numbers.
///
/// `directions` are tried along with the usual ones; they need not be unit vectors.
///
/// ```
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_mesh::generate::cuboid;
/// use heurt_query::contact_kind::separating_translation;
/// use heurt_shape::MeshShape;
/// let cube = MeshShape::new(cuboid([0.5; 3])?)?;
/// let moved = Pose::from_translation(Vec3::new(0.9, 0.2, 0.3))?;
/// let found = separating_translation((&cube, &Pose::IDENTITY), (&cube, &moved), &[]).expect("there is one");
/// assert!((found - Vec3::X * 0.1).length() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn separating_translation(a: (&MeshShape, &Pose), b: (&MeshShape, &Pose), directions: &[Vec3]) -> Option<Vec3> {
    let [a, b] = [a, b].map(|(shape, pose)| Placed::new(shape, pose));
    let pair = [a, b].map(PlacedMesh::new);
    let between = pair[1].centre - pair[0].centre;
    let axes = [Vec3::X, Vec3::Y, Vec3::Z].into_iter().flat_map(|axis| [axis, -axis]);
    let candidates = directions.iter().copied().chain([between]).filter_map(robust_normalize).chain(axes);
    let mut lines: Vec<Line> = candidates.map(|direction| Line::new(&pair, direction)).collect();
    // A stable sort: directions of equal length keep their order.
    lines.sort_by(|x, y| x.length.total_cmp(&y.length));
    let mut best: Option<Vec3> = None;
    for line in lines.iter().take(MAX_CASTS).filter(|line| line.length.is_finite()) {
        let found = line.cast_back(a, b).and_then(|translation| proved(a, b, translation, pair[0].size + pair[1].size));
        if let Some(found) = found
            && best.is_none_or(|best| found.length_squared() < best.length_squared())
        {
            best = Some(found);
        }
    }
    best
}

/// The placed vertices of a mesh.
struct PlacedMesh {
    vertices: Vec<Vec3>,
    centre: Vec3,
    /// The largest coordinate: the unit of rounding errors.
    size: f64,
}

impl PlacedMesh {
    fn new(Placed { shape, pose }: PlacedMeshShape<'_>) -> Self {
        let vertices: Vec<Vec3> = shape.mesh().vertices().iter().map(|&vertex| pose.place(vertex)).collect();
        let size = vertices.iter().fold(0.0, |size: f64, vertex| size.max(vertex.abs().max_element()));
        Self { vertices, centre: pose.place(shape.bounds().centre()), size }
    }

    /// Computes the least and the greatest coordinate along a direction.
    fn extent(&self, direction: Vec3) -> [f64; 2] {
        let along = self.vertices.iter().map(|vertex| vertex.dot(direction));
        along.fold([f64::INFINITY, f64::NEG_INFINITY], |[min, max], x| [min.min(x), max.max(x)])
    }
}

/// A direction, and the length along it after which the projections are disjoint.
struct Line {
    direction: Vec3,
    length: f64,
    /// Added to the length, so that rounding cannot leave a common point.
    room: f64,
}

impl Line {
    fn new(pair: &[PlacedMesh; 2], direction: Vec3) -> Self {
        let [[_, end_of_a], [start_of_b, _]] = [pair[0].extent(direction), pair[1].extent(direction)];
        let room = 1e-9 * (pair[0].size + pair[1].size);
        Self { direction, length: end_of_a - start_of_b, room }
    }

    /// Casts B back from the position of disjoint projections, until it touches A.
    fn cast_back(&self, a: PlacedMeshShape<'_>, b: PlacedMeshShape<'_>) -> Option<Vec3> {
        let start = self.length + self.room;
        if start <= 0.0 || !start.is_finite() {
            return None;
        }
        let pose = b.pose.shifted(self.direction * start).ok()?;
        let back = Motion::linear(-self.direction).ok()?;
        let options = CastOptions { max_time: start, tolerance: None };
        let impact = cast(a.shape, a.pose, &Motion::STILL, b.shape, &pose, &back, &options).ok()??;
        Some(self.direction * (start - impact.time))
    }
}

/// Lengthens a translation until the meshes share no point.
fn proved(a: PlacedMeshShape<'_>, b: PlacedMeshShape<'_>, translation: Vec3, size: f64) -> Option<Vec3> {
    let direction = robust_normalize(translation)?;
    let mut longer = translation;
    for attempt in 0..MAX_TRIES {
        let pose = b.pose.shifted(longer).ok()?;
        if overlap(a.shape, a.pose, b.shape, &pose).is_none() {
            return Some(longer);
        }
        longer = translation + direction * (size * CLEARANCE * f64::from(1u32 << attempt));
    }
    None
}
