//! Mesh repair: a sequence of switchable steps, each undone if it makes a kind of fault worse.
//!
//! In: a mesh and [`RepairOptions`]. Out: the repaired mesh and a [`RepairReport`]: its state before and after, what
//! each step changed, and what is left.
//! Method: the steps of [`Step`] run in order, and the sequence repeats until a pass changes nothing (Attene, "A
//! lightweight approach to repairing digitized polygon meshes" (2010), has a similar order). After each step the faults
//! are counted again (`state`). If a step makes a hard quantity worse, it is undone at once. If a kind of fault is
//! worse at the end than it was in the input, the first step that raised it is switched off, and the repair starts
//! over.
//! Guarantees: no kind of fault is more frequent afterwards; open edges are not longer; self-intersections are not
//! more. Volume changes by at most the bound stated for each step, if the mesh was closed. If [`RepairReport::settled`]
//! holds, a second repair changes nothing. The same bits in every run and for any number of threads.
//! Not guaranteed: that the result is a solid. Self-intersections are counted and left.
//! Cost: a few times that of [`check`](crate::check()).

mod components;
mod degenerate;
mod duplicate;
mod edit;
mod fill;
mod fins;
mod options;
mod orient;
mod report;
mod seams;
mod split;
mod state;
mod weld;

use heurt_geometry::{Aabb, Vec3};

pub use self::edit::Change;
pub use self::options::{RepairError, RepairOptions, Step};
pub use self::report::{FaultCounts, HoleReason, Left, MeshState, OpenHole, Outcome, RepairReport, StepReport, Worse};

use self::edit::Edit;
use self::fill::{FillLimits, Unfilled};
use self::options::{Lengths, MAX_DYNAMIC_EDGES};
use self::state::Judged;
use crate::{Topology, TriMesh};

/// Maximum number of passes. Two or three suffice for all meshes tried; the bound is for inputs made to oscillate.
const MAX_PASSES: usize = 8;

/// Maximum number of times that all steps start again because some had been switched off.
const MAX_ROUNDS: usize = 8;

/// A repaired mesh and what was done.
#[derive(Debug, Clone, PartialEq)]
pub struct Repaired {
    /// The repaired mesh.
    pub mesh: TriMesh,
    /// What was wrong, what was done, and what is left.
    pub report: RepairReport,
}

/// Repairs a mesh.
///
/// ```
/// use heurt_mesh::{generate, repair, RepairOptions, TriMesh};
/// let cube = generate::cuboid(heurt_geometry::Vec3::ONE)?;
/// let (vertices, mut triangles) = cube.into_parts();
/// triangles.truncate(10); // a face is missing
/// let broken = TriMesh::new(vertices, triangles)?;
/// let repaired = repair(&broken, &RepairOptions::default())?;
/// assert!(repaired.report.is_solid());
/// assert_eq!(repaired.report.after.volume, Some(8.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`RepairError`] on an option that is out of range, and on a tolerance larger than a wall of an open mesh.
pub fn repair(mesh: &TriMesh, options: &RepairOptions) -> Result<Repaired, RepairError> {
    let lengths = options.lengths(mesh)?;
    let input = Judged::new(mesh.clone());
    let mut total = Total::new(options, input.clone());
    for round in 0..MAX_ROUNDS {
        let improved = improve(options, &lengths, total.now.clone(), round == 0)?;
        // A step that was switched off may be of use on the result: then the same steps start again from there.
        let is_final = improved.refused.is_empty() || !improved.has_changed();
        let settled = improved.settled && is_final;
        total.add(improved);
        if is_final {
            total.settled = settled;
            break;
        }
    }
    Ok(total.finish(&input, &lengths, options.runs(Step::Fill)))
}

/// Runs the steps until nothing changes, without steps that leave a kind of fault more frequent than in `start`.
fn improve<'a>(
    options: &RepairOptions,
    lengths: &'a Lengths,
    start: Judged,
    is_first: bool,
) -> Result<Run<'a>, RepairError> {
    let mut options = options.clone();
    let mut refused: Vec<(Step, Worse)> = Vec::new();
    loop {
        let mut run = Run::new(options.clone(), lengths, start.clone());
        run.until_settled(is_first)?;
        let worse = run.now.worse_than(&start);
        let culprit = worse.and_then(|worse| Some((run.first_to_raise(worse.kind)?, worse)));
        // Each repetition switches one more step off, so there are at most as many as steps.
        match culprit {
            Some((step, worse)) => {
                options = options.with(step, false);
                refused.push((step, worse));
            }
            None => {
                run.refused = refused;
                return Ok(run);
            }
        }
    }
}

/// One run of the steps over a mesh.
struct Run<'a> {
    options: RepairOptions,
    lengths: &'a Lengths,
    now: Judged,
    steps: Vec<StepReport>,
    /// After each accepted step, the counts of faults by kind.
    history: Vec<(Step, FaultCounts)>,
    unfilled: Vec<Unfilled>,
    settled: bool,
    /// The steps that were switched off, and what they made worse.
    refused: Vec<(Step, Worse)>,
}

/// The report of a step before it has run.
fn first_reports(options: &RepairOptions) -> Vec<StepReport> {
    let first = |step| StepReport {
        step,
        outcome: if options.runs(step) { Outcome::Unchanged } else { Outcome::Skipped },
        change: Change::default(),
    };
    Step::ALL.map(first).to_vec()
}

impl<'a> Run<'a> {
    fn new(options: RepairOptions, lengths: &'a Lengths, start: Judged) -> Self {
        let steps = first_reports(&options);
        let (history, unfilled, refused) = Default::default();
        Self { options, lengths, now: start, steps, history, unfilled, settled: false, refused }
    }

    fn has_changed(&self) -> bool {
        self.steps.iter().any(|step| step.outcome == Outcome::Changed)
    }

    /// Repeats all steps until a pass changes nothing.
    fn until_settled(&mut self, is_first: bool) -> Result<(), RepairError> {
        for pass in 0..MAX_PASSES {
            let mut changed = false;
            for step in Step::ALL {
                if !self.options.runs(step) {
                    continue;
                }
                match self.run_step(step) {
                    Ok(has_changed) => changed |= has_changed,
                    // Later passes see edges that the steps made; only walls of the input count.
                    Err(error) if is_first && pass == 0 => return Err(error),
                    Err(_) => {}
                }
            }
            if !changed {
                self.settled = true;
                break;
            }
        }
        Ok(())
    }

    /// Runs one step; reports whether it changed the mesh.
    fn run_step(&mut self, step: Step) -> Result<bool, RepairError> {
        let nothing = vec![false; self.now.mesh.triangles().len()];
        let Some(edit) = self.edit(step, &nothing)? else { return Ok(false) };
        let mut change = edit.change;
        let mut judged = self.now.accept(edit);
        if judged.is_err() && matches!(step, Step::Degenerate | Step::Seams) {
            // Splitting a triangle that intersects another one adds pairs: try without such triangles.
            if let Some(careful) = self.edit(step, &self.now.crossed())? {
                change = careful.change;
                judged = self.now.accept(careful);
            }
        }
        let report = &mut self.steps[step as usize];
        match judged {
            Ok(next) => {
                self.now = next;
                report.outcome = Outcome::Changed;
                report.change.add(&change);
                self.history.push((step, self.now.state.faults));
                Ok(true)
            }
            Err(worse) => {
                if report.outcome != Outcome::Changed {
                    report.outcome = Outcome::Undone(worse);
                }
                Ok(false)
            }
        }
    }

    /// What a step makes of the mesh; `None` if it has nothing to do. It splits no triangle that is marked as crossed.
    fn edit(&mut self, step: Step, crossed: &[bool]) -> Result<Option<Edit>, RepairError> {
        let topology = Topology::new(&self.now.mesh);
        let Lengths { tolerance, gap, tiny } = *self.lengths;
        Ok(match step {
            Step::Weld => weld::weld_seams(&self.now.mesh, self.options.tolerance)?,
            Step::Degenerate => degenerate::drop_degenerate(&topology, crossed),
            Step::Duplicates => duplicate::drop_duplicates(&topology),
            Step::Seams => seams::split_at_border_vertices(&topology, tolerance, crossed),
            Step::Components => match fins::drop_fins(&topology) {
                Some(edit) => {
                    let later = components::drop_components(&Topology::new(&edit.mesh), tiny);
                    Some(edit.then(later))
                }
                None => components::drop_components(&topology, tiny),
            },
            Step::Orient => orient::orient(&topology, tolerance),
            Step::Split => split::split_non_manifold(&topology, gap),
            Step::Fill => {
                let limits =
                    FillLimits { tolerance, max_edges: self.options.max_hole_edges, max_dynamic: MAX_DYNAMIC_EDGES };
                let filled = fill::fill_holes(&topology, &limits);
                self.unfilled = filled.unfilled;
                filled.edit
            }
        })
    }

    /// The first step after which a kind of fault was more frequent than in the input.
    fn first_to_raise(&self, kind: &str) -> Option<Step> {
        let count = |faults: &FaultCounts| faults.by_kind().iter().find(|entry| entry.0 == kind).map(|entry| entry.1);
        let last = self.history.last().map(|(_, faults)| count(faults))?;
        // The step after which the count never fell below its final value again is the one to blame.
        let raised = self.history.iter().rposition(|(_, faults)| count(faults) < last);
        self.history.get(raised.map_or(0, |place| place + 1)).map(|&(step, _)| step)
    }
}

/// What all runs did together.
struct Total {
    now: Judged,
    steps: Vec<StepReport>,
    unfilled: Vec<Unfilled>,
    settled: bool,
}

impl Total {
    fn new(options: &RepairOptions, input: Judged) -> Self {
        Self { now: input, steps: first_reports(options), unfilled: Vec::new(), settled: false }
    }

    /// Adds what a run did.
    fn add(&mut self, run: Run) {
        for (total, step) in self.steps.iter_mut().zip(&run.steps) {
            total.change.add(&step.change);
            match step.outcome {
                Outcome::Changed => total.outcome = Outcome::Changed,
                Outcome::Undone(_) if total.outcome != Outcome::Changed => total.outcome = step.outcome.clone(),
                _ => {}
            }
        }
        for (step, worse) in run.refused {
            let outcome = &mut self.steps[step as usize].outcome;
            if *outcome != Outcome::Changed {
                *outcome = Outcome::Undone(worse);
            }
        }
        self.now = run.now;
        self.unfilled = run.unfilled;
    }

    fn finish(self, input: &Judged, lengths: &Lengths, fills: bool) -> Repaired {
        let holes = open_holes(&self.now.mesh, &self.unfilled, fills);
        let report = RepairReport {
            before: input.state.clone(),
            after: self.now.state,
            steps: self.steps,
            holes,
            tolerance: lengths.tolerance,
            settled: self.settled,
        };
        Repaired { mesh: self.now.mesh, report }
    }
}

/// The holes that are left, with their places.
fn open_holes(mesh: &TriMesh, unfilled: &[Unfilled], fills: bool) -> Vec<OpenHole> {
    let found: Vec<Unfilled> = if fills {
        unfilled.to_vec()
    } else {
        let borders = fill::loops::borders(&Topology::new(mesh));
        let all = borders.cycles.into_iter().chain(borders.open);
        all.map(|vertices| Unfilled { vertices, reason: HoleReason::SwitchedOff }).collect()
    };
    let holes = found.into_iter().take(RepairReport::MAX_HOLES).map(|Unfilled { vertices, reason }| {
        let places: Vec<Vec3> = vertices.iter().map(|&vertex| mesh.vertices()[vertex as usize]).collect();
        let count = places.len() as f64;
        let centre = places.iter().fold(Vec3::ZERO, |sum, &place| sum + place / count);
        let mut sides = places.windows(2).map(|side| (side[1] - side[0]).length()).sum::<f64>();
        if let ([first, .., last], false) = (places.as_slice(), reason == HoleReason::NoLoop) {
            sides += (*first - *last).length();
        }
        OpenHole { vertices, centre, bounds: Aabb::from_points(places), length: sides, reason }
    });
    holes.collect()
}
