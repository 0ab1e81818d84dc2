//! Forms of agents: discs, outlines, chains of outlines.
//!
//! In: corners in the frame of the agent: its place is the origin, x points forward, in metres. Out: [`AgentForm`].
//! Method: S4 §8.1: what an agent is on the ground is a polygon, concave or convex.

mod footprint;
mod outline;
mod segment;

pub use outline::{Outline, OutlineError};
pub(crate) use outline::{find_crossing, signed_distance};
pub(crate) use segment::{Segment, box_gap, do_meet, nearest_points, separation};

use heurt_geometry::Vec2;

/// The form of the agents of a group.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub enum AgentForm {
    /// A disc of the radius of the group.
    #[default]
    Disc,
    /// A rigid polygon, which turns towards its velocity.
    Rigid(Outline),
    /// Rigid polygons behind each other, all in the frame of the first, which leads. Two that follow each other are
    /// joined by a hinge at y = 0, midway between the rear of a section and the front of its follower.
    Articulated(Vec<Outline>),
    /// A polygon that yields at walls and bodies and returns to its shape by shape matching.
    Deforming(Outline),
}

impl AgentForm {
    /// Returns the outlines, the first one in front; none of a disc.
    pub fn sections(&self) -> &[Outline] {
        match self {
            Self::Disc => &[],
            Self::Rigid(outline) | Self::Deforming(outline) => std::slice::from_ref(outline),
            Self::Articulated(sections) => sections,
        }
    }

    /// Returns half of the largest width of a section, in metres: the least clearance of a path; `None` for a disc.
    pub fn clearance(&self) -> Option<f64> {
        self.sections().iter().map(|outline| 0.5 * outline.width()).reduce(f64::max)
    }

    /// Computes the largest extent along an axis of its frame, in metres; `None` for a disc.
    pub fn extent(&self) -> Option<f64> {
        let bounds = self.sections().iter().map(Outline::bounds);
        let [low, high] = bounds.reduce(|[low, high], [l, h]| [low.min(l), high.max(h)])?;
        Some((high - low).max_element())
    }

    /// Divides edges longer than a length in metres into equal ones.
    pub(crate) fn divided(&self, longest: f64) -> Self {
        match self {
            Self::Disc => Self::Disc,
            Self::Rigid(outline) => Self::Rigid(outline.divided(longest)),
            Self::Articulated(sections) => {
                Self::Articulated(sections.iter().map(|outline| outline.divided(longest)).collect())
            }
            Self::Deforming(outline) => Self::Deforming(outline.divided(longest)),
        }
    }

    /// Computes the corners of all sections of a straight body at a place, facing along a unit vector.
    pub(crate) fn placed(&self, place: Vec2, facing: Vec2) -> Vec<Vec<Vec2>> {
        let section =
            |outline: &Outline| outline.corners().iter().map(|&corner| place + facing.rotate(corner)).collect();
        self.sections().iter().map(section).collect()
    }
}
