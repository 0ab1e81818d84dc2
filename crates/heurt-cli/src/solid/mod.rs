//! The `heurt solid` command: union, intersection, difference and symmetric difference of solids.
//!
//! In: mesh files or assemblies; each of their parts is an operand, in order. Out: the result as a mesh file, and a
//! table or JSON with its measures.
//! Method: `heurt_solid::combine`, in pairs of neighbours, and of their results; a difference is the first part without
//! the union of all others.
//! Guarantees: every decision is exact; the result is closed. Files of 32 bits round it.

mod operand;
mod report;

use crate::check::{Assembly, AssemblyArguments, BuildOptions, SolidArgument, title_of};
use crate::make::{FORMATS, extension_of, write_model};
use crate::output::Output;
use crate::progress::Progress;
use crate::status::Status;
use crate::targets::Targets;
use crate::{Failure, threads};
use clap::{Args, ValueEnum};
use heurt::io::Model;
use heurt::solid::SetOperation;
use operand::{Operand, reduce};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  heurt solid union a.stl b.stl -o whole.stl         one solid of two
  heurt solid difference block.stl bolt.stl -o hole.obj --pose-b 0,0,0.01
  heurt solid intersection a.stl b.stl --json        volume and area of what they share
  heurt solid union assembly.glb -o whole.glb        all parts of an assembly
  heurt solid xor old.stl new.stl -o changes.stl     what differs between two versions

Every decision is exact, also where faces lie on each other. The result is a closed mesh without self-intersections;
STL and glTF files round it to 32 bits, all other formats keep it as it is.

Exit status: 0 done, 1 the result is empty (no file is written), 2 bad input.";

/// Combines solids: union, intersection, difference, symmetric difference.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub(crate) struct SolidArguments {
    /// The operation.
    #[arg(value_enum)]
    operation: Operation,
    #[command(flatten)]
    assembly: AssemblyArguments,
    /// The file to write; `-` is standard output, and then no table is printed.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The format, if the extension does not name one.
    #[arg(long, value_name = "FORMAT", value_parser = FORMATS)]
    format: Option<String>,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
    /// Prints no table and no progress.
    #[arg(long, short)]
    quiet: bool,
    /// Works on this many threads; 0 is one for each core.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=threads::MOST as i64))]
    threads: Option<u16>,
}

/// The operations by their names.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Operation {
    /// The points of any part.
    Union,
    /// The points of all parts.
    Intersection,
    /// The points of the first part that are in no other one.
    Difference,
    /// The points of one of two parts; of several, the points of an odd number of them.
    #[value(alias = "symmetric-difference")]
    Xor,
}

impl Operation {
    fn of_sets(self) -> SetOperation {
        match self {
            Self::Union => SetOperation::Union,
            Self::Intersection => SetOperation::Intersection,
            Self::Difference => SetOperation::Difference,
            Self::Xor => SetOperation::SymmetricDifference,
        }
    }
}

/// Combines the parts of the arguments.
pub(crate) fn run(arguments: &SolidArguments, out: &mut Output) -> Result<Status, Failure> {
    // A wrong name is reported before the work is done.
    if let Some(path) = &arguments.output {
        extension_of(path, arguments.format.as_deref())?;
    }
    let file = arguments.output.as_deref().filter(|path| path.as_os_str() != "-");
    let targets = Targets::new(&[("output", file)])?;
    targets.try_out()?;
    threads::with(arguments.threads, || combine(arguments.operation.of_sets(), arguments, &targets, out))?
}

fn combine(
    operation: SetOperation,
    arguments: &SolidArguments,
    targets: &Targets<'_>,
    out: &mut Output,
) -> Result<Status, Failure> {
    let options = BuildOptions { solid: SolidArgument::Closed, tree: None, quiet: arguments.quiet };
    let mut assembly = Assembly::load(&arguments.assembly, &options)?;
    assembly.inputs.iter().try_for_each(|input| targets.spare(input))?;
    assembly.failures.iter().for_each(Failure::report);
    assembly.place_named(&arguments.assembly.poses)?;
    // A result without a part that could not be read would be another one.
    if !assembly.failures.is_empty() {
        return Ok(Status::BadInput);
    }
    if assembly.parts.len() < 2 {
        return Err(Failure::OneOperand);
    }
    let progress = Progress::new("combining", 2 * assembly.parts.len() as u64 - 1, arguments.quiet);
    let operands = Operand::of_parts(&assembly, &progress)?;
    let result = match operation {
        SetOperation::Difference => {
            let mut operands = operands.into_iter();
            let first = operands.next();
            let others = reduce(SetOperation::Union, operands.collect(), &progress)?;
            reduce(operation, first.into_iter().chain(Some(others)).collect(), &progress)?
        }
        _ => reduce(operation, operands, &progress)?,
    };
    drop(progress);
    let title = title_of(&arguments.assembly.inputs);
    let takes_stdout = arguments.output.as_ref().is_some_and(|path| path.as_os_str() == "-");
    let report = report::SolidReport::new(operation, &assembly, &result);
    if arguments.json && !takes_stdout {
        report.print_json(out).map_err(Failure::output)?;
    } else if !arguments.quiet && !takes_stdout {
        report.print_table(&title, out).map_err(Failure::output)?;
    }
    let Some(mesh) = result.mesh else {
        eprintln!("the result is empty: no file is written");
        return Ok(Status::Found);
    };
    if let Some(path) = &arguments.output {
        let name = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        let model = Model { unit: assembly.units.0, ..Model::from_mesh(&name, mesh) };
        write_model(&model, path, arguments.format.as_deref(), false, out)?;
    }
    Ok(Status::Clear)
}
