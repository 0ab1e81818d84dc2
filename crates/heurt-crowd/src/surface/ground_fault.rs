//! Faults of curved ground, each with its place.

use heurt_geometry::{DisplayNumber, ShortPlace, Vec3};
use heurt_map::BuildError;
use heurt_map::geodesic::GeodesicError;
use heurt_map::registration::RegistrationError;
use thiserror::Error;

/// A reason why a surface is no ground.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SurfaceGroundFault {
    /// A building of a face that there is not.
    #[error("a building has face {face}, and the mesh has {faces} faces: give a number below")]
    NoFace {
        /// The number given.
        face: u32,
        /// The number of faces.
        faces: usize,
    },
    /// All faces are of buildings.
    #[error("the buildings take all of the {faces} faces: leave some free")]
    NothingFree {
        /// The number of faces.
        faces: usize,
    },
    /// A face without area, or thinner than rounding allows.
    #[error(
        "face {face} around {} has a height of {} of its longest edge: remove faces below 1e-9",
        ShortPlace(*place), DisplayNumber(*height)
    )]
    ThinFace {
        /// The face.
        face: u32,
        /// Its middle, in metres.
        place: Vec3,
        /// Its least height over its longest edge.
        height: f64,
    },
    /// An edge of more than two faces, or of two that are turned against each other.
    #[error(
        "the edge around {} has {faces} faces or faces turned against each other: repair the mesh first",
        ShortPlace(*place)
    )]
    BadEdge {
        /// Its middle, in metres.
        place: Vec3,
        /// The number of its faces.
        faces: usize,
    },
    /// The map is not built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// Agents cannot be tracked on the faces.
    #[error(transparent)]
    Registration(#[from] RegistrationError),
    /// No paths can be sought.
    #[error(transparent)]
    Paths(#[from] GeodesicError),
}
