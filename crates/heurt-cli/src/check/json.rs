//! The report as one JSON document. It holds no times: the same input gives the same bytes.

use super::interference::{Findings, Kind};
use super::Assembly;
use crate::output::Output;
use heurt::query::Side;
use serde::Serialize;
use std::io::{self, Write};

#[derive(Serialize)]
struct Report<'r> {
    summary: Summary,
    interferences: Vec<InterferenceJson<'r>>,
    failures: Vec<FailureJson>,
    parts: Vec<PartJson<'r>>,
}

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
    error: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<String>,
}

impl From<&crate::Failure> for FailureJson {
    fn from(failure: &crate::Failure) -> Self {
        Self { error: failure.line(), help: failure.remedy() }
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
pub(super) fn print(assembly: &Assembly, findings: &Findings, out: &mut Output) -> io::Result<()> {
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
    let report = Report {
        summary: Summary {
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
        },
        interferences: interferences.collect(),
        failures: assembly.failures.iter().map(FailureJson::from).collect(),
        parts: parts.collect(),
    };
    write_document(&report, out)
}

/// Writes a document for people and programs: indented, with a line end.
pub(crate) fn write_document(document: &impl Serialize, out: &mut Output) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, document).map_err(io::Error::from)?;
    writeln!(out)
}
