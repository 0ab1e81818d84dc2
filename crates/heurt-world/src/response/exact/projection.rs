//! Removal of penetrations: bodies are separated by the smallest weighted displacement, without velocity.
//!
//! In: bodies and their contacts. Out: bodies at new poses, contacts with the gaps that result to first order.
//! Method: displacement d = M⁻¹Gᵀf with f ≥ 0 ⟂ A f + gap ≥ 0, the problem of an impact with gaps for velocities.
//! Masses weigh: a light body moves, a heavy one stays. No point moves farther than the sum of the penetrations.
//! Why not by velocities: a velocity that removes a penetration stays as energy.

use crate::body::BodyId;
use crate::contact::BodyContact;
use crate::response::candidates::{local_overlap, radius_of, respond_to_each_other, touching_gap};
use crate::response::exact::problem::{ExactIsland, IslandBuilder};
use crate::response::surface_motion::SurfaceMotions;
use crate::settings::Settings;
use crate::state::view::WorldView;
use heurt_geometry::Motion;
use heurt_rigid::{ContactSolver, ImpulseLcp, Level, RigidBody, Solution};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Penetration that is left, as a multiple of the gap up to which bodies touch.
const LEFT: f64 = 4.0;

/// Largest penetration removed in one step, as a share of the penetration: a deep one is removed in several steps.
const REMOVED: f64 = 1.0;

/// Removes the penetrations of islands that have one.
pub(crate) fn project_penetrations(view: &mut WorldView, touches: &mut [BodyContact], settings: &Settings) {
    let (gravity, options) = (settings.gravity, settings.solve_options());
    let limits: Vec<f64> = touches.iter().map(|touch| limit_of(view, touch)).collect();
    let is_deep = |number: usize, touch: &BodyContact| {
        touch.contact.as_ref().is_some_and(|contact| local_overlap(contact) > limits[number])
    };
    if !touches.iter().enumerate().any(|(number, touch)| is_deep(number, touch)) {
        return;
    }
    let touches_at = |number: usize, touch: &BodyContact, _: &heurt_query::ContactPoint| {
        limits[number].is_finite() && touch.contact.is_some()
    };
    let surfaces = SurfaceMotions::default();
    let builder = IslandBuilder { bodies: &view.bodies, gravity, touches, surfaces: &surfaces, dt: 1.0, joints: None };
    let mut islands = builder.build(touches_at);
    islands.retain(|island| island.points.iter().any(|at| is_deep(at.touch as usize, &touches[at.touch as usize])));
    let solve = |island: &mut ExactIsland| {
        for body in &mut island.problem.bodies {
            let RigidBody { inverse_mass, inverse_inertia, .. } = *body;
            *body = RigidBody { inverse_mass, inverse_inertia, ..RigidBody::FIXED };
        }
        for contact in &mut island.problem.contacts {
            (contact.friction, contact.restitution) = (0.0, 0.0);
            if contact.gap < 0.0 {
                contact.gap *= REMOVED;
            }
        }
        ImpulseLcp::default().solve(&island.problem, Level::Step { dt: 1.0 }, &options).ok()
    };
    let solutions: Vec<Option<Solution>> = islands.par_iter_mut().map(solve).collect();
    for (island, solution) in islands.iter_mut().zip(solutions) {
        let Some(solution) = solution else { continue };
        move_island(view, touches, island, &solution);
    }
}

/// Moves the bodies of an island, and changes the gaps.
fn move_island(view: &mut WorldView, touches: &mut [BodyContact], island: &mut ExactIsland, solution: &Solution) {
    let overlap = sum_overlaps(island);
    let problem = &mut island.problem;
    for (number, contact) in problem.contacts.iter().enumerate() {
        for (side, sign) in [-1.0, 1.0].into_iter().enumerate() {
            let body = &mut problem.bodies[contact.bodies[side] as usize];
            body.apply_impulse(contact.normal * (solution.normal[number] * sign), contact.arms[side]);
        }
    }
    limit_displacement(view, &island.places, &mut problem.bodies, overlap);
    for (place, state) in island.places.iter().zip(&problem.bodies) {
        let Some(body) = view.bodies.slots_mut()[*place as usize].body.as_mut().filter(|_| state.is_movable()) else {
            continue;
        };
        let crate::body::Kind::Dynamic(mass) = &body.kind else { continue };
        let moved = Motion::screw(state.velocity, state.angular_velocity)
            .and_then(|motion| motion.about(mass.centre))
            .ok()
            .and_then(|motion| motion.pose_at(&body.pose, 1.0).ok());
        // The velocity of the centre of mass stays.
        let velocity = body.velocity_at(body.centre_of_mass());
        body.pose = moved.unwrap_or(body.pose);
        body.velocity = velocity - body.angular_velocity.cross(body.centre_of_mass() - body.pose.translation());
    }
    for (at, contact) in island.points.iter().zip(&problem.contacts) {
        let [a, b] = [0, 1].map(|k| problem.bodies[contact.bodies[k] as usize].velocity_at(contact.arms[k]));
        let Some(found) = &mut touches[at.touch as usize].contact else { continue };
        found.points[at.point as usize].separation += contact.normal.dot(b - a);
        found.separation = found.points.iter().map(|point| point.separation).fold(f64::INFINITY, f64::min);
    }
}

/// Returns the sum of the deepest penetrations of all pairs of an island.
fn sum_overlaps(island: &ExactIsland) -> f64 {
    let mut deepest: BTreeMap<u32, f64> = BTreeMap::new();
    for (at, contact) in island.points.iter().zip(&island.problem.contacts) {
        let known = deepest.entry(at.touch).or_default();
        *known = known.max(-contact.gap);
    }
    deepest.values().sum()
}

/// Scales the displacements of an island so that no point of a body moves by more than `most` metres: penetrations that
/// contradict each other have no solution, or a long one.
fn limit_displacement(view: &WorldView, places: &[u32], bodies: &mut [RigidBody], most: f64) {
    let shift = |(place, state): (&u32, &RigidBody)| {
        let radius = view.bodies.at(*place).map_or(0.0, |(_, body)| radius_of(body));
        let turned = if radius.is_finite() { state.angular_velocity.length() * radius } else { 0.0 };
        state.velocity.length() + turned
    };
    let largest = places.iter().zip(&*bodies).map(shift).fold(0.0, f64::max);
    if largest > most {
        let scale = most / largest;
        for body in bodies {
            body.velocity *= scale;
            body.angular_velocity *= scale;
        }
    }
}

/// The penetration that is left between two bodies; infinite if the response does not act between them.
fn limit_of(view: &WorldView, touch: &BodyContact) -> f64 {
    let body = |id: BodyId| view.bodies.get(id);
    match body(touch.a).zip(body(touch.b)) {
        Some((a, b)) if respond_to_each_other(a, b) => LEFT * touching_gap(a, b),
        _ => f64::INFINITY,
    }
}
