//! Sections of the state of a world: poses, states, contacts, energy, times, moved vertices.

use super::frame::FrameWriter;
use super::{put_f32, put_point, put_u32};
use heurt_geometry::{Pose, Quat, Triangle, Vec2, Vec3};
use heurt_shape::Shape;
use heurt_world::{ContactState, Energy, Kind, World};

/// The tint of a body that keeps its colour.
const NO_TINT: u8 = 255;
/// The tint at the upper end of the scale.
const FULL_TINT: u8 = 254;

/// State of a body in a frame, next to its pose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BodyState {
    /// It sleeps.
    pub is_asleep: bool,
    /// It touches another body.
    pub touches: bool,
    /// A viewer holds it.
    pub is_held: bool,
    /// It is not there.
    pub is_absent: bool,
}

impl BodyState {
    fn bits(self) -> u8 {
        let Self { is_asleep, touches, is_held, is_absent } = self;
        u8::from(is_asleep) | u8::from(touches) << 1 | u8::from(is_held) << 2 | u8::from(is_absent) << 3
    }
}

/// Writes poses and states of all bodies, by their places; `held` are the places of bodies that viewers hold.
pub fn write_bodies(frame: &mut FrameWriter, world: &World, held: &[usize]) {
    let count = world.bodies().map(|(id, _)| id.index() + 1).max().unwrap_or(0);
    let mut states = vec![BodyState { is_absent: true, ..BodyState::default() }; count];
    let mut poses = vec![Pose::IDENTITY; count];
    for (id, body) in world.bodies() {
        states[id.index()] = BodyState { is_asleep: world.is_asleep(id), ..BodyState::default() };
        poses[id.index()] = body.pose;
    }
    for touch in world.contacts() {
        [touch.a, touch.b].iter().for_each(|id| states[id.index()].touches = true);
    }
    for place in held {
        if let Some(state) = states.get_mut(*place) {
            state.is_held = true;
        }
    }
    frame.section(b"POSE", count, |bytes| poses.iter().for_each(|pose| put_pose(bytes, pose)));
    frame.section(b"STAT", count, |bytes| bytes.extend(states.iter().map(|state| state.bits())));
}

/// Writes poses of bodies that nothing moves or touches.
pub fn write_poses<'p>(frame: &mut FrameWriter, poses: impl ExactSizeIterator<Item = &'p Pose>) {
    let count = poses.len();
    frame.section(b"POSE", count, |bytes| poses.for_each(|pose| put_pose(bytes, pose)));
    frame.section(b"STAT", count, |bytes| bytes.resize(bytes.len() + count, 0));
}

/// An agent of a frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AgentPlace {
    /// The middle of its foot, in metres; of a section of a body its place.
    pub at: Vec3,
    /// Unit vector forward, in plan; x for a disc.
    pub heading: Vec2,
    /// Its place on the scale of speeds, from 0 to 1.
    pub speed: f64,
}

/// Writes agents as bodies, after `before` bodies that do not move; `None` is an agent that has left.
pub fn write_agents(frame: &mut FrameWriter, before: usize, agents: &[Option<AgentPlace>]) {
    let count = before + agents.len();
    frame.section(b"POSE", count, |bytes| {
        let place = |agent: &Option<AgentPlace>| agent.map_or((Vec3::ZERO, Vec2::X), |agent| (agent.at, agent.heading));
        for (at, heading) in std::iter::repeat_n((Vec3::ZERO, Vec2::X), before).chain(agents.iter().map(place)) {
            put_point(bytes, at);
            // Half of the angle, from its cosine and sine.
            let (cos, sin) = ((0.5 * (1.0 + heading.x)).max(0.0).sqrt(), (0.5 * (1.0 - heading.x)).max(0.0).sqrt());
            [0.0, 0.0, if heading.y < 0.0 { -sin } else { sin }, cos].iter().for_each(|part| put_f32(bytes, *part));
        }
    });
    frame.section(b"STAT", count, |bytes| {
        let state = |is_absent| BodyState { is_absent, ..BodyState::default() }.bits();
        bytes.extend(std::iter::repeat_n(state(false), before));
        bytes.extend(agents.iter().map(|agent| state(agent.is_none())));
    });
    frame.section(b"TINT", count, |bytes| {
        bytes.extend(std::iter::repeat_n(NO_TINT, before));
        let tint = |agent: &AgentPlace| (agent.speed.clamp(0.0, 1.0) * f64::from(FULL_TINT)).round() as u8;
        bytes.extend(agents.iter().map(|agent| agent.as_ref().map_or(NO_TINT, tint)));
    });
}

fn put_pose(bytes: &mut Vec<u8>, pose: &Pose) {
    put_point(bytes, pose.translation());
    let rotation = Quat::from_mat3(pose.rotation()).normalize();
    rotation.to_array().iter().for_each(|part| put_f32(bytes, *part));
}

/// Writes all places of contact.
pub fn write_contacts(frame: &mut FrameWriter, world: &World) {
    let places: Vec<_> = world.contact_places().collect();
    frame.section(b"CONT", places.len(), |bytes| {
        for place in &places {
            let kind = match place.motion.approach {
                ContactState::Colliding => 0,
                ContactState::Resting => 1,
                ContactState::Separating => 2,
            };
            place.bodies.iter().for_each(|id| put_u32(bytes, id.index() as u32));
            put_u32(bytes, kind);
            put_point(bytes, place.motion.point);
            put_point(bytes, place.motion.normal);
            put_f32(bytes, place.motion.separation);
            put_f32(bytes, place.impulse);
            put_u32(bytes, 0);
        }
    });
}

/// Writes the energy, in joules.
pub fn write_energy(frame: &mut FrameWriter, energy: Energy) {
    frame.section(b"ENER", 2, |bytes| {
        bytes.extend(energy.kinetic.to_le_bytes());
        bytes.extend(energy.potential.to_le_bytes());
    });
}

/// Writes the seconds of each stage of the step, as milliseconds.
pub fn write_stages(frame: &mut FrameWriter, seconds: &[f64]) {
    frame.section(b"TIME", seconds.len(), |bytes| {
        seconds.iter().for_each(|spent| put_f32(bytes, spent * 1e3));
    });
}

/// Writes triangles that intersect another body: the place of their own body, and their corners in the world frame.
pub fn write_faces(frame: &mut FrameWriter, faces: &[(usize, Triangle)]) {
    frame.section(b"TRIS", faces.len(), |bytes| {
        for (place, corners) in faces {
            put_u32(bytes, *place as u32);
            corners.iter().for_each(|corner| put_point(bytes, *corner));
        }
    });
}

/// Writes the vertices of bodies whose vertices move, by the places of the bodies, in their frames; nothing for none.
pub fn write_vertices(frame: &mut FrameWriter, moved: &[(usize, &[Vec3])]) {
    if moved.is_empty() {
        return;
    }
    frame.section(b"VERT", moved.len(), |bytes| {
        for (place, vertices) in moved {
            put_u32(bytes, *place as u32);
            put_u32(bytes, vertices.len() as u32);
            vertices.iter().for_each(|vertex| put_point(bytes, *vertex));
        }
    });
}

/// Writes the vertices of all soft bodies.
pub fn write_soft_bodies(frame: &mut FrameWriter, world: &World) {
    let soft = world.bodies().filter(|(_, body)| matches!(body.kind, Kind::Soft(_)));
    let moved = soft.filter_map(|(id, body)| match &body.shape {
        Shape::Mesh(mesh) => Some((id.index(), mesh.mesh().vertices())),
        _ => None,
    });
    write_vertices(frame, &moved.collect::<Vec<_>>());
}
