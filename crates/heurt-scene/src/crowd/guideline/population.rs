//! Speeds of populations: the speeds realised on an open field, next to their law.
//!
//! In: scenes of persons that cross a field. Out: the speed of each: distance walked, divided by the time.

use super::statistics::{deviation, mean, probability_of, range};
use super::trial::{Found, Trial, judged, list, measured};
use crate::describe::located::LocatedFault;
use heurt_crowd::SpeedLaw;
use heurt_crowd::measure::WEIDMANN_BY_AGE;
use std::collections::BTreeMap;

/// Seeds of the population by age: five persons of an age are too few for a mean.
const SEEDS: u64 = 10;

/// Speeds of males from 30 to 50 years, in m/s.
const PANEL: [f64; 2] = [0.97, 1.62];

/// The shortest walk that has a speed, in seconds.
const SHORTEST: f64 = 1.0;

/// Measures the speeds of all persons, by group.
fn speeds_of(trial: &Trial, name: &str) -> Result<BTreeMap<u32, Vec<f64>>, LocatedFault> {
    let mut run = trial.begin(name)?;
    let groups: BTreeMap<u32, u32> = run.crowd.agents().map(|agent| (agent.id, agent.group)).collect();
    let mut speeds: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for walk in run.record().walks() {
        if let Some(&group) = groups.get(&walk.id).filter(|_| walk.duration() >= SHORTEST) {
            speeds.entry(group).or_default().push(walk.distance() / walk.duration());
        }
    }
    Ok(speeds)
}

/// Measures mean speeds by age, next to the curve.
pub(super) fn speeds_by_age(trial: &Trial) -> Found {
    let mut speeds: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for trial in trial.repeated(SEEDS) {
        for (group, more) in speeds_of(&trial, "rimea_07")? {
            speeds.entry(group).or_default().extend(more);
        }
    }
    let means: Vec<f64> = speeds.values().map(|speeds| mean(speeds)).collect();
    let farthest =
        means.iter().zip(WEIDMANN_BY_AGE).map(|(mean, (_, wanted))| (mean - wanted).abs()).fold(0.0, f64::max);
    let by_age =
        means.iter().zip(WEIDMANN_BY_AGE).map(|(mean, (age, wanted))| format!("{age} years {mean:.2} ({wanted})"));
    measured(format!("mean speeds in m/s and the curve: {}; at most {farthest:.2} m/s between them", list(by_age)))
}

/// Judges the speeds of fifty males against the bounds of their table.
pub(super) fn speeds_of_panel(trial: &Trial) -> Found {
    let speeds = speeds_of(trial, "imo_07")?.into_values().flatten().collect::<Vec<_>>();
    let [least, most] = range(&speeds);
    let law = SpeedLaw { mean: 1.295, deviation: 10.0, least: PANEL[0], most: PANEL[1] };
    let is_met = speeds.len() == 50 && least >= PANEL[0] - 1e-6 && most <= PANEL[1] + 1e-6;
    let (count, probability) = (speeds.len(), probability_of(speeds, &law));
    judged(is_met, format!("{count} persons, {least:.3} to {most:.3} m/s, uniform with p = {probability:.2}"))
}

/// Measures how probable the speeds of a hundred persons are under their normal law.
pub(super) fn speeds_follow_law(trial: &Trial) -> Found {
    let speeds = speeds_of(trial, "iso_05")?.into_values().flatten().collect::<Vec<_>>();
    let law = SpeedLaw { mean: 1.2, deviation: 0.2, least: 0.2, most: 2.2 };
    let (count, mean, deviation) = (speeds.len(), mean(&speeds), deviation(&speeds));
    let probability = probability_of(speeds, &law);
    measured(format!("{count} persons, mean {mean:.3} m/s, deviation {deviation:.3} m/s, p = {probability:.2}"))
}
