//! The parts to check: files read, shapes built, poses applied.
//!
//! Guarantees: one shape for each distinct mesh (instances, and files named twice, share it); parts in the order of the
//! inputs; a file or part that cannot be used is kept as a failure, and the rest goes on.

use super::CheckArguments;
use crate::load::Buffers;
use crate::progress::Progress;
use crate::{Failure, load, pose, tree_file};
use heurt::geometry::{Aabb, Pose, Vec3};
use heurt::mesh::TriMesh;
use heurt::shape::{MeshShape, TreeChoice};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// One placed part.
pub(crate) struct Part {
    /// Unique in the assembly.
    pub(crate) name: String,
    /// The file it comes from; empty for the assembly built into the program.
    pub(crate) file: PathBuf,
    /// Which of [`Assembly::shapes`].
    pub(crate) shape: usize,
    pub(crate) pose: Pose,
    /// The box of the placed vertices, exactly.
    pub(crate) bounds: Aabb,
}

/// What is checked, and what could not be.
pub(crate) struct Assembly {
    pub(crate) shapes: Vec<MeshShape>,
    pub(crate) parts: Vec<Part>,
    pub(crate) failures: Vec<Failure>,
    /// Files that were read because others name them.
    pub(crate) buffers: Vec<PathBuf>,
}

/// What a file holds, kept for each time that it is named.
struct Contents {
    /// Where its meshes start among all.
    first_mesh: usize,
    parts: Vec<heurt::io::Part>,
    /// Parts, with those that cannot be used.
    part_count: usize,
}

/// A part before its shape is built.
struct Raw {
    name: String,
    file: PathBuf,
    mesh: usize,
    pose: Pose,
}

impl Assembly {
    /// Loads what the arguments name.
    pub(crate) fn load(arguments: &CheckArguments) -> Result<Self, Failure> {
        let poses = [("--pose-a", &arguments.pose_a), ("--pose-b", &arguments.pose_b)];
        let count = arguments.inputs.len();
        if count != 2 && poses.iter().any(|(_, pose)| pose.is_some()) {
            return Err(Failure::PoseWithoutPair { count });
        }
        let mut placement = Vec::new();
        for (option, value) in poses {
            placement.push(value.as_deref().map(|value| pose::from_option(option, value)).transpose()?);
        }
        let mut failures = Vec::new();
        let mut files: Vec<(PathBuf, Option<Pose>)> = Vec::new();
        for (index, input) in arguments.inputs.iter().enumerate() {
            let pose = placement.get(index).copied().flatten();
            match load::files_of(input) {
                Ok(found) => files.extend(found.into_iter().map(|file| (file, pose))),
                Err(failure) => failures.push(failure),
            }
        }
        let mut distinct: Vec<&Path> = files.iter().map(|(file, _)| file.as_path()).collect();
        distinct.sort();
        distinct.dedup();
        let buffers = Buffers::default();
        let progress = Progress::new("reading", distinct.len() as u64, arguments.quiet);
        let read = |path: &&Path| {
            let model = load::read_parts(path, &buffers);
            progress.step();
            model
        };
        let models: Vec<_> = distinct.par_iter().map(read).collect();
        let mut meshes = Vec::new();
        let mut contents = Vec::new();
        for model in models {
            contents.push(match model {
                Ok((model, bad_parts)) => {
                    let first_mesh = meshes.len();
                    let part_count = model.parts.len() + bad_parts.len();
                    meshes.extend(model.meshes);
                    failures.extend(bad_parts);
                    Some(Contents { first_mesh, parts: model.parts, part_count })
                }
                Err(failure) => {
                    failures.push(failure);
                    None
                }
            });
        }
        let mut raw = Vec::new();
        let is_alone = distinct.len() == 1;
        for (file, pose) in &files {
            let Ok(number) = distinct.binary_search(&file.as_path()) else { continue };
            let Some(Contents { first_mesh, parts, part_count }) = &contents[number] else { continue };
            raw.extend(parts.iter().map(|part| Raw {
                name: part_name(file, &part.name, *part_count, is_alone),
                file: file.clone(),
                mesh: first_mesh + part.mesh,
                pose: pose.map_or(part.pose, |pose| placed_by(&pose, &part.pose)),
            }));
        }
        drop(progress);
        let tree = arguments.tree.as_deref().map(tree_file::read).transpose()?;
        let built = Self::build(meshes, raw, failures, tree.as_ref(), arguments.quiet);
        Ok(Self { buffers: buffers.files(), ..built })
    }

    /// Takes meshes and parts that are in memory already.
    pub(crate) fn from_memory(meshes: Vec<TriMesh>, parts: impl IntoIterator<Item = (String, usize, Pose)>) -> Self {
        let raw = parts.into_iter().map(|(name, mesh, pose)| Raw { name, file: PathBuf::new(), mesh, pose }).collect();
        Self::build(meshes, raw, Vec::new(), None, true)
    }

    fn build(
        meshes: Vec<TriMesh>,
        mut raw: Vec<Raw>,
        mut failures: Vec<Failure>,
        tree: Option<&TreeChoice>,
        quiet: bool,
    ) -> Self {
        make_unique(&mut raw);
        let progress = Progress::new("building trees", meshes.len() as u64, quiet);
        let built: Vec<_> = meshes
            .into_par_iter()
            .map(|mesh| {
                let shape = MeshShape::new(mesh).and_then(|shape| match tree {
                    Some(choice) => shape.with_tree(choice),
                    None => Ok(shape),
                });
                progress.step();
                shape
            })
            .collect();
        // Bounds are found in parallel, what failed is sorted out in order.
        let bounds: Vec<Option<Aabb>> = raw
            .par_iter()
            .map(|part| built[part.mesh].as_ref().ok().and_then(|shape| placed_bounds(shape, &part.pose)))
            .collect();
        let mut parts = Vec::with_capacity(raw.len());
        for (part, bounds) in raw.into_iter().zip(bounds) {
            let Raw { name, file, mesh, pose } = part;
            match (&built[mesh], bounds) {
                (Ok(_), Some(bounds)) => parts.push(Part { name, file, shape: mesh, pose, bounds }),
                (Ok(_), None) => failures.push(Failure::TooFar { path: file, part: name }),
                (Err(error), _) => {
                    failures.push(Failure::BadShape { path: file, part: name, source: Box::new(error.clone()) })
                }
            }
        }
        // Shapes that no part uses are left out; a failed one is used by none.
        let mut kept = vec![usize::MAX; built.len()];
        let used: BTreeSet<usize> = parts.iter().map(|part| part.shape).collect();
        let mut shapes = Vec::with_capacity(used.len());
        for (index, shape) in built.into_iter().enumerate() {
            if let (true, Ok(shape)) = (used.contains(&index), shape) {
                kept[index] = shapes.len();
                shapes.push(shape);
            }
        }
        parts.iter_mut().for_each(|part| part.shape = kept[part.shape]);
        Self { shapes, parts, failures, buffers: Vec::new() }
    }

    /// The shape of a part.
    pub(crate) fn shape(&self, part: usize) -> &MeshShape {
        &self.shapes[self.parts[part].shape]
    }

    /// Triangles of all parts, instances counted each.
    pub(crate) fn triangle_count(&self) -> usize {
        self.parts.iter().map(|part| self.shapes[part.shape].mesh().triangles().len()).sum()
    }
}

/// `outer ∘ inner`, without rounding where one of them moves nothing.
fn placed_by(outer: &Pose, inner: &Pose) -> Pose {
    match (outer.is_identity(), inner.is_identity()) {
        (true, _) => *inner,
        (_, true) => *outer,
        _ => outer.compose(inner),
    }
}

/// The box of the placed vertices that triangles use; `None` when a coordinate overflows.
fn placed_bounds(shape: &MeshShape, pose: &Pose) -> Option<Aabb> {
    if pose.is_identity() {
        return Some(*shape.bounds());
    }
    if !pose::reaches_finitely(pose, shape.bounds()) {
        return None;
    }
    let mesh = shape.mesh();
    let place = |&vertex: &u32| -> Vec3 { pose.place(mesh.vertices()[vertex as usize]) };
    Some(Aabb::from_points(mesh.triangles().iter().flatten().map(place)))
}

/// How a part is called: by its own name where one file is checked or it has no other, else with its file.
fn part_name(file: &Path, name: &str, siblings: usize, is_alone: bool) -> String {
    let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    match (name.is_empty(), siblings, is_alone) {
        (false, _, true) if siblings > 1 => name.to_owned(),
        (_, 1, _) => stem,
        (true, ..) => stem,
        (false, ..) => format!("{stem}/{name}"),
    }
}

/// Tells apart parts of one name: by the paths of their files where these differ, and by numbers.
fn make_unique(parts: &mut [Raw]) {
    let mut file_of: BTreeMap<&str, Option<&Path>> = BTreeMap::new();
    for part in &*parts {
        let file = file_of.entry(&part.name).or_insert(Some(&part.file));
        *file = file.filter(|file| *file == part.file);
    }
    let shared: BTreeSet<String> =
        file_of.iter().filter(|(_, file)| file.is_none()).map(|(name, _)| (*name).to_owned()).collect();
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let mut next: BTreeMap<String, u64> = BTreeMap::new();
    for part in parts {
        if shared.contains(&part.name) {
            let stem = part.file.file_stem().map(|stem| stem.to_string_lossy());
            let own = part.name.strip_prefix(stem.as_deref().unwrap_or_default()).unwrap_or_default();
            part.name = format!("{}{own}", part.file.display());
        }
        let number = next.entry(part.name.clone()).or_insert(1);
        let mut name = part.name.clone();
        // Numbers only go up, so that many parts of one name cost no more than a look each.
        while !taken.insert(name.clone()) {
            *number += 1;
            name = format!("{}#{number}", part.name);
        }
        part.name = name;
    }
}
