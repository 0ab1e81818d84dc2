//! Holds: what limits the motion of a body in a step, and the motion within.
//!
//! In: touches, the least advance of each along its direction, the wanted motion, the motion of the round before.
//! Out: a motion. Method: a rigid body takes as much of its turn as leaves an admissible shift, and the admissible
//! shift nearest to the wanted one: with the turn, each touch is a half-plane of shifts. A body that deforms does the
//! same with its deformation. A chain takes the largest tried share
//! between the motion before and the wanted motion, with the shift that its first section admits.
//! Guarantees: every touch advances as far as it must, up to rounding, if the motion before does. Cost: O(touches).

use super::rig::RigPose;
use super::touch::{EdgeTouch, Obstacle, least_advance};
use super::{OutlineBody, Outlines};
use crate::crowd::separate::{Body, Margins, Round};
use crate::form::find_crossing;
use crate::steer::{HalfPlane, admissible_velocity};
use heurt_geometry::Vec2;
use smallvec::SmallVec;

/// Shares of a wanted turn that are tried, before the turn of the round before.
const TURN_SHARES: [f64; 3] = [1.0, 0.5, 0.25];

/// Shares of the wanted motion that chains try.
const CHAIN_SHARES: [f64; 4] = [1.0, 0.5, 0.25, 0.125];

/// A rounding of an advance, in metres.
const ROUNDING: f64 = 1e-12;

/// The wish of a body, and all that it could meet.
#[derive(Debug, Default)]
pub(in crate::crowd) struct OutlineHold {
    pub touches: Vec<EdgeTouch>,
    /// The wanted velocity of its first section, in m/s.
    pub velocity: Vec2,
    /// The wanted turn in the step, in radians; of a body that deforms 1, all of its deformation.
    pub turn: f64,
    /// Displacements within a body that deforms, by corner, its turn among them; their mean is zero.
    pub deformation: Vec<Vec2>,
    /// Its largest speed, in m/s: of its place, and of its tips as it turns.
    pub limit: f64,
}

/// The motion of a body in a step; of a body that has left nothing.
#[derive(Debug, Clone, Default)]
pub(in crate::crowd) struct OutlineMotion {
    /// The pose at its end.
    pub pose: RigPose,
    /// The shift of its place, in metres.
    pub shift: Vec2,
    /// The turn, in radians, or the share of the deformation.
    pub turn: f64,
    /// By corner, in metres.
    pub displacements: SmallVec<[Vec2; 8]>,
}

impl OutlineMotion {
    /// Makes the motion of a body that rests.
    pub fn rest(body: &OutlineBody) -> Self {
        if !body.is_present {
            return Self::default();
        }
        let displacements = SmallVec::from_elem(Vec2::ZERO, body.corners.len());
        Self { pose: body.pose.clone(), shift: Vec2::ZERO, turn: 0.0, displacements }
    }

    /// Makes the motion of a body that shifts its corners, and turns or deforms.
    fn new(body: &OutlineBody, hold: &OutlineHold, shift: Vec2, turn: f64) -> Self {
        if let Some(matching) = &body.rig.matching {
            let displacements: SmallVec<[Vec2; 8]> =
                hold.deformation.iter().map(|&within| shift + turn * within).collect();
            let corners: Vec<Vec2> =
                body.corners.iter().zip(&displacements).map(|(corner, by)| *corner + *by).collect();
            let mut pose = body.pose.clone();
            if let Ok(fit) = matching.fit(&corners) {
                pose.place = fit.place(Vec2::ZERO);
                pose.headings[0] = (fit.place(Vec2::X) - pose.place).try_normalize().unwrap_or(pose.headings[0]);
            }
            let shift = pose.place - body.pose.place;
            return Self { pose, shift, turn, displacements };
        }
        let pose = body.rig.moved(&body.pose, shift, turn);
        let displacements = body.rig.corners(&pose).zip(&body.corners).map(|(after, before)| after - *before).collect();
        Self { pose, shift, turn, displacements }
    }

    /// Adds a shift of a body without followers.
    fn shifted(mut self, by: Vec2) -> Self {
        self.pose.place += by;
        self.shift += by;
        self.displacements.iter_mut().for_each(|displacement| *displacement += by);
        self
    }

    /// Computes the least advance of the edge of a touch along its direction, in metres.
    pub fn advance(&self, body: &OutlineBody, touch: &EdgeTouch) -> f64 {
        least_advance(&self.displacements, body.rig.edges[touch.edge as usize], touch.normal, touch.slack)
    }
}

impl Outlines {
    /// Finds the motion of a body in a round, from the round before, which is rest for the first.
    pub fn next_motion(
        &self,
        number: usize,
        discs: &[Body],
        (last, is_first): (&Round, bool),
        margins: Margins,
    ) -> OutlineMotion {
        let (body, hold, before) = (&self.bodies[number], &self.holds[number], &last.motions[number]);
        if !body.is_present {
            return OutlineMotion::default();
        }
        if hold.touches.is_empty() && !is_first {
            // Nothing has changed.
            return before.clone();
        }
        let least = |touch: &EdgeTouch| {
            let advance = before.advance(body, touch);
            let (size, other) = match touch.obstacle {
                Obstacle::Wall => return -margins.free(touch.gap, body.rig.size),
                Obstacle::Disc(slot) => {
                    let slot = slot as usize;
                    (discs[slot].radius, -touch.normal.dot(last.velocities[slot]) * margins.step)
                }
                Obstacle::Edge { body, edge } => {
                    let (theirs, motion) = (&self.bodies[body as usize], &last.motions[body as usize]);
                    let ends = theirs.rig.edges[edge as usize];
                    let away = least_advance(&motion.displacements, ends, -touch.normal, touch.obstacle_slack);
                    (theirs.rig.size, away)
                }
            };
            0.5 * (advance - other) - 0.5 * margins.free(touch.gap, body.rig.size + size)
        };
        let least: SmallVec<[f64; 16]> = hold.touches.iter().map(least).collect();
        next_motion(body, hold, &least, before, margins.step)
    }
}

/// Finds the motion of a body in a round; `least` has the least advance of each touch, which `last` fulfils.
fn next_motion(
    body: &OutlineBody,
    hold: &OutlineHold,
    least: &[f64],
    last: &OutlineMotion,
    step: f64,
) -> OutlineMotion {
    let turns = TURN_SHARES.map(|share| share * hold.turn).into_iter().chain([last.turn]);
    let is_chain = body.rig.is_chain();
    // Followers of a chain are drawn: the shift of the first section is not theirs.
    let own = body.rig.starts[1] as u32;
    for turn in turns {
        let turned = OutlineMotion::new(body, hold, Vec2::ZERO, turn);
        let plane = |(touch, least): (&EdgeTouch, &f64)| HalfPlane {
            normal: touch.normal,
            least: (least - turned.advance(body, touch)) / step,
        };
        let touches = hold.touches.iter().zip(least).filter(|(touch, _)| touch.edge < own);
        let planes: SmallVec<[HalfPlane; 16]> = touches.map(plane).collect();
        let Some(velocity) = admissible_velocity(&planes, hold.limit, hold.velocity) else { continue };
        if !is_chain {
            let motion = turned.shifted(velocity * step);
            if turn != 0.0 && body.rig.matching.is_some() && crosses_itself(body, &motion) {
                continue;
            }
            return motion;
        }
        let shift = velocity * step;
        for share in CHAIN_SHARES {
            let motion =
                OutlineMotion::new(body, hold, last.shift.lerp(shift, share), last.turn + share * (turn - last.turn));
            if is_admissible(body, hold, least, &motion, step) {
                return motion;
            }
        }
    }
    last.clone()
}

/// Reports whether the outline of a body crosses itself after a motion.
fn crosses_itself(body: &OutlineBody, motion: &OutlineMotion) -> bool {
    let corners: Vec<Vec2> = body.corners.iter().zip(&motion.displacements).map(|(corner, by)| *corner + *by).collect();
    find_crossing(&corners).is_some()
}

/// Reports whether a motion advances every touch as far as it must, and no corner too far.
fn is_admissible(body: &OutlineBody, hold: &OutlineHold, least: &[f64], motion: &OutlineMotion, step: f64) -> bool {
    let most = 2.0 * hold.limit * step + ROUNDING;
    motion.displacements.iter().all(|displacement| displacement.length_squared() <= most * most)
        && hold.touches.iter().zip(least).all(|(touch, least)| motion.advance(body, touch) >= least - ROUNDING)
}
