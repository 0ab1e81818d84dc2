//! The report of a repair: the state before and after, the outcome of each step, and what is left.

use std::borrow::Cow;
use std::fmt;

use heurt_geometry::{Aabb, Vec3};

use super::edit::Change;
use super::options::Step;
use crate::{Class, Report};

/// Numbers of faults of a mesh by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FaultCounts {
    /// Triangles without area.
    pub degenerate_faces: usize,
    /// Triangles on the same corners as an earlier one.
    pub duplicate_faces: usize,
    /// Vertices that no triangle uses.
    pub isolated_vertices: usize,
    /// Edges of more than two triangles.
    pub non_manifold_edges: usize,
    /// Vertices of more than one fan of triangles.
    pub non_manifold_vertices: usize,
    /// Edges whose triangles disagree on which side is out.
    pub inconsistent_edges: usize,
    /// Borders.
    pub holes: usize,
    /// Closed shells that face inward and are no cavities.
    pub inward_shells: usize,
    /// Pairs of triangles that intersect elsewhere than in a common vertex or edge.
    pub self_intersections: usize,
}

impl FaultCounts {
    /// Returns each kind with its count, in a fixed order, named as [`Fault::kind`](crate::Fault::kind) names it.
    pub fn by_kind(&self) -> [(&'static str, usize); 9] {
        [
            ("degenerate-face", self.degenerate_faces),
            ("duplicate-face", self.duplicate_faces),
            ("isolated-vertex", self.isolated_vertices),
            ("non-manifold-edge", self.non_manifold_edges),
            ("non-manifold-vertex", self.non_manifold_vertices),
            ("inconsistent-orientation", self.inconsistent_edges),
            ("hole", self.holes),
            ("inward-shell", self.inward_shells),
            ("self-intersection", self.self_intersections),
        ]
    }

    /// The larger count of each kind.
    pub(super) fn max(self, other: Self) -> Self {
        Self {
            degenerate_faces: self.degenerate_faces.max(other.degenerate_faces),
            duplicate_faces: self.duplicate_faces.max(other.duplicate_faces),
            isolated_vertices: self.isolated_vertices.max(other.isolated_vertices),
            non_manifold_edges: self.non_manifold_edges.max(other.non_manifold_edges),
            non_manifold_vertices: self.non_manifold_vertices.max(other.non_manifold_vertices),
            inconsistent_edges: self.inconsistent_edges.max(other.inconsistent_edges),
            holes: self.holes.max(other.holes),
            inward_shells: self.inward_shells.max(other.inward_shells),
            self_intersections: self.self_intersections.max(other.self_intersections),
        }
    }

    /// Takes the counts of a report.
    pub(super) fn of(report: &Report) -> Self {
        Self {
            degenerate_faces: report.count("degenerate-face"),
            duplicate_faces: report.count("duplicate-face"),
            isolated_vertices: report.count("isolated-vertex"),
            non_manifold_edges: report.count("non-manifold-edge"),
            non_manifold_vertices: report.count("non-manifold-vertex"),
            inconsistent_edges: report.count("inconsistent-orientation"),
            holes: report.count("hole"),
            inward_shells: report.count("inward-shell"),
            self_intersections: report.count("self-intersection"),
        }
    }

    /// Returns the number of all faults.
    pub fn total(&self) -> usize {
        self.by_kind().iter().map(|(_, count)| count).sum()
    }
}

/// A mesh before or after a repair.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshState {
    /// The kind of object.
    pub class: Class,
    /// Its faults.
    pub faults: FaultCounts,
    /// Whether all faults were counted: self-intersections have a limit.
    pub complete: bool,
    /// Number of triangles.
    pub triangles: usize,
    /// Number of vertices.
    pub vertices: usize,
    /// Number of edges that have an odd number of distinct triangles: a triangle that is there twice counts once.
    pub open_edges: usize,
    /// The length of these edges together.
    pub open_length: f64,
    /// The area of all triangles.
    pub area: f64,
    /// The enclosed volume; `None` for an open mesh.
    pub volume: Option<f64>,
}

impl MeshState {
    /// Reports whether the mesh bounds a solid: closed, consistently oriented, free of self-intersections and of
    /// duplicate triangles. A sheet drawn from both sides has duplicates.
    pub fn is_solid(&self) -> bool {
        self.class >= Class::Solid && self.faults.self_intersections == 0 && self.faults.duplicate_faces == 0
    }

    /// Returns the first kind of fault that is more frequent than in `before`, or the open length if that is longer.
    /// More holes with a shorter border together are not worse.
    pub fn worse_than(&self, before: &Self) -> Option<Worse> {
        let quantities = |state: &Self| {
            let counts = state.faults.by_kind().into_iter().map(|(kind, count)| match kind {
                "self-intersection" if !state.complete => (kind, f64::INFINITY),
                _ => (kind, count as f64),
            });
            counts.chain([("open length", state.open_length)]).collect::<Vec<_>>()
        };
        let is_shorter = self.open_length < before.open_length;
        let mut pairs = quantities(before).into_iter().zip(quantities(self));
        let worse = pairs.find(|((kind, old), (_, new))| new > old && !(*kind == "hole" && is_shorter));
        worse.map(|((kind, before), (_, after))| Worse { kind, before, after, is_welded: false })
    }
}

/// How a step ended.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// The step was switched off.
    Skipped,
    /// There was nothing to do.
    Unchanged,
    /// The step changed the mesh.
    Changed,
    /// The step was undone because it made a kind of fault worse.
    Undone(Worse),
    /// The step did not run, or its result was not used, because the work left did not suffice to count the faults.
    WorkSpent,
}

/// A kind of fault that a step would have made worse.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Worse {
    /// The kind: as [`FaultCounts::by_kind`], or `"open length"`, or `"volume"`.
    pub kind: &'static str,
    /// The count, length or volume before.
    pub before: f64,
    /// The count, length or volume after; infinite if counting stopped at a limit.
    pub after: f64,
    /// Both were counted after the automatic weld, as `heurt inspect` counts.
    pub is_welded: bool,
}

impl fmt::Display for Worse {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let when = if self.is_welded { ", as `inspect` counts it" } else { "" };
        if self.after == f64::INFINITY {
            return write!(out, "{} from {} to more than are counted{when}", self.kind, self.before);
        }
        write!(out, "{} from {} to {}{when}", self.kind, self.before, self.after)
    }
}

/// The outcome and the changes of one step.
#[derive(Debug, Clone, PartialEq)]
pub struct StepReport {
    /// The step.
    pub step: Step,
    /// How it ended.
    pub outcome: Outcome,
    /// Its changes over all passes; empty if it was undone.
    pub change: Change,
}

impl StepReport {
    /// Adds a later run of the same step.
    pub(super) fn add(&mut self, later: &Self) {
        self.change.add(&later.change);
        self.outcome = match (&self.outcome, &later.outcome) {
            (Outcome::Changed, _) | (_, Outcome::Changed) => Outcome::Changed,
            (_, Outcome::Undone(_) | Outcome::WorkSpent) | (Outcome::WorkSpent, _) => later.outcome.clone(),
            (before, _) => before.clone(),
        };
    }
}

/// Why a hole stays open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum HoleReason {
    /// The step `fill` is switched off.
    SwitchedOff,
    /// Every filling that was tried intersects the mesh.
    Intersects,
    /// Every triangulation has a triangle without area, or uses an edge that the mesh has already.
    NoTriangulation,
    /// The border ends at edges of three or more triangles or where orientations disagree.
    NoLoop,
    /// The border is the rim of a flat sheet: a filling would lie on the sheet.
    Rim,
    /// The border bounds a flat face together with another border, which is left.
    OtherBorder,
    /// More holes lie in each other than the budget of the nesting test allows.
    TooManyNested,
    /// Filling the hole made another fault more frequent, so the step `fill` was undone.
    Undone,
    /// The work that a repair may cost was used up before the hole was filled.
    WorkSpent,
    /// The hole has more edges than the limit.
    TooManyEdges {
        /// The limit.
        limit: usize,
    },
}

impl HoleReason {
    /// Returns the reason with its advice. After a repair by force, no advice names force.
    fn text(self, is_forced: bool) -> Cow<'static, str> {
        let advice = match is_forced {
            true => "force did not help either: fill it by hand in a modeller, or model the part with a thickness",
            false => {
                "`heurt repair --force` removes the triangles around it and fills again; else model the missing face"
            }
        };
        match self {
            Self::SwitchedOff => "the step `fill` is switched off: `heurt repair` without --skip fill fills it".into(),
            Self::Intersects => format!("every filling tried intersects the mesh: {advice}").into(),
            Self::NoTriangulation => {
                format!("it has no filling without triangles of no area or edges used twice: {advice}").into()
            }
            Self::Rim => {
                "it is the rim of a flat sheet, which bounds nothing: no command makes a volume of it, model it \
                          with a thickness"
                    .into()
            }
            Self::OtherBorder => {
                "it bounds a flat face together with another border, which is left: see the reason of \
                                  that one"
                    .into()
            }
            Self::NoLoop if is_forced => format!("its border is no loop: {advice}").into(),
            Self::NoLoop => "its border is no loop: `heurt repair --force` removes the triangles around it and fills \
                             again, `heurt repair --weld LENGTH` closes a seam"
                .into(),
            Self::TooManyNested => "it is among too many holes that lie in each other: repair the mesh in parts".into(),
            Self::Undone => format!("filling it makes another fault more frequent: {advice}").into(),
            Self::WorkSpent => {
                "the work that a repair may cost was used up: repair the result again if it has changed, \
                                otherwise the mesh in parts"
                    .into()
            }
            Self::TooManyEdges { limit } => {
                format!("it has more than {limit} edges: `heurt repair --max-hole-edges N` takes more").into()
            }
        }
    }
}

impl fmt::Display for HoleReason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text(false))
    }
}

/// A hole that stays open.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenHole {
    /// The vertices of its border in order, by number in the repaired mesh.
    pub vertices: Vec<u32>,
    /// The mean of the vertices.
    pub centre: Vec3,
    /// The box of the vertices.
    pub bounds: Aabb,
    /// The length of the border.
    pub length: f64,
    /// Why it stays open.
    pub reason: HoleReason,
    /// Removal by force was tried, too: the advice differs.
    pub is_forced: bool,
}

impl fmt::Display for OpenHole {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Vec3 { x, y, z } = self.centre;
        let (count, length) = (self.vertices.len(), self.length);
        write!(
            out,
            "a hole of {count} vertices and length {length:.6} around [{x:.6}, {y:.6}, {z:.6}]: {}",
            self.reason.text(self.is_forced)
        )
    }
}

/// Something that is wrong with the repaired mesh.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Left {
    /// A hole.
    Hole(OpenHole),
    /// Faults of one kind. The kind `hole` counts the holes that are not listed one by one.
    Faults {
        /// The kind, as in [`FaultCounts::by_kind`].
        kind: &'static str,
        /// How many.
        count: usize,
        /// The worst one has no effect on a print.
        is_printed: bool,
        /// Removal by force was tried: the advice differs.
        is_forced: bool,
    },
    /// Steps that did not run, or whose results were not used, because the work that a repair may cost was used up.
    Work,
}

impl fmt::Display for Left {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, count, is_printed, is_forced) = match self {
            Self::Hole(hole) => return hole.fmt(out),
            Self::Faults { kind, count, is_printed, is_forced } => (*kind, *count, *is_printed, *is_forced),
            Self::Work => {
                return out.write_str(
                    "steps beyond the work that a repair may cost: repair the result again if it has changed, \
                     otherwise the mesh in parts",
                );
            }
        };
        let (one, many) = match kind {
            "degenerate-face" => ("triangle without area", "triangles without area"),
            "duplicate-face" => ("duplicate triangle", "duplicate triangles"),
            "isolated-vertex" => ("unused vertex", "unused vertices"),
            "non-manifold-edge" => ("edge of more than two triangles", "edges of more than two triangles"),
            "non-manifold-vertex" => ("vertex of several fans", "vertices of several fans"),
            "inconsistent-orientation" => (
                "edge whose triangles disagree on which side is out",
                "edges whose triangles disagree on which side is out",
            ),
            "hole" => ("more hole", "more holes"),
            "inward-shell" => ("shell that faces inward", "shells that face inward"),
            "self-intersection" => ("pair of triangles that intersect", "pairs of triangles that intersect"),
            other => (other, other),
        };
        write!(out, "{count} {}: {}", if count == 1 { one } else { many }, advice(kind, is_printed, is_forced))
    }
}

/// Returns the advice for faults that a repair leaves. After a repair by force, it ends outside of this program.
fn advice(kind: &str, is_printed: bool, is_forced: bool) -> &'static str {
    match (kind, is_forced) {
        ("isolated-vertex", _) => "`heurt repair` without --skip components drops them",
        ("non-manifold-edge" | "non-manifold-vertex", _) if is_printed => {
            "bodies touch there; slicers print them as they are"
        }
        ("degenerate-face", _) => "slicers print them as they are",
        (_, false) => "`heurt repair --force` removes the triangles around them and fills the holes",
        ("duplicate-face", true) => "no command makes a volume of a sheet: model it with a thickness",
        ("inconsistent-orientation", true) => "the surface has one side only: model it as a closed surface",
        (_, true) => "no command mends them: model the part as a closed surface",
    }
}

/// The report of a repair.
#[derive(Debug, Clone, PartialEq)]
pub struct RepairReport {
    /// The mesh as given.
    pub before: MeshState,
    /// The repaired mesh.
    pub after: MeshState,
    /// Each step, in order.
    pub steps: Vec<StepReport>,
    /// The holes that stay open, at most [`RepairReport::MAX_HOLES`] of them.
    pub holes: Vec<OpenHole>,
    /// The tolerance that was used, in the unit of the mesh.
    pub tolerance: f64,
    /// Whether the last pass changed nothing, so that a second repair changes nothing either.
    pub settled: bool,
    /// Whether something was left undone because the work that a repair may cost did not suffice: the repair ended
    /// before it settled.
    pub is_spent: bool,
    /// Whether removal by force was tried, of use or not: the advice on what is left differs.
    pub is_forced: bool,
}

impl RepairReport {
    /// Maximum number of holes in the list; the count in [`MeshState::faults`] is complete.
    pub const MAX_HOLES: usize = 1000;

    /// Joins this report with the report of a later repair of the result.
    #[must_use]
    pub fn then(mut self, later: Self) -> Self {
        self.steps.iter_mut().zip(&later.steps).for_each(|(step, later)| step.add(later));
        let is_spent = self.is_spent || later.is_spent;
        let mut joined = Self { before: self.before, steps: self.steps, is_spent, ..later };
        if self.is_forced {
            joined.mark_forced();
        }
        joined
    }

    /// Notes that removal by force was tried: no advice names it again.
    pub fn mark_forced(&mut self) {
        self.is_forced = true;
        self.holes.iter_mut().for_each(|hole| hole.is_forced = true);
    }

    /// Reports whether the repaired mesh bounds a solid.
    pub fn is_solid(&self) -> bool {
        self.after.is_solid()
    }

    /// Lists what is left: holes with their places, then all further kinds of faults with their counts, then a lack of
    /// work.
    pub fn left(&self) -> Vec<Left> {
        let holes = self.holes.iter().cloned().map(Left::Hole);
        let unlisted = self.after.faults.holes.saturating_sub(self.holes.len());
        let is_forced = self.is_forced;
        let counts = self.after.faults.by_kind().into_iter().filter_map(|(kind, count)| {
            let count = if kind == "hole" { unlisted } else { count };
            // Edges of a closed mesh have equally many triangles in both directions.
            let is_printed = match kind {
                "non-manifold-edge" => self.after.class.is_closed(),
                "non-manifold-vertex" | "degenerate-face" | "isolated-vertex" => true,
                _ => false,
            };
            (count > 0).then_some(Left::Faults { kind, count, is_printed, is_forced })
        });
        holes.chain(counts).chain(self.is_spent.then_some(Left::Work)).collect()
    }

    /// Reports whether any step changed the mesh.
    pub fn has_changed(&self) -> bool {
        self.steps.iter().any(|step| step.outcome == Outcome::Changed)
    }
}
