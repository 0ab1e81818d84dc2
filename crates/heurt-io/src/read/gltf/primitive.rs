//! A glTF mesh: its primitives of triangles, joined into one triangle mesh.

use super::Budget;
use super::accessor;
use super::buffers::Buffers;
use super::deform::{Deformation, PositionSource};
use super::extensions::{self, DRACO};
#[cfg(feature = "draco")]
use super::schema::Draco;
use super::schema::{Document, Primitive};
use crate::read::budget::TRIANGLE;
use crate::{Place, ReadError};
use heurt_geometry::Vec3;
use heurt_mesh::{MeshError, TriMesh};
use std::collections::BTreeMap;

/// Meshes whose primitives have no triangle.
const EMPTY_MESHES: &str = "meshes without a triangle";
/// Primitives that have nothing to be drawn.
const NO_POSITIONS: &str = "primitives without positions";
/// Lists of corners whose length is no multiple of three.
const INCOMPLETE_TRIANGLES: &str = "incomplete triangles";

/// Joins the primitives of mesh `index`, deformed; `None` when all are points and lines.
pub(super) fn mesh(
    document: &Document<'_>,
    buffers: &mut Buffers<'_>,
    budget: &mut Budget,
    index: u32,
    deformation: Deformation<'_>,
) -> Result<Option<TriMesh>, ReadError> {
    let (first_vertex, vertices, triangles) = Default::default();
    let mut join = Join { document, buffers, budget, deformation, first_vertex, vertices, triangles };
    let mut has_faces = false;
    for (number, primitive) in document.meshes[index as usize].primitives.iter().enumerate() {
        let item = || format!("meshes[{index}].primitives[{number}]");
        match primitive.mode {
            0..=3 => {}
            4..=6 => {
                has_faces = true;
                join.add(primitive, &item)?;
            }
            mode => {
                let place = Place::Item(item());
                return Err(ReadError::syntax(place, mode.to_string().as_bytes(), "a mode of 0 to 6"));
            }
        }
    }
    let Join { vertices, triangles, .. } = join;
    if !has_faces {
        return Ok(None);
    }
    if triangles.is_empty() && !buffers.warnings.is_strict() {
        buffers.warnings.add(EMPTY_MESHES, 1, || Place::Item(format!("meshes[{index}]")), b"");
        return Ok(None);
    }
    let refused = |cause| ReadError::Mesh { place: Place::Item(format!("meshes[{index}]")), cause };
    let mesh = TriMesh::new(vertices, triangles).map_err(refused)?;
    Ok(Some(if deformation.mirrors() { mesh.reversed() } else { mesh }))
}

struct Join<'a, 'b> {
    document: &'a Document<'a>,
    buffers: &'a mut Buffers<'b>,
    budget: &'a mut Budget,
    deformation: Deformation<'a>,
    /// The first of the positions in `vertices`, and their number: primitives may share them.
    first_vertex: BTreeMap<PositionSource, (u32, u32)>,
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

impl Join<'_, '_> {
    fn add(&mut self, primitive: &Primitive, item: &impl Fn() -> String) -> Result<(), ReadError> {
        #[cfg(feature = "draco")]
        if let Some(draco) = primitive.draco() {
            return self.add_compressed(primitive, draco, item);
        }
        let Some(position) = primitive.attributes.position else {
            let place = || Place::Item(item());
            let error = |place| ReadError::syntax(place, b"", "an attribute POSITION");
            return self.buffers.warnings.ignore(NO_POSITIONS, place, b"", error);
        };
        self.check_uncompressed(primitive, position, item)?;
        let corners = match primitive.indices {
            Some(index) => Some(accessor::indices(self.document, self.buffers, self.budget, index)?),
            None => None,
        };
        let (first, count) = self.positions(primitive, position, item)?;
        let corners = match corners {
            Some(corners) => corners,
            None => {
                // A corner, and a triangle for each in strips and fans.
                self.budget.take(u64::from(count) * (1 + TRIANGLE), || Place::Item(item()))?;
                (0..count).collect()
            }
        };
        if let Some(&bad) = corners.iter().find(|&&corner| corner >= count) {
            let place = Place::Item(format!("{}.indices", item()));
            return Err(ReadError::BadIndex { place, index: bad.into(), first: 0, count: count as usize });
        }
        let placed = |face: [u32; 3]| face.map(|corner| corner + first);
        match primitive.mode {
            4 => {
                let (faces, rest) = corners.as_chunks::<3>();
                if !rest.is_empty() {
                    let found = format!("{} corners", corners.len());
                    let error = |place| ReadError::syntax(place, found.as_bytes(), "three for each triangle");
                    let place = || Place::Item(item());
                    self.buffers.warnings.ignore(INCOMPLETE_TRIANGLES, place, found.as_bytes(), error)?;
                }
                self.triangles.extend(faces.iter().map(|&face| placed(face)));
            }
            5 => self.triangles.extend(corners.windows(3).enumerate().map(|(at, face)| {
                // Every second triangle of a strip is reversed.
                placed(if at % 2 == 0 { [face[0], face[1], face[2]] } else { [face[0], face[2], face[1]] })
            })),
            _ => {
                let edges = corners.get(1..).unwrap_or_default().windows(2);
                self.triangles.extend(edges.map(|edge| placed([edge[0], edge[1], corners[0]])));
            }
        }
        Ok(())
    }

    /// Rejects a primitive that has compressed data only; reading its accessors would report these instead.
    fn check_uncompressed(
        &self,
        primitive: &Primitive,
        position: u32,
        item: &impl Fn() -> String,
    ) -> Result<(), ReadError> {
        let is_empty = accessor::find(self.document, position)?.buffer_view.is_none();
        if primitive.draco().is_some() && is_empty {
            let what = format!("a primitive compressed by `{DRACO}`");
            return Err(ReadError::Unsupported { place: Place::Item(item()), what, remedy: extensions::remedy(DRACO) });
        }
        Ok(())
    }

    /// Decompresses a primitive of triangles and appends it.
    #[cfg(feature = "draco")]
    fn add_compressed(
        &mut self,
        primitive: &Primitive,
        draco: &Draco,
        item: &impl Fn() -> String,
    ) -> Result<(), ReadError> {
        let place = || Place::Item(format!("{}.extensions.{DRACO}", item()));
        let source = PositionSource::of(primitive, 0, &self.deformation);
        if !source.is_plain() {
            let what = "a primitive with morph targets or a skin in compressed data".to_owned();
            return Err(ReadError::Unsupported { place: place(), what, remedy: extensions::remedy(DRACO) });
        }
        if !matches!(primitive.mode, 4 | 5) {
            return Err(ReadError::syntax(place(), primitive.mode.to_string().as_bytes(), "mode 4 or 5"));
        }
        let unit = match primitive.attributes.position {
            Some(position) => accessor::unit(self.document, position)?,
            None => 1.0,
        };
        let (points, faces) = super::draco::decode(draco, self.buffers, self.budget, &place)?;
        let (first, count) = self.append(points.into_iter().map(|point| point / unit), &place)?;
        if let Some(&bad) = faces.as_flattened().iter().find(|&&corner| corner >= count) {
            return Err(ReadError::BadIndex { place: place(), index: bad.into(), first: 0, count: count as usize });
        }
        self.triangles.extend(faces.into_iter().map(|face| face.map(|corner| corner + first)));
        Ok(())
    }

    /// Appends vertices. Returns the index of the first and their number.
    fn append(
        &mut self,
        points: impl ExactSizeIterator<Item = Vec3>,
        place: &impl Fn() -> Place,
    ) -> Result<(u32, u32), ReadError> {
        let count = self.vertices.len() + points.len();
        if count > u32::MAX as usize {
            let cause = MeshError::TooLarge { what: "vertices", count, max: u32::MAX as usize };
            return Err(ReadError::Mesh { place: place(), cause });
        }
        let run = (self.vertices.len() as u32, points.len() as u32);
        self.vertices.extend(points);
        Ok(run)
    }

    /// Appends the positions of a primitive, once.
    fn positions(
        &mut self,
        primitive: &Primitive,
        position: u32,
        item: &impl Fn() -> String,
    ) -> Result<(u32, u32), ReadError> {
        let source = PositionSource::of(primitive, position, &self.deformation);
        if let Some(&run) = self.first_vertex.get(&source) {
            return Ok(run);
        }
        let access = (self.document, &mut *self.buffers, &mut *self.budget);
        let points = self.deformation.positions(access, primitive, position, item)?;
        let run = self.append(points.into_iter(), &|| Place::Item(format!("accessors[{position}]")))?;
        self.first_vertex.insert(source, run);
        Ok(run)
    }
}
