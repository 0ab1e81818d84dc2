//! `heurt check --motion`: a part on its way through an assembly. What does it meet first, when and where? Does it come out?

mod journey;
mod path;
mod report;

use super::{Assembly, CheckArguments};
use crate::failure::some_of;
use crate::output::Output;
use crate::{Failure, Status, threads};
use journey::travel;
use path::Path;
use std::time::Instant;

/// Moves parts as the arguments say and reports what they meet.
pub(super) fn run(motion: &str, arguments: &CheckArguments, out: &mut Output) -> Result<Status, Failure> {
    let started = Instant::now();
    let path = Path::from_option(motion)?;
    let (assembly, journey) = threads::with(arguments.threads, || {
        let assembly = Assembly::load(arguments)?;
        let moved = moved_parts(&assembly, arguments)?;
        let journey = travel(&assembly, &moved, &path, arguments.quiet)?;
        Ok::<_, Failure>((assembly, journey))
    })??;
    for failure in &assembly.failures {
        failure.report();
    }
    let journey = if arguments.ignore_touching { journey.without_touching() } else { journey };
    let written = match (arguments.json, arguments.csv, arguments.quiet) {
        (true, ..) => report::json(&assembly, &journey, out),
        (_, true, _) => report::csv(&assembly, &journey, out),
        (.., true) => Ok(()),
        _ => {
            let limit = if arguments.all_pairs { usize::MAX } else { arguments.limit };
            report::table(&assembly, &journey, limit, started.elapsed(), out)
        }
    };
    written.map_err(Failure::output)?;
    out.finish()?;
    Ok(match (assembly.failures.is_empty(), journey.encounters.is_empty()) {
        (false, _) => Status::BadInput,
        (true, false) => Status::Found,
        (true, true) => Status::Clear,
    })
}

/// The numbers of the parts that `--moving` names, in order; of two inputs, those of the first where it is not given.
fn moved_parts(assembly: &Assembly, arguments: &CheckArguments) -> Result<Vec<usize>, Failure> {
    let parts = || assembly.parts.iter().enumerate();
    let known = || some_of(assembly.parts.iter().map(|part| part.name.as_str()));
    let mut moved = Vec::new();
    for name in &arguments.moving {
        let found = parts().find(|(_, part)| part.name == *name);
        let (number, _) = found.ok_or_else(|| Failure::NoSuchPart { name: name.clone(), known: known() })?;
        moved.push(number);
    }
    if let ([], [first, _]) = (&*arguments.moving, &*arguments.inputs) {
        moved.extend(parts().filter(|(_, part)| part.file == *first).map(|(number, _)| number));
        // The same file twice: one part of it moves, the other stays.
        if moved.len() == assembly.parts.len() {
            moved.truncate(moved.len() / 2);
        }
    }
    moved.sort_unstable();
    moved.dedup();
    match moved.len() {
        0 if assembly.parts.is_empty() => Err(Failure::NothingToCheck),
        0 => Err(Failure::NothingMoves { known: known() }),
        _ => Ok(moved),
    }
}
