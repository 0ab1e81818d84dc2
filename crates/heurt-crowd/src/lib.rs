//! Crowds: people on floors, their shortest paths, steering, and what engineers measure of them.
//!
//! [`Ground`] is floors with walls, joined by stairs and ramps. [`Crowd`] has agents on it and takes steps that end
//! without overlaps.
//! [`Navigation`] finds shortest paths of discs, [`steer`] has the models by which agents avoid each other, and
//! [`measure`] densities, flows and lanes. Agents are discs, or have outlines ([`AgentForm`]); [`space`] has agents
//! that fly, and [`surface`] agents on curved ground. Not here: files.
//!
//! ```
//! use heurt_crowd::{AgentGroup, Crowd, CrowdSettings, Goals, Ground, SpeedLaw, Start};
//! use heurt_geometry::{PlanArea, Vec2};
//! let area = |x0: f64, x1: f64| PlanArea::rectangle(Vec2::new(x0, 0.0), Vec2::new(x1, 3.0));
//! let group = |name: &str, from: PlanArea, to: PlanArea| AgentGroup {
//!     name: name.to_owned(),
//!     start: Start::within([from], 10),
//!     speed: SpeedLaw { mean: 1.34, deviation: 0.26, least: 0.6, most: 1.8 },
//!     goals: Goals::through([[to]]),
//!     ..AgentGroup::default()
//! };
//! let groups = vec![group("east", area(0.0, 8.0), area(29.0, 30.0)), group("west", area(22.0, 30.0), area(0.0, 1.0))];
//! let ground = Ground::new([area(0.0, 30.0)])?;
//! let mut crowd = Crowd::new(ground, CrowdSettings::default(), groups).map_err(|faults| faults[0].clone())?;
//! while !crowd.is_empty() && crowd.time() < 200.0 {
//!     crowd.step(0.05);
//! }
//! let report = crowd.report();
//! assert_eq!((report.arrived, report.overlapping_pairs), (20, 0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod crowd;
mod form;
mod ground;
pub mod measure;
mod navigation;
pub mod space;
pub mod steer;
pub mod surface;

pub use crowd::{
    AgentGroup, AgentState, CellPolicy, Crowd, CrowdFault, CrowdReport, CrowdSettings, CrowdStage, Goals, SocialTraits,
    SpeedLaw, Start, SteeringModel, TravelTimes,
};
pub use form::{AgentForm, Outline, OutlineError};
pub use ground::{Ground, GroundError, HEADROOM, Pace, Wall, join_floors};
pub use navigation::{Heading, Navigation, Paths};
