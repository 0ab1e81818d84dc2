//! Measures of a mesh: area, volume, centroid, inertia and the numbers of Euler and genus.
//!
//! In: a mesh in metres. Out: [`Measures`], at unit density.
//! Method: the divergence theorem: a closed mesh is the signed sum of the tetrahedra from a reference point to its
//! triangles; the reference point is the centre of its box, and lengths are scaled by a power of two, so that neither
//! an offset far from the origin nor extreme units cost digits. Sums run over fixed chunks of triangles.
//! Guarantees: the same bits for any number of threads. Volume is signed, negative where faces point inward; parts that
//! overlap count twice, cavities with faces toward them count off. Open meshes have no volume. Cost: O(n log n) for the
//! topology, O(n) for the rest.

use heurt_geometry::{Aabb, Mat3, Vec3};
use rayon::prelude::*;

use crate::{Topology, TriMesh};

/// The measures of a mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct Measures {
    /// Sum of the areas of the triangles, in m².
    pub area: f64,
    /// Enclosed volume in m³, negative where faces point inward; `None` on an open mesh.
    pub volume: Option<f64>,
    /// Centre of mass, in metres; `None` on an open mesh and where the volume is 0 within rounding.
    pub centroid: Option<Vec3>,
    /// Inertia tensor around the centroid at unit density, in m⁵, with the sign of the volume; `None` where the
    /// centroid is.
    pub inertia: Option<Mat3>,
    /// The number of different positions of used vertices − number of edges + number of triangles.
    pub euler: i64,
    /// The number of components connected through shared vertices.
    pub components: usize,
    /// Handles, summed over the components; `None` unless the mesh is closed, manifold and oriented.
    pub genus: Option<u64>,
}

impl Measures {
    /// Reports whether all present numbers are finite: in a huge mesh, products of lengths may overflow.
    pub fn are_finite(&self) -> bool {
        let inertia = self.inertia.is_none_or(|inertia| inertia.is_finite());
        let centroid = self.centroid.is_none_or(|centroid| centroid.is_finite());
        self.area.is_finite() && self.volume.is_none_or(f64::is_finite) && centroid && inertia
    }
}

impl Measures {
    /// Reports whether a number is too small for all its digits, or 0 although the mesh has a volume: in a tiny mesh,
    /// products of lengths may fall below the least normal number.
    ///
    /// ```
    /// use heurt_mesh::{generate, measures};
    /// let cube = generate::cuboid([1e-60; 3])?;
    /// let tiny = measures(&cube.scaled(1e-50)?);
    /// assert_eq!((tiny.volume, tiny.have_underflowed()), (Some(0.0), true));
    /// assert!(!measures(&cube).have_underflowed());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn have_underflowed(&self) -> bool {
        let moments = self.inertia.map(|inertia| inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z);
        let is_tiny = |value: f64| value.abs() < f64::MIN_POSITIVE;
        self.centroid.is_some()
            && (is_tiny(self.area) || self.volume.is_some_and(is_tiny) || moments.is_some_and(is_tiny))
    }
}

/// Measures a mesh.
///
/// ```
/// use heurt_mesh::{generate, measures};
/// let brick = measures(&generate::cuboid([0.12, 0.05, 0.03])?);
/// let volume = brick.volume.expect("it is closed");
/// assert!((volume - 0.24 * 0.1 * 0.06).abs() < 1e-15);
/// assert_eq!((brick.components, brick.genus), (1, Some(0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn measures(mesh: &TriMesh) -> Measures {
    measures_over(&Topology::new(mesh))
}

/// Measures the mesh of incidences already found.
pub fn measures_over(topology: &Topology) -> Measures {
    let mesh = topology.mesh();
    let frame = LocalFrame::of(mesh);
    let sums = Sums::over(mesh, &frame);
    let closed = topology.is_closed();
    let solid = if closed { sums.solid(&frame) } else { None };
    let euler = topology.euler_characteristic();
    let components = topology.components().len();
    Measures {
        area: scale_up(sums.area, frame.unit, 2),
        volume: closed.then(|| frame.volume_in_metres(sums.volume())),
        centroid: solid.map(|(centroid, _)| centroid),
        inertia: solid.map(|(_, inertia)| inertia),
        euler,
        components,
        genus: topology.genus(),
    }
}

/// Local coordinates in which the mesh has a size of approximately 1 around the origin.
pub(crate) struct LocalFrame {
    centre: Vec3,
    /// Length of the local unit in metres: a power of two.
    unit: f64,
}

impl LocalFrame {
    pub(crate) fn of(mesh: &TriMesh) -> Self {
        Self::of_bounds(&mesh.bounds())
    }

    pub(crate) fn of_bounds(bounds: &Aabb) -> Self {
        let (_, exponent) = libm::frexp(bounds.half_extents().max_element());
        // The exponents stop short of the range of f64, so that both the unit and its inverse are normal numbers.
        Self { centre: bounds.centre(), unit: libm::ldexp(1.0, exponent.clamp(-1020, 1020)) }
    }

    #[inline]
    pub(crate) fn local(&self, point: Vec3) -> Vec3 {
        // Halves cannot overflow; scaling by powers of two does not round.
        (point * 0.5 - self.centre * 0.5) * (2.0 / self.unit)
    }

    /// Returns the length of the local unit, in metres.
    pub(crate) fn unit(&self) -> f64 {
        self.unit
    }

    /// Converts a local volume to m³.
    pub(crate) fn volume_in_metres(&self, volume: f64) -> f64 {
        scale_up(volume, self.unit, 3)
    }
}

/// Multiplies by a power of a unit, step by step so that no intermediate overflows before the result does.
fn scale_up(value: f64, unit: f64, power: u32) -> f64 {
    (0..power).fold(value, |product, _| product * unit)
}

/// Squares below this lose digits, since they come near the smallest normal number, 2e-308.
const MIN_SQUARE: f64 = 1e-290;

/// Computes the length of a vector; scaled if its square is too small for f64, as in a mesh 1e170 times as long as
/// wide.
#[inline]
fn length(vector: Vec3) -> f64 {
    let square = vector.length_squared();
    if square >= MIN_SQUARE {
        return square.sqrt();
    }
    match vector.abs().max_element() {
        largest if largest > 0.0 => (vector / largest).length() * largest,
        _ => 0.0,
    }
}

/// Sums over triangles, in local coordinates.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sums {
    /// Area.
    pub(crate) area: f64,
    /// Six times the signed volume of the tetrahedra to the origin: dividing once, at the end, leaves integers exact.
    sextuple: f64,
    /// The sum of the magnitudes of these volumes: rounding errors are proportional to it.
    magnitude: f64,
    /// 24 times the integral of the position.
    first: Vec3,
    /// 120 times the integrals of xx, yy, zz.
    squares: Vec3,
    /// 120 times the integrals of yz, zx, xy.
    products: Vec3,
    terms: usize,
}

impl Sums {
    /// Triangles to a partial sum: fixed, so that threads do not change the result.
    pub(crate) const CHUNK: usize = 4096;

    fn over(mesh: &TriMesh, frame: &LocalFrame) -> Self {
        let partial: Vec<Self> = mesh
            .triangles()
            .par_chunks(Self::CHUNK)
            .map(|chunk| {
                let mut sums = Self::default();
                chunk.iter().for_each(|corners| sums.add(corners.map(|v| frame.local(mesh.vertices()[v as usize]))));
                sums
            })
            .collect();
        partial.iter().fold(Self::default(), |sum, part| sum.plus(part))
    }

    /// Adds one triangle and the tetrahedron from the origin to it.
    #[inline]
    pub(crate) fn add(&mut self, [a, b, c]: [Vec3; 3]) {
        let normal = (b - a).cross(c - a);
        let sextuple = a.dot(normal);
        let sum = a + b + c;
        let swapped = |p: Vec3| Vec3::new(p.y * p.z, p.z * p.x, p.x * p.y);
        self.area += 0.5 * length(normal);
        self.sextuple += sextuple;
        self.magnitude += sextuple.abs();
        self.first += sum * sextuple;
        self.squares += (sum * sum + a * a + b * b + c * c) * sextuple;
        self.products += (swapped(sum) + swapped(a) + swapped(b) + swapped(c)) * sextuple;
        self.terms += 1;
    }

    /// Adds the sums of other triangles.
    pub(crate) fn plus(self, other: &Self) -> Self {
        Self {
            area: self.area + other.area,
            sextuple: self.sextuple + other.sextuple,
            magnitude: self.magnitude + other.magnitude,
            first: self.first + other.first,
            squares: self.squares + other.squares,
            products: self.products + other.products,
            terms: self.terms + other.terms,
        }
    }

    /// Returns the signed volume of the tetrahedra to the origin.
    pub(crate) fn volume(&self) -> f64 {
        self.sextuple / 6.0
    }

    /// Bounds the error of the volume: one rounding for each term of a chunk and each chunk, a few within each term,
    /// and the displacement of the surface by the rounding of the local coordinates.
    pub(crate) fn volume_error(&self) -> f64 {
        let additions = self.terms.min(Self::CHUNK) + self.terms / Self::CHUNK;
        f64::EPSILON * ((additions + 16) as f64 * self.magnitude + 8.0 * self.area)
    }

    /// Computes the centroid and the inertia around it, in metres; `None` if the volume is 0 within rounding.
    fn solid(&self, frame: &LocalFrame) -> Option<(Vec3, Mat3)> {
        let volume = self.volume();
        if volume.abs() <= self.volume_error() {
            return None;
        }
        let centroid = self.first / 24.0 / volume;
        // Moved from the origin to the centroid (Huygens and Steiner).
        let squares = self.squares / 120.0 - centroid * centroid * volume;
        let swapped = Vec3::new(centroid.y * centroid.z, centroid.z * centroid.x, centroid.x * centroid.y);
        let [yz, zx, xy] = (self.products / 120.0 - swapped * volume).to_array();
        let (xx, yy, zz) = (squares.y + squares.z, squares.z + squares.x, squares.x + squares.y);
        let columns = [Vec3::new(xx, -xy, -zx), Vec3::new(-xy, yy, -yz), Vec3::new(-zx, -yz, zz)];
        let [x, y, z] = columns.map(|column| column.map(|entry| scale_up(entry, frame.unit, 5)));
        Some((frame.centre + centroid * frame.unit, Mat3::from_cols(x, y, z)))
    }
}
