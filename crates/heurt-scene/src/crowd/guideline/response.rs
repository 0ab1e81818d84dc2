//! Times before the start of a movement.
//!
//! In: scenes of persons that wait. Out: the time at which each has moved by 5 cm, next to its law.
//! Not guaranteed: that waiting persons rest under every model: persons that pass may push them aside.

use super::statistics::{mean, probability_of, range};
use super::trial::{Found, SceneRun, Trial, judged, list, measured};
use heurt_crowd::SpeedLaw;
use heurt_geometry::Vec2;
use std::collections::BTreeMap;

/// A person has started when it is this far from its first place, in metres.
const STARTED: f64 = 0.05;

/// The largest difference from the assigned time, in seconds.
const PUNCTUAL: f64 = 0.5;

/// Finds the time at which each person has started, by group and person.
fn start_times(run: &mut SceneRun) -> BTreeMap<(u32, u32), f64> {
    let (mut places, mut times) = (BTreeMap::<u32, Vec2>::new(), BTreeMap::new());
    run.observe(|crowd| {
        for agent in crowd.agents().chain(crowd.departed()) {
            let place = *places.entry(agent.id).or_insert(agent.position);
            if place.distance(agent.position) > STARTED {
                times.entry((agent.group, agent.id)).or_insert(crowd.time());
            }
        }
    });
    times
}

/// Judges ten groups of one person that start after 10, 20 … 100 s.
pub(super) fn ten_start_in_time(trial: &Trial, name: &str) -> Found {
    let times = start_times(&mut trial.begin(name)?);
    let late: Vec<f64> = times.iter().map(|(&(group, _), time)| time - 10.0 * f64::from(group + 1)).collect();
    let [least, most] = range(&late);
    let is_met = late.len() == 10 && least >= -PUNCTUAL && most <= PUNCTUAL;
    judged(is_met, format!("{} persons moved by 5 cm, {least:.2} to {most:.2} s after their times", late.len()))
}

/// Measures how probable the times of 60 persons are under their law.
pub(super) fn times_follow_laws(trial: &Trial) -> Found {
    let uniform = SpeedLaw { mean: 55.0, deviation: 1000.0, least: 10.0, most: 100.0 };
    let normal = SpeedLaw { mean: 60.0, deviation: 20.0, least: 0.0, most: 120.0 };
    let mut figures = Vec::new();
    for (word, name, law) in [("uniform", "iso_01_uniform", uniform), ("normal", "iso_01_normal", normal)] {
        let mut sample = Vec::new();
        for trial in trial.repeated(6) {
            sample.extend(start_times(&mut trial.begin(name)?).into_values());
        }
        let (count, middle, [least, most]) = (sample.len(), mean(&sample), range(&sample));
        let probability = probability_of(sample, &law);
        figures.push(format!(
            "{word} law: {count} starts, {least:.1} to {most:.1} s, mean {middle:.1} s, p = {probability:.2}"
        ));
    }
    measured(list(figures))
}
