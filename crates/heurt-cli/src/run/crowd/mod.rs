//! Runs a scene of a crowd, on floors, on curved ground or in space.
//!
//! In: the scene and the options of `heurt run`. Out: a table, trajectories, a report, pictures, a live page.

mod course;
mod floors;
#[cfg(feature = "view")]
mod live;
#[cfg(not(feature = "view"))]
mod no_live;
mod outlines;
mod picture;
mod report;
mod space;
mod surface;

pub(super) use picture::layer_parser;

use super::{MAX_STEPS, Order, RunArguments, too_many_steps};
use crate::Failure;
use crate::check::counted;
use crate::output::{Output, printable};
use crate::status::Status;
use heurt::io::TrajectoryFormat;
use heurt::scene::describe::LocatedFault;
use heurt::scene::{SpaceScene, SurfaceScene};
use std::path::Path;

/// The most faults that are printed: a group of a thousand agents outside the floor has one cause.
const SHOWN_FAULTS: usize = 20;

/// Refuses options that only scenes of bodies have.
fn check_options(arguments: &RunArguments) -> Result<(), Failure> {
    let given = [
        ("control", arguments.control.is_some()),
        ("trace", arguments.trace.is_some()),
        ("events", arguments.events.is_some()),
        ("static-pairs", arguments.static_pairs),
        ("record", arguments.record.is_some()),
        ("problem", arguments.problem.is_some()),
        ("tree", arguments.tree.is_some()),
        ("section", arguments.picture.section.is_some()),
    ];
    if let Some(&(option, _)) = given.iter().find(|(_, is_given)| *is_given) {
        return Err(Failure::NotForCrowds { option });
    }
    let is_known = |path: &Path| {
        let format = path.to_str().and_then(TrajectoryFormat::from_extension);
        format.is_some_and(TrajectoryFormat::can_be_written)
    };
    match &arguments.trajectories {
        Some(path) if !is_known(path) => Err(Failure::NoTrajectoryFormat { path: path.clone() }),
        _ => Ok(()),
    }
}

/// Runs the scene.
pub(super) fn run(arguments: &RunArguments, order: &Order, out: &mut Output) -> Result<Status, Failure> {
    let text = &order.header.scene;
    if SurfaceScene::is_surface(text) {
        surface::run(arguments, order, out)
    } else if SpaceScene::is_space(text) {
        space::run(arguments, order, out)
    } else {
        floors::run(arguments, order, out)
    }
}

/// Computes the number of steps of a scene with a step and a time, in seconds; reports whether only someone who watches
/// decides when it ends.
fn count_steps(
    arguments: &RunArguments,
    order: &Order,
    (step, usual): (f64, f64),
    lasts_too_long: impl FnOnce(u64) -> LocatedFault,
) -> Result<(u64, bool), Failure> {
    if arguments.view && arguments.steps.is_none() && arguments.seconds.is_none() {
        return Ok((MAX_STEPS, true));
    }
    let seconds = arguments.seconds.unwrap_or(usual);
    let steps = arguments.steps.unwrap_or((seconds / step).round() as u64);
    if steps <= MAX_STEPS {
        return Ok((steps, false));
    }
    Err(too_many_steps(arguments, step).unwrap_or_else(|| order.bad_scene(lasts_too_long(MAX_STEPS))))
}

/// Prints faults: all as notes with `--force`; else all but the first, which is returned.
fn report_faults(arguments: &RunArguments, order: &Order, faults: Vec<LocatedFault>) -> Result<(), Failure> {
    let left = faults.len().saturating_sub(SHOWN_FAULTS);
    let mut faults = faults.into_iter().take(SHOWN_FAULTS);
    let first = if arguments.force { None } else { faults.next() };
    let mut shown = Vec::new();
    for fault in faults {
        shown.push(format!("{}, line {}: {}", order.path.display(), fault.line, printable(&fault.reason)));
    }
    if left > 0 {
        shown.push(counted(left, "more fault", "more faults"));
    }
    for line in &shown {
        eprintln!("note: {line}");
    }
    match first {
        None => Ok(()),
        Some(fault) => {
            let help = "mend the scene, or run it with --force without the faulty agents; docs/crowds.md has every key";
            Err(order.bad_scene(LocatedFault { help, ..fault }))
        }
    }
}
