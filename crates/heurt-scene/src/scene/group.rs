//! Copies of bodies, and the rules that all bodies of a scene obey together.

use super::number::{is_near, too_far};
use super::world::SceneWorld;
use crate::describe::display::number;
use crate::describe::fields;
use crate::describe::fields::{FieldError, Fields};
use heurt_geometry::Vec3;
use heurt_query::contact;
use heurt_shape::TreeChoice;
use heurt_world::{Body, Detection, Kind, MAX_TURN};
use std::collections::BTreeSet;

/// Bodies that a scene may have in all.
const MAX_BODIES: u64 = 1 << 20;

/// A body and its copies, each offset by the spacing from the previous one.
pub(super) struct Group {
    pub name: String,
    pub first: Body,
    pub count: u64,
    pub spacing: Vec3,
    /// The tree of its mesh, or of the meshes in it, if one is chosen.
    pub tree: Option<TreeChoice>,
    /// The number of its `[[body]]` table; none for bodies of `[surgery]`.
    pub table: Option<usize>,
}

impl Group {
    /// Makes a single body.
    pub(super) fn one(name: String, first: Body) -> Self {
        Self { name, first, count: 1, spacing: Vec3::ZERO, tree: None, table: None }
    }

    /// Refuses bodies from which no world can be made, and names that are in `names` already; adds their names to
    /// `names`.
    pub(super) fn check(&self, path: &str, world: &SceneWorld, names: &mut BTreeSet<String>) -> Result<(), FieldError> {
        if (names.len() as u64).saturating_add(self.count) > MAX_BODIES {
            let cause = format!("the scene has more than {MAX_BODIES} bodies");
            return Err(FieldError::refused(&format!("{path}.count"), self.count.to_string(), cause));
        }
        let spin = self.first.angular_velocity;
        let turns = !matches!(self.first.kind, Kind::Static | Kind::Kinematic(Some(_)));
        let is_decided = world.settings.detection == Detection::Discrete || spin.length() * world.step <= MAX_TURN;
        if turns && !is_decided {
            let cause = format!(
                "in a step of {} s it turns by more than {} rad, so that what it meets on its path is not decided: take shorter steps",
                number(world.step),
                number(MAX_TURN)
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
    pub(super) fn copy(&self, number: u64) -> Result<(String, Body), String> {
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

/// Refuses shapes without bounds that overlap without end while one of them moves: no contact has a depth then.
pub(super) fn refuse_endless(groups: &[Group]) -> Result<(), FieldError> {
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
pub(super) fn is_endless_in(a: &Body, b: &Body) -> bool {
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
pub(super) fn are_tested(a: &Body, b: &Body) -> bool {
    let are_static = [a, b].iter().all(|body| matches!(body.kind, Kind::Static));
    !are_static && a.group & b.mask != 0 && b.group & a.mask != 0
}

/// Reads the number of copies of the body.
pub(super) fn read_copies(fields: &mut Fields, path: &str, name: String, first: Body) -> Result<Group, FieldError> {
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
