//! Corners: persons that round one.
//!
//! In: scenes with a corner. Out: whether all got round, and whether a centre was beyond a wall; times.

use super::trial::{Found, Trial, judged, seconds};

/// A centre this far off the floor is beyond a wall, in metres.
const PIERCED: f64 = 1e-3;

/// Judges whether all persons get round a corner and none goes through a wall.
pub(super) fn all_round_the_corner(trial: &Trial, name: &str) -> Found {
    let mut run = trial.begin(name)?;
    let mut pierced = 0;
    run.observe(|crowd| {
        let ground = crowd.ground();
        let places = crowd.agents().chain(crowd.departed()).map(|agent| agent.position.extend(agent.height));
        pierced += places.filter(|&place| !ground.contains(place) && ground.distance_to_wall(place) > PIERCED).count();
    });
    let (report, last) = (run.crowd.report(), run.time_of_last());
    let is_met = pierced == 0 && report.arrived == report.agents;
    let figure = format!("{} of {} round, the last after {}", report.arrived, report.agents, seconds(last));
    judged(is_met, format!("{figure}; positions beyond a wall: {pierced}"))
}

/// Judges the clear time of a large crowd round a corner between those of two straight courses.
pub(super) fn large_crowd(trial: &Trial) -> Found {
    let mut times = [0.0; 3];
    for (time, word) in times.iter_mut().zip(["short", "corner", "long"]) {
        *time = trial.begin(&format!("rimea_15_{word}"))?.finish();
    }
    let [short, corner, long] = times;
    let figure = format!(
        "all at the goal: straight 44 m {}, corner {}, straight 75.4 m {}",
        seconds(short),
        seconds(corner),
        seconds(long)
    );
    judged(short <= corner && corner <= long && long.is_finite(), figure)
}
