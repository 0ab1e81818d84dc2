//! The decomposition as one JSON document.

use super::Decomposed;
use crate::Failure;
use crate::check::{FailureJson, write_list, write_summary};
use crate::input::Input;
use heurt::mesh::measures;
use heurt::scene::FileNote;
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, Write};

#[derive(JsonSchema, Serialize)]
struct DecomposedJson<'d> {
    file: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    name: &'d str,
    triangles: usize,
    piece_triangles: usize,
    volume_ratio: Option<f64>,
    concavity: f64,
    tolerance: f64,
    within_tolerance: bool,
    pieces: Vec<PieceJson>,
}

#[derive(JsonSchema, Serialize)]
struct PieceJson {
    triangles: usize,
    volume: Option<f64>,
    concavity: f64,
}

/// Prints the document.
pub(super) fn print(
    input: &Input,
    found: &[Option<Decomposed>],
    failures: &[Failure],
    out: &mut impl Write,
) -> io::Result<()> {
    let meshes = found.iter().flatten().map(|decomposed| DecomposedJson {
        file: input.name(),
        name: &decomposed.name,
        triangles: decomposed.mesh.triangles().len(),
        piece_triangles: decomposed.piece_triangles(),
        volume_ratio: decomposed.volume_ratio(),
        concavity: decomposed.pieces.concavity(),
        tolerance: decomposed.pieces.tolerance(),
        within_tolerance: decomposed.is_within_tolerance(),
        pieces: decomposed.pieces.pieces().map(piece).collect(),
    });
    let pieces: usize = found.iter().flatten().map(|decomposed| decomposed.pieces.pieces().count()).sum();
    let count = found.iter().flatten().count();
    let unit = input.units.symbol();
    write_summary(&DecomposeSummary { unit, meshes: count, pieces, failures: failures.len() }, out)?;
    write_list("meshes", meshes, out)?;
    write_list("failures", failures.iter().map(FailureJson::from), out)?;
    input.write_warnings(out)?;
    writeln!(out, "\n}}")
}

fn piece(node: &heurt::mesh::HullNode) -> PieceJson {
    PieceJson {
        triangles: node.hull.triangles().len(),
        volume: measures(&node.hull).volume.filter(|volume| volume.is_finite()),
        concavity: node.concavity,
    }
}

/// The report of `heurt decompose --json`.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "the document is written list by list; its type gives the schema")]
pub(crate) struct DecomposeDocument {
    summary: DecomposeSummary,
    meshes: Vec<DecomposedJson<'static>>,
    failures: Vec<FailureJson>,
    warnings: Vec<FileNote>,
}

/// The counts of the report.
#[derive(JsonSchema, Serialize)]
struct DecomposeSummary {
    /// Unit of every length in the report; null if no input declares one.
    unit: Option<&'static str>,
    meshes: usize,
    pieces: usize,
    failures: usize,
}
