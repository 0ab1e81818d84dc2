//! The parts to check: files read, units converted, meshes made solid, shapes built, poses applied.
//!
//! In: arguments that name files, folders and assembly files. Out: [`LoadedAssembly`].
//! Method: each distinct file is read once; each distinct mesh under each linear map (`placement`) becomes one shape,
//! which its instances share. Nearly closed meshes are welded and shells turned (`prepare`), then trees are built; all
//! of it in parallel, in the order of the inputs.
//! Guarantees: a file or part that cannot be used is kept as a failure, and all other parts are still checked.

use super::arguments::{BuildOptions, SolidArgument};
use super::naming::make_unique;
use super::placement::{Files, MeshKey, Placements, placed_by};
use super::selection::{known, matched};
use super::sources::Sources;
use super::{AssemblyArguments, notes};
use crate::Failure;
use crate::files::tree_of_option;
use crate::load::{Buffers, LoadedFile};
use crate::progress::Progress;
use crate::units::Units;
use crate::written_pose::pose_from_option;
use heurt::assembly::{Assembly, AssemblyPart, bounds_at};
use heurt::geometry::{Aabb, Pose};
use heurt::io::LengthUnit;
use heurt::mesh::{TriMesh, Weld};
use heurt::scene::FileNote;
use heurt::scene::{Preparation, PrepareError, prepare};
use heurt::shape::{MeshShape, Solidity, TreeChoice};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::ops::Deref;
use std::path::{Path, PathBuf};

/// The parts that are checked, and the failures of all other parts.
#[derive(Default)]
pub(crate) struct LoadedAssembly {
    assembly: Assembly,
    pub(crate) failures: Vec<Failure>,
    /// Skipped, welded and turned contents, in the order of the inputs.
    pub(crate) warnings: Vec<FileNote>,
    /// The files that were read, including files that other files name.
    pub(crate) inputs: Vec<PathBuf>,
}

impl Deref for LoadedAssembly {
    type Target = Assembly;

    fn deref(&self) -> &Assembly {
        &self.assembly
    }
}

/// A part before its shape is built.
pub(super) struct RawPart {
    pub(super) name: String,
    /// True if the user gave the name.
    pub(super) is_named: bool,
    /// True for one of several copies, which are all numbered.
    pub(super) is_copy: bool,
    pub(super) file: PathBuf,
    /// Index into the list of meshes to build.
    pub(super) mesh: usize,
    pub(super) pose: Pose,
}

/// A shape, and the preparation of its mesh.
struct Built {
    shape: MeshShape,
    preparation: Preparation,
}

impl LoadedAssembly {
    /// Loads the inputs of the arguments.
    pub(crate) fn load(arguments: &AssemblyArguments, options: &BuildOptions<'_>) -> Result<Self, Failure> {
        let Sources { list, mut failures, mut warnings, units } = Sources::of(arguments)?;
        let mut paths: Vec<&Path> = list.iter().map(|source| source.file.as_path()).collect();
        paths.sort();
        paths.dedup();
        let buffers = Buffers::default();
        let reading = Progress::new("reading", paths.len() as u64, options.quiet);
        let loaded = read_all(&paths, arguments, &buffers, &reading, &mut failures, &mut warnings);
        drop(reading);
        let files = Files { paths: &paths, loaded: &loaded };
        let units = Units(arguments.reading.unit.or_else(|| files.common_unit(&list, &units)));
        let placements = Placements::of(&list, &files, units);
        failures.extend(placements.failures);
        warnings.extend(placements.notes);
        let weld = arguments.reading.weld.in_units(units)?;
        let tree = options.tree.map(tree_of_option).transpose()?;
        let progress = Progress::new("building trees", placements.keys.len() as u64, options.quiet);
        let build = |key: &MeshKey| {
            let mesh = key.linear.apply(files.mesh(key));
            let built =
                mesh.map_err(PrepareError::from).and_then(|mesh| Built::new(mesh, weld, options.solid, tree.as_ref()));
            progress.step();
            built
        };
        let built: Vec<Result<Built, PrepareError>> = placements.keys.par_iter().map(build).collect();
        drop(progress);
        let inputs = buffers.files().into_iter().chain(paths.iter().map(|path| path.to_path_buf())).collect();
        let assembly = Assembly { unit: units.0, ..Assembly::default() };
        let assembly = Self { assembly, failures, warnings, inputs };
        let mut assembly = assembly.with_parts(placements.parts, built);
        assembly.warnings.extend(notes::hint_at_units(&assembly));
        Ok(assembly)
    }

    /// Takes meshes and parts from memory, in metres, without changes.
    pub(crate) fn from_memory(meshes: Vec<TriMesh>, parts: impl IntoIterator<Item = (String, usize, Pose)>) -> Self {
        let raw =
            |(name, mesh, pose)| RawPart { name, is_named: true, is_copy: false, file: PathBuf::new(), mesh, pose };
        let built = meshes.into_par_iter().map(Built::as_given).collect();
        let assembly = Assembly { unit: Some(LengthUnit::Metre), ..Assembly::default() };
        Self { assembly, ..Self::default() }.with_parts(parts.into_iter().map(raw).collect(), built)
    }

    /// Joins parts with their shapes; each part whose shape failed becomes a failure.
    fn with_parts(mut self, mut raw: Vec<RawPart>, built: Vec<Result<Built, PrepareError>>) -> Self {
        make_unique(&mut raw);
        // Bounds are computed in parallel, failures are collected in order.
        let bounds: Vec<Option<Aabb>> = raw
            .par_iter()
            .map(|part| built[part.mesh].as_ref().ok().and_then(|built| bounds_at(&built.shape, &part.pose)))
            .collect();
        let mut is_reported = vec![false; built.len()];
        for (part, bounds) in raw.into_iter().zip(bounds) {
            let RawPart { name, file, mesh, pose, .. } = part;
            match (&built[mesh], bounds) {
                (Ok(built), Some(bounds)) => {
                    // A mesh is prepared once, for any number of instances.
                    if !std::mem::replace(&mut is_reported[mesh], true) {
                        self.warnings.extend(built.preparation.notes(&file, &name, self.units().length()));
                    }
                    let is_inconsistent = built.preparation.is_inconsistent;
                    self.assembly.parts.push(AssemblyPart { name, file, shape: mesh, pose, is_inconsistent, bounds });
                }
                (Ok(_), None) => self.failures.push(Failure::TooFar { path: file, part: name }),
                (Err(error), _) => {
                    let source = Box::new(error.clone());
                    self.failures.push(Failure::BadMesh { path: file, part: name, source });
                }
            }
        }
        // Shapes that no part uses are left out; a failed one is used by none.
        let mut kept = vec![usize::MAX; built.len()];
        let used: BTreeSet<usize> = self.parts.iter().map(|part| part.shape).collect();
        for (index, built) in built.into_iter().enumerate() {
            if let (true, Ok(built)) = (used.contains(&index), built) {
                kept[index] = self.shapes.len();
                self.assembly.shapes.push(built.shape);
            }
        }
        self.assembly.parts.iter_mut().for_each(|part| part.shape = kept[part.shape]);
        self
    }

    /// Moves parts by the poses that `--pose NAME=POSE` gives, in order.
    pub(crate) fn place_named(&mut self, poses: &[String]) -> Result<(), Failure> {
        for text in poses {
            let Some((name, value)) = text.split_once('=') else {
                let reason = format!("`{text}` has no `=`: give a name of a part or a pattern, `=`, and a pose");
                return Err(Failure::NoPose { option: "--pose", reason });
            };
            let pose = pose_from_option("--pose", value)?.in_units("--pose", self.units())?;
            let chosen = matched(&self.parts, &[name.to_owned()], "pose")?;
            for part in (0..chosen.len()).filter(|&part| chosen[part]) {
                let placed = placed_by(&pose, &self.parts[part].pose);
                self.assembly.place(part, placed).map_err(|_| {
                    let AssemblyPart { file, name, .. } = &self.parts[part];
                    Failure::TooFar { path: file.clone(), part: name.clone() }
                })?;
            }
        }
        Ok(())
    }

    /// Returns the unit of all coordinates.
    pub(crate) fn units(&self) -> Units {
        Units(self.unit)
    }

    /// Returns the names of the parts, for messages.
    pub(crate) fn known_parts(&self) -> String {
        known(&self.parts)
    }
}

/// Reads all files in parallel; failures and warnings are in the order of the paths.
fn read_all(
    paths: &[&Path],
    arguments: &AssemblyArguments,
    buffers: &Buffers,
    progress: &Progress,
    failures: &mut Vec<Failure>,
    warnings: &mut Vec<FileNote>,
) -> Vec<Option<LoadedFile>> {
    let read = |path: &&Path| {
        let loaded = arguments.reading.read_parts(path, arguments.strict, buffers);
        progress.step();
        loaded
    };
    let loaded: Vec<Result<LoadedFile, Failure>> = paths.par_iter().map(read).collect();
    let keep = |(path, loaded): (&&Path, Result<LoadedFile, Failure>)| match loaded {
        Ok(mut loaded) => {
            failures.append(&mut loaded.failures);
            warnings.extend(loaded.model.warnings.iter().map(|warning| FileNote::of_reader(path, warning)));
            Some(loaded)
        }
        Err(failure) => {
            failures.push(failure);
            None
        }
    };
    paths.iter().zip(loaded).map(keep).collect()
}

impl Built {
    /// Makes a mesh solid, its vertices welded by `weld`, and builds its trees.
    fn new(mesh: TriMesh, weld: Weld, solid: SolidArgument, tree: Option<&TreeChoice>) -> Result<Self, PrepareError> {
        let (shape, preparation) = prepare(mesh, weld)?;
        let shape = match tree {
            Some(choice) => shape.with_tree(choice)?,
            None => shape,
        };
        let shape = match solid {
            SolidArgument::Winding if !shape.is_closed() => shape.with_solidity(Solidity::Winding)?,
            _ => shape,
        };
        Ok(Self { shape, preparation })
    }

    /// Builds the trees of a mesh without changes.
    fn as_given(mesh: TriMesh) -> Result<Self, PrepareError> {
        Ok(Self { shape: MeshShape::new(mesh)?, preparation: Preparation::default() })
    }
}
