//! `build`, `refit` and `memory`: trees over one mesh, single-threaded.
//!
//! Every build starts from vertices and indices and includes the triangles' boxes. heurt's default tree has leaves of up
//! to eight triangles, parry's one triangle a leaf; heurt is measured with both, and also forced to one a leaf.

use crate::Options;
use crate::meshes;
use crate::peers::obvhs;
use crate::peers::obvhs::PRESETS;
use crate::peers::ours;
use crate::peers::parry::{double, single};
use crate::table::{self, Line};
use crate::timing::{Contestant, Outcome, race};
use heurt_mesh::TriMesh;

/// Above this S0 §4.5.4 finds a refit fifteen times as fast as a rebuild.
const SMALL: u64 = 6_000;

/// The mesh sizes of the goals.
const SIZES: [u64; 2] = [100_000, 1_000_000];

fn print(title: &str, outcomes: &[Outcome]) {
    let lines: Vec<Line> = outcomes.iter().map(|outcome| Line::new(outcome, &[])).collect();
    table::print(title, &lines);
}

/// Measures builds.
pub fn build(options: &Options) {
    for size in SIZES {
        let mesh = meshes::bumpy(size);
        let (s, x, o) = (single::Mesh::new(&mesh), double::Mesh::new(&mesh), obvhs::Mesh::new(&mesh));
        let mut field = Vec::new();
        for (name, kind) in ours::BUILDS {
            let mesh = &mesh;
            field.push(Contestant::new(format!("heurt {name}"), move |_| ours::build(mesh, kind)));
        }
        field.push(Contestant::new("parry-f32 binned", |_| s.build(false) as u64));
        field.push(Contestant::new("parry-f32 PLOC", |_| s.build(true) as u64));
        field.push(Contestant::new("parry-f64 binned", |_| x.build(false) as u64));
        for (name, preset) in PRESETS {
            let o = &o;
            field.push(Contestant::new(format!("obvhs {name}"), move |_| o.build(preset) as u64));
        }
        field.push(Contestant::new("obvhs wide fastest", |_| o.build_wide(PRESETS[0].1) as u64));
        let rounds = if size > 500_000 { options.rounds.min(5) } else { options.rounds };
        let outcomes = race(rounds, field);
        print(&format!("build: bumpy sphere, {} triangles, one thread", mesh.triangles().len()), &outcomes);
    }
}

/// Measures refits after every vertex moved a little.
pub fn refit(options: &Options) {
    for size in [SMALL, SIZES[0], SIZES[1]] {
        let mesh = meshes::bumpy(size);
        let moved = mesh.scaled(1.01).expect("a legal factor");
        let (s, o) = (single::Mesh::new(&moved), obvhs::Mesh::new(&moved));
        let (before, x) = (single::Mesh::new(&mesh), double::Mesh::new(&moved));
        let mut three = double::Mesh::new(&mesh).refitter();
        let [mut one, mut two] = [before.refitter(), before.refitter()];
        let mut trees = PRESETS.map(|(name, preset)| (name, obvhs::Mesh::new(&mesh).refitter(preset)));
        let mut tree = ours::Tree::new(&mesh);
        let mut field = Vec::new();
        field.push(Contestant::new("heurt", |_| tree.refit(&moved)));
        field.push(Contestant::new("heurt, built anew: default", |_| ours::build(&moved, ours::BUILDS[0].1)));
        field.push(Contestant::new("heurt, built anew: Morton, its fastest", |_| {
            ours::build(&moved, ours::BUILDS[4].1)
        }));
        field.push(Contestant::new("heurt, built anew: median", |_| ours::build(&moved, ours::BUILDS[2].1)));
        field.push(Contestant::new("heurt, built anew as S0 does: median, binary, a triangle a leaf", |_| {
            ours::build_as_s0(&moved)
        }));
        field.push(Contestant::new("parry-f64 refit_without_opt", |_| x.refit(&mut three, false)));
        field.push(Contestant::new("parry-f32 refit", |_| s.refit(&mut one, true)));
        field.push(Contestant::new("parry-f32 refit_without_opt", |_| s.refit(&mut two, false)));
        for (name, tree) in &mut trees {
            field.push(Contestant::new(format!("obvhs {name}"), |_| o.refit(tree)));
        }
        let outcomes = race(2 * options.rounds, field);
        print(&format!("refit: bumpy sphere, {} triangles", mesh.triangles().len()), &outcomes);
    }
}

/// Prints bytes per triangle beyond vertices and indices.
pub fn memory() {
    println!("\n### memory: bytes a triangle beyond vertices and indices\n");
    println!("| mesh | heurt tree | heurt leaf blocks | parry-f32 | parry-f64 | obvhs medium | obvhs wide medium |");
    println!("|---|---|---|---|---|---|---|");
    for size in [10_000, 100_000, 1_000_000] {
        for (name, mesh) in [("supertoroid", meshes::toroid(size)), ("bumpy sphere", meshes::bumpy(size))] {
            row(&format!("{name} {size}"), &mesh);
        }
    }
    for name in ["gears", "plates"] {
        if let Some(case) = meshes::case(name) {
            row(&format!("{name}: a"), &case.a);
        }
    }
}

fn row(name: &str, mesh: &TriMesh) {
    let each = |bytes: usize| bytes as f64 / mesh.triangles().len() as f64;
    let (tree, blocks) = ours::memory(mesh);
    let medium = PRESETS[2].1;
    let obvhs = obvhs::Mesh::new(mesh);
    println!(
        "| {name} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} |",
        each(tree),
        each(blocks),
        each(single::Mesh::new(mesh).tree_bytes()),
        each(double::Mesh::new(mesh).tree_bytes()),
        each(obvhs.binary(medium).bytes()),
        each(obvhs.wide(medium).bytes()),
    );
}
