//! Sub-stepped soft contact constraints ("TGS soft"): the fast solver for games and robots.
//!
//! In: bodies, contact manifolds with warm impulses, length of the step. Out: new poses and velocities of the bodies,
//! impulses of the points.
//! Method: E. Catto, "Solver2D" (2024) and Box2D v3. A step has n sub-steps. A sub-step integrates velocities, applies
//! the impulses of the sub-step before (warm start), sweeps over the contacts with a spring of given stiffness and
//! damping, integrates poses, and sweeps again without the spring, so that the spring leaves no velocity. After the
//! sub-steps, one pass gives approaching points their speed of separation. The separation of a point follows the exact
//! rotation of its anchors since the start of the step.
//! Constraints are coloured so that constraints of a colour share no movable body; four of a colour are solved in
//! lanes. Friction acts on a block of at most four points as a whole: a force at its centre inside the cone of the sum
//! of normal impulses, and a moment around the normal.
//! Guarantees: an input that is not finite is refused before anything is modified; no NaN in a result; the same bits
//! for any number of threads; equal and opposite impulses, so the linear momentum of an island is kept to rounding.
//! Not guaranteed: the complementarity conditions (contacts are soft, the number of sweeps is fixed). The anchors and
//! the inverse inertia that impulses see are those of the start of the step, so the angular momentum of an island is
//! kept to the first order of the motion in a step. Restitution is Newton's rule at each point, without the energetic
//! bound for contacts with friction. A block in which only one edge carries has its friction at the centre of the
//! block.
//! Cost: linear in points × sub-steps.

mod batch;
mod batch_list;
mod colour;
mod input;
mod island;
mod joints;
mod lanes;
mod motion;
mod settings;
mod step;
mod sweep;

pub use input::{StepBody, StepError, StepManifold, StepPoint};
pub use island::Islands;
pub use joints::{JointWarmStart, StepJoint};
pub use settings::SoftStepSettings;
pub use step::SoftStep;
