//! Thousands of objects, step by step: who touches whom, and where.
//!
//! In: bodies (a shape, where it stands, how it moves), a length of step. Out: contacts and what changed since the last step, counts, a
//! hash of the state; answers about the whole world.
//! Method: S0 §2.3–2.6; the step's stages are in [`step`](World::step).
//! Guarantees: the same bits for any number of threads, and for every broad phase. An error leaves the world as it was. No
//! clock is read: who wants times or deadlines brings one ([`Watch`]).

mod approach;
mod body;
mod crowding;
mod deadline;
mod deformation;
mod flight;
mod look;
mod mass;
mod memory;
mod narrow;
mod plan;
mod reader;
mod record;
mod script;
mod soft_advance;
mod soft_impact;
mod step;
mod view;
mod world;

pub use approach::{Approach, Meeting};
pub use body::{Body, BodyId, Kind};
pub use deadline::Watch;
pub use deformation::Deformation;
pub use flight::{FlightError, MOST_TURN};
pub use heurt_broad::BroadPhaseKind;
pub use look::{ClosestBody, Met};
pub use mass::{Mass, MassFault};
pub use memory::WorldBytes;
pub use narrow::{Detection, Touch};
pub use plan::FARTHEST;
pub use reader::Reader;
pub use record::{Differs, Recorder, ReplayError, Replayed, replay};
pub use script::{Script, ScriptError};
pub use step::{Events, LONGEST_STEP, STAGES, Stage, StepReport};
pub use view::View;
pub use world::{Energy, Settings, Snapshot, World, WorldError};
