//! Writer of trajectories, step by step.
//!
//! In: a header, then steps in order of time. Out: a CSV, SQLite or Parquet file.
//! Method: each step is checked, then passed to the writer of the format.
//! Guarantees: a faulty step writes nothing. Memory grows with the number of agents, not with the number of steps.
//! Not guaranteed: a file whose writer is dropped without [`TrajectoryWriter::finish`] is incomplete.
//! Cost: O(rows).

use super::csv_write::CsvSink;
#[cfg(feature = "parquet")]
use super::parquet_write::ParquetSink;
#[cfg(feature = "sqlite")]
use super::sqlite_write::SqliteSink;
use super::step_check::StepCheck;
use super::{TrajectoryFormat, TrajectoryHeader, TrajectoryStep, TrajectoryWriteError};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// A file of trajectories in the making.
pub struct TrajectoryWriter {
    check: StepCheck,
    sink: TrajectorySink,
}

/// The writer of a format.
enum TrajectorySink {
    Csv(CsvSink),
    #[cfg(feature = "sqlite")]
    Sqlite(Box<SqliteSink>),
    #[cfg(feature = "parquet")]
    Parquet(Box<ParquetSink>),
}

impl TrajectoryWriter {
    /// Creates a file, or replaces it; the end of its name gives the format.
    ///
    /// # Errors
    /// [`TrajectoryWriteError`] if the format is not written, the frame rate of an SQLite file is missing, or the file
    /// cannot be created.
    pub fn create(path: impl AsRef<Path>, header: &TrajectoryHeader) -> Result<Self, TrajectoryWriteError> {
        let path = path.as_ref();
        let format = path.to_str().and_then(TrajectoryFormat::from_extension);
        let Some(format) = format.filter(|format| format.can_be_written()) else {
            return Err(TrajectoryWriteError::UnknownFormat { path: path.display().to_string() });
        };
        #[cfg(feature = "sqlite")]
        if format == TrajectoryFormat::Sqlite {
            let sink = TrajectorySink::Sqlite(Box::new(SqliteSink::create(path, header)?));
            return Ok(Self { check: StepCheck::new(header.groups.len()), sink });
        }
        if format == TrajectoryFormat::Sqlite || !cfg!(feature = "parquet") && format == TrajectoryFormat::Parquet {
            return Err(unsupported(format));
        }
        Self::new(BufWriter::new(File::create(path)?), format, header)
    }

    /// Writes to any writer, in CSV or Parquet.
    ///
    /// ```
    /// use heurt_geometry::Vec3;
    /// use heurt_io::{TrajectoryFormat, TrajectoryHeader, TrajectoryRow, TrajectoryStep, TrajectoryWriter};
    /// let header = TrajectoryHeader { groups: vec!["east".into()], ..TrajectoryHeader::default() };
    /// let mut writer = TrajectoryWriter::new(std::io::sink(), TrajectoryFormat::Csv, &header)?;
    /// let row = TrajectoryRow { agent: 7, group: 0, position: Vec3::new(1.0, 2.0, 0.0), velocity: None };
    /// writer.push(&TrajectoryStep { step: 0, time: 0.0, rows: vec![row] })?;
    /// writer.finish()?;
    /// # Ok::<(), heurt_io::TrajectoryWriteError>(())
    /// ```
    ///
    /// # Errors
    /// [`TrajectoryWriteError::Unsupported`] for SQLite, which needs a file; those of the writer.
    pub fn new(
        out: impl Write + Send + 'static,
        format: TrajectoryFormat,
        header: &TrajectoryHeader,
    ) -> Result<Self, TrajectoryWriteError> {
        let sink = match format {
            TrajectoryFormat::Csv => TrajectorySink::Csv(CsvSink::new(Box::new(out), header)?),
            #[cfg(feature = "parquet")]
            TrajectoryFormat::Parquet => TrajectorySink::Parquet(Box::new(ParquetSink::new(Box::new(out), header)?)),
            _ => return Err(unsupported(format)),
        };
        Ok(Self { check: StepCheck::new(header.groups.len()), sink })
    }

    /// Writes a step: all agents that are present, by ascending number.
    ///
    /// # Errors
    /// [`TrajectoryWriteError`] if the step is faulty, which writes nothing, or if the writer fails.
    pub fn push(&mut self, step: &TrajectoryStep) -> Result<(), TrajectoryWriteError> {
        self.check.examine(step)?;
        match &mut self.sink {
            TrajectorySink::Csv(sink) => sink.push(step)?,
            #[cfg(feature = "sqlite")]
            TrajectorySink::Sqlite(sink) => sink.push(step)?,
            #[cfg(feature = "parquet")]
            TrajectorySink::Parquet(sink) => sink.push(step)?,
        }
        self.check.accept(step);
        Ok(())
    }

    /// Keeps the radius of an agent, in metres. Formats other than SQLite have no room for it and ignore it.
    ///
    /// # Errors
    /// [`TrajectoryWriteError::Radius`] if the radius is not positive; those of the writer.
    pub fn set_radius(&mut self, agent: u64, radius: f64) -> Result<(), TrajectoryWriteError> {
        if !(radius.is_finite() && radius > 0.0) {
            return Err(TrajectoryWriteError::Radius { agent, radius });
        }
        match &mut self.sink {
            #[cfg(feature = "sqlite")]
            TrajectorySink::Sqlite(sink) => sink.set_radius(agent, radius),
            _ => Ok(()),
        }
    }

    /// Completes the file.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn finish(self) -> Result<(), TrajectoryWriteError> {
        match self.sink {
            TrajectorySink::Csv(sink) => Ok(sink.finish()?),
            #[cfg(feature = "sqlite")]
            TrajectorySink::Sqlite(sink) => sink.finish(),
            #[cfg(feature = "parquet")]
            TrajectorySink::Parquet(sink) => sink.finish(),
        }
    }
}

fn unsupported(format: TrajectoryFormat) -> TrajectoryWriteError {
    let remedy = match format {
        TrajectoryFormat::Sqlite => "create a file by its path, in a build with the feature `sqlite`",
        TrajectoryFormat::Parquet => "build heurt-io with the feature `parquet`",
        _ => "use .csv, .sqlite or .parquet",
    };
    TrajectoryWriteError::Unsupported { format, remedy }
}
