//! The repair report as one JSON document.

use super::{MeasuredState, Mended};
use crate::Failure;
use crate::check::{FailureJson, write_list, write_summary};
use crate::input::Input;
use heurt::mesh::repair::{Change, Left, MeshState, Outcome, StepReport};
use heurt::scene::FileNote;
use heurt::solid::Resolution;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};

#[derive(JsonSchema, Serialize)]
struct RepairedJson<'m> {
    file: String,
    name: &'m str,
    solid: bool,
    changed: bool,
    settled: bool,
    is_spent: bool,
    tolerance: f64,
    before: StateJson,
    after: StateJson,
    steps: Vec<StepJson>,
    /// The pairs of triangles that the outer hull resolved.
    #[serde(skip_serializing_if = "Option::is_none")]
    resolved: Option<usize>,
    /// Why there is no hull.
    #[serde(skip_serializing_if = "Option::is_none")]
    unresolved: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    forced: Option<ForcedJson>,
    /// Present if the mesh is no solid after rounding to the 32 bits of the written format, but would be in 64 bits.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    broken_by_rounding: bool,
    left: Vec<LeftJson>,
}

/// The removal by force; areas and volumes are in `before` and `after`.
#[derive(JsonSchema, Serialize)]
struct ForcedJson {
    rounds: usize,
    triangles_removed: usize,
}

#[derive(JsonSchema, Serialize)]
struct StateJson {
    class: String,
    solid: bool,
    triangles: usize,
    vertices: usize,
    open_edges: usize,
    open_length: f64,
    area: f64,
    volume: Option<f64>,
    /// The sum of the volumes of the shells, if they share space, which `volume` counts once.
    #[serde(skip_serializing_if = "Option::is_none")]
    shell_volume: Option<f64>,
    faults: BTreeMap<&'static str, usize>,
    complete: bool,
}

#[derive(JsonSchema, Serialize)]
struct StepJson {
    step: &'static str,
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    worse: Option<String>,
    triangles_added: usize,
    triangles_removed: usize,
    triangles_turned: usize,
    vertices_merged: usize,
    vertices_doubled: usize,
    vertices_dropped: usize,
    holes_filled: usize,
    deviation: f64,
}

#[derive(JsonSchema, Serialize)]
struct LeftJson {
    kind: &'static str,
    count: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    centre: Option<[f64; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bounds: Option<[[f64; 3]; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    length: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vertices: Option<Vec<u32>>,
    message: String,
}

/// Prints the document.
pub(super) fn print(input: &Input, mended: &[Mended], failures: &[Failure], out: &mut impl Write) -> io::Result<()> {
    let meshes = mended.iter().map(|Mended { name, has_changed, report, resolution, forced, is_broken, measured }| {
        RepairedJson {
            file: input.name(),
            name,
            solid: report.is_solid(),
            changed: *has_changed,
            settled: report.settled,
            is_spent: report.is_spent,
            tolerance: report.tolerance,
            before: state(&report.before, &measured[0]),
            after: state(&report.after, &measured[1]),
            steps: report.steps.iter().map(step).collect(),
            resolved: match resolution {
                Resolution::Resolved { pairs } => Some(*pairs),
                _ => None,
            },
            unresolved: match resolution {
                Resolution::Failed(error) => Some(error.to_string()),
                Resolution::Undone(worse) => Some(format!("it would raise {worse}")),
                _ => None,
            },
            forced: forced
                .as_ref()
                .map(|forced| ForcedJson { rounds: forced.rounds, triangles_removed: forced.removed }),
            broken_by_rounding: *is_broken,
            left: report.left().into_iter().map(left).collect(),
        }
    });
    let solid = mended.iter().filter(|mended| mended.report.is_solid()).count();
    let unit = input.units.symbol();
    write_summary(&RepairSummary { unit, meshes: mended.len(), solid, failures: failures.len() }, out)?;
    write_list("meshes", meshes, out)?;
    write_list("failures", failures.iter().map(FailureJson::from), out)?;
    input.write_warnings(out)?;
    writeln!(out, "\n}}")
}

fn state(state: &MeshState, measured: &MeasuredState) -> StateJson {
    StateJson {
        class: state.class.to_string(),
        solid: state.is_solid(),
        triangles: state.triangles,
        vertices: state.vertices,
        open_edges: state.open_edges,
        open_length: state.open_length,
        area: measured.area,
        volume: measured.volume,
        shell_volume: measured.shell_volume,
        faults: state.faults.by_kind().into_iter().filter(|&(_, count)| count > 0).collect(),
        complete: state.complete,
    }
}

fn step(report: &StepReport) -> StepJson {
    let (outcome, worse) = match &report.outcome {
        Outcome::Skipped => ("skipped", None),
        Outcome::Unchanged => ("unchanged", None),
        Outcome::Changed => ("changed", None),
        Outcome::Undone(worse) => ("undone", Some(worse.to_string())),
        Outcome::WorkSpent => ("work-spent", None),
        _ => ("other", None),
    };
    let Change { triangles_added, triangles_removed, triangles_turned, vertices_merged, .. } = report.change;
    let Change { vertices_doubled, vertices_dropped, holes_filled, deviation, .. } = report.change;
    StepJson {
        step: report.step.name(),
        outcome,
        worse,
        triangles_added,
        triangles_removed,
        triangles_turned,
        vertices_merged,
        vertices_doubled,
        vertices_dropped,
        holes_filled,
        deviation,
    }
}

fn left(left: Left) -> LeftJson {
    let message = left.to_string();
    match left {
        Left::Hole(hole) => LeftJson {
            kind: "hole",
            count: 1,
            centre: Some(hole.centre.to_array()),
            bounds: Some([hole.bounds.min.to_array(), hole.bounds.max.to_array()]),
            length: Some(hole.length),
            vertices: Some(hole.vertices),
            message,
        },
        Left::Faults { kind, count, .. } => {
            LeftJson { kind, count, centre: None, bounds: None, length: None, vertices: None, message }
        }
        Left::Work => {
            LeftJson { kind: "work", count: 1, centre: None, bounds: None, length: None, vertices: None, message }
        }
        _ => LeftJson { kind: "other", count: 1, centre: None, bounds: None, length: None, vertices: None, message },
    }
}

/// The report of `heurt repair --json`.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "the document is written list by list; its type gives the schema")]
pub(crate) struct RepairDocument {
    summary: RepairSummary,
    meshes: Vec<RepairedJson<'static>>,
    failures: Vec<FailureJson>,
    warnings: Vec<FileNote>,
}

/// The counts of the report.
#[derive(JsonSchema, Serialize)]
struct RepairSummary {
    /// Unit of every length in the report; null if no input declares one.
    unit: Option<&'static str>,
    meshes: usize,
    solid: usize,
    failures: usize,
}
