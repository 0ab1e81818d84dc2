//! Whole ways of bodies that deform under one `UpkeepPolicy` after another: the thresholds of the default come from here.
//!
//! A step is `DeformingShape::step` and a list of pairs; a way is timed as a whole, the least of the rounds counts.

use super::upkeep::{Story, shape, stories};
use crate::Options;
use crate::table;
use heurt_shape::{DeformingShape, Upkeep, UpkeepPolicy};
use std::time::Instant;

const NEVER: f64 = f64::INFINITY;

/// Thresholds one by one, the others out of the way, then the default.
fn policies() -> Vec<(String, UpkeepPolicy)> {
    let refits = UpkeepPolicy { rotate_at: NEVER, rebuild_at: NEVER, rebuild_steps: 4 };
    let mut all = vec![("refits only".to_string(), refits)];
    for rotate_at in [1.1, 1.25, 1.5] {
        all.push((format!("`rotate_at` {rotate_at}"), UpkeepPolicy { rotate_at, ..refits }));
    }
    for rebuild_at in [1.25, 1.5, 2.0, 3.0] {
        all.push((format!("`rebuild_at` {rebuild_at}"), UpkeepPolicy { rebuild_at, ..refits }));
    }
    for rebuild_steps in [1, 16] {
        let name = format!("`rebuild_at` 1.5, `rebuild_steps` {rebuild_steps}");
        all.push((name, UpkeepPolicy { rebuild_at: 1.5, rebuild_steps, ..refits }));
    }
    all.push(("the default".into(), UpkeepPolicy::default()));
    all
}

/// What a way took, in nanoseconds, and what was done beside refits.
#[derive(Debug, Clone, Copy)]
struct Way {
    steps: f64,
    queries: f64,
    rotated: usize,
    rebuilt: usize,
    pairs: u64,
}

fn go(story: &Story, policy: UpkeepPolicy) -> Way {
    let mut body = DeformingShape::new(shape(&story.rest), policy);
    let mut way = Way { steps: 0.0, queries: 0.0, rotated: 0, rebuilt: 0, pairs: 0 };
    // The first step builds what is built once.
    body.step(&story.steps[0]).expect("as many vertices as before");
    story.ask(body.shape());
    for vertices in &story.steps[1..] {
        let start = Instant::now();
        let done = body.step(vertices).expect("as many vertices as before");
        let middle = Instant::now();
        way.pairs += story.ask(body.shape());
        way.queries += middle.elapsed().as_nanos() as f64;
        way.steps += (middle - start).as_nanos() as f64;
        way.rotated += usize::from(matches!(done, Upkeep::Rotated { .. }));
        way.rebuilt += usize::from(done == Upkeep::Rebuilt);
    }
    way
}

/// Prints a table for each story.
pub fn measure(options: &Options) {
    let policies = policies();
    for story in stories() {
        let mut least: Vec<Option<Way>> = vec![None; policies.len()];
        for round in 0..options.rounds {
            for turn in 0..policies.len() {
                let which = (turn + round) % policies.len();
                let way = go(&story, policies[which].1);
                let whole = |way: &Way| way.steps + way.queries;
                if least[which].as_ref().is_none_or(|least| whole(&way) < whole(least)) {
                    least[which] = Some(way);
                }
            }
        }
        let count = (story.steps.len() - 1) as f64;
        println!("\n### policies: {}, {} triangles, {count} steps\n", story.name, story.rest.triangles().len());
        println!("| policy | a step | a query | both / refits only | rotated | rebuilt |\n|---|---|---|---|---|---|");
        let Some(Some(first)) = least.first().copied() else { return };
        for ((name, _), way) in policies.iter().zip(least.into_iter().flatten()) {
            assert_eq!(way.pairs, first.pairs, "{name}: other pairs");
            let [step, query] = [way.steps, way.queries].map(|whole| table::time(whole / count));
            let ratio = (way.steps + way.queries) / (first.steps + first.queries);
            println!("| {name} | {step} | {query} | {ratio:.2} | {} | {} |", way.rotated, way.rebuilt);
        }
    }
}
