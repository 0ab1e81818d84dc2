//! `heurt inspect`: the class, the measures and all faults of a mesh, with places.
//!
//! Method: each mesh of a file is welded and turned as in `check` (`prepare`), measured, and searched for faults;
//! facets of more than three corners are examined as the file has them; walls are measured on request.

mod edges;
mod export;
mod heat;
mod json;
mod picture;
mod table;

use self::heat::ThicknessBand;
use crate::length_option::LengthArgument;
use crate::load::{self, Buffers, LoadedFile};
use crate::output::Output;
use crate::picture::PictureArguments;
use crate::progress::Progress;
use crate::reading::ReadArguments;
use crate::targets::Targets;
use crate::units::Units;
use crate::{Failure, status::Status, threads};
use clap::{Args, ValueEnum};
use heurt::geometry::{Pose, Vec3};
use heurt::io::{LengthUnit, Part};
use heurt::mesh::{
    CheckOptions, Measures, PolygonReport, Polygons, Report, Thickness, ThicknessMethod, ThicknessOptions, Topology,
    TriMesh, check_over, check_polygons, solidify, wall_thickness,
};
use heurt::query::{CountedOnce, measure_counted_once};
use heurt::scene::{FileNote, Preparation};
pub(crate) use json::InspectDocument;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  heurt inspect bolt.stl                       a solid? which faults, and where? area, volume, centroid, inertia
  heurt inspect bolt.stl --unit mm             the same with lengths in mm
  heurt inspect part.stl --export faults.glb   the mesh with its faulty faces coloured by kind
  heurt inspect part.stl --edges edges.dxf     its creases and open borders as lines, for a drawing
  heurt inspect part.stl --thickness ball --thin 0.8   where are walls thinner than 0.8?
  heurt inspect ball.stl --convexity           how far from convex, however long that takes
  heurt inspect parts/ --recursive --json      all meshes of a folder, for a program to read
  heurt inspect scan.ply --strict              exit status 1 if there is any fault

Classes:
  open               some edges lack a triangle on one side: only a surface
  inconsistent       no hole, but neighbouring triangles disagree on which side is out
  self-intersecting  closed, so it has an inside, but triangles intersect
  solid              closed, so parts inside it interfere with it
  convex             a solid that is the boundary of a convex body, exactly or within 4 ulp of an f32 of its coordinates

Severity of faults for printing:
  prints as it is    the layers are the same as without the fault
  slicers mend it    slicers remove the fault when they read the file, or in each layer
  fails              layers are empty or wrong: `heurt repair` first

Faults are the ones of the file, except for seams: nearly equal vertices are welded where that closes the mesh (--weld 0
welds none). Measures are those of the mesh as `heurt check` uses it: shells that are inside out are turned, and space
that shells share counts once.

Exit status: 0 all meshes could be read (with --strict: and have no fault, else 1), 2 bad input.";

/// Inspects meshes: class, measures, and all faults with their places.
///
/// Looks for holes, edges and vertices that are no surface, faces turned inside out, degenerate and duplicate faces,
/// isolated vertices and self-intersections. Inertia is around the centroid, at density 1.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub(crate) struct InspectArguments {
    /// Mesh files, assemblies or folders of mesh files.
    #[arg(required = true, value_name = "FILE_OR_FOLDER")]
    inputs: Vec<PathBuf>,
    #[command(flatten)]
    reading: ReadArguments,
    /// Measures how far a mesh is from convex without a limit of work; without it, some tenths of a second are spent.
    #[arg(long)]
    convexity: bool,
    /// Measures the thickness of walls, by inscribed balls or by rays along the inward normal; --export and --picture
    /// show it in five colours.
    #[arg(long, value_enum, value_name = "METHOD")]
    thickness: Option<ThicknessChoice>,
    /// Reports the share of the surface whose walls are thinner than this.
    #[arg(long, value_name = "LENGTH", requires = "thickness", allow_hyphen_values = true)]
    thin: Option<LengthArgument>,
    /// Writes the mesh with its faulty faces coloured by kind, as .glb or any other mesh format (in parts by kind).
    #[arg(long, value_name = "FILE")]
    export: Option<PathBuf>,
    /// Writes creases, open borders and edges of more than two faces as lines, as .obj or .dxf.
    #[arg(long, value_name = "FILE")]
    edges: Option<PathBuf>,
    /// The least angle between the normals of two faces at a crease, in degrees.
    #[arg(long, value_name = "ANGLE", default_value_t = 30.0, requires = "edges", allow_hyphen_values = true)]
    crease: f64,
    #[command(flatten)]
    picture: PictureArguments,
    /// Prints JSON, with the faults, their places and elements.
    #[arg(long)]
    json: bool,
    /// Lists at most this many faults of each kind in the table.
    #[arg(long, value_name = "N", default_value_t = 3)]
    faults: usize,
    /// Lists at most this many faults of each kind in JSON and in the exported file; all are counted.
    #[arg(long, value_name = "N", default_value_t = CheckOptions::default().max_faults)]
    limit: usize,
    /// Ends with status 1 if a mesh has a fault, and refuses files that hold anything unknown.
    #[arg(long)]
    strict: bool,
    /// Works on this many threads; 0 is one for each core.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=threads::MOST as i64))]
    threads: Option<u16>,
    /// Prints no table: the exit status reports.
    #[arg(long, short)]
    quiet: bool,
}

/// How thickness is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ThicknessChoice {
    /// The diameter of the largest inscribed ball that touches the surface there.
    Ball,
    /// The length of the inward normal in the solid.
    Ray,
}

/// One mesh, inspected.
struct Inspected {
    file: PathBuf,
    /// The name of the mesh in the file; empty if it has none.
    name: String,
    units: Units,
    mesh: TriMesh,
    report: Report,
    measures: Measures,
    /// The volume as the sum of the shells, if they share space, which `measures` counts once.
    shell_volume: Option<f64>,
    /// Facets as the file has them, if some have more than three corners.
    facets: Option<PolygonReport>,
    /// The thickness of walls, or the reason for its absence.
    thickness: Option<Result<Thickness, String>>,
    /// The triangles by thickness, if it was measured and is to be seen.
    bands: Vec<ThicknessBand>,
    /// `--thin` in the unit of the report.
    thin: Option<f64>,
    /// The pose of the first part with the mesh: faults are reported where that part is in the file.
    pose: Pose,
    warnings: Vec<FileNote>,
}

/// Inspects the inputs of the arguments.
pub(crate) fn run(arguments: &InspectArguments, out: &mut Output) -> Result<Status, Failure> {
    if let Some(thin) = arguments.thin.filter(|thin| thin.0.value <= 0.0) {
        let (given, legal) = (thin.0.to_string(), "a finite length above 0".to_owned());
        return Err(Failure::BadNumber { command: "inspect", option: "thin".to_owned(), given, legal });
    }
    if let Some(path) = &arguments.export {
        crate::check::export_extension("export", path)?;
    }
    if let Some(path) = &arguments.edges {
        edges::extension(path)?;
    }
    if !(0.0..=180.0).contains(&arguments.crease) {
        let (given, legal) = (crate::output::number(arguments.crease), "an angle from 0 to 180 degrees".to_owned());
        return Err(Failure::BadNumber { command: "inspect", option: "crease".to_owned(), given, legal });
    }
    arguments.picture.check_name()?;
    let targets = Targets::new(&[
        ("export", arguments.export.as_deref()),
        ("edges", arguments.edges.as_deref()),
        ("picture", arguments.picture.path()),
    ])?;
    let (mut failures, mut files, mut warnings) = (Vec::new(), Vec::new(), Vec::new());
    for input in &arguments.inputs {
        match load::files_of(input, arguments.reading.recursive) {
            Ok(found) => {
                warnings.extend(found.warnings());
                files.extend(found.files);
                failures.extend(found.failures);
            }
            Err(failure) => failures.push(failure),
        }
    }
    files.iter().try_for_each(|file| targets.spare(file))?;
    let keeps_all =
        arguments.json || arguments.export.is_some() || arguments.edges.is_some() || arguments.picture.path().is_some();
    let mut has_fault = false;
    let mut all = Vec::new();
    let progress = Progress::new("inspecting files", files.len() as u64, arguments.quiet || !arguments.json);
    for file in files {
        let buffers = Buffers::default();
        match threads::with(arguments.threads, || inspect(&file, arguments, &buffers))? {
            Ok(found) => {
                buffers.files().iter().try_for_each(|input| targets.spare(input))?;
                failures.extend(found.failures);
                warnings.extend(found.warnings);
                has_fault |= found.meshes.iter().any(|mesh| !mesh.report.counts.is_empty());
                if !arguments.json && !arguments.quiet {
                    for mesh in &found.meshes {
                        table::print(mesh, arguments, out).map_err(Failure::output)?;
                    }
                }
                // If only the table is printed, each mesh is printed and dropped before the next one is read.
                if keeps_all {
                    all.extend(found.meshes);
                }
            }
            Err(failure) => failures.push(failure),
        }
        progress.step();
    }
    drop(progress);
    if arguments.json {
        json::print(&all, &failures, &warnings, arguments, out).map_err(Failure::output)?;
    } else if !arguments.quiet {
        table::print_notes(&warnings, out).map_err(Failure::output)?;
    }
    let exported = match &arguments.export {
        Some(path) if !all.is_empty() => export::write(&all, path, out),
        _ => Ok(()),
    };
    let drawn = match &arguments.edges {
        Some(path) if !all.is_empty() => edges::write(&all, path, arguments.crease),
        _ => Ok(()),
    };
    let is_quiet = arguments.quiet || arguments.json;
    let pictured = threads::with(arguments.threads, || picture::write(&all, &arguments.picture, is_quiet))?;
    out.finish()?;
    for failure in &failures {
        failure.report();
    }
    exported?;
    drawn?;
    pictured?;
    Ok(match (failures.is_empty(), arguments.strict && has_fault) {
        (false, _) => Status::BadInput,
        (true, true) => Status::Found,
        (true, false) => Status::Clear,
    })
}

/// The result for a file.
struct InspectedFile {
    meshes: Vec<Inspected>,
    failures: Vec<Failure>,
    warnings: Vec<FileNote>,
}

/// Inspects each mesh of a file, in its own frame; instances are not repeated. Places of faults are those of the first
/// part with the mesh, in the frame of the file.
fn inspect(file: &Path, arguments: &InspectArguments, buffers: &Buffers) -> Result<InspectedFile, Failure> {
    let LoadedFile { model, mut failures, .. } = arguments.reading.read_parts(file, arguments.strict, buffers)?;
    let (unit, declared) = (arguments.reading.unit, model.unit);
    let factor = unit.zip(declared).map_or(1.0, |(unit, declared)| declared.factor_to(unit));
    let units = Units(unit.or(declared));
    let names = load::names_of_meshes(&model);
    let warnings = model.warnings.iter().map(|warning| FileNote::of_reader(file, warning)).collect();
    let mut meshes = Vec::with_capacity(names.len());
    let poses = poses_of_meshes(&model.parts, model.meshes.len(), factor);
    let poses = poses.into_iter().zip(model.directions_up());
    let polygons = model.polygons.into_iter().map(Some).chain(std::iter::repeat_with(|| None));
    for (((mesh, name), polygons), (pose, up)) in model.meshes.into_iter().zip(names).zip(polygons).zip(poses) {
        let of = Described { file, name, units, factor, polygons: polygons.flatten(), pose, up };
        match inspect_mesh(mesh, of, arguments) {
            Ok(inspected) => meshes.push(inspected),
            Err(failure) => failures.push(failure),
        }
    }
    Ok(InspectedFile { meshes, failures, warnings })
}

/// Returns, by mesh, the pose of the first part that has it, its translation times `factor`.
fn poses_of_meshes(parts: &[Part], meshes: usize, factor: f64) -> Vec<Pose> {
    let mut poses = vec![Pose::IDENTITY; meshes];
    for part in parts.iter().rev() {
        // A translation that overflows in another unit places nothing.
        let scaled = Pose::from_matrix(*part.pose.rotation(), part.pose.translation() * factor);
        poses[part.mesh] = if factor == 1.0 { part.pose } else { scaled.unwrap_or(part.pose) };
    }
    poses
}

/// A mesh as its file describes it.
struct Described<'f> {
    file: &'f Path,
    name: String,
    units: Units,
    /// Factor from the unit of the file to the unit of the report.
    factor: f64,
    polygons: Option<Polygons>,
    /// The pose of the first part with the mesh, in the unit of the report.
    pose: Pose,
    /// The direction up in the frame of the mesh; `None` if its parts have several.
    up: Option<Vec3>,
}

fn inspect_mesh(mesh: TriMesh, of: Described<'_>, arguments: &InspectArguments) -> Result<Inspected, Failure> {
    let Described { file, name, units, factor, polygons, pose, up } = of;
    let bad = |source| Failure::BadMesh { path: file.to_owned(), part: name.clone(), source: Box::new(source) };
    let weld = arguments.reading.weld.in_units(units)?;
    let thin = arguments.thin.map(|thin| thin.in_units("--thin", units)).transpose()?;
    let mesh = if factor == 1.0 { mesh } else { mesh.scaled(factor).map_err(|error| bad(error.into()))? };
    let given = mesh.triangles().to_vec();
    let solid = solidify(mesh, weld).map_err(|error| bad(error.into()))?;
    let mut warnings: Vec<FileNote> = Preparation::of(&solid).notes(file, &name, units.length()).collect();
    let is_turned = solid.turned.triangles > 0;
    let mesh = solid.mesh;
    let topology = Topology::new(&mesh);
    let mut options = CheckOptions {
        max_faults: arguments.limit.max(arguments.faults),
        slicer_gap: slicer_gap(units),
        up,
        ..CheckOptions::default()
    };
    if arguments.convexity {
        options.max_convexity_steps = u64::MAX;
    }
    let report = if is_turned {
        // Faults are the ones of the file: its triangles on the welded vertices.
        let given = TriMesh::new(mesh.vertices().to_vec(), given).map_err(|error| bad(error.into()))?;
        check_over(&Topology::new(&given), &options)
    } else {
        check_over(&topology, &options)
    };
    let CountedOnce { measures, shell_volume } = measure_counted_once(&topology, meets_itself(&report));
    if !measures.are_finite() {
        return Err(Failure::Unmeasurable { path: file.to_owned(), part: name });
    }
    if measures.have_underflowed() {
        let message = "its area, volume or inertia is below 2.3e-308, the least number that 64 bits hold in full: scale \
                       it up, or choose a smaller unit by --unit";
        warnings.push(FileNote::about(file, "underflow", 1, message.to_owned()));
    }
    let facets = polygons.map(|polygons| check_polygons(&mesh, &polygons));
    let thickness = arguments.thickness.map(|method| {
        let method = match method {
            ThicknessChoice::Ball => ThicknessMethod::Ball,
            ThicknessChoice::Ray => ThicknessMethod::Ray,
        };
        let options = ThicknessOptions { method, ..ThicknessOptions::default() };
        wall_thickness(&mesh, &options).map_err(|error| error.to_string())
    });
    let shows_bands = arguments.export.is_some() || arguments.picture.path().is_some();
    let measured = thickness.as_ref().and_then(|thickness| thickness.as_ref().ok()).filter(|_| shows_bands);
    let bands = measured.map_or(Vec::new(), |thickness| heat::bands(&mesh, thickness, thin, units));
    Ok(Inspected {
        file: file.to_owned(),
        name,
        units,
        report,
        measures,
        shell_volume,
        facets,
        thickness,
        bands,
        thin,
        pose,
        warnings,
        mesh,
    })
}

/// Returns the width up to which slicers close a gap in a layer. Slicers take numbers without a unit as millimetres.
fn slicer_gap(units: Units) -> f64 {
    let unit = units.0.unwrap_or(LengthUnit::Millimetre);
    CheckOptions::SLICER_GAP * LengthUnit::Metre.factor_to(unit)
}

/// Tests whether shells of a mesh with these faults may share space.
fn meets_itself(report: &Report) -> bool {
    ["self-intersection", "duplicate-face", "non-manifold-edge"].iter().any(|kind| report.count(kind) > 0)
}
