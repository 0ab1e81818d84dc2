//! Files as maps: meshes of faces, volume meshes, and plans.
//!
//! In: a file. Out: a placed map, its unit, and notes on what was skipped.
//! Method: the name decides the format, or the first bytes. A plan (WKT, OpenStreetMap, SVG) becomes triangles of its
//! floors, in metres; floors that share an edge at one height are joined there. A volume mesh without cells counts as
//! a surface. Cost: as the readers, and O(n log n) for the n corners of a plan.

use super::{Buffers, FileError, FileNote, ReadSettings, SceneFiles, format_of, parse_file};
use heurt_crowd::join_floors;
use heurt_io::{
    Format, LengthUnit, Model, PlanError, PlanFormat, ReadError, VolumeFormat, read_plan, read_volume_noted, read_with,
};
use heurt_map::BuildError;
use heurt_map::placed::{PlacedMap, PlacedMapError};
use heurt_mesh::MeshError;
use std::path::Path;

/// A map, and the unit and notes of its file.
#[derive(Debug, Clone)]
pub struct MapFile {
    /// The map, in the unit of the file.
    pub placed: PlacedMap,
    /// The unit of all lengths; `None` if the file declares none.
    pub unit: Option<LengthUnit>,
    /// Contents that were skipped.
    pub notes: Vec<FileNote>,
}

/// Errors of a file that is to be a map.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MapFileError {
    /// The file cannot be read as a mesh.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file is no plan.
    #[error("it cannot be used as a plan")]
    Plan(#[from] PlanError),
    /// The floors of a plan have no cells.
    #[error("no map can be made of its floors")]
    Floors(#[from] PlacedMapError),
    /// A part cannot be placed.
    #[error("it cannot be used")]
    Faces(#[from] MeshError),
    /// Faces or cells are no partition.
    #[error("no map can be made of it")]
    NoMap {
        /// True for volumes.
        is_volume: bool,
        /// The faults.
        source: BuildError,
    },
}

/// Reads a file as a map.
///
/// ```
/// use heurt_scene::{SceneFiles, read_map};
/// use std::{io, path::Path};
///
/// struct RoomWithPillar;
/// impl SceneFiles for RoomWithPillar {
///     fn read(&self, _: &Path, _: u64) -> io::Result<Vec<u8>> {
///         Ok(b"POLYGON ((0 0, 4 0, 4 3, 0 3, 0 0), (1 1, 1 2, 2 2, 2 1, 1 1))".to_vec())
///     }
/// }
/// let room = read_map(&RoomWithPillar, Path::new("room.wkt"))?;
/// let summary = room.placed.summary()?;
/// assert_eq!((summary.euler, summary.sizes.ok_or("cells")?.total), (0, 11.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`MapFileError`].
pub fn read_map(files: &dyn SceneFiles, path: &Path) -> Result<MapFile, MapFileError> {
    let unreadable = |source| FileError::Unreadable { path: path.to_owned(), source };
    let bytes = files.read(path, u64::MAX).map_err(unreadable)?;
    parse_map(files, path, &bytes, &Buffers::default())
}

/// Parses the bytes of a file as a map; files that it names are read and listed in `buffers`.
///
/// # Errors
/// [`MapFileError`].
pub fn parse_map(
    files: &dyn SceneFiles,
    path: &Path,
    bytes: &[u8],
    buffers: &Buffers,
) -> Result<MapFile, MapFileError> {
    // A mesh is a map of its own faces, not of the floors in it.
    let plan = PlanFormat::from_extension(&path.to_string_lossy()).filter(|format| *format != PlanFormat::Obj);
    if let Some(format) = plan {
        return parse_plan(path, bytes, format);
    }
    if let Some(Format::Volume(format)) = format_of(path).or_else(|| Format::detect(bytes))
        && let Some(map) = parse_volumes(path, bytes, format)?
    {
        return Ok(map);
    }
    let model = parse_file(files, path, bytes, &ReadSettings::default(), buffers, read_with)?;
    let (vertices, faces) = model.placed_faces()?;
    let placed = PlacedMap::from_faces(&vertices, &faces);
    let placed = placed.map_err(|source| MapFileError::NoMap { is_volume: false, source })?;
    Ok(MapFile { placed, unit: model.unit, notes: notes_of(path, &model) })
}

fn parse_plan(path: &Path, bytes: &[u8], format: PlanFormat) -> Result<MapFile, MapFileError> {
    let plan = read_plan(bytes, format)?;
    let note = |kind, count, message: String| FileNote::about(path, kind, count, message);
    let notes = plan.warnings.iter().map(|warning| note("skipped", warning.count, warning.to_string())).collect();
    let mut floors = plan.walk;
    join_floors(&mut floors);
    Ok(MapFile { placed: PlacedMap::from_floors(&floors)?, unit: Some(LengthUnit::Metre), notes })
}

/// Parses the cells of a volume mesh; returns `None` if it has none.
fn parse_volumes(path: &Path, bytes: &[u8], format: VolumeFormat) -> Result<Option<MapFile>, MapFileError> {
    let (mesh, warnings) = match read_volume_noted(bytes, format) {
        Ok(read) => read,
        Err(ReadError::NoCells { .. }) => return Ok(None),
        Err(source) => return Err(FileError::Unusable { path: path.to_owned(), source }.into()),
    };
    let placed = PlacedMap::from_volumes(&mesh);
    let placed = placed.map_err(|source| MapFileError::NoMap { is_volume: true, source })?;
    Ok(Some(MapFile { placed, unit: None, notes: notes_of(path, &Model { warnings, ..Model::default() }) }))
}

fn notes_of(path: &Path, model: &Model) -> Vec<FileNote> {
    model.warnings.iter().map(|warning| FileNote::of_reader(path, warning)).collect()
}
