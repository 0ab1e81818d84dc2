//! The report as one JSON document. It holds no times: the same input gives the same bytes.

use super::LoadedAssembly;
use super::baseline::{Comparison, Gone, NEAR, Since};
use heurt::assembly::{AssemblyPart, Certainty, Findings, Interference, SharedSolid};
use heurt::scene::FileNote;
use heurt::scene::describe::point_row;
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, Write};

#[derive(JsonSchema, Serialize)]
pub(super) struct CheckSummary {
    /// Unit of every length in the report; null if no input declares one.
    unit: Option<&'static str>,
    parts: usize,
    meshes: usize,
    triangles: usize,
    pairs: usize,
    pairs_tested: usize,
    interfering: usize,
    clash: usize,
    inside: usize,
    touching: usize,
    duplicate: usize,
    /// Number of clashes within the error of the tessellation.
    within_tessellation: usize,
    touching_ignored: usize,
    listed_ignored: usize,
    shallow_ignored: usize,
    small_ignored: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    near: Option<usize>,
    #[serde(flatten)]
    since: Option<SinceJson>,
    /// Number of parts that are no solids: parts inside them are not found.
    open: usize,
    failures: usize,
}

/// The counts against an earlier report.
#[derive(JsonSchema, Serialize)]
struct SinceJson {
    new: usize,
    changed: usize,
    gone: usize,
    /// Earlier pairs that this check did not cover.
    not_compared: usize,
}

#[derive(JsonSchema, Serialize)]
struct InterferenceJson<'r> {
    a: &'r str,
    b: &'r str,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    inner: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<&'static str>,
    #[serde(flatten)]
    depth: Option<DepthJson>,
    #[serde(flatten)]
    shared: Option<SharedJson<'r>>,
    triangle_pairs: usize,
    /// Centre and box of the place where they meet.
    r#where: [f64; 3],
    region: [[f64; 3]; 2],
}

/// A depth, see [`heurt::assembly::InterferenceDepth`].
#[derive(JsonSchema, Serialize)]
struct DepthJson {
    /// Lower bound of the length of any separating translation.
    depth: Option<f64>,
    local_depth: Option<LocalDepthJson>,
    chord_error: f64,
    certainty: Option<&'static str>,
    /// A translation of part b after which the parts share no point.
    separating_translation: Option<[f64; 3]>,
    /// Length of the separating translation.
    separating_length: Option<f64>,
}

impl DepthJson {
    fn of(found: &Interference) -> Option<Self> {
        let depth = found.depth.as_ref()?;
        Some(Self {
            depth: depth.at_least,
            local_depth: depth.local.map(|local| LocalDepthJson {
                lower: local.at_least,
                upper: local.at_most,
                place: local.place.map(point_row),
            }),
            chord_error: depth.chord_error,
            certainty: found.certainty().map(Certainty::word),
            separating_translation: depth.translation.map(point_row),
            separating_length: depth.separating_length(),
        })
    }
}

/// How deep two surfaces lie in each other.
#[derive(JsonSchema, Serialize)]
struct LocalDepthJson {
    /// It is proved to lie between these bounds.
    lower: f64,
    upper: f64,
    /// The deepest point that was found.
    place: Option<[f64; 3]>,
}

/// The solid that two parts share; `null` for what is not known.
#[derive(JsonSchema, Serialize)]
struct SharedJson<'r> {
    volume: Option<f64>,
    extent: Option<[f64; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    volume_moved: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    volume_unknown: Option<&'r str>,
}

impl<'r> From<&'r SharedSolid> for SharedJson<'r> {
    fn from(shared: &'r SharedSolid) -> Self {
        let extent = shared.bounds().map(|bounds| (bounds.max - bounds.min).to_array());
        Self { volume: shared.volume(), extent, volume_moved: shared.moved(), volume_unknown: shared.reason() }
    }
}

#[derive(JsonSchema, Serialize)]
struct NearJson<'r> {
    a: &'r str,
    b: &'r str,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<&'static str>,
    certainty: &'static str,
    gap: f64,
    /// Bound on the absolute error of the gap.
    gap_error: f64,
    chord_error: f64,
    /// The nearest points of the parts.
    point_a: [f64; 3],
    point_b: [f64; 3],
    /// Halfway between the nearest points.
    r#where: [f64; 3],
}

/// A pair of an earlier report that does not interfere any more.
#[derive(JsonSchema, Serialize)]
pub(super) struct GoneJson<'r> {
    a: &'r str,
    b: &'r str,
    kind: &'r str,
}

impl<'r> From<&'r Gone> for GoneJson<'r> {
    fn from(Gone { a, b, kind }: &'r Gone) -> Self {
        Self { a, b, kind }
    }
}

/// An input that could not be used.
#[derive(JsonSchema, Serialize)]
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

#[derive(JsonSchema, Serialize)]
struct PartJson<'r> {
    name: &'r str,
    file: String,
    triangles: usize,
    solid: bool,
    /// `open`, `inconsistent` (no hole, but faces disagree) or `closed`; `heurt inspect` divides the closed ones
    /// further.
    class: &'static str,
    /// `false` if `--solid winding` decides the inside.
    #[serde(skip_serializing_if = "Option::is_none")]
    exact: Option<bool>,
    mesh: usize,
}

/// Begins a document with its summary.
pub(crate) fn write_summary(summary: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
    write!(out, "{{\n\"summary\": {}", as_line(summary)?)
}

/// Prints the document; `comparison` is the comparison with an earlier report.
pub(super) fn print(
    assembly: &LoadedAssembly,
    findings: &Findings,
    comparison: Option<&Comparison>,
    out: &mut impl Write,
) -> io::Result<()> {
    write_summary(&summary(assembly, findings, comparison), out)?;
    write_list("interferences", interferences(assembly, findings, comparison), out)?;
    if findings.clearance.is_some() {
        write_list("near", near(assembly, findings, comparison), out)?;
    }
    if let Some(comparison) = comparison {
        let gone = comparison.gone.iter().map(GoneJson::from);
        write_list("gone", gone, out)?;
    }
    write_list("failures", assembly.failures.iter().map(FailureJson::from), out)?;
    write_list("warnings", &assembly.warnings, out)?;
    write_list("parts", assembly.parts.iter().map(|part| part_json(assembly, part)), out)?;
    writeln!(out, "\n}}")
}

/// Counts parts and findings.
pub(super) fn summary(assembly: &LoadedAssembly, findings: &Findings, comparison: Option<&Comparison>) -> CheckSummary {
    CheckSummary {
        unit: assembly.units().symbol(),
        parts: assembly.parts.len(),
        meshes: assembly.shapes.len(),
        triangles: assembly.triangle_count(),
        pairs: findings.pair_count,
        pairs_tested: findings.tested,
        interfering: findings.list.len(),
        clash: findings.count("clash"),
        inside: findings.count("inside"),
        touching: findings.count("touching"),
        duplicate: findings.count("duplicate"),
        within_tessellation: findings.within_tessellation().count(),
        touching_ignored: findings.left_out.touching,
        listed_ignored: findings.left_out.listed,
        shallow_ignored: findings.left_out.shallow,
        small_ignored: findings.left_out.small,
        near: findings.clearance.map(|_| findings.near.len()),
        since: comparison.map(|comparison| SinceJson {
            new: comparison.count(Since::New),
            changed: comparison.count(Since::Changed),
            gone: comparison.gone.len(),
            not_compared: comparison.not_compared,
        }),
        open: assembly.open_parts().count(),
        failures: assembly.failures.len(),
    }
}

fn interferences<'r>(
    assembly: &'r LoadedAssembly,
    findings: &'r Findings,
    comparison: Option<&'r Comparison>,
) -> impl Iterator<Item = InterferenceJson<'r>> {
    findings.list.iter().enumerate().map(move |(number, found)| InterferenceJson {
        a: &assembly.parts[found.a].name,
        b: &assembly.parts[found.b].name,
        kind: found.kind.word(),
        inner: found.kind.inner_letter(),
        since: comparison.map(|comparison| comparison.list[number].word()),
        depth: DepthJson::of(found),
        shared: found.shared.as_ref().map(SharedJson::from),
        triangle_pairs: found.pair_count,
        r#where: found.place().to_array(),
        region: [found.region.min.to_array(), found.region.max.to_array()],
    })
}

fn near<'r>(
    assembly: &'r LoadedAssembly,
    findings: &'r Findings,
    comparison: Option<&'r Comparison>,
) -> impl Iterator<Item = NearJson<'r>> {
    findings.near.iter().enumerate().map(move |(number, found)| NearJson {
        a: &assembly.parts[found.a].name,
        b: &assembly.parts[found.b].name,
        kind: NEAR,
        since: comparison.map(|comparison| comparison.near[number].word()),
        certainty: found.certainty().word(),
        gap: found.distance.distance,
        gap_error: found.distance.error,
        chord_error: found.chord_error,
        point_a: point_row(found.distance.point_a),
        point_b: point_row(found.distance.point_b),
        r#where: found.place().to_array(),
    })
}

fn part_json<'r>(assembly: &'r LoadedAssembly, part: &'r AssemblyPart) -> PartJson<'r> {
    let shape = &assembly.shapes[part.shape];
    PartJson {
        name: &part.name,
        file: part.file.to_string_lossy().into_owned(),
        triangles: shape.mesh().triangles().len(),
        solid: shape.is_solid(),
        class: class_of(assembly, part),
        exact: (!shape.is_exact()).then_some(false),
        mesh: part.shape,
    }
}

/// Returns the class of a part in a word.
pub(super) fn class_of(assembly: &LoadedAssembly, part: &AssemblyPart) -> &'static str {
    match (assembly.shapes[part.shape].is_closed(), part.is_inconsistent) {
        (true, _) => "closed",
        (_, true) => "inconsistent",
        _ => "open",
    }
}

/// Formats a value on one line.
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

/// The report of `heurt check --json`.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "the document is written list by list; its type gives the schema")]
pub(crate) struct CheckDocument {
    summary: CheckSummary,
    /// The deepest first, by upper bounds.
    interferences: Vec<InterferenceJson<'static>>,
    /// Pairs nearer than `--clearance`.
    #[serde(skip_serializing_if = "Option::is_none")]
    near: Option<Vec<NearJson<'static>>>,
    /// Pairs of `--baseline` that do not interfere any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    gone: Option<Vec<GoneJson<'static>>>,
    failures: Vec<FailureJson>,
    warnings: Vec<FileNote>,
    parts: Vec<PartJson<'static>>,
}
