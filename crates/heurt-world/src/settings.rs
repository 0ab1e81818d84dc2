//! Settings of a world, and the ranges of numbers that it accepts.

use crate::error::WorldError;
use crate::response::{ImpactRule, Response};
use heurt_broad::BroadPhaseKind;
use heurt_geometry::{Aabb, Pose, Vec3};
use heurt_rigid::SolveOptions;

/// Settings of a whole world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// In m/s².
    pub gravity: Vec3,
    /// How pairs of boxes are found.
    pub broad_phase: BroadPhaseKind,
    /// The contacts that a step finds.
    pub detection: Detection,
    /// Bodies within this distance count as touching, in metres.
    pub margin: f64,
    /// How bodies respond to contacts.
    pub response: Response,
    /// The rule of impacts of one moment that share bodies.
    pub impact_rule: ImpactRule,
    /// Whether islands of bodies at rest sleep: with `SoftStep` and `Auto` they are left out of steps until something
    /// disturbs them.
    pub sleep: bool,
    /// The speed of approach below which bodies do not rebound, in m/s; `None` for the usual one
    /// ([`Settings::restitution_threshold_in_force`]).
    pub restitution_threshold: Option<f64>,
    /// The stiffness of each contact point with [`Response::Penalty`], in N/m; with `None` the heaviest body sinks by
    /// 0.1 mm on one point.
    pub penalty_stiffness: Option<f64>,
}

impl Default for Settings {
    /// Earth, z up.
    fn default() -> Self {
        let gravity = Vec3::new(0.0, 0.0, -9.81);
        Self {
            gravity,
            broad_phase: BroadPhaseKind::Tree,
            detection: Detection::Discrete,
            margin: 0.0,
            response: Response::None,
            impact_rule: ImpactRule::AtOnce,
            sleep: true,
            restitution_threshold: None,
            penalty_stiffness: None,
        }
    }
}

/// The contacts that a step finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Detection {
    /// Contacts of the bodies as the step ends.
    #[default]
    Discrete,
    /// These, and the times within the step at which disjoint bodies came to touch.
    Continuous,
}

/// Iterations of an exact solve with `Auto`: islands that are solved at all take some tens.
const AUTO_ITERATIONS: u32 = 200;

/// The fall from which bodies of soft steps do not rebound, in metres: gaps in a heap at rest are smaller.
const LEAST_FALL: f64 = 1e-3;

/// Margin of a box in a world with a response, as a share of its extent: more than the gap up to which bodies touch.
const BOX_MARGIN: f64 = 4e-9;

/// The largest coordinate of an origin, and of a vertex of a soft body, in metres: squares of what is beyond are beyond
/// the range of numbers.
pub const FARTHEST: f64 = 1e150;

impl Settings {
    /// The margin of the box of a body: with a response, bodies whose gap is a rounding error are a pair.
    pub(crate) fn margin_of(&self, bounds: &Aabb) -> f64 {
        let extent = (bounds.max - bounds.min).max_element();
        match self.response {
            Response::None => self.margin,
            _ if extent.is_finite() => self.margin.max(BOX_MARGIN * extent),
            _ => self.margin,
        }
    }

    /// Reports whether bodies at rest sleep: [`Response::ImpulseLcp`] keeps all awake.
    pub fn sleeps(&self) -> bool {
        self.sleep && matches!(self.response, Response::SoftStep | Response::Auto)
    }

    /// Reports whether the contacts at the end of an exact step must cover the motion of the next one: in discrete
    /// detection no motion is searched, and `Auto` chooses solvers and wakes bodies by them.
    pub(crate) fn needs_room(&self) -> bool {
        self.detection == Detection::Discrete || self.response == Response::Auto
    }

    /// Returns the speed of approach below which bodies do not rebound, in m/s. The usual one is 0 for
    /// [`Response::ImpulseLcp`] and [`Response::Penalty`]; for [`Response::SoftStep`] and [`Response::Auto`], which
    /// solve heaps, a fall from 1 mm gives it: 0.14 m/s on Earth, so that a body rebounds alike alone and in a crowd.
    ///
    /// ```
    /// use heurt_geometry::Vec3;
    /// use heurt_world::{Response, Settings};
    /// let earth = Settings { response: Response::Auto, ..Settings::default() };
    /// assert!((earth.restitution_threshold_in_force() - 0.1401).abs() < 1e-4);
    /// let space = Settings { gravity: Vec3::ZERO, ..earth };
    /// assert_eq!(space.restitution_threshold_in_force(), 0.0);
    /// ```
    pub fn restitution_threshold_in_force(&self) -> f64 {
        let usual = || match self.response {
            Response::ImpulseLcp | Response::None | Response::Penalty => 0.0,
            Response::SoftStep | Response::Auto => (2.0 * self.gravity.length().min(FARTHEST) * LEAST_FALL).sqrt(),
        };
        self.restitution_threshold.unwrap_or_else(usual)
    }

    /// The options of exact solves. With `Auto` few iterations suffice: an island that needs more is left to soft
    /// steps.
    pub(crate) fn solve_options(&self) -> SolveOptions {
        let usual = SolveOptions::default();
        let max_iterations = if self.response == Response::Auto { AUTO_ITERATIONS } else { usual.max_iterations };
        SolveOptions { max_iterations, ..usual }
    }

    /// Refuses numbers that no world has.
    pub(crate) fn check(&self) -> Result<(), WorldError> {
        check_finite("gravity", self.gravity)?;
        check_at_least_zero("margin", self.margin)?;
        check_at_least_zero("penalty_stiffness", self.penalty_stiffness.unwrap_or(0.0))?;
        check_at_least_zero("restitution_threshold", self.restitution_threshold.unwrap_or(0.0))
    }
}

/// Grows a box by half a distance, rounded up: two such boxes meet if their contents are within the distance.
pub(crate) fn grown(bounds: &Aabb, distance: f64) -> Aabb {
    if distance == 0.0 {
        return *bounds;
    }
    let by = 0.5 * distance * (1.0 + 8.0 * f64::EPSILON);
    let room = |v: Vec3| (v.abs() + by) * (2.0 * f64::EPSILON);
    Aabb { min: bounds.min - by - room(bounds.min), max: bounds.max + by + room(bounds.max) }
}

/// Refuses vectors that are not finite.
pub(crate) fn check_finite(field: &'static str, value: Vec3) -> Result<(), WorldError> {
    match value.to_array().into_iter().find(|x| !x.is_finite()) {
        Some(value) => Err(WorldError::Number { field, value, legal: "finite numbers" }),
        None => Ok(()),
    }
}

/// Refuses poses whose origin is beyond [`FARTHEST`].
pub(crate) fn check_translation(pose: &Pose) -> Result<(), WorldError> {
    match pose.translation().to_array().into_iter().find(|x| x.abs() > FARTHEST) {
        Some(value) => Err(WorldError::Number { field: "translation", value, legal: "numbers within ±1e150" }),
        None => Ok(()),
    }
}

/// Refuses numbers that are negative or not finite.
pub(crate) fn check_at_least_zero(field: &'static str, value: f64) -> Result<(), WorldError> {
    match value >= 0.0 && value.is_finite() {
        true => Ok(()),
        false => Err(WorldError::Number { field, value, legal: "a finite number of at least 0" }),
    }
}

/// Reports whether squares of the coordinates are numbers.
pub(crate) fn is_near(v: &Vec3) -> bool {
    v.is_finite() && v.abs().max_element() <= FARTHEST
}
