//! Errors of control objects and of the messages of viewers.

#[cfg(feature = "view")]
use crate::output;
use heurt::geometry::MotionError;
use heurt::scene::describe::FieldError;
use heurt::world::{FARTHEST, WorldError};
use thiserror::Error;

/// Why a control object is refused.
#[derive(Debug, Error)]
pub(super) enum ControlError {
    #[error(transparent)]
    Field(#[from] FieldError),
    #[error("{most} objects are waiting for their steps already")]
    ManyObjects { most: usize },
    #[error("{waiting} vertices are waiting for their steps already")]
    ManyVertices { waiting: usize },
    #[cfg(feature = "view")]
    #[error("viewers act before the next step: leave out `step`")]
    StepOfViewer,
    #[error("step {step} was taken already: the next one is {next}")]
    PastStep { step: u64, next: u64 },
    #[error("no body is called `{0}`")]
    NoSuchBody(String),
    #[error("`{name}` is not in the control list of the scene, which is: {list}")]
    NotListed { name: String, list: String },
    #[error("the pose is farther than {FARTHEST:e} m from the origin")]
    FarPose,
    #[error("`{0}` follows its keyed poses: leave out its `motion`")]
    Scripted(String),
    #[error("the vertices of `{0}` follow its deformation: leave out its `deform`")]
    ScriptedVertices(String),
    #[error("`{0}` is not kinematic: only kinematic bodies take poses")]
    NotKinematic(String),
    #[error("`{0}` is not dynamic: only dynamic bodies take forces")]
    NotDynamic(String),
    #[error("`{0}` is not soft: only soft bodies take vertices")]
    NotSoft(String),
    #[error("give `pose`, `force`, `torque` or `vertices`")]
    NoAction,
    #[error("`at` is the point of a force, and a pose has none: leave it out")]
    PoseAtPoint,
    #[error("give a pose or forces, not both")]
    PoseAndForce,
    #[error("give vertices alone, without a pose or forces")]
    VerticesAndOthers,
    #[error("`moved` needs `vertices`")]
    MovedAlone,
    #[error("{given} places are given for {count} vertices")]
    VertexCount { given: usize, count: usize },
    #[error("`{name}` has no vertex {vertex}: it has {count}, and the first one is 0")]
    NoVertex { name: String, vertex: u32, count: usize },
    #[error("a vertex is farther than {FARTHEST:e} m from the origin")]
    FarVertex,
    #[error("the force accelerates the body by more than {most:e} m/s² or rad/s²: give a smaller one")]
    LargeForce { most: f64 },
    /// An object that was accepted, and then refused as its step began.
    #[error(transparent)]
    World(#[from] WorldError),
    #[error(transparent)]
    Motion(#[from] MotionError),
}

/// Why a message of a viewer is refused.
#[cfg(feature = "view")]
#[derive(Debug, Error)]
pub(super) enum MessageError {
    #[error(transparent)]
    Control(#[from] ControlError),
    #[error("no JSON: {0}")]
    Json(#[from] serde_json::Error),
    #[error("the run is read-only")]
    ReadOnly,
    #[error("the run ended: {0}")]
    Ended(String),
    #[error("the run ended with step {0}")]
    EndedWith(u64),
    #[error("the run repeats a record: its bodies move as they did")]
    Replay,
    #[error("agents of a crowd walk by themselves: nothing can be moved")]
    Crowd,
    #[error("`{}` is not known", output::printable(.0))]
    UnknownVerb(String),
    #[error("a viewer that only watches sends at most {0} bytes")]
    LongMessage(usize),
    #[error("at most {0} layers are shown")]
    ManyLayers(usize),
    #[error("no layer is called `{}`", output::printable(.0))]
    NoLayer(String),
    #[error("there is no body {0}")]
    NoSuchBody(serde_json::Value),
    #[error("`{0}` is not in the control list of the scene")]
    NotListed(String),
    #[error("the body is not there")]
    Gone,
    #[error("`{0}` cannot be moved: only dynamic and free kinematic bodies can")]
    NotMovable(String),
    #[error("nothing is held")]
    NothingHeld,
    #[error("seek at most {0} steps forward")]
    FarSeek(u64),
    #[error("`{key}` is {legal}")]
    Value { key: &'static str, legal: &'static str },
    #[error("`{key}` is from 1 to {most}")]
    Count { key: &'static str, most: u64 },
}
