//! The world: its parts, changes by the caller, and the order of the stages of a step.
//!
//! Each part has its own module: bodies and boxes (`state`), pairs and contacts (`step`), views for other threads
//! (`reader`). [`World`] is the only type that has all parts.

use crate::body::{Body, BodyId};
use crate::contact::{BodyContact, ContactMotion, contact_motions};
use crate::error::WorldError;
use crate::reader::{Publisher, Reader};
use crate::response::exact::problem::is_dynamic;
use crate::response::solved::SolvedContact;
use crate::response::{Response, ResponseState};
use crate::settings::{Settings, check_finite, check_translation, grown};
use crate::state::bodies::{FreePlaces, bounds_of_body, check_body};
use crate::state::energy::{Energy, compute_energy, compute_momentum};
use crate::state::hash::hash_state;
use crate::state::memory_report::{WorldBytes, bytes_of_list};
use crate::state::view::WorldView;
use crate::step::deadline::StepOptions;
use crate::step::events::{ContactSet, Events};
use crate::step::pair_limit::find_pairs;
use crate::step::pairs::PairTable;
use crate::step::step_plan::move_boxes_to;
use crate::step::{LONGEST_STEP, StepReport, StepScratch, StepTiming};
use heurt_broad::{BroadPhaseStats, Filter, Move};
use heurt_geometry::{Pose, Vec3};
use heurt_rigid::SoftStep;
use smallvec::SmallVec;

pub(crate) mod contact_places;
mod deform;
mod paths;
mod problem;
mod push;
mod snapshot;
mod stages;

/// Many bodies and their contacts.
///
/// ```
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_shape::Convex;
/// use heurt_world::{Body, Mass, Settings, World};
/// let mut world = World::new(Settings::default())?;
/// let ground = world.insert(Body::fixed(Convex::half_space(Vec3::Z, 0.0)?, Pose::IDENTITY))?;
/// let ball = Convex::sphere(0.5)?;
/// let mass = Mass::of_density(&ball.clone().into(), 1000.0)?;
/// let ball = world.insert(Body::dynamic(ball, Pose::from_translation(Vec3::Z)?, mass))?;
/// while world.contacts().is_empty() {
///     world.step(1.0 / 60.0)?;
/// }
/// let touch = &world.contacts()[0];
/// assert_eq!((touch.a, touch.b), (ground, ball));
/// assert!((world.time() - (2.0f64 * 0.5 / 9.81).sqrt()).abs() < 1.0 / 60.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct World {
    settings: Settings,
    /// Bodies, their boxes, step and time.
    view: WorldView,
    free: FreePlaces,
    pairs: PairTable,
    contacts: ContactSet,
    scratch: StepScratch,
    timing: StepTiming,
    response: ResponseState,
    soft_step: SoftStep,
    publisher: Option<Publisher>,
}

impl World {
    /// Makes an empty world.
    ///
    /// ```
    /// use heurt_geometry::Vec3;
    /// use heurt_world::{Settings, World};
    /// let space = World::new(Settings { gravity: Vec3::ZERO, ..Settings::default() })?;
    /// assert!(space.is_empty() && space.time() == 0.0);
    /// assert!(World::new(Settings { margin: -1.0, ..Settings::default() }).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`WorldError::Number`] for gravity that is not finite, and for a margin that is negative or not finite.
    pub fn new(settings: Settings) -> Result<Self, WorldError> {
        settings.check()?;
        let mut soft_step = SoftStep::default();
        soft_step.set_restitution_threshold(settings.restitution_threshold_in_force());
        Ok(Self {
            settings,
            view: WorldView::empty(settings.broad_phase),
            free: FreePlaces::default(),
            pairs: PairTable::default(),
            contacts: ContactSet::default(),
            scratch: StepScratch::default(),
            timing: StepTiming::default(),
            response: ResponseState::default(),
            soft_step,
            publisher: None,
        })
    }

    /// Inserts a body, at any time; it meets others from the next step on.
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// use heurt_shape::Convex;
    /// use heurt_world::{Body, Settings, World};
    /// let mut world = World::new(Settings::default())?;
    /// let ball = world.insert(Body::kinematic(Convex::sphere(0.5)?, Pose::IDENTITY))?;
    /// assert_eq!(world.body(ball).map(|body| body.pose), Some(Pose::IDENTITY));
    /// let runaway = Body { velocity: Vec3::NAN, ..Body::kinematic(Convex::point(), Pose::IDENTITY) };
    /// assert!(world.insert(runaway).is_err() && world.len() == 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`WorldError`] for numbers out of range, and for boxes that the broad phase refuses.
    pub fn insert(&mut self, body: Body) -> Result<BodyId, WorldError> {
        check_body(&body)?;
        // Prepared here, so that neither a step nor a query pays for the first contact of a mesh.
        body.shape.prepare_contacts();
        let WorldView { bodies, boxes, .. } = &mut self.view;
        boxes.insert(self.free.next(bodies), &bounds_of_body(&body, self.settings.margin), body.filter())?;
        self.response.candidates.are_current = false;
        let id = self.free.insert(bodies, body);
        self.response.sleep.wake(id.index());
        Ok(id)
    }

    /// Removes a body, at any time; its contacts end with the next step.
    ///
    /// ```
    /// use heurt_geometry::Pose;
    /// use heurt_shape::Convex;
    /// use heurt_world::{Body, Settings, World};
    /// let mut world = World::new(Settings::default())?;
    /// let ball = world.insert(Body::fixed(Convex::sphere(0.5)?, Pose::IDENTITY))?;
    /// world.remove(ball)?;
    /// assert!(world.is_empty() && world.remove(ball).is_err(), "its name is not used again");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`].
    pub fn remove(&mut self, id: BodyId) -> Result<Body, WorldError> {
        self.body(id).ok_or(WorldError::NoSuchBody { id })?;
        self.view.boxes.remove(id.index)?;
        self.forget(id);
        self.response.joints.remove_of_body(id);
        self.free.remove(&mut self.view.bodies, id.index).ok_or(WorldError::NoSuchBody { id })
    }

    /// Moves a body to another pose, with other velocities. No contact in between is found.
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// use heurt_shape::Convex;
    /// use heurt_world::{Body, Settings, World};
    /// let mut world = World::new(Settings { gravity: Vec3::ZERO, ..Settings::default() })?;
    /// let ball = world.insert(Body::kinematic(Convex::sphere(0.5)?, Pose::IDENTITY))?;
    /// world.set_state(ball, Pose::from_translation(Vec3::Z * 5.0)?, Vec3::X, Vec3::ZERO)?;
    /// world.step(0.5)?;
    /// assert_eq!(world.body(ball).map(|body| body.pose.translation()), Some(Vec3::new(0.5, 0.0, 5.0)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`], [`WorldError::Number`], [`WorldError::Broad`]; the body is then where it was.
    pub fn set_state(
        &mut self,
        id: BodyId,
        pose: Pose,
        velocity: Vec3,
        angular_velocity: Vec3,
    ) -> Result<(), WorldError> {
        check_finite("velocity", velocity)?;
        check_finite("angular_velocity", angular_velocity)?;
        check_translation(&pose)?;
        let body = self.body(id).ok_or(WorldError::NoSuchBody { id })?;
        let bounds = grown(&body.shape.bounds_at(&pose), self.settings.margin);
        self.view.boxes.update(&[Move { id: id.index, bounds }])?;
        // The move is no motion: nothing is swept between the two poses.
        self.forget(id);
        if let Some(body) = self.view.bodies.get_mut(id) {
            (body.pose, body.velocity, body.angular_velocity) = (pose, velocity, angular_velocity);
        }
        Ok(())
    }

    /// Sets the groups of a body and the groups that it meets.
    ///
    /// ```
    /// use heurt_geometry::Pose;
    /// use heurt_shape::Convex;
    /// use heurt_world::{Body, Settings, World};
    /// let mut world = World::new(Settings::default())?;
    /// let ball = Body::kinematic(Convex::sphere(0.5)?, Pose::IDENTITY);
    /// let balls = [world.insert(ball.clone())?, world.insert(ball)?];
    /// assert_eq!(world.detect(&[])?.touching, 1);
    /// // In a group of its own, which meets group 1 only.
    /// world.set_filter(balls[0], 0b10, 0b10)?;
    /// assert_eq!(world.detect(&[])?.touching, 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`].
    pub fn set_filter(&mut self, id: BodyId, group: u32, mask: u32) -> Result<(), WorldError> {
        let body = self.body(id).ok_or(WorldError::NoSuchBody { id })?;
        let filter = Filter { group, mask, ..body.filter() };
        self.view.boxes.set_filter(id.index, filter)?;
        self.disturb(id);
        if let Some(body) = self.view.bodies.get_mut(id) {
            (body.group, body.mask) = (group, mask);
        }
        Ok(())
    }

    /// Marks as void what is known of the motion and the pairs of a body, and wakes what touches it.
    fn forget(&mut self, id: BodyId) {
        self.disturb(id);
        self.pairs.forget(id.index(), self.view.bodies.slots().len());
        self.scratch.swept.forget(id.index());
    }

    /// Wakes what touches a body that is changed, and what joints connect with it; its contacts are found again.
    fn disturb(&mut self, id: BodyId) {
        let ResponseState { sleep, candidates, joints, .. } = &mut self.response;
        sleep.wake_around(id, &candidates.contacts, &self.view.bodies);
        let of_body = joints.places().filter(|places| places.contains(&id.index));
        let is_dynamic_at = |place: &u32| self.view.bodies.at(*place).is_some_and(|(_, body)| is_dynamic(body));
        of_body.flatten().filter(is_dynamic_at).for_each(|place| sleep.wake(place as usize));
        candidates.are_current = false;
    }

    /// Returns the bodies as they are placed, with the queries of all of them.
    pub fn view(&self) -> &WorldView {
        &self.view
    }

    /// Returns a body; `None` if it was removed.
    pub fn body(&self, id: BodyId) -> Option<&Body> {
        self.view.body(id)
    }

    /// Lists all bodies, by their places.
    pub fn bodies(&self) -> impl Iterator<Item = (BodyId, &Body)> {
        self.view.bodies()
    }

    /// Returns the number of bodies.
    pub fn len(&self) -> usize {
        self.view.bodies.slots().len() - self.free.len()
    }

    /// Reports whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the settings of the world.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the time in seconds, from the first step on.
    pub fn time(&self) -> f64 {
        self.view.time
    }

    /// Returns the number of steps taken.
    pub fn steps(&self) -> u64 {
        self.view.step
    }

    /// Lists the contacts after the last step, by the places of the bodies.
    pub fn contacts(&self) -> &[BodyContact] {
        self.contacts.contacts()
    }

    /// Returns the places of a contact of the last step, and the relative motion there. Bodies that came to touch
    /// within the step have one place, the first impact, with its normal and the velocities at its time; others have a
    /// place for each contact point. Empty for bodies that were removed.
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// use heurt_shape::Convex;
    /// use heurt_world::{Body, ContactState, Settings, World};
    /// let mut world = World::new(Settings { gravity: Vec3::ZERO, ..Settings::default() })?;
    /// world.insert(Body::fixed(Convex::half_space(Vec3::Z, 0.0)?, Pose::IDENTITY))?;
    /// let down = Body::kinematic(Convex::sphere(0.5)?, Pose::from_translation(Vec3::Z * 0.5)?);
    /// world.insert(Body { velocity: Vec3::Z * -0.1, ..down })?;
    /// world.step(0.01)?;
    /// let motions = world.contact_motions(&world.contacts()[0]);
    /// assert_eq!(motions[0].approach, ContactState::Colliding);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn contact_motions(&self, touch: &BodyContact) -> SmallVec<[ContactMotion; 4]> {
        let Some((a, b)) = self.body(touch.a).zip(self.body(touch.b)) else { return SmallVec::new() };
        if let Some(solved) = self.response.solved.get(touch.a, touch.b) {
            return solved.points.iter().map(|point| point.motion).collect();
        }
        contact_motions(touch, [a, b], self.view.time, self.settings.gravity, self.timing.last_step)
    }

    /// Lists the contacts that the response solved in the last step, by the places of the bodies, with their impulses
    /// and the motion before the response. Empty without a response.
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// use heurt_shape::Convex;
    /// use heurt_world::{Body, Mass, Response, Settings, World};
    /// let mut world = World::new(Settings { response: Response::ImpulseLcp, ..Settings::default() })?;
    /// world.insert(Body::fixed(Convex::half_space(Vec3::Z, 0.0)?, Pose::IDENTITY))?;
    /// let ball = Convex::sphere(0.5)?;
    /// let mass = Mass::of_total(&ball.clone().into(), 2.0)?;
    /// let ball = world.insert(Body::dynamic(ball, Pose::from_translation(Vec3::Z * 0.5)?, mass))?;
    /// world.step(0.01)?;
    /// // The floor carries the ball: m g dt.
    /// assert!((world.solved_contacts()[0].impulse() - 2.0 * 9.81 * 0.01).abs() < 1e-9);
    /// let height = world.body(ball).expect("it is there").pose.translation().z;
    /// assert!((height - 0.5).abs() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn solved_contacts(&self) -> &[SolvedContact] {
        self.response.solved.contacts()
    }

    /// Returns the changes of the last step.
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// use heurt_shape::Convex;
    /// use heurt_world::{Body, Settings, World};
    /// let mut world = World::new(Settings { gravity: Vec3::ZERO, ..Settings::default() })?;
    /// let wall = world.insert(Body::fixed(Convex::half_space(-Vec3::X, -2.0)?, Pose::IDENTITY))?;
    /// let ball = Body { velocity: Vec3::X, ..Body::kinematic(Convex::sphere(0.5)?, Pose::IDENTITY) };
    /// let ball = world.insert(ball)?;
    /// while world.events().begun.is_empty() {
    ///     world.step(0.25)?;
    /// }
    /// assert_eq!((world.events().begun[0], world.time()), ([wall, ball], 1.5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn events(&self) -> &Events {
        self.contacts.events()
    }

    /// Lists the pairs that may have touched in the last step, as their boxes meet. A deadline left them undecided, or
    /// cut them short; contacts found by then are among the contacts. Or no bound decides their motion in between
    /// ([`Detection::Continuous`](crate::Detection::Continuous)); their contact at the end of the step is reported.
    pub fn unproven(&self) -> &[[BodyId; 2]] {
        self.contacts.unproven()
    }

    /// Returns counts of the broad phase.
    pub fn broad_phase(&self) -> BroadPhaseStats {
        self.view.boxes.stats()
    }

    /// Computes the energy of the dynamic bodies.
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// use heurt_shape::Convex;
    /// use heurt_world::{Body, Mass, Settings, World};
    /// let mut world = World::new(Settings::default())?;
    /// let ball = Convex::sphere(0.5)?;
    /// let mass = Mass::of_total(&ball.clone().into(), 2.0)?;
    /// world.insert(Body { velocity: Vec3::X * 3.0, ..Body::dynamic(ball, Pose::from_translation(Vec3::Z)?, mass) })?;
    /// let energy = world.energy();
    /// assert!((energy.kinetic - 9.0).abs() < 1e-12 && (energy.potential - 19.62).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn energy(&self) -> Energy {
        compute_energy(&self.view.bodies, self.settings.gravity)
    }

    /// Computes the momentum of the dynamic bodies in kg·m/s, and their angular momentum around the origin of the world
    /// in kg·m²/s.
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// use heurt_shape::Convex;
    /// use heurt_world::{Body, Mass, Settings, World};
    /// let mut world = World::new(Settings::default())?;
    /// let ball = Convex::sphere(0.5)?;
    /// let mass = Mass::of_total(&ball.clone().into(), 2.0)?;
    /// world.insert(Body { velocity: Vec3::X, ..Body::dynamic(ball, Pose::from_translation(Vec3::Y)?, mass) })?;
    /// let [linear, angular] = world.momentum();
    /// assert!(linear.abs_diff_eq(Vec3::X * 2.0, 1e-12) && angular.abs_diff_eq(Vec3::Z * -2.0, 1e-12));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn momentum(&self) -> [Vec3; 2] {
        compute_momentum(&self.view.bodies)
    }

    /// Computes a hash of the state that steps change, bit for bit: the number of steps and the time; name, pose and
    /// velocities of each body, and the vertices of soft ones; the contacts with their points and times of impact.
    ///
    /// Not hashed: values that only the caller changes, which show in the steps that follow (settings, shapes, kinds,
    /// masses, scripts, groups and masks, friction, restitution); events and unproven pairs; caches of pairs.
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// use heurt_shape::Convex;
    /// use heurt_world::{Body, Mass, Settings, World};
    /// let run = |steps| -> Result<u64, Box<dyn std::error::Error>> {
    ///     let mut world = World::new(Settings::default())?;
    ///     let mass = Mass::of_density(&Convex::sphere(0.5)?.into(), 1000.0)?;
    ///     world.insert(Body::dynamic(Convex::sphere(0.5)?, Pose::from_translation(Vec3::Z)?, mass))?;
    ///     for _ in 0..steps {
    ///         world.step(0.01)?;
    ///     }
    ///     Ok(world.state_hash())
    /// };
    /// assert!(run(5)? == run(5)? && run(5)? != run(6)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn state_hash(&self) -> u64 {
        hash_state(&self.view, self.contacts.contacts())
    }

    /// Counts the bytes that the world holds.
    pub fn bytes(&self) -> WorldBytes {
        let StepScratch { plan, shares, swept, joints } = &self.scratch;
        let of_shares = shares.iter().map(|share| share.bytes()).sum::<usize>() + bytes_of_list(shares);
        WorldBytes {
            bodies: self.view.bodies.bytes() + self.free.bytes(),
            broad_phase: self.view.boxes.stats().bytes,
            pairs: self.pairs.bytes(),
            results: self.contacts.bytes() + of_shares + self.response.bytes(),
            plans: plan.bytes(),
            views: self.publisher.iter().flat_map(|publisher| publisher.views()).map(|view| view.bytes()).sum(),
            swept: swept.bytes(),
            response: self.response.joints.bytes() + joints.bytes() + self.soft_step.bytes(),
        }
    }

    /// Opens the world to other threads: each step ends by showing them its state.
    pub fn reader(&mut self) -> Reader {
        self.publisher.get_or_insert_with(|| Publisher::new(&self.view, self.settings.margin)).reader()
    }

    /// Takes a step of `dt` seconds: moves bodies and boxes, finds pairs of boxes that meet, proves or dismisses each,
    /// and lists the changes.
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// use heurt_shape::Convex;
    /// use heurt_world::{Body, Mass, Settings, World};
    /// let mut world = World::new(Settings { gravity: Vec3::Z * -10.0, ..Settings::default() })?;
    /// let stone = Convex::sphere(0.1)?;
    /// let mass = Mass::of_density(&stone.clone().into(), 2500.0)?;
    /// let stone = world.insert(Body::dynamic(stone, Pose::IDENTITY, mass))?;
    /// world.step(0.5)?;
    /// let height = world.body(stone).expect("it is there").pose.translation().z;
    /// assert!((height + 1.25).abs() < 1e-12, "g·t²/2");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`WorldError`]; the world is then as it was.
    pub fn step(&mut self, dt: f64) -> Result<StepReport, WorldError> {
        self.step_with(dt, &StepOptions::default())
    }

    /// [`World::step`] by a clock, which measures the stages and may end the search for contacts early. Pairs left out
    /// or cut short are listed in [`World::unproven`].
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// use heurt_shape::Convex;
    /// use heurt_world::{Body, Settings, StepOptions, World};
    /// let mut world = World::new(Settings::default())?;
    /// for x in [0.0, 0.5] {
    ///     world.insert(Body::kinematic(Convex::sphere(0.5)?, Pose::from_translation(Vec3::X * x)?))?;
    /// }
    /// let begun = std::time::Instant::now();
    /// let clock = || begun.elapsed().as_secs_f64();
    /// let report = world.step_with(0.01, &StepOptions { clock: Some(&clock), deadline: Some(0.0) })?;
    /// assert_eq!((report.touching, report.unproven), (0, 1), "no time for the one pair");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`WorldError`]; the world is then as it was.
    pub fn step_with(&mut self, dt: f64, options: &StepOptions<'_>) -> Result<StepReport, WorldError> {
        self.clear_paths();
        if !(dt > 0.0 && dt <= LONGEST_STEP) {
            return Err(WorldError::Number { field: "dt", value: dt, legal: "a time above 0 and up to 1e100 s" });
        }
        let before = self.begin_deformations(dt);
        let report = match self.settings.response {
            Response::None => self.run_stages(dt, options),
            _ => self.run_response(dt, options),
        };
        self.scratch.plan.clear();
        if report.is_ok()
            && let Some(paths) = &mut self.scratch.plan.paths
        {
            paths.finish(&self.view.bodies);
        }
        if report.is_err() {
            self.clear_paths();
            self.put_deformations_back(before);
        } else {
            // Forces act for one step.
            let slots = self.view.bodies.slots_mut().iter_mut();
            slots.filter_map(|slot| slot.body.as_mut()).for_each(|body| body.wrench = None);
        }
        report
    }

    /// Moves bodies to given poses and finds the contacts there: pairs, contacts and events as in a step, with the
    /// caches of the pairs. No time passes, no velocity changes, and no contact in between is found.
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// use heurt_shape::Convex;
    /// use heurt_world::{Body, Settings, World};
    /// // Poses come from elsewhere: a planner, a tracker, another engine.
    /// let mut world = World::new(Settings::default())?;
    /// let table = world.insert(Body::fixed(Convex::half_space(Vec3::Z, 0.0)?, Pose::IDENTITY))?;
    /// let cup = world.insert(Body::kinematic(Convex::cylinder(0.04, 0.05)?, Pose::from_translation(Vec3::Z)?))?;
    /// world.detect(&[(cup, Pose::from_translation(Vec3::Z * 0.05)?)])?;
    /// let touch = &world.contacts()[0];
    /// assert_eq!((touch.a, touch.b), (table, cup));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`], [`WorldError::Number`], [`WorldError::Crowded`], [`WorldError::Broad`]; the world is
    /// then as it was.
    pub fn detect(&mut self, poses: &[(BodyId, Pose)]) -> Result<StepReport, WorldError> {
        self.detect_with(poses, &StepOptions::default())
    }

    /// [`World::detect`] by a clock, as [`World::step_with`].
    ///
    /// # Errors
    /// As [`World::detect`].
    pub fn detect_with(
        &mut self,
        poses: &[(BodyId, Pose)],
        options: &StepOptions<'_>,
    ) -> Result<StepReport, WorldError> {
        let begun = options.read_clock();
        move_boxes_to(&mut self.view, poses, &self.settings)?;
        let placed = options.read_clock();
        self.find_pairs_at_rest()?;
        for &(id, pose) in poses {
            self.disturb(id);
            if let Some(body) = self.view.bodies.get_mut(id) {
                body.pose = pose;
            }
        }
        self.view.step += 1;
        Ok(self.finish_step(poses.len(), None, options, [begun, placed, options.read_clock()]))
    }

    /// Finds the contacts of the bodies as they are placed: pairs, contacts and events as in a step. No step is counted
    /// and no time passes; it finds the overlaps at the beginning of a run.
    ///
    /// # Errors
    /// [`WorldError::Crowded`]; the world is then as it was.
    pub fn refresh_contacts(&mut self) -> Result<StepReport, WorldError> {
        self.find_pairs_at_rest()?;
        Ok(self.finish_step(0, None, &StepOptions::default(), [0.0; 3]))
    }

    /// Finds the pairs of boxes as they are now; no time passes.
    fn find_pairs_at_rest(&mut self) -> Result<(), WorldError> {
        self.clear_paths();
        let count = self.len();
        find_pairs(&mut self.view, count, &self.settings)?;
        self.timing.last_step = 0.0;
        self.pairs.update(self.view.boxes.pairs());
        Ok(())
    }
}
