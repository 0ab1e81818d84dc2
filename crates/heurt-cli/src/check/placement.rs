//! Placement of the parts of files: the linear map that is baked into a mesh, and the pose that remains.
//!
//! In: sources (a file, a scale, a pose) and the models read from the files. Out: meshes to build, each once, and parts
//! that place them. Method: the pose of a part is `pose_source · S · pose_part`, with S = scale × unit conversion. A
//! uniform S commutes with rotations, so it is baked into the mesh and into translations, and instances share the mesh.
//! Any other S is baked into the mesh together with the rotation of the part. Files that declare another axis up than
//! the first one that declares any are turned to it, unless the user gives their pose.

use super::assembly::RawPart;
use super::naming::part_name;
use super::sources::Source;
use crate::Failure;
use crate::load::LoadedFile;
use crate::units::Units;
use crate::written_pose::unknown_unit;
use heurt::geometry::{Mat3, Pose, PoseError, Vec3};
use heurt::io::{LengthUnit, UpAxis};
use heurt::mesh::{MeshError, TriMesh};
use heurt::scene::describe::some_of;
use heurt::scene::{FileNote, NameFault, NameIndex};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A linear map of a mesh, column by column, comparable bit by bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Linear([u64; 9]);

impl Linear {
    fn new(matrix: Mat3) -> Self {
        // Adding 0 makes −0 and 0 one key.
        Self(matrix.to_cols_array().map(|entry| (entry + 0.0).to_bits()))
    }

    /// Returns the mesh under the map; a mirror turns its faces, so that they keep facing outward.
    pub(super) fn apply(&self, mesh: &TriMesh) -> Result<TriMesh, MeshError> {
        let matrix = Mat3::from_cols_array(&self.0.map(f64::from_bits));
        if matrix == Mat3::IDENTITY {
            return Ok(mesh.clone());
        }
        let vertices = mesh.vertices().iter().map(|&vertex| matrix * vertex).collect();
        let mapped = TriMesh::new(vertices, mesh.triangles().to_vec())?;
        Ok(if matrix.determinant() < 0.0 { mapped.reversed() } else { mapped })
    }
}

/// A mesh to build: the numbers of its file and mesh, and its linear map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct MeshKey {
    /// Index into the distinct files.
    pub(super) file: usize,
    /// Index into the meshes of the file.
    pub(super) mesh: usize,
    pub(super) linear: Linear,
}

/// The files that were read, by distinct path; `None` if that failed.
pub(super) struct Files<'f> {
    pub(super) paths: &'f [&'f Path],
    pub(super) loaded: &'f [Option<LoadedFile>],
}

impl<'f> Files<'f> {
    /// Returns the number and the content of the file of a source, if it could be read.
    fn of(&self, source: &Source) -> Option<(usize, &'f LoadedFile)> {
        let number = self.paths.binary_search(&source.file.as_path()).ok()?;
        self.loaded[number].as_ref().map(|loaded| (number, loaded))
    }

    /// Returns the mesh of a key; every key names a file that could be read.
    pub(super) fn mesh(&self, key: &MeshKey) -> &'f TriMesh {
        let loaded = self.loaded[key.file].as_ref();
        &loaded.expect("a key is made of a file that was read").model.meshes[key.mesh]
    }

    /// Returns the unit of the coordinates of a source, if the user or the file declares one.
    fn unit_of(&self, source: &Source) -> Option<LengthUnit> {
        let declared = self.of(source).and_then(|(_, loaded)| loaded.model.unit);
        source.unit.or(declared).or(source.default_unit)
    }

    /// Returns the unit that all sources declare; metres if they declare several; `None` if none does.
    pub(super) fn common_unit(&self, sources: &[Source], of_poses: &[LengthUnit]) -> Option<LengthUnit> {
        let declared = sources.iter().filter_map(|source| self.unit_of(source)).chain(of_poses.iter().copied());
        declared.reduce(|one, other| if one == other { one } else { LengthUnit::Metre })
    }
}

/// Meshes to build and the parts that place them.
#[derive(Default)]
pub(super) struct Placements {
    pub(super) keys: Vec<MeshKey>,
    pub(super) parts: Vec<RawPart>,
    pub(super) failures: Vec<Failure>,
    /// Files that were turned.
    pub(super) notes: Vec<FileNote>,
    /// The first file that declares an axis up, and that axis: all others are turned to it.
    up: Option<(PathBuf, UpAxis)>,
}

impl Placements {
    /// Places all parts of all sources, in the unit of the report.
    pub(super) fn of(sources: &[Source], files: &Files<'_>, units: Units) -> Self {
        let declared = sources.iter().filter(|source| source.pose.is_none()).find_map(|source| {
            let up = files.of(source).and_then(|(_, loaded)| loaded.model.up)?;
            Some((source.file.clone(), up))
        });
        let mut placements = Self { up: declared, ..Self::default() };
        let mut number_of: BTreeMap<MeshKey, usize> = BTreeMap::new();
        for source in sources {
            let Some((file, loaded)) = files.of(source) else { continue };
            let factor = factor(files.unit_of(source), units);
            if let Err(failure) = placements.add(source, (file, loaded), files, factor, units, &mut number_of) {
                placements.failures.push(failure);
            }
        }
        placements
    }

    fn add(
        &mut self,
        source: &Source,
        (file, loaded): (usize, &LoadedFile),
        files: &Files<'_>,
        factor: f64,
        units: Units,
        number_of: &mut BTreeMap<MeshKey, usize>,
    ) -> Result<(), Failure> {
        if let (Some(pose), Some(unit), None) = (&source.pose, source.pose_unit, units.0) {
            return Err(Failure::NoLength { option: "--pose-a, --pose-b", source: unknown_unit(pose, unit) });
        }
        let refuse = |part: &str, error: PoseError| Failure::BadPlacement {
            path: source.file.clone(),
            part: part.to_owned(),
            source: error,
        };
        let outer = match source.pose {
            Some(pose) => {
                scaled_translation(&pose, factor_of_poses(source, units)).map_err(|error| refuse("", error))?
            }
            None => self.turned(source, loaded).map_err(|error| refuse("", error))?,
        };
        let parts = &loaded.model.parts;
        let chosen = match &source.part {
            None => (0..parts.len()).collect(),
            Some(name) => parts_of_name(loaded, name).map_err(|(fault, known)| {
                let (path, name) = (source.file.clone(), name.clone());
                match fault {
                    NameFault::Ambiguous { .. } => Failure::AmbiguousPartInFile { path, name, known },
                    _ => Failure::NoSuchPartInFile { path, name, known },
                }
            })?,
        };
        let count = chosen.len();
        // Unreadable parts count: the names of the readable parts do not depend on them.
        let siblings = if source.part.is_some() { count } else { loaded.part_count };
        for part in chosen.into_iter().map(|number| &parts[number]) {
            let (matrix, inner) =
                split(source.scale * factor, &part.pose).map_err(|error| refuse(&part.name, error))?;
            let key = MeshKey { file, mesh: part.mesh, linear: Linear::new(matrix) };
            let mesh = *number_of.entry(key).or_insert_with(|| {
                self.keys.push(key);
                self.keys.len() - 1
            });
            let name = match (&source.name, count) {
                (Some(name), 1) => name.clone(),
                (Some(name), _) => format!("{name}/{}", part.name),
                (None, _) => part_name(&source.file, &part.name, siblings, files.paths.len() == 1),
            };
            self.parts.push(RawPart {
                name,
                is_named: source.name.is_some(),
                is_copy: source.is_copy,
                file: source.file.clone(),
                mesh,
                pose: placed_by(&outer, &inner),
            });
        }
        Ok(())
    }
}

/// Returns the numbers of the parts of a file that a name or pattern means; the fault has the names for a message.
fn parts_of_name(loaded: &LoadedFile, name: &str) -> Result<Vec<usize>, (NameFault, String)> {
    let names = loaded.model.parts.iter().map(|part| part.name.as_str());
    NameIndex::new(names.clone()).find(name).map_err(|fault| {
        let known = match &fault {
            NameFault::Ambiguous { candidates } => some_of(candidates.iter().map(String::as_str)),
            _ => some_of(names),
        };
        (fault, known)
    })
}

impl Placements {
    /// Returns the rotation to the axis up of the first file, with a note if it moves anything.
    fn turned(&mut self, source: &Source, loaded: &LoadedFile) -> Result<Pose, PoseError> {
        let (Some((first, target)), Some(up)) = (&self.up, loaded.model.up) else { return Ok(Pose::IDENTITY) };
        if up == *target {
            return Ok(Pose::IDENTITY);
        }
        let message = format!(
            "this file has {up} up, {} has {target} up: its parts are turned to {target} up; an assembly file that \
             lists it keeps its axes",
            first.display()
        );
        self.notes.push(FileNote::about(&source.file, "axes", loaded.model.parts.len() as u64, message));
        Pose::from_matrix(up.rotation_to(*target), Vec3::ZERO)
    }
}

/// Returns the factor of the coordinates; 1 if one of the units is unknown.
fn factor(unit: Option<LengthUnit>, units: Units) -> f64 {
    unit.zip(units.0).map_or(1.0, |(unit, target)| unit.factor_to(target))
}

fn factor_of_poses(source: &Source, units: Units) -> f64 {
    factor(source.pose_unit, units)
}

/// Returns the same rotation, and the translation times a factor.
fn scaled_translation(pose: &Pose, factor: f64) -> Result<Pose, PoseError> {
    if factor == 1.0 { Ok(*pose) } else { Pose::from_matrix(*pose.rotation(), pose.translation() * factor) }
}

/// Splits `S · pose` into a linear map of the mesh and a pose.
fn split(scale: Vec3, pose: &Pose) -> Result<(Mat3, Pose), PoseError> {
    if scale == Vec3::ONE {
        return Ok((Mat3::IDENTITY, *pose));
    }
    let stretch = Mat3::from_diagonal(scale);
    if scale.x == scale.y && scale.y == scale.z {
        return Ok((stretch, scaled_translation(pose, scale.x)?));
    }
    Ok((stretch * *pose.rotation(), Pose::from_translation(scale * pose.translation())?))
}

/// Computes `outer ∘ inner`, without rounding if one of them is the identity.
pub(super) fn placed_by(outer: &Pose, inner: &Pose) -> Pose {
    match (outer.is_identity(), inner.is_identity()) {
        (true, _) => *inner,
        (_, true) => *outer,
        _ => outer.compose(inner),
    }
}
