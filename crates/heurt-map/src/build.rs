//! Common parts of builders of maps: their result, the faults of their input, and consistent orientation of cells.
//!
//! In: neighbouring cells, with the same or opposite orientation. Out: the cells to turn.
//! Method: a disjoint-set forest that stores for each cell whether it is turned against its root.
//! Guarantees: the cell of the least number of each component stays as it is. Cost: nearly O(borders).

use crate::attribute::CellIds;
use crate::map::Map;
use crate::{CombinatorialMap, NO_CELL, Orbit};
use std::fmt;
use thiserror::Error;

/// A map and its relation to the input. Cells of the highest dimension have the numbers of the input. Vertices have
/// them too if the input uses each once; the numbers of unused vertices are free.
#[derive(Debug, Clone)]
pub struct Built<const D: usize> {
    /// The map, with numbers of vertices and of faces (2D) or volumes (3D).
    pub map: Map<D>,
    /// The vertex of the input by the number of the vertex in the map: the number itself, except for the further pieces
    /// of pinched vertices, which come after all other vertices.
    pub vertex_of: Vec<u32>,
    /// Vertices of the input that several vertices of the map represent: cells touch there that share no face (3D) or
    /// edge (2D) around it. Ascending.
    pub pinched: Vec<u32>,
    /// The cells that were turned, ascending; none with [`Orient::Keep`].
    pub turned: Vec<u32>,
}

impl<const D: usize> Built<D> {
    /// Converts values by vertices of the input to values by vertices of the map.
    ///
    /// # Panics
    /// When there are fewer values than vertices of the input.
    pub fn at_vertices<T: Clone>(&self, values: &[T]) -> crate::Attribute<T> {
        let values = self.vertex_of.iter().map(|&vertex| values[vertex as usize].clone()).collect();
        crate::Attribute::from_values(crate::Orbit::Vertex, values)
    }
}

/// Permission to turn cells so that neighbours agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Orient {
    /// Cells that disagree are faults.
    #[default]
    Keep,
    /// Cells are turned to agree with the cell of the least number of their component.
    Turn,
}

/// A fault of the input of a builder.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BuildFault {
    /// A face has fewer than three corners.
    #[error("a face of cell {cell} has {count} corners: give at least 3")]
    TooFewCorners {
        /// The cell.
        cell: u32,
        /// Number of corners.
        count: usize,
    },
    /// A cell has a vertex that is not there.
    #[error("cell {cell} names vertex {index}, but the number of vertices is {count}: give a smaller index, from 0")]
    IndexOutOfRange {
        /// The cell.
        cell: u32,
        /// The index of the vertex.
        index: u32,
        /// Number of vertices.
        count: usize,
    },
    /// A face has a vertex twice.
    #[error("a face of cell {cell} names vertex {vertex} twice: cells have as many vertices as corners")]
    RepeatedCorner {
        /// The cell.
        cell: u32,
        /// The vertex.
        vertex: u32,
    },
    /// More than two faces share an edge of a surface.
    #[error("{} faces share the edge {edge:?}: {faces:?}; a surface has at most 2", faces.len())]
    ManyFaces {
        /// The edge.
        edge: [u32; 2],
        /// The faces.
        faces: Vec<u32>,
    },
    /// More than two volumes share a face.
    #[error("{} volumes share the face {corners:?}: {volumes:?}; a partition has at most 2", volumes.len())]
    ManyVolumes {
        /// The corners of the face, ascending.
        corners: Vec<u32>,
        /// The volumes.
        volumes: Vec<u32>,
    },
    /// Two neighbours are turned against each other.
    #[error("cells {cells:?} are turned against each other at {corners:?}: turn one, or ask to have cells turned")]
    TurnedAgainst {
        /// The edge or the face that they share.
        corners: Vec<u32>,
        /// The two cells.
        cells: [u32; 2],
    },
    /// No choice of turned cells makes all neighbours agree: a Möbius strip.
    #[error("cells {cells:?} cannot agree at {corners:?}, however all cells are turned: cut the one-sided part open")]
    NotOrientable {
        /// The edge or the face at which the last two do not agree.
        corners: Vec<u32>,
        /// The two cells.
        cells: [u32; 2],
    },
    /// Two faces have the same corners in different orders.
    #[error("volumes {volumes:?} have faces of the corners {corners:?} in different orders")]
    Twisted {
        /// The corners, ascending.
        corners: Vec<u32>,
        /// The two volumes.
        volumes: [u32; 2],
    },
    /// Two faces of one volume have the same corners.
    #[error("volume {volume} has the face {corners:?} twice")]
    FaceTwice {
        /// The volume.
        volume: u32,
        /// The corners, ascending.
        corners: Vec<u32>,
    },
    /// The faces of a volume do not close it.
    #[error(
        "the edge {edge:?} of volume {volume} has {count} faces that run along it this way: each needs one each way"
    )]
    OpenVolume {
        /// The volume.
        volume: u32,
        /// The edge.
        edge: [u32; 2],
        /// Number of faces that run along it in this direction.
        count: usize,
    },
    /// A volume without faces.
    #[error("volume {volume} has no faces: leave it out")]
    NoFaces {
        /// The volume.
        volume: u32,
    },
    /// The faces of a volume are not connected.
    #[error("the faces of volume {volume} make {count} closed pieces: give each as a volume of its own")]
    NotOnePiece {
        /// The volume.
        volume: u32,
        /// Number of pieces.
        count: usize,
    },
    /// More darts than numbers.
    #[error("the map would have {count} darts, more than {max}: split it")]
    TooLarge {
        /// Number of darts.
        count: usize,
        /// Number of darts allowed.
        max: usize,
    },
}

/// All faults of the input of a builder; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildError {
    /// The faults, by kind of check and then by place.
    pub faults: Vec<BuildFault>,
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.faults.as_slice() {
            [] => write!(f, "no fault"),
            [fault] => write!(f, "{fault}"),
            [fault, rest @ ..] => write!(f, "{fault} (and {} more faults)", rest.len()),
        }
    }
}

impl std::error::Error for BuildError {}

/// Returns an error with the faults if there are any.
pub(crate) fn unless(faults: Vec<BuildFault>) -> Result<(), BuildError> {
    if faults.is_empty() { Ok(()) } else { Err(BuildError { faults }) }
}

/// Relative orientations of cells.
pub(crate) struct Turns {
    parent: Vec<u32>,
    /// True if the cell is turned against its parent.
    against: Vec<bool>,
}

impl Turns {
    pub fn new(count: usize) -> Self {
        Self { parent: (0..count as u32).collect(), against: vec![false; count] }
    }

    /// Returns the root of a cell, and whether the cell is turned against it. Halves paths, so that they stay short.
    pub fn root(&mut self, mut cell: u32) -> (u32, bool) {
        let mut turned = false;
        loop {
            let parent = self.parent[cell as usize];
            if parent == cell {
                return (cell, turned);
            }
            let grandparent = self.parent[parent as usize];
            if grandparent != parent {
                self.against[cell as usize] ^= self.against[parent as usize];
                self.parent[cell as usize] = grandparent;
            }
            turned ^= self.against[cell as usize];
            cell = self.parent[cell as usize];
        }
    }

    /// Notes that two cells are (or are not) turned against each other, and reports whether that is consistent.
    pub fn relate(&mut self, a: u32, b: u32, against: bool) -> bool {
        let ((root_a, turned_a), (root_b, turned_b)) = (self.root(a), self.root(b));
        if root_a == root_b {
            return turned_a ^ turned_b == against;
        }
        let (low, high) = (root_a.min(root_b), root_a.max(root_b));
        self.parent[high as usize] = low;
        self.against[high as usize] = turned_a ^ turned_b ^ against;
        true
    }

    /// Returns the cells that are turned against the least of their component.
    pub fn turned(&mut self) -> Vec<u32> {
        (0..self.parent.len() as u32).filter(|&cell| self.root(cell).1).collect()
    }
}

/// Sorts places by key below `count`, equal keys in the order given, and returns where each key begins.
pub(crate) fn bucket(keys: &[u32], count: usize) -> (Vec<u32>, Vec<u32>) {
    let mut begin = vec![0_u32; count + 1];
    for &key in keys {
        begin[key as usize + 1] += 1;
    }
    for key in 0..count {
        begin[key + 1] += begin[key];
    }
    let mut sorted = vec![0; keys.len()];
    let mut next = begin.clone();
    for (place, &key) in keys.iter().enumerate() {
        sorted[next[key as usize] as usize] = place as u32;
        next[key as usize] += 1;
    }
    (sorted, begin)
}

/// Numbers the vertices of a map like the input, from the vertex at which each dart of a cell starts, and takes the
/// numbers of the cells of the highest dimension.
pub(crate) fn finish<const D: usize>(
    mut map: Map<D>,
    origins: &[u32],
    vertices: usize,
    cells: CellIds,
    turned: Vec<u32>,
) -> Built<D> {
    let mut of = vec![NO_CELL; map.capacity()];
    let mut first = vec![NO_CELL; vertices];
    let mut vertex_of: Vec<u32> = (0..vertices as u32).collect();
    let mut pinched = Vec::new();
    crate::for_each_orbit(&map, Orbit::Vertex, |darts| {
        // Darts of the boundary come last, so that the first dart is of a cell.
        let vertex = origins[darts[0].index()];
        let mut id = vertex;
        if first[vertex as usize] != NO_CELL {
            id = vertex_of.len() as u32;
            vertex_of.push(vertex);
            first.push(NO_CELL);
            pinched.push(vertex);
        }
        first[id as usize] = darts[0].0;
        for dart in darts {
            of[dart.index()] = id;
        }
    });
    pinched.sort_unstable();
    pinched.dedup();
    map.ids[Orbit::Vertex.place()] = Some(Box::new(CellIds::from_parts(of, first)));
    let top = if D == 2 { Orbit::Face } else { Orbit::Volume };
    map.ids[top.place()] = Some(Box::new(cells));
    Built { map, vertex_of, pinched, turned }
}
