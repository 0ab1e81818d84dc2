//! Conservative advancement of a deforming mesh against a rigid shape: the time of the first impact in a piece of a
//! step.
//!
//! In: a soft body, a rigid one, and the piece of the step to search. Out: the first [`Impact`], in seconds from the
//! start of the step, with the soft body as A.
//! Method: S0 §2.5. Vertices of the soft body move along straight lines at constant rates, the rigid body as its flight
//! states. The distance of the two cannot fall faster than the greatest speed of a vertex relative to the pivot of the
//! rigid body, plus its rate of rotation times the distance of its most distant point from the pivot. Each iteration
//! deforms a copy of the mesh, measures the distance and advances by the time in which it cannot vanish.
//! Guarantees: no impact is missed and no time is late, for all shapes, also turning ones. At `time` the bodies are
//! no farther from each other than [`TOLERANCE`] of the larger size.
//! Not guaranteed: that bodies touch which come as near as the tolerance. If [`MAX_STEPS`] do not suffice and no later
//! overlap is found, the answer is [`UndecidedPair::Unable`].
//! Cost: one refit and one distance query an iteration; 3 to 30 iterations for bodies that do not slide past each
//! other.

use crate::step::impact::{SearchEnd, Side};
use crate::step::pairs::UndecidedPair;
use heurt_geometry::{Motion, Pose, Vec3};
use heurt_query::{Distance, Impact, distance, overlap};
use heurt_shape::{MeshShape, Shape, ShapeRef};

/// The gap that counts as touching, as a share of the larger size, as in `cast`.
const TOLERANCE: f64 = 1e-6;
/// Iterations at most. A body that slides past another at an angle of 5° takes approximately 150.
const MAX_STEPS: u32 = 512;
/// Later times that are tested for an overlap, each twice as long after the impact as the time before: 2⁻⁴⁰ of a piece
/// is below the tolerance at any speed.
const DOUBLINGS: u32 = 40;

/// Finds when a soft body and a rigid one first touch between `from` and `until`, within which the rigid one flies
/// along one leg. `None` if they stay disjoint.
pub(crate) fn soft_advance(
    [soft, rigid]: [Side<'_>; 2],
    [from, until]: [f64; 2],
    dt: f64,
    goes_on: SearchEnd<'_>,
) -> Result<Option<Impact>, UndecidedPair> {
    let mut pair = Pair::new(soft, rigid, [from, until], dt)?;
    let mut time = from;
    for _ in 0..MAX_STEPS {
        if goes_on.is_some_and(|goes_on| !goes_on()) {
            return Err(UndecidedPair::Interrupted);
        }
        let found = pair.distance_at(time)?;
        let free = found.distance - found.error - pair.room;
        if free <= pair.tolerance {
            return Ok(Some(pair.impact(&found, time, until)?));
        }
        // A speed of 0 leads to infinity.
        time += free / pair.speed;
        if time > until || time.is_nan() {
            return Ok(None);
        }
    }
    let found = pair.distance_at(time)?;
    let impact = pair.impact(&found, time, until)?;
    if impact.time_upper < until || pair.overlaps_at(until)? { Ok(Some(impact)) } else { Err(UndecidedPair::Unable) }
}

/// Both bodies between two times.
struct Pair<'a> {
    /// A copy of the soft mesh, deformed as of the last time, in the world frame.
    mesh: MeshShape,
    vertices: Vec<Vec3>,
    /// The vertices as the step begins and ends.
    ends: [&'a [Vec3]; 2],
    dt: f64,
    rigid: &'a Shape,
    /// Pose and motion of the rigid body from `from` on.
    pose: Pose,
    motion: Motion,
    from: f64,
    /// The greatest rate at which the distance can fall, in m/s.
    speed: f64,
    /// In metres.
    tolerance: f64,
    /// Rounding of placed vertices, in metres.
    room: f64,
}

impl<'a> Pair<'a> {
    fn new(soft: Side<'a>, rigid: Side<'a>, [from, until]: [f64; 2], dt: f64) -> Result<Self, UndecidedPair> {
        let Shape::Mesh(mesh) = &soft.body.shape else { return Err(UndecidedPair::Unable) };
        let ends = soft.swept.and_then(|swept| swept.vertices()).ok_or(UndecidedPair::Unable)?;
        let (pose, motion) = rigid.flight.at(from);
        let shape = ShapeRef::from(&rigid.body.shape);
        let bounds = shape.bounds();
        let pivot = pose.place(motion.pivot());
        let of_vertices = ends[0].iter().chain(ends[1]);
        let span = of_vertices.clone().map(|vertex| vertex.abs().max_element()).fold(0.0, f64::max);
        let path = (motion.velocity().length() + motion.acceleration().length() * (until - from)) * (until - from);
        let from_pivot = if bounds.min.is_finite() {
            bounds.corners().into_iter().map(|corner| (corner - motion.pivot()).length()).fold(0.0, f64::max)
        } else {
            // The point of a half-space next to a vertex is no farther from the pivot than the vertex.
            of_vertices.map(|vertex| (*vertex - pivot).length()).fold(0.0, f64::max) + path
        };
        let rates = [0.0, until - from].map(|time| {
            let of_pivot = motion.velocity_at(time);
            let rate = |(start, end): (&Vec3, &Vec3)| ((*end - *start) / dt - of_pivot).length();
            ends[0].iter().zip(ends[1]).map(rate).fold(0.0, f64::max)
        });
        let speed = (rates[0].max(rates[1]) + motion.angular_velocity().length() * from_pivot) * (1.0 + 1e-9);
        let size = |of: f64| if of.is_finite() { of } else { 0.0 };
        let own = mesh.bounds().half_extents().max_element();
        let tolerance = 2.0 * TOLERANCE * own.max(size(bounds.half_extents().max_element()));
        let largest = span + pose.max_translation() + path + shape.max_coordinate();
        let room = 64.0 * f64::EPSILON * largest;
        if !(speed.is_finite() && room.is_finite()) {
            return Err(UndecidedPair::Unable);
        }
        let (mesh, rigid) = (MeshShape::clone(mesh), &rigid.body.shape);
        let vertices = Vec::with_capacity(ends[0].len());
        Ok(Self { mesh, vertices, ends, dt, rigid, pose, motion, from, speed, tolerance, room })
    }

    /// Deforms the copy of the mesh to a time of the step and returns the pose of the rigid body then.
    fn move_to(&mut self, time: f64) -> Result<Pose, UndecidedPair> {
        let (share, [start, end]) = (time / self.dt, self.ends);
        self.vertices.clear();
        self.vertices.extend(start.iter().zip(end).map(|(start, end)| start.lerp(*end, share)));
        self.mesh.deform(&self.vertices).map_err(|_| UndecidedPair::Unable)?;
        self.motion.pose_at(&self.pose, time - self.from).map_err(|_| UndecidedPair::Unable)
    }

    fn distance_at(&mut self, time: f64) -> Result<Distance, UndecidedPair> {
        let pose = self.move_to(time)?;
        Ok(distance(&self.mesh, &Pose::IDENTITY, self.rigid, &pose))
    }

    fn overlaps_at(&mut self, time: f64) -> Result<bool, UndecidedPair> {
        let pose = self.move_to(time)?;
        Ok(overlap(&self.mesh, &Pose::IDENTITY, self.rigid, &pose).is_some())
    }

    /// The impact at a time before which the bodies do not touch. The upper bound is a later time at which they
    /// overlap, or `until`.
    fn impact(&mut self, found: &Distance, time: f64, until: f64) -> Result<Impact, UndecidedPair> {
        let mut time_upper = until;
        if found.normal.is_none() {
            time_upper = time;
        } else {
            for doubling in (0..DOUBLINGS).rev() {
                let later = time + (until - time) / (1u64 << doubling) as f64;
                if self.overlaps_at(later)? {
                    time_upper = later;
                    break;
                }
            }
        }
        let point = found.point_a.midpoint(found.point_b);
        Ok(Impact { time, time_upper, point, normal: found.normal, primitives: found.primitives })
    }
}
