//! Build of a 3MF file: items and components, traversed depth first with an explicit stack.
//!
//! In: the model parts of a package. Out: a [`Model`]. Guarantees: an object that contains itself is rejected; each
//! visited component takes from the budget, so that doubling hierarchies end. Cost: O(visited components).

use super::model::{Content, Instance, ModelPart, Object, ObjectKind};
use super::package::Package;
use crate::read::assembly::AssemblyBuilder;
use crate::read::budget::Budget;
use crate::read::placement::Frame;
use crate::read::warnings::Warnings;
use crate::{Format, Model, ReadError};
use std::collections::BTreeSet;

/// An object whose components are being placed.
struct ThreemfLevel {
    /// The model part and the id.
    key: (usize, u32),
    frame: Frame,
    /// Index of the next component.
    next: usize,
    /// The length of the name without this object.
    name_length: usize,
}

struct ThreemfScene<'a> {
    parts: &'a [ModelPart],
    assembly: AssemblyBuilder,
    warnings: Warnings,
    levels: Vec<ThreemfLevel>,
    /// Keys of `levels`.
    open: BTreeSet<(usize, u32)>,
    /// Names of the levels, joined by `/`.
    name: String,
    /// Whether the file names a part.
    has_names: bool,
}

/// Words of the budget that a visit of an object takes, so that assemblies of nothing end.
const VISIT: u64 = 4;

/// Reads the build of the root model part.
pub(super) fn read(mut package: Package, budget: Budget, warnings: Warnings) -> Result<Model, ReadError> {
    let mut assembly = AssemblyBuilder::new(budget);
    let has_meshes = !package.shapes.is_empty();
    for shape in std::mem::take(&mut package.shapes) {
        assembly.add_shape(shape);
    }
    let (levels, open, name) = Default::default();
    let mut scene = ThreemfScene { parts: &package.parts, assembly, warnings, levels, open, name, has_names: false };
    let root = &package.parts[0];
    if root.items.is_empty() && has_meshes {
        return Err(ReadError::NoBuildItems { place: root.place(root.end) });
    }
    for item in &root.items {
        scene.enter(item, 0, &Frame::IDENTITY)?;
        scene.place_components()?;
    }
    if scene.assembly.part_count() == 0 {
        return Err(ReadError::NoFaces { place: root.place(root.end), format: Format::ThreeMf });
    }
    let mut model = scene.assembly.into_model(root.unit, scene.warnings.into_list())?;
    if let [part] = model.parts.as_mut_slice()
        && !scene.has_names
    {
        // The file gives the only part no name: it is named by the file.
        part.name.clear();
    }
    Ok(model)
}

impl<'a> ThreemfScene<'a> {
    /// Places the objects below the open levels.
    fn place_components(&mut self) -> Result<(), ReadError> {
        let parts = self.parts;
        while let Some(level) = self.levels.last_mut() {
            let (part, id) = level.key;
            let components = match &parts[part].objects[&id].content {
                Content::Components(components) => components.as_slice(),
                _ => &[],
            };
            match components.get(level.next) {
                Some(component) => {
                    level.next += 1;
                    let frame = level.frame;
                    self.enter(component, part, &frame)?;
                }
                None => {
                    self.open.remove(&level.key);
                    self.name.truncate(level.name_length);
                    self.levels.pop();
                }
            }
        }
        Ok(())
    }

    /// Places the mesh of an instance in model part `from`, or opens its components.
    fn enter(&mut self, instance: &'a Instance, from: usize, parent: &Frame) -> Result<(), ReadError> {
        let parts = self.parts;
        let place = || parts[from].place(instance.line);
        let part = instance.part;
        let Some(object) = parts[part].objects.get(&instance.object) else {
            let name = format!("`{}`", instance.object);
            return Err(ReadError::Missing { place: place(), what: "object", name });
        };
        let key = (part, instance.object);
        if self.open.contains(&key) {
            let name = format!("object {}", instance.object);
            return Err(ReadError::Cycle { place: place(), name });
        }
        if object.kind == ObjectKind::Auxiliary {
            let remedy = "leave support structures out of the build";
            return self.warnings.skip("objects that are support or other", remedy, place, &object.name);
        }
        let frame = frame_of(instance, parent, parts[part].unit.factor_to(parts[from].unit))
            .map_err(|cause| ReadError::Pose { place: place(), cause })?;
        let name_length = self.name.len();
        self.push_name(object, instance);
        // Each visit pays for its name: an assembly may be visited often without a part.
        let added = (self.name.len() - name_length) as u64;
        self.assembly.budget.take(VISIT + added, || parts[from].place(instance.line))?;
        match &object.content {
            Content::Mesh(shape, property) => {
                let colour = property.and_then(|property| parts[part].colour(property));
                self.has_names |= !self.name.is_empty();
                let name = match self.name.as_str() {
                    "" => format!("object{}", instance.object),
                    path => AssemblyBuilder::part_name(path),
                };
                let place = || parts[part].place(object.line);
                self.assembly.add_part(*shape, &frame, name, colour, place)?;
                self.name.truncate(name_length);
            }
            Content::Components(_) => {
                self.open.insert(key);
                self.levels.push(ThreemfLevel { key, frame, next: 0, name_length });
            }
            Content::Nothing => {
                let (remedy, place) = ("remove them from the build", || parts[part].place(object.line));
                self.warnings.skip("objects without a triangle", remedy, place, &object.name)?;
                self.name.truncate(name_length);
            }
        }
        Ok(())
    }

    /// Appends the name of an object, if it has one; only the outermost level may use the name of its item.
    fn push_name(&mut self, object: &Object, instance: &Instance) {
        let name = if object.name.is_empty() { &instance.part_number } else { &object.name };
        if name.is_empty() {
            return;
        }
        if !self.name.is_empty() {
            self.name.push('/');
        }
        self.name.push_str(name);
    }
}

/// Returns the frame of an instance; `factor` is the ratio of the object's unit to its parent's unit.
fn frame_of(instance: &Instance, parent: &Frame, factor: f64) -> Result<Frame, heurt_geometry::PoseError> {
    let mut local = instance.frame;
    if factor != 1.0 {
        local.stretch *= factor;
    }
    if local.is_identity() { Ok(*parent) } else { parent.child(&local) }
}
