//! Trajectories as CSV: a row for each agent and step.
//!
//! In: a crowd after each step. Out: rows `step,time,agent,group,x,y,z,vx,vy,vz`, in metres and m/s; `v` is the
//! velocity of the step just taken. The row in which an agent is at its exit is its last.
//! Guarantees: numbers survive a round trip.

use heurt_crowd::{AgentState, Crowd};
use std::io::{self, Write};

/// Writes the first line.
///
/// # Errors
/// Those of the writer.
pub fn write_trajectory_header(out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "step,time,agent,group,x,y,z,vx,vy,vz")
}

/// Writes a row for each agent that is present or has just left, by number.
///
/// # Errors
/// Those of the writer.
pub fn write_trajectory_rows(out: &mut impl Write, step: u64, crowd: &Crowd) -> io::Result<()> {
    let names: Vec<String> = crowd.names().iter().map(|name| quoted(name)).collect();
    let (mut present, mut departed) = (crowd.agents().peekable(), crowd.departed().peekable());
    let time = crowd.time();
    loop {
        let next = match (present.peek(), departed.peek()) {
            (Some(here), Some(gone)) if gone.id < here.id => departed.next(),
            (Some(_), _) => present.next(),
            (None, _) => departed.next(),
        };
        let Some(AgentState { id, group, position, height, floor, velocity, .. }) = next else { return Ok(()) };
        let name = &names[group as usize];
        let climb = crowd.ground().floors()[floor as usize].slope.dot(velocity) + 0.0;
        write!(out, "{step},{time},{id},{name},{},{},{height},", position.x, position.y)?;
        writeln!(out, "{},{},{climb}", velocity.x, velocity.y)?;
    }
}

/// Quotes a name that has a separator, a quote or a line break in it.
fn quoted(name: &str) -> String {
    let is_plain = !name.contains([',', '"', '\n', '\r']);
    if is_plain { name.to_owned() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
}
