//! The file of a map: a surface mesh or a plan as a map of faces, a volume mesh as a map of volumes.
//!
//! In: a path. Out: a placed map, the unit and the notes of the reader. [`parse_map`] chooses by name and contents.

use crate::Failure;
use crate::input::Input;
use crate::load::{self, Buffers};
use crate::targets::Targets;
use crate::units::Units;
use heurt::map::placed::{PlacedMap, PlacedMapError};
use heurt::scene::{DiskFiles, MapFile, MapFileError, parse_map};
use std::path::Path;

/// A map and the file that it comes from.
pub(super) struct MapSource {
    pub(super) input: Input,
    pub(super) placed: PlacedMap,
}

impl MapSource {
    /// Reads a file; refuses it if one of the targets would overwrite it.
    pub(super) fn read(path: &Path, targets: &Targets<'_>) -> Result<Self, Failure> {
        targets.spare(path)?;
        let buffers = Buffers::default();
        let map = parse_map(&DiskFiles, path, &load::read_bytes(path)?, &buffers);
        let MapFile { placed, unit, notes } = map.map_err(|error| failure_of(path, error))?;
        buffers.files().iter().try_for_each(|file| targets.spare(file))?;
        let input = Input { file: path.to_owned(), units: Units(unit), warnings: notes };
        Ok(Self { input, placed })
    }

    /// Names the file in a failure of work on its map.
    pub(super) fn failure(&self, source: PlacedMapError) -> Failure {
        Failure::MapWork { path: Some(self.input.file.clone()), source: Box::new(source) }
    }
}

/// Makes the failure of a file that is no map.
fn failure_of(path: &Path, error: MapFileError) -> Failure {
    let path = path.to_owned();
    match error {
        MapFileError::File(error) => error.into(),
        MapFileError::Faces(source) => Failure::BadMesh { path, part: String::new(), source: Box::new(source.into()) },
        MapFileError::NoMap { is_volume, source } => Failure::NoMap { path, is_volume, source },
        other => Failure::BadPlan { path, source: Box::new(other) },
    }
}
