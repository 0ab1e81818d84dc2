//! `points`: the structures over points against each other and against looking at all (S4 §2.2, §2.3).
//!
//! Build, then one question for each point: who is within a radius that gives some ten neighbours (the median distance
//! to the tenth)? And for some points: who are the nearest eight? Single-threaded. Brute force answers one question in
//! so many that it takes seconds, and its time is multiplied.

use crate::Options;
use crate::random::Random;
use crate::table::time;
use crate::timing::{Contestant, median, race};
use heurt_broad::{BruteForceProximity, BspTree, KdTree, NeighbourGrid, Octree, PointProximity};
use heurt_geometry::Vec3;

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
/// How many neighbours the other question asks for, and how many points ask it.
const NEAREST: usize = 8;
const NEAREST_QUERIES: usize = 1_000;
/// Questions times points that brute force is given.
const BRUTE_FORCE_WORK: usize = 200_000_000;

/// Measures all structures on four kinds of points.
pub fn points(options: &Options) {
    for count in SIZES {
        let mut random = Random(options.seed);
        let uniform: Vec<Vec3> = (0..count).map(|_| random.cube()).collect();
        table("uniform in a cube", &uniform, options.rounds);
        table("in clusters", &clusters(count, &mut random), options.rounds);
        table("on a tilted sheet", &sheet(count, &mut random), options.rounds);
        if count == 10_000 {
            let with_outlier: Vec<Vec3> = uniform.iter().copied().chain([Vec3::splat(1000.0)]).collect();
            table("uniform in a cube, and one 1,000 times as far", &with_outlier, options.rounds);
        }
    }
}

/// Balls of 1,000 points on average, whose sizes span a factor of 100.
fn clusters(count: usize, random: &mut Random) -> Vec<Vec3> {
    let balls: Vec<(Vec3, f64)> =
        (0..count.div_ceil(1000)).map(|_| (random.cube(), 10f64.powf(-1.0 - 2.0 * random.unit()))).collect();
    let mut at = || {
        let (centre, radius) = balls[(random.unit() * balls.len() as f64) as usize];
        centre + random.direction() * radius * random.unit()
    };
    (0..count).map(|_| at()).collect()
}

/// A thin sheet across all axes.
fn sheet(count: usize, random: &mut Random) -> Vec<Vec3> {
    let (along, across) = (Vec3::new(1.0, 1.0, 0.5).normalize(), Vec3::new(1.0, -0.5, -1.0).normalize());
    let normal = along.cross(across);
    (0..count)
        .map(|_| {
            let at = random.cube();
            along * at.x + across * at.y + normal * at.z * 1e-3
        })
        .collect()
}

/// The median distance to the tenth neighbour.
fn radius(points: &[Vec3]) -> f64 {
    let tree = KdTree::new(points).expect("finite points");
    let step = points.len().div_ceil(1000);
    let tenth = |at: &Vec3| tree.nearest(*at, 11).last().map_or(0.0, |neighbour| neighbour.distance);
    median(&points.iter().step_by(step).map(tenth).collect::<Vec<f64>>())
}

fn table(kind: &str, points: &[Vec3], rounds: usize) {
    let radius = radius(points);
    println!("\n### points: {} {kind}, radius {radius:.4}\n", points.len());
    println!("| structure | build | all queries | together | neighbours each | nearest {NEAREST}, each |");
    println!("|---|---|---|---|---|---|");
    let sparse = (points.len() * points.len()).div_ceil(BRUTE_FORCE_WORK);
    let fine = "finite points";
    row("brute force", points, radius, rounds.min(3), sparse, BruteForceProximity::new(points).expect(fine));
    row("k-d tree", points, radius, rounds, 1, KdTree::new(points).expect(fine));
    row("BSP tree", points, radius, rounds, 1, BspTree::new(points).expect(fine));
    row("octree", points, radius, rounds, 1, Octree::new(points).expect(fine));
    row("neighbour grid", points, radius, rounds, 1, NeighbourGrid::new(points, radius).expect(fine));
}

/// Asks from one point in `sparse`.
fn row(name: &str, points: &[Vec3], radius: f64, rounds: usize, sparse: usize, structure: impl PointProximity + Clone) {
    let mut rebuilt = structure.clone();
    let build = Contestant::new("build", |_| {
        rebuilt.rebuild(points).expect("finite points");
        rebuilt.len() as u64
    });
    let mut found = Vec::new();
    let search = Contestant::new("query", |_| {
        let outcome = points.iter().step_by(sparse).map(|&at| {
            structure.within(at, radius, &mut found);
            found.len() as u64
        });
        outcome.sum()
    });
    let built = race(rounds, vec![build])[0].median();
    let outcome = &race(rounds, vec![search])[0];
    let count = points.len().div_ceil(sparse);
    let queries = outcome.median() * points.len() as f64 / count as f64;
    let each = outcome.answers[0] as f64 / count as f64;
    let step = points.len().div_ceil(NEAREST_QUERIES);
    let mut query_points = points.iter().step_by(step).cycle();
    let near = Contestant::new("nearest", |_| {
        let nearest_points = query_points.by_ref().take(NEAREST_QUERIES);
        nearest_points
            .map(|&at| structure.nearest(at, NEAREST).iter().map(|neighbour| u64::from(neighbour.point)).sum::<u64>())
            .sum()
    });
    let nearest = race(rounds, vec![near])[0].median() / NEAREST_QUERIES as f64;
    let name = if sparse == 1 { name.to_string() } else { format!("{name} (1 query in {sparse}, multiplied)") };
    let together = time(built + queries);
    println!("| {name} | {} | {} | {together} | {each:.1} | {} |", time(built), time(queries), time(nearest));
}
