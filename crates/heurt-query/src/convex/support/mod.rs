//! Support points of the core of a placed convex shape, along a direction.
//!
//! In: a convex shape, its pose, a unit of length. Out: [`Support`]: points of the core in the world, in that unit.
//! Guarantees: the corners of hulls are the corners that the contract places, times a power of two. The most distant of
//! them is determined up to rounding, so that a point may fall short by a few ulp of the largest coordinate.

pub(crate) mod feature;

use heurt_geometry::{Mat3, Pose, Vec3};
use heurt_shape::{Convex, Core, Hull, Round};
use std::cell::Cell;

/// A point of a core and its name there: the number of a corner, or [`NO_VERTEX`] for a point of a curved face.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SupportPoint {
    pub point: Vec3,
    pub name: u32,
}

/// Name of the points of curved faces.
pub(crate) const NO_VERTEX: u32 = u32::MAX;

impl SupportPoint {
    /// No point at all.
    pub(crate) const NONE: Self = Self { point: Vec3::ZERO, name: NO_VERTEX };
}

/// A convex set given by its support points.
pub(crate) trait Support {
    /// Returns a point of the set that is most distant along `direction` (world frame, any length but zero).
    fn support(&self, direction: Vec3) -> SupportPoint;
    /// Returns the corner with a name, if there is one.
    #[inline(always)]
    fn corner(&self, _name: u32) -> Option<SupportPoint> {
        None
    }
    /// Returns some point inside the set, or near it.
    fn middle(&self) -> Vec3;
}

/// A placed hull.
#[derive(Clone, Copy)]
pub(crate) struct PlacedHull<'a> {
    pub hull: &'a Hull,
    pub pose: &'a Pose,
    pub unit: f64,
}

impl PlacedHull<'_> {
    #[inline(always)]
    pub(crate) fn place(&self, corner: u32) -> Vec3 {
        self.pose.place(self.hull.corners()[corner as usize]) * self.unit
    }

    /// Returns the support height along `direction`, times the length of `direction`: within 32 ε of the largest
    /// coordinate.
    #[inline(always)]
    pub(crate) fn height(&self, direction: Vec3) -> f64 {
        let local = self.hull.reach_along(along_axes(self.pose, direction));
        (local + self.pose.translation().dot(direction)) * self.unit
    }

    /// Returns a point well inside, if there is one.
    #[inline(always)]
    pub(crate) fn inner(&self) -> Option<Vec3> {
        self.hull.inner().map(|point| self.pose.place(point) * self.unit)
    }

    /// Returns the radius of a ball that holds the hull.
    #[inline(always)]
    pub(crate) fn radius(&self) -> f64 {
        self.hull.radius() * self.unit
    }
}

/// Returns a direction of the world along the axes of a shape.
#[inline(always)]
pub(crate) fn along_axes(pose: &Pose, direction: Vec3) -> Vec3 {
    let axes = pose.rotation();
    Vec3::new(axes.x_axis.dot(direction), axes.y_axis.dot(direction), axes.z_axis.dot(direction))
}

/// Returns the axes of a shape along the axes of another shape.
#[inline(always)]
pub(crate) fn rotation_between(from: &Pose, to: &Pose) -> Mat3 {
    let axes = to.rotation();
    Mat3::from_cols(along_axes(from, axes.x_axis), along_axes(from, axes.y_axis), along_axes(from, axes.z_axis))
}

impl Support for PlacedHull<'_> {
    #[inline(always)]
    fn support(&self, direction: Vec3) -> SupportPoint {
        let name = self.hull.farthest(along_axes(self.pose, direction));
        SupportPoint { point: self.place(name), name }
    }

    #[inline(always)]
    fn corner(&self, name: u32) -> Option<SupportPoint> {
        let exists = (name as usize) < self.hull.corners().len();
        exists.then(|| SupportPoint { point: self.place(name), name })
    }

    #[inline(always)]
    fn middle(&self) -> Vec3 {
        self.pose.place(self.hull.bounds().centre()) * self.unit
    }
}

/// A placed shape with curved faces; its sizes are in the unit.
#[derive(Clone, Copy)]
pub(crate) struct PlacedRound<'a> {
    round: Round,
    pose: &'a Pose,
    at: Vec3,
}

impl<'a> PlacedRound<'a> {
    pub(crate) fn new(round: &Round, pose: &'a Pose, unit: f64) -> Self {
        Self { round: round.scaled(unit), pose, at: pose.translation() * unit }
    }
}

impl Support for PlacedRound<'_> {
    fn support(&self, direction: Vec3) -> SupportPoint {
        let local = self.round.support(along_axes(self.pose, direction));
        SupportPoint { point: *self.pose.rotation() * local + self.at, name: NO_VERTEX }
    }

    fn middle(&self) -> Vec3 {
        self.at
    }
}

/// Any placed bounded core.
#[derive(Clone, Copy)]
pub(crate) enum PlacedCore<'a> {
    Hull(PlacedHull<'a>),
    Round(PlacedRound<'a>),
}

impl<'a> PlacedCore<'a> {
    /// Places a core; returns `None` for a half-space.
    pub(crate) fn new(shape: &'a Convex, pose: &'a Pose, unit: f64) -> Option<Self> {
        match shape.core() {
            Core::Hull(hull) => Some(Self::Hull(PlacedHull { hull, pose, unit })),
            Core::Round(round) => Some(Self::Round(PlacedRound::new(round, pose, unit))),
            Core::HalfSpace { .. } => None,
        }
    }

    /// Tests whether the support points move smoothly with the direction, on all sides: secants are then useful.
    pub(crate) fn is_smooth(&self) -> bool {
        match self {
            Self::Hull(hull) => hull.hull.corners().len() == 1,
            Self::Round(PlacedRound { round, .. }) => match *round {
                Round::Ellipsoid { .. } => true,
                Round::Superellipsoid { n1, n2, .. } => n1.max(n2) < NEARLY_EDGED,
                Round::Cylinder { .. } | Round::Cone { .. } => false,
            },
        }
    }
}

/// Superellipsoids of an exponent above this have nearly the corners and edges of exponent 2.
const NEARLY_EDGED: f64 = 1.75;

impl Support for PlacedCore<'_> {
    fn support(&self, direction: Vec3) -> SupportPoint {
        match self {
            Self::Hull(hull) => hull.support(direction),
            Self::Round(round) => round.support(direction),
        }
    }

    fn middle(&self) -> Vec3 {
        match self {
            Self::Hull(hull) => hull.middle(),
            Self::Round(round) => round.middle(),
        }
    }
}

/// A set that counts its support queries.
pub(crate) struct Counted<S>(pub S, pub Cell<u32>);

impl<S> Counted<S> {
    pub(crate) fn new(set: S) -> Self {
        Self(set, Cell::new(0))
    }

    pub(crate) fn evaluations(&self) -> u32 {
        self.1.get()
    }
}

impl<S: Support> Support for Counted<S> {
    fn support(&self, direction: Vec3) -> SupportPoint {
        self.1.set(self.1.get() + 1);
        self.0.support(direction)
    }
    fn middle(&self) -> Vec3 {
        self.0.middle()
    }
}
