//! Records of a world to which bodies come and from which they go: what was done to it, and the hash of the state after
//! each step, so that it can be done again and compared.
//!
//! In → out: calls of a [`Recorder`], which passes them on to its [`World`]; text, a line for each call. [`replay`]
//! makes the calls again.
//! Method: every number is written with as many digits as give the same bits again. Shapes and kinds are not in the
//! record: each body is inserted with a number of the caller's choice, its *model*, and who replays gives the body of a
//! model; its pose, motion and groups then are in the record.
//! Guarantees: text is given out by whole steps ([`Recorder::take`]); what follows the last whole step of a record, a
//! line that was cut included, is passed over. A replay does what was done in the same order, and names the first step
//! after which the hash is another. Not recorded: deadlines (what they cut depends on a clock), [`World::detect`],
//! going back to a snapshot. Cost: linear in the calls.

use crate::body::{Body, BodyId};
use crate::error::WorldError;
use crate::recorded_joint::write_joint;
use crate::response::joints::{JointDesign, JointId, WorldJoint};
use crate::response::{ImpactRule, Response};
use crate::settings::{Detection, Settings};
use crate::step::StepReport;
use crate::world::World;
use heurt_geometry::{Mat3, Pose, Vec3};
use heurt_rigid::{JointKind, JointSpring, Motor, PositionMotor};
use std::str::{FromStr, SplitAsciiWhitespace};
use thiserror::Error;

/// The first line of each record.
const TITLE: &str = "heurt world record 1";

/// A world and what is done to it, to be replayed.
///
/// ```
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_shape::Convex;
/// use heurt_world::{Body, Recorder, Settings, replay};
/// let ball = Body::kinematic(Convex::sphere(0.5)?, Pose::IDENTITY);
/// let mut recorder = Recorder::new(Settings::default())?;
/// recorder.insert(7, Body { velocity: Vec3::X, ..ball.clone() })?;
/// let mut text = String::new();
/// for _ in 0..3 {
///     recorder.step(0.1)?;
///     text += &recorder.take(); // to be appended to a file
/// }
/// let again = replay(&text, |model| (model == 7).then(|| ball.clone()))?;
/// assert_eq!((again.steps, again.differs), (3, None));
/// assert_eq!(again.world.state_hash(), recorder.world().state_hash());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Recorder {
    world: World,
    /// Text that was not taken yet.
    lines: String,
    /// How many bytes of it are of whole steps.
    whole: usize,
}

impl Recorder {
    /// An empty world, and a record that begins with its settings.
    ///
    /// # Errors
    /// As [`World::new`].
    pub fn new(settings: Settings) -> Result<Self, WorldError> {
        let Settings { gravity, broad_phase, detection, margin, response, impact_rule, sleep, .. } = settings;
        let Settings { restitution_threshold, penalty_stiffness, .. } = settings;
        let world = World::new(settings)?;
        let (gravity, broad_phase) = (vector(gravity), broad_phase.name());
        let mut lines = format!("{TITLE}\nworld {gravity} {broad_phase} {} {margin:?}", word(detection));
        if response != Response::None {
            lines += &format!(" {} {}", response.name(), impact_rule.name());
            if !sleep {
                lines += " sleepless";
            }
            if let Some(threshold) = restitution_threshold {
                lines += &format!(" rebound {threshold:?}");
            }
            if let Some(stiffness) = penalty_stiffness {
                lines += &format!(" stiffness {stiffness:?}");
            }
        }
        lines.push('\n');
        let whole = lines.len();
        Ok(Self { world, lines, whole })
    }

    /// The world as it is placed.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Gives up the record, and goes on without one.
    pub fn into_world(self) -> World {
        self.world
    }

    /// [`World::insert`]; `model` is the number by which a replay requests a body of this shape and kind.
    ///
    /// # Errors
    /// As [`World::insert`]; nothing is recorded then.
    pub fn insert(&mut self, model: u64, body: Body) -> Result<BodyId, WorldError> {
        let moves = [pose(&body.pose), vector(body.velocity), vector(body.angular_velocity)].join(" ");
        let Body { restitution, friction, group, mask, .. } = body;
        let id = self.world.insert(body)?;
        self.note(&format!("insert {model} {} {moves} {restitution:?} {friction:?} {group} {mask}", name(id)));
        Ok(id)
    }

    /// [`World::remove`].
    ///
    /// # Errors
    /// As [`World::remove`]; nothing is recorded then.
    pub fn remove(&mut self, id: BodyId) -> Result<Body, WorldError> {
        let body = self.world.remove(id)?;
        self.note(&format!("remove {}", name(id)));
        Ok(body)
    }

    /// [`World::set_state`].
    ///
    /// # Errors
    /// As [`World::set_state`]; nothing is recorded then.
    pub fn set_state(
        &mut self,
        id: BodyId,
        at: Pose,
        velocity: Vec3,
        angular_velocity: Vec3,
    ) -> Result<(), WorldError> {
        self.world.set_state(id, at, velocity, angular_velocity)?;
        let moves = [pose(&at), vector(velocity), vector(angular_velocity)].join(" ");
        self.note(&format!("place {} {moves}", name(id)));
        Ok(())
    }

    /// [`World::set_filter`].
    ///
    /// # Errors
    /// As [`World::set_filter`]; nothing is recorded then.
    pub fn set_filter(&mut self, id: BodyId, group: u32, mask: u32) -> Result<(), WorldError> {
        self.world.set_filter(id, group, mask)?;
        self.note(&format!("filter {} {group} {mask}", name(id)));
        Ok(())
    }

    /// [`World::apply_force`].
    ///
    /// # Errors
    /// As [`World::apply_force`]; nothing is recorded then.
    pub fn apply_force(&mut self, id: BodyId, force: Vec3, at: Option<Vec3>) -> Result<(), WorldError> {
        self.world.apply_force(id, force, at)?;
        self.note_push("force", id, force, at);
        Ok(())
    }

    /// [`World::apply_torque`].
    ///
    /// # Errors
    /// As [`World::apply_torque`]; nothing is recorded then.
    pub fn apply_torque(&mut self, id: BodyId, torque: Vec3) -> Result<(), WorldError> {
        self.world.apply_torque(id, torque)?;
        self.note_push("torque", id, torque, None);
        Ok(())
    }

    /// [`World::apply_impulse`].
    ///
    /// # Errors
    /// As [`World::apply_impulse`]; nothing is recorded then.
    pub fn apply_impulse(&mut self, id: BodyId, impulse: Vec3, at: Option<Vec3>) -> Result<(), WorldError> {
        self.world.apply_impulse(id, impulse, at)?;
        self.note_push("impulse", id, impulse, at);
        Ok(())
    }

    /// [`World::apply_angular_impulse`].
    ///
    /// # Errors
    /// As [`World::apply_angular_impulse`]; nothing is recorded then.
    pub fn apply_angular_impulse(&mut self, id: BodyId, impulse: Vec3) -> Result<(), WorldError> {
        self.world.apply_angular_impulse(id, impulse)?;
        self.note_push("angular-impulse", id, impulse, None);
        Ok(())
    }

    /// [`World::deform`].
    ///
    /// # Errors
    /// As [`World::deform`]; nothing is recorded then.
    pub fn deform(&mut self, id: BodyId, vertices: &[Vec3]) -> Result<(), WorldError> {
        self.world.deform(id, vertices)?;
        let places: Vec<String> = vertices.iter().copied().map(vector).collect();
        self.note(&format!("deform {} {}", name(id), places.join(" ")));
        Ok(())
    }

    /// [`World::deform_moved`].
    ///
    /// # Errors
    /// As [`World::deform_moved`]; nothing is recorded then.
    pub fn deform_moved(&mut self, id: BodyId, moved: &[u32], places: &[Vec3]) -> Result<(), WorldError> {
        self.world.deform_moved(id, moved, places)?;
        let places = moved.iter().zip(places).map(|(vertex, place)| format!(" {vertex} {}", vector(*place)));
        self.note(&format!("deform-moved {}{}", name(id), places.collect::<String>()));
        Ok(())
    }

    /// Notes a force or an impulse, at a point if it has one.
    fn note_push(&mut self, call: &str, id: BodyId, push: Vec3, at: Option<Vec3>) {
        let at = at.map_or(String::new(), |at| format!(" {}", vector(at)));
        self.note(&format!("{call} {} {}{at}", name(id), vector(push)));
    }

    /// [`World::insert_joint`].
    ///
    /// # Errors
    /// As [`World::insert_joint`]; nothing is recorded then.
    pub fn insert_joint(&mut self, design: &JointDesign) -> Result<JointId, WorldError> {
        let id = self.world.insert_joint(design)?;
        self.note(&format!("joint {}", write_joint(design)));
        Ok(id)
    }

    /// [`World::remove_joint`].
    ///
    /// # Errors
    /// As [`World::remove_joint`]; nothing is recorded then.
    pub fn remove_joint(&mut self, id: JointId) -> Result<WorldJoint, WorldError> {
        let joint = self.world.remove_joint(id)?;
        self.note(&format!("unjoin {}", id.index()));
        Ok(joint)
    }

    /// [`World::step`], with the hash of the state that it leads to.
    ///
    /// # Errors
    /// As [`World::step`]; nothing is recorded then.
    pub fn step(&mut self, dt: f64) -> Result<StepReport, WorldError> {
        let report = self.world.step(dt)?;
        self.note(&format!("step {dt:?} {:016x}", self.world.state_hash()));
        self.whole = self.lines.len();
        Ok(report)
    }

    /// Takes what was recorded since it was last taken, as far as the last step. All that was taken, in its order, is
    /// the record.
    pub fn take(&mut self) -> String {
        let begun = self.lines.split_off(self.whole);
        self.whole = 0;
        std::mem::replace(&mut self.lines, begun)
    }

    fn note(&mut self, line: &str) {
        self.lines.push_str(line);
        self.lines.push('\n');
    }
}

/// The result of a replay.
#[derive(Debug)]
pub struct Replayed {
    /// After the last step, or after the first that differs.
    pub world: World,
    /// How many were taken.
    pub steps: u64,
    /// The first step that led to another state than then.
    pub differs: Option<Differs>,
}

/// A step that led to another state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Differs {
    /// Which, from 1.
    pub step: u64,
    /// The hash in the record.
    pub recorded: u64,
    /// The hash now.
    pub found: u64,
}

/// Why a record cannot be replayed.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// Another text.
    #[error("not a record of a world: one begins with the line `{}`, as `Recorder` writes it", TITLE)]
    NotARecord,
    /// A line that no recorder wrote.
    #[error("line {line} of the record: {reason}")]
    Line {
        /// From 1.
        line: usize,
        /// The fault.
        reason: &'static str,
    },
    /// A body that is not known.
    #[error(
        "line {line} of the record: there is no body of model {model}: give the one that was recorded with this number"
    )]
    NoModel {
        /// From 1.
        line: usize,
        /// The number it was inserted with.
        model: u64,
    },
    /// The world does not take what it took then.
    #[error("line {line} of the record: the world refuses it now")]
    World {
        /// From 1.
        line: usize,
        /// Why.
        source: WorldError,
    },
}

/// Does again what a record states, in a new world, as long as each step leads to the state that it led to then.
/// `body_of` gives a body of the shape and the kind that was inserted with a number; its pose, motion and groups are as
/// recorded.
///
/// # Errors
/// [`ReplayError`].
pub fn replay(record: &str, mut body_of: impl FnMut(u64) -> Option<Body>) -> Result<Replayed, ReplayError> {
    let lines = record.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
    let mut lines: Vec<&str> = lines.collect();
    if lines.first() != Some(&TITLE) {
        return Err(ReplayError::NotARecord);
    }
    let last_step = lines.iter().rposition(|line| line.starts_with("step "));
    lines.truncate(last_step.map_or(2, |last| last + 1));
    let settings = Line::of(&lines, 1).and_then(Line::settings)?;
    let refuse = |line: usize| move |source| ReplayError::World { line, source };
    let mut world = World::new(settings).map_err(refuse(2))?;
    let mut steps = 0;
    for index in 2..lines.len() {
        let mut line = Line::of(&lines, index)?;
        let number = line.number;
        match line.next()? {
            "insert" => line.insert(&mut world, &mut body_of)?,
            "remove" => {
                let id = line.id()?;
                world.remove(id).map(drop).map_err(refuse(number))?;
            }
            "place" => {
                let (id, at, velocity, angular_velocity) = (line.id()?, line.pose()?, line.vector()?, line.vector()?);
                world.set_state(id, at, velocity, angular_velocity).map_err(refuse(number))?;
            }
            "filter" => {
                let (id, group, mask) = (line.id()?, line.value()?, line.value()?);
                world.set_filter(id, group, mask).map_err(refuse(number))?;
            }
            push @ ("force" | "torque" | "impulse" | "angular-impulse") => {
                let (id, vector, at) = (line.id()?, line.vector()?, line.optional(Line::vector)?);
                let pushed = match push {
                    "force" => world.apply_force(id, vector, at),
                    "torque" => world.apply_torque(id, vector),
                    "impulse" => world.apply_impulse(id, vector, at),
                    _ => world.apply_angular_impulse(id, vector),
                };
                pushed.map_err(refuse(number))?;
            }
            "deform" => {
                let (id, vertices) = (line.id()?, line.all(Line::vector)?);
                world.deform(id, &vertices).map_err(refuse(number))?;
            }
            "deform-moved" => {
                let (id, places) = (line.id()?, line.all(|line| Ok((line.value::<u32>()?, line.vector()?)))?);
                let (moved, places): (Vec<_>, Vec<_>) = places.into_iter().unzip();
                world.deform_moved(id, &moved, &places).map_err(refuse(number))?;
            }
            "joint" => {
                let design = line.joint()?;
                world.insert_joint(&design).map_err(refuse(number))?;
            }
            "unjoin" => {
                let id = JointId { index: line.value()? };
                world.remove_joint(id).map_err(refuse(number))?;
            }
            "step" => {
                let (dt, recorded) = (line.value()?, line.hash()?);
                world.step(dt).map_err(refuse(number))?;
                steps += 1;
                let found = world.state_hash();
                if found != recorded {
                    return Ok(Replayed { world, steps, differs: Some(Differs { step: steps, recorded, found }) });
                }
            }
            _ => return Err(line.wrong("no call of this name")),
        }
        line.end()?;
    }
    Ok(Replayed { world, steps, differs: None })
}

/// The words of a line that were not read yet.
struct Line<'t> {
    /// From 1.
    number: usize,
    words: SplitAsciiWhitespace<'t>,
}

impl<'t> Line<'t> {
    fn of(lines: &[&'t str], index: usize) -> Result<Self, ReplayError> {
        let number = index + 1;
        let text = lines.get(index).ok_or(ReplayError::Line { line: number, reason: "it is missing" })?;
        Ok(Self { number, words: text.split_ascii_whitespace() })
    }

    fn wrong(&self, reason: &'static str) -> ReplayError {
        ReplayError::Line { line: self.number, reason }
    }

    fn next(&mut self) -> Result<&'t str, ReplayError> {
        self.words.next().ok_or(self.wrong("it has too few words"))
    }

    fn value<T: FromStr>(&mut self) -> Result<T, ReplayError> {
        let word = self.next()?;
        word.parse().map_err(|_| self.wrong("a word is not what is due there"))
    }

    /// Reads what follows, if anything does.
    fn optional<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, ReplayError>,
    ) -> Result<Option<T>, ReplayError> {
        if self.words.clone().next().is_none() { Ok(None) } else { read(self).map(Some) }
    }

    /// Reads items to the end of the line.
    fn all<T>(&mut self, mut read: impl FnMut(&mut Self) -> Result<T, ReplayError>) -> Result<Vec<T>, ReplayError> {
        let mut items = Vec::new();
        while self.words.clone().next().is_some() {
            items.push(read(self)?);
        }
        Ok(items)
    }

    /// Reads what follows, or the dash for nothing.
    fn or_dash<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, ReplayError>) -> Result<Option<T>, ReplayError> {
        if self.words.clone().next() == Some("-") {
            self.words.next();
            return Ok(None);
        }
        read(self).map(Some)
    }

    fn pair(&mut self) -> Result<[f64; 2], ReplayError> {
        Ok([self.value()?, self.value()?])
    }

    fn joint(&mut self) -> Result<JointDesign, ReplayError> {
        let name = self.next()?;
        let kind = JointKind::ALL.into_iter().find(|kind| kind.name() == name);
        let kind = kind.ok_or_else(|| self.wrong("the kind of the joint is none"))?;
        let design = JointDesign {
            kind,
            a: self.id()?,
            b: self.or_dash(Self::id)?,
            anchor: self.vector()?,
            anchor_b: self.or_dash(Self::vector)?,
            axis: self.vector()?,
            limits: self.or_dash(Self::pair)?,
            motor: self.or_dash(Self::pair)?.map(|[velocity, max_force]| Motor { velocity, max_force }),
            break_at: self.or_dash(Self::value)?,
            collide: self.value()?,
            ..JointDesign::new(kind, BodyId { index: 0, generation: 0 })
        };
        self.joint_forces(design)
    }

    /// Reads springs, bounds and friction of a joint, which end its line.
    fn joint_forces(&mut self, mut design: JointDesign) -> Result<JointDesign, ReplayError> {
        while let Some(word) = self.words.next() {
            match word {
                "pull" => {
                    let ([position, stiffness], [damping, max_force]) = (self.pair()?, self.pair()?);
                    design.position_motor = Some(PositionMotor { position, stiffness, damping, max_force });
                }
                "spring" => {
                    let ([stiffness, damping], rest) = (self.pair()?, self.or_dash(Self::value)?);
                    design.spring = Some(JointSpring { stiffness, damping, rest });
                }
                "cone" => design.cone = Some(self.value()?),
                "twist" => design.twist = Some(self.pair()?),
                "friction" => design.friction = Some(self.value()?),
                _ => return Err(self.wrong("the last words of the joint are none of a force or a bound")),
            }
        }
        Ok(design)
    }

    fn hash(&mut self) -> Result<u64, ReplayError> {
        let word = self.next()?;
        u64::from_str_radix(word, 16).map_err(|_| self.wrong("the hash is none"))
    }

    fn vector(&mut self) -> Result<Vec3, ReplayError> {
        Ok(Vec3::new(self.value()?, self.value()?, self.value()?))
    }

    fn pose(&mut self) -> Result<Pose, ReplayError> {
        let rotation = Mat3::from_cols(self.vector()?, self.vector()?, self.vector()?);
        Pose::from_matrix(rotation, self.vector()?).map_err(|_| self.wrong("the pose is none"))
    }

    fn id(&mut self) -> Result<BodyId, ReplayError> {
        Ok(BodyId { index: self.value()?, generation: self.value()? })
    }

    fn end(mut self) -> Result<(), ReplayError> {
        if self.words.next().is_none() { Ok(()) } else { Err(self.wrong("it has too many words")) }
    }

    fn settings(mut self) -> Result<Settings, ReplayError> {
        if self.next()? != "world" {
            return Err(self.wrong("the settings of the world are due here"));
        }
        let (gravity, broad_phase) = (self.vector()?, self.value()?);
        let detection = match self.next()? {
            found if found == word(Detection::Discrete) => Detection::Discrete,
            found if found == word(Detection::Continuous) => Detection::Continuous,
            _ => return Err(self.wrong("the detection is none")),
        };
        let margin = self.value()?;
        let mut settings = Settings { gravity, broad_phase, detection, margin, ..Settings::default() };
        // Worlds without a response end here.
        if let Some(name) = self.words.next() {
            let response = Response::ALL.into_iter().find(|response| response.name() == name);
            settings.response = response.ok_or_else(|| self.wrong("the response is none"))?;
            let name = self.next()?;
            let rule = ImpactRule::ALL.into_iter().find(|rule| rule.name() == name);
            settings.impact_rule = rule.ok_or_else(|| self.wrong("the rule of impacts is none"))?;
            while let Some(word) = self.words.next() {
                match word {
                    "sleepless" => settings.sleep = false,
                    "rebound" => settings.restitution_threshold = Some(self.value()?),
                    "stiffness" => settings.penalty_stiffness = Some(self.value()?),
                    _ => {
                        let legal = "the last words of the settings are none of `sleepless`, `rebound`, `stiffness`";
                        return Err(self.wrong(legal));
                    }
                }
            }
        }
        self.end()?;
        Ok(settings)
    }

    fn insert(&mut self, world: &mut World, body_of: &mut impl FnMut(u64) -> Option<Body>) -> Result<(), ReplayError> {
        let (model, id) = (self.value()?, self.id()?);
        let body = body_of(model).ok_or(ReplayError::NoModel { line: self.number, model })?;
        let body = Body {
            pose: self.pose()?,
            velocity: self.vector()?,
            angular_velocity: self.vector()?,
            restitution: self.value()?,
            friction: self.value()?,
            group: self.value()?,
            mask: self.value()?,
            ..body
        };
        let now = world.insert(body).map_err(|source| ReplayError::World { line: self.number, source })?;
        if now == id { Ok(()) } else { Err(self.wrong("the body has another name now")) }
    }
}

fn word(detection: Detection) -> &'static str {
    match detection {
        Detection::Discrete => "discrete",
        Detection::Continuous => "continuous",
    }
}

pub(crate) fn name(id: BodyId) -> String {
    format!("{} {}", id.index, id.generation)
}

pub(crate) fn vector(v: Vec3) -> String {
    format!("{:?} {:?} {:?}", v.x, v.y, v.z)
}

fn pose(pose: &Pose) -> String {
    let rotation = pose.rotation();
    [rotation.x_axis, rotation.y_axis, rotation.z_axis, pose.translation()].map(vector).join(" ")
}
