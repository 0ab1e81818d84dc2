//! Data of trajectories: formats, rows, steps, files.
//!
//! In: numbers of a reader or a simulation. Out: plain data, in metres and seconds.
//! Guarantees: none by construction; readers and writers check the data.

use crate::{LengthUnit, Place};
use heurt_geometry::Vec3;
use std::collections::BTreeMap;
use std::fmt;

/// The largest number of a step or agent: integers of SQLite and Parquet have 64 bits and a sign.
pub(super) const MAX_NUMBER: u64 = i64::MAX as u64;

/// A format of trajectories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TrajectoryFormat {
    /// CSV with the columns `step,time,agent,group,x,y,z,vx,vy,vz`.
    Csv,
    /// An SQLite database of JuPedSim, versions 1 to 3; version 2 is written. Needs the feature `sqlite`.
    Sqlite,
    /// Parquet with the columns of the CSV. Needs the feature `parquet`.
    Parquet,
    /// Text of the Jülich data archive, `id frame x y z`; read only.
    ArchiveText,
    /// Footsteps of Vadere, one event a line; read only.
    Vadere,
}

impl TrajectoryFormat {
    /// Finds the format by the end of a file name or path, in upper or lower case.
    ///
    /// ```
    /// use heurt_io::TrajectoryFormat;
    /// assert_eq!(TrajectoryFormat::from_extension("run/hall.sqlite"), Some(TrajectoryFormat::Sqlite));
    /// assert_eq!(TrajectoryFormat::from_extension("hall.json"), None);
    /// ```
    pub fn from_extension(path: &str) -> Option<Self> {
        let extension = path.rsplit(['.', '/', '\\']).next()?.to_ascii_lowercase();
        match extension.as_str() {
            "csv" => Some(Self::Csv),
            "sqlite" | "sqlite3" | "db" => Some(Self::Sqlite),
            "parquet" => Some(Self::Parquet),
            "txt" => Some(Self::ArchiveText),
            "traj" => Some(Self::Vadere),
            _ => None,
        }
    }

    /// Reports whether [`TrajectoryWriter`](crate::TrajectoryWriter) writes the format.
    pub fn can_be_written(self) -> bool {
        matches!(self, Self::Csv | Self::Sqlite | Self::Parquet)
    }
}

impl fmt::Display for TrajectoryFormat {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Csv => "CSV",
            Self::Sqlite => "SQLite",
            Self::Parquet => "Parquet",
            Self::ArchiveText => "text",
            Self::Vadere => "Vadere",
        })
    }
}

/// Facts that a file of trajectories may leave open.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct TrajectoryOptions {
    /// The number of frames in a second; a file that gives another number is an error.
    pub frame_rate: Option<f64>,
    /// The unit of the coordinates of a text file; a file that gives another unit is an error.
    pub unit: Option<LengthUnit>,
}

/// An agent in a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrajectoryRow {
    /// The number of the agent, unique over all groups.
    pub agent: u64,
    /// The index of its group in [`TrajectoryHeader::groups`].
    pub group: u32,
    /// The position, in metres.
    pub position: Vec3,
    /// The velocity of the step just taken, in m/s; `None` if the file has none.
    pub velocity: Option<Vec3>,
}

/// All agents at one time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TrajectoryStep {
    /// The number of the step or frame.
    pub step: u64,
    /// The time, in seconds.
    pub time: f64,
    /// A row for each agent that is present, by ascending number.
    pub rows: Vec<TrajectoryRow>,
}

/// Facts that hold for all steps.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TrajectoryHeader {
    /// The names of the groups.
    pub groups: Vec<String>,
    /// The number of frames in a second. CSV does not keep it. SQLite needs it.
    pub frame_rate: Option<f64>,
    /// The areas to walk in, as well-known text, in metres. CSV does not keep them.
    pub walkable: Vec<String>,
}

/// The contents of a file of trajectories.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TrajectoryFile {
    /// Facts that hold for all steps.
    pub header: TrajectoryHeader,
    /// The steps, by ascending number and time.
    pub steps: Vec<TrajectoryStep>,
    /// The radii of agents, in metres, as far as they are known. SQLite alone keeps them.
    pub radii: BTreeMap<u64, f64>,
    /// The place of an incomplete last row that was left out: the file was cut while it was written. CSV alone.
    pub cut: Option<Place>,
}

impl TrajectoryFile {
    /// Returns the name of the group of a row; empty if the header has no such group.
    pub fn group_name(&self, row: &TrajectoryRow) -> &str {
        self.header.groups.get(row.group as usize).map_or("", String::as_str)
    }

    /// Returns all rows with their step, by ascending step and agent.
    ///
    /// ```
    /// use heurt_io::{TrajectoryFormat, TrajectoryOptions, read_trajectories};
    /// let text = b"# framerate: 10\n# id frame x/m y/m\n1 0 2 3\n1 1 2.1 3\n";
    /// let file = read_trajectories(text, TrajectoryFormat::ArchiveText, &TrajectoryOptions::default())?;
    /// let places: Vec<_> = file.rows().map(|(step, row)| (row.agent, step.time, row.position.x)).collect();
    /// assert_eq!(places, [(1, 0.0, 2.0), (1, 0.1, 2.1)]);
    /// # Ok::<(), heurt_io::TrajectoryReadError>(())
    /// ```
    pub fn rows(&self) -> impl Iterator<Item = (&TrajectoryStep, &TrajectoryRow)> {
        self.steps.iter().flat_map(|step| step.rows.iter().map(move |row| (step, row)))
    }
}
