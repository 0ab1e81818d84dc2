//! Sleep: islands of bodies that have stayed at rest are left out of soft steps until something disturbs them.
//!
//! In: bodies and their contacts before a step, solved contacts after it. Out: which bodies sleep.
//! Method: a body is still after [`STILL_SECONDS`] in which no point of it moved by more than [`LARGEST_DRIFT`] of its
//! radius, and stays so until it moves farther within such a time (the test of positions of Jolt: a sway of small
//! amplitude does not keep a wall awake). An island, bodies that press on each other, falls asleep once all its bodies
//! are still and each of them is pressed by something. It wakes as a whole: when a body that is awake will touch it in
//! the step, when a body that it touches moves, changes or is removed, and when the caller pushes one of its bodies.
//! Guarantees: the same for any number of threads; a body in free flight never sleeps.
//! Cost: linear in bodies and contacts; a sleeping body costs neither a solve nor a search for contacts with bodies
//! that sleep or stay.

use crate::body::{Body, BodyId, Kind};
use crate::contact::BodyContact;
use crate::response::candidates::{radius_of, respond_to_each_other};
use crate::response::exact_problem::is_dynamic;
use crate::response::solved::SolvedContact;
use crate::state::bodies::{Bodies, Slot};
use crate::state::memory_report::bytes_of_list;
use heurt_geometry::{Pose, Vec3};
use heurt_rigid::soft_step::Islands;

/// Seconds for which an island stays at rest before it sleeps: a rebound from 30 cm takes as long.
const STILL_SECONDS: f64 = 0.5;
/// The largest distance by which a point of a body at rest moves in that time, as a share of the radius of the body:
/// 2 % is a speed of 1 cm/s for a box of 30 cm.
const LARGEST_DRIFT: f64 = 0.02;

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

    /// Wakes the islands that something disturbs in a step of `dt` seconds. `touches` are the contacts before it,
    /// `joints` the places of the bodies of joints.
    pub(crate) fn wake_disturbed(
        &mut self,
        bodies: &Bodies,
        touches: &[BodyContact],
        joints: &[[u32; 2]],
        gravity: Vec3,
        dt: f64,
    ) {
        let sleepers = self.sleepers(bodies);
        if !sleepers.contains(&true) {
            return;
        }
        let (mut links, mut woken) = (Vec::new(), Vec::new());
        for joint in joints {
            match joint.map(|place| sleepers.get(place as usize).copied().unwrap_or(false)) {
                [true, true] => links.push(*joint),
                [true, false] => self.wake_if_moved(joint[0], joint[1], bodies, &mut woken),
                [false, true] => self.wake_if_moved(joint[1], joint[0], bodies, &mut woken),
                [false, false] => {}
            }
        }
        for touch in touches {
            let places = [touch.a, touch.b].map(BodyId::index);
            let Some((a, b)) = bodies.get(touch.a).zip(bodies.get(touch.b)) else { continue };
            if !respond_to_each_other(a, b) {
                continue;
            }
            match places.map(|place| sleepers[place]) {
                [true, true] => links.push(places.map(|place| place as u32)),
                [true, false] if self.moves(places[1], b) && closes(touch, [a, b], gravity, dt) => {
                    woken.push(places[0])
                }
                [false, true] if self.moves(places[0], a) && closes(touch, [a, b], gravity, dt) => {
                    woken.push(places[1])
                }
                _ => {}
            }
        }
        if woken.is_empty() {
            return;
        }
        let islands = Islands::find(&sleepers, links);
        for place in woken {
            // `NONE` for an island that is awake by now.
            let Some(list) = islands.lists.get(islands.of_body[place] as usize) else { continue };
            list.iter().for_each(|&place| self.wake(place as usize));
        }
    }

    /// Notes how long bodies have been at rest at the end of a step of `dt` seconds, and lets islands fall asleep.
    /// `joints` are the places of the bodies of joints.
    pub(crate) fn update(&mut self, bodies: &mut Bodies, solved: &[SolvedContact], joints: &[[u32; 2]], dt: f64) {
        self.note_rest(bodies, dt);
        let presses: Vec<&SolvedContact> = solved.iter().filter(|contact| contact.impulse() > 0.0).collect();
        let mut is_pressed = vec![false; self.rests.len()];
        let mut is_moved = vec![false; self.rests.len()];
        for press in &presses {
            let places = [press.a, press.b].map(BodyId::index);
            for side in 0..2 {
                is_pressed[places[side]] = true;
                let second = bodies.get([press.b, press.a][side]);
                is_moved[places[side]] |=
                    second.is_some_and(|body| !is_dynamic(body) && self.moves(places[1 - side], body));
            }
        }
        for &[a, b] in joints {
            for (place, second) in [(a, b), (b, a)] {
                let Some(is_held) = is_pressed.get_mut(place as usize) else { continue };
                *is_held = true;
                let second_moves = |(_, body): (BodyId, &Body)| !is_dynamic(body) && self.moves(second as usize, body);
                is_moved[place as usize] |= bodies.at(second).is_some_and(second_moves);
            }
        }
        let awake = self.dynamic_bodies(bodies, false);
        let links = presses.iter().map(|press| [press.a.index, press.b.index]).chain(joints.iter().copied());
        for island in Islands::find(&awake, links).lists {
            let rests = |&place: &u32| {
                let place = place as usize;
                self.rests[place].state == RestState::Still && is_pressed[place] && !is_moved[place]
            };
            if island.iter().all(rests) {
                island.iter().for_each(|&place| self.let_sleep(bodies, place as usize));
            }
        }
    }

    /// Adds a sleeping body to the woken ones if the second body of its joint moves.
    fn wake_if_moved(&self, sleeper: u32, second: u32, bodies: &Bodies, woken: &mut Vec<usize>) {
        if bodies.at(second).is_some_and(|(_, body)| self.moves(second as usize, body)) {
            woken.push(sleeper as usize);
        }
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

    /// Reports whether a body may disturb a body that sleeps: it moves, or it was changed.
    fn moves(&self, place: usize, body: &Body) -> bool {
        match body.kind {
            Kind::Static => !self.is_asleep(place),
            Kind::Kinematic(_) => body.velocity != Vec3::ZERO || body.angular_velocity != Vec3::ZERO,
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

/// Reports whether two bodies touch, or will within `dt` seconds at their velocities and accelerations.
fn closes(touch: &BodyContact, [a, b]: [&Body; 2], gravity: Vec3, dt: f64) -> bool {
    let gain = |body: &Body| if is_dynamic(body) { body.free_acceleration(gravity) * dt } else { Vec3::ZERO };
    let velocity = |body: &Body, point: Vec3| body.velocity_at(point) + gain(body);
    touch.contact.as_ref().is_some_and(|contact| {
        contact.points.iter().any(|at| {
            let rate = at.normal.dot(velocity(b, at.point) - velocity(a, at.point));
            at.separation + rate.min(0.0) * dt <= 0.0
        })
    })
}
