//! Links between the darts of a cell.
//!
//! In: the table of the faces of a kind. Out: the dart of each corner of each face, φ₁ and φ₂ between them.
//! Cost: O(darts²), once for each kind and build.

use heurt_mesh::FaceTable;

/// The darts of a kind of cell, face by face.
pub(crate) struct Template {
    /// The corner at which each dart starts.
    pub origin: &'static [u8],
    /// The first dart of each face, and the end.
    pub begin: &'static [u8],
    /// φ₁.
    pub next: Vec<u8>,
    /// φ₂.
    pub twin: Vec<u8>,
}

impl Template {
    /// Returns the templates of [`FaceTable::ALL`].
    pub fn all() -> [Self; 4] {
        FaceTable::ALL.map(Self::new)
    }

    /// Returns the template of hexahedra.
    pub fn hexahedron() -> Self {
        Self::new(FaceTable::ALL[3])
    }

    fn new(table: &FaceTable) -> Self {
        let (origin, begin) = (table.corners, table.begin);
        let face = |range: &[u8]| (range[0] + 1..range[1]).chain([range[0]]);
        let next: Vec<u8> = begin.windows(2).flat_map(face).collect();
        let ends = |dart: u8| [origin[usize::from(dart)], origin[usize::from(next[usize::from(dart)])]];
        let darts = 0..origin.len() as u8;
        // Every edge has one face in each direction.
        let against = |dart| darts.clone().find(|&other| ends(other) == [ends(dart)[1], ends(dart)[0]]);
        let twin = darts.clone().map(|dart| against(dart).unwrap_or(dart)).collect();
        Self { origin, begin, next, twin }
    }
}
