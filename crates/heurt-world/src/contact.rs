//! Classification of contacts: bodies that come nearer, rest on each other, or separate.
//!
//! In: a contact of the last step. Out: its places, each with a unit normal and the speed of separation along it.
//! Bodies that were disjoint as the step began have one place: their first impact, whether or not they overlap as the
//! step ends. Otherwise a body beyond the middle of a thin plate would seem to leave on its other side.
//! Method: S1: n · (v_b − v_a), of the velocities of the two points that touch, the normal from A to B: colliding below
//! 0, separating above, resting at 0. Numbers are rounded, and gravity moves a resting body for a step: such a speed
//! counts as 0. Points of a soft body move with it and with the triangle in contact. For an impact within the step, the
//! velocities are those at its time.
//! Cost: constant for each place.

use crate::body::{Body, Kind};
use crate::step::narrow::BodyContact;
use crate::step::soft_impact::{Side, is_soft};
use crate::world::World;
use heurt_geometry::Vec3;
use heurt_query::Impact;
use heurt_shape::Shape;
use smallvec::SmallVec;

/// The relative motion of two bodies in contact, before any response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContactState {
    /// They come nearer.
    Colliding,
    /// They do neither, or by no more than the effect of gravity in a step.
    Resting,
    /// They separate.
    Separating,
}

impl ContactState {
    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Colliding => "colliding",
            Self::Resting => "resting",
            Self::Separating => "separating",
        }
    }

    fn of(normal_velocity: f64, slow: f64) -> Self {
        match normal_velocity {
            v if v < -slow => Self::Colliding,
            v if v > slow => Self::Separating,
            _ => Self::Resting,
        }
    }
}

/// A place of a contact, and the relative motion of the bodies there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactMotion {
    /// In the world frame.
    pub point: Vec3,
    /// A unit vector from A to B. If no gap defines it, the direction in which the bodies come nearer; z if they do not
    /// move.
    pub normal: Vec3,
    /// In metres; negative where they overlap.
    pub separation: f64,
    /// Speed of separation along the normal, in m/s; negative if they come nearer.
    pub normal_velocity: f64,
    /// The classification of this speed.
    pub approach: ContactState,
    /// The time of the first impact, in seconds from the start of the step; `None` for bodies that touched before.
    pub time: Option<f64>,
}

/// Rounding error of a difference of speeds, as a share of the speeds.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

impl World {
    /// Returns the places of a contact of the last step, and the relative motion there. Bodies that came to touch
    /// within the step have one place, the first impact, with its normal and the velocities at its time; others have a
    /// place for each contact point. Empty for bodies that were removed.
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// use heurt_shape::Convex;
    /// use heurt_world::{Body, ContactState, Settings, World};
    /// let mut world = World::new(Settings { gravity: Vec3::ZERO, ..Settings::default() })?;
    /// world.insert(Body::fixed(Convex::half_space(Vec3::Z, 0.0)?, Pose::IDENTITY))?;
    /// let down = Body::kinematic(Convex::sphere(0.5)?, Pose::from_translation(Vec3::Z * 0.5)?);
    /// world.insert(Body { velocity: Vec3::Z * -0.1, ..down })?;
    /// world.step(0.01)?;
    /// let motions = world.contact_motions(&world.touches()[0]);
    /// assert_eq!(motions[0].approach, ContactState::Colliding);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn contact_motions(&self, touch: &BodyContact) -> SmallVec<[ContactMotion; 4]> {
        let Some((a, b)) = self.body(touch.a).zip(self.body(touch.b)) else { return SmallVec::new() };
        let is_free = [a, b].iter().any(|body| matches!(body.kind, Kind::Dynamic(_)));
        let fall = if is_free { self.settings.gravity.length() * self.last_step } else { 0.0 };
        let meeting = |point: Vec3, normal: Vec3, [v_a, v_b]: [Vec3; 2]| {
            // If no gap defines a normal.
            let normal = if normal == Vec3::ZERO { (v_a - v_b).normalize_or(Vec3::Z) } else { normal };
            let normal_velocity = normal.dot(v_b - v_a);
            let approach = ContactState::of(normal_velocity, fall + ROUNDING * (v_a.length() + v_b.length()));
            ContactMotion { point, normal, separation: 0.0, normal_velocity, approach, time: None }
        };
        // Bodies that overlapped as the step began, as after `place`, have no first impact within it.
        let overlapped = |impact: &Impact| impact.time == 0.0 && impact.normal.is_none();
        match (&touch.contact, &touch.impact) {
            (contact, Some(impact)) if contact.is_none() || !overlapped(impact) => {
                let normal = impact.normal.unwrap_or(Vec3::ZERO);
                let met = meeting(impact.point, normal, [Vec3::ZERO, touch.impact_velocity]);
                SmallVec::from_iter([ContactMotion { time: Some(impact.time), ..met }])
            }
            (Some(contact), _) => {
                let places = contact.points.iter().map(|at| {
                    let velocity = |body, primitive| self.velocity_of(body, at.point, primitive);
                    let velocities = [velocity(a, at.primitives[0]), velocity(b, at.primitives[1])];
                    ContactMotion { separation: at.separation, ..meeting(at.point, at.normal, velocities) }
                });
                places.collect()
            }
            (None, _) => SmallVec::new(),
        }
    }

    /// The velocity of the point of a body that is at `point` now, on a triangle if it is soft.
    fn velocity_of(&self, body: &Body, point: Vec3, triangle: u32) -> Vec3 {
        let velocity = body.velocity_at(point);
        let (Kind::Soft(deformation), Shape::Mesh(mesh)) = (&body.kind, &body.shape) else { return velocity };
        let Some(corners) = mesh.mesh().triangles().get(triangle as usize) else { return velocity };
        let places = corners.map(|corner| body.pose.place(mesh.mesh().vertices()[corner as usize]));
        let velocities = corners.map(|corner| deformation.velocity(corner as usize, self.now.time));
        velocity + *body.pose.rotation() * blended(places, velocities, point)
    }
}

/// The velocity of B relative to A at their first impact.
pub(crate) fn velocity_at_impact(sides: [Side<'_>; 2], impact: &Impact, dt: f64) -> Vec3 {
    let velocity = |side: usize| {
        let Side { body, flight, way } = sides[side];
        let triangle = impact.primitives.map(|primitives| primitives[side]);
        let soft = way.zip(triangle).filter(|_| is_soft(body));
        if let Some([start, end]) = soft.and_then(|(way, triangle)| way.triangle(triangle)) {
            // Vertices go straight.
            let places = [0, 1, 2].map(|k| start[k].lerp(end[k], impact.time / dt));
            return blended(places, [0, 1, 2].map(|k| (end[k] - start[k]) / dt), impact.point);
        }
        let (pose, motion) = flight.at(impact.time);
        motion.velocity() + motion.angular_velocity().cross(impact.point - pose.place(motion.pivot()))
    };
    velocity(1) - velocity(0)
}

/// Interpolates values of the corners of a triangle at the point nearest to `point` in its plane.
fn blended(corners: [Vec3; 3], values: [Vec3; 3], point: Vec3) -> Vec3 {
    let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
    let opposite = |k: usize| {
        let (from, to) = (corners[(k + 1) % 3], corners[(k + 2) % 3]);
        (to - from).cross(point - from).dot(normal).max(0.0)
    };
    let weights = [0, 1, 2].map(opposite);
    let sum: f64 = weights.iter().sum();
    // A triangle without area moves as its corners do in the mean.
    let weights = if sum > 0.0 { weights.map(|weight| weight / sum) } else { [1.0 / 3.0; 3] };
    (0..3).map(|k| values[k] * weights[k]).sum()
}
