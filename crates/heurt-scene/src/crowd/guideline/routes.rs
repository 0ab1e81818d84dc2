//! The choice between a short route over a lower storey and a long one on the level.
//!
//! In: a building with both. Out: how many took each. Method: a person took the short route if it was below 1.5 m.

use super::trial::{Found, Trial, judged, measured, seconds};
use crate::describe::located::LocatedFault;
use std::collections::BTreeSet;

/// Below this height a person is on the short route, in metres: half of the height between the storeys.
const LOWER: f64 = 1.5;

/// Counts persons by route: the short one, all; and the time of the last.
fn by_route(trial: &Trial, name: &str) -> Result<(usize, usize, f64), LocatedFault> {
    let mut run = trial.begin(name)?;
    let mut short = BTreeSet::new();
    run.observe(|crowd| short.extend(crowd.agents().filter(|agent| agent.height < LOWER).map(|agent| agent.id)));
    Ok((short.len(), run.crowd.report().agents, run.time_of_last()))
}

/// Measures the shares of both routes.
pub(super) fn shares_of_routes(trial: &Trial) -> Found {
    let (short, all, last) = by_route(trial, "rimea_14")?;
    let word = match short {
        0 => "long",
        _ if short == all => "short",
        _ => "mixed",
    };
    let figure = format!("{word}: {short} of {all} by the short route, the last after {}", seconds(last));
    if last.is_finite() { measured(figure) } else { judged(false, figure) }
}

/// Judges whether most persons take the shorter route.
pub(super) fn most_take_the_shorter(trial: &Trial) -> Found {
    let (short, all, last) = by_route(trial, "iso_17")?;
    let figure = format!("{short} of {all} by the short route, the last after {}", seconds(last));
    judged(2 * short > all && last.is_finite(), figure)
}
