//! Writer of trajectories as Parquet.
//!
//! In: checked steps. Out: the columns of the CSV: `step` and `agent` as INT64, `group` as UTF-8, the rest as DOUBLE;
//! `vx`, `vy` and `vz` are null where the velocity is unknown. Metadata `heurt.frame_rate` and `heurt.walkable` (a JSON
//! array of well-known texts) hold the header.
//! Method: [`GROUP_ROWS`] rows are a row group, compressed by Snappy.
//! Guarantees: numbers survive a round trip. pyarrow, pandas and DuckDB read the file without options.
//! Not kept: radii, empty steps. Cost: O(rows) time, memory of one row group.

use super::{TrajectoryFormat, TrajectoryHeader, TrajectoryStep, TrajectoryWriteError};
use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use std::io::Write;
use std::sync::Arc;

/// Rows of a row group: 9 MB of columns.
const GROUP_ROWS: usize = 1 << 17;
const SCHEMA: &str = "message trajectories {
    REQUIRED INT64 step; REQUIRED DOUBLE time; REQUIRED INT64 agent; REQUIRED BYTE_ARRAY group (UTF8);
    REQUIRED DOUBLE x; REQUIRED DOUBLE y; REQUIRED DOUBLE z;
    OPTIONAL DOUBLE vx; OPTIONAL DOUBLE vy; OPTIONAL DOUBLE vz; }";
/// The key of the frame rate.
pub(super) const RATE_KEY: &str = "heurt.frame_rate";
/// The key of the areas to walk in.
pub(super) const WALKABLE_KEY: &str = "heurt.walkable";

/// A Parquet file in the making.
pub(super) struct ParquetSink {
    writer: SerializedFileWriter<Box<dyn Write + Send>>,
    names: Vec<ByteArray>,
    steps: Vec<i64>,
    times: Vec<f64>,
    agents: Vec<i64>,
    groups: Vec<ByteArray>,
    positions: [Vec<f64>; 3],
    /// 1 where a row has a velocity.
    levels: Vec<i16>,
    velocities: [Vec<f64>; 3],
}

impl ParquetSink {
    /// Writes the start of a file.
    pub(super) fn new(out: Box<dyn Write + Send>, header: &TrajectoryHeader) -> Result<Self, TrajectoryWriteError> {
        let schema = Arc::new(parse_message_type(SCHEMA).map_err(fault)?);
        let rate = header.frame_rate.map(|rate| KeyValue::new(RATE_KEY.to_owned(), rate.to_string()));
        let areas = || serde_json::Value::from(header.walkable.clone()).to_string();
        let areas = (!header.walkable.is_empty()).then(|| KeyValue::new(WALKABLE_KEY.to_owned(), areas()));
        let facts: Vec<KeyValue> = rate.into_iter().chain(areas).collect();
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_key_value_metadata((!facts.is_empty()).then_some(facts))
            .build();
        Ok(Self {
            writer: SerializedFileWriter::new(out, schema, Arc::new(properties)).map_err(fault)?,
            names: header.groups.iter().map(|name| ByteArray::from(name.as_str())).collect(),
            steps: Vec::new(),
            times: Vec::new(),
            agents: Vec::new(),
            groups: Vec::new(),
            positions: Default::default(),
            levels: Vec::new(),
            velocities: Default::default(),
        })
    }

    /// Writes a step.
    pub(super) fn push(&mut self, step: &TrajectoryStep) -> Result<(), TrajectoryWriteError> {
        for row in &step.rows {
            self.steps.push(step.step as i64);
            self.times.push(step.time);
            self.agents.push(row.agent as i64);
            self.groups.push(self.names[row.group as usize].clone());
            self.positions.iter_mut().zip(row.position.to_array()).for_each(|(column, value)| column.push(value));
            self.levels.push(i16::from(row.velocity.is_some()));
            if let Some(velocity) = row.velocity {
                self.velocities.iter_mut().zip(velocity.to_array()).for_each(|(column, value)| column.push(value));
            }
            if self.steps.len() == GROUP_ROWS {
                self.flush().map_err(fault)?;
            }
        }
        Ok(())
    }

    /// Writes the rows at hand as a row group.
    fn flush(&mut self) -> Result<(), ParquetError> {
        let mut group = self.writer.next_row_group()?;
        column::<Int64Type>(&mut group, &self.steps, None)?;
        column::<DoubleType>(&mut group, &self.times, None)?;
        column::<Int64Type>(&mut group, &self.agents, None)?;
        column::<ByteArrayType>(&mut group, &self.groups, None)?;
        for values in &self.positions {
            column::<DoubleType>(&mut group, values, None)?;
        }
        for values in &self.velocities {
            column::<DoubleType>(&mut group, values, Some(&self.levels))?;
        }
        group.close()?;
        self.steps.clear();
        self.times.clear();
        self.agents.clear();
        self.groups.clear();
        self.levels.clear();
        self.positions.iter_mut().chain(&mut self.velocities).for_each(Vec::clear);
        Ok(())
    }

    /// Writes the rest and the directory of the file.
    pub(super) fn finish(mut self) -> Result<(), TrajectoryWriteError> {
        if !self.steps.is_empty() {
            self.flush().map_err(fault)?;
        }
        let mut out = self.writer.into_inner().map_err(fault)?;
        Ok(out.flush()?)
    }
}

/// Writes a column of a row group.
fn column<T: parquet::data_type::DataType>(
    group: &mut SerializedRowGroupWriter<'_, Box<dyn Write + Send>>,
    values: &[T::T],
    levels: Option<&[i16]>,
) -> Result<(), ParquetError> {
    let missing = || ParquetError::General("a column of the schema is missing".to_owned());
    let mut column = group.next_column()?.ok_or_else(missing)?;
    column.typed::<T>().write_batch(values, levels, None)?;
    column.close()
}

fn fault(cause: ParquetError) -> TrajectoryWriteError {
    TrajectoryWriteError::Library { format: TrajectoryFormat::Parquet, reason: cause.to_string() }
}
