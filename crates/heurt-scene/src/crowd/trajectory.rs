//! Trajectories of a crowd: what its files hold of each step.
//!
//! In: a crowd after each step. Out: header and steps for `heurt_io::TrajectoryWriter`, in metres and m/s; `v` is the
//! velocity of the step just taken. The step in which an agent is at its exit is its last.

use heurt_crowd::measure::{Trajectories, TrajectoryError};
use heurt_crowd::{AgentState, Crowd};
use heurt_geometry::{FloorArea, Vec2};
use heurt_io::{TrajectoryFile, TrajectoryHeader, TrajectoryRow, TrajectoryStep};
use std::fmt::Write;

/// Describes the trajectories of a crowd that takes steps of `step` seconds.
pub fn trajectory_header(crowd: &Crowd, step: f64) -> TrajectoryHeader {
    TrajectoryHeader {
        groups: crowd.names().to_vec(),
        frame_rate: Some(1.0 / step),
        walkable: vec![floors_as_text(crowd.ground().floors(), false)],
    }
}

/// Describes a step: each agent that is present or has just left, by number.
pub fn trajectory_step(crowd: &Crowd, number: u64) -> TrajectoryStep {
    let row = |agent: AgentState| {
        let climb = crowd.ground().floors()[agent.floor as usize].slope.dot(agent.velocity) + 0.0;
        TrajectoryRow {
            agent: u64::from(agent.id),
            group: agent.group,
            position: agent.position.extend(agent.height),
            velocity: Some(agent.velocity.extend(climb)),
        }
    };
    let mut rows: Vec<TrajectoryRow> = crowd.agents().chain(crowd.departed()).map(row).collect();
    rows.sort_by_key(|row| row.agent);
    TrajectoryStep { step: number, time: crowd.time(), rows }
}

/// The header of the rows of outlines.
pub const OUTLINE_HEADER: &str = "step,agent,section,vertex,x,y,z";

/// Writes the corners of agents with outlines as rows of [`OUTLINE_HEADER`], each with its line end; in metres. Numbers
/// survive a round trip.
pub fn outline_rows(crowd: &Crowd, step: u64) -> String {
    let mut rows = String::new();
    let mut agents: Vec<AgentState> = crowd.agents().chain(crowd.departed()).collect();
    agents.sort_by_key(|agent| agent.id);
    for agent in agents {
        let sections = crowd.sections_of(agent.id).zip(crowd.section_floors_of(agent.id));
        for (section, (corners, &floor)) in sections.enumerate() {
            for (vertex, corner) in corners.iter().enumerate() {
                let z = crowd.ground().floors()[floor as usize].height_at(*corner);
                let _ = writeln!(rows, "{step},{},{section},{vertex},{},{},{z}", agent.id, corner.x, corner.y);
            }
        }
    }
    rows
}

/// Collects the trajectories of a storey of a file, in plan, for `heurt_crowd::measure`: of persons at `heights` in
/// metres, or of all. Agents are numbered from 0, by number.
///
/// # Errors
/// [`TrajectoryError`], as [`Trajectories::of_storey`].
pub fn trajectories_in_plan(file: &TrajectoryFile, heights: Option<[f64; 2]>) -> Result<Trajectories, TrajectoryError> {
    let mut agents: Vec<u64> = file.rows().map(|(_, row)| row.agent).collect();
    agents.sort_unstable();
    agents.dedup();
    let number = |agent: u64| agents.partition_point(|&other| other < agent) as u32;
    Trajectories::of_storey(file.rows().map(|(step, row)| (number(row.agent), step.time, row.position)), heights)
}

/// Writes floors as well-known text: in plan, or with heights.
pub(super) fn floors_as_text(floors: &[FloorArea], has_heights: bool) -> String {
    let ring = |floor: &FloorArea, ring: &[Vec2]| {
        let mut text = String::new();
        for &corner in ring.iter().chain(ring.first()) {
            let comma = if text.is_empty() { "" } else { ", " };
            let _ = write!(text, "{comma}{} {}", corner.x, corner.y);
            if has_heights {
                let _ = write!(text, " {}", floor.height_at(corner));
            }
        }
        format!("({text})")
    };
    let mark = if has_heights { "Z " } else { "" };
    let polygon = |floor: &FloorArea| {
        let rings: Vec<String> = floor.area.rings().map(|corners| ring(floor, corners)).collect();
        format!("POLYGON {mark}({})", rings.join(", "))
    };
    let polygons: Vec<String> = floors.iter().map(polygon).collect();
    match polygons.as_slice() {
        [polygon] => polygon.clone(),
        _ => format!("GEOMETRYCOLLECTION {mark}({})", polygons.join(", ")),
    }
}
