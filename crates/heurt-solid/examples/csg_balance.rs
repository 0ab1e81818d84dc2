//! Depth and cost of membership of a chain of unions before and after balancing, as a table.
//!
//! In: the number of balls, 1,000 if none is given. Out: lines of text.
//! Run: `cargo run --release -p heurt-solid --example csg_balance -- 1000`.

use heurt_geometry::{Pose, SplitMix64, Vec3};
use heurt_shape::Convex;
use heurt_solid::{Csg, CsgQuery};
use std::error::Error;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let count: u32 = std::env::args().nth(1).map_or(Ok(1000), |text| text.parse())?;
    let mut random = SplitMix64::new(7);
    let mut point = || Vec3::new(random.unit(), random.unit(), random.unit()) * 10.0;
    let ball = Csg::shape(Convex::sphere(0.4)?);
    let balls: Vec<Csg> = (0..count)
        .map(|_| Ok(ball.clone().transformed(Pose::from_translation(point())?.into())))
        .collect::<Result<_, Box<dyn Error>>>()?;
    let chain = Csg::union_of(balls);
    let points: Vec<Vec3> = (0..10_000).map(|_| point()).collect();
    println!("union of {count} balls, {} points", points.len());
    println!(
        "{:<10} {:>6} {:>7} {:>17} {:>10} {:>7}",
        "tree", "depth", "nodes", "visits per point", "ns/point", "inside"
    );
    for (name, tree) in [("chain", &chain), ("balanced", &chain.balanced())] {
        let query = CsgQuery::new(tree);
        let started = Instant::now();
        let found: Vec<(bool, usize)> = points.iter().map(|&point| query.contains_counted(point)).collect();
        let nanoseconds = started.elapsed().as_nanos() as f64 / points.len() as f64;
        let visits = found.iter().map(|found| found.1).sum::<usize>() as f64 / points.len() as f64;
        let inside = found.iter().filter(|found| found.0).count();
        println!(
            "{name:<10} {:>6} {:>7} {visits:>17.1} {nanoseconds:>10.0} {inside:>7}",
            tree.depth(),
            tree.node_count()
        );
    }
    Ok(())
}
