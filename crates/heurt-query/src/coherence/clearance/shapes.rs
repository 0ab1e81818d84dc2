//! Clearance of two shapes, at least one of which is no surface of triangles: curved, or of parts. Endless shapes have
//! none: a half-space needs the lowest place only.
//!
//! Method: what is known of their distance is the clearance. The points that were nearest, where they are placed now,
//! bound the distance from above; of a compound the part that met is queried first.
//! Guarantees: yes and no are those without a front; distances are the same within their errors.

use super::{ClearanceCache, KnownClearance, ShapePair};
use crate::answer::budget::{Budgeted, WorkMeter};
use crate::answer::distance::Distance;
use crate::answer::overlap::Witness;
use crate::answer::placed::{Placed, PlacedShape};
use crate::distance::{distance_metered, superquadric_clearance};
use crate::overlap::overlap_metered;
use heurt_bvh::{TreeFrame, Work};
use heurt_geometry::{Pose, Vec3, robust_length};
use heurt_shape::ShapeRef;

/// Frames of trees end here.
const WIDEST: f64 = 1e300;

/// Two placed shapes of any kind that end somewhere.
pub(crate) struct Shapes<'a> {
    a: PlacedShape<'a>,
    b: PlacedShape<'a>,
    frames: [TreeFrame; 2],
}

impl ShapePair for Shapes<'_> {
    fn names(&self) -> [Option<u64>; 2] {
        [self.a, self.b].map(|Placed { shape, .. }| shape.fingerprint())
    }

    fn frames(&self) -> [(&TreeFrame, &Pose); 2] {
        let [of_a, of_b] = &self.frames;
        [(of_a, self.a.pose), (of_b, self.b.pose)]
    }

    /// The query is the distance of the shapes themselves.
    fn margin(&self) -> f64 {
        0.0
    }

    fn clearance(&self, most: f64, meter: &WorkMeter<'_>) -> f64 {
        match (self.a, self.b) {
            (a, at @ Placed { shape: ShapeRef::Superquadric(b), .. })
            | (at @ Placed { shape: ShapeRef::Superquadric(b), .. }, a)
                if !is_compound(a.shape) =>
            {
                superquadric_clearance(at.with(b), a, most, meter)
            }
            (a, b) => match distance_metered(a, b, most, meter) {
                Budgeted::Complete(Some(found)) => (found.distance - found.error).max(0.0),
                Budgeted::Complete(None) => self.beyond(most),
                Budgeted::Partial(_) => 0.0,
            },
        }
    }

    /// A shape inside its partner is at distance 0.
    fn is_contained(&self, _spending: &WorkMeter<'_>) -> bool {
        false
    }
}

impl<'a> Shapes<'a> {
    /// `None` where one has no end.
    pub(crate) fn new(a: PlacedShape<'a>, b: PlacedShape<'a>) -> Option<Self> {
        Some(Self { a, b, frames: [frame(a.shape)?, frame(b.shape)?] })
    }

    /// A lower bound of the distance of shapes that were not found within `reach`, except for rounding. Superquadrics
    /// are known less closely than a limit distinguishes, so that the balls around the shapes give their bound.
    fn beyond(&self, reach: f64) -> f64 {
        let is_known = [self.a.shape, self.b.shape].into_iter().all(|shape| match shape {
            ShapeRef::Compound(compound) => compound.parts().iter().all(|part| !is_superquadric((&part.shape).into())),
            shape => !is_superquadric(shape),
        });
        if is_known { reach } else { self.standing().map_or(0.0, |now| now.gap(self.radii())) }
    }

    /// An upper bound of the distance of two points, each in the frame of its shape.
    fn across(&self, [on_a, on_b]: [Vec3; 2]) -> f64 {
        robust_length(self.a.pose.place(on_a) - self.b.pose.place(on_b)) * (1.0 + 1e-9) + self.room()
    }

    /// The points of a distance, each in the frame of its shape.
    fn in_their_frames(&self, found: &Distance) -> [Vec3; 2] {
        let back = |pose: &Pose, point: Vec3| pose.rotation().transpose() * (point - pose.translation());
        [back(self.a.pose, found.point_a), back(self.b.pose, found.point_b)]
    }

    /// Whether the parts of compounds with two primitives meet, in the order of the compounds.
    fn parts_meet(&self, [i, j]: [u32; 2]) -> bool {
        let ((a, pose_a), (b, pose_b)) = (part(self.a, i), part(self.b, j));
        let meet = |a: PlacedShape<'_>, b: PlacedShape<'_>| overlap_metered(a, b, &WorkMeter::default()).is_some();
        match (is_compound(self.a.shape), is_compound(self.b.shape)) {
            (true, _) => meet(Placed::new(a, &pose_a), Placed::new(b, &pose_b)),
            (false, true) => meet(Placed::new(b, &pose_b), Placed::new(a, &pose_a)),
            (false, false) => false,
        }
    }
}

fn is_compound(shape: ShapeRef<'_>) -> bool {
    matches!(shape, ShapeRef::Compound(_))
}

fn is_superquadric(shape: ShapeRef<'_>) -> bool {
    matches!(shape, ShapeRef::Superquadric(_))
}

/// The frame around a shape; `None` for an endless shape.
fn frame(shape: ShapeRef<'_>) -> Option<TreeFrame> {
    let bounds = match shape {
        ShapeRef::Mesh(mesh) => return Some(*mesh.tree().frame()),
        ShapeRef::Compound(compound) => return Some(*compound.tree().frame()),
        shape => shape.bounds(),
    };
    let largest = bounds.min.abs().max(bounds.max.abs()).max_element();
    (largest < WIDEST).then(|| TreeFrame::around(&bounds))
}

/// The part of a compound that has a primitive, or another one where it has none, and where it is placed; other shapes
/// as they are.
fn part<'a>(Placed { shape, pose }: PlacedShape<'a>, primitive: u32) -> (ShapeRef<'a>, Pose) {
    match shape {
        ShapeRef::Compound(compound) => {
            let number = compound.part_of(primitive);
            ((&compound.parts()[number as usize].shape).into(), compound.place(number, pose))
        }
        shape => (shape, *pose),
    }
}

impl ClearanceCache {
    pub(crate) fn shapes_overlap(&mut self, pair: &Shapes<'_>) -> bool {
        let (now, meter) = (pair.standing(), WorkMeter::default());
        if self.are_separated(pair, now, 0.0, &meter).is_some() {
            return false;
        }
        if self.primitives.is_some_and(|both| pair.parts_meet(both)) {
            return true;
        }
        let witness = overlap_metered(pair.a, pair.b, &meter);
        match witness {
            Some(Witness::Primitives { a, b }) => {
                self.primitives = Some([a, b]);
                self.front = None;
            }
            Some(Witness::Contained(_)) => self.front = None,
            None => self.follow(pair, now),
        }
        witness.is_some()
    }

    pub(crate) fn distance_of_shapes(&mut self, pair: &Shapes<'_>, max: f64) -> (Option<Distance>, Work) {
        let now = pair.standing();
        let mut nearest_is = f64::INFINITY;
        if let Some((moved, known)) = self.recall(pair, now.as_ref()) {
            if known.clear - moved > max {
                return (None, Work { updates: 1, ..Work::default() });
            }
            nearest_is = known.nearest.map_or(f64::INFINITY, |nearest| pair.across(nearest));
        }
        // No farther than what was nearest is now, and a skin more than is requested.
        let reach = nearest_is.min(max + self.skin(pair, now.as_ref()));
        let meter = WorkMeter::default();
        let search = |max: f64| match distance_metered(pair.a, pair.b, max, &meter) {
            Budgeted::Complete(found) => found,
            Budgeted::Partial(_) => unreachable!("there is no budget to end"),
        };
        let found = search(reach).or_else(|| if reach < max { search(max) } else { None });
        match found {
            Some(Distance { normal: None, .. }) => self.front = None,
            Some(found) => {
                let clear = found.distance - found.error - pair.room();
                self.keep(
                    pair,
                    now,
                    KnownClearance { clear, nearest: Some(pair.in_their_frames(&found)), ..KnownClearance::default() },
                );
            }
            None => {
                let clear = pair.beyond(reach.max(max)) - pair.room();
                self.keep(pair, now, KnownClearance { clear, ..KnownClearance::default() });
            }
        }
        (found.filter(|found| found.distance <= max), meter.done())
    }
}
