//! Writer of trajectories as an SQLite database of JuPedSim, version 2.
//!
//! In: checked steps at an even rate. Out: the tables `trajectory_data`, `metadata`, `geometry` and `frame_data` of
//! JuPedSim 1.4, so that PedPy 1.5 and `jupedsim.Recording` read them. `trajectory_data` has four further columns,
//! `pos_z`, `vel_x`, `vel_y` and `vel_z`, which these readers ignore, as they name their columns. The tables
//! `heurt_frames` (frame, step, time) and `heurt_agents` (id, grp, radius) hold what JuPedSim has no room for.
//! Method: frames count from 0. The orientation is the direction of the last velocity, or (0, 0), as in JuPedSim. Every
//! [`COMMIT_FRAMES`] frames are a transaction.
//! Guarantees: numbers survive a round trip, but −0 becomes 0: SQLite stores a whole `REAL` as an integer. If the
//! program ends early, the file holds all whole transactions.
//! Not kept: the order of groups, and groups without agents. Cost: O(rows).

use super::{TrajectoryFormat, TrajectoryHeader, TrajectoryStep, TrajectoryWriteError};
use rusqlite::{Connection, OpenFlags, params};
use std::collections::HashMap;
use std::fs::File;
use std::path::Path;

/// Frames of a transaction, as in JuPedSim.
const COMMIT_FRAMES: u64 = 100;

const SCHEMA: &str = "
PRAGMA synchronous = OFF;
BEGIN;
CREATE TABLE trajectory_data (
    frame INTEGER NOT NULL, id INTEGER NOT NULL, pos_x REAL NOT NULL, pos_y REAL NOT NULL,
    ori_x REAL NOT NULL, ori_y REAL NOT NULL, pos_z REAL, vel_x REAL, vel_y REAL, vel_z REAL);
CREATE TABLE metadata (key TEXT NOT NULL UNIQUE PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE geometry (hash INTEGER NOT NULL, wkt TEXT NOT NULL);
CREATE UNIQUE INDEX geometry_hash ON geometry (hash);
CREATE TABLE frame_data (frame INTEGER NOT NULL, geometry_hash INTEGER NOT NULL);
CREATE INDEX frame_id_idx ON trajectory_data (frame, id);
CREATE TABLE heurt_frames (frame INTEGER PRIMARY KEY, step INTEGER NOT NULL, time REAL NOT NULL);
CREATE TABLE heurt_agents (id INTEGER PRIMARY KEY, grp TEXT, radius REAL);
";
const KEEP_META: &str = "INSERT OR REPLACE INTO metadata VALUES (?, ?)";
const KEEP_ROW: &str = "INSERT INTO trajectory_data VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
const KEEP_GROUP: &str =
    "INSERT INTO heurt_agents VALUES (?1, ?2, NULL) ON CONFLICT (id) DO UPDATE SET grp = excluded.grp";
const KEEP_RADIUS: &str =
    "INSERT INTO heurt_agents VALUES (?1, NULL, ?2) ON CONFLICT (id) DO UPDATE SET radius = excluded.radius";

/// An SQLite file in the making.
pub(super) struct SqliteSink {
    database: Connection,
    groups: Vec<String>,
    rate: f64,
    /// The number of the next frame.
    frame: u64,
    /// The time of frame 0, in seconds.
    start: f64,
    /// The last direction of each agent.
    directions: HashMap<u64, [f64; 2]>,
    /// The least and largest x and y of areas and agents.
    bounds: [f64; 4],
}

impl SqliteSink {
    /// Creates a database, or replaces a file.
    pub(super) fn create(path: &Path, header: &TrajectoryHeader) -> Result<Self, TrajectoryWriteError> {
        let Some(rate) = header.frame_rate.filter(|rate| rate.is_finite() && *rate > 0.0) else {
            let found = header.frame_rate.map_or_else(|| "missing".to_owned(), |rate| rate.to_string());
            return Err(TrajectoryWriteError::FrameRate { found });
        };
        // SQLite drops the journals of an empty file.
        File::create(path)?;
        let database = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(fault)?;
        let mut bounds = [f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY];
        header.walkable.iter().flat_map(|text| corners(text)).for_each(|[x, y]| widen(&mut bounds, x, y));
        let groups = header.groups.clone();
        let sink = Self { database, groups, rate, frame: 0, start: 0.0, directions: HashMap::new(), bounds };
        sink.begin(header).map_err(fault)?;
        Ok(sink)
    }

    /// Writes the tables and what holds for all frames.
    fn begin(&self, header: &TrajectoryHeader) -> rusqlite::Result<()> {
        self.database.execute_batch(SCHEMA)?;
        self.database.execute(KEEP_META, params!["version", "2"])?;
        self.database.execute(KEEP_META, params!["fps", format!("{:?}", self.rate)])?;
        for (hash, text) in (0_i64..).zip(&header.walkable) {
            self.database.execute("INSERT INTO geometry VALUES (?, ?)", params![hash, text])?;
        }
        self.keep_bounds()?;
        self.database.execute_batch("COMMIT; BEGIN")
    }

    /// Writes a step.
    pub(super) fn push(&mut self, step: &TrajectoryStep) -> Result<(), TrajectoryWriteError> {
        if self.frame == 0 {
            self.start = step.time;
        }
        let expected = self.start + self.frame as f64 / self.rate;
        if (step.time - expected).abs() > 0.5 / self.rate {
            return Err(TrajectoryWriteError::Uneven { step: step.step, time: step.time, expected });
        }
        self.keep(step).map_err(fault)
    }

    fn keep(&mut self, step: &TrajectoryStep) -> rusqlite::Result<()> {
        let frame = self.frame as i64;
        self.database.execute("INSERT INTO frame_data VALUES (?, 0)", params![frame])?;
        self.database
            .execute("INSERT INTO heurt_frames VALUES (?, ?, ?)", params![frame, step.step as i64, step.time])?;
        let mut keep_row = self.database.prepare(KEEP_ROW)?;
        for row in &step.rows {
            let (at, agent) = (row.position, row.agent as i64);
            let [vx, vy, vz] = row.velocity.map_or([None; 3], |velocity| velocity.to_array().map(Some));
            let moves = row.velocity.map(|velocity| velocity.truncate()).and_then(|flat| flat.try_normalize());
            if !self.directions.contains_key(&row.agent) {
                self.database.execute(KEEP_GROUP, params![agent, self.groups[row.group as usize]])?;
            }
            let direction = self.directions.entry(row.agent).or_default();
            if let Some(moves) = moves {
                *direction = moves.to_array();
            }
            let [ox, oy] = *direction;
            keep_row.execute(params![frame, agent, at.x, at.y, ox, oy, at.z, vx, vy, vz])?;
            widen(&mut self.bounds, at.x, at.y);
        }
        drop(keep_row);
        self.frame += 1;
        if self.frame.is_multiple_of(COMMIT_FRAMES) {
            self.keep_bounds()?;
            self.database.execute_batch("COMMIT; BEGIN")?;
        }
        Ok(())
    }

    /// Writes the bounds, if there are any yet.
    fn keep_bounds(&self) -> rusqlite::Result<()> {
        if self.bounds[0] <= self.bounds[2] {
            for (key, bound) in ["xmin", "ymin", "xmax", "ymax"].into_iter().zip(self.bounds) {
                self.database.execute(KEEP_META, params![key, format!("{bound:?}")])?;
            }
        }
        Ok(())
    }

    /// Keeps the radius of an agent, in metres.
    pub(super) fn set_radius(&mut self, agent: u64, radius: f64) -> Result<(), TrajectoryWriteError> {
        let Ok(number) = i64::try_from(agent) else {
            return Err(TrajectoryWriteError::TooLarge { step: self.frame, number: agent });
        };
        self.database.execute(KEEP_RADIUS, params![number, radius]).map(drop).map_err(fault)
    }

    /// Ends the last transaction and closes the file.
    pub(super) fn finish(self) -> Result<(), TrajectoryWriteError> {
        self.keep_bounds().and_then(|()| self.database.execute_batch("COMMIT")).map_err(fault)?;
        self.database.close().map_err(|(_, cause)| fault(cause))
    }
}

fn widen(bounds: &mut [f64; 4], x: f64, y: f64) {
    *bounds = [bounds[0].min(x), bounds[1].min(y), bounds[2].max(x), bounds[3].max(y)];
}

/// Finds the corners of a well-known text: pairs of numbers between commas and parentheses.
fn corners(text: &str) -> impl Iterator<Item = [f64; 2]> {
    text.split(['(', ')', ',']).filter_map(|point| {
        let mut numbers = point.split_whitespace().map(str::parse::<f64>);
        let corner = [numbers.next()?.ok()?, numbers.next()?.ok()?];
        corner.iter().all(|number| number.is_finite()).then_some(corner)
    })
}

fn fault(cause: rusqlite::Error) -> TrajectoryWriteError {
    TrajectoryWriteError::Library { format: TrajectoryFormat::Sqlite, reason: cause.to_string() }
}
