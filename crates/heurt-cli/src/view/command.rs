//! `heurt view`: shows meshes and assemblies in a browser, or as a picture; a scene or a record is run.
//!
//! In: mesh files, assemblies, assembly files; or one scene, or one record of a run. Out: a page until Ctrl-C, or a PNG
//! file.

use super::ViewArguments;
use crate::check::{AssemblyArguments, BuildOptions, LoadedAssembly, SolidArgument, title_of};
use crate::output::Output;
use crate::picture::PictureArguments;
use crate::section_option::cut_open;
use crate::status::Status;
use crate::targets::Targets;
use crate::{Failure, load, threads};
use clap::Args;
use heurt::geometry::Vec3;
use heurt::view::Surface;
use heurt::view::palette::body_colour;
use heurt::view::picture::{Caption, Drawing};
use rayon::prelude::*;
use std::path::Path;

const EXAMPLES: &str = "\
Examples:
  heurt view gearbox.glb                       in a browser: orbit, pick parts, cut
  heurt view bolt.stl plate.stl                several files
  heurt view assembly.toml --picture out.png   a picture instead of a page
  heurt view part.stl --picture top.png --picture-from top --picture-size 800x600
  heurt view gearbox.glb --picture open.png --section y=0   cut open, with filled cut faces; overlaps are red
  heurt view scenes/dominoes.toml              a scene: as `heurt run scenes/dominoes.toml --view`
  heurt view run.rec                           a record of `heurt run --record`, run again

Exit status: 0 shown, 1 a replay that differs or was ended early, 2 bad input.";

/// Shows meshes, assemblies, scenes and records in a browser, or draws a picture of them.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub(crate) struct ViewFilesArguments {
    #[command(flatten)]
    assembly: AssemblyArguments,
    #[command(flatten)]
    picture: PictureArguments,
    #[command(flatten)]
    page: ViewArguments,
    /// Works on this many threads; 0 is one for each core.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=threads::MOST as i64))]
    threads: Option<u16>,
    /// Prints no progress.
    #[arg(long, short)]
    quiet: bool,
}

/// Shows the inputs of the arguments.
pub(crate) fn run(arguments: &ViewFilesArguments, out: &mut Output) -> Result<Status, Failure> {
    let ViewFilesArguments { assembly: inputs, picture, page, .. } = arguments;
    if let [input] = inputs.inputs.as_slice()
        && let Some(kind) = kind_of(input)
    {
        if let Some(option) = inputs.given() {
            return Err(Failure::OnlyWithParts { option, path: input.clone() });
        }
        return crate::run::show(kind, input, picture, page, arguments.threads, arguments.quiet, out);
    }
    picture.check_name()?;
    let targets = Targets::new(&[("picture", picture.path())])?;
    targets.try_out()?;
    let options = BuildOptions { solid: SolidArgument::Closed, tree: None, quiet: arguments.quiet };
    let assembly = threads::with(arguments.threads, || LoadedAssembly::load(inputs, &options))??;
    assembly.inputs.iter().try_for_each(|input| targets.spare(input))?;
    let mut assembly = assembly;
    assembly.failures.iter().for_each(Failure::report);
    assembly.place_named(&inputs.poses)?;
    if assembly.parts.is_empty() {
        return Err(Failure::NothingToCheck);
    }
    let title = title_of(&inputs.inputs);
    match picture.path() {
        Some(_) => threads::with(arguments.threads, || draw(&assembly, title, picture, arguments.quiet))??,
        None => serve(&assembly, title, page)?,
    }
    Ok(if assembly.failures.is_empty() { Status::Clear } else { Status::BadInput })
}

/// A file that is run rather than loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunnableFile {
    Scene,
    Record,
}

/// Recognizes scenes and records of runs; `None` for all other files.
fn kind_of(path: &Path) -> Option<RunnableFile> {
    if path.is_dir() {
        return None;
    }
    let bytes = load::read_bytes(path).ok()?;
    if bytes.starts_with(b"{\"heurt_record\"") {
        return Some(RunnableFile::Record);
    }
    let is_toml = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"));
    let text = std::str::from_utf8(&bytes).ok().filter(|_| is_toml)?;
    let begins = |line: &str| {
        ["[world]", "[[body]]", "[surgery]", "[crowd]", "[[agents]]"].iter().any(|table| line.trim().starts_with(table))
    };
    text.lines().any(begins).then_some(RunnableFile::Scene)
}

fn draw(assembly: &LoadedAssembly, title: String, picture: &PictureArguments, is_quiet: bool) -> Result<(), Failure> {
    let surfaces: Vec<Surface> = assembly.shapes.par_iter().map(|shape| Surface::of_mesh(shape.mesh())).collect();
    let mut drawing = Drawing::default();
    let numbers: Vec<usize> = surfaces.into_iter().map(|surface| drawing.add_surface(surface)).collect();
    for part in &assembly.parts {
        drawing.add_instance(numbers[part.shape], part.pose, body_colour(part.shape));
    }
    let triangles = assembly.triangle_count();
    let line = match assembly.parts.len() {
        1 => format!("{triangles} triangles"),
        parts => format!("{parts} parts, {triangles} triangles"),
    };
    let unit = assembly.units().symbol().unwrap_or_default().to_owned();
    let bounds = drawing.bounds();
    cut_open(&mut drawing, picture, (&bounds, Vec3::Z), assembly.units())?;
    let caption = Caption { title, lines: vec![line], unit, legend: Vec::new() };
    picture.write(&drawing, &bounds, Vec3::Z, &caption, is_quiet)
}

#[cfg(not(feature = "view"))]
fn serve(_: &LoadedAssembly, _: String, _: &ViewArguments) -> Result<(), Failure> {
    Err(Failure::NoPage { option: "view", help: super::page::HOW_TO_ENABLE })
}

/// Serves the assembly until Ctrl-C.
#[cfg(feature = "view")]
fn serve(assembly: &LoadedAssembly, title: String, page: &ViewArguments) -> Result<(), Failure> {
    use super::{BoundsJson, Hub, Incoming, SceneBodyJson, SceneJson, SceneMeshes, Server};
    use heurt::geometry::Aabb;
    use heurt::view::wire::{FRAME_ENDED, FrameHeader, FrameWriter, write_poses};
    use std::sync::Arc;
    use std::sync::atomic::Ordering;
    use std::time::Duration;

    let mut meshes = SceneMeshes::default();
    let surfaces: Vec<Surface> = assembly.shapes.par_iter().map(|shape| Surface::of_mesh(shape.mesh())).collect();
    let numbers: Vec<Option<usize>> = surfaces.iter().map(|surface| meshes.add(surface)).collect();
    let bounds = assembly.parts.iter().fold(Aabb::EMPTY, |all, part| all.union(part.bounds));
    let bodies = assembly.parts.iter().map(|part| SceneBodyJson {
        name: part.name.clone(),
        kind: "part",
        mesh: numbers[part.shape],
        shape: "mesh",
        mass: None,
        colour: None,
    });
    let scene = SceneJson {
        protocol: 1,
        mode: "files",
        title,
        unit: assembly.units().symbol().unwrap_or_default(),
        read_only: true,
        control: Some(Vec::new()),
        step: 0.0,
        steps: Some(0),
        up: [0.0, 0.0, 1.0],
        bounds: BoundsJson::of(&bounds),
        stages: Vec::new(),
        meshes: meshes.len(),
        bodies: bodies.collect(),
        layers: Vec::new(),
        tint: None,
    };
    let scene = serde_json::to_vec(&scene).map_err(|error| Failure::output(error.into()))?;
    let (hub, events) = Hub::new(scene, meshes.into_bytes());
    let hub = Arc::new(hub);
    let server = Server::start(page, Arc::clone(&hub))?;
    server.announce(page, false);
    let mut frame = FrameWriter::new(&FrameHeader { flags: FRAME_ENDED, rate: 1.0, ..FrameHeader::default() });
    write_poses(&mut frame, assembly.parts.iter().map(|part| &part.pose));
    hub.publish(frame.finish());
    let stop = crate::interrupt::interrupted();
    while !stop.load(Ordering::Relaxed) {
        let Ok(event) = events.recv_timeout(Duration::from_millis(50)) else { continue };
        hub.note_read(&event);
        if let Incoming::Text(viewer, text) = event {
            // Layers and inspection have no effect on files; all else is refused.
            let is_harmless = serde_json::from_str::<serde_json::Value>(&text)
                .is_ok_and(|message| matches!(message["do"].as_str(), Some("layers" | "inspect")));
            if !is_harmless {
                let refusal = r#"{"type":"error","message":"files cannot be moved"}"#;
                hub.reply(viewer, refusal.to_owned());
            }
        }
    }
    Ok(())
}
