//! Bodies on curved ground: outlines that are laid on a surface round their agent (S4 §8.1, §8.3.2).
//!
//! In: forms of agents, ground. Out: sections with their corners on the ground, motions of each step.
//! Method: a section has an origin on the ground, a unit vector forward, and corners in the frame of both. A corner is
//! at the end of the straightest geodesic from the origin that has its direction and its distance. So a section is the
//! polygon that the plane has, as far as the ground is plane, and bends with it. A pair of sections is compared in the
//! plane of the mean of their normals (`overlap`). A body that deforms keeps its shape in its frame, by shape matching
//! in the plane. Sections of a chain follow on a tractrix, each from hinge to hinge along the ground (`lay`).
//! Guarantees: a section is never where the ground bends by more than 45° between its origin and a corner, so that its
//! projection has every point of it once.

mod ahead;
mod enter;
mod lay;
mod motion;
mod overlap;
mod sight;

use ahead::SurfaceAhead;
pub(super) use ahead::WayOut;
use enter::NEAR;
use lay::LayFault;
pub(super) use motion::BodyWish;
pub(super) use overlap::{Side, do_overlap, overlaps_wall};
use overlap::{depth_at_wall, depth_of_pair};
pub(super) use sight::{BodyTouches, SectionTouch};

use super::{SurfaceGround, SurfaceGroup};
use crate::AgentForm;
use crate::crowd::outline::Rig;
use heurt_geometry::{Vec2, Vec3};
use heurt_map::registration::{EntityId, PointId};
use std::sync::Arc;

/// A body that deforms may reach this much further than at rest.
const SWELL: f64 = 1.25;

/// Paths along the ground to the corners of a cut may be this much longer than the cage: at 45° at most.
const CAGE_STRETCH: f64 = 1.2;

/// Longer edges are divided, in metres: a chord of this length is 1 cm below a ball of 3 m in its middle.
const LONGEST_EDGE: f64 = 0.5;

/// Outlines are divided into no more edges than this, each.
const MOST_EDGES: f64 = 96.0;

/// The sections of the bodies of a group, and circles round their origins.
#[derive(Debug, Clone)]
pub(super) struct SurfaceRig {
    pub rig: Rig,
    /// By section: no corner is further from the origin, in metres.
    pub circles: Vec<f64>,
}

impl SurfaceRig {
    /// Makes the rig of a form; `None` for a disc.
    pub fn new(form: &AgentForm) -> Option<Arc<Self>> {
        let perimeter = form.sections().iter().map(|outline| outline.perimeter()).fold(0.0, f64::max);
        let rig = Rig::new(&form.divided(LONGEST_EDGE.max(perimeter / MOST_EDGES)))?;
        let swell = if rig.matching.is_some() { SWELL } else { 1.0 };
        let reach = |corners: &[Vec2]| corners.iter().map(|corner| corner.length()).fold(0.0, f64::max);
        let circles = rig.sections.iter().map(|section| swell * reach(&section.corners)).collect();
        Some(Arc::new(Self { rig, circles }))
    }

    /// Returns the largest radius of a circle that a body of a group may have, in metres.
    pub fn longest_reach(&self, group: &SurfaceGroup) -> f64 {
        self.reach().max(group.cage.as_ref().map_or(0.0, |cage| CAGE_STRETCH * SWELL * cage.reach()))
    }

    /// Makes the rig of the cut of a cage and the ground; `None` where they have no outline.
    pub fn of_cut(
        &self,
        ground: &SurfaceGround,
        group: &SurfaceGroup,
        at: (u32, Vec3),
        facing: Vec3,
    ) -> Option<Arc<Self>> {
        let outline = ground.cut_of_cage(group.cage.as_ref()?, at, facing)?;
        let form = match group.form {
            AgentForm::Rigid(_) => AgentForm::Rigid(outline),
            AgentForm::Deforming(_) => AgentForm::Deforming(outline),
            _ => return None,
        };
        Self::new(&form).filter(|cut| cut.reach() <= self.longest_reach(group))
    }

    /// Returns the largest radius of a circle, in metres.
    pub fn reach(&self) -> f64 {
        self.circles.iter().copied().fold(0.0, f64::max)
    }
}

/// A section of a body on the ground.
#[derive(Debug, Clone)]
pub(super) struct BodySection {
    pub face: u32,
    /// A point of its face: the middle of the frame, of followers their front hinge.
    pub origin: Vec3,
    /// Unit normal of its face.
    pub normal: Vec3,
    /// The unit vector forward, in the plane of its face.
    pub heading: Vec3,
    /// Corners in its frame, counter-clockwise.
    pub shape: Vec<Vec2>,
    /// Corners on the ground.
    pub corners: Vec<Vec3>,
    /// No corner is further from the origin, in metres.
    pub circle: f64,
}

impl BodySection {
    /// Returns the axes of its frame: forward and to the left.
    pub fn axes(&self) -> [Vec3; 2] {
        [self.heading, self.normal.cross(self.heading)]
    }

    /// Returns the edges, as chords.
    pub fn edges(&self) -> impl Iterator<Item = [Vec3; 2]> + '_ {
        let next = self.corners.iter().cycle().skip(1);
        self.corners.iter().zip(next).map(|(a, b)| [*a, *b])
    }
}

/// The body of an agent.
#[derive(Debug)]
pub(super) struct SurfaceBody {
    pub rig: Arc<SurfaceRig>,
    pub sections: Vec<BodySection>,
    /// By section: velocities of its corners in the last step, in m/s.
    pub velocities: Vec<Vec<Vec3>>,
    /// Velocities of the corners of a body that deforms within its frame, in m/s.
    pub soft: Vec<Vec2>,
    /// By section: where its origin is registered.
    pub points: Vec<(EntityId, PointId)>,
    /// Its outline is the cut of its cage and the ground.
    pub is_cut: bool,
    pub ahead: SurfaceAhead,
}

impl SurfaceBody {
    pub fn new(
        (rig, is_cut): (Arc<SurfaceRig>, bool),
        sections: Vec<BodySection>,
        points: Vec<(EntityId, PointId)>,
    ) -> Self {
        let velocities = sections.iter().map(|section| vec![Vec3::ZERO; section.corners.len()]).collect();
        let soft = vec![Vec2::ZERO; if rig.rig.matching.is_some() { sections[0].shape.len() } else { 0 }];
        Self { rig, sections, velocities, soft, points, is_cut, ahead: SurfaceAhead::default() }
    }
}
