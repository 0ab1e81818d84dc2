//! The report as CSV (RFC 4180, line feeds): a line for each interference.

use super::Assembly;
use super::interference::{Findings, Kind};
use heurt::query::Side;
use std::io::{self, Write};

/// Prints the header and a line for each interference.
pub(super) fn print(assembly: &Assembly, findings: &Findings, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "part_a,part_b,kind,inner,triangle_pairs,x,y,z")?;
    for found in &findings.list {
        let [a, b] = [found.a, found.b].map(|part| quoted(&assembly.parts[part].name));
        let inner = match found.kind {
            Kind::Inside { inner: Side::A } => "a",
            Kind::Inside { inner: Side::B } => "b",
            _ => "",
        };
        let place = found.place();
        let [word, count] = [found.kind.word().to_owned(), found.pair_count.to_string()];
        writeln!(out, "{a},{b},{word},{inner},{count},{:?},{:?},{:?}", place.x, place.y, place.z)?;
    }
    Ok(())
}

/// A field in quotes where it needs them.
pub(super) fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}
