//! Pictures of maps: cells in colours, their edges, and points and lines over them.
//!
//! Method: a face is drawn if it borders one coloured cell only; edges are drawn of all cells. A plane is seen from
//! above unless another side is named.

use super::results::MapOutput;
use crate::section_option::cut_open;
use crate::units::Units;
use crate::{Failure, threads};
use heurt::geometry::{DrawSink, Meaning, Pose, Vec3};
use heurt::map::placed::PlacedMap;
use heurt::mesh::TriMesh;
use heurt::view::Surface;
use heurt::view::palette::{Colour, meaning_colour};
use heurt::view::picture::{Caption, Direction, Drawing, LegendEntry};
use std::collections::{BTreeMap, BTreeSet};

/// How a cell is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Paint {
    /// In a colour.
    Colour(Colour),
    /// As ground.
    Plain,
    /// By its edges.
    Wire,
}

/// The colour of cells without a meaning.
const PLAIN: Colour = [0xe2, 0xe6, 0xea];

/// A picture of a map.
pub(super) struct CellPicture<'a> {
    placed: &'a PlacedMap,
    title: String,
    units: Units,
    pub(super) lines: Vec<String>,
    pub(super) legend: Vec<LegendEntry>,
    pub(super) points: Vec<(Vec3, Meaning)>,
    /// Lines that nothing hides.
    pub(super) arrows: Vec<([Vec3; 2], Colour)>,
}

impl<'a> CellPicture<'a> {
    pub(super) fn new(placed: &'a PlacedMap, title: String, units: Units) -> Self {
        let (lines, legend, points, arrows) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { placed, title, units, lines, legend, points, arrows }
    }

    /// Draws the picture and writes it, if a file is named. `paint` is called with the place of each cell in the order
    /// of their numbers.
    pub(super) fn write(self, paint: &dyn Fn(usize) -> Paint, results: &MapOutput) -> Result<(), Failure> {
        let mut arguments = results.picture.clone();
        if arguments.path().is_none() {
            return Ok(());
        }
        if self.placed.is_plane() && arguments.picture_from == Direction::Isometric {
            arguments.picture_from = Direction::Top;
        }
        let mut drawing = Drawing::default();
        self.draw_cells(paint, &mut drawing);
        for &(at, meaning) in &self.points {
            drawing.draw_point(at, meaning);
        }
        for &(ends, colour) in &self.arrows {
            drawing.add_arrow(ends, colour);
        }
        let bounds = drawing.bounds();
        cut_open(&mut drawing, &arguments, (&bounds, Vec3::Z), self.units)?;
        let unit = self.units.symbol().unwrap_or_default().to_owned();
        let caption = Caption { title: self.title, lines: self.lines, unit, legend: self.legend };
        let is_quiet = results.quiet || results.json;
        threads::with(results.threads, || arguments.write(&drawing, &bounds, Vec3::Z, &caption, is_quiet))?
    }

    /// Adds the visible faces, a surface for each colour, and all edges.
    fn draw_cells(&self, paint: &dyn Fn(usize) -> Paint, drawing: &mut Drawing) {
        let points = &self.placed.points;
        let mut edges: BTreeSet<[u32; 2]> = BTreeSet::new();
        // By corners: the colour and the corners in order, while one coloured cell alone has the face.
        let mut visible: BTreeMap<Vec<u32>, Option<(Colour, Vec<u32>)>> = BTreeMap::new();
        for (at, faces) in self.placed.cells().faces().into_iter().enumerate() {
            let colour = match paint(at) {
                Paint::Colour(colour) => Some(colour),
                Paint::Plain => Some(PLAIN),
                Paint::Wire => None,
            };
            for corners in faces {
                let next = corners.iter().cycle().skip(1);
                edges.extend(corners.iter().zip(next).map(|(&a, &b)| [a.min(b), a.max(b)]));
                let Some(colour) = colour else { continue };
                let mut key = corners.clone();
                key.sort_unstable();
                visible.entry(key).and_modify(|face| *face = None).or_insert(Some((colour, corners)));
            }
        }
        let mut by_colour: BTreeMap<Colour, Vec<Vec<u32>>> = BTreeMap::new();
        for (colour, corners) in visible.into_values().flatten() {
            by_colour.entry(colour).or_default().push(corners);
        }
        for (colour, polygons) in by_colour {
            let Ok(cut) = TriMesh::from_polygons(points.clone(), polygons) else { continue };
            let (vertices, triangles) = (points.clone(), cut.mesh.triangles().to_vec());
            let surface = drawing.add_surface(Surface { vertices, triangles, edges: Vec::new() });
            drawing.add_instance(surface, Pose::IDENTITY, colour);
        }
        for [a, b] in edges {
            drawing.add_line([a, b].map(|vertex| points[vertex as usize]), meaning_colour(Meaning::Edge));
        }
    }
}
