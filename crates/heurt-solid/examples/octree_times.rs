//! Times of octrees of two balls that overlap: construction, set operations, measures and moves.
//!
//! In: a depth, 9 if none is given. Out: lines of text.
//! Run: `cargo run --release -p heurt-solid --example octree_times -- 9`.

use heurt_geometry::{Pose, Vec3};
use heurt_mesh::{TriMesh, generate};
use heurt_solid::{Axis, Octree, OctreeRoot};
use std::error::Error;
use std::time::{Duration, Instant};

/// Returns the shortest time of five runs, and the last result.
fn time<T>(mut run: impl FnMut() -> T) -> (Duration, T) {
    let mut timed = || {
        let started = Instant::now();
        let result = run();
        (started.elapsed(), result)
    };
    let (mut least, mut last) = timed();
    for _ in 1..5 {
        let (elapsed, result) = timed();
        (least, last) = (least.min(elapsed), result);
    }
    (least, last)
}

fn ball(x: f64) -> Result<TriMesh, Box<dyn Error>> {
    let pose = Pose::from_translation(Vec3::new(x, 0.0, 0.0))?;
    Ok(generate::icosphere(1.0, 5)?.transformed(&pose)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let depth = std::env::args().nth(1).map_or(Ok(9), |depth| depth.parse())?;
    let root = OctreeRoot::new(Vec3::splat(-2.0), 4.0, depth)?;
    let (left, right) = (ball(-0.4)?, ball(0.4)?);
    let started = Instant::now();
    let a = Octree::of_mesh_within(&left, root)?;
    println!("of_mesh, {} triangles: {} nodes, {:?}", left.triangles().len(), a.nodes().len(), started.elapsed());
    let b = Octree::of_mesh_within(&right, root)?;
    let (elapsed, union) = time(|| a.union(&b));
    println!("union: {} nodes, {elapsed:?}", union?.nodes().len());
    let (elapsed, xor) = time(|| a.xor(&b));
    println!("xor: {} nodes, {elapsed:?}", xor?.nodes().len());
    let (elapsed, measures) = time(|| a.measures());
    println!("measures: volume {:?} m³, area {} m², {elapsed:?}", measures.volume, measures.surface);
    let (elapsed, _) = time(|| a.turned(Axis::Y, 1));
    println!("quarter turn: {elapsed:?}");
    let (elapsed, moved) = time(|| a.translated([1, 1, 1]));
    println!("translation by (1, 1, 1) cells: {} nodes, {elapsed:?}", moved?.nodes().len());
    Ok(())
}
