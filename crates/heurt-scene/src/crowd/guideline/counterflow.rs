//! Counter-flow, and overtaking of a slow person on a ramp.
//!
//! In: scenes of persons that hinder each other. Out: the time of the last of the first group.

use super::statistics::{median, rises};
use super::trial::{Found, Trial, judged, list, seconds};
use crate::describe::located::LocatedFault;
use rayon::prelude::*;
use std::collections::BTreeSet;

/// Measures the time at which the last person of the first group is beyond a line across x, in seconds.
fn time_beyond(trial: &Trial, name: &str, x: f64) -> Result<f64, LocatedFault> {
    let mut run = trial.begin(name)?;
    let count = run.crowd.agents().filter(|agent| agent.group == 0).count();
    let (mut beyond, mut time) = (BTreeSet::new(), f64::INFINITY);
    run.observe(|crowd| {
        let first_group = crowd.agents().chain(crowd.departed()).filter(|agent| agent.group == 0);
        beyond.extend(first_group.filter(|agent| agent.position.x >= x).map(|agent| agent.id));
        if beyond.len() == count {
            time = time.min(crowd.time());
        }
    });
    Ok(time)
}

/// Judges whether the time of a hundred persons to the second room rises with the number of a counter-flow.
pub(super) fn time_rises_with_counterflow(trial: &Trial) -> Found {
    let counts = ["000", "010", "050", "100"];
    let times: Result<Vec<f64>, LocatedFault> =
        counts.par_iter().map(|count| time_beyond(trial, &format!("imo_08_{count}"), 20.0)).collect();
    let times = times?;
    let figures = times.iter().zip(counts).map(|(&time, count)| {
        format!("{} against it: {}", count.trim_start_matches('0').parse().unwrap_or(0_u32), seconds(time))
    });
    judged(rises(&times) && times.iter().all(|time| time.is_finite()), list(figures))
}

/// Judges whether a slow, wide person on a ramp delays those behind it; medians of ten seeds.
pub(super) fn slow_person_delays(trial: &Trial) -> Found {
    let last = |name: &str| -> Result<f64, LocatedFault> {
        let trials: Vec<Trial> = trial.repeated(10).collect();
        let times: Result<Vec<f64>, LocatedFault> =
            trials.par_iter().map(|trial| time_beyond(trial, name, 20.0)).collect();
        Ok(median(times?))
    };
    let (slow, equal) = (last("iso_07_disabled")?, last("iso_07_control")?);
    let figure = format!("the last of zone 1: {} behind a slow person, {} without", seconds(slow), seconds(equal));
    judged(slow > equal && slow.is_finite(), figure)
}
