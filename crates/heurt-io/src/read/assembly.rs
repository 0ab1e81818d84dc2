//! An assembly under construction: shapes as they are in the file, and parts that place them.
//!
//! In: shapes, and for each part its shape, frame, name and colour. Out: a [`Model`] with one mesh for each distinct
//! pair of shape and stretch, in order of first use.
//! Method: parts are collected first. A stretch is baked into a copy; the unstretched shape is moved, not copied.
//! Guarantees: the vertices and corners of all copies fit the budget. Cost: O(log parts) a part, O(size) a copy.

use super::budget::{Budget, PART, TRIANGLE, VERTEX};
use super::placement::{Frame, reversed, stretched};
use crate::{LengthUnit, Model, Part, Place, ReadError, Warning};
use heurt_geometry::Mat3;
use heurt_mesh::{MeshError, Polygons, TriMesh};
use std::collections::BTreeMap;

/// A mesh in the coordinates of the file.
pub(super) struct Shape {
    pub mesh: TriMesh,
    pub polygons: Option<Polygons>,
}

/// Bytes of the path of a part that are kept, as for glTF: longer ones are unreadable in any report.
const MAX_PATH: usize = 512;

/// A mesh of the model to come: a shape under a stretch.
struct Use {
    shape: usize,
    stretch: Mat3,
    /// The first part that has it.
    place: Place,
}

/// Parts over shapes.
pub(super) struct AssemblyBuilder {
    pub budget: Budget,
    shapes: Vec<Shape>,
    uses: Vec<Use>,
    use_of: BTreeMap<(usize, [u64; 9]), usize>,
    parts: Vec<Part>,
}

impl AssemblyBuilder {
    pub(super) fn new(budget: Budget) -> Self {
        let (shapes, uses, parts) = Default::default();
        Self { budget, shapes, uses, use_of: BTreeMap::new(), parts }
    }

    /// Adds a shape and returns its index.
    pub(super) fn add_shape(&mut self, shape: Shape) -> usize {
        self.shapes.push(shape);
        self.shapes.len() - 1
    }

    /// Adds a part; `frame` is its place in the frame of the file.
    pub(super) fn add_part(
        &mut self,
        shape: usize,
        frame: &Frame,
        name: String,
        colour: Option<[u8; 4]>,
        place: impl Fn() -> Place,
    ) -> Result<(), ReadError> {
        self.budget.take(PART + name.len() as u64, &place)?;
        let key = (shape, frame.stretch_key());
        let mesh = match self.use_of.get(&key) {
            Some(&mesh) => mesh,
            None => {
                let mesh = &self.shapes[shape].mesh;
                let [vertices, triangles] = [mesh.vertices().len(), mesh.triangles().len()].map(|count| count as u64);
                self.budget.take(VERTEX * vertices + TRIANGLE * triangles, &place)?;
                self.uses.push(Use { shape, stretch: frame.stretch, place: place() });
                self.use_of.insert(key, self.uses.len() - 1);
                self.uses.len() - 1
            }
        };
        self.parts.push(Part { name, mesh, pose: frame.pose, colour });
        Ok(())
    }

    /// Returns the name of a part from the path of its levels: outer levels beyond [`MAX_PATH`] bytes become `…`.
    pub(super) fn part_name(path: &str) -> String {
        let Some(excess) = path.len().checked_sub(MAX_PATH).filter(|&excess| excess > 0) else {
            return path.to_owned();
        };
        // The last level is kept whole.
        let tail = path.as_bytes()[excess..].iter().position(|&byte| byte == b'/').map(|at| excess + at);
        match tail.or_else(|| path.rfind('/')) {
            Some(at) => format!("…{}", &path[at..]),
            None => path.to_owned(),
        }
    }

    /// Returns the number of parts added.
    pub(super) fn part_count(&self) -> usize {
        self.parts.len()
    }

    /// Makes the model.
    pub(super) fn into_model(mut self, unit: LengthUnit, warnings: Vec<Warning>) -> Result<Model, ReadError> {
        let is_kept = |one: &Use| one.stretch == Mat3::IDENTITY;
        let mut baked: Vec<Option<Shape>> = Vec::with_capacity(self.uses.len());
        for one in &self.uses {
            let shape = if is_kept(one) { None } else { Some(bake(&self.shapes[one.shape], one)?) };
            baked.push(shape);
        }
        // Each shape has at most one use without a stretch, and no copy is made after this point.
        let mut shapes: Vec<Option<Shape>> = self.shapes.into_iter().map(Some).collect();
        for (slot, one) in baked.iter_mut().zip(&self.uses) {
            if slot.is_none() {
                *slot = shapes[one.shape].take();
            }
        }
        let mut model = Model { unit: Some(unit), warnings, ..Model::default() };
        for shape in baked.into_iter().flatten() {
            model.meshes.push(shape.mesh);
            model.polygons.push(shape.polygons);
        }
        if model.polygons.iter().all(Option::is_none) {
            model.polygons = Vec::new();
        }
        crate::model::make_names_unique(&mut self.parts);
        model.parts = self.parts;
        Ok(model)
    }
}

/// Copies a shape under a stretch.
fn bake(shape: &Shape, one: &Use) -> Result<Shape, ReadError> {
    let mesh = stretched(&shape.mesh, &one.stretch).map_err(|cause| match cause {
        MeshError::NotFinite { vertex, .. } => {
            let what = format!("a scale under which vertex {vertex} of the mesh overflows");
            ReadError::Unsupported { place: one.place.clone(), what, remedy: "scale the model down" }
        }
        cause => ReadError::Mesh { place: one.place.clone(), cause },
    })?;
    let mirrors = one.stretch.determinant() < 0.0;
    let polygons = match &shape.polygons {
        Some(polygons) if mirrors => reversed(polygons, mesh.triangles().len()),
        other => other.clone(),
    };
    Ok(Shape { mesh, polygons })
}
