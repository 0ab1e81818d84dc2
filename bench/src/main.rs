//! heurt against its peers: same inputs, same poses, one run. See `docs/benchmarks.md` for how to repeat it.

mod booleans;
mod broad;
mod build;
mod cast;
mod ccd;
mod closest;
mod convex;
mod deform;
mod heap;
mod hierarchies;
mod inside;
mod map;
mod meshes;
mod overlap;
pub(crate) mod peers;
mod points;
mod poses;
mod random;
mod ray;
mod response;
mod solids;
mod store;
mod surgery;
mod table;
mod tets;
mod timing;
mod track;
mod tri_tri;
mod whole;

use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Parser)]
#[command(about = "Measures heurt against its peers and prints markdown tables")]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
    #[command(flatten)]
    options: Options,
}

/// What all subcommands take.
#[derive(clap::Args)]
pub struct Options {
    /// The folder of meshes, poses, exact counts and `peers.tsv`
    #[arg(long, global = true, default_value = "target/data")]
    data: PathBuf,
    /// Rounds: an item's time is the least of them
    #[arg(long, global = true, default_value_t = 7)]
    rounds: usize,
    /// Which cases (default: all)
    #[arg(long = "case", global = true)]
    cases: Vec<String>,
    /// Two mesh files that make one more case
    #[arg(long = "mesh", global = true)]
    meshes: Vec<PathBuf>,
    /// Seed of the poses
    #[arg(long, global = true, default_value_t = 1)]
    seed: u64,
    /// The heurt command, for `check`
    #[arg(long, global = true, default_value = "../target/release/heurt")]
    heurt: PathBuf,
}

#[derive(Subcommand, Clone, Copy, PartialEq)]
enum Verb {
    /// Write meshes, poses and exact counts, for peers.py and for the other subcommands
    Prepare,
    /// First hit, near and overlapping
    Overlap,
    /// All intersecting pairs of triangles
    Pairs,
    /// First hit, far apart
    Far,
    /// Distances with nearest points, near and far
    Distance,
    /// Convex hulls: distances and depths
    Convex,
    /// A box and a capsule against a mesh: distances and first hits
    Solids,
    /// Building trees
    Build,
    /// Refitting trees
    Refit,
    /// Rays
    Ray,
    /// Closest points
    Closest,
    /// Inside or outside: parity against winding number
    Inside,
    /// Points near points: trees and grid against brute force
    Points,
    /// Hashed tetrahedra over cell sizes
    Tets,
    /// Bodies that deform: cloth against itself, upkeep, partial refits, updates of oriented boxes
    Deform,
    /// When shapes that move meet: hulls and meshes against parry, turning meshes in units of a distance
    Cast,
    /// When vertices meet triangles and edges edges; ipctk from `peers.tsv`
    Ccd,
    /// Broad phases: boxes that move, all pairs at each step; `--case coherent|fast|resting|sizes|fit|write`, `--case 1000`
    Broad,
    /// A heap of 10,000 tumbling convex parts: detection with manifolds against rapier's collision pipeline
    Heap,
    /// Whole steps with a response: pyramid, wall and pile of 5,000 cubes against rapier; `--case pyramid|wall|pile|one`
    Response,
    /// Combinatorial maps: a grid of 32³ hexahedra against honeycomb and, from `peers.tsv`, CGAL; `--case 16`
    Map,
    /// The experiment of S2 §7: soft bodies among rigid organs
    Surgery,
    /// What S0 §4.5 says of bounding volumes; plots into the folder of `--data`;
    /// `--case gaps|wide-gaps|precision|degrees|prices|model|polytopes|quantised|volumes|builders`, and meshes
    Hierarchies,
    /// Set operations of closed meshes; Manifold from its wheel, if Python has it
    Booleans,
    /// Bytes a triangle
    Memory,
    /// Reading a binary STL of 1M triangles
    Load,
    /// The command on an assembly of 1,000 parts
    Check,
    /// Particles that move through maps of 10⁴ to 10⁷ cells; `--case quads|surface|boxes|hexahedra`, `--case 10000`
    Track,
    /// Everything
    All,
}

fn main() -> ExitCode {
    let Arguments { verb, options } = Arguments::parse();
    match run(verb, &options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("heurt-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(verb: Verb, options: &Options) -> Result<(), String> {
    let wants = |one: Verb| verb == one || verb == Verb::All;
    if [Verb::Prepare, Verb::Convex].into_iter().any(wants) {
        let hulls = store::prepare(&options.data, &meshes::HULLS.map(String::from), &[], options.seed)?;
        if wants(Verb::Convex) {
            convex::convex(&hulls, options);
        }
    }
    if [Verb::Prepare, Verb::Solids].into_iter().any(wants) {
        let cases = store::prepare(&options.data, &meshes::SOLIDS.map(String::from), &[], options.seed)?;
        if wants(Verb::Solids) {
            solids::solids(&cases, options);
        }
    }
    if [Verb::Prepare, Verb::Overlap, Verb::Pairs, Verb::Far, Verb::Distance, Verb::Hierarchies].into_iter().any(wants)
    {
        let mut names = options.cases.clone();
        if verb == Verb::Hierarchies {
            names.retain(|name| !hierarchies::is_section(name));
        }
        if names.is_empty() && options.meshes.is_empty() {
            names = meshes::NAMES.map(String::from).to_vec();
        }
        let cases = store::prepare(&options.data, &names, &options.meshes, options.seed)?;
        for (one, measure) in [
            (Verb::Far, overlap::far as fn(&[store::Prepared], &Options)),
            (Verb::Overlap, overlap::overlap),
            (Verb::Pairs, overlap::pairs),
            (Verb::Distance, overlap::distance),
            (Verb::Hierarchies, hierarchies::hierarchies),
        ] {
            if wants(one) {
                measure(&cases, options);
            }
        }
    }
    for (one, measure) in [
        (Verb::Build, build::build as fn(&Options)),
        (Verb::Refit, build::refit),
        (Verb::Ray, ray::ray),
        (Verb::Closest, closest::closest),
        (Verb::Inside, inside::inside),
        (Verb::Points, points::points),
        (Verb::Tets, tets::tets),
        (Verb::Deform, deform::deform),
        (Verb::Cast, cast::casts),
        (Verb::Surgery, surgery::surgery),
        (Verb::Heap, heap::heap),
        (Verb::Response, response::response),
        (Verb::Map, map::map),
        (Verb::Track, track::track),
        (Verb::Memory, |_: &Options| build::memory()),
    ] {
        if wants(one) {
            measure(options);
        }
    }
    if wants(Verb::Broad) {
        broad::broad(options)?;
    }
    if wants(Verb::Booleans) {
        booleans::booleans(options)?;
    }
    if wants(Verb::Ccd) {
        ccd::ccd(options)?;
    }
    if wants(Verb::Load) {
        whole::load(options)?;
    }
    if wants(Verb::Check) {
        whole::check(options)?;
    }
    Ok(())
}
