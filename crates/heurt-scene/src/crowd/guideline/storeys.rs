//! Three storeys with stairs between them: a study of a parameter.
//!
//! In: a building with 448 persons. Out: clear times by mean speed, and by its spread.

use super::trial::{Found, Trial, judged, list, measured, seconds};
use crate::describe::located::LocatedFault;
use rayon::prelude::*;

/// Scenes, and the parameter of each.
const RUNS: [(&str, &str); 5] = [
    ("050", "0.50 m/s"),
    ("075", "0.75 m/s"),
    ("100", "1.00 m/s"),
    ("075_010", "0.75 ± 0.10 m/s"),
    ("075_025", "0.75 ± 0.25 m/s"),
];

/// Measures clear times by speed; a building that does not empty fails.
pub(super) fn clear_times(trial: &Trial) -> Found {
    let time = |(word, _): &(&str, &str)| trial.begin(&format!("rimea_08_{word}")).map(|mut run| run.finish());
    let times: Result<Vec<f64>, LocatedFault> = RUNS.par_iter().map(time).collect();
    let times = times?;
    let figure = list(times.iter().zip(RUNS).map(|(&time, (_, parameter))| format!("{parameter}: {}", seconds(time))));
    if times.iter().all(|time| time.is_finite()) { measured(figure) } else { judged(false, figure) }
}
