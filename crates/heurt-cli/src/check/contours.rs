//! The curves in which surfaces meet, written to a file.

use super::Assembly;
use super::interference::Findings;
use crate::Failure;
use heurt::io::{Curve, WriteError, write_polylines_dxf, write_polylines_obj};
use heurt::query::{Polyline, contours};
use rayon::prelude::*;
use std::fs::File;
use std::path::Path;

/// Writes the curves of all interferences, named by their parts.
pub(super) fn write(assembly: &Assembly, findings: &Findings, path: &Path) -> Result<(), Failure> {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default().to_ascii_lowercase();
    if !matches!(extension.as_str(), "obj" | "dxf") {
        return Err(Failure::NoSuchExtension { path: path.to_owned(), extension, formats: ".obj or .dxf" });
    }
    let named: Vec<(String, Vec<Polyline>)> = findings
        .list
        .par_iter()
        .map(|found| {
            let [a, b] = [found.a, found.b].map(|part| &assembly.parts[part]);
            let curves = contours(assembly.shape(found.a), &a.pose, assembly.shape(found.b), &b.pose);
            (format!("{} x {}", a.name, b.name), curves)
        })
        .collect();
    let curves = named.iter().flat_map(|(name, curves)| {
        curves.iter().map(move |curve| Curve { name, points: &curve.points, closed: curve.closed })
    });
    let unwritable = |source: WriteError| Failure::Unwritable { path: path.to_owned(), source };
    let mut file = File::create(path).map_err(|error| unwritable(error.into()))?;
    match extension.as_str() {
        "dxf" => write_polylines_dxf(curves, &mut file),
        _ => write_polylines_obj(curves, &mut file),
    }
    .map_err(unwritable)
}
