//! Whole ways of bodies that deform under one `UpkeepPolicy` after another: the thresholds of the default come from here.
//!
//! A step is `DeformingShape::step` and a list of pairs; a way is timed as a whole, the least of the rounds counts. The tree that
//! a way begins with is built over the first state.

use super::upkeep::{Story, shape, stories};
use crate::Options;
use crate::table;
use heurt_geometry::Vec3;
use heurt_mesh::TriMesh;
use heurt_shape::{DeformingShape, Upkeep, UpkeepPolicy};
use std::time::Instant;

const NEVER: f64 = f64::INFINITY;

/// Steps of a way.
const STEPS: usize = 60;

/// Thresholds one by one, the others out of the way. The first is there twice: what both differ by is noise.
fn policies() -> Vec<(String, UpkeepPolicy)> {
    let refits = UpkeepPolicy { rotate_at: NEVER, rebuild_at: NEVER, rebuild_steps: 4 };
    let mut all = vec![("refits only".to_string(), refits), ("refits only, again".to_string(), refits)];
    for rotate_at in [1.1, 1.25, 1.5] {
        all.push((format!("`rotate_at` {rotate_at}"), UpkeepPolicy { rotate_at, ..refits }));
    }
    for rebuild_at in [1.25, 1.5, 2.0, 3.0] {
        all.push((format!("`rebuild_at` {rebuild_at}"), UpkeepPolicy { rebuild_at, ..refits }));
    }
    let rebuilds = UpkeepPolicy { rebuild_at: 1.5, ..refits };
    for rebuild_steps in [1, 16] {
        let name = format!("`rebuild_at` 1.5, `rebuild_steps` {rebuild_steps}");
        all.push((name, UpkeepPolicy { rebuild_steps, ..rebuilds }));
    }
    all.push(("`rebuild_at` 1.5, `rotate_at` 1.25".to_string(), UpkeepPolicy { rotate_at: 1.25, ..rebuilds }));
    all
}

/// What a way took, in nanoseconds, and what was done beside refits.
#[derive(Debug, Clone, Copy, Default)]
struct PolicyRun {
    steps: f64,
    queries: f64,
    rotated: usize,
    begun: usize,
    taken_in: usize,
    pairs: u64,
}

fn go(story: &Story, steps: &[Vec<Vec3>], policy: UpkeepPolicy) -> PolicyRun {
    let (first, rest) = steps.split_first().expect("a way has steps");
    let start = TriMesh::new(first.clone(), story.rest.triangles().to_vec()).expect("the same triangles");
    let mut body = DeformingShape::new(shape(&start), policy);
    // The first step, which goes nowhere, builds what is built once.
    let done = body.step(first).expect("as many vertices as before");
    assert_eq!(done, Upkeep::Refitted, "nothing has moved");
    story.count_pairs(body.shape());
    let mut run = PolicyRun::default();
    for vertices in rest {
        let start = Instant::now();
        let done = body.step(vertices).expect("as many vertices as before");
        let middle = Instant::now();
        run.pairs += story.count_pairs(body.shape());
        run.queries += middle.elapsed().as_nanos() as f64;
        run.steps += (middle - start).as_nanos() as f64;
        match done {
            Upkeep::Refitted => {}
            Upkeep::Rotated { .. } => run.rotated += 1,
            Upkeep::Begun => run.begun += 1,
            Upkeep::Rebuilt => run.taken_in += 1,
        }
    }
    // No thread builds on into the next way.
    if run.begun > run.taken_in {
        let last = rest.last().expect("a way has steps");
        while body.step(last).expect("as many vertices as before") != Upkeep::Rebuilt {}
    }
    run
}

/// Prints a table for each story.
pub fn measure(options: &Options) {
    let policies = policies();
    for story in stories() {
        let steps = story.frames(STEPS);
        let mut least: Vec<Option<PolicyRun>> = vec![None; policies.len()];
        for round in 0..options.rounds {
            for turn in 0..policies.len() {
                let which = (turn + round) % policies.len();
                let run = go(&story, &steps, policies[which].1);
                let whole = |run: &PolicyRun| run.steps + run.queries;
                if least[which].as_ref().is_none_or(|least| whole(&run) < whole(least)) {
                    least[which] = Some(run);
                }
            }
        }
        println!("\n### policies: {}, {} triangles, {STEPS} steps\n", story.name, story.rest.triangles().len());
        println!("| policy | a step | a query | both / refits only | rotated | new trees begun | taken in |");
        println!("|---|---|---|---|---|---|---|");
        let first = least[0].expect("there is a round");
        for ((name, _), run) in policies.iter().zip(least.into_iter().flatten()) {
            assert_eq!(run.pairs, first.pairs, "{name}: other pairs");
            let [step, query] = [run.steps, run.queries].map(|whole| table::time(whole / STEPS as f64));
            let ratio = (run.steps + run.queries) / (first.steps + first.queries);
            println!("| {name} | {step} | {query} | {ratio:.2} | {} | {} | {} |", run.rotated, run.begun, run.taken_in);
        }
    }
}
