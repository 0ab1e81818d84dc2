//! `broad`: broad phases of thousands of moving boxes, ours, parry's and rapier's, in one process on the same boxes.
//!
//! Between two steps the scene moves on, untimed; then every contestant makes its step, in turning order, so that each finds
//! the caches full of the others' data, as in a world that does more than its broad phase. The whole is repeated in rounds,
//! and a step's time is the least of its rounds: each has the same boxes.

mod peers;
mod scene;

use crate::Options;
use crate::table::time;
use crate::timing::median;
use heurt_broad::bench_world::MovingBoxes;
use heurt_broad::{BroadPhase, BroadPhaseKind, Filter};
use peers::{Care, Parry, Rapier};
use scene::{KINDS, Kind};
use std::io::Write;
use std::time::Instant;

/// Who steps.
enum Player {
    Ours(Box<dyn BroadPhase>),
    Parry(Parry),
    Rapier(Box<Rapier>),
}

/// A contestant and its times.
struct Contestant {
    name: String,
    player: Player,
    times: Vec<f64>,
    spent: f64,
    wrong: usize,
    bytes: usize,
    is_exact: bool,
}

/// Seconds after which a contestant makes no more steps in a round.
const PATIENCE: f64 = 10.0;
/// Steps before the clock counts.
const WARM_UP: usize = 12;

/// Runs all scenes, then the fit of cost against n + m. `--case coherent` and the like choose scenes, `--case 1000` sizes.
pub fn broad(options: &Options) -> Result<(), String> {
    let chosen = |name: &str| options.cases.is_empty() || options.cases.iter().any(|case| case == name);
    let sizes: Vec<usize> = options.cases.iter().filter_map(|case| case.parse().ok()).collect();
    let sizes = if sizes.is_empty() { vec![1_000, 10_000, 100_000] } else { sizes };
    let any_kind = KINDS.iter().any(|kind| options.cases.iter().any(|case| case == kind.name));
    for kind in KINDS {
        if !(chosen(kind.name) || !any_kind && !chosen("fit") && !chosen("write")) {
            continue;
        }
        for &count in &sizes {
            run(kind, count, options);
        }
    }
    if chosen("fit") {
        fit(options);
    }
    if chosen("write") {
        for &count in &sizes {
            write(count, options)?;
        }
    }
    Ok(())
}

/// The most objects a kind is asked to step here.
fn most(kind: BroadPhaseKind) -> usize {
    match kind {
        BroadPhaseKind::BruteForce => 20_000,
        BroadPhaseKind::SeparatingPlanes => 10_000,
        _ => usize::MAX,
    }
}

fn ours(kind: BroadPhaseKind, scene: &MovingBoxes) -> Box<dyn BroadPhase> {
    let mut phase = kind.create();
    for (id, bounds) in scene.boxes().iter().enumerate() {
        phase.insert(id as u32, bounds, Filter::MOVING).expect("a free id");
    }
    phase.step();
    phase
}

fn contestants(scene: &MovingBoxes, with_peers: bool) -> Vec<Contestant> {
    let new = |name: String, player, is_exact| Contestant {
        name,
        player,
        times: vec![],
        spent: 0.0,
        wrong: 0,
        bytes: 0,
        is_exact,
    };
    let kinds = BroadPhaseKind::ALL.into_iter().filter(|&kind| scene.boxes().len() <= most(kind));
    let mut all: Vec<_> =
        kinds.map(|kind| new(format!("heurt {kind}"), Player::Ours(ours(kind, scene)), true)).collect();
    if with_peers {
        for (name, care) in [
            ("parry Bvh", Care::Nothing),
            ("parry Bvh, optimised", Care::Optimise),
            ("parry Bvh, rebuilt", Care::Rebuild),
        ] {
            all.push(new(name.into(), Player::Parry(Parry::new(scene, care)), true));
        }
        for (name, adaptive) in [("rapier BroadPhaseBvh", false), ("rapier, adaptive margin", true)] {
            all.push(new(name.into(), Player::Rapier(Box::new(Rapier::new(scene, adaptive))), false));
        }
    }
    all
}

fn steps(count: usize) -> usize {
    (4_000_000 / count).clamp(40, 400)
}

fn play(scene: &mut MovingBoxes, field: &mut [Contestant], steps: usize) -> usize {
    let (mut moves, mut pairs) = (vec![], 0);
    for step in 0..steps + WARM_UP {
        scene.advance();
        peers::moves(scene, &mut moves);
        pairs = 0;
        for turn in 0..field.len() {
            let place = (turn + step) % field.len();
            let one = &mut field[place];
            if one.spent > PATIENCE {
                continue;
            }
            let start = Instant::now();
            let found = match &mut one.player {
                Player::Ours(phase) => {
                    phase.update(scene.moves()).expect("boxes");
                    phase.step();
                    phase.pairs().len()
                }
                Player::Parry(tree) => tree.step(&moves),
                Player::Rapier(phase) => phase.step(&moves),
            };
            let seconds = start.elapsed().as_secs_f64();
            one.spent += seconds;
            if step >= WARM_UP {
                one.times.push(seconds * 1e9);
            }
            if one.is_exact {
                pairs = pairs.max(found);
                one.wrong += usize::from(found != pairs);
            }
        }
    }
    for one in field {
        if let Player::Ours(phase) = &one.player {
            one.bytes = phase.stats().bytes;
        }
    }
    pairs
}

fn mean(times: &[f64]) -> f64 {
    times.iter().sum::<f64>() / times.len() as f64
}

/// Plays in rounds; of each step the least time counts.
fn rounds(kind: Kind, count: usize, steps: usize, with_peers: bool, options: &Options) -> (Vec<Contestant>, usize) {
    let mut best: Option<Vec<Contestant>> = None;
    let mut pairs = 0;
    for _ in 0..options.rounds.max(1) {
        let mut scene = kind.scene(count, options.seed);
        let mut field = contestants(&scene, with_peers);
        pairs = play(&mut scene, &mut field, steps);
        if let Some(before) = &best {
            for (now, before) in field.iter_mut().zip(before) {
                now.times.iter_mut().zip(&before.times).for_each(|(now, before)| *now = now.min(*before));
                now.wrong += before.wrong;
            }
        }
        best = Some(field);
    }
    (best.unwrap_or_default(), pairs)
}

fn run(kind: Kind, count: usize, options: &Options) {
    let (field, pairs) = rounds(kind, count, steps(count), true, options);
    println!("\n### broad: {}, {count} boxes, {pairs} pairs, {} steps\n", kind.name, steps(count));
    println!("| who | mean | median | slowest | mean / tree | bytes an object | wrong |");
    println!("|---|---|---|---|---|---|---|");
    let tree = field.iter().find(|one| one.name == "heurt tree").map_or(f64::NAN, |one| mean(&one.times));
    for one in &field {
        if one.times.is_empty() {
            println!("| {} | over {PATIENCE} s | | | | | |", one.name);
            continue;
        }
        let slowest = one.times.iter().copied().fold(0.0, f64::max);
        let bytes = if one.bytes > 0 { (one.bytes / count).to_string() } else { String::new() };
        println!(
            "| {} | {} | {} | {} | {:.2} | {bytes} | {} |",
            one.name,
            time(mean(&one.times)),
            time(median(&one.times)),
            time(slowest),
            mean(&one.times) / tree,
            one.wrong
        );
    }
    let best = |ours: bool| {
        let sided = field.iter().filter(|one| one.name.starts_with("heurt") == ours && !one.times.is_empty());
        sided.min_by(|x, y| mean(&x.times).total_cmp(&mean(&y.times)))
    };
    if let (Some(us), Some(them)) = (best(true), best(false)) {
        println!("\nbest peer {} at {:.2} × {}", them.name, mean(&them.times) / mean(&us.times), us.name);
    }
}

/// Cost against n + m, coherent motion: nanoseconds for each of n + m, and the exponent from first to last.
fn fit(options: &Options) {
    const SIZES: [usize; 5] = [500, 2_000, 8_000, 32_000, 128_000];
    println!("\n### broad: nanoseconds a step for each of n + m, coherent motion\n");
    println!("| who | {} | T ~ (n + m)^ |", SIZES.map(|n| n.to_string()).join(" | "));
    println!("|---|{}---|", "---|".repeat(SIZES.len()));
    let mut rows: Vec<(String, Vec<(f64, f64)>)> = vec![];
    for count in SIZES {
        let (field, pairs) = rounds(KINDS[0], count, steps(count) / 2, false, options);
        for one in field.iter().filter(|one| !one.times.is_empty()) {
            let point = ((count + pairs) as f64, mean(&one.times));
            match rows.iter_mut().find(|row| row.0 == one.name) {
                Some(row) => row.1.push(point),
                None => rows.push((one.name.clone(), vec![point])),
            }
        }
    }
    for (name, points) in rows {
        let mut cells: Vec<String> = points.iter().map(|(n, t)| format!("{:.1}", t / n)).collect();
        cells.resize(SIZES.len(), "–".into());
        let (first, last) = (points[points.len().saturating_sub(3)], points[points.len() - 1]);
        let power = (last.1 / first.1).ln() / (last.0 / first.0).ln();
        println!("| {name} | {} | {power:.2} |", cells.join(" | "));
    }
}

/// Writes frames of boxes for peers in C++: counts of boxes and frames as u32, then six f32 a box.
fn write(count: usize, options: &Options) -> Result<(), String> {
    const FRAMES: u32 = 24;
    let fail = |error: std::io::Error| format!("{}: {error}", options.data.display());
    std::fs::create_dir_all(&options.data).map_err(fail)?;
    let path = options.data.join(format!("broad-{count}.f32"));
    let mut file = std::io::BufWriter::new(std::fs::File::create(path).map_err(fail)?);
    let mut scene = KINDS[0].scene(count, options.seed);
    file.write_all(&(count as u32).to_le_bytes()).and_then(|()| file.write_all(&FRAMES.to_le_bytes())).map_err(fail)?;
    for _ in 0..FRAMES {
        for bounds in scene.boxes() {
            for x in bounds.min.to_array().into_iter().chain(bounds.max.to_array()) {
                file.write_all(&(x as f32).to_le_bytes()).map_err(fail)?;
            }
        }
        scene.advance();
    }
    file.flush().map_err(fail)
}
