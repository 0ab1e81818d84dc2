//! Footsteps of Vadere, as steps at a frame rate.
//!
//! In: a header and lines between blanks; the columns `pedestrianId`, `simTime`, `startX` and `startY` are needed,
//! `endTime`, `endX` and `endY` are used where they are there. Names may carry a suffix, as `startX-PID1`.
//! Out: steps at the frame rate of the options; the step is the frame.
//! Method: an agent moves evenly from start to end of each footstep, and rests until its next footstep.
//! Guarantees: each fault names its line; the rows of a file are at most [`MAX_RATIO`] for each line.
//! Not guaranteed: positions between the times of Vadere are interpolated. Cost: O(rows log rows).

use super::collect::{RawRow, collect, finite, frame_rate, natural};
use super::{TrajectoryFile, TrajectoryHeader, TrajectoryOptions, TrajectoryReadError, TrajectoryRow};
use crate::read::text::{self, Lines};
use crate::{Place, ReadError};
use heurt_geometry::Vec3;

/// Mean number of rows for each footstep: a footstep of 0.5 s has 500 at 1,000 frames in a second.
const MAX_RATIO: u64 = 1000;
const COLUMNS: [&str; 7] = ["pedestrianId", "simTime", "startX", "startY", "endTime", "endX", "endY"];

/// A footstep.
struct Footstep {
    agent: u64,
    begin: f64,
    end: f64,
    from: Vec3,
    to: Vec3,
    line: u64,
}

/// Reads a file.
pub(super) fn read(bytes: &[u8], options: &TrajectoryOptions) -> Result<TrajectoryFile, TrajectoryReadError> {
    let rate = frame_rate(None, options.frame_rate)?;
    let mut lines = Lines::new(bytes);
    let Some(header) = lines.next_filled() else {
        return Err(TrajectoryReadError::NoRows { place: lines.place() });
    };
    let (columns, width) = columns(header, &lines.place())?;
    let mut footsteps = Vec::new();
    while let Some(line) = lines.next_filled() {
        footsteps.push(footstep(line, &columns, width, lines.number())?);
    }
    if footsteps.is_empty() {
        return Err(TrajectoryReadError::NoRows { place: lines.place() });
    }
    footsteps.sort_by(|a, b| a.agent.cmp(&b.agent).then(a.begin.total_cmp(&b.begin)).then(a.line.cmp(&b.line)));
    let rows = sampled(&footsteps, rate)?;
    if rows.is_empty() {
        return Err(TrajectoryReadError::Unknown { what: "positions at the frame rate", remedy: "give a higher rate" });
    }
    let (groups, frame_rate) = (vec![String::new()], Some(rate));
    collect(rows, TrajectoryHeader { groups, frame_rate, ..TrajectoryHeader::default() }, Place::Line)
}

/// Finds the columns by the beginning of their names.
fn columns(header: &[u8], place: &Place) -> Result<([Option<usize>; 7], usize), TrajectoryReadError> {
    let words: Vec<&[u8]> = text::words(header).collect();
    let mut columns = [None; 7];
    for (column, &name) in COLUMNS.iter().enumerate() {
        let is_named = |word: &[u8]| {
            let rest = word.strip_prefix(name.as_bytes());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"-"))
        };
        columns[column] = words.iter().position(|word| is_named(word));
        if words.iter().filter(|word| is_named(word)).count() > 1 {
            let expected = "each column once, for one data processor";
            return Err(ReadError::syntax(place.clone(), name.as_bytes(), expected).into());
        }
        if column < 4 && columns[column].is_none() {
            return Err(TrajectoryReadError::MissingColumn { place: place.clone(), column: name });
        }
    }
    Ok((columns, words.len()))
}

fn footstep(line: &[u8], columns: &[Option<usize>; 7], width: usize, number: u64) -> Result<Footstep, ReadError> {
    let place = || Place::Line(number);
    let words: Vec<&[u8]> = text::words(line).collect();
    if words.len() != width {
        let (found, expected) = (format!("{} columns", words.len()), format!("{width} columns, as in the header"));
        return Err(ReadError::Syntax { place: place(), found, expected });
    }
    let number_of = |column: usize| columns[column].map(|at| finite(words[at], COLUMNS[column], place)).transpose();
    let agent = columns[0].map_or(Ok(0), |at| natural(words[at], COLUMNS[0], place))?;
    let begin = number_of(1)?.unwrap_or_default();
    let from = Vec3::new(number_of(2)?.unwrap_or_default(), number_of(3)?.unwrap_or_default(), 0.0);
    let end = number_of(4)?.unwrap_or(begin);
    let to = Vec3::new(number_of(5)?.unwrap_or(from.x), number_of(6)?.unwrap_or(from.y), 0.0);
    if begin < 0.0 || end < begin {
        let found = format!("a footstep from {begin} s to {end} s");
        return Err(ReadError::Syntax { place: place(), found, expected: "times from 0 on, in order".to_owned() });
    }
    Ok(Footstep { agent, begin, end, from, to, line: number })
}

/// Samples the footsteps, sorted by agent and time, at the frame rate.
fn sampled(footsteps: &[Footstep], rate: f64) -> Result<Vec<RawRow>, TrajectoryReadError> {
    let limit = MAX_RATIO * footsteps.len() as u64;
    let mut rows = Vec::new();
    for walk in footsteps.chunk_by(|a, b| a.agent == b.agent) {
        // The first frame that the agent has not got yet.
        let mut next = 0_u64;
        for (index, foot) in walk.iter().enumerate() {
            let until = walk.get(index + 1).map_or(foot.end, |after| after.begin);
            next = next.max((foot.begin * rate).ceil() as u64);
            while next as f64 / rate <= until {
                if rows.len() as u64 == limit {
                    return Err(TrajectoryReadError::TooManyRows { place: Place::Line(foot.line), limit });
                }
                let time = next as f64 / rate;
                let share = if foot.end > foot.begin { (time - foot.begin) / (foot.end - foot.begin) } else { 0.0 };
                let position = foot.from.lerp(foot.to, share.clamp(0.0, 1.0));
                let row = TrajectoryRow { agent: foot.agent, group: 0, position, velocity: None };
                rows.push(RawRow { step: next, time, row, at: foot.line });
                next += 1;
            }
        }
    }
    Ok(rows)
}
