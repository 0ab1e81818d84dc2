//! Scenes: from text to bodies; each fault has its line.
//!
//! In: TOML as `docs/scenes.md` describes, and the folder that its paths begin from. Out: [`Scene`], from which a world
//! is made. Bodies of the experiment of S2 §7 come from `surgery`.
//! Guarantees: unknown keys are faults, and so are features that are not available. Two bodies never share a name. Two
//! bodies that touch never do so without end, so that each contact has a depth.

use super::surgery;
use crate::description::fields;
use crate::description::fields::{FieldError, Fields};
use crate::description::pose;
use crate::line_map::{Fault, Located};
use crate::output::number as told;
use crate::query::{Store, shape};
use crate::{load, tree_file};
use heurt::broad::BroadPhaseError;
use heurt::geometry::{Mat3, Motion, MotionError, Pose, Vec3};
use heurt::query::contact;
use heurt::shape::{Shape, TreeChoice};
use heurt::world::{
    Body, BroadPhaseKind, Deformation, Detection, FARTHEST, Keyframes, Kind, LONGEST_STEP, MAX_TURN, Mass, MassFault,
    Settings, World, WorldError,
};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bodies that a scene may have in all.
const MAX_BODIES: u64 = 1 << 20;

/// Shortest period of a wave, in seconds: the longest run at the longest steps has a finite number of these.
const SHORTEST_PERIOD: f64 = 1e-100;

/// A world to be built, and the time to simulate.
pub(super) struct Scene {
    pub(super) settings: Settings,
    /// Duration of a step, in seconds.
    pub(super) step: f64,
    pub(super) seconds: f64,
    /// Seconds that a step may take.
    pub(super) deadline: Option<f64>,
    /// The tree files that were read.
    pub(super) trees: Vec<PathBuf>,
    groups: Vec<Group>,
    lines: Located,
}

/// The `[world]` table.
struct Whole {
    settings: Settings,
    step: f64,
    seconds: f64,
    deadline: Option<f64>,
}

impl Scene {
    /// Reads a scene; paths in it begin from `folder`.
    pub(super) fn read(text: &str, folder: &Path, store: &Store) -> Result<Self, Fault> {
        let mut located = Located::parse(text)?;
        let value = located.take();
        let tables = value["body"].as_array().into_iter().flatten();
        let trees = tables.filter_map(|body| body["tree"].as_str()).map(|file| folder.join(file)).collect();
        let (whole, groups) = read(value, folder, store).map_err(|error| located.fault(&error))?;
        let Whole { settings, step, seconds, deadline } = whole;
        Ok(Self { settings, step, seconds, deadline, trees, groups, lines: located })
    }

    /// Makes the world, and the names of its bodies by their places.
    pub(super) fn build(self) -> Result<(World, Vec<String>), Fault> {
        let Self { settings, groups, lines, .. } = self;
        let broad_phase = BroadPhaseKind::name(settings.broad_phase);
        let refuse = |error: WorldError| lines.fault(&FieldError::refused("world", "it", error));
        let mut world = World::new(settings).map_err(refuse)?;
        let mut names = Vec::with_capacity(groups.iter().map(|group| group.count as usize).sum());
        let field_of = |group: &Group| group.table.map_or("surgery".to_owned(), |number| format!("body[{number}]"));
        for group in &groups {
            let field = field_of(group);
            for copy in 0..group.count {
                let refuse =
                    |cause: String| lines.fault(&FieldError::refused(&field, format!("`{}`", group.name), cause));
                let (name, body) = group.copy(copy).map_err(refuse)?;
                let refuse = |error: WorldError| {
                    lines.fault(&match error {
                        WorldError::Broad(BroadPhaseError::IdTooLarge { end, .. }) => {
                            let cause = format!("it takes {end} bodies, and `{name}` is one more: choose another kind");
                            FieldError::refused("world.broad_phase", broad_phase, cause)
                        }
                        error => FieldError::refused(&field, format!("`{name}`"), error),
                    })
                };
                world.insert(body).map_err(refuse)?;
                names.push(name);
            }
        }
        // Finds the contacts at the start of the scene.
        world.refresh_contacts().map_err(|error| match &error {
            WorldError::Crowded { id, .. } => {
                let mut ends = groups.iter().scan(0, |end, group| {
                    *end += group.count as usize;
                    Some((*end, group))
                });
                let group = ends.find(|(end, _)| id.index() < *end);
                let field = group.map_or("world".to_owned(), |(_, group)| field_of(group));
                lines.fault(&FieldError::refused(&field, format!("`{}`", names[id.index()]), error))
            }
            _ => refuse(error),
        })?;
        Ok((world, names))
    }

    /// Returns the bodies whose trees no pair walks: no body that they are tested against has one of the same volume
    /// and degree.
    pub(super) fn unused_trees(&self) -> Vec<String> {
        let with_trees = self.groups.iter().filter_map(|group| group.tree.map(|tree| (group, tree)));
        let with_trees: Vec<(&Group, TreeChoice)> = with_trees.collect();
        let is_walked = |&(one, tree): &(&Group, TreeChoice)| {
            with_trees.iter().any(|&(other, others)| {
                let is_other = !std::ptr::eq(one, other) || one.count > 1;
                let is_like = (tree.volume, tree.degree) == (others.volume, others.degree);
                is_other && is_like && are_tested(&one.first, &other.first)
            })
        };
        let unused = with_trees.iter().filter(|one| !is_walked(one));
        unused.map(|(group, _)| group.name.clone()).collect()
    }

    /// Returns the fault of a simulated time of more than `most` steps.
    pub(super) fn lasts_too_long(&self, most: u64) -> Fault {
        let (seconds, step) = (told(self.seconds), told(self.step));
        let cause = format!("{seconds} s in steps of {step} s are more than {most} steps");
        // If the scene does not set `seconds`, its `step` is the cause.
        self.lines.fault(&match self.lines.has("world.seconds") {
            true => FieldError::refused("world.seconds", seconds, format!("{cause}: take longer steps, or less time")),
            false => FieldError::refused("world.step", step, format!("{cause}: take longer ones")),
        })
    }
}

/// Reads the world and its bodies.
fn read(value: Value, folder: &Path, store: &Store) -> Result<(Whole, Vec<Group>), FieldError> {
    let mut fields = Fields::open("", value)?;
    fields.only(&[&["world", "surgery", "body"]])?;
    let whole = fields.optional("world", whole)?.unwrap_or_default();
    let field = fields.optional("surgery", |path, value| surgery::bodies(path, value, whole.step, store))?;
    let read = |path: &str, value: Value| body(path, value, folder, store);
    let groups = fields.optional("body", |path, value| fields::list(path, value, read))?.unwrap_or_default();
    refuse_endless(&groups)?;
    let of_field = field.unwrap_or_default().into_iter().map(|(name, first)| Group::one(name, first));
    let of_field = of_field.map(|group| Group { tree: store.usual_tree(), ..group });
    let mut all: Vec<Group> = of_field.collect();
    let mut names: BTreeSet<String> = all.iter().map(|group| group.name.clone()).collect();
    for (number, group) in groups.into_iter().enumerate() {
        group.check(&format!("body[{number}]"), &whole, &mut names)?;
        all.push(Group { table: Some(number), ..group });
    }
    Ok((whole, all))
}

impl Default for Whole {
    fn default() -> Self {
        let settings = Settings { detection: Detection::Continuous, ..Settings::default() };
        Self { settings, step: 1.0 / 60.0, seconds: 10.0, deadline: None }
    }
}

fn whole(path: &str, value: Value) -> Result<Whole, FieldError> {
    let mut fields = Fields::open(path, value)?;
    fields.only(&[&["gravity", "step", "seconds", "broad_phase", "detection", "response", "deadline", "margin"]])?;
    let mut whole = Whole::default();
    let kinds = BroadPhaseKind::ALL.map(BroadPhaseKind::name);
    if let Some(name) = fields.optional("broad_phase", fields::word(&kinds))? {
        let kind = BroadPhaseKind::ALL.into_iter().find(|kind| kind.name() == name);
        whole.settings.broad_phase = kind.unwrap_or_default();
    }
    if let Some(name) = fields.optional("detection", fields::word(&["discrete", "continuous"]))? {
        let is_discrete = name == "discrete";
        whole.settings.detection = if is_discrete { Detection::Discrete } else { Detection::Continuous };
    }
    fields.optional("response", response)?;
    whole.settings.gravity = fields.optional("gravity", fields::vector)?.unwrap_or(whole.settings.gravity);
    whole.settings.margin = at_most(&mut fields, "margin", fields::not_negative, FARTHEST)?.unwrap_or(0.0);
    whole.step = at_most(&mut fields, "step", fields::positive, LONGEST_STEP)?.unwrap_or(whole.step);
    check_gain(path, whole.settings.gravity, whole.step)?;
    whole.seconds = fields.optional("seconds", fields::not_negative)?.unwrap_or(whole.seconds);
    whole.deadline = fields.optional("deadline", fields::positive)?;
    Ok(whole)
}

/// Reads the response. The two planned responses are known by name, so that a scene for them is refused with the
/// reason.
fn response(path: &str, value: Value) -> Result<(), FieldError> {
    match value.as_str() {
        Some(name @ ("impulse-lcp" | "soft-step")) => {
            let cause = "not available: bodies do not push each other yet, use none or auto";
            Err(FieldError::refused(path, name, cause))
        }
        _ => fields::word(&["none", "auto"])(path, value).map(drop),
    }
}

/// Refuses gravity and steps between which bodies gain a velocity that no motion can have.
fn check_gain(path: &str, gravity: Vec3, step: f64) -> Result<(), FieldError> {
    let gain = |step: f64| Motion::linear(gravity * (0.5 * step));
    let refuse = |error: MotionError| {
        let cause = format!("what bodies gain by gravity in half a step of {} s: {error}", told(step));
        // If the default step works, the step is the cause, otherwise gravity.
        match gain(Whole::default().step) {
            Ok(_) => FieldError::refused(&format!("{path}.step"), told(step), cause),
            Err(_) => FieldError::refused(&format!("{path}.gravity"), format!("{:?}", gravity.to_array()), cause),
        }
    };
    gain(step).map_err(refuse).map(drop)
}

const BODY: &[&str] = &[
    "name",
    "shape",
    "tree",
    "pose",
    "kind",
    "density",
    "mass",
    "inertia",
    "linear_velocity",
    "angular_velocity",
    "restitution",
    "friction",
    "group",
    "mask",
    "count",
    "spacing",
    "motion",
    "deform",
];

/// A body and its copies, each offset by the spacing from the previous one.
struct Group {
    name: String,
    first: Body,
    count: u64,
    spacing: Vec3,
    /// The tree of its mesh, or of the meshes in it, if one is chosen.
    tree: Option<TreeChoice>,
    /// The number of its `[[body]]` table; none for bodies of `[surgery]`.
    table: Option<usize>,
}

impl Group {
    /// Makes a single body.
    fn one(name: String, first: Body) -> Self {
        Self { name, first, count: 1, spacing: Vec3::ZERO, tree: None, table: None }
    }

    /// Refuses bodies from which no world can be made, and names that are in `names` already; adds their names to
    /// `names`.
    fn check(&self, path: &str, whole: &Whole, names: &mut BTreeSet<String>) -> Result<(), FieldError> {
        if (names.len() as u64).saturating_add(self.count) > MAX_BODIES {
            let cause = format!("the scene has more than {MAX_BODIES} bodies");
            return Err(FieldError::refused(&format!("{path}.count"), self.count.to_string(), cause));
        }
        let spin = self.first.angular_velocity;
        let turns = !matches!(self.first.kind, Kind::Static | Kind::Kinematic(Some(_)));
        let is_told = whole.settings.detection == Detection::Discrete || spin.length() * whole.step <= MAX_TURN;
        if turns && !is_told {
            let cause = format!(
                "in a step of {} s it turns by more than {} rad, so that what it meets on its path is not decided: take shorter steps",
                told(whole.step),
                told(MAX_TURN)
            );
            let spin = format!("{:?}", spin.to_array());
            return Err(FieldError::refused(&format!("{path}.angular_velocity"), spin, cause));
        }
        for number in 0..self.count {
            let (name, _) = self.copy(number).map_err(|error| {
                let away = self.spacing * number as f64;
                FieldError::refused(&format!("{path}.spacing"), format!("{:?}", away.to_array()), error)
            })?;
            if let Some(name) = names.replace(name) {
                let cause = "two bodies have this name: give each its own";
                return Err(FieldError::refused(&format!("{path}.name"), name, cause));
            }
        }
        Ok(())
    }

    /// Makes the copy of a number, from 0.
    fn copy(&self, number: u64) -> Result<(String, Body), String> {
        if self.count == 1 {
            return Ok((self.name.clone(), self.first.clone()));
        }
        let pose = self.first.pose.shifted(self.spacing * number as f64).map_err(|error| error.to_string())?;
        if !is_near(&pose) {
            return Err(too_far(&pose));
        }
        Ok((format!("{}#{}", self.name, number + 1), Body { pose, ..self.first.clone() }))
    }
}

/// Reads a body and its number of copies.
fn body(path: &str, value: Value, folder: &Path, store: &Store) -> Result<Group, FieldError> {
    let mut fields = Fields::open(path, value)?;
    fields.only(&[BODY])?;
    let name = fields.required("name", "a name", name)?;
    let request = fields.required("shape", "a shape", shape)?;
    let mut shape = store.shape(&format!("{path}.shape"), &request.below(folder))?;
    let mut tree = store.usual_tree().filter(|_| matches!(shape, Shape::Mesh(_) | Shape::Compound(_)));
    if let Some(file) = fields.optional("tree", fields::text)? {
        let (chosen, choice) = with_tree(&format!("{path}.tree"), &folder.join(file), shape)?;
        (shape, tree) = (chosen, Some(choice));
    }
    let pose = fields.optional("pose", near_pose)?.unwrap_or(Pose::IDENTITY);
    let script = fields.optional("motion", script)?;
    let wave = fields.optional("deform", wave)?;
    let kind = kind(&mut fields, path, &shape, script, wave)?;
    let [velocity, angular_velocity] = velocities(&mut fields, path, &kind)?;
    let pose = match &kind {
        Kind::Kinematic(Some(script)) => script.pose_at(0.0),
        _ => pose,
    };
    let first = Body {
        velocity,
        angular_velocity,
        restitution: at_most(&mut fields, "restitution", fields::not_negative, 1.0)?.unwrap_or(0.5),
        friction: fields.optional("friction", fields::not_negative)?.unwrap_or(0.5),
        group: fields.optional("group", bits)?.unwrap_or(1),
        mask: fields.optional("mask", bits)?.unwrap_or(u32::MAX),
        kind,
        ..Body::fixed(shape, pose)
    };
    Ok(Group { tree, ..copies(&mut fields, path, name, first)? })
}

/// Reads a number that is at most `most`.
fn at_most(
    fields: &mut Fields,
    name: &str,
    read: fn(&str, Value) -> Result<f64, FieldError>,
    most: f64,
) -> Result<Option<f64>, FieldError> {
    let within = |path: &str, value: Value| match read(path, value)? {
        value if value.abs() <= most => Ok(value),
        value => Err(FieldError::refused(path, told(value), format!("give at most {}", told(most)))),
    };
    fields.optional(name, within)
}

/// Reads a pose with coordinates whose squares do not overflow.
fn near_pose(path: &str, value: Value) -> Result<Pose, FieldError> {
    let shown = fields::shown(&value);
    let pose = pose::from_json(path, value)?;
    if is_near(&pose) { Ok(pose) } else { Err(FieldError::refused(path, shown, too_far(&pose))) }
}

fn is_near(pose: &Pose) -> bool {
    pose.translation().abs().max_element() <= FARTHEST
}

fn too_far(pose: &Pose) -> String {
    format!("it leads to {:?}: give places within {} m of the origin", pose.translation().to_array(), told(FARTHEST))
}

/// Reads a name that can be reported on a line.
fn name(path: &str, value: Value) -> Result<String, FieldError> {
    let name = fields::text(path, value.clone())?;
    match name.is_empty() || name.chars().any(char::is_control) {
        true => {
            Err(FieldError::wrong(path, &value, "a name: give at least one character, and none that steers a terminal"))
        }
        false => Ok(name),
    }
}

/// Reads velocities; they are ignored for static bodies and bodies with a script.
fn velocities(fields: &mut Fields, path: &str, kind: &Kind) -> Result<[Vec3; 2], FieldError> {
    let velocity = fields.optional("linear_velocity", fields::vector)?.unwrap_or(Vec3::ZERO);
    let spin = fields.optional("angular_velocity", fields::vector)?.unwrap_or(Vec3::ZERO);
    for (name, v) in [("linear_velocity", velocity), ("angular_velocity", spin)] {
        let refuse = |error| FieldError::refused(&format!("{path}.{name}"), format!("{:?}", v.to_array()), error);
        Motion::linear(v).map_err(refuse)?;
    }
    Ok(match kind {
        Kind::Static => [Vec3::ZERO; 2],
        Kind::Kinematic(Some(script)) => {
            let motion = script.motion_at(0.0);
            [motion.velocity(), motion.angular_velocity()]
        }
        _ => [velocity, spin],
    })
}

/// Refuses shapes without bounds that overlap without end while one of them moves: no contact has a depth then.
fn refuse_endless(groups: &[Group]) -> Result<(), FieldError> {
    let has_no_end = |group: &Group| {
        let bounds = group.first.shape.bounds();
        !(bounds.min.is_finite() && bounds.max.is_finite())
    };
    let endless: Vec<(usize, &Group)> = groups.iter().enumerate().filter(|(_, group)| has_no_end(group)).collect();
    for (place, (number, group)) in endless.iter().enumerate() {
        // Copies have equal orientations: a copy relates to the next one as the body relates to itself.
        let earlier = &endless[..place + usize::from(group.count > 1)];
        let other = earlier.iter().find(|(_, other)| is_endless_in(&other.first, &group.first));
        if let Some((_, other)) = other {
            let cause = format!(
                "it and `{}` have no bounds, and no contact has a depth: keep them apart by `group` \
                 and `mask`, make both static, or let their normals face each other and neither turn",
                other.name
            );
            return Err(FieldError::refused(&format!("body[{number}].shape"), "the shape", cause));
        }
    }
    Ok(())
}

/// Reports whether two bodies without bounds are tested against each other and may have no depth in each other.
fn is_endless_in(a: &Body, b: &Body) -> bool {
    let turns = |body: &Body| match &body.kind {
        Kind::Static => false,
        Kind::Kinematic(Some(script)) => {
            let mut poses = script.keys_between(f64::NEG_INFINITY, f64::INFINITY).map(|time| script.pose_at(time));
            poses.any(|pose| pose.rotation() != body.pose.rotation())
        }
        _ => body.angular_velocity != Vec3::ZERO,
    };
    let has_no_depth = || {
        let found = contact(&a.shape, &a.pose, &b.shape, &b.pose, 0.0);
        found.is_some_and(|found| !found.separation.is_finite())
    };
    are_tested(a, b) && (turns(a) || turns(b) || has_no_depth())
}

/// Reports whether two bodies are tested against each other.
fn are_tested(a: &Body, b: &Body) -> bool {
    let are_static = [a, b].iter().all(|body| matches!(body.kind, Kind::Static));
    !are_static && a.group & b.mask != 0 && b.group & a.mask != 0
}

/// Reads the number of copies of the body.
fn copies(fields: &mut Fields, path: &str, name: String, first: Body) -> Result<Group, FieldError> {
    let count = fields.optional("count", fields::count)?.unwrap_or(1);
    let spacing = fields.optional("spacing", fields::vector)?;
    let field = |name: &str| format!("{path}.{name}");
    let refuse = |cause: String| FieldError::refused(&field("count"), count.to_string(), cause);
    if count == 0 {
        return Err(refuse("give at least 1".to_owned()));
    }
    if count > MAX_BODIES {
        return Err(refuse(format!("a scene has at most {MAX_BODIES} bodies")));
    }
    if count > 1 && matches!(first.kind, Kind::Kinematic(Some(_))) {
        return Err(refuse("bodies with a motion stand where it says: name each".to_owned()));
    }
    let spacing = match spacing {
        None if count > 1 => {
            let expected = "how far each stands from the one before".to_owned();
            return Err(FieldError::Missing { field: field("spacing"), expected });
        }
        spacing => spacing.unwrap_or(Vec3::ZERO),
    };
    Ok(Group { name, first, count, spacing, tree: None, table: None })
}

/// Reads the kind of the body: the given one, else the kind that its other fields imply.
fn kind(
    fields: &mut Fields,
    path: &str,
    shape: &Shape,
    script: Option<Keyframes>,
    wave: Option<[f64; 2]>,
) -> Result<Kind, FieldError> {
    let said = fields.optional("kind", fields::word(&["static", "kinematic", "dynamic", "soft"]))?;
    let usual = if script.is_some() {
        "kinematic"
    } else if wave.is_some() {
        "soft"
    } else {
        "dynamic"
    };
    let said = said.unwrap_or(usual);
    let refuse = |name: &str, kind: &str| {
        let cause = format!("only {kind} bodies have one, and this one is {said}");
        Err(FieldError::refused(&format!("{path}.{name}"), "it", cause))
    };
    if script.is_some() && said != "kinematic" {
        return refuse("motion", "kinematic");
    }
    if wave.is_some() && said != "soft" {
        return refuse("deform", "soft");
    }
    // Fields that only dynamic bodies need are checked for all.
    let masses = masses(fields)?;
    match said {
        "static" => Ok(Kind::Static),
        "kinematic" => Ok(Kind::Kinematic(script.map(Arc::new))),
        "soft" => {
            let Shape::Mesh(mesh) = shape else {
                return Err(FieldError::refused(&format!("{path}.shape"), "the shape", "a soft body must be a mesh"));
            };
            let [amplitude, period] = wave.unwrap_or([0.0, 1.0]);
            Ok(Kind::Soft(Deformation::wave(mesh.mesh(), amplitude, period).into()))
        }
        _ => mass(masses, path, shape).map(|mass| Kind::Dynamic(mass.into())),
    }
}

/// Fields that define a mass: density, mass, rows of the inertia.
type Masses = (Option<f64>, Option<f64>, Option<Vec<[f64; 3]>>);

fn masses(fields: &mut Fields) -> Result<Masses, FieldError> {
    let density = fields.optional("density", fields::positive)?;
    let mass = fields.optional("mass", fields::positive)?;
    let rows = fields.optional("inertia", |path, value| fields::list(path, value, fields::numbers::<3>))?;
    Ok((density, mass, rows))
}

/// Computes the mass from `density`, from `mass`, or from `mass` and `inertia`.
fn mass((density, mass, rows): Masses, path: &str, shape: &Shape) -> Result<Mass, FieldError> {
    let field = |name: &str| format!("{path}.{name}");
    let (name, value, made) = match (density, mass, rows.as_deref()) {
        (Some(density), None, None) => ("density", told(density), Mass::of_density(shape, density)),
        (None, Some(mass), None) => ("mass", told(mass), Mass::of_total(shape, mass)),
        (None, Some(mass), Some(rows @ &[x, y, z])) => {
            let inertia = Mat3::from_cols(x.into(), y.into(), z.into());
            // The centre of a shape without volume is the origin of its frame.
            let centre = Mass::of_total(shape, mass).map_or(Vec3::ZERO, |of_shape| of_shape.centre);
            ("inertia", format!("{rows:?}"), Mass::new(mass, centre, inertia))
        }
        (None, None, None) => ("density", "1000, as no mass is given,".to_owned(), Mass::of_density(shape, 1000.0)),
        (Some(density), Some(_), _) => {
            return Err(FieldError::refused(&field("density"), told(density), "give density or mass, not both"));
        }
        (_, _, rows) => {
            let value = format!("{:?}", rows.unwrap_or_default());
            let cause = "give 3 rows of 3 numbers, and mass (not density) with them";
            return Err(FieldError::refused(&field("inertia"), value, cause));
        }
    };
    // A shape that has an inertia at 1 kg and at 1 kg/m³ is not the cause of a missing inertia.
    let is_shape_fit = || Mass::of_total(shape, 1.0).and(Mass::of_density(shape, 1.0)).is_ok();
    let is_given = density.or(mass).is_some();
    made.map_err(|error| match error {
        MassFault::Size if !(is_given && is_shape_fit()) => FieldError::refused(&field("shape"), "it", error),
        _ => FieldError::refused(&field(name), value, error),
    })
}

fn script(path: &str, value: Value) -> Result<Keyframes, FieldError> {
    let key = |path: &str, value: Value| {
        let mut fields = Fields::open(path, value)?;
        fields.only(&[&["time", "translation", "rotation", "matrix"]])?;
        let time = fields.required("time", "a time in s", fields::number)?;
        let pose = near_pose(path, fields.rest())?;
        Ok((time, pose))
    };
    let keys = fields::list(path, value, key)?;
    Keyframes::new(keys).map_err(|error| FieldError::refused(path, "the keys", error))
}

/// Reads amplitude and period.
fn wave(path: &str, value: Value) -> Result<[f64; 2], FieldError> {
    let mut fields = Fields::open(path, value)?;
    fields.only(&[&["kind", "amplitude", "period"]])?;
    fields.required("kind", "\"wave\"", fields::word(&["wave"]))?;
    let missing = || FieldError::Missing { field: format!("{path}.amplitude"), expected: "a length in m".to_owned() };
    let amplitude = at_most(&mut fields, "amplitude", fields::number, FARTHEST)?.ok_or_else(missing)?;
    let period = fields.required("period", "a time in s", |path, value| match fields::positive(path, value)? {
        period if period >= SHORTEST_PERIOD => Ok(period),
        period => Err(FieldError::refused(path, told(period), format!("give at least {} s", told(SHORTEST_PERIOD)))),
    })?;
    Ok([amplitude, period])
}

fn bits(path: &str, value: Value) -> Result<u32, FieldError> {
    let bits = fields::count(path, value.clone())?;
    u32::try_from(bits).map_err(|_| FieldError::wrong(path, &value, "a set of 32 bits"))
}

fn with_tree(field: &str, file: &Path, shape: Shape) -> Result<(Shape, TreeChoice), FieldError> {
    let refuse = |cause: String| FieldError::refused(field, file.display().to_string(), cause);
    let choice = load::require_file(file).and_then(|()| tree_file::read(file));
    let choice = choice.map_err(|failure| refuse(failure.line()))?;
    let Shape::Mesh(mesh) = shape else { return Err(refuse("only meshes have trees".to_owned())) };
    let mesh = (*mesh).clone().with_tree(&choice).map_err(|error| refuse(error.to_string()))?;
    Ok((mesh.into(), choice))
}
