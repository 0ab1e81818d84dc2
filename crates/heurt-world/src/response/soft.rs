//! A soft step: sub-steps of soft constraints (`heurt_rigid::soft_step`) between two detections.
//!
//! In: the parts of a world, the bodies that soft steps move. Out: their states at the end of the step, and their
//! solved contacts with impulses.
//! Method: each contact patch (points with a common normal) is a manifold of the solver. The contacts at the start of
//! the step lie within a margin that covers the motion of the step (speculative contacts), so that no body passes
//! through another one at the speeds of the start. Impulses of the last step start the solver (`warm_start`). Bodies
//! that sleep are left out (`sleep`).
//! Cost: one solve a step.

use crate::body::{Body, BodyId, Kind};
use crate::contact::{BodyContact, ContactMotion};
use crate::error::{StepMotionError, WorldError};
use crate::response::assignment::{Assignment, BodySolver};
use crate::response::candidates::respond_to_each_other;
use crate::response::exact::problem::{point_contact, rigid_body};
use crate::response::parts::ResponseParts;
use crate::response::solved::{SolvedContacts, SolvedPoint};
use crate::response::surface_motion::{SurfaceMotions, SurfacePatch};
use crate::response::warm_start::{WarmImpulse, find_warm_impulses};
use crate::settings::is_near;
use crate::state::view::WorldView;
use crate::step::step_motion::{MotionSegment, StepMotion, compute_motion};
use crate::step::step_plan::vertices_at;
use heurt_geometry::{Motion, Pose, Quat, Vec3};
use heurt_query::{Contact, ContactPatch, ContactPoint, Feature};
use heurt_rigid::soft_step::{SoftStep, StepBody, StepError, StepManifold, StepPoint};
use heurt_rigid::{ContactState, RigidBody};
use heurt_shape::{Core, Shape};
use rayon::prelude::*;
use smallvec::{SmallVec, smallvec};

/// The index of a body that the solver does not see.
const NOT_SOLVED: u32 = u32::MAX;

/// Solves the bodies of soft steps; returns their states at the end of the step by place, and the states of bodies that
/// no impulse moves, unless the exact solver advances them. No body is changed.
pub(crate) fn solve_soft(
    parts: &mut ResponseParts<'_>,
    solver: &mut SoftStep,
    touches: &[BodyContact],
    earlier: &SolvedContacts,
    assignment: &Assignment,
) -> Result<Vec<Option<BodyEnd>>, WorldError> {
    let (gravity, dt) = (parts.settings.gravity, parts.dt);
    let places = touches.iter().flat_map(|touch| [touch.a.index, touch.b.index]);
    let places = places.chain(parts.response.joints.places().flatten());
    let surfaces = SurfaceMotions::of_places(parts.view, gravity, places, dt);
    let (mut bodies, indices) = gather_bodies(parts, touches, assignment, &surfaces);
    let (mut manifolds, sources) = gather_manifolds(parts.view, touches, &indices, earlier, assignment);
    let mut before = rigid_bodies(parts.view, &indices, bodies.len(), gravity);
    add_surfaces(parts.view, touches, &surfaces, (&mut manifolds, &sources), &mut bodies);
    let surfaces = bodies[before.len()..].iter();
    before.extend(surfaces.map(|&StepBody { velocity, angular_velocity, .. }| RigidBody {
        velocity,
        angular_velocity,
        ..RigidBody::FIXED
    }));
    let world = bodies.len() as u32;
    bodies.push(StepBody::FIXED);
    let index = |place: u32| indices.get(place as usize).copied().unwrap_or(world);
    let mut joints = parts.response.joints.soft_joints(assignment, index);
    let refuse = |error: StepError| WorldError::Soft(error.of_places(&indices));
    solver.step_with_joints(&mut bodies, &mut manifolds, &mut joints, dt).map_err(refuse)?;
    let ends = compute_ends(parts.view, gravity, dt, &bodies, &indices, assignment)?;
    record(parts, touches, &manifolds, &sources, &before);
    parts.response.joints.store_soft(assignment, &joints);
    Ok(ends)
}

/// The bodies of the solver, and the index of each by place: bodies of soft steps, and bodies that they touch.
fn gather_bodies(
    parts: &ResponseParts<'_>,
    touches: &[BodyContact],
    assignment: &Assignment,
    surfaces: &SurfaceMotions,
) -> (Vec<StepBody>, Vec<u32>) {
    let (view, gravity) = (&*parts.view, parts.settings.gravity);
    let mut indices = vec![NOT_SOLVED; view.bodies.slots().len()];
    let mut bodies: Vec<StepBody> = Vec::new();
    let mut add = |id: BodyId, body: &Body, indices: &mut Vec<u32>| {
        let index = &mut indices[id.index()];
        if *index == NOT_SOLVED {
            *index = bodies.len() as u32;
            let known = step_body(body, gravity, assignment.of(id.index));
            bodies.push(match surfaces.mean_motion(id.index) {
                Some([velocity, angular_velocity]) => StepBody { velocity, angular_velocity, ..known },
                None => known,
            });
        }
    };
    let is_soft = |(id, _): &(BodyId, &Body)| assignment.of(id.index) == BodySolver::Soft;
    view.bodies.iter().filter(is_soft).for_each(|(id, body)| add(id, body, &mut indices));
    let touching = touches.iter().filter(|touch| assignment.is_soft_pair(touch.a.index, touch.b.index));
    let joined = parts.response.joints.places().filter(|[a, b]| assignment.is_soft_pair(*a, *b));
    for place in touching.map(|touch| [touch.a.index, touch.b.index]).chain(joined).flatten() {
        if let Some((id, body)) = view.bodies.at(place) {
            add(id, body, &mut indices);
        }
    }
    (bodies, indices)
}

/// A body that sleeps is fixed in this step: all that disturbs it has woken it.
fn step_body(body: &Body, gravity: Vec3, solver: BodySolver) -> StepBody {
    let centre = body.centre_of_mass();
    let rotation = Quat::from_mat3(body.pose.rotation()).normalize();
    let (velocity, angular_velocity) = (body.velocity_at(centre), body.angular_velocity);
    let still = StepBody { centre, rotation, velocity, angular_velocity, ..StepBody::FIXED };
    let mass = match &body.kind {
        Kind::Dynamic(mass) if solver == BodySolver::Soft => mass,
        _ => return still,
    };
    StepBody {
        acceleration: body.free_acceleration(gravity),
        torque: body.wrench().torque,
        linear_damping: body.linear_damping,
        angular_damping: body.angular_damping,
        locked: body.locked,
        velocity,
        angular_velocity,
        rotation,
        ..StepBody::movable(centre, mass.mass, mass.inertia)
    }
}

/// The contact patch behind a manifold of the solver, with the same points in the same order, and the index of its
/// contact.
struct PatchSource {
    touch: u32,
    patch: ContactPatch,
}

/// The manifolds of the solver, one for each contact patch, and their sources.
fn gather_manifolds(
    view: &WorldView,
    touches: &[BodyContact],
    indices: &[u32],
    earlier: &SolvedContacts,
    assignment: &Assignment,
) -> (Vec<StepManifold>, Vec<PatchSource>) {
    let of = |(number, touch): (usize, &BodyContact)| -> SmallVec<[(StepManifold, PatchSource); 1]> {
        let bodies = view.bodies.get(touch.a).zip(view.bodies.get(touch.b));
        let is_soft = assignment.is_soft_pair(touch.a.index, touch.b.index);
        let bodies = bodies.filter(|(a, b)| is_soft && respond_to_each_other(a, b));
        let Some(((a, b), contact)) = bodies.zip(touch.contact.as_ref()) else { return SmallVec::new() };
        let known = earlier.get(touch.a, touch.b);
        // Half-spaces that overlap without end have no depth.
        let is_finite = |patch: &ContactPatch| {
            patch.normal.is_finite() && patch.points(contact).all(|point| point.separation.is_finite())
        };
        let patches =
            if is_curved(&a.shape) || is_curved(&b.shape) { contact.patches_of_curved() } else { contact.patches() };
        let patches: SmallVec<[ContactPatch; 1]> = patches.into_iter().filter(is_finite).collect();
        let points: SmallVec<[&ContactPoint; 8]> = patches.iter().flat_map(|patch| patch.points(contact)).collect();
        let warm = known.map(|known| find_warm_impulses(known, &points)).unwrap_or_default();
        let mut warm = warm.into_iter();
        patches
            .into_iter()
            .map(|patch| {
                let manifold = StepManifold {
                    bodies: [indices[touch.a.index()], indices[touch.b.index()]],
                    ..manifold_of(contact, &patch, [a, b], &mut warm)
                };
                (manifold, PatchSource { touch: number as u32, patch })
            })
            .collect()
    };
    touches.par_iter().enumerate().with_min_len(256).flat_map_iter(of).unzip()
}

/// Replaces bodies whose surface moves unevenly, as turntables and belts, by a body for each manifold, which goes as
/// the surface does there.
fn add_surfaces(
    view: &WorldView,
    touches: &[BodyContact],
    surfaces: &SurfaceMotions,
    (manifolds, sources): (&mut [StepManifold], &[PatchSource]),
    bodies: &mut Vec<StepBody>,
) {
    for (manifold, PatchSource { touch, patch }) in manifolds.iter_mut().zip(sources) {
        let touch = &touches[*touch as usize];
        let Some(contact) = &touch.contact else { continue };
        for (side, id) in [touch.a, touch.b].into_iter().enumerate() {
            let Some(body) = view.bodies.get(id).filter(|_| surfaces.is_uneven(id.index)) else { continue };
            let found = surfaces.patch(id.index, body, patch.points(contact), side);
            let Some(SurfacePatch { centre, velocity, rate }) = found else { continue };
            manifold.bodies[side] = bodies.len() as u32;
            for (point, at) in manifold.points.iter_mut().zip(patch.points(contact)) {
                point.anchors[side] = at.point - centre;
            }
            let (velocity, angular_velocity) = (velocity.mean, rate.mean);
            bodies.push(StepBody { centre, velocity, angular_velocity, ..StepBody::FIXED });
        }
    }
}

/// The manifold of a patch; `warm` are the impulses that start its points.
fn manifold_of(
    contact: &Contact,
    patch: &ContactPatch,
    [a, b]: [&Body; 2],
    warm: &mut impl Iterator<Item = WarmImpulse>,
) -> StepManifold {
    let centres = [a, b].map(Body::centre_of_mass);
    let points = patch.points(contact).map(|at| {
        let warm = warm.next().unwrap_or_default();
        StepPoint {
            anchors: centres.map(|centre| at.point - centre),
            separation: at.separation,
            warm_normal: warm.normal,
            warm_tangent: warm.tangent,
            ..StepPoint::default()
        }
    });
    StepManifold {
        bodies: [NOT_SOLVED; 2],
        normal: patch.normal,
        points: points.collect(),
        is_round: patch.points(contact).any(|point| is_round(a, point.features[0]) || is_round(b, point.features[1])),
        friction: (a.friction * b.friction).sqrt(),
        restitution: a.restitution.max(b.restitution),
    }
}

/// Reports whether the surface of a body is round at a feature: the contact stays where it is as the body turns. Parts
/// of compounds and hulls of more than two corners with a margin count as flat.
fn is_round(body: &Body, feature: Feature) -> bool {
    match &body.shape {
        Shape::Convex(convex) => match convex.core() {
            // A ball or a capsule.
            Core::Hull(hull) => hull.corners().len() <= 2,
            Core::Round(_) => !matches!(feature, Feature::Face(_)),
            _ => false,
        },
        // A mesh has the feature where its triangle is not known.
        Shape::Mesh(_) => false,
        _ => feature == Feature::Curved,
    }
}

/// Reports whether a shape has curved faces.
fn is_curved(shape: &Shape) -> bool {
    match shape {
        Shape::Convex(convex) => matches!(convex.core(), Core::Round(_)),
        Shape::Superquadric(_) => true,
        Shape::Compound(compound) => compound.parts().iter().any(|part| is_curved(&part.shape)),
        _ => false,
    }
}

/// The bodies of the solver before the step, by index. `indices` are the indices of bodies by place.
fn rigid_bodies(view: &WorldView, indices: &[u32], count: usize, gravity: Vec3) -> Vec<RigidBody> {
    let mut bodies = vec![RigidBody::FIXED; count];
    for (id, body) in view.bodies.iter() {
        if let Some(known) = bodies.get_mut(indices[id.index()] as usize) {
            *known = rigid_body(body, gravity);
        }
    }
    bodies
}

/// Pose, velocity and angular velocity of a body at the end of the step, and the vertices of a soft one.
pub(crate) struct BodyEnd {
    state: (Pose, Vec3, Vec3),
    vertices: Option<Vec<Vec3>>,
}

impl BodyEnd {
    /// Makes an end of pose, velocity of the origin and angular velocity, and of the vertices of a soft body.
    pub(crate) fn new(state: (Pose, Vec3, Vec3), vertices: Option<Vec<Vec3>>) -> Self {
        Self { state, vertices }
    }

    /// The even motion of `dt` seconds to this end of a body that is as the step begins.
    pub(crate) fn motion_from(&self, body: &Body, dt: f64) -> Result<StepMotion, StepMotionError> {
        let (end, velocity, angular_velocity) = self.state;
        let motion = Motion::between(&body.pose, &end, dt)?;
        let segments = smallvec![MotionSegment { begun: 0.0, pose: body.pose, motion }];
        Ok(StepMotion { segments, end, velocity, angular_velocity })
    }
}

/// Computes the ends of bodies, by place.
fn compute_ends(
    view: &WorldView,
    gravity: Vec3,
    dt: f64,
    solved: &[StepBody],
    indices: &[u32],
    assignment: &Assignment,
) -> Result<Vec<Option<BodyEnd>>, WorldError> {
    let all = assignment.count(BodySolver::Exact) == 0;
    let end = |place: usize| {
        let Some((id, body)) = view.bodies.at(place as u32) else { return Ok(None) };
        let refuse = |source: StepMotionError| WorldError::Flight { id, source };
        let state = match &body.kind {
            Kind::Static => return Ok(None),
            Kind::Dynamic(_) if assignment.of(place as u32) != BodySolver::Soft => return Ok(None),
            Kind::Dynamic(mass) => {
                let end = &solved[indices[place] as usize];
                let origin = end.centre - end.rotation * mass.centre;
                let pose = Pose::from_quaternion(end.rotation.to_array(), origin);
                let pose = pose.map_err(|error| refuse(StepMotionError::Pose(error)))?;
                let arm = pose.place(mass.centre) - pose.translation();
                (pose, end.velocity - end.angular_velocity.cross(arm), end.angular_velocity)
            }
            _ if !all => return Ok(None),
            _ => {
                let motion: StepMotion = compute_motion(body, gravity, view.time, dt).map_err(refuse)?;
                motion.state_at_end()
            }
        };
        if !is_near(&state.0.translation()) {
            return Err(refuse(StepMotionError::Far));
        }
        Ok(Some(BodyEnd { state, vertices: vertices_at(id, body, view.time + dt)? }))
    };
    (0..indices.len()).into_par_iter().with_min_len(64).map(end).collect()
}

pub(crate) fn apply_ends(view: &mut WorldView, ends: Vec<Option<BodyEnd>>) {
    view.bodies.slots_mut().par_iter_mut().zip(ends).with_min_len(64).for_each(|(slot, end)| {
        let Some((body, end)) = slot.body.as_mut().zip(end) else { return };
        (body.pose, body.velocity, body.angular_velocity) = end.state;
        if let (Some(vertices), Shape::Mesh(mesh)) = (end.vertices, &mut body.shape) {
            // As many as before and within range, as a mesh requires.
            std::sync::Arc::make_mut(mesh).deform(&vertices).expect("vertices were checked");
        }
    });
}

/// Records the impulses of all points that closed, or that share in the friction of a manifold.
fn record(
    parts: &mut ResponseParts<'_>,
    touches: &[BodyContact],
    manifolds: &[StepManifold],
    sources: &[PatchSource],
    before: &[RigidBody],
) {
    let dt = parts.dt;
    let view = &*parts.view;
    let report = &mut parts.response.report;
    let solved = &mut parts.response.solved;
    for (manifold, PatchSource { touch, patch }) in manifolds.iter().zip(sources) {
        let touch = &touches[*touch as usize];
        let Some((a, b)) = view.bodies.get(touch.a).zip(view.bodies.get(touch.b)) else { continue };
        let Some(contact) = &touch.contact else { continue };
        let bodies = manifold.bodies.map(|index| &before[index as usize]);
        for (at, point) in patch.points(contact).zip(&manifold.points) {
            let has_friction = point.tangential_impulse != Vec3::ZERO || point.warm_tangent != Vec3::ZERO;
            if point.normal_impulse == 0.0 && at.separation > 0.0 && !has_friction {
                // It did not close, and it has no share in the friction of its manifold.
                continue;
            }
            report.contacts += 1;
            let row = point_contact([0, 1], [a, b], at);
            let [v_a, v_b] = [0, 1].map(|side| bodies[side].velocity_at(point.anchors[side]));
            let motion = ContactMotion {
                point: at.point,
                normal: at.normal,
                separation: at.separation,
                normal_velocity: at.normal.dot(v_b - v_a),
                approach: ContactState::of_bodies(bodies, row.normal, point.anchors, dt),
                time: None,
            };
            let point = SolvedPoint {
                motion,
                features: at.features,
                impulse: point.normal_impulse,
                friction_impulse: point.tangential_impulse,
                warm_normal: point.warm_normal,
                warm_tangent: point.warm_tangent,
            };
            solved.push(touch.a, touch.b, point);
        }
    }
}
