//! Particle tracking: the cell that contains a moving point, from cell to cell along its path.
//!
//! In: a map, positions of its vertices, a particle (position, dart, place) and a target. Out: the particle at the
//! target, or before the wall that it met; a visitor gets the cells on the path.
//! Method: S4 chapters 4 and 7. The path is a straight segment. At each place (in a volume, on a face, on an edge, on a
//! vertex) exact orientation predicates of the two ends of the segment and of vertices decide the next place. Ours
//! differs: S4 gives faces, edges and vertices a thickness ε and computes the crossing points; here no point on the
//! path is computed. The predicates take the ends only, so that "on an edge" means exactly on it, and no rounding error
//! accumulates. A vertex has exact coordinates, so the path starts again there.
//!
//! Guarantees:
//! - After a move the particle's cell contains its position, exactly, and its place states how: strictly inside, on the
//!   face, on the edge, on the vertex of its dart.
//! - A wall (the border of the map, or a marked obstacle) is never crossed. Touching is not crossing: a particle may
//!   lie on a wall, on the side of its dart, slide along it, and pass the end of it. It stops at the last representable
//!   point before the wall that the tracker tried; neither S4 nor this tracker lets it slide on.
//! - Termination. In a partition into convex cells, each open cell (of any dimension) meets the segment in one
//!   interval, and each step goes on to the cell of the next interval: no cell comes twice, and there are at most as
//!   many steps as cells. In one cell, the walk over the faces crosses an edge to the side that contains the path. That
//!   raises the reciprocal of the distance at which the path meets the plane of the face, strictly unless the two faces
//!   are coplanar, so no face comes twice. Among coplanar faces of one cell it is a visibility walk in the plane, which
//!   does not come back in regular subdivisions like the results of refinement. A break of these premises (a cell
//!   that is not convex, inverted, with faces that are not plane) can only make a walk come back to a state it was in:
//!   `Recurrence` notices that within three times the length of tail and loop, a counted bound ends it in any case, and
//!   the move is [`TrackError::Lost`] with the particle as it was. `check` of each tracker lists the cells to blame
//!   beforehand.
//!
//! Cost: O(cells on the path), independent of the size of the map; no allocation except at vertices in 3D at which more
//! than 32 volumes meet.

mod convex;
mod kernel;
mod plane;
mod probe;
mod space;
mod star;
mod surface;

pub use convex::Tracker3;
pub use plane::Tracker2;
pub use probe::{Probe, Probed, ProbedSpace};
pub use star::{Centres, StarTracker};
pub use surface::{SurfaceParticle, SurfaceTracker};

use crate::{CombinatorialMap, Dart};
use heurt_geometry::ShortNumber;
use thiserror::Error;

/// Position of a particle relative to its cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CellPlace {
    /// On the vertex at which the dart starts.
    Vertex,
    /// On the edge of the dart, between its vertices.
    Edge,
    /// On the face of the dart, inside its edges. In 2D this is inside the cell.
    Face,
    /// Inside the volume of the dart. Not in 2D.
    Volume,
}

impl CellPlace {
    /// Returns the name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Vertex => "vertex",
            Self::Edge => "edge",
            Self::Face => "face",
            Self::Volume => "volume",
        }
    }
}

/// A point with its cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Particle<P> {
    /// Position, in the frame of the map's positions.
    pub position: P,
    /// A dart of its cell: the dart that the particle last moved towards. Never of the boundary.
    pub dart: Dart,
    /// The part of the cell that contains the position.
    pub place: CellPlace,
}

/// The kind of a wall that stops a particle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrackWall {
    /// The border of the map: no cell lies beyond it.
    Boundary,
    /// A marked edge (2D) or face (3D).
    Obstacle,
}

impl TrackWall {
    /// Returns the name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Boundary => "border",
            Self::Obstacle => "obstacle",
        }
    }
}

/// How a move ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MoveEnd {
    /// At the target.
    Arrived,
    /// Before a wall, or on it.
    Stopped {
        /// The dart of the wall, on the side of the particle.
        dart: Dart,
        /// Kind of the wall.
        wall: TrackWall,
    },
}

/// A point outside the map, and the nearest part of the border.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outside<P> {
    /// A dart of the nearest edge (2D) or face (3D) of the border, of the cell inside.
    pub dart: Dart,
    /// The nearest point of this edge or face.
    pub nearest: P,
    /// Distance to the nearest point, in the unit of the positions.
    pub distance: f64,
}

/// Result of a search for a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ProbeHit<P> {
    /// In a cell, as this particle.
    Inside(Particle<P>),
    /// In no cell.
    Outside(Outside<P>),
}

impl<P> ProbeHit<P> {
    /// Returns the particle if the point is in a cell.
    pub fn inside(self) -> Option<Particle<P>> {
        match self {
            Self::Inside(particle) => Some(particle),
            Self::Outside(_) => None,
        }
    }
}

/// Errors of tracking. The particle stays as it was.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum TrackError {
    /// The particle's dart is not in the map, or of the boundary.
    #[error("dart {} of the particle is not a live dart of a cell: find the particle anew", dart.0)]
    BadDart {
        /// The dart.
        dart: Dart,
    },
    /// A target that is not a point.
    #[error("coordinate {axis} of the target is {value}: give finite numbers")]
    NotFinite {
        /// 0, 1 or 2.
        axis: usize,
        /// The given coordinate.
        value: f64,
    },
    /// A target so distant that distances to it overflow.
    #[error(
        "coordinate {axis} of the target is {}, beyond {}: give a target that is nearer",
        ShortNumber(*value), ShortNumber(*max)
    )]
    TooFar {
        /// 0, 1 or 2.
        axis: usize,
        /// The given coordinate.
        value: f64,
        /// The largest allowed coordinate.
        max: f64,
    },
    /// The map lacks numbers that the tracker reads.
    #[error("cells of kind {orbit:?} have no numbers: call enable_ids({orbit:?}) first")]
    NoIds {
        /// The kind of cell.
        orbit: crate::Orbit,
    },
    /// Too few positions or centres.
    #[error("{count} values for numbers of kind {orbit:?} below {bound}: give one for each number")]
    TooFewValues {
        /// The kind of cell.
        orbit: crate::Orbit,
        /// Number of values given.
        count: usize,
        /// Number of values needed.
        bound: usize,
    },
    /// The path has no next cell, or a cell comes again: cells break the premises there.
    #[error(
        "the way was lost after {steps} steps at the cell of dart {}: it, or a cell before it, is not convex (or \
         star-shaped), or the particle was not in its cell; `check` lists such cells, `settle` puts a particle into its cell",
        dart.0
    )]
    Lost {
        /// A dart of the cell.
        dart: Dart,
        /// Number of steps taken.
        steps: usize,
    },
    /// There are no cells.
    #[error("the map has no cells")]
    Empty,
}

/// A cell that breaks the premises of the trackers.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum CellFault {
    /// A face with a clockwise corner, without a corner that turns, or that winds more than once.
    #[error("face {face} is not convex at dart {}", dart.0)]
    NotConvexFace {
        /// Number of the face, or the number of its first dart if faces have no numbers.
        face: u32,
        /// The dart before the corner.
        dart: Dart,
    },
    /// A volume is not convex, or inside out, at an edge.
    #[error("volume {volume} is not convex at dart {}", dart.0)]
    NotConvexVolume {
        /// Number of the volume, or the number of its first dart if volumes have no numbers.
        volume: u32,
        /// A dart of the edge.
        dart: Dart,
    },
    /// The corners of a face do not lie in one plane.
    #[error("the face of dart {} of volume {volume} is not plane", dart.0)]
    NotPlane {
        /// Number of its volume, or of the volume's first dart if volumes have no numbers.
        volume: u32,
        /// A dart of the face.
        dart: Dart,
    },
    /// A cell that is not star-shaped with respect to its centre.
    #[error("volume {volume} is not star-shaped: its centre does not see the triangle at dart {}", dart.0)]
    NotStarShaped {
        /// Number of the volume.
        volume: u32,
        /// The dart of the triangle.
        dart: Dart,
    },
    /// A position that is not a point.
    #[error("the vertex of dart {} is not at a finite position", dart.0)]
    NotFinite {
        /// A dart that starts there.
        dart: Dart,
    },
}

/// Detector of a sequence of states that repeats itself: Brent's method.
///
/// A state is kept at steps 1, 2, 4, 8, …; once the step kept is in the loop and the next is further than the loop is
/// long, the kept state comes again.
#[derive(Debug, Clone, Copy)]
struct Recurrence<T> {
    kept: Option<T>,
    steps: usize,
    next: usize,
}

impl<T: Copy + PartialEq> Recurrence<T> {
    fn new() -> Self {
        Self { kept: None, steps: 0, next: 1 }
    }

    /// Takes the next state, and reports whether the sequence is known to repeat itself.
    #[inline(always)]
    fn comes_again(&mut self, state: T) -> bool {
        if self.kept == Some(state) {
            return true;
        }
        self.steps += 1;
        if self.steps == self.next {
            self.kept = Some(state);
            self.next = 2 * self.steps;
        }
        false
    }
}

/// Returns shares of the path to try before a wall that is met at share `t`: first `t`, then ever further back, by the
/// possible rounding error.
fn shares_before(t: f64) -> impl Iterator<Item = f64> {
    const LEAST: f64 = 1.0 / (1u64 << 50) as f64;
    let back = std::iter::successors(Some(LEAST), |&back| Some(16.0 * back)).take_while(|&back| back < 1.0);
    std::iter::once(t).chain(back.map(move |back| t * (1.0 - back))).filter(|&t| t > 0.0 && t < 1.0)
}

/// Returns the kind of wall that the face (3D) or edge (2D) of a dart is, if it is a wall.
#[inline]
fn wall_of(
    beyond: Dart,
    map: &impl CombinatorialMap,
    dart: Dart,
    obstacles: Option<&crate::DartSet>,
) -> Option<TrackWall> {
    if map.is_boundary(beyond) {
        Some(TrackWall::Boundary)
    } else if obstacles.is_some_and(|set| set.contains(dart) || set.contains(beyond)) {
        Some(TrackWall::Obstacle)
    } else {
        None
    }
}

/// Checks that the particle's dart is of a cell.
fn check_dart(map: &impl CombinatorialMap, dart: Dart) -> Result<(), TrackError> {
    if map.is_live(dart) && !map.is_boundary(dart) { Ok(()) } else { Err(TrackError::BadDart { dart }) }
}

/// Checks that a target is a point.
fn check_finite<const N: usize>(target: [f64; N]) -> Result<(), TrackError> {
    match target.into_iter().enumerate().find(|(_, value)| !value.is_finite()) {
        Some((axis, value)) => Err(TrackError::NotFinite { axis, value }),
        None => Ok(()),
    }
}

/// Returns the numbers of a kind of cell, if there are enough values for them.
fn ids_with_values(
    map: &impl CombinatorialMap,
    orbit: crate::Orbit,
    count: usize,
) -> Result<&crate::CellIds, TrackError> {
    let ids = map.cell_ids(orbit).ok_or(TrackError::NoIds { orbit })?;
    let bound = ids.bound();
    if count < bound { Err(TrackError::TooFewValues { orbit, count, bound }) } else { Ok(ids) }
}

/// Returns the numbers of at most [`SAMPLES`] cells at equal steps, as starting points of a search for a point.
fn samples(bound: usize) -> impl Iterator<Item = u32> {
    let step = bound.div_ceil(SAMPLES).max(1);
    (0..bound as u32).step_by(step)
}

/// Number of cells that a search by walking tests first.
const SAMPLES: usize = 64;

/// Number of particles whose memory is prefetched together.
const GROUP: usize = 16;

/// Moves particles in turn. Before a group moves, the first reads of all its particles are issued, one kind of data
/// after another. Independent reads overlap; for particles in no order, each would otherwise wait for memory by itself.
fn in_groups<P, T>(
    particles: &mut [Particle<P>],
    targets: &[T],
    ahead: impl Fn(&[Particle<P>]),
    mut go: impl FnMut(usize, &mut Particle<P>, &T),
) {
    let mut number = 0;
    for (particles, targets) in particles.chunks_mut(GROUP).zip(targets.chunks(GROUP)) {
        ahead(particles);
        for (particle, target) in particles.iter_mut().zip(targets) {
            go(number, particle, target);
            number += 1;
        }
    }
}

/// Reads data of each particle of a group whose dart is of a cell, and keeps the compiler from removing the reads.
fn read_ahead<P, R: Copy>(
    map: &impl CombinatorialMap,
    particles: &[Particle<P>],
    none: R,
    read: impl Fn(Dart) -> R,
) -> smallvec::SmallVec<[R; GROUP]> {
    let read = |particle: &Particle<P>| if check_dart(map, particle.dart).is_ok() { read(particle.dart) } else { none };
    std::hint::black_box(particles.iter().map(read).collect())
}
