//! `surgery`: the experiment of S2 §7, one soft body of 512 faces among rigid ones of 3,592, then four, then a hundred times
//! the faces.
//!
//! Every method gives all pairs of faces that meet, of a soft body or the instrument with any other object, as the exact
//! test on placed vertices decides; all must agree on all steps. Rounds are interleaved; the time of a step is the least of
//! its rounds, a method's figure the median over the steps. Simulating is nobody's part: the vertices are there.

mod brute;
mod general;
mod heurt;
pub mod jacobi;
mod scene;
pub mod textbook;
mod voxels;

use crate::Options;
use crate::table::time;
use crate::timing::median;
use brute::Brute;
use general::General;
use heurt::Heurt;
use scene::{Hit, Method, Scene};
use std::time::Instant;
use textbook::Textbook;
use voxels::{Setting, Voxels};

/// Measures all scenes.
pub fn surgery(options: &Options) {
    let wants = |name: &str| options.cases.is_empty() || options.cases.iter().any(|case| case == name);
    for (name, refinement, soft, mutual) in [
        ("one", 1, 1, false),
        ("four", 1, 4, false),
        ("four-mutual", 1, 4, true),
        ("one-100", 10, 1, false),
        ("four-100", 10, 4, false),
        ("four-mutual-100", 10, 4, true),
    ] {
        if wants(name) {
            let scene = Scene::new(refinement, soft, mutual);
            measure(name, &scene, refinement == 1, options.rounds);
        }
    }
}

/// What a method did: nanoseconds of each step, and the pairs of each.
struct Lap {
    name: String,
    update: Vec<f64>,
    detect: Vec<f64>,
    hits: Vec<Vec<Hit>>,
    /// It goes through every so many-th step of the scene, from the first on.
    stride: usize,
}

impl Lap {
    fn new(name: impl Into<String>, steps: usize) -> Self {
        let times = || vec![f64::INFINITY; steps];
        Self { name: name.into(), update: times(), detect: times(), hits: vec![Vec::new(); steps], stride: 1 }
    }

    /// Goes once through its steps, after one that is not timed: the first ever builds what is built once.
    fn run(&mut self, method: &mut dyn Method, scene: &Scene) {
        method.update(&scene.moments[0]);
        method.detect(&scene.moments[0], &mut Vec::new());
        self.run_cold(method, scene);
    }

    /// The same without the step before.
    fn run_cold(&mut self, method: &mut dyn Method, scene: &Scene) {
        let mut found = Vec::new();
        for (step, moment) in scene.moments.iter().step_by(self.stride).take(self.update.len()).enumerate() {
            found.clear();
            let start = Instant::now();
            method.update(moment);
            let middle = Instant::now();
            method.detect(moment, &mut found);
            let end = Instant::now();
            let (update, detect) = ((middle - start).as_nanos() as f64, (end - middle).as_nanos() as f64);
            // Both of one round: the least of each by itself would be of no step that ever was.
            if update + detect < self.update[step] + self.detect[step] {
                (self.update[step], self.detect[step]) = (update, detect);
            }
            found.sort_unstable();
            self.hits[step].clone_from(&found);
        }
    }

    fn total(&self) -> f64 {
        let sums: Vec<f64> = self.update.iter().zip(&self.detect).map(|(update, detect)| update + detect).collect();
        median(&sums)
    }
}

/// Every so many steps of the round voxels are tuned on.
const TUNED_ON: usize = 5;

/// Tries all settings of the voxels on a few steps; the best first.
fn sweep(scene: &Scene) -> Vec<(Setting, f64)> {
    let steps = scene.moments.len().div_ceil(TUNED_ON);
    let mut tried: Vec<(Setting, f64)> = Setting::all(scene)
        .into_iter()
        .filter_map(|setting| {
            let mut grid = Voxels::new(scene, &setting)?;
            let mut lap = Lap { stride: TUNED_ON, ..Lap::new("", steps) };
            (0..2).for_each(|_| lap.run(&mut grid, scene));
            Some((setting, lap.total()))
        })
        .collect();
    tried.sort_by(|x, y| x.1.total_cmp(&y.1));
    tried
}

fn measure(name: &str, scene: &Scene, small: bool, rounds: usize) {
    let steps = scene.moments.len();
    let tried = sweep(scene);
    let Some((best, _)) = tried.first() else { return };
    println!("\n### surgery, {name}: {}\n", describe(scene));
    println!("voxels, {} settings tried; the best:\n", tried.len());
    for (setting, ns) in tried.iter().take(5) {
        println!("- {} a step: {}", time(*ns), setting.name());
    }
    let mut field: Vec<(Lap, Box<dyn Method + '_>)> = vec![
        (Lap::new("heurt", steps), Box::new(Heurt::new(scene, !small))),
        (Lap::new("OBB/AABB trees, textbook", steps), Box::new(Textbook::new(scene))),
        (Lap::new("OBB/AABB trees, `Bvh`", steps), Box::new(General::new(scene))),
        (
            Lap::new(format!("voxels, {}", best.name()), steps),
            Box::new(Voxels::new(scene, best).expect("a grid that was made before")),
        ),
    ];
    if !small {
        field.push((Lap::new("heurt, soft bodies fitted whole", steps), Box::new(Heurt::new(scene, false))));
    }
    // S2 has no boxes before the exact test: its method at its best, but as it stands there.
    if let Some((plain, _)) = tried.iter().find(|(setting, _)| !setting.options.compare_boxes) {
        let grid = Voxels::new(scene, plain).expect("a grid that was made before");
        field.push((Lap::new(format!("voxels, {}", plain.name()), steps), Box::new(grid)));
    }
    for round in 0..rounds {
        for turn in 0..field.len() {
            let place = (turn + round) % field.len();
            let (lap, method) = &mut field[place];
            lap.run(&mut **method, scene);
        }
    }
    let mut laps: Vec<Lap> = field.into_iter().map(|(lap, _)| lap).collect();
    // Without acceleration on a few steps, once: nothing else takes so long.
    if small || scene.soft.len() == 1 {
        let mut boxes = Lap::new("none, boxes before the exact test", if small { 20 } else { 1 });
        boxes.run_cold(&mut Brute::new(scene, true), scene);
        laps.push(boxes);
    }
    if small {
        let mut plain = Lap::new("none, the exact test at once", 3);
        plain.run_cold(&mut Brute::new(scene, false), scene);
        laps.push(plain);
    }
    print(&laps, scene);
    let mut shapes = Heurt::new(scene, !small);
    let work: Vec<_> = scene.moments.iter().map(|moment| shapes.work(moment)).collect();
    let middle = |of: &dyn Fn(&heurt_bvh::Work) -> u64| median(&work.iter().map(|w| of(w) as f64).collect::<Vec<_>>());
    println!(
        "\nheurt, median of a step: {:.0} volumes tested, {:.0} pairs of faces in leaves that meet",
        middle(&|work| work.volumes),
        middle(&|work| work.primitives)
    );
}

fn describe(scene: &Scene) -> String {
    let rigid: usize = scene.organs.iter().map(|(mesh, _)| mesh.triangles().len()).sum();
    let instrument = scene.instrument.triangles().len();
    format!(
        "{} × {} soft faces{}, {} rigid ones of which {instrument} move, {} steps",
        scene.soft.len(),
        scene.soft[0].triangles().len(),
        if scene.mutual { " held against each other, too" } else { "" },
        rigid + instrument,
        scene.moments.len()
    )
}

fn print(laps: &[Lap], scene: &Scene) {
    let right = &laps[0].hits;
    let with_pairs = right.iter().filter(|hits| !hits.is_empty()).count();
    let counts: Vec<f64> = right.iter().map(|hits| hits.len() as f64).collect();
    println!("\npairs that meet: median {:.0}; {with_pairs} of {} steps have some\n", median(&counts), right.len());
    let shaft = scene.instrument_id();
    let of = |wanted: &dyn Fn([u32; 2]) -> bool| right.iter().flatten().filter(|hit| wanted(hit.objects)).count();
    println!(
        "in all: organ–instrument {}, organ–soft {}, instrument–soft {}, soft–soft {}\n",
        of(&|[a, b]| a < shaft && b == shaft),
        of(&|[a, b]| a < shaft && b > shaft),
        of(&|[a, b]| a == shaft && b > shaft),
        of(&|[a, _]| a > shaft)
    );
    println!(
        "| method | update | pairs | whole step | whole / heurt | steps | that differ |\n|---|---|---|---|---|---|---|"
    );
    for lap in laps {
        let wrong = lap.hits.iter().zip(right).filter(|(hits, right)| hits != right).count();
        let total = lap.total();
        println!(
            "| {} | {} | {} | {} | {:.2} | {} | {wrong} |",
            lap.name,
            time(median(&lap.update)),
            time(median(&lap.detect)),
            time(total),
            total / laps[0].total(),
            lap.hits.len()
        );
    }
}
