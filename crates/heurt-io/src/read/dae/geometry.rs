//! A COLLADA geometry: positions, and faces of all primitives of its mesh.
//!
//! In: a `<geometry>`. Out: a [`Shape`], or nothing if it has no face. Method: an input with semantic VERTEX names the
//! `<vertices>`, whose POSITION input names a source; its accessor states where X, Y and Z are in the array of numbers.
//! Polygons with holes become triangles; those whose holes touch anything are refused.
//! Guarantees: faces in file order; counts are never trusted; indices are in range; each parsed number and corner takes
//! from the budget, as sources may be shared. Cost: O(bytes of the geometry).

use super::document::{DaeDocument, Id};
use crate::ReadError;
use crate::read::assembly::Shape;
use crate::read::budget::{Budget, TRIANGLE, VERTEX};
use crate::read::faces;
use crate::read::warnings::{SMALL_FACES, Warnings};
use heurt_geometry::Vec3;
use heurt_mesh::{MeshError, triangulate_with_holes};
use std::collections::BTreeMap;

/// Reads a geometry.
pub(super) fn read(
    document: &DaeDocument<'_>,
    geometry: Id,
    budget: &mut Budget,
    warnings: &mut Warnings,
) -> Result<Option<Shape>, ReadError> {
    let Some(mesh) = document.child(geometry, "mesh") else {
        let (what, remedy) = ("geometries without a mesh", "export them as meshes");
        warnings.skip(what, remedy, || document.place(geometry), &document.label(geometry))?;
        return Ok(None);
    };
    let mut builder =
        Builder { document, geometry, budget, warnings, runs: BTreeMap::new(), faces: DaeFaces::default() };
    for primitive in document.children(mesh) {
        builder.read_primitive(primitive)?;
    }
    let DaeFaces { vertices, corners, ends } = builder.faces;
    if ends.is_empty() {
        return Ok(None);
    }
    let (mesh, polygons) = faces::mesh(vertices, corners, ends, &document.place(geometry))?;
    Ok(Some(Shape { mesh, polygons }))
}

/// Vertices, and faces of three or more corners.
#[derive(Default)]
struct DaeFaces {
    vertices: Vec<Vec3>,
    corners: Vec<u32>,
    /// The end of each face in `corners`.
    ends: Vec<usize>,
}

struct Builder<'a, 'b> {
    document: &'a DaeDocument<'b>,
    /// Sources are searched below it first.
    geometry: Id,
    budget: &'a mut Budget,
    warnings: &'a mut Warnings,
    /// First vertex and number of vertices of each source: the primitives of a mesh share them.
    runs: BTreeMap<Id, (u32, usize)>,
    faces: DaeFaces,
}

/// How indices of a primitive are laid out.
#[derive(Clone, Copy)]
struct InputLayout {
    /// Numbers for each corner.
    stride: usize,
    /// Which of them is the vertex.
    offset: usize,
    /// The first vertex of the source in `vertices`.
    base: u32,
    /// The number of vertices of the source.
    count: usize,
}

impl Builder<'_, '_> {
    fn read_primitive(&mut self, primitive: Id) -> Result<(), ReadError> {
        let document = self.document;
        let kind = document.name(primitive);
        if !["triangles", "polylist", "polygons", "trifans", "tristrips"].contains(&kind) {
            return Ok(());
        }
        let Some(layout) = self.layout(primitive)? else {
            // A primitive without corners needs no inputs.
            return match document.children(primitive).find(|&child| !document.text(child).is_empty()) {
                Some(_) => Err(ReadError::syntax(document.place(primitive), b"", "an input with semantic VERTEX")),
                None => Ok(()),
            };
        };
        if kind == "polylist" {
            return self.read_polylist(primitive, layout);
        }
        let mut read = 0;
        for list in document.children(primitive) {
            match (document.name(list), kind) {
                ("p", "triangles") => read += self.read_triangles(list, layout)?,
                ("p", "polygons") => self.read_polygon(list, layout)?,
                ("ph", "polygons") => self.read_holed(list, layout)?,
                ("p", _) => self.read_strip(list, layout, kind == "trifans")?,
                _ => {}
            }
        }
        let promised = document.whole(primitive, "count", 0)?;
        if kind == "triangles" && promised > read {
            let (promised, present) = (promised as u64, read as u64);
            return Err(ReadError::Truncated {
                place: document.place(primitive),
                what: "triangles",
                promised,
                present,
            });
        }
        Ok(())
    }

    /// Reads the inputs of a primitive, and the vertices that they name unless they are known; `None` without vertices.
    fn layout(&mut self, primitive: Id) -> Result<Option<InputLayout>, ReadError> {
        let document = self.document;
        let (mut stride, mut found) = (0, None);
        for input in document.children(primitive).filter(|&child| document.name(child) == "input") {
            let offset = document.whole(input, "offset", 0)?;
            stride = stride.max(offset.saturating_add(1));
            let source = match document.attribute(input, "semantic").as_deref() {
                Some("VERTEX") => match document.target_in(self.geometry, input, "source", "vertices")? {
                    Some(vertices) => self.position(vertices)?,
                    None => None,
                },
                // Some old exporters leave <vertices> out.
                Some("POSITION") => document.target_in(self.geometry, input, "source", "source")?,
                _ => None,
            };
            if let Some(source) = source {
                found = Some((offset, source));
            }
        }
        let Some((offset, source)) = found else { return Ok(None) };
        let (base, count) = self.run(source)?;
        Ok(Some(InputLayout { stride, offset, base, count }))
    }

    /// Returns the source of the positions of a `<vertices>`.
    fn position(&mut self, vertices: Id) -> Result<Option<Id>, ReadError> {
        let document = self.document;
        for input in document.children(vertices) {
            self.budget.take(1 + document.tag_size(input) as u64, || document.place(vertices))?;
            if document.name(input) == "input" && document.attribute(input, "semantic").as_deref() == Some("POSITION") {
                return document.target_in(self.geometry, input, "source", "source");
            }
        }
        Err(ReadError::syntax(document.place(vertices), b"", "an input with semantic POSITION"))
    }

    /// Finds a child of a shared element by its name; the search takes from the budget.
    fn child(&mut self, element: Id, name: &str) -> Result<Option<Id>, ReadError> {
        let document = self.document;
        for child in document.children(element) {
            self.budget.take(1, || document.place(element))?;
            if document.name(child) == name {
                return Ok(Some(child));
            }
        }
        Ok(None)
    }

    /// Appends the points of a source, once; returns where they begin and how many they are.
    fn run(&mut self, source: Id) -> Result<(u32, usize), ReadError> {
        if let Some(&run) = self.runs.get(&source) {
            return Ok(run);
        }
        let points = self.points(source)?;
        let count = self.faces.vertices.len() + points.len();
        if count > u32::MAX as usize {
            let cause = MeshError::TooLarge { what: "vertices", count, max: u32::MAX as usize };
            return Err(ReadError::Mesh { place: self.document.place(source), cause });
        }
        let run = (self.faces.vertices.len() as u32, points.len());
        self.faces.vertices.extend(points);
        self.runs.insert(source, run);
        Ok(run)
    }

    /// Reads the points of a source.
    fn points(&mut self, source: Id) -> Result<Vec<Vec3>, ReadError> {
        let document = self.document;
        let technique = self.child(source, "technique_common")?;
        let accessor = match technique {
            Some(technique) => self.child(technique, "accessor")?,
            None => None,
        };
        let Some(accessor) = accessor else {
            return Err(ReadError::syntax(document.place(source), b"", "an <accessor> in <technique_common>"));
        };
        let Some(array) = document.target_in(self.geometry, accessor, "source", "float_array")? else {
            return Err(ReadError::syntax(document.place(accessor), b"", "the attribute source"));
        };
        let mut numbers = Vec::new();
        for word in document.text(array).split_ascii_whitespace() {
            // Two words of memory for a number.
            self.budget.take(2, || document.place(array))?;
            numbers.push(document.finite(array, word)?);
        }
        let [count, offset] = [document.whole(accessor, "count", 0)?, document.whole(accessor, "offset", 0)?];
        let stride = document.whole(accessor, "stride", 1)?;
        let axes = self.axes(accessor)?;
        // The last number of the last point.
        let widest = axes.iter().copied().max().unwrap_or(0);
        let needed =
            count.checked_sub(1).map(|last| last.saturating_mul(stride).saturating_add(offset).saturating_add(widest));
        if let Some(needed) = needed.filter(|&needed| needed >= numbers.len()) {
            let (promised, present) = ((needed as u64).saturating_add(1), numbers.len() as u64);
            return Err(ReadError::Truncated { place: document.place(array), what: "numbers", promised, present });
        }
        // A stride of 0 gives the same point any number of times.
        self.budget.take((count as u64).saturating_mul(VERTEX), || document.place(accessor))?;
        let point = |index: usize| Vec3::from_array(axes.map(|axis| numbers[offset + index * stride + axis]));
        Ok((0..count).map(point).collect())
    }

    /// Returns where X, Y and Z are in the numbers of a point: by name, else the first three that have a name; without
    /// any parameter, the first three.
    fn axes(&mut self, accessor: Id) -> Result<[usize; 3], ReadError> {
        let document = self.document;
        let sizes = document.children(accessor).map(|child| 1 + document.tag_size(child) as u64);
        let visited = document.tag_size(accessor) as u64 + sizes.sum::<u64>();
        self.budget.take(visited, || document.place(accessor))?;
        let params = document.children(accessor).filter(|&child| document.name(child) == "param");
        let names: Vec<String> = params.map(|param| document.attribute(param, "name").unwrap_or_default()).collect();
        if names.is_empty() {
            return Ok([0, 1, 2]);
        }
        let named = ["X", "Y", "Z"].map(|axis| names.iter().position(|name| name == axis));
        let mut given = names.iter().enumerate().filter(|(_, name)| !name.is_empty()).map(|(index, _)| index);
        let first = [given.next(), given.next(), given.next()];
        for axes in [named, first] {
            if let [Some(x), Some(y), Some(z)] = axes {
                return Ok([x, y, z]);
            }
        }
        let found = names.join(" ");
        Err(ReadError::syntax(document.place(accessor), found.as_bytes(), "the parameters X, Y and Z"))
    }

    /// Reads a vertex index.
    fn corner(&mut self, list: Id, word: &str, layout: InputLayout) -> Result<u32, ReadError> {
        let document = self.document;
        // A corner, and a triangle for each in strips and fans.
        self.budget.take(1 + TRIANGLE, || document.place(list))?;
        let Ok(index) = word.parse::<i64>() else {
            return Err(ReadError::syntax(document.place_of(list, word), word.as_bytes(), "an index"));
        };
        match usize::try_from(index) {
            Ok(vertex) if vertex < layout.count => Ok(layout.base + vertex as u32),
            _ => {
                Err(ReadError::BadIndex { place: document.place_of(list, word), index, first: 0, count: layout.count })
            }
        }
    }

    /// Reads all vertex indices of a list.
    fn corners(&mut self, list: Id, layout: InputLayout) -> Result<Vec<u32>, ReadError> {
        let document = self.document;
        let (mut corners, mut count) = (Vec::new(), 0);
        for word in document.text(list).split_ascii_whitespace() {
            if count % layout.stride == layout.offset {
                corners.push(self.corner(list, word, layout)?);
            }
            count += 1;
        }
        if count % layout.stride != 0 {
            let (found, expected) = (format!("{count} numbers"), format!("{} for each corner", layout.stride));
            return Err(ReadError::syntax(document.place(list), found.as_bytes(), expected));
        }
        Ok(corners)
    }

    /// Reads triangles and returns how many.
    fn read_triangles(&mut self, list: Id, layout: InputLayout) -> Result<usize, ReadError> {
        let corners = self.corners(list, layout)?;
        let (triangles, rest) = corners.as_chunks::<3>();
        if !rest.is_empty() {
            let found = format!("{} corners", corners.len());
            return Err(ReadError::syntax(self.document.place(list), found.as_bytes(), "three for each triangle"));
        }
        triangles.iter().for_each(|triangle| self.push_face(triangle));
        Ok(triangles.len())
    }

    fn read_polygon(&mut self, list: Id, layout: InputLayout) -> Result<(), ReadError> {
        let corners = self.corners(list, layout)?;
        self.push_polygon(&corners, list)
    }

    /// Reads a polygon with holes, as triangles.
    fn read_holed(&mut self, list: Id, layout: InputLayout) -> Result<(), ReadError> {
        let document = self.document;
        let (mut outline, mut holes) = (None, Vec::new());
        for child in document.children(list) {
            match document.name(child) {
                "p" if outline.is_none() => outline = Some((child, self.corners(child, layout)?)),
                "h" => {
                    let hole = self.corners(child, layout)?;
                    if hole.len() >= 3 {
                        holes.push(hole);
                    } else {
                        self.push_polygon(&hole, child)?;
                    }
                }
                _ => {}
            }
        }
        let Some((child, outline)) = outline else {
            return Err(ReadError::syntax(document.place(list), b"", "an outline <p> in <ph>"));
        };
        if holes.is_empty() || outline.len() < 3 {
            return self.push_polygon(&outline, child);
        }
        match triangulate_with_holes(&self.faces.vertices, &outline, &holes) {
            Some(triangles) => triangles.iter().for_each(|triangle| self.push_face(triangle)),
            None => {
                let what = "a polygon whose holes touch or cross its outline or each other".to_owned();
                let remedy = "triangulate the polygons before the export";
                return Err(ReadError::Unsupported { place: document.place(list), what, remedy });
            }
        }
        Ok(())
    }

    /// Reads the triangles of a fan, or of a strip, of which every second one is reversed.
    fn read_strip(&mut self, list: Id, layout: InputLayout, is_fan: bool) -> Result<(), ReadError> {
        let corners = self.corners(list, layout)?;
        for (number, &[a, b, c]) in corners.array_windows().enumerate() {
            match (is_fan, number % 2) {
                (true, _) => self.push_face(&[corners[0], b, c]),
                (false, 0) => self.push_face(&[a, b, c]),
                (false, _) => self.push_face(&[a, c, b]),
            }
        }
        Ok(())
    }

    fn read_polylist(&mut self, primitive: Id, layout: InputLayout) -> Result<(), ReadError> {
        let document = self.document;
        let Some(list) = document.child(primitive, "p") else { return Ok(()) };
        let Some(sizes) = document.child(primitive, "vcount") else {
            return Err(ReadError::syntax(document.place(primitive), b"", "the element <vcount>"));
        };
        let corners = self.corners(list, layout)?;
        let mut begin = 0_usize;
        for word in document.text(sizes).split_ascii_whitespace() {
            let Ok(size) = word.parse::<usize>() else {
                let place = document.place_of(sizes, word);
                return Err(ReadError::syntax(place, word.as_bytes(), "the number of corners of a polygon"));
            };
            let end = begin.saturating_add(size);
            let Some(polygon) = corners.get(begin..end) else {
                let (place, promised, present) = (document.place(list), end as u64, corners.len() as u64);
                return Err(ReadError::Truncated { place, what: "corners", promised, present });
            };
            self.push_polygon(polygon, sizes)?;
            begin = end;
        }
        Ok(())
    }

    fn push_polygon(&mut self, corners: &[u32], list: Id) -> Result<(), ReadError> {
        if corners.len() >= 3 {
            self.push_face(corners);
            return Ok(());
        }
        let error = |place| ReadError::TooFewCorners { place, corners: corners.len() };
        self.warnings.ignore(SMALL_FACES, || self.document.place(list), b"", error)
    }

    fn push_face(&mut self, corners: &[u32]) {
        self.faces.corners.extend_from_slice(corners);
        self.faces.ends.push(self.faces.corners.len());
    }
}
