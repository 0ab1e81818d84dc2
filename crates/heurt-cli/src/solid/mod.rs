//! The `heurt solid` command: set operations of mesh files, and evaluation and pictures of CSG trees.
//!
//! In: mesh files or assemblies, each of whose parts is an operand, in order; or a file with a CSG tree.
//! Out: the result as a mesh file, and a table or JSON with its measures; or a picture.
//! Method: `heurt_solid::combine`, in pairs of neighbours, and of their results; a difference is the first part without
//! the union of all others. Trees: `evaluate` and `render`.
//! Guarantees: every decision is exact, for surfaces nearer than the rounding after a move (`combine`); the result is
//! closed. Files of 32 bits round it.

mod csg_file;
mod evaluate;
mod operand;
mod render;
mod report;

use crate::check::{AssemblyArguments, BuildOptions, LoadedAssembly, SolidArgument, title_of};
use crate::make::{FORMATS, extension_of, has_short_coordinates, refuse_two_on_stdout, write_model};
use crate::output::Output;
use crate::progress::Progress;
use crate::status::Status;
use crate::targets::Targets;
use crate::units::Units;
use crate::{Failure, threads};
use clap::{Args, Subcommand, ValueEnum};
use evaluate::EvaluateArguments;
pub(crate) use evaluate::EvaluateDocument;
use heurt::io::Model;
use heurt::mesh::TriMesh;
use heurt::solid::{SetOperation, SolidMesh};
use operand::{Operand, reduce};
use render::RenderArguments;
pub(crate) use report::SolidDocument;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  heurt solid union a.stl b.stl -o whole.stl         one solid of two
  heurt solid difference block.stl bolt.stl -o hole.obj --pose-b 0,0,0.01
  heurt solid intersection a.stl b.stl --json        volume and area of what they share
  heurt solid union assembly.glb -o whole.glb        all parts of an assembly
  heurt solid xor old.stl new.stl -o changes.stl     what differs between two versions
  heurt solid evaluate drilled.csg -o drilled.stl    a tree of OpenSCAD as a closed mesh
  heurt solid render tree.json -o tree.png           a picture of a tree, without a mesh

Every decision is exact, also where faces lie on each other; surfaces nearer than the rounding of coordinates are moved
from each other by at most 1e-9 of the smaller part. The result is a closed mesh without self-intersections. STL and
glTF files round it to 32 bits, and a note says so if it is no solid after that; all other formats keep it as it is.

Exit status: 0 done, 1 the result is empty (no file is written), 2 bad input.";

/// Combines solids: union, intersection, difference, symmetric difference, and trees of them.
#[derive(Debug, Args)]
#[command(
    after_help = EXAMPLES,
    after_long_help = EXAMPLES,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true
)]
pub(crate) struct SolidArguments {
    #[command(subcommand)]
    command: Option<SolidCommand>,
    /// The operation.
    #[arg(value_enum, required = true)]
    operation: Option<Operation>,
    #[command(flatten)]
    assembly: AssemblyArguments,
    #[command(flatten)]
    result: ResultArguments,
}

/// Commands on a CSG tree.
#[derive(Debug, Subcommand)]
enum SolidCommand {
    Evaluate(EvaluateArguments),
    Render(RenderArguments),
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

/// Output of a command that makes a mesh.
#[derive(Debug, Args)]
struct ResultArguments {
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

impl ResultArguments {
    /// Refuses a name without a format, before the work is done, and returns the files to write.
    fn targets(&self) -> Result<Targets<'_>, Failure> {
        if let Some(path) = &self.output {
            extension_of(path, self.format.as_deref())?;
        }
        refuse_two_on_stdout(self.output.as_deref(), self.json)?;
        let targets = Targets::new(&[("output", self.file())])?;
        targets.try_out()?;
        Ok(targets)
    }

    /// Returns the file to write, if it is not standard output.
    fn file(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| path.as_os_str() != "-")
    }

    fn takes_stdout(&self) -> bool {
        self.output.as_ref().is_some_and(|path| path.as_os_str() == "-")
    }

    /// Reports whether a result is still a solid after the file rounds it to 32 bits; `None` if no file does.
    fn is_solid_in_file(&self, mesh: Option<&TriMesh>) -> Result<Option<bool>, Failure> {
        let (Some(path), Some(mesh)) = (&self.output, mesh) else { return Ok(None) };
        let extension = extension_of(path, self.format.as_deref())?;
        if !has_short_coordinates(&extension) {
            return Ok(None);
        }
        let is_solid = mesh.rounded_to_f32().is_ok_and(|mesh| SolidMesh::new(&mesh).is_ok());
        if !is_solid {
            // A note for people: a closed standard error is no failure.
            let _ = writeln!(
                io::stderr(),
                "note: rounded to the 32 bits of .{extension}, triangles intersect or lose their area: .obj, .ply, .off \
                 and .3mf keep the solid"
            );
        }
        Ok(Some(is_solid))
    }

    /// Writes the mesh of a result in a unit of length.
    fn write(&self, mesh: Option<TriMesh>, units: Units, out: &mut Output) -> Result<Status, Failure> {
        let Some(mesh) = mesh else {
            // A note for people: a closed standard error is no failure.
            let _ = writeln!(io::stderr(), "the result is empty: no file is written");
            return Ok(Status::Found);
        };
        if let Some(path) = &self.output {
            let name = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
            let model = Model { unit: units.0, ..Model::from_mesh(&name, mesh) };
            write_model(&model, path, self.format.as_deref(), false, out)?;
        }
        Ok(Status::Clear)
    }
}

/// Does the work of the arguments.
pub(crate) fn run(arguments: &SolidArguments, out: &mut Output) -> Result<Status, Failure> {
    match (&arguments.command, arguments.operation) {
        (Some(SolidCommand::Evaluate(arguments)), _) => evaluate::run(arguments, out),
        (Some(SolidCommand::Render(arguments)), _) => render::run(arguments),
        (None, Some(operation)) => {
            // A wrong name is reported before the work is done.
            let targets = arguments.result.targets()?;
            threads::with(arguments.result.threads, || combine(operation.of_sets(), arguments, &targets, out))?
        }
        // The parser requires one of both.
        (None, None) => Err(Failure::OneOperand),
    }
}

fn combine(
    operation: SetOperation,
    arguments: &SolidArguments,
    targets: &Targets<'_>,
    out: &mut Output,
) -> Result<Status, Failure> {
    let output = &arguments.result;
    let options = BuildOptions { solid: SolidArgument::Closed, tree: None, quiet: output.quiet };
    let mut assembly = LoadedAssembly::load(&arguments.assembly, &options)?;
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
    let progress = Progress::new("combining", 2 * assembly.parts.len() as u64 - 1, output.quiet);
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
    let is_solid_in_file = output.is_solid_in_file(result.mesh.as_ref())?;
    let report = report::SolidReport::new(operation, &assembly, &result, is_solid_in_file);
    if output.json && !output.takes_stdout() {
        report.print_json(out).map_err(Failure::output)?;
    } else if !output.quiet && !output.takes_stdout() {
        report.print_table(&title, out).map_err(Failure::output)?;
    }
    output.write(result.mesh, assembly.units(), out)
}
