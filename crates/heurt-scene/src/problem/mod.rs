//! Contact problems as JSON: written by a run, read to be solved.
//!
//! Layout: one object. `level` is `impact`, `force` or `step`; a step has its length as `dt`, in seconds. `names` has a
//! name for each body and may be absent. `bodies`, `contacts` and `rows` have the fields of `RigidBody`, `PointContact`
//! and `ConstraintRow` of `heurt-rigid`, under the same names; a matrix is its nine numbers, column by column, and an
//! infinite bound is `null`. `rows` may be absent.
//! Guarantees: numbers keep their bits; each error names the key and the value; a problem that was read passes
//! `ContactProblem::check`.

mod read;

pub use read::{ProblemTextError, parse_problem};

use heurt_rigid::StatedProblem;

/// Formats a problem as JSON, with a line for each body, contact and row.
///
/// ```
/// use heurt_rigid::{ContactProblem, Level, RigidBody, StatedProblem};
/// use heurt_scene::{parse_problem, problem_text};
/// let problem = ContactProblem { bodies: vec![RigidBody::FIXED], ..ContactProblem::default() };
/// let stated = StatedProblem { level: Level::Step { dt: 0.1 }, names: vec!["floor".to_owned()], problem };
/// assert_eq!(parse_problem(problem_text(&stated)?.as_bytes())?, stated);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// None in fact: problems are finite numbers and text. The type is the error type of the writer that it calls.
pub fn problem_text(stated: &StatedProblem) -> serde_json::Result<String> {
    let StatedProblem { level, names, problem } = stated;
    let mut text = serde_json::to_string(level)?;
    // The object of the level goes on.
    text.pop();
    if !names.is_empty() {
        text += &format!(",\n\"names\":{}", serde_json::to_string(names)?);
    }
    text += &format!(",\n\"bodies\":{}", lines(&problem.bodies)?);
    text += &format!(",\n\"contacts\":{}", lines(&problem.contacts)?);
    text += &format!(",\n\"rows\":{}", lines(&problem.rows)?);
    Ok(text + "}\n")
}

/// Formats a list with a line for each item.
fn lines<T: serde::Serialize>(items: &[T]) -> serde_json::Result<String> {
    let items: Result<Vec<String>, _> = items.iter().map(serde_json::to_string).collect();
    let items = items?;
    Ok(if items.is_empty() { "[]".to_owned() } else { format!("[\n{}\n]", items.join(",\n")) })
}
