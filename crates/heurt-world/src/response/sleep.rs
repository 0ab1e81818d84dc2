//! Sleep: islands of bodies that have stayed at rest are left out of soft steps until something disturbs them.
//!
//! In: bodies and their contacts before a step, solved contacts after it. Out: which bodies sleep.
//! Method: a body is still after [`STILL_SECONDS`] in which no point of it moved by more than [`LARGEST_DRIFT`] of its
//! radius, and stays so until it moves farther within such a time (the test of positions of Jolt: a sway of small
//! amplitude does not keep a wall awake). A body that something strikes is restless. An
//! island, bodies that press on each other, falls asleep once all its bodies are still, each of them is pressed by
//! something or held by a joint, and one of them is so by something that does not move: a static body, the world, an
//! island that sleeps. It wakes as a whole: when a body that is awake will touch it in the step, when a body that it
//! touches moves, changes or is removed, and when the caller pushes one of its bodies.
//! Guarantees: the same for any number of threads; bodies in free flight never sleep, also if they touch each other.
//! Cost: linear in bodies and contacts; a sleeping body costs neither a solve nor a search for contacts with bodies
//! that sleep or stay.

use crate::body::{Body, BodyId, Kind};
use crate::contact::BodyContact;
use crate::response::candidates::{approach_of, radius_of, respond_to_each_other, touching_gap};
use crate::response::exact::problem::is_dynamic;
use crate::response::joints::JointLink;
use crate::response::solved::SolvedContact;
use crate::state::bodies::{Bodies, Slot};
use crate::state::memory_report::bytes_of_list;
use heurt_broad::Pair;
use heurt_geometry::{Pose, Vec3};
use heurt_rigid::soft_step::Islands;

/// Seconds for which an island stays at rest before it sleeps: a rebound from 30 cm takes as long.
const STILL_SECONDS: f64 = 0.5;
/// The largest distance by which a point of a body at rest moves in that time, as a share of the radius of the body:
/// 2 % is a speed of 1 cm/s for a box of 30 cm.
const LARGEST_DRIFT: f64 = 0.02;
/// The speed of an approach that makes a body restless, in radii per second. 0.2: in a heap of a thousand boxes that
/// comes to rest, boxes strike each other at five times the speed of the largest drift.
const SLOWEST_STRIKE: f64 = 0.2;

/// The state of rest of a body, and a pose to which its motion is compared.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Rest {
    state: RestState,
    /// The pose at the start of a time of at most [`STILL_SECONDS`], and the seconds since.
    pose: Pose,
    seconds: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RestState {
    Restless,
    Still,
    /// Left out of steps; a static body that has not been changed, too.
    Asleep,
}

/// The rest of all bodies, by place.
#[derive(Debug, Clone, Default)]
pub(crate) struct SleepTable {
    rests: Vec<Rest>,
}

/// Input of the search for bodies that a step wakes.
#[derive(Clone, Copy)]
pub(crate) struct DisturbingStep<'a> {
    pub bodies: &'a Bodies,
    /// The contacts before the step, within its motion.
    pub touches: &'a [BodyContact],
    pub joints: &'a [JointLink],
    /// Pairs that meet within the step.
    pub met: &'a [Pair],
    pub gravity: Vec3,
    /// The time at the start of the step, and its length, in seconds.
    pub time: f64,
    pub dt: f64,
}

/// The support of a body at the end of a step.
#[derive(Debug, Clone, Copy, Default)]
struct Hold {
    /// A contact presses it, or it has a joint.
    is_pressed: bool,
    /// By the world or a body that takes its momentum: one that is not dynamic, or that sleeps.
    is_anchored: bool,
    /// A body that moves, or a motor, moves it.
    is_moved: bool,
}

impl SleepTable {
    /// Reports whether the body at a place sleeps; static bodies sleep from the end of their first step on.
    pub(crate) fn is_asleep(&self, place: usize) -> bool {
        self.rests.get(place).is_some_and(|rest| rest.state == RestState::Asleep)
    }

    /// Counts the dynamic bodies that sleep.
    pub(crate) fn count(&self, bodies: &Bodies) -> u32 {
        self.sleepers(bodies).iter().filter(|sleeps| **sleeps).count() as u32
    }

    /// Bytes of reserved memory.
    pub(crate) fn bytes(&self) -> usize {
        bytes_of_list(&self.rests)
    }

    /// Wakes the body at a place. Its island wakes with the next step.
    pub(crate) fn wake(&mut self, place: usize) {
        if let Some(rest) = self.rests.get_mut(place) {
            (rest.state, rest.seconds) = (RestState::Restless, 0.0);
        }
    }

    /// Wakes a body, and the dynamic bodies that touch it, before it changes or is removed.
    pub(crate) fn wake_around(&mut self, id: BodyId, touches: &[BodyContact], bodies: &Bodies) {
        self.wake(id.index());
        let seconds = touches.iter().filter_map(|touch| match (touch.a == id, touch.b == id) {
            (true, _) => Some(touch.b),
            (_, true) => Some(touch.a),
            _ => None,
        });
        // A floor that counts as changed would wake all bodies on it.
        for second in seconds.filter(|second| bodies.get(*second).is_some_and(is_dynamic)) {
            self.wake(second.index());
        }
    }

    /// Wakes the islands that something disturbs in a step.
    pub(crate) fn wake_disturbed(&mut self, step: &DisturbingStep<'_>) {
        let &DisturbingStep { bodies, touches, joints, met, gravity, dt, .. } = step;
        let sleepers = self.sleepers(bodies);
        if !sleepers.contains(&true) {
            return;
        }
        let sleeps = |place: u32| sleepers.get(place as usize).copied().unwrap_or(false);
        let mut woken: Vec<u32> = met.iter().flat_map(|pair| [pair.a, pair.b]).filter(|place| sleeps(*place)).collect();
        let mut links = Vec::new();
        for JointLink { places, .. } in joints {
            match places.map(sleeps) {
                [true, true] => links.push(*places),
                [true, false] if self.moves_at(places[1], step) => woken.push(places[0]),
                [false, true] if self.moves_at(places[0], step) => woken.push(places[1]),
                _ => {}
            }
        }
        for touch in touches {
            let places = [touch.a.index, touch.b.index];
            let Some((a, b)) = bodies.get(touch.a).zip(bodies.get(touch.b)) else { continue };
            if !respond_to_each_other(a, b) {
                continue;
            }
            let closes = |side: usize| self.moves_at(places[side], step) && closes(touch, [a, b], side, gravity, dt);
            match places.map(sleeps) {
                [true, true] => links.push(places),
                [true, false] if closes(1) => woken.push(places[0]),
                [false, true] if closes(0) => woken.push(places[1]),
                _ => {}
            }
        }
        if woken.is_empty() {
            return;
        }
        let islands = Islands::find(&sleepers, links);
        for place in woken {
            // `NONE` for an island that is awake by now.
            let Some(list) = islands.lists.get(islands.of_body[place as usize] as usize) else { continue };
            list.iter().for_each(|&place| self.wake(place as usize));
        }
    }

    /// Notes how long bodies have been at rest at the end of a step of `dt` seconds, and lets islands fall asleep.
    pub(crate) fn update(&mut self, bodies: &mut Bodies, solved: &[SolvedContact], joints: &[JointLink], dt: f64) {
        self.note_rest(bodies, dt);
        self.note_strikes(bodies, solved);
        let mut holds = vec![Hold::default(); self.rests.len()];
        let presses: Vec<&SolvedContact> = solved.iter().filter(|contact| contact.impulse() > 0.0).collect();
        for press in &presses {
            let places = [press.a.index, press.b.index];
            for side in 0..2 {
                let hold = &mut holds[places[side] as usize];
                hold.is_pressed = true;
                hold.is_anchored |= !self.is_awake(places[1 - side], bodies);
                hold.is_moved |= self.is_moved_by(places[1 - side], bodies);
            }
        }
        for JointLink { places, drives } in joints {
            for side in 0..2 {
                let Some(hold) = holds.get_mut(places[side] as usize) else { continue };
                hold.is_pressed = true;
                hold.is_anchored |= !self.is_awake(places[1 - side], bodies);
                hold.is_moved |= *drives || self.is_moved_by(places[1 - side], bodies);
            }
        }
        let awake = self.dynamic_bodies(bodies, false);
        let links = presses.iter().map(|press| [press.a.index, press.b.index]);
        let links = links.chain(joints.iter().map(|joint| joint.places));
        for island in Islands::find(&awake, links).lists {
            let hold = |place: &u32| holds[*place as usize];
            let rests = |place: &u32| {
                let hold = hold(place);
                let is_still = self.rests[*place as usize].state == RestState::Still;
                is_still && hold.is_pressed && !hold.is_moved
            };
            // Bodies that only hold each other are in free flight.
            if island.iter().all(rests) && island.iter().any(|place| hold(place).is_anchored) {
                island.iter().for_each(|&place| self.let_sleep(bodies, place as usize));
            }
        }
    }

    /// Makes bodies restless that something struck.
    fn note_strikes(&mut self, bodies: &Bodies, solved: &[SolvedContact]) {
        for contact in solved {
            let fastest = contact.points.iter().filter(|point| point.impulse > 0.0);
            let fastest = fastest.map(|point| -point.motion.normal_velocity).fold(0.0, f64::max);
            for id in [contact.a, contact.b] {
                let struck = |body: &&Body| is_dynamic(body) && fastest > SLOWEST_STRIKE * radius_of(body);
                if bodies.get(id).filter(struck).is_some() && !self.is_asleep(id.index()) {
                    self.wake(id.index());
                }
            }
        }
    }

    /// Reports whether the body at a place is dynamic and awake.
    fn is_awake(&self, place: u32, bodies: &Bodies) -> bool {
        bodies.at(place).is_some_and(|(_, body)| is_dynamic(body)) && !self.is_asleep(place as usize)
    }

    /// Reports whether the body at a place is not dynamic and moves the bodies that it touches.
    fn is_moved_by(&self, place: u32, bodies: &Bodies) -> bool {
        let moves = |body: &Body| !is_dynamic(body) && self.moves(place as usize, body);
        bodies.at(place).is_some_and(|(_, body)| moves(body))
    }

    fn let_sleep(&mut self, bodies: &mut Bodies, place: usize) {
        self.rests[place].state = RestState::Asleep;
        if let Some(body) = &mut bodies.slots_mut()[place].body {
            (body.velocity, body.angular_velocity) = (Vec3::ZERO, Vec3::ZERO);
        }
    }

    /// Notes how long each body has been at rest.
    fn note_rest(&mut self, bodies: &Bodies, dt: f64) {
        let slots = bodies.slots();
        self.rests.resize(slots.len(), Rest { state: RestState::Restless, pose: Pose::IDENTITY, seconds: 0.0 });
        for (rest, slot) in self.rests.iter_mut().zip(slots) {
            let Some(body) = &slot.body else { continue };
            match body.kind {
                Kind::Static => rest.state = RestState::Asleep,
                Kind::Dynamic(_) if rest.state == RestState::Asleep => {}
                Kind::Dynamic(_) => rest.note(body, dt),
                Kind::Kinematic(_) | Kind::Soft(_) => rest.state = RestState::Restless,
            }
        }
    }

    /// Reports whether the body at a place may disturb a body that sleeps in a step: it moves, it was changed, or its
    /// script begins to move it.
    fn moves_at(&self, place: u32, step: &DisturbingStep<'_>) -> bool {
        let Some((_, body)) = step.bodies.at(place) else { return false };
        let begins = match &body.kind {
            Kind::Kinematic(Some(script)) => script.pose_at(step.time + step.dt) != body.pose,
            _ => false,
        };
        begins || self.moves(place as usize, body)
    }

    /// Reports whether a body may disturb a body that sleeps: it moves, or it was changed.
    fn moves(&self, place: usize, body: &Body) -> bool {
        match body.kind {
            Kind::Static if body.belt() != Vec3::ZERO => true,
            Kind::Static => !self.is_asleep(place),
            Kind::Kinematic(_) => {
                [body.velocity, body.angular_velocity, body.belt()].iter().any(|rate| *rate != Vec3::ZERO)
            }
            Kind::Dynamic(_) | Kind::Soft(_) => true,
        }
    }

    /// Reports for each place whether it has a dynamic body that sleeps.
    fn sleepers(&self, bodies: &Bodies) -> Vec<bool> {
        self.dynamic_bodies(bodies, true)
    }

    /// Reports for each place whether it has a dynamic body that sleeps, or one that is awake.
    fn dynamic_bodies(&self, bodies: &Bodies, asleep: bool) -> Vec<bool> {
        let is_found = |(place, slot): (usize, &Slot)| {
            self.is_asleep(place) == asleep && slot.body.as_ref().is_some_and(is_dynamic)
        };
        bodies.slots().iter().enumerate().map(is_found).collect()
    }
}

impl Rest {
    /// Notes the pose of a body that is awake at the end of a step of `dt` seconds.
    fn note(&mut self, body: &Body, dt: f64) {
        self.seconds += dt;
        let is_near = drift(&self.pose, body) <= LARGEST_DRIFT * radius_of(body);
        if is_near && self.seconds < STILL_SECONDS {
            return;
        }
        let state = if is_near { RestState::Still } else { RestState::Restless };
        *self = Self { state, pose: body.pose, seconds: 0.0 };
    }
}

/// Bounds the distance by which points of a body have moved since it was at `before`, in metres.
fn drift(before: &Pose, body: &Body) -> f64 {
    let (turn, turn_before) = (body.pose.rotation(), before.rotation());
    let columns =
        [turn.x_axis - turn_before.x_axis, turn.y_axis - turn_before.y_axis, turn.z_axis - turn_before.z_axis];
    // A chord of the angle θ has the length 2·sin(θ/2). The Frobenius norm of the difference of both rotations is √2
    // times as large.
    let squares: f64 = columns.iter().map(|column| column.length_squared()).sum();
    let moved = (body.pose.translation() - before.translation()).length();
    moved + (0.5 * squares).sqrt() * radius_of(body)
}

/// Rotation in radians in a step above which the rates of the points do not bound how a gap closes.
const FAST_SPIN: f64 = 0.1;

/// Reports whether two bodies touch, or may within `dt` seconds: the body of side `mover` moves at its velocities and
/// its acceleration, the second body is held.
fn closes(touch: &BodyContact, bodies: [&Body; 2], mover: usize, gravity: Vec3, dt: f64) -> bool {
    let body = bodies[mover];
    let gain = if is_dynamic(body) { body.free_acceleration(gravity) * dt } else { Vec3::ZERO };
    let sign = if mover == 1 { 1.0 } else { -1.0 };
    // The gap between a body that begins to move and a body that rests on it.
    let touching = touching_gap(bodies[0], bodies[1]);
    let reach = if body.angular_velocity.length() * dt > FAST_SPIN { approach_of(body, gravity, dt) } else { 0.0 };
    touch.contact.as_ref().is_some_and(|contact| {
        contact.points.iter().any(|at| {
            let rate = sign * at.normal.dot(body.velocity_at(at.point) + gain);
            at.separation + (rate * dt).min(-reach) <= touching
        })
    })
}
