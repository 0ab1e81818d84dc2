//! `heurt make`: generates meshes from numbers, patches or edges and writes them to a file.

mod from_file;
mod refusal;
mod shapes;
mod write;

pub(crate) use write::{FORMATS, extension_of, has_short_coordinates, refuse_two_on_stdout, write_model};

use crate::output::Output;
use crate::targets::Targets;
use crate::written_pose::file_of;
use crate::{Failure, status::Status};
use clap::Args;
use heurt::io::LengthUnit;
use shapes::Shape;
use std::io::{self, Write};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  heurt make superellipsoid --radii 1,1,1 --n1 0.3 --n2 0.3 -o pillow.obj
  heurt make supertoroid --r0 2 --r1 0.5 --n1 1 --n2 0.2 --segments 128 -o ring.stl
  heurt make gear --teeth 24 --module 0.002 -o gear.ply
  heurt make bolt --diameter 0.008 --length 0.03 -o m8.off
  heurt make demo -o gearbox.glb
  heurt make icosahedron --subdivide 3 -o - --format obj | head
  heurt make sphere --volume 0.001 -o litre.stl
  heurt make patches hull.json --tolerance 1e-4 -o hull.stl
  heurt make wire-solids drawing.obj -o solids.glb

The extension chooses the format: .obj .stl .ply .off .glb .gltf .3mf .dxf. Lengths are metres. All meshes are closed,
oriented outward and welded; meshes of patches are as open as the patches leave them.

Exit status: 0 done, 1 a wireframe bounds no solid (no file is written), 2 bad input.";

/// Makes a mesh: solids, superquadrics, machine parts, whole assemblies.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES, subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct MakeArguments {
    #[command(subcommand)]
    shape: Shape,
    #[command(flatten)]
    target: MakeTarget,
}

/// Output file, format and pose of a mesh.
#[derive(Debug, Args)]
struct MakeTarget {
    /// The file to write; `-` is standard output. Without it, a new file named after the shape: gear.stl, gearbox.glb.
    #[arg(short, long, global = true, value_name = "FILE", required = false)]
    output: Option<PathBuf>,
    /// The format, if the extension does not name it.
    #[arg(long, global = true, value_name = "FORMAT", value_parser = FORMATS)]
    format: Option<String>,
    /// Splits every triangle in four, this many times, without moving the surface.
    #[arg(long, global = true, value_name = "TIMES", default_value_t = 0, allow_hyphen_values = true)]
    subdivide: u32,
    /// Scales a single shape around the origin to this volume, in cubic metres.
    #[arg(long, global = true, value_name = "VOLUME", allow_hyphen_values = true)]
    volume: Option<f64>,
    /// Moves the mesh: x,y,z or x,y,z,qx,qy,qz,qw or JSON or @file.
    #[arg(long, global = true, value_name = "POSE", allow_hyphen_values = true)]
    pose: Option<String>,
    /// Draws lines instead of filled faces: facets as closed polylines (DXF), edges of the shape (OBJ).
    #[arg(long, global = true)]
    wireframe: bool,
}

/// Makes the mesh of the arguments and writes it.
pub(crate) fn run(arguments: &MakeArguments, out: &mut Output) -> Result<Status, Failure> {
    let target = &arguments.target;
    let path = match &target.output {
        Some(path) => path.clone(),
        None => default_path(&arguments.shape, target)?,
    };
    let file = Some(path.as_path()).filter(|path| path.as_os_str() != "-");
    let mut poses = target.pose.iter().filter_map(|value| file_of(value));
    let targets = Targets::new(&[("output", file)])?;
    poses.try_for_each(|input| targets.spare(input))?;
    arguments.shape.input().map_or(Ok(()), |input| targets.spare(input))?;
    let mut model = arguments.shape.model(target)?;
    if model.parts.is_empty() {
        // A note for people: a closed standard error is no failure.
        let _ = writeln!(io::stderr(), "no solid has these edges: no file is written");
        return Ok(Status::Found);
    }
    model.unit = Some(LengthUnit::Metre);
    write_model(&model, &path, target.format.as_deref(), target.wireframe, out)?;
    Ok(Status::Clear)
}

/// Returns the file for a shape without a given name: one that does not exist yet.
fn default_path(shape: &Shape, target: &MakeTarget) -> Result<PathBuf, Failure> {
    let is_assembly = matches!(shape, Shape::Demo | Shape::Field { .. } | Shape::WireSolids { .. });
    let stem = if matches!(shape, Shape::Demo) { "gearbox".to_owned() } else { shape.name().replace(' ', "-") };
    let usual = if target.wireframe {
        "dxf"
    } else if is_assembly {
        "glb"
    } else {
        "stl"
    };
    let path = PathBuf::from(format!("{stem}.{}", target.format.as_deref().unwrap_or(usual)));
    match path.exists() {
        true => Err(Failure::DefaultExists { path }),
        false => Ok(path),
    }
}
