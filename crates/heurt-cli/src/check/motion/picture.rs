//! Picture and mesh file of the moved parts where they first meet another part.
//!
//! Method: the moved parts are placed at the time at which they certainly meet; without a contact, at the end of the
//! path. The picture shows them blue, what they meet in the colour of clashes, where they began as a shadow, and the
//! path of the middle of their box.

use super::super::{CheckArguments, LoadedAssembly, notes};
use crate::Failure;
use crate::make::write_model;
use crate::output::Output;
use crate::section_option::cut_open;
use heurt::assembly::{Encounter, Journey, JourneyPath, poses_at};
use heurt::geometry::{Aabb, Pose, Vec3};
use heurt::io::{Model, Part};
use heurt::query::contours;
use heurt::view::Surface;
use heurt::view::palette::{BLUE, CLASH, Colour, UNINVOLVED};
use heurt::view::picture::{Caption, Drawing, LegendEntry};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;

/// Opacity of parts that meet nothing, and of moved parts where they began.
const FAINT: f64 = 0.25;
/// Opacity of moved parts and of what they meet.
const CLEAR: f64 = 0.75;
/// Points of the path.
const STEPS: u32 = 32;

/// A journey, its path and the parts that move.
pub(super) struct Travelled<'a> {
    pub(super) assembly: &'a LoadedAssembly,
    pub(super) journey: &'a Journey,
    pub(super) moved: &'a [usize],
    pub(super) path: &'a JourneyPath,
}

/// Returns the time that is shown: the earliest at which parts certainly meet, or the end.
fn shown_time(journey: &Journey) -> f64 {
    let meets = |found: &Encounter| found.impact.map_or(0.0, |impact| impact.time_upper);
    journey.first().map_or(journey.duration, meets).min(journey.duration)
}

impl Travelled<'_> {
    fn poses(&self, time: f64) -> Result<BTreeMap<usize, Pose>, Failure> {
        Ok(poses_at(self.assembly, self.moved, self.path, time)?.into_iter().collect())
    }

    /// Writes the moved parts and the part that they meet first, in colour, as a mesh file.
    pub(super) fn write_meshes(&self, arguments: &CheckArguments, out: &mut Output) -> Result<(), Failure> {
        let Some(path) = arguments.clashes.as_deref() else { return Ok(()) };
        match self.journey.first() {
            Some(first) => self.write_contact(first, path, out),
            None => notes::report_nothing_to_export(path, arguments.quiet),
        }
    }

    fn write_contact(&self, first: &Encounter, path: &Path, out: &mut Output) -> Result<(), Failure> {
        let assembly = self.assembly;
        let poses = self.poses(shown_time(self.journey))?;
        let mut model = Model { unit: assembly.unit, ..Model::default() };
        let mut number_of: BTreeMap<usize, usize> = BTreeMap::new();
        let met = [(first.still, (assembly.parts[first.still].pose, CLASH))];
        let moved = poses.into_iter().map(|(part, pose)| (part, (pose, BLUE)));
        for (number, (pose, [red, green, blue])) in moved.chain(met) {
            let part = &assembly.parts[number];
            let mesh = *number_of.entry(part.shape).or_insert_with(|| {
                model.meshes.push(assembly.shapes[part.shape].mesh().clone());
                model.meshes.len() - 1
            });
            let colour = Some([red, green, blue, 0xff]);
            model.parts.push(Part { colour, ..Part::new(part.name.clone(), mesh, pose) });
        }
        write_model(&model, path, None, false, out)
    }

    /// Draws the picture and writes it, if a file is named.
    pub(super) fn write_picture(&self, title: String, arguments: &CheckArguments) -> Result<(), Failure> {
        let picture = &arguments.picture.picture;
        if picture.path().is_none() {
            return Ok(());
        }
        let (mut drawing, first) = (Drawing::default(), self.journey.first());
        let poses = self.poses(shown_time(self.journey))?;
        self.add_parts(&mut drawing, &poses, first);
        self.add_path(&mut drawing)?;
        let (bounds, up) = (drawing.bounds(), Vec3::Z);
        if let Some((first, place)) = first.and_then(|first| Some((first, first.place()?))) {
            self.add_curves(&mut drawing, &poses, first);
            let time = first.impact.map_or("at the start".to_owned(), |impact| format!("{:.3} s", impact.time));
            drawing.add_label(place, time, CLASH);
        }
        cut_open(&mut drawing, picture, (&bounds, up), self.assembly.units())?;
        picture.write(&drawing, &bounds, up, &self.caption(title), arguments.quiet)
    }

    fn add_parts(&self, drawing: &mut Drawing, poses: &BTreeMap<usize, Pose>, first: Option<&Encounter>) {
        let shapes = &self.assembly.shapes;
        let surfaces: Vec<Surface> = shapes.par_iter().map(|shape| Surface::of_mesh(shape.mesh())).collect();
        let numbers: Vec<usize> = surfaces.into_iter().map(|surface| drawing.add_surface(surface)).collect();
        for (number, part) in self.assembly.parts.iter().enumerate() {
            let surface = numbers[part.shape];
            match poses.get(&number) {
                Some(pose) => {
                    drawing.add_translucent(surface, part.pose, BLUE, FAINT);
                    drawing.add_translucent(surface, *pose, BLUE, CLEAR);
                }
                None if first.is_some_and(|first| first.still == number) => {
                    drawing.add_translucent(surface, part.pose, CLASH, CLEAR);
                }
                None => drawing.add_translucent(surface, part.pose, UNINVOLVED, FAINT),
            }
        }
    }

    /// Adds the path of the middle of the box of all moved parts, as if it were fixed to the first one, until the time
    /// that is shown.
    fn add_path(&self, drawing: &mut Drawing) -> Result<(), Failure> {
        let Some(first) = self.moved.first() else { return Ok(()) };
        let parts = &self.assembly.parts;
        let bounds = self.moved.iter().fold(Aabb::EMPTY, |all, part| all.union(parts[*part].bounds));
        let start = &parts[*first].pose;
        let end = shown_time(self.journey);
        let middle = start.rotation().transpose() * (bounds.centre() - start.translation());
        let at = |step: u32| -> Result<Vec3, Failure> {
            let poses = self.poses(end * f64::from(step) / f64::from(STEPS))?;
            Ok(poses.get(first).map_or(bounds.centre(), |pose| pose.place(middle)))
        };
        let points = (0..=STEPS).map(at).collect::<Result<Vec<Vec3>, Failure>>()?;
        points.windows(2).for_each(|ends| drawing.add_arrow([ends[0], ends[1]], BLUE));
        Ok(())
    }

    fn add_curves(&self, drawing: &mut Drawing, poses: &BTreeMap<usize, Pose>, first: &Encounter) {
        let Some(pose) = poses.get(&first.moved) else { return };
        let assembly = self.assembly;
        let there = &assembly.parts[first.still].pose;
        for curve in contours(assembly.shape(first.moved), pose, assembly.shape(first.still), there) {
            curve.segments().for_each(|ends| drawing.add_arrow(ends, CLASH));
        }
    }

    fn caption(&self, title: String) -> Caption {
        let entry = |colour: Colour, name: &str| LegendEntry { colour, name: name.to_owned() };
        let name = |part: usize| self.assembly.parts[part].name.as_str();
        let mut legend = vec![entry(BLUE, "moved; faint where it began")];
        let line = match self.journey.first() {
            Some(first) => {
                legend.push(entry(CLASH, "what it meets"));
                let verb = if first.impact.is_some() { "meets" } else { "never separates from" };
                format!("{} {verb} {}", name(first.moved), name(first.still))
            }
            None => "the path is free".to_owned(),
        };
        let unit = self.assembly.units().symbol().unwrap_or_default().to_owned();
        Caption { title, lines: vec![line], unit, legend }
    }
}
