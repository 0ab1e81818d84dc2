//! Picture of an assembly: its parts translucent, and the curves in which they meet.
//!
//! Parts that interfere or are near have the colour of their worst kind; all others are faint and grey. Curves and
//! points of contact are drawn over everything, in the colour of the kind of their pair.

use super::LoadedAssembly;
use super::clashes::worst_kinds;
use super::contours::find_curves;
use crate::Failure;
use crate::picture::PictureArguments;
use heurt::assembly::Findings;
use heurt::geometry::Vec3;
use heurt::query::Polyline;
use heurt::view::Surface;
use heurt::view::palette::{Colour, GREY, PURPLE, SKY, VERMILION, YELLOW, body_colour};
use heurt::view::picture::{Caption, Drawing, LegendEntry};
use rayon::prelude::*;

/// Opacity of parts without a finding, and of parts with one.
const FAINT: f64 = 0.25;
const CLEAR: f64 = 0.5;

/// Draws the assembly and writes the picture, if a file is named.
pub(super) fn write(
    assembly: &LoadedAssembly,
    findings: &Findings,
    title: &str,
    arguments: &PictureArguments,
    is_quiet: bool,
) -> Result<(), Failure> {
    if arguments.path().is_none() {
        return Ok(());
    }
    let surfaces: Vec<Surface> = assembly.shapes.par_iter().map(|shape| Surface::of_mesh(shape.mesh())).collect();
    let mut drawing = Drawing::default();
    let numbers: Vec<usize> = surfaces.into_iter().map(|surface| drawing.add_surface(surface)).collect();
    let worst = worst_kinds(findings);
    let is_clear = worst.is_empty();
    for (number, part) in assembly.parts.iter().enumerate() {
        let surface = numbers[part.shape];
        match worst.get(&number) {
            Some((_, [red, green, blue, _])) => {
                drawing.add_translucent(surface, part.pose, [*red, *green, *blue], CLEAR);
            }
            None if is_clear => drawing.add_instance(surface, part.pose, body_colour(part.shape)),
            None => drawing.add_translucent(surface, part.pose, GREY, FAINT),
        }
    }
    let curves = find_curves(assembly, findings);
    for (found, curves) in findings.list.iter().zip(&curves) {
        let colour = colour_of(found.kind.word());
        curves.iter().for_each(|curve| draw_curve(&mut drawing, curve, colour));
    }
    for near in &findings.near {
        drawing.add_arrow([near.distance.point_a, near.distance.point_b], SKY);
    }
    arguments.write(&drawing, &drawing.bounds(), Vec3::Z, &caption(assembly, findings, title), is_quiet)
}

fn draw_curve(drawing: &mut Drawing, curve: &Polyline, colour: Colour) {
    let points = &curve.points;
    points.windows(2).for_each(|ends| drawing.add_arrow([ends[0], ends[1]], colour));
    if let (true, [first, .., last]) = (curve.closed, points.as_slice()) {
        drawing.add_arrow([*last, *first], colour);
    }
}

/// Returns the colour of a kind, the same as in the report.
fn colour_of(kind: &str) -> Colour {
    match kind {
        "clash" | "duplicate" => VERMILION,
        "inside" => PURPLE,
        "touching" => YELLOW,
        _ => SKY,
    }
}

fn caption(assembly: &LoadedAssembly, findings: &Findings, title: &str) -> Caption {
    let counts = ["duplicate", "clash", "inside", "touching"].map(|kind| (kind, findings.count(kind)));
    let near = ("near", findings.near.len());
    let found = counts.into_iter().chain([near]).filter(|(_, count)| *count > 0);
    let words: Vec<String> = found.clone().map(|(kind, count)| format!("{count} {kind}")).collect();
    let parts = assembly.parts.len();
    let line = match words.is_empty() {
        true => format!("{parts} parts, no interference"),
        false => format!("{parts} parts: {}", words.join(", ")),
    };
    let legend = found.map(|(kind, _)| LegendEntry { colour: colour_of(kind), name: kind.to_owned() }).collect();
    Caption {
        title: title.to_owned(),
        lines: vec![line],
        unit: assembly.units().symbol().unwrap_or_default().to_owned(),
        legend,
    }
}
