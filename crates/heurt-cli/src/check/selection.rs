//! Selection of pairs by the options `--of`, `--against` and `--ignore`.

use crate::{Failure, load};
use heurt::assembly::{AssemblyError, AssemblyPart, IgnoreFault, Selection, match_parts};
use heurt::scene::FileNote;
use heurt::scene::describe::some_of;
use std::path::Path;

/// Matches patterns with parts. A line of the list that matches no part is a note, for lists outlive parts; a line that
/// cannot be read is a failure of its own. All other lines apply.
pub(super) fn select(
    parts: &[AssemblyPart],
    of: &[String],
    against: &[String],
    ignore: Option<&Path>,
) -> Result<(Selection, Vec<FileNote>, Vec<Failure>), Failure> {
    // Patterns of `--of` are matched first.
    let option_of = |error: &AssemblyError| match error {
        AssemblyError::NoSuchPart { name, .. } | AssemblyError::AmbiguousPart { name, .. } if of.contains(name) => "of",
        _ => "against",
    };
    let selection = Selection::new(parts, of, against);
    let mut selection = selection.map_err(|error| no_such_part(option_of(&error), error))?;
    let Some(path) = ignore else { return Ok((selection, Vec::new(), Vec::new())) };
    let text = load::read_bytes(path)?;
    let faults = selection.ignore_list(parts, &String::from_utf8_lossy(&text));
    let (mut notes, mut failures) = (Vec::new(), Vec::new());
    for (line, fault) in faults {
        match fault {
            IgnoreFault::NoMatch(pattern) => {
                let message = format!("line {line}: `{pattern}` matches no part, so the line leaves nothing out");
                let note = FileNote::about(path, "unmatched", 1, message);
                notes.push(FileNote { place: Some(format!("line {line}")), ..note });
            }
            fault => failures.push(Failure::BadIgnoreLine { path: path.to_owned(), line, fault }),
        }
    }
    Ok((selection, notes, failures))
}

/// Returns, by part, whether one of the patterns of an option matches it.
pub(crate) fn matched(parts: &[AssemblyPart], patterns: &[String], option: &'static str) -> Result<Vec<bool>, Failure> {
    match_parts(parts, patterns).map_err(|error| no_such_part(option, error))
}

fn no_such_part(option: &'static str, error: AssemblyError) -> Failure {
    match error {
        AssemblyError::NoSuchPart { name, known } => Failure::NoSuchPart { option, name, known },
        AssemblyError::AmbiguousPart { name, candidates } => Failure::AmbiguousPart { option, name, candidates },
        error => error.into(),
    }
}

/// Lists names of parts for a message.
pub(crate) fn known(parts: &[AssemblyPart]) -> String {
    some_of(parts.iter().map(|part| part.name.as_str()))
}
