//! The contact problem of the last step, to be written, read again, or solved by another solver.

use crate::World;
use crate::error::WorldError;
use crate::response::step_problem::{StepProblem, build_problem, solved_problem};
use crate::step::LONGEST_STEP;

impl World {
    /// Keeps the problems that the exact solver solves from the next step on, or no longer. It costs a copy of each
    /// problem and changes nothing else; snapshots do not hold them.
    pub fn keep_problem(&mut self, on: bool) {
        self.response.problem.is_kept = on;
        self.response.problem.clear();
    }

    /// Returns the contact problem that the exact solver solved last in the last step: of its last piece, with all
    /// islands. Otherwise it is built for a step of `dt` seconds from contacts and joints as they are: if problems are
    /// not kept ([`World::keep_problem`]), if soft steps or no response moved a body, and if nothing was solved.
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// use heurt_rigid::{ImpulseLcp, SolveOptions};
    /// use heurt_shape::Convex;
    /// use heurt_world::{Body, Mass, Response, Settings, World};
    /// let mut world = World::new(Settings { response: Response::ImpulseLcp, ..Settings::default() })?;
    /// world.insert(Body::fixed(Convex::half_space(Vec3::Z, 0.0)?, Pose::IDENTITY))?;
    /// let ball = Convex::sphere(0.5)?;
    /// let mass = Mass::of_total(&ball.clone().into(), 2.0)?;
    /// world.insert(Body::dynamic(ball, Pose::from_translation(Vec3::Z * 0.5)?, mass))?;
    /// world.keep_problem(true);
    /// world.step(0.01)?;
    /// let stated = world.contact_problem(0.01)?.with_names(|id| id.index().to_string());
    /// let solved = stated.solve(&ImpulseLcp::default(), &SolveOptions::default())?;
    /// assert_eq!(solved.solution.normal[0], world.solved_contacts()[0].impulse());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`WorldError::Number`] for a step that no world takes.
    pub fn contact_problem(&self, dt: f64) -> Result<StepProblem, WorldError> {
        if !(dt > 0.0 && dt <= LONGEST_STEP) {
            return Err(WorldError::Number { field: "dt", value: dt, legal: "a time above 0 and up to 1e100 s" });
        }
        if let Some(solved) = solved_problem(&self.response) {
            return Ok(solved);
        }
        let candidates = &self.response.candidates;
        let touches = if candidates.are_current { &candidates.contacts[..] } else { self.contacts() };
        Ok(build_problem(&self.view, &self.settings, &self.response, touches, dt))
    }
}
