//! The file of a map: a surface mesh as a map of faces, a volume mesh as a map of volumes.
//!
//! In: a path. Out: a placed map, the unit and the notes of the reader. A volume mesh without cells counts as a
//! surface. Further kinds of files, for example plans, are added as a branch of [`MapSource::read`].

use crate::Failure;
use crate::input::Input;
use crate::load::{self, Buffers, ReadSettings};
use crate::targets::Targets;
use heurt::io::{Format, Model, ReadError, VolumeFormat, read_volume_noted};
use heurt::map::placed::{PlacedMap, PlacedMapError};
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
        if let Some(format) = volume_format(path)?
            && let Some(source) = Self::read_volumes(path, format)?
        {
            return Ok(source);
        }
        let buffers = Buffers::default();
        let model = load::read_model(path, &ReadSettings::default(), &buffers)?;
        buffers.files().iter().try_for_each(|file| targets.spare(file))?;
        let (vertices, faces) = model.placed_faces().map_err(|source| Failure::BadMesh {
            path: path.to_owned(),
            part: String::new(),
            source: Box::new(source.into()),
        })?;
        let placed = PlacedMap::from_faces(&vertices, &faces);
        let placed = placed.map_err(|source| Failure::NoMap { path: path.to_owned(), is_volume: false, source })?;
        Ok(Self { input: Input::of(path, &model), placed })
    }

    /// Reads the cells of a file; `None` if it has none.
    fn read_volumes(path: &Path, format: VolumeFormat) -> Result<Option<Self>, Failure> {
        let (mesh, warnings) = match read_volume_noted(&load::read_bytes(path)?, format) {
            Ok(read) => read,
            Err(ReadError::NoCells { .. }) => return Ok(None),
            Err(source) => return Err(Failure::BadFile { path: path.to_owned(), source }),
        };
        let placed = PlacedMap::from_volumes(&mesh);
        let placed = placed.map_err(|source| Failure::NoMap { path: path.to_owned(), is_volume: true, source })?;
        let input = Input::of(path, &Model { warnings, ..Model::default() });
        Ok(Some(Self { input, placed }))
    }

    /// Names the file in a failure of work on its map.
    pub(super) fn failure(&self, source: PlacedMapError) -> Failure {
        Failure::MapWork { path: Some(self.input.file.clone()), source: Box::new(source) }
    }
}

/// Returns the format of a volume mesh, by the name of the file or else by its first bytes.
fn volume_format(path: &Path) -> Result<Option<VolumeFormat>, Failure> {
    let format = match load::format_of(path) {
        Some(format) => Some(format),
        None => Format::detect(&load::read_bytes(path)?),
    };
    Ok(match format {
        Some(Format::Volume(format)) => Some(format),
        _ => None,
    })
}
