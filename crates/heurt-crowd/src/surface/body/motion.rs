//! Motions of bodies on curved ground: what a body wants within its touches, and shares of it.
//!
//! In: a wanted velocity and turn, touches. Out: a wish; sections after a share of it.
//! Method: as on floors (`crowd/outline/hold`), in the plane of the first section: each touch is a half-plane of
//! shifts, half of the gap for what moves as well. A body that deforms steps towards the goals of shape matching; what
//! that turns and shifts it is taken into its frame. Shares of the wish are tried in order, with the turn and without.
//! Cost: O(corners and touches) a turn.

use super::super::SurfaceGround;
use super::sight::BodyTouches;
use super::{BodySection, SurfaceBody};
use crate::crowd::outline::{EdgeTouch, Obstacle, SoftCorners, deform, least_advance};
use crate::steer::{HalfPlane, admissible_velocity};
use heurt_geometry::Vec2;

/// Shares of the shift and of the turn that are tried; the body rests after the last.
const ATTEMPTS: [[f64; 2]; 7] = [[1.0, 1.0], [1.0, 0.0], [0.5, 0.5], [0.5, 0.0], [0.25, 0.25], [0.25, 0.0], [0.0, 0.5]];

/// Shares of a turn for which a shift is sought.
const TURN_SHARES: [f64; 4] = [1.0, 0.5, 0.25, 0.0];

/// Bodies keep this share of their size as a gap, so that a step over a curve seldom ends in an overlap.
const MARGIN: f64 = 1e-3;

/// The motion that a body wants in a step, in the frame of its first section.
#[derive(Debug, Clone, Default)]
pub(in crate::surface) struct BodyWish {
    /// In metres.
    shift: Vec2,
    /// In radians, to the left.
    turn: f64,
    /// The shift that goes with the turn: of a body that deforms.
    slide: Vec2,
    /// The corners of a body that deforms, in the frame after the motion.
    shape: Vec<Vec2>,
}

/// The deformation of a body in a step.
struct Deformation {
    /// By corner, in the frame before.
    displacements: Vec<Vec2>,
    turn: f64,
    slide: Vec2,
    shape: Vec<Vec2>,
}

impl BodyWish {
    /// Finds the wish nearest to a velocity in m/s and a turn that leaves all touches.
    pub fn within(
        body: &SurfaceBody,
        (velocity, turn): (Vec2, f64),
        around: &BodyTouches,
        (limit, step): (f64, f64),
    ) -> Self {
        let rig = &body.rig.rig;
        let deformation = Deformation::new(body, around, (limit, step));
        let advance = |touch: &EdgeTouch, displacements: &[Vec2]| {
            let next = (touch.edge + 1) % displacements.len() as u32;
            least_advance(displacements, [touch.edge, next], touch.normal, touch.slack)
        };
        for share in TURN_SHARES {
            let by = Vec2::new(libm::cos(share * turn), libm::sin(share * turn));
            let displace = |(k, corner): (usize, &Vec2)| {
                let within = deformation.as_ref().map_or(Vec2::ZERO, |found| share * found.displacements[k]);
                by.rotate(*corner) - *corner + within
            };
            let displacements: Vec<Vec2> = around.corners.iter().enumerate().map(displace).collect();
            let plane = |touch: &EdgeTouch| {
                let half = if touch.obstacle == Obstacle::Wall { 1.0 } else { 0.5 };
                let least = -half * (touch.gap - MARGIN * rig.size).max(0.0);
                HalfPlane { normal: touch.normal, least: (least - advance(touch, &displacements)) / step }
            };
            let planes: Vec<HalfPlane> = around.touches.iter().map(plane).collect();
            let Some(velocity) = admissible_velocity(&planes, limit, velocity) else { continue };
            let own = &body.sections[0].shape;
            return match deformation {
                None => Self { shift: velocity * step, turn: share * turn, slide: Vec2::ZERO, shape: own.clone() },
                Some(found) => Self {
                    shift: velocity * step,
                    turn: share * (turn + found.turn),
                    slide: share * found.slide,
                    shape: own.iter().zip(&found.shape).map(|(from, to)| from.lerp(*to, share)).collect(),
                },
            };
        }
        Self { shape: body.sections[0].shape.clone(), ..Self::default() }
    }

    /// Lays a body after the first share of its wish from `attempt` on at which the ground lets it be.
    pub fn attempt(
        &self,
        ground: &SurfaceGround,
        body: &SurfaceBody,
        attempt: usize,
    ) -> Option<(usize, Vec<BodySection>)> {
        let own = &body.sections[0];
        let is_at_rest =
            self.shift == Vec2::ZERO && self.turn == 0.0 && self.slide == Vec2::ZERO && self.shape == own.shape;
        if is_at_rest {
            return None;
        }
        let tried = ATTEMPTS.iter().enumerate().skip(attempt);
        tried.into_iter().find_map(|(number, &[share, turned])| {
            let shift = share * self.shift + turned * self.slide;
            let [forward, left] = own.axes();
            let shape = own.shape.iter().zip(&self.shape).map(|(from, to)| from.lerp(*to, turned)).collect();
            let motion = (forward * shift.x + left * shift.y, turned * self.turn);
            Some((number, ground.lay_moved(&body.rig, &body.sections, motion, shape).ok()?))
        })
    }
}

impl Deformation {
    /// Computes what a body that deforms does within its frame; `None` for rigid sections.
    fn new(body: &SurfaceBody, around: &BodyTouches, (limit, step): (f64, f64)) -> Option<Self> {
        let rig = &body.rig.rig;
        let (matching, own) = (rig.matching.as_ref()?, &body.sections[0].shape);
        let soft = SoftCorners { corners: own, velocities: &body.soft, edges: &rig.edges };
        let displacements = deform(soft, matching, (0.0, limit), &around.pushes, step);
        let after: Vec<Vec2> = own.iter().zip(&displacements).map(|(corner, by)| *corner + *by).collect();
        let fit = matching.fit(&after).ok()?;
        let slide = fit.place(Vec2::ZERO);
        let forward = (fit.place(Vec2::X) - slide).try_normalize().unwrap_or(Vec2::X);
        let back = Vec2::new(forward.x, -forward.y);
        let shape = after.iter().map(|&corner| back.rotate(corner - slide)).collect();
        Some(Self { displacements, turn: libm::atan2(forward.y, forward.x), slide, shape })
    }
}
