//! Writer of trajectories as CSV.
//!
//! In: checked steps. Out: rows `step,time,agent,group,x,y,z,vx,vy,vz`, in metres and m/s.
//! Method: names with a comma, a quote or a line break are quoted (RFC 4180). Fields of an unknown velocity are empty.
//! Guarantees: numbers survive a round trip. Not kept: the frame rate, the areas to walk in, radii, empty steps.
//! Cost: O(rows).

use super::csv::COLUMNS;
use super::{TrajectoryHeader, TrajectoryStep};
use std::io::{self, Write};

/// A CSV file in the making.
pub(super) struct CsvSink {
    out: Box<dyn Write + Send>,
    /// The names of the groups, quoted.
    names: Vec<String>,
}

impl CsvSink {
    /// Writes the first line.
    pub(super) fn new(mut out: Box<dyn Write + Send>, header: &TrajectoryHeader) -> io::Result<Self> {
        writeln!(out, "{}", COLUMNS.join(","))?;
        Ok(Self { out, names: header.groups.iter().map(|name| quoted_name(name)).collect() })
    }

    /// Writes the rows of a step.
    pub(super) fn push(&mut self, step: &TrajectoryStep) -> io::Result<()> {
        let TrajectoryStep { step: number, time, rows } = step;
        for row in rows {
            let (name, at) = (&self.names[row.group as usize], row.position);
            write!(self.out, "{number},{time},{},{name},{},{},{},", row.agent, at.x, at.y, at.z)?;
            match row.velocity {
                Some(velocity) => writeln!(self.out, "{},{},{}", velocity.x, velocity.y, velocity.z)?,
                None => writeln!(self.out, ",,")?,
            }
        }
        Ok(())
    }

    /// Writes all buffered bytes.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Quotes a name that has a separator, a quote or a line break in it.
fn quoted_name(name: &str) -> String {
    let is_plain = !name.contains([',', '"', '\n', '\r']);
    if is_plain { name.to_owned() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
}
