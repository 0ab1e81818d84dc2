//! Faults of a map.

use crate::map::Map;
use crate::{CombinatorialMap, Dart, NO_CELL, Orbit};
use thiserror::Error;

/// One violated constraint. `validate` lists all of them; the operations leave none.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MapFault {
    /// A link leads to a dart that is not there.
    #[error("φ{phi} of dart {} is {to}, which is not a live dart", dart.0)]
    DeadLink {
        /// 1, −1, 2 or 3.
        phi: i8,
        /// The dart.
        dart: Dart,
        /// The value of the link.
        to: u32,
    },
    /// φ₋₁ is not the inverse of φ₁.
    #[error("φ-1 of φ1 of dart {} is not the dart", dart.0)]
    NotInverse {
        /// The dart.
        dart: Dart,
    },
    /// φ₂ or φ₃ does not lead back.
    #[error("φ{phi} does not lead back to dart {}", dart.0)]
    NotInvolution {
        /// 2 or 3.
        phi: i8,
        /// The dart.
        dart: Dart,
    },
    /// φ₂ or φ₃ of a dart is itself: the map is not closed there.
    #[error("φ{phi} of dart {} is itself: the map is open there", dart.0)]
    FixedPoint {
        /// 2 or 3.
        phi: i8,
        /// The dart.
        dart: Dart,
    },
    /// φ₁∘φ₃ does not lead back: two volumes have different faces there.
    #[error("φ1 of φ3 of dart {} does not lead back: the two sides of the face do not run against each other", dart.0)]
    SidesDiffer {
        /// The dart.
        dart: Dart,
    },
    /// Both sides of a face of a volume are one face.
    #[error("φ3 of dart {} is in its own face", dart.0)]
    FaceOnItself {
        /// The dart.
        dart: Dart,
    },
    /// A boundary dart is linked by φ₁ (or φ₂ in 3D) to one that is not.
    #[error("φ{phi} leads from dart {} across the edge of the boundary", dart.0)]
    MixedBoundary {
        /// 1 or 2.
        phi: i8,
        /// The dart.
        dart: Dart,
    },
    /// There is boundary on both sides.
    #[error("dart {} and its neighbour are both of the boundary", dart.0)]
    BoundaryOnBothSides {
        /// The dart.
        dart: Dart,
    },
    /// A vertex (2D) or an edge (3D) meets the boundary more than once: it should be several.
    #[error("the {orbit:?} of dart {} meets the boundary {times} times: it should be {times} of them", dart.0)]
    Pinched {
        /// Vertex (2D) or edge (3D).
        orbit: Orbit,
        /// A boundary dart of it.
        dart: Dart,
        /// Number of times.
        times: usize,
    },
    /// The darts of one cell have different numbers.
    #[error("darts {} and {} are of one {orbit:?}, with numbers {first_id} and {id}", first.0, dart.0)]
    IdsDiffer {
        /// The kind of cell.
        orbit: Orbit,
        /// The first dart of the orbit.
        first: Dart,
        /// Its number.
        first_id: u32,
        /// Another dart.
        dart: Dart,
        /// Its number.
        id: u32,
    },
    /// Two cells share a number.
    #[error("darts {} and {} are of different cells of kind {orbit:?} and have number {id}", first.0, dart.0)]
    IdShared {
        /// The kind of cell.
        orbit: Orbit,
        /// The number.
        id: u32,
        /// A dart of the first cell.
        first: Dart,
        /// A dart of the second cell.
        dart: Dart,
    },
    /// A number leads to no dart of its cell, is missing, or belongs to a dart without a cell.
    #[error("number {id} of kind {orbit:?} at dart {} does not fit the map", dart.0)]
    IdAstray {
        /// The kind of cell.
        orbit: Orbit,
        /// The number.
        id: u32,
        /// The dart.
        dart: Dart,
    },
    /// The list of free darts does not hold exactly the darts that are not live.
    #[error("{free} darts are free and {live} live, of {capacity}")]
    FreeList {
        /// Length of the list.
        free: usize,
        /// Live darts.
        live: usize,
        /// All darts.
        capacity: usize,
    },
}

impl<const D: usize> Map<D> {
    /// Lists every violated constraint; none for a map that only its own operations have touched. Cost: O(darts) and
    /// the orbits.
    pub fn validate(&self) -> Vec<MapFault> {
        let mut faults = Vec::new();
        check_links(self, &mut faults);
        if faults.is_empty() {
            // Orbits are walked only over valid links that lead back.
            match D {
                2 => crate::dim2::validate::check(self, &mut faults),
                _ => crate::dim3::validate::check(self, &mut faults),
            }
        }
        if faults.is_empty() {
            check_ids(self, &mut faults);
        }
        faults
    }
}

/// Checks the constraints of links in any dimension: they lead to live darts and back, and boundary stays with
/// boundary.
fn check_links<const D: usize>(map: &Map<D>, faults: &mut Vec<MapFault>) {
    let capacity = map.capacity();
    let (live, free) = (map.live_darts().count(), map.free_count());
    if live != map.live_count() || live + free != capacity {
        faults.push(MapFault::FreeList { free, live, capacity });
    }
    let mut arrays: Vec<(i8, &[u32])> = vec![(1, &map.phi1), (-1, &map.phi1_inv), (2, &map.phi2)];
    if D == 3 {
        arrays.push((3, &map.phi3));
    }
    for dart in map.live_darts() {
        let before = faults.len();
        for &(phi, array) in &arrays {
            let to = array[dart.index()];
            if !map.is_live(Dart(to)) {
                faults.push(MapFault::DeadLink { phi, dart, to });
            }
        }
        if faults.len() > before {
            continue;
        }
        let next = map.phi1(dart);
        if map.phi1_inv(next) != dart || map.phi1(map.phi1_inv(dart)) != dart {
            faults.push(MapFault::NotInverse { dart });
        }
        for &(phi, array) in arrays.iter().filter(|(phi, _)| *phi > 1) {
            let to = array[dart.index()];
            if to == dart.0 {
                faults.push(MapFault::FixedPoint { phi, dart });
            } else if array.get(to as usize) != Some(&dart.0) {
                faults.push(MapFault::NotInvolution { phi, dart });
            }
        }
        if map.is_boundary(dart) != map.is_boundary(next) {
            faults.push(MapFault::MixedBoundary { phi: 1, dart });
        }
        if D == 3 && map.is_boundary(dart) != map.is_boundary(map.phi2(dart)) {
            faults.push(MapFault::MixedBoundary { phi: 2, dart });
        }
    }
}

/// Checks the constraints of numbers of cells: one for each cell, each for one cell, and a dart for each.
fn check_ids<const D: usize>(map: &Map<D>, faults: &mut Vec<MapFault>) {
    for orbit in Orbit::ALL {
        let Some(ids) = map.cell_ids(orbit) else { continue };
        let mut holder: Vec<Option<Dart>> = vec![None; ids.bound()];
        crate::for_each_orbit(map, orbit, |cell| {
            let (first, id) = (cell[0], ids.of(cell[0]));
            for &dart in cell.iter().filter(|&&dart| ids.of(dart) != id) {
                faults.push(MapFault::IdsDiffer { orbit, first, first_id: id, dart, id: ids.of(dart) });
            }
            if map.is_cell(orbit, first) != (id != NO_CELL) {
                faults.push(MapFault::IdAstray { orbit, id, dart: first });
            } else if id != NO_CELL {
                match holder.get_mut(id as usize) {
                    Some(Some(other)) => faults.push(MapFault::IdShared { orbit, id, first: *other, dart: first }),
                    Some(free) => *free = Some(first),
                    None => faults.push(MapFault::IdAstray { orbit, id, dart: first }),
                }
            }
        });
        for (id, holder) in holder.into_iter().enumerate() {
            let (id, dart) = (id as u32, ids.dart(id as u32));
            let fits = match dart {
                Some(dart) => map.is_live(dart) && ids.of(dart) == id && !map.is_boundary(dart),
                None => holder.is_none(),
            };
            if !fits {
                faults.push(MapFault::IdAstray { orbit, id, dart: dart.or(holder).unwrap_or(Dart(NO_CELL)) });
            }
        }
    }
}
