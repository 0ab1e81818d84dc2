//! Crowds.

mod crowd;
mod ground;
pub mod measure;
mod navigation;
pub mod steer;

pub use crowd::{
    AgentGroup, AgentState, Crowd, CrowdFault, CrowdReport, CrowdSettings, Goals, SpeedLaw, Start, SteeringModel,
    TravelTimes,
};
pub use ground::{Ground, GroundError};
pub use navigation::{Heading, Navigation, Paths};
