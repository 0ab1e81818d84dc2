//! Meshes of tetrahedra, pyramids, prisms and hexahedra, as in files.
//!
//! In: corners in the order of VTK. Out: the faces of each cell, counter-clockwise seen from outside.
//! Method: tables. Meshes are not checked here: users of a mesh check their own requirements. Cost: O(1) a cell.

use heurt_geometry::Vec3;

/// A cell of a volume mesh, by its vertices.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cell {
    /// The first three corners counter-clockwise seen from the fourth.
    Tetrahedron([u32; 4]),
    /// A base of four corners, counter-clockwise seen from the fifth.
    Pyramid([u32; 5]),
    /// Two triangles, corner over corner; the first clockwise seen from the second.
    Prism([u32; 6]),
    /// Two quadrilaterals, corner over corner; the first counter-clockwise seen from the second.
    Hexahedron([u32; 8]),
    /// Any faces, counter-clockwise seen from outside.
    Polyhedron(Vec<Vec<u32>>),
}

/// Vertices in metres, and cells over them. Not checked.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct VolumeMesh {
    /// The vertices, in metres.
    pub vertices: Vec<Vec3>,
    /// The cells.
    pub cells: Vec<Cell>,
}

/// The faces of a kind of cell, one after another, by the places of their corners.
#[derive(Debug)]
pub struct FaceTable {
    /// The place of each corner.
    pub corners: &'static [u8],
    /// The start of each face, and the end.
    pub begin: &'static [u8],
    /// The places of the corners in the mirror image.
    mirror: &'static [u8],
}

/// The faces of a tetrahedron.
const TETRAHEDRON: FaceTable =
    FaceTable { corners: &[1, 2, 3, 0, 3, 2, 0, 1, 3, 0, 2, 1], begin: &[0, 3, 6, 9, 12], mirror: &[0, 2, 1, 3] };
/// The faces of a pyramid: the base first.
const PYRAMID: FaceTable = FaceTable {
    corners: &[0, 3, 2, 1, 0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4],
    begin: &[0, 4, 7, 10, 13, 16],
    mirror: &[0, 3, 2, 1, 4],
};
/// The faces of a prism: the triangles first.
const PRISM: FaceTable = FaceTable {
    corners: &[0, 1, 2, 3, 5, 4, 0, 3, 4, 1, 1, 4, 5, 2, 2, 5, 3, 0],
    begin: &[0, 3, 6, 10, 14, 18],
    mirror: &[0, 2, 1, 3, 5, 4],
};
/// The faces of a hexahedron: −z, +z, −y, +x, +y, −x of the unit cube.
const HEXAHEDRON: FaceTable = FaceTable {
    corners: &[0, 3, 2, 1, 4, 5, 6, 7, 0, 1, 5, 4, 1, 2, 6, 5, 2, 3, 7, 6, 3, 0, 4, 7],
    begin: &[0, 4, 8, 12, 16, 20, 24],
    mirror: &[0, 3, 2, 1, 4, 7, 6, 5],
};

impl FaceTable {
    /// The tables of tetrahedra, pyramids, prisms and hexahedra.
    pub const ALL: [&'static Self; 4] = [&TETRAHEDRON, &PYRAMID, &PRISM, &HEXAHEDRON];
}

impl Cell {
    /// Returns the corners; none for a polyhedron.
    pub fn corners(&self) -> &[u32] {
        match self {
            Self::Tetrahedron(corners) => corners,
            Self::Pyramid(corners) => corners,
            Self::Prism(corners) => corners,
            Self::Hexahedron(corners) => corners,
            Self::Polyhedron(_) => &[],
        }
    }

    /// Returns the place in [`FaceTable::ALL`]; `None` for a polyhedron.
    pub fn table(&self) -> Option<usize> {
        match self {
            Self::Tetrahedron(_) => Some(0),
            Self::Pyramid(_) => Some(1),
            Self::Prism(_) => Some(2),
            Self::Hexahedron(_) => Some(3),
            Self::Polyhedron(_) => None,
        }
    }

    /// Returns the faces, counter-clockwise seen from outside.
    pub fn faces(&self) -> Vec<Vec<u32>> {
        match (self, self.table()) {
            (Self::Polyhedron(faces), _) => faces.clone(),
            (_, Some(kind)) => {
                let (table, corners) = (FaceTable::ALL[kind], self.corners());
                let face = |range: &[u8]| {
                    let places = &table.corners[usize::from(range[0])..usize::from(range[1])];
                    places.iter().map(|&place| corners[usize::from(place)]).collect()
                };
                table.begin.windows(2).map(face).collect()
            }
            (_, None) => Vec::new(),
        }
    }

    /// Returns the mirror image of the cell: the orientation of its faces is reversed.
    pub fn mirrored(&self) -> Self {
        fn places<const N: usize>(corners: &[u32; N], table: &FaceTable) -> [u32; N] {
            std::array::from_fn(|place| corners[usize::from(table.mirror[place])])
        }
        match self {
            Self::Tetrahedron(corners) => Self::Tetrahedron(places(corners, &TETRAHEDRON)),
            Self::Pyramid(corners) => Self::Pyramid(places(corners, &PYRAMID)),
            Self::Prism(corners) => Self::Prism(places(corners, &PRISM)),
            Self::Hexahedron(corners) => Self::Hexahedron(places(corners, &HEXAHEDRON)),
            Self::Polyhedron(faces) => {
                Self::Polyhedron(faces.iter().map(|face| face.iter().rev().copied().collect()).collect())
            }
        }
    }
}
