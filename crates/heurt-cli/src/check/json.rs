//! The report as one JSON document. It holds no times: the same input gives the same bytes.

use super::Assembly;
use super::interference::{Findings, Kind};
use heurt::query::Side;
use serde::Serialize;
use std::io::{self, Write};

#[derive(Serialize)]
struct Summary {
    parts: usize,
    meshes: usize,
    triangles: usize,
    pairs: usize,
    pairs_tested: usize,
    interfering: usize,
    clash: usize,
    inside: usize,
    touching: usize,
    touching_ignored: usize,
    failures: usize,
}

#[derive(Serialize)]
struct InterferenceJson<'r> {
    a: &'r str,
    b: &'r str,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    inner: Option<&'static str>,
    triangle_pairs: usize,
    /// Middle and box of where they meet, in metres.
    r#where: [f64; 3],
    region: [[f64; 3]; 2],
}

/// An input that could not be used.
#[derive(Serialize)]
pub(crate) struct FailureJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<String>,
    error: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<String>,
}

impl From<&crate::Failure> for FailureJson {
    fn from(failure: &crate::Failure) -> Self {
        let file = failure.path().map(|path| path.to_string_lossy().into_owned());
        Self { file, place: failure.place(), error: failure.line(), help: failure.remedy() }
    }
}

#[derive(Serialize)]
struct PartJson<'r> {
    name: &'r str,
    file: String,
    triangles: usize,
    solid: bool,
    mesh: usize,
}

/// Prints the document.
pub(super) fn print(assembly: &Assembly, findings: &Findings, out: &mut impl Write) -> io::Result<()> {
    let interferences = findings.list.iter().map(|found| InterferenceJson {
        a: &assembly.parts[found.a].name,
        b: &assembly.parts[found.b].name,
        kind: found.kind.word(),
        inner: match found.kind {
            Kind::Inside { inner: Side::A } => Some("a"),
            Kind::Inside { inner: Side::B } => Some("b"),
            _ => None,
        },
        triangle_pairs: found.pair_count,
        r#where: found.place().to_array(),
        region: [found.region.min.to_array(), found.region.max.to_array()],
    });
    let parts = assembly.parts.iter().map(|part| PartJson {
        name: &part.name,
        file: part.file.to_string_lossy().into_owned(),
        triangles: assembly.shapes[part.shape].mesh().triangles().len(),
        solid: assembly.shapes[part.shape].is_solid(),
        mesh: part.shape,
    });
    let summary = Summary {
        parts: assembly.parts.len(),
        meshes: assembly.shapes.len(),
        triangles: assembly.triangle_count(),
        pairs: findings.pair_count,
        pairs_tested: findings.tested,
        interfering: findings.list.len(),
        clash: findings.count("clash"),
        inside: findings.count("inside"),
        touching: findings.count("touching"),
        touching_ignored: findings.ignored,
        failures: assembly.failures.len(),
    };
    let failures = assembly.failures.iter().map(FailureJson::from);
    write!(out, "{{\n\"summary\": {}", as_line(&summary)?)?;
    write_list("interferences", interferences, out)?;
    write_list("failures", failures, out)?;
    write_list("parts", parts, out)?;
    writeln!(out, "\n}}")
}

/// A value on one line.
pub(super) fn as_line(value: &impl Serialize) -> io::Result<String> {
    serde_json::to_string(value).map_err(io::Error::from)
}

/// Writes a further member of a document: a list with one line for each item, which people can read and `grep` finds.
pub(crate) fn write_list<T: Serialize>(
    name: &str,
    items: impl IntoIterator<Item = T>,
    out: &mut impl Write,
) -> io::Result<()> {
    write!(out, ",\n\"{name}\": [")?;
    for (at, item) in items.into_iter().enumerate() {
        write!(out, "{}{}", if at == 0 { "\n  " } else { ",\n  " }, as_line(&item)?)?;
    }
    write!(out, "]")
}
