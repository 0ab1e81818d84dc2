//! The inspection as one JSON document.

use super::{InspectArguments, Inspected};
use crate::Failure;
use crate::check::{FailureJson, write_list, write_summary};
use heurt::geometry::Pose;
use heurt::mesh::{Class, Fault, PolygonReport, Severity, Thickness};
use heurt::scene::FileNote;
use heurt::scene::describe::{matrix_rows, point_row};
use heurt::scene::{CountJson, FaultJson};
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, Write};

#[derive(JsonSchema, Serialize)]
struct InspectedJson<'d> {
    file: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    name: &'d str,
    /// Unit of every length; null if no input declares one.
    unit: Option<&'static str>,
    vertices: usize,
    triangles: usize,
    class: String,
    printable: bool,
    /// The severity of the worst fault.
    severity: &'static str,
    /// The reason if it is not printable.
    #[serde(skip_serializing_if = "Option::is_none")]
    unprintable: Option<String>,
    closed: bool,
    manifold: bool,
    oriented: bool,
    convex: bool,
    /// Distance from convexity, if it is at most 1 % of its size.
    convex_deviation: Option<f64>,
    /// Present if the distance is unknown at the limit of work: `convex` is false then.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    convexity_unknown: bool,
    components: usize,
    euler: i64,
    genus: Option<u64>,
    area: f64,
    volume: Option<f64>,
    /// The sum of the volumes of the shells, if they share space, which `volume` counts once.
    #[serde(skip_serializing_if = "Option::is_none")]
    shell_volume: Option<f64>,
    centroid: Option<[f64; 3]>,
    inertia: Option<[[f64; 3]; 3]>,
    bounds: [[f64; 3]; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    facets: Option<FacetsJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thickness: Option<ThicknessJson>,
    fault_counts: Vec<CountJson>,
    faults: Vec<FaultJson>,
    /// By fault, its centre where the first part with the mesh is in the file; absent where that is the same.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    centres_in_file: Vec<[f64; 3]>,
    complete: bool,
    warnings: &'d [FileNote],
}

/// Facets as the file has them.
#[derive(JsonSchema, Serialize)]
struct FacetsJson {
    facets: usize,
    triangles: usize,
    quads: usize,
    max_corners: usize,
    exactly_planar: usize,
    planar: usize,
    simple: usize,
    convex: usize,
    max_deviation: f64,
    vertices: usize,
    edges: usize,
    euler: i64,
    faults: Vec<FacetFaultJson>,
}

#[derive(JsonSchema, Serialize)]
struct FacetFaultJson {
    polygon: u32,
    message: String,
    centre: [f64; 3],
}

#[derive(JsonSchema, Serialize)]
struct ThicknessJson {
    method: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    minimum: Option<f64>,
    /// The place of the minimum.
    r#where: Option<[f64; 3]>,
    percentile_5: Option<f64>,
    median: Option<f64>,
    samples: usize,
    /// Samples left out, as a sharp edge is nearer to them than they are thick.
    left_out: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    thin_limit: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thin_share: Option<f64>,
}

/// Prints the document.
pub(super) fn print(
    all: &[Inspected],
    failures: &[Failure],
    warnings: &[FileNote],
    arguments: &InspectArguments,
    out: &mut impl Write,
) -> io::Result<()> {
    let faults: usize = all.iter().flat_map(|inspected| &inspected.report.counts).map(|count| count.count).sum();
    let summary = InspectSummary { meshes: all.len(), faults, failures: failures.len() };
    write_summary(&summary, out)?;
    write_list("meshes", all.iter().map(|inspected| mesh(inspected, arguments)), out)?;
    write_list("failures", failures.iter().map(FailureJson::from), out)?;
    write_list("warnings", warnings, out)?;
    writeln!(out, "\n}}")
}

fn mesh<'d>(inspected: &'d Inspected, arguments: &InspectArguments) -> InspectedJson<'d> {
    let Inspected { file, name, units, mesh, report, measures, shell_volume, facets, .. } = inspected;
    let Inspected { thickness, warnings, thin, pose, .. } = inspected;
    let verdict = report.verdict();
    let faults = report.faults.iter().zip(&report.severities);
    let in_file = |fault: &Fault| point_row(pose.place(fault.place(mesh).centre));
    InspectedJson {
        file: file.to_string_lossy().into_owned(),
        name,
        unit: units.symbol(),
        vertices: mesh.vertices().len(),
        triangles: mesh.triangles().len(),
        class: report.class.to_string(),
        printable: verdict.severity < Severity::Fails,
        severity: verdict.severity.name(),
        unprintable: verdict.printable().err().map(|reasons| reasons.to_string()),
        closed: report.closed,
        manifold: report.manifold,
        oriented: report.oriented,
        convex: report.class == Class::Convex,
        convex_deviation: report.deviation,
        convexity_unknown: !report.is_convexity_known,
        components: measures.components,
        euler: measures.euler,
        genus: measures.genus,
        area: measures.area,
        volume: measures.volume,
        shell_volume: *shell_volume,
        centroid: measures.centroid.map(point_row),
        inertia: measures.inertia.map(matrix_rows),
        bounds: [mesh.bounds().min.to_array(), mesh.bounds().max.to_array()],
        facets: facets.as_ref().map(facets_json),
        thickness: thickness.as_ref().map(|thickness| thickness_json(thickness, *thin, pose, arguments)),
        fault_counts: report.counts.iter().map(CountJson::from).collect(),
        faults: faults.map(|(fault, severity)| FaultJson::new(fault, mesh).with_severity(*severity)).collect(),
        centres_in_file: if pose.is_identity() { Vec::new() } else { report.faults.iter().map(in_file).collect() },
        complete: report.complete,
        warnings,
    }
}

fn facets_json(report: &PolygonReport) -> FacetsJson {
    let fault = |fault: &heurt::mesh::polygon_check::FacetFault| FacetFaultJson {
        polygon: fault.polygon,
        message: fault.to_string(),
        centre: point_row(fault.centre),
    };
    FacetsJson {
        facets: report.facets,
        triangles: report.triangles,
        quads: report.quads,
        max_corners: report.max_corners,
        exactly_planar: report.exactly_planar,
        planar: report.planar,
        simple: report.simple,
        convex: report.convex,
        max_deviation: report.max_deviation,
        vertices: report.vertices,
        edges: report.edges,
        euler: report.euler,
        faults: report.faults.iter().map(fault).collect(),
    }
}

fn thickness_json(
    found: &Result<Thickness, String>,
    thin: Option<f64>,
    pose: &Pose,
    arguments: &InspectArguments,
) -> ThicknessJson {
    let method = match arguments.thickness {
        Some(super::ThicknessChoice::Ray) => "ray",
        _ => "ball",
    };
    let thickness = found.as_ref().ok();
    // A surface without an opposite surface has no thickness.
    let minimum = thickness.and_then(Thickness::minimum).filter(|sample| sample.thickness.is_finite());
    let at =
        |share: f64| thickness.and_then(|thickness| thickness.percentile(share)).filter(|length| length.is_finite());
    ThicknessJson {
        method: method.to_owned(),
        error: found.as_ref().err().cloned(),
        minimum: minimum.map(|sample| sample.thickness),
        r#where: minimum.map(|sample| point_row(pose.place(sample.point))),
        percentile_5: at(0.05),
        median: at(0.5),
        samples: thickness.map_or(0, |thickness| thickness.samples.len()),
        left_out: thickness.map_or(0, |thickness| thickness.left_out),
        thin_limit: thin,
        thin_share: thin.zip(thickness).map(|(limit, thickness)| thickness.share_below(limit)),
    }
}

/// The report of `heurt inspect --json`.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "the document is written list by list; its type gives the schema")]
pub(crate) struct InspectDocument {
    summary: InspectSummary,
    meshes: Vec<InspectedJson<'static>>,
    failures: Vec<FailureJson>,
    warnings: Vec<FileNote>,
}

/// The counts of the report.
#[derive(JsonSchema, Serialize)]
struct InspectSummary {
    meshes: usize,
    faults: usize,
    failures: usize,
}
