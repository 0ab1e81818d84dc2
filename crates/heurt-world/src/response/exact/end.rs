//! The end of a piece of a step for bodies that joints hold: the forces that act after their motion.
//!
//! In: bodies that have coasted, with velocities of the middle of the piece; the pairs that forces held before. Out:
//! velocities at the end, impulses of contacts and joints.
//! Method: the RATTLE scheme (Andersen 1983): half of the forces act before the motion, half after it, where the joints
//! and the closed contacts of the same pairs hold for velocities. Velocities of scripts are those with which they go
//! on.
//! Guarantees: each body that has coasted, and none else, gets its half of the free forces, if its island is solved or
//! not.
//! Not guaranteed: a pair that met within the piece has no contact here; the next piece finds it.
//! Cost: a contact problem for each island of bodies that have coasted.

use crate::body::{Body, BodyId};
use crate::contact::BodyContact;
use crate::response::ResponseState;
use crate::response::assignment::Assignment;
use crate::response::candidates::{approach_bound, bodies_of, gap_of, touching_gap};
use crate::response::exact::impacts::{ContactForce, ResponseLog, end_coasting};
use crate::response::exact::problem::{IslandJoints, JointLevel, SHARE_BEFORE_MOTION, rigid_body, set_velocities};
use crate::response::exact::{TouchState, TouchStates, is_linear, island_builder};
use crate::response::parts::ResponseParts;
use crate::response::surface_motion::{SurfaceMotions, follow_scripts};
use heurt_geometry::Vec3;
use heurt_query::contact_manifold;
use heurt_rigid::RigidBody;
use rayon::prelude::*;

/// Ends a piece of `until` seconds, which was planned for `planned` and ends `elapsed` seconds after the step began.
/// Returns the places of an island that was not solved.
pub(crate) fn end_piece_of_joints(
    parts: &mut ResponseParts<'_>,
    assignment: &Assignment,
    (held, forces): (&TouchStates<'_>, &[ContactForce]),
    [elapsed, until, planned]: [f64; 3],
) -> Option<Vec<u32>> {
    let acting = (until - SHARE_BEFORE_MOTION * planned).max(0.0);
    if follow_scripts(parts.view, planned) {
        // A platform that goes on faster has other bodies within its reach.
        parts.response.candidates.are_current = false;
    }
    let coasts = |place: u32| forces.get(place as usize).is_some_and(|force| force.coasts_from.is_some());
    let touches = find_held_contacts(parts, held, &coasts, planned);
    let ResponseParts { settings, view, response, dt, .. } = parts;
    let ResponseState { solved, report, joints, work, problem, .. } = &mut **response;
    let level = if acting > 0.0 { JointLevel::End { dt: acting } } else { JointLevel::Velocity { dt: planned } };
    let mut islands = {
        let surfaces = SurfaceMotions::of_touches(view, settings.gravity, &touches, planned);
        let on_joints = IslandJoints { table: joints, assignment, level };
        let builder = island_builder(view, settings, &touches, &surfaces, (planned, on_joints));
        builder.build(|_, touch, point| {
            // As before the motion, the gaps of bodies that rotate little are known in advance.
            let is_known = acting > 0.0 && is_linear(view, touch, planned);
            is_known || point.separation <= gap_of(view, touch)
        })
    };
    islands.retain(|island| island.places.iter().any(|place| coasts(*place)));
    for island in &mut islands {
        for (_, body) in island.places.iter().zip(&mut island.problem.bodies).filter(|(place, _)| !coasts(**place)) {
            (body.acceleration, body.angular_acceleration) = Default::default();
        }
    }
    let mut log = ResponseLog {
        touches: &touches,
        solved,
        report,
        work,
        problem,
        assignment,
        elapsed,
        dt: *dt,
        options: settings.solve_options(),
        unsolved: None,
        lasting: Vec::new(),
    };
    let ended = end_coasting(&mut islands, [acting, planned], &mut view.bodies, &mut log);
    let unsolved = log.unsolved;
    joints.add_loads(&ended.joints, *dt);
    joints.add_spring_work(&ended.joints, 1.0);
    for (place, slot) in view.bodies.slots_mut().iter_mut().enumerate() {
        let Some(body) = slot.body.as_mut().filter(|_| coasts(place as u32)) else { continue };
        if ended.places.binary_search(&(place as u32)).is_err() {
            let state = forced(body, settings.gravity, acting);
            set_velocities(body, &state);
        }
    }
    unsolved
}

/// Returns a body with the velocities after the free forces have acted for `acting` seconds, without motion.
fn forced(body: &Body, gravity: Vec3, acting: f64) -> RigidBody {
    let state = rigid_body(body, gravity);
    RigidBody {
        velocity: state.velocity + state.acceleration * acting,
        angular_velocity: state.angular_velocity + state.inverse_inertia * body.wrench().torque * acting,
        ..state
    }
}

/// Finds the contacts of held pairs with a body that coasts, where the bodies are now. The boxes of a pair whose gap
/// has opened a little need not meet, so that the search over boxes may have missed it.
fn find_held_contacts(
    parts: &ResponseParts<'_>,
    held: &TouchStates<'_>,
    coasts: &(dyn Fn(u32) -> bool + Sync),
    planned: f64,
) -> Vec<BodyContact> {
    let (view, candidates) = (&*parts.view, &parts.response.candidates.contacts);
    let coast = |id: BodyId| coasts(id.index() as u32);
    let pairs: Vec<&BodyContact> = held
        .touches
        .iter()
        .zip(held.states)
        .filter(|(touch, state)| **state == TouchState::Held && (coast(touch.a) || coast(touch.b)))
        .map(|(touch, _)| touch)
        .collect();
    let find = |touch: &&BodyContact| {
        let known = candidates.binary_search_by_key(&(touch.a, touch.b), |known| (known.a, known.b));
        if let Some(known) = known.ok().map(|at| &candidates[at]).filter(|known| known.contact.is_some()) {
            return Some(known.clone());
        }
        let [a, b] = bodies_of(view, touch)?;
        let margin = approach_bound(a, b, parts.settings.gravity, planned).max(touching_gap(a, b));
        let contact = contact_manifold(&a.shape, &a.pose, &b.shape, &b.pose, margin);
        contact.is_some().then(|| BodyContact { contact, ..(*touch).clone() })
    };
    pairs.par_iter().map(find).collect::<Vec<Option<BodyContact>>>().into_iter().flatten().collect()
}
