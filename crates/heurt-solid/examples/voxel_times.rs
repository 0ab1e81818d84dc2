//! Times of voxel grids of a ring: centres, exact bounds, set operations, conversions, measures, meshes;
//! and of the union and intersection of octrees with as many cells.
//!
//! In: the number of cells along an axis, 512 if none is given. Out: lines of text.
//! Run: `cargo run --release -p heurt-solid --example voxel_times -- 512`.

use heurt_geometry::Vec3;
use heurt_mesh::generate;
use heurt_solid::{Axis, Bintree, BitGrid, BrickSet, Node, VoxelBounds, VoxelSpace};
use std::error::Error;
use std::time::Instant;

/// Prints the shortest time of five runs, and returns the last result.
fn time<T>(name: &str, mut run: impl FnMut() -> T) -> T {
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
    println!("{name}: {least:?}");
    last
}

fn main() -> Result<(), Box<dyn Error>> {
    let cells = std::env::args().nth(1).map_or(Ok(512), |cells| cells.parse())?;
    let ring = generate::torus(1.0, 0.4, 320, 160)?;
    let space = VoxelSpace::new(Vec3::splat(-1.5), 3.0 / f64::from(cells), [cells; 3])?;
    println!("{} triangles, {cells}³ cells", ring.triangles().len());
    time("is_closed", || heurt_mesh::is_closed(&ring));
    let grid = time("cells by centres", || BitGrid::of_mesh_centres(&ring, space))?;
    time("cells of the surface", || BitGrid::of_surface(&ring, space))?;
    let bounds = time("exact bounds", || VoxelBounds::of_mesh(&ring, space))?;
    println!("{} cells, volume {:?} m³", grid.count(), bounds.volume());
    let moved = VoxelBounds::of_cells(grid.clone());
    time("union of bounds", || bounds.union(&moved))?;
    time("union", || grid.union(bounds.outer()))?;
    let octree = time("bounds to octree", || bounds.to_octree())?;
    println!("{} nodes", octree.nodes().len());
    time("octree to bounds", || VoxelBounds::of_octree(&octree))?;
    println!("{:?}", time("measures", || grid.measures()));
    let mesh = time("boundary mesh", || grid.boundary_mesh())?;
    println!("{} triangles", mesh.triangles().len());
    time("quarter turn around z", || grid.turned(Axis::Z, 1))?;
    let bricks = time("grid to bricks", || BrickSet::of_grid(&grid));
    println!("{} bricks, of {} in the box", bricks.brick_count(), u64::from(cells.div_ceil(8)).pow(3));
    time("union of bricks", || bricks.union(&bricks))?;
    let turned = octree.turned(Axis::X, 1);
    time("union of octrees", || octree.union(&turned))?;
    time("intersection of octrees", || octree.intersection(&turned))?;
    let bintree = time("octree to bintree", || Bintree::from_octree(&octree))?;
    let leaves = |nodes: &[Node]| nodes.iter().filter(|&&node| node != Node::Branch).count();
    println!(
        "octree: {} nodes, {} leaves; bintree: {} nodes, {} leaves",
        octree.nodes().len(),
        leaves(octree.nodes()),
        bintree.nodes().len(),
        leaves(bintree.nodes())
    );
    Ok(())
}
