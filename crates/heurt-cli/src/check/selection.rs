//! Selection of pairs by the options `--of`, `--against` and `--ignore`.

use crate::{Failure, load};
use heurt::assembly::{AssemblyError, AssemblyPart, IgnoreFault, Selection, match_parts};
use heurt::scene::describe::some_of;
use std::path::Path;

/// Matches patterns with parts. A line of the list that matches no part is a failure of its own; all other lines apply.
pub(super) fn select(
    parts: &[AssemblyPart],
    of: &[String],
    against: &[String],
    ignore: Option<&Path>,
) -> Result<(Selection, Vec<Failure>), Failure> {
    // Patterns of `--of` are matched first.
    let option_of = |error: &AssemblyError| match error {
        AssemblyError::NoSuchPart { name, .. } if of.contains(name) => "of",
        _ => "against",
    };
    let selection = Selection::new(parts, of, against);
    let mut selection = selection.map_err(|error| no_such_part(option_of(&error), error))?;
    let Some(path) = ignore else { return Ok((selection, Vec::new())) };
    let text = load::read_bytes(path)?;
    let faults = selection.ignore_list(parts, &String::from_utf8_lossy(&text));
    let failure = |(line, fault)| match fault {
        IgnoreFault::NoMatch(pattern) => {
            Failure::PatternOfLine { path: path.to_owned(), line, pattern, known: known(parts) }
        }
        fault => Failure::BadIgnoreLine { path: path.to_owned(), line, fault },
    };
    let failures = faults.into_iter().map(failure).collect();
    Ok((selection, failures))
}

/// Returns, by part, whether one of the patterns of an option matches it.
pub(crate) fn matched(parts: &[AssemblyPart], patterns: &[String], option: &'static str) -> Result<Vec<bool>, Failure> {
    match_parts(parts, patterns).map_err(|error| no_such_part(option, error))
}

fn no_such_part(option: &'static str, error: AssemblyError) -> Failure {
    match error {
        AssemblyError::NoSuchPart { name, known } => Failure::NoSuchPart { option, name, known },
        error => error.into(),
    }
}

/// Lists names of parts for a message.
pub(crate) fn known(parts: &[AssemblyPart]) -> String {
    some_of(parts.iter().map(|part| part.name.as_str()))
}
