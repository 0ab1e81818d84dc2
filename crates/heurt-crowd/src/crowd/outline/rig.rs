//! Rigs: the sections of an outlined body, and how they follow the first.
//!
//! In: a form, a pose, a displacement and a turn of the first section. Out: the next pose, corners.
//! Method: the front hinge of a follower is where the section before it has it. The follower keeps its length and turns
//! so that its rear moves towards its front hinge: a tractrix, as trailers and wagons do.
//! Guarantees: sections keep their shape and hinges hold, up to rounding. Not guaranteed: that sections of one body
//! keep off each other in narrow bends. Cost: O(corners).

use crate::form::AgentForm;
use heurt_geometry::Vec2;
use heurt_soft::ShapeMatching2;
use smallvec::SmallVec;

/// The shortest distance from the front hinge of a follower to its rear, in metres: shorter ones would whirl.
const SHORTEST_FOLLOWER: f64 = 0.01;

/// Bodies with a wider front have two edges ahead, in metres: twice the usual reach of bubbles, so that one edge would
/// open too narrow a gap.
const WIDE: f64 = 1.6;

/// A section in a frame of its own: the origin of the body for the first one, the front hinge for followers.
#[derive(Debug, Clone)]
pub(crate) struct RigSection {
    pub corners: Vec<Vec2>,
    /// The hinge of its follower.
    pub rear_hinge: Vec2,
    /// From its front hinge to its rear, in metres.
    pub length: f64,
}

/// The sections of the bodies of a group.
#[derive(Debug, Clone)]
pub(crate) struct Rig {
    pub sections: Vec<RigSection>,
    /// The largest distance of a corner of the first section from the origin, in metres.
    pub reach: f64,
    /// The largest extent of the straight body, in metres.
    pub size: f64,
    /// The ends of each edge, as numbers of corners.
    pub edges: Vec<[u32; 2]>,
    /// By section: its first corner, which is its first edge; the number of corners at the end.
    pub starts: Vec<usize>,
    /// The matching of a body that deforms.
    pub matching: Option<ShapeMatching2>,
    /// It is so wide that it has two edges ahead.
    pub is_wide: bool,
    /// The front corners of the first section: the leftmost and the rightmost of its front half.
    pub front: [u32; 2],
}

/// The place and the directions of a body.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct RigPose {
    /// The origin of the first section.
    pub place: Vec2,
    /// By section: the unit vector forward.
    pub headings: SmallVec<[Vec2; 1]>,
}

impl Rig {
    /// Makes the rig of a form; `None` for a disc.
    pub fn new(form: &AgentForm) -> Option<Self> {
        let outlines = form.sections();
        let first = outlines.first()?;
        let bounds: Vec<[Vec2; 2]> = outlines.iter().map(|outline| outline.bounds()).collect();
        let hinge = |k: usize| Vec2::new(0.5 * (bounds[k][0].x + bounds[k + 1][1].x), 0.0);
        let mut sections = Vec::with_capacity(outlines.len());
        let (mut edges, mut starts) = (Vec::new(), vec![0]);
        for (k, outline) in outlines.iter().enumerate() {
            let origin = if k == 0 { Vec2::ZERO } else { hinge(k - 1) };
            let rear = if k + 1 < outlines.len() { hinge(k) } else { Vec2::new(bounds[k][0].x, 0.0) };
            let corners: Vec<Vec2> = outline.corners().iter().map(|&corner| corner - origin).collect();
            let (from, count) = (starts[k] as u32, corners.len() as u32);
            edges.extend((0..count).map(|edge| [from + edge, from + (edge + 1) % count]));
            starts.push(starts[k] + corners.len());
            let length = (origin.x - rear.x).max(SHORTEST_FOLLOWER);
            sections.push(RigSection { corners, rear_hinge: rear - origin, length });
        }
        let reach = first.corners().iter().map(|corner| corner.length()).fold(0.0, f64::max);
        let middle = 0.5 * (bounds[0][0].x + bounds[0][1].x);
        let in_front = |sign: f64| {
            let corners = first.corners().iter().zip(0_u32..).filter(|(corner, _)| corner.x >= middle);
            corners.max_by(|a, b| (sign * a.0.y).total_cmp(&(sign * b.0.y))).map_or(0, |(_, number)| number)
        };
        let front = [in_front(1.0), in_front(-1.0)];
        let [left, right] = front.map(|corner| first.corners()[corner as usize]);
        let is_wide = left.distance(right) > WIDE;
        let matching = match form {
            // An outline has corners enough for a shape.
            AgentForm::Deforming(outline) => {
                ShapeMatching2::new(outline.corners(), &vec![1.0; outline.corners().len()]).ok()
            }
            _ => None,
        };
        Some(Self { sections, reach, size: form.extent()?, edges, starts, matching, is_wide, front })
    }

    /// Reports whether sections follow the first one.
    pub fn is_chain(&self) -> bool {
        self.sections.len() > 1
    }

    /// Returns the pose of a straight body that faces along a unit vector.
    pub fn straight(&self, place: Vec2, facing: Vec2) -> RigPose {
        RigPose { place, headings: self.sections.iter().map(|_| facing).collect() }
    }

    /// Returns the origin and the unit vector forward of each section.
    pub fn frames(&self, pose: &RigPose) -> impl Iterator<Item = [Vec2; 2]> {
        let mut origin = pose.place;
        self.sections.iter().zip(&pose.headings).map(move |(section, &heading)| {
            let frame = [origin, heading];
            origin += heading.rotate(section.rear_hinge);
            frame
        })
    }

    /// Computes the corners of all sections.
    pub fn corners(&self, pose: &RigPose) -> impl Iterator<Item = Vec2> {
        self.sections.iter().zip(self.frames(pose)).flat_map(|(section, [origin, heading])| {
            section.corners.iter().map(move |&corner| origin + heading.rotate(corner))
        })
    }

    /// Moves the first section by a displacement, and turns it by an angle to the left, in radians; all further
    /// sections follow.
    pub fn moved(&self, pose: &RigPose, displacement: Vec2, turn: f64) -> RigPose {
        let mut next = pose.clone();
        next.place += displacement;
        if turn != 0.0 {
            let by = Vec2::new(libm::cos(turn), libm::sin(turn));
            next.headings[0] = by.rotate(pose.headings[0]).normalize();
        }
        let (mut before, mut after) = (pose.place, next.place);
        for k in 1..self.sections.len() {
            before += pose.headings[k - 1].rotate(self.sections[k - 1].rear_hinge);
            after += next.headings[k - 1].rotate(self.sections[k - 1].rear_hinge);
            let rear = before - self.sections[k].length * pose.headings[k];
            next.headings[k] = (after - rear).try_normalize().unwrap_or(pose.headings[k]);
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Outline;

    fn plank(from: f64, to: f64) -> Outline {
        let corners = [[from, -0.5], [to, -0.5], [to, 0.5], [from, 0.5]].map(Vec2::from_array);
        Outline::new(corners.to_vec()).expect("a rectangle")
    }

    #[test]
    fn a_turn_and_a_shift_are_a_rigid_motion() {
        let rig = Rig::new(&AgentForm::Rigid(plank(-1.0, 2.0))).expect("no disc");
        let pose =
            rig.moved(&rig.straight(Vec2::new(3.0, 1.0), Vec2::X), Vec2::new(1.0, 0.0), std::f64::consts::FRAC_PI_2);
        let corners: Vec<Vec2> = rig.corners(&pose).collect();
        assert!((corners[1] - Vec2::new(4.5, 3.0)).length() < 1e-12, "{corners:?}");
        assert_eq!((rig.size, rig.front), (3.0, [2, 1]));
    }

    #[test]
    fn followers_come_after_on_a_tractrix() {
        // A wagon of 2 m behind a hinge that moves across: its direction follows the tractrix.
        let rig = Rig::new(&AgentForm::Articulated(vec![plank(-1.0, 1.0), plank(-3.0, -1.0)])).expect("no disc");
        let mut pose = rig.straight(Vec2::ZERO, Vec2::X);
        // The first section turns round its rear hinge, which stays in place: nothing else moves.
        let turned = rig.moved(&pose, Vec2::new(-1.0, 1.0), std::f64::consts::FRAC_PI_2);
        assert!((turned.headings[1] - Vec2::X).length() < 1e-12);
        // The hinge is drawn along y without a turn: sin of the angle grows as tanh(y / 2).
        let steps = 20_000;
        for _ in 0..steps {
            pose = rig.moved(&pose, Vec2::new(0.0, 2.0 / f64::from(steps)), 0.0);
        }
        let expected = 1.0_f64.tanh();
        assert!((pose.headings[1].y - expected).abs() < 1e-4, "{} {expected}", pose.headings[1].y);
        let corners: Vec<Vec2> = rig.corners(&pose).collect();
        assert!((corners[4].distance(corners[5]) - 2.0).abs() < 1e-12);
    }
}
