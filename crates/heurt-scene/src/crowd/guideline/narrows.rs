//! Bottlenecks between rooms: place of the goal, length, a second bottleneck, width.
//!
//! In: scenes with 150 persons in a room. Out: times until the room is empty, queues, flows; means of three seeds.

use super::statistics::{mean, rises};
use super::trial::{Found, Trial, first_crossings, judged, list, seconds};
use crate::describe::located::LocatedFault;
use heurt_geometry::Vec2;
use rayon::prelude::*;

/// Seeds whose figures are averaged.
const SEEDS: u64 = 3;

/// Distances of the goal from the bottleneck, in metres.
const DISTANCES: [u32; 5] = [0, 2, 4, 6, 9];

/// Scenes of bottlenecks 0.8, 1.0 and 1.2 m wide.
const WIDTHS: [&str; 3] = ["rimea_12d_08", "rimea_12b_long", "rimea_12d_12"];

/// Judges all four parts of the test.
pub(super) fn bottlenecks(trial: &Trial) -> Found {
    let empty: Result<Vec<f64>, LocatedFault> =
        DISTANCES.par_iter().map(|a| average(trial, |trial| time_empty(trial, &format!("rimea_12a_{a}")))).collect();
    let empty = empty?;
    let last = |name: &str| average(trial, |trial| Ok(trial.begin(name)?.finish()));
    let (short, long) = rayon::join(|| last("rimea_12b_short"), || last("rimea_12b_long"));
    let (short, long) = (short?, long?);
    let [first, second] = queues(trial)?;
    let flows: Result<Vec<f64>, LocatedFault> =
        WIDTHS.par_iter().map(|name| average(trial, |trial| flow(trial, name))).collect();
    let flows = flows?;
    let parts = [empty[4] >= empty[0] && empty[4].is_finite(), long > short, first > second, rises(&flows)];
    let words = parts.map(|is_met| if is_met { "met" } else { "not met" });
    let by_distance = DISTANCES.iter().zip(&empty).map(|(a, &time)| format!("{a} m {}", seconds(time)));
    let figure = format!(
        "a ({}): room empty with the goal at {}; b ({}): 0.2 m {}, 5 m {}; c ({}): largest queues {first:.0} and \
         {second:.0} persons; d ({}): flows {} /s",
        words[0],
        list(by_distance),
        words[1],
        seconds(short),
        seconds(long),
        words[2],
        words[3],
        list(flows.iter().map(|flow| format!("{flow:.2}")))
    );
    judged(parts.iter().all(|&is_met| is_met), figure)
}

/// Computes the mean of a figure over seeds.
fn average(
    trial: &Trial,
    figure: impl Fn(&Trial) -> Result<f64, LocatedFault> + Sync + Send,
) -> Result<f64, LocatedFault> {
    let trials: Vec<Trial> = trial.repeated(SEEDS).collect();
    let figures: Result<Vec<f64>, LocatedFault> = trials.par_iter().map(figure).collect();
    Ok(mean(&figures?))
}

/// Measures the time until the first room is empty, in seconds.
fn time_empty(trial: &Trial, name: &str) -> Result<f64, LocatedFault> {
    let mut run = trial.begin(name)?;
    let mut time = f64::INFINITY;
    run.observe(|crowd| {
        if crowd.agents().all(|agent| agent.position.x > 10.0) {
            time = time.min(crowd.time());
        }
    });
    Ok(time)
}

/// Measures the flow into a bottleneck from the first person to the last, in persons a second.
fn flow(trial: &Trial, name: &str) -> Result<f64, LocatedFault> {
    let trajectories = trial.begin(name)?.record();
    Ok(first_crossings(&trajectories, [[10.0, 4.0], [10.0, 6.0]]).mean_flow().unwrap_or(0.0))
}

/// Counts the largest queues in fields of 2 × 3 m before two bottlenecks.
fn queues(trial: &Trial) -> Result<[f64; 2], LocatedFault> {
    let fields = [[Vec2::new(8.0, 3.5), Vec2::new(10.0, 6.5)], [Vec2::new(18.2, 3.5), Vec2::new(20.2, 6.5)]];
    let mut largest = [0.0; 2];
    trial.begin("rimea_12c")?.observe(|crowd| {
        for (largest, [low, high]) in largest.iter_mut().zip(fields) {
            let is_in = |place: Vec2| (place.cmpge(low) & place.cmple(high)).all();
            let count = crowd.agents().filter(|agent| is_in(agent.position)).count() as f64;
            *largest = f64::max(*largest, count);
        }
    });
    Ok(largest)
}
