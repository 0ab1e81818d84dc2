//! Floors: planes without bounds, drawn as a disc whose opacity falls to nothing, so that no edge is seen.
//!
//! Method: rings of triangles with an opacity at each corner; the rasteriser mixes them with the background.

use crate::palette::Colour;
use heurt_geometry::{Pose, Vec3};
use heurt_shape::{Core, Shape};

/// Radius of the disc, and where its opacity begins to fall, in radii of what lies on it.
const RADIUS: f64 = 1.6;
const FULL: f64 = 0.7;
/// Rings of the outer part.
const RINGS: u32 = 12;
/// Triangles around the disc.
const SECTORS: u32 = 96;

/// A plane without an edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Floor {
    /// A point of the plane, in the middle of what is to be seen of it.
    pub centre: Vec3,
    /// The unit normal.
    pub normal: Vec3,
    /// Radius of what lies on it, in metres: the plane fades beyond.
    pub radius: f64,
    /// Its colour.
    pub colour: Colour,
}

impl Floor {
    /// Returns the boundary of a placed half-space, in the middle below a sphere; `None` for any other shape.
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// use heurt_shape::{Convex, Shape};
    /// use heurt_view::picture::Floor;
    /// let ground = Shape::from(Convex::half_space(Vec3::Z, 1.0)?);
    /// let floor = Floor::of_half_space(&ground, &Pose::IDENTITY, (Vec3::new(3.0, 0.0, 7.0), 2.0), [160; 3]).unwrap();
    /// assert_eq!(floor.centre, Vec3::new(3.0, 0.0, 1.0));
    /// # Ok::<(), heurt_shape::ConvexError>(())
    /// ```
    pub fn of_half_space(shape: &Shape, pose: &Pose, (centre, radius): (Vec3, f64), colour: Colour) -> Option<Self> {
        let Shape::Convex(convex) = shape else { return None };
        let Core::HalfSpace { normal, offset } = convex.core() else { return None };
        let (length, unit) = (normal.length(), normal.normalize_or_zero());
        let at = pose.place(unit * (offset / length + convex.margin()));
        let normal = *pose.rotation() * unit;
        let is_sound = unit != Vec3::ZERO && at.is_finite() && centre.is_finite() && radius > 0.0 && radius.is_finite();
        is_sound.then(|| Self { centre: centre - normal * normal.dot(centre - at), normal, radius, colour })
    }

    /// Visits its triangles, with the opacity of each corner.
    pub(super) fn triangles(&self, mut visit: impl FnMut([(Vec3, f64); 3])) {
        let (u, v) = self.normal.any_orthonormal_pair();
        let at = |ring: u32, sector: u32| {
            let share = f64::from(ring) / f64::from(RINGS);
            let radius = self.radius * (FULL + (RADIUS - FULL) * share);
            let angle = std::f64::consts::TAU * f64::from(sector % SECTORS) / f64::from(SECTORS);
            let (sine, cosine) = (libm::sin(angle), libm::cos(angle));
            // Smoothstep.
            let opacity = 1.0 - share * share * (3.0 - 2.0 * share);
            (self.centre + (u * cosine + v * sine) * radius, opacity)
        };
        for sector in 0..SECTORS {
            visit([(self.centre, 1.0), at(0, sector), at(0, sector + 1)]);
            for ring in 0..RINGS {
                let [a, b] = [at(ring, sector), at(ring + 1, sector)];
                let [c, d] = [at(ring + 1, sector + 1), at(ring, sector + 1)];
                visit([a, b, c]);
                visit([a, c, d]);
            }
        }
    }
}
