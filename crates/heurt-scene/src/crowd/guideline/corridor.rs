//! Speeds of one person: in a corridor, on a stair, in smoke.
//!
//! In: a scene with one person. Out: its time or its speed between two lines. Method: times at lines are interpolated
//! between two steps. Guarantees: speeds on stairs are along the slope.

use super::dose::smoke_pace;
use super::trial::{Found, SceneRun, Trial, first_crossings, judged, list, seconds};
use crate::describe::located::LocatedFault;

/// Rounding of sums of steps, in seconds.
const ROUNDING: f64 = 1e-6;

/// Run of the stair in plan, in metres: 10 m along a slope of 30°.
const STAIR_RUN: f64 = 8.660254;

/// Length of the stair along the slope, in metres.
const STAIR_LENGTH: f64 = 10.0;

/// The extinction that smoke is tested at, in 1/m.
const EXTINCTION: f64 = 1.0;

/// Judges the time of one person from its place to its goal, in seconds.
pub(super) fn time_within(trial: &Trial, name: &str, [least, most]: [f64; 2]) -> Found {
    let time = trial.begin(name)?.finish();
    judged((least..=most).contains(&time), format!("{time:.2} s"))
}

/// Judges whether the time of one person is a value, to within a step.
pub(super) fn time_is(trial: &Trial, name: &str, wanted: f64) -> Found {
    let mut run = trial.begin(name)?;
    let time = run.finish();
    judged((time - wanted).abs() <= run.step + ROUNDING, format!("{time:.2} s"))
}

/// Judges the time on the stair, in seconds.
pub(super) fn stair_time_within(trial: &Trial, name: &str, [least, most]: [f64; 2]) -> Found {
    let time = stair_time(&mut trial.begin(name)?);
    judged((least..=most).contains(&time), format!("{time:.2} s on the stair"))
}

/// Judges whether the time on the stair is a value, to within a step.
pub(super) fn stair_time_is(trial: &Trial, name: &str, wanted: f64) -> Found {
    let mut run = trial.begin(name)?;
    let time = stair_time(&mut run);
    judged((time - wanted).abs() <= run.step + ROUNDING, format!("{time:.2} s on the stair"))
}

/// Judges speeds on the stair, up and down, against the assigned one, in m/s.
pub(super) fn stair_speeds(trial: &Trial, names: [&str; 2], assigned: f64) -> Found {
    let mut speeds = [0.0; 2];
    for (speed, name) in speeds.iter_mut().zip(names) {
        *speed = STAIR_LENGTH / stair_time(&mut trial.begin(name)?);
    }
    let is_met = speeds.iter().all(|speed| (speed - assigned).abs() <= 0.05);
    judged(is_met, format!("{:.3} m/s up, {:.3} m/s down, along the slope", speeds[0], speeds[1]))
}

/// Judges the speed of one person over 40 m of the corridor against the assigned one, in m/s.
pub(super) fn corridor_speed(trial: &Trial, name: &str, assigned: f64) -> Found {
    let speed = 40.0 / time_between(&mut trial.begin(name)?, [10.0, 50.0]);
    judged((speed - assigned).abs() <= 0.05, format!("{speed:.3} m/s"))
}

/// Judges times in smoke: the time in clear air divided by that in smoke is the share of the speed.
pub(super) fn smoke(trial: &Trial) -> Found {
    let time = |name: &str| -> Result<(f64, f64), LocatedFault> {
        let mut run = trial.begin(name)?;
        Ok((run.finish(), run.step))
    };
    let (wanted, mut is_met, mut figures) = (smoke_pace(EXTINCTION), true, Vec::new());
    for speed in ["125", "100", "075", "050", "025"] {
        let (clear, step) = time(&format!("iso_18_clear_{speed}"))?;
        let (smoky, _) = time(&format!("iso_18_smoke_{speed}"))?;
        let share = clear / smoky;
        is_met &= (share - wanted).abs() <= 2.0 * step / clear;
        // Without an arrival there is no ratio.
        let ratio = if share.is_nan() { "none".to_owned() } else { format!("{share:.4}") };
        figures.push(format!("{} and {}: {ratio}", seconds(clear), seconds(smoky)));
    }
    judged(is_met, format!("times in clear air and in smoke, and their ratio: {}", list(figures)))
}

fn stair_time(run: &mut SceneRun) -> f64 {
    time_between(run, [0.0, STAIR_RUN])
}

/// Measures the time of one person between two lines across x, in seconds; infinite if it crosses not both.
fn time_between(run: &mut SceneRun, places: [f64; 2]) -> f64 {
    let trajectories = run.record();
    let times = places.map(|x| {
        let crossings = first_crossings(&trajectories, [[x, -1.0], [x, 3.0]]);
        crossings.list().first().map_or(f64::INFINITY, |crossing| crossing.time)
    });
    let time = (times[1] - times[0]).abs();
    if time.is_nan() { f64::INFINITY } else { time }
}
