//! Sub-stepped soft contact constraints ("TGS soft") with directly solved joints: the fast solver for games and robots.
//!
//! In: bodies, contact manifolds and joints with warm impulses, length of the step. Out: new poses and velocities of
//! the bodies, impulses of the points, loads of the joints.
//! Method: E. Catto, "Solver2D" (2024) and Box2D v3. A step has n sub-steps. A sub-step integrates velocities, applies
//! the impulses of the sub-step before (warm start), sweeps over the contacts with a spring of given stiffness and
//! damping, integrates poses, and sweeps again without the spring, so that the spring leaves no velocity. After the
//! sub-steps, one pass gives approaching points their speed of separation. The separation of a point follows the exact
//! rotation of its anchors since the start of the step. Contacts are coloured by level (the number of contacts to the
//! ground), so that contacts of a colour share no movable body; four of a colour are solved in lanes. A sweep passes
//! from the top of a heap to the ground, every second relaxation from the ground to the top. Friction acts on a block
//! of at most four points as a whole: a force at its centre inside the cone of the sum of normal impulses, and a moment
//! around the normal.
//! Joints ([`SoftStep::step_with_joints`]) are solved before contacts in each sweep. All equations of an assembly, with
//! its motors below their bounds and its limits that push, form one linear system, which a sparse factorisation solves
//! at the current poses. Errors decay by a spring of [`SoftStepSettings::joint_stiffness`]; the integration is a RATTLE
//! step, so that the energy of a pendulum oscillates without drift.
//! Guarantees: an input that is not finite is refused before anything is modified; no NaN in a result; the same bits
//! for any number of threads; equal and opposite impulses, so the linear momentum of an island is kept to rounding.
//! Restitution is Newton's rule at each point, scaled down per island (`bounce.rs`): the pass adds no kinetic energy
//! beyond the energy at the start of the step and the work of free accelerations and torques, or the energy before it
//! if it is larger, to 1e-9.
//! Not guaranteed: the complementarity conditions (contacts are soft, the number of sweeps is bounded). The anchors and
//! the inverse inertia that impulses see are those of the start of the step, so the angular momentum of an island is
//! kept to the first order of the motion in a step. An island that touches bodies without mass of several motions
//! (ground and racket) may gain energy by restitution. A block in which only one edge carries has its friction at the
//! centre of the block.
//! Joints next to contacts: sweeps over the islands with joints are repeated until contacts change the rates of the
//! equations of joints by less than 1 mm/s (1 mrad/s), at most 16 times; limits, motors and friction do not count. A
//! ragdoll that falls from 0.6 m opens its joints by less than 1 mm. The pass of restitution does not see joints.
//! Joints of a hub with more than 25 joints are solved by sweeps, with the softness of contacts, and these are not
//! repeated. Angular momentum of joined bodies is kept up to the distance of the anchors. The position of joined
//! bodies leads the exact motion by v·h/2, as semi-implicit Euler does. The energy of joined bodies that spin holds to
//! 0.1 % in 10 s at 0.04 rad in a sub-step; at 0.12 rad a fan gains 7 %; above 0.15 rad such bodies lose energy, and
//! their joints open by centimetres. More sub-steps help.
//! The direction of a distance joint without limits may turn by 0.3 rad in a sub-step (7 m/s across 0.1 m) at a loss of
//! 0.02 % of energy. Beyond it, such joints lose energy until they turn slower. They open by 8 % of their length at 0.5
//! rad and by 22 % at 0.83 rad. They gain no energy, measured up to 40 rad.
//! Cost: linear in points × sub-steps, times one more for each 25 layers of the deepest heap; and in joints × sub-steps
//! for chains and trees: 18 µs for a joint of a ragdoll in a step, on one thread. An impact on an island with joints
//! repeats both up to 16 times, twice in a sub-step, for all such islands.

mod batch;
mod batch_list;
mod bounce;
mod colour;
mod input;
mod island;
mod joints;
mod lanes;
mod memory;
mod motion;
mod settings;
mod step;
mod sweep;

pub use input::{StepBody, StepError, StepManifold, StepPoint};
pub use island::Islands;
pub use joints::{JointWarmStart, StepJoint};
pub use settings::SoftStepSettings;
pub use step::SoftStep;
