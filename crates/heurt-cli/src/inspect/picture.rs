//! Picture of inspected meshes in a row, with their feature edges and faults.

use super::Inspected;
use crate::Failure;
use crate::picture::PictureArguments;
use crate::section_option::cut_open;
use heurt::geometry::{Draw, PlacedSink, Pose, Vec3};
use heurt::mesh::FaultMarks;
use heurt::view::Surface;
use heurt::view::palette::{VERMILION, body_colour};
use heurt::view::picture::{Caption, Drawing, LegendEntry};
use std::collections::BTreeSet;

/// Distance between two meshes, as a share of the extent of the first one.
const GAP: f64 = 0.15;

/// Draws the meshes in a row along x and writes the picture, if a file is named and a mesh was read.
pub(super) fn write(all: &[Inspected], arguments: &PictureArguments, is_quiet: bool) -> Result<(), Failure> {
    if arguments.path().is_none() || all.is_empty() {
        return Ok(());
    }
    let mut drawing = Drawing::default();
    let (mut right, mut legend): (Option<f64>, Vec<LegendEntry>) = (None, Vec::new());
    for (number, inspected) in all.iter().enumerate() {
        let Inspected { mesh, report, .. } = inspected;
        let bounds = mesh.bounds();
        let left = bounds.min.x;
        let offset = right.map_or(0.0, |right| right - left);
        let Ok(pose) = Pose::from_translation(Vec3::X * offset) else { continue };
        right = Some(bounds.max.x + offset + GAP * (bounds.max - bounds.min).max_element());
        let mut surface = Surface::of_mesh(mesh);
        let mut in_bands: BTreeSet<[u32; 3]> = BTreeSet::new();
        for band in &inspected.bands {
            let triangles: Vec<[u32; 3]> =
                band.triangles.iter().map(|&triangle| mesh.triangles()[triangle as usize]).collect();
            in_bands.extend(&triangles);
            let part = Surface { vertices: mesh.vertices().to_vec(), triangles, edges: Vec::new() };
            let part = drawing.add_surface(part);
            drawing.add_instance(part, pose, band.colour);
            let entry = LegendEntry { colour: band.colour, name: band.name.clone() };
            if !legend.contains(&entry) {
                legend.push(entry);
            }
        }
        surface.triangles.retain(|corners| !in_bands.contains(corners));
        let surface = drawing.add_surface(surface);
        drawing.add_instance(surface, pose, body_colour(number));
        FaultMarks { mesh, faults: &report.faults }.draw(&mut PlacedSink { pose, sink: &mut drawing });
    }
    let bounds = drawing.bounds();
    cut_open(&mut drawing, arguments, (&bounds, Vec3::Z), all[0].units)?;
    arguments.write(&drawing, &bounds, Vec3::Z, &caption(all, legend), is_quiet)
}

fn caption(all: &[Inspected], mut legend: Vec<LegendEntry>) -> Caption {
    let faults: usize = all.iter().flat_map(|inspected| &inspected.report.counts).map(|count| count.count).sum();
    let first = &all[0];
    let file = first.file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let (title, triangles) = match all {
        [one] => (file, format!("{} triangles", one.mesh.triangles().len())),
        _ => (format!("{file}, {} meshes", all.len()), String::new()),
    };
    let counts = all.iter().flat_map(|inspected| &inspected.report.counts);
    let mut lines: Vec<String> = counts.take(6).map(|count| format!("{} x {}", count.count, count.kind)).collect();
    lines.insert(
        0,
        if triangles.is_empty() { format!("{faults} faults") } else { format!("{triangles}, {faults} faults") },
    );
    let is_same_unit = all.iter().all(|inspected| inspected.units.0 == first.units.0);
    let unit = first.units.symbol().filter(|_| is_same_unit).unwrap_or_default().to_owned();
    if faults > 0 {
        legend.push(LegendEntry { colour: VERMILION, name: "fault".to_owned() });
    }
    Caption { title, lines, unit, legend }
}
