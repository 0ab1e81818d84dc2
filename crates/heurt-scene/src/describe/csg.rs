//! Trees of set operations over requested shapes: read once to check them, and once more with their shapes.
//!
//! In: the JSON of a tree, whose leaves are shapes of requests. Out: [`CsgRequest`]; later a [`Csg`].
//! Method: `heurt_solid` reads the nodes and the half-spaces, and the readers of `shape` and `pose` the leaves and the
//! poses. The first reading keeps the leaves in their order; the second one takes their shapes in that order.

use super::fields::{self, FieldError, Fields};
use super::pose::read_pose;
use super::shape::{ShapeRequest, nested_shape};
use heurt_geometry::Pose;
use heurt_shape::Shape;
use heurt_solid::{Csg, CsgLeafReader, CsgTextError};
use serde_json::{Value, json};
use std::path::Path;

/// A tree of set operations that was requested.
#[derive(Debug, Clone)]
pub struct CsgRequest {
    /// The JSON of the tree.
    tree: Value,
    /// The field of the tree in the shape; empty if it is the shape itself.
    field: &'static str,
    /// The leaves other than half-spaces, in the order of the text.
    pub leaves: Vec<ShapeRequest>,
    /// The greatest distance of curved leaves from their meshes; `None` for a thousandth of the size.
    pub tolerance: Option<f64>,
}

impl CsgRequest {
    /// Reads a tree whose leaves are nested in `depth` shapes.
    pub fn read(path: &str, tree: Value, depth: u32) -> Result<Self, FieldError> {
        let mut reader = CheckedLeaves { depth: depth + 1, leaves: Vec::new() };
        Csg::from_value_with(path, &tree, &mut reader).map_err(|error| error.0)?;
        Ok(Self { tree, field: "tree", leaves: reader.leaves, tolerance: None })
    }

    /// Makes paths of leaves relative to `folder`.
    pub fn below(self, folder: &Path) -> Self {
        Self { leaves: self.leaves.into_iter().map(|leaf| leaf.below(folder)).collect(), ..self }
    }

    /// Returns the same tree of other leaves.
    pub fn with_leaves(&self, leaves: Vec<ShapeRequest>) -> Self {
        Self { leaves, ..self.clone() }
    }

    /// Makes the tree of the shape at `path`; `resolve` makes the shape of a leaf at its path.
    pub fn made(
        &self,
        path: &str,
        resolve: &dyn Fn(&str, &ShapeRequest) -> Result<Shape, FieldError>,
    ) -> Result<Csg, FieldError> {
        let path = match self.field {
            "" => path.to_owned(),
            field if path.is_empty() => field.to_owned(),
            field => format!("{path}.{field}"),
        };
        self.made_at(&path, resolve)
    }

    /// Makes the tree, which lies at `path`.
    pub fn made_at(
        &self,
        path: &str,
        resolve: &dyn Fn(&str, &ShapeRequest) -> Result<Shape, FieldError>,
    ) -> Result<Csg, FieldError> {
        let mut reader = ResolvedLeaves { leaves: self.leaves.iter(), resolve };
        Csg::from_value_with(path, &self.tree, &mut reader).map_err(|error| error.0)
    }
}

/// Reads the tree of a shape of the type `csg`.
pub(super) fn tree(fields: &mut Fields, depth: u32) -> Result<ShapeRequest, FieldError> {
    let tree = fields.required("tree", "a CSG tree", |path, value| CsgRequest::read(path, value, depth))?;
    let tolerance = fields.optional("tolerance", fields::positive)?;
    Ok(ShapeRequest::Csg(CsgRequest { tolerance, ..tree }))
}

/// Reads a shape of the type `polyhedron`, a tree of one leaf.
pub(super) fn polyhedron(path: &str, fields: &mut Fields) -> Result<ShapeRequest, FieldError> {
    let planes = fields.required("planes", "a list of planes [a, b, c, d]", |_, value| Ok(value))?;
    let tree = CsgRequest::read(path, json!({ "type": "polyhedron", "planes": planes }), 0)?;
    Ok(ShapeRequest::Csg(CsgRequest { field: "", ..tree }))
}

/// The error of a reader of leaves.
struct LeafError(FieldError);

impl From<CsgTextError> for LeafError {
    fn from(error: CsgTextError) -> Self {
        Self(match error {
            CsgTextError::Wrong { field, value, expected } => FieldError::Wrong { field, value, expected },
            CsgTextError::Missing { field, expected } => FieldError::Missing { field, expected },
            CsgTextError::Unknown { field, known } => FieldError::Unknown { field, value: "given".to_owned(), known },
            CsgTextError::Refused { field, value, cause } => FieldError::Refused { field, value, cause },
            other => FieldError::refused("tree", "given", other),
        })
    }
}

/// Reads leaves and keeps them. The tree that results has no leaves.
struct CheckedLeaves {
    depth: u32,
    leaves: Vec<ShapeRequest>,
}

impl CsgLeafReader for CheckedLeaves {
    type Error = LeafError;

    fn pose(&mut self, path: &str, value: &Value) -> Result<Pose, LeafError> {
        read_pose(path, value.clone()).map_err(LeafError)
    }

    fn leaf(&mut self, path: &str, value: &Value) -> Result<Csg, LeafError> {
        self.leaves.push(nested_shape(path, value.clone(), self.depth).map_err(LeafError)?);
        Ok(Csg::empty())
    }
}

/// Takes the shapes of leaves in their order.
struct ResolvedLeaves<'a> {
    leaves: std::slice::Iter<'a, ShapeRequest>,
    resolve: &'a dyn Fn(&str, &ShapeRequest) -> Result<Shape, FieldError>,
}

impl CsgLeafReader for ResolvedLeaves<'_> {
    type Error = LeafError;

    fn pose(&mut self, path: &str, value: &Value) -> Result<Pose, LeafError> {
        read_pose(path, value.clone()).map_err(LeafError)
    }

    fn leaf(&mut self, path: &str, _: &Value) -> Result<Csg, LeafError> {
        match self.leaves.next() {
            Some(leaf) => (self.resolve)(path, leaf).map(Csg::shape).map_err(LeafError),
            None => Ok(Csg::empty()),
        }
    }
}
