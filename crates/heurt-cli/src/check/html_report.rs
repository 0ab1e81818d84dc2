//! Report of a check as one HTML file: the assembly in 3D, the list of findings, faults of meshes.
//!
//! In: an assembly and its findings. Out: a file that a browser opens from disk and that requests nothing.
//! Method: the page, its script and its style come from the program; the data are JSON in the page, as
//! `viewer/PROTOCOL.md` describes. Meshes have 16-bit coordinates. Contours are cut to a number of points in all, the
//! deepest findings first.
//! Guarantees: the same input gives the same bytes.

use super::LoadedAssembly;
use super::baseline::{Comparison, NEAR};
use super::colours::{self, worst_kinds};
use super::contours::find_curves;
use super::json::{self, CheckSummary, GoneJson};
use super::table::{depth_text, translation_text};
use crate::Failure;
use crate::output::to_file;
use crate::view::page;
use heurt::assembly::{AssemblyPart, Findings, InterferenceDepth, SharedSolid};
use heurt::geometry::{Aabb, Quat};
use heurt::mesh::{CheckOptions, Topology, check_over};
use heurt::query::Polyline;
use heurt::view::Surface;
use heurt::view::palette::{UNINVOLVED, hex};
use heurt::view::wire::report_mesh;
use rayon::prelude::*;
use serde::Serialize;
use std::io::Write;
use std::path::Path;

/// Points of all contours in a report: 4 MB of text.
const MAX_CONTOUR_POINTS: usize = 100_000;
/// Triangles of all meshes up to which faults are searched for; a larger assembly takes seconds.
const MAX_FAULT_TRIANGLES: usize = 2_000_000;

#[derive(Serialize)]
struct HtmlReportJson<'r> {
    protocol: u32,
    title: &'r str,
    program: &'static str,
    unit: Option<&'static str>,
    summary: CheckSummary,
    bounds: Option<BoxJson>,
    meshes: Vec<String>,
    parts: Vec<ReportPartJson<'r>>,
    findings: Vec<FindingJson>,
    gone: Vec<GoneJson<'r>>,
    notes: Vec<String>,
    colours: ColoursJson,
}

/// Colours of findings by kind, as style sheets have them.
#[derive(Serialize)]
struct ColoursJson {
    clash: String,
    duplicate: String,
    inside: String,
    touching: String,
    near: String,
}

#[derive(Serialize)]
struct BoxJson {
    min: [f64; 3],
    max: [f64; 3],
}

#[derive(Serialize)]
struct ReportPartJson<'r> {
    name: &'r str,
    file: String,
    mesh: usize,
    triangles: usize,
    solid: bool,
    class: &'static str,
    translation: [f64; 3],
    rotation: [f64; 4],
    colour: Option<String>,
    /// The faults of its mesh; `null` if they were not searched for.
    faults: Option<Vec<String>>,
}

#[derive(Serialize)]
struct FindingJson {
    a: usize,
    b: usize,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    inner: Option<&'static str>,
    since: Option<&'static str>,
    depth: Option<f64>,
    /// The depth as the table writes it: with what is proved of it, without a unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    depth_text: Option<String>,
    separating_translation: Option<[f64; 3]>,
    /// The translation as the table writes it: length and direction, without a unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    separating_text: Option<String>,
    /// The volume that the parts share, if it was computed and is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    volume: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gap: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    point_a: Option<[f64; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    point_b: Option<[f64; 3]>,
    triangle_pairs: usize,
    r#where: [f64; 3],
    region: [[f64; 3]; 2],
    contours: Vec<Vec<f32>>,
    contours_left_out: usize,
}

/// Refuses a report that the program cannot write, before the work is done.
pub(crate) fn check_name(path: &Path) -> Result<(), Failure> {
    if path.as_os_str() == "-" {
        return Err(Failure::ExportToOutput { option: "report" });
    }
    let is_html = path
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("html") || extension.eq_ignore_ascii_case("htm"));
    if !is_html {
        return Err(Failure::NoReportFormat { path: path.to_owned() });
    }
    let is_there = ["report.html", "report.js", "report.css"].iter().all(|name| page::file(name).is_some());
    if is_there { Ok(()) } else { Err(Failure::NoPage { option: "report", help: page::HOW_TO_BUILD }) }
}

/// Writes the report.
pub(crate) fn write(
    assembly: &LoadedAssembly,
    findings: &Findings,
    comparison: Option<&Comparison>,
    title: &str,
    path: &Path,
) -> Result<(), Failure> {
    check_name(path)?;
    let report = describe(assembly, findings, comparison, title);
    let data = serde_json::to_string(&report).map_err(|error| Failure::output(error.into()))?;
    let html = fill_template(title, &data);
    to_file(path, |file| Ok(file.write_all(html.as_bytes())?))
}

/// Puts title, style, data and script into the page.
fn fill_template(title: &str, data: &str) -> String {
    let text = |name| String::from_utf8_lossy(page::file(name).unwrap_or_default());
    let template = text("report.html");
    let title = title.replace('&', "&amp;").replace('<', "&lt;");
    // No data can end the element that holds them.
    let data = data.replace('<', "\\u003c");
    let (style, script) = (text("report.css"), text("report.js"));
    let fillings = [("{{TITLE}}", &*title), ("/*STYLE*/", &*style), ("{{DATA}}", &*data), ("/*SCRIPT*/", &*script)];
    // All marks are found before the first one is replaced: a filling may hold the text of a mark.
    let mut places: Vec<(usize, &str, &str)> =
        fillings.iter().filter_map(|(mark, filling)| Some((template.find(mark)?, *mark, *filling))).collect();
    places.sort_by_key(|(at, ..)| *at);
    let mut html = String::with_capacity(template.len() + data.len() + script.len() + style.len());
    let mut from = 0;
    for (at, mark, filling) in places {
        html.push_str(&template[from..at]);
        html.push_str(filling);
        from = at + mark.len();
    }
    html.push_str(&template[from..]);
    html
}

fn describe<'r>(
    assembly: &'r LoadedAssembly,
    findings: &'r Findings,
    comparison: Option<&'r Comparison>,
    title: &'r str,
) -> HtmlReportJson<'r> {
    let bounds = assembly.parts.iter().fold(Aabb::EMPTY, |all, part| all.union(part.bounds));
    let gone = comparison.map_or(&[][..], |comparison| &comparison.gone);
    let failures = assembly.failures.iter().map(|failure| failure.line());
    let warnings = assembly.warnings.iter().map(|warning| warning.line());
    HtmlReportJson {
        protocol: 1,
        title,
        program: concat!("heurt ", env!("CARGO_PKG_VERSION")),
        unit: assembly.units().symbol(),
        summary: json::summary(assembly, findings, comparison),
        bounds: (!bounds.is_empty()).then(|| BoxJson { min: bounds.min.to_array(), max: bounds.max.to_array() }),
        meshes: assembly.shapes.par_iter().map(|shape| report_mesh(&Surface::of_mesh(shape.mesh()))).collect(),
        parts: parts(assembly, findings),
        findings: list_findings(assembly, findings, comparison),
        gone: gone.iter().map(GoneJson::from).collect(),
        notes: failures.chain(warnings).collect(),
        colours: colours(),
    }
}

fn colours() -> ColoursJson {
    let [clash, duplicate, inside, touching, near] =
        ["clash", "duplicate", "inside", "touching", "near"].map(|kind| hex(colours::of_word(kind).1));
    ColoursJson { clash, duplicate, inside, touching, near }
}

fn parts<'r>(assembly: &'r LoadedAssembly, findings: &Findings) -> Vec<ReportPartJson<'r>> {
    let triangles: usize = assembly.shapes.iter().map(|shape| shape.mesh().triangles().len()).sum();
    let faults: Vec<Option<Vec<String>>> = match triangles <= MAX_FAULT_TRIANGLES {
        true => assembly.shapes.par_iter().map(|shape| Some(faults_of(shape.mesh()))).collect(),
        false => vec![None; assembly.shapes.len()],
    };
    // The colours of the picture: by the worst kind, grey without a finding, muted if nothing was found.
    let worst = worst_kinds(findings, usize::MAX);
    let colour_of = |number: usize| match worst.get(&number) {
        Some((_, colour)) => Some(hex(*colour)),
        None if worst.is_empty() => None,
        None => Some(hex(UNINVOLVED)),
    };
    let json = assembly.parts.iter().enumerate().map(|(number, part): (usize, &AssemblyPart)| {
        let shape = &assembly.shapes[part.shape];
        ReportPartJson {
            name: &part.name,
            file: part.file.to_string_lossy().into_owned(),
            mesh: part.shape,
            triangles: shape.mesh().triangles().len(),
            solid: shape.is_solid(),
            class: json::class_of(assembly, part),
            translation: part.pose.translation().to_array(),
            rotation: Quat::from_mat3(part.pose.rotation()).normalize().to_array(),
            colour: colour_of(number),
            faults: faults[part.shape].clone(),
        }
    });
    json.collect()
}

/// Lists the faults of a mesh by kind, with their numbers.
fn faults_of(mesh: &heurt::mesh::TriMesh) -> Vec<String> {
    let options = CheckOptions { max_faults: 0, max_self_intersections: 1000, ..CheckOptions::default() };
    let report = check_over(&Topology::new(mesh), &options);
    report.counts.iter().map(|count| format!("{} × {}", count.count, count.kind)).collect()
}

fn list_findings(assembly: &LoadedAssembly, findings: &Findings, comparison: Option<&Comparison>) -> Vec<FindingJson> {
    let curves = find_curves(assembly, &findings.list);
    let mut room = MAX_CONTOUR_POINTS;
    let interferences = findings.list.iter().zip(curves).enumerate().map(|(number, (found, curves))| {
        let (mut contours, mut left_out) = (Vec::new(), 0);
        for curve in &curves {
            let count = curve.points.len() + usize::from(curve.closed);
            match count <= room {
                true => {
                    room -= count;
                    contours.push(coordinates(curve));
                }
                false => left_out += 1,
            }
        }
        let depth = found.depth.as_ref();
        let translation = depth.and_then(|depth| depth.translation);
        FindingJson {
            a: found.a,
            b: found.b,
            kind: found.kind.word(),
            inner: found.kind.inner_letter(),
            since: comparison.map(|comparison| comparison.list[number].word()),
            depth: depth.map(InterferenceDepth::at_most).filter(|depth| depth.is_finite()),
            depth_text: depth.map(|_| depth_text(found)),
            separating_translation: translation.map(|offset| offset.to_array()),
            separating_text: translation.map(translation_text),
            volume: found.shared.as_ref().and_then(SharedSolid::volume),
            gap: None,
            point_a: None,
            point_b: None,
            triangle_pairs: found.pair_count,
            r#where: found.place().to_array(),
            region: [found.region.min.to_array(), found.region.max.to_array()],
            contours,
            contours_left_out: left_out,
        }
    });
    let mut list: Vec<FindingJson> = interferences.collect();
    list.extend(findings.near.iter().enumerate().map(|(number, near)| {
        let [a, b] = [near.distance.point_a, near.distance.point_b];
        let region = Aabb::from_points([a, b]);
        FindingJson {
            a: near.a,
            b: near.b,
            kind: NEAR,
            inner: None,
            since: comparison.map(|comparison| comparison.near[number].word()),
            depth: None,
            depth_text: None,
            separating_translation: None,
            separating_text: None,
            volume: None,
            gap: Some(near.distance.distance),
            point_a: Some(a.to_array()),
            point_b: Some(b.to_array()),
            triangle_pairs: 0,
            r#where: near.place().to_array(),
            region: [region.min.to_array(), region.max.to_array()],
            contours: Vec::new(),
            contours_left_out: 0,
        }
    }));
    list
}

/// Lists the coordinates of a curve in turn; a closed one ends where it begins.
fn coordinates(curve: &Polyline) -> Vec<f32> {
    let first = curve.points.first().filter(|_| curve.closed);
    curve.points.iter().chain(first).flat_map(|point| point.to_array()).map(|part| part as f32).collect()
}
