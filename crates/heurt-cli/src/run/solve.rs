//! `heurt run --solve`: one contact problem from a file, solved and judged.
//!
//! In: a problem as `--problem` writes it, the name of a solver. Out: tables of bodies, contacts and rows, the
//! residual, energies and time; all numbers as JSON in a report.

use super::RunArguments;
use crate::check::{bold, grouped, new_table};
use crate::output::{self, Output, to_file};
use crate::status::Status;
use crate::targets::Targets;
use crate::{Failure, load};
use comfy_table::{Cell, CellAlignment};
use heurt::geometry::Vec3;
use heurt::io::WriteError;
use heurt::rigid::{Level, Outcome, SolveOptions, SolvedProblem, StatedProblem, all_solvers};
use heurt::scene::parse_problem;
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

/// Rows of a table on a terminal; a report has all.
const MAX_ROWS: usize = 24;

/// The solution of a contact problem, for programs. Units are SI; with the level `force` impulses are forces, and
/// velocities accelerations.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct SolveJson {
    solver: &'static str,
    /// The method of the solver that found the solution.
    method: &'static str,
    /// `solved`, `approximate` or `no solution`.
    outcome: &'static str,
    /// `impact`, `force` or `step`.
    level: &'static str,
    /// Length of the step; null for other levels.
    dt: Option<f64>,
    iterations: u32,
    seconds: f64,
    /// The largest error over all laws, in m/s; m/s² for forces.
    residual: f64,
    /// The largest error of complementarity, in the same unit.
    complementarity: f64,
    /// The largest pull of a contact, in N s; N for forces.
    pull: f64,
    /// The largest friction beyond the cone, in the same unit.
    cone: f64,
    /// Change of the momentum of bodies without a fixed one, in N s.
    momentum_error: f64,
    kinetic_energy: SolveEnergyJson,
    bodies: Vec<SolvedBodyJson>,
    contacts: Vec<SolvedContactJson>,
    /// The impulse of each row.
    rows: Vec<f64>,
}

#[derive(Debug, JsonSchema, Serialize)]
struct SolveEnergyJson {
    before: f64,
    after: f64,
}

#[derive(Debug, JsonSchema, Serialize)]
struct SolvedBodyJson {
    name: String,
    velocity: [f64; 3],
    angular_velocity: [f64; 3],
}

#[derive(Debug, JsonSchema, Serialize)]
struct SolvedContactJson {
    bodies: [u32; 2],
    /// Along the normal, on the second body.
    normal_impulse: f64,
    /// On the second body.
    friction_impulse: [f64; 3],
}

/// Solves the problem in a file.
pub(super) fn run(path: &Path, arguments: &RunArguments, out: &mut Output) -> Result<Status, Failure> {
    let targets = Targets::new(&[("report", arguments.report.as_deref())])?;
    targets.spare(path)?;
    targets.try_out()?;
    let bad = |reason: String| Failure::BadProblem { path: path.to_owned(), reason };
    let stated = parse_problem(&load::read_bytes(path)?).map_err(|error| bad(error.to_string()))?;
    let solvers = all_solvers();
    let chosen = arguments.solver.as_deref();
    let solver = solvers.iter().find(|solver| chosen.is_none_or(|name| name == solver.name())).unwrap_or(&solvers[0]);
    let begun = Instant::now();
    let solved = stated.solve(&**solver, &SolveOptions::default()).map_err(|error| bad(error.to_string()))?;
    let report = describe(&stated, &solved, begun.elapsed().as_secs_f64());
    if let Some(path) = &arguments.report {
        to_file(path, |file| {
            serde_json::to_writer_pretty(&mut *file, &report).map_err(io::Error::from)?;
            Ok::<_, WriteError>(writeln!(file)?)
        })?;
    }
    if !arguments.quiet {
        print(&stated, &report, out).map_err(Failure::output)?;
    }
    out.finish()?;
    Ok(if solved.solution.outcome == Outcome::Solved { Status::Clear } else { Status::Found })
}

fn describe(stated: &StatedProblem, solved: &SolvedProblem, seconds: f64) -> SolveJson {
    let SolvedProblem { solution, bodies, errors } = solved;
    let name = |number: usize| stated.names.get(number).cloned().unwrap_or_else(|| number.to_string());
    let of_body = |(number, body): (usize, &heurt::rigid::RigidBody)| {
        let motion = match stated.level {
            Level::Force => [body.acceleration, body.angular_acceleration],
            Level::Impact | Level::Step { .. } => [body.velocity, body.angular_velocity],
        };
        let [velocity, angular_velocity] = motion.map(|vector| vector.to_array());
        SolvedBodyJson { name: name(number), velocity, angular_velocity }
    };
    let contacts = stated.problem.contacts.iter().zip(&solution.normal).zip(&solution.tangential);
    let [before, after] = solution.energy;
    SolveJson {
        // Steps and forces have no order of impacts: `sequential-impacts` leaves them to the exact solver.
        solver: solution.method.solver(),
        method: solution.method.name(),
        outcome: solution.outcome.name(),
        level: stated.level.name(),
        dt: match stated.level {
            Level::Step { dt } => Some(dt),
            Level::Impact | Level::Force => None,
        },
        iterations: solution.iterations,
        seconds,
        residual: solution.residual,
        complementarity: errors.complementarity,
        pull: errors.pull,
        cone: errors.cone,
        momentum_error: solution.momentum_error,
        kinetic_energy: SolveEnergyJson { before, after },
        bodies: bodies.iter().enumerate().map(of_body).collect(),
        contacts: contacts
            .map(|((contact, normal), along)| SolvedContactJson {
                bodies: contact.bodies,
                normal_impulse: *normal,
                friction_impulse: along.to_array(),
            })
            .collect(),
        rows: solution.rows.clone(),
    }
}

/// Prints the solution for people.
fn print(stated: &StatedProblem, report: &SolveJson, out: &mut Output) -> io::Result<()> {
    let is_force = stated.level == Level::Force;
    let [moves, turns] = match is_force {
        true => ["acceleration, m/s²", "angular acceleration, rad/s²"],
        false => ["velocity after, m/s", "angular velocity after, rad/s"],
    };
    let moving = report.bodies.iter().zip(&stated.problem.bodies).filter(|(_, body)| body.is_movable());
    let cells = moving.map(|(body, _)| [body.name.clone(), vector(&body.velocity), vector(&body.angular_velocity)]);
    print_table(["body", moves, turns], cells.collect(), out)?;
    let name = |number: u32| &report.bodies[number as usize].name;
    let [normal, along] = if is_force { ["normal force, N", "friction, N"] } else { ["normal, N s", "friction, N s"] };
    let cells = report.contacts.iter().map(|contact| {
        let [a, b] = contact.bodies.map(name);
        [format!("{a} – {b}"), digits(contact.normal_impulse), vector(&contact.friction_impulse)]
    });
    print_table(["contact", normal, along], cells.collect(), out)?;
    let cells = stated.problem.rows.iter().zip(&report.rows).enumerate().map(|(number, (row, impulse))| {
        let [a, b] = row.bodies.map(name);
        [format!("{number}: {a} – {b}"), digits(*impulse), digits(row.target)]
    });
    print_table(["row", if is_force { "force" } else { "impulse" }, "target"], cells.collect(), out)?;
    print_lines(stated, report, out)
}

/// Prints what the solver did, and how well the solution obeys the laws.
fn print_lines(stated: &StatedProblem, report: &SolveJson, out: &mut Output) -> io::Result<()> {
    let [rate, impulse] = if stated.level == Level::Force { ["m/s²", "N"] } else { ["m/s", "N s"] };
    let level = match stated.level {
        Level::Step { dt } => format!("a step of {} s", digits(dt)),
        Level::Impact => "impacts at once".to_owned(),
        Level::Force => "forces at rest".to_owned(),
    };
    let count = |count: usize, one: &str| format!("{} {one}{}", grouped(count), if count == 1 { "" } else { "s" });
    let problem = &stated.problem;
    let bodies = match problem.bodies.len() {
        1 => "1 body".to_owned(),
        bodies => format!("{} bodies", grouped(bodies)),
    };
    writeln!(
        out,
        "{level} · {bodies}, {}, {}",
        count(problem.contacts.len(), "contact"),
        count(problem.rows.len(), "row"),
    )?;
    writeln!(
        out,
        "residual {} {rate} · complementarity {} {rate}, pull {} {impulse}, beyond the cone {} {impulse}",
        short(report.residual),
        short(report.complementarity),
        short(report.pull),
        short(report.cone),
    )?;
    let SolveEnergyJson { before, after } = report.kinetic_energy;
    writeln!(out, "kinetic energy {} J before, {} J after", digits(before), digits(after))?;
    writeln!(
        out,
        "{} by {} ({}) · {} · {:.2} ms",
        report.outcome,
        report.solver,
        report.method,
        count(report.iterations as usize, "iteration"),
        report.seconds * 1e3,
    )
}

/// Prints a table of three columns; nothing if it has no row.
fn print_table(head: [&str; 3], rows: Vec<[String; 3]>, out: &mut Output) -> io::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let mut table = new_table(out);
    table.set_header(head.map(bold));
    let left_out = rows.len().saturating_sub(MAX_ROWS);
    for [name, second, third] in rows.into_iter().take(MAX_ROWS) {
        let right = |text: String| Cell::new(text).set_alignment(CellAlignment::Right);
        table.add_row([Cell::new(output::printable(&name)), right(second), right(third)]);
    }
    writeln!(out, "{}", table.trim_fmt())?;
    if left_out > 0 {
        writeln!(out, "and {} more: --report FILE.json has all", grouped(left_out))?;
    }
    Ok(())
}

fn vector(numbers: &[f64; 3]) -> String {
    // Rounding of zero looks like a motion otherwise.
    let size = Vec3::from_array(*numbers).length();
    numbers.map(|number| digits(if number.abs() < 1e-12 * size { 0.0 } else { number })).join("  ")
}

/// An error of two digits.
fn short(error: f64) -> String {
    if error == 0.0 { "0".to_owned() } else { format!("{error:.1e}") }
}

/// A number of five digits.
fn digits(number: f64) -> String {
    match number.abs() {
        0.0 => "0".to_owned(),
        size if (1e-3..1e5).contains(&size) => format!("{number:.4}"),
        _ => format!("{number:.3e}"),
    }
}
