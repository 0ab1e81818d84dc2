//! The curves in which surfaces meet, written to a file.

use super::LoadedAssembly;
use crate::Failure;
use crate::output::to_file;
use heurt::assembly::{Findings, Interference};
use heurt::io::{Curve, write_polylines_dxf, write_polylines_obj, write_polylines_svg};
use heurt::query::{Polyline, contours};
use rayon::prelude::*;
use std::path::Path;

/// A format that holds curves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CurveFormat {
    Obj,
    Dxf,
    Svg,
}

impl CurveFormat {
    /// The format that the name of a file promises.
    pub(super) fn of(path: &Path) -> Result<Self, Failure> {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        match extension.to_ascii_lowercase().as_str() {
            "obj" => Ok(Self::Obj),
            "dxf" => Ok(Self::Dxf),
            "svg" => Ok(Self::Svg),
            _ => Err(Failure::NoCurveFormat { path: path.to_owned() }),
        }
    }
}

/// Finds the curves in which the surfaces of each interference meet, in parallel.
pub(super) fn find_curves(assembly: &LoadedAssembly, list: &[Interference]) -> Vec<Vec<Polyline>> {
    let find = |found: &Interference| {
        let [pose_a, pose_b] = [found.a, found.b].map(|part| &assembly.parts[part].pose);
        contours(assembly.shape(found.a), pose_a, assembly.shape(found.b), pose_b)
    };
    list.par_iter().map(find).collect()
}

/// Writes the curves of all interferences, named by their parts; single points only where they are wanted.
pub(super) fn write(
    assembly: &LoadedAssembly,
    findings: &Findings,
    with_points: bool,
    path: &Path,
    format: CurveFormat,
) -> Result<(), Failure> {
    let name = |found: &Interference| {
        let [a, b] = [found.a, found.b].map(|part| &assembly.parts[part].name);
        format!("{a} x {b}")
    };
    let names: Vec<String> = findings.list.iter().map(name).collect();
    let curves = find_curves(assembly, &findings.list);
    let curves = names.iter().zip(&curves).flat_map(|(name, curves)| {
        let curves = curves.iter().filter(|curve| with_points || curve.points.len() > 1);
        curves.map(move |curve| Curve { name, points: &curve.points, closed: curve.closed })
    });
    let unit = assembly.unit;
    to_file(path, |file| match format {
        CurveFormat::Dxf => write_polylines_dxf(curves, unit, file),
        CurveFormat::Obj => write_polylines_obj(curves, file),
        CurveFormat::Svg => write_polylines_svg(curves, None, unit, file),
    })
}
