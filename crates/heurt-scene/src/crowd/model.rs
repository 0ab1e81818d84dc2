//! Reader of the model of a crowd and its parameters.

use crate::describe::fields::{self, FieldError, Fields};
use heurt_crowd::SteeringModel;
use heurt_crowd::steer::{
    Anticipation, Boids, Bubbles, CollisionFreeSpeed, GroupAvoidance, Heuristics, LeastEffort, Orca, PassingSide,
    RuleBase, VelocityObstacles, WallBubble,
};
use serde_json::Value;

/// The keys of all parameters; each model has some of them.
pub(super) const PARAMETERS: &[&str] = &[
    "horizon",
    "neighbours",
    "reach",
    "stiffness",
    "damping",
    "ellipses",
    "avoid_groups",
    "strength",
    "range",
    "wall_strength",
    "wall_range",
];

/// The largest value of a parameter: 1,000 m or s.
pub(super) const MOST: f64 = 1e3;

/// Reads the model and its parameters.
pub(super) fn read_model(fields: &mut Fields) -> Result<SteeringModel, FieldError> {
    let path = fields.path("model");
    let name = match fields.take("model") {
        None => "orca",
        Some(value) => fields::word(&SteeringModel::NAMES)(&path, value)?,
    };
    let mut model = SteeringModel::from_name(name).unwrap_or(SteeringModel::Orca(Orca::default()));
    for (key, value) in lengths_of(&mut model) {
        if let Some(given) = fields.optional(key, fields::positive)? {
            if given > MOST {
                return Err(FieldError::refused(&fields.path(key), given.to_string(), "give at most 1,000"));
            }
            *value = given;
        }
    }
    if let Some(most) = neighbours_of(&mut model)
        && let Some(count) = fields.optional("neighbours", fields::count)?
    {
        if !(1..=64).contains(&count) {
            return Err(FieldError::refused(&fields.path("neighbours"), count.to_string(), "give 1 to 64"));
        }
        *most = count as usize;
    }
    match &mut model {
        SteeringModel::Rules(rules) => {
            rules.side = fields.optional("side", read_side)?.unwrap_or(rules.side);
        }
        SteeringModel::Bubbles(bubbles) => {
            let is_ellipse = fields.optional("ellipses", fields::boolean)?.unwrap_or(false);
            bubbles.wall_shape = if is_ellipse { WallBubble::Ellipse } else { WallBubble::default() };
        }
        SteeringModel::Orca(orca) | SteeringModel::LeastEffort(LeastEffort { avoidance: orca, .. }) => {
            let are_avoided = fields.optional("avoid_groups", fields::boolean)?.unwrap_or(false);
            orca.groups = are_avoided.then(GroupAvoidance::default);
        }
        _ => {}
    }
    refuse_rest(fields, name)?;
    Ok(model)
}

/// Reads a side.
pub(super) fn read_side(path: &str, value: Value) -> Result<PassingSide, FieldError> {
    let side = fields::word(&["left", "right"])(path, value)?;
    Ok(if side == "left" { PassingSide::Left } else { PassingSide::Right })
}

/// Returns the parameters of a model that are lengths, times or factors.
fn lengths_of(model: &mut SteeringModel) -> Vec<(&'static str, &mut f64)> {
    match model {
        SteeringModel::Anticipation(Anticipation { horizon, reach, .. })
        | SteeringModel::Rules(RuleBase { horizon, reach, .. })
        | SteeringModel::Rvo(VelocityObstacles { horizon, reach, .. })
        | SteeringModel::Vo(VelocityObstacles { horizon, reach, .. })
        | SteeringModel::Orca(Orca { horizon, reach, .. })
        | SteeringModel::LeastEffort(LeastEffort { avoidance: Orca { horizon, reach, .. }, .. }) => {
            vec![("horizon", horizon), ("reach", reach)]
        }
        SteeringModel::Bubbles(Bubbles { reach, stiffness, damping, .. }) => {
            vec![("reach", reach), ("stiffness", stiffness), ("damping", damping)]
        }
        SteeringModel::CollisionFreeSpeed(model) => {
            let CollisionFreeSpeed { time_gap, strength, range, wall_strength, wall_range, reach } = model;
            vec![
                ("time_gap", time_gap),
                ("strength", strength),
                ("range", range),
                ("wall_strength", wall_strength),
                ("wall_range", wall_range),
                ("reach", reach),
            ]
        }
        SteeringModel::Boids(Boids { reach, .. }) | SteeringModel::Heuristics(Heuristics { reach, .. }) => {
            vec![("reach", reach)]
        }
        _ => Vec::new(),
    }
}

/// Returns the number of neighbours of a model that has one.
fn neighbours_of(model: &mut SteeringModel) -> Option<&mut usize> {
    match model {
        SteeringModel::Orca(Orca { most_neighbours, .. })
        | SteeringModel::LeastEffort(LeastEffort { avoidance: Orca { most_neighbours, .. }, .. })
        | SteeringModel::Heuristics(Heuristics { most_neighbours, .. })
        | SteeringModel::Rvo(VelocityObstacles { most_neighbours, .. })
        | SteeringModel::Vo(VelocityObstacles { most_neighbours, .. }) => Some(most_neighbours),
        _ => None,
    }
}

/// Refuses parameters of other models.
fn refuse_rest(fields: &mut Fields, name: &str) -> Result<(), FieldError> {
    let rest: Option<(&str, Value)> = PARAMETERS.iter().find_map(|&key| Some((key, fields.take(key)?)));
    match rest {
        None => Ok(()),
        Some((key, value)) => {
            let cause = format!("the model {name} has no such parameter: leave it out");
            Err(FieldError::refused(&fields.path(key), value.to_string(), cause))
        }
    }
}
