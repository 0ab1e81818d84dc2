//! Particle tracking: which cell a moving point is in, from cell to cell along its way.
//!
//! In: a map, positions of its vertices, a particle (position, dart, place) and a target. Out: the particle at the
//! target, or before the wall that it met; the cells on the way go to a visitor.
//! Method: S4 chapters 4 and 7. The way is a straight segment. From each place (in a volume, on a face, on an edge, on
//! a vertex) exact orientation predicates of the two ends of the segment and of vertices tell the next place. Ours
//! differs: S4 gives faces, edges and vertices a thickness ε and computes where the particle crosses them; here nothing
//! on the way is computed at all. The predicates take the ends only, so that "on an edge" means exactly on it, and no
//! rounding adds up. At a vertex, which is a number, the way starts again.
//!
//! Guarantees:
//! - After a move the particle's cell contains its position, exactly, and its place states how: strictly inside, on the
//!   face, on the edge, on the vertex of its dart.
//! - A wall (the border of the map, or a marked obstacle) is never crossed. Touching is not crossing: a particle may
//!   stand on a wall, on the side of its dart, slide along it, and pass the end of it. It stops at the last
//!   representable point before the wall that the tracker tried; S4 does not let it slide on, and neither does this.
//! - Termination. In a partition into convex cells, each open cell (of any dimension) meets the segment in one
//!   interval, and each step goes on to the cell of the next interval: no cell comes twice, and there are at most as
//!   many steps as cells. In one cell, the faces are walked by crossing an edge to the side that the way is on: that
//!   raises the reciprocal of the distance at which the way meets the plane of the face, strictly unless the two faces
//!   are coplanar, so no face comes twice; among coplanar faces of one cell it is a visibility walk in the plane, which
//!   does not come back in regular subdivisions such as those that refinement makes. What breaks these premises (a cell
//!   that is not convex, inverted, with faces that are not plane) can only make a walk come back to a state it was in:
//!   `Recurrence` notices that within three times the length of tail and loop, a counted bound ends it in any case, and
//!   the move is [`TrackError::Lost`] with the particle as it was. `check` of each tracker lists the cells to blame
//!   beforehand.
//!
//! Cost: O(cells on the way), independent of the size of the map; no allocation but at vertices in 3D where more than
//! 32 volumes meet.

mod convex;
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
use thiserror::Error;

/// Where in a cell a particle is.
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

/// A point that knows its cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Particle<P> {
    /// Where it is, in the frame of the map's positions.
    pub position: P,
    /// A dart of its cell: the one the particle last aimed at. Never of the boundary.
    pub dart: Dart,
    /// What of the cell it is on.
    pub place: CellPlace,
}

/// What stops a particle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrackWall {
    /// The border of the map: beyond is no cell.
    Boundary,
    /// An edge (2D) or face (3D) that was marked.
    Obstacle,
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
        /// What it is.
        wall: TrackWall,
    },
}

/// A point outside the map, and what of the border is nearest to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outside<P> {
    /// A dart of the nearest edge (2D) or face (3D) of the border, of the cell inside.
    pub dart: Dart,
    /// The nearest point of it.
    pub nearest: P,
    /// How far it is, in the unit of the positions.
    pub distance: f64,
}

/// Where a point was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ProbeHit<P> {
    /// In a cell.
    Inside(Particle<P>),
    /// In none.
    Outside(Outside<P>),
}

impl<P> ProbeHit<P> {
    /// The particle, if the point is in a cell.
    pub fn inside(self) -> Option<Particle<P>> {
        match self {
            Self::Inside(particle) => Some(particle),
            Self::Outside(_) => None,
        }
    }
}

/// Why a particle could not be tracked. It is then as it was.
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
        /// What was given.
        value: f64,
    },
    /// A target so far away that distances to it are no numbers.
    #[error("coordinate {axis} of the target is {value}, beyond {max}: give a target that is nearer")]
    TooFar {
        /// 0, 1 or 2.
        axis: usize,
        /// What was given.
        value: f64,
        /// The largest there can be.
        max: f64,
    },
    /// The map lacks numbers that the tracker reads.
    #[error("cells of kind {orbit:?} have no numbers: call enable_ids({orbit:?}) first")]
    NoIds {
        /// The kind.
        orbit: crate::Orbit,
    },
    /// Too few positions or centres.
    #[error("{count} values for numbers of kind {orbit:?} below {bound}: give one for each number")]
    TooFewValues {
        /// The kind.
        orbit: crate::Orbit,
        /// How many were given.
        count: usize,
        /// How many are needed.
        bound: usize,
    },
    /// The way has no next cell, or comes back: cells are not what they should be there.
    #[error(
        "the way was lost after {steps} steps at the cell of dart {}: it, or a cell before it, is not convex (or \
         star-shaped), or the particle was not in its cell; `check` lists such cells, `settle` puts a particle into its cell",
        dart.0
    )]
    Lost {
        /// Where.
        dart: Dart,
        /// After how many.
        steps: usize,
    },
    /// There are no cells.
    #[error("the map has no cells")]
    Empty,
}

/// A cell that trackers cannot trust.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum CellFault {
    /// A corner turns the wrong way, or not at all all round.
    #[error("face {face} is not convex at dart {}", dart.0)]
    NotConvexFace {
        /// Its number, or that of its first dart where faces have none.
        face: u32,
        /// The dart before the corner.
        dart: Dart,
    },
    /// A volume is not convex, or inside out, at an edge.
    #[error("volume {volume} is not convex at dart {}", dart.0)]
    NotConvexVolume {
        /// Its number, or that of its first dart where volumes have none.
        volume: u32,
        /// A dart of the edge.
        dart: Dart,
    },
    /// The corners of a face do not lie in one plane.
    #[error("the face of dart {} of volume {volume} is not plane", dart.0)]
    NotPlane {
        /// The number of its volume, or of its first dart where volumes have none.
        volume: u32,
        /// A dart of the face.
        dart: Dart,
    },
    /// A cell is not seen whole from its centre.
    #[error("volume {volume} is not star-shaped: its centre does not see the triangle at dart {}", dart.0)]
    NotStarShaped {
        /// Its number.
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

/// Notices that a sequence of states repeats itself: Brent's method.
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

/// Shares of the way at which to try to stand before a wall that is met at share `t`: first there, then ever further
/// back, by what rounding may have cost.
fn shares_before(t: f64) -> impl Iterator<Item = f64> {
    const LEAST: f64 = 1.0 / (1u64 << 50) as f64;
    let back = std::iter::successors(Some(LEAST), |&back| Some(16.0 * back)).take_while(|&back| back < 1.0);
    std::iter::once(t).chain(back.map(move |back| t * (1.0 - back))).filter(|&t| t > 0.0 && t < 1.0)
}

/// What makes the face (3D) or edge (2D) of a dart a wall, if it is one.
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

/// The numbers of a kind of cell, if there are enough values for them.
fn ids_with_values(
    map: &impl CombinatorialMap,
    orbit: crate::Orbit,
    count: usize,
) -> Result<&crate::CellIds, TrackError> {
    let ids = map.cell_ids(orbit).ok_or(TrackError::NoIds { orbit })?;
    let bound = ids.bound();
    if count < bound { Err(TrackError::TooFewValues { orbit, count, bound }) } else { Ok(ids) }
}

/// Every so many cells, at most [`SAMPLES`] of them: where to look for one near a point.
fn samples(bound: usize) -> impl Iterator<Item = u32> {
    let step = bound.div_ceil(SAMPLES).max(1);
    (0..bound as u32).step_by(step)
}

/// How many cells a search by walking looks at first.
const SAMPLES: usize = 64;

/// How many particles are looked ahead at.
const GROUP: usize = 16;

/// Moves particles in turn. What each of a group will read first is requested before any of them moves, one kind of
/// thing after the other: reads that do not wait for each other go on at the same time, where particles in no order
/// would wait for memory one after the other.
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

/// Reads something of each particle of a group whose dart is of a cell, and keeps the reads from being left out.
fn read_ahead<P, R: Copy>(
    map: &impl CombinatorialMap,
    particles: &[Particle<P>],
    none: R,
    read: impl Fn(Dart) -> R,
) -> smallvec::SmallVec<[R; GROUP]> {
    let read = |particle: &Particle<P>| if check_dart(map, particle.dart).is_ok() { read(particle.dart) } else { none };
    std::hint::black_box(particles.iter().map(read).collect())
}
