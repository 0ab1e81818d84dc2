//! The inspection as one JSON document.

use super::Inspected;
use crate::Failure;
use crate::check::{FailureJson, write_document};
use crate::output::Output;
use crate::query::FaultJson;
use serde::Serialize;
use std::io;

#[derive(Serialize)]
struct Document<'d> {
    meshes: Vec<MeshJson<'d>>,
    failures: Vec<FailureJson>,
}

#[derive(Serialize)]
struct MeshJson<'d> {
    file: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    name: &'d str,
    vertices: usize,
    triangles: usize,
    class: String,
    closed: bool,
    manifold: bool,
    oriented: bool,
    convex: bool,
    components: usize,
    euler: i64,
    genus: Option<u64>,
    area: f64,
    volume: Option<f64>,
    centroid: Option<[f64; 3]>,
    inertia: Option<[[f64; 3]; 3]>,
    bounds: [[f64; 3]; 2],
    faults: Vec<FaultJson>,
    complete: bool,
}

/// Prints the document.
pub(super) fn print(meshes: &[Inspected], failures: &[Failure], out: &mut Output) -> io::Result<()> {
    let meshes = meshes.iter().map(|inspected| {
        let Inspected { file, name, mesh, report, measures } = inspected;
        MeshJson {
            file: file.to_string_lossy().into_owned(),
            name,
            vertices: mesh.vertices().len(),
            triangles: mesh.triangles().len(),
            class: report.class.to_string(),
            closed: report.closed,
            manifold: report.manifold,
            oriented: report.oriented,
            convex: report.class == heurt::mesh::Class::Convex,
            components: measures.components,
            euler: measures.euler,
            genus: measures.genus,
            area: measures.area,
            volume: measures.volume,
            centroid: measures.centroid.map(|centroid| centroid.to_array()),
            inertia: measures.inertia.map(|inertia| inertia.transpose().to_cols_array_2d()),
            bounds: [mesh.bounds().min.to_array(), mesh.bounds().max.to_array()],
            faults: report.faults.iter().map(FaultJson::from).collect(),
            complete: report.complete,
        }
    });
    let failures = failures.iter().map(FailureJson::from).collect();
    write_document(&Document { meshes: meshes.collect(), failures }, out)
}
