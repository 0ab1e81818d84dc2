//! Mesh repair: a sequence of switchable steps, each undone if it makes a kind of fault worse.
//!
//! In: a mesh and [`RepairOptions`]. Out: the repaired mesh and a [`RepairReport`]: its state before and after, what
//! each step changed, and what is left.
//! Method: the steps of [`Step`] run in order, and the sequence repeats until a pass changes nothing (Attene, "A
//! lightweight approach to repairing digitized polygon meshes" (2010), has a similar order). After each step the faults
//! are counted again (`state`). If a step makes a hard quantity worse, it is undone at once. At the end all counts are
//! compared with those of the input, in the mesh as it is and after the automatic weld, as `heurt inspect` counts. If
//! one is worse, the step that made it worse for good is switched off, and the repair starts over without it; at the
//! extreme, all steps are off and the input comes back.
//! Guarantees: after each step, open edges together are not longer (by more than a share of 1e-5), and
//! self-intersections are not more, if all were counted; where the mesh was closed before and after a step that turned
//! nothing, its volume changes by at most the bound stated for the step. At the end, no kind of fault is more frequent
//! than in the input, neither as the meshes are nor as `heurt inspect` counts; but for holes, of which there are more
//! only if the open edges together became shorter: a long border may become several short ones. The open edges are not
//! longer by either count. If [`RepairReport::settled`] holds, a second repair changes nothing. The same bits in every
//! run and for any number of threads.
//! Not compared, so not guaranteed to be no worse: self-intersections beyond the number that `heurt inspect` counts,
//! the volume of an open mesh or across a step that turns triangles, the area, and where faults are: one may go and
//! another of its kind appear elsewhere. Coordinates are compared as they are: a file of `f32` rounds them afterwards.
//! Not guaranteed: that the result is a solid. Self-intersections are counted and left. Work beyond a budget (`budget`:
//! many triangles that intersect, thousands of holes in each other, open edges on one line) is left and reported.
//! Cost: a few times that of [`check`](crate::check()); with the budget used up, approximately 200 times that.

mod budget;
mod components;
mod degenerate;
mod duplicate;
mod edit;
pub(crate) mod fill;
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

use self::budget::RepairWork;
use self::degenerate::Rules;
use self::edit::Edit;
use self::fill::{FillLimits, Unfilled};
use self::options::{Lengths, MAX_DYNAMIC_EDGES};
use self::state::{Judged, Tally};
use crate::{Edge, Topology, TriMesh};

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
/// let cube = generate::cuboid([1.0; 3])?;
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
    let (input, tests) = Judged::of_input(mesh.clone());
    let work = RepairWork::new(mesh.triangles().len(), tests);
    let mut total = Total::new(options, input.clone());
    for round in 0..MAX_ROUNDS {
        let improved = improve(options, &lengths, &total.now, round == 0, &work)?;
        // A step that was switched off, or the other method, may be of use on the result: then all start again from
        // there.
        let is_plain = improved.refused.is_empty() && improved.welding == WeldingMethod::Seams;
        let is_final = is_plain || !improved.has_changed();
        let settled = improved.settled && is_final;
        total.add(improved);
        if is_final || total.is_spent {
            total.settled = settled && !total.is_spent;
            break;
        }
    }
    Ok(total.finish(&input, &lengths, options.runs(Step::Fill)))
}

/// Runs the steps with both methods of welding, if the first one leaves something, and returns the better result. The
/// first one may use half of the work.
fn improve<'a>(
    options: &RepairOptions,
    lengths: &'a Lengths,
    start: &Judged,
    is_first: bool,
    work: &'a RepairWork,
) -> Result<RepairRun<'a>, RepairError> {
    let aside = work.set_half_aside();
    let mut run = improve_by(WeldingMethod::Seams, options, lengths, start, is_first, work)?;
    run.is_spent = work.put_back(aside);
    let may_help = options.runs(Step::Weld) && lengths.tolerance > 0.0 && !run.now.state.is_solid();
    if !may_help || weld::weld_clusters(&start.mesh, lengths.tolerance).is_none() {
        return Ok(run);
    }
    let mut other = improve_by(WeldingMethod::Clusters, options, lengths, start, is_first, work)?;
    other.is_spent = work.is_spent();
    let rank = |run: &RepairRun| {
        let MeshState { open_length, faults, .. } = run.now.state;
        (!run.now.state.is_solid(), open_length, faults.self_intersections)
    };
    Ok(if rank(&other) < rank(&run) { other } else { run })
}

/// Runs the steps until nothing changes, without steps that leave a kind of fault more frequent than in `start`. If the
/// work is used up, the last state counts in which none was more frequent.
fn improve_by<'a>(
    welding: WeldingMethod,
    options: &RepairOptions,
    lengths: &'a Lengths,
    start: &Judged,
    is_first: bool,
    work: &'a RepairWork,
) -> Result<RepairRun<'a>, RepairError> {
    let mut options = options.clone();
    let mut refused: Vec<(Step, Worse)> = Vec::new();
    // Counted once for all repetitions.
    start.tally(work);
    loop {
        let mut run = RepairRun::new(options.clone(), welding, lengths, start.clone(), work);
        run.until_settled(is_first)?;
        // Each repetition switches one more step off, so there are at most as many as steps.
        match run.culprit() {
            Some((step, worse)) if work.is_spent() => {
                refused.push((step, worse));
                run.back_to_good();
                run.refused = refused;
                return Ok(run);
            }
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

/// How vertices are welded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WeldingMethod {
    /// Where open edges match.
    Seams,
    /// All that are near each other.
    Clusters,
}

/// How a step treats triangles that intersect others. Splitting them adds to the number of pairs, but may resolve them,
/// too: each care is tried in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Care {
    /// As all others.
    Plain,
    /// They are not split.
    SparesCrossed,
    /// They, their neighbours and the triangles at borders count as needles if they are flat within the tolerance.
    FlattensCrossed,
}

impl Care {
    const ALL: [Self; 3] = [Self::Plain, Self::SparesCrossed, Self::FlattensCrossed];
}

/// By triangle, whether it lies at a border, is marked, or is next to one that is marked.
fn near_faults(topology: &Topology, marked: &[bool]) -> Vec<bool> {
    let mut near = marked.to_vec();
    let is_near = |edge: &Edge| edge.degree() % 2 == 1 || edge.triangles().any(|triangle| marked[triangle as usize]);
    for edge in topology.edges().filter(is_near) {
        edge.triangles().for_each(|triangle| near[triangle as usize] = true);
    }
    near
}

/// One run of the steps over a mesh.
struct RepairRun<'a> {
    options: RepairOptions,
    welding: WeldingMethod,
    lengths: &'a Lengths,
    work: &'a RepairWork,
    start: Judged,
    now: Judged,
    steps: Vec<StepReport>,
    /// The last accepted state in which no quantity was worse than at the start, with the reports of the steps.
    good: Option<(Judged, Vec<StepReport>)>,
    /// After each accepted step, the counts that are compared with those of the input.
    history: Vec<(Step, Tally)>,
    /// The holes that are left; `None` if it is not known why.
    unfilled: Option<Vec<Unfilled>>,
    settled: bool,
    /// Work was refused.
    is_spent: bool,
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

impl<'a> RepairRun<'a> {
    fn new(
        options: RepairOptions,
        welding: WeldingMethod,
        lengths: &'a Lengths,
        start: Judged,
        work: &'a RepairWork,
    ) -> Self {
        let steps = first_reports(&options);
        let now = start.clone();
        let (good, history, unfilled, refused) = Default::default();
        let (settled, is_spent) = (false, false);
        Self { options, welding, lengths, work, start, now, steps, good, history, unfilled, settled, is_spent, refused }
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
                if self.work.is_spent() {
                    self.unfilled = None;
                    return Ok(());
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
        let mut changed = false;
        let mut undone = None;
        for care in Care::ALL {
            if care != Care::Plain && !matches!(step, Step::Degenerate | Step::Seams) {
                break;
            }
            let Some(edit) = self.edit(step, care)? else {
                self.work.charge_step(self.now.mesh.triangles().len());
                continue;
            };
            if !self.work.allows_check(edit.mesh.triangles().len()) {
                self.unfilled = None;
                break;
            }
            let change = edit.change;
            match self.now.accept(edit, self.work) {
                Ok(next) => {
                    self.now = next;
                    self.steps[step as usize].change.add(&change);
                    self.steps[step as usize].outcome = Outcome::Changed;
                    self.record(step);
                    (changed, undone) = (true, None);
                }
                Err(worse) => {
                    undone = undone.or(Some(worse));
                    if step == Step::Fill {
                        self.unfilled = None;
                    }
                }
            }
        }
        let outcome = &mut self.steps[step as usize].outcome;
        match undone {
            _ if changed => *outcome = Outcome::Changed,
            Some(worse) if *outcome != Outcome::Changed => *outcome = Outcome::Undone(worse),
            _ => {}
        }
        Ok(changed)
    }

    /// Records the counts after a step, and the state if it is good.
    fn record(&mut self, step: Step) {
        let tally = self.now.tally(self.work);
        self.history.push((step, tally));
        if tally.worse_than(self.start.tally(self.work)).next().is_none() {
            self.good = Some((self.now.clone(), self.steps.clone()));
        }
    }

    /// Returns to the last good state, or to the start.
    fn back_to_good(&mut self) {
        let at_start = || (self.start.clone(), first_reports(&self.options));
        (self.now, self.steps) = self.good.take().unwrap_or_else(at_start);
        (self.unfilled, self.settled) = (None, false);
    }

    /// What a step makes of the mesh; `None` if it has nothing to do.
    fn edit(&mut self, step: Step, care: Care) -> Result<Option<Edit>, RepairError> {
        let topology = Topology::new(&self.now.mesh);
        let Lengths { tolerance, gap, tiny } = *self.lengths;
        let crossed = self.now.crossed();
        let nothing = vec![false; crossed.len()];
        let fixed = if care == Care::SparesCrossed { &crossed } else { &nothing };
        Ok(match step {
            Step::Weld => match self.welding {
                WeldingMethod::Seams => weld::weld_seams(&self.now.mesh, self.options.tolerance)?,
                WeldingMethod::Clusters => weld::weld_clusters(&self.now.mesh, tolerance),
            },
            Step::Degenerate => {
                let flat = near_faults(&topology, &crossed);
                let flat_within = (care == Care::FlattensCrossed).then_some((flat.as_slice(), tolerance));
                degenerate::drop_degenerate(&topology, &Rules { fixed, flat_within })
            }
            Step::Duplicates => duplicate::drop_duplicates(&topology),
            Step::Seams if care == Care::FlattensCrossed => None,
            Step::Seams => seams::split_at_border_vertices(&topology, tolerance, fixed),
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
                let limits = FillLimits {
                    tolerance,
                    max_edges: self.options.max_hole_edges,
                    max_dynamic: MAX_DYNAMIC_EDGES,
                    work: self.work,
                };
                let filled = fill::fill_holes(&topology, &limits);
                self.unfilled = Some(filled.unfilled);
                filled.edit
            }
        })
    }

    /// The step that made a quantity worse than in the input for good, and the quantity; `None` if none is worse.
    fn culprit(&self) -> Option<(Step, Worse)> {
        let start = self.start.tally(self.work);
        let worse = self.history.last()?.1.worse_than(start).next()?;
        let is_good = |tally: Tally| {
            !tally.worse_than(start).any(|other| (other.kind, other.is_welded) == (worse.kind, worse.is_welded))
        };
        let last_good = self.history.iter().rposition(|&(_, tally)| is_good(tally));
        self.history.get(last_good.map_or(0, |place| place + 1)).map(|&(step, _)| (step, worse))
    }
}

/// What all runs did together.
struct Total {
    now: Judged,
    steps: Vec<StepReport>,
    unfilled: Option<Vec<Unfilled>>,
    settled: bool,
    is_spent: bool,
}

impl Total {
    fn new(options: &RepairOptions, input: Judged) -> Self {
        Self { now: input, steps: first_reports(options), unfilled: None, settled: false, is_spent: false }
    }

    /// Adds what a run did.
    fn add(&mut self, run: RepairRun) {
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
        self.is_spent = run.is_spent;
    }

    fn finish(self, input: &Judged, lengths: &Lengths, fills: bool) -> Repaired {
        let reason = match (fills, self.is_spent) {
            (false, _) => HoleReason::SwitchedOff,
            (true, true) => HoleReason::WorkSpent,
            (true, false) => HoleReason::Undone,
        };
        let holes = open_holes(&self.now.mesh, self.unfilled, reason);
        let report = RepairReport {
            before: input.state.clone(),
            after: self.now.state,
            steps: self.steps,
            holes,
            tolerance: lengths.tolerance,
            settled: self.settled,
            is_spent: self.is_spent,
        };
        Repaired { mesh: self.now.mesh, report }
    }
}

/// The holes that are left, with their places; `reason` is that of holes that were not tried.
fn open_holes(mesh: &TriMesh, unfilled: Option<Vec<Unfilled>>, reason: HoleReason) -> Vec<OpenHole> {
    let found = unfilled.unwrap_or_else(|| {
        let borders = fill::loops::borders(&Topology::new(mesh));
        let all = borders.cycles.into_iter().chain(borders.open);
        all.map(|vertices| Unfilled { vertices, reason }).collect()
    });
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
