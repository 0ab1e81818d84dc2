//! The world: bodies by number, their contacts, and the time.

use crate::body::mass::MassFault;
use crate::body::{Body, BodyId, Kind};
use crate::reader::Publisher;
use crate::state::view::{Slot, WorldView};
use crate::step::narrow::{BodyContact, Detection};
use crate::step::soft_impact::WayAt;
use crate::step::step_motion::{StepMotionError, inertia_at};
use crate::step::step_plan::{FARTHEST, StepPlan};
use crate::step::{Events, PairResults, PairState};
use heurt_broad::{BroadPhaseError, BroadPhaseKind, BroadPhaseStats, Pair};
use heurt_geometry::{DisplayNumber, Pose, StateHash, Vec3};
use heurt_shape::Shape;
use thiserror::Error;

/// Settings of a whole world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// In m/s².
    pub gravity: Vec3,
    /// How pairs of boxes are found.
    pub broad_phase: BroadPhaseKind,
    /// The contacts that a step finds.
    pub detection: Detection,
    /// Bodies within this distance count as touching, in metres.
    pub margin: f64,
}

impl Default for Settings {
    /// Earth, z up.
    fn default() -> Self {
        let gravity = Vec3::new(0.0, 0.0, -9.81);
        Self { gravity, broad_phase: BroadPhaseKind::Tree, detection: Detection::Discrete, margin: 0.0 }
    }
}

/// Reasons why the world refuses a change.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum WorldError {
    /// A body that is not there: removed, or of another world.
    #[error("body {} of generation {} is not in the world: it was removed, or never was there", id.index, id.generation)]
    NoSuchBody {
        /// The name that was given.
        id: BodyId,
    },
    /// A number that no body and no world has.
    #[error("{field} is {}: give {legal}", DisplayNumber(*value))]
    Number {
        /// The name of the number.
        field: &'static str,
        /// The value given.
        value: f64,
        /// The legal values.
        legal: &'static str,
    },
    /// A soft body that is no mesh.
    #[error("a soft body must be a mesh of as many vertices as its deformation")]
    NotSoft,
    /// Mass, centre or inertia that no body has.
    #[error(transparent)]
    Mass(#[from] MassFault),
    /// A body that moves out of the range of numbers in this step.
    #[error("body {} moves beyond the range of numbers", id.index)]
    Flight {
        /// The body.
        id: BodyId,
        /// The reason.
        source: StepMotionError,
    },
    /// A soft body whose vertices leave the range of numbers.
    #[error("vertex {vertex} of body {} moves beyond 1e150", id.index)]
    Deform {
        /// The body.
        id: BodyId,
        /// The vertex that goes too far.
        vertex: usize,
    },
    /// Too many bodies in one place: their pairs would take memory and time out of proportion.
    #[error(
        "at least {pairs} pairs of boxes overlap among {bodies} bodies, many of them about body {}, and a world of so many takes {most}: place \
         them apart, or let groups and masks tell who need not meet", id.index
    )]
    Crowded {
        /// A body whose box overlaps many others.
        id: BodyId,
        /// Pairs that overlap, at least.
        pairs: usize,
        /// Bodies that there are.
        bodies: usize,
        /// Pairs that are taken: a million, or 64 a body.
        most: usize,
    },
    /// A box that is too large or no box, or too many bodies.
    #[error(transparent)]
    Broad(#[from] BroadPhaseError),
}

/// Energy in joules.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Energy {
    /// Energy of motion and spin.
    pub kinetic: f64,
    /// −Σ m g·x of the centres of mass.
    pub potential: f64,
}

/// A state of a world, to be restored.
#[derive(Debug, Clone)]
pub struct Snapshot {
    slots: Vec<Slot>,
    free: Vec<u32>,
    touches: Vec<BodyContact>,
    resting: Vec<[BodyId; 2]>,
    overlapping: Vec<Pair>,
    step: u64,
    time: f64,
    last_step: f64,
}

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
/// while world.touches().is_empty() {
///     world.step(1.0 / 60.0)?;
/// }
/// let touch = &world.touches()[0];
/// assert_eq!((touch.a, touch.b), (ground, ball));
/// assert!((world.time() - (2.0f64 * 0.5 / 9.81).sqrt()).abs() < 1.0 / 60.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct World {
    pub(crate) settings: Settings,
    pub(crate) now: WorldView,
    free: Vec<u32>,
    pub(crate) publisher: Option<Publisher>,
    /// The surfaces swept by soft bodies and by bodies near them, by place; in continuous detection.
    pub(crate) ways: Vec<WayAt>,
    pub(crate) states: Vec<PairState>,
    /// By place: the body was removed or placed since pairs were last followed, so that their caches are void.
    /// Empty if there is no such body.
    pub(crate) forgotten: Vec<bool>,
    /// Room that is used again in each step.
    pub(crate) states_before: Vec<PairState>,
    pub(crate) shares: Vec<PairResults>,
    pub(crate) plan: StepPlan,
    pub(crate) touches: Vec<BodyContact>,
    /// The pairs in contact after the last step.
    pub(crate) resting: Vec<[BodyId; 2]>,
    pub(crate) unproven: Vec<[BodyId; 2]>,
    /// The unproven pairs that a deadline cut.
    pub(crate) cut: Vec<[BodyId; 2]>,
    /// Length of the last step in seconds; 0 if no time passed.
    pub(crate) last_step: f64,
    /// Seconds a pair that a step under a deadline took last from the end of its search to its own.
    pub(crate) closing: Option<f64>,
    /// Names from before the last `restore` are of lower generations.
    least_generation: u32,
    pub(crate) events: Events,
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
        finite("gravity", settings.gravity)?;
        at_least_zero("margin", settings.margin)?;
        Ok(Self {
            settings,
            now: WorldView::empty(settings.broad_phase),
            free: Vec::new(),
            publisher: None,
            ways: Vec::new(),
            states: Vec::new(),
            forgotten: Vec::new(),
            states_before: Vec::new(),
            shares: Vec::new(),
            plan: StepPlan::default(),
            touches: Vec::new(),
            resting: Vec::new(),
            unproven: Vec::new(),
            cut: Vec::new(),
            last_step: 0.0,
            closing: None,
            least_generation: 0,
            events: Events::default(),
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
        check(&body)?;
        // Prepared here, so that neither a step nor a query pays for the first contact of a mesh.
        body.shape.prepare_contacts();
        let index = self.free.last().copied().unwrap_or(self.now.slots.len() as u32);
        self.now.boxes.insert(index, &self.bounds_of(&body), body.filter())?;
        if self.free.pop().is_none() {
            if self.now.slots.len() == self.now.slots.capacity() {
                // Slots are large: room for a thirty-second more, not for as many again.
                self.now.slots.reserve_exact(16 + self.now.slots.len() / 32);
            }
            self.now.slots.push(Slot::default());
        }
        let slot = &mut self.now.slots[index as usize];
        slot.body = Some(body);
        Ok(BodyId { index, generation: slot.generation })
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
        self.now.boxes.remove(id.index)?;
        self.forget(id.index);
        let slot = &mut self.now.slots[id.index()];
        slot.generation = slot.generation.wrapping_add(1).max(self.least_generation);
        self.free.push(id.index);
        slot.body.take().ok_or(WorldError::NoSuchBody { id })
    }

    /// Moves a body to another pose, with other velocities. No contact in between is found.
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// use heurt_shape::Convex;
    /// use heurt_world::{Body, Settings, World};
    /// let mut world = World::new(Settings { gravity: Vec3::ZERO, ..Settings::default() })?;
    /// let ball = world.insert(Body::kinematic(Convex::sphere(0.5)?, Pose::IDENTITY))?;
    /// world.place(ball, Pose::from_translation(Vec3::Z * 5.0)?, Vec3::X, Vec3::ZERO)?;
    /// world.step(0.5)?;
    /// assert_eq!(world.body(ball).map(|body| body.pose.translation()), Some(Vec3::new(0.5, 0.0, 5.0)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`], [`WorldError::Number`], [`WorldError::Broad`]; the body is then where it was.
    pub fn place(&mut self, id: BodyId, pose: Pose, velocity: Vec3, angular_velocity: Vec3) -> Result<(), WorldError> {
        finite("velocity", velocity)?;
        finite("angular_velocity", angular_velocity)?;
        near(&pose)?;
        let body = self.body(id).ok_or(WorldError::NoSuchBody { id })?;
        let bounds = grown(&body.shape.bounds_at(&pose), self.settings.margin);
        self.now.boxes.update(&[heurt_broad::Move { id: id.index, bounds }])?;
        // The move is no motion: nothing is swept between the two poses.
        self.forget(id.index);
        if let Some(body) = &mut self.now.slots[id.index()].body {
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
        let filter = heurt_broad::Filter { group, mask, ..body.filter() };
        self.now.boxes.set_filter(id.index, filter)?;
        if let Some(body) = &mut self.now.slots[id.index()].body {
            (body.group, body.mask) = (group, mask);
        }
        Ok(())
    }

    /// Returns the bodies as they are placed, with the queries of all of them.
    pub fn now(&self) -> &WorldView {
        &self.now
    }

    /// Returns a body; `None` if it was removed.
    pub fn body(&self, id: BodyId) -> Option<&Body> {
        self.now.body(id)
    }

    /// Lists all bodies, by their places.
    pub fn bodies(&self) -> impl Iterator<Item = (BodyId, &Body)> {
        self.now.bodies()
    }

    /// Returns the number of bodies.
    pub fn len(&self) -> usize {
        self.now.slots.len() - self.free.len()
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
        self.now.time
    }

    /// Returns the number of steps taken.
    pub fn steps(&self) -> u64 {
        self.now.step
    }

    /// Lists the contacts after the last step, by the places of the bodies.
    pub fn touches(&self) -> &[BodyContact] {
        &self.touches
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
        &self.events
    }

    /// Lists the pairs that may have touched in the last step, as their boxes meet. A deadline left them undecided, or
    /// cut them short; contacts found by then are among the touches. Or no bound decides their motion in between
    /// ([`Detection::Continuous`]); their contact at the end of the step is reported.
    pub fn unproven(&self) -> &[[BodyId; 2]] {
        &self.unproven
    }

    /// Returns counts of the broad phase.
    pub fn broad_phase(&self) -> BroadPhaseStats {
        self.now.boxes.stats()
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
        let mut energy = Energy { kinetic: 0.0, potential: 0.0 };
        for (_, body) in self.bodies() {
            let Kind::Dynamic(mass) = &body.kind else { continue };
            let centre = body.centre_of_mass();
            let (velocity, rate) = (body.velocity_at(centre), body.angular_velocity);
            let spin = rate.dot(inertia_at(&body.pose, mass) * rate);
            energy.kinetic += 0.5 * (mass.mass * velocity.length_squared() + spin);
            energy.potential -= mass.mass * self.settings.gravity.dot(centre);
        }
        energy
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
        let mut sums = [Vec3::ZERO; 2];
        for (_, body) in self.bodies() {
            let Kind::Dynamic(mass) = &body.kind else { continue };
            let centre = body.centre_of_mass();
            let momentum = body.velocity_at(centre) * mass.mass;
            sums[0] += momentum;
            sums[1] += centre.cross(momentum) + inertia_at(&body.pose, mass) * body.angular_velocity;
        }
        sums
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
        let mut hash = StateHash::new().bits(self.now.step).number(self.now.time);
        for (id, body) in self.bodies() {
            hash = hash.bits(id.bits());
            hash = hash.pose(&body.pose).vector(body.velocity).vector(body.angular_velocity);
            if let (Kind::Soft(_), Shape::Mesh(mesh)) = (&body.kind, &body.shape) {
                hash = mesh.mesh().vertices().iter().copied().fold(hash, StateHash::vector);
            }
        }
        for touch in &self.touches {
            hash = [touch.a, touch.b].into_iter().fold(hash, |hash, id| hash.bits(id.bits()));
            let points = touch.contact.as_ref().map(|contact| &contact.points);
            hash = hash.bits(points.map_or(u64::MAX, |points| points.len() as u64));
            hash = points
                .into_iter()
                .flatten()
                .fold(hash, |hash, point| hash.vector(point.point).vector(point.normal).number(point.separation));
            hash = hash.number(touch.impact.map_or(-1.0, |impact| impact.time));
        }
        hash.finish()
    }

    /// Copies the state, to be restored.
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// use heurt_shape::Convex;
    /// use heurt_world::{Body, Settings, World};
    /// let mut world = World::new(Settings::default())?;
    /// let ball = Body { velocity: Vec3::X, ..Body::kinematic(Convex::sphere(0.5)?, Pose::IDENTITY) };
    /// world.insert(ball)?;
    /// let before = world.snapshot();
    /// world.step(0.5)?;
    /// let after = world.state_hash();
    /// world.restore(&before)?;
    /// world.step(0.5)?;
    /// assert_eq!(world.state_hash(), after, "the same future, bit for bit");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn snapshot(&self) -> Snapshot {
        let Self { now: WorldView { slots, step, time, .. }, free, touches, resting, .. } = self;
        let overlapping = self.states.iter().filter(|state| state.is_overlapping && self.remembers(state));
        let overlapping = overlapping.map(|state| state.pair).collect();
        let (slots, free, touches, resting) = (slots.clone(), free.clone(), touches.clone(), resting.clone());
        let last_step = self.last_step;
        Snapshot { slots, free, touches, resting, overlapping, step: *step, time: *time, last_step }
    }

    /// Restores a state of this world: the steps that follow are the same, bit for bit. Bodies inserted since are
    /// gone, and their names are void.
    ///
    /// # Errors
    /// [`WorldError::Broad`] if the state is of another world that the broad phase cannot hold; the world is then as it
    /// was.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), WorldError> {
        let mut boxes = self.settings.broad_phase.create();
        let bodies = snapshot.slots.iter().zip(0..).filter_map(|(slot, index)| slot.body.as_ref().zip(Some(index)));
        for (body, index) in bodies {
            boxes.insert(index, &self.bounds_of(body), body.filter())?;
        }
        let Snapshot { mut slots, mut free, touches, resting, overlapping, step, time, last_step } = snapshot.clone();
        for (index, now) in self.now.slots.iter().enumerate() {
            match slots.get_mut(index) {
                Some(Slot { body: Some(_), .. }) => {}
                // A place that was free may have had a body since.
                Some(slot) => slot.generation = slot.generation.max(now.generation.wrapping_add(1)),
                None => {
                    slots.push(Slot { generation: now.generation.wrapping_add(1), body: None });
                    free.insert(0, index as u32);
                }
            }
        }
        let states = overlapping.into_iter().map(|pair| PairState::new(pair, true)).collect();
        let generations = self.now.slots.iter().map(|slot| slot.generation.wrapping_add(1));
        self.least_generation = generations.fold(self.least_generation, u32::max);
        self.now = WorldView { slots, boxes, step, time };
        self.last_step = last_step;
        (self.free, self.states, self.touches, self.resting) = (free, states, touches, resting);
        (self.unproven, self.cut, self.events) = (Vec::new(), Vec::new(), Events::default());
        self.ways.clear();
        self.forgotten.clear();
        self.publish_anew();
        Ok(())
    }

    pub(crate) fn free_bytes(&self) -> usize {
        self.free.capacity() * size_of::<u32>()
    }

    /// Marks the caches of all pairs of a body as void. They are dropped when pairs are next followed: a search
    /// through all pairs for each body would cost too much.
    fn forget(&mut self, index: u32) {
        let place = index as usize;
        if self.forgotten.len() <= place {
            self.forgotten.resize(self.now.slots.len().max(place + 1), false);
        }
        self.forgotten[place] = true;
        if let Some(way) = self.ways.get_mut(place) {
            *way = None;
        }
    }

    /// Reports whether the cache of a pair is of the two bodies that are there now, and of their poses.
    pub(crate) fn remembers(&self, state: &PairState) -> bool {
        let is_forgotten = |place: u32| self.forgotten.get(place as usize) == Some(&true);
        !is_forgotten(state.pair.a) && !is_forgotten(state.pair.b)
    }

    pub(crate) fn bounds_of(&self, body: &Body) -> heurt_geometry::Aabb {
        grown(&body.shape.bounds_at(&body.pose), self.settings.margin)
    }
}

/// A box grown by half the margin, rounded up: two such boxes meet if the bodies are within the margin.
pub(crate) fn grown(bounds: &heurt_geometry::Aabb, margin: f64) -> heurt_geometry::Aabb {
    if margin == 0.0 {
        return *bounds;
    }
    let by = 0.5 * margin * (1.0 + 8.0 * f64::EPSILON);
    let room = |v: Vec3| (v.abs() + by) * (2.0 * f64::EPSILON);
    heurt_geometry::Aabb { min: bounds.min - by - room(bounds.min), max: bounds.max + by + room(bounds.max) }
}

fn check(body: &Body) -> Result<(), WorldError> {
    finite("velocity", body.velocity)?;
    finite("angular_velocity", body.angular_velocity)?;
    near(&body.pose)?;
    at_least_zero("friction", body.friction)?;
    if !(0.0..=1.0).contains(&body.restitution) {
        return Err(WorldError::Number {
            field: "restitution",
            value: body.restitution,
            legal: "a number from 0 to 1",
        });
    }
    if let Kind::Dynamic(mass) = &body.kind {
        mass.check()?;
    }
    if let Kind::Soft(deformation) = &body.kind {
        let Shape::Mesh(mesh) = &body.shape else { return Err(WorldError::NotSoft) };
        if deformation.len() != mesh.mesh().vertices().len() {
            return Err(WorldError::NotSoft);
        }
        deformation.check()?;
    }
    Ok(())
}

pub(crate) fn finite(field: &'static str, value: Vec3) -> Result<(), WorldError> {
    match value.to_array().into_iter().find(|x| !x.is_finite()) {
        Some(value) => Err(WorldError::Number { field, value, legal: "finite numbers" }),
        None => Ok(()),
    }
}

pub(crate) fn near(pose: &Pose) -> Result<(), WorldError> {
    match pose.translation().to_array().into_iter().find(|x| x.abs() > FARTHEST) {
        Some(value) => Err(WorldError::Number { field: "translation", value, legal: "numbers within ±1e150" }),
        None => Ok(()),
    }
}

pub(crate) fn at_least_zero(field: &'static str, value: f64) -> Result<(), WorldError> {
    match value >= 0.0 && value.is_finite() {
        true => Ok(()),
        false => Err(WorldError::Number { field, value, legal: "a finite number of at least 0" }),
    }
}
