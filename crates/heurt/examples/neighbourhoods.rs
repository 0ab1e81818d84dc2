//! Many bodies at once: which faces may meet, and which points are near each other?
//!
//! `cargo run -p heurt --example neighbourhoods`

use heurt::broad::{NeighbourGrid, PointProximity, VoxelGrid, VoxelGridOptions, propose_voxel_size};
use heurt::geometry::triangles_intersect;
use heurt::mesh::generate;
use heurt::prelude::*;

/// The faces of a mesh, moved.
fn faces(mesh: &TriMesh, shift: Vec3) -> impl Iterator<Item = Triangle> + '_ {
    (0..mesh.triangles().len() as u32).map(move |face| mesh.corners(face).map(|corner| corner + shift))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Voxels for faces: a floor that is filled in once, and two balls that fall through it and past each other.
    let floor = generate::plate([2.0, 2.0, 0.1], [4, 4], 0.2, 16)?;
    let ball = generate::icosphere(0.3, 3)?;
    let size = propose_voxel_size(faces(&ball, Vec3::ZERO)).ok_or("a ball has faces")?;
    let room = Aabb { min: Vec3::splat(-1.5), max: Vec3::splat(1.5) };
    let mut grid = VoxelGrid::new(&room, VoxelGridOptions::new(2.0 * size))?;
    grid.add_static(0, faces(&floor, Vec3::ZERO), 0.0)?;
    for step in 0..4 {
        let height = 0.9 - 0.25 * f64::from(step);
        let beside = 0.9 - 0.15 * f64::from(step);
        let places = [Vec3::ZERO, Vec3::new(0.2, 0.1, height), Vec3::new(beside, 0.2, height - 0.2)];
        grid.begin_step();
        for object in [1, 2] {
            grid.add_moving(object, faces(&ball, places[object as usize]), 0.0)?;
        }
        let meshes = [&floor, &ball, &ball];
        let placed = |object: u32, face: u32| {
            meshes[object as usize].corners(face).map(|corner| corner + places[object as usize])
        };
        let mut meet = [[0; 3]; 3];
        let work = grid.for_each_pair(|a, b| {
            // The grid proposes; what meets is decided exactly.
            if triangles_intersect(&placed(a.object, a.face), &placed(b.object, b.face)) {
                meet[a.object as usize][b.object as usize] += 1;
            }
        });
        println!(
            "at {height:.2} m: {} candidates; {} pairs of faces meet the floor, {} each other",
            work.pairs,
            meet[0][1] + meet[0][2],
            meet[1][2]
        );
    }

    // A neighbour grid for points: rebuilt whenever they move, asked from each of them.
    let mut crowd: Vec<Vec3> = (0..400).map(|i| Vec3::new(f64::from(i % 20), f64::from(i / 20), 0.0)).collect();
    let mut neighbours = NeighbourGrid::new(&crowd, 1.5)?;
    let mut near = Vec::new();
    for step in 0..3 {
        let mut most = 0;
        for &at in &crowd {
            neighbours.within(at, 1.5, &mut near);
            most = most.max(near.len() - 1);
        }
        println!("step {step}: nobody has more than {most} others within 1.5 m");
        // Everybody goes a fifth of the way to the middle.
        crowd.iter_mut().for_each(|at| *at += (Vec3::new(9.5, 9.5, 0.0) - *at) * 0.2);
        neighbours.rebuild(&crowd)?;
    }
    Ok(())
}
