//! The words of a joint in a record.
//!
//! In: a [`JointDesign`]. Out: kind, bodies, points, limits, motor, breaking force and contacts, in this order, with a
//! dash for what is not there; then springs, bounds and friction, each behind its name, where there are some.

use crate::recorder::{name, vector};
use crate::response::joints::JointDesign;
use heurt_rigid::{JointSpring, PositionMotor};

/// Writes a joint.
pub(crate) fn write_joint(design: &JointDesign) -> String {
    let JointDesign { kind, a, b, anchor, anchor_b, axis, limits, motor, break_at, collide, .. } = design;
    let pair = |pair: Option<[f64; 2]>| pair.map_or("-".to_owned(), |[x, y]| format!("{x:?} {y:?}"));
    let words = [
        kind.name().to_owned(),
        name(*a),
        b.map_or("-".to_owned(), name),
        vector(*anchor),
        anchor_b.map_or("-".to_owned(), vector),
        vector(*axis),
        pair(*limits),
        pair(motor.map(|motor| [motor.velocity, motor.max_force])),
        break_at.map_or("-".to_owned(), |force| format!("{force:?}")),
        collide.to_string(),
    ];
    words.join(" ") + &joint_forces(design)
}

/// Writes springs, bounds and friction of a joint; nothing for a joint without them.
fn joint_forces(design: &JointDesign) -> String {
    let mut words = String::new();
    if let Some(PositionMotor { position, stiffness, damping, max_force }) = design.position_motor {
        words += &format!(" pull {position:?} {stiffness:?} {damping:?} {max_force:?}");
    }
    if let Some(JointSpring { stiffness, damping, rest }) = design.spring {
        let rest = rest.map_or("-".to_owned(), |rest| format!("{rest:?}"));
        words += &format!(" spring {stiffness:?} {damping:?} {rest}");
    }
    if let Some(cone) = design.cone {
        words += &format!(" cone {cone:?}");
    }
    if let Some([low, high]) = design.twist {
        words += &format!(" twist {low:?} {high:?}");
    }
    if let Some(friction) = design.friction {
        words += &format!(" friction {friction:?}");
    }
    words
}
