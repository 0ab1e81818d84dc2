//! Reader of trajectories as Parquet.
//!
//! In: the columns of the CSV, found by name, as integers, numbers and text; uncompressed or compressed by Snappy.
//! `step`, `time`, `agent`, `x` and `y` are needed. Out: steps.
//! Method: each row group is read column by column.
//! Guarantees: each fault names its row or column; the rows of a file are at most [`MAX_RATIO`] for each byte.
//! No panic leaves this module if panics unwind: parquet 60.1 panics on some damaged files.
//! Pages that announce more bytes than their compressed bytes can hold are faults (`parquet_pages`).
//! Cost: O(rows log rows).

use super::collect::{GroupNames, RawRow, ReadOutcome, collect, frame_rate};
use super::csv::{COLUMNS, NEEDED};
use super::data::MAX_NUMBER;
use super::parquet_pages::check_pages;
use super::parquet_write::{RATE_KEY, WALKABLE_KEY};
use super::{
    TrajectoryFile, TrajectoryFormat, TrajectoryHeader, TrajectoryOptions, TrajectoryReadError, TrajectoryRow,
};
use crate::{Place, ReadError};
use bytes::Bytes;
use heurt_geometry::Vec3;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};

/// Rows for each byte of a file: rows of agents at rest pack to less than a byte.
const MAX_RATIO: u64 = 16;
/// Rows that any file may have.
const FLOOR: u64 = 1 << 16;
/// Values that are read at once.
const BATCH: usize = 1 << 13;
const MAGIC: &[u8] = b"PAR1";

/// The values of a column; `None` where a value is null.
enum Column {
    Integers(Vec<Option<i64>>),
    Numbers(Vec<Option<f64>>),
    Texts(Vec<Option<ByteArray>>),
}

/// Reads a file. A panic of the library, which asserts on damaged files, becomes an error.
pub(super) fn read(bytes: &[u8], options: &TrajectoryOptions) -> ReadOutcome<TrajectoryFile> {
    let read = std::panic::catch_unwind(|| read_unguarded(bytes, options));
    read.unwrap_or_else(|_| Err(unsound("the file", "an assertion of the library failed")))
}

fn read_unguarded(bytes: &[u8], options: &TrajectoryOptions) -> ReadOutcome<TrajectoryFile> {
    if !bytes.starts_with(MAGIC) {
        let found = &bytes[..bytes.len().min(MAGIC.len())];
        return Err(ReadError::syntax(Place::Offset(0), found, "the start `PAR1` of a Parquet file").into());
    }
    let limit = FLOOR + MAX_RATIO * bytes.len() as u64;
    let reader =
        SerializedFileReader::new(Bytes::copy_from_slice(bytes)).map_err(|cause| damaged("the file", &cause))?;
    let columns = columns(&reader)?;
    let (mut rows, mut names) = (Vec::new(), GroupNames::default());
    for group in 0..reader.num_row_groups() {
        let group = reader.get_row_group(group).map_err(|cause| damaged("row group", &cause))?;
        check_group(bytes, group.as_ref(), &columns)?;
        add_rows(group.as_ref(), &columns, limit, &mut rows, &mut names)?;
    }
    if rows.is_empty() {
        return Err(TrajectoryReadError::NoRows { place: Place::Item("the last row group".to_owned()) });
    }
    let header = header(&reader, names, options)?;
    collect(rows, header, row_place)
}

/// Checks the pages of the columns of a row group.
fn check_group(bytes: &[u8], group: &dyn RowGroupReader, columns: &[Option<usize>; 10]) -> ReadOutcome<()> {
    for (name, index) in COLUMNS.iter().zip(columns) {
        let Some(index) = *index else { continue };
        let chunk = group.metadata().column(index);
        let begin = chunk.dictionary_page_offset().unwrap_or(chunk.data_page_offset());
        // The library asserts that these are not negative.
        let [Ok(begin), Ok(size)] = [begin, chunk.compressed_size()].map(usize::try_from) else {
            return Err(unsound(name, "a negative place or size"));
        };
        let pages = bytes.get(begin..begin.saturating_add(size)).unwrap_or_default();
        check_pages(pages).map_err(|reason| unsound(name, &reason))?;
    }
    Ok(())
}

/// Finds the columns by name.
fn columns(reader: &SerializedFileReader<Bytes>) -> ReadOutcome<[Option<usize>; 10]> {
    let schema = reader.metadata().file_metadata().schema_descr();
    let mut found = [None; 10];
    for (index, column) in schema.columns().iter().enumerate() {
        let known = COLUMNS.iter().position(|name| name.eq_ignore_ascii_case(column.name()));
        if let Some(known) = known.filter(|_| column.max_rep_level() == 0 && column.max_def_level() <= 1) {
            found[known] = Some(index);
        }
    }
    match NEEDED.into_iter().find(|&column| found[column].is_none()) {
        Some(column) => {
            let place = Place::Item("the schema".to_owned());
            Err(TrajectoryReadError::MissingColumn { place, column: COLUMNS[column] })
        }
        None => Ok(found),
    }
}

/// Reads the facts of the metadata.
fn header(
    reader: &SerializedFileReader<Bytes>,
    names: GroupNames,
    options: &TrajectoryOptions,
) -> ReadOutcome<TrajectoryHeader> {
    let facts = reader.metadata().file_metadata().key_value_metadata();
    let fact = |key: &str| facts?.iter().find(|fact| fact.key == key)?.value.as_deref();
    let place = |key: &str| Place::Item(format!("metadata, {key}"));
    let wrong = |key: &str, found: &str, expected: &str| ReadError::syntax(place(key), found.as_bytes(), expected);
    let rate = match fact(RATE_KEY) {
        Some(text) => Some((text.parse().map_err(|_| wrong(RATE_KEY, text, "a number"))?, place(RATE_KEY))),
        None => None,
    };
    let walkable = match fact(WALKABLE_KEY) {
        Some(text) => serde_json::from_str(text).map_err(|_| wrong(WALKABLE_KEY, text, "a JSON array of texts"))?,
        None => Vec::new(),
    };
    let is_known = rate.is_some() || options.frame_rate.is_some();
    let frame_rate = if is_known { Some(frame_rate(rate, options.frame_rate)?) } else { None };
    Ok(TrajectoryHeader { groups: names.finish(), frame_rate, walkable })
}

/// Reads the rows of a row group.
fn add_rows(
    group: &dyn RowGroupReader,
    columns: &[Option<usize>; 10],
    limit: u64,
    rows: &mut Vec<RawRow>,
    names: &mut GroupNames,
) -> ReadOutcome<()> {
    let mut values: [Option<Column>; 10] = Default::default();
    for (known, index) in columns.iter().enumerate() {
        let Some(index) = *index else { continue };
        let left = limit - rows.len() as u64;
        values[known] = Some(read_column(group, index, COLUMNS[known], left)?);
    }
    let count = values.iter().flatten().map(Column::len).max().unwrap_or(0);
    for row in 0..count {
        let at = rows.len() as u64 + 1;
        let fields = ParquetFields { values: &values, row, at };
        let position = Vec3::new(fields.number(4)?, fields.number(5)?, fields.known(6)?.unwrap_or(0.0));
        let velocity = fields.known(7)?.zip(fields.known(8)?);
        let vz = fields.known(9)?;
        let row = TrajectoryRow {
            agent: fields.natural(2)?,
            group: names.number(fields.text(3)?),
            position,
            velocity: velocity.map(|(x, y)| Vec3::new(x, y, vz.unwrap_or(0.0))),
        };
        rows.push(RawRow { step: fields.natural(0)?, time: fields.number(1)?, row, at });
    }
    Ok(())
}

/// Reads a column of a row group.
fn read_column(group: &dyn RowGroupReader, index: usize, name: &str, limit: u64) -> ReadOutcome<Column> {
    let reader = group.get_column_reader(index).map_err(|cause| damaged(name, &cause))?;
    let nullable = group.metadata().column(index).column_descr().max_def_level() > 0;
    let pull = Pull { name, nullable, limit };
    Ok(match reader {
        ColumnReader::Int32ColumnReader(reader) => Column::Integers(pull.values(reader, i64::from)?),
        ColumnReader::Int64ColumnReader(reader) => Column::Integers(pull.values(reader, |value| value)?),
        ColumnReader::FloatColumnReader(reader) => Column::Numbers(pull.values(reader, f64::from)?),
        ColumnReader::DoubleColumnReader(reader) => Column::Numbers(pull.values(reader, |value| value)?),
        ColumnReader::ByteArrayColumnReader(reader) => Column::Texts(pull.values(reader, |value| value)?),
        _ => {
            let (found, expected) = ("a column of another type".to_owned(), "integers, numbers or text".to_owned());
            return Err(ReadError::Syntax { place: Place::Item(name.to_owned()), found, expected }.into());
        }
    })
}

/// How a column is read.
struct Pull<'a> {
    name: &'a str,
    nullable: bool,
    limit: u64,
}

impl Pull<'_> {
    /// Reads all values of a column, in batches.
    fn values<T: DataType, V>(
        &self,
        mut reader: ColumnReaderImpl<T>,
        convert: impl Fn(T::T) -> V,
    ) -> ReadOutcome<Vec<Option<V>>> {
        let mut all = Vec::new();
        let (mut levels, mut values) = (Vec::new(), Vec::new());
        loop {
            levels.clear();
            values.clear();
            let read = reader.read_records(BATCH, self.nullable.then_some(&mut levels), None, &mut values);
            let (records, _, _) = read.map_err(|cause| damaged(self.name, &cause))?;
            if records == 0 {
                return Ok(all);
            }
            let mut present = values.drain(..).map(&convert);
            match self.nullable {
                true => all.extend(levels.iter().map(|&level| if level > 0 { present.next() } else { None })),
                false => all.extend(present.map(Some)),
            }
            if all.len() as u64 > self.limit {
                let place = Place::Item(self.name.to_owned());
                return Err(TrajectoryReadError::TooManyRows { place, limit: self.limit });
            }
        }
    }
}

impl Column {
    fn len(&self) -> usize {
        match self {
            Self::Integers(values) => values.len(),
            Self::Numbers(values) => values.len(),
            Self::Texts(values) => values.len(),
        }
    }
}

/// The fields of a row.
struct ParquetFields<'a> {
    values: &'a [Option<Column>; 10],
    /// The row within its group.
    row: usize,
    /// The row of the file, from 1.
    at: u64,
}

impl<'a> ParquetFields<'a> {
    /// Reads the number of a step or agent.
    fn natural(&self, column: usize) -> ReadOutcome<u64> {
        let number = match &self.values[column] {
            Some(Column::Integers(values)) => values.get(self.row).copied().flatten(),
            _ => None,
        };
        match number {
            Some(number) if number >= 0 => Ok(number as u64),
            other => Err(self.wrong(column, other, &format!("an integer from 0 to {MAX_NUMBER}"))),
        }
    }

    /// Reads a finite number; `None` for null or a missing column.
    fn known(&self, column: usize) -> ReadOutcome<Option<f64>> {
        let number = match &self.values[column] {
            None => return Ok(None),
            Some(Column::Integers(values)) => values.get(self.row).copied().flatten().map(|number| number as f64),
            Some(Column::Numbers(values)) => values.get(self.row).copied().flatten(),
            Some(Column::Texts(_)) => return Err(self.wrong(column, Some("text"), "a finite number")),
        };
        match number {
            Some(number) if !number.is_finite() => Err(self.wrong(column, Some(number), "a finite number")),
            number => Ok(number),
        }
    }

    /// Reads a finite number.
    fn number(&self, column: usize) -> ReadOutcome<f64> {
        self.known(column)?.ok_or_else(|| self.wrong(column, None::<f64>, "a finite number"))
    }

    /// Reads a text; empty for null or a missing column.
    fn text(&self, column: usize) -> ReadOutcome<&'a str> {
        match &self.values[column] {
            None => Ok(""),
            Some(Column::Texts(values)) => match values.get(self.row).and_then(Option::as_ref) {
                None => Ok(""),
                Some(text) => text.as_utf8().map_err(|_| self.wrong(column, Some("bytes"), "text in UTF-8")),
            },
            Some(_) => Err(self.wrong(column, Some("a number"), "text")),
        }
    }

    fn wrong(&self, column: usize, found: Option<impl ToString>, expected: &str) -> TrajectoryReadError {
        let place = Place::Item(format!("row {}, column `{}`", self.at, COLUMNS[column]));
        let found = found.map_or_else(|| "nothing".to_owned(), |found| found.to_string());
        ReadError::Syntax { place, found, expected: expected.to_owned() }.into()
    }
}

/// Returns the place of a row.
fn row_place(number: u64) -> Place {
    Place::Item(format!("row {number}"))
}

fn damaged(place: &str, cause: &ParquetError) -> TrajectoryReadError {
    unsound(place, &cause.to_string())
}

fn unsound(place: &str, reason: &str) -> TrajectoryReadError {
    let (place, reason) = (Place::Item(place.to_owned()), reason.to_owned());
    TrajectoryReadError::Damaged { place, format: TrajectoryFormat::Parquet, reason }
}
