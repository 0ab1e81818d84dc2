//! `heurt solid render`: a picture of a CSG tree by ray casting, without a mesh.
//!
//! In: a file with a tree. Out: a PNG file. Each leaf has its colour, so that the wall of a hole has the colour of
//! the drill.
//! Guarantees: the same picture for any number of threads. Curved surfaces are not tessellated.

use super::csg_file::CsgFile;
use crate::picture::{PictureArguments, PictureSize, check_png, direction_parser, write_png};
use crate::progress::Progress;
use crate::status::Status;
use crate::targets::Targets;
use crate::{Failure, threads};
use clap::Args;
use heurt::geometry::{Vec3, ViewRay};
use heurt::query::Ray;
use heurt::shape::Shape;
use heurt::solid::{Csg, CsgLeaf, CsgNode, CsgQuery};
use heurt::view::palette::body_colour;
use heurt::view::picture::{Caption, CastPoint, Direction, cast_picture};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

const EXAMPLES: &str = "\
Examples:
  heurt solid render drilled.csg -o drilled.png
  heurt solid render bracket.json -o bracket.png --picture-size 800x600 --picture-from top

Exit status: 0 done, 2 bad input.";

/// Draws a CSG tree by ray casting.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub(super) struct RenderArguments {
    /// The tree: .csg (OpenSCAD), .json or .toml.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The picture to write.
    #[arg(long, short, value_name = "FILE.png")]
    output: PathBuf,
    /// Width and height of the picture in pixels.
    #[arg(long, value_name = "WxH", default_value = "1600x1000")]
    picture_size: PictureSize,
    /// The side from which the picture is taken; z is up.
    #[arg(long, value_name = "SIDE", default_value = "isometric", value_parser = direction_parser())]
    picture_from: Direction,
    /// Prints no progress.
    #[arg(long, short)]
    quiet: bool,
    /// Works on this many threads; 0 is one for each core.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=threads::MOST as i64))]
    threads: Option<u16>,
}

/// Draws the tree of the arguments.
pub(super) fn run(arguments: &RenderArguments) -> Result<Status, Failure> {
    check_png("output", &arguments.output)?;
    let targets = Targets::new(&[("output", Some(&arguments.output))])?;
    targets.try_out()?;
    targets.spare(&arguments.file)?;
    let file = CsgFile::read(&arguments.file, arguments.threads)?;
    file.inputs.iter().try_for_each(|input| targets.spare(input))?;
    threads::with(arguments.threads, || render(arguments, &file))?
}

fn render(arguments: &RenderArguments, file: &CsgFile) -> Result<Status, Failure> {
    let refuse = |reason: String| Failure::BadCsg { path: arguments.file.clone(), line: None, reason };
    if let Some(leaf) = first_open_surface(&file.tree) {
        return Err(refuse(format!(
            "leaf {leaf} is a surface without an inside: close it with `heurt repair`, or take a solid"
        )));
    }
    let bounds = file.tree.bounds().map_err(|error| refuse(error.to_string()))?;
    let query = CsgQuery::new(&file.tree.simplified().balanced());
    let colours = colours_of(&query);
    let is_seen = AtomicBool::new(false);
    let cast = |ray: &ViewRay| {
        let ray = Ray::new(ray.origin, ray.direction, f64::INFINITY).ok()?;
        let hit = query.first_hit(&ray)?;
        is_seen.store(true, Ordering::Relaxed);
        let colour = hit.leaf.and_then(|leaf| colours.get(leaf as usize).copied());
        Some(CastPoint { normal: hit.normal, colour: colour.unwrap_or(body_colour(0)) })
    };
    let view = PictureArguments {
        picture: Some(arguments.output.clone()),
        picture_size: arguments.picture_size,
        picture_from: arguments.picture_from,
        ..PictureArguments::default()
    };
    let size = view.size();
    let camera = view.camera(&bounds, Vec3::Z, size)?;
    let title = arguments.file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let leaves = file.leaves();
    let caption = Caption {
        title,
        lines: vec![format!("{leaves} {}", if leaves == 1 { "leaf" } else { "leaves" })],
        unit: file.units.symbol().unwrap_or_default().to_owned(),
        legend: Vec::new(),
    };
    let progress = Progress::new("casting rays", size[1] as u64, arguments.quiet);
    let image = cast_picture(&camera, size, &caption, &cast, &|| progress.step());
    drop(progress);
    if !is_seen.into_inner() && !arguments.quiet {
        // A note for people: a closed standard error is no failure.
        let _ = writeln!(io::stderr(), "no ray meets the solid: the picture shows the background only");
    }
    write_png(&arguments.output, &image)?;
    Ok(Status::Clear)
}

/// Returns the number, from 1, of the first leaf that no ray can show.
fn first_open_surface(tree: &Csg) -> Option<usize> {
    let mut leaves = tree.nodes().filter_map(|node| match node {
        CsgNode::Leaf(leaf) => Some(leaf),
        _ => None,
    });
    let is_open = |leaf: &CsgLeaf| matches!(leaf, CsgLeaf::Shape(Shape::Mesh(mesh)) if !mesh.is_solid());
    leaves.position(is_open).map(|index| index + 1)
}

/// Returns the colour of each node: leaves are numbered in their order.
fn colours_of(query: &CsgQuery) -> Vec<heurt::view::palette::Colour> {
    let mut leaves = 0;
    let colour = |node: &CsgNode| {
        let number = leaves;
        leaves += usize::from(matches!(node, CsgNode::Leaf(_)));
        body_colour(number)
    };
    query.tree().nodes().map(colour).collect()
}
