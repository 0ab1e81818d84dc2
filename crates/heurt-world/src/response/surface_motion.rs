//! Motion of the surfaces that carry bodies along: of scripts, of bodies at given velocities, of soft bodies, of belts.
//!
//! In: the bodies that no impulse moves and that touch others, the start and the length of a step or of a piece of it.
//! Out: the velocity of the material point at a contact at the start and at the end, and its mean.
//! Method: such bodies move as `step_motion` states, and vertices of soft ones go straight. A point of a turntable goes
//! along an arc: with the velocity of its start for the whole step, a body on it would leave it along the tangent. A
//! belt adds its velocity along the surface.
//! Cost: linear in the contacts; for a soft body, one deformation.

use crate::body::{Body, Kind};
use crate::contact::{BodyContact, interpolate_at};
use crate::response::candidates::is_touching;
use crate::state::view::WorldView;
use crate::step::step_motion::{KEY_ROUNDING, MotionSegment, StepMotion, compute_motion};
use heurt_geometry::{Pose, Vec3};
use heurt_query::ContactPoint;
use heurt_shape::Shape;
use std::collections::BTreeMap;

/// The motions of the bodies that carry others, by place.
#[derive(Debug, Default)]
pub(crate) struct SurfaceMotions {
    of: BTreeMap<u32, SurfaceMotion>,
}

/// The motion of a body in a step of `dt` seconds.
#[derive(Debug)]
struct SurfaceMotion {
    start: Pose,
    motion: StepMotion,
    dt: f64,
    /// Velocity of the belt on its surface, world frame.
    belt: Vec3,
    /// The vertices of a soft body at the end, in its frame.
    vertices: Option<Vec<Vec3>>,
}

/// Velocities of a point of a surface in m/s, world frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SurfaceVelocity {
    pub start: Vec3,
    pub end: Vec3,
    /// The displacement in the step, divided by its length.
    pub mean: Vec3,
}

impl SurfaceVelocity {
    fn map(self, f: impl Fn(Vec3) -> Vec3) -> Self {
        Self { start: f(self.start), end: f(self.end), mean: f(self.mean) }
    }

    fn plus(self, other: Self) -> Self {
        Self { start: self.start + other.start, end: self.end + other.end, mean: self.mean + other.mean }
    }
}

/// The motion of the part of a surface that some contact points touch, as a rigid body would move; also where the
/// surface deforms or is a belt.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SurfacePatch {
    /// The mean of the points.
    pub centre: Vec3,
    /// There.
    pub velocity: SurfaceVelocity,
    /// Angular velocities, in rad/s.
    pub rate: SurfaceVelocity,
}

impl SurfaceMotions {
    /// Finds the bodies of contacts that move although no impulse moves them.
    pub(crate) fn of_touches(view: &WorldView, gravity: Vec3, touches: &[BodyContact], dt: f64) -> Self {
        Self::of_places(view, gravity, touches.iter().flat_map(|touch| [touch.a.index, touch.b.index]), dt)
    }

    /// Finds the bodies at some places that move although no impulse moves them.
    pub(crate) fn of_places(view: &WorldView, gravity: Vec3, places: impl Iterator<Item = u32>, dt: f64) -> Self {
        let mut of = BTreeMap::new();
        for place in places {
            let Some((_, body)) = view.bodies.at(place).filter(|(_, body)| carries(body)) else { continue };
            of.entry(place).or_insert_with(|| {
                let motion = compute_motion(body, gravity, view.time, dt);
                let vertices = match &body.kind {
                    Kind::Soft(deformation) => Some(deformation.vertices(view.time + dt)),
                    _ => None,
                };
                // A motion out of range is an error of the step, elsewhere.
                let motion = motion.unwrap_or_else(|_| StepMotion::still(body.pose));
                SurfaceMotion { start: body.pose, motion, dt, belt: body.belt(), vertices }
            });
        }
        Self { of }
    }

    /// Returns the velocities of the surface of one side of a contact point; `None` if impulses move the body, or if
    /// nothing does.
    pub(crate) fn at(&self, place: u32, body: &Body, point: &ContactPoint, side: usize) -> Option<SurfaceVelocity> {
        let surface = self.of.get(&place)?;
        let carried = surface.velocity(body, point.point, point.primitives[side]);
        let belt = surface.belt - point.normal * surface.belt.dot(point.normal);
        Some(carried.map(|velocity| velocity + belt))
    }

    /// Returns the motion of the part of a surface that contact points touch on one side. Points that turn together
    /// shall be taken together: along the arcs of single points, those of a body that goes with a turntable would come
    /// nearer to each other.
    pub(crate) fn patch<'p>(
        &self,
        place: u32,
        body: &Body,
        points: impl Iterator<Item = &'p ContactPoint>,
        side: usize,
    ) -> Option<SurfacePatch> {
        let SurfaceMotion { motion, .. } = self.of.get(&place)?;
        let (mut centre, mut count) = (Vec3::ZERO, 0.0);
        let mut velocity = SurfaceVelocity { start: Vec3::ZERO, end: Vec3::ZERO, mean: Vec3::ZERO };
        for point in points {
            let at = self.at(place, body, point, side)?;
            centre += point.point;
            velocity = velocity.plus(at);
            count += 1.0;
        }
        let centre = centre / count;
        let velocity = velocity.map(|sum| sum / count);
        let (_, first) = motion.at(0.0);
        let [_, mean] = self.mean_motion(place)?;
        let rate = SurfaceVelocity { start: first.angular_velocity(), end: motion.angular_velocity, mean };
        Some(SurfacePatch { centre, velocity, rate })
    }

    /// Returns the mean motion of the body at a place over the step: the velocity of its origin and its angular
    /// velocity.
    pub(crate) fn mean_motion(&self, place: u32) -> Option<[Vec3; 2]> {
        let SurfaceMotion { start, motion, dt, .. } = self.of.get(&place)?;
        if let [MotionSegment { motion, .. }] = &motion.segments[..] {
            return Some([motion.velocity(), motion.angular_velocity()]);
        }
        let ends = motion.segments.iter().skip(1).map(|next| next.begun).chain([*dt]);
        let turn: Vec3 = motion
            .segments
            .iter()
            .zip(ends)
            .map(|(segment, end)| segment.motion.angular_velocity() * (end - segment.begun))
            .sum();
        Some([(motion.end.translation() - start.translation()) / *dt, turn / *dt])
    }

    /// Reports whether the surface at a place deforms.
    pub(crate) fn deforms(&self, place: u32) -> bool {
        self.of.get(&place).is_some_and(|surface| surface.vertices.is_some())
    }

    /// Reports whether the points of the surface at a place have different velocities, or other ones than its body.
    pub(crate) fn is_uneven(&self, place: u32) -> bool {
        self.of.get(&place).is_some_and(|surface| {
            let turns = |segment: &MotionSegment| segment.motion.turns();
            surface.vertices.is_some() || surface.belt != Vec3::ZERO || surface.motion.segments.iter().any(turns)
        })
    }
}

/// Reports whether a body that no impulse moves carries along what touches it.
fn carries(body: &Body) -> bool {
    match body.kind {
        Kind::Dynamic(_) => false,
        Kind::Static => body.belt() != Vec3::ZERO,
        Kind::Kinematic(_) | Kind::Soft(_) => true,
    }
}

impl SurfaceMotion {
    /// The velocities of the material point that is at `point` at the start.
    fn velocity(&self, body: &Body, point: Vec3, triangle: u32) -> SurfaceVelocity {
        let Self { start, motion, dt, .. } = self;
        let local = start.rotation().transpose() * (point - start.translation());
        let end = motion.end.place(local);
        let mut velocity = SurfaceVelocity {
            start: motion.velocity_of(point, 0.0),
            end: motion.velocity + motion.angular_velocity.cross(end - motion.end.translation()),
            mean: (end - point) / *dt,
        };
        if let (Some(ends), Shape::Mesh(mesh)) = (&self.vertices, &body.shape)
            && let Some(corners) = mesh.mesh().triangles().get(triangle as usize)
        {
            let from = corners.map(|corner| start.place(mesh.mesh().vertices()[corner as usize]));
            let rates = corners.map(|corner| {
                let shift = ends[corner as usize] - mesh.mesh().vertices()[corner as usize];
                *start.rotation() * (shift / *dt)
            });
            let deforms = interpolate_at(from, rates, point);
            velocity = velocity.map(|velocity| velocity + deforms);
        }
        velocity
    }
}

/// Gives scripted bodies the velocity that their scripts have from now on: the velocity of the last step ends with a
/// key. Returns whether one changed.
pub(crate) fn follow_scripts(view: &mut WorldView, dt: f64) -> bool {
    let time = view.time + dt * KEY_ROUNDING;
    let mut has_changed = false;
    for slot in view.bodies.slots_mut() {
        let Some(body) = slot.body.as_mut() else { continue };
        let Kind::Kinematic(Some(script)) = &body.kind else { continue };
        let motion = script.motion_at(time);
        let now = [motion.velocity(), motion.angular_velocity()];
        if now != [body.velocity, body.angular_velocity] {
            [body.velocity, body.angular_velocity] = now;
            has_changed = true;
        }
    }
    has_changed
}

/// Returns the seconds until the next key of a script that moves a body of these contacts.
pub(crate) fn next_key(view: &WorldView, touches: &[BodyContact], dt: f64) -> Option<f64> {
    let soonest = dt * KEY_ROUNDING;
    let touching = touches.iter().filter(|touch| is_touching(view, touch));
    let ids = touching.flat_map(|touch| [touch.a, touch.b]);
    let keys = ids.filter_map(|id| match &view.bodies.get(id)?.kind {
        Kind::Kinematic(Some(script)) => {
            script.keys_between(view.time + soonest, view.time + dt).next().map(|key| key - view.time)
        }
        _ => None,
    });
    keys.min_by(f64::total_cmp)
}
