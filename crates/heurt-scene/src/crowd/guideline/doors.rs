//! Doors: flow through one, halls with two and four, the choice between a near and a far one, one that shuts.
//!
//! In: scenes of rooms with exits. Out: times of the last, flows, persons by exit.

use super::statistics::range;
use super::trial::{Found, SceneRun, Trial, first_crossings, judged, measured, seconds};
use heurt_geometry::Vec2;

/// The largest flow through a door of 1 m, in persons a second.
const DOOR_FLOW: f64 = 1.33;

/// Seeds that a flow is measured for: arches at a door form by chance.
const SEEDS: u64 = 5;

/// Judges the largest flow of a hundred persons through a door of 1 m, over five seeds.
pub(super) fn door_flow(trial: &Trial, name: &str) -> Found {
    let (mut flows, mut between, mut last) = (Vec::new(), Vec::new(), 0.0);
    for trial in trial.repeated(SEEDS) {
        let mut run = trial.begin(name)?;
        let trajectories = run.record();
        let crossings = first_crossings(&trajectories, [[8.0, 2.0], [8.0, 3.0]]);
        flows.push(run.crowd.report().agents as f64 / run.time_of_last());
        between.push(crossings.mean_flow().unwrap_or(0.0));
        last = f64::max(last, run.time_of_last());
    }
    let ([least, most], [least_between, most_between]) = (range(&flows), range(&between));
    let figure = format!(
        "{least:.2} to {most:.2} persons/s over the whole time, {least_between:.2} to {most_between:.2} /s from the first \
         to the last; slowest run: {}",
        seconds(last)
    );
    judged(last.is_finite() && most <= DOOR_FLOW, figure)
}

/// Measures the times of a hall with four doors and with two; a hall that does not empty fails.
pub(super) fn hall(trial: &Trial, names: [&str; 2]) -> Found {
    let time = |name: &str| trial.begin(name).map(|mut run| run.finish());
    let (four, two) = rayon::join(|| time(names[0]), || time(names[1]));
    let (four, two) = (four?, two?);
    let figure = format!("four doors {}, two doors {}", seconds(four), seconds(two));
    if two.is_finite() && four.is_finite() {
        measured(format!("{figure}, {:.2} times as long", two / four))
    } else {
        judged(false, figure)
    }
}

/// Judges the choice of a thousand persons between two exits of one wall.
pub(super) fn near_and_far_exit(trial: &Trial) -> Found {
    let mut run = trial.begin("rimea_11")?;
    let [near, far] = persons_by_exit(&mut run, |place| place.x < 25.0);
    let figure = format!("{near} through the nearer exit, {far} through the farther, the last after");
    let last = run.time_of_last();
    judged(near > far && far > 0 && last.is_finite(), format!("{figure} {}", seconds(last)))
}

/// Judges whether a person that headed for an exit leaves by exit 2, once exit 1 is shut.
pub(super) fn exit_that_shuts(trial: &Trial) -> Found {
    let mut run = trial.begin("iso_09_open")?;
    let seconds = run.seconds;
    run.seconds = 1.0;
    run.observe(|_| ());
    let place = run.crowd.agents().next().map(|agent| agent.position).unwrap_or_default();
    run.seconds = seconds;
    let [first, _] = persons_by_exit(&mut run, |place| place.x < 5.0);
    let there = format!("[[{}, {}]]", place.x, place.y);
    let mut run = trial.begin_changed("iso_09_shut", Some(("[[5, 1]]", &there)))?;
    let [shut, open] = persons_by_exit(&mut run, |place| place.x < 5.0);
    let free = if first == 1 { 1 } else { 2 };
    let figure =
        format!("without the closure it leaves by exit {free}; with it, {shut} by exit 1 and {open} by exit 2");
    judged(shut == 0 && open == 1, figure)
}

/// Runs to the end and counts the persons that leave by a first exit, and by a second.
pub(super) fn persons_by_exit(run: &mut SceneRun, is_first: impl Fn(Vec2) -> bool) -> [usize; 2] {
    let mut counts = [0; 2];
    run.observe(|crowd| {
        for agent in crowd.departed() {
            counts[usize::from(!is_first(agent.position))] += 1;
        }
    });
    counts
}

/// Judges whether 23 persons of twelve rooms leave by the exits of their rooms.
pub(super) fn allocated_exits(trial: &Trial, name: &str) -> Found {
    let mut run = trial.begin(name)?;
    let (mut right, mut by_main) = (0, 0);
    run.observe(|crowd| {
        for agent in crowd.departed() {
            let is_main = agent.position.y > 10.0;
            // Groups are the rooms, in order.
            let has_main = !matches!(agent.group + 1, 5 | 6 | 11 | 12);
            (right, by_main) = (right + usize::from(is_main == has_main), by_main + usize::from(is_main));
        }
    });
    let report = run.crowd.report();
    let figure = format!("{right} of {} by the exit of their room, {by_main} by the main exit", report.agents);
    judged(right == report.agents, format!("{figure}; the last after {}", seconds(run.time_of_last())))
}
