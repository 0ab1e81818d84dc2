//! The states of bodies before a step, to which an error puts them back.

use crate::body::Body;
use crate::state::view::WorldView;
use heurt_geometry::{Pose, Vec3};
use heurt_shape::Shape;

/// The state of a body that a step changes.
struct SavedBody {
    pose: Pose,
    velocity: Vec3,
    angular_velocity: Vec3,
    /// The shape of a soft body.
    shape: Option<Shape>,
}

/// The states of all bodies, by place, with step and time.
pub(crate) struct SavedStates {
    bodies: Vec<Option<SavedBody>>,
    step: u64,
    time: f64,
}

impl SavedStates {
    /// Copies the states.
    pub(crate) fn of(view: &WorldView) -> Self {
        let save = |body: &Body| SavedBody {
            pose: body.pose,
            velocity: body.velocity,
            angular_velocity: body.angular_velocity,
            shape: body.is_soft().then(|| body.shape.clone()),
        };
        let bodies = view.bodies.slots().iter().map(|slot| slot.body.as_ref().map(save));
        Self { bodies: bodies.collect(), step: view.step, time: view.time }
    }

    /// Puts the bodies back.
    pub(crate) fn restore(&self, view: &mut WorldView) {
        (view.step, view.time) = (self.step, self.time);
        for (slot, saved) in view.bodies.slots_mut().iter_mut().zip(&self.bodies) {
            let Some((body, saved)) = slot.body.as_mut().zip(saved.as_ref()) else { continue };
            (body.pose, body.velocity, body.angular_velocity) = (saved.pose, saved.velocity, saved.angular_velocity);
            if let Some(shape) = &saved.shape {
                body.shape = shape.clone();
            }
        }
    }
}
