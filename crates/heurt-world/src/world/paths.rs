//! Recording of the paths of bodies within a step.

use crate::World;
use crate::step::paths::{BodyPath, StepPaths};

impl World {
    /// Records the paths of bodies from the next step on, or no longer. They cost time and memory, and change nothing
    /// else; snapshots do not hold them.
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// use heurt_shape::Convex;
    /// use heurt_world::{Body, Settings, World};
    /// let mut world = World::new(Settings::default())?;
    /// let ball = Body::kinematic(Convex::sphere(0.5)?, Pose::IDENTITY);
    /// let ball = world.insert(Body { velocity: Vec3::X * 100.0, ..ball })?;
    /// world.record_paths(true);
    /// world.step(0.1)?;
    /// let path = &world.paths()[0];
    /// assert_eq!((path.id, path.ends[0]), (ball, Vec3::ZERO));
    /// assert!(path.swept.contains(Vec3::X * 5.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn record_paths(&mut self, on: bool) {
        let paths = &mut self.scratch.plan.paths;
        if on != paths.is_some() {
            *paths = on.then(StepPaths::default);
        }
    }

    /// Lists the paths of the bodies that moved in the last step, by their places. Empty unless they are recorded, and
    /// after an error, [`World::detect`] or [`World::restore`]. A body that was removed since is listed.
    pub fn paths(&self) -> &[BodyPath] {
        self.scratch.plan.paths.as_ref().map_or(&[], StepPaths::paths)
    }

    pub(super) fn clear_paths(&mut self) {
        if let Some(paths) = &mut self.scratch.plan.paths {
            paths.clear();
        }
    }
}
