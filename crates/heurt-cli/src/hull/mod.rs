//! The `heurt hull` command: the convex hull of a mesh, a point cloud or an assembly.
//!
//! In: a mesh file, a point cloud (OBJ, PLY or OFF without faces) or an assembly. Out: the hull as a file, a table or
//! JSON.
//! Method: `heurt_mesh::convex_hull` of all placed vertices; with `--each`, of each mesh, whose parts keep names and
//! poses.
//! Guarantees: the hull is exact: its vertices are points of the input, and no point is outside. Formats of 32 bits
//! round it.

mod report;

use crate::input::Input;
use crate::load::{Buffers, LoadedFile, ReadSettings};
use crate::make::{FORMATS, extension_of, refuse_two_on_stdout, write_model};
use crate::output::Output;
use crate::targets::Targets;
use crate::{Failure, load, status::Status, threads};
use clap::Args;
use heurt::geometry::Vec3;
use heurt::io::{Format, Model, ReadError, read_points};
use heurt::mesh::{TriMesh, convex_hull};
pub(crate) use report::HullDocument;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  heurt hull bunny.ply -o hull.obj            the hull of all vertices
  heurt hull cloud.ply -o hull.stl            of a point cloud: OBJ, PLY or OFF without faces
  heurt hull assembly.glb -o hulls.glb --each a hull for each part
  heurt hull cloud.off --json                 volume and area alone

The hull is exact: its vertices are points of the input, and no point lies outside.

Exit status: 0 done, 2 bad input (points in one plane have no hull with a volume).";

/// Computes convex hulls of meshes, point clouds and assemblies.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub(crate) struct HullArguments {
    /// A mesh file, a point cloud or an assembly.
    #[arg(value_name = "FILE")]
    input: PathBuf,
    /// The file to write; `-` is standard output, and then no table is printed.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The format, if the extension does not name one.
    #[arg(long, value_name = "FORMAT", value_parser = FORMATS)]
    format: Option<String>,
    /// Computes a hull for each part instead of one for all of them.
    #[arg(long)]
    each: bool,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
    /// Prints no table.
    #[arg(long, short)]
    quiet: bool,
    /// Works on this many threads; 0 is one for each core.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=threads::MOST as i64))]
    threads: Option<u16>,
}

/// A hull and the number of points from which it was computed.
struct Hulled {
    name: String,
    points: usize,
    hull: TriMesh,
}

/// Computes the hulls of the input.
pub(crate) fn run(arguments: &HullArguments, out: &mut Output) -> Result<Status, Failure> {
    // A wrong name is reported before the work is done.
    if let Some(path) = &arguments.output {
        extension_of(path, arguments.format.as_deref())?;
    }
    refuse_two_on_stdout(arguments.output.as_deref(), arguments.json)?;
    let file = arguments.output.as_deref().filter(|path| path.as_os_str() != "-");
    let targets = Targets::new(&[("output", file)])?;
    targets.spare(&arguments.input)?;
    targets.try_out()?;
    let buffers = Buffers::default();
    let (points, mut failures) = Points::read(arguments, &buffers)?;
    buffers.files().iter().try_for_each(|input| targets.spare(input))?;
    let input = points.describe(&arguments.input);
    let (model, hulled) = threads::with(arguments.threads, || points.hulls(arguments, &mut failures))?;
    let takes_stdout = arguments.output.as_ref().is_some_and(|path| path.as_os_str() == "-");
    if arguments.json && !takes_stdout {
        report::print_json(&input, &hulled, &failures, out).map_err(Failure::output)?;
    } else if !arguments.quiet && !takes_stdout && !hulled.is_empty() {
        report::print_table(&input, &hulled, out).map_err(Failure::output)?;
    }
    let written = match &arguments.output {
        Some(path) if !hulled.is_empty() => write_model(&model, path, arguments.format.as_deref(), false, out),
        _ => Ok(()),
    };
    out.finish()?;
    failures.iter().for_each(Failure::report);
    written?;
    Ok(if failures.is_empty() { Status::Clear } else { Status::BadInput })
}

/// The contents of a file.
enum Points {
    Model(Model),
    Cloud(Vec<Vec3>),
}

impl Points {
    /// Returns the file, its unit and the notes of its reader.
    fn describe(&self, path: &Path) -> Input {
        match self {
            Self::Model(model) => Input::of(path, model),
            Self::Cloud(_) => Input::of(path, &Model::default()),
        }
    }

    /// Reads a file; one without faces as a point cloud.
    fn read(arguments: &HullArguments, buffers: &Buffers) -> Result<(Self, Vec<Failure>), Failure> {
        let path = &arguments.input;
        match load::read_parts(path, &ReadSettings::default(), buffers) {
            Ok(LoadedFile { model, failures, .. }) => Ok((Self::Model(model), failures)),
            Err(Failure::BadFile { source: ReadError::NoFaces { .. }, .. }) => {
                let bytes = load::read_bytes(path)?;
                let format = load::format_of(path).or_else(|| Format::detect(&bytes));
                let format = format.ok_or_else(|| Failure::UnknownFormat { path: path.clone() })?;
                let bad = |source| Failure::BadFile { path: path.clone(), source };
                Ok((Self::Cloud(read_points(&bytes, format).map_err(bad)?), Vec::new()))
            }
            Err(failure) => Err(failure),
        }
    }

    /// Returns the model to write, and its hulls; adds a failure for each that has none.
    fn hulls(self, arguments: &HullArguments, failures: &mut Vec<Failure>) -> (Model, Vec<Hulled>) {
        let path = &arguments.input;
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let mut hulled = Vec::new();
        let mut add = |name: String, points: &[Vec3]| match convex_hull(points) {
            Ok(hull) => {
                hulled.push(Hulled { name, points: points.len(), hull });
                true
            }
            Err(source) => {
                failures.push(Failure::NoHull { path: path.clone(), part: name, source });
                false
            }
        };
        match self {
            Self::Model(mut model) if arguments.each => {
                let mut number_of = vec![None; model.meshes.len()];
                let mut count = 0;
                let names = load::names_of_meshes(&model);
                for (number, (mesh, name)) in model.meshes.iter().zip(names).enumerate() {
                    let name = if name.is_empty() { stem.clone() } else { name };
                    if add(name, &used_vertices(mesh)) {
                        number_of[number] = Some(count);
                        count += 1;
                    }
                }
                model.parts.retain_mut(|part| {
                    let number = number_of[part.mesh];
                    part.mesh = number.unwrap_or(0);
                    number.is_some()
                });
                model.meshes = hulled.iter().map(|hulled| hulled.hull.clone()).collect();
                model.polygons.clear();
                (model, hulled)
            }
            Self::Model(model) => {
                let placed = model.parts.iter().flat_map(|part| {
                    let vertices = used_vertices(&model.meshes[part.mesh]);
                    vertices.into_iter().map(|vertex| part.pose.place(vertex))
                });
                add(stem.clone(), &placed.collect::<Vec<Vec3>>());
                (Model { unit: model.unit, ..model_of_hulls(&hulled) }, hulled)
            }
            Self::Cloud(points) => {
                add(stem, &points);
                (model_of_hulls(&hulled), hulled)
            }
        }
    }
}

/// Makes a model of the first hull alone, if there is one.
fn model_of_hulls(hulled: &[Hulled]) -> Model {
    hulled.first().map(|hulled| Model::from_mesh(&hulled.name, hulled.hull.clone())).unwrap_or_default()
}

/// Returns the vertices that a triangle uses, in their order.
fn used_vertices(mesh: &TriMesh) -> Vec<Vec3> {
    let mut used = vec![false; mesh.vertices().len()];
    mesh.triangles().iter().flatten().for_each(|&vertex| used[vertex as usize] = true);
    mesh.vertices().iter().zip(used).filter(|&(_, used)| used).map(|(&vertex, _)| vertex).collect()
}
