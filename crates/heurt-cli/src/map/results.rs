//! Outputs that all commands on maps share: table or JSON, a picture, and a VTU file.
//!
//! In: options; a placed map with values by cell. Out: files. The names of all files are checked before the work.

use crate::Failure;
use crate::output::to_file;
use crate::picture::PictureArguments;
use crate::targets::Targets;
use crate::threads;
use clap::Args;
use heurt::io::{CellArray, CellValues, GridCells, write_vtu};
use heurt::map::placed::{CellList, PlacedMap};
use std::path::PathBuf;

/// Options of the outputs.
#[derive(Debug, Clone, Args)]
pub(super) struct MapOutput {
    /// Writes the cells and their arrays for ParaView, VTK or meshio.
    #[arg(long, value_name = "FILE.vtu")]
    vtu: Option<PathBuf>,
    /// Prints JSON.
    #[arg(long)]
    pub(super) json: bool,
    /// Prints no table.
    #[arg(long, short)]
    pub(super) quiet: bool,
    #[command(flatten)]
    pub(super) picture: PictureArguments,
    /// Draws on this many threads; 0 is one for each core.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=threads::MOST as i64))]
    pub(super) threads: Option<u16>,
}

impl MapOutput {
    /// Checks the names of the files to write.
    pub(super) fn targets(&self) -> Result<Targets<'_>, Failure> {
        self.picture.check_name()?;
        if let Some(path) = &self.vtu {
            if path.as_os_str() == "-" {
                return Err(Failure::ExportToOutput { option: "vtu" });
            }
            if !path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("vtu")) {
                return Err(Failure::NoVtuName { path: path.clone() });
            }
        }
        let targets = Targets::new(&[("vtu", self.vtu.as_deref()), ("picture", self.picture.path())])?;
        targets.try_out()?;
        Ok(targets)
    }

    /// Writes the VTU file, if one is named: the number of each cell, and the given arrays.
    pub(super) fn write_vtu(&self, placed: &PlacedMap, arrays: &[(&str, Vec<i64>)]) -> Result<(), Failure> {
        let Some(path) = &self.vtu else { return Ok(()) };
        let numbers: Vec<i64> = placed.cell_numbers().into_iter().map(i64::from).collect();
        let cell = CellArray { name: "cell", values: CellValues::Whole(&numbers) };
        let given = arrays.iter().map(|(name, values)| CellArray { name, values: CellValues::Whole(values) });
        let arrays: Vec<CellArray<'_>> = std::iter::once(cell).chain(given).collect();
        let cells = placed.cells();
        let cells = match &cells {
            CellList::Faces(faces) => GridCells::Faces(faces),
            CellList::Volumes(cells) => GridCells::Volumes(cells),
        };
        to_file(path, |file| write_vtu(&placed.points, cells, &arrays, file))
    }
}
