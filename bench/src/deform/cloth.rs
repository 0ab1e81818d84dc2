//! Folded cloth against itself: refit and all pairs, at each of some states near the last fold.
//!
//! heurt gives the triangles that intersect, parry's tree those whose boxes meet, and once more with a triangle test of ours;
//! `peers_cloth.py` adds what ipctk's broad phases take, which stop at boxes of edges and faces. Triangles with a common vertex
//! do not count.

use crate::Options;
use crate::peers::parry::{double, single};
use crate::table::{self, Line};
use crate::timing::{Contestant, Mode, contest};
use heurt_geometry::Vec3;
use heurt_mesh::generate::Cloth;
use heurt_query::{Neighbours, self_pairs};
use heurt_shape::MeshShape;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// 49,928 triangles.
const PIECES: u32 = 158;
const LAYERS: u32 = 8;
/// How far it is folded, state by state.
const FOLDED: [f64; 8] = [0.9965, 0.997, 0.9975, 0.998, 0.9985, 0.999, 0.9995, 1.0];

/// Prints the table, and writes the states for ipctk.
pub fn measure(options: &Options) {
    let cloth = Cloth::new(PIECES, LAYERS).expect("legal parameters");
    let states = FOLDED.map(|folded| cloth.vertices(folded));
    let sheet = cloth.sheet();
    if let Err(error) = write(&options.data, sheet.triangles(), &states) {
        eprintln!("no states for ipctk: {}: {error}", options.data.display());
    }
    let akin = |i: u32, j: u32| {
        let [a, b] = [i, j].map(|k| sheet.triangles()[k as usize]);
        a.iter().any(|vertex| b.contains(vertex))
    };
    let (s, x) = (single::Mesh::new(sheet), double::Mesh::new(sheet));
    let floats = states.each_ref().map(|state| single::points(state));
    let doubles = states.each_ref().map(|state| double::points(state));
    let mut shape = MeshShape::new(sheet.clone()).expect("a mesh that fits a tree");
    let mut trees = [s.refitter(), s.refitter()];
    let mut doubled = [x.refitter(), x.refitter()];
    let [of_boxes, of_triangles] = &mut trees;
    let [of_boxes64, of_triangles64] = &mut doubled;
    let stranger = |i: u32, j: u32| !akin(i, j);
    let field = vec![
        Contestant::new("heurt: pairs that intersect, exact", |i| {
            shape.deform(&states[i]).expect("as many vertices as before");
            self_pairs(&shape, Neighbours::Skip).len() as u64
        }),
        Contestant::new("parry-f32 leaf_pairs, boxes only", |i| {
            s.self_pairs(of_boxes, &floats[i], stranger, false).len() as u64
        }),
        Contestant::new("parry-f64 leaf_pairs, boxes only", |i| {
            x.self_pairs(of_boxes64, &doubles[i], stranger, false).len() as u64
        }),
        Contestant::new("parry-f32 leaf_pairs and triangles", |i| {
            s.self_pairs(of_triangles, &floats[i], stranger, true).len() as u64
        }),
        Contestant::new("parry-f64 leaf_pairs and triangles", |i| {
            x.self_pairs(of_triangles64, &doubles[i], stranger, true).len() as u64
        }),
    ];
    let outcomes = contest(FOLDED.len(), options.rounds, Mode::Each, Duration::from_secs(30), field);
    let mut lines: Vec<Line> = outcomes.iter().map(|outcome| Line::new(outcome, &[])).collect();
    lines.extend(crate::store::lines_of(&options.data, ["cloth", "folded", "self"]).into_iter().map(Line::from));
    let title = format!("self-pairs: folded cloth, {} triangles, refit included", sheet.triangles().len());
    table::print(&title, &lines);
    println!("\n| folded | {} |", FOLDED.map(|folded| folded.to_string()).join(" | "));
    println!("|---|{}", "---|".repeat(FOLDED.len()));
    for outcome in [&outcomes[2], &outcomes[0]] {
        let counts: Vec<String> = outcome.answers.iter().map(u64::to_string).collect();
        println!("| {} | {} |", outcome.name, counts.join(" | "));
    }
}

fn write(folder: &Path, triangles: &[[u32; 3]], states: &[Vec<Vec3>]) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    let faces: Vec<u8> = triangles.iter().flatten().flat_map(|index| index.to_le_bytes()).collect();
    let points: Vec<u8> = states.iter().flatten().flat_map(|v| v.to_array()).flat_map(f64::to_le_bytes).collect();
    fs::write(folder.join("cloth.n"), states.len().to_string())?;
    fs::write(folder.join("cloth.f"), faces)?;
    fs::write(folder.join("cloth.v"), points)
}
