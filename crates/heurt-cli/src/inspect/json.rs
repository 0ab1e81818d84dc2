//! The inspection as one JSON document.

use super::Inspected;
use crate::Failure;
use crate::check::{FailureJson, write_list};
use crate::query::{FaultJson, rows};
use serde::Serialize;
use std::io::{self, Write};

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
pub(super) fn print(all: &[Inspected], failures: &[Failure], out: &mut impl Write) -> io::Result<()> {
    let meshes = all.iter().map(|inspected| {
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
            centroid: measures.centroid.map(rows::point),
            inertia: measures.inertia.map(rows::matrix),
            bounds: [mesh.bounds().min.to_array(), mesh.bounds().max.to_array()],
            faults: report.faults.iter().map(FaultJson::from).collect(),
            complete: report.complete,
        }
    });
    let faults: usize = all.iter().flat_map(|inspected| &inspected.report.counts).map(|count| count.count).sum();
    let counts = [all.len(), faults, failures.len()];
    write!(out, "{{\n\"summary\": {{\"meshes\":{},\"faults\":{},\"failures\":{}}}", counts[0], counts[1], counts[2])?;
    write_list("meshes", meshes, out)?;
    write_list("failures", failures.iter().map(FailureJson::from), out)?;
    writeln!(out, "\n}}")
}
