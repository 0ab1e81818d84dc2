//! The report as CSV (RFC 4180, line feeds): a line for each interference and each pair nearer than the clearance.

use super::LoadedAssembly;
use super::baseline::{Comparison, NEAR};
use heurt::assembly::{Certainty, Findings, Interference, InterferenceKind};
use heurt::geometry::Vec3;
use heurt::query::Side;
use std::io::{self, Write};

/// Prints the header and a line for each pair. Columns of what was not computed are empty.
pub(super) fn print(
    assembly: &LoadedAssembly,
    findings: &Findings,
    comparison: Option<&Comparison>,
    out: &mut impl Write,
) -> io::Result<()> {
    let since_title = if comparison.is_some() { ",since" } else { "" };
    let with_volumes = findings.list.iter().any(|found| found.shared.is_some());
    let volume_titles = if with_volumes { ",volume,extent_x,extent_y,extent_z" } else { "" };
    let titles = "part_a,part_b,kind,inner,triangle_pairs,x,y,z,depth,move_x,move_y,move_z,gap";
    let local_titles = ",local_depth_lower,local_depth_upper,chord_error,certainty,separating_length";
    writeln!(out, "{titles}{since_title}{volume_titles}{local_titles}")?;
    let since = |word: Option<&str>| word.map_or(String::new(), |word| format!(",{word}"));
    for (number, found) in findings.list.iter().enumerate() {
        let [a, b] = [found.a, found.b].map(|part| quoted(&assembly.parts[part].name));
        let inner = match found.kind {
            InterferenceKind::Inside { inner: Side::A } => "a",
            InterferenceKind::Inside { inner: Side::B } => "b",
            _ => "",
        };
        let depth = found.depth.as_ref().and_then(|depth| depth.at_least);
        let translation = found.depth.as_ref().and_then(|depth| depth.translation);
        let [word, count] = [found.kind.word().to_owned(), found.pair_count.to_string()];
        let since = since(comparison.map(|comparison| comparison.list[number].word()));
        let [place, depth, translation] = [point(Some(found.place())), number_or_empty(depth), point(translation)];
        let volume = match &found.shared {
            Some(shared) => {
                let extent = point(shared.bounds().map(|bounds| bounds.max - bounds.min));
                format!(",{},{extent}", number_or_empty(shared.volume()))
            }
            None => String::new(),
        };
        let local = local_columns(found);
        writeln!(out, "{a},{b},{word},{inner},{count},{place},{depth},{translation},{since}{volume},{local}")?;
    }
    for (number, found) in findings.near.iter().enumerate() {
        let [a, b] = [found.a, found.b].map(|part| quoted(&assembly.parts[part].name));
        let place = point(Some(found.place()));
        let since = since(comparison.map(|comparison| comparison.near[number].word()));
        let volume = if with_volumes { ",,,," } else { "" };
        let local = format!(",,{:?},{},", found.chord_error, found.certainty().word());
        let gap = found.distance.distance;
        writeln!(out, "{a},{b},{NEAR},,0,{place},,,,,{gap:?}{since}{volume},{local}")?;
    }
    Ok(())
}

/// Five columns: the bounds of the local depth, the error of the tessellation, how certain the interference is, and the
/// length of the separating translation.
fn local_columns(found: &Interference) -> String {
    let Some(depth) = &found.depth else { return ",,,,".to_owned() };
    let bounds = depth.local.map(|local| [local.at_least, local.at_most]);
    let [lower, upper] = [0, 1].map(|k| number_or_empty(bounds.map(|bounds| bounds[k])));
    let certainty = found.certainty().map_or("", Certainty::word);
    let separating = number_or_empty(depth.separating_length());
    format!("{lower},{upper},{:?},{certainty},{separating}", depth.chord_error)
}

fn number_or_empty(value: Option<f64>) -> String {
    value.map_or(String::new(), |value| format!("{value:?}"))
}

/// Three columns.
fn point(point: Option<Vec3>) -> String {
    point.map_or(",,".to_owned(), |point| format!("{:?},{:?},{:?}", point.x, point.y, point.z))
}

/// A field in quotes where it needs them.
pub(crate) fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}
