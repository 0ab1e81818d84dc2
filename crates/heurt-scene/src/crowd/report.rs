//! The report of a run of a crowd, for programs.

use heurt_crowd::space::SpaceCrowd;
use heurt_crowd::surface::SurfaceCrowd;
use heurt_crowd::{Crowd, CrowdReport};
use heurt_io::LonLat;
use serde::Serialize;

/// The result of a run of a crowd.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CrowdReportJson {
    /// Agents at first.
    agents: usize,
    /// Faulty agents that were left out.
    left_out: usize,
    /// Agents that left at their last goal.
    arrived: usize,
    /// Seconds from the start to the exit; absent if no agent arrived.
    #[serde(skip_serializing_if = "Option::is_none")]
    travel_time: Option<TravelTimeJson>,
    overlap: OverlapJson,
    wall_overlap: WallOverlapJson,
    /// Agents that were below 5 % of their speed for 5 s before their goals.
    stalled: usize,
    /// Registrations in another cell, as a share of all moves.
    reregistered_share: f64,
    steps: u64,
    /// Simulated time.
    seconds: f64,
    /// Hash of all positions and velocities at the end.
    hash: String,
    step_micros: MicrosJson,
    /// The point (0, 0) of a map of streets, in degrees.
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<OriginJson>,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct TravelTimeJson {
    min: f64,
    median: f64,
    max: f64,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct OverlapJson {
    /// Distinct pairs that overlapped by more than 1 % of the smaller agent.
    pairs: usize,
    /// The deepest overlap as a share of the size of the smaller agent.
    worst_relative: f64,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct WallOverlapJson {
    worst_relative: f64,
}

/// Times of steps in microseconds.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct MicrosJson {
    min: f64,
    median: f64,
    p99: f64,
    max: f64,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct OriginJson {
    lon: f64,
    lat: f64,
}

/// Facts of a run beyond the crowd itself.
#[derive(Debug, Clone, Copy)]
pub struct CrowdRunFacts {
    /// Steps taken.
    pub steps: u64,
    /// Faulty agents that were left out.
    pub left_out: usize,
    /// The point (0, 0) of a map of streets.
    pub origin: Option<LonLat>,
    /// Least, median, 99th percentile and largest time of a step, in seconds.
    pub step_seconds: [f64; 4],
}

impl CrowdReportJson {
    /// Makes the report of a run.
    pub fn new(crowd: &Crowd, facts: &CrowdRunFacts) -> Self {
        Self::of_report(&crowd.report(), (crowd.time(), crowd.state_hash()), facts)
    }

    /// Makes the report of a run of agents that fly.
    pub fn of_space(crowd: &SpaceCrowd, facts: &CrowdRunFacts) -> Self {
        Self::of_report(&crowd.report(), (crowd.time(), crowd.state_hash()), facts)
    }

    /// Makes the report of a run of agents on curved ground.
    pub fn of_surface(crowd: &SurfaceCrowd<'_>, facts: &CrowdRunFacts) -> Self {
        Self::of_report(&crowd.report(), (crowd.time(), crowd.state_hash()), facts)
    }

    fn of_report(report: &CrowdReport, (seconds, hash): (f64, u64), facts: &CrowdRunFacts) -> Self {
        let times = report.travel_time;
        let [min, median, p99, max] = facts.step_seconds.map(|seconds| seconds * 1e6);
        Self {
            agents: report.agents,
            left_out: facts.left_out,
            arrived: report.arrived,
            travel_time: times.map(|times| TravelTimeJson { min: times.min, median: times.median, max: times.max }),
            overlap: OverlapJson { pairs: report.overlapping_pairs, worst_relative: report.worst_overlap },
            wall_overlap: WallOverlapJson { worst_relative: report.worst_wall_overlap },
            stalled: report.stalled,
            reregistered_share: report.reregistered_share,
            steps: facts.steps,
            seconds,
            hash: crate::hash_text(hash),
            step_micros: MicrosJson { min, median, p99, max },
            origin: facts.origin.map(|origin| OriginJson { lon: origin.lon, lat: origin.lat }),
        }
    }
}
