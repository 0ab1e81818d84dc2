//! Reader of an `[[agents]]` table.

use super::areas::{Origin, read_areas};
use super::form::read_form;
use crate::describe::fields::{self, FieldError, Fields};
use heurt_crowd::measure::{WEIDMANN_BY_AGE, weidmann_speed_of_age};
use heurt_crowd::{AgentGroup, Goals, Outline, SocialTraits, SpeedLaw, Start};
use heurt_geometry::{FloorArea, Vec3};
use serde_json::Value;

/// The largest number of agents of a group: 4 GB of agents.
const MAX_AGENTS: u64 = 10_000_000;

const KEYS: &[&str] = &[
    "name", "count", "start", "places", "radius", "outline", "mesh", "sections", "body", "speed", "paces", "goals",
    "rounds", "tour", "on", "reaction", "age", "together", "knows", "follow",
];

/// The longest tour: a day of errands.
const MAX_TOUR: u64 = 1000;

/// The parts of a map that paths may keep to.
pub(super) struct Ways {
    pub(super) roads: Vec<FloorArea>,
    /// All but roads, and their crossings.
    pub(super) paths: Vec<FloorArea>,
}

/// The radius of persons, in metres.
pub(super) const USUAL_RADIUS: f64 = 0.2;

/// A group, and the law of its ages, in years, if its speeds come from them.
#[derive(Debug)]
pub(super) struct AgedGroup {
    pub(super) group: AgentGroup,
    pub(super) age: Option<SpeedLaw>,
}

pub(super) fn read_agents(
    path: &str,
    value: Value,
    origin: Origin,
    ways: &Ways,
    meshes: &dyn Fn(&str, &str) -> Result<Outline, FieldError>,
) -> Result<AgedGroup, FieldError> {
    let mut fields = Fields::open(path, value)?;
    fields.only(&[KEYS])?;
    let name = fields.required("name", "a name", fields::text)?;
    let start = read_start(&mut fields, origin)?;
    let form = read_form(&mut fields, meshes)?;
    let usual = form.clearance().unwrap_or(USUAL_RADIUS);
    let radius = fields.optional("radius", fields::positive)?.unwrap_or(usual);
    let usual = AgentGroup::default().speed;
    let age = fields.optional("age", read_age)?;
    let speed = match (fields.optional("speed", read_law)?, age) {
        (Some(speed), Some(_)) => {
            let cause = "the group has an age, too: leave one of both out".to_owned();
            return Err(FieldError::refused(&fields.path("speed"), speed.mean.to_string(), cause));
        }
        (Some(speed), None) => speed,
        (None, Some(age)) => SpeedLaw::constant(weidmann_speed_of_age(age.mean).unwrap_or(usual.mean)),
        (None, None) => usual,
    };
    let paces =
        fields.optional("paces", |path, value| fields::list(path, value, fields::positive))?.unwrap_or_default();
    let reaction = fields.optional("reaction", read_law)?.unwrap_or(SpeedLaw::constant(0.0));
    let goals = fields.optional("goals", |path, value| read_goals(path, value, origin))?.unwrap_or(Goals::None);
    let goals = read_order(&mut fields, goals)?;
    let ways = match fields.optional("on", fields::word(&["roads", "paths"]))? {
        None => Vec::new(),
        Some(word) => {
            let areas = if word == "roads" { &ways.roads } else { &ways.paths };
            if areas.is_empty() {
                let cause = "the environment has none: it is no map, or roads are left out of it";
                return Err(FieldError::refused(&fields.path("on"), word, cause));
            }
            areas.clone()
        }
    };
    let social = read_social(&mut fields)?;
    if let (Goals::Tour(..), Some(word)) = (&goals, &social.together) {
        let cause = "agents on tours go to places of their own: leave tour or together out";
        return Err(FieldError::refused(&fields.path("together"), word, cause));
    }
    Ok(AgedGroup { group: AgentGroup { name, start, radius, form, speed, paces, goals, ways, reaction, social }, age })
}

/// Reads in which order the agents of a group go to their goals.
fn read_order(fields: &mut Fields, goals: Goals) -> Result<Goals, FieldError> {
    let rounds = fields.optional("rounds", fields::boolean)?.unwrap_or(false);
    let tour = fields.optional("tour", fields::count)?;
    let (key, value) = match (rounds, tour) {
        (false, None) => return Ok(goals),
        (true, Some(count)) => {
            let cause = "agents on rounds never leave: leave one of both out";
            return Err(FieldError::refused(&fields.path("tour"), count.to_string(), cause));
        }
        (true, None) => ("rounds", "true".to_owned()),
        (false, Some(count)) => ("tour", count.to_string()),
    };
    match (goals, tour) {
        (Goals::Areas(goals), None) => Ok(Goals::Rounds(goals)),
        (Goals::Areas(goals), Some(count @ 1..=MAX_TOUR)) => Ok(Goals::Tour(goals, count as usize)),
        (Goals::Areas(_), Some(_)) => {
            Err(FieldError::refused(&fields.path(key), value, format!("give 1 to {MAX_TOUR} goals")))
        }
        _ => Err(FieldError::refused(&fields.path(key), value, "give goals as a list of areas")),
    }
}

/// Reads what binds the agents of a group to each other and to exits.
fn read_social(fields: &mut Fields) -> Result<SocialTraits, FieldError> {
    let together = fields.optional("together", fields::text)?;
    let read = |path: &str, value: Value| {
        let number = fields::count(path, value)?;
        u32::try_from(number).map_err(|_| FieldError::refused(path, number.to_string(), "give the number of an area"))
    };
    let knows = fields.optional("knows", |path, value| fields::list(path, value, read))?.unwrap_or_default();
    let follow = fields.optional("follow", fields::not_negative)?.unwrap_or(0.0);
    Ok(SocialTraits { together, knows, follow })
}

fn read_start(fields: &mut Fields, origin: Origin) -> Result<Start, FieldError> {
    let places = fields.optional("places", |path, value| fields::list(path, value, read_place))?;
    let start = fields.optional("start", |path, value| read_areas(path, &value, origin))?;
    let count = fields.optional("count", fields::count)?;
    match (start, places) {
        (Some(_), Some(_)) => {
            let cause = "the group has places, too: leave one of both out";
            Err(FieldError::refused(&fields.path("start"), "given", cause))
        }
        (None, Some(places)) => match count {
            Some(count) if count != places.len() as u64 => {
                let cause = format!("there are {} places: leave the number out", places.len());
                Err(FieldError::refused(&fields.path("count"), count.to_string(), cause))
            }
            _ => Ok(Start::Places(places)),
        },
        (Some(areas), None) => {
            let count = count.unwrap_or(1);
            if count > MAX_AGENTS {
                let cause = format!("give at most {MAX_AGENTS}");
                return Err(FieldError::refused(&fields.path("count"), count.to_string(), cause));
            }
            Ok(Start::Areas(areas, count as usize))
        }
        (None, None) => Err(FieldError::Missing {
            field: fields.path("start"),
            expected: "an area as \"POLYGON((…))\", or places = [[x, y], …]".to_owned(),
        }),
    }
}

/// Reads a place: [x, y], or [x, y, z] with the height of its floor.
fn read_place(path: &str, value: Value) -> Result<Vec3, FieldError> {
    match value.as_array().map(Vec::len) {
        Some(3) => fields::numbers::<3>(path, value).map(Vec3::from_array),
        _ => fields::numbers::<2>(path, value).map(|[x, y]| Vec3::new(x, y, 0.0)),
    }
}

fn read_goals(path: &str, value: Value, origin: Origin) -> Result<Goals, FieldError> {
    match value {
        Value::String(word) if word == "antipode" => Ok(Goals::Antipode),
        Value::Array(items) if items.is_empty() => Ok(Goals::None),
        Value::Array(items) => {
            let read = |(number, item): (usize, &Value)| read_areas(&format!("{path}[{number}]"), item, origin);
            Ok(Goals::Areas(items.iter().enumerate().map(read).collect::<Result<_, _>>()?))
        }
        other => Err(FieldError::wrong(path, &other, "a list of areas, or \"antipode\"")),
    }
}

/// Reads an age in years, or a normal law of ages; bounds that are not given end with Weidmann's curve.
fn read_age(path: &str, value: Value) -> Result<SpeedLaw, FieldError> {
    let [youngest, oldest] = [WEIDMANN_BY_AGE[0].0, WEIDMANN_BY_AGE[WEIDMANN_BY_AGE.len() - 1].0];
    let has = |key: &str| value.get(key).is_some();
    let given = [has("least"), has("most")];
    let mut law = read_law(path, value.clone())?;
    if value.is_object() {
        law.least = if given[0] { law.least } else { law.least.max(youngest) };
        law.most = if given[1] { law.most } else { law.most.min(oldest) };
    }
    let ends = [law.mean, law.least, law.most];
    match ends.into_iter().find(|age| !(youngest..=oldest).contains(age)) {
        Some(age) => {
            let cause = format!("Weidmann's curve reaches from {youngest} to {oldest} years: give a speed instead");
            Err(FieldError::refused(path, age.to_string(), cause))
        }
        None => Ok(law),
    }
}

/// Reads a number, or a normal law between bounds.
pub(super) fn read_law(path: &str, value: Value) -> Result<SpeedLaw, FieldError> {
    if value.is_number() {
        return fields::not_negative(path, value).map(SpeedLaw::constant);
    }
    let mut fields = Fields::open(path, value)?;
    fields.only(&[&["mean", "deviation", "least", "most"]])?;
    let mean = fields.required("mean", "the mean value", fields::not_negative)?;
    let deviation = fields.optional("deviation", fields::not_negative)?.unwrap_or(0.0);
    let least = fields.optional("least", fields::not_negative)?.unwrap_or((mean - 3.0 * deviation).max(0.0));
    let most = fields.optional("most", fields::not_negative)?.unwrap_or(mean + 3.0 * deviation);
    if least > most {
        let cause = format!("it is more than most = {most}");
        return Err(FieldError::refused(&fields.path("least"), least.to_string(), cause));
    }
    Ok(SpeedLaw { mean, deviation, least, most })
}
