//! A glTF mesh: its primitives of triangles, joined into one triangle mesh.

use super::Budget;
use super::accessor;
use super::buffers::Buffers;
use super::schema::{Document, Primitive};
use crate::{Place, ReadError};
use heurt_geometry::Vec3;
use heurt_mesh::{MeshError, TriMesh};
use std::collections::BTreeMap;

/// Joins the primitives of mesh `index`; `None` when all are points and lines.
pub(super) fn mesh(
    document: &Document<'_>,
    buffers: &mut Buffers<'_>,
    budget: &mut Budget,
    index: u32,
) -> Result<Option<TriMesh>, ReadError> {
    let mut join =
        Join { document, buffers, budget, first_vertex: BTreeMap::new(), vertices: Vec::new(), triangles: Vec::new() };
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
    if !has_faces {
        return Ok(None);
    }
    let refused = |cause| ReadError::Mesh { place: Place::Item(format!("meshes[{index}]")), cause };
    TriMesh::new(join.vertices, join.triangles).map(Some).map_err(refused)
}

struct Join<'a, 'b> {
    document: &'a Document<'a>,
    buffers: &'a mut Buffers<'b>,
    budget: &'a mut Budget,
    /// Where the positions of an accessor begin in `vertices`, and how many they are: primitives may share them.
    first_vertex: BTreeMap<u32, (u32, u32)>,
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

impl Join<'_, '_> {
    fn add(&mut self, primitive: &Primitive, item: &impl Fn() -> String) -> Result<(), ReadError> {
        let Some(position) = primitive.attributes.position else {
            return Err(ReadError::syntax(Place::Item(item()), b"", "an attribute POSITION"));
        };
        let corners = match primitive.indices {
            Some(index) => Some(accessor::indices(self.document, self.buffers, self.budget, index)?),
            None => None,
        };
        let (first, count) = self.positions(position)?;
        let corners = match corners {
            Some(corners) => corners,
            None => {
                self.budget.take(count.into(), || Place::Item(item()))?;
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
                    return Err(ReadError::syntax(Place::Item(item()), found.as_bytes(), "three for each triangle"));
                }
                self.triangles.extend(faces.iter().map(|&face| placed(face)));
            }
            5 => self.triangles.extend(corners.windows(3).enumerate().map(|(at, face)| {
                // Every second triangle of a strip is turned over.
                placed(if at % 2 == 0 { [face[0], face[1], face[2]] } else { [face[0], face[2], face[1]] })
            })),
            _ => {
                let edges = corners.get(1..).unwrap_or_default().windows(2);
                self.triangles.extend(edges.map(|edge| placed([edge[0], edge[1], corners[0]])));
            }
        }
        Ok(())
    }

    /// Appends the positions of an accessor, once.
    fn positions(&mut self, index: u32) -> Result<(u32, u32), ReadError> {
        if let Some(&run) = self.first_vertex.get(&index) {
            return Ok(run);
        }
        let points = accessor::positions(self.document, self.buffers, self.budget, index)?;
        let count = self.vertices.len() + points.len();
        if count > u32::MAX as usize {
            let cause = MeshError::TooLarge { what: "vertices", count, max: u32::MAX as usize };
            return Err(ReadError::Mesh { place: Place::Item(format!("accessors[{index}]")), cause });
        }
        let run = (self.vertices.len() as u32, points.len() as u32);
        self.vertices.extend(points);
        self.first_vertex.insert(index, run);
        Ok(run)
    }
}
