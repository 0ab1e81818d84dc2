//! Dry run of a change of a cell on an excerpt of the map.
//!
//! In: cells, one of which is to be refined, or coarsened with its siblings. Out: the faults after the change.
//! Method: ours: the change is made on an excerpt of the map. Guarantees: the map does not change; the faults are
//! exactly the faults that the change would bring in the given cells. Cost: O(darts of these cells).

use super::RegistrationError;
use super::geometry::Geometry;
use crate::multires::ImplicitMap;
use crate::track::CellFault;
use crate::{CombinatorialMap, Dart, Orbit, Walker};
use heurt_geometry::Vec3;

/// The change to try.
#[derive(Debug, Clone, Copy)]
pub(super) enum RehearsedChange {
    Refine,
    Coarsen,
}

/// Makes a change of the cell of `dart` on an excerpt that has `cells`. Faults give cells and darts as they are now.
///
/// # Errors
/// [`RegistrationError::BadCells`].
pub(super) fn dry_run<const D: usize, G: Geometry<D>>(
    map: &mut ImplicitMap<D>,
    cells: &[Dart],
    dart: Dart,
    change: RehearsedChange,
    make: impl FnOnce(Vec<Vec3>) -> G,
    positions: &[Vec3],
) -> Result<(), RegistrationError> {
    let (mut part, source) = map.submap(cells);
    part.enable_ids(Orbit::Vertex);
    part.enable_ids(G::CELL);
    let at = |copy: Dart| positions[map.map().id(Orbit::Vertex, source[copy.index()]) as usize];
    let vertices = part.map().cell_ids(Orbit::Vertex).into_iter().flat_map(|ids| ids.cells());
    let mut geometry = make(vertices.map(|(_, copy)| at(copy)).collect());
    geometry.begin(&mut part)?;
    let mut walker = Walker::new();
    let here = Dart(source.iter().position(|&other| other == dart).unwrap_or(0) as u32);
    // The map refuses the same changes, and its error gives its own darts.
    match change {
        RehearsedChange::Refine => match part.refine(here) {
            Ok(refined) => geometry.place(&part, &refined, &mut walker),
            Err(_) => return Ok(()),
        },
        RehearsedChange::Coarsen => match part.coarsen(here) {
            Ok(coarsened) => geometry.restore(&part, coarsened.cell, &mut walker),
            Err(_) => return Ok(()),
        },
    }
    let name = |copy: Dart| source.get(copy.index()).copied().unwrap_or(dart);
    let cell = |dart: Dart| map.map().id(G::CELL, dart);
    let named = |fault: CellFault| match fault {
        CellFault::NotStarShaped { dart, .. } => {
            CellFault::NotStarShaped { volume: cell(name(dart)), dart: name(dart) }
        }
        CellFault::NotConvexFace { dart, .. } => CellFault::NotConvexFace { face: cell(name(dart)), dart: name(dart) },
        CellFault::NotConvexVolume { dart, .. } => {
            CellFault::NotConvexVolume { volume: cell(name(dart)), dart: name(dart) }
        }
        CellFault::NotPlane { dart, .. } => CellFault::NotPlane { volume: cell(name(dart)), dart: name(dart) },
        CellFault::NotFinite { dart } => CellFault::NotFinite { dart: name(dart) },
    };
    let faults: Vec<CellFault> = geometry.check(part.map())?.into_iter().map(named).collect();
    if faults.is_empty() { Ok(()) } else { Err(RegistrationError::BadCells { faults }) }
}
