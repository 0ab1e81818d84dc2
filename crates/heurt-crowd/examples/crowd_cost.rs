//! Cost of a step against the number of agents and the size of the floor (S4 §8.3.1).
//!
//! `cargo run --release -p heurt-crowd --example crowd_cost [MOST [LEAST]]`: nanoseconds an agent and
//! step, for agents at random
//! places of an open square that walk to the places opposite, one in four square metres; on floors 1, 10, 100 and 1,000
//! times as large as the square that they are in. The last line is the slope of time against agents, both as
//! logarithms, next to that of n log n.

use heurt_crowd::{AgentGroup, Crowd, CrowdSettings, Goals, Ground, SpeedLaw, Start};
use heurt_geometry::{PlanArea, Vec2};
use std::time::Instant;

/// The side of the largest floor, in metres.
const LARGEST_SIDE: f64 = 30_000.0;

fn crowd(count: usize, side: f64, crowded: f64) -> Result<Crowd, Box<dyn std::error::Error>> {
    let ground = Ground::new([PlanArea::rectangle(Vec2::ZERO, Vec2::splat(side))])?;
    let middle = [0.5 * (side - crowded), 0.5 * (side + crowded)];
    let start = PlanArea::rectangle(Vec2::splat(middle[0]), Vec2::splat(middle[1]));
    let group = AgentGroup {
        name: "people".to_owned(),
        start: Start::within([start], count),
        speed: SpeedLaw { mean: 1.34, deviation: 0.26, least: 0.6, most: 1.8 },
        goals: Goals::Antipode,
        ..AgentGroup::default()
    };
    // Some agents at the border have no place opposite: the centre of the group is not quite that of the square.
    Ok(Crowd::without_faulty(ground, CrowdSettings::default(), vec![group]).0)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let number = |place: usize, usual: usize| std::env::args().nth(place).map_or(Ok(usual), |text| text.parse());
    let (most, least) = (number(1, 1_000_000)?, number(2, 1000)?);
    println!("| agents | × 1 | × 10 | × 100 | × 1,000 | registered again |\n|---:|---:|---:|---:|---:|---:|");
    let (mut count, mut points) = (least, Vec::new());
    while count <= most {
        let crowded = (4.0 * count as f64).sqrt();
        let (mut cells, mut share) = (String::new(), 0.0);
        for factor in [1.0, 10.0, 100.0, 1000.0_f64] {
            let side = crowded * factor.sqrt();
            if side > LARGEST_SIDE {
                cells += " |";
                continue;
            }
            let mut crowd = crowd(count, side, crowded)?;
            (0..5).for_each(|_| crowd.step(0.05));
            let (started, steps) = (Instant::now(), (400_000 / count).clamp(3, 200));
            (0..steps).for_each(|_| crowd.step(0.05));
            let seconds = started.elapsed().as_secs_f64() / steps as f64;
            let report = crowd.report();
            cells += &format!(" {:.0} |", 1e9 * seconds / report.agents as f64);
            share = 100.0 * report.reregistered_share;
            if factor == 1.0 {
                points.push([report.agents as f64, seconds]);
            }
        }
        println!("| {count} |{cells} {share:.1} % |");
        count *= 10;
    }
    let slope = exponent(&points);
    let ideal: Vec<[f64; 2]> = points.iter().map(|&[n, _]| [n, n * n.ln()]).collect();
    println!("\nexponent {slope:.3}; of n log n {:.3}", exponent(&ideal));
    Ok(())
}

/// Returns the slope of the straight line through the logarithms of both numbers (least squares).
fn exponent(points: &[[f64; 2]]) -> f64 {
    let logs: Vec<[f64; 2]> = points.iter().map(|point| point.map(f64::ln)).collect();
    let mean = |axis: usize| logs.iter().map(|log| log[axis]).sum::<f64>() / logs.len() as f64;
    let (x, y) = (mean(0), mean(1));
    let across: f64 = logs.iter().map(|log| (log[0] - x) * (log[1] - y)).sum();
    across / logs.iter().map(|log| (log[0] - x).powi(2)).sum::<f64>()
}
