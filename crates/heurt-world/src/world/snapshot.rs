//! Copies of the state of a world, to which it returns.

use super::World;
use crate::error::WorldError;
use crate::response::ResponseState;
use crate::state::snapshot::Snapshot;
use crate::state::view::WorldView;

impl World {
    /// Copies the state, to be restored.
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// use heurt_shape::Convex;
    /// use heurt_world::{Body, Settings, World};
    /// let mut world = World::new(Settings::default())?;
    /// let ball = Body { velocity: Vec3::X, ..Body::kinematic(Convex::sphere(0.5)?, Pose::IDENTITY) };
    /// world.insert(ball)?;
    /// let before = world.snapshot();
    /// world.step(0.5)?;
    /// let after = world.state_hash();
    /// world.restore(&before)?;
    /// world.step(0.5)?;
    /// assert_eq!(world.state_hash(), after, "the same future, bit for bit");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            bodies: self.view.bodies.clone(),
            free: self.free.places(),
            contacts: self.contacts.contacts().to_vec(),
            touching_pairs: self.contacts.touching_pairs().to_vec(),
            overlapping: self.pairs.overlapping(),
            step: self.view.step,
            time: self.view.time,
            last_step: self.timing.last_step,
            candidates: self.response.candidates.clone(),
            solved: self.response.solved.clone(),
            joints: self.response.joints.clone(),
            sleep: self.response.sleep.clone(),
            unsolved: self.response.unsolved.clone(),
        }
    }

    /// Restores a state of this world: the steps that follow are the same, bit for bit. Bodies inserted since are
    /// gone, and their names are void.
    ///
    /// # Errors
    /// [`WorldError::Broad`] if the state is of another world that the broad phase cannot hold; the world is then as it
    /// was.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), WorldError> {
        let boxes = snapshot.boxes(&self.settings)?;
        let Snapshot {
            bodies,
            free,
            contacts,
            touching_pairs,
            overlapping,
            step,
            time,
            last_step,
            candidates,
            solved,
            joints,
            sleep,
            unsolved,
        } = snapshot.clone();
        let problem = std::mem::take(&mut self.response.problem).without_problem();
        self.response =
            ResponseState { candidates, solved, joints, sleep, unsolved, problem, ..ResponseState::default() };
        let bodies = self.free.restore(free, bodies, &self.view.bodies);
        self.view = WorldView { bodies, boxes, step, time };
        self.pairs.restore(&overlapping);
        self.contacts.restore(contacts, touching_pairs);
        self.scratch.swept.clear();
        self.clear_paths();
        self.timing.last_step = last_step;
        if let Some(publisher) = &mut self.publisher {
            publisher.publish_unrelated(&self.view, self.settings.margin);
        }
        Ok(())
    }
}
