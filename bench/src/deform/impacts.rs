//! Folded cloth that moves on: when does each of its features first meet another, all contacts of a step.
//!
//! heurt refits and lists every pair of a vertex and a triangle, or of two edges, that touches in the step. `peers_impacts.py`
//! adds ipctk: candidates by its fastest broad phase, then its Tight Inclusion on each. Tolerance 1e-6. One thread each.

use crate::Options;
use crate::store::{leave, lines_of};
use crate::table::{self, Line};
use crate::timing::{Contestant, Mode, contest};
use heurt_geometry::Vec3;
use heurt_mesh::generate::Cloth;
use heurt_query::Budget;
use heurt_query::ccd::{CcdOptions, FeaturePair, MovingMesh, first_self_impact, self_impacts, self_impacts_with};
use std::time::Duration;

/// 49,928 triangles.
const PIECES: u32 = 158;
const LAYERS: u32 = 8;
/// How far it is folded at the start and the end of each step.
const STEPS: [[f64; 2]; 5] = [[0.97, 0.98], [0.98, 0.99], [0.985, 0.995], [0.99, 0.995], [0.99, 0.9965]];

/// Prints the table, and writes the steps for ipctk.
pub fn measure(options: &Options) {
    let cloth = Cloth::new(PIECES, LAYERS).expect("legal parameters");
    let steps = STEPS.map(|ends| ends.map(|folded| cloth.vertices(folded)));
    write(options, &cloth, &steps);
    let mut mesh = MovingMesh::new(cloth.sheet()).expect("a mesh that fits a tree");
    let mut again = mesh.clone();
    let settings = CcdOptions::default();
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("one thread");
    let (mut counts, mut met) = (Vec::new(), Vec::new());
    for (step, [start, end]) in steps.iter().enumerate() {
        mesh.step(start, end).expect("as many vertices as before");
        let answer = self_impacts_with(&mesh, &settings, &Budget::default()).expect("legal options");
        let (work, found) = (answer.work, answer.complete().expect("no budget"));
        counts.push((work.primitives, found.len()));
        met.extend(found.iter().flat_map(|impact| features(step, impact.meeting, mesh.triangles())));
    }
    leave(&options.data, "impacts.h", &met);
    let field = vec![
        Contestant::new("heurt: all contacts, refit included", |i| {
            mesh.step(&steps[i][0], &steps[i][1]).expect("as many vertices as before");
            alone.install(|| self_impacts(&mesh, &settings)).expect("legal options").len() as u64
        }),
        Contestant::new("heurt: the first contact, refit included", |i| {
            again.step(&steps[i][0], &steps[i][1]).expect("as many vertices as before");
            let first = alone.install(|| first_self_impact(&again, &settings)).expect("legal options");
            first.map_or(0, |impact| impact.time.to_bits())
        }),
    ];
    let outcomes = contest(STEPS.len(), options.rounds, Mode::Each, Duration::from_secs(30), field);
    let mut lines: Vec<Line> = outcomes.iter().map(|outcome| Line::new(outcome, &[])).collect();
    lines.extend(lines_of(&options.data, ["impacts", "folded", "self"]).into_iter().map(Line::from));
    let title = format!("contacts of a step: folded cloth, {} triangles", cloth.sheet().triangles().len());
    table::print(&title, &lines);
    println!("\n| folded from, to | pairs of features asked | contacts |\n|---|---|---|");
    for ([from, to], (tests, found)) in STEPS.into_iter().zip(counts) {
        println!("| {from}, {to} | {tests} | {found} |");
    }
}

/// The step, then the vertices: of a vertex and a triangle, or of two edges and the number 1.
fn features(step: usize, meeting: FeaturePair, triangles: &[[u32; 3]]) -> [f64; 6] {
    let (kind, [a, b, c, d]) = match meeting {
        FeaturePair::VertexFace { vertex, face } | FeaturePair::FaceVertex { face, vertex } => {
            let [u, v, w] = triangles[face as usize];
            (0.0, [vertex, u, v, w])
        }
        FeaturePair::EdgeEdge { a: [s, t], b: [u, v] } => (1.0, [s, t, u, v]),
    };
    [step as f64, kind, f64::from(a), f64::from(b), f64::from(c), f64::from(d)]
}

fn write(options: &Options, cloth: &Cloth, steps: &[[Vec<Vec3>; 2]]) {
    if let Err(error) = std::fs::create_dir_all(&options.data) {
        eprintln!("no steps for ipctk: {}: {error}", options.data.display());
    }
    let faces: Vec<f64> = cloth.sheet().triangles().iter().flatten().map(|&index| f64::from(index)).collect();
    let points: Vec<f64> = steps.iter().flatten().flatten().flat_map(|v| v.to_array()).collect();
    leave(&options.data, "impacts.f", &faces);
    leave(&options.data, "impacts.v", &points);
}
