//! Time of a step of ORCA for agents on rings who walk to the places opposite, as `bench/peers_crowd.py` times pyrvo.
//!
//! `cargo run --release -p heurt-crowd --example crowd_rings [AGENTS] [STEPS]`: rings of up to a thousand agents, 0.8 m
//! from each other, 1 m between rings; radius 0.3 m, 1.34 m/s, horizon 2 s, ten neighbours within 5 m, steps of 0.1 s.

use heurt_crowd::steer::Orca;
use heurt_crowd::{AgentGroup, Crowd, CrowdSettings, Goals, Ground, SpeedLaw, Start, SteeringModel};
use heurt_geometry::{PlanArea, Vec2};
use std::f64::consts::TAU;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut numbers = std::env::args().skip(1).map(|text| text.parse::<usize>());
    let count = numbers.next().transpose()?.unwrap_or(10_000).max(1);
    let steps = numbers.next().transpose()?.unwrap_or(200).max(1);
    let rings = (count / 1000).max(1);
    let on_ring = (count / rings) as f64;
    let inner = 0.8 * on_ring / TAU;
    let place = |k: usize| {
        let (ring, number) = ((k % rings) as f64, (k / rings) as f64);
        Vec2::from_angle(TAU * number / on_ring + 0.1 * ring) * (inner + ring)
    };
    let half = inner + rings as f64 + 20.0;
    let ground = Ground::new([PlanArea::rectangle(Vec2::splat(-half), Vec2::splat(half))])?;
    let mut settings = CrowdSettings::default();
    settings.model = SteeringModel::Orca(Orca { horizon: 2.0, reach: 5.0, most_neighbours: 10, ..Orca::default() });
    let group = AgentGroup {
        name: "rings".to_owned(),
        start: Start::at((0..count).map(place)),
        radius: 0.3,
        speed: SpeedLaw::constant(1.34),
        goals: Goals::Antipode,
        ..AgentGroup::default()
    };
    let mut crowd = Crowd::new(ground, settings, vec![group]).map_err(|faults| faults[0].clone())?;
    let mut times = Vec::with_capacity(steps);
    for _ in 0..steps {
        let started = Instant::now();
        crowd.step(0.1);
        times.push(1e3 * started.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    let mean = times.iter().sum::<f64>() / steps as f64;
    println!("heurt, {count} agents: median {:.1} ms a step, mean {mean:.1} ms", times[steps / 2]);
    println!("worst overlap {:.4} of a diameter", crowd.report().worst_overlap);
    Ok(())
}
