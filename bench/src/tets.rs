//! `tets`: hashed tetrahedra, over cell sizes about the mean edge length (S4 §2.4.1; Teschner et al. 2003 find it
//! best).
//!
//! Two blocks of 20,250 tetrahedra pass through each other while both wobble; the time is the median over the steps of
//! the least of all rounds, for vertices of the other block and, in the second table, of the block itself too.

use crate::Options;
use crate::table::time;
use crate::timing::{Contestant, Mode, contest};
use heurt_broad::{TetBody, TetHash, TetPairs, TetWork, mean_edge_length, propose_table_size};
use heurt_geometry::Vec3;
use heurt_mesh::TetMesh;
use heurt_mesh::generate::tet_block;
use std::time::Duration;

const STEPS: usize = 20;
const FACTORS: [f64; 11] = [0.25, 0.35, 0.5, 0.71, 0.85, 1.0, 1.2, 1.41, 2.0, 2.83, 4.0];

/// Sweeps the cell size.
pub fn tets(options: &Options) {
    let rest = tet_block([15, 15, 15], [1.0, 1.0, 1.0]).expect("a legal block");
    let steps: Vec<[TetMesh; 2]> = (0..STEPS)
        .map(|step| {
            let along = 1.2 - 1.2 * step as f64 / STEPS as f64;
            [wobbled(&rest, Vec3::ZERO, step as f64), wobbled(&rest, Vec3::new(along, 0.3, 0.2), step as f64 + 2.0)]
        })
        .collect();
    let edge = mean_edge_length(&[TetBody::from(&rest)]).expect("edges");
    let slots = propose_table_size(2 * rest.vertices().len());
    for (name, pairs) in [("of the other block", TetPairs::Others), ("of both blocks", TetPairs::WithSelf)] {
        println!(
            "\n### tets: 2 × {} tetrahedra, vertices {name}, mean edge {edge:.4}, {slots} slots\n",
            rest.tets().len()
        );
        println!("| cell / mean edge | a step | cells | boxes | exact | hits |");
        println!("|---|---|---|---|---|---|");
        for factor in FACTORS {
            row(factor, &steps, pairs, TetHash::new(factor * edge, slots).expect("a legal table"), options.rounds);
        }
    }
}

fn wobbled(rest: &TetMesh, shift: Vec3, phase: f64) -> TetMesh {
    let wave = |x: f64| 0.03 * (7.0 * x + phase).sin();
    let moved: Vec<Vec3> =
        rest.vertices().iter().map(|p| *p + shift + Vec3::new(wave(p.y), wave(p.z), wave(p.x))).collect();
    let mut mesh = rest.clone();
    mesh.set_vertices(&moved).expect("finite vertices");
    mesh
}

fn row(factor: f64, steps: &[[TetMesh; 2]], pairs: TetPairs, mut hash: TetHash, rounds: usize) {
    let mut works = vec![TetWork::default(); steps.len()];
    let step = Contestant::new("step", |step| {
        let bodies = [TetBody::from(&steps[step][0]), TetBody::from(&steps[step][1])];
        works[step] = hash.collide(&bodies, pairs, |_| ()).expect("few vertices");
        works[step].hits
    });
    let outcome = contest(steps.len(), rounds, Mode::Each, Duration::from_secs(20), vec![step]);
    let a_step = time(outcome[0].median());
    let mean = |of: fn(&TetWork) -> u64| works.iter().map(of).sum::<u64>() / works.len() as u64;
    let (cells, boxes) = (mean(|work| work.cells), mean(|work| work.boxes));
    println!("| {factor} | {a_step} | {cells} | {boxes} | {} | {} |", mean(|work| work.exact), mean(|work| work.hits));
}
