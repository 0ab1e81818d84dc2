//! Reader of a `[[joint]]` table: two bodies by name, or a body and the world, and what the joint holds.
//!
//! In: the table. Out: [`SceneJoint`], which becomes a joint as soon as the bodies have ids.
//! Method: the coordinate of a scene (angle of a hinge, translation of a slider, twist of a ball joint) belongs to `a`
//! relative to `b`; the library measures B relative to A. A reversed axis makes both the same.

use super::body::read_name;
use crate::describe::fields;
use crate::describe::fields::{FieldError, Fields};
use heurt_geometry::Vec3;
use heurt_rigid::JointError;
use heurt_world::{Body, BodyId, JointDesign, JointKind, JointSpring, Kind, Motor, PositionMotor, WorldError};
use serde_json::Value;
use std::collections::BTreeMap;

const KEYS: &[&str] = &[
    "name", "kind", "a", "b", "anchor", "anchor_b", "axis", "limits", "motor", "spring", "cone", "twist", "friction",
    "break_at", "collide",
];

const KINDS: [JointKind; 5] =
    [JointKind::Fixed, JointKind::Ball, JointKind::Hinge, JointKind::Slider, JointKind::Distance];

/// A joint between bodies that have no ids yet.
pub(super) struct SceneJoint {
    name: Option<String>,
    kind: JointKind,
    a: String,
    /// `None` is the world.
    b: Option<String>,
    /// `None` is the origin of the first body.
    anchor: Option<Vec3>,
    anchor_b: Option<Vec3>,
    axis: Option<Vec3>,
    limits: Option<[f64; 2]>,
    motor: Option<SceneMotor>,
    spring: Option<JointSpring>,
    cone: Option<f64>,
    twist: Option<[f64; 2]>,
    friction: Option<f64>,
    break_at: Option<f64>,
    collide: bool,
}

/// The motor of a table `motor`.
#[derive(Clone, Copy)]
enum SceneMotor {
    Velocity(Motor),
    Position(PositionMotor),
}

/// Reads a joint.
pub(super) fn read_joint(path: &str, value: Value) -> Result<SceneJoint, FieldError> {
    let mut fields = Fields::open(path, value)?;
    fields.only(&[KEYS])?;
    let kinds = KINDS.map(JointKind::name);
    let kind = fields.required("kind", "one of fixed, ball, hinge, slider, distance", fields::word(&kinds))?;
    let kind = KINDS.into_iter().find(|one| one.name() == kind).unwrap_or(JointKind::Fixed);
    let joint = SceneJoint {
        name: fields.optional("name", read_name)?,
        kind,
        a: fields.required("a", "the name of a body", fields::text)?,
        b: fields.optional("b", fields::text)?,
        anchor: fields.optional("anchor", fields::vector)?,
        anchor_b: fields.optional("anchor_b", fields::vector)?,
        axis: fields.optional("axis", fields::vector)?,
        limits: fields.optional("limits", fields::numbers::<2>)?,
        motor: fields.optional("motor", read_motor)?,
        spring: fields.optional("spring", read_spring)?,
        cone: fields.optional("cone", fields::positive)?,
        twist: fields.optional("twist", fields::numbers::<2>)?,
        friction: fields.optional("friction", fields::not_negative)?,
        break_at: fields.optional("break_at", fields::positive)?,
        collide: fields.optional("collide", fields::boolean)?.unwrap_or(false),
    };
    joint.check_keys(path)?;
    Ok(joint)
}

fn read_motor(path: &str, value: Value) -> Result<SceneMotor, FieldError> {
    let mut fields = Fields::open(path, value)?;
    let force = "a torque in N m or a force in N";
    if let Some(position) = fields.optional("position", fields::number)? {
        fields.only(&[&["position", "stiffness", "damping", "max_force"]])?;
        return Ok(SceneMotor::Position(PositionMotor {
            position,
            stiffness: fields.required("stiffness", "a stiffness in N m/rad or N/m", fields::not_negative)?,
            damping: fields.optional("damping", fields::not_negative)?.unwrap_or(0.0),
            max_force: fields.required("max_force", force, fields::not_negative)?,
        }));
    }
    fields.only(&[&["velocity", "max_force"]])?;
    let velocity = fields.required("velocity", "a speed in rad/s or m/s, or a position", fields::number)?;
    let max_force = fields.required("max_force", force, fields::not_negative)?;
    Ok(SceneMotor::Velocity(Motor { velocity, max_force }))
}

fn read_spring(path: &str, value: Value) -> Result<JointSpring, FieldError> {
    let mut fields = Fields::open(path, value)?;
    fields.only(&[&["stiffness", "damping", "rest"]])?;
    Ok(JointSpring {
        stiffness: fields.required("stiffness", "a stiffness in N m/rad or N/m", fields::not_negative)?,
        damping: fields.optional("damping", fields::not_negative)?.unwrap_or(0.0),
        rest: fields.optional("rest", fields::number)?,
    })
}

impl SceneJoint {
    /// Refuses keys that the kind does not use, and requires the keys that it needs.
    fn check_keys(&self, path: &str) -> Result<(), FieldError> {
        let kind = self.kind.name();
        let is_bounded = self.cone.is_some() || self.twist.is_some();
        let has_axis = matches!(self.kind, JointKind::Hinge | JointKind::Slider) || is_bounded && self.is_ball();
        let is_distance = self.kind == JointKind::Distance;
        for (key, is_given, is_used) in
            [("axis", self.axis.is_some(), has_axis), ("anchor_b", self.anchor_b.is_some(), is_distance)]
        {
            let field = format!("{path}.{key}");
            if is_given && !is_used {
                let without = if self.is_ball() { " without cone and twist" } else { "" };
                return Err(FieldError::refused(&field, "it", format!("a {kind} joint{without} has none")));
            }
            if is_used && !is_given {
                let expected = if is_distance { "the point of b" } else { "the direction of its axis" };
                return Err(FieldError::Missing { field, expected: expected.to_owned() });
            }
        }
        if self.anchor.is_none() && self.kind != JointKind::Fixed {
            let expected = "a point in m, in the world frame, at the start".to_owned();
            return Err(FieldError::Missing { field: format!("{path}.anchor"), expected });
        }
        Ok(())
    }

    fn is_ball(&self) -> bool {
        self.kind == JointKind::Ball
    }

    /// Returns its name: the given one, or its number among the joints, from 1.
    pub(super) fn show_name(&self, number: usize) -> String {
        self.name.clone().unwrap_or_else(|| format!("joint#{}", number + 1))
    }

    /// Makes the joint; `bodies` has the ids and the bodies by name.
    pub(super) fn design(
        &self,
        path: &str,
        bodies: &BTreeMap<&str, (BodyId, &Body)>,
    ) -> Result<JointDesign, FieldError> {
        let find = |key: &str, name: &str| {
            let refuse =
                || FieldError::refused(&format!("{path}.{key}"), format!("`{name}`"), unknown_body(name, bodies));
            bodies.get(name).copied().ok_or_else(refuse)
        };
        let (a, body) = find("a", &self.a)?;
        let b = self.b.as_deref().map(|name| find("b", name)).transpose()?;
        let is_free = |body: &Body| matches!(body.kind, Kind::Dynamic(_));
        if !is_free(body) && !b.is_some_and(|(_, body)| is_free(body)) {
            let cause = "no end of the joint is dynamic, and it moves nothing";
            return Err(FieldError::refused(&format!("{path}.a"), format!("`{}`", self.a), cause));
        }
        Ok(JointDesign {
            b: b.map(|(id, _)| id),
            anchor: self.anchor.unwrap_or(body.pose.translation()),
            anchor_b: self.anchor_b,
            axis: -self.axis.unwrap_or(Vec3::Z),
            limits: self.limits,
            motor: self.motor.and_then(|motor| match motor {
                SceneMotor::Velocity(motor) => Some(motor),
                SceneMotor::Position(_) => None,
            }),
            position_motor: self.motor.and_then(|motor| match motor {
                SceneMotor::Velocity(_) => None,
                SceneMotor::Position(motor) => Some(motor),
            }),
            spring: self.spring,
            cone: self.cone,
            twist: self.twist,
            friction: self.friction,
            break_at: self.break_at,
            collide: self.collide,
            ..JointDesign::new(self.kind, a)
        })
    }
}

/// Writes that a name is unknown; copies have numbers, which users forget.
fn unknown_body(name: &str, bodies: &BTreeMap<&str, (BodyId, &Body)>) -> String {
    match bodies.keys().any(|known| known.strip_prefix(name).is_some_and(|rest| rest.starts_with('#'))) {
        true => format!("there are copies of it: name one, such as `{name}#1`"),
        false => "no body has this name".to_owned(),
    }
}

/// The fault of a joint that the world refuses.
pub(super) fn refused_joint(path: &str, error: &WorldError) -> FieldError {
    let key = match error {
        WorldError::Joint(JointError::SameBody(_)) => ".b",
        WorldError::Joint(JointError::Axis(_)) => ".axis",
        WorldError::Joint(JointError::Limits(_) | JointError::NotSupported { what: "limits", .. }) => ".limits",
        WorldError::Joint(
            JointError::NotSupported { what: "spring", .. } | JointError::Force { field: "rest", .. },
        ) => ".spring",
        WorldError::Joint(JointError::Cone(_) | JointError::NotSupported { what: "cone", .. }) => ".cone",
        WorldError::Joint(JointError::Twist(_) | JointError::NotSupported { what: "twist", .. }) => ".twist",
        WorldError::Joint(JointError::NotSupported { what: "friction", .. }) => ".friction",
        WorldError::Joint(JointError::NotSupported { .. }) => ".motor",
        WorldError::Joint(JointError::NoDistance) => ".anchor_b",
        _ => "",
    };
    FieldError::refused(&format!("{path}{key}"), "it", error)
}
