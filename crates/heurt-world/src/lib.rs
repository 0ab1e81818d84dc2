//! Thousands of objects, step by step: their contacts and events.
//!
//! In: bodies (a shape, where it is placed, how it moves), a length of step. Out: contacts and what changed since the
//! last step, counts, a hash of the state; answers to queries of the whole world.
//! Method: S0 §2.3–2.6; the step's stages are in [`step`](World::step).
//! Guarantees: the same bits for any number of threads, and for every broad phase. An error leaves the world as it was.
//! No clock is read: times and deadlines need one from the caller ([`StepOptions`]).

mod body;
mod contact;
mod draw;
mod error;
mod reader;
mod recorded_joint;
mod recorder;
mod response;
mod scene_query;
mod settings;
mod state;
mod step;
mod world;

pub use crate::body::deformation::Deformation;
pub use crate::body::keyframes::{Keyframes, KeyframesError};
pub use crate::body::mass::{Mass, MassFault};
pub use crate::body::{Body, BodyId, Kind, Wrench};
pub use crate::contact::{BodyContact, ContactMotion};
pub use crate::error::{StepMotionError, WorldError};
pub use crate::reader::Reader;
pub use crate::recorder::{Differs, Recorder, ReplayError, Replayed, replay};
pub use crate::response::joints::{JointDesign, JointId, WorldJoint};
pub use crate::response::solved::{SolvedContact, SolvedPoint};
pub use crate::response::step_problem::{ProblemOrigin, StepProblem};
pub use crate::response::{ImpactRule, Response, ResponseReport};
pub use crate::scene_query::{BodyHit, ClosestBody, QueryFilter};
pub use crate::settings::{Detection, FARTHEST, Settings};
pub use crate::state::balance::{BalanceErrors, RunBalance};
pub use crate::state::energy::Energy;
pub use crate::state::memory_report::WorldBytes;
pub use crate::state::snapshot::Snapshot;
pub use crate::state::view::WorldView;
pub use crate::step::deadline::StepOptions;
pub use crate::step::events::Events;
pub use crate::step::paths::BodyPath;
pub use crate::step::step_motion::MAX_TURN;
pub use crate::step::{LONGEST_STEP, STAGES, Stage, StepReport};
pub use crate::world::World;
pub use crate::world::contact_places::ContactPlace;
pub use heurt_broad::BroadPhaseKind;
pub use heurt_rigid::{ContactState, JointKind, JointLoad, JointSpring, LockedAxes, Motor, PositionMotor};
