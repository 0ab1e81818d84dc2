//! Reader of trajectories as CSV.
//!
//! In: a text with a header line; columns in any order, found by name. Out: steps.
//! Method: RFC 4180: fields in quotes may hold commas, line breaks and doubled quotes. A line ends with LF, CR LF, or
//! CR. The columns `step`, `time`, `agent`, `x` and `y` are needed. `group` is empty, `z` is 0 and the velocity is
//! unknown where their columns are missing. Further columns are ignored.
//! Guarantees: each fault names its line; a record has the number of fields of the header. A last record of one line,
//! without a line end, that is incomplete is left out and noted: a program was stopped while it wrote it.
//! Not guaranteed: a file that is cut inside its last number is not noticed. Cost: O(bytes).

use super::collect::{GroupNames, RawRow, collect, finite, natural};
use super::{TrajectoryFile, TrajectoryHeader, TrajectoryReadError, TrajectoryRow};
use crate::read::text::{self, BYTE_ORDER_MARK};
use crate::{Place, ReadError};
use heurt_geometry::Vec3;

/// The columns, in the order in which they are written.
pub(super) const COLUMNS: [&str; 10] = ["step", "time", "agent", "group", "x", "y", "z", "vx", "vy", "vz"];
/// The columns without which a file is no trajectories, as indices of [`COLUMNS`].
pub(super) const NEEDED: [usize; 5] = [0, 1, 2, 4, 5];

/// Reads a file.
pub(super) fn read(bytes: &[u8]) -> Result<TrajectoryFile, TrajectoryReadError> {
    let mut records = Records::new(bytes)?;
    let mut fields = Vec::new();
    if !records.next_into(&mut fields)? {
        return Err(TrajectoryReadError::NoRows { place: Place::Line(records.line) });
    }
    let columns = columns(&fields, records.begin)?;
    let width = fields.len();
    let (mut rows, mut groups) = (Vec::new(), GroupNames::default());
    let (is_cut, mut cut) = (!bytes.ends_with(b"\n") && !bytes.ends_with(b"\r"), None);
    loop {
        match next_row(&mut records, &mut fields, width, &columns, &mut groups) {
            Ok(Some(row)) => rows.push(row),
            Ok(None) => break,
            Err(_) if is_cut && !rows.is_empty() && records.is_incomplete(&fields, width, &columns) => {
                cut = Some(Place::Line(records.begin));
                break;
            }
            Err(error) => return Err(error.into()),
        }
    }
    if rows.is_empty() {
        return Err(TrajectoryReadError::NoRows { place: Place::Line(records.line) });
    }
    let header = TrajectoryHeader { groups: groups.finish(), ..TrajectoryHeader::default() };
    let file = collect(rows, header, Place::Line)?;
    Ok(TrajectoryFile { cut, ..file })
}

/// Reads the next row; `None` at the end.
fn next_row(
    records: &mut Records<'_>,
    fields: &mut Vec<Vec<u8>>,
    width: usize,
    columns: &[Option<usize>; 10],
    groups: &mut GroupNames,
) -> Result<Option<RawRow>, ReadError> {
    if !records.next_into(fields)? {
        return Ok(None);
    }
    if fields.len() != width {
        let (found, expected) = (format!("{} fields", fields.len()), format!("{width} fields, as in the header"));
        return Err(ReadError::Syntax { place: Place::Line(records.begin), found, expected });
    }
    row(fields, columns, records.begin, groups).map(Some)
}

/// Finds the place of each column in the header.
fn columns(header: &[Vec<u8>], line: u64) -> Result<[Option<usize>; 10], TrajectoryReadError> {
    let mut columns = [None; 10];
    for (place, name) in header.iter().enumerate() {
        let name = name.trim_ascii();
        let Some(column) = COLUMNS.iter().position(|column| column.as_bytes().eq_ignore_ascii_case(name)) else {
            continue;
        };
        if columns[column].replace(place).is_some() {
            return Err(ReadError::syntax(Place::Line(line), name, "each column once").into());
        }
    }
    match NEEDED.into_iter().find(|&column| columns[column].is_none()) {
        Some(column) => Err(TrajectoryReadError::MissingColumn { place: Place::Line(line), column: COLUMNS[column] }),
        None => Ok(columns),
    }
}

/// Reads the fields of a record.
fn row(
    fields: &[Vec<u8>],
    columns: &[Option<usize>; 10],
    line: u64,
    groups: &mut GroupNames,
) -> Result<RawRow, ReadError> {
    let place = || Place::Line(line);
    let field = |column: usize| columns[column].map(|place| fields[place].as_slice());
    let word = |column: usize| field(column).unwrap_or_default().trim_ascii();
    let number = |column: usize| finite(word(column), COLUMNS[column], place);
    let z = if columns[6].is_some() { number(6)? } else { 0.0 };
    let has_velocity = (7..10).any(|column| !word(column).is_empty());
    let velocity = if has_velocity { Some(Vec3::new(number(7)?, number(8)?, number(9)?)) } else { None };
    let name = field(3).unwrap_or_default();
    let Ok(name) = std::str::from_utf8(name) else {
        return Err(ReadError::syntax(place(), name, "the name of a group in UTF-8"));
    };
    let row = TrajectoryRow {
        agent: natural(word(2), "agent", place)?,
        group: groups.number(name),
        position: Vec3::new(number(4)?, number(5)?, z),
        velocity,
    };
    Ok(RawRow { step: natural(word(0), "step", place)?, time: number(1)?, row, at: line })
}

/// The records of a text.
struct Records<'a> {
    rest: &'a [u8],
    /// The current line, from 1.
    line: u64,
    /// The line in which the last record begins.
    begin: u64,
    /// The text ends within a quoted field.
    is_open: bool,
}

impl<'a> Records<'a> {
    fn new(bytes: &'a [u8]) -> Result<Self, ReadError> {
        if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
            let what = "UTF-16 text".to_owned();
            return Err(ReadError::Unsupported { place: Place::Line(1), what, remedy: "save the file as UTF-8" });
        }
        Ok(Self { rest: bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes), line: 1, begin: 1, is_open: false })
    }

    /// Reads the next record that is not blank; `false` at the end.
    fn next_into(&mut self, fields: &mut Vec<Vec<u8>>) -> Result<bool, ReadError> {
        while !self.rest.is_empty() {
            self.begin = self.line;
            let mut count = 0;
            loop {
                if fields.len() == count {
                    fields.push(Vec::new());
                }
                fields[count].clear();
                let goes_on = self.field(&mut fields[count])?;
                count += 1;
                if !goes_on {
                    break;
                }
            }
            fields.truncate(count);
            if count > 1 || !fields[0].trim_ascii().is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Reports whether the last record, at the end of the text, lacks fields or ends in a part of a field. A record of
    /// several lines is not forgiven: a stray quote may have taken whole records with it.
    fn is_incomplete(&self, fields: &[Vec<u8>], width: usize, columns: &[Option<usize>; 10]) -> bool {
        let is_cut = |field: &Vec<u8>| match columns.iter().position(|&column| column == Some(width - 1)) {
            // Inside a character.
            Some(3) => std::str::from_utf8(field).is_err_and(|error| error.error_len().is_none()),
            Some(_) => text::number(field.trim_ascii()).is_none(),
            None => false,
        };
        let ends_early = self.rest.is_empty() && (fields.len() < width || fields.last().is_some_and(is_cut));
        self.begin == self.line && (self.is_open || ends_early)
    }

    /// Reads a field and the comma or line end after it; `true` after a comma.
    fn field(&mut self, field: &mut Vec<u8>) -> Result<bool, ReadError> {
        if let Some(rest) = self.rest.strip_prefix(b"\"") {
            self.rest = rest;
            self.quoted_field(field)?;
        } else {
            let end = self.rest.iter().position(|byte| b",\r\n".contains(byte)).unwrap_or(self.rest.len());
            field.extend_from_slice(&self.rest[..end]);
            self.rest = &self.rest[end..];
        }
        match self.rest.first() {
            None => Ok(false),
            Some(b',') => {
                self.rest = &self.rest[1..];
                Ok(true)
            }
            Some(b'\r' | b'\n') => {
                self.pass_line_end();
                Ok(false)
            }
            Some(_) => {
                let found = &self.rest[..self.rest.len().min(40)];
                Err(ReadError::syntax(Place::Line(self.line), found, "a comma or line end after a closing quote"))
            }
        }
    }

    /// Reads a field up to its closing quote.
    fn quoted_field(&mut self, field: &mut Vec<u8>) -> Result<(), ReadError> {
        let begin = self.line;
        loop {
            let Some(end) = self.rest.iter().position(|byte| b"\"\r\n".contains(byte)) else {
                self.is_open = true;
                field.extend_from_slice(self.rest);
                let line = field.split(|byte| b"\r\n".contains(byte)).next().unwrap_or_default();
                return Err(ReadError::syntax(Place::Line(begin), line, "a closing quote of the field"));
            };
            field.extend_from_slice(&self.rest[..end]);
            self.rest = &self.rest[end..];
            if self.rest[0] != b'"' {
                let before = self.rest;
                self.pass_line_end();
                field.extend_from_slice(&before[..before.len() - self.rest.len()]);
            } else if self.rest.starts_with(b"\"\"") {
                field.push(b'"');
                self.rest = &self.rest[2..];
            } else {
                self.rest = &self.rest[1..];
                return Ok(());
            }
        }
    }

    /// Passes a line end, which is there.
    fn pass_line_end(&mut self) {
        self.line += 1;
        self.rest = self.rest.strip_prefix(b"\r\n").unwrap_or(&self.rest[1..]);
    }
}
