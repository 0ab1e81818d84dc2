//! Cells of volume meshes, and their faces.
//!
//! In: corners in the order of VTK. Out: faces, counter-clockwise seen from outside. Method: tables.

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

/// How the darts of a kind of cell hang together, face by face.
pub(crate) struct Template {
    /// The corner at which each dart starts.
    pub origin: &'static [u8],
    /// φ₁.
    pub next: &'static [u8],
    /// φ₂.
    pub twin: &'static [u8],
    /// The first dart of each face, and the end.
    pub begin: &'static [u8],
    /// The corners of the mirror image.
    pub mirror: &'static [u8],
}

const fn next_of<const N: usize>(begin: &[u8]) -> [u8; N] {
    let mut next = [0; N];
    let mut face = 0;
    while face + 1 < begin.len() {
        let mut dart = begin[face];
        while dart < begin[face + 1] {
            next[dart as usize] = if dart + 1 < begin[face + 1] { dart + 1 } else { begin[face] };
            dart += 1;
        }
        face += 1;
    }
    next
}

const fn twins<const N: usize>(origin: &[u8; N], next: &[u8; N]) -> [u8; N] {
    let mut twin = [0; N];
    let mut dart = 0;
    while dart < N {
        let mut other = 0;
        while other < N {
            if origin[other] == origin[next[dart] as usize] && origin[next[other] as usize] == origin[dart] {
                twin[dart] = other as u8;
            }
            other += 1;
        }
        dart += 1;
    }
    twin
}

macro_rules! template {
    ($name:ident, $count:literal, $begin:expr, $origin:expr, $mirror:expr) => {
        pub(crate) static $name: Template = {
            const BEGIN: &[u8] = &$begin;
            const ORIGIN: [u8; $count] = $origin;
            const NEXT: [u8; $count] = next_of(BEGIN);
            const TWIN: [u8; $count] = twins(&ORIGIN, &NEXT);
            Template { origin: &ORIGIN, next: &NEXT, twin: &TWIN, begin: BEGIN, mirror: &$mirror }
        };
    };
}

template!(TETRAHEDRON, 12, [0, 3, 6, 9, 12], [1, 2, 3, 0, 3, 2, 0, 1, 3, 0, 2, 1], [0, 2, 1, 3]);
template!(PYRAMID, 16, [0, 4, 7, 10, 13, 16], [0, 3, 2, 1, 0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4], [0, 3, 2, 1, 4]);
template!(PRISM, 18, [0, 3, 6, 10, 14, 18], [0, 1, 2, 3, 5, 4, 0, 3, 4, 1, 1, 4, 5, 2, 2, 5, 3, 0], [0, 2, 1, 3, 5, 4]);
template!(
    HEXAHEDRON,
    24,
    [0, 4, 8, 12, 16, 20, 24],
    [0, 3, 2, 1, 4, 5, 6, 7, 0, 1, 5, 4, 1, 2, 6, 5, 2, 3, 7, 6, 3, 0, 4, 7],
    [0, 3, 2, 1, 4, 7, 6, 5]
);

impl Cell {
    /// The table of the kind; `None` for a polyhedron.
    pub(crate) fn template(&self) -> Option<&'static Template> {
        match self {
            Self::Tetrahedron(_) => Some(&TETRAHEDRON),
            Self::Pyramid(_) => Some(&PYRAMID),
            Self::Prism(_) => Some(&PRISM),
            Self::Hexahedron(_) => Some(&HEXAHEDRON),
            Self::Polyhedron(_) => None,
        }
    }

    /// The corners; none for a polyhedron.
    pub(crate) fn corners(&self) -> &[u32] {
        match self {
            Self::Tetrahedron(corners) => corners,
            Self::Pyramid(corners) => corners,
            Self::Prism(corners) => corners,
            Self::Hexahedron(corners) => corners,
            Self::Polyhedron(_) => &[],
        }
    }

    /// The faces, counter-clockwise seen from outside.
    pub fn faces(&self) -> Vec<Vec<u32>> {
        match (self, self.template()) {
            (Self::Polyhedron(faces), _) => faces.clone(),
            (_, Some(template)) => {
                let corners = self.corners();
                let face = |range: &[u8]| {
                    let darts = &template.origin[usize::from(range[0])..usize::from(range[1])];
                    darts.iter().map(|&corner| corners[usize::from(corner)]).collect()
                };
                template.begin.windows(2).map(face).collect()
            }
            (_, None) => Vec::new(),
        }
    }

    /// The cell seen in a mirror, so that its faces are seen from the other side.
    pub fn mirrored(&self) -> Self {
        fn places<const N: usize>(corners: &[u32; N], mirror: &[u8]) -> [u32; N] {
            std::array::from_fn(|place| corners[usize::from(mirror[place])])
        }
        match self {
            Self::Tetrahedron(corners) => Self::Tetrahedron(places(corners, TETRAHEDRON.mirror)),
            Self::Pyramid(corners) => Self::Pyramid(places(corners, PYRAMID.mirror)),
            Self::Prism(corners) => Self::Prism(places(corners, PRISM.mirror)),
            Self::Hexahedron(corners) => Self::Hexahedron(places(corners, HEXAHEDRON.mirror)),
            Self::Polyhedron(faces) => {
                Self::Polyhedron(faces.iter().map(|face| face.iter().rev().copied().collect()).collect())
            }
        }
    }
}
