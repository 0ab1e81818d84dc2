//! Tables of S4 figs. 8.16 to 8.18: what agents with outlines cost, next to persons.
//!
//! `cargo run --release -p heurt-crowd --example crowd_bodies [STEPS] [PERSONS CARS] [--charts FOLDER]`: a corridor of 64 m × 32 m with
//! 1,000 persons who cross it and 0 to 200 cars of 1 m × 2 m that drive to and fro, then 50 of them in cells of several
//! sizes; circles of persons with two rings of cars of 1.8 m × 4.5 m, and the time of a step as a + b · persons + c ·
//! cars over nine of them. Bubbles with R = 0.8 m, k = 30, z = 1; steps of 0.05 s; one thread. The quickest of five
//! runs counts, step by step. With numbers of persons and cars, that circle alone, for a profile.

#[path = "charts/mod.rs"]
mod charts;

use charts::{Fault, Series, draw_series, draw_stacked_bars, folder_of};
use heurt_crowd::steer::Bubbles;
use heurt_crowd::{
    AgentForm, AgentGroup, CellPolicy, Crowd, CrowdSettings, CrowdStage, Goals, Ground, Outline, SpeedLaw, Start,
    SteeringModel,
};
use heurt_geometry::{FloorArea, PlanArea, Vec2};
use std::f64::consts::TAU;
use std::path::Path;
use std::time::Instant;

/// Runs of each row.
const ROUNDS: usize = 5;

/// Names of the stages of a step.
const STAGES: [&str; 6] = ["paths", "choices", "bodies", "agents", "cells", "order"];

fn main() -> Result<(), Fault> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let charts = folder_of(&mut arguments)?;
    let charts = charts.as_deref();
    let numbers: Vec<usize> = arguments.iter().map(|text| text.parse()).collect::<Result<_, _>>()?;
    let steps = numbers.first().copied().unwrap_or(200).max(1);
    rayon::ThreadPoolBuilder::new().num_threads(1).build()?.install(|| {
        if let [_, persons, cars] = numbers[..] {
            println!("{:.0?} µs a step", measure(&[circle(persons, cars)?], steps)?[0]);
            return Ok(());
        }
        corridor(steps, charts)?;
        sizes_of_cells(steps, charts)?;
        circles(steps, charts)
    })
}

fn rectangle(x0: f64, y0: f64, x1: f64, y1: f64) -> PlanArea {
    PlanArea::rectangle(Vec2::new(x0, y0), Vec2::new(x1, y1))
}

fn car() -> Result<AgentForm, Fault> {
    let corners = [[-2.25, -0.9], [2.25, -0.9], [2.25, 0.9], [-2.25, 0.9]].map(Vec2::from_array);
    Ok(AgentForm::Rigid(Outline::new(corners.to_vec())?))
}

fn group(name: &str, form: AgentForm, start: Start, speed: f64, goals: Goals) -> AgentGroup {
    AgentGroup {
        name: name.to_owned(),
        start,
        radius: form.clearance().unwrap_or(0.2),
        form,
        speed: SpeedLaw::constant(speed),
        goals,
        ..AgentGroup::default()
    }
}

/// A place, groups, and the cells that they are registered in.
type Case = (PlanArea, Vec<AgentGroup>, CellPolicy);

/// Takes steps in each case in turn, again and again, so that a slow moment of the machine meets all of them; returns
/// the microseconds of each stage a step, by case.
fn measure(cases: &[Case], steps: usize) -> Result<Vec<[f64; 6]>, Fault> {
    let mut best = vec![vec![[f64::INFINITY; 6]; steps]; cases.len()];
    for _ in 0..ROUNDS {
        for (best, (area, groups, cells)) in best.iter_mut().zip(cases) {
            let mut settings = CrowdSettings::default();
            settings.model = SteeringModel::Bubbles(Bubbles::default());
            settings.cells = *cells;
            let ground = Ground::new([area.clone()])?;
            let mut crowd = Crowd::new(ground, settings, groups.clone()).map_err(|faults| faults[0].clone())?;
            for best in best {
                let mut last = Instant::now();
                crowd.step_by_stages(0.05, |stage| {
                    let time = &mut best[CrowdStage::ALL.iter().position(|&known| known == stage).unwrap_or(0)];
                    *time = time.min(1e6 * last.elapsed().as_secs_f64());
                    last = Instant::now();
                });
            }
            assert!(crowd.report().worst_overlap <= 1e-9);
        }
    }
    let mean = |best: &Vec<[f64; 6]>| {
        [0, 1, 2, 3, 4, 5].map(|stage| best.iter().map(|times| times[stage]).sum::<f64>() / steps as f64)
    };
    Ok(best.iter().map(mean).collect())
}

/// Makes 1,000 persons who cross a corridor, and cars that drive to and fro in lanes of up to five in its middle.
fn corridor_with(cars: usize) -> Result<(PlanArea, Vec<AgentGroup>), Fault> {
    let corners = [[-1.0, -0.5], [1.0, -0.5], [1.0, 0.5], [-1.0, 0.5]].map(Vec2::from_array);
    let small = AgentForm::Rigid(Outline::new(corners.to_vec())?);
    let persons = |name: &str, x: f64, to: f64| {
        let start = Start::within([rectangle(x, 0.5, x + 15.5, 31.5)], 500);
        group(name, AgentForm::Disc, start, 1.34, Goals::through([[rectangle(to, 0.0, to + 1.0, 32.0)]]))
    };
    let lanes = cars.div_ceil(5);
    let lane = |lane: usize| {
        let x = 32.0 + (lane as f64 - 0.5 * (lanes as f64 - 1.0)) * 1.55;
        let goal = |y: f64| vec![FloorArea::from(rectangle(x - 0.5, y, x + 0.5, y + 2.0))];
        let places = (0..5.min(cars - 5 * lane)).map(|row| Vec2::new(x, 6.0 + 5.0 * row as f64));
        let goals = Goals::Rounds(vec![goal(28.0), goal(2.0)]);
        group(&format!("lane {lane}"), small.clone(), Start::at(places), 2.0, goals)
    };
    let mut groups = vec![persons("east", 0.0, 63.0), persons("west", 48.5, 0.0)];
    groups.extend((0..lanes).map(lane));
    Ok((rectangle(0.0, 0.0, 64.0, 32.0), groups))
}

fn corridor(steps: usize, charts: Option<&Path>) -> Result<(), Fault> {
    println!("\nFig. 8.16: 64 m × 32 m, 1,000 persons, cars to and fro, {steps} steps\n");
    println!("| cars | µs a step | line | residual |\n|---:|---:|---:|---:|");
    let counts = [0_usize, 25, 50, 75, 100, 125, 150, 175, 200];
    let case = |&cars: &usize| corridor_with(cars).map(|(floor, groups)| (floor, groups, CellPolicy::Adaptive));
    let times = measure(&counts.iter().map(case).collect::<Result<Vec<Case>, Fault>>()?, steps)?;
    let sums = times.iter().map(|times| times.iter().sum::<f64>());
    let points: Vec<(f64, f64)> = counts.iter().map(|&cars| cars as f64).zip(sums).collect();
    let [a, b] = fit(&points.iter().map(|&(cars, time)| ([1.0, cars], time)).collect::<Vec<_>>());
    for &(cars, time) in &points {
        let line = a + b * cars;
        println!("| {cars} | {time:.0} | {line:.0} | {:+.1} % |", 100.0 * (time - line) / line);
    }
    println!("\n{b:.2} µs a car");
    if let Some(folder) = charts {
        let line = points.iter().map(|&(cars, _)| (cars, a + b * cars)).collect();
        let series = [
            Series { name: "measured".to_owned(), values: points, is_line: false },
            Series { name: format!("{a:.0} + {b:.2} · cars"), values: line, is_line: true },
        ];
        let title = "1,000 persons cross, cars drive to and fro";
        draw_series(&folder.join("bodies-line.svg"), title, ["cars", "µs a step"], &series)?;
    }
    Ok(())
}

/// The corridor with 50 cars in coarse, fine and adaptive cells.
fn sizes_of_cells(steps: usize, charts: Option<&Path>) -> Result<(), Fault> {
    println!("\nFig. 8.18: the corridor with 50 cars in cells of several sizes, {steps} steps; µs a step\n");
    println!("| cells | paths | choices | bodies | agents | cells | order | all |\n|---|{}", "---:|".repeat(7));
    let (floor, groups) = corridor_with(50)?;
    let sides = [Some(8.0), Some(2.0), Some(1.0), Some(0.5), None];
    let cells = sides.map(|side| side.map_or(CellPolicy::Adaptive, |side| CellPolicy::Fixed { side }));
    let times = measure(&cells.map(|cells| (floor.clone(), groups.clone(), cells)), steps)?;
    let mut bars = Vec::new();
    for (side, times) in sides.iter().zip(times) {
        let name = side.map_or("adaptive".to_owned(), |side| format!("{side} m"));
        println!("| {name} | {} | {:.0} |", columns(&times), times.iter().sum::<f64>());
        bars.push((name, times.to_vec()));
    }
    if let Some(folder) = charts {
        let title = "1,000 persons and 50 cars in cells of several sizes";
        draw_stacked_bars(&folder.join("bodies-cells.svg"), title, "µs a step", &STAGES, &bars)?;
    }
    Ok(())
}

fn columns(times: &[f64]) -> String {
    times.iter().map(|time| format!("{time:.0}")).collect::<Vec<_>>().join(" | ")
}

/// Persons cross a circle to the places opposite; two rings of cars turn against each other.
fn circles(steps: usize, charts: Option<&Path>) -> Result<(), Fault> {
    println!("\nFig. 8.17: persons on a circle, two rings of cars, {steps} steps; µs a step\n");
    println!("| persons | cars | paths | choices | bodies | agents | cells | order | all | share of cells |");
    println!("|{}", "---:|".repeat(10));
    let counts = [500, 1000, 2000].into_iter().flat_map(|persons| [25, 50, 100].map(|cars| (persons, cars)));
    let cases = counts.clone().map(|(persons, cars)| circle(persons, cars)).collect::<Result<Vec<Case>, Fault>>()?;
    let (mut rows, mut bars) = (Vec::new(), Vec::new());
    for ((persons, cars), times) in counts.zip(measure(&cases, steps)?) {
        let all: f64 = times.iter().sum();
        println!("| {persons} | {cars} | {} | {all:.0} | {:.1} % |", columns(&times), 100.0 * times[4] / all);
        rows.push(([1.0, persons as f64, cars as f64], all));
        bars.push((format!("{persons} + {cars}"), times.to_vec()));
    }
    let [a, b, c] = fit(&rows);
    println!("\n{a:.0} µs + {b:.3} µs a person + {c:.2} µs a car: a car costs {:.1} persons", c / b);
    if let Some(folder) = charts {
        let title = "persons + cars on circles";
        draw_stacked_bars(&folder.join("bodies-stages.svg"), title, "µs a step", &STAGES, &bars)?;
    }
    Ok(())
}

fn circle(persons: usize, cars: usize) -> Result<Case, Fault> {
    let half = 80.0;
    let floor = rectangle(-half, -half, half, half);
    let on_circle = |radius: f64, share: f64| Vec2::from_angle(TAU * share) * radius;
    let person = |k: usize| on_circle(70.0 + (k % 4) as f64, k as f64 / persons as f64);
    let ring = |name: &str, radius: f64, count: usize, sign: f64| -> Result<AgentGroup, Fault> {
        let goals = (0..16).map(|k| {
            let middle = on_circle(radius, sign * f64::from(k) / 16.0);
            vec![FloorArea::from(PlanArea::rectangle(middle - 3.0, middle + 3.0))]
        });
        let places = (0..count).map(|k| on_circle(radius, sign * k as f64 / count as f64));
        Ok(group(name, car()?, Start::at(places), 3.0, Goals::Rounds(goals.collect())))
    };
    let groups = vec![
        group("persons", AgentForm::Disc, Start::at((0..persons).map(person)), 1.34, Goals::Antipode),
        ring("inner", 50.0, cars / 2, 1.0)?,
        ring("outer", 60.0, cars - cars / 2, -1.0)?,
    ];
    Ok((floor, groups, CellPolicy::Adaptive))
}

/// Fits a linear form by least squares (normal equations, Gauss).
fn fit<const N: usize>(rows: &[([f64; N], f64)]) -> [f64; N] {
    let mut matrix = [[0.0; N]; N];
    let mut right = [0.0; N];
    for (values, time) in rows {
        for i in 0..N {
            right[i] += values[i] * time;
            for j in 0..N {
                matrix[i][j] += values[i] * values[j];
            }
        }
    }
    for k in 0..N {
        for row in k + 1..N {
            let factor = matrix[row][k] / matrix[k][k];
            let pivot = matrix[k];
            matrix[row].iter_mut().zip(pivot).for_each(|(value, above)| *value -= factor * above);
            right[row] -= factor * right[k];
        }
    }
    for k in (0..N).rev() {
        let known: f64 = (k + 1..N).map(|j| matrix[k][j] * right[j]).sum();
        right[k] = (right[k] - known) / matrix[k][k];
    }
    right
}
