//! Tests of agents that fly.

use heurt_crowd::space::{coulomb_energy, spread_on_sphere};

/// The least energies of N charges on the unit sphere (VALUES).
const LEAST_ENERGIES: [(usize, f64); 9] = [
    (2, 0.5),
    (3, 1.732050808),
    (4, 3.674234614),
    (5, 6.474691495),
    (6, 9.985281374),
    (8, 19.675287861),
    (12, 49.165253058),
    (20, 150.881568334),
    (32, 412.261274651),
];

#[test]
fn charges_on_the_sphere_reach_the_known_energies() {
    for (count, least) in LEAST_ENERGIES {
        for seed in 1..=8 {
            let points = spread_on_sphere(count, seed);
            let energy = coulomb_energy(&points);
            println!("{count} {seed} {energy:.9} {:.2e}", energy - least);
        }
    }
}
