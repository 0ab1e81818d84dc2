//! A street with a square and a fountain in it, as a map: triangles, who borders on whom, and the way through.
//!
//! `cargo run --release -p heurt --example map_of_a_street`

use heurt::geometry::Vec2;
use heurt::map::{Attribute, CombinatorialMap, Map2, Orbit, Walker};
use std::collections::VecDeque;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let outline = |corners: &[[f64; 2]]| corners.iter().copied().map(Vec2::from_array).collect::<Vec<Vec2>>();
    let street = [[0.0, 0.0], [40.0, 0.0], [40.0, -15.0], [70.0, -15.0], [70.0, 0.0], [100.0, 0.0], [100.0, 8.0]];
    let other_side = [[70.0, 8.0], [70.0, 25.0], [40.0, 25.0], [40.0, 8.0], [0.0, 8.0]];
    let fountain = [[52.0, 2.0], [58.0, 2.0], [58.0, 8.0], [52.0, 8.0]];
    let outlines = [outline(&[street.as_slice(), &other_side].concat()), outline(&fountain)];
    let plan = Map2::from_outlines(&outlines).map_err(|faults| faults[0].clone())?;
    let (map, points) = (&plan.built.map, plan.built.at_vertices(&plan.points));

    let [vertices, edges, faces, _] = map.cell_counts();
    println!("{vertices} vertices, {edges} edges, {faces} triangles");
    println!("Euler characteristic {}: one piece with one hole", map.euler_characteristic());

    // How many triangles away from the western end each one is, by the edges between them.
    let ids = map.cell_ids(Orbit::Face).ok_or("built maps have numbered faces")?;
    let middle = |dart| {
        let corners: Vec<Vec2> = map.face_darts(dart).filter_map(|dart| points.at(map, dart).copied()).collect();
        corners.iter().sum::<Vec2>() / corners.len() as f64
    };
    let west = ids.cells().min_by(|a, b| middle(a.1).x.total_cmp(&middle(b.1).x)).ok_or("there are triangles")?;
    let east = ids.cells().max_by(|a, b| middle(a.1).x.total_cmp(&middle(b.1).x)).ok_or("there are triangles")?;
    let mut steps = Attribute::new(map, Orbit::Face, None);
    let mut queue = VecDeque::from([west.1]);
    steps.values_mut()[west.0 as usize] = Some(0);
    let mut walker = Walker::new();
    while let Some(dart) = queue.pop_front() {
        let here = steps.at(map, dart).copied().flatten();
        for &next in walker.adjacent(map, dart, Orbit::Face, Orbit::Edge) {
            if let Some(step @ None) = steps.at_mut(map, next) {
                *step = here.map(|here: u32| here + 1);
                queue.push_back(next);
            }
        }
    }
    let next_steps = steps.values()[east.0 as usize].ok_or("the street is in one piece")?;
    println!("from {:.0} to {:.0}: {next_steps} triangles further", middle(west.1), middle(east.1));
    assert!(map.validate().is_empty());
    Ok(())
}
