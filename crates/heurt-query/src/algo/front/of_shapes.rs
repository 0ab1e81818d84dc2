//! The front of two shapes of which one at least is no surface of triangles: curved, endless, or of parts.
//!
//! Method: what is known of their distance is the clearance. The points that were nearest, where they stand now, bound the distance from
//! above; of a compound the part that met is asked first.
//! Guarantees: yes and no are those without a front; distances are the same within their errors.

use super::{FrontMemory, Known, Pair, Standing};
use crate::budget::{Spending, Within};
use crate::contact::Contact;
use crate::distance::{Distance, distance_asked, superquadric_clearance};
use crate::overlap::{Witness, overlap_asked};
use heurt_bvh::relative::Composed;
use heurt_bvh::{TreeFrame, Work};
use heurt_geometry::{Aabb, Pose, Vec3};
use heurt_shape::ShapeRef;

type OnPose<'a> = (ShapeRef<'a>, &'a Pose);

/// Frames of trees end here.
const WIDEST: f64 = 1e300;

/// Two placed shapes of any kind.
#[derive(Clone, Copy)]
pub(crate) struct Shapes<'a> {
    a: OnPose<'a>,
    b: OnPose<'a>,
    /// About A and about B; one that is endless is seen to be a point.
    frames: [TreeFrame; 2],
    /// Whether B is seen from A, or A from B, which then is endless.
    is_b_seen: bool,
}

impl Pair for Shapes<'_> {
    fn names(&self) -> [Option<u64>; 2] {
        [self.a, self.b].map(|(shape, _)| shape.fingerprint())
    }

    fn radii(&self) -> [f64; 2] {
        let [a, b] = self.frames.map(|frame| frame.radius());
        if self.is_b_seen { [a, b] } else { [b, a] }
    }

    /// What is asked is how far the shapes themselves are apart.
    fn margin(&self) -> f64 {
        0.0
    }

    fn clearance(&self, most: f64) -> f64 {
        match (self.a, self.b) {
            (a, (ShapeRef::Superquadric(b), at)) | ((ShapeRef::Superquadric(b), at), a) if has_one_part(a.0) => {
                return superquadric_clearance((b, at), a, most);
            }
            _ => {}
        }
        match distance_asked(self.a, self.b, most, &Spending::default()) {
            Within::Complete(Some(found)) => (found.distance - found.error).max(0.0),
            Within::Complete(None) => self.beyond(most),
            Within::Cut(_) => 0.0,
        }
    }

    /// One that lies in the other is at no distance.
    fn is_contained(&self) -> bool {
        false
    }
}

impl<'a> Shapes<'a> {
    /// `None` where both are endless, or one reaches to the end of the numbers.
    pub(crate) fn new(a: OnPose<'a>, b: OnPose<'a>) -> Option<Self> {
        let [on_a, on_b] = [a.0, b.0].map(frame);
        let is_b_seen = on_b.is_some();
        let seen = on_a.is_some() || is_b_seen;
        let point = TreeFrame::around(&Aabb { min: Vec3::ZERO, max: Vec3::ZERO });
        seen.then(|| Self { a, b, frames: [on_a.unwrap_or(point), on_b.unwrap_or(point)], is_b_seen })
    }

    fn standing(&self) -> Option<Standing> {
        let [on_a, on_b] = &self.frames;
        let composed = match self.is_b_seen {
            true => Composed::new(on_a, self.a.1, on_b, self.b.1),
            false => Composed::new(on_b, self.b.1, on_a, self.a.1),
        };
        Standing::new(&composed, self.radii())
    }

    /// How far they surely are apart that were not found within `reach`. Superquadrics are known less closely than they are told apart by a
    /// limit, so that it is the balls about them that tell.
    fn beyond(&self, reach: f64) -> f64 {
        let is_vague = |shape: ShapeRef<'_>| matches!(shape, ShapeRef::Superquadric(_));
        let is_known = [self.a.0, self.b.0].into_iter().all(|shape| match shape {
            ShapeRef::Compound(compound) => !compound.parts().iter().any(|part| is_vague((&part.shape).into())),
            shape => !is_vague(shape),
        });
        let between_balls = || self.standing().map_or(0.0, |now| now.gap(self.radii()));
        if is_known { reach * (1.0 - 1e-9) } else { between_balls() }
    }

    /// How far two points are apart, each on its shape.
    fn across(&self, [on_a, on_b]: [Vec3; 2]) -> f64 {
        let room = 64.0 * f64::EPSILON * (self.a.0.reach() + self.a.1.span() + self.b.0.reach() + self.b.1.span());
        (self.a.1.place(on_a) - self.b.1.place(on_b)).length() * (1.0 + 1e-9) + room
    }

    /// The points of a distance, each in the frame of its shape.
    fn in_their_frames(&self, found: &Distance) -> [Vec3; 2] {
        let back = |pose: &Pose, point: Vec3| pose.rotation().transpose() * (point - pose.translation());
        [back(self.a.1, found.point_a), back(self.b.1, found.point_b)]
    }

    /// Whether the parts of compounds meet that have two primitives.
    fn parts_meet(&self, [i, j]: [u32; 2]) -> bool {
        let has_parts = |shape: ShapeRef<'_>| matches!(shape, ShapeRef::Compound(_));
        let ((a, pose_a), (b, pose_b)) = (part(self.a, i), part(self.b, j));
        (has_parts(self.a.0) || has_parts(self.b.0))
            && overlap_asked((a, &pose_a), (b, &pose_b), &Spending::default()).is_some()
    }
}

/// Whether a shape is neither a compound nor endless.
fn has_one_part(shape: ShapeRef<'_>) -> bool {
    !matches!(shape, ShapeRef::Compound(_)) && frame(shape).is_some()
}

/// The frame about a shape; `None` of one without end.
fn frame(shape: ShapeRef<'_>) -> Option<TreeFrame> {
    let frame = match shape {
        ShapeRef::Mesh(mesh) => return Some(*mesh.tree().frame()),
        ShapeRef::Compound(compound) => return Some(*compound.tree().frame()),
        shape => shape.bounds(),
    };
    let largest = frame.min.abs().max(frame.max.abs()).max_element();
    (largest < WIDEST).then(|| TreeFrame::around(&frame))
}

/// The part of a compound that has a primitive, or another one where it has none, and where it stands; other shapes as they are.
fn part<'a>((shape, pose): OnPose<'a>, primitive: u32) -> (ShapeRef<'a>, Pose) {
    match shape {
        ShapeRef::Compound(compound) => {
            let number = compound.part_of(primitive);
            ((&compound.parts()[number as usize].shape).into(), compound.place(number, pose))
        }
        shape => (shape, *pose),
    }
}

impl FrontMemory {
    /// [`crate::overlap()`], yes or no.
    pub(crate) fn shapes_overlap(&mut self, pair: Shapes<'_>) -> bool {
        let now = pair.standing();
        if self.apart(&pair, now, 0.0).is_some() {
            return false;
        }
        if self.primitives.is_some_and(|both| pair.parts_meet(both)) {
            return true;
        }
        match overlap_asked(pair.a, pair.b, &Spending::default()) {
            Some(witness) => {
                if let Witness::Primitives { a, b } = witness {
                    self.primitives = Some([a, b]);
                }
                self.front = None;
                true
            }
            None => {
                self.keep(&pair, now, Known::default());
                false
            }
        }
    }

    /// See [`FrontMemory::contact_of`].
    pub(crate) fn contact_of_shapes(
        &mut self,
        pair: Shapes<'_>,
        margin: f64,
        ask: impl FnOnce() -> Within<Option<Contact>, Option<Contact>>,
    ) -> Within<Option<Contact>, Option<Contact>> {
        let now = pair.standing();
        self.contact_of(&pair, now, margin, ask)
    }

    /// [`crate::distance_within_counted()`].
    pub(crate) fn distance_of_shapes(&mut self, pair: Shapes<'_>, max: f64) -> (Option<Distance>, Work) {
        let now = pair.standing();
        let mut nearest_is = f64::INFINITY;
        if let Some((moved, known)) = self.recall(&pair, now.as_ref()) {
            if known.clear - moved > max {
                return (None, Work { updates: 1, ..Work::default() });
            }
            nearest_is = known.nearest.map_or(f64::INFINITY, |nearest| pair.across(nearest));
        }
        // No farther than what was nearest is now, and a skin more than is asked for.
        let reach = nearest_is.min(max + self.skin(&pair, now.as_ref()));
        let spending = Spending::default();
        let ask = |max: f64| match distance_asked(pair.a, pair.b, max, &spending) {
            Within::Complete(found) => found,
            Within::Cut(_) => unreachable!("there is no budget to end"),
        };
        let found = ask(reach).or_else(|| if reach < max { ask(max) } else { None });
        match found {
            Some(Distance { normal: None, .. }) => self.front = None,
            Some(found) => {
                let clear = (found.distance - found.error).max(0.0);
                self.keep(&pair, now, Known { clear, nearest: Some(pair.in_their_frames(&found)), ..Known::default() });
            }
            None => self.keep(&pair, now, Known { clear: pair.beyond(reach.max(max)), ..Known::default() }),
        }
        (found.filter(|found| found.distance <= max), spending.done())
    }
}
