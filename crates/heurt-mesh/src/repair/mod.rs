//! Mesh repair: a sequence of switchable steps, each undone if it makes a kind of fault worse.
//!
//! In: a mesh and [`RepairOptions`]. Out: the repaired mesh and a [`RepairReport`]: its state before and after, what
//! each step changed, and what is left.
//! Method: the steps of [`Step`] run in order, and the sequence repeats until a pass changes nothing (Attene, "A
//! lightweight approach to repairing digitized polygon meshes" (2010), has a similar order). After each step the faults
//! are counted again (`state`). If a step makes a hard quantity worse, it is undone at once. At the end all counts are
//! compared with those of the input, in the mesh as it is and after the automatic weld, as `heurt inspect` counts. If
//! one is worse, the step that made it worse for good is switched off, and the repair starts over without it; at the
//! extreme, all steps are off and the input comes back. If steps were switched off and the result still differs from
//! the input, another round starts from there. Its counts are compared with its start, and with the input once more.
//! Guarantees: after each step, open edges together are not longer (by more than a share of 1e-5), and
//! self-intersections are not more, if all were counted; where the mesh was closed before and after a step that turned
//! nothing, its volume changes by at most the bound stated for the step. At the end, no kind of fault is more frequent
//! than in the input, neither as the meshes are nor as `heurt inspect` counts. There are two exceptions. A repeated
//! triangle hides faults at its edges, so the counts of the input without repeats are allowed as well. There are more
//! holes only if the open edges together became shorter, as a long border may become several short ones. The open edges
//! are not longer by either count. If [`RepairReport::settled`] holds, a second repair changes nothing. The same bits
//! in every run and for any number of threads.
//! Not compared, so not guaranteed to be no worse: self-intersections beyond the number that `heurt inspect` counts,
//! the volume of an open mesh or across a step that turns triangles, the area, and where faults are: one may go and
//! another of its kind appear elsewhere. Coordinates are compared as they are: a file of `f32` rounds them afterwards.
//! Not guaranteed: that the result is a solid. Self-intersections are counted and left (`heurt_solid::mend` resolves
//! them). Work beyond a budget (`budget`:
//! many triangles that intersect, thousands of holes in each other, open edges on one line) is left and reported; then
//! the best state counts that was reached and is no worse than the input.
//! Cost: a few times a [`check`](crate::check()); with the budget used up, approximately 200 times as much, or 17 s.

mod budget;
mod components;
mod cut;
mod degenerate;
mod duplicate;
mod edit;
pub(crate) mod fill;
mod fins;
mod hole_reasons;
mod options;
mod orient;
mod report;
mod seams;
pub(crate) mod split;
mod state;
#[cfg(test)]
mod tests;
mod weld;

use heurt_geometry::{Aabb, Vec3, robust_length};

pub use self::cut::{largest_piece, without_faulty_triangles, without_open_pieces};
pub(crate) use self::duplicate::without_repeats;
pub use self::edit::Change;
pub use self::options::{RepairError, RepairOptions, Step};
pub use self::report::{FaultCounts, HoleReason, Left, MeshState, OpenHole, Outcome, RepairReport, StepReport, Worse};

use self::budget::RepairWork;
use self::degenerate::Rules;
use self::edit::Edit;
use self::fill::FillLimits;
use self::hole_reasons::HoleReasons;
use self::options::{Lengths, MAX_DYNAMIC_EDGES};
use self::state::{EditRefusal, Judged, Tally};
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
    /// The faults before, the steps, and the faults that are left.
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
    let (input, tests) = Judged::of_input(mesh.clone());
    let work = RepairWork::new(mesh.triangles().len(), tests);
    repair_within(input, options, &work)
}

/// Repairs a mesh with a budget of this many units; for tests.
///
/// # Errors
/// As [`repair()`].
#[cfg(debug_assertions)]
#[doc(hidden)]
pub fn repair_within_units(mesh: &TriMesh, options: &RepairOptions, units: u64) -> Result<Repaired, RepairError> {
    repair_within(Judged::of_input(mesh.clone()).0, options, &RepairWork::of_units(units))
}

/// Lists what is worse in a mesh than in an earlier state of it; for tests.
#[cfg(debug_assertions)]
#[doc(hidden)]
pub fn worsened(before: &TriMesh, after: &TriMesh) -> Vec<Worse> {
    let tally = |mesh: &TriMesh| Judged::of_input(mesh.clone()).0.tally(&RepairWork::unbounded());
    match (tally(before), tally(after)) {
        (Some(before), Some(after)) => after.worse_than(before).collect(),
        _ => unreachable!("the work is not bounded"),
    }
}

/// Repairs a mesh with a given budget.
fn repair_within(input: Judged, options: &RepairOptions, work: &RepairWork) -> Result<Repaired, RepairError> {
    let lengths = options.lengths(&input.mesh)?;
    // Without a bound on the work, there is a tally.
    let Some(tally) = input.tally(&RepairWork::unbounded()) else {
        let total = Total { is_spent: true, ..Total::new(options, input.clone()) };
        return Ok(total.finish(&input, &lengths, options.runs(Step::Fill)));
    };
    let mut total = Total::new(options, input.clone());
    let mut bounds = TallyBounds { input: tally, start: tally };
    for round in 0..MAX_ROUNDS {
        let improved = improve(options, &lengths, &total.now, &bounds, round == 0, work)?;
        let has_refused = work.take_refusal();
        // A step that was switched off, or the second method, may be of use on the result: then all start again from
        // there.
        let is_plain = improved.culprits.is_empty() && improved.welding == WeldingMethod::Seams;
        let is_final = !improved.has_changed() || (is_plain && !has_refused);
        // A second repair compares with its own input only.
        let is_own = improved.culprits.iter().all(|culprit| !culprit.is_by_input);
        total.settled = improved.settled && is_final && is_own && !has_refused;
        total.is_spent = has_refused || (!is_final && work.is_over());
        bounds.start = improved.tally;
        total.add(improved);
        if is_final || work.is_over() {
            break;
        }
    }
    Ok(total.finish(&input, &lengths, options.runs(Step::Fill)))
}

/// The counts that no result may exceed.
#[derive(Debug, Clone, Copy)]
struct TallyBounds {
    /// The counts of the input of the repair.
    input: Tally,
    /// The counts at the start of the round.
    start: Tally,
}

impl TallyBounds {
    /// The first quantity of a tally that is worse than at the start of the round, or else than in the input; and
    /// the bound that it exceeds.
    fn exceeded(&self, tally: Tally) -> Option<(Worse, Tally)> {
        [self.start, self.input].into_iter().find_map(|bound| Some((tally.worse_than(bound).next()?, bound)))
    }
}

/// Runs the steps with both methods of welding, if the first one leaves something, and returns the better result. The
/// first one may use half of the work, if the second one has something to do.
fn improve<'a>(
    options: &RepairOptions,
    lengths: &'a Lengths,
    start: &Judged,
    bounds: &TallyBounds,
    is_first: bool,
    work: &'a RepairWork,
) -> Result<RepairRun<'a>, RepairError> {
    let may_help = options.runs(Step::Weld) && lengths.tolerance > 0.0 && !start.state.is_solid();
    let has_clusters = may_help && weld::weld_clusters(&start.mesh, lengths.tolerance).is_some();
    let aside = if has_clusters { work.set_half_aside() } else { 0 };
    let run = improve_by(WeldingMethod::Seams, options, lengths, start, bounds, is_first, work)?;
    work.put_back(aside);
    // If the first half was used up and the second one is not needed here, the next round has it.
    if !has_clusters || run.now.state.is_solid() {
        return Ok(run);
    }
    let other = improve_by(WeldingMethod::Clusters, options, lengths, start, bounds, is_first, work)?;
    Ok(if other.now.rank() < run.now.rank() { other } else { run })
}

/// Runs the steps until nothing changes, without steps that leave a kind of fault more frequent than `bounds` allow. If
/// work is refused, the best state counts that was within the bounds, over all repetitions.
fn improve_by<'a>(
    welding: WeldingMethod,
    options: &RepairOptions,
    lengths: &'a Lengths,
    start: &Judged,
    bounds: &TallyBounds,
    is_first: bool,
    work: &'a RepairWork,
) -> Result<RepairRun<'a>, RepairError> {
    let mut run = RepairRun::new(options.clone(), welding, lengths, start, *bounds, work);
    loop {
        run.until_settled(is_first)?;
        match run.culprit() {
            // A later step might have mended what the last one left.
            Some(_) if work.is_over() => {
                work.refuse();
                run.back_to_best();
                return Ok(run);
            }
            Some(culprit) => {
                let step = culprit.step;
                run.culprits.push(culprit);
                run.reasons.is_undone |= step == Step::Fill;
                // Each repetition switches one more step off, so there are at most as many as steps.
                run.restart_without(step, start);
            }
            None => {
                if work.has_refused() && run.best.now.rank() < run.now.rank() {
                    run.back_to_best();
                }
                return Ok(run);
            }
        }
    }
}

/// How vertices are welded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WeldingMethod {
    /// Merges the vertices of open edges that match.
    Seams,
    /// Merges all vertices within the tolerance.
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

/// A step that left a quantity worse than a bound allows.
#[derive(Debug, Clone, Copy)]
struct Culprit {
    step: Step,
    worse: Worse,
    /// Only the input of the repair is better, not the start of the round.
    is_by_input: bool,
}

/// A state within the bounds, with its counts and the reports of the steps to it.
#[derive(Debug, Clone)]
struct BestState {
    now: Judged,
    tally: Tally,
    steps: Vec<StepReport>,
}

/// One run of the steps over a mesh.
struct RepairRun<'a> {
    options: RepairOptions,
    welding: WeldingMethod,
    lengths: &'a Lengths,
    work: &'a RepairWork,
    bounds: TallyBounds,
    now: Judged,
    /// The counts of `now`.
    tally: Tally,
    steps: Vec<StepReport>,
    /// The best state reached within the bounds, the start or a later one, in this repetition or an earlier one.
    best: BestState,
    /// After each accepted step, the counts that are compared with the bounds.
    history: Vec<(Step, Tally)>,
    reasons: HoleReasons,
    settled: bool,
    /// The steps that were switched off, and the quantities that they made worse.
    culprits: Vec<Culprit>,
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
        start: &Judged,
        bounds: TallyBounds,
        work: &'a RepairWork,
    ) -> Self {
        let (now, tally, steps) = (start.clone(), bounds.start, first_reports(&options));
        let best = BestState { now: now.clone(), tally, steps: steps.clone() };
        let (history, reasons, culprits) = Default::default();
        let settled = false;
        Self { options, welding, lengths, work, bounds, now, tally, steps, best, history, reasons, settled, culprits }
    }

    /// Returns to the start, with one more step switched off; keeps the best state.
    fn restart_without(&mut self, step: Step, start: &Judged) {
        self.options = self.options.clone().with(step, false);
        (self.now, self.tally, self.steps) = (start.clone(), self.bounds.start, first_reports(&self.options));
        self.history.clear();
        self.settled = false;
    }

    /// Returns to the best state.
    fn back_to_best(&mut self) {
        let BestState { now, tally, steps } = self.best.clone();
        (self.now, self.tally, self.steps, self.settled) = (now, tally, steps, false);
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
                if self.work.is_over() {
                    self.work.refuse();
                    self.leave_from(step);
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

    /// Notes that the steps from this one on were not run, for lack of work.
    fn leave_from(&mut self, step: Step) {
        for report in &mut self.steps[step as usize..] {
            if report.outcome == Outcome::Unchanged {
                report.outcome = Outcome::WorkSpent;
            }
        }
    }

    /// Runs one step; reports whether it changed the mesh.
    fn run_step(&mut self, step: Step) -> Result<bool, RepairError> {
        let mut changed = false;
        let mut refusal = None;
        for care in Care::ALL {
            if care != Care::Plain && !matches!(step, Step::Degenerate | Step::Seams) {
                break;
            }
            let Proposal { edit, unfilled } = self.propose(step, care)?;
            self.reasons.add(&self.now.mesh, &unfilled);
            let Some(edit) = edit else {
                self.work.charge_step(self.now.mesh.triangles().len());
                continue;
            };
            if !self.work.allows_check(edit.mesh.triangles().len()) {
                refusal = refusal.or(Some(EditRefusal::WorkSpent));
                break;
            }
            let change = edit.change;
            match self.now.accept(edit, self.work) {
                Ok((next, tally)) => {
                    (self.now, self.tally) = (next, tally);
                    self.steps[step as usize].change.add(&change);
                    self.steps[step as usize].outcome = Outcome::Changed;
                    self.record(step);
                    (changed, refusal) = (true, None);
                }
                Err(reason) => {
                    refusal = refusal.or(Some(reason));
                    if step == Step::Fill && matches!(reason, EditRefusal::Worse(_)) {
                        self.reasons.add_undone(&self.now.mesh, &unfilled);
                    }
                }
            }
        }
        let outcome = &mut self.steps[step as usize].outcome;
        match (refusal, &outcome) {
            (None, _) | (Some(_), Outcome::Changed) => {}
            (Some(EditRefusal::Worse(worse)), _) => *outcome = Outcome::Undone(worse),
            (Some(EditRefusal::WorkSpent), Outcome::Undone(_)) => {}
            (Some(EditRefusal::WorkSpent), _) => *outcome = Outcome::WorkSpent,
        }
        Ok(changed)
    }

    /// Records the counts after a step, and the state if it is within the bounds and no worse than the best one.
    fn record(&mut self, step: Step) {
        self.history.push((step, self.tally));
        if self.bounds.exceeded(self.tally).is_none() && self.now.rank() <= self.best.now.rank() {
            self.best = BestState { now: self.now.clone(), tally: self.tally, steps: self.steps.clone() };
        }
    }

    /// Computes the result of a step.
    fn propose(&self, step: Step, care: Care) -> Result<Proposal, RepairError> {
        let topology = Topology::new(&self.now.mesh);
        let Lengths { tolerance, gap, tiny } = *self.lengths;
        let crossed = self.now.crossed();
        let nothing = vec![false; crossed.len()];
        let fixed = if care == Care::SparesCrossed { &crossed } else { &nothing };
        let edit = match step {
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
                return Ok(Proposal { edit: filled.edit, unfilled: filled.unfilled });
            }
        };
        Ok(Proposal { edit, unfilled: Vec::new() })
    }

    /// The step that left a quantity worse than the bounds allow; `None` if none is worse.
    fn culprit(&self) -> Option<Culprit> {
        let (worse, bound) = self.bounds.exceeded(self.history.last()?.1)?;
        let is_good = |tally: Tally| {
            !tally.worse_than(bound).any(|other| (other.kind, other.is_welded) == (worse.kind, worse.is_welded))
        };
        let last_good = self.history.iter().rposition(|&(_, tally)| is_good(tally));
        let &(step, _) = self.history.get(last_good.map_or(0, |place| place + 1))?;
        Some(Culprit { step, worse, is_by_input: bound != self.bounds.start })
    }
}

/// The result of a step, before it is judged.
struct Proposal {
    /// `None` if there is nothing to do.
    edit: Option<Edit>,
    /// The holes that the step `fill` leaves.
    unfilled: Vec<fill::Unfilled>,
}

/// The sum of all runs.
struct Total {
    now: Judged,
    steps: Vec<StepReport>,
    reasons: HoleReasons,
    settled: bool,
    is_spent: bool,
}

impl Total {
    fn new(options: &RepairOptions, input: Judged) -> Self {
        let reasons = HoleReasons::default();
        Self { now: input, steps: first_reports(options), reasons, settled: false, is_spent: false }
    }

    /// Adds what a run did.
    fn add(&mut self, run: RepairRun) {
        self.steps.iter_mut().zip(&run.steps).for_each(|(total, step)| total.add(step));
        for Culprit { step, worse, .. } in run.culprits {
            let outcome = &mut self.steps[step as usize].outcome;
            if *outcome != Outcome::Changed {
                *outcome = Outcome::Undone(worse);
            }
        }
        self.now = run.now;
        self.reasons.extend(run.reasons);
    }

    fn finish(self, input: &Judged, lengths: &Lengths, fills: bool) -> Repaired {
        let untried = match (fills, self.is_spent && !self.reasons.is_undone) {
            (false, _) => HoleReason::SwitchedOff,
            (true, true) => HoleReason::WorkSpent,
            (true, false) => HoleReason::Undone,
        };
        let holes = open_holes(&self.now.mesh, &self.reasons, untried);
        let report = RepairReport {
            before: input.state.clone(),
            after: self.now.state,
            steps: self.steps,
            holes,
            tolerance: lengths.tolerance,
            settled: self.settled,
            is_spent: self.is_spent,
            is_forced: false,
        };
        Repaired { mesh: self.now.mesh, report }
    }
}

/// The holes that are left, with their places; `untried` is the reason of loops that were not tried.
fn open_holes(mesh: &TriMesh, reasons: &HoleReasons, untried: HoleReason) -> Vec<OpenHole> {
    let borders = fill::loops::borders(&Topology::new(mesh));
    let open = borders.open.into_iter().map(|vertices| (vertices, HoleReason::NoLoop));
    let cycles = borders.cycles.into_iter().map(|vertices| {
        let reason = reasons.reason(mesh, &vertices).unwrap_or(untried);
        (vertices, reason)
    });
    let holes = open.chain(cycles).take(RepairReport::MAX_HOLES).map(|(vertices, reason)| {
        let places: Vec<Vec3> = vertices.iter().map(|&vertex| mesh.vertices()[vertex as usize]).collect();
        let count = places.len() as f64;
        let centre = places.iter().fold(Vec3::ZERO, |sum, &place| sum + place / count);
        let mut sides = places.windows(2).map(|side| robust_length(side[1] - side[0])).sum::<f64>();
        // Only a loop has a side from its last vertex to the first one.
        if let ([first, .., last], false) = (places.as_slice(), reason == HoleReason::NoLoop) {
            sides += robust_length(*first - *last);
        }
        let bounds = Aabb::from_points(places);
        OpenHole { vertices, centre, bounds, length: sides, reason, is_forced: false }
    });
    holes.collect()
}
