//! The node hierarchy of a glTF scene, walked from its roots: which mesh is placed where, and how stretched.
//!
//! In: a document and its buffers. Out: parts in the order of the hierarchy, meshes shared by their instances, one copy
//! of a mesh for each distinct stretch. Guarantees: no recursion; every node is visited once or the file is refused.

use super::Budget;
use super::buffers::Buffers;
use super::deform::{Deformation, DeformationKey, weight_bits};
use super::frame::frame_of;
use super::instances::Instances;
use super::names::{Ancestor, Paths};
use super::primitive;
use super::schema::{Document, Mesh, Node, Primitive};
use super::skin::Skins;
use crate::read::Wrong;
use crate::read::budget::{PART, TRIANGLE, VERTEX};
use crate::read::placement::{Frame, stretched};
use crate::write::GENERATOR;
use crate::{Format, LengthUnit, Part, PartFailure, PartialModel, Place, ReadError, UpAxis};
use heurt_mesh::TriMesh;
use std::collections::BTreeMap;

/// Reads the scene; parts that are wrong fail it or are listed.
pub(super) fn read(
    document: &Document<'_>,
    buffers: Buffers<'_>,
    budget: Budget,
    format: Format,
    wrong: Wrong,
) -> Result<PartialModel, ReadError> {
    let mut read = PartialModel::default();
    read.model.unit = Some(LengthUnit::Metre);
    // The writer of this crate keeps the axes of a model, so that its files do not follow the format here.
    let is_own = document.asset.generator.as_deref() == Some(GENERATOR);
    read.model.up = (!is_own).then_some(UpAxis::Y);
    let originals = originals(document);
    let (bases, baked, weights, skins) = Default::default();
    let mut assembly = Assembly { document, buffers, budget, wrong, read, originals, weights, skins, bases, baked };
    let roots = roots(document)?;
    let mut seen = vec![false; document.nodes.len()];
    let mut paths = Paths::default();
    let mut open: Vec<(u32, Ancestor, Result<Frame, ReadError>)> = Vec::new();
    open.extend(roots.iter().rev().map(|&root| (root, None, Ok(Frame::IDENTITY))));
    while let Some((index, ancestor, parent)) = open.pop() {
        let Some(node) = document.nodes.get(index as usize) else {
            let place = Place::Item(format!("nodes[{index}]"));
            let (needed, available) = (u64::from(index) + 1, document.nodes.len() as u64);
            return Err(ReadError::OutOfRange { place, what: "nodes", needed, available });
        };
        if std::mem::replace(&mut seen[index as usize], true) {
            return Err(ReadError::NotATree { node: index as usize });
        }
        // A node below a node without a place has no place.
        let (frame, is_lost) = match parent {
            Ok(parent) => (frame_of(&parent, node, index), true),
            Err(error) => (Err(error), node.mesh.is_some()),
        };
        if node.mesh.is_some() || (frame.is_err() && is_lost) {
            let name = paths.name(document, &mut assembly.budget, (node, index), ancestor)?;
            assembly.add_node(node, index, name, &frame)?;
        }
        let ancestor = paths.enter(node, index, ancestor);
        open.extend(node.children.iter().rev().map(|&child| (child, ancestor, frame.clone())));
    }
    let Assembly { mut read, buffers, .. } = assembly;
    if read.model.parts.is_empty() && read.failures.is_empty() {
        return Err(ReadError::NoFaces { place: Place::Item("scene".to_owned()), format });
    }
    crate::model::make_names_unique(&mut read.model.parts);
    read.model.warnings = buffers.warnings.into_list();
    Ok(read)
}

/// Returns the roots of the default scene; without scenes, every node that is no child.
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

/// Returns for each mesh the first one of the same geometry: meshes that differ in their materials only are one here.
fn originals(document: &Document<'_>) -> Vec<u32> {
    let geometry = |primitive: &Primitive| {
        let packed = primitive.draco().map(|draco| draco.buffer_view);
        let targets: Vec<Option<u32>> = primitive.targets.iter().map(|target| target.position).collect();
        let joints = primitive.attributes.joint_sets();
        (primitive.attributes.position, primitive.indices, primitive.mode, packed, targets, joints)
    };
    let key = |mesh: &Mesh| (mesh.primitives.iter().map(geometry).collect::<Vec<_>>(), weight_bits(mesh));
    let mut first: BTreeMap<_, u32> = BTreeMap::new();
    let meshes = (0..).zip(&document.meshes);
    meshes.map(|(index, mesh)| *first.entry(key(mesh)).or_insert(index)).collect()
}

struct Assembly<'a> {
    document: &'a Document<'a>,
    buffers: Buffers<'a>,
    budget: Budget,
    wrong: Wrong,
    read: PartialModel,
    /// The first mesh of the same geometry, for each mesh.
    originals: Vec<u32>,
    /// The number of each list of weights that a node has, by its bits.
    weights: BTreeMap<Vec<u64>, u32>,
    skins: Skins,
    /// Deformed meshes, `None` for those of points and lines only, or what is wrong with them.
    bases: BTreeMap<(u32, DeformationKey), Result<Option<TriMesh>, ReadError>>,
    /// The index in the model of the copy of a mesh for a stretch.
    baked: BTreeMap<(u32, DeformationKey, [u64; 9]), usize>,
}

impl Assembly<'_> {
    /// Adds the part of a node, or the parts of its instances.
    fn add_node(
        &mut self,
        node: &Node,
        index: u32,
        name: String,
        frame: &Result<Frame, ReadError>,
    ) -> Result<(), ReadError> {
        let frame = match frame {
            Ok(frame) => frame,
            Err(error) => return self.refuse(name, error.clone()),
        };
        let Some(mesh) = node.mesh else { return Ok(()) };
        // The joints alone place a mesh with a skin.
        let frame = if node.skin.is_some() { &Frame::IDENTITY } else { frame };
        let Some(attributes) = node.instances() else {
            let added = self.add(name.clone(), (node, index), mesh, frame);
            return added.or_else(|error| self.refuse(name, error));
        };
        if node.skin.is_some() {
            let (place, what) = (Place::Item(format!("nodes[{index}]")), "a node with a skin and instances".to_owned());
            let remedy = "export a node for each instance";
            return self.refuse(name, ReadError::Unsupported { place, what, remedy });
        }
        let instances = Instances::read(self.document, &mut self.buffers, &mut self.budget, attributes, index);
        let instances = match instances {
            Ok(instances) => instances,
            Err(error) => return self.refuse(name, error),
        };
        for instance in 0..instances.len() {
            let name = format!("{name}#{}", instance + 1);
            let cost = PART + name.len() as u64;
            self.budget.take(cost, || Place::Item(format!("nodes[{index}]")))?;
            let frame = instances.frame(frame, instance, index);
            let added = frame.and_then(|frame| self.add(name.clone(), (node, index), mesh, &frame));
            added.or_else(|error| self.refuse(name, error))?;
        }
        Ok(())
    }

    /// Adds a part: mesh `mesh` of a node with its index in `frame`.
    fn add(&mut self, name: String, (node, index): (&Node, u32), mesh: u32, frame: &Frame) -> Result<(), ReadError> {
        let Some(&mesh) = self.originals.get(mesh as usize) else {
            let place = Place::Item(format!("nodes[{index}].mesh"));
            let available = self.document.meshes.len() as u64;
            return Err(ReadError::OutOfRange { place, what: "meshes", needed: u64::from(mesh) + 1, available });
        };
        let deformation = self.deformation_of(node, mesh);
        // A mesh is read once, however many nodes have it; so is what is wrong with it.
        if !self.bases.contains_key(&(mesh, deformation)) {
            let base = self.read_mesh(node, mesh);
            self.bases.insert((mesh, deformation), base);
        }
        let Some(base) = self.bases.get(&(mesh, deformation)) else { return Ok(()) };
        let Some(base) = base.as_ref().map_err(ReadError::clone)? else { return Ok(()) };
        let key = (mesh, deformation, frame.stretch_key());
        let model = &mut self.read.model;
        let mesh = match self.baked.get(&key) {
            Some(&mesh) => mesh,
            None => {
                let place = || Place::Item(format!("nodes[{index}]"));
                let [vertices, triangles] = [base.vertices().len(), base.triangles().len()].map(|count| count as u64);
                self.budget.take(VERTEX * vertices + TRIANGLE * triangles, place)?;
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

    /// Returns what a node changes in the positions of its mesh.
    fn deformation_of(&mut self, node: &Node, mesh: u32) -> DeformationKey {
        let has_targets = self.document.meshes[mesh as usize].primitives.iter().any(|one| !one.targets.is_empty());
        let own = node.weights.as_deref().filter(|_| has_targets);
        let weights = own.map(|weights| {
            let next = self.weights.len() as u32;
            *self.weights.entry(weights.iter().map(|weight| weight.to_bits()).collect()).or_insert(next)
        });
        DeformationKey { weights, skin: node.skin }
    }

    /// Reads a mesh as a node shows it.
    fn read_mesh(&mut self, node: &Node, mesh: u32) -> Result<Option<TriMesh>, ReadError> {
        let (document, buffers, budget) = (self.document, &mut self.buffers, &mut self.budget);
        let joints = node.skin.map(|skin| self.skins.maps(document, buffers, budget, skin)).transpose()?;
        let weights = node.weights.as_deref().unwrap_or(&document.meshes[mesh as usize].weights);
        primitive::mesh(document, buffers, budget, mesh, Deformation { weights, joints })
    }

    /// Ends the reading, or lists a part as wrong.
    fn refuse(&mut self, part: String, error: ReadError) -> Result<(), ReadError> {
        if self.wrong == Wrong::Fails {
            return Err(error);
        }
        self.read.failures.push(PartFailure { part, error });
        Ok(())
    }
}
