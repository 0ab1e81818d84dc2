//! Convex shapes: a core, and all points within a margin of it.
//!
//! In: lengths in metres. Out: [`Convex`]: hulls of points (points, segments, triangles, boxes, polyhedra), cylinders,
//! cones, ellipsoids, superellipsoids, half-spaces, each rounded or not. A sphere is a point with a margin, a capsule a
//! segment with one.
//! Guarantees: the result is a closed convex set; sizes are checked, and a size of 0 gives the corresponding flat
//! shape.
//! Not guaranteed: a superellipsoid with an exponent above 2 is not convex and is rejected.

mod error;
mod facets;
mod hull;
mod mass;
mod quadrature;
mod round;
mod small_hull;
mod support_table;

pub use error::ConvexError;
pub use facets::{Edge, Facet};
pub use hull::Hull;
pub use mass::{CONVERGED, MassError};
pub(crate) use mass::{Moments, curve, of_superellipsoid};
pub use round::Round;
pub(crate) use round::dual;
pub use small_hull::{EdgeLanes, PlaneLanes, SmallEdge, SmallHull};

use heurt_geometry::{Aabb, Vec3, power_of_two_scale};
use std::sync::Arc;

/// Core of a convex shape.
#[derive(Debug, Clone, PartialEq)]
pub enum Core {
    /// The hull of points.
    Hull(Arc<Hull>),
    /// A shape with curved faces.
    Round(Round),
    /// All p with `normal` · p ≤ `offset`; the normal is not zero.
    HalfSpace {
        /// Outward; of any length but 0.
        normal: Vec3,
        /// In metres times the length of the normal.
        offset: f64,
    },
}

impl Core {
    /// Returns the largest coordinate in magnitude; 0 for a half-space, which has no points of its own.
    #[inline(always)]
    pub fn max_coordinate(&self) -> f64 {
        match self {
            Self::Hull(hull) => hull.max_coordinate(),
            Self::Round(round) => round.bounds().max.max_element(),
            Self::HalfSpace { .. } => 0.0,
        }
    }
}

/// A convex shape: all points within a margin of a core.
///
/// ```
/// use heurt_shape::Convex;
/// let pill = Convex::capsule(0.5, 1.0)?;
/// assert_eq!(pill.margin(), 0.5);
/// assert_eq!(pill.bounds().max.z, 1.5);
/// assert!(Convex::sphere(-1.0).is_err());
/// # Ok::<(), heurt_shape::ConvexError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Convex {
    core: Core,
    margin: f64,
}

impl Convex {
    /// Creates a point at the origin.
    ///
    /// ```
    /// use heurt_geometry::Vec3;
    /// use heurt_shape::Convex;
    /// let probe = Convex::point();
    /// assert_eq!(probe.bounds().max, Vec3::ZERO);
    /// ```
    pub fn point() -> Self {
        Self::of_points(&[Vec3::ZERO])
    }

    /// Creates a sphere round the origin.
    ///
    /// ```
    /// use heurt_geometry::Vec3;
    /// use heurt_shape::Convex;
    /// let ball = Convex::sphere(0.5)?;
    /// assert_eq!(ball.support(Vec3::Z), Some(Vec3::Z * 0.5));
    /// assert!(Convex::sphere(-0.5).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ConvexError`] for a radius that is negative or not finite.
    pub fn sphere(radius: f64) -> Result<Self, ConvexError> {
        Self::point().with_margin(not_negative("radius", radius)?)
    }

    /// Creates a segment between two points.
    ///
    /// ```
    /// use heurt_geometry::Vec3;
    /// use heurt_shape::Convex;
    /// let cable = Convex::segment([Vec3::ZERO, Vec3::new(3.0, 0.0, 4.0)])?.with_margin(0.01)?;
    /// assert_eq!(cable.bounds().max, Vec3::new(3.01, 0.01, 4.01));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ConvexError::Hull`] for a coordinate that is not finite or too large.
    pub fn segment(ends: [Vec3; 2]) -> Result<Self, ConvexError> {
        Self::hull(&ends)
    }

    /// Creates a triangle.
    ///
    /// ```
    /// use heurt_geometry::Vec3;
    /// use heurt_shape::Convex;
    /// let sail = Convex::triangle([Vec3::ZERO, Vec3::X * 2.0, Vec3::Z * 5.0])?;
    /// assert_eq!(sail.measures()?.area, 10.0, "both sides count");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ConvexError::Hull`] for a coordinate that is not finite or too large.
    pub fn triangle(corners: [Vec3; 3]) -> Result<Self, ConvexError> {
        Self::hull(&corners)
    }

    /// Creates the hull of points that span any dimension.
    ///
    /// ```
    /// use heurt_geometry::Vec3;
    /// use heurt_shape::{Convex, Core};
    /// let gable = |y: f64| [[0.0, y, 0.0], [4.0, y, 0.0], [2.0, y, 2.0]].map(Vec3::from_array);
    /// let roof = Convex::hull(&[gable(0.0), gable(6.0)].concat())?;
    /// let Core::Hull(hull) = roof.core() else { unreachable!("it has flat faces") };
    /// assert_eq!((hull.corners().len(), hull.facets().len()), (6, 5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ConvexError::Hull`] for no points, too many, or a coordinate that is not finite or too large.
    pub fn hull(points: &[Vec3]) -> Result<Self, ConvexError> {
        Ok(Self { core: Core::Hull(Arc::new(Hull::new(points)?)), margin: 0.0 })
    }

    /// Creates a box round the origin from half its edges.
    ///
    /// ```
    /// use heurt_geometry::Vec3;
    /// use heurt_shape::Convex;
    /// let brick = Convex::cuboid(Vec3::new(0.12, 0.0575, 0.0355))?;
    /// assert_eq!(brick.bounds().min, Vec3::new(-0.12, -0.0575, -0.0355));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ConvexError`] for a length that is negative or not finite.
    pub fn cuboid(half: Vec3) -> Result<Self, ConvexError> {
        for length in half.to_array() {
            not_negative("half", length)?;
        }
        let sign = |number: u32, axis: u32| if number >> axis & 1 == 1 { 1.0 } else { -1.0 };
        let corner = |number: u32| half * Vec3::new(sign(number, 0), sign(number, 1), sign(number, 2));
        Self::hull(&[0, 1, 2, 3, 4, 5, 6, 7].map(corner))
    }

    /// Creates a segment of the axis z from −`half_height` to `half_height`, with the margin `radius`.
    ///
    /// # Errors
    /// [`ConvexError`] for a length that is negative or not finite.
    pub fn capsule(radius: f64, half_height: f64) -> Result<Self, ConvexError> {
        let top = Vec3::Z * not_negative("half_height", half_height)?;
        Self::hull(&[-top, top])?.with_margin(not_negative("radius", radius)?)
    }

    /// Creates a cylinder round the axis z from −`half_height` to `half_height`.
    ///
    /// ```
    /// use heurt_geometry::Vec3;
    /// use heurt_shape::Convex;
    /// let can = Convex::cylinder(0.5, 2.0)?;
    /// assert_eq!(can.support(Vec3::X), Some(Vec3::new(0.5, 0.0, 2.0)));
    /// let volume = can.measures()?.volume.expect("it has an inside");
    /// assert!((volume - std::f64::consts::PI).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ConvexError`] for a length that is negative or not finite.
    pub fn cylinder(radius: f64, half_height: f64) -> Result<Self, ConvexError> {
        Self::round(Round::Cylinder { radius, half_height })
    }

    /// Creates a cone round the axis z: its base at −`half_height`, its apex at `half_height`.
    ///
    /// ```
    /// use heurt_geometry::Vec3;
    /// use heurt_shape::Convex;
    /// let pylon = Convex::cone(0.25, 0.5)?;
    /// assert_eq!(pylon.support(Vec3::Z), Some(Vec3::Z * 0.5), "the apex");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ConvexError`] for a length that is negative or not finite.
    pub fn cone(radius: f64, half_height: f64) -> Result<Self, ConvexError> {
        Self::round(Round::Cone { radius, half_height })
    }

    /// Creates an ellipsoid from its half axes along x, y, z.
    ///
    /// ```
    /// use heurt_geometry::Vec3;
    /// use heurt_shape::Convex;
    /// let lens = Convex::ellipsoid(Vec3::new(2.0, 2.0, 0.5))?;
    /// assert_eq!(lens.bounds().max, Vec3::new(2.0, 2.0, 0.5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ConvexError`] for a length that is negative or not finite.
    pub fn ellipsoid(radii: Vec3) -> Result<Self, ConvexError> {
        Self::round(Round::Ellipsoid { radii })
    }

    /// Creates the set of points with (|x/rx|^(2/n2) + |y/ry|^(2/n2))^(n2/n1) + |z/rz|^(2/n1) ≤ 1.
    ///
    /// ```
    /// use heurt_geometry::Vec3;
    /// use heurt_shape::Convex;
    /// // Between a ball (exponents of 1) and a box (towards 0).
    /// let pillow = Convex::superellipsoid(Vec3::ONE, 0.5, 0.5)?;
    /// let volume = pillow.measures()?.volume.expect("it has an inside");
    /// assert!(volume > 4.0 / 3.0 * std::f64::consts::PI && volume < 8.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ConvexError`] for a length that is not above 0, and for exponents outside 0.01 to 2: above it is not convex.
    pub fn superellipsoid(radii: Vec3, n1: f64, n2: f64) -> Result<Self, ConvexError> {
        Self::round(Round::Superellipsoid { radii, n1, n2 })
    }

    /// Creates a shape with curved faces.
    ///
    /// # Errors
    /// [`ConvexError`] for a length that is negative or not finite, or an exponent out of range.
    pub fn round(round: Round) -> Result<Self, ConvexError> {
        Ok(Self { core: round.checked()?, margin: 0.0 })
    }

    /// Creates the set of points with `normal` · p ≤ `offset`.
    ///
    /// ```
    /// use heurt_geometry::Vec3;
    /// use heurt_shape::Convex;
    /// let ground = Convex::half_space(Vec3::Z, 0.0)?;
    /// assert_eq!(ground.support(Vec3::X), None, "it has no end");
    /// assert!(Convex::half_space(Vec3::ZERO, 0.0).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ConvexError`] for a normal of zero length, for numbers that are not finite, and for a plane beyond the range
    /// of numbers.
    pub fn half_space(normal: Vec3, offset: f64) -> Result<Self, ConvexError> {
        for value in normal.to_array() {
            finite("normal", value)?;
        }
        if normal == Vec3::ZERO {
            return Err(ConvexError::NoDirection);
        }
        let offset = finite("offset", offset)?;
        let unit = power_of_two_scale(normal.abs().max_element());
        let scaled = normal * unit;
        finite("offset / |normal|", offset * unit / scaled.length_squared() * scaled.length())?;
        Ok(Self { core: Core::HalfSpace { normal, offset }, margin: 0.0 })
    }

    /// Returns the shape grown by `margin` in all directions.
    ///
    /// ```
    /// use heurt_geometry::Vec3;
    /// use heurt_shape::Convex;
    /// // A box of 2 m with edges rounded by 0.1 m.
    /// let soft = Convex::cuboid(Vec3::splat(0.9))?.with_margin(0.1)?;
    /// assert_eq!((soft.margin(), soft.bounds().max.x), (0.1, 1.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ConvexError`] for a margin that is negative or not finite, or where it sums up to more than `f64` holds.
    pub fn with_margin(mut self, margin: f64) -> Result<Self, ConvexError> {
        self.margin = finite("margin", self.margin + not_negative("margin", margin)?)?;
        Ok(self)
    }

    /// Returns the same core with `margin` in place of its own.
    ///
    /// # Errors
    /// [`ConvexError`] for a margin that is negative or not finite.
    pub fn remargined(mut self, margin: f64) -> Result<Self, ConvexError> {
        self.margin = not_negative("margin", margin)?;
        Ok(self)
    }

    /// Returns the core.
    #[inline(always)]
    pub fn core(&self) -> &Core {
        &self.core
    }

    /// Reports whether the core is a half-space.
    #[inline(always)]
    pub fn is_half_space(&self) -> bool {
        matches!(self.core, Core::HalfSpace { .. })
    }

    /// Returns the margin around the core, in metres.
    #[inline(always)]
    pub fn margin(&self) -> f64 {
        self.margin
    }

    /// Returns the support point along a unit vector; `None` for a half-space.
    ///
    /// ```
    /// use heurt_geometry::Vec3;
    /// use heurt_shape::Convex;
    /// let plank = Convex::cuboid(Vec3::new(2.0, 0.1, 0.02))?;
    /// assert_eq!(plank.support(Vec3::new(0.6, 0.8, 0.0)).map(|p| p.truncate().to_array()), Some([2.0, 0.1]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn support(&self, direction: Vec3) -> Option<Vec3> {
        let on_core = match &self.core {
            Core::Hull(hull) => hull.corners()[hull.support(direction) as usize],
            Core::Round(round) => round.support(direction),
            Core::HalfSpace { .. } => return None,
        };
        Some(on_core + direction * self.margin)
    }

    /// Returns a box that holds the shape, in its own frame; infinite for a half-space.
    pub fn bounds(&self) -> Aabb {
        let core = match &self.core {
            Core::Hull(hull) => *hull.bounds(),
            Core::Round(round) => round.bounds(),
            Core::HalfSpace { .. } => Aabb { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY },
        };
        Aabb { min: core.min - self.margin, max: core.max + self.margin }
    }

    fn of_points(points: &[Vec3]) -> Self {
        let hull = Hull::new(points).expect("one point has a hull");
        Self { core: Core::Hull(Arc::new(hull)), margin: 0.0 }
    }
}

/// Maximum magnitude of numbers: sums of a few larger ones become infinite.
const FARTHEST: f64 = 5e306;

fn finite(field: &'static str, value: f64) -> Result<f64, ConvexError> {
    match (value.is_finite(), value.abs() <= FARTHEST) {
        (true, true) => Ok(value),
        (true, false) => Err(ConvexError::TooFar { field, value }),
        (false, _) => Err(ConvexError::NotFinite { field, value }),
    }
}

pub(crate) fn not_negative(field: &'static str, value: f64) -> Result<f64, ConvexError> {
    match finite(field, value)? {
        value if value < 0.0 => Err(ConvexError::Negative { field, value }),
        value => Ok(value),
    }
}
