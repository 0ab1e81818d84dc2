//! Fundamental diagrams: in a wide corridor, in a single file, by zones of a corridor.
//!
//! In: scenes of one density each. Out: speeds and flows by density, next to a diagram of the guideline.
//! Method: in the wide corridor and in zones, persons are counted in fields; in a single file the density of a person
//! is one over its distance to the person before it, along the middle of the ring.

use super::statistics::{mean, median};
use super::trial::{Found, Trial, first_crossings, list, measured};
use crate::describe::located::LocatedFault;
use heurt_crowd::Crowd;
use heurt_crowd::measure::weidmann_speed;
use heurt_geometry::{PlanArea, Vec2};
use rayon::prelude::*;
use std::f64::consts::PI;

/// Times of the measurement in the wide corridor, in seconds.
const WIDE_TIMES: [f64; 2] = [10.0, 30.0];

/// Mean density in persons a square metre, and mean speed in m/s, of a run.
type DensityAndSpeed = (f64, f64);

/// Measures speeds and flows in a corridor 10 m wide, for seven densities.
pub(super) fn wide_corridor(trial: &Trial) -> Found {
    // The longest run first, so that threads end together.
    let words = ["6", "5", "4", "3", "2", "1", "05"];
    let points: Result<Vec<DensityAndSpeed>, LocatedFault> =
        words.par_iter().with_max_len(1).map(|word| wide_run(trial, &format!("rimea_04_{word}"))).collect();
    let shown = |&(density, speed): &DensityAndSpeed| {
        let (wanted, flow) = (weidmann_speed(density), density * speed);
        format!("{density:.2} /m²: {speed:.2} m/s ({wanted:.2}), {flow:.2} /(m s)")
    };
    let figures = points?.iter().rev().map(shown).collect::<Vec<_>>();
    measured(format!("density, speed (Weidmann), flow: {}", list(figures)))
}

fn wide_run(trial: &Trial, name: &str) -> Result<DensityAndSpeed, LocatedFault> {
    let mut run = trial.begin(name)?;
    let fields = [45.0, 50.0, 55.0].map(|x| PlanArea::rectangle(Vec2::new(x - 1.0, 4.0), Vec2::new(x + 1.0, 6.0)));
    let (mut densities, mut speeds) = (Vec::new(), Vec::new());
    run.observe(|crowd| {
        if (WIDE_TIMES[0]..=WIDE_TIMES[1]).contains(&crowd.time()) {
            for field in &fields {
                let [density, speed] = in_field(crowd, field);
                densities.push(density);
                // A field without a person has no speed.
                speeds.extend(Some(speed).filter(|speed| !speed.is_nan()));
            }
        }
    });
    Ok((mean(&densities), mean(&speeds)))
}

/// Counts the density in a field, in persons a square metre, and computes the mean speed there, NaN without a person.
fn in_field(crowd: &Crowd, field: &PlanArea) -> [f64; 2] {
    let inside = crowd.agents().filter(|agent| field.contains(agent.position));
    let speeds: Vec<f64> = inside.map(|agent| agent.velocity.length()).collect();
    [speeds.len() as f64 / field.area(), mean(&speeds)]
}

/// Density in persons a metre, and the 10 %, 50 % and 90 % speeds of experiments there, in m/s.
const SINGLE_FILE: [[f64; 4]; 13] = [
    [0.10, 0.961, 1.186, 1.483],
    [0.30, 0.840, 1.160, 1.473],
    [0.50, 0.708, 1.091, 1.389],
    [0.70, 0.598, 0.975, 1.305],
    [0.90, 0.448, 0.747, 1.101],
    [1.10, 0.316, 0.520, 0.840],
    [1.30, 0.187, 0.393, 0.608],
    [1.50, 0.112, 0.273, 0.485],
    [1.70, 0.071, 0.199, 0.382],
    [1.90, 0.048, 0.158, 0.314],
    [2.10, 0.035, 0.131, 0.270],
    [2.50, 0.022, 0.102, 0.220],
    [2.90, 0.017, 0.086, 0.196],
];

/// Numbers of persons on the ring.
const ON_RING: [u32; 7] = [6, 12, 20, 28, 36, 46, 56];

/// Half of the width of a bin of density, and the least number of samples in one.
const HALF_BIN: f64 = 0.1;
const LEAST_SAMPLES: usize = 50;

/// Time after which the ring is measured, and time between samples, in seconds.
const RING_BEGIN: f64 = 10.0;
const RING_INTERVAL: f64 = 0.5;

/// The ring: two straights of this length, and two half circles of this radius, in metres.
const STRAIGHT: f64 = 4.0;
const RADIUS: f64 = 3.0;
const RING: f64 = 2.0 * STRAIGHT + 2.0 * PI * RADIUS;

/// Measures speeds in a single file on a ring, by density.
pub(super) fn single_file(trial: &Trial) -> Found {
    let runs: Result<Vec<Vec<[f64; 2]>>, LocatedFault> =
        ON_RING.par_iter().with_max_len(1).map(|count| ring_run(trial, &format!("rimea_16_{count:02}"))).collect();
    let samples = runs?.concat();
    let (mut inside, mut shown) = (0, Vec::new());
    for [density, low, _, high] in SINGLE_FILE {
        let is_near = |sample: &&[f64; 2]| (sample[0] - density).abs() <= HALF_BIN;
        let speeds: Vec<f64> = samples.iter().filter(is_near).map(|sample| sample[1]).collect();
        if speeds.len() >= LEAST_SAMPLES {
            let speed = median(speeds);
            inside += usize::from((low..=high).contains(&speed));
            shown.push(format!("{density} /m {speed:.2} m/s ({low}–{high})"));
        }
    }
    let count = shown.len();
    measured(format!("median speeds (experiments, 10–90 %): {}; {inside} of {count} bins inside", list(shown)))
}

/// Samples density in persons a metre and speed in m/s of all persons, as long as all are on the ring.
fn ring_run(trial: &Trial, name: &str) -> Result<Vec<[f64; 2]>, LocatedFault> {
    let mut run = trial.begin(name)?;
    let (count, mut samples, mut next) = (run.crowd.agents().len(), Vec::new(), RING_BEGIN);
    run.observe(|crowd| {
        if crowd.time() < next - 1e-9 || crowd.agents().len() < count {
            return;
        }
        next += RING_INTERVAL;
        let mut places: Vec<[f64; 2]> =
            crowd.agents().map(|agent| [arc_of(agent.position), agent.velocity.length()]).collect();
        places.sort_by(|a, b| a[0].total_cmp(&b[0]));
        for (place, &[arc, speed]) in places.iter().enumerate() {
            let next = places[(place + 1) % count][0];
            samples.push([1.0 / (next - arc).rem_euclid(RING).max(1e-3), speed]);
        }
    });
    Ok(samples)
}

/// Returns how far along the middle of the ring a place is, in metres, counter-clockwise from (0, 0).
fn arc_of(place: Vec2) -> f64 {
    let half = RING / 2.0;
    if place.x > STRAIGHT {
        let from = place - Vec2::new(STRAIGHT, RADIUS);
        return STRAIGHT + RADIUS * (libm::atan2(from.y, from.x) + 0.5 * PI);
    }
    if place.x < 0.0 {
        let from = place - Vec2::new(0.0, RADIUS);
        return half + STRAIGHT + RADIUS * (libm::atan2(-from.y, -from.x) + 0.5 * PI);
    }
    if place.y < RADIUS { place.x } else { half + STRAIGHT - place.x }
}

/// Numbers of persons in the corridor of 120 m².
const IN_CORRIDOR: [u32; 5] = [60, 120, 240, 360, 480];

/// Measures speed and density in the middle of a corridor, and the flow at its end, for five densities.
pub(super) fn corridor_zones(trial: &Trial) -> Found {
    let rows: Result<Vec<[f64; 3]>, LocatedFault> =
        IN_CORRIDOR.par_iter().with_max_len(1).map(|count| zone_run(trial, &format!("iso_13_{count:03}"))).collect();
    let shown = rows?.into_iter().zip(IN_CORRIDOR).map(|([density, speed, flow], count)| {
        format!("{count} persons: {density:.2} /m², {speed:.2} m/s, {flow:.2} /(m s)")
    });
    measured(format!("zone 2 and line B: {}", list(shown)))
}

/// Measures the first ten seconds of a run: density and speed in zone 2, specific flow over line B.
fn zone_run(trial: &Trial, name: &str) -> Result<[f64; 3], LocatedFault> {
    let mut run = trial.begin(name)?;
    run.seconds = 12.0;
    let zone = PlanArea::rectangle(Vec2::new(20.0, 0.0), Vec2::new(40.0, 2.0));
    let (mut densities, mut speeds) = (Vec::new(), Vec::new());
    let mut trajectories = heurt_crowd::measure::Trajectories::new();
    run.observe(|crowd| {
        // Times of a crowd ascend: no frame is refused.
        let _ = trajectories.push(crowd);
        if crowd.time() >= 2.0 {
            let [density, speed] = in_field(crowd, &zone);
            densities.push(density);
            speeds.extend(Some(speed).filter(|speed| !speed.is_nan()));
        }
    });
    let crossings = first_crossings(&trajectories, [[40.0, -1.0], [40.0, 3.0]]);
    Ok([mean(&densities), mean(&speeds), crossings.flow_between(2.0, 12.0) / 2.0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arcs_go_once_round_the_ring() {
        let quarter = 0.5 * PI * RADIUS;
        for (x, y, arc) in [
            (1.0, 0.0, 1.0),
            (7.0, 3.0, STRAIGHT + quarter),
            (3.0, 6.0, STRAIGHT + 2.0 * quarter + 1.0),
            (-3.0, 3.0, 2.0 * STRAIGHT + 3.0 * quarter),
        ] {
            assert!((arc_of(Vec2::new(x, y)) - arc).abs() < 1e-12, "({x}, {y}): {}", arc_of(Vec2::new(x, y)));
        }
    }
}
