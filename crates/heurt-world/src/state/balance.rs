//! Balance of a run: gains of the world that no force, no motor and no body without mass explains.
//!
//! In: a world before and after each step. Out: the largest errors over the run ([`RunBalance`]).
//! Method: the momentum of all dynamic bodies is compared with the impulses of gravity, of given forces, and of
//! contacts and joints with bodies that no impulse moves. Energy may fall, by friction and by impacts: its error is its
//! largest rise above an earlier value, less the work of given forces, of motors, of springs, and of surfaces that
//! move. The work of springs is the work that the solver has applied; friction of joints and dampers only take energy
//! out.
//! Not guaranteed: a step is left out of the errors of momentum where bodies have damping or locked axes, or where
//! contacts act while joints hold bodies in the world; of the errors of angular momentum also where a body without mass
//! takes part. Work is summed with the velocities at the ends of steps; a step in which scripts or soft bodies do work
//! is left out of the error of energy.
//! Cost: linear in bodies, solved contacts and joints.

use crate::body::{Body, BodyId, Kind, Wrench};
use crate::response::candidates::{local_overlap, respond_to_each_other};
use crate::response::joints::{JointId, WorldJoint, joint_frame};
use crate::response::solved::SolvedContact;
use crate::world::World;
use heurt_geometry::Vec3;
use heurt_rigid::{JointFrame, JointKind, LockedAxes};

/// Errors of a run, in SI units; see [`RunBalance::errors`].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct BalanceErrors {
    /// The largest error of the momentum in N·s; `None` if no step could be judged.
    pub momentum: Option<f64>,
    /// The largest error of the angular momentum around the origin in N·m·s; `None` if no step could be judged.
    pub angular_momentum: Option<f64>,
    /// The same as a share of the most that bodies may have had together: the momentum of each times its reach from the
    /// origin, and its spin. A body that falls on the origin has no angular momentum, and its contacts give it some.
    pub angular_share: f64,
    /// The most energy that was made, in J.
    pub energy: f64,
    /// The largest opening of a joint in metres, as far as it holds points together; `None` without joints.
    pub largest_opening: Option<f64>,
    /// The same as a share of the largest extent of the smaller body.
    pub opening_share: f64,
    /// The deepest overlap of two bodies that respond to each other as a step ended, in metres.
    pub deepest: f64,
    /// The same as a share of the smallest extent of a body.
    pub depth_share: f64,
    /// A measure for errors, the most over the run: the sum of the amounts of momentum and of the impulses of forces in
    /// a step, in N·s; the energy of motion and of a fall of each body by its size, in J.
    pub scale: [f64; 2],
}

/// Bounds beyond which an error is named: of momentum and energy as shares of the most that bodies had, of openings as
/// a share of the smaller body, of overlaps as a share of the thinner one. A chain that whips with a thousand times its
/// mass at its end is off by half a per cent of the energy in exact steps; a heap that soft steps let fall asleep loses
/// 0.2 % of its momentum.
const MOST_MOMENTUM: [f64; 2] = [1e-6, 5e-3];
const MOST_ENERGY: [f64; 2] = [0.02, 0.05];
/// Rounding of places by a step, as a share of the distance from the origin: some thousand operations.
const PLACE_ROUNDING: f64 = 1e-12;
const MOST_OPENING: f64 = 0.01;
const MOST_DEPTH: f64 = 0.1;

impl BalanceErrors {
    /// Describes the errors that are beyond their bounds, in words with units. Soft steps have wider ones for momentum
    /// (0.5 % instead of 1e-6) and energy (5 % instead of 2 %).
    pub fn warnings(&self, has_soft_steps: bool) -> Vec<String> {
        let [momentum, energy] = self.scale;
        let [most_momentum, most_energy] =
            [MOST_MOMENTUM, MOST_ENERGY].map(|bounds| bounds[usize::from(has_soft_steps)]);
        let mut warnings = Vec::new();
        if let Some(error) = self.momentum.filter(|error| *error > most_momentum * momentum) {
            warnings.push(format!("momentum is off by {error:.1e} N s, of {momentum:.1e}"));
        }
        if let Some(error) = self.angular_momentum.filter(|_| self.angular_share > most_momentum) {
            warnings.push(format!("angular momentum is off by {error:.1e} N m s"));
        }
        if self.energy > most_energy * energy {
            warnings.push(format!("{:.1e} J of energy were made, of {energy:.1e} J of motion", self.energy));
        }
        if let Some(opening) = self.largest_opening.filter(|_| self.opening_share > MOST_OPENING) {
            let share = percent(self.opening_share);
            warnings.push(format!("a joint opened by {opening:.1e} m, {share} % of a body that it holds"));
        }
        if self.depth_share > MOST_DEPTH {
            let share = percent(self.depth_share);
            warnings.push(format!("bodies overlapped by {:.1e} m, {share} % of the thinner one", self.deepest));
        }
        warnings
    }
}

/// Writes a share in per cent, with few digits also if it is large.
fn percent(share: f64) -> String {
    if share < 100.0 { format!("{:.0}", 100.0 * share) } else { format!("{:.0e}", 100.0 * share) }
}

/// The balance of a run.
///
/// ```
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_shape::Convex;
/// use heurt_world::{Body, Mass, Response, RunBalance, Settings, World};
/// let mut world = World::new(Settings { response: Response::ImpulseLcp, ..Settings::default() })?;
/// world.insert(Body::fixed(Convex::half_space(Vec3::Z, 0.0)?, Pose::IDENTITY))?;
/// let ball = Convex::sphere(0.1)?;
/// let mass = Mass::of_total(&ball.clone().into(), 1.0)?;
/// world.insert(Body::dynamic(ball, Pose::from_translation(Vec3::Z)?, mass))?;
/// let mut balance = RunBalance::default();
/// for _ in 0..120 {
///     balance.begin_step(&world);
///     world.step(1.0 / 60.0)?;
///     balance.end_step(&world, 1.0 / 60.0);
/// }
/// let errors = balance.errors();
/// assert!(errors.momentum.is_some_and(|error| error < 1e-9) && errors.energy < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct RunBalance {
    before: Option<StepStart>,
    /// Sums of the errors of momentum and angular momentum.
    sums: [Vec3; 2],
    is_judged: [bool; 2],
    /// The least value of the energy less all work.
    least: Option<f64>,
    work: f64,
    /// The energy after the last step.
    last: Option<f64>,
    /// The largest sum of the amounts of angular momentum.
    most_angular: f64,
    errors: BalanceErrors,
}

/// The state before a step.
#[derive(Debug, Clone, Default)]
struct StepStart {
    sums: Sums,
    /// Bodies on which forces act, with their centre.
    wrenches: Vec<(BodyId, Wrench, Vec3)>,
    /// By place.
    asleep: Vec<bool>,
    /// The rates of the joints with a motor.
    motors: Vec<(JointId, f64)>,
}

/// Sums over the dynamic bodies.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Sums {
    momentum: Vec3,
    angular_momentum: Vec3,
    energy: f64,
    /// Sums of the amounts of momentum, and of the energy of motion and of a fall by the own size.
    scale: [f64; 2],
    /// Sum of the amounts of the forces without contacts.
    weight: f64,
    /// Sum of the most angular momentum that bodies may have: r·m·v and I·ω.
    amount: f64,
    /// Sums of m·r and m·r², r how far a body reaches from the origin: what rounding of places leaves.
    reach: [f64; 2],
}

impl RunBalance {
    /// Notes the world before a step, after forces were applied.
    pub fn begin_step(&mut self, world: &World) {
        let mut start = StepStart { sums: sums_of(world), ..StepStart::default() };
        for (id, body) in world.bodies() {
            if start.asleep.len() <= id.index() {
                start.asleep.resize(id.index() + 1, false);
            }
            start.asleep[id.index()] = world.is_asleep(id);
            if let (Kind::Dynamic(_), Some(wrench)) = (&body.kind, &body.wrench) {
                start.wrenches.push((id, **wrench, body.centre_of_mass()));
            }
        }
        let driven = world.joints().filter(|(_, joint)| joint.joint.motor().is_some());
        start.motors = driven.map(|(id, joint)| (id, rate_of(world, joint))).collect();
        // A change by the caller since the last step is no error.
        self.work += start.sums.energy - self.last.unwrap_or(start.sums.energy);
        self.least.get_or_insert(start.sums.energy);
        self.before = Some(start);
    }

    /// Notes the world after the step of `dt` seconds.
    pub fn end_step(&mut self, world: &World, dt: f64) {
        let Some(before) = self.before.take() else { return };
        let now = sums_of(world);
        let rests = |id: BodyId| world.is_asleep(id) && before.asleep.get(id.index()) == Some(&true);
        let mut outside = Outside::default();
        outside.add_forces(world, &before, dt, rests);
        world.solved_contacts().iter().for_each(|contact| outside.add_contact(world, contact, rests));
        // A joint of a body that sleeps keeps the load of the last step that solved it.
        let is_solved = |joint: &WorldJoint| ![Some(joint.a), joint.b].into_iter().flatten().any(rests);
        let solved = world.joints().filter(|(_, joint)| is_solved(joint)).chain(world.joints_broken_with_loads());
        solved.for_each(|(id, joint)| outside.add_joint(world, joint, &before, id, dt));
        self.last = Some(now.energy);
        self.work += if outside.touches_unsteady { now.energy - before.sums.energy } else { outside.work };
        let free = now.energy - self.work;
        let least = self.least.map_or(free, |least| least.min(free));
        self.least = Some(least);
        let errors = &mut self.errors;
        errors.energy = errors.energy.max(free - least);
        let changes = [now.momentum - before.sums.momentum, now.angular_momentum - before.sums.angular_momentum];
        let is_unknown = outside.has_drag || outside.has_anchor && outside.has_contact;
        let is_judged = [!is_unknown, !(is_unknown || outside.has_anchor || outside.touches_fixed)];
        for k in 0..2 {
            if is_judged[k] {
                self.sums[k] += changes[k] - outside.impulses[k];
                self.is_judged[k] = true;
            }
        }
        let largest = |known: Option<f64>, sum: Vec3| Some(known.unwrap_or(0.0).max(sum.length()));
        if self.is_judged[0] {
            errors.momentum = largest(errors.momentum, self.sums[0]);
        }
        if self.is_judged[1] {
            errors.angular_momentum = largest(errors.angular_momentum, self.sums[1]);
            self.most_angular = self.most_angular.max(now.amount).max(before.sums.amount);
            errors.angular_share = errors.angular_momentum.unwrap_or(0.0) / self.most_angular.max(f64::MIN_POSITIVE);
        }
        let mut scales =
            [now.scale[0].max(before.sums.scale[0]) + now.weight * dt, now.scale[1].max(before.sums.scale[1])];
        // Speeds of bodies at rest are those by which places are rounded.
        scales[0] += now.reach[0] * (PLACE_ROUNDING / dt);
        scales[1] += now.reach[1] * (PLACE_ROUNDING / dt).powi(2);
        errors.scale = [0, 1].map(|k| errors.scale[k].max(scales[k]));
        for (_, joint) in world.joints() {
            let Some(opening) = opening_of(world, joint) else { continue };
            errors.largest_opening = Some(errors.largest_opening.unwrap_or(0.0).max(opening));
            let bodies = [Some(joint.a), joint.b].into_iter().flatten().filter_map(|id| world.body(id));
            let extent = bodies.map(|body| extents(body).max_element()).fold(f64::INFINITY, f64::min);
            errors.opening_share = errors.opening_share.max(opening / extent);
        }
        for touch in world.contacts() {
            let Some((a, b)) = world.body(touch.a).zip(world.body(touch.b)) else { continue };
            let depth = touch.contact.as_ref().map_or(0.0, local_overlap);
            if !(depth > 0.0 && depth.is_finite() && respond_to_each_other(a, b)) {
                continue;
            }
            let thickness = [a, b].map(|body| extents(body).min_element());
            let thickness = thickness.into_iter().filter(|extent| *extent > 0.0).fold(f64::INFINITY, f64::min);
            errors.deepest = errors.deepest.max(depth);
            errors.depth_share = errors.depth_share.max(depth / thickness);
        }
    }

    /// Returns the largest errors up to the last step.
    pub fn errors(&self) -> BalanceErrors {
        self.errors
    }
}

/// Impulses and work of what lies outside of the dynamic bodies, in a step.
#[derive(Debug, Default)]
struct Outside {
    /// Linear and angular, around the origin.
    impulses: [Vec3; 2],
    work: f64,
    has_drag: bool,
    /// Some contact acts; some acts between a dynamic body and one without mass; some joint holds a body in the world.
    has_contact: bool,
    touches_fixed: bool,
    has_anchor: bool,
    /// The work of a script, of a body that turns by itself or of a soft body is not known.
    touches_unsteady: bool,
}

/// Reports whether the velocity of a point of a surface changes within a step.
fn is_unsteady(body: &Body) -> bool {
    match body.kind {
        Kind::Soft(_) | Kind::Kinematic(Some(_)) => true,
        Kind::Kinematic(None) => body.angular_velocity != Vec3::ZERO,
        Kind::Static | Kind::Dynamic(_) => false,
    }
}

impl Outside {
    fn add_forces(&mut self, world: &World, before: &StepStart, dt: f64, rests: impl Fn(BodyId) -> bool) {
        for (id, body) in world.bodies() {
            let Kind::Dynamic(mass) = &body.kind else { continue };
            if rests(id) {
                continue;
            }
            self.has_drag |=
                body.linear_damping != 0.0 || body.angular_damping != 0.0 || body.locked != LockedAxes::NONE;
            let weight = world.settings().gravity * (mass.mass * body.gravity_scale * dt);
            // The mean place of a parabola differs from the mean of its ends along the force only.
            let middle = body.centre_of_mass() - body.velocity_at(body.centre_of_mass()) * (0.5 * dt);
            self.impulses[0] += weight;
            self.impulses[1] += middle.cross(weight);
        }
        for (id, wrench, centre) in &before.wrenches {
            let Some(body) = world.body(*id) else { continue };
            let moved = body.centre_of_mass() - *centre;
            self.impulses[0] += wrench.force * dt;
            self.impulses[1] += ((*centre + moved * 0.5).cross(wrench.force) + wrench.torque) * dt;
            self.work += wrench.force.dot(moved) + wrench.torque.dot(body.angular_velocity) * dt;
        }
    }

    fn add_contact(&mut self, world: &World, contact: &SolvedContact, rests: impl Fn(BodyId) -> bool) {
        let Some((a, b)) = world.body(contact.a).zip(world.body(contact.b)) else { return };
        let dynamic = [a, b].map(|body| matches!(body.kind, Kind::Dynamic(_)));
        self.has_contact |= contact.points.iter().any(|point| point.impulse > 0.0);
        let (fixed, sign, id) = match dynamic {
            [true, false] => (b, -1.0, contact.a),
            [false, true] => (a, 1.0, contact.b),
            _ => return,
        };
        if rests(id) {
            return;
        }
        self.touches_fixed = true;
        self.touches_unsteady |= is_unsteady(fixed);
        for point in &contact.points {
            let normal = point.motion.normal;
            let impulse = (normal * point.impulse + point.friction_impulse) * sign;
            let belt = fixed.belt().reject_from_normalized(normal);
            self.impulses[0] += impulse;
            self.work += impulse.dot(fixed.velocity_at(point.motion.point) + belt);
        }
    }

    fn add_joint(&mut self, world: &World, joint: &WorldJoint, before: &StepStart, id: JointId, dt: f64) {
        let (a, b) = (world.body(joint.a), joint.b.and_then(|b| world.body(b)));
        let is_dynamic = |body: Option<&Body>| body.is_some_and(|body| matches!(body.kind, Kind::Dynamic(_)));
        let impulse = joint.load.force * dt;
        match [is_dynamic(a), is_dynamic(b)] {
            [true, false] => (self.has_anchor, self.impulses[0]) = (true, self.impulses[0] - impulse),
            [false, true] => (self.has_anchor, self.impulses[0]) = (true, self.impulses[0] + impulse),
            _ => {}
        }
        self.touches_unsteady |= [a, b].into_iter().flatten().any(is_unsteady);
        // A body without mass that moves does work at the anchor.
        let frames = frames_of(world, joint);
        let anchors = joint.joint.anchors([&frames[0], &frames[1]]);
        let works = |body: Option<&Body>, at: Vec3| {
            body.filter(|body| !matches!(body.kind, Kind::Dynamic(_))).map_or(0.0, |body| {
                (joint.load.force.dot(body.velocity_at(at)) + joint.load.torque.dot(body.angular_velocity)) * dt
            })
        };
        self.work += works(a, anchors[0]) - works(b, anchors[1]);
        self.work += joint.spring_work;
        if let Ok(at) = before.motors.binary_search_by_key(&id, |(id, _)| *id) {
            let rate = 0.5 * (before.motors[at].1 + rate_of(world, joint));
            let axis = joint.joint.axis([&frames[0], &frames[1]]);
            let load = match joint.joint.kind() {
                JointKind::Slider => joint.load.force.dot(axis),
                _ => joint.load.torque.dot(axis),
            };
            // A motor that brakes takes energy out, which is no error.
            self.work += (load * rate * dt - joint.spring_work).max(0.0);
        }
    }
}

fn sums_of(world: &World) -> Sums {
    let [momentum, angular_momentum] = world.momentum();
    let mut sums = Sums { momentum, angular_momentum, ..Sums::default() };
    for (_, body) in world.bodies() {
        let Kind::Dynamic(mass) = &body.kind else { continue };
        let centre = body.centre_of_mass();
        let (velocity, rate) = (body.velocity_at(centre), body.angular_velocity);
        let kinetic = 0.5 * (mass.mass * velocity.length_squared() + rate.dot(mass.inertia_at(&body.pose) * rate));
        sums.energy += kinetic - mass.mass * body.gravity_scale * world.settings().gravity.dot(centre);
        let weight = mass.mass * (body.free_acceleration(world.settings().gravity)).length();
        let extent = extents(body).max_element();
        sums.weight += weight;
        let reach = centre.length() + if extent.is_finite() { extent } else { 0.0 };
        sums.reach[0] += mass.mass * reach;
        sums.reach[1] += mass.mass * reach * reach;
        sums.scale[0] += mass.mass * velocity.length();
        sums.scale[1] += kinetic + if extent.is_finite() { weight * extent } else { 0.0 };
        sums.amount += reach * mass.mass * velocity.length() + (mass.inertia_at(&body.pose) * rate).length();
    }
    sums
}

fn frames_of(world: &World, joint: &WorldJoint) -> [JointFrame; 2] {
    [Some(joint.a), joint.b].map(|id| id.and_then(|id| world.body(id)).map_or(JointFrame::WORLD, joint_frame))
}

/// The extents of the box of a body in its own frame; infinite for a half-space.
fn extents(body: &Body) -> Vec3 {
    body.shape.bounds().half_extents() * 2.0
}

/// The rate of the coordinate of a joint, in rad/s or m/s.
fn rate_of(world: &World, joint: &WorldJoint) -> f64 {
    let frames = frames_of(world, joint);
    joint.joint.coordinate_rate([&frames[0], &frames[1]])
}

/// Returns the distance of the points that a joint holds together; `None` if it does not hold points together.
pub(crate) fn opening_of(world: &World, joint: &WorldJoint) -> Option<f64> {
    let frames = frames_of(world, joint);
    let frames = [&frames[0], &frames[1]];
    let [a, b] = joint.joint.anchors(frames);
    match joint.joint.kind() {
        JointKind::Slider => Some((b - a).reject_from(joint.joint.axis(frames)).length()),
        JointKind::Distance if !joint.joint.is_rod() => None,
        JointKind::Distance => Some(((b - a).length() - joint.joint.length()).abs()),
        JointKind::Fixed | JointKind::Ball | JointKind::Hinge => Some((b - a).length()),
    }
}
