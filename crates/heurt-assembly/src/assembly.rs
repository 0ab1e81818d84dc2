//! Parts in their poses: shapes that instances share, names, boxes.
//!
//! In: shapes, and parts that place them. Out: [`Assembly`]. All coordinates are in one unit.

use super::AssemblyError;
use super::interference::PlacedPart;
use heurt_geometry::{Aabb, Pose, Vec3};
use heurt_io::LengthUnit;
use heurt_scene::describe::reaches_finitely;
use heurt_shape::MeshShape;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// One placed part.
#[derive(Debug, Clone)]
pub struct AssemblyPart {
    /// The name, unique in the assembly.
    pub name: String,
    /// The file of the part; empty for a part from memory.
    pub file: PathBuf,
    /// Index into [`Assembly::shapes`].
    pub shape: usize,
    /// The pose of the shape.
    pub pose: Pose,
    /// True if the mesh has no hole, but its faces disagree on which side is out.
    pub is_inconsistent: bool,
    /// The box of the placed vertices, exactly.
    pub bounds: Aabb,
}

/// Parts in their poses.
///
/// ```
/// use heurt_assembly::{Assembly, InterferenceKind, Search, Selection, find_interferences};
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_mesh::generate;
/// use heurt_shape::MeshShape;
///
/// let shapes = vec![MeshShape::new(generate::uv_sphere(1.0, 32)?)?];
/// let beside = Pose::from_translation(Vec3::new(1.5, 0.0, 0.0))?;
/// let assembly = Assembly::new(shapes, [("one", 0, Pose::IDENTITY), ("other", 0, beside)])?;
/// let selection = Selection::default();
/// let search = Search::new(&selection);
/// let findings = find_interferences(&assembly, &search)?;
/// assert_eq!(findings.list[0].kind, InterferenceKind::Clash);
/// let depth = findings.list[0].depth.as_ref().and_then(|depth| depth.at_least);
/// assert!(depth.is_some_and(|depth| depth > 0.4 && depth <= 0.5), "{depth:?}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Assembly {
    /// The shapes of the parts, each in its own frame.
    pub shapes: Vec<MeshShape>,
    /// The parts.
    pub parts: Vec<AssemblyPart>,
    /// The unit of all coordinates, if it is known.
    pub unit: Option<LengthUnit>,
}

impl Assembly {
    /// Places shapes: each part has a name, the number of its shape and a pose.
    ///
    /// # Errors
    /// [`AssemblyError::NoSuchShape`], [`AssemblyError::RepeatedName`], and [`AssemblyError::TooFar`] for a part whose
    /// placed coordinates overflow.
    pub fn new<N: Into<String>>(
        shapes: Vec<MeshShape>,
        parts: impl IntoIterator<Item = (N, usize, Pose)>,
    ) -> Result<Self, AssemblyError> {
        let place = |(name, shape, pose): (N, usize, Pose)| {
            let name = name.into();
            let Some(placed) = shapes.get(shape) else {
                return Err(AssemblyError::NoSuchShape { part: name, shape, shapes: shapes.len() });
            };
            let Some(bounds) = bounds_at(placed, &pose) else { return Err(AssemblyError::TooFar { part: name }) };
            Ok(AssemblyPart { name, file: PathBuf::new(), shape, pose, is_inconsistent: false, bounds })
        };
        let parts: Vec<AssemblyPart> = parts.into_iter().map(place).collect::<Result<_, _>>()?;
        let mut names = BTreeSet::new();
        if let Some(part) = parts.iter().find(|part| !names.insert(&part.name)) {
            return Err(AssemblyError::RepeatedName { name: part.name.clone() });
        }
        Ok(Self { shapes, parts, unit: None })
    }

    /// Moves a part to another pose.
    ///
    /// # Errors
    /// [`AssemblyError::TooFar`] if its placed coordinates overflow; the part stays.
    ///
    /// # Panics
    /// There is no part of that number.
    pub fn place(&mut self, part: usize, pose: Pose) -> Result<(), AssemblyError> {
        let Some(bounds) = bounds_at(self.shape(part), &pose) else {
            return Err(AssemblyError::TooFar { part: self.parts[part].name.clone() });
        };
        (self.parts[part].pose, self.parts[part].bounds) = (pose, bounds);
        Ok(())
    }

    /// Returns the shape of a part.
    ///
    /// # Panics
    /// There is no part of that number.
    pub fn shape(&self, part: usize) -> &MeshShape {
        &self.shapes[self.parts[part].shape]
    }

    /// Returns a part with its shape, in its pose.
    pub(crate) fn placed(&self, part: usize) -> PlacedPart<'_> {
        let AssemblyPart { pose, bounds, .. } = &self.parts[part];
        PlacedPart { shape: self.shape(part), pose, bounds: *bounds }
    }

    /// Counts the triangles of all parts, each instance separately.
    pub fn triangle_count(&self) -> usize {
        self.parts.iter().map(|part| self.shapes[part.shape].mesh().triangles().len()).sum()
    }

    /// Returns the parts that are surfaces only: parts inside them are not found.
    pub fn open_parts(&self) -> impl Iterator<Item = &AssemblyPart> {
        self.parts.iter().filter(|part| !self.shapes[part.shape].is_solid())
    }

    /// Returns the open parts whose inside is decided by the generalised winding number.
    pub fn winding_parts(&self) -> impl Iterator<Item = &AssemblyPart> {
        self.parts.iter().filter(|part| !self.shapes[part.shape].is_exact())
    }
}

/// Computes the box of the placed vertices that triangles use; `None` if a coordinate overflows.
pub fn bounds_at(shape: &MeshShape, pose: &Pose) -> Option<Aabb> {
    if pose.is_identity() {
        return Some(*shape.bounds());
    }
    if !reaches_finitely(pose, shape.bounds()) {
        return None;
    }
    let mesh = shape.mesh();
    let place = |&vertex: &u32| -> Vec3 { pose.place(mesh.vertices()[vertex as usize]) };
    Some(Aabb::from_points(mesh.triangles().iter().flatten().map(place)))
}
