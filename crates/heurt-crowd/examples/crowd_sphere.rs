//! Agents on a sphere who fly to their antipodes (S4 fig. 9.1, 9.2): cost of a step, cells, order of leaving.
//!
//! `cargo run --release -p heurt-crowd --example crowd_sphere [AGENTS …] [--charts FOLDER]`: by default 500 and 5,000 agents of radius
//! 0.2 m on a sphere of 20 m, 1.5 ± 0.3 m/s, bubbles, 60 steps a second, in a box of 48 m of cells of 8 m. The plane
//! beside it has as many points on a circle of 20 m, which go straight across squares of 8 m.

#[path = "charts/mod.rs"]
mod charts;

use charts::{Fault, Series, draw_series, folder_of};
use heurt_crowd::SpeedLaw;
use heurt_crowd::space::{
    CellSurvey, Histogram, SpaceCrowd, SpaceGroup, SpaceRoom, SpaceSettings, coulomb_energy, rank_correlation,
    spread_on_sphere, survey_cells,
};
use heurt_geometry::{SplitMix64, Vec2, Vec3};
use heurt_map::Map2;
use heurt_map::multires::ImplicitMap;
use heurt_map::registration::{ConvexEnvironment, Density, Environment, Plane, PlaneEnvironment, PointId};
use std::path::Path;
use std::time::Instant;

/// Radius of the sphere and of the circle, half the width of the room, width of a cell, in metres.
const SPHERE: f64 = 20.0;
const HALF: f64 = 24.0;
const CELL: f64 = 8.0;

const STEP: f64 = 1.0 / 60.0;
const SPEED: SpeedLaw = SpeedLaw { mean: 1.5, deviation: 0.3, least: 0.7, most: 2.3 };

type Fallible<T> = Result<T, Fault>;

fn main() -> Fallible<()> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let folder = folder_of(&mut arguments)?;
    let counts: Vec<usize> = arguments.iter().map(|text| text.parse()).collect::<Result<_, _>>()?;
    let counts = if counts.is_empty() { vec![500, 5000] } else { counts };
    for count in counts {
        let started = Instant::now();
        let places = spread_on_sphere(count, 1);
        let spread = started.elapsed().as_secs_f64();
        println!("{count} agents: spread in {spread:.2} s, energy {:.6}", coulomb_energy(&places));
        let (flight, [space, plane]) = fly(count, places)?;
        if let Some(folder) = &folder {
            draw_flight(folder, count, &flight)?;
            draw_surveys(folder, count, &space, &plane)?;
        }
    }
    Ok(())
}

/// By agent that has arrived: its speed, and the time.
type Flight = Vec<(f64, f64)>;

/// Flies; returns the flight, and the surveys of space and plane.
fn fly(count: usize, places: Vec<Vec3>) -> Fallible<(Flight, [CellSurvey; 2])> {
    let room = SpaceRoom::of_cubes([Vec3::splat(-HALF), Vec3::splat(HALF)], CELL)?;
    let places = places.into_iter().map(|place| SPHERE * place).collect();
    let group = SpaceGroup::to_antipodes("flyers", places, 0.2, SPEED);
    let settings = SpaceSettings::default();
    let started = Instant::now();
    let mut crowd = SpaceCrowd::new(room, settings, vec![group]).map_err(|faults| faults[0].clone())?;
    println!("  made in {:.2} s", started.elapsed().as_secs_f64());
    let begin = crowd.environment().counts();
    let (mut times, mut leaving, mut inside) = (Vec::new(), Vec::new(), vec![0.0; count]);
    let (mut survey, mut most_cells, mut most_changes) = (CellSurvey::default(), 0, 0);
    let mut changes = begin.refined + begin.coarsened;
    while !crowd.is_empty() && crowd.time() < 90.0 {
        let started = Instant::now();
        crowd.step(STEP);
        times.push(1e3 * started.elapsed().as_secs_f64());
        let now = crowd.environment().counts();
        most_changes = most_changes.max(now.refined + now.coarsened - changes);
        changes = now.refined + now.coarsened;
        most_cells = most_cells.max(crowd.environment().cells().count());
        for agent in crowd.agents().filter(|agent| agent.position.length() < 0.25 * SPHERE) {
            inside[agent.id as usize] = crowd.time();
        }
        leaving.extend(crowd.departed().map(|agent| (agent.id, agent.speed, crowd.time())));
        if times.len() == 600 {
            println!("  a refinement with agents takes {:.1} µs", time_refinements(crowd.environment().clone()));
        }
        if times.len().is_multiple_of(60) {
            survey.merge(&survey_cells(crowd.environment()));
        }
    }
    let (steps, report) = (times.len() as f64, crowd.report());
    let changed = crowd.environment().counts();
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!(
        "  step: mean {:.2} ms, median {:.2}, p99 {:.2}, max {:.2}; {} steps",
        times.iter().sum::<f64>() / steps,
        at(0.5),
        at(0.99),
        at(1.0),
        times.len()
    );
    println!(
        "  cells refined {:.2} a step, made one {:.2}, at most {most_changes} changes a step, {most_cells} cells",
        (changed.refined - begin.refined) as f64 / steps,
        (changed.coarsened - begin.coarsened) as f64 / steps
    );
    println!("  registered again {:.1} % of moves", 100.0 * report.reregistered_share);
    print_survey("space", &survey);
    let plane = cross_plane(count)?;
    print_survey("plane", &plane);
    let speeds: Vec<f64> = leaving.iter().map(|leaving| leaving.1).collect();
    let arrivals: Vec<f64> = leaving.iter().map(|leaving| -leaving.2).collect();
    let centre: Vec<f64> = leaving.iter().map(|leaving| -inside[leaving.0 as usize]).collect();
    println!(
        "  arrived {} of {count} in {:.1} to {:.1} s; rank correlation of speed and early arrival {:.3}, of speed and \
         early leaving of the centre {:.3}",
        report.arrived,
        report.travel_time.map_or(0.0, |time| time.min),
        report.travel_time.map_or(0.0, |time| time.max),
        rank_correlation(&speeds, &arrivals).unwrap_or(0.0),
        rank_correlation(&speeds, &centre).unwrap_or(0.0)
    );
    println!(
        "  overlaps: {} pairs, worst {:.1e}; stalled {}; hash {:016x}",
        report.overlapping_pairs,
        report.worst_overlap,
        report.stalled,
        crowd.state_hash()
    );
    Ok((leaving.iter().map(|leaving| (leaving.1, leaving.2)).collect(), [survey, plane]))
}

/// Draws the times of arrival over speeds.
fn draw_flight(folder: &Path, count: usize, flight: &[(f64, f64)]) -> Fallible<()> {
    let name = format!("{count} agents, each at its own speed to its antipode: the fastest arrive first");
    let slowest = SPEED.least;
    let alone = (0..=32).map(|k| slowest + f64::from(k) * 0.05).map(|speed| (speed, 2.0 * SPHERE / speed)).collect();
    let series = [
        Series { name: "agents".to_owned(), values: flight.to_vec(), is_line: false },
        Series { name: "alone".to_owned(), values: alone, is_line: true },
    ];
    let path = folder.join(format!("sphere-{count}.svg"));
    draw_series(&path, &name, ["own speed, m/s", "arrival, s"], &series)
}

/// Draws the shares of cells by their numbers of darts and of next cells, in the plane and in space (S4 fig. 9.2).
fn draw_surveys(folder: &Path, count: usize, space: &CellSurvey, plane: &CellSurvey) -> Fallible<()> {
    let shares = |name: &str, histogram: &Histogram| {
        let total = histogram.total().max(1) as f64;
        let share = |(number, &cells): (usize, &u64)| (number as f64, 100.0 * cells as f64 / total);
        let values: Vec<(f64, f64)> = histogram.cells.iter().enumerate().map(share).take(81).collect();
        Series { name: name.to_owned(), values, is_line: true }
    };
    let series = [
        shares("darts, plane", &plane.darts),
        shares("darts, space", &space.darts),
        shares("next cells, plane", &plane.adjacent),
        shares("next cells, space", &space.adjacent),
    ];
    let path = folder.join(format!("sphere-cells-{count}.svg"));
    let title = format!("{count} agents: darts and next cells of a cell");
    draw_series(&path, &title, ["number", "share of cells, %"], &series)
}

/// Measures the mean time in which a cell with agents is refined, in microseconds.
fn time_refinements(mut environment: ConvexEnvironment) -> f64 {
    let has_agents = |cell: &u32| environment.present(*cell).is_ok_and(|present| !present.is_empty());
    let cells: Vec<u32> = environment.cells().filter(has_agents).collect();
    let started = Instant::now();
    let refined = cells.iter().filter(|&&cell| environment.refine(cell).is_ok()).count();
    1e6 * started.elapsed().as_secs_f64() / refined.max(1) as f64
}

fn print_survey(name: &str, survey: &CellSurvey) {
    let rows = [("darts", &survey.darts), ("next cells", &survey.adjacent), ("agents seen", &survey.seen)];
    for (what, counts) in rows {
        println!(
            "  {name}: {what:<11} a cell: mean {:6.1}, median {:4}, 95 % {:4}, most {:4}",
            counts.mean(),
            counts.quantile(0.5),
            counts.quantile(0.95),
            counts.most()
        );
    }
}

/// Lets points on a circle cross the plane.
fn cross_plane(count: usize) -> Fallible<CellSurvey> {
    let cells = (2.0 * HALF / CELL) as u32;
    let corner = |k: u32| CELL * f64::from(k) - HALF;
    let corners = (0..=cells).flat_map(|j| (0..=cells).map(move |i| Vec2::new(corner(i), corner(j)))).collect();
    let mut plane: PlaneEnvironment =
        Environment::new(ImplicitMap::new(Map2::grid(cells, cells)?), Plane::new(corners)?)?;
    let mut random = SplitMix64::new(1);
    let mut points: Vec<(PointId, Vec2, Vec2)> = Vec::with_capacity(count);
    for k in 0..count {
        let angle = std::f64::consts::TAU * k as f64 / count as f64;
        let place = SPHERE * Vec2::new(libm::cos(angle), libm::sin(angle));
        let entity = plane.add_particle(place)?;
        let point = plane.points(entity)?.next().ok_or("a particle has a point")?;
        points.push((point, place, -SPEED.draw(&mut random) * place / SPHERE));
    }
    let Density { most, least, .. } = SpaceSettings::default().density;
    let mut survey = CellSurvey::default();
    for second in 0..30 {
        for (point, place, velocity) in &points {
            let offset = (*velocity * f64::from(second)).clamp_length_max(2.0 * SPHERE);
            plane.move_point(*point, *place + offset)?;
        }
        plane.adapt(&mut Density { most, least, finest: 3 }, usize::MAX);
        survey.merge(&survey_cells(&plane));
    }
    Ok(survey)
}
