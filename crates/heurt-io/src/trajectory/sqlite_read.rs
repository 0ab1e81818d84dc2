//! Reader of trajectories as an SQLite database of JuPedSim, versions 1 to 3.
//!
//! In: the tables `trajectory_data`, `metadata` and `geometry` of JuPedSim, and the further tables and columns of
//! heurt, if they are there. Out: steps; without the tables of heurt, the step is the frame, and the time is the frame
//! by the frame rate.
//! Method: one pass over the rows. Version 3 has no orientations, and those of earlier versions are not read.
//! Guarantees: the file is not changed, unlike by `jupedsim.Recording`, which raises its version. Only plain tables are
//! read: views, virtual tables and computed columns could run without end. Rows are bounded by the size of the file.
//! Not kept: the geometry of each frame; all geometries are listed. Cost: O(rows log rows).

use super::collect::{GroupNames, RawRow, ReadOutcome, collect, frame_rate};
use super::{
    TrajectoryFile, TrajectoryFormat, TrajectoryHeader, TrajectoryOptions, TrajectoryReadError, TrajectoryRow,
    TrajectoryStep,
};
use crate::{Place, ReadError};
use heurt_geometry::Vec3;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, MAIN_DB, OpenFlags, Row};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

/// The first bytes of a database.
const MAGIC: &[u8] = b"SQLite format 3\0";
/// Bytes of the smallest row: four numbers, their header and their place.
const ROW_BYTES: u64 = 8;
const DATA: &str = "trajectory_data";

/// Reads a database from bytes.
pub(super) fn read(bytes: &[u8], options: &TrajectoryOptions) -> ReadOutcome<TrajectoryFile> {
    if !bytes.starts_with(MAGIC) {
        let found = &bytes[..bytes.len().min(MAGIC.len())];
        return Err(ReadError::syntax(Place::Offset(0), found, "the start `SQLite format 3` of a database").into());
    }
    let mut bytes = bytes.to_vec();
    // A database with a write-ahead log opens only with its log; in memory there is none.
    if let Some([written, read]) = bytes.get_mut(18..20) {
        (*written, *read) = (1, 1);
    }
    let mut database = Connection::open_in_memory().map_err(|cause| damaged("the file", &cause))?;
    let size = bytes.len();
    let opened = database.deserialize_read_exact(MAIN_DB, bytes.as_slice(), size, true);
    opened.map_err(|cause| damaged("the file", &cause))?;
    read_from(&database, size as u64, options)
}

/// Reads a database from the disk.
pub(super) fn read_path(path: &Path, options: &TrajectoryOptions) -> ReadOutcome<TrajectoryFile> {
    let file = |cause| TrajectoryReadError::File { path: path.display().to_string(), cause };
    let size = std::fs::metadata(path).map_err(file)?.len();
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let database = Connection::open_with_flags(path, flags).map_err(|cause| damaged("the file", &cause))?;
    read_from(&database, size, options)
}

fn read_from(database: &Connection, size: u64, options: &TrajectoryOptions) -> ReadOutcome<TrajectoryFile> {
    let prepare = database.execute_batch("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON");
    prepare.map_err(|cause| damaged("the file", &cause))?;
    let source = Source { database, limit: size / ROW_BYTES };
    let columns = source.columns(DATA)?.ok_or(TrajectoryReadError::MissingTable { table: DATA })?;
    for column in ["frame", "id", "pos_x", "pos_y"] {
        if !columns.contains(column) {
            return Err(TrajectoryReadError::MissingColumn { place: Place::Item(DATA.to_owned()), column });
        }
    }
    let rate = source.rate(options)?;
    let frames = source.frames()?;
    let (groups, radii) = source.agents()?;
    let mut names = GroupNames::default();
    let rows = source.rows(&columns, rate, frames.as_ref(), &groups, &mut names)?;
    if rows.is_empty() {
        return Err(TrajectoryReadError::NoRows { place: Place::Item(DATA.to_owned()) });
    }
    let walkable = source.walkable()?;
    let header = TrajectoryHeader { groups: names.finish(), frame_rate: Some(rate), walkable };
    let mut file = collect(rows, header, row_place)?;
    if let Some(frames) = frames {
        add_empty_steps(&mut file.steps, &frames)?;
    }
    file.radii = radii;
    Ok(file)
}

/// Adds steps without agents.
fn add_empty_steps(steps: &mut Vec<TrajectoryStep>, frames: &HashMap<u64, (u64, f64)>) -> ReadOutcome<()> {
    let known: BTreeSet<u64> = steps.iter().map(|step| step.step).collect();
    let empty = frames.values().filter(|(step, _)| !known.contains(step));
    steps.extend(empty.map(|&(step, time)| TrajectoryStep { step, time, rows: Vec::new() }));
    steps.sort_by_key(|step| step.step);
    match steps.windows(2).find(|pair| pair[0].step == pair[1].step || pair[0].time >= pair[1].time) {
        Some(pair) => {
            let (place, TrajectoryStep { step, time, .. }) = (Place::Item("heurt_frames".to_owned()), &pair[1]);
            Err(TrajectoryReadError::NotLater { place, step: *step, time: *time, last: pair[0].time })
        }
        None => Ok(()),
    }
}

/// A database, and the rows that its size can hold.
struct Source<'a> {
    database: &'a Connection,
    limit: u64,
}

impl Source<'_> {
    /// Returns the columns of a table; `None` if there is no such table.
    fn columns(&self, table: &'static str) -> ReadOutcome<Option<BTreeSet<String>>> {
        let mut is_plain = None;
        let query = format!("SELECT type, sql FROM sqlite_schema WHERE lower(name) = '{table}'");
        self.each(table, &query, |row, _| {
            let text = |column: usize| row.get_ref(column).ok().and_then(|value| value.as_str().ok());
            let sql = text(1).unwrap_or_default().to_ascii_lowercase();
            is_plain = Some(text(0) == Some("table") && !sql.starts_with("create virtual"));
            Ok(())
        })?;
        match is_plain {
            None => return Ok(None),
            Some(true) => {}
            Some(false) => return Err(unfit(table, "a view or virtual table", "a plain table")),
        }
        let (mut columns, mut is_computed) = (BTreeSet::new(), false);
        self.each(table, &format!("PRAGMA table_xinfo({table})"), |row, _| {
            columns.insert(row.get::<_, String>(1).unwrap_or_default().to_ascii_lowercase());
            is_computed |= row.get::<_, i64>(6).is_ok_and(|hidden| hidden != 0);
            Ok(())
        })?;
        if is_computed { Err(unfit(table, "a computed column", "stored columns")) } else { Ok(Some(columns)) }
    }

    /// Calls `take` with each row of a query, and its number from 1.
    fn each(
        &self,
        table: &str,
        query: &str,
        mut take: impl FnMut(&Row<'_>, u64) -> ReadOutcome<()>,
    ) -> ReadOutcome<()> {
        let mut statement = self.database.prepare(query).map_err(|cause| damaged(table, &cause))?;
        let mut rows = statement.query([]).map_err(|cause| damaged(table, &cause))?;
        let mut number = 0;
        while let Some(row) = rows.next().map_err(|cause| damaged(table, &cause))? {
            number += 1;
            if number > self.limit {
                let place = Place::Item(table.to_owned());
                return Err(TrajectoryReadError::TooManyRows { place, limit: self.limit });
            }
            take(row, number)?;
        }
        Ok(())
    }

    /// Reads the frame rate, and checks the version.
    fn rate(&self, options: &TrajectoryOptions) -> ReadOutcome<f64> {
        let (mut rate, mut version) = (None, None);
        if self.columns("metadata")?.is_some() {
            self.each("metadata", "SELECT key, CAST(value AS TEXT) FROM metadata", |row, _| {
                let value = row.get_ref(1).ok().and_then(|value| value.as_str().ok()).unwrap_or_default();
                let place = |key: &str| Place::Item(format!("metadata, {key}"));
                match row.get_ref(0).ok().and_then(|key| key.as_str().ok()) {
                    Some("fps") => match value.trim().parse::<f64>() {
                        Ok(number) => rate = Some((number, place("fps"))),
                        Err(_) => return Err(ReadError::syntax(place("fps"), value.as_bytes(), "a number").into()),
                    },
                    Some("version") => version = Some(value.trim().to_owned()),
                    _ => {}
                }
                Ok(())
            })?;
        }
        match version.as_deref() {
            None | Some("1" | "2" | "3") => frame_rate(rate, options.frame_rate),
            Some(other) => {
                let place = Place::Item("metadata, version".to_owned());
                Err(ReadError::syntax(place, other.as_bytes(), "version 1, 2 or 3 of JuPedSim").into())
            }
        }
    }

    /// Reads the step and time of each frame; `None` if the file is not from heurt.
    fn frames(&self) -> ReadOutcome<Option<HashMap<u64, (u64, f64)>>> {
        const TABLE: &str = "heurt_frames";
        if self.columns(TABLE)?.is_none() {
            return Ok(None);
        }
        let mut frames = HashMap::new();
        self.each(TABLE, "SELECT frame, step, time FROM heurt_frames", |row, number| {
            let field = DatabaseFields { table: TABLE, row, number };
            frames.insert(field.natural(0, "frame")?, (field.natural(1, "step")?, field.number(2, "time")?));
            Ok(())
        })?;
        Ok(Some(frames))
    }

    /// Reads the group and radius of each agent, as far as they are known.
    fn agents(&self) -> ReadOutcome<(HashMap<u64, String>, BTreeMap<u64, f64>)> {
        const TABLE: &str = "heurt_agents";
        let (mut groups, mut radii) = (HashMap::new(), BTreeMap::new());
        if self.columns(TABLE)?.is_some() {
            self.each(TABLE, "SELECT id, grp, radius FROM heurt_agents", |row, number| {
                let field = DatabaseFields { table: TABLE, row, number };
                let agent = field.natural(0, "id")?;
                if let Some(name) = row.get_ref(1).ok().and_then(|name| name.as_str().ok()) {
                    groups.insert(agent, name.to_owned());
                }
                if let Some(radius) = field.known(2, "radius")? {
                    radii.insert(agent, radius);
                }
                Ok(())
            })?;
        }
        Ok((groups, radii))
    }

    /// Reads the rows of all agents.
    fn rows(
        &self,
        columns: &BTreeSet<String>,
        rate: f64,
        frames: Option<&HashMap<u64, (u64, f64)>>,
        groups: &HashMap<u64, String>,
        names: &mut GroupNames,
    ) -> ReadOutcome<Vec<RawRow>> {
        let column = |name: &'static str| if columns.contains(name) { name } else { "NULL" };
        let further = ["pos_z", "vel_x", "vel_y", "vel_z"].map(column).join(", ");
        let query = format!("SELECT frame, id, pos_x, pos_y, {further} FROM trajectory_data");
        let mut rows = Vec::new();
        self.each(DATA, &query, |row, number| {
            let field = DatabaseFields { table: DATA, row, number };
            let (frame, agent) = (field.natural(0, "frame")?, field.natural(1, "id")?);
            let [z, vx, vy, vz] = [
                field.known(4, "pos_z")?,
                field.known(5, "vel_x")?,
                field.known(6, "vel_y")?,
                field.known(7, "vel_z")?,
            ];
            let (step, time) = match frames {
                None => (frame, frame as f64 / rate),
                Some(frames) => *frames.get(&frame).ok_or_else(|| {
                    unfit("heurt_frames", &format!("no frame {frame}"), "each frame of `trajectory_data`")
                })?,
            };
            let position = Vec3::new(field.number(2, "pos_x")?, field.number(3, "pos_y")?, z.unwrap_or(0.0));
            let velocity = vx.zip(vy).map(|(x, y)| Vec3::new(x, y, vz.unwrap_or(0.0)));
            let group = names.number(groups.get(&agent).map_or("", String::as_str));
            rows.push(RawRow { step, time, row: TrajectoryRow { agent, group, position, velocity }, at: number });
            Ok(())
        })?;
        Ok(rows)
    }

    /// Reads all areas to walk in.
    fn walkable(&self) -> ReadOutcome<Vec<String>> {
        let mut texts = Vec::new();
        if self.columns("geometry")?.is_some_and(|columns| columns.contains("wkt")) {
            self.each("geometry", "SELECT wkt FROM geometry", |row, _| {
                match row.get_ref(0).ok().and_then(|text| text.as_str().ok()) {
                    Some(text) => texts.push(text.to_owned()),
                    None => return Err(unfit("geometry", "a value that is no text", "well-known text")),
                }
                Ok(())
            })?;
        }
        Ok(texts)
    }
}

/// The fields of a row.
struct DatabaseFields<'a, 'b> {
    table: &'static str,
    row: &'a Row<'b>,
    number: u64,
}

impl DatabaseFields<'_, '_> {
    fn place(&self) -> Place {
        Place::Item(format!("{}, row {}", self.table, self.number))
    }

    fn value(&self, column: usize) -> ValueRef<'_> {
        self.row.get_ref(column).unwrap_or(ValueRef::Null)
    }

    /// Reads the number of a frame, step or agent.
    fn natural(&self, column: usize, name: &str) -> ReadOutcome<u64> {
        match self.value(column) {
            ValueRef::Integer(number) if number >= 0 => Ok(number as u64),
            other => Err(self.wrong(other, format!("an integer from 0 on as `{name}`"))),
        }
    }

    /// Reads a finite number.
    fn number(&self, column: usize, name: &str) -> ReadOutcome<f64> {
        match self.value(column) {
            ValueRef::Real(number) if number.is_finite() => Ok(number),
            ValueRef::Integer(number) => Ok(number as f64),
            other => Err(self.wrong(other, format!("a finite number as `{name}`"))),
        }
    }

    /// Reads a finite number; `None` for NULL.
    fn known(&self, column: usize, name: &str) -> ReadOutcome<Option<f64>> {
        match self.value(column) {
            ValueRef::Null => Ok(None),
            _ => self.number(column, name).map(Some),
        }
    }

    fn wrong(&self, found: ValueRef<'_>, expected: String) -> TrajectoryReadError {
        let found = match found {
            ValueRef::Null => "nothing".to_owned(),
            ValueRef::Integer(number) => number.to_string(),
            ValueRef::Real(number) => number.to_string(),
            ValueRef::Text(text) => crate::error::quoted(text),
            ValueRef::Blob(bytes) => format!("{} bytes", bytes.len()),
        };
        ReadError::Syntax { place: self.place(), found, expected }.into()
    }
}

/// Returns the place of a row.
fn row_place(number: u64) -> Place {
    Place::Item(format!("{DATA}, row {number}"))
}

fn unfit(table: &str, found: &str, expected: &str) -> TrajectoryReadError {
    let (found, expected) = (found.to_owned(), expected.to_owned());
    ReadError::Syntax { place: Place::Item(table.to_owned()), found, expected }.into()
}

fn damaged(table: &str, cause: &rusqlite::Error) -> TrajectoryReadError {
    let place = Place::Item(table.to_owned());
    TrajectoryReadError::Damaged { place, format: TrajectoryFormat::Sqlite, reason: cause.to_string() }
}
