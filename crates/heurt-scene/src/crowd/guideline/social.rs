//! Groups that stay together, persons that follow others, knowledge of exits.
//!
//! In: scenes of a room with two exits. Out: times of leaving, persons by exit.

use super::doors::persons_by_exit;
use super::trial::{Found, Trial, judged};
use crate::describe::located::LocatedFault;

/// Five persons of a group leave within this time, in seconds.
const WITHIN: f64 = 10.0;

/// Seeds of the person that follows: its place is drawn.
const SEEDS: u64 = 20;

/// Judges whether a group with a slow person leaves within ten seconds.
pub(super) fn group_leaves_together(trial: &Trial) -> Found {
    let mut run = trial.begin("iso_14")?;
    let mut times = Vec::new();
    run.observe(|crowd| times.extend(crowd.departed().map(|_| crowd.time())));
    let (first, last) =
        (times.first().copied().unwrap_or(f64::INFINITY), times.last().copied().unwrap_or(f64::INFINITY));
    let figure = format!("{} of 5 left, from {first:.1} to {last:.1} s", times.len());
    judged(times.len() == 5 && last - first <= WITHIN, figure)
}

/// Judges whether a person leaves by exit 2 more often once another person is bound to it.
pub(super) fn exits_of_others_are_used(trial: &Trial) -> Found {
    let count = |name: &str| -> Result<usize, LocatedFault> {
        let mut second = 0;
        for trial in trial.repeated(SEEDS) {
            let mut run = trial.begin(name)?;
            // The person that follows is of the first group.
            run.observe(|crowd| {
                second += crowd.departed().filter(|agent| agent.group == 0 && agent.position.x > 5.0).count();
            });
        }
        Ok(second)
    };
    let (alone, led) = (count("iso_15_alone")?, count("iso_15_led")?);
    judged(led > alone, format!("{alone} of {SEEDS} persons by exit 2 alone, {led} with a person bound to it"))
}

/// Judges whether an exit is used more often by persons that know only it.
pub(super) fn known_exits_are_used(trial: &Trial) -> Found {
    let count = |name: &str| -> Result<usize, LocatedFault> {
        let mut run = trial.begin(name)?;
        Ok(persons_by_exit(&mut run, |place| place.x > 5.0)[0])
    };
    let (both, one) = (count("iso_16_both")?, count("iso_16_one")?);
    judged(one > both, format!("{both} of 20 persons by exit 2 if they know both, {one} if they know that one"))
}
