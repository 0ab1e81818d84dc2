//! Restitution rules: Newton's rule without friction, an energetic rule with friction, and a guard of the energy.
//!
//! In: a contact problem at a level. Out: impulses whose contacts do no positive work.
//! Method: without friction, Newton's rule: each contact that approached with ḋ⁻ leaves with at least −ε·ḋ⁻ (S1).
//! With friction, the energetic rule of Stronge (*Impact Mechanics*, 2000) for simultaneous contacts:
//! 1. Compression: the impact with ε = 0. The normal impulse c does the work W = ½·c·(ḋ⁻ + ḋ₁) < 0.
//! 2. Restitution: normal impulses of at least κ·c, with friction and no penetration. κ starts at ε and is corrected
//!    until the work of the normal impulse of each contact is −ε²·W.
//!
//! Guard: the work of all contact impulses, ½fᵀ(v⁻ + v⁺), is the change of the energy without moving fixed bodies. If
//! it is positive, κ (or ε) is scaled, by next to nothing first and then by bisection; scale 0 is an impact with ε = 0,
//! which never adds energy.
//! A single contact without friction gets Newton's rule exactly: κ = ε.
//! Not guaranteed: the work −ε²·W for each contact of coupled contacts; the correction is bounded.
//! Cost: one solve without restitution, 2 or more with it.

use super::core::{CoreSolution, solve_island};
use super::island::{BlockSource, IslandBlock, ScaledIsland};
use super::law::ImpulseLaw;
use crate::problem::ContactProblem;
use crate::solver::{FrictionModel, Level, Outcome, SolveOptions};

/// Corrections of κ. A single contact takes 1; coupled contacts gain 1 digit per correction.
const MAX_CORRECTIONS: u32 = 6;

/// Relative error of the work of restitution at which corrections end.
const WORK_TOLERANCE: f64 = 1e-9;

/// Scales of the restitution that the guard tries first: positive work from rounding needs no more.
const NEARLY_ALL: [f64; 4] = [
    1.0 - 1.0 / (1u64 << 40) as f64,
    1.0 - 1.0 / (1u64 << 32) as f64,
    1.0 - 1.0 / (1u64 << 24) as f64,
    1.0 - 1.0 / 65536.0,
];

/// Bisections of the guard after these: 2⁻¹² of the restitution is lost at most.
const MAX_BISECTIONS: u32 = 12;

/// Positive work of contacts below this share of the magnitudes in its sum is rounding.
const WORK_ROUNDING: f64 = 1e-13;

/// Settings that all solves of one problem share.
pub(crate) struct ImpactRule<'p> {
    pub problem: &'p ContactProblem,
    pub level: Level,
    pub options: &'p SolveOptions,
    pub dense_limit: usize,
}

impl ImpactRule<'_> {
    /// Solves the problem with the rule of its level. The island returned maps the impulses to contacts.
    pub fn solve(&self, start: Option<&[f64]>) -> (ScaledIsland, CoreSolution) {
        let with_friction = self.problem.contacts.iter().any(|contact| contact.friction > 0.0);
        let island = self.island(1.0);
        if self.level == Level::Force || !self.has_restitution() {
            let solution = self.run(&island, start);
            return (island, solution);
        }
        if with_friction && self.level == Level::Impact {
            let compression = self.island(0.0);
            let solution = self.solve_energetic(&compression, start);
            return (compression, solution);
        }
        let solution = self.run(&island, start);
        let guarded = self.guard(&island, solution);
        (island, guarded)
    }

    /// Builds the island with all restitutions scaled.
    fn island(&self, scale: f64) -> ScaledIsland {
        let model: Option<FrictionModel> = Some(self.options.friction);
        if scale == 1.0 {
            return ScaledIsland::new(self.problem, self.level, model);
        }
        let mut problem = self.problem.clone();
        problem.contacts.iter_mut().for_each(|contact| contact.restitution *= scale);
        ScaledIsland::new(&problem, self.level, model)
    }

    /// Reports whether a contact approaches and has a restitution.
    fn has_restitution(&self) -> bool {
        let rates = self.problem.gap_velocities();
        self.problem.contacts.iter().zip(rates).any(|(contact, rate)| contact.restitution > 0.0 && rate < 0.0)
    }

    fn run(&self, island: &ScaledIsland, start: Option<&[f64]>) -> CoreSolution {
        solve_island(island, start, self.options, self.dense_limit)
    }

    /// Scales Newton's restitution until the contacts do no positive work.
    fn guard(&self, island: &ScaledIsland, solution: CoreSolution) -> CoreSolution {
        if !does_positive_work(island, &solution.impulses, 0.0) {
            return solution;
        }
        let still = self.island(0.0);
        if still.free == island.free {
            // No contact bounces: gaps below 0 separate bodies.
            return solution;
        }
        let mut best = self.run(&still, Some(&solution.impulses));
        let mut iterations = solution.iterations + best.iterations;
        let accepted = contact_work(&still, &best.impulses).0.max(0.0);
        if !does_positive_work(island, &solution.impulses, accepted) {
            return CoreSolution { iterations, ..solution };
        }
        largest_scale(|scale| {
            let island = self.island(scale);
            let tried = self.run(&island, Some(&best.impulses));
            iterations += tried.iterations;
            (!does_positive_work(&island, &tried.impulses, accepted)).then(|| best = tried)
        });
        CoreSolution { iterations, ..best }
    }

    /// Solves compression, then restitution with the energetic rule.
    fn solve_energetic(&self, island: &ScaledIsland, start: Option<&[f64]>) -> CoreSolution {
        let compression = self.run(island, start);
        let velocities = island.velocities(&compression.impulses);
        let mut goals = self.goals(island, &compression.impulses, &velocities);
        if goals.iter().all(|goal| goal.work == 0.0) {
            return compression;
        }
        let mut phase = restitution_island(island, &compression.impulses, velocities);
        let mut iterations = compression.iterations;
        let mut restitution = self.run_restitution(&mut phase, &goals, 1.0, None);
        iterations += restitution.iterations;
        for _ in 0..MAX_CORRECTIONS {
            if !correct_factors(&phase, &restitution.impulses, &mut goals) {
                break;
            }
            restitution = self.run_restitution(&mut phase, &goals, 1.0, Some(&restitution.impulses));
            iterations += restitution.iterations;
        }
        if does_positive_work(island, &sum(&compression.impulses, &restitution.impulses), 0.0) {
            let best = largest_scale(|scale| {
                let tried = self.run_restitution(&mut phase, &goals, scale, Some(&restitution.impulses));
                iterations += tried.iterations;
                let is_more = does_positive_work(island, &sum(&compression.impulses, &tried.impulses), 0.0);
                (!is_more).then_some(tried)
            });
            let Some(best) = best else {
                return CoreSolution { iterations, ..compression };
            };
            restitution = best;
        }
        CoreSolution {
            impulses: sum(&compression.impulses, &restitution.impulses),
            residual: compression.residual.max(restitution.residual),
            iterations,
            outcome: worst(compression.outcome, restitution.outcome),
            method: restitution.method,
        }
    }

    /// Computes the goals of restitution of all blocks.
    fn goals(&self, island: &ScaledIsland, impulses: &[f64], velocities: &[f64]) -> Vec<RestitutionGoal> {
        let goal = |block: &IslandBlock| {
            let BlockSource::Contact(index) = block.source else {
                return RestitutionGoal::default();
            };
            let (i, restitution) = (block.start, self.problem.contacts[index].restitution);
            let work = 0.5 * impulses[i] * (island.raw[i] + velocities[i]);
            if work >= 0.0 || restitution == 0.0 {
                return RestitutionGoal::default();
            }
            let work = -restitution * restitution * work;
            RestitutionGoal { compression: impulses[i], factor: restitution, work }
        };
        island.blocks.iter().map(goal).collect()
    }

    /// Solves the phase of restitution for scaled factors.
    fn run_restitution(
        &self,
        phase: &mut ScaledIsland,
        goals: &[RestitutionGoal],
        scale: f64,
        start: Option<&[f64]>,
    ) -> CoreSolution {
        for (block, goal) in phase.blocks.iter_mut().zip(goals) {
            if let BlockSource::Contact(_) = block.source {
                block.law = block.law.with_low(scale * goal.factor * goal.compression);
            }
        }
        self.run(phase, start)
    }
}

/// Goal of the phase of restitution of one contact.
#[derive(Debug, Clone, Copy, Default)]
struct RestitutionGoal {
    /// Normal impulse of compression.
    compression: f64,
    /// κ: least share of the compression impulse.
    factor: f64,
    /// Work that the normal impulse of restitution shall do, in J.
    work: f64,
}

/// Creates the problem of restitution: velocities after compression, and the bounds that rows have left.
fn restitution_island(island: &ScaledIsland, impulses: &[f64], velocities: Vec<f64>) -> ScaledIsland {
    let mut phase = island.clone();
    phase.free = velocities;
    for block in &mut phase.blocks {
        if let (BlockSource::Row(_), ImpulseLaw::Bounded { low, high }) = (block.source, block.law) {
            let used = impulses[block.start];
            block.law = ImpulseLaw::Bounded { low: low - used, high: high - used };
        }
    }
    phase
}

/// Corrects κ towards the work of the goals; returns `false` if all goals are met.
fn correct_factors(phase: &ScaledIsland, impulses: &[f64], goals: &mut [RestitutionGoal]) -> bool {
    let velocities = phase.velocities(impulses);
    let mut changed = false;
    for (block, goal) in phase.blocks.iter().zip(goals) {
        if goal.work == 0.0 {
            continue;
        }
        let i = block.start;
        let work = 0.5 * impulses[i] * (phase.free[i] + velocities[i]);
        if (work - goal.work).abs() > WORK_TOLERANCE * goal.work && work > 0.0 {
            // The work of one contact is quadratic in κ. Factors of at most 2 keep coupled contacts bounded.
            goal.factor *= (goal.work / work).sqrt().clamp(0.5, 2.0);
            changed = true;
        }
    }
    changed
}

/// Returns the solution of the largest scale below 1 that has one, as far as tries go.
fn largest_scale<S>(mut try_scale: impl FnMut(f64) -> Option<S>) -> Option<S> {
    for scale in NEARLY_ALL {
        if let Some(found) = try_scale(scale) {
            return Some(found);
        }
    }
    let (mut low, mut high, mut best) = (0.0, 1.0, None);
    for _ in 0..MAX_BISECTIONS {
        let scale = 0.5 * (low + high);
        match try_scale(scale) {
            Some(found) => (low, best) = (scale, Some(found)),
            None => high = scale,
        }
    }
    best
}

/// Computes the work of all contact impulses and the sum of the magnitudes of its terms, in J.
fn contact_work(island: &ScaledIsland, impulses: &[f64]) -> (f64, f64) {
    let velocities = island.velocities(impulses);
    let (mut work, mut size) = (0.0, 0.0);
    for block in &island.blocks {
        if let BlockSource::Contact(_) = block.source {
            for i in block.start..block.start + block.law.size() {
                // velocities − free is the change that the impulses cause.
                let [before, after] = [island.raw[i], island.raw[i] + (velocities[i] - island.free[i])];
                work += 0.5 * impulses[i] * (before + after);
                size += (0.5 * impulses[i]).abs() * (before.abs() + after.abs());
            }
        }
    }
    (work, size)
}

fn does_positive_work(island: &ScaledIsland, impulses: &[f64], accepted: f64) -> bool {
    let (work, size) = contact_work(island, impulses);
    work > accepted + WORK_ROUNDING * size
}

fn sum(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

fn worst(a: Outcome, b: Outcome) -> Outcome {
    match (a, b) {
        (Outcome::Solved, other) | (other, Outcome::Solved) => other,
        (Outcome::NoSolution, _) | (_, Outcome::NoSolution) => Outcome::NoSolution,
        _ => Outcome::Approximate,
    }
}
