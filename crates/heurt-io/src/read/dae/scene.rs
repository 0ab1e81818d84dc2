//! The visual scene of a COLLADA document, traversed depth first with a stack of its own.
//!
//! In: a document. Out: a [`Model`]. Guarantees: a node that contains itself is refused; each visited node takes from
//! the budget, so that doubling hierarchies end; each geometry is read once. Cost: O(visited nodes).

use super::document::{DaeDocument, Id};
use super::{geometry, transform};
use crate::error::quoted;
use crate::read::assembly::AssemblyBuilder;
use crate::read::budget::Budget;
use crate::read::placement::Frame;
use crate::read::warnings::Warnings;
use crate::{Format, LengthUnit, Model, ReadError, UpAxis};
use heurt_geometry::{Mat3, Pose, Vec3};
use std::collections::{BTreeMap, BTreeSet};

/// How far, relatively, a length may be from a unit to be that unit: the digits of exporters.
const UNIT_TOLERANCE: f64 = 1e-12;

/// A node, or the scene, whose children are being placed.
struct DaeLevel {
    element: Id,
    frame: Frame,
    /// The child that comes next.
    next: Option<Id>,
    /// The length of the name without this node.
    name_length: usize,
    /// It has several geometries, so that each needs its own name.
    has_several: bool,
}

struct DaeScene<'a, 'b> {
    document: &'a DaeDocument<'b>,
    assembly: AssemblyBuilder,
    warnings: Warnings,
    /// The shape of each geometry that was read; `None` for one without faces.
    shapes: BTreeMap<Id, Option<usize>>,
    /// The transform of each node that was visited.
    locals: BTreeMap<Id, Frame>,
    levels: Vec<DaeLevel>,
    /// Elements of `levels`.
    open: BTreeSet<Id>,
    /// Names of the levels, joined by `/`.
    name: String,
    /// The file names a part.
    has_names: bool,
    /// The first controller.
    controller: Option<Id>,
}

/// Reads the instantiated scene.
pub(super) fn read(document: &DaeDocument<'_>, budget: Budget, warnings: Warnings) -> Result<Model, ReadError> {
    let (unit, scale) = unit(document)?;
    let (shapes, locals, levels, open, name) = Default::default();
    let assembly = AssemblyBuilder::new(budget);
    let (has_names, controller) = (false, None);
    let mut scene =
        DaeScene { document, assembly, warnings, shapes, locals, levels, open, name, has_names, controller };
    let root = Frame { pose: Pose::IDENTITY, stretch: Mat3::from_diagonal(Vec3::splat(scale)) };
    match visual_scene(document)? {
        Some(visual_scene) => {
            scene.push(visual_scene, root, 0);
            scene.place_children()?;
        }
        None => {
            for geometry in document.in_libraries("library_geometries", "geometry") {
                scene.place_geometry(geometry, geometry, &root, true)?;
            }
        }
    }
    if scene.assembly.part_count() == 0 {
        if let Some(controller) = scene.controller {
            let (place, what) = (document.place(controller), "a scene of skins and morphs alone".to_owned());
            return Err(ReadError::Unsupported { place, what, remedy: "apply the deformations before the export" });
        }
        return Err(ReadError::NoFaces { place: document.end(), format: Format::Dae });
    }
    let mut model = scene.assembly.into_model(unit, scene.warnings.into_list())?;
    model.up = up_axis(document);
    if let [part] = model.parts.as_mut_slice()
        && !scene.has_names
    {
        // The file gives the only part no name: it is named by the file.
        part.name.clear();
    }
    Ok(model)
}

/// Reads the axis that the document declares to point up.
fn up_axis(document: &DaeDocument<'_>) -> Option<UpAxis> {
    let asset = document.child(0, "asset")?;
    match document.text(document.child(asset, "up_axis")?).trim() {
        "X_UP" => Some(UpAxis::X),
        "Y_UP" => Some(UpAxis::Y),
        "Z_UP" => Some(UpAxis::Z),
        _ => None,
    }
}

/// Reads the unit of length, and the scale to it.
fn unit(document: &DaeDocument<'_>) -> Result<(LengthUnit, f64), ReadError> {
    let asset = document.child(0, "asset");
    let unit = asset.and_then(|asset| document.child(asset, "unit"));
    let Some((unit, value)) = unit.and_then(|unit| Some((unit, document.attribute(unit, "meter")?))) else {
        return Ok((LengthUnit::Metre, 1.0));
    };
    // Some exporters write this number, and no other, as their country does. "0," can be no thousands separator.
    let value = value.trim();
    let written = if value.starts_with("0,") { value.replacen(',', ".", 1) } else { value.to_owned() };
    match written.parse::<f64>() {
        Ok(metres) if metres > 0.0 && metres.is_finite() => {
            let is_close = |unit: &LengthUnit| (metres / unit.metres() - 1.0).abs() <= UNIT_TOLERANCE;
            let known = LengthUnit::ALL.into_iter().find(is_close);
            Ok(known.map_or((LengthUnit::Metre, metres), |unit| (unit, 1.0)))
        }
        _ => Err(ReadError::syntax(document.place(unit), value.as_bytes(), "a positive length in metres")),
    }
}

/// Finds the visual scene: the instantiated one, else the first.
fn visual_scene(document: &DaeDocument<'_>) -> Result<Option<Id>, ReadError> {
    let scene = document.child(0, "scene");
    if let Some(instance) = scene.and_then(|scene| document.child(scene, "instance_visual_scene"))
        && let Some(found) = document.target(instance, "url", "visual_scene")?
    {
        return Ok(Some(found));
    }
    Ok(document.in_libraries("library_visual_scenes", "visual_scene").next())
}

impl DaeScene<'_, '_> {
    fn push(&mut self, element: Id, frame: Frame, name_length: usize) {
        let document = self.document;
        let is_geometry = |&child: &Id| document.name(child) == "instance_geometry";
        let has_several = document.children(element).filter(is_geometry).nth(1).is_some();
        self.open.insert(element);
        self.levels.push(DaeLevel { element, frame, next: document.first_child(element), name_length, has_several });
    }

    /// Places the nodes and geometries below the open levels.
    fn place_children(&mut self) -> Result<(), ReadError> {
        let document = self.document;
        while let Some(level) = self.levels.last_mut() {
            let (frame, has_several) = (level.frame, level.has_several);
            let Some(child) = level.next else {
                self.open.remove(&level.element);
                self.name.truncate(level.name_length);
                self.levels.pop();
                continue;
            };
            level.next = document.next_sibling(child);
            match document.name(child) {
                "node" => self.enter(child, child, &frame)?,
                "instance_node" => {
                    if let Some(node) = document.target(child, "url", "node")? {
                        self.enter(node, child, &frame)?;
                    }
                }
                "instance_geometry" => {
                    if let Some(geometry) = document.target(child, "url", "geometry")? {
                        self.place_geometry(geometry, child, &frame, has_several)?;
                    }
                }
                "instance_controller" => {
                    self.controller.get_or_insert(child);
                    let (what, remedy) = ("controllers (skins and morphs)", "apply the deformations before the export");
                    self.warnings.skip(what, remedy, || document.place(child), &self.name)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Opens a node that `instance` places.
    fn enter(&mut self, node: Id, instance: Id, parent: &Frame) -> Result<(), ReadError> {
        let document = self.document;
        let place = || document.place(instance);
        if self.open.contains(&node) {
            let name = format!("node {}", quoted(document.label(node).as_bytes()));
            return Err(ReadError::Cycle { place: place(), name });
        }
        // Each visit pays for its tags and children: a node may be visited often without a part.
        let visited = document.tag_size(node) + document.tag_size(instance) + document.children(node).count();
        self.assembly.budget.take(1 + visited as u64, place)?;
        let local = match self.locals.get(&node) {
            Some(&local) => local,
            None => {
                let local = transform::of_node(document, node)?;
                self.locals.insert(node, local);
                local
            }
        };
        let frame = if local.is_identity() {
            *parent
        } else {
            parent.child(&local).map_err(|cause| ReadError::Pose { place: document.place(node), cause })?
        };
        let name_length = self.name.len();
        push_name(&mut self.name, &document.label(node));
        self.push(node, frame, name_length);
        Ok(())
    }

    /// Places a geometry. Its own name is used if the levels have none, or if `is_own` states so.
    fn place_geometry(&mut self, geometry: Id, instance: Id, frame: &Frame, is_own: bool) -> Result<(), ReadError> {
        let document = self.document;
        let shape = match self.shapes.get(&geometry) {
            Some(&shape) => shape,
            None => {
                let shape = geometry::read(document, geometry, &mut self.assembly.budget, &mut self.warnings)?;
                let shape = shape.map(|shape| self.assembly.add_shape(shape));
                self.shapes.insert(geometry, shape);
                shape
            }
        };
        let visited = document.tag_size(geometry) + document.tag_size(instance);
        self.assembly.budget.take(1 + visited as u64, || document.place(instance))?;
        let Some(shape) = shape else { return Ok(()) };
        let mut name = AssemblyBuilder::part_name(&self.name);
        if is_own || name.is_empty() {
            push_name(&mut name, &document.label(geometry));
        }
        self.has_names |= !name.is_empty();
        if name.is_empty() {
            name = format!("geometry{}", self.shapes.len());
        }
        self.assembly.add_part(shape, frame, name, None, || document.place(instance))
    }
}

/// Appends a name to those of the levels above, if there is one.
fn push_name(path: &mut String, name: &str) {
    if name.is_empty() {
        return;
    }
    if !path.is_empty() {
        path.push('/');
    }
    path.push_str(name);
}
