//! Picture of an assembly: its parts translucent, the curves in which they meet, and the numbers of the findings.
//!
//! Method: the first findings of the table, which are the deepest, have colours and numbers. Their parts have the
//! colour of their worst kind, or each pair has a colour; all other parts are faint and grey. Curves and points of
//! contact are drawn over everything.

use super::LoadedAssembly;
use super::colours::{of_word, worst_kinds};
use super::contours::find_curves;
use crate::Failure;
use crate::picture::PictureArguments;
use crate::section_option::cut_findings_open;
use clap::{Args, ValueEnum};
use heurt::assembly::Findings;
use heurt::geometry::Vec3;
use heurt::query::Polyline;
use heurt::view::Surface;
use heurt::view::palette::{Colour, NEAR, UNINVOLVED, body_colour, pair_colour};
use heurt::view::picture::{Caption, Drawing, LegendEntry};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Opacity of parts without a finding, and of parts with one.
const FAINT: f64 = 0.25;
const CLEAR: f64 = 0.5;
/// Colour of a part without a finding in a section.
const PLAIN: Colour = [0xdc, 0xe0, 0xe4];
/// Colour of a part that several pairs of different colours share.
const SHARED: Colour = [0xb8, 0xc0, 0xc8];

/// Arguments of the picture of a check.
#[derive(Debug, Clone, Args)]
pub(crate) struct ClashPictureArguments {
    #[command(flatten)]
    pub(crate) picture: PictureArguments,
    /// Shows this many findings in colour and with their numbers in the table, the deepest first; the rest is grey.
    #[arg(long, value_name = "N", default_value_t = 20, help_heading = "Picture")]
    pub(crate) picture_pairs: usize,
    /// Colours findings by their kind, or gives each pair a colour of its own.
    #[arg(long, value_name = "BY", value_enum, default_value_t = ColourBy::Kind, help_heading = "Picture")]
    pub(crate) picture_colours: ColourBy,
}

/// The meaning of the colours of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColourBy {
    /// Clash, inside, touching, near.
    Kind,
    /// The pairs: parts of several pairs stay grey.
    Pair,
}

/// A finding as the picture shows it.
struct ShownFinding {
    parts: [usize; 2],
    place: Vec3,
    kind: Colour,
}

/// Draws the assembly and writes the picture, if a file is named.
pub(super) fn write(
    assembly: &LoadedAssembly,
    findings: &Findings,
    title: &str,
    arguments: &ClashPictureArguments,
    is_quiet: bool,
) -> Result<(), Failure> {
    let picture = &arguments.picture;
    if picture.path().is_none() {
        return Ok(());
    }
    let shown = shown_findings(findings, arguments.picture_pairs);
    let colour_of = |number: usize| match arguments.picture_colours {
        ColourBy::Kind => shown[number].kind,
        ColourBy::Pair => pair_colour(number),
    };
    let of_parts = match arguments.picture_colours {
        ColourBy::Kind => {
            worst_kinds(findings, shown.len()).into_iter().map(|(part, (_, kind))| (part, kind)).collect()
        }
        ColourBy::Pair => colours_of_pairs(&shown),
    };
    let mut drawing = Drawing::default();
    add_parts(&mut drawing, assembly, &of_parts, picture.section.is_some());
    let drawn = &findings.list[..findings.list.len().min(shown.len())];
    for (number, curves) in find_curves(assembly, drawn).iter().enumerate() {
        curves.iter().for_each(|curve| draw_curve(&mut drawing, curve, colour_of(number), picture.section.is_some()));
    }
    for (near, number) in findings.near.iter().zip(findings.list.len()..shown.len()) {
        drawing.add_arrow([near.distance.point_a, near.distance.point_b], colour_of(number));
    }
    let (bounds, up) = (drawing.bounds(), Vec3::Z);
    for (number, found) in shown.iter().enumerate() {
        drawing.add_label(found.place, (number + 1).to_string(), colour_of(number));
    }
    // Also a finding without a number has a place.
    let place = |number: usize| shown_findings(findings, number).get(number - 1).map(|found| found.place);
    let colours: BTreeMap<[usize; 2], Colour> =
        shown.iter().enumerate().map(|(number, found)| (found.parts, colour_of(number))).collect();
    let overlap =
        |a: usize, b: usize| colours.get(&[a, b]).or_else(|| colours.get(&[b, a])).copied().unwrap_or(UNINVOLVED);
    cut_findings_open(&mut drawing, picture, (&bounds, up), assembly.units(), (&place, &overlap))?;
    let caption = caption(assembly, findings, title, arguments);
    picture.write(&drawing, &bounds, up, &caption, is_quiet)
}

/// Lists the first findings in the order of the table.
fn shown_findings(findings: &Findings, most: usize) -> Vec<ShownFinding> {
    let interferences = findings.list.iter().map(|found| ShownFinding {
        parts: [found.a, found.b],
        place: found.place(),
        kind: of_word(found.kind.word()).1,
    });
    let near =
        findings.near.iter().map(|near| ShownFinding { parts: [near.a, near.b], place: near.place(), kind: NEAR });
    interferences.chain(near).take(most).collect()
}

/// Returns the colours of parts if each pair has one.
fn colours_of_pairs(shown: &[ShownFinding]) -> BTreeMap<usize, Colour> {
    let mut colours = BTreeMap::new();
    for (number, found) in shown.iter().enumerate() {
        for part in found.parts {
            colours.entry(part).and_modify(|colour| *colour = SHARED).or_insert(pair_colour(number));
        }
    }
    colours
}

/// Adds all parts: clear with the colours of findings, faint without one, opaque if no part has one. In a section they
/// are opaque, and those with a finding have muted colours: there the overlaps have the colours of findings.
fn add_parts(drawing: &mut Drawing, assembly: &LoadedAssembly, colours: &BTreeMap<usize, Colour>, is_cut: bool) {
    let surfaces: Vec<Surface> = assembly.shapes.par_iter().map(|shape| Surface::of_mesh(shape.mesh())).collect();
    let numbers: Vec<usize> = surfaces.into_iter().map(|surface| drawing.add_surface(surface)).collect();
    for (number, part) in assembly.parts.iter().enumerate() {
        let surface = numbers[part.shape];
        match colours.get(&number) {
            Some(_) if is_cut => drawing.add_instance(surface, part.pose, body_colour(number)),
            None if is_cut => drawing.add_instance(surface, part.pose, PLAIN),
            Some(colour) => drawing.add_translucent(surface, part.pose, *colour, CLEAR),
            None if colours.is_empty() => drawing.add_instance(surface, part.pose, body_colour(part.shape)),
            None => drawing.add_translucent(surface, part.pose, UNINVOLVED, FAINT),
        }
    }
}

/// Draws a curve over everything; in a section, parts hide it, so that it is where it seems to be.
fn draw_curve(drawing: &mut Drawing, curve: &Polyline, colour: Colour, is_cut: bool) {
    let draw = |ends| if is_cut { drawing.add_line(ends, colour) } else { drawing.add_arrow(ends, colour) };
    curve.segments().for_each(draw);
}

fn caption(assembly: &LoadedAssembly, findings: &Findings, title: &str, arguments: &ClashPictureArguments) -> Caption {
    let counts = ["duplicate", "clash", "inside", "touching"].map(|kind| (kind, findings.count(kind)));
    let near = ("near", findings.near.len());
    let found = counts.into_iter().chain([near]).filter(|(_, count)| *count > 0);
    let words: Vec<String> = found.clone().map(|(kind, count)| format!("{count} {kind}")).collect();
    let parts = assembly.parts.len();
    let mut lines = vec![match words.is_empty() {
        true => format!("{parts} parts, no interference"),
        false => format!("{parts} parts: {}", words.join(", ")),
    }];
    let (all, most) = (findings.list.len() + findings.near.len(), arguments.picture_pairs);
    if all > most {
        lines.push(format!("{most} of {all} are shown, the deepest first"));
    }
    let legend = match arguments.picture_colours {
        ColourBy::Kind => {
            found.map(|(kind, _)| LegendEntry { colour: of_word(kind).1, name: kind.to_owned() }).collect()
        }
        ColourBy::Pair => Vec::new(),
    };
    let unit = assembly.units().symbol().unwrap_or_default().to_owned();
    Caption { title: title.to_owned(), lines, unit, legend }
}
