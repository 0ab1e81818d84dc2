//! How near both bounds of the depth of solids that are not convex are to each other, and what a contact costs.
//!
//! `cargo run --release -p heurt-query --example mesh_depths -- [poses]`

use heurt_query::{contact, overlap};
use heurt_shape::MeshShape;
use heurt_testkit::hard::concave::concave_pairs;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let poses = std::env::args().nth(1).map_or(Ok(4), |text| text.parse())?;
    let set = concave_pairs(poses, 7);
    let mut shapes = Vec::new();
    for (name, mesh) in set.meshes {
        let shape = MeshShape::new(mesh)?;
        let started = Instant::now();
        let _ = contact(&shape, &heurt_geometry::Pose::IDENTITY, &shape, &heurt_geometry::Pose::IDENTITY, 0.0);
        println!("{name}: {} triangles, first contact {:.1?}", shape.mesh().triangles().len(), started.elapsed());
        shapes.push(shape);
    }
    let mut ratios = Vec::new();
    for pair in &set.pairs {
        let [a, b] = pair.solids.map(|solid| &shapes[solid]);
        if overlap(a, &pair.poses[0], b, &pair.poses[1]).is_none() {
            continue;
        }
        let started = Instant::now();
        let Some(found) = contact(a, &pair.poses[0], b, &pair.poses[1], 0.0) else { continue };
        let micros = started.elapsed().as_secs_f64() * 1e6;
        let (upper, lower) = (-found.separation, -found.separation_bound);
        println!(
            "{:28} {lower:9.5} .. {upper:9.5}  ratio {:6.3}  points {:3}  {micros:9.1} µs",
            pair.name,
            upper / lower,
            found.points.len()
        );
        ratios.push((upper / lower, micros));
    }
    let mut micros: Vec<f64> = ratios.iter().map(|(_, micros)| *micros).collect();
    let mut ratios: Vec<f64> = ratios.iter().map(|(ratio, _)| *ratio).collect();
    ratios.sort_by(f64::total_cmp);
    micros.sort_by(f64::total_cmp);
    let at = |list: &[f64], share: f64| list[((list.len() - 1) as f64 * share) as usize];
    for (what, list) in [("ratio", &ratios), ("µs", &micros)] {
        println!(
            "{what}: median {:.3}, 90% {:.3}, worst {:.3} of {}",
            at(list, 0.5),
            at(list, 0.9),
            at(list, 1.0),
            list.len()
        );
    }
    Ok(())
}
