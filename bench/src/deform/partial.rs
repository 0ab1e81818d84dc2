//! A few vertices that move: refitting what is above them against refitting all.

use crate::Options;
use crate::meshes;
use crate::table;
use crate::timing::{Contestant, race};
use heurt_geometry::Vec3;
use heurt_shape::MeshShape;

/// Prints the table.
pub fn measure(options: &Options) {
    let mesh = meshes::bumpy(100_000);
    let vertices = mesh.vertices();
    let shape = MeshShape::new(mesh.clone()).expect("a mesh that fits a tree");
    println!("\n### partial refit: bumpy sphere, {} triangles, vertices of one patch moved\n", mesh.triangles().len());
    println!("| vertices moved | moved only | all | ratio |\n|---|---|---|---|");
    for share in [0.0001, 0.001, 0.01, 0.1, 0.5] {
        // The nearest to one point: what a finger presses.
        let mut moved: Vec<u32> = (0..vertices.len() as u32).collect();
        let finger = Vec3::new(1.0, 0.3, 0.2);
        let distance = |&vertex: &u32| (vertices[vertex as usize] - finger).length();
        moved.sort_by(|p, q| distance(p).total_cmp(&distance(q)));
        moved.truncate(((vertices.len() as f64 * share) as usize).max(1));
        // In turn, so that every call moves something.
        let pressed =
            [0.99, 0.98].map(|by| moved.iter().map(|&vertex| vertices[vertex as usize] * by).collect::<Vec<_>>());
        let whole = pressed.each_ref().map(|places| {
            let mut whole = vertices.to_vec();
            moved.iter().zip(places).for_each(|(&vertex, &place)| whole[vertex as usize] = place);
            whole
        });
        let (mut turn, mut other_turn) = (0, 0);
        let next = |turn: &mut usize| {
            *turn = 1 - *turn;
            *turn
        };
        let (mut part, mut all) = (shape.clone(), shape.clone());
        let outcomes = race(
            options.rounds,
            vec![
                Contestant::new("moved", |_| part.deform_moved(&moved, &pressed[next(&mut turn)]).map_or(0, |()| 1)),
                Contestant::new("all", |_| all.deform(&whole[next(&mut other_turn)]).map_or(0, |()| 1)),
            ],
        );
        let [some, every] = [outcomes[0].median(), outcomes[1].median()];
        let ratio = every / some;
        println!("| {} ({share}) | {} | {} | {ratio:.1} |", moved.len(), table::time(some), table::time(every));
    }
}
