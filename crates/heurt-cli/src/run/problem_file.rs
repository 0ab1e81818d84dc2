//! `heurt run --problem`: the contact problem of the last step as a file.

use super::course::Course;
use crate::Failure;
use crate::check::grouped;
use crate::output::{Output, to_file};
use heurt::io::WriteError;
use heurt::scene::problem_text;
use heurt::world::ProblemOrigin;
use std::io::Write;
use std::path::Path;

/// Writes the problem after the last step, and prints a line on it unless `is_quiet`.
pub(super) fn write(
    path: &Path,
    course: &Course<'_>,
    step: f64,
    is_quiet: bool,
    out: &mut Output,
) -> Result<(), Failure> {
    let problem = course.world.contact_problem(step);
    let problem =
        problem.map_err(|error| Failure::Stopped { step: course.world.steps(), reason: error.to_string() })?;
    let origin = match problem.origin {
        ProblemOrigin::Solved => "as it was solved in the last step",
        ProblemOrigin::Contacts => "of the contacts and joints after the last step",
    };
    let stated = problem.with_names(|id| course.names.bodies[id.index()].clone());
    let text = problem_text(&stated).map_err(std::io::Error::from);
    to_file(path, |file| Ok::<_, WriteError>(file.write_all(text?.as_bytes())?))?;
    if !is_quiet {
        let [bodies, contacts, rows] =
            [stated.problem.bodies.len(), stated.problem.contacts.len(), stated.problem.rows.len()].map(grouped);
        let level = stated.level.name();
        writeln!(
            out,
            "contact problem ({level}), {origin}: {bodies} bodies, {contacts} contacts, {rows} rows of joints"
        )
        .map_err(Failure::output)?;
    }
    Ok(())
}
