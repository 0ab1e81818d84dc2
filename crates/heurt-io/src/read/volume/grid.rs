//! Contents of a simulation mesh file: vertices, cells and, on request, faces; and the surface that they make.
//!
//! In: cells and faces in the orders of the formats. Out: a [`VolumeMesh`], or a [`Model`] of the surface: the boundary
//! of the cells if there are any, else the faces as they are in the file.
//! Guarantees: vertices that the surface does not use are removed, all others keep their order; polygons are kept.
//! Cost: O(n log n) for n faces of cells.

use crate::read::warnings::{SMALL_FACES, Warnings};
use crate::{Format, Model, Place, ReadError, VolumeFormat, Warning};
use heurt_mesh::{BoundaryFaces, Cell, VolumeMesh};

/// Kinds of cells and faces in the orders that files have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GridKind {
    Tetrahedron,
    Pyramid,
    Prism,
    /// Gmsh and MEDIT have the first triangle counter-clockwise seen from the second.
    OtherPrism,
    Hexahedron,
    Voxel,
    Triangle,
    Quadrilateral,
    /// A quadrilateral whose corners are in rows.
    Pixel,
}

impl GridKind {
    /// Reports whether it is a face and no cell.
    pub fn is_face(self) -> bool {
        matches!(self, Self::Triangle | Self::Quadrilateral | Self::Pixel)
    }

    pub fn corners(self) -> usize {
        match self {
            Self::Triangle => 3,
            Self::Tetrahedron | Self::Quadrilateral | Self::Pixel => 4,
            Self::Pyramid => 5,
            Self::Prism | Self::OtherPrism => 6,
            Self::Hexahedron | Self::Voxel => 8,
        }
    }
}

/// A kind with the number of nodes that a file gives for each of its cells: the corners come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CellType {
    pub kind: GridKind,
    pub nodes: usize,
}

impl CellType {
    /// Returns the type of cells or faces without nodes besides their corners.
    pub fn linear(kind: GridKind) -> Self {
        Self { kind, nodes: kind.corners() }
    }

    /// Returns the type of cells or faces of higher order with this number of nodes.
    pub fn curved(kind: GridKind, nodes: usize) -> Self {
        Self { kind, nodes }
    }

    /// Reports whether there are nodes besides the corners.
    pub fn is_curved(self) -> bool {
        self.nodes > self.kind.corners()
    }
}

/// Cells of which a reader keeps the corners only.
const CURVED_CELLS: &str = "cells of higher order";
/// Faces of which a reader keeps the corners only.
const CURVED_FACES: &str = "faces of higher order";

/// Vertices, cells and faces.
#[derive(Default)]
pub(super) struct Grid {
    pub mesh: VolumeMesh,
    /// Whether faces are kept in addition to cells.
    pub keeps_faces: bool,
    faces: BoundaryFaces,
    /// The number and the first place of faces of higher order: they count if there are no cells.
    curved_faces: Option<(u64, Place)>,
    warnings: Warnings,
}

impl Grid {
    /// Returns the cells, and warnings on simplified ones.
    pub fn into_volume(self) -> (VolumeMesh, Vec<Warning>) {
        (self.mesh, self.warnings.into_list())
    }

    pub fn new(keeps_faces: bool, is_strict: bool) -> Self {
        Self { keeps_faces, warnings: Warnings::new(is_strict), ..Self::default() }
    }

    /// Adds a cell or a face of as many corners as its kind has.
    pub fn push(&mut self, kind: GridKind, corners: &[u32]) {
        match (kind, corners) {
            (GridKind::Triangle | GridKind::Quadrilateral, _) => self.push_face(corners),
            (GridKind::Pixel, &[a, b, c, d]) => self.push_face(&[a, b, d, c]),
            _ => self.mesh.cells.extend(cell(kind, corners)),
        }
    }

    fn push_face(&mut self, corners: &[u32]) {
        if self.keeps_faces {
            self.faces.corners.extend_from_slice(corners);
            self.faces.ends.push(self.faces.corners.len());
        }
    }

    /// Adds a face of any number of corners; one of fewer than three is skipped.
    pub fn push_polygon(&mut self, corners: &[u32], place: impl FnOnce() -> Place) -> Result<(), ReadError> {
        self.check_corners(corners, place)?;
        if corners.len() >= 3 {
            self.push_face(corners);
        }
        Ok(())
    }

    fn check_corners(&mut self, corners: &[u32], place: impl FnOnce() -> Place) -> Result<(), ReadError> {
        if corners.len() >= 3 {
            return Ok(());
        }
        let error = |place| ReadError::TooFewCorners { place, corners: corners.len() };
        self.warnings.ignore(SMALL_FACES, place, b"", error)
    }

    /// Adds the triangles of a strip, of which every second one is reversed.
    pub fn push_strip(&mut self, corners: &[u32], place: impl FnOnce() -> Place) -> Result<(), ReadError> {
        self.check_corners(corners, place)?;
        for (number, &[a, b, c]) in corners.array_windows().enumerate() {
            self.push_face(&if number % 2 == 0 { [a, b, c] } else { [a, c, b] });
        }
        Ok(())
    }

    /// Records a cell or a face of higher order, of which the corners are kept. A strict reader refuses cells here,
    /// and faces once it is known that they make the surface.
    pub fn note_curved(&mut self, kind: GridKind, place: impl FnOnce() -> Place) -> Result<(), ReadError> {
        if !kind.is_face() {
            return self.warnings.simplify(CURVED_CELLS, 1, place, refused_cells);
        }
        match &mut self.curved_faces {
            Some((count, _)) => *count += 1,
            None => self.curved_faces = Some((1, place())),
        }
        Ok(())
    }

    /// Adds a cell or a face of a type with `corners`, as many as its kind has.
    pub fn push_typed(
        &mut self,
        cell: CellType,
        corners: &[u32],
        place: impl FnOnce() -> Place,
    ) -> Result<(), ReadError> {
        if cell.is_curved() {
            self.note_curved(cell.kind, place)?;
        }
        self.push(cell.kind, corners);
        Ok(())
    }

    /// Makes a model of the surface; the file ends at `end`.
    pub fn into_model(mut self, format: VolumeFormat, end: Place) -> Result<Model, ReadError> {
        let mut mesh = self.mesh;
        let mut faces = self.faces;
        if mesh.cells.is_empty() {
            if let Some((count, place)) = self.curved_faces {
                self.warnings.simplify(CURVED_FACES, count, || place, refused_faces)?;
            }
        } else {
            faces = mesh.boundary().map_err(|error| {
                // Vertices and corners were checked when they were read.
                ReadError::syntax(end.clone(), error.to_string().as_bytes(), "cells over the vertices")
            })?;
        }
        if faces.ends.is_empty() {
            return Err(ReadError::NoFaces { place: end, format: Format::Volume(format) });
        }
        leave_out_unused(&mut mesh, &mut faces);
        let (mesh, polygons) = crate::read::faces::mesh(mesh.vertices, faces.corners, faces.ends, &end)?;
        let mut model = Model::from_mesh("", mesh);
        model.polygons.extend(polygons.map(Some));
        model.warnings = self.warnings.into_list();
        Ok(model)
    }
}

/// Makes the error of a strict reader for a cell of higher order.
fn refused_cells(place: Place) -> ReadError {
    let remedy = "save linear tetrahedra, pyramids, wedges, voxels and hexahedra";
    ReadError::Unsupported { place, what: "a cell of higher order".to_owned(), remedy }
}

/// Makes the error of a strict reader for a face of higher order.
fn refused_faces(place: Place) -> ReadError {
    let remedy = "save linear triangles and quadrilaterals";
    ReadError::Unsupported { place, what: "a face of higher order".to_owned(), remedy }
}

/// Removes the vertices that no face has.
fn leave_out_unused(mesh: &mut VolumeMesh, faces: &mut BoundaryFaces) {
    const UNUSED: u32 = u32::MAX;
    let mut numbers = vec![UNUSED; mesh.vertices.len()];
    for &corner in &faces.corners {
        numbers[corner as usize] = 0;
    }
    for (next, number) in numbers.iter_mut().filter(|number| **number != UNUSED).enumerate() {
        *number = next as u32;
    }
    let mut number = numbers.iter();
    mesh.vertices.retain(|_| number.next() != Some(&UNUSED));
    for corner in &mut faces.corners {
        *corner = numbers[*corner as usize];
    }
}

/// Makes a cell of corners in the order of the file.
fn cell(kind: GridKind, corners: &[u32]) -> Option<Cell> {
    Some(match kind {
        GridKind::Tetrahedron => Cell::Tetrahedron(corners.try_into().ok()?),
        GridKind::Pyramid => Cell::Pyramid(corners.try_into().ok()?),
        GridKind::Prism => Cell::Prism(corners.try_into().ok()?),
        GridKind::OtherPrism => Cell::Prism(corners.try_into().ok()?).mirrored(),
        GridKind::Hexahedron => Cell::Hexahedron(corners.try_into().ok()?),
        GridKind::Voxel => {
            let [a, b, c, d, e, f, g, h] = corners.try_into().ok()?;
            Cell::Hexahedron([a, b, d, c, e, f, h, g])
        }
        GridKind::Triangle | GridKind::Quadrilateral | GridKind::Pixel => return None,
    })
}
