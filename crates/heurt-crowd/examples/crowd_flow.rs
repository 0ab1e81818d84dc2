//! Cost of a step of people as a flow against the same people as individuals.
//!
//! `cargo run --release -p heurt-crowd --example crowd_flow [MOST]`: milliseconds a step, on average over ten simulated
//! seconds, for people in a hall twice as long as wide, 2 m² each, who walk through it to its far end with `orca`. The
//! second column has the last tenth of the hall as individuals, as the eye of a viewer would have it.

use heurt_crowd::{AgentGroup, Crowd, CrowdSettings, Goals, Ground, SpeedLaw, Start};
use heurt_geometry::{PlanArea, Vec2};
use std::time::Instant;

/// Simulated time of a measurement, in seconds.
const SECONDS: f64 = 10.0;

/// In seconds.
const STEP: f64 = 0.05;

/// Makes a crowd of which this share of the hall, from its near end, is a flow.
fn crowd(count: usize, share: f64) -> Result<Crowd, Box<dyn std::error::Error>> {
    let width = (count as f64).sqrt();
    let hall = |x0: f64, x1: f64| PlanArea::rectangle(Vec2::new(x0 * width, 0.0), Vec2::new(x1 * width, width));
    let people = AgentGroup {
        name: "people".to_owned(),
        start: Start::within([hall(0.0, 2.0)], count),
        speed: SpeedLaw { mean: 1.34, deviation: 0.26, least: 0.6, most: 1.8 },
        goals: Goals::through([[hall(2.2, 2.3)]]),
        ..AgentGroup::default()
    };
    let mut ground = Ground::new([hall(0.0, 2.3)])?;
    if share > 0.0 {
        ground.add_flow([hall(0.0, 2.3 * share)]);
    }
    Ok(Crowd::new(ground, CrowdSettings::default(), vec![people]).map_err(|faults| faults[0].clone())?)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let most: usize = std::env::args().nth(1).map_or(Ok(10_000), |most| most.parse())?;
    println!("| people | all a flow | nine tenths a flow | individuals | ratio |\n|---:|---:|---:|---:|---:|");
    let mut count = 1000;
    while count <= most {
        let mut times = [0.0; 3];
        for (time, share) in times.iter_mut().zip([1.0, 0.9, 0.0]) {
            let mut crowd = crowd(count, share)?;
            let (started, steps) = (Instant::now(), (SECONDS / STEP) as usize);
            (0..steps).for_each(|_| crowd.step(STEP));
            *time = 1e3 * started.elapsed().as_secs_f64() / steps as f64;
        }
        let [flow, most, none] = times;
        println!("| {count} | {flow:.2} ms | {most:.2} ms | {none:.2} ms | {:.1} |", none / flow);
        count *= 10;
    }
    Ok(())
}
