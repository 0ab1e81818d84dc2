//! Volume, area, centroid and inertia of a solid mesh by its boundary: overlaps of shells count once, inner faces do
//! not count.
//!
//! In: a closed mesh. Out: [`SolidMeasures`] at unit density, with a bound on the error of volume and area.
//! Method: the divergence theorem over the pieces of the boundary, each oriented so that its normal leads out of the
//! solid; tetrahedra from the centre of the box, lengths scaled by a power of two.
//! Guarantees: the volume of the points with a winding number other than 0, within `volume_error`. It is negative, like
//! the volume of `heurt_mesh::measures`, if all faces of the boundary point into the solid. Deterministic.
//! Cost: computing the boundary, then linear in its pieces.

use super::{BoundarySearch, has_inner_faces, named, solid_boundary};
use heurt_geometry::{Mat3, Triangle, Vec3, power_of_two_scale};
use heurt_shape::{BoundaryPieces, MeshShape, PieceSide, SolidBoundary};

/// Rounding of a term and of its sum, in ε of the magnitudes: products of three coordinates; the pairwise sum is
/// bounded as if it were sequential.
const ROUNDING: f64 = 32.0;

/// Measures of the set of points with a winding number other than 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SolidMeasures {
    /// Area of the boundary, in m².
    pub area: f64,
    /// A bound on the error of the area.
    pub area_error: f64,
    /// In m³; negative if all faces of the boundary point into the solid.
    pub volume: f64,
    /// A bound on the error of the volume.
    pub volume_error: f64,
    /// Centre of mass, in metres; `None` if the volume is 0 within its error.
    pub centroid: Option<Vec3>,
    /// Inertia tensor around the centroid at unit density, in m⁵, with the sign of the volume; `None` if the centroid
    /// is `None`.
    pub inertia: Option<Mat3>,
}

/// Measures a mesh that is a solid, in its own frame. Returns `None` for a surface, for a solid that is not decided
/// exactly, and if too many triangles meet to decide any part of the boundary.
///
/// ```
/// use heurt_geometry::Vec3;
/// use heurt_mesh::{TriMesh, generate};
/// use heurt_query::solid_measures;
/// use heurt_shape::MeshShape;
/// let cube = generate::cuboid([0.5; 3])?;
/// let count = cube.vertices().len() as u32;
/// // Another one, moved by half its size: they share a half.
/// let vertices = cube.vertices().iter().copied().chain(cube.vertices().iter().map(|v| *v + Vec3::X * 0.5));
/// let triangles = cube.triangles().iter().copied().chain(cube.triangles().iter().map(|t| t.map(|v| v + count)));
/// let both = MeshShape::new(TriMesh::new(vertices.collect(), triangles.collect())?)?;
/// let measured = solid_measures(&both).expect("it is closed");
/// assert!((measured.volume - 1.5).abs() <= measured.volume_error && measured.volume_error < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn solid_measures(shape: &MeshShape) -> Option<SolidMeasures> {
    if !shape.is_exact_solid() {
        return None;
    }
    measured(shape, solid_boundary(shape))
}

/// The measures of a mesh whose shells may share space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SharedSpace {
    /// They share none: the sums over its triangles are its measures.
    Nothing,
    /// Its measures, with shared space counted once.
    Once(SolidMeasures),
    /// Too many triangles meet to measure it, or it is no solid.
    Undecided,
}

impl SharedSpace {
    /// Returns the measures with shared space counted once, if there is any and it is decided.
    pub fn once(self) -> Option<SolidMeasures> {
        if let Self::Once(measures) = self { Some(measures) } else { None }
    }
}

/// Measures a mesh so that space that its shells share counts once.
///
/// ```
/// use heurt_mesh::{TriMesh, generate};
/// use heurt_query::{SharedSpace, measure_shared_space};
/// use heurt_shape::MeshShape;
/// let cube = generate::cuboid([0.5; 3])?;
/// assert_eq!(measure_shared_space(&MeshShape::new(cube.clone())?), SharedSpace::Nothing);
/// // The same cube twice.
/// let twice = MeshShape::new(TriMesh::merged([&cube, &cube])?)?;
/// let once = measure_shared_space(&twice).once().ok_or("it is decided")?;
/// assert!((once.volume - 1.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn measure_shared_space(shape: &MeshShape) -> SharedSpace {
    if !has_inner_faces(shape) {
        return SharedSpace::Nothing;
    }
    // A volume within its error is no measure.
    match solid_measures(shape).filter(|measures| measures.centroid.is_some()) {
        Some(measures) => SharedSpace::Once(measures),
        None => SharedSpace::Undecided,
    }
}

/// Measures a solid with the given boundary.
fn measured(shape: &MeshShape, boundary: &SolidBoundary) -> Option<SolidMeasures> {
    let mut sums = Sums::new(shape);
    match boundary {
        SolidBoundary::Whole => {
            let groups = BoundarySearch::new(shape, &[]).groups();
            for (triangle, sides) in (0u32..).zip(groups) {
                let corners = shape.mesh().corners(triangle);
                match sides.flatten() {
                    Some(sides) => named(sides).into_iter().for_each(|side| sums.add(&corners, side, 0.0)),
                    None => sums.add_open(&corners),
                }
            }
        }
        SolidBoundary::Pieces(pieces) if pieces.decided.is_none() => return None,
        SolidBoundary::Pieces(pieces) => sums.add_pieces(pieces),
    }
    Some(sums.measures())
}

/// Sums over pieces, in units from the centre of the box.
struct Sums {
    centre: Vec3,
    unit: f64,
    /// Half the diagonal of the box.
    reach: f64,
    area: f64,
    /// Bounds on the volume and area that pieces and their edges sweep when they are moved by their rounding error.
    swept: f64,
    frayed: f64,
    /// Six times the volume, and the sum of the magnitudes of its terms.
    sextuple: f64,
    magnitude: f64,
    /// 24 times the integral of the position.
    first: Vec3,
    /// 120 times the integrals of xx, yy, zz, and of yz, zx, xy.
    squares: Vec3,
    products: Vec3,
    terms: f64,
    /// Rounding error of a corner relative to the centre.
    rounding: f64,
    /// The area of pieces not known to belong to the boundary.
    open: f64,
    /// Whether all pieces point into the solid.
    is_inward: Option<bool>,
}

impl Sums {
    fn new(shape: &MeshShape) -> Self {
        let bounds = shape.bounds();
        let unit = power_of_two_scale(bounds.half_extents().max_element());
        Self {
            centre: bounds.centre(),
            unit,
            reach: bounds.half_extents().length() * unit,
            area: 0.0,
            swept: 0.0,
            frayed: 0.0,
            sextuple: 0.0,
            magnitude: 0.0,
            first: Vec3::ZERO,
            squares: Vec3::ZERO,
            products: Vec3::ZERO,
            terms: 0.0,
            rounding: f64::EPSILON * bounds.min.abs().max(bounds.max.abs()).max_element() * unit,
            open: 0.0,
            is_inward: None,
        }
    }

    fn add_pieces(&mut self, pieces: &BoundaryPieces) {
        if let Some(set) = &pieces.decided {
            for (piece, (side, rounding)) in (0u32..).zip(set.sides.iter().zip(&set.roundings)) {
                self.add(&set.surface.mesh().corners(piece), *side, *rounding);
            }
        }
        if let Some(set) = &pieces.open {
            for piece in 0..set.sides.len() as u32 {
                self.add_open(&set.surface.mesh().corners(piece));
            }
        }
    }

    fn add_open(&mut self, corners: &Triangle) {
        let [a, b, c] = self.local(corners);
        self.open += 0.5 * (b - a).cross(c - a).length();
    }

    fn local(&self, corners: &Triangle) -> Triangle {
        corners.map(|corner| (corner - self.centre) * self.unit)
    }

    /// Adds a piece with an error of at most `rounding` metres.
    fn add(&mut self, corners: &Triangle, side: PieceSide, rounding: f64) {
        let [a, b, c] = self.local(corners);
        let [a, b, c] = match side {
            PieceSide::Behind => {
                self.is_inward = Some(false);
                [a, b, c]
            }
            PieceSide::InFront => {
                self.is_inward = Some(self.is_inward.unwrap_or(true));
                [a, c, b]
            }
            PieceSide::Neither | PieceSide::Repeated => return,
        };
        let normal = (b - a).cross(c - a);
        let sextuple = a.dot(normal);
        let sum = a + b + c;
        let swapped = |p: Vec3| Vec3::new(p.y * p.z, p.z * p.x, p.x * p.y);
        let (area, perimeter) = (0.5 * normal.length(), (b - a).length() + (c - b).length() + (a - c).length());
        let rounding = self.rounding + rounding * self.unit;
        self.area += area;
        self.swept += 2.0 * area * rounding;
        self.frayed += 2.0 * perimeter * rounding;
        self.sextuple += sextuple;
        self.magnitude += sextuple.abs();
        self.first += sum * sextuple;
        self.squares += (sum * sum + a * a + b * b + c * c) * sextuple;
        self.products += (swapped(sum) + swapped(a) + swapped(b) + swapped(c)) * sextuple;
        self.terms += 1.0;
    }

    fn measures(&self) -> SolidMeasures {
        let metre = 1.0 / self.unit;
        let volume = self.sextuple / 6.0;
        let rounded = (ROUNDING + self.terms) * f64::EPSILON;
        // A surface moved by a small distance sweeps its area times that distance; open pieces may be missing, seen
        // from the centre.
        let volume_error = rounded * self.magnitude / 6.0 + self.swept + self.open * self.reach;
        let area_error = rounded * self.area + self.frayed + self.open;
        let has_inside = volume > volume_error && volume.is_finite();
        let centroid = self.first / (24.0 * volume);
        let sign = if self.is_inward == Some(true) { -1.0 } else { 1.0 };
        let inertia = || {
            let about = centroid * centroid * volume;
            let squares = self.squares / 120.0 - about;
            let products = self.products / 120.0
                - Vec3::new(centroid.y * centroid.z, centroid.z * centroid.x, centroid.x * centroid.y) * volume;
            let diagonal = Vec3::splat(squares.element_sum()) - squares;
            let scale = sign * metre * metre * metre * metre * metre;
            let rows = [
                Vec3::new(diagonal.x, -products.z, -products.y),
                Vec3::new(-products.z, diagonal.y, -products.x),
                Vec3::new(-products.y, -products.x, diagonal.z),
            ];
            Mat3::from_cols(rows[0] * scale, rows[1] * scale, rows[2] * scale)
        };
        SolidMeasures {
            area: self.area * metre * metre,
            area_error: area_error * metre * metre,
            volume: sign * volume.max(0.0) * metre * metre * metre,
            volume_error: volume_error * metre * metre * metre,
            centroid: has_inside.then(|| centroid * metre + self.centre),
            inertia: has_inside.then(inertia),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{compute_up_to, solid_boundary};
    use super::{measured, solid_measures};
    use heurt_geometry::Vec3;
    use heurt_mesh::{TriMesh, generate};
    use heurt_shape::{MeshShape, SolidBoundary};

    #[test]
    fn a_mesh_of_which_too_many_triangles_meet_has_no_such_measures() {
        let cube = generate::cuboid([0.5; 3]).unwrap();
        let moved = cube.vertices().iter().map(|v| *v + Vec3::new(0.5, 0.25, 0.125));
        let vertices = cube.vertices().iter().copied().chain(moved).collect();
        let triangles = cube.triangles().iter().copied().chain(cube.triangles().iter().map(|t| t.map(|v| v + 8)));
        let both = MeshShape::new(TriMesh::new(vertices, triangles.collect()).unwrap()).unwrap();
        let undecided = compute_up_to(&both, 4);
        let SolidBoundary::Pieces(pieces) = &undecided else { panic!("more than 4 triangles meet") };
        assert!(pieces.decided.is_none() && pieces.open.as_ref().is_some_and(|open| open.sides.len() == 24));
        assert_eq!(measured(&both, &undecided), None);
        assert_eq!(measured(&both, solid_boundary(&both)), solid_measures(&both));
        assert!(solid_measures(&both).is_some_and(|known| known.volume > 1.0));
    }
}
