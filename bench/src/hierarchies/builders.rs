//! Builders (S0 §4.5.2, §4.5.4): what trees of each cost to make, and what queries cost in them.
//!
//! In: prepared cases. Out: a table a volume, every builder beside binned SAH: nanoseconds to build the trees of both meshes
//! with their leaf blocks, N_v and nanoseconds of queries, medians. Degree 8, leaves of up to eight triangles, hollow meshes;
//! builds on one thread.

use super::cases::{self, Row};
use super::{geometric_mean, groups};
use crate::Options;
use crate::peers::ours::{Mesh, grow};
use crate::store::Prepared;
use crate::table::time;
use crate::timing::{Contestant, Outcome, race};
use heurt_bvh::{Builder, VolumeKind};
use heurt_shape::TreeChoice;

/// The cheapest volume, those that shapes choose among, and the one that octrees are for.
const VOLUMES: [VolumeKind; 4] = [VolumeKind::Aabb, VolumeKind::Obb, VolumeKind::KDop26, VolumeKind::Sphere];
/// Builds take long and differ little.
const MAX_ROUNDS: usize = 5;

/// Measures all builders.
pub fn builders(cases: &[Prepared], options: &Options) {
    for volume in VOLUMES {
        let choices = choices(volume);
        let [default, others @ ..] = choices.as_slice() else { continue };
        println!(
            "\n### Builders of {} trees of degree 8: build, N_v and time over binned SAH (medians)\n",
            volume.name()
        );
        print!("| case | | {} |", default.builder.name());
        others.iter().for_each(|choice| print!(" {} |", choice.builder.name()));
        println!("\n|---|---|{}", "---|".repeat(choices.len()));
        let (mut of_builds, mut of_queries) = (Vec::new(), Vec::new());
        for case in cases {
            of_builds.push(build_line(case, &choices, options));
            let rows = cases::rows(case, &choices, options);
            // Where roots decide, there is nothing to compare.
            of_queries
                .extend(groups(&rows).iter().filter(|group| group[0].volumes >= 1.0).map(|group| query_line(group)));
        }
        print!("| **geometric mean** | build | |");
        for index in 0..others.len() {
            print!(" **{:.2}** |", geometric_mean(of_builds.iter().map(|ratios| ratios[index])));
        }
        print!("\n| | queries | |");
        for index in 0..others.len() {
            let mean = |k: usize| geometric_mean(of_queries.iter().map(|ratios| ratios[index][k]));
            print!(" **{:.2}, {:.2}** |", mean(0), mean(1));
        }
        println!();
    }
}

/// Trees of every builder, of the default one first.
fn choices(volume: VolumeKind) -> Vec<TreeChoice> {
    let mut builders = Builder::ALL;
    builders.sort_by_key(|builder| *builder != Builder::default());
    builders.map(|builder| TreeChoice { volume, builder, ..TreeChoice::default() }).to_vec()
}

/// Prints how long builds take; gives the times over that of the first.
fn build_line(prepared: &Prepared, choices: &[TreeChoice], options: &Options) -> Vec<f64> {
    let meshes = &[&prepared.case.a, &prepared.case.b].map(Mesh::hollow);
    let field = choices.iter().map(|choice| {
        Contestant::new(choice.builder.name(), move |_| meshes.iter().map(|mesh| grow(mesh, choice)).sum())
    });
    let times: Vec<f64> = race(options.rounds.min(MAX_ROUNDS), field.collect()).iter().map(Outcome::median).collect();
    let ratios: Vec<f64> = times[1..].iter().map(|ns| ns / times[0]).collect();
    print!("| {} | build | {} |", prepared.case.name, time(times[0]));
    ratios.iter().for_each(|ratio| print!(" {ratio:.2} |"));
    println!();
    ratios
}

/// Prints what a question costs; gives N_v and times over those of the first row.
fn query_line(rows: &[&Row]) -> Vec<[f64; 2]> {
    let first = rows[0];
    let over = |row: &&Row| [row.volumes.max(1.0) / first.volumes, row.median_ns / first.median_ns];
    let ratios: Vec<[f64; 2]> = rows[1..].iter().map(over).collect();
    print!("| {} | {} | {:.0}, {} |", first.case, first.question.name(), first.volumes, time(first.median_ns));
    ratios.iter().for_each(|[volumes, time]| print!(" {volumes:.2}, {time:.2} |"));
    println!();
    ratios
}
