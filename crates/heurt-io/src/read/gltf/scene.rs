//! The node hierarchy, walked from its roots: which mesh stands where, and how stretched.

use super::Budget;
use super::buffers::Buffers;
use super::primitive;
use super::schema::{Document, Node};
use crate::read::Wrong;
use crate::read::placement::{Frame, stretched};
use crate::{Format, Part, PartFailure, PartialModel, Place, ReadError};
use heurt_geometry::{Mat3, Pose, Vec3};
use heurt_mesh::TriMesh;
use std::collections::BTreeMap;

/// How far off unit length a quaternion may be; exporters round to four digits.
const QUATERNION_TOLERANCE: f64 = 1e-3;

/// Reads the scene; parts that are wrong fail it or are listed.
pub(super) fn read(
    document: &Document<'_>,
    buffers: Buffers<'_>,
    budget: Budget,
    format: Format,
    wrong: Wrong,
) -> Result<PartialModel, ReadError> {
    let read = PartialModel::default();
    let (bases, baked) = (BTreeMap::new(), BTreeMap::new());
    let mut assembly = Assembly { document, buffers, budget, wrong, read, bases, baked };
    let roots = roots(document)?;
    let mut seen = vec![false; document.nodes.len()];
    let mut open: Vec<(u32, Result<Frame, ReadError>)> = Vec::new();
    open.extend(roots.iter().rev().map(|&root| (root, Ok(Frame::IDENTITY))));
    while let Some((index, parent)) = open.pop() {
        let Some(node) = document.nodes.get(index as usize) else {
            let place = Place::Item(format!("nodes[{index}]"));
            let (needed, available) = (u64::from(index) + 1, document.nodes.len() as u64);
            return Err(ReadError::OutOfRange { place, what: "nodes", needed, available });
        };
        if std::mem::replace(&mut seen[index as usize], true) {
            return Err(ReadError::NotATree { node: index as usize });
        }
        // What stands on a node that stands nowhere stands nowhere.
        let (frame, is_lost) = match parent {
            Ok(parent) => (frame_of(&parent, node, index), true),
            Err(error) => (Err(error), node.mesh.is_some()),
        };
        match &frame {
            Ok(frame) => {
                if let Some(mesh) = node.mesh
                    && let Err(error) = assembly.add(node, index, mesh, frame)
                {
                    assembly.refuse(node, index, error)?;
                }
            }
            Err(error) if is_lost => assembly.refuse(node, index, error.clone())?,
            Err(_) => {}
        }
        open.extend(node.children.iter().rev().map(|&child| (child, frame.clone())));
    }
    let mut read = assembly.read;
    if read.model.parts.is_empty() && read.failures.is_empty() {
        return Err(ReadError::NoFaces { place: Place::Item("scene".to_owned()), format });
    }
    crate::model::make_names_unique(&mut read.model.parts);
    Ok(read)
}

/// The frame of a node in that of the root.
fn frame_of(parent: &Frame, node: &Node, index: u32) -> Result<Frame, ReadError> {
    let refused = |cause| ReadError::Pose { place: Place::Item(format!("nodes[{index}]")), cause };
    parent.child(&local(node, index)?).map_err(refused)
}

/// The roots of the default scene; without scenes, every node that is no child.
fn roots(document: &Document<'_>) -> Result<Vec<u32>, ReadError> {
    if document.scenes.is_empty() {
        let mut is_child = vec![false; document.nodes.len()];
        for &child in document.nodes.iter().flat_map(|node| &node.children) {
            if let Some(is_child) = is_child.get_mut(child as usize) {
                *is_child = true;
            }
        }
        return Ok((0..document.nodes.len() as u32).filter(|&node| !is_child[node as usize]).collect());
    }
    let scene = document.scene.unwrap_or(0);
    match document.scenes.get(scene) {
        Some(scene) => Ok(scene.nodes.clone()),
        None => Err(ReadError::OutOfRange {
            place: Place::Item("scene".to_owned()),
            what: "scenes",
            needed: (scene as u64).saturating_add(1),
            available: document.scenes.len() as u64,
        }),
    }
}

/// What a node does to its own frame.
fn local(node: &Node, index: u32) -> Result<Frame, ReadError> {
    let refused = |cause| ReadError::Pose { place: Place::Item(format!("nodes[{index}]")), cause };
    if let Some(matrix) = &node.matrix {
        if [matrix[3], matrix[7], matrix[11], matrix[15]] != [0.0, 0.0, 0.0, 1.0] {
            let place = Place::Item(format!("nodes[{index}].matrix"));
            let last = format!("{} {} {} {}", matrix[3], matrix[7], matrix[11], matrix[15]);
            return Err(ReadError::syntax(place, last.as_bytes(), "a last row of 0 0 0 1"));
        }
        let column = |at: usize| Vec3::new(matrix[at], matrix[at + 1], matrix[at + 2]);
        let linear = Mat3::from_cols(column(0), column(4), column(8));
        return Frame::from_linear(linear, column(12)).map_err(refused);
    }
    let translation = node.translation.as_deref().map_or(Vec3::ZERO, |t| Vec3::from_array(*t));
    let pose = match node.rotation.as_deref() {
        None => Pose::from_translation(translation),
        Some(&quaternion) => Pose::from_quaternion(nearly_unit(quaternion), translation),
    };
    let pose = pose.map_err(refused)?;
    let stretch = node.scale.as_deref().map_or(Mat3::IDENTITY, |s| Mat3::from_diagonal(Vec3::from_array(*s)));
    Ok(Frame { pose, stretch })
}

/// Divides out a norm that is off by more than a pose allows, but not by much.
fn nearly_unit(quaternion: [f64; 4]) -> [f64; 4] {
    let norm = quaternion.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
    let off = (norm - 1.0).abs();
    if off > 1e-6 && off <= QUATERNION_TOLERANCE { quaternion.map(|entry| entry / norm) } else { quaternion }
}

struct Assembly<'a> {
    document: &'a Document<'a>,
    buffers: Buffers<'a>,
    budget: Budget,
    wrong: Wrong,
    read: PartialModel,
    /// Meshes as they are in the file, `None` for those of points and lines only, or what is wrong with them.
    bases: BTreeMap<u32, Result<Option<TriMesh>, ReadError>>,
    /// Where the copy of a mesh for a stretch lies in the model.
    baked: BTreeMap<(u32, [u64; 9]), usize>,
}

impl Assembly<'_> {
    /// Adds the part of a node.
    fn add(&mut self, node: &Node, index: u32, mesh: u32, frame: &Frame) -> Result<(), ReadError> {
        if mesh as usize >= self.document.meshes.len() {
            let place = Place::Item(format!("nodes[{index}].mesh"));
            let available = self.document.meshes.len() as u64;
            return Err(ReadError::OutOfRange { place, what: "meshes", needed: u64::from(mesh) + 1, available });
        }
        let name = self.name(node, index)?;
        let (document, buffers, budget) = (self.document, &mut self.buffers, &mut self.budget);
        // What is wrong with a mesh is found once, however many nodes have it.
        let base = self.bases.entry(mesh).or_insert_with(|| primitive::mesh(document, buffers, budget, mesh));
        let Some(base) = base.as_ref().map_err(ReadError::clone)? else { return Ok(()) };
        // Adding 0 makes −0 and 0 one key.
        let key = (mesh, frame.stretch.to_cols_array().map(|entry| (entry + 0.0).to_bits()));
        let model = &mut self.read.model;
        let mesh = match self.baked.get(&key) {
            Some(&mesh) => mesh,
            None => {
                let place = || Place::Item(format!("nodes[{index}]"));
                self.budget.take((base.vertices().len() + 3 * base.triangles().len()) as u64, place)?;
                let baked =
                    stretched(base, &frame.stretch).map_err(|cause| ReadError::Mesh { place: place(), cause })?;
                model.meshes.push(baked);
                self.baked.insert(key, model.meshes.len() - 1);
                model.meshes.len() - 1
            }
        };
        model.parts.push(Part::new(name, mesh, frame.pose));
        Ok(())
    }

    /// Ends the reading, or lists the part of a node as wrong.
    fn refuse(&mut self, node: &Node, index: u32, error: ReadError) -> Result<(), ReadError> {
        if self.wrong == Wrong::Fails {
            return Err(error);
        }
        let part = self.name(node, index)?;
        self.read.failures.push(PartFailure { part, error });
        Ok(())
    }

    /// The name of a node, else of its mesh, else its number.
    ///
    /// The name of a mesh stands once in the file and is copied for every node without one, so it counts as unpacked.
    fn name(&mut self, node: &Node, index: u32) -> Result<String, ReadError> {
        if let Some(name) = node.name.as_deref().filter(|name| !name.is_empty()) {
            return Ok(name.to_owned());
        }
        let mesh = node.mesh.and_then(|mesh| self.document.meshes.get(mesh as usize));
        let Some(name) = mesh.and_then(|mesh| mesh.name.as_deref()).filter(|name| !name.is_empty()) else {
            return Ok(format!("node{index}"));
        };
        self.budget.take(name.len() as u64, || Place::Item(format!("nodes[{index}]")))?;
        Ok(name.to_owned())
    }
}
