//! `heurt check --motion`: moves parts through an assembly, and reports the first contacts with their times and places,
//! or that the parts come out.

mod picture;
mod report;

use super::arguments::SolidArgument;
use super::selection::matched;
use super::{CheckArguments, LoadedAssembly, export_extension, notes, targets, title_of};
use crate::length_option::in_one_unit;
use crate::output::Output;
use crate::progress::Progress;
use crate::units::Units;
use crate::written_pose::Written;
use crate::{Failure, status::Status, threads};
use heurt::assembly::{Assembly, AssemblyPart, Journey, JourneyError, JourneyPath, travel};
use heurt::geometry::Vec3;
use heurt::io::{Length, LengthError, LengthUnit};
use picture::Travelled;
pub(crate) use report::MotionDocument;
use std::time::Instant;

/// Moves parts by the arguments and reports the contacts.
pub(super) fn run(motion: &str, arguments: &CheckArguments, out: &mut Output) -> Result<Status, Failure> {
    let started = Instant::now();
    if arguments.solid == SolidArgument::Winding {
        return Err(Failure::MotionOfWinding);
    }
    // A wrong name is reported before the work is done.
    arguments.clashes.as_deref().map(|path| export_extension("clashes", path)).transpose()?;
    arguments.picture.picture.check_name()?;
    let targets = targets(arguments)?;
    let written = path_from_option(motion)?;
    let mut assembly =
        threads::with(arguments.threads, || LoadedAssembly::load(&arguments.assembly, &arguments.build_options()))??;
    assembly.inputs.iter().try_for_each(|input| targets.spare(input))?;
    if let ([part], true) = (&*assembly.parts, assembly.failures.is_empty()) {
        assembly.failures.push(Failure::OnePart { part: part.name.clone() });
    }
    // First the files that could not be read: an option cannot name a part of them.
    assembly.failures.iter().for_each(Failure::report);
    assembly.place_named(&arguments.assembly.poses)?;
    let path = written.in_units(assembly.units())?;
    let moved = moved_parts(&assembly, arguments)?;
    let journey = threads::with(arguments.threads, || follow(&assembly, &moved, &path, arguments.quiet))??;
    let journey = if arguments.ignore_touching { journey.without_touching() } else { journey };
    let travelled = Travelled { assembly: &assembly, journey: &journey, moved: &moved, path: &path };
    let title = title_of(&arguments.assembly.inputs);
    // The encounters are reported even if a file cannot be written.
    let exported = travelled.write_meshes(arguments, out);
    let pictured = threads::with(arguments.threads, || travelled.write_picture(title, arguments))?;
    let written = match (arguments.json, arguments.csv, arguments.quiet) {
        (true, ..) => report::json(&assembly, &journey, out),
        (_, true, _) => {
            notes::print_to_stderr(&assembly, arguments.quiet);
            report::csv(&assembly, &journey, out)
        }
        (.., true) => Ok(()),
        _ => {
            let limit = arguments.rows();
            report::table(&assembly, &journey, limit, started.elapsed(), out)
        }
    };
    written.map_err(Failure::output)?;
    out.finish()?;
    Failure::first_of([exported, pictured], Ok(()))?;
    Ok(match (assembly.failures.is_empty(), journey.encounters.is_empty()) {
        (false, _) => Status::BadInput,
        (true, false) => Status::Found,
        (true, true) => Status::Clear,
    })
}

/// A path as `--motion` gives it.
struct WrittenPath {
    path: JourneyPath,
    /// The offset and the unit of a straight path whose lengths have one.
    offset: Option<(Vec3, LengthUnit)>,
}

impl WrittenPath {
    /// Returns the path in the unit of coordinates.
    fn in_units(self, units: Units) -> Result<JourneyPath, Failure> {
        match (self.offset, units.0) {
            (None, _) => Ok(self.path),
            (Some((offset, unit)), Some(target)) => Ok(JourneyPath::straight(offset * unit.factor_to(target))?),
            (Some((offset, unit)), None) => {
                let value = offset.to_array().into_iter().fold(0.0, |most: f64, one| most.max(one.abs()));
                let length = Length { value, unit: Some(unit) };
                Err(Failure::NoLength { option: "--motion", source: LengthError::UnknownCoordinates { length } })
            }
        }
    }
}

/// Reads the value of `--motion`.
fn path_from_option(value: &str) -> Result<WrittenPath, Failure> {
    let refuse = |reason: String| Failure::NoMotion { reason };
    let lengths = match Written::read(value, refuse)? {
        Written::Json(value) => return Ok(WrittenPath { path: JourneyPath::read(value)?, offset: None }),
        Written::Numbers(lengths) => lengths,
    };
    let (numbers, unit) = in_one_unit(&lengths).map_err(refuse)?;
    let [x, y, z] = *numbers else { return Err(refuse(format!("{} numbers are not 3", numbers.len()))) };
    let offset = Vec3::new(x, y, z);
    Ok(WrittenPath { path: JourneyPath::straight(offset)?, offset: unit.map(|unit| (offset, unit)) })
}

impl From<JourneyError> for Failure {
    fn from(error: JourneyError) -> Self {
        Self::NoMotion { reason: error.to_string() }
    }
}

fn follow(assembly: &Assembly, moved: &[usize], path: &JourneyPath, quiet: bool) -> Result<Journey, Failure> {
    let still = assembly.parts.len() - moved.len();
    let progress = Progress::new("following parts", (moved.len() * still) as u64, quiet);
    Ok(travel(assembly, moved, path, || progress.step())?)
}

/// Returns the numbers of the parts that `--moving` names, in order. Without it, the parts of the first of two inputs.
fn moved_parts(assembly: &LoadedAssembly, arguments: &CheckArguments) -> Result<Vec<usize>, Failure> {
    if assembly.parts.is_empty() {
        return Err(Failure::NothingToCheck);
    }
    let is_moved = matched(&assembly.parts, &arguments.moving, "moving")?;
    let mut moved: Vec<usize> = (0..assembly.parts.len()).filter(|&part| is_moved[part]).collect();
    if let ([], [first, _]) = (&*arguments.moving, &*arguments.assembly.inputs) {
        let is_of_first = |part: &AssemblyPart| part.file == *first;
        moved = (0..assembly.parts.len()).filter(|&part| is_of_first(&assembly.parts[part])).collect();
        // The same file twice: the first half of the parts moves, the second half stays.
        if moved.len() == assembly.parts.len() {
            moved.truncate(moved.len() / 2);
        }
    }
    match moved.len() {
        0 => Err(Failure::NothingMoves { known: assembly.known_parts() }),
        _ => Ok(moved),
    }
}
