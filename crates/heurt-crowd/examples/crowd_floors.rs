//! Ten thousand people leave three floors of 120 × 60 m over four stairwells.
//!
//! `cargo run --release -p heurt-crowd --example crowd_floors [PEOPLE] [BODIES]`: the time of a step every 20 s, next to
//! the 50 ms that a step simulates. BODIES of the people have real outlines: wheelchairs, prams, bicycles.

use heurt_crowd::{AgentForm, AgentGroup, Crowd, CrowdSettings, Goals, Ground, Outline, SpeedLaw, Start};
use heurt_geometry::{FloorArea, PlanArea, Vec2, Vec3};
use std::time::Instant;

/// Corners of a wheelchair, a pram and a bicycle, in metres, forward along x.
const OUTLINES: [(&str, &[[f64; 2]]); 3] = [
    ("wheelchair", &[[-0.55, -0.35], [0.3, -0.35], [0.6, -0.2], [0.6, 0.2], [0.3, 0.35], [-0.55, 0.35]]),
    ("pram", &[[-0.6, -0.3], [0.5, -0.3], [0.5, 0.3], [-0.6, 0.3]]),
    ("bicycle", &[[-0.9, -0.1], [0.4, -0.3], [0.9, -0.1], [0.9, 0.1], [0.4, 0.3], [-0.9, 0.1]]),
];

/// Height of a storey, in metres.
const STOREY: f64 = 4.0;

fn rectangle(x0: f64, y0: f64, x1: f64, y1: f64) -> PlanArea {
    PlanArea::rectangle(Vec2::new(x0.min(x1), y0), Vec2::new(x0.max(x1), y1))
}

/// A flight from `from` at height `low` to `to` at height `high`, along x.
fn flight([from, to]: [f64; 2], [y0, y1]: [f64; 2], [low, high]: [f64; 2]) -> FloorArea {
    let slope = Vec2::new((high - low) / (to - from), 0.0);
    FloorArea { area: rectangle(from, y0, to, y1), at: Vec3::new(from, y0, low), slope }
}

/// Halls over each other; at both ends two stairwells 4 m wide, and an exit 6 m wide on the lowest floor between them.
fn house() -> Vec<FloorArea> {
    let mut floors = Vec::new();
    for storey in 0..3 {
        let z = STOREY * f64::from(storey);
        floors.push(FloorArea::level(rectangle(0.0, 0.0, 120.0, 60.0), z));
        for (x, out) in [(0.0, -1.0), (120.0, 1.0)] {
            let at = |metres: f64| x + out * metres;
            if storey == 0 {
                floors.push(rectangle(at(0.0), 27.0, at(3.0), 33.0).into());
            }
            for y in [5.0, 45.0] {
                floors.push(FloorArea::level(rectangle(at(0.0), y, at(4.0), y + 8.2), z));
                if storey < 2 {
                    let half = z + 0.5 * STOREY;
                    floors.push(flight([at(4.0), at(8.0)], [y, y + 4.0], [z, half]));
                    floors.push(FloorArea::level(rectangle(at(8.0), y, at(12.0), y + 8.2), half));
                    floors.push(flight([at(8.0), at(4.0)], [y + 4.2, y + 8.2], [half, z + STOREY]));
                }
            }
        }
    }
    floors
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let people: usize = std::env::args().nth(1).map_or(Ok(10_000), |people| people.parse())?;
    let bodies: usize = std::env::args().nth(2).map_or(Ok(0), |bodies| bodies.parse())?;
    let people = people.saturating_sub(bodies);
    let exits = [rectangle(-3.0, 27.0, -2.0, 33.0), rectangle(122.0, 27.0, 123.0, 33.0)];
    let group = |storey: usize| AgentGroup {
        name: format!("storey {storey}"),
        start: Start::within(
            [FloorArea::level(rectangle(0.0, 0.0, 120.0, 60.0), STOREY * storey as f64)],
            people / 3 + usize::from(storey < people % 3),
        ),
        speed: SpeedLaw { mean: 1.34, deviation: 0.26, least: 0.6, most: 1.8 },
        goals: Goals::through([exits.clone()]),
        ..AgentGroup::default()
    };
    let mut groups: Vec<AgentGroup> = (0..3).map(group).collect();
    for (number, (name, corners)) in OUTLINES.iter().enumerate() {
        let form = AgentForm::Rigid(Outline::new(corners.iter().map(|&corner| Vec2::from_array(corner)).collect())?);
        for (storey, on_storey) in (0..3).map(|storey| (storey, group(storey))) {
            let count = bodies / 9 + usize::from(3 * number + storey < bodies % 9);
            let Start::Areas(areas, _) = on_storey.start else { continue };
            groups.push(AgentGroup {
                name: format!("{name} {storey}"),
                start: Start::Areas(areas, count),
                radius: form.clearance().unwrap_or(0.2),
                form: form.clone(),
                speed: SpeedLaw { mean: 1.0, deviation: 0.2, least: 0.6, most: 1.4 },
                ..group(storey)
            });
        }
    }
    // Bodies first: there is room for them as long as the halls are empty.
    groups.rotate_left(3);
    let started = Instant::now();
    let ground = Ground::new(house())?;
    let crowd = Crowd::new(ground, CrowdSettings::default(), groups);
    let mut crowd = crowd.map_err(|faults| faults[0].clone())?;
    println!("{} people ready after {:.2} s", crowd.agents().len(), started.elapsed().as_secs_f64());
    println!("| s | people | mean step ms | slowest step ms |\n|---:|---:|---:|---:|");
    while !crowd.is_empty() && crowd.time() < 1200.0 {
        let (mut sum, mut slowest, mut steps) = (0.0, 0.0_f64, 0);
        while steps < 400 && !crowd.is_empty() {
            let started = Instant::now();
            crowd.step(0.05);
            let millis = 1e3 * started.elapsed().as_secs_f64();
            (sum, slowest, steps) = (sum + millis, slowest.max(millis), steps + 1);
        }
        let people = crowd.agents().len();
        println!("| {:.0} | {people} | {:.1} | {slowest:.1} |", crowd.time(), sum / f64::from(steps));
    }
    let report = crowd.report();
    println!(
        "{} arrived, {} pairs overlapped, worst {:.1e}",
        report.arrived, report.overlapping_pairs, report.worst_overlap
    );
    Ok(())
}
