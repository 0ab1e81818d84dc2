//! Joints of a world: the bodies that they hold, their loads in the last step, and the joints that broke.
//!
//! In: [`JointDesign`] in the world frame, at the poses of the bodies now. Out: a [`JointId`], valid until the joint is
//! removed or breaks.
//! Guarantees: an id is never used again.

use crate::body::{Body, BodyId, Kind};
use crate::error::WorldError;
use crate::response::assignment::Assignment;
use crate::response::exact::impacts::JointImpulses;
use crate::response::exact::problem::{WORLD, rigid_body};
use crate::response::spring_rest::SpringRest;
use crate::state::bodies::Bodies;
use crate::state::memory_report::bytes_of_list;
use crate::state::view::WorldView;
use heurt_broad::Pair;
use heurt_geometry::{Pose, Vec3};
use heurt_rigid::{
    Joint, JointFrame, JointKind, JointLoad, JointSpring, JointWarmStart, Motor, PositionMotor, RigidBody, StepJoint,
    project_joints,
};

/// Newton steps of the projection of joints after a step: two are enough below a tenth of a radian a step.
const PROJECTION_STEPS: u32 = 4;

/// Errors of joints that are left, in metres or radians.
const PROJECTION_TOLERANCE: f64 = 1e-10;

/// Names a joint of a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JointId {
    pub(crate) index: u32,
}

impl JointId {
    /// Returns its number, in the order of insertion from 0.
    pub fn index(self) -> usize {
        self.index as usize
    }
}

/// A joint to be inserted between two bodies, or a body and the world, as they are placed.
///
/// ```
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_rigid::JointKind;
/// use heurt_shape::Convex;
/// use heurt_world::{Body, JointDesign, Mass, Response, Settings, World};
/// // A pendulum of one metre.
/// let mut world = World::new(Settings { response: Response::ImpulseLcp, ..Settings::default() })?;
/// let bob = Convex::sphere(0.1)?;
/// let mass = Mass::of_total(&bob.clone().into(), 1.0)?;
/// let bob = world.insert(Body::dynamic(bob, Pose::from_translation(Vec3::X)?, mass))?;
/// world.insert_joint(&JointDesign { anchor: Vec3::ZERO, ..JointDesign::new(JointKind::Ball, bob) })?;
/// for _ in 0..36 {
///     world.step(1.0 / 60.0)?;
/// }
/// let place = world.body(bob).expect("it is there").pose.translation();
/// assert!((place.length() - 1.0).abs() < 1e-6 && place.z < -0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointDesign {
    /// The freedom that the joint leaves.
    pub kind: JointKind,
    /// The first body.
    pub a: BodyId,
    /// The second body; `None` is the world.
    pub b: Option<BodyId>,
    /// The point that both share, in metres, world frame. For a distance, the point of A.
    pub anchor: Vec3,
    /// The point of B of a distance; without it the anchor.
    pub anchor_b: Option<Vec3>,
    /// Axis of a hinge or a slider, or the twist axis of a ball joint, world frame.
    pub axis: Vec3,
    /// Bounds of the angle of a hinge (rad), of the translation of a slider, or of a distance (m).
    pub limits: Option<[f64; 2]>,
    /// Drives a hinge or a slider.
    pub motor: Option<Motor>,
    /// Pulls a hinge or a slider to a position; not together with `motor`.
    pub position_motor: Option<PositionMotor>,
    /// A spring along the coordinate of a hinge, a slider or a distance. A distance with a spring is no rod.
    pub spring: Option<JointSpring>,
    /// Bound of the angle of a ball joint between its axis as A and as B carry it, in radians.
    pub cone: Option<f64>,
    /// Bounds of the rotation of a ball joint around its axis, in radians; see `Joint::with_twist`.
    pub twist: Option<[f64; 2]>,
    /// Dry friction: N·m of a hinge or a ball joint, N of a slider or a distance.
    pub friction: Option<f64>,
    /// The joint breaks at a larger force, in N.
    pub break_at: Option<f64>,
    /// Whether A and B have contacts with each other.
    pub collide: bool,
}

impl JointDesign {
    /// A joint of a body with the world at the origin, around z, without limits, motor, spring and friction.
    pub fn new(kind: JointKind, a: BodyId) -> Self {
        Self {
            kind,
            a,
            b: None,
            anchor: Vec3::ZERO,
            anchor_b: None,
            axis: Vec3::Z,
            limits: None,
            motor: None,
            position_motor: None,
            spring: None,
            cone: None,
            twist: None,
            friction: None,
            break_at: None,
            collide: false,
        }
    }
}

/// A joint as sleep needs it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct JointLink {
    /// The places of both bodies; [`WORLD`] for the world.
    pub places: [u32; 2],
    /// Whether it has a motor that shall move, or a spring that still does.
    pub drives: bool,
}

/// A joint of a world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorldJoint {
    /// The first body.
    pub a: BodyId,
    /// The second body; `None` is the world.
    pub b: Option<BodyId>,
    /// Its geometry and limits.
    pub joint: Joint,
    /// The load from A to B in the last step.
    pub load: JointLoad,
    /// Work of the spring and of the position motor on the bodies in the last step, in J.
    pub spring_work: f64,
    /// How long the spring or the position motor has been at rest.
    pub(crate) rest: SpringRest,
    /// Impulses that start the next soft step.
    warm: JointWarmStart,
}

impl WorldJoint {
    /// Returns the places of both bodies; [`WORLD`] for the world.
    pub(crate) fn places(&self) -> [u32; 2] {
        [self.a.index, self.b.map_or(WORLD, |b| b.index)]
    }

    /// Returns the frames of both bodies.
    pub(crate) fn frames(&self, bodies: &Bodies) -> [JointFrame; 2] {
        [Some(self.a), self.b].map(|id| id.and_then(|id| bodies.get(id)).map_or(JointFrame::WORLD, joint_frame))
    }

    /// Reports whether the exact solver solves it.
    pub(crate) fn is_exact(&self, assignment: &Assignment) -> bool {
        let [a, b] = self.places();
        assignment.is_exact_pair(a, b)
    }

    fn is_soft(&self, assignment: &Assignment) -> bool {
        let [a, b] = self.places();
        assignment.is_soft_pair(a, b)
    }
}

/// The joints of a world.
#[derive(Debug, Clone, Default)]
pub(crate) struct JointTable {
    /// By number; `None` if the joint was removed or broke.
    joints: Vec<Option<WorldJoint>>,
    /// The joints that broke in the last step.
    pub broken: Vec<JointId>,
    /// The same joints, with the loads at which they broke.
    broken_joints: Vec<WorldJoint>,
    /// Pairs of bodies that have no contacts with each other, sorted.
    separate: Vec<Pair>,
    /// How fast the bodies of the exact solver swung on their joints in its last piece, in rad/s.
    pub swing_rate: f64,
}

/// The joints before an attempt at a step.
#[derive(Debug, Default)]
pub(crate) struct SavedJoints {
    joints: Vec<Option<WorldJoint>>,
    broken: Vec<JointId>,
    swing_rate: f64,
}

impl SavedJoints {
    /// Bytes of reserved memory.
    pub(crate) fn bytes(&self) -> usize {
        bytes_of_list(&self.joints) + bytes_of_list(&self.broken)
    }
}

impl JointTable {
    /// Saves what an attempt at a step changes. The memory of `into` is used again.
    pub(crate) fn save(&self, into: &mut SavedJoints) {
        into.joints.clone_from(&self.joints);
        into.broken.clone_from(&self.broken);
        into.swing_rate = self.swing_rate;
    }

    /// Restores what an attempt at a step has changed: it removes no joint before it succeeds.
    pub(crate) fn restore(&mut self, saved: &SavedJoints) {
        self.joints.clone_from(&saved.joints);
        self.broken.clone_from(&saved.broken);
        self.swing_rate = saved.swing_rate;
    }

    /// Bytes of reserved memory.
    pub(crate) fn bytes(&self) -> usize {
        let broken = bytes_of_list(&self.broken) + bytes_of_list(&self.broken_joints);
        bytes_of_list(&self.joints) + broken + bytes_of_list(&self.separate)
    }

    /// Makes a joint and keeps it.
    pub(crate) fn insert(&mut self, view: &WorldView, design: &JointDesign) -> Result<JointId, WorldError> {
        let joint = make_joint(view, design)?;
        let index = self.joints.len() as u32;
        self.joints.push(Some(WorldJoint {
            a: design.a,
            b: design.b,
            joint,
            load: JointLoad::default(),
            spring_work: 0.0,
            rest: SpringRest::default(),
            warm: JointWarmStart::for_new_joint(joint.kind()),
        }));
        let pair = self.joints.last().and_then(|joint| separated_pair(joint.as_ref()?));
        if let Some(pair) = pair
            && let Err(at) = self.separate.binary_search(&pair)
        {
            self.separate.insert(at, pair);
        }
        Ok(JointId { index })
    }

    /// Removes a joint; `None` if it is not there.
    pub(crate) fn remove(&mut self, id: JointId) -> Option<WorldJoint> {
        let joint = self.joints.get_mut(id.index())?.take();
        self.update_separate();
        joint
    }

    /// Removes the joints of a body.
    pub(crate) fn remove_of_body(&mut self, id: BodyId) {
        for slot in &mut self.joints {
            slot.take_if(|joint| joint.a == id || joint.b == Some(id));
        }
        self.update_separate();
    }

    /// Returns a joint; `None` if it was removed or broke.
    pub(crate) fn get(&self, id: JointId) -> Option<&WorldJoint> {
        self.joints.get(id.index())?.as_ref()
    }

    pub(crate) fn get_mut(&mut self, id: JointId) -> Option<&mut WorldJoint> {
        self.joints.get_mut(id.index()).and_then(Option::as_mut)
    }

    pub(crate) fn all_mut(&mut self) -> impl Iterator<Item = &mut WorldJoint> {
        self.joints.iter_mut().flatten()
    }

    /// Lists all joints.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (JointId, &WorldJoint)> {
        let all = self.joints.iter().enumerate();
        all.filter_map(|(index, joint)| Some((JointId { index: index as u32 }, joint.as_ref()?)))
    }

    /// Lists all joints as sleep needs them.
    pub(crate) fn links(&self) -> Vec<JointLink> {
        let link = |joint: &WorldJoint| JointLink { places: joint.places(), drives: joint.drives() };
        self.joints.iter().flatten().map(link).collect()
    }

    /// Lists the places of the bodies of all joints.
    pub(crate) fn places(&self) -> impl Iterator<Item = [u32; 2]> {
        self.joints.iter().flatten().map(WorldJoint::places)
    }

    /// Reports whether a joint keeps two bodies from having contacts.
    pub(crate) fn separates(&self, pair: Pair) -> bool {
        self.separate.binary_search(&pair).is_ok()
    }

    /// Sets the loads of joints of which a body is solved to 0, and forgets the joints that broke before.
    pub(crate) fn clear_loads(&mut self, assignment: &Assignment) {
        self.forget_broken();
        let is_solved = |joint: &&mut WorldJoint| {
            let [a, b] = joint.places();
            assignment.is_exact_pair(a, b) || assignment.is_soft_pair(a, b)
        };
        self.joints.iter_mut().flatten().for_each(|joint| joint.spring_work = 0.0);
        self.joints.iter_mut().flatten().filter(is_solved).for_each(|joint| joint.load = JointLoad::default());
    }

    /// Lists the joints that soft steps solve. `index` returns the index of a body in the solver, by place.
    pub(crate) fn soft_joints(&self, assignment: &Assignment, index: impl Fn(u32) -> u32) -> Vec<StepJoint> {
        let soft = self.joints.iter().flatten().filter(|joint| joint.is_soft(assignment));
        soft.map(|joint| StepJoint { warm: joint.warm, ..StepJoint::new(joint.places().map(&index), joint.joint) })
            .collect()
    }

    /// Writes the results of soft steps, in the order of [`JointTable::soft_joints`].
    pub(crate) fn store_soft(&mut self, assignment: &Assignment, solved: &[StepJoint]) {
        let soft = self.joints.iter_mut().flatten().filter(|joint| joint.is_soft(assignment));
        for (joint, solved) in soft.zip(solved) {
            (joint.joint, joint.load, joint.warm) = (solved.joint, solved.load, solved.warm);
            joint.spring_work = solved.spring_work;
        }
    }

    /// Adds impulses of a piece of a step of `dt` seconds to the loads.
    pub(crate) fn add_loads(&mut self, impulses: &[JointImpulses], dt: f64) {
        for JointImpulses { joint, rows, impulses, .. } in impulses {
            let Some(joint) = self.joints.get_mut(joint.index()).and_then(Option::as_mut) else { continue };
            let load = joint.joint.load(rows, impulses, dt);
            joint.load.force += load.force;
            joint.load.torque += load.torque;
        }
    }

    /// Moves bodies by the little that their joints were missed by in a step.
    pub(crate) fn project(&mut self, view: &mut WorldView, assignment: &Assignment) {
        let is_exact = |joint: &&WorldJoint| joint.is_exact(assignment);
        let mut places: Vec<u32> = Vec::new();
        let exact = self.joints.iter().flatten().filter(is_exact);
        let ids = exact.flat_map(|joint| [Some(joint.a), joint.b]).flatten();
        places.extend(ids.map(|id| id.index));
        if places.is_empty() {
            return;
        }
        places.sort_unstable();
        places.dedup();
        // The world comes last.
        let world = places.len() as u32;
        let bodies = places.iter().filter_map(|place| view.bodies.at(*place)).map(|(_, body)| body);
        let (mut frames, mut states): (Vec<JointFrame>, Vec<RigidBody>) =
            bodies.map(|body| (joint_frame(body), rigid_body(body, Vec3::ZERO))).unzip();
        if frames.len() != places.len() {
            return;
        }
        frames.push(JointFrame::WORLD);
        states.push(RigidBody::FIXED);
        let at = |id: BodyId| places.binary_search(&id.index).map_or(world, |at| at as u32);
        for joint in self.joints.iter_mut().flatten().filter(|joint| is_exact(&&**joint)) {
            let ends = [at(joint.a), joint.b.map_or(world, at)];
            joint.joint.track([&frames[ends[0] as usize], &frames[ends[1] as usize]]);
            joint.warm = JointWarmStart::for_new_joint(joint.joint.kind());
        }
        let joints = self.joints.iter().flatten().filter(is_exact);
        let joints: Vec<([u32; 2], Joint)> =
            joints.map(|joint| ([at(joint.a), joint.b.map_or(world, at)], joint.joint)).collect();
        if project_joints(&joints, &states, &mut frames, PROJECTION_STEPS, PROJECTION_TOLERANCE).is_err() {
            return;
        }
        for (place, frame) in places.iter().zip(&frames) {
            let Some(body) = &mut view.bodies.slots_mut()[*place as usize].body else { continue };
            let Kind::Dynamic(mass) = &body.kind else { continue };
            let moved = Pose::from_matrix(frame.rotation, frame.centre - frame.rotation * mass.centre);
            // The velocity of the centre of mass stays.
            let velocity = body.velocity_at(body.pose.place(mass.centre));
            if let Ok(pose) = moved {
                body.pose = pose;
                body.velocity = velocity - body.angular_velocity.cross(pose.place(mass.centre) - pose.translation());
            }
        }
    }

    /// Removes the joints that broke in this step, and remembers their names. Returns the places of their bodies.
    pub(crate) fn remove_broken(&mut self) -> Vec<u32> {
        self.forget_broken();
        let mut places = Vec::new();
        for (index, slot) in self.joints.iter_mut().enumerate() {
            if let Some(joint) = slot.take_if(|joint| joint.joint.is_broken_by(&joint.load)) {
                self.broken.push(JointId { index: index as u32 });
                places.extend(joint.places());
                self.broken_joints.push(joint);
            }
        }
        if !self.broken.is_empty() {
            self.update_separate();
        }
        places
    }

    /// Forgets the joints that broke in an earlier step.
    pub(crate) fn forget_broken(&mut self) {
        self.broken.clear();
        self.broken_joints.clear();
    }

    /// Lists the joints that broke in the last step, with the loads at which they did.
    pub(crate) fn broken_with_loads(&self) -> impl Iterator<Item = (JointId, &WorldJoint)> {
        self.broken.iter().copied().zip(&self.broken_joints)
    }

    fn update_separate(&mut self) {
        self.separate = self.joints.iter().flatten().filter_map(separated_pair).collect();
        self.separate.sort_unstable();
        self.separate.dedup();
    }
}

/// Returns the pair of bodies that a joint keeps from having contacts.
fn separated_pair(joint: &WorldJoint) -> Option<Pair> {
    let (a, b) = (joint.a.index, joint.b.filter(|_| !joint.joint.collides())?.index);
    Some(Pair { a: a.min(b), b: a.max(b) })
}

fn make_joint(view: &WorldView, design: &JointDesign) -> Result<Joint, WorldError> {
    let frame = |id: BodyId| view.bodies.get(id).map(joint_frame).ok_or(WorldError::NoSuchBody { id });
    let a = frame(design.a)?;
    let b = design.b.map_or(Ok(JointFrame::WORLD), frame)?;
    let bodies = [Some(design.a.index), design.b.map(|id| id.index)];
    let (frames, anchor) = ([&a, &b], design.anchor);
    let has_axis = design.cone.is_some() || design.twist.is_some();
    let joint = match design.kind {
        JointKind::Ball if has_axis => Joint::ball_with_axis(bodies, frames, anchor, design.axis),
        JointKind::Fixed => Joint::fixed(bodies, frames, anchor),
        JointKind::Ball => Joint::ball(bodies, frames, anchor),
        JointKind::Hinge => Joint::hinge(bodies, frames, anchor, design.axis),
        JointKind::Slider => Joint::slider(bodies, frames, anchor, design.axis),
        JointKind::Distance => Joint::distance(bodies, frames, [anchor, design.anchor_b.unwrap_or(anchor)]),
    }?;
    let joint = design.limits.map_or(Ok(joint), |limits| joint.with_limits(limits))?;
    let joint = design.motor.map_or(Ok(joint), |motor| joint.with_motor(motor))?;
    let joint = design.position_motor.map_or(Ok(joint), |motor| joint.with_position_motor(motor))?;
    let joint = design.spring.map_or(Ok(joint), |spring| joint.with_spring(spring))?;
    let joint = design.cone.map_or(Ok(joint), |cone| joint.with_cone(cone))?;
    let joint = design.twist.map_or(Ok(joint), |limits| joint.with_twist(limits))?;
    let joint = design.friction.map_or(Ok(joint), |friction| joint.with_friction(friction))?;
    let joint = design.break_at.map_or(Ok(joint), |force| joint.breaking_at(force))?;
    Ok(joint.colliding(design.collide))
}

/// The frame of a body that a joint holds.
pub(crate) fn joint_frame(body: &Body) -> JointFrame {
    let centre = body.centre_of_mass();
    let is_moving = !matches!(body.kind, Kind::Static);
    JointFrame {
        centre,
        rotation: *body.pose.rotation(),
        velocity: if is_moving { body.velocity_at(centre) } else { Vec3::ZERO },
        angular_velocity: if is_moving { body.angular_velocity } else { Vec3::ZERO },
    }
}
