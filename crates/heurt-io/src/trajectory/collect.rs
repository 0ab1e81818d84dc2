//! Rows of trajectories, collected into steps and checked.
//!
//! In: rows in any order, each with its place in the file. Out: steps by ascending number and time.
//! Method: one sort by step, agent and place. Rows of equal step are a step.
//! Guarantees: those of the room. The first fault in order of step and agent is reported, with its place.
//! Cost: O(rows log rows).

use super::data::MAX_NUMBER;
use super::{TrajectoryFile, TrajectoryHeader, TrajectoryReadError, TrajectoryRow, TrajectoryStep};
use crate::error::quoted;
use crate::read::text;
use crate::{Place, ReadError};
use std::collections::{BTreeMap, HashMap};

/// The result of a reader.
pub(super) type ReadOutcome<T> = Result<T, TrajectoryReadError>;

/// A row of a file.
pub(super) struct RawRow {
    pub(super) step: u64,
    pub(super) time: f64,
    pub(super) row: TrajectoryRow,
    /// The line or row of the file.
    pub(super) at: u64,
}

/// The names of groups, numbered as they come.
#[derive(Default)]
pub(super) struct GroupNames {
    names: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl GroupNames {
    /// Returns the number of a group.
    pub(super) fn number(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }

    /// Returns the names by number.
    pub(super) fn finish(self) -> Vec<String> {
        self.names
    }
}

/// Sorts rows into steps. `place` turns the number of a row into a place.
pub(super) fn collect(
    mut rows: Vec<RawRow>,
    header: TrajectoryHeader,
    place: impl Fn(u64) -> Place,
) -> ReadOutcome<TrajectoryFile> {
    rows.sort_by_key(|raw| (raw.step, raw.row.agent, raw.at));
    let mut steps: Vec<TrajectoryStep> = Vec::new();
    let mut groups: HashMap<u64, u32> = HashMap::new();
    for rows in rows.chunk_by(|a, b| a.step == b.step) {
        let RawRow { step, time, at, .. } = rows[0];
        if let Some(last) = steps.last().map(|last| last.time).filter(|&last| time <= last) {
            return Err(TrajectoryReadError::NotLater { place: place(at), step, time, last });
        }
        if let Some(row) = rows.iter().find(|row| row.time != time) {
            return Err(TrajectoryReadError::TwoTimes { place: place(row.at), step, time: row.time, known: time });
        }
        if let Some(pair) = rows.windows(2).find(|pair| pair[0].row.agent == pair[1].row.agent) {
            let (first, place) = (place(pair[0].at), place(pair[1].at));
            return Err(TrajectoryReadError::Twice { place, first, step, agent: pair[0].row.agent });
        }
        for RawRow { row: TrajectoryRow { agent, group, .. }, at, .. } in rows {
            let known = *groups.entry(*agent).or_insert(*group);
            if known != *group {
                let name = |group: u32| quoted(header.groups[group as usize].as_bytes());
                let (group, known) = (name(*group), name(known));
                return Err(TrajectoryReadError::TwoGroups { place: place(*at), agent: *agent, group, known });
            }
        }
        steps.push(TrajectoryStep { step, time, rows: rows.iter().map(|raw| raw.row).collect() });
    }
    Ok(TrajectoryFile { header, steps, radii: BTreeMap::new(), cut: None })
}

/// Reads the number of a step, frame or agent.
pub(super) fn natural(word: &[u8], what: &str, place: impl Fn() -> Place) -> Result<u64, ReadError> {
    match text::integer(word) {
        Some(number) if number >= 0 => Ok(number as u64),
        _ => Err(ReadError::syntax(place(), word, format!("the {what}, an integer from 0 to {MAX_NUMBER}"))),
    }
}

/// Reads a finite number.
pub(super) fn finite(word: &[u8], what: &str, place: impl Fn() -> Place) -> Result<f64, ReadError> {
    match text::number(word) {
        Some(number) if number.is_finite() => Ok(number),
        _ => Err(ReadError::syntax(place(), word, format!("a finite number as {what}"))),
    }
}

/// Checks a frame rate against the rate of the options, and returns the rate that holds.
pub(super) fn frame_rate(found: Option<(f64, Place)>, option: Option<f64>) -> ReadOutcome<f64> {
    let is_rate = |rate: f64| rate.is_finite() && rate > 0.0;
    match (found, option) {
        (Some((found, place)), _) if !is_rate(found) => {
            let expected = "a positive number of frames in a second";
            Err(ReadError::syntax(place, found.to_string().as_bytes(), expected).into())
        }
        (Some((found, place)), Some(known)) if found != known => {
            let (found, known) = (found.to_string(), known.to_string());
            Err(TrajectoryReadError::Conflict { place, what: "frame rate", found, known })
        }
        (Some((rate, _)), _) => Ok(rate),
        (None, Some(rate)) if is_rate(rate) => Ok(rate),
        (None, _) => Err(TrajectoryReadError::Unknown {
            what: "frame rate",
            remedy: "give a positive number of frames in a second in the options",
        }),
    }
}
