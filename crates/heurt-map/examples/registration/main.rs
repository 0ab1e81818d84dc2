//! Registration measured: crowds on coarse, fine and adaptive cells; what refining and coarsening cost; neighbours
//! next to other structures.
//!
//! `cargo run --release -p heurt-map --example registration`; with `neighbours [MOST]` after `--` the tables of
//! neighbours only, up to that number of agents; with another word only the rows of the crowd's tables that have it in their
//! names.

mod crowd;
mod peers;

use heurt_geometry::Vec2;
use heurt_map::Map2;
use heurt_map::multires::ImplicitMap;
use heurt_map::registration::{Environment, Plane, PlaneEnvironment};
use heurt_testkit::number::random::Random;
use std::time::Instant;

fn main() {
    let row = std::env::args().nth(1);
    let most = std::env::args().nth(2).and_then(|most| most.parse().ok()).unwrap_or(1_000_000);
    if row.as_deref() == Some("neighbours") {
        return peers::compare(most);
    }
    crowd::compare(row.as_deref().unwrap_or(""));
    if row.is_some() {
        return;
    }
    changes();
    peers::compare(most);
}

/// Rectangles of a side over a corridor.
pub fn grid(length: f64, width: f64, side: f64) -> PlaneEnvironment {
    let [nx, ny] = [length, width].map(|along| (along / side).round() as u32);
    let map = Map2::grid(nx, ny).expect("a grid");
    let at = |k: u32| Vec2::new(f64::from(k % (nx + 1)), f64::from(k / (nx + 1))) * side;
    let points = (0..(nx + 1) * (ny + 1)).map(at).collect();
    Environment::new(ImplicitMap::new(map), Plane::new(points).expect("finite")).expect("squares")
}

/// What refining and coarsening one cell with ten particles cost, beside moves.
fn changes() {
    let mut random = Random::new(3);
    let mut env = grid(16.0, 16.0, 1.0);
    let mut all = Vec::new();
    for k in 0..2560 {
        let cell = k / 10;
        let corner = Vec2::new(f64::from(cell % 16), f64::from(cell / 16));
        let at = corner + Vec2::new(random.unit(), random.unit());
        let entity = env.add_particle(at).expect("inside");
        all.push((env.points(entity).expect("registered").next().expect("a point"), at));
    }
    let amid = env.cell_of(all[10 * (8 * 16 + 8)].0).expect("registered");
    assert_eq!(env.present(amid).expect("a cell").len(), 10);
    let (mut refine, mut coarsen, mut moves, mut crossing) = (vec![], vec![], vec![], vec![]);
    let mut cell = amid;
    for _ in 0..2000 {
        let start = Instant::now();
        let pieces = env.refine(cell).expect("a square").after;
        refine.push(start.elapsed().as_secs_f64());
        let start = Instant::now();
        cell = env.coarsen(pieces[0]).expect("pieces").after[0];
        coarsen.push(start.elapsed().as_secs_f64());
        // A tenth of a cell, in any direction, by a hundred particles.
        let first = (random.unit() * 12.0) as usize * 100; // not those about the cell
        let registered = env.counts().registrations;
        let start = Instant::now();
        for (point, at) in &mut all[first..first + 100] {
            let offset = Vec2::from_angle(random.unit() * std::f64::consts::TAU) * 0.1;
            *at = (*at + offset).clamp(Vec2::splat(0.001), Vec2::splat(15.999));
            env.move_point(*point, *at).expect("inside");
        }
        moves.push(start.elapsed().as_secs_f64());
        crossing.push((env.counts().registrations - registered) as f64);
    }
    let median = |list: &mut Vec<f64>| {
        list.sort_by(f64::total_cmp);
        list[list.len() / 2] * 1e6
    };
    let share = crossing.iter().sum::<f64>() / (100 * crossing.len()) as f64;
    let held = env.present(cell).expect("a cell").len();
    let [refine, coarsen, moves] = [&mut refine, &mut coarsen, &mut moves].map(median);
    println!("\nOne square among others, about ten particles in each ({held} in it at the end)\n");
    println!("| operation | median µs |\n|---|---:|");
    println!("| refine | {refine:.2} |\n| coarsen | {coarsen:.2} |");
    println!("| 100 moves of a tenth of a cell, {:.0} % into other cells | {moves:.2} |", 100.0 * share);
}
