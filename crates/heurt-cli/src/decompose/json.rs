//! The decomposition as one JSON document.

use super::Decomposed;
use crate::Failure;
use crate::check::{FailureJson, write_list};
use crate::input::Input;
use heurt::mesh::measures;
use serde::Serialize;
use std::io::{self, Write};

#[derive(Serialize)]
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

#[derive(Serialize)]
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
    let failed = failures.len();
    let unit = input.unit_json();
    write!(out, "{{\n\"summary\": {{\"unit\":{unit},\"meshes\":{count},\"pieces\":{pieces},\"failures\":{failed}}}")?;
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
