//! Cost of a step against the number of agents and the size of the floor (S4 §8.3.1).
//!
//! `cargo run --release -p heurt-crowd --example crowd_cost [MOST]`: a table of microseconds a step and nanoseconds an
//! agent, for agents at random places of an open square that walk to random places, one in four square metres.

use heurt_crowd::{AgentGroup, Crowd, CrowdSettings, Goals, Ground, SocialTraits, SpeedLaw, Start};
use heurt_geometry::{PlanArea, Vec2};
use std::time::Instant;

fn crowd(count: usize, side: f64, crowded: f64) -> Result<Crowd, Box<dyn std::error::Error>> {
    let ground = Ground::new([PlanArea::rectangle(Vec2::ZERO, Vec2::splat(side))])?;
    let middle = [0.5 * (side - crowded), 0.5 * (side + crowded)];
    let start = PlanArea::rectangle(Vec2::splat(middle[0]), Vec2::splat(middle[1]));
    let group = AgentGroup {
        name: "people".to_owned(),
        start: Start::within([start], count),
        radius: 0.2,
        speed: SpeedLaw { mean: 1.34, deviation: 0.26, least: 0.6, most: 1.8 },
        goals: Goals::Antipode,
        reaction: SpeedLaw::constant(0.0),
        social: SocialTraits::default(),
    };
    // Some agents at the border have no place opposite: the centre of the group is not quite that of the square.
    Ok(Crowd::without_faulty(ground, CrowdSettings::default(), vec![group]).0)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let most: usize = std::env::args().nth(1).map_or(Ok(64_000), |most| most.parse())?;
    println!("| agents | side of the floor m | ns an agent | registered again |\n|---:|---:|---:|---:|");
    let mut count = 1000;
    while count <= most {
        let crowded = (4.0 * count as f64).sqrt();
        for factor in [1.0, 10.0] {
            let side = crowded * factor;
            if side * side > 1e9 {
                continue;
            }
            let mut crowd = crowd(count, side, crowded)?;
            (0..5).for_each(|_| crowd.step(0.05));
            let (started, steps) = (Instant::now(), (200_000 / count).clamp(3, 100));
            (0..steps).for_each(|_| crowd.step(0.05));
            let nanos = started.elapsed().as_secs_f64() * 1e9 / (steps * crowd.report().agents) as f64;
            let share = 100.0 * crowd.report().reregistered_share;
            println!("| {count} | {side:.0} | {nanos:.0} | {share:.1} % |");
        }
        count *= 4;
    }
    Ok(())
}
