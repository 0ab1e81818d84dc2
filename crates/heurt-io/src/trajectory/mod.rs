//! Trajectories of crowds: files in, steps with a row for each agent out, and back.
//!
//! In: CSV of heurt, SQLite of JuPedSim, Parquet, text of the Jülich data archive, event rows of Vadere.
//! Out: a [`TrajectoryFile`], or a [`TrajectoryReadError`] with the line, table or row, the value and the remedy.
//! [`TrajectoryWriter`] writes CSV, SQLite and Parquet, one step at a time.
//! Method: a parser for each format gives rows; one check sorts them into steps.
//! Guarantees: steps ascend in number and time. Agents of a step ascend in number. An agent has one row in a step and
//! one group. All numbers are finite, and numbers survive a round trip. No reader panics. Rows come from bytes that
//! are there, and no count of a file is trusted.
//! Not guaranteed: even spacing of steps; an agent may be absent between its first step and its last.
//! Cost: O(rows log rows) to read; O(agents) memory to write.

mod archive_text;
mod collect;
mod csv;
mod csv_write;
mod data;
mod fault;
#[cfg(feature = "parquet")]
mod parquet_pages;
#[cfg(feature = "parquet")]
mod parquet_read;
#[cfg(feature = "parquet")]
mod parquet_write;
#[cfg(feature = "sqlite")]
mod sqlite_read;
#[cfg(feature = "sqlite")]
mod sqlite_write;
mod step_check;
mod vadere;
mod writer;

pub use data::{TrajectoryFile, TrajectoryFormat, TrajectoryHeader, TrajectoryOptions, TrajectoryRow, TrajectoryStep};
pub use fault::{TrajectoryReadError, TrajectoryWriteError};
pub use writer::TrajectoryWriter;

use std::path::Path;

/// Reads the bytes of a file of trajectories.
///
/// ```
/// use heurt_io::{TrajectoryFormat, TrajectoryOptions, read_trajectories};
/// let text = b"step,time,agent,group,x,y,z,vx,vy,vz\n0,0,7,east,1,2,0,0,0,0\n1,0.05,7,east,1.06,2,0,1.2,0,0\n";
/// let file = read_trajectories(text, TrajectoryFormat::Csv, &TrajectoryOptions::default())?;
/// assert_eq!((file.steps.len(), file.group_name(&file.steps[1].rows[0])), (2, "east"));
/// assert_eq!(file.steps[1].rows[0].position.x, 1.06);
/// # Ok::<(), heurt_io::TrajectoryReadError>(())
/// ```
///
/// # Errors
/// [`TrajectoryReadError`] names the line, the table or the row, the value found there, and the remedy.
pub fn read_trajectories(
    bytes: &[u8],
    format: TrajectoryFormat,
    options: &TrajectoryOptions,
) -> Result<TrajectoryFile, TrajectoryReadError> {
    match format {
        TrajectoryFormat::Csv => csv::read(bytes),
        TrajectoryFormat::ArchiveText => archive_text::read(bytes, options),
        TrajectoryFormat::Vadere => vadere::read(bytes, options),
        #[cfg(feature = "sqlite")]
        TrajectoryFormat::Sqlite => sqlite_read::read(bytes, options),
        #[cfg(feature = "parquet")]
        TrajectoryFormat::Parquet => parquet_read::read(bytes, options),
        #[cfg(not(all(feature = "sqlite", feature = "parquet")))]
        other => Err(TrajectoryReadError::Off { format: other }),
    }
}

/// Reads a file of trajectories; the end of its name gives the format.
///
/// # Errors
/// [`TrajectoryReadError::UnknownFormat`] for another end of the name, [`TrajectoryReadError::File`] if the file
/// cannot be opened, else as [`read_trajectories`].
pub fn read_trajectory_file(
    path: impl AsRef<Path>,
    options: &TrajectoryOptions,
) -> Result<TrajectoryFile, TrajectoryReadError> {
    let path = path.as_ref();
    let name = || path.display().to_string();
    let Some(format) = path.to_str().and_then(TrajectoryFormat::from_extension) else {
        return Err(TrajectoryReadError::UnknownFormat { path: name() });
    };
    // Large databases stay on the disk.
    #[cfg(feature = "sqlite")]
    if format == TrajectoryFormat::Sqlite {
        return sqlite_read::read_path(path, options);
    }
    let bytes = std::fs::read(path).map_err(|cause| TrajectoryReadError::File { path: name(), cause })?;
    read_trajectories(&bytes, format, options)
}
